"""A GGUF on disk as a configuration names it: what it is, and why it cannot be used."""

import hashlib
from pathlib import Path

from hippod.errors import ModelUnavailable

MAGIC = b"GGUF"

Signature = tuple[int, int, int]
"""Inode, size and modification time: a changed file is another chance."""


class GgufFile:
    """The file at `path`, which may come later; `section` is the part of the configuration."""

    def __init__(self, path: Path, section: str) -> None:
        self.path = path
        self._section = section
        self._identity: tuple[Signature, str] | None = None

    @property
    def identity(self) -> str:
        """Stem and content hash; hashes once per change, a second per GB or so.

        Raises `ModelUnavailable` when the file cannot be read.
        """
        signature = self.signature()
        known = self._identity
        if known is not None and known[0] == signature:
            return known[1]
        self.check()
        try:
            with self.path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise self.unusable(error.strerror or "cannot be read") from None
        identity = f"{self.path.stem}#{digest[:12]}"
        if signature is not None:
            self._identity = (signature, identity)
        return identity

    @property
    def name(self) -> str:
        """The identity if it is known by now, else the stem alone; costs nothing."""
        known = self._identity
        return known[1] if known else self.path.stem

    def check(self) -> None:
        """Raise `ModelUnavailable` for what is plainly no model."""
        if self.path.exists() and not self.path.is_file():  # opening a pipe would wait
            raise self.unusable("is a directory" if self.path.is_dir() else "is not a file")
        try:
            with self.path.open("rb") as file:
                magic = file.read(len(MAGIC))
        except OSError as error:
            raise self.unusable(error.strerror or "cannot be read") from None
        if magic != MAGIC:
            raise self.unusable("is not a GGUF file" if magic else "is empty")

    def signature(self) -> Signature | None:
        """Return what changes when the file does, None where there is none."""
        try:
            found = self.path.stat()
        except OSError:
            return None
        return (found.st_ino, found.st_size, found.st_mtime_ns)

    def unusable(self, why: str) -> ModelUnavailable:
        """Return the error that names the file and what is wrong with it."""
        otherwise = ", or to 'embedded'" if self._section == "generator" else ""
        return ModelUnavailable(
            f"model file {self.path}: {why}",
            f"set {self._section}.model to a whole GGUF file{otherwise}",
        )
