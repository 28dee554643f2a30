"""Archives that were compressed: the same turns as before, in bounded memory."""

import gzip
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from hippod.transcripts import Cursor, Reading, has_changed, read

COMPRESS: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "zst": zstandard.compress}


def say(number: int, text: str = "") -> bytes:
    said = {"role": "user", "content": text or f"n{number}", "timestamp": 1_775_000_000 + number}
    return json.dumps(said).encode() + b"\n"


def everything(
    path: Path, cursor: Cursor | None = None, **options: int
) -> tuple[list[str], Reading]:
    heard: list[str] = []
    while True:
        reading = read(path, cursor, seen=lambda key: False, **options)
        heard += [turn.text for turn in reading.turns]
        cursor = reading.cursor
        if not reading.more:
            return heard, reading


@pytest.mark.parametrize("ending", COMPRESS)
def test_a_compressed_archive_is_read_in_steps_and_then_left_alone(
    ending: str, tmp_path: Path
) -> None:
    path = tmp_path / f"s.jsonl.deleted.2026-03-04T03-00-00.000Z.{ending}"
    path.write_bytes(COMPRESS[ending](b"".join(map(say, range(40)))))
    heard, last = everything(path, max_turns=7)
    assert heard == [f"n{number}" for number in range(40)]
    assert (last.ended, last.rewritten, last.alarm) == (True, False, None)
    assert last.cursor.session == "s"
    assert not has_changed(path, last.cursor)
    assert everything(path, last.cursor)[0] == []
    path.write_bytes(COMPRESS[ending](b"".join(map(say, range(41)))))
    assert has_changed(path, last.cursor)
    assert everything(path, last.cursor)[0] == ["n40"]


@pytest.mark.parametrize("ending", COMPRESS)
def test_compressing_a_transcript_makes_nothing_new(ending: str, tmp_path: Path) -> None:
    plain = tmp_path / "s.jsonl"
    plain.write_bytes(b"".join(map(say, range(4))))
    keys = {turn.key for turn in read(plain, None, seen=lambda key: False).turns}
    path = tmp_path / f"s.jsonl.{ending}"
    path.write_bytes(COMPRESS[ending](plain.read_bytes()))
    assert read(path, None, seen=keys.__contains__).turns == ()


@pytest.mark.parametrize("ending", COMPRESS)
def test_of_an_archive_that_was_cut_off_the_beginning_is_read(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"s.jsonl.{ending}"
    data = COMPRESS[ending](b"".join(map(say, range(20_000))))
    path.write_bytes(data[: len(data) // 2])
    heard, _ = everything(path)
    assert heard == [f"n{number}" for number in range(len(heard))]
    assert len(heard) < 20_000


@pytest.mark.parametrize("ending", COMPRESS)
def test_a_damaged_archive_is_an_alarm(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"s.jsonl.{ending}"
    path.write_bytes(COMPRESS[ending](say(1))[:6] + b"\xff" * 40)
    heard, last = everything(path)
    assert heard == []
    assert last.alarm is not None
    assert "cannot be decompressed to its end" in last.alarm


@pytest.mark.parametrize("ending", COMPRESS)
def test_an_archive_that_grows_a_thousandfold_is_held_in_little_memory(
    ending: str, tmp_path: Path
) -> None:
    path = tmp_path / f"s.jsonl.{ending}"
    filler = b'{"role":"tool","content":"' + b"x" * 30_000_000 + b'"}\n'
    path.write_bytes(COMPRESS[ending](say(1) + filler + say(2)))
    assert path.stat().st_size < 100_000
    tracemalloc.start()
    heard, last = everything(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert heard == ["n1", "n2"]
    assert last.alarm is None
    assert peak < 14_000_000


def test_a_bomb_is_given_up_with_an_alarm(tmp_path: Path) -> None:
    junk = tmp_path / "junk.jsonl.gz"
    junk.write_bytes(gzip.compress(b"{}\n" * 3_000_000))
    heard, last = everything(junk)
    assert (heard, sum(last.skipped.values())) == ([], 20_000)
    assert "nothing that is known" in str(last.alarm)
    assert not has_changed(junk, last.cursor)
    blank = tmp_path / "blank.jsonl.gz"
    blank.write_bytes(gzip.compress(say(1) + b" " * 80_000_000))
    heard, last = everything(blank)
    assert heard == ["n1"]
    assert "holds more than 64000000 bytes" in str(last.alarm)
    assert not has_changed(blank, last.cursor)
