"""The process of `hippod run`: it holds the workspace and the socket, and serves one daemon's
work after the other. Composition root: signals, service manager, start, reload and end.

The socket stays open and the lock held from the start to the end. When the configuration is read
again the work is taken down and built anew between two requests: who comes meanwhile waits.
"""

import asyncio
import contextlib
import enum
import functools
import gc
import os
import resource
import signal
import socket
import stat
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import structlog
from starlette.types import ASGIApp

from hippod import __version__, allocator, compose, lock, log, rescue
from hippod.aclient import AsyncClient
from hippod.client import WORK_TIMEOUT, Client
from hippod.compose import Assembly
from hippod.config import Config, differences, needs_restart
from hippod.config import Mcp as McpSettings
from hippod.daemon import Daemon
from hippod.errors import Busy, ConfigError, DaemonDown, HippodError, StorageError
from hippod.notify import ServiceManager
from hippod.scope import Scope
from hippod.server import app as routes
from hippod.server import socket as sockets
from hippod.server.door import Door, Present
from hippod.server.listener import Listener
from hippod.server.mcp import Mcp
from hippod.server.serving import Server, serving
from hippod.service import Memory
from hippod.state import State
from hippod.wire import ConfigReloaded

logger = structlog.get_logger()

Hold = Callable[[Path], contextlib.AbstractContextManager[lock.Held]]
Settings = tuple[Config, Path | None]
"""The configuration, with workspace and socket settled, and the file that it was read from."""

SWITCH_SECONDS = 0.0005
FINISH_SECONDS = 3.0
"""How long, before a reload, requests under way may take as if nothing were."""
GIVE_UP_SECONDS = 5.0
"""How long they may take once their work was told to end."""
FORGET_SECONDS = 1.0
"""How long after a reload garbage is collected."""
HOLD_SECONDS = 60.0
"""How long under a service manager who holds the workspace is waited for: a backup, a doctor."""
HOLD_PAUSE_SECONDS = 0.5
RENEW_SECONDS = 2.0
"""How long after it was lost the workspace is held anew."""
ANSWER_SECONDS = 3.0
LONGEST_START, LONGEST_STOP = 900.0, 90.0
"""For how many seconds at most a service manager is asked to wait. No stop takes longer."""
LEAVE_SECONDS = 3.0
"""How long threads may work on when all is closed that they could write to."""
ABSENT_SECONDS = 120.0
"""How long a reload may leave nobody at work before the watchdog is not fed any more."""
LOOK_SECONDS = 5.0
"""How soon one looks again at what is stuck."""
AGAIN_SECONDS = (2, 5, 15, 60)
"""When to begin again after a beginning that failed, the last one from then on."""
FAILURES = (HippodError, OSError)
LOST = "the folder .memory of the workspace was deleted or replaced while the daemon ran"


def run(load: Callable[[], Settings]) -> int:
    """Run the daemon in the foreground until it is told to stop; return the exit code.

    `load` reads the configuration, now and at every reload. Raises `Busy` while somebody else
    holds the workspace. Where a service manager started us, another daemon that is well is no
    failure, since it must not try for ever beside that one; anybody else is waited for.
    """
    terminal = _terminal()
    if terminal is None:  # a reload that is asked for too early shall end nothing
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    manager = ServiceManager()
    settings = load()
    config = settings[0]
    allocator.keep_little()
    log.begin(config)
    given = sockets.passed(os.environ)
    # A core file would hold all that was remembered.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    # Extraction computes in a thread; at the default of 5 ms every step of the loop and of
    # SQLite would wait that long for it.
    sys.setswitchinterval(SWITCH_SECONDS)
    process = Process(settings, load, manager, given, terminal)
    process.told_to_stop = functools.partial(_leave_within, LONGEST_STOP)
    try:
        return asyncio.run(_to_its_end(process))
    finally:
        _let_go_of_stderr()


async def _to_its_end(process: "Process") -> int:
    """Run, and have threads end soon that then still work for someone who hung up."""
    code = 1
    try:
        code = await process.run()
    finally:
        _leave_within(LEAVE_SECONDS, code)
    return code


