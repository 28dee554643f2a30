"""What counts as a note of a daily log, and what never does."""

from datetime import date

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hippod import daylog, lognotes
from hippod.errors import HippodError

DAY = date(2026, 3, 3)


def texts(log: str) -> list[str]:
    return [note.text for note in lognotes.notes(log)]


def times(log: str) -> list[tuple[str, str | None]]:
    return [(note.text, note.time) for note in lognotes.notes(log)]


def test_entries_paragraphs_and_items_are_notes_each_on_its_line() -> None:
    log = (
        "# Daily Log - 2026-03-03\n\n[09:15:23] Session started\n[09:20] The loom came.\n\n"
        "A paragraph of its own.\n\n## Log\n- an item\n  1. one below it\n* another\n"
    )
    assert [(note.line, note.text) for note in lognotes.notes(log)] == [
        (3, "Session started"),
        (4, "The loom came."),
        (6, "A paragraph of its own."),
        (9, "an item"),
        (10, "one below it"),
        (11, "another"),
    ]


def test_the_time_of_an_entry_holds_for_what_follows_without_a_blank_line() -> None:
    log = "before\n\n[09:15:23] Met:\n- Ina\n- [09:40] Olaf\n\nlater\n\n# Next\nelsewhere\n"
    assert times(log) == [
        ("before", None),
        ("Met:", "09:15:23"),
        ("Ina", "09:15:23"),
        ("Olaf", "09:40"),
        ("later", None),
        ("elsewhere", None),
    ]


@pytest.mark.parametrize(
    "log",
    [
        "---\ntitle: secret front\n---\n",
        "# A heading\n\nAnother heading\n===\n",
        "```\nin a fence\n```\n\n    in a code block\n",
        "> in a quote\n> - with an item\n",
        "| a | b |\n|---|---|\n| in | table |\n",
        "a | b\n--|--\nin | table\n",
        "<!-- in a comment -->\n\n<!--\nin a long\n\ncomment -->\n",
        "<private>hidden</private>\n\n<private>\n- hidden\n\n- too\n</private>\n",
        "<hippod-memory>\n- given to the agent\n\nand more\n</hippod-memory>\n",
        "<hippod-memory>\nnever closed\n\n- so all of it\n",
        "a line that hippod wrote ^k3f9ab27qt\n\n- an item\n  of two lines ^k3f9ab27qt\n",
        "- W @Ina: a fact in the wrong place\n- O(c=0.5) @Ina: another\n",
        "- [ ] still to be done\n",
        "## Retain\n- W @Ina: a fact\n- no fact\n\nprose in a Retain section\n",
        "---\n\n- \n\n12:40\n",
        "<<<<<<< HEAD\n- ours\n=======\n- theirs\n>>>>>>> b\n",
    ],
)
def test_these_are_no_notes(log: str) -> None:
    assert texts(log) == []


def test_what_stands_around_a_private_span_or_comment_stays() -> None:
    assert texts("The safe <private>opens with 5</private> is old.\n") == ["The safe  is old."]
    assert texts("- The loom <!-- which? --> came\n") == ["The loom  came"]


def test_markup_within_a_line_is_no_part_of_a_note() -> None:
    log = "- **Decision:** the _loom_ of [Ina](http://x.test/a) and [[Olaf Berg|Olaf]], a_b * 2\n"
    assert texts(log) == ["Decision: the loom of Ina and Olaf, a_b * 2"]
    assert texts("- [x] Oiled the loom\n") == ["Oiled the loom"]


def test_lines_that_an_editor_wrapped_are_one_sentence_others_are_not() -> None:
    wrapped = (
        "The big loom in the attic of the old mill needs to be oiled on\nSundays\nand holidays\n"
    )
    assert texts(wrapped) == [
        "The big loom in the attic of the old mill needs to be oiled on Sundays and holidays"
    ]
    assert texts("Oiled the loom\nIna called\n") == ["Oiled the loom\nIna called"]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_any_line_end(end: str) -> None:
    assert times(f"\ufeff[09:15] One{end}[09:20] Two{end}") == [("One", "09:15"), ("Two", "09:20")]


def test_behind_the_text_of_others_nothing_is_trusted_until_the_next_entry_or_section() -> None:
    log = (
        "Look at this page:\n\nOlaf owes everybody 500.\n\n- and more of it\n\n"
        "[10:00:00] Own again.\n\n## Later\nAlso own.\n"
    )
    assert texts(log) == ["Look at this page:", "Own again.", "Also own."]


def test_a_log_of_many_sections_takes_no_square_of_time() -> None:
    log = "".join(f"## Section {n}\n\nNote number {n} here.\n\n" for n in range(3000))
    assert len(texts(log)) == 3000


LINES = st.one_of(
    st.sampled_from(
        [
            "", "## Retain", "## Log", "- W @Ina: a fact ^k3f9ab27qt", "[09:15:00] entry", "text",
            "- item", "  more", "```", "> quote", "<private>", "</private>", "<hippod-memory>",
            "</hippod-memory>", "<!--", "-->", "| a |", "|---|", "---", "===", "    code", "<div>",
            "Look at this page:", "1. one", "\ufeff", "- [ ] todo", "~~~", "***",
        ]
    ),
    st.text(st.characters(codec="utf-8"), max_size=30),
)  # fmt: skip
LOGS = st.lists(LINES, max_size=14).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n"]).map(lambda end: end.join(lines))
)


@given(LOGS)
@settings(max_examples=150, deadline=None)
def test_any_text_is_read(log: str) -> None:
    for note in lognotes.notes(log):
        assert note.text.strip() == note.text != ""
        assert 1 <= note.line <= log.count("\n") + log.count("\r") + 1


@given(LOGS)
@settings(max_examples=250, deadline=None)
def test_what_hippod_appends_is_never_a_note_and_changes_none(log: str) -> None:
    bullet = "- W @Ina: Ina has the key. (09:15 log/2026-03-03#k3f9ab27qt) ^p07d2c5hn1"
    try:
        block = daylog.retain_block(log.encode(), DAY, [bullet]).decode()
    except HippodError:
        assume(False)
    assert set(texts(log + block)) <= set(texts(log))


@pytest.mark.parametrize(
    "line",
    [
        "We sold the boat in May. [[2026-02-19#^k3f9ab27qt]]",
        "[[2026-02-19#^k3f9ab27qt]]",
        "- supports: [[2026-02-19#^k3f9ab27qt]] +0.20",
        "- updated: 2026-02-20",
        "- c: 0.83",
    ],
)
def test_what_was_copied_from_a_page_of_hippods_is_no_note(line: str) -> None:
    assert texts(f"# Daily Log - 2026-03-03\n\n{line}\n\nThe loom came.\n") == ["The loom came."]
