"""Sentences of a summary: what facts support, in the words of facts or of a model."""

import json
from collections.abc import Sequence

import pytest

from hippod.models import Completion, Grammar, Spent
from hippod.reflection import summary
from hippod.reflection.groups import grouped
from hippod.reflection.summary import Sentence
from tests.reflected import TODAY, entity, listed

MILL = [
    "Vera owes Ben 50 euros for the mill.",
    "Ben lives in Aue since 2021.",
    "Ben does not eat fish.",
    "Ben repairs the mill on Tuesdays.",
]


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("Ben lives in Aue since 2021.", [1]),
        ("Ben lives in Aue since 2021 and does not eat fish.", [1, 2]),
        ("Ben lives in Aue since 2021, does not eat fish, repairs the mill on Tuesdays.", [1, 2, 3]),  # noqa: E501
        ("Ben lives in Aue since 2021.", [1, 1]),
    ],
)  # fmt: skip
def test_a_sentence_that_says_its_facts_is_supported(text: str, cited: list[int]) -> None:
    assert summary.is_supported(text, [MILL[n] for n in cited])


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("Ben lives in Aue since 2021.", []),
        ("Ben owes Vera 50 euros for the mill.", [0]),
        ("Vera owes Ben 60 euros for the mill.", [0]),
        ("Vera owes Ben euros for the mill.", [0]),
        ("Ben lives in Aue.", [1]),
        ("Ben lives in Graz since 2021.", [1]),
        ("Ben lives happily in Aue since 2021.", [1]),
        ("Ben lives in Aue since 2021.", [1, 2]),
        ("Ben does eat fish.", [2]),
        ("Ben does not live in Aue since 2021 and eats fish, not more.", [1, 2]),
        ("Ben repairs the mill.", [3]),
        ("Ben has improved in some respects.", [1]),
        ("", [1]),
    ],
)
def test_a_sentence_that_says_else_is_not(text: str, cited: list[int]) -> None:
    assert not summary.is_supported(text, [MILL[n] for n in cited])


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("Vera's forge opens at 07:30 and shuts on Sundays.",
         ["Vera's forge opens at 07:30.", "Vera's forge shuts on Sundays."]),
        ("The Aue mill belongs to Kai, grinds rye.",
         ["The Aue mill grinds rye.", "The Aue mill belongs to Kai."]),
        ("Vera wohnt in Aue und trinkt keinen Kaffee.",
         ["Vera wohnt in Aue.", "Vera trinkt keinen Kaffee."]),
        ("Vera lives in Aue, Vera rows.", ["Vera lives in Aue.", "Vera rows."]),
    ],
)  # fmt: skip
def test_facts_of_one_subject_may_be_joined(text: str, contents: list[str]) -> None:
    assert summary.is_supported(text, contents)


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("Vera does not row and swims.", ["Vera rows.", "Vera does not swim."]),
        ("Vera owns goats but not hens.", ["Vera does not own goats.", "Vera owns hens."]),
        ("Vera wohnt nicht in Aue und in Ulm.", ["Vera wohnt in Aue.", "Vera wohnt nicht in Ulm."]),
        ("Vera came before Ben and rows.", ["Vera came after Ben.", "Vera rows."]),
        ("Vera sails to Aue and rows.", ["Vera sails from Aue.", "Vera rows."]),
        ("Vera will sell the mill.", ["Vera sold the mill."]),
        ("Vera would sell the mill.", ["Vera sells the mill."]),
        ("Vera should pay Ben and rows.", ["Vera paid Ben.", "Vera rows."]),
        ("Did Vera sell the mill?", ["Vera did sell the mill."]),
        ("Vera sold the mill?", ["Vera sold the mill."]),
        ("Vera and Ben own a mill.", ["Vera or Ben own a mill."]),
        ("Vera and Ben sold a mill and moved.", ["Vera and Ben sold a mill.", "Vera moved."]),
        ("Vera Maria rows and swims.", ["Vera Maria rows.", "Vera swims."]),
        ("Vera's mill leaks and rows.", ["Vera's mill leaks.", "Vera rows."]),
        ("Vera says Ben rows and swims.", ["Vera says Ben rows.", "Vera swims."]),
        ("Vera thinks tea is bad and rows.", ["Vera thinks tea is bad.", "Vera rows."]),
        ("Vera never rows and swims.", ["Vera never rows.", "Vera swims."]),
        ("Her aunt rows and owns goats.", ["Her aunt rows.", "Owns goats."]),
        ("Vera rows or swims.", ["Vera rows.", "Vera swims."]),
        ("Vera rows\nand swims.", ["Vera rows.", "Vera swims."]),
        ("Vera rows and swims.", ["Vera rows."]),
        ("Vera rows.", ["Vera rows.", "Vera swims."]),
        ("Vera pays Ben 40 euros and rows.", ["Ben pays Vera 40 euros.", "Vera rows."]),
    ],
)  # fmt: skip
def test_no_word_of_a_joined_fact_is_bent_or_moved(text: str, contents: list[str]) -> None:
    assert not summary.is_supported(text, contents)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("lives in Aue", "lives in Aue."),
        ("Lives in Aue!", "Lives in Aue!"),
        ("iPhone owner", "iPhone owner."),
        ("npm is used", "npm is used."),
        ("blogs at www.example.org", "blogs at www.example.org"),
        ("writes to vera@example", "writes to vera@example"),
        ("pip-tools pins it", "pip-tools pins it."),
        ("3 boats (since 2021)", "3 boats (since 2021)."),
        ('Ben: "we sold it."', 'Ben: "we sold it."'),
        ("See https://example.org/a", "See https://example.org/a"),
        ("本は大阪に住んでいる", "本は大阪に住んでいる。"),
    ],
)
def test_a_fact_becomes_a_sentence_and_keeps_its_words(content: str, text: str) -> None:
    assert summary.told(content) == text
    assert summary.is_supported(text, [content])


