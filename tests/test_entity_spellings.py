"""Names that their spelling makes one: without accents, and with initials for first names."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippod.entities import Roster
from hippod.folding import transcribed, unaccented
from hippod.reflection.entities import Entities, Page, resolve
from hippod.wire_bank import MergeAction, SplitAction
from tests.reflecting import Home, problems
from tests.test_entity_resolution import counts, groups, page, said, suggested


def of_names(*names: str, pages: tuple[Page, ...] = ()) -> Entities:
    return resolve(said(*(f"@{name}: Says something." for name in names)), pages)


# -- accents ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "name"),
    [
        (("Lucia-Ibanez", "Lucía-Ibáñez"), "Lucía-Ibáñez"),
        (("Lucia-Ibáñez", "Lucía-Ibanez", "Lucia-Ibanez"), "Lucia-Ibáñez"),
        (("Joerg-Kühn", "Jörg-Kuehn", "Jörg-Kühn", "Jorg-Kuhn"), "Jörg-Kühn"),
        (("Łukasz-Wójcik", "Lukasz-Wojcik"), "Łukasz-Wójcik"),
        (("Bjørn-Ås", "Bjoern-Aas"), "Bjørn-Ås"),
        (("Zoe", "Zoë"), "Zoë"),
        (("Koehler", "Köhler"), "Köhler"),
        (("Фёдор-Ильин", "Федор-Ильин"), "Фёдор-Ильин"),
        (("Νίκος-Ράπτης", "Νικος-Ραπτης"), "Νίκος-Ράπτης"),
    ],
)
def test_a_name_without_its_accents_is_the_same(names: tuple[str, ...], name: str) -> None:
    who = of_names(*names)
    assert counts(who) == {name: len(names)}
    assert who.candidates == ()
    assert {each.alias for each in who.spelled} == {*names} - {name}
    assert all(who.named(each) is who.all[0] for each in names)


@pytest.mark.parametrize(
    "names",
    [
        ("Hùng-Trần", "Hưng-Trần", "Hung-Tran"),
        ("Köhler", "Kohler", "Koehler"),
        ("がき", "かき"),
        ("Андрей", "Андреи"),
        ("Zoe", "Zoë", "Zoe-Marsh", "Zoë-Falk"),
        ("Sören-Lund", "Søren-Lund"),
    ],
)
def test_names_that_may_be_two_are_left_apart(names: tuple[str, ...]) -> None:
    assert len(of_names(*names).all) == len(names)


def test_the_page_that_is_there_is_kept() -> None:
    who = of_names("Lucía-Ibáñez", "Lucia-Ibanez", pages=(page("Lucia-Ibanez", "Luz"),))
    (lucia,) = who.all
    assert (lucia.name, lucia.path) == ("Lucia-Ibanez", "bank/entities/Lucia-Ibanez.md")
    assert who.named("luz") is lucia


def test_pages_part_what_spelling_would_join() -> None:
    for denied in (page("Zoë", others=("Zoe",)), page("Zoe", others=("Zoë",))):
        who = of_names("Zoë", "Zoe", pages=(denied,))
        assert counts(who) == {"Zoe": 1, "Zoë": 1}
        assert who.candidates == ()
    two = (page("Ida", "Zoe"), page("Bo", "Zoë"))
    assert counts(of_names("Zoe", "Zoë", pages=two)) == {"Bo": 1, "Ida": 1}


def test_an_alias_is_given_without_its_accents_too() -> None:
    assert counts(of_names("Zoe", pages=(page("Ida", "Zoë"),))) == {"Ida": 1}
    assert groups("@Ida: Everyone calls her Zoe.", "@Zoë: Rows.", "@Zoe: Sails.") == {"Ida": 3}


@given(st.text(max_size=20))
def test_any_text_loses_its_accents_once(text: str) -> None:
    assert unaccented(unaccented(text)) == unaccented(text)
    assert transcribed(transcribed(text)) == transcribed(text)


# -- initials --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("V.-Kessel", "Vera-Kessel"),
        ("v.-kessel", "Vera-Kessel"),
        ("V.-van-Dyk", "Vera-van-Dyk"),
        ("J.-P.-Roux", "Jean-Pierre-Roux"),
        ("J.P.-Roux", "Jean-Pierre-Roux"),
        ("E.-Gagne", "Élodie-Gagné"),
    ],
)
def test_initials_are_the_only_full_name_that_they_fit(short: str, full: str) -> None:
    who = of_names(short, full, "Otto-Lindner", "V.-Adler")
    assert counts(who)[full] == 2
    assert who.named(short) is who.named(full)
    assert len(who.all) == 3


@pytest.mark.parametrize(
    "names",
    [
        ("V.-Kessel", "Vera-Kessel", "Viktor-Kessel"),
        ("V.-Kessel", "Vera-Kessel", "Viktor-Jan-Kessel"),
        ("V.-Kessel", "Vera-Kesel"),
        ("V.-Kessel", "Vera-Kessel-Brandt"),
        ("V.-Brandt", "Vera-Kessel-Brandt"),
        ("V.-J.-Kessel", "Vera-Kessel"),
        ("V.-M.-Kessel", "Vera-Jana-Kessel"),
        ("V.", "Vera-Kessel"),
        ("V", "Vera"),
        ("V.-K.", "Vera-Kessel"),
        ("V.-Kessel", "Kessel"),
        ("E-Bike", "Elektro-Bike"),
        ("B-Tree", "Binary-Tree"),
    ],
)
def test_initials_that_leave_a_doubt_are_nobodys(names: tuple[str, ...]) -> None:
    who = of_names(*names)
    assert len(who.all) == len(names)
    assert who.spelled == ()


def test_two_whom_initials_fit_are_both_suggested() -> None:
    bullets = [f"@{name}: Rows." for name in ("V.-Kessel", "Vera-Kessel", "Viktor-Kessel")]
    assert {frozenset(each) for each in suggested(*bullets)} == {
        frozenset(("V.-Kessel", "Vera-Kessel")),
        frozenset(("V.-Kessel", "Viktor-Kessel")),
    }


def test_pages_and_statements_say_whose_initials_are() -> None:
    names = ("V.-Kessel", "Vera-Kessel")
    assert len(of_names(*names, pages=(page("Vera-Kessel", others=("V.-Kessel",)),)).all) == 2
    assert counts(of_names(*names, pages=(page("Bo", "V.-Kessel"),))) == {"Bo": 1, "Vera-Kessel": 1}
    stated = "@V.-Kessel: Goes by Viktor Kessel."
    assert groups(stated, "@Vera-Kessel: Rows.") == {"V.-Kessel": 1, "Vera-Kessel": 1}
    told = "@Viktor-Kessel: His nickname is “V. Kessel”."
    assert groups(told, "@V.-Kessel: Rows.", "@Vera-Kessel: Sails.") == {
        "Vera-Kessel": 1,
        "Viktor-Kessel": 2,
    }


# -- pages follow ----------------------------------------------------------------------------------

SHORT = "W @V.-Kessel: Repairs pianos in a barn. ^aaaa111111"
FULL = "W @Vera-Kessel: Sings alto in the choir. ^bbbb222222"
SECOND = "W @Viktor-Kessel: Drives the ferry. ^cccc333333"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "w")
    yield made
    made.state.close()


def test_facts_move_to_whom_initials_mean_and_back(home: Home) -> None:
    home.log("2026-03-02", SHORT)
    home.reflect()
    own = home.entity("V.-Kessel")
    assert "Repairs pianos" in own
    home.page("bank/entities/V.-Kessel.md", own + "\nHas my tuning fork.\n")
    home.log("2026-03-03", FULL)
    home.reflect()
    assert "Repairs pianos" in home.entity("Vera-Kessel")
    assert "Repairs pianos" not in home.entity("V.-Kessel")
    assert "Has my tuning fork." in home.entity("V.-Kessel")
    assert home.changed() == []
    home.log("2026-03-04", SECOND)
    home.reflect()
    assert "Repairs pianos" not in home.entity("Vera-Kessel")
    assert "Sings alto" in home.entity("Vera-Kessel")
    assert "Repairs pianos" in home.entity("V.-Kessel")
    assert "Has my tuning fork." in home.entity("V.-Kessel")
    assert "Drives the ferry" in home.entity("Viktor-Kessel")
    assert home.changed() == []


def test_lost_state_changes_nothing_where_facts_moved(home: Home) -> None:
    home.log("2026-03-02", SHORT)
    home.reflect()
    home.log("2026-03-03", FULL)
    home.reflect()
    before = home.bank()
    home.lose_state()
    assert home.changed() == []
    assert home.bank() == before


def test_a_page_without_accents_goes_on_when_the_accents_come(home: Home) -> None:
    home.log("2026-03-02", "W @Lucia-Ibanez: Repairs pianos. ^aaaa111111")
    home.reflect()
    home.log("2026-03-03", "W @Lucía-Ibáñez: Sings alto in the choir. ^bbbb222222")
    home.reflect()
    assert "Repairs pianos" in home.entity("Lucia-Ibanez")
    assert "Sings alto" in home.entity("Lucia-Ibanez")
    assert home.entity("Lucía-Ibáñez") == ""
    home.log("2026-03-04", "W @Lucia-Ibàñez: Drives the ferry. ^cccc333333")
    home.reflect()
    assert "Sings alto" not in home.entity("Lucia-Ibanez")
    assert "Sings alto" in home.entity("Lucía-Ibáñez")


def test_initials_of_the_first_day_get_their_page_when_a_second_person_comes(home: Home) -> None:
    home.log("2026-03-02", SHORT, FULL)
    home.reflect()
    assert home.entity("V.-Kessel") == ""
    assert "Repairs pianos" in home.entity("Vera-Kessel")
    home.log("2026-03-04", SECOND)
    home.reflect()
    assert "Repairs pianos" in home.entity("V.-Kessel")
    assert "Repairs pianos" not in home.entity("Vera-Kessel")


def test_a_page_without_regions_of_ours_is_left_alone_when_its_facts_move(home: Home) -> None:
    home.page("bank/entities/V.-Kessel.md", "# V. Kessel\n\nHas my tuning fork.\n")
    home.log("2026-03-03", SHORT, FULL)
    home.reflect()
    assert home.entity("V.-Kessel") == "# V. Kessel\n\nHas my tuning fork.\n"
    assert "Repairs pianos" in home.entity("Vera-Kessel")


def test_a_region_that_a_person_edited_stays_when_its_facts_move(home: Home) -> None:
    home.log("2026-03-02", SHORT)
    home.reflect()
    edited = home.entity("V.-Kessel").replace("Repairs pianos", "Mends pianos")
    home.page("bank/entities/V.-Kessel.md", edited)
    home.log("2026-03-03", FULL)
    done = home.reflect()
    assert "Mends pianos" in home.entity("V.-Kessel")
    assert "edited" in problems(done)["bank/entities/V.-Kessel.md"]


# -- what a person decides -------------------------------------------------------------------------


def test_a_split_parts_what_spelling_joined_and_undo_joins_it_again(home: Home) -> None:
    home.log("2026-03-02", SHORT, FULL)
    home.reflect()
    roster = Roster(home.workspace)
    (row,) = roster.all().entities
    assert (row.name, row.aliases) == ("Vera-Kessel", ("V.-Kessel",))
    done = roster.change("Vera-Kessel", SplitAction(action="split", alias="V.-Kessel"))
    assert done.note == ""
    assert {each.name for each in roster.all().entities} == {"V.-Kessel", "Vera-Kessel"}
    home.reflect()
    assert "Repairs pianos" in home.entity("V.-Kessel")
    assert "Repairs pianos" not in home.entity("Vera-Kessel")


def test_a_split_of_a_spelling_needs_no_page(home: Home) -> None:
    home.log("2026-03-02", "W @Zoe: Rows.", "W @Zoë: Sails.")
    roster = Roster(home.workspace)
    roster.change("Zoë", SplitAction(action="split", alias="Zoe"))
    assert {each.name: each.facts for each in roster.all().entities} == {"Zoe": 1, "Zoë": 1}
    home.workspace.undo(home.state.recent(1)[0])
    assert [each.facts for each in roster.all().entities] == [2]


def test_a_merge_gives_initials_to_another_and_leaves_the_one_they_fit(home: Home) -> None:
    home.log("2026-03-02", SHORT)
    home.reflect()
    home.log("2026-03-03", FULL, "W @Bo-Kessel: Keeps bees.")
    home.reflect()
    roster = Roster(home.workspace)
    roster.change("V.-Kessel", MergeAction(action="merge", into="Bo-Kessel"))
    assert {each.name: each.facts for each in roster.all().entities} == {
        "Bo-Kessel": 2,
        "Vera-Kessel": 1,
    }


def test_a_merge_makes_one_page_of_the_two(home: Home) -> None:
    home.log("2026-03-02", SHORT)
    home.reflect()
    home.page("bank/entities/V.-Kessel.md", home.entity("V.-Kessel") + "\nHas my tuning fork.\n")
    home.log("2026-03-03", FULL)
    home.reflect()
    roster = Roster(home.workspace)
    roster.change("V.-Kessel", MergeAction(action="merge", into="Vera-Kessel"))
    assert home.entity("V.-Kessel") == ""
    assert "Has my tuning fork." in home.entity("Vera-Kessel")
    home.log("2026-03-04", SECOND)
    assert {each.name: each.facts for each in roster.all().entities} == {
        "Vera-Kessel": 2,
        "Viktor-Kessel": 1,
    }


def test_a_merge_of_a_person_writes_down_no_initials(home: Home) -> None:
    home.log("2026-03-02", SHORT, FULL, "W @Verusha: Bakes.")
    roster = Roster(home.workspace)
    done = roster.change("Vera-Kessel", MergeAction(action="merge", into="Verusha"))
    assert "V.-Kessel" not in done.changes[0].diff
    assert [each.facts for each in roster.all().entities] == [3]


# -- pages that nobody would read ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("bank/entities/Vera*", "bank/entities/Vera-Kessel.md"),
        ("/bank/world.md", "bank/world.md"),
        ("bank/opinions.md", "bank/opinions.md"),
    ],
)
def test_no_page_is_begun_where_an_ignore_file_hides_it(home: Home, rule: str, path: str) -> None:
    home.page(".gitignore", f"{rule}\n")
    home.log("2026-03-02", FULL, "O(c=0.8) @Vera-Kessel: Prefers tea. ^dddd444444")
    for _ in range(2):
        done = home.reflect()
        assert "excluded" in problems(done)[path]
        assert home.read(path) == ""
    assert home.read("bank/entities/Vera-Kessel.md") or "entities" in rule
