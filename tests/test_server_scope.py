"""What a client of scope `group` gets: walked over the OpenAPI document, to forget no door."""

import json
from collections.abc import Iterator
from itertools import product
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from hippod import cli
from hippod.cli import COMMANDS
from tests.asking import Answer, ask, file
from tests.processes import Daemon, running, wait_for

pytestmark = pytest.mark.xdist_group("server-scope")

HIDDEN = {
    "MEMORY.md": "# Memory\n\nThe zanzibar account is overdrawn.\n",
    "USER.md": "# User\n\nAda lives on zanzibar street.\n",
    "memory/2026-03-03.md": "# Daily Log - 2026-03-03\n\n[09:00:00] zanzibar call\n\n"
    "## Retain\n- W @Zanzibar: The zanzibar door code is new. ^k3f9ab27qt\n",
    "bank/world.md": "# World\n\nzanzibar is warm.\n",
    "bank/entities/zanzibar.md": "# zanzibar\n",
    "archive/2020-01-01.md": "# Daily Log - 2020-01-01\n\n[09:00:00] zanzibar then\n",
    "sessions/talk.md": "zanzibar talk\n",
    "HEARTBEAT.md": "- [ ] Anything due on zanzibar in the next 2 days?\n",
    "zanzibar.md": "At the root.\n",
    "diary/zanzibar/day.md": "zanzibar again\n",
}
OPEN = {
    "AGENTS.md": "# Agents\n\nThe tricycle is for everyone.\n<private>zanzibar inside</private>\n",
    "IDENTITY.md": "# Identity\n\nName: Trike, of the tricycle\n",
    "SOUL.md": "# Soul\n\nBe kind to the tricycle. <private>zanzibar to the end\n",
    "context/bikes.md": "# Bikes\n\nThe tricycle has a bell.\n\n"
    "<private>The zanzibar lock opens with seven.</private>\n\nIt is red.\n",
    "context/cut.md": "The tricycle ends here. <private>zanzibar to the end\n\nzanzibar still\n",
    "projects/deep/er/plan.md": "# Plan\n\nPaint the tricycle.\n",
}
SECRET = "zanzibar"
SESSION = "talk"
"""A session that both a main and a group client take part in."""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running(tmp_path_factory.mktemp("scope")) as daemon:
        (daemon.workspace / ".hippodignore").unlink()  # it keeps AGENTS.md out of the index
        for path, text in {**HIDDEN, **OPEN}.items():
            target = daemon.workspace / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        ask(daemon.socket, "POST", "/v1/reindex")
        wait_for(lambda: len(hits(daemon, SECRET, "main")) >= len(HIDDEN) - 1, "the seed")
        daemon.settle()
        for day in ("today", "yesterday"):
            daemon.client.append_daily_log("zanzibar of these days", date=day)
        daemon.client.retain(facts=["W @Zanzibar: The zanzibar ferry leaves at nine."])
        daemon.client.set_working(SESSION, "zanzibar in mind")
        yield daemon


def hits(daemon: Daemon, query: str, scope: str, **fields: object) -> list[dict[str, Any]]:
    body = {"query": query, "scope": scope, "limit": 50, **fields}
    answer = ask(daemon.socket, "POST", "/v1/recall", body)
    assert answer.status == 200, answer
    found: list[dict[str, Any]] = answer.data["hits"]
    return found


# -- every operation -------------------------------------------------------------------------


