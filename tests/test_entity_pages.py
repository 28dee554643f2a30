"""Entity pages that hippod writes: what they tell, and what of a page is never touched."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod import facts, markdown, pages
from hippod.reflection import entity_pages, regions
from hippod.reflection.entities import Entity
from hippod.reflection.known import KnownFact, known
from hippod.reflection.regions import Refreshed
from hippod.reflection.summary import Sentence, Summarise
from tests.reflected import TODAY, by_id, entity, listed

PETER = listed(
    "2025-11-03 W @Peter: Lives in Vienna. ^vvvv1111",
    "2025-11-27 B @Peter: Fixed the heater by replacing the valve. ^hhhh1111",
    "2025-12-20 O(c=0.9) @Peter: Prefers tea over coffee. ^tttt1111",
    "2026-01-05 W @Peter: Lives in Berlin. ^bbbb1111",
    "2026-02-20 O(c=0.9) @Peter: Peter prefers green tea over coffee. ^tttt2222",
    "2026-02-25 B @Peter: Shipped the 0.5 release with 310 ms p95. ^ssss1111",
    "2026-03-01 W @Peter: Owns 3 violins",
)
MARKS = {"vvvv1111": "bbbb1111"}


def refresh(
    text: str | None,
    said: Sequence[KnownFact] = PETER,
    summarise: Summarise | None = None,
    today: date = TODAY,
    marks: dict[str, str] | None = None,
) -> Refreshed:
    about = entity(said) if said else Entity("Peter", "peter", frozenset({"peter"}), None, ())
    known_marks = MARKS if marks is None else marks
    return entity_pages.refresh(text, about, known_marks, by_id(said), summarise, today)


def written(text: str | None, said: Sequence[KnownFact] = PETER, **changes: object) -> str:
    found = refresh(text, said, **changes)  # type: ignore[arg-type]
    assert found.text is not None
    assert found.problem == ""
    return found.text


def region(text: str, name: str) -> list[str]:
    document = markdown.parse(text)
    (found,) = (each for each in pages.regions(document) if each.name == name)
    assert not found.edited
    return list(regions.held(document, found))


def without_regions(text: str) -> list[str]:
    """Return the lines of a page outside of its regions and their markers."""
    lines = text.splitlines(keepends=True)
    ours = {
        number
        for each in pages.regions(markdown.parse(text))
        for number in range(each.start - 1, each.end + 2)
    }
    return [line for number, line in enumerate(lines, 1) if number not in ours]


# -- what a page tells -----------------------------------------------------------------------


def test_a_new_page_tells_how_things_are_and_then_what_was() -> None:
    text = written(None)
    assert text.startswith(
        "---\nentity: Peter\naliases: []\nupdated: 2026-03-03\n---\n# Peter\n\n<!-- hippod:summary "
    )
    assert region(text, "summary") == [
        "Lives in Berlin. [[2026-01-05#^bbbb1111]]",
        "Peter prefers green tea over coffee. [[2026-02-20#^tttt2222]], [[2025-12-20#^tttt1111]]",
        "Owns 3 violins. [[2026-03-01]]",
        "",
        "Shipped the 0.5 release with 310 ms p95. [[2026-02-25#^ssss1111]]",
    ]
    assert region(text, "history") == [
        "- 2025-11-27: Fixed the heater by replacing the valve. [[2025-11-27#^hhhh1111]]",
        "- ~~2025-11-03: Lives in Vienna.~~ [[2025-11-03#^vvvv1111]] superseded by "
        "[[2026-01-05#^bbbb1111]]",
    ]
    assert "\n\n## History\n\n<!-- hippod:history" in text


def test_the_same_facts_change_nothing_on_any_later_day_that_changes_nothing() -> None:
    text = written(None)
    for days in (0, 1, 20):
        assert refresh(text, today=TODAY + timedelta(days=days)) == Refreshed(None)


def test_the_order_in_which_facts_arrive_does_not_matter() -> None:
    assert written(None, PETER[::-1]) == written(None)
    late = listed("2025-10-01 W @Peter: Has a sister in Graz. ^gggg1111")
    assert written(written(None), PETER + late) == written(None, late + PETER)


def test_what_is_over_is_history() -> None:
    trip = listed("2026-02-27 W @Peter: In Graz (2026-02-27 to 2026-03-04) for a fair. ^ffff1111")
    line = "In Graz (2026-02-27 to 2026-03-04) for a fair. [[2026-02-27#^ffff1111]]"
    text = written(None, PETER + trip)
    assert line in region(text, "summary")
    later = written(text, PETER + trip, today=date(2026, 3, 5))
    assert line not in region(later, "summary")
    assert f"- 2026-02-27: {line}" in region(later, "history")


def test_what_was_done_long_ago_is_history_and_nothing_derived_is_told() -> None:
    derived = listed(
        "2026-03-01 W @Peter: Was busy with 5 things. (reflect/2026-03-01#Peter) ^dddd1111",
        "2026-03-01 S @Peter: Rowed and sang. ^eeee1111",
    )
    text = written(None, PETER + derived, today=date(2026, 6, 1))
    assert "busy" not in text
    assert "Rowed" not in text
    assert not any("Shipped" in line for line in region(text, "summary"))
    assert any("Shipped" in line for line in region(text, "history"))


def test_a_summary_is_short_and_a_history_keeps_its_marks() -> None:
    many = [
        line
        for n in range(80)
        for line in listed(
            f"2026-01-{n % 28 + 1:02} W @Peter: Owns the boat number {n}. ^mmmm{n:04}"
        )
    ]
    old = listed(*(f"2024-01-{n:02} W @Peter: Parks in lot {n}. ^kkkk{n:04}" for n in range(1, 6)))
    marks = {each.id: many[0].id for each in old}
    text = written(None, many + old, marks=marks)
    lines = region(text, "summary")
    assert 8 <= len(lines) <= 12
    assert sum(len(line.split(" [[")[0]) for line in lines) <= 1_250
    history = region(text, "history")
    assert len(history) == 40
    assert sum("superseded by" in line for line in history) == 5
    assert history == sorted(history, key=lambda line: line.strip("- ~")[:10], reverse=True)


def test_a_mark_whose_other_side_is_gone_is_not_drawn() -> None:
    text = written(None, PETER[:1])
    assert region(text, "summary") == ["Lives in Vienna. [[2025-11-03#^vvvv1111]]"]


def test_without_facts_there_is_no_page_and_a_page_is_emptied() -> None:
    assert refresh(None, []) == Refreshed(None)
    text = written(written(None), [])
    assert region(text, "summary") == region(text, "history") == []
    assert refresh(text, []) == Refreshed(None)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("Dana-Whitfield", "entity: Dana-Whitfield"),
        ("No", 'entity: "No"'),
        ("Node.js", 'entity: "Node.js"'),
        ("2cv", 'entity: "2cv"'),
        ("Zoë", "entity: Zoë"),
    ],
)
def test_a_name_stays_a_name_in_yaml(name: str, line: str) -> None:
    said = listed(f"2026-03-01 W @{name}: Is blue. ^aaaa1111")
    text = entity_pages.refresh(None, entity(said, name), {}, {}, None, TODAY).text
    assert text is not None
    assert text.split("\n")[1] == line
    page = pages.entity_page("bank/entities/x.md", markdown.parse(text))
    assert page == pages.EntityPage(name, updated=TODAY)


# -- pages that people have ------------------------------------------------------------------

OWN = """\
---
# mine
entity:   Peter
tags: [a,  b]
---
# Peter the carpenter

