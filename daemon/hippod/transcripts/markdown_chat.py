"""Read chats that were written or exported as Markdown, also while they grow.

A message is complete when the next one begins. The last one is when size and time of the file
are what they were at the reading before; if it goes on after that, it is returned once more, as
a whole.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

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
    messages = window.chat.messages
    complete = messages if window.is_last and window.settled else messages[:-1]
    taken = complete[: request.max_turns]
    for message in taken:
        found = _turn(message, window.line, gathering.session_id, request)
        gathering.take_found(found if found.text.strip() else "no_text", None)
    if not window.is_last and len(messages) < 2:
        gathering.skipped["too_long"] += len(messages)
    more = not window.is_last or len(taken) < len(complete)
    _move(window, len(taken), position, content, gathering.memory, more=more)
    return Reading(
        turns=gathering.new_turns(),
        cursor=gathering.cursor(position),
        more=more,
        rewritten=rewritten,
        alarm=_alarm(window, content, request),
        skipped=dict(gathering.skipped),
    )


@dataclass(frozen=True, slots=True)
class _Window:
    """The part of a file that is parsed: from byte `start` and line `line` (both from 0) on.

    `is_last` says that it reaches the end; `settled` that the file has not changed since the
    reading before; `state` recognises that.
    """

    start: int
    line: int
    lines: tuple[bytes, ...]
    chat: Chat
    is_last: bool
    settled: bool
    state: str


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
        chat = parse_chat(
            [_text(part) for part in lines],
            memory.get(_SHAPE, ""),
            ended=settled or not is_last,
        )
        if is_last or len(chat.messages) > 1:
            break
    return _Window(start, line, lines, chat, is_last, settled, state)


def _split(raw: bytes) -> tuple[bytes, ...]:
    parts = raw.split(b"\n")
    return (*(part + b"\n" for part in parts[:-1]), *filter(None, parts[-1:]))


def _text(line: bytes) -> str:
    """Decode a line; what else would end one for the parser becomes a space."""
    text = line.decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")
    return scalar_text(text).replace("\r", " ").removeprefix("\ufeff")


def _turn(message: Message, line: int, session: str, request: Request) -> Turn:
    number = line + message.line + 1
    time = time_of(message.time, request.zone) if message.time else None
    scope = time.isoformat() if time else f"{session}:"
    return Turn(
        id=f"L{number}",
        key=digest(scope, message.role, message.text),
        role=message.role,
        speaker=speaker_name(message.speaker),
        text=message.text,
        time=time,
        line=number,
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


def _place(window: _Window, lines: int) -> tuple[int, int]:
    return window.start + sum(map(len, window.lines[:lines])), window.line + lines


def _alarm(window: _Window, content: Content, request: Request) -> str | None:
    if window.chat.shape or content.status.st_size <= _TRIVIAL_BYTES or not window.is_last:
        return None
    return f"{request.path}: read as a Markdown chat, but no message was found"
