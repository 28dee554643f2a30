"""Forgets for good: plans what goes, leaves tombstones, removes it everywhere, and purges.

The tombstones come first and the state last, so a run that was broken off brings nothing back,
and the same command run again ends it: what goes is judged by what stands, and by the tombstones.
"""

import contextlib
import functools
import json
import re
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from zoneinfo import ZoneInfo

import structlog

from hippod import (
    daylog,
    edits,
    erasing,
    facts,
    forgetting,
    forgotten,
    markdown,
    pages,
    remembered,
    wire_bank,
)
from hippod.checklist import telling
from hippod.config import Config
from hippod.copies import Copies
from hippod.errors import Conflict, HippodError, InvalidInput, NotFound
from hippod.extraction import sentences
from hippod.extraction.support import quotation
from hippod.forgetting import Outcome, Read, Standing, Target
from hippod.forgotten import Tombstones, Value
from hippod.index import Index
from hippod.reflection.known import DERIVED
from hippod.remembered import Remembered
from hippod.state import State
from hippod.transcripts import Turn
from hippod.workspace import Workspace

logger = structlog.get_logger()

ACTOR = "forget"
_STATE, _INDEX = ".memory/state.sqlite", ".memory/index.sqlite"
_ATTEMPTS = 4
_SALT_BYTES = 16
_FEWEST_LETTERS = 3
_MOST_CANDIDATES = 8
_MOST_PLACES = 20
"""Where a short text may stand before it goes: more may be another matter."""
_ID = re.compile(rf"\^?({facts.ID_PATTERN})")


@dataclass(frozen=True, slots=True)
class _Plan:
    """What goes and from where; `known` says that it was forgotten already."""

    target: Target
    outcomes: tuple[Outcome, ...]
    similar: tuple[wire_bank.ForgetLeft, ...]
    seeds: tuple[Standing, ...]
    all_facts: tuple[Standing, ...]
    read: frozenset[str]
    known: bool


