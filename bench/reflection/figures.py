"""The figures of reflection as results of the benchmark: values, budgets, and what was wrong."""

from collections.abc import Iterator
from pathlib import Path

from bench.reflection import check, judging, plot, sets, simulation, year
from bench.reflection.following import Track
from bench.reflection.judging import Found, Judged
from bench.reflection.plot import Curve
from bench.reflection.score import State
from bench.reflection.simulation import Outcome
from bench.reflection.year import Year
from bench.report import Budget, Result, Row, Spread
from bench.scale import Scale
from hippod.reflection import supersession, verdicts

RULES = "rules"
"""Name of the judge that counts: a model judges only where its self-test lets it."""
NONE = Budget("p50", most=0)
MOVED_RIGHTLY = Budget("p50", least=0.9)
MARKED_RIGHTLY = Budget("p50", least=0.95)
HOLDS = Budget("p50", least=0.95)
_SHOWN = 3
"""Examples of each sort of fault."""
_CURVES = 8
_EVERY = 28
"""Days between two reflections where reflection is one measurement of many."""

Examples = dict[str, list[str]]
"""What was wrong, by figure."""


def measure(scale: Scale, folder: Path) -> Result:
    """Judge the labelled pairs by rules and live through a small year, for the whole benchmark."""
    judged = judging.judge_all(sets.opinions(), verdicts.judge)
    found = judging.find_all(sets.supersession(), supersession.find)
    made = year.make(1, *scale.year)
    outcome = simulation.run(folder, made, every=_EVERY)
    result, _ = of_year(made, outcome)
    rows = (*of_judge(RULES, judged), *_of_supersession(found), *result.rows)
    return Result(f"Reflection: labelled pairs; {result.title}", rows, result.facts)


# -- labelled pairs --------------------------------------------------------------------------


def of_judge(name: str, judged: Judged) -> Iterator[Row]:
    """Yield the rows of a judge of opinions."""
    english = judged.of(lambda pair: pair.lang == "en")
    others = judged.of(lambda pair: pair.lang != "en")
    yield _value(f"{name}: accuracy, {len(judged.verdicts)} pairs", judged.accuracy)
    yield _value(f"{name}: accuracy, English", english.accuracy)
    yield _value(f"{name}: accuracy, other languages", others.accuracy)
    yield _value(f"{name}: for <-> against flips", judged.flips)
    bound = MOVED_RIGHTLY if name == RULES else None
    yield _value(f"{name}: right, of what moves c", judged.moved_rightly, budget=bound)
    yield _value(f"{name}: takes a side", judged.moves / max(1, len(judged.verdicts)))
    yield _value(f"{name}: a pair", 1000 * judged.seconds / max(1, len(judged.verdicts)), "ms")


def confusion(judged: Judged) -> str:
    """Return what each label was taken for, as a table."""
    head = f"  {'label':<14}" + "".join(f"{said:>13}" for said in judging.STANCES)
    return "\n".join([head, *(
        f"  {label:<14}" + "".join(f"{judged.confusion[label, said]:>13}"
                                   for said in judging.STANCES)
        for label in judging.STANCES
    )])  # fmt: skip


def of_pairs(judged: Judged) -> Examples:
    """Return the pairs that would move a confidence wrongly."""
    moved = [
        (pair, said) for pair, said in judged.verdicts
        if said != pair.stance and said in ("supports", "contradicts")
    ]  # fmt: skip
    return {
        f"{pair.stance} judged {said}": [
            f"[{one.lang}, {one.tag}] {one.statement} | {one.text}"
            for one, verdict in moved
            if (one.stance, verdict) == (pair.stance, said)
        ]
        for pair, said in moved
    }


def of_supersession(found: Found) -> tuple[Result, Examples]:
    """Return the result of the pairs of facts, and what was wrong."""
    title = f"Supersession: {len(found.marked)} pairs of facts"
    wrong = [(pair, said) for pair, said in found.marked if pair.replaces != said]
    return Result(title, tuple(_of_supersession(found))), {
        name: [f"[{p.lang}, {p.tag}] {p.older} | {p.newer}" for p, said in wrong if said == marked]
        for name, marked in (("wrongly replaced", True), ("not replaced", False))
    }


