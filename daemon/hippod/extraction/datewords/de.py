"""The date expressions of German."""

import re

from hippod.extraction.datewords.rules import (
    MONTH,
    YEAR,
    Grammar,
    any_of,
    count,
    day_of_month,
    day_of_named_month,
    in_a_row,
    last_of_month,
    listed,
    month_day,
    month_only,
    offset,
    period,
    rule,
    weekday,
    weekday_of_month,
    words,
)

_DAYS = listed("montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag")
_MONTHS = listed(
    "januar|jänner|jan februar|feber|feb märz april|apr mai juni|jun juli|jul august|aug"
    " september|sept|sep oktober|okt november|nov dezember|dez",
    1,
)
_OFFSETS = {
    "vorgestern": -2, "gestern": -1, "heute": 0, "morgen": 1, "übermorgen": 2,
}  # fmt: skip
_UNITS = {
    "tag": 1, "tage": 1, "tagen": 1, "woche": 7, "wochen": 7, "monat": MONTH,
    "monate": MONTH, "monaten": MONTH, "jahr": YEAR, "jahre": YEAR, "jahren": YEAR,
}  # fmt: skip
_NUMBERS = words(
    listed("einem|einer|ein|eine zwei drei vier fünf sechs sieben acht neun zehn elf zwölf", 1)
)
_NEXT = r"nächste[nrs]?|kommende[nrs]?"
_LAST = r"letzte[nrs]?|vergangene[nrs]?|vorige[nrs]?"

_PRETERITE = re.compile(
    r"\b(?:(?:war|stand|lag|ging|kam|gab|fand|fuhr|flog|lief|hielt|hieß|blieb|schrieb|rief|fiel|"
    r"ließ|"
    r"nahm|sah|las|aß|trank|sprach|traf|starb|half|warf|brach|zog|verlor|bekam|begann|schloss|"
    r"schlief|saß|trug|wuchs|stieg|betrug|schien|gewann|sang|schwamm)(?:en|t|st)?|wurden?|"
    r"(?!(?:heute|bitte|\w*(?:arbeite|warte|halte|biete|rate|heirate|leite|miete|starte|teste|"
    r"reite|achte|schalte)|könnte|sollte|möchte|müsste|dürfte|hätte|letzte|gute|alte|rechte|"
    r"leichte|echte|"
    r"bunte|harte|späte|feste|weite|breite|achte|fünfte|sechste|zehnte|zweite|dritte|\w*ste)\b)"
    r"(?<!ich\s)(?-i:[a-zäöüß]){2,}te)\b",
    re.IGNORECASE,
)
_PRESENT = re.compile(
    r"\b(?:wird|werden|lasst?|erinner\w*|sind|bin|ist|habe[n]?|kann|muss|soll|will|bis|ab|"
    r"(?!(?:mit|nicht|seit|jetzt|selbst|fast|erst|sonst|fort|dort|oft|laut|statt|weit|gut|acht|"
    r"hast|zuerst|zuletzt)\b)(?-i:[a-zäöüß]{2,}t)|(?:ich|wir)\s+\w+|\w+\s+(?:ich|wir))\b",
    re.IGNORECASE,
)
_PERFECT = re.compile(
    r"\b(?:hat|habe|haben|hast|ist|sind|bin)\b(?!.*\bzu\b)[^.;!?]*\b\w*(?:ge\w{2,}|(?:be|ver|er|"
    r"ent|zer)\w{3,}|iert)(?:t|en)?\W*$",
    re.IGNORECASE,
)


def _is_german_past(text: str, position: int) -> bool | None:
    """Look for a preterite, or an auxiliary before the date and a participle at the end."""
    clause = re.split(r"[,;.!?](?:\s|$)", text[position : position + 120])[0]
    before = re.split(r"[,;.!?]\s", text[max(0, position - 80) : position])[-1]
    if _PRETERITE.search(before + clause) or _PERFECT.search(before + clause):
        return True
    return False if _PRESENT.search(before + clause) else None


