"""Shows what changes in a file of settings, without what others keep in it. Pure."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby, zip_longest

from hippod import diffs
from hippod.redact import redact

_LONGEST_LINE = 300
"""Characters of a line: settings without line ends may be megabytes of one."""
_AROUND = 60
"""Characters that are shown of a long line before and behind what changes in it."""
_JSON_PART = re.compile(
    r"//[^\n]*|/\*.*?\*/|(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')(\s*:)?", re.DOTALL
)
_TOML_PART = re.compile(
    r"#[^\n]*|(\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''.*?'''|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*')(\s*[=.])?",
    re.DOTALL,
)
_PARTS = {".json": _JSON_PART, ".jsonc": _JSON_PART, ".json5": _JSON_PART, ".toml": _TOML_PART}


def shown(path: str, before: bytes | None, after: bytes | None, ours: Collection[str]) -> str:
    """Return the diff of a file; of the texts in JSON and TOML only keys and `ours` are shown."""
    suffix = next((each for each in _PARTS if path.endswith(each)), "")
    if suffix:
        before, after = (_masked(data, _PARTS[suffix], ours) for data in (before, after))
    lines = diffs.unified(path, before, after).splitlines(keepends=True)
    return redact("".join([*lines[:2], *_shortened(lines[2:])])).text


def _masked(data: bytes | None, part: re.Pattern[str], ours: Collection[str]) -> bytes | None:
    if data is None:
        return None

    def replaced(found: re.Match[str]) -> str:
        text, is_key = found.groups()
        return found.group() if text is None or is_key or _said(text) in ours else '"…"'

    return part.sub(replaced, data.decode("utf-8", "replace")).encode()


def _said(quoted: str) -> str:
    """Return what a quoted text says, near enough to know ours again."""
    text = quoted[1:-1]
    if "\\" not in text or quoted[0] == "'":
        return text
    return re.sub(r'\\(["\\/])', r"\1", text)


def _shortened(lines: Sequence[str]) -> Iterator[str]:
    """Cut lines that are long; of one that changes, what changes is kept."""
    if all(len(line) <= _LONGEST_LINE for line in lines):
        yield from lines
        return
    runs = [(mark, list(run)) for mark, run in groupby(lines, key=lambda line: line[0])]
    for number, (mark, run) in enumerate(runs):
        partners = _partners(runs, number, mark)
        for line, other in zip_longest(run, partners[: len(run)], fillvalue=""):
            yield line if len(line) <= _LONGEST_LINE else _window(line, other)


def _partners(runs: Sequence[tuple[str, list[str]]], number: int, mark: str) -> list[str]:
    """Return the lines that a run of removed or added ones stands against."""
    step, wanted = {"-": (1, "+"), "+": (-1, "-")}.get(mark, (0, ""))
    at = number + step
    if step and 0 <= at < len(runs) and runs[at][0] == "\\":  # no newline at the end
        at += step
    return runs[at][1] if step and 0 <= at < len(runs) and runs[at][0] == wanted else []


def _window(line: str, other: str) -> str:
    """Return a long line around where it differs from another one."""
    mark, text, other = line[0], line[1:].rstrip("\n"), other[1:].rstrip("\n")
    start = _common(text, other) if other else 0
    end = len(text) - _common(text[start:][::-1], other[start:][::-1]) if other else len(text)
    first, last = max(0, start - _AROUND), min(len(text), end + _AROUND)
    last = min(last, first + _LONGEST_LINE)
    before, behind = "…" if first else "", "…" if last < len(text) else ""
    return f"{mark}{before}{text[first:last]}{behind}\n"


def _common(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
