"""The verbs' fields and answers as they go over the wire: one vocabulary for all doors.

The library, HTTP, the CLI and MCP use these models, so a verb has the same fields everywhere.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from hippod.scope import Scope

WIRE_VERSION = 1

Kind = Literal["world", "experience", "opinion", "observation", "document"]
Mode = Literal["hybrid", "lexical", "vector"]
Fusion = Literal["zscore", "rrf"]
Trust = Literal["written", "extracted"]
Stance = Literal["supports", "contradicts"]
Format = Literal["hits", "agent"]

MAX_QUERY = 4_000
"""Characters of a query that are read; the rest is cut and the answer says so."""
MAX_LIMIT = 100
MAX_ENTRY = 2**62
"""Number of a journal entry."""
MAX_LINE = 2**31 - 1
MAX_CONTEXT = 50
MAX_NAMES = 100
"""Kinds or entities that one question may name."""
MAX_FACTS = 1000
"""Facts that one request may state: it is taken or refused as a whole, while others wait."""


def _text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError("is not valid Unicode text") from None
    return value


Text = Annotated[str, AfterValidator(_text)]
"""Text that can be written and stored; JSON can also name half a surrogate pair."""


class Model(BaseModel):
    """A wire object: unknown fields are refused, values are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Request(Model):
    """What every request carries."""

    scope: Scope = "main"
    """Whose eyes: `group` sees only what `[privacy] group_paths` lists."""


class RecallRequest(Request):
    """A question. Dates take `YYYY-MM-DD`, a year, a month, or an age such as `30d`."""

    query: str
    """What is asked, in any words; the first 4,000 characters are read."""
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] = 10
    """Most hits."""
    since: Text | None = None
    """Only what is of this day or later."""
    until: Text | None = None
    """Only what is of this day or earlier."""
    as_of: Text | None = None
    """What was known and held on that day."""
    kind: Annotated[tuple[Kind, ...], Field(max_length=MAX_NAMES)] = ()
    """Only these kinds."""
    entity: Annotated[tuple[Text, ...], Field(max_length=MAX_NAMES)] = ()
    """Only what names one of these."""
    path: Annotated[Text, Field(max_length=MAX_QUERY)] | None = None
    """Only documents at this path or glob."""
    mode: Mode = "hybrid"
    """Search by words, by meaning, or both."""
    fusion: Fusion | None = None
    """How both lists become one; without it `[recall] fusion`."""
    bm25_weight: Annotated[float, Field(ge=0, le=1)] | None = None
    """Weight of the words; without it that of the configuration."""
    vector_weight: Annotated[float, Field(ge=0, le=1)] | None = None
    """Weight of the vectors; without it that of the configuration."""
    min_score: Annotated[float, Field(ge=0, le=1)] | None = None
    """Only hits whose words or meaning match so well."""
    rrf_k: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Constant of reciprocal rank fusion; without it that of the configuration."""
    budget_tokens: Annotated[int, Field(ge=1)] | None = None
    """Most tokens of the answer's text; a first hit that is too long alone is cut ("… [cut]")."""
    context_lines: Annotated[int, Field(ge=0, le=MAX_CONTEXT)] = 0
    """Lines before and after each hit, as its document stands now."""
    explain: bool = False
    """Also say what was understood, and of each hit why it ranks where it does."""
    format: Format = "hits"
    """`agent`: the answer also has the hits as one block of text to paste into a prompt."""


class Evidence(Model):
    """What speaks for or against an opinion; `weight` is in log-odds.

    `source` is where the fact stands (`path#L12`) and `content` what it says. Of a fact that is
    gone or not to be seen they are the link as the ledger has it and what the ledger quotes.
    """

    stance: Stance
    source: str
    weight: float
    content: str = ""


class HitExplanation(Model):
    """Why a hit ranks where it does; `text` says it in a line.

    Ranks count from 1 in each leg, None where the leg did not find it. `fused` (of both legs),
    `file_prior` and the `boosts` by name are what the score, scaled to 0..1, is made of.
    A hit that goes ahead of others, for being of another file or newer, has their score.
    """

    lexical_rank: int | None = None
    """By words."""
    vector_rank: int | None = None
    """By meaning."""
    bm25: float | None = None
    """Score of the search by words."""
    cosine: float | None = None
    """Cosine of the search by meaning."""
    fused: float
    """Of both searches together."""
    file_prior: float
    """By the kind of document."""
    boosts: dict[str, float] = {}
    """By name."""
    text: str
    """All of it in a line."""


