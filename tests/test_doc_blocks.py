"""Every block of commands in README.md and docs/ is done, and every example is read by hippod."""

import json
import math
import re
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from hippod import config, daylog, facts, forgotten, markdown, pages, quoting, redact, transcripts
from hippod.checklist import reading
from hippod.reflection import belief, proposals
from hippod.wire import Hit
from tests.doc_blocks import (
    DATA,
    PAGES,
    PICTURES,
    PYTHON,
    REASONS,
    ROOT,
    SHELL,
    Block,
    Stage,
    Step,
    blocks,
    demonstrated,
    is_shown,
    staged,
    steps,
)

BLOCKS = {page: [*blocks(page)] for page in PAGES}
ALL = [block for each in BLOCKS.values() for block in each]
DEMO = "make demo"


def is_run(block: Block) -> bool:
    return block.language in (*SHELL, *PYTHON) and not {"not run", "of"} & block.marks.keys()


def of(*languages: str) -> list[Block]:
    return [block for block in ALL if block.language in languages and "not run" not in block.marks]


# -- commands ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    """One daemon for all pages: to start one costs more than most of them."""
    with staged() as stage:
        yield stage


@pytest.mark.slow
@pytest.mark.xdist_group("doc-blocks")
@pytest.mark.parametrize(
    "page", [p for p in PAGES if any(map(is_run, BLOCKS[p]))], ids=lambda page: page.name
)
def test_what_a_page_shows_can_be_done(stage: Stage, page: Path) -> None:
    stage.begin_page()
    for block in filter(is_run, BLOCKS[page]):
        (do_python if block.language in PYTHON else do_shell)(stage, block)


def do_python(stage: Stage, block: Block) -> None:
    make_true(stage, block)
    failed = stage.python(block.text)
    assert not failed, f"{block}:\n{failed}"


def do_shell(stage: Stage, block: Block) -> None:
    make_true(stage, block)
    wanted = int(block.marks.get("exits", 0))
    *others, last = steps(block)
    for step in (*others, last):
        code, printed, errors = stage.run(step)
        told = f"{block}: {step.command}\n{printed}{errors}"
        assert code == (wanted if step is last else 0), told
        told = f"{block}: {step.command}\n--- shown\n{step.shown}\n--- printed\n{printed}"
        assert not step.shown or is_shown(step.shown, printed, stage.home), told


def make_true(stage: Stage, block: Block) -> None:
    if first := block.marks.get("first"):
        code, *told = stage.run(steps(Block(block.page, block.line, "console", f"$ {first}"))[0])
        assert code == 0, f"{block}: {first}\n{''.join(told)}"


@pytest.mark.slow
@pytest.mark.xdist_group("doc-blocks")
def test_a_command_finds_what_the_one_before_wrote(stage: Stage) -> None:
    """However slow the index is: its remarks go to stderr, which no page shows."""
    stage.begin_page()
    assert stage.run(Step("echo said; echo remarked >&2; (exit 3)")) == (3, "said\n", "remarked\n")
    for thing in ("lantern", "anchor", "compass"):
        stage.run(Step(f"hippod note 'The {thing} hangs in the shed'"))
        code, printed, _ = stage.run(Step(f"hippod recall -k 1 'where is the {thing}?'"))
        assert code == 0
        assert f"The {thing} hangs" in printed


@pytest.mark.slow
def test_what_the_demonstration_is_said_to_print(tmp_path: Path) -> None:
    printed = demonstrated(tmp_path)
    shown = [block for block in ALL if block.marks.get("of") == DEMO]
    assert len(shown) == 2
    for block in shown:
        assert is_shown(f"…\n{block.text}\n…", printed), f"{block} against\n{printed}"


# -- marks -------------------------------------------------------------------------------------


def test_few_blocks_are_not_run_and_each_says_why() -> None:
    commands = [block for block in ALL if block.language in (*SHELL, *PYTHON)]
    left = [block for block in commands if "not run" in block.marks]
    assert {block.marks["not run"] for block in left} <= REASONS.keys()
    assert len(left) <= 6, [*map(str, left)]
    assert len(commands) >= 3 * len(left)


def test_every_block_is_of_a_known_kind() -> None:
    for block in ALL:
        known = (*SHELL, *PYTHON, *DATA, *PICTURES)
        assert block.language in known, f"{block}: ```{block.language}"
        if block.language in PICTURES:
            assert not block.text.startswith("$ "), f"{block}: commands belong into ```console"


