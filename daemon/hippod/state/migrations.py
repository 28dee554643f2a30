"""The schema of `state.sqlite`, step by step."""

_M001_INITIAL = (
    "CREATE TABLE cursor(source TEXT NOT NULL, path TEXT NOT NULL, value TEXT NOT NULL,"
    " updated TEXT NOT NULL, PRIMARY KEY(source, path)) STRICT, WITHOUT ROWID",
    "CREATE TABLE seen(source TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY(source, key))"
    " STRICT, WITHOUT ROWID",
    "CREATE TABLE batch(id INTEGER PRIMARY KEY AUTOINCREMENT, source TEXT NOT NULL,"
    " session TEXT NOT NULL, path TEXT NOT NULL, status TEXT NOT NULL"
    " CHECK(status IN ('read','extracted','appended','done','failed')),"
    " turns TEXT NOT NULL, context TEXT NOT NULL, cursor_after TEXT,"
    " attempts INTEGER NOT NULL DEFAULT 0, next_try TEXT, error TEXT NOT NULL DEFAULT '',"
    " created TEXT NOT NULL, updated TEXT NOT NULL, tokens INTEGER NOT NULL DEFAULT 0,"
    " seconds REAL NOT NULL DEFAULT 0) STRICT",
    "CREATE INDEX batch_by_status ON batch(status)",
    "CREATE INDEX batch_by_path ON batch(source, path)",
    "CREATE TABLE batch_fact(batch INTEGER NOT NULL REFERENCES batch(id) ON DELETE CASCADE,"
    " position INTEGER NOT NULL, id TEXT NOT NULL, day TEXT NOT NULL, bullet TEXT NOT NULL,"
    " pinned INTEGER NOT NULL, path TEXT NOT NULL, read_back INTEGER NOT NULL,"
    " reappended INTEGER NOT NULL, PRIMARY KEY(batch, position)) STRICT, WITHOUT ROWID",
    "CREATE INDEX batch_fact_by_id ON batch_fact(id)",
    "CREATE INDEX batch_fact_by_day ON batch_fact(day)",
    "CREATE TABLE planned(batch INTEGER NOT NULL REFERENCES batch(id) ON DELETE CASCADE,"
    " path TEXT NOT NULL, offset INTEGER NOT NULL, data BLOB NOT NULL, inode INTEGER,"
    " landed INTEGER NOT NULL, PRIMARY KEY(batch, path)) STRICT",
    "CREATE TABLE rejected(id INTEGER PRIMARY KEY AUTOINCREMENT, batch INTEGER,"
    " text TEXT NOT NULL, reason TEXT NOT NULL, time TEXT NOT NULL) STRICT",
    "CREATE TABLE journal(id INTEGER PRIMARY KEY AUTOINCREMENT, time TEXT NOT NULL,"
    " status TEXT NOT NULL CHECK(status IN ('begun','committed')), operation TEXT NOT NULL,"
    " path TEXT NOT NULL, actor TEXT NOT NULL, before BLOB, start INTEGER, length INTEGER,"
    " digest TEXT) STRICT",
    "CREATE INDEX journal_by_time ON journal(time)",
    "CREATE TABLE run(name TEXT NOT NULL, started TEXT NOT NULL, seconds REAL NOT NULL,"
    " outcome TEXT NOT NULL, error TEXT NOT NULL, PRIMARY KEY(name, started))"
    " STRICT, WITHOUT ROWID",
    "CREATE TABLE selftest(model TEXT NOT NULL, task TEXT NOT NULL, passed INTEGER NOT NULL,"
    " score REAL NOT NULL, detail TEXT NOT NULL, time TEXT NOT NULL,"
    " PRIMARY KEY(model, task)) STRICT, WITHOUT ROWID",
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE counter(name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID",
)

_M002_PROVENANCE = (
    "CREATE TABLE usage(day TEXT NOT NULL, model TEXT NOT NULL, calls INTEGER NOT NULL,"
    " tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, seconds REAL NOT NULL,"
    " PRIMARY KEY(day, model)) STRICT, WITHOUT ROWID",
    "ALTER TABLE batch ADD COLUMN thinned INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE batch_fact ADD COLUMN turns TEXT NOT NULL DEFAULT '[]'",
    "ALTER TABLE batch_fact ADD COLUMN made_by TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE batch_fact ADD COLUMN undone INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE rejected ADD COLUMN turn TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE journal ADD COLUMN undoes INTEGER",
    "ALTER TABLE journal ADD COLUMN preview TEXT NOT NULL DEFAULT ''",
    "CREATE INDEX journal_by_path ON journal(path)",
    "CREATE INDEX journal_by_undoes ON journal(undoes) WHERE undoes NOT NULL",
)

_M003_RENAMES = (
    "ALTER TABLE journal ADD COLUMN target TEXT",
    "CREATE INDEX journal_by_target ON journal(target) WHERE target NOT NULL",
)

_M004_REFLECTED = (
    "CREATE TABLE reflected(what TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,"
    " PRIMARY KEY(what, key)) STRICT, WITHOUT ROWID",
)

_M005_JOBS = (
    "ALTER TABLE run ADD COLUMN due TEXT",
    "ALTER TABLE run ADD COLUMN missed INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE run ADD COLUMN asked INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE run ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE run ADD COLUMN detail TEXT NOT NULL DEFAULT ''",
    "CREATE TABLE job(name TEXT PRIMARY KEY, rhythm TEXT NOT NULL, since TEXT NOT NULL,"
    " paused INTEGER NOT NULL DEFAULT 0, skipped INTEGER NOT NULL DEFAULT 0)"
    " STRICT, WITHOUT ROWID",
    "CREATE TABLE checked(item TEXT PRIMARY KEY, value TEXT NOT NULL, updated TEXT NOT NULL)"
    " STRICT, WITHOUT ROWID",
    "CREATE TABLE working(session TEXT NOT NULL, scope TEXT NOT NULL, content TEXT NOT NULL,"
    " updated TEXT NOT NULL, PRIMARY KEY(session, scope)) STRICT, WITHOUT ROWID",
    "CREATE TABLE event(id INTEGER PRIMARY KEY AUTOINCREMENT, time TEXT NOT NULL,"
    " type TEXT NOT NULL, data TEXT NOT NULL) STRICT",
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    _M001_INITIAL,
    _M002_PROVENANCE,
    _M003_RENAMES,
    _M004_REFLECTED,
    _M005_JOBS,
)
"""Forward only; `user_version` counts those applied. Never change one that was released."""
