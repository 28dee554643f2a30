"""The cue tables: per language, the patterns of each class of statement.

A pattern names a class of wording (a verb group with its subject, a construction), never a
topic. Weights are in the unit of the cue score; only the strongest class counts fully.
"""

import re
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Pattern:
    """One class of wording: what it adds or takes, and the kind of fact it makes.

    `standing` marks instructions that hold beyond the moment, and so are no mere requests.
    """

    name: str
    weight: float
    pattern: re.Pattern[str]
    kind: Literal["W", "O"] | None = "W"
    standing: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """The patterns of one language."""

    explicit: re.Pattern[str]
    not_explicit: re.Pattern[str]
    question: re.Pattern[str]
    hypothesis: re.Pattern[str]
    request: re.Pattern[str]
    small_talk: re.Pattern[str]
    finished: re.Pattern[str]
    agent_chatter: re.Pattern[str]
    positive: tuple[Pattern, ...]
    negative: tuple[Pattern, ...]


def _re(pattern: str) -> re.Pattern[str]:
    """Compile ignoring case; `~` stands for white space."""
    return re.compile(pattern.replace("~", r"\s+"), re.IGNORECASE)


def _decision(pattern: str, weight: float = 2.0) -> Pattern:
    return Pattern("decision", weight, _re(pattern))


def _preference(pattern: str, weight: float = 2.0) -> Pattern:
    return Pattern("preference", weight, _re(pattern), "O")


def _standing(pattern: str, weight: float = 2.0) -> Pattern:
    return Pattern("standing instruction", weight, _re(pattern), "O", standing=True)


def _personal(pattern: str, weight: float = 1.5) -> Pattern:
    return Pattern("personal fact", weight, _re(pattern))


def _learnt(pattern: str, weight: float = 1.25) -> Pattern:
    return Pattern("fact learnt", weight, _re(pattern))


def _transient(pattern: str, weight: float = 2.5) -> Pattern:
    return Pattern("passing state", weight, _re(pattern), None)


def _hearsay(pattern: str, weight: float = 2.0) -> Pattern:
    return Pattern("hearsay", weight, _re(pattern), None)


def _evaluation(pattern: str, weight: float = 2.0) -> Pattern:
    return Pattern("remark", weight, _re(pattern), None)


DATED = Pattern("dated", 1.5, re.compile(""), "W")
"""The class of statements that name a day, month or recurring time."""

_NEVER = re.compile(r"(?!)")

# --- English ---------------------------------------------------------------------------------

_EN_LEAD = (
    r"^\W*(?:(?:hey|hi|hello|oh|ah|ok|okay|well|so|and|but|also|btw|by~the~way|anyway|lol|haha|hmm|yeah|yes|no|"
    r"nope|right|cool|great|good|perfect|nice|thanks|thx|sorry|please|pls|just|then|now)\b\W*)*"
)
_EN_WHO = (
    r"(?:i|we|they|he|she|you|everyone|the~(?:team|board|client|family|boss|group|kids)|my~\w+|our~\w+|"
    r"(?-i:[A-Z])\w+)"
)
_EN_ADVERBS = (
    r"(?:\w+ly|also|just|always|never|often|still|now|both|all|only|even|kind~of|sort~of|have|has|had|'ve|'d|"
    r"since|together|ultimately)"
)
_EN_KIN = (
    r"wife|husband|partner|spouse|girlfriend|boyfriend|fianc[eé]e?|mother|mom|mum|father|dad|parents?|sister|"
    r"brother|siblings?|sons?|daughters?|kids?|child(?:ren)?|baby|twins?|uncle|aunt|cousins?|niece|nephew|"
    r"grand\w+|(?:mother|father|brother|sister)-in-law|in-laws|boss|manager|colleague|coworker|teammate|mentor|"
    r"landlord|landlady|neighbou?rs?|room-?mate|flat-?mate|friend|doctor|gp|dentist|therapist|physio\w*|lawyer|"
    r"accountant|cleaner|nanny|teacher|tutor|trainer|coach|vet|dog|cat|puppy|kitten|pet|horse|rabbit|parrot"
)
_EN_OWN = (
    r"car|bike|van|boat|house|home|flat|apartment|room|office|desk|company|employer|team|startup|school|uni\w*|"
    r"college|course|job|role|title|birthday|anniversary|address|phone|number|email|e-mail|hometown|name|"
    r"nickname|surname|pronouns?|passport|visa|licen[cs]e|flight|train|hotel|appointment|surgery|exam|interview|"
    r"deadline|wedding|vacation|holiday|trip|stand-?up|meeting|shift|schedule|salary|budget|rent|mortgage|"
    r"lease|subscription|plan|goal|project|thesis|diet|allerg\w+|medication|meds|blood~type|shoe~size|size|"
    r"insurance|server|laptop|machine|router|nas|domain|repo\w*|account|database|cluster|printer|editor|keyboard|"
    r"monitor|locker|timezone|time~zone|commute|contract|notice~period|backups?|website|blog|garden|kitchen"
)
_EN_STATIVE_I = (
    r"(?:live|lived|work|worked|study|studied|teach|taught|grew~up|was~born|come~from|came~from|moved|relocat\w+|"
    r"speak|own|owned|bought|sold|drive|weigh|play|run~(?:a|the|my)|started|joined|quit|left|retired|graduated|"
    r"got~(?:married|engaged|hired|promoted|divorced|laid~off|a~new|the~job)|became|signed|adopted|inherited|"
    r"have~(?:a|an|two|three|four|five|no|one|been|\d+)|'ve~(?:been|got~(?:a|an|two|three|no)|lived|worked|"
    r"moved|had|switched|started|signed)|(?:'m|am)~(?:a|an|the|from|not~a|allergic|vegetarian|vegan|diabetic|"
    r"coeliac|celiac|pescatarian|lactose|married|single|divorced|pregnant|left-handed|colou?r-?blind|deaf|blind|"
    r"based|turning|responsible|in~charge|\d+)|can't~(?:eat|drink|have|drive|swim|use|read)|cannot~(?:eat|drink|"
    r"drive)|don't~(?:eat|drink|drive|smoke|own|speak|use|work|have~(?:a|any))|wear|suffer|used~to~(?:live|work)|"
    r"go~by|go~to|take~(?:the|my)|use|support|manage|lead|maintain|sleep|wake~up|get~up|swim|train)"
)
_EN_PAST = (
    r"(?:built|made|wrote|rewrote|set|put|got|took|did|sent|moved|split|cut|ran|found|left|kept|brought|sped|"
    r"shrank|drew|began|broke|chose|gave|went|paid|sold|bought|taught|undid|redid|swapped|dropped|"
    r"(?!need|seem|want)\w{2,}ed)"
)
_EN_NO_WORK = (
    r"(?:look|check|search|notic|tri|not|ignor|acknowledg|remember|recall|record|sav|stor|mention|ask|suggest|"
    r"recommend|want|hop|wonder|guess|assum|promis|fail|need|start|open|list|count|compar|review|analy[sz]|"
    r"examin|investigat|scann?|fetch|download|load|print|view|us|pars|read|stopp?|learn|explain|offer|consider|"
    r"decid|plann?|refus|declin|attempt|identifi|discover|realis|realiz|summari[sz]|confus|believ|inspect)ed\b|"
    r"(?:read|saw|found|thought|said|told|meant|knew|felt|understood|heard|began|took~a~look|ran|went|kept|"
    r"got|gave|left|did~not|made~sure)\b"
)

