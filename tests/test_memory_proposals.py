from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.errors import Conflict, InvalidInput
from hippod.reflection import ledger, memory, proposals, supersession
from hippod.reflection.known import KnownFact
from hippod.reflection.memory import Material, Proposed
from hippod.reflection.proposals import Proposal
from tests.opinion_facts import fact, judge, who

TODAY = date(2026, 3, 9)
MEMORY = "# Memory\n\n## Rowan\n- Rowan lives in Vienna.\n\n## Dana\n- Dana is a potter.\n"


def said(text: str, *days: str, kind: str = "W", **fields: object) -> list[KnownFact]:
    return [fact(day, text, kind, **fields) for day in days]  # type: ignore[arg-type]


def words(text: str) -> int:
    return len(text.split())


def propose(
    facts: Sequence[KnownFact] = (),
    text: str | None = MEMORY,
    page: str | None = None,
    *,
    marks: Mapping[str, str] | None = None,
    opinions: str | None = None,
    limit: int = 1000,
    statements: Sequence[str] = (),
    today: date = TODAY,
    made: Mapping[str, frozenset[str]] | None = None,
) -> Proposed:
    material = Material(text, opinions, facts, who(*facts), marks or {}, statements=statements)
    return memory.propose(
        material, page, count=words, limit_tokens=limit, today=today, made=made or {}
    )


def decided(page: str | None, status: proposals.Status) -> str:
    assert page is not None
    for each in proposals.parse(page):
        page = proposals.with_status(page, each.id, status, TODAY)
    return page


DAYS = ("2026-03-01", "2026-03-03", "2026-03-05")
HARBOUR = said("Keeps the spare key at the harbour", *DAYS)


# -- add -------------------------------------------------------------------------------------


def test_what_was_said_on_three_days_is_proposed_with_its_evidence() -> None:
    found = propose(HARBOUR)
    (new,) = found.new
    assert found.text == (
        "# Proposals\n\n"
        "## Add: Rowan: Keeps the spare key at the harbour\n"
        f"- id: {new.id}\n"
        "- action: add\n"
        "- status: open\n"
        "- day: 2026-03-09\n"
        "- file: MEMORY.md\n"
        "- section: Rowan\n"
        "- reason: said on 3 days, last on 2026-03-05\n"
        f"- evidence: {' '.join(each.link for each in HARBOUR)}\n\n"
        "```diff\n"
        "+- Rowan: Keeps the spare key at the harbour\n"
        "```\n"
    )
    assert proposals.parse(found.text) == (new,)


@pytest.mark.parametrize(
    "facts",
    [
        HARBOUR[:2],
        said("Keeps the spare key at the harbour", "2026-03-01", "2026-03-01", "2026-03-03"),
        said("Mended the boat of the harbour master", *DAYS, kind="B"),
        said("Rowan lives in Vienna", *DAYS),
        said("On leave from 2026-03-01 to 2026-03-07 in the harbour", *DAYS),
    ],
)
def test_what_is_not_lasting_or_stands_there_already_is_not_proposed(
    facts: list[KnownFact],
) -> None:
    assert propose(facts) == Proposed(None, ())


def test_what_other_documents_state_is_not_proposed() -> None:
    stated = ["Rowan keeps the spare key at the harbour."]
    assert propose(HARBOUR, statements=stated).new == ()


def test_a_superseded_fact_is_not_proposed() -> None:
    marks = dict.fromkeys([each.id for each in HARBOUR], "k3f9ab27qt")
    assert propose(HARBOUR, marks=marks).new == ()


def held(c: float, *days: str) -> str:
    facts = said("Likes strong tea", *days, kind="O", c=c)
    text: str | None = None
    for each in facts:
        text = ledger.update(text, [each], who(*facts), judge, None, TODAY).text
    assert text is not None
    return text


def test_a_sure_opinion_is_proposed() -> None:
    (new,) = propose(opinions=held(0.9, *DAYS)).new
    assert new.added == ("- Rowan: Likes strong tea",)
    assert new.reason == "held with c=0.93 on evidence of 3 days"
    assert len(new.evidence) == 3


@pytest.mark.parametrize(
    "text",
    [
        held(0.7, *DAYS),
        held(0.9, *DAYS[:2]),
        held(0.9, *DAYS).replace("- updated", "- contested: true\n- updated"),
        held(0.9, *DAYS).replace("c: 0.93", "c: 0.99"),
        f"{held(0.9, *DAYS)}- pending: [[2026-03-06#^k3f9ab27qt]] -0.40\n",
        held(0.9, *DAYS).replace("# Opinions", "# Opinions\n<private>"),
    ],
)
def test_an_opinion_that_is_not_sure_sound_or_public_is_not_proposed(text: str) -> None:
    assert propose(opinions=text).new == ()


