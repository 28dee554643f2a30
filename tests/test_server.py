"""The socket's doors: every endpoint with its answer, its errors, and what it refuses."""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hippod import __version__, wire
from tests.asking import Answer, Door, ask, file
from tests.processes import Daemon, running, wait_for

pytestmark = pytest.mark.xdist_group("server")


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    settings = {"HIPPOD_SERVER__MAX_BODY_BYTES": "100000"}
    with running(tmp_path_factory.mktemp("server"), settings) as daemon:
        (daemon.workspace / "tickets.md").write_text(
            "# Tickets\n\n- Agreed on ADR-0231 for the cache layer\n\n"
            "## Habits\n\n- I don't want auto-merge on Fridays\n\n"
            "## Builder\n\n- Upgraded builder to Alpine 3.19.1\n\n"
            "## Japanese\n\n- 本周复盘 done\n\n## Calendar\n\n- the day-book is full\n"
        )
        wait_for(lambda: "ADR-0231" in contents(daemon, "cache layer"), "the seed")
        yield daemon


@pytest.fixture
def door(daemon: Daemon) -> "Asker":
    return Asker(daemon.socket)


class Asker:
    def __init__(self, socket: Path) -> None:
        self.socket = socket

    def __call__(
        self, method: str, target: str, body: object = None, headers: dict[str, str] | None = None
    ) -> Answer:
        return ask(self.socket, method, target, body, headers)

    def ok(self, method: str, target: str, body: object = None) -> Answer:
        answer = self(method, target, body)
        assert answer.status == 200, answer
        assert answer.headers["hippod-version"] == __version__
        assert answer.headers["content-type"] == "application/json"
        return answer

    def refused(self, status: int, code: str, method: str, target: str, body: object = None) -> str:
        answer = self(method, target, body)
        assert (answer.status, answer.error["code"]) == (status, code), answer
        return answer.error["message"]


def contents(daemon: Daemon, query: str) -> str:
    answer = ask(daemon.socket, "POST", "/v1/recall", {"query": query, "mode": "lexical"})
    assert answer.status == 200, answer
    return "\n".join(hit["content"] for hit in answer.data["hits"])


# -- questions -------------------------------------------------------------------------------


def test_health_and_status(door: Asker, daemon: Daemon) -> None:
    health = door.ok("GET", "/v1/health").data
    assert health == {"ok": True, "version": __version__, "wire": wire.WIRE_VERSION}
    status = wire.Status.model_validate(door.ok("GET", "/v1/status").data)
    assert daemon.process is not None
    assert status.pid == daemon.process.pid
    assert status.socket == str(daemon.socket)
    assert status.workspace is not None
    assert status.workspace.path == str(daemon.workspace.resolve())
    assert status.index is not None
    assert status.index["state"] == "ready"
    assert status.retain is not None
    assert status.retain["sources"][0]["name"] == "main"
    assert status.watch is not None
    assert status.watch["mode"] == "events"
    assert status.jobs is not None
    assert status.state is not None
    assert status.notes is not None


def test_status_names_what_is_left_out_and_why(door: Asker, daemon: Daemon) -> None:
    (daemon.workspace / "conflict.sync-conflict-20260303-101112.md").write_text("twice\n")
    (daemon.workspace / "gone.md").symlink_to("nowhere.md")
    (daemon.workspace / "latin.md").write_bytes(b"caf\xe9\n")
    door.ok("POST", "/v1/jobs/reconcile/run")
    about = door.ok("GET", "/v1/status").data["workspace"]
    assert about["documents"] >= 2
    assert "conflict copy" in about["skipped"]["conflict.sync-conflict-20260303-101112.md"]
    assert "UTF-8" in about["oddities"]["latin.md"]
    assert [link["reason"] for link in about["links"]] == ["its target is missing"]
    for name in ("conflict.sync-conflict-20260303-101112.md", "gone.md", "latin.md"):
        (daemon.workspace / name).unlink()


def test_recall_cites(door: Asker) -> None:
    answer = door.ok("POST", "/v1/recall", {"query": "cache layer", "limit": 1})
    (hit,) = wire.RecallAnswer.model_validate(answer.data).hits
    assert hit.source == "tickets.md#L1"
    assert (hit.line_start, hit.line_end) == (1, 3)
    assert "ADR-0231" in hit.content


