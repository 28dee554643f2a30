from pathlib import Path

import pytest

from hippod import lasting
from hippod.lasting import LastingText, stated
from hippod.state import State
from hippod.workspace import Workspace
from tests import bank_pages


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "workspace"
    (root / "bank" / "entities").mkdir(parents=True)
    return Workspace(root, State(tmp_path / "state.sqlite"))


def test_documents_state_facts_sentences_and_headings() -> None:
    text = (
        "---\ntitle: x\n---\n# User\n\nName: Ada\n\nAda lives in Graz. She\nkeeps bees.\n\n"
        "- O(c=0.9) @Ada: Prefers short replies. ^k3f9ab27qt\n- The pump needs 4 bar\n\n"
        "## Prefers the night train\n\n- c: 0.83\n\n<private>The code is 4711.</private>\n\n"
        "<hippod-memory>\nAda owns a kayak.\n</hippod-memory>\n\n```\nThis is code.\n```\n"
    )
    assert set(stated(text)) == {
        "Prefers the night train", "Name: Ada", "Ada lives in Graz.", "She keeps bees.",
        "Prefers short replies.", "The pump needs 4 bar",
    }  # fmt: skip


def test_lasting_documents_and_the_bank_are_read_but_for_what_is_not_decided(
    workspace: Workspace,
) -> None:
    texts = {
        "MEMORY.md": "The rent is 900 euros.",
        "AGENTS.md": "Reply in German.",
        "bank/opinions.md": "## Tea is better than coffee\n",
        "bank/entities/Ada.md": "Ada keeps three hives.",
        "bank/proposals.md": "Ada moves to Linz.",
        "context/other.md": "The heron nests in the alder.",
    }
    for path, text in texts.items():
        (workspace.root / path).parent.mkdir(exist_ok=True)
        (workspace.root / path).write_text(text)
    assert sorted(LastingText(workspace).statements()) == [
        "Ada keeps three hives.", "Reply in German.", "Tea is better than coffee",
        "The rent is 900 euros.",
    ]  # fmt: skip


def test_a_document_is_taken_apart_when_it_changed(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace.root / "MEMORY.md").write_text("The rent is 900 euros.")
    (workspace.root / "USER.md").write_bytes(b"\xff\xfe\x00 not text")
    looked: list[str] = []
    monkeypatch.setattr(lasting, "stated", lambda text: looked.append(text) or [text])
    texts = LastingText(workspace)
    first = texts.statements()
    assert texts.statements() == first
    assert looked.count("The rent is 900 euros.") == 1
    (workspace.root / "MEMORY.md").write_text("The rent is 950 euros.")
    assert "The rent is 950 euros." in texts.statements()
    (workspace.root / "MEMORY.md").unlink()
    assert "The rent is 950 euros." not in texts.statements()


def test_what_is_kept_is_bounded(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lasting, "MOST_OF_ONE", 3)
    monkeypatch.setattr(lasting, "MOST_STATEMENTS", 4)
    many = "\n\n".join(f"Shelf number {n} is blue." for n in range(9))
    for name in ("MEMORY.md", "USER.md", "SOUL.md"):
        (workspace.root / name).write_text(many)
    assert len(LastingText(workspace).statements()) == 4


def test_what_hippod_made_of_facts_states_nothing_until_a_person_edits_it() -> None:
    made = bank_pages.region(
        "facts", "- 2026-03-01 @Ina: Rows on Sundays. [[2026-03-01#^k3f9ab27qt]]\n"
    )
    ledger = "## Ina likes rowing\n- id: 7k2m9qx4mt\n- prior: 0.70\n\nSeen her at the pier.\n"
    text = f"# World\n\n{made}\nThe pier is closed in winter.\n\n{ledger}"
    assert set(stated(text)) == {"The pier is closed in winter.", "Seen her at the pier."}
    assert "Ina" in " ".join(stated(text.replace("Sundays", "Mondays")))
