"""Orders to the passes over HTTP.

`POST /api/v1/backfill` with what `ports.Backfill` has answers what `ports.Asked` has, `POST /api/v1/rebuild` with what
`ports.Rebuild` has what `ports.Rebuilding` has; with `{}`
`POST /api/v1/reload` answers `{"needs_a_restart": [setting]}`, and `POST /api/v1/evaluators/NAME/pause` and `…/resume`
`{"evaluator": NAME, "is_paused": true}`, or false.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import orjson
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..ports import Backfill, Commands, OrderRefused, Rebuild
from ..validation import faults
from .access import HEADERS, Door, Refusal, refusing
from .bounded_pool import BoundedPool

__all__ = ["routes"]

M = TypeVar("M", bound=BaseModel)

_STATUSES: Final[Mapping[str, int]] = {"not_found": 404, "conflict": 409}


def routes(commands: Commands, door: Door) -> list[Route]:
    """The routes. A backfill may take long: further ones wait for it, and hold no other order up."""
    pool, backfills = BoundedPool("orders", at_once=4, limit=24), BoundedPool("backfills", at_once=1, limit=24)

    @refusing
    async def backfill(request: Request) -> Response:
        def ask(body: bytes) -> dict[str, Any]:
            return commands.backfill(_wanted(Backfill, body)).model_dump()

        return await _answer(request, door, ask, backfills)

    @refusing
    async def rebuild(request: Request) -> Response:
        def begin(body: bytes) -> dict[str, Any]:
            return commands.rebuild(_wanted(Rebuild, body)).model_dump()

        return await _answer(request, door, begin, pool)

    @refusing
    async def pause(request: Request) -> Response:
        return await _switch(request, door, commands.pause, pool, is_paused=True)

    @refusing
    async def resume(request: Request) -> Response:
        return await _switch(request, door, commands.resume, pool, is_paused=False)

    @refusing
    async def reload(request: Request) -> Response:
        return await _answer(request, door, lambda _: {"needs_a_restart": list(commands.reload())}, pool)

    return [
        Route("/api/v1/reload", reload, methods=["POST"], name="reload"),
        Route("/api/v1/backfill", backfill, methods=["POST"], name="backfill"),
        Route("/api/v1/rebuild", rebuild, methods=["POST"], name="rebuild"),
        Route("/api/v1/evaluators/{name}/pause", pause, methods=["POST"], name="pause"),
        Route("/api/v1/evaluators/{name}/resume", resume, methods=["POST"], name="resume"),
    ]


async def _switch(
    request: Request, door: Door, do: Callable[[str], None], pool: BoundedPool, *, is_paused: bool
) -> Response:
    def switched(_: bytes) -> dict[str, Any]:
        name = request.path_params["name"]
        do(name)
        return {"evaluator": name, "is_paused": is_paused}

    return await _answer(request, door, switched, pool)


async def _answer(request: Request, door: Door, do: Callable[[bytes], dict[str, Any]], pool: BoundedPool) -> Response:
    try:
        body = await door.body(request)
        done = await pool.run(lambda: do(body))
    except OrderRefused as refused:
        raise Refusal(_STATUSES.get(refused.kind, 400), refused.kind, str(refused)) from refused
    return Response(orjson.dumps(done), headers=HEADERS, media_type="application/json")


def _wanted(model: type[M], body: bytes) -> M:
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        raise Refusal(400, "malformed", faults(error, model)) from error
