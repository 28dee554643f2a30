"""What fits into the budget of a tool's result, and the schemas that models are shown."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hippod.mcp import budget
from hippod.mcp.arguments import schema
from hippod.mcp.recalling import Search, snippet
from hippod.mcp.remembering import Retain
from hippod.mcp.tools import TOOLS

NAMES = st.text("abcdefgh", min_size=1, max_size=8)
LEAVES = st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=5_000)
ROWS = st.lists(st.dictionaries(NAMES, LEAVES, max_size=4), max_size=120)
ANSWERS = st.dictionaries(NAMES, LEAVES | ROWS | st.lists(st.text(max_size=300)), max_size=8)


@given(answer=ANSWERS, tokens=st.integers(800, 4_000))
def test_an_answer_fits_and_says_what_it_lost(answer: dict[str, Any], tokens: int) -> None:
    fitted = budget.fitted(answer, tokens)
    assert budget.cost(budget.as_json(fitted)) <= tokens
    whole = budget.fitted(answer, 10_000_000)
    assert fitted == whole or fitted["truncated"] is True
    for name, lost in fitted.get("left_out", {}).items():
        assert lost == len(whole[name]) - len(fitted[name])


@given(text=st.text(max_size=3_000), tokens=st.integers(0, 600))
def test_the_most_that_fits_is_found(text: str, tokens: int) -> None:
    size = budget.most(len(text), lambda count: text[:count], tokens)
    assert budget.cost(text[:size]) <= tokens
    assert size == len(text) or budget.cost(text[: size + 1]) > tokens


@given(text=st.text(max_size=2_000), tokens=st.integers(0, 500))
def test_what_is_too_long_need_not_be_counted(text: str, tokens: int) -> None:
    assert budget.fits(text, tokens) == (budget.cost(text) <= tokens)


@given(
    before=st.text(max_size=2_000),
    after=st.text(max_size=2_000),
    size=st.integers(160, 700),
)
def test_a_snippet_is_short_and_of_the_passage(before: str, after: str, size: int) -> None:
    content = f"{before} zeppelin {after}"
    made = snippet(content, ["zeppelin"], size)
    assert len(made) <= size + 20
    kept = made.removeprefix("… ").removesuffix(" … [cut]")
    assert kept in content


def test_a_snippet_begins_where_the_question_is_answered() -> None:
    content = "filler words " * 200 + "the zeppelin landed " + "more words " * 200
    assert "the zeppelin landed" in snippet(content, ["airship|zeppelin"], 200)
    assert snippet(content, ["submarine"], 200).startswith("filler words")
    assert snippet("short", ["submarine"], 200) == "short"


def test_a_schema_says_only_what_a_model_needs() -> None:
    made = schema(Search)
    assert made["required"] == ["query"]
    assert made["additionalProperties"] is False
    assert made["properties"]["limit"] == {
        "type": "integer", "default": 10, "description": "1-100",
    }  # fmt: skip
    assert made["properties"]["until"] == {"type": "string"}
    message = schema(Retain)["properties"]["messages"]["items"]
    assert message["required"] == ["role", "content"]
    assert set(message["properties"]) == {"role", "content", "timestamp", "name", "id"}
    assert not [tool.name for tool in TOOLS if "$ref" in str(schema(tool.takes))]
