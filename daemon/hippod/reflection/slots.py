"""What a fact fills that has one value at a time, and with what: "Dana lives in | Porto"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

from hippod.language import word_set
from hippod.reflection import stances
from hippod.reflection.slot_words import WIDE, SlotWords, slot_words
from hippod.reflection.stance_words import words
from hippod.reflection.stances import Stems

VALUE = "value"
"""The name of the slots that are only named by what they are about: a deadline, a size."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A thing that has one value at a time, and its value; `about` are stems."""

    name: str
    about: Stems
    value: Stems
    firm: bool = True
    """It says that it is the only value, rather than one of several."""
    fresh: bool = False
    """It says that the value is new: "now", "moved to"."""
    often: bool = False
    """A time of day of what may well happen at several."""
    wide: bool = False
    """A place that others lie in: a country."""

    @property
    def key(self) -> tuple[str, Stems]:
        """What two facts about the same thing have in common."""
        return self.name, self.about

    def excludes(self, other: "Slot") -> bool:
        """Tell whether this later value ends another one; a vaguer one of the same does not.

        One of what there may be several of ends what it shares a word with: "Debian 11", "12".
        What is due at several times, and a country after a town, end nothing unless they are new.
        """
        if not (self.value and other.value) or self.value <= other.value:
            return False
        if not self.fresh and (self.often or self.wide != other.wide):
            return False
        return not other.value <= self.value and (self.firm or bool(self.value & other.value))


@lru_cache(maxsize=8192)
def read(content: str, language: str) -> tuple[Slot, ...]:
    """Return the slots that a statement fills, none for events, lists, plans and hearsay."""
    table, content = slot_words(language), content[: stances.LONGEST]
    if table is None or stances.read(content, language).unsure or _YEAR.search(content):
        return ()
    if table.passing.search(content) or is_distant(content, language):
        return ()
    plain = _plain(content, table)
    return tuple(dict.fromkeys(_slots(plain, content, language, table)))


def _slots(plain: str, content: str, language: str, table: SlotWords) -> Iterator[Slot]:
    worded = list(_worded(plain, language, table))
    newly = table.newly.search(content) is not None
    yield from (_renewed(slot) if newly else slot for slot in worded)
    named = _named(plain, language, table)
    if named:
        yield _renewed(named) if newly else named
    by_number = not worded and (named is None or not named.firm)
    if by_number and (measured := _measured(plain, language, table)):
        yield replace(measured, fresh=measured.fresh or newly)


def _renewed(slot: Slot) -> Slot:
    return replace(slot, firm=True, fresh=True)


def _worded(plain: str, language: str, table: SlotWords) -> Iterator[Slot]:
    """Yield what the wordings of the table find, the first of each name."""
    seen = {"work", "role"} if _ASIDE.search(plain) else set[str]()
    for name, pattern in table.slots:
        kind = name.rstrip("?!")
        if kind in seen or not (match := pattern.search(plain)):
            continue
        groups = match.groupdict()
        value = groups.get("v") or groups.get("v2") or ""
        slot = _slot(kind, groups["s"], groups.get("q") or "", value, language, table)
        if slot:
            seen.add(kind)
            firm = not name.endswith("?") or slot.name == VALUE
            often = kind == "when" and _is_repeated(plain, match)
            yield replace(slot, firm=firm, fresh=name.endswith("!"), often=often)


def _is_repeated(plain: str, match: re.Match[str]) -> bool:
    """Tell "the bus goes | at 7:10" from "the lesson starts at 7:10": there are more buses."""
    return _ONLY_WHEN.match(plain, match.end("s")) is not None and not _ONCE.search(match["s"])


_ONLY_WHEN = re.compile(r"\s*(?:am|um|jeden|immer)(?!\w)", re.I)


