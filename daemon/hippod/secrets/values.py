"""What may be the value of a secret, and what only talks about one or stands in for it."""

import re

from hippod.language import word_set

QUOTES = "\"'`“”„「」«»"
_TALK = word_set(
    """
    a an the in on at not no too now here there same this that it its very still only always
    never weak strong wrong right correct incorrect invalid valid expired required missing
    empty blank secret safe secure stored saved changed reset set known unknown long short ok
    okay fine good bad private shared new old default case my your our his her their mine yours
    what which where how part being needed necessary mandatory optional hashed encrypted kept
    hidden protected exposed leaked compromised managed rotated updated generated stale for
    from with by to and or because see ask under inside anywhere somewhere nowhere everywhere
    characters character letters digits symbols words chars days months years times minutes
    sensitive identical different similar simple easy hard common public correct unique random
    sticker note drawer prompt prompted tbd todo pending unchanged just almost probably maybe
    actually really pretty quite simply currently already again soon getting going gone lost
    forgotten something anything nothing everything someone anyone everyone nobody whatever
    falsch richtig korrekt sicher schwach stark abgelaufen nötig gespeichert im in der die das
    ein eine nicht zu hier neu alt sehr geändert auf steht liegt immer noch auch schon leider
    einfach geheim unbekannt bekannt gleich derselbe dasselbe dieselbe lang kurz leer unter
    vergessen pflicht notwendig wurde wird am beim vom bei
    incorrecta correcta segura débil larga corta la el en un una no muy aquí nueva vieja
    guardada caducada demasiado obligatoria necesaria igual misma mismo secreta sencilla difícil
    siempre todavía ya sólo solo está
    sur dans le la les un une pas trop faible fort incorrect expiré enregistré ici nouveau
    obligatoire nécessaire toujours encore déjà même simple sous chez très secret requis
    a o na no em um uma não muito fraca forte errada certa salva aqui nova expirada obrigatória
    necessária sempre ainda já mesma mesmo secreta simples guardada
    """
)
_CJK_TALK = re.compile(
    r"(?:必|不|没|沒|什么|什麼|多少|错|錯|对|對|安全|一样|一樣|存|放|保存|写|寫|在|由|被|要|很|太|我|你|他|用来|過期|过期|"
    r"強|强|弱|同|空|需|忘|改|重置|未|已|旧|舊|新)|何|忘|変|変更|必要|安全|同じ|古|新し|金庫|保存|ない|なし|"
    r".{0,20}(?:ます|ません|ました|でした|ない|いる|ある|ている|った|された|ください)(?:。|$|よ|ね)"
)
_PLACEHOLDER = re.compile(
    r"[<\[({]?(?:your|my|the|some|example|sample|dummy|insert|change|replace|enter|put|xxx+|\.\.\.+|\*{3,}|"
    r"•+|…)[\w-]*[>\])}]?|true|false|null|none|nil|undefined|yes|no|on|off|optional|required|"
    r"string|str|text|bytes|redacted|\[?redacted\]?",
    re.IGNORECASE,
)


def bare(value: str) -> str:
    """Return a value without the quotes around it."""
    return value.strip(QUOTES)


def is_talk(word: str) -> bool:
    """Tell whether a word says something about a password instead of being one."""
    word = word.strip(QUOTES + ".,;:!?()").casefold()
    return word in _TALK or bool(word and ord(word[0]) > 0x2FFF and _CJK_TALK.match(word))


def is_placeholder(value: str) -> bool:
    """Tell whether something stands in for a secret: a variable, `<token>`, `***`, `true`."""
    inner = bare(value.strip())
    return (
        not inner
        or inner.startswith(("$", "<", "{", "%", "[", "@", "~/", "./", "/run/", "/etc/"))
        or _PLACEHOLDER.fullmatch(inner) is not None
        or inner.count(inner[0]) == len(inner)
    )


def looks_made_up(value: str) -> bool:
    """Tell a password from a word: digits in letters, inner symbols or inner capitals."""
    inner = value.strip(QUOTES + ".,;:!?()")
    has_letter = any(map(str.isalpha, inner))
    mixed = has_letter and any(map(str.isdigit, inner))
    symbols = bool(re.search(r"[^\w\s.'’/-]", inner)) and len(inner) >= 5
    capitals = inner.isalpha() and bool(re.search(r"[a-z][A-Z]", inner))
    digits = inner.isdigit() and len(inner) >= 4
    return mixed or symbols or capitals or digits


def looks_like_key(value: str, shortest: int = 8) -> bool:
    """Tell a key from a word: letters with digits, and long or made up."""
    inner = bare(value)
    return (
        len(inner) >= shortest
        and any(map(str.isdigit, inner))
        and any(map(str.isalpha, inner))
        and (len(inner) >= 16 or looks_made_up(inner))
    )
