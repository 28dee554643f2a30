"""The process around the daemon's work: what a reload, the watchdog and signals do to each other.

In this process, with a real socket and lock, and work that only waits.
"""

import argparse
import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import apsw
import httpx2
import pytest
from structlog.testing import capture_logs

from hippod import daemon as daemons
from hippod import lanes, lock, process, wire
from hippod.cli import local
from hippod.config import Config
from hippod.errors import Busy, ConfigError, InvalidInput, StorageError
from hippod.notify import ServiceManager

REAL_OVER = process.compose.over


class Work:
    """A daemon that waits until it is to stop; `ailing` and `crashes` are what tests wish."""

    ailing = ""
    crashes = False
    begun = 0

    def __init__(self, _parts: object, _held: object) -> None:
        self._stop = asyncio.Event()
        type(self).begun += 1

    def connect(self) -> None: ...

    def quieten(self) -> None: ...

    def stop(self) -> None:
        self._stop.set()

    def line(self) -> str:
        return ""

    def ailment(self) -> str:
        return self.ailing

    async def run(self) -> None:
        await self._stop.wait()
        if self.crashes:
            raise StorageError("a thread that could not be ended")


class Backup:
    """Bytes without end."""

    files = None

    def __init__(self) -> None:
        self.is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        while not self.is_closed:
            yield bytes(100_000)

    def close(self) -> None:
        self.is_closed = True