class Forgetter:
    """The one writer without undo; it indexes what it wrote itself. One run at a time."""

    def __init__(
        self,
        config: Config,
        workspace: Workspace,
        state: State,
        index: Index,
        clock: Callable[[], datetime],
    ) -> None:
        self._workspace = workspace
        self._state = state
        self._index = index
        self._clock = clock
        self._zone: ZoneInfo = config.zone
        self._copies = Copies(config, workspace, state)
        self._remembered = Remembered(workspace)
        self._lock = threading.Lock()
        self._moment = 0

    @property
    def moment(self) -> int:
        """What is another number once something was forgotten, and odd while it is."""
        return self._moment

    def forget(self, request: wire_bank.ForgetRequest) -> wire_bank.Forgotten:
        """Say what would go, or let it go.

        Raises `NotFound` if nothing says it, `InvalidInput` if it is not clear what is meant,
        `Conflict` if another plan was agreed to, `Conflict` and `StorageError` if the page of
        tombstones cannot be written: then nothing was removed. What fails at one document is a
        problem in the answer.
        """
        began = time.monotonic()
        with self._lock:
            plan = self._plan(request)
            left = tuple(self._left(plan))
            if not plan.outcomes and (plan.known or not left) and not self._state_knows(plan):
                if plan.known and not request.dry_run:
                    self._apply(plan, _shown(plan, left))  # ends what broke off
                raise _nothing(request, plan, left)
            answer = _named(request, _shown(plan, left))
            if not request.dry_run:
                _check_reach(request, answer)
                _check_agreed(request, answer)
                answer = self._apply(plan, answer)
        return answer.model_copy(update={"seconds": round(time.monotonic() - began, 3)})

    # -- plan ----------------------------------------------------------------------------------

    def _plan(self, request: wire_bank.ForgetRequest) -> _Plan:
        asked = (request.text or "").strip()
        name = _name(request)
        if not asked and not name:
            raise InvalidInput("text, id: give one of them", 'hippod forget "text" or ^id')
        reads = self._read_all()
        known = [each for read in reads for each in forgetting.standing(read)]
        stones = self._remembered.tombstones()
        found = self._by_id(name, known, reads, stones) if name else None
        is_id = found is not None and name in found.target.ids
        by_text = None if request.id is not None or is_id else self._by_text(asked, known)
        if found and by_text and (by_text.seeds or by_text.outcomes_in(reads)):
            raise InvalidInput(
                f"{asked!r} is the beginning of an id, and stands as a word too",
                "put ^ in front of the id, or give more of the text",
            )
        meant = found or by_text
        if meant is None:
            raise NotFound(f"no fact or opinion ^{name}", "a beginning of 4 characters is enough")
        target = meant.target
        outcomes = tuple(outcome for read in reads if (outcome := forgetting.outcome(read, target)))
        return _Plan(
            target=target,
            outcomes=outcomes,
            similar=tuple(_similar(reads, known, outcomes, meant)),
            seeds=tuple(meant.seeds),
            all_facts=tuple(known),
            read=frozenset(read.path for read in reads),
            known=_is_known(stones, target),
        )

    def _read_all(self) -> list[Read]:
        found = []
        for path in sorted(self._workspace.scan().files):
            if path != forgotten.PATH and (read := self._read(path)):
                found.append(read)
        return found

    def _read(self, path: str) -> Read | None:
        """Read a document so that its bytes can be given back; None if it is none."""
        try:
            data = self._workspace.raw(path)
        except HippodError:
            return None
        decoded = None if data is None else edits.decode(data)
        if data is None or decoded is None:
            return None
        text = decoded[0] if edits.is_utf16(data) else _text(data)
        problem = "is UTF-16 text" if edits.is_utf16(data) else ""
        return Read(path, edits.digest(data), text, problem)

    def _by_id(
        self, name: str, known: Sequence[Standing], reads: Sequence[Read], stones: Tombstones
    ) -> "_Meant | None":
        """Find the one fact or opinion whose id begins so; None if there is none."""
        opinions = [each for read in reads for each in _opinions(read)]
        written = {fact.id: fact.bullet for fact in self._state.facts_like(name)}
        ids = {each.id for each in known if each.id.startswith(name)}
        ids |= {op.id for op in opinions if op.id and op.id.startswith(name)}
        ids |= set(written)
        if name in ids:
            ids = {name}
        if not ids:
            return _Meant([], self._empty(name)) if stones.forgets_id(name) else None
        if len(ids) > 1:
            names = ", ".join(f"^{id_}" for id_ in sorted(ids)[:_MOST_CANDIDATES])
            raise InvalidInput(f"{len(ids)} ids begin with {name}", f"which one: {names}")
        (id_,) = ids
        opinion = next((op for op in opinions if op.id == id_), None)
        if opinion is not None:
            return _of_opinion(opinion, known)
        seeds = [each for each in known if each.id == id_]
        fact = seeds[0].fact if seeds else facts.parse_bullet(written.get(id_, ""))
        said = self._said(id_, fact)
        return _Meant(seeds, forgetting.target(seeds, known, said, [id_], in_facts=False))

    def _said(self, id_: str, fact: facts.Fact | None) -> list[str]:
        """Return what a fact states, without who said it, and the sentence that it was taken from.

        The sentence is found by the id, which is made from it.
        """
        if fact is None:
            return []
        found = [*forgetting.with_subject(fact), *filter(None, [quotation(fact.content)])]
        origin = self._state.origin(id_)
        if origin is None:
            return found
        for turn in origin.turns:
            for line in turn.text.splitlines():
                made = functools.partial(facts.fact_id, origin.source, origin.session, turn.id)
                told = (line, *sentences.split(line))
                found += [each for each in told if made(each, len(id_)) == id_]
        return found

    @staticmethod
    def _empty(id_: str) -> Target:
        return forgetting.target([], [], (), [id_], in_facts=False)

    def _by_text(self, asked: str, known: Sequence[Standing]) -> "_Meant":
        words = forgotten.words(asked)
        if sum(map(len, words)) < _FEWEST_LETTERS:
            raise InvalidInput(f"text: {asked!r} is too short", "give some words of it")
        seeds = [each for each in known if forgetting.says(each, words)]
        return _Meant(seeds, forgetting.target(seeds, known, [asked]))

    def _left(self, plan: _Plan) -> Iterator[wire_bank.ForgetLeft]:
        own = {outcome.path for outcome in plan.outcomes if not outcome.problem}
        for outcome in plan.outcomes:
            if outcome.nameless and not outcome.problem:
                yield wire_bank.ForgetLeft(why="nameless", path=outcome.path)
        deleted = {each.path for each in plan.outcomes if not each.problem and each.after is None}
        for path in sorted({*self._workspace.scan().files} - deleted):
            if plan.target.spans(forgotten.words(path)):
                yield wire_bank.ForgetLeft(why="name", path=path)
        for copy in self._copies.find(plan.target.stated, plan.target.ids, plan.read):
            if copy.path not in own:
                yield wire_bank.ForgetLeft(why=copy.why, path=copy.path, line=copy.line)

    def _state_knows(self, plan: _Plan) -> bool:
        ids = plan.target.ids
        if any(fact.bullet for fact in self._state.known_facts(ids).values()):
            return True
        return self._state.says(_Judge(plan.target, Tombstones(), self._zone))

    # -- apply ---------------------------------------------------------------------------------

    def _apply(self, plan: _Plan, answer: wire_bank.Forgotten) -> wire_bank.Forgotten:
        self._moment += 1
        try:
            return self._applied(plan, answer)
        finally:
            self._moment += 1

    def _applied(self, plan: _Plan, answer: wire_bank.Forgotten) -> wire_bank.Forgotten:
        added = self._leave_tombstones(plan)
        problems: list[wire_bank.ForgetProblem] = []
        changed = [forgotten.PATH]
        kept: Counter[str] = Counter()
        with _told(problems, _STATE):
            self._take_from_batches(plan)
        for outcomes in _in_steps(plan):
            for outcome in outcomes:
                with _told(problems, outcome.path):
                    changed += self._remove(outcome, plan.target)
            with _told(problems, _STATE):
                kept += self._purge_state(plan)
        with _told(problems, _INDEX):
            self._purge_index(changed)
        logger.info("text.forgotten", documents=len(changed) - 1, problems=len(problems))
        done = {"problems": tuple(problems), "kept": dict(kept), "tombstones": added}
        return answer.model_copy(update={"applied": True, **done})

    def _leave_tombstones(self, plan: _Plan) -> int:
        values = list(dict.fromkeys(self._values(plan)))
        for _ in range(_ATTEMPTS):
            read = self._tombstone_page()
            text = read.text if read else None
            today = self._clock().astimezone(self._zone).date()
            new = forgotten.with_stones(text, values, today, secrets.token_hex(_SALT_BYTES))
            if new == text:
                return 0
            try:
                etag = read.etag if read else ""
                self._workspace.write(forgotten.PATH, new, etag, actor=ACTOR)
            except Conflict:
                continue
            return len(new.splitlines()) - len((text or "").splitlines())
        raise Conflict(f"{forgotten.PATH}: somebody keeps changing it", "try again")

    def _tombstone_page(self) -> Read | None:
        data = self._workspace.raw(forgotten.PATH)
        if data is None:
            return None
        edits.require_text(forgotten.PATH, data)
        text = _text(data)
        if markdown.is_conflicted(text):
            raise Conflict(f"{forgotten.PATH}: has git conflict marks", "resolve the merge first")
        return Read(forgotten.PATH, edits.digest(data), text)

    def _values(self, plan: _Plan) -> Iterator[Value]:
        target = plan.target
        yield from (Value("id", id_) for id_ in sorted(target.ids))
        turns = {
            (fact.source.name, fact.source.session, fact.source.turn)
            for each in plan.all_facts
            if each.id in target.ids and (fact := each.fact).source is not None
        }
        turns |= self._state.cited_turns(target.ids)
        for source, session, turn in sorted(turns):
            if source != DERIVED:
                yield forgotten.turn(source, session, turn)
        for needle in target.needles:
            yield Value("within" if target.in_facts else "note", " ".join(needle))
        texts = {*target.texts, *map(forgotten.joined, forgetting.told(plan.outcomes))}
        yield from (Value("text", text) for text in sorted(filter(None, texts)))

    def _remove(self, outcome: Outcome, target: Target) -> list[str]:
        """Write a document without what goes, made anew if it was changed meanwhile."""
        current: Outcome | None = outcome
        for _ in range(_ATTEMPTS):
            if current is None:
                return []
            if current.problem:
                raise Conflict(
                    f"{current.path}: {current.problem}", "resolve it, then forget again"
                )
            data = None if current.after is None else _bytes(current.after)
            try:
                self._workspace.forget(current.path, current.etag, data, actor=ACTOR)
            except NotFound:
                return []
            except Conflict:
                read = self._read(current.path)
                current = forgetting.outcome(read, target) if read else None
                continue
            return [outcome.path]
        raise Conflict(f"{outcome.path}: somebody keeps changing it", "forget it again")

    def _take_from_batches(self, plan: _Plan) -> None:
        """Say that facts were taken back, before retain misses them and writes them again."""
        by_path: dict[str, list[str]] = {}
        for each in plan.all_facts:
            if each.id in plan.target.ids:
                by_path.setdefault(each.path, []).append(each.id)
        for path, ids in by_path.items():
            self._state.set_undone(ids, path, undone=True)

    def _purge_state(self, plan: _Plan) -> Counter[str]:
        judge = _Judge(plan.target, self._remembered.tombstones(), self._zone)
        with self._workspace.held():  # nobody appends what is being purged
            paths = [each.path for each in plan.outcomes]
            touched = self._state.checked.forget(
                paths, telling.without_grounds, telling.without_digests
            )
            done = self._state.purge(judge)
        done["checked"] += touched
        done["backups"] += len(self._state.drop_backups())
        return done

    def _purge_index(self, changed: Iterable[str]) -> None:
        report = self._index.update(changed)
        for path, reason in report.failed.items():
            logger.warning("document.failed", path=path, reason=reason)
        self._index.purge()


