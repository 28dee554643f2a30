"""The fault suite: some of its faults in a real daemon, and an audit that notices what is wrong."""

import json
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from bench.faults import __main__ as command
from bench.faults import groups, rebuilt, table
from bench.faults.harness import Fault, House, NotHere, Outcome, Scale, run
from bench.faults.ledger import Ledger, audit, missing_bytes

from tests.processes import Daemon

SMALL = Scale(rounds=2, files=100, megabytes=2)
SHORT = (
    "SIGKILL while turns become facts",
    "workspace replaced by an empty folder",
    "inotify watches run out while it runs",
    "descriptors exhausted",
)
"""Those that no other test shows in a real daemon; `make faults` runs all."""
LOG = "memory/2026-03-03.md"
BULLET = "- W @Ada: The kettle whistles. (08:01 main/talk#m1) ^3k9f2a7b1c\n"


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.xdist_group("faults")
@pytest.mark.parametrize("name", SHORT)
def test_a_daemon_survives(name: str, tmp_path: Path) -> None:
    (fault,) = (fault for fault in groups.ALL if fault.name == name)
    outcome = run(fault, SMALL, tmp_path)
    if outcome.reason:
        pytest.skip(outcome.reason)
    assert outcome.survived, table.line(outcome)
    assert (outcome.lost_bytes, outcome.duplicates) == (0, 0)
    assert outcome.recovery_seconds is not None


@pytest.mark.slow
@pytest.mark.xdist_group("faults")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_log_that_nobody_takes_costs_no_exit_code(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, {"HIPPOD_ENCODER__PROVIDER": "none"})
    daemon.log = Path("/dev/full")
    daemon.start()
    try:
        assert daemon.stop() == 0
    finally:
        if daemon.process is not None and daemon.process.poll() is None:
            daemon.kill()


def test_every_fault_has_a_name_of_its_own() -> None:
    names = [fault.name for fault in groups.ALL]
    assert len(names) == len(set(names))
    assert set(SHORT) <= set(names)
    assert [fault.name for fault in groups.named("Odd File, huge")] == [
        "odd file names",
        "transcript that is huge",
    ]


# -- an audit that notices ---------------------------------------------------------------------


def lose_a_line(house: House) -> None:
    page = house.root / "projects" / "windows.md"
    page.write_bytes(page.read_bytes().replace(b"Written with CRLF", b"Written with"))


def double_a_fact(house: House) -> None:
    log = next(path for path in (house.root / "memory").glob("*.md") if b"^" in path.read_bytes())
    bullet = next(line for line in log.read_text().splitlines() if " ^" in line)
    log.write_text(log.read_text() + bullet + "\n")


def spoil_the_index(house: House) -> None:
    house.daemon.stop()
    file = apsw.Connection(str(house.root / ".memory" / "index.sqlite"))
    file.execute("DELETE FROM documents WHERE path = 'MEMORY.md'")
    file.close()


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.xdist_group("faults")
def test_the_audit_notices_a_loss_a_duplicate_and_a_stale_index(tmp_path: Path) -> None:
    house = House(tmp_path, {}, SMALL, seed=7)
    with house.undone:
        house.undone.callback(house.end)
        house.furnish()
        house.daemon.start()
        house.settle()
        house.daemon.stop()
        assert rebuilt.differences(tmp_path, house.daemon.environ) == []
        clean = audit(house.root, house.ledger)
        assert (clean.lost_bytes, clean.duplicates, clean.findings) == (0, 0, ())
        spoil_the_index(house)
        (first, *_) = rebuilt.differences(tmp_path, house.daemon.environ)
        assert first.startswith("the index lacks")
        assert "MEMORY.md" in first
        lose_a_line(house)
        double_a_fact(house)
        found = audit(house.root, house.ledger)
        assert found.lost_bytes == len(b"Written with CRLF and a mark.\r\n")
        assert found.duplicates == 4  # its id, its text, its turn and what was said
        assert any("windows.md" in finding for finding in found.findings)


def workspace(tmp_path: Path, files: dict[str, bytes]) -> Ledger:
    for path, data in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    return Ledger(files=dict(files))