@pytest.mark.parametrize("query", ["ADR-0231", '"ADR-0231"', "adr 0231"])
def test_identifiers_are_found_however_they_are_written(daemon: Daemon, query: str) -> None:
    assert contents(daemon, query).splitlines()[2].startswith("- Agreed on ADR-0231")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("don't want", "Fridays"),
        ("don’t want", "Fridays"),
        ("alpine 3.19", "3.19.1"),
        ("复盘 OR 日报 OR day-book OR journal", "复盘"),
        ("复盘 OR 日报 OR day-book OR journal", "day-book"),
    ],
)
def test_ordinary_punctuation_finds(daemon: Daemon, query: str, expected: str) -> None:
    assert expected in contents(daemon, query)


HARD = [
    "cache:warm", 'note "later', "alpha AND", "AND", "OR OR", "NEAR(", "(draft", "draft)", "*",
    "^lead", "{k v}: z", "-", "-band", '"', '""', 'a"b', "C++", "C#", "", "   ", "O'Brien's",
    "3.", ".", "v3.19.1", "nul\0inside", "🦀", "👩🏽‍💻 deploy", "\ud800", "a\nb",
    "; DROP TABLE units", "path:x AND NOT y", "\u202eabc",
]  # fmt: skip


@pytest.mark.parametrize("query", HARD)
@pytest.mark.parametrize("mode", ["lexical", "vector", "hybrid"])
def test_any_query_is_answered(door: Asker, query: str, mode: str) -> None:
    answer = door.ok("POST", "/v1/recall", {"query": query, "mode": mode})
    assert "failed" not in answer.data["legs"].values()
    assert not answer.data["degraded"]


@pytest.mark.parametrize(
    "query",
    ["word " * 10_000, "w" * 90_000, "(" * 5_000, "x OR " * 3_000, "🦀" * 6_000, " " * 90_000],
)
def test_long_queries_are_cut_and_answered_at_once(door: Asker, query: str) -> None:
    answer = door.ok("POST", "/v1/recall", {"query": query})
    assert answer.data["truncated"] or not query.strip()
    assert answer.data["took_ms"] < 2000


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"limit": 0}, "limit: must be at least 1"),
        ({"limit": -1}, "limit"),
        ({"limit": 101}, "limit"),
        ({"limit": "ten"}, "limit: is no whole number"),
        ({"limit": 1e9}, "limit"),
        ({"limit": 2.5}, "limit"),
        ({"limit": None}, "limit"),
        ({"query": 5}, "query"),
        ({"query": None}, "query"),
        ({"since": "yesterdayish"}, "since"),
        ({"until": "2026-02-30"}, "until"),
        ({"as_of": "03/03/2026"}, "as_of"),
        ({"since": "2026-03-03", "until": "2026-03-01"}, "since"),
        ({"mode": "magic"}, "mode"),
        ({"kind": ["world", "fiction"]}, "kind"),
        ({"kind": "world"}, "kind"),
        ({"entity": ["x"] * 1000}, "entity"),
        ({"min_score": 2}, "min_score"),
        ({"bm25_weight": -0.1}, "bm25_weight"),
        ({"budget_tokens": 0}, "budget_tokens"),
        ({"scope": "admin"}, "scope"),
        ({"verbose": True}, "verbose: unknown field"),
        ({"x" * 5000: True}, "xxx"),
    ],
)
def test_bad_fields_are_named(door: Asker, fields: dict[str, object], named: str) -> None:
    body = {"query": "x", **fields}
    message = door.refused(422, "invalid", "POST", "/v1/recall", body)
    assert message.startswith(named)
    assert len(message) < 500


def test_missing_fields_are_named_together(door: Asker) -> None:
    message = door.refused(422, "invalid", "POST", "/v1/files/a.md", {"action": "replace"})
    assert "old: " in message
    assert "new: " in message


# -- retain ----------------------------------------------------------------------------------


