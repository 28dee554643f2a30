"""HEARTBEAT.md read as people and agents write it: what is to be looked at, when to be quiet."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from hippod import markdown
from hippod.checklist import phrases, quiet, reminders
from hippod.checklist.items import Checklist, Item, Kind
from hippod.schedule import Hours

FILE = "HEARTBEAT.md"
ACTIONS = ("reflect", "hygiene", "reconcile")
"""Work of hippod's own that an item can name: `action: reflect`."""
MOST_ITEMS = 200
MOST_NOTES = 20
MOST_CHARACTERS = 64_000
"""Of a checklist; what stands behind them is not read."""
LONGEST = 1_000
"""Characters of an item; a longer one is cut."""


def read(text: str | None, check_names: Collection[str]) -> Checklist:
    """Take a checklist apart; `check_names` are those of the configuration. Any text is safe."""
    if text is None:
        return Checklist(skipped="missing")
    document = markdown.parse(text[:MOST_CHARACTERS])
    if document.marks:
        return Checklist(skipped="conflict marks", notes=(_conflict(min(document.marks)),))
    reader = _Reader(check_names)
    for piece in _pieces(document):
        reader.take(piece)
    if len(text) > MOST_CHARACTERS:
        what = f"only the first {MOST_CHARACTERS:,} characters are read"
        reader.notes.insert(0, f"{FILE}:{len(document.lines)}: {what}")
    checklist = reader.checklist(text)
    return replace(checklist, notes=(*checklist.notes, *_hidden(document))[:MOST_NOTES])


def _hidden(document: markdown.Markdown) -> Iterator[str]:
    """Yield a note for each line of quotes and code that looks like an item."""
    for number, line in enumerate(document.lines, 1):
        quoted = _QUOTED.match(line)
        if number in document.uncommented or not (quoted or number in document.code):
            continue
        said = _LISTED.sub("", line[quoted.end() :] if quoted else line).strip()
        box = _BOX.match(said)
        is_open = box is not None and (box["box"] or box["sign"] or " ") not in _TICKED
        if is_open or (box is None and quoted and said.endswith(("?", "？"))):
            where = "quote" if quoted else "block of code"
            yield f"{FILE}:{number}: it stands in a {where}, where nothing is looked at"


def _conflict(line: int) -> str:
    return f"{FILE}:{line}: git left conflict marks; nothing is looked at until they are resolved"


@dataclass(frozen=True, slots=True)
class _Piece:
    """A paragraph, or an item of a list: what it says, the headings above it, and its place."""

    text: str
    lines: tuple[tuple[int, int], ...]
    """Where each of its lines begins in `text`, with the line's number."""
    headings: tuple[str, ...]
    in_list: bool
    done: bool = False
    boxed: bool = False
    """Whether it has a box to tick: then it is to be done, whatever stands above it."""
    leads: bool = False
    """Whether what follows it is a list."""

    def line_at(self, position: int) -> int:
        """Return the number of the line that a place in the text is on."""
        return self.lines[bisect_right(self.lines, position, key=lambda line: line[0]) - 1][1]


