"""Pages of facts that hippod writes: dated, without doubles, with marks of what replaced what."""

import random
import time
from collections.abc import Sequence
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod import facts, markdown, pages
from hippod.reflection import fact_pages, regions
from hippod.reflection.groups import grouped
from hippod.reflection.known import KnownFact, known
from hippod.reflection.regions import Refreshed
from tests.reflected import TODAY, by_id, listed
from tests.test_entity_pages import known_facts, same, without_regions

WORLD = "bank/world.md"
EXPERIENCE = "bank/experience.md"

SAID = listed(
    "2025-11-03 W @Peter: Lives in Vienna. ^vvvv1111",
    "2026-01-05 W @Peter: Lives in Berlin. ^bbbb1111",
    "2026-01-07 W @Peter @Dana: Share an allotment near the canal. ^ssss1111",
    "2026-01-08 W: The ferry runs until November. ^ffff1111",
    "2026-02-01 W @Peter: Lives in Berlin. ^bbbb2222",
    "2026-02-01 B @Peter: Repaired the old kiln. ^kkkk1111",
    "2026-02-02 O(c=0.8) @Peter: Likes rain. ^oooo1111",
    "2026-02-03 W @Peter: Has 3 cats",
)
MARKS = {"vvvv1111": "bbbb1111"}


def refresh(
    text: str | None,
    said: Sequence[KnownFact] = SAID,
    path: str = WORLD,
    marks: dict[str, str] | None = None,
    limit: int = 500,
) -> Refreshed:
    known_marks = MARKS if marks is None else marks
    return fact_pages.refresh(path, text, said, known_marks, by_id(said), TODAY, limit)


def written(text: str | None, said: Sequence[KnownFact] = SAID, **changes: object) -> str:
    found = refresh(text, said, **changes)  # type: ignore[arg-type]
    assert found.text is not None
    return found.text


def body(text: str) -> list[str]:
    document = markdown.parse(text)
    (region,) = pages.regions(document)
    assert not region.edited
    return list(regions.held(document, region))


def test_a_page_of_what_is_so() -> None:
    text = written(None)
    assert text.startswith("# World\n\n<!-- hippod:facts sha256:")
    assert body(text) == [
        "## 2026-02",
        "- 2026-02-03 @Peter: Has 3 cats [[2026-02-03]]",
        "- 2026-02-01 @Peter: Lives in Berlin. [[2026-02-01#^bbbb2222]], [[2026-01-05#^bbbb1111]]",
        "",
        "## 2026-01",
        "- 2026-01-08: The ferry runs until November. [[2026-01-08#^ffff1111]]",
        "- 2026-01-07 @Peter @Dana: Share an allotment near the canal. [[2026-01-07#^ssss1111]]",
        "",
        "## 2025-11",
        "- ~~2025-11-03 @Peter: Lives in Vienna.~~ [[2025-11-03#^vvvv1111]] superseded by "
        "[[2026-01-05#^bbbb1111]]",
    ]
    assert refresh(text) == Refreshed(None)


def test_a_page_of_what_was_done() -> None:
    text = written(None, path=EXPERIENCE)
    assert text.startswith("# Experience\n\n<!-- hippod:facts ")
    assert body(text) == [
        "## 2026-02",
        "- 2026-02-01 @Peter: Repaired the old kiln. [[2026-02-01#^kkkk1111]]",
    ]


def test_without_facts_there_is_no_page_and_a_page_is_emptied() -> None:
    assert refresh(None, [], path=EXPERIENCE) == Refreshed(None)
    assert refresh("# World\nMine.\n", []) == Refreshed(None)
    assert body(written(written(None), [])) == []


def test_the_order_in_which_facts_arrive_does_not_matter() -> None:
    assert written(None, SAID[::-1]) == written(None)
    assert written(written(None, SAID[3:]), SAID) == written(None)


def test_superseded_facts_are_kept_beyond_the_limit() -> None:
    lines = body(written(None, limit=1))
    assert [line for line in lines if line.startswith("-")] == [
        "- 2026-02-03 @Peter: Has 3 cats [[2026-02-03]]",
        "- ~~2025-11-03 @Peter: Lives in Vienna.~~ [[2025-11-03#^vvvv1111]] superseded by "
        "[[2026-01-05#^bbbb1111]]",
    ]


def test_a_page_that_people_made_gets_the_region_once() -> None:
    own = "# World\r\n\r\n- 2026-01-01 @Peter: Mine. [[2026-01-01#^zzzz1111]]\r\n"
    text = written(own)
    assert text.startswith(own)
    assert refresh(text) == Refreshed(None)
    more = [*SAID, *listed("2026-02-09 W @Dana: Plays chess. ^cccc1111")]
    assert without_regions(written(text, more)) == without_regions(text)


def test_an_edited_region_stays_and_is_reported() -> None:
    text = written(None).replace("Has 3 cats", "Has 4 cats")
    more = [*SAID, *listed("2026-02-09 W @Dana: Plays chess. ^cccc1111")]
    assert refresh(text, more) == Refreshed(None, "facts edited by hand: left as it is")


def test_what_is_derived_is_on_no_page() -> None:
    derived = listed("2026-02-01 W @Peter: Was busy. (reflect/2026-02-01#Peter) ^dddd1111")
    assert refresh(written(None), [*SAID, *derived]) == Refreshed(None)


