"""The hours that a sentence names: "between 23:00 and 08:00", "11pm-7am", "von 22 bis 6 Uhr"."""

import re

from hippod.schedule import Hours


def read(sentence: str) -> Hours | None:
    """Return the hours from the first time to the second one, or None if it names no two times.

    Raises `ValueError` for times that no day has, or that are the same.
    """
    sentence = _outside(sentence[:500])
    match = next((each for each in _RANGE.finditer(sentence) if _is_of_times(each)), None)
    if match is None:
        return _open_ended(sentence)
    if match["b_half"] and not (match["a_half"] or match["a_named"] or match["a_minute"]):
        raise ValueError(f"{match[0].strip()!r} does not say am or pm for both times")
    start, end = (_minute(match, side) for side in ("a", "b"))
    if start % _DAY == end % _DAY:
        raise ValueError(f"{match[0].strip()!r} begins when it ends")
    return Hours(start % _DAY, end or _DAY)


def why_not_taken(sentence: str) -> str:
    """Say why the hours of a sentence are not those of each day here; nothing if they are."""
    sentence = _outside(sentence[:500])
    if match := _SOME_DAYS.search(sentence):
        return f"hippod knows no quiet hours for {match[0].strip()!r} alone"
    if match := _ZONE.search(sentence):
        return f"hippod takes hours in your own zone, not in {match[0]!r}"
    return ""


def names_several(sentence: str) -> bool:
    """Say whether a sentence names more hours than one range."""
    return sum(map(_is_of_times, _RANGE.finditer(_outside(sentence[:500])))) > 1


def names_a_time(sentence: str) -> bool:
    """Say whether a sentence speaks of a time of the day or of the week at all."""
    sentence = sentence[:500]
    return any(each.search(sentence) for each in (_A_TIME, _SOME_DAYS, _ZONE))


def _open_ended(sentence: str) -> Hours | None:
    """Read "before 9am" and "after 10 pm", unless it is what the quiet depends on."""
    match = _ONE_SIDED.search(sentence)
    if match is None or _UNLESS.search(sentence[: match.start()]):
        return None
    minute = _minute(match, "a") % _DAY
    if match["before"]:
        return Hours(0, minute) if minute else None
    return Hours(minute, _DAY) if minute else None


def _outside(sentence: str) -> str:
    """Turn "after 22:00 or before 7:00" into "from 22:00 to 7:00"."""
    return _AFTER.sub(r"from \g<start> to \g<end>", sentence)


_AFTER = re.compile(
    r"\b(?:after|past|later\s+than|nach|ab|después\s+de|après)\s+(?P<start>(?:las\s+)?\d[\d:.h]*\s*(?:[ap]\.?m\b\.?|uhr)?)"
    r"\s*,?\s*(?:or|and|nor|oder|und|ni|o|y|ou|et)\s+(?:before|earlier\s+than|vor|bis|antes\s+de|avant)\s+"
    r"(?P<end>(?:las\s+)?\d)",
    re.IGNORECASE,
)


def _is_of_times(match: re.Match[str]) -> bool:
    """Tell hours from other numbers: "unless 2-3 mails wait" names no time."""
    marked = any(match[f"{side}_{part}"] for side in "ab" for part in ("named", "minute", "half"))
    before = match.string[max(0, match.start() - 20) : match.start()]
    return marked or _UNIT.search(match[0]) is not None or _LEADS.search(before) is not None


_UNIT = re.compile(r"\d\s*(?:uhr|o'clock|h|horas?|heures?|点|時|时)", re.IGNORECASE)
_LEADS = re.compile(
    r"(?:\b(?:between|from|hours|nights?|during|quiet|silent|ruhig|still|leise|zwischen|von|nachts|entre|de|da|las|les|as)|ruhezeit\w*)"
    r"\W*(?:las\s+|les\s+|as\s+)?$",
    re.IGNORECASE,
)
_DAY = 24 * 60
_NAMED = {"midnight": 0, "noon": 12 * 60, "midday": 12 * 60, "mitternacht": 0, "mittag": 12 * 60,
          "mittags": 12 * 60, "medianoche": 0, "mediodía": 12 * 60, "minuit": 0, "midi": 12 * 60,
          "meia-noite": 0, "meio-dia": 12 * 60}  # fmt: skip


def _minute(match: re.Match[str], side: str) -> int:
    if named := match[f"{side}_named"]:
        return _NAMED[named.casefold()]
    hour, minute = int(match[f"{side}_hour"]), int(match[f"{side}_minute"] or 0)
    half = (match[f"{side}_half"] or "").casefold()[:1]
    if half and not 1 <= hour <= 12:
        raise ValueError(f"a day has no such time: {match[0].strip()!r}")
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    if hour * 60 + minute > _DAY or minute > 59:
        raise ValueError(f"a day has no such time: {match[0].strip()!r}")
    return hour * 60 + minute


def _time(side: str) -> str:
    return (
        rf"(?:(?P<{side}_named>{'|'.join(_NAMED)})\b|(?P<{side}_hour>\d{{1,2}})(?:[:.h](?P<{side}_minute>\d\d))?"
        rf"(?!\d)\s*(?:(?P<{side}_half>[ap])\.?m\b\.?|uhr\b|o'clock\b|h\b|horas?\b|heures?\b|点|時|时)?)"
    )


_ONE_SIDED = re.compile(
    rf"\b(?:(?P<before>before|earlier\s+than|vor|antes\s+de|avant)|(?:after|past|later\s+than|nach|después\s+de|après))"
    rf"\s+(?:las?\s+)?(?=\d{{1,2}}(?:[:.h]\d\d|\s*(?:[ap]\.?m\b|uhr\b|o'clock\b|h\b))|\D){_time('a')}",
    re.IGNORECASE,
)
_UNLESS = re.compile(
    r"\b(?:unless|except|if|when|until|außer|wenn|falls|sofern|salvo|sauf|si)\b", re.IGNORECASE
)
_SOME_DAYS = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|tue|wed|thu|fri|sat|sun)\s*[-–]\s*\w{3,}|week-?ends?|week-?days?|"
    r"work(?:ing)?\s?days?|holidays?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|wochenenden?|werktags?|wochentags?|"
    r"feiertags?n?|mo\s*[-–]\s*(?:fr|sa|do)|fin(?:es)?\s+de\s+semana|week-end|domingos?|sábados?|today|tonight|tomorrow|heute|morgen)\b",
    re.IGNORECASE,
)
_ZONE = re.compile(r"\b(?:UTC|GMT|[CEMPW]E?[SD]?T|MESZ|MEZ|JST|IST)\b")
_A_TIME = re.compile(
    r"\d\s*(?:[:.h]\s?\d\d|[ap]\.?m\b|uhr\b|o'clock\b)|\b(?:nights?|mornings?|evenings?|afternoons?|lunch\w*|noon|midnight|dinner|"
    r"sleep\w*|nachts?|abends?|morgens|mittags?|früh|noche|mañana|tarde|nuit|matin|soir|noite|manhã)\b",
    re.IGNORECASE,
)
_RANGE = re.compile(
    rf"(?<![\d.:/-]){_time('a')}\s*(?:-|–|—|~|to|and|until|till|through|bis|und|a|y|à|et|e|às|até|hasta|至|到|から)"
    rf"\s*(?:las\s+|les\s+|as\s+|um\s+)?{_time('b')}",
    re.IGNORECASE,
)
