"""The answers of the verbs as type checkers see them: the JSON of the wire models.

Made from `hippod.wire` by `tests/answer_text.py`; a test holds them equal. At run time every
answer is a plain `dict`, so an older daemon may leave newer fields out.
"""

from typing import Any, Literal, TypedDict


class Evidence(TypedDict):
    """What speaks for or against an opinion; `weight` is in log-odds."""

    stance: Literal["supports", "contradicts"]
    source: str
    weight: float
    content: str


class HitExplanation(TypedDict):
    """Why a hit ranks where it does; `text` says it in a line."""

    lexical_rank: int | None
    vector_rank: int | None
    bm25: float | None
    cosine: float | None
    fused: float
    file_prior: float
    boosts: dict[str, float]
    text: str


class Hit(TypedDict):
    """One unit of recall with its citation."""

    id: str
    document_id: str
    path: str
    chunk_index: int
    line_start: int
    line_end: int
    source: str
    kind: Literal["world", "experience", "opinion", "observation", "document"]
    trust: Literal["written", "extracted"]
    flagged: bool
    timestamp: str | None
    valid_from: str | None
    valid_until: str | None
    fact_id: str | None
    superseded_by: str | None
    entities: list[str]
    confidence: float | None
    content: str
    before: str
    after: str
    etag: str
    evidence: list[Evidence]
    score: float
    bm25_score: float | None
    vector_score: float | None
    explanation: HitExplanation | None


class ReadTime(TypedDict):
    """A span of time that a question names, in days; it lifts hits and filters none."""

    text: str
    since: str | None
    until: str | None
    precision: Literal["day", "week", "month", "year"]
    around: bool


class ReadEvent(TypedDict):
    """A time told by an event ("since the move"), and the unit that was taken for its date."""

    text: str
    bound: Literal["since", "until", "around"]
    day: str | None
    source: str | None


class Understood(TypedDict):
    """What a question was taken to mean."""

    terms: list[str]
    dropped_terms: list[str]
    entities: dict[str, list[str]]
    about: list[str]
    asks_opinion: bool
    times: list[ReadTime]
    state_at: str | None
    event: ReadEvent | None
    since: str | None
    until: str | None
    as_of: str | None


class Freshness(TypedDict):
    """How far to trust an answer: how far the index is behind the files, and what was amiss."""

    pending: int
    vectors_pending: int | None
    vectors_parked: int
    behind_seconds: float
    updated: str | None
    gone: int
    unchecked: int
    text: str


class Budget(TypedDict):
    """What an answer costs: `used` of `tokens`, never more."""

    tokens: int
    used: int
    counted_by: str
    left_out: int


class RecallAnswer(TypedDict):
    """Hits, best first, with what was understood and which legs answered."""

    hits: list[Hit]
    understood: Understood | None
    text: str | None
    legs: dict[str, str]
    weak: bool
    degraded: bool
    truncated: bool
    freshness: Freshness
    budget: Budget | None
    took_ms: float


class StoredFact(TypedDict):
    """A fact that now stands in Markdown."""

    id: str
    path: str
    line: int
    source: str
    bullet: str


class Rejected(TypedDict):
    """A candidate that was not stored, why, and where it was said (`main/3f2a#m12`)."""

    text: str
    reason: str
    source: str | None
    path: str | None


class RetainAnswer(TypedDict):
    """What became of a retain request; `queued` counts turns that wait for extraction."""

    queued: int
    stored: list[StoredFact]
    rejected: list[Rejected]


class FileContent(TypedDict):
    """A document as it stands: `etag` is what `write` and `replace` compare with."""

    path: str
    content: str
    etag: str
    size: int
    modified: str


class Written(TypedDict):
    """The result of a write: `changed` is false where the bytes were already so."""

    path: str
    etag: str
    changed: bool
    line: int | None
    moved_from: str | None


class TreeEntry(TypedDict):
    """One name in a folder of the workspace; `path` is relative to its root."""

    name: str
    path: str
    is_directory: bool


class Tree(TypedDict):
    """Entries below `directory`, sorted by path."""

    directory: str
    entries: list[TreeEntry]


class DailyLog(TypedDict):
    """The daily log of `date` (ISO day in the user's zone); empty content if none exists."""

    date: str
    path: str
    content: str
    exists: bool
    others: list[str]


class ContextPart(TypedDict):
    """A part of the context, and of how many tokens how many stand there."""

    heading: str
    path: str
    tokens: int
    of_tokens: int
    truncated: bool
    fault: str


class ContextBudget(TypedDict):
    """What the text costs: `used` of `tokens`, never more, and what counted them."""

    tokens: int
    used: int
    counted_by: str


