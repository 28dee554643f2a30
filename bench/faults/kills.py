"""Ends in the middle: SIGKILL at random moments, sleep, two daemons, dead sockets."""

import os
import signal
import socket
import threading
import time
from collections.abc import Callable

from tests.processes import Daemon

from bench.faults.harness import Fault, House
from hippod.errors import HippodError


def in_retain(house: House) -> str:
    """Kill while turns become facts."""
    return _killed(house, lambda: house.say(8), most=0.5)


def in_append(house: House) -> str:
    """Kill while agents write notes by the daemon."""

    def notes() -> None:
        while house.note():
            pass

    return _killed(house, lambda: threading.Thread(target=notes, daemon=True).start(), most=0.3)


def in_write(house: House) -> str:
    """Kill while agents write whole documents; each write is there whole, or not at all."""
    versions: dict[str, list[bytes]] = {}

    def writes() -> None:
        for number in range(10_000):
            path = f"projects/ours-{number % 5}.md"
            text = f"# Version {number} {house.word()}\n" + "A line of it.\n" * 400
            versions.setdefault(path, []).append(text.encode())
            try:
                house.client.write(path, text)
            except HippodError:
                return
            house.ledger.files[path] = text.encode()

    remark = _killed(house, lambda: threading.Thread(target=writes, daemon=True).start(), most=0.3)
    for path, known in versions.items():
        found = (house.root / path).read_bytes() if (house.root / path).exists() else b""
        # The last one that nobody acknowledged may have been written, whole.
        if found != house.ledger.files.get(path, b"") and found == known[-1]:
            house.ledger.files[path] = found
    return remark


def in_index(house: House) -> str:
    """Kill while many files are indexed that were written at once."""

    def files() -> None:
        for number in range(60):
            house.save(f"projects/many/{house.word()}-{number}.md", f"# {house.word()}\n\nText.\n")

    return _killed(house, files, most=0.6)


def in_reflect(house: House) -> str:
    """Kill while facts become pages and opinions."""

    def reflect() -> None:
        house.say(4)
        house.wait(house.retained, "the facts")
        reflecting = (house.client.reflect,)
        threading.Thread(target=house.attempt, args=reflecting, daemon=True).start()

    remark = _killed(house, reflect, most=0.4)
    house.check = lambda: _pages_are_whole(house)
    return remark


def while_starting(house: House) -> str:
    """Kill again and again while it starts."""
    house.daemon.kill()
    for _ in range(house.scale.rounds):
        house.daemon.spawn()
        time.sleep(house.rng.uniform(0.1, 2.0))
        house.daemon.kill()
        house.say(2)
    house.lift()
    return f"{house.scale.rounds} kills"


def asleep(house: House) -> str:
    """Stop the process as a suspended machine does, let people work, and wake it."""
    os.kill(house.pid, signal.SIGSTOP)
    try:
        word = house.word()
        house.save("projects/while-asleep.md", f"# Night\n\nThe {word} went out.\n")
        house.say(5)
        time.sleep(3)
    finally:
        house.lift()
        os.kill(house.pid, signal.SIGCONT)
    house.wait(lambda: house.finds(word), "what was written meanwhile")
    return "3 s of SIGSTOP"


def two_daemons(house: House) -> str:
    """Start eight at once on one workspace, half of them on sockets of their own."""
    house.daemon.kill()
    rivals = []
    for number in range(8):
        rival = Daemon(house.folder)
        rival.environ = dict(house.daemon.environ)
        if number % 2:
            rival.environ["HIPPOD_SOCKET"] = str(house.folder / "run" / f"{number}.sock")
        rivals.append(rival)
        house.undone.callback(_end, rival)
    for rival in rivals:
        rival.spawn()

    def running() -> list[Daemon]:
        return [rival for rival in rivals if rival.process and rival.process.poll() is None]

    house.wait(lambda: len(running()) <= 1, "one to be left")
    (winner,) = running()
    codes = {rival.process.wait() for rival in rivals if rival is not winner and rival.process}
    assert codes == {5}, f"the others ended with {codes}"
    winner.kill()
    house.lift()
    return "one of eight stayed, the others ended with 5"


def stale_socket(house: House) -> str:
    """Leave a dead socket, then one of another program that does not answer."""
    house.daemon.kill()
    assert house.daemon.socket.exists()
    house.restart()
    house.daemon.kill()
    house.daemon.socket.unlink()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(house.daemon.socket))
    house.lift()
    return "twice"


def _killed(house: House, work: Callable[[], None], most: float) -> str:
    """Begin some work and kill the daemon at a random moment of it, in each round."""
    for number in range(house.scale.rounds):
        if number:
            house.restart()
        work()
        time.sleep(house.rng.uniform(0, most))
        house.daemon.kill()
    house.lift()
    return f"{house.scale.rounds} kills"


def _end(rival: Daemon) -> None:
    if rival.process is not None and rival.process.poll() is None:
        rival.kill()


def _pages_are_whole(house: House) -> None:
    """Reflect to the end: no page is refused, and a second time nothing is left to do."""
    house.client.reflect()
    pages = {path: path.read_bytes() for path in (house.root / "bank").rglob("*.md")}
    house.client.reflect()
    assert pages, "reflection wrote no page"
    for path, before in pages.items():
        assert path.read_bytes() == before, f"{path.name} changes without new facts"
        evidence = [line for line in before.splitlines() if line.startswith(b"- supports:")]
        assert len(evidence) == len(set(evidence)), f"{path.name} has evidence twice"


FAULTS = (
    Fault("SIGKILL while turns become facts", in_retain),
    Fault("SIGKILL while agents append notes", in_append, {"HIPPOD_RETAIN__LOGS": "true"}),
    Fault("SIGKILL while agents write documents", in_write),
    Fault("SIGKILL while files are indexed", in_index),
    Fault("SIGKILL while facts become pages", in_reflect),
    Fault("SIGKILL while it starts", while_starting),
    Fault("SIGSTOP, then SIGCONT (sleep and wake)", asleep),
    Fault("two daemons (eight at once)", two_daemons),
    Fault("a stale socket", stale_socket),
)
