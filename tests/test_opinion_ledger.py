import random
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod import facts, markdown, pages
from hippod.reflection import ledger, ledger_text, verdicts
from hippod.reflection.entities import Page
from hippod.reflection.known import KnownFact
from hippod.reflection.ledger import LedgerUpdate
from hippod.reflection.verdicts import Verdict
from tests.bank_pages import OPINIONS
from tests.opinion_facts import fact, judge, who

TODAY = date(2026, 3, 9)
ROAST = fact("2026-03-01", "Likes dark roast", c=0.8)


def update(
    text: str | None,
    *heard: KnownFact,
    today: date = TODAY,
    near: ledger.Near | None = None,
    settled: date | None = None,
    judged: verdicts.Judge = judge,
    before: Sequence[KnownFact] = (),
) -> LedgerUpdate:
    people, known = who(*before, *heard), {each.id: each for each in before}
    return ledger.update(text, heard, people, judged, near, today, settled=settled, known=known)


def opinions(text: str | None) -> tuple[pages.Opinion, ...]:
    return pages.opinions(markdown.parse(text or ""))


def grown(*facts: KnownFact, one_by_one: bool = False) -> str:
    text: str | None = None
    for batch in [[each] for each in facts] if one_by_one else [list(facts)]:
        text = update(text, *batch).text
    assert text is not None
    return text


# -- founding --------------------------------------------------------------------------------


def test_an_opinion_is_founded_as_the_ledger_says_it() -> None:
    found = update(None, ROAST)
    (opinion,) = opinions(found.text)
    assert found.text == (
        "# Opinions\n\n"
        "## Rowan: Likes dark roast\n"
        f"- id: {opinion.id}\n"
        "- prior: 0.7661\n"
        "- c: 0.80\n"
        "- entities: @Rowan\n"
        "- updated: 2026-03-09\n"
        f"- supports: [[2026-03-01#^{ROAST.id}]] +0.20\n"
    )
    assert (found.opinions_touched, found.problems) == ((opinion.id,), ())
    assert found.judged == (ROAST.id,)
    assert len(opinion.id or "") == 10


@pytest.mark.parametrize(
    ("content", "about", "statement"),
    [
        ("Rowan likes tea", ("Rowan",), "Rowan likes tea"),
        ("rowan's favourite is tea", ("Rowan",), "rowan's favourite is tea"),
        ("Likes Rowanberry jam", ("Rowan",), "Rowan: Likes Rowanberry jam"),
        ("Likes tea", ("Dana-Whitfield",), "Dana Whitfield: Likes tea"),
        ("Tea is best", (), "Tea is best"),
        ("Uses <!-- in pages", (), "Uses &lt;!-- in pages"),
    ],
)
def test_the_statement_says_who_it_is_about(
    content: str, about: tuple[str, ...], statement: str
) -> None:
    (opinion,) = opinions(update(None, fact("2026-03-01", content, about=about)).text)
    assert opinion.statement == statement
    assert opinion.entities == about


def test_only_opinion_facts_found_opinions() -> None:
    others = [fact("2026-03-01", "Lives in Vienna", kind) for kind in ("W", "B", "S")]
    found = update(None, *others)
    assert (found.text, found.opinions_touched) == (None, ())
    assert len(found.judged) == 3


def test_the_same_input_gives_the_same_ledger_and_a_second_run_no_edit() -> None:
    facts = [fact(f"2026-03-0{day}", f"Likes thing {day}", about=("Rowan",)) for day in range(1, 8)]
    text = grown(*facts)
    shuffled = random.Random(7).sample(facts, len(facts))
    assert grown(*shuffled) == text
    assert update(text, *facts).opinions_touched == ()
    assert update(text, *facts).text == text
    assert update(text).text == text


def test_a_fact_that_a_person_wrote_is_quoted_and_found_again() -> None:
    by_hand = fact("2026-03-02", 'Likes "dark" roast', by_hand=True)
    text = grown(ROAST, by_hand)
    (opinion,) = opinions(text)
    assert '- supports: [[2026-03-02]] "Likes "dark" roast" +0.20' in text
    assert opinion.evidence[1].block == by_hand.id
    assert update(text, by_hand).text == text


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from('ab"“”[]#^|-+0.2 \u00a0\\`<!>*_~:'), min_size=1, max_size=30))
def test_whatever_a_person_wrote_is_cited_so_that_it_is_found_again(content: str) -> None:
    bullet = facts.parse_bullet(f"- O @Rowan: {content} roast")
    if bullet is None or bullet.id or bullet.source:
        return
    by_hand = fact("2026-03-02", bullet.content, by_hand=True)
    found = update(grown(ROAST), by_hand)
    (opinion,) = opinions(found.text)
    assert [each.block for each in opinion.evidence] == [ROAST.id, by_hand.id]
    assert update(found.text, by_hand).text == found.text


