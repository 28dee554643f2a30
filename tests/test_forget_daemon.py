"""`hippod forget` against a real daemon: the command line, a group, the logs, and a kill."""

import contextlib
import json
import signal
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hippod.client import Client
from hippod.errors import Forbidden, HippodError, NotFound
from tests.crash.test_crash import KILLER
from tests.processes import Daemon, running, wait_for

DAY = "2026-03-03"
LOG = f"memory/{DAY}.md"
SECRET = "We decided to moor the Quillon at pier 7319."
NEEDLE = b"Quillon at pier 7319"
SETTINGS = {"HIPPOD_EMBEDDER__PROVIDER": "none", "HIPPOD_ENCODER__PROVIDER": "none"}


def plant(daemon: Daemon) -> None:
    """Have a secret said, among other things, and a page and a note that hold it."""
    said = ("I prefer oat milk in my coffee.", SECRET, "Remember that Olaf has the spare key.")
    lines = [
        json.dumps({"role": "user", "content": text, "timestamp": f"{DAY}T10:00:0{number}Z"})
        for number, text in enumerate(said)
    ]
    (daemon.workspace / "sessions").mkdir(parents=True, exist_ok=True)
    (daemon.workspace / "sessions" / "talk.jsonl").write_text("\n".join(lines) + "\n")
    daemon.client.retain(flush=True, wait=True)
    daemon.client.write("context/notes.md", f"Paint the hull. {SECRET} Buy rope.\n")
    daemon.client.write("context/notes.md", f"Paint the hull. {SECRET} Buy rope and tar.\n")
    wait_for(lambda: "7319" in daemon.client.read(LOG)["content"], "the fact")
    daemon.settle()


def holders(workspace: Path) -> list[str]:
    """Return the files, transcripts excepted, that hold the secret; ask while no daemon runs."""
    return [
        path.relative_to(workspace).as_posix()
        for path in sorted(workspace.rglob("*"))
        if path.is_file() and "sessions" not in path.parts and NEEDLE in path.read_bytes()
    ]


def test_forget_from_plan_to_the_last_copy(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, SETTINGS)
    try:
        daemon.start()
        plant(daemon)
        plan = daemon.cli("forget", SECRET)
        assert plan.returncode == 0
        assert "--yes" in plan.stdout
        assert LOG in plan.stdout
        assert "sessions/talk.jsonl:2" in plan.stdout
        assert "7319" in daemon.client.read("context/notes.md")["content"]
        done = json.loads(daemon.cli("forget", SECRET, "--yes", "--json").stdout)
        assert done["applied"]
        assert not done["problems"]
        assert daemon.client.read("context/notes.md")["content"] == (
            "Paint the hull. Buy rope and tar.\n"
        )
        daemon.settle()
        assert not daemon.client.recall("Quillon pier 7319", mode="lexical")["hits"]
        for entry in daemon.client.log()["entries"]:
            assert "7319" not in json.dumps(daemon.client.logged(entry["id"]))
        with pytest.raises(HippodError, match="forgotten"):
            daemon.client.why(done["facts"][0])
        forgets = [e for e in daemon.client.log()["entries"] if e["operation"] == "forget"]
        with pytest.raises(HippodError, match="cannot be taken back"):
            daemon.client.undo(forgets[0]["id"])
        assert daemon.cli("forget", "nobody ever said this thing").returncode == 4
        assert daemon.stop() == 0
        assert holders(daemon.workspace) == []
        daemon.start()
        daemon.client.reindex(full=True)
        daemon.client.retain(flush=True, wait=True)
        daemon.settle()
        assert daemon.stop() == 0
        assert holders(daemon.workspace) == []
        for file in (daemon.workspace / ".memory").glob("state.sqlite*"):
            file.unlink()
        daemon.start()
        daemon.client.retain(flush=True, wait=True)
        daemon.settle()
        assert daemon.stop() == 0
        assert holders(daemon.workspace) == []
        assert "oat milk" in (daemon.workspace / LOG).read_text()
        assert NEEDLE not in daemon.log.read_bytes()
    finally:
        if daemon.process is not None and daemon.process.poll() is None:
            daemon.kill()


def test_reflection_and_every_leg_have_lost_it_after_each_step(tmp_path: Path) -> None:
    settings = {"HIPPOD_ENCODER__PROVIDER": "none", "HIPPOD_GENERATOR__PROVIDER": "none"}
    with running(tmp_path, settings) as daemon:
        daemon.client.retain(
            facts=[
                "W @Nadia-Brook: Plays the cello in the Lindau quartet.",
                "W @Nadia-Brook: Lives above the bakery in Bregenz.",
                "W @Olaf: Repairs clocks in winter.",
            ]
        )
        daemon.settle()
        daemon.client.reflect()
        daemon.settle()
        pages = daemon.workspace / "bank"
        assert "cello" in "".join(page.read_text() for page in pages.rglob("*.md"))

        def gone() -> None:
            daemon.settle()
            markdown = [p for p in daemon.workspace.rglob("*.md") if ".memory" not in p.parts]
            assert "cello" not in "".join(page.read_text() for page in markdown)
            for mode in ("lexical", "vector", "hybrid"):
                answer = daemon.client.recall("Nadia cello Lindau quartet", mode=mode)
                assert "cello" not in json.dumps(answer["hits"])

        done = daemon.client.forget("Plays the cello in the Lindau quartet.", dry_run=False)
        assert not done["problems"]
        gone()
        assert "bakery" in (pages / "entities" / "Nadia-Brook.md").read_text()
        daemon.client.reflect()
        gone()
        assert daemon.stop() == 0
        daemon.start()
        gone()
        daemon.client.reindex(full=True)
        gone()
        daemon.client.reflect()
        gone()
        refused = daemon.client.retain(
            facts=["W @Nadia-Brook: Plays the cello in the Lindau quartet."]
        )
        assert "was forgotten" in refused["rejected"][0]["reason"]
        gone()


