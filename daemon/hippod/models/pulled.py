"""The folder of pulled GGUF files, and what a model's name means in it.

A model is named by the catalogue (`qwen3-4b`) or by its place on the hub (`org/repo:file.gguf`,
or `org/repo` alone); its file lies at `<folder>/org/repo/file.gguf`.
"""

import re
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from hippod.config import EMBEDDED
from hippod.errors import InvalidInput, NotFound
from hippod.models.catalogue import CATALOGUE, catalogued
from hippod.models.embedded import embedded_gguf
from hippod.paths import in_home

MAGIC = b"GGUF"
SUFFIX = ".gguf"

_PART = r"[A-Za-z0-9_][A-Za-z0-9_.+-]*"
_REPO = re.compile(rf"{_PART}/{_PART}")
_FILE = re.compile(rf"{_PART}(/{_PART})*\.gguf")


@dataclass(frozen=True, slots=True)
class Reference:
    """A file of the hub; `file` is empty where the repository alone was named."""

    repo: str
    file: str = ""
    revision: str = "main"
    sha256: str = ""
    """Of the bytes, where the catalogue pins them."""

    def __str__(self) -> str:
        """Return the name under which `parse` finds it again."""
        return f"{self.repo}:{self.file}" if self.file else self.repo


def parse(name: str) -> Reference:
    """Read a model's name.

    Raises `NotFound` for a bare name that the catalogue lacks, and `InvalidInput` for what can
    be no file of the hub.
    """
    known = catalogued(name)
    if known:
        return Reference(known.repo, known.file, known.revision, known.sha256)
    repo, _, file = name.partition(":")
    if "/" not in repo:
        raise NotFound(f"no model {name!r}", _suggestion(name))
    if not _REPO.fullmatch(repo):
        raise InvalidInput(f"{name}: not a model", "write it as org/repo or org/repo:file.gguf")
    if (file or name.endswith(":")) and not _FILE.fullmatch(file):
        raise InvalidInput(f"{name}: {file!r} is not the name of a GGUF file")
    return Reference(repo, file)


def is_name(text: str) -> bool:
    """Say whether a model is meant by name and not by path, as far as its form tells."""
    if catalogued(text):
        return True
    looks_like_path = text.startswith(("/", "~", ".")) or (
        text.endswith(SUFFIX) and ":" not in text
    )
    return not looks_like_path


def place(folder: Path, reference: Reference) -> Path:
    """Return where the file of a complete reference lies once it is pulled."""
    return folder / reference.repo / reference.file


def find(folder: Path, name: str) -> Path | None:
    """Return the pulled file of that name, None if it was not pulled.

    `org/repo` alone means the only file of it that was pulled: `InvalidInput` if there are
    several. Raises like `parse`.
    """
    reference = parse(name)
    if reference.file:
        path = place(folder, reference)
        return path if path.is_file() else None
    files = _files(folder / reference.repo)
    if len(files) > 1:
        names = ", ".join(path.relative_to(folder / reference.repo).as_posix() for path in files)
        raise InvalidInput(f"{name}: several files of it were pulled: {names}", "name one of them")
    return files[0] if files else None


def resolve(model: str, folder: Path) -> Path | None:
    """Return the file that `generator.model` means, None for a model that is not here.

    A path is returned whether or not there is a file. Raises like `find`.
    """
    if model == EMBEDDED:
        return embedded_gguf()
    path = Path(in_home(model))
    if path.is_file() or not is_name(model):
        return path
    return find(folder, model)


def listing(folder: Path) -> list[tuple[Reference, Path]]:
    """Return all that was pulled, by name."""
    found = []
    for path in _files(folder):
        parts = path.relative_to(folder).parts
        if len(parts) > 2:
            found.append((Reference("/".join(parts[:2]), "/".join(parts[2:])), path))
    return found


def is_gguf(path: Path) -> bool:
    """Say whether a file begins as a GGUF does. Raises OSError."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob(f"*{SUFFIX}") if path.is_file())


def _suggestion(name: str) -> str:
    close = get_close_matches(name.lower(), [model.name for model in CATALOGUE], n=1)
    if close:
        return f"did you mean {close[0]!r}?"
    return "see: hippod models; any other GGUF of the hub as org/repo:file.gguf"
