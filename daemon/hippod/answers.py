"""What is handed over of the hits of a recall: as their documents stand now, within a budget.

Citations are compared with the files at the moment of the answer, so that they point right after
an edit that the index has not seen; a hit whose text stands nowhere any more is left out.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from hippod import edits, facts, packing, passages, quoting, redact, wire
from hippod.documents import FileStat
from hippod.errors import HippodError
from hippod.index import Known
from hippod.lint import reads_like_instructions
from hippod.models import TokenCounter
from hippod.packing import Count, Packed
from hippod.passages import Page, Sought, Stand
from hippod.workspace import Loaded

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


class Documents(Protocol):
    """The documents as they are now; `Workspace` in life."""

    def stat(self, path: str) -> FileStat | None:
        """Look at a file without opening it; None if there is none."""
        ...

    def load(self, path: str) -> Loaded | None:
        """Read a document; None if it is gone or none."""
        ...


class Versions(Protocol):
    """The documents as they were indexed; `Index` in life."""

    def known(self, paths: Iterable[str]) -> Mapping[str, Known]:
        """Return what is known of these documents, of as many as can be told."""
        ...


@dataclass(frozen=True, slots=True)
class _Cited:
    """A hit with where its text stands; `window` is that with its context, once it was read."""

    hit: wire.Hit
    stand: Stand | None = None
    window: passages.Span | None = None


def complete(
    answer: wire.RecallAnswer,
    request: wire.RecallRequest,
    documents: Documents,
    versions: Versions,
    counter: TokenCounter | None,
) -> wire.RecallAnswer:
    """Bring what recall found to what is handed over: hits, text, budget and freshness."""
    reading = _Reading(documents, private=request.scope != "group")
    cited, gone = _as_they_stand(answer.hits, reading, versions)
    if request.context_lines:
        cited = _with_context(cited, reading, request.context_lines)
    fresh = answer.freshness.model_copy(update={"gone": gone, "unchecked": reading.refused})
    fresh = fresh.model_copy(update={"text": sentence(fresh, answer.legs)})
    answer = answer.model_copy(update={"hits": tuple(c.hit for c in cited), "freshness": fresh})
    if request.format == "agent":
        return _for_agent(answer, cited, request.budget_tokens, counter)
    if request.budget_tokens is not None:
        return _within(answer, _bare(answer.hits), "\n".join, request.budget_tokens, counter)
    return answer


# -- citations -------------------------------------------------------------------------------


class _Reading:
    """The documents that one answer reads, each once; without `private` their spans are cut."""

    def __init__(self, documents: Documents, *, private: bool) -> None:
        self._documents = documents
        self._private = private
        self._pages: dict[str, Page | None] = {}
        self._etags: dict[str, str] = {}
        self.refused = 0
        """Hits whose documents could not be looked at."""

    def is_as_indexed(self, hit: wire.Hit, known: Known | None) -> bool:
        """Say by one look whether the file is still the version that the hit was found in."""
        if known is None or known.sha256[: len(hit.etag) or None] != hit.etag:
            return False
        now = self._documents.stat(hit.path)
        return now is not None and (now.size, now.mtime_ns, now.inode) == (
            known.size,
            known.mtime_ns,
            known.inode,
        )

    def page(self, path: str) -> Page | None:
        """Read a document; None if it is gone. Raises `HippodError` if nobody can tell."""
        if path not in self._pages:
            loaded = self._documents.load(path)
            self._pages[path] = Page(self._visible(loaded.text)) if loaded else None
            self._etags[path] = loaded.sha256[: edits.ETAG] if loaded else ""
        return self._pages[path]

    def etag(self, path: str) -> str:
        """Return the version of a document that was read."""
        return self._etags[path]

    def _visible(self, text: str) -> str:
        return text if self._private else redact.blank(text)


def _as_they_stand(
    hits: Sequence[wire.Hit], reading: _Reading, versions: Versions
) -> tuple[list[_Cited], int]:
    """Let every hit cite its document as it is now; count those whose text is gone."""
    known = versions.known({hit.path for hit in hits}) if hits else {}
    found: list[_Cited] = []
    for hit in hits:
        if reading.is_as_indexed(hit, known.get(hit.path)):
            found.append(_Cited(hit))
            continue
        try:
            now = _found_again(hit, reading)
        except HippodError:  # not to be read at the moment is not gone
            reading.refused += 1
            now = _Cited(hit)
        if now is not None:
            found.append(now)
    return found, len(hits) - len(found)


def _found_again(hit: wire.Hit, reading: _Reading) -> _Cited | None:
    page = reading.page(hit.path)
    stand = page.find(_sought(hit)) if page else None
    if stand is None:
        return None
    lines = {"line_start": stand.first, "line_end": stand.last}
    moved = {**lines, "source": f"{hit.path}#L{stand.first}", "etag": reading.etag(hit.path)}
    return _Cited(hit.model_copy(update=moved), stand)


def _sought(hit: wire.Hit) -> Sought:
    return Sought(hit.content, hit.line_start, hit.line_end, is_fact=hit.kind != "document")


# -- context ---------------------------------------------------------------------------------


def _with_context(cited: Sequence[_Cited], reading: _Reading, count: int) -> list[_Cited]:
    """Give each hit the lines around it; no line is given twice, nor what another hit says."""
    placed = [_placed(each, reading) for each in cited]
    of_path: dict[str, list[int]] = defaultdict(list)
    for number, each in enumerate(placed):
        if each.stand is not None:
            of_path[each.hit.path].append(number)
    for path, numbers in of_path.items():
        page = reading.page(path)
        assert page is not None
        numbers.sort(key=lambda number: _span(placed[number]))
        around = page.around([_span(placed[number]) for number in numbers], count)
        for number, (before, after) in zip(numbers, around, strict=True):
            placed[number] = _surrounded(placed[number], before, after)
    return placed


def _placed(each: _Cited, reading: _Reading) -> _Cited:
    if each.stand is not None:
        return each
    try:
        page = reading.page(each.hit.path)
    except HippodError:
        return each
    return replace(each, stand=page.find(_sought(each.hit)) if page else None)


def _span(each: _Cited) -> passages.Span:
    assert each.stand is not None
    return each.stand.span


def _surrounded(each: _Cited, before: str, after: str) -> _Cited:
    start, end = _span(each)
    hit = each.hit
    around = "\n".join(map(_said, f"{before}\n{after}".split("\n")))
    flagged = hit.flagged or reads_like_instructions(hit.path, around)
    context = {"before": before, "after": after, "flagged": flagged}
    window = (start - len(before), end + len(after))
    return replace(each, hit=hit.model_copy(update=context), window=window)


def _said(line: str) -> str:
    """Return what a bullet says: facts around a hit imitate no format, they are in it."""
    fact = facts.parse_bullet(line)
    return fact.content if fact else line


# -- handing over ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Piece:
    """Hits that are handed over together, the best first, and their text as it is counted."""

    hits: tuple[int, ...]
    text: str


def _for_agent(
    answer: wire.RecallAnswer,
    cited: Sequence[_Cited],
    budget: int | None,
    counter: TokenCounter | None,
) -> wire.RecallAnswer:
    searched = "ok" in answer.legs.values() or not answer.degraded

    def frame(notes: Sequence[str]) -> str:
        return quoting.framed(notes, answer.freshness.text, searched=searched)

    pieces = _notes(cited)
    if budget is None:
        return answer.model_copy(update={"text": frame([piece.text for piece in pieces])})
    return _within(answer, pieces, frame, budget, counter, quoted=True)


def _within(
    answer: wire.RecallAnswer,
    pieces: Sequence[_Piece],
    frame: packing.Frame,
    budget: int,
    counter: TokenCounter | None,
    *,
    quoted: bool = False,
) -> wire.RecallAnswer:
    """Keep the pieces that fit; with `quoted` their text goes along."""
    first = answer.hits[pieces[0].hits[0]] if pieces else None

    def cut(size: int) -> wire.Hit:
        assert first is not None
        content = packing.shortened(first.content, size)
        bare = {"content": content, "before": "", "after": "", "evidence": ()}
        return first.model_copy(update=bare)

    def shorten(size: int) -> str:
        return quoting.written(quoting.note(cut(size))) if quoted else _text(cut(size))

    only_with = _successions(pieces, answer.hits)

    def packed(count: Count) -> Packed:
        texts = [piece.text for piece in pieces]
        longest = len(first.content if first else "")
        return packing.pack(texts, frame, shorten, longest, budget, count, only_with)

    done, counted_by = _counted(packed, counter)
    kept = sorted(number for each in done.chosen for number in pieces[each].hits)
    hits = tuple(answer.hits[number] for number in kept)
    if done.cut is not None:
        hits = (cut(done.cut),)
    spent = wire.Budget(
        tokens=budget,
        used=done.used,
        counted_by=counted_by,
        left_out=len(answer.hits) - len(hits),
    )
    return answer.model_copy(
        update={"hits": hits, "budget": spent, "text": done.text if quoted else None}
    )


def _successions(pieces: Sequence[_Piece], hits: Sequence[wire.Hit]) -> dict[int, int]:
    """Map pieces with a superseded fact to the earlier ones with what replaced it.

    Alone it would pass for what holds now.
    """
    place = {hits[n].fact_id: number for number, piece in enumerate(pieces) for n in piece.hits}
    found: dict[int, int] = {}
    for number, piece in enumerate(pieces):
        for n in piece.hits:
            newer = place.get(hits[n].superseded_by) if hits[n].superseded_by else None
            if newer is not None and newer < number:
                found[number] = newer
    return found


def _counted(packed: Callable[[Count], Packed], counter: TokenCounter | None) -> tuple[Packed, str]:
    """Pack by the model's tokenizer, by the estimate where there is none to be had."""
    if counter is not None:
        try:
            return packed(counter.count), counter.name
        except HippodError:
            pass
    return packed(packing.estimate), packing.ESTIMATE


