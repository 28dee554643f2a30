"""What reflection proposes for MEMORY.md: lines to add, to replace and to move out.

Nothing here changes MEMORY.md: a proposal goes to `bank/proposals.md` and waits for a person.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from hippod import chunks, facts, markdown, pages, redact
from hippod.extraction import repetition, sentences
from hippod.language import guess
from hippod.markdown import Markdown
from hippod.reflection import groups, ledger_text, proposals
from hippod.reflection.entities import Entities
from hippod.reflection.known import KnownFact
from hippod.reflection.proposals import Action, Proposal
from hippod.reflection.statements import forms_of, is_named, overlap, statement, stems

MOST_OPEN: Final = 5
"""Proposals that wait at a time; further ones come when a person has decided."""
ARCHIVE: Final = "bank/memory-archive.md"
"""Where lines go that are moved out. Not below `context/`: what stands in MEMORY.md is for the
main scope alone, and a group may read that folder."""
_FEWEST_DAYS = 3
_CERTAIN = 0.85
_MOST_EVIDENCE = 8
_ALIKE = 0.75
"""Part of the words of a rejected text from which another one only words it anew."""
_MOST_OF_TITLE = 80

_NOTHING: Final[Mapping[str, Collection[str]]] = {}

Count = Callable[[str], int]
"""Counts the tokens of a text."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """The page of proposals with new ones at its end; `text` None: there is none, nor any need."""

    text: str | None
    new: tuple[Proposal, ...]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Material:
    """What proposals are made from.

    `memory` is the text of the document `file`, None if there is none; `ledger` that of
    `bank/opinions.md`. `facts` are `Book.evidence`, `superseded` maps the id of a fact to that
    of what replaced it. `statements` are what other documents that people keep (USER.md) say.
    """

    memory: str | None
    ledger: str | None
    facts: Sequence[KnownFact]
    entities: Entities
    superseded: Mapping[str, str]
    file: str = "MEMORY.md"
    statements: Sequence[str] = ()


def propose(
    material: Material,
    page: str | None,
    *,
    count: Count,
    limit_tokens: int,
    today: date,
    made: Mapping[str, Collection[str]] = _NOTHING,
) -> Proposed:
    """Return `page` (the text of `bank/proposals.md`) with what is to be proposed now.

    First what MEMORY.md says wrong, then what makes it too long, then what it lacks; at most
    `MOST_OPEN` are open at a time. What was proposed before, and above all what was rejected,
    does not come again, reworded or not. Open ones that `material.memory` has overtaken become
    obsolete. `made` are all earlier proposals by id, with the ids of the facts that they cited:
    a person deleted those that are not on the page.
    """
    for path, text in ((proposals.PROPOSALS, page), (material.file, material.memory)):
        if text and markdown.is_conflicted(text):
            return Proposed(page, (), (f"{path}: has git conflict marks",))
    page = _without_overtaken(page, material, today)
    earlier = list(proposals.parse(page))
    there = {each.id for each in earlier}
    deleted = {id_: frozenset(cited) for id_, cited in made.items() if id_ not in there}
    room = MOST_OPEN - sum(each.status == "open" for each in earlier)
    new: list[Proposal] = []
    for draft in _drafts(material, earlier, count, limit_tokens, today) if room > 0 else ():
        proposal = _made(draft, material.file, today)
        if any(_is_same(draft, each) for each in (*earlier, *new)):
            continue
        if proposal.id not in deleted and not any(map(draft.facts.intersection, deleted.values())):
            new.append(proposal)
        if len(new) >= room:
            break
    if not new:
        return Proposed(page, ())
    text = proposals.appended(page, new)
    if not {each.id for each in new} <= {each.id for each in proposals.parse(text)}:
        problem = (
            f"{proposals.PROPOSALS}: an open code block or comment would swallow what is added"
        )
        return Proposed(page, (), (problem,))
    return Proposed(text, tuple(new))


def _without_overtaken(page: str | None, material: Material, today: date) -> str | None:
    """Return the page with open proposals obsolete: MEMORY.md has the change, or cannot take it,
    or what it would say was superseded."""
    if page is None or material.memory is None:
        return page
    memory = _Memory(material)
    for each in proposals.parse(page):
        if each.status != "open" or each.file.casefold() != material.file.casefold():
            continue
        is_stated = each.action == "add" and memory.says(_plain(each.added))
        if (
            is_stated
            or _is_outdated(each, material.superseded)
            or not proposals.is_possible(material.memory, each)
        ):
            page = proposals.with_status(page, each.id, "obsolete", today)
    return page


def _is_outdated(proposal: Proposal, superseded: Mapping[str, str]) -> bool:
    """Say whether what a proposal would add was superseded since; all else it cites was before."""
    cited = proposal.cited
    is_known = bool(cited) and len(cited) == len(proposal.evidence)
    return is_known and proposal.action != "move" and cited <= superseded.keys()


@dataclass(frozen=True, slots=True)
class _Draft:
    """A proposal before it is known whether it is new; `facts` are the ids of what it rests on."""

    action: Action
    title: str
    reason: str
    removed: tuple[str, ...]
    added: tuple[str, ...]
    evidence: tuple[str, ...] = ()
    facts: frozenset[str] = frozenset()
    section: str = ""
    to: str = ""


def _drafts(
    material: Material, earlier: Sequence[Proposal], count: Count, limit: int, today: date
) -> Iterator[_Draft]:
    memory = _Memory(material)
    yield from _replacements(material, memory)
    yield from _moves(material, memory, earlier, count, limit)
    yield from _additions(material, memory, today)


def _made(draft: _Draft, file: str, today: date) -> Proposal:
    title = (
        draft.title if len(draft.title) <= _MOST_OF_TITLE else f"{draft.title[:_MOST_OF_TITLE]}…"
    )
    return Proposal(
        id=proposals.proposal_id(draft.action, draft.removed, draft.added),
        action=draft.action,
        title=title.replace("<!--", "&lt;!--"),
        status="open",
        day=today,
        reason=draft.reason,
        evidence=draft.evidence,
        file=file,
        section=draft.section,
        to=draft.to,
        removed=draft.removed,
        added=draft.added,
    )


# -- what was proposed before ----------------------------------------------------------------

_MARK = re.compile(r"\s*(?:[-*+]|[0-9]{1,9}[.)])\s+")


def _is_same(draft: _Draft, earlier: Proposal) -> bool:
    """Say whether a draft only says again what was proposed before, whatever became of that."""
    if draft.action == "add" and earlier.action == "move":
        gone = earlier.removed if earlier.status != "rejected" else ()
        return any(_says(_plain((line,)), _plain(draft.added)) for line in gone)
    if draft.action != earlier.action and (draft.action, earlier.action) != ("add", "replace"):
        return False
    if draft.action == "replace" and not _is_same_line(draft, earlier):
        return False
    if draft.facts & earlier.cited or (draft.removed, draft.added) == (
        earlier.removed,
        earlier.added,
    ):
        return True
    one, other = _plain(draft.added), _plain(earlier.added)
    return _says(other, one) or _says(one, other) or _is_reworded(one, other)


def _is_same_line(draft: _Draft, earlier: Proposal) -> bool:
    """Say whether both take out the same line; of what was rejected, also one that says as much."""
    one, other = _plain(draft.removed), _plain(earlier.removed)
    is_alike = _says(one, other) or _says(other, one)
    return one == other or (earlier.status == "rejected" and is_alike)


def _is_reworded(one: str, other: str) -> bool:
    numbers = [sorted(re.findall(r"[0-9]+", text)) for text in (one, other)]
    return numbers[0] == numbers[1] and overlap(stems(one), stems(other)) > _ALIKE


def _plain(lines: Iterable[str]) -> str:
    return " ".join(_MARK.sub("", line, count=1).strip() for line in lines).strip()


def _says(text: str, what: str) -> bool:
    """Say whether `text` says all that `what` says; nothing says nothing."""
    if not text or not what:
        return text == what
    words, theirs = stems(what), stems(text)
    shared = len(words & theirs)
    if shared < repetition.OVERLAP * len(words) - 1:
        return False
    return repetition.is_repeated(what, text, guess(what))


# -- MEMORY.md -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence that stands whole on one line; `where` also has the headings above it."""

    text: str
    line: int
    where: str


