"""What is derived, and what is remembered, damaged: index, vectors, state; stopped and running."""

import os
import random
import sys
from collections.abc import Callable
from pathlib import Path

from tests.endpoints import misbehaving

from bench.faults.engines import WIDTH, embedder_at, embeds
from bench.faults.harness import Fault, House

ALTERED = (sys.executable, str(Path(__file__).parent / "altered.py"))
_GRAPH_FROM = "64"

Damage = Callable[[Path, random.Random], None]


def _delete(path: Path, _rng: random.Random) -> None:
    path.unlink()


def _cut(path: Path, _rng: random.Random) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _empty(path: Path, _rng: random.Random) -> None:
    os.truncate(path, 0)


def _flip(path: Path, rng: random.Random) -> None:
    """Flip bits all over the file, as a dying disk does."""
    with path.open("r+b") as file:
        size = path.stat().st_size
        for _ in range(max(20, size // 4_000)):
            file.seek(place := rng.randrange(size))
            byte = file.read(1)[0] ^ (1 << rng.randrange(8))
            file.seek(place)
            file.write(bytes([byte]))


def _text(path: Path, _rng: random.Random) -> None:
    """Write other content into the file, as a sync service does with a conflict."""
    path.write_text("This is not a database.\n" * 2_000)


_DAMAGES: dict[str, Damage] = {
    "deleted": _delete, "truncated": _cut, "emptied": _empty, "bits flipped": _flip,
    "replaced by text": _text,
}  # fmt: skip


def stopped(name: str, damage: Damage, *, killed: bool = True) -> Callable[[House], str]:
    """Return a fault: a file of `.memory` is damaged while no daemon runs."""

    def inject(house: House) -> str:
        if killed:
            house.daemon.kill()
        else:
            house.daemon.stop()
        damage(house.root / ".memory" / name, house.rng)
        house.lift()
        return "after a kill" if killed else "after a clean stop"

    return inject


def beneath(name: str, damage: Damage) -> Callable[[House], str]:
    """Return a fault: a file of `.memory` is damaged under the running daemon."""

    def inject(house: House) -> str:
        damage(house.root / ".memory" / name, house.rng)
        house.say(2)
        house.attempt(lambda: house.client.recall("anything"))
        house.attempt(lambda: house.client.run_job("reconcile"))
        house.lift()
        return ""

    return inject


def vectors(damage: Damage) -> Callable[[House], str]:
    """Return a fault: the file of the graph is damaged while no daemon runs."""

    def inject(house: House) -> str:
        _with_graph(house)
        house.daemon.stop()
        file = house.root / ".memory" / "vectors.hnsw"
        assert file.exists(), "there is no graph to damage"
        damage(file, house.rng)
        house.lift()
        house.restart()
        house.wait(lambda: _engine(house) == "hnsw", "the graph")
        return "the graph is built again"

    return inject


def other_model(house: House) -> str:
    """Start on vectors of another model, of another width, and go back."""
    usual = dict(house.daemon.environ)
    with misbehaving() as endpoint:
        for width in (WIDTH, WIDTH + 16):
            house.daemon.stop()
            endpoint.enqueue(embeds(width))
            house.daemon.environ |= embedder_at(endpoint)
            house.restart()
            house.wait(lambda: _whole(house), "both legs")
        house.daemon.stop()
    house.daemon.environ = usual
    house.lift()
    house.restart()
    house.wait(lambda: _whole(house), "both legs")
    return f"widths {WIDTH} and {WIDTH + 16}, then the built-in one"


def state_stopped(damage: Damage) -> Callable[[House], str]:
    """Return a fault: the state is damaged while no daemon runs; nothing is retained twice."""

    def inject(house: House) -> str:
        house.note()
        house.daemon.stop()
        damage(house.root / ".memory" / "state.sqlite", house.rng)
        house.lift()
        house.restart()
        house.say(3)
        return "what was retained is not retained again"

    return inject


def _whole(house: House) -> bool:
    return house.rests() and set(house.client.recall("water house")["legs"].values()) == {"ok"}


def _with_graph(house: House) -> None:
    house.daemon.stop()
    house.daemon.program = list(ALTERED)
    house.daemon.environ["FAULTS_GRAPH_FROM"] = _GRAPH_FROM
    house.restart()
    house.wait(lambda: _engine(house) == "hnsw", "the graph")


def _engine(house: House) -> str:
    return str(house.client.status()["index"]["engine"])


_INDEX, _STATE = "index.sqlite", "state.sqlite"

FAULTS = (
    *(Fault(f"index {name} (stopped)", stopped(_INDEX, do)) for name, do in _DAMAGES.items()),
    Fault("index bits flipped (after a clean stop)", stopped(_INDEX, _flip, killed=False)),
    *(Fault(f"index {name} (running)", beneath(_INDEX, do)) for name, do in _DAMAGES.items()),
    *(Fault(f"vectors {name}", vectors(do)) for name, do in _DAMAGES.items()),
    Fault("vectors from another model, another dimension", other_model),
    *(Fault(f"state {name} (stopped)", state_stopped(do)) for name, do in _DAMAGES.items()),
    Fault("state deleted (running)", beneath(_STATE, _delete)),
)
