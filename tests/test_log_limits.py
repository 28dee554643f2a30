"""What limits the log: repeats are folded, files stay small, no trouble with it ends anybody."""

import json
import logging
import os
import signal
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from hippod import config, log
from hippod.errors import ConfigError, StorageError
from tests.small_disk import small_disk

HEAD = """
import logging, os, sys, time
import structlog
from hippod import log
ours, theirs = structlog.get_logger(), logging.getLogger("library")
"""


def said(program: str) -> "subprocess.CompletedProcess[str]":
    """Run a program that logs, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", HEAD + program],
        capture_output=True, text=True, timeout=100, check=True,
    )  # fmt: skip


def events(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


# -- folding ---------------------------------------------------------------------------------


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_c193_thousands_of_identical_warnings_become_a_handful_of_lines() -> None:
    done = said("""
log.configure("info", "json")
for number in range(5_000):
    ours.warning("job.failed", job="reflect", number=number)
for number in range(1_000):
    theirs.warning("cannot reach host %s", number)
print(log.folded())
""")
    lines = events(done.stderr)
    assert len(lines) == 20
    assert [line["number"] for line in lines[:10]] == [*range(10)]
    assert lines[-1]["event"] == "cannot reach host 9"
    assert int(done.stdout) == 6_000 - 20
    folding = log.Folding(Clock())
    assert sum(folding.take("job.failed") is not None for _ in range(50_000)) == 10


def test_the_first_line_after_a_minute_says_how_many_were_left_out() -> None:
    clock = Clock()
    folding = log.Folding(clock)
    told = [folding.take("job.failed") for _ in range(15)]
    assert told == [0] * 10 + [None] * 5
    assert folding.take("job.skipped") == 0
    clock.now = 59.9
    assert folding.take("job.failed") is None
    clock.now = 60
    assert folding.take("job.failed") == 6
    assert folding.take("job.failed") == 0
    clock.now = 1_000
    assert folding.take("job.failed") == 0
    assert folding.total == 6


def test_c165_the_same_warning_all_day_is_ten_lines_a_minute_at_most() -> None:
    clock = Clock()
    folding = log.Folding(clock)
    passed, counted = 0, 0
    for _ in range(60 * 60):
        left_out = folding.take("state.failed")
        passed += left_out is not None
        counted += (left_out or 0) + (left_out is not None)
        clock.now += 1
    assert passed == 60 * 10
    assert counted + 50 == 60 * 60  # of the last minute nothing was told yet


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 50)), max_size=60))
def test_nothing_is_lost_from_the_count(steps: list[tuple[str, float]]) -> None:
    clock = Clock()
    folding = log.Folding(clock)
    passed = left_out = 0
    for name, later in steps:
        clock.now += later
        told = folding.take(name)
        passed += told is not None
        left_out += told or 0
    assert passed + folding.total == len(steps)
    assert left_out <= folding.total


def test_failures_of_different_jobs_do_not_hide_one_another() -> None:
    folding = log.Folding(Clock())

    def told(method: str, **fields: object) -> bool:
        try:
            folding(None, method, {"event": "job.failed", **fields})
        except structlog.DropEvent:
            return False
        return True

    for number in range(15):
        assert told("warning", job=f"job{number}", reason=f"r{number}")
        assert told("error", worker=f"worker{number}")
    passed = [told("error", job="reflect", reason=str(number)) for number in range(30)]
    assert sum(passed) == 10
    assert told("error", job="reflect", exc_info=(KeyError, KeyError("x"), None))
    assert told("error", job="reflect", exc_info=OSError("y"))
    flood = [told("error", job=f"made up {number}") for number in range(1_000)]
    assert sum(flood) < 200


def test_memory_is_bounded_and_threads_count_right() -> None:
    folding = log.Folding(Clock())
    for number in range(1_500):
        folding.take(f"library says {number}")
    assert len(folding._windows) <= 1_000
    threads = [
        threading.Thread(target=lambda: [folding.take("same") for _ in range(2_000)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert folding.total == 8_000 - 10


def test_what_one_debugs_is_not_folded() -> None:
    folding = log.Folding(Clock())
    event = {"event": "index.updated"}
    assert [folding(None, "debug", event) for _ in range(30)] == [event] * 30


# -- lines -----------------------------------------------------------------------------------

ODD = """
log.configure("info", {form!r})
ours.info(
    "odd.values", text="a\\nb\\r\\x1b[2J\\x85\\u2028\\u202e\\ud800\\x00", number=10**5000,
    none=float("nan"), data=b"\\xff", inner={{"a\\n": ["b\\n", object]}}, long="It rains. " * 2500,
    error=ValueError("bad\\nvalue 'of my diary'"), many=list(range(10_000)),
)
theirs.warning("first\\nsecond \\u2028 \\ud800")
try:
    {{}}["what Anna wrote"]
