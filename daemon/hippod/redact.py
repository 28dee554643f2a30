"""What must never leave a transcript: secrets, private spans and our own memory blocks.

Every pattern here is anchored or bounded, so the time is linear in the length of the text.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
from detect_secrets.plugins.base import RegexBasedDetector
from detect_secrets.plugins.cloudant import CloudantDetector
from detect_secrets.plugins.discord import DiscordBotTokenDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.ibm_cloud_iam import IbmCloudIamDetector
from detect_secrets.plugins.ibm_cos_hmac import IbmCosHmacDetector
from detect_secrets.plugins.mailchimp import MailchimpDetector
from detect_secrets.plugins.openai import OpenAIDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.softlayer import SoftlayerDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.stripe import StripeDetector
from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector
from detect_secrets.plugins.twilio import TwilioKeyDetector

from hippod.language import word_set

REDACTED = "[REDACTED]"

_PIECE = 1024
"""Characters that a detect-secrets pattern sees at once: some of them are quadratic."""

# The keyword, entropy, basic-auth, private-key and JWT plugins are replaced below: they find
# only quoted values, only the first line of a key block, or only a part of the token.
# Artifactory's and the public-IP plugin fire on ordinary words and addresses.
_PLUGINS: tuple[type[RegexBasedDetector], ...] = (
    AWSKeyDetector, AzureStorageKeyDetector, CloudantDetector, DiscordBotTokenDetector,
    GitHubTokenDetector, GitLabTokenDetector, IbmCloudIamDetector, IbmCosHmacDetector,
    MailchimpDetector, OpenAIDetector, PypiTokenDetector, SendGridDetector, SlackDetector,
    SoftlayerDetector, SquareOAuthDetector, StripeDetector, TelegramBotTokenDetector,
    TwilioKeyDetector,
)  # fmt: skip
_DETECTORS = tuple(
    (str(plugin.secret_type), tuple(plugin.denylist)) for plugin in (cls() for cls in _PLUGINS)
)

_EDGE = r"(?<![A-Za-z0-9_])"
_SHAPES = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        (
            "Private Key",
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:[^-]|-(?!----END))*(?:-----END [A-Z0-9 ]{0,40}-----|-*\Z)",
        ),
        ("PuTTY Key", r"PuTTY-User-Key-File-\d+:(?s:.{0,8000})"),
        ("Anthropic Key", _EDGE + r"sk-ant-[A-Za-z0-9_-]{12,}"),
        ("API Key", _EDGE + r"sk-(?:[a-z]{2,10}[-_])?(?=[A-Za-z_-]{0,40}\d)[A-Za-z0-9_-]{16,}"),
        ("GitHub Token", _EDGE + r"(?:gh[opusr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})"),
        ("GitLab Token", _EDGE + r"gl[a-z]{2,8}-[A-Za-z0-9_-]{16,}"),
        ("Slack Token", _EDGE + r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}"),
        ("Slack App Token", _EDGE + r"xapp-[A-Za-z0-9-]{10,}"),
        (
            "Webhook",
            r"https://(?:hooks\.slack\.com/(?:services|workflows)|"
            r"discord(?:app)?\.com/api/webhooks)/[A-Za-z0-9_/-]{8,}",
        ),
        ("AWS Access Key", _EDGE + r"(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
        ("Google Key", _EDGE + r"AIza[A-Za-z0-9_-]{30,}"),
        ("Google OAuth", _EDGE + r"(?:ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,})"),
        ("Stripe Key", _EDGE + r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}"),
        ("Webhook Secret", _EDGE + r"whsec_[A-Za-z0-9+/=]{16,}"),
        ("npm Token", _EDGE + r"npm_[A-Za-z0-9]{20,}"),
        ("PyPI Token", _EDGE + r"pypi-[A-Za-z0-9_-]{16,}"),
        ("Hugging Face Token", _EDGE + r"(?:hf|api_org)_[A-Za-z0-9]{20,}"),
        ("Telegram Token", _EDGE + r"\d{8,10}:[A-Za-z0-9_-]{32,}"),
        ("SendGrid Key", _EDGE + r"SG\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
        ("DigitalOcean Token", _EDGE + r"do[opr]_v1_[a-f0-9]{40,}"),
        ("Vault Token", _EDGE + r"hv[sbr]\.[A-Za-z0-9_-]{20,}"),
        ("Linear Key", _EDGE + r"lin_(?:api|oauth)_[A-Za-z0-9]{20,}"),
        ("Notion Key", _EDGE + r"(?:secret|ntn)_[A-Za-z0-9]{30,}"),
        ("xAI Key", _EDGE + r"(?:xai|gsk|pplx|fw|r8|tvly|nvapi)[-_][A-Za-z0-9_-]{20,}"),
        ("Age Key", r"AGE-SECRET-KEY-1[A-Z0-9]{20,}"),
        ("JSON Web Token", _EDGE + r"eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{4,}){1,4}"),
        (
            "AWS Secret",
            r"(?i)(?<=secret_access_key)\s{0,3}[=:]\s{0,3}['\"]?[A-Za-z0-9/+]{40}['\"]?",
        ),
    )
)

_GROUP_SHAPES = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("Bearer Token",
            r"\b(?:bearer|basic|token)\s{1,3}(?=[a-z._~+/=-]{0,60}\d)([a-z0-9._~+/=-]{16,})"),
        ("Authorization",
            r"\bauthorization['\"]?\s{0,3}[:=]\s{0,3}['\"]?(?:\w{3,12}\s)?([^\s'\"]{6,})"),
        ("URL Credentials",
            r"[a-z][a-z0-9+.-]{1,20}://[^\s/:@?#'\"<>]{0,100}:([^\s/@'\"<>]{1,200})@"),
        (
            "URL Parameter",
            r"[?&;](?:access_?token|token|api_?key|key|apikey|sig|signature|secret|password|pwd|"
            r"auth|"
            r"client_secret|code)=([^\s&#'\"<>]{6,})",
        ),
    )
)  # fmt: skip

_PASSWORD_WORDS = (
    r"pass(?:word|wd|code|phrase)?s?|pwd|pw|passphrase|master\s?key|recovery\s(?:key|phrase|"
    r"code)|seed\sphrase|passwort|passwörter|kennwort|losungswort|zugangs(?:code|wort|schlüssel)|"
    r"(?:wlan|wifi|wi-fi|netzwerk)[\s-]?(?:schlüssel|kennwort|passwort|passphrase|code|key|clave)|"
    r"\w{2,20}(?:passwort|kennwort)|contraseñas?|contrasenas?|clave|"
    r"mot\sde\spasse|mdp|clé\s(?:du\s)?wi-?fi|code\swi-?fi|senhas?|palavra-passe|wachtwoord|lösenord|hasło|密码|密碼|口令|"
    r"パスワード|暗証番号|пароль|비밀번호"
)
_NO_PASSWORD = (
    r"\w{0,6}[\s-]{0,2}(?:managers?|safe|vault|store|polic(?:y|ies)|rules?|length|fields?|hints?|verwaltung|"
    r"tresor|richtlinien?|manager|管理|マネージャー)"
)
_KEY_WORDS = (
    r"(?:api|secret|access|private|auth|service|account|client|encryption|signing|license|"
    r"deploy|openai|anthropic|stripe|aws)[\s_-]?(?:key|token|secret)s?|api[\s_-]?schlüssel|"
    r"clave\s(?:de\s)?api|clé\s(?:d['’])?api|chave\s(?:de\s|da\s)?api|token|secret|credentials?|"
    r"密钥|密鑰|令牌|トークン|apiキー|秘密鍵"
)
_FEW_WORDS = r"(?:[^\W\d_][\w'’./-]{0,20}\s{1,2}){0,6}?"
_FEW_SIGNS = r"[的の]?[^\s\d，。、:：是为はが]{0,10}?"
"""What may stand between a password word and its verb: "for the router in the hall"."""
_IS = (
    r"(?:['\"`]\s{0,2})?(?:=>|:=|==?|：|:|→|->|\bis\s?now\b|\bis\b|\bwas\b|"
    r"\b(?:lautet|ist|heißt|war|es|era|est|était|é|foi|está)\b|是|为|為|は|が)"
)
_LINK = rf"\s{{0,3}}(?:[a-z0-9_ ]{{0,24}}?\s{{0,2}}|{_FEW_WORDS}|{_FEW_SIGNS})?{_IS}"
_VALUE = (
    r"\s{0,3}(?P<value>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|`[^`\n]{1,200}`|“[^”\n]{1,200}”|"
    r"「[^」\n]{1,200}」|[^\s，。、；「」“”]{1,200})"
)
_ASSIGNED = re.compile(
    rf"(?:(?<![a-z])|(?=[密口パ暗비]))(?:(?P<password>(?:\w{{1,30}}_)?(?:{_PASSWORD_WORDS})"
    rf"(?!{_NO_PASSWORD}))|"
    rf"(?P<key>(?:\w{{1,30}}_)?(?:{_KEY_WORDS})))"
    rf"(?P<link>{_LINK}){_VALUE}",
    re.IGNORECASE,
)
_PHRASE = re.compile(
    r"\b(?:pass\s?phrase|seed\s(?:phrase|words?)|recovery\sphrase|mnemonic)\s{0,3}"
    rf"{_FEW_WORDS}(?:is|was|are|=|:|lautet|ist):?"
    r"\s{0,3}([^\n.!?;,]{4,300})",
    re.IGNORECASE,
)
_PIN_WORDS = (
    r"pins?|pin[\s-]?(?:codes?|numbers?|nummern?)|cvv|cvc|otp|2fa\scode|"
    r"(?:door|gate|entry|access|alarm|lock|safe|unlock|security)[\s-]?codes?|"
    r"geheim(?:zahl|nummer|code)|(?:tür|tor|alarm|schloss|tresor|safe|zugangs|sicherheits|eingangs)-?codes?|"
    r"(?:código|codigo)(?:\s(?:de\s(?:acceso|acesso|entrada|seguridad|segurança)|de\s(?:la|mi)\s(?:casa|puerta|alarma)|pin|"
    r"del\s(?:portal|portón)|d[ao]\s(?:porta|portão|alarme|cofre)))|"
    r"code\s(?:pin|secret|confidentiel|d['’](?:entrée|accès)|d[ue]\s(?:la\s|l['’])?(?:porte|portail|alarme|"
    r"coffre|immeuble))|digicode|pin码|门禁(?:密码|码)?|密码|密碼|口令|暗証番号|パスコード|ピンコード"
)
_PIN = re.compile(
    rf"(?:(?<![a-z])|(?=[密口门暗パピ]))(?:{_PIN_WORDS})(?:\s{{0,3}}(?:{_FEW_WORDS}|{_FEW_SIGNS}){_IS}\s{{0,3}}[\"'`“]?(\d{{3,8}})(?![\w.:]?\d|[a-z%])|\s(\d{{4,8}})(?!\w))",
    re.IGNORECASE,
)
_CARD = re.compile(r"(?<![\d.-])\d(?:[ -]?\d){12,18}(?![\d.-]?\d)")
_TOKEN = re.compile(r"(?<![A-Za-z0-9_+/=-])[A-Za-z0-9_+/=-]{20,}")
_HEX = re.compile(r"[0-9a-fA-F-]+")
_DIGEST_PREFIX = re.compile(r"sha(?:1|256|384|512)[-:]$|md5[-:]$", re.IGNORECASE)

# Words that say something about a password instead of being one.
_PASSWORD_TALK = word_set(
    """
    a an the in on at not no too now here there same this that it its very still only always
    never weak strong wrong right correct incorrect invalid valid expired required missing
    empty blank secret safe secure stored saved changed reset set known unknown long short ok
    okay fine good bad private shared new old default case my your our his her their mine yours
    what which where how part being needed necessary mandatory optional hashed encrypted kept
    hidden protected exposed leaked compromised managed rotated updated generated stale for
    from with by to and or because falsch richtig korrekt sicher schwach stark abgelaufen nötig
    gespeichert im in der die das ein eine nicht zu hier neu alt sehr geändert auf incorrecta
    correcta segura débil larga corta la el en un una no muy aquí nueva vieja guardada caducada
    sur dans le la les un une pas trop faible fort incorrect expiré enregistré ici nouveau a o
    na no em um uma não muito fraca forte errada certa salva aqui nova expirada
    """
)


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets; `found` names the kinds that were there, sorted."""

    text: str
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Secret:
    start: int
    end: int
    name: str


