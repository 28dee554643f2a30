"""What fits into a budget: never more than it, whatever the texts and whoever counts."""

from collections.abc import Sequence
from pathlib import Path

import pytest
import wordllama
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from hippod import packing
from hippod.packing import CUT, Packed, estimate, pack, shortened

LENGTHS = "\n".join


def characters(texts: Sequence[str]) -> list[int]:
    return [len(text) for text in texts]


def packed(contents: Sequence[str], budget: int) -> Packed:
    longest = len(contents[0]) if contents else 0

    def shorten(size: int) -> str:
        return shortened(contents[0], size)

    return pack(contents, LENGTHS, shorten, longest, budget, characters)


def test_as_many_as_fit_best_first() -> None:
    assert packed(["aaa", "bbb", "ccc"], 11) == Packed((0, 1), "aaa\nbbb", 7)
    assert packed(["aaa", "bbb", "ccc"], 12).chosen == (0, 1, 2)
    assert packed([], 12) == Packed((), "", 0)


def test_one_that_does_not_fit_is_passed_over() -> None:
    assert packed(["aaa", "b" * 50, "ccc"], 10).chosen == (0, 2)


def test_a_first_that_is_too_long_is_cut_where_one_sees_it() -> None:
    done = packed(["The heron nests at the weir", "b"], 20)
    assert done == Packed((0,), f"The heron{CUT}", 17, cut=14)
    assert done.text.endswith("… [cut]")


def test_a_first_that_cannot_even_be_cut_gives_way() -> None:
    assert packed(["The heron", "b"], 4) == Packed((1,), "b", 1)
    assert packed(["The heron", "bbbbb"], 4) == Packed((), "", 0)


@pytest.mark.parametrize(
    ("text", "size", "expected"),
    [
        ("one two", 7, "one two"),
        ("one two", 5, f"one{CUT}"),
        ("one two", 3, f"one{CUT}"),
        ("one two", 4, f"one{CUT}"),
        ("一二三四", 2, f"一二{CUT}"),
        (f"a {'b' * 40}", 30, f"a {'b' * 28}{CUT}"),
    ],
)
def test_a_cut_ends_with_a_word(text: str, size: int, expected: str) -> None:
    assert shortened(text, size) == expected


COUNTERS = st.sampled_from(
    [
        characters,
        estimate,
        lambda texts: [len(text.split()) for text in texts],
        lambda texts: [len(text) ** 2 % 97 for text in texts],  # no more of more
        lambda texts: [1_000 - min(999, len(text)) for text in texts],
        lambda texts: [7 for _ in texts],
    ]
)


@given(
    st.lists(st.text(max_size=60), max_size=6),
    st.integers(1, 120),
    COUNTERS,
    st.dictionaries(st.integers(1, 5), st.integers(0, 4)),
)
@settings(max_examples=400, deadline=None)
def test_a_budget_is_never_exceeded(
    contents: list[str], budget: int, count: packing.Count, drawn: dict[int, int]
) -> None:
    only_with = {later: earlier for later, earlier in drawn.items() if earlier < later}

    def frame(pieces: Sequence[str]) -> str:
        return "\n".join(["<memory>", *pieces, "</memory>"])

    def shorten(size: int) -> str:
        return shortened(contents[0], size)

    longest = len(contents[0]) if contents else 0
    done = pack(contents, frame, shorten, longest, budget, count, only_with)
    assert done.used <= budget
    assert all(only_with[each] in done.chosen for each in done.chosen if each in only_with)
    assert done.used == (sum(count([done.text])) if done.text else 0)
    assert list(done.chosen) == sorted(set(done.chosen))
    if done.cut is None and done.chosen:
        assert done.text == frame([contents[each] for each in done.chosen])


SAMPLES = {
    "english": "The heron is back at the weir; we decided to host the wiki on the small server.",
    "fact": "- W @Peter: In Marrakech (2025-11-27 to 2025-12-01) for a birthday. ^k3f9ab27qt",
    "german": "Die Straßenbahnhaltestelle an der Brücke wird im Frühjahr übrigens verschoben.",
    "russian": "Мы решили перенести встречу на следующую неделю, потому что Ольга болеет.",
    "code": "for (int i = 0; i < n; ++i) { sum += a[i] * b[i]; } // O(n)",
    "thai": "เราตัดสินใจเลื่อนการประชุมไปสัปดาห์หน้า เพราะสมชายป่วย",
    "arabic": "قررنا تأجيل الاجتماع إلى الأسبوع القادم لأن أحمد مريض.",
    "emoji": "🎉🦉🔥 great",
}


@pytest.mark.parametrize("language", SAMPLES)
def test_the_estimate_is_near_a_small_vocabularys_count(language: str) -> None:
    """Llama 2's 32,000 words need more tokens than what models have today."""
    folder = Path(wordllama.__file__).parent / "tokenizers"
    tokenizer = Tokenizer.from_file(str(next(folder.glob("*.json"))))
    text = SAMPLES[language]
    real = len(tokenizer.encode(text, add_special_tokens=False).ids)
    assert 0.7 <= estimate([text])[0] / real <= 2


def test_the_estimate_counts_what_has_no_spaces_by_the_character() -> None:
    assert estimate(["我们决定下周把会议推迟" * 10])[0] >= 110
    assert estimate([""]) == [0]
