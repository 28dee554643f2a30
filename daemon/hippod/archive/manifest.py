"""What an archive says of itself: its values, their JSON, and the paths that may be in it."""

import json
import os
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

FORMAT: Final = 1
HEADER, STATE, MANIFEST = "hippod-backup.json", "state.sqlite", "manifest.json"
WORKSPACE = "workspace/"
DERIVED = ".memory"
"""The folder of a workspace of which nothing but the state is in a backup."""
_LONGEST_PATH = 4096
_LONGEST_PART = 255


@dataclass(frozen=True, slots=True)
class File:
    """A file of a backup: `member` counts the archive's members from 0."""

    path: str
    size: int
    sha256: str
    mode: int
    mtime_ns: int
    member: int


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder; the path of the workspace itself is empty."""

    path: str
    mode: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What is not in a backup, and why; `lost`: a file that could not be read."""

    path: str
    reason: str
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup holds.

    `made` is an ISO time, `workspace` where the folder lay, `schema` the version of the state.
    `changing` are files that were written to all the while: as of one of those moments. `torn`
    are members that do not count.
    """

    version: str
    made: str
    workspace: str
    files: tuple[File, ...]
    state: File | None = None
    schema: int = 0
    folders: tuple[Folder, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    changing: tuple[str, ...] = ()
    torn: tuple[int, ...] = ()
    format: int = FORMAT

    @property
    def total_bytes(self) -> int:
        """What all files take."""
        return sum(each.size for each in self.files) + (self.state.size if self.state else 0)

    def encode(self) -> bytes:
        """Return it as JSON; names that are not UTF-8 stand as lone surrogates."""
        return json.dumps(asdict(self)).encode("ascii")


# -- paths -----------------------------------------------------------------------------------


def check_paths(manifest: Manifest) -> None:
    """Raise `ValueError` for names that leave a folder, or that cannot stand side by side."""
    files = {each.path for each in manifest.files}
    if len(files) < len(manifest.files):
        raise ValueError("it holds a file twice")
    for path in (*files, *(each.path for each in manifest.folders if each.path)):
        if fault := path_fault(path):
            raise ValueError(f"{path!a} in it {fault}")
        parts = path.split("/")
        above = ("/".join(parts[:count]) for count in range(1, len(parts)))
        if any(each in files for each in above):
            raise ValueError(f"{path!a} in it lies in a file")
    if any(each.path in files for each in manifest.folders):
        raise ValueError("it holds a file and a folder of one name")


def path_fault(path: str) -> str:
    """Say why a path may not be written below a folder; empty if it may."""
    if path.startswith("/"):
        return "is absolute"
    if "\0" in path:
        return "holds a NUL"
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts):
        return "leaves the workspace, or has an empty part"
    if unicodedata.normalize("NFKC", parts[0]).casefold() == DERIVED:
        return f"lies in {DERIVED}"
    try:
        sizes = [len(os.fsencode(part)) for part in parts]
    except UnicodeEncodeError:
        return "is no name of a file"
    if max(sizes) > _LONGEST_PART or sum(sizes) + len(sizes) > _LONGEST_PATH:
        return "is too long"
    return ""


# -- its JSON ---------------------------------------------------------------------------------


def decode(data: bytes) -> Manifest:
    """Return what `encode` made of a manifest; raises `ValueError` for anything else."""
    try:
        found = json.loads(data)
        if found["format"] != FORMAT:
            raise ValueError(f"it has format {found['format']!a}, this hippod knows {FORMAT}")
        return Manifest(
            version=_text(found["version"]),
            made=_text(found["made"]),
            workspace=_text(found["workspace"]),
            files=tuple(map(_file, found["files"])),
            state=_file(found["state"]) if found["state"] else None,
            schema=_count(found["schema"]),
            folders=tuple(
                Folder(_text(each["path"]), _count(each["mode"])) for each in found["folders"]
            ),
            left_out=tuple(map(_left_out, found["left_out"])),
            changing=tuple(map(_text, found["changing"])),
            torn=tuple(map(_count, found["torn"])),
        )
    except (KeyError, TypeError, AttributeError, RecursionError, UnicodeDecodeError) as error:
        raise ValueError(f"its manifest cannot be read ({type(error).__name__})") from None


def _file(found: Mapping[str, Any]) -> File:
    return File(
        _text(found["path"]),
        _count(found["size"]),
        _text(found["sha256"]),
        _count(found["mode"]),
        _count(found["mtime_ns"]),
        _count(found["member"]),
    )


def _left_out(found: Mapping[str, Any]) -> LeftOut:
    return LeftOut(_text(found["path"]), _text(found["reason"]), bool(found["lost"]))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _count(value: object) -> int:
    if not isinstance(value, int) or not 0 <= value < 2**62:
        raise TypeError
    return value
