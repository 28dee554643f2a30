"""The HTTP routes: each is one verb of the service, with the fields of `hippod.wire`.

Handlers are plain functions, so FastAPI runs them in its thread pool and the event loop stays
free for other clients while one of them waits for a disk or a model.
"""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any, get_args, get_type_hints

from anyio import to_thread
from fastapi import FastAPI, Query, Request, Response
from fastapi import Path as PathParameter
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import ValidationError
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match, Route
from starlette.types import ASGIApp

from hippod import __version__, wanted, wire
from hippod.errors import HippodError, InvalidInput, NotFound
from hippod.metrics import Requests
from hippod.server import bank, context, doctor, events, exchange, heartbeat, jobs, metrics
from hippod.server.answers import answer
from hippod.server.guard import Guard
from hippod.server.patience import BODY_ONLY, Patiently
from hippod.service import Memory


class DocumentPath(Convertor[str]):
    """The rest of the URL, line breaks included: file names may hold them."""

    regex = "(?s:.*)"

    def convert(self, value: str) -> str:
        """Return the path as it is."""
        return value

    def to_string(self, value: str) -> str:
        """Return the path as it is."""
        return value


register_url_convertor("document", DocumentPath())

ScopeQuery = Annotated[wire.Request, Query()]
EntryId = Annotated[int, PathParameter(ge=1, le=wire.MAX_ENTRY)]
LOOK_AGAIN = wire.ReindexRequest()
EVERYTHING = wire.Request()


MOST_FAULTS = 10
MOST_OF_A_NAME = 100
"""Faults, and characters of an unknown field's name, that an answer repeats."""
ERRORS = {
    400: "not a request, or a path that is refused",
    403: "not for this scope, or from a browser",
    404: "no such endpoint, document or job",
    405: "not a method of this endpoint",
    409: "the document changed since it was read",
    413: "the body or the document is too large",
    422: "a field that cannot be right",
    423: "held by somebody else",
    500: "a fault of hippod's own",
    503: "the index or a model cannot answer at the moment",
    507: "the disk or the workspace fails",
}


class Failure(wire.Model):
    """What went wrong: a stable code, one sentence, and what to do."""

    code: str
    message: str
    hint: str


class ErrorBody(wire.Model):
    """The body of every answer that is not 2xx."""

    error: Failure


def _errors() -> dict[int | str, dict[str, Any]]:
    """Return what every endpoint may answer instead.

    One names the model, the others refer to it: as a model each would be made anew at every
    endpoint, which takes a twentieth of the daemon's start.
    """
    schema = {"$ref": f"#/components/schemas/{ErrorBody.__name__}"}
    same = {"content": {"application/json": {"schema": schema}}}
    errors: dict[int | str, dict[str, Any]] = {
        code: {"description": meaning, **same} for code, meaning in ERRORS.items()
    }
    return errors | {500: {"description": ERRORS[500], "model": ErrorBody}}


def build(
    memory: Memory, max_body_bytes: int, workspace: str = "", mcp: ASGIApp | None = None
) -> FastAPI:
    """Return the application for `memory`, which refuses who means another `workspace`.

    `mcp` answers what is sent to /mcp.
    """
    app = FastAPI(
        title="hippod",
        version=__version__,
        description="Offline-first long-term memory for AI agents, over a Unix socket. "
        "Bodies are JSON; `scope` is a field of every request: `main` sees all, `group` only "
        "what the configuration lists for it.",
        responses=_errors(),
        docs_url=None,
        redoc_url=None,
        openapi_url="/v1/openapi.json",
        redirect_slashes=False,
    )
    requests = Requests()
    app.add_middleware(Guard, max_body_bytes=max_body_bytes, workspace=workspace, saw=requests.saw)
    app.add_exception_handler(HippodError, _known_error)
    app.add_exception_handler(RequestValidationError, _invalid_fields)
    app.add_exception_handler(HTTPException, _http_error)
    patiently = Patiently()
    _questions(app, memory, patiently)
    _files(app, memory)
    _daily(app, memory)
    _provenance(app, memory)
    bank.routes(app, memory, patiently)
    context.routes(app, memory)
    events.routes(app, memory)
    exchange.routes(app, memory, patiently)
    heartbeat.routes(app, memory, patiently)
    metrics.routes(app, memory, requests)
    doctor.routes(app, memory, patiently)
    _operations(app, memory, patiently)
    jobs.routes(app, memory, patiently)  # after those that run a job with fields of its own
    if mcp is not None:
        app.router.routes.append(Route("/mcp", mcp, include_in_schema=False))
    return app


