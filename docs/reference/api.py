"""The reference of the HTTP interface, from its OpenAPI document and the words below each field."""

import functools
import json
from collections.abc import Iterator
from typing import cast

from docs.reference import docstrings, schemas

from hippod import (
    errors,
    wire,
    wire_bank,
    wire_context,
    wire_doctor,
    wire_events,
    wire_exchange,
    wire_heartbeat,
)
from hippod.errors import HippodError
from hippod.server.app import build

HEAD = """\
# HTTP API

<!-- Made by `make docs` from the OpenAPI document and daemon/hippod/wire*.py: change it there. -->

HTTP/1.1 and JSON on a Unix socket that only its owner can open; `hippod status` says where it is.
None of this is ever served on a network. `GET /v1/openapi.json` is the same reference for programs.

<!-- curl -->

```console
$ SOCKET=$(hippod status --json | python3 -c '
import json, sys; print(json.load(sys.stdin)["socket"])')
$ curl -s --unix-socket "$SOCKET" http://hippod/v1/health
{"ok":true,"version":"…","wire":1}
$ curl -s --unix-socket "$SOCKET" http://hippod/v1/daily -d '{"text": "The spare key is with Ina"}'
…
$ curl -s --unix-socket "$SOCKET" http://hippod/v1/recall \\
    -d '{"query": "who has the spare key?", "limit": 3}'
…
$ curl -s --unix-socket "$SOCKET" http://hippod/v1/retain -d '
    {"session": "porch", "wait": true, "messages": [
    {"role": "user", "content": "Remember that the porch light is on a timer until May."}]}'
…
$ curl -s --unix-socket "$SOCKET" http://hippod/v1/files/MEMORY.md
…
$ curl -s --unix-socket "$SOCKET" http://hippod/v1/files/context/boats.md -X PUT \\
    -d '{"content": "# Boats\\n\\nThe dinghy is blue.\\n", "etag": ""}'
…
$ curl -s --unix-socket "$SOCKET" 'http://hippod/v1/tree?recursive=true&scope=group'
…
```

- **Bodies** are JSON objects, whatever the content type says. A field that is not listed is
  refused, by name.
- **`scope`** is a field of every request: in the body, or in the query of requests without one.
  `group` sees only what `[privacy] group_paths` lists.
- **`etag`** makes a write conditional: `""` only if the document is new, else the one that reading
  it gave.
- **Requests from a browser** are refused: those with `Origin` or `Referer`.
- **`Hippod-Workspace`**, a header with the path of a workspace, refuses the request on the socket
  of another one.
- **Connections**: 128 at once. Whoever finds no room gets 503 with the code `busy`: try again.
- **Dates** are `YYYY-MM-DD`; `since` and `until` also take a year, a month, or an age
  such as `30d`.

## Errors

Whatever fails answers with `{"error": {"code", "message", "hint"}}`: what went wrong and where, and
what to do.

"""
METHODS = ("get", "put", "post", "delete")


def page() -> str:
    """Return docs/api.md."""
    document = build(None, 1).openapi()  # type: ignore[arg-type]
    parts = [
        f"{HEAD}{_errors(document)}",
        *(_endpoint(method, path, each) for method, path, each in _operations(document)),
        "## Objects\n",
        *_objects(document),
    ]
    return "\n".join(parts)


def _operations(document: schemas.Schema) -> Iterator[tuple[str, str, schemas.Schema]]:
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                yield method, path, item[method]


# -- endpoints -------------------------------------------------------------------------------


def _endpoint(method: str, path: str, operation: schemas.Schema) -> str:
    parts = [f"## {method.upper()} {path}\n", f"{operation['description'].strip()}\n"]
    if rows := [_parameter(each) for each in operation.get("parameters", ())]:
        parts.append(schemas.table(("parameter", "value", "default", "meaning"), rows))
    if body := _json_of(operation.get("requestBody", {})):
        parts.append(f"Body: {_kind(body)}\n")
    parts.append(f"Answer: {_answer(operation['responses']['200'])}\n")
    return "\n".join(parts)


