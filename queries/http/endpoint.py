"""Endpoints: functions with a common wrapper.

The wrapper checks access, reads the body, turns errors into statuses, writes JSON, and sets headers that forbid caching
and guessing of media types.
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

from tracegrade.evaluators.text.validation_errors import explain

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
    """A request that passed the access check, with its body; that of a GET is empty."""

    request: Request
    body: bytes

    def read_as(self, model: type[M]) -> M:
        """Return the body as `model`. Raises Refusal, which names the wrong fields."""
        self.check_json()
        try:
            return model.model_validate_json(self.body)
        except ValidationError as error:
            raise Refusal(400, "malformed", explain(error, model)) from error

    def check_json(self) -> None:
        """Raise Refusal if the body is not JSON."""
        try:
            orjson.loads(self.body)
        except orjson.JSONDecodeError as error:
            raise Refusal(400, "malformed", f"the body is not JSON: {error}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint(Generic[S]):
    """A path of the server. `handler` answers with an object, which is sent as JSON, or with a response.

    `S` is the type of its services. `summary` and `example` (a body) are shown to users.
    """

    method: Method
    path: str
    summary: str
    access: Access
    handler: Handler[S]
    example: str = ""

    def make_route(self, services: S, control: AccessControl) -> Route:
        """Return the route of the endpoint with these services."""

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
    """Return a decorator that turns a function into an endpoint."""

    def declare(handler: Handler[S]) -> Endpoint[S]:
        return Endpoint(method=method, path=path, summary=summary, access=access, handler=handler, example=example)

    return declare


def make_routes(endpoints: Iterable[Endpoint[S]], services: S, control: AccessControl) -> list[Route]:
    """Return the routes of endpoints with the same services."""
    return [each.make_route(services, control) for each in endpoints]
