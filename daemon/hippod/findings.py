"""What hygiene finds: documents and facts that are kept twice, and documents to look at again.

Nothing is changed until what is proposed is carried out, one by one.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from hippod import daylog, markdown, pages
from hippod.config import Config
from hippod.documents import FileStat
from hippod.errors import Conflict, HippodError
from hippod.factbook import Factbook
from hippod.reflection import tidiness, twins
from hippod.reflection.known import KnownFact
from hippod.reflection.tidiness import Outline, Repeat, Stale
from hippod.reflection.twins import Sketch, Twin
from hippod.retain import Retainer
from hippod.scope import may_see
from hippod.state import State
from hippod.wire_bank import HygieneItem
from hippod.workspace import Loaded, Workspace

ACTOR = "hygiene"
OPINIONS = "bank/opinions.md"
_READ_AT_ONCE, _PAUSE_SECONDS = 20, 0.002
"""After how many documents, and for how long, others go first."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Something to tidy, and what does it; None: only to be looked at.

    `act` returns the paths that it changed, those to look at again first in front.
    """

    item: HygieneItem
    act: Callable[[], Sequence[str]] | None = None


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is kept of a document while it stays as it is."""

    stat: FileStat
    sketch: Sketch | None
    outline: Outline
    superseded: frozenset[str]


class Findings:
    """Looks through a workspace. One thread at a time.

    `go_on(seconds)` lets others go first, and may raise to end the look.
    """

    def __init__(
        self,
        config: Config,
        workspace: Workspace,
        state: State,
        retainer: Retainer,
        clock: Callable[[], datetime],
        go_on: Callable[[float], None],
        factbook: Factbook,
    ) -> None:
        self._config = config
        self._workspace = workspace
        self._state = state
        self._retainer = retainer
        self._clock = clock
        self._go_on = go_on
        self._facts = factbook
        self._seen: dict[str, _Seen] = {}

    def all(self) -> list[Proposal]:
        """Return what is kept twice, and what is to be looked at."""
        seen = self._survey()
        free = {path: each for path, each in seen.items() if tidiness.is_free(path)}
        links = tidiness.Links({path: each.outline for path, each in seen.items()})
        copies = [self._copy(twin) for twin in self._twins(free, links)]
        dropped = {proposal.item.path for proposal in copies if proposal}
        superseded = frozenset().union(*(each.superseded for each in seen.values()))
        facts = [*self._repeats(superseded)]
        stale = tidiness.stale(
            {path: self._day(each.stat) for path, each in free.items() if path not in dropped},
            {path: each.outline for path, each in free.items()},
            links,
            today=self._today(),
            most_days=self._config.hygiene.max_chunk_age_days,
        )
        return [*filter(None, copies), *facts, *map(_stale, stale)]

    def _survey(self) -> dict[str, _Seen]:
        """Look at every document; what did not change since the last look is not read again."""
        seen: dict[str, _Seen] = {}
        read = 0
        for path in filter(_is_text, sorted(self._workspace.scan().files)):
            known = self._seen.get(path)
            if known is None or known.stat != self._workspace.stat(path):
                known = self._look(path)
                read += 1
                if read % _READ_AT_ONCE == 0:
                    self._go_on(_PAUSE_SECONDS)
            if known is not None:
                seen[path] = known
        self._seen = seen
        return seen

    def _look(self, path: str) -> _Seen | None:
        loaded = self._loaded(path)
        if loaded is None or markdown.is_conflicted(loaded.text):
            return None
        text = loaded.text
        sketch = twins.sketch(text) if tidiness.is_free(path) else None
        return _Seen(loaded.stat, sketch, tidiness.outline(text), frozenset(_superseded(text)))

    def _loaded(self, path: str) -> Loaded | None:
        try:
            return self._workspace.load(path)
        except HippodError:  # what cannot be read now is neither a copy nor old
            return None

    # -- copies ------------------------------------------------------------------------------

    def _twins(self, free: dict[str, _Seen], links: tidiness.Links) -> Iterator[Twin]:
        sketches = {path: each.sketch for path, each in free.items() if each.sketch is not None}

        def worth(path: str) -> tuple[object, ...]:
            stat = free[path].stat
            size = sketches[path].size
            named = tidiness.is_named_copy(path)
            return -links.counts[path], -size, named, -stat.mtime_ns, path

        yield from twins.twins(sorted(sketches, key=worth), sketches, self._text)

    def _text(self, path: str) -> str | None:
        self._go_on(0.0)
        loaded = self._loaded(path)
        return loaded.text if loaded else None

    def _copy(self, twin: Twin) -> Proposal | None:
        keep, drop = self._loaded(twin.keep), self._loaded(twin.drop)
        if keep is None or drop is None:
            return None
        own = twins.own_lines(drop.text, keep.text)
        more = twins.addition(drop.text, keep.text, twin.drop)
        note = drop.note or keep.note
        why = f"{note}: merge them by hand" if note else self._why_not_merged(twin, more)
        item = HygieneItem(
            id=tidiness.item_id("copy", twin.keep, keep.sha256, twin.drop, drop.sha256),
            kind="duplicate_document",
            action="review" if why else "merge" if own else "delete",
            path=twin.drop,
            target=twin.keep,
            alike=twin.alike,
            own_lines=len(own),
            target_own_lines=len(twins.own_lines(keep.text, drop.text)),
            reasons=(why,) if why else (),
        )
        return Proposal(item, None if why else lambda: self._merge(twin, drop))

    def _why_not_merged(self, twin: Twin, more: str | None) -> str:
        open_to_groups = {
            may_see("group", path, self._config.privacy.group_paths)
            for path in (twin.keep, twin.drop)
        }
        if len(open_to_groups) > 1:
            return "groups may see only one of them: merge them by hand"
        return "its own lines need their surroundings: merge it by hand" if more is None else ""

    def _merge(self, twin: Twin, planned: Loaded) -> tuple[str, ...]:
        """Bring what one document holds alone to its twin, then delete it."""
        keep, drop = self._workspace.read(twin.keep), self._workspace.read(twin.drop)
        if not planned.sha256.startswith(drop.etag):
            raise Conflict(f"{twin.drop}: it changed since it was looked at", "look again")
        more = twins.addition(drop.text, keep.text, twin.drop)
        if more is None:
            raise Conflict(f"{twin.drop}: has lines that must be merged by hand")
        if more:
            text = _in_style(f"\n{more}", keep.text)
            self._workspace.append(twin.keep, text, keep.etag, actor=ACTOR)
        self._workspace.delete(twin.drop, drop.etag, actor=ACTOR)
        return twin.keep, twin.drop

    # -- repeated facts ----------------------------------------------------------------------

    def _repeats(self, superseded: frozenset[str]) -> Iterator[Proposal]:
        found = tidiness.repeats(self._facts.read().evidence, superseded)
        resting = self._text(OPINIONS) or "" if found else ""
        for repeat in found:
            yield self._repeat(repeat, resting)

    def _repeat(self, repeat: Repeat, resting: str) -> Proposal:
        first, again = repeat.first, repeat.again
        lines = self._lines(again)
        why = _why_by_hand(again, lines, resting)
        text = lines[0] if lines else ""
        item = HygieneItem(
            id=tidiness.item_id("fact", first.id, again.id, first.fact.content, text),
            kind="duplicate_fact",
            action="review" if why else "remove_line",
            path=again.path,
            line=again.line,
            fact=again.id,
            target=first.path,
            target_line=first.line,
            target_fact=first.id,
            text=again.fact.content,
            reasons=(why,) if why else (),
        )
        return Proposal(item, None if why else lambda: self._remove(again, text))

    def _lines(self, fact: KnownFact) -> list[str]:
        """Return the lines of a fact and the one behind them."""
        lines = markdown.split_lines(self._text(fact.path) or "")
        return list(lines[fact.line - 1 : fact.line_end + 1])

    def _remove(self, fact: KnownFact, line: str) -> tuple[str, ...]:
        """Take a fact's line out of its log, so that retain does not write it again."""
        document = self._workspace.read(fact.path)
        if self._retainer.is_writing(fact.path):
            raise Conflict(f"{fact.path}: facts are being written to it", "try again in a while")
        marked = self._state.set_undone([fact.id], fact.path, undone=True)
        try:
            whole = _with_its_end(line, document.text)
            self._workspace.replace(fact.path, whole, "", document.etag, actor=ACTOR)
        except HippodError:
            self._state.set_undone(marked, fact.path, undone=False)
            raise
        return (fact.path,)

    def _today(self) -> date:
        return self._clock().astimezone(self._config.zone).date()

    def _day(self, stat: FileStat) -> date:
        now = self._clock()
        seconds = min(max(0.0, stat.mtime_ns / 1e9), now.timestamp())  # a clock may have been wrong
        return datetime.fromtimestamp(seconds, UTC).astimezone(self._config.zone).date()


