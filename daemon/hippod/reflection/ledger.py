"""The ledger of opinions: what new facts do to the text of `bank/opinions.md`.

Facts of kind O found opinions; these, and W and B facts with a clear verdict, are evidence for
opinions of a common entity. Written weights are final: c follows from prior and weights alone.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain

from hippod import daylog, facts, markdown, pages
from hippod.reflection import belief, ledger_text, matters, restating, stances, statements
from hippod.reflection.entities import Entities, form
from hippod.reflection.known import Book, KnownFact
from hippod.reflection.ledger_text import Held, Item, ItemName
from hippod.reflection.lines import Changes
from hippod.reflection.statements import overlap, stems_without
from hippod.reflection.verdicts import Judge, Verdict

Near = Callable[[str, Sequence[str]], Mapping[str, float]]
"""Given the id of a fact, and ids of opinions and other facts: the cosine to each one, by id; of
those whose vector is at hand."""

_MOST_JUDGED = 6
"""Opinions that one fact is held against: those whose topics are most alike."""
_NEAR = 0.65
"""Cosine from which an opinion is looked at although it shares no word; what is said of one entity
has 0.5 to 0.6 already."""
_SAME_TOPIC = 0.5
"""Part of the shorter topic from which statements may be about one thing."""
_VERY_NEAR = 0.8
"""Cosine from which an undecided statement is about an opinion however many words it adds."""


@dataclass(frozen=True, slots=True)
class Logs:
    """What stands in the daily logs: the ids of all facts; `unread` days may have had others."""

    ids: Collection[str]
    unread: Collection[date] = ()

    @classmethod
    def of(cls, book: Book) -> "Logs | None":
        """Return what `book` has; None if files are unread of which nobody knows the days."""
        days = list(map(daylog.day_of, book.unread))
        unread = frozenset(day for day in days if day)
        ids = frozenset(fact.id for fact in book.facts)
        return cls(ids, unread) if None not in days else None

    def lack(self, item: Item) -> bool:
        """Say whether the fact that an item cites is gone."""
        return item.block not in self.ids and item.day not in self.unread


@dataclass(frozen=True, slots=True)
class LedgerUpdate:
    """The ledger after an update; `text` is None if there is none and nothing to write.

    `opinions_touched` are the ids of those that changed or are new, `judged` those of the facts
    that need not be given again. `problems` name what was left alone, and why.
    """

    text: str | None
    opinions_touched: tuple[str, ...]
    problems: tuple[str, ...]
    judged: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recomputed:
    """An opinion whose confidence was set to what its evidence gives."""

    id: str
    statement: str
    before: float | None
    after: float


def update(
    text: str | None,
    facts: Sequence[KnownFact],
    entities: Entities,
    judge: Judge,
    near: Near | None,
    today: date,
    *,
    settled: date | None = None,
    known: Mapping[str, KnownFact] | None = None,
    logs: Logs | None = None,
) -> LedgerUpdate:
    """Return the ledger with what `facts` (those not judged yet) say for and against opinions.

    `text` is that of `bank/opinions.md`, None if there is none. `settled` is for a lost state:
    give `newest(text)`. Earlier facts were judged by then, and what a person deleted since stays
    away; facts of that day found no opinions. `known` are the facts judged before, by id: two
    that no opinion can be decided on, but that agree, found one together. With `logs`, evidence
    whose fact is gone is reported, and a quoted one that was edited is quoted as it is now.
    Facts about an opinion that has a problem are not judged: they wait until that is solved.
    """
    document = markdown.parse(text or "")
    if document.marks:
        return LedgerUpdate(text, (), (f"{pages.OPINIONS}: has git conflict marks",), ())
    by_id = {**(known or {}), **{fact.id: fact for fact in facts}}
    ledger = _Ledger(ledger_text.held(document), entities, judge, near, by_id)
    in_order = sorted(facts, key=lambda fact: (fact.said, fact.path, fact.line))
    if logs:
        ledger.requote(in_order, logs)
    for fact in in_order:
        if settled is None or fact.day >= settled:
            ledger.take(fact, may_found=settled is None or fact.day > settled)
    problems = (*_problems(ledger.opinions, logs), *ledger.passed_over)
    touched = [each for each in ledger.opinions if each.touched]
    judged = tuple(fact.id for fact in facts if fact.id not in ledger.waiting)
    if not touched:
        return LedgerUpdate(text, (), problems, judged)
    is_growing = any(each.read is None for each in touched)
    if text and is_growing and not ledger_text.takes_sections(text, document):
        problem = f"{pages.OPINIONS}: an open code block or comment would swallow what is added"
        return LedgerUpdate(text, (), (*problems, problem), ())
    after = ledger_text.rewritten(text, ledger.opinions, today)
    return LedgerUpdate(after, tuple(each.id for each in touched), problems, judged)


def newest(text: str | None) -> date | None:
    """Return the newest day on which the ledger was updated."""
    found = pages.opinions(markdown.parse(text or ""))
    return max((each.updated for each in found if each.updated), default=None)


def doubted(text: str | None) -> frozenset[str]:
    """Return the ids of the facts that only support opinions held for less likely than not."""
    held, doubted = set[str](), set[str]()
    for opinion in pages.opinions(markdown.parse(text or "")):
        is_held = opinion.confidence is None or opinion.confidence >= 0.5
        supports = (each.block for each in opinion.evidence if each.stance == "supports")
        (held if is_held else doubted).update(supports)
    return frozenset(doubted - held)


def problems(text: str | None, logs: Logs | None = None) -> tuple[str, ...]:
    """Return what an update would leave alone, and why; with `logs`, what is gone from them."""
    document = markdown.parse(text or "")
    if document.marks:
        return (f"{pages.OPINIONS}: has git conflict marks",)
    return tuple(_problems(ledger_text.held(document), logs))


def _problems(opinions: Iterable[Held], logs: Logs | None) -> Iterator[str]:
    for opinion in opinions:
        if opinion.complaint:
            yield opinion.complaint
        ours = opinion.items if opinion.id else []
        gone = [item for item in ours if logs and logs.lack(item)]
        lines = [item.lines[0] for item in gone if item.lines]
        if lines:
            cited = ", ".join(dict.fromkeys(item.cited.partition(" ")[0] for item in gone))
            yield (
                f"{pages.OPINIONS}#L{lines[0]}: ^{opinion.id} cites {cited}: no log has that any "
                f"more, or it is private now; `hippod forget ^{opinion.id}` takes the opinion out"
            )


def recompute(text: str) -> tuple[str, tuple[Recomputed, ...]]:
    """Return the ledger with each c set to what prior and weights give, and what that changed.

    Nothing but the page itself is needed. Opinions without a prior stay as they are.
    """
    changes = Changes(text)
    changed: list[Recomputed] = []
    for opinion in pages.opinions(markdown.parse(text)):
        now = ledger_text.computed(opinion)
        places = {name: (start, end) for name, start, end in opinion.fields}
        if now is None or "c" not in places or not ledger_text.is_edited(opinion):
            continue
        changes.put(places["c"], f"{now:.2f}")
        changed.append(Recomputed(opinion.id or "", opinion.statement, opinion.confidence, now))
    return changes.text(), tuple(changed)


# -- weighing --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Match:
    """An opinion that a fact is about; `topic`, `near` and `words` say how alike they are."""

    opinion: Held
    verdict: Verdict
    topic: float
    near: float
    words: float

    @property
    def rank(self) -> tuple[bool, float, float]:
        return self.is_decided, self.verdict.score, max(self.topic, self.near)

    @property
    def is_decided(self) -> bool:
        return _is_decided(self.verdict)


@dataclass(frozen=True, slots=True)
class _Words:
    """The stems of what a text is about, and of all that it says."""

    topic: frozenset[str]
    all: frozenset[str]

    @classmethod
    def of(cls, text: str, language: str, names: tuple[str, ...]) -> "_Words":
        return cls(matters.topic(text, language, names), stems_without(text, names))

    def held_against(self, other: "_Words", opinion: Held, near: float) -> _Match:
        """Return how alike they are: common topics tell more than "likes" does in both."""
        is_bare = not self.topic and not other.topic
        words = 1.0 if is_bare else overlap(self.all, other.all)
        return _Match(opinion, _UNJUDGED, overlap(self.topic, other.topic), near, words)


class _Ledger:
    """The opinions while facts are taken in, the oldest first."""

    def __init__(
        self,
        opinions: list[Held],
        entities: Entities,
        judge: Judge,
        near: Near | None,
        known: Mapping[str, KnownFact],
    ) -> None:
        self.opinions = opinions
        self._entities = entities
        self._judge = judge
        self._near = near
        self._known = known
        self._about: dict[str, list[Held]] = {}
        self._known_words: dict[tuple[int, str, tuple[str, ...]], _Words] = {}
        self.waiting: set[str] = set()
        self.passed_over: list[str] = []
        self._cited = {each.block for opinion in opinions for each in opinion.items}
        self._ids = {opinion.id for opinion in opinions}
        for opinion in opinions:
            self._enter(opinion)

    def take(self, fact: KnownFact, *, may_found: bool) -> None:
        """Let a fact be evidence, or found an opinion."""
        if fact.is_derived or fact.fact.kind == "S" or fact.id in self._cited:
            return
        self._cited.add(fact.id)
        found = self._matches(fact)
        matches = [match for match in found if match.opinion.id]
        decided = self._decided(matches, fact)
        if self._must_wait(decided, matches, fact):
            self.waiting.add(fact.id)
        elif decided and not _is_doubtful(fact):
            for match in decided:
                self._weigh(match.opinion, match.verdict, fact)
            if may_found and self._is_change_of_mind(matches, decided, fact):
                self._found(fact)
        elif fact.fact.kind == "O":
            self._leave_open(matches, fact, may_found=may_found)
        elif not decided:
            self._pass_over(found, fact)

    def _must_wait(
        self, decided: Sequence[_Match], matches: Sequence[_Match], fact: KnownFact
    ) -> bool:
        """Say whether a fact is about an opinion that cannot be changed before a person has."""
        if decided and not _is_doubtful(fact):
            concerned = decided
        elif fact.fact.kind == "O":
            concerned = [match for match in matches if self._is_about(match, fact)][:1]
        else:
            concerned = []
        hindered = [match.opinion for match in concerned if match.opinion.problem]
        for opinion in hindered:
            opinion.is_waited_for = True
        return bool(hindered)

    def _is_change_of_mind(
        self, matches: Sequence[_Match], decided: Sequence[_Match], fact: KnownFact
    ) -> bool:
        """Say whether an opinion fact goes against what is not held any more, and agrees with none.

        What is still held is only weakened by it: nothing is to be held instead yet.
        """
        if fact.fact.kind != "O" or any(each.verdict.stance == "supports" for each in decided):
            return False
        undecided = (match for match in matches if not match.is_decided)
        is_over = all(match.opinion.confidence < 0.5 for match in decided)
        return is_over and not any(self._is_about(match, fact) for match in undecided)

    def _pass_over(self, found: Sequence[_Match], fact: KnownFact) -> None:
        """Report what speaks of a section without id, which only a person changes."""
        section = next((each.opinion.read for each in found if each.is_decided), None)
        if section and not _is_doubtful(fact):
            place = f"{pages.OPINIONS}#L{section.lines[0]}"
            self.passed_over.append(f"{place}: has no id, so {fact.link} is not noted there")

    def requote(self, new: Sequence[KnownFact], logs: Logs) -> None:
        """Find quoted facts that a person has edited among those that are new: they count once."""
        for opinion in self.opinions:
            for item in [each for each in opinion.items if opinion.is_ours and each.quote]:
                edited = _edited(item, new, self._cited) if logs.lack(item) else None
                if edited:
                    opinion.requote(item, edited)
        self._cited = {each.block for opinion in self.opinions for each in opinion.items}

    def _leave_open(self, matches: Sequence[_Match], fact: KnownFact, *, may_found: bool) -> None:
        """Note an opinion fact that nothing follows from; found an opinion if none is about it."""
        about = next((match for match in matches if self._is_about(match, fact)), None)
        ally = self._ally(about, fact) if about else None
        if matches:
            self._cite((about or matches[0]).opinion, "related", fact, 0.0)
        if may_found and about is None:
            self._found(fact)
        elif may_found and about and ally:
            self._found_beside(about.opinion, ally)

    def _weigh(self, opinion: Held, verdict: Verdict, fact: KnownFact) -> None:
        stance: belief.Stance = "supports" if verdict.stance == "supports" else "contradicts"
        counted, waiting = opinion.counted(), opinion.waiting()
        step = belief.step(
            opinion.prior,
            ledger_text.weights_of(counted),
            ledger_text.weights_of(waiting),
            stance,
            fact.day,
        )
        name: ItemName = "related" if not step.weight else "pending" if step.waits else stance
        self._cite(opinion, name, fact, step.weight)
        if opinion.is_ours:
            opinion.release([waiting[place] for place in step.released])
            opinion.settle()

    def _cite(self, opinion: Held, name: ItemName, fact: KnownFact, weight: float) -> None:
        if opinion.is_ours:
            opinion.add(ledger_text.item(name, fact, weight))

    def _found_beside(self, opinion: Held, ally: KnownFact) -> None:
        """Let facts that are undecided on an opinion found one with what they say of the first."""
        if new := self._found(ally):
            later = [each for each in self._open_facts(opinion) if each.said > ally.said]
            for each in later:
                verdict = self._judge(_said(new), each.fact.content)
                if _is_decided(verdict):
                    self._weigh(new, verdict, each)
            opinion.dispute()

    def _found(self, fact: KnownFact) -> Held | None:
        if not any(map(str.isalnum, fact.fact.content)):
            return None
        statement = statements.statement(fact, self._entities)
        item = ledger_text.item("supports", fact, belief.SUPPORTS)
        prior = belief.founding_prior(fact.fact.confidence)
        names = tuple(statements.named_by(fact, self._entities))
        new = Held(self._new_id(fact, statement), statement, names, prior, 0.5, [item])
        new.settle()
        new.touched = True
        self._ids.add(new.id)
        self.opinions.append(new)
        self._enter(new)
        return new

    def _new_id(self, fact: KnownFact, statement: str) -> str:
        whole = facts.fact_id("opinion", "", fact.id, statement, facts.LONGEST_ID)
        lengths = range(facts.ID_LENGTH, facts.LONGEST_ID + 1)
        return next((whole[:n] for n in lengths if whole[:n] not in self._ids), whole)

    # -- which opinion a fact is about -------------------------------------------------------

    def _matches(self, fact: KnownFact) -> list[_Match]:
        """Return the opinions that the fact says something of, the one it says most of first."""
        judged = (
            replace(each, verdict=self._verdict(each, fact)) for each in self._candidates(fact)
        )
        matches = [each for each in judged if each.verdict.stance != "unrelated"]
        return sorted(matches, key=lambda match: match.rank, reverse=True)

    def _verdict(self, match: _Match, fact: KnownFact) -> Verdict:
        """Return what a fact is to an opinion; the rules do not know who holds it, we do."""
        statement, text = _said(match.opinion), fact.fact.content
        verdict = self._judge(statement, text)
        if verdict.stance != "unrelated" or match.topic < _SAME_TOPIC:
            return verdict
        is_same = matters.is_same(statement, text, self._names_of(fact))
        return Verdict("related", "the same matter", match.topic) if is_same else verdict

    def _candidates(self, fact: KnownFact) -> list[_Match]:
        opinions = self._of_the_same(fact)
        if not opinions:
            return []
        language, names = stances.language_of(fact.fact.content), tuple(self._names_of(fact))
        ours = _Words.of(fact.fact.content, language, names)
        near = self._nearness(fact, opinions)
        found = (
            ours.held_against(self._words(each, language, names), each, near.get(each.id, 0.0))
            for each in opinions
        )
        alike = [each for each in found if max(each.topic, each.near, each.words) > 0]
        alike.sort(key=lambda each: (max(each.topic, each.near), each.words), reverse=True)
        return alike[:_MOST_JUDGED]

    def _words(self, opinion: Held, language: str, names: tuple[str, ...]) -> "_Words":
        key = id(opinion), language, names
        if key not in self._known_words:
            self._known_words[key] = _Words.of(_said(opinion), language, names)
        return self._known_words[key]

    def _is_about(self, match: _Match, fact: KnownFact) -> bool:
        """Say whether a fact is about the matter of an opinion, and needs none of its own."""
        if match.verdict.reason == "hearsay":
            return False
        if match.is_decided:
            return True
        said, text, is_near = _said(match.opinion), fact.fact.content, match.near >= _VERY_NEAR
        return matters.is_same(said, text, self._names_of(fact), is_near=is_near)

    def _decided(self, matches: Sequence[_Match], fact: KnownFact) -> list[_Match]:
        """Return the opinions that the fact is evidence for: the best one, and any others on the
        same matter, so that a change of mind moves the old opinion and the new one."""
        if not matches or not matches[0].is_decided:
            return []
        statement, names = _said(matches[0].opinion), self._names_of(fact)
        return [
            each
            for each in matches
            if each is matches[0]
            or (each.is_decided and matters.is_same(_said(each.opinion), statement, names))
        ]

    def _ally(self, match: _Match, fact: KnownFact) -> KnownFact | None:
        """Return an earlier fact of another day that was as undecided on an opinion, and agrees.

        If those are of several days, they founded an opinion that a person has deleted since.
        """
        if not _is_open(match.verdict) or _is_doubtful(fact):
            return None
        names, statement, text = self._names_of(fact), _said(match.opinion), fact.fact.content
        agreeing = [
            each
            for each in self._open_facts(match.opinion)
            if matters.is_same(statement, each.fact.content, names)
            and self._judge(each.fact.content, text).stance == "supports"
        ]
        days = {each.day for each in agreeing}
        return agreeing[0] if len(days) == 1 and fact.day not in days else None

    def _open_facts(self, opinion: Held) -> list[KnownFact]:
        """Return the facts that were said of an opinion and that it is undecided on."""
        cited = (self._known.get(item.block) for item in opinion.related())
        return [
            each
            for each in cited
            if each
            and not _is_doubtful(each)
            and _is_open(self._judge(_said(opinion), each.fact.content))
        ]

    def _nearness(self, fact: KnownFact, opinions: Iterable[Held]) -> dict[str, float]:
        """Return the cosine of those that are near; new ones go by the fact that founded them."""
        if self._near is None:
            return {}
        known = {each.id: [each.id, *(item.block for item in each.items[:1])] for each in opinions}
        found = self._near(fact.id, list(filter(None, chain.from_iterable(known.values()))))
        best = {id_: max(found.get(each, 0.0) for each in ids) for id_, ids in known.items()}
        return {id_: cosine for id_, cosine in best.items() if cosine >= _NEAR}

    def _of_the_same(self, fact: KnownFact) -> list[Held]:
        """Return the opinions of a common entity, those of nobody only for facts of nobody."""
        forms = dict.fromkeys(map(self._key, fact.fact.entities or ("",)))
        found = [opinion for name in forms for opinion in self._about.get(name, ())]
        named = statements.forms_of(fact, self._entities)
        for opinion in self._about.get("", ()) if named else ():
            if opinion.read and statements.is_named(named, opinion.statement):
                found.append(opinion)
        return list({id(opinion): opinion for opinion in found}.values())

    def _names_of(self, fact: KnownFact) -> list[str]:
        """Return all names of who holds an opinion: of several entities the one that a fact
        begins with or need not name. The others are what it is about."""
        shown = {facts.display_name(name): name for name in fact.fact.entities}
        said = fact.fact.content.casefold()
        holder = min(shown, key=lambda each: said.find(each.casefold()), default=None)
        known = self._entities.named(shown[holder]) if holder else None
        return [*filter(None, (holder,)), *sorted(known.keys if known else ())]

    def _key(self, name: str) -> str:
        known = self._entities.named(name) if name else None
        return known.key if known else form(name)

    def _enter(self, opinion: Held) -> None:
        for name in dict.fromkeys(map(self._key, opinion.entities or ("",))):
            self._about.setdefault(name, []).append(opinion)


def _is_decided(verdict: Verdict) -> bool:
    return verdict.stance in ("supports", "contradicts")


def _is_open(verdict: Verdict) -> bool:
    """Say whether it might be decided, were it said in other words."""
    return not _is_decided(verdict) and verdict.reason not in matters.DOUBTS


def _edited(item: Item, new: Iterable[KnownFact], cited: Collection[str]) -> KnownFact | None:
    """Return the fact of the same day that says what an item quotes, and is cited nowhere."""
    same_day = (fact for fact in new if fact.day == item.day)
    return next(
        (
            fact
            for fact in same_day
            if fact.id not in cited
            and (
                restating.says_again(item.quote, fact.fact.content)
                or restating.says_again(fact.fact.content, item.quote)
            )
        ),
        None,
    )


_UNJUDGED = Verdict("unrelated", "not judged", 0.0)


def _is_doubtful(fact: KnownFact) -> bool:
    """Say whether a fact is itself held for less likely than not: it proves nothing."""
    return fact.fact.confidence is not None and fact.fact.confidence < 0.5


def _said(opinion: Held) -> str:
    """Return the statement without the name that was put in front: as a fact would say it."""
    head, colon, content = opinion.statement.partition(": ")
    is_name = any(form(head) == form(name) for name in opinion.entities)
    return content if colon and is_name else opinion.statement
