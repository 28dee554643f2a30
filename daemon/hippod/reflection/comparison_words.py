"""The wordings by which people put one thing before another, a table for each language.

A line is `name: pattern`; `~` stands for white space, `m` is the group of what is more, `l` of
what is less, `a` of the quality by which they are compared.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from hippod.reflection.stance_words import entries

WEIGHT = "weight"
"""The quality of what is more important."""


@dataclass(frozen=True, slots=True)
class ComparisonWords:
    """What to look for in a clause of one language; the first pattern that matches counts."""

    orders: tuple[tuple[str, re.Pattern[str]], ...]
    """Names `prefer`, `weight` and `degree`, with a `-` behind where `m` is the lesser one."""
    compares: re.Pattern[str]
    """Words of a comparison, whatever its order."""
    hollow: re.Pattern[str]
    """What only looks like one: "than ever"."""


@cache
def comparison_words(language: str) -> ComparisonWords | None:
    """Return the table of a language, None for one that has none."""
    table = _TABLES.get(language)
    return _compile(table) if table else None


def _compile(table: str) -> ComparisonWords:
    lines = entries(table)
    named = dict(lines)

    def word(name: str) -> re.Pattern[str]:
        return re.compile(rf"(?<!\w)(?:{named[name]})(?!\w)", re.I)

    return ComparisonWords(
        orders=tuple(
            (name, re.compile(pattern if pattern[0] == "^" else rf"(?<!\w)(?:{pattern})", re.I))
            for name, pattern in lines
            if name not in ("compares", "hollow")
        ),
        compares=word("compares"),
        hollow=word("hollow"),
    )


IMPORTANT = re.compile(
    r"import\w+|wichtig\w*|belangrijk\w*|essential|essenziell\w*|crucial|vital|mattered|matters?|"
    r"counts?",
    re.I,
)

_TABLES: Mapping[str, str] = {
    "en": r"""
prefer: would~(?:much~|far~)?(?:rather|sooner)~(?:have~|take~|use~|see~)?(?P<m>.+?)~than~(?P<l>.+)
prefer: prefer\w*~(?P<m>.+?)~(?:over|rather~than|instead~of|above|than|ahead~of)~(?P<l>.+)
prefer: prefer\w*~(?P<m>.+?)(?<!\bgo)(?<!going)(?<!talk)(?<!talking)(?<!speak)(?<!speaking)
    (?<!listen)(?<!listening)(?<!writing)(?<!walking)(?<!driving)(?<!travelling)(?<!flying)
    (?<!coming)(?<!next)(?<!close)(?<!up)(?<!according)(?<!access)(?<!how)(?<!back)~to~(?P<l>.+)
prefer: (?:chose|chooses?|picks?|picked|opts?~for|opted~for|selects?|selected|went~(?:with|for)|
    goes~(?:with|for)|favou?rs?|favou?red|decided~on|settled~on|wants?|recommends?|takes|
    took|likes?)~(?P<m>.+?)~(?:over|instead~of|rather~than|in~preference~to|ahead~of)~(?P<l>.+)
weight: (?:puts?|places?|placed|values?|valued|ranks?|ranked|rates?|rated|holds?|sets?|
    cares~more~about|prioriti[sz]es)~(?P<m>.+?)~(?:above|before|over|ahead~of|higher~than|
    more~than)~(?P<l>.+)
prefer-: (?:lik|lov|enjoy|trust|appreciat)\w+~(?P<m>.+?)~less~than~(?P<l>.+)
prefer: (?:lik|lov|enjoy|trust|appreciat)\w+~(?P<m>.+?)~(?:(?:much|far|even|a~lot)~)?(?:better|
    more)~than~(?P<l>.+)
