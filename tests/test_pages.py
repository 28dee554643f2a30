import time
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod import facts, markdown, pages
from hippod.pages import EntityPage, Link
from tests.bank_pages import OPINIONS, PETER, SUMMARY, WORLD, region
from tests.test_markdown import LINES

quick = settings(max_examples=200, deadline=None)
PETER_PATH = "bank/entities/Peter.md"

bank_lines = st.one_of(
    st.sampled_from(
        [
            *LINES, *PETER.split("\n"), *WORLD.split("\n"), *OPINIONS.split("\n"),
            "- c: 2", "- c: nan", "- prior: .5", "- supports: [[a#^b]]", "- updated: 2026-02-30",
            "- pending: [[x]] +0.2", "- related: [[a#^b]] 0",
            "- contested: yes", "[[a#^b]] superseded by [[c#^d]]", "superseded by [[c#^d]]",
            "<!-- hippod:summary sha256:0 -->", "<<<<<<< ours", "=======", ">>>>>>> theirs",
        ]
    ),
    st.text(st.characters(), max_size=30),
)  # fmt: skip
bank_texts = st.lists(bank_lines, max_size=25).map("\n".join)


def page(front: str, path: str = PETER_PATH) -> EntityPage | None:
    return pages.entity_page(path, markdown.parse(f"---\n{front}\n---\nText.\n"))


def statement(line: str) -> pages.Statement | None:
    found = pages.statements(markdown.parse(f"{line}\n"))
    return found[0] if found else None


# -- any text --------------------------------------------------------------------------------


@quick
@given(bank_texts)
def test_any_text_is_safe_and_every_part_stands_on_lines_of_its_own(text: str) -> None:
    document = markdown.parse(text)
    known = range(1, len(document.lines) + 1)
    pages.entity_page(PETER_PATH, document)
    taken: list[int] = []
    for opinion in pages.opinions(document):
        assert opinion.statement
        assert list(opinion.lines) == sorted(set(opinion.lines))
        assert {each.line for each in opinion.evidence + opinion.pending + opinion.related} <= set(
            opinion.lines
        )
        taken += opinion.lines
    assert len(taken) == len(set(taken))
    assert set(taken) <= set(known)
    for each in pages.statements(document):
        assert each.content
        assert each.links
        assert known[each.line_start - 1] <= each.line_end <= known[-1]
    for mark in pages.supersessions(document):
        assert mark.old != mark.new
        assert "superseded by" in document.lines[mark.line - 1].casefold()


@quick
@given(bank_texts)
def test_regions_are_apart_and_between_their_markers(text: str) -> None:
    document = markdown.parse(text)
    last = 0
    for each in pages.regions(document):
        assert last < each.start - 1 <= each.end
        assert document.lines[each.start - 2].startswith(f"<!-- hippod:{each.name} ")
        assert document.lines[each.end].startswith(f"<!-- /hippod:{each.name} ")
        lines = document.lines[each.start - 1 : each.end]
        assert each.edited == (pages.digest(lines) != each.sha256)
        last = each.end + 1


@pytest.mark.parametrize(
    "text",
    [
        "---\nentity: Peter\naliases: [" + "[" * 30_000 + "\n---\n",
        "---\naliases: " + "{" * 8_000 + "\n---\n",
        "---\n" + "? " * 4_000 + "x: y\n---\n",
        "---\na: &a [x, x, x, x, x, x, x]\n" + "b: &b [*a, *a, *a, *a, *a]\n" * 9 + "---\n",
        "---\n%YAML 1." + "9" * 8_000 + "\n--- \n---\n",
        "---\naliases:\n" + "  - x\n" * 200_000 + "---\n",
        "- " + "[[a#^b]] x " * 20_000 + "\n",
        "- x " + "[[a#^b]] " * 20_000 + "y]]\n",
        "- " + "[[" + "a/" * 50_000 + "\n",
        "[[a#^b]] superseded by " * 10_000 + "\n",
        "## A\n- c: 0.5\n" * 5_000,
    ],
)  # fmt: skip
def test_hostile_pages_take_no_time(text: str) -> None:
    document = markdown.parse(text)
    began = time.perf_counter()
    pages.entity_page(PETER_PATH, document)
    for read in (pages.opinions, pages.statements, pages.supersessions, pages.regions):
        read(document)
    assert time.perf_counter() - began < 5


