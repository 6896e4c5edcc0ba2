"""Endpoints: a function each, with one wrapper for what they have in common.

The wrapper checks access, reads the body, turns errors into statuses, writes JSON, and sets headers that keep answers
out of caches and from being taken for another media type.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar

import orjson
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..validation import faults
from .access import Access, AccessControl
from .body import read_body
from .refusal import REFUSING, Refusal, refusal_of

__all__ = ["Call", "Endpoint", "endpoint", "make_routes"]

S = TypeVar("S")
M = TypeVar("M", bound=BaseModel)

Method: TypeAlias = Literal["GET", "POST"]
Handler: TypeAlias = Callable[[S, "Call"], Awaitable[Mapping[str, Any] | Response]]

_HEADERS: Final = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


@dataclass(frozen=True, slots=True)
class Call:
    """A request that may be answered, with its body; a GET has none."""

    request: Request
    body: bytes

    def read_as(self, model: type[M]) -> M:
        """Validate the body. Raises Refusal, which names what is wrong by its field."""
        self.check_json()
        try:
            return model.model_validate_json(self.body)
        except ValidationError as error:
            raise Refusal(400, "malformed", faults(error, model)) from error

    def check_json(self) -> None:
        """Raise Refusal where the body is not JSON."""
        try:
            orjson.loads(self.body)
        except orjson.JSONDecodeError as error:
            raise Refusal(400, "malformed", f"the body is not JSON: {error}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint(Generic[S]):
    """A path of the server. `handler` answers with an object, which is sent as JSON, or with a response of its own.

    `S` is what it works with. `summary` and `example` (a body) are shown to users.
    """

    method: Method
    path: str
    summary: str
    access: Access
    handler: Handler[S]
    example: str = ""

    def make_route(self, services: S, control: AccessControl) -> Route:
        """Bind the endpoint to what it works with."""

        async def answer(request: Request) -> Response:
            try:
                response = await self._answer(services, request, control)
            except Refusal as refusal:
                response = refusal.response()
            except REFUSING as error:
                response = refusal_of(error).response()
            response.headers.update(_HEADERS)
            return response

        return Route(self.path, answer, methods=[self.method])

    async def _answer(self, services: S, request: Request, control: AccessControl) -> Response:
        control.check(request, self.access)
        body = await read_body(request) if self.method == "POST" else b""
        answer = await self.handler(services, Call(request, body))
        if isinstance(answer, Response):
            return answer
        return Response(orjson.dumps(answer), media_type="application/json")


def endpoint(
    method: Method, path: str, summary: str, *, access: Access = Access.TOKEN, example: str = ""
) -> Callable[[Handler[S]], Endpoint[S]]:
    """Make a function an endpoint."""

    def declare(handler: Handler[S]) -> Endpoint[S]:
        return Endpoint(method=method, path=path, summary=summary, access=access, handler=handler, example=example)

    return declare


def make_routes(endpoints: Iterable[Endpoint[S]], services: S, control: AccessControl) -> list[Route]:
    """Bind endpoints that work with the same."""
    return [each.make_route(services, control) for each in endpoints]
