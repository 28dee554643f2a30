"""Folders of ours that nobody else may enter, whatever the umask."""

from pathlib import Path


def make_folder(path: Path) -> None:
    """Make a folder, and those above it that are missing, each 0700; one that is there stays.

    `mkdir(parents=True)` would give the mode to the last one only: under a loose umask, others
    could exchange what lies in those above it. Raises OSError.
    """
    try:
        path.mkdir(mode=0o700)
    except FileNotFoundError:
        make_folder(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        if not path.is_dir():
            raise