def test_a_name_takes_along_what_reflection_made_of_it(tmp_path: Path) -> None:
    """Lines of pages that do not name her go, and undoing what reflection did changes nothing."""
    day = (datetime.now(UTC) - timedelta(days=1)).date().isoformat()
    said = ["Keeps ferrets in Innsbruck.", "Dances the rueda.", "Sells umbrellas since 2020."]
    needles = ("Wendla", "ferrets", "rueda", "umbrellas")
    with running(tmp_path, SETTINGS) as daemon:
        facts = [
            f"- W @Wendla: {said[0]}",
            f"- W @Wendla @Olaf: {said[1]}",
            f"- W @Wendla: {said[2]}",
        ]
        lines = [*facts, "- W @Olaf: Repairs clocks in winter.", "- W @Olaf: Has a red canoe."]
        daemon.client.write(f"memory/{day}.md", "## Retain\n" + "\n".join(lines) + "\n")
        daemon.settle()
        daemon.client.reflect()
        daemon.settle()
        page = daemon.workspace / "bank/entities/Olaf.md"
        assert "rueda" in page.read_text()
        done = daemon.client.forget("Wendla", dry_run=False, every=True)
        assert not done["problems"]
        assert not (daemon.workspace / "bank/entities/Wendla.md").exists()
        daemon.client.reflect()
        for entry in daemon.client.log()["entries"]:
            with contextlib.suppress(HippodError):
                daemon.client.undo(entry["id"])
        daemon.settle()
        assert "canoe" in page.read_text()
        answer = daemon.client.recall("who keeps ferrets, sells umbrellas", mode="lexical")
        assert not any(needle in json.dumps(answer["hits"]) for needle in needles)
        assert daemon.stop() == 0
        files = [path for path in daemon.workspace.rglob("*") if path.is_file()]
        assert [p for p in files if any(n.encode() in p.read_bytes() for n in needles)] == []


def test_a_group_forgets_nothing_and_a_read_only_page_is_told(tmp_path: Path) -> None:
    with running(tmp_path, SETTINGS) as daemon:
        plant(daemon)
        group = Client(socket_path=str(daemon.socket), scope="group")
        with pytest.raises(Forbidden):
            group.forget(SECRET)
        (daemon.workspace / "context/notes.md").chmod(0o444)
        done = daemon.cli("forget", SECRET, "--yes")
        assert done.returncode == 1
        assert "still stands in context/notes.md" in done.stderr
        assert "7319" not in daemon.client.read(LOG)["content"]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_killed_at_any_step_the_same_again_ends_it(tmp_path: Path) -> None:
    whole = Daemon(tmp_path / "whole", SETTINGS)
    whole.workspace.mkdir(parents=True)
    try:
        whole.start()
        plant(whole)
        assert whole.stop() == 0
    finally:
        if whole.process is not None and whole.process.poll() is None:
            whole.kill()
    steps = forget_killed_at(tmp_path / "count", whole.workspace, 0)
    assert steps > 20
    for step in range(8, steps, 17):
        forget_killed_at(tmp_path / str(step), whole.workspace, step)


def forget_killed_at(folder: Path, workspace: Path, kill_at: int) -> int:
    """Forget in a copy of a workspace and die at a durable step, then once more; count them."""
    import shutil

    folder.mkdir()
    log = folder / "steps"
    settings = {
        **SETTINGS,
        "HIPPOD_KILL_AT": str(kill_at),
        "HIPPOD_KILL_LOG": str(log),
        "HIPPOD_RETAIN__ENABLED": "false",
    }
    daemon = Daemon(folder, settings, (sys.executable, str(KILLER)))
    shutil.copytree(workspace, daemon.workspace)
    process = daemon.spawn()
    try:
        wait_for(lambda: daemon.answers() or process.poll() is not None, "the daemon")
        try:
            if process.poll() is None:
                daemon.client.forget(SECRET, dry_run=False)
        except HippodError:
            assert process.wait(20) == -signal.SIGKILL
        count = len(log.read_text().splitlines())
        if process.poll() is None:
            daemon.stop()
        again = Daemon(folder, {**SETTINGS, "HIPPOD_RETAIN__ENABLED": "false"})
        try:
            again.start()
            with contextlib.suppress(NotFound):  # where nothing but its end was left
                again.client.forget(SECRET, dry_run=False)
            assert again.stop() == 0
        finally:
            if again.process is not None and again.process.poll() is None:
                again.kill()
        assert holders(daemon.workspace) == [], f"killed at step {kill_at}"
        notes = (daemon.workspace / "context/notes.md").read_text()
        assert notes == "Paint the hull. Buy rope and tar.\n"
        return count
    finally:
        if process.poll() is None:
            process.kill()
