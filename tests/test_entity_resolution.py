"""Who is who: names are one where spelling, pages or plain statements say so, never by likeness."""

import itertools
import random
import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippod.facts import parse_bullet
from hippod.reflection.entities import Entities, Page, read_page, resolve
from hippod.reflection.known import KnownFact, known

DAY = date(2026, 3, 3)


def said(*bullets: str, day: date = DAY) -> list[KnownFact]:
    found = []
    for number, bullet in enumerate(bullets, 1):
        fact = parse_bullet(f"- W {bullet}")
        assert fact is not None, bullet
        found.append(known(day, fact, f"memory/{day}.md", number, number))
    return found


def counts(who: Entities) -> dict[str, int]:
    return {entity.name: len(entity.facts) for entity in who.all}


def groups(*bullets: str, pages: tuple[Page, ...] = ()) -> dict[str, int]:
    return counts(resolve(said(*bullets), pages))


def suggested(*bullets: str) -> dict[tuple[str, str], str]:
    return {each.names: each.reason for each in resolve(said(*bullets), ()).candidates}


def page(entity: str, *aliases: str, others: tuple[str, ...] = ()) -> Page:
    return Page(f"bank/entities/{entity}.md", entity, aliases, others)


# -- spelling --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Rowan", "rowan"),
        ("Ida-Holm", "ida_holm"),
        ("Ｉｄａ", "Ida"),
        ("Jose\u0301", "Jos\u00e9"),
        ("Straße", "STRASSE"),
        ("Ida.", "Ida"),
        ("nil\u200ds", "nils"),
    ],
)
def test_spellings_of_one_name_are_one_entity(one: str, other: str) -> None:
    who = resolve(said(f"@{one}: Rows.", f"@{other}: Sails."), ())
    assert len(who.all) == 1
    assert len(who.all[0].facts) == 2
    assert who.candidates == ()


def test_the_most_frequent_spelling_is_the_name() -> None:
    assert list(groups("@ida: Rows.", "@Ida: Sails.", "@Ida: Sings.")) == ["Ida"]
    assert list(groups("@ida: Rows.", "@Ida: Sails.")) == ["ida"]
    assert list(groups("@ida: Rows.", pages=(page("IDA"),))) == ["IDA"]


def test_a_fact_belongs_to_its_heads_once() -> None:
    facts = said("@Ida @ida @Bo: Met @Cleo.")
    who = resolve(facts, ())
    assert [entity.name for entity in who.of(facts[0])] == ["Ida", "Bo"]
    assert who.named("Cleo") is None


def test_facts_stand_in_the_order_of_their_days() -> None:
    late, early = said("@Ida: Late.", day=date(2026, 3, 9)), said("@Ida: Early.", day=DAY)
    (ida,) = resolve([*late, *early], ()).all
    assert [fact.fact.content for fact in ida.facts] == ["Early.", "Late."]


# -- pages -----------------------------------------------------------------------------------------


def test_an_alias_of_a_page_is_its_entity() -> None:
    who = resolve(said("@Ida: Rows.", "@The-Captain: Sails."), [page("Ida", "The-Captain")])
    assert counts(who) == {"Ida": 2}
    assert who.named("the captain") is who.all[0]
    assert who.all[0].keys == {"ida", "the captain"}
    assert who.all[0].path == "bank/entities/Ida.md"
    assert who.learned == ()


def test_an_alias_of_two_pages_links_to_none_and_is_reported() -> None:
    pages = [page("Anna-Vogt", "AV"), page("Antivirus", "AV")]
    who = resolve(said("@AV: Flagged the build.", "@Antivirus: Runs nightly."), pages)
    assert counts(who) == {"Anna-Vogt": 0, "Antivirus": 1}
    assert [(each.name, each.entities) for each in who.ambiguous] == [
        ("AV", ("Anna-Vogt", "Antivirus"))
    ]
    assert who.named("AV") is None
    assert "av" not in who.named("Antivirus").keys  # type: ignore[union-attr]


def test_a_name_with_a_page_of_its_own_is_that_page() -> None:
    who = resolve(said("@Bo: Rows."), [page("Ida", "Bo"), page("Bo")])
    assert counts(who) == {"Bo": 1, "Ida": 0}
    assert [each.names for each in who.candidates] == [("Ida", "Bo")]


