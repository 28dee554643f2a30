"""What docs/security.md promises and no other test shows: other users, links, bombs, children."""

import contextlib
import json
import os
import random
import re
import socket
import stat
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import apsw
import pytest

from hippod import config, config_file, environment, lock, paths, private, redact
from hippod.errors import (
    ConfigError,
    HippodError,
    InvalidInput,
    NotFound,
    PathRefused,
    StorageError,
)
from hippod.extraction import dates
from hippod.models import pulled
from hippod.models.child import Child
from hippod.query import understand
from hippod.reflection.front_matter import fields
from hippod.server import socket as sockets
from hippod.transcripts import database_file, read
from hippod.wire import RecallRequest
from hippod.workspace import Workspace
from tests import fake_hub
from tests.ledger import ListJournal
from tests.processes import Daemon
from tests.unprivileged import UID, Somebody, somebody

ROOT = Path(__file__).parent.parent
NOW = datetime(2026, 3, 3, 12, tzinfo=UTC)
OPEN_TO_ALL = 0o077

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("unprivileged")]


# -- the paper -------------------------------------------------------------------------------


def named_tests() -> list[tuple[str, str]]:
    paper = (ROOT / "docs/security.md").read_text(encoding="utf-8")
    return re.findall(r"`(test_\w+)(?:\.py)?::(\w+)`", paper)


def test_every_test_that_the_threat_model_names_is_there() -> None:
    named = named_tests()
    assert len(named) > 40
    texts: dict[str, str] = {}
    for module, test in named:
        file = ROOT / "tests" / f"{module}.py"
        texts[module] = texts.get(module) or file.read_text(encoding="utf-8")
        assert re.search(rf"^ *(async )?def {test}\(", texts[module], re.MULTILINE), (
            f"{module}::{test}"
        )


def test_every_threat_of_the_table_names_its_test() -> None:
    paper = (ROOT / "docs/security.md").read_text(encoding="utf-8")
    table = paper.partition("## Threats")[2].partition("\n## ")[0]
    rows = [line.split("|") for line in table.splitlines() if line.startswith("| ")]
    threats = [row for row in rows[1:] if not row[1].startswith(" **")]
    assert len(threats) > 40
    for row in threats:
        assert len(row) == 5, row
        assert "::" in row[3], row


# -- other users of the machine --------------------------------------------------------------


@pytest.fixture(scope="module")
def ada() -> Iterator[Somebody]:
    with somebody() as ada:
        yield ada


@pytest.fixture(scope="module")
def daemon(ada: Somebody) -> Iterator[Daemon]:
    place = ada.home / "house"
    place.mkdir(mode=0o700)
    (place / "outside.md").write_text("# Outside\n")
    (place / "outside").mkdir()
    ada.own(place)
    with ada.running({"OPENAI_API_KEY": "sk-" + "a1b2" * 12}, folder=place) as daemon:
        yield daemon


def with_umask(ada: Somebody, folder: str, umask: str) -> Daemon:
    """Return a daemon of hers in a folder that others may enter, with a umask of its own."""
    place = ada.home / folder
    place.mkdir(mode=0o755)
    ada.own(place)
    daemon = ada.daemon({"HOME": str(place)}, folder=place)
    daemon.environ |= {
        "HOME": str(place),
        "HIPPOD_LOG__FILE": str(place / "var" / "logs" / "hippod.log"),
        "HIPPOD_WORKSPACE": str(place / ".hippod" / "workspace"),
    }
    daemon.workspace = place / ".hippod" / "workspace"
    shell = ("sh", "-c", f'umask {umask}; exec "$@"', "sh")
    at = daemon.program.index(ada.python)
    daemon.program[at:at] = shell
    return daemon


def reachable(folder: Path, mask: int = OPEN_TO_ALL) -> list[str]:
    """Return what others could open or change below `folder`, which they may enter."""
    found = []
    for path in folder.iterdir():
        mode = path.lstat().st_mode
        if stat.S_IMODE(mode) & mask and not stat.S_ISLNK(mode):
            found.append(str(path.relative_to(folder)))
            if stat.S_ISDIR(mode) and mode & 0o011:
                found += [f"{path.name}/{each}" for each in reachable(path, mask)]
    return sorted(found)


