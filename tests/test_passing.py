"""What fails for a moment is tried again soon, a few times: descriptors, memory, a disk."""

import asyncio
import errno
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from hippod import daemon as module
from hippod.compose import Assembly
from hippod.config import Config
from hippod.errors import StorageError, is_passing
from hippod.index import Report
from hippod.retain import SourceFile


def storage_error(number: int, *, shown: bool = True) -> StorageError:
    try:
        try:
            raise OSError(number, "odd")
        except OSError as error:
            raise StorageError("x: odd") from error if shown else None
    except StorageError as made:
        return made


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.EIO, errno.ENOMEM])
@pytest.mark.parametrize("shown", [True, False])
def test_what_may_pass_is_told_from_what_the_system_said(number: int, shown: bool) -> None:
    assert is_passing(storage_error(number, shown=shown))


@pytest.mark.parametrize(
    "error",
    [StorageError("x"), RuntimeError(), OSError(errno.EACCES, "x"), storage_error(errno.ENOSPC)],
)
def test_what_lasts_is_not_tried_again(error: Exception) -> None:
    assert not is_passing(error)


def test_memory_that_ran_out_may_be_there_again() -> None:
    assert is_passing(MemoryError())


class Failing:
    """An index and a retainer that fail `times` times, for a reason that may pass."""

    def __init__(self, times: int) -> None:
        self.times, self.calls = times, 0

    def fails(self) -> bool:
        self.calls += 1
        return self.calls <= self.times

    def reconcile(self) -> Report:
        return Report(passing=self.fails())

    update = lambda self, _changed: self.reconcile()  # noqa: E731

    def process(self, _file: SourceFile) -> None:
        if self.fails():
            raise storage_error(errno.EMFILE)

    def confirm(self) -> None:
        """Nothing waits."""


def over(failing: Failing) -> module.Daemon:
    events = SimpleNamespace(fault=print, well=print, changed=print, failing=())
    parts = SimpleNamespace(
        config=Config(), index=failing, retainer=failing, memory=SimpleNamespace(events=events)
    )
    return module.Daemon(cast(Assembly, parts))


@pytest.mark.parametrize(("times", "calls"), [(0, 1), (1, 2), (3, 4), (100, 4)])
@pytest.mark.parametrize("what", ["documents", "transcript"])
def test_it_is_tried_again_until_it_succeeds_and_never_for_ever(
    monkeypatch: pytest.MonkeyPatch, what: str, times: int, calls: int
) -> None:
    monkeypatch.setattr(module, "RETRY_SECONDS", (0.01, 0.01, 0.01))
    failing = Failing(times)
    inside = over(failing)

    async def worked() -> None:
        if what == "documents":
            task = asyncio.create_task(inside._index_changes())
            inside._touch("MEMORY.md", at_once=True)
        else:
            task = asyncio.create_task(inside._retain_changes())
            inside._retain_queue.touch(SourceFile("main", Path("talk.jsonl")), at_once=True)
        async with asyncio.timeout(20):
            while failing.calls < calls:
                await asyncio.sleep(0.005)
        await asyncio.sleep(0.1)  # a further try would come by now
        task.cancel()

    monkeypatch.setattr(inside._index_queue._debouncer, "_quiet", 0.0)
    monkeypatch.setattr(inside._retain_queue._debouncer, "_quiet", 0.0)
    asyncio.run(worked())
    assert failing.calls == calls
