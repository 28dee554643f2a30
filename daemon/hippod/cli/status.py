"""`hippod status metrics`: the daemon on one screen, in full, or again and again; its figures."""

import time

from hippod.cli import options, output, overview, progress
from hippod.cli.operations import summary
from hippod.errors import DaemonDown, HippodError, NotResponding

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any

    Answer = dict[str, Any]

WATCH_SECONDS, LEAST_SECONDS = 2.0, 0.2
_SHOWN = 5
"""Rows of a list of troubles; the rest is counted, `--json` has all."""
_ALWAYS_THERE = "main"
"""The source that is configured without anybody doing so: its folder may well be missing."""


def status_options(parser: "argparse.ArgumentParser") -> None:
    """Add `--verbose` and `--watch`."""
    parser.add_argument("-v", "--verbose", action="store_true", help="all that it tells")
    parser.add_argument(
        "--watch", type=_interval, nargs="?", const=WATCH_SECONDS, metavar="SECONDS",
        help=f"show it again every so often (default {WATCH_SECONDS:g}), until Ctrl-C",
    )  # fmt: skip


def status(args: "argparse.Namespace") -> int:
    """Show the daemon on one screen."""
    if args.watch is not None:
        return _watch(args)
    answer = options.ask(args, lambda client: client.status())
    return output.show(
        args, answer, lambda found: _print(found, verbose=args.verbose), _print_state
    )


def metrics_options(_parser: "argparse.ArgumentParser") -> None:
    """Add nothing."""


def metrics(args: "argparse.Namespace") -> int:
    """Print what Prometheus would read."""
    with options.connect(args) as client:
        text = client.metrics()
    return output.show(args, {"metrics": text}, _print_metrics, quiet=_print_metrics)


def _print_metrics(answer: "Answer") -> None:
    output.verbatim(answer["metrics"])


# -- again and again -------------------------------------------------------------------------


def _interval(text: str) -> float:
    seconds = options.number(text)
    if not LEAST_SECONDS <= seconds <= 86_400:
        raise ValueError
    return seconds


def _watch(args: "argparse.Namespace") -> int:
    """Show the daemon until Ctrl-C; one that stops is waited for."""
    expected: tuple[type[HippodError], ...] = (DaemonDown, NotResponding)
    try:
        while True:
            _show_once(args, expected)
            expected = (HippodError,)  # whatever ends a connection when a daemon ends
            output.flush()
            time.sleep(args.watch)
    except KeyboardInterrupt:
        if output.terminal():
            output.say()
        return 0


def _show_once(args: "argparse.Namespace", expected: "tuple[type[HippodError], ...]") -> None:
    try:
        with options.connect(args) as client:
            answer: Answer = dict(client.status())
    except expected as error:
        if args.json:
            output.document({"error": error.wire()}, one_line=True)
        elif args.quiet:
            output.names(["down"])
        else:
            _draw([f"! hippod  {output.printable(error.message)}", f"    > {error.hint}"])
        return
    if args.json:
        output.document(answer, one_line=True)
    elif args.quiet:
        _print_state(answer)
    else:
        _draw(_lines(answer, verbose=args.verbose))


def _draw(lines: "list[str]") -> None:
    """Draw a screen anew, as much as fits on it; into a pipe or file, write a block."""
    head = time.strftime("%Y-%m-%d %H:%M:%S")
    if not output.terminal():
        output.say("\n".join([head, *lines, ""]))
        return
    # No clearing before: the lines are written over, so that nothing flickers.
    shown = "".join(f"{line}\x1b[K\n" for line in [*lines[: output.height() - 2], head])
    output.raw(f"\x1b[H{shown}\x1b[J")


# -- once ------------------------------------------------------------------------------------


def _print(answer: "Answer", *, verbose: bool) -> None:
    for line in _lines(answer, verbose=verbose):
        output.say(line)


def _print_state(answer: "Answer") -> None:
    output.names([_state(answer)])


def _state(answer: "Answer") -> str:
    """Return one word; who may see nothing of the parts learns that somebody answers."""
    try:
        return overview.state(answer, list(_rows(answer)))
    except (KeyError, TypeError, AttributeError):  # scope group, or a daemon of another version
        return "answers"