class Operation:
    """One operation of the OpenAPI document, and requests for it with scope `group`."""

    def __init__(self, document: dict[str, Any], target: str, method: str) -> None:
        self.document = document
        self.target = target
        self.method = method
        self.about = document["paths"][target][method]

    def has_scope(self) -> bool:
        named = [p["name"] for p in self.about.get("parameters", ()) if p["in"] == "query"]
        bodies = list(self.bodies())
        return "scope" in named or (bool(bodies) and all("scope" in body for body in bodies))

    def requests(self) -> Iterator[tuple[str, object]]:
        """Yield targets and bodies that ask for everything hidden."""
        bodies = list(self.bodies()) or [None]
        for (target, in_query), body in product(self.targets(), bodies):
            yield f"{target}?{urlencode(in_query)}" if in_query else target, body

    def targets(self) -> Iterator[tuple[str, dict[str, str]]]:
        parameters = self.about.get("parameters", ())
        in_query = {p["name"]: wanted(p) for p in parameters if p["in"] == "query"}
        if "follow" in in_query:  # a list, of a stream that has no end
            in_query = {"follow": "false", "after": "0", "scope": "group"}
        names = [p["name"] for p in parameters if p["in"] == "path"]
        for values in product(*(PLACES[name] for name in names)):
            target = self.target
            for name, value in zip(names, values, strict=True):
                target = target.replace(f"{{{name}}}", quote(value))
            if "directory" in in_query:
                for directory in ("", "memory", "diary", "bank", "context"):
                    yield target, {**in_query, "directory": directory}
            else:
                yield target, in_query

    def bodies(self) -> Iterator[dict[str, object]]:
        content = self.about.get("requestBody", {}).get("content", {})
        schema = content.get("application/json", {}).get("schema")
        for shape in self.shapes(schema) if schema else ():
            yield {
                name: self.sample(name, inner)
                for name, inner in shape["properties"].items()
                if name in shape.get("required", ()) or name in ("scope", "full", "flush", "wait")
            }

    def shapes(self, schema: dict[str, Any]) -> list[dict[str, Any]]:
        schema = self.resolved(schema)
        alternatives = schema.get("oneOf") or schema.get("anyOf") or [schema]
        return [self.resolved(each) for each in alternatives]

    def resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        name = schema.get("$ref", "").rpartition("/")[2]
        found: dict[str, Any] = self.document["components"]["schemas"][name] if name else schema
        return found

    def sample(self, name: str, schema: dict[str, Any]) -> object:
        if name == "scope":
            assert schema["enum"] == ["main", "group"]
            return "group"
        if "/working" in self.target:
            return "what the group keeps in mind"
        if "const" in schema:
            return schema["const"]
        kind = schema.get("type")
        known = {"string": SECRET, "boolean": True, "array": [], "integer": 1}
        assert kind in known, f"{self.target}: how to fill {name}?"
        return known[kind]


PLACES = {
    "path": list(HIDDEN),
    "date": ["today", "2026-03-03", "2020-01-01"],
    "name": ["reconcile", SECRET],
    "id": ["k3f9", "k3f9ab27qt", SESSION],
    "entry": ["1", "2"],
}
"""Values for the parameters in a path: a new one must be added here."""


def wanted(parameter: dict[str, Any]) -> str:
    """Return a value for a parameter in the query."""
    name, schema = parameter["name"], json.dumps(parameter["schema"])
    if name in ("scope", "session"):
        return "group" if name == "scope" else SESSION
    return "true" if '"boolean"' in schema else "900" if '"integer"' in schema else SECRET


def operations(daemon: Daemon) -> list[Operation]:
    document = ask(daemon.socket, "GET", "/v1/openapi.json").data
    return [
        Operation(document, target, method)
        for target, methods in document["paths"].items()
        for method in methods
    ]


def test_every_operation_takes_a_scope(daemon: Daemon) -> None:
    found = operations(daemon)
    assert len(found) >= 14
    assert [f"{op.method} {op.target}" for op in found if not op.has_scope()] == []


def test_a_group_gets_nothing_hidden_from_any_operation(daemon: Daemon) -> None:
    before = {path: (daemon.workspace / path).read_text() for path in HIDDEN}
    count = 0
    for operation in operations(daemon):
        for target, body in operation.requests():
            answer = ask(daemon.socket, operation.method.upper(), target, body)
            assert answer.status < 500, (target, body, answer)
            assert not leaked(answer, target), (operation.method, target, body, answer)
            count += 1
    assert count > 50
    assert before == {path: (daemon.workspace / path).read_text() for path in HIDDEN}
    assert not (daemon.workspace / "memory" / "today.md").exists()


def test_the_walk_would_find_what_leaks(daemon: Daemon) -> None:
    telling = set()
    for operation in operations(daemon):
        for target, body in operation.requests() if operation.method == "get" else ():
            answer = ask(daemon.socket, "GET", target.replace("scope=group", "scope=main"), body)
            assert answer.status < 500, (target, answer)
            if leaked(answer, target):
                telling.add(operation.target)
    assert {
        "/v1/backup", "/v1/context", "/v1/daily/{date}", "/v1/entities", "/v1/events",
        "/v1/files/{path}", "/v1/sessions/{id}/working", "/v1/tree", "/v1/why/{id}",
    } <= telling  # fmt: skip


