"""The closing look: whether all that people wrote is there, nothing twice, and the index true."""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.processes import Daemon, wait_for

from bench.soak import people
from bench.soak.ledger import Claim
from hippod import daylog, facts
from hippod.client import Client
from hippod.wire import MAX_LIMIT

_QUIET_SECONDS = 2.0
_PATIENCE_SECONDS = 600
_LOGS = ("memory/*.md", "archive/*.md")
_FIELDS = (
    "id", "document_id", "path", "chunk_index", "line_start", "line_end", "source", "kind",
    "timestamp", "valid_from", "valid_until", "superseded_by", "entities", "confidence", "content",
)  # fmt: skip
_SCORES = ("score", "bm25_score", "vector_score")
_DIGITS = 4
_TRACEBACK = re.compile(r"Traceback \(most recent|\"level\": \"(?:error|critical)\"")

Hits = Mapping[str, Sequence[Any]]
"""What each question found."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A claim that does not hold: how often its text was `seen`."""

    word: str
    claim: Claim
    seen: int

    @property
    def bytes(self) -> int:
        """How many bytes are missing."""
        return min(map(len, self.claim.texts)) if self.seen < self.claim.least else 0

    def __str__(self) -> str:
        claim = self.claim
        where = claim.where or f"the logs, as {claim.kind}"
        often = f"{self.seen} times, not {claim.least} to {claim.most}"
        return f"{claim.who}: {self.word} in {where}: {often}"


def broken_claims(
    root: Path, claims: Mapping[str, Claim], working: Mapping[str, str]
) -> list[Wrong]:
    """Return the claims that the workspace (and the `working` memory by session) does not keep."""
    counts = _Counts(root, working)
    seen = {word: counts.of(claim) for word, claim in claims.items()}
    return [
        Wrong(word, claim, seen[word])
        for word, claim in claims.items()
        if not claim.least <= seen[word] <= claim.most
    ]


def duplicates(root: Path) -> list[str]:
    """Return the facts that stand twice: by their id anywhere, by their text within a day."""
    ids: Counter[str] = Counter()
    texts: Counter[tuple[str, str]] = Counter()
    for path, fact in _facts(root):
        ids.update([fact.id] if fact.id else [])
        texts[path, facts.normalise(fact.content)] += 1
    twice = [f"^{id_} stands {count} times" for id_, count in ids.items() if count > 1]
    return twice + [f"{key} stands {count} times" for key, count in texts.items() if count > 1]


def hits(ask: Callable[..., Mapping[str, Any]], questions: Iterable[str]) -> Hits:
    """Return what each question finds by its words, best first."""
    return {
        question: [_told(hit) for hit in ask(question, limit=MAX_LIMIT, mode="lexical")["hits"]]
        for question in questions
    }


def differences(before: Hits, after: Hits) -> list[str]:
    """Return the questions that are answered otherwise, and by what."""
    return [
        f"{question}: {_contrast(before[question], after[question])}"
        for question in before
        if before[question] != after[question]
    ]


def _contrast(before: Sequence[Any], after: Sequence[Any]) -> str:
    gone = [hit for hit in before if hit not in after]
    new = [hit for hit in after if hit not in before]
    names = (*_FIELDS, *_SCORES)
    pairs = ((old, hit) for old in gone for hit in new if old[0] == hit[0])
    fields = {
        name: (one, other)
        for old, hit in pairs
        for name, one, other in zip(names, old, hit, strict=True)
        if one != other
    }
    found = [", ".join(f"{hit[2]}:{hit[4]}" for hit in hits[:5]) for hits in (gone, new)]
    return f"{len(gone)} gone ({found[0]}), {len(new)} new ({found[1]}), fields {fields}"[:500]


def settle(daemon: Daemon) -> None:
    """Wait until nothing changes any more: no turn waits, no batch is open, all is indexed."""
    last, since = None, time.monotonic()

    def quiet() -> bool:
        nonlocal last, since
        time.sleep(0.2)
        daemon.client.retain(flush=True, wait=True)
        now = _state_of(daemon.client)
        if now != last or now[0]["batches_open"]:
            last, since = now, time.monotonic()
        return time.monotonic() - since > _QUIET_SECONDS and daemon.status_index_is_idle()

    wait_for(quiet, "all to come to rest", _PATIENCE_SECONDS)


def faults_in(log: str) -> list[str]:
    """Return the lines of a log that tell of a fault of hippod's own."""
    return [line[:2000] for line in log.splitlines() if _TRACEBACK.search(line)]


def _state_of(client: Client) -> Any:
    status = client.status()
    counts = status["index"].get("documents"), status["index"].get("units")
    return status["retain"], *counts, client.log(limit=1)["entries"]


def _told(hit: Mapping[str, Any]) -> tuple[str, ...]:
    scores = (f"{hit[name] or 0:.{_DIGITS}f}" for name in _SCORES)
    return (*(str(hit[name]) for name in _FIELDS), *scores)


class _Counts:
    """How often a text stands where it was claimed; each place is read once."""

    def __init__(self, root: Path, working: Mapping[str, str]) -> None:
        self._root, self._working = root, working
        self._places: dict[str, Counter[bytes]] = {}
        self._bullets = self._words(fact.content for _, fact in _facts(root))
        logs = (path.read_text("utf-8").splitlines() for path in _log_files(root))
        self._entries = self._words(
            line for lines in logs for line in lines if not line.startswith("- ")
        )

    def of(self, claim: Claim) -> int:
        """Count the texts of a claim."""
        return sum(self._place(claim)[text] for text in set(claim.texts))

    def _place(self, claim: Claim) -> Counter[bytes]:
        if claim.kind == "fact":
            return self._bullets
        if claim.kind == "entry":
            return self._entries
        if claim.where not in self._places:
            self._places[claim.where] = Counter(self._lines(claim))
        return self._places[claim.where]

    def _lines(self, claim: Claim) -> list[bytes]:
        if claim.kind == "working":
            return [self._working[claim.where].strip().encode()]
        if claim.kind == "branch":
            return people.git(self._root, "show", claim.where).encode().split(b"\n")
        return (self._root / claim.where).read_bytes().split(b"\n")

    def _words(self, lines: Iterable[str]) -> Counter[bytes]:
        found: Counter[bytes] = Counter()
        for line in lines:
            found.update({word.encode() for word in re.findall(r"\w+", line.casefold())})
        return found


def _facts(root: Path) -> Iterator[tuple[str, facts.Fact]]:
    for path in _log_files(root):
        for placed in daylog.parse(path.read_text("utf-8")).facts:
            yield path.name, placed.fact


def _log_files(root: Path) -> list[Path]:
    return [path for pattern in _LOGS for path in sorted(root.glob(pattern))]
