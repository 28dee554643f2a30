"""Replays of field cases on privacy: workspaces beside each other, and what a beat gives away."""

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from hippod import wire
from hippod.checklist import asking
from hippod.compose import Assembly, assemble
from hippod.config import Config
from hippod.errors import HippodError
from hippod.service import Memory
from hippod.wire_bank import ReflectRequest
from hippod.wire_context import ContextRequest
from hippod.wire_events import EventsRequest
from hippod.wire_heartbeat import Beat, HeartbeatRequest
from tests.endpoints import Misbehaving, misbehaving, says

pytestmark = pytest.mark.xdist_group("cases-privacy")

NOW = datetime(2026, 3, 3, 9, 30, tzinfo=UTC)


@contextmanager
def opened(root: Path, **settings: Any) -> Iterator[Assembly]:
    """Yield all parts over a workspace, at half past nine, with what lies there in the index."""
    sections: dict[str, Any] = {
        "workspace": {"path": str(root), "user": "Ada", "timezone": "UTC"},
        "generator": {"provider": "none"},
        "encoder": {"provider": "none"},
        **settings,
    }
    with assemble(Config.model_validate(sections), None, lambda: NOW) as parts:
        parts.index.reconcile()
        yield parts


def put(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


# -- workspaces beside each other ------------------------------------------------------------------


def mill(root: Path, mark: str) -> None:
    """Make a workspace that differs from another one by one word alone."""
    put(
        root,
        "memory/2026-03-02.md",
        "# Daily Log - 2026-03-02\n\n"
        f"[09:00:00] Runa oiled the gate of the mill, the {mark} side first\n\n## Retain\n"
        f"- W @Mill: The gate of the mill opens with the {mark} lever. ^aaaa000001\n"
        f"- O(c=0.8) @Runa: Prefers the {mark} lever of the mill. ^aaaa000002\n",
    )
    put(root, "MEMORY.md", f"# Memory\n\nThe mill has a {mark} lever.\n")
    put(root, "HEARTBEAT.md", "- [ ] Does the gate of the mill have a lever?\n")
    put(root, "context/mill.md", f"# Mill\n\nThe {mark} lever of the mill is at the gate.\n")


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Assembly, Assembly]]:
    """Two workspaces, open at once; the first has a heron in it, the second an otter."""
    tmp_path = tmp_path_factory.mktemp("beside")
    for name in ("heron", "otter"):
        mill(tmp_path / name, name)
    with ExitStack() as stack:
        one, other = (stack.enter_context(opened(tmp_path / name)) for name in ("heron", "otter"))
        for parts, mark in ((one, "heron"), (other, "otter")):  # in turn, under the same names
            parts.memory.set_working("talk", f"The {mark} lever is next.")
            parts.memory.append_daily_log(f"Looked at the {mark} lever of the mill")
            parts.memory.reflect(ReflectRequest())
            parts.memory.heartbeat(HeartbeatRequest())
            parts.index.reconcile()
        yield one, other


def recalled(memory: Memory, query: str, scope: str = "main") -> list[str]:
    request = wire.RecallRequest.model_validate({"query": query, "limit": 50, "scope": scope})
    return [f"{hit.path} {hit.content}" for hit in memory.recall(request).hits]


def told(memory: Memory) -> str:
    """Return what every verb that shows something shows, in one text."""
    shown = [
        memory.why("aaaa000001"),
        *(memory.why(each.id) for each in memory.opinions().opinions if each.id),
        *(memory.entity(each.name) for each in memory.entities().entities),
        memory.opinions(),
        memory.proposals(),
        memory.context(ContextRequest(session="talk")),
        memory.get_working("talk"),
        memory.today_log(),
        memory.daily_log("2026-03-02"),
        memory.tree(recursive=True),
        memory.read("bank/opinions.md"),
        memory.log(wire.LogRequest()),
        memory.events_since(EventsRequest(after=0, limit=100)),
        memory.heartbeat_history(),
        memory.status(),
    ]
    return "\n".join([repr(shown), memory.system_prompt(), *recalled(memory, "lever gate mill")])


def test_c136_the_words_of_one_workspace_find_only_rows_of_the_other(
    beside: tuple[Assembly, Assembly],
) -> None:
    one, other = beside
    wording = "The gate of the mill opens with the heron lever."
    for scope in ("main", "group"):
        found = recalled(other.memory, wording, scope)
        assert any("otter" in each for each in found)
        assert not any("heron" in each for each in found)
        assert any("heron" in each for each in recalled(one.memory, wording, scope))


def test_c136_nothing_crosses_through_any_verb(beside: tuple[Assembly, Assembly]) -> None:
    one, other = beside
    mine, theirs = told(one.memory), told(other.memory)
    assert mine.count("heron") > 12
    assert "otter" not in mine
    assert theirs.count("otter") > 12
    assert "heron" not in theirs


