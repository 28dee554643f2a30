"""Tombstones: what they forget, that they tell nothing, and that merges lose none."""

import itertools
import time
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from hippod import erasing, facts, forgotten
from hippod.forgotten import Tombstones, Value, with_stones

TODAY = date(2026, 3, 4)
SALT, OTHER = "0f" * 16, "a7" * 16


def page(*values: Value, text: str | None = None, salt: str = SALT) -> str:
    return with_stones(text, values, TODAY, salt)


def within(text: str) -> Value:
    return Value("within", forgotten.joined(text))


def test_an_empty_page_forgets_nothing() -> None:
    for text in ("", "# Forgotten\n", "salt: 0f0f0f0f0f0f0f0f\n", "- 2026-03-04 id zz\n"):
        stones = Tombstones.parse(text)
        assert not stones
        assert not stones.forgets_id("k3f9ab27qt")
        assert not stones.forgets_text("anything")
        assert erasing.remembered("anything", stones) == "anything"


def test_each_kind_forgets_what_it_names_and_nothing_else() -> None:
    stones = Tombstones.parse(
        page(
            Value("id", "k3f9ab27qt"),
            forgotten.turn("main", "3f2a", "m131"),
            Value("text", forgotten.joined("Lives in Berlin.")),
        )
    )
    assert stones.forgets_id("k3f9ab27qt")
    assert not stones.forgets_id("k3f9ab27q")
    assert stones.forgets_turn("main", "3f2a", "m131")
    assert not stones.forgets_turn("main", "3f2a", "m13")
    assert not stones.forgets_turn("main3f2a", "", "m131")
    assert stones.forgets_text("  LIVES in  Berlin!")
    assert not stones.forgets_text("Lives in Berlin since 2019")
    assert not stones.forgets_id(forgotten.joined("Lives in Berlin."))


def test_a_fact_is_the_same_only_of_the_same() -> None:
    mine, yours = (facts.parse_bullet(f"- W @{name}: Likes tea.") for name in ("Mira", "Piet"))
    assert mine
    assert yours
    stones = Tombstones.parse(page(Value("text", forgotten.stated(mine))))
    assert stones.forgets_text(forgotten.stated(mine))
    assert not stones.forgets_text(forgotten.stated(yours))


def test_words_go_wherever_they_stand_if_they_were_said_before() -> None:
    stones = Tombstones.parse(page(within("spare key")))
    text = "- one\n- Olaf has the *spare  key* now\n- three\n"
    assert erasing.remembered(text, stones, TODAY) == "- one\n\n- three\n"
    assert erasing.remembered(text, stones, date(2026, 3, 5)) is text
    assert erasing.remembered(text, stones) is text  # two words tell too little without a day
    telling = Tombstones.parse(page(within("the spare key")))
    assert "Olaf" not in erasing.remembered(text, telling)


def test_a_note_leaves_facts_of_others_alone() -> None:
    stones = Tombstones.parse(page(Value("note", "has the spare key")))
    text = "- W @Mira: Has the spare key.\n\nOlaf has the spare key. Fine.\n"
    assert erasing.remembered(text, stones) == "- W @Mira: Has the spare key.\n\nFine.\n"


def test_text_without_spaces_between_words() -> None:
    stones = Tombstones.parse(page(within("喜欢喝绿茶")))
    assert erasing.remembered("- 我很喜欢喝绿茶。\n", stones) == "\n"
    assert erasing.remembered("- 我不喝绿茶。\n", stones) == "- 我不喝绿茶。\n"


def test_the_page_grows_only_by_what_is_new() -> None:
    first = page(Value("id", "aaaa"), within("one two three"))
    assert page(Value("id", "aaaa"), Value("text", "one two three"), text=first) == first
    second = page(Value("id", "bbbb"), text=first)
    assert second.startswith(first)
    assert second.count("salt:") == 1


def test_a_text_of_which_more_is_forgotten_gets_a_line_more() -> None:
    first = page(Value("text", "one two three"))
    stones = Tombstones.parse(page(within("one two three"), text=first))
    assert stones.spans(["zero", "one", "two", "three"], TODAY) == [(1, 4)]


def test_what_people_wrote_on_the_page_stays() -> None:
    mine = "# Forgotten\r\n\r\nMy own words\r\n- a list"
    text = page(Value("id", "aaaa"), text=mine)
    assert text.startswith(f"{mine}\r\n")
    assert "\n" not in text.replace("\r\n", "")
    assert Tombstones.parse(text).forgets_id("aaaa")


def test_lines_that_cannot_be_read_are_told_and_do_no_harm() -> None:
    text = page(Value("id", "aaaa")) + "- 2026-13-04 id " + "0" * 64 + "\n- 2026-03-04 what\n"
    stones = Tombstones.parse(text)
    assert stones.forgets_id("aaaa")
    assert len(stones.unread) == 2