Owes me a plane.
"""


def test_a_page_without_regions_gets_them_once_at_its_end() -> None:
    text = written(OWN)
    assert text.startswith(f"{OWN}\n## Summary\n\n<!-- hippod:summary ")
    assert refresh(text) == Refreshed(None)


@pytest.mark.parametrize("own", [OWN.rstrip("\n"), OWN + "\n\n", OWN.replace("---\n", "", 0), ""])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_line_ends_and_what_a_page_begins_and_ends_with_are_kept(
    own: str, end: str, bom: str
) -> None:
    page = bom + own.replace("\n", end)
    text = written(page)
    assert text.startswith(page)
    if own:
        assert "\n" not in text.replace(end, "")
        assert text.count(end) == len(markdown.split_lines(text))
    assert refresh(text) == Refreshed(None)
    more = PETER + listed("2026-03-02 W @Peter: Sings in a choir. ^cccc1111")
    again = written(text, more)
    assert without_regions(again) == without_regions(text)
    assert "Sings in a choir" in again
    assert written(again, PETER) == text


def test_only_updated_changes_outside_and_only_with_a_region() -> None:
    page = written(None).replace("aliases: []", "aliases: [ Pete ]  # short\nodd:   'x'")
    page = page.replace("## History", "Mine: **do not touch** <!-- hm -->\n\n## History")
    assert refresh(page) == Refreshed(None)
    more = PETER + listed("2026-03-04 W @Peter: Sings in a choir. ^cccc1111")
    text = written(page, more, today=date(2026, 3, 5))
    wanted = [
        line.replace("updated: 2026-03-03", "updated: 2026-03-05") for line in without_regions(page)
    ]
    assert without_regions(text) == wanted


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("<!-- /hippod:summary -->\n", ""), regions.BROKEN),
        (("<!-- hippod:history sha256:", "<!-- hippod:history sha"), regions.BROKEN),
        (("# Peter\n", "<<<<<<< HEAD\n# Peter\n=======\n# Pete\n>>>>>>> b\n"), regions.CONFLICTED),
        (("aliases: []", 'aliases: "the "green" one"'), ""),
        (("aliases: []", "aliases: [a"), ""),
        (("aliases: []\n", "aliases\n"), regions.UNREADABLE),
    ],
)
def test_a_page_in_disorder_is_left_alone_and_reported(
    change: tuple[str, str], problem: str
) -> None:
    text = written(None)
    broken = text.replace(*change)
    assert broken != text
    more = PETER + listed("2026-03-02 W @Peter: Sings in a choir. ^cccc1111")
    found = refresh(broken, more)
    assert found.text is None
    assert found.problem.startswith(problem)
    assert found.problem


def test_a_page_that_ends_in_an_open_fence_is_left_alone() -> None:
    assert refresh("# Peter\n\n```\nlet x = 1\n") == Refreshed(None, regions.UNCLOSED)
    assert refresh("# Peter\n\n<!-- later\n") == Refreshed(None, regions.UNCLOSED)


def test_markers_that_a_page_quotes_are_no_regions() -> None:
    page = "# Peter\n\n```\n<!-- hippod:summary -->\n```\n"
    assert written(page).startswith(page)


@pytest.mark.parametrize(
    "change", [("Owns 3 violins", "Owns 4 violins"), ("Lives in Berlin. ", "Lives. ")]
)
def test_an_edited_summary_stays_and_the_history_goes_on(change: tuple[str, str]) -> None:
    text = written(None)
    edited = text.replace(*change, 1)
    found = refresh(edited)
    assert found == Refreshed(None, "summary edited by hand: left as it is")
    old = listed("2025-01-01 W @Peter: Kept bees until 2025-06-01. ^kkkk1111")
    found = refresh(edited, PETER + old)
    assert found.text is not None
    assert found.problem
    assert "Kept bees" in "".join(region(found.text, "history"))
    assert without_summary(found.text)[0] == without_summary(edited)[0]


def without_summary(text: str) -> tuple[str, str]:
    before, _, after = text.partition("\n<!-- /hippod:summary -->")
    return before.replace("updated: 2026-03-03", ""), after


def test_a_region_that_a_person_emptied_is_edited() -> None:
    text = written(None)
    start, end = text.index(" -->\n") + 5, text.index("<!-- /hippod:summary")
    emptied = text[:start] + text[end:]
    found = refresh(emptied)
    assert found.problem == "summary edited by hand: left as it is"
    assert found.text is not None  # the history tells what no summary does
    assert "Owns 3 violins" in "".join(region(found.text, "history"))


def test_a_region_that_a_person_took_out_does_not_come_back() -> None:
    text = written(None)
    start, end = text.index("## History"), len(text)
    cut = text[:start] + text[end:]
    assert refresh(cut) == Refreshed(None)
    more = PETER + listed("2026-03-02 W @Peter: Sings in a choir. ^cccc1111")
    assert "hippod:history" not in written(cut, more)
    start, end = text.index("<!-- hippod:summary"), text.index("## History")
    cut = text[:start] + text[end:]
    grown = written(cut, more)
    assert "hippod:summary" not in grown
    assert "Sings in a choir" in "".join(region(grown, "history"))


# -- a model's words -------------------------------------------------------------------------


def test_a_statement_of_two_days_is_told_once_and_both_days_stay_in_the_history() -> None:
    said = listed(
        "2026-02-10 B @Peter: Walked the dog to the weir. ^wwww1111",
        "2026-03-01 B @Peter: Walked the dog to the weir. ^wwww2222",
    )
    text = written(None, said)
    assert region(text, "summary") == [
        "Walked the dog to the weir. [[2026-03-01#^wwww2222]], [[2026-02-10#^wwww1111]]"
    ]
    assert region(text, "history") == [
        "- 2026-02-10: Walked the dog to the weir. [[2026-02-10#^wwww1111]]"
    ]
    assert refresh(text, said) == Refreshed(None)


class Model:
    """Joins the first two facts into one sentence, in other words each time."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, about: Entity, known: Sequence[KnownFact]) -> list[Sentence]:
        self.calls += 1
        first, second = (each.fact.content.rstrip(".") for each in known[:2])
        joiner = " and " if self.calls % 2 else ", "
        return [Sentence(f"{first}{joiner}{second}.", tuple(known[:2]))]


