"""Measure extraction on labelled transcripts; print a table, or JSON.

    python -m bench.extraction [--set NAME|FILE]... [--model NAME|FILE.gguf]... [-v]

A model is `rules` (none), `probe` (the encoder, the default of the daemon), `embedded` or a GGUF
(labels of a generator). `GGUF+transcript` and `GGUF+rewrite` have that generator read the whole
batch, or word quotations, beside the probe, whatever its self-test says. Each is one row per set:
recall of the expected facts, precision, facts that must not be there, words that nobody said,
dates, kinds and entities, tokens and seconds per fact.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from bench.extraction import cases
from bench.extraction.score import Score, judge, missed, summed, unsupported, unwanted, violations
from hippod.errors import ModelError
from hippod.extraction import probe, support
from hippod.extraction.probe import Judge
from hippod.extraction.selection import RULES, Calibration, Extraction, Strategies, extract
from hippod.models.embedded import embedded_gguf
from hippod.models.encoder import ChildEncoder
from hippod.models.llama import LlamaGenerator


def main() -> None:
    options = _options()
    try:
        _measure_all(options)
    except ModelError as error:
        raise SystemExit(f"{error.message}\n{error.hint}") from None


def _measure_all(options: argparse.Namespace) -> None:
    rows = []
    for model in options.model or ["rules", "probe", "embedded"]:
        with selector(model) as selects:
            for name in options.set or cases.names():
                scores = measure(cases.load(name), selects, verbose=options.verbose)
                rows.append((model, name, scores))
    if options.json:
        print(json.dumps([_as_json(*row) for row in rows], indent=2))
    else:
        _table(rows, every_case=options.per_case)


@dataclass(frozen=True)
class Selector:
    """What decides which sentences last; neither: the rules."""

    judge: Judge | None = None
    generator: LlamaGenerator | None = None
    calibration: Calibration = field(default_factory=Calibration)
    writes: str = ""

    @property
    def strategies(self) -> Strategies:
        """What the generator does beside what selects."""
        return replace(RULES, **{self.writes: lambda: self.generator}) if self.writes else RULES

    @property
    def tokens(self) -> int:
        """Tokens that the generator has used so far."""
        return int(str(self.generator.status()["tokens"])) if self.generator else 0


@contextmanager
def selector(model: str) -> Iterator[Selector]:
    """Load a model, by the name that the command line gives it."""
    name, _, writes = model.partition("+")
    with ExitStack() as stack:
        judge, generator = None, None
        if name == "probe" or writes:
            encoder = stack.enter_context(closing(ChildEncoder()))
            encoder.embed_query("hello")
            judge = probe.judge(encoder)
        if name not in ("rules", "none", "probe"):
            generator = stack.enter_context(closing(_generator(name)))
        found = Selector(judge, generator, writes=writes)
        if generator:
            found.calibration.bias(generator)  # once for the process, so it is no case's cost
        yield found


def _generator(name: str) -> LlamaGenerator:
    path = embedded_gguf() if name == "embedded" else Path(name)
    if path is None:
        raise SystemExit("the embedded model is not installed: make run")
    return LlamaGenerator(path, prompt_timeout=300.0, call_timeout=900.0)


def measure(
    labelled: Sequence[cases.Case], selects: Selector, *, verbose: bool = False
) -> list[Score]:
    """Extract every case as a main session and judge it."""
    scores = []
    for case in labelled:
        before, started = selects.tokens, time.perf_counter()
        found = run(case, selects)
        seconds = time.perf_counter() - started
        scores.append(judge(case, found.facts, selects.tokens - before, seconds))
        if verbose:
            _show(case, found)
    return scores


def run(case: cases.Case, selects: Selector) -> Extraction:
    """Extract one case."""
    return extract(
        cases.turns(case),
        user=case["user"],
        agent=case.get("agent"),
        zone=cases.ZONE,
        judge=selects.judge,
        generator=selects.generator,
        calibration=selects.calibration,
        strategies=selects.strategies,
    )


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
    add = parser.add_argument
    add("--set", "--cases", action="append", help="a set by name, or a file; default: all")
    add("--model", action="append", help="rules, probe, embedded, or a GGUF; default: all three")
    add("--per-case", action="store_true", help="a row per case")
    add("--json", action="store_true")
    add("-v", "--verbose", action="store_true", help="every fact and rejection")
    return parser.parse_args()


if __name__ == "__main__":
    main()
