import re
from datetime import date

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hippod import facts
from hippod.errors import InvalidInput
from hippod.facts import Fact, Source

quick = settings(max_examples=200, deadline=None)
any_text = st.text(st.characters(), max_size=60)
tail_text = st.one_of(any_text, st.sampled_from(["x ^abcd", "(a/b#c)", "x (09:30 a/b#c)", "a: b"]))
part = st.text(st.characters(), min_size=1, max_size=12)
sources = st.builds(
    Source, part, part, part, st.one_of(st.none(), st.sampled_from(["00:00", "09:05", "23:59"]))
)
ids = st.text(facts.ID_ALPHABET, min_size=4, max_size=52)
any_fact = st.builds(
    Fact,
    st.sampled_from(["W", "B", "O", "S"]),
    tail_text,
    st.lists(any_text, max_size=3).map(tuple),
    st.one_of(st.none(), st.floats(0, 1)),
    st.one_of(st.none(), sources),
    st.one_of(st.none(), ids),
)


def test_a_bullet_with_every_part() -> None:
    line = (
        "- O(c=0.95) @Iris @Dana-Whitfield: Wants: short mails. (14:23 chat/3f2a#m131) ^9qx4mt83ze"
    )
    assert facts.parse_bullet(line) == Fact(
        kind="O",
        content="Wants: short mails.",
        entities=("Iris", "Dana-Whitfield"),
        confidence=0.95,
        source=Source("chat", "3f2a", "m131", "14:23"),
        id="9qx4mt83ze",
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- W: rain", Fact("W", "rain")),
        ("* B @Node.js: built", Fact("B", "built", ("Node.js",))),
        ("+ S @ज़ोया @李雷: met", Fact("S", "met", ("ज़ोया", "李雷"))),
        ("  - W: nested", Fact("W", "nested")),
        ("- W:tight", Fact("W", "tight")),
        ("- W(c=1): sure", Fact("W", "sure", confidence=1.0)),
        ("- O(c=.5): maybe", Fact("O", "maybe", confidence=0.5)),
        ("- W: one\n  two\r\n  three", Fact("W", "one two three")),
        ("- W: a\u2028b\x85c\fd\ve", Fact("W", "a b c d e")),
        ("- W: ring\x07 tone\x00", Fact("W", "ring tone")),
        ("- W: x (a/b#L12-L14)", Fact("W", "x", source=Source("a", "b", "L12-L14"))),
        ("- W: x (a/dir/b#1)", Fact("W", "x", source=Source("a", "dir/b", "1"))),
        ("- W: x (see note)", Fact("W", "x (see note)")),
        ("- W: x (24:00 a/b#c)", Fact("W", "x (24:00 a/b#c)")),
        ("- W: x ^note", Fact("W", "x ^note")),  # o is no character of an id
        ("- W: x ^abc", Fact("W", "x ^abc")),
        ("- W: x^abcd", Fact("W", "x^abcd")),
        ("- W: ^abcd", Fact("W", "^abcd")),
        ("- W: (a/b#c) ^abcd", Fact("W", "(a/b#c)", id="abcd")),
        ("- W: x ^abcd (a/b#c)", Fact("W", "x ^abcd", source=Source("a", "b", "c"))),
    ],
)
def test_what_the_grammar_accepts(line: str, expected: Fact) -> None:
    assert facts.parse_bullet(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "", "-", "- ", "- W", "- W:", "- W: ", "-W: x", "W: x", "1. W: x", "> - W: x",
        "- [/] half done", "- [>] moved", "- [00:01:11] Speaker: hi", "- [X] W: shipped",
        "- [link](http://x.test)", "- O(c=0.9) @Rowan likes tabs", "- W @Rowan moved",
        "- o(c=0.2): bad", "- w: low", "- O(c=nan): bad", "- O(c=inf): bad", "- O(c=2): bad",
        "- O(c=-0.1): bad", "- O(c=1.0001): bad", "- O(c=1e-1): bad", "- O (c=1): gap",
        "- X: kind", "- WB: kind", "- W Rowan: no at", "- W @: empty", "- W @a,@b: comma",
        "- W @a@b: two", "- W @--: no letter", "- W @a\uff1a wide colon",
    ],
)  # fmt: skip
def test_what_is_ordinary_markdown(line: str) -> None:
    assert facts.parse_bullet(line) is None


