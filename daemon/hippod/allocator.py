"""How glibc keeps memory that was given back to it: by default for ever, and once for each thread.

Between a question and the next the memory of a daemon would grow by what lies unused in between.
Other C libraries know none of this, and are left as they are.
"""

import contextlib
import ctypes

ARENAS = 2
"""Heaps for all threads; by default each takes one of its own, up to eight a core."""
MAPPED_BYTES = 1 << 20
"""What is larger is a mapping of its own, which goes when it is freed."""
KEPT_BYTES = 4 << 20
"""How much may stay unused at the end of a heap."""

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8


def keep_little() -> None:
    """Have what is freed given back to the system; to be called before there are threads."""
    with contextlib.suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        library.mallopt(_M_ARENA_MAX, ARENAS)
        library.mallopt(_M_MMAP_THRESHOLD, MAPPED_BYTES)
        library.mallopt(_M_TRIM_THRESHOLD, KEPT_BYTES)


def give_back() -> None:
    """Give all to the system that is unused now."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