_ENGLISH = Table(
    explicit=_re(
        r"(?:^|[,.;:!…–—-]\s*|\b(?:please|pls|also|and|just|but|so|ok|okay|to|should|must)~)(?:remember|memori[sz]e|"
        r"note~(?:that|down|to~self|for)|note:|take~note|keep~in~mind|bear~in~mind|don'?t~(?:you~)?forget|"
        r"do~not~forget|never~forget|make~a~(?:mental~)?note|(?:write|jot|note)~(?:this|that|it)~down|"
        r"(?:save|store)~(?:this|that|it)\b|note~to~self|for~(?:the~record|future~reference))\b|"
        r"\bkeep~(?:that|this|it)~in~mind\b|\bfor~the~record\b|\b(?:to|in)~(?:your|the)~(?:long-term~)?memory\b"
    ),
    not_explicit=_re(
        r"\b(?:do~you|don't~you|did~you|i|i~do|i~don't|i~can't|can't|cannot|if~you|you|we|still)~remember\b|"
        r"\bremember~(?:when|how|the~time|me|us)\b|\b(?:don't|do~not|no~need~to)~(?:remember|save|store|note)\b"
    ),
    question=_re(
        _EN_LEAD
        + r"(?:what|why|how|where|who|whose|which|can|could|would|will|do(?!~not|n't)|does|did|is|are|am|was|were|"
        r"should|shall|has|any~(?:idea|news|chance|luck|update)|have~you|wanna|shouldn't|isn't|aren't|doesn't|"
        r"won't~you|wouldn't|can't~(?:you|we))\b(?!.*[.!]$)"
        r"(?!~(?:i|we)~(?:really~)?(?:need|want|like|love|hate|prefer)~(?:is|most|least))"
        r"(?!~(?:matters|helps|works|counts))"
        r"|" + _EN_LEAD + r"when~(?:is|are|was|were|do|does|did|will|can|should)\b"
        r"|\b(?:do~you~(?:think|know|have|remember)|any~(?:ideas?|thoughts)|or~not|am~i~right|what~do~you~think)\W*$"
        r"|\bi~(?:wonder|was~wondering|am~wondering|'m~wondering)\b|\bno~idea\b|\bnot~sure~(?:if|whether|what|how|why)"
    ),
    hypothesis=_re(
        r"\b(?:maybe|perhaps|might|someday|some~day|one~day|hypothetical\w*|imagine|suppos(?:e|ing)|what~if|"
        r"thinking~(?:about|of)|(?:was|were|am|'m|'re|are)~considering|toying~with|tempted~to|could~(?:always|try|"
        r"maybe|also|potentially|in~theory)|in~theory|wish|if~only|wouldn't~it|would~be~(?:nice|cool|fun|great|"
        r"good)|not~(?:yet~)?(?:decided|sure|certain)|haven't~decided|undecided|pretend|let's~(?:say|imagine|"
        r"pretend|assume)|role-?play|for~the~sake~of|daydream\w*)\b"
        r"|\bif~\w+~(?:were|moved|had|could|won|ever|would|wanted|lived|worked|bought|quit|decided|chose|"
        r"switched)\b|\b(?:would|could|should)~(?:have|'ve)~\w+(?:ed|en|ne|ught)\b"
        r"|\bi~(?:guess|suppose|think)~(?:i|we)~(?:could|should|might|would)\b"
        r"|\bwe~(?:could|should)~(?:probably|maybe|someday|really|try)\b"
    ),
    request=_re(
        _EN_LEAD + r"(?:(?:@?\w+[,:]?~)?(?:can|could|would|will)~you|i(?:~would|'d)~like~you~to|i~(?:need|want)~you~to|"
        r"help~me|let~me~(?:know|see)|tell|show|give|find|search|look|open|run|rerun|write|fix|add|commit|push|pull|"
        r"send|check|make|create|update|delete|remove|move|rename|explain|summari[sz]e|translate|try|read|draft|"
        r"rewrite|list|set|put|book|order|archive|install|build|deploy|test|print|play|turn|start|stop|restart|"
        r"generate|convert|compare|calculate|format|refactor|revert|merge|review|debug|schedule|reschedule|remind|"
        r"cancel|reply|email|call~(?!me\b)\w+|text|message|get|go~ahead|do~(?:it|that|this)|proceed|continue|wait|"
        r"use~(?:that|this|it)|let's~(?:see|try|go|do|start|continue|look|get|talk|move~on)|ping|clean|sort|copy|"
        r"paste|download|upload|plot|draw|pick|suggest|recommend|define|describe|proofread|shorten|undo|redo|"
        r"forget~(?:it|that|about)|ignore|never~mind|nevermind|don't~(?:worry|bother|touch~it)|hold~on)\b"
        r"|\bplease~(?:can|could|do|move|send|check|fix|update|add|remove|find|show|tell|give|make|run|look|try|"
        r"delete|book|order|open|read|write|help|remind)\b"
    ),
    small_talk=_re(
        r"(?:\W|\d|\b(?:hey|hi|hello|yo|sup|hiya|morning|good|evening|night|afternoon|there|thanks?|thank|you|thx|ty|"
        r"cheers|lol|lmao|rofl|ha+h?a*|he+h?e*|ok(?:ay)?|k|kk|cool|nice|great|perfect|awesome|wow|omg|yes|yeah|yep|"
        r"yup|no|nope|nah|sure|fine|alright|right|exactly|indeed|true|same|sorry|no|worries|problem|please|bye|"
        r"see|ya|later|soon|brb|afk|gtg|gotta|go|run|done|got|it|sounds|looks|works|for|me|to|know|agreed|"
        r"fair|enough|makes|sense|love|that|this|is|was|all|so|much|very|a|lot|the|best|work|job|well|"
        r"that's|it's|you're|welcome|of|course|hmm+|uh+|um+|oh|ah|oops|damn|ugh|yay|woo+|congrat\w*|too|and|but|"
        r"i|see|guess|know|agree|as|always|again|man|dude|bro|buddy|my|friend|what|day|weekend|week|have|"
        r"terrible|funny|hilarious|amazing|interesting|not|bad|how|are|do|your|today|tomorrow|excellent|brilliant|"
        r"lovely|wonderful|super|whatever|anyway|then|just|kidding|joking|noted|understood|roger|clear)\b)+"
    ),
    finished=_re(
        rf"\bi(?:'ve|~have)?~(?:\w+ly~|now~|also~|just~|then~)?(?!{_EN_NO_WORK}){_EN_PAST}\b"
        rf"|^(?:\W*(?:done|great|ok|okay|all~done|all~set|good~news|understood|yes|sure|alright|right)\b\W+)*"
        rf"(?!{_EN_NO_WORK})(?:\w{{3,}}ed|built|wrote|rewrote|split|set~up)\b(?!~(?:on|by|to~\d|in~\d)\b)"
        r"|\b(?:is|are)~now~(?:\w+ing|\w+ed|live|up|green|on|off|in|working|part|available|enabled|disabled)\b"
        r"|\b(?:all~)?\d+~(?:tests?|checks?|files?|records?)~(?:pass|were|are)\b.*\bnow\b"
    ),
    agent_chatter=_re(
        r"\b(?:i'll|i~will|i~can|i~could|i~would|i'd|i~should|let~me|let's|i'm~going~to|going~to|i~am~going|"
        r"i~won't|i~didn't|i~did~not|i~haven't|couldn't|could~not|unable|should~i|shall~i|do~you|would~you|"
        r"want~me|if~you|feel~free|you~can|you~could|you~should|next,|"
        r"i~(?:think|believe|guess|suggest|recommend|see|understand|apologi[sz]e))\b"
        r"|^\W*(?:now~)?(?:running|looking|checking|reading|opening|fetching|searching|editing|working|trying)\b"
    ),
    positive=(
        _decision(
            rf"\b{_EN_WHO}(?:'ve|'re|'d|'ll|'s|'m)?(?:~{_EN_ADVERBS}){{0,3}}~(?:(?:are|is|will|were|have|has|be)~)?"
            rf"(?:{_EN_ADVERBS}~){{0,2}}(?:decid(?:ed|e)|agreed|chose|chosen|pick(?:ed|ing)|opt(?:ed|ing)|settled|"
            r"concluded|committ(?:ed|ing)~to|resolved~to|finali[sz](?:ed|ing)|voted|approved|signed~off|"
            r"(?:went|going|go|gone)~(?:with|for|back~to|all~in|ahead~with)|landed~on|stick(?:ing)?~(?:with|to)|"
            r"stay(?:ing)?~(?:with|on)|standardi[sz](?:ed|e|ing)|switch(?:ed|ing)?|migrat(?:e|ed|ing)|"
            r"mov(?:ed|ing|e)~(?:to|from|away|over|off|everything|the|our|all|my)|adopt(?:ed|ing)?|dropp(?:ed|ing)|"
            r"ditch(?:ed|ing)?|abandon(?:ed|ing)?|cancel(?:l?ed|l?ing)|postpon(?:ed|ing)|replac(?:ed|ing)|"
            r"rul(?:ed|ing)~out|scrapp(?:ed|ing)|phas(?:ed|ing)~out|settl(?:ing|e)~on|retir(?:ing|ed)~the|renam(?:ed|"
            r"ing)|hir(?:ed|ing))\b"
        ),
        _decision(
            r"\blet's~(?:use|stick|keep|drop|move|switch|scrap|ship|name|call|standardi[sz]e|adopt|make|hold|postpone|"
            r"cancel|go~(?:with|for|back)|settle|have|put|target|aim|push|not)\b",
            1.5,
        ),
        _decision(
            r"\b(?:decision|verdict|final~answer|conclusion|outcome|consensus|agreement|resolution)\s*(?::|is|was)|"
            r"\b(?:it'?s|it~is|that's)~(?:final|settled|official|decided|a~go|agreed|confirmed)\b"
        ),
        _decision(
            r"\b(?:going~forward|starting~(?:today|tomorrow|next|from|in|on|with)|as~of|effective|no~longer|"
            r"not~any~?more|anymore|no~more|instead~of|instead$|rather~than|over~to|won't~be|in~favou?r~of|"
            r"moves~to|is~moving~to|got~moved~to|was~moved~to|is~now~(?:on|at|in|called|the))\b",
            1.5,
        ),
        _decision(
            r"\b(?:we|i|they)(?:'ll|~will|'re|~are|'m|~am)~(?:all~|now~|only~|not~)*(?:using|use|going~to~use|"
            r"launch\w*|ship\w*|releas\w*|hir\w*|mov\w*|keep\w*|host\w*|deploy\w*|support\w*|start\w*|target\w*|"
            r"build\w*|sell\w*|open\w*|clos\w*|leav\w*|join\w*|merg\w*|renam\w*|retir\w*|buy\w*|tak\w+~over)\b",
            1.5,
        ),
        _preference(
            r"\b(?:i|we|he|she|they|(?-i:[A-Z])\w+|(?:my|our)~\w+|mum|mom|dad)(?:'d|'m|'s)?~"
            r"(?:(?:really|absolutely|definitely|generally|usually|always|only|actually|much|far|truly|just|still|"
            r"also|totally|kind~of|both|honestly|personally|strongly|would|tend~to|secretly)~){0,3}"
            r"(?:prefer(?:s|red)?|likes?(?!~(?:to~(?:know|see|ask)|it|that|this)\b)|"
            r"loves?(?!~(?:it|that|this|you)\b)|hates?(?!~(?:it|that|this|you|to~(?:ask|say))\b)|dislike[sd]?|loathes?|"
            r"detests?|adores?|enjoys?|can't~(?:stand|bear)|cannot~(?:stand|bear)|(?:don't|doesn't)~(?:really~|much~)?"
            r"(?:like|want|care~for|eat|drink|enjoy|trust)|rather|favou?rs?|avoids?|wants?~(?:only|everything|all|"
            r"every|no|things|my|his|her|their)|only~wants?|insists?~on|find\w*~\w+~(?:easier|harder|annoying|"
            r"confusing|distracting)|(?:am|'m|is|are|'s)~(?:not~)?(?:really~|a~big~|a~huge~)?(?:a~fan|into|fond|keen|"
            r"picky|partial|happiest|terrified|scared|obsessed))\b"
        ),
        _preference(
            r"\b(?:my|our|his|her|their|\w+'s)~(?:all-time~)?(?:favou?rite|preferred|go-to|pet~peeve|usual)\b|"
            r"\b(?:drives?|makes?|leaves?)~(?:me|us|him|her|them)~(?:crazy|mad|nuts|sick|happy|anxious|sleepy|cold)|"
            r"\b(?:annoys?|bothers?|irritates?|suits?|distracts?|stresses)~(?:me|us|him|her|them)\b|"
            r"\b(?:works?|is|are)~(?:best|better|easier|easiest|worse)~for~(?:me|us|him|her|them)\b|"
            r"\bnot~(?:my|our|her|his)~(?:thing|cup~of~tea|style|taste)\b|\bhard~pass~on\b|\bsuckers?~for\b"
        ),
        _preference(
            r"\b(?:the~)?(?:shorter|simpler|earlier|later|fewer|less|quieter)~(?:\w+~)?the~better\b|"
            r"\bgive~me~\w+.*\bover\b|\bany~day\b.*\bover\b|\bover~\w+~any~day\b",
            1.5,
        ),
        _standing(
            _EN_LEAD + r"(?:always|never|don't~ever|do~not~ever|avoid|no~more~\w+|no~\w+~\w+.*\b(?:please|unless|ever|"
            r"before|after|on)\b|only~(?:use|reply|answer|send|write|book|call|ask|ping|message)|"
            r"keep~(?:your|the|it|all|every|replies|answers|responses|things|messages|emails|commits|code|my)\b)"
        ),
        _standing(
            r"\b(?:whenever|every~time|each~time|any~time|anytime|by~default|unless~i~(?:ask|say|tell|request)|"
            r"from~now~on|from~here~on|henceforth|in~(?:the~)?future|at~all~times|under~no~circumstances|"
            r"without~(?:asking|checking~with)~me)\b"
        ),
        _standing(
            r"\bwhen~(?:you|i|we)~\w+[^?]*?,~?(?:please|always|never|use|don't|do~not|make|run|ask|check|send|put|"
            r"add|keep|include|start|tell|give|include)\b|\b(?:call|address)~me\b(?!~(?:back|when|if|later|at|on))|"
            r"\b(?:you~(?:should|must|can|may)~(?:always|never|only|not))\b|\bi~(?:want|need|expect)~(?:you|all|every)"
            r"\w*~.*\b(?:always|never|every|all)\b"
        ),
        _standing(
            r"\b(?:answers?|repl(?:y|ies)|respon(?:d|ses?)|write|talk|speak|summar\w+|messages?|commits?)\b.*"
            r"\b(?:in~(?:english|german|spanish|french|portuguese|chinese|japanese|plain|bullet|markdown)|short\w*|"
            r"brief\w*|concise\w*|formal\w*|informal\w*|emojis?|bullet|polite\w*|sentences?|paragraphs?|metric)\b",
            1.5,
        ),
        _personal(
            rf"\b(?:my|our|his|her|their|\w+'s)~(?:\w+~){{0,2}}?(?:{_EN_KIN}|{_EN_OWN})\b"
            r"(?=.*\b(?:is|are|was|were|has|have|had|'s|lives?|works?|got|gets|turns?|turned|comes?|came|goes|leaves?|"
            r"starts?|began|runs?|ends?|expires?|needs?|changes?|moved|died|retired|stud(?:y|ies)|likes?|speaks?|plays?|"
            r"will|owns?|teaches|called|named|takes?|opens?|closes?|uses?|becomes?|became|joined|joins|\w+ed)\b)"
        ),
        _personal(rf"\bi~?(?:\w+ly~|also~|just~|only~|still~|now~|always~|never~)?{_EN_STATIVE_I}\b"),
        _personal(
            r"(?:^|\W)(?-i:[A-Z]\w+|she|he|they|She|He|They)(?:~and~(?-i:[A-Z])\w+)?~(?:\w+ly~|also~|now~|just~)?(?:works?|worked|"
            r"lives?|lived|stud(?:y|ies|ied)|runs|owns|leads?|leading|manages?|joined|joins|left|leaves|turns?|turned|"
            r"got~(?:the|a|married|engaged|promoted|hired)|was~born|died|passed~away|retired|graduated|moved|is~(?:a|an|the|"
            r"my|our|in~charge|responsible|allergic|vegan|vegetarian|pregnant|from|based|out|away|on~leave|\d+)|"
            r"takes~over|took~over|comes~every|speaks?|handles?|maintains?|reports~to|broke~up)\b"
        ),
        _personal(
            r"\b(?:years~old|born~(?:in|on)|allergic~to|allergy|vegan|vegetarian|gluten|lactose|diabet\w+|asthma\w*|"
            r"pregnant|married|divorced|engaged|widow\w*|retired|left-handed|dyslexic|migraines?|intoleran\w+|"
            r"birthday|anniversary)\b"
        ),
        _personal(
            r"\bi(?:'m|~am|'ll|~will)~(?:be~)?(?:\w+ly~)?(?:starting|joining|leaving|moving|flying|travel\w+|visiting|staying|"
            r"getting~(?:married|divorced)|quitting|taking~(?:over|a~week|time)|away|abroad|on~(?:holiday|vacation|leave|"
            r"parental|call)|out~(?:of~(?:office|town)|until|from|all|next)|in~(?-i:[A-Z])\w+|studying|training~for|"
            r"learning|writing~(?:a|my)|building|renovating|expecting)\b"
        ),
        _learnt(
            r"\b(?:turns?~out|turned~out|lesson\b|(?:we|i)~learn(?:ed|t)|(?:we|i)~(?:found~out|figured~out|discovered|"
            r"realised|realized)|the~trick~(?:is|was)|the~(?:problem|issue|cause|reason|fix|solution|culprit|catch|bug|"
            r"workaround|secret~is|bottleneck|rule|limit|gotcha)~(?:is|was|turned|:)|root~cause|it~only~works|"
            r"it~works~(?:only~)?(?:if|when|with)|gotcha|important:|fyi|caveat|beware|careful:|heads~up)",
            2.0,
        ),
        _learnt(
            r"\b(?:the|our|my|your|all|its|this|these|those|(?-i:[A-Z])[\w.-]+|[\w-]+\.\w+|each|every|new|any)~(?:[\w./'-]+~){0,5}?"
            r"(?:needs?|requires?|must|has~to|have~to|(?:can~)?only~(?:works?|runs?|accepts?|supports?|ships?|opens?|"
            r"takes?|reads?|allows?)|(?:does|do)(?:n't|~not)~(?:support|work|ship|accept|allow|like|have|need|include|run|"
            r"handle|scale|provide|exist|count|come|fit)|supports?|depends?~on|runs?~(?:on|as|every|in|at|under)|"
            r"listens?~on|liv(?:es?|ing)~(?:in|at|on|under)|(?:is|are|gets?|was|were)~(?:now~|always~|only~|all~)?(?:stored|"
            r"kept|located|hosted|deployed|installed|called|named|written|based|built|backed~up|mounted|configured|"
            r"managed|owned|maintained|limited|capped|disabled|enabled|due|available|closed|rotated|cached|pinned|"
            r"generated|mirrored|archived|read-only|deprecated|sorted|encrypted|signed)|expires?|costs?|charges?|"
            r"defaults?~to|points?~to|maps?~to|resolves?~to|belongs?~to|sits?~(?:in|on|at|behind)|uses?~\w+|"
            r"contains?|holds?|covers?|closes?~at|opens?~at|starts?~at|ends?~(?:at|on)|"
            r"(?:is|are)~(?:on|at|in|under|behind|port)~\S+|breaks?~(?:if|when|on|with)|fails?~(?:if|when|on|with|unless)|"
            r"crash(?:es)?~(?:if|when|on|with)|times?~out|changes?~(?:every|on|at)|happens?~(?:every|at|on)|"
            r"reboots?~(?:every|at)|means?|stands~for|equals?|never~\w+s|always~\w+s)\b"
        ),
    ),
    negative=(
        _transient(
            r"\b(?:right~now|at~the~moment|for~now|brb|gotta|gonna~(?:grab|get|eat|go|take)|about~to|on~my~way|"
            r"in~a~(?:sec|second|minute|bit|moment|hurry)|one~sec|just~(?:a~sec|woke|now|finished|got~(?:back|home|up)|"
            r"had|saw|watched|ate)|be~right~back|talk~(?:later|soon)|so~far~today|any~minute|currently~(?:\w+ing|stuck|"
            r"at|in|open)|this~(?:morning|afternoon|evening|heat|weather|rain)|still~(?:waiting|loading|failing|running|"
            r"broken|stuck|here|nothing|the~same))\b"
        ),
        _transient(
            r"\bi(?:'m|~am|~feel|'m~feeling|~was)~(?:\w+ly~|so~|very~|really~|a~bit~|a~little~|bit~|pretty~|kinda~|still~|just~)*"
            r"(?:tired|hungry|thirsty|bored|busy|back|here|ready|done|sick|sleepy|stuck|exhausted|cold|hot|sad|happy|"
            r"excited|stressed|late|lost|confused|sorry|glad|fine|ok|okay|good|looking|getting|waiting|trying|heading|"
            r"sitting|watching|listening|debugging|eating|drinking|cooking|reading|checking|in~a~(?:meeting|call)|"
            r"at~(?:lunch|dinner|the~(?:office|gym|airport|station|supermarket|store|doctor))|"
            r"on~(?:a~call|the~(?:train|bus|phone|way|plane)))\b"
        ),
        _transient(
            r"\b(?:i|we)(?:'ve|~have)(?:~got)?~(?:\w+~){0,2}?(?:\w+~)?(?:tabs?|windows?|terminals?|browsers?|emails?|messages?|"
            r"errors?|warnings?|questions?|minutes?|mins?|seconds?|percent|problem|issue|headache|idea|feeling|meeting~in|"
            r"call~in)\b"
            r"|\b(?:is|are|'s)~(?:\w+ly~|still~|already~)?(?:down|red|broken|failing|slow|stuck|loading|running|open|green|"
            r"raining|snowing|freezing|sunny|cloudy|hot|cold|late|full|empty|up)~?(?:again|now|today|atm)?\W*$"
            r"|\b(?:again|atm|today)\W*$|\b\d+%~(?:battery|cpu|left|done)\b|\b(?:battery|weather|traffic)\b.*\b(?:is|at)\b"
        ),
        _hearsay(
            r"\b(?:\w+~(?:says|said|thinks|claims|reckons|told~me|swears|insists)~(?!we\b|no\b)|according~to|"
            r"i~(?:read|heard|saw)~(?:that|on|in|somewhere|about|a)|apparently|supposedly|allegedly|rumou?r|"
            r"people~say|they~say|some~say)"
        ),
        _evaluation(
            r"\b(?:what~a|how~(?:nice|cool|weird|funny|awful)|such~a~(?:pain|mess|day|joke)|good~(?:job|work|point|idea|"
            r"question|luck|call)|well~done|looks~(?:good|great|fine|weird|wrong|ok)|sounds~(?:good|great|fun)|"
            r"(?:that|this|it)(?:'s|~is|~was|~looks|~seems|~sounds|~feels)~(?:\w+ly~|so~|very~|really~|a~bit~|pretty~|not~)*"
            r"(?:great|good|nice|cool|fine|bad|weird|wrong|odd|funny|perfect|awesome|terrible|awful|annoying|crazy|true|"
            r"right|better|amazing|interesting|helpful|hard|easy|too|ok|okay|done|works?|enough))\b"
        ),
        _evaluation(
            r"^\W*(?:it|this|that|these|those)~(?:works?|worked|doesn't~work|fails?|failed|crashed|broke|looks?|is|was|"
            r"seems?|says?|does|did)\b",
            1.0,
        ),
        Pattern(
            "chore", 1.5,
            _re(r"\b(?:i|we)~(?:need|have|want|ought|got)~to~(?!use\b|keep\b|be\b|renew\b)\w+|\blet~me\b|\bi'll~(?:check|"
                r"look|try|see|do|take|get|have|go|ask|send|let|be~(?:back|right|there)|think)\b"), None,
        ),
    ),
)  # fmt: skip

