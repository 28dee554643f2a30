"""The page `bank/proposals.md`: changes of MEMORY.md that wait for a person's word.

A section for each. The lines of its diff are what accepting it does, so a person may edit those
with a `+` before. Its `status` is `open`, `accepted` or `rejected`, with the day behind;
or `obsolete` where MEMORY.md changed meanwhile, so that there is nothing to decide. All else that
stands on the page is the person's. ::

    ## Add: Peter prefers short replies
    - id: 7k2m9qx4mt
    - action: add
    - status: open
    - day: 2026-03-04
    - file: MEMORY.md
    - section: Peter
    - reason: said on 3 days
    - evidence: [[2026-03-01#^9qx4mt83ze]] [[2026-03-02#^p07d2c5hn1]]

    ```diff
    +- Peter prefers short replies
    ```

`replace` puts the `+` lines where the `-` lines stood, `move` puts them at the end of the page
that `to` names.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal, cast, get_args

from hippod import markdown
from hippod.errors import Conflict, InvalidInput
from hippod.facts import ID_PATTERN, fact_id, normalise
from hippod.markdown import Markdown, Section
from hippod.reflection.lines import Changes, line_end, raw_lines

PROPOSALS: Final = "bank/proposals.md"
MOST_LOST: Final = 0.25
"""Part of the lines that accepting a proposal may lose without force."""

Action = Literal["add", "replace", "move"]
Status = Literal["open", "accepted", "rejected", "obsolete"]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change of the document `file`, `removed` and `added` lines without line ends.

    `evidence` are links to facts. `section` is the heading under which lines are added ("":
    at the end), `to` the page that moved lines go to.
    """

    id: str
    action: Action
    title: str
    status: Status
    day: date | None
    reason: str
    evidence: tuple[str, ...]
    file: str
    section: str
    to: str
    removed: tuple[str, ...]
    added: tuple[str, ...]

    @property
    def cited(self) -> frozenset[str]:
        """The ids of the facts that it links."""
        return frozenset(id_ for link in self.evidence for id_ in _BLOCK.findall(link))

    @property
    def diff(self) -> str:
        """The lines as they stand in the fence."""
        lines = [f"-{line}" for line in self.removed] + [f"+{line}" for line in self.added]
        return "".join(f"{line}\n" for line in lines)


def proposal_id(action: Action, removed: Iterable[str], added: Iterable[str]) -> str:
    """Return the id of a change: the same for the same lines, however they are spaced."""
    before, after = (normalise("\n".join(lines)) for lines in (removed, added))
    return fact_id("proposal", action, before, after)


# -- the page --------------------------------------------------------------------------------

_FIELD = re.compile(r"(id|action|status|day|file|section|to|reason|evidence):\s*(.*)")
_BLOCK = re.compile(r"#\^([0-9A-Za-z-]+)")
_LINK = re.compile(r"\[\[[^\[\]\n]+\]\]")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})\s*diff\s*")


def parse(text: str | None) -> tuple[Proposal, ...]:
    """Return the proposals of the page, in order; none of a page with conflict marks."""
    document = markdown.parse(text or "")
    if document.marks:
        return ()
    found = (_proposal(document, section) for section in document.sections)
    return tuple(each for each in found if each is not None)


def render(proposal: Proposal) -> str:
    """Return the section of a proposal."""
    day = proposal.day.isoformat() if proposal.day else ""
    fields = {
        "id": proposal.id,
        "action": proposal.action,
        "status": proposal.status,
        "day": day,
        "file": proposal.file,
        "section": proposal.section,
        "to": proposal.to,
        "reason": proposal.reason,
        "evidence": " ".join(proposal.evidence),
    }
    listed = "".join(f"- {name}: {value}\n" for name, value in fields.items() if value)
    fence = "`" * max(3, 1 + _longest_run(proposal.diff))
    return f"## {proposal.title}\n{listed}\n{fence}diff\n{proposal.diff}{fence}\n"


def appended(text: str | None, proposals: Sequence[Proposal]) -> str:
    """Return the page with proposals at its end."""
    text = text if text and text.strip("\ufeff \t\r\n") else "# Proposals\n"
    end = line_end(text)
    for proposal in proposals:
        text += "" if text.endswith(("\n", "\r")) else end
        text += "" if text.endswith(end * 2) else end
        text += render(proposal).replace("\n", end)
    return text


