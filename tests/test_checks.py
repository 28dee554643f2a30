"""The commands of named checks: real programs, and every way in which they go wrong."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from hippod import children as starting
from hippod.checks import Outcome, Runner
from hippod.config import Check
from tests.processes import wait_for

ENVIRON = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "LANG": "C.UTF-8", "API_KEY": "hidden"}


def run(check: Check, cwd: Path, environ: Mapping[str, str]) -> Outcome:
    return Runner(cwd, environ).run(check)


def script(tmp_path: Path, text: str, name: str = "program") -> str:
    path = tmp_path / name
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def check(*command: str, **more: object) -> Check:
    return Check.model_validate({"command": command, **more})


def shell(tmp_path: Path, text: str, **more: object) -> Outcome:
    return run(check("/bin/sh", "-c", text, **more), tmp_path, ENVIRON)


def python(tmp_path: Path, text: str, **more: object) -> Outcome:
    return run(check(sys.executable, "-c", text, **more), tmp_path, ENVIRON)


def exists(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def noted(path: Path) -> int:
    """Return the process id that a script writes into `path`."""
    wait_for(lambda: path.exists() and path.read_text().endswith("\n"), "the script's note")
    return int(path.read_text())


def children() -> list[int]:
    listed = Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()
    return [int(pid) for pid in listed]


# -- what a program gets ---------------------------------------------------------------------------


def test_the_exit_code_and_both_streams_come_back_standard_error_last(tmp_path: Path) -> None:
    outcome = shell(tmp_path, "echo late >&2; printf first; exit 3")
    assert (outcome.exit, outcome.output, outcome.error) == (3, "first\nlate\n", "")
    assert not outcome.truncated
    assert not outcome.timed_out
    assert 0 < outcome.seconds < 20


def test_arguments_are_as_they_are_and_no_shell_reads_them(tmp_path: Path) -> None:
    outcome = run(check("printf", "%s|", "$HOME", "a b", "; exit 1", "*"), tmp_path, ENVIRON)
    assert (outcome.exit, outcome.output) == (0, "$HOME|a b|; exit 1|*|")


def test_it_sees_the_allowed_variables_only_and_runs_in_the_workspace(tmp_path: Path) -> None:
    outcome = run(check("env"), tmp_path, ENVIRON)
    names = {line.partition("=")[0] for line in outcome.output.splitlines()}
    assert names - {"PWD", "_", "SHLVL"} == {"PATH", "HOME", "LC_ALL"}
    assert shell(tmp_path, "pwd -P").output.strip() == str(tmp_path.resolve())
    more = run(check("env", environment=["API_KEY", "ABSENT"]), tmp_path, ENVIRON)
    assert "API_KEY=" in more.output
    assert "ABSENT" not in more.output


def test_nothing_stands_on_its_input_and_it_leads_a_session(tmp_path: Path) -> None:
    outcome = python(
        tmp_path, "import os, sys; print(len(sys.stdin.read()), os.getsid(0) == os.getpid())"
    )
    assert outcome.output == "0 True\n"


def test_files_of_the_daemon_stay_its_own(tmp_path: Path) -> None:
    with socket.socket():
        outcome = python(
            tmp_path, "import os; print(sorted(map(int, os.listdir('/proc/self/fd'))))"
        )
    assert outcome.output == "[0, 1, 2, 3]\n"  # 3: the folder that is listed


# -- what it prints --------------------------------------------------------------------------------


def test_output_is_cut_while_it_is_read_at_a_whole_word(tmp_path: Path) -> None:
    text = "import sys; sys.stdout.write('line 93\\n' * 2_000_000); sys.stderr.write('late')"
    outcome = python(tmp_path, text, output_bytes=1003)
    assert (outcome.exit, outcome.truncated) == (0, True)
    assert outcome.output == "line 93\n" * 125


def test_what_fits_is_not_cut(tmp_path: Path) -> None:
    assert shell(tmp_path, "printf 12345", output_bytes=5) == Outcome(
        0, "12345", seconds=pytest.approx(0, abs=20)
    )
    both = shell(tmp_path, "printf 12345; printf 'a b' >&2", output_bytes=7)
    assert (both.output, both.truncated) == ("12345\na ", True)


def test_endless_output_ends_at_the_timeout(tmp_path: Path) -> None:
    outcome = shell(tmp_path, "while :; do echo y; done", timeout="300ms", output_bytes=100)
    assert (outcome.exit, outcome.timed_out, outcome.truncated) == (None, True, True)
    assert outcome.output == "y\n" * 50


def test_endless_output_ends_long_before_a_long_timeout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hippod.commands._MOST_READ", 1_000_000)
    outcome = run(check("yes", timeout="60s"), tmp_path, ENVIRON)
    assert (outcome.exit, outcome.timed_out) == (None, False)
    assert outcome.error == "yes printed without end and was ended."
    assert outcome.seconds < 30


def test_odd_bytes_colours_and_controls_become_plain_text(tmp_path: Path) -> None:
    printed = (
        r"\033[1;31mred\033[0m\r\n\033]8;;http://x\033\\link\033]8;;\033\\ 10%%\r20%%\r\n"
        r"a\bb\0c \377 caf\303\251 \033(B\342\200\256x"
    )
    outcome = run(check("printf", printed), tmp_path, ENVIRON)
    assert outcome.output == "red\nlink 10%\n20%\nabc \ufffd café x"


def test_half_a_character_at_the_cut_is_no_error(tmp_path: Path) -> None:
    outcome = run(check("printf", r"ab caf\303\251"), tmp_path, ENVIRON)
    cut = run(check("printf", r"ab caf\303\251", output_bytes=7), tmp_path, ENVIRON)
    assert (outcome.output, cut.output) == ("ab café", "ab ")


def test_secrets_do_not_leave_the_module_not_even_half_of_one(tmp_path: Path) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    assert run(check("echo", f"token {key}"), tmp_path, ENVIRON).output == "token [REDACTED]\n"
    cut = run(check("echo", f"token {key}", output_bytes=20), tmp_path, ENVIRON)
    assert cut.output == "token "


# -- programs that cannot run ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            "no-such-program",
            "There is no program 'no-such-program' on the PATH that it sees",
        ),
        ("/no/such/program", "There is no program '/no/such/program': install it"),
        ("./absent.sh", "There is no program './absent.sh': install it"),
        ("/tmp", "'/tmp' is a folder: write the path of a program in it."),
        ("./plain", "plain may not be run: make it executable, chmod +x."),
        ("./no-line", "no-line is no program for this machine: a script begins with"),
        ("./bad-line", "bad-line needs a program that is not there: look at its first line."),
        ("./plain/x", "There is no program './plain/x'"),
    ],
)
def test_a_program_that_cannot_run_is_a_failure_that_says_what_to_do(
    tmp_path: Path, command: str, said: str
) -> None:
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    for name, text in (("no-line", "hello\n"), ("bad-line", "#!/no/such/shell\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    outcome = run(check(command), tmp_path, ENVIRON)
    assert (outcome.exit, outcome.output, outcome.timed_out) == (None, "", False)
    assert said in outcome.error
    assert outcome.error.endswith(".")


def test_a_program_is_sought_on_the_allowed_path_and_not_in_the_workspace(tmp_path: Path) -> None:
    script(tmp_path, "echo workspace", "tell")
    other = tmp_path / "bin"
    other.mkdir()
    script(other, "echo bin", "tell")
    environ = {"PATH": f".::{other}"}
    assert run(check("tell"), tmp_path, environ).output == "bin\n"
    assert run(check("./tell"), tmp_path, environ).output == "workspace\n"
    assert "There is no program 'tell'" in run(check("tell"), tmp_path, {"PATH": "."}).error
    hidden = run(check("tell", environment=["HOME"]), tmp_path, environ)
    assert "There is no program 'tell'" in hidden.error


def test_a_program_without_permission_is_named_although_it_is_found(tmp_path: Path) -> None:
    (tmp_path / "tool").write_text("#!/bin/sh\n")
    outcome = run(check("tool"), tmp_path, {"PATH": str(tmp_path)})
    assert "tool may not be run: make it executable" in outcome.error


def test_a_workspace_that_is_gone_is_a_failure(tmp_path: Path) -> None:
    outcome = run(check("true"), tmp_path / "gone", ENVIRON)
    assert "gone is no folder that can be entered" in outcome.error


def test_too_many_arguments_are_a_failure(tmp_path: Path) -> None:
    assert "cannot be run" in run(check("echo", *["x" * 100_000] * 100), tmp_path, ENVIRON).error


# -- ends ------------------------------------------------------------------------------------------


def test_one_that_was_killed_has_no_exit_code(tmp_path: Path) -> None:
    outcome = shell(tmp_path, "echo started; kill -SEGV $$")
    assert (outcome.exit, outcome.output) == (None, "started\n")
    assert outcome.error == "sh was killed by SIGSEGV."


def test_a_timeout_asks_first(tmp_path: Path) -> None:
    outcome = shell(
        tmp_path, "trap 'echo tidied; exit 0' TERM; echo up; sleep 60 & wait", timeout="300ms"
    )
    assert (outcome.exit, outcome.timed_out, outcome.output) == (None, True, "up\ntidied\n")
    assert outcome.error == "sh did not end within 0.3 s: raise its timeout, or see why it hangs."


def test_one_that_will_not_end_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    outcome = shell(
        tmp_path,
        f"trap '' TERM; sleep 61 & echo $! > {tmp_path}/grandchild; echo $$ > {tmp_path}/child;"
        "while :; do sleep 62; done",
        timeout="300ms",
    )
    assert outcome.timed_out
    assert 1 < outcome.seconds < 20
    for name in ("child", "grandchild"):
        wait_for(lambda name=name: not exists(noted(tmp_path / name)), f"the end of the {name}")


def test_grandchildren_that_hold_the_pipes_hold_up_nothing_and_end(tmp_path: Path) -> None:
    outcome = shell(tmp_path, f"sleep 63 & echo $! > {tmp_path}/left; echo done")
    assert (outcome.exit, outcome.output, outcome.error) == (0, "done\n", "")
    assert outcome.seconds < 20
    wait_for(lambda: not exists(noted(tmp_path / "left")), "the end of what was left behind")


def test_one_that_fled_into_a_session_of_its_own_is_ended_too(tmp_path: Path) -> None:
    outcome = shell(
        tmp_path, f"setsid sleep 64 & echo $! > {tmp_path}/fled; echo done", timeout="10s"
    )
    assert (outcome.exit, outcome.output) == (0, "done\n")
    assert outcome.seconds < 8
    if sys.platform == "linux":  # elsewhere nobody inherits those whose parent ended
        with pytest.raises(ProcessLookupError):
            os.kill(noted(tmp_path / "fled"), 0)
    else:
        os.kill(noted(tmp_path / "fled"), signal.SIGKILL)


def test_closed_pipes_are_no_end(tmp_path: Path) -> None:
    outcome = shell(tmp_path, "echo said; exec >&- 2>&-; sleep 0.3; exit 4")
    assert (outcome.exit, outcome.output) == (4, "said\n")
    assert outcome.seconds > 0.25


def test_another_thread_stops_what_runs_and_what_would(tmp_path: Path) -> None:
    runner = Runner(tmp_path, ENVIRON)
    found: list[Outcome] = []
    hangs = check(
        "/bin/sh", "-c", f"trap '' TERM; echo $$ > {tmp_path}/pid; while :; do sleep 65; done"
    )
    thread = threading.Thread(target=lambda: found.append(runner.run(hangs)))
    thread.start()
    pid = noted(tmp_path / "pid")
    began = time.monotonic()
    runner.stop()
    thread.join(20)
    assert not thread.is_alive()
    assert time.monotonic() - began < 10
    assert (found[0].exit, found[0].timed_out) == (None, False)
    assert found[0].error == "sh was ended: the daemon stops."
    wait_for(lambda: not exists(pid), "the end of the process")
    assert "not started: the daemon stops" in runner.run(check("true")).error
    runner.stop()


# -- many runs -------------------------------------------------------------------------------------


@pytest.fixture
def lost_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every start of a program hang, as from a network mount that is gone."""
    stuck = tmp_path / "stuck.py"
    stuck.write_text("import time\ntime.sleep(60)\n")
    monkeypatch.setattr(starting, "_LEASH", (sys.executable, "-I", "-S", str(stuck)))


