"""Compare hippod with memsearch, basic-memory and qmd on the same notes; print ratios.

    python -m bench.peers [--notes N] [--queries N] [--only NAME]... [--folder FOLDER]
                          [--json FILE]

Installs them from PyPI and npm below FOLDER (once) and runs them offline. What needs a model
from a hub is named as not runnable offline.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.processes import Daemon

from bench import bare, corpus, live, report
from bench.cold import run_program
from bench.peers import endpoint
from bench.peers.tool import NotRunnable, Place, Tool
from bench.peers.tools import BasicMemory, Memsearch, Qmd
from bench.report import Budget, Result, Row, Spread
from hippod import log

LEAST_WARM, LEAST_COLD = 5, 1
TOOLS: tuple[type[Memsearch] | type[BasicMemory] | type[Qmd], ...] = (Memsearch, BasicMemory, Qmd)
_WARM_UP = 5


Ask = Callable[[str], object]
Command = Callable[[str], Sequence[str]]


def main(arguments: Sequence[str]) -> int:
    """Measure what can be measured here; return 0 whatever came out."""
    options = _options().parse_args(arguments)
    log.configure("warning", "console")
    with tempfile.TemporaryDirectory(prefix="hippod-peers-") as scratch:
        result = compare(
            Path(options.folder).expanduser(), Path(scratch), options.notes, options.queries,
            options.starts, options.only or [tool.name for tool in TOOLS],
        )  # fmt: skip
    print(report.table([result]))
    print(f"\nrepeat it by: python -m bench.peers {' '.join(arguments)}".rstrip())
    if options.json:
        Path(options.json).write_text(json.dumps(result.as_json(), indent=2) + "\n", "utf-8")
    return 0


def compare(
    programs: Path, scratch: Path, notes: int, queries: int, starts: int, names: Sequence[str]
) -> Result:
    """Ask hippod, raw FTS5 and each named peer in turn, so that all meet the same moments."""
    made = corpus.documents(notes)
    corpus.fill(scratch / "notes", made)
    rows: list[Row] = []
    facts: dict[str, object] = {"questions": f"{queries} of two common words, ten hits each"}
    began = time.perf_counter()
    with live.daemon(scratch / "hippod", notes) as daemon, endpoint.serving() as url:
        ours = Ours(daemon, _floor(scratch / "floor.sqlite", list(made.values())),
                    time.perf_counter() - began, questions(queries + _WARM_UP), starts)  # fmt: skip
        for kind in (kind for kind in TOOLS if kind.name in names):
            settings = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none", **kind.settings}
            home = scratch / kind.name
            home.mkdir()
            place = Place(programs / kind.name, home, scratch / "notes", settings)
            try:
                rows += _beside(kind(place), place, ours)
                facts[kind.name] = kind.mode
            except NotRunnable as reason:
                facts[kind.name] = f"not runnable offline: {reason}"
            print(f"{kind.name}: done", file=sys.stderr, flush=True)
    return Result(f"Peers: {notes:,} notes, 10 hits", tuple(rows), facts)


def questions(count: int) -> list[str]:
    """Return pairs of common words: some eighty of 2,000 notes have both, so all find ten."""
    rng = random.Random(f"{corpus.SEED} peers")
    words = corpus.common_words()
    return [" ".join(rng.sample(words, 2)) for _ in range(count)]


@dataclass(frozen=True, slots=True)
class Ours:
    """hippod's side: a daemon with the same notes, raw FTS5 as the floor, and what is asked."""

    daemon: Daemon
    floor: bare.Words
    index: float
    asked: Sequence[str]
    starts: int

    def warm(self) -> dict[str, Ask]:
        """Return who else is asked, by name."""
        recall = self.daemon.client.recall
        return {
            "hippod, hybrid": recall,
            "hippod, words alone": lambda question: recall(question, mode="lexical"),
            "raw FTS5": self.floor.ask,
        }

    def cold(self, question: str) -> list[str]:
        """Return the command line search."""
        return [str(Path(sys.executable).with_name("hippod")), "recall", "--json", question]


def _beside(tool: Tool, place: Place, ours: Ours) -> list[Row]:
    """Return the rows of one peer; the ratios say how much longer it takes than hippod."""
    tool.install()
    began = time.perf_counter()
    tool.index()
    index = Spread(time.perf_counter() - began)
    theirs, mine = _cold(tool, place, ours)
    with tool.warm() as ask:
        found = _warm({tool.name: ask, **ours.warm()}, ours.asked)
    here, name = found.pop(tool.name), tool.name
    rows = [
        Row(f"{name}: cold command line", "ms", theirs, "hippod", mine,
            Budget("ratio", least=LEAST_COLD)),
        Row(f"{name}: index", "s", index, "hippod", Spread(ours.index)),
    ]  # fmt: skip
    for other, spread in found.items():
        budget = Budget("ratio", least=LEAST_WARM) if other == "hippod, hybrid" else None
        rows.append(Row(f"{name}: warm", "ms", here, other, spread, budget))
    return rows


def _floor(path: Path, texts: Sequence[str]) -> bare.Words:
    bare.full_text(path, texts)
    return bare.Words(path)


def _cold(tool: Tool, place: Place, ours: Ours) -> tuple[Spread, Spread]:
    """Start both programs in turn; return the median milliseconds, the first ones aside."""
    given = ours.daemon.environ
    environ = {name: given[name] for name in ("PATH", "HOME", "HIPPOD_SOCKET")}
    shown = place.home / "shown"
    pairs = [
        (run_program(list(tool.cold(question)), place.environ, shown),
         run_program(ours.cold(question), environ, shown))
        for question in ours.asked[: ours.starts]
    ]  # fmt: skip
    theirs, mine = zip(*pairs[1:], strict=True)
    return Spread(median(theirs)), Spread(median(mine))


def _warm(everyone: Mapping[str, Ask], asked: Sequence[str]) -> dict[str, Spread]:
    samples: dict[str, list[float]] = {name: [] for name in everyone}
    for question in asked:
        for name, ask in everyone.items():
            began = time.perf_counter()
            ask(question)
            samples[name].append(1000 * (time.perf_counter() - began))
    return {name: Spread.of(each[_WARM_UP:]) for name, each in samples.items()}


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.peers", description="Compare hippod with other memories."
    )
    add = parser.add_argument
    add("--notes", type=int, default=2_000, metavar="N")
    add("--queries", type=int, default=100, metavar="N")
    add("--starts", type=int, default=6, metavar="N", help="command lines, the first not counted")
    add("--only", action="append", choices=[tool.name for tool in TOOLS], metavar="NAME")
    add("--folder", default="~/.cache/hippod-peers", help="where the peers are installed")
    add("--json", metavar="FILE", help="where the figures go as JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