def without(path: str) -> Callable[[Path], None]:
    return lambda root: (root / path).unlink()


def with_bytes(path: str, data: bytes) -> Callable[[Path], None]:
    return lambda root: (root / path).write_bytes(data) and None


@pytest.mark.parametrize(
    ("harm", "lost", "finding"),
    [
        (lambda _root: None, 0, ""),
        (without("a.md"), 8, "a.md"),
        (with_bytes("a.md", b"one\n"), 4, "a.md"),
        (with_bytes("a.md", b"two\none\n"), 4, "a.md"),
        (with_bytes("a.md", b""), 8, "a.md"),
        (with_bytes("a.md", b"one\ntwo\nmore\n"), 1, "a.md"),
        (with_bytes(LOG, b"[08:00:00] Up\n\n## Retain\n" + BULLET.encode()), 0, ""),
        (with_bytes(LOG, b"[08:00:00] Down\n"), 14, LOG),
        (with_bytes(LOG, b"[08:00:00] Up\n[08:00:00] Up\n"), 0, "a line stands 2 times"),
        (with_bytes("b.md", b"The token is sekret\n"), 0, "sekret"),
        (with_bytes(".hippod-0.tmp", b"half"), 0, ".hippod-0.tmp"),
    ],
)
def test_what_was_written_is_compared_byte_by_byte(
    tmp_path: Path, harm: Callable[[Path], None], lost: int, finding: str
) -> None:
    ledger = workspace(tmp_path, {"a.md": b"one\ntwo\n", LOG: b"[08:00:00] Up\n"})
    ledger.never.add("sekret")
    harm(tmp_path)
    found = audit(tmp_path, ledger)
    assert found.lost_bytes == lost
    assert bool(found.findings) == bool(finding)
    assert finding in "".join(found.findings)


@pytest.mark.parametrize(
    ("more", "duplicates"),
    [
        ("", 0),
        ("- W @Ada: The bell rings. (08:02 main/talk#m2) ^4k9f2a7b1c\n", 0),
        (BULLET, 4),
        (BULLET.replace("3k9f2a7b1c", "4k9f2a7b1c"), 3),
        ("- W @Ada: Once more, the kettle. (09:01 main/talk#m9) ^5k9f2a7b1c\n", 1),
        ("- W @Ada: the KETTLE  whistles.\n", 1),
        ("- W @Ada: It whistles. (09:01 main/talk#m1) ^5k9f2a7b1c\n", 1),
        ("\n## Log\n[09:00:00] Seen the heron\n[09:01:00] Seen the heron\n", 1),
    ],
)
def test_a_fact_that_stands_twice_is_noticed(tmp_path: Path, more: str, duplicates: int) -> None:
    ledger = Ledger(said={"kettle": "The kettle whistles."}, offered={"heron"})
    text = f"# Daily Log - 2026-03-03\n\n## Retain\n{BULLET}{more}"
    workspace(tmp_path, {LOG: text.encode()})
    found = audit(tmp_path, ledger)
    assert (found.lost_bytes, found.duplicates) == (0, duplicates)


def test_what_was_said_and_noted_must_stand_in_a_log(tmp_path: Path) -> None:
    ledger = Ledger(said={"kettle": "The kettle"}, noted={"heron": "Seen the heron"})
    ledger.offered |= {"heron", "stork"}
    workspace(tmp_path, {LOG: b"# Daily Log - 2026-03-03\n"})
    assert audit(tmp_path, ledger).lost_bytes == len("The kettleSeen the heron")


