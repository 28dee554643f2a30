from datetime import UTC, datetime, timedelta

from hippod.schedule import describe, first_run

NOW = datetime(2026, 3, 3, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def test_period_counts_from_the_last_run_not_from_the_start() -> None:
    last = NOW - timedelta(minutes=50)
    for minutes in range(0, 10, 2):  # restarts do not move it
        assert first_run(3600, last, NOW + timedelta(minutes=minutes)) == last + HOUR


def test_missed_run_is_due_at_once_and_once() -> None:
    assert first_run(3600, NOW - 30 * HOUR, NOW) == NOW


def test_first_start_waits_one_period() -> None:
    assert first_run(3600, None, NOW) == NOW + HOUR


def test_last_run_in_the_future_counts_as_none() -> None:
    assert first_run(3600, NOW + 48 * HOUR, NOW) == NOW + HOUR


def test_describe() -> None:
    assert describe(900) == "every 15 min"
    assert describe(86400) == "every 1 d"
    assert describe(90) == "every 90 s"