def stuck_starts(tmp_path: Path) -> list[Path]:
    """Return the processes that run the program of `lost_disk`."""
    found = []
    for words in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found += [words] if f"{tmp_path}/stuck.py".encode() in words.read_bytes() else []
    return found


@pytest.mark.usefixtures("lost_disk")
def test_a_start_that_hangs_ends_at_the_timeout(tmp_path: Path) -> None:
    began = time.monotonic()
    outcome = run(check("/bin/true", timeout="1s"), tmp_path, ENVIRON)
    assert (outcome.exit, outcome.timed_out) == (None, True)
    assert time.monotonic() - began < 10


@pytest.mark.usefixtures("lost_disk")
def test_a_start_that_hangs_holds_up_no_stop_and_no_other_run(tmp_path: Path) -> None:
    runner, outcomes = Runner(tmp_path, ENVIRON), list[Outcome]()
    threads = [
        threading.Thread(target=lambda: outcomes.append(runner.run(check("/bin/true"))))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    wait_for(lambda: len(stuck_starts(tmp_path)) == 2, "both starts")
    began = time.monotonic()
    runner.stop()
    for thread in threads:
        thread.join(10)
    assert time.monotonic() - began < 10
    assert [each.error for each in outcomes] == ["true was ended: the daemon stops."] * 2


@pytest.mark.parametrize("is_late", [False, True], ids=["never begun", "done too late"])
def test_a_start_that_nobody_waits_for_any_more_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_late: bool
) -> None:
    go_on, made = threading.Event(), list[subprocess.Popen[bytes]]()

    class Late(subprocess.Popen[bytes]):
        def __init__(self, *words: object, **options: object) -> None:
            super().__init__(*words, **options)  # type: ignore[call-overload]
            made.append(self)
            go_on.wait()

    monkeypatch.setattr(starting, "START_SECONDS", 0.05)
    if is_late:
        monkeypatch.setattr(subprocess, "Popen", Late)
    else:
        starting._starter.submit(go_on.wait)
    try:
        outcome = run(check("/bin/sleep", "60"), tmp_path, ENVIRON)
    finally:
        go_on.set()
    assert outcome.error == "/bin/sleep cannot be run: it does not start."
    wait_for(lambda: len(made) == is_late, "the late start")
    assert [each.wait(20) for each in made] == [-signal.SIGKILL] * is_late