class _Memory:
    """MEMORY.md taken apart; what is private or in code is not looked at."""

    def __init__(self, material: Material) -> None:
        self.text = material.memory or ""
        self.document = markdown.parse(self.text)
        self.private = chunks.private_lines(self.document.lines)
        self.sentences = tuple(self._sentences())
        stated = _statements(markdown.parse(redact.blank(self.text)))
        self._stated = (*stated, *material.statements)

    def says(self, what: str) -> bool:
        """Say whether that is stated already."""
        return any(_says(each, what) for each in self._stated)

    def section_for(self, names: Iterable[str]) -> str:
        """Return the heading that is one of the names; "" if none is."""
        wanted = {facts.normalise(facts.display_name(name)) for name in names}
        headings = (each.path[-1].text for each in self.document.sections if each.path)
        return next((text for text in headings if facts.normalise(text) in wanted), "")

    def _sentences(self) -> Iterator[_Sentence]:
        for paragraph in self.document.paragraphs:
            if len(paragraph.lines) > 1 or paragraph.start in self.private:
                continue
            above = _headings_at(self.document, paragraph.start)
            for text in sentences.split(paragraph.lines[0].strip()):
                if text in self.document.lines[paragraph.start - 1]:
                    yield _Sentence(text, paragraph.start, f"{above} {text}")


