"""The words by which people take a stance, a table for each language.

A line is `name: alternatives`: patterns joined by `|`, `~` for white space. Names that end in
+ or - are the two ends of a scale; `like` is an attitude, all others are what a thing is like.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

LANGUAGES = ("en", "de", "es", "fr", "pt", "it", "nl", "zh", "ja")
"""Languages that have a table; others are judged by overlap alone."""


@dataclass(frozen=True, slots=True)
class Words:
    """What to look for in a sentence of one language."""

    scales: re.Pattern[str]
    """Groups `NAME_p` and `NAME_n`."""
    negations: re.Pattern[str]
    ended: re.Pattern[str]
    """Verbs that end what their object was: "gave up", "stopped"."""
    over: re.Pattern[str]
    """Between what is preferred and what it is preferred to."""
    switched: re.Pattern[str]
    """Groups `old` and `new`: "switched from X to Y"."""
    unsure: re.Pattern[str]
    """Questions, conditions, hedges, plans."""
    reported: re.Pattern[str]
    """What others say, or what is only quoted."""
    past: re.Pattern[str]
    """What was so and is over: "used to"."""
    saying: re.Pattern[str]
    """The same verbs, anywhere."""
    holder: re.Pattern[str]
    """How a clause begins that says what somebody else holds: "the", "most"."""
    shifts: re.Pattern[str]
    """Words that may turn what is said, or make its thing another: "lost", "previous"."""
    faded: re.Pattern[str]
    """A negation that says that it was so: "no longer"."""
    says: re.Pattern[str]
    """Verbs of saying and thinking, right behind a name."""
    prefers: re.Pattern[str]
    """Verbs of which each thing has one object: "prefers", "favourite"."""
    without: re.Pattern[str]
    edges: re.Pattern[str]
    """Between clauses."""
    qualifier: re.Pattern[str]
    """Words behind which a circumstance stands: "in", "for", "when"."""
    frame: re.Pattern[str]
    """Modals, conjunctions and other small words that turn what the same words around them say."""
    filler: re.Pattern[str]
    """Words that say nothing about the topic: adverbs, auxiliaries, "now"."""
    no_topic: re.Pattern[str]
    """All words that are no topic: of stances, endings, negations, the past, and fillers."""


@cache
def words(language: str) -> Words:
    """Return the table of a language; English for one that has none."""
    return _compile(_TABLES.get(language, _TABLES["en"]), spaced=language not in ("zh", "ja"))


def _compile(table: str, *, spaced: bool) -> Words:
    lines = dict(entries(table))
    scales = {name: lines[name] for name in lines if name[-1] in "+-"}
    groups = (f"(?P<{_group(name)}>{pattern})" for name, pattern in scales.items())

    def pattern(name: str) -> re.Pattern[str]:
        text = lines.get(name, r"(?!)")
        return _bounded(text, spaced=spaced)

    return Words(
        scales=_bounded("|".join(groups), spaced=spaced),
        negations=pattern("not"),
        ended=pattern("ended"),
        over=pattern("over"),
        switched=re.compile(lines.get("switched", r"(?P<old>(?!))(?P<new>)"), re.I),
        unsure=pattern("unsure"),
        reported=pattern("reported"),
        past=pattern("past"),
        faded=pattern("faded"),
        says=pattern("says"),
        saying=pattern("says"),
        holder=pattern("holder"),
        shifts=pattern("shifts"),
        prefers=_PREFERS,
        without=_WITHOUT,
        edges=re.compile(
            rf"[;.!?。！？；]+(?=\s|$)|[,，、:]\s*|(?<!\w)(?:{lines['edges']})(?!\w)", re.I
        ),
        qualifier=pattern("where"),
        frame=_bounded(
            "|".join(lines[name] for name in ("frame", "where", "not") if name in lines),
            spaced=spaced,
        ),
        filler=pattern("filler"),
        no_topic=_bounded(
            "|".join((*scales.values(), *(lines[name] for name in _NO_TOPIC if name in lines))),
            spaced=spaced,
        ),
    )


_NO_TOPIC = ("ended", "not", "past", "filler")


def entries(table: str) -> list[tuple[str, str]]:
    """Return the names and patterns of a table; an indented line goes on with the one before."""
    parts = (line.partition(":") for line in _CONTINUED.sub("", table.strip()).splitlines())
    return [(name, pattern.strip().replace("~", r"\s+")) for name, _, pattern in parts]


_CONTINUED = re.compile(r"\n {4}")


def _group(name: str) -> str:
    return name[:-1] + ("_p" if name.endswith("+") else "_n")


def _bounded(pattern: str, *, spaced: bool) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)" if spaced else f"(?:{pattern})", re.I)


_PREFERS = re.compile(
    r"(?<!\w)(?:pr[eé]f[eè]r\w*|prefier\w+|bevorzug\w+|favou?rit\w*|preferit\w|preferid\w+|"
    r"lieblings\w+|lievelings\w+|am~liebsten|liefst|verkiest|would~rather)(?!\w)|最爱|最喜欢|一番好き".replace(
        "~", r"\s+"
    ),
    re.I,
)

_WITHOUT = re.compile(r"(?<!\w)(?:without|ohne|sin|sans|sem|senza|zonder)(?!\w)|抜き", re.I)

_TABLES: Mapping[str, str] = {
    "en": r"""