def _of_supersession(found: Found) -> Iterator[Row]:
    yield _value("supersession pairs: precision", found.precision, budget=MARKED_RIGHTLY)
    yield _value("supersession pairs: recall", found.recall)
    others = found.of(lambda pair: pair.lang != "en")
    yield _value("supersession pairs: recall, not English", others.recall)


# -- the year --------------------------------------------------------------------------------


def of_year(made: Year, outcome: Outcome) -> tuple[Result, Examples]:
    """Return the result of a year, and what was wrong."""
    title = (
        f"A year: {len(made.told):,} facts, {len(made.subjects)} entities, "
        f"{len(outcome.steps)} reflections"
    )
    rows = (
        *_support_rows(outcome), *_entity_rows(outcome), *_state_rows(outcome),
        *_belief_rows(outcome), *_cost_rows(made, outcome),
    )  # fmt: skip
    return Result(title, rows, _conditions(outcome)), _examples(outcome)


def _support_rows(outcome: Outcome) -> Iterator[Row]:
    support, derived = outcome.support, outcome.derived
    yield _value("sentences on pages", support.sentences)
    yield _value("unsupported sentences, own check", support.unsupported, budget=NONE)
    yield _value("unsupported, hippod's check", len(outcome.refused), budget=NONE)
    yield _value("broken links", len(support.broken), budget=NONE)
    yield _value("bullets twice in a region", len(support.doubled), budget=NONE)
    yield _value("sentences in summaries of days", derived.sentences)
    yield _value("unsupported in summaries of days", derived.unsupported, budget=NONE)


def _entity_rows(outcome: Outcome) -> Iterator[Row]:
    merges = outcome.merges
    yield _value("entities wrongly merged", len(merges.wrong), budget=NONE)
    yield _value("facts on somebody else's page", len(merges.strays), budget=NONE)
    for way, seen in sorted(merges.seen.items()):
        yield _value(f"missed merges of {seen} by {way}", merges.missed[way])
    yield _value("missed merges shown as candidates", merges.proposed)


def _state_rows(outcome: Outcome) -> Iterator[Row]:
    for state in outcome.states:
        what = f"{state.day}: of values told, holding"
        yield _value(what, state.accuracy, budget=HOLDS)
        torn = state.torn / max(1, len(state.outdated))
        yield _value(f"{state.day}: of the rest, by missed merge", torn)
        yield _value(f"{state.day}: of {state.holding} that hold, told", _told(state))
    marks = outcome.marks
    yield _value("marks of supersession: precision", marks.precision, budget=MARKED_RIGHTLY)
    yield _value("marks of supersession: recall", marks.recall)


def _told(state: State) -> float:
    return state.stated / max(1, state.holding)


def _belief_rows(outcome: Outcome) -> Iterator[Row]:
    found = outcome.beliefs
    yield _value(f"of {found.beliefs} beliefs, in the ledger", found.covered)
    yield _value("opinions for each of them", found.sections / max(1, found.covered))
    yield _value("opinions founded on no opinion", len(found.foreign))
    yield _value(f"of {found.told} facts with a side, counted", found.used / max(1, found.told))
    total = max(1, found.evidence.total())
    yield _value("lines of evidence", found.evidence.total())
    yield _value("evidence: right", found.evidence["right"] / total, budget=MOVED_RIGHTLY)
    yield _value("evidence: flipped", found.evidence["flipped"] / total)
    yield _value("evidence: took no side", found.evidence["no side"] / total)
    yield _value("evidence: another topic", found.evidence["other topic"] / total)
    for course, number in sorted(found.of.items()):
        yield _value(f"{course}: of {number}, end on the true side", found.right[course] / number)
    for course in sorted(found.crossings):
        what = f"{course}: crossings, truth {found.turns[course]}"
        yield _value(what, found.crossings[course])
    yield _value("largest step of c at once", found.largest_step)
    if found.delays:
        yield Row("delay after a change of mind", "days", Spread.of(found.delays))
    yield _value("changes of mind not followed", len(found.never))
    yield _value("c other than computed by hand", len(found.uncomputed), budget=NONE)
    yield _value("c that `recompute` changes", outcome.recomputed, budget=NONE)