except KeyError:
    ours.exception("it.crashed")
"""


def test_lines_are_lines_whatever_is_in_the_values() -> None:
    done = said(ODD.format(form="json"))
    first, second, third = events(done.stderr)
    assert str(first["text"]).encode("utf-8", "surrogatepass").startswith(b"a\nb\r\x1b[2J")
    assert len(str(first["long"])) <= 500
    assert len(first["many"]) <= 20  # type: ignore[arg-type]
    assert first["none"] == "nan"
    assert "diary" not in str(first["error"])
    assert second["logger"] == "library"
    assert "Anna" not in str(third)
    assert "KeyError" in str(third["exception"])


def test_the_console_shows_no_control_character_of_a_value() -> None:
    done = said(ODD.format(form="console"))
    assert not set(done.stderr) & set("\x1b\x85\u2028\u202e\x00\r")
    assert "Anna" not in done.stderr
    assert "diary" not in done.stderr
    assert done.stderr.count("\n") < 12


def test_an_exception_tells_where_but_not_what() -> None:
    done = said("""
log.configure("info", "json")
def parse(text):
    try:
        return int(text)
    except ValueError as error:
        raise RuntimeError("reading failed: " + "x" * 5000) from error
try:
    parse("I told nobody of the lump")
except RuntimeError:
    ours.exception("it.crashed")
    theirs.exception("theirs")
try:
    raise ExceptionGroup("several", [ValueError("'one secret thing'"), OSError(2, "No", "/etc/x")])
except ExceptionGroup as group:
    ours.error("it.crashed", exc_info=group)
""")
    assert "lump" not in done.stderr
    assert "secret thing" not in done.stderr
    first, second, third = events(done.stderr)
    assert first["exception"] == second["exception"]
    assert "in parse" in str(first["exception"])
    assert "RuntimeError: reading failed" in str(first["exception"])
    assert len(str(first["exception"])) < 3000
    assert "/etc/x" in str(third["exception"])


# -- a file ----------------------------------------------------------------------------------


def test_a_file_of_limited_size_and_nothing_on_stderr(tmp_path: Path) -> None:
    file = tmp_path / "logs" / "daemon.log"
    done = said(f"""
os.umask(0)
log.configure("info", "auto", file={str(file)!r}, max_bytes=10_000, keep=2)
for number in range(100):
    ours.info(f"event.number{{number}}", filler="It rains. " * 30)
