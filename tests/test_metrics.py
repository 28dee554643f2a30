"""What Prometheus is told: in its format, cheaply, with few labels, without a word of content."""

import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_parsed
from prometheus_client.parser import text_string_to_metric_families as parsed

from hippod import metrics
from hippod.errors import Forbidden, HippodError, InvalidInput, NotFound
from hippod.metrics import Metrics, Requests
from tests.asking import ask
from tests.beating import House, building
from tests.processes import Daemon, running

pytestmark = pytest.mark.xdist_group("metrics")


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running(tmp_path_factory.mktemp("metrics")) as daemon:
        daemon.client.write("context/heron.md", "# Heron\n\nIt stands at the weir.\n")
        daemon.client.retain(facts=["W @Ada: The spare key is with Ina."])
        daemon.settle()
        yield daemon


def families(text: str) -> dict[str, Metric]:
    return {family.name: family for family in parsed(text)}


def value(text: str, name: str, **labels: str) -> float:
    """Return a sample, 0 if there is none."""
    for family in parsed(text):
        for sample in family.samples:
            if sample.name == name and labels.items() <= sample.labels.items():
                return float(sample.value)
    return 0.0


# -- over the socket -------------------------------------------------------------------------


def test_a_scrape_is_the_text_format_and_says_what_there_is(daemon: Daemon) -> None:
    text = daemon.client.metrics()
    status = daemon.client.status()
    assert value(text, "hippod_documents") == status["index"]["documents"]
    assert value(text, "hippod_chunks") == status["index"]["units"]
    embedded = status["index"]["vectors"]["embedded"]
    assert value(text, "hippod_vectors", state="embedded") == embedded
    assert value(text, "hippod_facts") == 1
    assert value(text, "hippod_watcher_up") == 1
    assert value(text, "hippod_build_info", version=status["version"]) == 1
    assert value(text, "hippod_disk_free_bytes") > 0
    assert value(text, "hippod_events_total") > 0
    if sys.platform == "linux":
        assert value(text, "process_resident_memory_bytes") > 10_000_000
        assert value(text, "process_open_fds") > 5


def test_open_metrics_for_who_asks_for_it(daemon: Daemon) -> None:
    headers = {"Accept": "application/openmetrics-text; version=1.0.0"}
    done = curl(daemon, "-H", f"Accept: {headers['Accept']}", "-i")
    head, _, body = done.partition("\r\n\r\n")
    assert "application/openmetrics-text" in head
    assert body.endswith("# EOF\n")
    assert {family.name for family in open_parsed(body)} >= {"hippod_documents"}
    plain = curl(daemon, "-i").partition("\r\n\r\n")[0]
    assert "text/plain; version=0.0.4" in plain


def curl(daemon: Daemon, *options: str) -> str:
    command = ["curl", "-s", "--unix-socket", str(daemon.socket), *options]
    done = subprocess.run(
        [*command, "http://hippod/metrics"], capture_output=True, check=True, timeout=60
    )
    return done.stdout.decode()


def test_names_follow_the_conventions(daemon: Daemon) -> None:
    text = daemon.client.metrics()
    assert len(families(text)) > 30
    for family in parsed(text):
        assert re.fullmatch(r"(hippod|process)_[a-z_]+", family.name)
        assert family.documentation
        assert family.type in ("gauge", "counter", "histogram")
        for sample in family.samples:
            if family.type == "counter":
                assert sample.name.endswith("_total")
                assert sample.value >= 0
            assert not sample.name.endswith(("_ms", "_milliseconds", "_kb", "_mb"))


def test_every_figure_of_ours_is_documented(daemon: Daemon) -> None:
    text = (Path(__file__).parent.parent / "docs" / "operations.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(hippod_\w+)", text))
    shown = {
        sample.name if family.type == "counter" else family.name
        for family in parsed(daemon.client.metrics())
        for sample in family.samples
        if not sample.name.startswith("process_")
    }
    assert shown <= named, shown - named


def test_requests_are_counted_by_route_not_by_path(daemon: Daemon) -> None:
    before = daemon.client.metrics()
    for number in range(30):
        with suppress(NotFound):
            daemon.client.read(f"private/diary{number}.md")
        ask(daemon.socket, "GET", f"/v1/nowhere/{number}?secret={number}")
        ask(daemon.socket, "GET", "/v1/status", headers={"Origin": f"http://{number}"})
    with suppress(HippodError):
        daemon.client.recall("what did Anna write", limit=10**9)
    after = daemon.client.metrics()
    where = {"method": "GET", "route": "/v1/files/{path}", "status": "404"}
    grown = value(after, "hippod_http_requests_total", **where)
    assert grown - value(before, "hippod_http_requests_total", **where) == 30
    none = {"method": "GET", "route": "none"}
    assert value(after, "hippod_http_requests_total", **none, status="404") == 30
    assert value(after, "hippod_http_requests_total", **none, status="403") == 30
    assert value(after, "hippod_http_requests_total", route="/v1/recall", status="422") >= 1
    assert not re.search("diary|secret|nowhere|Anna", after)
    assert len(after.splitlines()) - len(before.splitlines()) < 60