# -- entity pages ----------------------------------------------------------------------------


def test_an_entity_page_says_whom_it_is_about() -> None:
    assert pages.entity_page(PETER_PATH, markdown.parse(PETER)) == EntityPage(
        "Peter", ("Pete", "Peter-Falk"), ("Peter-Pan",), date(2026, 3, 3)
    )


@pytest.mark.parametrize(
    ("front", "aliases"),
    [
        ("aliases: Pete", ("Pete",)),
        ("aliases:\n  - Pete\n  - '@Piet'\n  - Pete", ("Pete", "Piet")),
        ("alias: Pete", ("Pete",)),
        ("aliases: [Yes, NO, null, 12:30, 2026]", ("Yes", "NO", "null", "1230", "2026")),
        ("aliases: [0777, 1_000, 1e3, ~]", ("0777", "1_000", "1e3")),
        ("aliases:\n  - Pete\n  - [deeper]\n  - {a: b}\n  -", ("Pete",)),
        ("aliases: [Pete, '<private>Pit</private>']", ("Pete",)),
        ("aliases: 'Pít Füßli'", ("Pít-Füßli",)),
        ("aliases:", ()),
        ("aliases: {a: b}", ()),
        ("date: 2026-02-30\ntime: 12:30\non: yes\naliases: [Pete]", ("Pete",)),
    ],
)  # fmt: skip
def test_aliases_are_names_whatever_yaml_makes_of_them(
    front: str, aliases: tuple[str, ...]
) -> None:
    assert page(front) == EntityPage("Peter", aliases)


@pytest.mark.parametrize(
    "front",
    [
        "entity: [a", "entity: *Big idea*", "- a\n- b", "entity: \x07Peter", "a: 1\na: 2",
        "- [[x]]s", "%YAML 9.9", f"x: {'y' * 10_000}\nentity: Peter", "",
    ],
)  # fmt: skip
def test_yaml_that_cannot_be_read_counts_as_none(front: str) -> None:
    assert page(front, "bank/entities/Dana-Whitfield.md") == EntityPage("Dana-Whitfield")


def test_the_page_names_its_entity_before_the_file_does() -> None:
    found = page("entity: Node.js", "bank/entities/nodejs.md")
    assert found == EntityPage("Node.js")
    assert page("entity: '!!'", "bank/entities/🙂.md") is None


def test_only_files_right_in_the_folder_are_entity_pages() -> None:
    assert pages.is_entity_page("bank/entities/Peter.md")
    assert not pages.is_entity_page("bank/entities/old/Peter.md")
    assert not pages.is_entity_page("notes/bank/entities/Peter.md")


# -- regions ---------------------------------------------------------------------------------


def test_a_region_is_between_its_markers_and_knows_whether_a_person_edited_it() -> None:
    (found,) = pages.regions(markdown.parse(PETER))
    lines = markdown.split_lines(PETER)[found.start - 1 : found.end]
    assert (found.name, "\n".join(lines) + "\n", found.edited) == ("summary", SUMMARY, False)
    (edited,) = pages.regions(markdown.parse(PETER.replace("cabinetmaker", "joiner")))
    assert edited.edited
    assert edited.sha256 == found.sha256


def test_an_empty_region_and_several_on_a_page() -> None:
    text = region("summary", "") + "\n" + region("facts", "One.\n")
    assert [(each.name, each.start, each.end, each.edited) for each in _regions(text)] == [
        ("summary", 2, 1, False),
        ("facts", 5, 5, False),
    ]


def _regions(text: str) -> tuple[pages.Region, ...]:
    return pages.regions(markdown.parse(text))