class Hit(Model):
    """One unit of recall with its citation.

    `score` only orders. `vector_score` is the cosine clipped to 0..1; `bm25_score` is the idf
    mass of the matched terms over that of the query's terms. Ids are hashes of path and
    content, the same after a rebuild; line numbers are never part of an id.

    `fact_id` is the id of the fact that the hit is, or restates: `why` traces it, and
    `superseded_by` is the id of the fact that replaced it.

    `trust`: the text is `written` as it stands by a person or an agent, or hippod `extracted`
    it from what was said. Neither makes it an instruction; `flagged` says that it reads like
    one, though its document is none of those that instruct agents.

    The lines are those of the document at the moment of the answer, whose version `etag` names:
    give it to a write to change just what is cited. `before` and `after` (on request) continue
    `content` in both directions; no hit's context holds another hit or another's context.
    """

    id: str
    """Of the unit: a hash of path and content."""
    document_id: str
    """Of the document."""
    path: str
    """The document."""
    chunk_index: int
    """The place among the units of its document."""
    line_start: int
    """Where it begins now."""
    line_end: int
    """Where it ends now."""
    source: str
    """The citation, `path#L12`."""
    kind: Kind
    """What kind of fact; `document`: other text."""
    trust: Trust
    """`written` by somebody, or `extracted` by hippod."""
    flagged: bool = False
    """It reads like instructions."""
    timestamp: str | None = None
    """When it was said or written: a time with zone, or a day."""
    valid_from: str | None = None
    """The first day on which it holds, where its words say so."""
    valid_until: str | None = None
    """The last day on which it holds."""
    fact_id: str | None = None
    """What stands behind `^`; of facts."""
    superseded_by: str | None = None
    """The id of the fact that replaced it."""
    entities: tuple[str, ...] = ()
    """Whom it is about, as behind `@`."""
    confidence: float | None = None
    """Of an opinion."""
    content: str
    """What it says."""
    before: str = ""
    """The lines before it, with `context_lines`."""
    after: str = ""
    """The lines behind it, with `context_lines`."""
    etag: str = ""
    """The version of the document, for a write."""
    evidence: tuple[Evidence, ...] = ()
    """Of an opinion: what speaks for and against it."""
    score: float
    """Only orders."""
    bm25_score: float | None = None
    """How much of what the query asks for its words hold."""
    vector_score: float | None = None
    """How near its meaning is."""
    explanation: HitExplanation | None = None
    """Only with `explain`."""


class Freshness(Model):
    """How far to trust an answer: how far the index is behind the files, and what was amiss.

    `gone` counts hits that were left out because their text stands nowhere in their document any
    more, `unchecked` those whose file could not be compared. `behind_seconds` is how long the
    oldest of the `pending` files waits. `vectors_pending` is None where nobody can tell, and
    `vectors_parked` texts cannot be embedded. `text` says all of it in a sentence:
    "0.2 s behind, 0 files pending, vectors complete; the lexical search failed".
    """

    pending: int
    vectors_pending: int | None
    vectors_parked: int = 0
    behind_seconds: float
    updated: str | None
    gone: int = 0
    unchecked: int = 0
    text: str = ""


class Budget(Model):
    """What an answer costs: `used` of `tokens`, never more.

    Counted is what is handed over: with format `agent` all of `text`, else of each hit its
    `source`, `before`, `content`, `after` and evidence. `counted_by` names the tokenizer, or says
    that it is an estimate. `left_out` hits did not fit; later ones that did are there.
    """

    tokens: int
    used: int
    counted_by: str
    left_out: int = 0


class ReadTime(Model):
    """A span of time that a question names, in days; it lifts hits and filters none."""

    text: str
    since: str | None
    until: str | None
    precision: Literal["day", "week", "month", "year"]
    around: bool = False


class ReadEvent(Model):
    """A time told by an event ("since the move"), and the unit that was taken for its date."""

    text: str
    bound: Literal["since", "until", "around"]
    day: str | None = None
    source: str | None = None