class Context(TypedDict):
    """The text for an agent's system prompt; `day` is the one whose notes are today's."""

    text: str
    day: str
    parts: list[ContextPart]
    budget: ContextBudget


class WorkingContent(TypedDict):
    """The working memory of a session, empty where nothing is kept; `bytes` of `max_bytes`."""

    session: str
    content: str
    bytes: int
    max_bytes: int
    updated: str | None
    expires: str | None


class WorkingCleared(TypedDict):
    """Whether there was a working memory to clear."""

    session: str
    cleared: bool


class Quote(TypedDict):
    """A turn, redacted, as it was kept; `cited` says that the fact rests on it."""

    turn: str
    role: str
    speaker: str | None
    time: str | None
    text: str
    line: int
    cited: bool


class Said(TypedDict):
    """Where a fact was said."""

    source: str
    session: str
    turns: list[str]
    path: str | None
    line: int | None
    transcript: Literal["there", "changed", "gone"] | None
    quotes: list[Quote]


class OpinionEvidence(TypedDict):
    """A fact that an opinion cites, in the order of the ledger; `weight` is in log-odds."""

    role: Literal["supports", "contradicts", "pending", "related"]
    weight: float
    link: str
    fact: str
    day: str | None
    source: str | None
    content: str


class OpinionDetail(TypedDict):
    """An opinion with its evidence; `computed` is the confidence that prior and weights give."""

    id: str | None
    statement: str
    confidence: float | None
    prior: float | None
    entities: list[str]
    updated: str | None
    source: str
    supports: int
    contradicts: int
    pending: int
    related: int
    contested: bool
    edited: bool
    computed: float | None
    evidence: list[OpinionEvidence]


class Premise(TypedDict):
    """A fact that a derived one repeats; `source` is where it stands now, None if it is gone."""

    fact: str
    source: str | None
    content: str


class Why(TypedDict):
    """Where a fact comes from, from its bullet down to the turns."""

    id: str
    standing: Literal["stands", "edited", "undone", "deleted"]
    origin: Literal["transcript", "client", "person", "derived", "document", "opinion"]
    path: str | None
    line: int | None
    line_end: int | None
    source: str | None
    bullet: str | None
    written: str | None
    written_to: str | None
    written_at: str | None
    made_by: str | None
    said: Said | None
    opinion: OpinionDetail | None
    derived_from: list[Premise]


class Logged(TypedDict):
    """A change that hippod made to a document."""

    id: int
    time: str
    operation: str
    path: str
    target: str | None
    actor: str
    finished: bool
    bytes: int
    preview: str
    undoes: int | None
    undone_by: int | None


class Log(TypedDict):
    """Entries of the journal, newest first."""

    entries: list[Logged]


class LoggedChange(TypedDict):
    """A change with what it changed; `note` says if the diff is not exactly that."""

    id: int
    time: str
    operation: str
    path: str
    target: str | None
    actor: str
    finished: bool
    bytes: int
    preview: str
    undoes: int | None
    undone_by: int | None
    diff: str
    note: str


class Undone(TypedDict):
    """What became of an undo, or would: `diff` is what it changes in `path`."""

    id: int
    path: str
    applied: bool
    entry: int | None
    diff: str
    conflict: str | None
    since: str
    moved_from: str | None


class EntityRow(TypedDict):
    """An entity: `name` as facts have it behind `@`, `facts` how many name it."""

    name: str
    facts: int
    last_day: str | None
    aliases: list[str]
    path: str | None
    flags: list[str]


class AmbiguousName(TypedDict):
    """A name that several entities claim; it stands for none of them."""

    name: str
    entities: list[str]


class NameCandidate(TypedDict):
    """Two names that may mean one entity: only a person joins them, by `merge`."""

    names: list[str]
    reason: str


class PageProblem(TypedDict):
    """A page, or log, that was left alone, and why."""

    path: str
    reason: str


class EntityList(TypedDict):
    """Who is who. `problems` are pages and logs that cannot be read now."""

    entities: list[EntityRow]
    ambiguous: list[AmbiguousName]
    candidates: list[NameCandidate]
    problems: list[PageProblem]


class EntityFact(TypedDict):
    """A fact that names an entity; `source` is where it stands."""

    id: str
    day: str
    kind: str
    content: str
    source: str


class LearnedAlias(TypedDict):
    """An alias that a fact states and no page has."""

    alias: str
    fact: EntityFact


class EntityOpinion(TypedDict):
    """An opinion of the ledger about an entity."""

    statement: str
    confidence: float | None
    updated: str | None


class EntityDetail(TypedDict):
    """An entity with what its page sums up, and its newest facts."""

    name: str
    facts: int
    last_day: str | None
    aliases: list[str]
    path: str | None
    flags: list[str]
    others: list[str]
    learned: list[LearnedAlias]
    summary: list[str]
    newest: list[EntityFact]
    opinions: list[EntityOpinion]


