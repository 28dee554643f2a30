"""What a day was about: topics, what is told of them, and that it is the same each time."""

from datetime import date, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from hippod import facts
from hippod.facts import parse_bullet
from hippod.reflection import daily
from hippod.reflection.entities import Entities, Page, resolve
from hippod.reflection.known import KnownFact, known

DAY = date(2026, 3, 19)


def said(*bullets: str, day: date = DAY) -> list[KnownFact]:
    found = []
    for number, bullet in enumerate(bullets, start=1):
        fact = parse_bullet(f"- {bullet}")
        assert fact is not None, bullet
        found.append(known(day, fact, f"memory/{day}.md", number, number))
    return found


def about(known: list[KnownFact], *pages: Page) -> Entities:
    return resolve(known, pages)


BAKING = said(
    "B @Ines: Baked 2 loaves of rye bread. ^aaaa111111",
    "W @Ines: Her oven is from 1974. ^bbbb222222",
    "W @Oven: Heats to 280 degrees. ^cccc333333",
)


def test_a_topic_is_what_at_least_two_facts_of_the_day_are_about() -> None:
    (fact,) = daily.summaries(DAY, BAKING, about(BAKING))
    assert fact.kind == "S"
    assert fact.entities == ("Ines",)
    assert fact.content == (
        "Baked 2 loaves of rye bread. [[2026-03-19#^aaaa111111]]"
        " Her oven is from 1974. [[2026-03-19#^bbbb222222]]"
    )


def test_it_reads_back_as_the_fact_it_is_with_its_derived_source() -> None:
    (fact,) = daily.summaries(DAY, BAKING, about(BAKING))
    read = parse_bullet(facts.render(fact))
    assert read == fact
    assert known(DAY, fact, "memory/2026-03-19.md", 9, 9).is_derived


def test_facts_of_other_days_and_derived_ones_do_not_count() -> None:
    (derived,) = daily.summaries(DAY, BAKING, about(BAKING))
    others = said("W @Oven: Was mended. ^dddd444444", day=DAY - timedelta(days=1))
    again = [*BAKING, *others, known(DAY, derived, "memory/2026-03-19.md", 9, 9)]
    assert daily.summaries(DAY, again, about(again)) == [derived]


def test_names_of_one_entity_are_one_topic() -> None:
    facts_ = said("W @Rui: Laid cables in the kitchen.", "B @Rui-Matos: Changed 4 fuses.")
    page = Page("bank/entities/Rui-Matos.md", "Rui-Matos", ("Rui",))
    (fact,) = daily.summaries(DAY, facts_, about(facts_, page))
    assert fact.entities == ("Rui-Matos",)
    assert "[[2026-03-19]]" in fact.content  # a person wrote them: there is no block to link


def test_topics_of_which_the_same_is_told_share_a_summary() -> None:
    facts_ = said("W @Rui @Nora: Live in Braga. ^aaaa111111", "B @Nora @Rui: Wed. ^bbbb222222")
    (fact,) = daily.summaries(DAY, facts_, about(facts_))
    assert fact.entities == ("Nora", "Rui")
    assert fact.id in daily.ids(DAY, fact, about(facts_))
    assert len(daily.ids(DAY, fact, about(facts_))) == 2
    assert parse_bullet(facts.render(fact)) == fact


def test_it_is_told_when_all_that_it_cites_stands_in_derived_facts() -> None:
    hand = said("W @Rui: Laid cables.", "B @Rui: Changed 4 fuses.", "W @Rui: Is 30. ^aaaa111111")
    (fact,) = daily.summaries(DAY, hand, about(hand))
    standing = known(DAY, fact, f"memory/{DAY}.md", 9, 9)
    assert daily.is_told(fact, [standing])
    assert not daily.is_told(fact, [])
    more = [*hand, *said("W @Rui: Moved to Lyon with 3 cats and 2 dogs. ^bbbb222222")]
    (other,) = daily.summaries(DAY, more, about(more))
    assert not daily.is_told(other, [standing])
    reworded = parse_bullet(facts.render(fact).replace("Is 30.", "Is thirty."))
    assert reworded is not None
    assert daily.is_told(fact, [known(DAY, reworded, f"memory/{DAY}.md", 9, 9)])


def test_the_id_is_of_day_and_topic_alone() -> None:
    more = [*BAKING, *said("W @Ines: Won the bread prize of Porto in 2021. ^eeee555555")]
    (few,), (many,) = (daily.summaries(DAY, each, about(each)) for each in (BAKING, more))
    assert few.id == many.id
    assert few.content != many.content


def test_at_most_five_topics_those_with_most_facts() -> None:
    facts_ = said(
        *(f"W @T{n}: Thing {k} has {n} legs, {k} arms." for n in range(8) for k in range(2 + n))
    )
    topics = [fact.entities[0] for fact in daily.summaries(DAY, facts_, about(facts_))]
    assert topics == ["T7", "T6", "T5", "T4", "T3"]


def test_what_says_most_is_told_and_nothing_twice() -> None:
    facts_ = said(
        "W @Loft: Is nice. ^aaaa111111",
        "W @Loft: The budget is 42,000 euros. ^bbbb222222",
        "W @Loft: The budget is 42,000 euros now. ^cccc333333",
        "B @Loft @Rui: Laid 120 m of cable with @Ines. ^dddd444444",
        "W @Loft: The stairs are made of steel. ^eeee555555",
    )
    (fact,) = daily.summaries(DAY, facts_, about(facts_))
    assert [link for link in ("aaaa", "bbbb", "cccc", "dddd", "eeee") if link in fact.content] == [
        "cccc", "dddd", "eeee",
    ]  # fmt: skip


def test_what_has_links_of_its_own_or_is_too_long_is_not_told() -> None:
    facts_ = said(f"W @Loft: See [[Plan]]. {'x' * 10}", f"W @Loft: {'very ' * 100}long.")
    assert daily.summaries(DAY, facts_, about(facts_)) == []


words = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=250
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("WBO"), st.sampled_from(["Ada", "Bo", "Zoë-K"]), words),
        max_size=8,
    )
)
def test_any_facts_give_short_readable_summaries(drafts: list[tuple[str, str, str]]) -> None:
    facts_ = []
    for number, (kind, name, content) in enumerate(drafts, start=1):
        fact = parse_bullet(f"- {kind} @{name}: {content}")
        if fact is not None:
            facts_.append(known(DAY, fact, "memory/2026-03-19.md", number, number))
    found = daily.summaries(DAY, facts_, about(facts_))
    assert found == daily.summaries(DAY, facts_, about(facts_))
    assert len({fact.id for fact in found}) == len(found)
    for fact in found:
        assert len(fact.content) <= daily.LONGEST
        assert parse_bullet(facts.render(fact)) == fact
