"""Where facts come from, what hippod wrote, and taking it back: `why`, `log` and `undo`."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from hippod import (
    daylog,
    diffs,
    edits,
    facts,
    logsource,
    markdown,
    opinion_view,
    pages,
    reversal,
    wire,
)
from hippod.config import DERIVED_SOURCE, LOG_SOURCE
from hippod.errors import (
    Conflict,
    HippodError,
    IndexUnavailable,
    InvalidInput,
    NotFound,
    PathRefused,
    TooLarge,
)
from hippod.index import Index, Named
from hippod.journal import JournalEntry
from hippod.reflection.known import Repeated, repeated
from hippod.retain import API
from hippod.state import BatchFact, Origin, State
from hippod.transcripts import Turn
from hippod.workspace import Reversal, Workspace

_NAME = re.compile(r"[0-9a-z]+")
"""As ids of opinions may be that people wrote: with letters that those of facts do not have."""
_MOST_CANDIDATES = 8
_WHOLE = ("write", "replace", "insert", "create", "delete")
"""Operations that are taken back as a whole: the document becomes what it was before."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A bullet, or other unit, as it stands now."""

    path: str
    line: int
    line_end: int
    text: str


class Provenance:
    """The memory of what was written and why. Thread-safe; times are shown in `zone`."""

    def __init__(self, workspace: Workspace, state: State, index: Index, zone: ZoneInfo) -> None:
        self._workspace = workspace
        self._state = state
        self._index = index
        self._zone = zone

    # -- why ---------------------------------------------------------------------------------

    def why(self, name: str) -> wire.Why:
        """Trace a fact, named by its id or a beginning of it, or a unit by the id of its hit.

        Raises `NotFound`, and `InvalidInput` if several facts begin so, naming them.
        """
        wanted = _checked_name(name)
        rows = self._named(wanted)
        believed = self._opinions_like(wanted)
        written = {fact.id: fact for fact in self._state.facts_like(wanted)}
        unit = next((row for row in rows if row.unit_id == wanted), None)
        if unit is not None and unit.fact_id is None:
            return self._other_text(unit)
        id_ = unit.fact_id if unit and unit.fact_id else self._only(wanted, rows, written, believed)
        if id_ in believed:
            return self._believed(believed[id_])
        return self._trace(id_, [row for row in rows if row.fact_id == id_], written.get(id_))

    def _named(self, name: str) -> list[Named]:
        try:
            with self._index.view() as view:
                return view.named(name)
        except IndexUnavailable:
            return []  # the state still knows what hippod wrote

    def _only(
        self,
        name: str,
        rows: Iterable[Named],
        written: dict[str, BatchFact],
        believed: dict[str, pages.Opinion],
    ) -> str:
        """Return the one id that begins so; a whole id goes before longer ones."""
        found = {row.fact_id: f"{row.path}#L{row.line_start}" for row in rows if row.fact_id}
        found |= {id_: f"{pages.OPINIONS}#L{each.lines[0]}" for id_, each in believed.items()}
        found = {**{id_: fact.path or "not written" for id_, fact in written.items()}, **found}
        if name in found or len(found) == 1:
            return name if name in found else next(iter(found))
        if not found:
            raise NotFound(
                f"no fact or opinion ^{name}",
                "ids end the bullets of daily logs; a beginning is enough",
            )
        listed = [f"^{id_} ({place})" for id_, place in sorted(found.items())]
        left = len(listed) - _MOST_CANDIDATES
        more = f" and {left} more" if left > 0 else ""
        raise InvalidInput(
            f"^{name} begins {len(listed)} facts: {', '.join(listed[:_MOST_CANDIDATES])}{more}",
            "give more of the id",
        )

    def _trace(self, id_: str, rows: list[Named], written: BatchFact | None) -> wire.Why:
        place = next(self._places(id_, rows, written), None)
        bullet = facts.parse_bullet(place.text) if place else None
        origin = self._state.origin(id_)
        source = bullet.source if bullet else None
        if written is not None and not written.bullet:
            if place is None:
                raise NotFound(f"^{id_} was forgotten", "nothing is kept of it")
            written = None
        if written is None and place is None:
            raise NotFound(f"no fact ^{id_} any more", "the index will notice in a moment")
        return wire.Why(
            id=id_,
            standing=_standing(place, written),
            origin=_stated_by(bullet, origin),
            **_where(place),
            written=written.bullet if written else None,
            written_to=(written.path or None) if written else None,
            written_at=self._local(origin.written) if origin else None,
            made_by=(origin.fact.made_by or None) if origin else None,
            said=self._said(origin) if origin else _cited(source),
            derived_from=tuple(self._premises(bullet)) if bullet else (),
        )

    def _premises(self, bullet: facts.Fact) -> Iterator[wire.Premise]:
        """Yield the facts that a derived one says again."""
        for each in repeated(bullet.content) if _is_derived(bullet) else ():
            if not each.block:
                yield self._written_premise(each)
                continue
            place = self._place_of(each.block)
            found = {"source": place.source, "content": place.content} if place else {}
            yield wire.Premise(fact=each.block, **found)

    def _written_premise(self, said: Repeated) -> wire.Premise:
        """Return what a person wrote: it has no id to be found by, but a day and its words."""
        day = daylog.day_of(f"memory/{said.day}.md")
        id_ = facts.content_id(day, said.content)
        place = self._place_of(id_)
        if place:
            return wire.Premise(fact=id_, source=place.source, content=place.content)
        files = self._workspace.scan().files if day else ()
        log = next((path for path in sorted(files) if daylog.day_of(path) == day), None)
        return wire.Premise(fact="", source=log, content=said.content)

    def _other_text(self, unit: Named) -> wire.Why:
        place = _Place(unit.path, unit.line_start, unit.line_end, unit.content)
        return wire.Why(id=unit.unit_id, standing="stands", origin="document", **_where(place))

    # -- what is believed --------------------------------------------------------------------

    def _opinions_like(self, name: str) -> dict[str, pages.Opinion]:
        """Return the opinions whose id begins so, as the ledger stands now."""
        loaded = self._workspace.load(pages.OPINIONS)
        found = pages.opinions(markdown.parse(loaded.text)) if loaded else ()
        return {each.id: each for each in found if each.id and each.id.startswith(name)}

    def _believed(self, opinion: pages.Opinion) -> wire.Why:
        detail = opinion_view.detail(opinion, self._place_of)
        lines = opinion.lines[0], opinion.lines[-1]
        place = _Place(pages.OPINIONS, *lines, f"## {opinion.statement}")
        standing: wire.Standing = "edited" if detail.edited else "stands"
        return wire.Why(
            id=str(opinion.id), standing=standing, origin="opinion", opinion=detail, **_where(place)
        )

    def _place_of(self, id_: str) -> opinion_view.Place | None:
        """Return where a fact that is cited stands: in a daily log, not where a page repeats it."""
        rows = [row for row in self._named(id_) if row.fact_id == id_ and daylog.day_of(row.path)]
        if not rows:
            return None
        return opinion_view.Place(f"{rows[0].path}#L{rows[0].line_start}", rows[0].content)

    # -- where a fact stands now -------------------------------------------------------------

    def _places(
        self, id_: str, rows: Iterable[Named], written: BatchFact | None
    ) -> Iterator[_Place]:
        """Look where the fact was last seen, then where its log may be, then everywhere."""
        contents = {row.content for row in rows}
        for path in dict.fromkeys(row.path for row in rows):
            yield from self._places_in(path, id_, contents)
        if written is not None:
            logs = [written.path, *self._workspace.same_day(written.path)] if written.path else []
            for path in (*logs, *self._workspace.scan().files):
                yield from self._places_in(path, id_)

    def _places_in(self, path: str, id_: str, contents: Collection[str] = ()) -> Iterator[_Place]:
        """Find the fact in a document; one without an id of its own by its content."""
        loaded = self._workspace.load(path)
        if loaded is None or not (contents or f"^{id_}" in loaded.text):
            return
        lines = markdown.split_lines(loaded.text)
        for placed in daylog.parse(loaded.text).facts:
            fact = placed.fact
            if fact.id == id_ or (fact.id is None and fact.content in contents):
                span = lines[placed.line_start - 1 : placed.line_end]
                yield _Place(path, placed.line_start, placed.line_end, "\n".join(span))
        for number, line in enumerate(lines, start=1):  # no fact any more, but it has the id
            if line.rstrip().endswith(f" ^{id_}"):
                yield _Place(path, number, number, line)

    # -- what was said -----------------------------------------------------------------------

    def _said(self, origin: Origin) -> wire.Said:
        line, transcript = self._where_said(origin)
        is_file = origin.source != API
        return wire.Said(
            source=origin.source,
            session=origin.session,
            turns=tuple(sorted(origin.fact.cited)),
            path=str(self._workspace.root / origin.path) if is_file else None,
            line=line,
            transcript=transcript,
            quotes=tuple(self._quote(origin, turn) for turn in origin.turns),
        )

    def _where_said(self, origin: Origin) -> tuple[int | None, wire.TranscriptState | None]:
        """Return the line of what is cited, in a daily log as of now, and what became of it."""
        if origin.source == API:
            return None, None
        cited = origin.fact.cited
        line = min((turn.line for turn in origin.turns if turn.id in cited), default=None)
        if origin.source != LOG_SOURCE:
            return line, self._transcript(origin)
        path = Path(origin.path).relative_to(self._workspace.root)
        loaded = self._workspace.load(path.as_posix())
        if loaded is None:
            return line, "gone"
        found = [logsource.line_of(origin.session, name, loaded.text) for name in cited]
        now = min(filter(None, found), default=None)
        return (line, "changed") if now is None else (now, "there")

    def _transcript(self, origin: Origin) -> wire.TranscriptState:
        try:
            info = (self._workspace.root / origin.path).stat()
        except OSError:
            return "gone"
        cursor = origin.cursor or self._state.get_cursor(origin.source, origin.path)
        if cursor is None or cursor.files:  # a database: its rows do not move
            return "there"
        same = info.st_ino == cursor.inode and info.st_size >= cursor.offset
        return "there" if same else "changed"

    def _quote(self, origin: Origin, turn: Turn) -> wire.Quote:
        time = self._local(turn.time) if turn.time else None
        return wire.Quote(
            turn=turn.id,
            role="note" if origin.source == LOG_SOURCE else turn.role,
            speaker=turn.speaker,
            time=time[: len("2026-03-03")] if time and turn.day_only else time,
            text=turn.text,
            line=turn.line,
            cited=turn.id in origin.fact.cited,
        )

    def _local(self, moment: datetime) -> str:
        return moment.astimezone(self._zone).isoformat(timespec="seconds")

    # -- log ---------------------------------------------------------------------------------

    def log(self, request: wire.LogRequest) -> wire.Log:
        """List what hippod wrote, the newest first."""
        entries = self._state.recent(request.limit, path=request.path)
        return wire.Log(entries=tuple(wire.Logged(**self._fields(each)) for each in entries))

    def entry(self, number: int) -> wire.LoggedChange:
        """Return one change with its diff; raises `NotFound`."""
        entry = self._state.entry(number)
        change = entry.change
        if change.operation == "rename":
            diff = diffs.renamed(change.path, change.target or "")
            return wire.LoggedChange(**self._fields(entry), diff=diff)
        before, after, note = self._images(entry)
        diff = diffs.unified(change.path, before, after)
        return wire.LoggedChange(**self._fields(entry), diff=diff, note=note)

    def _fields(self, entry: JournalEntry) -> dict[str, Any]:
        change = entry.change
        size = len(change.before or b"") if change.length is None else change.length
        return {
            "id": entry.id,
            "time": self._local(entry.time),
            "operation": change.operation,
            "path": change.path,
            "target": change.target,
            "actor": change.actor,
            "finished": entry.status == "committed",
            "bytes": size,
            "preview": change.preview,
            "undoes": change.undoes,
            "undone_by": entry.undone_by,
        }

    def _images(self, entry: JournalEntry) -> tuple[bytes | None, bytes | None, str]:
        """Return what stood there before and after a change, as far as it is kept, and a note."""
        change = entry.change
        if change.operation in reversal.FINAL:
            return None, None, reversal.FINAL[change.operation]
        if change.operation == "append":
            for data in self._versions(entry):
                for place in reversal.places_of(change, data or b""):
                    before, _, behind = edits.cut(data or b"", place, change.length or 0)
                    return before + behind, data, ""
            return None, None, "what it appended was edited since, and is not kept"
        if change.digest is None and change.operation == "delete":
            return change.before, None, ""
        for data in self._versions(entry):
            written = (data or b"")[: change.length]  # others may have appended behind it
            if data is not None and edits.digest(written) == change.digest:
                return change.before, written, ""
        current = self._current(change.path)
        return change.before, current, "edited since: compared with what stands there now"

    def _versions(self, entry: JournalEntry) -> Iterator[bytes | None]:
        """Yield what stands in the document now, and what stood there since the entry."""
        later = self._state.entries_since(entry.id, entry.change.path)
        kept = [(n, each.change.before) for n, each in enumerate(later) if _is_whole(each)]
        for number, data in [(len(later), self._current(entry.change.path)), *kept]:
            yield data
            yield from _without_appends(data, later[:number])
        for path in self._workspace.same_day(entry.change.path):
            yield self._current(path)

    def _current(self, path: str) -> bytes | None:
        try:
            return self._workspace.raw(path)
        except (PathRefused, TooLarge):
            return None

    # -- undo --------------------------------------------------------------------------------

    def undo(self, number: int, *, dry_run: bool, actor: str) -> wire.Undone:
        """Take a change back, or say what that would do.

        Facts that go with it are never written again. Raises `NotFound`, and `Conflict` unless
        `dry_run`, if what it wrote was edited since.
        """
        entry = self._state.entry(number)
        try:
            _check_undoable(entry)
            done = self._take_back(entry, dry_run=dry_run, actor=actor)
        except Conflict as conflict:
            if dry_run:
                return self._refused(entry, conflict)
            raise Conflict(f"{conflict.message}{self._by_whom(entry)}", conflict.hint) from None
        return wire.Undone(
            id=number,
            path=done.path,
            applied=not dry_run,
            entry=None if dry_run else self._state.entry(number).undone_by,
            diff=diffs.renamed(done.moved_from, done.path)
            if done.moved_from
            else diffs.unified(done.path, done.before, done.after),
            moved_from=done.moved_from,
        )

    def _take_back(self, entry: JournalEntry, *, dry_run: bool, actor: str) -> Reversal:
        marked: list[tuple[list[str], bool]] = []

        def mark(plan: Reversal) -> None:
            """Say so before it happens: retain must not write again what is about to go."""
            before, after = (edits.block_ids(data or b"") for data in (plan.before, plan.after))
            for ids, undone in ((before - after, True), (after - before, False)):
                known = self._state.set_undone(ids, entry.change.path, undone=undone)
                marked.append((known, undone))

        try:
            return self._workspace.undo(entry, mark, actor=actor, dry_run=dry_run)
        except HippodError:
            for ids, undone in marked:
                self._state.set_undone(ids, entry.change.path, undone=not undone)
            raise

    def _refused(self, entry: JournalEntry, conflict: Conflict) -> wire.Undone:
        """Describe a conflict: what was edited since, and what the undo would overwrite."""
        change = entry.change
        bare = (*reversal.FINAL, "rename")
        if entry.undone_by or entry.status == "begun" or change.operation in bare:
            return wire.Undone(
                id=entry.id, path=change.path, applied=False, conflict=conflict.message
            )
        now = self._current(change.path)
        _, after, note = self._images(entry)
        restores = change.operation in _WHOLE
        return wire.Undone(
            id=entry.id,
            path=change.path,
            applied=False,
            conflict=conflict.message,
            diff=diffs.unified(change.path, now, change.before) if restores else "",
            since="" if note else diffs.unified(change.path, after, now),
        )

    def _by_whom(self, entry: JournalEntry) -> str:
        """Say which entries changed the document since, if that explains it."""
        change = entry.change
        if entry.undone_by or change.operation not in _WHOLE:
            return ""
        later = [e for e in self._state.entries_since(entry.id, change.path)
                 if e.change.operation in (*_WHOLE, "append", "rename")
                 and e.undone_by is None and e.change.undoes is None]  # fmt: skip
        numbers = ", ".join(str(each.id) for each in later[-_MOST_CANDIDATES:])
        return f", also by {numbers}: take those back first" if numbers else ", not by hippod"


