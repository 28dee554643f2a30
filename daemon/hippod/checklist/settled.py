"""Whether a text says that something is over: done, called off, put off, or long past."""

import re
from collections.abc import Collection, Sequence
from datetime import date
from functools import lru_cache
from itertools import pairwise

from hippod.checklist import days, topics
from hippod.language import content_stems, guess

Subject = tuple[set[str], set[str]]
"""The stems of what a text is about, and its numbers that are no date or amount."""


@lru_cache(maxsize=16_384)
def is_settled(text: str, at: int | None = None) -> bool:
    """Say whether a text tells that what it speaks of is done or called off.

    With `at` only the clause that stands there counts: the day of another thing may be in it.
    """
    if _TICKED.match(text):
        return True
    found = _settled(text[: days.LOOKED_AT])
    return any(at is None or start <= at < end for start, end in found)


@lru_cache(maxsize=16_384)
def settled_parts(text: str) -> tuple[str, ...]:
    """Return the clauses that tell of what is done, each with what it refers to."""
    if _TICKED.match(text):
        return (text,)
    return tuple(text[start:end] for start, end in _settled(text[: days.LOOKED_AT]))


@lru_cache(maxsize=16_384)
def _settled(text: str) -> tuple[tuple[int, int], ...]:
    """Return where the clauses stand that tell of what is done."""
    if not _DONE.search(text):
        return ()
    found: list[tuple[int, int]] = []
    before = 0
    for start, end in _clauses(text):
        clause = text[start:end]
        if _tells_of_done(clause):
            refers = _REFERS.match(clause) and not _EARLIER.search(clause)
            refers = refers and not _has_other_object(clause, text[before:start])
            found.append((before if refers else start, end))
        before = start
    return tuple(found)


def _tells_of_done(clause: str) -> bool:
    """Say whether a clause tells, and does not ask, that something of this time is done."""
    if clause.rstrip().endswith(("?", "？")) or _OF_ANOTHER_TIME.search(clause):
        return False
    return any(not _is_open(clause, match) for match in _DONE.finditer(clause))


def _has_other_object(clause: str, before: str) -> bool:
    """Tell "cancelled the gym" from "cancelled the visit" behind "The visit is on 4 May"."""
    match = _OBJECT.match(clause)
    return match is not None and not subject(match["object"])[0] <= subject(before)[0]


def _clauses(text: str) -> list[tuple[int, int]]:
    ends = [match.end() for match in _CLAUSE.finditer(text)]
    return list(pairwise([0, *ends, len(text) + 1]))


@lru_cache(maxsize=16_384)
def is_moved(text: str) -> bool:
    """Say whether a text tells that something has got another day.

    "Moved" alone may tell of a person, or of a thing that stands elsewhere now.
    """
    text = text[: days.LOOKED_AT]
    if _PUT_OFF.search(text):
        return True
    return any(_gets_another_day(text, match) for match in _SHIFTED.finditer(text))


def _gets_another_day(text: str, match: re.Match[str]) -> bool:
    """Tell "moved to Friday" and "the visit was moved" from "moved to Graz" and "I moved it"."""
    named = days.named(text, _ANY_DAY)
    if any(_TO_A_DAY.search(text[: each.start]) for each in named) or _TO_A_TIME.search(text):
        return True
    before, after = text[: match.start()], text[match.end() :]
    if _SOMEWHERE.match(after) or _SOMEWHERE_BEFORE.search(before):
        return False
    return bool(_GETS.search(before)) or bool(topics.kinds_of(text))


def is_told_as_past(text: str) -> bool:
    """Say whether a text tells what has happened, not what is planned."""
    text = text[: days.LOOKED_AT]
    if _PAST.search(text):
        return True
    shifted = list(_SHIFTED.finditer(text))
    return any(not _GETS.search(text[: each.start()]) for each in shifted) and not is_moved(text)


