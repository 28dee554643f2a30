"""Find the messages in the lines of a Markdown chat by what stands before each of them.

Known are `## User` headings, `**User:** …` and `User: …` lines, also inside a `>` quote, each with
or without a time such as `[2026-02-03 14:05]`. The first one decides how all others of the file
look, so that a message may contain the other shapes.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hippod import markdown
from hippod.transcripts.turns import Role

_ROLES: dict[str, Role] = {
    **dict.fromkeys(("user", "human", "you", "me", "prompt", "question"), "user"),
    **dict.fromkeys(("nutzer", "benutzer", "usuario", "usuário", "utilisateur", "vous"), "user"),
    **dict.fromkeys(("用户", "ユーザー", "ユーザ"), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "model", "response", "answer"), "assistant"),
    **dict.fromkeys(("assistent", "asistente", "assistente", "助手", "アシスタント"), "assistant"),
    **dict.fromkeys(("chatgpt", "gpt", "claude", "gemini", "copilot", "grok"), "assistant"),
    **dict.fromkeys(("deepseek", "mistral", "llama", "qwen", "perplexity"), "assistant"),
    **dict.fromkeys(("openclaw", "hermes", "codex", "cursor"), "assistant"),
    "tool": "tool",
    "system": "system",
}
_WORDS = frozenset({"prompt", "question", "response", "answer", "model", "tool", "system"})
"""Names that before the colon of a plain line are more often part of the text."""

_TIME = r"\d{4}-\d\d-\d\d[T ,]{1,2}\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?"
_STAMP = rf"[\[(_*@·|—–\- ]{{0,6}}{_TIME}[\])_* ]{{0,4}}[\-—–·|:]?"
_NAME = (
    r"(?P<name>[^\W\d_]{2,20})(?:[ -]?\d[\w.\- ]{0,30}| (?:code|cli|pro|flash|opus|sonnet|haiku))?"
    r"(?: (?:said|says|asked|wrote|message|question|prompt|answer|response|reply))?"
    r"(?: ?\((?P<more>[^()\n]{1,60})\))?"
)
_BEFORE = rf"[^\w\s*#\[(<>:|_]{{0,8}} {{0,2}}(?:{_STAMP} {{0,2}})?"
_AFTER = rf"(?:{_STAMP})?"
_SHAPES = {
    "heading": re.compile(
        rf" {{0,3}}(?P<level>#{{1,6}}) {{1,3}}{_BEFORE}\*{{0,2}}{_NAME}{_AFTER}[:：]?\*{{0,2}}"
        rf"{_AFTER}[:：]?(?P<text>) {{0,3}}#{{0,6}} *",
        re.IGNORECASE,
    ),
    "bold": re.compile(
        rf" {{0,3}}(?:[-*+] )?{_BEFORE}(?:\*\*|__){_BEFORE}{_NAME}{_AFTER}"
        rf"(?P<inner>[:：]?) ?(?:\*\*|__){_AFTER}(?P<outer>[:：]?)(?P<text>.*)",
        re.IGNORECASE,
    ),
    "line": re.compile(
        rf" {{0,3}}(?:[-*+] )?{_BEFORE}{_NAME}{_AFTER}(?::(?= |$)|：)(?P<text>.*)",
        re.IGNORECASE,
    ),
}
_FIND_TIME = re.compile(_TIME)
_QUOTE = re.compile(r" {0,3}> ?")
_RULE = re.compile(r" {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})")
_FENCE = re.compile(r" {0,3}(?:`{3,}|~{3,})[ \t]*")
_MAX_CUTS = 20


@dataclass(frozen=True, slots=True)
class Message:
    """A message that begins on line `line` (from 0); `time` as it is written there."""

    line: int
    role: Role
    speaker: str | None
    time: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Chat:
    """The messages of a text and the shape of what stands before them, empty if there is none."""

    shape: str
    messages: tuple[Message, ...]


def parse_chat(lines: Sequence[str], shape: str = "", *, ended: bool = True) -> Chat:
    """Take a chat apart; `shape` is that of the text before, if it is known.

    `ended` says that nothing follows: a fence that nobody closed then ends before a message.
    """
    for quoted in (False, True) if not shape else (shape.startswith(">"),):
        view = [_QUOTE.sub("", line, count=1) for line in lines] if quoted else list(lines)
        headers = _headers(view, shape.lstrip(">"), ended=ended)
        if headers:
            mark = ">" if quoted else ""
            return Chat(mark + headers[0].shape, tuple(_messages(view, headers)))
    return Chat(shape, ())


@dataclass(frozen=True, slots=True)
class _Header:
    line: int
    shape: str
    role: Role
    speaker: str | None
    time: str | None
    text: str


def _headers(lines: Sequence[str], shape: str, *, ended: bool) -> list[_Header]:
    found = [header for n, line in enumerate(lines) if (header := _header(n, line, shape))]
    if not found:
        return []
    hidden = _code_lines(lines, {header.line for header in found}, ended=ended)
    open_ones = [header for header in found if header.line not in hidden]
    return [header for header in open_ones if header.shape == open_ones[0].shape]


def _header(number: int, line: str, shape: str) -> _Header | None:
    """Read a line as a header of this shape, or of any if none is given."""
    for kind, pattern in _SHAPES.items():
        match = pattern.fullmatch(line) if shape.startswith(kind) or not shape else None
        if match is None:
            continue
        role, speaker = _who(match["name"], match["more"])
        named = kind + (str(len(match["level"])) if kind == "heading" else "")
        if role is None or shape not in ("", named) or not _is_clear(kind, match):
            continue
        time = _FIND_TIME.search(line, 0, match.start("text"))
        return _Header(
            number, named, role, speaker, time[0] if time else None, match["text"].strip()
        )
    return None


def _who(name: str, more: str | None) -> tuple[Role | None, str | None]:
    """Return role and speaker of `user`, `User (Ada)` or `Ada (user)`."""
    role = _ROLES.get(name.casefold())
    if role is None and more:
        return _ROLES.get(more.strip().casefold()), name
    is_name = more is not None and not any(character.isdigit() for character in more)
    return role, more if role == "user" and is_name else None


def _is_clear(kind: str, match: re.Match[str]) -> bool:
    """Say whether a match is no part of the text: by a colon, or as it stands alone."""
    if kind == "bold":
        return bool(match["inner"] or match["outer"] or not match["text"].strip())
    return kind == "heading" or match["name"].casefold() not in _WORDS


def _messages(lines: Sequence[str], headers: Sequence[_Header]) -> list[Message]:
    ends = [header.line for header in headers[1:]] + [len(lines)]
    return [
        Message(
            header.line,
            header.role,
            header.speaker,
            header.time,
            _body([header.text, *lines[header.line + 1 : end]]),
        )
        for header, end in zip(headers, ends, strict=True)
    ]


def _body(lines: Sequence[str]) -> str:
    """Join a message's lines without rules and blank lines around them, and without its quote."""
    kept = list(lines)
    while kept and (not kept[-1].strip() or _RULE.fullmatch(kept[-1])):
        kept.pop()
    while kept and not kept[0].strip():
        kept.pop(0)
    if kept and all(_QUOTE.match(line) or not line.strip() for line in kept):
        kept = [_QUOTE.sub("", line, count=1) for line in kept]
    return "\n".join(kept)


def _code_lines(lines: Sequence[str], starts: set[int], *, ended: bool) -> set[int]:
    """Return the lines in code or front matter, from 0; `starts` may begin a message."""
    code: set[int] = set()
    begin = 0
    for _ in range(_MAX_CUTS):
        parsed = markdown.parse("\n".join(lines[begin:]))
        block = {begin + number - 1 for number in parsed.code}
        block.update(range(begin, begin + parsed.front_matter))
        cut = _end_of_open_code(lines, block, starts) if ended else None
        if cut is None:
            return code | block
        code |= {number for number in block if number < cut}
        begin = cut
    return code


def _end_of_open_code(lines: Sequence[str], code: set[int], starts: set[int]) -> int | None:
    """Return the line of the message before which code that runs open to the end is to be cut."""
    last = len(lines) - 1
    if last not in code or _FENCE.fullmatch(lines[last]):
        return None
    first = last
    while first - 1 in code:
        first -= 1
    return next(
        (n for n in range(first + 1, last + 1) if n in starts and not lines[n - 1].strip()), None
    )
