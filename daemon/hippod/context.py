"""What an agent is given at the start of a session: the identity files, what is remembered of
long ago and of these days, and what its session keeps in mind."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from hippod import briefing, daylog, facts, markdown, nesting, packing, redact
from hippod.briefing import Briefing, Part
from hippod.config import Config
from hippod.errors import Conflict, HippodError, NotFound
from hippod.forgotten import Tombstones
from hippod.models import TokenCounter
from hippod.packing import Count
from hippod.quoting import visible
from hippod.remembered import Remembered
from hippod.scope import Scope, may_see
from hippod.wire_context import Context, ContextBudget, ContextPart, ContextRequest
from hippod.working import WorkingMemories
from hippod.workspace import Workspace

INSTRUCTIONS, VALUES, USER = "Agent Instructions", "Core Values", "User Context"
IDENTITY, MEMORY = "Identity", "Long-Term Memory"
TODAY, YESTERDAY, WORKING = "Today's Notes", "Yesterday's Notes", "Working Memory"
FIRST_CUT = (YESTERDAY, TODAY, MEMORY, WORKING, IDENTITY, USER, VALUES, INSTRUCTIONS)
"""What is cut first where all of it is too long."""
MEMORIES = ("MEMORY.md", "memory.md")
LONGEST = 16_000
"""Characters of a file that are read through; more only where its budget could hold them."""
_CHARACTERS_A_TOKEN = 8
MOST_BEATS = 3
"""Lines of the heartbeat that are shown of a log, the newest."""
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
_LONGEST_SPAN = 1_000
"""Characters on either side of a mark in which backticks are looked for."""
_MOST_MARKS = 50
"""Marks of comments in code that are passed over."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What a version of a file says, or a piece of it, than which it is `times` as long.

    `lean` is the same of a log without lines of the heartbeat, where it has any.
    """

    path: str
    etag: str
    stones: Tombstones
    told: str
    times: float
    lean: str = ""


class Gatherer:
    """Puts the context together. Thread-safe; each call looks at the files as they are."""

    def __init__(
        self,
        config: Config,
        workspace: Workspace,
        remembered: Remembered,
        working: WorkingMemories,
        counter: TokenCounter | None,
        clock: Callable[[], datetime],
    ) -> None:
        self._config = config
        self._workspace = workspace
        self._remembered = remembered
        self._working = working
        self._counter = counter
        self._clock = clock
        self._known: dict[tuple[str, Scope], _Known] = {}

    def gather(self, request: ContextRequest) -> Context:
        """Return the context within its budget, of one day even if midnight passes meanwhile.

        A file that cannot be read makes its part say so. Raises `InvalidInput` for a name that
        is none of a session.
        """
        today = self._clock().astimezone(self._config.zone).date()
        parts = [*self._files(request.scope, today), *self._of_session(request)]
        budget = request.budget_tokens or self._config.context.budget_tokens
        done, counted_by = self._fitted(parts, budget)
        return Context(
            text=done.text,
            day=today.isoformat(),
            parts=tuple(map(_shown, done.parts)),
            budget=ContextBudget(tokens=budget, used=done.used, counted_by=counted_by),
        )

    # -- the parts ---------------------------------------------------------------------------

    def _files(self, scope: Scope, today: date) -> Iterable[Part]:
        most = self._config.context
        yesterday = today - timedelta(days=1)
        yield from self._file(scope, INSTRUCTIONS, ["AGENTS.md"], most.instructions)
        yield from self._file(scope, VALUES, ["SOUL.md"], most.values)
        yield from self._file(scope, USER, ["USER.md"], most.user)
        yield from self._file(scope, IDENTITY, ["IDENTITY.md"], most.identity)
        yield from self._file(scope, MEMORY, MEMORIES, most.memory, quoted=True)
        for heading, day, tokens in (
            (TODAY, today, most.today),
            (YESTERDAY, yesterday, most.yesterday),
        ):
            places = (daylog.log_path(day, self._config.workspace.layout), daylog.archive_path(day))
            yield from self._file(scope, heading, places, tokens, quoted=True, newest=True)

    def _file(
        self,
        scope: Scope,
        heading: str,
        paths: Sequence[str],
        most: int,
        *,
        quoted: bool = False,
        newest: bool = False,
    ) -> Iterable[Part]:
        """Yield the part that the first of these files makes which is there and to be seen."""
        seen = [path for path in paths if may_see(scope, path, self._config.privacy.group_paths)]
        for path in seen if most else ():
            part = Part(heading, path, "", most, f"hippod read {path}", newest, quoted)
            try:
                known = self._read(part, scope)
            except NotFound:
                continue
            except HippodError as error:
                fault = error.message if scope == "main" else f"{path}: cannot be read"
                yield replace(part, fault=fault)
                return
            yield replace(part, text=known.told, times=known.times, lean=known.lean)
            return

    def _read(self, part: Part, scope: Scope) -> "_Known":
        """Read a file, and what it says anew only where that, or what is forgotten, changed."""
        document, stones = self._workspace.read(part.path), self._remembered.tombstones()
        known = self._known.get((part.heading, scope))
        version = (part.path, document.etag, stones)
        if known is None or (known.path, known.etag, known.stones) != version:
            known = _Known(*version, *self._told(part, document.text, scope))
            if part.newest and (lean := _without_beats(document.text, 0)) != document.text:
                known = replace(known, lean=self._told(part, lean, scope)[0])
            self._known[part.heading, scope] = known
        return known

    def _told(self, part: Part, text: str, scope: Scope) -> tuple[str, float]:
        seen = redact.strip_private(text) if scope == "group" else text
        seen = _without_beats(seen, MOST_BEATS) if part.newest else seen
        piece = _piece(seen, max(LONGEST, part.most * _CHARACTERS_A_TOKEN), newest=part.newest)
        if markdown.is_conflicted(piece):
            raise Conflict(f"{part.path}: has git conflict marks", "resolve the merge")
        left = self._remembered.left_of(piece, daylog.day_of(part.path))
        left = _seen(facts.without_sources(left)) if part.quoted else left
        return nesting.told(left), len(seen) / max(1, len(piece))

    def _of_session(self, request: ContextRequest) -> Iterable[Part]:
        most = self._config.context.working
        if request.session is None:
            return
        kept = self._working.get(request.session, request.scope)
        if kept is None or not most:
            return
        part = Part(WORKING, "working memory", "", most, "hippod working get", quoted=True)
        try:
            yield replace(part, text=nesting.nested(_seen(self._remembered.left_of(kept.content))))
        except HippodError as error:
            fault = error.message if request.scope == "main" else "cannot be read"
            yield replace(part, fault=f"working memory: {fault}")

    # -- the budget --------------------------------------------------------------------------

    def _fitted(self, parts: Sequence[Part], budget: int) -> tuple[Briefing, str]:
        """Fit the parts by the model's tokenizer, or by the estimate where all fits in any case.

        The vocabulary may take half a second to start, so it is asked only where it tells more.
        """
        rough = _fit(parts, budget, packing.estimate)
        if self._counter is not None and not _surely_fits(rough, budget):
            try:
                return _fit(parts, budget, self._counter.count), self._counter.name
            except HippodError:
                pass
        return rough, packing.ESTIMATE


def _fit(parts: Sequence[Part], budget: int, count: Count) -> Briefing:
    return briefing.fit(parts, budget, FIRST_CUT, count)


def _surely_fits(done: Briefing, budget: int) -> bool:
    """Say whether parts have only budgets of their own, and no tokenizer makes more of the text.

    None makes more tokens than there are bytes. Of keys, capitals or rarer scripts the estimate
    says as little as a quarter of that.
    """
    wanted = sum(min(each.of_tokens, each.part.most) for each in done.parts)
    return max(wanted, len(done.text.encode())) < budget


def _without_beats(text: str, most: int) -> str:
    """Leave out of a log the heartbeat's own lines but the newest, and say so there."""
    if text.count(f"] {daylog.BEAT}") <= most:
        return text
    document = markdown.parse(text)
    numbers = range(1, len(document.lines) + 1)
    older = [number for number in numbers if daylog.is_beat(document, number)][: -most or None]
    lines: list[str | None] = list(document.lines)
    for number in older:
        lines[number - 1] = None
    if older and most:
        count = f"{len(older)} earlier line{'s' * (len(older) > 1)}"
        lines[older[-1] - 1] = f"[left out: {count} of the heartbeat]"
    return "\n".join(line for line in lines if line is not None)


