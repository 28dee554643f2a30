"""Reflection over a real workspace: what it writes, what it leaves alone, and that it rests."""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import structlog

from hippod import capabilities
from hippod.entities import Roster
from hippod.errors import Conflict, DaemonDown, InvalidInput, ModelTimeout
from hippod.lasting import stated
from hippod.opinions import Opinions
from hippod.reflect import NO_MODEL, REST, Reflector
from hippod.retain import Retainer
from hippod.wire import RetainRequest
from hippod.wire_bank import AdoptAction, MergeAction
from hippod.workspace import Workspace
from tests.fakes import FakeGenerator
from tests.reflecting import BRIEF, BUDGET, CELLO, LOFT, NOON, PORTO, Home, of_two_days, problems


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = of_two_days(tmp_path / "w")
    yield home
    home.state.close()


def test_facts_become_pages_with_links_to_them(home: Home) -> None:
    done = home.reflect()
    assert done.facts == 4
    assert done.entities == 2
    assert done.opinions == 1
    assert done.quality == NO_MODEL
    assert "Lives in Porto since 2024. [[2026-03-02#^aaaa111111]]" in home.entity("Ines")
    assert "oak planks for 3 rooms. [[2026-03-02#^cccc333333]]" in home.entity("Loft")
    assert "@Ines: Plays the cello in a quartet." in home.read("bank/world.md")
    assert "@Loft: Ordered oak planks" in home.read("bank/experience.md")
    assert "- supports: [[2026-03-05#^dddd444444]] +0.20" in home.read("bank/opinions.md")
    assert set(home.heard) == {change.path for change in done.changes}


def test_unchanged_input_changes_nothing(home: Home) -> None:
    home.reflect()
    before = home.bank()
    for days in (0, 1, 5):
        home.later(days)
        assert home.changed() == []
    assert home.bank() == before


def test_a_dry_run_shows_the_diff_and_changes_nothing(home: Home) -> None:
    before = home.bank()
    shown = home.reflect(dry_run=True)
    assert shown.dry_run
    diff = next(each.diff for each in shown.changes if each.path == "bank/entities/Ines.md")
    assert "+Lives in Porto since 2024. [[2026-03-02#^aaaa111111]]\n" in diff
    assert home.bank() == before
    assert home.state.last_run("reflect") is None
    assert [each.path for each in home.reflect().changes] == [each.path for each in shown.changes]


def test_results_do_not_depend_on_when_it_ran(tmp_path: Path) -> None:
    often, once = Home(tmp_path / "a"), Home(tmp_path / "b")
    for day, bullets in {
        "2026-03-02": [PORTO, CELLO],
        "2026-03-05": [BRIEF],
        "2026-03-06": [LOFT, BUDGET],
    }.items():
        often.log(day, *bullets)
        once.log(day, *bullets)
        often.reflect()
    once.reflect()
    assert often.bank() == once.bank()


def test_lost_state_gives_the_same_pages(home: Home) -> None:
    home.reflect()
    before = home.bank()
    home.lose_state()
    assert home.changed() == []
    assert home.bank() == before


def test_only_pages_of_new_facts_are_looked_at(home: Home) -> None:
    home.reflect()
    home.log("2026-03-06", BUDGET)
    done = home.reflect()
    assert done.entities == done.facts == 1
    assert {each.path for each in done.changes} == {"bank/entities/Loft.md", "bank/world.md"}
    assert "3 rooms" in home.entity("Loft")


def test_since_leaves_earlier_facts_for_later(home: Home) -> None:
    home.now = datetime(2026, 3, 8, 12, tzinfo=UTC)
    done = home.reflect(since="4d")
    assert done.facts == 1
    assert "Ines" in home.entity("Ines")
    assert home.entity("Loft") == ""
    assert home.reflect().facts == 3
    assert home.entity("Loft")


@pytest.mark.parametrize("since", ["yesterweek", "", "2026-02-30"])
def test_since_must_be_a_date_or_an_age(home: Home, since: str) -> None:
    with pytest.raises(InvalidInput, match="since"):
        home.reflect(since=since)


