"""What of a turn its speaker states: sentences, without what was pasted, quoted or injected."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hippod.extraction import foreign

LONGEST = 220
"""Characters of a fact; longer sentences are cut at independent clauses."""
TOO_LONG = 600
"""Characters above which a sentence is not looked at: nothing in it could be stored whole."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence of a turn; `skipped` says why it is not the speaker's own statement."""

    text: str
    skipped: str | None = None


def pieces(text: str, *, speaker: str = "", agent: str = "") -> list[Piece]:
    """Split a turn into sentences, in order; any text is safe.

    `speaker` and `agent` tell a letter to the speaker, or one that somebody else signed, from
    what the speaker writes to the agent; without a speaker only mail headers tell it.

    Once a line tries to instruct a model, nothing behind it in the turn is trusted; what
    stands behind the announcement of a page, mail or link is its text, and not the speaker's.
    """
    found: list[Piece] = []
    outside = False
    for line, reason in _lines(text, speaker, agent):
        if reason or outside:
            found.append(Piece(line, reason or foreign.FOREIGN))
            continue
        parts = list(split(line))
        for position, sentence in enumerate(parts):
            too_long = "too long" if len(sentence) > TOO_LONG else None
            reason = foreign.FOREIGN if outside else too_long or foreign.fault(sentence)
            found.append(Piece(sentence, reason))
            if reason in foreign.ENDS_TRUST:
                return found
            ends_line = position == len(parts) - 1
            outside = outside or foreign.announces(sentence, ends_line=ends_line)
    return found


def split(line: str) -> Iterator[str]:
    """Split one line into sentences: at `.!?…` before a space, and at full-width stops."""
    start = 0
    for match in _STOP.finditer(line):
        if match.end() < len(line) and not _ends_sentence(line, match):
            continue
        yield from _clauses(line[start : match.end()].strip())
        start = match.end()
    yield from _clauses(line[start:].strip())


# --- lines -----------------------------------------------------------------------------------

