"""The service under a real `systemd --user`, in namespaces of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import systemd_house as house

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("systemd"),
    pytest.mark.timeout(house.SECONDS + 40),
]

Seen = dict[str, Any]
_PROBE = (
    "mount -t tmpfs tmpfs /run && mount -t cgroup2 cgroup2 /sys/fs/cgroup"
    " && mkdir /sys/fs/cgroup/$0 && rmdir /sys/fs/cgroup/$0"
)


def why_not() -> str:
    """Return why a systemd of our own cannot run here; empty if it can."""
    if house.SYSTEMD is None:
        return "no systemd is installed"
    if os.geteuid() != 0:
        return "needs root, for mounts in a namespace"
    if Path(__file__).is_relative_to("/tmp"):
        return "the checkout lies in /tmp, which the units close off"
    probe = [*house.UNSHARE, "sh", "-c", _PROBE, f"hippod-probe-{os.getpid()}"]
    try:
        done = subprocess.run(probe, capture_output=True, text=True, timeout=20, check=False)
    except FileNotFoundError:
        return "no unshare is installed"
    return f"namespaces or control groups: {done.stderr.strip()}" if done.returncode else ""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    if reason := why_not():
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("house")
    done = subprocess.run(
        [*house.UNSHARE, sys.executable, "-m", "tests.systemd_house", str(folder)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=Path(__file__).parents[1], capture_output=True, text=True,
        timeout=house.SECONDS + 20, check=False,
    )  # fmt: skip
    logs = [p.read_text() for p in sorted(folder.glob("*.log"))]
    assert done.returncode == 0, "\n".join([done.stderr, *logs])
    return dict(json.loads((folder / "seen.json").read_text()))


def test_it_is_installed_in_a_home_with_a_strange_name(seen: Seen) -> None:
    """Case C195."""
    done = seen["installed"]
    assert (done["code"], done["err"]) == (0, "")
    assert "created" in done["out"]
    assert "hippod.socket" in done["out"]
    assert "exposure: " in done["out"]


def test_a_first_request_starts_the_daemon(seen: Seen) -> None:
    it = seen["activation"]
    assert (it["mode"], it["folder_mode"]) == (0o600, 0o700)
    assert it["before"]["ActiveState"] == "inactive"
    assert it["answer"]["code"] == 0, it["answer"]
    assert it["after"]["ActiveState"] == "active"
    assert "serving" in it["after"]["StatusText"]
    assert it["same_socket"]
    status = json.loads(it["service_status"]["out"])
    assert (status["state"], status["socket"], status["at_start"]) == ("active", "active", True)
    assert status["pid"] == int(it["after"]["MainPID"]) == json.loads(it["answer"]["out"])["pid"]


def test_a_reload_keeps_the_process(seen: Seen) -> None:
    it = seen["reload"]
    assert it["done"]["code"] == 0, it["done"]
    assert it["limit"] == 3
    assert it["after"]["MainPID"] == it["before"]["MainPID"]
    assert it["after"]["StatusText"] == it["before"]["StatusText"]


def test_a_daemon_that_hangs_is_killed_and_started_again(seen: Seen) -> None:
    it = seen["watchdog"]
    assert int(it["after"]["NRestarts"]) == int(it["before"]["NRestarts"]) + 1
    assert it["answer"]["code"] == 0, it["answer"]
    assert it["after"]["ActiveState"] == "active"
    assert it["after"]["MainPID"] not in ("0", it["before"]["MainPID"])
    assert it["same_socket"]


def test_stopping_is_clean_and_lasts(seen: Seen) -> None:
    it = seen["stop"]
    assert it["done"]["code"] == 0, it["done"]
    assert (it["after"]["ActiveState"], it["after"]["Result"]) == ("inactive", "success")
    assert it["socket"]["ActiveState"] == "inactive"
    assert it["asked"]["code"] == 3


def test_a_faulty_configuration_is_not_tried_again(seen: Seen) -> None:
    """Case C193."""
    it = seen["faulty"]
    assert it["done"]["code"] == 1
    assert "hippod service logs" in it["done"]["err"]
    for moment in ("first", "later"):
        assert it[moment]["ActiveState"] == "failed"
        assert (it[moment]["ExecMainStatus"], it[moment]["NRestarts"]) == ("2", "0")


def test_beside_another_daemon_it_ends_well_and_is_not_tried_again(seen: Seen) -> None:
    """Case C194."""
    it = seen["already_running"]
    for moment in ("first", "later"):
        assert (it[moment]["ExecMainStatus"], it[moment]["NRestarts"]) == ("0", "0")
        assert it[moment]["MainPID"] == "0"


def test_the_daemon_works_in_what_the_system_unit_closes_off(seen: Seen) -> None:
    it = seen["closed_off"]
    assert it["started"]["code"] == 0, it["started"]
    assert it["unit"]["ActiveState"] == "active"
    assert it["note"]["code"] == 0, it["note"]
    assert json.loads(it["found"]["out"])["hits"], it["found"]
    assert it["mode"] == 0o600
    for line in ("NoNewPrivs:\t1", "Seccomp:\t2", "CapBnd:\t0000000000000000"):
        assert line in it["status"]
    root = next(line for line in it["mounts"].splitlines() if line.split()[4] == "/")
    assert root.split()[5].startswith("ro")
    assert it["stopped"]["code"] == 0


def test_compiled_libraries_work_in_it(seen: Seen) -> None:
    it = seen["closed_off"]["libraries"]
    assert (it["code"], it["out"]) == (0, "they work\n"), it


def test_it_is_uninstalled_without_a_trace_but_what_is_not_ours(seen: Seen) -> None:
    it = seen["removal"]
    assert it["done"]["code"] == 0, it["done"]
    assert {"hippod.service", "hippod.socket"}.isdisjoint(it["left"])
    assert "test.conf" in it["left"]
    assert it["workspace"]
    assert it["after"]["ActiveState"] in ("inactive", "failed")