def _slot(
    name: str, subject: str, use: str, value: str, language: str, table: SlotWords
) -> Slot | None:
    if _denied(subject, language) or table.event.search(subject):
        return None
    whole = table.stop.split(value, maxsplit=1)[0].strip()
    value = _WHEN.sub("", whole) if name in _MOVED else whole
    if name == "role":
        value = _AT.split(value)[0]
    if not value or table.vague.fullmatch(value) or _denied(value, language):
        return None
    if _OR[language].search(value):
        return None
    if name in ("place", "work") and _DAYS_OF_IT.search(value):
        return None
    timed = bool(_TIME.search(value))
    if (name == "when" and not timed) or (name == "work" and not _EMPLOYER.match(value)):
        return None
    if timed and name in ("place", "host", "run", "seat", "when"):
        name = VALUE
    if name == "place" and not _THE.sub("", value)[:1].isupper():
        name = "rooms"  # a flat is no town: who lives in one lives in the other
    found = _values(value) if name == VALUE else _words(value, language)
    about = _words(subject, language) | _words(use, language)
    if name != VALUE:
        about |= frozenset(match[0].casefold() for match in _RECURRING.finditer(whole))
    wide = name == "place" and {word.casefold() for word in _WORD.findall(value)} <= WIDE | _SMALL
    return Slot(name, about, found, wide=wide) if found else None


def _named(plain: str, language: str, table: SlotWords) -> Slot | None:
    """Return the value of what is named as having one: "the deadline is 3 May"."""
    match = table.copula.match(plain)
    if match is None or table.event.search(match["s"]):
        return None
    value = table.stop.split(match["v"], maxsplit=1)[0].strip()
    if value.casefold() in _STATES:
        about = _words(match["s"], language)
        return Slot("state", about, frozenset((value.casefold(),))) if about else None
    if not table.single.search(match["s"]):
        return _one_of(match["s"], value, language)
    if not value or table.vague.match(value) or _denied(match["v"], language):
        return None
    found = _values(value)
    if not found and not _is_name_or_thing(match["s"], value, language):
        return None
    found = found or _words(value, language)
    return Slot(VALUE, _words(match["s"], language), found) if found else None


def _one_of(subject: str, value: str, language: str) -> Slot | None:
    """Return what a thing is by name: "the database is MySQL"; it may be more than that."""
    about = _words(subject, language)
    is_name = _PROPER.fullmatch(value) is not None and subject[:1].isupper()
    return Slot("is", about, _words(value, language), firm=False) if is_name and about else None


_PROPER = re.compile(r"[A-Z][\w.+#-]*(?: [A-Z\d][\w.+#-]*)?")


def _is_name_or_thing(subject: str, value: str, language: str) -> bool:
    """Tell "the manager is Ana", "the favourite tea is sencha" from "the manager is nice"."""
    table = words(language)
    if table.scales.search(value) or table.qualifier.match(value):
        return False
    return value[:1].isupper() or not _PERSON.search(subject)


def _measured(plain: str, language: str, table: SlotWords) -> Slot | None:
    """Return the numbers of a statement that is the same but for its numbers."""
    changed = table.changed.search(plain)
    report = changed or table.state.search(plain)
    if report is None:
        return None
    head, tail = plain[: report.start()], plain[report.end() :]
    verb = "" if changed else report[0]
    plain = f"{head} {verb} {tail}"
    if table.event.search(plain) or table.several.search(plain):
        return None
    timed = _TIME.search(tail) is not None
    if not changed and timed and table.has.search(plain):
        return None
    found = _values(tail)
    tail = _CHANGED.sub(" ", tail)
    rest = _UNIT.sub(" ", _NUMBER.sub(" ", _DAY.sub(" ", tail)))
    if _UNIT.search(tail) and (days := _RECURRING.findall(tail)):
        rest = f"{rest} {' '.join(days)}"  # "5 km on Mondays": how much, not when
        found = _values(_RECURRING.sub(" ", tail))
    about = _words(f"{head} {verb} {rest}", language)
    counted = {value for value in found if value[0].isdigit() or value[0] in "$€£"}
    if not about or not (counted or timed):
        return None
    often = not (changed or _ONCE.fullmatch(verb)) and _is_due(tail, counted)
    return Slot(VALUE, about, found, fresh=changed is not None, often=often)