# -- examples of files -------------------------------------------------------------------------


@pytest.mark.parametrize("block", of("toml"), ids=str)
def test_toml_is_a_configuration(block: Block) -> None:
    tables = tomllib.loads(block.text)
    if "of" not in block.marks:
        config.checked(tables, str(block), {})


@pytest.mark.parametrize("block", of("json"), ids=str)
def test_json_can_be_read(block: Block) -> None:
    json.loads(block.text)


# -- formats -----------------------------------------------------------------------------------


def facts_of(text: str) -> None:
    for line in text.splitlines():
        fact = facts.parse_bullet(line)
        assert fact, line
        assert facts.render(fact) == line


def no_facts(text: str) -> None:
    assert [line for line in text.splitlines() if facts.parse_bullet(line)] == []


def several_lines(text: str) -> None:
    log = daylog.parse(text)
    assert [placed.fact.content for placed in log.facts] == [
        "The ferry leaves at noon, from the north pier."
    ]
    assert [entry.text for entry in log.entries] == ["The spare key is with Ina"]


def daily_log(text: str) -> None:
    log = daylog.parse(text)
    assert log.facts
    assert not log.misfits
    assert text.startswith(daylog.new_log(date(2026, 3, 2)))
    bullets = [line for line in text.splitlines() if line.startswith("- ")]
    assert [facts.render(placed.fact) for placed in log.facts] == bullets
    entries = [line for line in text.splitlines() if line.startswith("[")]
    assert len(log.entries) == len(entries)
    beats = sum(" Heartbeat: " in line for line in entries)
    document = markdown.parse(text)
    assert sum(daylog.is_beat(document, entry.line) for entry in log.entries) == beats


def with_hashes(page: str) -> str:
    """Fill in the hashes of regions that a page shows as `…`."""
    return re.sub(
        r"sha256:…( -->\n)(.*?)(?=<!-- /)",
        lambda region: f"sha256:{pages.digest(region[2].splitlines())}{region[1]}{region[2]}",
        page,
        flags=re.DOTALL,
    )


def entity_page(text: str) -> None:
    document = markdown.parse(with_hashes(text))
    page = pages.entity_page("bank/entities/Ina.md", document)
    assert page
    if document.front_matter:
        assert page.aliases
        assert page.others
        assert page.updated
    found = pages.regions(document)
    assert [region.name for region in found] == ["summary", "history"]
    assert not any(region.edited for region in found)
    assert len(pages.sentences(document, found[0])) == 2
    assert len(pages.supersessions(document)) == 1


def page_of_facts(text: str) -> None:
    document = markdown.parse(text)
    statements = pages.statements(document)
    assert len(statements) == text.count("\n- ")
    assert all(each.links and each.day and each.entities for each in statements)
    assert len(pages.supersessions(document)) == text.count("superseded by")


def supersession(text: str) -> None:
    assert len(pages.supersessions(markdown.parse(text))) == 1


def opinions(text: str) -> None:
    (opinion,) = pages.opinions(markdown.parse(text))
    assert len(opinion.lines) == len(text.splitlines()), "a bullet that is not read"
    assert opinion.prior is not None
    assert opinion.confidence is not None
    odds = math.log(opinion.prior / (1 - opinion.prior)) + sum(e.weight for e in opinion.evidence)
    assert opinion.confidence == pytest.approx(1 / (1 + math.exp(-odds)), abs=belief.TOLERANCE)


def proposal(text: str) -> None:
    (found,) = proposals.parse(text)
    assert proposals.render(found) == f"{text}\n"


def tombstones(text: str) -> None:
    found = forgotten.Tombstones.parse(text)
    assert found
    assert not found.unread
    assert len(found.stones) == text.count("\n- ")


def checklist(text: str) -> None:
    found = reading.read(text, ["disk"])
    assert not found.notes
    assert found.quiet
    assert [item.kind for item in found.items] == ["question", "check", "action", "question"]


def transcript(text: str, name: str = "chat.jsonl") -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(f"{text}\n", encoding="utf-8")
        first = transcripts.read(path, None, seen=lambda key: False)
        again = transcripts.read(path, first.cursor, seen=lambda key: False)
    turns = (*first.turns, *again.turns)  # the last of Markdown is complete when it stands still
    assert [turn.role for turn in turns] == ["user", "assistant"]
    assert all(turn.time for turn in turns)
    assert first.alarm is again.alarm is None