def _leave_within(seconds: float, code: int = 1) -> None:
    """End the process then, if it still lives: what is not answered by then is not done."""
    timer = threading.Timer(seconds, _leave, (code,))
    timer.daemon = True
    timer.start()


def _leave(code: int) -> None:
    busy = [each.name for each in threading.enumerate() if not each.daemon]
    logger.error("daemon.left", threads=busy)
    os._exit(code)


class Wish(enum.IntEnum):
    """What the process is to do next, the most urgent first."""

    STOP = 0
    FAIL = 1
    RENEW = 2
    RELOAD = 3
    BEGIN = 4


@dataclass(frozen=True, slots=True)
class _Work:
    """What is at work at the moment."""

    parts: Assembly
    daemon: Daemon
    task: asyncio.Task[None]


class Process:
    """The process from its start to its end. `load` reads the settings again."""

    def __init__(
        self,
        settings: Settings,
        load: Callable[[], Settings],
        manager: ServiceManager,
        given: socket.socket | None = None,
        terminal: int | None = None,
    ) -> None:
        self._given = given
        self._settings = self._settled(settings)
        self._load = load
        self._manager = manager
        self._began = time.monotonic()
        self._wishes: asyncio.Queue[Wish] = asyncio.Queue()
        self._askers: list[asyncio.Future[ConfigReloaded]] = []
        self._present = Present()
        self._door = Door()
        self._holding = ExitStack()
        """The lock of the workspace."""
        self._built = ExitStack()
        """All parts over it."""
        self._work: _Work | None = None
        self._under_way_since: float | None = self._began
        """Since when a beginning or an end is under way; None: nothing is."""
        self._failures = 0
        """Of beginnings, since the last one that did not fail."""
        self._is_stopping = False
        self.told_to_stop: Callable[[], None] = lambda: None
        self._terminal = terminal
        over_tcp = Mcp(lambda: self._config.mcp, self._client, by_headers=False)
        self._listener = Listener(over_tcp, self._config.server.max_body_bytes)

    async def run(self) -> int:
        """Serve until told to stop; return the exit code."""
        self._hear_signals()
        try:
            return await self._run()
        finally:  # what comes between the loop's end and ours shall not change how we end
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

    async def _run(self) -> int:
        path = Path(self._config.server.socket)
        with self._holding, self._built:
            if not await self._held_in_time():
                return 0
            with sockets.listening(path, self._given) as listener:
                self._door.lead_to(self._application())
                async with self._serving(listener), self._watched_over():
                    code = await self._live()
        logger.info("daemon.stopped")
        return code

    @property
    def _config(self) -> Config:
        return self._settings[0]

    async def _live(self) -> int:
        """Begin, do what is wished, and end."""
        async with self._manager.patience(LONGEST_START):
            await self._begin(self._settings)
        gc.freeze()  # a full collection would else look through all modules, for 50 ms
        gc.enable()
        self._say_ready()
        while (wish := await self._most_urgent()) > Wish.FAIL:
            await self._do(wish)
        self._say_end()
        async with self._manager.patience(LONGEST_STOP):
            await self._end()
        return int(wish is Wish.FAIL)

    async def _do(self, wish: Wish) -> None:
        if wish is Wish.RENEW:
            await self._renew()
        elif wish is Wish.RELOAD:
            await self._reload()
        else:
            await self._begin_as_it_was()

    async def _most_urgent(self) -> Wish:
        """Wait for a wish; of several the most urgent counts, and those like it."""
        wishes = [await self._wishes.get()]
        while not self._wishes.empty():
            wishes.append(self._wishes.get_nowait())
        first = min(wishes)
        for other in set(wishes) - {first}:
            self._wishes.put_nowait(other)
        return first

    # -- what is heard -----------------------------------------------------------------------

    def _hear_signals(self) -> None:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self._shall_stop)
        loop.add_signal_handler(signal.SIGINT, self._interrupted)
        # Not by the loop, at whose end the signal would get its deadly default back.
        signal.signal(signal.SIGHUP, lambda *_: _soon(loop, self._hang_up))

    def _shall_stop(self) -> None:
        self._is_stopping = True
        self.told_to_stop()
        self._door.hurry()
        self._wishes.put_nowait(Wish.STOP)

    def _interrupted(self) -> None:
        """Stop; at once if it is pressed again, whatever we wait for."""
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        self._shall_stop()

    def _hang_up(self) -> None:
        """Read the configuration again; but end where it says that our terminal was closed."""
        if self._terminal is None or os.isatty(self._terminal):
            self._wishes.put_nowait(Wish.RELOAD)
            return
        _leave_terminal()
        self._shall_stop()

    async def _asked_to_reload(self) -> ConfigReloaded:
        self._door.let_out()
        asker: asyncio.Future[ConfigReloaded] = asyncio.get_running_loop().create_future()
        self._askers.append(asker)
        self._wishes.put_nowait(Wish.RELOAD)
        return await asker

    def _worked(self, working: asyncio.Task[None]) -> None:
        """Take note that the daemon's work ended; it must not do so by itself."""
        if not working.cancelled() and (error := working.exception()) is not None:
            logger.error("daemon.crashed", exc_info=error)
            self._wishes.put_nowait(Wish.FAIL)

    # -- beginning and ending ----------------------------------------------------------------

    async def _held_in_time(self) -> bool:
        """Hold the workspace, waiting under a service manager for who holds it only for a while.

        False: another daemon is well, or we were told to stop. Raises `Busy`.
        """
        end, told = time.monotonic() + HOLD_SECONDS, ""
        async with self._manager.patience(HOLD_SECONDS):
            while (busy := self._refusal()) is not None:
                if not self._manager.present:
                    raise busy
                if await asyncio.to_thread(self._another_is_well):
                    logger.info("daemon.already_running")
                    return False
                if time.monotonic() > end:
                    raise busy
                if busy.message != told:
                    logger.info("workspace.waited_for", reason=busy.message)
                told = busy.message
                if await self._is_stopped_within(HOLD_PAUSE_SECONDS):
                    return False
        return True

    def _refusal(self) -> Busy | None:
        """Hold the workspace, or return who holds it."""
        try:
            self._hold()
        except Busy as busy:
            return busy
        return None

    def _another_is_well(self) -> bool:
        """Say whether who holds the workspace answers; at a socket given to us none can."""
        place = lock.socket_of_holder(self._config.workspace.path)
        if not place or (self._given is not None and place == self._config.server.socket):
            return False
        try:
            Client(place, timeout=ANSWER_SECONDS).health()
        except HippodError:
            return False
        return True

    async def _is_stopped_within(self, seconds: float) -> bool:
        with contextlib.suppress(TimeoutError):
            return await asyncio.wait_for(self._wishes.get(), seconds) is Wish.STOP
        return False

    def _hold(self, hold: Hold = compose.held) -> None:
        self._held = self._holding.enter_context(hold(self._config.workspace.path))
        rescue.put_back(self._held.folder)
        self._held.answers_at(self._config.server.socket)

    def _hold_anew(self) -> None:
        self._holding.close()
        self._hold(lock.held)  # which makes no workspace

    async def _begin(self, settings: Settings) -> None:
        """Build everything, open the door and have the daemon work."""
        self._under_way_since = time.monotonic()
        building = compose.over(self._held.folder, *settings)
        parts = await asyncio.to_thread(self._built.enter_context, building)
        with ExitStack() as failing:
            failing.callback(self._built.close)
            self._work = self._started(parts)
            failing.pop_all()
        self._settings = settings
        await self._listener.follow(*settings)
        self._present.become(parts.memory)
        self._door.open()
        self._under_way_since, self._failures = None, 0

    def _started(self, parts: Assembly) -> _Work:
        loop = asyncio.get_running_loop()
        memory = parts.memory
        memory.started = self._began
        memory.reload = self._asked_to_reload
        memory.reread = lambda: self._read_again()[0]
        memory.mcp_status = self._listener.status
        daemon = Daemon(parts, self._held)
        daemon.lost = lambda: self._wishes.put_nowait(Wish.RENEW)
        daemon.tell = functools.partial(_soon, loop, self._tell_status)
        daemon.connect()
        task = asyncio.create_task(daemon.run())
        task.add_done_callback(self._worked)
        return _Work(parts, daemon, task)

    async def _take_down(self, last: Callable[[State], None] = lambda state: None) -> None:
        """Close the door, let those inside finish, for a while, and take all down.

        `last` is done when nothing works any more, with the state still open. What waits for its
        client is cut off first, and nobody is waited for once we are told to stop.
        """
        if (work := self._work) is None:
            return
        self._under_way_since = time.monotonic()
        self._door.close()
        work.daemon.quieten()
        if not await self._door.emptied(FINISH_SECONDS):
            self._cut(held_up=True)
        await self._end_work(work)
        if not await self._door.emptied(GIVE_UP_SECONDS):
            self._cut()
        await asyncio.to_thread(last, work.parts.state)
        await self._close()

    def _cut(self, *, held_up: bool = False) -> None:
        if count := self._door.cut(held_up=held_up):
            logger.warning("requests.left", requests=count)

    async def _end_work(self, work: _Work) -> None:
        work.daemon.stop()
        await asyncio.wait([work.task])  # how it ended was told when it did

    async def _close(self) -> None:
        self._work = None
        self._present.become(None)
        await asyncio.to_thread(self._built.close)
        # What was built goes as soon as the last request that saw it is answered.
        gc.unfreeze()
        asyncio.get_running_loop().call_later(FORGET_SECONDS, _freeze_what_stays)

    async def _end(self) -> None:
        self._door.refuse(DaemonDown("the daemon stops", "start it again with: hippod run"))
        _answer(self._askers, DaemonDown("the daemon stops", "nothing was read again"))
        if (work := self._work) is not None:
            work.daemon.quieten()
            self._server.stop()
            await self._end_work(work)
            await self._served
            await self._close()

    # -- again -------------------------------------------------------------------------------

    async def _reload(self) -> None:
        """Read the configuration again and go on with it; a faulty one changes nothing."""
        askers, self._askers = self._askers, []
        self._manager.reloading()
        try:
            answer = await self._reloaded()
        except FAILURES as failure:
            error = _known(failure)
            problems = error.problems if isinstance(error, ConfigError) else (error.message,)
            logger.error("config.reload_failed", problems=[_first_line(each) for each in problems])
            _answer(askers, error)
        else:
            changed, waits = list(answer.changed), list(answer.needs_restart)
            logger.info("config.reloaded", changed=changed, needs_restart=waits)
            _answer(askers, answer)
        self._manager.ready(self._line())

    async def _reloaded(self) -> ConfigReloaded:
        wanted = await asyncio.to_thread(self._read_again)
        differing = differences(self._config, wanted[0])
        fixed = tuple(key for key in differing if needs_restart(key))
        changed = tuple(key for key in differing if key not in fixed)
        settings = _with_fixed(wanted[0], self._config), wanted[1]
        if changed and self._held.is_away():  # what works can wait for it, a beginning cannot
            raise StorageError(
                f"{self._config.workspace.path}: the workspace is away", "reload when it is back"
            )
        log.begin(settings[0])  # also unchanged: its file may have been moved away
        if changed:
            await self._rebuild(settings)
        elif self._work is not None:
            await self._listener.follow(*settings)  # its token may have been removed
        return ConfigReloaded(changed=changed, needs_restart=fixed)

    def _read_again(self) -> Settings:
        """Read the settings from any thread; raises `ConfigError`."""
        return self._settled(self._load())

    async def _rebuild(self, settings: Settings) -> None:
        """Take all down and build it anew; as it was where it cannot be as it shall be."""
        async with self._manager.patience(LONGEST_START):
            await self._take_down()
            if self._is_stopping:
                raise DaemonDown("the daemon stops", "start it again with: hippod run")
            try:
                await self._begin(settings)
            except FAILURES:
                log.begin(self._config)
                await self._begin_as_it_was()
                raise

    async def _begin_as_it_was(self) -> None:
        """Begin with what was; where even that fails, say so to who asks and try again later.

        Raises `Busy` if somebody else holds the workspace by now.
        """
        if self._work is not None:
            return
        if self._held.is_lost():
            self._hold_anew()
        try:
            await self._begin(self._settings)
        except FAILURES as failure:
            self._await_better(_known(failure))
        else:
            self._tell_status()

    def _await_better(self, error: HippodError) -> None:
        seconds = AGAIN_SECONDS[min(self._failures, len(AGAIN_SECONDS) - 1)]
        self._failures += 1
        self._under_way_since = None
        logger.error("daemon.cannot_begin", reason=error.message, hint=error.hint, again_in=seconds)
        self._door.refuse(StorageError(f"the daemon cannot work: {error.message}", error.hint))
        self._tell_status()
        loop = asyncio.get_running_loop()
        loop.call_later(seconds, self._wishes.put_nowait, Wish.BEGIN)

    async def _renew(self) -> None:
        """Hold the workspace anew, whose `.memory` was deleted or replaced under us.

        A state that was deleted is put back as we have it; one that stands there counts. Raises
        `Busy` if somebody else holds the workspace by now.
        """
        # Who deletes a whole workspace may delete `.memory` first: then nothing is to be made anew.
        await asyncio.sleep(RENEW_SECONDS)
        if self._work is None or not self._work.daemon.has_lost_hold():
            return
        logger.error("workspace.lost_hold", reason=LOST)
        async with self._manager.patience(LONGEST_START):
            await self._take_down(self._rescue)
            if self._is_stopping:
                return
            self._hold_anew()
            await self._begin_as_it_was()
        logger.info("workspace.held_again")

    def _rescue(self, state: State) -> None:
        try:
            rescue.keep(state, lock.prepare(self._config.workspace.path))
        except HippodError as error:
            logger.warning("state.not_rescued", reason=error.message, hint=error.hint)

    def _settled(self, settings: Settings) -> Settings:
        """Return the settings with the socket that was passed, if one was."""
        if self._given is None:
            return settings
        config, file = settings
        update = {"socket": sockets.place(self._given)}
        server = config.server.model_copy(update=update)
        return config.model_copy(update={"server": server}), file

    def _application(self) -> ASGIApp:
        root = os.path.realpath(self._config.workspace.path)
        memory = cast("Memory", self._present)
        mcp = Mcp(lambda: _of_the_socket(self._config), self._client, self._door.let_out)
        return routes.build(memory, self._config.server.max_body_bytes, root, mcp)

    def _client(self, scope: Scope) -> AsyncClient:
        """Return a client of our own socket, for who speaks MCP."""
        # Who asked waits as long as they like, and hangs up otherwise.
        return AsyncClient(self._config.server.socket, scope=scope, timeout=WORK_TIMEOUT)

    # -- around ------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def _serving(self, listener: socket.socket) -> AsyncIterator[None]:
        self._server = server = Server(serving(self._door))
        self._served = asyncio.create_task(server.serve(sockets=[listener.dup()]))
        try:
            while not server.started and not self._served.done():
                await asyncio.sleep(0.001)
            yield
        finally:
            self._door.refuse(DaemonDown("the daemon stops"))
            await self._listener.close()
            server.stop()
            await self._served

    @contextlib.asynccontextmanager
    async def _watched_over(self) -> AsyncIterator[None]:
        """Feed the watchdog of the service manager, if it has one, from this loop."""
        period = self._manager.watchdog
        feeding = asyncio.create_task(self._feed(period / 2)) if period else None
        try:
            yield
        finally:
            if feeding is not None:
                feeding.cancel()

    async def _feed(self, seconds: float) -> None:
        """Say that we live, for as long as the loop turns and nothing in the daemon is stuck."""
        told = ""
        while True:
            ailment = self._ailment()
            if not ailment:
                self._manager.alive()
            elif ailment != told:
                logger.error("daemon.stuck", threads=ailment)
            told = ailment
            await asyncio.sleep(min(seconds, LOOK_SECONDS) if ailment else seconds)

    def _ailment(self) -> str:
        """Return what is stuck: in the daemon, or a beginning or an end. Empty: nothing is."""
        if self._under_way_since is not None:
            seconds = time.monotonic() - self._under_way_since
            return f"nobody at work for {seconds:.0f} s" if seconds > ABSENT_SECONDS else ""
        return self._work.daemon.ailment() if self._work else ""

    # -- what is told ------------------------------------------------------------------------

    def _line(self) -> str:
        config = self._config
        line = f"serving {config.workspace.path} on {config.server.socket}"
        told = self._work.daemon.line() if self._work else "cannot begin, see the log"
        return f"{line}: {told}" if told else line

    def _tell_status(self) -> None:
        self._manager.status(self._line())

    def _say_ready(self) -> None:
        config = self._config
        root, path = str(config.workspace.path), config.server.socket
        self._manager.ready(self._line())
        logger.info("daemon.ready", version=__version__, workspace=root, socket=path)
        if sys.stderr.isatty() or (config.log.format == "console" and not config.log.file):
            with contextlib.suppress(OSError):
                sys.stderr.write(_welcome(root, path))
                sys.stderr.flush()

    def _say_end(self) -> None:
        self._manager.stopping()
        logger.info("daemon.stopping")


