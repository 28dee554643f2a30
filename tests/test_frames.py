from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from hippod.extraction.selection import extract
from hippod.transcripts.turns import Turn

MONDAY = datetime(2026, 3, 9, 9, tzinfo=UTC)


def kept(*said: str, context: int = 0) -> list[str]:
    """Return the ids of the turns that make facts; what begins with `> ` is the agent's."""
    turns = [
        Turn(
            f"t{n}",
            f"k{n}",
            "assistant" if text.startswith("> ") else "user",
            None,
            text.removeprefix("> "),
            MONDAY + timedelta(minutes=n),
            n,
        )
        for n, text in enumerate(said, 1)
    ]
    found = extract(
        turns[context:],
        context=turns[:context],
        user="Vera",
        agent="Bot",
        zone=ZoneInfo("Europe/Vienna"),
    )
    return [fact.turn.id for fact in found.facts]


@pytest.mark.parametrize(
    ("opening", "inside", "leaving"),
    [
        (
            "let's pretend: you are the harbour master, i am a smuggler",
            "i hate daylight and i always sleep in a barrel",
            "ok back to real life. I hate lukewarm tea",
        ),
        (
            "you are the dragon now",
            "I always demand three sheep before breakfast",
            "end of scene. We decided to cancel the gym from April",
        ),
        (
            "du bist die Zollbeamtin, ich bin ein Schmuggler aus Riga",
            "ich hasse Tageslicht und schlafe immer im Fass",
            "Schluss mit dem Spiel. Ich hasse lauwarmen Tee",
        ),
        (
            "yo soy el contrabandista y tú la aduanera",
            "odio la luz del día y siempre duermo en un barril",
            "volvamos a la vida real. Odio el té tibio",
        ),
        (
            "on fait comme si : je suis le contrebandier et toi la douanière",
            "je déteste la lumière et je dors toujours dans un tonneau",
            "on arrête. Je déteste le thé tiède",
        ),
        (
            "vamos brincar de teatro: eu sou o contrabandista e você a fiscal",
            "eu odeio a luz do dia e sempre durmo num barril",
            "fim da brincadeira. Eu odeio chá morno",
        ),
        (
            "我们来角色扮演，你是海关官员，我是走私贩",
            "我讨厌阳光，我总是睡在木桶里",
            "先停一下。我讨厌温茶",
        ),
        (
            "あなたは税関の役人、私は密輸商人のロールプレイをしよう",
            "私は日光が嫌いで、いつも樽の中で寝ます",
            "ゲームはここまで。私はぬるいお茶が嫌いです",
        ),
    ],
)
def test_what_is_said_in_a_role_is_no_fact_and_what_follows_it_is(
    opening: str, inside: str, leaving: str
) -> None:
    assert kept(opening, "> Halt!", inside, "> Hm.", leaving) == ["t5"]


def test_a_role_is_taken_up_again() -> None:
    found = kept(
        "you're the captain, i'm the cook who hates salt",
        "pause. i hate early meetings",
        "back to the game",
        "i hate pirates and i always carry a spoon",
    )
    assert found == ["t2"]


def test_an_aside_belongs_to_real_life() -> None:
    found = kept(
        "you're the captain, i'm the cook who hates salt",
        "i always sleep below the stove. btw I hate long answers",
        "i hate the sea and i always have",
    )
    assert found == ["t2"]


@pytest.mark.parametrize(
    "said",
    [
        "our theatre group meets every Thursday, I play a half-blind witch",
        "Let's play tennis with Ines every Saturday at nine",
        "Im Verein spiele ich seit Jahren den König, ich hasse die Krone",
        "在剧团我每周四演国王，我讨厌那顶皇冠",
    ],
)
def test_who_speaks_about_a_hobby_plays_no_role(said: str) -> None:
    assert "t3" in kept(said, "> Nice.", "I hate phone calls before nine")


def test_made_up_data_ends_with_its_turn() -> None:
    found = kept(
        "here is the test user: Ada Quill hates rain and always lives in Graz",
        "> Thanks.",
        "I hate phone calls before nine",
    )
    assert found == ["t3"]


def test_a_game_goes_on_in_the_next_batch() -> None:
    said = ("you're the captain, i'm the cook who hates salt", "> Aye!", "i always hate the sea")
    assert kept(*said, context=2) == []
