"""The wordings of things that have one value at a time: where somebody lives, what runs on what.

A line is `name: pattern`; `~` stands for white space, `s` is the group of the subject, `v` of the
value, `q` of what it is the value for. Beside these lines stand lists of words.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from hippod.language import word_set
from hippod.reflection.stance_words import entries


@dataclass(frozen=True, slots=True)
class SlotWords:
    """What to look for in the facts of one language."""

    slots: tuple[tuple[str, re.Pattern[str]], ...]
    """A name that ends in `?`: there may be several at a time, unless it is said to be new; one
    that ends in `!`: it says so itself."""
    copula: re.Pattern[str]
    """Groups `s`, `v`: "S is V", "S: V"."""
    single: re.Pattern[str]
    """Nouns and adjectives that stand for one value: "deadline", "default"."""
    state: re.Pattern[str]
    """Verbs that report a present measure."""
    changed: re.Pattern[str]
    """Verbs that report that it changed; group `was`: "from 30"."""
    event: re.Pattern[str]
    """Verbs of what happened, words for one more of something."""
    several: re.Pattern[str]
    """Verbs that may have several objects at a time: "likes", "owns"."""
    has: re.Pattern[str]
    gone: re.Pattern[str]
    """What ends a thing: "no longer", "sold"."""
    replaced: tuple[re.Pattern[str], ...]
    """Groups `old` and `new`: "replaced X by Y"."""
    vague: re.Pattern[str]
    """Values that say less than any other."""
    stop: re.Pattern[str]
    """Where a value ends."""
    now: re.Pattern[str]
    newly: re.Pattern[str]
    """What says that something took the place of what was before: "now"."""
    passing: re.Pattern[str]
    """What says that it is an exception: "temporarily", "only tomorrow"."""
    distant: re.Pattern[str]
    """What says that it is to come, should be, was once or is so in part: "will"."""
    resumed: re.Pattern[str]
    """What begins a thing again: "again"."""
    sold: re.Pattern[str]
    """What ends that somebody owns a thing, and no more than that."""
    owns: re.Pattern[str]
    restated: re.Pattern[str]
    """Groups `s` and `v`: "S was moved, it is now V"."""
    restating: str
    """How that is said in one clause."""


@cache
def slot_words(language: str) -> SlotWords | None:
    """Return the table of a language, None for one that has none."""
    table = _TABLES.get(language)
    return _compile(table) if table else None


def _compile(table: str) -> SlotWords:
    lines = entries(table)
    named = dict(lines)
    slots = tuple(
        (name.removeprefix("slot "), re.compile(rf"^(?P<s>.{{0,60}}?)(?<!\w)(?:{pattern})", re.I))
        for name, pattern in lines
        if name.startswith("slot ")
    )

    def word(name: str) -> re.Pattern[str]:
        return re.compile(rf"(?<!\w)(?:{named.get(name, '(?!)')})(?!\w)", re.I)

    return SlotWords(
        slots=slots,
        copula=re.compile(
            rf"^(?P<s>[^.;:=]{{1,80}}?)(?:\s+(?:{named['copula']})\s+|\s*[:=]\s+)(?P<v>.+)$", re.I
        ),
        single=word("single"),
        state=word("state"),
        changed=word("changed"),
        event=word("event"),
        several=word("several"),
        has=word("has"),
        gone=word("gone"),
        replaced=tuple(re.compile(pattern, re.I) for name, pattern in lines if name == "replaced"),
        vague=word("vague"),
        stop=re.compile(
            rf"\s*(?:[,;()!]\s|(?<!\d)\.\s|[.;()!]*$|(?<!\w)(?:{named['stop']})(?!\w))", re.I
        ),
        now=word("now"),
        newly=word("newly"),
        passing=word("passing"),
        distant=word("distant"),
        resumed=word("resumed"),
        sold=word("sold"),
        owns=word("owns"),
        restated=re.compile(rf"^(?P<s>[^.;]{{1,80}}?)\s+(?:{named.get('restated', '(?!)')})", re.I),
        restating=named.get("restating", ""),
    )


_TABLES: Mapping[str, str] = {
    "en": r"""
slot place: (?P<v>(?-i:[A-Z])\S*)~is~(?:her|his|their)~(?:new~)?home(?=$|[.,;])
slot place: (?:is|feels)~at~home~in~(?P<v>(?-i:[A-Z]).+)
slot place!: (?:has~)?(?:settled(?:~down)?|ma(?:de|kes)~(?:her|his|their|
    a)~home)~in~(?P<v>(?-i:[A-Z]).+)
slot place: (?:home|residence|place~of~residence)~is~in~(?P<v>(?-i:[A-Z]).+)
slot place: (?:lives?|resides?|(?:is|has~been|have~been)~living|(?:is|are)~(?:based|located|
    situated|kept|stored|parked))~(?:in|at|on|near|under|behind|next~to)~(?P<v>.+)
slot place!: (?:has~|have~)?(?:just~)?(?:moved|relocated)(?:~(?:house|home|away|back|over|
    out))?(?:~from~.+?)?~(?:in)?to~(?P<v>(?-i:[A-Z])[\w'’.-]*(?:,?~(?-i:[A-Z])[\w.'’-]*){0,3}(?=$|
    [.,;!]|~(?:on|in|at|since|last|this|for|with|to|because|after|from|near|by|as|now|again|and|
    when|where|during|before|until)(?!\w)).*|(?:an?|the)~(?:\w+~)?(?:flat|house|apartment|city|
    village|suburbs|countryside|coast)\b.*)
slot work: (?:works|is~working)(?:~(?:full|part)[ -]time)?~(?:at|for)~(?P<v>.+)
slot work: (?:is|are)~employed~(?:at|by|with)~(?P<v>.+)
slot work: (?:has~)?(?:started|began)~(?:working~|work~|a~(?:new~)?job~)?(?:at|for|
    with)~(?P<v>(?-i:[A-Z]).+)
slot work: (?:has~)?(?:joined~(?P<v>.+?)(?=~as~)|(?:took|accepted|got)~a~(?:new~)?job~(?:at|
    with)~(?P<v2>.+))
slot work: (?:works|is~working)~as~[^,.;]{1,40}?~(?:at|for|with)~(?P<v>(?-i:[A-Z]).+)
slot work: (?:was|has~been)~(?:hired|taken~on)~by~(?P<v>(?-i:[A-Z]).+)
slot work: (?:has~)?joined~(?P<v>(?!\S*(?:~\S+)?~?(?:club|choir|team|band|union|party|church|gym|
    society|association|league|orchestra|group)|slack|facebook|linkedin|instagram|discord|
    mastodon|whatsapp|telegram|zoom|teams|github|reddit|
    twitter)(?-i:[A-Z])\S*(?:~(?-i:[A-Z])\S*)?)(?=$|[.,;]|~(?:in|on|last|this)~)
slot work: (?:employer|workplace)(?:~is|:)~(?P<v>.+)
slot work: (?:changed|switched)~(?:jobs?|employers?)~(?:and~is~(?:at|with)|
    to)~(?P<v>(?-i:[A-Z]).+)
slot role: (?:works|is~working)~as~(?:an?~|the~)?(?P<v>.+)
slot role: (?:was|got|has~been|is)~promoted~to~(?:an?~|the~)?(?P<v>.+)
slot role: (?:has~)?(?:started|joined|began|(?:was|has~been)~hired|signed~on)~(?:at~|with~|
    by~)?(?:(?-i:[A-Z])\S*~){0,3}as~(?:an?~|the~)?(?P<v>.+)