# --- German ----------------------------------------------------------------------------------

_DE_KIN = (
    r"frau|mann|partner(?:in)?|freund(?:in)?|verlobte[r]?|mutter|mama|vater|papa|eltern|schwester|bruder|"
    r"geschwister|sohn|söhne|tochter|töchter|kind(?:er)?|baby|zwillinge|onkel|tante|cousine?|neffe|nichte|oma|opa|"
    r"groß\w+|schwieger\w+|chef(?:in)?|kolleg(?:e|in|en)|vermieter(?:in)?|nachbar(?:in|n)?|mitbewohner(?:in)?|"
    r"ärztin|arzt|zahn\w+|therapeut(?:in)?|anwalt|anwältin|steuerberater(?:in)?|lehrer(?:in)?|trainer(?:in)?|hund|"
    r"katze|kater|pferd|haustier|name|adresse|geburtstag|wohnung|haus|auto|rad|büro|firma|team|job|schule|"
    r"urlaub|reise|flug|zug|termin|prüfung|vertrag|versicherung|miete|budget|projekt|server|rechner|router|"
    r"konto|passwortmanager|telefonnummer|nummer|hochzeit|umzug|allergie|diät"
)
_DE_LEAD = (
    r"^\W*(?:(?:hallo|hi|hey|ach|oh|ok|okay|gut|also|und|aber|übrigens|naja|ja|nein|genau|super|danke|sorry|"
    r"bitte|dann|so|jetzt)\b\W*)*"
)

