"""Whether the daemon answers while its model works: health, recall and saves at a steady rate."""

import itertools
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.processes import Daemon

from bench import corpus, live, save
from bench.report import Result, Row, Spread
from bench.scale import Scale
from hippod.client import Client
from hippod.models.embedded import embedded_gguf

_HEALTH_SECONDS = 0.02
_RECALL_SECONDS = 0.1
_BETWEEN_SAVES_SECONDS = 2
_PATIENCE_SECONDS = 900
_WITH_MODEL = {
    "HIPPOD_GENERATOR__PROVIDER": "llama-cpp",
    "HIPPOD_ENCODER__PROVIDER": "none",  # else the generator would have nothing to do
}

Samples = dict[str, list[float]]
"""Milliseconds by what was asked."""


def measure(scale: Scale, folder: Path) -> Result:
    """Ask an idle daemon, then one whose model reads a long conversation."""
    title = f"Answers during a generation of {scale.messages} messages"
    if embedded_gguf() is None:
        return Result(title, skipped="the embedded model is not installed")
    with live.daemon(folder, scale.small_files, _WITH_MODEL) as daemon:
        end = time.monotonic() + scale.beat_seconds
        idle = _ask(daemon, lambda: time.monotonic() < end)
        talk = _Conversation(daemon, corpus.messages(scale.messages))
        talk.start()
        busy = _ask(daemon, talk.is_alive)
        talk.join()
        model = daemon.client.status()["generator"]
    rows = [Row(what, "ms", Spread.of(busy[what]), "idle", Spread.of(idle[what])) for what in busy]
    facts = {
        "seconds": talk.seconds,
        "share of it inside the model": model["seconds"] / talk.seconds,
        "tokens": model["tokens"],
        "facts written": talk.facts,
        "samples": " / ".join(str(len(samples)) for samples in busy.values()),
    }
    return Result(title, tuple(rows), facts)


class _Conversation(threading.Thread):
    """Hands messages over and waits for what the daemon makes of them."""

    def __init__(self, daemon: Daemon, messages: list[dict[str, Any]]) -> None:
        super().__init__()
        self._client = Client(daemon.socket, timeout=_PATIENCE_SECONDS)
        self._messages = messages
        self.facts = 0
        self.seconds = 0.0

    def run(self) -> None:
        began = time.monotonic()
        answer = self._client.retain(self._messages, session="bench", wait=True)
        self.facts = len(answer["stored"])
        self.seconds = time.monotonic() - began


class _Steady(threading.Thread):
    """Asks something in a steady beat while `going_on`, at least once.

    An answer that takes longer than a beat also counts for the beats that it made pass: who
    had asked then would have waited for its end, too.
    """

    def __init__(self, every: float, ask: Callable[[], object], going_on: Callable[[], bool]):
        super().__init__()
        self._every = every
        self._ask = ask
        self._going_on = going_on
        self.samples: list[float] = []

    def run(self) -> None:
        while self._going_on() or not self.samples:
            began = time.perf_counter()
            self._ask()
            took = time.perf_counter() - began
            passed = int(took / self._every)
            self.samples += [1000 * (took - n * self._every) for n in range(passed + 1)]
            time.sleep((passed + 1) * self._every - took)


class _Saves(threading.Thread):
    """Saves a document every few seconds, at least once, and looks until each is found."""

    def __init__(self, daemon: Daemon, going_on: Callable[[], bool]) -> None:
        super().__init__()
        self._daemon = daemon
        self._going_on = going_on
        self.samples: list[float] = []

    def run(self) -> None:
        rng = random.Random(time.monotonic_ns())
        note = self._daemon.workspace / "projects" / "saved.md"
        while self._going_on() or not self.samples:
            word = corpus.unique_word(rng)
            took = save.until_found(self._daemon, note.write_text, word, _PATIENCE_SECONDS)
            self.samples.append(took)
            time.sleep(_BETWEEN_SAVES_SECONDS)


def _ask(daemon: Daemon, going_on: Callable[[], bool]) -> Samples:
    """Ask for health and recall and save documents, all three beside each other."""
    questions = itertools.cycle(corpus.questions("mixed", 50))
    askers: dict[str, _Steady | _Saves] = {
        "health": _Steady(_HEALTH_SECONDS, daemon.client.health, going_on),
        "recall": _Steady(_RECALL_SECONDS, lambda: daemon.client.recall(next(questions)), going_on),
        "save to searchable": _Saves(daemon, going_on),
    }
    for asker in askers.values():
        asker.start()
    for asker in askers.values():
        asker.join()
    return {what: asker.samples for what, asker in askers.items()}
