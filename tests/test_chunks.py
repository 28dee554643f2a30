import re
from collections.abc import Iterable
from datetime import date
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hippod import chunks, daylog, facts, markdown, workspace_seed
from hippod import pages as bank
from hippod.chunks import Unit, units
from tests.bank_pages import OPINIONS, PETER, WORLD, region
from tests.test_markdown import LINES

ZONE = ZoneInfo("Europe/Vienna")
quick = settings(max_examples=200, deadline=None)
WORDS = [
    "tea",
    "Iris",
    "said.",
    "where?",
    "Nördlingen",
    "数据库迁移方案。",
    "a\u2028b",
    "🙂",
    "@Dana",
]

prose = st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join)
page_lines = st.one_of(
    prose,
    prose.map("- ".__add__),
    prose.map("  more ".__add__),
    prose.map("**Iris**: ".__add__),
    st.sampled_from(
        [
            *LINES, "", "- W @Iris: tea ^abcd", "- B: two", "## Retain", "[09:00:00] note",
            "<private>", "</private>", "x <private>y</private> z", "x" * 300, "語" * 300,
        ]
    ),
    st.text(st.characters(), max_size=20),
)  # fmt: skip
pages = st.lists(page_lines, max_size=25).map("\n".join)
sizes = st.sampled_from([(100, 0), (100, 20), (120, 60), (500, 50), (1, 0), (7, 7)])
LOGS = ("memory/2026-03-03.md",)
paths = st.sampled_from([*LOGS, "context/tea.md"])


def read(text: str, path: str = "context/tea.md", size: int = 500, overlap: int = 50) -> list[Unit]:
    return units(path, text, max_size=size, overlap=overlap, zone=ZONE)


def structure(document: markdown.Markdown, path: str) -> set[int]:
    """Return the lines that no chunk holds: what the module's docstring calls structure."""
    lines = set(range(1, document.front_matter + 1)) | document.marks
    for section in document.sections:
        for heading in section.path[-1:]:
            title = re.fullmatch(r"Daily Log - \d{4}-\d\d-\d\d", heading.text)
            is_ours = daylog.is_retain(heading) or (path in LOGS and daylog.is_log(heading))
            if heading.start == section.start and (is_ours or title):
                lines |= set(range(heading.start, heading.end + 1))
    return lines


def fact_lines(found: list[Unit]) -> set[int]:
    spans = (range(u.line_start, u.line_end + 1) for u in found if u.kind != "document")
    return {line for span in spans for line in span}


def letters(texts: Iterable[str]) -> str:
    return re.sub(r"[\W_]", "", "".join(texts))


@quick
@given(paths, pages, st.sampled_from([1, 7, 100, 500]))
@example("context/tea.md", "\n## Retain\n- W: x\n  ^abcd\nlazy", 100)
def test_chunks_hold_every_letter_that_no_fact_holds_once(path: str, text: str, size: int) -> None:
    document = markdown.parse(text)
    found = read(text, path, size, overlap=0)
    skipped = fact_lines(found) | structure(document, path)
    numbers = (n for n in range(1, len(document.lines) + 1) if n not in skipped)
    in_chunks = letters(unit.content for unit in found if unit.kind == "document")
    assert in_chunks == letters(map(document.visible, numbers))


bank_lines = st.one_of(page_lines, st.sampled_from([*PETER.split("\n"), *OPINIONS.split("\n")]))
bank_pages = st.lists(bank_lines, max_size=30).map("\n".join)
bank_paths = st.sampled_from([*bank.FACT_PAGES, bank.OPINIONS, "bank/entities/Peter.md"])


@quick
@given(bank_paths, st.one_of(bank_pages, st.just(WORLD)), st.sampled_from([1, 100, 500]))
def test_no_text_of_a_bank_page_is_in_a_chunk_and_in_a_fact(
    path: str, text: str, size: int
) -> None:
    document = markdown.parse(text)
    found = read(text, path, size, overlap=0)
    skipped = structure(document, path) | retained_lines(document)
    titles = (heading for section in document.sections for heading in section.path)
    for title in titles:
        if bank.is_title(path, title.text):
            skipped |= set(range(title.start, title.end + 1))
    if path == bank.OPINIONS:
        skipped |= {number for each in bank.opinions(document) for number in each.lines}
    if path in bank.FACT_PAGES:
        headings = (heading for section in document.sections for heading in section.path)
        skipped |= {heading.start for heading in headings if bank.is_month(heading.text)}
        for each in bank.statements(document):
            skipped |= set(range(each.line_start, each.line_end + 1))
    numbers = (n for n in range(1, len(document.lines) + 1) if n not in skipped)
    in_chunks = letters(unit.content for unit in found if unit.kind == "document")
    assert in_chunks == letters(map(document.visible, numbers))