# -- evidence --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["O", "W", "B"])
def test_a_clear_verdict_is_evidence_whatever_the_kind(kind: str) -> None:
    against = fact("2026-03-02", "Drinks no dark roast", kind)  # type: ignore[arg-type]
    (opinion,) = opinions(grown(ROAST, against))
    assert [each.stance for each in opinion.evidence] == ["supports", "contradicts"]
    assert opinion.confidence == 0.73
    assert opinion.contested is False


def test_evidence_stands_in_the_order_of_days() -> None:
    text = grown(ROAST, fact("2026-03-05", "Loves roast"))
    text = update(text, fact("2026-03-03", "Enjoys roast")).text or ""
    (opinion,) = opinions(text)
    assert [str(each.day) for each in opinion.evidence] == [
        "2026-03-01",
        "2026-03-03",
        "2026-03-05",
    ]


@pytest.mark.parametrize(("kind", "lines"), [("O", 1), ("W", 0), ("B", 0)])
def test_what_is_undecided_is_noted_of_opinion_facts_only(kind: str, lines: int) -> None:
    open_ = fact("2026-03-02", "Perhaps likes dark roast", kind)  # type: ignore[arg-type]
    (opinion,) = opinions(grown(ROAST, open_))
    assert len(opinion.related) == lines
    assert opinion.confidence == 0.8
    assert len(opinion.evidence) == 1


def test_an_undecided_opinion_on_another_matter_founds_its_own() -> None:
    other = fact("2026-03-02", "Perhaps the best beans for a long winter come as light roast")
    first, second = opinions(grown(ROAST, other))
    assert [each.block for each in first.related] == [other.id]
    assert [each.block for each in second.evidence] == [other.id]


def test_a_doubtful_fact_proves_nothing() -> None:
    (opinion,) = opinions(grown(ROAST, fact("2026-03-02", "Enjoys dark roast", c=0.3)))
    assert (opinion.confidence, len(opinion.evidence), len(opinion.related)) == (0.8, 1, 1)


def test_two_weak_opinions_are_one_that_is_no_surer_than_the_arithmetic() -> None:
    text = grown(ROAST, fact("2026-03-02", "Enjoys dark roast", c=0.7))
    weak = grown(fact("2026-03-01", "Likes tea", c=0.6), fact("2026-03-02", "Enjoys tea", c=0.7))
    (opinion,) = opinions(weak)
    assert opinion.confidence == 0.65
    assert len(opinion.evidence) == 2
    assert len(opinions(text)) == 1


def test_a_fact_says_something_only_about_its_own_entity() -> None:
    other = fact("2026-03-02", "Drinks no dark roast", about=("Dana",))
    rowan, dana = opinions(grown(ROAST, other))
    assert (rowan.confidence, dana.statement) == (0.8, "Dana: Drinks no dark roast")


def test_an_alias_is_the_same_entity() -> None:
    page = Page("bank/entities/Rowan.md", "Rowan", ("Ro",))
    against = fact("2026-03-02", "Drinks no dark roast", about=("Ro",))
    people = who(ROAST, against, pages=(page,))
    found = ledger.update(None, [ROAST, against], people, judge, None, TODAY)
    assert len(opinions(found.text)) == 1


def test_the_best_of_several_opinions_wins() -> None:
    text = grown(fact("2026-03-01", "Likes a very dark roast"), fact("2026-03-01", "Tea is best"))

    def by_overlap(statement: str, said: str) -> Verdict:
        shared = set(statement.split()) & set(said.split())
        return Verdict("supports", "", len(shared) / 10) if shared else judge("a", "b")

    facts = [fact("2026-03-02", "Tea with a dark roast is best")]
    (tea,) = [each for each in opinions(update(text, *facts, judged=by_overlap).text)
              if len(each.evidence) > 1]  # fmt: skip
    assert tea.statement == "Rowan: Tea is best"


def test_vectors_find_opinions_that_share_no_word() -> None:
    text = grown(ROAST)
    asked: list[Sequence[str]] = []

    def near(said: str, ids: Sequence[str]) -> Mapping[str, float]:
        assert said == espresso.id
        asked.append(ids)
        return dict.fromkeys(ids, 0.8)

    def agrees(statement: str, said: str) -> Verdict:
        return Verdict("supports", "", 0.5)

    espresso = fact("2026-03-02", "Espresso every morning", "W")
    assert update(text, espresso, judged=agrees).text == text
    (opinion,) = opinions(update(text, espresso, near=near, judged=agrees).text)
    assert len(opinion.evidence) == 2
    assert asked == [[opinion.id, ROAST.id]]


