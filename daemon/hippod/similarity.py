"""How alike facts are by the vectors that the index has of them."""

from collections.abc import Mapping, Sequence

from hippod.errors import HippodError
from hippod.index import Index


def similar(index: Index, fact: str, others: Sequence[str]) -> Mapping[str, float]:
    """Return the cosine of a fact to other facts and opinions, by id; of those with a vector.

    Only vectors that are stored are compared: no model is loaded or asked for this, and nothing
    is raised. Without vectors, or while the index cannot answer, it is empty.
    """
    try:
        with index.view() as view:
            return view.likeness(fact, others)
    except HippodError:
        return {}
