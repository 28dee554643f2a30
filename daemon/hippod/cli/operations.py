"""`hippod reindex`, and how answers of any command are summed up."""

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


def print_summary(answer: "dict[str, Any]") -> None:
    """Print any answer compactly: its plain values on one line, each part of it on another."""
    for line in summary(answer):
        output.tell(line, under=2)


def summary(answer: "dict[str, Any]") -> list[str]:
    """Return the lines of `print_summary`."""
    plain = {key: value for key, value in answer.items() if not isinstance(value, dict | list)}
    parts = {key: value for key, value in answer.items() if isinstance(value, dict | list)}
    indent = max((len(key) for key in parts), default=0)
    return ([_pairs(plain)] if plain else []) + [
        f"{output.printable(key) if number == 0 else '':<{indent}}  {line}"
        for key, value in parts.items()
        for number, line in enumerate(_lines(value))
    ]


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