def _is_due(tail: str, counted: set[str]) -> bool:
    """Tell whether values are times of what may happen again and again: "leaves at 7:10"."""
    return _CLOCK.search(tail) is not None or not counted


def _plain(content: str, table: SlotWords) -> str:
    content = _in_one(content.replace("’", "'"), table)
    content = _SINCE.sub("", table.now.sub(" ", content))
    return " ".join(_LETTER.sub(r"\1\1", content).split())


def _in_one(content: str, table: SlotWords) -> str:
    """Say in one clause what two say: "was moved again, it is now 18 May" is "was moved to 18 May".

    Only where a number or a day follows.
    """
    match = table.restated.match(content)
    if match is None or not (_NUMBER.match(match["v"]) or _DAY.match(match["v"])):
        return content
    said = table.restating.format(v=match["v"].rstrip(".! "))
    return f"{match['s']} {said}"


def _denied(text: str, language: str) -> bool:
    return words(language).negations.search(text) is not None


def _words(text: str, language: str) -> Stems:
    return stances.plain_stems(text, language)


def _values(text: str) -> Stems:
    """Return numbers, times, days and months, spelt one way."""
    found = {stances.spelt(match[0]) for match in _NUMBER.finditer(text)}
    return frozenset(found | {match[0].casefold()[:3] for match in _DAY.finditer(text)})


_WORD = re.compile(r"[^\W\d_]+")
_SMALL = word_set("the der die das den los las el la le les il i o a de het d l aux nos")
_OR = {
    name: re.compile(rf"\s(?:{word})\s", re.I)
    for name, word in {
        "en": "or",
        "de": "oder",
        "es": "o",
        "fr": "ou",
        "pt": "ou",
        "it": "o",
        "nl": "of",
    }.items()
}
"""What leaves it open which value it is."""
_DAYS_OF_IT = re.compile(
    r"(?<!\w)(?:days|nights|weeks|months|tage|wochen|monate|días|meses|jours|mois|dias|giorni|mesi|"
    r"dagen|maanden)\s+(?:an?|per|each|every|die|der|in|im|pro|a|al|por|par|alla|all)(?!\w)",
    re.I,
)
"""How much of the time it is so: "three days a week"."""
_ONCE = re.compile(
    r"(?<!\w)(?:is|are|'s|prefers|expires?|starts?|begins?|ends?|opens?|closes?|meets?|gets up|"
    r"wakes up|wants?|lasts?|ist|sind|beginnt|startet|endet|öffnet|schließt|trifft sich|lautet|"
    r"es|son|empieza|termina|abre|cierra|est|sont|commence|finit|ouvre|ferme|é|são|começa|fecha|è|sono|inizia|comincia|"
    r"finisce|apre|chiude|zijn|begint|eindigt|opent|sluit|steht|wacht)(?!\w)",
    re.I,
)
"""Verbs of what is at one time of a day."""
_CLOCK = re.compile(
    r"(?<![\w.])(?:\d{1,2}(?::\d\d|h\d\d|h\b|\s?[ap]m\b|\s?uhr)|"
    r"(?:at|um|a\s+las?|à|às?|alle|om)\s+\d{1,2}(?=\s*(?:$|[,;!]|\.(?!\d)|(?:on|every|in|and)\b)))",
    re.I,
)