def retained_lines(document: markdown.Markdown) -> set[int]:
    placed = () if document.marks else daylog.retained(document)
    return {n for each in placed for n in range(each.line_start, each.line_end + 1)}


@quick
@given(paths, pages, sizes)
def test_a_line_that_fits_is_whole_in_a_chunk_that_cites_it(
    path: str, text: str, sizes: tuple[int, int]
) -> None:
    document = markdown.parse(text)
    found = read(text, path, *sizes)
    skipped = fact_lines(found) | structure(document, path)
    for number, line in enumerate(map(document.visible, range(1, len(document.lines) + 1)), 1):
        if number in skipped or not letters(line) or len(line) > sizes[0] - sizes[1]:
            continue
        citing = [u for u in found if u.line_start <= number <= u.line_end]
        assert any(line.strip() in unit.content for unit in citing), (number, line)


@quick
@given(paths, pages, sizes)
def test_a_chunk_is_its_overlap_and_its_lines(path: str, text: str, sizes: tuple[int, int]) -> None:
    size, overlap = sizes
    document = markdown.parse(text)
    hidden = structure(document, path)
    before: Unit | None = None
    placed = () if document.marks else daylog.retained(document)
    for fact in placed:
        hidden |= set(range(fact.line_start, fact.line_end + 1))
    for index, unit in enumerate(read(text, path, size, overlap)):
        assert unit.index == index
        assert 1 <= unit.line_start <= unit.line_end <= len(document.lines)
        if unit.kind != "document":
            continue
        assert 0 < len(unit.content) <= size
        lines = [n for n in range(unit.line_start, unit.line_end + 1) if n not in hidden]
        own = "\n".join(document.visible(n) if document.visible(n).strip() else "" for n in lines)
        ahead = min(overlap, size // 2, len(unit.content))
        assert any(unit.content[cut:].strip() in own for cut in range(ahead + 1))
        assert unit.line_start not in hidden
        if before and before.line_end > unit.line_start:
            assert before.line_start <= unit.line_start
        before = unit


@quick
@given(pages, sizes)
def test_the_facts_are_those_of_the_log(text: str, sizes: tuple[int, int]) -> None:
    log = daylog.parse(text)
    found = [u for u in read(text, "memory/2026-03-03.md", *sizes) if u.kind != "document"]
    expected = () if log.conflicted else log.facts
    assert [(u.content, u.line_start, u.line_end) for u in found] == [
        (placed.fact.content, placed.line_start, placed.line_end) for placed in expected
    ]


@quick
@given(pages)
def test_what_is_private_stays_in_private_units(text: str) -> None:
    text = f"{text}\n\nopen\n\n<private>\nGeheimnis\n\n- Geheimnis\n</private>\n\nafter\n"
    found = read(text)
    public = [unit for unit in found if not unit.private]
    assert not any("<private" in unit.content.lower() for unit in public)
    assert not any("Geheimnis" in unit.content + unit.header for unit in public)


@quick
@given(st.lists(page_lines.filter(lambda line: not re.search("[\n\r]", line)), max_size=20))
def test_line_ends_and_bom_change_no_unit(lines: list[str]) -> None:
    expected = read("\n".join(lines))
    for eol in ("\r\n", "\r"):
        assert read("\ufeff" + eol.join(lines)) == expected


def test_a_fact_is_one_unit() -> None:
    (unit,) = read(
        "# Daily Log - 2026-03-03\n\n## Retain\n- O(c=0.8) @Dana-Whitfield: Prefers the night "
        "train since 2026-02. (14:23 chat/s1#m1) ^k3f9ab27qt\n",
        "memory/2026-03-03.md",
    )
    assert unit == Unit(
        kind="opinion",
        index=0,
        line_start=4,
        line_end=4,
        heading=(),
        content="Prefers the night train since 2026-02.",
        header="# 3 March 2026 (2026-03-03 14:23) > Dana Whitfield",
        entities=("Dana-Whitfield",),
        confidence=0.8,
        timestamp="2026-03-03T14:23:00+01:00",
        valid_from="2026-02-01",
        valid_until=None,
        fact_id="k3f9ab27qt",
    )


def test_a_fact_without_id_gets_one_from_its_day_and_content() -> None:
    first, other = (
        read("## Retain\n- W: Tea.\n", path)[0].fact_id
        for path in ("memory/2026-03-03.md", "memory/2026-03-04.md")
    )
    assert first != other
    assert first == read("## Retain\n- B:  tea. \n", "archive/2026-03-03.md")[0].fact_id


def test_the_header_says_when_and_where() -> None:
    text = "# Daily Log - 2026-03-03\n\n## Kitchen\n\n### Stove\n[08:05:09] Lit @Iris's stove.\n"
    (unit,) = read(text, "memory/2026-03-03.md")
    assert unit.header == "# 3 March 2026 (2026-03-03 08:05) > Kitchen > Stove"
    assert unit.heading == ("Kitchen", "Stove")
    assert unit.timestamp == "2026-03-03T08:05:09+01:00"
    assert unit.content == "## Kitchen\n\n### Stove\n[08:05:09] Lit @Iris's stove."
    assert (unit.line_start, unit.line_end) == (3, 6)


def test_the_heading_that_hippod_puts_over_a_note_is_none_of_its_words() -> None:
    day = date(2026, 3, 3)
    log = daylog.retain_block(None, day, ["- W @Iris: Tea is out."])
    log += daylog.log_block(log, day, "[17:02:56] The spare key is with Ina")
    assert b"## Log" in log
    note = read(log.decode(), "memory/2026-03-03.md")[-1]
    assert note.content == "[17:02:56] The spare key is with Ina"
    assert note.heading == ()
    assert "Log" not in note.header
    assert "## Log" in read(log.decode(), "context/tea.md")[-1].content


@pytest.mark.parametrize("name", ["MEMORY.md", "USER.md", "IDENTITY.md"])
def test_a_template_is_a_unit_once_it_is_filled_in(name: str) -> None:
    template = workspace_seed.IDENTITY[name]
    assert read(template, name) == []
    assert read(template, f"context/{name}") != []
    (unit,) = read(f"{template}\n- Likes tea\n", name)
    assert "Likes tea" in unit.content


def test_the_lines_of_the_heartbeat_only_say_again_what_facts_say() -> None:
    beat = "[08:00:00] Heartbeat: Iris's birthday is in 2 days (USER.md:3) ^k3f9ab27qt"
    around = "[07:00:00] Lit the stove\n{}\n[09:00:00] Heartbeat: my own word"
    (unit,) = read(around.format(beat), "memory/2026-03-03.md")
    assert unit.content == around.format("").replace("\n\n", "\n")
    assert read(beat, "memory/2026-03-03.md") == []
    for kept in (beat.replace("Heartbeat: ", ""), beat.partition(" ^")[0], beat[11:]):
        assert read(kept, "memory/2026-03-03.md"), kept
    assert read(beat, "context/tea.md")


def test_the_header_of_an_undated_document_has_its_names() -> None:
    text = "---\ntitle: 'Tea room'\naliases:\n  - Parlour\n  - \"T-1\"\ntags: [x]\n---\nQuiet.\n"
    (unit,) = read(text)
    assert unit.header == "# context/tea > Tea room > Parlour > T-1"
    assert unit.timestamp is None
    assert unit.content == "Quiet."
    (unit,) = read("---\naliases: [Yes, 'NO', 12:30]\nbad: [\n---\nQuiet.\n")
    assert unit.header == "# context/tea > Yes > NO > 12:30"


@pytest.mark.parametrize(
    ("path", "text", "timestamp"),
    [
        ("memory/2026-07-01.md", "plain", "2026-07-01"),
        ("memory/2026-07-01.md", "[23:30] late", "2026-07-01T23:30:00+02:00"),
        ("memory/2026-07-01.md", "before\n\n[10:00:00] then", "2026-07-01T10:00:00+02:00"),
        ("memory/2026-07-01.md", "## 14:05 Stand-up\ntext", "2026-07-01T14:05:00+02:00"),
        ("notes/2026-07-01-plan.md", "plain", "2026-07-01"),
        ("memory/2026-06-02 2.md", "plain", "2026-06-02"),
        ("notes/2026-02-30.md", "plain", None),
        ("2026-07-01/plan.md", "[10:00] plain", None),
    ],
)
def test_the_time_of_a_chunk(path: str, text: str, timestamp: str | None) -> None:
    assert read(text, path)[0].timestamp == timestamp


def test_a_long_entry_keeps_its_time_in_every_chunk() -> None:
    text = "[10:00:00] " + "word " * 60 + "\n\n[11:00:00] next\n\n## Other\nlater"
    found = read(text, "memory/2026-03-03.md", size=100, overlap=0)
    assert [unit.timestamp for unit in found[:-1]] == ["2026-03-03T10:00:00+01:00"] * 4
    assert found[-1].timestamp == "2026-03-03"


def test_lines_items_and_paragraphs_are_kept_whole() -> None:
    turns = [f"**Iris**: {'word ' * 12}turn {n}" for n in range(20)]
    found = read("\n".join(turns), size=200, overlap=0)
    assert [line for unit in found for line in unit.content.split("\n")] == turns
    items = [f"- item {n} {'word ' * 10}\n  continued {n}" for n in range(12)]
    found = read("\n".join(items), size=200, overlap=0)
    assert all(unit.content.startswith("- item") for unit in found)
    paragraphs = [f"{'word ' * 8}\n{'word ' * 8}{n}" for n in range(12)]
    found = read("\n\n".join(paragraphs), size=230, overlap=0)
    assert "\n\n".join(unit.content for unit in found) == "\n\n".join(paragraphs)
    assert all(re.search(r"\d$", unit.content) for unit in found)


def test_a_long_line_is_cut_at_a_sentence_then_at_a_word_then_anywhere() -> None:
    sentences = " ".join(f"Sentence number {n} ends here." for n in range(40))
    assert all(u.content.endswith("here.") for u in read(sentences, size=150, overlap=0))
    words = " ".join(f"word{n}" for n in range(200))
    found = read(words, size=100, overlap=0)
    assert " ".join(unit.content for unit in found) == words
    assert "".join(u.content for u in read("x" * 1234, size=100)) == "x" * 1234
    marked = "e\u0301" * 300
    assert all(not u.content.startswith("\u0301") for u in read(marked, size=99, overlap=0))


def test_the_overlap_begins_at_a_word() -> None:
    words = [f"word{n}" for n in range(300)]
    first, second, *_ = read(" ".join(words), size=200, overlap=50)
    shared = [word for word in second.content.split() if word in first.content.split()]
    assert shared == first.content.split()[-len(shared) :]
    assert 30 <= len(" ".join(shared)) <= 50
    assert second.content.split()[0] in words


def test_split_on_is_honoured() -> None:
    text = "|".join("word " * 4 for _ in range(30))
    found = units("a.md", text, max_size=100, overlap=0, split_on=("|",), zone=ZONE)
    assert all(unit.content.endswith("|") for unit in found[:-1])


def test_sections_are_not_mixed_and_empty_ones_join_their_first_child() -> None:
    text = "# A\n## B\none\n## C\n## D\ntwo\n# E\n"
    assert [(u.content, u.heading) for u in read(text)] == [
        ("# A\n## B\none", ("A", "B")),
        ("## C", ("A", "C")),
        ("## D\ntwo", ("A", "D")),
        ("# E", ("E",)),
    ]


def test_structure_is_in_no_chunk() -> None:
    text = (
        "---\ntitle: t\n---\n# Daily Log - 2026-03-03\n\n<!-- note -->\na <!-- b -->c\n\n---\n\n"
        "## Retain\n- W: fact ^abcd\n- plain\n"
    )
    found = read(text, "memory/2026-03-03.md")
    assert [(u.content, u.line_start) for u in found] == [
        ("a c\n\n---", 7),
        ("fact", 12),
        ("- plain", 13),
    ]


def test_a_conflicted_document_has_no_facts_and_no_marks() -> None:
    text = "## Retain\n<<<<<<< HEAD\n- W: Monday\n=======\n- W: Tuesday\n>>>>>>> branch\n"
    (unit,) = read(text)
    assert (unit.kind, unit.content) == ("document", "- W: Monday\n- W: Tuesday")


def test_mentions_in_code_are_no_entities() -> None:
    (unit,) = read("Asked @Iris.\n```py\n@cache\n```\nand @Dana-Whitfield\n")
    assert unit.entities == ("Iris", "Dana-Whitfield")


def test_private_lines_are_units_of_their_own() -> None:
    text = "one\n<private>\ntwo\n\n- three\n</private>\nfour\nfive <Private>6</private>.\nseven\n"
    assert [(u.private, u.content) for u in read(text)] == [
        (False, "one"),
        (True, "<private>\ntwo\n\n- three\n</private>"),
        (False, "four"),
        (True, "five <Private>6</private>."),
        (False, "seven"),
    ]
    assert [u.private for u in read("one\n<private>\n\n## two\nthree")] == [False, True, True]


def test_a_private_fact_and_heading() -> None:
    text = "## Retain\n- W: pin <private>12</private> ^abcd\n## <private>Clinic</private>\ntext\n"
    found = read(text)
    assert [(u.private, u.kind) for u in found] == [
        (True, "world"), (True, "document"), (False, "document"),
    ]  # fmt: skip
    assert "Clinic" not in found[2].header


def test_ids_are_of_path_and_content() -> None:
    first = chunks.unit_id("a.md", "tea", 0)
    assert first == chunks.unit_id("a.md", "tea", 0)
    assert len({first, *(chunks.unit_id(*args) for args in [("b.md", "tea", 0), ("a.md", "te", 0),
                ("a.md", "tea", 1)]), chunks.document_id("a.md")}) == 5  # fmt: skip
    assert chunks.document_id("bad\udcff.md") != chunks.document_id("a.md")


def test_empty_documents_have_no_units() -> None:
    for text in ("", "\n", "\ufeff", "---\n---\n", "***\n\n- \n", "<!-- x -->"):
        assert read(text) == []


def test_kinds_are_those_of_the_wire() -> None:
    found = read("## Retain\n" + "".join(f"- {kind}: x {kind}\n" for kind in "WBOS"))
    assert [unit.kind for unit in found] == list(facts.KIND_NAMES.values())


# -- bank pages ------------------------------------------------------------------------------


def test_a_bullet_of_a_page_of_facts_is_one_unit() -> None:
    berlin, vienna = (unit for unit in read(WORLD, "bank/world.md") if unit.kind == "world")
    assert (berlin.content, berlin.header) == (
        "Lives in Berlin since 2026-01.",
        "# 5 January 2026 (2026-01-05) > World > Peter",
    )
    assert (berlin.valid_from, berlin.restates, berlin.fact_id) == (
        "2026-01-01",
        "k3f9ab27qt",
        None,
    )
    assert (vienna.content, vienna.line_start) == ("Lives in Vienna since 2023.", 8)
    others = [unit.content for unit in read(WORLD, "bank/world.md") if unit.kind == "document"]
    assert others == []
    assert {unit.kind for unit in read(WORLD, "bank/experience.md")} == {"document", "experience"}
    assert {unit.kind for unit in read(WORLD, "notes/world.md")} == {"document"}


def test_retain_bullets_of_a_page_of_facts_are_facts_only_once() -> None:
    (unit,) = read("## Retain\n- W @A: Rain. [[2026-01-05#^aaaa]]\n", "bank/world.md")
    assert (unit.kind, unit.restates) == ("world", None)


def test_a_summary_is_cut_apart_from_what_people_wrote() -> None:
    found = read(PETER, "bank/entities/Peter.md")
    assert [(unit.role, unit.content[:9]) for unit in found] == [
        ("summary", "# Peter\nP"),
        ("", "Owes me a"),
    ]
    remarked = read(PETER.replace("# Peter\n", "# Peter\n\nA friend.\n"), "bank/entities/Peter.md")
    assert [unit.role for unit in remarked] == ["", "summary", ""]
    assert {unit.header.split(" > ")[0] for unit in found} == {"# Peter"}
    assert all("Peter Falk" in unit.header for unit in found)
    pieces = read(PETER, "bank/entities/Peter.md", 60, 0)
    assert sum(unit.role == "summary" for unit in pieces) > 1


def test_without_markers_the_first_section_of_a_page_is_its_summary() -> None:
    text = "---\nentity: Ina\n---\n# Ina\n\nPlays the lute.\n\n## Later\n\nMoved away.\n"
    found = read(text, "bank/entities/Ina.md")
    assert [(unit.role, unit.content.split()[-1]) for unit in found] == [
        ("summary", "lute."),
        ("", "away."),
    ]


def test_facts_on_an_entity_page_are_about_it_too() -> None:
    text = "## Retain\n- W @Dana: Lent him a plane.\n"
    (unit,) = read(text, "bank/entities/Peter.md")
    assert unit.entities == ("Peter", "Dana")


def test_what_an_opinion_leaves_undecided_is_no_text_of_the_page() -> None:
    more = "- related: [[2026-03-04#^k3f9ab27qt]] 0\n- contested: true\n"
    text = OPINIONS.replace("- pending:", f"{more}- pending:")
    contents = [unit.content for unit in read(text, "bank/opinions.md")]
    assert contents == [unit.content for unit in read(OPINIONS, "bank/opinions.md")]


def test_an_opinion_with_a_private_piece_of_evidence_is_private() -> None:
    text = OPINIONS.replace('"Bought', '"<private>Bought').replace('it"', 'it</private>"')
    (unit,) = (unit for unit in read(text, "bank/opinions.md") if unit.kind == "opinion")
    assert unit.private
    assert unit.heading == ("Opinions",)
    (aside,) = (u for u in read(text, "bank/opinions.md") if "laughed" in u.content)
    assert (aside.private, aside.heading[-1]) == (False, "Peter prefers hand tools to machines")


def test_conflicted_bank_pages_are_text() -> None:
    marks = "<<<<<<< ours\nA\n=======\nB\n>>>>>>> theirs\n"
    for text, path in ((OPINIONS, "bank/opinions.md"), (WORLD, "bank/world.md")):
        assert {unit.kind for unit in read(text + marks, path)} == {"document"}
    assert not any(unit.role for unit in read(PETER + marks, "bank/entities/Peter.md"))


HISTORY = region(
    "history", "- 2025-11-03: Lives in Vienna. [[2025-11-03#^vvvv1111]]\n"
)  # fmt: skip


def test_a_history_that_hippod_wrote_is_in_no_unit_and_one_that_a_person_edited_is() -> None:
    page = f"{PETER}\n## History\n\n{HISTORY}"
    before = read(PETER, "bank/entities/Peter.md")
    assert [unit.content for unit in read(page, "bank/entities/Peter.md")] == [
        unit.content for unit in before
    ]
    edited = page.replace("Lives in Vienna", "Lived in Vienna")
    (own,) = (unit for unit in read(edited, "bank/entities/Peter.md") if "Vienna" in unit.content)
    assert own.content.startswith("## History\n")


def test_text_of_a_person_around_a_history_stays_searched() -> None:
    page = f"{PETER}\n## History\n\nHe was a sailor once.\n\n{HISTORY}\nAnd a cook.\n"
    found = "\n".join(unit.content for unit in read(page, "bank/entities/Peter.md"))
    assert "## History" in found
    assert "a sailor once" in found
    assert "And a cook" in found
    assert "Vienna" not in found


def test_a_bullet_of_a_region_is_a_unit_that_restates_a_fact_without_block() -> None:
    page = region("facts", "## 2026-01\n- 2026-01-05 @Peter: Owns boats. [[2026-01-05]]\n")
    (unit,) = read(page, "bank/world.md")
    assert unit.content == "Owns boats."
    (log,) = read("## Retain\n- W @Peter: Owns boats.\n", "memory/2026-01-05.md")
    assert unit.restates == log.fact_id


@pytest.mark.parametrize("path", sorted(bank.UNDECIDED))
def test_what_nobody_decided_yet_answers_no_question(path: str) -> None:
    assert units(path, "# Page\n\n## Ina rows\n\nShe rows on Sundays.\n", zone=ZONE) == []
