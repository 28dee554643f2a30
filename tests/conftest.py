"""What holds for every test of a worker."""

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def _loggers_stay_as_they_are() -> Iterator[None]:
    """Let no command that runs in this process set up logging: the next test may look at logs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hippod.log.configure", lambda *args, **options: None)
        yield
