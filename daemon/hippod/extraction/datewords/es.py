"""The date expressions of Spanish."""

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

_DAYS = listed("lunes martes miércoles|miercoles jueves viernes sábado|sabado domingo")
_MONTHS = listed(
    "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre"
    " diciembre",
    1,
)
_OFFSETS = {
    "anteayer": -2, "antes de ayer": -2, "ayer": -1, "anoche": -1, "hoy": 0, "esta noche": 0,
    "mañana": 1, "pasado mañana": 2,
}  # fmt: skip
_UNITS = {
    "día": 1, "días": 1, "dia": 1, "dias": 1, "semana": 7, "semanas": 7, "mes": MONTH,
    "meses": MONTH, "año": YEAR, "años": YEAR,
}  # fmt: skip
_NUMBERS = words(listed("un|una dos tres cuatro cinco seis siete ocho nueve diez once doce", 1))

GRAMMAR = Grammar(
    rules=(
        rule(
            r"(?<!la )(?<!esta )(?<!cada )(?<!buena )(?<!por )(?:(?<!de )|(?<=partir de ))"
            rf"(?P<word>{any_of(_OFFSETS)})",
            offset,
        ),
        rule(
            r"(?:el~)?(?:día~)?(?P<day>\d{1,2})~del~(?:(?P<next>mes~que~viene|próximo~mes)|"
            r"(?P<last>mes~pasado))",
            day_of_named_month,
        ),
        rule(
            rf"(?:el~)?último~(?P<weekday>{any_of(_DAYS)}|fin~de~semana)~de~"
            rf"(?P<month>{any_of(_MONTHS)})(?:~(?:de|del)~(?P<year>(?:19|20)\d\d))?",
            last_of_month,
        ),
        rule(
            rf"(?:el~)?(?P<weekday>{any_of(_DAYS)}),?~(?:el~)?(?:día~)?(?P<day>\d{{1,2}})"
            r"(?!\s*(?:de\b|del\b|al?\s+\d|y\b|[:h%.,–-]\d?h?))",
            weekday_of_month,
        ),
        rule(
            r"(?:el~)?(?:día~)?(?P<day>\d{1,2}),?~"
            rf"(?P<weekday>{any_of(_DAYS)})",
            weekday_of_month,
        ),
        rule(
            rf"(?:el~)?(?P<weekday>{any_of(_DAYS)})~de~la~(?:(?P<next_week>(?:próxima|"
            rf"proxima)~semana|"
            r"semana~que~viene)|(?P<last_week>semana~pasada))",
            weekday,
        ),
        rule(
            rf"(?:el~)?(?P<weekday>{any_of(_DAYS)})~(?:(?P<next>próximo|proximo|que~viene)|"
            r"(?P<last>pasado))",
            weekday,
        ),
        rule(
            r"(?<!los )(?<!todos )(?<!cada )(?<!un )(?:(?P<next>próximo|proximo)~|"
            r"(?P<last>pasado)~|"
            rf"(?P<this>este)~|(?P<since>desde~el)~)?(?P<weekday>{any_of(_DAYS)})"
            r"(?!~(?:de~cada|santo))",
            weekday,
        ),
        rule(
            r"(?P<day>\d{1,2})\s*(?:al|a|-|–|(?P<and>y))\s*(?:el~)?(?P<day2>\d{1,2})~de~"
            rf"(?P<month>{any_of(_MONTHS)})(?:~(?:de|del)~(?P<year>(?:19|20)\d\d))?",
            month_day,
        ),
        rule(
            rf"(?P<day>\d{{1,2}})~de~(?P<month>{any_of(_MONTHS)})(?:~(?:de|del)~(?P<year>(?:19|"
            rf"20)\d\d))?",
            month_day,
        ),
        rule(
            r"(?:en|hasta|a~partir~de|para|principios~de|finales~de|mediados~de|(?P<since>desde))~"
            rf"(?P<month>{any_of(_MONTHS)})(?:~(?:de|del)~(?P<year>(?:19|20)\d\d))?",
            month_only,
        ),
        rule(r"(?:el|del|al|hasta~el)~día~(?P<day>\d{1,2})(?!~de~)", day_of_month),
        rule(
            rf"(?:en|dentro~de)~(?P<number>\d{{1,3}}|"
            rf"{any_of(_NUMBERS)})~(?P<unit>{any_of(_UNITS)})",
            count,
        ),
        rule(
            rf"(?P<ago>hace)~(?P<number>\d{{1,3}}|{any_of(_NUMBERS)})~(?P<unit>{any_of(_UNITS)})",
            count,
        ),
        rule(r"(?P<next>próxim[oa]|proxim[oa])~(?P<unit>semana|mes|año)", period),
        rule(
            r"(?P<unit>semana|mes|año)~(?:(?P<next>que~viene|próxim[oa])|(?P<last>pasad[oa]))",
            period,
        ),
    ),
    joiner=re.compile(r"\s*(?:a|al|hasta|-|–|—)\s*(?:el\s+)?", re.IGNORECASE),
    recurring=re.compile(
        r"\bcada\s+(?:\w+\s+)?(?:día|semana|mes|año|mañana|noche|lunes|martes|miércoles|jueves|"
        r"viernes|sábado"
        r"|domingo)|\b(?:todos\s+)?los\s+(?:lunes|martes|miércoles|jueves|viernes|sábados|"
        r"domingos|días)|"
        r"\b(?:diario|diariamente|semanal|mensual|anual)\w*",
        re.IGNORECASE,
    ),
    weekdays=in_a_row(any_of(_DAYS), r",|(?:y|o)(?:\s+el|\s+los)?|/"),
    past=last_verb_is_past(
        past=
            r"fue|fueron|era|eran|estaba|había|hubo|estuvo|dijo|trajo|tuvo|fui|hice|hizo|vino|"
            r"vine|puse|\w{2,}(?:aron|ieron)|\w*[^r\W]ó|"
            r"\w+[^r\W]é|\w+[cfgpt]r[éó]|(?:(?:op|esp|sup|recup|gen|alt|lib|ent)e|(?:que|cele)b)ré|\w{3,}[^r\W]í|(?:he|has|ha|hemos|han)\s+\w+[ai]do",
        future=
            r"recuérda\w+|hagamos|quedemos|será|estará|es|está|voy|va|vamos|"
            # the preterite of "operar" and its like looks like a future
            r"(?!(?:(?:op|esp|sup|recup|gen|alt|lib|ent)e|(?:que|cele)b)ré\b)"
            r"\w*(?:[aei]r|[bdr]r)[éá]|\w+remos|hay|"
            r"tengo|tiene|tenemos|llega|"
            r"sale|para(?!\s+(?-i:[A-ZÁÉÍÓÚ]))",
    ),
    words=words(_DAYS, _MONTHS, _OFFSETS, _UNITS, _NUMBERS),
)  # fmt: skip
