"""Measure hippod on this machine; print a table and write it as JSON.

    python -m bench [--quick|--large] [--only NAME]... [--json FILE|-] [--idle-seconds N]

Each measurement stands beside a baseline of the same run: on a shared machine the ratios tell
more than the absolute numbers.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from bench import (
    bounds,
    bridge,
    cold,
    generation,
    idle,
    index,
    recall,
    report,
    restart,
    save,
    vectors,
    writes,
)
from bench.reflection import figures
from bench.report import Result
from bench.scale import FULL, LARGE_SIZES, QUICK, Scale
from hippod import log

MEASUREMENTS: dict[str, Callable[[Scale, Path], Result]] = {
    "index": index.measure,
    "vectors": vectors.measure,
    "recall": recall.measure,
    "common": bounds.measure,
    "writes": writes.measure,
    "restart": restart.measure,
    "save": save.measure,
    "cli": cold.measure,
    "mcp": bridge.measure,
    "generation": generation.measure,
    "reflection": figures.measure,
    "idle": idle.measure,
}
REPORTS = Path(__file__).parent / "reports"


def main(arguments: Sequence[str]) -> int:
    """Measure what was asked for; return 0 if it could be measured, whatever came out."""
    options = _options().parse_args(arguments)
    scale = QUICK if options.quick else FULL
    if options.large:
        scale = replace(scale, sizes=LARGE_SIZES)
    if options.idle_seconds is not None:
        scale = replace(scale, idle_seconds=options.idle_seconds)
    log.configure("warning", "console")
    started, before = datetime.now().astimezone(), report.machine()
    results = _measure(options.only or list(MEASUREMENTS), scale)
    about = {**before, "load_after": round(os.getloadavg()[0], 2)}
    to_stdout = options.json == "-"
    _show(about, list(results.values()), sys.stderr if to_stdout else sys.stdout)
    written = json.dumps(_as_json(started, about, scale, results), indent=2) + "\n"
    if to_stdout:
        sys.stdout.write(written)
    else:
        target = Path(options.json or REPORTS / f"{started:%Y-%m-%d-%H%M%S}.json")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(written, encoding="utf-8")
        print(f"\nwritten to {target}")
    return 0


def _measure(names: Sequence[str], scale: Scale) -> dict[str, Result]:
    results = {}
    with tempfile.TemporaryDirectory(prefix="hippod-bench-") as folder:
        for name in names:
            began = time.monotonic()
            place = Path(folder) / name
            place.mkdir()
            results[name] = MEASUREMENTS[name](scale, place)
            print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return results


def _show(about: dict[str, Any], results: Sequence[Result], stream: Any) -> None:
    line = "{cpu}, {cores} cores, {system}, Python {python}, SQLite {sqlite}, hippod {hippod}"
    print(line.format(**about), file=stream)
    print("load {load} before, {load_after} after".format(**about), file=stream)
    print(report.table(results), file=stream)


def _as_json(
    started: datetime, about: dict[str, Any], scale: Scale, results: dict[str, Result]
) -> dict[str, Any]:
    return {
        "version": report.VERSION,
        "started": started.isoformat(timespec="seconds"),
        "machine": about,
        "scale": asdict(scale),
        "results": {name: result.as_json() for name, result in results.items()},
    }


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench", description="Measure hippod on this machine."
    )
    add = parser.add_argument
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="small sizes: see that all of it runs")
    size.add_argument("--large", action="store_true", help="also at 300,000 units; half an hour")
    add("--only", action="append", choices=MEASUREMENTS, metavar="NAME",
        help=f"one of {', '.join(MEASUREMENTS)}; may be repeated")  # fmt: skip
    add("--json", metavar="FILE", help="where the JSON goes; - prints it, the table then to stderr")
    add("--idle-seconds", type=float, metavar="N", help="how long to look at the idle daemon")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