@pytest.mark.parametrize(
    "change",
    [
        ("<!-- /hippod:summary -->\n", ""),
        ("<!-- /hippod:summary -->", "<!-- /hippod:facts -->"),
        ("<!-- hippod:summary", "<!-- /hippod:summary -->\n<!-- hippod:summary"),
        ("He restores", f"<!-- hippod:facts sha256:{'0' * 64} -->\nHe restores"),
        ("Owes me", f"{region('summary', '')}\nOwes me"),
        ("Owes me", "<<<<<<< ours\nOwes\n=======\nOwed\n>>>>>>> theirs\nOwes me"),
    ],
)
def test_broken_markers_make_no_region(change: tuple[str, str]) -> None:
    assert _regions(PETER.replace(*change)) == ()


def test_markers_that_are_quoted_in_code_are_none() -> None:
    assert _regions(f"```\n{region('summary', SUMMARY)}```\n") == ()


# -- opinions --------------------------------------------------------------------------------


def test_an_opinion_is_a_heading_with_its_ledger() -> None:
    (found,) = pages.opinions(markdown.parse(OPINIONS))
    assert (found.statement, found.id) == ("Peter prefers hand tools to machines", "7k2m9qx4mt")
    assert (found.prior, found.confidence, found.updated) == (0.8, 0.83, date(2026, 3, 3))
    assert found.entities == ("Peter",)
    assert found.lines == tuple(range(3, 12))
    supports, contradicts = found.evidence
    assert (supports.stance, supports.block, supports.weight) == ("supports", "9qx4mt83ze", 0.2)
    assert (contradicts.stance, contradicts.weight) == ("contradicts", -0.4)
    assert contradicts.quote == "Bought a band saw and loves it"
    assert contradicts.block == facts.content_id(date(2026, 2, 11), contradicts.quote)
    assert [(each.stance, each.weight) for each in found.pending] == [("contradicts", -0.4)]


def test_what_is_undecided_and_contested_belongs_to_the_ledger() -> None:
    text = (
        "## Tea is best\n- id: 7k2m9qx4mt\n- c: 0.5\n- contested: true\n"
        '- related: [[2025-11-27#^9qx4mt83ze]] 0\n- related: [[2026-02-11]] "Maybe" +0.00\n'
        "- c:\n  0.6\n"
    )
    (found,) = pages.opinions(markdown.parse(text))
    assert found.contested
    assert found.lines == tuple(range(1, 9))
    assert [(each.stance, each.block, each.weight) for each in found.related] == [
        ("related", "9qx4mt83ze", 0),
        ("related", facts.content_id(date(2026, 2, 11), "Maybe"), 0),
    ]
    assert [each.day for each in found.related] == [date(2025, 11, 27), date(2026, 2, 11)]
    assert {name: lines for name, *lines in found.fields}["c"] == [7, 8]
    assert found.evidence == found.pending == ()


@pytest.mark.parametrize(
    "line",
    [
        "- related: [[2025-11-27#^9qx4mt83ze]] +0.20", "- related: [[2025-11-27#^9qx4mt83ze]]",
        "- pending: [[2025-11-27#^9qx4mt83ze]] 0", "- supports: [[2025-11-27#^9qx4mt83ze]] 0.20",
        "- c: 1.5", "- c: high", "- id: no id", "- updated: soon", "- entities: Peter", "- cc: 0.5",
        "- supports: [[2025-11-27#^9qx4mt83ze]]", "- supports: [[2025-11-27]] +0.20",
        "- supports: [[2025-11-27#^9qx4mt83ze]] -0.20", "- supports: +0.20", "1. c: 0.5",
        "c: 0.5", "`- c: 0.5`",
    ],
)  # fmt: skip
def test_what_is_no_ledger_makes_no_opinion(line: str) -> None:
    assert pages.opinions(markdown.parse(f"## Tea is best\n{line}\n")) == ()
    (found,) = pages.opinions(markdown.parse(f"## Tea is best\n- c: 0.5\n\n{line}\n"))
    assert found.lines == (1, 2)


@pytest.mark.parametrize("text", ["# A\n- c: 0.5", "### A\n- c: 0.5", "##\n- c: 0.5", "- c: 0.5"])
def test_only_headings_of_the_second_level_are_statements(text: str) -> None:
    assert pages.opinions(markdown.parse(text)) == ()


