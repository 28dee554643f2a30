"""Events as the verbs show them: for a scope, without what was forgotten, gaps told."""

from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from hippod import erasing, wire_events
from hippod.events import Events
from hippod.scope import Scope
from hippod.state.events import Event, Page

GROUP_TYPES = ("pages.changed",)
_NOTHING = ("",)
"""Types of no event."""


class EventView:
    """Lists events for whoever asks. Thread-safe.

    `stones` returns what is forgotten now, `group_sees` says whether a group may see a path.
    """

    def __init__(
        self,
        events: Events,
        stones: Callable[[], erasing.Forgets],
        group_sees: Callable[[str], bool],
        clock: Callable[[], datetime],
        zone: ZoneInfo,
    ) -> None:
        self._events = events
        self._stones = stones
        self._group_sees = group_sees
        self._clock = clock
        self._zone = zone

    def newest(self, limit: int, types: Collection[str], scope: Scope) -> wire_events.EventList:
        """List the newest `limit` events, oldest first."""
        last = self._events.bounds()[1]
        kept = (event for event in self._events.newest(_wanted(types, scope)) if event.id <= last)
        shown = tuple(islice(self._shown(kept, scope), limit))
        return wire_events.EventList(events=shown[::-1], last=last, more=False)

    def behind(
        self, after: int, limit: int, types: Collection[str], scope: Scope
    ) -> wire_events.EventList:
        """List what is to be shown of the first `limit` events of these types behind one."""
        wanted = _wanted(types, scope)
        page = self._events.page(after, limit, wanted)
        gap = self._gap(after, page)
        if after > page.last:
            page = self._events.page(page.first - 1, limit, wanted)
        full = len(page.events) == limit
        return wire_events.EventList(
            events=(*gap, *self._shown(page.events, scope)),
            last=page.events[-1].id if full else page.last,
            more=full,
        )

    def may_tell(self, text: str) -> bool:
        """Say whether a text says nothing that is forgotten."""
        return erasing.remembered(text, self._stones()) == text

    def _gap(self, after: int, page: Page) -> tuple[wire_events.Event, ...]:
        """Tell of events behind one that are not kept any more, or are counted anew."""
        if page.first - 1 <= after <= page.last:
            return ()
        to = page.first - 1
        reason = "reset" if after > page.last else "expired"
        data = {"from": after, "to": to, "reason": reason}
        return (self._event(to, self._clock(), wire_events.GAP, data),)

    def _shown(self, events: Iterable[Event], scope: Scope) -> Iterator[wire_events.Event]:
        stones = self._stones()
        for event in events:
            data = event.data if scope == "main" else self._for_group(event.data)
            told = event.told
            if data and erasing.remembered(told, stones) == told:
                shown = {name: value for name, value in data.items() if name != "group"}
                yield self._event(event.id, event.time, event.type, shown)

    def _for_group(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return changes of pages without the paths that a group may not see; {} if none is left.

        They are counted without those, too. Where not all are named, those for a group are named
        and counted apart.
        """
        listed = data.get("group", data)
        named = listed.get("paths", ())
        seen = [path for path in named if self._group_sees(path)]
        if not seen:
            return {}
        unnamed = listed["count"] - len(named) if "group" in data else 0
        return {"by": data["by"], "paths": seen, "count": unnamed + len(seen)}

    def _event(
        self, id_: int, time: datetime, type_: str, data: dict[str, Any]
    ) -> wire_events.Event:
        when = time.astimezone(self._zone).isoformat(timespec="seconds")
        return wire_events.Event.model_validate(data | {"id": id_, "time": when, "type": type_})


def _wanted(types: Collection[str], scope: Scope) -> Collection[str]:
    """Return the types of events that a scope gets of those asked for, () for all of them."""
    if scope == "main":
        return types
    return [name for name in GROUP_TYPES if not types or name in types] or _NOTHING