def test_what_stands_under_not_goes_before_all_else() -> None:
    denied = page("Ida", "Bo", others=("Bo",))
    assert groups("@Ida: Rows.", "@Bo: Sails.", pages=(denied,)) == {"Bo": 1, "Ida": 1}
    assert groups(
        "@Ida: Everyone calls her Bo.", "@Bo: Sails.", pages=(page("Bo", others=("Ida",)),)
    ) == {"Bo": 1, "Ida": 1}
    who = resolve(said("@Node.js: A.", "@nodejs: B."), [page("Node.js", others=("nodejs",))])
    assert who.candidates == ()


def test_an_alias_that_one_page_denies_is_the_others() -> None:
    pages = (page("Anna-Vogt", "AV"), page("Antivirus", "AV", others=("AV",)))
    assert groups("@AV: Paints.", pages=pages) == {"Anna-Vogt": 1, "Antivirus": 0}


def test_a_page_is_read_by_its_front_matter_or_its_file_name() -> None:
    path = "bank/entities/Ida-Holm.md"
    assert read_page(path, "---\nentity: Ida\naliases: [Captain]\nnot: Bo\n---\n") == Page(
        path, "Ida", ("Captain",), ("Bo",)
    )
    assert read_page(path, "# Ida\n") == Page(path, "Ida-Holm")
    assert read_page("context/Ida-Holm.md", "# Ida\n") is None
    assert read_page(path, "---\naliases: [Yes, NO, null, 007]\n---\n") == Page(
        path, "Ida-Holm", ("Yes", "NO", "null", "007")
    )


def test_of_two_pages_of_one_entity_both_say_who_it_is() -> None:
    two = [Page("bank/entities/b.md", "ida", ("Bo",)), Page("bank/entities/a.md", "Ida", ("Cleo",))]
    who = resolve(said("@Bo: Rows.", "@Cleo: Sails."), two)
    assert counts(who) == {"Ida": 2}
    assert who.doubled == ("bank/entities/b.md",)


# -- possessives -----------------------------------------------------------------------------------


def test_a_possessive_is_its_owner_where_every_fact_shows_it() -> None:
    owner = "@Ida: Rows."
    assert groups(owner, "@Idas: Ida's boat leaks.", "@Idas: Sold Ida’s boat.") == {"Ida": 3}
    assert groups(owner, "@Idas: Ida's boat leaks.", "@Idas: Idas sails.") == {"Ida": 1, "Idas": 2}
    assert groups(owner, "@Idas: The boat leaks.") == {"Ida": 1, "Idas": 1}
    assert groups("@Idas: Ida's boat leaks.") == {"Idas": 1}
    assert groups(owner, "@Idas: Ida's boat.", pages=(page("Idas"),)) == {"Ida": 1, "Idas": 1}


def test_possessives_of_an_alias_and_of_full_names() -> None:
    assert groups("@Captains: The Captain's boat.", pages=(page("Ida", "Captain"),)) == {"Ida": 1}
    assert groups("@Ida-Holm: Rows.", "@Ida-Holms: Ida Holm's boat.") == {"Ida-Holm": 2}


# -- statements ------------------------------------------------------------------------------------

STATED = [
    "@Jonas: Jonas, also known as Joni, plays the cello.",
    "@Jonas: Jonas (a.k.a. Joni) plays.",
    "@Jonas: Jonas (aka Joni) plays.",
    "@Jonas: Goes by Joni at work.",
    "@Jonas: Jonas goes by the name of Joni.",
    "@Jonas: Everyone calls him Joni.",
    "@Jonas: His friends call him Joni.",
    "@Jonas: Plays in the orchestra; everybody calls him Joni.",
    "@Jonas: Everyone calls Jonas Joni.",
    "@Jonas: Also goes by Joni.",
    "@Jonas: Is known to his friends as Joni.",
    "@Jonas: Jonas is also called Joni.",
    "@Jonas: Is called Joni by everyone.",
    "@Jonas: Likes to be called Joni.",
    "@Jonas: Wird im Team Joni genannt.",
    "@Jonas: His nickname is Joni.",
    "@Jonas: Jonas's nickname is “Joni”.",
    "@Jonas @Joni: Joni is short for Jonas.",
    "@Jonas: Joni is a nickname for Jonas.",
    "@Jonas: Jonas, nicknamed Joni, plays.",
    "@Jonas: Jonas Wik, better known as Joni, plays.",
    "@Jonas: Alle nennen ihn Joni.",
    "@Jonas: Jonas wird von allen Joni genannt.",
    "@Jonas: Jonas, auch Joni genannt, spielt.",
    "@Jonas: Sein Spitzname ist Joni.",
    "@Jonas: Jonas ist auch bekannt als Joni.",
    "@Jonas: Todos lo llaman Joni.",
    "@Jonas: Jonas, también conocido como Joni, toca.",
    "@Jonas: Tout le monde l'appelle Joni.",
    "@Jonas: Jonas est aussi connu sous le nom de Joni.",
    "@Jonas: Tutti lo chiamano Joni.",
    "@Jonas: Todos o chamam de Joni.",
]


