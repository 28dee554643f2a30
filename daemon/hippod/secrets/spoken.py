"""What people call a password, a PIN or a login in prose, in seven languages."""

import re
from collections.abc import Iterator

from hippod.language import guess, is_function_word
from hippod.secrets.span import Span
from hippod.secrets.values import QUOTES, is_placeholder, is_talk, looks_like_key, looks_made_up


def find(text: str) -> Iterator[Span]:
    """Yield what is said to be a secret, without the words that say so."""
    yield from _named(text)
    yield from _phrases(text)
    yield from (Span(*match.span(match.lastindex or 1), "PIN") for match in _PIN.finditer(text))
    yield from _logins(text)
    yield from (Span(*match.span(1), "Recovery Codes") for match in _CODES.finditer(text))
    yield from _adjacent(text)
    yield from _everyday(text)


# --- words --------------------------------------------------------------------------------------

PASSWORD_WORDS = (
    r"pass(?:word|wd|code|phrase)s?|pwd|pw|master\s?key|recovery\s(?:key|phrase|"
    r"code)|seed\sphrase|passwort|passwörter|kennwort|losungswort|zugangs(?:code|wort|schlüssel)|"
    r"(?:wlan|wifi|wi-fi|netzwerk)[\s-]?(?:schlüssel|kennwort|passwort|passphrase|code|key|clave)|"
    r"\w{2,20}(?:passwort|kennwort|passphrase)|contraseñas?|contrasenas?|clave\s(?:del?|de\sla)\s(?:wi-?fi|router|red|correo|cuenta|"
    r"ordenador|portátil|móvil|banco)|frase\s(?:de\s)?(?:paso|acceso)|"
    r"mot\sde\spasse|mdp|phrase\s(?:de\spasse|secrète)|clé\s(?:du\s)?wi-?fi|code\swi-?fi|senhas?|palavra-passe|"
    r"frase\ssecreta|wachtwoord|lösenord|hasło|密码|密碼|口令|密语|"
    r"パスワード|パスフレーズ|暗証番号|合言葉|пароль|비밀번호"
)
NO_PASSWORD = (
    r"\w{0,6}[\s-]{0,2}(?:managers?|safe|vault|store|polic(?:y|ies)|rules?|length|fields?|hints?|prompts?|verwaltung|"
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
    r"(?:['\"`]\s{0,2})?(?:=>|:=|==?|：|:|→|->|\bis\s?now\b|\bis\b|\bwas\b|\bequals\b|\breads\b|"
    r"\b(?:lautet|ist|heißt|war|es|era|est|était|é|foi|está)\b|是|为|為|は|が)"
)
_LINK = rf"\s{{0,3}}(?:[a-z0-9_ ]{{0,24}}?\s{{0,2}}|{_FEW_WORDS}|{_FEW_SIGNS})?{_IS}"
_VALUE = (
    r"\s{0,3}(?P<value>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|`[^`\n]{1,200}`|“[^”\n]{1,200}”|"
    r"«[^»\n]{1,200}»|„[^“”\n]{1,200}[“”]|「[^」\n]{1,200}」|[^\s，。、；「」“”]{1,200})"
)
_NAMED = re.compile(
    rf"(?:(?<![a-z])|(?=[密口パ暗비合]))(?:(?P<password>(?:\w{{1,30}}_)?(?:{PASSWORD_WORDS})"
    rf"(?!{NO_PASSWORD}))|(?P<unsure>\bpass\b|\bclave\b)|"
    rf"(?P<key>(?:\w{{1,30}}_)?(?:{_KEY_WORDS})(?![a-z])))"
    rf"(?P<link>{_LINK}){_VALUE}",
    re.IGNORECASE,
)


# --- "the password for … is …" ------------------------------------------------------------------


def _named(text: str) -> Iterator[Span]:
    position = 0
    while match := _NAMED.search(text, position):
        start, end = match.span("value")
        value = match["value"]
        if match["password"] is not None:
            assigned = any(char in match["link"] for char in "=:：→>")
            secret = _end_of_password(text, start, value, assigned=assigned)
        else:
            fits = looks_like_key(value) if match["key"] else is_quoted(value) or _is_made(value)
            secret = _end_of(value, start) if fits else None
        if secret is not None and "[REDACTED]" not in text[start:secret]:
            yield Span(start, secret, "Key" if match["key"] else "Password")
            position = max(end, secret)
        else:
            position = match.start("link") + 1


def _end_of(value: str, start: int) -> int:
    """Keep a full stop or comma behind the value, but no `!`: it may belong to the password."""
    return start + len(value.rstrip(".,;:?)”’"))


