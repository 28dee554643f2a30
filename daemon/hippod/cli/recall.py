"""`hippod recall`: a question, its hits with citations."""

import re

from hippod.cli import options, output
from hippod.errors import InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

_INDENT = "   "
_SNIPPET_LINES = 5


_KINDS = ("world", "experience", "opinion", "observation", "document")
_LETTERS = dict(zip("WBOS", _KINDS, strict=False))
"""As they stand in a fact: W world, B experience (biographical), O opinion, S observation."""


def recall_options(parser: "argparse.ArgumentParser") -> None:
    """Add the fields of a recall."""
    add = parser.add_argument
    add("query", nargs="+", help="any text; put -- before text that starts with -")
    add("--limit", "--k", type=int, metavar="N", help="hits at most")
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
    add("--budget", type=int, metavar="TOKENS", dest="budget_tokens",
        help="as many hits as fit")  # fmt: skip
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
        ),
    )  # fmt: skip
    if args.format:
        return output.show(args, answer, _print_block)
    return output.show(args, answer, lambda found: _print(found, query))


def _print_block(answer: "dict[str, Any]") -> None:
    output.say(output.printable(str(answer.get("text") or ""), lines=True))
    for note in _notes(answer):
        output.complain(note)


def _kinds(values: "list[str] | None") -> "list[str] | None":
    """Return the kinds asked for by name, or by their letter in a fact."""
    listed = options.listed(values)
    kinds = None if listed is None else [_LETTERS.get(kind, kind) for kind in listed]
    for kind in kinds or ():
        if kind not in _KINDS:
            raise InvalidInput(f"--kind: no kind {kind!r}", f"there is: {', '.join(_KINDS)}")
    return kinds


def _print(answer: "dict[str, Any]", query: str) -> None:
    wanted = _pattern(query) if output.colour() else None
    hits = answer.get("hits") or []
    for rank, hit in enumerate(hits, 1):
        if rank > 1:
            output.say()
        _print_hit(rank, hit, wanted)
    if not hits:
        output.say("no hits")
    for note in _notes(answer):
        output.complain(note)


def _print_hit(rank: int, hit: "dict[str, Any]", wanted: "re.Pattern[str] | None") -> None:
    source = output.printable(str(hit.get("source") or hit.get("path")))
    if wanted:
        source = f"\x1b[1m{source}\x1b[0m"
    output.say(f"{rank:>2} {source}  {output.printable(_about(hit))}".rstrip())
    content = output.printable(" ".join(str(hit.get("content", "")).split()))
    for line in _wrapped(content, output.width() - len(_INDENT)):
        output.say(_INDENT + (wanted.sub("\x1b[33m\\g<0>\x1b[0m", line) if wanted else line))


def _wrapped(text: str, width: int) -> list[str]:
    if len(text) <= width:
        return [text]
    import textwrap

    return textwrap.wrap(
        text, width, max_lines=_SNIPPET_LINES, placeholder=" …", break_on_hyphens=False
    )


def _about(hit: "dict[str, Any]") -> str:
    when = str(hit.get("timestamp") or "").replace("T", " ")[:16]
    confidence = hit.get("confidence")
    entities = [f"@{name}" for name in hit.get("entities") or []]
    parts = [str(hit.get("kind") or ""), when, " ".join(entities)]
    parts.append(f"c={confidence:g}" if isinstance(confidence, int | float) else "")
    parts.append("superseded" if hit.get("superseded_by") else "")
    return " · ".join(part for part in parts if part)


def _notes(answer: "dict[str, Any]") -> list[str]:
    notes = []
    failed = [leg for leg, state in (answer.get("legs") or {}).items() if state == "failed"]
    if failed:
        notes.append(f"the {' and '.join(failed)} search failed; these are the other's hits")
    if answer.get("truncated"):
        notes.append("the query was too long; its beginning was used")
    pending = (answer.get("freshness") or {}).get("pending")
    if pending:
        notes.append(f"{pending} changed files are not in the index yet")
    return notes


def _pattern(query: str) -> "re.Pattern[str] | None":
    """Match the telling words of the query with a short ending, so that `fix` marks `fixed`."""
    words = dict.fromkeys(re.findall(r"\w+", query)[:64])
    telling = [word for word in words if len(word) > 3 or not word.isascii() or word.isdigit()]
    chosen = telling or list(words)
    if not chosen:
        return None
    forms = (rf"\b{word}\w{{0,3}}\b" if word.isascii() else word for word in chosen)
    return re.compile("|".join(forms), re.IGNORECASE)
