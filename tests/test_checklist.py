"""HEARTBEAT.md as people write it: what is an item, what is not, and when to be quiet."""

import time
from datetime import time as time_of_day

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.checklist.items import Checklist, Item
from hippod.checklist.reading import LONGEST, MOST_ITEMS, read
from hippod.schedule import Hours

CHECKS = ("disk", "mail-queue")
NIGHT = Hours(23 * 60, 8 * 60)


def kinds(text: str) -> list[tuple[str, str, int]]:
    return [(item.kind, item.name or item.text, item.line) for item in read(text, CHECKS).items]


def texts(text: str) -> list[str]:
    return [item.text for item in read(text, CHECKS).items]


SEEDED = """\
# Heartbeat

On every beat, go through this list and report anything that needs attention:

- [ ] Is the rent due in the next 3 days?
- [x] Renew the library card
- [ ] check: disk – the big one
- [ ]
- [ ] Is the savings account below 500 EUR?

Stay quiet between 23:00 and 08:00 unless it is urgent.
If nothing needs attention, reply HEARTBEAT_OK.

## Proactive Work (no permission needed)

- Read and organize memory files
- Tidy up old daily logs
- Reindex the workspace
- Commit and push your own changes
"""


def test_a_checklist_as_it_is_seeded() -> None:
    found = read(SEEDED, CHECKS)
    assert kinds(SEEDED) == [
        ("question", "Is the rent due in the next 3 days?", 5),
        ("check", "disk", 7),
        ("question", "Is the savings account below 500 EUR?", 9),
        ("action", "reflect", 16),
        ("action", "hygiene", 17),
        ("action", "reconcile", 18),
        ("agent", "Commit and push your own changes", 19),
    ]
    assert (found.quiet, found.skipped, found.notes) == (NIGHT, "", ())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "missing"),
        ("", "empty"),
        ("\ufeff \r\n\n", "empty"),
        ("# Title\n\n## Other\n", "headings or comments only"),
        ("Title\n=====\n", "headings or comments only"),
        ("<!-- a\n- [ ] b\n-->\n", "headings or comments only"),
        ("<!-- never closed\n- [ ] b\n", "headings or comments only"),
        ("---\n", "headings or comments only"),
        ("- [ ]\n- [ ] \n* [ ]\n-\n", "headings or comments only"),
        ("---\ntitle: x\n---\n", "headings or comments only"),
        ("```\n- [ ] b\n```\n", "headings or comments only"),
        ("- [x] a\n1. [X] b\n- ~~c~~\n", "all done"),
        ("If nothing needs attention, reply HEARTBEAT_OK.\n", "no items"),
        ("- check: dsik\n", "no items"),
        ("<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n- c\n", "conflict marks"),
    ],
)
def test_why_there_is_nothing_to_do(text: str | None, reason: str) -> None:
    found = read(text, CHECKS)
    assert (found.items, found.skipped) == ((), reason)


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("Look at the backlog.", ["Look at the backlog."]),
        ("Is it late? Look at the backlog.", ["Is it late?", "Look at the backlog."]),
        ("Look at the long\nbacklog of tickets.", ["Look at the long backlog of tickets."]),
        ("Look at the mail\nLook at the roof\n", ["Look at the mail", "Look at the roof"]),
        ("Ask Dr. Weber, e.g. by phone.", ["Ask Dr. Weber, e.g. by phone."]),
        ("Was ist am 3. Dezember? Mehr als 5. Und jetzt?",
         ["Was ist am 3. Dezember?", "Mehr als 5.", "Und jetzt?"]),
        ("- one\n* two\n+ three\n4. four\n5) five\n", ["one", "two", "three", "four", "five"]),
        ("- one\n  two\nthree\n", ["one two three"]),
        ("- one\n\n  two\n\nthree\n", ["one two", "three"]),
        ("- one\n  - two\n    1. three\n", ["one", "two", "three"]),
        ("- one\n  ```\n  rm x\n  ```\n- two\n", ["one", "two"]),
        ("- one <!-- not yet -->\n", ["one"]),
        ("- see `x` <!-- - [ ] no -->\n", ["see `x`"]),
        ("- [ ] one\r\n- [ ] two\r\n", ["one", "two"]),
        ("\ufeff- [ ] one\n", ["one"]),
        ("- [x](https://example.org) is up?\n", ["[x](https://example.org) is up?"]),
        ("- [ ]one\n☐ two\n☑ three\n", ["one ☐ two ☑ three"]),
        ("☐ two\n\n☑ three\n", ["two"]),
        ("~~~~\n- a\n~~~\n- b\n~~~~\n- c\n", ["c"]),
        ("- a\n- A\n-  a\n", ["a"]),
        ("| what | when |\n|---|---|\n| the roof | daily |\n| the mail | |\n",
         ["the roof – daily", "the mail"]),
        ("Schau nach der Post. Ist die Miete bezahlt?",
         ["Schau nach der Post.", "Ist die Miete bezahlt?"]),
    ],
)  # fmt: skip
def test_items(text: str, items: list[str]) -> None:
    assert texts(text) == items


