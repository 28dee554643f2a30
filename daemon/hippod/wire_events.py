"""The fields of events.

As in `wire`: what the library, HTTP, the CLI and MCP all send and receive.
"""

from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, ConfigDict, Field

from hippod.wire import Model, Request

EventType = Literal["facts.retained", "pages.changed", "heartbeat.alert", "fault"]
"""Facts were written; documents changed; the heartbeat found something; something failed."""

GAP = "gap"
MAX_EVENT = 2**62
"""Id of an event."""
MAX_LISTED = 1_000
MAX_TYPES = 20


def _separated(value: Any) -> Any:
    """Take `a,b` for two values."""
    if isinstance(value, list | tuple):
        return [part for each in value for part in _split(each)]
    return _split(value)


def _split(value: Any) -> Any:
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else [value]


def _known(value: Any) -> Any:
    if isinstance(value, str) and value not in get_args(EventType):
        raise ValueError(f"{value[:100]!r} is none of {', '.join(get_args(EventType))}")
    return value


EventId = Annotated[int, Field(ge=0, le=MAX_EVENT)]
Types = Annotated[
    tuple[Annotated[EventType, BeforeValidator(_known)], ...],
    Field(max_length=MAX_TYPES),
    BeforeValidator(_separated),
]


class EventsRequest(Request):
    """Events, all or those of some `types`, as a stream or (`follow=false`) as a list.

    A stream tells what comes, and first what came behind the event `after`: with 0 all that is
    kept, without it nothing. A list holds the newest `limit` events, oldest first, or the first
    ones behind `after`.
    """

    after: EventId | None = None
    types: Types = ()
    follow: bool = True
    limit: Annotated[int, Field(ge=1, le=MAX_LISTED)] = 20


class Event(Model):
    """Something that happened at `time` (local, with its offset), told by further fields.

    - `facts.retained`: `path` (the daily log), `source`, `count`, `facts` (`id`, `bullet`).
    - `pages.changed`: `paths` (of many only some), `count`, `by` (`hippod`, `other`, or `reindex`
      where the index was made anew and nobody can tell what of it changed).
    - `heartbeat.alert`: `title`, `text`, and of the checklist's item `item`, `kind`, `state`,
      `reason`, `evidence`, `urgent`, `quiet` (it came in quiet hours) and `note`, the id
      of its line in the log.
    - `fault`: `what`, `message`, `hint`, `over` (it works again).
    - `gap`: the events `from` to `to` cannot be told: no longer kept (`reason` is `expired`), or
      counted anew because the state was lost (`reset`); `id` is the one to go on behind.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    id: int
    time: str
    type: EventType | Literal["gap"]


class EventList(Model):
    """Events, oldest first; go on behind `last`, at once if there are `more`."""

    events: tuple[Event, ...]
    last: int
    more: bool