_FENCE = re.compile(r"^\s{0,3}(`{3,}|~{3,})")
_LIST_MARK = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+")
_BREAKS = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_LEAD_IN = re.compile(
    r"(?<!my )(?<!our )\b(?:says?|said|reads|wrote|writes|states?|replied|pasted?|forwarded|"
    r"copied|excerpt|snippet|output|logs?|stack\s?trace|traceback|messages?|e-?mails?|mails?|"
    r"article|page|website|readme|docs?|document|post|tweet|ticket|comment|transcript|prompt|"
    r"letter|text|schreibt|schrieb|geschrieben|sagt|sagte|meinte|steht|lautet|nachricht|dice|dijo|"
    r"pone|escribe|escribió|escrito|mensaje|correo|dit|écrit|diz|disse|escreveu|mensagem|(?:got|"
    r"received|found|saw|read|check|look\s+at|"
    r"see)\s+(?:this|these|that))\b"
    r"[^.:\n]{0,60}:\s*$|(?:说|說|写道|寫道|写着|回复|言いました|言った|書いてあ\w*|"
    r"書きました)[^。]{0,8}[:：]\s*$",
    re.IGNORECASE,
)
_MACHINE_LINE = re.compile(
    r"^\s*(?:[$#>%]\s|>>>|\||at\s+[\w.$<>]+[(\s]|File\s+\"|Traceback|"
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d|(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|"
    r"TRACE|FAILED|PASSED)\b|\w*(?:Error|Exception|Panic)\b:|panic:|thread '|(?:Subject|From|To|"
    r"Sent|Cc|Betreff|Von|"
    r"Asunto|Objet|Assunto):\s|diff --git|@@|\+\+\+|---|#include|"
    r"import\s+(?:[\w.*{}, ]+(?:\s+from\s+[\"']|;)|[\w.]+(?:\s+as\s+\w+)?$)|"
    r"from\s+[\w.]+\s+import\s|(?:const|let|var)\s+[\w{\[, }\]]+\s*=|return\s.*;|def\s+\w+\(|"
    r"class\s+\w+\s*[:({]|function\s+\w*\(|(?:public|private|static)\s+(?:static|void|class|"
    r"final|int)\s|<[a-z!/]|\{|\}|\]|//|/\*|(?:sudo\s+)?[a-z][\w.-]*\s+--?[A-Za-z]|(?:git|npm|"
    r"docker|kubectl|pip|cargo|systemctl|ls|cd)\b(?:\s+[\w./-]+){0,3}$|SELECT\s|INSERT\s|"
    r"[\w.-]+\s*=\s*\S+$)|[{};]\s*$"
)
_RETAIN_LINE = re.compile(r"^\s*(?:[-*+]\s*)?[WBOS]\s*(?:\(\s*c\s*=|@)|^\s{0,3}#{1,6}\s")
_LONG_PASTE = 12
"""Lines in a row that nobody types into a chat."""


def _lines(text: str, speaker: str, agent: str) -> Iterator[tuple[str, str | None]]:
    """Yield each line with the reason to skip it, or None."""
    fence: str | None = None
    pasted = False
    lines = _BREAKS.split(text)
    if sum(bool(_MACHINE_LINE.search(line)) for line in lines) > _LONG_PASTE:
        lines = [line for line in lines if not _MACHINE_LINE.search(line)]
    letters = _letters(lines) | _whole_letter(lines, speaker, agent) | _chat_log(lines)
    for position, line in enumerate(lines):
        mark = _FENCE.match(line)
        if fence is not None:
            if mark and mark[1][0] == fence and not line.strip(f" {fence}"):
                fence = None
            continue
        if mark:
            fence = mark[1][0]
            continue
        stripped = line.strip()
        if not stripped:
            continue
        if pasted or position in letters:
            yield stripped, "pasted"
        elif stripped.startswith((">", "＞")):
            yield stripped, "quoted"
        elif _RETAIN_LINE.search(line):
            yield stripped, "memory format"
        elif _MACHINE_LINE.search(line) or _mostly_signs(stripped):
            yield stripped, "machine text"
        elif _LEAD_IN.search(stripped) or _shouts(stripped):
            pasted = True
            yield stripped, "quotes something"
        else:
            yield _LIST_MARK.sub("", stripped), None


def _letters(lines: list[str]) -> set[int]:
    """Return the lines of letters that stand under what somebody writes about them.

    One begins with a salutation or a mail header below other words, and ends with the rule that
    framed it, with a blank line behind its closing, or with the turn.
    """
    found: set[int] = set()
    start = next((n for n, line in enumerate(lines) if n and _begins_letter(lines, n)), None)
    while start is not None:
        end = _end_of_letter(lines, start)
        found.update(range(start, end))
        start = next((n for n in range(end + 1, len(lines)) if _begins_letter(lines, n)), None)
    return found


def _whole_letter(lines: list[str], speaker: str, agent: str) -> set[int]:
    """Return the lines of a letter of somebody else with which a turn begins."""
    start = next((n for n, line in enumerate(lines) if line.strip()), None)
    if start is None:
        return set()
    first = lines[start].strip()
    headers = [line for line in lines[start : start + 5] if _HEADER.match(line.strip())]
    mail = _HEADER.match(first) and len(headers) > 1 and _MAIL.search("\n".join(headers))
    if mail or _is_of_another(lines[start:], speaker, agent):
        return set(range(start, _end_of_letter(lines, start)))
    return set()


def _is_of_another(lines: list[str], speaker: str, agent: str) -> bool:
    """Tell whether a letter greets its speaker, or greets another than the agent and is signed."""
    if not speaker or not (greeting := _GREETING.match(lines[0].strip())):
        return False
    greeted = _words(greeting["name"])
    if greeted & _words(agent):
        return False
    if greeted & _words(speaker):
        return True
    end = next((n for n, line in enumerate(lines) if _CLOSING.match(line.strip())), None)
    signed = "" if end is None else " ".join(lines[end + 1 : end + 3])
    return bool(signed.strip()) and not _words(signed) & _words(speaker)


def _words(name: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]{2,}", name.casefold()))


def _chat_log(lines: list[str]) -> set[int]:
    """Return the lines of a pasted conversation: each with a time and who spoke."""
    found = {n for n, line in enumerate(lines) if _CHAT_LINE.match(line)}
    timed = {n for n, line in enumerate(lines) if _TIMED_LINE.match(line)}
    found |= timed if len(timed) > 1 else set()
    for start in (n for n, line in enumerate(lines) if _CHAT_HEAD.fullmatch(line.strip())):
        behind = range(start + 1, len(lines))
        end = next((n for n in behind if not lines[n].strip()), len(lines))
        found.update(range(start, end))
    return found


def _begins_letter(lines: list[str], position: int) -> bool:
    above = [line for line in lines[:position] if line.strip() and not _RULE.match(line)]
    apart = not lines[position - 1].strip() or _RULE.match(lines[position - 1])
    framed = apart or (above[-1:] and above[-1].rstrip().endswith((":", "：", "?", "？")))
    return bool(above and framed and _SALUTATION.match(lines[position].strip()))


def _end_of_letter(lines: list[str], start: int) -> int:
    """Return the first line behind a letter."""
    closed = False
    for position in range(start + 1, len(lines)):
        if _RULE.match(lines[position]) or (closed and not lines[position].strip()):
            return position
        closed = closed or bool(_CLOSING.match(lines[position].strip()))
    return len(lines)


_HEADER = re.compile(
    r"(?:from|to|cc|bcc|subject|sent|date|von|an|betreff|gesendet|datum|de|para|asunto|fecha|enviado|"
    r"objet|à|envoyé|assunto|data|发件人|收件人|主题|日期|差出人|件名|宛先|日時)\s?[:：]\s?\S",
    re.IGNORECASE,
)
_MAIL = re.compile(
    r"@[\w-]+\.\w|^(?:subject|betreff|asunto|objet|assunto|主题|件名)\s?[:：]",
    re.IGNORECASE | re.MULTILINE,
)
_GREETING = re.compile(
    r"(?i:dear|hello|hi|hey|good\s(?:morning|afternoon|evening)|(?:sehr\s)?(?:geehrte|verehrte|werte|"
    r"liebe)[rs]?|guten\s(?:tag|morgen)|hallo|moin|estimad[oa]|querid[oa]|hola|buen[oa]s\s(?:días|"
    r"tardes)|ch(?:er|ère)|bonjour|salut|prezad[oa]|car[oa]|olá|oi|bom\sdia|boa\starde)\s"
    r"(?P<name>(?:(?:Mrs?|Ms|Dr|Prof|Frau|Herrn?|Sra?|Srta|Mme|Mlle|Madame|Monsieur|Señora?|Senhora?)"
    r"\.?\s)*[^\W\d_a-z][\w'-]*(?:\s[^\W\d_a-z][\w'-]*){0,2})\s?[,!:—–]"
)
_TIME = r"\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\.?)?"
_DAY = r"\d{1,4}[./-]\d{1,2}[./-]\d{2,4}"
_WHO = r"(?:<[^<>\n]{1,40}>|[^\W\d_][\w .'-]{0,38}\s?[:：])\s?\S"
_CHAT_LINE = re.compile(
    rf"\s*(?:\[[^\]\n]{{0,24}}?{_TIME}\]|【{_TIME}】|\({_TIME}\)|{_DAY},?\s+{_TIME}\s+[-–])\s*{_WHO}",
    re.IGNORECASE,
)
_TIMED_LINE = re.compile(
    rf"\s*{_TIME}\s+[-–]?\s?(?:<[^<>\n]{{1,40}}>|[^\W\d_a-z][\w.'-]*(?:\s[^\W\d_a-z][\w.'-]*){{0,2}}"
    r"\s?[:：])\s?\S"
)
"""Only one of several is a chat: "14:00 Lunch: …" may be an own note."""
_CHAT_HEAD = re.compile(
    rf"[^\W\d_][\w.'-]*(?: [\w.'-]+)?(?:\s{{2,}}|,?\s?\[|,\s)(?:{_DAY},?\s)?{_TIME}\]?",
    re.IGNORECASE,
)
_RULE = re.compile(r"\s*[-=_*~—]{4,}\s*$")
_SALUTATION = re.compile(
    r"(?:dear|hello|hi|good\s(?:morning|evening))\s(?!there\b)[\w .'&-]{2,40}[,!:—-]?$|"
    r"(?:dear|to\swhom\sit|attention|notice\sto)\s.{2,60}[,!:]|"
    r"(?:from|to|cc|subject|sent(?:\sby)?|date|von|an|betreff|gesendet|de|para|asunto|objet|à|"
    r"enviado\spor|envoyé\spar|assunto|发件人|收件人|主题|差出人|件名|宛先)\s?[:：]\s?\S|"
    r"(?:(?:sehr\s)?(?:geehrte|verehrte|werte|liebe)[rs]?|guten\stag|hallo)\s[\w .,'&-]{2,60}[,!:]|"
    r"(?:estimad|querid|apreciad)[oa]s?\s.{2,60}?[,:!]|buen[oa]s?\s(?:días|tardes)[\w ]{0,30}[,:]|"
    r"(?:ch(?:er|ère)s?|mesdames|messieurs|madame|monsieur|bonjour)\s.{2,60}?[,:!]|"
    r"(?:prezad|car|querid|estimad)[oa]s?\s.{2,60}?[,:!]|"
    r"(?:尊敬的|亲爱的|各位|致)[^。，]{1,20}[：:，,！!]|[^。、]{1,16}(?:各位|の皆様|様|御中)[、，:：へ]?$|拝啓",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?:(?:yours|kind|best|warm|many)\b.{0,30}|sincerely|regards|cheers|thank\syou|signed)\b|gez\.|"
    r"(?:mit\s\w+\sgrüßen|(?:viele|beste|liebe|herzliche)\sgrüße|ihre?\b|euer|eure)|"
    r"(?:atentamente|un\ssaludo|saludos|cordialmente|firmado)|(?:cordialement|bien\sà\svous|"
    r"salutations|l[ae]\s(?:président|direct|gérant|secrétair)\w*|signé)|(?:atenciosamente|"
    r"abraços?|assinado|att\.)|此致|敬上|谨启|敬具|以上",
    re.IGNORECASE,
)


