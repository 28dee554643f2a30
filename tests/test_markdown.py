from hypothesis import given, settings
from hypothesis import strategies as st

from hippod import markdown

quick = settings(max_examples=150, deadline=None)

LINES = [
    "", " ", "text", "    indented", "# One", "## Two ##", "### Three", "## Retain", "## Log",
    "- item", "  - nested", "1. first", "   - inner", "> quote", "> - quoted", "```", "~~~~",
    "````md", "  ```", "<!-- note", "-->", "a <!-- b --> c", "<!-->", "<div>", "<pre>", "</pre>",
    "---", "===", "-", "* * *", "<<<<<<< HEAD", "=======", "||||||| base", ">>>>>>> branch",
    "key: value", "[10:00] entry", "\f", "a\u2028b", "\x00", "[a]: b", "|a|b|", "\\", "`",
]  # fmt: skip
documents = st.builds(
    lambda lines, eol, bom: bom + eol.join(lines),
    st.lists(st.one_of(st.sampled_from(LINES), st.text(st.characters(), max_size=12)), max_size=25),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\ufeff"]),
)


def paths(text: str) -> list[tuple[tuple[str, ...], int, int]]:
    return [
        (tuple(heading.text for heading in section.path), section.start, section.end)
        for section in markdown.parse(text).sections
    ]


def bullets(text: str) -> list[tuple[int, tuple[str, ...]]]:
    return [(bullet.start, bullet.lines) for bullet in markdown.parse(text).bullets]


@quick
@given(documents)
def test_any_document_is_taken_apart_without_gap(text: str) -> None:
    document = markdown.parse(text)
    following = document.front_matter + 1
    for section in document.sections:
        assert section.start == following
        following = section.end + 1
    assert following == len(document.lines) + 1
    for bullet in document.bullets:
        last = bullet.start + len(bullet.lines) - 1
        assert document.front_matter < bullet.start <= last <= len(document.lines)


@quick
@given(st.lists(st.sampled_from(LINES), max_size=25))
def test_line_ends_and_bom_change_nothing(lines: list[str]) -> None:
    plain = markdown.parse("\n".join(lines))
    for eol in ("\r\n", "\r"):
        assert markdown.parse("\ufeff" + eol.join(lines)) == plain


def test_only_lf_crlf_and_cr_end_lines() -> None:
    odd = "a\fb\vc\x1cd\x85e\u2028f\u2029g"
    assert markdown.split_lines(f"\ufeff{odd}\r\n\r\rx\ny") == (odd, "", "", "x", "y")
    assert markdown.split_lines("") == ()
    assert markdown.split_lines("a\n") == ("a",)


def test_sections_have_the_headings_above_them() -> None:
    text = "intro\n# A\n## B #\ntext\n### C\n## D\nmore\n"
    assert paths(text) == [
        ((), 1, 1),
        (("A",), 2, 2),
        (("A", "B"), 3, 4),
        (("A", "B", "C"), 5, 5),
        (("A", "D"), 6, 7),
    ]


def test_a_setext_heading_takes_its_paragraph() -> None:
    assert paths("a\n\nTwo\nlines\n-----\nb") == [((), 1, 2), (("Two lines",), 3, 6)]


def test_headings_in_code_quotes_lists_and_comments_are_none() -> None:
    text = "```\n# a\n```\n~~~\n# b\n~~~\n    # c\n\n> # d\n\n- # e\n\n<!--\n# f\n-->\n"
    assert [path for path, _, _ in paths(text)] == [()]
    assert markdown.parse(text).code == {1, 2, 3, 4, 5, 6, 7}


def test_a_fence_closes_only_by_its_like() -> None:
    text = "````\n```\n# a\n```\n````\n# b\n"
    assert [path for path, _, _ in paths(text)] == [(), ("b",)]


def test_an_open_fence_ends_where_a_section_of_ours_begins() -> None:
    for opener in ("```py", "~~~", "<!-- draft", "<pre>", "<?php", "<![CDATA["):
        text = f"{opener}\n# code\n\n## Notes\n\n## Retain\n- W: x\n\n## Log\n"
        assert [path for path, _, _ in paths(text)] == [(), ("Retain",), ("Log",)], opener
        assert bullets(text) == [(7, ("W: x",))]


def test_a_closed_fence_or_comment_keeps_what_looks_like_a_section() -> None:
    for opener, closer in (("```", "```"), ("~~~", "~~~~"), ("<!--", "-->"), ("<pre>", "x</pre>")):
        text = f"{opener}\n\n## Retain\n- W: x\n{closer}"
        assert bullets(text) == []
        assert bullets(f"{text}\n") == []


