"""The facts of the logs: which count, in which order, and when a log is read again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hippod.factbook import Factbook
from hippod.state import State
from hippod.workspace import Workspace


class Logs:
    def __init__(self, root: Path, state: State) -> None:
        self.root = root
        self.workspace = Workspace(root, state)
        self.factbook = Factbook(self.workspace)

    def write(self, path: str, *lines: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(["# Daily Log", "", "## Retain", *lines, ""]))
        return file

    def said(self) -> list[str]:
        return [fact.fact.content for fact in self.factbook.read().evidence]


@pytest.fixture
def logs(tmp_path: Path) -> Iterator[Logs]:
    (tmp_path / "w").mkdir()
    state = State(tmp_path / "state.sqlite")
    yield Logs(tmp_path / "w", state)
    state.close()


def test_facts_come_oldest_first_with_their_links(logs: Logs) -> None:
    logs.write("memory/2026-03-05.md", "- W @Ada: Late. (18:00 main/s#m2) ^bbbb222222",
               "- W @Ada: Early. (08:00 main/s#m1) ^aaaa111111")  # fmt: skip
    logs.write("memory/2026-03-04.md", "- W @Ada: Before that")
    book = logs.factbook.read()
    assert [fact.fact.content for fact in book.facts] == ["Before that", "Early.", "Late."]
    assert [fact.link for fact in book.facts] == [
        "[[2026-03-04]]", "[[2026-03-05#^aaaa111111]]", "[[2026-03-05#^bbbb222222]]",
    ]  # fmt: skip
    assert [fact.line for fact in book.facts] == [4, 5, 4]


def test_derived_facts_stand_there_but_are_no_evidence(logs: Logs) -> None:
    logs.write("memory/2026-03-05.md", "- W @Ada: Said. ^aaaa111111",
               "- S @Ada: Said. [[2026-03-05#^aaaa111111]] (reflect/2026-03-05#Ada) ^bbbb222222"
               )  # fmt: skip
    assert len(logs.factbook.read().facts) == 2
    assert logs.said() == ["Said."]


def test_private_facts_are_left_out(logs: Logs) -> None:
    logs.write("memory/2026-03-05.md", "- W @Ada: <private>Secret</private> plan ^aaaa111111",
               "- W @Ada: Open. ^bbbb222222")  # fmt: skip
    assert logs.said() == ["Open."]


def test_a_copy_in_the_archive_does_not_count_twice(logs: Logs) -> None:
    logs.write("archive/2026/2026-03-05.md", "- W @Ada: Old copy. ^aaaa111111")
    logs.write("memory/2026-03-05.md", "- W @Ada: As it stands. ^aaaa111111")
    assert logs.said() == ["As it stands."]
    (logs.root / "memory/2026-03-05.md").unlink()
    assert logs.said() == ["Old copy."]


def test_a_log_with_conflict_marks_is_named(logs: Logs) -> None:
    logs.write("memory/2026-03-05.md", "<<<<<<< a", "- W @Ada: Ours.", "=======",
               "- W @Ada: Theirs.", ">>>>>>> b")  # fmt: skip
    logs.write("memory/2026-03-06.md", "- W @Ada: Sound.")
    assert logs.said() == ["Sound."]
    assert logs.factbook.read().unread == {"memory/2026-03-05.md": "has git conflict marks"}


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"- W @Ada: Caf\xe9.\n", "not valid UTF-8"), (b"- W @Ada: A\0b.\n", "NUL bytes")],
)
def test_a_log_that_is_no_text_is_named(logs: Logs, data: bytes, reason: str) -> None:
    file = logs.write("memory/2026-03-05.md", "- W @Ada: Before.")
    file.write_bytes(file.read_bytes() + data)
    assert reason in logs.factbook.read().unread["memory/2026-03-05.md"]
    assert logs.said() == []
    assert logs.factbook.of("memory/2026-03-05.md") == ()


def test_a_log_is_parsed_again_only_when_it_changed(
    logs: Logs, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs.write("memory/2026-03-05.md", "- W @Ada: One.")
    logs.write("memory/2026-03-06.md", "- W @Ada: Two.")
    logs.said()
    loaded: list[str] = []
    load = Workspace.load
    monkeypatch.setattr(
        Workspace, "load", lambda self, path: loaded.append(path) or load(self, path)
    )
    logs.write("memory/2026-03-06.md", "- W @Ada: Two and a half.")
    assert logs.said() == ["One.", "Two and a half."]
    assert loaded == ["memory/2026-03-06.md"]


def test_the_facts_of_one_log(logs: Logs) -> None:
    path = logs.write("memory/2026-03-05.md", "- W @Ada: One.")
    assert [fact.fact.content for fact in logs.factbook.of("memory/2026-03-05.md")] == ["One."]
    path.unlink()
    assert logs.factbook.of("memory/2026-03-05.md") == ()
    assert logs.factbook.of("memory/1999-01-01.md") == ()


def test_the_same_words_about_two_people_on_one_day_are_of_both(logs: Logs) -> None:
    logs.write("memory/2026-03-05.md", "- W @Ada: Away until May.", "- W @Ben: Away until May.")
    (fact,) = logs.factbook.read().facts
    assert fact.fact.entities == ("Ada", "Ben")
