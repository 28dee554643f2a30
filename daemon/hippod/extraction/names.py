"""Names in a sentence: known entities first, then capitalised spans, as fact entities."""

import re
import unicodedata
from collections.abc import Sequence

from hippod.language import is_function_word, is_spaceless, word_set

MOST = 4
"""Entities of one fact."""

_TOKEN = re.compile(r"[^\W_](?:[\w]|[.'’&+/-](?=\w))*[+#]*")
# Among characters without spaces: Latin names, and people who are introduced as such.
_LATIN_WORD = r"[A-Z](?:[A-Za-z0-9_.+#&-]*[A-Za-z0-9_+#])?"
_LATIN = re.compile(rf"(?<![A-Za-z0-9_.-])(?:{_LATIN_WORD})(?: {_LATIN_WORD})*(?![A-Za-z])")
_INTRODUCED = re.compile(
    r"(?:名叫|叫做|叫|名字是|姓名是|名前は)(?P<zh>[\u4e00-\u9fff]{2,3}|[ァ-ヶー]{2,12})"
    r"(?=[，。、,.！!\s]|です|$)|"
    r"(?<![\u4e00-\u9fffァ-ヶー])(?P<ja>[\u4e00-\u9fff]{2,4}|[ァ-ヶー]{2,12})"
    r"(?=さん|ちゃん|くん|君|様|という(?:人|友))|"
    r"(?:女儿|儿子|老婆|老公|妹妹|弟弟|哥哥|姐姐|同事|表哥|表姐|徒弟)(?P<kin>[\u4e00-\u9fff]{2})"
    r"(?=每|在|是|对|今|明|要|会|从|跟|叫|也|去|来|[，。、])|"
    r"(?:(?<=[跟找和由请，、。])|^)(?P<title>(?![跟找和由请问给])[\u4e00-\u9fff]{1,2}(?:老师|医生|经理|师傅|"
    r"律师|教授|阿姨))|"
    r"(?:息子|娘|夫|妻|兄|弟|姉|妹|犬|猫|友人|同僚)の(?P<kin_ja>[\u4e00-\u9fff]{1,3}|"
    r"[ァ-ヶー]{2,8})(?=[はがもと、])"
)
# Where nothing is capitalised, a title or "is called" still shows a name.
_SMALL = re.compile(
    r"\b(?:frau|herr|familie|heißt|namens|geselle|azubi|called|named|mr|mrs|ms|dr|se llama|"
    r"s'appelle|monsieur|madame|se chama|doutora?|doctora?|señora?)\.?\s+(?:frau\s+|herr\s+)?"
    r"(?!(?:der|die|das|the|a|an|el|la|le|un|una|une|o|um|uma|und|and)\b)([^\W\d_]{3,})",
    re.IGNORECASE,
)
_NEVER_NAMES = word_set(
    """
    i i'm i've i'll i'd ok okay hi hey hello yes no thanks please btw fyi lol monday tuesday
    wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays
    saturdays sundays january february march april may june july august september october
    november december jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu
    thur thurs fri sat sun today tomorrow yesterday note lesson decision remember am pm eod
    asap todo tbd let etc english redacted gb mb kb tb ghz mhz kw kwh usd eur gbp ip url ok lundi
    mardi mercredi jeudi vendredi samedi dimanche
    """
)
# Words behind which a German noun stands as a name: "bei Siemens", "heißt Bello", "Projekt X".
_GERMAN_BEFORE = word_set(
    """
    bei in nach aus von mit für gegen über auf an zu heißt heiße nutzen nutzt verwenden projekt
    firma herr frau dr und oder ist statt namens kollege kollegin team bruder schwester tochter
    sohn mutter vater chef chefin hund katze freund freundin mann
    """
)
_GERMAN_COMMON = re.compile(
    r"(?:ung|heit|keit|schaft|tion|tät|ismus|chen|lein|nis|tum|ment|tag|zeit|uhr|woche|monat|"
    r"jahr|haus|arbeit|antwort\w*|listen?|regel\w*|ende|urlaub|eltern|kinder|essen|hause|anfang|"
    r"mitte|wohnung|schule|büro|zukunft|januar|februar|märz|april|mai|juni|"
    r"juli|august|september|oktober|november|dezember)$",
    re.IGNORECASE,
)
_HONORIFICS = word_set(
    """
    mr mrs ms miss mister dr prof sir herr herrn frau sr sra srta señor señora don doña monsieur
    madame mme mlle senhor senhora dona doutor doutora doktor professor professorin
    """
)
_GENERIC = word_set(
    """
    ai ki ia llm email emails e-mail e-mails mail mails pdf pdfs csv pc pcs tv usb wifi wi-fi wlan
    sms faq id ids ui ux it hr ceo cto ok
    """
)
_DATE_LIKE = re.compile(r"(?:^|\D)(?:19|20)\d\d(?:\D|$)")