@pytest.mark.parametrize("bullet", STATED)
def test_what_a_fact_states_is_learned(bullet: str) -> None:
    who = resolve(said(bullet, "@Joni: Owns two cats."), ())
    jonas = who.named("Jonas")
    assert jonas is not None
    assert jonas is who.named("Joni")
    assert jonas.name == "Jonas"
    assert [(each.entity, each.alias, each.fact.id) for each in who.learned] == [
        ("Jonas", "Joni", said(bullet)[0].id)
    ]


APPOSED = [
    "Ines, also known as Nini, plays chess.",
    "Agnes, a.k.a. Nini, plays chess.",
    "Chris (also known as Nini) plays chess.",
    "Mathis, nicknamed Nini, plays chess.",
    "Ines, who goes by Nini, plays chess.",
    "Ines, whom everyone calls Nini, plays chess.",
    "Ines, or Nini for short, plays chess.",
    "Ines, called Nini, plays chess.",
    "Ines, auch bekannt als Nini, spielt Schach.",
    "Ines, genannt Nini, spielt Schach.",
    "Ines, die alle Nini nennen, spielt Schach.",
    "Ines, von allen Nini genannt, spielt Schach.",
    "Ines (Spitzname: Nini) spielt Schach.",
    "Ines, también conocida como Nini, juega al ajedrez.",
    "Ines, a la que todos llaman Nini, juega al ajedrez.",
    "Ines, dite Nini, joue aux échecs.",
    "Ines, que tout le monde appelle Nini, joue aux échecs.",
    "Ines, detta Nini, gioca a scacchi.",
    "Ines, conosciuta anche come Nini, gioca a scacchi.",
    "Ines, também conhecida como Nini, joga xadrez.",
    "Ines, que todos chamam de Nini, joga xadrez.",
]


@pytest.mark.parametrize("content", APPOSED)
def test_what_stands_between_two_commas_is_learned(content: str) -> None:
    name = content.replace(",", " ").split()[0]
    for head in (name, f"{name}-Holm"):
        (learned,) = resolve(said(f"@{head}: {content}"), ()).learned
        assert (learned.entity, learned.alias) == (head, "Nini")


@pytest.mark.parametrize(
    "content",
    [
        "Ines, called off, was the plan.",
        "Her dog, called Rex, barks.",
        "Ines, not called Nini, plays chess.",
        "Ines, called Nini by nobody, plays chess.",
        "Ihr Hund, genannt Rex, bellt.",
        "Ines and Bo, called Nini, play chess.",
        "If Ines, called Nini, plays chess, she wins.",
        "Ines, nennen wir es Nini, spielt Schach.",
    ],
)
def test_what_is_said_of_somebody_else_between_commas_is_not_learned(content: str) -> None:
    assert resolve(said(f"@Ines: {content}", "@Bo: Rows."), ()).learned == ()


NOT_STATED = [
    "@Jonas: Is not also known as Joni.",
    "@Jonas: Nobody calls him Joni.",
    "@Jonas: He hates it if everyone calls him Joni.",
    "@Jonas: Might go by Joni some day.",
    "@Jonas: Is he also known as Joni?",
    "@Jonas: Goes by train; met Joni there.",
    "@Jonas: Goes by Joni on Fridays to see the boats.",
    "@Jonas: His brother goes by Joni.",
    "@Jonas: Lives with his brother; everyone calls him Joni.",
    "@Jonas @Mia: Everyone calls her Joni.",
    "@Jonas: Calls Joni every week.",
    "@Jonas: Friends call Joni Monday nights.",
    "@Jonas: Joni and Jonas met in short form for a chat.",
    "@Jonas: Wird nicht Joni genannt.",
    "@Jonas: They call her Joni at the office.",
    "@Jonas: We call it Joni.",
    "@Jonas @Mia: Mia and Jonas, also known as Joni, row.",
    "@Jonas: Thinks everyone calls him Joni.",
    "@Jonas: Niemand nennt ihn Joni.",
    "@Jonas: Lives in the part of town known as Joni.",
    "@Jonas: His boat is also called Joni.",
    "@Jonas: Is called Joni Wik's heir.",
    "@Jonas: Does not like to be called Joni.",
    "@Jonas: Is not known as Joni.",
    "@Jonas-Wik: Everyone calls Jonas Falk Joni.",
]