def test_what_hangs_on_a_ticked_item_is_done_too() -> None:
    text = "- [x] trip\n  - tickets\n\n  and the hotel\n  - [ ] insurance\n- dog\n"
    assert texts(text) == ["insurance", "dog"]


@pytest.mark.parametrize("title", ["Done", "✅ Completed", "Erledigt"])
def test_bullets_below_done_are_done_but_an_open_box_is_not(title: str) -> None:
    assert texts(f"## {title}\n\n- roof\n- [ ] cellar\n\n## Next\n\n- attic\n") == [
        "cellar",
        "attic",
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "If nothing needs attention, reply HEARTBEAT_OK.",
        "If all is well, just answer `HEARTBEAT_OK`.",
        "Reply **HEARTBEAT_OK** when there is nothing to say.",
        "Otherwise: HEARTBEAT_OK.",
        "If there is nothing new, stay silent.",
        "Be brief.",
        "Do not repeat old tasks from earlier chats.",
        "Only message me if something is urgent.",
        "Don't ping me about the weather.",
        "This is your heartbeat checklist.",
        "Go through this list at every beat.",
        "Look at this list a few times a day.",
        "Check these items twice a day.",
        "Work through this checklist every morning.",
        "Keep this file small.",
        "Add tasks below when you want something checked.",
        "Wenn nichts ansteht, antworte HEARTBEAT_OK.",
        "Melde dich nur, wenn es wichtig ist.",
        "Dies ist deine Checkliste.",
        "Arbeite diese Punkte ab.",
        "Si no hay nada nuevo, responde HEARTBEAT_OK.",
        "S'il n'y a rien, réponds HEARTBEAT_OK.",
    ],
)
def test_what_is_said_to_the_agent_is_no_item(sentence: str) -> None:
    assert read(sentence, CHECKS).items == ()
    assert texts(f"- {sentence}\n- roof\n") == ["roof"]
    assert texts(f"{sentence} Is the roof leaking?\n") == ["Is the roof leaking?"]


@pytest.mark.parametrize(
    "sentence",
    [
        "If the build fails, tell me.",
        "If the disk is full, say so, otherwise reply HEARTBEAT_OK.",
        "Notify me when the parcel arrives.",
        "Report the balance every Friday.",
        "Keep the plants alive.",
        "Reply to Anna's letter.",
        "Check the list of open invoices.",
        "Read the meter.",
        "On every beat, look at the stove.",
        "Be sure that the door is locked.",
        "Is the phone silent between 8 and 9?",
        "Do not forget the milk.",
        "Send the report to Tom.",
    ],
)
def test_what_only_looks_like_it_is_an_item(sentence: str) -> None:
    assert texts(sentence) == [sentence]
    assert texts(f"- {sentence}\n") == [sentence]


def test_sections_about_replies_hold_no_items() -> None:
    text = """\
**Don't ping when:**
- Late night (11pm - 7am) unless urgent
- I am in a meeting

## When to reach out

- A letter from the bank came

## Response format

- One line per item

## Watch

Every morning:
- the stove
"""
    assert texts(text) == ["the stove"]
    assert read(text, ()).quiet == Hours(23 * 60, 7 * 60)


