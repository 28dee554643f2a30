"""A house with a systemd of its own, and hippod's service in it; a program for `unshare`.

It runs as the first process of namespaces of its own, where nothing that it mounts or starts
outlives it: `python -m tests.systemd_house FOLDER` writes what it saw to FOLDER/seen.json.
"""

import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hippod import lock, paths
from hippod.units import installing, systemd
from hippod.units.setup import Setup, UnitFile
from tests.fake_door import FakeDoor

UNSHARE = (
    "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--cgroup", "--ipc",
    "--uts",
)  # fmt: skip
SYSTEMD = next(
    (p for p in (Path("/lib/systemd/systemd"), Path("/usr/lib/systemd/systemd")) if p.exists()),
    None,
)
SECONDS = 200
"""The whole run ends after so long, whatever hangs."""
RUNTIME = "/run/user/0"
HOMES = Path("/srv")
"""An empty place in this namespace; not below /tmp, which a closed service has for itself."""
CGROUPS = Path("/sys/fs/cgroup")
TEST_SETTINGS = """\
[Unit]
StartLimitBurst=20
[Service]
WatchdogSec=4s
TimeoutAbortSec=500ms
RestartSec=100ms
StandardError=append:{log}
Environment=PYTHONPATH={path} HIPPOD_GENERATOR__PROVIDER=none HIPPOD_WORKSPACE__USER=Ada
"""

Seen = dict[str, Any]


class House:
    """A user's home below `folder`, the user's systemd, and hippod in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = HOMES / "a home with 50% more"
        self.workspace = self.home / ".hippod/workspace"
        self.config = self.home / ".hippod/config.toml"
        self.log = folder / "daemon.log"
        self.environ = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(sys.path),
            "XDG_RUNTIME_DIR": RUNTIME,
        }

    def hippod(self, *words: str) -> Seen:
        """Run hippod's command line."""
        return self.run(sys.executable, "-P", "-m", "hippod", *words)

    def systemctl(self, *words: str) -> Seen:
        return self.run("systemctl", "--user", *words)

    def run(self, *words: str) -> Seen:
        done = subprocess.run(
            words, env=self.environ, text=True, capture_output=True, timeout=60, check=False
        )
        return {"code": done.returncode, "out": done.stdout, "err": done.stderr}

    def show(self, unit: str = "hippod.service") -> Mapping[str, str]:
        """Return the properties of a unit."""
        lines = self.systemctl("show", unit)["out"].splitlines()
        return dict(line.partition("=")[::2] for line in lines)

    def brief(self, unit: str = "hippod.service") -> Mapping[str, str]:
        wanted = (
            "ActiveState", "Result", "ExecMainStatus", "NRestarts", "MainPID", "StatusText",
        )  # fmt: skip
        shown = self.show(unit)
        return {name: shown.get(name, "") for name in wanted}

    def until(self, condition: Callable[[], object], seconds: float = 30) -> None:
        deadline = time.monotonic() + seconds
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.05)

    def socket(self) -> Path:
        return next(Path(RUNTIME, "hippod").glob("*.sock"))


def activation(house: House) -> Seen:
    """A first request to the socket starts the daemon."""
    house.systemctl("start", "hippod.socket")
    before = house.brief()
    info = house.socket().stat()
    answer = house.hippod("status", "--json", "--timeout", "30")
    house.until(lambda: house.brief()["ActiveState"] == "active")
    return {
        "mode": stat.S_IMODE(info.st_mode),
        "folder_mode": stat.S_IMODE(house.socket().parent.stat().st_mode),
        "before": before,
        "answer": answer,
        "after": house.brief(),
        "same_socket": house.socket().stat().st_ino == info.st_ino,
        "service_status": house.hippod("service", "status", "--json"),
    }


