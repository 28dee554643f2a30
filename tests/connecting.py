"""`hippod connect` on a home folder made up for a test, and what it leaves there."""

import contextlib
import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from hippod import cli


class Said(NamedTuple):
    """What a command returned and printed."""

    code: int
    out: str
    err: str


def connect(home: Path, *words: str, environ: Mapping[str, str] | None = None) -> Said:
    """Run `hippod connect` with a home folder, and nothing else of this machine's environment."""
    out, err = io.StringIO(), io.StringIO()
    given = {"HOME": str(home), "PATH": str(home / "bin"), **(environ or {})}
    with (
        mock.patch.dict(os.environ, given, clear=True),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = cli.main(["connect", *words])
    return Said(code, out.getvalue(), err.getvalue())


def tree(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder with what they hold, links followed."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def strange(path: Path, kind: str) -> None:
    """Make of a path what is no file: a pipe without a writer, a folder, or a ring of links."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(path.name)
