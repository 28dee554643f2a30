"""What Prometheus is told: figures of the daemon and of its requests, counted at the scrape.

Nothing here works in the background. Labels hold names of the program's own (routes, jobs,
roles), never content, paths of documents or sessions.
"""

import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from hippod import __version__, log
from hippod.scope import Scope
from hippod.state import Census

if TYPE_CHECKING:  # 30 ms that the start need not pay
    from prometheus_client.metrics_core import Metric

SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0)
"""Upper bounds of the classes into which the durations of requests fall."""
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE"})
NO_ROUTE: Final = "none"
"""Route of a request that reached none: refused, or for no endpoint."""


class Requests:
    """Counts answers by method, route and status. For one thread to fill, for any to read."""

    def __init__(self) -> None:
        self.answers: dict[tuple[str, str, int], int] = {}
        self.classes: dict[tuple[str, str], list[int]] = {}
        """By method and route: how many answers fell into each class, the longer ones last."""
        self.seconds: dict[tuple[str, str], float] = {}

    def saw(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answer that began `seconds` after its request came."""
        method = method if method in METHODS else "other"
        answer, kind = (method, route, status), (method, route)
        self.answers[answer] = self.answers.get(answer, 0) + 1
        classes = self.classes.setdefault(kind, [0] * (len(SECONDS) + 1))
        classes[bisect_left(SECONDS, seconds)] += 1
        self.seconds[kind] = self.seconds.get(kind, 0.0) + seconds


class Metrics:
    """All figures in the formats that Prometheus reads. `figures` counts what the daemon has."""

    def __init__(self, figures: Callable[[Scope], Mapping[str, Any]], requests: Requests) -> None:
        self._figures = figures
        self._requests = requests

    def text(self, scope: Scope = "main", accept: str = "") -> tuple[bytes, str]:
        """Return the exposition, and its content type, that suits an `Accept` header best.

        Raises `Forbidden` for a group.
        """
        from prometheus_client import CollectorRegistry, ProcessCollector
        from prometheus_client.exposition import choose_encoder

        registry = CollectorRegistry(auto_describe=False)
        ProcessCollector(registry=registry)
        began, families = time.monotonic(), [*self._daemon(scope), *self._served()]
        families.append(_gauge("hippod_scrape_seconds", "Time that counting took.", _since(began)))
        registry.register(_Once(families))
        encode, content_type = choose_encoder(accept)
        return encode(registry), content_type

    def _daemon(self, scope: Scope) -> "Iterator[Metric]":
        figures = self._figures(scope)
        yield _info("hippod_build", "Version of the daemon.", version=__version__)
        yield from _index(figures["index"])
        yield _gauge("hippod_index_queue", "Paths that wait to be indexed.", figures["waiting"])
        yield _gauge(
            "hippod_index_lag_seconds", "Age of the oldest of them.", figures["waited_seconds"]
        )
        yield from _state(figures["state"])
        yield _counted(
            "hippod_job_runs", "Runs of jobs that ended.", ("job", "outcome"), figures["runs"]
        )
        yield _gauge("hippod_faults", "Things that fail at the moment.", figures["faults"])
        yield _gauge("hippod_event_listeners", "Clients that follow events.", figures["listeners"])
        if figures["disk"]:
            free, size = figures["disk"]
            yield _gauge("hippod_disk_free_bytes", "Free on the workspace's disk.", free)
            yield _gauge("hippod_disk_size_bytes", "Size of the workspace's disk.", size)
        sizes = {name: size for name, size in figures["bytes"].items() if size is not None}
        yield _gauges("hippod_file_size_bytes", "Size of a database.", "file", sizes)
        yield from _models(figures.get("models", {}))
        if "watching" in figures:
            watching = int(figures["watching"])
            yield _gauge("hippod_watcher_up", "1 while the watcher does its work.", watching)
            missing = figures["not_indexed"]
            yield _gauge("hippod_documents_failed", "Documents not in the index.", missing)
            queued = figures["transcripts_waiting"]
            yield _gauge("hippod_retain_queue", "Transcripts that wait to be read.", queued)
            crashes = {(): figures["crashes"]}
            yield _counted("hippod_worker_crashes", "Crashes inside the daemon.", (), crashes)

    def _served(self) -> "Iterator[Metric]":
        from prometheus_client.metrics_core import HistogramMetricFamily

        seen = self._requests
        yield _counted(
            "hippod_http_requests", "Answers.", ("method", "route", "status"), dict(seen.answers)
        )
        family = HistogramMetricFamily(
            "hippod_http_request_duration_seconds",
            "Time until an answer began.",
            labels=["method", "route"],
        )
        for kind, classes in dict(seen.classes).items():
            family.add_metric(kind, _buckets(classes), seen.seconds.get(kind, 0.0))
        yield family
        yield _counted("hippod_log_lines_folded", "Log lines left out.", (), {(): log.folded()})


def _index(about: Mapping[str, Any]) -> "Iterator[Metric]":
    yield _gauge("hippod_index_up", "1 while the index answers.", int("documents" in about))
    if "documents" in about:
        yield _gauge("hippod_documents", "Documents in the index.", about["documents"])
        yield _gauge("hippod_chunks", "Units of recall, facts among them.", about["units"])
        yield _gauge("hippod_facts", "Facts in the index.", about["facts"])
        kinds = {kind: about[kind] for kind in ("embedded", "pending", "rejected")}
        yield _gauges("hippod_vectors", "Distinct texts, by their vector.", "state", kinds)
    yield _gauge("hippod_index_remaining", "Documents left of a look at all.", about["remaining"])
    if about["updated"]:
        yield _gauge(
            "hippod_index_updated_timestamp_seconds",
            "When the index took a change last.",
            about["updated"].timestamp(),
        )
    failed = {(leg,): count for leg, count in about["leg_failures"].items()}
    yield _counted("hippod_recall_leg_failures", "Searches without a leg.", ("leg",), failed)


def _state(census: Census | None) -> "Iterator[Metric]":
    yield _gauge("hippod_state_up", "1 while the state answers.", int(census is not None))
    if census is None:
        return
    yield _gauges("hippod_batches", "Batches of turns, by status.", "status", census.batches)
    yield _gauge("hippod_facts_kept", "Facts that the state has of transcripts.", census.facts)
    yield _counted("hippod_events", "Events since the state was made.", (), {(): census.events})
    for name, said, value in (
        ("timestamp_seconds", "When a job began last.", lambda run: run.started.timestamp()),
        ("duration_seconds", "How long its last run took.", lambda run: run.seconds),
        ("failed", "1 if its last run failed.", lambda run: int(run.outcome == "failed")),
    ):
        values = {job: value(run) for job, run in census.runs.items()}
        yield _gauges(f"hippod_job_last_run_{name}", said, "job", values)


def _models(by_role: Mapping[str, Mapping[str, Any]]) -> "Iterator[Metric]":
    up = {role: int(about["state"] not in _DOWN) for role, about in by_role.items()}
    yield _gauges("hippod_model_up", "1 unless a model fails.", "role", up)
    for key, said in (
        ("calls", "Calls of a model."),
        ("tokens", "Tokens that it read and wrote."),
        ("seconds", "Time that it worked."),
        ("restarts", "Starts after a death."),
    ):
        values = {(role,): about[key] for role, about in by_role.items() if key in about}
        yield _counted(f"hippod_model_{key}", said, ("role",), values)


_DOWN = ("backoff", "closed")


# -- families --------------------------------------------------------------------------------


class _Once:
    """A collector of families that were made for one scrape."""

    def __init__(self, families: "list[Metric]") -> None:
        self._families = families

    def collect(self) -> "list[Metric]":
        """Return them."""
        return self._families


def _gauge(name: str, said: str, value: float) -> "Metric":
    from prometheus_client.metrics_core import GaugeMetricFamily

    return GaugeMetricFamily(name, said, value=value)


def _gauges(name: str, said: str, label: str, values: Mapping[str, float]) -> "Metric":
    from prometheus_client.metrics_core import GaugeMetricFamily

    family = GaugeMetricFamily(name, said, labels=(label,))
    for each, value in values.items():
        family.add_metric((each,), value)
    return family


def _counted(
    name: str, said: str, labels: tuple[str, ...], values: Mapping[tuple[Any, ...], float]
) -> "Metric":
    """Return a counter; its name gets `_total`."""
    from prometheus_client.metrics_core import CounterMetricFamily

    family = CounterMetricFamily(name, said, labels=labels)
    for each, value in values.items():
        family.add_metric(tuple(map(str, each)), value)
    return family


def _info(name: str, said: str, **values: str) -> "Metric":
    from prometheus_client.metrics_core import InfoMetricFamily

    return InfoMetricFamily(name, said, value=values)


def _buckets(classes: list[int]) -> list[tuple[str, float]]:
    """Return how many answers took at most so long, as a histogram has it."""
    total, found = 0, []
    for bound, count in zip((*map(str, SECONDS), "+Inf"), classes, strict=True):
        total += count
        found.append((bound, float(total)))
    return found


def _since(began: float) -> float:
    return time.monotonic() - began
