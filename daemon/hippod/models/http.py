"""JSON over HTTP to one model endpoint: a deadline, retries, bounded replies, and a key that
appears in no error, log or reply.
"""

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any
from urllib.parse import quote

import httpx2
from pydantic import SecretStr
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception,
    sleep_using_event,
    stop_after_attempt,
    wait_random_exponential,
)

from hippod import redact
from hippod.config import is_loopback
from hippod.errors import ModelError, ModelTimeout, ModelUnavailable

MAX_REPLY = 4_000_000
"""Bytes of a reply that are read."""
LONGEST_WAIT = 30.0
"""Seconds between two attempts at most; who asks for more is left alone for so long."""
LONGEST_PAUSE = 3600.0
"""Seconds of a `Retry-After` that are believed."""
_CONNECT_TIMEOUT = 10.0
_DETAIL = 200
_QUOTED = 24
"""So many characters in a row in common with a request: the message quotes it."""
_WITHHELD = "[KEY]"

_DENIED = (401, 402, 403)
_PASSING = (408, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529)
_OUT_OF_CREDIT = "insufficient_quota"
# llama-cpp-python's server answers 500 to a field that it does not know.
_FIELDS = ("response_format", "json_schema", "max_tokens", "max_completion_tokens", "logprobs")
"""In the text of a 500: the request is to blame."""

_jitter = wait_random_exponential(multiplier=0.5, max=8)


class Refused(ModelError):
    """The endpoint understood the request and does not take it; `detail` is its reason."""

    def __init__(self, message: str, hint: str, status: int, detail: str) -> None:
        super().__init__(message, hint)
        self.status = status
        self.detail = detail


