"""Reflection over pages, logs and facts that are odd: one of them never ends a run for the others,
and a run that was broken off, or looked at a part only, loses nothing."""

import base64
import json
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod import daylog, facts, markdown, pages
from hippod.errors import InvalidInput
from hippod.opinions import Opinions
from hippod.reflect import Reflector
from hippod.reflection import entity_pages, planning, verdicts
from hippod.reflection.known import Book, KnownFact, known
from hippod.reflection.planning import Bank, Bounds, Notes, Tools
from hippod.reflection.proposals import PROPOSALS
from tests.opinion_facts import fact
from tests.reflecting import Home, problems

GRAZ = "W @Lena: Lena lives in Graz. ^aaaa111111"
LINZ = "W @Otto: Otto lives in Linz. ^bbbb222222"
TEA = "O(c=0.8) @Otto: Otto likes green tea. ^cccc333333"
RIDES = "O(c=0.8) @Otto: Otto likes long train rides. ^dddd444444"
LENA, OTTO = "bank/entities/Lena.md", "bank/entities/Otto.md"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path / "w")
    yield home
    home.state.close()


# -- one odd page ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "updated",
    [
        "[2020-01-01]", "{a: 1}", "|\n  2020", ">-\n  long\n  ago", "&u 2020-01-01",
        "!!timestamp 2020-01-01", "*nowhere",
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_page_with_an_odd_date_is_left_alone_for_itself(
    home: Home, updated: str, end: str
) -> None:
    odd = f"---\nentity: Lena\nupdated: {updated}\n---\nMine.\n".replace("\n", end)
    home.page(LENA, odd)
    home.log("2026-03-10", GRAZ, LINZ)
    for _ in range(2):
        assert list(problems(home.reflect())) == [LENA]
    assert home.read(LENA) == odd
    assert "Otto lives in Linz." in home.read(OTTO)
    assert "Lena lives in Graz." in home.read("bank/world.md")


def test_what_one_page_cannot_take_is_its_own_problem(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh = entity_pages.refresh

    def refused(text, entity, *others):  # type: ignore[no-untyped-def]
        if entity.name == "Lena":
            raise InvalidInput("cannot be written")
        return refresh(text, entity, *others)

    monkeypatch.setattr(entity_pages, "refresh", refused)
    home.log("2026-03-10", GRAZ, LINZ)
    assert problems(home.reflect()) == {LENA: "cannot be written"}
    assert home.read(OTTO)


_values = st.one_of(
    st.sampled_from(
        ["[a", "{a: b}", "|", ">-", "&x y", "*x", "!!int x", "2026-02-30", "'", '"', "- a", "%",
         "@", "[[x]]", "<<: a", "? a", "\t", "\u2028", "~", "0777", "Lena", "", "---", "...", "#c"]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)  # fmt: skip
_keys = st.sampled_from(["entity", "updated", "aliases", "not", "type", "", "?", "- a", "  b"])
_lines = st.lists(st.tuples(_keys, _values).map(": ".join), max_size=5).map("\n".join)
_bodies = st.lists(
    st.sampled_from(
        ["# Lena", "```", "<!--", "-->", "<!-- hippod:summary -->", "<!-- /hippod:summary -->",
         "<!-- hippod:facts sha256:0 -->", "## Lena likes tea", "- c: 0.5", "- c: x", "- id: aaaa",
         "- prior: 0.5", "- supports: [[2026-03-10]] +0.20", "- status: open", "- action: add",
         "<<<<<<< a", "=======", ">>>>>>> b", "> quoted", "| a |", "- [ ] todo", "<private>", "x"]
    ),
    max_size=8,
).map("\n".join)  # fmt: skip
_pages = st.one_of(
    st.tuples(_lines, _bodies).map(lambda parts: f"---\n{parts[0]}\n---\n{parts[1]}\n"),
    _bodies,
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
)
_KNOWN = (
    fact("2026-03-10", "Lena lives in Graz.", "W", about=("Lena",)),
    fact("2026-03-11", "Otto lives in Linz.", "W", about=("Otto",)),
    fact("2026-03-12", "Otto likes green tea.", "O", about=("Otto",)),
)


@settings(max_examples=120, deadline=None)
@given(
    path=st.sampled_from([LENA, "bank/world.md", pages.OPINIONS, PROPOSALS, "MEMORY.md"]),
    text=_pages,
)
def test_no_page_ends_a_reflection(path: str, text: str) -> None:
    tools = Tools(lambda: verdicts.judge, lambda: None)
    made = planning.plan(
        Book(_KNOWN, {}), Bank({path: text}), Notes(), tools, Bounds(date(2026, 3, 20), 500, 2)
    )
    planned = {page.path for page in made.pages if page.text is not None}
    assert OTTO in planned or "otto" in text.casefold()


_letters = st.characters(exclude_categories=["Cs"])
_names = st.one_of(
    st.sampled_from(["Otto", "Lena", "CON", "..", "x" * 300, "日本", "a.b", "9", "no", "İ", "ß"]),
    st.text(_letters, min_size=1, max_size=6),
)
_contents = st.one_of(
    st.sampled_from(
        ["Otto likes tea.", "Otto no longer likes tea", "lives in Graz until 0001-01-01",
         "lives in Linz since 9999-12-31", "from 9999-12-31 to 0001-01-01 in Rome",
         "also known as Lena", "2026-02-30 is odd", "for 999999999 years", "on 31 Dec 9999 he rows"]
    ),
    st.text(_letters, max_size=40),
)  # fmt: skip
_days = st.sampled_from([date.min, date(1, 1, 5), date(2026, 3, 18), date(2026, 3, 19), date.max])
_tails = st.sampled_from(["", " ^aaaa111111", " (14:02 main/s1#m1) ^cccc333333"])
_bullets = st.tuples(
    _days, st.sampled_from(["W", "B", "O", "S", "O(c=1)", "O(c=0)"]), _names, _contents, _tails
)


@settings(max_examples=60, deadline=None)
@given(st.lists(_bullets, min_size=1, max_size=6))
def test_no_fact_ends_a_reflection(bullets: list[tuple[date, str, str, str, str]]) -> None:
    found: dict[str, KnownFact] = {}
    for day, head, name, content, tail in bullets:
        log = markdown.parse(f"## Retain\n- {head} @{name}: {content}{tail}\n")
        for each in daylog.retained(log):
            new = known(day, each.fact, daylog.log_path(day), each.line_start, each.line_end)
            found.setdefault(new.id, new)
    book = Book(tuple(sorted(found.values(), key=lambda each: each.said)), {})
    tools = Tools(lambda: verdicts.judge, lambda: None)
    made = planning.plan(book, Bank({}), Notes(), tools, Bounds(date(2026, 3, 20), 500, 2))
    assert not made.problems
    assert made.ledger is None or len(made.ledger.judged) == len(book.evidence)
    summed = [facts.render(each) for day in made.summaries.values() for each in day]
    assert all(line.startswith("- S @") for line in summed)


# -- odd logs and days ----------------------------------------------------------------------------


@pytest.mark.parametrize("day", ["0001-01-01", "0001-01-02", "9999-12-30", "9999-12-31"])
def test_the_ends_of_the_calendar_are_days_as_others(home: Home, day: str) -> None:
    home.log(day, GRAZ, TEA, "B @Otto: Otto fixed the pump. ^eeee555555")
    home.log("2026-03-10", "O @Otto: Otto likes green tea. ^ffff666666",
             "O @Otto: Otto does not like green tea. ^gggg777777",
             "B @Otto: Otto fixed the pump again. ^hhhh888888")  # fmt: skip
    assert not problems(home.reflect())
    assert "green tea" in home.read(pages.OPINIONS)
    assert home.changed() == []


def test_bytes_that_are_no_text_go_to_no_page(home: Home) -> None:
    log = home.log("2026-03-10", GRAZ)
    log.write_bytes(log.read_bytes() + b"- W @Lena: Lena runs the caf\xe9. ^eeee555555\n")
    home.log("2026-03-11", LINZ)
    done = home.reflect()
    assert problems(done) == {"memory/2026-03-10.md": "not valid UTF-8, some bytes are replaced"}
    assert not home.read(LENA)
    assert "Otto lives in Linz." in home.read("bank/world.md")


def test_nothing_is_proposed_while_a_log_cannot_be_read(home: Home) -> None:
    home.page("MEMORY.md", "# Memory\n\n- Otto lives in Linz.\n")
    home.log("2026-03-08", "W @Otto: Otto lives in Linz. ^bbbb222222")
    home.log("2026-03-09", "W @Otto: Otto lives in Wels now. ^eeee555555")
    newest = home.log("2026-03-10", "W @Otto: Otto lives in Graz now. ^ffff666666")
    sound = newest.read_text()
    newest.write_text(f"<<<<<<< a\n{sound}=======\n>>>>>>> b\n")
    home.reflect()
    assert home.read(PROPOSALS) == ""
    newest.write_text(sound)
    home.reflect()
    assert "+- Otto lives in Graz now." in home.read(PROPOSALS)


# -- what needs no second look --------------------------------------------------------------------


def test_who_has_no_page_is_looked_at_once(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    summarise = Reflector._summarise
    monkeypatch.setattr(Reflector, "_summarise", lambda self: asked.append(1) or summarise(self))
    home.log("2026-03-10", "S @Otto: Otto seems tired. ^eeee555555")
    looked = [home.reflect().entities for _ in range(3)]
    assert (looked, len(asked)) == ([1, 0, 0], 1)
    home.log("2026-03-11", LINZ)
    home.reflect()
    assert "Otto lives in Linz." in home.read(OTTO)


def test_a_fact_that_becomes_another_kind_still_gets_its_page(home: Home) -> None:
    log = home.log("2026-03-10", "B @Otto: Otto lives in Linz. ^bbbb222222")
    home.reflect()
    assert home.read("bank/world.md") == ""
    log.write_text(log.read_text().replace("- B ", "- W "))
    home.reflect()
    assert "Otto lives in Linz." in home.read("bank/world.md")


def test_a_page_with_old_events_only_tells_the_newest(home: Home) -> None:
    home.log("2026-01-02", "B @Otto: Otto fixed the pump. ^eeee555555")
    home.log("2026-01-20", "B @Otto: Otto sold two boats. ^ffff666666")
    home.reflect()
    told, _, history = home.read(OTTO).partition("## History")
    assert "Otto sold two boats." in told
    assert "fixed the pump" not in told
    assert "Otto fixed the pump" in history
    assert home.changed() == []


def test_reasons_count_in_words(home: Home) -> None:
    home.log("2026-03-10", "B @Otto: Otto fixed the pump. ^eeee555555")
    reasons = {change.path: change.reason for change in home.reflect().changes}
    assert reasons["bank/experience.md"] == "1 fact of kind B"


# -- runs that did not come to their end -----------------------------------------------------------


def without_rides(home: Home) -> None:
    text = home.read(pages.OPINIONS)
    home.page(pages.OPINIONS, text[: text.index("## Otto likes long train rides")])


def lose_a_deleted_opinion(home: Home) -> None:
    home.log("2026-03-01", TEA)
    home.log("2026-03-02", RIDES)
    home.reflect()
    without_rides(home)
    home.later(1)
    home.reflect()
    home.lose_state()


def test_a_deleted_opinion_stays_away_though_the_first_run_was_a_part(home: Home) -> None:
    lose_a_deleted_opinion(home)
    home.log("2026-03-19", LINZ)
    home.reflect(since="7d")
    for _ in range(2):
        home.reflect()
        assert "train rides" not in home.read(pages.OPINIONS)
    assert home.reflector.waiting == 0
    home.later(2)
    home.log("2026-03-22", "O(c=0.8) @Otto: Otto likes cold soup. ^ffff666666")
    home.reflect()
    assert "cold soup" in home.read(pages.OPINIONS)


def test_a_deleted_opinion_stays_away_though_the_first_run_was_stopped(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose_a_deleted_opinion(home)
    home.log("2026-03-19", LINZ)
    keep = planning._Planner._keep_facts

    def stopping(self: planning._Planner, path: str) -> None:
        home.reflector.stop()
        keep(self, path)

    monkeypatch.setattr(planning._Planner, "_keep_facts", stopping)
    assert home.reflect().interrupted
    monkeypatch.undo()
    home.open()
    home.reflect()
    assert "train rides" not in home.read(pages.OPINIONS)


def test_a_deleted_opinion_stays_away_though_the_ledger_could_not_be_read_at_first(
    home: Home,
) -> None:
    lose_a_deleted_opinion(home)
    sound = home.read(pages.OPINIONS)
    home.page(pages.OPINIONS, f"<<<<<<< a\n{sound}=======\n>>>>>>> b\n")
    home.log("2026-03-19", LINZ)
    home.reflect()
    home.page(pages.OPINIONS, sound)
    home.reflect()
    assert "train rides" not in home.read(pages.OPINIONS)


def test_a_dry_run_after_lost_state_notes_nothing(home: Home) -> None:
    lose_a_deleted_opinion(home)
    home.reflect(dry_run=True)
    assert home.state.get_meta("reflect.lost") is None
    home.reflect()
    assert home.state.get_meta("reflect.lost") == ""


def test_status_remembers_what_a_part_did_not_look_at(home: Home) -> None:
    home.log("2026-03-10", GRAZ)
    home.reflect()
    home.page(LENA, home.read(LENA).replace("lives", "dwells"))
    home.reflect()
    home.log("2026-03-19", LINZ)
    assert not problems(home.reflect(since="2d"))
    assert [each["path"] for each in home.reflector.status()["problems"]] == [LENA]
    (home.root / LENA).unlink()
    home.reflect(since="2d")
    assert home.reflector.status()["problems"] == []


def test_status_tells_each_problem_of_a_page(home: Home) -> None:
    home.log("2026-03-01", TEA)
    home.log("2026-03-02", RIDES)
    home.reflect()
    home.page(pages.OPINIONS, home.read(pages.OPINIONS).replace("- c: 0.80", "- c: 0.99"))
    done = home.reflect()
    assert len(done.problems) == 2
    assert len(home.reflector.status()["problems"]) == 2
    assert len(Opinions(home.workspace).all().problems) == 2


def test_a_noted_append_makes_no_log_anew(home: Home) -> None:
    home.log("2026-03-10", GRAZ)
    data = base64.b64encode(b"- S @Lena: Summed up. (reflect/2026-03-12#Lena) ^eeee555555\n")
    value = json.dumps([0, data.decode(), 1])
    home.state.note_reflected({"append": {"memory/2026-03-12.md": value}})
    home.reflect()
    assert not (home.root / "memory/2026-03-12.md").exists()
    assert home.state.reflected("append") == {}


def test_others_write_between_two_edits(home: Home) -> None:
    home.log("2026-03-10", GRAZ, LINZ)
    can: list[bool] = []

    def write(path: str) -> None:
        other = threading.Thread(
            target=lambda: home.workspace.write("notes/a.md", f"{path}\n", None, actor="main")
        )
        other.start()
        other.join(5)
        can.append(not other.is_alive())

    home.reflector.changed = write
    home.reflect()
    assert len(can) > 2
    assert all(can)
    assert home.read("notes/a.md")
