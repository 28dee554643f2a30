"""The date expressions of Portuguese."""

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

_DAYS = listed(
    "segunda|segunda-feira terça|terça-feira quarta|quarta-feira quinta|quinta-feira"
    " sexta|sexta-feira sábado domingo"
)
_MONTHS = listed(
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro", 1
)
_OFFSETS = {
    "anteontem": -2, "ontem": -1, "hoje": 0, "amanhã": 1, "depois de amanhã": 2,
}  # fmt: skip
_UNITS = {
    "dia": 1, "dias": 1, "semana": 7, "semanas": 7, "mês": MONTH, "meses": MONTH,
    "ano": YEAR, "anos": YEAR,
}  # fmt: skip
_NUMBERS = words(listed("um|uma dois|duas três quatro cinco seis sete oito nove dez onze doze", 1))
# "segunda" and its like are ordinals too: "-feira", a preposition or a modifier must show a day.
_ORDINAL = (
    r"(?!~(?:vez|parte|fase|versão|opção|etapa|tentativa|metade|geração|página|pessoa|mão)\b)"
)

GRAMMAR = Grammar(
    rules=(
        rule(rf"(?P<word>{any_of(_OFFSETS)})", offset),
        rule(
            rf"(?:(?:na|no|"
            rf"n?est[ea])~)?(?P<weekday>{any_of(_DAYS)})~da~(?:(?P<next_week>semana~que~vem|"
            rf"próxima~semana)|"
            r"(?P<last_week>semana~passada))",
            weekday,
        ),
        rule(
            rf"(?:n?[ao]~)?últim[ao]~(?P<weekday>{any_of(_DAYS)}|fim~de~semana)~de~"
            rf"(?P<month>{any_of(_MONTHS)})(?:~de~(?P<year>(?:19|20)\d\d))?",
            last_of_month,
        ),
        rule(
            rf"(?:n[ao]~)?(?P<weekday>{any_of(_DAYS)}),?~dia~(?P<day>\d{{1,2}})"
            r"(?!\s*(?:de\b|do\b|a\b|e\b|[–-]))",
            weekday_of_month,
        ),
        rule(
            r"dia~(?P<day>\d{1,2})~do~(?:(?P<next>mês~que~vem|próximo~mês)|(?P<last>mês~passado))",
            day_of_named_month,
        ),
        rule(
            rf"(?P<weekday>{any_of(_DAYS)})~(?:(?P<next>que~vem|próxim[oa])|(?P<last>passad[oa]))",
            weekday,
        ),
        rule(
            r"(?<!toda )(?<!cada )(?<!as )(?<!às )(?:(?P<next>próxim[oa])~|(?P<this>nest[ea]|"
            r"est[ea])~|(?P<since>desde~(?:a~|o~)?)|na~|no~|até~)"
            rf"(?P<weekday>{any_of(_DAYS)}){_ORDINAL}",
            weekday,
        ),
        rule(r"(?<!toda )(?<!cada )(?P<weekday>\w+-feira)", weekday),
        rule(
            r"(?P<day>\d{1,2})\s*(?:a|ao|até|-|–|(?P<and>e))\s*(?:dia~)?(?P<day2>\d{1,2})~de~"
            rf"(?P<month>{any_of(_MONTHS)})(?:~de~(?P<year>(?:19|20)\d\d))?",
            month_day,
        ),
        rule(
            rf"(?P<day>\d{{1,2}})º?~de~(?P<month>{any_of(_MONTHS)})(?:~de~(?P<year>(?:19|"
            rf"20)\d\d))?",
            month_day,
        ),
        rule(
            r"(?:em|até|a~partir~de|para|início~de|fim~de|final~de|(?P<since>desde))~"
            rf"(?P<month>{any_of(_MONTHS)})(?:~de~(?P<year>(?:19|20)\d\d))?",
            month_only,
        ),
        rule(r"(?:(?:no|até|do|ao)~)?dia~(?P<day>\d{1,2})(?!~de~)", day_of_month),
        rule(
            rf"(?:em|daqui~a|dentro~de)~(?P<number>\d{{1,3}}|"
            rf"{any_of(_NUMBERS)})~(?P<unit>{any_of(_UNITS)})",
            count,
        ),
        rule(
            rf"(?P<ago>há|faz)~(?P<number>\d{{1,3}}|{any_of(_NUMBERS)})~(?P<unit>{any_of(_UNITS)})",
            count,
        ),
        rule(r"(?P<next>próxim[oa])~(?P<unit>semana|mês|ano)", period),
        rule(r"(?P<unit>semana|mês|ano)~(?:(?P<next>que~vem)|(?P<last>passad[oa]))", period),
    ),
    joiner=re.compile(r"\s*(?:a|à|ao|até|-|–|—)\s*(?:o\s+|a\s+)?", re.IGNORECASE),
    recurring=re.compile(
        r"\b(?:toda|todo|cada)\s+(?:\w+\s+)?(?:dia|semana|mês|ano|manhã|noite|segunda|terça|"
        r"quarta|quinta|sexta|sábado|domingo)|\btod[ao]s\s+[ao]s\s+\w+|\bàs\s+(?:segundas|"
        r"terças|quartas|quintas|sextas)|\bdiári\w+|"
        r"\bsemanal\w*|\bmensal\w*|\banual\w*",
        re.IGNORECASE,
    ),
    weekdays=in_a_row(any_of(_DAYS), r",|(?:e|ou)(?:\s+[ao]|\s+n[ao])?|/"),
    past=last_verb_is_past(
        past=r"foi|foram|era|eram|\w{2,}ava|tinha|havia|houve|disse|teve|esteve|fui|fez|fiz|veio|"
        r"vim|\w{2,}(?:aram|eram|iram)|\w{2,}ou|"
        r"\w+[bcfgpt]rei|\w{2,}[^rs\W]ei|\w{3,}iu|\w{2,}[^aeiou\W]i",
        future=r"lembr[ae]|façamos|será|estará|é|está|vou|vai|vamos|vão|\w+rá|\w*[aei]rei|tenho|"
        r"tem|"
        r"(?<!mudei )(?<!mudou )(?<!fui )(?<!foi )(?<!voltei )para(?!\s+(?-i:[A-ZÁÉÍÓÚ]))|"
        r"chega|sai",
    ),
    words=words(_DAYS, _MONTHS, _OFFSETS, _UNITS, _NUMBERS),
)
