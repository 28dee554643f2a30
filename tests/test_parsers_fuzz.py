"""Every parser of text from outside: any text is read or refused by name, in linear time."""

import importlib
import pkgutil
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
import regex
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hippod
from hippod import (
    chunks,
    daylog,
    errors,
    event_stream,
    facts,
    forgotten,
    lognotes,
    markdown,
    pages,
    questions,
    redact,
    schedule,
    timespans,
)
from hippod.checklist import quiet, reading, rules
from hippod.config import load
from hippod.extraction import replies
from hippod.query import path_pattern, understand
from hippod.reflection import ledger_text, proposals
from hippod.transcripts import reader
from hippod.transcripts.chat_shapes import parse_chat
from hippod.wire import RecallRequest

NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
Parser = Callable[[str], object]


def config_of(text: str, folder: Path) -> object:
    file = folder / "config.toml"
    file.write_text(text, encoding="utf-8", errors="surrogatepass")
    return load(file, {"HOME": str(folder)})


def transcript_of(text: str, folder: Path, name: str, form: str) -> object:
    file = folder / name
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    return reader.read(file, None, seen=lambda _key: False, format=form)


def stream_of(text: str) -> object:
    data = text.encode("utf-8", "surrogatepass")
    pieces = [data[start : start + 1000] for start in range(0, len(data), 1000)]
    return list(event_stream.payloads(pieces))


def chunked(text: str) -> object:
    data = text.encode("utf-8", "surrogatepass")
    return list(event_stream.unchunked([data[:500], data[500:]]))


PURE: dict[str, tuple[Parser, tuple[type[Exception], ...]]] = {
    "daily log": (daylog.parse, ()),
    "bullet": (facts.parse_bullet, ()),
    "validity": (facts.validity, ()),
    "markdown": (markdown.parse, ()),
    "chunks of a log": (lambda text: chunks.units("memory/2026-03-03.md", text, zone=UTC), ()),
    "chunks of a page": (lambda text: chunks.units("bank/entities/Ada.md", text, zone=UTC), ()),
    "entity page": (lambda t: pages.entity_page("bank/entities/A.md", markdown.parse(t)), ()),
    "regions": (lambda text: pages.regions(markdown.parse(text)), ()),
    "opinions": (lambda text: pages.opinions(markdown.parse(text)), ()),
    "statements": (lambda text: pages.statements(markdown.parse(text)), ()),
    "supersessions": (lambda text: pages.supersessions(markdown.parse(text)), ()),
    "ledger": (lambda text: ledger_text.held(markdown.parse(text)), ()),
    "proposals": (proposals.parse, ()),
    "forgotten": (forgotten.Tombstones.parse, ()),
    "notes of a log": (lambda text: lognotes.notes(text), ()),
    "checklist": (lambda text: reading.read(text, ("disk",)), ()),
    "rule": (rules.parse, (errors.HippodError, ValueError)),
    "quiet hours": (quiet.read, ()),
    "rhythm": (schedule.rhythm, (ValueError,)),
    "hours": (schedule.hours, (ValueError,)),
    "timespans": (lambda text: timespans.read(text, NOW), ()),
    "question": (questions.read, ()),
    "query": (
        lambda t: understand(RecallRequest(query=t), now=NOW, zone=UTC),
        (errors.InvalidInput, ValueError),
    ),
    "path pattern": (path_pattern, (errors.InvalidInput,)),
    "redaction": (redact.redact, ()),
    "reply of a model": (replies.parse, ()),
    "line of a model": (replies.line, ()),
    "chat": (lambda text: parse_chat(text.splitlines()), ()),
    "events": (stream_of, (ValueError,)),
    "chunked body": (chunked, (ValueError,)),
}
FILES: dict[str, tuple[Callable[[str, Path], object], tuple[type[Exception], ...]]] = {
    "configuration": (config_of, (errors.ConfigError,)),
    **{
        f"transcript, {form}": (
            lambda text, folder, form=form: transcript_of(text, folder, f"{form}.jsonl", form),
            (errors.StorageError,),
        )
        for form in ("auto", "generic", "claude-code", "codex", "openclaw", "gemini-cli")
    },
    "transcript, markdown": (
        lambda text, folder: transcript_of(text, folder, "a.md", "auto"),
        (errors.StorageError,),
    ),
}

# -- any text --------------------------------------------------------------------------------

PIECES = (
    "## Retain\n", "- W @Ada: Rows.", "[09:00:00] ", "- O(c=0.9) @A : ", " ^k3f9ab27qt", "---\n",
    "```\n", "~~~", "<private>", "</private>", "<hippod-memory>", "</hippod-memory>", "# ", "\r\n",
    "<!-- hippod:summary sha256:0 -->", "<!-- /hippod:summary -->", "<<<<<<< a\n", "=======\n",
    "[[2026-01-01#^k3f9ab27qt]] +0.20", "- prior: 0.8\n", "entity: A\naliases: [b]\n", "|a|b|\n",
    '{"role": "user", "content": "x"}\n', '{"type": "message", "id": 1', "[[sources]]\n", "= 1\n",
    "data: x\n\n", "1f\r\n", "every 2 days at 9", "2026-02-30", "next Tuesday", "number > ",
    "**User:** ", "\ufeff", "\x00", "\u2028", "\ud800", "é", "日本", "1e999", "-" * 50, " " * 50,
)  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=20)), max_size=25).map("".join)
QUICKLY = settings(
    max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), database=None
)