def leaked(answer: Answer, target: str) -> bool:
    """Say whether an answer tells more than the request itself said."""
    text = json.dumps(answer.data, ensure_ascii=False).casefold()
    if answer.status != 200:
        for own in (target, "zanzibar.md", "zanzibar/day.md", "'zanzibar'", "zanzibar: "):
            text = text.replace(own.casefold(), "")
    return SECRET in text


# -- every command ---------------------------------------------------------------------------

COMMANDS_OF_A_GROUP = {
    "status": [[]],
    "recall": [["zanzibar"], ["--for-agent", "zanzibar door"], ["-C", "9", "tricycle bell"]],
    "retain": [["--flush"], ["--fact", "W @Ada: Rides."], ["--session", SESSION, "--ended"]],
    "note": [["x"], ["x", "--date", "yesterday"]],
    "today": [[]],
    "day": [["yesterday"], ["2026-03-03"], ["2020-01-01"]],
    "context": [["--session", SESSION], ["--session", SESSION, "--budget", "60"]],
    "working": [[verb, "--session", SESSION] for verb in ("get", "clear", "get")],
    "hook": [["codex", "start"], ["codex", "prompt"], ["cursor", "stop"]],
    "read": [[path] for path in (*HIDDEN, *OPEN)],
    "write": [["MEMORY.md", "x"]],
    "append": [["MEMORY.md", "x"], ["memory/2026-03-03.md", "x"]],
    "replace": [["MEMORY.md", "overdrawn", "x"], ["context/bikes.md", "seven", "x"]],
    "insert": [["MEMORY.md", "--line", "1", "x"]],
    "move": [["MEMORY.md", "context/stolen.md"], ["memory/2026-03-03.md", "context/stolen.md"]],
    "delete": [["MEMORY.md"]],
    "tree": [[], ["--recursive"], ["memory"]],
    "why": [["k3f9"]],
    "log": [[], ["1"], ["1", "--diff"]],
    "undo": [["1"], ["1", "--diff"]],
    "entities": [[]],
    "entity": [["Zanzibar"]],
    "reflect": [["--dry-run"]],
    "opinions": [[]],
    "proposals": [[]],
    "hygiene": [["--dry-run"]],
    "heartbeat": [["--dry-run"], ["--last"], ["history"]],
    "forget": [["k3f9"]],
    "backup": [["/nowhere/b.tgz"]],
    "export": [[], ["--type", "fact"]],
    "import": [["--undo", "k3f9"]],
    "reindex": [[]],
    "jobs": [[], ["run", "reconcile"], ["pause", "reconcile"], ["resume", "reconcile"]],
    "events": [["--after", "0"]],
    "config": [["show"]],
    "doctor": [[], ["--fix"]],
    "metrics": [[]],
}
"""What a group may try on the command line: a new command must be added here."""
WITHOUT_A_DAEMON = {
    "completion", "connect", "init", "mcp", "run", "restore", "models", "service", "stop",
}  # fmt: skip


