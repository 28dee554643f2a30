"""The daemon on one screen: first whether all is well and what to do, then part by part."""

import os
from datetime import UTC, datetime

from hippod import __version__
from hippod.cli import output, progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    Answer = dict[str, Any]
    Rows = Iterable[tuple[str, str]]

MOST_TROUBLES = 5
MOST_SOURCES = 3
MOST_SETTINGS = 2
_MILD = ("left out", "odd", "graph", "source", "changed", "restart")
"""What is worth a look; anything else that is marked needs somebody."""
_TO_DO = {
    "config": "mend it: the daemon goes on as before, but could not be started again",
    "changed": "it counts after: hippod config reload",
    "restart": "it counts after: hippod service restart",
    "workspace": "put it back or mount it; till then nothing is kept and notes are refused",
    "disk": "free some space: till then notes are refused; the rest goes on by itself",
    "index": "hippod reindex --full",
    "search": "hippod reindex",
    "watch": "hippod doctor",
    "vectors": "see the embedder, they follow by themselves",
    "embedder": "see [embedder]; words alone are searched meanwhile",
    "generator": "see [generator]; the rules go on meanwhile",
    "retain": "see the daemon's log, and hippod retain --flush --explain",
    "not indexed": "see the daemon's log",
    "unreadable": "give the daemon's user the right to read it",
    "heartbeat": "hippod heartbeat --last",
    "worker": "see the daemon's log",
    "job": "see hippod jobs, and the daemon's log",
    "state": "hippod doctor",
    "odd": "read it: it tries to instruct agents",
    "source": "see [[sources]]",
    "left out": "rename or shorten it, or leave it",
}
_DISK_FULL = "disk is full"
_ROLES = ("embedder", "encoder", "generator")
_RED, _GREEN, _YELLOW, _DIM = "1;31", "32", "33", "2"


def lines(answer: "Answer", rows: "Sequence[tuple[str, str]]") -> "Iterator[str]":
    """Yield the lines of the overview. `rows` are all rows of the long form, troubles by `!`.

    Raises `KeyError`, `TypeError` or `AttributeError` for an answer of another shape.
    """
    now = datetime.now(UTC)
    troubles = _all_troubles(answer, rows)
    yield from _verdict(answer, troubles)
    yield from _troubles(troubles)
    told = {name for name, _ in troubles} & set(_ROLES)
    parts = [(name, text) for name, text in _parts(answer, now) if name not in told]
    indent = max(len(name) for name, _ in parts)
    for name, text in parts:
        yield f"{_tinted(_DIM, f'{name:<{indent}}')}  {_fitted(text, indent + 2)}".rstrip()


def _causes(troubles: "list[tuple[str, str]]") -> "list[tuple[str, str]]":
    """Leave out what only follows from another trouble: without a workspace nothing works."""
    if any(name == "workspace" for name, _ in troubles):
        return [each for each in troubles if each[0] in ("workspace", "config")]
    full = [text for _, text in troubles if _DISK_FULL in text]
    others = [each for each in troubles if _DISK_FULL not in each[1]]
    return [("disk", full[0]), *others] if full else others


def state(answer: "Answer", rows: "Sequence[tuple[str, str]]") -> str:
    """Return `attention`, `busy` or `well`; for `rows` and what it raises see `lines`."""
    if _serious(_all_troubles(answer, rows)):
        return "attention"
    return "busy" if _is_busy(answer) else "well"


def _all_troubles(answer: "Answer", rows: "Sequence[tuple[str, str]]") -> "list[tuple[str, str]]":
    troubles = [(name[2:], text) for name, text in rows if name.startswith("! ")]
    return _causes(troubles + _failed_jobs(answer["jobs"]))


def _serious(troubles: "Sequence[tuple[str, str]]") -> list[str]:
    return [name for name, _ in troubles if name not in _MILD]


def _verdict(answer: "Answer", troubles: "Sequence[tuple[str, str]]") -> "Iterator[str]":
    serious = _serious(troubles)
    known = f"{answer['version']}, up {output.duration(answer['uptime_seconds'])}"
    tail = f"  {known}, pid {answer['pid']}"
    if answer["version"] != __version__:
        tail += f"; this client is {__version__}"
    if serious:
        count = len(serious)
        said = f"hippod: {count} thing{'s need' if count != 1 else ' needs'} attention"
        yield _tinted(_RED, said) + tail
    elif _is_busy(answer):
        yield _tinted(_YELLOW, "hippod is well, and not through with all documents yet") + tail
    else:
        yield _tinted(_GREEN, "hippod is well") + tail


