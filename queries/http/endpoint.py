"""Endpoints: functions with a common wrapper.

The wrapper checks access, reads query parameters and body, turns errors into problem documents, writes JSON, and sets
headers that forbid caching and guessing of media types.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar

import orjson
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..path_segment import read_segment
from .access import Access, AccessControl, note_change
from .body import read_body
from .refusal import REASON, REFUSING, Refusal, check_room, refusal_of
from .request_input import NoFields, parse_body, parse_list, parse_query

__all__ = ["HEADERS", "JSON", "Call", "Endpoint", "endpoint", "make_routes"]

S = TypeVar("S")
M = TypeVar("M", bound=BaseModel)

Method: TypeAlias = Literal["GET", "POST", "DELETE"]
Handler: TypeAlias = Callable[[S, "Call"], Awaitable[BaseModel | Mapping[str, Any] | Response | None]]

JSON: Final = "application/json"
HEADERS: Final = {"cache-control": "no-store", "x-content-type-options": "nosniff"}

_LOGGED_AUTHORS: Final = 10

_CONVERTER = re.compile(r":\w+(?=\})")


@dataclass(frozen=True, slots=True)
class Call:
    """A request that passed the access check, with what its endpoint declares: query parameters and body."""

    request: Request
    inputs: tuple[BaseModel, Sequence[BaseModel]]
    is_list: bool = False
    """Whether the body is a list, where the endpoint takes one."""

    def path(self, name: str) -> str:
        """Return a parameter of the path."""
        return read_segment(str(self.request.path_params[name]))

    def query(self, model: type[M]) -> M:
        """Return the query parameters, as the model that the endpoint declares."""
        return _expect(self.inputs[0], model)

    def body(self, model: type[M]) -> M:
        """Return the body, as the model that the endpoint declares."""
        (body,) = self.bodies(model)
        return body

    @property
    def authors(self) -> list[str]:
        """Who gives what the bodies hold, where these name somebody."""
        return sorted({author for body in self.inputs[1] if isinstance(author := getattr(body, "author", None), str)})

    def bodies(self, model: type[M]) -> list[M]:
        """Return the values in the body of an endpoint that takes a list, or one value."""
        return [_expect(body, model) for body in self.inputs[1]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint(Generic[S]):
    """A path of the server, with all that its documents say.

    `handler` answers with a value of `answer` (a model, or an object that fits it), which is sent as JSON; with a
    response in one of `media_types`; or, if there are none, with None. `statuses` are those of problems that others do
    not have. `S` is the type of its services. `query` and
    `body` are the models of what it takes; of `body` also a list, of at most `list_limit`. A POST changes something,
    which is logged, unless it `only_reads`. `summary` and `example` (a body) are shown to users.
    """

    method: Method
    path: str
    summary: str
    access: Access
    handler: Handler[S]
    query: type[BaseModel] | None = None
    body: type[BaseModel] | None = None
    only_reads: bool = False
    list_limit: int = 0
    answer: type[Any] | None = None
    media_types: tuple[str, ...] = (JSON,)
    statuses: tuple[int, ...] = ()
    example: str = ""

    @property
    def template(self) -> str:
        """The path as documents write it, without the converters of its parameters."""
        return _CONVERTER.sub("", self.path)

    @property
    def path_parameters(self) -> list[str]:
        """The names of the parameters of the path."""
        return re.findall(r"\{(\w+)\}", self.template)

    def make_route(self, services: S, control: AccessControl) -> Route:
        """Return the route of the endpoint with these services."""

        async def answer(request: Request) -> Response:
            try:
                response = await self._answer(services, request, control)
            except (Refusal, *REFUSING) as error:
                refusal = error if isinstance(error, Refusal) else refusal_of(error)
                setattr(request.state, REASON, refusal.reason)
                response = refusal.response()
            response.headers.update(HEADERS)
            return response

        return Route(self.path, answer, methods=[self.method])

    async def _answer(self, services: S, request: Request, control: AccessControl) -> Response:
        if self.access is not Access.ANYONE:
            check_room(request)
        control.check(request, self.access)
        if self.method != "GET" and not self.only_reads:
            note_change(request)
        call = await self._read(request)
        if self.method != "GET" and not self.only_reads and call.authors:
            note_change(request, authors=", ".join(call.authors[:_LOGGED_AUTHORS]))
        answer = await self.handler(services, call)
        match answer:
            case Response():
                return answer
            case BaseModel():
                return Response(_dump(answer.model_dump()), media_type=JSON)
            case None:
                return Response(status_code=204)
            case _:
                return Response(_dump(answer), media_type=JSON)

    async def _read(self, request: Request) -> Call:
        """Read the request. What is open to all takes any query parameters, since probes and scrapers add some."""
        query: BaseModel = NoFields()
        if self.query is not None or self.access is Access.TOKEN:
            query = parse_query(request.query_params, self.query or NoFields)
        if self.method != "POST":
            return Call(request, (query, ()))
        content = await read_body(request)
        model = self.body or NoFields
        if self.list_limit and content.lstrip().startswith(b"["):
            within = self.template.rpartition("/")[2]
            bodies = parse_list(content, model, limit=self.list_limit, within=within)
            return Call(request, (query, bodies), is_list=True)
        return Call(request, (query, (parse_body(content, model),)))


def endpoint(
    method: Method, path: str, summary: str, *, access: Access = Access.TOKEN, **declared: Any
) -> Callable[[Handler[S]], Endpoint[S]]:
    """Return a decorator that turns a function into an endpoint. `declared` are further fields of Endpoint."""

    def declare(handler: Handler[S]) -> Endpoint[S]:
        return Endpoint(method=method, path=path, summary=summary, access=access, handler=handler, **declared)

    return declare


def make_routes(endpoints: Iterable[Endpoint[S]], services: S, control: AccessControl) -> list[Route]:
    """Return the routes of endpoints with the same services."""
    return [each.make_route(services, control) for each in endpoints]


def _dump(answer: object) -> bytes:
    """Render JSON in which times are UTC, with a Z: those of the store have no zone."""
    return orjson.dumps(answer, option=orjson.OPT_NAIVE_UTC | orjson.OPT_UTC_Z)


def _expect(value: BaseModel, model: type[M]) -> M:
    if not isinstance(value, model):
        raise TypeError(f"the endpoint declares {type(value).__name__}, not {model.__name__}")
    return value
