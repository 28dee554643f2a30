"""The fields of the bank's verbs: entities, opinions, proposals, reflection, hygiene, forget.

As in `wire`: what the library, HTTP, the CLI and MCP all send and receive.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from hippod.wire import Model, Opinion, Request, Text

__all__ = ["Model", "Request", "Text"]


# -- reflection ------------------------------------------------------------------------------


class ReflectRequest(Request):
    """Turn facts into pages now.

    `since` (a date, or an age such as `7d`) leaves facts of earlier days for another time.
    `dry_run` says what would change, and changes nothing.
    """

    since: Annotated[Text, Field(max_length=100)] | None = None
    """Only facts of this day or later."""
    dry_run: bool = False
    """Only say what would change."""


class PageChange(Model):
    """A page that reflection changed, or would change: then `diff` shows how."""

    path: str
    reason: str
    diff: str = ""


class PageProblem(Model):
    """A page, or log, that was left alone, and why."""

    path: str
    reason: str


class Reflected(Model):
    """What a reflection did, or would do.

    `facts` counts those that were new to it, `entities` those whose page was looked at,
    `opinions` those that changed or are new. `quality` says who wrote the summaries. One that was
    broken off (`interrupted`) goes on the next time.
    """

    dry_run: bool
    facts: int
    entities: int
    opinions: int
    changes: tuple[PageChange, ...] = ()
    problems: tuple[PageProblem, ...] = ()
    quality: str
    seconds: float
    interrupted: bool = False


# -- hygiene ---------------------------------------------------------------------------------

HygieneKind = Literal["archive", "duplicate_document", "duplicate_fact", "stale_document"]
HygieneAction = Literal["move", "delete", "merge", "remove_line", "review"]
ItemName = Annotated[Text, Field(max_length=100)]


class HygieneRequest(Request):
    """Tidy up. `apply` names (by id, or a beginning of it) what is to be merged or deleted, and
    does nothing else; `dry_run` only says what is to do.
    """

    dry_run: bool = False
    """Only say what would be done."""
    apply: Annotated[tuple[ItemName, ...], Field(max_length=100)] = ()
    """Deal with the findings of these ids."""


class HygieneItem(Model):
    """Something to tidy at `path`, and what became of it.

    `target` is the document that stays, or where it moves to. `action` is what `apply` does;
    `review`: nothing, a person is to look. Lines count from 1, `alike` is 0..1; the own lines
    are those that only the one, or only the other, document holds. `problem` says why it was
    left.
    """

    id: str
    """What `apply` takes."""
    kind: HygieneKind
    """What is odd."""
    action: HygieneAction
    """What `apply` does."""
    path: str
    """The document."""
    target: str | None = None
    """The document that stays, or where it moves to."""
    line: int | None = None
    """The line there."""
    target_line: int | None = None
    """The line in `target`."""
    fact: str | None = None
    """The id of the fact."""
    target_fact: str | None = None
    """The id of the other one."""
    text: str | None = None
    """What stands there."""
    alike: float | None = None
    """0 to 1."""
    own_lines: int | None = None
    """Lines that only this document holds."""
    target_own_lines: int | None = None
    """Lines that only the other one holds."""
    age_days: int | None = None
    """Days since it was changed."""
    reasons: tuple[str, ...] = ()
    """Why."""
    applied: bool = False
    """It was done."""
    problem: str = ""
    """Why it was left."""


class HygieneReport(Model):
    """What a run did and found; `counts` also those items, by kind, that are too many to list.

    `expired` and `optimised` say what was done beside, and may gain keys. `entries` are those to
    undo, in order, after `apply`.
    """

    dry_run: bool = False
    started: str = ""
    seconds: float = 0.0
    items: tuple[HygieneItem, ...] = ()
    counts: dict[HygieneKind, int] = Field(default_factory=dict)
    archived: int = 0
    expired: dict[str, int] = Field(default_factory=dict)
    optimised: dict[str, Any] = Field(default_factory=dict)
    entries: tuple[int, ...] = ()


# -- entities --------------------------------------------------------------------------------

FACTS_SHOWN, MOST_FACTS = 20, 1_000
Name = Annotated[Text, Field(min_length=1, max_length=200)]


class EntityRow(Model):
    """An entity: `name` as facts have it behind `@`, `facts` how many name it.

    `flags` say what is odd about its page: edited region, broken markers, conflict marks,
    unreadable front matter, second page, ambiguous alias.
    """

    name: str
    """As facts have it behind `@`."""
    facts: int
    """How many name it."""
    last_day: str | None = None
    """The newest day of a fact about it."""
    aliases: tuple[str, ...] = ()
    """Its other names."""
    path: str | None = None
    """Its page; none if it has no page."""
    flags: tuple[str, ...] = ()
    """What is odd about its page."""


class NameCandidate(Model):
    """Two names that may mean one entity: only a person joins them, by `merge`."""

    names: tuple[str, str]
    reason: str


class AmbiguousName(Model):
    """A name that several entities claim; it stands for none of them."""

    name: str
    entities: tuple[str, ...]


class EntityList(Model):
    """Who is who. `problems` are pages and logs that cannot be read now."""

    entities: tuple[EntityRow, ...]
    ambiguous: tuple[AmbiguousName, ...] = ()
    candidates: tuple[NameCandidate, ...] = ()
    problems: tuple[PageProblem, ...] = ()


class EntityRequest(Request):
    """Ask about an entity; `limit` facts at most, the newest first."""

    limit: Annotated[int, Field(ge=0, le=MOST_FACTS)] = FACTS_SHOWN


class EntityFact(Model):
    """A fact that names an entity; `source` is where it stands."""

    id: str
    day: str
    kind: str
    content: str
    source: str


class EntityOpinion(Model):
    """An opinion of the ledger about an entity."""

    statement: str
    """What is believed."""
    confidence: float | None = None
    """0 to 1."""
    updated: str | None = None
    """The day of the ledger's last change."""


