"""`hippod doctor`: the daemon examines itself, or it is looked at from outside if none answers."""

import os
from contextlib import contextmanager

from hippod.cli import columns, options, output
from hippod.errors import ConfigError, Forbidden, HippodError, NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import Any

    from hippod.config import Config
    from hippod.doctor.subject import Models

    Answer = dict[str, Any]

_ANSWER_SECONDS = 3.0
"""A daemon that does not even say that it is there within this time hangs."""
_DISK_FULL = ("No space left", "disk is full")
_SIGNS = {"ok": "ok", "warn": "warn", "fail": "FAIL", "skipped": "-"}
_COLOURS = {"ok": "32", "warn": "33", "fail": "1;31", "skipped": "2"}


def doctor_options(parser: "argparse.ArgumentParser") -> None:
    """Add `--fix` and `--only`."""
    parser.add_argument("--fix", action="store_true", help="mend what can safely be mended")
    parser.add_argument("--only", action="append", metavar="NAME,…", help="make these checks only")


def doctor(args: "argparse.Namespace") -> int:
    """Print what each check found; return 1 if one of them failed, else 0."""
    only = options.listed(args.only) or []
    answer = _of_the_daemon(args, only) or _from_outside(args, only)
    output.show(args, answer, _print_findings, _print_wrong)
    return 1 if answer["state"] == "fail" else 0


def _of_the_daemon(args: "argparse.Namespace", only: "list[str]") -> "Answer | None":
    """Return what the daemon found; None if none answers, or one that is too old for it."""
    if not _answers(args):
        return None
    try:
        return options.ask(args, lambda client: client.doctor(fix=args.fix, only=only))
    except NotFound:
        output.complain("the daemon that runs has no doctor: it is looked at from outside")
        return None


def _answers(args: "argparse.Namespace") -> bool:
    """Say whether the daemon that is meant answers soon; if not, the doctor tells why."""
    try:
        with options.connect(args) as client:
            client.timeout = min(args.timeout or _ANSWER_SECONDS, _ANSWER_SECONDS)
            client.health()
    except HippodError:
        return False
    return True


def _from_outside(args: "argparse.Namespace", only: "list[str]") -> "Answer":
    """Make the checks in this process, which holds the workspace meanwhile if nobody else does."""
    from hippod import lock
    from hippod.doctor.checks import CHECKS
    from hippod.doctor.running import Doctor
    from hippod.doctor.subject import Subject

    if args.scope != "main":
        raise Forbidden(f"doctor is not for scope {args.scope!r}")
    config, file = _settings(args)
    with lock.borrowed(config.workspace.path, "doctor") as is_locked, _models(config) as models:
        subject = Subject(
            config=config,
            config_path=file,
            socket=config.server.socket,
            models=models,
            is_locked=is_locked,
        )
        found = Doctor(CHECKS).examine(subject, fix=args.fix, only=only)
    return found.model_dump(mode="json")


def _settings(args: "argparse.Namespace") -> "tuple[Config, Path | None]":
    """Return the configuration, or the defaults where it is faulty: the doctor tells of that."""
    from pathlib import Path

    from hippod import paths
    from hippod.cli import local
    from hippod.config import Config, Server, Workspace

    try:
        return local.settings(args)
    except ConfigError:
        file = paths.config_path(args.config, os.environ)
    try:
        path, socket = paths.configured(file, os.environ)
    except ConfigError:
        path, socket = "", ""
    folder = os.path.dirname(file)  # noqa: PTH120 - as in `local`
    root = paths.workspace_path(args.workspace, path, os.environ, config_dir=folder)
    chosen = {**os.environ, **({"HIPPOD_SOCKET": args.socket} if args.socket else {})}
    listen = paths.socket_path(root, socket, chosen, config_dir=folder)
    return Config(workspace=Workspace(path=Path(root)), server=Server(socket=listen)), Path(file)


@contextmanager
def _models(config: "Config") -> "Iterator[Models]":
    """Lend the models as configured, and end them afterwards."""
    from hippod.doctor.subject import Models
    from hippod.models.factory import embedder_from, encoder_from, generator_from

    generator, no_generator = generator_from(config.generator)
    encoder, no_encoder = encoder_from(config.encoder)
    embedder, no_embedder = embedder_from(config.embedder)
    notes = {"generator": no_generator, "encoder": no_encoder, "embedder": no_embedder}
    try:
        yield Models(generator, encoder, embedder, notes)
    finally:
        for model in (generator, encoder, embedder):
            if model is not None:
                model.close()


def _print_findings(answer: "Answer") -> None:
    """Print all by group, a line each; what is wrong once more at the end, with what to do."""
    findings = answer["findings"]
    width = max((len(each["name"]) for each in findings), default=0)
    for group in dict.fromkeys(each["group"] for each in findings):
        output.say(output.printable(group))
        for each in findings:
            if each["group"] == group:
                output.say(_line(each, width))
        output.say()
    _print_advice(_wrong(findings))
    output.say(f"{_sum(findings)}, in {output.duration(answer['seconds'])}")


def _print_wrong(answer: "Answer") -> None:
    output.names(each["name"] for each in _wrong(answer["findings"]))


def _wrong(findings: "list[Answer]") -> "list[Answer]":
    return [each for each in findings if each["state"] in ("warn", "fail")]


def _print_advice(wrong: "list[Answer]") -> None:
    if not wrong:
        return
    output.say("what to do")
    full = [each["name"] for each in wrong if any(said in each["said"] for said in _DISK_FULL)]
    if full:
        output.say(f"  {_sign('fail')}  {', '.join(full)}: the disk is full")
        output.say("        free some space first; then look again: hippod doctor")
        wrong = [each for each in wrong if each["name"] not in full]
    for each in sorted(wrong, key=lambda each: each["state"] == "fail"):  # failures last
        for line in _paragraph(f"{each['name']}: {each['said']}", _sign(each["state"])):
            output.say(line)
        if each["fix"]:
            output.tell(f"        {each['fix']}")
    output.say()


def _line(each: "Answer", width: int) -> str:
    sign = _sign("ok" if each["fixed"] else each["state"])
    mended = "mended: " if each["fixed"] else ""
    said = output.fitted(f"{mended}{each['said']}", width + 10)  # in full below, if it is wrong
    return f"  {sign}  {output.printable(each['name']):<{width}}  {said}"


def _paragraph(text: str, sign: str) -> list[str]:
    """Return the lines of a text behind a sign, as long as a terminal takes them."""
    safe, before = output.printable(text), 8
    room = output.room() - before if output.terminal() else len(safe) * 2
    first, *more = columns.wrapped(safe, room, mark=output.mark()) or [""]
    return [f"  {sign}  {first}", *(" " * before + line for line in more)]


def _sign(state: str) -> str:
    return output.tinted(_COLOURS[state], f"{_SIGNS[state]:<4}")


def _sum(findings: "Iterable[Answer]") -> str:
    states = [each["state"] for each in findings]
    fixed = sum(each["fixed"] for each in findings)
    counts = {"failed": states.count("fail"), "warned": states.count("warn"), "mended": fixed}
    told = [f"{number} {what}" for what, number in counts.items() if number]
    return ", ".join(told) or "all is well"