def _of_the_socket(config: Config) -> McpSettings:
    """Return what holds of MCP on the socket: whose eyes and which tools, each client says."""
    usual = McpSettings()
    return config.mcp.model_copy(update={"scope": usual.scope, "tools": usual.tools})


def _answer(
    askers: list[asyncio.Future[ConfigReloaded]], answer: ConfigReloaded | HippodError
) -> None:
    for asker in askers:
        if asker.done():  # who asked has gone
            continue
        if isinstance(answer, HippodError):
            asker.set_exception(answer)
        else:
            asker.set_result(answer)


def _known(failure: HippodError | OSError) -> HippodError:
    if isinstance(failure, HippodError):
        return failure
    return StorageError(f"{failure.filename or 'the disk'}: {failure.strerror}")


def _freeze_what_stays() -> None:
    gc.collect()
    gc.freeze()
    allocator.give_back()


def _with_fixed(wanted: Config, running: Config) -> Config:
    """Return what is wanted, but for what only a restart changes."""
    workspace = wanted.workspace.model_copy(update={"path": running.workspace.path})
    kept = {"workspace": workspace, "server": running.server}
    return wanted.model_copy(update=kept)


def _terminal() -> int | None:
    """Return a descriptor of the terminal that we run on, unless we shall outlive it (nohup)."""
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        return None
    return next((number for number in range(3) if os.isatty(number)), None)


def _let_go_of_stderr() -> None:
    """Lose what nobody takes any more: at the very end it would make the exit code 120."""
    try:
        sys.stderr.flush()
    except (OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 2)
        os.close(nothing)


def _soon(loop: asyncio.AbstractEventLoop, act: Callable[[], None]) -> None:
    loop.call_soon_threadsafe(act)


def _leave_terminal() -> None:
    """Write to nowhere what would go to a terminal that is closed."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        with contextlib.suppress(OSError):
            if stat.S_ISCHR(os.fstat(stream).st_mode) and not os.isatty(stream):
                os.dup2(nothing, stream)
    os.close(nothing)


def _first_line(text: str) -> str:
    return text.splitlines()[0] if text else ""


def _welcome(root: str, path: str) -> str:
    return f"""
  hippod {__version__} is running.
    workspace  {root}
    socket     {path}

  Try, in another terminal (from a checkout: source .venv/bin/activate):
    hippod note "The spare key is with Ina"
    hippod recall "where is the spare key?"
    hippod status

"""