def _lines(answer: "Answer", *, verbose: bool) -> "list[str]":
    try:
        rows = list(_rows(answer))
        if not verbose:
            return list(overview.lines(answer, rows))
    except (KeyError, TypeError, AttributeError):  # scope group, or a daemon of another version
        return summary({key: value for key, value in answer.items() if value is not None})
    indent = max(len(name) for name, _ in rows)
    return [
        f"{output.printable(name):<{indent}}  {output.printable(text)}".rstrip()
        for name, text in rows
    ]


def _rows(answer: "Answer") -> "Iterator[tuple[str, str]]":
    up = output.duration(answer["uptime_seconds"])
    yield "hippod", f"{answer['version']}, up {up}, pid {answer['pid']}"
    yield "socket", answer["socket"]
    yield from _listener(answer.get("mcp") or {})
    yield from _config(answer.get("config") or {})
    yield from _workspace(answer["workspace"])
    yield from _index(answer["index"])
    yield from _models(answer)
    yield from _retain(answer["retain"])
    watch = answer["watch"]
    yield "watch", f"{watch['mode']}, last event {_when(watch, 'event')}, {_look(watch)}"
    if watch.get("fault"):
        yield "! watch", f"{watch['fault']}: each look at all files finds them all the same"
    for path, reason in _first(watch.get("not_indexed") or {}):
        yield "! not indexed", f"{path}: {reason}" if reason else path
    for job in answer["jobs"]:
        last = f"last {job['last_run']} ({job['last_outcome']})" if job["last_run"] else "not yet"
        due = f", next {job['next_run']}" if job["next_run"] else ""
        due = ", paused" if job.get("paused") else due
        yield "job", f"{job['name']} {job['schedule']}, {last}{due}"
    yield from _bank(answer.get("bank") or {})
    yield from _hygiene(answer.get("hygiene") or {})
    yield from _heartbeat(answer.get("heartbeat") or {})
    for name, crash in (answer.get("crashes") or {}).items():
        yield "! worker", f"{name} crashed {crash['times']} times, last {crash['last']}"
    for key, entry in (answer.get("settings") or {}).items():
        yield "setting", f"{key} = {entry['value']} ({entry['source']})"
    yield "backup", answer["state"].get("last_backup") or "none yet (hippod backup FILE)"
    if answer["state"].get("recovered_from"):
        yield "! state", f"was damaged; the old file is {answer['state']['recovered_from']}"


def _when(watch: "Answer", what: str) -> str:
    """Say when something was, and how long ago."""
    age = watch.get(f"last_{what}_age")
    return (
        f"{watch[f'last_{what}']} ({output.duration(age)} ago)" if age is not None else "none yet"
    )


def _look(watch: "Answer") -> str:
    return f"last look at all files {_when(watch, 'look')}"


def _listener(part: "Answer") -> "Iterator[tuple[str, str]]":
    """Say where MCP is spoken over TCP, and what is wrong with that."""
    if part:
        yield "listener", f"{part['url']}, scope {part['scope']}, {part['tools']} tools"
    if part.get("error"):
        yield "! listener", f"{part['error']}; {part['hint']}"


def _config(part: "Answer") -> "Iterator[tuple[str, str]]":
    """Say that the file is broken, or says otherwise than the daemon does."""
    for fault, _ in _first(list(part.get("faults") or ())):
        yield "! config", fault
    if waiting := part.get("waiting"):
        yield "! changed", f"{part['file']}: {', '.join(waiting)}"
    if waiting := part.get("needs_restart"):
        yield "! restart", f"{part['file']}: {', '.join(waiting)}"


def _workspace(part: "Answer") -> "Iterator[tuple[str, str]]":
    yield "workspace", f"{part['path']} ({part['layout']}, {part['timezone']})"
    if part.get("gone"):
        yield "! workspace", str(part["gone"])
    roots = part.get("roots") or {}
    if roots:
        yield "", ", ".join(f"{name or '(top)'} {count}" for name, count in roots.items())
    for path, reason in _first(part.get("skipped") or {}):
        yield "! left out", f"{path}: {reason}" if reason else path
    for path, reason in _first(part.get("oddities") or {}):
        yield "! odd", f"{path}: {reason}" if reason else path
    for path in part.get("unreadable") or ():
        yield "! unreadable", str(path)
    for link in part.get("links") or ():
        yield "link", ", ".join(f"{key} {value}" for key, value in link.items() if value)


