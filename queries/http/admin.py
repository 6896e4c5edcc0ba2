"""Admin commands over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ports import Backfill, Rebuild
from .api import Api
from .endpoint import Call, endpoint

__all__ = ["backfill", "pause", "rebuild", "reload", "resume"]


@endpoint("POST", "/api/v1/backfill", "evaluate runs of the past", example='{"since": "2026-01-01T00:00:00Z"}')
async def backfill(api: Api, call: Call) -> dict[str, Any]:
    """Take `ports.Backfill`, answer with `ports.BackfillSummary`. It may take long, so it has its own pool."""
    wanted = call.read_as(Backfill)
    return (await api.backfills.run(lambda: api.commands.backfill(wanted))).model_dump()


@endpoint("POST", "/api/v1/rebuild", "assemble stored traces again", example="{}")
async def rebuild(api: Api, call: Call) -> dict[str, Any]:
    """Take `ports.Rebuild`, answer with `ports.Rebuilding`."""
    wanted = call.read_as(Rebuild)
    return (await api.admin_commands.run(lambda: api.commands.rebuild(wanted))).model_dump()


@endpoint("POST", "/api/v1/evaluators/{name}/pause", "stop an evaluator", example="{}")
async def pause(api: Api, call: Call) -> dict[str, Any]:
    """Answer with the state of the evaluator."""
    return await _switch_evaluator(api, call, api.commands.pause, is_paused=True)


@endpoint("POST", "/api/v1/evaluators/{name}/resume", "let a paused evaluator continue", example="{}")
async def resume(api: Api, call: Call) -> dict[str, Any]:
    """Answer with the state of the evaluator."""
    return await _switch_evaluator(api, call, api.commands.resume, is_paused=False)


@endpoint("POST", "/api/v1/reload", "read the configuration again", example="{}")
async def reload(api: Api, _: Call) -> dict[str, Any]:
    """Answer with the settings that take effect only after a restart."""
    return {"needs_a_restart": list(await api.admin_commands.run(api.commands.reload))}


async def _switch_evaluator(api: Api, call: Call, switch: Callable[[str], None], *, is_paused: bool) -> dict[str, Any]:
    name = call.request.path_params["name"]
    await api.admin_commands.run(lambda: switch(name))
    return {"evaluator": name, "is_paused": is_paused}