def redact(text: str) -> Redacted:
    """Replace every secret by `[REDACTED]`. Any text is safe; git hashes and UUIDs are kept."""
    secrets = sorted(_secrets(text), key=lambda secret: (secret.start, -secret.end))
    parts: list[str] = []
    done = 0
    for secret in secrets:
        if secret.end <= done:
            continue
        if secret.start >= done:
            parts += [text[done : secret.start], REDACTED]
        done = secret.end
    parts.append(text[done:])
    return Redacted("".join(parts), tuple(sorted({secret.name for secret in secrets})))


_PRIVATE = re.compile(r"<[ \t]{0,9}private\b[^<>]{0,200}>", re.IGNORECASE)
_PRIVATE_END = re.compile(r"<[ \t]{0,9}/[ \t]{0,9}private\b[^<>]{0,200}>", re.IGNORECASE)
_MEMORY = re.compile(r"<\s{0,9}hippod-memory\b[^<>]{0,200}>", re.IGNORECASE)
_MEMORY_END = re.compile(r"<\s{0,9}/\s{0,9}hippod-memory\s{0,9}>", re.IGNORECASE)


def strip_private(text: str) -> str:
    """Cut every `<private>…</private>` span; an unclosed one goes to the end."""
    return _cut(text, _PRIVATE, _PRIVATE_END)


