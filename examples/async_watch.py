"""Print each fact as it is written down, over restarts of the daemon too.

    python examples/async_watch.py

An asyncio program that follows events goes on behind the last one that it saw, so that it
misses nothing that is still kept.
"""

import asyncio
import contextlib
import sys

import hippod

PAUSE_SECONDS = 2.0
"""Between two tries while no daemon answers."""


async def watch(memory: hippod.AsyncClient) -> None:
    """Print facts until interrupted."""
    last, told = None, False
    while True:
        try:
            async for event in memory.events(after=last, types=["facts.retained"]):
                last, told = event["id"], False
                for fact in event.get("facts", ()):
                    print(fact["bullet"], flush=True)
        except (hippod.DaemonDown, hippod.NotResponding) as error:
            if not told:
                print(f"{error.message}\n{error.hint}", file=sys.stderr, flush=True)
            told = True
        await asyncio.sleep(PAUSE_SECONDS)


async def main() -> int:
    """Watch; return an exit code."""
    async with hippod.AsyncClient() as memory:
        try:
            await watch(memory)
        except hippod.HippodError as error:
            print(f"{error.message}\n{error.hint}", file=sys.stderr)
            return error.exit_code
    return 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(asyncio.run(main()))