def test_a_model_is_asked_once_for_the_same_facts() -> None:
    model = Model()
    text = written(None, summarise=model)
    assert region(text, "summary")[0] == (
        "Lives in Berlin and Peter prefers green tea over coffee. "
        "[[2026-01-05#^bbbb1111]], [[2026-02-20#^tttt2222]], [[2025-12-20#^tttt1111]]"
    )
    assert region(text, "summary")[1] == "Owns 3 violins. [[2026-03-01]]"
    for _ in range(10):
        assert refresh(text, summarise=model) == Refreshed(None)
    assert refresh(text) == Refreshed(None)
    assert model.calls == 1
    more = PETER + listed("2026-03-02 W @Peter: Sings in a choir. ^cccc1111")
    assert "Sings in a choir." in written(text, more, summarise=model)
    assert model.calls == 2


@pytest.mark.parametrize(
    "lie",
    [
        "Lives in Berlin with some violins.", "Lives in Munich and owns 3 violins.",
        "Lives in Berlin and owns 4 violins.", "Does not live in Berlin and owns 3 violins.",
        "Lives in Berlin.", "Things improved in some configurations.", "",
        "Owns Berlin and lives in 3 violins.",
    ],
)  # fmt: skip
def test_what_facts_do_not_support_never_gets_to_a_page(lie: str) -> None:
    def liar(about: Entity, known: Sequence[KnownFact]) -> list[Sentence]:
        cited = [each for each in known if each.id in ("bbbb1111", PETER[-1].id)]
        return [Sentence(lie, tuple(cited))]

    assert written(None, summarise=liar) == written(None)


