"""The configuration is read again by a running daemon, and nobody who asks it notices (C045)."""

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx2
import pytest

from hippod.client import Client
from hippod.errors import ConfigError, DaemonDown, Forbidden
from tests.processes import Daemon, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("reload")]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("reload")
    config = folder / "config.toml"
    config.write_text("")
    made = Daemon(folder, {"HIPPOD_CONFIG": str(config)})
    try:
        made.start()
        (made.workspace / "birds.md").write_text("# Birds\n\nA heron calls at dawn\n")
        made.settle()
        wait_for(lambda: found(made, "heron"), "the page")
        yield made
    finally:
        made.kill()


def configure(daemon: Daemon, text: str) -> Path:
    file = Path(daemon.environ["HIPPOD_CONFIG"])
    file.write_text(text)
    return file


def found(daemon: Daemon, word: str) -> bool:
    return any(word in hit["content"] for hit in daemon.client.recall(word)["hits"])


def events_of(daemon: Daemon, name: str) -> list[dict[str, object]]:
    lines = (json.loads(each) for each in daemon.log.read_text().splitlines() if each[:1] == "{")
    return [line for line in lines if line["event"] == name]


class Asking(threading.Thread):
    """A client that asks again and again; `keeps` one connection for all it asks."""

    def __init__(self, daemon: Daemon, stop: threading.Event, *, keeps: bool) -> None:
        super().__init__()
        self.daemon_, self.stop, self.keeps = daemon, stop, keeps
        self.answers = 0
        self.failures: list[str] = []

    def run(self) -> None:
        transport = httpx2.HTTPTransport(uds=str(self.daemon_.socket))
        with httpx2.Client(transport=transport, timeout=30) as kept:
            while not self.stop.is_set():
                try:
                    answer = self.ask(kept)
                    assert answer["hits"], answer
                    assert set(answer["legs"].values()) == {"ok"}, answer["legs"]
                    self.answers += 1
                except Exception as error:
                    self.failures.append(repr(error))

    def ask(self, kept: httpx2.Client) -> dict[str, object]:
        if not self.keeps:
            return self.daemon_.client.recall("heron")
        response = kept.post("http://hippod/v1/recall", json={"query": "heron"})
        assert response.status_code == 200, response.text
        return dict(response.json())


def test_no_question_fails_while_it_reloads(daemon: Daemon) -> None:
    stop = threading.Event()
    asking = [Asking(daemon, stop, keeps=number < 2) for number in range(4)]
    for each in asking:
        each.start()
    pid, inode = daemon.client.status()["pid"], daemon.socket.stat().st_ino
    try:
        for days in range(100, 103):
            configure(daemon, f"[hygiene]\nmax_daily_logs = {days}\n")
            answer = daemon.client.reload_config()
            assert answer == {"changed": ["hygiene.max_daily_logs"], "needs_restart": []}
            shown = daemon.client.config_show()["hygiene.max_daily_logs"]
            assert shown["value"] == days
    finally:
        stop.set()
        for each in asking:
            each.join()
    assert [failure for each in asking for failure in each.failures] == []
    assert all(each.answers > 0 for each in asking)
    assert (daemon.client.status()["pid"], daemon.socket.stat().st_ino) == (pid, inode)


def test_memory_and_descriptors_stay_as_they_are(daemon: Daemon) -> None:
    def descriptors() -> int:
        return len(os.listdir(f"/proc/{pid}/fd"))

    if not Path("/proc/self/fd").is_dir():
        pytest.skip("descriptors are counted in /proc, which only Linux has")
    pid = daemon.client.status()["pid"]
    reload_to(daemon, 200)
    before = descriptors()
    for days in (201, 203):
        reload_to(daemon, days)
    wait_for(lambda: descriptors() <= before + 2, "descriptors to be closed")


def reload_to(daemon: Daemon, days: int) -> None:
    configure(daemon, f"[hygiene]\nmax_daily_logs = {days}\n")
    assert daemon.client.reload_config()["changed"]


def test_a_faulty_configuration_changes_nothing_and_is_told(daemon: Daemon) -> None:
    before = daemon.client.config_show()
    file = configure(daemon, '[retain]\nquiett = 1\n[workspace]\ntimezone = "Mars/Base"\n')
    with pytest.raises(ConfigError) as told:
        daemon.client.reload_config()
    assert f"{file}: retain.quiett: unknown key; did you mean 'quiet'?" in told.value.message
    said = daemon.cli("config", "reload")
    assert said.returncode == 2
    assert "Mars/Base" not in said.stdout
    failed = events_of(daemon, "config.reload_failed")
    assert str(file) in json.dumps(failed[-1]["problems"])
    file.write_text("[retain\n")
    with pytest.raises(ConfigError, match="line 1"):
        daemon.client.reload_config()
    shown = daemon.cli("config", "get", "recall.limit")
    assert (shown.returncode, shown.stdout) == (0, "10\n"), shown.stderr
    assert "not valid TOML" in shown.stderr
    told = daemon.cli("status").stdout.splitlines()
    assert "needs attention" in told[0]
    assert "! config" in told[1], told
    assert "line 1" in told[1], told
    file.unlink()
    with pytest.raises(ConfigError, match="it is gone"):
        daemon.client.reload_config()
    file.write_text("[hygiene]\nmax_daily_logs = 207\n")
    kept = daemon.client.config_show()
    assert {key: each["value"] for key, each in kept.items()} == {
        key: each["value"] for key, each in before.items()
    }
    assert kept["hygiene.max_daily_logs"]["source"] == f"{file}, as it was before"
    assert daemon.client.status()["config"]["waiting"] == ["hygiene.max_daily_logs"]
    assert found(daemon, "heron")


