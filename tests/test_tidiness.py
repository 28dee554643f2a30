"""What there is to tidy, found in values alone: copies, repeats, old logs, stale documents."""

import random
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippod import facts, markdown
from hippod.reflection import tidiness, twins
from hippod.reflection.known import KnownFact, known

TODAY = date(2026, 6, 30)


def prose(seed: int, words: int = 200) -> str:
    draw = random.Random(seed)
    return " ".join(f"{draw.choice('bdfgklmn')}{draw.randrange(900)}" for _ in range(words))


def changed(text: str, words: int, seed: int = 7) -> str:
    draw, found = random.Random(seed), text.split()
    for place in draw.sample(range(len(found)), words):
        found[place] = f"other{place}"
    return " ".join(found)


def found(*ranked: str, **texts: str) -> list[tuple[str, str]]:
    """Return the (keep, drop) pairs among documents `name=text`, ranked as given."""
    paths = {f"{name}.md": text for name, text in texts.items()}
    order = [f"{name}.md" for name in ranked] or list(paths)
    sketches = {path: made for path, text in paths.items() if (made := twins.sketch(text))}
    order = [path for path in order if path in sketches]
    pairs = twins.twins(order, sketches, paths.get)
    return [(each.keep.removesuffix(".md"), each.drop.removesuffix(".md")) for each in pairs]


# -- copies ----------------------------------------------------------------------------------


class TestTwins:
    def test_a_copy_with_a_few_changes(self) -> None:
        text = prose(1)
        assert found(a=text, b=prose(2), c=changed(text, 4), d=prose(3)) == [("a", "c")]

    def test_the_better_one_is_kept(self) -> None:
        text = prose(1)
        assert found("b", "a", a=text, b=changed(text, 4)) == [("b", "a")]

    def test_each_superfluous_one_is_named_once(self) -> None:
        text = prose(1)
        copies = dict.fromkeys("abcdef", text)
        assert found(**copies) == [("a", name) for name in "bcdef"]

    def test_half_the_words_changed_is_another_document(self) -> None:
        text = prose(1)
        assert found(a=text, b=changed(text, 100)) == []

    def test_how_alike_they_are(self) -> None:
        text = prose(1)
        texts = {"a.md": text, "b.md": f"{text} and some words at the end of it"}
        sketches = {path: made for path, each in texts.items() if (made := twins.sketch(each))}
        (twin,) = twins.twins(list(texts), sketches, texts.get)
        assert 0.9 < twin.alike < 1

    def test_layout_and_case_make_no_difference(self) -> None:
        text = prose(1)
        assert found(a=text, b=f"# {text.upper()}".replace(" ", "\n")) == [("a", "b")]

    def test_short_texts_are_twins_only_word_by_word(self) -> None:
        text = prose(1, 20)
        assert found(a=text, b=text, c=changed(text, 1)) == [("a", "b")]
        assert found(a="- [ ] to do", b="- [ ] to do") == []

    @pytest.mark.parametrize(("one", "other"), [("week-12", "week-13"), ("2026-01/x", "2026-02/x")])
    def test_a_series_made_after_one_pattern(self, one: str, other: str) -> None:
        text = prose(1)
        assert found(**{one: text, other: changed(text, 4)}) == []
        assert found(**{one: text, other: text}) == [(one, other)]

    def test_a_second_of_one_name_is_no_series(self) -> None:
        text = prose(1)
        assert found(**{"plan": text, "plan 2": changed(text, 4)}) == [("plan", "plan 2")]

    def test_text_without_spaces(self) -> None:
        draw = random.Random(5)
        text = "".join(chr(0x4E00 + draw.randrange(2000)) for _ in range(300))
        assert found(a=text, b=text[:150] + "猫" + text[151:]) == [("a", "b")]

    def test_one_that_is_gone_meanwhile(self) -> None:
        text = prose(1)
        texts = {"a.md": text, "b.md": changed(text, 4)}
        sketches = {path: made for path, each in texts.items() if (made := twins.sketch(each))}
        assert list(twins.twins(list(texts), sketches, lambda path: None)) == []

    def test_many_documents_of_one_pattern_are_not_compared_all_with_all(self) -> None:
        text = prose(1, 60)
        texts = {f"n{'x' * n}.md": changed(text, 15, seed=n) for n in range(120)}
        sketches = {path: made for path, each in texts.items() if (made := twins.sketch(each))}
        reads: list[str] = []

        def read(path: str) -> str:
            reads.append(path)
            return texts[path]

        list(twins.twins(list(texts), sketches, read))
        assert len(reads) < 120 * 20

    @given(st.text(max_size=400), st.text(max_size=400))
    def test_any_texts(self, one: str, other: str) -> None:
        texts = {"a.md": one, "b.md": other}
        sketches = {path: made for path, each in texts.items() if (made := twins.sketch(each))}
        for twin in twins.twins(sorted(sketches), sketches, texts.get):
            assert twins.ALIKE <= twin.alike <= 1
        twins.addition(one, other, "a.md")