def with_status(text: str, id_: str, status: Status, today: date) -> str:
    """Return the page with another status of one proposal; all else stays byte for byte."""
    document = markdown.parse(text)
    changes = Changes(text)
    for section in document.sections:
        fields = _fields(document, section)
        if "id" in fields and "status" in fields and fields["id"][0] == id_:
            place = fields["status"][1]
            changes.put(place, f"{status} {today.isoformat()}", whole=True)
    return changes.text()


def _longest_run(text: str) -> int:
    return max(map(len, re.findall(r"`+", text)), default=0)


def _fields(document: Markdown, section: Section) -> dict[str, tuple[str, tuple[int, int]]]:
    """Return the fields of a section that is a `##` heading, with their lines; the first wins."""
    heading = section.path[-1] if section.path else None
    if heading is None or heading.level != 2 or heading.start != section.start:
        return {}
    found: dict[str, tuple[str, tuple[int, int]]] = {}
    for bullet in document.bullets:
        if section.start <= bullet.start <= section.end:
            match = _FIELD.fullmatch(" ".join(" ".join(bullet.lines).split()))
            if match:
                lines = bullet.start, bullet.start + len(bullet.lines) - 1
                found.setdefault(match[1], (match[2], lines))
    return found


def _proposal(document: Markdown, section: Section) -> Proposal | None:
    fields = {name: value for name, (value, _) in _fields(document, section).items()}
    status, _, _ = fields.get("status", "").partition(" ")
    action, id_ = fields.get("action", ""), fields.get("id", "").removeprefix("^")
    if status not in get_args(Status) or action not in get_args(Action):
        return None
    if not re.fullmatch(ID_PATTERN, id_):
        return None
    removed, added = _diff(document, section)
    return Proposal(
        id=id_,
        action=cast(Action, action),
        title=section.path[-1].text,
        status=cast(Status, status),
        day=_day(fields.get("day", "")),
        reason=fields.get("reason", ""),
        evidence=tuple(_LINK.findall(fields.get("evidence", ""))),
        file=fields.get("file", "MEMORY.md"),
        section=fields.get("section", ""),
        to=fields.get("to", ""),
        removed=removed,
        added=added,
    )


def _diff(document: Markdown, section: Section) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the `-` and `+` lines of the section's first diff fence."""
    lines: list[str] = []
    fence = ""
    for number in range(section.start, section.end + 1):
        line = document.lines[number - 1]
        opens = _FENCE.fullmatch(line) if number in document.code and not fence else None
        if opens:
            fence = opens[1]
        elif fence and (number not in document.code or _closes(line, fence)):
            break
        elif fence:
            lines.append(line)
    removed = tuple(line[1:] for line in lines if line.startswith("-"))
    return removed, tuple(line[1:] for line in lines if line.startswith("+"))


def _closes(line: str, fence: str) -> bool:
    return re.fullmatch(rf" {{0,3}}{re.escape(fence[0])}{{{len(fence)},}}\s*", line) is not None


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


# -- what accepting one does -----------------------------------------------------------------


def applied(text: str | None, proposal: Proposal) -> str:
    """Return the document `file` with the proposal's change; unchanged if it was made already.

    Raise `Conflict` if the lines that it removes do not stand there any more, or those that it
    adds would be code or a comment.
    """
    if not proposal.removed and not proposal.added:
        raise InvalidInput(f"^{proposal.id}: its diff is empty", f"see {PROPOSALS}")
    if proposal.action == "add":
        return _with_added(_filled(text, "# Memory\n"), proposal)
    lines = raw_lines(text or "")
    plain = [line.rstrip() for line in markdown.split_lines(text or "")]
    places = _places(plain, proposal.removed)
    if len(places) == 1:
        new = proposal.added if proposal.action == "replace" else ()
        return _spliced(lines, places[0], len(proposal.removed), new, line_end(text or ""))
    if not places and proposal.action == "replace" and _places(plain, proposal.added):
        return text or ""
    if places:
        raise Conflict(
            f"{proposal.file}: the lines of ^{proposal.id} stand there {len(places)} times",
            "edit the document by hand, then reject the proposal",
        )
    raise Conflict(
        f"{proposal.file}: the lines that ^{proposal.id} takes out stand there no more",
        "reject it: what still holds is proposed again",
    )