_GERMAN = Table(
    explicit=_re(
        r"\b(?:merk(?:e)?~(?:dir|euch|es|das)|denk~(?:bitte~)?(?:dran|daran)|vergiss~(?:bitte~)?(?:nicht|nie)|"
        r"nicht~vergessen|behalt\w*~(?:bitte~)?(?:im~(?:kopf|hinterkopf|gedächtnis)|das|dir)|notier(?:e|s)?\b|"
        r"zur~erinnerung|fürs~protokoll|schreib~(?:dir~)?(?:das~|es~)?auf|speicher(?:e)?~(?:das|dir|bitte)|"
        r"zu~merken|wichtig~zu~wissen|erinnere~dich~(?:bitte~)?(?:daran|dass)|gut~zu~wissen:)"
    ),
    not_explicit=_re(r"\b(?:erinnerst~du|weißt~du~noch|ich~merke|kannst~du~dich)\b"),
    question=_re(
        _DE_LEAD
        + r"(?:was|wer|wie|wo|wann|warum|wieso|weshalb|welche[rsnm]?|wohin|woher|wem|wen|kannst|könntest|könnten|"
        r"hast|habt|bist|ist|sind|gibt~es|soll|sollen|sollte|würdest|weißt|willst|magst|darf|geht|stimmt|"
        r"funktioniert|muss|brauchen~wir|haben~wir)\b(?!.*[.!]$)"
        r"|\b(?:oder|nicht~wahr|was~meinst~du)\W*$|\bich~(?:frage~mich|weiß~nicht)\b|\bkeine~ahnung\b"
    ),
    hypothesis=_re(
        r"\b(?:vielleicht|eventuell|womöglich|irgendwann|hypothetisch|angenommen|stell~dir~vor|mal~angenommen|"
        r"könnte~man|wäre~es|wäre~(?:schön|toll|cool|gut|nett)|würde~gern|hätte~gern|ich~überlege|wir~überlegen|"
        r"noch~nicht~(?:entschieden|sicher)|nicht~sicher|könnten~wir|sollten~wir|ich~könnte|wenn~ich~\w+~würde|"
        r"was~wäre)\b"
        r"|\bwenn\b.*\b(?:wäre|hätte|würde|könnte|zöge|ginge)\b|\b(?:würde|wäre|hätte)~ich\b"
    ),
    request=_re(
        _DE_LEAD
        + r"(?:zeig|sag|gib|such|schau|öffne|starte|schreib|fix|behebe|füge|sende|schick|prüf|check|mach|erstelle|"
        r"lösche|entferne|verschiebe|erkläre?|übersetze|lies|hilf|probier|führ|ruf|bau|teste|ändere|installiere|"
        r"finde|fasse|liste|rechne|plane|buche|erinnere~mich|kümmere|warte|lass~uns~(?:mal|sehen|schauen)|vergiss~es|"
        r"egal)(?:e|st)?\b"
    ),
    small_talk=_re(
        r"(?:\W|\d|\b(?:hallo|hi|hey|moin|servus|guten|morgen|tag|abend|nacht|danke|dir|schön|sehr|vielen|dank|bitte|"
        r"gern|gerne|ok|okay|ja|nein|nee|doch|klar|alles|gut|super|toll|prima|perfekt|cool|haha|hihi|lol|genau|stimmt|"
        r"richtig|passt|verstanden|tschüss|bis|später|dann|bald|ciao|sorry|egal|naja|hm+|ach|so|oh|mal|das|ist|war|"
        r"ein|eine|wie|geht's|mir|auch|freut|mich|schon|na|wunderbar|klasse|spitze|fertig|erledigt|geil|krass)\b)+"
    ),
    finished=_re(
        r"\bich~habe\b.*\b(?!gelesen|gesehen|gefunden|gesucht|gemerkt|geprüft|geschaut|verstanden|notiert|gespeichert|"
        r"überlegt|versucht|gefragt)(?:ge\w{2,}(?:t|en)|\w+ge\w{2,}(?:t|en)|(?:be|ver|er|ent|über)\w{2,}(?:t|en)|\w+iert)\b"
        r"|\bhabe~ich\b.*\b(?:ge\w{2,}(?:t|en)|\w+ge\w{2,}(?:t|en)|(?:be|ver|er|ent)\w{2,}(?:t|en)|\w+iert)\b"
        r"|^(?:behoben|erledigt|repariert|gelöst|fertig|umgestellt|eingerichtet)\s*[:,–-]"
    ),
    agent_chatter=_re(
        r"\b(?:ich~(?:werde|kann|könnte|würde|sollte|schaue|prüfe|lese|suche|mache|glaube|denke|vermute)|soll~ich|"
        r"möchtest~du|willst~du|wenn~du|du~kannst|lass~mich|nicht~(?:geschafft|gefunden|gelungen)|leider)\b"
    ),
    positive=(
        _decision(
            r"\b(?:entschieden|entschlossen|beschlossen|vereinbart|ausgemacht|festgelegt|geeinigt|abgesprochen|"
            r"abgemacht|abgestimmt|entscheidung|fix|umgestiegen|umgestellt|gewechselt|umgezogen|abgeschafft|abgesagt|"
            r"verschoben|verworfen|gestrichen|ersetzt)\b"
        ),
        _decision(
            r"\b(?:wir|ich)~(?:nehmen|nehme|nutzen|nutze|verwenden|verwende|bleiben~bei|setzen~(?:auf|künftig)|wechseln|"
            r"steigen~\w+~um|steigen~um|ziehen|verschieben|streichen|stellen~\w+~um|gehen~mit|machen~\w+~mit|führen|"
            r"starten|kündigen|ersetzen|veröffentlichen)\b|\b(?:nehmen|nutzen|verwenden)~wir\b|"
            r"\blass~uns\b.*\b(?:nehmen|nutzen|verwenden|bleiben|wechseln|verschieben|machen)\b",
            1.5,
        ),
        _decision(
            r"\b(?:statt|anstatt|anstelle|nicht~mehr|ab~sofort|künftig|in~zukunft|von~nun~an|nur~noch|keine?n?~\w+~mehr)\b",
            1.5,
        ),
        _preference(
            r"\b(?:bevorzug\w*|lieber|am~liebsten|mag~(?:ich~)?(?:kein\w*|nicht|nur|lieber|es~(?:nicht|lieber))?|"
            r"mögen~(?:kein\w*|nicht|nur)?|hass(?:e|t)|liebe|liebt|verabscheu\w*|kann~\w*~?nicht~(?:leiden|ausstehen)|"
            r"nicht~ausstehen|lieblings\w+|nervt|nerven|stört~mich|ist~mir~(?:wichtig|lieber)|fan~von|gefällt~mir|"
            r"ich~(?:esse|trinke)~(?:kein\w*|nie|nur)|vermeide|finde~\w+~(?:besser|schlimm|furchtbar|angenehmer))\b"
        ),
        _standing(
            r"\b(?:immer|nie(?:mals)?|grundsätzlich|standardmäßig|jedes~mal|jedesmal|außer~(?:ich|wenn~ich)|ab~jetzt|von~jetzt~an|"
            r"ohne~(?:mich~zu~fragen|rückfrage))\b"
            r"(?=.*\b(?:bitte|antwort\w*|schreib\w*|nutz\w*|verwend\w*|frag\w*|benutz\w*|mach\w*|schick\w*|plane?|"
            r"buch\w*|leg\w*|termine?|kurz\w*|nimm|setz\w*|gib|zeig\w*)\b)"
        ),
        _standing(
            r"\bbitte\b.*\b(?:kein(?:e|en)?|kurze?\w*|knapp\w*|auf~(?:deutsch|englisch)|duzen|siezen|ohne)\b|\bnenn~mich\b|"
            r"\bwenn~(?:ich|du)\b.*,~?(?:dann~)?(?:bitte|immer|nie)\b"
        ),
        _personal(
            rf"\b(?:mein|meine|meinen|meiner|unser|unsere|unseren|ihr|ihre|sein|seine)~(?:\w+~){{0,2}}?(?:{_DE_KIN})\b"
            r"(?=.*\b(?:ist|sind|war|hat|haben|heißt|wohnt|lebt|arbeitet|wird|werden|kommt|zieht|geht|beginnt|endet|läuft|"
            r"studiert|spielt|mag|isst|heiratet|besucht|bekommt|braucht|liegt|steht|fährt|fliegt|findet|wurde|kam)\b)"
        ),
        _personal(
            r"\bich~(?:\w+~)?(?:wohne|lebe|arbeite|studiere|bin~(?:\w+~)?(?:allergisch|vegetarier(?:in)?|veganer(?:in)?|verheiratet|"
            r"geschieden|schwanger|von~beruf|ein|eine|in~\w+~(?:geboren|aufgewachsen)|\w+(?:er|in|ist|eur|mann|frau)\b|umgezogen|"
            r"linkshänder\w*)|heiße|komme~aus|spreche|besitze|habe~(?:\w+~)?(?:ein(?:e|en)?|zwei|drei|kein\w*)|ziehe|wechsle|"
            r"vertrage|trage|fahre|fliege|verreise|spiele|kann~kein\w*|leite|betreue|unterrichte|kündige)\b"
            r"|\b(?:arbeite|wohne|lebe|ziehe|wechsle|studiere|fliege|fahre|heirate|beginne|bin)~ich\b"
        ),
        _personal(
            r"(?:^|[,;:]~?|\b(?:und|dass|weil)~)(?-i:[A-ZÄÖÜ])\w+~(?:wohnt|lebt|arbeitet|leitet|heißt|heiratet|studiert|kommt|zieht|"
            r"wird~\d+|ist~(?:mein\w*|unser\w*|allergisch|der|die|ein\w*|schwanger|umgezogen)|hat~(?:am|einen|eine))\b|"
            r"\b(?:allergi\w+|unverträglich\w*|vegan\w*|vegetari\w+|laktose\w*|geburtstag|hochzeitstag|geboren)\b"
        ),
        _learnt(
            r"\b(?:stellt~sich~heraus|hat~sich~herausgestellt|stellte~sich~heraus|gelernt|lektion|die~ursache|der~grund|das~problem|"
            r"die~lösung|der~trick|der~fehler~(?:war|lag)|es~lag~(?:an|daran)|herausgefunden|übrigens|wichtig:|achtung:)",
            2.0,
        ),
        _learnt(
            r"\b(?:der|die|das|unser\w*|jede[rs]?|alle|(?-i:[A-ZÄÖÜ])[\w.-]+)~(?:[\w./-]+~){0,5}?(?:braucht|brauchen|benötigt|benötigen|muss|"
            r"müssen|läuft~(?:auf|unter|nur|mit)|liegt~(?:in|im|auf|unter)|liegen~(?:in|im|auf|unter)|funktioniert~(?:nur|nicht)|"
            r"unterstützt|steht~(?:in|im|auf)|gehört|kostet|startet~(?:um|nur)|schließt|öffnet|endet|hängt~von|verwendet|"
            r"heißt|akzeptiert|erlaubt|enthält|befindet~sich|ist~(?:unter|auf|in|im)~\S+)\b"
        ),
    ),
    negative=(
        _transient(
            r"\b(?:gerade|momentan|im~moment|grad|eben~(?:erst|noch)?|gleich|bin~(?:gleich~)?(?:müde|hungrig|krank|weg|"
            r"wieder~da|fertig|unterwegs|spät~dran|kurz~weg)|schon~wieder|hole~(?:mir|kurz)|muss~(?:los|weg|kurz)|"
            r"mir~ist~(?:kalt|warm|langweilig)|noch~(?:offen|nicht~fertig)|regnet|schneit|das~wetter)\b"
        ),
        _hearsay(r"\b(?:angeblich|sagt~(?:man|er|sie)|\w+~(?:sagt|meint|behauptet),|habe~(?:gelesen|gehört)|laut~\w+|gerücht\w*)\b"),
        _evaluation(r"\b(?:das~(?:ist|war|klingt|sieht)~(?:\w+~)?(?:gut|super|toll|schlecht|komisch|aus|schön|perfekt)|was~für~ein\w*|gute~(?:arbeit|idee|frage))\b"),
    ),
)  # fmt: skip

# --- Spanish ---------------------------------------------------------------------------------