# -- one matter, one opinion -----------------------------------------------------------------


def days(*said: str, about: tuple[str, ...] = ("Rowan",), first: int = 1) -> list[KnownFact]:
    """Return opinion facts of one day after the other."""
    return [fact(f"2026-03-{n:02}", text, about=about) for n, text in enumerate(said, first)]


def lived(
    *facts: KnownFact,
    text: str | None = None,
    seen: Sequence[KnownFact] = (),
    judged: verdicts.Judge = verdicts.judge,
) -> str:
    """Return the ledger after it took in facts day by day, by the real rules."""
    before = list(seen)
    for each in facts:
        text = update(text, each, judged=judged, before=before).text
        before.append(each)
    assert text is not None
    return text


SWEARS = "Swears by paper notebooks"
CLUTTER = "Paper notebooks bring nothing but clutter"


def of_clutter(statement: str, text: str) -> Verdict:
    """Judge that agree who both complain or both do not; otherwise it is undecided."""
    agree = ("clutter" in statement) == ("clutter" in text)
    return Verdict("supports" if agree else "related", "undecided", 1.0)


def cites(opinion: pages.Opinion) -> dict[str, list[str]]:
    """Return the ids that an opinion cites, by what they are to it."""
    found: dict[str, list[str]] = {}
    for each in (*opinion.evidence, *opinion.related):
        found.setdefault(each.stance, []).append(each.block)
    return found


@pytest.mark.parametrize(
    "said",
    [
        ("Loves paddling on the fjord", "Paddling on the fjord sends her to sleep"),
        ("The new saddle is comfortable", "The new saddle is a torture for her"),
        ("Mag Blasmusik", "Blasmusik ist zum Einschlafen"),
    ],
)
def test_an_undecided_opinion_on_the_same_matter_founds_none(said: tuple[str, str]) -> None:
    old, new = days(*said)
    (opinion,) = opinions(lived(old, new))
    assert cites(opinion) == {"supports": [old.id], "related": [new.id]}
    assert not opinion.contested


def test_what_vectors_find_near_joins_however_it_is_said() -> None:
    old, new = days(
        "Likes goat cheese", "Goat cheese goes with toast, wild berries, honey, figs and walnuts"
    )

    def near(of: str, ids: Sequence[str]) -> Mapping[str, float]:
        return dict.fromkeys(ids, 0.9)

    assert len(opinions(update(None, old, new, judged=verdicts.judge).text)) == 2
    assert len(opinions(update(None, old, new, judged=verdicts.judge, near=near).text)) == 1


def test_what_somebody_else_thinks_of_it_is_another_opinion() -> None:
    facts = days("Loves paddling", "Her brother hates paddling")
    mine, other = opinions(lived(*facts))
    assert (mine.confidence, other.statement) == (0.75, "Rowan: Her brother hates paddling")


@pytest.mark.parametrize(
    "said",
    [
        ("The village shop is dependable", "The village shop should open on Sundays"),
        ("Likes the brass band", "The hall of the brass band is cold"),
        ("The ferry is slow", "The ferry is reliable"),
    ],
)
def test_another_aspect_founds_its_own(said: tuple[str, str]) -> None:
    assert len(opinions(lived(*days(*said)))) == 2


def test_an_opinion_is_found_among_many_that_begin_alike() -> None:
    likes = ("chess", "tennis", "opera", "jazz", "cider", "rugby", "skiing", "sailing", "bowling")
    facts = days(*(f"Likes {each} a lot" for each in likes), "Does not like bowling")
    (bowling,) = [each for each in opinions(lived(*facts)) if "bowling" in each.statement]
    assert cites(bowling)["contradicts"] == [facts[-1].id]


def test_an_opinion_of_somebody_about_something_that_is_named_too() -> None:
    about = ("Rowan", "Redis")
    facts = days("Rowan loves Redis", "Rowan finds Redis a torment", about=about)
    assert len(opinions(lived(*facts))) == 1


def test_two_that_agree_but_are_undecided_found_one_beside_what_is_contested_then() -> None:
    facts = days(SWEARS, CLUTTER, f"{CLUTTER} on the desk", f"{CLUTTER} everywhere")
    text = lived(*facts, judged=of_clutter)
    old, new = opinions(text)
    assert cites(old) == {"supports": [facts[0].id], "related": [facts[1].id, facts[2].id]}
    assert cites(new) == {"supports": [each.id for each in facts[1:]]}
    assert (old.contested, new.contested) == (True, False)
    assert ledger.recompute(text) == (text, ())