def _cost_rows(made: Year, outcome: Outcome) -> Iterator[Row]:
    facts, spent = max(1, len(made.told)), outcome.spent
    tokens = spent.tokens_in + spent.tokens_out
    yield _value("model calls a fact", spent.calls / facts)
    yield _value("model tokens a fact", tokens / facts)
    first, *others = [step.seconds for step in outcome.steps]
    yield _value("first reflection", first, "s")
    if others:
        yield Row("later reflections", "s", Spread.of(others))
    yield _value("unchanged: a reflection", outcome.again.seconds, "s")
    yield _value("unchanged: edits", outcome.again.edits, budget=NONE)
    yield _value("bank at the end", outcome.steps[-1].size / 1000, "kB")
    yield _value("bytes of the bank a fact", outcome.steps[-1].size / facts, "B")


def _conditions(outcome: Outcome) -> dict[str, object]:
    steps = outcome.steps
    months = {step.day.replace(day=1): step for step in steps}
    return {
        "quality": outcome.quality,
        "bank in kB at facts": " ".join(f"{s.size // 1000}@{s.facts}" for s in months.values()),
        "pages left alone": len(outcome.problems),
    }


def _examples(outcome: Outcome) -> Examples:
    support, merges, beliefs = outcome.support, outcome.merges, outcome.beliefs
    return {
        "unsupported": [_fault(each) for each in support.wrong],
        "refused by hippod": list(outcome.refused),
        "unsupported in summaries of days": [_fault(each) for each in outcome.derived.wrong],
        "broken links": list(support.broken),
        "twice": list(support.doubled),
        "wrongly merged": [", ".join(each) for each in merges.wrong],
        "on somebody else's page": list(merges.strays),
        "missed merges": [" / ".join(each) for each in merges.examples],
        "told but outdated": [one for state in outcome.states for one in state.outdated],
        "wrong marks": list(outcome.marks.wrong),
        "marks missed": list(outcome.marks.missed),
        "opinions on no opinion": beliefs.foreign,
        **{f"evidence, {kind}": texts for kind, texts in beliefs.examples.items()},
        "changes not followed": beliefs.never,
        "c computed otherwise": beliefs.uncomputed,
        "left alone": list(outcome.problems),
    }


def _fault(each: check.Wrong) -> str:
    said = each.sentence
    return f"{said.path}:{said.line}: {each.fault} {each.what!r}: {said.text}"


def told(examples: Examples) -> Iterator[str]:
    """Yield a few examples of each sort of fault, for people."""
    for name, texts in examples.items():
        if texts:
            yield f"  {name} ({len(texts)})"
            yield from (f"    {text}" for text in texts[:_SHOWN])


# -- the picture -----------------------------------------------------------------------------


def picture(made: Year, outcome: Outcome) -> str:
    """Return an SVG of some confidences: of each course those with most evidence."""
    by_course: dict[str, list[Track]] = {}
    for track in sorted(outcome.beliefs.tracks, key=lambda t: -len(t.section.evidence)):
        if track.points:
            by_course.setdefault(made.beliefs[track.belief].course, []).append(track)
    chosen = [track for tracks in by_course.values() for track in tracks[: _CURVES // 4]]
    last = made.told[-1].day
    return plot.svg([_curve(made, track) for track in chosen], year.FIRST, last)


def _curve(made: Year, track: Track) -> Curve:
    belief = made.beliefs[track.belief]
    said = [
        (each.day, each.side == track.stands_for) for each in made.told
        if (each.about, each.topic) == track.belief and each.side
    ]  # fmt: skip
    return Curve(
        f"{track.section.statement} (@{belief.about}, {belief.course})",
        track.points,
        tuple((day, side == track.stands_for) for day, side in belief.sides),
        tuple(said),
    )


def _value(what: str, value: float, unit: str = "", *, budget: Budget | None = None) -> Row:
    return Row(what, unit, Spread(float(value)), budget=budget)