_ES_KIN = (
    r"mujer|marido|esposo|esposa|pareja|novi[oa]|prometid[oa]|madre|mamá|padre|papá|padres|hermanas?|hermanos?|hij[oa]s?|"
    r"bebé|gemel[oa]s|tí[oa]|prim[oa]s?|sobrin[oa]s?|abuel[oa]s?|sueg\w+|cuñad[oa]|jef[ea]|compañer[oa]s?|caser[oa]|"
    r"vecin[oa]s?|amig[oa]|médic[oa]|doctora?|dentista|terapeuta|abogad[oa]|gestora?|profesora?|perr[oa]|gat[oa]|"
    r"nombre|apellido|dirección|cumpleaños|aniversario|piso|casa|coche|bici|oficina|empresa|equipo|trabajo|colegio|"
    r"vuelo|tren|hotel|cita|examen|contrato|seguro|alquiler|presupuesto|proyecto|servidor|ordenador|cuenta|teléfono|"
    r"número|boda|viaje|vacaciones|horario|alergia|dieta|mascota"
)
_ES_LEAD = (
    r"^\W*(?:(?:hola|oye|ey|ah|oh|ok|vale|bueno|pues|y|pero|también|además|por~cierto|jaja\w*|sí|no|claro|genial|gracias|"
    r"perdón|por~favor|entonces|ahora)\b\W*)*"
)
_SPANISH = Table(
    explicit=_re(
        r"\b(?:recuerda(?:~que|~bien|:|lo)?|acuérdate|acordarte|no~(?:te~)?olvid(?:es|ar)|ten~en~cuenta|tenlo~en~cuenta|toma~nota|"
        r"anota|apunta|apúnta(?:te|lo)|apúntatelo|anótalo|guarda~(?:esto|que|en~(?:tu~)?memoria)|memoriza|para~que~(?:conste|lo~sepas|te~acuerdes)|"
        r"que~no~se~(?:te~)?olvide|nota~mental)\b"
    ),
    not_explicit=_re(r"\b(?:recuerdas~|te~acuerdas|no~recuerdo|no~me~acuerdo)\b|^\W*¿"),
    question=_re(
        r"¿|" + _ES_LEAD + r"(?:qué|quién|quiénes|cómo|cuándo|cuánd?t[oa]s?|cuánto|dónde|por~qué|cuál(?:es)?|puedes|podrías|"
        r"sabes|tienes|hay~algun\w*|crees|quieres|me~(?:puedes|podrías))\b(?!.*[.!]$)|\b(?:verdad|no~crees|qué~opinas)\W*$|"
        r"\bme~pregunto\b|\bni~idea\b|\bno~sé~(?:si|qué|cómo)\b"
    ),
    hypothesis=_re(
        r"\b(?:quizás?|tal~vez|a~lo~mejor|algún~día|hipotétic\w+|imagina|supongamos|y~si|ojalá|estoy~pensando|estamos~pensando|"
        r"podríamos|podría~ser|debería(?:mos)?~(?:quizá|probar)|no~estoy~segur[oa]|sin~decidir|me~gustaría~(?:saber|poder)|"
        r"sería~(?:bueno|genial|mejor|divertido))\b|\bsi~\w+(?:ara|iera|ase|iese|áramos|iéramos)n?\b"
    ),
    request=_re(
        _ES_LEAD + r"(?:dime|muéstra(?:me)?|muestra|busca|abre|ejecuta|escribe|arregla|añade|agrega|envía|manda|revisa|mira|haz|crea|"
        r"actualiza|borra|elimina|mueve|explica(?:me)?|resume|traduce|lee|ayúdame|prueba|cuéntame|dame|pon|quita|cambia|"
        r"instala|compara|calcula|lista|reserva|recuérdame|espera|olvídalo|da~igual|veamos|vamos~a~(?:ver|probar))\b"
    ),
    small_talk=_re(
        r"(?:\W|\d|\b(?:hola|buenas|buenos|días|tardes|noches|gracias|muchas|mil|de|nada|vale|ok|sí|no|claro|genial|perfecto|"
        r"bien|muy|jaja\w*|jeje\w*|xd|adiós|hasta|luego|mañana|pronto|chao|perdón|lo|siento|qué|tal|todo|eso|es|está|"
        r"guay|súper|estupendo|vaya|uf|bueno|pues|ya|entendido|por|favor|un|una|día|así|exacto|cierto|igualmente|también)\b)+"
    ),
    finished=_re(
        r"\b(?:he|ya~he)~(?!leído|visto|encontrado|buscado|revisado|mirado|anotado|guardado|intentado|entendido)(?:\w+(?:ado|ido)|hecho|"
        r"puesto|escrito|resuelto|abierto|roto)\b|(?:^|[,.;]\s*)(?!busqué|revisé|encontré|miré|noté|intenté)\w{3,}[^r\W]é~(?:el|la|los|las|un|"
        r"una|todo|tod[oa]s|que)\b|^(?:listo|hecho|arreglado|corregido|solucionado|resuelto)\s*[:,–-]"
    ),
    agent_chatter=_re(
        r"\b(?:voy~a|puedo|podría|déjame|estoy~\w+ndo|quieres~que|te~gustaría|si~quieres|puedes|creo~que|no~(?:he~)?pud\w+|"
        r"\w+ré~(?:el|la|los|las|un|una|a)\b)"
    ),
    positive=(
        _decision(
            r"\b(?:(?:hemos|he|han|ha)~(?:\w+mente~|por~fin~|ya~)?(?:decidido|acordado|elegido|optado|quedado|escogido|aprobado|cambiado|"
            r"pasado~a|cancelado|aplazado|descartado|migrado)|decidimos|acordamos|elegimos|optamos|quedamos~en|decisión|"
            r"nos~(?:quedamos|pasamos|mudamos|cambiamos)|al~final~(?:vamos|usamos|usaremos|será)|"
            r"vamos~(?:a~(?:usar|dejar|cambiar|lanzar|mantener|migrar)|con)|usaremos|dejamos~de|cambiamos~(?:a|de)|descartamos|"
            r"mantenemos|lanzamos)\b"
        ),
        _decision(r"\b(?:en~(?:vez|lugar)~de|ya~no|a~partir~de|de~ahora~en~adelante|desde~ahora|se~acabó|nunca~más)\b", 1.5),
        _preference(
            r"\b(?:prefier[oea]n?|preferimos|me~(?:gustan?|encantan?|molestan?|disgustan?|ponen?~(?:de~los~)?nervios\w*|"
            r"aburren?|fascinan?|agobian?|cae)|no~me~gustan?|no~soporto|no~aguanto|odio|odia|detest[oa]|adoro|mi~\w+~(?:favorit[oa]|"
            r"preferid[oa])|favorit[oa]s?|le~(?:gustan?|encantan?)|no~(?:como|bebo)|evito|soy~(?:muy~)?(?:fan|aficionad[oa])|mejor~sin)\b"
        ),
        _standing(
            r"\b(?:siempre|nunca|jamás|cada~vez~que|por~defecto|salvo~que|a~menos~que|no~me~(?:mandes|envíes|llames|escribas|pongas|hables|des))\b"
            r"(?=.*\b(?:\w+(?:me|lo|as|es)|usa|respond\w+|escrib\w+|contest\w+|hazlo|pon|evita|llama\w*|avis\w+|respuestas?|"
            r"reuniones)\b)|"
            r"\b(?:respónde\w*|contésta\w*|respuestas)\b.*\b(?:español|inglés|corta?s?|breves?|cort[oa]s|formal|emojis?)\b|\bllámame\b|"
            r"\bno~uses\b|\bevita\b"
        ),
        _personal(
            rf"\b(?:mi|mis|nuestr[oa]s?|su|sus)~(?:\w+~){{0,2}}?(?:{_ES_KIN})\b(?=.*\b(?:es|son|está|están|era|fue|tiene|tienen|se~\w+|vive|viven|"
            r"trabaja|llama|cumple|viene|vienen|va|sale|llega|empieza|termina|caduca|estudia|juega|habla|ha|han|nació|murió|será|queda|cuesta)\b)"
        ),
        _personal(
            r"\b(?:vivo|vivimos|trabajo~(?:en|como|de|para|con|desde)|estudio~(?:en|\w+)|soy~(?:de|un|una|alérgic[oa]|veget\w+|vegan[oa]|celíac[oa]|diabétic[oa]|"
            r"\w+(?:or|ora|ista|ero|era|ico|ica|ado|ada)\b)|me~llamo|nací|tengo~(?:un|una|dos|tres|cuatro|\d+|alergia)|hablo~\w+|me~(?:mudo|"
            r"caso|jubilo|mudé|casé|voy|cambio)|nos~mudamos|estoy~(?:casad[oa]|embarazada|divorciad[oa]|de~vacaciones)|conduzco|toco~(?:el|la)|"
            r"empiezo|dejo~(?:el|mi)|no~puedo~comer|compré|compramos|vendí|entro~a)\b"
        ),
        _personal(
            r"(?:^|[,;:]\s*|\b(?:y|que)~)(?-i:[A-ZÁÉÍÓÚÑ])\w+~(?:es~(?:mi|nuestr[oa]|el|la|un|una|alérgic[oa]|vegan[oa])|vive|trabaja|lleva|dirige|se~(?:casa|muda|"
            r"jubila|llama)|cumple|estudia|viene|llega|tiene)\b|\b(?:alergi\w+|alérgic[oa]|celíac[oa]|intoleran\w+|vegan[oa]|vegetarian[oa]|"
            r"cumpleaños|aniversario|embarazada)\b"
        ),
        _learnt(
            r"\b(?:resulta~que|resultó~(?:que|ser)|la~lección|aprend(?:í|imos)|el~(?:problema|truco|motivo|fallo|error)~(?:es|era|fue|estaba)|la~"
            r"(?:causa|solución|clave|razón)~(?:es|era|fue)|ojo:|importante:|descubr(?:í|imos)|me~di~cuenta)",
            2.0,
        ),
        _learnt(
            r"\b(?:el|la|los|las|nuestr[oa]s?|cada|tod[oa]s|(?-i:[A-ZÁÉÍÓÚÑ])[\w.-]+)~(?:[\w./-]+~){0,5}?(?:necesitan?|requieren?|deben?|tienen?~que|solo~"
            r"(?:funcionan?|aceptan?|admiten?|abren?)|no~(?:soportan?|funcionan?|aceptan?|admiten?|permiten?)|depende|corren?~en|"
            r"están?~(?:en|guardad[oa]s?|alojad[oa]s?|configurad[oa]s?|limitad[oa]s?)|caducan?|vencen?|cuestan?|pertenecen?|se~(?:guardan?|llaman?|"
            r"ejecutan?|encuentran?|renuevan?)|usan?~\w+|escuchan?~en|cierran?~a|abren?~a|empiezan?~a|falla~(?:si|cuando))\b"
        ),
    ),
    negative=(
        _transient(
            r"\b(?:ahora~mismo|en~este~momento|de~momento|ahorita|estoy~(?:cansad[oa]|ocupad[oa]|list[oa]|aburrid[oa]|enferm[oa]|\w+ndo)|tengo~(?:hambre|sueño|"
            r"frío|calor|prisa|una~(?:pregunta|duda|idea)|\d+~(?:pestañas|correos|mensajes))|voy~a~(?:por|comer|salir|dormir)|ya~vuelvo|otra~vez|"
            r"todavía~(?:no|está)|hace~(?:sol|frío|calor|viento)|llueve|está~(?:caído|roto|lento|abiert[oa]))\b"
        ),
        _hearsay(r"\b(?:dicen~que|(?:\w+~)?dice~que|según~\w+|he~(?:leído|oído)|leí|supuestamente|por~lo~visto|al~parecer)\b"),
        _evaluation(r"\b(?:qué~(?:bien|bueno|mal|guay|risa|día|raro|pena|calor|frío)|buen~trabajo|buena~idea|eso~(?:es|está|suena)~\w+|está~(?:bien|genial|perfecto))\b"),
    ),
)  # fmt: skip

# --- French ----------------------------------------------------------------------------------

