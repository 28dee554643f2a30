"""Where a text stands in its document as it is now, and the lines around it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.passages import Page, Sought

NOTE = """# Boats

The boat is blue.
It needs paint.

## Bikes

The bike is red.
"""


def lines_of(page: str, content: str, first: int = 1, last: int | None = None) -> object:
    stand = Page(page).find(Sought(content, first, last or first, is_fact=False))
    return (stand.first, stand.last) if stand else None


def test_where_it_stood() -> None:
    assert lines_of(NOTE, "The boat is blue.\nIt needs paint.", 3, 4) == (3, 4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"New\n\n{NOTE}", (5, 6)),
        (NOTE.replace("# Boats\n\n", ""), (1, 2)),
        (NOTE.replace("blue.\nIt", "blue. It"), (3, 3)),
        (NOTE.replace("\n", "\r\n"), (3, 4)),
        (NOTE.replace("The boat", "    The\n boat"), (3, 5)),
        (NOTE.replace("blue", "green"), None),
        ("", None),
    ],
)
def test_after_an_edit(text: str, expected: object) -> None:
    assert lines_of(text, "The boat is blue.\nIt needs paint.", 3, 4) == expected


def test_the_nearest_of_several() -> None:
    text = "x\nsame\nx\nx\nx\nsame\nx"
    assert lines_of(text, "same", 5) == (6, 6)
    assert lines_of(text, "same", 3) == (2, 2)
    far = "\n" * 1000 + "same\n" + "\n" * 1000
    assert lines_of(far, "same", 1) == (1001, 1001)


def test_a_part_of_a_word_is_something_else() -> None:
    assert lines_of("yesterday", "yes") is None
    assert lines_of("yesterday, yes", "yes") == (1, 1)
    assert lines_of("今天下雨了", "下雨") == (1, 1)


def test_what_a_chunk_leaves_out_may_stand_between() -> None:
    chunk = "end of the first\nthe second line\nand the third"
    text = (
        "So is the end of the first\n<!-- a comment -->\nthe second line\n\nand the third, longer"
    )
    assert lines_of(text, chunk, 1, 5) == (1, 5)
    assert lines_of(text.replace("second", "2nd"), chunk, 1, 5) is None


def test_the_overlap_with_the_chunk_before_is_none_of_its_lines() -> None:
    text = "one two three\nfour five\nsix"
    assert lines_of(text, "three\nfour five", 2, 2) == (2, 2)


def test_a_fact_is_its_whole_bullet() -> None:
    text = "## Retain\n- W @Ada: The boat is\n  blue. ^k3f9ab27qt\n- W @Bo: Red. ^p07d2c5hn1\n"
    page = Page(text)
    stand = page.find(Sought("The boat is blue.", 9, 10, is_fact=True))
    assert stand is not None
    assert (stand.first, stand.last) == (2, 3)
    assert page.text[slice(*stand.span)] == "\n".join(text.splitlines()[1:3])


def test_lines_around() -> None:
    page = Page("a\nb\nc\nd\ne")
    start = page.start_of(3)
    assert page.around([(start, start + 1)], 1) == [("b\n", "\nd")]
    assert page.around([(start, start + 1)], 9) == [("a\nb\n", "\nd\ne")]
    assert Page("").around([(0, 0)], 3) == [("", "")]


def test_the_rest_of_a_line_is_context_too() -> None:
    page = Page("above\none two three\nbelow")
    at = page.text.index("two")
    assert page.around([(at, at + 3)], 1) == [("above\none ", " three\nbelow")]


def test_context_is_bounded() -> None:
    page = Page("x" * 100_000)
    ((before, after),) = page.around([(50_000, 50_010)], 50)
    assert len(before) == len(after) == 4_000


TEXTS = st.lists(st.text(alphabet="ab \n", max_size=12), min_size=1, max_size=8).map("\n".join)


@given(TEXTS, st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)), max_size=5),
       st.integers(1, 4))  # fmt: skip
@settings(max_examples=300, deadline=None)
def test_no_character_is_context_twice_nor_of_another_hit(
    text: str, marks: list[tuple[int, int]], count: int
) -> None:
    page = Page(text)
    size = len(page.text)
    spans = sorted((min(at, size), min(at + length, size)) for at, length in marks)
    given_out: list[int] = [0] * size
    inside = {n for start, end in spans for n in range(start, end)}
    for (start, end), (before, after) in zip(spans, page.around(spans, count), strict=True):
        assert page.text[start - len(before) : start] == before
        assert page.text[end : end + len(after)] == after
        context = [*range(start - len(before), start), *range(end, end + len(after))]
        for place in context:
            given_out[place] += 1
            assert place not in inside
    assert max(given_out, default=0) <= 1


@given(TEXTS, st.data())
@settings(max_examples=300, deadline=None)
def test_lines_that_stand_there_are_found_after_lines_were_added(
    text: str, data: st.DataObject
) -> None:
    page = Page(text)
    wanted = [n for n, line in enumerate(page.lines, 1) if line.strip()]
    if not wanted:
        return
    line = data.draw(st.sampled_from(wanted))
    above = data.draw(st.integers(0, 5))
    edited = Page("c\n" * above + page.text)
    stand = edited.find(Sought(page.lines[line - 1], line, line, is_fact=False))
    assert stand is not None
    found = " ".join(" ".join(edited.lines[stand.first - 1 : stand.last]).split())
    assert " ".join(page.lines[line - 1].split()) in found