def test_retain_stores_facts_and_says_where(door: Asker, daemon: Daemon) -> None:
    facts = ["W @Ada: The kayak hangs in the boat house.", "- O(c=0.9) @Ada: Likes short replies."]
    answer = door.ok("POST", "/v1/retain", {"facts": facts})
    stored = wire.RetainAnswer.model_validate(answer.data).stored
    today = datetime.now(UTC).date().isoformat()
    lines = (daemon.workspace / "memory" / f"{today}.md").read_text().splitlines()
    assert [lines[fact.line - 1] for fact in stored] == [fact.bullet for fact in stored]
    assert stored[0].bullet.startswith("- W @Ada: The kayak hangs in the boat house.")
    again = door.ok("POST", "/v1/retain", {"facts": facts})
    assert [fact["line"] for fact in again.data["stored"]] == [fact.line for fact in stored]
    wait_for(lambda: "kayak" in contents(daemon, "kayak"), "the fact")


def test_a_fact_with_line_breaks_stays_one_bullet(door: Asker, daemon: Daemon) -> None:
    answer = door.ok("POST", "/v1/retain", {"facts": ["W @Ada: The mast\n\n## Log\n- is up"]})
    (stored,) = answer.data["stored"]
    assert stored["bullet"].startswith("- W @Ada: The mast ## Log - is up ^")
    log = (daemon.workspace / stored["path"]).read_text()
    assert "\n## Log" not in log


@pytest.mark.parametrize(
    "bad",
    ["The kayak hangs", "X @Ada: unknown kind", "W @Ada:", "", "\ud800"],
)
def test_what_is_no_fact_is_named_and_nothing_is_stored(
    door: Asker, daemon: Daemon, bad: str
) -> None:
    before = {path: path.read_bytes() for path in (daemon.workspace / "memory").glob("*")}
    body = {"facts": ["W @Ada: The oar is blue.", bad]}
    message = door.refused(422, "invalid", "POST", "/v1/retain", body)
    assert message.startswith("facts")
    assert "oar" not in message
    assert before == {path: path.read_bytes() for path in (daemon.workspace / "memory").glob("*")}


def test_retain_extracts_messages_and_explains(door: Asker) -> None:
    messages = [
        {"role": "user", "content": "We decided to rent the flat in Graz from April.",
         "timestamp": "2026-02-11T18:00:00Z", "id": "m1"},
        {"role": "assistant", "content": "Good choice!", "timestamp": "2026-02-11T18:00:05Z"},
    ]  # fmt: skip
    body = {"messages": messages, "session": "flat", "wait": True, "explain": True}
    answer = wire.RetainAnswer.model_validate(door.ok("POST", "/v1/retain", body).data)
    assert [fact.path for fact in answer.stored] == ["memory/2026-02-11.md"]
    assert "(18:00 api/flat#m1)" in answer.stored[0].bullet
    assert answer.queued == 0
    again = door.ok("POST", "/v1/retain", body)
    assert again.data["stored"] == []


def test_retain_without_waiting_queues_and_flush_extracts(door: Asker, daemon: Daemon) -> None:
    said = {"role": "user", "content": "Remember that the bike lock code card is in the red tin.",
            "timestamp": "2026-02-12T08:00:00Z"}  # fmt: skip
    queued = door.ok("POST", "/v1/retain", {"messages": [said], "session": "bike"})
    assert queued.data["queued"] == 1
    assert queued.data["stored"] == []
    door.ok("POST", "/v1/retain", {"session": "bike", "flush": True})
    log = daemon.workspace / "memory" / "2026-02-12.md"
    wait_for(lambda: log.exists() and "red tin" in log.read_text(), "the extraction")


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ({"role": "robot", "content": "x"}, "messages.0.role"),
        ({"role": "user"}, "messages.0.content"),
        ({"role": "user", "content": "x", "timestamp": "noonish"}, "messages.0.timestamp"),
        ({"role": "user", "content": "x", "mood": "good"}, "messages.0.mood"),
    ],
)
def test_bad_messages_are_named(door: Asker, message: dict[str, str], named: str) -> None:
    body = {"messages": [message]}
    assert door.refused(422, "invalid", "POST", "/v1/retain", body).startswith(named)


ODD = ["a b", "x) ^k3f9ab27qt", "s#1", "line\n## Retain\n- W @x: injected", "🦉", "../../etc",
       "\ud800", "nul\0", "\u202e"]  # fmt: skip