_FR_KIN = (
    r"femme|mari|épou(?:x|se)|compagn(?:on|e)|copain|copine|fiancée?|mère|maman|père|papa|parents|sœurs?|soeurs?|frères?|fils|filles?|"
    r"enfants?|bébé|jumeaux|jumelles|oncle|tante|cousine?s?|neveu|nièce|grand-\w+|beau[x]?-\w+|belle-\w+|chef(?:fe)?|patronn?e?|collègues?|"
    r"propriétaire|propriétaires|voisine?s?|amie?|médecin|docteur|dentiste|psy|avocate?|comptable|prof\w*|chien(?:ne)?|chat(?:te)?|"
    r"nom|prénom|adresse|anniversaire|appart\w*|maison|voiture|vélo|bureau|boîte|entreprise|équipe|travail|boulot|école|vol|train|hôtel|"
    r"rendez-vous|rdv|examen|contrat|assurance|loyer|budget|projet|serveur|ordinateur|compte|téléphone|numéro|mariage|voyage|vacances|"
    r"horaires?|allergie|régime|permis|passeport"
)
_FR_LEAD = (
    r"^\W*(?:(?:salut|bonjour|coucou|hey|ah|oh|ok|bon|bien|alors|et|mais|aussi|au~fait|du~coup|mdr|haha|oui|non|ouais|super|merci|"
    r"désolée?|s'il~te~plaît|stp|donc|maintenant|d'ailleurs)\b\W*)*"
)
_FRENCH = Table(
    explicit=_re(
        r"\b(?:souviens-toi|rappelle-toi|n'oublie~(?:pas|jamais)|n'oubliez~pas|oublie~pas|retiens|retenez|garde~(?:ça~|bien~|cela~)?en~(?:tête|mémoire)|"
        r"prends?~note|note~(?:que|bien|ça|le|cela|-le)|à~retenir|à~noter|pour~mémoire|pour~info|enregistre~(?:que|ça|cela)|mémorise|"
        r"note~pour~(?:moi|plus~tard))\b"
    ),
    not_explicit=_re(r"\b(?:tu~te~souviens|te~souviens-tu|je~(?:ne~)?me~(?:souviens|rappelle)|vous~souvenez)\b"),
    question=_re(
        _FR_LEAD + r"(?:qu'est-ce|est-ce|que~(?:penses|fais|veux)|qui~(?:est|a|peut)|quoi|comment|quand~(?:est|part|arrive)|où|pourquoi|combien|"
        r"quelle?s?|peux-tu|pourrais-tu|tu~(?:peux|pourrais|sais|penses|as~(?:vu|une~idée))|as-tu|es-tu|sais-tu|faut-il|y~a-t-il|c'est~quoi)\b(?!.*[.!]$)"
        r"|\b(?:non|hein|n'est-ce~pas|tu~en~penses~quoi)\s*\?*$(?<=\?)|\bje~me~demande\b|\baucune~idée\b|\bje~ne~sais~pas~(?:si|quoi|comment)\b"
    ),
    hypothesis=_re(
        r"\b(?:peut-être|éventuellement|un~jour~(?:on|je|nous|peut)|hypothétique\w*|imagine(?:z|ons)?|supposons|et~si|si~(?:j'|je~|on~|nous~)\w*(?:ais|ait|ions)|"
        r"je~(?:pense~à|songe|réfléchis|devrais~peut)|on~(?:pourrait|devrait)|nous~pourrions|ce~serait~(?:bien|cool|sympa|mieux)|pas~(?:encore~)?(?:décidé|sûre?)|"
        r"j'aimerais~(?:bien|savoir)|j'hésite)\b"
    ),
    request=_re(
        _FR_LEAD + r"(?:dis-moi|montre(?:-moi)?|cherche|ouvre|lance|écris|corrige|ajoute|envoie|vérifie|regarde|fais|crée|mets|supprime|efface|déplace|"
        r"explique(?:-moi)?|résume|traduis|lis|aide-moi|essaie|donne(?:-moi)?|enlève|change|installe|compare|calcule|liste|réserve|rappelle-moi|attends|"
        r"laisse~tomber|oublie~ça|voyons|on~va~voir)\b"
    ),
    small_talk=_re(
        r"(?:\W|\d|\b(?:salut|bonjour|bonsoir|coucou|merci|beaucoup|de|rien|je|t'en|prie|ok|oui|non|ouais|d'accord|super|parfait|génial|"
        r"cool|bien|très|mdr|lol|haha|ah|oh|à|demain|plus|tard|bientôt|bonne|bon|nuit|journée|soirée|ciao|désolée?|pas|grave|ça|va|marche|"
        r"c'est|est|était|vrai|exact|compris|noté|top|nickel|tant|mieux|pis|bah|ben|hein|voilà|et|toi|tout)\b)+"
    ),
    finished=_re(
        r"\bj'ai~(?:bien~|déjà~|aussi~|enfin~)?(?!lu\b|vu\b|trouvé|cherché|vérifié|regardé|noté|enregistré|essayé|compris|pensé)(?:\w+(?:é|és|ée|ées)|mis|fait|"
        r"écrit|refait|ouvert|résolu|rendu|remis|construit|réduit|défini|fini|établi)\b|^(?:c'est~(?:fait|corrigé|réglé)|corrigé|terminé|résolu|réparé)\s*[:,–-]"
    ),
    agent_chatter=_re(
        r"\b(?:je~(?:vais|peux|pourrais|pense|crois|regarde|vérifie|cherche)|veux-tu|voulez-vous|souhaites-tu|si~tu~veux|tu~peux|laisse-moi|"
        r"je~n'ai~pas|impossible)\b"
    ),
    positive=(
        _decision(
            r"\b(?:(?:a|ai|avons|ont|on~a|j'ai|c'est|est)~(?:\w+ment~|enfin~|finalement~|donc~)?(?:décidé|choisi|convenu|opté|tranché|retenu|validé|adopté|"
            r"abandonné|annulé|reporté|repoussé|remplacé|basculé|migré|changé~(?:de|pour))|décision|on~(?:part~(?:sur|avec)|passe~(?:à|sur)|garde|reste~(?:sur|avec)|"
            r"prend|utilise|utilisera|abandonne|lance|déménage|bascule|remplace|arrête|migre)|nous~(?:partons~sur|passons~(?:à|sur)|gardons|"
            r"utilisons|utiliserons|restons|prenons|abandonnons|lançons|arrêtons))\b"
        ),
        _decision(r"\b(?:au~lieu~de|plutôt~que|à~la~place|ne~\w+~plus|n'\w+~plus|plus~(?:de~)?\w+~désormais|désormais|dorénavant|à~partir~de|à~l'avenir)\b", 1.5),
        _preference(
            r"\b(?:je~(?:préfère|préfere|déteste|hais|adore|n'aime~(?:pas|que|pas~du~tout)|ne~supporte~pas|ne~mange~(?:pas|jamais|plus)|ne~bois~(?:pas|jamais|plus)|"
            r"évite|suis~fan)|j'(?:adore|aime(?!rais)|évite|ai~horreur)|(?:il|elle|on|nous|(?-i:[A-ZÉ])\w+)~(?:préfèr\w+|déteste\w*|adore\w*|n'aime~pas|aime~(?:bien|les|le|la)|ne~supporte~pas)|"
            r"mon~\w+~préféré|ma~\w+~préférée|préférée?s?|m'(?:énervent?|agacent?|ennuient?|insupporte)|me~(?:gênent?|dérangent?|convient|plaît|rend)|pas~fan)\b"
        ),
        _standing(
            r"\b(?:toujours|jamais|à~chaque~fois|chaque~fois|par~défaut|sauf~si|systématiquement|sans~me~demander)\b"
            r"(?=.*\b(?:\w+-moi|réponds?|répondre|réponses?|écris|utilise|mets|évite|demande|préviens|envoie|fais|réunions?|s'il~te~plaît|stp)\b)|"
            r"\b(?:réponds?(?:-moi)?|réponses|messages)\b.*\b(?:français|anglais|courte?s?|brèves?|concise?s?|emojis?|tutoi\w+|vouvoi\w+|listes?)\b|\bappelle-moi\b|"
            r"\btutoie-moi\b|\bvouvoie-moi\b|\bne~(?:m'|me~)\w+~(?:pas|jamais|plus)\b|\bpas~d(?:e|')~?\w+~(?:s'il~te~plaît|stp|sauf|avant|après|le)\b"
        ),
        _personal(
            rf"\b(?:mon|ma|mes|notre|nos|son|sa|ses|leur)~(?:\w+~){{0,2}}?(?:{_FR_KIN})\b(?=.*\b(?:est|sont|était|a|ont|s'appelle|habite|habitent|vit|travaille|vient|viennent|arrive|"
            r"part|commence|finit|expire|étudie|joue|parle|aura|sera|se~\w+|déménage|fête|dure|coûte|tombe|va|vont)\b)"
        ),
        _personal(
            r"\b(?:j'habite|je~(?:vis|travaille~(?:à|chez|comme|dans|pour|en|sur)|suis~(?:né|née|de|un|une|allergique|végétarien\w*|végane?|marié\w*|enceinte|divorcé\w*|diabétique|"
            r"intolérant\w*|gauch\w+|\w+(?:eur|euse|iste|ien|ienne|ère|trice)\b|en~(?:vacances|congé|déplacement))|m'appelle|viens~de~(?:m'installer|(?-i:[A-Z])\w+)|parle~\w+|déménage|pars~(?:à|en|"
            r"au|pour)|commence|rejoins|quitte|conduis|joue|porte|me~marie)|j'(?:étudie|ai~(?:un|une|deux|trois|\d+~ans|acheté|vendu|grandi|déménagé|signé)|enseigne|emménage)|nous~"
            r"(?:habitons|vivons|avons~(?:un|une|deux)|déménageons))\b"
        ),
        _personal(
            r"(?:^|[,;:]\s*|\b(?:et|que)~)(?-i:[A-ZÉÈÀ])\w+~(?:est~(?:mon|ma|notre|le|la|un|une|allergique|végétarien\w*|enceinte)|habite|travaille|dirige|s'occupe|se~(?:marie|"
            r"charge)|fête|étudie|arrive|vient|a~(?:\d+~ans|un|une|eu))\b|\b(?:allerg\w+|intoléran\w+|végétarien\w*|végane?|anniversaire|enceinte|cœliaque)\b"
        ),
        _learnt(
            r"\b(?:il~s'avère|en~fait|il~se~trouve~que|la~leçon|j'ai~(?:appris|découvert|compris)~(?:que|pourquoi)|on~a~(?:appris|découvert)|le~(?:problème|truc|souci|bug)~(?:est|était|"
            r"venait|c'est)|la~(?:cause|solution|raison|clé)~(?:est|était|c'est)|attention:|important:|à~savoir)",
            2.0,
        ),
        _learnt(
            r"\b(?:le|la|les|l'\w+|notre|nos|chaque|tou(?:s|tes)|(?-i:[A-ZÉ])[\w.-]+)~?(?:[\w./'-]+~){0,5}?(?:a~besoin|ont~besoin|nécessite\w*|exige\w*|doi(?:t|vent)|ne~(?:supporte|marche|fonctionne|"
            r"accepte|tourne)\w*~(?:pas|que)|fonctionne~(?:seulement|uniquement|avec)|dépend|tourne~(?:sur|sous|en)|est~(?:stocké|hébergé|configuré|limité|dans|sur|installé|"
            r"géré|situé|fermé|ouvert|disponible)\w*|sont~(?:stocké|hébergé|dans|sur|rangé)\w*|expire\w*|coûte\w*|appartient|s'appelle|écoute~sur|utilise\w*|se~(?:trouve|"
            r"connecte|renouvelle|lance)|ferme~à|ouvre~à|commence~à|plante~(?:si|quand))\b"
        ),
    ),
    negative=(
        _transient(
            r"\b(?:en~ce~moment|là~maintenant|pour~l'instant|tout~de~suite|je~(?:suis~(?:fatiguée?|occupée?|crevée?|malade|prête?|là|de~retour|en~train|en~retard)|reviens|file|vais~"
            r"(?:manger|prendre|chercher|dormir|voir)|dois~(?:y~aller|filer))|j'ai~(?:faim|froid|chaud|sommeil|mal|une~(?:question|idée)|\d+~(?:onglets|mails|messages))|"
            r"encore~(?:planté|cassé|en~panne)|il~(?:pleut|neige|fait~(?:beau|froid|chaud))|ça~(?:rame|plante|bugue))\b"
        ),
        _hearsay(r"\b(?:il~paraît|apparemment|selon~\w+|d'après~\w+|\w+~dit~que|on~dit~que|j'ai~(?:lu|entendu)|soi-disant)\b"),
        _evaluation(r"\b(?:quelle~(?:journée|chaleur|galère|idée)|c'est~(?:\w+ment~|trop~|très~|vraiment~)?(?:bien|bon|super|nul|drôle|bizarre|parfait|génial|top)|bon~(?:travail|boulot)|bonne~idée|beau~travail)\b"),
    ),
)  # fmt: skip

# --- Portuguese ------------------------------------------------------------------------------

