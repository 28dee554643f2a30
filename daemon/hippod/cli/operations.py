"""`hippod reindex config`: what the daemon does and how it is set up."""

import json
import os

from hippod.cli import options, output

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any


def reindex_options(parser: "argparse.ArgumentParser") -> None:
    """Add `--full`."""
    parser.add_argument("--full", action="store_true", help="rebuild the index from nothing")


def reindex(args: "argparse.Namespace") -> int:
    """Look at every file again, and wait for it."""
    from hippod.cli import progress

    with progress.live(args):
        answer = options.ask(args, lambda client: client.reindex(full=args.full))
    return output.show(args, answer, _print_reindexed)


def _print_reindexed(answer: "dict[str, Any]") -> None:
    waiting = answer.get("vectors_pending", 0)
    print_summary({key: value for key, value in answer.items() if key != "vectors_pending"})
    if waiting:
        output.say(f"vectors follow in the background: {waiting} to do")


def config_options(parser: "argparse.ArgumentParser") -> None:
    """Add `show` and `--offline`."""
    parser.add_argument("action", nargs="?", choices=["show"], default="show")
    parser.add_argument(
        "--offline", action="store_true", help="what a daemon started now would use"
    )


def config(args: "argparse.Namespace") -> int:
    """Show every value and where it comes from."""
    if args.offline:
        answer = _offline(args)
    else:
        answer = options.ask(args, lambda client: client.config_show())
    return output.show(args, answer, _print_config)


def _offline(args: "argparse.Namespace") -> "dict[str, Any]":
    from hippod.cli import local
    from hippod.config import explain

    settled, file = local.settings(args)
    return explain(settled, file, os.environ)


def _print_config(answer: "dict[str, Any]") -> None:
    for key, entry in answer.items():
        value = json.dumps(entry["value"], ensure_ascii=False)  # close to TOML
        output.say(output.printable(f"{key} = {value}  # {entry['source']}"))


def print_summary(answer: "dict[str, Any]") -> None:
    """Print any answer compactly: its plain values on one line, each part of it on another."""
    plain = {key: value for key, value in answer.items() if not isinstance(value, dict | list)}
    parts = {key: value for key, value in answer.items() if isinstance(value, dict | list)}
    if plain:
        output.say(_pairs(plain))
    indent = max((len(key) for key in parts), default=0)
    for key, value in parts.items():
        for number, line in enumerate(_lines(value)):
            output.say(f"{output.printable(key) if number == 0 else '':<{indent}}  {line}")


def _lines(part: "dict[str, Any] | list[Any]") -> list[str]:
    if isinstance(part, dict):
        return [_pairs(part)] if part else ["-"]
    return [_pairs(row) if isinstance(row, dict) else _value("", row) for row in part] or ["-"]


def _pairs(values: "dict[str, Any]") -> str:
    shown = (
        f"{key.removesuffix('_seconds').removesuffix('_bytes')} {_value(key, value)}"
        for key, value in values.items()
    )
    return output.printable(" · ".join(shown))


def _value(key: str, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value in ("", [], {}):
        return "-"
    if isinstance(value, int | float):
        return _number(key, value)
    if isinstance(value, dict):
        return f"({', '.join(f'{k} {_value(k, v)}' for k, v in value.items())})"
    if isinstance(value, list):
        return ", ".join(_value("", item) for item in value)
    return output.printable(str(value))


def _number(key: str, value: float) -> str:
    if key.endswith("_seconds"):
        return output.duration(value)
    if key.endswith("_bytes") and value >= 1000:
        return f"{value / 1e6:.1f} MB"
    return str(value) if isinstance(value, int) else f"{value:.4g}"