@quick
@given(st.one_of(any_text, any_text.map("- W".__add__), any_text.map("- O(c=".__add__)))
def test_any_text_is_safe(text: str) -> None:
    fact = facts.parse_bullet(text)
    assert fact is None or (fact.content and facts.canonical(fact).content)
    facts.mentions(text)
    facts.validity(text, date(2026, 3, 3))


@quick
@given(any_fact)
@example(Fact("W", "ends like a source (a/b#c)"))
@example(Fact("W", "ends like an id ^abcd"))
@example(Fact("W", "both ^abcd (a/b#c)", id="wxyz"))
@example(Fact("B", "x", source=Source("a/b%2F", "c d(e)", "#%", "09:30"), confidence=0.00004))
def test_what_is_rendered_is_read_back(fact: Fact) -> None:
    try:
        line = facts.render(fact)
    except InvalidInput:
        assert not fact.content.strip() or not facts.writable(fact.content).strip()
        return
    assert re.search(r"[\n\r\v\f\x00\x85\u2028\u2029\ud800-\udfff]", line) is None
    back = facts.parse_bullet(line)
    assert back == facts.canonical(fact)
    assert facts.render(back) == line
    if back.source and fact.source:
        assert (back.source.name, back.source.time) == (
            re.sub("[\ud800-\udfff]", "\ufffd", fact.source.name),
            fact.source.time,
        )


@pytest.mark.parametrize(
    "fact",
    [
        Fact("W", " \n "),
        Fact("O", "x", confidence=float("nan")),
        Fact("O", "x", confidence=1.5),
        Fact("W", "x", source=Source("", "b", "c")),
        Fact("W", "x", source=Source("a", "b", "c", "9:30")),
        Fact("W", "x", id="OLIU"),
    ],
)
def test_what_cannot_be_rendered_is_refused(fact: Fact) -> None:
    with pytest.raises(InvalidInput) as caught:
        facts.render(fact)
    assert caught.value.hint


def test_an_id_depends_on_the_sentence_and_not_on_its_typography() -> None:
    first = facts.fact_id("chat", "s1", "m1", "I live in  Oslo.")
    assert re.fullmatch(f"[{facts.ID_ALPHABET}]{{10}}", first)
    assert facts.fact_id("chat", "s1", "m1", "i LIVE in\nOslo. ") == first
    others = {
        facts.fact_id("chat", "s1", "m1", "I live in Bergen."),
        facts.fact_id("chat", "s1", "m2", "I live in Oslo."),
        facts.fact_id("chat", "s2", "m1", "I live in Oslo."),
        facts.fact_id("mail", "s1", "m1", "I live in Oslo."),
        facts.fact_id("chats", "1", "m1", "I live in Oslo."),
    }
    assert len(others | {first}) == 6
    longest = facts.fact_id("chat", "s1", "m1", "I live in Oslo.", 52)
    assert len(longest) == 52
    assert longest.startswith(first)


def test_a_fact_id_never_changes() -> None:
    """Ids stand in people's files: this value is a promise."""
    assert facts.fact_id("chat", "s1", "m1", "I live in Oslo.") == "32fx6a2s3v"
    assert facts.content_id(date(2026, 3, 3), "I live in Oslo.") == "27gfadaw1c"


def test_a_content_id_depends_on_day_and_content() -> None:
    day = date(2026, 3, 3)
    assert facts.content_id(day, "Likes  tea") == facts.content_id(day, "likes tea ")
    assert facts.content_id(day, "Likes tea") != facts.content_id(date(2026, 3, 4), "Likes tea")
    assert facts.content_id(None, "Likes tea") != facts.content_id(day, "Likes tea")


@quick
@given(any_text)
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert facts.normalise(facts.normalise(text)) == facts.normalise(text)


def test_normalise_joins_what_people_read_as_the_same() -> None:
    assert facts.normalise("Cafe\u0301  STRASSE\u2028x") == facts.normalise("CAF\u00c9 straße x")


@pytest.mark.parametrize(
    ("text", "entity", "shown"),
    [
        ("Dana Whitfield", "Dana-Whitfield", "Dana Whitfield"),
        ("  Zoe\u0308  ", "Zoë", "Zoë"),
        ("Node.js", "Node.js", "Node.js"),
        ("O'Neil & Sons", "ONeil-Sons", "ONeil Sons"),
        ("@ada.", "ada", "ada"),
        ("小林 さん", "小林-さん", "小林 さん"),
        ("!?", "", ""),
    ],
)
def test_names_and_entities(text: str, entity: str, shown: str) -> None:
    assert facts.entity_name(text) == entity
    assert facts.display_name(entity) == shown


