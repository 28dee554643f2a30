"""JSON to one address of the user's: a deadline, few attempts, no redirects, no secret in words."""

import threading
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future
from datetime import UTC, datetime
from json import dumps

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
from hippod.errors import HippodError
from hippod.models.http import LONGEST_WAIT, retry_after

ATTEMPTS = 3
_PASSING = (408, 425, 429)
_jitter = wait_random_exponential(multiplier=0.5, max=8)


class Undelivered(HippodError):
    """The address did not take a message; with `passing` another attempt may help.

    `pause` is what it asks to wait before, in seconds.
    """

    def __init__(
        self, message: str, hint: str = "", *, passing: bool = False, pause: float = 0.0
    ) -> None:
        super().__init__(message, hint)
        self.passing = passing
        self.pause = pause


class Webhook:
    """Posts JSON to `url`; any thread may `close` it, which ends a call that waits.

    `timeout` bounds one attempt as a whole, in seconds. Proxies are those of the environment,
    but none for this machine itself. Only the host of `url` is ever named: what stands behind it
    is often a secret.
    """

    def __init__(
        self,
        url: str,
        token: SecretStr | None = None,
        *,
        timeout: float = 10.0,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        self._url = url
        self._token = token.get_secret_value() if token else ""
        self._timeout = timeout
        self._closed = threading.Event()
        self._pending: Future[httpx2.Response] | None = None
        self._attempts = Retrying(
            stop=stop_after_attempt(ATTEMPTS),
            retry=retry_if_exception(_is_worth_repeating),
            wait=_wait,
            sleep=sleep or sleep_using_event(self._closed),
            reraise=True,
        )

    @property
    def host(self) -> str:
        """Host and port, for messages."""
        return httpx2.URL(self._url).netloc.decode("ascii")

    def post(self, body: Mapping[str, object]) -> None:
        """Deliver `body`; each attempt has the same `Idempotency-Key`. Raises `Undelivered`."""
        content = dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        self._attempts(self._attempt, content, uuid.uuid4().hex)

    def close(self) -> None:
        """Take no messages any more, and end the call that waits."""
        self._closed.set()
        pending = self._pending
        if pending is not None:
            pending.cancel()

    def _attempt(self, content: bytes, key: str) -> None:
        response = self._exchange(content, key)
        status = response.status_code
        if status < 300:
            return
        said = f"{self.host} answers HTTP {status}"
        if status < 400:
            raise Undelivered(f"{said}, a redirect", "write the address that it leads to")
        if status in _PASSING or status >= 500:
            pause = retry_after(response.headers.get("retry-after", ""), datetime.now(UTC))
            raise Undelivered(said, passing=True, pause=pause)
        hint = "check the token" if status in (401, 403) else "check the address"
        raise Undelivered(said, hint)

    def _exchange(self, content: bytes, key: str) -> httpx2.Response:
        """Run one request on a thread of its own, for a deadline that holds whatever happens."""
        self._pending = future = Future[httpx2.Response]()
        self._refuse_when_closed()
        threading.Thread(
            target=self._fetch, args=(future, content, key), name="webhook", daemon=True
        ).start()
        try:
            return future.result(self._timeout)
        except CancelledError:
            self._refuse_when_closed()
            raise
        except (TimeoutError, httpx2.TimeoutException):
            limit = f"{self._timeout:g} s"
            raise Undelivered(f"{self.host} did not answer within {limit}", passing=True) from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            reason = self._blank(str(error)) or type(error).__name__
            raise Undelivered(f"{self.host} cannot be reached: {reason}", passing=True) from None
        except (ImportError, ValueError, OSError) as error:
            raise Undelivered(
                f"proxy, certificates or token cannot be used ({type(error).__name__})",
                "check HTTPS_PROXY, ALL_PROXY, SSL_CERT_FILE and the token of the daemon",
            ) from None
        finally:
            future.cancel()

    def _fetch(self, future: Future[httpx2.Response], content: bytes, key: str) -> None:
        try:
            response = self._send(content, key)
        except Exception as error:  # every error belongs to the thread that waits
            if future.set_running_or_notify_cancel():
                future.set_exception(error)
            return
        if future.set_running_or_notify_cancel():
            future.set_result(response)

    def _send(self, content: bytes, key: str) -> httpx2.Response:
        """Post and return status and headers; what it says beyond them is not read."""
        headers = {"Content-Type": "application/json", "Idempotency-Key": key}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        with (
            httpx2.Client(timeout=self._timeout, trust_env=not is_loopback(self._url)) as client,
            client.stream("POST", self._url, content=content, headers=headers) as response,
        ):
            return response

    def _blank(self, text: str) -> str:
        """Return a reason on one line, without the address and the token."""
        text = text.replace(self._url, self.host)
        if self._token:
            text = text.replace(self._token, redact.REDACTED)
        return redact.redact(" ".join(text.split())[:200]).text

    def _refuse_when_closed(self) -> None:
        if self._closed.is_set():
            raise Undelivered("it was not sent: the daemon stops")


def _is_worth_repeating(error: BaseException) -> bool:
    return isinstance(error, Undelivered) and error.passing and error.pause <= LONGEST_WAIT


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    return (error.pause if isinstance(error, Undelivered) else 0.0) + _jitter(state)