@pytest.mark.parametrize("odd", ODD)
def test_odd_session_and_message_names_cannot_leave_their_bullet(
    door: Asker, daemon: Daemon, odd: str
) -> None:
    said = {"role": "user", "content": "Remember that the ladder stands behind the shed.",
            "timestamp": "2026-01-20T08:00:00Z", "id": f"id{odd}"}  # fmt: skip
    body = {"messages": [said], "session": odd, "wait": True}
    answer = door("POST", "/v1/retain", body)
    if answer.status != 200:
        assert (answer.status, answer.error["code"]) == (422, "invalid")
        return
    for fact in wire.RetainAnswer.model_validate(answer.data).stored:
        assert "\n" not in fact.bullet
        assert fact.bullet.endswith(f"^{fact.id}")
    log = (daemon.workspace / "memory" / "2026-01-20.md").read_text()
    assert log.count("## Retain") == 1
    assert "\n- W @x" not in log


# -- documents -------------------------------------------------------------------------------


def test_write_read_append_replace_delete(door: Asker, daemon: Daemon) -> None:
    target = file("notes/plan.md")
    written = door.ok("PUT", target, {"content": "# Plan\n", "etag": ""}).data
    assert written["changed"]
    read = wire.FileContent.model_validate(door.ok("GET", target).data)
    assert (read.content, read.etag, read.size) == ("# Plan\n", written["etag"], 7)
    assert datetime.fromisoformat(read.modified).tzinfo is not None
    appended = door.ok("POST", target, {"action": "append", "content": "Buy rope"}).data
    assert appended["line"] == 2
    body = {"action": "replace", "old": "rope", "new": "twine", "etag": appended["etag"]}
    assert door.ok("POST", target, body).data["line"] == 2
    assert (daemon.workspace / "notes/plan.md").read_text() == "# Plan\nBuy twine\n"
    assert door.ok("GET", "/v1/tree?directory=notes").data["entries"] == [
        {"name": "plan.md", "path": "notes/plan.md", "is_directory": False}
    ]
    assert (
        door.ok("POST", target, {"action": "insert", "line": 2, "content": "Now"}).data["line"] == 2
    )
    body = {"action": "move", "to": "notes/done.md"}
    moved = door.ok("POST", target, body).data
    assert (moved["path"], moved["moved_from"]) == ("notes/done.md", "notes/plan.md")
    assert door.refused(404, "not_found", "POST", target, body) == "notes/plan.md: no such document"
    target = file("notes/done.md")
    assert door.ok("GET", target).data["content"] == "# Plan\nNow\nBuy twine\n"
    for line in (0, 5, -1, "x", 2**40):
        insertion = {"action": "insert", "line": line, "content": "x"}
        assert "line" in door.refused(422, "invalid", "POST", target, insertion)
    assert door.ok("DELETE", target).data["changed"]
    assert door.refused(404, "not_found", "GET", target) == "notes/done.md: no such document"


def test_etag_is_compared(door: Asker) -> None:
    target = file("swap.md")
    old = door.ok("PUT", target, {"content": "one\n"}).data["etag"]
    new = door.ok("PUT", target, {"content": "two\n", "etag": old}).data["etag"]
    assert old != new
    for method, body in [
        ("PUT", {"content": "three\n", "etag": old}),
        ("PUT", {"content": "three\n", "etag": ""}),
        ("POST", {"action": "append", "content": "x", "etag": old}),
        ("POST", {"action": "replace", "old": "two", "new": "x", "etag": old}),
    ]:
        door.refused(409, "conflict", method, target, body)
    door.refused(409, "conflict", "DELETE", f"{target}?etag={old}")
    assert door.ok("GET", target).data["content"] == "two\n"
    door.ok("DELETE", f"{target}?etag={new}")


def test_of_concurrent_writers_exactly_one_wins(door: Asker) -> None:
    target = file("race.md")
    for _ in range(5):
        etag = door.ok("PUT", target, {"content": "start\n"}).data["etag"]
        bodies = [{"content": f"writer {n}\n", "etag": etag} for n in range(6)]
        with ThreadPoolExecutor(6) as pool:
            answers = list(pool.map(lambda body: door("PUT", target, body), bodies))
        assert sorted(a.status for a in answers) == [200, 409, 409, 409, 409, 409]
        winner = next(a for a in answers if a.status == 200)
        assert door.ok("GET", target).data["etag"] == winner.data["etag"]