def test_after_many_runs_nothing_is_left(tmp_path: Path) -> None:
    runner = Runner(tmp_path, ENVIRON)
    quick = {"timeout": "50ms"}
    kinds = [
        check("true"),
        check("/bin/sh", "-c", "sleep 66 & exit 1"),
        check("no-such-program"),
        check("/tmp"),
        check("sleep", "67", **quick),
        check("/bin/sh", "-c", "sleep 68 & sleep 69", **quick),
    ]
    others = len(children())  # whom the tests before this one started
    runner.run(kinds[0])
    wait_for(lambda: not measured()["threads"] and len(children()) <= others, "its end")
    before = measured()
    for turn in range(30):
        runner.run(kinds[turn % len(kinds)])
        wait_for(lambda: all(measured()[of] <= before[of] for of in before), "the state before")


def measured() -> Mapping[str, int]:
    return {
        "children": len(children()),
        "files": len(os.listdir("/proc/self/fd")),
        "threads": sum(thread.name == "command-end" for thread in threading.enumerate()),
    }


def test_the_last_line_of_its_complaints_is_kept_without_secrets(tmp_path: Path) -> None:
    noisy = "echo first >&2; seq 9000 >&2; echo 'no mount, password: hunter2hunter2' >&2; exit 2"
    outcome = shell(tmp_path, noisy, output_bytes=10)
    assert outcome.complaint.startswith("no mount")
    assert "hunter2" not in outcome.complaint
    assert len(shell(tmp_path, "printf '%0500d' 1 >&2").complaint) <= 200
    assert shell(tmp_path, "echo fine").complaint == ""


def test_numbers_and_dates_are_printed_as_everywhere_unless_a_locale_is_asked_for(
    tmp_path: Path,
) -> None:
    environ = {**ENVIRON, "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}
    seen = 'echo "$LC_ALL $LANG"'
    assert run(check("sh", "-c", seen), tmp_path, environ).output == "C \n"
    for names, expected in ((["PATH", "LANG"], " de_DE.UTF-8"), (["LC_ALL"], "de_DE.UTF-8 ")):
        listed = check("/bin/sh", "-c", seen, environment=names)
        assert run(listed, tmp_path, environ).output == f"{expected}\n"