def _is_busy(answer: "Answer") -> bool:
    index = answer["index"]
    return bool(index.get("progress") or index["state"] not in ("ready", "current"))


def _troubles(troubles: "Sequence[tuple[str, str]]") -> "Iterator[str]":
    ordered = sorted(troubles, key=lambda trouble: trouble[0] in _MILD)
    for name, text in ordered[:MOST_TROUBLES]:
        colour = _YELLOW if name in _MILD else _RED
        yield f"{_tinted(colour, f'! {name}')}  {_fitted(text, len(name) + 4)}"
        if name in _TO_DO:
            yield f"    {_fitted('> ' + _TO_DO[name], 4)}"
    if len(ordered) > MOST_TROUBLES:
        yield f"  ... and {len(ordered) - MOST_TROUBLES} more: hippod status --verbose"


def _failed_jobs(jobs: "Sequence[Answer]") -> "list[tuple[str, str]]":
    failed = [job for job in jobs if job["last_outcome"] == "failed" and job["name"] != "heartbeat"]
    return [("job", f"{job['name']} failed: {job.get('last_error') or ''}") for job in failed]


# -- parts -----------------------------------------------------------------------------------


def _parts(answer: "Answer", now: datetime) -> "Iterator[tuple[str, str]]":
    yield from _workspace(answer["workspace"])
    yield from _index(answer["index"])
    yield "watch", _watch(answer["watch"], answer["jobs"], now)
    yield from _models(answer)
    yield from _sources(answer["retain"])
    yield from _bank(answer.get("bank") or {}, now)
    yield from _jobs(answer, now)
    yield from _settings(answer.get("settings") or {})
    yield "socket", answer["socket"] or "-"
    if listener := answer.get("mcp"):
        yield "listener", f"{listener['url']} for scope {listener['scope']}"


def _workspace(part: "Answer") -> "Iterator[tuple[str, str]]":
    yield "workspace", f"{_short(part['path'])}, {part['layout']}, {part['timezone']}"
    roots = part.get("roots") or {}
    if roots:
        counts = ", ".join(f"{name or 'top'} {count}" for name, count in roots.items())
        yield "", f"documents: {counts}"


def _index(part: "Answer") -> "Iterator[tuple[str, str]]":
    vectors = part.get("vectors")
    if vectors is None:  # an index that cannot be opened counts nothing
        yield "index", part["state"]
        return
    waiting = part.get("stale_vectors", vectors["pending"])
    meaning = f"{vectors['embedded']} vectors"
    if not part["embedder"]:
        meaning = "words alone"
    elif waiting:
        one = waiting == 1
        texts = (
            "1 text waits for its own and is" if one else f"{waiting} texts wait for theirs and are"
        )
        meaning += f", {texts} found by words alone"
    yield (
        "index",
        f"{part['state']}, {part['documents']} documents, {part['units']} units, {meaning}",
    )
    if part.get("progress"):
        yield "", progress.bar(part["progress"])


def _watch(part: "Answer", jobs: "Sequence[Answer]", now: datetime) -> str:
    looks = [job["last_run"] for job in jobs if job["name"] == "reconcile"]
    looked = _ago(looks[0] if looks else None, now)
    return f"{part['mode']}, last change {_ago(part['last_event'], now)}, last look at all {looked}"


def _models(answer: "Answer") -> "Iterator[tuple[str, str]]":
    for role in _ROLES:
        part = answer.get(role) or {"state": "none"}
        if part["state"] == "none":
            yield role, f"none: {answer['notes'].get(role, 'not there')}"
            continue
        name = part.get("model_id") or os.path.basename(part.get("path") or "")  # noqa: PTH119
        used = f", {part['calls']} calls" if part.get("calls") else ""
        usage = part.get("usage") or {}
        if usage.get("tokens_today") or usage.get("daily_tokens"):
            most = f" of {usage['daily_tokens']}" if usage["daily_tokens"] else ""
            used += f", {usage['tokens_today']}{most} tokens today"
        yield role, f"{part['state']}, {name}{used}"


