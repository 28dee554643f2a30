"""Facts, entities and a judge that hears only the words `no` and `perhaps`, for the ledger."""

import re
from datetime import date

from hippod import facts
from hippod.facts import Fact, Letter
from hippod.reflection import entities
from hippod.reflection.entities import Entities, Page
from hippod.reflection.known import KnownFact, known
from hippod.reflection.verdicts import Verdict

_WORD = re.compile(r"\w+")


def fact(
    day: str,
    text: str,
    kind: Letter = "O",
    c: float | None = None,
    about: tuple[str, ...] = ("Rowan",),
    *,
    by_hand: bool = False,
) -> KnownFact:
    """Return a fact as the factbook would."""
    id_ = None if by_hand else facts.fact_id("chat", "s1", f"{day} {kind}", text)
    path = f"memory/{day}.md"
    return known(date.fromisoformat(day), Fact(kind, text, about, c, None, id_), path, 4, 4)


def who(*stated: KnownFact, pages: tuple[Page, ...] = ()) -> Entities:
    """Return the entities of facts and pages."""
    return entities.resolve(stated, pages)


def judge(statement: str, text: str) -> Verdict:
    """Judge by the last word: the same is the topic; `no` contradicts, `perhaps` is undecided."""
    old, new = (_WORD.findall(each.casefold()) for each in (statement, text))
    if not old or not new or old[-1] != new[-1]:
        return Verdict("unrelated", "other topics", 0.0)
    if "perhaps" in new:
        return Verdict("related", "undecided", 0.8)
    return Verdict("contradicts" if ("no" in new) != ("no" in old) else "supports", "words", 1.0)