def _in_steps(plan: _Plan) -> list[list[Outcome]]:
    """Return what changes before a purge of the state, and what after it and before another.

    What pages had of facts without a block is known by the logs: they go when it is purged.
    """
    if not plan.target.dated:
        return [[*plan.outcomes]]
    logs = [each for each in plan.outcomes if daylog.day_of(each.path)]
    return [[each for each in plan.outcomes if each not in logs], logs]


@dataclass(frozen=True, slots=True)
class _Meant:
    seeds: list[Standing]
    target: Target

    def outcomes_in(self, reads: Iterable[Read]) -> bool:
        return any(forgetting.outcome(read, self.target) for read in reads)


@dataclass(frozen=True, slots=True)
class _Judge:
    """Judges what the state keeps, by a plan and by all tombstones."""

    target: Target
    stones: Tombstones
    zone: ZoneInfo

    def text(self, text: str) -> str:
        return self._clean(text, None)

    def in_bytes(self, path: str, data: bytes) -> bool:
        decoded = edits.decode(data)
        if decoded is None:
            return False
        text = decoded[0]
        if forgetting.holds(Read(path, "", text), self.target):
            return True
        return self._clean(text, daylog.day_of(path)) != text

    def turn(self, source: str, session: str, turn: Turn) -> Turn:
        left = remembered.turn_left(self.stones, source, session, turn, self.zone)
        text = erasing.remembered(left.text, self.target)
        return left if text is left.text else replace(left, text=text)

    def fact(self, id_: str, bullet: str) -> bool:
        if self.target.forgets_id(id_) or self.stones.forgets_id(id_):
            return True
        return self._clean(bullet, None) != bullet

    def _clean(self, text: str, day: date | None) -> str:
        return erasing.remembered(erasing.remembered(text, self.target), self.stones, day)


