"""Reflection in the running daemon: the verb from all doors, and by itself after new facts."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hippod.client import Client
from hippod.errors import Forbidden, InvalidInput
from tests.processes import Daemon, running, wait_for

LOG = "memory/2026-03-02.md"
FACTS = """\
# Daily Log - 2026-03-02

## Retain
- W @Ines: Lives in Porto since 2024. (14:02 main/s1#m1) ^aaaa111111
- B @Ines: Baked 2 loaves of rye bread. (14:02 main/s1#m2) ^bbbb222222
"""
SETTINGS = {
    "HIPPOD_EMBEDDER__PROVIDER": "none",
    "HIPPOD_ENCODER__PROVIDER": "none",
    "HIPPOD_REFLECT__AFTER_FACTS": "3",
}


def put(daemon: Daemon, path: str, text: str) -> Path:
    file = daemon.workspace / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    with running(tmp_path, SETTINGS) as daemon:
        yield daemon


def test_the_command_shows_a_diff_then_writes_then_rests(daemon: Daemon) -> None:
    put(daemon, LOG, FACTS)
    shown = daemon.cli("reflect", "--dry-run")
    assert shown.returncode == 0, shown.stderr
    assert "+++ bank/entities/Ines.md" in shown.stdout
    assert "changes to do" in shown.stdout
    page = daemon.workspace / "bank/entities/Ines.md"
    assert not page.exists()
    done = daemon.cli("reflect")
    assert "bank/entities/Ines.md: 2 facts about Ines" in done.stdout
    assert "extractive: no model" in done.stdout
    before = page.read_bytes()
    assert daemon.cli("reflect", "--since", "7d").stdout.startswith("nothing to change")
    assert json.loads(daemon.cli("reflect", "--json").stdout)["changes"] == []
    assert page.read_bytes() == before
    hits = daemon.client.recall("rye bread", mode="lexical")["hits"]
    wait_for(
        lambda: any(
            hit["path"].startswith("bank/")
            for hit in daemon.client.recall("Ines Porto", mode="lexical", path="bank/**")["hits"]
        ),
        "the page to be found",
    )
    assert hits


def test_status_and_jobs_tell_of_it(daemon: Daemon) -> None:
    put(daemon, LOG, FACTS)
    jobs = {job["name"]: job for job in daemon.client.jobs()["jobs"]}
    assert jobs["reflect"]["schedule"] == "every 1 d"
    assert jobs["reflect"]["last_run"] is None
    soon = datetime.now(UTC) + timedelta(minutes=10)
    assert datetime.fromisoformat(jobs["reflect"]["next_run"]) <= soon
    wait_for(
        lambda: daemon.client.status()["bank"]["facts_waiting"] == 2, "the facts to be counted"
    )
    daemon.client.run_job("reflect")
    status = daemon.client.status()
    assert status["bank"]["last_outcome"] == "ok"
    assert status["bank"]["facts_waiting"] == 0
    assert status["bank"]["quality"] == "extractive: no model"
    log = daemon.client.log(path="bank/entities/Ines.md")["entries"]
    assert [entry["actor"] for entry in log] == ["reflect"]


def test_it_is_not_for_a_group_and_wants_a_date(daemon: Daemon) -> None:
    with pytest.raises(InvalidInput, match="since"):
        daemon.client.reflect(since="some day")
    with pytest.raises(Forbidden):
        Client(socket_path=str(daemon.socket), scope="group").reflect()


def test_it_runs_by_itself_after_enough_facts(daemon: Daemon) -> None:
    put(daemon, LOG, FACTS)
    page = daemon.workspace / "bank/entities/Ines.md"
    wait_for(
        lambda: daemon.client.status()["bank"]["facts_waiting"] == 2, "the facts to be counted"
    )
    assert not page.exists()
    put(daemon, LOG, FACTS + "- W @Ines: Her oven is from 1974. ^cccc333333\n")
    wait_for(page.exists, "the page")
    wait_for(lambda: daemon.client.status()["bank"]["facts_waiting"] == 0, "the run to end")
    assert "oven is from 1974" in page.read_text()


def test_why_tells_what_a_summary_repeats(daemon: Daemon) -> None:
    yesterday = (datetime.now(UTC) - timedelta(days=1)).date().isoformat()
    log = put(daemon, f"memory/{yesterday}.md", FACTS.replace("2026-03-02", yesterday))
    daemon.client.reflect()
    (line,) = (each for each in log.read_text().splitlines() if each.startswith("- S @Ines"))
    wait_for(lambda: daemon.status_index_is_idle(), "the index")
    why = daemon.client.why(line.rpartition("^")[2])
    assert why["origin"] == "derived"
    assert why["said"] is None
    assert [each["fact"] for each in why["derived_from"]] == ["aaaa111111", "bbbb222222"]
    assert why["derived_from"][0]["source"] == f"memory/{yesterday}.md#L4"
    printed = daemon.cli("why", line.rpartition("^")[2]).stdout
    assert "derived by hippod" in printed
    assert "Baked 2 loaves of rye bread." in printed
    retain = daemon.client.status()["retain"]
    assert retain["turns_waiting"] == 0


def test_why_finds_what_a_person_wrote_by_its_words(daemon: Daemon) -> None:
    yesterday = (datetime.now(UTC) - timedelta(days=1)).date().isoformat()
    path = f"memory/{yesterday}.md"
    log = put(daemon, path, "## Retain\n- W @Ines: Mends clocks.\n- W @Ines: Is from Faro.\n")
    assert f"+++ {path}\n+- S @Ines: " in daemon.cli("reflect", "--dry-run").stdout
    done = daemon.cli("jobs", "run", "reflect").stdout
    assert f"{path}: what the day was about" in done
    (line,) = (each for each in log.read_text().splitlines() if each.startswith("- S @Ines"))
    id_ = line.rpartition("^")[2]
    wait_for(lambda: daemon.status_index_is_idle(), "the index")
    printed = daemon.cli("why", id_).stdout
    assert f"{path}#L2  Mends clocks." in printed
    assert f"{path}#L3  Is from Faro." in printed
    log.write_text(log.read_text().replace("- W @Ines: Is from Faro.\n", ""))
    wait_for(lambda: f"{path}  Is from Faro." in daemon.cli("why", id_).stdout, "the index")


def test_a_source_may_not_take_its_name(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path)
    config = tmp_path / "config.toml"
    config.write_text('[[sources]]\nname = "reflect"\npath = "x/*.jsonl"\n')
    said = daemon.cli("run", "--config", str(config))
    assert said.returncode != 0
    assert "'reflect' is taken" in said.stderr
