import pytest

from hippod.extraction import wording
from hippod.language import guess


@pytest.mark.parametrize(
    ("said", "shifted"),
    [
        ("I live in Graz", "Vera lives in Graz"),
        ("I'm allergic to latex", "Vera is allergic to latex"),
        ("i dont eat meat", "Vera doesn't eat meat"),
        ("I've moved to Linz", "Vera has moved to Linz"),
        ("I'll be in Oslo in May", "Vera will be in Oslo in May"),
        ("I'd rather walk", "Vera would rather walk"),
        ("my sister runs the shop", "Vera's sister runs the shop"),
        ("I really hate noise", "Vera really hates noise"),
        ("I study law and work in a bar", "Vera studies law and works in a bar"),
        ("I teach, and my brother helps out", "Vera teaches, and their brother helps out"),
        ("I slept badly", "Vera slept badly"),
        ("I swept the attic", "Vera swept the attic"),
        ("I bind books", "Vera binds books"),
        ("I hate it when I'm on my phone", "Vera hates it when they are on their phone"),
        ("I moved my desk to the window", "Vera moved their desk to the window"),
        ("I carry the keys", "Vera carries the keys"),
        ("I bought a boat", "Vera bought a boat"),
        ("I can't swim", "Vera can't swim"),
    ],
)
def test_english_is_shifted_to_the_third_person(said: str, shifted: str) -> None:
    assert wording.third_person(said, "Vera") == shifted


@pytest.mark.parametrize(
    "said",
    ["we live in Graz", "I think you should know", "I put it there", "I hurt myself",
     "my sister Ilse has my dog", "moved my desk to the attic", "my brother helps me",
     "I have two cats and I feed them", "I quickly left",
     "let's use Go", "I and Ben met", "the shop is mine", "nobody is here"],
)  # fmt: skip
def test_what_cannot_be_shifted_safely_is_not(said: str) -> None:
    assert wording.third_person(said, "Vera") is None


@pytest.mark.parametrize(
    ("said", "language", "text"),
    [
        ("btw, the barn is dry", "en", "The barn is dry"),
        ("we use “tabs” here", "en", "Vera: \"we use 'tabs' here\""),
        ("never call before ten", "en", 'Vera: "never call before ten"'),
        ("remember that the gate sticks", "en", "The gate sticks"),
        ("I moved to Linz, keep that in mind please", "en", "Vera moved to Linz"),
        ("iOS builds need the old Xcode", "en", "iOS builds need the old Xcode"),
        ("merk dir: der Zaun ist neu", "de", 'Vera: "der Zaun ist neu"'),
        ("recuerda que vivo en Vigo", "es", 'Vera: "vivo en Vigo"'),
        ("请记住，我搬家了", "zh", 'Vera: "我搬家了"'),
    ],
)
def test_the_text_of_a_fact(said: str, language: str, text: str) -> None:
    assert wording.of_person(said, "Vera", language) == text


def test_pronouns_say_whom_they_are_about() -> None:
    assert wording.leading_pronoun("she loathes plums", "en")
    assert not wording.leading_pronoun("the cat sleeps", "en")
    text = wording.of_person("she loathes plums", "Vera", "en", about="Ilse")
    assert text == 'Vera about Ilse: "she loathes plums"'


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("I fixed the login page", "Fixed the login page"),
        ("Done, I've now moved the job to 3 am", "Moved the job to 3 am"),
        ("The job failed, I restarted it with more memory",
         "The job failed, Bot restarted it with more memory"),
    ],
)  # fmt: skip
def test_finished_work_loses_its_subject(said: str, text: str) -> None:
    assert wording.of_agent(said, "Bot", "en") == text


@pytest.mark.parametrize(
    "said", ["Я живу в Граце", "abito vicino al porto", "저는 그라츠에 살아요"]
)
def test_what_is_not_known_to_be_english_is_quoted(said: str) -> None:
    assert wording.of_person(said, "Vera", guess(said)) == f'Vera: "{said}"'


@pytest.mark.parametrize(
    ("said", "language", "stated"),
    [
        ("remember, it's damp in the archive", "en", "it's damp in the archive"),
        ("good to know: the ferry skips Sundays", "en", "the ferry skips Sundays"),
        ("note to self and to you: the printer eats labels", "en", "the printer eats labels"),
        ("note that in the README", "en", "note that in the README"),
        ("remember that in May we sail", "en", "in May we sail"),
        ("remember: no nuts, please and thank you", "en", "no nuts, please and thank you"),
        ("gut zu wissen: die Fähre fährt nicht", "de", "die Fähre fährt nicht"),
        ("then scrap that, the fair moves to Jan 12", "en", "the fair moves to Jan 12"),
        ("nee, stimmt nicht, die Messe ist im Mai", "de", "die Messe ist im Mai"),
        ("ay no, la feria es el martes", "es", "la feria es el martes"),
        ("en fait, la foire est mardi", "fr", "la foire est mardi"),
        ("não não, a feira é na terça", "pt", "a feira é na terça"),
        ("哦不对，展会在周五", "zh", "展会在周五"),
        ("訂正、集合は八時です", "ja", "集合は八時です"),
        ("correction: Tuesday", "en", "correction: Tuesday"),
    ],
)
def test_what_stands_around_a_statement_is_left_out(said: str, language: str, stated: str) -> None:
    assert wording.statement(said, language) == stated


@pytest.mark.parametrize(
    ("said", "language", "asks"),
    [
        ("note that in the README", "en", True),
        ("merk dir das für später", "de", True),
        ("anota eso en el README", "es", True),
        ("note-le", "fr", False),
        ("anota isso no README", "pt", True),
        ("remember that at Kim's nobody smokes", "en", False),
        ("remember: no onions", "en", False),
    ],
)
def test_what_asks_to_keep_something_said_before(said: str, language: str, asks: bool) -> None:
    assert wording.asks_to_keep_before(said, language) is asks


@pytest.mark.parametrize(
    ("said", "language", "dangles"),
    [
        ("God no, he never lends it", "en", True),
        ("most days, she cycles", "en", True),
        ("in winter, the canal freezes", "en", False),
        ("ils ont décalé la répétition au 12", "fr", False),
        ("ils ont deux chats", "fr", True),
    ],
)
def test_pronouns_that_nobody_explained(said: str, language: str, dangles: bool) -> None:
    body = wording.statement(said, language)
    assert wording.leading_pronoun(body, language) is dangles


@pytest.mark.parametrize(
    ("said", "language", "own"),
    [
        ("we picked the green one", "en", True),
        ("our shed leaks", "en", True),
        ("on part mardi", "fr", True),
        ("nous partons mardi", "fr", True),
        ("vendemos la barca", "es", True),
        ("por la noche no conduzco", "es", True),
        ("Pedro vive en Vigo", "es", False),
        ("moramos em Évora", "pt", True),
        ("the shed leaks", "en", False),
    ],
)
def test_the_author_belongs_to_what_is_told_of_them(said: str, language: str, own: bool) -> None:
    assert wording.needs_speaker(said, language) is own
