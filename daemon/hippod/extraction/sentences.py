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


def pieces(text: str) -> list[Piece]:
    """Split a turn into sentences, in order; any text is safe.

    Once a line tries to instruct a model, nothing behind it in the turn is trusted; what
    stands behind the announcement of a page, mail or link is its text, and not the speaker's.
    """
    found: list[Piece] = []
    outside = False
    for line, reason in _lines(text):
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


def _lines(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield each line with the reason to skip it, or None."""
    fence: str | None = None
    pasted = False
    lines = _BREAKS.split(text)
    if sum(bool(_MACHINE_LINE.search(line)) for line in lines) > _LONG_PASTE:
        lines = [line for line in lines if not _MACHINE_LINE.search(line)]
    for line in lines:
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
        if pasted:
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
