"""The HTTP routes: each is one verb of the service, with the fields of `hippod.wire`.

Handlers are plain functions, so FastAPI runs them in its thread pool and the event loop stays
free for other clients while one of them waits for a disk or a model.
"""

from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException

from hippod import __version__, wire
from hippod.errors import HippodError, InvalidInput, NotFound
from hippod.scope import Scope
from hippod.server.guard import Guard
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

ScopeField = Annotated[Scope, Query(description="main sees all, group only [privacy] group_paths")]


NO_FIELDS = wire.Request()
LOOK_AGAIN = wire.ReindexRequest()


class Failure(wire.Model):
    """What went wrong: a stable code, one sentence, and what to do."""

    code: str
    message: str
    hint: str


class ErrorBody(wire.Model):
    """The body of every answer that is not 2xx."""

    error: Failure


def build(memory: Memory, max_body_bytes: int) -> FastAPI:
    """Return the application for `memory`."""
    app = FastAPI(
        title="hippod",
        version=__version__,
        description="Offline-first long-term memory for AI agents, over a Unix socket.",
        responses={
            code: {"model": ErrorBody} for code in (400, 403, 404, 409, 413, 422, 423, 503, 507)
        },
        docs_url=None,
        redoc_url=None,
        openapi_url="/v1/openapi.json",
    )
    app.add_middleware(Guard, max_body_bytes=max_body_bytes)
    app.add_exception_handler(HippodError, _known_error)
    app.add_exception_handler(RequestValidationError, _invalid_fields)
    app.add_exception_handler(HTTPException, _http_error)
    _questions(app, memory)
    _files(app, memory)
    _daily(app, memory)
    _operations(app, memory)
    return app


def _questions(app: FastAPI, memory: Memory) -> None:
    @app.post("/v1/recall")
    def recall(request: wire.RecallRequest) -> wire.RecallAnswer:
        """Search the memory: hits with citations, best first."""
        return memory.recall(request)

    @app.post("/v1/retain")
    def retain(request: wire.RetainRequest) -> wire.RetainAnswer:
        """Hand over messages or facts, or extract now what waits."""
        return memory.retain(request)


def _files(app: FastAPI, memory: Memory) -> None:
    @app.get("/v1/files/{path:document}")
    def read(path: str, response: Response, scope: ScopeField = "main") -> wire.FileContent:
        """Read a document."""
        content = memory.read(path, scope=scope)
        response.headers["ETag"] = f'"{content.etag}"'
        return content

    @app.put("/v1/files/{path:document}")
    def write(path: str, request: wire.WriteRequest) -> wire.Written:
        """Write a whole document, compare-and-swap if an etag is given."""
        return memory.write(path, request.content, etag=request.etag, scope=request.scope)

    @app.post("/v1/files/{path:document}")
    def change(path: str, request: wire.FileAction) -> wire.Written:
        """Append to a document, or replace one passage of it."""
        if request.action == "append":
            return memory.append(path, request.content, etag=request.etag, scope=request.scope)
        return memory.replace(
            path, request.old, request.new, etag=request.etag, scope=request.scope
        )

    @app.delete("/v1/files/{path:document}")
    def delete(path: str, etag: str | None = None, scope: ScopeField = "main") -> wire.Written:
        """Delete a document; its bytes stay in the journal."""
        return memory.delete(path, etag=etag, scope=scope)

    @app.get("/v1/tree")
    def tree(directory: str = "", recursive: bool = False, scope: ScopeField = "main") -> wire.Tree:
        """List a folder of the workspace."""
        return memory.tree(directory, recursive=recursive, scope=scope)


def _daily(app: FastAPI, memory: Memory) -> None:
    @app.get("/v1/daily/{date}")
    def daily_log(date: str, scope: ScopeField = "main") -> wire.DailyLog:
        """Return the daily log of an ISO date, or of `today`."""
        return memory.today_log(scope) if date == "today" else memory.daily_log(date, scope)

    @app.post("/v1/daily")
    def append_daily_log(request: wire.NoteRequest) -> wire.Written:
        """Append `[HH:MM:SS] text` to a daily log."""
        return memory.append_daily_log(request.text, date=request.date, scope=request.scope)


def _operations(app: FastAPI, memory: Memory) -> None:
    @app.get("/v1/health")
    async def health() -> dict[str, Any]:
        """Say that the daemon answers: nothing is opened or computed."""
        return {"ok": True, "version": __version__, "wire": wire.WIRE_VERSION}

    @app.get("/v1/status")
    def status(scope: ScopeField = "main") -> dict[str, Any]:
        """Describe workspace, index, models, sources and jobs."""
        return memory.status(scope)

    @app.get("/v1/config")
    def config(scope: ScopeField = "main") -> dict[str, Any]:
        """Return the effective configuration and where each value comes from."""
        return memory.effective_config(scope)

    @app.get("/v1/jobs")
    def jobs(scope: ScopeField = "main") -> dict[str, list[wire.Job]]:
        """List the scheduled jobs with their next and last runs."""
        return {"jobs": memory.jobs(scope)}

    @app.post("/v1/jobs/{name}/run")
    def run_job(name: str, request: wire.Request = NO_FIELDS) -> wire.Job:
        """Run a job now and wait for it."""
        return memory.run_job(name, request.scope)

    @app.post("/v1/reindex")
    def reindex(request: wire.ReindexRequest = LOOK_AGAIN) -> dict[str, Any]:
        """Look at every file again; `full` throws the index away first."""
        return memory.reindex(full=request.full, scope=request.scope)


def _answer(error: HippodError) -> JSONResponse:
    return JSONResponse({"error": error.wire()}, status_code=error.http_status)


async def _known_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HippodError)
    return _answer(error)


async def _invalid_fields(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    faults = [_field_fault(dict(fault)) for fault in error.errors()[:10]]
    return _answer(InvalidInput("; ".join(faults), "GET /v1/openapi.json lists every field"))


def _field_fault(fault: dict[str, Any]) -> str:
    place = [str(part) for part in fault["loc"] if part not in ("body", "query", "path")]
    return f"{'.'.join(place) or 'body'}: {fault['msg'].removeprefix('Value error, ')}"


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, HippodError):  # raised while the body was read
        return _answer(error.__cause__)
    if error.status_code == 404:
        return _answer(NotFound(f"no such endpoint: {request.url.path}", "see /v1/openapi.json"))
    unknown = InvalidInput(f"{request.method} {request.url.path}: {error.detail}")
    return JSONResponse({"error": unknown.wire()}, status_code=error.status_code)
