"""`hippod service`: the daemon as a service of systemd or launchd."""

import os
import sys

from hippod.cli import options, output
from hippod.errors import Busy, HippodError, InvalidInput, NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from hippod.units.installing import Change
    from hippod.units.launchctl import Launchd
    from hippod.units.setup import UnitFile
    from hippod.units.systemctl import Systemd

    Control = Systemd | Launchd
    Answer = dict[str, Any]

ACTIONS = ("install", "uninstall", "start", "stop", "restart", "status", "logs")
_RUNNING = ("active", "activating", "reloading")
_NOT_RUNNING = 3
_BY_HAND = "without a service manager: hippod stop, then: hippod run"


def service_options(parser: "argparse.ArgumentParser") -> None:
    """Add what to do, for whom, and how."""
    parser.add_argument("action", nargs="?", metavar="ACTION", default="status",
                        help=f"{', '.join(ACTIONS)} (default: status)")  # fmt: skip
    whose = parser.add_mutually_exclusive_group()
    whose.add_argument("--user", action="store_true", help="a service of yours (default)")
    whose.add_argument("--system", metavar="USER", help="one of the system, for that user; as root")
    add = parser.add_argument
    add("--now", action="store_true", help="install: also start it")
    add("--print", action="store_true", help="install: print the files and write nothing")
    add("--force", action="store_true", help="also over files that others wrote; copies are kept")
    add("--linger", action="store_true", help="install: let it run while you are logged out")
    add("--verbose", action="store_true", help="install: print how far the service is closed off")
    add("--follow", action="store_true", help="logs: go on with what comes")
    add("--lines", type=int, default=50, metavar="N", help="logs: the last N lines (default: 50)")


def service(args: "argparse.Namespace") -> int:
    """Install the service, remove it, or do something with it."""
    if args.action not in ACTIONS:
        raise options.unknown_action(args.action, ACTIONS, "hippod service status")
    control = _control(args)
    return {
        "install": _install, "uninstall": _uninstall, "start": _start, "stop": _stop,
        "restart": _restart, "status": _status, "logs": _logs,
    }[args.action](args, control)  # fmt: skip


def _control(args: "argparse.Namespace") -> "Control":
    if sys.platform == "darwin":
        from hippod.units.launchctl import Launchd

        if args.system:
            raise InvalidInput("--system is for systemd; on macOS the service is an agent of yours")
        return Launchd(os.environ)
    from hippod.units.systemctl import Systemd

    return Systemd(os.environ, args.system or "")


# -- install, uninstall -------------------------------------------------------------------------


def _install(args: "argparse.Namespace", control: "Control") -> int:
    from hippod.units import installing

    units = _units(args, control)
    if args.print:
        return output.show(args, {"files": _texts(control, units)}, _print_texts, _print_texts)
    control.check()
    changes = installing.install(control.folder, units, force=args.force)
    changes += installing.sweep(control.folder, _unneeded(control, units))
    control.enable()
    if args.linger:
        control.linger()
    if args.now:
        _begin(args, control)
    answer: Answer = {
        "service": control.service,
        "files": _wire(changes),
        "started": args.now,
        "lingers": control.lingers(),
        "exposure": _exposures(control, units) if args.verbose else {},
    }
    return output.show(args, answer, _print_installed)


def _units(args: "argparse.Namespace", control: "Control") -> "list[UnitFile]":
    from hippod.units import account

    named = account.Named(args.config, args.workspace, args.socket)
    if args.system:
        setup, writable = account.of_user(args.system, named)
        return control.units(setup, writable)
    runtime = getattr(control, "runtime", "")
    environ = {**os.environ, "XDG_RUNTIME_DIR": runtime} if runtime else os.environ
    return control.units(account.own(named, environ), ())


def _unneeded(control: "Control", units: "list[UnitFile]") -> list[str]:
    """Return the names of what an earlier installation may have had and this one has not."""
    names = {unit.name for unit in units}
    return [name for name in control.installed() if name not in names]


def _uninstall(args: "argparse.Namespace", control: "Control") -> int:
    from hippod.units import installing

    names = control.installed()
    installing.refuse_edited(control.folder, names, force=args.force)
    if any(installing.is_ours(control.folder / name) for name in names):
        control.disable()
    changes = installing.remove(control.folder, names, force=args.force)
    control.reload()
    answer = {"service": control.service, "files": _wire(changes)}
    return output.show(args, answer, _print_removed)


def _texts(control: "Control", units: "list[UnitFile]") -> "list[dict[str, str]]":
    return [{"path": str(control.folder / unit.name), "text": unit.text} for unit in units]


def _wire(changes: "list[Change]") -> "list[dict[str, str | None]]":
    return [
        {"path": str(c.path), "done": c.done, "kept": str(c.kept) if c.kept else None}
        for c in changes
    ]