def _statements(document: Markdown) -> Iterator[str]:
    for paragraph in document.paragraphs:
        yield from sentences.split(" ".join(line.strip() for line in paragraph.lines))


def _headings_at(document: Markdown, line: int) -> str:
    found = (each for each in document.sections if each.start <= line <= each.end)
    return " ".join(heading.text for each in found for heading in each.path)


# -- replace ---------------------------------------------------------------------------------


def _replacements(material: Material, memory: _Memory) -> Iterator[_Draft]:
    """Yield lines that say what was superseded; only what they say of it goes."""
    by_id = {fact.id: fact for fact in material.facts}
    for old_id in material.superseded:
        old, new = by_id.get(old_id), _standing(old_id, by_id, material.superseded)
        if old is None or new is None:
            continue
        for sentence in memory.sentences:
            if _says(_alone(old, material), sentence.text) and _is_about(sentence, old, material):
                yield _replacement(material, memory, sentence, old, new)


def _standing(
    id_: str, by_id: Mapping[str, KnownFact], superseded: Mapping[str, str]
) -> KnownFact | None:
    """Return the fact that stands at the end of what superseded another."""
    seen = {id_}
    while id_ in superseded and superseded[id_] not in seen:
        id_ = superseded[id_]
        seen.add(id_)
    return by_id.get(id_)


def _is_about(sentence: _Sentence, fact: KnownFact, material: Material) -> bool:
    """Say whether a sentence may be about the entities of a fact: it names them, or nobody."""
    if is_named(forms_of(fact, material.entities), sentence.where):
        return True
    return not any(is_named(each.keys, sentence.where) for each in material.entities.all)


def _replacement(
    material: Material, memory: _Memory, sentence: _Sentence, old: KnownFact, new: KnownFact
) -> _Draft:
    line = memory.document.lines[sentence.line - 1]
    says = _alone(new, material)
    rest = line.replace(sentence.text, "" if memory.says(says) else says, 1)
    added = (rest.rstrip(),) if _MARK.sub("", f"{rest} ", count=1).strip() else ()
    return _Draft(
        action="replace",
        title=f"Replace: {sentence.text}",
        reason=f"what it says was superseded on {new.day.isoformat()}",
        removed=(line,),
        added=added,
        evidence=(new.link, old.link),
        facts=frozenset({new.id}),
    )


def _alone(fact: KnownFact, material: Material) -> str:
    return statement(fact, material.entities)


# -- move ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Unit:
    """A section of MEMORY.md, or a line where it has none, and what is known of its topic."""

    title: str
    lines: tuple[str, ...]
    tokens: int
    newest: date | None
    links: int


def _moves(
    material: Material, memory: _Memory, earlier: Sequence[Proposal], count: Count, limit: int
) -> Iterator[_Draft]:
    """Yield what to move out until MEMORY.md fits: what was not spoken of for longest first."""
    total = count(memory.text)
    waiting = [each for each in earlier if each.status == "open" and each.action == "move"]
    left = total - sum(count("\n".join(each.removed)) for each in waiting)
    if left <= limit:
        return
    units = [_unit(material, lines, title, count) for title, lines in _blocks(memory)]
    units.sort(key=lambda unit: (unit.newest or date.min, unit.links))
    for unit in units:
        draft = _move(material, unit, total, limit)
        if left > limit and not any(_is_same(draft, each) for each in earlier):
            left -= unit.tokens
            yield draft


def _move(material: Material, unit: _Unit, total: int, limit: int) -> _Draft:
    spoken = f"last spoken of on {unit.newest}" if unit.newest else "no fact speaks of it"
    return _Draft(
        action="move",
        title=f"Move out: {unit.title}",
        reason=f"{material.file} has {total} tokens of {limit}, this is {unit.tokens}; {spoken}",
        removed=unit.lines,
        added=unit.lines,
        to=ARCHIVE,
    )