# -- replace ---------------------------------------------------------------------------------

VIENNA = fact("2026-01-05", "Lives in Vienna", "W")
BERLIN = fact("2026-03-01", "Lives in Berlin", "W")
MOVED = {VIENNA.id: BERLIN.id}


def test_a_line_that_says_what_was_superseded_is_to_be_replaced() -> None:
    (new,) = propose([VIENNA, BERLIN], marks=MOVED).new
    assert new.action == "replace"
    assert new.removed == ("- Rowan lives in Vienna.",)
    assert new.added == ("- Rowan: Lives in Berlin",)
    assert new.evidence == (BERLIN.link, VIENNA.link)
    assert "2026-03-01" in new.reason


def test_only_the_sentence_that_is_wrong_is_replaced() -> None:
    text = "# Memory\n\n- Rowan is tall. Rowan lives in Vienna. He sails.\n"
    (new,) = propose([VIENNA, BERLIN], text, marks=MOVED).new
    assert new.added == ("- Rowan is tall. Rowan: Lives in Berlin He sails.",)


TWICE = "# Memory\n\n- Rowan lives in Vienna.\n- Rowan is tall. Rowan lives in Vienna.\n"


@pytest.mark.parametrize("status", ["open", "accepted", "obsolete"])
def test_a_second_line_that_says_so_is_proposed_too(status: proposals.Status) -> None:
    found = propose([VIENNA, BERLIN], TWICE, marks=MOVED)
    assert [each.removed for each in found.new] == [
        ("- Rowan lives in Vienna.",), ("- Rowan is tall. Rowan lives in Vienna.",),
    ]  # fmt: skip
    assert found.text is not None
    first, second = found.new
    page = proposals.appended(None, [first])
    page = proposals.with_status(page, first.id, status, TODAY)
    text = proposals.applied(TWICE, first) if status == "accepted" else TWICE
    (left,) = propose([VIENNA, BERLIN], text, page, marks=MOVED).new
    assert left.removed == second.removed
    assert left.added[0].startswith("- Rowan is tall.")


def test_who_rejects_one_line_rejects_what_only_says_the_same() -> None:
    text = "# Memory\n\n- Rowan lives in Vienna.\n* Rowan lives in Vienna\n"
    first = propose([VIENNA, BERLIN], text, marks=MOVED).new[0]
    page = decided(proposals.appended(None, [first]), "rejected")
    assert propose([VIENNA, BERLIN], text, page, marks=MOVED).new == ()


def test_a_memory_without_headings_that_is_too_long_loses_lines() -> None:
    text = "Rowan lives in Vienna.\n\nRowan likes boats.\n"
    assert [each.action for each in propose((), text, limit=3).new] == ["move"]


def test_what_stands_there_already_is_not_said_twice() -> None:
    text = f"{MEMORY}- Rowan lives in Berlin.\n"
    (new,) = propose([VIENNA, BERLIN], text, marks=MOVED).new
    assert (new.removed, new.added) == (("- Rowan lives in Vienna.",), ())


def test_a_chain_of_supersessions_leads_to_what_stands() -> None:
    paris = fact("2026-03-04", "Lives in Paris", "W")
    marks = {**MOVED, BERLIN.id: paris.id}
    (new,) = propose([VIENNA, BERLIN, paris], marks=marks).new
    assert new.added == ("- Rowan: Lives in Paris",)
    circle = {VIENNA.id: BERLIN.id, BERLIN.id: VIENNA.id}
    assert len(propose([VIENNA, BERLIN], marks=circle).new) <= 1


DUE = [
    fact("2026-03-01", "The deadline is 4 May.", "W", about=("Visa",)),
    fact("2026-03-03", "The deadline was moved to 11 May.", "W", about=("Visa",)),
    fact("2026-03-05", "The deadline was moved again, it is now 18 May.", "W", about=("Visa",)),
]
DUE_LINE = "# Memory\n\n## Visa\n- Visa: The deadline is 4 May.\n"


