"""Reads the bodies of requests, within limits of size and time, and one limit for all that are arriving."""

from __future__ import annotations

import asyncio
import re
from binascii import a2b_qp
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from starlette.requests import ClientDisconnect, Request

from .problem import Details
from .refusal import Refusal

__all__ = ["FORM_BYTES", "LARGE_FORM_BYTES", "MAX_BODY_BYTES", "ArrivingBodies", "read_body", "read_form"]

MAX_BODY_BYTES: Final = 2**20
FORM_BYTES: Final = 64 * 2**10
LARGE_FORM_BYTES: Final = 256 * 2**10
"""The limit of forms with a query, a rubric or code in them."""

_FORM: Final = "application/x-www-form-urlencoded"
_NO_ESCAPE: Final = re.compile(rb"%(?![0-9A-Fa-f]{2})")
_MOST_FIELDS: Final = 1_000
_ARRIVING_BYTES: Final = 32 * 2**20
_TIME_LIMIT_S: Final = 30.0
_RETRY_AFTER_S: Final = 5


@dataclass(eq=False, slots=True)
class _Body:
    deadline: asyncio.Timeout
    content: bytearray = field(default_factory=bytearray)
    is_in_the_way: bool = False


class ArrivingBodies:
    """The bodies that have begun to arrive, on all connections of a port. For one event loop.

    Together they have at most `limit_bytes`. If they have more, the largest one is refused: clients that send little
    are answered, however many others send much and do not finish.
    """

    def __init__(self, limit_bytes: int = _ARRIVING_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._bodies: set[_Body] = set()
        self.size_bytes = 0

    @contextmanager
    def arriving(self, deadline: asyncio.Timeout) -> Iterator[_Body]:
        """Count a body until it is complete or refused; `deadline` ends the reading of one that is in the way."""
        body = _Body(deadline)
        self._bodies.add(body)
        try:
            yield body
        finally:
            self._drop(body)

    def add(self, body: _Body, chunk: bytes) -> None:
        """Add a chunk to a body that is arriving, and end the largest ones while all together are too large."""
        if body not in self._bodies:
            return  # it is being ended
        body.content += chunk
        self.size_bytes += len(chunk)
        while self.size_bytes > self._limit_bytes:
            largest = max(self._bodies, key=lambda each: len(each.content))
            self._drop(largest)
            if not largest.deadline.expired():
                largest.is_in_the_way = True
                largest.deadline.reschedule(0.0)

    def _drop(self, body: _Body) -> None:
        if body in self._bodies:
            self._bodies.remove(body)
            self.size_bytes -= len(body.content)


async def read_body(
    request: Request, media_type: str = "application/json", *, limit_bytes: int = MAX_BODY_BYTES
) -> bytes:
    """Return the whole body.

    Raises Refusal if it is not declared as `media_type`, is too large or too slow, or is the largest of too much that
    arrives at once.
    """
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != media_type:
        raise Refusal(415, "malformed", f"the content type must be {media_type}, not {content_type or 'absent'}")
    announced = request.headers.get("content-length", "")
    if announced.isdecimal():
        _check_size(int(announced), limit_bytes)
    bodies: ArrivingBodies = request.app.state.bodies
    try:
        async with asyncio.timeout(_TIME_LIMIT_S) as deadline:
            with bodies.arriving(deadline) as body:
                async for chunk in request.stream():
                    _check_size(len(body.content) + len(chunk), limit_bytes)
                    bodies.add(body, chunk)
                return bytes(body.content)
    except ClientDisconnect as error:  # nobody reads the answer; else this would be logged as an error of the program
        raise Refusal(400, "malformed", "the body has ended early", reason="disconnected") from error
    except TimeoutError as error:
        if body.is_in_the_way:
            much = (
                "too much arrives at this port at once, and this body has the largest part of it: send it again later"
            )
            raise Refusal(503, "unavailable", much, reason="bodies", retry_after_s=_RETRY_AFTER_S) from error
        late = f"the body was not complete after {_TIME_LIMIT_S:g} s"
        raise Refusal(408, "malformed", late, reason="slow_body", details=Details(limit=_TIME_LIMIT_S)) from error


async def read_form(request: Request, *, limit_bytes: int = FORM_BYTES) -> dict[str, list[str]]:
    """Return the fields of a form of a page. Raises Refusal, also if it has more than 1,000 fields, or is not encoded
    as browsers do."""
    content = await read_body(request, _FORM, limit_bytes=limit_bytes)
    if content.count(b"&") >= _MOST_FIELDS:
        many = f"the form has more than {_MOST_FIELDS:,} fields: send it in parts"
        raise Refusal(413, "malformed", many, reason="too_large", details=Details(limit=_MOST_FIELDS))
    if _NO_ESCAPE.search(content):
        raise Refusal(400, "malformed", "the form is not encoded: a % has to be sent as %25")
    fields: dict[str, list[str]] = {}
    for pair in filter(None, content.replace(b"+", b" ").split(b"&")):
        name, _, value = pair.partition(b"=")
        fields.setdefault(_decode(name), []).append(_decode(value))
    return fields


def _decode(text: bytes) -> str:
    """Decode escapes such as %41. They are those of quoted-printable with another sign, and Python's decoder of these
    is written in C: that for URLs holds the interpreter a hundred times as long."""
    return a2b_qp(text.replace(b"=", b"%3D").replace(b"%", b"=")).decode(errors="replace")


def _check_size(size_bytes: int, limit_bytes: int) -> None:
    if size_bytes > limit_bytes:
        raise Refusal(
            413,
            "malformed",
            f"the body is over {limit_bytes} bytes, which no setting raises: send several requests",
            reason="too_large",
            details=Details(limit=limit_bytes),
        )