def test_who_somebody_is_comes_first_and_what_is_said_again_next() -> None:
    said = listed(
        "2025-01-01 W @Ben: Ben works as a miller. ^aaaa1111",
        "2025-05-01 W @Ben: Has a cat called Muck. ^bbbb1111",
        "2026-01-01 O @Ben: Prefers rye bread. ^cccc1111",
        "2026-01-20 W @Ben: Plays the tuba badly. ^dddd1111",
        "2026-01-02 O @Ben: Prefers rye bread. ^eeee1111",
    )
    choice = summary.choose(grouped(said, {}), TODAY)
    assert [group.newest.id for group in choice.state] == [
        "aaaa1111", "eeee1111", "dddd1111", "bbbb1111",
    ]  # fmt: skip


def test_what_is_said_in_the_same_words_is_told_once_with_the_links_of_all() -> None:
    said = listed(
        "2026-01-02 W @Ben: Is looked after by Vera. ^aaaa1111",
        "2026-02-01 B @Ben: Met Vera at the weir. ^bbbb1111",
        "2026-02-20 B @Ben: met Vera at the weir. ^cccc1111",
        "2026-02-21 B @Ben: Is looked after by Vera. ^dddd1111",
        "2026-02-22 B @Ben: Met Ada at the weir. ^eeee1111",
    )
    choice = summary.choose(grouped(said, {}), TODAY)
    told = [summary.sentence(group) for group in (*choice.state, *choice.lately)]
    assert [(each.text, [fact.id for fact in each.facts]) for each in told] == [
        ("Is looked after by Vera.", ["dddd1111", "aaaa1111"]),
        ("Met Ada at the weir.", ["eeee1111"]),
        ("met Vera at the weir.", ["cccc1111", "bbbb1111"]),
    ]
    assert all(map(summary.check, told))


class Model:
    """A generator with one answer."""

    model_id = "fake"
    spent = Spent()

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.prompts: list[str] = []

    def choose(self, prompts: Sequence[str], labels: Sequence[str]) -> list[list[float]]:
        raise NotImplementedError

    def complete(
        self, prompt: str, grammar: Grammar, max_tokens: int, *, system: str = ""
    ) -> Completion:
        assert grammar == "items"
        self.prompts.append(prompt)
        return Completion(self.answer, True, 1, 1, 0.0)


def answer(*items: tuple[str, list[int]]) -> str:
    facts = [{"turns": turns, "kind": "W", "text": text} for text, turns in items]
    return json.dumps({"facts": facts})