@quick
@given(any_text)
def test_every_entity_name_fits_the_grammar(text: str) -> None:
    if entity := facts.entity_name(text):
        assert facts.parse_bullet(f"- W @{entity}: x") == Fact("W", "x", (entity,))


def test_mentions_are_names_and_not_addresses_or_times() -> None:
    text = "Asked @Iris, @Node.js. and (@iris-k) via me@mail.test at @10:00, again @Iris; a/@b @!"
    assert facts.mentions(text) == ("Iris", "Node.js", "iris-k")


DAY = date(2026, 3, 3)


@pytest.mark.parametrize(
    ("content", "start", "end"),
    [
        ("In Rome (2025-11-27 to 2025-12-01) for work", "2025-11-27", "2025-12-01"),
        ("Leave 2025-11-27 – 2025-12-01", "2025-11-27", "2025-12-01"),
        ("Leave 2025-11-27/2025-12-01.", "2025-11-27", "2025-12-01"),
        ("away from 2026-05 until 2026-06", "2026-05-01", "2026-06-30"),
        ("from Monday (2026-03-02) to Friday (2026-03-06)", "2026-03-02", "2026-03-06"),
        ("Lives in Oslo since 2026-02", "2026-02-01", None),
        ("since last Monday (2026-03-02) on call", "2026-03-02", None),
        ("from 2026-07-01 the office is in Bonn", "2026-07-01", None),
        ("Rents until 2026-02", None, "2026-02-28"),
        ("free until the end of December (2026-12-31)", None, "2026-12-31"),
        ("Until 9999-12", None, "9999-12-31"),
        ("From now on, write in German", "2026-03-03", None),
        ("Signed the lease on 2026-03-02", None, None),
        ("moved from Rome to Oslo (2026-03-02)", None, None),
        ("until 2026-02-30", None, None),
        ("2026-05-01 to 2026-04-01", None, None),
        ("since 2026-13", None, None),
        ("1500 to 2000 characters, ADR-2026-031", None, None),
        ("since 2026-03-01-rc1 and 2026-03-011", None, None),
        ("from March 2024 until June 2025 she ran it", "2024-03-01", "2025-06-30"),
        ("In Graz 27 Nov to 1 Dec 2025", "2025-11-27", "2025-12-01"),
        ("Leave: November 27 – December 1, 2025", "2025-11-27", "2025-12-01"),
        ("Away November to March 2026", "2025-11-01", "2026-03-31"),
        ("Worked there 2019-03 to now", "2019-03-01", None),
        ("On call since May 3rd, 2024", "2024-05-03", None),
        ("since last Monday (2 March 2026) on call", "2026-03-02", None),
        ("Lives in Vienna since 2023.", "2023-01-01", None),
        ("since 2019 and still does", "2019-01-01", None),
        ("Wohnt seit 2023 in Berlin", "2023-01-01", None),
        ("Vive en Madrid desde 2025-03", "2025-03-01", None),
        ("from March 2024 on", "2024-03-01", None),
        ("from 2024 onwards", "2024-01-01", None),
        ("Rents the flat until 2025", None, "2025-12-31"),
        ("valid until the end of March 2026", None, "2026-03-31"),
        ("Mayor (2019–2021)", "2019-01-01", "2021-12-31"),
        ("Studied law (Graz, 2019 - 2021).", "2019-01-01", "2021-12-31"),
        ("Chairs the board (2019–present)", "2019-01-01", None),
        ("Mayor from 2019 to 2021", "2019-01-01", "2021-12-31"),
        ("from 1990 to 2010 words", None, None),
        ("up to 2000, not more", None, None),
        ("since 2000 users complained", None, None),
        ("since 2023.5 and 2023-2024", None, None),
        ("A letter from March 2024", None, None),
        ("Port 2019-2021, 2019 to 2021", None, None),
        ("until Feb 31, 2025", None, None),
        ("since the move", None, None),
    ],
)
def test_the_interval_that_a_fact_holds(content: str, start: str | None, end: str | None) -> None:
    found = facts.validity(content, DAY)
    assert [day and day.isoformat() for day in found] == [start, end]


def test_from_now_on_needs_a_day() -> None:
    assert facts.validity("From now on, write in German") == (None, None)
