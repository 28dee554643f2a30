"""Tell which records of a tree of messages were abandoned for another branch."""

from collections.abc import Mapping


def abandoned(parents: Mapping[str, str | None], tip: str | None) -> frozenset[str]:
    """Return the ids that are neither `tip` nor one of its ancestors.

    `parents` maps ids, in file order, to their parents; None is a root.

    Nothing is abandoned if the chain cannot be told: without a tip, and where the chain ends at
    a root that is not the first id, since the writer may just have left parents out.
    """
    live: set[str] = set()
    current, oldest = tip, tip
    while current is not None and current in parents and current not in live:
        live.add(current)
        current, oldest = parents[current], current
    if not live or (current is None and oldest != next(iter(parents))):
        return frozenset()
    return frozenset(parents.keys() - live)