def _bare(hits: Sequence[wire.Hit]) -> list[_Piece]:
    return [_Piece((number,), _text(hit)) for number, hit in enumerate(hits)]


def _text(hit: wire.Hit) -> str:
    evidence = "".join(f"\n{each.source} {each.content}" for each in hit.evidence)
    return f"{hit.source}\n{hit.before}{hit.content}{hit.after}{evidence}"


def _notes(cited: Sequence[_Cited]) -> list[_Piece]:
    """Return a note for each hit; neighbours that are alike become one passage."""
    groups = _neighbours(cited)
    return [_Piece(tuple(sorted(group)), _note(group, cited)) for group in groups]


def _neighbours(cited: Sequence[_Cited]) -> list[list[int]]:
    """Group hits whose windows touch, each group in the order of its document."""
    with_window = [n for n, each in enumerate(cited) if each.window is not None]
    with_window.sort(key=lambda n: (cited[n].hit.path, cited[n].window))
    groups: list[list[int]] = []
    for number in with_window:
        if groups and _touch(cited[groups[-1][-1]], cited[number]):
            groups[-1].append(number)
        else:
            groups.append([number])
    alone = [[n] for n, each in enumerate(cited) if each.window is None]
    return sorted(groups + alone, key=min)


def _touch(upper: _Cited, lower: _Cited) -> bool:
    assert upper.window is not None
    assert lower.window is not None
    return (
        upper.hit.path == lower.hit.path
        and quoting.about(upper.hit) == quoting.about(lower.hit)
        and not upper.hit.evidence + lower.hit.evidence
        and lower.window[0] <= upper.window[1] + 1
    )