class TestAddition:
    def test_lines_as_they_are_with_headings_lower(self) -> None:
        text = "# Boat\n\nBlue.\n\n## Mast\nIt is\tbent.\nShared.\n- Torn sail\n"
        other = "# boat\nBlue.\nShared.\n"
        assert twins.own_lines(text, other) == (1, 5, 6, 8)
        assert twins.addition(text, other, "x/bo\nat.md") == (
            "## From x/bo at.md\n\n### Boat\n\n#### Mast\nIt is\tbent.\n\n- Torn sail\n"
        )

    @pytest.mark.parametrize(
        "text",
        [
            "---\ntags: [boat]\n---\n\nBlue.\n",
            "```\ncode\n```\n",
            "Blue.\n\n<private>\n4711\n</private>\n",
            "## Retain\n- W @Ada: It is blue.\n",
            "<<<<<<< a\none\n=======\ntwo\n>>>>>>> b\n",
            "<!-- later -->\n",
        ],
    )
    def test_lines_that_mean_nothing_alone(self, text: str) -> None:
        assert twins.addition(text, "Blue.\n", "a.md") is None

    @pytest.mark.parametrize("other", ["Blue.\n```\ncode\n", "Blue.\n<!-- to be written\n"])
    def test_what_would_be_hidden_there(self, other: str) -> None:
        assert twins.addition("Blue.\nOld.\n", other, "a.md") is None
        assert twins.addition("Blue.\n", other, "a.md") == ""

    @given(st.lists(st.sampled_from(["one", "two", "# three", "- four", "", "five  six"])))
    def test_nothing_that_a_document_says_is_lost(self, lines: list[str]) -> None:
        text, other = "\n".join(lines), "one\n- four\n"
        more = twins.addition(text, other, "a.md")
        assert more is not None
        there = {" ".join(line.lstrip("#").split()) for line in (other + more).split("\n")}
        for line in markdown.split_lines(text):
            assert " ".join(line.lstrip("#").split()) in there


# -- facts -----------------------------------------------------------------------------------

IDS = iter(f"{number:010d}" for number in range(10**6))


def fact(content: str, day: str = "2026-06-01", *, kind: str = "W", who: str = "Ada") -> KnownFact:
    made = facts.parse_bullet(f"- {kind} @{who}: {content} ^{next(IDS)}")
    assert made is not None
    return known(date.fromisoformat(day), made, f"memory/{day}.md", 5, 5)


def repeated(*given: KnownFact, superseded: tuple[str, ...] = ()) -> list[tuple[int, int]]:
    places = {each.id: place for place, each in enumerate(given)}
    found = tidiness.repeats(given, superseded)
    return [(places[each.first.id], places[each.again.id]) for each in found]


