"""When the daemon's jobs are due, as pure functions of the configuration and the last run."""

from datetime import datetime, timedelta


def first_run(seconds: float, last_run: datetime | None, now: datetime) -> datetime:
    """Return when a job that runs every `seconds` is due next after a start at `now`.

    The period counts from the last run, however often the daemon was restarted since; a run
    that was missed meanwhile is due at once, and once only. A last run in the future (the clock
    went back) counts as none. Datetimes are aware.
    """
    period = timedelta(seconds=seconds)
    if last_run is None or last_run > now:
        return now + period
    return max(last_run + period, now)


def describe(seconds: float) -> str:
    """Say an interval for people: `every 15 min`."""
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size and seconds % size == 0:
            return f"every {seconds / size:g} {unit}"
    return f"every {seconds:g} s"