def test_a_ledger_ends_at_the_next_heading_of_any_level() -> None:
    text = "Tea is\nbest\n---\n- c: 0.5\n### Notes\n- prior: 0.9\n"
    (found,) = pages.opinions(markdown.parse(text))
    assert (found.statement, found.prior, found.lines) == ("Tea is best", None, (1, 2, 3, 4))


# -- pages of facts --------------------------------------------------------------------------


def test_a_page_of_facts_is_read_with_its_marks() -> None:
    berlin, vienna = pages.statements(markdown.parse(WORLD))
    assert (berlin.content, berlin.entities) == ("Lives in Berlin since 2026-01.", ("Peter",))
    assert (berlin.day, berlin.restates) == (date(2026, 1, 5), "k3f9ab27qt")
    assert berlin.superseded_by is None
    assert (vienna.content, vienna.restates) == ("Lives in Vienna since 2023.", "p07d2c5hn1")
    assert vienna.superseded_by == Link("2026-01-05", "k3f9ab27qt")
    assert vienna.day == date(2025, 3, 2)


@pytest.mark.parametrize(
    ("line", "content", "entities", "links"),
    [
        ("- @A @B: Met. [[2026-01-05#^aaaa]]", "Met.", ("A", "B"), 1),
        ("- Met @A: twice [[2026-01-05#^aaaa]].", "Met @A: twice", ("A",), 1),
        ("- Twice. [[2026-01-05#^aaaa]], [[2026-01-06#^bbbb]]", "Twice.", (), 2),
        ("* 2026-01-05: Rain. [[memory/2026-01-05.md#^aaaa|log]]", "Rain.", (), 1),
        ("- See [[Tea#^cccc]] here. [[2026-01-05#^aaaa]]", "See [[Tea#^cccc]] here.", (), 1),
        ("- @A: Rain\n  and wind. [[2026-01-05#^aaaa]]", "Rain and wind.", ("A",), 1),
    ],
)
def test_a_bullet_that_ends_in_links_is_a_statement(
    line: str, content: str, entities: tuple[str, ...], links: int
) -> None:
    found = statement(line)
    assert found is not None
    assert (found.content, found.entities, len(found.links)) == (content, entities, links)
    assert found.day == date(2026, 1, 5)
    assert (found.restates is None) == (links > 1)


@pytest.mark.parametrize(
    "line",
    [
        "- No link at all", "- [[2026-01-05]]: a day is no block", "- [[2026-01-05#^aaaa]]",
        "- @A: [[2026-01-05#^aaaa]]", "- [[2026-01-05#^aaaa]] stands in front",
        "- Gone, superseded by [[2026-01-05#^aaaa]]", "> - Quoted [[2026-01-05#^aaaa]]",
        "1. Numbered [[2026-01-05#^aaaa]]", "    - In code [[2026-01-05#^aaaa]]",
    ],
)  # fmt: skip
def test_other_bullets_are_ordinary_markdown(line: str) -> None:
    assert statement(line) is None


# -- supersession ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "pairs"),
    [
        ("~~Old.~~ [[2025-11-03#^aaaa]] superseded by [[2026-01-05#^bbbb]]", ["aaaa bbbb"]),
        ("[[x#^aaaa]], [[y#^cccc]]: Superseded by [[z#^bbbb]]", ["aaaa bbbb", "cccc bbbb"]),
        ("Old [[x#^aaaa]], superseded by the move, [[z#^bbbb]]", ["aaaa bbbb"]),
        ("[[x#^aaaa]] superseded by [[x#^aaaa]]", []),
        ("[[x#^aaaa]] is not superseded by [[y#^bbbb]]", []),
        ("[[x#^aaaa]] superseded by nothing", []),
        ("superseded by [[y#^bbbb]]", []),
        ("[[x#^aaaa]] then [[y#^bbbb]]", []),
        ("<!-- [[x#^aaaa]] superseded by [[y#^bbbb]] -->", []),
        ("```\n[[x#^aaaa]] superseded by [[y#^bbbb]]", []),
    ],
)  # fmt: skip
def test_two_links_and_the_words_between_them_are_a_mark(line: str, pairs: list[str]) -> None:
    found = pages.supersessions(markdown.parse(line))
    assert [f"{each.old} {each.new}" for each in found] == pairs
    assert not pairs or pages.may_supersede(line)


