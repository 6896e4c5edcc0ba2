"""The page at `/`: a list of the endpoints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.responses import PlainTextResponse, Response

from tracegrade.queries.http.access import Access
from tracegrade.queries.http.endpoint import Call, Endpoint, endpoint

__all__ = ["landing"]


@endpoint("GET", "/", "list these endpoints", access=Access.HOST, media_types=("text/plain",))
async def landing(endpoints: Sequence[Endpoint[Any]], _: Call) -> Response:
    """Answer with a line for each endpoint."""
    width = max(len(each.template) for each in endpoints)
    lines = [f"{each.method:<6} {each.template:<{width}}  {_describe(each)}" for each in endpoints]
    return PlainTextResponse("\n".join(["Tracegrade is running.", "", *lines, ""]))


def _describe(each: Endpoint[Any]) -> str:
    return f"{each.summary}: {each.example}" if each.example else each.summary