class TestRepeats:
    KEY = "Keeps the spare key at the bakery."

    def test_the_same_said_on_another_day(self) -> None:
        assert repeated(fact(self.KEY), fact("Sings."), fact(self.KEY, "2026-06-09")) == [(0, 2)]

    def test_the_first_stands_for_all(self) -> None:
        days = [fact(self.KEY, f"2026-06-0{n}") for n in range(1, 5)]
        assert repeated(*days) == [(0, 1), (0, 2), (0, 3)]

    @pytest.mark.parametrize(
        "other",
        [
            "Keeps the spare key at the library.",
            "Does not keep the spare key at the bakery.",
            "Keeps the spare key at the bakery since 2025-11.",
            "Keeps 2 spare keys at the bakery.",
            "Kept the spare key at the bakery.",
            "Had the spare key at the bakery.",
            "Keeps the spare key at the bakery, in a tin behind the oven under the flour.",
        ],
    )
    def test_another_statement(self, other: str) -> None:
        assert repeated(fact(self.KEY), fact(other, "2026-06-09")) == []

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Is the head of sales.", "Was the head of sales."),
            ("Team A beats team B.", "Team B beats team A."),
            ("Das Boot ist im Schuppen.", "Das Boot war im Schuppen."),
            ("住在东京。", "东京住在。"),
        ],
    )
    def test_other_forms_and_orders_are_other_statements(self, one: str, other: str) -> None:
        assert repeated(fact(one), fact(other, "2026-06-09")) == []

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Was born in 1971.", "Was born 1971"),
            ("Keeps bees.", "keeps  BEES"),
            ("住在东京。", "住在东京"),
        ],
    )
    def test_what_differs_in_marks_and_small_words_is_the_same(self, one: str, other: str) -> None:
        assert repeated(fact(one), fact(other, "2026-06-09")) == [(0, 1)]

    def test_of_somebody_else(self) -> None:
        assert repeated(fact(self.KEY), fact(self.KEY, "2026-06-09", who="Bo")) == []
        assert repeated(fact(self.KEY), fact(self.KEY, "2026-06-09", who="ada")) == [(0, 1)]

    @pytest.mark.parametrize("kind", ["B", "O"])
    def test_an_experience_or_opinion_of_another_day_counts_again(self, kind: str) -> None:
        ran = "Ran round the lake with Olaf."
        again = fact(ran, "2026-06-09", kind=kind)
        assert repeated(fact(ran, kind=kind), again) == []
        assert repeated(fact(ran, kind=kind), fact(ran, kind=kind)) == [(0, 1)]

    def test_what_was_superseded_between(self) -> None:
        first = fact(self.KEY)
        assert repeated(first, fact(self.KEY, "2026-06-09"), superseded=(first.id,)) == []

    def test_thousands_about_one_are_compared_in_seconds(self) -> None:
        draw = random.Random(3)
        words = [f"{draw.choice('bdfgklmn')}ar{n}" for n in range(300)]
        many = [fact(f"Owns the {' '.join(draw.sample(words, 4))} thing.") for _ in range(2_000)]
        assert repeated(*many, fact(many[7].fact.content, "2026-06-09")) == [(7, 2_000)]


# -- daily logs ------------------------------------------------------------------------------


class TestOldLogs:
    DAYS = tuple(TODAY - timedelta(days=n) for n in range(10))

    def paths(self, folder: str = "memory") -> list[str]:
        return [f"{folder}/{day}.md" for day in self.DAYS]

    def test_the_oldest_beyond_the_most(self) -> None:
        found = tidiness.old_logs(self.paths(), 7, TODAY)
        assert [each.path for each in found] == [
            "memory/2026-06-21.md", "memory/2026-06-22.md", "memory/2026-06-23.md",
        ]  # fmt: skip
        assert found[0].to == "archive/2026/2026-06-21.md"

    def test_only_daily_logs_count_and_archived_ones_do_not(self) -> None:
        others = ["memory/notes.md", "README.md", "memory/2026-06-02 2.md"]
        others += self.paths("archive/2026")
        assert tidiness.old_logs([*self.paths(), *others], 10, TODAY) == []

    def test_the_other_layout(self) -> None:
        (found,) = tidiness.old_logs(self.paths("daily"), 9, TODAY)
        assert found.path == "daily/2026-06-21.md"

    def test_never_yesterdays(self) -> None:
        assert tidiness.old_logs(self.paths()[:2], 0, TODAY) == []
        assert len(tidiness.old_logs(self.paths(), 0, TODAY)) == 8