def test_a_deleted_line_allows_it_again() -> None:
    text = page(Value("id", "aaaa"), Value("id", "bbbb"))
    stone = Tombstones.parse(text).forgets_id("aaaa")
    assert stone is not None
    lines = text.splitlines(keepends=True)
    left = Tombstones.parse("".join(lines[: stone.line - 1] + lines[stone.line :]))
    assert not left.forgets_id("aaaa")
    assert left.forgets_id("bbbb")


@given(st.randoms(use_true_random=False), st.booleans())
def test_a_merge_of_two_pages_keeps_both_sides(random, conflicted: bool) -> None:  # type: ignore[no-untyped-def]
    mine = page(Value("id", "aaaa"), within("one two three")).splitlines()
    yours = page(Value("id", "bbbb"), salt=OTHER).splitlines()
    if conflicted:
        merged = ["<<<<<<< HEAD", *mine, "=======", *yours, ">>>>>>> other"]
    else:  # as `merge=union` may leave them
        merged = [*mine, *yours]
        random.shuffle(merged)
    stones = Tombstones.parse("\n".join(merged))
    assert stones.forgets_id("aaaa")
    assert stones.forgets_id("bbbb")
    assert stones.forgets_text("One, two: three")
    assert not stones.forgets_id("cccc")


@given(st.text(), st.text())
def test_any_text_is_safe(text: str, other: str) -> None:
    stones = Tombstones.parse(text)
    stones.forgets_text(other)
    new = with_stones(text, [Value("text", forgotten.joined(other) or "x")], TODAY, SALT)
    assert new.startswith(text)
    assert Tombstones.parse(new).forgets_text(other or "x") or not forgotten.joined(other)


MARKDOWN = st.lists(
    st.sampled_from(
        ["", "# Head", "- item one", "- W @A: Fact two. ^aaaa000001", "Some prose. More of it.",
         "wrapped line", "[09:00:00] entry", "| a | b |", "```", "1. first", "  deeper", "> quoted",
         "---", "<!-- note", "-->", "key: secret words here", "Here are secret words here. Yes."]
    )
)  # fmt: skip


@given(MARKDOWN, st.sampled_from(["\n", "\r\n", "\r"]))
def test_blocks_cover_what_is_written_once_and_removal_is_exact(lines: list[str], end: str) -> None:
    text = end.join(lines)
    blocks = erasing.blocks(text)
    pieces = [piece for block in blocks for piece in block.pieces]
    for before, after in itertools.pairwise(pieces):
        assert before.end <= after.start
    assert all(text[piece.start : piece.end] == piece.text for piece in pieces)
    written = "".join(text.split())
    assert "".join("".join(piece.text.split()) for piece in pieces) == written
    assert not erasing.without(text, pieces).strip()


@given(MARKDOWN)
def test_forgotten_words_are_gone_and_line_numbers_hold(lines: list[str]) -> None:
    stones = Tombstones.parse(page(within("secret words here")))
    text = "\n".join(lines)
    left = erasing.remembered(text, stones)
    assert "secret words here" not in left
    assert left.count("\n") == text.count("\n")
    for number, line in enumerate(text.split("\n")):
        if line == "# Head":
            assert line in left.split("\n")[number]


_LETTERS = ("a", "b", "c", "d", "e", "f")


@given(
    st.lists(st.sampled_from(_LETTERS), max_size=30),
    st.lists(st.lists(st.sampled_from(_LETTERS), min_size=3, max_size=8), max_size=6),
    st.sampled_from(("ab" * 8, "cd" * 64)),
)
def test_every_place_of_forgotten_words_is_found(
    said: list[str], gone: list[list[str]], salt: str
) -> None:
    values = [Value("note", " ".join(each)) for each in gone]
    stones = Tombstones.parse(with_stones(None, values, date(2026, 3, 4), salt))
    expected = {
        (start, start + len(each))
        for each in gone
        for start in range(len(said) - len(each) + 1)
        if said[start : start + len(each)] == each
    }
    assert stones.spans(said) == sorted(expected)


def test_many_tombstones_of_all_lengths_cost_no_more_than_milliseconds() -> None:
    values = [Value("note", " ".join(f"w{n}x{k}" for k in range(3 + n % 60))) for n in range(600)]
    stones = Tombstones.parse(with_stones(None, values, date(2026, 3, 4), "ab" * 16))
    said = [f"word{n % 700}" for n in range(5000)]
    began = time.process_time()
    assert stones.spans(said) == []
    assert time.process_time() - began < 0.5  # a hash of each window: 300,000 of them