@dataclass(slots=True)
class _Reader:
    """What was read so far."""

    check_names: Collection[str]
    items: dict[str, Item] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    hours: Hours | None = None
    lead: str = ""
    """The sentence with a colon above the list that is being read."""
    headings: tuple[str, ...] = ()
    """Those above what is being read."""
    left_out: int = 0
    done: int = 0
    ignored: int = 0

    def take(self, piece: _Piece) -> None:
        """Sort a paragraph or a list item into items, hours and what asks for nothing."""
        if not piece.in_list or piece.headings != self.headings:
            self.lead, self.headings = "", piece.headings
        titles = (*piece.headings[-1:], self.lead)
        if piece.done or (not piece.boxed and any(map(phrases.is_of_the_done, titles))):
            self.done += 1
            return
        for sentence, line in _sentences(piece):
            is_mark = not piece.boxed and reminders.is_mark_of_the_page(sentence)
            if is_mark or phrases.is_placeholder(sentence):
                self.ignored += 1
            elif _is_lead_in(sentence, piece):
                self._take_lead(sentence)
            elif not self._is_said_to_the_agent(sentence, line, piece, titles):
                self._add(sentence, line, piece)

    def note(self, line: int, what: str) -> None:
        """Say what of a line was not understood."""
        if len(self.notes) < MOST_NOTES:
            self.notes.append(f"{FILE}:{line}: {what}")

    def checklist(self, text: str) -> Checklist:
        """Return what was found."""
        if self.left_out:
            last = list(self.items.values())[-1].line
            what = f"only the first {MOST_ITEMS} items are looked at, {self.left_out} are left out"
            self.notes.insert(0, f"{FILE}:{last}: {what}")
        skipped = "" if self.items else self._reason(text)
        return Checklist(tuple(self.items.values()), self.hours, skipped, tuple(self.notes))

    def _reason(self, text: str) -> str:
        if not text.removeprefix(markdown.BOM).strip():
            return "empty"
        if self.done and not self.notes:
            return "all done"
        return "no items" if self.ignored or self.notes else "headings or comments only"

    def _take_lead(self, sentence: str) -> None:
        self.lead = sentence
        self.ignored += 1

    def _is_said_to_the_agent(
        self, sentence: str, line: int, piece: _Piece, titles: Sequence[str]
    ) -> bool:
        """Take the hours that a sentence names, and say whether it asks for nothing else."""
        is_to_look_at = piece.boxed or phrases.is_a_question(sentence)
        said = (sentence,) if is_to_look_at else (sentence, *titles)
        of_quiet = any(map(phrases.asks_for_quiet, said))
        only_within = any(map(phrases.allows_only, said))
        if (of_quiet or only_within) and self._take_hours(sentence, line, only_within=only_within):
            self.ignored += 1
            self._take_rest(sentence, line, piece)
            return True
        about_replies = not piece.boxed and any(map(phrases.tells_when_to_speak, titles))
        if not about_replies and not phrases.is_instruction(sentence):
            return False
        self.ignored += 1
        if sentence.rstrip("*_` ").endswith(("?", "？")):
            self.note(line, "it is read as said to the agent, not as an item; ask in its own line")
        elif phrases.asks_for_quiet(sentence) and quiet.names_a_time(sentence):
            self.note(line, f"the quiet hours are not understood; {_SPELLED}")
        return True

    def _take_rest(self, sentence: str, line: int, piece: _Piece) -> None:
        """Take the thing of which to be told all the same: "…, but tell me if it leaks"."""
        rest = _BUT.split(sentence, maxsplit=1)[1:]
        if rest and (rest[0].endswith("?") or phrases.promises_word(rest[0])):
            self._add(rest[0], line, piece)

    def _take_hours(self, sentence: str, line: int, *, only_within: bool) -> bool:
        try:
            hours = quiet.read(sentence)
        except ValueError as error:
            self.note(line, f"the quiet hours are not understood: {error}")
            return True
        if hours is None:
            return False
        if why := quiet.why_not_taken(sentence):
            self.note(line, f"these quiet hours are left out: {why}")
            return True
        if quiet.names_several(sentence):
            self.note(line, "only the first of its quiet hours are kept")
        if only_within:
            if hours.end - hours.start == _DAY:
                return True
            hours = Hours(hours.end % _DAY, hours.start or _DAY)
        if self.hours not in (None, hours):
            self.note(line, "other quiet hours stand above; these are left out")
        self.hours = self.hours or hours
        return True

    def _add(self, sentence: str, line: int, piece: _Piece) -> None:
        item = self._item(sentence, line, piece)
        if item is None or item.key in self.items:
            return
        if len(self.items) == MOST_ITEMS:
            self.left_out += 1
            return
        self.items[item.key] = item

    def _item(self, text: str, line: int, piece: _Piece) -> Item | None:
        """Return the item that a text is; None, and a note, for a name that nobody knows."""
        if named := _NAMED.match(text):
            known = self.check_names if named["what"].casefold() == "check" else ACTIONS
            name = _known(named["name"], known)
            if name:
                return Item(_kind(named["what"]), _cut(text), line, name)
            if not named["rest"] or named["rest"][0] in _SEPARATORS:
                self.note(line, _unknown(named["what"].casefold(), named["name"], known))
                return None
        if text.casefold().strip("`*_ ") in ACTIONS:
            return Item("action", _cut(text), line, text.casefold().strip("`*_ "))
        if phrases.looks_like_a_command(text) or text.endswith("?"):
            return Item("question", _cut(text), line)
        if any(map(phrases.offers_work, (*piece.headings, self.lead))):
            name = phrases.own_work(text)
            return Item("action" if name else "agent", _cut(text), line, name)
        if reminders.is_reminder(text):
            return Item("question", _cut(text), line)
        if phrases.is_work(text) and not phrases.own_work(text):
            return Item("agent", _cut(text), line)
        return Item("question", _cut(text), line)