class LearnedAlias(Model):
    """An alias that a fact states and no page has."""

    alias: str
    fact: EntityFact


class EntityDetail(EntityRow):
    """An entity with what its page sums up, and its newest facts.

    `others` are names that its page says are somebody else.
    """

    others: tuple[str, ...] = ()
    """Names that its page says are somebody else."""
    learned: tuple[LearnedAlias, ...] = ()
    """Names that facts tell."""
    summary: tuple[str, ...] = ()
    """What its page sums up."""
    newest: tuple[EntityFact, ...] = ()
    """Its newest facts."""
    opinions: tuple[EntityOpinion, ...] = ()
    """What is believed about it."""


class _EntityAction(Request):
    dry_run: bool = False
    """Only say what would change."""


class MergeAction(_EntityAction):
    """Make an entity and all its names names of the entity `into`; facts are not rewritten."""

    action: Literal["merge"]
    """`merge`."""
    into: Name
    """The entity that stays."""


class SplitAction(_EntityAction):
    """Say that `alias` is somebody else: it is taken off the aliases and stands under `not`."""

    action: Literal["split"]
    """`split`."""
    alias: Name
    """The name that is somebody else."""


class RenameAction(_EntityAction):
    """Give an entity another name; the old one becomes an alias. Links are not rewritten."""

    action: Literal["rename"]
    """`rename`."""
    new: Name
    """The new name."""


class AdoptAction(_EntityAction):
    """Let hippod rewrite the regions of a page again that a person edited."""

    action: Literal["adopt"]
    """`adopt`."""


EntityAction = Annotated[
    MergeAction | SplitAction | RenameAction | AdoptAction, Field(discriminator="action")
]


class EntityChanged(Model):
    """What a command did, or would do, to pages; `note` says why nothing, or what to know.

    `entity` is the name that it goes by then. `links` counts by path the links that lead to a
    page which is gone or moved: they are not rewritten. `entries` are those to undo, in order.
    """

    entity: str
    applied: bool
    changes: tuple[PageChange, ...] = ()
    links: dict[str, int] = Field(default_factory=dict)
    note: str = ""
    entries: tuple[int, ...] = ()


# -- opinions --------------------------------------------------------------------------------


class OpinionsRequest(Request):
    """Ask for the opinions, or for those about an entity (with or without `@`, or an alias).

    `entity` may also be the id of an opinion, or a beginning of it, if nobody has that name.
    """

    entity: Name | None = None


class OpinionList(Model):
    """The opinions in the order of the ledger; `problems` are what hippod leaves alone there."""

    opinions: tuple[Opinion, ...]
    problems: tuple[str, ...] = ()


class RecomputeRequest(Request):
    """Set each confidence to what its prior and weights give, also where a person wrote another."""

    dry_run: bool = False
    """Only say what would change."""


class OpinionChanged(Model):
    """An opinion whose confidence was set, or would be."""

    id: str | None
    statement: str
    before: float | None
    after: float


