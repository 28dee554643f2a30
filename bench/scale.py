"""How much is measured: the full size for a report, a small one to see that all of it runs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """Sizes and repetitions; five units of recall a file."""

    sizes: tuple[int, ...]
    """Documents of the large workspaces, smallest first: 20,000 make 100,000 units."""
    small_files: int
    """Documents of the small one: 200 make 1,000 units."""
    saves: int
    queries: int
    """Questions of each class."""
    writing_seconds: float
    """How long recall is asked while documents are saved."""
    starts: int
    """Starts of the command line client, and of bare Python."""
    restarts: int
    """Starts of a daemon on a workspace that is indexed."""
    beat_seconds: float
    """How long the idle daemon is asked for comparison."""
    messages: int
    """Messages of the conversation that the model works on."""
    idle_seconds: float
    idle_after_model: bool
    """Use the model once and have it unloaded before looking at the idle daemon."""
    year: tuple[int, int]
    """Entities and facts of the year that is reflected upon."""

    @property
    def files(self) -> int:
        """Documents of the workspace that the budgets are stated for: 100,000 units."""
        return self.sizes[min(1, len(self.sizes) - 1)]


FULL = Scale(
    sizes=(2_000, 20_000), small_files=200, saves=20, queries=200, writing_seconds=20, starts=20,
    restarts=5, beat_seconds=10, messages=24, idle_seconds=60, idle_after_model=True,
    year=(100, 2_000),
)  # fmt: skip
LARGE_SIZES = (2_000, 20_000, 60_000)
QUICK = Scale(
    sizes=(30, 60), small_files=20, saves=1, queries=5, writing_seconds=1, starts=3,
    restarts=1, beat_seconds=1, messages=1, idle_seconds=1, idle_after_model=False,
    year=(24, 60),
)  # fmt: skip