def test_a_model_that_gives_nothing_leaves_the_rules() -> None:
    assert written(None, summarise=lambda about, known: None) == written(None)


# -- whatever the facts say ------------------------------------------------------------------

HOSTILE = st.lists(
    st.sampled_from(
        [
            "<!-- /hippod:summary -->", "<!--", "-->", "```", "~~~", "---", "# ", "#", "- ", "1. ",
            "[[2026-01-05#^aaaa1111]]", "[[2026-01-05]]", "[[Tea]]", "superseded by", "~~", "\\",
            "@Dana:", ">", "<div>", "<?", "word", "Vera", "12", "=======", "<<<<<<< HEAD", "|", "*",
            "[x]: y", "^aaaa1111", "(a/b#c)", ".", ":", "entity: x", "不", "\u00a0", '"', "`", "_",
        ]
    ),
    min_size=1,
    max_size=6,
)  # fmt: skip


@st.composite
def known_facts(draw: st.DrawFn) -> list[KnownFact]:
    found: dict[str, KnownFact] = {}
    for number in range(draw(st.integers(1, 5))):
        content = draw(st.sampled_from(["", " "])).join(draw(HOSTILE))
        id_ = draw(st.sampled_from([None, f"aaaa{number:04}"]))
        kind = draw(st.sampled_from("WBO"))
        parsed = facts.parse_bullet(f"- {kind} @Peter: {content}{f' ^{id_}' if id_ else ''}")
        day = TODAY - timedelta(days=draw(st.integers(0, 60)))
        if parsed and "<private" not in content:
            each = known(day, replace(parsed, source=None), "memory/x.md", number, number)
            found.setdefault(each.id, each)
    return list(found.values())