def reload(house: House) -> Seen:
    """`systemctl reload` makes the daemon read its configuration again."""
    before = house.brief()
    house.config.write_text("[recall]\nlimit = 3\n")
    done = house.systemctl("reload", "hippod.service")
    house.until(lambda: house.brief()["ActiveState"] == "active")
    limit = json.loads(house.hippod("config", "--json")["out"])["recall.limit"]["value"]
    return {"before": before, "done": done, "after": house.brief(), "limit": limit}


def watchdog(house: House) -> Seen:
    """A daemon that hangs is killed and started again; who asks meanwhile waits."""
    before = house.brief()
    inode = house.socket().stat().st_ino
    os.kill(int(before["MainPID"]), signal.SIGSTOP)
    house.until(lambda: house.brief()["NRestarts"] != before["NRestarts"])
    answer = house.hippod("status", "--json", "--timeout", "30")
    house.until(lambda: house.brief()["ActiveState"] == "active")
    return {
        "before": before,
        "answer": answer,
        "after": house.brief(),
        "same_socket": house.socket().stat().st_ino == inode,
    }


def stop(house: House) -> Seen:
    """Stopping stops the socket too: nothing starts the daemon again."""
    done = house.hippod("service", "stop")
    return {
        "done": done,
        "after": house.brief(),
        "socket": house.brief("hippod.socket"),
        "asked": house.hippod("status"),
    }


def faulty(house: House) -> Seen:
    """A faulty configuration is tried once."""
    house.config.write_text("[recal]\n")
    done = house.hippod("service", "start")
    first = house.brief()
    time.sleep(1)  # RestartSec is a tenth of that
    seen = {"done": done, "first": first, "later": house.brief()}
    house.config.write_text("")
    return seen


def already_running(house: House) -> Seen:
    """While another daemon is well, ours ends at once and is not tried again."""
    place = house.home / "other.sock"
    with lock.held(house.workspace) as held, FakeDoor(place):
        held.answers_at(str(place))
        done = house.hippod("service", "start")
        house.until(lambda: house.brief()["ActiveState"] != "activating")
        first = house.brief()
        time.sleep(1)
        later = house.brief()
    return {"done": done, "first": first, "later": later}


def removal(house: House) -> Seen:
    """Uninstalling leaves the workspace, and what others put beside our files."""
    done = house.hippod("service", "uninstall")
    left = (house.home / ".config/systemd/user").rglob("*")
    return {
        "done": done,
        "left": sorted(p.name for p in left),
        "workspace": house.workspace.is_dir(),
        "after": house.brief(),
    }


_UNSUPPORTED = "ProtectKernelTunables=no\nProtectKernelLogs=no\n"
"""They hide files below nodes that only the system's own systemd makes."""


def closed_off(house: House) -> Seen:
    """The daemon works in all that the system's unit closes off.

    A user's manager that runs as root can do that too, so no second systemd is needed.
    """
    socket = f"{paths.system_folder('root')}/house.sock"
    setup = Setup((sys.executable, "-P", "-m", "hippod"), socket)
    units = systemd.system_units(setup, "root", [str(house.home / ".hippod")])
    installing.install(house.home / ".config/systemd/user", units)
    _settle_for_tests(house, "hippod@root.service", _UNSUPPORTED + f"Environment={_home(house)}\n")
    started = house.systemctl("start", "hippod@root.service")
    house.environ["HIPPOD_SOCKET"] = socket
    note = house.hippod("note", "The night train was full.")
    found = house.hippod("recall", "night train", "--json")
    unit = house.brief("hippod@root.service")
    process = Path("/proc", unit["MainPID"])
    seen = {
        "started": started,
        "unit": unit,
        "note": note,
        "found": found,
        "status": (process / "status").read_text(),
        "mounts": (process / "mountinfo").read_text(),
        "mode": stat.S_IMODE(Path(socket).stat().st_mode),
        "libraries": _libraries(house, units),
        "stopped": house.systemctl("stop", "hippod@root.socket", "hippod@root.service"),
    }
    del house.environ["HIPPOD_SOCKET"]
    return seen


