import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.extraction import support
from hippod.extraction.repetition import is_repeated, is_restated
from hippod.language import content_stems

FAST = settings(max_examples=100, deadline=None)

PARAPHRASES = [
    ("en", "Vera lives in Graz", "Vera has lived in Graz with Ben since 2019"),
    ("en", "Vera prefers tea over coffee", 'Vera: "I prefer tea over coffee"'),
    ("en", 'Vera: "the api answers on port 7443"', "The API gateway answers on port 7443."),
    ("en", "The deploy runs on Tuesdays at 10:00", "Deploys run every Tuesday at 10:00"),
    ("en", "Vera's sister Ilse runs a nursery", "Ilse, Vera's sister, runs a nursery in Linz"),
    ("en", "You told me that Vera lives in Graz", "Vera lives in Graz"),
    ("en", "As you mentioned, the pump needs 4 bar", "The pump needs 4 bar"),
    ("en", "Your rent is 900 euros", "Vera's rent is 900 euros a month"),
    ("en", "Vera wants short answers", 'Vera: "I want short answers, please"'),
    ("en", "Always reply in German", "Reply in German always."),
    ("en", "Vera works at Osprey", "Vera works for Osprey as a hydrologist"),
    ("en", "The barn was painted red", "They painted the barn red"),
    ("en", "Vera does not eat meat", "Vera doesn't eat meat"),
    ("de", "Vera wohnt in Graz", "Vera wohnt seit 2019 in Graz"),
    ("de", 'Vera: "ich mag keinen Fenchel"', "Vera mag keinen Fenchel"),
    ("de", "Wie du gesagt hast, läuft der Server auf Port 8443", "Der Server läuft auf Port 8443"),
    ("de", "Die Pumpe braucht 4 bar", "Die Pumpe im Keller braucht 4 bar Druck"),
    ("de", "Antworten immer auf Deutsch", "Immer auf Deutsch antworten"),
    ("es", "Ana vive en Sevilla", "Ana vive en Sevilla con su hermano"),
    ("es", 'Ana: "prefiero el té"', "Ana prefiere el té"),
    ("es", "El alquiler es de 900 euros", "El alquiler de Ana es de 900 euros"),
    ("fr", "Paul habite à Lyon", "Paul habite à Lyon depuis 2020"),
    ("fr", 'Paul : "je préfère le thé"', "Paul préfère le thé"),
    ("pt", "Joana mora no Porto", "A Joana mora no Porto desde 2020"),
    ("zh", "陈静住在成都", "陈静从2020年起住在成都"),
    ("zh", '陈静: "我住在成都"', "陈静住在成都"),
    ("ja", "田中さんは京都に住んでいる", "田中さんは2020年から京都に住んでいる"),
    ("ja", '田中: "コーヒーより紅茶が好きです"', "コーヒーより紅茶が好き"),
    ("en", "Tests should be run before each commit", "Run the tests before each commit"),
    ("en", "The user Vera prefers dark mode", "Vera prefers dark mode in editors"),
    ("en", "The kayak is in the shed", "The kayak is in the shed behind the house"),
    ("en", 'Vera (corrected): "the kayak is in the garage"', "The kayak is in the garage"),
    ("de", "Vera arbeitet bei Siemens", "Vera arbeitet seit März bei Siemens"),
    ("de", 'Vera: "wir ziehen im Mai nach Linz"', "Vera und Ben ziehen im Mai nach Linz"),
    (
        "en",
        "Lunch with Ilse is on Friday (2026-03-13)",
        "Lunch with Ilse is on Friday (2026-03-13) at noon",
    ),
    ("en", "Backups run at 3 am", "The backups run at 3 am every night"),
    ("es", "Ana trabaja en el hospital", "Ana trabaja en el hospital San Juan"),
    ("fr", "Le code est sur GitHub", "Le code du projet est sur GitHub"),
    (
        "en",
        "The heating is set to 21 degrees from October to April",
        "The heating is set to 21 degrees from October to April.",
    ),
]
"""Language, a new fact, and an earlier one that says it already."""

