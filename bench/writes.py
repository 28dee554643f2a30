"""Recall while documents are saved: how far the slowest answers are from the usual ones."""

import itertools
import random
import threading
import time
from pathlib import Path

from tests.processes import Daemon

from bench import corpus, indexed, live
from bench.recall import CLASSES
from bench.report import Budget, Result, Row, Spread
from bench.scale import Scale

MOST_TAIL = 5
SAVES_A_SECOND = 2
_WARM_UP = 60


def measure(scale: Scale, folder: Path) -> Result:
    """Ask questions of all classes in turn, first in peace, then while documents change."""
    made = indexed.workspace(folder.parent, scale.files)
    with live.at_rest(made.folder) as daemon:
        _ask(daemon, 0, least=_WARM_UP)
        peace = _ask(daemon, scale.writing_seconds / 2)
        with _Saves(daemon) as saves:
            busy = _ask(daemon, scale.writing_seconds)
    rows = [
        Row(f"{kind} words", "ms", Spread.of(busy[kind]), "in peace", Spread.of(peace[kind]),
            Budget("tail", MOST_TAIL))
        for kind in CLASSES
    ]  # fmt: skip
    return Result(
        f"Recall under writes: {made.units:,} units, {SAVES_A_SECOND} saves a second",
        tuple(rows),
        {"saves": saves.count, "questions": sum(map(len, busy.values()))},
    )


def _ask(daemon: Daemon, seconds: float, least: int = 3) -> dict[str, list[float]]:
    """Ask for some seconds, at least so many questions; return milliseconds by class."""
    asked = [(kind, question) for kind in CLASSES for question in corpus.questions(kind, 100)]
    random.Random(corpus.SEED).shuffle(asked)
    found: dict[str, list[float]] = {kind: [] for kind in CLASSES}
    end = time.perf_counter() + seconds
    for number, (kind, question) in enumerate(itertools.cycle(asked)):
        began = time.perf_counter()
        if began > end and number >= least and all(found.values()):
            return found
        daemon.client.recall(question)
        found[kind].append(1000 * (time.perf_counter() - began))
    raise AssertionError("a cycle has no end")


class _Saves(threading.Thread):
    """Changes a document of the workspace in a steady beat, while the `with` block lasts."""

    def __init__(self, daemon: Daemon) -> None:
        super().__init__()
        self._documents = sorted(daemon.workspace.glob("projects/*/*.md"))
        self._over = threading.Event()
        self.count = 0

    def __enter__(self) -> "_Saves":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.join()

    def run(self) -> None:
        rng = random.Random(corpus.SEED)
        while not self._over.wait(1 / SAVES_A_SECOND):
            document = rng.choice(self._documents)
            text = document.read_text(encoding="utf-8")
            document.write_text(f"{text}\nSeen again as {corpus.unique_word(rng)}.\n", "utf-8")
            self.count += 1
