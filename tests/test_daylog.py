from datetime import date

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hippod import daylog, facts
from hippod.daylog import Entry
from hippod.errors import Conflict, InvalidInput
from hippod.facts import Fact
from tests.test_facts import any_fact
from tests.test_markdown import LINES

quick = settings(max_examples=150, deadline=None)
DAY = date(2026, 3, 3)
TITLE = "# Daily Log - 2026-03-03\n"

log_lines = st.one_of(
    st.sampled_from(LINES),
    st.sampled_from(
        [
            "- W @Iris: tea ^abcd", "- B: two", "* S: three", "- O(c=9): no", "Retain", "------",
            "## retain:", "### Retain ##", "# Retain", "[10:00:00] note", "  continued ^wxyz",
            "- ```", "- W: arrow --> here", "<?php", "<![CDATA[", "<style>",
        ]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)  # fmt: skip
logs = st.builds(
    lambda lines, eol, end, bom: f"{bom}{eol.join(lines)}{end}",
    st.lists(log_lines, max_size=15),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\n", "\r\n", "\r", "\n\n"]),
    st.sampled_from(["", "\ufeff"]),
)


def found(text: str) -> list[str]:
    return [placed.fact.content for placed in daylog.parse(text).facts]


def spans(text: str) -> list[tuple[str, int, int]]:
    return [(p.fact.content, p.line_start, p.line_end) for p in daylog.parse(text).facts]


def test_a_log_with_entries_and_facts() -> None:
    log = daylog.parse(
        f"{TITLE}\n[09:15:23] Session started\nwith Iris\n\n- one\n\n[09:20] Tea\n\n"
        "## Retain\n- W @Iris: Drinks tea. (09:20 chat/s1#m1) ^k3f9ab27qt\n- a plain bullet\n"
        "[10:00:00] Later\n- B: Brewed.\n"
    )
    assert log.entries == (
        Entry("09:15:23", "Session started\nwith Iris\n\n- one", 3, 6),
        Entry("09:20", "Tea", 8, 8),
        Entry("10:00:00", "Later", 13, 13),
    )
    assert [(p.fact.content, p.line_start, p.line_end) for p in log.facts] == [
        ("Drinks tea.", 11, 11),
        ("Brewed.", 14, 14),
    ]
    assert log.facts[0].fact.id == "k3f9ab27qt"
    assert log.ends_in_retain
    assert not log.conflicted
    assert log.misfits == ()


@pytest.mark.parametrize(
    "heading",
    [
        "## Retain", "##  retain", "## RETAIN ##", "## Retain:", "### Retain", "###### Retain",
        "Retain\n------", "  ## Retain", "## Retain\n### Today", "## Retain <!-- by hippod -->",
    ],
)  # fmt: skip
def test_headings_that_open_a_retain_section(heading: str) -> None:
    assert found(f"text\n\n{heading}\n- W: x\n") == ["x"]


@pytest.mark.parametrize(
    "heading",
    [
        "# Retain", "Retain\n======", "## Retained", "## What to retain", "Retain", "**Retain**",
        "```\n## Retain", "    ## Retain\n", "<!--\n## Retain", "> ## Retain", "- ## Retain\n",
        "## Retain\n## Log", "### Retain\n## Log", "```\n\n## Retain\n- W: x\n```",
        "## Retain\n\n1. one\n2. W: x\n\n##", "-\t## Retain",
    ],
)  # fmt: skip
def test_what_opens_none(heading: str) -> None:
    assert found(f"text\n\n{heading}\n- W: x\n") == []


def test_every_retain_section_is_read() -> None:
    text = "## Retain\n- W: a\n## Notes\n- W: no\n## Retain\n- W: b\n# Other\n- W: no\n"
    assert found(text) == ["a", "b"]


def test_bullets_at_any_depth_and_their_continuation_lines() -> None:
    text = (
        "## Retain\n"
        "- \n"
        "- ```\n"
        "* W: star\n"
        "  goes on\n"
        "lazily\n"
        "+ plain\n"
        "  - B: inner\n"
        "    - S: deep\n"
        "\n"
        "      another paragraph\n"
        "> - W: quoted\n"
    )
    assert spans(text) == [
        ("star goes on lazily", 4, 6),
        ("inner", 8, 8),
        ("deep", 9, 9),
    ]


def test_a_fact_ends_at_its_id_and_before_an_entry() -> None:
    text = "## Retain\n- W: a\n  b ^abcd\nplain\n- W: c\n[10:00:00] note\n"
    assert spans(text) == [("a b", 2, 3), ("c", 5, 5)]
    assert daylog.parse(text).facts[0].fact.id == "abcd"
    assert [entry.text for entry in daylog.parse(text).entries] == ["note"]


def test_bullets_that_begin_like_facts_are_reported() -> None:
    text = (
        "## Retain\n- [/] half done\n- [>] moved\n> [!info] Title\n\n- [00:01:11] Speaker: hi\n"
        "- [X] shipped\n- [link](http://x.test)\n- O(c=0.9) @Rowan likes tabs\n- W @Rowan moved\n"
        "- o(c=2) bad\n- O(c=nan): bad\n- B: good\n- Wednesday: walk\n"
    )
    assert found(text) == ["good"]
    assert daylog.parse(text).misfits == (9, 10, 11, 12)


def test_every_kind_of_line_end_gives_the_same_log() -> None:
    text = (
        f"{TITLE}\n[09:00:00] a\fb\n\n## Retain\n- W: x\u2028y\n- B: a\x85b\n  c\vd ^abcd\n"
        "```\ncode\n```\n- S: end\n"
    )
    expected = daylog.parse(text)
    assert spans(text) == [("x y", 6, 6), ("a b c d", 7, 8), ("end", 12, 12)]
    assert daylog.parse(text.replace("\n", "\r\n")) == expected
    assert daylog.parse(text.replace("\n", "\r")) == expected
    assert daylog.parse("\ufeff" + text.replace("\n", "\r\n", 4)) == expected


def test_a_log_in_the_middle_of_a_merge() -> None:
    text = "## Retain\n<<<<<<< HEAD\n- W: Monday\n=======\n- W: Tuesday\n>>>>>>> branch\n"
    log = daylog.parse(text)
    assert log.conflicted
    assert [placed.fact.content for placed in log.facts] == ["Monday", "Tuesday"]
    assert not daylog.parse(f"```\n{text}```\n").conflicted
    for append in (
        lambda: daylog.retain_block(text.encode(), DAY, ["- W: x"]),
        lambda: daylog.log_block(text.encode(), DAY, "[10:00:00] x"),
    ):
        with pytest.raises(Conflict):
            append()


@quick
@given(logs)
def test_any_text_is_a_log(text: str) -> None:
    log = daylog.parse(text)
    lines = [number for p in log.facts for number in range(p.line_start, p.line_end + 1)]
    assert lines == sorted(set(lines))
    for entry in log.entries:
        assert entry.line <= entry.line_end
        assert entry.line not in lines


new_facts = st.lists(
    st.one_of(
        any_fact.filter(lambda fact: facts.writable(fact.content).strip() != ""),
        st.sampled_from([Fact("W", "a --> b", id="abcd"), Fact("W", "x ?> ]]> </pre> </style>")]),
    ),
    min_size=1,
    max_size=3,
)


@settings(max_examples=300, deadline=None)
@given(logs, new_facts)
@example("<!-- open", [Fact("W", "a --> b", id="abcd")])
@example("## Retain\n<style>", [Fact("W", "x </style>")])
@example("```\n\r", [Fact("W", "x")])
def test_retained_bullets_are_the_last_facts(text: str, new: list[Fact]) -> None:
    existing = text.encode()
    try:
        block = daylog.retain_block(existing, DAY, [facts.render(fact) for fact in new])
    except Conflict:
        assert daylog.parse(existing.decode()).conflicted
        return
    before = [placed.fact for placed in daylog.parse(existing.decode()).facts]
    after = daylog.parse((existing + block).decode())
    written = [placed.fact for placed in after.facts]
    expected = before + [facts.canonical(fact) for fact in new]
    assert [unescaped(fact) for fact in written] == [unescaped(fact) for fact in expected]
    assert after.ends_in_retain
    again = daylog.retain_block(existing + block, DAY, ["- W: once more ^abcd"])
    assert daylog.parse((existing + block + again).decode()).facts[: len(written)] == after.facts


def unescaped(fact: Fact) -> tuple[str, str, str | None]:
    return fact.kind, fact.content.replace("&gt;", ">"), fact.id


@settings(max_examples=300, deadline=None)
@given(logs, st.lists(log_lines, max_size=3))
@example("```\n\n## Log\n[10:00:00] x\n", ["```"])
@example("text", ["<<<<<<< a", "=======", ">>>>>>> b"])
def test_an_entry_is_the_last_one_and_no_fact_changes(text: str, more: list[str]) -> None:
    existing = text.encode()
    try:
        block = daylog.log_block(existing, DAY, "\n".join(["[11:22:33] noted", *more]))
    except Conflict:
        assert daylog.parse(existing.decode()).conflicted
        return
    before, after = daylog.parse(existing.decode()), daylog.parse((existing + block).decode())
    assert after.facts[: len(before.facts)] == before.facts
    assert after.entries[len(before.entries)].time == "11:22:33"
    assert after.entries[len(before.entries)].text.startswith("noted")


BULLETS = ["- W: a ^abcd", "- B: b ^wxyz"]


@pytest.mark.parametrize(
    ("existing", "block"),
    [
        (None, f"{TITLE}\n## Retain\n- W: a ^abcd\n- B: b ^wxyz\n"),
        ("", f"{TITLE}\n## Retain\n- W: a ^abcd\n- B: b ^wxyz\n"),
        ("\ufeff", f"{TITLE}\n## Retain\n- W: a ^abcd\n- B: b ^wxyz\n"),
        ("\r\n", f"{TITLE}\n## Retain\n- W: a ^abcd\n- B: b ^wxyz\n".replace("\n", "\r\n")),
        ("text", "\n\n## Retain\n- W: a ^abcd\n- B: b ^wxyz\n"),
        ("text\n", "\n## Retain\n- W: a ^abcd\n- B: b ^wxyz\n"),
        ("text\n\n", "## Retain\n- W: a ^abcd\n- B: b ^wxyz\n"),
        ("a\r\nb\r\n", "\r\n## Retain\r\n- W: a ^abcd\r\n- B: b ^wxyz\r\n"),
        ("a\rb", "\r\r## Retain\r- W: a ^abcd\r- B: b ^wxyz\r"),
        ("## Retain\n- W: old", "\n- W: a ^abcd\n- B: b ^wxyz\n"),
        ("## Retain\n- W: old\n", "- W: a ^abcd\n- B: b ^wxyz\n"),
        ("## Retain\n", "- W: a ^abcd\n- B: b ^wxyz\n"),
        ("## Retain\n- W: old\n## Log\n", "\n## Retain\n- W: a ^abcd\n- B: b ^wxyz\n"),
        ("## Retain\n<div>\n", "\n- W: a ^abcd\n- B: b ^wxyz\n"),
        ("```\ncode\n", "\n## Retain\n- W: a ^abcd\n- B: b ^wxyz\n"),
        ("## Retain\n```\ncode\n", "\n## Retain\n- W: a ^abcd\n- B: b ^wxyz\n"),
    ],
)
def test_the_bytes_of_a_retain_block(existing: str | None, block: str) -> None:
    data = None if existing is None else existing.encode()
    assert daylog.retain_block(data, DAY, BULLETS) == block.encode()


@pytest.mark.parametrize(
    ("existing", "block"),
    [
        (None, f"{TITLE}\n[10:00:00] tea\n"),
        (TITLE, "\n[10:00:00] tea\n"),
        (f"{TITLE}\n[09:00:00] one\n", "[10:00:00] tea\n"),
        (f"{TITLE}\n[09:00:00] one", "\n[10:00:00] tea\n"),
        ("- list\n", "\n[10:00:00] tea\n"),
        ("a\r\n## Retain\r\n- W: x\r\n", "\r\n## Log\r\n[10:00:00] tea\r\n"),
        ("## Retain\n- W: x\n### Today\n", "\n## Log\n[10:00:00] tea\n"),
        ("```\ncode\n", "\n## Log\n[10:00:00] tea\n"),
        ("<!-- open\n", "\n## Log\n[10:00:00] tea\n"),
    ],
)
def test_the_bytes_of_a_log_block(existing: str | None, block: str) -> None:
    data = None if existing is None else existing.encode()
    assert daylog.log_block(data, DAY, "[10:00:00] tea\n") == block.encode()


def test_a_note_that_would_close_an_open_fence_is_indented() -> None:
    existing = b"```\ncode\n\n## Log\n[09:00:00] one\n"
    block = daylog.log_block(existing, DAY, "[10:00:00] see\n```\nx > y\n```")
    assert block == b"[10:00:00] see\n    ```\n    x &gt; y\n    ```\n"


def test_bytes_that_are_not_utf_8_are_kept_or_refused() -> None:
    assert daylog.retain_block(b"caf\xe9\n", DAY, ["- W: x"]) == b"\n## Retain\n- W: x\n"
    assert daylog.retain_block(b"a\0b\n", DAY, ["- W: x"]) == b"\n## Retain\n- W: x\n"
    with pytest.raises(InvalidInput, match="UTF-16"):
        daylog.retain_block("# Log\n".encode("utf-16"), DAY, ["- W: x"])


def test_what_is_no_fact_or_entry_is_not_appended() -> None:
    assert daylog.retain_block(b"text\n", DAY, []) == b""
    with pytest.raises(InvalidInput, match="not a fact"):
        daylog.retain_block(None, DAY, ["- W: x", "plain"])
    with pytest.raises(InvalidInput, match="not an entry"):
        daylog.log_block(None, DAY, "no time")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("memory/2026-03-03.md", DAY),
        ("daily/2026-03-03.md", DAY),
        ("archive/2026-03-03.md", DAY),
        ("archive/2026/03/2026-03-03.md", DAY),
        ("memory/2026-03-03 2.md", None),
        ("memory/2026-02-30.md", None),
        ("memory/sub/2026-03-03.md", None),
        ("2026-03-03.md", None),
        ("notes/2026-03-03.md", None),
        ("memory/2026-03-03.md\n", None),
        ("memory/２０２６-03-03.md", None),
    ],
)
def test_which_files_are_daily_logs(path: str, expected: date | None) -> None:
    assert daylog.day_of(path) == expected


def test_where_a_day_is_written() -> None:
    assert daylog.log_path(DAY, "openclaw") == "memory/2026-03-03.md"
    assert daylog.log_path(DAY, "ironclaw") == "daily/2026-03-03.md"
    assert daylog.new_log(DAY) == TITLE
