"""File names of entity pages: one part that every system takes, and never one for two."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippod import documents, facts
from hippod.questions import key
from hippod.reflection.slugs import LONGEST, page_path, slug


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Ida-Holm", "Ida-Holm"),
        ("Ida Holm", "Ida-Holm"),
        ("Node.js", "Node.js"),
        ("小林", "小林"),
        ("Jose\u0301", "Jos\u00e9"),
        ("../../etc/passwd", "etc-passwd"),
        ("-.Nils.-", "Nils"),
        ("Nils\u202e", "Nils"),
    ],
)
def test_a_slug_is_the_name_as_far_as_files_allow(name: str, expected: str) -> None:
    assert slug(name) == expected


@pytest.mark.parametrize("name", ["con", "NUL", "Com1", "aux.txt", "LPT9.tar.gz", "prn"])
def test_names_that_windows_reserves_get_another(name: str) -> None:
    made = slug(name)
    documents.check_new(f"bank/entities/{made}.md")
    assert made != name


@pytest.mark.parametrize("name", ["x.sync-conflict-20260404-1201", "Nils conflict-20260303"])
def test_names_of_conflict_copies_get_another(name: str) -> None:
    made = slug(name)
    assert not documents.is_copy(f"{made}.md")
    assert made != slug(f"{name}9")


@given(st.text(max_size=120))
def test_a_page_path_is_one_new_document_whatever_the_name(name: str) -> None:
    path = page_path(name, ())
    assert documents.check_path(path)[:2] == ("bank", "entities")
    assert len(documents.check_path(path)) == 3
    documents.check_new(path)
    made = slug(name)
    assert path == f"bank/entities/{made}.md"
    assert len(made.encode()) <= LONGEST
    assert made.strip(".- ") == made
    assert not documents.is_copy(f"{made}.md")
    assert slug(made) == made


@given(st.lists(st.text(alphabet="aAeéÉßsSﬁfi-_. Kk\u212a\u0301", max_size=6), max_size=12))
def test_paths_differ_even_where_case_and_normal_forms_do_not_count(names: list[str]) -> None:
    taken: list[str] = []
    for name in dict.fromkeys(names):
        taken.append(page_path(name, taken))
    assert len({path.casefold() for path in taken}) == len(taken)
    assert all(documents.check_path(path) for path in taken)


@given(st.text(alphabet=st.characters(categories=["L", "N"]), min_size=90, max_size=200))
def test_long_names_that_begin_alike_stay_apart(name: str) -> None:
    other = f"{name}x"
    if key(facts.entity_name(name)) != key(facts.entity_name(other)):
        assert slug(name) != slug(other)


def test_a_path_is_the_same_every_time() -> None:
    taken = ["bank/entities/ida-holm.md"]
    assert page_path("Ida-Holm", taken) == page_path("Ida-Holm", taken)
    assert page_path("Ida-Holm", taken) != "bank/entities/Ida-Holm.md"
