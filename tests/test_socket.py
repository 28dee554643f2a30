import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from hippod.errors import Busy, StorageError
from hippod.server.socket import bind, peer_uid, release


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "hippod" / "default.sock"


def test_private_whatever_the_umask(path: Path) -> None:
    before = os.umask(0)
    try:
        listener = bind(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert os.listdir(path.parent) == [path.name]
    release(listener, path, path.stat().st_ino)
    assert not path.exists()


def test_dead_socket_is_taken_over(path: Path) -> None:
    script = "import sys; from pathlib import Path; from hippod.server.socket import bind\n"
    script += "bind(Path(sys.argv[1])); import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert path.exists()
    with bind(path), socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))


def test_live_socket_is_refused_and_keeps_serving(path: Path) -> None:
    with bind(path) as listener:
        with pytest.raises(Busy):
            bind(path)
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
            listener.setblocking(True)
            connection, _ = listener.accept()
            with connection:
                assert peer_uid(connection) == os.geteuid()


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_what_is_not_a_socket_is_left_alone(path: Path, kind: str) -> None:
    path.parent.mkdir(mode=0o700)
    if kind == "file":
        path.write_text("mine")
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/etc/hostname")
    with pytest.raises(StorageError, match="not a socket"):
        bind(path)
    assert os.path.lexists(path)


def test_folder_that_others_may_write_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(StorageError, match="others may write"):
        bind(folder / "x.sock")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o777


def test_long_path_names_length_and_limit(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="may have 100"):
        bind(tmp_path / ("ä" * 60) / "x.sock")


def test_release_leaves_a_successor_alone(path: Path) -> None:
    listener = bind(path)
    inode = path.stat().st_ino
    path.unlink()
    successor = bind(path)
    release(listener, path, inode)
    assert path.exists()
    successor.close()
