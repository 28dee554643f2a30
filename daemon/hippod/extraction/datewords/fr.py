"""The date expressions of French."""

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
    last_verb_is_past,
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

_DAYS = listed("lundi mardi mercredi jeudi vendredi samedi dimanche")
_MONTHS = listed(
    "janvier février|fevrier mars avril mai juin juillet août|aout septembre octobre novembre"
    " décembre|decembre",
    1,
)
_OFFSETS = {
    "avant-hier": -2, "hier": -1, "aujourd'hui": 0, "aujourd’hui": 0, "ce soir": 0,
    "demain": 1, "après-demain": 2,
}  # fmt: skip
_UNITS = {
    "jour": 1, "jours": 1, "semaine": 7, "semaines": 7, "mois": MONTH, "an": YEAR,
    "ans": YEAR, "année": YEAR,
}  # fmt: skip
_NUMBERS = words(listed("un|une deux trois quatre cinq six sept huit neuf dix onze douze", 1))

GRAMMAR = Grammar(
    rules=(
        rule(rf"(?P<word>{any_of(_OFFSETS)})", offset),
        rule(
            r"le~(?P<day>\d{1,2})~du~mois~(?:(?P<next>prochain)|(?P<last>dernier))",
            day_of_named_month,
        ),
        rule(
            rf"(?:le~)?dernier~(?P<weekday>{any_of(_DAYS)}|week-end)~(?:de~|d['’])"
            rf"(?P<month>{any_of(_MONTHS)})(?:~(?P<year>(?:19|20)\d\d))?",
            last_of_month,
        ),
        rule(
            rf"(?:le~)?(?P<weekday>{any_of(_DAYS)}),?~(?:le~)?(?P<day>\d{{1,2}})(?:er)?"
            rf"(?!\s*(?:{any_of(_MONTHS)}|du|au|et|h|heures|[:%–-]\d))",
            weekday_of_month,
        ),
        rule(
            rf"(?P<weekday>{any_of(_DAYS)})~de~la~semaine~(?:(?P<next_week>prochaine)|"
            rf"(?P<last_week>dernière))",
            weekday,
        ),
        rule(
            rf"(?P<weekday>{any_of(_DAYS)})~(?:(?P<next>prochain|qui~vient)|(?P<last>dernier|"
            rf"passé))",
            weekday,
        ),
        rule(
            r"(?<!le )(?<!les )(?<!chaque )(?<!un )(?<!du )(?<!tous les )"
            + "".join(f"(?<!{day} au )" for day in _DAYS)
            + r"(?:(?P<this>ce)~|"
            r"(?P<since>depuis)~)?"
            rf"(?P<weekday>{any_of(_DAYS)})(?!~(?:du|de~chaque|saint)\b)",
            weekday,
        ),
        rule(
            r"(?P<day>\d{1,2})(?:er)?\s*(?:au|-|–|(?P<and>et))\s*(?:le~)?(?P<day2>\d{1,2})~"
            rf"(?P<month>{any_of(_MONTHS)})(?:~(?P<year>(?:19|20)\d\d))?",
            month_day,
        ),
        rule(
            rf"(?P<day>\d{{1,2}})(?:er)?~(?P<month>{any_of(_MONTHS)})(?:~(?P<year>(?:19|20)\d\d))?",
            month_day,
        ),
        rule(
            r"(?:en|dès|jusqu['’]en|à~partir~de|d['’]ici|début|mi|fin|(?P<since>depuis))~"
            rf"(?P<month>{any_of(_MONTHS)})(?:~(?P<year>(?:19|20)\d\d))?",
            month_only,
        ),
        rule(
            r"(?:jusqu['’]au|avant~le|à~partir~du|dès~le|depuis~le)~(?P<day>\d{1,2})(?!\s*(?:\w|"
            r"[:h%]))",
            day_of_month,
        ),
        rule(rf"dans~(?P<number>\d{{1,3}}|{any_of(_NUMBERS)})~(?P<unit>{any_of(_UNITS)})", count),
        rule(
            rf"(?P<ago>il~y~a)~(?P<number>\d{{1,3}}|{any_of(_NUMBERS)})~(?P<unit>{any_of(_UNITS)})",
            count,
        ),
        rule(
            r"(?P<unit>semaine|mois|an|année)~(?:(?P<next>prochaine?)|(?P<last>derni(?:er|ère)|"
            r"passée?))",
            period,
        ),
    ),
    joiner=re.compile(r"\s*(?:au|à|jusqu['’]au|jusqu['’]à|-|–|—)\s*", re.IGNORECASE),
    recurring=re.compile(
        r"\bchaque\s+(?:jour|semaine|mois|année|an|matin|soir|lundi|mardi|mercredi|jeudi|"
        r"vendredi|samedi|dimanche)|\b(?:tous|toutes)\s+les\s+\w+|\ble\s+(?:lundi|mardi|"
        r"mercredi|jeudi|vendredi|samedi|dimanche)"
        r"\b|\bquotidien\w*|\bhebdomadaire|\bmensuel\w*|\bannuel\w*",
        re.IGNORECASE,
    ),
    weekdays=in_a_row(any_of(_DAYS), r",|(?:et|ou)(?:\s+le)?|/"),
    past=last_verb_is_past(
        past=r"fut|furent|eut|(?:n|all|arriv|décéd|rest)ée?s?|(?:part|sort)ie?s?|(?:ven|dev)enue?s?|(?!parfait\b|souhait\b)\w{3,}ai(?:t|ent)|était|étaient|avait|"
        r"avaient|(?:j['’]ai|a|ont|avons|est|sont|suis)\s+(?!prévu|lieu\b|"
        r"à\b)\w+(?:é|ée|és|ées|"
        r"i|u|it|is|ue|ert)",
        future=r"rappelle\w*|faisons|sera|vais|va|allons|vont|\w+(?:rai|ra|rons|ront)|de|d['’]\w+|"
        r"prévue?|est|arrive|commence|débute|"
        r"part",
    ),
    words=words(_DAYS, _MONTHS, _OFFSETS, _UNITS, _NUMBERS),
)
