"""Daily logs through every door: the library here, HTTP and the command line of a daemon."""

import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from hippod import cli, wire
from hippod.client import Client
from hippod.errors import Forbidden, InvalidInput
from tests.asking import ask
from tests.processes import Daemon, running
from tests.test_cases_bank import House

Build = Callable[..., House]

pytestmark = pytest.mark.xdist_group("daily-doors")


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Build]:
    built: list[House] = []

    def make(now: str, zone: str = "UTC", **workspace: str) -> House:
        house = House(tmp_path / f"w{len(built)}", zone=zone)
        house.settings["workspace"] |= workspace
        house.now = datetime.fromisoformat(now).replace(tzinfo=UTC)
        built.append(house.start())
        return house

    yield make
    for house in built:
        house.stop()


@pytest.fixture
def machine_elsewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "America/Sao_Paulo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def agree(house: House, today: str, clock: str) -> None:
    """Check that every verb has this day and time."""
    house.memory.append_daily_log("the tide turns")
    log = house.memory.today_log()
    assert (log.date, log.exists) == (today, True)
    assert log.path.endswith(f"/{today}.md")
    assert log.content.splitlines()[-1] == f"[{clock}] the tide turns"
    assert house.memory.daily_log(today).content == log.content
    yesterday = str((datetime.fromisoformat(today) - timedelta(days=1)).date())
    assert house.memory.daily_log("yesterday").date == yesterday


# -- midnight and zones ----------------------------------------------------------------------


@pytest.mark.usefixtures("machine_elsewhere")
@pytest.mark.parametrize(
    ("now", "zone", "today", "clock"),
    [
        ("2026-03-03T14:59:59.900000", "Asia/Tokyo", "2026-03-03", "23:59:59"),
        ("2026-03-03T15:00:00", "Asia/Tokyo", "2026-03-04", "00:00:00"),
        ("2026-01-01T06:59:59.900000", "America/Denver", "2025-12-31", "23:59:59"),
        ("2026-01-01T07:00:00", "America/Denver", "2026-01-01", "00:00:00"),
        ("2026-06-30T11:59:59.900000", "Pacific/Auckland", "2026-06-30", "23:59:59"),
        ("2026-06-30T12:00:00", "Pacific/Auckland", "2026-07-01", "00:00:00"),
        # Nights in which the clock changes: forward at 2 in Denver, at midnight in Beirut and
        # Havana, back at 3 in Auckland and at midnight in Havana.
        ("2026-03-08T06:59:59", "America/Denver", "2026-03-07", "23:59:59"),
        ("2026-03-08T09:00:00", "America/Denver", "2026-03-08", "03:00:00"),
        ("2026-03-28T21:59:59", "Asia/Beirut", "2026-03-28", "23:59:59"),
        ("2026-03-28T22:00:00", "Asia/Beirut", "2026-03-29", "01:00:00"),
        ("2026-04-04T13:30:00", "Pacific/Auckland", "2026-04-05", "02:30:00"),
        ("2026-04-04T14:30:00", "Pacific/Auckland", "2026-04-05", "02:30:00"),
        ("2026-11-01T04:30:00", "America/Havana", "2026-11-01", "00:30:00"),
        ("2026-11-01T05:30:00", "America/Havana", "2026-11-01", "00:30:00"),
        ("2026-02-28T23:59:59", "UTC", "2026-02-28", "23:59:59"),
    ],
)
def test_every_verb_has_the_users_day_whatever_the_machine_says(
    build: Build, now: str, zone: str, today: str, clock: str
) -> None:
    agree(build(now, zone), today, clock)


def test_a_log_goes_on_in_the_next_file_after_midnight(build: Build) -> None:
    house = build("2026-03-03T22:59:59", "Europe/Vienna")
    first = house.memory.append_daily_log("before")
    house.now += timedelta(seconds=1)
    second = house.memory.append_daily_log("after")
    assert (first.path, second.path) == ("memory/2026-03-03.md", "memory/2026-03-04.md")
    assert "before" in house.memory.daily_log("yesterday").content
    assert "after" in house.memory.today_log().content


def test_another_zone_in_the_config_holds_from_the_next_start_on(build: Build) -> None:
    house = build("2026-03-03T23:30:00", "Europe/London")
    house.memory.append_daily_log("in London")
    house.settings["workspace"]["timezone"] = "Asia/Tokyo"
    house.restart()
    agree(house, "2026-03-04", "08:30:00")
    assert "in London" in house.memory.daily_log("2026-03-03").content


def test_all_hours_of_two_changes_of_the_clock_are_on_their_day(build: Build) -> None:
    zone = ZoneInfo("America/Denver")
    for start in ("2026-03-08T05:00:00", "2026-11-01T04:00:00"):
        house = build(start, zone.key)
        for _ in range(80):
            local = house.now.astimezone(zone)
            written = house.memory.append_daily_log("tick")
            assert written.path == f"memory/{local:%Y-%m-%d}.md"
            last = house.read(written.path).splitlines()[-1]
            assert last == f"[{local:%H:%M:%S}] tick"
            house.now += timedelta(minutes=20)