@pytest.mark.parametrize("bullet", NOT_STATED)
def test_what_no_fact_states_plainly_is_not_learned(bullet: str) -> None:
    who = resolve(said(bullet, "@Joni: Owns two cats.", "@Mia: Rows."), ())
    assert who.learned == ()
    assert who.named("Jonas") is not who.named("Joni")


def test_what_anybody_may_be_called_is_no_alias() -> None:
    assert resolve(said("@Jonas: Everyone calls him Boss."), ()).learned == ()


def test_a_name_that_facts_give_to_two_stays_one_of_its_own() -> None:
    who = resolve(
        said("@Jonas: Everyone calls him Jo.", "@Joanna: Everyone calls her Jo.", "@Jo: Rows."), ()
    )
    assert counts(who) == {"Jo": 1, "Joanna": 1, "Jonas": 1}
    assert [(each.name, each.entities) for each in who.ambiguous] == [("Jo", ("Joanna", "Jonas"))]


def test_two_full_names_of_one_first_name_are_never_joined() -> None:
    bullets = (
        "@Dana-Whitfield: Dana Whitfield, also known as Dana Brown, rows.",
        "@Dana-Brown: X.",
    )
    assert len(groups(*bullets)) == 2
    assert ("Dana-Whitfield", "Dana-Brown") in suggested(*bullets)


def test_a_first_name_is_nobodys_where_two_full_names_begin_with_it() -> None:
    stated = "@Dana-Whitfield: Everyone calls her Dana."
    assert groups(stated, "@Dana: Rows.") == {"Dana-Whitfield": 2}
    both = (stated, "@Dana: Rows.", "@Dana-Brown: Sails.")
    assert groups(*both) == {"Dana": 1, "Dana-Brown": 1, "Dana-Whitfield": 1}
    assert resolve(said(*both), ()).ambiguous[0].entities == ("Dana-Brown", "Dana-Whitfield")


def test_a_statement_does_not_join_two_pages() -> None:
    who = resolve(said("@Jonas: Everyone calls him Joni."), [page("Jonas"), page("Joni")])
    assert len(who.all) == 2
    assert [each.names for each in who.candidates] == [("Jonas", "Joni")]


def test_a_page_decides_whose_its_names_are_whatever_a_fact_says() -> None:
    for read in (page("Joni"), page("Mia", "Joni")):
        who = resolve(said("@Jonas: Everyone calls him Joni."), [read])
        assert counts(who) == {read.entity: 0, "Jonas": 1}
        assert [each.names for each in who.candidates] == [("Jonas", read.entity)]


def test_a_first_name_is_not_given_to_another_while_a_full_name_begins_with_it() -> None:
    bullets = ("@Whitfield: Everyone calls her Dana.", "@Dana: Rows.", "@Dana-Brown: Sails.")
    assert groups(*bullets) == {"Dana": 1, "Dana-Brown": 1, "Whitfield": 1}


def test_names_are_joined_in_a_row() -> None:
    bullets = (
        "@Jonas: Everyone calls him Joni.",
        "@Joni: Everyone calls him Jojo.",
        "@Jojo: Rows.",
    )
    assert groups(*bullets) == {"Jonas": 3}


# -- likeness --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (("Node.js", "nodejs"), "dots"),
        (("Node.js", "node-js"), "dots"),
        (("がき", "かき"), "accents"),
        (("Dana", "Dana-Whitfield"), "only full name"),
        (("P-Falk", "Peter-Falk"), "short for"),
        (("PF", "Peter-Falk"), "short for"),
        (("Whitfield", "Whitfeild"), "one letter"),
        (("Kubernetes", "Kubernets"), "one letter"),
    ],
)
def test_names_that_look_alike_are_suggested_and_not_joined(
    names: tuple[str, str], reason: str
) -> None:
    bullets = [f"@{name}: Says something." for name in names]
    assert len(groups(*bullets)) == 2
    found = suggested(*bullets)
    assert [set(pair) for pair in found] == [set(names)]
    assert reason in next(iter(found.values()))


@pytest.mark.parametrize(
    "names",
    [
        ("Anna", "Anne"),
        ("Project-1", "Project-2"),
        ("iPhone-14", "iPhone-15"),
        ("Dana-Whitfield", "Dana-Brown"),
        ("Berlin", "Vienna"),
        ("PF", "PG"),
    ],
)
def test_names_that_only_resemble_are_left_in_peace(names: tuple[str, str]) -> None:
    assert suggested(*(f"@{name}: Says something." for name in names)) == {}