def _note(group: Sequence[int], cited: Sequence[_Cited]) -> str:
    first, last = cited[group[0]].hit, cited[group[-1]].hit
    note = quoting.note(first)
    if len(group) > 1:
        text = facts.without_sources("".join(_passage([cited[number] for number in group])))
        note = replace(note, source=f"{first.source}-L{last.line_end}", text=text)
    return quoting.written(note)


def _passage(group: Sequence[_Cited]) -> list[str]:
    """Return the text of neighbours as it stands in their document, each piece once."""
    parts: list[str] = []
    done = None
    for each in group:
        assert each.window is not None
        start, end = each.window
        text = f"{each.hit.before}{each.hit.content}{each.hit.after}"
        if done is not None and start > done:
            parts.append("\n")
        parts.append(text[max(0, (done or start) - start) :])
        done = max(done or end, end)
    return parts


# -- freshness -------------------------------------------------------------------------------


def sentence(fresh: wire.Freshness, legs: Mapping[str, str]) -> str:
    """Say how far to trust an answer: "0.2 s behind, 0 files pending, vectors complete"."""
    # The words are the index itself: where they fail nobody can tell what it lacks.
    lost = legs.get("lexical") == "failed"
    behind = "unknown how far behind" if lost else f"{_duration(fresh.behind_seconds)} behind"
    parts = [behind, f"{_many(fresh.pending, 'file')} pending"]
    parts += _vectors(fresh, legs)
    failed = [leg for leg, state in legs.items() if state == "failed"]
    notes = [f"the {' and '.join(failed)} search failed"] if failed else []
    if fresh.gone:
        notes.append(f"{_many(fresh.gone, 'hit')} left out whose text is gone")
    if fresh.unchecked:
        notes.append(f"{_many(fresh.unchecked, 'hit')} not compared with the file")
    return "; ".join([", ".join(parts), *notes])


def _vectors(fresh: wire.Freshness, legs: Mapping[str, str]) -> list[str]:
    if legs.get("vector") == "off":
        return ["vectors off"]
    parked = [f"{_many(fresh.vectors_parked, 'text')} without a vector"]
    parked = parked if fresh.vectors_parked else []
    if fresh.vectors_pending:
        return [f"{_many(fresh.vectors_pending, 'vector')} pending", *parked]
    if fresh.vectors_pending is None or legs.get("vector") == "failed":
        return ["vectors unknown", *parked]
    return parked or ["vectors complete"]


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _duration(seconds: float) -> str:
    for size, unit in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.1f} s"
