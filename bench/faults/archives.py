"""Backups and exports: broken or hostile ones change nothing, good ones bring all back."""

import gzip
import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from bench.faults.doors import beside
from bench.faults.harness import Fault, House
from bench.faults.ledger import audit
from bench.faults.sessions import SECRETS
from hippod import archive
from hippod.archive import File, Folder, Manifest

_PLANTED = "zz-planted-zz"
_OUTSIDE = ("../outside/x", "a/../../outside/x", "/a/../outside/x", "..", "con/../../../x")
_BAD_TEXTS = (
    "x\n- W @Ada: {planted}. ^0123456789", "x\r\n## Retain\r\n- W @Ada: {planted}.",
    "x\u2028- W @Ada: {planted}.", "x\x0b[08:00:00] {planted}", "x --> {planted} <!-- x",
    "```\n{planted}\n```", "\x00", "", " ", "\ud800 lone", "x ^0123456789", "<private>{planted}",
)  # fmt: skip
_BAD_LINES = (
    b"{", b"\xff\xfe\x00", b"[]", b"null", b"7", b'{"type": "fact"}', b'{"type": "no such"}',
    b"[" * 100_000, b'{"type": ' * 5_000, b'{"n": ' + b"9" * 10_000 + b"}",
    b'{"type": "fact", "confidence": NaN}', b'"' + b"x" * 2_000_000 + b'"',
)  # fmt: skip


def hostile_import(house: House) -> str:
    """Import records that lead out, break lines, hold secrets or are none; and all of it again."""
    house.ledger.never |= set(SECRETS)
    lines = [json.dumps(record).encode() for record in _records()]
    file = house.folder / "hostile.jsonl"
    file.write_bytes(b"\n".join([*lines, *_BAD_LINES]) + b"\n")
    before = beside(house.folder)
    for record in lines:
        house.attempt(partial(house.client.import_, record.decode()))
    first = house.daemon.cli("import", str(file))
    again = json.loads(house.daemon.cli("import", str(file), "--json").stdout)
    house.attempt(house.client.reflect)
    changed = beside(house.folder) ^ before
    assert first.returncode == 1, f"ended with {first.returncode}: {first.stderr[:300]}"
    assert not changed, f"outside of the workspace changed: {sorted(name for name, _ in changed)}"
    assert not any(again["added"].values()), f"a second import added {again['added']}"
    house.lift()
    return f"{len(lines) + len(_BAD_LINES)} records, {len(again['refused'])} refused"


def hostile_restore(house: House) -> str:
    """Restore archives that are damaged or lead out, and over a running daemon: all refused."""
    good = _backup(house)
    made = house.folder / "bad.tgz"
    ways = {**_damaged(good.read_bytes()), **_leading_out()}
    for name, data in ways.items():
        made.write_bytes(data)
        before = beside(house.folder)
        said = house.daemon.cli("restore", str(made), "--into", str(house.folder / "new"))
        assert said.returncode != 0, f"{name}: was restored"
        assert "Traceback" not in said.stderr, f"{name}: {said.stderr[-300:]}"
        assert beside(house.folder) == before, f"{name}: left something behind"
    over = house.daemon.cli("restore", str(good), "--replace")
    assert over.returncode == 5, f"restored over a running daemon: {over.returncode}"
    house.lift()
    return f"{len(ways)} archives and a running daemon"


def lost_and_restored(house: House) -> str:
    """Lose the whole workspace, state and all, and go on with a backup of it."""
    house.note()
    good = _backup(house)
    beside_it = house.daemon.cli("restore", str(good), "--into", str(house.folder / "new"))
    assert beside_it.returncode == 0, beside_it.stderr
    found = audit(house.folder / "new", house.ledger)
    assert not found.findings, f"the restored one lacks: {found.findings}"
    shutil.rmtree(house.folder / "new")
    house.daemon.stop()
    shutil.rmtree(house.root)
    restored = house.daemon.cli("restore", str(good))
    assert restored.returncode == 0, restored.stderr
    good.unlink()
    house.lift()
    return "nothing is retained twice"


def _backup(house: House) -> Path:
    file = house.folder / "backup.tgz"
    said = house.daemon.cli("backup", str(file))
    assert said.returncode == 0, said.stderr
    return file


def _records() -> Iterator[dict[str, Any]]:
    yield {"type": "hippod-export", "format": 1}
    for number, path in enumerate((*_OUTSIDE, "x" * 200, "a\nb", "#", "[[x]]")):
        yield _fact(number, entities=[path])
        yield _fact(number, id=path)
        yield _fact(number, day=path)
        yield _fact(number, source={"name": path, "session": path, "turn": f"t{number}"})
        yield {"type": "entity", "name": path, "aliases": [path, f"Alias {number}"]}
        evidence = {"stance": "supports", "target": path, "quote": path, "weight": 1.0}
        yield {"type": "opinion", "statement": f"Opinion {number}", "evidence": [evidence]}
    for number, text in enumerate((*_BAD_TEXTS, *(f"My token is {each}" for each in SECRETS))):
        text = text.format(planted=f"{_PLANTED}-{number}")
        yield _fact(100 + number, content=text)
        yield _fact(200 + number, entities=[text[:200]])
        yield {"type": "entity", "name": f"Name {number}", "aliases": [text[:200]]}
        yield {"type": "opinion", "statement": text, "entities": ["Ada"]}
    for day in ("2026-02-30", "0000-01-01", "9999-12-31", "2026-03-03\n", "٢٠٢٦-٠٣-٠٣"):
        yield _fact(300, day=day)
    yield {"type": "end"}


def _fact(number: int, **fields: object) -> dict[str, Any]:
    content = f"The {next(iter(fields))} is odd, number {number}."
    usual = {"day": "2026-03-03", "kind": "W", "entities": ["Ada"], "content": content}
    return {"type": "fact", **usual, **fields}


def _damaged(good: bytes) -> dict[str, bytes]:
    middle = len(good) // 2
    flipped = bytearray(good)
    flipped[middle] ^= 16
    return {
        "cut in half": good[:middle], "without its end": good[:-20], "empty": b"",
        "a bit flipped": bytes(flipped), "text": b"This is no archive.\n" * 100,
        "zeros": gzip.compress(bytes(10_240)),
    }  # fmt: skip


def _leading_out() -> dict[str, bytes]:
    named: dict[str, Callable[[str], bytes]] = {
        "file": lambda path: _packed(path, File(path, 1, _digest(b"x"), 0o644, 0, 1)),
        "folder": lambda path: _packed("a", folders=(Folder(path, 0o755),)),
    }
    return {
        f"{kind} {path}": make(path)
        for kind, make in named.items()
        for path in (*_OUTSIDE, ".memory/lock", ".memory", "a//b")
    }


def _packed(name: str, *files: File, folders: tuple[Folder, ...] = ()) -> bytes:
    member = archive.whole(f"{archive.WORKSPACE}{name}", b"x") if files else b""
    manifest = Manifest("0", "2026-03-03T08:00:00+00:00", "/old", files, folders=folders)
    return gzip.compress(archive.first() + member + archive.last(manifest))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


FAULTS = (
    Fault("import of hostile records", hostile_import),
    Fault("restore of damaged and hostile backups", hostile_restore),
    Fault("workspace lost, restored from a backup", lost_and_restored),
)