def _check_undoable(entry: JournalEntry) -> None:
    if entry.undone_by is not None:
        raise Conflict(
            f"entry {entry.id} was taken back by entry {entry.undone_by}",
            f"bring it back with: hippod undo {entry.undone_by}",
        )
    if entry.status == "begun":
        raise Conflict(
            f"entry {entry.id} broke off", "at its next start hippod finds out what became of it"
        )


def _is_whole(entry: JournalEntry) -> bool:
    return entry.change.operation != "append" and entry.change.before is not None


def _without_appends(data: bytes | None, entries: Sequence[JournalEntry]) -> Iterator[bytes]:
    """Yield earlier and earlier versions of a document, as far as it was only appended to."""
    for entry in reversed(entries):
        change = entry.change
        places = reversal.places_of(change, data or b"") if change.operation == "append" else []
        if data is None or len(places) != 1:
            return
        before, _, behind = edits.cut(data, places[0], change.length or 0)
        data = before + behind
        yield data


def _checked_name(text: str) -> str:
    name = text.strip().removeprefix("^").lower()
    if len(name) < facts.SHORTEST_ID or not _NAME.fullmatch(name):
        raise InvalidInput(
            f"{text!r} is not the id of a fact",
            f"give {facts.SHORTEST_ID} or more of the letters and digits that stand behind ^",
        )
    return name