def test_what_needs_a_restart_is_named_and_stays(daemon: Daemon, tmp_path: Path) -> None:
    configure(daemon, "[server]\nmax_body_bytes = 1000000\n")
    answer = daemon.client.reload_config()
    assert answer["needs_restart"] == ["server.max_body_bytes"]
    assert daemon.client.config_show()["server.max_body_bytes"]["value"] != 1_000_000
    assert daemon.client.status()["config"]["needs_restart"] == ["server.max_body_bytes"]
    (told,) = [each for each in daemon.client.doctor()["findings"] if "was changed" in each["said"]]
    assert "hippod service restart" in told["fix"]


def test_the_log_changes_by_a_reload_and_its_file_is_opened_anew(
    daemon: Daemon, tmp_path: Path
) -> None:
    """Where logrotate moves the file away and says so, the next line stands in a new one."""
    log, moved = tmp_path / "daemon.log", tmp_path / "daemon.log.1"
    file = configure(daemon, f'[log]\nlevel = "debug"\nfile = "{log}"\n')
    answer = daemon.client.reload_config()
    assert set(answer["changed"]) >= {"log.level", "log.file"}
    assert not answer["needs_restart"]
    wait_for(lambda: '"level": "debug"' in log.read_text(), "a line at the new level")
    log.rename(moved)
    daemon.client.reload_config()
    daemon.client.reindex()
    wait_for(log.read_text, "lines in a new file")
    file.write_text("")
    daemon.client.reload_config()


def test_sighup_reads_it_again_and_a_new_source_is_watched(daemon: Daemon, tmp_path: Path) -> None:
    """Case C045: folders added to the configuration after the start."""
    talks = tmp_path / "talks"
    talks.mkdir()
    configure(daemon, f'[[sources]]\nname = "field"\npath = "{talks}/*.md"\nindex = false\n')
    assert daemon.process is not None
    daemon.process.send_signal(signal.SIGHUP)
    wait_for(lambda: "field" in json.dumps(daemon.client.config_show()["sources"]), "the reload")
    (talks / "day.md").write_text("# Talk\n\n**User:** I moved to Graz in May.\n")
    wait_for(lambda: daemon.client.status()["watch"]["last_event"], "an event from there")


def test_a_stream_of_events_ends_and_goes_on_where_it_was(daemon: Daemon) -> None:
    seen: list[int] = []
    ended = threading.Event()

    def follow() -> None:
        try:
            for event in daemon.client.events():
                seen.append(event["id"])
        except DaemonDown:
            ended.set()

    following = threading.Thread(target=follow)
    following.start()
    wait_for(lambda: daemon.client.append_daily_log("A grebe dives") and seen, "an event")
    reload_to(daemon, int(time.monotonic()) % 1000 + 300)
    assert ended.wait(10)
    following.join()
    daemon.client.append_daily_log("A teal swims")

    def came() -> list[int]:
        listed = daemon.client.events(after=seen[-1], follow=False)
        return [event["id"] for event in listed]

    wait_for(came, "what happened meanwhile")
    assert min(came()) > seen[-1]


def test_only_the_main_scope_may(daemon: Daemon) -> None:
    with pytest.raises(Forbidden):
        Client(str(daemon.socket), scope="group").reload_config()


def test_set_and_reload_in_one_step(daemon: Daemon) -> None:
    configure(daemon, "")
    said = daemon.cli("config", "set", "recall.bm25_weight", "0.4", "--reload")
    assert said.returncode == 0, said.stderr
    assert daemon.client.config_show()["recall.bm25_weight"]["value"] == 0.4


def test_a_connection_that_was_taken_back_has_nothing_read_any_more(tmp_path: Path) -> None:
    """Where hippod had no configuration before: its file comes with connect and goes with undo."""
    projects = tmp_path / ".claude/projects/p"
    projects.mkdir(parents=True)
    made = Daemon(tmp_path)
    try:
        made.start()
        for words in (["--yes", "--force"], ["--undo", "--yes"]):
            done = made.cli("connect", "claude-code", *words)
            assert (done.returncode, done.stderr) == (0, "")
            named = [each["name"] for each in made.client.status()["retain"]["sources"]]
            assert ("claude-code" in named) is (words[0] != "--undo")
        assert not (tmp_path / ".hippod/config.toml").exists()
        assert made.client.status()["config"]["file"] is None
        said = [claude_code("s1", "I moved to Linz in January."), claude_code("s1", "Bye.")]
        (projects / "s1.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in said))
        made.client.retain(flush=True)
        assert made.stop() == 0
        assert not any("Linz" in log.read_text() for log in made.workspace.glob("memory/*.md"))
    finally:
        made.kill()


def claude_code(session: str, text: str) -> dict[str, object]:
    now = datetime.now(UTC).isoformat()
    return {
        "type": "user", "uuid": f"{session}-{text[:3]}", "parentUuid": None, "cwd": "/w",
        "sessionId": session, "isSidechain": False, "timestamp": now,
        "message": {"role": "user", "content": text},
    }  # fmt: skip