# -- what a person did stays -------------------------------------------------------------------


def test_an_edited_region_is_left_and_reported_each_time(home: Home) -> None:
    home.reflect()
    edited = home.entity("Ines").replace("Lives in Porto", "Lives by the sea")
    home.page("bank/entities/Ines.md", edited)
    for _ in range(2):
        done = home.reflect()
        assert not done.changes
        assert "edited by hand" in problems(done)["bank/entities/Ines.md"]
    home.log("2026-03-06", "W @Ines: Has a dog called Bolota. ^ffff666666")
    done = home.reflect()
    assert "edited by hand" in problems(done)["bank/entities/Ines.md"]
    assert "Lives by the sea" in home.entity("Ines")
    (told,) = home.reflector.status()["problems"]
    assert told["path"] == "bank/entities/Ines.md"
    assert "edited by hand" in told["reason"]


def test_prose_around_the_regions_is_kept_byte_for_byte(home: Home) -> None:
    home.reflect()
    page = home.entity("Loft") + "\r\nAsk about the *fuse box*  \r\n"
    home.page("bank/entities/Loft.md", page)
    assert home.changed() == []
    home.log("2026-03-06", BUDGET)
    home.reflect()
    assert "42,000 euros" in home.entity("Loft")
    assert home.entity("Loft").endswith("\r\nAsk about the *fuse box*  \r\n")


def test_a_deleted_page_comes_back_only_with_something_new(home: Home) -> None:
    home.reflect()
    (home.root / "bank/entities/Loft.md").unlink()
    (home.root / "bank/experience.md").unlink()
    assert home.changed() == []
    home.log("2026-03-06", BUDGET)
    assert "bank/entities/Loft.md" in home.changed()
    assert home.read("bank/experience.md") == ""
    assert "3 rooms" in home.entity("Loft")


def test_regions_that_a_person_took_out_stay_out(home: Home) -> None:
    home.reflect()
    own = "---\nentity: Loft\n---\n# Loft\n\nMy own words.\n"
    home.page("bank/entities/Loft.md", own)
    home.log("2026-03-06", BUDGET)
    home.reflect()
    assert home.entity("Loft") == own


def test_a_deleted_opinion_stays_away(home: Home) -> None:
    home.reflect()
    home.page("bank/opinions.md", "# Opinions\n")
    home.log("2026-03-06", BUDGET)
    home.reflect()
    assert home.read("bank/opinions.md") == "# Opinions\n"


def test_an_older_version_stays_until_there_is_news(home: Home) -> None:
    home.reflect()
    old = home.entity("Loft")
    home.log("2026-03-06", BUDGET)
    home.reflect()
    home.page("bank/entities/Loft.md", old)
    assert home.changed() == []
    home.log("2026-03-07", "W @Loft: The stairs are steel. ^gggg777777")
    home.reflect()
    assert "42,000 euros" in home.entity("Loft")


def test_facts_that_are_gone_leave_the_pages(home: Home) -> None:
    home.log("2026-03-06", BUDGET)
    home.reflect()
    (home.root / "memory/2026-03-06.md").unlink()
    home.reflect()
    assert "42,000" not in home.entity("Loft")
    assert "42,000" not in home.read("bank/world.md")
    assert "3 rooms" in home.entity("Loft")


def test_evidence_of_a_deleted_log_stays_history(home: Home) -> None:
    home.reflect()
    ledger = home.read("bank/opinions.md")
    (home.root / "memory/2026-03-05.md").unlink()
    home.reflect()
    assert home.read("bank/opinions.md") == ledger


# -- what cannot be read or written --------------------------------------------------------------


def conflicted(text: str) -> str:
    return f"{text}\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"


def test_pages_that_cite_an_unreadable_log_are_left(home: Home) -> None:
    home.log("2026-03-06", BUDGET)
    home.reflect()
    before = home.bank()
    log = home.root / "memory/2026-03-06.md"
    log.write_text(conflicted(log.read_text()))
    home.log("2026-03-07", "W @Loft: The stairs are steel. ^gggg777777")
    done = home.reflect()
    assert home.entity("Loft") == before["bank/entities/Loft.md"]
    assert home.read("bank/world.md") == before["bank/world.md"]
    assert "2026-03-06.md" in problems(done)["bank/entities/Loft.md"]
    log.write_text(before["memory/2026-03-06.md"])
    home.reflect()
    assert "stairs are steel" in home.entity("Loft")
    assert "stairs are steel" in home.read("bank/world.md")


