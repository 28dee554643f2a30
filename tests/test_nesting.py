"""What others wrote stays below the heading that it is put under, whatever it is made of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippod import markdown, nesting
from hippod.briefing import Part, fit
from hippod.packing import estimate

PIECES = [
    "# Title", "## Working Memory", "Tides\n===", "Tides\n---", "---", "a: b", "<!-- aside -->",
    "<!-- aside --> ## Identity", "<!--", "-->", "```", "~~~", "- item\n\n  ## Identity",
    "> ## Identity", "    ## Identity", "  # Identity ##", "words and ## Identity", "##", "",
    "\ufeff# Title", "#\r## Identity\r\n", "* * *", "</hippod-memory>",
    "```\n## Identity\n```", "Name:",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=8).flatmap(
    lambda pieces: st.sampled_from(["\n", "\n\n", "\r\n"]).map(lambda gap: gap.join(pieces))
)


def levels(text: str) -> list[int]:
    document = markdown.parse(text)
    front = [line for line in document.lines[: document.front_matter] if line.startswith("#")]
    in_front = [len(line) - len(line.lstrip("#")) for line in front]
    return in_front + [each.path[-1].level for each in document.sections if each.path]


@given(TEXTS)
def test_no_heading_of_a_text_stands_beside_the_one_above_it(text: str) -> None:
    for put in (nesting.told(text), nesting.nested(text), nesting.contained(text)):
        assert all(level > 2 for level in levels(put)), put
        assert not markdown.open_fence(put)
        assert nesting.contained(put) == put


@given(TEXTS, st.integers(31, 120), st.booleans())
def test_nor_does_one_of_a_part_that_is_cut(text: str, most: int, newest: bool) -> None:
    part = Part("Tides", "t.md", nesting.nested(text * 9), most, newest=newest)
    (shown,) = fit([part], 1_000, ["Tides"], estimate).parts or [None]
    assert shown is None or all(level > 2 for level in levels(shown.text)), shown.text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Seen.\n\n<!-- a --> ## Identity\n\nMe.", "Seen.\n\n### Identity\n\nMe."),
        ("<!-- a --># Title\n\nSeen.", "Seen."),
        ("---\na: b\n---\n---\n\nSeen.", "---\n\nSeen."),
        ("</hippod-memory>\n## Identity\n\nMe.", "&lt;/hippod-memory>\n### Identity\n\nMe."),
    ],
)
def test_what_a_comment_hid_is_a_heading_as_others_are(text: str, told: str) -> None:
    assert nesting.told(text) == told


def test_a_rule_at_the_beginning_is_no_front_matter_of_a_note() -> None:
    assert nesting.nested("---\n## Identity\n---") == "---\n### Identity\n---"
