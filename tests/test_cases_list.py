"""The list of field cases: each has its row, and each test that a row names is there."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parent
ROW = re.compile(r"\| (C\d{3}) \| ([a-z-]+) \| ([^|]+) \| ([^|]+) \|")
NAMED = re.compile(r"`(test_\w+\.py)::(test_\w+)`")
NOT_HERE = re.compile(r"n/a: .+")

KINDS = {
    "cloud-sync": 2, "concurrent-write": 1, "config": 1, "crash-recovery": 4,
    "duplicate-extraction": 3, "editor-save": 5, "embedding-identity": 4, "embedding-input": 4,
    "encoding": 2, "entities": 3, "feedback-loop": 1, "forget": 1, "front-matter": 3,
    "fts-query-syntax": 8, "git-merge": 1, "hand-edits": 3, "heartbeat": 8, "junk-memory": 1,
    "latency": 2, "llm-failure": 1, "llm-output": 8, "logs-service": 3, "markdown-structure": 4,
    "mcp": 4,
    "path-safety": 1, "paths": 5, "privacy": 1, "process-lifecycle": 4, "prompt-injection": 3,
    "ranking": 3, "reflection": 5, "scheduler": 8, "secrets": 1, "socket": 4, "special-files": 2,
    "sqlite": 10, "stale-index": 5, "time": 6, "tokenisation": 6, "transcripts": 7,
    "vector-index": 10, "watcher": 12,
}  # fmt: skip
"""How many cases there are of each kind."""


def rows() -> list[tuple[str, str, str, str]]:
    lines = (TESTS / "CASES.md").read_text(encoding="utf-8").splitlines()
    table = [line for line in lines if line.startswith("| C")]
    found = [ROW.fullmatch(line) for line in table]
    assert None not in found, [line for line, row in zip(table, found, strict=True) if row is None]
    return [(row[1], row[2], row[3], row[4]) for row in found if row]


@cache
def named_in(file: str) -> frozenset[str]:
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, functions))


def test_cases_are_in_order_and_each_stands_once() -> None:
    names = [name for name, *_ in rows()]
    assert names == sorted(set(names))


def test_every_case_of_every_kind_is_there() -> None:
    assert Counter(kind for _, kind, *_ in rows()) == KINDS


def test_every_test_that_is_named_is_there() -> None:
    for name, _, _, shown in rows():
        named = NAMED.findall(shown)
        assert named or NOT_HERE.fullmatch(shown), name
        assert shown.count("`test_") == len(named), name
        for file, test in named:
            assert (TESTS / file).is_file(), (name, file)
            assert test in named_in(file), (name, file, test)


def test_a_replay_that_carries_the_name_of_a_case_is_listed() -> None:
    listed = {name for name, *_ in rows()}
    for file in sorted(TESTS.glob("test_cases_*.py")):
        text = " ".join(test for test in named_in(file.name) if test.startswith("test_c"))
        assert {f"C{number}" for number in re.findall(r"_c(\d{3})(?=_)", text)} <= listed, file
