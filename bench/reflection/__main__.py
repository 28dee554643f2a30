"""Measure reflection: judgement on labelled pairs, and a simulated year whose truth is known.

    python -m bench.reflection [--quick] [--every DAYS] [--seed N] [--model GGUF|none]
        [--json FILE] [--plot FILE.svg]

The pairs are judged by the rules and by a model (the embedded one, unless `--model` says
otherwise). The year is reflected upon every so many days by rules alone, and with the model where
`--model` names one: then it does what its self-test lets it do. Budgets of 0 are promises; the
others say from where on a figure would be good enough.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from bench import report
from bench.reflection import figures, judging, sets, simulation, year
from bench.reflection.judging import Judged
from bench.report import Result
from hippod import log
from hippod.errors import ModelError
from hippod.models.embedded import embedded_gguf
from hippod.models.llama import LlamaGenerator
from hippod.reflection import supersession, verdicts
from hippod.reflection.judging import ModelJudge
from hippod.reflection.verdicts import Verdict

REPORTS = Path(__file__).parents[1] / "reports"
FULL, QUICK = (300, 10_000), (30, 600)
"""Entities and facts of the year."""
_SPARE = 8
"""In a quick run the model judges one pair of so many."""


def main(arguments: Sequence[str]) -> int:
    """Measure and report; return 0 if it could be measured, whatever came out."""
    options = _options().parse_args(arguments)
    log.configure("warning", "console")
    started, about = datetime.now().astimezone(), report.machine()
    results, examples, confusions = _pairs(options)
    made = year.make(options.seed, *(QUICK if options.quick else FULL))
    with tempfile.TemporaryDirectory(prefix="hippod-bench-") as folder:
        outcome = simulation.run(
            Path(folder) / "year", made, _year_model(options), every=options.every
        )
    result, wrong = figures.of_year(made, outcome)
    results.append(result)
    examples |= wrong
    _show(about, results, confusions, examples)
    name = f"reflection-{started:%Y-%m-%d-%H%M%S}"
    _save(Path(options.plot or REPORTS / f"{name}.svg"), figures.picture(made, outcome))
    written = {
        "version": report.VERSION,
        "started": started.isoformat(timespec="seconds"),
        "machine": about,
        "seed": options.seed,
        "every_days": options.every,
        "results": [each.as_json() for each in results],
        "steps": [{**asdict(step), "day": str(step.day)} for step in outcome.steps],
        "examples": examples,
    }
    _save(Path(options.json or REPORTS / f"{name}.json"), json.dumps(written, indent=2) + "\n")
    return 0


def _pairs(
    options: argparse.Namespace,
) -> tuple[list[Result], figures.Examples, dict[str, Judged]]:
    """Judge the labelled pairs by rules and, if there is one, by a model."""
    found = judging.find_all(sets.supersession(), supersession.find)
    replaced, examples = figures.of_supersession(found)
    judges = {figures.RULES: judging.judge_all(sets.opinions(), verdicts.judge)}
    conditions: dict[str, Any] = {}
    path = embedded_gguf() if options.model is None else _year_model(options)
    if path is not None:
        try:
            judges |= _judged_by(path, sets.opinions()[:: _SPARE if options.quick else 1])
            conditions["model"] = path.name
        except ModelError as error:
            conditions["no model"] = error.message
    rows = tuple(row for name, judged in judges.items() for row in figures.of_judge(name, judged))
    result = Result("Judgement of opinions", rows, conditions)
    return [result, replaced], examples | figures.of_pairs(judges[figures.RULES]), judges


def _judged_by(path: Path, pairs: Sequence[sets.OpinionPair]) -> dict[str, Judged]:
    """Have a model judge, whatever its self-test says: beside the rules, and alone.

    Alone it cannot tell that two texts have nothing in common: it is not asked about such pairs.
    """
    with closing(LlamaGenerator(path, prompt_timeout=300.0, call_timeout=900.0)) as generator:
        judge = ModelJudge(generator, _raised)
        judge.ask(pairs[0].statement, pairs[0].text)  # loads it, so that it is no pair's cost
        related = [pair for pair in pairs if pair.stance != "unrelated"]
        return {
            "rules + model": judging.judge_all(pairs, judge),
            "model alone": judging.judge_all(
                related, lambda statement, text: Verdict(judge.ask(statement, text)[0], "", 1.0)
            ),
        }


def _raised(error: ModelError) -> None:
    raise error


def _year_model(options: argparse.Namespace) -> Path | None:
    """Return the model that the year is lived with: only one that was asked for."""
    return Path(options.model) if options.model not in (None, "none") else None


def _show(
    about: dict[str, Any],
    results: Sequence[Result],
    confusions: dict[str, Judged],
    examples: figures.Examples,
) -> None:
    print("{cpu}, {cores} cores, Python {python}, hippod {hippod}, load {load}".format(**about))
    print(report.table(results))
    for name, judged in confusions.items():
        print(f"\nWhat {name} took each label for\n{figures.confusion(judged)}")
    print("\nWhat was wrong", *figures.told(examples), sep="\n")


def _save(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(f"written to {path}")


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.reflection", description=__doc__.splitlines()[0]
    )
    add = parser.add_argument
    add("--quick", action="store_true", help="30 entities and 600 facts: see that all of it runs")
    add("--model", metavar="GGUF", help="judge, and live the year, with it; none: by rules alone")
    add("--seed", type=int, default=1, help="of the year; default 1")
    add("--every", type=int, default=14, metavar="DAYS", help="between two reflections; default 14")
    add("--json", metavar="FILE", help="where the JSON goes; default: bench/reports")
    add("--plot", metavar="FILE.svg", help="where the picture goes; default: bench/reports")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
