"""`hippod recall`: a question, its hits with citations."""

import re

from hippod.cli import columns, options, output
from hippod.errors import InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any

_INDENT = "   "
_SNIPPET_LINES = 5


KINDS = ("world", "experience", "opinion", "observation", "document")
_LETTERS = dict(zip("WBOS", KINDS, strict=False))
"""As they stand in a fact: W world, B experience (biographical), O opinion, S observation."""


def recall_options(parser: "argparse.ArgumentParser") -> None:
    """Add the fields of a recall."""
    add = parser.add_argument
    add("query", nargs="+", help="any text; put -- before text that starts with -")
    add("--limit", "--k", "-k", type=int, metavar="N", help="hits at most")
    add("--since", metavar="WHEN", help="a date, a month, a year, or an age such as 30d")
    add("--until", metavar="WHEN", help="the same")
    add("--as-of", metavar="WHEN", help="what was held true then")
    add("--kind", action="append", metavar="KIND",
        help="world, experience, opinion, observation, document; commas or repeated")  # fmt: skip
    add("--entity", action="append", metavar="NAME", help="commas or repeated")
    add("--path", metavar="GLOB", help="only documents such as memory/2026-*")
    add("--mode", choices=("hybrid", "lexical", "vector"))
    add("--fusion", choices=("zscore", "rrf"))
    add("--min-score", type=options.number, metavar="0..1", help="drop weaker hits")
    add("--bm25-weight", type=options.number, metavar="0..1")
    add("--vector-weight", type=options.number, metavar="0..1")
    add("--rrf-k", type=int, metavar="N", help="how fast ranks fade with --fusion rrf")
    add("--explain", action="store_true", default=None,
        help="what was understood, and why each hit ranks where it does")  # fmt: skip
    add("--budget", type=int, metavar="TOKENS", dest="budget_tokens",
        help="as many hits as fit")  # fmt: skip
    add("--context", "-C", type=int, metavar="N", dest="context_lines",
        help="N lines before and after each hit")  # fmt: skip
    add("--for-agent", action="store_const", const="agent", dest="format",
        help="one block of quoted text to paste into a prompt")  # fmt: skip


def recall(args: "argparse.Namespace") -> int:
    """Ask, and print the hits."""
    query = " ".join(args.query)
    answer = options.ask(
        args,
        lambda client: client.recall(
            query, limit=args.limit, since=args.since, until=args.until, as_of=args.as_of,
            kind=_kinds(args.kind), entity=options.listed(args.entity), path=args.path,
            mode=args.mode, fusion=args.fusion, bm25_weight=args.bm25_weight,
            vector_weight=args.vector_weight, min_score=args.min_score,
            budget_tokens=args.budget_tokens, format=args.format,
            context_lines=args.context_lines, rrf_k=args.rrf_k, explain=args.explain,
        ),
    )  # fmt: skip
    if args.format:
        return output.show(args, answer, _print_block, quiet=_print_block)
    return output.show(args, answer, lambda found: _print(found, query), _print_sources)


def _print_sources(answer: "dict[str, Any]") -> None:
    output.names(_source(hit) for hit in answer.get("hits") or ())
    for note in _failures(answer):
        output.complain(note)


def _source(hit: "dict[str, Any]") -> str:
    return str(hit.get("source") or hit.get("path"))


def _print_block(answer: "dict[str, Any]") -> None:
    output.say(output.printable(str(answer.get("text") or ""), lines=True))
    for note in _notes(answer):
        output.complain(note)


def _kinds(values: "list[str] | None") -> "list[str] | None":
    """Return the kinds asked for by name, or by their letter in a fact."""
    listed = options.listed(values)
    kinds = None if listed is None else [_LETTERS.get(kind, kind) for kind in listed]
    for kind in kinds or ():
        if kind not in KINDS:
            raise InvalidInput(f"--kind: no kind {kind!r}", f"there is: {', '.join(KINDS)}")
    return kinds


def _print(answer: "dict[str, Any]", query: str) -> None:
    wanted = _pattern(query) if output.colour() else None
    hits = answer.get("hits") or []
    for line in _understood(answer.get("understood") or {}):
        output.tell(line)
    for rank, hit in enumerate(hits, 1):
        if rank > 1:
            output.say()
        _print_hit(rank, hit, wanted)
    if not hits:
        output.say("no hits")
    for note in _notes(answer):
        output.complain(note)


def _print_hit(rank: int, hit: "dict[str, Any]", wanted: "re.Pattern[str] | None") -> None:
    source = output.printable(_source(hit))
    about = _beside(source, output.printable(_about(hit)))
    output.say(f"{rank:>2} {output.tinted('1', source)}{about}".rstrip())
    for line in _lines(hit):
        output.say(_INDENT + (wanted.sub("\x1b[33m\\g<0>\x1b[0m", line) if wanted else line))
    explained = hit.get("explanation") or {}
    if explained:
        why = output.printable(f"{hit.get('score')}: {explained.get('text')}")
        for line in output.wrapped(why, inside=len(_INDENT)):
            output.say(_INDENT + output.tinted("2", line))


