"""`hippod why log undo`: where facts come from, what hippod wrote, and taking it back."""

from hippod.cli import options, output
from hippod.errors import Conflict, HippodError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any

_STANDING = {
    "stands": "stands as it was written",
    "edited": "was edited since",
    "undone": "was taken back",
    "deleted": "stands nowhere any more",
}
_TRANSCRIPT = {
    "there": "",
    "changed": "  (changed since, lines may have moved)",
    "gone": "  (gone)",
}


def why_options(parser: "argparse.ArgumentParser") -> None:
    """Add the id."""
    parser.add_argument("id", help="of a fact or opinion, with or without ^; 4 letters do")


def why(args: "argparse.Namespace") -> int:
    """Print a fact or an opinion as it stands, and what it rests on."""
    answer = options.ask(args, lambda client: client.why(args.id))
    return output.show(args, answer, _print_why, lambda found: output.names([_place(found)]))


def _print_why(answer: "dict[str, Any]") -> None:
    if answer["origin"] == "document":
        output.tell(f"{answer['source']}  text of the document, no fact")
        return
    if answer.get("opinion"):
        _print_opinion(answer)
        return
    _print_bullet(answer)
    said = answer.get("said")
    if answer["origin"] == "derived":
        _print_premises(answer["derived_from"])
    elif answer["origin"] == "person":
        output.tell("written by hand: nothing else is known of it")
    elif said is None:
        output.tell("stated by a client through retain, not taken from a conversation")
    else:
        _print_said(said)
    made = [f"worded by {answer['made_by']}"] if answer.get("made_by") else []
    made += [f"written {_time(answer['written_at'])}"] if answer.get("written_at") else []
    if made:
        output.say(output.printable("\n".join(["", ", ".join(made)]), lines=True))


def _print_premises(premises: "list[dict[str, Any]]") -> None:
    output.tell("derived by hippod, and no evidence for anything; it repeats:")
    for each in premises:
        place = each.get("source") or f"{_named(each)}, which stands nowhere any more"
        output.tell(f"  {place}  {each.get('content') or ''}".rstrip())


def _named(premise: "dict[str, Any]") -> str:
    return f"^{premise['fact']}" if premise["fact"] else "a bullet written by hand"


def _print_opinion(answer: "dict[str, Any]") -> None:
    opinion = answer["opinion"]
    output.tell(f"{answer['source']}  {opinion['statement']}")
    output.tell(f"  {', '.join(_held(opinion))}")
    for each in opinion.get("evidence") or ():
        weight = f"{each['weight']:+.2f}" if each["weight"] else "0"
        place = each.get("source") or "stands nowhere any more"
        output.say()
        output.tell(f"{each['role']} {weight}  {place}  ^{each['fact']}")
        if each.get("content"):
            output.tell(f"  {each['content']}")


def _held(opinion: "dict[str, Any]") -> "Iterator[str]":
    confidence, computed = opinion.get("confidence"), opinion.get("computed")
    yield "no confidence" if confidence is None else f"c={confidence:.2f}"
    if opinion.get("prior") is not None:
        yield f"prior {opinion['prior']:.2f}"
    if opinion.get("edited"):
        yield f"edited by hand: its evidence gives {computed:.2f}"
    if opinion.get("contested"):
        yield "contested"
    if opinion.get("updated"):
        yield f"updated {opinion['updated']}"


def _print_bullet(answer: "dict[str, Any]") -> None:
    standing = answer["standing"]
    place = _place(answer)
    output.tell(f"{place}  {_STANDING[standing]}{_moved(answer)}")
    if answer.get("bullet"):
        output.say(output.printable(f"  {answer['bullet']}", lines=True))
    if answer.get("written") and standing != "stands":
        output.tell(f"  as written to {answer.get('written_to') or 'no log yet'}:")
        output.tell(f"  {answer['written']}")


def _place(answer: "dict[str, Any]") -> str:
    return str(answer.get("source") or f"^{answer['id']}")


def _moved(answer: "dict[str, Any]") -> str:
    before, now = answer.get("written_to"), answer.get("path")
    return f", moved here from {before}" if before and now and before != now else ""


def _print_said(said: "dict[str, Any]") -> None:
    output.say()
    place = f"said in {said['source']}/{said['session']}#{','.join(said['turns'])}"
    if said.get("path"):
        line = f":{said['line']}" if said.get("line") else ""
        place += f"  {said['path']}{line}{_TRANSCRIPT.get(said.get('transcript') or '', '')}"
    output.tell(place)
    for quote in said.get("quotes") or ():
        mark = ">" if quote["cited"] else " "
        who = quote.get("speaker") or quote["role"]
        when = f" {_time(quote['time'])}" if quote.get("time") else ""
        output.tell(f"{mark} {who}{when}")
        for line in str(quote["text"]).splitlines():
            output.tell(f"{mark}   {line}", under=4)
    if not said.get("quotes"):
        output.tell("  what was said is not kept: it was read by an earlier or lost state")