def _end_of_password(text: str, start: int, value: str, *, assigned: bool) -> int | None:
    """Return where the password that is named at `start` ends, None if only talk stands there."""
    if is_quoted(value):
        return start + len(value)
    if is_placeholder(value):
        return None
    if _is_made(value):
        return _end_of(value, start)
    bare = value.rstrip(_STOPS)
    clause = _CLAUSE.match(text, start)
    words = list(_WORD.finditer(clause[0])) if clause else []
    if _is_phrase([word[0] for word in words], text, assigned=assigned):
        return start + words[-1].end()
    if len(bare) < 3 or is_talk(bare):
        return None
    alone = len(words) <= 1 or _is_join(words[1][0])
    if alone and (assigned or not _PARTICIPLE.search(bare)):
        return _end_of(value, start)
    return _end_of(value, start) if assigned else None


def is_quoted(value: str) -> bool:
    """Tell whether a value stands in quotes."""
    return len(value) > 2 and value[0] in QUOTES and value[-1] in QUOTES


def _is_made(value: str) -> bool:
    bare = value.rstrip(_STOPS)
    return len(bare) >= 3 and looks_made_up(bare) and not is_placeholder(bare)


_STOPS = ".,;:!?)”’"
_CLAUSE = re.compile(r"[^.!?;,\n()\"“”。！？，、；]{1,300}")
_WORD = re.compile(r"\S+")
_PARTICIPLE = re.compile(r"(?:ed|able|ible)$", re.IGNORECASE)
_JOINS = re.compile(
    r"(?:and|but|so|or|for|on|at|in|if|since|because|which|that|und|aber|für|auf|y|pero|para|en|et|mais|"
    r"pour|sur|e|mas|no|na|です|だ|で|和|还有)$",
    re.IGNORECASE,
)


def _is_join(word: str) -> bool:
    return _JOINS.match(word) is not None


def _is_phrase(words: list[str], text: str, *, assigned: bool) -> bool:
    """Tell a passphrase of several words from a sentence about one.

    It strings content words together: "is correct horse battery staple", not "is in the safe".
    """
    count = len(words)
    if not 2 <= count <= 24 or (count == 2 and any(map(is_talk, words))):
        return False
    languages = {"en", guess(" ".join(words), default=guess(text[:400]))}
    said = sum(is_talk(word) for word in words[:1]) + sum(
        is_talk(word) or any(is_function_word(word, each) for each in languages)
        for word in words[1:]
    )
    if said == 0:
        return count > 2 or assigned or not words[0][0].isupper()
    return count >= 4 and (said == 1 or assigned) and said * 3 <= count and not _places(words)


def _places(words: list[str]) -> bool:
    return any(_PLACE.match(word) for word in words)


_PLACE = re.compile(
    r"(?:vault|safe|tresor|manager|1password|bitwarden|keepass\w*|keychain|drawer|note|wiki|sticker|"
    r"caja|coffre|cofre|schublade|cajón|tiroir|gaveta|ask|see|frag\w*|siehe|pregunta\w*|demande\w*)",
    re.IGNORECASE,
)


def _phrases(text: str) -> Iterator[Span]:
    """Yield what stands behind "seed phrase:" and the like, but not where it is kept."""
    for match in _PHRASE.finditer(text):
        words = match[1].split()
        begins_loosely = is_function_word(words[0], "en") if words else True
        if not _places(words) and not (begins_loosely and len(words) < 4):
            yield Span(*match.span(1), "Passphrase")


_PHRASE = re.compile(
    r"\b(?:pass[\s-]?phrase|seed[\s-]?(?:phrase|words?)|recovery[\s-]?phrase|wiederherstellungsphrase|mnemonic|"
    r"frase\s(?:semilla|de\srecuperación|de\srecuperação)|phrase\sde\srécupération)\s{0,3}"
    rf"{_FEW_WORDS}(?:is|was|are|=|:|：|lautet|ist|es|est|é):?"
    r"\s{0,3}([^\s.!?;,][^\n.!?;,]{3,300})",
    re.IGNORECASE,
)


def _adjacent(text: str) -> Iterator[Span]:
    """Yield "the password hunter2x", "changed the password from … to …"."""
    for match in _ADJACENT.finditer(text):
        for name in ("first", "second"):
            value = match[name]
            if value and (is_quoted(value) or (_is_made(value) and len(value) >= 6)):
                yield Span(*match.span(name), "Password")


_ADJACENT = re.compile(
    r"(?:passwords?|passwd|pwd|pw|passwort|kennwort|contraseña|mot\sde\spasse|mdp|senha|密码|密碼|パスワード)"
    rf"(?!{NO_PASSWORD})(?:\s{{1,2}}|(?<=[码碼ド])[为を从]?)"
    r"(?:(?:to|from|auf|von|in|a|de|à|en|para|por|改成|改为|を)\s{1,2})?"
    r"(?P<first>[\"“„«「][^\"“”„«»「」\n]{3,80}[\"”“»」]|[!-~]{6,100}?)(?=[.,;:!?)]?(?:\s|$|[^\x00-\x7f]))"
    r"(?:\s{1,2}(?:to|auf|a|à|en|para|を|zu)\s{1,2}(?P<second>[!-~]{6,100}))?",
    re.IGNORECASE,
)


