"""Documents in a dictionary, as the index sees a workspace."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from hippod import config, wire
from hippod.documents import FileStat, Scan
from hippod.errors import StorageError
from hippod.index import Index
from hippod.models import Embedder
from hippod.recall import recall
from hippod.scope import DEFAULT_GROUP_PATHS
from hippod.workspace import Loaded, Workspace
from tests.ledger import ListJournal

ZONE = ZoneInfo("Europe/Vienna")
NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)


class Notes(dict[str, str]):
    """Path to text. `broken` paths raise what they are given; `gone`: the workspace is away."""

    def __init__(self, texts: Mapping[str, str] | None = None) -> None:
        super().__init__(texts or {})
        self.broken: dict[str, Exception] = {}
        self.unreadable: tuple[str, ...] = ()
        self.gone = False
        self.loads: list[str] = []
        self.times: dict[str, int] = {}

    def scan(self) -> Scan:
        if self.gone:
            raise StorageError("the workspace is gone")
        files = {path: self._stat(path) for path in self if path not in self.unreadable}
        return Scan(files, {}, (), self.unreadable, 0, 0)

    def load(self, path: str) -> Loaded | None:
        self.loads.append(path)
        if path in self.broken:
            raise self.broken[path]
        if path not in self:
            return None
        data = self[path].encode()
        return Loaded(path, self[path], hashlib.sha256(data).hexdigest(), self._stat(path))

    def _stat(self, path: str) -> FileStat:
        size = len(self[path].encode())
        return FileStat(path, size, self.times.get(path, size), 1)


def open_index(
    folder: Path,
    notes: Notes,
    embedder: Embedder | None = None,
    chunking: config.Chunking | None = None,
) -> Index:
    return Index(folder, notes, embedder, chunking=chunking or config.Chunking(), zone=ZONE)


@contextmanager
def index_of(root: Path, embedder: Embedder | None = None) -> Iterator[Index]:
    """Yield an index over the real files below `root`, which is made if it is not there."""
    (root / ".memory").mkdir(parents=True, exist_ok=True)
    workspace = Workspace(root, ListJournal())
    chunking = config.Chunking()
    index = Index(root / ".memory", workspace, embedder, chunking=chunking, zone=ZONE)
    with closing(index):
        yield index


def ask(
    index: Index,
    query: str,
    embedder: Embedder | None = None,
    *,
    group_paths: tuple[str, ...] = DEFAULT_GROUP_PATHS,
    **fields: object,
) -> wire.RecallAnswer:
    mode = {} if embedder else {"mode": "lexical"}
    request = wire.RecallRequest.model_validate({"query": query, **mode, **fields})
    return recall(
        request,
        index,
        config.Recall(),
        now=NOW,
        zone=ZONE,
        group_paths=group_paths,
    )


def dump(index: Index) -> list[tuple[object, ...]]:
    """What the index holds, without the numbers of rows: equal after a rebuild."""
    with index._require().reading() as connection:
        return sorted(
            connection.execute(
                """SELECT d.path, d.sha256, u.unit_id, u.position, u.line_start, u.line_end,
                       u.content, u.header, u.entities, v.text_hash, hex(v.vector), u.kind,
                       u.timestamp, u.valid_from, u.valid_until, u.fact_id, u.private, u.role,
                       u.restates, u.evidence
                   FROM units u JOIN documents d ON d.id = u.document
                   JOIN vectors v ON v.id = u.vector"""
            )
        )


def dump_marks(index: Index) -> list[tuple[object, ...]]:
    """What the index holds of names and superseded facts, without the numbers of rows."""
    with index._require().reading() as connection:
        return sorted(
            connection.execute(
                """SELECT d.path, 'name', n.key, n.entity, n.other, n.private
                   FROM names n JOIN documents d ON d.id = n.document
                   UNION ALL
                   SELECT d.path, 'mark', s.old, s.new, coalesce(s.day, ''), s.private
                   FROM supersessions s JOIN documents d ON d.id = s.document"""
            )
        )
