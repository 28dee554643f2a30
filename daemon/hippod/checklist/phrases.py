"""What in a checklist is said to the agent and asks for nothing: how to reply, when to be quiet.

The patterns are narrow on purpose: a sentence that none of them knows is an item, since one item
too many is shown as not judged, but one too few is lost.
"""

import re

_LOOKED_AT = 300
"""Characters of a sentence that decide what it is."""


def is_instruction(sentence: str) -> bool:
    """Say whether a sentence only tells how to reply, or what this list is."""
    text = _plain(sentence)
    return any(pattern.search(text) for pattern in (_REPLY, _MANNERS, _INTRODUCTION))


def is_placeholder(text: str) -> bool:
    """Say whether a line only holds the place of items: "None", "Nothing right now", "TBD"."""
    return _PLACEHOLDER.fullmatch(_plain(text).strip("()[]{}<>-–—… ")) is not None


def is_a_question(sentence: str) -> bool:
    """Say whether a sentence asks, with a question mark or by how it begins."""
    text = _plain(sentence)
    return text.endswith(("?", "？")) or _ASKS.match(text) is not None


def promises_word(text: str) -> bool:
    """Say whether a half of a sentence names one thing to tell of: "tell me if it rains"."""
    plain = _plain(text)
    return _TELL_OF.match(plain) is not None and not _GENERAL_NEED.search(plain)


def tells_when_to_speak(heading: str) -> bool:
    """Say whether what stands under this heading or lead-in is about replies, not things to do."""
    return _REPLY_HEADING.search(_plain(heading)) is not None


def asks_for_quiet(sentence: str) -> bool:
    """Say whether a sentence or heading is about the hours in which to be left alone."""
    text = _plain(sentence)
    return not text.endswith("?") and _QUIET.search(text) is not None


def allows_only(sentence: str) -> bool:
    """Say whether the hours that a sentence names are those in which it may be spoken."""
    text = _plain(sentence)
    return not text.endswith("?") and _ONLY_WITHIN.search(text) is not None


def offers_work(heading: str) -> bool:
    """Say whether a heading offers work that nobody has to be asked about."""
    return _PROACTIVE.search(_plain(heading)) is not None


def is_of_the_done(heading: str) -> bool:
    """Say whether a heading stands over what was done already."""
    return _DONE.fullmatch(_plain(heading)) is not None


def looks_like_a_command(text: str) -> bool:
    """Say whether a line is, or begins with, something that a shell would run."""
    return _COMMAND.search(text[:_LOOKED_AT].strip()) is not None


def is_work(text: str) -> bool:
    """Say whether it is asked to make or send something, which nobody can find in a memory."""
    return _WORK.search(_plain(text)) is not None


def own_work(text: str) -> str:
    """Return `reflect`, `hygiene` or `reconcile` if that is all the work described, else
    nothing."""
    plain = _plain(text)
    if _FOREIGN.search(plain):
        return ""
    return next((name for name, pattern in _OWN_WORK if pattern.search(plain)), "")


def _plain(text: str) -> str:
    """Return the beginning without emphasis, quotes and code marks, single-spaced."""
    return " ".join(_DECORATION.sub("", text[:_LOOKED_AT]).replace("’", "'").split()).strip(" .!:")