class Understood(Model):
    """What a question was taken to mean.

    `entities` maps names found in it to all the names of the same entity; it is `about` those of
    them that it asks for alone. `since`, `until` and `as_of` are the filters that were given;
    `times` were read from the text, and `state_at` is the day whose state it asks for.
    """

    terms: tuple[str, ...]
    """The words that are searched."""
    dropped_terms: tuple[str, ...] = ()
    """Words that were left out."""
    entities: dict[str, tuple[str, ...]] = {}
    """Names found in it, with all names of each."""
    about: tuple[str, ...] = ()
    """Those of them that it asks for."""
    asks_opinion: bool = False
    """It asks what somebody thinks or likes."""
    times: tuple[ReadTime, ...] = ()
    """Times that it names."""
    state_at: str | None = None
    """The day whose state is asked for."""
    event: ReadEvent | None = None
    """What the question takes its bound from."""
    since: str | None = None
    """The filter that was given."""
    until: str | None = None
    """The filter that was given."""
    as_of: str | None = None
    """The filter that was given."""


class RecallAnswer(Model):
    """Hits, best first, with what was understood and which legs answered.

    `legs` maps `lexical` and `vector` to `ok`, `off` (not asked for, or no embedder),
    `empty` (the query has no term for it) or `failed`; `degraded` is true if a leg that was
    asked for failed, `weak` if little speaks for any hit: hardly a word of the question, no close
    meaning, none of its names. `text` (format `agent`) quotes the hits in one `<hippod-memory>`
    block that nothing in them can close.
    """

    hits: tuple[Hit, ...]
    """The best first."""
    understood: Understood | None = None
    """Only with `explain`."""
    text: str | None = None
    """The hits as one `<hippod-memory>` block, with `format` `agent`."""
    legs: dict[str, str]
    """Of both searches, `lexical` and `vector`, how each went."""
    weak: bool = False
    """Little speaks for any hit."""
    degraded: bool = False
    """A search that was asked for failed."""
    truncated: bool = False
    """The question was too long and was cut."""
    freshness: Freshness
    """How far behind the index is."""
    budget: Budget | None = None
    """What the answer took of `budget_tokens`."""
    took_ms: float
    """Milliseconds."""


class TreeEntry(Model):
    """One name in a folder of the workspace; `path` is relative to its root."""

    name: str
    path: str
    is_directory: bool


class Tree(Model):
    """Entries below `directory`, sorted by path."""

    directory: str
    entries: tuple[TreeEntry, ...]


class FileContent(Model):
    """A document as it stands: `etag` is what `write` and `replace` compare with."""

    path: str
    content: str
    etag: str
    size: int
    modified: str


class Written(Model):
    """The result of a write: `changed` is false where the bytes were already so.

    After a move `path` is the new path and `moved_from` the old one.
    """

    path: str
    """The document."""
    etag: str
    """Its version now."""
    changed: bool
    """False: it was so already."""
    line: int | None = None
    """The first line of what was written."""
    moved_from: str | None = None
    """Where the document stood before."""


class WriteRequest(Request):
    """Replace a whole document. `etag` None: whatever stands there; `""`: it must not exist."""

    content: Text
    """The whole document."""
    etag: Text | None = None
    """Only if the document is still this version; `""`: only if it is new."""


class AppendAction(Request):
    """Add text at the end of a document, on a line of its own."""

    action: Literal["append"]
    """`append`."""
    content: Text
    """What is added at the end."""
    etag: Text | None = None
    """Only if the document is still this version."""


class ReplaceAction(Request):
    """Replace the one place where `old` stands by `new`."""

    action: Literal["replace"]
    """`replace`."""
    old: Annotated[Text, Field(min_length=1)]
    """What stands there, in one place."""
    new: Text
    """What stands there then."""
    etag: Text | None = None
    """Only if the document is still this version."""


class InsertAction(Request):
    """Insert text on lines of its own before line `line`, from 1; last line + 1 appends."""

    action: Literal["insert"]
    """`insert`."""
    line: Annotated[int, Field(ge=1, le=MAX_LINE)]
    """Before this line, from 1."""
    content: Annotated[Text, Field(min_length=1)]
    """What is inserted."""
    etag: Text | None = None
    """Only if the document is still this version."""


