"""`hippod hook`: what agents get at the start of a session, and what hippod gets at its end."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippod import redact
from hippod.cli import main
from hippod.errors import InvalidInput
from hippod.hooks import agents, payload, turning
from hippod.transcripts import gemini
from tests.processes import Daemon, running, wait_for

SESSION = "5f1c9a52-93d8-4c5e-9d1c-0a4f6e3b7c21"
NOTHING: dict[str, Any] = {}


# -- the agents' own words -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "event", "moment"),
    [
        ("claude-code", "SessionStart", "start"),
        ("claude-code", "UserPromptSubmit", "prompt"),
        ("claude-code", "PreCompact", "compact"),
        ("codex", "Stop", "stop"),
        ("gemini", "BeforeAgent", "prompt"),
        ("gemini", "AfterAgent", "stop"),
        ("gemini", "PreCompress", "compact"),
        ("cursor", "sessionStart", "start"),
        ("cursor", "beforeSubmitPrompt", "prompt"),
        ("opencode", "session.idle", "stop"),
        ("openclaw", "command:new", "end"),
        ("openclaw", "session:compact:before", "compact"),
        ("codex", "session-start", "start"),
        ("codex", "pre-compact", "compact"),
        ("codex", "session-end", "end"),
        ("claude-code", "PostToolUse", None),
        ("gemini", "sessionStart", None),
    ],
)
def test_events_are_known_by_their_agents_names(agent: str, event: str, moment: str | None) -> None:
    assert agents.moment(agent, event) == moment


@pytest.mark.parametrize("agent", agents.EVENTS)
def test_every_agent_takes_the_same_short_names(agent: str) -> None:
    assert [agents.moment(agent, at) for at in agents.MOMENTS] == list(agents.MOMENTS)


@pytest.mark.parametrize(
    ("agent", "at", "answer"),
    [
        ("claude-code", "start", {"hookSpecificOutput": {
            "hookEventName": "SessionStart", "additionalContext": "x"}}),
        ("claude-code", "prompt", {"hookSpecificOutput": {
            "hookEventName": "UserPromptSubmit", "additionalContext": "x"}}),
        ("codex", "start", {"hookSpecificOutput": {
            "hookEventName": "SessionStart", "additionalContext": "x"}}),
        ("gemini", "prompt", {"hookSpecificOutput": {
            "hookEventName": "BeforeAgent", "additionalContext": "x"}}),
        ("cursor", "start", {"additional_context": "x"}),
        ("cursor", "prompt", {"continue": True, "additional_context": "x"}),
        ("opencode", "start", {"context": "x"}),
        ("openclaw", "start", {"context": "x"}),
    ],
)  # fmt: skip
def test_context_is_handed_over_as_the_agent_documents(
    agent: str, at: str, answer: dict[str, object]
) -> None:
    assert agents.answer(agent, at, "x") == answer
    assert agents.answer(agent, at, "") == {}


# -- what an agent sends ---------------------------------------------------------------------


def received(tmp_path: Path, content: bytes) -> dict[str, Any]:
    file = tmp_path / "stdin"
    file.write_bytes(content)
    with file.open("rb") as opened:
        return payload.received(opened.fileno(), 5)


def test_nothing_on_stdin_is_an_empty_object(tmp_path: Path) -> None:
    assert received(tmp_path, b"") == received(tmp_path, b" \n") == {}


@pytest.mark.parametrize("content", [b"{", b"[1]", b"null", b"\xff\xfe", b"[" * 100_000, b"{}{}"])
def test_what_is_no_json_object_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InvalidInput):
        received(tmp_path, content)


@given(content=st.binary(max_size=200) | st.text(max_size=50).map(lambda s: json.dumps(s).encode()))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    try:
        told = received(tmp_path_factory.getbasetemp(), content)
    except InvalidInput:
        return
    assert isinstance(told, dict)


def test_a_stream_that_does_not_end_is_waited_for_only_so_long() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b'{"session_id": "s1"}')
        assert payload.received(ours.fileno(), 0.2) == {"session_id": "s1"}


def test_a_closed_stdin_is_told_as_such() -> None:
    ours, theirs = socket.socketpair()
    theirs.close()
    descriptor = ours.detach()
    os.close(descriptor)
    with pytest.raises(InvalidInput, match="stdin cannot be read"):
        payload.received(descriptor, 1)


names = st.text() | st.integers() | st.none() | st.lists(st.text()) | st.just("x" * 500)


@given(session=names, path=names)
def test_a_session_and_a_transcript_are_names_or_nothing(session: object, path: object) -> None:
    told = {"session_id": session, "transcript_path": path}
    for name in (payload.session(told), payload.transcript(told)):
        assert name == "" or (
            name.isprintable() and len(name) <= 200 and not set(name) & set("<>&")
        )


@pytest.mark.parametrize(
    ("told", "session", "transcript"),
    [
        ({"session_id": SESSION, "transcript_path": f"/h/.claude/projects/-w/{SESSION}.jsonl"},
         SESSION, SESSION),
        ({"session_id": SESSION, "transcript_path": f"/c/rollout-2026-02-01T10-{SESSION}.jsonl"},
         SESSION, f"rollout-2026-02-01T10-{SESSION}"),
        ({"session_id": "g1", "transcript_path": "/g/chats/session-2026-03-30T10-28-0f3a.json"},
         "g1", "session-2026-03-30T10-28-0f3a"),
        ({"conversation_id": "c1", "transcript_path": None}, "c1", ""),
        ({"sessionID": "ses_1"}, "ses_1", ""),
        ({"sessionId": "o1", "sessionFile": "/o/agents/main/sessions/o1.jsonl"}, "o1", "o1"),
        ({}, "", ""),
    ],
)  # fmt: skip
def test_sessions_are_found_where_agents_name_them(
    told: dict[str, Any], session: str, transcript: str
) -> None:
    assert (payload.session(told), payload.transcript(told)) == (session, transcript)


# -- the context -----------------------------------------------------------------------------


@given(plain=st.text(), quoted=st.text(), session=st.sampled_from(["", SESSION]))
def test_the_whole_context_is_one_block_that_retain_cuts(
    plain: str, quoted: str, session: str
) -> None:
    given_ = f"{redact.escape_memory(plain)}\n\n{redact.wrap_memory(quoted)}\n"
    block = turning.framed(given_, session)
    assert redact.strip_memory(f"before {block} after") == "before  after"
    assert not block or session in block


def test_a_context_without_memory_is_a_block_too_and_an_empty_one_is_none() -> None:
    assert turning.framed("## Core Values\n\nBe kind.\n", "") == (
        "<hippod-memory>\n## Core Values\n\nBe kind.\n</hippod-memory>"
    )
    assert turning.framed("\n", SESSION) == ""


class FakeDaemon:
    """Stands for the client; its context has `size` characters a token of the budget."""

    def __init__(self, size: int = 0, scope: str = "main") -> None:
        self.scope = scope
        self.size = size
        self.timeout: float | None = None
        self.asked: list[tuple[str, Any]] = []

    def context(self, session: str | None, *, budget_tokens: int) -> dict[str, Any]:
        self.asked.append(("context", budget_tokens))
        return {"text": redact.wrap_memory("tram line\n" * (budget_tokens * self.size // 10))}

    def recall(self, query: str, **fields: Any) -> dict[str, Any]:
        self.asked.append(("recall", query))
        hits = [{"id": "1"}] if "tram" in query else []
        return {"hits": hits, "text": redact.wrap_memory("The tram is line 4.")}

    def retain(self, **fields: Any) -> dict[str, Any]:
        self.asked.append(("retain", fields))
        return {}


def hooked(daemon: FakeDaemon, agent: str, event: str, told: dict[str, Any]) -> dict[str, Any]:
    return turning.Hook(daemon, agent).answer(event, told)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [1, 4, 9])
@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_the_context_has_no_more_bytes_than_the_agent_shows(agent: str, size: int) -> None:
    answer = hooked(FakeDaemon(size), agent, "SessionStart", {"session_id": SESSION})
    text = answer["hookSpecificOutput"]["additionalContext"]
    assert len(text.encode()) <= 9_900
    assert redact.strip_memory(text) == ""


def test_a_context_that_stays_too_long_is_cut_at_a_line_and_closed() -> None:
    daemon = FakeDaemon(4)
    daemon.context = lambda session, *, budget_tokens: {  # type: ignore[method-assign]
        "text": redact.wrap_memory("überall Straßenbahn\n" * 2_000)
    }
    text = hooked(daemon, "codex", "start", {})["hookSpecificOutput"]["additionalContext"]
    assert len(text.encode()) <= 9_900
    assert text.endswith("Straßenbahn\n[cut: the agent takes no more]\n</hippod-memory>")


def test_agents_that_show_everything_get_the_whole_budget() -> None:
    daemon = FakeDaemon(9)
    answer = hooked(daemon, "gemini", "start", {})
    assert len(answer["hookSpecificOutput"]["additionalContext"]) > 20_000
    assert daemon.asked == [("context", turning.BUDGET)]


def test_a_subagent_gets_no_context_of_its_own() -> None:
    daemon = FakeDaemon(4)
    assert hooked(daemon, "claude-code", "start", {"session_id": "s", "agent_id": "a1"}) == {}
    assert hooked(daemon, "opencode", "start", {"sessionID": "s", "parentID": "p"}) == {}
    assert daemon.asked == []


# -- a prompt --------------------------------------------------------------------------------


def test_a_prompt_gets_what_memory_holds_about_it_and_nothing_otherwise() -> None:
    daemon = FakeDaemon()
    answer = hooked(daemon, "claude-code", "UserPromptSubmit", {"prompt": "Which tram do I take?"})
    assert "line 4" in answer["hookSpecificOutput"]["additionalContext"]
    assert hooked(daemon, "claude-code", "prompt", {"prompt": "Write a sonnet about rain"}) == {}


@pytest.mark.parametrize(
    "typed", ["yes", "/clear the tram history", "!tram --list all", "", None, 7]
)
def test_no_search_for_commands_and_single_words(typed: object) -> None:
    daemon = FakeDaemon()
    assert hooked(daemon, "codex", "prompt", {"prompt": typed}) == {}
    assert daemon.asked == []


# -- a flush ---------------------------------------------------------------------------------


def flushed(agent: str, event: str, told: dict[str, Any], scope: str = "main") -> list[Any]:
    daemon = FakeDaemon(scope=scope)
    assert hooked(daemon, agent, event, told) == {}
    assert all(verb == "retain" for verb, _ in daemon.asked)
    return [fields for _, fields in daemon.asked]


def test_a_stop_flushes_the_transcript_and_the_session() -> None:
    told = {"session_id": "u", "transcript_path": "/x/rollout-u.jsonl", "stop_hook_active": True}
    assert flushed("codex", "Stop", told) == [
        {"session": "rollout-u", "flush": True},
        {"session": "u", "flush": True},
    ]


def test_the_end_of_a_session_says_so_once() -> None:
    told = {"session_id": "u", "transcript_path": "/x/u.jsonl", "reason": "exit"}
    assert flushed("claude-code", "SessionEnd", told) == [
        {"session": "u", "flush": True, "ended": True}
    ]


def test_the_stop_of_a_subagent_flushes_what_its_caller_said() -> None:
    told = {
        "session_id": "u", "transcript_path": "/x/u.jsonl", "agent_id": "a1",
        "agent_transcript_path": "/x/u/subagents/agent-a1.jsonl",
    }  # fmt: skip
    assert flushed("claude-code", "SubagentStop", told) == [{"session": "u", "flush": True}]


def test_a_database_of_all_sessions_is_found_before_it_was_ever_read() -> None:
    assert flushed("opencode", "session.idle", {"sessionID": "ses_1"}) == [
        {"session": "ses_1", "flush": True},
        {"session": "opencode", "flush": True},
    ]


def test_without_a_session_or_for_a_group_nothing_is_flushed() -> None:
    assert flushed("claude-code", "Stop", {}) == []
    assert flushed("claude-code", "SessionEnd", {"session_id": "u"}, scope="group") == []


# -- with a daemon ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    settings = {"HIPPOD_RETAIN__QUIET": "1h", "HIPPOD_RETAIN__LONGEST_WAIT": "2h"}
    with running(tmp_path_factory.mktemp("hooks"), settings) as daemon:
        (daemon.workspace / "MEMORY.md").write_text("# Memory\n\nThe tram is line 4.\n")
        (daemon.workspace / "SOUL.md").write_text("# Soul\n\nBe brief & kind.\n")
        yield daemon


def hook(daemon: Daemon, *words: str, told: dict[str, Any] = NOTHING) -> dict[str, Any]:
    done = daemon.cli("hook", *words, stdin=json.dumps(told))
    assert (done.returncode, done.stderr) == (0, "")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.xdist_group("hooks")
def test_a_session_starts_with_what_is_known(daemon: Daemon) -> None:
    daemon.client.set_working(SESSION, "Halfway through the move to Linz.")
    told = {"session_id": SESSION, "hook_event_name": "SessionStart", "source": "resume"}
    text = hook(daemon, "claude-code", "SessionStart", told=told)["hookSpecificOutput"][
        "additionalContext"
    ]
    assert "The tram is line 4." in text
    assert "Be brief & kind." in text
    assert "Halfway through the move" in text
    assert f"for the tools of memory: {SESSION}" in text
    assert redact.strip_memory(text) == ""
    assert gemini._HARNESS_TAG.search(f"<hook_context>{text}")


@pytest.mark.xdist_group("hooks")
def test_a_budget_and_a_group_see_less(daemon: Daemon) -> None:
    whole = hook(daemon, "cursor", "sessionStart")["additional_context"]
    short = hook(daemon, "cursor", "sessionStart", "--budget", "60").get("additional_context", "")
    group = hook(daemon, "cursor", "sessionStart", "--scope", "group")["additional_context"]
    assert len(short) < len(whole)
    assert "line 4" in whole
    assert "line 4" not in group


@pytest.mark.xdist_group("hooks")
def test_a_prompt_recalls(daemon: Daemon) -> None:
    wait_for(lambda: daemon.client.recall("tram line")["hits"], "MEMORY.md to be indexed")
    told = {"session_id": SESSION, "prompt": "Which tram line do I take?"}
    answer = hook(daemon, "gemini", "BeforeAgent", told=told)["hookSpecificOutput"]
    assert answer["hookEventName"] == "BeforeAgent"
    assert "The tram is line 4." in answer["additionalContext"]
    assert redact.strip_memory(answer["additionalContext"]) == ""


def claude_code(session: str, text: str) -> dict[str, Any]:
    """Return a line of a transcript as Claude Code writes it."""
    return {
        "type": "user", "uuid": f"u-{session}", "parentUuid": None, "sessionId": session,
        "isSidechain": False, "timestamp": datetime.now(UTC).isoformat(), "cwd": "/w",
        "message": {"role": "user", "content": text},
    }  # fmt: skip


def codex(session: str, text: str) -> list[dict[str, Any]]:
    """Return the lines of a transcript as Codex writes them."""
    now = datetime.now(UTC).isoformat()
    said = {"type": "user_message", "message": text}
    head = {"id": session, "cwd": "/w", "originator": "codex_cli_rs", "cli_version": "0.146.0"}
    return [
        {"timestamp": now, "type": "session_meta", "payload": head},
        {"timestamp": now, "type": "event_msg", "payload": said},
    ]


def written(daemon: Daemon, name: str, *lines: dict[str, Any]) -> Path:
    file = daemon.workspace / "sessions" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return file


def is_kept(daemon: Daemon, words: str) -> bool:
    return any(words in log.read_text() for log in daemon.workspace.glob("memory/*.md"))


@pytest.mark.xdist_group("hooks")
def test_a_stop_has_the_session_extracted_at_once(daemon: Daemon) -> None:
    file = written(daemon, f"{SESSION}.jsonl", claude_code(SESSION, "I moved to Linz in January."))
    told = {"session_id": SESSION, "transcript_path": str(file), "stop_hook_active": False}
    assert hook(daemon, "claude-code", "Stop", told=told) == {}
    wait_for(lambda: is_kept(daemon, "Linz in January"), "the fact")


@pytest.mark.xdist_group("hooks")
def test_the_end_of_a_session_that_was_never_read_keeps_it_and_drops_its_working_memory(
    daemon: Daemon,
) -> None:
    session = "0199-codex"
    daemon.client.set_working(session, "in mind")
    name = f"rollout-2026-02-01T10-00-00-{session}.jsonl"
    file = written(daemon, name, *codex(session, "I prefer rye bread to toast."))
    told = {"session_id": session, "transcript_path": str(file)}
    assert hook(daemon, "codex", "SessionEnd", told=told) == {}
    wait_for(lambda: is_kept(daemon, "rye bread"), "the fact")
    assert daemon.client.get_working(session)["content"] == ""


# -- never a burden to the agent -------------------------------------------------------------


def run(socket_path: Path, *words: str, stdin: str = "{}") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "hippod", "hook", *words, "--socket", str(socket_path)],
        input=stdin, text=True, capture_output=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("event", ["start", "prompt", "stop", "end"])
def test_without_a_daemon_an_agent_goes_on(tmp_path: Path, event: str) -> None:
    told = json.dumps({"session_id": "s", "prompt": "Which tram line do I take?"})
    done = run(tmp_path / "none.sock", "claude-code", event, stdin=told)
    assert (done.returncode, json.loads(done.stdout)) == (0, {})
    assert done.stderr.count("\n") == 1
    assert "no daemon answers" in done.stderr


def test_a_daemon_that_hangs_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "d.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        began = time.monotonic()
        done = run(path, "claude-code", "SessionEnd", stdin='{"session_id": "s"}')
        assert time.monotonic() - began < 20  # its own limit is below; this machine may be busy
    assert (done.returncode, json.loads(done.stdout)) == (0, {})
    assert done.stderr.count("\n") == 1
    assert turning.DEADLINE < 2


@pytest.mark.parametrize("stdin", ["{", "[]", "\x00"])
def test_a_payload_that_cannot_be_read_is_one_line_on_stderr(tmp_path: Path, stdin: str) -> None:
    done = run(tmp_path / "none.sock", "codex", "Stop", stdin=stdin)
    assert (done.returncode, json.loads(done.stdout)) == (0, {})
    assert done.stderr.count("\n") == 1
    assert "stdin" in done.stderr


@pytest.mark.parametrize(
    ("options", "environ"),
    [
        (["--config", "/gone.toml"], {}),
        ([], {"HIPPOD_CONFIG": "/gone.toml"}),
        ([], {"HIPPOD_SCOPE": "zzz"}),
    ],
)
def test_what_the_environment_has_wrong_is_told_and_forgiven(
    options: list[str],
    environ: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert main(["hook", "claude-code", "SessionStart", *options]) == 0
    said = capfd.readouterr()
    assert json.loads(said.out) == {}
    assert said.err.count("\n") == 1
    assert (options or list(environ.values()))[-1] in said.err


def test_an_answer_that_nobody_takes_fails_nobody(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "hippod", "hook", "codex", "Stop", "--socket", str(tmp_path)]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True,
            timeout=60, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert "cannot write the answer" in done.stderr


def test_an_event_that_is_none_of_ours_is_told_and_forgiven(tmp_path: Path) -> None:
    done = run(tmp_path / "none.sock", "gemini", "AfterTool")
    assert (done.returncode, json.loads(done.stdout)) == (0, {})
    assert "the events are SessionStart" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["claude", "Stop"],
        ["codex"],
        ["codex", "Stop", "--nonsense"],
        ["codex", "Stop", "--budget", "0"],
    ],
)
def test_a_mistake_in_the_command_is_no_order_to_block(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["hook", *words]) == 1  # to an agent, 2 means: refuse the prompt, do not stop
    assert capsys.readouterr().err.startswith("hippod: ")


def test_a_hook_imports_nothing_heavy() -> None:
    heavy = {
        "asyncio", "concurrent", "dataclasses", "email", "hippod.config", "hippod.service", "http",
        "inspect", "logging", "pathlib", "pydantic", "subprocess", "threading", "typing", "urllib",
    }  # fmt: skip
    look = (
        "import sys; from hippod.cli import main;"
        "main(['hook', 'codex', 'stop', '--socket', '/nowhere']);"
        f"print(sorted({heavy!r} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}; {look}"],
        input='{"session_id": "s"}', text=True, capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "[]"
