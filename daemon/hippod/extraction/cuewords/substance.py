"""Words that tell a general statement from a remark of the moment, in all languages.

They decide about sentences that no class of wording claims: reasons, limits and quantities make
a statement; tenses and adverbs of right now make a remark. `~` stands for white space.
"""

from typing import Final

from hippod.extraction.cuewords.table import compiled

_GROUNDS: Final = {
    "en": r"\b(?:only|never|always|every|each|since|because|so|unless|until|more~than|less~than|"
    r"fewer|at~least|"
    r"at~most|above|below|between|without|nobody|no~one|nothing|anyone|whenever|usually|normally|"
    r"mostly|both|"
    r"all|none|per|otherwise|rest|half|instead|except|any~more|whoever|twice|thirds?|belongs?)\b",
    "de": r"\b(?:nur|nie|niemals|immer|jede\w*|seit|weil|deshalb|deswegen|drum|damit|ab|mehr~als|"
    r"höchstens|"
    r"mindestens|ohne|kein\w*|niemand|alle\w*|pro|je|meistens|sonst|zwischen|außer|halb\w*|sobald|"
    r"gehört|"
    r"nichts|also|obwohl)\b",
    "es": r"\b(?:solo|sólo|nunca|siempre|cada|desde|porque|por~eso|así~que|más~de|menos~de|sin|"
    r"nadie|tod[oa]s?|mitad|"
    r"por~ciento|hasta|si~no|entre|salvo|excepto|nada|aunque|ningun[oa]?|ambos|ambas|por~culpa)\b",
    "fr": r"\b(?:seulement|jamais|toujours|chaque|depuis|parce~que|car|du~coup|donc|plus~de|"
    r"moins~de|"
    r"au-dess\w+|sans|personne|tous|toutes?|par|sinon|entre|sauf|rien|moitié|même~si|aucune?|"
    r"puisque|dès)\b|"
    r"\b(?:ne|n')\W?\w+~(?:que|qu'|plus)\b",
    "pt": r"\b(?:só|somente|apenas|nunca|sempre|cada|desde|porque|por~isso|por~causa|mais~de|"
    r"menos~de|sem|"
    r"ninguém|tod[oa]s?|metade|senão|até|entre|exceto|menos|nada|embora|nenhuma?|quando)\b",
    "zh": r"只|从不|从来|总是|每|因为|所以|超过|以上|以下|没人|都|全|一律|才|否则|"
    r"除了|不然|一半|之间|必须",
    "ja": r"だけ|しか|必ず|毎|ので|から|以上|以下|全部|みんな|いつも|ないと|すべて|"
    r"ずっと|以外|ために|半分",
}
_MOMENTS: Final = {
    "en": r"\b(?:now|just|today|tonight|again|still|already|currently|finally|sorry|right|yeah|"
    r"hang|sec|almost|"
    r"about~to|so~far|this~(?:minute|second|morning|afternoon|evening)|any~(?:second|minute))\b|"
    r"\b(?:i|we|it|he|she|they|there)(?:'m|'re|'s|~am|~is|~are|~was|~were)~(?:\w+ly~|still~|just~|"
    r"all~)?\w+ing\b|"
    r"\b(?:is|are)~(?!going\b|working\b|leaving\b|joining\b|moving\b)\w+ing~(?:at|on|in|my|me|the|"
    r"and)\b|"
    r"\b(?:i|they|we|she|he|it)(?:'ve|'s|~have|~has)~(?:just~)?(?:got|run|gone|\w+ed)\b(?!~to\b)|"
    r"\bmy~\w+(?:'s|~has|~is|~are)~(?:gone|\w+ing|cold|dead|full|empty|on)\b|\bgood~(?:luck|"
    r"morning|evening|night)\b",
    "de": r"\b(?:grade?|gerade|jetzt|eben|schon~(?:wieder|fertig|da)|wieder|moment|sorry|"
    r"entschuldige|heute|gleich|"
    r"endlich|kurz|schnell|ich~(?:steh|sitz|lieg|hock|wart|such|lauf)\w*|bin~(?:im|in|am|auf|"
    r"beim?|gleich|schon))\b",
    "es": r"\b(?:estoy|estamos|ya|ahora|todavía|aún|acabo|hoy|uf|ay|me~estoy|está~\w+ndo|otra~vez|"
    r"por~fin|enseguida|"
    r"casi|traigo|voy)\b",
    "fr": r"\b(?:je~(?:suis|sors|rentre|tape|cherche|reviens|viens)|là|encore|aujourd'hui|aïe|"
    r"j'ai~(?!un|une|des|\d)"
    r"\w+[éiu]s?|maintenant|enfin|déjà|presque|vient~de|en~train|bientôt|attends)\b",
    "pt": r"\b(?:tô|estou|estamos|tá|está~\w+ndo|agora|já|cheguei|hoje|oi|ai|ainda|acabei|quase|"
    r"finalmente|de~novo|"
    r"esqueci|voltei)\b",
    "zh": r"现在|正在|刚|今天|今晚|一边|回来|又|快要?|马上|了[。！]?$|着[。！]?$|呢[。！]?$",
    "ja": r"今|いま|てて|て[。！]?$|さっき|ちょっと|あ、|[たよね][。！]?$(?<!した。)|"
    r"また|やっと|もう|まだ",
}

GROUNDS: Final = {language: compiled(pattern) for language, pattern in _GROUNDS.items()}
"""Reasons, limits and quantities."""
MOMENTS: Final = {language: compiled(pattern) for language, pattern in _MOMENTS.items()}
"""Right now, just before or just after."""