class MoveAction(Request):
    """Give a document another path, where nothing may stand yet; its bytes stay as they are.

    The ids of its hits and its `document_id` change, since they are hashes of path and content;
    ids of facts (`^id`) stay. Links to it are not rewritten.
    """

    action: Literal["move"]
    """`move`."""
    to: Annotated[Text, Field(min_length=1)]
    """The new path."""
    etag: Text | None = None
    """Only if the document is still this version."""


FileAction = Annotated[
    AppendAction | ReplaceAction | InsertAction | MoveAction, Field(discriminator="action")
]


class DailyLog(Model):
    """The daily log of `date` (ISO day in the user's zone); empty content if none exists.

    `others` are further logs of that day: an archived one, or what a folder is synchronised with.
    """

    date: str
    path: str
    content: str
    exists: bool
    others: tuple[str, ...] = ()


class NoteRequest(Request):
    """Append `[HH:MM:SS] text` to a daily log (default: today's)."""

    text: Annotated[Text, Field(min_length=1)]
    """What is noted."""
    date: Text | None = None
    """The day; without it today."""


class TreeRequest(Request):
    """List a folder; `directory` empty: the whole workspace."""

    directory: Text = ""
    recursive: bool = False


class DeleteRequest(Request):
    """Delete a document; `etag` as in `WriteRequest`."""

    etag: Text | None = None


class Message(Model):
    """One message of a conversation, as an agent or a hook hands it over."""

    role: Literal["user", "assistant", "tool", "system"]
    """Who speaks."""
    content: Text
    """What was said."""
    timestamp: Text | None = None
    """When it was said; without it now."""
    name: Text | None = None
    """The speaker's name."""
    id: Text | None = None
    """Its id in that conversation, if it has one."""


class RetainRequest(Request):
    """Hand over messages or facts, or end a session.

    `facts` are up to 1,000 bullets of the fact grammar, stored as they are, but redacted; one that
    says what a fact of recent days says, number by number and word by word, or that instructs a
    model, is refused.
    `messages` go through extraction. `flush` extracts what waits of `session` (or of every
    session if none is named) now instead of after the debounce. `ended` does so too, and says
    that `session` is over: its working memory goes.
    """

    messages: tuple[Message, ...] = ()
    """What was said, the oldest first."""
    facts: Annotated[tuple[Text, ...], Field(max_length=MAX_FACTS)] = ()
    """Statements to keep as they are."""
    session: Text | None = None
    """Name of the conversation."""
    flush: bool = False
    """Extract now what waits, without waiting for quiet."""
    ended: bool = False
    """The session is over: its working memory goes, too."""
    wait: bool = False
    """Answer after the extraction instead of at once."""
    explain: bool = False
    """Also return what was rejected, with reasons (implies wait)."""


class StoredFact(Model):
    """A fact that now stands in Markdown."""

    id: str
    path: str
    line: int
    source: str
    bullet: str


class Rejected(Model):
    """A candidate that was not stored, why, and where it was said (`main/3f2a#m12`)."""

    text: str
    """The sentence."""
    reason: str
    """Why it was not stored."""
    source: str | None = None
    """Where it was said, such as `main/3f2a#m12`."""
    path: str | None = None
    """The file in which it stands."""


class RetainAnswer(Model):
    """What became of a retain request; `queued` counts turns that wait for extraction.

    `stored` are the facts that stand now, also where they stood before. `rejected` are refused
    facts; with `explain` all that was rejected meanwhile.
    """

    queued: int
    stored: tuple[StoredFact, ...] = ()
    rejected: tuple[Rejected, ...] = ()


TranscriptState = Literal["there", "changed", "gone"]
Standing = Literal["stands", "edited", "undone", "deleted"]
Stated = Literal["transcript", "client", "person", "derived", "document", "opinion"]
EvidenceRole = Literal["supports", "contradicts", "pending", "related"]


class Quote(Model):
    """A turn, redacted, as it was kept; `cited` says that the fact rests on it."""

    turn: str
    role: str
    speaker: str | None
    time: str | None
    text: str
    line: int
    cited: bool