def _sources(part: "Answer") -> "Iterator[tuple[str, str]]":
    waiting = (
        f"turns waiting: {part['turns_waiting']}" if part["turns_waiting"] else "nothing waits"
    )
    yield "retain", waiting if part["enabled"] else "switched off"
    yield from nameless(part)
    ordered = sorted(part["sources"], key=lambda source: -source["turns"])
    for source in ordered[:MOST_SOURCES]:
        missing = "" if source.get("folder_exists", True) else ", no folder yet"
        older = (source.get("skipped") or {}).get("before_since")
        left_out = f", {older} older (retain.backfill_days)" if older else ""
        read = f"{output.many(source['files'], 'file')}, {output.many(source['turns'], 'turn')}"
        counts = f"{read}{left_out}{missing}"
        yield "", f"{source['name']}: {counts} ({_short(source['path'])})"
    if len(ordered) > MOST_SOURCES:
        yield "", f"... and {output.many(len(ordered) - MOST_SOURCES, 'more source')}"


def nameless(part: "Answer") -> "Iterator[tuple[str, str]]":
    """Yield how to tell one's name, as long as facts call the user "User"."""
    if part["enabled"] and part.get("user") == "":
        yield "user", "no name yet; facts say User: hippod config set workspace.user NAME"


def _bank(part: "Answer", now: datetime) -> "Iterator[tuple[str, str]]":
    said = [f"reflected {_ago(part['last_run'], now)}"] if part.get("last_run") else []
    if waiting := part.get("facts_waiting"):
        said.append(f"{output.many(waiting, 'fact')} wait{'s' if waiting == 1 else ''}")
    if part.get("proposals_open"):
        said.append(f"{output.many(part['proposals_open'], 'proposal')}: hippod proposals")
    if said:
        yield "bank", ", ".join(said)


def _jobs(answer: "Answer", now: datetime) -> "Iterator[tuple[str, str]]":
    jobs = answer["jobs"]
    width = max((len(job["name"]) for job in jobs), default=0)
    for number, job in enumerate(jobs):
        yield "" if number else "jobs", f"{job['name']:<{width}}  {_job(answer, job, now)}"


def _job(answer: "Answer", job: "Answer", now: datetime) -> str:
    last = f"{job['last_outcome']} {_ago(job['last_run'], now)}" if job["last_run"] else "not yet"
    part = answer.get(job["name"])
    if isinstance(part, dict) and part.get("enabled") is False:
        source = _source_of(answer, f"{job['name']}.enabled")
        return f"switched off{source}, last {last}"
    if job.get("paused"):
        return f"paused, last {last}: hippod jobs resume {job['name']}"
    if job.get("running"):
        return f"running, last {last}"
    return (
        f"{last}, next {_until(job['next_run'], now)}" if job["next_run"] else f"{last}, when asked"
    )


def _source_of(answer: "Answer", key: str) -> str:
    set_ = (answer.get("settings") or {}).get(key)
    return f" by {_short(set_['source'])}" if set_ else ""


def _settings(part: "dict[str, Answer]") -> "Iterator[tuple[str, str]]":
    """Show what the environment or the command line says instead of the file, and count it all."""
    if not part:
        return
    loud = [key for key in part if not part[key]["source"].endswith(".toml")]
    shown = [key for key in loud if key not in _SHOWN_ANYWAY][:MOST_SETTINGS]
    for number, key in enumerate(shown):
        said = f"{key} = {part[key]['value']} ({_short(part[key]['source'])})"
        yield "" if number else "settings", said
    left = len(part) - len(shown)
    if left:
        what = f"{left} more set" if shown else f"{left} set"
        yield "" if shown else "settings", f"{what} otherwise than by default: hippod config"


_SHOWN_ANYWAY = ("workspace.path", "server.socket")


# -- forms -----------------------------------------------------------------------------------


def _ago(moment: "str | None", now: datetime) -> str:
    """Say how long ago an ISO time was."""
    if not moment:
        return "none yet"
    seconds = (now - datetime.fromisoformat(moment)).total_seconds()
    return f"{_span(seconds)} ago" if seconds >= 1 else "just now"


def _until(moment: str, now: datetime) -> str:
    seconds = (datetime.fromisoformat(moment) - now).total_seconds()
    return f"in {_span(seconds)}" if seconds >= 1 else "now"


def _span(seconds: float) -> str:
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def _short(path: str) -> str:
    """Write the home folder as `~`."""
    home = os.path.expanduser("~")  # noqa: PTH111 - pathlib costs 8 ms
    return f"~{path[len(home) :]}" if home != "/" and f"{path}/".startswith(f"{home}/") else path


def _fitted(text: str, indent: int) -> str:
    """Make text safe for a terminal, and cut it to its width; whole into a pipe or file."""
    return output.fitted(text, indent)


def _tinted(code: str, text: str) -> str:
    return output.tinted(code, output.printable(text))
