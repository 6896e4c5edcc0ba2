"""Probes: whether the process is alive, and whether it can receive and store spans."""

from __future__ import annotations

from typing import Final

from starlette.responses import JSONResponse, Response

from tracegrade.queries.http.access import Access
from tracegrade.queries.http.endpoint import Call, Endpoint, endpoint
from tracegrade.queries.machine import without_folders

from ..ingest.queue import IngestQueue

__all__ = ["HEALTH"]


@endpoint("GET", "/healthz", "whether the process is alive", access=Access.ANYONE)
async def healthz(_queue: IngestQueue, _: Call) -> dict[str, str]:
    """Answer with 200."""
    return {"status": "ok"}


@endpoint("GET", "/readyz", "whether the server can take and store spans", access=Access.ANYONE)
async def readyz(queue: IngestQueue, _: Call) -> Response:
    """Answer with 200, or with 503 and the reason if the server cannot accept spans."""
    if (trouble := queue.trouble) is None:
        return JSONResponse({"status": "ready"})
    return JSONResponse({"status": "not ready", "reason": without_folders(trouble)}, status_code=503)


HEALTH: Final[tuple[Endpoint[IngestQueue], ...]] = (healthz, readyz)
