"""Let everybody work on one memory at once, kill the daemon again and again, then audit.

    python -m bench.soak [--minutes N] [--quick] [--seed S] [--json FILE] [--keep FOLDER]

Readers, writers, editors, git, agents and jobs work on a growing workspace. In the first half the
daemon is killed, stopped and reloaded at random moments, in the second it is left alone and
watched. All that follows from the seed, but for the order in which the threads come. Prints a
table; the exit code is 1 if anything was lost, stands twice, or does not hold its bound.
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from bench import report
from bench.soak import figures
from bench.soak.run import QUICK, Scale, as_json, soak

REPORTS = Path(__file__).parents[1] / "reports"


def main(arguments: Sequence[str]) -> int:
    """Run and report; return 0 if all holds, else 1."""
    options = _options().parse_args(arguments)
    started, about = datetime.now().astimezone(), report.machine()
    scale = QUICK if options.quick else Scale.full(options.minutes)
    seed = random.randrange(1_000_000) if options.seed is None else options.seed
    with _folder(options.keep) as folder:
        outcome = soak(scale, seed, folder)
    print("{cpu}, {cores} cores, Python {python}, hippod {hippod}, load {load}".format(**about))
    print(figures.text(outcome))
    print(f"seed {seed}")
    written = {
        "version": report.VERSION,
        "started": started.isoformat(timespec="seconds"),
        "machine": about,
        "seed": seed,
        "quick": options.quick,
        "holds": figures.holds(outcome),
        "result": figures.result(outcome).as_json(),
        **as_json(outcome),
    }
    path = Path(options.json or REPORTS / f"soak-{started:%Y-%m-%d-%H%M%S}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")
    print(f"written to {path}")
    return 0 if figures.holds(outcome) else 1


@contextmanager
def _folder(kept: str | None) -> Iterator[Path]:
    if kept:
        Path(kept).mkdir(parents=True)
        yield Path(kept)
        return
    with tempfile.TemporaryDirectory(prefix="hippod-soak-") as folder:
        yield Path(folder)


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.soak", description=__doc__.splitlines()[0]
    )
    add = parser.add_argument
    add("--minutes", type=float, default=10, metavar="N", help="how long; default: 10")
    add("--quick", action="store_true", help="some seconds, to see that all of it runs")
    add("--seed", type=int, metavar="S", help="to repeat a run; default: another one each time")
    add("--json", metavar="FILE", help="where the JSON goes; default: bench/reports")
    add("--keep", metavar="FOLDER", help="where the workspace and the log stay; default: nowhere")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