def _standing(place: _Place | None, written: BatchFact | None) -> wire.Standing:
    if place is None:
        return "undone" if written and written.undone else "deleted"
    if written is None or place.text.strip() == written.bullet:
        return "stands"
    same = facts.parse_bullet(place.text) == facts.parse_bullet(written.bullet)
    return "stands" if same else "edited"


def _is_derived(bullet: facts.Fact) -> bool:
    return bullet.source is not None and bullet.source.name == DERIVED_SOURCE


def _stated_by(bullet: facts.Fact | None, origin: Origin | None) -> wire.Stated:
    if bullet and _is_derived(bullet):
        return "derived"
    source = origin.source if origin else bullet.source.name if bullet and bullet.source else None
    if source is not None:
        return "client" if source == API else "transcript"
    return "client" if bullet and bullet.id else "person"


def _where(place: _Place | None) -> dict[str, Any]:
    if place is None:
        return {}
    return {
        "path": place.path,
        "line": place.line,
        "line_end": place.line_end,
        "source": f"{place.path}#L{place.line}",
        "bullet": place.text,
    }


def _cited(source: facts.Source | None) -> wire.Said | None:
    """What the bullet itself says of its source: all that is left when the state was lost."""
    if source is None or source.name == DERIVED_SOURCE:
        return None
    return wire.Said(source=source.name, session=source.session, turns=(source.turn,))