class Said(Model):
    """Where a fact was said.

    `path` and `line` are those of the transcript when it was read; `transcript` says whether it
    is still there, was `changed` (so lines may have moved) or is `gone`, and is None where there
    never was one. `quotes` are empty where none were kept.
    """

    source: str
    """The name of the source."""
    session: str
    """The conversation."""
    turns: tuple[str, ...]
    """The turns that it rests on."""
    path: str | None = None
    """The transcript."""
    line: int | None = None
    """The line in it."""
    transcript: TranscriptState | None = None
    """Whether it still stands there."""
    quotes: tuple[Quote, ...] = ()
    """Their words, as they were kept."""


class Opinion(Model):
    """An opinion as the ledger has it; the counts are of its evidence.

    `confidence` is what is written; `edited` says that `prior` and weights give another one.
    Without a prior hippod leaves it as it is.
    `pending` counts what waits to count, `contested` says that recent evidence is divided. `id`
    is None of one that a person wrote.
    """

    id: str | None
    """None, if a person wrote it."""
    statement: str
    """What is believed."""
    confidence: float | None
    """As the ledger has it."""
    prior: float | None = None
    """Confidence before the first evidence."""
    entities: tuple[str, ...] = ()
    """Whom it is about."""
    updated: str | None = None
    """The day of the ledger's last change."""
    source: str
    """Where it stands."""
    supports: int = 0
    """How many pieces speak for it."""
    contradicts: int = 0
    """How many speak against it."""
    pending: int = 0
    """How many wait to count."""
    related: int = 0
    """How many speak for neither side."""
    contested: bool = False
    """Recent evidence speaks for both."""
    edited: bool = False
    """Its confidence does not follow from its evidence."""


class OpinionEvidence(Model):
    """A fact that an opinion cites, in the order of the ledger; `weight` is in log-odds.

    `link` is as written. `source` is where the fact stands now, None if it is gone; `content`
    what it says, of one that is gone what the ledger quotes.
    """

    role: EvidenceRole
    """What it speaks for."""
    weight: float
    """In log-odds."""
    link: str
    """As the ledger has it."""
    fact: str
    """The id of the fact."""
    day: str | None = None
    """The day that it is of."""
    source: str | None = None
    """Where the fact stands, as `path#L12`."""
    content: str = ""
    """What the fact says."""


class OpinionDetail(Opinion):
    """An opinion with its evidence; `computed` is the confidence that prior and weights give."""

    computed: float | None = None
    """The confidence that follows from the ledger now."""
    evidence: tuple[OpinionEvidence, ...] = ()
    """The ledger, piece by piece."""


class Premise(Model):
    """A fact that a derived one repeats; `source` is where it stands now, None if it is gone.

    Of one that a person wrote and that is edited since, `source` is the day's log and `fact` empty.
    """

    fact: str
    """Its id."""
    source: str | None = None
    """Where it stands, as `path#L12`."""
    content: str = ""
    """What it says."""


class Why(Model):
    """Where a fact comes from, from its bullet down to the turns.

    `standing`: it stands as it was written, `edited`, or nowhere: `undone` or `deleted`. `path`,
    the lines and `bullet` are as of now, `written` and `written_to` what hippod wrote. `origin`
    says who stated it: a `transcript`, a `client` of retain, a `person`; or hippod itself, then it
    is `derived` from the facts in `derived_from`; or it is no fact at all
    but an `opinion`, which the field of that name takes apart, or other text of a `document`.
    `made_by` is the model or strategy that worded it.
    """

    id: str
    """What was asked for, whole."""
    standing: Standing
    """Whether it still stands as it was written."""
    origin: Stated
    """Who stated it."""
    path: str | None = None
    """The document in which it stands."""
    line: int | None = None
    """The line on which it stands."""
    line_end: int | None = None
    """The last line."""
    source: str | None = None
    """The citation, `path#L12`."""
    bullet: str | None = None
    """The line as it stands."""
    written: str | None = None
    """The line as hippod wrote it, where that is known."""
    written_to: str | None = None
    """The document to which hippod wrote it."""
    written_at: str | None = None
    """When hippod wrote it."""
    made_by: str | None = None
    """The model, or `rules`, that worded it."""
    said: Said | None = None
    """Where it was said, and the words."""
    opinion: OpinionDetail | None = None
    """The ledger, if it is an opinion."""
    derived_from: tuple[Premise, ...] = ()
    """What hippod made it of."""


