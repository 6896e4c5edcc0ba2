"""Admin commands over HTTP."""

from __future__ import annotations

from pydantic import BaseModel

from ..ports import Backfill, BackfillSummary, Rebuild, Rebuilding
from .api import Api
from .endpoint import Call, endpoint

__all__ = ["backfill", "rebuild", "reload"]


class Reloaded(BaseModel):
    """The settings that have changed, but take effect only after a restart; and why budgets in dollars do not bind."""

    needs_a_restart: list[str]
    unbound_budgets: list[str]


@endpoint(
    "POST",
    "/api/v1/backfill",
    "evaluate runs of the past",
    body=Backfill,
    answer=BackfillSummary,
    example='{"since": "2026-01-01T00:00:00Z"}',
)
async def backfill(api: Api, call: Call) -> BackfillSummary:
    """Request the scores. It may take long, so it has its own pool."""
    wanted = call.body(Backfill)
    return await api.backfills.run(lambda: api.commands.backfill(wanted))


@endpoint("POST", "/api/v1/rebuild", "assemble stored traces again", body=Rebuild, answer=Rebuilding, example="{}")
async def rebuild(api: Api, call: Call) -> Rebuilding:
    """Begin the rebuild; it continues after the answer."""
    wanted = call.body(Rebuild)
    return await api.admin_commands.run(lambda: api.commands.rebuild(wanted))


@endpoint("POST", "/api/v1/reload", "read the configuration again", answer=Reloaded, example="{}")
async def reload(api: Api, _: Call) -> Reloaded:
    """Answer with the settings that take effect only after a restart, and what the new ones leave without a limit."""
    waiting = await api.admin_commands.run(api.commands.reload)
    return Reloaded(needs_a_restart=list(waiting), unbound_budgets=list(await api.list_unbound_budgets()))