def test_the_histogram_adds_up(daemon: Daemon) -> None:
    text = daemon.client.metrics()
    family = families(text)["hippod_http_request_duration_seconds"]
    counts: dict[str, list[float]] = {}
    for sample in family.samples:
        kind = str({**sample.labels, "le": ""})
        if sample.name.endswith("_bucket"):
            counts.setdefault(kind, []).append(sample.value)
    assert counts
    for rising in counts.values():
        assert rising == sorted(rising)
        assert len(rising) == len(metrics.SECONDS) + 1


def test_jobs_and_their_failures_are_counted(daemon: Daemon) -> None:
    before = value(daemon.client.metrics(), "hippod_job_runs_total", job="reconcile", outcome="ok")
    daemon.client.run_job("reconcile")
    text = daemon.client.metrics()
    assert value(text, "hippod_job_runs_total", job="reconcile", outcome="ok") == before + 1
    assert value(text, "hippod_job_last_run_timestamp_seconds", job="reconcile") > 1e9
    assert value(text, "hippod_job_last_run_failed", job="reconcile") == 0


def test_a_group_and_unknown_fields_are_refused(daemon: Daemon) -> None:
    asked = ask(daemon.socket, "GET", "/metrics?scope=group")
    assert asked.status == 403
    with pytest.raises(Forbidden):
        Metrics(daemon_figures_of_a_group, Requests()).text("group")
    assert ask(daemon.socket, "GET", "/metrics?name=x").status == InvalidInput.http_status


def daemon_figures_of_a_group(scope: str) -> dict[str, object]:
    raise Forbidden(f"metrics is not for scope {scope!r}")


def test_the_command_prints_it(daemon: Daemon) -> None:
    done = daemon.cli("metrics")
    assert done.returncode == 0
    assert value(done.stdout, "hippod_index_up") == 1


def test_the_start_does_not_load_the_library() -> None:
    program = (
        "import sys, hippod.process, hippod.server.app; print('prometheus_client' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "False\n"


# -- cheap, and in nobody's way --------------------------------------------------------------


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with building(tmp_path, monkeypatch) as build:
        yield build().start()


def test_a_scrape_waits_for_no_lock_of_the_state(house: House) -> None:
    made = Metrics(house.memory.figures, Requests())
    made.text()
    found: list[bytes] = []
    with house.state.transaction():  # what every save holds
        thread = threading.Thread(target=lambda: found.append(made.text()[0]))
        thread.start()
        thread.join(20)
        assert not thread.is_alive()
    assert value(found[0].decode(), "hippod_state_up") == 1


def test_a_scrape_of_many_documents_is_cheap(house: House) -> None:
    for number in range(400):
        house.write(f"projects/n{number}.md", f"# Note {number}\n\nBoat {number}.\n\nMast.\n")
    house.parts.index.reconcile()
    made = Metrics(house.memory.figures, Requests())
    made.text()
    began = time.thread_time()
    for _ in range(10):
        made.text()
    assert (time.thread_time() - began) / 10 < 0.02
    assert value(made.text()[0].decode(), "hippod_documents") >= 400


def test_it_tells_that_index_or_state_do_not_answer(house: House) -> None:
    house.parts.index.close()
    house.state.path.rename(house.state.path.with_name("gone"))
    text = Metrics(house.memory.figures, Requests()).text()[0].decode()
    house.state.path.with_name("gone").rename(house.state.path)
    assert (value(text, "hippod_index_up"), value(text, "hippod_state_up")) == (0, 0)
    assert "hippod_documents" not in families(text)


@given(
    st.lists(
        st.tuples(st.text(max_size=9), st.sampled_from(["/a", "/b"]), st.floats(0, 100)),
        max_size=200,
    )
)
def test_any_requests_are_counted_once_and_cardinality_is_bounded(
    seen: list[tuple[str, str, float]],
) -> None:
    requests = Requests()
    for method, route, seconds in seen:
        requests.saw(method, route, 200, seconds)
    assert sum(requests.answers.values()) == len(seen)
    assert sum(map(sum, requests.classes.values())) == len(seen)
    assert len(requests.classes) <= 2 * (len(metrics.METHODS) + 1)


def test_without_an_embedder_nothing_pretends_to_wait(house: House) -> None:
    house.write("a.md", "# A\n\nBoat.\n")
    house.parts.index.reconcile()
    text = Metrics(house.memory.figures, Requests()).text()[0].decode()
    assert value(text, "hippod_documents") > 0
    assert value(text, "hippod_vectors", state="embedded") == 0
    assert "embedder" not in str(families(text)["hippod_model_up"].samples)
