"""Labels' probabilities from the few tokens that an endpoint lists, and what it may be asked."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippod.models.dialects import Manner, label_row, log_probability

LABELS = ["decision", "preference", "fact", "finished", "question", "chat", "working"]
TOKENS = st.one_of(
    st.sampled_from([f" {label}" for label in LABELS] + ["f", "Fin", " QU", "", " ", "\n", "x"]),
    st.text(max_size=6),
)
LISTED = st.dictionaries(TOKENS, st.floats(-30, 0).map(log_probability), min_size=1, max_size=20)


@given(LISTED)
def test_a_row_is_a_distribution(listed: dict[str, float]) -> None:
    row = label_row(listed, LABELS)
    assert len(row) == len(LABELS)
    assert math.fsum(map(math.exp, row)) == pytest.approx(1)


@given(LISTED)
def test_a_label_that_is_not_listed_is_never_above_one_that_is(listed: dict[str, float]) -> None:
    listed = {" fact": -0.01} | {t: v for t, v in listed.items() if not t.strip()}
    row = label_row(listed, LABELS)
    assert max(row) == row[LABELS.index("fact")]
    assert row[LABELS.index("fact")] > row[LABELS.index("chat")]


def test_the_order_of_the_labels_is_that_of_the_row() -> None:
    row = label_row({" chat": -0.1, " question": -3.0}, ["question", "chat"])
    assert row[1] > row[0]
    assert row[1] - row[0] == pytest.approx(2.9)


def test_a_piece_counts_for_the_label_that_it_begins_and_only_for_that() -> None:
    row = label_row({" Pre": -1.0, "f": -0.5, " finish": -2.0, "thing": -1.5}, LABELS)
    assert max(row) == row[LABELS.index("preference")]
    assert row[LABELS.index("finished")] > row[LABELS.index("fact")], "f begins two labels"


def test_pieces_of_one_label_add_up() -> None:
    split = label_row(
        {" fact": math.log(0.2), "Fact": math.log(0.2), " chat": math.log(0.3)}, LABELS
    )
    assert split[LABELS.index("fact")] > split[LABELS.index("chat")]


def test_without_any_label_listed_nothing_is_decided() -> None:
    row = label_row({"The": -0.1, "I": -3.0}, LABELS)
    assert row == pytest.approx([-math.log(len(LABELS))] * len(LABELS))


@pytest.mark.parametrize(
    ("value", "number"),
    [(-1, -1.0), (0.3, 0.0), (-9999.0, math.log(1e-9)), (None, math.log(1e-9)),
     (-math.inf, math.log(1e-9))],
)  # fmt: skip
def test_log_probabilities_are_bounded(value: object, number: float) -> None:
    assert log_probability(value) == number


@pytest.mark.parametrize("value", ["-1", [], math.nan, {}])
def test_what_is_no_number_is_no_log_probability(value: object) -> None:
    with pytest.raises(TypeError):
        log_probability(value)


def test_a_manner_gives_way_step_by_step_and_ends() -> None:
    manner: Manner | None = Manner()
    steps = []
    while manner is not None:
        steps.append((manner.format("items"), manner.limit, manner.cool))
        manner = manner.gentler("items", "max_completion_tokens, temperature")
    assert steps == [
        ("json_schema", "max_tokens", True),
        ("json_schema", "max_completion_tokens", True),
        ("json_schema", "max_completion_tokens", False),
        ("json_object", "max_completion_tokens", False),
        (None, "max_completion_tokens", False),
    ]
    assert Manner().format("facts") is Manner().format("line") is None
    assert Manner().gentler("line", "whatever") is None
