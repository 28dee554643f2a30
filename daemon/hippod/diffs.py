"""Unified diffs of two versions of a document, in bounded time whatever their size. Pure."""

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

_CONTEXT = 3
_MOST_COMPARED = 2_000
"""Lines between the first and the last difference up to which a smallest diff is looked for."""
_MOST_SHOWN = 4_000
"""Lines of a diff."""
_HUNK = re.compile(r"@@ -([0-9]+)((?:,[0-9]+)?) \+([0-9]+)((?:,[0-9]+)?) @@\n")


def unified(path: str, before: bytes | None, after: bytes | None) -> str:
    """Return what turns `before` into `after` (None: no file); empty if they are equal.

    Bytes that are not UTF-8 are replaced. A very long diff is cut, and says so.
    """
    if before == after:
        return ""
    old, new = _lines(before), _lines(after)
    name = _shown(path)
    head = [
        f"--- {name if before is not None else '/dev/null'}\n",
        f"+++ {name if after is not None else '/dev/null'}\n",
    ]
    body = [_ended(line) for line in _hunks(old, new)]
    shown = body[:_MOST_SHOWN]
    if len(body) > len(shown):
        shown.append(f"... and {len(body) - len(shown)} more lines\n")
    return "".join([*head, *shown])


def appended(path: str, lines: Iterable[str]) -> str:
    """Return what says that lines come to the end of a document, wherever that is then."""
    name = _shown(path)
    added = "".join(f"+{line}\n" for line in lines)
    return f"--- {name}\n+++ {name}\n{added}"


def renamed(before: str, after: str) -> str:
    """Return what says that a document only got another path, as git does."""
    return f"rename from {_shown(before)}\nrename to {_shown(after)}\n"


def _shown(path: str) -> str:
    return path.replace("\n", "\\n").replace("\r", "\\r")


def _lines(data: bytes | None) -> list[str]:
    """Split at LF alone, so that a changed line end shows as one."""
    pieces = (data or b"").decode(errors="replace").split("\n")
    lines = [f"{piece}\n" for piece in pieces[:-1]]
    return [*lines, pieces[-1]] if pieces[-1] else lines


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    start = max(0, _common(old, new) - _CONTEXT)
    old, new = old[start:], new[start:]
    end = max(0, _common(old[::-1], new[::-1]) - _CONTEXT)
    end = min(end, len(old), len(new))
    old, new = old[: len(old) - end], new[: len(new) - end]
    if max(len(old), len(new)) > _MOST_COMPARED:
        yield f"@@ -{start + 1},{len(old)} +{start + 1},{len(new)} @@\n"
        yield from (f"-{line}" for line in old)
        yield from (f"+{line}" for line in new)
        return
    for line in list(difflib.unified_diff(old, new, n=_CONTEXT))[2:]:
        match = _HUNK.fullmatch(line)
        yield _shifted(match, start) if match else line


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    pairs = zip(old, new, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _shifted(match: re.Match[str], by: int) -> str:
    return f"@@ -{int(match[1]) + by}{match[2]} +{int(match[3]) + by}{match[4]} @@\n"
