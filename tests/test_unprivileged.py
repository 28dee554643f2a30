"""The stand-ins for another user and for a small disk do what their names say."""

import errno
import os
from pathlib import Path

import pytest

from tests.small_disk import small_disk
from tests.unprivileged import UID, somebody

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("unprivileged")]


def test_a_command_runs_as_somebody_without_privileges_in_a_home_of_their_own() -> None:
    with somebody() as ada:
        script = "import os; print(os.getresuid(), os.getgroups(), os.getcwd())"
        said = ada.run(ada.python, "-c", script)
        assert said.stdout == f"{(UID, UID, UID)} [] {ada.home}\n", said.stderr
        assert ada.run("cat", "/proc/1/environ").returncode != 0
        assert ada.hippod("--version").stdout.startswith("hippod")
    assert not ada.home.exists()


def test_a_daemon_runs_as_somebody_without_privileges() -> None:
    with somebody() as ada, ada.running() as daemon:
        assert daemon.process is not None
        status = Path(f"/proc/{daemon.process.pid}/status").read_text()
        assert f"Uid:\t{UID}\t{UID}\t{UID}\t{UID}\n" in status
        daemon.client.write("notes/a.md", "A kestrel.\n")
        assert (daemon.workspace / "notes/a.md").stat().st_uid == UID
        assert daemon.cli("read", "notes/a.md").stdout == "A kestrel.\n"
        assert daemon.stop() == 0


def test_a_small_disk_is_full_when_it_is_filled_and_gone_afterwards(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 256, uid=UID) as disk:
        assert (disk.path.stat().st_uid, os.path.ismount(disk.path)) == (UID, True)
        disk.fill(leave=8192)
        (disk.path / "a").write_bytes(b"x" * 8192)
        with pytest.raises(OSError, match="No space") as full:
            (disk.path / "b").write_bytes(b"x")
        assert full.value.errno == errno.ENOSPC
        disk.free()
        disk.fill()
        disk.remount("size=512k")
        (disk.path / "b").write_bytes(b"x" * 100_000)
    assert not os.path.ismount(tmp_path / "disk")
    assert not list((tmp_path / "disk").iterdir())