def test_an_open_fence_in_a_list_item_ends_with_the_item() -> None:
    assert bullets("- ```\n  x\n- two\n## H\n- three") == [(3, ("two",)), (5, ("three",))]


def test_the_bullets_are_first_paragraphs_of_items() -> None:
    text = (
        "- one\n  more\nlazy\n\n  second paragraph\n"
        "* two\n  + inner\n    - deep\n"
        "-\n"
        "1. first\n   - below\n"
        "- - both\n"
        "> - quoted\n"
    )
    assert bullets(text) == [
        (1, ("one", "  more", "lazy")),
        (6, ("two",)),
        (7, ("inner",)),
        (8, ("deep",)),
        (11, ("below",)),
        (12, ("both",)),
    ]


def test_nothing_is_lost_behind_very_deep_nesting() -> None:
    deep = "\n".join("  " * depth + "- x" for depth in range(300))
    for text in (deep, "- " * 2000 + "x", ">" * 5000, "1. " * 500 + "x", " " * 5000 + "- x"):
        assert paths(f"{text}\n\n## End\n")[-1][0] == ("End",)


def test_front_matter_is_a_yaml_block_at_the_top() -> None:
    for text, expected in (
        ("---\ntitle: x\n---\nbody", 3),
        ("\ufeff---\ntags:\n  - a\n- b\n# note\n\n'k': v\n...\nbody", 8),
        ("---\n---\nbody", 2),
        ("---\nkey: `C:\\x`\ntitle: *x*\nbad: [a\n---\nbody", 5),  # broken YAML, but YAML
        ("---\n\nprose under a rule\n\n---\nmore", 0),
        ("---\nnever: closed\n", 0),
        ("\n---\nkey: v\n---\n", 0),
        ("text\n---\nkey: v\n---\n", 0),
        ("----\nkey: v\n---\n", 0),
    ):
        document = markdown.parse(text)
        assert document.front_matter == expected, text
    assert paths("---\n# note\n---\n# H\n") == [(("H",), 4, 4)]


def test_what_is_left_of_lines_with_comments() -> None:
    text = (
        "a <!-- b --> c\n"  # 1
        "<!-- block\n\n# no heading\n--> rest\n"  # 2-5
        "\n`<!-- code -->` stays\n"  # 7
        "\nopen <!-- stays\n"  # 9
        "# T <!-- x -->\n"  # 10
        "- item <!--\n  over two --> lines\n"  # 11, 12
        "```\n<!-- in code -->\n```\n"  # 14
    )
    document = markdown.parse(text)
    assert {n: document.visible(n) for n in document.uncommented} == {
        1: "a  c", 2: "", 4: "", 5: " rest", 10: "# T ", 11: "- item ", 12: " lines",
    }  # fmt: skip
    assert document.visible(7) == "`<!-- code -->` stays"
    assert document.visible(14) == "<!-- in code -->"
    assert document.sections[-1].path[-1].text == "T"


def test_an_open_comment_hides_the_rest_of_the_file() -> None:
    document = markdown.parse("a\n\n<!-- open\nhidden\n")
    assert [document.visible(n) for n in (1, 3, 4)] == ["a", "", ""]


def test_many_open_comments_take_linear_time() -> None:
    text = "x " + "<!-- " * 200_000
    assert markdown.parse(text).visible(1) == text
    opened = "## Log\n<!--\n\n" * 3000
    assert len(markdown.parse(opened).sections) > 1


CONFLICT = "<<<<<<< HEAD\n- Monday\n||||||| base\n- Sunday\n=======\n- Tuesday\n>>>>>>> branch\n"


def test_conflict_marks_are_found_and_are_no_markdown() -> None:
    document = markdown.parse(f"## Retain\n{CONFLICT}- after\n")
    assert document.marks == {2, 4, 6, 8}
    assert [bullet.lines for bullet in document.bullets] == [
        ("Monday",), ("Sunday",), ("Tuesday",), ("after",),
    ]  # fmt: skip


def test_what_only_looks_like_a_conflict_is_none() -> None:
    for text in (
        f"```\n{CONFLICT}```\n",
        "Title\n=======\n",
        "<<<<<<< HEAD\n=======\n",
        "=======\n>>>>>>> b\n",
        "<<<<<<<< eight\n=======\n>>>>>>> b\n",
        " <<<<<<< HEAD\n=======\n>>>>>>> b\n",
    ):
        assert markdown.parse(text).marks == frozenset(), text
    assert paths("Title\n=======\n") == [(("Title",), 1, 2)]