@pytest.mark.parametrize(
    ("sentence", "hours"),
    [
        ("Stay quiet between 23:00 and 08:00 unless it is urgent.", (23, 8)),
        ("Quiet hours: 22-7", (22, 7)),
        ("No notifications from 10pm to 6:00am, please.", (22, 6)),
        ("Do not disturb me between midnight and 7 am.", (0, 7)),
        ("Ruhezeit von 22 bis 6 Uhr.", (22, 6)),
        ("Bitte zwischen 13:00 und 15:00 nicht stören.", (13, 15)),
        ("Silencio entre las 23:00 y las 8:00.", (23, 8)),
        ("Ne me dérange pas entre 22h et 7h.", (22, 7)),
        ("Only message me between 09:00 and 21:00.", (21, 9)),
        ("Active hours: 8:00–23:00", (23, 8)),
    ],
)
def test_quiet_hours(sentence: str, hours: tuple[int, int]) -> None:
    for text in (sentence, f"- {sentence}", f"Look at the roof.\n{sentence}"):
        found = read(text, CHECKS)
        assert found.quiet == Hours(hours[0] * 60, hours[1] * 60)
        assert [item.text for item in found.items] == ["Look at the roof."] * ("roof" in text)
        assert found.quiet.contains(time_of_day(hours[0], 0))


def test_hours_below_their_heading() -> None:
    assert read("## Quiet hours\n\n- 23:00–08:00\n", ()).quiet == NIGHT


@pytest.mark.parametrize(
    ("sentence", "fault"),
    [
        ("Be quiet between 23:00 and 27:00.", "no such time"),
        ("Be quiet from 22:00 to 22:00.", "begins when it ends"),
        ("Be quiet from 10 to 7am.", "am or pm"),
        ("Be quiet from 22-7. Be quiet from 21-7.", "other quiet hours"),
    ],
)
def test_hours_that_are_not_understood_are_noted(sentence: str, fault: str) -> None:
    found = read(f"# Beat\n\n{sentence}\n", CHECKS)
    assert found.items == ()
    assert [note.startswith("HEARTBEAT.md:3: ") and fault in note for note in found.notes] == [True]


@pytest.mark.parametrize(
    "text",
    ["check: disk", "`check: disk`", "check: `disk`", "**Check:** Disk", "check: disk – the root",
     "check: disk (daily)", "check:disk.", "check: disk, please"],
)  # fmt: skip
def test_named_checks(text: str) -> None:
    for line in (f"- {text}\n", f"- [ ] {text}\n", f"1. {text}\n", f"{text}\n"):
        assert kinds(line) == [("check", "disk", 1)]
    assert kinds("- check: mail-queue\n") == [("check", "mail-queue", 1)]


def test_an_unknown_check_is_noted_and_no_item() -> None:
    found = read("- roof\n- check: dsik – all\n- check: printer\n- action: sleep\n", CHECKS)
    assert [item.text for item in found.items] == ["roof"]
    assert found.notes == (
        "HEARTBEAT.md:2: there is no check 'dsik'; did you mean 'disk'?",
        "HEARTBEAT.md:3: there is no check 'printer'; "
        "put its command under [heartbeat.checks.printer]",
        "HEARTBEAT.md:4: there is no action 'sleep'; there are reflect, hygiene, reconcile",
    )


def test_a_sentence_behind_check_is_a_question() -> None:
    assert kinds("- Check: is the roof tight?\n") == [
        ("question", "Check: is the roof tight?", 1),
    ]


def test_actions() -> None:
    assert kinds("- action: reflect\n- Action: `hygiene` – weekly\n") == [
        ("action", "reflect", 1),
        ("action", "hygiene", 2),
    ]


@pytest.mark.parametrize(
    "line",
    ["run: rm -rf /", "$ df -h", "`df -h`", "exec: true", "sudo reboot", "check: $(df)",
     "check: ../../bin/sh -c x", "tidy up the logs; rm -rf ~", "command: cat /etc/passwd"],
)  # fmt: skip
@pytest.mark.parametrize("heading", ["", "## Proactive work\n\n"])
def test_a_command_is_never_more_than_a_question(line: str, heading: str) -> None:
    for item in read(f"{heading}- {line}\n", CHECKS).items:
        assert (item.kind, item.name) == ("question", "")
    assert read(f"{heading}```sh\n{line}\n```\n", CHECKS).items == ()