def _as_it_is(answer: wire.Model) -> Response:
    """Write a model of ours as JSON, without FastAPI validating it again in one more thread."""
    return Response(answer.model_dump_json(), media_type="application/json")


class _RecallRoute(APIRoute):
    """The route of recall, which takes a sound body in one step.

    FastAPI's own steps cost a fifth of a millisecond. They stay for whatever is not sound, so
    that faults are told as everywhere.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what answers a request."""
        step_by_step = super().get_route_handler()

        async def at_once(request: Request) -> Response:
            if request.scope["query_string"]:
                return await step_by_step(request)
            try:
                asked = wire.RecallRequest.model_validate_json(await request.body())
            except (ValidationError, ClientDisconnect):
                return await step_by_step(request)
            response: Response = await self.endpoint(asked)
            return response

        return at_once


def _questions(app: FastAPI, memory: Memory, patiently: Patiently) -> None:
    async def recall(request: wire.RecallRequest) -> Response:
        """Search the memory: hits with citations, best first."""
        return await to_thread.run_sync(lambda: _as_it_is(memory.recall(request)))

    app.router.add_api_route(
        "/v1/recall",
        recall,
        methods=["POST"],
        dependencies=BODY_ONLY,
        response_model=wire.RecallAnswer,
        route_class_override=_RecallRoute,
    )

    @app.post("/v1/retain", dependencies=BODY_ONLY)
    async def retain(request: wire.RetainRequest) -> wire.RetainAnswer:
        """Hand over messages or facts, or extract now what waits."""
        if request.wait or request.explain:
            return await patiently(lambda: memory.retain(request))
        return await to_thread.run_sync(memory.retain, request)


def _files(app: FastAPI, memory: Memory) -> None:
    @app.get("/v1/files/{path:document}")
    def read(path: str, request: ScopeQuery) -> wire.FileContent:
        """Read a document."""
        return memory.read(path, scope=request.scope)

    @app.put("/v1/files/{path:document}", dependencies=BODY_ONLY)
    def write(path: str, request: wire.WriteRequest) -> wire.Written:
        """Write a whole document, compare-and-swap if an etag is given."""
        return memory.write(path, request.content, etag=request.etag, scope=request.scope)

    @app.post("/v1/files/{path:document}", dependencies=BODY_ONLY)
    def change(path: str, request: wire.FileAction) -> wire.Written:
        """Append to a document, replace one passage of it, insert lines, or move it."""
        etag, scope = request.etag, request.scope
        if request.action == "append":
            return memory.append(path, request.content, etag=etag, scope=scope)
        if request.action == "insert":
            return memory.insert(path, request.line, request.content, etag=etag, scope=scope)
        if request.action == "move":
            return memory.move(path, request.to, etag=etag, scope=scope)
        return memory.replace(path, request.old, request.new, etag=etag, scope=scope)

    @app.delete("/v1/files/{path:document}")
    def delete(path: str, request: Annotated[wire.DeleteRequest, Query()]) -> wire.Written:
        """Delete a document; its bytes stay in the journal."""
        return memory.delete(path, etag=request.etag, scope=request.scope)

    @app.get("/v1/tree")
    def tree(request: Annotated[wire.TreeRequest, Query()]) -> wire.Tree:
        """List a folder of the workspace."""
        return memory.tree(request.directory, recursive=request.recursive, scope=request.scope)


def _daily(app: FastAPI, memory: Memory) -> None:
    @app.get("/v1/daily/{date}")
    def daily_log(date: str, request: ScopeQuery) -> wire.DailyLog:
        """Return the daily log of an ISO date, of `today` or `yesterday`."""
        return memory.daily_log(date, request.scope)

    @app.post("/v1/daily", dependencies=BODY_ONLY)
    def append_daily_log(request: wire.NoteRequest) -> wire.Written:
        """Append `[HH:MM:SS] text` to a daily log."""
        return memory.append_daily_log(request.text, date=request.date, scope=request.scope)