def test_what_moved_twice_is_proposed_as_it_is_now_whatever_was_accepted() -> None:
    first = propose(DUE[:2], DUE_LINE, marks=supersession.find(DUE[:2]))
    (eleventh,) = first.new
    text, marks = proposals.applied(DUE_LINE, eleventh), supersession.find(DUE)
    (new,) = propose(DUE, text, decided(first.text, "accepted"), marks=marks).new
    assert new.removed == eleventh.added
    assert new.added == ("- Visa: The deadline was moved again, it is now 18 May.",)
    (at_once,) = propose(DUE, DUE_LINE, marks=marks).new
    assert at_once.added == new.added


@pytest.mark.parametrize("by_hand", [False, True])
def test_what_waits_and_is_outdated_makes_room_for_what_is_so(by_hand: bool) -> None:
    old = fact("2026-03-03", "The deadline was moved to 11 May.", "W", about=("Visa",),
               by_hand=by_hand)  # fmt: skip
    due = [DUE[0], old, DUE[2]]
    first = propose(due[:2], DUE_LINE, marks=supersession.find(due[:2]))
    same = propose(due[:2], DUE_LINE, first.text, marks=supersession.find(due[:2]))
    assert (same.text, same.new) == (first.text, ())
    found = propose(due, DUE_LINE, first.text, marks=supersession.find(due))
    (new,) = found.new
    assert new.added == ("- Visa: The deadline was moved again, it is now 18 May.",)
    waiting = [each.status for each in proposals.parse(found.text)]
    assert waiting == ["open" if by_hand else "obsolete", "open"]


def test_a_line_about_somebody_else_is_left() -> None:
    text = "# Memory\n\n## Dana\n- Lives in Vienna.\n"
    dana = fact("2026-03-01", "Is a potter", "W", about=("Dana",))
    assert propose([VIENNA, BERLIN, dana], text, marks=MOVED).new == ()


@pytest.mark.parametrize(
    "text",
    [
        "# Memory\n\n<private>\n- Rowan lives in Vienna.\n</private>\n",
        "# Memory\n\n```\n- Rowan lives in Vienna.\n```\n",
        "# Memory\n\n<!-- Rowan lives in Vienna. -->\n",
    ],
)
def test_what_is_private_or_code_is_not_looked_at(text: str) -> None:
    assert propose([VIENNA, BERLIN], text, marks=MOVED).new == ()


# -- move ------------------------------------------------------------------------------------

LONG = (
    "# Memory\n\nWhat matters.\n\n"
    "## Boat\n- Bought on 2024-05-01, sold on 2025-02-01.\n- It was green.\n\n"
    "### Engine\n- It smoked.\n\n"
    "## Rowan\n- Rowan keeps bees and sells honey at the market.\n\n"
    "## House\n- The roof is from 2025-12-01.\n"
)


def test_the_section_that_was_not_spoken_of_for_longest_goes_first() -> None:
    assert propose(text=LONG, limit=words(LONG)).new == ()
    (new,) = propose([BERLIN], LONG, limit=words(LONG) - 1).new
    assert new.action == "move"
    assert new.to == "bank/memory-archive.md"
    assert new.removed == new.added
    assert new.removed[0] == "## Boat"
    assert new.removed[-1] == "- It smoked."
    total, own = words(LONG), words("\n".join(new.removed))
    assert (
        f"{total} tokens of {total - 1}, this is {own}; last spoken of on 2025-02-01" in new.reason
    )


def test_no_more_is_moved_than_needed_and_what_waits_counts() -> None:
    first = propose([BERLIN], LONG, limit=words(LONG) - 25)
    assert [each.removed[0] for each in first.new] == ["## Boat", "## House"]
    assert propose([BERLIN], LONG, first.text, limit=words(LONG) - 25).new == ()
    rejected = decided(first.text, "rejected")
    again = propose([BERLIN], LONG, rejected, limit=words(LONG) - 25)
    assert [each.removed[0] for each in again.new] == ["## Rowan"]


def test_a_memory_without_sections_is_shortened_by_lines() -> None:
    text = "# Memory\n- Old from 2020-01-01 on.\n- New from 2026-01-01 on.\n"
    (new,) = propose(text=text, limit=words(text) - 1).new
    assert new.removed == ("- Old from 2020-01-01 on.",)


def test_private_sections_are_not_moved() -> None:
    text = LONG.replace("- It was green.", "- <private>green</private>")
    first = propose([BERLIN], text, limit=words(text) - 1).new[0]
    assert first.removed[0] == "## House"


