"""The application of the API port: its routes, and problem documents for what no route answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route

from tracegrade.evaluators.text.suggestions import most_similar

from .body import ArrivingBodies
from .endpoint import HEADERS
from .problem import Details, Problem

__all__ = ["UNEXPECTED", "make_app"]

UNEXPECTED: Final = "show_unexpected"
"""Under this name the state of a request has a function that answers if the program makes an error."""

_NOT_FOUND: Final = 404
_NOT_ALLOWED: Final = 405


def make_app(routes: Sequence[Route]) -> Starlette:
    """Return an application that answers every error with a problem document."""
    app = Starlette(
        routes=list(routes), exception_handlers={HTTPException: _answer_error, Exception: _answer_unexpected}
    )
    app.router.redirect_slashes = False
    app.state.bodies = ArrivingBodies()
    return app


async def _answer_error(request: Request, error: Exception) -> Response:
    """Answer what Starlette itself refuses: unknown paths and methods."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    match status:
        case 404:
            return _explain_path(request)
        case 405:
            return _explain_method(request)
        case _:
            return Problem.of(status, "malformed", str(getattr(error, "detail", ""))).response(HEADERS)


async def _answer_unexpected(request: Request, _: Exception) -> Response:
    """Answer an error of the program, with a page if a page failed. Its text may quote stored data, so it is only
    logged."""
    if (show := getattr(request.state, UNEXPECTED, None)) is not None:
        return cast("Response", show())
    detail = "the server has made an error, which is in its log: please report it"
    return Problem.of(500, "internal", detail).response(HEADERS)


def _explain_path(request: Request) -> Response:
    path = request.url.path
    near = most_similar(path, [route.path for route in request.app.routes])
    hint = "" if near is None else f" (did you mean {near}?)"
    detail = f"there is no path {path[:200]}{hint}; GET /api/v1 lists those of this server"
    return Problem.of(_NOT_FOUND, "not_found", detail, Details(near=near)).response(HEADERS)


def _explain_method(request: Request) -> Response:
    matching = [route for route in request.app.routes if route.matches(request.scope)[0] is not Match.NONE]
    # The closest one has the most parts: a name may have slashes, and so be what follows it, too.
    path = max((route.path for route in matching), key=lambda path: path.count("/"))
    if path.startswith("/{"):  # only the page for unknown paths
        return _explain_path(request)
    allowed = sorted({method for route in matching if route.path == path for method in route.methods})
    methods = ", ".join(allowed)
    detail = f"{request.method} is not a method of {request.url.path[:200]}; it has {methods}"
    return Problem.of(_NOT_ALLOWED, "not_allowed", detail).response({**HEADERS, "allow": methods})