def log_options(parser: "argparse.ArgumentParser") -> None:
    """Add the entry, or what to list."""
    parser.add_argument("id", nargs="?", type=int, help="show this change")
    parser.add_argument("--path", metavar="PATH|GLOB", help="only changes of it")
    parser.add_argument("--limit", type=int, metavar="N", help="changes at most")


def log(args: "argparse.Namespace") -> int:
    """List changes, or show one."""
    if args.id is not None:
        answer = options.ask(args, lambda client: client.logged(args.id))
        return output.show(args, answer, _print_change, lambda entry: print_diff(entry["diff"]))
    answer = options.ask(args, lambda client: client.log(path=args.path, limit=args.limit))
    return output.show(args, answer, _print_log, _print_ids)


def _print_log(answer: "dict[str, Any]") -> None:
    entries = answer.get("entries") or []
    if not entries:
        output.say("nothing written yet")
        return
    head = ["id", "time", "what", "path", "by", "bytes", ""]
    output.table([head, *(_row(entry) for entry in entries)])


def _print_ids(answer: "dict[str, Any]") -> None:
    output.names(entry["id"] for entry in answer.get("entries") or ())


def _row(entry: "dict[str, Any]") -> list[str]:
    return [
        str(entry["id"]),
        _time(entry["time"]),
        entry["operation"],
        entry["path"],
        entry["actor"],
        str(entry["bytes"]),
        " ".join([*_remarks(entry), entry["preview"]]),
    ]


def _remarks(entry: "dict[str, Any]") -> "Iterator[str]":
    if entry.get("undoes"):
        yield f"(undoes {entry['undoes']})"
    if entry.get("undone_by"):
        yield f"(undone by {entry['undone_by']})"
    if not entry.get("finished"):
        yield "(broke off)"


def _print_change(entry: "dict[str, Any]") -> None:
    output.tell("  ".join(_row(entry)[:6] + list(_remarks(entry))))
    if entry.get("note"):
        output.complain(entry["note"])
    print_diff(entry["diff"])


def undo_options(parser: "argparse.ArgumentParser") -> None:
    """Add the entry and how to go about it."""
    parser.add_argument("id", type=int, help="of a change; list them with: hippod log")
    parser.add_argument("--dry-run", action="store_true", help="only say what would happen")
    parser.add_argument("--diff", action="store_true", help="the same, with what would change")


def undo(args: "argparse.Namespace") -> int:
    """Take a change back; refused if what it wrote was edited since."""
    dry_run = args.dry_run or args.diff
    try:
        answer = options.ask(args, lambda client: client.undo(args.id, dry_run=dry_run))
    except Conflict:
        _show_edits(args)
        raise
    output.show(
        args,
        answer,
        lambda done: _print_undone(done, with_diff=args.diff),
        lambda done: _print_quietly(done, with_diff=args.diff),
    )
    if answer.get("conflict"):
        return Conflict.exit_code
    return 0


def _show_edits(args: "argparse.Namespace") -> None:
    """Print what was edited since a change that therefore cannot be taken back."""
    if args.json or args.quiet:
        return
    try:
        answer = options.ask(args, lambda client: client.undo(args.id, dry_run=True))
    except HippodError:
        return  # the refusal itself is what matters
    if answer.get("since"):
        output.say("edited since:")
        print_diff(answer["since"])


def _print_undone(answer: "dict[str, Any]", *, with_diff: bool) -> None:
    path, number = output.printable(answer["path"]), answer["id"]
    if answer.get("conflict"):
        output.complain(answer["conflict"])
    elif answer["applied"]:
        output.say(f"took back {number} in {path}  (as entry {answer['entry']})")
    else:
        output.say(f"would take back {number} in {path}")
    if with_diff and answer.get("since"):
        output.say("edited since:")
        print_diff(answer["since"])
        output.say("an undo would have to lose that:")
    if with_diff:
        print_diff(answer["diff"])


def _print_quietly(answer: "dict[str, Any]", *, with_diff: bool) -> None:
    if answer.get("conflict"):
        output.complain(answer["conflict"])
    if with_diff:
        print_diff(answer["diff"])


_COLOURS = {"+": "32", "-": "31", "@": "36"}


def print_diff(diff: str) -> None:
    """Print a unified diff, coloured for people."""
    for line in diff.split("\n")[:-1]:
        shown, code = output.printable(line), _COLOURS.get(line[:1])
        output.say(output.tinted(code, shown) if code else shown)


def _time(text: str) -> str:
    return str(text).replace("T", " ")[:16]
