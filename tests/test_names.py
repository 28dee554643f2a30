import pytest

from hippod.extraction.names import entities


@pytest.mark.parametrize(
    ("sentence", "language", "expected"),
    [
        ("I use VS Code for the Osprey repo", "en", ("VS-Code", "Osprey")),
        ("we met Mr Tanaka and Dr. Weiss in Linz", "en", ("Tanaka", "Weiss", "Linz")),
        ("wir waren bei Dr. Weiss in Linz", "de", ("Weiss", "Linz")),
        ("la Sra. López vive en Oviedo", "es", ("López", "Oviedo")),
        ("the Mr is late", "en", ("Vera",)),
        ("I write all E-Mails with AI", "en", ("Vera",)),
        ("the Scheune-2026 plan is done", "en", ("Vera",)),
        ("我用VS Code写代码", "zh", ("VS-Code",)),
        ("私はGitHub ActionsとVS Codeを使います", "ja", ("GitHub-Actions", "VS-Code")),
        ("我的朋友叫李明", "zh", ("李明",)),
        ("安静的先生说不要吵", "zh", ("Vera",)),
        ("田中さんはリンツに住んでいます", "ja", ("田中",)),
        ("我的密码是[REDACTED]", "zh", ("Vera",)),
        ("我女儿思思每周去上课，跟林老师学画", "zh", ("思思", "林老师")),
        ("息子の蓮は今年から小学生", "ja", ("蓮",)),
        ("meine chefin heißt frau brandt", "de", ("Brandt",)),
        ("mi profesora se llama elvira", "es", ("Elvira",)),
    ],
)
def test_entities_are_whole_proper_names(
    sentence: str, language: str, expected: tuple[str, ...]
) -> None:
    assert entities(sentence, language, (), "Vera", first_person=False) == expected


def test_known_names_count_whatever_they_look_like() -> None:
    found = entities("李明用AI", "zh", ("李明", "AI"), "Vera", first_person=False)
    assert found == ("李明", "AI")
