"""Judge what was extracted from a case against its labels.

A fact hits an expected one if each of its `must` groups (patterns) matches; it is precise if it
hits one or is acceptable; it violates a `must_not` that it matches. A word is unsupported if no
turn of the case says it: unlike the guard, which asks the cited turn, this is told from outside.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from bench.extraction.cases import Case
from hippod.extraction import support
from hippod.extraction.selection import Draft
from hippod.language import content_stems, guess

FLAGS = re.IGNORECASE | re.DOTALL
_WORD = re.compile(r"[^\W_]+(?:[.'’/-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of one case, or their sums; what it cost in tokens and seconds."""

    case: str
    expected: int = 0
    found: int = 0
    facts: int = 0
    precise: int = 0
    violations: int = 0
    words: int = 0
    unsupported: int = 0
    dates: int = 0
    dates_right: int = 0
    kinds_right: int = 0
    entities_right: int = 0
    tokens: int = 0
    seconds: float = 0.0

    @property
    def recall(self) -> float:
        return self.found / self.expected if self.expected else 1.0

    @property
    def precision(self) -> float:
        return self.precise / self.facts if self.facts else 1.0


def judge(case: Case, facts: Sequence[Draft], tokens: int = 0, seconds: float = 0.0) -> Score:
    """Score the facts of one case."""
    hits = [(wanted, _hits(wanted, facts)) for wanted in case["expected"]]
    wrong = unwanted(case, facts)
    dated = [(wanted, found) for wanted, found in hits if wanted.get("resolved")]
    words = [word for draft in facts for word in _words(draft.content)]
    return Score(
        case=case["id"],
        expected=len(hits),
        found=sum(bool(found) for _, found in hits),
        facts=len(facts),
        precise=len(facts) - len(wrong),
        violations=len(violations(case, facts)),
        words=len(words),
        unsupported=len(unsupported(case, facts)),
        dates=len(dated),
        dates_right=sum(_any_matches(w["resolved"], found) for w, found in dated),
        kinds_right=sum(any(d.kind in w["kind"].split("|") for d in found) for w, found in hits),
        entities_right=sum(any(_names(w, d) for d in found) for w, found in hits),
        tokens=tokens,
        seconds=seconds,
    )


def missed(case: Case, facts: Sequence[Draft]) -> list[Case]:
    """Return what was expected and not found."""
    return [wanted for wanted in case["expected"] if not _hits(wanted, facts)]


def unwanted(case: Case, facts: Sequence[Draft]) -> list[Draft]:
    """Return the facts that are neither expected nor acceptable."""
    return [
        draft
        for draft in facts
        if not any(_hits(wanted, [draft]) for wanted in case["expected"])
        and not _any_matches(case["acceptable"], [draft])
    ]


def violations(case: Case, facts: Sequence[Draft]) -> list[tuple[str, str]]:
    """Return (pattern, content) of every fact that must not be there."""
    return [
        (banned["re"], draft.content)
        for draft in facts
        for banned in case["must_not"]
        if re.search(banned["re"], draft.content, FLAGS)
    ]


def unsupported(case: Case, facts: Sequence[Draft]) -> list[str]:
    """Return the words of facts that nobody in the case said."""
    heard = "\n".join([*(turn["text"] for turn in case["turns"]), *_people(case)])
    plain = heard.casefold().replace("’", "'")
    stems = set(content_stems(heard, guess(heard)))
    return [
        word
        for draft in facts
        for word in _words(draft.content)
        if word.casefold() not in plain
        and not set(content_stems(word, guess(draft.content))) <= stems
    ]


def summed(scores: Sequence[Score]) -> Score:
    """Add up the counts of all cases."""
    rows = [asdict(score) for score in scores]
    return Score(**{"case": "all", **{k: sum(r[k] for r in rows) for k in rows[0] if k != "case"}})


def _people(case: Case) -> Iterable[str]:
    return {case["user"], case.get("agent") or "Agent", *(t["name"] for t in case["turns"])}


def _words(content: str) -> list[str]:
    """Return the words of a fact without the dates that code appended."""
    text = support.without_dates(content).replace("’", "'")
    return _WORD.findall(text)


def _hits(wanted: Case, facts: Sequence[Draft]) -> list[Draft]:
    return [d for d in facts if all(_any_matches(group, [d]) for group in wanted["must"])]


def _any_matches(patterns: Sequence[str], drafts: Sequence[Draft]) -> bool:
    return any(re.search(p, draft.content, FLAGS) for p in patterns for draft in drafts)


def _names(wanted: Case, draft: Draft) -> bool:
    have = {entity.casefold() for entity in draft.entities}
    return bool(have & {name.casefold().replace(" ", "-") for name in wanted["entities"]})