_DAYS = (
    r"mon(?:day)?s?|tue(?:s(?:day)?)?s?|wed(?:nesday)?s?|thu(?:rs(?:day)?)?s?|fri(?:day)?s?|"
    r"sat(?:urday)?s?|sun(?:day)?s?|montags?|dienstags?|mittwochs?|donnerstags?|freitags?|"
    r"samstags?|sonntags?|lunes|martes|miércoles|jueves|viernes|sábados?|domingos?|lundis?|"
    r"mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?|segundas?|terças?|quartas?|"
    r"quintas?|sextas?|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|maandag|dinsdag|"
    r"woensdag|donderdag|vrijdag|zaterdag|zondag"
)
_MONTHS = (
    r"january|february|march|april|(?-i:May)|june|july|august|september|october|november|december|"
    r"januar|februar|märz|mai|juni|juli|oktober|dezember|enero|febrero|marzo|abril|mayo|junio|"
    r"julio|agosto|septiembre|octubre|noviembre|diciembre|janvier|février|mars|avril|juin|juillet|"
    r"août|septembre|octobre|novembre|décembre|janeiro|fevereiro|março|maio|junho|julho|setembro|"
    r"outubro|novembro|dezembro|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|"
    r"novembre|dicembre|januari|februari|maart|mei|augustus"
)
_DAY = re.compile(rf"(?<!\w)(?:{_DAYS}|{_MONTHS})(?:-feiras?)?(?!\w)", re.I)
_NUMBER = re.compile(
    r"[$€£]?\s?(?<![\w.])v?\d+(?:[.,:/h-]\d+)*(?:st|nd|rd|th)?\s?(?:%|am\b|pm\b|€)?", re.I
)
_TIME = re.compile(
    rf"{_DAY.pattern}|(?<![\w.])\d{{1,2}}(?::\d\d|h\d\d|\s?[ap]m\b|\s?uhr)|\d{{4}}-\d\d", re.I
)
_THE = re.compile(r"^(?:the|der|de[mns]|das|die|el|l[aeo]s?|il|os?|as|de|het)\s+", re.I)
_ASIDE = re.compile(
    r"(?<!\w)(?:on\s+the\s+side|hobby\w*|freelanc\w+|volunteer\w*|second\s+job|side\s+job|nebenbei|"
    r"nebenher|ehrenamtlich\w*|freiberuflich\w*|bénévol\w+|voluntari[oa]|volontari[oa]|vrijwillig\w*|"
    r"bijbaan)(?!\w)",
    re.I,
)
"""What somebody does beside a job."""
_MOVED = ("place", "work", "role", "boss", "host")
_WHEN = re.compile(
    rf"\s+(?:(?:on|in|at|by|from|as\s+of|am|im|zum|el|en|le|em|il|op|in)\s+)?(?:the\s+|early\s+|late\s+|mid-?\s*)?"
    rf"(?:\d{{4}}-\d\d(?:-\d\d)?|\d{{1,2}}\.?\s+(?={_DAY.pattern})|{_DAY.pattern}|last\s+\w+|this\s+\w+).*$",
    re.I,
)
"""When it became so: "to Lisbon in May"."""
_AT = re.compile(
    r"\s+(?:at|for|with|bei|für|chez|pour|en|em|na|no|presso|per|bij|voor)\s+(?=[A-ZÀ-Þ])"
)
_UNIT = re.compile(
    r"(?<!\w)(?:euros?|eur|dollars?|usd|pounds?|gbp|seconds?|secs?|ms|minutes?|mins?|hours?|hrs?|"
    r"days?|weeks?|months?|gb|mb|tb|kb|gib|mib|km|kg|cm|mm|m|g|sekunden?|minuten?|stunden?|tagen?|"
    r"segundos?|minutos?|horas?|secondes?|heures?|jours?|secondi|minuti|ore|uren|uhr|dagen)(?!\w)",
    re.I,
)
_CHANGED = re.compile(
    r"(?<!\w)(?:erhöht|gesenkt|angehoben|reduziert|gekürzt|verlängert|verkürzt|aufgestockt|verhoogd|"
    r"verlaagd)(?!\w)",
    re.I,
)
"""Verbs of change that stand behind the new value."""
_SINCE = re.compile(r"^\W*(?:since|seit|desde|depuis|sinds)\s[^,.]{1,40},\s*", re.I)
_LETTER = re.compile(r"(?<=\w\s)([A-Z])(?![\w'’])")
"""A letter that tells like things apart: "Server B". Doubled it is no function word."""
_STATES = word_set(
    "red blue green yellow black white grey gray orange purple pink brown rot blau grün gelb "
    "schwarz weiß grau rojo azul verde amarillo negro blanco rouge bleu vert jaune noir blanc "
    "open closed "
    "enabled disabled active inactive offline online paused done cancelled confirmed offen "
    "geschlossen abierto cerrado ouvert fermé aberto fechado aperto chiuso"
)
"""Colours and states: what is one of them is no other."""
_RECURRING = re.compile(
    r"(?<!\w)(?:week-?ends?|weekdays|during\s+(?:the\s+)?\w+|in\s+(?:the\s+)?(?:summer|winter)|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:im|am)\s+(?:sommer|winter|wochenende))(?!\w)",
    re.I,
)
"""When a thing has its value: it may have another one at other times."""
_PERSON = re.compile(
    r"(?<!\w)(?:owner|lead(?:er)?|manager|maintainer|boss|ceo|cto|cfo|partner|husband|wife|spouse|"
    r"allergist|dentist|doctor|therapist|landlord|provider|room|car|bank|region|desk|host|plan|"
    r"leiter\w*|leitung|chef\w*|mann|frau|partner\w*|anbieter|jef[ea]|responsable|responsável|"
    r"responsabile|proveedor|marid[oa]|mari|femme|mujer|pareja|chefe|fornecedor|mulher|esposa|capo|"
    r"fornitore|marito|moglie|baas|leider|leverancier|vrouw|man|fournisseur)(?!\w)",
    re.I,
)
"""Who or what is something else beside what it is called."""
_EMPLOYER = re.compile(r"[A-ZÀ-ÖØ-Þ0-9]|an?\s")
_YEAR = re.compile(r"(?<!\w)(?:in|im|en|em|nel|during|back~in)\s+(?:19|20)\d\d(?![-\d])", re.I)