def test_what_was_moved_out_is_not_proposed_again() -> None:
    facts = said("The boat was green and had a tall mast", *DAYS, about=())
    spoken = LONG.replace("It was green", facts[0].fact.content)
    moved = propose([BERLIN], spoken, limit=words(spoken) - 1)
    page = decided(moved.text, "accepted")
    assert propose(facts, MEMORY, page).new == ()
    assert propose(facts, MEMORY).new != ()


# -- what was proposed before ----------------------------------------------------------------


@pytest.mark.parametrize("status", ["open", "accepted", "rejected"])
def test_nothing_is_proposed_twice_whatever_became_of_it(status: proposals.Status) -> None:
    page = decided(propose(HARBOUR).text, status)
    assert propose(HARBOUR, page=page) == Proposed(page, ())
    more = [*HARBOUR, *said("Keeps the spare key at the harbour", "2026-03-07")]
    assert propose(more, page=page).new == ()


@pytest.mark.parametrize(
    "text",
    [
        "Keeps the spare key at the old harbour",
        "Always keeps a spare key down at the harbour",
        "The spare key is kept at the harbour",
    ],
)
def test_a_rejected_proposal_does_not_come_back_reworded(text: str) -> None:
    page = decided(propose(HARBOUR).text, "rejected")
    facts = said(text, "2026-03-06", "2026-03-07", "2026-03-08")
    assert propose(facts).new != ()
    assert propose(facts, page=page).new == ()


def test_another_matter_comes_after_a_rejection() -> None:
    page = decided(propose(HARBOUR).text, "rejected")
    facts = said("Pays 12 euros a month for the mooring", *DAYS)
    assert len(propose(facts, page=page).new) == 1


def test_at_most_five_wait_at_a_time() -> None:
    things = ["harbour key", "violin lessons", "walnut table", "garden fence", "night train",
              "solar panels", "green tea"]  # fmt: skip
    facts = [each for n, thing in enumerate(things)
             for each in said(f"Spoke for long about {thing} number {n}", *DAYS)]  # fmt: skip
    first = propose(facts)
    assert len(first.new) == 5
    assert propose(facts, page=first.text).new == ()
    rest = propose(facts, page=decided(first.text, "rejected"))
    assert len(rest.new) == 2


def test_prose_of_people_stays_on_the_page() -> None:
    page = "\ufeff# Proposals\r\n\r\nMy notes.\r\n\r\n## Later\r\n- id: none\r\n"
    found = propose(HARBOUR, page=page)
    assert found.text is not None
    assert found.text.startswith(page)
    assert "\n" not in found.text.replace("\r\n", "")
    assert len(proposals.parse(found.text)) == 1


@pytest.mark.parametrize("where", ["page", "text"])
def test_conflict_marks_stop_everything(where: str) -> None:
    marked = "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"
    texts = {"page": None, "text": MEMORY, where: marked}
    found = propose(HARBOUR, texts["text"], texts["page"])
    assert found.new == ()
    assert "conflict marks" in found.problems[0]


def test_nothing_is_added_where_nobody_would_read_it() -> None:
    found = propose(HARBOUR, page="# Proposals\n\n```\nopen\n")
    assert (found.text, found.new) == ("# Proposals\n\n```\nopen\n", ())
    assert "open code block" in found.problems[0]


# -- applying --------------------------------------------------------------------------------

ADD = Proposal(
    "7k2m9qx4mt", "add", "Add: x", "open", TODAY, "", (), "MEMORY.md", "", "", (), ("- New.",)
)
SWAP = replace(ADD, action="replace", removed=("- Old.",))
lines = st.text(st.sampled_from("ab -`#~+"), max_size=8)


@settings(max_examples=200, deadline=None)
@given(st.lists(lines, max_size=6), st.lists(lines, max_size=6), st.sampled_from(["\n", "\r\n"]))
def test_a_proposal_reads_back_as_it_was_written(
    removed: list[str], added: list[str], end: str
) -> None:
    made = replace(SWAP, removed=tuple(removed), added=tuple(added))
    page = proposals.appended("# Mine\n".replace("\n", end), [made])
    (read,) = proposals.parse(page)
    assert (read.removed, read.added) == (made.removed, made.added)


