"""Which facts a later one of the same entity replaced: precision first.

A fact is replaced where a later one says so ("no longer", "switched from X to Y") or gives
another value for what has one at a time. Events, lists and what had its own period stay.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hippod import facts as grammar
from hippod.reflection import slots, stances
from hippod.reflection.known import KnownFact
from hippod.reflection.slot_words import SlotWords, slot_words
from hippod.reflection.slots import Slot
from hippod.reflection.stance_words import words as stance_words
from hippod.reflection.stances import Claim, Stems


@dataclass(frozen=True, slots=True)
class _Entry:
    """A fact as it is compared."""

    id: str
    subject: str
    names: Stems
    others: tuple[str, ...]
    """The other entities that it is about."""
    claim: Claim
    slots: tuple[Slot, ...]
    lasting: bool
    """It states what is so, not what was done."""
    is_distant: bool
    """It states what is to come, was once, is so in part or is hearsay: it ends nothing."""
    is_event: bool
    is_list: bool
    """It states one of what there may be several of: likes, has."""
    language: str
    content: str


_Key = tuple[str, str, Stems]
"""Whose slot it is, its name, and what it is about."""


def find(facts: Sequence[KnownFact]) -> dict[str, str]:
    """Return what replaced each outdated fact: old id to new id, the new one always the later.

    `facts` are those of one entity, in any order; of one day the later source time counts, then
    the later place. Derived facts and those of another period than now take no part.
    """
    entries = [entry for fact in _in_order(facts) if (entry := _entry(fact))]
    found: dict[str, str] = {}
    filled: dict[_Key, list[tuple[_Entry, Slot]]] = {}
    for place, entry in enumerate(entries):
        for old in (*_by_slot(entry, filled), *_by_word(entry, entries[:place])):
            if old.id != entry.id:
                found.setdefault(old.id, entry.id)
    return found


def _in_order(facts: Sequence[KnownFact]) -> list[KnownFact]:
    firsts = {fact.id: fact for fact in reversed(facts)}
    order = {id_: place for place, id_ in enumerate(dict.fromkeys(fact.id for fact in facts))}
    return sorted(firsts.values(), key=lambda fact: (fact.said, order[fact.id]))


def _entry(known: KnownFact) -> _Entry | None:
    fact = known.fact
    if known.is_derived or fact.kind == "S":
        return None
    since, until = grammar.validity(fact.content, known.day)
    is_to_come = since is not None and since > known.day
    if until is not None or is_to_come or slots.is_history(fact.content, known.day):
        return None
    content = fact.content[: stances.LONGEST]
    language = stances.language_of(content)
    claim = stances.read(content, language)
    if claim.unsure:
        return None
    subject, table = _subject(known), slot_words(language)
    if table is not None and table.passing.search(content):
        return None
    return _Entry(
        id=known.id,
        subject=subject,
        names=stances.plain_stems(subject, language),
        others=tuple(name for name in _names(known) if name != subject),
        claim=claim,
        slots=slots.read(content, language),
        lasting=fact.kind != "B",
        is_distant=slots.is_distant(content, language),
        is_event=table is not None and table.event.search(content) is not None,
        is_list=table is not None and slots.is_list(content, table),
        language=language,
        content=content,
    )


def _subject(known: KnownFact) -> str:
    """Return the entity that a fact is about: the one it begins with, else its first one."""
    names = _names(known)
    start = known.fact.content.casefold().split()[:3]
    for name in names:
        if start and start[0].removesuffix("'s").strip(",:") in name.split():
            return name
    return names[0] if names else ""


def _names(known: KnownFact) -> list[str]:
    return [grammar.display_name(name).casefold() for name in known.fact.entities]


def _by_slot(entry: _Entry, filled: dict[_Key, list[tuple[_Entry, Slot]]]) -> Iterator[_Entry]:
    """Yield what a new value of a slot replaces, and note the value."""
    for slot in entry.slots:
        about = slot.about - entry.names
        if not about and slot.name in ("seat", "state", "is", slots.VALUE):
            continue  # where a person is just now, or what nobody names
        key = _whose(entry, slot), slot.name, about
        if key not in filled and slot.name == slots.VALUE and _is_again(entry):
            key = next(iter(_moved_before(key, filled)), key)
        standing = filled.setdefault(key, [])
        stays = [pair for pair in standing if not slot.excludes(pair[1])]
        yield from (old for old, value in standing if slot.excludes(value))
        filled[key] = [*stays, (entry, slot)] if entry.lasting else stays


def _is_again(entry: _Entry) -> bool:
    table = slot_words(entry.language)
    return table is not None and table.resumed.search(entry.content) is not None


def _moved_before(key: _Key, filled: Mapping[_Key, Sequence[tuple[_Entry, Slot]]]) -> list[_Key]:
    """Return what "the deadline was moved again" means: the one deadline that was moved before.

    It may have been named in more words then: "the deadline for the tax return".
    """
    whose, name, about = key
    wider = [each for each in filled if each[:2] == (whose, name) and about < each[2]]
    moved = [each for each in wider if any(_is_moved(entry) for entry, _ in filled[each])]
    return moved if len(moved) == 1 else []


def _is_moved(entry: _Entry) -> bool:
    table = slot_words(entry.language)
    patterns = (table.changed, table.restated) if table else ()
    return any(pattern.search(entry.content) for pattern in patterns)


def _whose(entry: _Entry, slot: Slot) -> str:
    """Return whose slot it is: of "Ravel is her manager" not Ravel's."""
    is_value = bool(entry.names) and entry.names <= slot.value
    return entry.others[0] if is_value and entry.others else entry.subject