class Stage:
    """A process over a workspace below `folder`, and what happens to it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        self.path = folder / "s.sock"
        self.days = 100
        self.broken: Exception | None = None
        self.slow = 0.0
        self.said: list[str] = []
        self.backups: list[Backup] = []
        self.manager = ServiceManager({})
        monkeypatch.setattr(self.manager, "_say", lambda *lines: self.said.extend(lines))
        monkeypatch.setattr(process.compose, "over", self.over)
        monkeypatch.setattr(process.log, "begin", lambda config: None)
        monkeypatch.setattr(process, "Daemon", Work)
        for name, value in (("ailing", ""), ("crashes", False), ("begun", 0)):
            monkeypatch.setattr(Work, name, value)

    @contextmanager
    def over(self, _folder: Path, *_settings: object) -> Iterator[SimpleNamespace]:
        time.sleep(self.slow)
        if self.broken:
            raise self.broken
        memory = SimpleNamespace(backup=self.backup)

        async def reload_config(_scope: str) -> wire.ConfigReloaded:
            return wire.ConfigReloaded.model_validate(await memory.reload())

        memory.reload_config = reload_config
        yield SimpleNamespace(memory=memory, state=None)

    def backup(self, _scope: str) -> Backup:
        self.backups.append(Backup())
        return self.backups[-1]

    def settings(self) -> process.Settings:
        return Config.model_validate(
            {
                "workspace": {"path": str(self.workspace)},
                "server": {"socket": str(self.path)},
                "hygiene": {"max_daily_logs": self.days},
            }
        ), None

    def live(self, act: Callable[[httpx2.AsyncClient], Awaitable[object]]) -> None:
        """Run the process, do `act`, and have it end by SIGTERM, as it then must at once."""

        async def whole() -> None:
            running = asyncio.create_task(
                process.Process(self.settings(), self.settings, self.manager).run()
            )
            await self.until(lambda: "READY=1" in self.said or running.done())
            if running.done():
                running.result()
            transport = httpx2.AsyncHTTPTransport(uds=str(self.path))
            async with httpx2.AsyncClient(
                transport=transport, base_url="http://hippod", timeout=20
            ) as client:
                await act(client)
            if not running.done():
                os.kill(os.getpid(), signal.SIGTERM)
            assert await asyncio.wait_for(running, 10) == 0

        asyncio.run(whole())

    def live_held(self, logs: list[Any]) -> None:
        """Run the process until it waits for who holds the workspace, and have it end."""

        async def whole() -> None:
            made = process.Process(self.settings(), self.settings, self.manager)
            running = asyncio.create_task(made.run())
            await self.until(lambda: logs)
            os.kill(os.getpid(), signal.SIGTERM)
            assert await asyncio.wait_for(running, 10) == 0

        asyncio.run(whole())

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(20):
            while not condition():
                await asyncio.sleep(0.01)

    def take_backup(self) -> socket.socket:
        """Begin to take a backup, and then take nothing more of it."""
        return self.begin(b"GET /v1/backup HTTP/1.1\r\nhost: x\r\n\r\n")

    def begin(self, request: bytes) -> socket.socket:
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        client.connect(str(self.path))
        client.sendall(request)
        return client


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    before = {number: signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGINT)}
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    yield Stage(tmp_path, monkeypatch)
    for number, handler in before.items():
        signal.signal(number, handler)


async def reload(client: httpx2.AsyncClient) -> httpx2.Response:
    return await client.post("/v1/config/reload", json={})


async def is_well(client: httpx2.AsyncClient) -> bool:
    return (await client.get("/v1/health")).status_code == 200


def test_what_cannot_begin_says_why(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> str:
        with pytest.raises(StorageError) as told:
            stage.live(is_well)
        return told.value.message

    stage.path.write_text("mine")
    assert "stands in the way and is not a socket" in refused()
    stage.path.unlink()
    state = apsw.Connection(str(stage.workspace / ".memory" / "state.sqlite"))
    state.execute("PRAGMA user_version=9999")
    state.close()
    with monkeypatch.context() as real:
        real.setattr(process.compose, "over", REAL_OVER)
        assert "written by a newer hippod" in refused()
    stage.workspace.rename(stage.folder / "away")
    stage.workspace.write_text("a file, not a folder")
    assert str(stage.workspace) in refused()


def test_under_a_service_manager_who_holds_it_for_a_while_is_waited_for(stage: Stage) -> None:
    """As a backup or a doctor without a daemon does; the service must not stay down for it."""
    stage.manager.present = True
    with capture_logs() as logs, lock.hold(stage.workspace, "backup"):
        stage.live_held(logs)
    waited = [line["reason"] for line in logs if line["event"] == "workspace.waited_for"]
    assert len(waited) == 1
    assert f"(pid {os.getpid()}, backup)" in waited[0]
    stage.manager.present = False
    with lock.hold(stage.workspace, "backup"), pytest.raises(Busy):
        stage.live(is_well)

    stage.manager.present = True
    with ExitStack() as held:
        held.enter_context(lock.hold(stage.workspace, "backup"))
        threading.Timer(0.7, held.close).start()
        stage.live(is_well)


# -- reloads ----------------------------------------------------------------------------------


def test_reloads_that_come_together_do_not_wait_for_each_other(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.slow = 0.1  # so that some come while another is under way

    async def act(client: httpx2.AsyncClient) -> None:
        for days in (101, 102):
            stage.days = days
            began = time.monotonic()
            os.kill(os.getpid(), signal.SIGHUP)
            asked = []
            for _ in range(6):
                asked.append(asyncio.create_task(reload(client)))
                await asyncio.sleep(0.01)
            answers = await asyncio.gather(*asked, is_well(client))
            assert [a.status_code for a in answers if isinstance(a, httpx2.Response)] == [200] * 6
            assert time.monotonic() - began < process.FINISH_SECONDS
        assert Work.begun == 3, "what was read already is not built again"

    stage.live(act)


def test_where_nothing_can_be_built_anew_it_says_so_and_tries_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "AGAIN_SECONDS", (0.05,))

    async def act(client: httpx2.AsyncClient) -> None:
        for trouble in (StorageError("the disk is gone"), OSError(5, "Input/output error", "x")):
            stage.broken, stage.days = trouble, stage.days + 1
            assert (await reload(client)).status_code == 507
            refused = await client.get("/v1/health")
            assert refused.status_code == 507
            assert "the daemon cannot work" in refused.json()["error"]["message"]
            held = stage.workspace / ".memory" / "lock"
            held.unlink()
            await stage.until(held.exists)
            stage.broken = None
            begun = Work.begun
            await stage.until(lambda begun=begun: Work.begun > begun)  # type: ignore[misc]
            assert await is_well(client)
        stage.broken, stage.days = StorageError("gone for good"), 150
        assert (await reload(client)).status_code == 507

    with capture_logs() as logs:
        stage.live(act)
    failed = [line for line in logs if line["event"] == "daemon.cannot_begin"]
    assert {line["reason"] for line in failed} >= {"the disk is gone", "x: Input/output error"}


def test_while_the_workspace_is_away_nothing_is_taken_down(stage: Stage) -> None:
    async def act(client: httpx2.AsyncClient) -> None:
        away = stage.workspace.rename(stage.folder / "away")
        stage.days = 101
        answer = await reload(client)
        assert answer.status_code == 507
        assert "away" in answer.json()["error"]["message"]
        assert await is_well(client)
        assert Work.begun == 1
        away.rename(stage.workspace)
        assert (await reload(client)).json()["changed"] == ["hygiene.max_daily_logs"]

    stage.live(act)


def test_who_takes_no_answer_and_ends_no_request_holds_up_no_reload(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "FINISH_SECONDS", 0.2)

    async def act(client: httpx2.AsyncClient) -> None:
        taking = stage.take_backup()
        dripping = stage.begin(b"POST /v1/daily HTTP/1.1\r\nhost: x\r\ncontent-length: 90\r\n\r\n{")
        await stage.until(lambda: stage.backups)
        await asyncio.sleep(0.2)
        stage.days, began = 101, time.monotonic()
        assert (await reload(client)).status_code == 200
        assert time.monotonic() - began < 3
        assert stage.backups[0].is_closed
        answer = await asyncio.to_thread(dripping.recv, 4_096)
        assert b"423" in answer.splitlines()[0]
        taking.close()
        dripping.close()

    stage.live(act)


def test_a_stop_during_a_reload_waits_for_nobody(stage: Stage) -> None:
    async def act(client: httpx2.AsyncClient) -> None:
        taking = stage.take_backup()
        await stage.until(lambda: stage.backups)
        stage.days, began = 101, time.monotonic()
        asked = asyncio.create_task(reload(client))
        await stage.until(lambda: "RELOADING=1" in stage.said)
        os.kill(os.getpid(), signal.SIGTERM)
        assert (await asked).status_code == 503
        assert time.monotonic() - began < process.FINISH_SECONDS
        taking.close()

    stage.live(act)


def test_what_fails_at_the_end_does_not_keep_it_from_ending(stage: Stage) -> None:
    Work.crashes = True

    async def act(client: httpx2.AsyncClient) -> None:
        assert await is_well(client)

    stage.live(act)


# -- the watchdog -----------------------------------------------------------------------------


def test_the_watchdog_is_not_fed_while_something_is_stuck_and_soon_after(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "LOOK_SECONDS", 0.02)
    stage.manager.watchdog = 0.4

    def fed() -> int:
        return stage.said.count("WATCHDOG=1")

    async def act(_client: httpx2.AsyncClient) -> None:
        await stage.until(lambda: fed() >= 2)
        Work.ailing = "index for 4000 s"
        await asyncio.sleep(0.25)
        before = fed()
        await asyncio.sleep(0.5)
        assert fed() == before
        Work.ailing, began = "", time.monotonic()
        await stage.until(lambda: fed() > before)
        assert time.monotonic() - began < 0.15, "not after half a period: it may be too late then"

    with capture_logs() as logs:
        stage.live(act)
    stuck = [line for line in logs if line["event"] == "daemon.stuck"]
    assert [line["threads"] for line in stuck] == ["index for 4000 s"]


def test_the_watchdog_is_not_fed_while_a_reload_does_not_come_to_its_end(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "ABSENT_SECONDS", 0.2)
    monkeypatch.setattr(process, "LOOK_SECONDS", 0.02)
    stage.manager.watchdog = 0.1

    async def act(client: httpx2.AsyncClient) -> None:
        stage.slow, stage.days = 0.8, 101
        asked = asyncio.create_task(reload(client))
        await asyncio.sleep(0.5)
        before = stage.said.count("WATCHDOG=1")
        await asyncio.sleep(0.2)
        assert stage.said.count("WATCHDOG=1") == before
        assert (await asked).status_code == 200
        await stage.until(lambda: stage.said.count("WATCHDOG=1") > before)

    stage.live(act)


def test_a_thread_is_stuck_when_its_work_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(daemons.STUCK_SECONDS, "retain", 0.2)
    monkeypatch.setitem(daemons.STUCK_SECONDS, "pulse", 0.2)
    locked, ended = threading.Event(), threading.Event()
    state = SimpleNamespace(runs=lambda _job: locked.wait(20))
    parts: Any = SimpleNamespace(
        config=Config(), state=state, index=SimpleNamespace(texts_waiting=int)
    )

    def moving() -> None:
        for _ in range(20):
            time.sleep(0.03)
            lanes.moved()
        ended.wait(20)

    async def scenario() -> None:
        made = daemons.Daemon(parts)
        locked.set()
        made._retain_thread.submit(moving)
        for _ in range(5):
            assert made.ailment() == "", "its work is long, but moves"
            await asyncio.sleep(0.1)
        locked.clear()
        async with asyncio.timeout(10):
            while set(made.ailment().split(", ")) != {"retain for 0 s", "pulse for 0 s"}:
                await asyncio.sleep(0.02)
        locked.set()
        ended.set()
        async with asyncio.timeout(10):
            while made.ailment():
                await asyncio.sleep(0.02)
        for lane in made._lanes:
            lane.shutdown()

    asyncio.run(scenario())


def test_outside_of_a_lane_nothing_moves() -> None:
    lanes.moved()
    lane = lanes.Lane("one")
    assert lane.busy() == 0
    assert lane.submit(lambda: 0 < lane.busy() < 5).result(5)
    lane.shutdown()
    assert lane.busy() == 0


# -- signals ----------------------------------------------------------------------------------


def test_a_reload_asked_for_before_or_after_all_ends_nothing(stage: Stage) -> None:
    def load() -> process.Settings:
        os.kill(os.getpid(), signal.SIGHUP)
        raise ConfigError(["c.toml: faulty"])

    with pytest.raises(ConfigError):
        process.run(load)

    async def act(client: httpx2.AsyncClient) -> None:
        assert await is_well(client)

    stage.live(act)
    os.kill(os.getpid(), signal.SIGHUP)


def test_who_is_told_to_stop_has_a_deadline(stage: Stage) -> None:
    told: list[str] = []

    async def whole() -> int:
        made = process.Process(stage.settings(), stage.settings, stage.manager)
        made.told_to_stop = lambda: told.append("to stop")
        running = asyncio.create_task(made.run())
        await stage.until(lambda: "READY=1" in stage.said or running.done())
        assert told == []
        os.kill(os.getpid(), signal.SIGTERM)
        return await asyncio.wait_for(running, 10)

    assert asyncio.run(whole()) == 0
    assert told == ["to stop"]


BUSY = """
import asyncio, sys, threading
from hippod import process