def test_in_one_run_it_is_the_same() -> None:
    facts = days(SWEARS, CLUTTER, f"{CLUTTER} on the desk", f"{CLUTTER} everywhere")
    assert update(None, *facts, judged=of_clutter).text == lived(*facts, judged=of_clutter)


def test_two_of_one_day_found_nothing_beside_an_opinion() -> None:
    again = [fact("2026-03-02", f"{CLUTTER}{mark}") for mark in ("", "!")]
    (opinion,) = opinions(lived(*days(SWEARS), *again, judged=of_clutter))
    assert len(opinion.related) == 2


def test_what_two_founded_and_a_person_deleted_does_not_come_back() -> None:
    facts = days(SWEARS, CLUTTER, f"{CLUTTER} on the desk")
    text = lived(*facts, judged=of_clutter)
    cut = text[: text.index("## Rowan: Paper")]
    later = days(f"{CLUTTER} everywhere", first=4)
    assert len(opinions(lived(*later, text=cut, seen=facts, judged=of_clutter))) == 1


def test_what_is_contested_beside_another_is_so_while_that_is_fresh() -> None:
    facts = days(SWEARS, CLUTTER, f"{CLUTTER} on the desk")
    text = lived(*facts, judged=of_clutter)
    soon = days(f"{SWEARS} again", first=9)
    text = lived(*soon, text=text, seen=facts, judged=of_clutter)
    assert opinions(text)[0].contested
    later = fact("2026-05-20", f"{SWEARS} still")
    text = lived(later, text=text, seen=[*facts, *soon], judged=of_clutter)
    assert [each.contested for each in opinions(text)] == [False, False]


def test_a_change_of_mind_lowers_the_old_opinion_and_raises_the_new_one() -> None:
    old, new = (grown(each) for each in (ROAST, fact("2026-03-02", "Likes no dark roast")))
    both = old + new.removeprefix("# Opinions\n")
    against = fact("2026-03-03", "Drinks no dark roast")
    text = update(both, against).text or ""
    assert [each.confidence for each in opinions(text)] == [0.73, 0.79]
    assert update(text, against).text == text
    assert ledger.recompute(text) == (text, ())


def test_nothing_doubles_when_two_entities_become_one() -> None:
    page = Page("bank/entities/Rowan.md", "Rowan", ("Ro",))
    facts = [fact("2026-03-01", "Loves tea"), fact("2026-03-02", "Likes tea", about=("Ro",))]
    text = grown(*facts)
    assert len(opinions(text)) == 2
    later = fact("2026-03-03", "Hates tea")
    people = who(*facts, later, pages=(page,))
    found = ledger.update(text, [*facts, later], people, verdicts.judge, None, TODAY)
    one, other = opinions(found.text)
    assert cites(one) == {"supports": [facts[0].id], "contradicts": [later.id]}
    assert cites(other) == {"supports": [facts[1].id], "contradicts": [later.id]}


def test_a_fact_counts_once_in_an_opinion_that_a_person_joined_from_two() -> None:
    text = grown(ROAST, fact("2026-03-02", "Loves roast"))
    line = next(each for each in text.splitlines() if "2026-03-02#" in each)
    joined = text.replace(line, f"{line}\n{line}")
    assert ledger.problems(joined) == ()
    later = update(joined, fact("2026-03-03", "Enjoys roast")).text or ""
    assert opinions(later)[0].confidence == 0.86
    assert later.count(line) == 2


CHANGES = [
    ("Enjoys the brass band", "Can't stand the brass band"),
    ("Believes in standing desks", "No longer believes in standing desks"),
    ("Mag Blasmusik", "Mag Blasmusik nicht"),
    ("Le gusta el ajedrez", "No le gusta el ajedrez"),
    ("Adore les échecs", "Déteste les échecs"),
    ("Le piace la ceramica", "Non le piace la ceramica"),
    ("Houdt van schaken", "Houdt niet van schaken"),
    ("瑠奈はバイクが好きだ", "瑠奈はバイクが嫌いだ"),
]


