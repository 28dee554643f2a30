"""The names on an entity page, and what becomes of pages when they are joined, split or changed."""

import re
from collections.abc import Iterable, Iterator, Sequence, Set

from hippod import facts, markdown, pages
from hippod.errors import InvalidInput
from hippod.reflection import front_matter, regions
from hippod.reflection.entities import form

_NAMES = ("entity", "aliases", "alias", "not", "updated")
"""Keys of the front matter that are not carried over to another page as they are."""
_ENDS = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")


def new_page(name: str, aliases: Sequence[str] = (), others: Sequence[str] = ()) -> str:
    """Return a page that only says who is who."""
    page = f"---\n---\n# {facts.display_name(name)}\n"
    changes: dict[str, str | list[str]] = {"entity": name}
    changes |= {"aliases": list(aliases)} if aliases else {}
    changes |= {"not": list(others)} if others else {}
    return front_matter.with_fields(page, changes)


def with_names(text: str, aliases: Iterable[str], others: Iterable[str] = ()) -> str:
    """Return a page with further aliases, and names of somebody else, that it has not yet."""
    fields = front_matter.fields(text)
    has = [*fields.get("entity", ()), *fields.get("alias", ())]
    return front_matter.with_fields(
        text,
        _added(fields, "aliases", aliases, has) | _added(fields, "not", others),
        create=True,
    )


def without_alias(text: str, alias: str) -> str:
    """Return a page that has `alias` no more, and says that it is somebody else's name."""
    fields = front_matter.fields(text)
    changes: dict[str, str | list[str]] = {
        key: kept
        for key in ("aliases", "alias")
        if (kept := [name for name in fields.get(key, ()) if _form(name) != form(alias)])
        != fields.get(key, [])
    }
    return front_matter.with_fields(text, changes | _added(fields, "not", [alias]), create=True)


def retitled(text: str, old: str, new: str) -> str:
    """Return a page whose first heading is the display name of `new` if it was that of `old`.

    So hippod writes it. Other words are a person's and stay, as does a heading that spans lines.
    """
    heading = next((each.path[-1] for each in markdown.parse(text).sections if each.path), None)
    if heading is None or heading.start != heading.end:
        return text
    before, after = (f"# {facts.display_name(name)}" for name in (old, new))
    lines = [line for line in _ENDS.split(text) if line]
    line = lines[heading.start - 1]
    if line.rstrip("\r\n") == before:
        lines[heading.start - 1] = after + line[len(before) :]
    return "".join(lines)


def renamed(text: str, name: str, aliases: Iterable[str]) -> str:
    """Return a page with another entity and further aliases, the new name no alias any more."""
    fields = front_matter.fields(text)
    kept: dict[str, list[str]] = {
        key: [each for each in fields[key] if _form(each) != form(name)]
        for key in ("aliases", "alias")
        if key in fields
    }
    changes: dict[str, str | list[str]] = {"entity": name}
    changes |= {key: names for key, names in kept.items() if names != fields[key]}
    has = [name, *kept.get("alias", ())]
    added = _added({**fields, **kept}, "aliases", aliases, has)
    return front_matter.with_fields(text, changes | added, create=True)


def _added(
    fields: dict[str, list[str]], key: str, names: Iterable[str], has: Iterable[str] = ()
) -> dict[str, str | list[str]]:
    there = {_form(each) for each in (*fields.get(key, ()), *has)}
    new = {form(name): name for name in names if form(name) not in there}
    return {key: [*fields.get(key, ()), *new.values()]} if new else {}


def _form(written: str) -> str:
    return form(facts.entity_name(written.removeprefix("@")))


# -- what people wrote -----------------------------------------------------------------------------


def own_text(text: str, names: Iterable[str]) -> str:
    """Return what people wrote on the page of `names`: all but names, title and our regions.

    A region that they edited is theirs too. Other keys of the front matter come as code.
    """
    document = markdown.parse(text)
    dropped = set(range(1, document.front_matter + 1))
    for region in pages.regions(document):
        dropped |= _lines_of(document, region)
    dropped |= _title(document, names)
    kept = list(_without(document.lines, dropped))
    other = front_matter.lines_besides(text, _NAMES)
    block = ["```yaml", *other, "```", ""] if other else []
    return "\n".join([*block, *kept]).strip("\n")


def with_section(text: str, title: str, body: str) -> str:
    """Return a page with `body` under a new heading at its end, unless it stands there already.

    Raises `InvalidInput` if the page ends in an open code block or comment.
    """
    end = regions.line_end(text)
    section = f"## {title}\n\n{body}\n".replace("\n", end)
    if section in text:
        return text
    gap = "" if text.endswith(end) or not text else end
    new = f"{text}{gap}{end if text else ''}{section}"
    place = len(markdown.split_lines(f"{text}{gap}{end}"))
    headings = [each.path[-1] for each in markdown.parse(new).sections if each.path]
    if not any(heading.text == title and heading.start > place - 1 for heading in headings):
        raise InvalidInput(f"the page {regions.UNCLOSED}", "close it by hand")
    return new


def _lines_of(document: markdown.Markdown, region: pages.Region) -> set[int]:
    """Return the lines of a region that are ours, with the heading that stands for it alone."""
    span = range(region.start - 1, region.end + 2)
    if region.edited:
        return {span[0], span[-1]}
    return {*span, *_heading_of(document, span, region.name)}


def _heading_of(document: markdown.Markdown, span: range, name: str) -> set[int]:
    """Return the line of a heading that only says the name of a region: `## History`."""
    headings = {each.path[-1].start: each.path[-1] for each in document.sections if each.path}
    above = span[0] - 1
    while above and not document.lines[above - 1].strip():
        above -= 1
    heading = headings.get(above)
    below = document.lines[span[-1] :]
    is_alone = not below or not below[0].strip()
    is_ours = heading is not None and heading.text.casefold() == name
    return {above} if is_ours and is_alone else set()


def _title(document: markdown.Markdown, names: Iterable[str]) -> set[int]:
    """Return the line of the heading that only says a name of the entity."""
    first = next((each.path[-1] for each in document.sections if each.path), None)
    if first is None or first.level != 1 or _form(first.text) not in map(form, names):
        return set()
    return set(range(first.start, first.end + 1))


def _without(lines: Sequence[str], dropped: Set[int]) -> Iterator[str]:
    """Yield the lines that stay; where some go, one blank line does for those around them."""
    last, gap = "", False
    for number, line in enumerate(lines, 1):
        if number in dropped:
            gap = True
        elif line.strip() or last.strip() or not gap:
            last = line
            gap = gap and not line.strip()
            yield line


# -- regions ---------------------------------------------------------------------------------------


def handed_back(text: str) -> str:
    """Return a page whose markers have the hashes of what stands between them now."""
    document = markdown.parse(text)
    lines = [line for line in _ENDS.split(text) if line]
    for region in pages.regions(document):
        if region.edited:
            digest = pages.digest(regions.held(document, region))
            marker = region.start - 2
            lines[marker] = lines[marker].replace(region.sha256, digest, 1)
    return "".join(lines)