class OpinionsRecomputed(Model):
    """What recomputing changed, or would change; no model is asked."""

    dry_run: bool
    opinions: int
    changed: tuple[OpinionChanged, ...] = ()
    diff: str = ""


# -- proposals -------------------------------------------------------------------------------

ProposalStatus = Literal["open", "accepted", "rejected", "obsolete"]


class ProposalRow(Model):
    """A proposed change of MEMORY.md, and what became of it; `day` is when it was made."""

    id: str
    """What accepting takes."""
    action: Literal["add", "replace", "move"]
    """What it does."""
    status: ProposalStatus
    """What became of it."""
    title: str
    """What it is about."""
    day: str | None = None
    """When it was made."""
    reason: str = ""
    """Why."""
    file: str
    """The document."""


class ProposalList(Model):
    """The proposals in the order of the page; `problems` say why it cannot be read."""

    proposals: tuple[ProposalRow, ...]
    problems: tuple[str, ...] = ()


class ProposalDetail(ProposalRow):
    """A proposal with its lines: `diff` is what accepting it does.

    `evidence` are links to facts. `section` is the heading under which lines are added, `to` the
    page that moved lines go to.
    """

    evidence: tuple[str, ...] = ()
    """Links to facts."""
    section: str = ""
    """The heading under which lines are added."""
    to: str = ""
    """The page that moved lines go to."""
    diff: str = ""
    """What accepting it does."""


class ProposalDecision(Request):
    """Accept a proposal, or reject it for good. Only `force` accepts what loses many lines."""

    action: Literal["accept", "reject"]
    """What is decided."""
    force: bool = False
    """Accept also what loses many lines."""


class ProposalDecided(ProposalRow):
    """A proposal after the decision, and the pages that it changed.

    `entries` are those to undo if it was accepted, in order.
    """

    changes: tuple[PageChange, ...] = ()
    """The pages that it changed."""
    entries: tuple[int, ...] = ()
    """What to undo, in order."""


# -- forget ----------------------------------------------------------------------------------

ForgetWhy = Literal[
    "fact", "text", "within", "paraphrase", "derived", "evidence", "opinion", "proposal"
]
"""`text`: it says this alone; `within`: among other words, which go too."""
LeftWhy = Literal["transcript", "file", "name", "nameless", "git", "similar"]
"""`nameless`: a page that loses the name that it is of, and stays for what somebody wrote there."""


class ForgetRequest(Request):
    """Forget a fact or opinion by its `id` (or a beginning of it), or a `text` that may be one.

    `dry_run` only says what would go. `every`: even a short text that stands in many places.
    `agreed`: nothing goes unless the plan is still the one of that name.
    """

    text: Annotated[Text, Field(max_length=2000)] | None = None
    """What is to go, wherever it stands."""
    id: Annotated[Text, Field(max_length=64)] | None = None
    """Or the fact or opinion."""
    dry_run: bool = True
    """Only say what would go."""
    every: bool = False
    """Also a short text that stands in many places."""
    agreed: Annotated[Text, Field(max_length=64)] | None = None
    """The name of the plan: if it is another one by now, nothing goes."""


class ForgetPlace(Model):
    """Lines that go, or change, or a whole document (`delete`), and why. Lines count from 1."""

    path: str
    line: int
    line_end: int
    text: str
    why: ForgetWhy
    action: Literal["remove", "change", "delete"] = "remove"


class ForgetLeft(Model):
    """What stays: copies that hippod does not change, names of documents that say it, and facts
    (`id`) that only sound alike.
    """

    why: LeftWhy
    path: str
    line: int | None = None
    id: str | None = None
    text: str | None = None


class ForgetProblem(Model):
    """What could not be done: it still stands there. `conflict`: trying again may help."""

    path: str
    reason: str
    conflict: bool = False


class Forgotten(Model):
    """What was forgotten, or would be.

    `facts` are the ids of those that go. `kept` counts by kind what was kept besides in the state
    and went: changes, turns, facts, rejected … `tombstones` counts the lines that were added to
    `bank/forgotten.md`. `widespread`: it goes only with `every`. `plan` names what goes, where,
    and by which request; it is another one as soon as something else would go.
    """

    applied: bool
    plan: str = ""
    widespread: bool = False
    facts: tuple[str, ...] = ()
    places: tuple[ForgetPlace, ...] = ()
    left: tuple[ForgetLeft, ...] = ()
    problems: tuple[ForgetProblem, ...] = ()
    kept: dict[str, int] = Field(default_factory=dict)
    tombstones: int = 0
    seconds: float = 0.0