def _of_opinion(opinion: pages.Opinion, known: Sequence[Standing]) -> _Meant:
    """Return an opinion with the fact that it was founded on: it says the same."""
    founding = opinion.evidence[0].block if opinion.evidence else None
    seeds = [each for each in known if each.id == founding]
    target = forgetting.target(
        seeds, known, [opinion.statement], [opinion.id or ""], in_facts=False
    )
    texts = target.texts | {forgotten.joined(opinion.statement)}
    return _Meant(seeds, replace(target, texts=texts))


def _opinions(read: Read) -> tuple[pages.Opinion, ...]:
    return pages.opinions(markdown.parse(read.text)) if read.path == pages.OPINIONS else ()


def _name(request: wire_bank.ForgetRequest) -> str:
    """Return what may be an id, without `^`; empty if it is none."""
    given = request.id if request.id is not None else request.text or ""
    match = _ID.fullmatch(given.strip().lower())
    if match is None and request.id is not None:
        raise InvalidInput(f"{given!r} is not the id of a fact", "give at least 4 characters of it")
    return match[1] if match else ""


def _is_known(stones: Tombstones, target: Target) -> bool:
    if any(map(stones.forgets_id, target.ids)):
        return True
    return any(stones.spans(needle, date.min) for needle in target.needles)


