"""Values whose name says that they are secret: settings, headers, cookies, addresses, commands."""

import base64
import binascii
import re
from collections.abc import Iterator

from hippod.language import word_set
from hippod.secrets.span import Span
from hippod.secrets.tokens import is_random
from hippod.secrets.values import bare, is_placeholder, is_talk, looks_like_key, looks_made_up


def find(text: str) -> Iterator[Span]:
    """Yield the values, each without its name."""
    yield from _assigned(text)
    for name, pattern in _PLACES:
        for match in pattern.finditer(text):
            start, end = match.span("value")
            if match["value"] and not is_placeholder(match["value"]):
                yield Span(start, end, name)
    for match in _BASIC.finditer(text):
        if _is_pair(match[1]):
            yield Span(*match.span(1), "Basic Authorization")


# --- name and value -----------------------------------------------------------------------------

_ASSIGNED = re.compile(
    r"(?<![\w.-])(?P<name>[A-Za-z][\w.-]{0,60})(?:\\?[\"']|[\])])?[ \t]{0,3}"
    r"(?P<sign>=>|:=|={1,3}|:)\s{0,3}"
    r"(?P<value>\\?\"(?:[^\"\\\n]|\\[^\n]){1,4000}\"?|'[^'\n]{1,4000}'?|`[^`\n]{1,4000}`|"
    r"[^\s\"'`;,<>|]{1,4000})"
)
_CODE = re.compile(
    r"[A-Za-z_][\w.]{0,60}[(\[]|(?:self|this|os|process|config|settings|args|env|req|request)\."
)
_NAME_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_PASSWORDS = word_set(
    "password passwd passwort pwd passphrase psk pgpassword mysqlpwd userpass kennwort"
)
_CUT_SHORT = ("pass", "pw", "psw", "pswd")
_ACCOUNTS = word_set(
    """db database sql mysql mariadb mssql pg psql postgres postgresql oracle mongo mongodb redis
    rabbitmq amqp mqtt kafka elastic elasticsearch opensearch kibana grafana influx influxdb neo4j
    smtp imap pop mail email ftp sftp ssh ldap smb samba nas sudo root admin administrator
    superuser super user usr account login auth basic http proxy wifi wlan vpn router app api
    service svc keystore truststore store cert ssl tls key gpg registry docker git github gitlab
    jenkins npm nexus artifactory sonar keycloak backup restic borg vault zip master my new old"""
)
_PASSAGES = word_set(
    """test tests case cases check checks smoke lint unit build compile compiler render shader light
    shadow depth first second third fourth fifth last final next previous initial early late each
    every per one two single double multi forward backward front back low high band all any no full
    partial quick slow clean main total sum count num number boarding bus train rail ski season
    day week month year travel event conference mountain hall key review edit writing cleanup
    screen proof reading optimizer optimization analysis validation verification quality"""
)
_COUNT = re.compile(r"\d{1,4}(?:[/%][\d%]*)?")
_SECRETS = word_set(
    """secret clientsecret appsecret secretkey apisecret consumersecret signingsecret secretbase
    privatekey presharedkey accountkey accesskey sharedaccesskey masterkey encryptionkey signingkey
    apikey authkey keydata clientkeydata privatekeyid sessionkey licensekey cookiesecret jwtsecret
    connectionstring salt pepper hmackey deploykey webhooksecret totpsecret otpsecret"""
)
_TOKENS = word_set(
    """token authtoken accesstoken refreshtoken idtoken bearer credential credentials creds dsn
    cookie sessionid sessid sid phpsessid jsessionid csrf csrftoken xsrf xsrftoken signature
    sig auth authorization pat jwt"""
)
_OTHER_KEYS = word_set(
    """public primary foreign sort cache partition row hot registry dict object host idx index
    unique group natural composite lookup shortcut translation map range hash arrow enter space
    tab shift control ctrl alt escape answer piano house car"""
)


