"""The fields of export and import, and the records that they exchange, one a line of JSON.

As in `wire`: what the library, HTTP, the CLI and MCP all send and receive.
"""

from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from hippod.facts import KindName
from hippod.wire import MAX_ENTRY, MAX_LINE, Model, Request, Text

FORMAT: Final = 1
"""Raised when records change so that an earlier hippod would take them for something else."""
RecordType = Literal["fact", "opinion", "entity"]
MOST_NAMES = 100
MOST_EVIDENCE = 10_000


# -- requests --------------------------------------------------------------------------------


def _separated(value: Any) -> Any:
    """Take `a,b` for two values."""
    values = value if isinstance(value, list | tuple) else [value]
    return [
        part.strip()
        for each in values
        for part in (each.split(",") if isinstance(each, str) else [str(each)])
    ]


def _known(value: Any) -> Any:
    if value not in get_args(RecordType):
        raise ValueError(f"{str(value)[:100]!r} is none of {', '.join(get_args(RecordType))}")
    return value


Types = Annotated[
    tuple[Annotated[RecordType, BeforeValidator(_known)], ...],
    Field(max_length=20),
    BeforeValidator(_separated),
]


class ExportRequest(Request):
    """All records, or those of some `types`, that are of `since` (a date, `30d`) or later."""

    since: Text | None = None
    types: Types = ()


BatchName = Annotated[str, Field(pattern=r"^[0-9a-z]{4,16}$")]


class _ImportAction(Request):
    dry_run: bool = False
    """Only say what would be done."""


class AddRecords(_ImportAction):
    """Lines of an export, the first of which is its `line`th; parts of one share a `batch`."""

    action: Literal["add"]
    """`add`."""
    text: Text
    """Lines of an export."""
    line: Annotated[int, Field(ge=1, le=MAX_LINE)] = 1
    """The number of its first line."""
    batch: BatchName | None = None
    """The import that it is a part of; without it a new one."""


class UndoImport(_ImportAction):
    """Take back what an import added, as far as it was not edited since."""

    action: Literal["undo"]
    """`undo`."""
    batch: BatchName
    """The name of the import."""


ImportAction = Annotated[AddRecords | UndoImport, Field(discriminator="action")]


# -- answers ---------------------------------------------------------------------------------


class Counts(Model):
    """Records by type."""

    facts: int = 0
    opinions: int = 0
    entities: int = 0


class RefusedRecord(Model):
    """A line of an export, or a part of it, that was not taken, and why."""

    line: int
    reason: str


class Imported(Model):
    """What an import did, or with `dry_run` would do.

    `standing` are records that stood there already, `ended` says that the end of the export was
    seen. `reworded` are facts whose id stands there with other words: they stay as they are there.
    `entries` of the journal are in the order of taking them back; `undone` are those that
    were, `conflicts` why others stay.
    """

    batch: str
    dry_run: bool
    added: Counts = Counts()
    extended: Counts = Counts()
    standing: Counts = Counts()
    reworded: int = 0
    refused: tuple[RefusedRecord, ...] = ()
    paths: tuple[str, ...] = ()
    entries: tuple[Annotated[int, Field(le=MAX_ENTRY)], ...] = ()
    undone: tuple[int, ...] = ()
    conflicts: tuple[str, ...] = ()
    ended: bool = False


# -- records ---------------------------------------------------------------------------------


class _Record(BaseModel):
    """A line: fields that a later version adds are passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


Name = Annotated[Text, Field(min_length=1, max_length=200)]
Names = Annotated[tuple[Name, ...], Field(max_length=MOST_NAMES)]
Share = Annotated[float, Field(ge=0, le=1)]
Day = Annotated[Text, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]


class Begin(_Record):
    """The first line."""

    type: Literal["hippod-export"]
    format: int
    version: Text = ""
    made: Text = ""


class SourceRecord(_Record):
    """Where a fact was said, as its bullet cites it."""

    name: Name
    session: Name
    turn: Name
    time: Text | None = None


class QuoteRecord(_Record):
    """A turn that a fact rests on, or one beside it. An import does not keep it."""

    turn: Text
    role: Text
    speaker: Text | None = None
    time: Text | None = None
    text: Text
    cited: bool = False


class FactRecord(_Record):
    """A fact: `id` is None where a person wrote it without one; `private`: in a private span."""

    type: Literal["fact"]
    id: Text | None = None
    day: Day
    kind: KindName
    entities: Names = ()
    confidence: Share | None = None
    content: Text
    source: SourceRecord | None = None
    private: bool = False
    made_by: Text = ""
    quotes: tuple[QuoteRecord, ...] = ()


class EvidenceRecord(_Record):
    """A line of an opinion; `target` is the link in it, `weight` in log-odds."""

    stance: Literal["supports", "contradicts", "pending", "related"]
    target: Annotated[Text, Field(max_length=500)]
    quote: Text = ""
    weight: Annotated[float, Field(ge=-10, le=10)]


class OpinionRecord(_Record):
    """An opinion with its evidence, in the order of its lines."""

    type: Literal["opinion"]
    id: Text | None = None
    statement: Text
    prior: Share | None = None
    confidence: Share | None = None
    entities: Names = ()
    updated: Day | None = None
    contested: bool = False
    evidence: Annotated[tuple[EvidenceRecord, ...], Field(max_length=MOST_EVIDENCE)] = ()


class EntityRecord(_Record):
    """Who an entity page is about: `others` are the names under `not`."""

    type: Literal["entity"]
    name: Name
    aliases: Names = ()
    others: Names = ()
    updated: Day | None = None


class LeftOutRecord(_Record):
    """A document that could not be exported."""

    path: Text
    reason: Text


class End(_Record):
    """The last line: an export without it was cut off."""

    type: Literal["end"]
    facts: int = 0
    opinions: int = 0
    entities: int = 0
    left_out: tuple[LeftOutRecord, ...] = ()


Record = Annotated[
    Begin | FactRecord | OpinionRecord | EntityRecord | End, Field(discriminator="type")
]