prefer-: (?:hates?|dislikes?|dreads?)~(?P<m>.+?)~(?:even~)?more~than~(?P<l>.+)
prefer: ^(?P<m>.+?)~(?:beats?|trumps?|outshines?|outclasse?s?|outdoe?s?)~(?P<l>.+)
prefer: ^(?P<m>.+?)~(?:(?:is|are)~)?superior~to~(?P<l>.+)
prefer-: ^(?P<m>.+?)~(?:(?:is|are)~)?(?:inferior~to|no~match~for)~(?P<l>.+)
weight-: ^(?P<m>.+?)~(?:matters?|counts?)~less~than~(?P<l>.+)
weight: ^(?P<m>.+?)~(?:(?:matters?|counts?)~more~than|comes?~before|outweighs?|outranks?|takes?~
    (?:precedence|priority)~over)~(?P<l>.+)
degree-: ^(?P<m>.+?)~(?:(?:is|are|as|to~be)~)?less~(?P<a>\w+)~than~(?P<l>.+)
degree: ^(?P<m>.+?)~(?:(?:is|are|as|to~be)~)?(?:(?:much|far|even|way|a~lot)~)?(?:more~
    (?P<a>\w+)|(?P<b>better|worse|\w{2,}er)(?<!rather)(?<!other)(?<!whether))~than~(?P<l>.+)
prefer: ^(?P<m>.+?)~(?:rather~than|instead~of)~(?P<l>.+)
compares: than|as~\w+~as|compar\w+|versus|vs|equally|prefer\w*\b.*\bto~(?!\w+~)|rather~have|
    superior|inferior
hollow: than~(?:ever|before|expected|usual|normal|nothing|that|once|any\w*|most|s?he|they|we|
    people|others|\d\S*|one|two|three|ten|last~\w+|(?:it|he|she)~\w+)
""",
    "de": r"""
prefer: zieh\w*~(?:dem|der|einem|einer|\w+em)~(?P<l>\S+(?:~\S+)?)~(?:den|die|das|einen|eine|
    ein|seinen|ihren)~(?P<m>.+?)~vor
prefer: zieh\w*~(?P<m>.+?)~(?:dem|der|den|einem|einer|allem|\w+em)~(?P<l>.+?)~vor(?!\w)
prefer: bevorzug\w*~(?P<m>.+?)~(?:gegenüber|vor|statt|anstatt|anstelle~von|lieber~als)~(?P<l>.+)
prefer: (?:mag|mögen|liebt|schätzt|hat|gefällt|gefallen)~(?P<m>.+?)~(?:lieber|mehr|besser)~als~
    (?P<l>.+)
prefer: lieber~(?P<m>.+?)~(?:als|statt|anstatt)~(?P<l>.+)
prefer: (?:entschied|entscheidet|wählt\w*|nimmt|nahm)~(?:sich~)?(?:(?:eher|lieber)~)?(?:für~)?
    (?P<m>.+?)~(?:statt|anstatt|anstelle~von|und~(?:nicht|gegen))~(?P<l>.+)
weight: (?:stellt|setzt)~(?P<m>.+?)~(?:über|vor)~(?P<l>.+)
weight: ^(?P<m>.+?)~(?:geht|zählt~mehr|kommt)~(?:vor|als)~(?P<l>.+)
degree-: ^(?P<m>.+?)~weniger~(?P<a>\w+)~als~(?P<l>.+)
degree: ^(?P<m>.+?)~(?:viel~|weit~|deutlich~|noch~)?(?P<a>\w{2,}er)(?<!lieber)(?<!immer)(?<!aber
    )(?<!oder)(?<!unter)(?<!über)(?<!wieder)~als~(?P<l>.+)
compares: (?:lieber|mehr|weniger|eher|\w{3,}er)\b.*\bals|(?:genau|eben)?so~\w+~wie|verglichen|
    vergleich\w*|zieh\w*\b.*\bvor|gegenüber
hollow: als~(?:je|zuvor|früher|sonst|erwartet|gedacht|alles|nichts|nur|\d\S*|man|er|sie)
""",
    "es": r"""