_DECORATION = re.compile(r"[*`\"“”„‚‘«»]+|(?<!\w)_+|_+(?!\w)")


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_NOTHING = (
    r"(?:(?:there\s+is|there's|you\s+(?:have|find)|if)\s+)?(?:nothing|no\s+(?:new\s+)?(?:alerts?|news|"
    r"changes?|items?|issues?|action|attention|update)|none|not\s+anything|all\s+(?:is\s+|are\s+)?"
    r"(?:clear|good|fine|well|ok|okay|quiet|done|normal)|everything|it'?s\s+all)"
)
_NICHTS = r"(?:es\s+)?(?:nichts|keine[rns]?|alles|gibt\s+es\s+(?:nichts|keine))"
_NADA = (
    r"(?:no\s+hay\s+nad|nada|todo|ningun|rien|(?:il\s+)?n'y\s+a\s+rien|tout|aucun|"
    r"não\s+há\s+nada|tudo)"
)
_TOKEN = r"HEARTBEAT_?\s?OK|NO_REPLY"
_REPLY = _any(
    # "If nothing needs attention, reply HEARTBEAT_OK", "stay silent", "you may end here"
    rf"^(?:otherwise|else|and|but|so)?,?\s*(?:if|when|unless|should)\s+{_NOTHING}\b.*(?:{_TOKEN}|\b"
    r"(?:reply|respond|answer|say|stay|remain|keep|be|do|send|report|stop|skip|end|message|return)\b)",
    rf"^(?:wenn|falls|sollte|gibt\s+es|ist)\s+{_NICHTS}\b.*(?:{_TOKEN}|\b(?:antwort\w*|schweig\w*|sag\w*|"
    r"melde\w*|bleib\w*|still|ruhig|tu|mach|schick\w*|schreib\w*)\b)",
    rf"^(?:si|se|quand|cuando|quando|s'il)\s*{_NADA}.*(?:{_TOKEN}|\b(?:respond\w*|répond\w*|contest\w*|"
    r"diga|dis|di|silenc\w*|rest\w*)\b)",
    rf"(?:没有|沒有|无).{{0,20}}(?:{_TOKEN})|(?:なければ|ない場合).{{0,20}}(?:{_TOKEN})",
    # "Reply HEARTBEAT_OK if nothing needs attention", "Otherwise: HEARTBEAT_OK"
    r"^(?:please\s+|just\s+|only\s+|then\s+)*(?:reply|respond|answer|return|say|output|post|send|antworte|"
    r"antworten|schreibe?|sag|sende|responde|contesta|réponds|répondez|responda)\b"
    rf"(?:(?!\band\s+(?!nothing)).){{0,40}}(?:{_TOKEN})",
    rf"^(?:otherwise|else|sonst|ansonsten|andernfalls|sinon|senão|si\s+no)\b\W*(?:\w+\s+){{0,4}}(?:{_TOKEN})",
    rf"^(?:{_TOKEN})\b",
)
_MANNERS = _any(
    # how, and how often, to speak
    r"^(?:be|stay|keep)\s+(?:(?:it|them|this|replies|responses|answers|messages|alerts|reports|your\s+"
    r"(?:replies|messages|alerts|answers))\s+)?(?:\w+\s+and\s+)?(?:brief|short|concise|terse|tight|small|"
    r"actionable|silent|quiet)\b",
    r"^(?:please\s+)?(?:do\s+not|don'?t|never)\s+(?:message|ping|notify|disturb|reply|respond|repeat|infer|"
    r"report|alert|bother|wake|interrupt|spam|nag|tell\s+me|send\s+(?:me\s+)?(?:anything|a\s+message|"
    r"messages|updates))\b",
    r"^(?:please\s+)?(?:only|just)\s+(?:message|ping|notify|alert|report|tell|reply|respond|speak|contact|"
    r"reach\s+out|disturb|interrupt|write|wake)\b",
    r"^(?:please\s+)?(?:report|tell|notify|message|alert|ping|let)\s+(?:me|us|the\s+user|your\s+human)?\s*"
    r"(?:know\s+)?(?:only\s+)?(?:about\s+)?(?:if|when|anything|whatever|what)?\s*(?:something|anything|it|"
    r"noteworthy|there\s+is\s+something)?\s*(?:that\s+)?(?:really\s+|genuinely\s+)?(?:is\s+|needs?\s+)?"
    r"(?:my\s+|your\s+|user\s+)?(?:attention|urgent|important|noteworthy|wrong)$",
    r"^(?:no|keine)\s+(?:notifications?|alerts?|pings?|messages?|benachrichtigung\w*|nachrichten|meldungen)\b",
    r"^(?:note|nb|n\.b|hint|fyi|remark|context|hinweis|anmerkung|nota|remarque)\s*:",
    r"^(?:halte?|fasse?)\s+(?:dich|es|die\s+antworten?|antworten|nachrichten)\s+(?:\w+\s+)?kurz\b",
    r"^(?:melde?\s+dich|schreibe?(?:\s+mir)?|sag\s+mir|benachrichtige?\s+mich)\s+(?:bitte\s+)?nur\b",
    r"^(?:bitte\s+)?(?:wiederhole?|erfinde?)\s+(?:nichts|keine)\b",
    r"^(?:störe?|wecke?|nerve?)\s+(?:mich|uns)\s+(?:\w+\s+){0,4}nicht\b",
)
_PLACEHOLDER = _any(
    r"(?:there\s+is\s+)?(?:nothing|none|nil|nada|nichts|rien|ninguno|niente|keine?[rs]?)(?:\s+(?:here|yet|right\s+now|now|for\s+now|so\s+far|"
    r"to\s+(?:do|check|see|report)|at\s+the\s+moment|currently|today|zu\s+tun|gerade|derzeit|aktuell|im\s+moment|por\s+ahora|"
    r"pour\s+l'instant))*",
    r"(?:currently\s+|derzeit\s+|aktuell\s+)?(?:there\s+are\s+)?(?:no|keine)\s+(?:(?:open|current|active|pending|more|offenen|aktuellen|weiteren)\s+)?"
    r"(?:items?|tasks?|checks?|reminders?|to-?dos?|entries|points|aufgaben|punkte|einträge|erinnerungen)"
    r"(?:\s+(?:here|yet|right\s+now|now|for\s+now|so\s+far|at\s+the\s+moment|currently|today|vorhanden|gerade|derzeit))*",
    r"n/?\.?a\.?|n\.a|tb[dac]|to\s+be\s+(?:decided|done|defined|added|filled(?:\s+in)?)|to-?do|empty|leer|vacío|vide|vazio|placeholder|"
    r"k\.?\s?a\.?|lorem\s+ipsum.*|x{2,}|add\s+(?:items?|tasks?|checks?)\s+here|your\s+(?:items?|tasks?|checks?)\s+here",
)
_ASKS = _any(
    r"(?:any|are|is|does|do|did|has|have|what|which|who|whose|when|where|gibt\s+es|ist|sind|steht|hat|haben|läuft|wer|was|welche\w*|"
    r"hay|está|y\s+a-t-il|est-ce)\b"
)
_TELL_OF = _any(
    r"(?:please\s+|do\s+)?(?:tell|notify|alert|warn|message|ping|wake)\s+me\s+(?:if|when|about)\s+\w",
    r"(?:bitte\s+)?(?:sag\w*|weck\w*|warn\w*|benachrichtig\w*|meld\w*)\s+(?:mir|mich|dich)\W*\s*(?:wenn|falls|ob)\s+\w",
)
_GENERAL_NEED = _any(
    r"\b(?:urgent\w*|important|emergenc\w+|attention|critical|wrong|something|anything|dringend\w*|wichtig\w*|notf\w+|etwas|brennt)\b"
)
_LIST = (
    r"(?:check-?list|list|items?|tasks?|points?|things?|steps?|checks?|sections?|file|following|below|"
    r"heartbeat(?:\.md)?)"
)
_LISTE = r"(?:check)?liste|punkte|aufgaben|dinge|folgende[sn]?|datei"
_OFTEN = (
    r"(?:(?:once|twice|(?:a\s+few|a\s+couple\s+of|several|two|three|four|\d+)\s+times)\s+(?:a|per|each|every)\s+"
    r"(?:day|hour|week)|every\s+(?:day|hour|morning|evening|few\s+hours)|daily|hourly)"
)
_INTRODUCTION = _any(
    rf"^(?:this|here|these|below|the\s+following)\s+(?:file\s+|list\s+)?(?:is|are|runs?)\s+(?:\w+\s+){{0,5}}{_LIST}\b",
    r"^you\s+are\b(?!.*\?)|^(?:please\s+)?(?:first\s+)?read\s+[\w./-]+\.md\b(?:\s+(?:first|again|if\s+it\s+exists|\(.*\)))?$",
    r"^(?:please\s+)?(?:check|do|see|go\s+through|work\s+through|look\s+at|run)\s+(?:these|this|those|them|all\s+of\s+(?:these|them))"
    rf"(?:\s+(?:each|every)\s+\w+|\s+{_OFTEN}|\s+in\s+order)?$",
    r"^(?:hi|hello|hey|hallo|servus|moin|hola|bonjour|good\s+morning|guten\s+morgen|thanks?|thank\s+you|danke|vielen\s+dank|gracias|merci|"
    r"cheers)\b[^?:]{0,30}$",
    r"^customi[sz]e\b.{0,30}\bneeds$|^default\s+to\b.{0,30}\b(?:quiet|silen\w+)$",
    r"^(?:you\s+(?:receive|get)\s+this\b|the\s+heartbeat(?:'s)?\s+(?:job|purpose|is|runs)\b)",
    r"^this\s+(?:is\s+just\s+a\s+template|file\s+(?:is|runs|tells|lists|controls|gets))\b",
    r"^(?:(?:on|at|for|with|in|during)?\s*(?:each|every)\s+(?:[\w-]+[\s,]+){1,4}|when\s+[^,]{1,60}"
    r"|periodically|regularly)?,?\s*"
    rf"(?:please\s+)?(?:run|go|work|walk|look|read|step|follow|check|review|do|use)\s+(?:through\s+|over\s+|down\s+|at\s+)?"
    rf"(?:this|the|these|those|each\s+of|all\s+of|all|every|everything)\s*(?:\w+\s+){{0,2}}{_LIST}"
    r"(?:(?:\s+(?:below|above|here|one\s+by\s+one|strictly|in\s+order|"
    r"(?:on|at|for|with)\s+(?:each|every)\s+(?:\w+\s*){1,3}|and\s+report\s+(?:\w+\s*){1,5}"
    rf"|{_OFTEN}))*)$",
    rf"^(?:add|put|write|list|place)\s+(?:\w+\s+){{0,3}}{_LIST}\s+(?:below|here|when)\b",
    r"^keep\s+(?:this|it|the\s+file|heartbeat\.md)(?:\s+\w+){0,2}\s+(?:empty|short|small|tiny|light|under)\b",
    r"^(?:this\s+file|delete\s+this|update\s+this\s+file|edit\s+this\s+file)\b.*(?:file|checks?|line|emerge)?",
    rf"^(?:das|dies|hier)\s+(?:ist|sind|steht|stehen)\s+(?:\w+\s+){{0,3}}(?:{_LISTE})",
    r"^(?:bitte\s+)?(?:bei\s+jedem\s+\w+\s*,?\s*)?(?:geh|gehe|arbeite|prüfe?|schau|schaue|sieh)\s+(?:bitte\s+)?"
    r"(?:(?:bei\s+jedem|jedes)\s+\w+\s+)?"
    rf"(?:diese[rn]?|die|der|alle|folgende)\s+(?:\w+\s+){{0,2}}(?:{_LISTE})(?:\s+(?:durch|ab|an|prüfen))?$",
    r"^(?:esta|ésta|aquí|voici|ceci|esta|cette)\s+(?:\w+\s+){0,4}(?:lista|liste)\b",
)
_REPLY_HEADING = _any(
    r"^(?:when|how|if)\s+(?:and\s+how\s+)?(?:to|you)?\s*(?:\w+\s+)?(?:reach\s+out|speak|ping|alert|notify|report|"
    r"message|reply|respond|answer|check\s+in|stay\s+(?:quiet|silent)|be\s+quiet|escalate|interrupt|speak\s+up)\b",
    r"^(?:do\s+|don'?t\s+|do\s+not\s+|only\s+|never\s+)*(?:reach\s+out|speak|ping|alert|notify|report|message|reply|"
    r"interrupt|disturb|stay\s+(?:quiet|silent)|be\s+quiet)(?:\s+\w+){0,3}\s*(?:when|if|during|only)\b",
    r"^(?:\w+\s+)?(?:reply|response|report(?:ing)?|output|message|alert|notification)s?\s+(?:rules?|format|style|"
    r"guidelines?|template|policy)$",
    r"^(?:response|reply|output|format|if\s+nothing\b.*)$",
    r"^(?:wann|wie)\s+(?:\w+\s+)?(?:melden|antworten|schreiben|stören|schweigen|still)\b",
    r"^(?:antwort(?:format|regeln)?|(?:melde-?|ausgabe)regeln|ausgabe(?:format)?)$",
)
_QUIET = _any(
    r"\b(?:quiet|silent|silence|do\s+not\s+disturb|dnd)\b",
    r"\b(?:do\s+not|don'?t|never|no)\s+(?:disturb|ping|message|messages|notify|notifications|bother|wake|alert|"
    r"alerts|pings|noise|interrupt|write|contact)\b",
    r"^(?:late\s+)?(?:nights?|night\s*time|sleep(?:ing)?(?:\s+hours)?)(?=\W*(?:$|\d|\(|from\b|between\b|hours\b|time\b))",
    r"\b(?:ruhe(?:zeit|zeiten|stunden)?|nachtruhe|ruhig|leise|schweig\w*|nicht\s+stören|keine\s+(?:nachrichten|"
    r"meldungen|störung\w*))\b|\bstöre?\s+(?:mich|uns)\s+(?:\w+\s+){0,6}?nicht\b|\bbleibe?\s+(?:\w+\s+){0,4}?still\b|^still\b",
    r"\b(?:silencio|no\s+molest\w+|callad[oa]|ne\s+(?:me\s+)?dérange\w*|ne\s+pas\s+déranger|silence|silencieux|"
    r"calme|silêncio|não\s+(?:me\s+)?(?:perturb\w+|incomod\w+))\b",
    r"安静|不要打扰|勿扰|静か|邪魔しない|通知しない",
)
_ONLY_WITHIN = _any(
    r"^(?:please\s+)?only\s+(?:message|ping|notify|alert|report|tell|reply|speak|contact|reach\s+out|disturb|"
    r"write|run|work|be\s+active)\b",
    r"^(?:active|working|waking)\s+hours\b",
    r"^(?:aktive\s+(?:zeit|stunden)|wachzeit\w*)\b|^(?:melde?\s+dich|schreibe?|störe?)\s+(?:mich\s+|mir\s+)?nur\b",
)
_PROACTIVE = _any(
    r"\bpro-?active\s+(?:\w+\s+)?(?:work|tasks?|maintenance|chores)\b|^pro-?active(?:ly)?$",
    r"\b(?:no|without)\s+(?:asking|permission|approval|confirmation)\b|\bbackground\s+(?:work|tasks?)\b",
    r"\bproaktiv\w*|\bohne\s+(?:zu\s+fragen|(?:rück|nach)frage\w*|erlaubnis|freigabe)\b|\bhintergrundarbeit\w*",
    r"\b(?:trabajo|tareas?)\s+proactiv|\btravail\s+proactif|\btrabalho\s+proativo|\bsin\s+(?:pedir\s+)?permiso\b|"
    r"\bsans\s+(?:demander|permission)\b|\bsem\s+(?:pedir\s+)?permissão\b",
)
_DONE = _any(
    r"(?:✅\s*)?(?:done|completed|finished|closed|archived?(?:\s+items)?|resolved|erledigt(?:es)?|fertig|"
    r"abgeschlossen|hecho|terminado|terminé|fait|feito|concluído|已完成|完了)(?:\s+(?:items|tasks|today))?"
)
_COMMAND = _any(
    r"^(?:run|exec|execute|cmd|command|shell|bash|sh|script|cron|eval)\s*:",
    r"(?:^|:\s*)`*(?:\.{1,2}|~)?/[\w.]|^`*\s*[$#%>]\s?\S|^`[^`]+`$|\$\(|&&|\|\s*(?:sh|bash|xargs|grep|tee)\b|;\s*(?:rm|curl|wget|sudo)\b",
    r"^`*(?:sudo|rm|curl|wget|chmod|chown|kill|dd|mkfs|bash|sh|python3?|node|npm|npx|pip|docker|kubectl|ssh|scp|"
    r"systemctl|git)\s+[-\w./]",
)
_WORK = _any(
    r"^(?:(?:if|when(?:ever)?|on|every|each)\b[^,?]{2,80},\s*(?:then\s+)?)?(?:please\s+|then\s+)?"
    r"(?:draft|write|reply\s+to|answer|post|publish|commit|push|organi[sz]e|consolidate|summari[sz]e|archive|clean\s+up|tidy|back\s+up|"
    r"prepare|create|generate|ask|do\s+an?|update|deploy|order|book|pay|move|sort|translate|refactor|send)\s+(?!me\b|us\b)\w",
    r"^(?:bitte\s+)?(?:schreibe?|entwirf|antworte|beantworte|veröffentliche?|ordne|sortiere|erstelle?|aktualisiere?|fasse?|bestelle?|buche?|"
    r"bezahle?|überweise?|archiviere?|räume?)\s+(?!mir\b|uns\b)\w",
)
_FOREIGN = _any(
    r"\b(?:git|commit|push|pull|branch|merge|deploy|code|repo\w*|pr|prs|e-?mails?|mails?|inbox|calendar|slack|"
    r"project\w*|docs|documentation|readme|website|photos?|downloads?|desktop|invoices?|contacts?|"
    r"kalender|projekt\w*|dokumentation|rechnung\w*|fotos?|send|post|publish)\b"
)
_OWN_WORK = (
    (
        "reconcile",
        _any(
            r"\bre-?index\w*|\breconcil\w+|\b(?:rebuild|refresh|update|sync)\w*\s+(?:\w+\s+){0,2}(?:search\s+)?index\b",
            r"\b(?:neu\s+)?indexier\w*|\bindex\s+(?:\w+\s+){0,2}(?:aufbauen|auffrischen|aktualisieren|erneuern)",
        ),
    ),
    (
        "hygiene",
        _any(
            r"\bhygiene\b|\b(?:de-?dup\w*|remov\w+\s+(?:near-?)?duplicates?)\b",
            r"\b(?:tidy|tidying|clean|cleaning|prune|pruning|archiv\w+|compact\w*|rotat\w+|housekeep\w*)\b(?:\s+up)?"
            r"(?:\s+[\w-]+){0,4}?\s+(?:logs?|notes|entries|archive|memory|memories|index)\b",
            r"\b(?:log\w*|tagesnotizen|tagebuch|tageslogs?|notizen|speicher|gedächtnis|archiv)\b(?:\s+\w+){0,4}?\s+"
            r"(?:aufräumen|archivieren|bereinigen|ausdünnen)\b|\b(?:räume?|archiviere?|bereinige?)\s+(?:\w+\s+){0,4}?"
            r"(?:\w*logs?|tagesnotizen|notizen|gedächtnis|archiv)\b",
        ),
    ),
    (
        "reflect",
        _any(
            r"^(?:please\s+)?(?:reflect|reflections?|reflektier\w*)\b|\brun\s+(?:a\s+|the\s+)?reflection\b",
            r"\b(?:organi[sz]\w+|updat\w+|maintain\w*|curat\w+|consolidat\w+|distil\w*|summari[sz]\w+|review\w*|"
            r"groom\w*|sort\w*)\b(?:\s+[\w-]+){0,6}?\s+(?:memory(?:\.md)?|memories|bank|pages|facts|opinions|entities)\b",
            r"\b(?:erinnerungen|gedächtnis|memory(?:\.md)?|seiten|fakten|meinungen)\b(?:\s+\w+){0,4}?\s+(?:ordnen|pflegen|"
            r"aktualisieren|überarbeiten|sortieren|zusammenfassen)\b|\b(?:ordne|pflege|aktualisiere|überarbeite|sortiere)\s+"
            r"(?:\w+\s+){0,4}?(?:erinnerungen|gedächtnis|memory(?:\.md)?|seiten|fakten|meinungen)\b",
        ),
    ),
)