def strip_memory(text: str) -> str:
    """Cut every `<hippod-memory>…</hippod-memory>` block; an unclosed one goes to the end."""
    return _cut(text, _MEMORY, _MEMORY_END)


def wrap_memory(text: str) -> str:
    """Wrap what we give to an agent, so that `strip_memory` removes it whole.

    Tags of the wrapper inside `text` are escaped: nothing in it can open or close a block.
    """
    inner = re.sub(r"<(?=\s{0,9}/?\s{0,9}hippod-memory)", "&lt;", text, flags=re.IGNORECASE)
    return f"<hippod-memory>\n{inner}\n</hippod-memory>"


def _cut(text: str, opener: re.Pattern[str], closer: re.Pattern[str]) -> str:
    kept: list[str] = []
    position = 0
    while start := opener.search(text, position):
        kept.append(text[position : start.start()])
        depth, position = 1, start.end()
        while depth:
            end = closer.search(text, position)
            if end is None:
                return "".join(kept)
            depth += len(opener.findall(text, position, end.start())) - 1
            position = end.end()
    kept.append(text[position:])
    return "".join(kept)


def _secrets(text: str) -> Iterator[_Secret]:
    for name, pattern in _SHAPES:
        yield from (_Secret(*match.span(), name) for match in pattern.finditer(text))
    for name, pattern in _GROUP_SHAPES:
        yield from (
            _Secret(*match.span(1), name)
            for match in pattern.finditer(text)
            if match[1] != REDACTED
        )
    yield from _plugin_secrets(text)
    yield from _assigned(text)
    yield from (_Secret(*match.span(1), "Passphrase") for match in _PHRASE.finditer(text))
    yield from (_Secret(*match.span(match.lastindex or 1), "PIN") for match in _PIN.finditer(text))
    yield from _matching(text, _CARD, "Card Number", _passes_luhn)
    yield from _high_entropy(text)