def test_facts_that_people_wrote_are_marked_by_what_they_say() -> None:
    said = listed("2026-01-01 W @Peter: Rows", "2026-02-01 W @Peter: Has sold the boat")
    old, new = said
    text = written(None, said, marks={old.id: new.id})
    bullet = "- ~~2026-01-01 @Peter: Rows~~ [[2026-01-01]] superseded by [[2026-02-01]]"
    assert f'{bullet} "Has sold the boat"' in body(text)
    (mark,) = pages.supersessions(markdown.parse(text))
    assert (mark.old, mark.new, mark.day) == (old.id, new.id, date(2026, 2, 1))


# -- what says the same ----------------------------------------------------------------------


def ids(said: Sequence[KnownFact], marks: dict[str, str] | None = None) -> list[list[str]]:
    return [[each.id for each in group.facts] for group in grouped(said, marks or {})]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("W @Peter: Works at the mill.", "W @Peter: Peter works at the mill in Aue."),
        ("O @Peter: Prefers oat milk.", "W @Peter: Prefers oat milk in tea."),
        ("W @Peter @Dana: Own the red boat.", "W @Peter: Owns the red boat."),
    ],
)
def test_a_newer_fact_that_says_all_of_an_older_one_stands_for_it(older: str, newer: str) -> None:
    said = listed(f"2026-01-01 {older} ^aaaa1111", f"2026-02-01 {newer} ^bbbb1111")
    assert ids(said) == [["bbbb1111", "aaaa1111"]]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("W @Peter: Works at the mill in Aue.", "W @Peter: Works at the mill."),
        ("W @Peter: Owns 3 red boats.", "W @Peter: Owns 4 red boats."),
        ("W @Peter: Owns the red boat.", "W @Dana: Owns the red boat."),
        ("W @Peter: Does not own the red boat.", "W @Peter: Does own the red boat."),
        ("W @Peter: Prefers the red boat over tea.", "W @Peter: Prefers tea over the red boat."),
        ("B @Peter: Painted the red boat.", "B @Peter: Painted the red boat."),
        ("W @Peter: Rows.", "W @Peter: Rows."),
    ],
)
def test_what_says_something_else_stands_alone(older: str, newer: str) -> None:
    said = listed(f"2026-01-01 {older} ^aaaa1111", f"2026-02-01 {newer} ^bbbb1111")
    assert ids(said) == [["bbbb1111"], ["aaaa1111"]]


def test_an_event_told_again_within_days_is_one() -> None:
    said = listed(
        "2026-01-01 B @Peter: Painted the red boat. ^aaaa1111",
        "2026-01-04 B @Peter: Painted the red boat. ^bbbb1111",
    )
    assert ids(said) == [["bbbb1111", "aaaa1111"]]


def test_only_what_was_superseded_by_the_same_is_together() -> None:
    said = listed(
        "2026-01-01 W @Peter: Owns the red boat. ^aaaa1111",
        "2026-01-02 W @Peter: Owns the red boat. ^bbbb1111",
        "2026-01-03 W @Peter: Owns the red boat. ^cccc1111",
    )
    assert ids(said, {"aaaa1111": "x", "bbbb1111": "x"}) == [["cccc1111"], ["bbbb1111", "aaaa1111"]]


@settings(deadline=None, max_examples=50)
@given(known_facts(), st.data())
def test_every_fact_is_in_one_group(said: list[KnownFact], data: st.DataObject) -> None:
    groups = grouped(said, {})
    assert sorted(each.id for group in groups for each in group.facts) == sorted(by_id(said))
    shuffled = data.draw(st.permutations(said))
    if len({(each.said, each.line) for each in said}) == len(said):
        assert grouped(shuffled, {}) == groups


@settings(deadline=None, max_examples=100)
@given(known_facts(), st.data())
def test_whatever_facts_say_a_page_reads_back_as_it_was_meant(
    said: list[KnownFact], data: st.DataObject
) -> None:
    said = [each for each in said if each.fact.kind == "W"]
    if not said:
        return
    keys = [each.id for each in said]
    marks = data.draw(st.dictionaries(st.sampled_from(keys), st.sampled_from(keys), max_size=2))
    marks = {old: new for old, new in marks.items() if old != new and new not in marks}
    text = written(None, said, marks=marks)
    document = markdown.parse(text)
    found = pages.statements(document)
    assert (
        len(body(text)) == len(found) + 2 * len({each.day and each.day.month for each in found}) - 1
    )
    for statement in found:
        fact = by_id(said)[statement.restates or ""]
        assert same(statement.content, fact.fact.content)
        assert (statement.day, statement.entities) == (fact.day, fact.fact.entities)
    assert {(mark.old, mark.new) for mark in pages.supersessions(document)} == set(marks.items())
    assert refresh(text, said, marks=marks) == Refreshed(None)


def test_many_facts_take_seconds() -> None:
    draw = random.Random(7)
    verbs = "Owns Sells Paints Mends Borrows Rents Guards Names".split()  # noqa: SIM905
    things = [f"{a}{b}" for a in ("boat", "kiln", "violin", "van", "shed") for b in ("", "s", "er")]
    places = [f"{a}{b}" for a in ("Aue", "Kiel", "Graz", "Lund") for b in ("", "burg", "stedt")]
    said = []
    for number in range(3_000):
        content = f"{draw.choice(verbs)} the {draw.choice(things)} in {draw.choice(places)}"
        fact = facts.Fact("W", f"{content} since {1990 + number % 9}.", (f"Person{number % 40}",))
        said.append(
            known(TODAY - timedelta(days=number % 700), fact, "memory/x.md", number, number)
        )
    start = time.process_time()
    text = written(None, list(by_id(said).values()), marks={})
    assert time.process_time() - start < 5
    assert len(body(text)) > 400
