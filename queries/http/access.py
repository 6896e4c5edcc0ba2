"""Who may come in: the one door in front of every route of the API.

Whoever presents the token, where one is set. A page in a browser never does by accident: a form cannot send
application/json to another site, and a foreign name that resolves to this address is no allowed host.
Every refusal is `{"error": {"kind", "message"}}`.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import orjson
from starlette.requests import Request
from starlette.responses import Response

from ..fence import SqlError, SqlTimedOut
from ..machine import without_folders
from ..ports import Unavailable
from .hosts import AllowedHosts, name_of

__all__ = ["HEADERS", "MAX_BODY_BYTES", "Door", "Refusal", "check_host", "foreign", "refusing"]

Handler: TypeAlias = Callable[[Request], Awaitable[Response]]

MAX_BODY_BYTES = 2**20
_BODY_S = 30.0
HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


class Refusal(Exception):
    """What goes back instead of an answer."""

    def __init__(self, status: int, kind: str, message: str, *, retry_after_s: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.retry_after_s = retry_after_s

    def response(self) -> Response:
        headers = {"www-authenticate": "Bearer", **HEADERS} if self.status == 401 else {**HEADERS}
        if self.retry_after_s is not None:
            headers["retry-after"] = str(self.retry_after_s)
        body = orjson.dumps({"error": {"kind": self.kind, "message": str(self)}})
        return Response(body, self.status, headers, media_type="application/json")


def refusing(handler: Handler) -> Handler:
    """The handler of a route, answering with the refusal where it raises one, SqlError or Unavailable."""

    async def answered(request: Request) -> Response:
        try:
            return await handler(request)
        except Refusal as refusal:
            return refusal.response()
        except SqlError as error:
            return Refusal(
                408 if isinstance(error, SqlTimedOut) else 400, error.kind, without_folders(str(error))
            ).response()
        except Unavailable as error:
            return Refusal(503, "unavailable", without_folders(str(error))).response()

    return answered


@dataclass(frozen=True, slots=True)
class Door:
    """Lets those in who know the token, and call the server by one of its names."""

    token: str | None
    allowed_hosts: AllowedHosts = field(default_factory=AllowedHosts)

    async def body(self, request: Request) -> bytes:
        """The JSON that an admitted request brings. Raises Refusal."""
        check_host(request, self.allowed_hosts)
        self._check_token(request)
        return await _body(request)

    def _check_token(self, request: Request) -> None:
        scheme, _, presented = request.headers.get("authorization", "").partition(" ")
        if self.token is None or (
            scheme.lower() == "bearer" and hmac.compare_digest(presented.strip().encode(), self.token.encode())
        ):
            return
        raise Refusal(
            401, "unauthorized", "send `Authorization: Bearer …` with the value of the server's TRACEGRADE_TOKEN"
        )


def check_host(request: Request, allowed_hosts: AllowedHosts) -> None:
    """Raises Refusal where the request calls the server by a name that it does not have."""
    host = request.headers.get("host", "")
    if host not in allowed_hosts:
        raise Refusal(403, "forbidden", foreign(host))


def foreign(host: str) -> str:
    """Why a request by this name is refused, with the line of the configuration that would admit it."""
    name = name_of(host)
    if name is None:
        return f"{host[:100]!r} is not the name of a host: call this server by one of its names"
    return (
        f"this server does not answer to the name {name!r}. If it is one of its names, allow it in tracegrade.yaml "
        f'with `listen: {{allowed_hosts: ["{name}"]}}`, or set TRACEGRADE_LISTEN__ALLOWED_HOSTS={name}'
    )


async def _body(request: Request) -> bytes:
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != "application/json":
        raise Refusal(415, "malformed", f"the content type must be application/json, not {content_type or 'absent'}")
    try:
        async with asyncio.timeout(_BODY_S):
            return await _collected(request)
    except TimeoutError as error:
        raise Refusal(408, "malformed", f"the body was not complete after {_BODY_S:g} s") from error


async def _collected(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise Refusal(413, "malformed", f"the body is over {MAX_BODY_BYTES} bytes")
    return bytes(body)
