"""Finds copies of a text that hippod does not change: transcripts, other files, git's history."""

import mmap
import os
import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hippod import forgotten, transcripts, untouchable
from hippod.config import Config
from hippod.errors import HippodError
from hippod.lock import FOLDER
from hippod.state import State
from hippod.workspace import Workspace

_MOST_BYTES = 256_000_000
_MOST_FILES = 50_000
_MOST_TEXTS = 20
_LEAST_BYTES = 4
_BETWEEN = rb"(?:\\[nrt]|\\u[0-9a-f]{4}|\W)"
"""What may stand between two words: as text, or as a string of JSON."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A file that holds the text, from `line` on if that was looked for; or git's history."""

    why: Literal["transcript", "file", "git"]
    path: str
    line: int | None = None


class Copies:
    """Looks into files outside of the documents; changes nothing."""

    def __init__(self, config: Config, workspace: Workspace, state: State) -> None:
        self._sources = tuple(config.sources)
        self._workspace = workspace
        self._state = state

    def find(
        self, said: Sequence[str], ids: Collection[str], read: Collection[str]
    ) -> Iterator[Copy]:
        """Yield the files that say any of some texts, and the transcripts of facts.

        The documents that were `read` are passed over.
        """
        pattern = _pattern(said)
        root = self._workspace.root
        seen: set[Path] = set()
        for path in self._transcripts():
            if (line := _line_of(path, pattern)) is not None:
                seen.add(path)
                yield Copy("transcript", _shown(path, root), line)
        for path in self._cited(ids) - seen:
            seen.add(path)
            yield Copy("transcript", _shown(path, root))
        for path in _others(root, read, seen) if pattern else ():
            if (line := _line_of(path, pattern)) is not None:
                yield Copy("file", _shown(path, root), line)
        if pattern and (repository := _repository(root)):
            yield Copy("git", str(repository))

    def _transcripts(self) -> list[Path]:
        found: dict[Path, None] = {}
        for source in self._sources:
            try:
                paths = transcripts.discover(source.path, self._workspace.root)
            except HippodError:
                continue
            found |= dict.fromkeys(paths)
        return list(found)

    def _cited(self, ids: Collection[str]) -> set[Path]:
        """Return the transcripts that facts were taken from, as far as they are still there."""
        origins = filter(None, map(self._state.origin, sorted(ids)))
        paths = {Path(origin.path) for origin in origins if origin.path}
        return {path for path in paths if path.is_absolute() and path.is_file()}


def _pattern(said: Sequence[str]) -> re.Pattern[bytes] | None:
    texts = []
    for text in said[:_MOST_TEXTS]:
        words = forgotten.placed_words(text)
        if (
            sum(len(text[word.start : word.end].encode("utf-8", "surrogatepass")) for word in words)
            >= _LEAST_BYTES
        ):
            texts.append(b"".join(_sequence(text, words)))
    return re.compile(b"|".join(texts), re.IGNORECASE) if texts else None


def _sequence(text: str, words: Sequence[forgotten.Word]) -> Iterator[bytes]:
    """Yield patterns for words, and for what may stand between them; nothing has to in CJK."""
    before = None
    for word in words:
        if before is not None:
            yield _BETWEEN + (b"{0,12}" if before == word.start else b"{1,12}")
        yield _spelled(text[word.start : word.end])
        before = word.end


def _spelled(word: str) -> bytes:
    """Return a pattern for a word: case and Unicode form may be other ones, JSON may escape it."""
    if word.isascii():
        return re.escape(word.encode())
    cased = dict.fromkeys((word, word.lower(), word.upper(), word.title()))
    forms = [unicodedata.normalize(form, each) for form in ("NFC", "NFD") for each in cased]
    return b"(?:" + b"|".join(map(_as_written, dict.fromkeys(forms))) + b")"


def _as_written(word: str) -> bytes:
    plain = re.escape(word.encode("utf-8", "surrogatepass"))
    units = word.encode("utf-16-be", "surrogatepass")
    codes = [units[n : n + 2].hex() for n in range(0, len(units), 2)]
    escaped = b"".join(
        re.escape(bytes.fromhex(code[2:])) if code < "0080" else rb"\\u" + code.encode()
        for code in codes
    )
    return plain + b"|" + escaped


def _line_of(path: Path, pattern: re.Pattern[bytes] | None) -> int | None:
    """Return the first line that says it; None if none does, or the file cannot be read."""
    if pattern is None or untouchable.is_ours_at(path):
        return None
    try:
        with path.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            if not size or size > _MOST_BYTES:
                return None
            with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
                match = pattern.search(data)
                return data[: match.start()].count(b"\n") + 1 if match else None
    except (OSError, ValueError):
        return None


def _others(root: Path, read: Collection[str], seen: Collection[Path]) -> Iterator[Path]:
    """Yield the files of the workspace that were not read, hidden ones too."""
    count = 0
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in (FOLDER, ".git")]
        for name in names:
            path = Path(folder, name)
            if path.relative_to(root).as_posix() in read or path in seen:
                continue
            count += 1
            if count > _MOST_FILES:
                return
            if path.is_file() and not path.is_symlink():
                yield path


def _repository(root: Path) -> Path | None:
    """Return the git repository that the workspace lies in."""
    return next((each for each in (root, *root.parents) if (each / ".git").exists()), None)


def _shown(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