def _assigned(text: str) -> Iterator[Span]:
    for match in _ASSIGNED.finditer(text):
        value = match["value"]
        inner = bare(value.removeprefix("\\").removesuffix('\\"'))
        quoted = value[:1] in "\\\"'`"
        if (
            is_placeholder(inner)
            or (not quoted and _CODE.match(inner))
            or not _is_secret(match["name"], inner, match["sign"])
        ):
            continue
        start = match.start("value") + value.index(inner)
        end = start + len(inner.rstrip(".!?)]}\\") if not quoted else inner)
        yield Span(start, end, "Secret Setting")


def _is_secret(name: str, value: str, sign: str) -> bool:
    """Tell by its name whether a value is secret, and by its look whether it is a value at all."""
    parts = [part.casefold() for part in _NAME_PART.findall(name)]
    if not parts:
        return False
    tails = {"".join(parts[-n:]) for n in (1, 2, 3)}
    compound = len(parts) > 1 or name.isupper()
    if _is_cut_short(name, parts, value, sign):
        return len(value) >= 3 and not is_talk(value)
    if tails & _PASSWORDS:
        return len(value) >= 3 and not is_talk(value) and (compound or sign != ":" or _sure(value))
    if tails & _SECRETS:
        return len(value) >= 4 and (_sure(value) or (compound and sign != ":" and " " not in value))
    if tails & _TOKENS:
        return _sure(value) or (len(value) >= 16 and looks_made_up(value) and " " not in value)
    named_key = parts[-1] == "key" and not set(parts) & _OTHER_KEYS
    return named_key and looks_like_key(value, 12) and " " not in value


def _is_cut_short(name: str, parts: list[str], value: str, sign: str) -> bool:
    """Tell whether a name ends in "password" cut short (`DB_PASS`), not in a passage or compass."""
    last = parts[-1]
    short = next((each for each in _CUT_SHORT if last.endswith(each)), None)
    if short is None:
        return False
    owner = last.removesuffix(short) or "".join(parts[-2:-1])
    if owner in _ACCOUNTS - _PASSAGES:
        return True
    if last != short or owner in _PASSAGES:
        return False
    if sign != ":":
        return short == "pass" and (bool(owner) or name.isupper())
    is_name = "_" in name and (name.isupper() or looks_made_up(value))
    return is_name and " " not in value and not _COUNT.fullmatch(value)


def _sure(value: str) -> bool:
    """Tell whether a value can only be a key or password; ids of sessions and jobs are UUIDs."""
    if " " in value or _UUID.fullmatch(value):
        return False
    return looks_like_key(value) or is_random(value)


_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


# --- places -------------------------------------------------------------------------------------