slot role: (?:job~title|position|job)~is~(?:an?~|the~)?(?P<v>.+)
slot role: (?:became|has~become|was~(?:made|appointed)|
    retrained~as)~(?:an?~)?(?P<v>(?:[\w-]+~){0,3}(?:manager|lead|leader|director|head~of~\w+|
    engineer|developer|cto|ceo|cfo|coo|nurse|teacher|architect|designer|intern|accountant|analyst|
    professor|consultant|assistant|editor|producer|scientist|lawyer|chef|cook|baker|carpenter|
    electrician|plumber|journalist|researcher|technician|administrator|coordinator|specialist|
    librarian|pharmacist|programmer|translator|driver|pilot|midwife|trainer|buyer|planner)\b.*)
slot role?: is~(?:an?~|our~)?(?P<v>(?!the~)(?:[\w-]+~){0,3}(?:manager|lead|leader|director|
    head~of~\w+|engineer|developer|cto|ceo|cfo|coo|nurse|teacher|architect|designer|intern|
    accountant|analyst|professor|consultant|assistant|editor|producer|scientist|lawyer|chef|cook|
    baker|carpenter|electrician|plumber|journalist|researcher|technician|administrator|
    coordinator|specialist|librarian|pharmacist|programmer|translator|driver|pilot|midwife|
    trainer|buyer|planner)\b.*)
slot site: works~(?:remotely~|mostly~|usually~)?(?:from|out~of)~(?P<v>.+)
slot seat: (?:is|are)~in~(?P<v>(?-i:[A-Z]).+)
slot boss: (?:reports|answers)~(?:directly~)?to~(?P<v>(?-i:[A-Z]).+)
slot boss: has~(?P<v>(?-i:[A-Z]).+?)~(?:as|for)~(?:(?:her|his|their|an?|
    the)~)?(?:new~)?(?:line~)?(?:manager|boss|supervisor|team~lead)(?=$|[.,;]|~(?:since|from|
    and)(?!\w))
