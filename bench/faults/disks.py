"""The ground below it: full, read-only, forbidden, unmounted, renamed, deleted, without a log."""

import os
import shutil
import subprocess
import time
from pathlib import Path

from tests import unprivileged
from tests.small_disk import SmallDisk, small_disk

from bench.faults.harness import FIRST_DAY, Fault, House, NotHere

_KILOBYTES = 8_000
_AWAY_SECONDS = 2.5
"""Long enough for two looks that fail."""


def full_workspace(house: House) -> str:
    """Let the disk of workspace and state be full while agents talk, write and people wait."""
    disk = _on_disk(house, house.root)
    disk.fill()
    refused = sum(not house.note() for _ in range(3))
    house.wait(lambda: not _room_for_a_turn(house), "the disk to be full")
    disk.free()
    house.lift()
    return f"{refused} of 3 notes refused"


def full_while_killed(house: House) -> str:
    """Kill the daemon while its disk is full, and start it there."""
    disk = _on_disk(house, house.root)
    house.say(4)
    disk.fill()
    house.note()
    house.daemon.kill()
    house.daemon.spawn()
    time.sleep(_AWAY_SECONDS)
    disk.free()
    house.lift()
    return "started on a full disk" if house.alive() else "refuses to start on a full disk"


def full_state(house: House) -> str:
    """Let only the disk of `.memory` be full."""
    disk = _on_disk(house, house.root / ".memory")
    disk.fill()
    refused = sum(not house.note() for _ in range(3))
    house.say(4)
    word = house.word()
    house.save("projects/when-full.md", f"# Full\n\nThe {word} overflows.\n")
    time.sleep(_AWAY_SECONDS)
    disk.free()
    house.lift()
    house.wait(lambda: house.finds(word), "what was written meanwhile")
    return f"{refused} of 3 notes refused"


def read_only(house: House) -> str:
    """Start on a disk that is mounted read-only, as after a fault of the disk."""
    disk = _on_disk(house, house.root)
    house.daemon.stop()
    disk.remount("ro")
    code = house.daemon.spawn().wait(30)
    said = house.daemon.log.read_text().splitlines()[-1]
    disk.remount("rw")
    house.lift()
    assert code == 1, f"exit code {code}"
    assert "ead-only" in house.daemon.log.read_text(), f"said: {said}"
    return "refuses to start and says why"


def permission_lost(house: House) -> str:
    """Take the rights to the folder of logs and its files, to a page and to a folder of notes."""
    _become_somebody(house)
    log = house.root / "memory" / f"{FIRST_DAY}.md"
    lost = {log: 0o400, log.parent: 0o500, house.root / "MEMORY.md": 0, house.root / "projects": 0}
    modes = {path: path.stat().st_mode for path in lost}
    for path, mode in lost.items():
        path.chmod(mode)
    refused = not house.note()
    house.say(5)
    house.attempt(lambda: house.client.run_job("reconcile"))
    time.sleep(_AWAY_SECONDS)
    kept = house.finds("cellar")
    for path in reversed(lost):
        path.chmod(modes[path])
    house.lift()
    assert refused, "acknowledged a note into a file that may not be written"
    assert kept, "forgot a page that it may not read"
    return "note refused, nothing forgotten"


def unmounted(house: House) -> str:
    """Unmount the workspace: an empty folder stands there; then mount it again."""
    house.daemon.stop()
    data = house.root.rename(house.folder / "data")
    house.root.mkdir()
    _mount(house, data)
    house.restart()
    house.settle()
    before = house.client.status()["index"]["documents"]
    subprocess.run(["umount", "-l", str(house.root)], check=True)
    house.attempt(lambda: house.client.run_job("reconcile"))
    wrote = house.note()
    time.sleep(_AWAY_SECONDS)
    kept = house.client.status()["index"]["documents"]
    strangers = sorted(path.name for path in house.root.iterdir())
    _mount(house, data)
    house.lift()
    assert kept == before, f"{before} documents before, {kept} while it was away"
    assert not strangers, f"wrote into the empty folder: {strangers}"
    assert not wrote, "acknowledged a note that could go nowhere"
    return f"all {kept} documents kept"


def renamed_away(house: House) -> str:
    """Rename the workspace and give it its name back."""
    before = house.client.status()["index"]["documents"]
    away = house.root.rename(house.folder / "away")
    house.attempt(lambda: house.client.run_job("reconcile"))
    time.sleep(_AWAY_SECONDS)
    kept = house.client.status()["index"]["documents"]
    away.rename(house.root)
    house.lift()
    assert kept == before, f"{before} documents before, {kept} while it was away"
    return f"all {kept} documents kept"