def test_c136_nothing_crosses_on_the_disk(beside: tuple[Assembly, Assembly]) -> None:
    for parts, mark, foreign in ((beside[0], b"heron", b"otter"), (beside[1], b"otter", b"heron")):
        files = [file for file in parts.config.workspace.path.rglob("*") if file.is_file()]
        assert sum(mark in file.read_bytes() for file in files) > 5
        assert not [file for file in files if foreign in file.read_bytes()]


# -- what a beat gives away ------------------------------------------------------------------------

KEY = "sk-proj-" + "q7Rw2Lx9Vb4Nc6Mz8Kd1Jf3Hg5Ts0Py"
TOKEN = "ghp_" + "Zk4Wq9Xv2Bn7Mc5Ld8Rf1Tg6Hj3Sp0YaEuIo"
PRIVATE = "periwinkle"
SECRETS = (KEY, TOKEN, PRIVATE)
PLAIN = "joinery"
"""A word of the evidence that is no secret; it stands in alerts, and in no line of the log."""

CHECKLIST = f"""\
# Heartbeat

- [ ] Has the joinery sent a letter about {KEY}?
- [ ] Is the {PLAIN} key {TOKEN} still good? <private>{PRIVATE} at the counter</private>
- [ ] Has the cooper at the ferry got his {KEY} back? <private>{PRIVATE} lost it</private>
- [ ] check: door
- [ ] check: gate
"""
LOG = f"""\
# Daily Log - 2026-03-02

[09:00:00] The joinery sent a second letter, with {TOKEN} in it
[09:10:00] The joinery key is bent. <private>{PRIVATE} bent it</private>

<private>
The joinery letter is about the {PRIVATE} box.
</private>

## Retain
- W @Joinery: The joinery sent a letter and the key {KEY}. ^aaaa000001
"""
PRINTED = f"{PLAIN} door open {KEY} <private>{PRIVATE}</private>"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Misbehaving]:
    with misbehaving() as server:
        server.enqueue(says("ATTENTION 1"))
        yield server


def program(text: str) -> list[str]:
    return [sys.executable, "-c", text]


def settings(server: Misbehaving, messages: Path) -> dict[str, Any]:
    """Let a model judge everything, and a command take the messages."""
    said = f"print({PRINTED!r})"
    asked = {"judge": "generator", "question": "Is the door open?"}
    keep = f"import sys; open({str(messages)!r}, 'a').write(sys.stdin.read())"
    return {
        "generator": {
            "provider": "openai", "base_url": server.url, "model": "big", "tasks": ["check"],
        },
        "heartbeat": {
            "checks": {
                "door": {"command": program(said), **asked},
                "gate": {"command": program(f"{said}; raise SystemExit(1)")},
            }
        },
        "notify": {"command": program(keep)},
    }  # fmt: skip


@dataclass(frozen=True)
class Left:
    """What a beat leaves behind in each place."""

    beat: Beat
    prompts: str
    logged: str
    events: str
    message: str
    written: str


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory, endpoint: Misbehaving) -> Left:
    tmp_path = tmp_path_factory.mktemp("left")
    endpoint.seen.clear()
    root, messages = tmp_path / "w", tmp_path / "messages.json"
    put(root, "HEARTBEAT.md", CHECKLIST)
    put(root, "memory/2026-03-02.md", LOG)
    with capture_logs() as logs, opened(root, **settings(endpoint, messages)) as parts:
        beat = parts.memory.heartbeat(HeartbeatRequest())
        events = parts.memory.events_since(EventsRequest(after=0, limit=100)).events
        today = parts.memory.today_log().content
    told = [line for line in logs if line["log_level"] != "debug"]
    return Left(
        beat=beat,
        prompts="\n".join(json.dumps(each.body, ensure_ascii=False) for each in endpoint.seen),
        logged=repr(told),
        events=json.dumps([each.model_dump() for each in events], ensure_ascii=False),
        message=messages.read_text(encoding="utf-8"),
        written="\n".join(line for line in today.splitlines() if "Heartbeat" in line),
    )


def test_nothing_secret_or_private_leaves_a_beat(left: Left) -> None:
    states = ["attention", "attention", "not judged", "attention", "attention"]
    assert [item.state for item in left.beat.items] == states, left.beat
    assert "not judged: Has the cooper" in left.written
    for place in ("prompts", "events", "message", "written"):
        text = getattr(left, place)
        assert PLAIN in text, place
        assert not [secret for secret in SECRETS if secret in text], (place, text)
    assert not [secret for secret in SECRETS if secret in left.beat.model_dump_json()], left.beat


def test_the_log_of_the_daemon_holds_no_content(left: Left) -> None:
    assert "heartbeat.done" in left.logged
    assert not [word for word in (*SECRETS, PLAIN, "letter") if word in left.logged]


