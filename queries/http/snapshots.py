"""Snapshots over HTTP: a copy of the store, as it is at that moment."""

from __future__ import annotations

import asyncio
from typing import Final

from starlette.responses import Response

from .api import Api
from .endpoint import Call, endpoint
from .spool import FileAnswer

__all__ = ["snapshot"]

_MEDIA_TYPE: Final = "application/vnd.duckdb"


@endpoint(
    "POST",
    "/api/v1/snapshot",
    "download the store as a DuckDB file",
    media_types=(_MEDIA_TYPE,),
    example="{}",
)
async def snapshot(api: Api, _: Call) -> Response:
    """Answer with the copy. Requests wait for each other; a slow client is cut off if others wait."""
    await api.snapshots.take()
    try:
        copy = await asyncio.get_running_loop().run_in_executor(api.copying, api.commands.snapshot)
    except BaseException:
        api.snapshots.give_back()
        raise
    return FileAnswer(copy, media_type=_MEDIA_TYPE, turns=api.snapshots)