def _piece(text: str, longest: int, *, newest: bool) -> str:
    """Return the beginning of a text that is too long to be read through, or its end."""
    if len(text) <= longest:
        return text
    if newest:
        start = len(text) - longest
        place = text.find("\n\n", start, start + longest // 2)
        return _behind(text, place + 2 if place >= 0 else start)
    place = text.rfind("\n\n", longest // 2, longest)
    place = place if place >= 0 else longest
    opened = _comment_around(text, place)
    return text[: place if opened is None else opened]


def _behind(text: str, place: int) -> str:
    """Return the text from a place on, without the rest of a comment that it is in."""
    opened = _comment_around(text, place)
    if opened is None:
        return text[place:]
    end = text.find("-->", opened + 2)
    if end >= 0:
        return text[end + 3 :]
    begins_line = not text[text.rfind("\n", 0, opened) + 1 : opened].strip()
    return f"<!--\n{text[place:]}" if begins_line else text[place:]  # nobody closed it


def _comment_around(text: str, place: int) -> int | None:
    """Return where the comment starts that a cut at a place would tear; a mark in code is none."""
    closed = text.rfind("-->", 0, place)
    start, code = text.rfind("<!--", 0, place + 3), frozenset[int]()
    for tries in range(_MOST_MARKS):
        if start < 0 or start + 2 <= closed:
            return None
        if not tries:
            code = markdown.parse(text[: start + 4]).code
        if text.count("\n", 0, start) + 1 not in code and not _is_in_backticks(text, start):
            return start
        start = text.rfind("<!--", 0, start)
    return start if start >= 0 else None


def _is_in_backticks(text: str, place: int) -> bool:
    begin = max(text.rfind("\n", 0, place) + 1, place - _LONGEST_SPAN)
    line = text[begin : place + _LONGEST_SPAN].partition("\n")[0]
    spans = (span.span() for span in _CODE_SPAN.finditer(line))
    return any(start < place - begin < end for start, end in spans)


def _seen(text: str) -> str:
    """Drop what nobody sees, before it is looked where headings are."""
    return visible("\n".join(markdown.split_lines(text)))


def _shown(each: briefing.Shown) -> ContextPart:
    return ContextPart(
        heading=each.part.heading,
        path=each.part.path,
        tokens=each.tokens,
        of_tokens=each.of_tokens,
        truncated=each.truncated,
        fault=each.part.fault,
    )
