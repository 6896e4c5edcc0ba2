"""Probes: whether the process is alive, and whether it can receive and store spans."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel

from tracegrade.queries.http.access import Access
from tracegrade.queries.http.endpoint import Call, Endpoint, endpoint
from tracegrade.queries.http.refusal import Refusal
from tracegrade.queries.machine import without_folders

from ..ingest.queue import IngestQueue

__all__ = ["HEALTH"]


class Health(BaseModel):
    """That the process is alive (`ok`), or that the server can take spans (`ready`)."""

    status: Literal["ok", "ready"]


@endpoint("GET", "/healthz", "whether the process is alive", access=Access.ANYONE, answer=Health)
async def healthz(_queue: IngestQueue, _: Call) -> Health:
    """Answer with 200."""
    return Health(status="ok")


@endpoint(
    "GET",
    "/readyz",
    "whether the server can take and store spans",
    access=Access.ANYONE,
    answer=Health,
    statuses=(503,),
)
async def readyz(queue: IngestQueue, _: Call) -> Health:
    """Answer with 200, or with 503 and the reason if the server cannot accept spans."""
    if (trouble := queue.trouble) is not None:
        raise Refusal(503, "unavailable", without_folders(trouble))
    return Health(status="ready")


HEALTH: Final[tuple[Endpoint[IngestQueue], ...]] = (healthz, readyz)
