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
    mr mrs ms miss mister dr prof sir madam reverend rev pastor captain capt sergeant colonel
    judge lord lady herr herrn frau sr sra srta señor señora don doña monsieur
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
    bare = (_untitled(name) for name in known if not _no_name(name))
    found = [name for name in bare if _contains(sentence, name)]
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
        introduced = (match[match.lastgroup or 0] for match in _INTRODUCED.finditer(sentence))
        people = [name for name in introduced if not _CJK_COMMON.match(name)]
        latin = [name for name in _LATIN.findall(sentence) if not _no_name(name)]
        return list(dict.fromkeys([*people, *latin]))
    found: list[str] = []
    tokens = [] if sentence.isupper() else list(_TOKEN.finditer(sentence))
    position = 0
    while position < len(tokens):
        end = position
        while end < len(tokens) and _is_name(
            sentence, tokens, end, language, joined=end > position
        ):
            end += 1 + (_particles(sentence, tokens, end, language) if end + 1 < len(tokens) else 0)
        if end > position and not _no_name(
            sentence[tokens[position].start() : tokens[end - 1].end()]
        ):
            found.append(sentence[tokens[position].start() : tokens[end - 1].end()])
        position = max(end, position + 1)
    if sentence.islower():
        found += [match[1].title() for match in _SMALL.finditer(sentence)]
    return list(dict.fromkeys(_singular(name) for name in found))


def mentioned(sentence: str, language: str) -> list[str]:
    """Return the names of a sentence that stand elsewhere than at its start.

    Only there a capital says for certain that a word is a name.
    """
    start = re.match(r"\W*", sentence)
    begins = sentence[start.end() :] if start else sentence
    return [name for name in spans(sentence, language) if not begins.startswith(name)]


def is_person(name: str, sentence: str, language: str) -> bool:
    """Tell whether the sentence shows that a name in it is a person's, or an animal's."""
    if is_spaceless(language):
        return any(match[match.lastgroup or 0] == name for match in _INTRODUCED.finditer(sentence))
    at = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sentence, re.IGNORECASE)
    if at is None:
        return False
    before, after = sentence[: at.start()].casefold(), sentence[at.end() :].casefold()
    return bool(
        _PERSON_BEFORE.search(before)
        or _PERSON_AFTER.match(after)
        or (_SUBJECT_START.fullmatch(before) and _PERSON_VERB.match(after))
    )


