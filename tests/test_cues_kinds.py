import pytest

from hippod.extraction import cues


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("no folding beds for me", "en"),
        ("campsites never, she panics", "en"),
        ("prices always gross", "en"),
        ("answer me in short paragraphs", "en"),
        ("my boss hates noise, so never call after nine", "en"),
        ("bitte keine Lilien auf dem Tisch für mich", "de"),
        ("pas de tulipes dans mon bureau", "fr"),
        ("nada de mayonesa en los bocadillos", "es"),
        ("aspargos nem pensar", "pt"),
        ("地下室は無理", "ja"),
        ("不要香菜", "zh"),
    ],
)
def test_wishes_of_the_speaker(said: str, language: str) -> None:
    assert cues.score(said, "user", language).kind == "O"


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("my boss hates noise", "en"),
        ("Otis prefers the red ink", "en"),
        ("meine Chefin hasst Verspätungen", "de"),
        ("mi suegra odia el cilantro", "es"),
        ("ma voisine déteste le bruit", "fr"),
        ("minha vizinha odeia barulho", "pt"),
        ("我老公不吃香菜", "zh"),
        ("妻は刺身が苦手です", "ja"),
        ("升级以后必须重启服务，否则会报错", "zh"),
        ("no tents then, we agreed on the hostel", "en"),
        ("the shop always closes at six", "en"),
        ("the scanner drops a page whenever I use the tray", "en"),
        ("note to self and to you: the scanner drops a page whenever I use the tray", "en"),
        ("don't forget that Mrs Brill has the only ladder and is away every Whitsun", "en"),
    ],
)
def test_what_is_no_wish_of_the_speaker(said: str, language: str) -> None:
    assert cues.score(said, "user", language).kind != "O"
