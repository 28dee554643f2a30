"""`hippod events`: what happened last, or what happens, until the daemon or the user ends it."""

from hippod.cli import options, output
from hippod.errors import DaemonDown, InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any

    Event = dict[str, Any]

_SHOWN = 10
"""Documents of an event that are named; `--json` has more."""


def events_options(parser: "argparse.ArgumentParser") -> None:
    """Add `--follow`, `--after`, `--types` and `--limit`."""
    parser.add_argument("--follow", "-f", action="store_true", help="go on until interrupted")
    parser.add_argument(
        "--after", type=int, metavar="ID", help="those behind this one; 0: all that are kept"
    )
    parser.add_argument(
        "--types", action="append", metavar="A,B", help="only events of these types"
    )
    parser.add_argument("--limit", type=int, metavar="N", help="how many, without --follow (20)")


def events(args: "argparse.Namespace") -> int:
    """Print events, each as a line of JSON with `--json`."""
    if args.follow and args.limit is not None:
        raise InvalidInput("--limit: a stream has no end", "leave it out, or --follow")
    with options.connect(args) as client:
        coming = client.events(
            after=args.after,
            types=options.listed(args.types) or (),
            follow=args.follow,
            limit=args.limit,
        )
        _print_all(coming, args)
    return 0


def _print_all(coming: "Iterator[Event]", args: "argparse.Namespace") -> None:
    """Print events as they come; where the daemon stops, say which one was the last."""
    last = None
    try:
        for event in coming:
            if args.json:
                output.document(event, one_line=True)
            elif args.quiet:
                output.names([event["id"]])
            else:
                _print(event)
            output.flush()
            last = event["id"]
    except DaemonDown as error:
        if last is None:
            raise
        raise DaemonDown(error.message, f"{error.hint}; go on with --after {last}") from None


def _print(event: "Event") -> None:
    time = str(event["time"])[:19].replace("T", " ")
    first, *more = _lines(event)
    output.tell(f"{time}  {event['id']}  {event['type']}  {first}", under=4)
    for line in more:
        output.tell(f"    {line}", under=2)


def _lines(event: "Event") -> "Iterator[str]":
    """Yield what an event says, in a line and further ones."""
    said = _SAID.get(event["type"])
    try:
        yield from list(said(event)) if said else [_plain(event)]
    except (KeyError, TypeError, AttributeError):  # of a daemon of another version
        yield _plain(event)


def _facts(event: "Event") -> "Iterator[str]":
    count = event["count"]
    yield f"{count} fact{'s' if count != 1 else ''} of {event['source']} in {event['path']}"
    yield from (fact["bullet"] for fact in event["facts"])
    yield from _rest(count - len(event["facts"]))


def _pages(event: "Event") -> "Iterator[str]":
    count, paths = event["count"], event["paths"]
    by = {"hippod": " by hippod", "reindex": ", indexed anew"}.get(event["by"], "")
    if count == len(paths) == 1:
        yield f"{paths[0]}{by}"
        return
    yield f"{count} document{'s' if count != 1 else ''}{by}"
    yield from paths[:_SHOWN]
    yield from _rest(count - len(paths[:_SHOWN]))


def _fault(event: "Event") -> "Iterator[str]":
    over = "over: " if event["over"] else ""
    hint = f" ({event['hint']})" if event["hint"] else ""
    yield f"{over}{event['what']}: {event['message']}{hint}"


def _gap(event: "Event") -> "Iterator[str]":
    if event["reason"] == "reset":
        yield "events are counted anew: the state was lost"
    else:
        yield f"events {event['from'] + 1} to {event['to']} are not kept any more"


def _alert(event: "Event") -> "Iterator[str]":
    yield event["title"]
    yield from event["text"].splitlines()


def _rest(count: int) -> "Iterator[str]":
    if count > 0:
        yield f"... and {count} more"


def _plain(event: "Event") -> str:
    fields = (each for each in event.items() if each[0] not in ("id", "time", "type"))
    return ", ".join(f"{name} {value}" for name, value in fields)


_SAID = {
    "facts.retained": _facts,
    "pages.changed": _pages,
    "heartbeat.alert": _alert,
    "fault": _fault,
    "gap": _gap,
}
TYPES = tuple(name for name in _SAID if name != "gap")
"""Those that can be chosen."""