# --- PINs, logins, recovery codes ---------------------------------------------------------------

PIN_WORDS = (
    r"pins?|pin[\s-]?(?:codes?|numbers?|nummern?)|cvv|cvc|otp|2fa\scode|"
    r"(?:verification|one-?time|confirmation|login)\scode|bestätigungscode|einmalcode|"
    r"(?:door|gate|entry|access|alarm|lock|safe|unlock|security)[\s-]?codes?|"
    r"geheim(?:zahl|nummer|code)|(?:tür|tor|alarm|schloss|tresor|safe|zugangs|sicherheits|eingangs)-?codes?|"
    r"(?:código|codigo)(?:\s(?:de\s(?:acceso|acesso|entrada|seguridad|segurança|verificación|verificação)|"
    r"de\s(?:la|mi)\s(?:casa|puerta|alarma)|pin|"
    r"del\s(?:portal|portón)|d[ao]\s(?:porta|portão|alarme|cofre)))|"
    r"code\s(?:pin|secret|confidentiel|de\svérification|d['’](?:entrée|accès)|d[ue]\s(?:la\s|l['’])?(?:porte|portail|alarme|"
    r"coffre|immeuble))|digicode|pin码|门禁(?:密码|码)?|验证码|密码|密碼|口令|暗証(?:番号)?|認証コード|確認コード|パスコード|ピンコード"
)
_PIN = re.compile(
    rf"(?:(?<![a-z])|(?=[密口门验暗認確パピ]))(?:{PIN_WORDS})(?:\s{{0,3}}(?:{_FEW_WORDS}|{_FEW_SIGNS}){_IS}\s{{0,3}}[\"'`“]?(\d{{3,8}})(?![\w.:]?\d|[a-z%])|\s(\d{{4,8}})(?!\w))",
    re.IGNORECASE,
)

_LOGIN_WORDS = (
    r"log\s?in(?:\s(?:with|as|is|name))?|sign\s?in\swith|user(?:\s?name)?|account|creds?|credentials|"
    r"benutzer(?:name)?|nutzer(?:name)?|zugangsdaten|anmeldedaten|anmeldung|usuario|credenciales|acceso|"
    r"utilisateur|identifiants?|accès|usuário|utilizador|credenciais|acesso|用户名?|账号|帳號|账户|登录|ユーザー名?|ログイン"
)
_SHORT_PASSWORD = (
    r"passwords?|passwd|pass|pwd|pw|passwort|kennwort|contraseña|clave|"
    r"mot\sde\spasse|mdp|senha|密码|密碼|パスワード"
)
_LOGIN = re.compile(
    rf"(?:(?<![^\W_])|(?=[用账帳登ユロ]))(?P<word>{_LOGIN_WORDS})(?![a-z0-9_-])\s{{0,2}}(?:{_IS})?\s{{0,3}}[\"'`]?"
    r"(?P<user>[\w.@+-]{1,64}?)[\"'`]?(?:"
    rf"[\s,;/|]{{1,3}}(?:(?:and|with|und|mit|y|con|et|avec|e|com|和)\s{{1,2}})?(?:(?:the|das|la|le|a)\s{{1,2}})?"
    rf"(?:{_SHORT_PASSWORD})(?![a-z])(?:\s{{0,2}}{_IS})?\s{{0,3}}|(?P<pair>\s{{0,2}}[/|:]\s{{0,2}}))"
    r"[\"'`]?(?P<value>(?!//)[^\s\"'`，。、]{2,100})",
    re.IGNORECASE,
)
_CODES = re.compile(
    r"\b(?:backup|recovery|wiederherstellungs|rescue)[\s-]?codes?\s{0,3}(?:is|are|sind|:|=){0,2}:?\s{0,3}"
    r"((?:[A-Za-z-]{0,12}\d[A-Za-z0-9-]{2,24}[\s,;]{0,3}){1,20})",
    re.IGNORECASE,
)


def _logins(text: str) -> Iterator[Span]:
    """Yield the password of "login admin / hunter22x", "user: bob pw bla" and the like."""
    for match in _LOGIN.finditer(text):
        value = match["value"].rstrip(".,;:?)")
        if is_talk(value) or is_placeholder(value) or len(value) < 3:
            continue
        named = match["pair"] is None
        sure = looks_made_up(value) or (named and _ends_clause(text, match.end("value")))
        listed = not named and match["word"].casefold() in _LISTED
        if sure or (listed and _ends_clause(text, match.end("value"))):
            yield Span(match.start("value"), match.start("value") + len(value), "Login")