def speaks_of_the_same(later: str, earlier: str) -> bool:
    """Say whether what `later` settles or moves is what `earlier` speaks of.

    Most of its words must be there, and all its numbers; "the invoice" is not "invoice 12". And
    most of what is said earlier must be meant: "the gas bill" is not "the gas and water bills".
    """
    words, numbers = subject(later)
    other_words, other_numbers = subject(earlier)
    if numbers - other_numbers or (not numbers and _NUMBERED.search(earlier)):
        return False
    shared = words & other_words
    if not shared or len(shared) * 5 < len(words) * 3:
        return False
    return all(_are_meant(each, words) for each in _things(earlier))


def _are_meant(things: Sequence[frozenset[str]], words: Collection[str]) -> bool:
    """Say whether the words are most of what a clause is about, and of each thing it names."""
    about = frozenset[str]().union(*things)
    if len(about.intersection(words)) * 2 < len(about):
        return False
    for thing in things:
        own = thing.difference(*(each for each in things if each is not thing))
        if len(things) > 1 and own and len(own.intersection(words)) * 2 <= len(own):
            return False
    return True


@lru_cache(maxsize=4_096)
def _things(text: str) -> tuple[tuple[frozenset[str], ...], ...]:
    """Return the stems of each thing of the clauses that name a day, or of the whole text."""
    text = text[: days.LOOKED_AT]
    ends = [each.end() for each in _CLAUSE.finditer(text) if not _AND.fullmatch(each[0])]
    clauses = [text[start:end] for start, end in pairwise([0, *ends, len(text)])]
    spoken_of = [each for each in clauses if days.named(each, _ANY_DAY)] or [text]
    return tuple(
        tuple(frozenset(subject(part)[0]) for part in _AND.split(each) if not _tells_of_done(part))
        for each in spoken_of
    )


def is_of_the_month(later: str, earlier: str, day: date) -> bool:
    """Say whether what `later` tells may be of the month of what `earlier` says for `day`.

    "The rent for December" is not that of January.
    """
    named = days.months(_without_days(later))
    return not named or bool(named & (days.months(_without_days(earlier)) or {day.month}))


def says_the_same(one: Subject, other: Subject) -> bool:
    """Say whether one of two texts has all the words of the other, and the same numbers."""
    if one[1] != other[1]:
        return False
    fewer, more = sorted((one[0], other[0]), key=len)
    return bool(fewer) and fewer <= more and len(fewer) * 2 > len(more)


@lru_cache(maxsize=4_096)
def subject(text: str) -> Subject:
    """Return the stems of what a text is about, and the numbers that are no date or amount."""
    text = days.MONTH.sub(" ", _NOT_ABOUT.sub(" ", _without_days(text)))
    stems = content_stems(text, guess(text, ("en", "de", "es", "fr", "pt")))
    return (
        {stem for stem in stems if not stem[0].isdigit() and len(stem) > 1},
        {stem for stem in stems if _NUMBER.fullmatch(stem)},
    )


def _without_days(text: str) -> str:
    """Return a text without its days; those that were written out behind them go first."""
    text = WRITTEN_OUT.sub("", text[: days.LOOKED_AT])
    for each in reversed(days.named(text, _ANY_DAY)):
        text = f"{text[: each.start]} {text[each.end :]}"
    return text


WRITTEN_OUT = re.compile(r"\s*\(\d{4}-\d\d-\d\d\)")
"""The day that a fact has behind the words for it: "on Thursday (2026-12-03)"."""
_NUMBER = re.compile(r"\d+(?:[-/]\d+)*")


_ANY_DAY = date(2000, 1, 1)
"""Only where dates stand matters, not which days they are."""


def _is_open(text: str, match: re.Match[str]) -> bool:
    """Tell "not yet paid", "to be paid" and "the deposit is paid, the rest is due" from "paid"."""
    before = text[max(0, match.start() - 40) : match.start()]
    aimed = _BY.match(text, match.end()) or _GET.search(before)
    attribute = _ARTICLE.search(before) and _NOUN.match(text, match.end())
    after = _REASON.split(text[match.end() :], maxsplit=1)[0]
    if _NEGATED.search(text[: match.start()]) or _NEGATED.search(after):
        return True
    return bool(aimed or attribute or _NOT_YET.search(before) or _REST.search(text))