def test_a_first_name_with_two_full_names_is_no_suggestion() -> None:
    bullets = ("@Dana: Rows.", "@Dana-Whitfield: Sails.", "@Dana-Brown: Sings.")
    assert suggested(*bullets) == {}


# -- invariants ------------------------------------------------------------------------------------

NAMES = st.sampled_from(
    ["Ida", "ida", "Idas", "Ida-Holm", "Ida-Berg", "I.-Holm", "Ída-Holm", "Ída", "Bo", "Bo.", "B"]
)
BULLETS = st.lists(
    st.builds(
        "@{}: {}".format,
        NAMES,
        st.one_of(
            NAMES.map("Everyone calls her {}.".format),
            NAMES.map("{}'s boat leaks.".format),
            st.builds("{} is short for {}.".format, NAMES, NAMES),
            st.just("Rows."),
        ),
    ),
    max_size=8,
)
PAGES = st.lists(
    st.builds(page, NAMES, NAMES, others=st.lists(NAMES, max_size=1).map(tuple)), max_size=3
)


@given(BULLETS, PAGES, st.randoms(use_true_random=False))
def test_every_head_is_one_entity_and_no_denied_pair_is_joined(
    bullets: list[str], pages: list[Page], shuffle: random.Random
) -> None:
    facts = said(*bullets)
    who = resolve(facts, pages)
    unclear = {each.name.casefold() for each in who.ambiguous if who.named(each.name) is None}
    for fact in facts:
        (head,) = fact.fact.entities
        owners = who.of(fact)
        assert len(owners) == (0 if head.rstrip(".").casefold() in unclear else 1)
        assert all(fact in entity.facts for entity in owners)
    for one, other in itertools.combinations(("Ida-Holm", "Ida-Berg"), 2):
        both = who.named(one), who.named(other)
        claimed = any({one, other} & {each.entity, *each.aliases} for each in pages)
        assert claimed or None in both or both[0] is not both[1]
    for each in pages:
        entity = who.named(each.entity)
        assert entity is not None
        for name in each.others:
            if name.rstrip(".").casefold() != each.entity.rstrip(".").casefold():
                assert who.named(name) is not entity
    mixed, other_pages = list(facts), list(pages)
    shuffle.shuffle(mixed)
    shuffle.shuffle(other_pages)
    if len({each.path for each in pages}) == len(pages):
        assert resolve(mixed, other_pages) == who


@given(st.lists(st.text(max_size=30), max_size=5))
def test_any_text_is_safe(contents: list[str]) -> None:
    bullets = [f"- W @Ida: Also known as {text}" for text in contents]
    facts = [fact for bullet in bullets if (fact := parse_bullet(bullet))]
    resolve([known(DAY, fact, "memory/2026-03-03.md", 1, 1) for fact in facts], ())


@pytest.mark.parametrize(
    "content",
    [
        "Ida" + "\xa0" * 500 + "known as Bo is aka",
        "Ida is " + "aka " * 140,
        "Everyone calls her " * 30,
        '"' * 500 + " aka " + "(" * 90,
        "Ida " + "A " * 280 + "wird B",
        "known genannt nickname goes by call short for " + ", (" * 180,
    ],
)
def test_no_text_takes_long(content: str) -> None:
    start = time.process_time()
    resolve(said(f"@Ida: {content}"), ())
    assert time.process_time() - start < 1


# -- size ------------------------------------------------------------------------------------------


def _many(facts: int, names: int) -> list[KnownFact]:
    pick = random.Random(7)
    parts = ["ka", "mor", "ri", "ten", "lav", "vo", "sid", "dra", "pel", "nu", "gor", "bi", "sha"]

    def word() -> str:
        return "".join(pick.choices(parts, k=pick.randint(2, 4))).capitalize()

    who = [f"{word()}-{word()}" if n % 3 else word() for n in range(names)]
    words = [word().lower() for _ in range(500)]
    return said(
        *(f"@{pick.choice(who)}: {' '.join(pick.choices(words, k=12))}." for _ in range(facts))
    )


@pytest.mark.parametrize(("facts", "names", "seconds"), [(10_000, 300, 0.5), (10_000, 5_000, 3)])
def test_thousands_of_names_are_resolved_in_time(facts: int, names: int, seconds: float) -> None:
    many = _many(facts, names)
    spent = []
    for _ in range(3):
        start = time.process_time()
        resolve(many, ())
        spent.append(time.process_time() - start)
    assert min(spent) < 3 * seconds  # on a loaded machine
