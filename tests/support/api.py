"""The API of a server, with parts of a test behind it."""

from __future__ import annotations

from collections.abc import Callable
from tempfile import TemporaryFile
from typing import IO, Any

import httpx
from starlette.applications import Starlette

from tracegrade.queries.http.access import AccessControl
from tracegrade.queries.http.api import Api
from tracegrade.queries.http.application import make_app
from tracegrade.queries.http.endpoint import make_routes
from tracegrade.queries.http.hosts import AllowedHosts
from tracegrade.queries.http.routes import API

__all__ = ["make_api", "read_error"]


class _Unused:
    """A part that a test does not use."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} is not used here")


_UNUSED = _Unused()


def read_error(response: httpx.Response) -> tuple[int, str, str]:
    """Status, kind and detail of a problem document."""
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert (problem["type"], problem["status"]) == ("about:blank", response.status_code)
    return response.status_code, problem["kind"], problem["detail"]


def make_api(
    *,
    reader: Any = _UNUSED,
    commands: Any = _UNUSED,
    explain: Any = _UNUSED,
    own: Any = _UNUSED,
    listings: Any = _UNUSED,
    open_scratch: Callable[[], IO[bytes]] = TemporaryFile,
    token: str | None = None,
    allowed_hosts: AllowedHosts | None = None,
) -> Starlette:
    """An application with every endpoint of the API."""
    control = AccessControl(token, allowed_hosts or AllowedHosts())
    api = Api(reader, commands, explain, own=own, listings=listings, open_scratch=open_scratch)
    return make_app(make_routes(API, api, control))