class PageChange(TypedDict):
    """A page that reflection changed, or would change: then `diff` shows how."""

    path: str
    reason: str
    diff: str


class EntityChanged(TypedDict):
    """What a command did, or would do, to pages; `note` says why nothing, or what to know."""

    entity: str
    applied: bool
    changes: list[PageChange]
    links: dict[str, int]
    note: str
    entries: list[int]


class Reflected(TypedDict):
    """What a reflection did, or would do."""

    dry_run: bool
    facts: int
    entities: int
    opinions: int
    changes: list[PageChange]
    problems: list[PageProblem]
    quality: str
    seconds: float
    interrupted: bool


class HygieneItem(TypedDict):
    """Something to tidy at `path`, and what became of it."""

    id: str
    kind: Literal["archive", "duplicate_document", "duplicate_fact", "stale_document"]
    action: Literal["move", "delete", "merge", "remove_line", "review"]
    path: str
    target: str | None
    line: int | None
    target_line: int | None
    fact: str | None
    target_fact: str | None
    text: str | None
    alike: float | None
    own_lines: int | None
    target_own_lines: int | None
    age_days: int | None
    reasons: list[str]
    applied: bool
    problem: str


class HygieneReport(TypedDict):
    """What a run did and found; `counts` also those items, by kind, that are too many to list."""

    dry_run: bool
    started: str
    seconds: float
    items: list[HygieneItem]
    counts: dict[str, int]
    archived: int
    expired: dict[str, int]
    optimised: dict[str, Any]
    entries: list[int]


class ForgetPlace(TypedDict):
    """Lines that go, or change, or a whole document (`delete`), and why. Lines count from 1."""

    path: str
    line: int
    line_end: int
    text: str
    why: Literal[
        "fact", "text", "within", "paraphrase", "derived", "evidence", "opinion", "proposal"
    ]
    action: Literal["remove", "change", "delete"]


class ForgetLeft(TypedDict):
    """What stays: copies that hippod does not change, names of documents that say it, and facts"""

    why: Literal["transcript", "file", "name", "nameless", "git", "similar"]
    path: str
    line: int | None
    id: str | None
    text: str | None


class ForgetProblem(TypedDict):
    """What could not be done: it still stands there. `conflict`: trying again may help."""

    path: str
    reason: str
    conflict: bool


class Forgotten(TypedDict):
    """What was forgotten, or would be."""

    applied: bool
    plan: str
    widespread: bool
    facts: list[str]
    places: list[ForgetPlace]
    left: list[ForgetLeft]
    problems: list[ForgetProblem]
    kept: dict[str, int]
    tombstones: int
    seconds: float


class Opinion(TypedDict):
    """An opinion as the ledger has it; the counts are of its evidence."""

    id: str | None
    statement: str
    confidence: float | None
    prior: float | None
    entities: list[str]
    updated: str | None
    source: str
    supports: int
    contradicts: int
    pending: int
    related: int
    contested: bool
    edited: bool


class OpinionList(TypedDict):
    """The opinions in the order of the ledger; `problems` are what hippod leaves alone there."""

    opinions: list[Opinion]
    problems: list[str]


class OpinionChanged(TypedDict):
    """An opinion whose confidence was set, or would be."""

    id: str | None
    statement: str
    before: float | None
    after: float


class OpinionsRecomputed(TypedDict):
    """What recomputing changed, or would change; no model is asked."""

    dry_run: bool
    opinions: int
    changed: list[OpinionChanged]
    diff: str


class ProposalRow(TypedDict):
    """A proposed change of MEMORY.md, and what became of it; `day` is when it was made."""

    id: str
    action: Literal["add", "replace", "move"]
    status: Literal["open", "accepted", "rejected", "obsolete"]
    title: str
    day: str | None
    reason: str
    file: str


class ProposalList(TypedDict):
    """The proposals in the order of the page; `problems` say why it cannot be read."""

    proposals: list[ProposalRow]
    problems: list[str]


class ProposalDetail(TypedDict):
    """A proposal with its lines: `diff` is what accepting it does."""

    id: str
    action: Literal["add", "replace", "move"]
    status: Literal["open", "accepted", "rejected", "obsolete"]
    title: str
    day: str | None
    reason: str
    file: str
    evidence: list[str]
    section: str
    to: str
    diff: str


class ProposalDecided(TypedDict):
    """A proposal after the decision, and the pages that it changed."""

    id: str
    action: Literal["add", "replace", "move"]
    status: Literal["open", "accepted", "rejected", "obsolete"]
    title: str
    day: str | None
    reason: str
    file: str
    changes: list[PageChange]
    entries: list[int]