def same(one: str, other: str) -> bool:
    return facts.normalise(one) == facts.normalise(other)


@settings(deadline=None, max_examples=150)
@given(known_facts(), st.data())
def test_whatever_facts_say_a_page_reads_back_as_it_was_meant(
    said: list[KnownFact], data: st.DataObject
) -> None:
    if not said:
        return
    ids = [each.id for each in said]
    marks = data.draw(st.dictionaries(st.sampled_from(ids), st.sampled_from(ids), max_size=2))
    marks = {old: new for old, new in marks.items() if old != new and new not in marks}
    text = written(None, said, marks=marks)
    document = markdown.parse(text)
    assert [each.name for each in pages.regions(document)] == ["summary", "history"]
    assert not any(each.edited for each in pages.regions(document))
    summary, history = pages.regions(document)
    assert [h.text for section in document.sections for h in section.path[-1:]] == [
        "Peter",
        "History",
    ]
    contents = [each.fact.content for each in said]
    for sentence, links in pages.sentences(document, summary):
        assert any(same(sentence.rstrip(".。"), each.rstrip(".。")) for each in contents)
        assert {str(link) for link in links} <= {each.link for each in said}
    for statement in pages.statements(document):
        assert history.start <= statement.line_start <= history.end
        assert statement.restates in ids
        assert any(same(statement.content, each) for each in contents)
    assert {(mark.old, mark.new) for mark in pages.supersessions(document)} == set(marks.items())
    assert refresh(text, said, marks=marks) == Refreshed(None)


def test_what_is_not_believed_any_more_is_history() -> None:
    said = listed(
        "2026-01-11 O(c=0.8) @Peter: Peter prefers tea over coffee. ^tttt1111",
        "2026-01-12 O(c=0.8) @Peter: Peter prefers coffee over tea. ^cccc1111",
    )

    def page(text: str | None, doubted: set[str]) -> str:
        found = entity_pages.refresh(text, entity(said), {}, by_id(said), None, TODAY, doubted)
        return found.text or text or ""

    before = page(None, set())
    assert len(region(before, "summary")) == 2
    after = page(before, {"tttt1111"})
    assert region(after, "summary") == ["Peter prefers coffee over tea. [[2026-01-12#^cccc1111]]"]
    assert "tea over coffee" in region(after, "history")[0]
    assert page(after, {"tttt1111"}) == after
    assert page(after, set()) == before