def test_a_prompt_holds_one_point_and_nothing_else_of_the_memory(left: Left) -> None:
    points = [prompt for prompt in left.prompts.split("\n") if prompt]
    assert len(points) == 3
    assert all(
        prompt.count('Point: \\"') == asking.SYSTEM.count('Point: "') + 1 for prompt in points
    )
    assert all(len(json.loads(each)["messages"][-1]["content"].encode()) < 4_000 for each in points)


def test_a_group_hears_nothing_of_a_beat(tmp_path: Path, endpoint: Misbehaving) -> None:
    put(tmp_path / "w", "HEARTBEAT.md", CHECKLIST)
    put(tmp_path / "w", "memory/2026-03-02.md", LOG)
    with opened(tmp_path / "w", **settings(endpoint, tmp_path / "m.json")) as parts:
        parts.memory.heartbeat(HeartbeatRequest())
        asked = EventsRequest(after=0, limit=100, scope="group")
        seen = [
            parts.memory.events_since(asked),
            parts.memory.context(ContextRequest(scope="group")),
            parts.memory.status("group"),
            *recalled(parts.memory, "joinery letter key door", "group"),
        ]
    assert PLAIN not in repr(seen)
    assert "heartbeat." not in repr(seen)


# -- what a group is not to see, by other ways -----------------------------------------------------


def test_a_link_within_the_workspace_opens_nothing_to_a_group(tmp_path: Path) -> None:
    root = tmp_path / "w"
    put(root, "MEMORY.md", f"# Memory\n\nThe {PRIVATE} box.\n")
    put(root, "memory/2026-03-03.md", f"[09:00:00] The {PRIVATE} box came\n")
    (root / "context").mkdir()
    (root / "projects").mkdir()
    (root / "AGENTS.md").symlink_to("MEMORY.md")
    (root / "context" / "day.md").symlink_to("../memory/2026-03-03.md")
    (root / "projects" / "days").symlink_to("../memory")
    with opened(root) as parts:
        shown: list[object] = [
            parts.memory.context(ContextRequest(scope="group")),
            parts.memory.tree(recursive=True, scope="group"),
            *recalled(parts.memory, f"{PRIVATE} box", "group"),
        ]
        for path in ("AGENTS.md", "context/day.md", "projects/days/2026-03-03.md"):
            with pytest.raises(HippodError) as refused:
                parts.memory.read(path, scope="group")
            shown.append(refused.value)
    assert "Agent Instructions" in repr(shown)
    assert not [word for word in (PRIVATE, "MEMORY.md", "2026-03-03.md") if word in repr(shown)]


ASIDES = f"""\
# Agents

Search first. <private>{PRIVATE}</private> Then answer.

```
<PRIVATE kind="x">{PRIVATE}</PRIVATE >
```

| a | <private
>{PRIVATE}</private
> |
|---|---|

Last of all. <private>{PRIVATE}, and never closed

## Further down

{PRIVATE}
"""


def test_private_spans_are_cut_however_they_are_written(tmp_path: Path) -> None:
    put(tmp_path / "w", "AGENTS.md", ASIDES)
    put(tmp_path / "w", "context/plan.md", ASIDES)
    with opened(tmp_path / "w") as parts:
        text = parts.memory.context(ContextRequest(scope="group")).text
        seen = [
            text,
            parts.memory.read("AGENTS.md", scope="group"),
            *recalled(parts.memory, f"{PRIVATE} search answer", "group"),
        ]
        assert PRIVATE in parts.memory.context(ContextRequest()).text
    assert all(word in text for word in ("Search first.", "Then answer.", "Last of all."))
    assert PRIVATE not in repr(seen)


def test_a_page_that_moves_into_the_memory_is_only_gone_for_a_group(tmp_path: Path) -> None:
    put(tmp_path / "w", "context/plan.md", "# Plan\n\nBuy oakum.\n")
    with opened(tmp_path / "w") as parts:
        parts.memory.move("context/plan.md", f"memory/{PRIVATE}.md")
        asked = EventsRequest(after=0, limit=100, scope="group")
        told = [event.paths for event in parts.memory.events_since(asked).events]
        everything = parts.memory.events_since(EventsRequest(after=0, limit=100))
        assert recalled(parts.memory, "oakum", "group") == []
    assert told == [["context/plan.md"]]
    assert PRIVATE in repr(everything)


def test_neither_sessions_nor_what_they_keep_in_mind_are_logged(tmp_path: Path) -> None:
    with capture_logs() as logs, opened(tmp_path / "w") as parts:
        parts.memory.set_working(f"call-{PRIVATE}", f"the {PRIVATE} box")
        parts.memory.append_working(f"call-{PRIVATE}", f"the {PRIVATE} key")
        assert PRIVATE in parts.memory.context(ContextRequest(session=f"call-{PRIVATE}")).text
        parts.memory.append_daily_log(f"the {PRIVATE} box came")
        parts.memory.clear_working(f"call-{PRIVATE}")
    assert not [line for line in logs if line["log_level"] != "debug" and PRIVATE in repr(line)]
