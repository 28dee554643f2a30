"""The HTTP routes of the bank: entities, opinions, proposals, reflection, hygiene, forget."""

from typing import Annotated

from fastapi import FastAPI, Query

from hippod import wire, wire_bank
from hippod.server.patience import BODY_ONLY, Patiently
from hippod.service import Memory


def routes(app: FastAPI, memory: Memory, patiently: Patiently) -> None:
    """Add them to the application; `patiently` runs what waits for work in threads of its own."""
    _reflect(app, memory, patiently)
    _hygiene(app, memory, patiently)
    _forget(app, memory, patiently)
    _entities(app, memory, patiently)
    _opinions(app, memory)
    _proposals(app, memory)


REFLECT_NOW = wire_bank.ReflectRequest()


def _reflect(app: FastAPI, memory: Memory, patiently: Patiently) -> None:
    @app.post("/v1/jobs/reflect/run", dependencies=BODY_ONLY)
    async def reflect(
        request: wire_bank.ReflectRequest = REFLECT_NOW,
    ) -> wire_bank.Reflected:
        """Bring the bank's pages up to date with the facts, or say what that would change."""
        return await patiently(lambda: memory.reflect(request))


TIDY_UP = wire_bank.HygieneRequest()


def _hygiene(app: FastAPI, memory: Memory, patiently: Patiently) -> None:
    @app.post("/v1/jobs/hygiene/run", dependencies=BODY_ONLY)
    async def hygiene(
        request: wire_bank.HygieneRequest = TIDY_UP,
    ) -> wire_bank.HygieneReport:
        """Tidy up, say what is to do, or apply what is named."""
        return await patiently(lambda: memory.hygiene(request))


def _entities(app: FastAPI, memory: Memory, patiently: Patiently) -> None:
    @app.get("/v1/entities")
    def entities(request: Annotated[wire_bank.Request, Query()]) -> wire_bank.EntityList:
        """List who is who, with what is unclear or looks alike."""
        return memory.entities(request.scope)

    @app.get("/v1/entities/{name:document}")
    def entity(
        name: str, request: Annotated[wire_bank.EntityRequest, Query()]
    ) -> wire_bank.EntityDetail:
        """Describe an entity, by any of its names, with its newest facts."""
        return memory.entity(name, limit=request.limit, scope=request.scope)

    @app.post("/v1/entities/{name:document}", dependencies=BODY_ONLY)
    async def change_entity(name: str, request: wire_bank.EntityAction) -> wire_bank.EntityChanged:
        """Merge an entity into another, split an alias off, rename it, or adopt its page."""
        return await patiently(lambda: memory.change_entity(name, request))


RECOMPUTE = wire_bank.RecomputeRequest()


def _opinions(app: FastAPI, memory: Memory) -> None:
    @app.get("/v1/opinions")
    def opinions(
        request: Annotated[wire_bank.OpinionsRequest, Query()],
    ) -> wire_bank.OpinionList:
        """List the opinions of the ledger, or those about an entity."""
        return memory.opinions(request.entity, scope=request.scope)

    @app.post("/v1/opinions/recompute", dependencies=BODY_ONLY)
    def recompute_opinions(
        request: wire_bank.RecomputeRequest = RECOMPUTE,
    ) -> wire_bank.OpinionsRecomputed:
        """Set each confidence to what prior and weights in the ledger give."""
        return memory.recompute_opinions(dry_run=request.dry_run, scope=request.scope)

    @app.get("/v1/opinions/{id}")
    def opinion(id: str, request: Annotated[wire_bank.Request, Query()]) -> wire.OpinionDetail:
        """Return an opinion, by its id or a beginning of it, with its evidence."""
        return memory.opinion(id, request.scope)


def _proposals(app: FastAPI, memory: Memory) -> None:
    @app.get("/v1/proposals")
    def proposals(request: Annotated[wire_bank.Request, Query()]) -> wire_bank.ProposalList:
        """List the proposals for MEMORY.md, decided ones too."""
        return memory.proposals(request.scope)

    @app.get("/v1/proposals/{id}")
    def proposal(
        id: str, request: Annotated[wire_bank.Request, Query()]
    ) -> wire_bank.ProposalDetail:
        """Return a proposal, by its id or a beginning of it, with what it changes."""
        return memory.proposal(id, request.scope)

    @app.post("/v1/proposals/{id}", dependencies=BODY_ONLY)
    def decide(id: str, request: wire_bank.ProposalDecision) -> wire_bank.ProposalDecided:
        """Accept a proposal, or reject it for good."""
        if request.action == "accept":
            return memory.accept_proposal(id, force=request.force, scope=request.scope)
        return memory.reject_proposal(id, request.scope)


def _forget(app: FastAPI, memory: Memory, patiently: Patiently) -> None:
    @app.post("/v1/forget", dependencies=BODY_ONLY)
    async def forget(request: wire_bank.ForgetRequest) -> wire_bank.Forgotten:
        """Say what forgetting something would remove, or remove it for good."""
        return await patiently(lambda: memory.forget(request))