LIBRARIES = """
import ctypes, sys
import apsw, hnswlib, llama_cpp, numpy, tokenizers, wordllama
index = hnswlib.Index("cosine", 8)
index.init_index(4)
index.add_items(numpy.eye(8, dtype="float32")[:4])
assert index.knn_query(numpy.eye(8, dtype="float32")[:1], 1)[0][0][0] == 0
llama_cpp.llama_backend_init()
model = llama_cpp.llama_model_default_params()
callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda number: number + 1)
assert callback(1) == 2
print("they work")
"""


def _home(house: House) -> str:
    return systemd.quoted(f"HOME={house.home}")


def _libraries(house: House, units: Sequence[UnitFile]) -> Seen:
    """Run what is compiled, and what makes code at run time, under the same limits."""
    text = next(unit.text for unit in units if unit.name == "hippod@.service")
    limits = re.findall(
        r"^((?!ProtectKernel[TL])(?:Memory|Restrict|System|Lock|NoNew|Capab|Private|Protect)\w+=.*)",
        text,
        re.M,
    )
    words = [word for limit in limits for word in ("-p", limit)]
    environ = ["-E", f"PYTHONPATH={os.pathsep.join(sys.path)}"]
    program = [sys.executable, "-P", "-c", LIBRARIES]
    return house.run("systemd-run", "--user", "--wait", "--pipe", "-q", *words, *environ, *program)


STEPS = (activation, reload, watchdog, stop, faulty, already_running, closed_off, removal)


def main(folder: Path) -> None:
    seen: Seen = {}
    signal.signal(signal.SIGALRM, lambda *_: os._exit(1))  # the first process ignores it otherwise
    signal.alarm(SECONDS)
    house = House(folder)
    group = _own_cgroup()
    try:
        manager = _begin(house)
        seen["installed"] = house.hippod("service", "install", "--verbose")
        _settle_for_tests(house, "hippod.service")
        for step in STEPS:
            seen[step.__name__] = step(house)
            (folder / "seen.json").write_text(json.dumps(seen))
        manager.terminate()
        manager.wait(20)
    finally:
        _leave_cgroup(group)


def _begin(house: House) -> "subprocess.Popen[bytes]":
    house.home.mkdir(parents=True)
    house.hippod("init")
    with (house.folder / "systemd.log").open("wb") as log:
        manager = subprocess.Popen(
            [str(SYSTEMD), "--user", "--unit=basic.target"], env=house.environ, stderr=log
        )
    house.until(lambda: house.systemctl("is-active", "basic.target")["code"] == 0)
    return manager


def _settle_for_tests(house: House, unit: str, further: str = "") -> None:
    drop_in = house.home / ".config/systemd/user" / f"{unit}.d/test.conf"
    drop_in.parent.mkdir(exist_ok=True)
    path = os.pathsep.join(sys.path)
    drop_in.write_text(TEST_SETTINGS.format(log=house.log, path=path) + further)
    house.systemctl("daemon-reload")


def _own_cgroup() -> Path:
    """Make what systemd needs to believe that it is at home, and a control group to work in."""
    for place in ("/run", str(HOMES)):
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", place], check=True)
    Path("/run/systemd/system").mkdir(parents=True)
    Path(RUNTIME).mkdir(mode=0o700, parents=True)
    subprocess.run(["mount", "-t", "cgroup2", "cgroup2", str(CGROUPS)], check=True)
    group = CGROUPS / f"hippod-test-{time.time_ns()}"
    group.mkdir()
    (group / "cgroup.procs").write_text(str(os.getpid()))
    return group


def _leave_cgroup(group: Path) -> None:
    """Remove the control group with all that still runs in it: it would outlive the namespace."""
    (CGROUPS / "cgroup.procs").write_text(str(os.getpid()))
    (group / "cgroup.kill").write_text("1")
    deadline = time.monotonic() + 5
    while "populated 1" in (group / "cgroup.events").read_text() and time.monotonic() < deadline:
        time.sleep(0.05)
    for folder, _, _ in os.walk(group, topdown=False):
        Path(folder).rmdir()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