# -- other places ----------------------------------------------------------------------------


def test_the_other_layout(build: Build) -> None:
    house = build("2026-03-03T12:00:00", layout="ironclaw")
    agree(house, "2026-03-03", "12:00:00")
    assert (house.root / "daily/2026-03-03.md").exists()
    assert not (house.root / "memory").exists()


def test_a_log_is_found_where_hygiene_put_it(build: Build) -> None:
    house = build("2026-03-03T12:00:00")
    house.put("archive/2025/2025-01-02.md", "archived\n")
    found = house.memory.daily_log("2025-01-02")
    assert (found.path, found.content) == ("archive/2025/2025-01-02.md", "archived\n")
    assert found.exists
    house.put("archive/old/trip/2024-05-06.md", "put away by hand\n")
    house.look()
    assert house.memory.daily_log("2024-05-06").content == "put away by hand\n"


@pytest.mark.parametrize("text", ["\x1b[31mred", "a\x07b", "\x1b[1m \x08"])
def test_a_note_with_control_characters_is_told_where_it_stands(build: Build, text: str) -> None:
    house = build("2026-03-03T12:00:00")
    house.put("memory/2026-03-03.md", "# Daily Log - 2026-03-03\n\n## Retain\n- W @Ina: Rows.\n")
    written = house.memory.append_daily_log(text)
    lines = house.memory.today_log().content.splitlines()
    assert written.line == len(lines)
    assert lines[-1].startswith("[12:00:00] ")
    assert lines[-1].isprintable()


def test_of_several_logs_of_a_day_the_others_are_named(build: Build) -> None:
    house = build("2026-03-03T12:00:00")
    house.put("archive/2025/2025-01-02.md", "archived\n")
    house.memory.append_daily_log("late", date="2025-01-02")
    found = house.memory.daily_log("2025-01-02")
    assert found.path == "memory/2025-01-02.md"
    assert found.others == ("archive/2025/2025-01-02.md",)
    assert house.memory.today_log().others == ()


def test_a_day_without_a_log_says_where_it_would_be(build: Build) -> None:
    found = build("2026-03-03T12:00:00").memory.daily_log("2025-01-02")
    assert found == wire.DailyLog(
        date="2025-01-02", path="memory/2025-01-02.md", content="", exists=False
    )


@pytest.mark.parametrize("day", ["Yesterday", " yesterday\n", "2026-03-02 "])
def test_a_day_is_taken_however_it_is_typed(build: Build, day: str) -> None:
    assert build("2026-03-03T12:00:00").memory.daily_log(day).date == "2026-03-02"


@pytest.mark.parametrize("day", ["", "tomorrow", "2026-02-30", "../x", "to day", "2026-03-03T00"])
def test_what_is_no_day_is_refused(build: Build, day: str) -> None:
    house = build("2026-03-03T12:00:00")
    with pytest.raises(InvalidInput, match=r"^date: "):
        house.memory.daily_log(day)


def test_a_group_learns_nothing_of_any_day(build: Build) -> None:
    house = build("2026-03-03T12:00:00")
    house.put("archive/2025/2025-01-02.md", "archived\n")
    said = set()
    for day in ("2025-01-02", "2024-01-02", "today", "yesterday"):
        with pytest.raises(Forbidden) as refused:
            house.memory.daily_log(day, "group")
        said.add(refused.value.message.partition(":")[2])
    assert len(said) == 1
    with pytest.raises(Forbidden):
        house.memory.append_daily_log("x", scope="group")


# -- the doors of a daemon -------------------------------------------------------------------


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running(tmp_path_factory.mktemp("daily")) as daemon:
        yield daemon


