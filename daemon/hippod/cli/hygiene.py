"""`hippod hygiene`: what is to be tidied, and tidying it."""

from hippod.cli import options, output
from hippod.errors import Conflict

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    Item = dict[str, Any]

_MOST_LISTED = 20


def hygiene_options(parser: "argparse.ArgumentParser") -> None:
    """Add `--dry-run` and `--apply`."""
    parser.add_argument("--dry-run", action="store_true", help="only say what is to do")
    parser.add_argument(
        "--apply",
        nargs="+",
        action="extend",
        metavar="ID",
        help="merge or delete what has these ids, and nothing else; undo takes it back",
    )


def hygiene(args: "argparse.Namespace") -> int:
    """Tidy up and print what was done and what is to be looked at."""
    ids = args.apply or []
    answer = options.ask(args, lambda c: c.hygiene(dry_run=args.dry_run, apply=ids))
    if not ids:
        return output.show(args, answer, print_report, _print_ids)
    code = output.show(args, answer, _print_applied, _complain)
    return Conflict.exit_code if any(item["problem"] for item in answer["items"]) else code


def _complain(answer: "dict[str, Any]") -> None:
    for item in answer["items"]:
        if item["problem"]:
            output.complain(f"{item['id']} {_left(item)}: {_plan(item)}")


def _print_applied(answer: "dict[str, Any]") -> None:
    for item in answer["items"]:
        what = _left(item) or ("done" if item["applied"] else "to do")
        output.tell(f"{item['id']}  {what}: {_plan(item)}")
    output.undo_hint(answer)


def print_report(answer: "dict[str, Any]") -> None:
    """Print the answer of a tidying."""
    if not any(answer["counts"].values()):
        output.say("nothing to tidy")
    shown = [kind for kind in _GROUPS if answer["counts"].get(kind)]
    for number, kind in enumerate(shown):
        if number:
            output.say()
        items = [item for item in answer["items"] if item["kind"] == kind]
        _GROUPS[kind](items, answer["counts"][kind])
    if answer["optimised"].get("problem"):
        output.say()
        output.tell(f"not optimised: {answer['optimised']['problem']}")
    ready = [item for item in answer["items"] if _is_ready(item)]
    if ready:
        output.say()
        output.tell(f"to do one of them: hippod hygiene --apply {ready[0]['id']}")


def _print_ids(answer: "dict[str, Any]") -> None:
    output.names(item["id"] for item in answer["items"] if _is_ready(item))


def _is_ready(item: "Item") -> bool:
    return item["action"] not in ("review", "move") and not item["applied"]


def _print_archived(items: "list[Item]", _count: int) -> None:
    done = [item for item in items if item["applied"]]
    waiting = [item for item in items if not item["applied"] and not item["problem"]]
    for what, group in (("archived", done), ("to be archived", waiting)):
        if group:
            folders = sorted({item["target"].rpartition("/")[0] for item in group})
            output.tell(f"{what}: {_logs(group)} to {', '.join(folders)}")
    _print_left([item for item in items if item["problem"]])


def _print_left(items: "list[Item]") -> None:
    """Say why logs stay, each reason once."""
    reasons = list(dict.fromkeys(item["problem"] for item in items))
    for reason in reasons[:_MOST_LISTED]:
        group = [item for item in items if item["problem"] == reason]
        what = group[0]["path"] if len(group) == 1 else _logs(group)
        output.tell(f"not archived: {what}: {reason}")
    _say_rest(len(reasons))


def _print_copies(items: "list[Item]", count: int) -> None:
    output.say(f"documents that are nearly the same ({count})")
    for item in items[:_MOST_LISTED]:
        output.tell(f"  {_name(item)}  {_plan(item)}")
        own, others = item["own_lines"], item["target_own_lines"]
        output.tell(
            f"{'':14}{item['alike']:.0%} alike, {own} lines only in the first,"
            f" {others} only in the second{_reasons(item)}"
        )
    _say_rest(count)


def _print_repeats(items: "list[Item]", count: int) -> None:
    output.say(f"facts that are said twice ({count})")
    for item in items[:_MOST_LISTED]:
        output.tell(f"  {_name(item)}  {item['text']}")
        again, first = (f"{item[p]}#L{item[n]}" for p, n in _PLACES)
        output.tell(f"{'':14}{again} says what {first} says{_reasons(item)}")
    _say_rest(count)


_PLACES = (("path", "line"), ("target", "target_line"))


def _print_stale(items: "list[Item]", count: int) -> None:
    output.say(f"documents to look at again ({count})")
    for item in items[:_MOST_LISTED]:
        output.tell(f"  {item['path']}: {'; '.join(item['reasons'])}")
    _say_rest(count)


_GROUPS = {
    "archive": _print_archived,
    "duplicate_document": _print_copies,
    "duplicate_fact": _print_repeats,
    "stale_document": _print_stale,
}


def _plan(item: "Item") -> str:
    path, target = item["path"], item["target"]
    return {
        "move": f"move {path} to {target}",
        "delete": f"delete {path}, all of it stands in {target}",
        "merge": f"bring what only {path} says to {target}, then delete it",
        "remove_line": f"remove line {item['line']} of {path}, {target} says it",
        "review": f"look at {path} and {target}",
    }[item["action"]]


def _name(item: "Item") -> str:
    return item["id"] if _is_ready(item) else f"{'-':<10}"


def _reasons(item: "Item") -> str:
    return "".join(f"; {reason}" for reason in item["reasons"])


def _left(item: "Item") -> str:
    return f"not done ({item['problem']})" if item["problem"] else ""


def _logs(items: "list[Item]") -> str:
    """Name daily logs by their days: `2026-05-15 to 2026-10-01 (139 daily logs)`."""
    names = sorted(item["path"].rpartition("/")[2].removesuffix(".md") for item in items)
    if len(names) == 1:
        return f"{names[0]} (1 daily log)"
    return f"{names[0]} to {names[-1]} ({len(names)} daily logs)"


def _say_rest(count: int) -> None:
    if count > _MOST_LISTED:
        output.say(f"  and {count - _MOST_LISTED} more: --json lists them")
