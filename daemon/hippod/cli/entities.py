"""`hippod entities entity`: who is who, and what people decide about it."""

from hippod.cli import columns, options, output
from hippod.cli.provenance import print_diff
from hippod.errors import InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from hippod.answer_types import EntityChanged
    from hippod.client import Client

    Answer = dict[str, Any]

_WORDS = {
    "list": "",
    "show": "NAME",
    "merge": "NAME INTO",
    "split": "NAME ALIAS",
    "rename": "NAME NEW",
    "adopt": "NAME",
}
_WIDEST = 48
"""Columns of a name, or of all aliases, in the list."""
_DECISIONS = ("merge", "split", "rename", "adopt")
ACTIONS = tuple(_WORDS)
_OVERVIEW = """\
  list                 who is who (as without a word)
  show NAME            an entity with its newest facts (also: hippod entity NAME)
  merge NAME INTO      NAME and all its names are names of INTO from now on;
                       merge NAME NAME joins a second page of NAME to the first
  split NAME ALIAS     ALIAS is somebody else than NAME
  rename NAME NEW      NAME goes by NEW; the old name stays an alias
  adopt NAME           hippod may rewrite what a person edited on the page of NAME;
                       also: adopt world, adopt experience

hippod log lists what these wrote, hippod undo takes it back."""


def entities_options(parser: "argparse.ArgumentParser") -> None:
    """Add what to do, and with whom."""
    parser.epilog = _OVERVIEW
    parser.add_argument(
        "action", nargs="?", default="list", metavar="ACTION", help=", ".join(ACTIONS)
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="with or without @")
    parser.add_argument("--limit", type=int, metavar="N", help="with show: facts at most")
    parser.add_argument("--dry-run", action="store_true", help="only print what would change")


def entity_options(parser: "argparse.ArgumentParser") -> None:
    """Add the name."""
    parser.add_argument("name", help="any name of the entity, with or without @")
    parser.add_argument("--limit", type=int, metavar="N", help="facts at most")


def entity(args: "argparse.Namespace") -> int:
    """Print an entity."""
    answer = options.ask(args, lambda client: client.entity(args.name, limit=args.limit))
    return output.show(args, answer, _print_entity, _print_sources)


def entities(args: "argparse.Namespace") -> int:
    """List entities, show one, or decide something about one."""
    _check_words(args)
    if args.action == "list":
        answer = options.ask(args, lambda client: client.entities())
        return output.show(args, answer, _print_list, _print_entities)
    if args.action == "show":
        args.name = args.names[0]
        return entity(args)
    answer = options.ask(args, lambda client: _decide(client, args))
    return output.show(args, answer, _print_changed, _print_paths)


def _check_words(args: "argparse.Namespace") -> None:
    if args.action not in _WORDS:
        raise options.unknown_action(args.action, _WORDS, f"hippod entity {args.action}")
    wanted = _WORDS[args.action].split()
    if len(args.names) != len(wanted):
        usage = " ".join(["hippod entities", args.action, *wanted])
        names = "1 name" if len(wanted) == 1 else f"{len(wanted) or 'no'} names"
        raise InvalidInput(f"{args.action} takes {names}", f"use: {usage}")
    for word, name in zip(wanted, args.names, strict=True):
        if not name.strip():
            raise InvalidInput(f"{args.action}: {word} is empty")
    if args.limit is not None and args.action != "show":
        raise InvalidInput("--limit is for: hippod entities show NAME")
    if args.dry_run and args.action not in _DECISIONS:
        raise InvalidInput(f"--dry-run: {args.action} changes nothing")


def _decide(client: "Client", args: "argparse.Namespace") -> "EntityChanged":
    name, *other = args.names
    match args.action:
        case "merge":
            return client.merge_entities(name, *other, dry_run=args.dry_run)
        case "split":
            return client.split_entity(name, *other, dry_run=args.dry_run)
        case "rename":
            return client.rename_entity(name, *other, dry_run=args.dry_run)
        case _:
            return client.adopt_entity(name, dry_run=args.dry_run)


# -- printing --------------------------------------------------------------------------------------


def _print_list(answer: "Answer") -> None:
    rows = answer["entities"]
    if rows:
        output.table([["entity", "facts", "last", "aliases", "page", ""], *map(_row, rows)])
    else:
        output.say("no entities yet")
    for each in answer.get("problems") or ():
        output.complain(f"{each['path']}: {each['reason']}")
    _print_pairs("ambiguous", [_ambiguous(each) for each in answer.get("ambiguous") or ()])
    _print_pairs("may be one", [_candidate(each) for each in answer.get("candidates") or ()])


def _print_entities(answer: "Answer") -> None:
    output.names(each["name"] for each in answer["entities"])


def _print_sources(answer: "Answer") -> None:
    output.names(each["source"] for each in answer.get("newest") or ())


def _print_paths(answer: "Answer") -> None:
    output.names(change["path"] for change in answer.get("changes") or ())


def _row(entity: "Answer") -> list[str]:
    return [
        _cut(entity["name"]),
        str(entity["facts"]),
        entity.get("last_day") or "-",
        _cut(", ".join(entity.get("aliases") or ())),
        entity.get("path") or "-",
        ", ".join(entity.get("flags") or ()),
    ]


def _cut(text: str) -> str:
    """Keep one long cell from making every row of a table long; `--json` has it whole."""
    return columns.cut(output.printable(text), _WIDEST, output.mark())


def _ambiguous(each: "Answer") -> str:
    return f"{each['name']}: {', '.join(each['entities'])}"


def _candidate(each: "Answer") -> str:
    return f"{' and '.join(each['names'])}: {each['reason']}"


def _print_pairs(title: str, lines: list[str]) -> None:
    if lines:
        output.say(f"\n{title}:")
        for line in lines:
            output.tell(f"  {line}", under=2)


def _print_entity(answer: "Answer") -> None:
    _print_names(answer)
    for line in answer.get("summary") or ():
        output.tell(line)
    _print_pairs("opinions", [_opinion(each) for each in answer.get("opinions") or ()])
    newest = answer.get("newest") or []
    count = answer["facts"]
    _print_pairs(f"facts ({len(newest)} of {count})", [_fact(each) for each in newest])


def _print_names(answer: "Answer") -> None:
    output.tell(f"{answer['name']}  {answer.get('path') or 'no page'}")
    for title, names in (
        ("aliases", answer.get("aliases")),
        ("not", answer.get("others")),
        ("odd", answer.get("flags")),
    ):
        if names:
            output.tell(f"{title}: {', '.join(names)}")
    for each in answer.get("learned") or ():
        output.tell(f"{each['alias']} by {each['fact']['source']}")


def _opinion(each: "Answer") -> str:
    confidence = each.get("confidence")
    return f"{each['statement']}" + (f"  ({confidence:.2f})" if confidence is not None else "")


def _fact(each: "Answer") -> str:
    return f"{each['day']}  {each['content']}  {each['source']}"


def _print_changed(answer: "Answer") -> None:
    if answer.get("note"):
        output.tell(answer["note"])
    for change in answer.get("changes") or ():
        verb = "changed" if answer["applied"] else "would change"
        output.tell(f"{verb} {change['path']}: {change['reason']}")
        print_diff(change.get("diff") or "")
    links = answer.get("links") or {}
    if links:
        total = sum(links.values())
        output.say(f"{total} links lead to the old page and are not rewritten:")
        for path, count in links.items():
            output.tell(f"  {path}  ({count})")
    output.undo_hint(answer)
