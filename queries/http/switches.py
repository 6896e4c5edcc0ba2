"""Switches evaluators off and on over HTTP."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import BaseModel

from .api import Api
from .endpoint import Call, endpoint

__all__ = ["pause", "resume"]


class EvaluatorSwitch(BaseModel):
    """Whether an evaluator is paused."""

    evaluator: str
    is_paused: bool


@endpoint("POST", "/api/v1/evaluators/{name:path}/pause", "stop an evaluator", answer=EvaluatorSwitch, example="{}")
async def pause(api: Api, call: Call) -> EvaluatorSwitch:
    """Answer with the state of the evaluator."""
    return await _switch(api, call, api.commands.pause, is_paused=True)


@endpoint(
    "POST",
    "/api/v1/evaluators/{name:path}/resume",
    "let a paused evaluator continue",
    answer=EvaluatorSwitch,
    example="{}",
)
async def resume(api: Api, call: Call) -> EvaluatorSwitch:
    """Answer with the state of the evaluator."""
    return await _switch(api, call, api.commands.resume, is_paused=False)


async def _switch(api: Api, call: Call, switch: Callable[[str], None], *, is_paused: bool) -> EvaluatorSwitch:
    name = call.path("name")
    await api.admin_commands.run(lambda: switch(name))
    return EvaluatorSwitch(evaluator=name, is_paused=is_paused)