@pytest.mark.parametrize("said", CHANGES)
def test_to_and_fro_is_one_contested_opinion_by_the_real_rules(said: tuple[str, str]) -> None:
    facts = days(*said * 3)
    text, trail = None, []
    for each in facts:
        text = update(text, each, judged=verdicts.judge).text
        trail.append(opinions(text)[0].confidence or 0)
    (opinion,) = opinions(text)
    assert opinion.contested
    cited = (*opinion.evidence, *opinion.pending)
    assert {each.block for each in cited} == {each.id for each in facts}
    spent: dict[str, float] = {}
    for each in cited:
        spent[str(each.day)] = spent.get(str(each.day), 0.0) + abs(each.weight)
    assert max(spent.values()) <= 0.6
    assert all(abs(one - two) <= 0.15 for one, two in pairwise(trail))


# -- a change of mind ------------------------------------------------------------------------


TEA, COFFEE = "Likes dark roast", "Likes no dark roast"


def changed(*said: str, c: float = 0.8) -> list[KnownFact]:
    return [fact(f"2026-03-{day:02}", text, c=c) for day, text in enumerate(said, 1)]


@pytest.mark.parametrize("one_by_one", [False, True])
def test_what_took_the_place_of_an_opinion_becomes_one(one_by_one: bool) -> None:
    text = grown(*changed(TEA, *[COFFEE] * 6), one_by_one=one_by_one)
    old, new = opinions(text)
    assert (old.statement, new.statement) == (f"Rowan: {TEA}", f"Rowan: {COFFEE}")
    assert (old.confidence or 1) < 0.5 < 0.8 < (new.confidence or 0)
    assert [str(each.day) for each in new.evidence] == ["2026-03-05", "2026-03-06", "2026-03-07"]
    assert {each.weight for each in new.evidence} == {0.2}
    assert len(old.evidence) == 7
    assert ledger.recompute(text) == (text, ())


def test_while_an_opinion_is_held_what_speaks_against_it_founds_none() -> None:
    for count in range(1, 4):
        (opinion,) = opinions(grown(*changed(TEA, *[COFFEE] * count)))
        assert (opinion.confidence or 0) >= 0.5


def test_a_step_that_waits_founds_nothing_and_one_that_is_confirmed_does() -> None:
    weak = changed("Likes tea", "Likes no tea", "Drinks no tea", c=0.55)
    assert len(opinions(grown(*weak[:2]))) == 1
    old, new = opinions(grown(*weak))
    assert (old.confidence, new.statement) == (0.35, "Rowan: Drinks no tea")


def test_minds_that_change_to_and_fro_make_two_opinions_at_most() -> None:
    said = [TEA, *[COFFEE] * 5, *[TEA] * 6, *[COFFEE] * 6]
    heard = changed(*said)
    text = grown(*heard, one_by_one=True)
    assert text == grown(*heard)
    assert len(opinions(text)) == 2
    assert update(text, *heard).text == text


def test_what_is_undecided_on_its_own_matter_founds_nothing_beside_it() -> None:
    def says(statement: str, text: str) -> Verdict:
        verdict = judge(statement, text)
        is_other = verdict.stance == "supports" and "no" in text
        return Verdict("related", "undecided", 1.0) if is_other else verdict

    text = update(None, *changed(TEA, *[COFFEE] * 9), judged=says).text
    assert len(opinions(text)) == 2


@pytest.mark.parametrize("kind", ["W", "B"])
def test_what_is_no_opinion_founds_none_in_place_of_another(kind: facts.Letter) -> None:
    first, *others = changed(TEA, *[COFFEE] * 6)
    told = [fact(each.day.isoformat(), COFFEE, kind) for each in others]
    assert len(opinions(grown(first, *told))) == 1


def test_a_preference_that_turned_is_believed_the_other_way_round() -> None:
    tea = fact("2026-02-01", "Otto prefers tea over coffee.", c=0.8, about=("Otto",))
    coffee = [
        fact(f"2026-02-0{day}", "Otto prefers coffee over tea.", c=0.8, about=("Otto",))
        for day in range(2, 7)
    ]
    text = update(None, tea, *coffee, judged=verdicts.judge).text
    assert [(each.statement, (each.confidence or 0) > 0.5) for each in opinions(text)] == [
        ("Otto prefers tea over coffee.", False),
        ("Otto prefers coffee over tea.", True),
    ]


def test_what_supports_only_what_is_not_held_is_doubted() -> None:
    heard = changed(TEA, *[COFFEE] * 4)
    text = grown(*heard)
    assert ledger.doubted(text) == {heard[0].id}
    assert ledger.doubted(grown(*heard[:3])) == ledger.doubted(None) == frozenset()
    other = "\n## Rowan: Likes roasts\n- id: zzzz1111\n- c: 0.70\n- entities: @Rowan\n"
    shared = f"{text}{other}- supports: {heard[0].link} +0.20\n"
    assert ledger.doubted(shared) == frozenset()


