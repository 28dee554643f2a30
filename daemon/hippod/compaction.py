"""Making a SQLite file smaller when much of it is free, if that takes no longer than seconds."""

import apsw

FREE_SHARE, FEWEST_FREE = 0.2, 256
"""What is to be free of a file, and how many pages at least."""


def compact(connection: apsw.Connection, most_bytes: int) -> bool:
    """Shrink the file of `connection`, outside of a transaction; say whether it paid.

    One that is larger than `most_bytes` stays as it is: who writes would wait too long. Readers
    with a connection of their own go on meanwhile.
    """
    pages, free, size = (
        int(connection.pragma(name)) for name in ("page_count", "freelist_count", "page_size")
    )
    if free < max(FEWEST_FREE, FREE_SHARE * pages) or pages * size > most_bytes:
        return False
    rewrite(connection)
    return True


def checkpoint(connection: apsw.Connection) -> bool:
    """Copy what SQLite wrote ahead into the file and empty it; False while others read."""
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except apsw.BusyError:
        return False
    return True


def rewrite(connection: apsw.Connection) -> None:
    """Write the file anew, outside of a transaction: nothing that was deleted is left in it.

    Nor in the file beside it that SQLite writes ahead. Raises `apsw.BusyError` if somebody reads
    for longer than the busy timeout.
    """
    connection.execute("VACUUM")
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
