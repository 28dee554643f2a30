"""From a save to the answer that has it: real daemon, real files, recall over the socket."""

import contextlib
import queue
import random
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import watchfiles
from tests.processes import Daemon

from bench import corpus, live
from bench.report import Budget, Result, Row, Spread
from bench.scale import Scale
from hippod.watch import STEP_MS

SEARCHABLE_MS = 1_000
"""A save is searchable in about a second."""
LOOK_SECONDS = 0.01
LOOK_SHARE = 0.02
"""How often is looked: after this share of the time waited, so that looking costs little."""
PATIENCE_SECONDS = 30


def measure(scale: Scale, folder: Path) -> Result:
    """Save a document again and again in each way; look until recall finds its new word."""
    budget = Budget("p99", SEARCHABLE_MS)
    with live.daemon(folder, scale.small_files) as daemon:
        note = daemon.workspace / "projects" / "saved.md"
        ways: dict[str, Callable[[str], object]] = {
            "plain write": note.write_text,
            "atomic rename": lambda text: rename_over(note, text),
            "PUT over the socket": lambda text: daemon.client.write("projects/saved.md", text),
        }
        rng = random.Random(corpus.SEED)
        event = Spread.of(_bare_events(folder / "watched", scale.saves, rng))
        found = {way: _saves(daemon, save, scale.saves, rng) for way, save in ways.items()}
        units = live.units(daemon)
    rows = [
        Row(way, "ms", Spread.of(samples), "bare event", event, budget)
        for way, samples in found.items()
    ]
    return Result(
        f"Save to searchable: {units:,} units, {scale.saves} saves each",
        tuple(rows),
        {
            "looked every, ms": int(1000 * LOOK_SECONDS),
            "bare event": f"watchfiles, step {STEP_MS} ms",
        },
    )


def until_found(
    daemon: Daemon, save: Callable[[str], object], word: str, patience: float = PATIENCE_SECONDS
) -> float:
    """Save a text with `word`; return the milliseconds until recall finds it."""
    began = time.perf_counter()
    save(f"# Saved\n\nThe password of the day is {word}, as agreed at the gate.\n")
    while not any(word in hit["content"] for hit in daemon.client.recall(word, limit=3)["hits"]):
        waited = time.perf_counter() - began
        if waited > patience:
            raise RuntimeError(f"a save was not found in {patience:g} s")
        time.sleep(max(LOOK_SECONDS, LOOK_SHARE * waited))
    return 1000 * (time.perf_counter() - began)


def _saves(
    daemon: Daemon, save: Callable[[str], object], count: int, rng: random.Random
) -> list[float]:
    found = []
    for _ in range(count):
        found.append(until_found(daemon, save, corpus.unique_word(rng)))
        _pause(rng)
    return found


def _pause(rng: random.Random) -> None:
    """Wait a while; the watcher works in steps, and a save should meet each phase of them."""
    time.sleep(0.3 + 0.4 * rng.random())


def rename_over(path: Path, text: str) -> None:
    """Replace a file as careful editors do."""
    draft = path.with_name(f".{path.name}.tmp")
    draft.write_text(text)
    draft.replace(path)


def _bare_events(folder: Path, count: int, rng: random.Random) -> list[float]:
    """Return the milliseconds from a write until the file watcher alone tells of it."""
    folder.mkdir()
    samples = []
    with _watching(folder) as events:
        for n in range(count):
            began = time.perf_counter()
            (folder / "note.md").write_text(f"{n}\n")
            samples.append(1000 * (events.get(timeout=PATIENCE_SECONDS) - began))
            _pause(rng)
    return samples


@contextlib.contextmanager
def _watching(folder: Path) -> Iterator["queue.SimpleQueue[float]"]:
    """Yield the times at which changes below `folder` are reported."""
    stop, watching = threading.Event(), threading.Event()
    events: queue.SimpleQueue[float] = queue.SimpleQueue()

    def report() -> None:
        for changes in watchfiles.watch(
            folder, step=STEP_MS, stop_event=stop, rust_timeout=100, yield_on_timeout=True
        ):
            if changes or not watching.is_set():
                watching.set()
                events.put(time.perf_counter())

    thread = threading.Thread(target=report)
    thread.start()
    try:
        events.get(timeout=PATIENCE_SECONDS)  # the first one only says that it has begun
        yield events
    finally:
        stop.set()
        thread.join()