def _index(part: "Answer") -> "Iterator[tuple[str, str]]":
    stored = (part.get("switching") or {}).get("stored")
    embedder = stored or part["embedder"] or "none: lexical search alone"
    vectors = part.get("vectors")
    counted = ""
    if vectors:  # an index that cannot be opened counts nothing
        counted = (
            f", {part['documents']} documents, {part['units']} units, "
            f"{vectors['embedded']} vectors ({vectors['pending']} pending; {embedder})"
        )
    yield "index", f"{part['state']}{counted}"
    if part.get("progress"):
        yield "", progress.bar(part["progress"])
    yield from _vectors(part)
    if part["problem"]:
        yield "! index", str(part["problem"])
    if part["embedding_error"]:
        yield "! vectors", str(part["embedding_error"])
    failures = {leg: n for leg, n in part["leg_failures"].items() if n}
    if failures:
        yield "! search", ", ".join(f"{leg} failed {n} times" for leg, n in failures.items())


def _vectors(part: "Answer") -> "Iterator[tuple[str, str]]":
    switching = part.get("switching")
    if switching:
        yield (
            "vectors",
            f"changing from {switching['stored']} to {switching['active']}, "
            f"{switching['pending']} to do; meanwhile {switching['serving']}",
        )
    graph = part.get("graph") or {}
    if graph.get("state") in ("in use", "loading", "building"):
        took = f", built in {output.duration(graph['seconds'])}" if graph.get("seconds") else ""
        yield "graph", f"{graph['state']}{took}"
    if graph.get("problem"):
        yield "! graph", str(graph["problem"])
    for reason, count in list((part.get("parked") or {}).items())[:_SHOWN]:
        yield "no vector", f"{output.many(count, 'text')}: {reason}"


def _models(answer: "Answer") -> "Iterator[tuple[str, str]]":
    yield from _embedder(answer)
    yield from _encoder(answer)
    generator = answer["generator"]
    if generator["state"] == "none":
        yield "generator", f"none: {answer['notes'].get('generator', 'rules alone')}"
        return
    if generator.get("missing"):
        yield "! generator", f"there is no model {generator.get('path')}"
    name = generator.get("model_id") or generator.get("path")
    used = f"{generator['calls']} calls, {generator['tokens']} tokens"
    yield "generator", f"{generator['state']}, {name}, {used}"
    yield from _usage(generator.get("usage") or {})
    chosen = generator.get("tasks", "auto")
    if chosen != "auto":
        yield "tasks", f"{', '.join(chosen) or 'none'}: as configured, untested"
    for task, test in generator.get("self_tests", {}).items() if chosen == "auto" else ():
        verdict = "passed" if test["passed"] else "not passed, the rules do it"
        yield "self-test", f"{task}: {verdict} ({test['detail']})"
    if generator.get("last_error"):
        yield "! generator", str(generator["last_error"])


def _embedder(answer: "Answer") -> "Iterator[tuple[str, str]]":
    embedder = answer.get("embedder") or {"state": "none"}
    if embedder["state"] == "none":
        reason = str(answer["notes"].get("embedder", "words alone"))
        meant = reason == "words alone" or reason.startswith("switched off")
        yield ("embedder" if meant else "! embedder"), f"none: {reason}"
        return
    calls = f", {embedder['calls']} calls" if "calls" in embedder else ""
    yield "embedder", f"{embedder['state']}, {embedder['model_id']}{calls}"
    if embedder.get("last_error"):
        yield "! embedder", str(embedder["last_error"])


def _encoder(answer: "Answer") -> "Iterator[tuple[str, str]]":
    encoder = answer.get("encoder") or {"state": "none"}
    if encoder["state"] == "none":
        yield "encoder", f"none: {answer['notes'].get('encoder', 'not installed')}"
        return
    yield "encoder", f"{encoder['state']}, {encoder['model_id']}, {encoder['calls']} calls"
    for task, test in encoder.get("self_tests", {}).items():
        verdict = "passed" if test["passed"] else "not passed, it is not used"
        yield "self-test", f"{task}: {verdict} ({test['detail']})"


