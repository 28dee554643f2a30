"""Checks of the models: each one that is configured is really asked something small."""

from collections.abc import Iterator
from typing import Any

from hippod.doctor.finding import Found, fail, ok, skipped, warn
from hippod.doctor.subject import Models, Subject
from hippod.errors import BudgetExhausted, ModelError

_QUESTION = "Is water wet? Answer yes or no:"
_LABELS = ("yes", "no")
_TEXT = "The spare key is with Ina."
_OFF = "switched off"


def generator(subject: Subject) -> Iterator[Found]:
    """The generator picks a label and writes a line."""
    model = subject.models.generator
    if model is None:
        yield _absent(subject.models, "generator", "the rules select facts alone")
        return
    if _is_busy(model):
        yield skipped("the generator is at work: ask again later")
        return
    try:
        ((one, other),) = model.choose([_QUESTION], _LABELS)
        written = model.complete("Say hello.", "line", 4)
    except BudgetExhausted as error:
        yield warn(error.message, error.hint)
    except ModelError as error:
        yield fail(error.message, error.hint or "see [generator], and: hippod models")
    else:
        sound = one <= 0 and other <= 0 and written.tokens_out > 0
        name = model.model_id
        yield (
            ok(f"{name} chooses and writes")
            if sound
            else fail(
                f"{name} answers with something that is no answer", "use another: hippod models"
            )
        )


def encoder(subject: Subject) -> Iterator[Found]:
    """The encoder gives a vector."""
    model = subject.models.encoder
    if model is None:
        yield _absent(subject.models, "encoder", "facts are selected less well")
    elif _is_busy(model):
        yield skipped("the encoder is at work: ask again later")
    else:
        try:
            yield ok(f"{model.model_id} gives {len(model.embed_query(_TEXT))} numbers")
        except ModelError as error:
            yield fail(error.message, error.hint or "see [encoder]")


def embedder(subject: Subject) -> Iterator[Found]:
    """The embedder gives vectors as wide as those of the index."""
    model = subject.models.embedder
    if model is None:
        yield _absent(subject.models, "embedder", "recall searches words alone")
        return
    try:
        width, name = len(model.embed_query(_TEXT)), model.model_id
    except ModelError as error:
        yield fail(error.message, error.hint or "see [embedder]")
        return
    status = subject.parts.index.status() if subject.parts else {}
    if (stored := status.get("dimension")) not in (None, width):
        yield fail(
            f"{name} gives {width} numbers, the vectors of the index have {stored}",
            "check [embedder] model and dimensions, then: hippod reindex",
        )
    elif switching := status.get("switching"):
        yield warn(
            f"vectors of {switching['active']} are being made, {switching['serving']} answer",
            "wait: hippod status tells how far it is",
        )
    else:
        yield from _waiting(status)
        yield ok(f"{name} gives {width} numbers")


def _waiting(status: dict[str, Any]) -> Iterator[Found]:
    if error := status.get("embedding_error"):
        yield warn(f"the embedder failed last: {error}", "hippod tries again by itself")
    if parked := sum(n for why, n in status.get("parked", {}).items() if "no words" not in why):
        yield warn(f"{parked:,} texts could not be embedded", "they are found by their words")


def _absent(models: Models, role: str, without: str) -> Found:
    why = models.notes.get(role, "")
    if not why or _OFF in why:
        return ok(f"switched off: {without}")
    return fail(f"no {role}: {why}", f"until then {without}")


def _is_busy(model: object) -> bool:
    status = getattr(model, "status", None)
    return status is not None and status().get("state") == "busy"