class LogRequest(Request):
    """Ask for journal entries, the newest first, of all documents or of a path or glob."""

    path: Annotated[Text, Field(max_length=MAX_QUERY)] | None = None
    limit: Annotated[int, Field(ge=1, le=1000)] = 50


class Logged(Model):
    """A change that hippod made to a document.

    `bytes` were appended, or are in the document since (of a deletion: were in it). `target` is
    where a renaming (operation `rename`) took the document at `path`. `undoes` is
    the entry that this one took back, `undone_by` the one that took this one back.
    """

    id: int
    """What `hippod undo` takes."""
    time: str
    """When."""
    operation: str
    """What was done."""
    path: str
    """The document."""
    target: str | None = None
    """Where a moved document went."""
    actor: str
    """Who did it."""
    finished: bool
    """False: it was cut off."""
    bytes: int
    """How much was written."""
    preview: str
    """How it begins."""
    undoes: int | None = None
    """The change that this one takes back."""
    undone_by: int | None = None
    """The change that took this one back."""


class Log(Model):
    """Entries of the journal, newest first."""

    entries: tuple[Logged, ...]


class LoggedChange(Logged):
    """A change with what it changed; `note` says if the diff is not exactly that."""

    diff: str
    """What it changed."""
    note: str = ""
    """Where the diff is not exactly that."""


class UndoRequest(Request):
    """Take a change back; `dry_run`: only say what would happen."""

    id: Annotated[int, Field(ge=1, le=MAX_ENTRY)]
    """The number of the change."""
    dry_run: bool = False
    """Only say what would happen."""


class Undone(Model):
    """What became of an undo, or would: `diff` is what it changes in `path`.

    Of a move, `moved_from` is the path that the document leaves to be at `path` again, with what
    was edited since.

    `conflict` (in a dry run) says why it is refused; then `diff` is what it would have changed,
    and `since` what was edited since that change, where that is known. `entry` is the journal's
    entry of the undo: undoing that one brings the change back.
    """

    id: int
    """The change that is taken back."""
    path: str
    """The document."""
    applied: bool
    """Whether it was done."""
    entry: int | None = None
    """The number of this change."""
    diff: str = ""
    """What it changes."""
    conflict: str | None = None
    """Why it cannot be taken back, with the differences."""
    since: str = ""
    """What was edited since that change."""
    moved_from: str | None = None
    """Where the document stood before."""


class ReindexRequest(Request):
    """Look at every file again; `full` rebuilds the index from nothing."""

    full: bool = False
    """Make the index anew from nothing."""


class Reindexed(Model):
    """What a reindex did, in documents (`units` and vectors for those that changed).

    `vectors_pending` texts get their vectors later, in the background.
    """

    indexed: int
    unchanged: int
    removed: int
    units: int
    embedded: int
    rejected: int
    failed: int
    stopped: bool
    seconds: float
    vectors_pending: int = 0


class Job(Model):
    """A scheduled job and its last run.

    `last_due` is when the schedule wanted that run, or when it came within a scheduled heartbeat
    or for many new facts (null: somebody asked for it), `missed` how
    many earlier times it made up for, `tokens` what it cost. `skipped` counts, over all time, the
    times at which the job was due and left out.
    """

    name: str
    """The job."""
    schedule: str
    """When it is due."""
    next_run: str | None
    """When it comes next."""
    last_run: str | None
    """When it began last."""
    last_seconds: float | None
    """How long that took."""
    last_outcome: str | None
    """How it ended."""
    last_error: str = ""
    """What went wrong."""
    last_due: str | None = None
    """The time that its last run was for."""
    missed: int = 0
    """Earlier times that it made up for."""
    tokens: int = 0
    """What it cost."""
    skipped: int = 0
    """Times that were left out, ever."""
    paused: bool = False
    """It is held back."""
    running: bool = False
    """It is at work."""


class JobList(Model):
    """The scheduled jobs."""

    jobs: tuple[Job, ...]