_KIN = (
    r"(?:step|half-)?(?:wife|husband|partner|spouse|girlfriend|boyfriend|fianc[eé]e?|mother|mom|"
    r"mum|mama|father|dad|sister|brother|son|daughter|kid|child|baby|twins?|uncle|aunt|auntie|"
    r"cousin|niece|nephew|grand\w+|boss|manager|colleague|coworker|teammate|mentor|landlord|"
    r"landlady|neighbou?r|(?:room|flat|house)-?mate|friend|doctor|gp|dentist|therapist|physio\w*|"
    r"lawyer|accountant|cleaner|nanny|teacher|tutor|trainer|coach|vet|dog|cat|puppy|kitten|pony|"
    r"horse|rabbit|parrot|apprentice|intern|eldest|oldest|youngest|client|customer|editor|"
    r"frau|mann|freund(?:in)?|mutter|vater|papa|oma|opa|schwester|bruder|sohn|tochter|kind|"
    r"onkel|tante|cousine?|neffe|nichte|schwieger\w+|chef(?:in)?|kolleg(?:e|in)|nachbar(?:in)?|"
    r"ärztin|arzt|lehrer(?:in)?|trainer(?:in)?|hund|hündin|katze|kater|pferd|lehrling|azubi|"
    r"geselle|älteste[rn]?|jüngste[rn]?|"
    r"mujer|esposa|marido|esposo|novi[oa]|madre|padre|mamá|papá|herman[oa]|hij[oa]|ti[oa]|"
    r"prim[oa]|sobrin[oa]|abuel[oa]|jef[ea]|compañer[oa]|vecin[oa]|amig[oa]|médic[oa]|doctora?|"
    r"profesora?|perr[oa]|gat[oa]|yegua|caballo|cuñad[oa]|sueg(?:ro|ra)|mayor|menor|"
    r"femme|mari|compagn(?:on|e)|copain|copine|mère|père|maman|sœur|soeur|frère|fils|fille|oncle|"
    r"neveu|nièce|beau-\w+|belle-\w+|patronn?e?|collègue|voisine?|amie?|médecin|dentiste|prof|"
    r"chien(?:ne)?|chat(?:te)?|jument|cheval|aînée?|cadet(?:te)?|benjamine?|apprentie?|stagiaire|"
    r"mulher|namorad[oa]|mãe|pai|irmã|irmão|filh[oa]|sobrinh[oa]|av[óô]|chef[ea]|colega|"
    r"vizinh[oa]|médic[oa]|professora?|cachorr[oa]|cadela|cão|gat[oa]|cavalo|égua|sogr[oa]|"
    r"cunhad[oa]|caçula)"
)
_PERSON_BEFORE = re.compile(
    rf"(?<!\w){_KIN}(?:'s name is| is called| heißt| se llama| s'appelle| se chama|,)?\s+$|"
    r"(?<!\w)(?:mr|mrs|ms|dr|herrn?|frau|señora?|sra?|don|doña|monsieur|madame|mme|senhora?|dona|"
    r"seu|called|named|namens|aunt|uncle|met|hired|married)\.?\s+$|"
    r"(?<!\w)(?:and|with|und|mit|con|avec|com) (?:i|me|ich|mir|mí|moi|mim) and $"
)
_POSSESSIVE = (
    r"(?:my|our|his|her|their|the|a|an|mein\w*|unser\w*|der|die|das|mi|mis|nuestr[oa]|el|la|mon|"
    r"ma|notre|le|son|sa|l'|meu|minha|noss[oa]|o|a)"
)
_PERSON_AFTER = re.compile(
    rf",?\s+(?:(?:is|ist|es|est|é)\s+)?{_POSSESSIVE}\s*(?:[\w-]+\s+){{0,2}}?{_KIN}(?!\w)|"
    r"\s+and\s+i\b|\s+und\s+ich\b|\s+y\s+yo\b|\s+et\s+moi\b|\s+e\s+eu\b"
)
_SUBJECT_START = re.compile(
    r"(?:.*[.!?;:,]\s+|\W*(?:and|but|so|und|aber|y|pero|et|mais|e|mas|because|that|dass|que)\s+)?\W*"
)
_PERSON_VERB = re.compile(
    r"\s+(?:(?:always|never|only|also|just|really|now)\s+)?(?:says?|said|thinks?|lives?|works?|"
    r"likes?|hates?|loves?|prefers?|wants?|eats?|drinks?|knows?|teaches|studies|plays?|moved|"
    r"married|joined|left|retired|leads?|manages|handles|called|told|asked|turns|turned|can't|"
    r"sagt|meint|wohnt|lebt|arbeitet|mag|hasst|liebt|isst|trinkt|spielt|studiert|heiratet|leitet|"
    r"dice|vive|trabaja|odia|prefiere|come|bebe|estudia|juega|quiere|cumple|lleva|"
    r"dit|habite|vit|travaille|déteste|aime|préfère|mange|boit|étudie|joue|veut|fête|"
    r"diz|mora|vive|trabalha|odeia|prefere|come|bebe|estuda|joga|gosta|quer|faz)(?!\w)"
)


def _no_name(name: str) -> bool:
    """Tell a title alone, a single letter or a shouted word from a name."""
    words = [word.casefold().rstrip(".") for word in re.split(r"[\s-]+", _untitled(name))]
    letters = "".join(words)
    single = len(letters) <= 1 and letters.isascii()
    return single or (len(words) == 1 and (words[0] in _SHOUTED or letters in _NEVER_NAMES))


def _particles(sentence: str, tokens: list[re.Match[str]], index: int, language: str) -> int:
    """Return how many small words behind a name belong to it: "Cruz de Malta"."""
    for count in (1, 2):
        last = index + count + 1
        if last >= len(tokens):
            return 0
        phrase = sentence[tokens[index].end() : tokens[last].start()]
        small = _PARTICLE.get(language, _PARTICLE["en"])
        follows = tokens[last][0][0].isupper() and not tokens[last][0].isupper()
        if follows and small.fullmatch(phrase) and not is_function_word(tokens[last][0], language):
            return count
    return 0


