"""All faults, in the order of the table."""

from bench.faults import archives, disks, doors, engines, hands, indexes, kills, limits, sessions
from bench.faults.harness import Fault

ALL: tuple[Fault, ...] = (
    *kills.FAULTS,
    *disks.FAULTS,
    *hands.FAULTS,
    *indexes.FAULTS,
    *sessions.FAULTS,
    *engines.FAULTS,
    *limits.FAULTS,
    *doors.FAULTS,
    *archives.FAULTS,
)


def named(parts: str) -> list[Fault]:
    """Return the faults whose name holds one of `parts`, or of a module; all if there are none."""
    wanted = [part.strip().casefold() for part in parts.split(",") if part.strip()]
    return [fault for fault in ALL if not wanted or any(part in _words(fault) for part in wanted)]


def _words(fault: Fault) -> str:
    return f"{fault.inject.__module__.rpartition('.')[2]}: {fault.name}".casefold()