like-: (?:with(?:drew|drawn|draws)|dropped|ended|lost)~(?:\w+~)?support~(?:for|of|from)|
    feels?~(?:uncomfortable|uneasy|out~of~place|unwelcome)~(?:in|at|with|on)|wears?~(?:her|him|
    them)~out|(?:depress|exhaust|stress|drain|worr|disappoint|frustrat|disgust|enrag)\w*~(?:her|
    him|them)(?!\w)|ashamed~of|embarrassed~(?:by|about)|(?:afraid|scared|terrified)~of|(?:fell|
    fallen)~out~with|on~bad~terms~with|(?:doubts?|doubted)|unhappy~(?:with|in|at)|(?:wants?|
    would~like|wishes|aims|seeks|vow\w*|longs|call(?:s|ed)~for~(?:them|the~\w+))~to~(?:abolish|
    scrap|axe|ban|cancel|close|shut|end|stop|dissolve|disband|dismantle|demolish|remove|replace|
    sell|cut|kill|leave|quit|drop|ditch|delete|phase~out|split~up|break~up|tear~down|pull~down|
    get~rid~of|do~away~with|get~out~of|pull~out~of|put~an~end~to)|(?:wants?|demand(?:s|ed)?|
    calls?~for|called~for)~(?:an?~end~to|the~(?:abolition|end|closure|removal|demolition)~of|
    none~of|nothing~to~do~with|no(?=~\w))|wants?(?=\b[^.;,]{1,40}~(?:gone|scrapped|abolished|
    removed|cancelled|banned|torn~down)\b)|regrets?~(?:having~)?(?!(?:left|leaving|sold|selling|
    quit|quitting|missed|missing|dropp\w+|given|giving)\b)\w+(?:ed|ing)|can(?:no|
    ['’])t~wait~to~(?:leave|quit|get~(?:out|away|rid))|(?:fell|fallen)~out~of~love~with|(?:has|
    had)~enough~of|(?:cooled|soured)~on|(?:turned|turns)~(?:against|her~back~on|his~back~on|
    their~back~on)|disillusioned~(?:with|by)|disenchanted~with|weary~of|(?:vot|argu|protest|
    campaign|sp(?:eak|oke)|com|c[ao]m|decid|rall|demonstrat)\w*~(?:out~)?against|sign\w*~(?:an?|
    the)~petition~against|glad~to~be~rid~of|critical~of|critici[sz]\w+|complain\w*~(?:about|
    of)(?!~(?:how|what|that)\b)|object(?:s|ed)?~to|condemn\w*|denounc\w+|disapprov\w+~of|
    frowns~(?:up)?on|annoys?|annoyed~her|bothers?|irritates?|bores?|upsets?|grates~on|
    drives~(?:her|him|them)~(?:mad|crazy)|gets~on~(?:her|his|their)~nerves|dread(?:s|ed)?|
    (?:can(?:no|'|’)t|doesn['’]t)~get~along~with|can(?:no|'|’)t~(?:stand|bear|abide)|
    can~not~(?:stand|bear)|dislik\w+|hat(?:e|es|ed|ing)|detest\w*|loath\w+|avoid\w*|despis\w+|
    refus(?:e|es|ed)|distrust\w*|mistrust\w*|(?:fed~up|bored|unhappy|disappointed|dissatisfied|
    frustrated|annoyed)~(?:with|by|at|about)|(?:sick|tired|wary|sceptical|skeptical)~of|
    (?:sceptical|skeptical)~about|opposes?|opposed~to|(?:scepti|skepti)cal|(?:is|are|was)~against|
    rejects?|steers~clear~of|resents?|averse~to|finds~no~(?:use|joy|pleasure)~in|no~fan~of|
    (?:has~)?no~(?:confidence|faith|trust)~in|(?:has~)?little~(?:patience|time)~for
like+: (?:can(?:no|['’])t|can~never|never)~gets?~enough~of|never~tires~of|feels?~(?:at~home|
    at~ease|comfortable)~(?:in|at|with|on)|(?:delight|motivat|inspir|
    fascinat|thrill)\w*~(?:her|him|them)(?!\w)|makes~(?:her|him|them)~happy|proud~of|(?:come|
    came)~to~terms~with|(?:dreams|dreaming)~of|longs~for|interested~in|fascinated~by|hooked~on|
    devoted~to|on~good~terms~with|regrets?~(?:having~)?(?:left|leaving|sold|selling|quit(?:ting)?|
    missed|missing|dropp\w+|given~up|giving~up)|(?:wants?|wishes|hopes|intends|fights?|
    aims)~to~(?:keep|retain|preserve|save|hold~on~to|(?:stay|remain)(?:~(?:in|with|at))?)|(?:vot|
    argu|campaign|sp(?:eak|oke)|rall)\w*~(?:out~)?(?:for|in~favou?r~of)|sign\w*~(?:an?|
    the)~petition~for|glad~(?:about|of|to~have)|back(?:s|ed|ing)(?=~(?:the|an?|her|his|this|
    that)\b)|advocat\w+|prais\w+|champions|stands~(?:behind|by)|defends?|defended|applauds?|
    vouches~for|(?:trust|belief|interest|pleasure|delight|hope)~in|enthusias\w+~(?:for|about)|
    (?:love|passion|affection|taste|appetite|respect|admiration)~(?:for|of)|passionate~about|
    excited~about|(?:warmed|taken|took)~to(?=~(?:the|her|his|their)\b)|(?:came|
    come)~(?:a)?round~to|won~over~by|grown~(?:fond|to~like)|fell~(?:for|in~love~with)|admires?|
    admired|likes?|liked|liking|lov(?:e|es|ed|ing)|enjoy(?:s|ed|ing)?|prefer(?:s|red|ring)?|
    fans?~of|fond~of|keen~on|favou?rs?|favou?rites?|ador\w+|appreciat\w+|swears~by|(?:convinced|
    persuaded)~(?:of|by|that)|won~(?:her|him|them)~over|(?:happy|satisfied|pleased|
    delighted)~(?:with|about|in|at)|recommend(?:s|ed)?|approves~of|would~rather|trust(?:s|ed|
    ing)?|in~favou?r~of|believes~in|(?:is|are|really)~into|has~a~soft~spot~for|looks~forward~to|
    welcomes|crazy~about|support(?:s|ed|ing)?|endors(?:es?|ed)|(?:confidence|faith)~in|insists~on|
    thrilled~(?:with|by|about)|gets~along~(?:\w+~)?with|rates?|(?:is|are|all)~for|wants?|
    impressed~(?:by|with)
honest-: dishonest|a~liar|corrupt
honest+: honest|sincere|truthful
fair-: unfair(?:ly)?|unjust|biased
fair+: (?<!the )fair|impartial|even-handed
good-: wrong|a~(?:complete~|total~|real~)?(?:disaster|nightmare|failure|flop|joke|mistake|pain|
    nuisance|letdown)|lets~(?:her|him|them)~down|hopeless|bad|worse|worst|terrible|awful|horrible|
    poor|dreadful|lousy|mediocre|badly|poorly|annoying|unpleasant|overrated|ineffective|
    inefficient|garbage|rubbish|disappointing|a~mess|(?:gone|went)~downhill|overrated
good+: an?~(?:complete~|total~|real~|absolute~)?(?:success|joy|delight|pleasure|blessing|hit|gem)|
    flawless(?:ly)?|impeccabl[ey]|impressive|pays~off|paid~off|good|great|better|best|excellent|
    fantastic|wonderful|superb|amazing|brilliant|outstanding|lovely|awesome|perfect|first-rate|
    well|pleasant|underrated|effective|efficient
reliable-: unreliable|unstable|flaky|brittle|fragile|undependable|buggy|crash(?:es|ing|y)|
    br(?:eaks?|oke)~down|out~of~order|(?:failed|fails)~(?:again|often|constantly)|
    keeps~(?:crashing|failing|breaking)|breaks~(?:often|all~the~time|constantly)|untrustworthy
reliable+: without~(?:an?~|any~)?(?:fault|hitch|problems?|trouble|glitch)|never~(?:fail|
    break)\w*(?:~down)?|like~clockwork|reliabl[ey]|stable|robust|dependable|solid|rock-solid|
    trustworthy|sturdy
speed-: slow(?:er|ly)?|sluggish|laggy
speed+: fast(?:er)?|quick(?:er|ly)?|snappy|speedy|rapid(?:ly)?
use-: a~(?:complete~|total~|sheer~)?waste(?!~of)|waste~of~(?:\w+~)?(?:time|money|effort|space|
    energy)|wastes?~(?:\w+~)?(?:time|money)|unproductive|no~(?:value|point|use|sense|benefit)~in|
    useless|pointless|unhelpful|(?:a~)?waste~of~(?:time|money)|worthless|overkill|unnecessary|
    superfluous
use+: value~in|point~in|useful|productive|helpful|worthwhile|valuable|worth~(?:it|the|every|her|
    his|their)|necessary|essential|indispensable|helps?
ease-: confus(?:es|ed)|struggl\w+|difficult|hard(?:er)?|complicated|complex|confusing|tricky|
    cumbersome|
    clumsy|unintuitive
ease+: easy|easier|simple|simpler|straightforward|intuitive|effortless
price-: a~rip-?off|(?:too|so|very|far~too)~high|high(?=~(?:rent|price|cost|fee|tax|fare)\w*)|
    steep|exorbitant|expensive|pricey|costly|dear|overpriced
price+: reasonable|reasonably~priced|a~bargain|good~value|cheap(?:er)?|inexpensive|affordable
fun-: a~chore|boring|dull|tedious|monotonous|uninteresting
fun+: interesting|exciting|fun|fascinating|entertaining|thrilling|gripping
calm-: noisy|loud(?:er)?|hectic|stressful|exhausting|draining
calm+: quiet(?:er)?|silent|peaceful|calm(?:ing)?|relaxing|restful
safe-: unsafe|dangerous|risky|insecure|hazardous
safe+: safe(?:r)?|secure|harmless
health-: unhealthy|harmful
health+: healthy|healthier|wholesome
comfort-: uncomfortable|stiff
comfort+: comfortable|comfy|cosy|cozy
taste-: disgusting|bland|tasteless|inedible
taste+: delicious|tasty|yummy
kind-: rude|unfriendly|hostile|impatient|dismissive|arrogant
kind+: friendly|kind|polite|patient|courteous|welcoming
tidy-: messy|untidy|dirty|chaotic|disorganised|disorganized|sloppy|careless
tidy+: tidy|clean|neat|organised|organized|well-kept|careful|meticulous|thorough
clear-: unclear|vague|cryptic|incomprehensible
clear+: clear|understandable|readable|precise
punctual-: unpunctual|(?:always|often|usually|constantly)~late|runs~late
punctual+: punctual|on~time
confident-: pessimistic|doubtful|unconvinced
confident+: optimistic|confident
able-: incompetent|unskilled
able+: competent|skilled|skilful|capable
pace-: weekly|monthly|yearly|quarterly|once~a~(?:week|month|year)|every~(?:week|month)
pace+: daily|hourly|every~day|once~a~day
length-: short(?:er)?|brief|concise|terse
length+: long(?:er)?|detailed|lengthy|verbose
set-: (?:turned|switched)~off|disabled|deactivated|inactive|inactivated
set+: (?:turned|switched)~on|enabled|activated|active
open-: closed|shut
open+: open
mood-: worr(?:ied|ies)|anxious|nervous|afraid|scared|concerned|sad|gloomy|miserable
mood+: relaxed|unconcerned|unafraid|cheerful|happy
heart-: stingy|selfish|greedy|mean
heart+: generous|selfless|giving
hour-: early|earlier|morning~person|early~(?:bird|riser)|mornings?
hour+: late|later|night~owl|evenings?|afternoons?|at~night|nights?
heat-: cold|iced|chilled
heat+: hot|warm
shade-: dark
shade+: light|bright
amount-: fewer|less
amount+: (?<!any )more(?=~\w+(?:$|[.,;]|~(?:in|on|at|from|with|for)))
size-: small(?:er)?|little|tiny
size+: big(?:ger)?|large(?:r)?|huge
place-: remote(?:ly)?|from~home|at~home
place+: in~the~office|on-?site|on~site|in~person
written-: by~phone|phone~calls?|calls?
written+: in~writing|by~e-?mail|e-?mails?|text~messages?
company-: alone|solo|by~(?:himself|herself|themselves)
company+: together|in~(?:a~)?(?:group|team)s?|with~others
not: not(?!~only)|never(?!~(?:fails?~to|ceases?~to|tires?~of|misses))|anything~but|far~from|
    by~no~means|(?:los(?:t|es?|ing)|lacks?|without)(?:~(?:all|any|his|her|their|its|most~of|much|
    the|some|of))*(?=~(?:trust|faith|confidence|belief|interest|enthusiasm|love|hope|respect|
    appetite|taste|passion|pleasure)\b)|no~longer|cannot|hardly|rarely|seldom|neither|nor|
    no(?!~doubt|~matter)|nobody|nothing|none|doesn['’]?t|don['’]?t|didn['’]?t|isn['’]?t|
    aren['’]?t|wasn['’]?t|weren['’]?t|won['’]?t|can['’]?t|couldn['’]?t|wouldn['’]?t|hasn['’]?t|
    haven['’]?t|shouldn['’]?t|ain['’]?t
ended: g[ai]ve(?:s|n)?~up(?:~on)?|giving~up|stopp(?:ed|ing)|stops|quit(?:s|ting)?|dropp(?:ed|ing)|
    ditch(?:ed|ing)|abandon\w*|(?:went|gone)~off|(?:turned|moved)~away~from|got~rid~of|done~with|
    swore~off|sworn~off|ceased|cut~out
over: over|rather~than|instead~of|more~than|better~than|than|to(?=~\w+(?:$|[\s.,]))|above
switched: \b(?:switch\w*|mov(?:ed|es|ing)|chang(?:ed|es|ing)|migrat\w+|went~back|
    convert\w*)\b[^.;]{0,30}?\bfrom\s+(?P<old>[^.;,]+?)\s+(?:back\s+)?to\s+(?P<new>[^.;,]+)
unsure: if|whether|maybe|perhaps|might|(?-i:may)|could|possibly|probably|wonder(?:s|ing|ed)?|
    unsure|not~sure|undecided|considering|considers?~\w+ing|think(?:s|ing)~(?:about|of)|plans?~to|
    planning~to|sometimes|occasionally|it~depends|depending|hypothetically|suppose|
    would~like~to~try|seems?|apparently|on~the~fence|torn
reported: (?:people|everyone|everybody|others|some|colleagues?|friends?|reviews?|(?:his|her|their|
    my)~\w+)~(?:said|says?|claims?|claimed|thinks?|thought|reported|argues?|argued|insists?|
    believes?)|I~(?:have~)?hear(?:d)?|I~was~told|they~say|according~to|rumou?rs?|supposedly|
    allegedly|hearsay|(?:reads?|heard)~that|ask(?:s|
    ed)~(?:whether|if|about|how|why|what|who|for~opinions)
says: (?:has~)?(?:said|says|claims|claimed|thinks|thought|reports|reported|told|argues|insists|
    believes|finds|mentioned|wrote)
faded: no~longer|any~?more|not~any~longer
past: used~to|formerly|in~the~past|once~(?:was|had|liked|loved)|as~a~child
edges: (?<!anything )(?<!nothing )(?<!nobody )(?<!no one )(?<!none )but|although|though|while|
    whereas|because|since|so~that|however
where: of|in|at|on|for|with|without|during|when|while|after|before|because|since|by|as|from|
    through|about|inside|outside|near|around|under|between|among|where|until|unless
frame: and|or|to|into|onto|over|off|out|up|down|against|towards?|across|past|than|both|either|
    should|shall|must|may|might|could|would|will|can|ought|has~to|have~to|needs?~to|was|were|had|
    did|
    used~to|all|some|few|most|only|almost|nearly|too
filler: (?<=make )(?:life|things)|(?<=makes )(?:life|things)|(?<=make her )life|
    (?<=makes her )life|(?<=make his )life|(?<=makes his )life|(?<=make their )lives|(?:her|his|
    their)~(?:view|opinion|eyes)|complain\w*|going|(?:pleasant|surprising|needless|
    unusual|remarkab|particular|especial|incredib|terrib|wonderful|simp|tru|genuine|entire|
    increasing|constant|frequent)ly|been|be|in~general|overall|by~and~large|on~the~whole|
    at~the~moment|in~the~meantime|of~late|for~good|at~all|now|nowadays|any~?more|these~days|
    currently|still|again|really|very|any|left|far|removed|scrapped|abolished|gone|never|fails?|
    ceases?|quite|much|just|also|too|so|always|usually|generally|often|every|each|all|most(?:ly)?|
    more|ever|even|only|completely|totally|absolutely|extremely|highly|strongly|find(?:s|ing)?|
    found|consider(?:s|ed)|think(?:s)?|thought|believ(?:es|ed)|feels?|says?|said|get(?:s|ting)?|
    got|go(?:es)?|went|mak(?:es?|ing)|keeps?|kept|use(?:s|d|ing)?|us(?:es|ed)|being|having|
    thing(?:s)?|one|ones|rather|way|lot|bit|lots|since|has|come|become|became|start(?:s|ed|ing)?|
    beg[aiu]n(?:ning)?|long(?=er)|clearly|finally|actually|honestly|definitely|recently|lately|
    today|say|anything|something|everything|at~all|doing|do|person|people|he|she|they|his|her|
    their|hers|him|them|himself|herself|turn(?:s|ed)~out|prov(?:es|ed)~(?:to~be)?|happens|to~be|
    tends?~to|can|will|would|full|complete|great~deal|whole|same|new|latest
holder: (?:even~)?(?:the|a|an|most|many|some|several|few|all|half|every|our|their|her|his|my|no|
    one~of|two|three)(?=~\w)|(?:everyone|everybody|nobody|people|others)|[A-Z]\w+s(?=~(?:(?:all|
    also|now|strongly|really)~)?(?:dislike|like|love|hate|prefer|support|oppose|want|distrust|
    trust|enjoy|avoid|reject|favou?r|are~(?:against|for|in|keen|fond|sick|tired|fed)|call|find|
    think|say)\b)
shifts: withdr\w*|lost|loses|losing|regret\w*|rid|ends|ended|ending|former|formerly|previous|
    previously|predecessor\w*|old(?:er)?|lacks?|lacking|instead|except|apart|before~th(?:is|at|e)|
    opposite|contrary|against|pretends?|pretended|(?<=the )(?:last|next|first)(?!~(?:night|week|
    month|year|time|summer|winter)\b)
""",
    "de": r"""
like-: angst~vor|schämt~sich~für|(?:verlor\w*|verliert|verloren)~(?:das|sein|ihr|jedes|
    den)~(?:vertrauen|interesse|glauben)|(?:vertrauen|interesse|glauben|lust|
    begeisterung)(?=\b[^.;,]{0,50}\bverloren)|genug~vo[nm]|vo[nm](?=~[^.;,]{1,40}\bgenug\b)|
    (?:will|möchte)(?=\b[^.;,]{1,50}\b(?:loswerden|abschaffen|schließen|verkaufen|abreißen|
    beenden|kündigen|auflösen|streichen|verbieten))|(?:stimmt\w*|demonstriert\w*|kämpft\w*|
    protestiert\w*|ist|sind|bin|war|sprach~sich|spricht~sich)~gegen|bereut|(?:nervt|nerven|stört|
    stören|ärgert|ärgern)(?=~|$)|beschwert~sich|kritisiert|nicht~(?:ausstehen|leiden)|hasst|hasse|
    hassen|verabscheut|meidet|meiden|vermeidet|lehnt(?=\b[^.;,]{0,40}\bab\b)|misstraut|
    (?:unzufrieden|enttäuscht|genervt|gelangweilt)|leid(?=~|$)|satt|skeptisch|gegen(?=~(?:de|ein|
    da|die))|unbeliebt
like+: schwärmt~(?:von|für)|traut|stolz~auf|interessiert~sich~für|(?:froh|glücklich)~(?:über|mit)|
    (?:will|möchte)(?=\b[^.;,]{1,50}\b(?:behalten|erhalten|bewahren|retten))|(?:stimmt\w*|
    sprach~sich|spricht~sich)~für|unterstützt|vertrauen|lobt|bewundert|mag|mögen|mochte|liebt|
    lieben|liebe|bevorzugt|bevorzugen|genießt|schätzt|gern|gerne|lieber|liebsten|lieblings\w*|
    fan~von|begeistert|zufrieden|empfiehlt|vertraut|freut~sich~auf|zieht(?=\b[^.;,]{0,60}\bvor\b)|
    befürwortet|(?:ist|sind|bin)~für|schwört~auf
fair-: unfair\w*|ungerecht\w*
fair+: fair\w*|gerecht(?:e[nrs]?)?
good-: ein\w*~(?:reinfall|katastrophe|fehler|enttäuschung|misserfolg|fehlschlag)|schlecht\w*|
    furchtbar\w*|schrecklich\w*|miserabel|mies\w*|schlimm\w*|enttäuschend\w*|grauenhaft\w*
good+: ein~(?:erfolg|segen|genuss|glücksgriff)|(?:hat|haben)~sich~(?:gelohnt|bewährt)|
    bewährt~sich|gut(?:e|er|es|en|em)?|besser\w*|best\w*|toll\w*|großartig\w*|ausgezeichnet\w*|
    hervorragend\w*|super|prima|klasse|wunderbar\w*|perfekt\w*
reliable-: unzuverlässig\w*|instabil\w*|wackelig\w*|fehlerhaft\w*|stürzt~(?:oft|ständig|
    dauernd)~ab
reliable+: zuverlässig\w*|stabil\w*|robust\w*|verlässlich\w*|solide\w*
speed-: langsam\w*|träge\w*|lahm\w*
speed+: schnell\w*|flott\w*|zügig\w*
use-: nutzlos\w*|sinnlos\w*|unnütz\w*|überflüssig\w*|zeitverschwendung|unnötig\w*
use+: nötig\w*|nützlich\w*|hilfreich\w*|sinnvoll\w*|wertvoll\w*|lohnt~sich|notwendig\w*|
    unverzichtbar\w*
ease-: schwierig\w*|kompliziert\w*|schwer\w*|umständlich\w*|verwirrend\w*
ease+: einfach\w*|leicht\w*|unkompliziert\w*|intuitiv\w*
price-: teuer|teure\w*|überteuert\w*
price+: billig\w*|günstig\w*|preiswert\w*
fun-: langweilig\w*|öde\w*
fun+: interessant\w*|spannend\w*|unterhaltsam\w*|faszinierend\w*
calm-: laut\w*|hektisch\w*
calm+: leise\w*|ruhig\w*|still\w*
safe-: unsicher\w*|gefährlich\w*|riskant\w*
safe+: sicher\w*|ungefährlich\w*|harmlos\w*
health-: ungesund\w*|schädlich\w*
health+: gesund\w*
comfort-: unbequem\w*|ungemütlich\w*
comfort+: bequem\w*|gemütlich\w*
taste-: ekelhaft\w*|fad\w*
taste+: schmeckt|lecker\w*|köstlich\w*|schmackhaft\w*
kind-: unfreundlich\w*|unhöflich\w*|ungeduldig\w*
kind+: freundlich\w*|höflich\w*|geduldig\w*|nett\w*
tidy-: unordentlich\w*|schmutzig\w*|dreckig\w*|chaotisch\w*|schlampig\w*
tidy+: ordentlich\w*|sauber\w*|gründlich\w*|sorgfältig\w*
clear-: unklar\w*|unverständlich\w*
clear+: klar\w*|verständlich\w*
punctual-: unpünktlich\w*
punctual+: pünktlich\w*
pace-: wöchentlich\w*|monatlich\w*
pace+: täglich\w*
length-: kurz\w*|kürzer\w*|knapp\w*
length+: lang(?:e|en|er|es)?|länger\w*|ausführlich\w*
hour-: früh\w*|morgens|vormittags?
hour+: spät\w*|abends|nachmittags?|nachts
heat-: kalt\w*
heat+: heiß\w*|warm\w*
shade-: dunkl\w*|dunkel\w*
shade+: hell\w*
size-: klein\w*
size+: groß\w*
company-: allein\w*
company+: zusammen|gemeinsam|in~der~gruppe
not: alles~andere~als|keineswegs|nicht(?!~nur)|nie|niemals|kein\w*|nicht~mehr|weder|kaum|selten|
    nichts
ended: aufgegeben|(?:gibt|gab|hört|hörte)(?=\b[^.;,]{0,40}\bauf\b)|aufgehört|verzichtet|abgewöhnt|
    abgeschafft|abgewandt|weggelassen
over: als|statt|anstatt|anstelle~von|gegenüber
switched: \bvo[nm]\s+(?P<old>[^.;,]+?)\s+(?:auf|zu|zum|zur|
    nach)\s+(?P<new>[^.;,]+?)\s+(?:umgestiegen|gewechselt|umgestellt|gezogen|umgezogen|migriert)|
    \b(?:wechsel\w*|stieg|steigt|zog|zieht|
    stellt\w*)\b[^.;]{0,20}?\bvo[nm]\s+(?P<old2>[^.;,]+?)\s+(?:auf|zu|zum|zur|
    nach)\s+(?P<new2>[^.;,]+)
unsure: ob|vielleicht|womöglich|eventuell|möglicherweise|könnte\w*|(?<!es, )wenn|falls|würde\w*|
    überlegt|fragt~sich|manchmal|gelegentlich|wahrscheinlich|unsicher,~ob|unentschlossen|scheint|
    angeblich
reported: laut(?=~[A-ZÄÖÜ])|angeblich|gerücht\w*|fragt\w*~(?:ob|nach|wie|warum)
faded: nicht~mehr|kein\w*\b[^.;,]{0,40}\bmehr
says: (?:sagt|meint|behauptet|findet|erzählt|glaubt|denkt)e?
past: früher|damals|ehemals|als~kind
edges: aber|obwohl|während|weil|doch|jedoch|sondern
where: in|im|am|an|auf|bei|beim|für|mit|ohne|während|wenn|nach|vor|wegen|seit|zum|zur|zu|über|
    unter|zwischen|aus|bis
frame: und|oder|aus|nach|von|vom|gegen|durch|unter|zwischen|als|soll\w*|muss|müss\w*|kann|
    können|könn\w*|darf|dürf\w*|will|wollen|wird|werden|würd\w*|war|waren|hatte\w*|wurde\w*|alle|
    einige|wenige|nur|fast
filler: (?<=macht )das~leben|(?<=machen )das~leben|(?:ihrer|
    seiner)~(?:meinung|ansicht)~nach|jetzt|nun|inzwischen|mittlerweile|immer|noch|
    mehr|sehr|wirklich|echt|total|ganz|recht|ziemlich|auch|nur|meist\w*|oft|jede\w*|alle\w*|
    findet|finden|fand|hält|halten|hielt|meint|sagt|glaubt|benutzt|nutzt|verwendet|macht|machen|
    geht|hat|haben|wurde|wird|heute|neuerdings|so|eher|gar|behalten|loswerden|verloren|erhalten|
    genug|überhaupt|ihn|sie|er|es|seit|beim|etwas|viel|viele|läuft|laufen|ist|sind|bleibt|
    neue?[nrs]?|nie|mir
holder: (?:sogar~)?(?:der|die|das|ein|eine|viele|manche|einige|alle|die~meisten|unser\w*|ihr\w*|
    sein\w*|mein\w*|niemand|keiner|jeder|leute|laut)(?!\w)
shifts: bereu\w*|ehemalig\w*|(?<=den )früheren|(?<=der )frühere|(?<=die )früheren?|vorherig\w*|
    vorige\w*|alte[nrs]?|ende|statt|außer|gegenteil|vorgänger\w*|letzte\w*|nächste\w*
""",
    "es": r"""
like-: (?:perd\w+|ha~perdido)~(?:tod[oa]~)?(?:la|el|su|tod[oa])?~?(?:la~)?(?:confianza|fe|interés|
    ilusión)~(?:en|por)|(?:quiere|desea)~(?:abolir|cerrar|eliminar|suprimir|vender|derribar|
    librarse~de|deshacerse~del?)|(?:est[áa]|vot\w+|se~opone|protest\w+)~(?:en~)?contra|
    se~opone~al?|critica\w*|se~queja~del?|molesta\w*|lamenta~haber|odia\w*|detest\w+|aborrec\w+|
    evit\w+|no~soporta\w*|no~aguanta\w*|desconf[ií]\w+|hart[oa]~de|cansad[oa]~de|decepcionad[oa]|
    descontent[oa]|rechaza\w*|disgust\w+|contra
like+: no~se~cansa~de|(?:está~)?orgullos[oa]~del?|se~interesa~por|partidari[oa]~del?|favorable~al?|
    a~favor~del?|
    (?:quiere|desea)~(?:conservar|mantener|salvar)|apoya\w*|confianza~en|gusta\w*|encanta\w*|
    adora\w*|prefier\w+|prefer\w+|disfrut\w+|ama|aman|favorit[oa]s?|aprecia\w*|recomiend\w+|
    conf[ií]a\w*|content[oa]~con|satisfech[oa]|fan~de|aficionad[oa]~a|partidari[oa]~de
good-: mal[oa]?s?|malísim[oa]s?|peor\w*|terribles?|horribles?|pésim[oa]s?|decepcionantes?|fatal
good+: buen[oa]?s?|buenísim[oa]s?|bien|mejor\w*|excelentes?|genial\w*|fantástic[oa]s?|
    maravillos[oa]s?|estupend[oa]s?|perfect[oa]s?
reliable-: poco~fiables?|inestables?|frágil\w*|poco~confiables?
reliable+: fiables?|estables?|robust[oa]s?|confiables?|sólid[oa]s?
speed-: lent[oa]s?|lentísim[oa]s?
speed+: rápid[oa]s?|rapidísim[oa]s?|veloz|veloces|ágil\w*
use-: inútil\w*|innecesari[oa]s?|una~pérdida~de~tiempo
use+: útil\w*|necesari[oa]s?|valios[oa]s?|vale~la~pena|imprescindibles?
ease-: difícil\w*|complicad[oa]s?|complej[oa]s?|confus[oa]s?
ease+: fácil\w*|sencill[oa]s?|simples?|intuitiv[oa]s?
price-: car[oa]s?
price+: barat[oa]s?|económic[oa]s?|asequibles?
fun-: aburrid[oa]s?|tedios[oa]s?
fun+: interesantes?|divertid[oa]s?|emocionantes?|fascinantes?
calm-: ruidos[oa]s?
calm+: tranquil[oa]s?|silencios[oa]s?
safe-: insegur[oa]s?|peligros[oa]s?|arriesgad[oa]s?
safe+: segur[oa]s?
comfort-: incómod[oa]s?
comfort+: cómod[oa]s?
taste-: asqueros[oa]s?|sos[oa]s?
taste+: delicios[oa]s?|ric[oa]s?|sabros[oa]s?
kind-: antipátic[oa]s?|maleducad[oa]s?|groser[oa]s?
kind+: amables?|simpátic[oa]s?|educad[oa]s?
tidy-: desordenad[oa]s?|suci[oa]s?
tidy+: ordenad[oa]s?|limpi[oa]s?
length-: cort[oa]s?|breves?
length+: larg[oa]s?|detallad[oa]s?
hour-: tempran[oa]s?|temprano|por~la~mañana
hour+: tarde|por~la~(?:tarde|noche)
heat-: frí[oa]s?
heat+: calientes?|caliente
not: todo~menos|nada~más~lejos~de|lejos~de~ser|no(?!~solo|~sólo)|nunca|jamás|ya~no|tampoco|ni|
    apenas|nada|ningun[oa]?|ningún
ended: dej[oóa]\w*~(?:de|el|la|los|las)|ha~dejado|abandon\w+|renunci\w+|se~cansó~de
over: antes~que|en~lugar~de|en~vez~de|que|sobre|más~que|a~(?!la~hora)|al
switched: \b(?:cambi\w+|pas\w+|migr\w+|se\s+mud\w+|
    volvi\w+)\b[^.;]{0,20}?\bde(?:l)?\s+(?P<old>[^.;,]+?)\s+al?\s+(?P<new>[^.;,]+)
unsure: si|quizás?|tal~vez|a~lo~mejor|puede~que|podría\w*|posiblemente|duda\w*|a~veces|depende|
    parece~que|se~pregunta|considera
reported: según|rumor\w*|supuestamente|pregunt\w+~(?:si|por|cómo)
faded: ya~no
says: (?:dice|dijo|cree|afirma|opina|piensa)
past: antes(?!~(?:que|de))|solía|de~niñ[oa]|antiguamente
edges: pero|aunque|mientras|porque|sino|sin~embargo
where: en|para|con|sin|durante|cuando|después~de|antes~de|por|desde|hasta|sobre
frame: y|o|u|a|al|de|del|contra|hacia|entre|bajo|ni|debe\w*|debería\w*|puede\w*|podría\w*|
    tienen?~que|va~a|quiere|era|eran|fue|fueron|había\w*|estaba\w*|todos|algunos|pocos|casi
filler: (?<=hace )la~vida|(?<=hacen )la~vida|ahora|actualmente|todavía|aún|siempre|muy|mucho|
    bastante|realmente|
    también|solo|cada|
    tod[oa]s?|más|usa\w*|utiliza\w*|ha|han|le|les|encuentra|parece\w*|hace\w*|cree|piensa|hoy|ya|
    él|ella
holder: (?:al?~)?(?:el|la|los|las|un|una|muchos|algunos|casi~todos|todos|su|sus|nuestr\w+|nadie|
    al)(?=~)
shifts: perd\w+|anterior\w*|antigu\w+|ex|lament\w+|salvo|excepto|últim[oa]|próxim[oa]|suprim\w+|
    abol\w+
""",
    "fr": r"""
like-: (?:a~)?perdu~(?:toute~|sa~|la~|son~|l['’])?(?:confiance|foi|intérêt|goût)~(?:dans|en|pour|
    envers|d[eu])|en~a~assez~d(?:e|u|es)|veut~(?:supprimer|fermer|abolir|vendre|démolir|
    se~débarrasser~d(?:e|u|es))|(?:est|vote|a~voté|s['’]est~prononcée?|proteste)~contre|
    s['’]oppose~(?:à|aux?)|critique|se~plaint~d(?:e|u|es)|regrette~d['’]avoir|agace\w*|énerve\w*|
    déteste\w*|détestait|haït|hait|évite\w*|ne~supporte~(?:pas|plus)|se~méfie|en~a~(?:marre|
    assez)~(?:de|du|des)|déçue?~(?:par|de)|mécontente?|refuse\w*|lassée?~de|contre
like+: ne~se~lasse~(?:pas|jamais)~d(?:e|u|es)|favorables?~(?:à|aux?)|fi(?:er|ère)~de|
    s['’]intéresse~(?:à|aux?)|veut~(?:garder|conserver|
    sauver)|soutient|(?:est|vote|a~voté)~pour(?=~(?:le|la|les|une?)\b)|défend|fait~confiance~(?:à|
    aux?)|aime|aiment|aimait|adore\w*|préfère\w*|préférait|apprécie\w*|préférée?s?|
    favori(?:te)?s?|recommande\w*|contente?~(?:de|du)|satisfaite?|fan~de|confiance|plaît|plaisent|
    passionnée?
good-: mauvaise?s?|pire|terribles?|horribles?|nulle?s?|affreu(?:x|ses?)|décevante?s?|médiocres?
good+: bonne?s?|bon(?!~marché)|meilleure?s?|excellente?s?|génia(?:le?s?|ux)|fantastiques?|
    merveilleu(?:x|ses?)|parfaite?s?|formidables?
reliable-: peu~fiables?|instables?|fragiles?
reliable+: fiables?|stables?|robustes?|solides?
speed-: lente?s?
speed+: rapides?|vites?
use-: inutiles?|superflue?s?|une~perte~de~temps
use+: utiles?|nécessaires?|précieu(?:x|ses?)|indispensables?
ease-: difficiles?|compliquée?s?|complexes?
ease+: faciles?|simples?|intuiti(?:fs?|ves?)
price-: ch(?:er|ers|ère|ères)
price+: bon~marché|abordables?|pas~ch(?:er|ers|ère|ères)
fun-: ennuyeu(?:x|ses?)|barbants?
fun+: intéressante?s?|passionnante?s?|amusante?s?|captivante?s?
calm-: bruyante?s?
calm+: calmes?|silencieu(?:x|ses?)|tranquilles?
safe-: dangereu(?:x|ses?)|risquée?s?
safe+: sûre?s?|sécurisée?s?
comfort-: inconfortables?
comfort+: confortables?
taste-: dégoûtante?s?|fades?
taste+: délicieu(?:x|ses?)|savoureu(?:x|ses?)
kind-: désagréables?|impolie?s?
kind+: aimables?|gentil(?:le)?s?|polie?s?|agréables?
length-: courte?s?|brèves?|brefs?|concise?s?
length+: longue?s?|long|longs|détaillée?s?
hour-: tôt|le~matin|matin
hour+: tard|le~soir|soir|l'après-midi
heat-: froide?s?
heat+: chaude?s?
not: tout~sauf|loin~d(?:e|[’\'])(?:être)?|ne|n(?=['’]\w)|pas(?!~seulement)|jamais|aucune?|
    rarement|rien|ni
ended: arrêtée?|a~arrêté|abandonn\w+|renonc\w+|cessé|laissé~tomber
over: plutôt~que|plutôt~qu['’]|au~lieu~d[eu']|que|qu['’]|à|aux?
switched: \b(?:pass\w+|chang\w+|migr\w+|revenue?|déménag\w+)\b[^.;]{0,20}?\b(?:de|du|
    d['’])\s*(?P<old>[^.;,]+?)\s+(?:à|au|aux|vers)\s+(?P<new>[^.;,]+)
unsure: si|peut-être|pourrait|pourraient|envisage\w*|se~demande|parfois|probablement|hésite\w*|
    il~semble|dépend
reported: selon(?!~(?:elle|lui|eux))|d['’]après|rumeur\w*|demande~(?:si|comment)
faded: (?:ne|n['’])\b[^.;,]{0,30}\bplus|plus~(?:du~tout|jamais)
says: (?:dit|pense|affirme|trouve|croit)
past: autrefois|jadis|enfant
edges: mais|bien~que|pendant~que|parce~que|car|cependant|tandis~que
where: dans|en|pour|avec|sans|pendant|quand|lorsque|après|avant|par|depuis|sur|chez|jusqu['’]à
frame: et|ou|à|au|aux|de|du|des|contre|vers|entre|sous|doit|devrait|peut|pourrait|faut|va|veut|
    était|étaient|avait|fut|tous|quelques|peu|presque|seulement
filler: rend(?:ent)?|(?<=rend )la~vie|(?<=rendent )la~vie|selon~(?:elle|lui|eux)|maintenant|
    désormais|encore|toujours|
    très|vraiment|beaucoup|bien|
    assez|trop|aussi|seulement|chaque|toute?s?|tous|trouve\w*|pense|dit|utilise\w*|fait|a|ont|
    c['’]est|aujourd'hui|davantage|plus|d['’]|l['’]|n['’]|s['’]|qu['’]
holder: (?:le|la|les|une?|des|beaucoup|certains|tous|presque~tous|son|sa|ses|notre|nos|leur|
    personne)(?=~)|l['’](?=\w)
shifts: perd\w+|ancien\w*|précédent\w*|regrett\w*|sauf|supprim\w+|aboli\w*|dernière?s?|
    prochaine?s?
""",
    "pt": r"""
like-: (?:perdeu|perder)~(?:toda~)?(?:a|o|sua|seu)?~?(?:confiança|fé|interesse)~(?:n?[oa]s?|em|
    por|pel[oa])|quer~(?:acabar~com|fechar|abolir|eliminar|vender|demolir|livrar-se~d[eoa]s?)|
    (?:é|está|votou|vota)~contra|opõe-se~(?:ao?|à)|critica\w*|queixa-se~d[eoa]s?|reclama~d[eoa]s?|
    irrita\w*|odeia\w*|odiar|detest\w+|evit\w+|não~(?:suporta|aguenta)\w*|desconfia\w*|
    fart[oa]~de|cansad[oa]~d[eoa]|desiludid[oa]|decepcionad[oa]|insatisfeit[oa]|rejeita\w*|contra
like+: não~se~(?:cansa|farta)~d[eoa]s?|a~favor~d[eoa]s?|quer~(?:manter|conservar|salvar)|apoia\w*|
    confiança~(?:em|n[oa])|gosta\w*|
    adora\w*|prefer\w+|ama|amam|apreci\w+|favorit[oa]s?|preferid[oa]s?|recomenda\w*|confia\w*|
    content[ea]~com|satisfeit[oa]|fã~d[eoa]|curte\w*
good-: ma[uá]s?|má|piore?s?|terríve(?:l|is)|horríve(?:l|is)|péssim[oa]s?|ruim|ruins
good+: bo[ma]s?|bons|boas|melhore?s?|excelentes?|ótim[oa]s?|fantástic[oa]s?|maravilhos[oa]s?|
    perfeit[oa]s?
reliable-: pouco~(?:fiável|fiáveis|confiável|confiáveis)|instáve(?:l|is)|frágil|frágeis
reliable+: fiáve(?:l|is)|confiáve(?:l|is)|estáve(?:l|is)|robust[oa]s?|sólid[oa]s?
speed-: lent[oa]s?
speed+: rápid[oa]s?|velozes|veloz|ágil
use-: inúte(?:l|is)|inútil|desnecessári[oa]s?|perda~de~tempo
use+: úte(?:l|is)|útil|necessári[oa]s?|valios[oa]s?|vale~a~pena|indispensáve(?:l|is)
ease-: difíc(?:il|eis)|complicad[oa]s?|complex[oa]s?|confus[oa]s?
ease+: fác(?:il|eis)|simples|intuitiv[oa]s?
price-: car[oa]s?
price+: barat[oa]s?|acessíve(?:l|is)
fun-: aborrecid[oa]s?|chat[oa]s?|entediantes?
fun+: interessantes?|divertid[oa]s?|fascinantes?
calm-: barulhent[oa]s?
calm+: calm[oa]s?|silencios[oa]s?|tranquil[oa]s?
safe-: insegur[oa]s?|perigos[oa]s?
safe+: segur[oa]s?
comfort-: desconfortáve(?:l|is)
comfort+: confortáve(?:l|is)
taste-: nojent[oa]s?
taste+: delicios[oa]s?|gostos[oa]s?|saboros[oa]s?
kind-: antipátic[oa]s?|mal-educad[oa]s?
kind+: simpátic[oa]s?|amáve(?:l|is)|educad[oa]s?
length-: curt[oa]s?|breves?
length+: long[oa]s?|detalhad[oa]s?
hour-: cedo|de~manhã|pela~manhã
hour+: tarde|à~(?:tarde|noite)
heat-: fri[oa]s?|gelad[oa]s?
heat+: quentes?
not: tudo~menos|longe~de~ser|não(?!~só|~apenas)|nunca|jamais|já~não|nem|raramente|nada|nenhum\w*
ended: deix\w+~(?:de|o|a|os|as)|parou~d[eoa]|abandon\w+|desist\w+|largou
over: em~vez~d[eoa]s?|ao~invés~d[eoa]s?|do~que|que|a|ao|à|aos|às
switched: \b(?:mud\w+|pass\w+|migr\w+|troc\w+|
    volt\w+)\b[^.;]{0,20}?\bd[eoa]\s+(?P<old>[^.;,]+?)\s+(?:para|pra|pro|ao|à|a|
    por)\s+(?P<new>[^.;,]+)
unsure: (?<!-)se(?!~(?:mud|instal|estab|fix)\w+)|talvez|pode~ser|poderia\w*|possivelmente|
    às~vezes|depende|parece~que|pensa~em|considera
reported: segundo|boato\w*|supostamente|pergunt\w+~(?:se|por|como)
faded: já~não|não\b[^.;,]{0,30}\bmais
says: (?:disse|diz|acha|afirma|pensa)
past: antes(?!~d[eoa])|antigamente|costumava|em~criança
edges: mas|embora|enquanto|porque|porém|contudo
where: em|no|na|nos|nas|para|com|sem|durante|quando|depois|antes|por|desde|até
frame: e|ou|a|ao|aos|à|às|de|do|da|dos|das|contra|entre|sob|deve\w*|deveria\w*|pode\w*|
    poderia\w*|tem~(?:de|que)|vai|quer|era|eram|foi|foram|tinha|estava\w*|todos|alguns|poucos|quase
filler: tornam?|(?<=torna )a~vida|(?<=tornam )a~vida|agora|atualmente|ainda|sempre|muito|bastante|
    realmente|também|só|
    cada|tod[oa]s?|mais|
    usa\w*|utiliza\w*|acha|tem|faz|hoje|já|ele|ela
holder: (?:os?|as?|um|uma|muitos|alguns|quase~todos|todos|seu|sua|nosso|nossa|ninguém)(?=~)
shifts: perd\w+|anterior\w*|antig\w+|ex|salvo|exceto|últim[oa]|próxim[oa]|lament\w+
""",
    "it": r"""
like-: (?:ha~)?pers[oa]~(?:ogni~|la~|il~|tutta~la~|l['’])?(?:fiducia|fede|interesse)~(?:in|nel\w*|
    per|nell['’])|vuole~(?:abolire|chiudere|eliminare|vendere|demolire|liberarsi~d\w+)|(?:è|vota|
    ha~votato)~contro|contrari[oa]~a\w*|si~oppone~a\w*|critica|si~lamenta~d\w+|
    ne~ha~abbastanza~d\w+|non~ne~può~più~d\w+|infastidi\w+|odia\w*|detest\w+|evit\w+|
    non~sopporta\w*|diffida\w*|stuf[oa]~di|stanc[oa]~d\w+|delus[oa]|insoddisfatt[oa]|rifiuta\w*|
    contro
like+: non~si~stanca~(?:mai~)?d\w+|orgoglios[oa]~d\w+|si~interessa~d\w+|favorevol[ei]~a\w*|
    a~favore~d\w+|vuole~(?:tenere|
    mantenere|conservare|salvare)|sostiene|piac\w+|ama|amano|adora\w*|prefer\w+|apprezz\w+|
    preferit[oaei]|consigli\w+|fida|fidano|content[oa]~d\w+|soddisfatt[oa]|appassionat[oa]
good-: cattiv[oaei]|peggior\w*|terribil[ei]|orribil[ei]|pessim[oaei]|scars[oaei]|male
good+: buon[oaei]?|miglior\w*|eccellent[ei]|ottim[oaei]|fantastic[oaei]|meraviglios[oaei]|
    perfett[oaei]|bene
reliable-: inaffidabil[ei]|instabil[ei]|fragil[ei]
reliable+: affidabil[ei]|stabil[ei]|robust[oaei]|solid[oaei]
speed-: lent[oaei]
speed+: veloc[ei]|rapid[oaei]
use-: inutil[ei]|superflu[oaei]|perdita~di~tempo
use+: util[ei]|necessari[oaei]?|indispensabil[ei]|prezios[oaei]
ease-: difficil[ei]|complicat[oaei]|compless[oaei]
ease+: facil[ei]|semplic[ei]|intuitiv[oaei]
price-: car[oaei]|costos[oaei]
price+: economic[oaei]|a~buon~mercato
fun-: noios[oaei]
fun+: interessant[ei]|divertent[ei]|avvincent[ei]
calm-: rumoros[oaei]
calm+: tranquill[oaei]|silenzios[oaei]
safe-: insicur[oaei]|pericolos[oaei]
safe+: sicur[oaei]
comfort-: scomod[oaei]
comfort+: comod[oaei]
taste-: disgustos[oaei]
taste+: delizios[oaei]|buonissim[oaei]|gustos[oaei]
kind-: scortes[ei]|maleducat[oaei]
kind+: gentil[ei]|cortes[ei]|simpatic[oaei]
length-: cort[oaei]|brev[ei]
length+: lung[oa]|lunghi|lunghe|dettagliat[oaei]
hour-: presto|mattin[oa]
hour+: tardi|sera|pomeriggio
heat-: fredd[oaei]
heat+: cald[oaei]
not: tutt['’]altro~che|non(?!~solo)|mai|nessun\w*|raramente|niente|nulla|né
ended: smess\w*|smett\w+|abbandon\w+|rinunci\w+|lasciato~perdere
over: piuttosto~che|invece~d\w+|anziché|al~posto~d\w+|che|rispetto~a\w*|a|al|alla|allo|agli|alle|
    ai
switched: \b(?:pass\w+|cambi\w+|migr\w+|trasferit\w+|tornat\w+)\b[^.;]{0,20}?\bd(?:a|al|alla|
    allo)\s+(?P<old>[^.;,]+?)\s+a(?:l|lla|llo|d)?\s+(?P<new>[^.;,]+)
unsure: se|forse|magari|potrebb\w+|probabilmente|a~volte|dipende|sembra~che|si~chiede|valuta
reported: secondo(?=~[A-Z])|chied\w+~(?:se|come)
faded: non\b[^.;,]{0,30}\bpiù
says: (?:dice|crede|sostiene|pensa|ritiene)
past: una~volta|da~bambin[oa]
edges: ma|anche~se|mentre|perché|però|tuttavia|bensì
where: in|nel|nella|nei|per|con|senza|durante|quando|dopo|prima|da|su|sul|fino
frame: e|o|a|al|alla|di|del|della|dal|dalla|contro|verso|tra|fra|sotto|deve|devono|
    dovrebb\w*|può|possono|potrebb\w*|va|vuole|era|erano|fu|aveva\w*|stat[oa]|tutti|alcuni|pochi|
    quasi
filler: rend(?:e|ono)|(?<=rende )la~vita|(?<=rendono )la~vita|ora|adesso|ancora|sempre|molto|
    davvero|anche|solo|ogni|
    tutt[oaei]|più|usa\w*|utilizza\w*|
    trova|ritiene|ha|hanno|è|sono|gli|le|il|lo|la|i|di|del|della|un|una|oggi|lui|lei|che|e|si|suo|
    sua|mi|dei|delle
holder: (?:il|lo|la|i|gli|le|un|una|uno|molti|alcuni|quasi~tutti|tutti|suo|sua|nostr\w+|
    nessuno)(?=~)|l['’](?=\w)
shifts: pers[oa]|perde\w*|precedente|ex|vecchi[oa]|tranne|ultim[oa]|prossim[oa]|pentit[oa]
""",
    "nl": r"""
like-: (?:vertrouwen|geloof|interesse)(?=\b[^.;,]{0,50}\b(?:verloren|kwijt))|
    (?:wil)(?=\b[^.;,]{1,50}\b(?:afschaffen|sluiten|verkopen|slopen|opheffen|weg|schrappen))|
    (?:is|zijn|stemde|stemt)~tegen|genoeg~van|bekritiseert|klaagt~over|ergert~zich~aan|betreurt|
    haat|haten|verafschuwt|vermijdt|mijdt|wantrouwt|heeft~een~hekel~aan|een~hekel~aan|
    niet~uitstaan|ontevreden|teleurgesteld|zat|beu|tegen
like+: trots~op|wil(?=\b[^.;,]{1,50}\b(?:behouden|houden|redden))|vertrouwen|steunt|(?:is|stemde|
    stemt)~voor|houdt(?=\b[^.;,]{0,25}\bvan\b)|houden(?=\b[^.;,]{0,25}\bvan\b)|
    hield(?=\b[^.;,]{0,25}\bvan\b)|graag|liever|liefst|lievelings\w*|favoriete?|geniet|verkiest|
    waardeert|vertrouwt|fan~van|dol~op|tevreden|beveelt|leuk
good-: slecht\w*|vreselijk\w*|verschrikkelijk\w*|matig\w*|waardeloos|belabberd
good+: goed\w*|beter\w*|beste?|geweldig\w*|uitstekend\w*|fantastisch\w*|prima|perfect\w*
reliable-: onbetrouwba\w+|instabie\w+|onstabie\w+
reliable+: betrouwba\w+|stabie\w+|robuust\w*|degelijk\w*
speed-: langzaam|langzame|traag|trage
speed+: snel\w*|vlot\w*
use-: nutteloos|nutteloze|zinloos|zinloze|overbodig\w*|tijdverspilling
use+: nuttig\w*|handig\w*|zinvol\w*|waardevol\w*|onmisba\w+
ease-: moeilijk\w*|ingewikkeld\w*|lastig\w*
ease+: makkelijk\w*|gemakkelijk\w*|eenvoudig\w*
price-: duur|dure
price+: goedkop\w*|goedkoop|betaalba\w+
fun-: saai\w*
fun+: interessant\w*|spannend\w*|boeiend\w*
calm-: luidruchtig\w*|lawaaiig\w*
calm+: rustig\w*|stil\w*
safe-: onveilig\w*|gevaarlijk\w*
safe+: veilig\w*
comfort-: oncomfortabel\w*
comfort+: comfortabel\w*
taste-: walgelijk\w*
taste+: lekker\w*|heerlijk\w*
kind-: onvriendelijk\w*|onbeleefd\w*
kind+: vriendelijk\w*|aardig\w*|beleefd\w*
length-: kort\w*
length+: lang|lange|uitgebreid\w*
hour-: vroeg\w*|'s~ochtends|ochtend\w*
hour+: laat|later|'s~avonds|avond\w*|middag\w*
heat-: koud\w*
heat+: heet|hete|warm\w*
not: allesbehalve|verre~van|niet(?!~alleen)|nooit|geen|zelden|nauwelijks|niets|noch
ended: opgegeven|gestopt~met|stopt~met|stopte~met|afgezworen|laten~vallen|opgehouden
over: dan|boven|in~plaats~van|liever~dan
switched: \bvan\s+(?P<old>[^.;,]+?)\s+(?:naar|op)\s+(?P<new>[^.;,]+?)\s+(?:overgestapt|gewisseld|
    verhuisd|overgeschakeld|gemigreerd)|\b(?:stapt\w*|wissel\w*|schakel\w*|
    verhuis\w*)\b[^.;]{0,20}?\bvan\s+(?P<old2>[^.;,]+?)\s+(?:naar|op)\s+(?P<new2>[^.;,]+)
unsure: of|misschien|wellicht|mogelijk|zou|zouden|als|soms|waarschijnlijk|overweegt|
    vraagt~zich~af|lijkt
reported: volgens|naar~verluidt|vraagt~(?:of|hoe)
faded: niet~(?:meer|langer)|geen\b[^.;,]{0,40}\bmeer
says: (?:zegt|zei|vindt|beweert|denkt|gelooft)
past: vroeger|ooit|als~kind
edges: maar|hoewel|terwijl|omdat|want|echter
where: in|op|bij|voor|met|zonder|tijdens|wanneer|na|door|sinds|tot|om|over|onder|tussen|uit
frame: en|of|naar|van|tegen|langs|achter|moet\w*|zou|zouden|kan|kunnen|kon|mag|mogen|wil|
    willen|zal|gaat|was|waren|had|hadden|werd|alle|sommige|weinig|bijna|alleen
filler: ma(?:akt|ken)|(?<=maakt )het~leven|(?<=maken )het~leven|verloren|kwijt|behouden|nu|
    tegenwoordig|nog|altijd|heel|
    erg|echt|ook|alleen|elke?|alle|
    meer|gebruikt|gebruiken|vindt|vinden|heeft|hebben|is|zijn|het|een|de|vaak|zeer|vandaag|hij|
    zij|ze|van|en|te|die|dat|wordt
holder: (?:zelfs~)?(?:de|het|een|veel|sommige|alle|de~meeste|onze?|zijn|haar|hun|niemand|
    iedereen)(?=~)
shifts: vorige|voormalig\w*|oude?|betreur\w*|behalve|laatste|volgende
""",
    "zh": r"""
like-: 讨厌|厌恶|受不了|反感|不喜欢|不爱|不想|避免|拒绝|不信任|不推荐
like+: 喜欢|喜爱|热爱|偏爱|更喜欢|最爱|信任|推荐|享受|满意
good-: 糟糕|很差|不好|差劲
good+: 很好|很棒|优秀|出色
reliable-: 不可靠|不稳定
reliable+: 可靠|稳定
speed-: 很慢|太慢|缓慢
speed+: 很快|快速
use-: 没用|无用
use+: 有用|实用
price-: 很贵|太贵|昂贵
price+: 便宜
ease-: 困难|复杂
ease+: 简单|容易
not: 不再|不是|没有|从不|不
faded: 不再|已经不
ended: 戒了|戒掉|放弃|停止
over: (?!)
unsure: 如果|可能|也许|吗|是否|考虑|或许|有时
reported: 据说|听说|说(?=.{0,4}觉得)
past: 以前|曾经|过去
edges: 但是|但|不过|虽然|因为
where: (?!)
filler: 现在|非常|很|更|最|已经|觉得|认为|了|的|是|也|都|在
""",
    "ja": r"""
like-: 嫌い|苦手|避け|好きではな|好きじゃな|好まな
like+: 好き|大好き|愛用|好む|好ん|お気に入り|信頼|満足
good-: 悪い|ひどい|最悪
good+: 良い|いい|素晴らしい|最高
reliable-: 不安定|信頼できな
reliable+: 安定|信頼でき
speed-: 遅い|遅く
speed+: 速い|速く
use-: 役に立たな|無駄
use+: 役に立つ|便利
price-: 高い
price+: 安い
ease-: 難しい|複雑
ease+: 簡単
not: ない|ません|なくな|ず
faded: もう.{0,12}ない|なくな
ended: やめた|やめました|止めた|卒業
over: (?!)
unsure: もし|かも|でしょうか|ですか|考えて|たまに
reported: らしい|によると|と言って
past: 以前は|昔は|かつて
edges: しかし|だが|けど|が、
where: (?!)
filler: 今|とても|もっと|一番|です|ます|した|する|思う|は|が|を|に|の|で|も
""",
}
