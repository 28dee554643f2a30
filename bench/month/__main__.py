"""Live through three simulated months, and hold them against what should come of them.

    python -m bench.month [--quick] [--json FILE]

Prints a table for each month: runs that should be and that were, what was made up for and what was
left out, tokens, notifications. At the end the daemon's clockwork runs for some seconds with real
timers. The exit code is 1 if anything differs.
"""

import argparse
import json
import logging
import sys
import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from bench import report
from bench.month import expected, figures, living, months, ticking
from bench.month.figures import Report
from bench.month.script import Month
from hippod import log

REPORTS = Path(__file__).parents[1] / "reports"


def main(arguments: Sequence[str]) -> int:
    """Measure and report; return 0 if all is as it should be, else 1."""
    options = _options().parse_args(arguments)
    log.configure("error", "console")
    logging.getLogger("apscheduler").setLevel(logging.ERROR)  # one job is slow on purpose
    started, about = datetime.now().astimezone(), report.machine()
    with tempfile.TemporaryDirectory(prefix="hippod-bench-") as folder:
        reports = [
            *(_month(month, Path(folder)) for month in months.all_of(quick=options.quick)),
            ticking.run(Path(folder) / "ticking"),
        ]
    print("{cpu}, {cores} cores, Python {python}, hippod {hippod}, load {load}".format(**about))
    print(figures.table(reports))
    written = {
        "version": report.VERSION,
        "started": started.isoformat(timespec="seconds"),
        "machine": about,
        "quick": options.quick,
        "months": [each.as_json() for each in reports],
    }
    path = Path(options.json or REPORTS / f"month-{started:%Y-%m-%d-%H%M%S}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")
    print(f"written to {path}")
    return 0 if all(each.holds for each in reports) else 1


def _month(month: Month, folder: Path) -> Report:
    lived = living.live(month, folder / month.zone.key.replace("/", "-"))
    return figures.compare(month, expected.expect(month), lived)


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.month", description=__doc__.splitlines()[0]
    )
    add = parser.add_argument
    add("--quick", action="store_true", help="the same months with fewer looks at the files")
    add("--json", metavar="FILE", help="where the JSON goes; default: bench/reports")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