def test_a_group_gets_nothing_hidden_from_any_command(
    daemon: Daemon, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set(COMMANDS) == set(COMMANDS_OF_A_GROUP) | WITHOUT_A_DAEMON
    before = {path: (daemon.workspace / path).read_text() for path in HIDDEN}
    told = {}
    for name, calls in COMMANDS_OF_A_GROUP.items():
        for words in calls:
            for scope in ("group", "main"):
                if scope == "main" and name not in ("context", "read", "recall", "today"):
                    continue
                common = ["--socket", str(daemon.socket), "--scope", scope]
                cli.main([name, *common, *words])
                out, err = capsys.readouterr()
                told[name, scope] = told.get((name, scope), "") + out
                if scope == "group":
                    for own in (*words, "'zanzibar'"):
                        out, err = out.replace(own, ""), err.replace(own, "")
                    assert SECRET not in (out + err).casefold(), (name, words, out, err)
    assert all(SECRET in told[name, "main"] for name in ("context", "read", "recall", "today"))
    assert "tricycle" in told["context", "group"]
    assert before == {path: (daemon.workspace / path).read_text() for path in HIDDEN}
    assert daemon.client.get_working(SESSION)["content"] == "zanzibar in mind"


# -- the verbs in detail ---------------------------------------------------------------------


def test_a_refusal_does_not_say_whether_the_document_exists(daemon: Daemon) -> None:
    for method, body in [
        ("GET", None),
        ("DELETE", None),
        ("PUT", {"content": "x", "scope": "group"}),
        ("POST", {"action": "append", "content": "x", "scope": "group"}),
        ("POST", {"action": "replace", "old": "x", "new": "y", "scope": "group"}),
    ]:
        answers = []
        for path in ("memory/2026-03-03.md", "memory/2026-03-04.md"):
            target = file(path) + ("" if body else "?scope=group")
            answer = ask(daemon.socket, method, target, body)
            assert (answer.status, answer.error["code"]) == (403, "forbidden")
            answers.append(answer.error["message"].replace(path, "PATH"))
        assert answers[0] == answers[1]
    for directory in ("memory", "nowhere", "diary/zanzibar"):
        answer = ask(daemon.socket, "GET", f"/v1/tree?scope=group&directory={directory}")
        assert (answer.status, answer.error["code"]) == (403, "forbidden")


@pytest.mark.parametrize(
    "way",
    ["context/../MEMORY.md", "context/./../USER.md", "context//../MEMORY.md", "/MEMORY.md",
     "./MEMORY.md", "context/%2e%2e/MEMORY.md", "CONTEXT/../MEMORY.md", "memory.md"],
)  # fmt: skip
def test_no_spelling_of_a_path_leads_a_group_out(daemon: Daemon, way: str) -> None:
    for target in (f"/v1/files/{way}?scope=group", f"/v1/files/{quote(way, safe='')}?scope=group"):
        answer = ask(daemon.socket, "GET", target)
        assert answer.status in (400, 403, 404)
        assert not leaked(answer, way)


def test_a_link_leads_a_group_nowhere(daemon: Daemon) -> None:
    link = daemon.workspace / "context" / "link.md"
    link.symlink_to("../MEMORY.md")
    folder = daemon.workspace / "context" / "inside"
    folder.symlink_to("../memory")
    try:
        for path in ("context/link.md", "context/inside/2026-03-03.md"):
            answer = ask(daemon.socket, "GET", f"{file(path)}?scope=group")
            assert answer.status in (400, 404)
            assert not leaked(answer, path)
    finally:
        link.unlink()
        folder.unlink()


def test_recall_gives_a_group_only_what_is_open_and_without_private_spans(daemon: Daemon) -> None:
    for mode in ("lexical", "vector", "hybrid"):
        found = hits(daemon, "the tricycle and its bell", "group", mode=mode)
        assert {hit["path"] for hit in found} <= set(OPEN)
        assert {"AGENTS.md", "context/bikes.md"} <= {hit["path"] for hit in found}
        assert SECRET not in json.dumps(found).casefold()
    assert hits(daemon, SECRET, "group", mode="lexical") == []
    assert hits(daemon, "lock opens with seven", "group", mode="lexical") == []
    assert "seven" in json.dumps(hits(daemon, "lock opens with seven", "main"))
    for path in ("MEMORY.md", "memory/*", "**"):
        assert SECRET not in json.dumps(hits(daemon, SECRET, "group", path=path)).casefold()
    for entity in ("Zanzibar", "@Zanzibar"):
        assert hits(daemon, "door code", "group", entity=[entity]) == []
        assert hits(daemon, "door code", "main", entity=[entity])


def test_read_cuts_private_spans_for_a_group(daemon: Daemon) -> None:
    for path in ("context/bikes.md", "context/cut.md"):
        seen = ask(daemon.socket, "GET", f"{file(path)}?scope=group").data["content"]
        assert "tricycle" in seen
        assert SECRET not in seen
        assert SECRET in ask(daemon.socket, "GET", file(path)).data["content"]


def test_a_group_does_not_overwrite_what_it_cannot_see(daemon: Daemon) -> None:
    target = file("context/bikes.md")
    seen = ask(daemon.socket, "GET", f"{target}?scope=group").data
    for method, body in [
        ("PUT", {"content": seen["content"]}),
        ("PUT", {"content": seen["content"], "etag": seen["etag"]}),
        ("POST", {"action": "replace", "old": "zanzibar", "new": "x"}),
        ("POST", {"action": "replace", "old": "red", "new": "x"}),
        ("POST", {"action": "replace", "old": "nowhere", "new": "x"}),
        ("DELETE", None),
    ]:
        whole = {**body, "scope": "group"} if body else None
        answer = ask(daemon.socket, method, target + ("" if body else "?scope=group"), whole)
        assert (answer.status, answer.error["code"]) == (403, "forbidden")
    assert (daemon.workspace / "context/bikes.md").read_text() == OPEN["context/bikes.md"]


def test_a_group_works_on_what_it_sees(daemon: Daemon) -> None:
    target = file("projects/list.md")
    ours = {"scope": "group"}
    new = ask(daemon.socket, "PUT", target, {"content": "a\n", "etag": "", **ours})
    assert new.status == 200
    conflict = ask(daemon.socket, "PUT", target, {"content": "b\n", "etag": "", **ours})
    assert conflict.status == 409
    assert ask(daemon.socket, "PUT", target, {"content": "b\n", **ours}).status == 200
    more = {"action": "append", "content": "c", **ours}
    assert ask(daemon.socket, "POST", target, more).status == 200
    change = {"action": "replace", "old": "c", "new": "d", **ours}
    assert ask(daemon.socket, "POST", target, change).status == 200
    read = ask(daemon.socket, "GET", f"{target}?scope=group")
    assert read.data["content"] == "b\nd\n"
    assert ask(daemon.socket, "DELETE", f"{target}?scope=group").status == 200


def test_a_group_sees_the_folders_that_lead_to_its_documents(daemon: Daemon) -> None:
    def listed(query: str) -> list[str]:
        answer = ask(daemon.socket, "GET", f"/v1/tree?scope=group&{query}")
        assert answer.status == 200, answer
        return [entry["path"] for entry in answer.data["entries"]]

    assert listed("") == ["AGENTS.md", "IDENTITY.md", "SOUL.md", "context", "projects"]
    assert listed("directory=projects") == ["projects/deep"]
    assert listed("directory=projects/deep/er") == ["projects/deep/er/plan.md"]
    everything = listed("recursive=true")
    assert set(OPEN) <= set(everything)
    assert "projects/deep/er" in everything
    assert not [path for path in everything if SECRET in path or path.startswith("memory")]


def test_a_group_learns_only_the_version(daemon: Daemon) -> None:
    status = ask(daemon.socket, "GET", "/v1/status?scope=group").data
    assert {key for key, value in status.items() if value is not None} == {"ok", "version", "wire"}
    for method, target, body in [
        ("GET", "/v1/config?scope=group", None),
        ("GET", "/v1/jobs?scope=group", None),
        ("POST", "/v1/jobs/reconcile/run", {"scope": "group"}),
        ("POST", "/v1/jobs/reconcile/pause", {"scope": "group"}),
        ("POST", "/v1/jobs/reconcile/resume", {"scope": "group"}),
        ("POST", "/v1/reindex", {"scope": "group", "full": True}),
        ("POST", "/v1/retain", {"scope": "group", "facts": ["W @Ada: x y z"]}),
        ("POST", "/v1/retain", {"scope": "group", "flush": True}),
        ("POST", "/v1/daily", {"scope": "group", "text": "x"}),
        ("GET", "/v1/daily/today?scope=group", None),
    ]:
        answer = ask(daemon.socket, method, target, body)
        assert (answer.status, answer.error["code"]) == (403, "forbidden"), target


@pytest.mark.parametrize("scope", ["admin", "", "MAIN", "group,main", "null"])
def test_an_unknown_scope_is_not_taken_for_main(daemon: Daemon, scope: str) -> None:
    assert ask(daemon.socket, "GET", f"/v1/tree?scope={scope}").status == 422
    assert ask(daemon.socket, "POST", "/v1/recall", {"query": "x", "scope": scope}).status == 422


@pytest.mark.parametrize(
    "tag", ["<private>", "<PRIVATE>", "< private >", "<private\t>", "<private reason='x'>"]
)
def test_every_spelling_of_a_private_span_is_cut_everywhere(daemon: Daemon, tag: str) -> None:
    closing = tag.replace("<", "</")
    hidden = "\n\n".join(f"Heliotrope paragraph {n}. {'Words. ' * 40}" for n in range(4))
    text = f"The unicycle leans.\n\n{tag}\n{hidden}\n{closing}\n\nEnd.\n"
    target = file("context/spelling.md")
    assert ask(daemon.socket, "PUT", target, {"content": text}).status == 200
    wait_for(lambda: hits(daemon, "heliotrope", "main", mode="lexical"), "the document")
    assert "eliotrope" not in json.dumps(hits(daemon, "heliotrope unicycle", "group"))
    assert "eliotrope" not in ask(daemon.socket, "GET", f"{target}?scope=group").data["content"]
    ask(daemon.socket, "DELETE", target)
    wait_for(lambda: not hits(daemon, "heliotrope", "main", mode="lexical"), "the removal")