def _exposures(control: "Control", units: "list[UnitFile]") -> "dict[str, str]":
    if control.name != "systemd":
        return {}
    from hippod.units import systemctl

    return systemctl.exposures(units)


def _print_texts(answer: "Answer") -> None:
    for file in answer["files"]:
        output.say(f"# {output.printable(file['path'])}")
        output.verbatim(f"{file['text']}\n")


def _print_installed(answer: "Answer") -> None:
    _print_changes(answer)
    for what, said in answer["exposure"].items():
        output.tell(f"{what}: {said}")
    if answer["started"]:
        output.say(f"{answer['service']} runs")
    else:
        output.tell(f"{answer['service']} starts at your next login; now: hippod service start")
    if answer["lingers"] is False:
        output.tell("it ends when you log out; to let it run on: hippod service install --linger")


def _print_removed(answer: "Answer") -> None:
    _print_changes(answer)
    if not answer["files"]:
        output.say(f"{answer['service']} was not installed")


def _print_changes(answer: "Answer") -> None:
    for file in answer["files"]:
        kept = f", what stood there is {file['kept']}" if file["kept"] else ""
        output.tell(f"{file['done']} {file['path']}{kept}")


# -- start, stop, restart -----------------------------------------------------------------------


def _start(args: "argparse.Namespace", control: "Control") -> int:
    _begin(args, control)
    return _said(args, control, "runs")


def _stop(args: "argparse.Namespace", control: "Control") -> int:
    try:
        control.stop()
    except NotFound as error:
        raise NotFound(error.message, f"{error.hint}; a daemon without one: hippod stop") from None
    return _said(args, control, "is stopped")


def _restart(args: "argparse.Namespace", control: "Control") -> int:
    try:
        control.status()
    except NotFound as error:
        raise NotFound(error.message, f"{error.hint}; {_BY_HAND}") from None
    except HippodError as error:
        raise HippodError(error.message, _BY_HAND) from None
    control.restart()
    return _said(args, control, "runs")


def _begin(args: "argparse.Namespace", control: "Control") -> None:
    _refuse_beside_another(args, control)
    control.start()


def _refuse_beside_another(args: "argparse.Namespace", control: "Control") -> None:
    """Raise `Busy` if a daemon that is not the service's answers on the socket."""
    now = control.status()
    if args.system or now["state"] in _RUNNING or now["socket"] == "active":
        return  # to dial would start the service
    try:
        with options.connect(args) as client:
            client.health()
    except HippodError:
        return
    raise Busy("a daemon that was started by hand is running", "stop it first: hippod stop")


def _said(args: "argparse.Namespace", control: "Control", what: str) -> int:
    answer = {"service": control.service, "state": what}
    return output.show(args, answer, lambda shown: output.say(f"{shown['service']} {what}"))


# -- status, logs -------------------------------------------------------------------------------


def _status(args: "argparse.Namespace", control: "Control") -> int:
    answer = control.status()
    output.show(args, answer, _print_status, lambda now: output.names([now["state"]]))
    return 0 if answer["state"] in _RUNNING else _NOT_RUNNING


def _print_status(answer: "Answer") -> None:
    since = f" since {answer['since']}" if answer["since"] else ""
    pid = f", pid {answer['pid']}" if answer["pid"] else ""
    output.tell(f"{answer['unit']} is {answer['state']}{since}{pid}")
    if answer["said"]:
        output.tell(f"it says: {answer['said']}")
    if answer["socket"] is not None:
        output.tell(f"its socket is {answer['socket']}")
    if answer["restarts"]:
        output.say(f"restarted {output.many(answer['restarts'], 'time')}")
    if answer["result"] != "success":
        code = f", exit code {answer['exit_code']}" if answer["exit_code"] else ""
        output.tell(f"! it ended by {answer['result']}{code}; see: hippod service logs")
    if not answer["at_start"]:
        output.say("! it is not started at login; see: hippod service install")


def _logs(args: "argparse.Namespace", control: "Control") -> int:
    if args.lines < 0:
        raise InvalidInput(f"--lines: {args.lines} is no number of lines")
    if not args.system and (file := _log_file(args)):
        from hippod.units import calling

        follow = ["-F"] if args.follow else []
        return calling.show(["tail", "-n", str(args.lines), *follow, "--", file], os.environ)
    if control.name == "systemd":
        control.check()  # journalctl would show nothing, or wait for ever
    return control.logs(args.lines, follow=args.follow)


def _log_file(args: "argparse.Namespace") -> str:
    """Return the file that the daemon logs to; empty where it logs to its manager."""
    from hippod.cli import local

    try:
        file = local.settings(args)[0].log.file
    except HippodError:
        return ""
    return file if os.path.isfile(file) else ""  # noqa: PTH113