@pytest.mark.parametrize(
    ("before", "section", "after"),
    [
        (None, "", "# Memory\n- New.\n"),
        ("", "", "# Memory\n- New.\n"),
        ("# M\n- a", "", "# M\n- a\n- New.\n"),
        ("# M\r\n- a\r\n\r\n", "", "# M\r\n- a\r\n- New.\r\n\r\n"),
        ("## A\n- a\n\n## B\n- b\n", "A", "## A\n- a\n- New.\n\n## B\n- b\n"),
        ("## A\n- a\n", "Gone", "## A\n- a\n- New.\n"),
        ("## A\n- New.\n", "", "## A\n- New.\n"),
    ],
)
def test_added_lines_go_to_the_end_of_their_section(
    before: str | None, section: str, after: str
) -> None:
    assert proposals.applied(before, replace(ADD, section=section)) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# M\n- Old.\n- b\n", "# M\n- New.\n- b\n"),
        ("\ufeff- Old.  \r\n- b\r\n", "\ufeff- New.\r\n- b\r\n"),
        ("# M\n- Old.", "# M\n- New.\n"),
        ("# M\n- New.\n", "# M\n- New.\n"),
    ],
)
def test_replaced_lines_stand_where_the_old_ones_stood(before: str, after: str) -> None:
    assert proposals.applied(before, SWAP) == after


@pytest.mark.parametrize("text", ["# M\n- Else.\n", "- Old.\n- Old.\n", "", None])
def test_lines_that_do_not_stand_there_once_are_a_conflict(text: str | None) -> None:
    with pytest.raises(Conflict):
        proposals.applied(text, SWAP)


def test_a_proposal_without_lines_cannot_be_applied() -> None:
    with pytest.raises(InvalidInput, match="diff is empty"):
        proposals.applied(MEMORY, replace(ADD, added=()))


def test_moved_lines_are_taken_out_and_put_elsewhere_once() -> None:
    move = replace(ADD, action="move", removed=("## A", "- a"), added=("## A", "- a"))
    assert proposals.applied("# M\n## A\n- a\n## B\n", move) == "# M\n## B\n"
    archive = proposals.moved(None, move)
    assert archive == "# Memory archive\n\n## A\n- a\n"
    assert proposals.moved(archive, move) == archive


@pytest.mark.parametrize(
    ("after", "share"), [("a\nb\nc\nd\n", 0), ("a\n\nb\nc\n", 0.25), ("x\n", 1), ("", 1)]
)
def test_what_is_lost_is_counted_in_lines_with_text(after: str, share: float) -> None:
    assert proposals.lost_share("a\nb\n\nc\nd\n", after) == share


# -- deleted and overtaken -------------------------------------------------------------------


def test_a_deleted_proposal_does_not_come_back() -> None:
    (new,) = propose(HARBOUR).new
    made = {new.id: new.cited}
    assert propose(HARBOUR, page="# Proposals\n", made=made).new == ()
    reworded = said("Keeps a spare key for the harbour shed", "2026-03-07")
    again = propose([*HARBOUR, *reworded], page=None, made=made)
    assert not any(each.cited & new.cited for each in again.new)
    assert propose(HARBOUR, page="# Proposals\n").new == (new,)  # the state was lost


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (MEMORY, "open"),
        (MEMORY + "- Rowan keeps the spare key at the harbour.\n", "obsolete"),
        (None, "open"),
    ],
)
def test_what_memory_states_by_now_need_not_be_decided(text: str | None, status: str) -> None:
    page = propose(HARBOUR).text
    after = propose(HARBOUR, text, page).text
    assert [each.status for each in proposals.parse(after)] == [status]


def test_lines_that_are_gone_make_a_proposal_obsolete() -> None:
    one, other = said("Lives in Vienna", "2026-01-02"), said("Lives in Graz", "2026-03-02")
    marks = {one[0].id: other[0].id}
    moved = MEMORY.replace("Vienna", "Linz")
    page = propose([*one, *other], marks=marks).text or ""
    assert [each.action for each in proposals.parse(page)] == ["replace"]
    after = propose([*one, *other], moved, page, marks=marks).text
    assert after == page.replace("status: open", "status: obsolete 2026-03-09")
    assert propose([*one, *other], moved, after, marks=marks) == Proposed(after, ())


def test_overtaken_proposals_take_no_place() -> None:
    sections = [f"## Theme {n}\n- Tea of sort {n} is kept in tin {n}\n\n" for n in range(9)]
    page = propose((), "# Memory\n\n" + "".join(sections), limit=1).text
    assert [each.status for each in proposals.parse(page)] == ["open"] * memory.MOST_OPEN
    after = propose((), "# Memory\n\n" + "".join(sections[3:]), page, limit=1)
    statuses = [each.status for each in proposals.parse(after.text)]
    assert statuses.count("obsolete") == 3
    assert statuses.count("open") == memory.MOST_OPEN
