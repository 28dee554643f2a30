"""The archive of a backup: a gzipped tar with a manifest, read as if an enemy had written it.

Its members are, in this order, `hippod-backup.json` (the format), `state.sqlite` if there is
one, the workspace's regular files below `workspace/`, and `manifest.json`, which says of each
what it must be. A file that changed while it was read is there once more; the manifest tells
which one counts. `tar` unpacks it too.
"""

from hippod.archive.manifest import (
    DERIVED,
    HEADER,
    MANIFEST,
    STATE,
    WORKSPACE,
    File,
    Folder,
    LeftOut,
    Manifest,
    check_paths,
    path_fault,
)
from hippod.archive.reading import Member, members, padding, verify
from hippod.archive.writing import first, head, last, save, summary, whole

__all__ = [
    "DERIVED",
    "HEADER",
    "MANIFEST",
    "STATE",
    "WORKSPACE",
    "File",
    "Folder",
    "LeftOut",
    "Manifest",
    "Member",
    "check_paths",
    "first",
    "head",
    "last",
    "members",
    "padding",
    "path_fault",
    "save",
    "summary",
    "verify",
    "whole",
]
