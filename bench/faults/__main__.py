"""Break a running daemon in every way that must be survived, and audit what is left.

    python -m bench.faults [--quick] [--only NAMES] [--list] [--json FILE]

Prints a line for each fault: whether it was survived, bytes lost of what people wrote or said,
facts that stand twice, seconds until a file is found and a fact retained again. The exit code is
1 if anything was not survived.
"""

import argparse
import json
import signal
import sys
import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from bench import report
from bench.faults import groups, table
from bench.faults.harness import FULL, QUICK, run
from hippod import log

REPORTS = Path(__file__).parents[1] / "reports"


def main(arguments: Sequence[str]) -> int:
    """Break, report; return 0 if all was survived, else 1."""
    options = _options().parse_args(arguments)
    faults = groups.named(options.only)
    if options.list or not faults:
        print("\n".join(fault.name for fault in groups.ALL))
        return 0 if faults else 2
    log.configure("error", "console")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that no daemon is left behind
    started, about = datetime.now().astimezone(), report.machine()
    print("{cpu}, {cores} cores, Python {python}, hippod {hippod}, load {load}".format(**about))
    print(table.HEAD, flush=True)
    outcomes = []
    scale = QUICK if options.quick else FULL
    for fault in faults:
        with tempfile.TemporaryDirectory(prefix="hippod-faults-") as folder:
            outcomes.append(run(fault, scale, Path(folder), options.seed))
        print(table.line(outcomes[-1]), flush=True)
    print(table.totals(outcomes))
    written = {
        "version": report.VERSION,
        "started": started.isoformat(timespec="seconds"),
        "machine": about,
        "quick": options.quick,
        "seed": options.seed,
        "faults": list(table.as_json(outcomes)),
    }
    path = Path(options.json or REPORTS / f"faults-{started:%Y-%m-%d-%H%M%S}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")
    print(f"written to {path}")
    return 0 if table.good(outcomes) else 1


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.faults", description=__doc__.splitlines()[0]
    )
    add = parser.add_argument
    add("--quick", action="store_true", help="fewer rounds, smaller storms")
    add("--only", metavar="NAMES", default="", help="parts of names, separated by commas")
    add("--list", action="store_true", help="print the names and do nothing")
    add("--seed", type=int, default=1, help="of what is random")
    add("--json", metavar="FILE", help="where the JSON goes; default: bench/reports")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
