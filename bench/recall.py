"""Recall over the socket against its two bare legs in one process, with the same questions."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from tests.processes import Daemon

from bench import bare, corpus, indexed, live
from bench.corpus import QuestionClass
from bench.report import Budget, Result, Row, Spread
from bench.scale import Scale

MOST_TIMES_LEGS = 1.5
MOST_COMMON_MS = 30
MOST_GROWTH = 5
CLASSES: tuple[QuestionClass, ...] = get_args(QuestionClass)
_WARM_UP = 20


@dataclass(slots=True)
class Samples:
    """Milliseconds of the same questions: over the socket, inside the daemon, by the bare legs."""

    over_socket: list[float] = field(default_factory=list)
    inside: list[float] = field(default_factory=list)
    alone: list[float] = field(default_factory=list)


def measure(scale: Scale, folder: Path) -> Result:
    """Ask a daemon and the bare legs in turn, by class of question, at every size."""
    facts: dict[str, str] = {}
    found = {}
    for files in scale.sizes:
        made = indexed.workspace(folder.parent, files)
        legs = indexed.legs(folder.parent, files)
        with live.at_rest(made.folder) as daemon:
            facts[f"vectors at {made.units:,}"] = f"{_engine(daemon)}, bare {legs.engine}"
            found[made.units] = {kind: _ask(daemon, legs, kind, scale.queries) for kind in CLASSES}
    rows = [
        row
        for files, (units, samples) in zip(scale.sizes, found.items(), strict=True)
        for row in _rows(units, samples, bounded=files == scale.files)
    ]
    return Result(
        f"Recall, warm: {scale.queries} questions of each class, hybrid, 10 hits",
        (*rows, *_growth(found)),
        {"bare legs": "query embedding + FTS5 top 50 + vectors top 50, in one process", **facts},
    )


def _ask(daemon: Daemon, legs: bare.Legs, kind: QuestionClass, count: int) -> Samples:
    samples = Samples()
    for number, question in enumerate(corpus.questions(kind, count + _WARM_UP)):
        began = time.perf_counter()
        answer = daemon.client.recall(question)
        between = time.perf_counter()
        legs.ask(question)
        ended = time.perf_counter()
        if number >= _WARM_UP:
            samples.over_socket.append(1000 * (between - began))
            samples.inside.append(answer["took_ms"])
            samples.alone.append(1000 * (ended - between))
    return samples


def _rows(units: int, found: dict[QuestionClass, Samples], *, bounded: bool) -> list[Row]:
    """Return a row a class and one of all together, with budgets where they are stated."""
    times_legs = Budget("ratio", MOST_TIMES_LEGS) if bounded else None
    rows = [_against_legs(f"{units:,} units: all", list(found.values()), times_legs)]
    for kind, samples in found.items():
        rows += [
            _against_legs(f"{units:,} units: {kind} words", [samples], None),
            Row(f"{units:,} units: {kind}, in the daemon", "ms", Spread.of(samples.inside)),
        ]
    if bounded:
        common = Spread.of(found["common"].over_socket)
        most = Budget("p50", MOST_COMMON_MS)
        rows.append(Row(f"{units:,} units: common, by itself", "ms", common, budget=most))
    return rows


def _against_legs(what: str, found: list[Samples], budget: Budget | None) -> Row:
    here = Spread.of([each for samples in found for each in samples.over_socket])
    base = Spread.of([each for samples in found for each in samples.alone])
    return Row(what, "ms", here, "bare legs", base, budget)


def _growth(found: dict[int, dict[QuestionClass, Samples]]) -> list[Row]:
    smallest, *others = found
    return [
        Row(f"{kind} words, at {units:,} units", "ms", Spread.of(found[units][kind].over_socket),
            f"at {smallest:,}", Spread.of(found[smallest][kind].over_socket),
            Budget("ratio", MOST_GROWTH))
        for units in others for kind in ("rare", "mixed")
    ]  # fmt: skip


def _engine(daemon: Daemon) -> str:
    return str(daemon.client.status()["index"]["engine"])