def run(daemon: Daemon, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = cli.main([words[0], "--socket", str(daemon.socket), *words[1:]])
    return code, *capsys.readouterr()


def test_daily_logs(daemon: Daemon, capsys: pytest.CaptureFixture[str]) -> None:
    client = daemon.client
    client.append_daily_log("by the client")
    posted = ask(daemon.socket, "POST", "/v1/daily", {"text": "by HTTP", "date": "today"})
    assert posted.status == 200
    assert run(daemon, capsys, "note", "by the command line")[0] == 0
    assert run(daemon, capsys, "note", "late", "--date", "yesterday")[0] == 0
    whole = client.today_log()["content"]
    for said in ("by the client", "by HTTP", "by the command line"):
        assert said in whole
    assert "late" not in whole
    assert client.daily_log("yesterday")["content"].count("late") == 1
    assert ask(daemon.socket, "GET", "/v1/daily/yesterday").data == client.daily_log("yesterday")
    assert run(daemon, capsys, "today")[1] == whole
    assert run(daemon, capsys, "day", "yesterday")[1].count("late") == 1
    code, out, err = run(daemon, capsys, "day", "2001-01-01")
    assert (code, out) == (0, "")
    assert "no daily log for 2001-01-01" in err


def test_context(daemon: Daemon, capsys: pytest.CaptureFixture[str]) -> None:
    client = daemon.client
    client.append_daily_log("a note for the context")
    client.set_working("agent:main/1", "mind the gap")
    text = client.system_prompt("agent:main/1")
    assert "a note for the context" in text
    assert "mind the gap" in text
    answer = ask(daemon.socket, "GET", "/v1/context?session=agent:main/1")
    assert answer.data["text"] == text
    assert run(daemon, capsys, "context", "--session", "agent:main/1")[1] == text
    code, out, _ = run(daemon, capsys, "context", "--budget", "60", "--json")
    assert code == 0
    short = json.loads(out)
    assert short["budget"]["used"] <= short["budget"]["tokens"] == 60
    assert client.context(budget_tokens=60)["text"] == short["text"]
    assert ask(daemon.socket, "GET", "/v1/context?budget_tokens=0").status == 422


@pytest.mark.parametrize(
    "session",
    ["plain", "agent:main:main", "a/b/../c//d", "x/working", "%2F?#&=", "häuser 🏠", "x" * 200],
)
def test_working_memory(daemon: Daemon, capsys: pytest.CaptureFixture[str], session: str) -> None:
    client = daemon.client
    assert client.get_working(session)["content"] == ""
    assert client.set_working(session, "one")["session"] == session
    assert run(daemon, capsys, "working", "append", "--session", session, "two", "x")[0] == 0
    assert client.append_working(session, "- three\n")["content"] == "one\ntwo x\n- three\n"
    assert run(daemon, capsys, "working", "get", "--session", session)[1] == (
        "one\ntwo x\n- three\n"
    )
    code, out, _ = run(daemon, capsys, "working", "clear", "--session", session)
    assert (code, out) == (0, "cleared\n")
    assert client.clear_working(session) == {"session": session, "cleared": False}


def test_the_command_line_refuses_what_is_no_action(
    daemon: Daemon, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run(daemon, capsys, "working", "apend", "--session", "s", "x")
    assert code == 2
    assert "append" in err
    assert run(daemon, capsys, "working", "get", "x", "--session", "s")[0] == 2
    assert run(daemon, capsys, "working", "get")[0] == 2
    code, _, err = run(daemon, capsys, "working", "--session", "s")
    assert code == 2
    assert "get, set, append, clear" in err


def test_who_names_another_workspace_than_the_sockets_writes_nothing(
    daemon: Daemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other.toml").write_text('[workspace]\npath = "elsewhere"\n')
    monkeypatch.setitem(daemon.environ, "HIPPOD_WORKSPACE", "")
    for option, value in (("--workspace", tmp_path), ("--config", tmp_path / "other.toml")):
        done = daemon.cli(option, str(value), "note", "Meant for elsewhere")
        assert done.returncode == 2
        assert "serves another workspace" in done.stderr
        assert "HIPPOD_SOCKET" in done.stderr
    with pytest.raises(InvalidInput, match="another workspace"):
        Client(daemon.socket, workspace=tmp_path).append_daily_log("Meant for elsewhere")
    (tmp_path / "link").symlink_to(daemon.workspace)
    link = str(tmp_path / "link")
    assert daemon.cli("--workspace", link, "note", "Meant for here").returncode == 0
    whole = daemon.client.today_log()["content"]
    assert "Meant for here" in whole
    assert "elsewhere" not in whole


def test_no_text_does_not_empty_a_working_memory(daemon: Daemon) -> None:
    daemon.client.set_working("s", "mind the gap")
    for action in ("set", "append"):
        done = daemon.cli("working", action, "--session", "s", stdin="")
        assert done.returncode == 2
        assert "hippod working clear" in done.stderr
    assert daemon.cli("working", "get", "--session", "s").stdout == "mind the gap\n"


def test_too_much_and_wrong_names_are_told(daemon: Daemon) -> None:
    answer = ask(daemon.socket, "PUT", "/v1/sessions/s/working", {"content": "x" * 16_001})
    assert (answer.status, answer.error["code"]) == (413, "too_large")
    assert "16001 bytes, at most 16000" in answer.error["message"]
    for wrong in ("%0A", "x" * 201, ""):
        assert ask(daemon.socket, "GET", f"/v1/sessions/{wrong}/working").status == 422


def test_an_ended_session_keeps_nothing_in_mind(
    daemon: Daemon, capsys: pytest.CaptureFixture[str]
) -> None:
    client = daemon.client
    for end in (
        lambda: client.retain(session="over", ended=True),
        lambda: run(daemon, capsys, "retain", "--session", "over", "--ended"),
    ):
        client.set_working("over", "x")
        client.retain(session="over", flush=True)
        assert client.get_working("over")["content"] == "x"
        end()
        assert client.get_working("over")["content"] == ""


def test_a_first_start_makes_the_files_of_init(daemon: Daemon) -> None:
    assert (daemon.workspace / "HEARTBEAT.md").exists()
    assert (daemon.workspace / "SOUL.md").exists()
    assert "## Core Values" in daemon.client.system_prompt()


def test_working_memory_survives_a_kill(daemon: Daemon) -> None:
    daemon.client.set_working("kept", "still here")
    daemon.kill()
    daemon.start()
    assert daemon.client.get_working("kept")["content"] == "still here"