OTHERS = [
    ("en", "Vera lives in Linz", "Vera lives in Graz"),
    ("en", "Vera no longer lives in Graz", "Vera lives in Graz"),
    ("en", "Vera lives in Graz", "Vera no longer lives in Graz"),
    ("en", "Vera prefers coffee over tea", "Vera prefers tea over coffee"),
    ("en", "The deploy runs on Wednesdays at 10:00", "The deploy runs on Tuesdays at 10:00"),
    ("en", "The rent is 950 euros", "The rent is 900 euros"),
    ("en", "The barn was painted blue", "The barn was painted red"),
    ("en", "Vera started eating meat", "Vera stopped eating meat"),
    ("en", "Vera likes fennel", "Vera hates fennel"),
    ("en", "The backup runs before the deploy", "The backup runs after the deploy"),
    ("en", "The server is down", "The server is up"),
    ("en", "The meeting moved from Monday to Friday", "The meeting moved from Friday to Monday"),
    ("en", "Ben owes Vera 50 euros", "Vera owes Ben 50 euros"),
    ("en", "Vera is Ilse's boss", "Ilse is Vera's boss"),
    ("en", "The build uses Rust, not Go", "The build uses Go, not Rust"),
    ("en", "Vera sold the kayak", "Vera bought the kayak"),
    ("en", "The staging key expires in May", "The production key expires in May"),
    ("en", "Vera always flies to Oslo", "Vera never flies to Oslo"),
    ("en", "Nobody has the key of the shed", "Ben has the key of the shed"),
    ("en", "The window opens inwards", "The window opens outwards"),
    ("de", "Vera wohnt in Linz", "Vera wohnt in Graz"),
    ("de", "Vera mag Fenchel", "Vera mag keinen Fenchel"),
    ("de", "Die Pumpe braucht 6 bar", "Die Pumpe braucht 4 bar"),
    ("de", "Der Umzug ist vor dem Sommer", "Der Umzug ist nach dem Sommer"),
    ("es", "Ana ya no vive en Sevilla", "Ana vive en Sevilla"),
    ("es", "Ana vive en Cádiz", "Ana vive en Sevilla"),
    ("fr", "Paul n'habite plus à Lyon", "Paul habite à Lyon"),
    ("fr", "Paul préfère le café", "Paul préfère le thé"),
    ("pt", "Joana não come carne", "Joana come carne"),
    ("pt", "Joana mora em Braga", "Joana mora no Porto"),
    ("zh", "陈静不住在成都", "陈静住在成都"),
    ("zh", "陈静住在重庆", "陈静住在成都"),
    ("ja", "田中さんは大阪に住んでいる", "田中さんは京都に住んでいる"),
    ("ja", "紅茶よりコーヒーが好き", "コーヒーより紅茶が好き"),
    ("en", "Vera lives in Graz with her brother", "Vera lives in Graz"),
    ("en", "Vera might move to Graz", "Vera moves to Graz"),
    ("en", "Ben lives in Graz", "Vera lives in Graz with Ben"),
    ("fr", "Paul ne mange pas de viande", "Paul mange de la viande"),
    ("fr", "Paul mange de la viande", "Paul ne mange pas de viande"),
    ("es", "Ana no come nada dulce", "Ana come dulce"),
    ("es", "Ana come dulce", "Ana no come nada dulce"),
    ("pt", "Joana não bebe nada", "Joana bebe"),
    ("fr", "Paul ne boit plus de café", "Paul boit du café"),
    ("en", 'Vera: "I live in Graz"', "Ben lives in Graz"),
    ("zh", '陈静: "我住在成都"', "王伟住在成都"),
    ("en", "Vera prefers tea", "Vera prefers coffee over tea"),
    (
        "en",
        "Lunch with Ilse is on Friday (2026-03-13)",
        "Lunch with Ilse is on Friday (2026-03-20)",
    ),
    ("en", "The lamp is off", "The lamp is on"),
    ("de", "Die Heizung ist aus", "Die Heizung ist an"),
    ("en", "Ilse is Vera's aunt", "Vera's aunt is Olga"),
    ("en", "The red kayak leaks", "The blue kayak leaks"),
    ("en", "Vera drives to work in winter", "Vera cycles to work in winter"),
    ("en", "Vera is older than Ben", "Ben is older than Vera"),
    ("de", "Ben ist älter als Vera", "Vera ist älter als Ben"),
    ("es", "Ana prefiere el café al té", "Ana prefiere el té al café"),
    ("fr", "Paul préfère le café au thé", "Paul préfère le thé au café"),
    ("pt", "Joana prefere café a chá", "Joana prefere chá a café"),
    ("zh", "她喜欢咖啡胜过茶", "她喜欢茶胜过咖啡"),
    ("en", "The flight goes from Oslo to Bergen", "The flight goes from Bergen to Oslo"),
    ("en", "Vera will not move in May", "Vera will move in May"),
    ("en", "The window opens", "The window opens without the key"),
]
"""Language, a new fact, and an earlier one that says something else, or less."""