GRAMMAR = Grammar(
    rules=(
        rule(
            r"(?<!am )(?<!guten )(?<!heute )(?<!gestern )(?<!jeden )"
            rf"(?P<word>{any_of(_OFFSETS)})(?!~morgen\b)",
            offset,
        ),
        rule(r"(?P<word>heute|gestern)(?=~morgen\b)", offset),
        rule(
            rf"(?:(?P<next_week>(?:{_NEXT})~woche)|(?P<last_week>(?:{_LAST})~woche))~(?:am~)?"
            rf"(?P<weekday>{any_of(_DAYS)})",
            weekday,
        ),
        rule(
            rf"(?:am~)?(?P<weekday>{any_of(_DAYS)})~(?:(?P<next_week>nächster~woche|"
            rf"in~der~nächsten~woche)|"
            r"(?P<last_week>letzter~woche))",
            weekday,
        ),
        rule(
            rf"(?:am~)?letzten~(?P<weekday>{any_of(_DAYS)}|wochenende)~(?:im|des)~"
            rf"(?P<month>{any_of(_MONTHS)})s?(?:~(?P<year>(?:19|20)\d\d))?",
            last_of_month,
        ),
        rule(
            rf"(?:am~)?(?P<weekday>{any_of(_DAYS)}),?~(?:den~|dem~|der~)?(?P<day>\d{{1,2}})\."
            rf"(?!\s*(?:\d|{any_of(_MONTHS)}|nächsten|des))",
            weekday_of_month,
        ),
        rule(
            r"(?<!jeden )(?<!jeder )(?<!zweiten )(?<!einem )(?<!einen )(?:(?:am|ab|zum)~)?"
            rf"(?:(?P<next>{_NEXT})~|(?P<last>{_LAST})~|(?P<this>diesen|dieser)~|(?P<since>seit)~)?"
            rf"(?P<weekday>{any_of(_DAYS)})(?!~(?:im|des|der)~(?:monat|jahr))",
            weekday,
        ),
        rule(
            r"(?:am~)?(?P<day>\d{1,2})\.~(?:des~)?(?:(?P<next>nächsten|kommenden)|"
            r"(?P<last>letzten|vorigen))~monats",
            day_of_named_month,
        ),
        rule(
            r"(?P<day>\d{1,2})\.?\s*(?:bis~(?:zum~)?|[-–]\s*|(?P<and>und)~(?:am~)?)(?P<day2>\d{1,2})\.\s*"
            rf"(?P<month>{any_of(_MONTHS)})\.?(?:~(?P<year>(?:19|20)\d\d))?",
            month_day,
        ),
        rule(
            rf"(?P<day>\d{{1,2}})\.\s*(?P<month>{any_of(_MONTHS)})(?:\.?~(?P<year>(?:19|20)\d\d))?",
            month_day,
        ),
        rule(
            r"(?:am|bis|ab|vom|zum)~(?P<day>\d{1,2})\.(?P<month>0?[1-9]|1[0-2])\.(?!\d)", month_day
        ),
        rule(r"(?P<day>\d{1,2})\.(?P<month>0?[1-9]|1[0-2])\.(?P<year>(?:19|20)\d\d)", month_day),
        rule(
            r"(?:im|ab|bis|anfang|mitte|ende|(?P<since>seit)|(?P<next>nächsten)|(?P<last>letzten))~"
            rf"(?P<month>{any_of(_MONTHS)})(?:~(?P<year>(?:19|20)\d\d))?",
            month_only,
        ),
        rule(
            r"(?:am|bis~zum|ab~dem|vor~dem|seit~dem|vom)~(?P<day>\d{1,2})\.(?!\s*\w|\d)",
            day_of_month,
        ),
        rule(rf"in~(?P<number>\d{{1,3}}|{any_of(_NUMBERS)})~(?P<unit>{any_of(_UNITS)})", count),
        rule(
            rf"(?P<ago>vor)~(?P<number>\d{{1,3}}|{any_of(_NUMBERS)})~(?P<unit>{any_of(_UNITS)})",
            count,
        ),
        rule(rf"(?:(?P<next>{_NEXT})|(?P<last>{_LAST}))~(?P<unit>woche|monat|jahr)", period),
    ),
    joiner=re.compile(r"\s*(?:bis|-|–|—)\s*(?:zum\s+)?", re.IGNORECASE),
    recurring=re.compile(
        r"\bjede[nrs]?\s+(?:\w+\s+)?(?:tag|woche|monat|jahr|morgen|abend|(?:mon|diens|donners|"
        r"frei|sams|sonn)tag"
        r"|mittwoch)|\b(?:mon|diens|donners|frei|sams|sonn)tags\b|\bmittwochs\b|\btäglich|"
        r"\bwöchentlich|"
        r"\bmonatlich|\bjährlich",
        re.IGNORECASE,
    ),
    weekdays=in_a_row(any_of(_DAYS), r",|(?:und|oder)(?:\s+am)?|/"),
    past=_is_german_past,
    words=words(_DAYS, _MONTHS, _OFFSETS, _UNITS, _NUMBERS),
)