theirs.warning("of a library")
""")
    assert done.stderr == ""
    files = sorted(path.name for path in file.parent.iterdir())
    assert files == ["daemon.log", "daemon.log.1", "daemon.log.2"]
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    for path in file.parent.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert path.stat().st_size <= 10_000
        assert all(line["level"] for line in events(path.read_text()))
    assert events(file.read_text())[-1]["event"] == "of a library"


def test_what_ends_the_process_is_on_stderr_too(tmp_path: Path) -> None:
    file = tmp_path / "daemon.log"
    program = f"log.configure('info', 'json', file={str(file)!r})\n{{}}['my diary']\n"
    command = [sys.executable, "-c", HEAD + program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    (event,) = events(file.read_text())
    assert event["event"] == "process.crashed"
    assert "KeyError" in done.stderr
    assert "diary" not in done.stderr + file.read_text()


def test_a_link_is_not_followed_and_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "daemon.log").symlink_to(tmp_path / "victim")
    for place in (tmp_path / "daemon.log", tmp_path / "victim" / "daemon.log"):
        with pytest.raises(StorageError, match="cannot write the log"):
            a_file_log(place)
    assert (tmp_path / "victim").read_text() == "mine"


def a_file_log(path: Path, **limits: int) -> log._File:
    handler = log._open_file(path, **{"max_bytes": 2_000, "keep": 2, **limits})
    handler.setFormatter(logging.Formatter("%(message)s"))
    return handler


def line(number: int) -> logging.LogRecord:
    return logging.makeLogRecord({"msg": f"{number:04} {'x' * 94}"})


@pytest.mark.parametrize("taken", ["daemon.log.1", "daemon.log.2"])
def test_where_the_old_ones_cannot_be_moved_later_lines_are_written_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], taken: str
) -> None:
    (tmp_path / taken / "inner").mkdir(parents=True)
    with closing(a_file_log(tmp_path / "daemon.log")) as handler:
        for number in range(100):
            handler.emit(line(number))
    kept = (tmp_path / "daemon.log").read_text().splitlines()
    assert kept[-1].startswith("0099 ")
    assert (tmp_path / "daemon.log").stat().st_size <= 2_000
    assert [path.name for path in tmp_path.glob("*/inner")] == ["inner"]
    assert capsys.readouterr().err.count("cannot be moved") == 1


def test_a_line_is_made_once(tmp_path: Path) -> None:
    made: list[str] = []

    class Counting(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            made.append(record.getMessage())
            return super().format(record)

    with closing(a_file_log(tmp_path / "daemon.log")) as handler:
        handler.setFormatter(Counting())
        for number in range(100):
            handler.emit(line(number))
    assert len(made) == 100
    assert all(path.stat().st_size <= 2_000 for path in tmp_path.iterdir())


@pytest.mark.parametrize("value", ["daemon.log", "logs/daemon.log", "/var/log/"])
def test_the_file_is_named_by_an_absolute_path(value: str) -> None:
    with pytest.raises(ConfigError, match=r"log\.file: .*absolute"):
        config.checked({"log": {"file": value}}, "test", {})


def test_a_file_among_the_documents_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "notes")
    (tmp_path / "notes").mkdir()
    for place in ("notes/daemon.log", "link/.memory/daemon.log"):
        sections = {
            "workspace": {"path": str(tmp_path / "notes")},
            "log": {"file": str(tmp_path / place)},
        }
        with pytest.raises(ConfigError, match="inside of the workspace"):
            log.begin(config.checked(sections, "test", {}))


# -- trouble with it -------------------------------------------------------------------------


def test_a_reader_that_went_away_costs_lines_only() -> None:
    program = (
        HEAD
        + """
log.configure("info", "json")
sys.stdin.readline()
for number in range(400):
    ours.warning(f"event.number{number}", filler="It rains. " * 45)
print("well")
"""
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    process.stderr.close()
    assert process.communicate("\n", timeout=60)[0] == "well\n"
    assert process.returncode == 0


def test_a_reader_that_sleeps_holds_nobody_up() -> None:
    program = (
        HEAD
        + """
log.configure("info", "json")
for number in range(400):
    ours.warning(f"event.number{number}", filler="It rains. " * 45)
print("well", flush=True)
sys.stdin.readline()
ours.warning("event.last")
"""
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "well\n"
        process.send_signal(signal.SIGCONT)
        told = process.communicate("\n", timeout=60)[1]
    finally:
        process.kill()
    assert "event.number0" in told


def test_closed_descriptors_are_not_given_to_files() -> None:
    program = (
        HEAD
        + """
log.configure("info", "json")
ours.warning("event.lost")
file = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
os.write(2, b"a library complains")
os.write(file, b"well")
"""
    )
    reader, writer = os.pipe()
    os.close(writer)
    os.close(reader)
    command = [sys.executable, "-c", program, "/dev/fd/9"]
    read, write = os.pipe()
    shell = f'exec "$@" 9>&{write} 0<&- 1>&- 2>&-'
    done = subprocess.run(
        ["bash", "-c", shell, "bash", *command], pass_fds=[write], check=False, timeout=60
    )
    os.close(write)
    with os.fdopen(read) as pipe:
        assert pipe.read() == "well"
    assert done.returncode == 0


def test_a_full_disk_costs_lines_and_later_ones_are_whole(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", kilobytes=256) as disk:
        file, filler = disk.path / "daemon.log", disk.path / "filler"
        done = said(f"""
log.configure("info", "json", file={str(file)!r}, max_bytes=50_000_000)
ours.warning("event.first")
with open({str(filler)!r}, "wb", buffering=0) as other:
    try:
        while True:
            other.write(b"x" * 4096)
    except OSError:
        pass
for number in range(100):
    ours.warning(f"event.number{{number}}", filler="It rains. " * 30)
os.unlink({str(filler)!r})
for number in range(3):
    ours.warning(f"event.later{{number}}", filler="It rains. " * 30)
print("well")
""")
        lines = file.read_text().splitlines()
    assert (done.stdout, done.stderr) == ("well\n", "")
    assert len(lines) < 100
    later = events("\n".join(lines[-3:]))
    assert [event["event"] for event in later] == ["event.later0", "event.later1", "event.later2"]