def _plugin_secrets(text: str) -> Iterator[_Secret]:
    for start, piece in _pieces(text):
        for name, patterns in _DETECTORS:
            for pattern in patterns:
                for match in pattern.finditer(piece):
                    yield _Secret(start + match.start(), start + match.end(), name)


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Cut a text at line ends or spaces into overlapping pieces of bounded length."""
    position = 0
    for line in text.splitlines(keepends=True):
        for start in range(0, len(line), _PIECE // 2):
            yield position + start, line[start : start + _PIECE]
            if start + _PIECE >= len(line):
                break
        position += len(line)


def _assigned(text: str) -> Iterator[_Secret]:
    position = 0
    while match := _ASSIGNED.search(text, position):
        start, end = match.span("value")
        value = match["value"].rstrip(".,;:!?)”’")
        said = any(char in match["link"] for char in "=:：→>")
        if match["password"] is not None:
            secret = _is_password(value, text[start + len(value) :], assigned=said)
        else:
            secret = _is_key(value)
        if secret and REDACTED not in match["value"]:
            trimmed = end if value[-1:] in "\"'`" else _end_of(match["value"], start)
            yield _Secret(start, trimmed, "Password" if match["password"] else "Key")
            position = end
        else:
            position = match.start("link") + 1


def _end_of(value: str, start: int) -> int:
    """Keep a full stop or comma behind the value, but no `!`: it may belong to the password."""
    return start + len(value.rstrip(".,;:?)”’"))


def _is_password(value: str, rest: str, *, assigned: bool) -> bool:
    if len(value) < 3:
        return False
    if value[0] in "\"'`“「" or _looks_made_up(value):
        return True
    if value.casefold() in _PASSWORD_TALK or value.startswith(("<", "$", "{", "[")):
        return False
    ends_clause = not rest.strip() or rest.lstrip()[0] in ".,;!?)\n，。！" or "\n" in rest[:2]
    return assigned or (ends_clause and not value.casefold().endswith(("ed", "able")))


def _is_key(value: str) -> bool:
    bare = value.strip("\"'`“”「」")
    return len(bare) >= 8 and any(map(str.isdigit, bare)) and any(map(str.isalpha, bare)) and (
        len(bare) >= 16 or _looks_made_up(bare)
    )  # fmt: skip


def _looks_made_up(value: str) -> bool:
    """Tell a password from a word: digits in letters, inner symbols or inner capitals."""
    inner = value.strip("\"'`“”「」.,;:!?()")
    has_letter = any(map(str.isalpha, inner))
    mixed = has_letter and any(map(str.isdigit, inner))
    symbols = bool(re.search(r"[^\w\s.'’/-]", inner)) and len(inner) >= 5
    capitals = inner.isalpha() and bool(re.search(r"[a-z][A-Z]", inner))
    digits = inner.isdigit() and len(inner) >= 4
    return mixed or symbols or capitals or digits


def _matching(
    text: str, pattern: re.Pattern[str], name: str, test: Callable[[str], bool]
) -> Iterator[_Secret]:
    for match in pattern.finditer(text):
        if test(match[0]):
            yield _Secret(*match.span(), name)


def _passes_luhn(number: str) -> bool:
    digits = [int(char) for char in number if char in "0123456789"]
    doubled = [sum(divmod(digit * 2, 10)) for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _high_entropy(text: str) -> Iterator[_Secret]:
    for match in _TOKEN.finditer(text):
        if _DIGEST_PREFIX.search(match[0][:7]) or _DIGEST_PREFIX.search(
            text[max(0, match.start() - 8) : match.start()]
        ):
            continue
        if _is_random(match[0].strip("=-_/+")):
            yield _Secret(*match.span(), "High Entropy Token")
            continue
        start = match.start()
        for segment in match[0].split("/"):
            if len(segment) >= 20 and _is_random(segment):
                yield _Secret(start, start + len(segment), "High Entropy Token")
            start += len(segment) + 1


def _is_random(token: str) -> bool:
    """Tell a generated token from an identifier, path, hash, UUID or word."""
    if len(token) < 20 or _HEX.fullmatch(token) or not re.search(r"\d", token):
        return False
    if re.search(r"[a-z]{7}|[A-Z]{8}|[A-Z]?[a-z]{4,}[-_/][A-Z]?[a-z]{3,}|\d{9}", token):
        return False
    classes = sum(bool(re.search(kind, token)) for kind in ("[a-z]", "[A-Z]", r"\d"))
    changes = len(re.findall(r"(?<=\d)[A-Za-z]|(?<=[A-Za-z])\d", token))
    if classes == 3:
        return changes >= 3 and _entropy(token) >= 3.5
    return token.isalnum() and changes >= 6 and _entropy(token) >= 3.3


def _entropy(token: str) -> float:
    counts = Counter(token).values()
    return -sum(n / len(token) * math.log2(n / len(token)) for n in counts)