_DAY = 24 * 60
_SPELLED = 'write for example "Stay quiet from 22:00 to 07:00"'
_BUT = re.compile(
    r"\s*[,;–—]\s*(?:but|though|however|except|aber|jedoch|pero|mais)\s+", re.IGNORECASE
)
_SEPARATORS = "-–—:,;.(#/|<"
_NAMED = re.compile(
    r"[*_`\s]*(?P<what>check|action)\s*:[*_`\s]*(?P<name>\w[\w.-]*)[*_`]*\s*(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)


def _kind(what: str) -> Kind:
    return "check" if what.casefold() == "check" else "action"


def _known(name: str, names: Collection[str]) -> str:
    """Return the name as it is configured; a full stop behind it and its case do not matter."""
    for spelling in (name, name.rstrip(".-")):
        if spelling in names:
            return spelling
    alike = [each for each in names if each.casefold() == name.rstrip(".-").casefold()]
    return alike[0] if len(alike) == 1 else ""


def _unknown(what: str, name: str, names: Collection[str]) -> str:
    name = name[:80]
    close = get_close_matches(name, names, 1)
    if close:
        return f"there is no {what} {name!r}; did you mean {close[0]!r}?"
    if what == "action":
        return f"there is no action {name!r}; there are {', '.join(ACTIONS)}"
    return f"there is no check {name!r}; put its command under [heartbeat.checks.{name}]"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


# --- sentences ----------------------------------------------------------------------------------


def _sentences(piece: _Piece) -> Iterator[tuple[str, int]]:
    """Yield what is asked for with its line.

    An item of a list is one thing, without the sentences in it that ask for nothing. Prose is
    taken by the sentence.
    """
    said = list(_split(piece))
    if not piece.in_list or len(said) < 2:
        yield from said
        return
    kept = [sentence for sentence, _ in said if not phrases.is_instruction(sentence)]
    if kept and not phrases.asks_for_quiet(piece.text):
        yield " ".join(kept), said[0][1]
    else:
        yield from said


def _split(piece: _Piece) -> Iterator[tuple[str, int]]:
    """Yield the sentences of a piece that have words, single-spaced, with their lines."""
    start = 0
    ends = [match.end() for match in _END.finditer(piece.text) if _ends_sentence(match, piece)]
    for end in [*ends, len(piece.text)]:
        sentence = piece.text[start:end]
        if _WORD.search(sentence):
            begin = start + len(sentence) - len(sentence.lstrip())
            yield " ".join(sentence.split()), piece.line_at(begin)
        start = end


_WORD = re.compile(r"[^\W_]")
_END = re.compile(r"[.!?…][\"')\]*_`”“»]*(?:\n|\s+)|[。！？]+\s*|\n")
_ABBREVIATION = re.compile(
    r"\b(?:e\.g|i\.e|etc|vs|approx|no|nr|dr|mr|mrs|ms|st|z\.\s?b|d\.\s?h|bzw|ca|usw|inkl|evtl|ggf|vgl|"
    r"p\.\s?ej|sr|sra|ex|a\.m|p\.m|[^\W\d_])\.$",
    re.IGNORECASE,
)
_MONTH = re.compile(r"(?:jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez)", re.IGNORECASE)
_SHORT_LINE = 50
"""Characters below which a line is not wrapped: what begins with a capital behind it is new."""


def _ends_sentence(match: re.Match[str], piece: _Piece) -> bool:
    text, at = match.string, match.start()
    following = text[match.end() : match.end() + 1]
    if match[0] != "\n":
        is_short = match[0][0] == "." and _ABBREVIATION.search(text[max(0, at - 8) : at + 1])
        is_day = text[at - 1 : at].isdigit() and _MONTH.match(text, match.end())
        return not is_short and not is_day and not following.islower()
    line = text[text.rfind("\n", 0, at) + 1 : at]
    is_list = not piece.in_list and len(line) < _SHORT_LINE
    return is_list and not following.islower() and not line.rstrip().endswith((",", ";"))


def _is_lead_in(sentence: str, piece: _Piece) -> bool:
    """Tell a sentence that only announces the list that follows it."""
    last = piece.text.rstrip().rstrip("*_").rstrip()
    if not piece.leads:
        return False
    if last.endswith((":", "：")):
        return sentence.rstrip("*_ ").endswith((":", "："))
    return piece.in_list and not piece.boxed and _TITLE.fullmatch(last) is not None


_TITLE = re.compile(r"\W*[A-ZÄÖÜÉÁ][\w'’-]*(?:\s+(?:&|and|und|y|et)\s+\w+)?[^\w?]*")
"""A word or two over the items of a nested list: "Money", "Friends & Family"."""


# --- paragraphs ---------------------------------------------------------------------------------


def _pieces(document: markdown.Markdown) -> Iterator[_Piece]:
    """Yield paragraphs and list items in order; a paragraph inside an item continues it."""
    blocks = [_block(document, each) for each in document.paragraphs]
    sections = iter([*document.sections, None])
    section = next(sections)
    open_items: list[_Block] = []
    position = 0
    while position < len(blocks):
        block = blocks[position]
        while section and section.end < block.start:
            section = next(sections)
        headings = tuple(each.text for each in section.path) if section else ()
        parts = [block]
        position += 1
        while block.mark and position < len(blocks) and _continues(block, blocks[position]):
            parts.append(blocks[position])
            position += 1
        following = blocks[position] if position < len(blocks) else None
        open_items = [each for each in open_items if each.indent <= block.column]
        yield from _made(parts, headings, open_items, following)
        open_items += [block] if block.mark else []


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph of the document: its lines, and the mark of the list item that it begins.

    `column` is where the mark or the text begins, `indent` where the text of an item does; `box`
    is what stands between the brackets.
    """

    start: int
    lines: tuple[str, ...]
    column: int
    indent: int
    mark: bool
    box: str | None

    @property
    def is_done(self) -> bool:
        text = "\n".join(self.lines).strip()
        return self.box in _TICKED or _STRUCK.fullmatch(text) is not None


_STRUCK = re.compile(r"[^\w~]{0,8}~~.+~~[\s.!✅✔☑]*", re.DOTALL)
"""A text that is struck out, with a sign beside it or without."""
_TICKED = ("x", "X", "✓", "✔", "✅", "-", "~", "☑", "☒")
_QUOTED = re.compile(r"[ \t]{0,3}(?:[-*+][ \t]+)?(?:>[ \t]?)+")
_LISTED = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+")
_MARKS = re.compile(r"(?:[ \t]*(?:[-*+]|[0-9]{1,9}[.)])(?=[ \t]|$))*[ \t]*")
_BOX = re.compile(r"\[(?P<box>[^\]\n]?)\](?=\s|$)\s*|\[ ?\](?![(\[])|(?P<sign>[☐☑☒])\s*")


def _block(document: markdown.Markdown, paragraph: markdown.Paragraph) -> _Block:
    raw = document.lines[paragraph.start - 1][: _WIDEST * 4].expandtabs(4)
    lead = _MARKS.match(raw)
    indent = lead.end() if lead else 0
    column = len(raw) - len(raw.lstrip())
    first, *others = paragraph.lines
    box = _BOX.match(first)
    kept = (first[box.end() :] if box else first, *others)
    is_item = bool(lead and lead[0].strip()) or bool(box)
    ticked = (box["box"] or box["sign"] or " ") if box else None
    return _Block(paragraph.start, kept, column, indent, is_item, ticked)


_WIDEST = 200
"""Columns of marks before a text."""


def _continues(item: _Block, block: _Block) -> bool:
    return not block.mark and block.column >= item.indent > 0


def _made(
    parts: Sequence[_Block],
    headings: tuple[str, ...],
    above: Sequence[_Block],
    following: _Block | None,
) -> Iterator[_Piece]:
    """Make pieces of a block and what continues it: one, or the rows of a table."""
    block = parts[0]
    boxed = block.box is not None
    inherited = not boxed and any(each.is_done for each in above)
    done = block.is_done or inherited
    leads = (
        following is not None
        and following.mark
        and (not block.mark or following.column >= block.indent)
    )
    rows = _rows(block) if len(parts) == 1 else None
    if rows is not None:
        for number, row in rows:
            yield _Piece(row, ((0, number),), headings, in_list=True, done=done)
        return
    text, lines = "", []
    for part in parts:
        for number, line in enumerate(part.lines, part.start):
            lines.append((len(text), number))
            text += line + "\n"
    yield _Piece(
        _without_comments(text.rstrip("\n")), tuple(lines), headings, block.mark, done, boxed, leads
    )


def _rows(block: _Block) -> list[tuple[int, str]] | None:
    """Return the rows of a table below its head, with their lines, or None if it is none."""
    head = _head(block.lines)
    if not head:
        return None
    rows = []
    for number, line in enumerate(block.lines[head:], block.start + head):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        rows.append((number, " – ".join(cell for cell in cells if cell)))
    return rows


def _head(lines: Sequence[str]) -> int:
    """Return how many lines the head of a table has; 0 if it is none."""
    if len(lines) < 2 or "|" not in lines[0]:
        return 0
    if _RULE.fullmatch(lines[1]):
        return 2
    has_rows = all(line.strip().startswith("|") for line in lines)
    return 1 if has_rows and "?" not in lines[0] else 0


_RULE = re.compile(r"[ \t|:-]*-[ \t|:-]*")


def _without_comments(text: str) -> str:
    """Blank comments that stand beside code, where Markdown may show them."""
    done = 0
    parts: list[str] = []
    while (start := text.find("<!--", done)) >= 0:
        end = text.find("-->", start + 4)
        if end < 0:
            break
        parts += [text[done:start], _LETTER.sub(" ", text[start : end + 3])]
        done = end + 3
    return "".join([*parts, text[done:]])


_LETTER = re.compile(r"[^\n]")