# -- to and fro ------------------------------------------------------------------------------


@pytest.mark.parametrize("one_by_one", [False, True])
def test_opposite_statements_make_one_contested_opinion_in_small_steps(one_by_one: bool) -> None:
    says = ["Likes dark roast", "Likes no dark roast"]
    facts = [fact(f"2026-03-0{day}", says[(day + 1) % 2], c=0.75) for day in range(1, 7)]
    text: str | None = None
    trail = []
    for each in facts:
        text = update(text, each).text
        trail.append(opinions(text)[0].confidence or 0)
    (opinion,) = opinions(text)
    assert opinion.contested
    assert {each.block for each in (*opinion.evidence, *opinion.pending)} == {f.id for f in facts}
    assert all(abs(one - two) <= 0.11 for one, two in pairwise(trail))
    assert opinions(grown(*facts, one_by_one=one_by_one))[0].contested


def test_a_step_across_the_middle_waits_and_then_both_count() -> None:
    weak = fact("2026-03-01", "Likes tea", c=0.55)
    text = grown(weak, fact("2026-03-02", "Likes no tea"))
    (opinion,) = opinions(text)
    assert (opinion.confidence, [each.weight for each in opinion.pending]) == (0.55, [-0.4])
    assert opinion.contested
    text = update(text, fact("2026-03-04", "Drinks no tea")).text or ""
    opinion, _ = opinions(text)
    assert opinion.confidence == 0.35
    assert opinion.pending == ()
    assert [(str(each.day), each.weight) for each in opinion.evidence] == [
        ("2026-03-01", 0.2), ("2026-03-02", -0.4), ("2026-03-04", -0.4),
    ]  # fmt: skip
    assert "pending" not in text


def test_what_a_day_has_no_room_for_is_noted_and_weighs_nothing() -> None:
    same_day = [fact("2026-03-02", f"Really likes it {n} times, the roast") for n in range(5)]
    (opinion,) = opinions(grown(ROAST, *same_day))
    assert [each.weight for each in opinion.evidence] == [0.2, 0.2, 0.2, 0.2]
    assert len(opinion.related) == 2


def test_an_opinion_that_settles_is_not_contested_any_more() -> None:
    facts = [ROAST, fact("2026-03-02", "Likes no roast"), fact("2026-03-03", "Likes roast")]
    text = grown(*facts)
    assert opinions(text)[0].contested
    later = [fact(f"2026-05-0{day}", "Loves roast") for day in range(1, 4)]
    text = update(text, *later).text or ""
    assert not opinions(text)[0].contested
    assert "contested" not in text
    assert len(opinions(text)[0].evidence) == 6


says = st.sampled_from(
    ["Likes roast", "Likes no roast", "Perhaps likes roast", "Likes tea", "Likes no tea"]
)
stated = st.lists(
    st.tuples(st.integers(1, 9), says, st.sampled_from(["O", "W", "B"]), st.floats(0, 1)),
    max_size=25,
)


@settings(max_examples=100, deadline=None)
@given(stated)
def test_confidence_follows_from_the_markdown_alone(
    heard: list[tuple[int, str, str, float]],
) -> None:
    facts = [
        fact(f"2026-03-0{day}", f"{n}: {text}", kind, round(c, 2))  # type: ignore[arg-type]
        for n, (day, text, kind, c) in enumerate(heard)
    ]
    text: str | None = None
    for batch in (facts[::2], facts[1::2]):
        done = update(text, *batch)
        assert done.problems == ()
        text = done.text
    for opinion in opinions(text):
        assert opinion.confidence == ledger_text.computed(opinion)
        cited = [each.block for each in (*opinion.evidence, *opinion.pending, *opinion.related)]
        assert len(cited) == len(set(cited))
        days = [str(each.day) for each in opinion.evidence]
        assert days == sorted(days)
    if text is not None:
        assert ledger.recompute(text) == (text, ())
        assert ledger.problems(text) == ()


# -- what people wrote -----------------------------------------------------------------------