def _usage(usage: "Answer") -> "Iterator[tuple[str, str]]":
    if not usage:
        return
    most = f" of {usage['daily_tokens']}" if usage["daily_tokens"] else ""
    each = ""
    if usage["facts"]:
        each = (
            f"; {usage['tokens_per_fact']:g} tokens and {usage['seconds_per_fact']:g} s"
            f" a fact ({usage['facts']} facts)"
        )
    yield "tokens", f"{usage['tokens_today']}{most} today{each}"
    if usage["exhausted_until"]:
        yield "! generator", f"the tokens of the day are used up until {usage['exhausted_until']}"


def _retain(part: "Answer") -> "Iterator[tuple[str, str]]":
    waiting = _waiting(part["turns_waiting"], "turn") if part["turns_waiting"] else "nothing waits"
    yield "retain", waiting if part["enabled"] else "switched off"
    yield from overview.nameless(part)
    if part.get("batches_failed"):
        yield "! retain", f"batches given up after a crash: {part['batches_failed']}; see the log"
    if part["last_error"]:
        yield "! retain", str(part["last_error"])
    for source in part["sources"]:
        counts = f"transcripts {source['files']}, turns {source['turns']}"
        passed_over = dict(source["skipped"] or {})
        older = passed_over.pop("before_since", 0)
        skipped = ", ".join(f"{n} {reason}" for reason, n in passed_over.items())
        tail = f"; lines passed over: {skipped}" if skipped else ""
        gone = not source.get("folder_exists", True) and source["name"] != _ALWAYS_THERE
        if gone and not source["turns"]:
            counts = "no session yet"
        yield "source", f"{source['name']} ({source['path']}): {counts}{tail}"
        if older:
            yield (
                "",
                f"{output.many(older, 'turn')} left out: older than retain.backfill_days allows",
            )
        if gone and source["turns"]:
            yield "! source", f"{source['name']}: its folder is gone"
        for alarm in source["alarms"]:
            yield "! source", str(alarm)


def _waiting(count: int, what: str) -> str:
    return f"{output.many(count, what)} wait{'s' if count == 1 else ''}"


def _bank(part: "Answer") -> "Iterator[tuple[str, str]]":
    waiting, last = part.get("facts_waiting"), part.get("last_run")
    if not waiting and not last:
        return
    said = [f"reflected {last}" if last else "not reflected yet"]
    said += [_waiting(waiting, "fact")] if waiting else []
    said += [f"summaries {part['quality']}"] if part.get("quality") else []
    yield "bank", ", ".join(said)
    if count := part.get("proposals_open"):
        proposals = output.many(count, "proposal")
        yield "bank", f"{proposals} for MEMORY.md: see hippod proposals"
    left = [f"{each['path']}: {each['reason']}" for each in part.get("problems") or ()]
    for line, _ in _first(left):
        yield "! bank", line


def _hygiene(part: "Answer") -> "Iterator[tuple[str, str]]":
    names = (
        ("duplicate_document", "copies"),
        ("duplicate_fact", "repeated facts"),
        ("stale_document", "stale documents"),
    )
    counts = part.get("counts") or {}
    found = [f"{name} {counts[kind]}" for kind, name in names if counts.get(kind)]
    if found:
        yield "hygiene", f"{', '.join(found)}: see hippod hygiene --dry-run"
    if part.get("last_error"):
        yield "! hygiene", str(part["last_error"])


def _heartbeat(part: "Answer") -> "Iterator[tuple[str, str]]":
    if not part:
        return
    last = part.get("last_heartbeat")
    if not part.get("enabled", True):
        yield "heartbeat", "switched off" + (f", last {last}" if last else "")
        return
    for problem, _ in _first(part["problems"]):
        yield "! heartbeat", problem
    if not last:
        return
    reason = f": {part['last_reason']}" if part["last_reason"] else ""
    most = f" of {part['daily_tokens']}" if part["daily_tokens"] else ""
    spent = f", {part['tokens_today']}{most} tokens today" if part["tokens_today"] else ""
    bad = part["last_outcome"] in ("attention", "failed")
    yield "! heartbeat" if bad else "heartbeat", f"{last} ({part['last_outcome']}{reason}){spent}"


def _first(troubles: "dict[str, str] | list[str]") -> "Iterator[tuple[str, str]]":
    rows = list(troubles.items()) if isinstance(troubles, dict) else [(t, "") for t in troubles]
    yield from rows[:_SHOWN]
    if len(rows) > _SHOWN:
        yield f"... and {len(rows) - _SHOWN} more", ""
