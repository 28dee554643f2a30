import pytest

from hippod.extraction.names import entities, is_person, mentioned


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
        ("Bruna weighs every parcel", "en", ("Bruna",)),
        ("Jonas, my eldest, collects stamps", "en", ("Jonas",)),
        ("Jonas, mein Ältester, sammelt Marken", "de", ("Jonas",)),
        ("Otília confere cada caixa", "pt", ("Otília",)),
        ("Otilia revisa cada caja", "es", ("Otilia",)),
        ("Odile vérifie chaque caisse", "fr", ("Odile",)),
        ("So, the parcel is ready, I leave now", "en", ("Vera",)),
        ("Rice needs a rinse", "en", ("Vera",)),
        ("Tax forms need a stamp", "en", ("Vera",)),
        ("Milch kommt freitags", "de", ("Vera",)),
        ("lock it AND bolt it", "en", ("Vera",)),
        ("das NICHT in die Sonne stellen", "de", ("Vera",)),
        ("the ferry leaves from pier C with 5 L of oil", "en", ("Vera",)),
        ("custa R$ 40", "pt", ("Vera",)),
        ("we took her to the A&E", "en", ("A-E",)),
        ("ficamos na Cruz de Prata", "pt", ("Cruz-de-Prata",)),
        ("la casa de Marta en Vigo", "es", ("Marta", "Vigo")),
        ("on déjeune chez Le Gall", "fr", ("Le-Gall",)),
        ("we buy it from Kent & Sons", "en", ("Kent-Sons",)),
        ("we asked the Reverend", "en", ("Vera",)),
        ("旦那さんは酒を飲まない", "ja", ("Vera",)),
        ("我表哥一家在种茶", "zh", ("Vera",)),
    ],
)
def test_entities_are_whole_proper_names(
    sentence: str, language: str, expected: tuple[str, ...]
) -> None:
    assert entities(sentence, language, (), "Vera", first_person=False) == expected


def test_known_names_count_whatever_they_look_like() -> None:
    found = entities("李明用AI", "zh", ("李明", "AI"), "Vera", first_person=False)
    assert found == ("李明", "AI")


def test_known_names_that_are_none_are_left_out() -> None:
    known = ("Reverend", "Mrs-X", "AND", "C", "Pier-C")
    found = entities("the Reverend and Mrs X wait at pier C", "en", known, "V", first_person=False)
    assert found == ("Pier-C",)
    titled = entities("Mrs Brill has the ladder", "en", ("Mrs Brill",), "V", first_person=False)
    assert titled == ("Brill",)


def test_only_within_a_sentence_a_capital_shows_a_name() -> None:
    assert mentioned("Harold met Bruna in Kiel", "en") == ["Bruna", "Kiel"]
    assert mentioned("Bruna is late", "en") == []


@pytest.mark.parametrize(
    ("name", "sentence", "language", "person"),
    [
        ("Ilse", "my niece Ilse starts school", "en", True),
        ("Jonas", "Jonas, our youngest, is ill", "en", True),
        ("Tove", "Tove lives in Kiel", "en", True),
        ("Kiel", "Tove lives in Kiel", "en", False),
        ("Porto", "we moved to Porto", "en", False),
        ("Bello", "unser Hund Bello ist alt", "de", True),
        ("Marcel", "on répète chez Marcel", "fr", False),
        ("Odile", "ma sœur Odile arrive", "fr", True),
        ("朵朵", "我女儿朵朵每周学琴", "zh", True),
    ],
)
def test_whether_a_name_is_a_persons(name: str, sentence: str, language: str, person: bool) -> None:
    assert is_person(name, sentence, language) is person