@pytest.mark.parametrize(
    ("bullet", "kind", "name"),
    [
        ("Update MEMORY.md", "action", "reflect"),
        ("Summarize what is new into the bank pages", "action", "reflect"),
        ("Archive old daily notes", "action", "hygiene"),
        ("Remove duplicates", "action", "hygiene"),
        ("Rebuild the search index", "action", "reconcile"),
        ("Erinnerungen ordnen", "action", "reflect"),
        ("Räume die alten Logs auf", "action", "hygiene"),
        ("Organize memory files and push them to git", "agent", ""),
        ("Update the documentation", "agent", ""),
        ("Water the plants", "agent", ""),
        ("Is anything due tomorrow?", "question", ""),
        ("check: disk", "check", "disk"),
    ],
)
@pytest.mark.parametrize(
    "heading", ["Proactive work (no permission needed)", "Ohne Rückfrage", "Background work"]
)
def test_work_that_nobody_has_to_be_asked_about(
    heading: str, bullet: str, kind: str, name: str
) -> None:
    (item,) = read(f"# Beat\n\n## {heading}\n\n- {bullet}\n", CHECKS).items
    assert (item.kind, item.name, item.line) == (kind, name, 5)


def test_outside_of_such_a_section_it_is_a_question() -> None:
    assert kinds("- Tidy up the logs\n")[0][0] == "question"


def test_conflict_marks_stop_everything() -> None:
    found = read("- a\n<<<<<<< ours\n- b\n=======\n- c\n>>>>>>> theirs\n", CHECKS)
    assert found.items == ()
    assert found.notes[0].startswith("HEARTBEAT.md:2: git left conflict marks")


def test_too_many_items_are_cut_with_a_note() -> None:
    found = read("".join(f"- item {n}\n" for n in range(3000)), CHECKS)
    assert len(found.items) == MOST_ITEMS
    assert "2800 are left out" in found.notes[0]


def test_a_long_item_is_cut() -> None:
    (item,) = read(f"- {'word ' * 3000}\n", CHECKS).items
    assert len(item.text) == LONGEST


@pytest.mark.parametrize("shape", ["A\n", "`x` <!-- ", "quiet between ", "- check: x\n", "  - x\n"])
def test_long_hostile_texts_are_read_in_a_moment(shape: str) -> None:
    started = time.perf_counter()
    read(shape * (1_000_000 // len(shape)), CHECKS)
    assert time.perf_counter() - started < 15


LINES = st.one_of(
    st.sampled_from(
        ["- [ ] roof", "- [x] done", "- [ ]", "# Title", "```", "<!--", "-->", "", "---", "> quote",
         "- check: disk", "- check: nope", "  - nested", "    deep", "| a | b |", "|---|---|",
         "Stay quiet from 22 to 7.", "## Proactive work", "<<<<<<< a", "=======", ">>>>>>> b",
         "prose. More prose", "1. one", "\t- tab", "- $ ls", "HEARTBEAT_OK"]
    ),
    st.text(max_size=30),
)  # fmt: skip
DOCUMENTS = st.lists(LINES, max_size=14).map("\n".join)


@given(DOCUMENTS | st.text(max_size=200))
@settings(max_examples=150, deadline=None)
def test_any_text_is_read(text: str) -> None:
    found = read(text, CHECKS)
    assert isinstance(found, Checklist)
    assert bool(found.items) != bool(found.skipped)
    count = len(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    for item in found.items:
        assert item.text.strip()
        assert 1 <= item.line <= count
        assert (item.kind in ("check", "action")) == bool(item.name)
        assert item.kind != "check" or item.name in CHECKS


WORDS = st.lists(
    st.sampled_from(["roof", "cellar", "Wine", "garden", "älteste", "7", "car"]),
    min_size=1,
    max_size=4,
).map(lambda words: "see " + " ".join(words))


@given(st.lists(WORDS, unique_by=str.casefold, min_size=1, max_size=8), st.randoms())
@settings(max_examples=100, deadline=None)
def test_keys_stay_and_lines_are_right_whatever_the_order(said: list[str], random: object) -> None:
    first = {item.text: item.key for item in read("".join(f"- {t}\n" for t in said), ()).items}
    random.shuffle(said)  # type: ignore[attr-defined]
    text = "# Beat\n\n" + "\n\n".join(f"* [ ]  {each}" for each in said)
    again = read(text, ()).items
    assert {item.text: item.key for item in again} == first
    lines = text.split("\n")
    assert all(lines[item.line - 1].endswith(item.text) for item in again)


def test_a_key_is_that_of_what_is_meant() -> None:
    assert Item("question", "The  Roof?", 3).key == Item("question", "the roof?", 9).key
    assert Item("check", "check: disk", 1, "disk").key == Item("check", "x", 2, "disk").key
    assert Item("check", "disk", 1, "disk").key != Item("action", "disk", 1, "disk").key
