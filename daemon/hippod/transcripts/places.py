"""Where transcripts lie: expand a source's glob, and match single paths against it.

A glob is absolute, begins with `~`, or is relative to the workspace; `*`, `?`, `[…]` and
`{this,that}` stay within a name, `**` spans folders. Wildcards never match hidden names. Links
are followed in the part without wildcards, which a person wrote, and never below it. What hippod
keeps for itself in the workspace is never a transcript, whatever the glob.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from hippod.errors import InvalidInput, StorageError
from hippod.paths import in_home

_ARCHIVE = re.compile(
    r"(?P<live>.+\.jsonl)(?:\.(?:reset|deleted)\.\d{4}-[0-9TZ.:+-]*[0-9TZ])?(?:\.(?:gz|zst))?"
)
_CHOICE = re.compile(r"\{([^{}]*,[^{}]*)\}")
_WILDCARD = re.compile(r"[*?[{]")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_MAX_ALTERNATIVES = 64
_NOT_TRANSCRIPTS = (
    "*.trajectory.jsonl",
    "*.checkpoint.*.jsonl",
    "sessions.json",
    "*-wal",
    "*-shm",
    "*-journal",
)
_NOT_SOURCES = ("session-sqlite-import-archive",)
_OURS = ".memory"
"""Its databases are open: reading one as a file would drop the locks that SQLite holds on it."""


def discover(pattern: str, root: Path) -> list[Path]:
    """Return the transcripts that `pattern` names, sorted; a folder that is missing has none.

    Raises `InvalidInput` if the pattern cannot be right, `StorageError` if the folder it begins
    in cannot be read; unreadable folders further down are passed over.
    """
    glob = _parse(pattern, root)
    try:
        os.scandir(glob.base).close()
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise StorageError(
            f"{glob.base}: {error.strerror}", "check the source's path and its permissions"
        ) from None
    ours = _ours(glob.base, root)
    found = {path for names in glob.names for path in _walk(glob.base, names)}
    return sorted(path for path in found if ours is None or not path.is_relative_to(ours))


def matches(pattern: str, root: Path, path: Path) -> bool:
    """Say whether `path` (relative ones are below `root`) is one that `discover` would return.

    Looks at the names alone, so it also holds for files that are gone, and for links.
    """
    glob = _parse(pattern, root)
    absolute = os.path.normpath(os.path.join(os.path.abspath(root), path))  # noqa: PTH100, PTH118
    if not absolute.startswith(os.path.join(glob.base, "")):  # noqa: PTH118
        return False  # nearly every document, at every look: as paths it takes ten times as long
    candidate = Path(absolute)
    if not any(_file_fits(candidate.name, names[-1]) for names in glob.names):
        return False
    parts = candidate.relative_to(glob.base).parts
    if not any(_fits(parts, names) for names in glob.names):
        return False
    ours = _ours(glob.base, root)
    return ours is None or not candidate.is_relative_to(ours)


def owns(pattern: str, root: Path, path: Path) -> bool:
    """Say whether `path` matches and no link lies on the way to it below the pattern's folder."""
    base = _parse(pattern, root).base
    return matches(pattern, root, path) and not _has_link(
        base, _absolute(root / path).relative_to(base).parts
    )


def watch_root(pattern: str, root: Path) -> Path | None:
    """Return the folder below which all lies that `pattern` can match, None if it is not there.

    Never a folder above it: that may be somebody's whole home.
    """
    base = _parse(pattern, root).base
    return base if base.is_dir() else None


def live_name(name: str) -> str:
    """Return the name that a transcript had before it was archived or compressed."""
    archive = _ARCHIVE.fullmatch(name)
    return archive["live"] if archive else name


def is_archive(name: str) -> bool:
    """Say whether the name is one that agents give to a session that is over."""
    return live_name(name) != name


@dataclass(frozen=True, slots=True)
class _Glob:
    """A folder, and the names below it that lead to a transcript: one way for each alternative."""

    base: Path
    names: tuple[tuple[str, ...], ...]


@lru_cache(maxsize=256)  # asked for every document
def _parse(pattern: str, root: Path) -> _Glob:
    """Split a pattern into the folder before its first wildcard and the names behind it."""
    if not pattern.strip() or "\0" in pattern:
        raise InvalidInput("a source's path is empty or holds a NUL", "give a glob of files")
    written = Path(in_home(pattern))
    parts = _absolute(root / written).parts
    literal = _literal_parts(parts, () if written.is_absolute() else _absolute(root).parts)
    ways = _alternatives("/".join(parts[literal:]))
    return _Glob(Path(*parts[:literal]), tuple(tuple(way.split("/")) for way in ways))