def chat(text: str) -> None:
    transcript(text, "chat.md")


_TOLD = Hit.model_construct(
    trust="written", kind="world", entities=("Ina",), timestamp="2026-03-02", confidence=0.5,
    valid_from="2026-03-02", valid_until=None, superseded_by="k3f9ab27qt", flagged=True,
)  # fmt: skip
NOTE = {"source", *dict(quoting.about(_TOLD))}
"""The attributes of a note."""


def test_the_sources_that_are_shown_are_read_so() -> None:
    page = (ROOT / "docs/file-formats.md").read_text(encoding="utf-8")
    (encoded,) = re.findall(r"`(\(\S+ \S*%\S*\))`", page)
    fact = facts.parse_bullet(f"- W: Noted. {encoded}")
    assert fact
    assert fact.source == facts.Source("a/b", "s #1", "t", "10:00")
    assert facts.render(fact).endswith(encoded)
    forms = re.findall(r"^\| `(\S+/\S+#\S+)` \|", page, re.MULTILINE)
    read = [facts.parse_bullet(f"- W: Noted. ({form})") for form in forms]
    assert [each.source.name for each in read if each and each.source] == [
        "main", "claude", config.API_SOURCE, config.LOG_SOURCE, config.DERIVED_SOURCE,
    ]  # fmt: skip


def test_every_attribute_of_a_note_is_explained() -> None:
    page = (ROOT / "docs/file-formats.md").read_text(encoding="utf-8")
    table = page.partition("| attribute |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == {"id", *NOTE}  # id: over MCP


def memory_block(text: str) -> None:
    assert redact.strip_memory(f"before\n{text}\nafter").split() == ["before", "after"]
    assert set(re.findall(r' (\w+)="', text)) <= NOTE


FORMATS: dict[str, Callable[[str], None]] = {
    "facts": facts_of,
    "no facts": no_facts,
    "several lines": several_lines,
    "daily log": daily_log,
    "entity page": entity_page,
    "page of facts": page_of_facts,
    "supersession": supersession,
    "opinions": opinions,
    "proposals": proposal,
    "forgotten": tombstones,
    "checklist": checklist,
    "transcript": transcript,
    "chat": chat,
    "memory block": memory_block,
}


@pytest.mark.parametrize("block", [each for each in ALL if "format" in each.marks], ids=str)
def test_an_example_of_a_format_is_read(block: Block) -> None:
    FORMATS[block.marks["format"]](block.text)


def test_every_format_has_an_example_and_no_markdown_is_left_unread() -> None:
    assert {block.marks["format"] for block in ALL if "format" in block.marks} == FORMATS.keys()
    unread = [str(b) for b in of("markdown", "jsonl") if not {"format", "of"} & b.marks.keys()]
    assert unread == []


# -- links -------------------------------------------------------------------------------------


def anchors(page: Path) -> set[str]:
    """Return the names that GitHub gives to the headings of a page."""
    plain = re.sub(
        r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    titles = re.findall(r"^#+ (.+)$", plain, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_a_page_and_to_a_heading_of_it(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target, anchor in re.findall(r"\]\((?!https?:)([^()#\s]*)#?([^()\s]*)\)", text):
        there = (page.parent / target).resolve() if target else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), f"{target}#{anchor}"


def test_every_page_is_in_the_index_and_in_the_readme() -> None:
    index, readme = ((ROOT / name).read_text() for name in ("docs/README.md", "README.md"))
    for page in sorted((ROOT / "docs").glob("*.md")):
        assert page.name == "README.md" or f"]({page.name})" in index, page.name
        assert f"](docs/{page.name})" in readme, page.name


def test_what_is_shown_is_compared_in_shape() -> None:
    printed = "daemon\n  ok   answers in 2.9 ms\n" * 200 + "1 hit\n"
    assert is_shown("…\n  ok answers in 12 ms\n…\n3 hit\n", printed)
    assert is_shown("…\n1 …\n", printed)
    assert not is_shown("…\nfail\n…\n", printed)
    assert not is_shown("1 hit\n", printed)
    assert is_shown(
        "~/x  ^k3f9ab27qt 2026-03-02", "/home/a/x ^0b7e41d2 2027-01-01\n", Path("/home/a")
    )
