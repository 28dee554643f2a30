"""Replays of field cases on files: odd ones, their names, links, encodings, copies, writers."""

import os
import shutil
import socket
import struct
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from hippod import daylog
from hippod.cli import main
from hippod.context import MEMORIES
from tests.documents import ask, index_of
from tests.fakes import FakeEmbedder
from tests.processes import Daemon, running, wait_for
from tests.test_cases_bank import House
from tests.test_forget import Home

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + bytes(13)


def put(root: Path, path: str, data: str | bytes) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data.encode() if isinstance(data, str) else data)
    return file


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path / "w").start()
    yield house
    house.stop()


# -- special files, nothing at all -----------------------------------------------------------------


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running(tmp_path_factory.mktemp("files")) as daemon:
        yield daemon


ASKED = (
    "status", "tree", "recall harbour", "context", "entities", "opinions", "proposals", "log",
    "events", "jobs", "reindex", "reflect", "hygiene", "heartbeat", "export",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.xdist_group("cases-files")
class TestRunning:
    @pytest.mark.parametrize("folders", [(), ("memory", "bank/entities")], ids=["bare", "folders"])
    def test_c066_every_command_has_an_answer_when_there_is_no_file(
        self,
        daemon: Daemon,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        folders: tuple[str, ...],
    ) -> None:
        for item in daemon.workspace.iterdir():
            if item.name != ".memory":
                shutil.rmtree(item) if item.is_dir() else item.unlink()
        for folder in folders:
            (daemon.workspace / folder).mkdir(parents=True)
        daemon.client.run_job("reconcile")
        for name, value in daemon.environ.items():
            monkeypatch.setenv(name, value)
        for words in ASKED:
            assert main([*words.split(), "--json"]) == 0, (words, capsys.readouterr().err)
            assert main(words.split()) == 0, (words, capsys.readouterr().err)
        assert daemon.client.recall("harbour")["hits"] == []
        assert daemon.client.status()["workspace"]["documents"] == 0
        assert not list(daemon.workspace.rglob("*.md"))

    def test_c065_what_is_no_regular_file_stops_nothing(self, daemon: Daemon) -> None:
        root = daemon.workspace
        (root / "memory").mkdir(exist_ok=True)
        os.mkfifo(root / "memory/pipe.md")
        (root / "memory/folder.md").mkdir()
        (root / "memory/zero.md").symlink_to("/dev/zero")
        (root / "memory/nothing.md").touch()
        put(root, "memory/newline.md", "\n")
        with (root / "memory/sparse.md").open("wb") as file:
            file.truncate(10_000_000_000)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(f"/proc/self/fd/{(held := os.open(root, os.O_PATH))}/s.md")
            os.close(held)
        put(root, f"memory/{'n' * 247}.md", "The long name holds a merlin\n")
        put(root, "memory/after.md", "The hobby hunts at dusk\n")
        for word in ("hobby", "merlin"):
            wait_for(lambda word=word: hits(daemon, word), word)
        daemon.client.run_job("reconcile")
        status = daemon.client.status()["workspace"]
        assert status["skipped"] == {
            "memory/pipe.md": "not a regular file",
            "memory/sparse.md": "larger than 10000000 bytes",
            "s.md": "not a regular file",
        }
        assert "memory/zero.md" in {link["path"] for link in status["links"]}
        assert daemon.client.health()["ok"]

    def test_c070_status_counts_the_files_of_each_root_also_none(
        self, daemon: Daemon, tmp_path: Path
    ) -> None:
        vault = tmp_path / "vault"
        put(vault, "diary/one.md", "The osprey fishes\n")
        (vault / "diary/loop").symlink_to(vault)
        (tmp_path / "hollow").mkdir()
        (daemon.workspace / "vault").symlink_to(vault)
        (daemon.workspace / "hollow").symlink_to(tmp_path / "hollow")
        daemon.client.run_job("reconcile")
        assert [hit["path"] for hit in hits(daemon, "osprey")] == ["vault/diary/one.md"]
        roots = daemon.client.status()["workspace"]["roots"]
        assert (roots["vault"], roots["hollow"]) == (1, 0)


def hits(daemon: Daemon, query: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = daemon.client.recall(query, mode="lexical")["hits"]
    return found


# -- names and links -------------------------------------------------------------------------------


def test_c067_names_that_look_alike_are_three_documents(tmp_path: Path) -> None:
    texts = {
        f"bank/entities/{name}.md": f"# Tool\n\nThe {word} one planes oak.\n"
        for name, word in (("my_plane", "first"), ("my-plane", "second"), ("my plane", "third"))
    }
    for path, text in texts.items():
        put(tmp_path / "w", path, text)
    with index_of(tmp_path / "w", FakeEmbedder()) as index:
        index.reconcile()
        found = ask(index, "planes oak", limit=20).hits
        assert {hit.path for hit in found} == set(texts)
        for hit in found:
            assert hit.content.split()[-4] in texts[hit.path]


ODD = (
    "🦉", "]", "¶", "====", "}", "#", "[[x]]", "%20", "a?b", "it's", 'say "so"', "-rf",
    "two\nlines", "tab\t", "trailing ", " leading", "..md", "CON", "a:b", "back\\slash",
    "\u202edm.a", "e\u0301", unicodedata.normalize("NFC", "e\u0301"), "*", "$(id)", "\x07bell",
)  # fmt: skip


def test_c068_odd_names_are_documents_like_any_other(tmp_path: Path) -> None:
    root = tmp_path / "w"
    names = {f"memory/{name}.md": f"Odd {n} and godwits\n" for n, name in enumerate(ODD)}
    plain = {f"memory/2026-05-{n:02}.md": f"Plain {n} and godwits\n" for n in range(1, 21)}
    for path, text in {**names, **plain}.items():
        put(root, path, text)
    if sys.platform != "darwin":
        (root / os.fsdecode(b"memory/no\xfftext.md")).write_text("godwits\n")
    hidden = {path for path in names if path.startswith("memory/.")}
    with index_of(root) as index:
        report = index.reconcile()
        assert report.failed == {}
        found = {hit.path for hit in ask(index, "godwits", limit=100).hits}
    assert found == {*names, *plain} - hidden


def test_c069_a_link_in_place_of_a_file_is_named_and_stops_no_other(tmp_path: Path) -> None:
    root = tmp_path / "w"
    put(tmp_path, "common/MEMORY.md", "# Memory\n\nShared by godwits.\n")
    for day in range(1, 6):
        put(root, f"memory/2026-05-{day:02}.md", f"[09:00:00] Day {day} of the godwits\n")
    (root / "MEMORY.md").symlink_to("../common/MEMORY.md")
    (root / "memory/x.md").symlink_to("nowhere")
    with index_of(root) as index:
        assert index.reconcile().failed == {}
        assert len(ask(index, "godwits", limit=20).hits) == 5
        scan = index._documents.scan()
    assert {link.path for link in scan.links} == {"MEMORY.md", "memory/x.md"}
    assert all(link.reason for link in scan.links)


def test_c070_a_folder_that_is_itself_a_link_is_read_once(tmp_path: Path) -> None:
    root, vault = tmp_path / "w", tmp_path / "vault"
    for day in range(1, 4):
        put(vault, f"memory/2026-05-{day:02}.md", f"## Retain\n- W: Godwit {day} left.\n")
    (vault / "memory/a").symlink_to(vault / "memory")
    root.mkdir()
    (root / "memory").symlink_to(vault / "memory")
    with index_of(root) as index:
        assert index.reconcile().indexed == 3
        found = ask(index, "godwit left", limit=20).hits
        assert {hit.path for hit in found} == {f"memory/2026-05-0{day}.md" for day in range(1, 4)}
        assert {hit.kind for hit in found} == {"world"}


def test_c071_two_spellings_are_one_file_or_two_that_are_told_apart(tmp_path: Path) -> None:
    root = tmp_path / "w"
    upper = put(root, "MEMORY.md", "# Memory\n\nThe upper one likes dunlins.\n")
    os.link(upper, root / "memory.md")
    with index_of(root) as index:
        index.reconcile()
        assert [hit.path for hit in ask(index, "dunlins").hits] == ["MEMORY.md"]
        (root / "memory.md").unlink()
        put(root, "memory.md", "# Memory\n\nThe lower one likes dunlins.\n")
        index.reconcile()
        found = ask(index, "dunlins").hits
        assert sorted(hit.path for hit in found) == ["MEMORY.md", "memory.md"]
        assert len({hit.content for hit in found}) == 2
    assert MEMORIES[0] == "MEMORY.md"  # what an agent is given, where both are there


HOSTILE = (
    "../../../outside", "..%2f..%2fx", "C:\\temp\\a", ".git/config", "CON", "a/b", "." * 3,
    "n" * 300, "\u202eabc", "~/.ssh/id", "-rf", "x.sync-conflict-20260404-1201", ".",
)  # fmt: skip


def test_c072_no_name_of_an_entity_leads_out_of_its_folder(house: House) -> None:
    bullets = [
        f"W @{name} @Ivar: Was at the harbour on pier {n}." for n, name in enumerate(HOSTILE)
    ]
    house.log("2026-04-18", *bullets)
    house.say(*(f"Remember that @{name} met Ivar." for name in HOSTILE), at="2026-04-18T10:00:00Z")
    before = everything(house.root.parent)
    house.look()
    house.retain()
    assert not house.reflect().problems
    for path in everything(house.root.parent) - before:
        relative = path.relative_to(house.root)
        if relative.parts[0] == ".memory":
            continue
        assert not any(part.startswith(".") for part in relative.parts)
        assert relative.parts[0] in ("bank", "memory")
        assert len(relative.parts) == (3 if relative.parts[1] == "entities" else 2)
        assert len(relative.name.encode()) <= 255
        assert relative.stem.upper() != "CON"
        assert not set(relative.name) & {"\u202e", "\\", ":", "\0"}
    assert "at the harbour on pier" in house.entity("Ivar")


def everything(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


# -- sync clients ----------------------------------------------------------------------------------

COPIES = (
    "2026-04-18 (Ana's conflicted copy 2026-04-18).md",
    "2026-04-18.sync-conflict-20260418-101010-ABCDEFG.md",
    ".2026-04-18.md.icloud",
    "~$2026-04-18.md",
    "2026-04-18.md.tmp",
    ".#2026-04-18.md",
    "2026-04-18.md~",
)
NUMBERED = ("2026-04-18 2.md", "2026-04-18 (1).md")


def test_c074_copies_of_a_log_are_no_log_and_double_nothing(house: House) -> None:
    bullet = "W @Solveig: Sold the yawl to the sailing school. ^cccc000001"
    log = house.log("2026-04-18", bullet)
    text = log.read_text() + "\n## Log\n\n[09:00:00] Remember that the mooring is let.\n"
    log.write_text(text)
    house.look()
    house.retain()
    house.reflect()
    facts, page = house.facts("2026-04-18"), house.entity("Solveig")
    for name in COPIES + NUMBERED:
        house.put(f"memory/{name}", text.replace("yawl", "yawl, so they say,"))
        assert daylog.day_of(f"memory/{name}") is None
    house.put("memory/2026-04-18 (Bo's conflicted copy 2026-04-18).md", "")
    house.look()
    house.retain()
    house.reflect()
    assert house.facts("2026-04-18") == facts
    assert house.entity("Solveig") == page
    kinds = [hit.kind for hit in ask(house.index, "Solveig yawl sailing school", limit=20).hits]
    assert kinds.count("world") == 1
    read = {hit.path for hit in ask(house.index, "so they say", limit=20).hits}
    assert read <= {f"memory/{name}" for name in NUMBERED}  # may be anybody's own notes
    assert set(house.workspace.scan().skipped) == {
        *(f"memory/{name}" for name in COPIES if name.endswith(".md") and name[0] != "."),
        "memory/2026-04-18 (Bo's conflicted copy 2026-04-18).md",
    }


# -- encodings -------------------------------------------------------------------------------------


def test_c085_what_is_not_plain_utf8_is_read_and_never_written_over(tmp_path: Path) -> None:
    home = Home(tmp_path / "w")
    try:
        bullets = "".join(f"- The beacon {n} flashes\n" for n in range(100)).encode()
        marked = b"\xef\xbb\xbf# Memory\n\n- Keep the flare gun dry\n- Feed the gulls\n"
        broken = b"# List\n\n- caf\xe9 by the quay\n" + bullets + b"- Sell the old capstan\n"
        utf16 = "\ufeff# Old\n\n- Burn the driftwood\n- Mend the trawl\n".encode("utf-16-le")
        for path, data in (("MEMORY.md", marked), ("list.md", broken), ("old.md", utf16)):
            put(home.root, path, data)
        home.look()
        heading = ask(home.index, "flare gun").hits[0]
        assert heading.path == "MEMORY.md"
        assert "\ufeff" not in heading.content
        flashing = ask(home.index, "beacon flashes", limit=100).hits
        assert sum(hit.content.count("flashes") for hit in flashing) >= 100
        assert "UTF-8" in home.workspace.notes["list.md"]
        for line in ("Feed the gulls", "Sell the old capstan", "Mend the trawl"):
            home.forget(line)
        assert (home.root / "MEMORY.md").read_bytes() == marked.replace(b"- Feed the gulls\n", b"")
        left = (home.root / "list.md").read_bytes()
        assert left in (broken, broken.replace(b"- Sell the old capstan\n", b""))
        assert (home.root / "old.md").read_bytes() == utf16
    finally:
        home.stop()


def test_c086_a_nul_and_a_picture_do_not_keep_others_out(house: House) -> None:
    nul = b"# Daily Log - 2026-04-18\n\n## Retain\n- W @Rut: Has a ke\0tch in the bay.\n"
    put(house.root, "memory/2026-04-18.md", nul)
    put(house.root, "context/picture.md", PNG * 3)
    house.put("context/notes.md", "The sloop lies in the bay.\n")
    assert house.look() == {}
    house.retain()
    house.reflect()
    assert any("sloop" in hit for hit in house.found("who lies in the bay"))
    assert any("ketch" in hit for hit in house.found("ketch"))
    assert {"context/picture.md", "memory/2026-04-18.md"} <= set(house.workspace.notes)
    assert (house.root / "memory/2026-04-18.md").read_bytes() == nul
    assert (house.root / "context/picture.md").read_bytes() == PNG * 3