def replaced_by_an_empty_folder(house: House) -> str:
    """Put an empty folder in the workspace's place, as a mount point that lost its disk."""
    before = house.client.status()["index"]["documents"]
    away = house.root.rename(house.folder / "away")
    house.root.mkdir()
    house.attempt(lambda: house.client.run_job("reconcile"))
    wrote = house.note()
    time.sleep(_AWAY_SECONDS)
    kept = house.client.status()["index"]["documents"]
    house.root.rmdir()
    away.rename(house.root)
    house.lift()
    assert kept == before, f"{before} documents before, {kept} while it was away"
    assert not wrote, "acknowledged a note that could go nowhere"
    return f"all {kept} documents kept"


def memory_deleted(house: House) -> str:
    """Delete `.memory`, index, state and lock, under the running daemon."""
    shutil.rmtree(house.root / ".memory")
    house.say(2)
    house.attempt(lambda: house.client.run_job("reconcile"))
    house.note()
    time.sleep(_AWAY_SECONDS)
    house.lift()
    if house.alive():
        return "goes on"
    return f"ended with exit code {house.daemon.process.poll() if house.daemon.process else None}"


def log_is_full(house: House) -> str:
    """Let standard error be a device that is always full."""
    _with_stderr(house, Path("/dev/full"))
    house.save("projects/odd.md", b"\xff\xfe\x00no text\x00")
    house.say(3)
    house.lift()
    return "/dev/full"


def log_is_closed(house: House) -> str:
    """Let the reader of standard error go away."""
    reading, writing = os.pipe()
    house.daemon.stop()
    house.daemon.process = subprocess.Popen(
        [*house.daemon.program, "run"], env=house.daemon.environ, stderr=writing,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(writing)
    house.wait(house.daemon.answers, "an answer")
    os.close(reading)
    house.say(3)
    house.lift()
    return "a pipe that nobody reads"


def _room_for_a_turn(house: House) -> bool:
    """Let an agent write turns until none fits; what did not fit was never said."""
    before = dict(house.ledger.said)
    path = house.root / "sessions" / "talk.jsonl"
    size = path.stat().st_size
    try:
        house.say(1)
    except OSError:
        house.ledger.said = before
        os.truncate(path, size)
        return False
    return True


def _on_disk(house: House, at: Path) -> SmallDisk:
    """Move what is at `at` to a small disk that is mounted there, and start the daemon on it."""
    house.daemon.stop()
    aside = at.rename(at.with_name(at.name + ".aside"))
    disk = house.undone.enter_context(small_disk(at, _KILOBYTES))
    house.undone.callback(house.end)
    shutil.copytree(aside, at, symlinks=True, dirs_exist_ok=True)
    shutil.rmtree(aside)
    house.restart()
    house.settle()
    return disk


def _mount(house: House, data: Path) -> None:
    said = subprocess.run(
        ["mount", "--bind", str(data), str(house.root)], capture_output=True, text=True, check=False
    )
    if said.returncode:
        raise NotHere(f"nothing can be mounted: {said.stderr.strip()}")
    house.undone.callback(
        subprocess.run, ["umount", "-l", str(house.root)], check=False, capture_output=True
    )
    house.undone.callback(house.end)


def _become_somebody(house: House) -> None:
    """Let the daemon run as a user without privileges, on a workspace of theirs."""
    somebody = house.undone.enter_context(unprivileged.somebody())
    house.daemon.stop()
    there = somebody.home / "house"
    shutil.copytree(house.folder, there, symlinks=True)
    somebody.own(there)
    theirs = somebody.daemon(house.daemon.environ, there)
    theirs.environ |= {
        "HIPPOD_WORKSPACE": str(theirs.workspace),
        "HIPPOD_SOCKET": str(theirs.socket),
    }
    house.move(there, theirs)
    house.undone.callback(house.end)
    house.restart()
    house.settle()


def _with_stderr(house: House, target: Path) -> None:
    house.daemon.stop()
    log, house.daemon.log = house.daemon.log, target
    try:
        house.restart()
    finally:
        house.daemon.log = log


FAULTS = (
    Fault("disk full: workspace and state", full_workspace),
    Fault("disk full: killed and started on it", full_while_killed, ends=(1,)),
    Fault("disk full: the state's alone", full_state),
    Fault("disk mounted read-only", read_only, ends=(1,)),
    Fault("permission lost (as somebody without privileges)", permission_lost),
    Fault("workspace unmounted, an empty folder in its place", unmounted),
    Fault("workspace renamed away and back", renamed_away),
    Fault("workspace replaced by an empty folder", replaced_by_an_empty_folder),
    Fault(".memory deleted under the running daemon", memory_deleted),
    Fault("standard error on a full device", log_is_full),
    Fault("standard error closed by its reader", log_is_closed),
)