def test_a_mark_knows_since_when() -> None:
    (mark,) = pages.supersessions(markdown.parse(WORLD))
    assert (mark.day, mark.line) == (date(2026, 1, 5), 8)


def test_links_are_taken_out_of_what_is_searched() -> None:
    text = "Lives in Berlin. [[2026-01-05#^k3f9ab27qt]]\nSee [[Tea]] and x#^y."
    assert pages.without_links(text) == "Lives in Berlin.\nSee [[Tea]] and x#^y."


# -- what hippod writes into regions ---------------------------------------------------------


def in_region(line: str) -> str:
    return region("facts", f"{line}\n")


def test_a_link_to_a_day_makes_a_statement_in_a_region_alone() -> None:
    line = "- 2026-01-05 @A: Rain. [[2026-01-05]]"
    assert statement(line) is None
    (found,) = pages.statements(markdown.parse(in_region(line)))
    id_ = facts.content_id(date(2026, 1, 5), "Rain.")
    assert (found.content, found.restates, found.in_region) == ("Rain.", id_, True)
    assert found.links == (Link("2026-01-05", id_),)


def test_a_bullet_of_a_region_restates_its_first_link() -> None:
    line = "- 2026-01-05: Rain. [[2026-01-05#^aaaa]], [[2026-01-03]], [[2026-01-02#^bbbb]]"
    (found,) = pages.statements(markdown.parse(in_region(line)))
    assert found.restates == "aaaa"
    assert [link.block for link in found.links] == ["aaaa", "", "bbbb"]


def test_a_mark_may_quote_what_a_person_wrote() -> None:
    line = "- ~~2026-01-05: Rain.~~ [[2026-01-05]] superseded by [[2026-01-06]] \"Is it 'dry'?\""
    assert pages.supersessions(markdown.parse(line)) == ()
    (mark,) = pages.supersessions(markdown.parse(in_region(line)))
    old = facts.content_id(date(2026, 1, 5), "Rain.")
    new = facts.content_id(date(2026, 1, 6), "Is it 'dry'?")
    assert (mark.old, mark.new, mark.day) == (old, new, date(2026, 1, 6))


def test_words_of_a_fact_do_not_hide_its_mark() -> None:
    line = "~~ADR 3 is superseded by ADR 7.~~ [[x#^aaaa]] superseded by [[y#^bbbb]]"
    (mark,) = pages.supersessions(markdown.parse(line))
    assert (mark.old, mark.new) == ("aaaa", "bbbb")


@pytest.mark.parametrize("begins", [False, True])
@given(text=st.text(alphabet="\\<!-[]#^@ab1.`~> 2026-01-05superseded by", max_size=60))
def test_what_was_escaped_comes_back(begins: bool, text: str) -> None:
    assert pages.unescaped(pages.escaped(text, begins=begins), begins=begins) == text


def test_ordinary_words_need_no_escape() -> None:
    text = "Prefers [[Tea]] at 5 < 6 (see #plans, a@b.c): x[0] \\o/ - 1. 2) ~~not~~ `code`"
    assert pages.escaped(text, begins=True) == text


def test_links_to_days_are_cut_only_where_asked() -> None:
    text = "Owns boats. [[2026-01-05]], [[2026-01-06#^aaaa]]"
    assert pages.without_links(text) == "Owns boats. [[2026-01-05]],"
    assert pages.without_links(text, days=True) == "Owns boats.,"


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        (PETER, False),
        ("# Tea\n<!-- hm -->\n", False),
        ("```\n<!-- hippod:summary -->\n```\n", False),
        ("<!-- hippod:summary -->\nx\n<!-- /hippod:summary -->\n", True),
        (PETER.replace("<!-- /hippod:summary -->\n", ""), True),
        (f"{PETER}\n{PETER}", True),
    ],
)
def test_broken_markers_are_told_from_none(text: str, broken: bool) -> None:
    assert pages.has_broken_markers(markdown.parse(text)) is broken