def _stale(found: Stale) -> Proposal:
    item = HygieneItem(
        id=tidiness.item_id("stale", found.path),
        kind="stale_document",
        action="review",
        path=found.path,
        age_days=found.age,
        reasons=found.reasons,
    )
    return Proposal(item)


def _superseded(text: str) -> Iterator[str]:
    """Yield the ids of the facts that a document says are replaced."""
    if pages.may_supersede(text):
        for mark in pages.supersessions(markdown.parse(text)):
            yield mark.old


def _why_by_hand(fact: KnownFact, lines: Sequence[str], resting: str) -> str:
    """Say why a fact's line is not ours to remove; empty if it is."""
    if not fact.has_block:
        return "a person wrote it"
    if fact.line != fact.line_end or not lines or not daylog.ends_in_id(lines[0]):
        return "it stands on several lines"
    if lines[1:] and lines[1].strip() and lines[1][:1].isspace():
        return "something is written below it"
    return f"{OPINIONS} rests on it" if f"^{fact.id}" in resting else ""


def _is_text(path: str) -> bool:
    """Leave out names that are not UTF-8: they are no documents, and no answer can hold them."""
    return not any("\ud800" <= character <= "\udfff" for character in path)


def _with_its_end(line: str, text: str) -> str:
    """Return a line of `text` with what ends it; the last one, without an end, with that before."""
    ends = ("\r\n", "\n", "\r")
    found = [whole for end in ends for whole in (f"{line}{end}", f"{end}{line}") if whole in text]
    return next((whole for whole in found if whole.startswith(line)), (*found, line)[0])


def _in_style(text: str, like: str) -> str:
    return text.replace("\n", "\r\n") if "\r\n" in like else text
