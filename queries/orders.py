"""Orders to the passes over HTTP.

`POST /api/v1/backfill` with what `ports.Backfill` has answers `{"asked": {evaluator: runs}}`;
`POST /api/v1/evaluators/NAME/pause` and `…/resume` with `{}` answer `{}`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import orjson
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from .door import HEADERS, Door, Refusal, faults
from .ports import Backfill, Commands, OrderRefused

__all__ = ["routes"]


def routes(commands: Commands, door: Door) -> list[Route]:
    """The routes."""

    async def backfill(request: Request) -> Response:
        def ask(body: bytes) -> dict[str, Any]:
            return {"asked": dict(commands.backfill(_wanted(body)))}

        return await _answer(request, door, ask)

    async def pause(request: Request) -> Response:
        return await _answer(request, door, lambda _: commands.pause(request.path_params["name"]))

    async def resume(request: Request) -> Response:
        return await _answer(request, door, lambda _: commands.resume(request.path_params["name"]))

    return [
        Route("/api/v1/backfill", backfill, methods=["POST"], name="backfill"),
        Route("/api/v1/evaluators/{name}/pause", pause, methods=["POST"], name="pause"),
        Route("/api/v1/evaluators/{name}/resume", resume, methods=["POST"], name="resume"),
    ]


async def _answer(request: Request, door: Door, do: Callable[[bytes], dict[str, Any] | None]) -> Response:
    try:
        done = await asyncio.to_thread(do, await door.body(request))
    except OrderRefused as refused:
        return Refusal(400, refused.kind, str(refused)).response()
    except Refusal as refusal:
        return refusal.response()
    return Response(orjson.dumps(done or {}), headers=HEADERS, media_type="application/json")


def _wanted(body: bytes) -> Backfill:
    try:
        return Backfill.model_validate_json(body)
    except ValidationError as error:
        raise Refusal(400, "malformed", faults(error)) from error
