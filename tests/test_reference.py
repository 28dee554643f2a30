"""The generated pages of docs/ are what the program gives now, and leave nothing unexplained."""

import re

import pytest
from docs.reference import DOCS, PAGES, configuration, schemas

from hippod import config
from hippod.config import Config


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_what_the_program_gives(name: str) -> None:
    stands = (DOCS / name).read_text(encoding="utf-8")
    assert stands == PAGES[name](), f"docs/{name} is out of date: run `make docs`"


def test_every_key_of_the_configuration_says_what_it_means() -> None:
    silent = [
        f"{table}.{name}" for table, name, meaning in configuration.explained() if not meaning
    ]
    assert silent == [], "write a docstring below each of these in config.py"
    assert len([*configuration.explained()]) > 120


VARIABLES = [
    (variable, table, name)
    for table, name, _ in configuration.explained()
    if (variable := configuration.variable(table, name))
]


def test_the_variables_that_are_named_set_the_keys_beside_them() -> None:
    assert len(VARIABLES) > 90
    used = Config.model_validate({"server": {"socket": "x"}})
    for variable, table, name in VARIABLES:
        default = getattr(getattr(Config(), table), name)
        value = ", ".join(default) if isinstance(default, tuple) else str(default)
        told = config.explain(used, None, {variable: value or "x"})
        assert told[f"{table}.{name}"]["source"] == variable


@pytest.mark.parametrize(
    "name", ["RecallRequest", "Hit", "RetainRequest", "WriteRequest", "Why", "Opinion", "Status"]
)
def test_the_commonest_objects_explain_each_field(name: str) -> None:
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    (table,) = re.findall(rf"^### {name}\n(.*?)(?=^###|\Z)", page, re.DOTALL | re.MULTILINE)
    assert len(re.findall(r"^\| `", table, re.MULTILINE)) >= 3
    assert re.findall(r"^\| `(\w+)` .*\|\s*\|$", table, re.MULTILINE) == []


def test_links_within_the_api_page_lead_to_a_heading() -> None:
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    headings = {line.lstrip("# ").lower() for line in page.splitlines() if line.startswith("#")}
    links = set(re.findall(r"\]\(#([\w.-]+)\)", page))
    assert links <= headings
    assert len(links) > 60


@pytest.mark.parametrize(
    ("schema", "kind", "bounds"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 9000}, "whole number", "at least 1, at most 9,000"),  # noqa: E501
        ({"anyOf": [{"type": "number", "gt": 0}, {"type": "null"}]}, "number or null", "more than 0"),  # noqa: E501
        ({"enum": ["a", "b", ""]}, "`a`, `b` or empty", ""),
        ({"type": "array", "items": {"$ref": "#/x/Hit"}, "maxItems": 3}, "list of Hit", "at most 3 of them"),  # noqa: E501
        ({"type": "object", "additionalProperties": {"type": "boolean"}}, "object of true or false", ""),  # noqa: E501
        ({}, "any value", ""),
    ],
)  # fmt: skip
def test_schemas_in_words(schema: schemas.Schema, kind: str, bounds: str) -> None:
    assert schemas.kind(schema, str) == kind
    assert schemas.bounds(schema) == bounds


def test_a_cell_keeps_its_table_whole_and_a_silent_column_goes() -> None:
    table = schemas.table(("key", "value", "meaning"), [("a", "x | y\nz", "")])
    assert table == "| key | value |\n| --- | --- |\n| a | x \\| y z |\n"