_PT_KIN = (
    r"mulher|marido|espos[oa]|namorad[oa]|parceir[oa]|noiv[oa]|mãe|pai|pais|irmãs?|irmãos?|irmão|filh[oa]s?|bebê|bebé|gême[oa]s|ti[oa]|prim[oa]s?|sobrinh[oa]s?|"
    r"av[óôo]s?|sogr[oa]|cunhad[oa]|chefe|coleg[ae]s?|vizinh[oa]s?|amig[oa]|médic[oa]|doutora?|dentista|terapeuta|advogad[oa]|contador[a]?|professora?|"
    r"cachorr[oa]|cão|cadela|gat[oa]|nome|sobrenome|endereço|aniversário|casa|apartamento|carro|bicicleta|escritório|empresa|equipe|equipa|time|trabalho|emprego|"
    r"escola|voo|trem|comboio|hotel|consulta|prova|exame|contrato|seguro|aluguel|renda|orçamento|projeto|servidor|computador|conta|telefone|número|casamento|"
    r"viagem|férias|horário|alergia|dieta|passaporte"
)
_PT_LEAD = (
    r"^\W*(?:(?:oi|olá|ei|ah|oh|ok|bom|bem|então|e|mas|também|aliás|a~propósito|kkk+|haha|sim|não|claro|ótimo|obrigad[oa]|desculpa|por~favor|agora)\b\W*)*"
)
_PORTUGUESE = Table(
    explicit=_re(
        r"\b(?:lembr[ae](?:-te)?~(?:que|disso|de~que|bem)|lembra:|lembre-se|não~(?:se~|te~)?esqueç\w+|não~(?:se~)?esquece|tenha?~em~mente|"
        r"tem~em~(?:mente|conta)|leve~em~conta|toma~nota|anot[ae]|anote|guarda~(?:isso|isto|que|na~memória)|guarde|memoriz[ae]|regist[ar]\w*~(?:que|isso|aí)|"
        r"para~(?:constar|futura~referência|não~esquecer)|nota~mental)\b"
    ),
    not_explicit=_re(r"\b(?:você~(?:se~)?lembra|lembras-te|não~(?:me~)?lembro|não~lembro)\b"),
    question=_re(
        _PT_LEAD + r"(?:o~que|que~horas|quem|como~(?:é|está|faço|funciona|se|posso|vai)|quando~(?:é|vai|será)|quant[oa]s?|onde|por~que|por~quê|qual|quais|"
        r"(?:você~)?(?:pode|poderia|consegue|sabe)~(?:me~|ver|fazer|mandar|checar|procurar|dizer)|podes|sabes|tem~como|será~que|dá~para)\b(?!.*[.!]$)|"
        r"\b(?:né|certo|o~que~(?:você~)?acha)\?$|\bme~pergunto\b|\bnão~(?:sei|faço~ideia)~?(?:se|o~que|como)?\b"
    ),
    hypothesis=_re(
        r"\b(?:talvez|quem~sabe|um~dia~(?:eu|a~gente|desses)|hipotetic\w+|imagin[ae]|suponha(?:mos)?|e~se|tomara|estou~pensando|estamos~pensando|"
        r"poderíamos|podíamos|a~gente~podia|seria~(?:bom|legal|melhor|ótimo)|não~tenho~certeza|ainda~não~decid\w+|gostaria~de~(?:saber|poder))\b|"
        r"\bse~(?:eu|a~gente|nós)~\w+(?:sse|ssemos|sem)\b"
    ),
    request=_re(
        _PT_LEAD + r"(?:me~(?:diz|diga|mostra|mostre|ajuda|ajude|manda|mande|fala|dá|conta)|diz-me|mostra|mostre|procura|procure|abre|abra|executa|execute|escreve|escreva|"
        r"corrige|corrija|adiciona|adicione|envia|envie|manda|verifica|verifique|olha|olhe|faz|faça|cria|crie|atualiza|atualize|apaga|apague|remove|remova|"
        r"move|mova|explica|explique|resume|resuma|traduz|traduza|lê|leia|tenta|tente|muda|mude|instala|instale|compara|compare|calcula|calcule|lista|liste|"
        r"reserva|reserve|espera|espere|deixa~pra~lá|esquece~isso|vamos~ver)\b"
    ),
    small_talk=_re(
        r"(?:\W|\d|\b(?:oi|olá|bom|boa|dia|tarde|noite|obrigad[oa]|muito|valeu|de|nada|ok|sim|não|claro|ótimo|perfeito|legal|beleza|kkk+|haha|rs+|tchau|até|"
        r"logo|mais|amanhã|desculpa|tudo|bem|isso|é|está|certo|entendi|entendido|show|massa|fixe|que|bacana|aí|pois|então|uau|nossa|tá|combinado|por|favor|exato)\b)+"
    ),
    finished=_re(
        r"(?:^|[,.;:!]\s*|\b(?:eu|já|também)~)(?!procurei|verifiquei|encontrei|olhei|notei|tentei|anotei|guardei|pensei|li\b|vi\b|achei)(?:\w{3,}ei|corrigi|resolvi|"
        r"removi|reescrevi|inseri|atualizei|defini|fiz|pus|construí|reduzi|concluí|incluí)\b|^(?:pronto|feito|corrigido|resolvido|concluído)\s*[:,–-]"
    ),
    agent_chatter=_re(
        r"\b(?:vou|irei|posso|poderia|deixa~eu|deixe-me|estou~\w+ndo|quer~que|você~quer|gostaria|se~quiser|você~pode|acho~que|não~consegui|não~foi~possível|\w+rei~(?:o|a|os|as|um|uma)\b)"
    ),
    positive=(
        _decision(
            r"\b(?:decidi(?:mos|ram)?|decidido|resolvemos|combinamos|escolh(?:emos|i)|optamos|acordamos|concordamos|fechamos|decisão|ficou~(?:decidido|combinado|acertado|definido)|"
            r"ficamos~com|mudamos~(?:para|de|pra|o|a)|migramos|trocamos|cancelamos|adiamos|abandonamos|descartamos|adotamos|substituímos|vamos~(?:usar|ficar|"
            r"mudar|lançar|manter|migrar|trocar|adotar|com)|a~gente~vai~(?:usar|mudar|ficar|trocar)|usaremos)\b"
        ),
        _decision(r"\b(?:em~vez~de|ao~invés~de|no~lugar~d[eoa]|já~não|não~\w+~mais|nunca~mais|a~partir~de|de~agora~em~diante|daqui~(?:pra|para)~(?:frente|a~frente))\b", 1.5),
        _preference(
            r"\b(?:prefir[oa]|prefere[m]?|preferimos|(?:eu~)?gosto|gosta|não~gosto|adoro|adora|amo|odeio|odeia|detest[oa]|não~(?:suporto|aguento|curto|como|bebo)|"
            r"meu~\w+~(?:favorito|preferido)|minha~\w+~(?:favorita|preferida)|favorit[oa]s?|preferid[oa]s?|me~(?:irrita|incomoda|agrada|deixa|faz)m?|evito|sou~(?:muito~)?fã)\b"
        ),
        _standing(
            r"\b(?:sempre|nunca|jamais|toda~vez~que|por~padrão|a~menos~que|a~não~ser~que)\b(?=.*\b(?:respond\w+|us[ae]|escrev\w+|faç\w+|faz|mand\w+|marqu\w+|marca|"
            r"coloqu\w+|avis\w+|pergunt\w+|reuniões|respostas?|por~favor|me~\w+)\b)|\b(?:respon(?:da|de|das)|respostas|mensagens)\b.*\b(?:português|inglês|curt[oa]s?|breves?|"
            r"emojis?|formal|listas?)\b|\bme~cham[ae]~(?:de|por)\b|\bchama-me\b|\bnão~(?:use|uses|me~mande|envie|marque|marques)\b|\bevit[ae]\b"
        ),
        _personal(
            rf"\b(?:meu|minha|meus|minhas|noss[oa]s?|seu|sua|seus|suas)~(?:\w+~){{0,2}}?(?:{_PT_KIN})\b(?=.*\b(?:é|são|está|estão|era|foi|tem|têm|se~\w+|mora|moram|vive|trabalha|chama|faz|vem|"
            r"vai|sai|chega|começa|termina|vence|estuda|joga|fala|nasceu|morreu|será|fica|custa|casa|muda|toma|precisa)\b)"
        ),
        _personal(
            r"\b(?:moro|moramos|vivo~em|trabalho~(?:em|na|no|como|com|para|n[ao]s?|remoto)|estudo~\w+|sou~(?:de|um|uma|d[oa]|alérgic[oa]|vegetarian[oa]|vegan[oa]|celíac[oa]|diabétic[oa]|"
            r"intolerante|canhot[oa]|\w+(?:or|ora|ista|eiro|eira|ico|ica|ada|ado)\b)|(?:me~chamo|chamo-me)|nasci|tenho~(?:um|uma|dois|duas|três|\d+|alergia)|falo~\w+|me~mud[oe]i?|mudo-me|"
            r"vou~(?:me~)?(?:mudar|casar|morar|trabalhar|começar|viajar|estar|para)|caso-me|estou~(?:casad[oa]|grávida|de~férias|divorciad[oa]|noiv[oa])|dirijo|conduzo|toco|comecei|comprei|vendi|começo|"
            r"entro|saio~d[eoa]|não~posso~comer)\b"
        ),
        _personal(
            r"(?:^|[,;:]\s*|\b(?:e|que|[oa])~)(?-i:[A-ZÁÉÍÓÚÂÊÔÃÕÇ])\w+~(?:é~(?:meu|minha|noss[oa]|[oa]|um|uma|alérgic[oa]|vegan[oa])|mora|trabalha|cuida|dirige|lidera|se~(?:casa|muda|aposenta)|faz~\d+|"
            r"estuda|vem|chega|tem)\b|\b(?:alergi\w+|alérgic[oa]|celíac[oa]|intoleran\w+|vegan[oa]|vegetarian[oa]|aniversário|grávida)\b"
        ),
        _learnt(
            r"\b(?:acontece~que|na~verdade~(?:o|a)|descobri(?:mos)?|aprend(?:i|emos)|a~lição|o~(?:problema|truque|motivo|erro|segredo)~(?:é|era|foi|estava)|a~(?:causa|solução|razão|chave)~(?:é|era|foi)|"
            r"atenção:|importante:|percebi~que)",
            2.0,
        ),
        _learnt(
            r"\b(?:[oa]s?|noss[oa]s?|cada|tod[oa]s?|(?-i:[A-ZÁÉÍÓÚ])[\w.-]+)~(?:[\w./-]+~){0,5}?(?:precisam?|exigem?|requer|devem?|têm?~que|só~(?:funcionam?|aceitam?|rodam?|abrem?)|não~(?:suportam?|funcionam?|"
            r"aceitam?|permitem?)|dependem?|rodam?~(?:em|na|no)|ficam?~(?:em|na|no|n[ao]s|guardad[oa]s?)|está~(?:em|hospedad[oa]|guardad[oa]|configurad[oa]|limitad[oa]|na|no)|expiram?|vencem?|custam?|"
            r"pertencem?|se~chamam?|usam?~\w+|escutam?~n[ao]|fecham?~às|abrem?~às|começam?~às|falham?~(?:se|quando))\b"
        ),
    ),
    negative=(
        _transient(
            r"\b(?:agora~mesmo|neste~momento|no~momento|por~enquanto|estou~(?:cansad[oa]|ocupad[oa]|pront[oa]|doente|\w+ndo|com~(?:fome|sono|frio|calor|pressa|uma~dúvida))|já~volto|vou~(?:almoçar|comer|dormir|"
            r"sair|buscar|pegar)|de~novo$|ainda~(?:não|está)|está~(?:chovendo|frio|calor|quente|fora~do~ar|lento|quebrado)|tenho~(?:fome|sono|\d+~(?:abas|emails|mensagens)|uma~(?:dúvida|pergunta)))\b"
        ),
        _hearsay(r"\b(?:dizem~que|\w+~(?:disse|diz)~que|segundo~\w+|li~que|ouvi~dizer|parece~que|supostamente)\b"),
        _evaluation(r"\b(?:que~(?:bom|legal|dia|pena|calor|frio|estranho|loucura)|bom~trabalho|boa~ideia|isso~(?:é|está|foi)~\w+|ficou~(?:bom|ótimo|legal))\b"),
    ),
)  # fmt: skip

# --- Chinese ---------------------------------------------------------------------------------