class Unanswered(ModelUnavailable):
    """No usable answer came.

    With `passing` another attempt may help, after `pause` seconds at least; with `denied` only
    a person can.
    """

    def __init__(
        self, message: str, hint: str = "", *,
        passing: bool = False, denied: bool = False, pause: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(message, hint)
        self.passing = passing
        self.denied = denied
        self.pause = pause


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes


class Endpoint:
    """Posts JSON below a base URL; any thread may `close` it, which ends waiting calls.

    `timeout` bounds one attempt as a whole, in seconds, name resolution and slow bodies
    included. Redirects are not followed. Proxies are those of the environment, but none for
    this machine itself. Raises `ModelUnavailable` where proxy or certificate settings of the
    environment are wrong. `section` is the part of the configuration that hints name.
    """

    def __init__(
        self,
        base_url: str,
        *,
        key: SecretStr | None = None,
        timeout: float = 60.0,
        retries: int = 2,
        section: str = "generator",
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self.repeated = 0
        """Attempts beyond the first, over all calls."""
        self._timeout = timeout
        self._section = section
        self._closed = threading.Event()
        self._pending: Future[_Answer] | None = None
        self._key = key.get_secret_value() if key else ""
        self._client = self._open(timeout)
        self._attempts = Retrying(
            stop=stop_after_attempt(retries + 1),
            retry=retry_if_exception(_is_worth_repeating),
            wait=_wait,
            sleep=sleep or sleep_using_event(self._closed),
            before_sleep=self._count,
            reraise=True,
        )

    @property
    def host(self) -> str:
        """Host and port, for names and messages."""
        return httpx2.URL(self.base_url).netloc.decode("ascii")

    @property
    def closed(self) -> bool:
        """Whether it takes no calls any more."""
        return self._closed.is_set()

    def post(self, path: str, body: Mapping[str, object]) -> dict[str, Any]:
        """Send `body` and return the object that comes back, the key blanked in it.

        Raises `Refused`, `Unanswered`, `ModelTimeout`, or `ModelUnavailable` once closed.
        """
        return self._attempts(self._attempt, path, body)

    def close(self) -> None:
        """Refuse further calls and end the one that waits."""
        self._closed.set()
        pending = self._pending
        if pending is not None:
            pending.cancel()
        self._client.close()

    def _attempt(self, path: str, body: Mapping[str, object]) -> dict[str, Any]:
        answer = self._exchange(path, json.dumps(body, ensure_ascii=False))
        if answer.status >= 300:
            raise self._fault(answer.status, answer, body)
        reply = self._object(answer)
        if error := reply.get("error"):  # some gateways wrap a failure in a success
            code = error.get("code") if isinstance(error, dict) else None
            status = code if isinstance(code, int) and code >= 400 else 502
            raise self._fault(status, answer, body)
        return reply

    def _exchange(self, path: str, text: str) -> _Answer:
        """Run one request on a thread of its own, for a deadline that holds whatever happens."""
        self._pending = future = Future[_Answer]()
        self._refuse_when_closed()
        threading.Thread(
            target=self._fetch, args=(future, path, text), name="model-http", daemon=True
        ).start()
        try:
            return future.result(self._timeout)
        except CancelledError:
            self._refuse_when_closed()
            raise
        except (TimeoutError, httpx2.ReadTimeout, httpx2.WriteTimeout):
            raise ModelTimeout(
                f"{self.host} did not answer within {self._timeout:g} s",
                f"a higher {self._section}.call_timeout gives it longer",
            ) from None
        except httpx2.HTTPError as error:
            raise self._lost(error) from None
        finally:
            future.cancel()

    def _fetch(self, future: Future[_Answer], path: str, text: str) -> None:
        try:
            outcome = partial(future.set_result, self._receive(future, path, text))
        except Exception as error:  # every error belongs to the thread that waits
            outcome = partial(future.set_exception, error)
        if future.set_running_or_notify_cancel():
            outcome()

    def _receive(self, future: Future[_Answer], path: str, text: str) -> _Answer:
        received = bytearray()
        content = text.encode("utf-8", "replace")  # half a surrogate pair is no UTF-8
        with self._client.stream("POST", self.base_url + path, content=content) as response:
            for chunk in response.iter_bytes():
                received += chunk
                if len(received) > MAX_REPLY:
                    raise Unanswered(f"{self.host} sent more than {MAX_REPLY} bytes")
                if future.cancelled():
                    break
            return _Answer(response.status_code, response.headers, bytes(received))

    def _object(self, answer: _Answer) -> dict[str, Any]:
        if answer.body.lstrip()[:1] == b"<":
            raise Unanswered(
                f"{self.host} sent a web page instead of JSON",
                f"check {self._section}.base_url: most end in /v1",
            )
        try:
            reply = self._blank(json.loads(answer.body))
        except (ValueError, RecursionError):
            raise Unanswered(f"{self.host} sent no valid JSON", passing=True) from None
        if not isinstance(reply, dict):
            raise Unanswered(f"{self.host} sent JSON that is no object", passing=True)
        return reply

    def _fault(self, status: int, answer: _Answer, body: Mapping[str, object]) -> ModelError:
        """Return the error that a status means."""
        if 300 <= status < 400:
            return Unanswered(
                f"{self.host} redirects to another address, which is not followed",
                f"set {self._section}.base_url to the final address",
                denied=True,
            )
        detail = self._detail(answer.body)
        message = f"{self.host} answers HTTP {status}"
        if detail and not _quotes(detail, body):
            message += f": {detail[:_DETAIL]}"
        if status in _DENIED or _OUT_OF_CREDIT in detail:
            return Unanswered(message, "check the key and the account", denied=True)
        about_a_field = status == 500 and any(field in detail for field in _FIELDS)
        if status in _PASSING and not about_a_field:
            wait = retry_after(answer.headers.get("retry-after", ""), datetime.now(UTC))
            return Unanswered(message, passing=True, pause=wait)
        hint = ""
        if status == 404:
            hint = f"check {self._section}.model and {self._section}.base_url"
        return Refused(message, hint, status, detail)

    def _detail(self, body: bytes) -> str:
        """Return what a server says about its error, on one line, without secrets."""
        text = body.decode("utf-8", "replace")
        with contextlib.suppress(ValueError, RecursionError):
            text = next(_explanations(json.loads(body)), "")
        if text.lstrip().startswith("<"):
            return ""
        return redact.redact(self._blank(" ".join(text[: 10 * _DETAIL].split()))).text

    def _lost(self, error: httpx2.HTTPError) -> Unanswered:
        reason = self._blank(str(error)) or type(error).__name__
        return Unanswered(f"{self.host} cannot be reached: {reason}", passing=True)

    def _blank(self, value: Any) -> Any:
        """Return `value` without the key, wherever a server may have echoed it."""
        if not self._key:
            return value
        if isinstance(value, str):
            for form in {self._key, quote(self._key, safe="")}:
                value = value.replace(form, _WITHHELD)
            return value
        if isinstance(value, dict):
            return {self._blank(name): self._blank(item) for name, item in value.items()}
        return [self._blank(item) for item in value] if isinstance(value, list) else value

    def _open(self, timeout: float) -> httpx2.Client:
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        try:
            return httpx2.Client(
                headers=headers,
                timeout=httpx2.Timeout(timeout, connect=min(timeout, _CONNECT_TIMEOUT)),
                limits=httpx2.Limits(max_keepalive_connections=0),  # a stale one costs a retry
                trust_env=not is_loopback(self.base_url),
            )
        except (ImportError, ValueError, OSError, httpx2.InvalidURL) as error:
            raise ModelUnavailable(
                f"proxy or certificates cannot be used ({type(error).__name__})",
                "check HTTPS_PROXY, ALL_PROXY and SSL_CERT_FILE of the daemon",
            ) from None

    def _refuse_when_closed(self) -> None:
        if self.closed:
            raise ModelUnavailable(f"the {self._section} is closed")

    def _count(self, _state: RetryCallState) -> None:
        self.repeated += 1


def retry_after(value: str, now: datetime) -> float:
    """Return the seconds that a `Retry-After` header asks for, 0 where it says nothing usable.

    It holds a number of seconds or an HTTP date; at most an hour is believed.
    """
    text = value.strip()
    if text.isascii() and text.isdigit():
        return min(float(text), LONGEST_PAUSE)
    try:
        moment = parsedate_to_datetime(text)
        seconds = (moment.replace(tzinfo=moment.tzinfo or UTC) - now).total_seconds()
    except (ValueError, OverflowError):
        return 0.0
    return min(max(seconds, 0.0), LONGEST_PAUSE)


def _is_worth_repeating(error: BaseException) -> bool:
    return isinstance(error, Unanswered) and error.passing and error.pause <= LONGEST_WAIT


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    asked = error.pause if isinstance(error, Unanswered) else 0.0
    return asked + _jitter(state)


def _explanations(fault: object) -> Iterator[str]:
    """Yield the texts in which servers put their reason, with the code where there is one."""
    if isinstance(fault, str):
        yield fault
    if isinstance(fault, dict):
        code = fault.get("code")
        for name in ("message", "error", "detail"):
            for text in _explanations(fault.get(name)):
                yield f"{text} ({code})" if isinstance(code, str) else text


def _quotes(detail: str, body: Mapping[str, object]) -> bool:
    """Say whether a server's message repeats a part of what was sent to it."""
    sent = json.dumps({**body, "model": ""}, ensure_ascii=False)
    starts = range(0, max(1, len(detail) - _QUOTED + 1), 4)
    return len(detail) >= _QUOTED and any(detail[i : i + _QUOTED] in sent for i in starts)
