"""What is installed is locked: with hashes, and as `pyproject.toml` wants it."""

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version as installed
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "requirements"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RENEW = "pyproject.toml and the lock disagree: run `make lock`"

_ENTRY = re.compile(
    r"^(?P<pin>[a-z0-9][^ \n]*==[^ \n]+)(?P<rest>[^\n]*(?:\n    --hash=[^\n]*)*)"
    r"\n    # via (?P<via>.*)$",
    re.MULTILINE,
)


def entries(file: str) -> dict[str, tuple[str, str, str]]:
    """Return version, hashes and reason by package; two versions for two Pythons count as one."""
    found = {}
    for entry in _ENTRY.finditer((FOLDER / file).read_text(encoding="utf-8")):
        name, _, version = entry["pin"].partition("==")
        found[name] = (version, entry["rest"], entry["via"])
    return found


def wanted(*extras: str) -> dict[str, Requirement]:
    lines = [*PROJECT["dependencies"]]
    for extra in extras:
        lines += PROJECT["optional-dependencies"][extra]
    return {canonicalize_name(each.name): each for each in map(Requirement, lines)}


@pytest.mark.parametrize(
    ("file", "extras"), [("run.txt", ()), ("dev.txt", ("dev",)), ("train.txt", ("train",))]
)
def test_the_lock_holds_what_the_project_asks_for_and_nothing_that_it_dropped(
    file: str, extras: tuple[str, ...]
) -> None:
    locked, asked = entries(file), wanted(*extras)
    direct = {name for name, (_, _, via) in locked.items() if "hippod (pyproject.toml)" in via}
    assert direct == set(asked), RENEW
    for name, requirement in asked.items():
        assert requirement.specifier.contains(locked[name][0]), f"{requirement}: {RENEW}"


@pytest.mark.parametrize(
    "file", ["run.txt", "dev.txt", "train.txt", "weights.txt", "dev-weights.txt", "tools.txt"]
)
def test_every_locked_package_has_its_hashes(file: str) -> None:
    text = (FOLDER / file).read_text(encoding="utf-8")
    pins = re.findall(r"^[a-z0-9].*$", text, re.MULTILINE)
    assert pins
    assert len(entries(file)) == len({pin.partition("==")[0] for pin in pins})
    for name, (_, hashes, _) in entries(file).items():
        assert "--hash=sha256:" in hashes, name
    for line in text.splitlines():
        assert re.match(r"[a-z0-9].*==|    --hash=sha256:[0-9a-f]{64}|    # via ", line), line


def test_one_package_has_one_version_in_all_locks() -> None:
    run = entries("run.txt")
    for file in ("dev.txt", "train.txt"):
        there = entries(file)
        assert {name: there[name][:2] for name in run} == {n: e[:2] for n, e in run.items()}


def test_these_tests_run_on_what_is_locked() -> None:
    other = {
        name: (version, installed(name))
        for name, (version, _, _) in entries("run.txt").items()
        if name in wanted() and installed(name) != version
    }
    assert not other, "run `make test`, which installs what is locked"


def test_the_makefile_installs_nothing_that_is_not_locked() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    installs = re.findall(
        r"^\t.*(?:\bpip\b|\$\(PIP\)).* install .*$|^\t\$\(LOCKED\).*$", text, re.M
    )
    assert len(installs) >= 5
    for line in installs:
        assert "$(LOCKED) -r requirements/" in line or (
            "--require-hashes" in line or line.strip() == "$(PIP) install --no-deps -e ."
        )


# -- the audit -------------------------------------------------------------------------------


def audit(tmp_path: Path, reply: object) -> "subprocess.CompletedProcess[str]":
    """Run the audit with a pip-audit that always says `reply`, nothing if it is None."""
    fake = tmp_path / "pip-audit"
    said = "import sys; sys.exit('no route to host')" if reply is None else f"print({reply!r})"
    fake.write_text(f"#!{sys.executable}\n{said}\n")
    fake.chmod(0o755)
    return subprocess.run(
        [sys.executable, str(FOLDER / "audit.py"), str(fake)],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def test_a_known_vulnerability_fails_the_audit(tmp_path: Path) -> None:
    bad = {"name": "apsw", "version": "1", "vulns": [{"id": "PYSEC-2026-1"}]}
    ran = audit(tmp_path, json.dumps({"dependencies": [bad]}))
    assert ran.returncode == 1
    assert "apsw 1: PYSEC-2026-1" in ran.stdout


def test_an_audit_that_cannot_be_made_is_said_and_fails_nothing(tmp_path: Path) -> None:
    unknown = {"name": "apsw", "skip_reason": "not found"}
    for reply in (None, json.dumps({"dependencies": [unknown]})):
        ran = audit(tmp_path, reply)
        assert ran.returncode == 0, ran.stderr
        assert ran.stdout.startswith("NOT AUDITED")


def test_what_the_database_does_not_know_is_named(tmp_path: Path) -> None:
    good = {"name": "apsw", "version": "1", "vulns": []}
    unknown = {"name": "nobody-knows-me", "skip_reason": "not found"}
    ran = audit(tmp_path, json.dumps({"dependencies": [good, unknown]}))
    assert ran.returncode == 0
    assert "1 of 2 audited; not known there: nobody-knows-me" in ran.stdout


def test_an_audit_that_gets_no_answer_ends_soon(tmp_path: Path) -> None:
    deaf = tmp_path / "pip-audit"
    deaf.write_text("#!/bin/sh\nexec sleep 60\n")
    deaf.chmod(0o755)
    script = "import sys, audit; audit.MOST_SECONDS = 0.3; sys.exit(audit.main(sys.argv[1:]))"
    ran = subprocess.run(
        [sys.executable, "-c", script, str(deaf)], cwd=FOLDER,
        capture_output=True, text=True, check=False, timeout=30,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("NOT AUDITED")
    assert "no answer within" in ran.stdout


def test_what_npm_installs_is_pinned_and_has_its_hashes() -> None:
    folder = ROOT / "tests" / "node"
    asked = json.loads((folder / "package.json").read_text(encoding="utf-8"))["dependencies"]
    locked = json.loads((folder / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    for name, version in asked.items():
        assert version == locked[f"node_modules/{name}"]["version"], f"{name}: not exact, or stale"
    for place, package in locked.items():
        if place:
            assert package["resolved"].startswith("https://registry.npmjs.org/"), place
            assert package["integrity"].startswith("sha512-"), place