def spin():
    while True: pass

class Ended:
    async def run(self):
        threading.Thread(target=spin, name="busy").start()
        asyncio.get_running_loop().run_in_executor(None, spin)
        return 7

process.LEAVE_SECONDS = 0.2
sys.exit(asyncio.run(process._to_its_end(Ended())))
"""


def test_the_process_ends_though_threads_work_on_for_ever() -> None:
    done = subprocess.run(
        [sys.executable, "-c", BUSY], capture_output=True, timeout=60, check=False, text=True
    )
    assert done.returncode == 7
    assert "daemon.left" in done.stdout + done.stderr
    assert "busy" in done.stdout + done.stderr


def test_who_interrupts_twice_waits_for_nothing(stage: Stage) -> None:
    async def act(client: httpx2.AsyncClient) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        await stage.until(lambda: "STOPPING=1" in stage.said)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL, "the next one is the kernel's"

    stage.live(act)


# -- the places -------------------------------------------------------------------------------


def given(config: Path | str, workspace: str | None = None) -> argparse.Namespace:
    return argparse.Namespace(
        config=str(config), workspace=workspace, socket=None, background=False
    )


def test_a_configuration_that_cannot_be_looked_at_is_not_taken_for_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert local.settings(given(tmp_path / "none.toml"))[1] is None
    for place in (tmp_path / "file" / "c.toml", tmp_path):
        with pytest.raises(ConfigError) as told:
            local.settings(given(place))
        assert str(place) in told.value.message


def test_a_working_directory_that_is_gone_stops_no_reload(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("HIPPOD_SOCKET", "run/s.sock")
    loaded: list[process.Settings] = []

    def run(load: Callable[[], process.Settings]) -> int:
        loaded.append(load())
        here.rmdir()
        loaded.append(load())
        return 0

    monkeypatch.setattr(process, "run", run)
    (tmp_path / "c.toml").touch()
    assert local.run(given("../c.toml", "notes")) == 0
    assert loaded[0] == loaded[1]
    assert loaded[0][0].workspace.path == here / "notes"
    with pytest.raises(InvalidInput, match="is gone"):
        local.settings(given("c.toml"))
