"""Network generators against real sockets that misbehave in every way we know of."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from hippod.errors import ModelError, ModelTimeout, ModelUnavailable, Unsupported
from hippod.models.http import (
    LONGEST_PAUSE,
    LONGEST_WAIT,
    MAX_REPLY,
    Endpoint,
    Refused,
    Unanswered,
    retry_after,
)
from hippod.models.ollama import Ollama
from hippod.models.openai import OpenAI
from hippod.models.remote import RemoteGenerator
from tests.endpoints import (
    KEY,
    Behaviour,
    Misbehaving,
    answer,
    dripping,
    echoing,
    endless,
    half,
    hung_up,
    lists,
    misbehaving,
    says,
    silent,
)
from tests.processes import wait_for

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
LABELS = ["fact", "question", "chat"]


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def server() -> Iterator[Misbehaving]:
    with misbehaving() as one:
        yield one


@pytest.fixture
def slept() -> list[float]:
    """The waits between attempts; nobody really waits."""
    return []


@pytest.fixture
def connect(slept: list[float]) -> Iterator[Callable[..., Endpoint]]:
    made: list[Endpoint] = []

    def build(url: str, **options: Any) -> Endpoint:
        options = {"key": SecretStr(KEY), "timeout": 5.0, "sleep": slept.append} | options
        made.append(Endpoint(url, **options))
        return made[-1]

    yield build
    for one in made:
        one.close()


@pytest.fixture
def endpoint(server: Misbehaving, connect: Callable[..., Endpoint]) -> Endpoint:
    return connect(server.url)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def generator(endpoint: Endpoint, clock: Clock) -> RemoteGenerator:
    return RemoteGenerator("tiny", endpoint, OpenAI("tiny"), clock=clock)


def post(endpoint: Endpoint) -> dict[str, Any]:
    return endpoint.post("/x", {"prompt": "the harbour master's cat is called Biscuit"})


def failure(endpoint: Endpoint) -> ModelError:
    with pytest.raises(ModelError) as caught:
        post(endpoint)
    return caught.value


# -- one request -----------------------------------------------------------------------------------


def test_json_goes_out_and_comes_back(server: Misbehaving, endpoint: Endpoint) -> None:
    server.enqueue(answer(200, {"said": "héllo"}))
    assert endpoint.post("/x", {"text": "grüezi \ud83d"}) == {"said": "héllo"}
    (seen,) = server.seen
    assert seen.path == "/v1/x"
    assert seen.body == {"text": "grüezi ?"}, "half a surrogate pair cannot be sent"
    assert seen.headers["Authorization"] == f"Bearer {KEY}"
    assert seen.headers["Content-Type"] == "application/json"


def test_without_a_key_none_is_sent(server: Misbehaving, connect: Callable[..., Endpoint]) -> None:
    server.enqueue(answer(200, {}))
    assert post(connect(server.url, key=None)) == {}
    assert "Authorization" not in server.seen[0].headers


@pytest.mark.parametrize(
    "trouble",
    [
        answer(500, {"error": {"message": "overloaded"}}),
        answer(503, b"<html>try again</html>"),
        answer(429, {"error": "slow down: max_tokens counts against your limit"}),
        answer(200, {"error": {"message": "upstream failed", "code": 502}}),
        answer(200, {"error": "upstream failed"}),
        answer(200, b""),
        answer(200, b'{"choices": ['),
        answer(200, b"\xff\xfe\x00"),
        answer(200, [1, 2]),
        answer(200, b"[" * 100_000),
        answer(200, b"9" * 10_000),
        half,
        hung_up,
    ],
)
def test_passing_trouble_is_tried_again_a_bounded_number_of_times(
    server: Misbehaving, endpoint: Endpoint, slept: list[float], trouble: Behaviour
) -> None:
    server.enqueue(trouble, answer(200, {"fine": 1}))
    assert post(endpoint) == {"fine": 1}
    assert len(slept) == endpoint.repeated == 1
    server.enqueue(trouble)
    server.seen.clear()
    assert isinstance(failure(endpoint), ModelUnavailable)
    assert len(server.seen) == 3
    assert all(0 <= wait <= 8 for wait in slept)


@pytest.mark.parametrize(
    ("trouble", "kind", "words"),
    [
        (answer(401, {"error": {"message": "bad key"}}), Unanswered, "HTTP 401: bad key"),
        (answer(402, {"message": "pay first"}), Unanswered, "HTTP 402: pay first"),
        (answer(403, b"<html>no</html>"), Unanswered, "HTTP 403"),
        (answer(429, {"error": {"message": "no money", "code": "insufficient_quota"}}),
         Unanswered, "HTTP 429: no money"),
        (answer(400, {"error": {"message": "too long"}}), Refused, "HTTP 400: too long"),
        (answer(404, {"error": "model 'x' not found"}), Refused, "model 'x' not found"),
        (answer(422, {"detail": "bad field"}), Refused, "HTTP 422: bad field"),
        (answer(500, {"error": {"message": "1 validation error: response_format"}}),
         Refused, "response_format"),
        (answer(200, b"  <!doctype html><p>Welcome</p>"), Unanswered, "web page"),
    ],
)  # fmt: skip
def test_what_will_not_change_is_not_tried_again(
    server: Misbehaving, endpoint: Endpoint, trouble: Behaviour, kind: type, words: str
) -> None:
    server.enqueue(trouble)
    error = failure(endpoint)
    assert type(error) is kind
    assert words in error.message
    assert len(server.seen) == 1


def test_a_body_without_end_is_cut_off(server: Misbehaving, endpoint: Endpoint) -> None:
    server.enqueue(endless)
    assert f"more than {MAX_REPLY} bytes" in failure(endpoint).message
    assert len(server.seen) == 1
    assert server.poured < 10 * MAX_REPLY, "what lay in the buffers of the sockets included"


@pytest.mark.parametrize("trouble", [silent, dripping], ids=["silent", "dripping"])
def test_the_deadline_holds_for_the_whole_request(
    server: Misbehaving, connect: Callable[..., Endpoint], trouble: Behaviour
) -> None:
    server.enqueue(trouble)
    endpoint = connect(server.url, timeout=0.3)
    began = time.monotonic()
    with pytest.raises(ModelTimeout, match=r"did not answer within 0\.3 s"):
        post(endpoint)
    assert time.monotonic() - began < 3
    assert len(server.seen) == 1, "a slow endpoint is not asked twice"


def test_nobody_listens(connect: Callable[..., Endpoint], slept: list[float]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    error = failure(connect(url))
    assert isinstance(error, ModelUnavailable)
    assert "refused" in error.message
    assert len(slept) == 2


def test_a_name_that_does_not_resolve(connect: Callable[..., Endpoint]) -> None:
    error = failure(connect("http://no-such-host.invalid:81", retries=0, timeout=30.0))
    assert isinstance(error, ModelUnavailable)
    assert "no-such-host.invalid:81 cannot be reached" in error.message


def test_redirects_are_not_followed(server: Misbehaving, connect: Callable[..., Endpoint]) -> None:
    with misbehaving() as other:
        other.enqueue(answer(200, {"caught": 1}))
        server.enqueue(answer(307, {}, {"Location": f"{other.url}/x"}))
        error = failure(connect(server.url))
        assert "redirects" in error.message
        assert "generator.base_url" in error.hint
        assert len(server.seen) == 1
        assert other.seen == [], "the key would have gone with it"


def test_a_proxy_is_for_other_machines_only(
    server: Misbehaving, connect: Callable[..., Endpoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    with misbehaving() as proxy:
        proxy.enqueue(answer(200, {"by": "proxy"}))
        server.enqueue(answer(200, {"by": "itself"}))
        monkeypatch.setenv("HTTP_PROXY", proxy.url.removesuffix("/v1"))
        assert post(connect(server.url)) == {"by": "itself"}
        assert post(connect("http://elsewhere.invalid", key=None)) == {"by": "proxy"}
        assert proxy.seen[0].path == "http://elsewhere.invalid/x"


def test_a_proxy_setting_that_is_nonsense_is_said(
    connect: Callable[..., Endpoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", f"nonsense://{KEY}@proxy:99")
    with pytest.raises(ModelUnavailable, match="proxy") as caught:
        connect("https://elsewhere.invalid")
    assert KEY not in caught.value.message


# -- Retry-After -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7),
        (" 0 ", 0),
        ("86400", LONGEST_PAUSE),
        ("9" * 400, LONGEST_PAUSE),
        (format_datetime(NOW + timedelta(seconds=90), usegmt=True), 90),
        ((NOW + timedelta(seconds=30)).strftime("%A, %d-%b-%y %H:%M:%S GMT"), 30),
        (format_datetime(NOW - timedelta(days=1), usegmt=True), 0),
        (format_datetime(NOW + timedelta(days=900), usegmt=True), LONGEST_PAUSE),
        ("", 0),
        ("soon", 0),
        ("-5", 0),
        ("1e9", 0),
        ("inf", 0),
        ("²", 0),
        ("Wed, 99 Foo 2026 99:99:99 GMT", 0),
    ],
)
def test_retry_after(value: str, seconds: float) -> None:
    assert retry_after(value, NOW) == seconds


@given(st.text(max_size=60))
def test_any_retry_after_is_a_bounded_number(value: str) -> None:
    assert 0 <= retry_after(value, NOW) <= LONGEST_PAUSE


def test_a_short_pause_is_waited_for(
    server: Misbehaving, endpoint: Endpoint, slept: list[float]
) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    server.enqueue(
        answer(429, {}, {"Retry-After": "11"}),
        answer(503, {}, {"Retry-After": later}),
        answer(200, {"fine": 1}),
    )
    assert post(endpoint) == {"fine": 1}
    assert 11 <= slept[0] <= 19
    assert 15 <= slept[1] <= 28


def test_a_long_pause_is_not_waited_for_but_kept(
    server: Misbehaving, generator: RemoteGenerator, slept: list[float], clock: Clock
) -> None:
    server.enqueue(answer(429, {}, {"Retry-After": str(int(LONGEST_WAIT) + 700)}))
    with pytest.raises(ModelUnavailable, match="HTTP 429"):
        generator.complete("hello", "line", 10)
    assert slept == []
    assert generator.status()["state"] == "backoff"
    assert generator.status()["retry_in"] == 730
    clock.now += 729
    with pytest.raises(ModelUnavailable, match="next try in 1 s"):
        generator.complete("hello", "line", 10)
    assert len(server.seen) == 1


# -- secrets ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [302, 400, 401, 404, 429, 500])
def test_an_echoed_key_stays_here(server: Misbehaving, endpoint: Endpoint, status: int) -> None:
    server.enqueue(echoing(status))
    generator = RemoteGenerator("tiny", endpoint, OpenAI("tiny"))
    with pytest.raises(ModelError) as caught:
        generator.complete("hello", "line", 10)
    error = caught.value
    shown = f"{error!r} {error.message} {error.hint} {vars(error)} {generator.status()}"
    shown += f"{vars(endpoint)['base_url']} {endpoint!r} {generator!r}"
    assert error.__suppress_context__ or error.__context__ is None
    for part in (KEY, "test-key-ZZZ", "sekret"):
        assert part not in shown


def test_a_key_in_the_answer_is_blanked(server: Misbehaving, generator: RemoteGenerator) -> None:
    server.enqueue(says(f"Your key is {KEY}."))
    assert "sekret" not in generator.complete("hello", "line", 10).text


def test_another_secret_in_an_error_is_redacted(server: Misbehaving, endpoint: Endpoint) -> None:
    leaked = "sk-proj-" + "a1B2c3D4" * 5
    server.enqueue(answer(401, {"error": {"message": f"Incorrect API key provided: {leaked}"}}))
    message = failure(endpoint).message
    assert leaked not in message
    assert "Incorrect API key provided" in message


def test_an_error_that_quotes_the_prompt_is_not_shown(
    server: Misbehaving, endpoint: Endpoint
) -> None:
    quote = "blocked: 'harbour master's cat is called Biscuit' is against our rules"
    server.enqueue(answer(400, {"error": {"message": quote}}))
    message = failure(endpoint).message
    assert "Biscuit" not in message
    assert "HTTP 400" in message


def test_an_error_is_one_short_line(server: Misbehaving, endpoint: Endpoint) -> None:
    server.enqueue(answer(400, {"error": {"message": "a\nb\r\n" + "word " * 500}}))
    message = failure(endpoint).message
    assert "\n" not in message
    assert len(message) < 300


# -- closing ---------------------------------------------------------------------------------------


def end_of(call: Callable[[], object]) -> tuple[threading.Thread, list[BaseException]]:
    errors: list[BaseException] = []

    def run() -> None:
        try:
            call()
        except ModelError as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, errors


def test_closing_ends_a_call_in_the_middle(
    server: Misbehaving, connect: Callable[..., Endpoint]
) -> None:
    server.enqueue(silent)
    endpoint = connect(server.url, timeout=60.0)
    generator = RemoteGenerator("tiny", endpoint, OpenAI("tiny"))
    thread, errors = end_of(lambda: generator.complete("hello", "line", 10))
    wait_for(lambda: server.seen, "the request")
    assert generator.status()["state"] == "busy"
    generator.close()
    thread.join(5)
    assert not thread.is_alive()
    assert "closed" in str(errors[0])
    assert generator.status()["state"] == "closed"
    with pytest.raises(ModelUnavailable, match="closed"):
        generator.complete("hello", "line", 10)
    assert len(server.seen) == 1


def test_closing_ends_the_wait_for_another_attempt(
    server: Misbehaving, connect: Callable[..., Endpoint]
) -> None:
    server.enqueue(answer(429, {}, {"Retry-After": "29"}))
    endpoint = connect(server.url, sleep=None)
    thread, errors = end_of(lambda: post(endpoint))
    wait_for(lambda: endpoint.repeated, "the first failure")
    endpoint.close()
    thread.join(5)
    assert not thread.is_alive()
    assert "closed" in str(errors[0])
    assert len(server.seen) == 1


# -- answers ---------------------------------------------------------------------------------------


def test_an_answer_with_its_cost(server: Misbehaving, generator: RemoteGenerator) -> None:
    server.enqueue(says("Biscuit"))
    done = generator.complete("Who?", "line", 9, system="Answer briefly.")
    assert (done.text, done.finished, done.tokens_in, done.tokens_out) == ("Biscuit", True, 7, 3)
    assert generator.spent.calls == 1
    assert generator.model_id == f"tiny@{generator.endpoint.host}"
    assert server.seen[0].path == "/v1/chat/completions"
    assert server.seen[0].body == {
        "model": "tiny",
        "messages": [
            {"role": "system", "content": "Answer briefly."},
            {"role": "user", "content": "Who?"},
        ],
        "max_tokens": 9,
        "temperature": 0,
    }


def test_an_answer_cut_by_the_limit_says_so(
    server: Misbehaving, generator: RemoteGenerator
) -> None:
    server.enqueue(says('{"facts": [', finish="length"), says("", finish="length"))
    assert not generator.complete("x", "items", 9).finished
    cut = generator.complete("x", "items", 9)
    assert (cut.text, cut.finished) == ("", False), "a model that thought too long"
    assert generator.status()["without"] == []


def test_tokens_are_guessed_where_they_are_not_told(
    server: Misbehaving, generator: RemoteGenerator
) -> None:
    server.enqueue(says("a word or two", usage={"prompt_tokens": True, "completion_tokens": "3"}))
    done = generator.complete("x" * 400, "line", 9)
    assert 100 <= done.tokens_in <= 200
    assert done.tokens_out == 3


@pytest.mark.parametrize(
    "shape",
    [
        {},
        {"choices": []},
        {"choices": "none"},
        {"choices": [{"message": None}]},
        {"choices": [{"message": {"content": [1]}}]},
        {"choices": [{"message": {"content": "x"}, "logprobs": 3}]},
        {"choices": [{"message": {"content": "x"}}], "usage": [1]},
    ],
)
def test_json_of_another_shape_is_no_answer(
    server: Misbehaving, generator: RemoteGenerator, shape: object
) -> None:
    server.enqueue(answer(200, shape))
    with pytest.raises(ModelUnavailable, match="another shape"):
        generator.complete("x", "line", 9)


def formats(server: Misbehaving) -> list[str | None]:
    return [(seen.body.get("response_format") or {}).get("type") for seen in server.seen]


@pytest.mark.parametrize(
    "refusal",
    [
        answer(400, {"error": {"message": "response_format is not supported"}}),
        answer(422, {"detail": [{"msg": "unexpected"}]}),
        answer(500, {"error": {"message": "1 validation error: response_format"}}),
        says(""),
        says(None),
    ],
)
def test_a_schema_that_is_refused_or_answered_by_nothing_is_dropped_for_good(
    server: Misbehaving, generator: RemoteGenerator, refusal: Behaviour
) -> None:
    server.enqueue(refusal, refusal, says('{"facts": []}'))
    assert generator.complete("x", "items", 9).text == '{"facts": []}'
    assert formats(server) == ["json_schema", "json_object", None]
    generator.complete("x", "items", 9)
    assert formats(server)[3:] == [None], "what was learnt is remembered"
    assert generator.status()["without"] == ["json_object", "json_schema"]


def test_a_schema_is_not_given_up_when_that_does_not_help(
    server: Misbehaving, generator: RemoteGenerator
) -> None:
    server.enqueue(says(""))
    with pytest.raises(ModelUnavailable, match="empty"):
        generator.complete("x", "items", 9)
    assert generator.status()["without"] == []
    server.enqueue(says("{}"))
    generator.complete("x", "items", 9)
    assert formats(server)[-1] == "json_schema"


def test_fields_that_newer_models_refuse_are_renamed_or_left_out(
    server: Misbehaving, generator: RemoteGenerator
) -> None:
    server.enqueue(
        answer(400, {"error": {"message": "Unsupported parameter: 'max_tokens'. Use"
                               " 'max_completion_tokens' instead."}}),
        answer(400, {"error": {"message": "Unsupported value: 'temperature'"}}),
        says("fine"),
    )  # fmt: skip
    generator.complete("x", "line", 9)
    generator.complete("y", "line", 8)
    assert server.seen[-1].body == {
        "model": "tiny",
        "messages": [{"role": "user", "content": "y"}],
        "max_completion_tokens": 8,
    }
    assert len(server.seen) == 4


def test_a_refusal_that_nothing_helps_against_comes_through(
    server: Misbehaving, generator: RemoteGenerator
) -> None:
    server.enqueue(answer(400, {"error": {"message": "the prompt is too long"}}))
    for _ in range(5):
        with pytest.raises(ModelError, match="too long"):
            generator.complete("x", "line", 9)
    assert len(server.seen) == 5, "one prompt that is refused does not close the endpoint"


@pytest.mark.parametrize(
    ("grammar", "text"),
    [
        ("items", "Usage limit reached, resets 5pm"),
        ("facts", "You've hit your weekly limit. Limit reached, try tomorrow."),
        ("line", "Your session has expired. Please log in again."),
        ("json", "Error: insufficient credits."),
    ],
)
def test_a_notice_of_the_service_is_no_answer(
    server: Misbehaving, generator: RemoteGenerator, grammar: Any, text: str
) -> None:
    server.enqueue(says(text))
    with pytest.raises(ModelUnavailable, match="notice"):
        generator.complete("Mara moved the export to Tuesday.", grammar, 9)


def test_talk_about_limits_is_an_answer(server: Misbehaving, generator: RemoteGenerator) -> None:
    server.enqueue(says("Mara raised the rate limit to 40."))
    assert generator.complete("We raised the rate limit to 40.", "line", 9).text
    server.enqueue(says('{"facts": [{"text": "The rate limit is 40."}]}'))
    assert generator.complete("x", "items", 9).text


# -- the circuit -----------------------------------------------------------------------------------


def test_a_failing_endpoint_is_left_alone_for_a_while_and_then_tried_once(
    server: Misbehaving, generator: RemoteGenerator, clock: Clock
) -> None:
    server.enqueue(says("Usage limit reached, resets 5pm"))
    for _ in range(3):
        with pytest.raises(ModelUnavailable, match="Usage limit"):
            generator.complete("x", "line", 9)
    for _ in range(50):
        with pytest.raises(ModelUnavailable, match="Usage limit reached, resets 5pm; next try"):
            generator.complete("x", "line", 9)
    assert len(server.seen) == 3
    status = generator.status()
    assert status["state"] == "backoff"
    assert "Usage limit" in str(status["last_error"])

    clock.now += 61
    server.enqueue(answer(429, {}))
    with pytest.raises(ModelUnavailable, match="429"):
        generator.complete("x", "line", 9)
    assert len(server.seen) == 6
    assert generator.status()["retry_in"] == 300

    clock.now += 301
    server.enqueue(says("welcome back"))
    assert generator.complete("x", "line", 9).text == "welcome back"
    assert generator.status()["state"] == "ready"
    assert generator.status()["last_error"] == ""


def test_a_refused_key_opens_the_circuit_at_once(
    server: Misbehaving, generator: RemoteGenerator
) -> None:
    server.enqueue(answer(401, {"error": {"message": "expired"}}))
    for _ in range(3):
        with pytest.raises(ModelUnavailable, match="HTTP 401: expired"):
            generator.complete("x", "line", 9)
    assert len(server.seen) == 1
    assert "HTTP 401: expired" in str(generator.status()["last_error"])


# -- labels ----------------------------------------------------------------------------------------


def continues(**tokens: float) -> Behaviour:
    """Answer a completion request with log-probabilities."""
    choice = {"text": " x", "logprobs": {"top_logprobs": [{f" {t}": v for t, v in tokens.items()}]}}
    return answer(200, {"choices": [choice]})


def test_labels_are_weighed_by_their_first_tokens(
    server: Misbehaving, generator: RemoteGenerator
) -> None:
    server.enqueue(continues(fact=-0.5, qu=-1.5, Quest=-2.5, other=-3.0))
    (row,) = generator.choose(["Ann: I live here\nLabel:"], LABELS)
    assert server.seen[0].path == "/v1/completions"
    assert server.seen[0].body["max_tokens"] == 1
    fact, question, chat = row
    assert fact > question > chat
    assert sum(2.718281828**value for value in row) == pytest.approx(1)


def test_chat_is_asked_where_there_are_no_completions(
    server: Misbehaving, generator: RemoteGenerator
) -> None:
    server.enqueue(answer(404, {"error": "not a completion model"}), lists(question=-0.1, fact=-3))
    rows = generator.choose(["a", "b"], LABELS)
    assert [row.index(max(row)) for row in rows] == [1, 1]
    assert [seen.path for seen in server.seen] == [
        "/v1/completions", "/v1/chat/completions", "/v1/chat/completions",
    ]  # fmt: skip
    assert "fact, question, chat" in server.seen[1].body["messages"][0]["content"]


def test_without_log_probabilities_labels_are_not_supported(
    server: Misbehaving, generator: RemoteGenerator
) -> None:
    server.enqueue(answer(200, {"choices": [{"text": " fact", "logprobs": None}]}), says("fact"))
    for _ in range(3):
        with pytest.raises(Unsupported, match="no log-probabilities"):
            generator.choose(["a"], LABELS)
    assert len(server.seen) == 2, "asked once, remembered"
    assert generator.status()["state"] == "ready"


def test_an_endpoint_that_is_down_is_not_taken_for_one_without_labels(
    server: Misbehaving, generator: RemoteGenerator
) -> None:
    server.enqueue(answer(500, {}))
    with pytest.raises(ModelUnavailable):
        generator.choose(["a"], LABELS)
    server.enqueue(continues(fact=-0.1))
    assert generator.choose(["a"], LABELS)


def test_a_notice_is_not_taken_for_an_endpoint_without_labels(
    server: Misbehaving, generator: RemoteGenerator
) -> None:
    notice = answer(200, {"choices": [{"text": "Usage limit reached, resets 5pm"}]})
    server.enqueue(notice, continues(fact=-0.1))
    with pytest.raises(ModelUnavailable, match="notice"):
        generator.choose(["a"], LABELS)
    assert generator.choose(["a"], LABELS)


# -- ollama ----------------------------------------------------------------------------------------


@pytest.fixture
def ollama(server: Misbehaving, connect: Callable[..., Endpoint]) -> RemoteGenerator:
    endpoint = connect(server.url.removesuffix("/v1"), key=None)
    return RemoteGenerator("tiny:1b", endpoint, Ollama("tiny:1b", 4096, 300), "`ollama pull tiny`")


def test_ollama_answers(server: Misbehaving, ollama: RemoteGenerator) -> None:
    reply = {
        "message": {"role": "assistant", "content": '{"facts": []}'},
        "done_reason": "stop", "prompt_eval_count": 31, "eval_count": 5,
    }  # fmt: skip
    server.enqueue(answer(200, reply))
    done = ollama.complete("x", "items", 64, system="s")
    assert (done.text, done.finished, done.tokens_in, done.tokens_out) == (
        '{"facts": []}', True, 31, 5,
    )  # fmt: skip
    (seen,) = server.seen
    assert seen.path == "/api/chat"
    assert seen.body["options"] == {"temperature": 0, "num_predict": 64, "num_ctx": 4096}
    assert seen.body["format"]["type"] == "object"
    assert seen.body["stream"] is False
    assert seen.body["keep_alive"] == 300


def test_ollama_weighs_labels(server: Misbehaving, ollama: RemoteGenerator) -> None:
    top = [{"token": " fact", "logprob": -0.2}, {"token": " chat", "logprob": -2.2}]
    server.enqueue(answer(200, {"response": " fact", "logprobs": [{"top_logprobs": top}]}))
    (row,) = ollama.choose(["a"], LABELS)
    assert row.index(max(row)) == 0
    assert server.seen[0].path == "/api/generate"
    assert server.seen[0].body["raw"] is True


def test_an_old_ollama_cannot_weigh_labels(server: Misbehaving, ollama: RemoteGenerator) -> None:
    server.enqueue(answer(200, {"response": " fact", "done": True}))
    with pytest.raises(Unsupported):
        ollama.choose(["a"], LABELS)


def test_a_model_that_was_not_pulled(server: Misbehaving, ollama: RemoteGenerator) -> None:
    server.enqueue(answer(404, {"error": "model 'tiny:1b' not found"}))
    for call in (
        lambda: ollama.complete("x", "items", 9),
        lambda: ollama.choose(["a"], LABELS),
    ):
        with pytest.raises(ModelError, match=r"model 'tiny:1b' not found; `ollama pull tiny`"):
            call()