# -- stale documents -------------------------------------------------------------------------


def old(text: str, path: str = "a.md", *, days: int = 100, **others: str) -> list[tuple[str, ...]]:
    outlines = {path: tidiness.outline(text)}
    outlines |= {name: tidiness.outline(other) for name, other in others.items()}
    found = tidiness.stale(
        {path: TODAY - timedelta(days=days)},
        outlines,
        tidiness.Links(outlines),
        today=TODAY,
        most_days=90,
    )
    return [each.reasons for each in found]


class TestStale:
    def test_by_its_last_change(self) -> None:
        assert old("Text", days=90) == []
        assert old("Text", days=91) == [("not changed for 91 days", "nothing links to it")]

    def test_days_that_are_none(self) -> None:
        assert old("2026-02-31 and 12026-06-29 and v2026-06-29") == old("Text")

    @pytest.mark.parametrize(
        "link",
        [
            "[[Other]]", "[[other|that]]", "[[deep/Other#Part]]", "[that](deep/Other.md)",
            "[that](<deep/Other.md>)", "[that](./deep/../deep/Other.md#part)", "[[Other.md]]",
        ],
    )  # fmt: skip
    def test_links_that_lead_somewhere(self, link: str) -> None:
        ((first, last),) = old(link, **{"deep/Other.md": "x"})
        assert (first, last) == ("not changed for 100 days", "nothing links to it")

    @pytest.mark.parametrize(
        "link",
        ["[x](https://a.example/b)", "[x](mailto:a@b.c)", "![[boat.png]]", "[x](boat.pdf)",
         "[[2026-01-05]]", "[[2026-01-05#^k3f9ab27qt]]", "```\n[[Gone]]\n```\n", "[x](#part)"],
    )  # fmt: skip
    def test_links_that_lead_to_no_document(self, link: str) -> None:
        assert not any("not there" in reason for (*reasons,) in old(link) for reason in reasons)

    def test_links_that_lead_nowhere_are_named(self) -> None:
        ((_, gone, _),) = old("[[One]] [[Two]] [x](Three%20b.md) [y](Four.md) [z](Five.md)")
        assert gone == "links to documents that are not there: One, Two, Three b.md and 2 more"

    def test_relative_links_count_for_what_they_lead_to(self) -> None:
        assert old("x", "p/b.md", **{"p/c.md": "[b](b.md)"}) == [("not changed for 100 days",)]
        assert old("[[a]]", "a.md") == [("not changed for 100 days", "nothing links to it")]

    @given(st.text(max_size=300))
    def test_any_text(self, text: str) -> None:
        outline = tidiness.outline(text)
        assert list(outline.days) == sorted(set(outline.days))
        old(text)


@pytest.mark.parametrize(
    ("path", "free"),
    [
        ("notes.md", True), ("memory/ideas.md", True), ("projects/README.md", True),
        ("README.md", False), ("memory.md", False), ("SOUL.md", False), ("bank/world.md", False),
        ("archive/x.md", False), ("memory/2026-03-03.md", False), ("daily/2026-03-03.md", False),
    ],
)  # fmt: skip
def test_which_documents_are_free(path: str, free: bool) -> None:
    assert tidiness.is_free(path) is free


@pytest.mark.parametrize("path", ["a copy.md", "a copy 2.md", "a-copy.md", "a (1).md", "a 2.md"])
def test_names_of_copies(path: str) -> None:
    assert tidiness.is_named_copy(path)
    assert not tidiness.is_named_copy("chapter2.md")
    assert not tidiness.is_named_copy("copy.md")


def test_ids_tell_what_they_are_about() -> None:
    ids = {tidiness.item_id("a", "b"), tidiness.item_id("a", "b", ""), tidiness.item_id("ab")}
    assert len(ids) == 3
    assert tidiness.item_id("a", "b\ud800") == tidiness.item_id("a", "b\ud800")
