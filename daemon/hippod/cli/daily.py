"""`hippod note today day`: the daily logs."""

from hippod.cli import files, options, output

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any


def note_options(parser: "argparse.ArgumentParser") -> None:
    """Add text and date."""
    parser.add_argument("text", nargs="+", help="one entry; - alone: from stdin")
    parser.add_argument("--date", metavar="YYYY-MM-DD", help="or yesterday; default: today")


def note(args: "argparse.Namespace") -> int:
    """Append `[HH:MM:SS] text` to a daily log."""
    text = files.text_of(" ".join(args.text))
    answer = options.ask(args, lambda client: client.append_daily_log(text, date=args.date))
    return output.show(args, answer, lambda done: files.print_written("noted in", done))


def today_options(_parser: "argparse.ArgumentParser") -> None:
    """Add nothing: today is today."""


def today(args: "argparse.Namespace") -> int:
    """Print today's daily log."""
    answer = options.ask(args, lambda client: client.today_log())
    hint = "add a line with: hippod note"
    return output.show(args, answer, lambda log: _print(log, "yet", hint), quiet=_content)


def day_options(parser: "argparse.ArgumentParser") -> None:
    """Add the date."""
    parser.add_argument("date", metavar="YYYY-MM-DD", help="or today, yesterday")


def day(args: "argparse.Namespace") -> int:
    """Print the daily log of a date."""
    answer = options.ask(args, lambda client: client.daily_log(args.date))
    hint = "list those that there are with: hippod tree memory"
    return output.show(args, answer, lambda log: _print(log, "", hint), quiet=_content)


def _content(answer: "dict[str, Any]") -> None:
    if answer.get("exists", True):
        output.verbatim(str(answer["content"]))


def _print(answer: "dict[str, Any]", yet: str, hint: str) -> None:
    _content(answer)
    if not answer.get("exists", True):
        output.complain(f"no daily log for {answer['date']} {yet}".rstrip(), hint)
    for path in answer.get("others", ()):
        output.complain(f"another log of {answer['date']} is {path}", f"hippod read {path}")