def test_concurrent_appends_all_arrive(door: Asker) -> None:
    target = file("queue.md")
    lines = [f"line {n}" for n in range(24)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda t: door.ok("POST", target, {"action": "append", "content": t}), lines))
    assert sorted(door.ok("GET", target).data["content"].splitlines()) == sorted(lines)


def test_replace_wants_one_place(door: Asker) -> None:
    target = file("twice.md")
    door.ok("PUT", target, {"content": "a\nb\na\n"})
    message = door.refused(
        409, "conflict", "POST", target, {"action": "replace", "old": "a", "new": "c"}
    )
    assert "1" in message
    assert "3" in message
    door.refused(404, "not_found", "POST", target, {"action": "replace", "old": "z", "new": "c"})
    door.refused(422, "invalid", "POST", target, {"action": "replace", "old": "", "new": "c"})


NAMES = ["with space.md", "🦉.md", "hash#tag.md", "what?.md", "100%20.md", "ümlaut é.md",
         "a+b&c=d.md", "].md", "====.md", "my_file.md", "my-file.md", "my file.md",
         "a'b\".md"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names_come_back_byte_for_byte(door: Asker, daemon: Daemon, name: str) -> None:
    path = f"names/{name}"
    door.ok("PUT", file(path), {"content": f"I am {name}\n"})
    assert (daemon.workspace / path).read_text() == f"I am {name}\n"
    assert door.ok("GET", file(path)).data["path"] == path
    assert path in [e["path"] for e in door.ok("GET", "/v1/tree?directory=names").data["entries"]]
    wait_for(lambda: path in recalled_paths(daemon, name), f"{name} in the index")


def recalled_paths(daemon: Daemon, name: str) -> list[str]:
    body = {"query": f"I am {name}", "path": "names/*", "limit": 50}
    return [hit["path"] for hit in ask(daemon.socket, "POST", "/v1/recall", body).data["hits"]]


def test_a_line_break_in_a_name_is_read_but_not_made(door: Asker, daemon: Daemon) -> None:
    (daemon.workspace / "two\nlines.md").write_text("odd\n")
    assert door.ok("GET", "/v1/files/two%0Alines.md").data["content"] == "odd\n"
    door.refused(400, "path_refused", "PUT", "/v1/files/new%0Aname.md", {"content": "x"})
    door.ok("DELETE", "/v1/files/two%0Alines.md")


def test_a_name_that_is_not_utf8_harms_nobody(door: Asker, daemon: Daemon) -> None:
    odd = bytes(daemon.workspace) + b"/bad\xff.md"
    with open(odd, "wb") as handle:  # noqa: PTH123 - a name that is no text
        handle.write(b"odd\n")
    door.ok("POST", "/v1/reindex")
    assert "not UTF-8" in str(door.ok("GET", "/v1/status").data["workspace"]["skipped"])
    door.ok("GET", "/v1/tree?recursive=true")
    door.refused(400, "path_refused", "GET", "/v1/files/bad%FF.md")
    door.refused(400, "path_refused", "GET", "/v1/tree?directory=bad%FF")
    Path(odd.decode(errors="surrogateescape")).unlink()


ESCAPES = [
    "../outside.md", "notes/../../outside.md", "/etc/passwd.md", "//etc/x.md", "./x.md", "a//b.md",
    "..", ".", "", ".memory/state.md", ".git/config.md", "notes/.hidden.md", "a/./b.md",
    "nul\0.md", "\ud800.md", "x" * 300 + ".md", "d/" * 70 + "x.md",
]  # fmt: skip


@pytest.mark.parametrize("path", ESCAPES)
def test_no_verb_leaves_the_workspace(door: Asker, daemon: Daemon, path: str) -> None:
    outside = daemon.workspace.parent / "outside.md"
    outside.write_text("secret\n")
    target = "/v1/files/" + "".join(
        f"%{byte:02X}" for byte in path.encode("utf-8", "surrogatepass")
    )
    refused(door("GET", target))
    refused(door("DELETE", target))
    refused(door("PUT", target, {"content": "x"}))
    refused(door("POST", target, {"action": "append", "content": "x"}))
    refused(door("POST", target, {"action": "replace", "old": "secret", "new": "x"}))
    if path:
        refused(door("GET", f"/v1/tree?directory={target.removeprefix('/v1/files/')}"))
    assert outside.read_text() == "secret\n"
    assert door("GET", "/v1/health").status == 200


def refused(answer: Answer) -> None:
    """A path that leads out is refused; one that decodes to some other name is not there."""
    assert answer.error["code"] in ("path_refused", "not_found", "invalid"), answer
    assert answer.status in (400, 404, 422), answer
    assert "secret" not in json.dumps(answer.data)


@pytest.mark.parametrize(
    "encoded",
    ["../outside.md", "..%2foutside.md", "%2e%2e/outside.md", "%2e%2e%2foutside.md",
     "notes%2f..%2f..%2foutside.md", "..%5coutside.md", "%252e%252e%252foutside.md",
     "..%c0%afoutside.md", "....//outside.md", "%00../outside.md", "..;/outside.md"],
)  # fmt: skip
def test_encoded_ways_out_are_closed(door: Asker, daemon: Daemon, encoded: str) -> None:
    (daemon.workspace.parent / "outside.md").write_text("secret\n")
    for answer in (
        door("GET", f"/v1/files/{encoded}"),
        door("POST", f"/v1/files/{encoded}", {"action": "replace", "old": "secret", "new": "x"}),
        door("DELETE", f"/v1/files/{encoded}"),
        door("GET", f"/v1/tree?directory={encoded.removesuffix('/outside.md')}"),
        door("GET", f"/v1/daily/{encoded}"),
    ):
        refused(answer)
    assert (daemon.workspace.parent / "outside.md").read_text() == "secret\n"


@pytest.mark.parametrize(
    "name", ["CON.md", "aux.md", "a\\b.md", "C:x.md", "dot./x.md", "x\u202ey.md"]
)
def test_names_that_not_every_system_takes_are_not_made(door: Asker, name: str) -> None:
    door.refused(400, "path_refused", "PUT", file(name), {"content": "x"})


def test_links_are_not_written_through(door: Asker, daemon: Daemon, tmp_path: Path) -> None:
    (tmp_path / "target.md").write_text("secret\n")
    link = daemon.workspace / "notes-link.md"
    link.symlink_to(tmp_path / "target.md")
    for method, body in [("GET", None), ("PUT", {"content": "x"}), ("DELETE", None)]:
        door.refused(400, "path_refused", method, file("notes-link.md"), body)
    assert (tmp_path / "target.md").read_text() == "secret\n"
    link.unlink()


def test_only_text_documents_are_read_and_written(door: Asker, daemon: Daemon) -> None:
    (daemon.workspace / "binary.md").write_bytes(b"\0\1\2" * 100)
    door.refused(422, "invalid", "GET", file("binary.md"))
    (daemon.workspace / "binary.md").unlink()
    (daemon.workspace / "folder.md").mkdir()
    assert door("GET", file("folder.md")).status in (400, 404)
    (daemon.workspace / "folder.md").rmdir()
    door.refused(400, "path_refused", "GET", file("config.toml"))
    for content in ("nul\0", "\ud800"):
        door.refused(422, "invalid", "PUT", file("text.md"), {"content": content})
    door.refused(422, "invalid", "POST", file("text.md"), {"action": "append", "content": " \n"})


def test_tree_lists_folders_and_documents(door: Asker) -> None:
    door.ok("PUT", file("deep/er/leaf.md"), {"content": "x"})
    top = door.ok("GET", "/v1/tree").data
    assert {"name": "deep", "path": "deep", "is_directory": True} in top["entries"]
    assert not [e for e in top["entries"] if "/" in e["path"]]
    everything = door.ok("GET", "/v1/tree?recursive=true").data["entries"]
    assert "deep/er/leaf.md" in [entry["path"] for entry in everything]
    assert [e["path"] for e in everything] == sorted(e["path"] for e in everything)
    assert door.ok("GET", "/v1/tree?directory=deep/").data == {
        "directory": "deep",
        "entries": [{"name": "er", "path": "deep/er", "is_directory": True}],
    }
    door.refused(404, "not_found", "GET", "/v1/tree?directory=nowhere")
    door.refused(422, "invalid", "GET", "/v1/tree?recursive=perhaps")
    door.refused(422, "invalid", "GET", "/v1/tree?recursiv=true")


# -- daily logs and operations ---------------------------------------------------------------


def test_daily_logs(door: Asker, daemon: Daemon) -> None:
    empty = door.ok("GET", "/v1/daily/2024-02-29").data
    assert empty == {
        "date": "2024-02-29", "path": "memory/2024-02-29.md", "content": "", "exists": False,
        "others": [],
    }  # fmt: skip
    body = {"text": "  Two\n## lines \n- W @x: y ", "date": "2024-02-29"}
    written = door.ok("POST", "/v1/daily", body).data
    assert written["path"] == "memory/2024-02-29.md"
    text = door.ok("GET", "/v1/daily/2024-02-29").data["content"]
    title, blank, entry = text.splitlines()
    assert (title, blank) == ("# Daily Log - 2024-02-29", "")
    assert re.fullmatch(r"\[\d\d:\d\d:\d\d\] Two ## lines - W @x: y", entry)
    assert text.splitlines()[written["line"] - 1] == entry
    door.ok("POST", "/v1/daily", {"text": "Now"})
    assert "] Now" in door.ok("GET", "/v1/daily/today").data["content"]
    for bad in ("2024-2-29", "2024-02-30", "tomorrowish", "%20"):
        door.refused(422, "invalid", "GET", f"/v1/daily/{bad}")
        door.refused(422, "invalid", "POST", "/v1/daily", {"text": "x", "date": bad})
    door.refused(422, "invalid", "POST", "/v1/daily", {"text": ""})
    door.refused(422, "invalid", "POST", "/v1/daily", {"text": " \n\t"})
    door.refused(422, "invalid", "POST", "/v1/daily", {"text": "nul\0"})


def test_jobs(door: Asker) -> None:
    names = {job["name"] for job in door.ok("GET", "/v1/jobs").data["jobs"]}
    assert names >= {"reconcile", "checkpoint", "reflect", "hygiene"}
    done = wire.Job.model_validate(door.ok("POST", "/v1/jobs/reconcile/run").data)
    assert done.last_outcome == "ok"
    assert done.last_run is not None
    door.ok("POST", "/v1/jobs/reconcile/run", {"scope": "main"})
    assert "'nap'" in door.refused(404, "not_found", "POST", "/v1/jobs/nap/run")
    door.refused(404, "not_found", "POST", "/v1/jobs/a%2Fb/run")
    paused = wire.Job.model_validate(door.ok("POST", "/v1/jobs/checkpoint/pause").data)
    assert (paused.paused, paused.next_run) == (True, None)
    resumed = wire.Job.model_validate(door.ok("POST", "/v1/jobs/checkpoint/resume").data)
    assert not resumed.paused
    assert resumed.next_run
    door.refused(404, "not_found", "POST", "/v1/jobs/nap/pause")
    door.refused(404, "not_found", "POST", "/v1/jobs/nap/resume")
    door.refused(422, "invalid", "POST", "/v1/jobs/reconcile/run", {"since": "7d"})


def test_reindex(door: Asker, daemon: Daemon) -> None:
    report = wire.Reindexed.model_validate(door.ok("POST", "/v1/reindex").data)
    assert report.unchanged > 0
    assert report.failed == 0
    full = wire.Reindexed.model_validate(door.ok("POST", "/v1/reindex", {"full": True}).data)
    assert full.indexed == report.unchanged
    assert "ADR-0231" in contents(daemon, "cache layer")
    door.refused(422, "invalid", "POST", "/v1/reindex", {"full": "maybe"})


def test_config_tells_value_and_source(door: Asker) -> None:
    config = door.ok("GET", "/v1/config").data
    assert config["server.max_body_bytes"] == {
        "value": 100_000, "source": "HIPPOD_SERVER__MAX_BODY_BYTES"
    }  # fmt: skip
    assert config["recall.limit"] == {"value": 10, "source": "default"}


def test_unknown_endpoints_and_methods(door: Asker) -> None:
    for target in (
        "/",
        "/v1",
        "/v1/",
        "/v1/nope",
        "/v2/recall",
        "/v1/recall/",
        "/docs",
        "/v1/files",
    ):
        assert target in door.refused(404, "not_found", "GET", target)
    door.refused(405, "invalid", "GET", "/v1/recall")
    door.refused(405, "invalid", "PATCH", "/v1/files/a.md", {})
    door.refused(405, "invalid", "OPTIONS", "/v1/status")


@pytest.mark.parametrize(
    ("target", "methods"),
    [("/v1/recall", "POST"), ("/v1/status", "GET"), ("/v1/files/a.md", "DELETE, GET, POST, PUT")],
)
def test_who_uses_a_wrong_method_is_told_the_right_ones(
    door: Asker, target: str, methods: str
) -> None:
    answer = door("PATCH", target)
    assert (answer.status, answer.headers["allow"]) == (405, methods)


def test_fields_in_the_wrong_place_are_refused(door: Asker) -> None:
    message = door.refused(422, "invalid", "POST", "/v1/recall?scope=group", {"query": "x"})
    assert "scope" in message
    door.refused(422, "invalid", "PUT", "/v1/files/a.md?etag=x", {"content": "x"})
    door.refused(422, "invalid", "GET", "/v1/status?scop=group")


# -- the transport ---------------------------------------------------------------------------


@pytest.mark.parametrize("header", ["Origin", "Referer", "origin"])
@pytest.mark.parametrize("value", ["https://evil.example", "null", ""])
def test_browsers_are_refused(door: Asker, header: str, value: str) -> None:
    for method, target, body in [
        ("GET", "/v1/health", None),
        ("POST", "/v1/recall", {"query": "x"}),
        ("GET", "/v1/nope", None),
    ]:
        answer = door(method, target, body, {header: value})
        assert (answer.status, answer.error["code"]) == (403, "forbidden")


@pytest.mark.parametrize(
    "content_type", ["application/json", "application/x-www-form-urlencoded", "text/plain", "", "x"]
)
def test_a_body_is_json_whatever_it_is_called(door: Asker, content_type: str) -> None:
    answer = door("POST", "/v1/recall", {"query": "x"}, {"Content-Type": content_type})
    assert answer.status == 200


def test_connections_are_kept(daemon: Daemon) -> None:
    door = Door(daemon.socket)
    for _ in range(3):
        door.request("GET", "/v1/health")
        assert door.answer().status == 200
    connection = door.sock
    door.request("POST", "/v1/recall", b"{")
    assert door.answer().status == 422
    door.request("GET", "/v1/health")
    assert door.answer().status == 200
    assert door.sock is connection
    door.close()


def test_openapi_describes_every_endpoint_and_error(door: Asker) -> None:
    document = door.ok("GET", "/v1/openapi.json").data
    assert document["info"]["version"] == __version__
    for target, methods in document["paths"].items():
        for method, operation in methods.items():
            assert operation["description"], (method, target)
            for status in ("400", "403", "404", "409", "413", "422", "500", "507"):
                schema = operation["responses"][status]["content"]["application/json"]["schema"]
                assert schema == {"$ref": "#/components/schemas/ErrorBody"}
            answers = operation["responses"]["200"]["content"]
            assert answers, (method, target)
            assert all("schema" in answer for answer in answers.values()), (method, target)


def test_a_lost_workspace_is_said_and_comes_back(door: Asker, daemon: Daemon) -> None:
    door.ok("PUT", file("kept.md"), {"content": "kept\n"})
    moved = daemon.workspace.with_name("moved")
    daemon.workspace.rename(moved)
    try:
        for method, target, body in [
            ("GET", "/v1/tree", None),
            ("GET", file("kept.md"), None),
            ("PUT", file("kept.md"), {"content": "x"}),
            ("POST", "/v1/daily", {"text": "x"}),
        ]:
            assert "workspace is gone" in door.refused(507, "storage", method, target, body)
        for full in (False, True):
            door.refused(507, "storage", "POST", "/v1/reindex", {"full": full})
        door.ok("GET", "/v1/status")
    finally:
        moved.rename(daemon.workspace)
    assert door.ok("GET", file("kept.md")).data["content"] == "kept\n"
    wait_for(lambda: "ADR-0231" in contents(daemon, "cache layer"), "the index to come back")