_PARTICLE = {
    "en": re.compile(
        r" (?:de|da|do|dos|das|del|della|di|du|van|van der|van den|von|de la|de los) "
    ),
    "de": re.compile(r" (?:de|da|del|della|di|du|van|van der|van den|zu|von der|de la) "),
    "es": re.compile(r" (?:de|del|de la|de los|de las) "),
    "fr": re.compile(r" (?:de|du|des|de la) "),
    "pt": re.compile(r" (?:de|da|do|dos|das) "),
}


def _proper(name: str) -> str | None:
    """Return a name without its title, or None for a title alone, a date or a common noun."""
    bare = _untitled(name)
    if not bare or bare.casefold() in _GENERIC or _DATE_LIKE.search(bare):
        return None
    return bare


def _untitled(name: str) -> str:
    words = re.findall(r"[^\s-]+[\s-]*", name)
    while words and words[0].casefold().rstrip(".- ") in _HONORIFICS:
        words.pop(0)
    return "".join(words).rstrip(" -")


def as_entity(name: str) -> str:
    """Write a name in the fact grammar: letters, digits, `-`, `_`, `.`, hyphens for spaces."""
    joined = re.sub(r"[\s/&]+", "-", unicodedata.normalize("NFC", name).strip())
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
        return before in (" ", " & ") and not owner and not is_function_word(lowered, language)
    if word.isupper() and len(word) > 1:
        shouted = lowered in _SHOUTED or (is_function_word(lowered, language) and lowered != "us")
        return not shouted
    inner = any(char.isupper() or char.isdigit() for char in word[1:])
    starts = index == 0 or bool(re.search(r"[.!?:;\"“]\s*$", before))
    if language == "de" and not inner:
        if starts:
            return _starts_as_name(sentence, tokens, index, language)
        previous = tokens[index - 1][0].casefold() if index else ""
        return previous in _GERMAN_BEFORE and not _GERMAN_COMMON.search(word)
    if starts and not inner:
        return _starts_as_name(sentence, tokens, index, language)
    return not is_function_word(lowered, language) or _begins_surname(sentence, tokens, index)


def _starts_as_name(sentence: str, tokens: list[re.Match[str]], index: int, language: str) -> bool:
    """Tell whether a capitalised first word is a name: before a verb of state, or `'s`."""
    word = tokens[index][0]
    if word.endswith(("'s", "’s")) and not is_function_word(word[:-2], language):
        return True
    rest = sentence[tokens[index].end() :]
    common = is_function_word(word, language) or word.casefold() in _COMMON_STARTS
    if common or (language == "de" and _GERMAN_COMMON.search(word)):
        return False
    if _APPOSITION.match(rest):
        return True
    return bool(_VERB_AFTER.get(language, _VERB_AFTER["en"]).match(rest))


def _begins_surname(sentence: str, tokens: list[re.Match[str]], index: int) -> bool:
    """Tell the article of a name from a word that was only written large: "Le Roux"."""
    if tokens[index][0] not in _SURNAME_ARTICLES or index + 1 == len(tokens):
        return False
    near = sentence[tokens[index].end() : tokens[index + 1].start()] == " "
    return near and tokens[index + 1][0][0].isupper()