PROSE = "\n".join(
    [
        "---", "title:   mine", "---", "# What I think", "", "Some prose.", "",
        "## Peter likes walnut ", "* id:  7k2m9qx4mt", "*  prior: 0.80", "* c:   0.83",
        "* entities: @Peter", "* updated: 2026-01-01", "",
        "He told me.   ", "", "* supports: [[2025-11-27#^9qx4mt83ze]] +0.20", "* mine: yes", "",
        "## Tea", "Just a note: c is for cookie.", "",
        "### Deep", "- c: not", "- [ ] ask", "", "## Peter likes oak", "- c: 0.9", "", "end",
    ]
)  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_only_lines_of_the_ledger_change(end: str, mark: str) -> None:
    before = mark + PROSE.replace("\n", end)
    about = ("Peter",)
    found = update(
        before,
        fact("2026-03-02", "Loves walnut", about=about),
        fact("2026-03-02", "Loves oak", about=about),
        fact("2026-03-03", "Likes elm", about=about),
    )
    after = found.text or ""
    assert set(found.opinions_touched) > {"7k2m9qx4mt"}
    old, new = before.split(end), after.split(end)
    assert "\n" not in after.replace(end, "")
    assert new[:10] == old[:10]
    assert new[10:13] == ["* c:   0.86", "* entities: @Peter", "* updated: 2026-03-09"]
    assert new[13:17] == old[13:17]
    assert new[17].startswith("- supports: [[2026-03-02#^")
    assert new[18 : len(old) + 1] == old[17:]
    assert new[len(old) + 1] == ""
    added = [line for line in new[len(old) + 1 :] if line.startswith("##")]
    assert added == ["## Peter: Loves oak", "## Peter: Likes elm"]  # what has no id stays as it is


def test_an_opinion_edited_by_hand_is_left_alone_until_it_is_recomputed() -> None:
    edited = grown(ROAST).replace("- c: 0.80", "- c: 0.30")
    found = update(edited, fact("2026-03-02", "Likes no dark roast"))
    assert found.text == edited
    assert found.opinions_touched == ()
    (problem,) = found.problems
    assert problem.startswith("bank/opinions.md#L3: ^")
    assert "0.80" in problem
    text, changed = ledger.recompute(edited)
    assert text == grown(ROAST)
    assert [(each.before, each.after) for each in changed] == [(0.3, 0.8)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("- prior: 0.7661\n", ""),
        ("- c: 0.80\n", ""),
        ("+0.20", "+2.20"),
        ("+0.20", "a lot"),
    ],
)
def test_a_broken_ledger_is_reported_and_left(old: str, new: str) -> None:
    broken = grown(ROAST).replace(old, new)
    found = update(broken, fact("2026-03-02", "Likes no dark roast"))
    assert (found.text, len(found.problems)) == (broken, 1)


def test_without_a_prior_it_is_reported_only_while_something_is_kept_from_it() -> None:
    bare = grown(ROAST).replace("- prior: 0.7661\n", "")
    assert ledger.problems(bare) == ()
    assert update(bare, fact("2026-03-02", "Lives in Porto", "W")).problems == ()
    (problem,) = update(bare, fact("2026-03-02", "Likes no dark roast")).problems
    assert "lacks its prior" in problem


def test_an_opinion_that_stands_there_twice_is_left() -> None:
    text = grown(ROAST)
    doubled = text + "\n" + text.removeprefix("# Opinions\n\n")
    found = update(doubled, fact("2026-03-02", "Likes no dark roast"))
    assert found.text == doubled
    assert len(found.problems) == 2


def without(text: str, *known: KnownFact) -> tuple[str, ...]:
    """Return what is reported where the logs have these facts only."""
    return ledger.problems(text, ledger.Logs({each.id for each in known}))


@pytest.mark.parametrize(
    ("old", "new"),
    [("- c: 0.80", "- c: 0.30"), ("- prior: 0.7661\n", ""), ("## ", "## Twice\n- id: {id}\n\n## ")],
)
@pytest.mark.parametrize("kind", ["O", "W"])
def test_what_an_opinion_cannot_take_now_waits_until_it_is_mended(
    old: str, new: str, kind: facts.Letter
) -> None:
    good = grown(ROAST)
    id_ = opinions(good)[0].id
    heard = fact("2026-03-02", "Likes no dark roast", kind)
    broken = good.replace(old, new.format(id=id_), 1)
    found = update(broken, heard, fact("2026-03-03", "Likes tea"))
    assert "dark roast" not in (found.text or "").replace(broken, "")
    assert heard.id not in found.judged
    assert len(found.judged) == 1
    mended = update(good, heard)
    assert (mended.judged, heard.id in (mended.text or "")) == ((heard.id,), True)


def test_a_section_without_id_is_a_persons_and_nothing_is_lost_by_it() -> None:
    page = "# Opinions\n\n## Rowan likes tea\n- c: 0.9\n"
    plain, own = fact("2026-03-01", "Likes tea", "W"), fact("2026-03-02", "Likes tea")
    found = update(page, plain)
    assert (found.text, found.judged) == (page, (plain.id,))
    assert found.problems == (
        f"bank/opinions.md#L3: has no id, so {plain.link} is not noted there",
    )
    text = update(page, own).text or ""
    assert text.startswith(page)
    assert [each.statement for each in opinions(text)] == ["Rowan likes tea", "Rowan: Likes tea"]