def _beside(source: str, about: str) -> str:
    """Put what is known of a hit behind its source, or on a line below where it is too long."""
    if not output.terminal():
        return f"  {about}"
    if columns.width(source) + columns.width(about) + 5 <= output.room():
        return f"  {about}"
    return "".join(f"\n{_INDENT}{line}" for line in output.wrapped(about, inside=len(_INDENT)))


def _lines(hit: "dict[str, Any]") -> list[str]:
    """Return the beginning of a hit, or with its context all of it, line by line."""
    content, before, after = (str(hit.get(key) or "") for key in ("content", "before", "after"))
    if before or after:
        return [output.printable(line) for line in f"{before}{content}{after}".split("\n")]
    snippet = output.printable(" ".join(content.split()))
    return output.wrapped(snippet, inside=len(_INDENT), most=_SNIPPET_LINES)


def _about(hit: "dict[str, Any]") -> str:
    when = str(hit.get("timestamp") or "").replace("T", " ")[:16]
    confidence = hit.get("confidence")
    entities = [f"@{name}" for name in hit.get("entities") or []]
    parts = [str(hit.get("kind") or ""), when, " ".join(entities)]
    parts.append(f"c={confidence:g}" if isinstance(confidence, int | float) else "")
    parts.append("superseded" if hit.get("superseded_by") else "")
    return " · ".join(part for part in parts if part)


def _understood(read: "dict[str, Any]") -> "Iterator[str]":
    """Say what a question was taken to mean, a line for each thing; empty without --explain."""
    if not read:
        return
    yield f"terms: {' '.join(read.get('terms') or []) or 'none'}"
    if read.get("dropped_terms"):
        yield f"not looked up: {' '.join(read['dropped_terms'])}"
    for name, same in (read.get("entities") or {}).items():
        others = [other for other in same if other != name]
        about = "the question is about: " if name in (read.get("about") or []) else "names: "
        yield about + name + (f" (also {', '.join(others)})" if others else "")
    for each in read.get("times") or []:
        yield f"time: {each['text']!r} is {_span(each)}{' (around)' if each.get('around') else ''}"
    if read.get("state_at"):
        yield f"asks how things were on {read['state_at']}"
    if read.get("asks_opinion"):
        yield "asks for an opinion"
    if event := read.get("event"):
        told = f"{event['day']}, by {event['source']}" if event.get("day") else "no dated unit"
        yield f"event: {event['bound']} {event['text']!r} ({told})"
    given = [f"{name} {read[name]}" for name in ("since", "until", "as_of") if read.get(name)]
    if given:
        yield f"only: {', '.join(given)}"
    yield ""


def _span(each: "dict[str, Any]") -> str:
    since, until = each.get("since"), each.get("until")
    if since == until:
        return str(since)
    return " ".join([f"from {since}"] * bool(since) + [f"until {until}"] * bool(until))


def _notes(answer: "dict[str, Any]") -> list[str]:
    notes = []
    if answer.get("weak"):
        notes.append("little speaks for these hits: hardly any of the question is in them")
    notes += _failures(answer)
    if answer.get("truncated"):
        notes.append("the query was too long; its beginning was used")
    pending = (answer.get("freshness") or {}).get("pending")
    if pending:
        verb = "is" if pending == 1 else "are"
        notes.append(f"{output.many(pending, 'changed file')} {verb} not in the index yet")
    gone = (answer.get("freshness") or {}).get("gone")
    if gone:
        verb, whose = ("is", "its") if gone == 1 else ("are", "their")
        hits = output.many(gone, "hit")
        notes.append(f"{hits} {verb} left out: {whose} text is gone from its document")
    left_out = (answer.get("budget") or {}).get("left_out")
    if left_out:
        notes.append(f"{output.many(left_out, 'more hit')} did not fit into the budget")
    return notes


def _failures(answer: "dict[str, Any]") -> list[str]:
    legs = (answer.get("legs") or {}).items()
    failed = " and ".join(leg for leg, state in legs if state == "failed")
    return [f"the {failed} search failed; these are the other's hits"] if failed else []


def _pattern(query: str) -> "re.Pattern[str] | None":
    """Match the telling words of the query with a short ending, so that `fix` marks `fixed`."""
    words = dict.fromkeys(re.findall(r"\w+", query)[:64])
    telling = [word for word in words if len(word) > 3 or not word.isascii() or word.isdigit()]
    chosen = telling or list(words)
    if not chosen:
        return None
    forms = (rf"\b{word}\w{{0,3}}\b" if word.isascii() else word for word in chosen)
    return re.compile("|".join(forms), re.IGNORECASE)