@pytest.mark.filterwarnings("ignore:Possible nested set|Possible set:FutureWarning")  # `[[`
@pytest.mark.parametrize("name", PURE)
def test_any_text_is_read_or_refused(name: str) -> None:
    parse, allowed = PURE[name]

    @QUICKLY
    @given(text=TEXTS)
    def read(text: str) -> None:
        with suppress(*allowed):
            parse(text)

    read()


@pytest.mark.parametrize("name", FILES)
def test_any_file_is_read_or_refused(name: str, tmp_path: Path) -> None:
    parse, allowed = FILES[name]

    @QUICKLY
    @given(text=TEXTS)
    def read(text: str) -> None:
        with suppress(*allowed):
            parse(text, tmp_path)

    read()


# -- long text -------------------------------------------------------------------------------

REPEATED = (
    "a", " ", "\n", "(", "[", "<", "- ", "#", "`", "*", "1", "1-", "a.", "<private>", "> ",
    "[09:00:00] a\n", "- W @A: b\n", "[[", "{\"a\":", "@a ", "\t", "_a", "next ",
)  # fmt: skip
SHORT, LONGER = 800, 10
MOST_GROWTH = 40
"""Times as long for ten times the text; what is quadratic takes a hundred times as long."""
AT_ONCE_SECONDS = 0.1
"""What is read within that of the processor is not looked at further."""


@pytest.mark.parametrize("name", PURE)
def test_ten_times_the_text_takes_about_ten_times_as_long(name: str) -> None:
    parse, allowed = PURE[name]
    for piece in REPEATED:
        text = piece * (SHORT // len(piece))
        if (long := seconds(parse, text * LONGER, allowed)) < AT_ONCE_SECONDS:
            continue
        short = min(seconds(parse, text, allowed) for _ in range(3))
        long = min(long, seconds(parse, text * LONGER, allowed))
        assert long < MOST_GROWTH * short, (piece, short, long)


def seconds(parse: Parser, text: str, allowed: tuple[type[Exception], ...]) -> float:
    """Measure the processor's time of this thread: others share the machine."""
    began = time.thread_time()
    with suppress(*allowed):
        parse(text)
    return time.thread_time() - began


# -- patterns --------------------------------------------------------------------------------

OF_PATTERNS = (
    "a",
    "1",
    " ",
    "\n",
    "a ",
    "1,",
    "a.",
    "- ",
    "(",
    "`",
    "\t",
    "_a",
    "é",
    "日",
    "a\n",
    "=",
)
PATTERN_TEXT = 40
SOON_SECONDS = 0.25
"""For so short a text: only what doubles with each character takes that long."""


def patterns() -> dict[str, "re.Pattern[str]"]:
    """Return the compiled patterns of all modules, in tables too, by a name."""
    found: dict[str, re.Pattern[str]] = {}
    for each in pkgutil.walk_packages(hippod.__path__, "hippod."):
        if not each.name.endswith("__main__"):
            for name, value in vars(importlib.import_module(each.name)).items():
                for pattern in compiled(value, 3):
                    found.setdefault(str(pattern.pattern), pattern)
                    names.setdefault(str(pattern.pattern), f"{each.name}.{name}")
    return found


names: dict[str, str] = {}


def compiled(value: object, depth: int) -> Iterator["re.Pattern[str]"]:
    if isinstance(value, re.Pattern | regex.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif depth and isinstance(value, dict):
        for each in value.values():
            yield from compiled(each, depth - 1)
    elif depth and isinstance(value, tuple | list | set | frozenset):
        for each in value:
            yield from compiled(each, depth - 1)


def test_no_pattern_is_a_bomb() -> None:
    found = patterns()
    assert len(found) > 500
    slow = {names[text]: seconds_of(pattern) for text, pattern in found.items()}
    assert not {name: took for name, took in slow.items() if took[0] > SOON_SECONDS}


def seconds_of(pattern: "re.Pattern[str]") -> tuple[float, str]:
    """Return the longest that it looks through a text of one piece again and again."""
    own = sorted(set(re.findall(r"[<>\[\](){},.:;'\"#@/a-z0-9-]", pattern.pattern)))
    step = max(1, len(own) // 8)
    return max(
        (
            seconds(lambda t: pattern.search(t), piece * (PATTERN_TEXT // len(piece)) + "\0", ()),
            piece,
        )
        for piece in (*OF_PATTERNS, *own[::step])
    )
