import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.questions import Event, asks_what_happened, key, read


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("tell me about Peter", "peter"),
        ("Tell us everything about Dana-Whitfield.", "dana whitfield"),
        ("who is Peter Doe?", "peter doe"),
        ("Who's Peter", "peter"),
        ("what do you know about @Peter", "peter"),
        ("Peter", "peter"),
        ("was weißt du über Peter?", "peter"),
        ("erzähl mir von Peter", "peter"),
        ("wer ist Dana Whitfield", "dana whitfield"),
        ("¿Quién es Pedro?", "pedro"),
        ("háblame de Pedro", "pedro"),
        ("qui est Pierre ?", "pierre"),
        ("parle-moi de Pierre", "pierre"),
        ("quem é Pedro", "pedro"),
        ("chi è Pietro", "pietro"),
        ("谁是小明?", "小明"),
        ("小明是谁", "小明"),
        ("小明について教えて", "小明"),
    ],
)
def test_a_question_about_somebody_alone(text: str, subject: str) -> None:
    assert subject in read(text).subjects


def test_a_question_about_something_of_somebody_is_not_about_them_alone() -> None:
    assert "peter" not in read("tell me about Peter's boat").subjects
    assert "peter" not in read("where does Peter live").subjects


def test_several_subjects() -> None:
    assert {"peter", "dana"} <= set(read("tell me about Peter and Dana").subjects)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("where is peter's key", "peter"),
        ("where is Peter’s key", "peter"),
        ("wo ist Peters Schlüssel", "peter"),
        ("ask @Dana-Whitfield for it", "dana whitfield"),
        ("ask DANA WHITFIELD for it", "dana whitfield"),
        ("does van der Berg sail", "van der berg"),
        ("James' boat", "james"),
        ("what did Will say", "will"),
        ("小明喜欢什么", "小明"),
        ("does node.js run", "node.js"),
    ],
)
def test_names_are_found_in_any_spelling(text: str, name: str) -> None:
    assert name in read(text).names


def test_what_is_read_as_a_date_is_no_name() -> None:
    assert "may" not in read("what happened in May", "what happened in    ").names
    assert "may" in read("what did May say in May", "what did May say in    ").names
    assert "may" not in read("may I deploy").names
    assert "may" in read("tell me about May").subjects


@pytest.mark.parametrize(
    ("rest", "asked"),
    [
        ("what happened ", True), ("", True), ("what did I do ", True), ("was ist passiert", True),
        ("¿qué pasó ?", True), ("qu'est-ce qu'on a fait ", True), ("发生了什么", True),
        ("何があった", True), ("what did we buy ", False), ("meetings ", False),
        ("what did Ana do ", False), ("小明做了什么", False),
    ],
)  # fmt: skip
def test_what_happened_is_no_question_about_something(rest: str, asked: bool) -> None:
    assert asks_what_happened(rest) is asked


def test_words_that_say_nothing_are_no_names() -> None:
    assert read("what is it that I had to do").names == ()
    assert "will" not in read("what will it do").names


@pytest.mark.parametrize(
    "text",
    [
        "what does Peter prefer", "what is Peter's favourite tea", "does Peter like tea",
        "what do they think of the boat", "was mag Peter", "Peters Lieblingstee",
        "was trinkt er gern", "¿qué prefiere Pedro?", "qu'est-ce que Pierre préfère",
        "do que Ana gosta de comer",
        "cosa preferisce Pietro", "小明喜欢什么", "小明は何が好き",
        "Will's opinions", "what are Ana's tastes", "which tea would Peter choose",
        "what is her attitude towards risk", "what food can't Peter stand", "does he want a dog",
        "does the team value", "welchen Tee mag Peter", "trinkt er lieber Tee oder Kaffee",
        "wie findet Peter die Wohnung", "que pense Pierre du projet",
    ],
)  # fmt: skip
def test_opinion_wording(text: str) -> None:
    assert read(text).asks_opinion


@pytest.mark.parametrize(
    "text",
    [
        "where does Peter live",
        "what looks like a bug",
        "the deploy command",
        "was ist passiert",
        "what does the error look like",
        "does it look like rain",
        "what is it like",
        "does the config value exist",
        "what does the return value mean",
        "do we want a new sofa",
        "would you like me to deploy",
        "where is the preferences file",
        "does love hurt",
        "",
    ],
)
def test_no_opinion_wording(text: str) -> None:
    assert not read(text).asks_opinion


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("where did Peter live in Nov 2025", True),
        ("who was our landlord in 2023", True),
        ("wo wohnte Peter im November 2025", True),
        ("wer war 2023 unser Vermieter", True),
        ("dónde vivía Pedro en 2023", True),
        ("où habitait Pierre en 2023", True),
        ("onde morava Ana em 2023", True),
        ("dove viveva Pietro nel 2023", True),
        ("what did we decide in March", False),
        ("where does Peter live", False),
        ("what happened last week", False),
        ("who led the team in 2020", True),
        ("Peter's address as of March 2025", True),
        ("where was Peter employed in 2020", True),
        ("what did Peter do for a living in 2020", True),
        ("wie hieß der Hausmeister 2020", True),
        ("what was bought in April", False),
        ("which bugs were already fixed in March", False),
        ("what was going on in March", False),
        ("who was at the party last week", False),
        ("what did I have for lunch yesterday", False),
        ("what did Peter say about work in 2023", False),
        ("was war gestern los", False),
    ],
)
def test_a_state_at_a_time_is_another_question_than_what_happened(text: str, asked: bool) -> None:
    assert read(text).asks_state is asked


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("what have I bought since the move", Event("move", "since")),
        ("what changed after Peter's wedding", Event("Peter's wedding", "since")),
        ("who came before we moved", Event("moved", "until")),
        ("what broke during the storm", Event("storm", "around")),
        ("was gilt seit dem Umzug", Event("Umzug", "since")),
        ("qu'est-ce qui a changé depuis le déménagement", Event("déménagement", "since")),
        ("what happened since March", None),
        ("before it", None),
        ("since moving to Graz", Event("moving to Graz", "since")),
        ("since Peter moved to Graz", Event("Peter moved to Graz", "since")),
        ("what changed since the site was rewritten", Event("site was rewritten", "since")),
        ("seit wir umgezogen sind", Event("umgezogen sind", "since")),
        ("搬家之后买了什么", Event("搬家", "since")),
        ("who looks after the dog", None),
        ("after a while", None),
        ("before the weekend", None),
    ],
)
def test_a_time_told_by_an_event(text: str, event: Event | None) -> None:
    assert read(text).event == event


@pytest.mark.parametrize("name", ["Dana-Whitfield", "@dana-whitfield", "DANA  whitfield"])
def test_keys_compare_by_display_form(name: str) -> None:
    assert key(name) == "dana whitfield"


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_safe_and_bounded(text: str) -> None:
    found = read(text)
    assert len(found.names) < 5_000
    assert all(found.names)