prefer: prefier\w+~(?P<m>.+?)~(?:antes~que|en~lugar~del?|en~vez~del?|por~encima~del?|sobre|al?|
    que)~(?P<l>.+)
prefer: (?:gust|encant|interes)a\w*~más~(?P<m>.+?)~que~(?P<l>.+)
prefer: (?:gust|encant|interes)a\w*~(?P<m>.+?)~más~que~(?P<l>.+)
prefer: ^(?P<m>.+?)~(?:le~)?(?:gust|encant)a\w*~más~que~(?P<l>.+)
prefer: (?:elig\w+|eleg\w+|escog\w+|opt[aó]\w*~por)~(?P<m>.+?)~(?:antes~que|en~lugar~del?|
    en~vez~del?|sobre|y~no)~(?P<l>.+)
weight: (?:pone|antepone|valora)~(?P<m>.+?)~(?:por~(?:delante|encima)~del?|antes~que|al?|
    más~que)~(?P<l>.+)
degree-: ^(?P<m>.+?)~menos~(?P<a>\w+)~que~(?P<l>.+)
degree: ^(?P<m>.+?)~(?:más~(?P<a>\w+)|(?P<b>mejor(?:es)?|peor(?:es)?))~que~(?P<l>.+)
compares: (?:más|menos|mejor\w*|peor\w*)\b.*\bque|tan~\w+~como|compar\w+|prefier\w+\b.*\b(?:al?|
    que|antes)
hollow: (?:que|de)~(?:nunca|antes|nada|lo|\d\S*|un[oa]?~vez)
""",
    "fr": r"""
