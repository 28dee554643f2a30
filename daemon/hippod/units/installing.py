"""Puts unit files into a service manager's folder: never over what somebody else wrote there.

A file that we write says so in a line with the hash of all the rest and the workspace that it
serves. So it is known again, it is known whether somebody edited it since, and one workspace does
not take the service of another.
"""

import contextlib
import enum
import json
import os
import re
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from hippod.errors import Conflict, StorageError
from hippod.units.setup import UnitFile

MODE = 0o644
"""They hold no secrets, and systemd complains of units that others cannot read."""
_MARK = re.compile(
    r"^(?:#|<!--) Written by `hippod service install`, sha256:([0-9a-f]{64})"
    r'(?:, for ("[^\n]*"))?(?: -->)?\n',
    re.M,
)
_MOST_COPIES = 1000


class State(enum.Enum):
    """What stands at the place of a unit file."""

    ABSENT = "absent"
    SAME = "same"
    OURS = "ours"
    EDITED = "edited"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class Change:
    """What was done to a file: `created`, `updated`, `removed`, `unchanged`, `left`.

    `kept` is the copy of what somebody else had written, if there was such a thing.
    """

    path: Path
    done: str
    kept: Path | None = None


def install(folder: Path, units: Sequence[UnitFile], *, force: bool = False) -> list[Change]:
    """Write `units` below `folder`; with `force` also over files of others, which are kept.

    Raises `Conflict` before anything is written, also where they serve another workspace, and
    `StorageError`.
    """
    with _told(folder):
        found = [(unit, inspect(folder / unit.name, signed(unit))) for unit in units]
        if not force:
            _refuse(folder, found, "--force replaces it and keeps a copy beside it")
            _refuse_another_workspace(folder, found)
        return [_put(folder / unit.name, signed(unit), state) for unit, state in found]


def is_ours(path: Path) -> bool:
    """Say whether `path` is a file of ours, edited or not."""
    return inspect(path, "") in (State.OURS, State.EDITED)


def refuse_edited(folder: Path, names: Iterable[str], *, force: bool) -> None:
    """Raise `Conflict` if one of our files was edited, unless `force`."""
    found = [(UnitFile(name, ""), inspect(folder / name, "")) for name in names]
    if not force:
        edited = [(unit, state) for unit, state in found if state is State.EDITED]
        _refuse(folder, edited, "--force removes it and keeps a copy beside it")


def remove(folder: Path, names: Iterable[str], *, force: bool = False) -> list[Change]:
    """Remove our files; with `force` also those edited since, of which a copy is kept.

    Files of others stay. Raises `Conflict` before anything is removed, `StorageError`.
    """
    listed = list(names)
    refuse_edited(folder, listed, force=force)
    with _told(folder):
        found = [(folder / name, inspect(folder / name, "")) for name in listed]
        return [_take(path, state) for path, state in found if state != State.ABSENT]


def sweep(folder: Path, names: Iterable[str]) -> list[Change]:
    """Remove files of ours that nobody edited since; leave all others. Raises `StorageError`."""
    with _told(folder):
        ours = [path for path in map(folder.joinpath, names) if inspect(path, "") is State.OURS]
        return [_take(path, State.OURS) for path in ours]


def inspect(path: Path, wanted: str) -> State:
    """Say what stands at `path`, where `wanted` is to stand."""
    try:
        text = path.read_text("utf-8") if not path.is_symlink() else None
    except FileNotFoundError:
        return State.ABSENT
    except UnicodeDecodeError:
        text = None
    if text is None:
        return State.FOREIGN
    if wanted and text == wanted:
        return State.SAME
    mark = _MARK.search(text)
    if mark is None:
        return State.FOREIGN
    rest = text[: mark.start()] + text[mark.end() :]
    return State.OURS if _digest(rest) == mark[1] else State.EDITED


def signed(unit: UnitFile) -> str:
    """Return the text of a unit file with the line that says it is ours."""
    said = f"Written by `hippod service install`, sha256:{_digest(unit.text)}"
    if unit.workspace:  # a comment of XML may hold no "--"
        said += f", for {json.dumps(unit.workspace).replace('-', _HYPHEN)}"
    if not unit.text.startswith("<?xml"):
        return f"# {said}\n{unit.text}"
    declaration, _, rest = unit.text.partition("\n")  # nothing may stand before that
    return f"{declaration}\n<!-- {said} -->\n{rest}"


_HYPHEN = "\\u002d"


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _refuse(folder: Path, found: Sequence[tuple[UnitFile, State]], way_out: str) -> None:
    for unit, state in found:
        if state in (State.EDITED, State.FOREIGN):
            how = "was edited" if state is State.EDITED else "is not hippod's"
            raise Conflict(
                f"{folder / unit.name}: {how}, so it was left alone",
                f"compare it with: hippod service install --print; {way_out}",
            )


def _refuse_another_workspace(folder: Path, found: Sequence[tuple[UnitFile, State]]) -> None:
    for unit, state in found:
        served = _served(folder / unit.name) if state is State.OURS and unit.workspace else ""
        if served not in ("", unit.workspace):
            raise Conflict(
                f"{folder / unit.name}: it serves the workspace {served}, not {unit.workspace}",
                "there is one service; --force gives it to this workspace",
            )


def _served(path: Path) -> str:
    """Return the workspace that a file of ours serves, empty if it does not say."""
    mark = _MARK.search(path.read_text("utf-8"))
    try:
        return str(json.loads(mark[2])) if mark and mark[2] else ""
    except ValueError:  # edited
        return ""


def _put(path: Path, text: str, state: State) -> Change:
    if state is State.SAME:
        return Change(path, "unchanged")
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = _keep(path) if state in (State.EDITED, State.FOREIGN) else None
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        _write(draft, text)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    return Change(path, "created" if state is State.ABSENT else "updated", kept)


def _take(path: Path, state: State) -> Change:
    if state is State.FOREIGN:
        return Change(path, "left")
    kept = _keep(path) if state is State.EDITED else None
    path.unlink()
    if path.parent.name.endswith(".d"):
        with contextlib.suppress(OSError):  # somebody else's drop-ins are in it
            path.parent.rmdir()
    return Change(path, "removed", kept)


def _keep(path: Path) -> Path:
    """Give what stands at `path` a second name that nobody has."""
    for number in range(_MOST_COPIES):
        copy = path.with_name(f"{path.name}.bak{number or ''}")
        with contextlib.suppress(FileExistsError):
            os.link(path, copy, follow_symlinks=False)
            return copy
    raise StorageError(f"{path}: there are {_MOST_COPIES} copies already", "remove some")


def _write(path: Path, text: str) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, MODE), "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), MODE)  # whatever the umask takes away
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


@contextlib.contextmanager
def _told(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = error.filename or folder
        raise StorageError(f"{where}: {error.strerror}", "check owner and mode") from None