_QUOTE = r"\\?[\"']?"
_PLACES = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        (
            "Bearer Token",
            r"\b(?:bearer|basic|token|ssws|apikey|key)\s{1,3}(?=[a-z._~+/=-]{0,60}\d)"
            r"(?P<value>[a-z0-9._~+/=-]{16,})",
        ),
        (
            "Authorization",
            rf"\b(?:proxy-)?authorization{_QUOTE}\s{{0,3}}[:=]\s{{0,3}}{_QUOTE}"
            r"(?:(?:basic|bearer|token|digest|negotiate|ssws|apikey|aws4-hmac-sha256)\s{1,3})?"
            r"(?P<value>[^\s'\"\\,]{6,})",
        ),
        (
            "Secret Header",
            rf"\b(?:x-[\w-]{{0,40}}(?:key|token|secret|auth|signature|password)|ocp-apim-subscription-key|"
            rf"private-token|api-key|apikey){_QUOTE}\s{{0,3}}:\s{{0,3}}{_QUOTE}"
            r"(?P<value>[^\s'\"\\,]{6,})",
        ),
        (
            "Cookie",
            rf"\b(?:set-)?cookie{_QUOTE}\s{{0,3}}:\s{{0,3}}{_QUOTE}"
            r"(?P<value>[^\s=;'\"\\]{1,80}=[^\n'\"\\]{2,4000})",
        ),
        (
            "Session Cookie",
            r"\b(?:PHPSESSID|JSESSIONID|ASP\.NET_SessionId|connect\.sid|sessionid|session_id|sid|"
            r"csrftoken|_session|auth_token)=(?P<value>(?=[^\s;&'\"\\]{0,60}\d)[^\s;&'\"\\]{10,})",
        ),
        (
            "URL Credentials",
            r"[a-z][a-z0-9+.-]{1,20}://[^\s/:@?#'\"<>\\]{0,100}:"
            r"(?P<value>(?!\d{1,5}/)[^\s'\"<>\\]{1,200})@(?=[\w\[.-])",
        ),
        (
            "URL Credentials",
            r"[a-z][a-z0-9+.-]{1,20}://(?P<value>[\w.~-]{20,200})(?::x-oauth-basic)?@(?=[\w\[.-])",
        ),
        (
            "URL Parameter",
            r"[?&;](?:[a-z]{0,12}[_-]?token|api_?key|key|sig|signature|secret|password|passwd|pwd|auth|"
            r"client_secret|code|x-amz-(?:signature|credential|security-token)|awsaccesskeyid|jwt)="
            r"(?P<value>[^\s&#'\"<>\\]{6,})",
        ),
        (
            "Connection String",
            r";\s{0,2}(?:password|pwd|accountkey|sharedaccesskey|sharedsecretkey|accesskey)\s{0,2}=\s{0,2}"
            r"(?P<value>[^;\"'\n\\]{2,400})",
        ),
        (
            "Login of a Command",
            r"\b(?:curl|wget|https?|xh|ab|svn|smbclient)\b[^\n]{0,400}?\s"
            r"(?:-u|-U|-a|--user|--auth|--proxy-user)[\s=]{0,2}['\"]?[^\s:'\"=/]{1,64}[:%](?P<value>[^\s'\"]{2,200})",
        ),
        (
            "Password Option",
            r"(?<![\w-])--(?:[a-z]{1,16}-)?(?:pass(?:word|wd|phrase)?|pwd|secret|api-?key|token)(?:=|\s{1,3})"
            r"(?P<value>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|(?!-)[^\s'\"]{3,200})",
        ),
        (
            "Password Option",
            r"\b(?:mysql\w{0,10}|mariadb\w{0,10})\b[^\n]{0,200}?\s-p(?P<value>[^\s'\"]{3,100})",
        ),
        (
            "Password Option",
            r"\b(?:sshpass|docker\s+login|podman\s+login|redis-cli|ldap\w{3,8}|az\s+login)\b[^\n]{0,200}?\s"
            r"-[paw]\s{0,3}['\"]?(?P<value>[^\s'\"-][^\s'\"]{2,100})",
        ),
        (
            "Piped Password",
            r"\becho\s+(?:-n\s+)?['\"]?(?P<value>[^\s'\"|]{3,100})['\"]?\s*\|\s*(?:sudo\s+-S|passwd|docker\s+login)",
        ),
        (
            "Network Login",
            r"\blogin\s+\S{1,100}\s+password\s+(?P<value>\S{1,200})",
        ),
        (
            "Network Login",
            r"(?<![\w.:*-])[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,60}:[\w*-]{1,60}:(?P<value>[^\s:]{3,200})(?!\S)",
        ),
        (
            "Database Password",
            r"\b(?:identified\s+by|with\s+(?:encrypted\s+)?password)\s+'(?P<value>[^'\n]{1,200})'",
        ),
        (
            "Password Element",
            r"<(?:\w{1,20}:)?(?:\w{0,20}password|passphrase|secret|api-?key|\w{0,20}token)>(?P<value>[^<\n]{3,400})</",
        ),
        (
            "Hardware Key",
            r"(?<=secret_access_key)\s{0,3}[=:]\s{0,3}['\"]?(?P<value>[A-Za-z0-9/+]{40})",
        ),
    )
)
_BASIC = re.compile(r"\bbasic\s{1,3}([A-Za-z0-9+/]{8,2000}={0,2})", re.IGNORECASE)


def _is_pair(encoded: str) -> bool:
    """Tell whether base64 holds `user:password`."""
    try:
        plain = base64.b64decode(encoded + "=" * (-len(encoded) % 4)).decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        return False
    return ":" in plain and plain.isprintable()
