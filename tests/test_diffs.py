"""Unified diffs: the same as `diff -u`, for any bytes, in bounded time."""

import shutil
import subprocess
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.diffs import unified

# Distinct ones: between equal lines `patch` may refuse to guess where a short hunk belongs.
LINES = st.lists(
    st.sampled_from(["## d", "", "e\r", "-- f", *map(str, range(40))]), max_size=40, unique=True
)


def test_one_line_with_its_context() -> None:
    before = "".join(f"line {n}\n" for n in range(1, 101)).encode()
    after = before.replace(b"line 50\n", b"line fifty\n")
    assert unified("a.md", before, after) == (
        "--- a.md\n+++ a.md\n@@ -47,7 +47,7 @@\n line 47\n line 48\n line 49\n"
        "-line 50\n+line fifty\n line 51\n line 52\n line 53\n"
    )


def test_a_file_that_appears_or_goes() -> None:
    assert unified("a.md", None, b"x\n") == "--- /dev/null\n+++ a.md\n@@ -0,0 +1 @@\n+x\n"
    assert unified("a.md", b"x\n", None) == "--- a.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    assert unified("a.md", b"x", b"x") == unified("a.md", None, None) == ""


def test_line_ends_and_bytes_that_are_no_text_show() -> None:
    assert "-x\n+x\r\n" in unified("a.md", b"x\n", b"x\r\n")
    assert "-x\n\\ No newline at end of file\n+x\n" in unified("a.md", b"x", b"x\n")
    assert "+\ufffd\n" in unified("a.md", b"", b"\xff\n")
    assert unified("a\nb.md", b"", b"x\n").startswith("--- a\\nb.md\n")


def test_a_rewritten_large_document_takes_no_long_time() -> None:
    before = "".join(f"{n}\n" for n in range(60_000)).encode()
    after = "".join(f"{n} new\n" for n in range(60_000)).encode()
    began = time.monotonic()
    diff = unified("a.md", before, after)
    assert time.monotonic() - began < 5
    assert diff.endswith("more lines\n")
    assert len(diff) < 100_000


@pytest.mark.skipif(not shutil.which("patch"), reason="needs patch")
@settings(max_examples=60, deadline=None)
@given(old=LINES, new=LINES, pad=st.integers(0, 9))
def test_patch_understands_it(
    old: list[str], new: list[str], pad: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    around = [f"same {n}" for n in range(pad)]
    before = "".join(f"{line}\n" for line in [*around, *old, *around]).encode()
    after = "".join(f"{line}\n" for line in [*around, *new, *around]).encode()
    file = tmp_path_factory.mktemp("diff") / "a.md"
    file.write_bytes(before)
    diff = unified("a.md", before, after)
    patch = ["patch", "--binary", "--silent", str(file)]
    if diff:
        subprocess.run(patch, input=diff.encode(), check=True)
    assert file.read_bytes() == after