class ConfigValue(Model):
    """A configured value and where it comes from: `default`, a file, a variable."""

    value: Any
    source: str


class ConfigReloaded(Model):
    """Which keys count anew after a reload, and which are as they were until a restart."""

    changed: tuple[str, ...]
    needs_restart: tuple[str, ...]


class Health(Model):
    """The daemon answers; clients compare `wire` with the version that they speak."""

    ok: bool = True
    """It answers."""
    version: str
    """Of hippod."""
    wire: int = WIRE_VERSION
    """Of this interface."""


class LinkStatus(Model):
    """A symbolic link in the workspace, and why it is not followed if it is not."""

    path: str
    target: str
    followed: bool
    reason: str


class WorkspaceStatus(Model):
    """The workspace as the last scan found it.

    `skipped` and `oddities` give reasons by path: files that are no documents though they look
    like it, and documents whose text is not all that stands in them. `unlisted` counts what
    does not fit into the lists. `roots` counts the documents of each folder right below the
    workspace, of those too that have none; the workspace's own stand under an empty name. `gone`
    says that it is not there any more, or that another folder stands in its place.
    """

    path: str
    layout: str
    timezone: str
    gone: str = ""
    documents: int | None = None
    skipped: dict[str, str] = {}
    oddities: dict[str, str] = {}
    unreadable: tuple[str, ...] = ()
    links: tuple[LinkStatus, ...] = ()
    excluded: int = 0
    unlisted: int = 0
    roots: dict[str, int] = {}


class StateStatus(Model):
    """How the state is stored; `recovered_from` names a damaged file that was moved aside.

    `last_backup` is when all of the last one was read that this daemon was asked for.
    """

    journal_mode: str
    recovered_from: str | None
    last_backup: str | None = None


class ConfigStatus(Model):
    """What a look at the configuration's file finds now.

    With `faults` a reload is refused and the next start fails; what it says otherwise than the
    daemon does waits for a reload (`waiting`) or for a restart.
    """

    file: str | None = None
    """The configuration file; none if there is none."""
    faults: tuple[str, ...] = ()
    """What is wrong in it."""
    waiting: tuple[str, ...] = ()
    """Keys that a reload would make count."""
    needs_restart: tuple[str, ...] = ()
    """Keys that only a restart makes count."""


class Status(Health):
    """Everything about a running daemon on one screen.

    Scope `group` gets the fields of `Health` alone, the others null. `notes` says by role why a
    model is not there; `index`, `retain`, `watch` and the models' parts may gain keys. `crashes`
    tells by worker how often it failed inside hippod since the start, and was begun again.
    `mcp` tells of the listener: its address, whether it is open, and what is wrong with it.
    `settings` lists what is configured otherwise than by default, and where; `config` whether the
    file still says what the daemon does.
    """

    pid: int | None = None
    """Process id of the daemon."""
    uptime_seconds: float | None = None
    """Since its start."""
    socket: str | None = None
    """Where it listens."""
    workspace: WorkspaceStatus | None = None
    """The folder, and what is in it."""
    index: dict[str, Any] | None = None
    """What recall searches."""
    retain: dict[str, Any] | None = None
    """How far transcripts were read."""
    watch: dict[str, Any] | None = None
    """Who tells of changes."""
    crashes: dict[str, dict[str, Any]] | None = None
    """Parts that failed and were begun again."""
    encoder: dict[str, Any] | None = None
    """The model that picks sentences."""
    generator: dict[str, Any] | None = None
    """The language model."""
    embedder: dict[str, Any] | None = None
    """The model of the vectors."""
    state: StateStatus | None = None
    """The database of cursors and journal."""
    jobs: tuple[Job, ...] | None = None
    """The schedule."""
    bank: dict[str, Any] | None = None
    """What reflection made."""
    hygiene: dict[str, Any] | None = None
    """What it found last."""
    heartbeat: dict[str, Any] | None = None
    """The last one."""
    notes: dict[str, str] | None = None
    """By role, why a model is not there."""
    mcp: dict[str, Any] | None = None
    """The listener."""
    settings: dict[str, ConfigValue] | None = None
    """What is set otherwise than by default."""
    config: ConfigStatus | None = None
    """The file, and what of it waits."""
