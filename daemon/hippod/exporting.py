"""Facts, opinions and entities as JSON lines.

Opinions go first: whoever reflects while an export is being imported then sees which facts are
evidence already.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, datetime, tzinfo

from hippod import __version__, chunks, daylog, facts, markdown, pages, query, remembered
from hippod.daylog import PlacedFact
from hippod.errors import HippodError
from hippod.facts import Fact
from hippod.reflection import ledger_text
from hippod.reflection.entities import read_page
from hippod.remembered import Remembered
from hippod.state import Origin, State
from hippod.wire_exchange import (
    FORMAT,
    Begin,
    End,
    EntityRecord,
    EvidenceRecord,
    ExportRequest,
    FactRecord,
    LeftOutRecord,
    OpinionRecord,
    QuoteRecord,
    SourceRecord,
)
from hippod.workspace import Loaded, Workspace

Record = FactRecord | OpinionRecord | EntityRecord


class Exporter:
    """Reads a workspace for others; what is forgotten is not in it. Thread-safe."""

    def __init__(
        self, workspace: Workspace, state: State, clock: Callable[[], datetime], zone: tzinfo
    ) -> None:
        self._workspace = workspace
        self._remembered = Remembered(workspace)
        self._state = state
        self._clock = clock
        self._zone = zone

    def export(self, request: ExportRequest) -> Iterator[bytes]:
        """Return the lines, each with its end; they are read from the documents as they go.

        Raises `InvalidInput` at once for a `since` that is no date or age.
        """
        now = self._clock().astimezone(self._zone)
        since = query.first_day("since", request.since, now) if request.since is not None else None
        return self._lines(request, since, now)

    def _lines(self, request: ExportRequest, since: date | None, now: datetime) -> Iterator[bytes]:
        made = now.isoformat(timespec="seconds")
        yield _line(
            Begin.model_construct(
                type="hippod-export", format=FORMAT, version=__version__, made=made
            )
        )
        counts: Counter[str] = Counter()
        left_out: list[LeftOutRecord] = []
        parts = {"opinion": self._opinions, "entity": self._entities, "fact": self._facts}
        for name in request.types or parts:
            for record in parts[name](since, left_out):
                counts[name] += 1
                yield _line(record)
        yield _line(
            End.model_construct(
                type="end",
                facts=counts["fact"],
                opinions=counts["opinion"],
                entities=counts["entity"],
                left_out=tuple(left_out),
            )
        )

    def _load(self, path: str, left_out: list[LeftOutRecord]) -> Loaded | None:
        """Return a document that says what its bytes say, None and a note for another."""
        try:
            loaded = self._remembered.load(path)
        except HippodError as error:
            left_out.append(LeftOutRecord.model_construct(path=path, reason=error.message))
            return None
        if loaded is not None and loaded.note:
            left_out.append(LeftOutRecord.model_construct(path=path, reason=loaded.note))
            return None
        return loaded

    # -- facts -------------------------------------------------------------------------------

    def _facts(self, since: date | None, left_out: list[LeftOutRecord]) -> Iterator[Record]:
        seen: set[tuple[str, str]] = set()
        ids: set[str] = set()
        for day, path in self._logs(since):
            loaded = self._load(path, left_out)
            if loaded is None:
                continue
            document = markdown.parse(loaded.text)
            private = chunks.private_lines(document.lines)
            for placed in daylog.retained(document):
                said = _said(day, placed.fact)
                if said in seen:
                    continue
                seen.add(said)
                lines = range(placed.line_start, placed.line_end + 1)
                yield self._fact(
                    day,
                    _without_id_of(ids, placed),
                    is_private=not private.isdisjoint(lines),
                )

    def _logs(self, since: date | None) -> list[tuple[date, str]]:
        """Return the daily logs by day, archived ones last: a copy there does not count."""
        days = ((daylog.day_of(path), path) for path in self._workspace.scan().files)
        logs = [(day, path) for day, path in days if day and (since is None or day >= since)]
        return sorted(logs, key=lambda log: (log[0], log[1].startswith("archive/"), log[1]))

    def _fact(self, day: date, placed: PlacedFact, *, is_private: bool) -> FactRecord:
        fact, source = placed.fact, placed.fact.source
        origin = self._state.origin(fact.id) if fact.id else None
        return FactRecord.model_construct(
            type="fact",
            id=fact.id,
            day=day.isoformat(),
            kind=facts.KIND_NAMES[fact.kind],
            entities=fact.entities,
            confidence=fact.confidence,
            content=fact.content,
            source=SourceRecord.model_construct(
                name=source.name, session=source.session, turn=source.turn, time=source.time
            )
            if source
            else None,
            private=is_private,
            made_by=origin.fact.made_by if origin else "",
            quotes=tuple(self._quotes(origin)) if origin else (),
        )

    def _quotes(self, origin: Origin) -> Iterator[QuoteRecord]:
        stones = self._remembered.tombstones()
        for each in origin.turns:
            turn = remembered.turn_left(stones, origin.source, origin.session, each, self._zone)
            time = turn.time.astimezone(self._zone) if turn.time else None
            yield QuoteRecord.model_construct(
                turn=turn.id,
                role=turn.role,
                speaker=facts.writable(turn.speaker) if turn.speaker else None,
                time=time.isoformat(timespec="seconds") if time else None,
                text=facts.writable(turn.text),
                cited=turn.id in origin.fact.cited,
            )

    # -- the bank ----------------------------------------------------------------------------

    def _opinions(self, since: date | None, left_out: list[LeftOutRecord]) -> Iterator[Record]:
        loaded = self._load(pages.OPINIONS, left_out)
        for opinion in pages.opinions(markdown.parse(loaded.text)) if loaded else ():
            if _is_recent(opinion.updated, since):
                yield _opinion(opinion)

    def _entities(self, since: date | None, left_out: list[LeftOutRecord]) -> Iterator[Record]:
        for path in sorted(filter(pages.is_entity_page, self._workspace.scan().files)):
            loaded = self._load(path, left_out)
            page = read_page(path, loaded.text) if loaded else None
            if page is None or loaded is None:
                continue
            read = pages.entity_page(path, markdown.parse(loaded.text))
            updated = read.updated if read else None
            if _is_recent(updated, since):
                yield EntityRecord.model_construct(
                    type="entity",
                    name=page.entity,
                    aliases=page.aliases,
                    others=page.others,
                    updated=updated.isoformat() if updated else None,
                )


def _said(day: date, fact: Fact) -> tuple[str, str]:
    """Return what a fact that is there once more, such as in an archived copy, shares with it."""
    if fact.id:
        return fact.id, facts.normalise(fact.content)
    return str(day), facts.render(fact)


def _without_id_of(ids: set[str], placed: PlacedFact) -> PlacedFact:
    """Note the id of a fact; another fact has it before if a person copied the line."""
    id_ = placed.fact.id
    if id_ in ids:
        return replace(placed, fact=replace(placed.fact, id=None))
    if id_:
        ids.add(id_)
    return placed


def _is_recent(updated: date | None, since: date | None) -> bool:
    """Say whether to export a page: one without a day may well be recent."""
    return since is None or updated is None or updated >= since


def _opinion(opinion: pages.Opinion) -> OpinionRecord:
    return OpinionRecord.model_construct(
        type="opinion",
        id=opinion.id,
        statement=opinion.statement,
        prior=opinion.prior,
        confidence=opinion.confidence,
        entities=opinion.entities,
        updated=opinion.updated.isoformat() if opinion.updated else None,
        contested=opinion.contested,
        evidence=tuple(_evidence(opinion)),
    )


def _evidence(opinion: pages.Opinion) -> Iterator[EvidenceRecord]:
    for item in ledger_text.items(opinion):
        target = item.cited.removesuffix(f' "{item.quote}"') if item.quote else item.cited
        yield EvidenceRecord.model_construct(
            stance=item.name, target=target, quote=item.quote, weight=item.weight
        )


def _line(record: Begin | Record | End) -> bytes:
    return record.model_dump_json(exclude_defaults=True).encode() + b"\n"
