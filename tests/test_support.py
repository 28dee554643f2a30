import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.extraction import support
from hippod.extraction.support import check

FAST = settings(max_examples=100, deadline=None)


@pytest.mark.parametrize(
    ("fact", "source", "speaker"),
    [
        ("Vera lives in Graz", "I live in Graz", "Vera"),
        ("Vera's sister Ilse runs a nursery", "my sister Ilse runs a nursery", "Vera"),
        ("The pump needs 4 bar", "the pump needs 4 bar", "Vera"),
        ('Vera: "we switch to Rust in May"', "ok, we switch to Rust in May", "Vera"),
        ("Vera: \"they call it 'the barn'\"", "they call it “the barn”", "Vera"),
        ("The demo is on Friday (2026-03-13)", "the demo is on Friday", "Vera"),
        ("Ilse is allergic to nuts", "don't forget: Ilse is allergic to nuts", "Vera"),
        ('陈静: "我们下周一 (2026-11-09)搬家"', "我们下周一搬家", "陈静"),
        ("Moved the backups to 3 am", "I moved the backups to 3 am", "agent"),
    ],
)
def test_what_the_source_says_passes(fact: str, source: str, speaker: str) -> None:
    assert check(fact, [source], speaker) is None


@pytest.mark.parametrize(
    ("fact", "source", "reason"),
    [
        ("Vera needs 6 bar", "6 bar isn't enough", "speaker"),
        ("The build needs 4 GB", "the build does not need 4 GB", "negation"),
        ("The rent is 1350", "the rent is 1250", "number"),
        ("The demo is at 6:55", "the demo is at 8:15", "number"),
        ("Ilse moved to Linz", "Ilse moved to Graz", "name"),
        ("Vera and Ben won the prize", "Ben won the prize", "speaker"),
        ("I live in Graz", "I live in Graz", "first person"),
        ("Our cellar is dry", "our cellar is dry", "first person"),
        ("The barn burned because of careless neighbours", "the barn burned", "words"),
        ('Vera: "we use Go"', "we use Rust", "what was said"),
        ("The key is [REDACTED]", "the key is [REDACTED]", "secret"),
        ("a\nb", "a\nb", "line"),
        (" ", "x", "empty"),
        ("x" * 221, "x" * 221, "longer"),
    ],
)
def test_what_it_does_not_say_is_refused(fact: str, source: str, reason: str) -> None:
    verdict = check(fact, [source], "Vera", "en")
    assert verdict is not None
    assert reason in verdict


def test_the_speaker_may_be_named_only_where_they_speak_of_themselves() -> None:
    assert check("Vera loathes plums", ["she loathes plums"], "Vera") is not None
    assert check("Vera loathes plums", ["I loathe plums"], "Vera") is None


def test_a_corrected_quotation_is_judged_by_its_words() -> None:
    sources = ["our designer is called Jens", "it's Joost, not Jens"]
    assert check('Vera (corrected): "our designer is called Joost"', sources, "Vera") is None
    assert check('Vera (corrected): "our designer is called Max"', sources, "Vera") is not None
    assert check('Vera: "our designer is called Joost"', sources, "Vera") is not None


@given(st.text(max_size=150), st.lists(st.text(max_size=150), max_size=3), st.text(max_size=20))
@FAST
def test_any_text_is_safe(fact: str, sources: list[str], speaker: str) -> None:
    verdict = check(fact, sources, speaker)
    if verdict is None and support.quotation(support.without_dates(fact)) is None:
        said = set(support.numbers("\n".join(sources)))
        assert set(support.numbers(support.without_dates(fact))) <= said


@pytest.mark.parametrize(
    ("text", "language", "negated"),
    [
        ("Paul ne mange pas de viande", "fr", True),
        ("Paul n'habite plus à Lyon", "fr", True),
        ("Paul mange plus de viande", "fr", False),
        ("Ana no come nada dulce", "es", True),
        ("A Joana não bebe nada", "pt", True),
        ("Vera does not eat meat", "en", True),
        ("Vera isn't without friends", "en", False),
    ],
)
def test_two_words_of_one_negation_count_once(text: str, language: str, negated: bool) -> None:
    assert support.is_negated(text, language) is negated