prefer: préf[èé]r\w*~(?P<m>.+?)~(?:plutôt~qu(?:e~|['’])|au~lieu~d(?:e~|u~|['’])|à~(?:la~|l['’]|
    )?|aux?~)(?P<l>.+)
prefer: (?:aime\w*|apprécie\w*|plaît)~(?:mieux|plus|davantage)~(?P<m>.+?)~qu(?:e~|['’])(?P<l>.+)
prefer: (?:aime\w*|apprécie\w*)~(?P<m>.+?)~(?:plus|mieux|davantage)~qu(?:e~|['’])(?P<l>.+)
prefer: chois\w+~(?P<m>.+?)~(?:plutôt~qu(?:e~|['’])|au~lieu~d(?:e~|u~|['’]))(?P<l>.+)
weight: (?:place|met|fait~passer)~(?P<m>.+?)~(?:avant|au-dessus~d(?:e|u))~(?P<l>.+)
degree-: ^(?P<m>.+?)~moins~(?P<a>\w+)~qu(?:e~|['’])(?P<l>.+)
degree: ^(?P<m>.+?)~(?:plus~(?P<a>\w+)|(?P<b>meilleure?s?|mieux|pires?))~qu(?:e~|['’])(?P<l>.+)
compares: (?:plus|moins|mieux|meilleure?s?|pires?|plutôt)\b.*\bqu(?:e(?!\w)|(?=['’]))|aussi~\w+~
    que|compar\w+|préf[èé]r\w*\b.*~(?:à|aux?)
hollow: que~(?:jamais|prévu|tout|rien|\d\S*)|qu['’]avant
""",
    "pt": r"""
prefer: prefer\w*~(?P<m>.+?)~(?:do~que|em~vez~d[eoa]s?|ao~invés~d[eoa]s?|a|ao|à|aos|às|que)~
    (?P<l>.+)
prefer: gosta\w*~mais~d[eoa]s?~(?P<m>.+?)~(?:do~)?que~(?:d[eoa]s?~)?(?P<l>.+)
prefer: gosta\w*~d[eoa]s?~(?P<m>.+?)~mais~(?:do~)?que~(?:d[eoa]s?~)?(?P<l>.+)
prefer: (?:escolh\w+|opt\w+~por)~(?P<m>.+?)~(?:em~vez~d[eoa]s?|ao~invés~d[eoa]s?)~(?P<l>.+)
weight: (?:põe|coloca)~(?P<m>.+?)~(?:acima|à~frente|antes)~d[eoa]s?~(?P<l>.+)
degree-: ^(?P<m>.+?)~menos~(?P<a>\w+)~(?:do~)?que~(?P<l>.+)
degree: ^(?P<m>.+?)~(?:mais~(?P<a>\w+)|(?P<b>melhor(?:es)?|pior(?:es)?))~(?:do~)?que~(?P<l>.+)
compares: (?:mais|menos|melhor\w*|pior\w*)\b.*\bque|tão~\w+~(?:como|quanto)|compar\w+|
    prefer\w*\b.*~(?:a|ao|à|aos|às)
hollow: que~(?:nunca|antes|tudo|nada|\d\S*)
""",
    "it": r"""
prefer: prefer\w*~(?P<m>.+?)~(?:piuttosto~che|anziché|invece~d(?:i~|el\w*~|ell['’])|al~posto~
    d(?:i~|el\w*~|ell['’])|rispetto~a\w*~|a~|al~|allo~|alla~|all['’]|ai~|agli~|alle~)(?P<l>.+)
prefer: (?:piac\w+|ama)~(?:di~)?più~(?P<m>.+?)~(?:che|di|del|dello|della|dei)~(?P<l>.+)
prefer: (?:piac\w+|ama)~(?P<m>.+?)~(?:di~)?più~(?:che|di|del|dello|della|dei)~(?P<l>.+)
prefer: (?:scegli\w+|scelto|scelse|opta~per)~(?P<m>.+?)~(?:invece~d\w+|al~posto~d\w+|anziché|
    piuttosto~che)~(?P<l>.+)
weight: (?:mette|antepone)~(?P<m>.+?)~(?:prima~d\w+|davanti~a\w*|al?|alla)~(?P<l>.+)
degree-: ^(?P<m>.+?)~meno~(?P<a>\w+)~(?:che|di|del|dello|della|dei|delle)~(?P<l>.+)
degree: ^(?P<m>.+?)~(?:più~(?P<a>\w+)|(?P<b>miglior[ei]?|meglio|peggior[ei]?|peggio))~(?:che|di|
    del|dello|della|dei|delle)~(?P<l>.+)
compares: (?:più|meno|meglio|miglior\w*|peggio\w*)\b.*\b(?:che|di|del\w*|dei)|tanto~quanto|
    confront\w+|prefer\w*\b.*~(?:a|al|allo|alla|all['’]|ai|agli|alle)
hollow: (?:che|di)~(?:mai|prima|tutto|\d\S*)|del~(?:previsto|solito)
""",
    "nl": r"""
prefer: (?:verkiest|verkiezen)~(?P<m>.+?)~boven~(?P<l>.+)
prefer: voorkeur~aan~(?P<m>.+?)~boven~(?P<l>.+)
prefer: liever~(?P<m>.+?)~(?:dan|in~plaats~van)~(?P<l>.+)
prefer: houdt?~meer~van~(?P<m>.+?)~dan~(?:van~)?(?P<l>.+)
prefer: houdt?~van~(?P<m>.+?)~meer~dan~(?:van~)?(?P<l>.+)
prefer: (?:kiest|koos)~(?:voor~)?(?P<m>.+?)~(?:in~plaats~van|boven)~(?P<l>.+)
weight: stelt~(?P<m>.+?)~boven~(?P<l>.+)
degree-: ^(?P<m>.+?)~minder~(?P<a>\w+)~dan~(?P<l>.+)
degree: ^(?P<m>.+?)~(?P<a>\w{2,}er)(?<!liever)(?<!meer)~dan~(?P<l>.+)
compares: (?:liever|meer|minder|\w{3,}er)\b.*\bdan|even~\w+~als|vergelek\w*|vergelijk\w*|boven
hollow: dan~(?:ooit|voorheen|vroeger|verwacht|alles|\d\S*)
""",
}
