import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.language import LANGUAGES, UNKNOWN, content_stems, guess, snowball


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("the boat is in the harbour", "en"),
        ("das Boot liegt im Hafen", "de"),
        ("el barco está en el puerto", "es"),
        ("le bateau est dans le port", "fr"),
        ("o barco está no porto, não no mar", "pt"),
        ("船在港口里", "zh"),
        ("船は港にあります", "ja"),
        ("лодка в гавани", UNKNOWN),
        ("배는 항구에 있다", UNKNOWN),
    ],
)
def test_a_language_shows_in_its_words(text: str, language: str) -> None:
    assert guess(text) == language


def test_what_shows_nothing_is_the_default() -> None:
    assert guess("Terraform 1.9") == "en"
    assert guess("Terraform 1.9", default="de") == "de"
    assert guess("das Boot", ("en", "fr"), default="fr") == "fr"


def test_stems_drop_function_words_and_keep_values_whole() -> None:
    assert content_stems("The boats are leaving at 7:40", "en") == ["boat", "leav", "7:40"]
    assert content_stems("connection.update on 10.0.0.1", "en") == ["connection.update", "10.0.0.1"]
    assert content_stems("我们用 Go", "zh") == ["我们", "们用", "go"]


@given(st.text(max_size=200), st.sampled_from([*LANGUAGES, UNKNOWN]))
@settings(max_examples=100, deadline=None)
def test_any_text_is_safe(text: str, language: str) -> None:
    assert guess(text) in {*LANGUAGES, UNKNOWN}
    assert all(content_stems(text, language))


def test_threads_that_stem_at_once_do_not_disturb_each_other() -> None:
    """A stemmer holds the word that it works on: shared, it mixes up the words of two threads."""
    parts = product("abcdefghij", ("relat", "hop", "conditi"), ("ionalness", "ing", "ed"))
    words = [f"{first}{stem}{ending}" for first, stem, ending in parts] * 12
    alone = [snowball(word, "english") for word in words]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            together = list(
                threads.map(lambda _: [snowball(word, "english") for word in words], range(4))
            )
    finally:
        sys.setswitchinterval(before)
    assert together == [alone] * 4
