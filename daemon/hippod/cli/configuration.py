"""`hippod config`: what the configuration is, changing a value of it, and making that count."""

import json
import os

from hippod.cli import options, output

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from hippod.client import Client

    Answer = dict[str, Any]

_WORDS = {"show": 0, "get": 1, "set": 2, "unset": 1, "reload": 0}


def config_options(parser: "argparse.ArgumentParser") -> None:
    """Add the action with its words."""
    parser.add_argument(
        "action", nargs="?", choices=list(_WORDS), default="show",
        help="show (default), get KEY, set KEY VALUE, unset KEY (its default counts),"
        " or reload: have the daemon read it again",
    )  # fmt: skip
    parser.add_argument("words", nargs="*", metavar="KEY [VALUE]", help="such as retain.quiet 5m")
    parser.add_argument(
        "--offline", action="store_true", help="what a daemon started now would use"
    )
    parser.add_argument(
        "--source", action="store_true", help="for get: also where the value comes from"
    )
    parser.add_argument(
        "--reload",
        action="store_true",
        help="for set and unset: make it count at once, by a reload",
    )


def config(args: "argparse.Namespace") -> int:
    """Show, get, set or reload."""
    from hippod.errors import InvalidInput

    if len(args.words) != _WORDS[args.action]:
        wanted = ("no words", "a KEY", "a KEY and a VALUE")[_WORDS[args.action]]
        raise InvalidInput(
            f"config {args.action} takes {wanted}", "see: hippod config --help; quote a VALUE"
        )
    if args.action == "get":
        return _get(args)
    if args.action in ("set", "unset"):
        return output.show(args, _set(args), _print_set, _complain)
    if args.action == "reload":
        answer = options.ask(args, lambda client: client.reload_config())
        return output.show(args, answer, _print_reloaded)
    return output.show(args, _effective(args), _print_config, _print_pairs)


# -- show and get -----------------------------------------------------------------------------


def _effective(args: "argparse.Namespace") -> "Answer":
    if args.offline:
        return _offline(args)
    with options.connect(args) as client:
        found = client.config_show()
        _warn_of_faults(client)
    return found


def _warn_of_faults(client: "Client") -> None:
    """Say that the file is broken though the daemon goes on with what it has."""
    about = client.status().get("config")
    for fault in (about.get("faults") or ()) if about else ():
        output.complain(fault, "the daemon goes on as before, but could not be started again")


def _offline(args: "argparse.Namespace") -> "Answer":
    from hippod.cli import local
    from hippod.config import explain

    settled, file = local.settings(args)
    return explain(settled, file, os.environ)


def _print_config(answer: "Answer") -> None:
    for key, entry in answer.items():
        output.tell(f"{_pair(key, entry)}  # {entry['source']}", under=4)


def _print_pairs(answer: "Answer") -> None:
    output.names(_pair(key, entry) for key, entry in answer.items())


def _pair(key: str, entry: "Answer") -> str:
    return f"{key} = {json.dumps(entry['value'], ensure_ascii=False)}"  # close to TOML


def _get(args: "argparse.Namespace") -> int:
    """Print one value alone, or the values of a section, of the daemon if one runs."""
    from hippod.errors import DaemonDown, InvalidInput

    try:
        known = _effective(args)
    except DaemonDown:
        known = _offline(args)
    [key] = args.words
    found = {name: known[name] for name in known if f"{name}.".startswith(f"{key}.")}
    if not found:
        raise InvalidInput(f"{key}: no such key", _meant(key))
    if key not in found:
        return output.show(args, found, _print_config, _print_pairs)
    answer = {"key": key, **found[key]}
    return output.show(
        args,
        answer,
        lambda entry: _print_value(entry, source=args.source),
        lambda entry: _print_value(entry, source=False),
    )


def _print_value(answer: "Answer", *, source: bool) -> None:
    value = answer["value"]
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    output.names([f"{text}  # {answer['source']}" if source else text])


def _meant(key: str) -> str:
    from hippod.config import unknown_key

    close = unknown_key(key)
    return f"did you mean {close!r}?" if close else "see: hippod config"


# -- set and reload ---------------------------------------------------------------------------


def _set(args: "argparse.Namespace") -> "Answer":
    from pathlib import Path

    from hippod import config_file, paths
    from hippod.config import needs_restart

    key = args.words[0]
    file = Path(paths.config_path(args.config, os.environ))
    _check_key(key, file)
    is_set = args.action == "set"
    if is_set:
        changed = config_file.set_value(file, key, args.words[1])
    else:
        changed = config_file.unset_value(file, key)
    entry = _offline(args)[key]
    answer = {
        "config": str(file),
        "key": key,
        "value": entry["value"],
        "changed": changed,
        "set": is_set,
        "overridden_by": entry["source"] if entry["source"] not in (str(file), "default") else None,
        "needs_restart": needs_restart(key),
        "reloaded": args.reload,
    }
    if args.reload:
        options.ask(args, lambda client: client.reload_config())
    return answer


def _check_key(key: str, file: object) -> None:
    from hippod.config import Config, explain, holds_tables
    from hippod.errors import InvalidInput

    known = explain(Config(), None, {})
    tables = {
        name for name in known if holds_tables(name) or isinstance(known[name]["value"], dict)
    }
    if key in known and key not in tables:
        return
    inside = next((name for name in tables if key.startswith(f"{name}.")), "")
    if inside:
        raise InvalidInput(
            f"{key}: is in {inside}, which is written as tables",
            f"edit {file}; see config.example.toml",
        )
    if key in tables or holds_tables(key):
        raise InvalidInput(
            f"{key}: is written as tables, not as a value",
            f"name a key of it, or edit {file}; see config.example.toml",
        )
    raise InvalidInput(f"{key}: no such key", _meant(key))


def _complain(answer: "Answer") -> None:
    """Say why a value does not count, or cannot work."""
    key, value = answer["key"], answer["value"]
    if answer["overridden_by"]:
        shown = json.dumps(value, ensure_ascii=False)
        output.complain(
            f"{key} is {shown} all the same, by {answer['overridden_by']}", "take it away there"
        )
    elif key == "workspace.path" and not os.path.isdir(value):  # noqa: PTH112
        output.complain(f"{value}: there is no such folder", "make it by: hippod init")


def _print_set(answer: "Answer") -> None:
    value = json.dumps(answer["value"], ensure_ascii=False)
    if answer["overridden_by"]:
        where = f"{'stands in' if answer['set'] else 'does not stand in'} {answer['config']}"
        output.tell(f"{answer['key']} {where}")
        _complain(answer)
        return
    where = f"in {answer['config']}" if answer["set"] else "by default"
    said = f"{answer['key']} = {value}, {where}"
    output.tell(said if answer["changed"] else f"{said}: as before")
    _complain(answer)
    if answer["needs_restart"]:
        output.say("it counts after a restart: hippod service restart")
    elif not answer["reloaded"]:
        output.say("a running daemon uses it after: hippod config reload")


def _print_reloaded(answer: "Answer") -> None:
    changed, later = answer["changed"], answer["needs_restart"]
    output.tell(
        f"counts now: {', '.join(changed)}" if changed else "nothing changed that counts now"
    )
    if later:
        output.tell(f"counts after a restart (hippod service restart): {', '.join(later)}")