def _alternatives(pattern: str) -> list[str]:
    """Write out every `{a,b}`, the innermost ones first."""
    ways = [pattern]
    while any(map(_BRACES.search, ways)):
        ways = [spelled for way in ways for spelled in _spelled(way)]
        if len(ways) > _MAX_ALTERNATIVES:
            raise InvalidInput(
                f"{pattern}: more than {_MAX_ALTERNATIVES} alternatives", "use several sources"
            )
    return list(dict.fromkeys(ways))


def _spelled(pattern: str) -> list[str]:
    braces = _BRACES.search(pattern)
    if braces is None:
        return [pattern]
    before, behind = pattern[: braces.start()], pattern[braces.end() :]
    return [f"{before}{choice}{behind}" for choice in braces[1].split(",")]


def _absolute(path: Path) -> Path:
    """Make a path absolute by its names alone: a link in it stays."""
    return Path(os.path.normpath(path.absolute()))


def _literal_parts(parts: Sequence[str], root_parts: Sequence[str]) -> int:
    """Count the parts before the first wildcard; those of the workspace itself hold none."""
    own = len(root_parts) if tuple(parts[: len(root_parts)]) == tuple(root_parts) else 1
    wild = (i for i, part in enumerate(parts) if i >= own and _WILDCARD.search(part))
    return min(next(wild, len(parts)), len(parts) - 1)


def _ours(base: Path, root: Path) -> Path | None:
    """Return what hippod keeps for itself as it is called seen from `base`, None if not below."""
    ours, real = root.resolve() / _OURS, base.resolve()
    if real.is_relative_to(ours):
        return base
    return base / ours.relative_to(real) if ours.is_relative_to(real) else None


def _walk(folder: Path, names: Sequence[str]) -> Iterator[Path]:
    name, rest = names[0], names[1:]
    if name == "**":
        yield from _walk(folder, rest or ("*",))
        for entry in _entries(folder):
            if entry.is_dir(follow_symlinks=False) and _is_open(entry.name):
                yield from _walk(folder / entry.name, names)
        return
    for entry in _entries(folder):
        if rest and entry.is_dir(follow_symlinks=False) and _folder_fits(entry.name, name):
            yield from _walk(folder / entry.name, rest)
        elif not rest and entry.is_file(follow_symlinks=False) and _file_fits(entry.name, name):
            yield folder / entry.name


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:  # removed meanwhile, or not for us to read
        return []


def _fits(parts: Sequence[str], names: Sequence[str]) -> bool:
    """Match a relative path against names; `**` stands for any number of open folders."""
    if not parts or not names:
        return False
    name, rest = names[0], names[1:]
    if name == "**":
        return _fits(parts, rest or ("*",)) or (_is_open(parts[0]) and _fits(parts[1:], names))
    if not rest:
        return len(parts) == 1 and _file_fits(parts[0], name)
    return _folder_fits(parts[0], name) and _fits(parts[1:], rest)


def _has_link(base: Path, parts: Sequence[str]) -> bool:
    return any(base.joinpath(*parts[:depth]).is_symlink() for depth in range(1, len(parts) + 1))


def _is_open(folder: str) -> bool:
    return not folder.startswith(".") and folder not in _NOT_SOURCES


def _folder_fits(folder: str, name: str) -> bool:
    return folder == name or (_is_open(folder) and _name_fits(folder, name))


def _file_fits(file: str, name: str) -> bool:
    """Match a file by the name it has while its session lives, so that archives match too."""
    live = live_name(file)
    fits = live == name or file == name or (not file.startswith(".") and _name_fits(live, name))
    return fits and not any(fnmatchcase(live, other) for other in _NOT_TRANSCRIPTS)


def _name_fits(text: str, name: str) -> bool:
    return any(fnmatchcase(text, pattern) for pattern in _choices(name))


@lru_cache(maxsize=256)
def _choices(name: str) -> tuple[str, ...]:
    """Write out the choices of a name: `*.{db,sqlite}` are `*.db` and `*.sqlite`."""
    if (choice := _CHOICE.search(name)) is None:
        return (name,)
    before, after = name[: choice.start()], name[choice.end() :]
    return tuple(
        pattern
        for chosen in choice[1].split(",")
        for pattern in _choices(f"{before}{chosen}{after}")
    )