@pytest.mark.parametrize(("language", "fact", "earlier"), PARAPHRASES)
def test_a_paraphrase_is_a_repetition(language: str, fact: str, earlier: str) -> None:
    assert is_repeated(fact, earlier, language)


@pytest.mark.parametrize(("language", "fact", "earlier"), OTHERS)
def test_a_contradiction_is_none(language: str, fact: str, earlier: str) -> None:
    assert not is_repeated(fact, earlier, language)


@pytest.mark.parametrize(
    ("fact", "earlier", "repeated"),
    [
        ("The api gateway answers on port 7443", "the API gateway answers on port 7443.", True),
        ("The gateway no longer answers on port 7443", "The gateway answers on port 7443", False),
        ("The gateway answers on port 7444", "The gateway answers on port 7443", False),
        ("Vera lives in Graz", "Vera has lived in Graz with Ben", True),
        ("Vera lives in Graz with her brother Ben", "Vera lives in Graz", False),
        ("The site runs on Hugo", "The site runs on Astro", False),
        ("Ilse turns 40 on Friday (2026-03-13)", "Ilse turns 40 on Friday (2026-03-20)", False),
        ('Vera: "we deploy on Tuesdays"', 'Vera: "we deploy on Tuesdays"', True),
    ],
)
def test_paraphrases_repeat_and_contradictions_do_not(
    fact: str, earlier: str, repeated: bool
) -> None:
    assert is_repeated(fact, earlier, "en") is repeated


@given(st.text(min_size=1, max_size=100))
@FAST
def test_a_fact_with_words_repeats_itself(text: str) -> None:
    if content_stems(support.without_dates(text), "en") and support.quotation(text) is None:
        assert is_repeated(text, text, "en")


@pytest.mark.parametrize(
    ("fact", "earlier"),
    [
        ("The red kayak is in the shed.", "The blue kayak is in the shed."),
        ("Their sister lives in Bergen.", "Their brother lives in Bergen."),
        (
            "The staging database is backed up at night.",
            "The production database is backed up at night.",
        ),
    ],
)
def test_one_word_for_another_is_another_fact(fact: str, earlier: str) -> None:
    assert not is_repeated(fact, earlier, "en")


@pytest.mark.parametrize(
    ("fact", "earlier", "repeated"),
    [
        ("Client 1 wrote sentence 2", "Client 2 wrote sentence 1", False),
        ("Client 1 wrote sentence 1", "Client 1 wrote sentence 2", False),
        ("2 of 3 boats leak", "3 of 2 boats leak", False),
        ("The ride lasts 3 days and 5 hours", "The ride lasts 5 days and 3 hours", False),
        ("Vera lent Ben 50 euros on 3 May", "Vera lent Ben 3 euros on 50 May", False),
        ("Vera lent Ben 50 euros on 3 May", "On 3 May Vera lent Ben 50 euros", True),
    ],
)
def test_a_number_in_the_place_of_another_is_another_fact(
    fact: str, earlier: str, *, repeated: bool
) -> None:
    assert is_repeated(fact, earlier, "en") is repeated


def test_restated_means_in_the_same_order() -> None:
    assert is_restated("I take cocoa over coffee.", "I take cocoa over coffee!", "en")
    assert not is_restated("I take coffee over cocoa.", "I take cocoa over coffee.", "en")