_CHINESE = Table(
    explicit=_re(r"请?(?:记住|记得|記住|記得)|別?别忘了?|不要忘|记一下|记下来?|备忘|牢记|帮我记|存到记忆|留意一下"),
    not_explicit=_re(r"还记得|你记得|记得吗|不记得|记住了吗|提醒我"),
    question=_re(r"吗[？?。!！~～]?$|呢[？?]?$|[？?]|什么|为什么|怎么|怎样|如何|哪里|哪儿|哪个|哪些|谁|多少|几点|是不是|能不能|可不可以|有没有|要不要|好不好|对吧$"),
    hypothesis=_re(r"也许|或许|说不定|可能会|假如|如果我|要是我|假设|想象|有一天|将来有空|考虑|还没(?:有)?(?:决定|想好|确定)|不确定|要不(?!是)|应该可以|也可以试"),
    request=_re(
        r"^(?:好的?[，,]?|那[，,]?|嗯[，,]?|然后[，,]?)*(?:请(?!记|不要|别|用|叫|以后|一直|总|每)|麻烦|帮我|帮忙|给我|告诉我|看看|查一下|找一下|打开|运行|写一|改一下|修一下|加一|删|发|翻译|解释|总结|试试|继续|等等|等一下|算了|来个|讲个|列出|提醒)"
    ),
    small_talk=_re(
        r"(?:[\W\d_]|哈+|嘿+|呵+|嘻+|你好|您好|早上好|早安|晚安|晚上好|下午好|谢谢|多谢|感谢|不客气|好的?|行|可以|嗯+|哦+|啊|呀|吧|了|是的?|对|没错|没事|没关系|明白|知道|收到|再见|拜拜|回头见|太|真|很|棒|厉害|不错|完美|有趣|搞笑|"
        r"辛苦|加油|赞|今天|累|天气|我|也|都|这|那|个|就|呢|嘛|哎|唉|哇|ok|lol)+"
    ),
    finished=_re(
        r"(?:我)?(?:已经?|刚刚?|都)?(?:把.{1,30})?(?:修复|修好|添加|加上|更新|删除|移除|部署|重构|迁移|配置|设置|创建|完成|升级|替换|改成|改为|写好|安装|优化|解决|合并|发布|关闭|启用|切换)(?:好)?了|已(?:经)?(?:将|把|修复|添加|更新|部署|完成|迁移|配置)"
    ),
    agent_chatter=_re(r"我(?:会|来|去|将|可以|正在|先|想|觉得|认为|建议)|让我|要不要|需要我|如果你|你可以|没(?:有)?(?:找到|成功)|无法|正在"),
    positive=(
        _decision(r"决定|定了|说好|商量好|选了|选定|选择了|确定(?:用|了|下来)|敲定|同意|改用|换成|换到|改成|改为|改到|推迟|取消|不再|不用.{1,12}了|放弃|迁移到|搬到|统一用|采用|而不是|代替|取代"),
        _decision(r"(?:我们|咱们)(?:就|都|要|会|将|还是)?(?:用|采用|使用|继续用|保留|上线|发布)", 1.5),
        _preference(r"喜欢|偏好|更爱|宁愿|宁可|讨厌|不爱|受不了|最爱|最讨厌|习惯用|习惯(?:在|于)|爱吃|爱喝|不吃|不喝|不想要|比较喜欢|烦(?:死|人)"),
        _standing(r"以后|今后|从现在(?:开始|起)|从今(?:天)?(?:开始|起|往后)|每次|总是|一律|永远|默认|除非我|千万(?:不要|别)|一直(?:用|要)|不要(?:再|用|给|在|发|安排|叫|加)|别(?:再|用|给我|在|安排)|叫我(?!$)|请(?:用|以|叫|总|一直|不要|别)"),
        _personal(
            r"我(?:们|的)?(?:家|老婆|妻子|太太|老公|丈夫|先生|女朋友|男朋友|对象|妈妈?|爸爸?|父母|父亲|母亲|姐姐?|妹妹?|哥哥?|弟弟?|儿子|女儿|孩子|宝宝|奶奶|爷爷|外婆|外公|老板|经理|领导|同事|房东|邻居|室友|朋友|医生|牙医|老师|律师|狗|猫|宠物|名字|生日|地址|公司|团队|电话|航班|护照|车|房子|合同|手术|婚礼|考试)"
            r"(?=.*(?:是|在|有|叫|会|要|来|去|住|做|开|姓|过|到|教|学|养|得|对|从|改))"
        ),
        _personal(r"我(?:现在|目前|平时|一直|从小)?(?:住在|住|在.{1,14}(?:工作|上班|上学|读书|长大|出生)|是.{0,10}(?:人|师|员|生|家|者)|叫(?!你)|姓|对.{1,10}过敏|吃素|怀孕|结婚|离婚|有[一二两三四五几\d].|养了|会说|毕业|搬|换了|辞职|跳槽|退休|入职|加入|买了|卖了|出生|要去|负责|学的|在学)"),
        _personal(r"过敏|素食|乳糖不耐|糖尿病|高血压|左撇子|色盲|怀孕|生日|纪念日|[他她](?:是|住在|在.{1,10}工作|叫|负责|对|喜欢|不吃)"),
        _learnt(r"原来|发现|结果是|原因是|问题(?:是|在于|出在)|教训|经验是|关键是|诀窍|解决(?:办法|方法)是|注意[：:]|搞清楚", 2.0),
        _learnt(r"(?:需要|必须|要求|只能|只支持|不支持|依赖|部署在|存(?:放)?在|放在|位于|运行在|跑在|监听|端口|过期|到期|续费|费用是|价格是|叫做|属于|归.{1,6}(?:管|负责)|由.{1,8}负责|默认是|上限|每月.{1,6}元|营业到|关门|备份)"),
    ),
    negative=(
        _transient(r"现在有点|刚(?:才|刚)|正在|马上(?:回|来|去)|等会|一会儿?|待会|好累|好困|饿了|困了|累了|无聊|忙着|在路上|在开会|下雨|天气|又(?:挂|坏|红|失败|卡)了|还在(?:跑|等|加载)|开着|先去"),
        _hearsay(r"听说|据说|有人说|网上说|他们说|朋友说|看到(?:有|一)|好像"),
        _evaluation(r"太(?:好|棒|差|糟|搞笑|难)了|不错(?:哦|啊|呀|！)?$|真(?:好|棒|差)|厉害了|干得好|好主意"),
    ),
)  # fmt: skip

# --- Japanese --------------------------------------------------------------------------------

_JAPANESE = Table(
    explicit=_re(r"覚えて(?:おいて|ね|ください|くれ)|覚えといて|忘れないで|忘れずに|メモして|メモ[：:]|記憶して|記録して(?:おいて)?|念のため(?:言|伝)|頭に入れて"),
    not_explicit=_re(r"覚えて(?:い)?(?:る|ます|た)[?？か]|覚えてない|忘れた"),
    question=_re(r"[？?]|(?:です|ます|ません|でしょう|だろう|の|かな|よね)か[。！!]?$|(?:^|[、。 ])(?:何|なに|なぜ|どうして|どうやって|どこ|いつ|誰|だれ|どれ|どの|いくら|いくつ)[^も]|かな[。ぁー～]*$|教えて"),
    hypothesis=_re(r"かもしれない|かもしれません|かも[。！]?$|もし(?:も)?.{0,20}(?:たら|なら|れば)|いつか|仮に|想像|(?:しよう|行こう|買おう)か(?:と|な|迷)|迷って|検討|考え中|まだ決め(?:て|ら)|できたらいいな|たらいいのに"),
    request=_re(r"^(?:じゃあ|では|それで|あと|とりあえず|、|,)*.{0,30}(?:して(?:ください|くれ|もらえ|ほしい|下さい)|お願い(?:します)?|見せて|教えて|探して|調べて|開いて|実行して|直して|書いて|送って|翻訳して|要約して|作って|確認して|試して|消して|追加して)[。！!ね]*$"),
    small_talk=_re(
        r"(?:[\W\d_]|こんにちは|こんばんは|おはよう(?:ございます)?|おやすみ(?:なさい)?|やあ|どうも|ありがとう(?:ございます|ございました)?|どういたしまして|はい|いいえ|うん|ううん|ええ|そう(?:です)?(?:ね|か|だね)?|了解(?:です|しました)?|わかった|わかりました|なるほど|すごい|いいね|"
        r"いいです(?:ね)?|最高|完璧|さすが|助かる|助かります|じゃあ?(?:ね)?|またね|また|あとで|笑|w+|草|へえ|ほんと(?:う)?|まじ|疲れた|お疲れ(?:様|さま)?(?:です|でした)?|ok|おけ|オッケー|ごめん(?:なさい)?|すみません|大丈夫(?:です)?|よろしく(?:お願いします)?|です|ね|よ|な|ー|～)+"
    ),
    finished=_re(r"(?:修正|追加|更新|削除|変更|移行|設定|作成|完了|導入|置き換え|デプロイ|リファクタ(?:リング)?|対応|解決|統合|公開|有効化|無効化|最適化|アップグレード|インストール)(?:を)?(?:しました|済み|した。|いたしました)|(?:直し|変え|書き換え|切り替え|入れ替え|まとめ|外し|足し|作り|組み込み)(?:て(?:おき)?)?ました"),
    agent_chatter=_re(r"(?:して|し)(?:い)?ます[。か]|しましょう|ましょうか|ください|できます|確認します|調べます|てみます|と思います|できませんでした|ありません"),
    positive=(
        _decision(r"決め(?:た|ました)|決まり|決まった|決定|にする(?:こと)?|することに(?:した|しました|なった|なりました)|選(?:んだ|びました)|採用|切り替え|乗り換え|移行|変更(?:に|した|しました|になり)|延期|中止|やめ(?:た|ました|て)|ではなく|じゃなくて|の代わりに|で行きます|でいきます|合意|使わないこと"),
        _preference(r"好き|嫌い|好み|苦手|大好き|方がいい|ほうがいい|の方が(?:好|楽|良)|気に入って|愛用|食べ(?:ない|られない|ません)|飲(?:まない|めない|みません)|避けて|派です|派だ|お気に入り|うんざり"),
        _standing(r"これからは|今後は?|いつも|常に|毎回|必ず|絶対に?|二度と|基本的に|デフォルト|(?:し|使わ|送ら|入れ|書か|付け)ないで|は不要|はなしで|と呼んで|(?:日本語|英語|敬語|短く|簡潔に).{0,12}(?:して|答えて|返して|書いて|お願い)|原則"),
        _personal(
            r"(?:私|僕|俺|うち|わたし|ぼく|自分)(?:の|は|が|、|も).{0,30}(?:です|ます|ました|だ|った|いる|ある|ない|る)[。！]?|(?:妻|夫|旦那|奥さん|彼女|彼氏|母|父|両親|姉|妹|兄|弟|息子|娘|子供|子ども|赤ちゃん|祖母|祖父|上司|部長|課長|社長|同僚|大家|隣人|友人|友達|医者|歯医者|先生|弁護士|犬|猫|ペット)(?:の|は|が|も).{1,40}(?:です|ます|ました|だ|った|いる|ある|ない|る|た)"
        ),
        _personal(r"住んで|働いて|勤めて|勤務|出身|生まれ|通って|卒業|結婚|離婚|妊娠|引っ越|転職|入社|退職|就職|飼って|アレルギー|ベジタリアン|ビーガン|左利き|誕生日|記念日|歳(?:です|に)|才(?:です|に)|と申します|といいます|担当(?:して|です|は)|専攻"),
        _learnt(r"わかった(?:こと|のは)|判明|原因(?:は|が)|問題(?:は|だったのは)|解決策は|コツは|教訓|実は|ポイントは|学んだ|気づいた|注意[：:]|理由は", 2.0),
        _learnt(r"(?:が|は).{0,20}(?:必要|しか(?:動|使|対応)|のみ対応|対応して(?:い)?ない|サポートして(?:い)?ない|依存|に(?:ある|あります|置いて|保存|格納)|で動(?:く|いて|作)|ポート|期限|有効期限|切れ|かかる|かかります|円(?:です|だ)|と呼ばれ|に属し|上限|閉まる|閉まります|から始まる|バックアップ)"),
    ),
    negative=(
        _transient(r"今(?:ちょっと|は|から|、)|いま(?:ちょっと|から)|さっき|ちょうど|(?:して|待って|食べて|見て)(?:い)?るところ|疲れ(?:た|て)|眠い|お腹(?:すい|空い)|忙しい|暇|ちょっと待|すぐ戻|天気|雨(?:が|だ)|また(?:落ち|壊れ|失敗|エラー)|まだ(?:動い|待っ|読み込み)|開いて(?:い)?る"),
        _hearsay(r"らしい|そうです$|と(?:言って|聞い)|によると|という噂|みたい(?:です|だ)"),
        _evaluation(r"(?:いい|良い|すごい|ひどい|面白い|最高|微妙)(?:です)?(?:ね|な|よ)[。！!]*$|よくできました|お見事"),
    ),
)  # fmt: skip

TABLES = {
    "en": _ENGLISH,
    "de": _GERMAN,
    "es": _SPANISH,
    "fr": _FRENCH,
    "pt": _PORTUGUESE,
    "zh": _CHINESE,
    "ja": _JAPANESE,
}
