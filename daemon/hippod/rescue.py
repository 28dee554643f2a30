"""A state whose file was deleted while it was open: it still can be read, so it is put back."""

from pathlib import Path

import structlog

from hippod.errors import StorageError
from hippod.state import State

logger = structlog.get_logger()

_STATE = "state.sqlite"
_RESCUED = "state.sqlite.rescued"


def keep(state: State, folder: Path) -> None:
    """Copy the open state into `folder`, unless a file has its name there.

    Raises `StorageError`.
    """
    if (folder / _STATE).exists():
        return
    try:
        (folder / _RESCUED).unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(f"{folder / _RESCUED}: {error.strerror}") from None
    state.copy_to(folder / _RESCUED)


def put_back(folder: Path) -> None:
    """Give the copy its name, once nobody has the old file open; the caller holds the folder."""
    rescued = folder / _RESCUED
    if not rescued.exists() or (folder / _STATE).exists():
        return
    try:
        for ending in ("-wal", "-shm"):  # of the file that was deleted
            (folder / f"{_STATE}{ending}").unlink(missing_ok=True)
        rescued.rename(folder / _STATE)
    except OSError as error:
        raise StorageError(f"{rescued}: {error.strerror}", "check owner and mode") from None
    logger.info("state.rescued")
