"""The OpenAPI document of the API port, made from the list of its endpoints."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import orjson
from starlette.responses import Response

from tracegrade.queries.http.access import Access
from tracegrade.queries.http.endpoint import JSON, Call, Endpoint, endpoint
from tracegrade.queries.http.openapi import make_document

from ..version import version

__all__ = ["openapi"]


@endpoint("GET", "/api/v1/openapi.json", "the OpenAPI document of this API", access=Access.HOST, answer=dict[str, Any])
async def openapi(endpoints: Sequence[Endpoint[Any]], _: Call) -> Response:
    """Answer with the document. It says nothing of the store, so it needs no token."""
    return Response(_render(tuple(endpoints)), media_type=JSON)


@cache
def _render(endpoints: tuple[Endpoint[Any], ...]) -> bytes:
    return orjson.dumps(make_document(endpoints, version=version()))