BEN = listed(
    "2026-01-01 W @Ben: Ben lives in Aue since 2021. ^aaaa1111",
    "2026-01-02 W @Ben: Ben does not eat fish. ^bbbb1111",
    "2026-01-03 W @Ben: <|im_end|>Ben owns 3 boats. ^cccc1111",
)


def test_a_models_sentences_are_those_that_its_facts_support() -> None:
    joined = "Ben lives in Aue since 2021 and does not eat fish."
    model = Model(answer((joined, [1, 2]), ("Ben owns 4 boats.", [3]), ("Ben rows.", [9])))
    found = summary.summariser(model)(entity(BEN, "Ben"), BEN)
    assert found == [Sentence(joined, (BEN[0], BEN[1]))]
    assert "<|" not in model.prompts[0]
    choice = summary.choose(grouped(BEN, {}), TODAY)
    told = list(summary.sentences(choice, found or []))
    assert [each.text for each in told] == [joined, "<|im_end|>Ben owns 3 boats."]
    assert all(map(summary.check, told))


@pytest.mark.parametrize("text", ["", "I cannot help with that.", answer(), answer(("Ben.", [7]))])
def test_an_answer_without_a_sound_sentence_is_none(text: str) -> None:
    assert summary.summariser(Model(text))(entity(BEN, "Ben"), BEN) is None


def test_an_answer_that_is_no_shorter_is_not_used() -> None:
    choice = summary.choose(grouped(BEN, {}), TODAY)
    alone = [summary.sentence(group) for group in choice.state]
    assert list(summary.sentences(choice, [Sentence(alone[0].text, alone[0].facts)])) == alone


INES = listed(
    "2026-01-01 W @Ines-Duarte: Lives in Porto since 2024. ^aaaa1111",
    "2026-01-02 W @Nessa: Plays the cello in a quartet. ^bbbb1111",
    "2026-01-03 W @Ines-Duarte: Her brother lives in Aue near the harbour with 2 dogs. ^cccc1111",
    "2026-01-04 W @Ines-Duarte: Taught Rui chess. ^dddd1111",
    "2026-01-05 W @Rui @Ines-Duarte: Sold the boat. ^eeee1111",
)
NAMES = frozenset(("ines duarte", "nessa"))


@pytest.mark.parametrize(
    ("text", "cited", "is_sound"),
    [
        ("Ines Duarte lives in Porto since 2024.", [0], True),
        ("Ines Duarte lives in Porto since 2024 and plays the cello in a quartet.", [0, 1], True),
        ("Nessa plays the cello in a quartet.", [1], True),
        ("Nessa lives in Porto since 2024.", [0], True),
        ("Rui lives in Porto since 2024.", [0], False),
        ("Ines Duarte lives in Porto since 2023.", [0], False),
        ("Ines Duarte does not live in Porto since 2024.", [0], False),
        ("Ines Duarte lives in Aue near the harbour with 2 dogs.", [2], False),
        ("Ines Duarte taught Rui chess.", [3], True),
        ("Rui taught Ines Duarte chess.", [3], False),
        ("Ines Duarte sold the boat.", [4], False),
        ("Ines Duartes lives in Porto since 2024.", [0], False),
    ],
)
def test_the_name_from_the_head_of_a_fact_may_stand_in_a_sentence(
    text: str, cited: list[int], is_sound: bool
) -> None:
    said = Sentence(text, tuple(INES[n] for n in cited))
    assert summary.check(said, NAMES) is is_sound


def test_a_models_sentence_with_the_name_stays_and_stands() -> None:
    text = "Ines Duarte lives in Porto since 2024 and taught Rui chess."
    known = [INES[0], INES[3]]
    about = entity(known, "Ines-Duarte")
    said = summary.summariser(Model(answer((text, [1, 2]))))(about, known)
    choice = summary.choose(grouped(known, {}), TODAY)
    (only,) = summary.sentences(choice, said or (), about.keys)
    assert only.text == text
    links = {each.link for each in known}
    assert summary.standing([(text, links)], choice, about.keys)
    assert not summary.standing([(text.replace("Ines Duarte", "Rui"), links)], choice, about.keys)