def is_timed(text: str) -> bool:
    """Tell whether a text holds a day, a month or a time."""
    return _TIME.search(text) is not None


def is_list(content: str, table: SlotWords) -> bool:
    """Tell whether a statement names one of what there may be several of: likes, has."""
    return bool(table.several.search(content) or table.has.search(content))


@lru_cache(maxsize=8192)
def is_distant(content: str, language: str) -> bool:
    """Tell whether it is about the future, the past, a wish, a part of the time, or hearsay."""
    table = slot_words(language)
    if table is not None and table.distant.search(content):
        return True
    return any(_is_told(content, said) for said in words(language).says.finditer(content))


def _is_told(content: str, said: re.Match[str]) -> bool:
    """Tell whether a statement ends in who says so: ", says Ana", ", as her mother told her"."""
    before, after = content[: said.start()].rstrip(), content[said.end() :]
    is_aside = before.endswith((",", "–", "—", " -", "("))
    return bool(is_aside and _TELLER.match(after)) or _AS_TOLD.search(before) is not None


_WHO = (
    r"(?:(?:the|her|his|der|die|ihr|sein|el|la|su|son|sa|seu|sua|haar|zijn)e?\s+\w+|"
    r"(?-i:[A-ZÀ-Þ])\w+)"
)
_TELLER = re.compile(rf"\s+{_WHO}", re.I)
_AS_TOLD = re.compile(
    rf"(?:,|\s[–—-]|\()\s*(?:(?:as|so|wie|como|comme|come|zoals)\s+)?{_WHO}$", re.I
)


def is_history(content: str, today: date) -> bool:
    """Tell whether a statement is about a year before `today`."""
    match = _YEAR.search(content)
    return match is not None and int(match[0][-4:]) < today.year
