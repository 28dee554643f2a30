"""Recall over the socket against its two bare legs in one process, with the same questions."""

import time
from pathlib import Path
from typing import get_args

from tests.processes import Daemon

from bench import bare, corpus, live
from bench.report import Result, Row, Spread
from bench.scale import Scale
from hippod import chunks, config
from hippod.models.wordllama import WordLlamaEmbedder

_WARM_UP = 5


def measure(scale: Scale, folder: Path) -> Result:
    """Ask the daemon and the bare legs in turn, by class of question."""
    made = corpus.documents(scale.files)
    legs = bare.Legs(folder.with_suffix(".sqlite"), _texts(made), WordLlamaEmbedder())
    rows = []
    with live.daemon(folder, scale.files) as daemon:
        units = live.units(daemon)
        for kind in get_args(corpus.QuestionClass):
            rows += _ask(daemon, legs, kind, scale.queries)
    legs.close()
    return Result(
        f"Recall: {units:,} units, {scale.queries} questions of each class, hybrid, 10 hits",
        tuple(rows),
        {"bare legs": "query embedding + FTS5 top 50 + matrix product top 50, in one process"},
    )


def _ask(daemon: Daemon, legs: bare.Legs, kind: corpus.QuestionClass, count: int) -> list[Row]:
    over_socket, inside, alone = [], [], []
    for number, question in enumerate(corpus.questions(kind, count + _WARM_UP)):
        began = time.perf_counter()
        answer = daemon.client.recall(question)
        between = time.perf_counter()
        legs.ask(question)
        ended = time.perf_counter()
        if number >= _WARM_UP:
            over_socket.append(1000 * (between - began))
            inside.append(answer["took_ms"])
            alone.append(1000 * (ended - between))
    base = Spread.of(alone)
    return [
        Row(f"{kind} words, over the socket", "ms", Spread.of(over_socket), "bare legs", base),
        Row(f"{kind} words, inside the daemon", "ms", Spread.of(inside), "bare legs", base),
    ]


def _texts(made: dict[str, str]) -> list[str]:
    """Return what is searched of every unit, as the daemon cuts and heads it."""
    cut = config.Chunking()
    return [
        f"{unit.header}\n{unit.content}"
        for path, text in made.items()
        for unit in chunks.units(
            path, text, max_size=cut.max_chunk_size, overlap=cut.overlap, split_on=cut.split_on,
            zone=config.Config().zone,
        )
    ]  # fmt: skip