def test_nothing_that_the_daemon_makes_is_open_to_others_whatever_the_umask(
    ada: Somebody,
) -> None:
    daemon = with_umask(ada, "careless", "000")
    place = daemon.workspace.parent.parent
    try:
        daemon.start()
        daemon.client.write("notes/a.md", "A kestrel.\n")
        daemon.client.append_daily_log("A kestrel again.")
        daemon.client.set_working("s1", "A kestrel in mind.")
        daemon.settle()
        made = daemon.cli("backup", str(place / "a.tar.gz"))
        assert made.returncode == 0, made.stderr
        done = daemon.cli("config", "set", "retain.settle", "1m")
        assert done.returncode == 0, done.stderr
        assert daemon.stop() == 0
    finally:
        if daemon.process is not None and daemon.process.poll() is None:
            daemon.kill()
    daemon.log.unlink()  # written by this test
    kept = {str(path.relative_to(place)) for path in place.rglob("*")}
    made = {
        "a.tar.gz",
        ".hippod/config.toml",
        ".hippod/workspace/notes/a.md",
        "var/logs/hippod.log",
    }
    assert made <= kept
    assert reachable(place) == []


def test_the_socket_is_private_before_anybody_can_connect(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen = []

    class Watched(socket.socket):
        def listen(self, backlog: int = 0) -> None:
            seen.append(stat.S_IMODE(Path(self.getsockname()).stat().st_mode))
            super().listen(backlog)

    monkeypatch.setattr(sockets.socket, "socket", Watched)
    before = os.umask(0)
    try:
        path = tmp_path / "a" / "b" / "hippod" / "d.sock"
        listener = sockets.bind(path)
        try:
            modes = [stat.S_IMODE(each.stat().st_mode) for each in (path, *list(path.parents)[:3])]
        finally:
            sockets.release(listener, path, path.stat().st_ino)
    finally:
        os.umask(before)
    assert seen == [0o600]
    assert modes == [0o600, 0o700, 0o700, 0o700]


def test_folders_above_a_private_one_are_private_too(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        private.make_folder(tmp_path / "a" / "b" / "c")
        private.make_folder(tmp_path / "a" / "b" / "c")
    finally:
        os.umask(before)
    assert {stat.S_IMODE(p.stat().st_mode) for p in (tmp_path / "a").rglob("*")} == {0o700}
    (tmp_path / "file").write_text("")
    for wrong in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(OSError, match=r"exists|directory"):
            private.make_folder(wrong)


@pytest.fixture
def bea() -> Iterator[Somebody]:
    """Somebody whose folder in /tmp no other test makes."""
    with somebody(UID + 7) as bea:
        yield bea


@pytest.mark.parametrize("trick", ["folder", "link"])
def test_a_socket_folder_that_somebody_else_made_first_is_refused(
    bea: Somebody, trick: str
) -> None:
    trap = Path(f"/tmp/hippod-{bea.uid}")
    stranger = Somebody(UID + 1, Path("/"), {"PATH": os.environ["PATH"]}, bea.python)
    target = bea.home / "tempting"
    target.mkdir(exist_ok=True)
    bea.own(target)
    setting = ("mkdir", "-m", "0777") if trick == "folder" else ("ln", "-s", str(target))
    assert stranger.run(*setting, str(trap)).returncode == 0
    try:
        here = {"HIPPOD_WORKSPACE": str(bea.home / "trapped"), "XDG_RUNTIME_DIR": ""}
        ran = bea.hippod("run", environ=here)
        assert ran.returncode != 0
        # The kernel may be faster than we: in /tmp it follows no link of somebody else's.
        assert re.search(f"not a folder of user {bea.uid}|Permission denied", ran.stderr), (
            ran.stderr
        )
        assert list((trap if trick == "folder" else target).iterdir()) == []
        if trick == "folder":
            said = bea.hippod("recall", "kestrel", environ=here)
            assert said.returncode == 3, said.stderr
    finally:
        trap.rmdir() if trick == "folder" else trap.unlink()


def test_a_client_says_nothing_to_a_listener_of_somebody_else(bea: Somebody) -> None:
    trap = Path(f"/tmp/hippod-{bea.uid}")
    trap.mkdir(mode=0o755)
    here = {"HIPPOD_WORKSPACE": str(bea.home / "nowhere"), "XDG_RUNTIME_DIR": ""}
    path = paths.socket_path(here["HIPPOD_WORKSPACE"], None, {}, uid=bea.uid, platform="linux")
    heard = ""
    with socket.socket(socket.AF_UNIX) as listener:
        try:
            listener.bind(path)
            Path(path).chmod(0o666)
            os.chown(path, UID + 1, UID + 1)
            listener.listen(8)
            listener.settimeout(0.2)
            program = ["setpriv", f"--reuid={UID + 1}", "--clear-groups", "--", bea.python, "-c"]
            thief = subprocess.Popen(
                [*program, _THIEF.format(fd=listener.fileno())],
                pass_fds=[listener.fileno()], stdout=subprocess.PIPE, text=True,
                env={**bea.environ},
            )  # fmt: skip
            assert thief.stdout is not None
            thief.stdout.readline()
            said = bea.hippod("note", "The kestrel's secret.", environ=here)
            heard, _ = thief.communicate(timeout=20)
        finally:
            Path(path).unlink(missing_ok=True)
            trap.rmdir()
    assert said.returncode != 0
    assert heard.strip() == "b''", heard  # it was called, and heard nothing


_THIEF = textwrap.dedent(
    """
    import socket
    listener = socket.socket(fileno={fd})
    listener.listen(8)  # makes us the peer that a client sees
    listener.settimeout(8)
    print("ready", flush=True)
    try:
        connection, _ = listener.accept()
        connection.settimeout(3)
        print(connection.recv(65536))
    except OSError as error:
        print(error)
    """
)


def test_somebody_else_gets_nothing_even_through_a_socket_that_is_open_to_all(
    ada: Somebody, daemon: Daemon
) -> None:
    daemon.client.write("a.md", "A kestrel.\n")
    way = [ada.home, daemon.workspace.parent, daemon.socket.parent]
    stranger = Somebody(UID + 1, Path("/"), ada.environ, ada.python)
    try:
        for folder in way:
            folder.chmod(0o755)
        daemon.socket.chmod(0o666)
        hers = ada.run(ada.python, "-c", _ASK, str(daemon.socket))
        theirs = stranger.run(ada.python, "-c", _ASK, str(daemon.socket))
    finally:
        daemon.socket.chmod(0o600)
        for folder in way:
            folder.chmod(0o700)
    assert "A kestrel." in hers.stdout
    assert "kestrel" not in theirs.stdout
    assert "200" not in theirs.stdout


_ASK = """
import socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
connection.sendall(b"GET /v1/files/a.md HTTP/1.0\\r\\n\\r\\n")
print(b"".join(iter(lambda: connection.recv(9999), b"")))
"""


# -- doors that take a path ------------------------------------------------------------------


def outside(daemon: Daemon) -> dict[str, bytes | None]:
    """Return everything beside workspace, socket and log."""
    place = daemon.workspace.parent
    left_out = (daemon.workspace, daemon.socket.parent, daemon.log)
    return {
        str(path): path.read_bytes() if path.is_file() else None
        for path in place.rglob("*")
        if not any(path == each or each in path.parents for each in left_out)
    }


def spoken(daemon: Daemon, request: bytes) -> bytes:
    """Say raw bytes on the socket and return all that comes."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(20)
        connection.connect(str(daemon.socket))
        connection.sendall(request)
        return b"".join(iter(lambda: connection.recv(65536), b""))


WAYS_OUT = (
    "../outside.md", "..%2foutside.md", "%2e%2e/outside.md", "%2e%2e%2foutside.md",
    "notes/../../outside.md", "notes/%2e%2e/%2e%2e/outside.md", "./../outside.md",
    "/etc/passwd", "%2fetc%2fpasswd.md", "//outside.md", "notes//..//..//outside.md",
    "..%5coutside.md", "..%c0%afoutside.md", "%ff%fe.md", "..%252foutside.md%00.md",
    "%00.md", ".memory/state.md", ".memory%2fstate.md", ".%6demory/lock.md", "..;/outside.md",
    "notes/..", ".", "..", "%2e", "bank/entities/%2e%2e/%2e%2e/%2e%2e/outside.md",
)  # fmt: skip


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "POST"])
def test_no_spelling_of_a_path_leads_out_of_the_workspace(daemon: Daemon, method: str) -> None:
    before = outside(daemon)
    body = json.dumps({"content": "# Taken\n", "text": "x", "to": "../outside/moved.md"}).encode()
    head = f"HTTP/1.0\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    for way in WAYS_OUT:
        said = spoken(daemon, f"{method} /v1/files/{way} ".encode() + head + body)
        assert b"# Outside" not in said, way
        assert b"root:" not in said, way
        status = int(said.split(b" ", 2)[1])
        assert 400 <= status < 500 or way.startswith("..%252f") or "%5c" in way, (way, said[:200])
    assert outside(daemon) == before


def test_names_that_look_like_paths_stay_names(daemon: Daemon) -> None:
    before = outside(daemon)
    known = {str(path) for path in daemon.workspace.rglob("*")}
    client = daemon.client
    client.write("notes/b.md", "# B\n\nA kestrel.\n")
    for name in ("../../outside", "/etc/passwd", "..", "a/../../b", "x\0y"):
        acts: tuple[Callable[[], object], ...] = (
            lambda name=name: client.set_working(name, "x"),
            lambda name=name: client.entity(name),
            lambda name=name: client.move("notes/b.md", name),
            lambda name=name: client.move("notes/b.md", f"{name}.md"),
            lambda name=name: client.retain(
                messages=[{"role": "user", "content": "I live in Oslo."}], session=name
            ),
            lambda name=name: client.retain(
                facts=[f"W @{name}: Peter met the kestrel in Oslo on Friday."]
            ),
            lambda name=name: client.recall("kestrel", path=name),
            lambda name=name: client.tree(name),
            lambda name=name: client.daily_log(name),
        )
        for act in acts:
            with contextlib.suppress(HippodError):
                act()
    for command in (
        ("read", "../outside.md"), ("write", "../outside.md", "x"), ("tree", ".."),
        ("entity", "../../outside"), ("day", "../outside"), ("append", "/etc/x.md", "y"),
        ("move", "notes/b.md", "../outside/b.md"), ("delete", "../outside.md"),
    ):  # fmt: skip
        said = daemon.cli(*command)
        assert said.returncode != 0, command
        assert "# Outside" not in said.stdout
    assert outside(daemon) == before
    new = {str(path) for path in daemon.workspace.rglob("*")} - known
    assert all(path.startswith(str(daemon.workspace / f)) for path in new for f in ("",))
    assert client.read("notes/b.md")["content"].startswith("# B")


def test_what_a_browser_sends_is_refused(daemon: Daemon) -> None:
    for header in ("Origin: http://localhost", "Origin: null", "Referer: http://evil.example/"):
        said = spoken(daemon, f"GET /v1/status HTTP/1.0\r\n{header}\r\n\r\n".encode())
        assert said.split(b" ", 2)[1] == b"403", said
    other = "Hippod-Workspace: /somewhere/else"
    said = spoken(daemon, f"GET /v1/status HTTP/1.0\r\n{other}\r\n\r\n".encode())
    assert said.split(b" ", 2)[1] == b"422"


def test_the_terminal_of_who_asks_is_never_written_to_by_what_was_remembered(
    daemon: Daemon,
) -> None:
    evil = "A kestrel \x1b]0;owned\x07\x1b[2J\x9b31m\u202edrow\u202c here."
    daemon.client.write("notes/\u202eevil.md".replace("\u202e", ""), f"# Evil\n\n{evil}\n")
    daemon.client.append_daily_log(f"Saw {evil}")
    daemon.settle()
    for command in (("recall", "kestrel"), ("today",), ("tree",), ("log",), ("events",)):
        said = daemon.cli(*command)
        shown = said.stdout + said.stderr
        if command == ("today",):
            continue  # into a pipe a document goes byte for byte
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", shown), command


# -- links, pipes, devices -------------------------------------------------------------------


def test_a_link_swapped_in_while_we_write_leads_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders and files turn into links and back while 2,000 writes run (C182 in spirit)."""
    monkeypatch.setattr(os, "fsync", lambda fd: None)  # two thousand waits for the disk
    root, away = tmp_path / "w", tmp_path / "away"
    for folder in (root / "notes", root / "memory", root / "bank", away):
        folder.mkdir(parents=True)
    for name in ("a.md", "2026-03-03.md", "world.md", "b.md"):
        (away / name).write_text("# Not ours\n")
    workspace = Workspace(root, ListJournal())
    over = threading.Event()
    flips = [0]

    def flip() -> None:
        dice = random.Random(7)
        while not over.is_set():
            name = dice.choice(("notes", "memory", "bank", "notes/a.md", "memory/2026-03-03.md"))
            place, aside = root / name, root / f"{name}.aside"
            with contextlib.suppress(OSError):
                place.rename(aside)
                place.symlink_to(away if "." not in name else away / place.name)
                flips[0] += 1
                time.sleep(dice.random() / 3000)
            with contextlib.suppress(OSError):
                if place.is_symlink():
                    place.unlink()
                aside.rename(place)

    attacker = threading.Thread(target=flip)
    attacker.start()
    done = refused = 0
    try:
        for number in range(2000):
            acts: tuple[Callable[[], object], ...] = (
                lambda: workspace.write("notes/a.md", f"# Ours {number}\n"),  # noqa: B023
                lambda: workspace.append("notes/a.md", f"line {number}"),  # noqa: B023
                lambda: workspace.append_log(date(2026, 3, 3), f"[09:00:00] {number}"),  # noqa: B023
                lambda: workspace.write("bank/world.md", f"# World {number}\n"),  # noqa: B023
                lambda: workspace.move("notes/a.md", "notes/b.md"),
                lambda: workspace.delete("notes/b.md"),
            )
            try:
                acts[number % len(acts)]()
                done += 1
            except (PathRefused, NotFound, HippodError):
                refused += 1
    finally:
        over.set()
        attacker.join()
    assert sorted(path.name for path in away.iterdir()) == [
        "2026-03-03.md", "a.md", "b.md", "world.md",
    ]  # fmt: skip
    assert {path.read_text() for path in away.iterdir()} == {"# Not ours\n"}
    assert done > 50
    assert refused > 50
    assert flips[0] > 50


def test_a_hard_link_is_the_same_file_for_appends_and_its_own_after_a_rewrite(
    tmp_path: Path,
) -> None:
    """Who can make the link could write to the file itself; so nothing is gained by it."""
    root = tmp_path / "w"
    root.mkdir()
    other = tmp_path / "other.md"
    other.write_text("# Other\n")
    os.link(other, root / "a.md")
    workspace = Workspace(root, ListJournal())
    workspace.append("a.md", "One line.")
    assert other.read_text() == "# Other\nOne line.\n"
    workspace.write("a.md", "# Rewritten\n")
    assert other.read_text() == "# Other\nOne line.\n"


def link(place: Path, target: Path) -> None:
    target.mkdir() if place.name == lock.FOLDER else target.write_text("theirs")
    place.symlink_to(target)


@pytest.mark.parametrize(
    "name", ["", "lock", "state.sqlite", "state.sqlite-wal", "index.sqlite", "vectors.hnsw"]
)
def test_links_in_place_of_what_we_keep_for_ourselves_are_refused(
    name: str, tmp_path: Path
) -> None:
    root, target = tmp_path / "w", tmp_path / "target"
    root.mkdir()
    if name:
        lock.prepare(root)
    link(root / lock.FOLDER / name if name else root / lock.FOLDER, target)
    with pytest.raises(StorageError, match="a link"), lock.hold(root):
        pass
    assert target.is_dir() or target.read_text() == "theirs"
    assert not target.is_dir() or list(target.iterdir()) == []


@pytest.mark.parametrize(
    "make", [os.mkfifo, lambda path: os.mknod(path, 0o600 | stat.S_IFCHR, 0x103)]
)
def test_pipes_and_devices_in_place_of_what_we_keep_for_ourselves_are_refused(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    lock.prepare(tmp_path)
    try:
        make(tmp_path / lock.FOLDER / "state.sqlite")
    except PermissionError:
        pytest.skip("devices cannot be made here")
    with pytest.raises(StorageError, match="a pipe or a device"), lock.hold(tmp_path):
        pass


def test_a_config_that_never_ends_is_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "config.toml"
    os.mkfifo(pipe)
    for place, said in ((pipe, "is a pipe"), (Path("/dev/zero"), "hardly a configuration")):
        for door in (
            lambda p: config.load(p, {}),
            lambda p: paths.configured(str(p), {}),
            lambda p: config_file.set_keys(p, "retain", {"quiet": "5s"}),
        ):
            with pytest.raises((ConfigError, StorageError), match=rf"{said}|not a regular file"):
                door(place)
    assert config.load(Path("/dev/null"), {}) == config.load(None, {})


@pytest.mark.parametrize("text", ["a = " + "[" * 50_000, "a = " + "{b = " * 50_000])
def test_a_config_nested_without_end_is_a_fault_like_any_other(text: str, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f"# workspace\n{text}\n")
    began = time.monotonic()
    for door in (lambda: config.load(file, {}), lambda: paths.configured(str(file), {})):
        with contextlib.suppress(ConfigError):
            door()
    with contextlib.suppress(ConfigError):
        config_file.set_keys(file, "retain", {"quiet": "5s"})
    assert file.read_text() == f"# workspace\n{text}\n"
    assert time.monotonic() - began < 10


def test_the_config_that_we_write_is_ours_alone(tmp_path: Path) -> None:
    file = tmp_path / "new" / "deep" / "config.toml"
    before = os.umask(0)
    try:
        config_file.set_keys(file, "retain", {"quiet": "5s"})
    finally:
        os.umask(before)
    assert [stat.S_IMODE(p.stat().st_mode) for p in (file, file.parent, file.parent.parent)] == [
        0o600, 0o700, 0o700,
    ]  # fmt: skip


def test_a_model_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "m.gguf")
    (tmp_path / "org" / "repo").mkdir(parents=True)
    os.mkfifo(tmp_path / "org" / "repo" / "m.gguf")
    assert pulled.listing(tmp_path) == []
    with contextlib.suppress(HippodError):
        pulled.resolve(str(tmp_path / "m.gguf"), tmp_path)


class Elsewhere(fake_hub._Handler):
    """Leads whoever wants the bytes of a model to a file of this machine."""

    def _serve(self, shelf: fake_hub.Shelf) -> None:
        self._head(302, {"Location": f"file://{self.server.secret}"}, 0)  # type: ignore[attr-defined]


def test_a_hub_that_leads_to_a_file_of_this_machine_gets_nowhere(tmp_path: Path) -> None:
    model = b"GGUF" + b"kestrel" * 1000
    (tmp_path / "secret.gguf").write_bytes(model)
    (tmp_path / "sitecustomize.py").write_text("import time\ntime.sleep = lambda seconds: None\n")
    with fake_hub.FakeHub() as hub:
        hub.secret = tmp_path / "secret.gguf"  # type: ignore[attr-defined]
        hub.RequestHandlerClass = Elsewhere
        hub.files["acme/Tiny-GGUF", "tiny.gguf"] = fake_hub.Shelf(model)
        ran = subprocess.run(
            [sys.executable, "-m", "hippod", "models", "pull", "acme/Tiny-GGUF:tiny.gguf"],
            env={
                "PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"),
                "HF_ENDPOINT": hub.endpoint,
                "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]),
            },
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert hub.downloads()
    assert ran.returncode == 1, ran.stderr
    assert "Traceback" not in ran.stderr
    left = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert all(not path.stat().st_size for path in left)


# -- hostile files ---------------------------------------------------------------------------


def hostile(path: Path, column: str) -> None:
    """Make what looks like an agent's database, with a column that is computed."""
    with contextlib.closing(apsw.Connection(str(path))) as made:
        made.execute(
            "CREATE TABLE sessions(id TEXT PRIMARY KEY, source TEXT, chat_type TEXT,"
            " parent_session_id TEXT, started_at REAL, ended_at REAL, end_reason TEXT,"
            " model_config TEXT, hidden INTEGER DEFAULT 0);"
            "CREATE TABLE messages(id INTEGER PRIMARY KEY, session_id TEXT, role TEXT,"
            f" content TEXT {column}, tool_calls TEXT, timestamp REAL,"
            " _compressed_summary INTEGER DEFAULT 0, active INTEGER DEFAULT 1,"
            " compacted INTEGER DEFAULT 0, display_kind TEXT);"
            "INSERT INTO sessions(id, source, started_at) VALUES('s', 'cli', 1775000000);"
            "INSERT INTO messages(session_id, role, timestamp) VALUES('s', 'user', 1775000000)"
        )


def test_a_column_that_is_computed_is_none(tmp_path: Path) -> None:
    hostile(tmp_path / "state.db", "GENERATED ALWAYS AS (hex(zeroblob(4000))) VIRTUAL")
    reading = read(tmp_path / "state.db", None, seen=lambda key: False)
    assert reading.turns == ()
    assert "no column content" in str(reading.alarm)


def test_a_value_that_grows_without_end_is_given_up(tmp_path: Path) -> None:
    with contextlib.closing(apsw.Connection(str(tmp_path / "a.db"))) as made:
        made.execute("CREATE TABLE t(x)")
    with (
        pytest.raises(StorageError, match="too much memory"),
        database_file.opened(tmp_path / "a.db") as database,
    ):
        database.row("SELECT hex(zeroblob(400000000))")


def test_a_query_that_never_ends_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_file, "LOOK_SECONDS", 0.2)
    with contextlib.closing(apsw.Connection(str(tmp_path / "a.db"))) as made:
        made.execute("CREATE TABLE t(x)")
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n"
    began = time.monotonic()
    with (
        pytest.raises(StorageError, match="takes too long"),
        database_file.opened(tmp_path / "a.db") as database,
    ):
        database.row(endless)
    assert time.monotonic() - began < 10


def test_views_and_triggers_of_a_database_do_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with contextlib.closing(apsw.Connection(str(path))) as made:
        made.execute(
            "CREATE TABLE real(x); CREATE VIEW messages AS SELECT load_extension('e') AS content;"
            "CREATE TRIGGER boom AFTER INSERT ON real BEGIN DELETE FROM real; END"
        )
    before = path.read_bytes()
    with database_file.opened(path) as database:
        assert set(database.tables) == {"real"}
        for statement in (
            "INSERT INTO real VALUES(1)", "ATTACH 'other.db' AS o; CREATE TABLE o.t(x)",
            "SELECT content FROM messages",
        ):  # fmt: skip
            with pytest.raises(apsw.Error):
                list(database.rows(statement))
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["a.db"]


def test_a_gigabyte_of_nothing_is_read_in_little_time_and_memory(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    script = textwrap.dedent(
        f"""
        import time
        from pathlib import Path
        from hippod.transcripts import read
        began, cursor = time.monotonic(), None
        for _ in range(20):
            reading = read(Path({str(path)!r}), cursor, seen=lambda key: False)
            cursor = reading.cursor
            assert not reading.turns
            if not reading.more:
                break
        status = Path("/proc/self/status").read_text()
        print(int(status.partition("VmHWM:")[2].split()[0]) // 1024, time.monotonic() - began)
        """
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    megabytes, seconds = map(float, ran.stdout.split())
    assert megabytes < 200
    assert seconds < 20


BOMBS = (
    "a" * 100_000,
    "(" * 100_000,
    "2026-" * 20_000,
    "on may " * 15_000,
    "1" * 100_000,
    "a@" * 50_000,
    "https://" * 12_000,
    "next last " * 10_000,
    "<private " * 11_000,
    "password is " * 8_000,
    "\u0301" * 50_000,
    "- W @A: ^" * 11_000,
    " \t" * 50_000,
    "`" * 100_000,
    "key=" * 25_000,
)


@pytest.mark.parametrize("bomb", BOMBS[:6], ids=lambda text: text[:9].strip().encode().hex())
def test_hostile_text_of_100_kb_takes_bounded_time(bomb: str) -> None:
    began = time.monotonic()
    redact.redact(bomb)
    redact.strip_private(redact.strip_memory(bomb))
    redact.wrap_memory(bomb)
    dates.find(bomb[:20_000], date(2026, 3, 3))
    with contextlib.suppress(InvalidInput):
        understand(RecallRequest(query=bomb), now=NOW, zone=UTC)
    assert time.monotonic() - began < 12


def test_a_query_of_100_kb_is_answered_or_refused_soon(daemon: Daemon) -> None:
    for bomb in BOMBS:
        began = time.monotonic()
        with contextlib.suppress(HippodError):
            daemon.client.recall(bomb, limit=1)
        assert time.monotonic() - began < 5, bomb[:10]


@pytest.mark.parametrize(
    "block",
    [
        "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [{f'*a{n - 1}, ' * 9}]\n" for n in range(1, 12)),
        "entity: " + "[" * 8000,
        "entity: " + "{a: " * 2000,
        "a: &a [*a]\nentity: *a",
        "<<: &x {<<: *x}\nentity: P",
        "? " * 3000,
    ],
)
def test_front_matter_that_explodes_is_passed_over(block: str) -> None:
    began = time.monotonic()
    text = f"---\n{block}\n---\n# Peter\n"
    with contextlib.suppress(InvalidInput):
        fields(text)
    assert time.monotonic() - began < 5


# -- children --------------------------------------------------------------------------------

SECRETS = {
    "OPENAI_API_KEY": "sk-planted", "HF_TOKEN": "hf_planted", "AWS_SECRET_ACCESS_KEY": "planted",
    "NOTIFY_SOCKET": "/run/planted", "LISTEN_FDS": "1", "SSH_AUTH_SOCK": "/planted",
    "PYTHON_KEYRING_TOKEN": "planted", "HIPPOD_WEBHOOK": "planted",
}  # fmt: skip


def test_our_own_processes_get_no_key_by_environment_or_argument(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    child = Child.worker()
    try:
        assert child.receive(60)["ready"] == child.pid
        seen = Path(f"/proc/{child.pid}/environ").read_bytes()
        words = Path(f"/proc/{child.pid}/cmdline").read_bytes()
    finally:
        child.close()
    assert b"planted" not in seen + words
    assert b"OMP_NUM_THREADS=1" in seen
    assert b"PATH=" in seen


def test_python_files_where_a_child_starts_are_not_imported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("hippod", "json", "numpy", "regex"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('taken over')\n")
    monkeypatch.chdir(tmp_path)
    child = Child.worker()
    try:
        assert child.receive(60)["ready"] == child.pid
    finally:
        child.close()


def test_what_children_inherit_is_named() -> None:
    kept = environment.inherited({**SECRETS, "PATH": "/bin", "LC_ALL": "C", "PYTHONPATH": "/x"})
    assert kept == {"PATH": "/bin", "LC_ALL": "C", "PYTHONPATH": "/x"}


def test_no_process_of_the_daemon_leaves_a_core_file(daemon: Daemon) -> None:
    assert daemon.process is not None
    limits = Path(f"/proc/{daemon.process.pid}/limits").read_text()
    assert re.search(r"^Max core file size +0 ", limits, re.MULTILINE)


def test_no_key_stands_in_status_config_or_log(daemon: Daemon) -> None:
    planted = "sk-" + "a1b2" * 12
    shown = daemon.cli("status", "--json").stdout + daemon.cli("config", "--json").stdout
    shown += daemon.cli("doctor", "--json").stdout + daemon.log.read_text()
    assert shown
    assert planted not in shown
