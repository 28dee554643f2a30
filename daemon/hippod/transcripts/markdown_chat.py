"""Read chats that were written or exported as Markdown, also while they grow.

A message is complete when the next one begins. The last one is when size and time of the file
are what they were at the reading before; if it goes on after that, it is returned once more, as
a whole. What is private or our own may span messages, so it is cut before the text is taken apart.

Messages without a time are of the day that the file's name gives, else the heading before them.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from hippod import redact
from hippod.transcripts.chat_shapes import Chat, Message, parse_chat
from hippod.transcripts.content import Content
from hippod.transcripts.fields import digest, scalar_text, speaker_name, time_of
from hippod.transcripts.gathering import Gathering
from hippod.transcripts.places import live_name
from hippod.transcripts.position import Position, resume, tail_before
from hippod.transcripts.request import Request
from hippod.transcripts.turns import Memory, Reading, Turn

FORMAT = "markdown"
_WINDOWS = (128_000, 2_000_000)
"""How many bytes are parsed at once, and at most: a message over that is passed over."""
_TRIVIAL_BYTES = 400
_START, _SHAPE, _STATE = "start", "shape", "state"
_DAY, _OPEN = "day", "open"
_DATE = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_FRONT_MATTER_DATE = re.compile(r"date:[ \t]")
_NOON = time(12)
_SPANS = (("<private>", "</private>"), ("<hippod-memory>", "</hippod-memory>"))
_DEEPEST = 8
"""How many spans inside each other are told apart."""
_END = "\0"


def is_markdown(request: Request) -> bool:
    """Say whether a transcript is one: by its name, unless a format is given."""
    if request.format != "auto" or request.mapping:
        return request.format == FORMAT and not request.mapping
    return live_name(request.path.name).lower().endswith((".md", ".markdown"))


def read_markdown(content: Content, request: Request) -> Reading:
    """Return the complete messages that are new and a cursor behind them."""
    position, rewritten = resume(content, request.cursor)
    changed = datetime.fromtimestamp(content.status.st_mtime, UTC)
    gathering = Gathering.begin(request, None if rewritten else request.cursor, changed)
    gathering.form = FORMAT
    window = _window(content, gathering.memory)
    day = _day(window, gathering.memory, request, changed)
    messages = window.chat.messages
    complete = messages if window.is_last and window.settled else messages[:-1]
    taken = complete[: request.max_turns]
    for message in taken:
        found = _turn(message, window.line, gathering.session_id, request.zone, day)
        gathering.take_found(found if found.text.strip() else "no_text", None)
    if not window.is_last and len(messages) < 2:
        gathering.skipped["too_long"] += len(messages)
    more = not window.is_last or len(taken) < len(complete)
    _move(window, len(taken), position, content, gathering.memory, more=more)
    return Reading(
        turns=gathering.new_turns(),
        cursor=gathering.cursor(position),
        more=more,
        unfinished=not (more or window.settled),
        rewritten=rewritten,
        alarm=_alarm(window, content, request),
        skipped=dict(gathering.skipped),
    )


@dataclass(frozen=True, slots=True)
class _Window:
    """The part of a file that is parsed: from byte `start` and line `line` (both from 0) on.

    `is_last` says that it reaches the end; `settled` that the file has not changed since the
    reading before; `state` recognises that. `opening` has the tags of the spans that are open at
    its end.
    """

    start: int
    line: int
    lines: tuple[bytes, ...]
    chat: Chat
    is_last: bool
    settled: bool
    state: str
    opening: str


def _window(content: Content, memory: Memory) -> _Window:
    start, line = map(int, memory.get(_START, "0 0").split())
    state = f"{content.status.st_size} {content.status.st_mtime_ns}"
    settled = memory.get(_STATE) == state
    for size in _WINDOWS:
        raw = content.pread(size, start)
        is_last = not content.pread(1, start + len(raw))
        if not (is_last and settled):  # a line that nobody ended may go on
            raw = raw[: raw.rfind(b"\n") + 1] or (b"" if is_last else raw)
        lines = _split(raw)
        public, opening = _public([_text(part) for part in lines], memory.get(_OPEN, ""))
        chat = parse_chat(
            public,
            memory.get(_SHAPE, ""),
            ended=settled or not is_last,
        )
        if is_last or len(chat.messages) > 1:
            break
    return _Window(start, line, lines, chat, is_last, settled, state, opening)


def _public(lines: list[str], opened: str) -> tuple[list[str], str]:
    """Blank private spans and memory blocks, but for their line breaks.

    `opened` has the tags of spans that are open before the lines. Returns those open behind them.
    """
    text = opened + "\n".join(line.replace(_END, " ") for line in lines)
    public = redact.blank(text + _END)
    if public.endswith(_END):
        return public[:-1].split("\n"), ""
    kept = public.split("\n")
    return kept + [""] * (len(lines) - len(kept)), _opening(text)


def _opening(text: str) -> str:
    """Return the opening tags of the spans that are open at the end of a text."""
    for opener, closer in _SPANS:
        for depth in range(_DEEPEST + 1):
            if redact.blank(text + closer * depth + _END).endswith(_END):
                return opener * depth
    return _SPANS[0][0] * _DEEPEST


def _split(raw: bytes) -> tuple[bytes, ...]:
    parts = raw.split(b"\n")
    return (*(part + b"\n" for part in parts[:-1]), *filter(None, parts[-1:]))


def _text(line: bytes) -> str:
    """Decode a line; what else would end one for the parser becomes a space."""
    text = line.decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")
    return scalar_text(text).replace("\r", " ").removeprefix("\ufeff")


def _day(window: _Window, memory: Memory, request: Request, changed: datetime) -> date | None:
    """Return the day of the messages that have no time; that of a heading is kept in `memory`.

    No day that lies ahead of the file's last change: a name may be that of a plan.
    """
    if window.start == 0:
        first = window.chat.messages[0].line + 1 if window.chat.messages else 0
        head = (_text(line) for line in window.lines[:first])
        dated = (text for text in head if _HEADING.match(text) or _FRONT_MATTER_DATE.match(text))
        memory[_DAY] = next((found[0] for text in dated if (found := _DATE.search(text))), "")
    named = _DATE.search(live_name(request.path.name))
    latest = changed.astimezone(request.zone).date() + timedelta(days=1)
    for written in (named[0] if named else "", memory.get(_DAY, "")):
        try:
            day = date.fromisoformat(written)
        except ValueError:
            continue
        if day <= latest:
            return day
    return None


def _turn(message: Message, line: int, session: str, zone: tzinfo, day: date | None) -> Turn:
    number = line + message.line + 1
    said = time_of(message.time, zone) if message.time else None
    by_day = datetime.combine(day, _NOON, zone).astimezone(UTC) if day else None
    scope = said.isoformat() if said else f"{session}:"
    return Turn(
        id=f"L{number}",
        key=digest(scope, message.role, message.text),
        role=message.role,
        speaker=speaker_name(message.speaker),
        text=message.text,
        time=said or by_day,
        line=number,
        day_only=said is None and by_day is not None,
    )


def _move(
    window: _Window,
    taken: int,
    position: Position,
    content: Content,
    memory: Memory,
    *,
    more: bool,
) -> None:
    """Move to the first message that was not taken, else to the window's end.

    Reading goes on at a message in any case: at the last one again where all were taken, as it
    may have gone on.
    """
    messages = window.chat.messages
    passed_over = not window.is_last and len(messages) < 2
    if passed_over or taken == len(messages):
        reached, resumed = len(window.lines), messages[-1].line if messages else 0
    else:
        reached = resumed = messages[taken].line
    if passed_over:
        resumed = reached
    position.offset, position.line = _place(window, reached)
    position.tail = tail_before(content, position.offset)
    memory[_START] = "{} {}".format(*_place(window, resumed))
    memory[_SHAPE] = window.chat.shape
    memory[_STATE] = "" if more else window.state
    memory[_OPEN] = window.opening if passed_over else ""


def _place(window: _Window, lines: int) -> tuple[int, int]:
    return window.start + sum(map(len, window.lines[:lines])), window.line + lines


def _alarm(window: _Window, content: Content, request: Request) -> str | None:
    if window.chat.shape or content.status.st_size <= _TRIVIAL_BYTES or not window.is_last:
        return None
    return f"{request.path}: read as a Markdown chat, but no message was found"