def _shown(plan: _Plan, left: Sequence[wire_bank.ForgetLeft]) -> wire_bank.Forgotten:
    places = tuple(
        wire_bank.ForgetPlace(
            path=outcome.path,
            line=place.line,
            line_end=place.line_end,
            text=facts.writable(place.text),
            why=place.why,
            action="delete" if outcome.after is None else place.action,
        )
        for outcome in plan.outcomes
        for place in outcome.places
    )
    problems = tuple(
        wire_bank.ForgetProblem(path=each.path, reason=each.problem, conflict=True)
        for each in plan.outcomes
        if each.problem
    )
    ids = sorted({each.id for each in plan.all_facts} & plan.target.ids)
    return wire_bank.Forgotten(
        applied=False,
        widespread=_is_widespread(plan.target, places),
        facts=tuple(ids),
        places=places,
        left=(*left, *plan.similar),
        problems=problems,
    )


def _similar(
    reads: Sequence[Read],
    known: Sequence[Standing],
    outcomes: Sequence[Outcome],
    meant: _Meant,
) -> Iterator[wire_bank.ForgetLeft]:
    gone = {each.path: each.places for each in outcomes}
    for each in forgetting.similar(known, meant.target, meant.seeds):
        yield wire_bank.ForgetLeft(
            why="similar", path=each.path, line=each.line, id=each.id, text=each.fact.content
        )
    for read in reads:
        for place in forgetting.unnamed(read, meant.seeds, gone.get(read.path, ())):
            yield wire_bank.ForgetLeft(
                why="similar", path=read.path, line=place.line, text=facts.writable(place.text)
            )


def _is_widespread(target: Target, places: Sequence[wire_bank.ForgetPlace]) -> bool:
    """Say whether words that are not telling stand in many places."""
    if not target.in_facts or any(map(forgotten.is_telling, target.needles)):
        return False
    return len(places) > _MOST_PLACES


def _check_reach(request: wire_bank.ForgetRequest, answer: wire_bank.Forgotten) -> None:
    if answer.widespread and not request.every:
        count, documents = len(answer.places), len({place.path for place in answer.places})
        raise InvalidInput(
            f"text: {request.text!r} stands in {count} places of {documents} documents",
            "give more of the text, or say that all of them go: --all",
        )


def _named(request: wire_bank.ForgetRequest, answer: wire_bank.Forgotten) -> wire_bank.Forgotten:
    """Name the plan after what goes and who asked for it; lines are no part of it: they move."""
    places = sorted((each.path, each.text, each.action) for each in answer.places)
    what = [request.text, request.id, request.every, places, answer.facts]
    return answer.model_copy(update={"plan": edits.digest(json.dumps(what).encode(), 12)})


def _check_agreed(request: wire_bank.ForgetRequest, answer: wire_bank.Forgotten) -> None:
    if request.agreed is not None and request.agreed != answer.plan:
        raise Conflict(
            "agreed: is not what would go now; nothing was forgotten",
            "look at the plan of now, and agree to it",
        )


def _nothing(
    request: wire_bank.ForgetRequest, plan: _Plan, left: Sequence[wire_bank.ForgetLeft]
) -> NotFound:
    names = ", ".join(f"^{each.id}" for each in plan.similar if each.id)
    hint = f"similar: {names}" if names else "give words of it as they stand, or an id"
    if plan.known:
        copies = ", ".join(each.path for each in left[:_MOST_CANDIDATES])
        hint = f"not changed, look yourself: {copies}" if copies else hint
        return NotFound("nothing says this any more, it was forgotten before", hint)
    if request.id is not None:
        return NotFound("nothing stands of it any more", hint)
    return NotFound("nothing says this", hint)


@contextlib.contextmanager
def _told(problems: list[wire_bank.ForgetProblem], path: str) -> Iterator[None]:
    """Go on where something fails, and tell it."""
    try:
        yield
    except HippodError as error:
        problems.append(
            wire_bank.ForgetProblem(
                path=path, reason=error.message, conflict=isinstance(error, Conflict)
            )
        )


def _text(data: bytes) -> str:
    """Return bytes as text that `_bytes` gives back, whatever they are."""
    return data.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