def test_a_conflicted_page_is_left_and_the_others_go_on(home: Home) -> None:
    page = conflicted("---\nentity: Ines\naliases: [Nina]\n---\n# Ines\n")
    home.page("bank/entities/Ines.md", page)
    home.log("2026-03-06", "W @Nina: Has a dog called Bolota. ^ffff666666")
    done = home.reflect()
    assert home.entity("Ines") == page
    assert "conflict" in problems(done)["bank/entities/Ines.md"]
    assert home.entity("Loft")
    assert home.entity("Nina") == ""  # she may be Ines: that is seen to when the page is sound


def test_a_page_that_is_no_text_is_left(home: Home) -> None:
    file = home.page("bank/entities/Ines.md", "")
    file.write_bytes(b"# Ines\n\xff\xfe broken\n")
    done = home.reflect()
    assert file.read_bytes() == b"# Ines\n\xff\xfe broken\n"
    assert "UTF-8" in problems(done)["bank/entities/Ines.md"]
    assert list((home.root / "bank/entities").iterdir()) == [file]


def test_a_save_in_between_wins_and_the_page_follows_next_time(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.reflect()
    home.log("2026-03-06", BUDGET)
    saved = home.entity("Loft") + "\nSaved meanwhile.\n"
    write = Workspace.write

    def beside_an_editor(self: Workspace, path: str, *args: str, **kwargs: str) -> object:
        if path == "bank/entities/Loft.md" and "Saved" not in home.entity("Loft"):
            home.page(path, saved)
        return write(self, path, *args, **kwargs)

    monkeypatch.setattr(Workspace, "write", beside_an_editor)
    done = home.reflect()
    assert "bank/entities/Loft.md" in problems(done)
    assert home.entity("Loft") == saved
    home.reflect()
    assert "42,000 euros" in home.entity("Loft")
    assert home.entity("Loft").endswith("Saved meanwhile.\n")


def test_what_is_forgotten_meanwhile_is_not_written(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    stated = Reflector._stated

    def and_forget(self: Reflector) -> list[str]:
        home.page("bank/forgotten.md", "# Forgotten\n\nsalt: 00112233445566778899\n")
        return stated(self)

    monkeypatch.setattr(Reflector, "_stated", and_forget)
    with pytest.raises(Conflict, match="forgotten"):
        home.reflect()
    assert home.entity("Ines") == ""
    last = home.state.last_run("reflect")
    assert last
    assert last.outcome == "failed"


def test_private_facts_reach_no_page(home: Home) -> None:
    home.log(
        "2026-03-06", "W @Ines: <private>Keeps a spare key under the fern.</private> ^hhhh888888"
    )
    home.reflect()
    pages = [text for path, text in home.bank().items() if path.startswith("bank/")]
    assert not any("fern" in text for text in pages)


# -- summaries of days -----------------------------------------------------------------------------


def summaries(home: Home) -> list[str]:
    logs = sorted((home.root / "memory").glob("*.md"))
    return [
        line for log in logs for line in log.read_text().splitlines() if line.startswith("- S ")
    ]


def test_a_day_that_is_over_gets_its_summary_once(home: Home) -> None:
    home.log("2026-03-20", PORTO, CELLO, LOFT)
    home.log("2026-03-02")
    home.reflect()
    assert summaries(home) == []  # it is not over
    home.later(1)
    home.reflect()
    (line,) = summaries(home)
    assert line.startswith("- S @Ines: Lives in Porto since 2024. [[2026-03-20#^aaaa111111]] ")
    assert "(reflect/2026-03-20#Ines) ^" in line
    before = home.bank()
    assert home.changed() == []
    assert home.bank() == before  # it is evidence for nothing


def test_a_merge_gives_a_day_no_second_summary(home: Home) -> None:
    home.log("2026-03-20", PORTO, CELLO)
    home.log("2026-03-02")
    home.later(1)
    home.reflect()
    assert len(summaries(home)) == 1
    merge = MergeAction(action="merge", into="Isa")
    home.log("2026-03-18", "W @Isa: Rows. ^nnnn123456")
    Roster(home.workspace).change("Ines", merge)
    home.reflect()
    assert len(summaries(home)) == 1
    home.lose_state()
    home.reflect()
    assert len(summaries(home)) == 1


def test_the_day_is_the_users(tmp_path: Path) -> None:
    home = Home(tmp_path / "w", WORKSPACE__TIMEZONE="Pacific/Auckland")
    home.log("2026-03-20", PORTO, CELLO)
    home.now = datetime(2026, 3, 20, 12, 30, tzinfo=UTC)  # there it is the 21st
    home.reflect()
    assert len(summaries(home)) == 1
    assert "updated: 2026-03-21" in home.entity("Ines")


def test_days_are_caught_up_but_not_after_the_state_was_lost(home: Home) -> None:
    home.reflect()
    bread = "B @Ines: Baked two loaves of rye bread. ^kkkk123456"
    home.log("2026-03-21", bread, "W @Ines: Her oven is from 1974. ^mmmm123456")
    home.log("2026-03-10", BUDGET, "W @Loft: The stairs are steel. ^gggg777777")
    home.later(4)
    home.reflect()
    assert len(summaries(home)) == 1  # of the 21st; the 10th is too long ago
    log = home.root / "memory/2026-03-21.md"
    log.write_text("".join(line for line in log.read_text().splitlines(True) if "- S " not in line))
    home.reflect()
    assert summaries(home) == []  # a person took it out
    home.lose_state()
    home.reflect()
    home.reflect()
    assert summaries(home) == []


def test_summaries_can_be_switched_off(tmp_path: Path) -> None:
    home = Home(tmp_path / "w", REFLECT__DAILY_SUMMARY="false")
    home.log("2026-03-19", PORTO, CELLO)
    home.reflect()
    assert summaries(home) == []


# -- crashes and stops -----------------------------------------------------------------------------


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("nth", range(1, 9))
def test_a_run_that_broke_off_anywhere_ends_like_an_undisturbed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nth: int
) -> None:
    whole, broken = Home(tmp_path / "a"), Home(tmp_path / "b")
    likes = "O @Ines: Prefers short voice messages to mails. ^jjjj999999"
    for home in (whole, broken):
        home.log("2026-03-19", PORTO, CELLO, BRIEF)
        home.log("2026-03-18", LOFT, likes)
    whole.reflect()
    steps = iter(range(1, 100))
    for owner, name in (
        (Workspace, "write"),
        (Workspace, "append_facts"),
        (type(broken.state), "note_reflected"),
    ):
        _kill_at(monkeypatch, owner, name, steps, nth)
    with pytest.raises(Killed):
        broken.reflect()
    monkeypatch.undo()
    broken.state.close()
    broken.open()
    broken.reflect()
    assert broken.bank() == whole.bank()
    assert broken.changed() == []


def _kill_at(
    monkeypatch: pytest.MonkeyPatch, owner: type, name: str, steps: Iterator[int], nth: int
) -> None:
    real = getattr(owner, name)

    def deadly(*args: object, **kwargs: object) -> object:
        done = real(*args, **kwargs)
        if next(steps) == nth:
            raise Killed
        return done

    monkeypatch.setattr(owner, name, deadly)


def test_a_stop_leaves_what_is_whole_and_goes_on_later(home: Home) -> None:
    home.reflector.changed = lambda path: home.reflector.stop()
    done = home.reflect()
    assert done.interrupted
    assert len(done.changes) == 1
    home.state.close()
    home.open()
    assert home.reflect().facts == 4
    assert home.entity("Loft")


# -- when ------------------------------------------------------------------------------------------


def test_it_runs_by_itself_after_enough_new_facts(tmp_path: Path) -> None:
    home = Home(tmp_path / "w", REFLECT__AFTER_FACTS="3")
    home.log("2026-03-02", PORTO, CELLO)
    home.reflector.run_if_due([])
    assert home.reflector.waiting == 2
    assert home.state.last_run("reflect") is None
    home.log("2026-03-05", BRIEF)
    home.reflector.run_if_due(["memory/2026-03-05.md"])
    assert home.reflector.waiting == 0
    assert home.entity("Ines")
    home.log("2026-03-06", LOFT, BUDGET, "W @Loft: The stairs are steel. ^gggg777777")
    home.now += timedelta(minutes=29)
    home.reflector.run_if_due(["memory/2026-03-06.md"])
    assert home.entity("Loft") == ""  # too soon after the last time
    assert home.reflector.rest() == 60
    home.now += timedelta(minutes=1)
    home.reflector.run_if_due([])
    assert home.entity("Loft")


@pytest.mark.parametrize("setting", [{"REFLECT__ENABLED": "false"}, {"REFLECT__AFTER_FACTS": "0"}])
def test_it_does_not_where_it_is_switched_off(tmp_path: Path, setting: dict[str, str]) -> None:
    home = Home(tmp_path / "w", **{"REFLECT__AFTER_FACTS": "1", **setting})
    home.log("2026-03-02", PORTO, CELLO)
    home.reflector.run_if_due(["memory/2026-03-02.md"])
    assert home.entity("Ines") == ""
    assert home.reflect().facts == 2  # a person may ask for it


def test_a_run_that_nobody_asked_for_waits_for_the_extraction(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hippod.reflect.BUSY_SECONDS", 0.0)
    looks = iter([True, True, False])
    home.reflector.busy = lambda: next(looks)
    home.reflector.run_unasked()
    assert next(looks, None) is None
    assert home.entity("Ines")


def test_after_a_stop_no_run_begins(home: Home) -> None:
    home.reflector.stop()
    with pytest.raises(DaemonDown):
        home.reflect()
    assert home.state.last_run("reflect") is None


def test_a_stop_ends_the_waiting(home: Home) -> None:
    home.reflector.busy = lambda: True
    home.reflector.stop()
    home.reflector.run_unasked()
    assert home.entity("Ines") == ""


def test_a_clock_that_went_back_does_not_hold_it_up(home: Home) -> None:
    home.reflect()
    home.now = NOON - timedelta(days=30)
    assert home.reflector.rest() == 0
    home.reflect()  # what lies ahead hides none of today's runs
    assert home.reflector.rest() == REST.total_seconds()


# -- models ----------------------------------------------------------------------------------------


def reply(text: str) -> str:
    items = [{"turns": [1, 2], "kind": "W", "text": text}]
    return json.dumps({"facts": items})


def test_a_model_that_rewords_every_time_adds_nothing_after_the_first_run(tmp_path: Path) -> None:
    generator = FakeGenerator()
    home = Home(tmp_path / "w", generator, GENERATOR__TASKS="summary")
    home.log("2026-03-02", PORTO, CELLO)
    generator.enqueue(reply("Ines lives in Porto since 2024 and plays the cello in a quartet."))
    assert home.reflect().quality == "worded by fake#0"
    assert "lives in Porto since 2024 and plays the cello in a quartet. [[" in home.entity("Ines")
    before = home.bank()
    for n in range(10):
        generator.enqueue(
            reply(f"Ines plays the cello in a quartet and lives in Porto since 2024{'.' * n}")
        )
        home.later(1)
        if n == 5:
            home.lose_state()
        assert home.changed() == []
    assert home.bank() == before
    assert len(generator.prompts) == 1


def test_what_a_model_invents_does_not_reach_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = FakeGenerator()
    home = Home(tmp_path / "w", generator, GENERATOR__TASKS="summary")
    home.log("2026-03-02", PORTO, CELLO)
    generator.enqueue(reply("Ines lives in Porto since 2019 with her three cats."))
    heard = structlog.testing.CapturingLogger()
    monkeypatch.setattr(capabilities, "logger", heard)
    home.reflect()
    (refusal,) = [call for call in heard.calls if call.args == ("summary.refused",)]
    assert refusal.kwargs["sentences"] == 1
    assert "cats" not in str(heard.calls)
    assert "cats" not in home.entity("Ines")
    assert "Lives in Porto since 2024. [[2026-03-02#^aaaa111111]]" in home.entity("Ines")


def test_a_model_that_fails_leaves_the_rules(tmp_path: Path) -> None:
    generator = FakeGenerator()
    home = Home(tmp_path / "w", generator, GENERATOR__TASKS="summary")
    home.log("2026-03-02", PORTO, CELLO)
    generator.enqueue(ModelTimeout("it hangs"))
    home.reflect()
    assert "Lives in Porto since 2024." in home.entity("Ines")


def test_large_workspaces_are_read_again_only_where_they_changed(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.reflect()
    loaded: list[str] = []
    load = Workspace.load
    monkeypatch.setattr(
        Workspace, "load", lambda self, path: loaded.append(path) or load(self, path)
    )
    os.utime(home.log("2026-03-06", BUDGET), (1, 1))
    home.reflect()
    assert [path for path in loaded if path.startswith("memory/")] == ["memory/2026-03-06.md"]


def test_a_page_that_was_handed_back_is_written_anew(home: Home) -> None:
    home.reflect()
    edited = home.entity("Ines").replace("Lives in Porto", "Lives by the sea")
    home.page("bank/entities/Ines.md", edited)
    home.reflect()
    roster = Roster(home.workspace)
    done = roster.change("Ines", AdoptAction(action="adopt"))
    home.reflector.look_again(change.path for change in done.changes)
    home.reflect()
    assert "Lives in Porto" in home.entity("Ines")


def test_learned_aliases_hold_as_long_as_their_facts_and_are_not_written_as_a_persons(
    home: Home,
) -> None:
    log = home.log("2026-03-06", "W @Ines: Also known as Nini. ^nnnn777777", "W @Nini: Rows.")
    home.reflect()
    assert "Rows." in home.entity("Ines")
    assert "Nini" not in home.entity("Ines").split("---")[1]
    assert home.changed() == []
    log.write_text(log.read_text().replace("- W @Ines: Also known as Nini. ^nnnn777777\n", ""))
    home.reflect()
    assert "Rows." not in home.entity("Ines")
    assert "Rows." in home.entity("Nini")


def test_a_person_is_asked_about_memory(home: Home) -> None:
    home.page("MEMORY.md", "# Memory\n\n- Ines lives in Porto since 2024.\n")
    home.log("2026-03-06", "W @Ines: Lives in Lisbon since 2026-03. ^pppp777777")
    home.reflect()
    page = home.read("bank/proposals.md")
    assert "-- Ines lives in Porto since 2024." in page
    assert home.read("MEMORY.md") == "# Memory\n\n- Ines lives in Porto since 2024.\n"
    assert home.changed() == []


# -- no feedback -----------------------------------------------------------------------------------


def retain(home: Home, fact: str) -> list[str]:
    """State a fact as a client does; return the bullets that stand then."""
    retainer = Retainer(home.config, home.workspace, home.state, None, list, lambda: home.now)
    return [each.bullet for each in retainer.take(RetainRequest(facts=(fact,))).stored]


def test_a_summary_does_not_make_a_fact_known(home: Home) -> None:
    bread = "Baked 2 loaves of rye bread for the fair."
    log = home.log(
        "2026-03-19", f"B @Ines: {bread} ^kkkk123456", "W @Ines: Is on leave. ^mmmm123456"
    )
    home.reflect()
    summary = next(line for line in log.read_text().splitlines() if line.startswith("- S "))
    log.write_text(f"# Daily Log - 2026-03-19\n\n## Retain\n{summary}\n")
    home.reflect()  # the facts are gone from the pages, too
    assert bread in summary
    (stored,) = retain(home, f"B @Ines: {bread}")
    assert stored.startswith(f"- B @Ines: {bread}")


def test_what_was_superseded_may_be_said_again() -> None:
    own = (
        "- Lives in Riga since 2026-03. [[2026-03-06#^pppp777777]]\n"
        "- ~~In Porto.~~ [[2026-03-02#^aaaa111111]] superseded by [[2026-03-06#^pppp777777]]\n"
    )
    statements = " ".join(stated(own))
    assert "Lives in Riga" in statements
    assert "Porto" not in statements


# -- a change of mind --------------------------------------------------------------------------


@pytest.mark.parametrize("day_by_day", [False, True])
def test_a_page_goes_by_what_is_believed_now(home: Home, day_by_day: bool) -> None:
    said = ["tea over coffee", *["coffee over tea"] * 5]
    for n, order in enumerate(said):
        home.log(f"2026-02-0{n + 1}", f"O(c=0.8) @Otto: Otto prefers {order}. ^tttt{n}11111")
        if day_by_day:
            home.reflect()
    assert problems(home.reflect()) == {}
    summary, _, history = home.entity("Otto").partition("## History")
    assert "prefers coffee over tea." in summary
    assert "tea over coffee" not in summary
    assert "Otto prefers tea over coffee. [[2026-02-01#^tttt011111]]" in history
    assert "## Otto prefers coffee over tea." in home.read("bank/opinions.md")
    assert home.changed() == []
    home.lose_state()
    assert home.changed() == []


def test_a_page_is_looked_at_when_a_person_turns_an_opinion(home: Home) -> None:
    home.reflect()
    ledger = home.read("bank/opinions.md")
    home.page("bank/opinions.md", ledger.replace("- c: 0.80", "- c: 0.20"))
    assert home.changed() == ["bank/entities/Ines.md"]
    assert "- 2026-03-05: Prefers short voice messages." in home.entity("Ines")
    home.page("bank/opinions.md", ledger)
    assert home.changed() == ["bank/entities/Ines.md"]
    assert home.changed() == []


# -- opinions whose facts change -------------------------------------------------------------------

ROAST = "O(c=0.80) @Rowan: Rowan likes dark roast coffee."


def test_a_fact_waits_for_an_opinion_that_is_recomputed(tmp_path: Path) -> None:
    home = Home(tmp_path / "own")
    home.log("2026-03-10", f"{ROAST} ^rrrr111111")
    home.reflect()
    edited = home.read("bank/opinions.md").replace("- c: 0.80", "- c: 0.95")
    home.page("bank/opinions.md", edited)
    home.log("2026-03-11", "W @Rowan: Rowan likes dark roast coffee. ^rrrr222222")
    assert list(problems(home.reflect())) == ["bank/opinions.md#L3"]
    Opinions(home.workspace).recompute(dry_run=False, actor="main")
    assert problems(home.reflect()) == {}
    assert "- supports: [[2026-03-11#^rrrr222222]] +0.20" in home.read("bank/opinions.md")
    assert home.reflect().facts == 0


def test_a_fact_that_is_private_now_is_reported_with_its_opinion(tmp_path: Path) -> None:
    home = Home(tmp_path / "own")
    log = home.log("2026-03-10", f"{ROAST} ^rrrr111111")
    home.reflect()
    before = home.read("bank/opinions.md")
    log.write_text(log.read_text().replace("- O", "<private>\n- O") + "</private>\n")
    for _ in range(2):
        assert "hippod forget ^" in problems(home.reflect())["bank/opinions.md#L9"]
    assert home.read("bank/opinions.md") == before
    log.write_text(log.read_text() + "<<<<<<< a\n=======\n>>>>>>> b\n")
    assert list(problems(home.reflect())) == ["memory/2026-03-10.md"]


def test_an_edited_bullet_of_a_person_is_one_support(tmp_path: Path) -> None:
    home = Home(tmp_path / "own")
    home.log("2026-03-10", ROAST)
    home.reflect()
    home.log("2026-03-10", ROAST.replace("coffee.", "coffee very much."))
    home.reflect()
    ledger = home.read("bank/opinions.md")
    assert ledger.count("supports:") == 1
    assert '"Rowan likes dark roast coffee very much." +0.20' in ledger
    assert home.changed() == []
