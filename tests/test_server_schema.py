"""The OpenAPI document against the application: generated requests find no contradiction.

`HIPPOD_SCHEMA_EXAMPLES=300` looks for hours where a commit looks for seconds.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from typing import cast

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import booleans
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from hippod import wire
from hippod.config import load
from hippod.server.app import build
from hippod.service import Memory
from tests.test_service import Clock, assembled

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    response_headers_conformance,
    unsupported_method,
]
EXAMPLES = int(os.environ.get("HIPPOD_SCHEMA_EXAMPLES", "4"))
"""Of each operation, with what is documented and as many with what is not."""
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("server-schema")]


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[schemathesis.BaseSchema]:
    root = tmp_path_factory.mktemp("schema") / "workspace"
    config = load(None, {"HIPPOD_WORKSPACE__PATH": str(root), "HIPPOD_WORKSPACE__TIMEZONE": "UTC"})
    with ExitStack() as stack:
        memory = assembled(config, Clock(), stack)
        for path in ("a.md", "context/b.md"):
            memory.write(path, "# Note\n\nThe heron fishes at the weir.\n")
        fact = memory.retain(wire.RetainRequest(facts=("W @Ina: Rows on the weir.",))).stored[0]
        REAL["/v1/why/{id}"] = fact.id
        yield schemathesis.openapi.from_asgi("/v1/openapi.json", build(memory, 100_000))


DOCUMENT = build(cast("Memory", None), 1).openapi()
OPERATIONS = [(path, method) for path, methods in DOCUMENT["paths"].items() for method in methods]


REAL = {
    "path": "context/b.md",
    "date": "2026-03-03",
    "name": "reconcile",
    "/v1/entities/{name}": "Ina",
    "id": "k3f9",
    "entry": "1",
    "session": "s",
}
"""What generated names in a path never hit."""
ENDLESS = ("/v1/events",)
"""Streams, asked for the list that they give as well; test_events_doors.py reads them as such."""


@pytest.mark.parametrize("mode", list(schemathesis.GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_answers_are_as_documented(
    api: schemathesis.BaseSchema, path: str, method: str, mode: schemathesis.GenerationMode
) -> None:
    @given(case=api[path][method].as_strategy(generation_mode=mode), real=booleans())
    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    def requested(case: schemathesis.Case, real: bool) -> None:
        if real and case.path_parameters:
            case.path_parameters = {
                name: REAL.get(path, REAL[name]) for name in case.path_parameters
            }
        if path in ENDLESS:
            case.query = {**(case.query or {}), "follow": "false"}
        case.call_and_validate(checks=CHECKS)

    requested()
