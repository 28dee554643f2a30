"""The synchronous client of a running daemon: one method per verb, over the Unix socket.

Raw HTTP/1.0 and json on purpose: `http.client` alone costs more than all the rest of a command
(email.parser and ssl, 26 ms), httpx 100 ms. Nothing beyond the cheap standard library here.
"""

from __future__ import annotations

import _socket as socket  # `socket` itself adds selectors and enum, 4 ms, and nothing used here
import json
import os
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence

from hippod import __version__, errors, paths

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing.TYPE_CHECKING without the 8 ms of importing typing
    from types import TracebackType
    from typing import Any, Self

READ_TIMEOUT = 10.0
"""Seconds for a verb that answers from what is there."""
WORK_TIMEOUT = 600.0
"""Seconds for a verb that waits for work: a job, a reindex, an extraction."""
SILENCE_TIMEOUT = 150.0
"""Seconds without a sign of life, of which a stream of events has one a minute."""
OLDER = "older"
"""The version of a daemon that does not name its own."""
MAX_ANSWER = 64_000_000
"""Bytes of an answer that are read."""
MAX_HEAD = 64_000
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class Client:
    """The verbs of the daemon behind a socket; each call blocks and returns the wire object.

    Without `socket_path` the socket is found from `workspace` and `config` as the command line
    finds it. A daemon of another workspace than these name refuses every call. `timeout`
    (seconds) holds for every call; None: 10 s, and 10 minutes for calls that wait for work.
    Raises the classes of `hippod.errors`: `DaemonDown` if nobody answers, `NotResponding` if the
    answer does not come in time, else whatever the daemon reports.
    """

    def __init__(
        self,
        socket_path: str | os.PathLike[str] | None = None,
        *,
        workspace: str | os.PathLike[str] | None = None,
        config: str | os.PathLike[str] | None = None,
        scope: str = "main",
        timeout: float | None = None,
    ) -> None:
        if timeout is not None and not 0 < timeout <= 86_400:
            raise errors.InvalidInput(f"timeout: {timeout} is not between 0 and 86400 seconds")
        self.scope = scope
        self.timeout = timeout
        self.daemon_version: str | None = None
        """The version that the last answer named; None before there was one."""
        self._start_with = "hippod run"
        self._trusted = socket_path is not None
        self._meant = ""
        """The workspace that was named, if one was."""
        if socket_path is not None:
            self._places: tuple[str, ...] = (os.fspath(socket_path),)
            if workspace or config:
                self._meant = os.path.realpath(self._root(workspace, config))
        else:
            self._places = self._find(workspace, config)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Do nothing: every call has a connection of its own, closed when it returns."""

    @property
    def socket_path(self) -> str:
        """The socket that is dialled first."""
        return self._places[0]

    # -- questions ---------------------------------------------------------------------------

    def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        since: str | None = None,
        until: str | None = None,
        as_of: str | None = None,
        kind: Sequence[str] | None = None,
        entity: Sequence[str] | None = None,
        path: str | None = None,
        mode: str | None = None,
        fusion: str | None = None,
        bm25_weight: float | None = None,
        vector_weight: float | None = None,
        min_score: float | None = None,
        rrf_k: int | None = None,
        budget_tokens: int | None = None,
        explain: bool | None = None,
        format: str | None = None,
        context_lines: int | None = None,
    ) -> dict[str, Any]:
        """Search the memory; options left out are the daemon's defaults.

        With `format="agent"` the answer's `text` quotes the hits for a prompt.

        Bytes of `query` that are not text (a cut UTF-8 sequence) are replaced, never refused.
        """
        body = {
            "query": _lenient(query), "limit": limit, "since": since, "until": until,
            "as_of": as_of, "kind": kind, "entity": entity, "path": path, "mode": mode,
            "fusion": fusion, "bm25_weight": bm25_weight, "vector_weight": vector_weight,
            "min_score": min_score, "rrf_k": rrf_k, "budget_tokens": budget_tokens,
            "explain": explain, "format": format, "context_lines": context_lines,
        }  # fmt: skip
        return self._send("POST", "/v1/recall", body)

    search = recall

    def retain(
        self,
        messages: Iterable[Mapping[str, Any]] = (),
        *,
        facts: Iterable[str] = (),
        session: str | None = None,
        flush: bool = False,
        ended: bool = False,
        wait: bool = False,
        explain: bool = False,
    ) -> dict[str, Any]:
        """Hand over messages or facts, or extract now what waits of `session`.

        `ended` says that `session` is over: its working memory goes.
        """
        body = {
            "messages": list(messages), "facts": list(facts), "session": session,
            "flush": flush, "ended": ended or None, "wait": wait, "explain": explain,
        }  # fmt: skip
        return self._send("POST", "/v1/retain", body, work=wait or explain)

    # -- documents ---------------------------------------------------------------------------

    def read(self, path: str) -> dict[str, Any]:
        """Return a document with its `content` and `etag`."""
        return self._get(_file(path))

    def write(self, path: str, content: str, *, etag: str | None = None) -> dict[str, Any]:
        """Write a whole document; with `etag`, only over that version (`""`: only if new)."""
        return self._send("PUT", _file(path), {"content": content, "etag": etag})

    def append(self, path: str, content: str, *, etag: str | None = None) -> dict[str, Any]:
        """Add text at the end of a document, on a line of its own."""
        body = {"action": "append", "content": content, "etag": etag}
        return self._send("POST", _file(path), body)

    def replace(self, path: str, old: str, new: str, *, etag: str | None = None) -> dict[str, Any]:
        """Replace the one place where `old` stands by `new`."""
        body = {"action": "replace", "old": old, "new": new, "etag": etag}
        return self._send("POST", _file(path), body)

    def insert(
        self, path: str, line: int, content: str, *, etag: str | None = None
    ) -> dict[str, Any]:
        """Insert text on lines of its own before line `line` (from 1); last + 1 appends."""
        body = {"action": "insert", "line": line, "content": content, "etag": etag}
        return self._send("POST", _file(path), body)

    def move(self, path: str, to: str, *, etag: str | None = None) -> dict[str, Any]:
        """Give a document another path, where nothing stands yet."""
        return self._send("POST", _file(path), {"action": "move", "to": to, "etag": etag})

    def delete(self, path: str, *, etag: str | None = None) -> dict[str, Any]:
        """Delete a document."""
        return self._get(_file(path), {"etag": etag}, method="DELETE")

    def tree(self, directory: str = "", *, recursive: bool = False) -> dict[str, Any]:
        """List a folder of the workspace."""
        query = {"directory": directory, "recursive": "true" if recursive else "false"}
        return self._get("/v1/tree", query)

    list = tree

    # -- daily logs --------------------------------------------------------------------------

    def today_log(self) -> dict[str, Any]:
        """Return today's daily log."""
        return self.daily_log("today")

    def daily_log(self, date: str) -> dict[str, Any]:
        """Return the daily log of an ISO date, `today` or `yesterday`; without one, no content."""
        return self._get(f"/v1/daily/{quote(str(date), safe_slash=False)}")

    def append_daily_log(self, text: str, *, date: str | None = None) -> dict[str, Any]:
        """Append `[HH:MM:SS] text` to the daily log of `date`, by default today's."""
        return self._send("POST", "/v1/daily", {"text": text, "date": date})

    # -- context -----------------------------------------------------------------------------

    def context(
        self, session: str | None = None, *, budget_tokens: int | None = None
    ) -> dict[str, Any]:
        """Return what an agent is given at the start of a session, as `text`."""
        budget = None if budget_tokens is None else str(budget_tokens)
        return self._get("/v1/context", {"session": session, "budget_tokens": budget})

    def system_prompt(self, session: str | None = None, *, budget_tokens: int | None = None) -> str:
        """Return the text of `context` alone."""
        return str(self.context(session, budget_tokens=budget_tokens)["text"])

    def get_working(self, session: str) -> dict[str, Any]:
        """Return the working memory of a session; empty `content` if nothing is kept."""
        return self._get(_working(session))

    def set_working(self, session: str, content: str) -> dict[str, Any]:
        """Keep a text as the working memory of a session."""
        return self._send("PUT", _working(session), {"content": content})

    def append_working(self, session: str, content: str) -> dict[str, Any]:
        """Add a text, on a line of its own, to the working memory of a session."""
        return self._send("POST", _working(session), {"content": content})

    def clear_working(self, session: str) -> dict[str, Any]:
        """Drop the working memory of a session."""
        return self._get(_working(session), method="DELETE")

    # -- provenance --------------------------------------------------------------------------

    def why(self, id_: str) -> dict[str, Any]:
        """Trace a fact, by its id or a beginning of it, down to what was said."""
        return self._get(f"/v1/why/{quote(id_, safe_slash=False)}")

    def log(self, *, path: str | None = None, limit: int | None = None) -> dict[str, Any]:
        """List the changes that hippod made (to a path, or a glob), newest first."""
        return self._get("/v1/log", {"path": path, "limit": None if limit is None else str(limit)})

    def logged(self, number: int) -> dict[str, Any]:
        """Return one change with its diff."""
        return self._get(f"/v1/log/{number}")

    def undo(self, number: int, *, dry_run: bool = False) -> dict[str, Any]:
        """Take a change back; with `dry_run` only say what that would do."""
        return self._send("POST", "/v1/undo", {"id": number, "dry_run": dry_run})

    # -- the bank ----------------------------------------------------------------------------

    def entities(self) -> dict[str, Any]:
        """List who is who, with what is unclear or looks alike."""
        return self._get("/v1/entities")

    def entity(self, name: str, *, limit: int | None = None) -> dict[str, Any]:
        """Describe an entity, by any of its names, with its newest facts."""
        return self._get(_entity(name), {"limit": None if limit is None else str(limit)})

    def merge_entities(self, name: str, into: str, *, dry_run: bool = False) -> dict[str, Any]:
        """Make an entity and all its names names of another one; facts are not rewritten."""
        body = {"action": "merge", "into": into, "dry_run": dry_run}
        return self._send("POST", _entity(name), body, work=True)

    def split_entity(self, name: str, alias: str, *, dry_run: bool = False) -> dict[str, Any]:
        """Say that `alias` is somebody else than the entity."""
        body = {"action": "split", "alias": alias, "dry_run": dry_run}
        return self._send("POST", _entity(name), body, work=True)

    def rename_entity(self, name: str, new: str, *, dry_run: bool = False) -> dict[str, Any]:
        """Give an entity another name; the old one becomes an alias."""
        body = {"action": "rename", "new": new, "dry_run": dry_run}
        return self._send("POST", _entity(name), body, work=True)

    def adopt_entity(self, name: str, *, dry_run: bool = False) -> dict[str, Any]:
        """Let hippod rewrite the regions of a page again that a person edited."""
        body = {"action": "adopt", "dry_run": dry_run}
        return self._send("POST", _entity(name), body, work=True)

    def reflect(self, *, since: str | None = None, dry_run: bool = False) -> dict[str, Any]:
        """Bring the bank's pages up to date, or with `dry_run` say what that would change."""
        body = {"since": since, "dry_run": dry_run}
        return self._send("POST", "/v1/jobs/reflect/run", body, work=True)

    def hygiene(self, *, dry_run: bool = False, apply: Iterable[str] = ()) -> dict[str, Any]:
        """Tidy up, or with `dry_run` say what is to do; `apply` names ids to merge or delete."""
        body = {"dry_run": dry_run, "apply": list(apply)}
        return self._send("POST", "/v1/jobs/hygiene/run", body, work=True)

    def forget(
        self,
        text: str | None = None,
        *,
        id: str | None = None,
        dry_run: bool = True,
        every: bool = False,
    ) -> dict[str, Any]:
        """Say what forgetting a text, a fact or an opinion would remove; do it if not `dry_run`.

        `every`: even a short text that stands in many places.
        """
        body = {"text": text, "id": id, "dry_run": dry_run, "every": every}
        return self._send("POST", "/v1/forget", body, work=True)

    def opinions(self, entity: str | None = None) -> dict[str, Any]:
        """List the opinions, or those about an entity."""
        return self._get("/v1/opinions", {"entity": entity})

    def opinion(self, id_: str) -> dict[str, Any]:
        """Return an opinion, by its id or a beginning of it, with its evidence."""
        return self._get(f"/v1/opinions/{quote(id_, safe_slash=False)}")

    def recompute_opinions(self, *, dry_run: bool = False) -> dict[str, Any]:
        """Set each confidence to what its evidence gives; with `dry_run` only say which."""
        return self._send("POST", "/v1/opinions/recompute", {"dry_run": dry_run})

    def proposals(self) -> dict[str, Any]:
        """List the proposals for MEMORY.md."""
        return self._get("/v1/proposals")

    def proposal(self, id_: str) -> dict[str, Any]:
        """Return a proposal, by its id or a beginning of it, with what it changes."""
        return self._get(f"/v1/proposals/{quote(id_, safe_slash=False)}")

    def accept_proposal(self, id_: str, *, force: bool = False) -> dict[str, Any]:
        """Make the change of a proposal; `force` also if it loses over a quarter of the lines."""
        body = {"action": "accept", "force": force}
        return self._send("POST", f"/v1/proposals/{quote(id_, safe_slash=False)}", body)

    def reject_proposal(self, id_: str) -> dict[str, Any]:
        """Turn a proposal down: it does not come back."""
        target = f"/v1/proposals/{quote(id_, safe_slash=False)}"
        return self._send("POST", target, {"action": "reject"})

    # -- operations --------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """Describe workspace, index, models, sources and jobs."""
        return self._get("/v1/status")

    def metrics(self) -> str:
        """Return the daemon's figures as Prometheus reads them."""
        target = self._target("/metrics", {})
        status, content = self._exchange("GET", target, b"", work=False)
        if status != 200:
            _result(status, content)
        return content.decode("utf-8", "replace")

    def doctor(self, *, fix: bool = False, only: Sequence[str] = ()) -> dict[str, Any]:
        """Have the daemon test each claim, or those that `only` names; return its findings.

        With `fix` it also mends what can safely be mended.
        """
        body = {"fix": fix, "only": list(only)}
        return self._send("POST", "/v1/doctor", body, work=True)

    def health(self) -> dict[str, Any]:
        """Ask whether the daemon answers at all."""
        return self._get("/v1/health")

    def jobs(self) -> dict[str, Any]:
        """List the scheduled jobs, under `jobs`."""
        return self._get("/v1/jobs")

    def run_job(self, name: str) -> dict[str, Any]:
        """Run a job now and wait for it."""
        target = f"/v1/jobs/{quote(name, safe_slash=False)}/run"
        return self._send("POST", target, {}, work=True)

    def heartbeat(self, *, dry_run: bool = False) -> dict[str, Any]:
        """Look at the checklist now, or say what that would do; `reply` says what it came to."""
        return self._send("POST", "/v1/jobs/heartbeat/run", {"dry_run": dry_run}, work=True)

    def heartbeat_history(self, limit: int = 20) -> dict[str, Any]:
        """List the last heartbeats, the newest first, as `beats`."""
        return self._get("/v1/heartbeat", {"limit": str(limit)})

    def pause_job(self, name: str) -> dict[str, Any]:
        """Let a job run only when asked, until it is resumed."""
        return self._send("POST", f"/v1/jobs/{quote(name, safe_slash=False)}/pause", {})

    def resume_job(self, name: str) -> dict[str, Any]:
        """Let a paused job go on at its next time."""
        return self._send("POST", f"/v1/jobs/{quote(name, safe_slash=False)}/resume", {})

    def reindex(self, *, full: bool = False) -> dict[str, Any]:
        """Look at every file again; `full` rebuilds the index from nothing."""
        return self._send("POST", "/v1/reindex", {"full": full}, work=True)

    def events(
        self,
        *,
        after: int | None = None,
        types: Iterable[str] = (),
        follow: bool = True,
        limit: int | None = None,
    ) -> Generator[dict[str, Any], None, None]:
        """Yield what happens from now on, first what came behind the event `after`.

        All, or events of some `types`; each has an `id`, a `time` and a `type`. Blocks between
        them, and raises `DaemonDown` when the daemon stops: go on with the last id. Without
        `follow` it yields the newest ones, or the first behind `after`, and ends; `limit` of them.
        """
        query = {
            "after": None if after is None else str(after),
            "types": ",".join(types) or None,
            "follow": "true" if follow else "false",
            "limit": None if limit is None else str(limit),
        }
        if follow:
            yield from self._follow(self._target("/v1/events", query))
        else:
            yield from self._get("/v1/events", query)["events"]

    def backup(
        self,
        path: str | os.PathLike[str],
        *,
        force: bool = False,
        heard: Callable[[int], None] = lambda count: None,
    ) -> dict[str, Any]:
        """Write a backup of the workspace and its state to a file; return what is in it.

        It is read back before it gets its name. `heard` is told how many bytes have come. Raises
        `Conflict` if something stands there and not `force`.
        """
        from pathlib import Path

        from hippod import archive, publishing

        target = Path(os.fspath(path)).absolute()
        publishing.check_target(target, force=force)
        about = self.status().get("workspace")
        if about:  # a group is not told, and refused next
            publishing.refuse_inside(target, Path(about["path"]))
        connection, pieces = self._opened(self._target("/v1/backup", {}), work=True)
        try:
            manifest = archive.save(_counted(self._in_time(pieces), heard), target, force=force)
        finally:
            connection.close()
        return archive.summary(manifest, target)

    def export(
        self, *, since: str | None = None, types: Iterable[str] = ()
    ) -> Generator[str, None, None]:
        """Yield facts, opinions and entities as lines of JSON, the first and last about them."""
        query = {"since": since, "types": ",".join(types) or None}
        connection, pieces = self._opened(self._target("/v1/export", query), work=True)
        rest, line = b"", ""
        try:
            for piece in self._in_time(pieces):
                *whole, rest = (rest + piece).split(b"\n")
                for line in map(bytes.decode, whole):
                    yield line
        except UnicodeDecodeError:
            raise _nonsense("no lines of UTF-8") from None
        finally:
            connection.close()
        if rest or not line.startswith('{"type":"end"'):
            raise errors.HippodError("the export broke off", "look at the daemon's log")

    def import_(
        self, text: str, *, line: int = 1, batch: str | None = None, dry_run: bool = False
    ) -> dict[str, Any]:
        """Take lines of an export, of which the first is the `line`th, and add what is missing.

        The parts of a long one carry the same `batch`: `undo_import` takes all of it back.
        """
        fields = {"text": text, "line": line, "batch": batch, "dry_run": dry_run}
        return self._send("POST", "/v1/import", {"action": "add", **fields}, work=True)

    def undo_import(self, batch: str, *, dry_run: bool = False) -> dict[str, Any]:
        """Take back what an import added, as far as it was not edited since."""
        fields = {"action": "undo", "batch": batch, "dry_run": dry_run}
        return self._send("POST", "/v1/import", fields, work=True)

    def config_show(self) -> dict[str, Any]:
        """Return `{key: {value, source}}` of the daemon's configuration."""
        return self._get("/v1/config")

    def reload_config(self) -> dict[str, Any]:
        """Have the daemon read its configuration again; return which keys that changed."""
        return self._send("POST", "/v1/config/reload", {}, work=True)

    # ----------------------------------------------------------------------------------------

    def _root(
        self,
        workspace: str | os.PathLike[str] | None,
        config: str | os.PathLike[str] | None,
    ) -> str:
        """Return the workspace that is named, by itself or by a config."""
        if workspace:
            return paths.workspace_path(os.fspath(workspace), None, os.environ)
        file = paths.config_path(os.fspath(config) if config else None, os.environ)
        folder = os.path.dirname(file)  # noqa: PTH120 - pathlib costs 8 ms
        set_path, _ = paths.configured(file, os.environ)
        return paths.workspace_path(None, set_path, os.environ, config_dir=folder)

    def _find(
        self,
        workspace: str | os.PathLike[str] | None,
        config: str | os.PathLike[str] | None,
    ) -> tuple[str, ...]:
        environ = os.environ
        if environ.get("HIPPOD_SOCKET") and not workspace and not config:
            self._trusted = True
            return paths.socket_places("", "", environ)
        file = paths.config_path(os.fspath(config) if config else None, environ)
        folder = os.path.dirname(file)  # noqa: PTH120 - pathlib costs 8 ms
        set_path, set_socket = paths.configured(file, environ)
        given = os.fspath(workspace) if workspace else None
        root = paths.workspace_path(given, set_path, environ, config_dir=folder)
        self._start_with = _start_command(given, config)
        if workspace or config:
            self._meant = os.path.realpath(root)
        self._trusted = bool(set_socket or environ.get("HIPPOD_SOCKET"))
        return paths.socket_places(root, set_socket, environ, config_dir=folder)

    def _get(
        self, target: str, query: Mapping[str, str | None] | None = None, method: str = "GET"
    ) -> dict[str, Any]:
        return self._call(method, self._target(target, query or {}), b"", work=False)

    def _target(self, target: str, query: Mapping[str, str | None]) -> str:
        fields = {**query, "scope": self.scope}
        pairs = (f"{k}={quote(v, safe_slash=False)}" for k, v in fields.items() if v is not None)
        return f"{target}?{'&'.join(pairs)}"

    def _send(
        self, method: str, target: str, fields: Mapping[str, Any], *, work: bool = False
    ) -> dict[str, Any]:
        given = {name: value for name, value in fields.items() if value is not None}
        return self._call(method, target, _encode({**given, "scope": self.scope}), work=work)

    def _call(self, method: str, target: str, body: bytes, *, work: bool) -> dict[str, Any]:
        return _result(*self._exchange(method, target, body, work=work))

    def _exchange(self, method: str, target: str, body: bytes, *, work: bool) -> tuple[int, bytes]:
        """Send a request and return status and body of the answer."""
        seconds = self.timeout or (WORK_TIMEOUT if work else READ_TIMEOUT)
        deadline = time.monotonic() + seconds
        try:
            connection = self._dial(deadline)
            try:
                _send_all(connection, _request(method, target, body, self._meant), deadline)
                status, headers, content = _receive(connection, deadline)
            finally:
                connection.close()
        except TimeoutError:
            raise self._silent(seconds) from None
        self.daemon_version = headers.get("hippod-version", OLDER)
        return status, content

    def _follow(self, target: str) -> Iterator[dict[str, Any]]:
        """Yield the events of a stream, until the daemon ends it."""
        from hippod.event_stream import payloads

        connection, pieces = self._opened(target)
        try:
            for text in payloads(pieces):
                yield json.loads(text)
        except TimeoutError:
            raise self._silent(SILENCE_TIMEOUT) from None
        except ValueError:
            raise _nonsense("no stream of events") from None
        finally:
            connection.close()
        raise errors.DaemonDown(
            f"the daemon at {self.socket_path} ended the stream: it stopped",
            f"start it with: {self._start_with}",
        )

    def _in_time(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        try:
            yield from pieces
        except TimeoutError:
            raise self._silent(SILENCE_TIMEOUT) from None

    def _opened(self, target: str, *, work: bool = False) -> tuple[socket.socket, Iterator[bytes]]:
        """Ask for a stream; return its connection, and what comes over it."""
        from hippod.event_stream import unchunked

        seconds = self.timeout or (WORK_TIMEOUT if work else READ_TIMEOUT)
        deadline = time.monotonic() + seconds
        try:
            connection = self._dial(deadline)
            try:
                _send_all(connection, _request("GET", target, b"", self._meant), deadline)
                status, headers, begun = _receive_head(connection, deadline)
                self.daemon_version = headers.get("hippod-version", OLDER)
                if status != 200:
                    _result(status, _body(connection, deadline, headers, begun))
            except BaseException:
                connection.close()
                raise
        except TimeoutError:
            raise self._silent(seconds) from None
        pieces = _pieces(connection, bytes(begun))
        return connection, unchunked(pieces) if "transfer-encoding" in headers else pieces

    def _silent(self, seconds: float) -> errors.NotResponding:
        return errors.NotResponding(
            f"the daemon at {self.socket_path} is not responding (waited {seconds:g} s)",
            "it may be stopped or overloaded: look at its log, or allow more by --timeout",
        )

    def _dial(self, deadline: float) -> socket.socket:
        """Connect to the first place that answers."""
        for place in self._places:
            try:
                connection = _connect(place, deadline)
            except (FileNotFoundError, NotADirectoryError, ConnectionRefusedError):
                continue
            except PermissionError:
                raise errors.Forbidden(
                    f"{place}: this user may not use the socket", "run as the daemon's user"
                ) from None
            except (TimeoutError, errors.HippodError):
                raise
            except OSError as error:
                raise errors.InvalidInput(f"{place}: cannot connect: {error}") from None
            if not self._trusted:
                _check_peer(connection, place)
            return connection
        raise errors.DaemonDown(
            f"no daemon answers at {self.socket_path}", f"start it with: {self._start_with}"
        )


def quote(text: str, *, safe_slash: bool = True) -> str:
    """Percent-encode for a URL as `urllib.parse.quote` does (whose import costs 6 ms).

    Bytes of a file name that are not UTF-8 pass as they are; "/" stays if `safe_slash`.
    """
    keep = _UNRESERVED | {0x2F} if safe_slash else _UNRESERVED
    return "".join(chr(b) if b in keep else f"%{b:02X}" for b in _name_bytes(text))


def _name_bytes(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise errors.InvalidInput(f"{text!a}: not valid Unicode") from None


def _file(path: str) -> str:
    if not path:
        raise errors.InvalidInput("path: empty", "name a document such as memory/2026-03-03.md")
    return f"/v1/files/{quote(path)}"


def _entity(name: str) -> str:
    if not name:
        raise errors.InvalidInput("name: empty", "list the names with: hippod entities")
    return f"/v1/entities/{quote(name, safe_slash=False)}"


def _working(session: str) -> str:
    if not session:
        raise errors.InvalidInput("session: empty", "name the session as its agent does")
    return f"/v1/sessions/{quote(session, safe_slash=False)}/working"


def _lenient(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _encode(body: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        raise errors.InvalidInput("the text is not valid UTF-8", "convert it first") from None
    except (TypeError, ValueError, RecursionError) as error:
        raise errors.InvalidInput(f"the request cannot be written as JSON: {error}") from None


def _request(method: str, target: str, body: bytes, workspace: str) -> bytes:
    head = [f"{method} {target} HTTP/1.0", "Host: hippod", f"User-Agent: hippod/{__version__}"]
    if workspace:
        head += [f"Hippod-Workspace: {quote(workspace)}"]
    if body:
        head += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*head, "", ""]).encode("ascii") + body


def _start_command(workspace: str | None, config: str | os.PathLike[str] | None) -> str:
    options = [("--workspace", workspace), ("--config", config)]
    words = [f"{option} {_shell(os.fspath(value))}" for option, value in options if value]
    return " ".join(["hippod", *words, "run"])


def _shell(word: str) -> str:
    from shlex import quote as shell_quote

    return shell_quote(word)


def _connect(place: str, deadline: float) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        while True:
            connection.settimeout(_left(deadline))
            try:
                connection.connect(place)
            except BlockingIOError:  # the listener's queue is full at the moment
                time.sleep(0.02)
            else:
                return connection
    except OSError:
        connection.close()
        raise


def _left(deadline: float) -> float:
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def _check_peer(connection: socket.socket, place: str) -> None:
    """Refuse a listener of another user: anyone may make a socket below /tmp before we do."""
    uid = _peer_uid(connection)
    if uid not in (None, os.geteuid(), 0):
        connection.close()
        raise errors.Forbidden(
            f"{place}: belongs to a process of user {uid}; nothing was sent",
            "name the right socket by --socket or HIPPOD_SOCKET",
        )


def _peer_uid(connection: socket.socket) -> int | None:
    if not hasattr(socket, "SO_PEERCRED"):
        return None  # macOS: the socket lies in the user's own Caches folder
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)  # pid, uid, gid
    return int.from_bytes(raw[4:8], sys.byteorder)


def _send_all(connection: socket.socket, request: bytes, deadline: float) -> None:
    connection.settimeout(_left(deadline))
    try:
        connection.sendall(request)
    except (BrokenPipeError, ConnectionResetError):
        return  # a daemon that refuses a body early has already sent its answer


def _receive(connection: socket.socket, deadline: float) -> tuple[int, dict[str, str], bytes]:
    status, headers, begun = _receive_head(connection, deadline)
    return status, headers, _body(connection, deadline, headers, begun)


def _receive_head(
    connection: socket.socket, deadline: float
) -> tuple[int, dict[str, str], bytearray]:
    """Return status and headers, and what came of the body already."""
    data = bytearray()
    while b"\r\n\r\n" not in data:
        piece = _piece(connection, deadline)
        if not piece and not data:
            raise errors.HippodError(
                "the daemon closed the connection without an answer",
                "it may be stopping, or run as another user: look at its log",
            )
        if not piece or len(data) > MAX_HEAD:
            raise _nonsense("no complete HTTP head")
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    return *_head(bytes(head)), body


def _head(head: bytes) -> tuple[int, dict[str, str]]:
    first, *lines = head.decode("latin-1").split("\r\n")
    version, _, rest = first.partition(" ")
    code = rest[:3]
    if not version.startswith("HTTP/1.") or not (code.isascii() and code.isdigit()):
        raise _nonsense("not HTTP")
    pairs = (line.partition(":") for line in lines)
    return int(code), {name.strip().lower(): value.strip() for name, _, value in pairs}


def _body(
    connection: socket.socket, deadline: float, headers: Mapping[str, str], body: bytearray
) -> bytes:
    declared = headers.get("content-length", "")
    if "transfer-encoding" in headers or not (declared.isascii() and declared.isdigit()):
        raise _nonsense("no Content-Length")
    size = int(declared)
    if size > MAX_ANSWER:
        raise errors.HippodError(
            f"the answer has {size} bytes, over the limit of {MAX_ANSWER}", "ask for less"
        )
    while len(body) < size:
        piece = _piece(connection, deadline)
        if not piece:
            raise errors.HippodError(
                f"the answer broke off after {len(body)} of {size} bytes",
                "the daemon may have stopped: try again",
            )
        body += piece
    return bytes(body[:size])


def _piece(connection: socket.socket, deadline: float) -> bytes:
    connection.settimeout(_left(deadline))
    try:
        return connection.recv(65_536)
    except ConnectionResetError:
        return b""


def _pieces(connection: socket.socket, begun: bytes) -> Iterator[bytes]:
    """Yield what comes until the other end closes; each may take `SILENCE_TIMEOUT`."""
    yield begun
    while piece := _piece(connection, time.monotonic() + SILENCE_TIMEOUT):
        yield piece


def _counted(pieces: Iterator[bytes], heard: Callable[[int], None]) -> Iterator[bytes]:
    count = 0
    for piece in pieces:
        yield piece
        count += len(piece)
        heard(count)


def _result(status: int, content: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(content, parse_constant=_no_constant) if content else {}
    except (ValueError, RecursionError):
        raise _nonsense(f"status {status}, not JSON") from None
    if not isinstance(answer, dict):
        raise _nonsense(f"status {status}, JSON but not an object")
    if 200 <= status < 300:
        return answer
    failure = answer.get("error")
    if not isinstance(failure, dict):
        raise _nonsense(f"status {status} without an error")
    raise errors.from_wire({str(key): str(value) for key, value in failure.items()})


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _nonsense(what: str) -> errors.HippodError:
    return errors.HippodError(
        f"the answer is not one of a hippod daemon ({what})",
        "is something else listening at the socket?",
    )