def _by_word(entry: _Entry, earlier: Sequence[_Entry]) -> Iterator[_Entry]:
    """Yield what a fact says in so many words to be over."""
    table = slot_words(entry.language)
    if table is None or entry.is_distant:
        return
    if table.resumed.search(entry.content):
        done = stances.stems_of(table.resumed.sub(" ", entry.content), entry.language)
        yield from (old for old in earlier if _is_resumed(old, entry, done - entry.names))
    left = _left(entry, table)
    if left is None:
        return
    for old in earlier:
        if old.lasting and old.subject == entry.subject and _is_over(old, left):
            yield old


def _is_resumed(old: _Entry, entry: _Entry, done: Stems) -> bool:
    """Tell whether an old fact says of what is done again that it is not, or no longer, done."""
    denied = old.claim.affirms < 0 < entry.claim.affirms
    return denied and old.subject == entry.subject and old.claim.stems - old.names == done


@dataclass(frozen=True, slots=True)
class _Left:
    """The stems of what a fact says to be over; `by_switch`: something else came in its place."""

    over: Stems
    by_switch: bool
    of: Stems = stances.NOTHING
    """Somebody else whom the fact begins with."""
    taken: str = ""
    """What came in its place, as it is written."""
    is_sold: bool = False
    """It says that somebody has it no longer, not that they stopped using such things."""


def _left(entry: _Entry, table: SlotWords) -> _Left | None:
    for pattern in table.replaced:
        if match := pattern.search(entry.content):
            return (
                None
                if slots.is_timed(match["old"])
                else _switched(entry, match["old"], match["new"])
            )
    said = stance_words(entry.language)
    rest = table.now.sub(" ", entry.content).lstrip()
    others, sold = stances.NOTHING, False
    if not said.faded.search(entry.content):
        if not table.gone.search(rest) or said.negations.search(rest):
            return None
        if not table.gone.match(rest):
            others = entry.claim.subject - entry.names
        sold = table.sold.search(rest) is not None
        rest = table.gone.sub(" ", rest)
    over = stances.stems_of(rest, entry.language) - entry.names
    return _Left(over, by_switch=False, of=others, is_sold=sold)


def _switched(entry: _Entry, old: str, new: str) -> _Left:
    over = stances.plain_stems(old, entry.language) - entry.names
    return _Left(over, by_switch=True, taken=new.strip())


def _is_over(old: _Entry, left: _Left) -> bool:
    """Tell whether an old fact says what is over, and not much beside it.

    Who switches from a thing still has what else is named after it: "an aunt in Lisbon".
    """
    told = old.claim.stems - old.names
    if not left.over or not told or old.claim.affirms < 0 or old.is_event:
        return False
    if (left.by_switch and old.is_list) or not left.of <= old.claim.subject:
        return False
    if _says_already(old, left) or (left.is_sold and not _owns(old)):
        return False
    return left.over <= told and len(left.over) >= _LEAST * len(told)


def _says_already(old: _Entry, left: _Left) -> bool:
    """Tell whether an old fact has what came instead: the later one confirms it."""
    rank = old.claim.rather
    if rank and rank.is_read:
        return not left.over <= rank.more
    return bool(left.taken) and left.taken in old.content


def _owns(old: _Entry) -> bool:
    table = slot_words(old.language)
    return table is not None and table.owns.search(old.content) is not None


_LEAST = 0.33
"""Part of an old fact that must be what is over."""
