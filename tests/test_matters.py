"""Whether a statement is about the matter of an opinion, so that it needs none of its own."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.reflection import matters

NAMES = ["Runa"]


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("Loves paddling on the fjord", "Paddling on the fjord bores Runa by now"),
        (
            "Runa thinks the village shop is dependable",
            "Runa has stopped trusting the village shop",
        ),
        ("The new saddle is comfortable", "Runa gets a sore back from the new saddle"),
        ("The new saddle is comfortable", "The saddle is a torture"),
        ("Likes goat cheese", "Goat cheese is disgusting"),
        ("Likes goat cheese", "Goat cheese tastes of rubber"),
        ("Likes long meetings", "Meetings are pointless"),
        ("Runa mag Blasmusik", "Runa findet Blasmusik zum Einschlafen"),
        ("A Runa le encanta el ajedrez", "El ajedrez ya no le dice nada a Runa"),
        ("Runa trova utile il corso di ceramica", "Il corso di ceramica è tempo perso"),
        ("瑠奈はバイクが好きだ", "瑠奈はバイクに飽きた"),
    ],
)
def test_what_is_said_of_the_same_thing_is_one_matter(statement: str, text: str) -> None:
    assert matters.is_same(statement, text, NAMES)
    assert matters.is_same(text, statement, NAMES)


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("The village shop is dependable", "The village shop should open on Sundays"),
        ("The village shop is dependable", "The village shop's owner is rude"),
        ("Likes the brass band", "The hall of the brass band is cold"),
        ("Likes green olives", "Prefers bread with salted butter"),
        ("Runa loves Bergen", "Bergen is expensive"),
        ("The ferry is slow", "The ferry is reliable"),
        ("Likes long walks", "Likes short walks in winter"),
        ("Likes dark beer", "The best barley for a cold winter makes a light beer"),
        ("Likes skiing in the north", "Skiing in the south has its charm"),
        ("Wants letters in English", "Letters should be short"),
        ("Runa mag den Garten", "Der Garten braucht mehr Wasser als der Park"),
    ],
)
def test_another_aspect_or_another_thing_is_another_matter(statement: str, text: str) -> None:
    assert not matters.is_same(statement, text, NAMES)


def test_what_is_near_in_meaning_may_say_more() -> None:
    said = "Mornings start with goat cheese, toast, wild berries, honey, figs and walnuts"
    assert not matters.is_same("Likes goat cheese", said, NAMES)
    assert matters.is_same("Likes goat cheese", said, NAMES, is_near=True)
    demand = "Goat cheese should be sold in the village shop"
    assert not matters.is_same("Likes goat cheese", demand, NAMES, is_near=True)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("Runa: Likes goat cheese", {"goat", "chees"}),
        ("Runa hates goat cheese", {"goat", "chees"}),
        ("Runa is slow", set()),
    ],
)
def test_a_topic_has_no_names_and_no_stance(text: str, topic: set[str]) -> None:
    assert matters.topic(text, "en", NAMES) == topic


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_can_be_compared(one: str, other: str) -> None:
    assert matters.is_same(one, other, NAMES) in (True, False)