class LinkStatus(TypedDict):
    """A symbolic link in the workspace, and why it is not followed if it is not."""

    path: str
    target: str
    followed: bool
    reason: str


class WorkspaceStatus(TypedDict):
    """The workspace as the last scan found it."""

    path: str
    layout: str
    timezone: str
    gone: str
    documents: int | None
    skipped: dict[str, str]
    oddities: dict[str, str]
    unreadable: list[str]
    links: list[LinkStatus]
    excluded: int
    unlisted: int
    roots: dict[str, int]


class StateStatus(TypedDict):
    """How the state is stored; `recovered_from` names a damaged file that was moved aside."""

    journal_mode: str
    recovered_from: str | None
    last_backup: str | None


class Job(TypedDict):
    """A scheduled job and its last run."""

    name: str
    schedule: str
    next_run: str | None
    last_run: str | None
    last_seconds: float | None
    last_outcome: str | None
    last_error: str
    last_due: str | None
    missed: int
    tokens: int
    skipped: int
    paused: bool
    running: bool


class ConfigValue(TypedDict):
    """A configured value and where it comes from: `default`, a file, a variable."""

    value: Any
    source: str


class ConfigStatus(TypedDict):
    """What a look at the configuration's file finds now."""

    file: str | None
    faults: list[str]
    waiting: list[str]
    needs_restart: list[str]


class Status(TypedDict):
    """Everything about a running daemon on one screen."""

    ok: bool
    version: str
    wire: int
    pid: int | None
    uptime_seconds: float | None
    socket: str | None
    workspace: WorkspaceStatus | None
    index: dict[str, Any] | None
    retain: dict[str, Any] | None
    watch: dict[str, Any] | None
    crashes: dict[str, dict[str, Any]] | None
    encoder: dict[str, Any] | None
    generator: dict[str, Any] | None
    embedder: dict[str, Any] | None
    state: StateStatus | None
    jobs: list[Job] | None
    bank: dict[str, Any] | None
    hygiene: dict[str, Any] | None
    heartbeat: dict[str, Any] | None
    notes: dict[str, str] | None
    mcp: dict[str, Any] | None
    settings: dict[str, ConfigValue] | None
    config: ConfigStatus | None


class Finding(TypedDict):
    """What one check found: `said` in one sentence, `fix` what to do about it."""

    name: str
    group: str
    state: Literal["ok", "warn", "fail", "skipped"]
    said: str
    fix: str
    fixed: bool


class Diagnosis(TypedDict):
    """All findings; `state` is the worst of them (`ok`, `warn` or `fail`)."""

    state: Literal["ok", "warn", "fail", "skipped"]
    findings: list[Finding]
    seconds: float
    version: str


class Health(TypedDict):
    """The daemon answers; clients compare `wire` with the version that they speak."""

    ok: bool
    version: str
    wire: int


class JobList(TypedDict):
    """The scheduled jobs."""

    jobs: list[Job]


class BeatItem(TypedDict):
    """An item of the checklist in one beat."""

    text: str
    kind: str
    line: int
    state: str
    reason: str
    evidence: list[str]
    told: bool


class Beat(TypedDict):
    """What a heartbeat did."""

    started: str
    outcome: Literal["ok", "attention", "skipped", "failed", "interrupted"]
    reason: str
    items: list[BeatItem]
    reflected: bool
    tidied: bool
    tokens: int
    calls: int
    seconds: float
    quiet: bool
    dry_run: bool
    reply: str
    problems: list[str]


class BeatList(TypedDict):
    """Beats, the newest first."""

    beats: list[Beat]


class Reindexed(TypedDict):
    """What a reindex did, in documents (`units` and vectors for those that changed)."""

    indexed: int
    unchanged: int
    removed: int
    units: int
    embedded: int
    rejected: int
    failed: int
    stopped: bool
    seconds: float
    vectors_pending: int


class Counts(TypedDict):
    """Records by type."""

    facts: int
    opinions: int
    entities: int


class RefusedRecord(TypedDict):
    """A line of an export, or a part of it, that was not taken, and why."""

    line: int
    reason: str


class Imported(TypedDict):
    """What an import did, or with `dry_run` would do."""

    batch: str
    dry_run: bool
    added: Counts
    extended: Counts
    standing: Counts
    reworded: int
    refused: list[RefusedRecord]
    paths: list[str]
    entries: list[int]
    undone: list[int]
    conflicts: list[str]
    ended: bool


class ConfigReloaded(TypedDict):
    """Which keys count anew after a reload, and which are as they were until a restart."""

    changed: list[str]
    needs_restart: list[str]