def entities(
    sentence: str, language: str, known: Sequence[str], speaker: str, *, first_person: bool
) -> tuple[str, ...]:
    """Return up to four entity names of a fact, in the fact grammar (hyphens for spaces).

    `known` names come first, then names that the sentence shows, then the speaker: at the
    front if they speak of themselves, else only if nothing else is named.
    """
    found = [name for name in known if _contains(sentence, name)]
    shown = filter(None, map(_proper, spans(sentence, language)))
    found += [name for name in shown if not _part_of(name, found)]
    if first_person:
        found.insert(0, speaker)
    unique: dict[str, str] = {}
    for name in found or [speaker]:
        if entity := as_entity(name):
            unique.setdefault(entity.casefold(), entity)
    return tuple(unique.values())[:MOST]


def spans(sentence: str, language: str) -> list[str]:
    """Return the names that the writing shows: capitalised spans, or Latin ones among CJK."""
    if is_spaceless(language):
        people = [match[match.lastgroup or 0] for match in _INTRODUCED.finditer(sentence)]
        latin = [name for name in _LATIN.findall(sentence) if name.casefold() not in _NEVER_NAMES]
        return list(dict.fromkeys([*people, *latin]))
    found: list[str] = []
    tokens = list(_TOKEN.finditer(sentence))
    position = 0
    while position < len(tokens):
        end = position
        while end < len(tokens) and _is_name(
            sentence, tokens, end, language, joined=end > position
        ):
            end += 1
        if end > position:
            found.append(sentence[tokens[position].start() : tokens[end - 1].end()])
        position = max(end, position + 1)
    if sentence.islower():
        found += [match[1].title() for match in _SMALL.finditer(sentence)]
    return list(dict.fromkeys(_singular(name) for name in found))


def _proper(name: str) -> str | None:
    """Return a name without its title, or None for a title alone, a date or a common noun."""
    words = name.split()
    while words and words[0].casefold().rstrip(".") in _HONORIFICS:
        words.pop(0)
    bare = " ".join(words)
    if not bare or bare.casefold() in _GENERIC or _DATE_LIKE.search(bare):
        return None
    return bare


def as_entity(name: str) -> str:
    """Write a name in the fact grammar: letters, digits, `-`, `_`, `.`, hyphens for spaces."""
    joined = re.sub(r"[\s/]+", "-", unicodedata.normalize("NFC", name).strip())
    return re.sub(r"[^\w.-]", "", joined).strip("-._")


def _is_name(
    sentence: str, tokens: list[re.Match[str]], index: int, language: str, *, joined: bool
) -> bool:
    word = tokens[index][0]
    lowered = word.casefold().replace("’", "'")
    if (
        not word[0].isupper()
        or lowered in _NEVER_NAMES
        or lowered.removesuffix("'s") in _NEVER_NAMES
    ):
        return False
    before = sentence[tokens[index - 1].end() : tokens[index].start()] if index else ""
    if before == ". " and tokens[index - 1][0].casefold() in _HONORIFICS:
        before = " "
    if joined:
        owner = tokens[index - 1][0].endswith(("'s", "’s"))
        return before == " " and not owner and not is_function_word(lowered, language)
    if word.isupper() and len(word) > 1:
        return True
    inner = any(char.isupper() or char.isdigit() for char in word[1:])
    starts = index == 0 or bool(re.search(r"[.!?:;\"“]\s*$", before))
    if language == "de" and not inner:
        previous = tokens[index - 1][0].casefold() if index else ""
        return not starts and previous in _GERMAN_BEFORE and not _GERMAN_COMMON.search(word)
    if starts and not inner:
        return _starts_as_name(sentence, tokens, index, language)
    return not is_function_word(lowered, language)


def _starts_as_name(sentence: str, tokens: list[re.Match[str]], index: int, language: str) -> bool:
    """Tell whether a capitalised first word is a name: before a verb of state, or `'s`."""
    word = tokens[index][0]
    if word.endswith(("'s", "’s")) and not is_function_word(word[:-2], language):
        return True
    following = tokens[index + 1][0].casefold() if index + 1 < len(tokens) else ""
    return following in _AFTER_NAME and not is_function_word(word, language)


_AFTER_NAME = word_set(
    """
    is was has lives works runs needs uses prefers likes hates loves wants turns said says will
    leads owns manages moved joined left got comes and es vive trabaja tiene est habite
    travaille a é mora trabalha tem
    """
)


def _singular(name: str) -> str:
    return re.sub(r"['’]s$", "", name)


def _contains(sentence: str, name: str) -> bool:
    plain = name.replace("-", " ")
    if not plain.strip():
        return False
    edge = r"(?<![^\W\u3041-\u9fff])", r"(?![^\W\u3041-\u9fff])"
    if any("\u3041" <= char <= "\u9fff" for char in plain):
        edge = "", ""
    pattern = re.escape(plain).replace(r"\ ", r"[\s-]+")
    return re.search(edge[0] + pattern + edge[1], sentence, re.IGNORECASE) is not None


def _part_of(name: str, found: list[str]) -> bool:
    folded = as_entity(name).casefold()
    return any(folded in as_entity(other).casefold() for other in found)