def _parameter(each: schemas.Schema) -> tuple[str, str, str, str]:
    place = {"path": "in the path", "header": "a header"}.get(each["in"], "")
    value = ", ".join(filter(None, (_kind(each["schema"]), schemas.bounds(each["schema"]), place)))
    default = "needed" if each.get("required") else _default(each["schema"])
    return f"`{each['name']}`", value, default, each.get("description", "")


def _answer(response: schemas.Schema) -> str:
    said = response["description"]
    said = "" if said == "Successful Response" else f" {said}"
    kinds = (
        _kind(content["schema"]) if kind == "application/json" else f"`{kind}`"
        for kind, content in response["content"].items()
    )
    return f"{' or '.join(kinds)}.{said}"


def _json_of(body: schemas.Schema) -> schemas.Schema:
    contents: schemas.Schema = body.get("content", {})
    return cast("schemas.Schema", contents.get("application/json", {}).get("schema", {}))


# -- objects ---------------------------------------------------------------------------------


MODULES = (
    wire, wire_bank, wire_context, wire_doctor, wire_events, wire_exchange, wire_heartbeat,
)  # fmt: skip


@functools.cache
def _written() -> dict[tuple[str, str], docstrings.Written]:
    return docstrings.fields_of(*MODULES)


def _objects(document: schemas.Schema) -> Iterator[str]:
    """Yield every object that some endpoint takes or gives, in alphabetical order."""
    bodies = [operation.get("requestBody", {}) for _, _, operation in _operations(document)]
    taken = _reached(bodies, document)
    for name in sorted(_reached(document["paths"], document)):
        yield _object(name, document, "needed" if name in taken else "always")


def _reached(part: object, document: schemas.Schema) -> set[str]:
    """Return the names of the objects that a part of the document leads to."""
    found: set[str] = set()
    waiting = [*schemas.references_in(part)]
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            waiting += schemas.references_in(document["components"]["schemas"][name])
    return found


def _object(name: str, document: schemas.Schema, required: str) -> str:
    schema = document["components"]["schemas"][name]
    rows = [
        _field(name, field, each, required if field in schema.get("required", ()) else "")
        for field, each in schema.get("properties", {}).items()
    ]
    table = schemas.table(("field", "value", "default", "meaning"), rows) if rows else ""
    return f"### {name}\n\n{schema.get('description', '').strip()}\n\n{table}"


def _field(owner: str, name: str, each: schemas.Schema, required: str) -> tuple[str, str, str, str]:
    value = ", ".join(filter(None, (_kind(each), schemas.bounds(each))))
    return f"`{name}`", value, required or _default(each), _meaning(owner, name)


def _meaning(owner: str, name: str) -> str:
    """Return the words below a field, of the class itself or of one that it is made of."""
    model = next(filter(None, (getattr(module, owner, None) for module in MODULES)), None)
    texts = (_written().get((base.__name__, name)) for base in (model.__mro__ if model else ()))
    return next((each.text for each in texts if each and each.text), "")


def _kind(schema: schemas.Schema) -> str:
    return schemas.kind(schema, lambda name: f"[{name}](#{name.lower()})")


def _default(schema: schemas.Schema) -> str:
    value = schema.get("default")
    if value is None:
        return ""
    if value in ("", [], {}):
        return "empty"
    return f"`{value}`" if isinstance(value, str) else f"`{json.dumps(value)}`"


# -- errors ----------------------------------------------------------------------------------


def _errors(document: schemas.Schema) -> str:
    meanings: dict[str, str] = {}
    for _, _, operation in _operations(document):
        for status, response in operation["responses"].items():
            if not status.startswith("2"):
                meanings[status] = response["description"]
    rows = ((status, meaning, _codes(int(status))) for status, meaning in sorted(meanings.items()))
    return schemas.table(("status", "meaning", "`code`"), rows)


def _codes(status: int) -> str:
    found = {each.code for each in _all(HippodError) if each.http_status == status}
    return ", ".join(f"`{code}`" for code in sorted(found))


def _all(error: type[HippodError]) -> Iterator[type[HippodError]]:
    if error.__module__ == errors.__name__:
        yield error
    for each in error.__subclasses__():
        yield from _all(each)