_TICKED = re.compile(
    r"\s*(?:[^\n\[\]~]{1,200}:\s+)?(?:[-*+]\s+)?(?:\[[xX✓✔-]\]\s|~~.*~~[\s.]*$|[✅☑✔✓])"
)
_CLAUSE = re.compile(
    r"(?<!\d)[.!?]\s+|(?<=20\d\d)\.\s+|[;\n]\s*|\s[–—-]\s|,?\s+(?:but|aber|pero|mais|mas|while|whereas)\s+"
    r"|,?\s+(?:and|und|y|et|e)\s+(?=[^.;]{0,80}\b(?:is|are|falls|remains?|ist|sind|wird|vence|est)\s+(?:\w+\s+)?"
    r"(?:due|open|owed|payable|unpaid|fällig|offen|unbezahlt))"
    r"|(?:,|,?\s+(?:and|und))\s+(?=(?:cancel+ed|paid|finished|dropped|returned|renewed)\s+(?:the|my|our|his|her|their|an?)\s)",
    re.IGNORECASE,
)
_REFERS = re.compile(
    r"\W*(?:(?:it|this|that|they|these|both|all|es|das|dies|beides|alles)\s+(?!\w+ed\s+\w)|(?:is|are|was|were|has|have|ist|wurde|"
    r"already|now|since|bereits|schon|inzwischen|i|we|ich|wir|ya|já|déjà)\b"
    r"|(?:paid|done|completed|submitted|cancel+ed|called|handed|sent|filed|renewed|returned|resolved|settled|finished|"
    r"no\s+longer|bezahlt|überwiesen|beglichen|erledigt|eingereicht|abgegeben|abgesagt|storniert|fertig|pagad|payé)\w*)",
    re.IGNORECASE,
)
"""How a clause begins that goes on about what stood before it."""
_EARLIER = re.compile(
    r"\b(?:last|previous)\s+(?:year|month|week|time)\b|\b(?:letzte[snr]?|vorige[snr]?)\s+(?:jahr|monat|woche|mal)\b"
    r"|\b(?:used\s+to|usually|always|früher|meistens|immer)\b",
    re.IGNORECASE,
)
"""What tells of another time than this one."""
_ARTICLE = re.compile(
    r"\b(?:the|an?|his|her|their|its|my|our|your|any|every|der|die|das|den|dem|des|eine?[nrms]?|el|los|las?|un[ae]?|les?|du|del|"
    r"o|os|um|uma|mein\w*|sein\w*|ihr\w*)\s+$",
    re.IGNORECASE,
)
_NOUN = re.compile(r"\w*\s+(?!(?:is|are|by|on|in|from|for|to|and)\b)\w", re.IGNORECASE)
_DONE = re.compile(
    r"\b(?:paid|done|completed|submitted|cancel+ed|called\s+off|handed\s+in|sent\s+in|filed|renewed|returned|"
    r"resolved|settled|finished|no\s+longer(?!\s+(?:at|on|in|from)\s[^.;]*\bbut\b)|attended|taken\s+care\s+of|dropped|obsolete|"
    r"bezahlt|überwiesen|beglichen|erledigt|eingereicht|abgegeben|abgesagt|storniert|abgeschlossen|fertig|"
    r"(?:i|we|have|has|had|been|was|were|already)\s+(?:picked\s+up|collected)|abgeholt|"
    r"verlängert|entfällt|ausgefallen|fällt\s+aus|hinfällig|gekündigt|"
    r"pagad[oa]s?|pagó|pagué|hech[oa]s?|entregad[oa]s?|cancelad[oa]s?|renovad[oa]s?|"
    r"payée?s?|réglée?s?|rendue?s?|annulée?s?|renouvelée?s?|terminée?s?|"
    r"(?:foi|foram|está|estão|já|é)\s+pag[oa]s?|entregues?|concluíd[oa]s?)\b|已付|已完成|取消|済み",
    re.IGNORECASE,
)
_OBJECT = re.compile(
    rf"\W*(?:(?:i|we|have|has|already)\s+)*(?:{_DONE.pattern})\s+(?:the|my|our|his|her|their|an?)\s+"
    r"(?P<object>.+?)(?=\s+(?:in|by|with|via|on|at|from|for|of|today|yesterday|already)\b|[,.;!]|$)",
    re.IGNORECASE,
)
_OF_ANOTHER_TIME = re.compile(
    r"\b(?:last|previous)\s+(?:year|month|quarter)\b|\b(?:last|previous)\s+week['’]s\b"
    r"|\b(?:of|for|from)\s+(?:the\s+)?(?:last|previous)\s+week\b|\bvorjahr\w*"
    r"|\b(?:letzte[nsrm]?|vorige[nsrm]?)\s+(?:jahr(?:es)?|monats?|quartals?)\b|\bwill\s+have\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:not|\w+n['’]t|never|nobody|no\s+one|none|neither|hardly|partly|partially|almost|nearly|half(?!\s*-)|part\s+of|"
    r"nicht|nie|niemals|niemand|kein\w*|kaum|teilweise|zum\s+teil|beinahe|hälfte|fast(?=\s+(?:\w+\s+)?\W*$)|"
    r"nadie|nunca|no\s+(?:está|fue|ha|se)|parcialmente|la\s+mitad|casi|personne\s+n|jamais|pas|presque|la\s+moitié|"
    r"não|ninguém|metade|quase)\b",
    re.IGNORECASE,
)
"""What makes "paid" none of it, or not all."""
_REASON = re.compile(
    r",(?!\s*(?:not|only|nicht|nur)\b)|\b(?:because|since|as|so|weil|denn)\b", re.IGNORECASE
)
_AND = re.compile(r",?\s+(?:and|und|y|et|e|sowie)\s+|,\s+|\s*&\s*", re.IGNORECASE)
_NOT_YET = re.compile(
    r"(?:\b(?:not|never|isn['’]t|hasn['’]t|aren['’]t|haven['’]t|wasn['’]t|to\s+be|be|must|should|needs?|gets?|un|"
    r"nicht|noch\s+nicht|nie|muss|müssen|soll|sollte|wird|werden|sin|no|pas|não|por|à|a|être|ser)\s+(?:yet\s+|been\s+|"
    r"get\s+|wurde\s+|ha\s+sido\s+)?|\b(?:if|unless|until|once|wenn|falls|bis)\s+(?:\w+\s+){0,3})$",
    re.IGNORECASE,
)
# "get the inspection done by Friday"
_GET = re.compile(
    r"\b(?:get|needs?|must|should|muss|müssen|soll(?:te)?|wird|werden|kann|können)\b[^.;:]*$",
    re.IGNORECASE,
)
_BY = re.compile(
    r"\s+(?:by|until|before|no\s+later\s+than|bis|spätestens|antes|avant)\s+(?:\w+\s+){0,2}"
    r"(?:\d|\w+day\b|\w+tag\b|tomorrow|today|heute|morgen)",
    re.IGNORECASE,
)
_REST = re.compile(
    r"\b(?:the\s+rest|remainder|remaining|outstanding|second\s+half|other\s+half|balance\s+is|restbetrag|der\s+rest|"
    r"restliche\w*|el\s+resto|le\s+reste|le\s+solde|o\s+resto)\b",
    re.IGNORECASE,
)
_PUT_OFF = re.compile(
    r"\b(?:postponed|rescheduled|put\s+off|brought\s+forward|"
    r"vertagt|vorgezogen|aplazad[oa]s?|pospuest[oa]s?|reprogramad[oa]s?|reportée?s?|adiad[oa]s?|"
    r"remarcad[oa]s?|no\s+longer\s+(?:at|on|in|from)\s[^.;]*\bbut|nicht\s+mehr\s+(?:am|um|im)\s[^.;]*\bsondern)\b|改到|延期",
    re.IGNORECASE,
)
"""What only a thing with a date can be."""
_SHIFTED = re.compile(
    r"\b(?:moved|shifted|pushed\s+back|extended|verschoben|verlegt|décalée?s?|déplacée?s?)\b",
    re.IGNORECASE,
)
"""What people, furniture and pipes can be, too."""
_TO_A_DAY = re.compile(
    r"(?:\b(?:to|till|until|from|for|auf|zum|vom|von|bis|au|du|à|pour|now|is|jetzt|nun)\s+(?:the\s+|den\s+|dem\s+|le\s+)?|[→>]\s*)$",
    re.IGNORECASE,
)
_TO_A_TIME = re.compile(
    r"\b(?:to|till|until|auf|à)\s+(?:[0-2]?\d(?:[:.h][0-5]\d|\s*(?:[ap]\.?m\b|o['’]clock|uhr\b|h\b))|noon\b|"
    r"(?:the\s+|next\s+|this\s+|later\s+|the\s+following\s+)*(?:morning|afternoon|evening|week|month|year|spring|summer|autumn|fall|winter)\b)",
    re.IGNORECASE,
)
_SOMEWHERE = re.compile(
    r"\s+(?:(?:back|over|away|out|on|up|down|house|flats?|apartments?|homes?|offices?|desks?|permanently|temporarily|recently)\s+)?"
    r"(?:to|into|onto|in|out|over|away|from|here|there|home|house|flats?|apartments?|together|nach|zu[mr]?|ins?|à|en|vers|dans|chez)\b",
    re.IGNORECASE,
)
_SOMEWHERE_BEFORE = re.compile(
    r"\b(?:nach|ins?|zu[mr]?|à|en)\s+(?:\w+\s+)?[^\W\d]\S*\s+(?:\w+\s+)?$", re.IGNORECASE
)
_GETS = re.compile(
    r"\b(?:be|been|being|is|are|was|were|gets?|got|wurden?|wird|werden|worden|ist|sind|est|sont|été|être|sera|seront)\s+(?:\w+\s+)?$",
    re.IGNORECASE,
)
"""Before a participle: somebody else does it to the thing."""
_PLANNED = (
    r"scheduled|planned|booked|needed|supposed|expected|required|moved|postponed|delayed|rescheduled|invited|owed|"
    r"named|marked|billed|invoiced|registered|reserved|confirmed|dated|agreed|extended|set\w*|unpaid|wanted|called|"
    r"shared|based|used|located|married|reminded|noted|asked|promised|need|feed|speed|shed|wed|red|bed|indeed|"
    r"seed|weed|breed|exceed|proceed|succeed|hundred|embed\w*"
)
_PAST = re.compile(
    rf"\b(?!(?:{_PLANNED})\b)(?:was|were|had|did|went|got|met|made|took|came|sent|bought|spent|wrote|ran|saw|told|"
    r"[a-z]{2,}ed)\b|\b(?:war|waren|hatte[n]?|wurde[n]?|ging[en]*|kam[en]*)\b|"
    r"\b(?:hat|hast|habt|haben|habe|bin|bist|seid|ist|sind)\b[^.;]{0,60}\b(?:\w{0,8}ge\w{2,}(?:t|en)|be\w{3,}t|ver\w{3,}t)\b(?!\s+werden)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"\b(?:invoices?|bills?|tickets?|orders?|no\.?|nr\.?|rechnung(?:en)?|factura|facture|fatura)\s*(?:no\.?|nr\.?)?\s*#?\s*\d|#\d",
    re.IGNORECASE,
)
_NOT_ABOUT = re.compile(
    rf"(?:{_DONE.pattern}|{_PUT_OFF.pattern}|{_SHIFTED.pattern})"
    r"|(?:[€$£]\s*\d[\d.,]*|\b\d[\d.,]*\s*(?:€|\$|£|eur|usd|gbp|chf|euros?|dollars?)(?!\w))"
    r"|\b(?:due|deadline|paid|pay|today|yesterday|tomorrow|heute|gestern|morgen|fällig|frist|new|now|date|day|"
    r"[0-2]?\d:[0-5]\d(?::[0-5]\d)?|uhr|am|pm|auf|to|"
    r"must|user(?=:)|pick(?:ed)?\s+up|collect(?:ed)?|abholen)\b",
    re.IGNORECASE,
)