_SURNAME_ARTICLES = frozenset(("Le", "La", "Les", "El", "Los", "Las", "Da", "De", "Du", "Di"))
_APPOSITION = re.compile(
    rf",\s+{_POSSESSIVE}\s*(?:[\w-]+\s+){{0,2}}?{_KIN}(?!\w)|"
    r",\s+(?:my|our|his|her|their|mein\w*|unser\w*|mis?|nuestr[oa]|mon|ma|notre|meu|minha|noss[oa])"
    r"\s+[\w-]+(?:\s+[\w-]+)?,",
    re.IGNORECASE,
)
_VERB_AFTER = {
    "en": re.compile(
        r" (?:is|was|has|had|lives|works|runs|needs|uses|prefers|likes|hates|loves|wants|turns|"
        r"turned|says|said|will|leads|owns|manages|moved|joined|left|got|comes|can't|doesn't|"
        r"isn't|told|asked|thinks|eats|drinks|keeps|teaches|studies|plays|married|retired|"
        r"handles|became|died|bought|sold|gave|brought)(?!\w)|"
        r" (?:(?:always|never|only|also|still|now) )?[a-z]{2,}[^sui\W]s (?:the|a|an|every|all|each|"
        r"my|our|his|her|their|it|them|us|me|no|only|at|for|with|to|from|everything|nothing)(?!\w)"
    ),
    "de": re.compile(
        r" (?:wohnt|lebt|arbeitet|heißt|heiratet|studiert|hasst|liebt|mag|isst|trinkt|spielt|"
        r"sagt|meint|leitet|trägt|schläft|liest|malt|singt|verträgt|übernimmt|prüft|fährt|zieht|"
        r"ist (?:mein|unser)\w*|wird \d+|hat (?:am|einen|eine|im))(?!\w)"
    ),
    "es": re.compile(
        r" (?:no )?(?:es|vive|trabaja|tiene|está|llega|viene|va|fue|come|toca|estudia|quiere|odia|"
        r"prefiere|dice|cumple|nació|habla|juega|lleva|hace|usa|sabe|puede|necesita|duerme|"
        r"enseña|revisa|cuida|cobra|bebe|paga|dirige|compra|vende|se (?:llama|casa|jubila|muda|"
        r"encarga))(?!\w)"
    ),
    "fr": re.compile(
        r" (?:ne |n')?(?:est|habite|travaille|a|arrive|vient|va|vit|dit|fait|mange|boit|joue|"
        r"étudie|veut|aime|déteste|préfère|fête|dirige|gère|parle|porte|prend|garde|dort|"
        r"s'occupe|se marie|apporte|vérifie|relit|livre|paie)(?!\w)"
    ),
    "pt": re.compile(
        r" (?:não )?(?:é|mora|trabalha|tem|está|chega|vem|vai|foi|come|toca|estuda|quer|odeia|"
        r"prefere|diz|faz|nasceu|fala|joga|leva|usa|sabe|pode|precisa|dorme|ensina|cuida|cobra|"
        r"bebe|paga|dirige|compra|vende|gosta|confere|se (?:chama|casa|aposenta|muda))(?!\w)"
    ),
}
# Words without an article that begin a sentence and are no names.
_COMMON_STARTS = word_set(
    """
    so well also now then yes right bueno pues bon alors bom então na ja nun
    rice bread milk water coffee tea beer wine sugar salt flour meat fish cheese butter money time
    work traffic rent heat light paint glue wood steel music sleep rain snow weather nobody
    everybody everyone someone somebody anyone anybody everything nothing something anything people
    mum mom dad mama papa granny grandma grandpa mother father uncle aunt boss one this that these
    those there here other another both each most many some few nothing whoever which what whatever
    turns payment delivery breakfast lunch dinner supper shipping storage parking production staging
    half hoy mañana ayer nunca siempre también además ahora luego quien todo todos nada nadie mamá
    papá eso esto aquí allí cuando donde ella ellos ça cela rien tout tous personne maman chacun
    aujourd'hui demain hier lui elle ceci hoje ontem amanhã nunca sempre também tudo nada ninguém
    mamãe papai isso isto aqui quem ele ela alles nichts niemand jemand jeder alle wer was oma opa
    mutter vater mutti vati milch kaffee tee brot geld wasser zeit arbeit hund katze kind kinder
    chef chefin frau mann
    """
)
_SHOUTED = word_set(
    """
    and or but not never always only all any every no yes must very really please stop dont don't
    before after first last both each none nothing everything ever again still just new old free
    und oder aber nicht nie niemals immer nur alle alles kein keine muss müssen bitte sofort sehr
    vor nach erst jeden jede y o pero no nunca siempre sólo solo jamás todo todos todas cada sí muy
    antes después debe et ou mais pas jamais toujours seulement tout tous toutes chaque rien avant
    après doit e ou mas não nunca sempre só jamais tudo todos todas cada sim muito antes depois
    """
)
_CJK_COMMON = re.compile(
    r"(?:旦那|奥|お?嫁|お?婿|お?母|お?父|お?兄|お?姉|弟|妹|お?客|店員|大家|隣|お?医者|看護師|先生|運転手|"
    r"皆|みな|課長|部長|社長|店長|息子|娘|夫婦|子供|赤|お?坊|お?巡り|"
    r"一家|一起|两个|他们|她们|自己|今年|明年|去年|上周|下周|今天|明天|昨天|已经|以前|以后|刚刚|现在|平时|经常|"
    r"周[一二三四五六日末]|那边|这边|"
    r"女儿|儿子|老婆|老公|妹妹|弟弟|哥哥|姐姐|同事|表[哥姐弟妹]|徒弟)"
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
