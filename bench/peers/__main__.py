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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench import bare, corpus, live, report
from bench.cold import run_program
from bench.peers import endpoint
from bench.peers.tool import NotRunnable, Place, Tool
from bench.peers.tools import BasicMemory, Memsearch, Qmd
from bench.report import Budget, Result, Row, Spread
from hippod import log, tokens

LEAST_WARM, LEAST_COLD = 5, 1
TOOLS: tuple[type[Memsearch] | type[BasicMemory] | type[Qmd], ...] = (Memsearch, BasicMemory, Qmd)
_WARM_UP = 5


@dataclass(frozen=True, slots=True)
class Found:
    """What was measured of one memory: milliseconds, and seconds for the index."""

    cold: float
    warm: Spread
    index: float | None = None


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
    """Measure hippod in both modes, the floor, and the named peers with the same questions."""
    made = corpus.documents(notes)
    corpus.fill(scratch / "notes", made)
    asked = known_items(made, queries + _WARM_UP)
    ours = _hippod(scratch / "hippod", notes, asked, starts)
    floor = _floor(scratch / "floor.sqlite", list(made.values()), asked)
    rows = [
        Row("hippod: warm, hybrid", "ms", ours["hybrid"].warm, "raw FTS5", floor),
        Row("hippod: warm, words alone", "ms", ours["lexical"].warm, "raw FTS5", floor),
        Row("hippod: cold", "ms", Spread(ours["hybrid"].cold)),
    ]
    facts: dict[str, object] = {"questions": f"{queries} of three words of one sentence each"}
    with endpoint.serving() as url:
        settings = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"}
        for kind in TOOLS:
            if kind.name not in names:
                continue
            place = Place(programs / kind.name, scratch / kind.name, scratch / "notes",
                          {**settings, **getattr(kind, "settings", {})})  # fmt: skip
            place.home.mkdir()
            try:
                rows += _rows(kind.name, _measured(kind(place), place, asked, starts), ours)
                facts[kind.name] = kind.mode
            except NotRunnable as reason:
                facts[kind.name] = f"not runnable offline: {reason}"
            print(f"{kind.name}: done", file=sys.stderr, flush=True)
    return Result(f"Peers: {notes:,} notes, 10 hits", tuple(rows), facts)


def known_items(made: dict[str, str], count: int) -> list[str]:
    """Return questions of three telling words of one sentence: every full text search has it."""
    rng = random.Random(f"{corpus.SEED} known items")
    texts = [text for path, text in sorted(made.items()) if path.startswith("projects/")]
    found: list[str] = []
    while len(found) < count:
        sentences = [part for part in rng.choice(texts).split(".") if "#" not in part]
        words = list(dict.fromkeys(tokens.terms(rng.choice(sentences))))
        if len(words) >= 3:
            found.append(" ".join(rng.sample(words, 3)))
    return found


def _rows(name: str, peer: Found, ours: dict[str, Found]) -> list[Row]:
    hybrid, words = ours["hybrid"], ours["lexical"]
    rows = [
        Row(f"{name}: cold command line", "ms", Spread(peer.cold), "hippod", Spread(hybrid.cold),
            Budget("ratio", least=LEAST_COLD)),
        Row(f"{name}: warm", "ms", peer.warm, "hippod, hybrid", hybrid.warm,
            Budget("ratio", least=LEAST_WARM)),
        Row(f"{name}: warm", "ms", peer.warm, "hippod, words alone", words.warm),
    ]  # fmt: skip
    if peer.index is not None and hybrid.index:
        seconds = Spread(peer.index)
        rows.append(Row(f"{name}: index", "s", seconds, "hippod", Spread(hybrid.index)))
    return rows


def _hippod(folder: Path, notes: int, asked: Sequence[str], starts: int) -> dict[str, Found]:
    script = str(Path(sys.executable).with_name("hippod"))
    began = time.perf_counter()
    with live.daemon(folder, notes) as daemon:
        index = time.perf_counter() - began
        environ = {name: daemon.environ[name] for name in ("PATH", "HOME", "HIPPOD_SOCKET")}
        cold = _cold(
            lambda question: [script, "recall", "--json", question],
            environ, asked[:starts], folder / "shown",
        )  # fmt: skip
        return {
            mode: Found(cold, _warm(_by_socket(daemon.client.recall, mode), asked), index)
            for mode in ("hybrid", "lexical")
        }


def _by_socket(recall: Callable[..., object], mode: str) -> Callable[[str], object]:
    return lambda question: recall(question, mode=mode)


def _floor(path: Path, texts: Sequence[str], asked: Sequence[str]) -> Spread:
    bare.full_text(path, texts)
    words = bare.Words(path)
    try:
        return _warm(words.ask, asked)
    finally:
        words.close()


def _measured(tool: Tool, place: Place, asked: Sequence[str], starts: int) -> Found:
    tool.install()
    began = time.perf_counter()
    tool.index()
    index = time.perf_counter() - began
    cold = _cold(tool.cold, place.environ, asked[:starts], place.home / "shown")
    with tool.warm() as ask:
        return Found(cold, _warm(ask, asked), index)


def _cold(
    program: Callable[[str], Sequence[str]],
    environ: dict[str, str],
    asked: Sequence[str],
    shown: Path,
) -> float:
    """Return the median milliseconds of a process that asks one question, the first one aside."""
    return median([run_program(list(program(text)), environ, shown) for text in asked][1:])


def _warm(ask: Callable[[str], object], asked: Sequence[str]) -> Spread:
    samples = []
    for question in asked:
        began = time.perf_counter()
        ask(question)
        samples.append(1000 * (time.perf_counter() - began))
    return Spread.of(samples[_WARM_UP:])


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