_LISTED = (
    "creds",
    "cred",
    "credentials",
    "zugangsdaten",
    "credenciales",
    "identifiants",
    "credenciais",
)


def _ends_clause(text: str, end: int) -> bool:
    rest = text[end : end + 3].lstrip(" \t")
    return not rest or rest[0] in ".,;!?)\n，。！" or text[end - 1] in ".,;!?)"


# --- everyday wording -----------------------------------------------------------------------------


def names_secret(text: str) -> bool:
    """Tell whether a text speaks of a password, PIN, key or login, or has what could be one."""
    return bool(_LABELS.search(text)) or any(
        len(word) > 5 and is_mixed(word) for word in text.split()
    )


def _everyday(text: str) -> Iterator[Span]:
    """Yield what somebody "put" as a password, a login's second half, and digits said aloud."""
    for match in _PUT.finditer(text):
        value = _end_of(match["value"], 0)
        if is_mixed(match["value"][:value]):
            yield Span(match.start("value"), match.start("value") + value, "Password")
    for match in _SAID_ALOUD.finditer(text):
        yield Span(*match.span("value" if match["value"] else "bare"), "PIN")


def is_mixed(value: str) -> bool:
    """Tell letters mixed with digits or signs from a word, an address and the name of a product."""
    signs = re.search(r"[^\W_][#_!$&%+*=?^~]+[^\W_]", value)
    mixed = any(map(str.isalpha, value)) and (signs or any(map(str.isdigit, value)))
    talk = is_placeholder(value) or _places([value])
    return bool(mixed) and not talk and not _NO_SECRET.search(value)


_NO_SECRET = re.compile(
    r"://|\w@\w|\[REDACTED\]|^[A-Z]{1,4}-?\d{1,4}$|^v?\d+(?:[.:/]\d+)+\w*$|^\d+\w{1,3}$|\.\w{2,4}$"
)
_DIGIT = (
    r"(?:\d|zero|oh|one|two|three|four|five|six|seven|eight|nine|null|eins|zwo|zwei|drei|vier|fünf|"
    r"sechs|sieben|acht|neun|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|zéro|un|deux|trois|"
    r"quatre|cinq|sept|huit|neuf|um|dois|três|quatro|sete|oito|nove)"
)
_UNTIL = r"[^.!?\n。；;「」\"]{0,60}?"
_PUT_AS = (
    r"(?:(?<![^\W_])(?:is(?:\snow)?|to|and|ist(?:\sjetzt)?|lautet|auf|und|puse|puso|pusimos|pasó\sa|"
    r"cambié\sa|y|est|en|et|mis|devenue?|é|virou|ficou|(?:para|pra)|pus|e|now|jetzt|ahora|agora)\s{1,2}"
    r"|(?<=\s)/\s{1,2}|[をはが改为成是、:：]\s{0,2})"
)
_PUT = re.compile(
    rf"(?:(?<![^\W_])|(?=[密口パ]))(?:(?:{PASSWORD_WORDS}|pwd|pw|contra(?!\s(?:el|los?|las?)\b)|clave|mdp|"
    rf"パス(?!ポート|タ|ワード))(?![a-z])(?!{NO_PASSWORD}){_UNTIL}{_PUT_AS}|pass\s{{1,2}}|"
    rf"(?:log-?in|zugang|acceso|accès|acesso){_UNTIL}(?:\b(?:is|ist|es|est|é)\b|:)\s[\w.@+-]{{2,40}}\s"
    rf"(?:/|and|und|y|et|e|with|mit|con|avec|com)\s)"
    r"[\"'`“]?(?P<value>[!-~]{6,100})",
    re.IGNORECASE,
)
_SAID_ALOUD = re.compile(
    rf"(?:(?<![^\W_])|(?=[密口パ暗門门]))(?:{PIN_WORDS}|{PASSWORD_WORDS}|clave|contra|code|combination|"
    rf"combinación|combinaison|combinação|kombination)(?![a-z])(?:{_UNTIL}{_PUT_AS}"
    rf"(?P<value>{_DIGIT}(?:[-–\s]{{1,3}}{_DIGIT}){{2,7}})(?![\w]))"
    r"|(?:暗証(?:番号)?|パスコード)[、,]\s?(?P<bare>\d{3,8})(?=に|へ|って|です|だ|。|$)",
    re.IGNORECASE,
)
_LABELS = re.compile(
    rf"(?:(?<![^\W_])|(?=[密口パ暗門门令]))(?:{PIN_WORDS}|{PASSWORD_WORDS}|{_KEY_WORDS}|{_LOGIN_WORDS}|"
    rf"clave|contra|mdp|code|pass|pw|パス|combination|kombination)(?![a-z])",
    re.IGNORECASE,
)
