"""What a folder lies on: the type of its filesystem, and whether that is another machine's."""

import os
from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")
"""What is mounted where, as Linux tells it; other systems have no such file."""
_REMOTE = frozenset(
    {
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "ncpfs",
        "virtiofs", "vboxsf", "prl_fs", "drvfs", "webdav", "davfs", "beegfs", "orangefs", "fuse",
    }
)  # fmt: skip


def is_remote(kind: str) -> bool:
    """Say whether others change files on a filesystem of this type without our system knowing."""
    return kind in _REMOTE or kind.startswith("fuse.")


def filesystem_of(path: Path, mounts: Path) -> str | None:
    """Return the type of the filesystem that `path` lies on; None if `mounts` does not tell."""
    real = os.path.realpath(path)
    best: tuple[int, str] | None = None
    try:
        text = mounts.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None
    for line in text.splitlines():
        before, _, behind = line.partition(" - ")
        fields = before.split()
        if len(fields) < 5 or not behind:
            continue
        point = _unescaped(fields[4])
        inside = real == point or real.startswith(point.rstrip("/") + "/")
        if inside and (best is None or len(point) >= best[0]):  # the later one lies on top
            best = len(point), behind.split()[0]
    return best[1] if best else None


def _unescaped(text: str) -> str:
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, character)
    return text