def _shouts(line: str) -> bool:
    """Tell a chain letter's headline; people shout in fewer words."""
    return line.isupper() and len(line.split()) >= 4


def _mostly_signs(line: str) -> bool:
    letters = sum(char.isalpha() or char.isspace() for char in line)
    return len(line) > 40 and letters < 0.6 * len(line)


# --- sentences -------------------------------------------------------------------------------

_STOP = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s)|[。！？；]+[」』”’）]*|[!?]+(?=[^\W\d_\x00-\x7f])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|jr|sr|vs|etc|approx|dept|no|vol|fig|inc|ltd|co|mt|z\.\s?b|"
    r"d\.\s?h|u\.\s?a|bzw|ca|nr|str|hr|fr|usw|evtl|inkl|sra?|srta|ud|av|núm|pág|mme|mlle|env|ex|"
    r"p\.\s?ex|e\.g|i\.e|a\.m|p\.m|u\.s|min|max)"
    r"|\b[A-Za-z]|(?:^|\s|\d\.)\d{1,2})\.$",
    re.IGNORECASE,
)
_ORDINARY_END = re.compile(
    r"\b(?:i|a|etc|p\.m|a\.m|no|co|min|max|ex|u\.s|usw)\.$|\s\d{1,2}\.$", re.IGNORECASE
)
_CLAUSE = re.compile(
    r"\s*[;；]\s*|\s+[–—]\s+|,\s+(?:and|but|so)\s+(?=(?:i|we|my|our|the|he|she|they)\b)|"
    r",\s+(?:und|aber)\s+(?=(?:ich|wir|mein|unser)\w*\b)|\s*，(?=(?:我|但|而且|所以))",
    re.IGNORECASE,
)
_REQUEST_TAIL = re.compile(
    r",\s+(?=(?:(?:so\s+|and\s+)?(?:can|could|would|will)\s+(?:you|we|i)\b|what\s+do\s+you|"
    r"do\s+you|is\s+that|should\s+(?:we|i)\b|kannst\s+du|könntest\s+du|können\s+wir|puedes|"
    r"podrías|podemos|(?:est-ce|peux-tu|tu\s+peux|"
    r"on\s+peut)|pode[s]?\b|você\s+pode|podemos))",
    re.IGNORECASE,
)


def _ends_sentence(line: str, match: re.Match[str]) -> bool:
    """Tell a full stop from the one of an abbreviation, initial or ordinal."""
    if match[0][0] != ".":
        return True
    before = line[max(0, match.start() - 12) : match.start() + 1]
    if len(match[0]) > 1 or not _ABBREVIATION.search(before):
        return True
    following = line[match.end() :].lstrip()[:1]
    return (
        bool(_ORDINARY_END.search(before))
        and following.isupper()
        and not before[-3:-1].isdigit()
        and not before[-2:-1].isdigit()
    )


def _clauses(sentence: str) -> Iterator[str]:
    """Cut a question behind a statement off, and an over-long sentence into its clauses."""
    if not sentence:
        return
    tail = _REQUEST_TAIL.search(sentence) if sentence.rstrip().endswith(("?", "？")) else None
    if tail and tail.start() > 8:
        yield sentence[: tail.start()]
        yield sentence[tail.end() :]
    elif len(sentence) > LONGEST:
        yield from filter(None, (part.strip() for part in _CLAUSE.split(sentence)))
    else:
        yield sentence
