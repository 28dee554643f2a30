"""How much is measured: the full size for a report, a small one to see that all of it runs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """Sizes and repetitions; five units of recall a file."""

    files: int
    """Documents of the large workspace (index, recall)."""
    small_files: int
    """Documents of the small one: 200 make 1,000 units."""
    index_runs: int
    saves: int
    queries: int
    """Questions of each class."""
    starts: int
    """Starts of the command line client, and of bare Python."""
    beat_seconds: float
    """How long the idle daemon is asked for comparison."""
    messages: int
    """Messages of the conversation that the model works on."""
    idle_seconds: float
    idle_after_model: bool
    """Use the model once and have it unloaded before looking at the idle daemon."""


FULL = Scale(
    files=2_000, small_files=200, index_runs=3, saves=30, queries=200, starts=20,
    beat_seconds=15, messages=48, idle_seconds=60, idle_after_model=True,
)  # fmt: skip
QUICK = Scale(
    files=60, small_files=20, index_runs=1, saves=1, queries=5, starts=3,
    beat_seconds=1, messages=1, idle_seconds=1, idle_after_model=False,
)  # fmt: skip
