"""Edits of front matter: the keys they are for change, every other byte stays."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod import markdown, pages
from hippod.errors import InvalidInput
from hippod.reflection.front_matter import fault, fields, lines_besides, with_fields

NEW = {"aliases": ["Pete", "New-Name"], "updated": "2026-03-04"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "entity: Peter\n",
            "entity: Peter\naliases: [Pete, New-Name]\nupdated: 2026-03-04\n",
            id="absent keys come last",
        ),
        pytest.param(
            "# who\nentity:  'Peter'   # he\naliases: [ Pete ,Old ] # c\n"
            "updated: '2026-01-01'\nz: {a: 1}\n",
            "# who\nentity:  'Peter'   # he\naliases: [ Pete, New-Name ] # c\n"
            "updated: '2026-03-04'\nz: {a: 1}\n",
            id="flow list",
        ),
        pytest.param(
            'aliases:\n  - "Pete"  # school\n  # gone\n  - Old\n\n# end\nupdated: 2026-01-01 # u\n',
            'aliases:\n  - "Pete"  # school\n  - New-Name\n  # gone\n\n# end\n'
            "updated: 2026-03-04 # u\n",
            id="block list",
        ),
        pytest.param(
            "aliases:\n- Old\nupdated:\n",
            "aliases: [Pete, New-Name]\nupdated: 2026-03-04\n",
            id="block list without what is wanted",
        ),
        pytest.param(
            'aliases: Pete  # one\nupdated: "2026-01-01"\n',
            'aliases: [Pete, New-Name]  # one\nupdated: "2026-03-04"\n',
            id="one text",
        ),
        pytest.param(
            "aliases: [\n  Pete, # a\n  Old, # b\n]\nupdated: 2026-03-04\n",
            "aliases: [\n  Pete, New-Name, # a\n  # b\n]\nupdated: 2026-03-04\n",
            id="flow list over lines",
        ),
        pytest.param(
            "aliases: # c\nupdated:  \nx:\n",
            "aliases: [Pete, New-Name] # c\nupdated: 2026-03-04\nx:\n",
            id="no value",
        ),
        pytest.param(
            "aliases: []\n", "aliases: [Pete, New-Name]\nupdated: 2026-03-04\n", id="empty list"
        ),
        pytest.param("", "aliases: [Pete, New-Name]\nupdated: 2026-03-04\n", id="empty block"),
        pytest.param(
            '"aliases": [Pete]\nnotes: >\n  aliases: no\n  updated: no\n',
            '"aliases": [Pete, New-Name]\nnotes: >\n  aliases: no\n  updated: no\n'
            "updated: 2026-03-04\n",
            id="text that looks like a key",
        ),
        pytest.param(
            "b: &x [1]\nc: *x\naliases: [Pete]\nd: !tag y\n",
            "b: &x [1]\nc: *x\naliases: [Pete, New-Name]\nd: !tag y\nupdated: 2026-03-04\n",
            id="anchors of others",
        ),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", markdown.BOM])
def test_only_the_lines_of_the_keys_change(before: str, after: str, end: str, mark: str) -> None:
    body = "# Peter\n\nmy  own   text\t\n"
    page = f"{mark}---\n{before}---\n{body}".replace("\n", end)
    wanted = f"{mark}---\n{after}---\n{body}".replace("\n", end)
    assert with_fields(page, NEW) == wanted
    assert with_fields(wanted, NEW) == wanted


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        ("a:\tb\n\tc: d\n", "line 2"),
        ("a: 1\na: 2\n", "twice"),
        ('room: "the "green" room"\n', "line 2"),
        ("key: `C:\\x`\n", "line 2"),
        ("title: *x*\n", "line 2"),
        ("- [[x]]y\n", "front matter"),
        ("title: [a\n", "front matter"),
        ("just some words\n", "no YAML|cannot be read|list of keys|none"),
        ("aliases: &a [Pete]\nb: *a\n", "'&'"),
        ("a: &a [Pete]\naliases: *a\n", "unusual"),
        ("aliases: !x [Pete]\n", "'!'"),
        ("aliases: |\n  Pete\n", "'\\|'"),
        ("aliases: {Pete: 1}\n", "no list"),
        ("updated: [2026-01-01]\n", "no single text"),
        ("a: b\n<<<<<<< HEAD\nc: d\n=======\nc: e\n>>>>>>> x\n", "front matter"),
        (f"a: {'x' * 9_000}\n", "longer"),
        ("a: " + "[" * 40 + "]" * 40 + "\n", "front matter"),
    ],
)
def test_what_cannot_be_edited_safely_is_refused_with_the_reason(block: str, reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        with_fields(f"---\n{block}---\nbody\n", NEW)


def test_a_bomb_of_anchors_is_no_trouble() -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 7)]
    block = "\n".join(lines)
    edited = with_fields(f"---\n{block}\n---\n", NEW)
    assert block in edited
    assert fields(edited)["aliases"] == ["Pete", "New-Name"]


def test_a_block_is_made_only_when_asked() -> None:
    for page in ("# Peter\n", "", "---\nA rule, never closed.\n", "\r\nx\r\n"):
        with pytest.raises(InvalidInput, match="none"):
            with_fields(page, NEW)
        made = with_fields(page, NEW, create=True)
        assert made.endswith(page)
        assert fields(made)["aliases"] == ["Pete", "New-Name"]
    assert with_fields("\ufeffx\r\n", {"entity": "Ida"}, create=True) == (
        "\ufeff---\r\nentity: Ida\r\n---\r\nx\r\n"
    )


def test_texts_that_look_like_something_else_stay_as_written() -> None:
    odd = "aliases: [Yes, NO, null, 12:30, 007, 1_000, ~, 2026-02-30]"
    page = f"---\nid: 0777\n{odd}\non: yes\n---\n"
    names = [*fields(page)["aliases"], "No", "0x10", "12:31", "a: b", "- c", "#d", "e,f", 'g"h', ""]
    edited = with_fields(page, {"aliases": names[:-1]})
    assert edited.startswith(f"---\nid: 0777\n{odd[:-1]}, ")
    assert edited.endswith("]\non: yes\n---\n")
    assert fields(edited)["aliases"] == names[:-1]
    from ruamel.yaml import YAML

    block = edited.removeprefix("---\n").removesuffix("---\n")
    block = block.replace(", 2026-02-30", "")  # which other readers cannot take
    assert YAML(typ="safe").load(block)["aliases"][7:] == names[8:-1]


def test_faults_are_named_and_clean_pages_have_none() -> None:
    assert fault("---\nentity: Ida\n---\n") == ""
    assert fault("# Ida\n") == ""
    assert fault("---\n\nA rule.\n\n---\nand more\n") == ""
    assert "line 3" in fault('---\na: b\nroom: "the "green" room"\n---\n')
    assert fault("---\nentity: Ida\nno yaml here\n---\n")


def test_what_else_stands_there_is_found_with_its_comments() -> None:
    page = (
        "---\n# c\nentity: Ida\naliases:\n  - Bo # b\n  - Cleo\nborn: 1971 # y\nx: [1,\n  2]\n---\n"
    )
    names = ("entity", "aliases")
    assert lines_besides(page, names) == ["# c", "born: 1971 # y", "x: [1,", "  2]"]
    assert lines_besides("# Ida\n", names) == []


# -- invariants ------------------------------------------------------------------------------------

WORDS = st.text(
    alphabet=st.characters(categories=["L", "N", "P", "S", "Zs"], exclude_characters="\x85"),
    min_size=1,
    max_size=12,
).filter(lambda text: text == text.strip() and text.isprintable())
VALUES = st.one_of(
    WORDS,
    st.lists(WORDS, max_size=3).map(lambda names: f"[{', '.join(names)}]"),
    st.lists(WORDS, min_size=1, max_size=3).map(lambda names: "".join(f"\n  - {n}" for n in names)),
    st.sampled_from(["", "&a x", "|\n  text", "'a'", '"b" # c', "{a: b}", "# c"]),
)
BLOCKS = st.lists(
    st.one_of(
        st.builds(
            "{}: {}".format, st.sampled_from(["entity", "aliases", "not", "updated", "x"]), VALUES
        ),
        st.sampled_from(["# comment", "", "  ", "y: *a"]),
    ),
    max_size=5,
).map("\n".join)
CHANGES = st.fixed_dictionaries(
    {}, optional={"aliases": st.lists(WORDS, max_size=3, unique=True), "updated": WORDS}
)


@settings(deadline=None)
@given(BLOCKS, CHANGES, st.sampled_from(["\n", "\r\n"]))
def test_an_edit_is_right_or_refused(
    block: str, changes: dict[str, str | list[str]], end: str
) -> None:
    page = f"---\n{block}\n---\nbody\n".replace("\n", end)
    try:
        edited = with_fields(page, changes)
    except InvalidInput:
        return
    assert edited.endswith(f"{end}---{end}body{end}")
    before, after = fields(page), fields(edited)
    for key in before.keys() - changes.keys():
        assert [each.rstrip() for each in after[key]] == [each.rstrip() for each in before[key]]
    for key, value in changes.items():
        assert set(after.get(key, [])) == set([value] if isinstance(value, str) else value)
    names = ("aliases", "updated")
    assert lines_besides(edited, names) == lines_besides(page, names)
    if changes.get("aliases"):
        plain = with_fields("---\nentity: x\n---\n", {"aliases": fields(edited)["aliases"]})
        assert _names(edited) >= _names(plain) - {"x"}


def _names(page: str) -> set[str]:
    read = pages.entity_page("bank/entities/x.md", markdown.parse(page))
    return {read.entity, *read.aliases} if read else set()