def _provenance(app: FastAPI, memory: Memory) -> None:
    @app.get("/v1/why/{id}")
    def why(id: str, request: ScopeQuery) -> wire.Why:
        """Trace a fact, by its id or a beginning of it, down to what was said."""
        return memory.why(id, request.scope)

    @app.get("/v1/log")
    def log(request: Annotated[wire.LogRequest, Query()]) -> wire.Log:
        """List the changes that hippod made, the newest first."""
        return memory.log(request)

    @app.get("/v1/log/{entry}")
    def logged(entry: EntryId, request: ScopeQuery) -> wire.LoggedChange:
        """Return one change with its diff."""
        return memory.logged(entry, request.scope)

    @app.post("/v1/undo", dependencies=BODY_ONLY)
    def undo(request: wire.UndoRequest) -> wire.Undone:
        """Take a change back, or say what that would do."""
        return memory.undo(request)


def _operations(app: FastAPI, memory: Memory, patiently: Patiently) -> None:
    @app.get("/v1/health")
    async def health(request: ScopeQuery) -> wire.Health:
        """Say that the daemon answers: nothing is opened or computed."""
        return wire.Health(version=__version__)

    @app.get("/v1/status")
    def status(request: ScopeQuery) -> wire.Status:
        """Describe workspace, index, models, sources and jobs."""
        return memory.status(request.scope)

    @app.get("/v1/config")
    def config(request: ScopeQuery) -> dict[str, wire.ConfigValue]:
        """Return the effective configuration and where each value comes from."""
        found = memory.effective_config(request.scope)
        return {key: wire.ConfigValue(**value) for key, value in found.items()}

    @app.post("/v1/config/reload", dependencies=BODY_ONLY)
    async def reload(request: wire.Request = EVERYTHING) -> wire.ConfigReloaded:
        """Read the configuration again; a faulty one changes nothing."""
        return await memory.reload_config(request.scope)

    @app.post("/v1/reindex", dependencies=BODY_ONLY)
    async def reindex(request: wire.ReindexRequest = LOOK_AGAIN) -> wire.Reindexed:
        """Look at every file again; `full` throws the index away first."""
        return await patiently(lambda: memory.reindex(full=request.full, scope=request.scope))


async def _known_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HippodError)
    return answer(error)


async def _invalid_fields(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    faults = [_field_fault(fault, request) for fault in error.errors()[:MOST_FAULTS]]
    return answer(InvalidInput("; ".join(faults), "GET /v1/openapi.json lists every field"))


def _field_fault(fault: dict[str, Any], request: Request) -> str:
    if fault["type"] == "json_invalid":
        return f"body: not JSON ({fault['ctx']['error']} at character {fault['loc'][-1]})"
    if fault["type"] in ("union_tag_not_found", "union_tag_invalid"):
        return _unknown_action(fault, request)
    place = [str(part)[:MOST_OF_A_NAME] for part in fault["loc"]]
    if place[0] in ("body", "query", "path"):
        place = place[1:] or place
    return f"{'.'.join(place)}: {wanted.of_a_request(fault)}"


def _unknown_action(fault: dict[str, Any], request: Request) -> str:
    """Say which values there are of the field that says what a body asks for."""
    field = fault["ctx"]["discriminator"].strip("'")
    bodies = get_args(get_type_hints(request.scope["route"].endpoint)["request"])
    known = ", ".join(get_args(body.model_fields[field].annotation)[0] for body in bodies)
    if fault["type"] == "union_tag_not_found":
        return f"{field}: missing; it is one of {known}"
    return f"{field}: {fault['ctx']['tag'][:MOST_OF_A_NAME]!r} is none of {known}"


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, HippodError):  # raised while the body was read
        return answer(error.__cause__)
    if error.status_code == 404:
        return answer(NotFound(f"no such endpoint: {request.url.path}", "see /v1/openapi.json"))
    if isinstance(error.__cause__, ValueError | RecursionError):
        return answer(InvalidInput("body: not JSON that can be read"), error.status_code)
    wrong = InvalidInput(f"{request.method} {request.url.path}: {error.detail}")
    response = answer(wrong, error.status_code)
    if error.status_code == 405:
        response.headers["allow"] = ", ".join(sorted(_methods(request)))
    return response


def _methods(request: Request) -> set[str]:
    """Return what may be done at the URL of a request, by whatever routes."""
    routes = (each for each in request.app.routes if isinstance(each, APIRoute))
    there = (each for each in routes if each.matches(request.scope)[0] is not Match.NONE)
    return {method for route in there for method in route.methods or ()}