slot boss: (?:(?:her|his|their)~|['’]s~)(?:(?:new|direct|current)~)?(?:line~)?(?:manager|boss|
    supervisor|team~lead)~is~(?:called~|named~)?(?P<v>(?-i:[A-Z]).+)
slot boss: (?P<v>(?-i:[A-Z])\S*(?:~(?-i:[A-Z])\S*)?)~(?:is|became|has~become)~(?:her|his|
    their)~(?:(?:new|direct|line)~)?(?:line~)?(?:manager|boss|supervisor|team~lead)(?!\w)
slot boss: (?:is~managed~by|works~under)~(?P<v>(?-i:[A-Z]).+)
slot host: hosting(?:~for~.{1,30}?)?~(?:(?:is|lies|sits)~(?:done~)?(?:at|with|on|by)|(?:is|was|
    has~been|got)~(?:switched|moved|migrated|transferred)(?:~from~.+?)?~(?:over~)?to|(?:moved|
    switched|went)~to)~(?P<v>.+)
slot host: (?:hosting:|hosted~(?:on|at|in|with|by))~(?P<v>.+)
slot host: (?:(?:is|are)~(?:hosted|deployed|running|served|installed)|(?:was|were|has~been|
    got)~(?:moved|migrated|deployed)(?:~from~.+?)?)~(?:on|at|in|with|to|from|by)~(?P<v>.+)
slot run: (?:was|were|has~been|got)~(?:moved|migrated|deployed)(?:~from~.+?)?~(?:on)?to~(?P<v>.+)
slot run?: (?:runs?|is~running)~(?:on|at|in)~(?P<v>.+)
slot use?: uses?~(?P<v>.+?)~(?:for|as)~(?P<q>.+)
slot partner: is~(?P<v>single|divorced|widowed)(?!~\w)
slot diet: is~(?:an?~)?(?P<v>vegetarian|vegan|pescatarian|omnivore)(?=$|[.,;]|~(?:since|
    and)(?!\w))
slot drive?: drives~(?:an?~)?(?P<v>(?-i:[A-Z]).+)
slot prefer: prefers~(?P<v>(?:(?!~to~|~over~|~than~).)+?)~(?:as|for)~(?P<q>.+)
slot partner: (?:is~)?(?:married~to|engaged~to|dating|in~a~relationship~with)~(?P<v>.+)
slot name: (?:(?:is|was|has~been|got)~)?(?:re)?named~(?:from~.+?~)?(?:to~)?(?P<v>.+)
slot name: (?:is|goes)~(?:now~)?(?:called|known~as|by~the~name~of)~(?P<v>.+)
slot when: (?:(?:is|are)~(?:(?:scheduled|planned|set|booked)~(?:for|on|at|to)|due(?:~(?:for|on|at|
    by))?)|meets?|takes?~place|happens)(?:~(?:on|at|every|from))*~(?P<v>.+)
slot when: (?:(?:was|were|is|are|has~been|got)~)?(?:postponed|moved|rescheduled|pushed|shifted|
    delayed|brought~forward|slipped|extended|put~back|put~off)(?:~(?:back|out|
    again))?(?:~by~.+?)?(?:~from~.+?)?~(?:to|until|till)~(?P<v>.+)
copula: is|are|'s|will~be|is~now|remains
single: version|port|price|cost|costs|budget|deadline|due~date|date|limit|phone|number|address|
    e-?mail|password|height|weight|age|temperature|rent|salary|fee|timeout|capacity|quota|owner|
    lead|leader|manager|maintainer|boss|ceo|cto|cfo|status|birthday|birth~date|anniversary|name|
    title|role|job|position|partner|husband|wife|spouse|default|primary|current|favou?rite|main|
    preferred|interval|frequency|branch|region|time~?zone|location|headquarters|hq|url|domain|ip|
    host|provider|start|start~date|release~date|launch~date|time|size|colou?r|plan|priority|
    language|editor~of~choice|go-to|shift|room|desk|car|allergist|dentist|doctor|therapist|
    landlord|bank
state: is|are|'s|prefers|costs|takes?|weighs?|measures?|has|have|needs?|pays?|earns?|runs?|lasts?|
    allows?|holds?|contains?|requires?|expires?|starts?|begins?|ends?|opens?|closes?|meets?|
    leaves?|departs?|arrives?|charges?|stands~at|listens?|serves?|handles?|processes|gives?|
    makes?|eats?|drinks?|sleeps?|reads?|writes?|works?|covers?|spends?|stores?|keeps?|uses?|
    sends?|returns?|publishes|supports?|reaches|trains?|swims?|walks?|cycles?|practi[sc]es|
    teaches|answers?|polls?|retries|rotates?|syncs?|refreshes|gets~up|wakes~up|wants?|comes?|goes
changed: (?:(?:was|were|has~been|is|are|got|went|goes)~)?(?:raised|lowered|increased|reduced|set|
    changed|bumped|cut|upgraded|updated|downgraded|extended|shortened|grown|grew|dropped|risen|
    rose|fell|adjusted|up|down|moved|postponed|rescheduled|pushed|
    shifted)(?P<was>~from~.+?)?~(?:to|until)
event: was|were|met|bought|went|said|had|took|ran|did|made|saw|paid|spent|sent|gave|found|told|
    wrote|built|visited|attended|installed|fixed|received|ordered|sold|added|created|merged|
    finished|completed|published|asked|another|also|too|second|third|other|yesterday|last~\w+|ago|
    often|sometimes|usually|can
has: has|have
several: likes?|loves?|enjoys?|hates?|dislikes?|owns?|knows?|plays?|speaks?|can
gone: (?:quit|left|lost|resigned~from|gave~up)~(?:her|his|their|the)~(?:job|position|
    post)(?:~(?:at|with|as))?|gave~away|given~away|donated|traded~in|threw~(?:out|away)|
    stepped~down(?:~as)?|dropped~out~of|no~longer|any~?more|stopped(?!~(?:by|at|in|for|over|off))|
    quit|gave~up|given~up|dropped(?=~(?:the|her|his|their|its)~(?:plan|idea|project|course|class|
    subscription|feature|support)\b)|cancelled|canceled|scrapped|sold|resigned~from|
    left(?!~(?:for|early|late|at|on|a)\b)|got~rid~of|retired~from|discontinued|shut~down|
    decommissioned|called~off|abolished|broke~up(?:~with)?|split~up(?:~with)?|divorced~from|
    moved~out~of|ended(?!~up)
replaced: \b(?:traded|swapped|exchanged)\s+(?P<old>[^.;,]+?)\s+for\s+(?P<new>[^.;,]+)
replaced: \breplac\w+\s+(?P<old>[^.;,]+?)\s+(?:by|with)\s+(?P<new>[^.;,]+)
replaced: \b(?:switch\w*|chang\w+|migrat\w+|mov\w+|went|upgrad\w+|
    convert\w+)\b[^.;,]{0,30}?\bfrom\s+(?P<old>[^.;,]+?)\s+(?:back\s+)?(?:over\s+)
    ?to\s+(?P<new>[^.;,]+)
replaced: (?P<new>[^.;,]+?),?\s+(?:instead\s+of|rather\s+than)\s+(?P<old>[^.;,]+)
replaced: ^(?P<new>.{1,60}?)\s+(?:has\s+replaced|replaced|replaces)\s+(?P<old>[^.;,]+?)(?=$|[.;,]|
    \s+(?:as|in|for|on)\b)
vague: swedish|finnish|norwegian|danish|german|austrian|swiss|french|italian|spanish|portuguese|
    dutch|belgian|british|english|scottish|irish|american|canadian|mexican|brazilian|polish|czech|
    russian|ukrainian|turkish|greek|indian|chinese|japanese|korean|australian|somewhere|elsewhere|
    something|some|unknown|unclear|tbd|undecided|abroad|soon|later|different|another~\w+|
    not~(?:known|sure|decided)|open|it|there|new|home
stop: since|because|with|as|until|as~of|and|but|which|who|where|when|while|after|instead~of|
    rather~than|now|again|from~now~on|these~days
now: now|currently|nowadays|at~present|presently|today|these~days|meanwhile|still|finally|already|
    just
newly: now|nowadays|these~days|meanwhile|from~now~on|instead|has~been~moved|new
distant: (?:lives?|living|stays?|works~(?:at|for))\b[^.;]*\b(?:until|till|when|whenever|while|each|
    every)|part[ -]time(?=~(?:at|for|with)\b)|would|should|ought~to|supposed~to|
    will(?!~(?:now~)?be~(?:(?:held|due|moved|shifted|
    postponed)~)?(?:on|at|to)~\W?(?:\d|mon|
    tue|
    wed|thu|fri|sat|sun))|\w+['’]ll|shall|won['’]t|(?:is|are|am|['’]s|['’]re)~(?:going|
    about)~to(?=~[a-z])(?!~(?:the|an?|her|his|their)\b)|(?<!to )(?<!until )next~(?:year|month|
    spring|summer|autumn|fall|winter|term|semester)|used~to|formerly|in~the~past|once~(?:was|had|
    lived|worked)|back~then|as~a~(?:child|student)|(?:half|parts?|most|some|a~third)~of~(?:the|
    each|every)~(?:time|day|week|month|year)|half~the~(?:time|week|month|year)|part~of~the~time|
    (?:on|at|during)~(?:the~)?weekends?|every~(?:other|second)~(?:week|month|year)|now~and~then|
    from~time~to~time|sometimes|occasionally|on~and~off
passing: (?:only|just)~(?:for~)?(?:today|tomorrow|tonight|(?:this|next|that)~\w+|in~\w+|on~\w+|
    during~.{1,20}|once|now|a~(?:day|week|month|few~\w+)|the~(?:day|week|month|summer|winter))|
    (?:today|tomorrow|tonight|(?:this|next|that)~\w+|(?:in|on|until|till|for|
    through)~[\w~]{1,30}?)~only|this~once|temporar(?:y|ily)|provisional(?:ly)?|interim|
    exceptionally|as~an~exception|for~(?:now|the~moment|the~time~being|the~(?:summer|winter|
    weekend|week|month|season|term|semester|holidays|night))|tomorrow|tonight|this~(?:week|
    weekend|morning|afternoon|evening)
sold: sold|gave~away|donated|traded~in|threw~(?:out|away)|returned
owns: owns?|has|have|possess\w*|drives?|rides?|keeps?|bought|got
resumed: again|once~more|(?:has|have)~(?:gone~back|returned)~to|goes~back~to|resumed
restated: (?:(?:was|were|has~been|have~been|is|got)~)?(?:moved|postponed|rescheduled|pushed|
    shifted|delayed|extended|changed|put~back|put~off|brought~forward|
    slipped)(?:~(?:back|out|yet|again|once~more|twice|(?:a~second|another)~time))*(?:\s*[,;.:–—-]+~?|
    ~)(?:(?:and|so)~)?(?:(?:it|this|that|the~new~\w+)(?:~is|'s)|is|now|new)(?:~now)?~(?:(?:on|at|
    due|for|set~(?:to|for))~)*(?P<v>.+)$
restating: was moved to {v}
""",
    "de": r"""
slot place: (?:ist|wohnt)~(?:jetzt~)?in~(?P<v>.+?)~(?:zu~hause|zuhause|daheim|ansässig)
slot place!: (?:hat~sich~)in~(?P<v>.+?)~niedergelassen
slot place!: (?:zog|zieht)~(?:(?:am|im|vo[nm])~\S+~|\d\S*~|gestern~|
    mit~\S+~\S+~)*nach~(?P<v>(?-i:[A-ZÄÖÜ])[\w-]+)
slot work: (?:ist|wurde)~(?:jetzt~)?(?:bei|von)~(?P<v>.+?)~(?:angestellt|beschäftigt|eingestellt|
    tätig)
slot work: (?:hat|fing)~(?:bei~(?P<v>.+?)~(?:als~.+?~)?(?:angefangen|begonnen)(?=$|[.,;])|
    bei~(?P<v2>.+?)~.{0,30}?an$)
slot boss: hat~(?:jetzt~)?(?P<v>.+?)~als~(?:neue\w*~)?(?:chef|chefin|vorgesetzte\w*|managerin|
    manager)(?!\w)
slot boss: (?:ihr|sein|deren)e?~(?:neue\w*~)?(?:chef|chefin|vorgesetzte\w*|managerin|
    manager)~(?:ist|heißt)~(?P<v>.+)
slot host: hosting~(?:ist|liegt|läuft)~(?:jetzt~)?bei~(?P<v>.+)
slot host: (?:ist|wird)~(?:jetzt~)?(?:auf|bei|von)~(?P<v>.+?)~gehostet
slot place: (?:wohnt|lebt|liegt|steht|befindet~sich|sitzt)(?:~jetzt)?~(?:in|im|an|am|auf|bei|
    unter)~(?P<v>.+)
slot place!: (?:ist~)?(?:vo[nm]~.+?~)?nach~(?P<v>.+?)~(?:umgezogen|gezogen)
slot place!: (?:zog|zieht)(?:~vo[nm]~.+?)?~nach~(?P<v>.+?)(?:~um)?$
slot work: arbeitet~(?:jetzt~)?(?:bei|für)~(?P<v>.+)
slot role: arbeitet~(?:jetzt~)?als~(?P<v>.+)
slot role: (?:wurde|ist)~(?:jetzt~)?(?:zu[rm]~)?(?P<v>\w*(?:leiter|leiterin|chef|chefin|manager|
    managerin|entwickler|entwicklerin|lehrer|lehrerin|ingenieur|ingenieurin)\b.*)
slot boss: berichtet~an~(?P<v>.+)
slot host: läuft~(?:jetzt~)?auf~(?P<v>.+)
slot host: (?:ist|wird)~(?:auf|bei)~(?P<v>.+?)~(?:gehostet|installiert|betrieben)
slot use: (?:nutzt|benutzt|verwendet)~(?P<v>.+?)~(?:für|als)~(?P<q>.+)
slot partner: ist~(?P<v>ledig|geschieden|verwitwet)(?!~\w)
slot drive?: fährt~(?:einen?~|ein~)(?P<v>(?-i:[A-Z]).+)
slot partner: (?:ist~)?(?:mit~(?P<v>.+?)~(?:verheiratet|verlobt|zusammen)|
    verheiratet~mit~(?P<v2>.+))
slot name: heißt~(?:jetzt~)?(?P<v>.+)
slot when: (?:findet~)?(?:ist|am|um|jeden|immer)(?:~(?:am|um|jeden))?~(?P<v>(?:\d|montag|dienstag|
    mittwoch|donnerstag|freitag|samstag|sonntag).*)
slot when: (?:wurde|ist|wird)~(?:vo[nm]~.+?~)?auf~(?:den~)?(?P<v>.+?)~(?:verschoben|verlegt|
    vorverlegt)
copula: ist|sind|beträgt|lautet|ist~jetzt|liegt~bei
single: version|port|preis|kosten|budget|frist|abgabetermin|termin|datum|limit|telefonnummer|
    nummer|adresse|e-?mail(?:-adresse)?|passwort|gewicht|größe|alter|temperatur|miete|gehalt|
    gebühr|leiter\w*|leitung|chef|chefin|geburtstag|name|titel|rolle|stelle|standard\w*|haupt\w+|
    lieblings\w+|aktuelle\w*|bevorzugte\w*|zeitzone|standort|anbieter|status|partner|partnerin|
    mann|frau|uhrzeit|beginn|stundenplan
state: ist|sind|kostet|dauert|wiegt|misst|beträgt|braucht|zahlt|verdient|hat|haben|läuft|beginnt|
    startet|endet|öffnet|schließt|trifft~sich|fährt|liegt~bei|lautet
changed: (?:wurde|ist|wird)~(?P<was>vo[nm]~.+?~)?auf
event: war|waren|wurde~gekauft|kaufte|gekauft|traf|getroffen|besucht\w*|ging|sagte|gesagt|
    repariert|installiert|hatte|gestern|letzte\w*|noch~ein\w*|auch|weitere\w*|andere\w*|manchmal|
    oft
has: hat|haben
several: mag|liebt|hasst|besitzt|spricht|spielt|kennt|kann
gone: nicht~mehr|kein\w*~mehr|aufgehört|aufgegeben|gekündigt|verkauft|abgesagt|gestrichen|
    abgeschafft|getrennt|eingestellt|verlassen
replaced: \b(?P<old>[^.;,]+?)\s+(?:durch|gegen)\s+(?P<new>[^.;,]+?)\s+(?:ersetzt|ausgetauscht|
    getauscht|eingetauscht)
replaced: \bvo[nm]\s+(?P<old>[^.;,]+?)\s+(?:auf|zu|zum|zur|
    nach)\s+(?P<new>[^.;,]+?)\s+(?:umgestiegen|gewechselt|umgestellt|umgezogen|gezogen|migriert|
    verschoben|verlegt)
replaced: \b(?:wechsel\w*|stieg|steigt|
    stellt\w*)\b[^.;]{0,20}?\bvo[nm]\s+(?P<old>[^.;,]+?)\s+(?:auf|zu|zum|
    zur)\s+(?P<new>[^.;,]+?)(?:\s+um)?$
replaced: (?P<new>[^.;,]+?),?\s+(?:statt|anstatt|anstelle\s+von)\s+(?P<old>[^.;,]+)
vague: (?:österreich|deutsch|schweiz|italien|engländ|spani|dän|schwed|holländ|niederländ|amerikan|
    japan|norweg|portugies)er(?:in)?|deutsche|irgendwo\w*|anderswo|woanders|unbekannt|unklar|
    offen|bald|später|neu\w*|ander\w*|ausland
stop: seit|weil|mit|und|aber|wo|wenn|nachdem|jetzt|statt|bis
now: jetzt|nun|derzeit|aktuell|inzwischen|mittlerweile|momentan|zurzeit|heute|neuerdings|noch|
    immer~noch
newly: jetzt|nun|inzwischen|mittlerweile|neuerdings|ab~sofort|neu\w*
distant: (?:wohnt|lebt|arbeitet~bei)\b[^.;]*\b(?:bis|wenn|während|jede[ns]?)|sollte\w*|(?:wird|
    werden|werde)(?=\b[^.;,]*\b(?:wohnen|leben|ziehen|umziehen|arbeiten|
    haben|sein|
    heißen|nutzen|benutzen|verwenden|kosten|dauern|laufen|beginnen|anfangen|starten|enden|liegen|
    betragen|wechseln|fahren|trinken|essen|nehmen|machen|gehen|kommen|übernehmen|leiten|berichten|
    umsteigen|verkaufen|aufhören|kündigen)\b)|nächste[sn]?~(?:jahr|monat|frühjahr|frühling|sommer|
    herbst|winter|semester)|künftig|demnächst|früher(?!~als)|damals|ehemals|einst|als~kind|
    (?:die~hälfte|ein~teil|ein~drittel)~(?:des|der)~(?:jahres|monats|woche|zeit)|das~halbe~jahr|
    (?:die~)?halbe~(?:woche|zeit)|am~wochenende|an~wochenenden|jede~zweite~woche|manchmal|
    gelegentlich|ab~und~zu|hin~und~wieder|mitunter
passing: nur~(?:heute|morgen|diese\w*|im|am|für|bis)(?!\w)|vorübergehend\w*|vorläufig\w*|
    übergangsweise|zeitweise|zeitweilig|ausnahmsweise|fürs~erste|bis~auf~weiteres|einstweilen|
    morgen(?=~um)|diese~woche|für~(?:den|die)~(?:sommer|winter|ferien|sommerferien)
sold: verkauft|verschenkt|weggegeben|gespendet
owns: hat|haben|besitzt|gehört|fährt|kaufte|gekauft
resumed: wieder|erneut
restated: (?:wurde|ist|wird)~(?:(?:noch~einmal|nochmals?|erneut|wieder|abermals)~)?(?:verschoben|
    verlegt|vorverlegt|verlängert)(?:\s*[,;.–—-]+~?|~)(?:und~)?(?:(?:sie|er|es|der~neue~\w+)~)?(?:ist|
    liegt)~(?:(?:jetzt|nun)~)?(?:(?:am|auf|der|den|dem|um|bei)~)*(?P<v>.+)$
restating: wurde auf {v} verschoben
""",
    "es": r"""
slot place!: se~(?:ha~)?(?:instal|establec|asent|radic)\w+~en~(?P<v>(?-i:[A-ZÁÉÍÓÚÑ]).+)
slot work: est[áa]~(?:emplead|contratad)[oa]~(?:ahora~)?(?:en|por)~(?P<v>.+)
slot work: (?:ha~)?(?:empez|comenz|entr|fich)\w+~(?:a~trabajar~)?(?:en|por)~(?P<v>(?-i:[A-Z]).+)
slot boss: (?:su|la)~(?:nuev[oa]~)?jef[ea]~es~(?P<v>(?-i:[A-ZÁÉÍÓÚÑ]).+)
slot boss: (?:depende~de|tiene~a)~(?P<v>(?-i:[A-ZÁÉÍÓÚÑ]).+?)(?:~(?:como|de)~jef[ea])?$
slot place: (?:vive|reside|est[áa]~(?:ubicad[oa]|guardad[oa]|situad[oa]))~en~(?P<v>.+)
slot place!: se~(?:ha~)?mud(?:ó|ado)(?:~de~.+?)?~a~(?P<v>.+)
slot work: trabaja~(?:ahora~)?(?:en|para)~(?P<v>.+)
slot role: trabaja~(?:ahora~)?(?:como|de)~(?P<v>.+)
slot host: (?:corre|funciona|se~ejecuta|est[áa]~alojad[oa])~(?:ahora~)?en~(?P<v>.+)
slot use: (?:usa|utiliza)~(?P<v>.+?)~(?:para|como)~(?P<q>.+)
slot partner: est[áa]~casad[oa]~con~(?P<v>.+)
slot name: se~llama~(?:ahora~)?(?P<v>.+)
slot when: (?:es|son|será|empieza|se~reúne\w*)~(?:los?~|el~|a~las~)(?P<v>.+)
slot when: se~(?:ha~)?(?:aplaz|movi|cambi|pospus|retras|adelant)\w+~(?:del?~.+?~)?(?:al?|
    para~el)~(?P<v>.+)
copula: es|son|está|es~ahora|será
single: versión|puerto|precio|coste|costo|presupuesto|plazo|fecha|límite|teléfono|número|
    dirección|correo|contraseña|peso|altura|edad|temperatura|alquiler|sueldo|salario|cuota|
    jef[ea]|responsable|cumpleaños|nombre|título|puesto|cargo|favorit[oa]|principal|actual|
    predeterminad[oa]|proveedor|estado|marido|mujer|pareja|hora
state: es|son|cuesta|dura|pesa|mide|tiene|necesita|paga|gana|empieza|termina|abre|cierra|sale|
    llega
changed: (?:ha~)?(?:subi|baj|aument|cambi|pas|aplaz|movi)\w+(?P<was>~del?~.+?)?~(?:a|al|hasta)
event: era|eran|fue|compr[óo]|visit[óo]|conoci[óo]|dijo|ayer|pasad[oa]|también|otr[oa]|arregl[óo]|
    instal[óo]|tenía
has: tiene|tienen
several: gusta\w*|encanta\w*|odia|habla|juega|conoce
gone: ya~no|dejó|ha~dejado|vendi[óo]|ha~vendido|cancel\w+|renunci\w+|abandon\w+|se~separó
replaced: \b(?:sustitu|reemplaz|cambi)\w+\s+(?P<old>[^.;,]+?)\s+por\s+(?P<new>[^.;,]+)
replaced: \b(?:cambi\w+|pas\w+|migr\w+|
    volvi\w+)\b[^.;]{0,20}?\bdel?\s+(?P<old>[^.;,]+?)\s+al?\s+(?P<new>[^.;,]+)
replaced: (?P<new>[^.;,]+?),?\s+en\s+(?:lugar|vez)\s+de\s+(?P<old>[^.;,]+)
vague: algún\w*|alguna~parte|otro~sitio|desconocid[oa]|pronto|nuev[oa]|extranjero
stop: desde|porque|con|y|pero|donde|cuando|ahora|en~lugar~de|en~vez~de
now: ahora|actualmente|hoy|todavía|aún|ya|por~fin
newly: ahora|actualmente|hoy~en~día|nuev[oa]
distant: deberían?|v(?:a|an|oy)~a~[a-zñ]+(?:ar|er|ir)(?:se)?|se~v(?:a|an)~a~[a-zñ]+(?:ar|er|ir)|
    (?!será)(?-i:[a-zñ]{2,}(?:ar|er|ir|dr)(?:á|án))|(?:el~)?próxim[oa]~(?:año|mes|verano|otoño|
    invierno|
    primavera)|el~año~que~viene|solía\w*|antes(?!~(?:de|que))|antiguamente|de~niñ[oa]|en~el~pasado|
    (?:la~)?mitad~del?~(?:la~)?(?:año|mes|semana|tiempo)|(?:una~)?parte~del?~(?:la~)?(?:año|mes|
    semana|tiempo)|medio~año|(?:los~)?fines~de~semana|a~veces|de~vez~en~cuando
passing: temporal(?:mente)?|provisional(?:mente)?|de~momento|por~(?:el~momento|ahora)|
    s[oó]lo~(?:hoy|mañana|est[ae]|en|por|durante)(?!\w)|excepcionalmente|durante~el~(?:verano|
    invierno)|est[ae]~semana
sold: vendi[óo]|ha~vendido|regaló|donó
owns: tiene|tienen|posee|conduce|compró
resumed: de~nuevo|otra~vez|vuelve~a|ha~vuelto~a
""",
    "fr": r"""
slot place!: (?:s['’]est~)(?:installée?|établie?)~(?:à|en|au|aux)~(?P<v>(?-i:[A-ZÉÈ]).+)
slot place!: a~emménagé~(?:à|en|au|aux)~(?P<v>(?-i:[A-ZÉÈ]).+)
slot work: est~(?:employée?|salariée?|embauchée?)~(?:chez|par)~(?P<v>.+)
slot work: a~(?:rejoint|(?:été~)?(?:embauchée?|engagée?|recrutée?)~(?:chez|par)|
    commencé~(?:à~travailler~)?chez)~(?P<v>(?-i:[A-ZÉ])\S*.*)
slot boss: (?:son|sa)~(?:nouve\w+~)?(?:chef|cheffe|patron|patronne|responsable|
    supérieure?)~est~(?P<v>(?-i:[A-ZÉ]).+)
slot place: (?:habite|vit|réside|est~(?:situé|rangé|installé)e?)~(?:maintenant~)?(?:à|en|au|aux|
    dans)~(?P<v>.+)
slot place!: (?:a~déménagé|est~parti\w*~vivre|déménage)(?:~d[eu]~.+?)?~(?:à|en|au|aux)~(?P<v>.+)
slot work: travaille~(?:maintenant~|désormais~)?(?:chez|pour)~(?P<v>.+)
slot role: travaille~(?:maintenant~|désormais~)?comme~(?P<v>.+)
slot host: (?:tourne|fonctionne|est~hébergée?)~(?:maintenant~|désormais~)?(?:sur|chez)~(?P<v>.+)
slot use: utilise~(?P<v>.+?)~(?:pour|comme)~(?P<q>.+)
slot partner: est~mariée?~(?:à|avec)~(?P<v>.+)
slot name: s['’]appelle~(?:maintenant~|désormais~)?(?P<v>.+)
slot when: (?:est|a~lieu|commence|sera)~(?:le~|à~|tous~les~)(?P<v>.+)
slot when: (?:est|a~été)~(?:reporté|déplacé|décalé|avancé|repoussé)e?(?:~du~.+?)?~(?:au|à|
    jusqu'au)~(?P<v>.+)
copula: est|sont|sera|est~maintenant|est~désormais
single: version|port|prix|coût|budget|échéance|date|limite|téléphone|numéro|adresse|e-?mail|
    courriel|poids|taille|âge|température|loyer|salaire|responsable|chef|anniversaire|nom|titre|
    poste|préférée?|favori|principale?|actuelle?|défaut|fournisseur|statut|mari|femme|heure
state: est|sont|coûte|dure|pèse|mesure|a|faut|paie|gagne|commence|finit|ouvre|ferme|part|arrive
changed: (?:est|a~été|sont)?~?(?:passée?|portée?|relevée?|augmentée?|baissée?|reportée?|
    déplacée?)(?P<was>~d[eu]~.+?)?~(?:à|au)
event: était|étaient|a~acheté|a~visité|a~rencontré|a~dit|hier|dernière?|aussi|autre|a~réparé|
    a~installé|avait
has: a(?=~(?:une?|des|\d))|ont
several: aime|adore|déteste|parle|joue|connaît|possède
gone: arrêté|quitté|vendu|annulé\w*|abandonné\w*|démissionné|séparée?
replaced: \bremplac\w+\s+(?P<old>[^.;,]+?)\s+par\s+(?P<new>[^.;,]+)
replaced: \b(?:pass\w+|migr\w+|chang\w+|revenue?)\b[^.;]{0,20}?\b(?:de|du|
    d['’])\s*(?P<old>[^.;,]+?)\s+(?:à|au|aux|vers)\s+(?P<new>[^.;,]+)
replaced: (?P<new>[^.;,]+?),?\s+(?:au\s+lieu|à\s+la\s+place)\s+d[eu']\s*(?P<old>[^.;,]+)
vague: quelque~part|ailleurs|inconnue?|bientôt|nouve\w+|étranger
stop: depuis|parce|avec|et|mais|où|quand|maintenant|désormais|au~lieu
now: maintenant|désormais|actuellement|aujourd'hui|encore|toujours|déjà
newly: maintenant|désormais|dorénavant|actuellement|nouve\w+
distant: devrai(?:t|ent)|v(?:a|ont|ais)~(?:s['’]|se~|y~)?\w+(?:er|ir|re)|
    (?!sera)(?-i:[a-zéè]{3,}(?:era|ira|vra|dra))|
    (?:l['’]an(?:née)?~prochaine?|l['’](?:été|automne|hiver)~prochain|le~mois~prochain|
    le~printemps~prochain)|autrefois|jadis|auparavant|dans~le~passé|(?:habit|viv|
    travaill|aim|utilis|buv|jou|mange|fais|pren)ai(?:t|ent)|(?:la~)?moitié~(?:de~l['’]année|
    du~mois|de~la~semaine|du~temps)|une~partie~(?:de~l['’]année|
    du~mois|de~la~semaine|du~temps)|(?:le|les|ce)~week-?ends?|parfois|de~temps~en~temps|
    une~semaine~sur~deux
passing: temporaire(?:ment)?|provisoire(?:ment)?|pour~l['’]instant|pour~le~moment|
    exceptionnellement|(?:seulement|uniquement|juste)~(?:demain|aujourd['’]hui|cette|ce|en|
    pour)(?!\w)|pour~l['’](?:été|hiver)|demain|cette~semaine
sold: vendu\w*|donnée?|offert
owns: a|ont|possède|conduit|acheté
resumed: de~nouveau|à~nouveau
""",
    "pt": r"""
slot place!: mudou-se~(?:d[eoa]~.+?~)?para~(?:o~|a~)?(?P<v>(?-i:[A-ZÁÉÍÓÚ]).+)
slot place!: (?:instalou-se|estabeleceu-se|fixou-se|se~(?:instalou|estabeleceu))~(?:em|no|
    na)~(?P<v>(?-i:[A-ZÁÉÍÓÚ]).+)
slot work: (?:está|foi)~(?:empregad|contratad)[oa]~(?:em|n[oa]|pel[oa])~(?P<v>.+)
slot work: (?:entrou|começou)~(?:a~trabalhar~)?(?:em|n[oa])~(?P<v>(?-i:[A-Z]).+)
slot boss: (?:o~seu|a~sua|seu|sua)~(?:nov[oa]~)?chefe~é~(?P<v>(?-i:[A-ZÁÉÍÓÚ]).+)
slot place: (?:mora|vive|reside|fica|está~(?:localizad[oa]|guardad[oa]))~(?:agora~)?(?:em|no|na|
    nos|nas)~(?P<v>.+)
slot place!: mudou-?~?se?(?:~d[eoa]~.+?)?~(?:para|pra|pro)~(?P<v>.+)
slot work: trabalha~(?:agora~)?(?:em|no|na|para)~(?P<v>.+)
slot role: trabalha~(?:agora~)?como~(?P<v>.+)
slot host: (?:roda|corre|funciona|está~alojad[oa])~(?:agora~)?(?:em|no|na)~(?P<v>.+)
slot use: (?:usa|utiliza)~(?P<v>.+?)~(?:para|como)~(?P<q>.+)
slot partner: (?:é|está)~casad[oa]~com~(?P<v>.+)
slot name: (?:chama-se|se~chama)~(?:agora~)?(?P<v>.+)
slot when: (?:é|será|começa)~(?:às?~|no~|na~|em~|dia~)(?P<v>.+)
slot when: (?:foi~)?(?:adiad|mudad|movid|antecipad)[oa]~(?:d[eoa]~.+?~)?para~(?:o~|a~|
    as~)?(?P<v>.+)
copula: é|são|está|será|fica
single: versão|porta|preço|custo|orçamento|prazo|data|limite|telefone|número|endereço|morada|
    e-?mail|senha|peso|altura|idade|temperatura|renda|aluguel|salário|chefe|responsável|
    aniversário|nome|título|cargo|favorit[oa]|principal|atual|padrão|fornecedor|estado|marido|
    mulher|esposa|hora
state: é|são|custa|dura|pesa|mede|tem|precisa|paga|ganha|começa|termina|abre|fecha|sai|chega
changed: (?:foi~|está~)?(?:sub|desc|aument|baix|mud|pass|adi|
    reduz)\w+(?P<was>~d[eoa]~.+?)?~(?:para|até)
event: era|eram|foi~(?!adiad)|comprou|visitou|conheceu|disse|ontem|passad[oa]|também|outr[oa]|
    consertou|instalou|tinha
has: tem|têm
several: gosta|adora|odeia|fala|joga|conhece
gone: já~não|não~mais|deixou|parou|vendeu|cancel\w+|desistiu|largou|separou
replaced: \b(?:substitu|troc)\w+\s+(?P<old>[^.;,]+?)\s+(?:por|pelo|pela)\s+(?P<new>[^.;,]+)
replaced: \b(?:mud\w+|pass\w+|migr\w+|
    volt\w+)\b[^.;]{0,20}?\bd[eoa]\s+(?P<old>[^.;,]+?)\s+(?:para|pra|pro)\s+(?P<new>[^.;,]+)
replaced: (?P<new>[^.;,]+?),?\s+(?:em\s+vez|ao\s+invés)\s+d[eoa]\s+(?P<old>[^.;,]+)
vague: algum\w*|outro~lugar|desconhecid[oa]|breve|nov[oa]|exterior
stop: desde|porque|com|e|mas|onde|quando|agora|em~vez
now: agora|atualmente|hoje|ainda|já|finalmente
newly: agora|atualmente|hoje~em~dia|nov[oa]
distant: deveriam?|v(?:ai|ão|ou)~(?:se~)?[a-zç]+(?:ar|er|ir)(?:-se)?|(?!será)(?-i:[a-zç]{2,}(?:ar|
    er|ir)(?:á|ão))|
    (?:no~)?próxim[oa]~(?:ano|mês|verão|outono|inverno)|(?:no~)?ano~que~vem|costumava\w*|
    antes(?!~d[eoa])|antigamente|em~criança|no~passado|(?:a~)?metade~d[oa]~(?:ano|mês|semana|
    tempo)|(?:uma~)?parte~d[oa]~(?:ano|mês|semana|tempo)|meio~ano|(?:aos|nos)~fins~de~semana|
    às~vezes|de~vez~em~quando
passing: temporari(?:amente|o|a)|provisori(?:amente|o|a)|provisóri[oa]|temporári[oa]|
    por~(?:enquanto|agora)|(?:só|apenas)~(?:hoje|amanhã|est[ae]|em|por|n[oa])(?!\w)|
    exce(?:p)?cionalmente|amanhã|esta~semana
sold: vendeu|ofereceu|doou
owns: tem|têm|possui|conduz|comprou
resumed: de~novo|novamente|voltou~a
""",
    "it": r"""
slot place!: si~è~(?:stabilit|sistemat)[oa]~(?:a|in)~(?P<v>(?-i:[A-Z]).+)
slot work: è~(?:impiegat[oa]|dipendente)~(?:presso|di|da|alla?)~(?P<v>(?-i:[A-Z]).+)
slot work: è~stat[oa]~assunt[oa]~(?:da|presso|alla?|in)~(?P<v>(?-i:[A-Z]).+)
slot work: ha~(?:iniziato|cominciato)~(?:a~lavorare~)?(?:per|presso|alla?|da|
    in)~(?P<v>(?-i:[A-Z]).+)
slot boss: (?:il~suo|la~sua)~(?:nuov[oa]~)?(?:capo|responsabile)~è~(?P<v>(?-i:[A-Z]).+)
slot place: (?:vive|abita|risiede|si~trova)~(?:ora~)?(?:a|in|nel|nella)~(?P<v>.+)
slot place!: si~è~(?:trasferit|spostat)[oa](?:~d[ai]~.+?)?~(?:a|in)~(?P<v>.+)
slot work: lavora~(?:ora~)?(?:per|presso|alla?|da)~(?P<v>.+)
slot role: lavora~(?:ora~)?come~(?P<v>.+)
slot host: (?:gira|funziona|è~ospitat[oa])~(?:ora~)?su~(?P<v>.+)
slot use: (?:usa|utilizza)~(?P<v>.+?)~(?:per|come)~(?P<q>.+)
slot partner: è~sposat[oa]~con~(?P<v>.+)
slot name: si~chiama~(?:ora~)?(?P<v>.+)
slot when: è~stat[oa]~(?:rinviat|spostat|anticipat)[oa]~(?:dal?~.+?~)?(?:al|a|alle)~(?P<v>.+)
copula: è|sono|sarà|è~ora
single: versione|porta|prezzo|costo|budget|scadenza|data|limite|telefono|numero|indirizzo|e-?mail|
    peso|altezza|età|temperatura|affitto|stipendio|capo|responsabile|compleanno|nome|titolo|ruolo|
    preferit[oa]|principale|attuale|predefinit[oa]|fornitore|stato|marito|moglie|ora
state: è|sono|costa|dura|pesa|misura|ha|serve|paga|guadagna|inizia|comincia|finisce|apre|chiude|
    parte|arriva
changed: (?:è~stat[oa]~|è~)?(?:aumentat|alzat|ridott|passat|portat|salit|sces|spostat|
    rinviat)[oa](?P<was>~dal?~.+?)?~(?:a|al|alle)
event: era|erano|comprato|visitato|incontrato|detto|ieri|scors[oa]|anche|altr[oa]|riparato|
    installato|aveva
has: ha|hanno
several: piac\w+|ama|odia|parla|gioca|conosce
gone: non~.{0,20}più|smesso|venduto|annullat[oa]|lasciato|rinunciato|abbandonato
replaced: \bsostitui\w+\s+(?P<old>[^.;,]+?)\s+con\s+(?P<new>[^.;,]+)
replaced: \b(?:pass\w+|cambi\w+|migr\w+|tornat\w+)\b[^.;]{0,20}?\bd(?:a|al|
    alla)\s+(?P<old>[^.;,]+?)\s+a(?:l|lla)?\s+(?P<new>[^.;,]+)
replaced: (?P<new>[^.;,]+?),?\s+(?:invece\s+d[ie]l?|al\s+posto\s+d[ie]l?)\s+(?P<old>[^.;,]+)
vague: qualche~parte|altrove|sconosciut[oa]|presto|nuov[oa]|estero
stop: da(?:l|lla)?|perché|con|e|ma|dove|quando|ora|adesso|invece
now: ora|adesso|attualmente|oggi|ancora|ormai|finalmente
newly: ora|adesso|ormai|attualmente|nuov[oa]
distant: dovrebb\w+|(?!sarà)(?-i:[a-z]{2,}rà)|(?:il|l['’])~?(?:anno|mese|autunno|inverno)~prossimo|
    l['’]estate~prossima|(?:sta|stanno)~per~\w+re|una~volta|in~passato|da~bambin[oa]|
    un~tempo|solev\w+|(?:la~)?metà~(?:dell['’]anno|del~mese|della~settimana|del~tempo)|
    (?:una~)?parte~(?:dell['’]anno|del~mese|della~settimana|del~tempo)|(?:nei|il|
    nel)~(?:fine~settimana|
    weekend)|a~volte|ogni~tanto|di~tanto~in~tanto
passing: temporane(?:amente|o|a)|provvisori(?:amente|o|a)|per~(?:ora|il~momento|adesso)|
    solo~(?:oggi|domani|quest[ao]|per|in)(?!\w)|eccezionalmente|domani|questa~settimana
sold: vendut[oa]|vendette|regalat[oa]
owns: ha|hanno|possiede|guida|comprato
resumed: di~nuovo|ha~ripreso~a
""",
    "nl": r"""
slot place!: heeft~zich~in~(?P<v>.+?)~gevestigd
slot place!: is~in~(?P<v>.+?)~(?:gaan~wonen|neergestreken)
slot work: is~(?:nu~)?(?:in~dienst~(?:bij|van)~(?P<v>.+)|(?:bij|door)~(?P<v2>.+?)~(?:aangenomen|
    in~dienst))
slot work: is~bij~(?P<v>.+?)~begonnen
slot work: is~(?:aangenomen|begonnen|in~dienst)~(?:bij|door)~(?P<v>.+)
slot boss: (?:haar|zijn|hun)~(?:nieuwe~)?(?:baas|chef|leidinggevende|
    manager)~is~(?P<v>(?-i:[A-Z]).+)
slot place: (?:woont|leeft|staat|ligt|bevindt~zich)~(?:nu~)?(?:in|op|bij)~(?P<v>.+)
slot place!: is~(?:van~.+?~)?naar~(?P<v>.+?)~verhuisd
slot work: werkt~(?:nu~)?(?:bij|voor)~(?P<v>.+)
slot role: werkt~(?:nu~)?als~(?P<v>.+)
slot boss: rapporteert~aan~(?P<v>.+)
slot host: draait~(?:nu~)?op~(?P<v>.+)
slot use: gebruikt~(?P<v>.+?)~(?:voor|als)~(?P<q>.+)
slot partner: is~(?:getrouwd~met~(?P<v>.+)|met~(?P<v2>.+?)~getrouwd)
slot name: heet~(?:nu~)?(?P<v>.+)
slot when: (?:is|wordt|werd)~(?:verplaatst|verschoven|uitgesteld|verzet)~(?:van~.+?~)?(?:naar|
    tot)~(?P<v>.+)
slot when: (?:is|wordt)~(?:van~.+?~)?(?:naar|tot)~(?P<v>.+?)~(?:verplaatst|verschoven|uitgesteld|
    verzet)
copula: is|zijn|bedraagt|is~nu|wordt
single: versie|poort|prijs|kosten|budget|deadline|datum|limiet|telefoonnummer|nummer|adres|
    e-?mail(?:adres)?|gewicht|lengte|leeftijd|temperatuur|huur|salaris|baas|leider|verjaardag|
    naam|titel|functie|favoriete?|lievelings\w+|standaard\w*|huidige|leverancier|status|partner|
    man|vrouw|tijd
state: is|zijn|kost|duurt|weegt|meet|heeft|betaalt|verdient|begint|eindigt|opent|sluit|vertrekt|
    bedraagt
changed: (?:is|werd|wordt)~(?P<was>van~.+?~)?naar
event: was|waren|kocht|gekocht|bezocht|ontmoette|zei|gisteren|vorige|ook|ander\w*|nog~een|
    gerepareerd|geïnstalleerd|had
has: heeft|hebben
several: houdt|haat|spreekt|speelt|kent|bezit
gone: niet~meer|geen\b.{0,20}\bmeer|gestopt|opgegeven|verkocht|afgezegd|geannuleerd|ontslag|
    verlaten|geschrapt
replaced: \b(?P<old>[^.;,]+?)\s+(?:door|voor)\s+(?P<new>[^.;,]+?)\s+(?:vervangen|ingeruild)
replaced: \bvan\s+(?P<old>[^.;,]+?)\s+(?:naar|op)\s+(?P<new>[^.;,]+?)\s+(?:overgestapt|gewisseld|
    verhuisd|overgeschakeld|gemigreerd|verplaatst)
replaced: (?P<new>[^.;,]+?),?\s+in\s+plaats\s+van\s+(?P<old>[^.;,]+)
vague: ergens|elders|onbekend|binnenkort|nieuwe?|buitenland
stop: sinds|omdat|met|en|maar|waar|als|nu|in~plaats~van
now: nu|tegenwoordig|momenteel|vandaag|nog|intussen
newly: nu|tegenwoordig|inmiddels|voortaan|nieuwe?
distant: zou|zouden|ga(?:at|an)(?=\b[^.;,]*\b\w{3,}en\b)|zal|zullen|volgend(?:e)?~(?:jaar|maand|
    voorjaar|
    zomer|najaar|winter)|binnenkort|vroeger|destijds|ooit|als~kind|in~het~verleden|
    (?:de~)?helft~van~(?:het|de)~(?:jaar|maand|week|tijd)|een~deel~van~(?:het|de)~(?:jaar|maand|
    week|tijd)|het~halve~jaar|in~(?:het~)?weekend(?:en)?|soms|af~en~toe|om~de~week
passing: tijdelijke?|voorlopig|alleen~(?:vandaag|morgen|deze|in|op|voor)(?!\w)|bij~uitzondering|
    voor~even|morgen(?=~om)|deze~week
sold: verkocht|weggegeven|weggedaan
owns: heeft|hebben|bezit|rijdt|gekocht
resumed: weer|opnieuw
""",
}

WIDE = word_set(
    "portugal spain españa espagne espanha spagna spanje spanien france frankreich francia frança "
    "frankrijk germany deutschland alemania allemagne alemanha germania duitsland austria "
    "österreich autriche áustria oostenrijk switzerland schweiz suiza suisse suíça svizzera "
    "zwitserland italy italien italia italie itália italië netherlands holland niederlande "
    "holanda hollande nederland belgium belgien bélgica belgique belgio belgië luxembourg "
    "luxemburg ireland irland irlanda irlande ierland england inglaterra angleterre inghilterra "
    "engeland scotland schottland escocia écosse escócia scozia schotland wales britain "
    "großbritannien uk denmark dänemark dinamarca danemark danimarca denemarken norway norwegen "
    "noruega norvège norvegia noorwegen sweden schweden suecia suède suécia svezia zweden finland "
    "finnland finlandia finlande finlândia iceland island islandia islande islanda ijsland poland "
    "polen polonia pologne polônia polónia czechia tschechien chequia tchéquie cechia tsjechië "
    "slovakia slowakei eslovaquia slovaquie slovacchia slowakije slovenia slowenien eslovenia "
    "slovénie slovenië hungary ungarn hungría hongrie hungria ungheria hongarije croatia kroatien "
    "croacia croatie croácia croazia kroatië serbia serbien serbie servië romania rumänien "
    "rumania roumanie romênia roménia roemenië bulgaria bulgarien bulgarie bulgária bulgarije "
    "greece griechenland grecia grèce grécia griekenland turkey türkei turquía turquie turquia "
    "turchia turkije ukraine ucrania ucrânia ucraina oekraïne russia russland rusia russie rússia "
    "rusland estonia estland latvia lettland lithuania litauen canada kanada canadá usa us eeuu "
    "brazil brasilien brasil brésil brasile brazilië argentina argentinien argentine argentinië "
    "chile peru colombia kolumbien japan japón japon japão giappone china chine cina india indien "
    "inde índia korea corea corée australia australien australie austrália australië morocco "
    "marokko marruecos maroc marrocos marocco egypt ägypten egipto égypte egito egitto egypte "
    "israel kenya kenia nigeria thailand thailandia vietnam indonesia philippines malta cyprus "
    "zypern europe europa asia asien asie ásia azië africa afrika áfrica afrique américa america "
    "amerika scandinavia skandinavien bavaria bayern baviera bavière beieren tyrol tirol styria "
    "steiermark saxony sachsen hessen tuscany toskana toscana toscane lombardy lombardia "
    "lombardei piedmont piemonte sicily sizilien sicilia sardinia sardinien sardegna catalonia "
    "katalonien cataluña catalunya catalogne andalusia andalucía andalusien galicia asturias "
    "normandy normandie brittany bretagne provence alsace elsass burgundy bourgogne algarve "
    "alentejo madeira azores flanders flandern vlaanderen wallonia wallonie friesland zeeland "
    "limburg brabant cornwall devon kent yorkshire ulster california united states kingdom "
    "vereinigte staaten königreich estados unidos reino unido états unis royaume uni stati uniti "
    "regno unito verenigde staten verenigd koninkrijk new zealand neuseeland north south "
    "kalifornien texas florida oregon ontario"
)
"""Countries and regions: who lives in one may well live in a town in it."""