def is_possible(text: str, proposal: Proposal) -> bool:
    """Say whether the lines that a proposal takes out of `text` stand there."""
    plain = [line.rstrip() for line in markdown.split_lines(text)]
    return not proposal.removed or bool(_places(plain, proposal.removed))


def moved(text: str | None, proposal: Proposal) -> str:
    """Return the page `to` with the moved lines at its end; unchanged if they stand there.

    Raise `Conflict` if it has conflict marks, or they would be code or a comment there.
    """
    text = _filled(text, "# Memory archive\n")
    if markdown.is_conflicted(text):
        raise Conflict(f"{proposal.to}: has git conflict marks", "resolve them first")
    if _stands(markdown.parse(text), proposal.added):
        return text
    end = line_end(text)
    text += "" if text.endswith(("\n", "\r")) else end
    text += "" if text.endswith(end * 2) else end
    after = text + "".join(f"{line}{end}" for line in proposal.added)
    _check_read(after, len(markdown.split_lines(text)), proposal, proposal.to)
    return after


def _filled(text: str | None, empty: str) -> str:
    """Return a text, `empty` in the place of one in which nothing stands."""
    return text if text and text.strip("\ufeff \t\r\n") else empty


def _stands(document: Markdown, added: Sequence[str]) -> bool:
    """Say whether lines stand in a document, and not in code or a comment."""
    places = _places([line.rstrip() for line in document.lines], added)
    return any(_is_read(document, place, added) for place in places)


def _check_read(text: str, above: int, proposal: Proposal, path: str) -> None:
    """Make sure that what was added behind line `above` is read."""
    if not _is_read(markdown.parse(text), above, proposal.added):
        raise Conflict(
            f"{path}: what stands above would swallow the lines of ^{proposal.id}",
            "close the code block, comment or paragraph above, then accept it again",
        )


def _is_read(document: Markdown, above: int, lines: Sequence[str]) -> bool:
    """Say whether the lines behind line `above` are read as they are where they stand alone."""
    return _outline(markdown.parse("\n".join(lines)), above) <= _outline(document, 0)


def _outline(document: Markdown, above: int) -> set[tuple[int, tuple[str, ...]]]:
    """Return headings, bullets and paragraphs with their lines, counted on from `above`."""
    headings = (each.path[-1] for each in document.sections if each.path)
    found: set[tuple[int, tuple[str, ...]]] = {(each.start, (each.text,)) for each in headings}
    found |= {(each.start, each.lines) for each in document.bullets}
    found |= {(each.start, each.lines) for each in document.paragraphs}
    return {(start + above, lines) for start, lines in found}


def lost_share(before: str, after: str, kept: Sequence[str] = ()) -> float:
    """Return the part of the lines with text that a change loses; `kept` stand elsewhere."""
    old, new = _counted(before), _counted(after)
    new.update(line.strip() for line in kept if line.strip())
    lost = old - new
    return lost.total() / old.total() if old else 0.0


def _counted(text: str) -> Counter[str]:
    return Counter(line.strip() for line in markdown.split_lines(text) if line.strip())


def _places(lines: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Return where `wanted` stand one after the other, counted from 0."""
    plain = [line.rstrip() for line in wanted]
    if not plain:
        return []
    starts = (n for n, line in enumerate(lines) if line == plain[0])
    return [start for start in starts if list(lines[start : start + len(plain)]) == plain]


def _spliced(lines: list[str], start: int, count: int, new: Iterable[str], end: str) -> str:
    mark = markdown.BOM if start == 0 and lines[0].startswith(markdown.BOM) else ""
    before, after = lines[:start], lines[start + count :]
    return mark + "".join([*before, *(f"{line}{end}" for line in new), *after])


def _with_added(text: str, proposal: Proposal) -> str:
    document = markdown.parse(text)
    if _stands(document, proposal.added):
        return text
    line = _last_line(document, proposal.section)
    changes = Changes(text)
    for new in proposal.added:
        changes.behind(line, new)
    after = changes.text()
    _check_read(after, line, proposal, proposal.file)
    return after


def _last_line(document: Markdown, heading: str) -> int:
    """Return the last line with text of the section, or of the document."""
    named = [each for each in document.sections
             if each.path and each.path[-1].text == heading and heading]  # fmt: skip
    start, end = (named[0].start, named[0].end) if named else (1, len(document.lines))
    filled = (n for n in range(end, start - 1, -1) if document.lines[n - 1].strip())
    return next(filled, end)
