"""From a start on an unchanged workspace to the first whole answer, and what the daemon holds."""

import subprocess
import sys
import time
from pathlib import Path

from tests.processes import Daemon, wait_for

from bench import corpus, indexed, live
from bench.idle import usage
from bench.indexed import Indexed
from bench.recall import CLASSES
from bench.report import Budget, Result, Row, Spread
from bench.scale import Scale
from hippod.errors import HippodError

MOST_READY_MS = 2_000
MOST_TIMES_DATA = 1.6
MORE_MIB = 60
_MIB = 1 << 20
_FLOAT_BYTES = 4
_LOADER = """
import hippod.daemon
from hippod import config
from hippod.models.factory import embedder_from
embedder, why = embedder_from(config.Config().embedder)
embedder.embed_query("loaded")
print(flush=True)
input()
"""
"""The same modules and the embedder, nothing else."""


def measure(scale: Scale, folder: Path) -> Result:
    """Start a daemon again and again until both legs answer; then look at its memory."""
    made = indexed.workspace(folder.parent, scale.files)
    loaded, least = _only_loaded(live.stopped(made.folder))
    starts = []
    for _ in range(scale.restarts):
        daemon = live.stopped(made.folder)
        try:
            starts.append(_until_ready(daemon))
            _come_to_rest(daemon)
            found = _resident(daemon, scale.queries) if len(starts) == scale.restarts else None
            graph = daemon.client.status()["index"]["engine"] != "exact"
        finally:
            daemon.stop()
    ready = Row("until both legs answer", "ms", Spread.of(starts), "imports + embedder",
                Spread(loaded), Budget("p99", MOST_READY_MS))  # fmt: skip
    title = f"Restart and memory: {made.units:,} units, {scale.restarts} starts"
    if found is None or least is None:
        return Result(title, (ready,), {"memory": "read from /proc, which only Linux has"})
    vectors, links = _data(folder.parent, made, graph=graph)
    most = MOST_TIMES_DATA * (vectors + links) + least + MORE_MIB
    memory = Row("memory (RSS)", "MiB", Spread(found), "allowed", Spread(most), Budget("ratio", 1))
    facts = {
        "allowed": f"{MOST_TIMES_DATA} x (vectors + graph) + imports and embedder + {MORE_MIB}",
        "vectors, MiB": vectors,
        "graph without its copy of the vectors, MiB": links,
        "imports and embedder, MiB": least,
    }
    return Result(title, (ready, memory), facts)


def _until_ready(daemon: Daemon) -> float:
    """Start a daemon; return the milliseconds until a recall has hits of both legs."""
    question = corpus.questions("mixed", 1)[0]
    began = time.perf_counter()
    daemon.spawn()
    wait_for(lambda: _answers_whole(daemon, question), "an answer of both legs")
    return 1000 * (time.perf_counter() - began)


def _answers_whole(daemon: Daemon, question: str) -> bool:
    try:
        answer = daemon.client.recall(question)
    except HippodError:
        return False
    return bool(answer["hits"]) and set(answer["legs"].values()) == {"ok"}


def _come_to_rest(daemon: Daemon) -> None:
    """Wait until the first look is over: an index that is closed before is checked at opening."""
    wait_for(lambda: live.is_settled(daemon), "the daemon to be at rest")


def _resident(daemon: Daemon, count: int) -> float | None:
    """Return the MiB that a daemon holds once it is warm and has nothing to do."""
    if sys.platform != "linux":
        return None
    for kind in CLASSES:
        for question in corpus.questions(kind, count):
            daemon.client.recall(question)
    assert daemon.process is not None
    return usage(daemon.process.pid).resident / _MIB


def _only_loaded(daemon: Daemon) -> tuple[float, float | None]:
    """Return the milliseconds and MiB of a process that imports and loads what the daemon does."""
    began = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", _LOADER], env=daemon.environ,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as child:  # fmt: skip
        assert child.stdout is not None
        child.stdout.readline()
        took = 1000 * (time.perf_counter() - began)
        resident = usage(child.pid).resident / _MIB if sys.platform == "linux" else None
        child.communicate(b"\n")
    if child.returncode:
        raise SystemExit("the daemon's modules or its embedder cannot be loaded")
    return took, resident


def _data(base: Path, made: Indexed, *, graph: bool) -> tuple[float, float]:
    """Return the MiB of the vectors and of the links between them, each held once."""
    matrix = made.vectors()
    vectors = matrix.size * _FLOAT_BYTES
    links = indexed.graph(base, made.files).graph.size - vectors if graph else 0
    return vectors / _MIB, links / _MIB
