"""Reads the body of a request, within limits of size and time."""

from __future__ import annotations

import asyncio
from typing import Final

from starlette.requests import Request

from .problem import Details
from .refusal import Refusal

__all__ = ["FORM", "MAX_BODY_BYTES", "read_body"]

MAX_BODY_BYTES: Final = 2**20
FORM: Final = "application/x-www-form-urlencoded"
"""The media type of forms of pages."""

_TIME_LIMIT_S: Final = 30.0


async def read_body(request: Request, media_type: str = "application/json") -> bytes:
    """Return the whole body. Raises Refusal if it is not declared as `media_type`, is too large or too slow."""
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != media_type:
        raise Refusal(415, "malformed", f"the content type must be {media_type}, not {content_type or 'absent'}")
    try:
        async with asyncio.timeout(_TIME_LIMIT_S):
            return await _collect_chunks(request)
    except TimeoutError as error:
        late = f"the body was not complete after {_TIME_LIMIT_S:g} s"
        raise Refusal(408, "malformed", late, details=Details(limit=_TIME_LIMIT_S)) from error


async def _collect_chunks(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise Refusal(
                413,
                "malformed",
                f"the body is over {MAX_BODY_BYTES} bytes, which no setting raises: send several requests",
                details=Details(limit=MAX_BODY_BYTES),
            )
    return bytes(body)
