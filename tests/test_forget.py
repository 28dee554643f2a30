"""Forgetting over real files: nothing is left of it, nothing brings it back, all else stays."""

import functools
import json
import shutil
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from hippod import config as configuration
from hippod import forgotten, markdown, pages, wire, wire_bank
from hippod.config import Config
from hippod.errors import Conflict, InvalidInput, NotFound
from hippod.factbook import Factbook
from hippod.forget import Forgetter
from hippod.forgotten import Tombstones
from hippod.index import Index
from hippod.provenance import Provenance
from hippod.remembered import Remembered
from hippod.retain import Retainer
from hippod.state import State
from hippod.workspace import Workspace
from tests.bank_pages import BANK, region
from tests.documents import ask
from tests.fakes import FakeEmbedder

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)
DAY = "2026-05-18"
SECRET = "We decided to moor the Quillon at pier 7319."
LOG = f"memory/{DAY}.md"


class Home:
    """A workspace with all that remembers it; `again` is a restart."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.config = Config.model_validate(
            {
                "workspace": {"user": "Ada", "timezone": "UTC"},
                "retain": {"settle": 0},
                "sources": [{"name": "main", "path": "sessions/*.jsonl"}],
            }
        )
        (root / "sessions").mkdir(parents=True)
        self.start()

    def start(self) -> None:
        folder = self.root / ".memory"
        folder.mkdir(exist_ok=True)
        self.state = State(folder / "state.sqlite", clock=lambda: NOW)
        self.workspace = Workspace(
            self.root, self.state, sources_match=lambda path: path.startswith("sessions/")
        )
        self.embedder = FakeEmbedder()
        self.index = Index(
            folder,
            Remembered(self.workspace),
            self.embedder,
            chunking=configuration.Chunking(),
            zone=self.config.zone,
        )
        self.retainer = Retainer(self.config, self.workspace, self.state, None, list, lambda: NOW)
        self.forgetter = Forgetter(self.config, self.workspace, self.state, self.index, lambda: NOW)

    def stop(self) -> None:
        self.index.close()
        self.state.close()

    def again(self) -> None:
        self.stop()
        self.start()

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())

    def text(self, path: str) -> str:
        return (self.root / path).read_bytes().decode()

    def say(self, *texts: str, name: str = "talk") -> None:
        with (self.root / "sessions" / f"{name}.jsonl").open("a") as file:
            for number, text in enumerate(texts):
                line = {"role": "user", "content": text, "timestamp": f"{DAY}T10:00:{number:02}Z"}
                file.write(json.dumps(line) + "\n")

    def retain(self) -> None:
        for file in self.retainer.unread():
            self.retainer.process(file)
        self.retainer.confirm()

    def look(self) -> None:
        self.index.reconcile()

    def forget(
        self, text: str | None = None, *, id: str | None = None, yes: bool = True
    ) -> wire_bank.Forgotten:
        request = wire_bank.ForgetRequest(text=text, id=id, dry_run=not yes)
        return self.forgetter.forget(request)

    def holders(self, *needles: str, running: bool = False) -> list[str]:
        """Return the files, transcripts excepted, whose bytes hold any of some texts."""
        if not running:
            self.stop()
        spelled = {
            form
            for needle in needles
            for form in (
                needle.encode(),
                needle.encode("utf-16-le"),
                json.dumps(needle)[1:-1].encode(),
            )
        }
        found = [
            path.relative_to(self.root).as_posix()
            for path in self.root.rglob("*")
            if path.is_file() and "sessions" not in path.parts
            and any(form in path.read_bytes() for form in spelled)
        ]  # fmt: skip
        if not running:
            self.start()
        return found

    def hits(self, query: str) -> list[str]:
        answers = (ask(self.index, query), ask(self.index, query, self.embedder, mode="vector"))
        return [hit.content for answer in answers for hit in answer.hits]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "w")
    yield made
    made.stop()


def fact_id(home: Home, word: str, path: str = LOG) -> str:
    (line,) = [line for line in home.text(path).splitlines() if word in line and " ^" in line]
    return line.rpartition("^")[2]


def planted(home: Home) -> str:
    """Say a secret among other things, retain it, and put it on pages; return its id."""
    home.say("I prefer oat milk in my coffee.", SECRET, "Remember that Olaf has the spare key.")
    home.retain()
    id_ = fact_id(home, "7319")
    home.write(
        "bank/world.md",
        "# World\n\n" + region("facts", f"## 2026-05\n- {DAY} @Ada: {SECRET} [[{DAY}#^{id_}]]\n"),
    )
    home.write("context/notes.md", f"Paint the hull. {SECRET} Buy rope.\n")
    home.look()
    return id_


def test_a_plan_shows_every_place_and_changes_nothing(home: Home) -> None:
    id_ = planted(home)
    before = {path: home.text(path) for path in (LOG, "bank/world.md", "context/notes.md")}
    plan = home.forget(id=id_[:5], yes=False)
    assert {(place.path, place.why) for place in plan.places} == {
        (LOG, "fact"), ("bank/world.md", "derived"), ("context/notes.md", "text"),
    }  # fmt: skip
    assert not plan.applied
    assert plan.facts == (id_,)
    assert [(left.path, left.line) for left in plan.left] == [("sessions/talk.jsonl", 2)]
    assert {path: home.text(path) for path in before} == before
    assert not (home.root / forgotten.PATH).exists()


@pytest.mark.parametrize("by", ["id", "text", "words"])
def test_nothing_is_left_and_nothing_brings_it_back(home: Home, by: str) -> None:
    id_ = planted(home)
    old_log = home.text(LOG)
    assert home.holders("Quillon at pier 7319")
    text = {"text": SECRET, "words": "Quillon at pier 7319"}.get(by)
    done = home.forget(text, id=None if text else f"^{id_}")
    assert done.applied
    assert not done.problems

    def gone() -> None:
        assert home.holders("Quillon at pier 7319") == []
        assert not [hit for hit in home.hits("moor at pier") if "7319" in hit]
        assert "7319" not in str(Factbook(home.workspace).read().facts)

    gone()
    assert home.text("context/notes.md") == "Paint the hull. Buy rope.\n"
    assert "oat milk" in home.text(LOG)
    (facts_,) = pages.regions(markdown.parse(home.text("bank/world.md")))
    assert not facts_.edited

    home.again()
    home.look()
    gone()
    home.index.rebuild()
    gone()
    home.retain()
    gone()
    home.stop()
    for file in (home.root / ".memory").glob("state.sqlite*"):
        file.unlink()
    home.start()
    home.retain()
    gone()
    home.stop()
    shutil.rmtree(home.root / ".memory")
    home.start()
    home.look()
    home.retain()
    gone()
    home.write(LOG, old_log)  # a sync puts the old file back
    home.look()
    home.retain()
    assert home.holders("Quillon at pier 7319") == [LOG]
    assert not [hit for hit in home.hits("moor at pier") if "7319" in hit]
    assert "7319" not in str(Factbook(home.workspace).read().facts)
    assert [hit for hit in home.hits("oat milk coffee") if "oat milk" in hit]


def test_deleting_its_lines_allows_it_again(home: Home) -> None:
    planted(home)
    old = home.text(LOG)
    home.forget(SECRET)
    home.write(LOG, old)
    home.look()
    assert not any("7319" in hit for hit in home.hits("moor at pier"))
    (home.root / forgotten.PATH).unlink()
    home.look()
    assert any("7319" in hit for hit in home.hits("moor at pier"))


def test_paraphrases_go_and_what_only_sounds_alike_is_named(home: Home) -> None:
    home.write(
        LOG,
        "# Daily Log\n\n## Retain\n"
        "- W @Mira: Works at the harbour office since 2024. ^aaaa000001\n"
        "- W @Mira: Since 2024 works at the harbour office. ^aaaa000002\n"
        "- W @Mira: Works at the harbour office since 2025. ^aaaa000003\n"
        "- W @Piet: Works at the harbour office since 2024. ^aaaa000004\n",
    )
    done = home.forget(id="aaaa000001")
    assert done.facts == ("aaaa000001", "aaaa000002")
    assert {left.id for left in done.left} == {"aaaa000003", "aaaa000004"}
    assert [line[-10:] for line in home.text(LOG).splitlines()[3:]] == ["aaaa000003", "aaaa000004"]
    home.look()
    assert sorted(f.id for f in Factbook(home.workspace).read().facts) == [
        "aaaa000003",
        "aaaa000004",
    ]


def test_a_text_in_other_words_finds_the_fact(home: Home) -> None:
    home.write(LOG, "## Retain\n- W @Mira: Works at the harbour office since 2024. ^aaaa000001\n")
    assert home.forget("Since 2024 Mira works at the harbour office").facts == ("aaaa000001",)
    assert "harbour" not in home.text(LOG)


def test_no_word_and_no_vector_of_it_is_left_in_the_index(home: Home) -> None:
    planted(home)
    home.forget(SECRET)
    home.stop()
    with apsw.Connection(str(home.root / ".memory/index.sqlite")) as db:
        db.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, words, row)")
        terms = {term for (term,) in db.execute("SELECT term FROM terms")}
        orphans = "SELECT id FROM vectors WHERE id NOT IN (SELECT vector FROM units)"
        left = list(db.execute(orphans))
    assert "rope" in terms
    assert not {"quillon", "7319"} & terms
    assert left == []
    assert not list((home.root / ".memory").glob("vectors.hnsw*"))
    home.start()


def test_the_bank_loses_what_rested_on_it(home: Home) -> None:
    for path, text in BANK.items():
        home.write(path, text)
    home.write(
        "bank/proposals.md",
        "# Proposals\n\n## 2026-03-03 a1b2c3\n- status: open\n- text: Peter lives in Berlin.\n"
        "- evidence: [[2026-01-05#^k3f9ab27qt]]\n\n"
        "## 2026-03-04 d4e5f6\n- text: Peter has a dog.\n",
    )
    home.forget(id="k3f9ab27qt")
    peter = home.text("bank/entities/Peter.md")
    assert "cabinetmaker" not in peter
    assert "restores violins" in peter
    assert "Owes me a plane" in peter
    assert [r.edited for r in pages.regions(markdown.parse(peter))] == [False]
    assert "Berlin" not in home.text("bank/world.md")
    assert "- 2025-03-02 @Peter: Lives in Vienna since 2023. [[" in home.text("bank/world.md")
    assert "a1b2c3" not in home.text("bank/proposals.md")
    assert "has a dog" in home.text("bank/proposals.md")


def test_an_opinion_is_weighed_anew_and_goes_with_what_it_was_founded_on(home: Home) -> None:
    home.write(
        "bank/opinions.md",
        "# Opinions\n\n## Piet likes rain\n- id: 7k2m9qx4mt\n- prior: 0.70\n- c: 0.78\n"
        "- supports: [[2026-05-18#^aaaa000001]] +0.20\n"
        "- supports: [[2026-05-18#^aaaa000002]] +0.20\n",
    )
    home.write(
        LOG,
        "## Retain\n- O @Piet: Likes rain. ^aaaa000001\n"
        "- B @Piet: Walked home in a downpour, singing. ^aaaa000002\n",
    )
    home.forget(id="aaaa000002")
    ledger = home.text("bank/opinions.md")
    assert "aaaa000002" not in ledger
    assert "- c: 0.74\n" in ledger
    done = home.forget(id="7k2m")
    assert done.facts == ("aaaa000001",)
    assert "Piet" not in home.text("bank/opinions.md") + home.text(LOG)


def test_an_edited_region_stays_edited_and_loses_the_line_too(home: Home) -> None:
    home.write(LOG, "## Retain\n- W @Mira: Keeps bees on the roof. ^aaaa000001\n")
    page = region(
        "facts", f"- @Mira: Keeps bees on the roof. [[{DAY}#^aaaa000001]]\n- @Mira: Other.\n"
    )
    home.write("bank/world.md", page.replace("Other", "My own words"))
    home.forget(id="aaaa000001")
    assert "bees" not in home.text("bank/world.md")
    assert "My own words" in home.text("bank/world.md")
    assert pages.regions(markdown.parse(home.text("bank/world.md")))[0].edited


def test_bytes_that_do_not_go_stay_as_they_are(home: Home) -> None:
    raw = b"\xef\xbb\xbf# Log\r\n\r\n[09:00:00] Caf\xe9 with Olaf \r\n[09:05:00] " + SECRET.encode()
    raw += b"\r\n\tmore of it\r\n[09:10:00] last, no line end"
    (home.root / "memory").mkdir()
    (home.root / LOG).write_bytes(raw)
    home.forget(SECRET)
    assert (home.root / LOG).read_bytes() == (
        b"\xef\xbb\xbf# Log\r\n\r\n[09:00:00] Caf\xe9 with Olaf \r\n[09:10:00] last, no line end"
    )


def test_what_is_private_can_be_forgotten_too(home: Home) -> None:
    home.write("context/a.md", f"Seen.\n\n<private>\n{SECRET}\n</private>\n")
    home.forget(SECRET)
    assert "7319" not in home.text("context/a.md")


def test_copies_that_stay_are_named(home: Home) -> None:
    planted(home)
    home.write(".obsidian/cache.json", json.dumps({"line": SECRET}))
    home.write("context/.notes.md.swp", SECRET)
    home.write("context/notes.txt", f"first\n{SECRET}")
    (home.root / ".git").mkdir()
    left = {(each.why, each.path, each.line) for each in home.forget(SECRET, yes=False).left}
    assert left == {
        ("transcript", "sessions/talk.jsonl", 2),
        ("file", ".obsidian/cache.json", 1),
        ("file", "context/.notes.md.swp", 1),
        ("file", "context/notes.txt", 2),
        ("git", str(home.root), None),
    }


def test_changes_that_held_it_cannot_be_taken_back(home: Home) -> None:
    home.workspace.write("context/plan.md", f"Plan\n\n{SECRET}\n")
    home.workspace.write("context/plan.md", f"Plan\n\n{SECRET}\nRope.\n")
    home.workspace.write("context/other.md", "one\n")
    home.workspace.write("context/other.md", "two\n")
    home.forget(SECRET)
    provenance = Provenance(home.workspace, home.state, home.index, home.config.zone)
    entries = {entry.change.path: entry for entry in reversed(home.state.recent(50))}
    for entry in home.state.recent(50, path="context/plan.md"):
        if entry.change.operation == "create":
            continue
        with pytest.raises(Conflict, match="forg"):
            provenance.undo(entry.id, dry_run=False, actor="main")
        assert provenance.undo(entry.id, dry_run=True, actor="main").conflict
        assert "7319" not in provenance.entry(entry.id).diff
    latest = home.state.recent(50, path="context/other.md")[0]
    assert provenance.undo(latest.id, dry_run=False, actor="main").applied
    assert entries


def test_a_claim_of_what_was_forgotten_is_refused_and_not_kept(home: Home) -> None:
    stated = "W @Ada: Keeps the boat at Lindau."
    request = wire.RetainRequest(facts=(stated,))
    home.retainer.take(request)
    home.forget("Keeps the boat at Lindau.")
    answer = home.retainer.take(request)
    assert not answer.stored
    assert f"of {forgotten.PATH} to allow it again" in answer.rejected[0].reason
    assert home.holders("boat at Lindau") == []
    lines = home.text(forgotten.PATH).splitlines()
    while answer.rejected:
        number = int(answer.rejected[0].reason.split("delete line ")[1].split()[0])
        lines[number - 1] = ""
        home.write(forgotten.PATH, "\n".join(lines) + "\n")
        answer = home.retainer.take(request)
    assert len(answer.stored) == 1


def test_what_was_said_but_not_retained_yet_does_not_come(home: Home) -> None:
    home.write("context/a.md", f"{SECRET}\n")
    home.forget(SECRET)
    home.say("I prefer green tea.", SECRET, f"As I said: {SECRET} And Olaf moved to Bregenz.")
    home.retain()
    assert home.holders("Quillon at pier 7319") == []
    assert "green tea" in home.text(LOG)


def test_what_is_said_anew_on_a_later_day_is_remembered(home: Home) -> None:
    home.write("context/a.md", "The cat sleeps upstairs.\n")
    home.forget("sleeps upstairs")
    home.write(
        "memory/2026-06-02.md",
        "## Retain\n- W @Cat: Often sleeps upstairs in winter. ^aaaa000009\n",
    )
    assert [f.id for f in Factbook(home.workspace).read().facts] == ["aaaa000009"]


def test_a_page_that_cannot_be_written_is_named_and_the_rest_goes(home: Home) -> None:
    planted(home)
    (home.root / "context/notes.md").chmod(0o444)
    done = home.forget(SECRET)
    assert [(p.path, p.conflict) for p in done.problems] == [("context/notes.md", False)]
    home.stop()
    assert "7319" not in home.text(LOG) + home.text("bank/world.md")
    (home.root / "context/notes.md").chmod(0o644)
    home.start()
    assert not home.forget(SECRET).problems
    assert home.holders("Quillon at pier 7319") == []


def test_a_page_with_conflict_marks_is_left_and_named(home: Home) -> None:
    planted(home)
    page = f"a\n<<<<<<< HEAD\n{SECRET}\n=======\nb\n>>>>>>> x\n"
    home.write("context/notes.md", page)
    done = home.forget(SECRET)
    assert [(p.path, p.conflict) for p in done.problems] == [("context/notes.md", True)]
    assert home.text("context/notes.md") == page


def test_text_that_cannot_be_written_back_is_left_and_named(home: Home) -> None:
    planted(home)
    (home.root / "context/old.md").write_bytes(f"\ufeff{SECRET}\n".encode("utf-16-le"))
    done = home.forget(SECRET)
    assert [(p.path, p.conflict) for p in done.problems] == [("context/old.md", True)]
    assert "UTF-16" in done.problems[0].reason


def test_without_tombstones_nothing_is_removed(home: Home) -> None:
    planted(home)
    home.write(forgotten.PATH, "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n")
    before = home.text(LOG)
    with pytest.raises(Conflict, match="conflict marks"):
        home.forget(SECRET)
    assert home.text(LOG) == before


def test_tombstones_that_cannot_be_read_let_nothing_in(home: Home) -> None:
    planted(home)
    home.forget(SECRET)
    home.write("context/new.md", "Harmless heron.\n")
    (home.root / forgotten.PATH).write_bytes(b"\0\1\2" * 50)
    report = home.index.reconcile()
    assert "context/new.md" in report.failed
    assert not home.hits("harmless heron") or "heron" not in str(home.hits("harmless heron"))


def test_a_document_changed_meanwhile_is_planned_anew(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted(home)
    real = home.workspace.forget

    def busy(path: str, etag: str, data: bytes | None, *, actor: str = "forget") -> object:
        if path == "context/notes.md" and "Own line" not in home.text(path):
            home.write(path, home.text(path) + "Own line.\n")
        return real(path, etag, data, actor=actor)

    monkeypatch.setattr(home.workspace, "forget", busy)
    assert not home.forget(SECRET).problems
    assert home.text("context/notes.md") == "Paint the hull. Buy rope.\nOwn line.\n"


def test_the_same_again_ends_what_broke_off(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    id_ = planted(home)

    def die(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(home.state, "purge", die)
    with pytest.raises(KeyboardInterrupt):
        home.forget(id=id_)
    home.again()
    assert ".memory/state.sqlite" in home.holders("Quillon at pier 7319")
    assert home.forget(id=id_).applied
    assert home.holders("Quillon at pier 7319") == []
    with pytest.raises(NotFound, match="forgotten before"):  # by an id that stands nowhere
        home.forget(id=id_)


def test_what_nothing_says_is_not_found(home: Home) -> None:
    planted(home)
    with pytest.raises(NotFound, match="nothing says this"):
        home.forget("the moon is made of cheese")
    with pytest.raises(NotFound):
        home.forget(id="zzzz999")
    with pytest.raises(InvalidInput, match="too short"):
        home.forget("a.")
    with pytest.raises(InvalidInput, match="give one"):
        home.forget()


def test_a_beginning_of_several_ids_names_them(home: Home) -> None:
    home.write(LOG, "## Retain\n- W @A: One. ^aaaa000001\n- W @A: Two. ^aaaa000002\n")
    with pytest.raises(InvalidInput, match="2 ids") as refusal:
        home.forget(id="aaaa")
    assert "^aaaa000002" in refusal.value.hint


def test_facts_that_people_wrote_go_by_their_internal_id(home: Home) -> None:
    home.write(LOG, "## Retain\n- W @Mira: Has a blue bicycle and a red one.\n")
    (fact,) = Factbook(home.workspace).read().facts
    home.forget(id=fact.id)
    assert "bicycle" not in home.text(LOG)
    home.write(
        LOG, "## Retain\n- W @Mira: Has a blue bicycle and a red one.\n- W @Mira: Rides to work.\n"
    )
    assert [f.fact.content for f in Factbook(home.workspace).read().facts] == ["Rides to work."]


def test_backups_of_the_state_go(home: Home) -> None:
    planted(home)
    for name in ("state.sqlite.v2.bak", "state.sqlite.corrupt-20260101T000000Z"):
        (home.root / ".memory" / name).write_text(SECRET)
    assert home.forget(SECRET).kept["backups"] == 2
    assert home.holders("Quillon at pier 7319") == []


def test_the_page_holds_neither_text_nor_names(home: Home) -> None:
    planted(home)
    home.forget(SECRET)
    page = home.text(forgotten.PATH)
    assert not {"moor", "Quillon", "7319", "Ada", "talk"} & set(page.replace("/", " ").split())
    assert Tombstones.parse(page).forgets_text(SECRET)


def test_a_page_of_nobody_else_goes_whole(home: Home) -> None:
    home.write(LOG, "## Retain\n- W @Zorb: Eats moss. ^aaaa000001\n")
    home.write(
        "bank/entities/Zorb.md",
        "---\nentity: Zorb\nupdated: 2026-05-18\n---\n# Zorb\n\n"
        + region("summary", f"Zorb eats moss. [[{DAY}#^aaaa000001]]\n")
        + "\n## History\n\n"
        + region("history", ""),
    )
    home.forget(id="aaaa000001")
    assert not (home.root / "bank/entities/Zorb.md").exists()


def test_nothing_is_left_while_the_files_are_open(home: Home) -> None:
    planted(home)
    assert home.holders("Quillon at pier 7319", running=True)
    home.forget(SECRET)
    assert home.holders("Quillon", running=True) == []


def test_the_log_keeps_neither_beginnings_of_it_nor_names_of_its_pages(home: Home) -> None:
    text = "Told the harbour master at Orvieto that the boat of Wendelmoor lies at the third quay."
    home.retainer.take(wire.RetainRequest(facts=(f"W @Wendelmoor: {text}",)))
    home.workspace.write("context/own.md", "My own line stays.\n")
    path = "bank/entities/Wendelmoor.md"
    home.workspace.write(
        path, "---\nentity: Wendelmoor\n---\n# Wendelmoor\n\n" + region("summary", f"{text}\n")
    )
    home.state.note_reflected({"page": {path: "x"}})
    home.look()
    home.forget(text)
    assert home.holders("Orvieto", "Wendelmoor", "harbour master") == []
    assert "My own line stays." in [e.change.preview for e in home.state.recent(50)]


def test_a_page_that_people_gave_more_fields_stays(home: Home) -> None:
    home.write(LOG, "## Retain\n- W @Zorb: Eats moss. ^aaaa000001\n")
    head = "---\nentity: Zorb\naliases: [Zorbi]\nphone: 12\n---\n# Zorb\n"
    home.write(
        "bank/entities/Zorb.md",
        f"{head}\n" + region("summary", f"Zorb eats moss. [[{DAY}#^aaaa000001]]\n"),
    )
    home.forget(id="aaaa000001")
    assert home.text("bank/entities/Zorb.md").startswith(head)
    assert "moss" not in home.text("bank/entities/Zorb.md")


def test_names_of_documents_that_say_it_are_told(home: Home) -> None:
    home.write("context/moor_the-Quillon.md", "The Quillon.\n\nSalt.\n")
    home.write("projects/quay.md", "We moor the Quillon.\n")
    left = home.forget("moor the quillon").left
    assert [(each.why, each.path) for each in left] == [("name", "context/moor_the-Quillon.md")]
    assert home.text("context/moor_the-Quillon.md") == "The Quillon.\n\nSalt.\n"


def test_a_short_text_that_stands_in_many_places_is_asked_for_twice(home: Home) -> None:
    for number in range(21):
        home.write(f"context/{number}.md", "I drink tea.\n\nRain.\n")
    assert home.forget("tea", yes=False).widespread
    with pytest.raises(InvalidInput, match="21 places of 21 documents"):
        home.forget("tea")
    assert home.text("context/3.md") == "I drink tea.\n\nRain.\n"
    assert not home.forget("I drink tea.", yes=False).widespread
    home.forgetter.forget(wire_bank.ForgetRequest(text="tea", dry_run=False, every=True))
    assert {home.text(f"context/{number}.md") for number in range(21)} == {"\nRain.\n"}


def test_the_plan_says_what_else_goes(home: Home) -> None:
    home.write("context/a.md", f"{SECRET}\n\nOlaf asked and {SECRET[:-1]}, but he sails.\n")
    plan = home.forget(SECRET, yes=False)
    assert [(place.line, place.why) for place in plan.places] == [(1, "text"), (3, "within")]


def test_text_without_spaces_goes_with_its_quotation_marks(home: Home) -> None:
    secret = "我们决定把秘密基地搬到雾凇镇"
    home.write("context/a.md", f"他说：“{secret}。” 明天下雨。\n")
    home.write("context/b.txt", json.dumps({"said": secret}))
    home.write("context/c.txt", secret)
    left = {each.path for each in home.forget(secret).left}
    assert home.text("context/a.md") == "明天下雨。\n"
    assert left == {"context/b.txt", "context/c.txt"}


def test_copies_in_other_case_and_form_are_named(home: Home) -> None:
    home.write("context/a.md", "Café Éclair is shut.\n")
    home.write("context/b.txt", unicodedata.normalize("NFD", "CAFÉ ÉCLAIR is shut"))
    assert [each.path for each in home.forget("café éclair is shut").left] == ["context/b.txt"]


def test_lines_without_full_stops_go_one_by_one(home: Home) -> None:
    text = "start with the rope\nMoor the Quillon at pier 7319\nask Olaf for tar\n\nlast\n"
    home.write("context/a.md", text)
    home.write("context/b.md", "We went to\nmoor the Quillon at\npier 7319 on Friday.\n\nlast\n")
    home.write("context/c.md", "a b c\r\nmoor the Quillon\r\nat pier 7319.\r\n\r\nlast")
    home.forget("moor the Quillon at pier 7319")
    assert home.text("context/a.md") == "start with the rope\nask Olaf for tar\n\nlast\n"
    assert home.text("context/b.md") == "\nlast\n"
    assert home.text("context/c.md") == "a b c\r\n\r\nlast"


def test_the_same_said_of_others_stays_and_of_nobody_is_named(home: Home) -> None:
    home.write(LOG, "## Retain\n- W @Olaf: Has the spare key. ^aaaa000001\n")
    kept = "Mira has the spare key.\n\nHas Olaf the spare key?\n\n- Nadia has the spare key\n"
    home.write("context/a.md", kept + "- Olaf: has the spare key\n")
    home.write("bank/entities/Olaf.md", "# Olaf\n\n- Has the spare key.\n- own\n")
    home.say("Ina has the spare key.")
    left = home.forget(id="aaaa000001").left
    assert [(each.path, each.line) for each in left] == [("bank/entities/Olaf.md", 3)]
    assert home.text("context/a.md") == kept
    home.again()
    home.look()
    assert any("Mira has the spare key." in hit for hit in home.hits("spare key"))
    home.retain()
    home.write("context/b.md", "So Olaf has the spare key.\n")
    home.look()
    assert not any("So Olaf" in hit for hit in home.hits("spare key"))


def test_a_document_that_cannot_be_read_is_named(home: Home) -> None:
    planted(home)
    (home.root / "context/odd.md").write_bytes(b"\0\1\2" * 50 + SECRET.encode())
    left = home.forget(SECRET, yes=False).left
    assert ("file", "context/odd.md") in {(each.why, each.path) for each in left}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("```\nlet\nmoor the Quillon\nat pier 7319\nend\n```\n", "```\nlet\nend\n```\n"),
        ("<!-- a\nmoor the Quillon\nat pier 7319\n-->\nx\n", "<!-- a\n-->\nx\n"),
        ("---\na: |\n  moor the Quillon\n  at pier 7319\nz: 1\n---\n", "---\na: |\nz: 1\n---\n"),
        ("> we said\n> moor the Quillon\n> at pier 7319.\n\nrest\n", "> we said\n\nrest\n"),
        ("<div>\nmoor the Quillon\nat pier 7319\n</div>\n", "<div>\n</div>\n"),
        ("<private>\nmoor the Quillon\nat pier 7319\n</private>\n", "<private>\n</private>\n"),
        ("moor the Quillon at pier 7319\n===\n\nx\n", "\nx\n"),
        ("moor the Quillon\nat pier 7319\n---\n\nx\n", "\nx\n"),
        ("moor the [Quillon](https://a.org/b) at pier 7319. Rest.\n", "Rest.\n"),
        ("moor the <b class='x'>Quillon</b> at pier 7319. Rest.\n", "Rest.\n"),
        ("moor the [[Quillon]] at [[piers#a|pier 7319]]. Rest.\n", "Rest.\n"),
        ("moor the Quil\u00adlon at\u00a0pier 73\u200b19. Rest.\n", "Rest.\n"),
        ("moor the Ｑuillon at pier ７３１９. Rest.\n", "Rest.\n"),
        ("|a|b|\n|-|-|\n|moor the Quillon|at pier 7319|\n|c|d|\n", "|a|b|\n|-|-|\n|c|d|\n"),
        ("1. a\n2. moor the\n   Quillon at pier 7319\n3. c\n", "1. a\n3. c\n"),
        ("Ask Dr. Ito. moor the Quillon at pier 7319, e.g. now.\n", "Ask Dr. Ito.\n"),
    ],
)  # fmt: skip
def test_it_goes_from_wherever_it_is_written(home: Home, before: str, after: str) -> None:
    home.write("context/a.md", before)
    home.workspace.write("context/b.md", before)
    home.workspace.write("context/b.md", "other\n")
    home.forget("Moor the Quillon at pier 7319")
    assert home.text("context/a.md") == after
    assert home.state.recent(9, path="context/b.md")[0].change.before is None


def test_retain_does_not_miss_what_is_just_going(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.say(SECRET)
    for file in home.retainer.unread():
        home.retainer.process(file)  # not read back yet
    real = home.workspace.forget

    def meanwhile(path: str, etag: str, data: bytes | None, *, actor: str = "forget") -> object:
        written = real(path, etag, data, actor=actor)
        home.retainer.confirm()
        return written

    monkeypatch.setattr(home.workspace, "forget", meanwhile)
    assert not home.forget(SECRET).problems
    assert home.holders("Quillon at pier 7319") == []


def test_what_people_wrote_takes_along_what_links_to_its_day(home: Home) -> None:
    home.write(LOG, "## Retain\n- W @Lena: Is allergic to nuts.\n- W @Ada @Lena: Paints doors.\n")
    home.write(
        "bank/world.md",
        "# World\n\n"
        + region(
            "facts",
            f"## 2026-05\n- {DAY} @Lena: Is allergic to nuts. [[{DAY}]]\n"
            f"- {DAY} @Ada: Paints boats. [[{DAY}]]\n"
            f"- ~~{DAY} @Ada: Sings.~~ [[2026-05-17]] superseded by [[{DAY}]]"
            ' "Is allergic to nuts."\n',
        ),
    )
    reworded = f"Nuts make Lenchen ill. [[{DAY}]]\nPaints boats. [[{DAY}]]\n"
    home.write("bank/entities/Lenchen.md", "# L\n\nOwn.\n\n" + region("summary", reworded))
    home.workspace.write(
        "bank/entities/Other.md",
        f"# O\n\n- {DAY}: Is allergic to nuts. [[{DAY}]]\n- Is allergic to nuts.\n",
    )
    home.workspace.write("bank/entities/Other.md", "# O\n\n- Is allergic to nuts.\n")
    home.write("bank/proposals.md", f'# P\n\n## p1\n- evidence: [[{DAY}]] "Is allergic to nuts."\n')
    home.write(LOG, home.text(LOG) + "- W @Ada: Paints boats.\n")
    home.look()
    plan = home.forget("Lena", yes=False)
    assert {(each.path, each.line) for each in plan.places} == {
        (LOG, 2), (LOG, 3), ("bank/world.md", 5), ("bank/world.md", 7),
        ("bank/entities/Lenchen.md", 6), ("bank/proposals.md", 3), ("bank/proposals.md", 4),
    }  # fmt: skip
    home.forget("Lena")
    assert f"{DAY} @Ada: Paints boats. [[{DAY}]]" in home.text("bank/world.md")
    assert f"- {DAY} @Ada: Sings. [[2026-05-17]]\n" in home.text("bank/world.md")
    assert "\nPaints boats." in home.text("bank/entities/Lenchen.md")
    assert home.text("bank/entities/Other.md") == "# O\n\n- Is allergic to nuts.\n"  # of another
    (home.root / "bank/entities/Other.md").unlink()
    home.look()
    assert home.holders("allergic to nuts", "Nuts make") == []
    assert not any("nuts" in hit.casefold() for hit in home.hits("allergic to nuts"))


def test_a_derived_fact_goes_that_repeats_what_a_person_wrote(home: Home) -> None:
    home.write(LOG, "## Retain\n- W @Lena: Eats no nuts.\n- W @Lena: Rows.\n")
    summary = (
        f"- S @Trip: Eats no nuts. [[{DAY}]] Rows. [[{DAY}]] (reflect/{DAY}#Trip) ^sssss00001\n"
    )
    home.write("memory/2026-05-19.md", f"## Retain\n{summary}")
    fact = next(f for f in Factbook(home.workspace).read().facts if "nuts" in f.fact.content)
    home.forget(id=fact.id)
    assert "nuts" not in home.text("memory/2026-05-19.md")
    assert "Rows." in home.text(LOG)


HEAD = "---\nentity: Zorb\naliases: [Zorbi]\nupdated: 2026-05-18\n"
REGIONS = region("summary", f"Eats moss. [[{DAY}#^aaaa000001]]\n") + region("history", "")


def test_a_page_goes_with_its_entity_unless_somebody_wrote_there(home: Home) -> None:
    home.write(LOG, "## Retain\n- W @Zorb: Eats moss. ^aaaa000001\n")
    page = "bank/entities/Zorb.md"
    home.write(page, f"{HEAD}---\n# Zorb\n\n{REGIONS}")
    home.forget(id="aaaa000001")
    assert home.text(page).startswith(f"{HEAD}---\n# Zorb\n")  # known by another name, too
    plan = home.forget("Zorb", yes=False)
    assert {place.action for place in plan.places if place.path == page} == {"delete"}
    home.write(page, f"{HEAD}phone: 12\n---\n# Zorb\n\nOwes me a plane.\n\n{REGIONS}")
    left = home.forget("Zorb").left
    assert ("nameless", page) in [(each.why, each.path) for each in left]
    text = home.text(page)
    assert text.startswith("---\naliases: [Zorbi]\nupdated: 2026-05-18\nphone: 12\n---\n")
    assert "Owes me a plane." in text
    home.write(page, f"{HEAD}---\n# Zorb\n\n{REGIONS}")
    home.forget("Zorb")
    assert not (home.root / page).exists()


@pytest.mark.parametrize(
    "own", ["<!-- ask her -->\n", "<private>\nx\n</private>\n", "- x\n", "```\nx\n```\n"]
)
def test_whatever_somebody_wrote_keeps_a_page(home: Home, own: str) -> None:
    page = "bank/entities/Zorb.md"
    home.write(page, f"{HEAD}---\n# Zorb\n\n{REGIONS}\n{own}")
    home.forget("Zorb")
    assert own in home.text(page)


def test_an_edited_region_keeps_a_page(home: Home) -> None:
    page = "bank/entities/Zorb.md"
    home.write(page, f"{HEAD}---\n# Zorb\n\n{REGIONS.replace('moss', 'ferns')}")
    home.forget("Zorb")
    assert "ferns" in home.text(page)


def test_no_half_of_a_field_is_left(home: Home) -> None:
    page = "bank/entities/Mira.md"
    head = "---\nentity: Mira\n{}phone: 1\n---\n# Mira\n\nOwn.\n"
    fields = "aliases: [Mi,\n  Zorb]\nZorb:\n  age: 5\nnot:\n  - Zorb\n  - Mia\n"
    home.write(page, head.format(fields))
    home.forget("Zorb")
    assert home.text(page) == head.format("not:\n  - Mia\n")


def test_changes_that_did_not_hold_it_can_be_taken_back(home: Home) -> None:
    opinion = (
        "## Piet likes rain\n- id: 7k2m9qx4mt\n- prior: 0.70\n- c: 0.74\n- entities: @Piet\n"
        f"- updated: {DAY}\n- supports: [[{DAY}#^aaaa000001]] +0.20\n"
    )
    home.write(LOG, "## Retain\n- O(c=0.7) @Piet: Piet likes rain. ^aaaa000001\n")
    home.write("bank/opinions.md", f"# Opinions\n\n{opinion}")
    page = "bank/entities/Petra.md"
    text = f"---\nentity: Petra\nupdated: {DAY}\n---\n# Petra\n\n- entities: @Piet\n- c: 0.74\n"
    home.workspace.write(page, text)
    home.workspace.write(page, text + "More.\n")
    home.forget(id="aaaa000001")
    assert "rain" not in home.text("bank/opinions.md")
    entry = home.state.recent(1, path=page)[0]
    provenance = Provenance(home.workspace, home.state, home.index, home.config.zone)
    assert provenance.undo(entry.id, dry_run=False, actor="main").applied
    assert home.text(page) == text
    stones = Tombstones.parse(home.text(forgotten.PATH))
    assert not stones.forgets_text(f"updated: {DAY}")
    assert stones.forgets_text("Piet likes rain")


def test_changes_that_held_a_line_of_it_cannot_be_taken_back(home: Home) -> None:
    home.write(LOG, "## Retain\n- W @Lena: Is allergic to nuts.\n")
    page = "bank/entities/L.md"
    home.workspace.write(page, f"# L\n\nIs allergic to nuts. [[{DAY}]]\n")
    home.workspace.write(page, "# L\n")
    home.forget("Lena")
    assert [e.change.operation for e in home.state.recent(5, path=page)] == ["purged", "create"]
    assert home.holders("allergic to nuts") == []


def test_a_full_id_means_the_fact_though_pages_link_to_it(home: Home) -> None:
    home.write(LOG, "## Retain\n- W @Mira: Rides a bicycle. ^aaaa000001\n")
    home.write("context/a.md", f"See [[{DAY}#^aaaa000001]] for more.\n")
    assert home.forget("aaaa000001").facts == ("aaaa000001",)
    assert "bicycle" not in home.text(LOG)


@pytest.mark.parametrize("yes", [False, True])
def test_what_is_forgotten_already_is_not_found(home: Home, *, yes: bool) -> None:
    planted(home)
    home.forget(SECRET)
    with pytest.raises(NotFound, match="forgotten before") as refusal:
        home.forget(SECRET, yes=yes)
    assert "sessions/talk.jsonl" in refusal.value.hint


def test_a_forgetting_that_dies_at_the_logs_ends_with_what_pages_held(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.write(LOG, "## Retain\n- W @Lena: Is allergic to nuts.\n")
    page = "bank/entities/L.md"
    home.workspace.write(page, f"# L\n\nIs allergic to nuts. [[{DAY}]]\n")
    home.workspace.write(page, "# L\n")
    purges = []
    purge = home.state.purge

    def die_at_the_second(goes: object) -> object:
        purges.append(goes)
        if len(purges) == 2:
            raise KeyboardInterrupt
        return purge(goes)  # type: ignore[arg-type]

    monkeypatch.setattr(home.state, "purge", die_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        home.forget("Lena")
    home.again()
    with pytest.raises(NotFound, match="forgotten before"):
        home.forget("Lena")
    assert home.holders("allergic to nuts") == []


def test_only_the_plan_that_was_agreed_to_is_carried_out(home: Home) -> None:
    home.write("projects/tea.md", "# Tea\n\nThe samovar of Ina leaks.\n")
    ask = functools.partial(wire_bank.ForgetRequest, text="The samovar of Ina leaks")
    plan = home.forgetter.forget(ask()).plan
    home.write("projects/tea.md", "# Tea\n\nA line more.\n\nThe samovar of Ina leaks.\n")
    assert home.forgetter.forget(ask()).plan == plan, "lines move"
    home.write("projects/pots.md", "# Pots\n\nThe samovar of Ina leaks.\n")
    with pytest.raises(Conflict, match="agreed: is not what would go now; nothing was forgotten"):
        home.forgetter.forget(ask(dry_run=False, agreed=plan))
    assert "samovar" in home.text("projects/tea.md")
    agreed = home.forgetter.forget(ask()).plan
    assert home.forgetter.forget(ask(dry_run=False, agreed=agreed)).applied
    assert "samovar" not in home.text("projects/tea.md") + home.text("projects/pots.md")