def _blocks(memory: _Memory) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield sections of the second level with all below them; lines where there are not two."""
    document = memory.document
    spans = list(_sections(document))
    if len(spans) < 2:
        spans = [(each.start, each.start) for each in document.paragraphs if len(each.lines) == 1]
    for start, end in spans:
        numbers = range(start, end + 1)
        if memory.private.isdisjoint(numbers):
            lines = [document.lines[number - 1] for number in numbers]
            while not lines[-1].strip():
                lines.pop()
            yield _plain((lines[0].lstrip("# "),)), tuple(lines)


def _sections(document: Markdown) -> Iterator[tuple[int, int]]:
    """Yield first and last line of each section of the second level."""
    heads = {
        section.path[-1].start: section.path[-1] for section in document.sections if section.path
    }
    tops = [heading for heading in heads.values() if heading.level <= 2]
    ends = [*(heading.start - 1 for heading in tops[1:]), len(document.lines)]
    for heading, end in zip(tops, ends, strict=False):  # without a heading there is but an end
        if heading.level == 2:
            yield heading.start, end


def _unit(material: Material, lines: tuple[str, ...], title: str, count: Count) -> _Unit:
    text = "\n".join(lines)
    named = [each for each in material.entities.all if each.facts and is_named(each.keys, text)]
    days = [fact.day for each in named for fact in each.facts[-1:]]
    days += [day for word in _ISO.findall(text) if (day := _day(word))]
    links = sum(len(each.facts) for each in named)
    return _Unit(title, lines, count(text), max(days, default=None), links)


_ISO = re.compile(r"(?<![0-9-])[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9-])")


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


# -- add -------------------------------------------------------------------------------------


_Scored = tuple[int, tuple[str, ...], _Draft]
"""On how many days it was said, about whom, and the draft."""


def _additions(material: Material, memory: _Memory, today: date) -> Iterator[_Draft]:
    """Yield what was said on several days, and what is held for certain; the surest first."""
    document = markdown.parse(material.ledger or "")
    private = chunks.private_lines(document.lines)
    opinions = [each for each in pages.opinions(document) if private.isdisjoint(each.lines)]
    found = [*_certain(opinions), *_often_said(material, opinions, today)]
    for _, names, draft in sorted(found, key=lambda each: -each[0]):
        if not memory.says(_plain(draft.added)):
            yield replace(draft, section=memory.section_for(names))


def _certain(opinions: Iterable[pages.Opinion]) -> Iterator[_Scored]:
    for each in opinions:
        supports = [piece for piece in each.evidence if piece.stance == "supports"]
        days = {piece.day for piece in supports if piece.day}
        if each.confidence is None or each.confidence < _CERTAIN or len(days) < _FEWEST_DAYS:
            continue
        if each.contested or each.pending or ledger_text.is_edited(each):
            continue
        reason = f"held with c={each.confidence:.2f} on evidence of {len(days)} days"
        ids = frozenset(piece.block for piece in supports)
        links = [piece.target for piece in supports]
        yield len(days), each.entities, _addition(each.statement, reason, links, ids)


def _often_said(
    material: Material, opinions: Iterable[pages.Opinion], today: date
) -> Iterator[_Scored]:
    """Yield facts said on several days that still hold; what opinions weigh is left to them."""
    weighed = {piece.block for each in opinions for piece in (*each.evidence, *each.pending)}
    lasting = [each for each in material.facts if each.fact.kind in "WO" and not each.is_derived]
    for group in groups.grouped(lasting, material.superseded):
        ids = frozenset(fact.id for fact in group.facts)
        if group.days < _FEWEST_DAYS or group.by or ids & weighed:
            continue
        end = facts.validity(group.newest.fact.content, group.newest.day)[1]
        if end and end < today:
            continue
        reason = f"said on {group.days} days, last on {group.day.isoformat()}"
        links = [fact.link for fact in reversed(group.facts)]
        draft = _addition(_alone(group.newest, material), reason, links, ids)
        yield group.days, group.newest.fact.entities, draft


def _addition(says: str, reason: str, links: Iterable[str], ids: frozenset[str]) -> _Draft:
    cited = tuple(dict.fromkeys(links))[:_MOST_EVIDENCE]
    return _Draft("add", f"Add: {says}", reason, (), (f"- {says}",), cited, ids)
