"""The token of the MCP listener: 256 random bits in a file that is for its owner alone."""

import errno
import os
import secrets
import stat
import tempfile
from pathlib import Path

from hippod import paths, private
from hippod.config import Mcp
from hippod.errors import Forbidden, StorageError

TOKEN_BYTES = 32
LEAST_LENGTH = 40
"""Characters of a token; ours have 43."""
_MOST_BYTES = 1_000
_NEW = "make one with: hippod mcp token --new"


def place(settings: Mcp, config_file: Path | None) -> Path:
    """Return where the token lies: as configured, else `mcp.token` beside the config file."""
    beside = config_file or Path(paths.config_path(None, os.environ))
    if not settings.token_file:
        return beside.parent / "mcp.token"
    return beside.parent / paths.in_home(settings.token_file)


def read(file: Path) -> str:
    """Return the token.

    Raises `Forbidden` where others can read it or own it, `StorageError` where there is none.
    """
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        why = "is a link" if error.errno == errno.ELOOP and file.is_symlink() else error.strerror
        raise StorageError(f"{file}: {why}", _NEW) from None
    try:
        _check(file, os.fstat(descriptor))
        token = os.read(descriptor, _MOST_BYTES).decode("ascii", "replace").strip()
    finally:
        os.close(descriptor)
    if len(token) < LEAST_LENGTH or not token.isascii() or not token.isprintable():
        raise StorageError(f"{file}: no token of at least {LEAST_LENGTH} characters", _NEW)
    return token


def ensure(file: Path) -> str:
    """Return the token, made if there is no file; raises as `read`."""
    if not os.path.lexists(file):
        draft = _draft(file)
        try:
            os.link(draft, file)  # of two that do this at once, the first counts
        except FileExistsError:
            pass
        except OSError as error:
            raise StorageError(f"{file}: {error.strerror}") from None
        finally:
            draft.unlink()
    return read(file)


def renew(file: Path) -> str:
    """Put a new token in place of the old one, if there was any, and return it."""
    draft = _draft(file)
    try:
        draft.replace(file)
    except OSError as error:
        draft.unlink()
        raise StorageError(f"{file}: {error.strerror}") from None
    return read(file)


def _draft(file: Path) -> Path:
    """Return a file with a new token beside where it shall lie."""
    try:
        private.make_folder(file.parent)
        descriptor, name = tempfile.mkstemp(prefix=".mcp-token-", dir=file.parent)  # 0600
        with os.fdopen(descriptor, "w", encoding="ascii") as draft:
            draft.write(secrets.token_urlsafe(TOKEN_BYTES) + "\n")
            draft.flush()
            os.fsync(draft.fileno())
    except OSError as error:
        raise StorageError(f"{file}: {error.strerror}") from None
    return Path(name)


def _check(file: Path, about: os.stat_result) -> None:
    if not stat.S_ISREG(about.st_mode):
        raise StorageError(f"{file}: not a file", _NEW)
    if about.st_uid not in (os.geteuid(), 0):
        raise Forbidden(f"{file}: belongs to user {about.st_uid}", _NEW)
    if about.st_mode & 0o077:
        mode = stat.S_IMODE(about.st_mode)
        raise Forbidden(f"{file}: others can read it (mode {mode:04o})", _NEW)
