"""The command line client as a process of its own, against a Python that does nothing."""

import compileall
import json
import os
import sys
import time
from pathlib import Path
from statistics import median

from tests.processes import Daemon

import hippod
from bench import corpus, live
from bench.report import Budget, Result, Row, Spread
from bench.scale import Scale

MOST_TIMES_PYTHON = 3
_BARE = "python -c pass"
_WARM_UP = 2


def measure(scale: Scale, folder: Path) -> Result:
    """Start `hippod recall` and `python -c pass` in turn; take off the daemon's own time."""
    script = Path(sys.executable).with_name("hippod")
    title = f"Cold command line client: {scale.starts} starts, the daemon's time taken off"
    if not script.exists():
        return Result(title, skipped=f"there is no console script {script}")
    compileall.compile_dir(Path(hippod.__file__).parent, quiet=1)
    with live.daemon(folder, scale.small_files) as daemon:
        units = live.units(daemon)
        question = corpus.questions("mixed", 1)[0]
        bare, as_json, for_people = _starts(daemon, script, question, scale.starts)
    least = Budget("ratio", MOST_TIMES_PYTHON)
    rows = []
    for what, here in (("recall --json", as_json), ("recall", for_people)):
        for name, of, budget in (("min", min, least), ("median", median, None)):
            base = Spread(of(bare))
            rows.append(Row(f"{what}, {name}", "ms", Spread(of(here)), _BARE, base, budget))
    return Result(title, tuple(rows), {"units": units})


def _starts(
    daemon: Daemon, script: Path, question: str, count: int
) -> tuple[list[float], list[float], list[float]]:
    """Return the milliseconds of bare Python, of `recall --json` and of `recall`, each time."""
    environ = {name: daemon.environ[name] for name in ("PATH", "HOME", "HIPPOD_SOCKET")}
    shown = daemon.workspace.parent / "shown"
    took: list[float] = []
    rows = []
    for _ in range(count + _WARM_UP):
        bare = run_program([sys.executable, "-c", "pass"], environ, shown)
        as_json = run_program([str(script), "recall", "--json", question], environ, shown)
        took.append(json.loads(shown.read_bytes())["took_ms"])
        for_people = run_program([str(script), "recall", question], environ, shown)
        rows.append((bare, as_json - took[-1], for_people - median(took)))
    bares, jsons, people = zip(*rows[_WARM_UP:], strict=True)
    return list(bares), list(jsons), list(people)


def run_program(program: list[str], environ: dict[str, str], output: Path) -> float:
    """Run a program to its end, its output in a file; return the milliseconds."""
    actions = [(os.POSIX_SPAWN_OPEN, 1, str(output), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)]
    began = time.perf_counter()
    child = os.posix_spawn(program[0], program, environ, file_actions=actions)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    took = time.perf_counter() - began
    if code:
        raise SystemExit(f"{' '.join(program)} ended with exit code {code}")
    return 1000 * took
