"""Which tellings may stand for one another on a page."""

import pytest

from hippod.reflection.groups import grouped
from hippod.reflection.restating import says_again
from tests.reflected import listed


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lives in the old forge in Aue", "Lived in the old forge in Aue"),
        ("Ben should see Vera in Aue on Mondays", "Ben sees Vera in Aue on Mondays"),
        ("Ben sails to Aue on Mondays with Vera", "Ben sails from Aue on Mondays with Vera"),
        ("Ben or Vera owns the old forge", "Ben and Vera owns the old forge"),
        ("Ben eats fish at home on Mondays", "Ben refuses to eat fish at home on Mondays"),
        ("Ben is in Aue with Vera", "Ben was in Aue with Vera"),
        ("Ben couldn't find the old forge", "Ben didn't find the old forge"),
        ("Ben wohnt in der alten Mühle in Aue", "Ben wohnte in der alten Mühle in Aue"),
        ("Ben soll Vera am Montag sehen", "Ben kann Vera am Montag sehen"),
        ("Ben fährt nach Aue am Montag", "Ben fährt von Aue am Montag"),
        ("Luis vive en el molino viejo de Aue", "Luis vivía en el molino viejo de Aue"),
        ("Luis o Ana tienen el molino viejo", "Luis y Ana tienen el molino viejo"),
        ("Luc habite le vieux moulin de Aue", "Luc habitait le vieux moulin de Aue"),
        ("Luc doit voir Ana à Aue lundi", "Luc voit Ana à Aue lundi"),
    ],
)
def test_another_tense_modal_place_or_choice_is_another_statement(one: str, other: str) -> None:
    assert not says_again(one, other)
    assert not says_again(other, one)


@pytest.mark.parametrize(
    ("content", "newer"),
    [
        ("Lives in Aue", "Lives in Aue near the harbour"),
        ("Owns 3 boats on the lake", "Ben owns 3 boats on the lake (since 2021)"),
        ("Ben hat einen Garten in Ulm", "Ben hat in Ulm einen Garten"),
        ("本は大阪に住んでいる", "本は大阪に住んでいる。"),
    ],
)
def test_the_same_and_more_is_the_same(content: str, newer: str) -> None:
    assert says_again(content, newer)


def test_opposite_facts_are_two_groups() -> None:
    said = listed(
        "2026-01-01 W @Ben: Lived in the old forge in Aue. ^aaaa1111",
        "2026-01-09 W @Ben: Lives in the old forge in Aue. ^bbbb1111",
        "2026-01-10 W @Ben: Lives in the old forge in Aue. ^cccc1111",
    )
    found = [[fact.id for fact in group.facts] for group in grouped(said, {})]
    assert found == [["cccc1111", "bbbb1111"], ["aaaa1111"]]