BY_HAND = fact("2026-03-01", "Likes dark roast", by_hand=True)


@pytest.mark.parametrize("by_hand", [True, False])
def test_an_edited_bullet_is_quoted_as_it_is_now_and_counts_once(by_hand: bool) -> None:
    text = grown(BY_HAND)
    edited = fact("2026-03-01", "Likes dark roast \\1 a lot: roast", by_hand=by_hand)
    found = ledger.update(
        text, [edited], who(edited), judge, None, TODAY, logs=ledger.Logs({edited.id})
    )
    cited = f'{edited.link} "{edited.fact.content}"' if by_hand else edited.link
    old = '[[2026-03-01]] "Likes dark roast"'
    assert found.text == text.replace(old, cited)
    assert (found.judged, found.problems) == ((edited.id,), ())
    assert opinions(found.text)[0].evidence[0].block == edited.id


def test_a_bullet_beside_the_quoted_one_is_evidence_of_its_own() -> None:
    text, more = grown(BY_HAND), fact("2026-03-01", "Likes a dark roast", by_hand=True)
    logs = ledger.Logs({BY_HAND.id, more.id})
    found = ledger.update(text, [more], who(more), judge, None, TODAY, logs=logs)
    assert len(opinions(found.text)[0].evidence) == 2


def test_evidence_that_is_gone_is_reported_and_keeps_its_weight() -> None:
    text = grown(BY_HAND, fact("2026-03-02", "Likes no dark roast"))
    (problem,) = without(text)
    assert problem.startswith("bank/opinions.md#L10: ^")
    assert "[[2026-03-01]], [[2026-03-02#^" in problem
    assert f"hippod forget ^{opinions(text)[0].id}" in problem
    assert "roast" not in problem
    unread = ledger.Logs(set(), {date(2026, 3, 1), date(2026, 3, 2)})
    assert ledger.problems(text, unread) == ledger.problems(text) == ()
    found = ledger.update(text, [], who(), judge, None, TODAY, logs=ledger.Logs(set()))
    assert (found.text, found.problems) == (text, (problem,))


@pytest.mark.parametrize(
    "note", ["  - my note\n", "  - my note\ngoes on\n", "\t- a\n\t\t- b\n\n    more\n"]
)
@pytest.mark.parametrize("tail", ["", "\nProse.\n", "\n## Mine\n"])
def test_a_note_below_the_last_evidence_stays_below_it(note: str, tail: str) -> None:
    text = grown(ROAST)
    after = update(text + note + tail, fact("2026-03-02", "Likes a dark roast")).text or ""
    assert after.startswith(text.replace("0.80", "0.83") + note + "- supports: [[2026-03-02#^")
    assert after.endswith(f" +0.20\n{tail}")


def test_conflict_marks_stop_everything_and_nothing_counts_as_judged() -> None:
    text = f"<<<<<<< ours\n{OPINIONS}=======\n>>>>>>> theirs\n"
    found = update(text, ROAST)
    assert (found.text, found.judged) == (text, ())
    assert found.problems == ("bank/opinions.md: has git conflict marks",)
    assert ledger.problems(text) == found.problems


@pytest.mark.parametrize("tail", ["```\nopen fence\n", "<!-- open comment\n"])
def test_nothing_is_added_where_nobody_would_read_it(tail: str) -> None:
    text = f"{grown(ROAST)}\n{tail}"
    found = update(text, fact("2026-03-02", "Likes tea"))
    assert (found.text, found.judged) == (text, ())
    assert "open code block or comment" in found.problems[0]


def test_a_deleted_opinion_does_not_come_back_even_without_state() -> None:
    later = fact("2026-03-12", "Likes tea")
    text = update(grown(ROAST), fact("2026-03-02", "Prefers lager"), today=date(2026, 3, 10)).text
    assert text is not None
    cut = text[: text.index("## Rowan: Likes dark roast")] + text[text.index("## Rowan: Prefers") :]
    assert ledger.newest(cut) == date(2026, 3, 10)
    again = update(cut, ROAST, later, today=date(2026, 3, 12), settled=ledger.newest(cut))
    assert [each.statement for each in opinions(again.text)] == [
        "Rowan: Prefers lager", "Rowan: Likes tea",
    ]  # fmt: skip


def test_a_ledger_without_anything_has_no_newest_day() -> None:
    assert ledger.newest(None) is None
    assert ledger.newest("# Opinions\n") is None
