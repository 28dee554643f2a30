"""Does an index hold what a fresh one over the same files would? Asked when no daemon runs."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import apsw
import numpy as np
from numpy.typing import NDArray

from bench import live

_INDEX = ".memory/index.sqlite"
_UNITS = """
    SELECT d.path, d.sha256, u.unit_id, u.position, u.line_start, u.line_end, u.content, u.header,
        u.entities, u.kind, u.timestamp, u.valid_from, u.valid_until, u.fact_id, u.private,
        u.role, u.restates, hex(v.text_hash), length(v.vector)
    FROM units u JOIN documents d ON d.id = u.document JOIN vectors v ON v.id = u.vector
"""
_MARKS = """
    SELECT d.path, n.key, n.entity FROM names n JOIN documents d ON d.id = n.document
    UNION ALL SELECT d.path, s.old, s.new FROM supersessions s JOIN documents d ON d.id = s.document
"""
_MENTIONS = """
    SELECT d.path, u.position, m.key, m.name FROM mentions m
    JOIN units u ON u.id = m.unit JOIN documents d ON d.id = u.document
"""
_PLACES = "CREATE VIRTUAL TABLE temp.audited USING fts5vocab(main, words, instance)"
_WORDS = """
    SELECT d.path, u.position, w.words, w.places, w.lengths, w.firsts, w.lasts
    FROM (
        SELECT doc, count(*) AS words, sum(offset) AS places,
            sum(length(term) * (offset + 1)) AS lengths,
            sum(unicode(term) * (offset + 1)) AS firsts,
            sum(unicode(substr(term, -1)) * (offset + 2)) AS lasts
        FROM temp.audited GROUP BY doc
    ) w JOIN units u ON u.id = w.doc JOIN documents d ON d.id = u.document
"""
"""How many words each unit has in the full-text index, and a sum over them and their places."""
_VECTORS = "SELECT hex(text_hash), vector FROM vectors WHERE vector IS NOT NULL"
_CLOSE = 1e-2
"""How far a number may be off: texts are embedded in batches of other sizes."""

Held = tuple[set[str], dict[str, NDArray[np.float16]], int]


def differences(folder: Path, environ: dict[str, str]) -> list[str]:
    """Return what the index below `folder` lacks, has too much or otherwise than a fresh one."""
    fresh = folder / "fresh"
    shutil.copytree(
        folder / "workspace", fresh / "workspace", symlinks=True,
        ignore=_left_out,
    )  # fmt: skip
    try:
        with live.assembled(fresh, environ) as parts:
            parts.index.reconcile()
        return list(_compare(_held(folder / "workspace"), _held(fresh / "workspace")))
    finally:
        shutil.rmtree(fresh)


def _left_out(folder: str, names: list[str]) -> list[str]:
    """Say what of a folder is not copied: what is derived, and pipes (a copy would wait)."""
    paths = [(name, Path(folder, name)) for name in names]
    return [
        name
        for name, path in paths
        if name == ".memory" or not (path.is_symlink() or path.is_dir() or path.is_file())
    ]


def _compare(ours: Held, fresh: Held) -> Iterator[str]:
    yield from (f"the index lacks {row[:90]}" for row in sorted(fresh[0] - ours[0])[:3])
    yield from (f"the index still has {row[:90]}" for row in sorted(ours[0] - fresh[0])[:3])
    if ours[2]:
        yield f"the index has {ours[2]} units without their words, or words without units"
    for text, vector in fresh[1].items():
        mine = ours[1].get(text)
        if mine is None or mine.shape != vector.shape:
            yield f"a vector is missing or of another width: {text[:12]}"
            return
        if not np.allclose(mine, vector, atol=_CLOSE):
            yield f"a vector is of another model, or damaged: {text[:12]}"
            return


def _held(workspace: Path) -> Held:
    file = apsw.Connection(str(workspace / _INDEX), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        file.execute(_PLACES)
        rows = {repr(row) for each in (_UNITS, _MARKS, _MENTIONS) for row in file.execute(each)}
        rows |= {f"words of {row!r}" for row in file.execute(_WORDS)}
        vectors = {text: np.frombuffer(blob, np.float16) for text, blob in file.execute(_VECTORS)}
        return rows, vectors, _wordless(file)
    finally:
        file.close()


def _wordless(file: apsw.Connection) -> int:
    """Count units that the full-text index does not know, and the other way round."""
    units = {row[0] for row in file.execute("SELECT id FROM units")}
    words = {row[0] for row in file.execute("SELECT id FROM words_docsize")}
    return len(units ^ words)