@pytest.mark.parametrize(
    ("files", "finding"),
    [
        ({LOG: f"## Retain\n{BULLET}"}, ""),
        ({LOG: "[08:00:00] Seen the heron at the door\n"}, ""),
        ({LOG: "[08:00:00] Seen the her"}, "nobody wrote '[08:00:00] Seen the her'"),
        ({LOG: "[08:00:00] Seen the stork at the door\n"}, "nobody wrote"),
        ({LOG: "## Retain\n- W @Ada: The kettle whi"}, "fact kettle: has no id"),
        ({"memory/2026-03-04.md": f"## Retain\n{BULLET}"}, "of 2026-03-03, stands in 2026-03-04"),
        ({"projects/b.md": "# B\n"}, "'projects/b.md': nobody wrote this file"),
        ({"bank/b.md": "# B\n", "wiki/b.md": "# B\n", "AGENTS.md": "# A\n"}, ""),
    ],
)
def test_what_nobody_wrote_is_noticed(tmp_path: Path, files: dict[str, str], finding: str) -> None:
    workspace(tmp_path, {path: text.encode() for path, text in files.items()})
    ledger = Ledger(noted={}, offered={"heron"}, strangers={"wiki/"})
    ledger.said["kettle"], ledger.days["kettle"] = "The kettle whistles.", "2026-03-03"
    told = [each for each in audit(tmp_path, ledger).findings if "bytes are lost" not in each]
    assert len(told) == bool(finding)
    assert finding in "".join(told)


def test_a_fact_that_lacks_a_part_of_what_was_said_is_lost(tmp_path: Path) -> None:
    ledger = Ledger(said={"kettle": "The kettle whistles."}, parts={"kettle": ("whistles",)})
    workspace(tmp_path, {LOG: f"## Retain\n{BULLET}".encode()})
    assert audit(tmp_path, ledger).lost_bytes == 0
    workspace(tmp_path, {LOG: f"## Retain\n{BULLET.replace('whistles', 'w')}".encode()})
    assert audit(tmp_path, ledger).lost_bytes == len("The kettle whistles.")


def test_a_mode_that_is_another_is_noticed(tmp_path: Path) -> None:
    ledger = workspace(tmp_path, {"a.md": b"one\n"})
    (tmp_path / "a.md").chmod(0o640)
    ledger.modes["a.md"] = (tmp_path / "a.md").stat().st_mode
    assert audit(tmp_path, ledger).findings == ()
    (tmp_path / "a.md").chmod(0o600)
    assert "its mode was" in "".join(audit(tmp_path, ledger).findings)


def test_bytes_are_missing_by_lines_in_their_order() -> None:
    assert missing_bytes(b"a\nb\n", b"x\na\nb\ny\n") == 0
    assert missing_bytes(b"a\nb\n", b"x\na\ny\nb\n") == 0
    assert missing_bytes(b"a\nbb\n", b"bb\na\n") in (2, 3)
    assert missing_bytes(b"no end", b"") == 6


# -- the table ---------------------------------------------------------------------------------


def test_a_fault_that_cannot_be_tried_says_why(tmp_path: Path) -> None:
    def inject(_house: House) -> str:
        raise NotHere("there is no disk to break")

    outcome = run(Fault("no disk", inject, started=False), SMALL, tmp_path)
    assert outcome == Outcome("no disk", reason="there is no disk to break")
    assert "n/a" in table.line(outcome)
    assert not table.good([outcome])


def test_a_loss_makes_the_exit_code_1_and_stands_in_table_and_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    outcomes = {
        "good": Outcome("good", recovery_seconds=1.25, remark="twice"),
        "bad": Outcome("bad", lost_bytes=12, duplicates=1, findings=("a.md: 12 bytes are lost",)),
    }
    monkeypatch.setattr(command, "run", lambda fault, *_: outcomes[fault.name])
    for names, code in ((("good",), 0), (("good", "bad"), 1)):
        faults = tuple(Fault(name, lambda _house: "") for name in names)
        monkeypatch.setattr(groups, "ALL", faults)
        file = tmp_path / "report.json"
        assert command.main(["--quick", "--json", str(file)]) == code
        said = capsys.readouterr().out
        written = json.loads(file.read_text())
        assert [each["name"] for each in written["faults"]] == list(names)
    assert "a.md: 12 bytes are lost" in said
    assert "2 faults tried, 1 survived, 12 bytes lost, 1 duplicates" in said
    assert [each["survived"] for each in written["faults"]] == [True, False]


def test_names_that_fit_nothing_are_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--only", "no such fault"]) == 2
    assert "odd file names" in capsys.readouterr().out
