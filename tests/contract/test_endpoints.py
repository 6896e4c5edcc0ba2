"""The endpoints of the API's port: one list, from which routes, landing page and documents are made."""

from __future__ import annotations

import asyncio
import importlib
import pkgutil
import re
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from starlette.applications import Starlette

import tracegrade.collector.web
import tracegrade.queries.http
from tracegrade.collector.web.routes import ENDPOINTS, make_web_routes
from tracegrade.queries.http.access import Access, AccessControl
from tracegrade.queries.http.api import Api
from tracegrade.queries.http.application import make_app
from tracegrade.queries.http.endpoint import Endpoint

PAGE = Path(__file__).parents[2] / "queries/docs/api.md"
ROW = re.compile(r"^\| `(\w+) (/[^`]*)` \| (\w+) \| (.*) \|$", re.MULTILINE)
NOTHING: Any = None
"""What endpoints work with where they are not called, or refuse the call."""


def make_api_port(token: str | None = None) -> Starlette:
    api = Api(NOTHING, NOTHING, NOTHING, own=NOTHING, listings=NOTHING)
    return make_app(make_web_routes(api, NOTHING, NOTHING, AccessControl(token)))


def send(each: Endpoint[Any], **headers: str) -> httpx.Response:
    """A request to an endpoint of a server that has a token; only those that refuse it can answer."""

    app = make_api_port("secret")

    async def send_one() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.request(each.method, each.path, headers=headers)

    return asyncio.run(send_one())


def test_page_has_a_row_for_each_endpoint_in_the_same_order() -> None:
    expected = [(each.method, each.template, each.access.value, each.summary) for each in ENDPOINTS]
    assert ROW.findall(PAGE.read_text(encoding="utf-8")) == expected


def test_server_has_a_route_for_each_endpoint_and_no_other() -> None:
    routes: list[Any] = list(make_api_port().routes)
    assert [(route.path, each.method in route.methods) for route, each in zip(routes, ENDPOINTS, strict=True)] == [
        (each.path, True) for each in ENDPOINTS
    ]


@pytest.mark.parametrize("package", [tracegrade.queries.http, tracegrade.collector.web], ids=["queries", "collector"])
def test_endpoint_that_is_defined_is_listed(package: Any) -> None:
    modules = [
        importlib.import_module(f"{package.__name__}.{info.name}") for info in pkgutil.iter_modules(package.__path__)
    ]
    defined = [value for module in modules for value in vars(module).values() if isinstance(value, Endpoint)]
    assert defined
    assert [each.path for each in defined if each not in ENDPOINTS] == []


@pytest.mark.parametrize("each", ENDPOINTS, ids=lambda each: each.path)
def test_example_of_an_endpoint_is_json_for_those_that_take_a_body(each: Endpoint[Any]) -> None:
    assert bool(each.example) == (each.method == "POST")
    assert not each.example or isinstance(orjson.loads(each.example), dict)


@pytest.mark.parametrize(
    "each", [each for each in ENDPOINTS if each.access is Access.TOKEN], ids=lambda each: each.path
)
def test_endpoint_that_needs_the_token_refuses_who_has_none(each: Endpoint[Any]) -> None:
    refused = send(each)
    assert (refused.status_code, refused.json()["kind"]) == (401, "unauthorized")


@pytest.mark.parametrize(
    "each", [each for each in ENDPOINTS if each.access is not Access.ANYONE], ids=lambda each: each.path
)
def test_endpoint_is_not_called_by_a_foreign_name(each: Endpoint[Any]) -> None:
    refused = send(each, host="evil.example", authorization="Bearer secret")
    assert (refused.status_code, refused.json()["kind"]) == (403, "forbidden")
    assert (refused.headers["cache-control"], refused.headers["x-content-type-options"]) == ("no-store", "nosniff")


def test_whatever_writes_or_reads_the_store_needs_the_token() -> None:
    assert [each.path for each in ENDPOINTS if each.access is not Access.TOKEN] == [
        "/api/v1/openapi.json",
        "/healthz",
        "/readyz",
        "/api/v1",
    ]


def test_landing_page_lists_each_endpoint() -> None:
    app = make_api_port()

    async def get() -> str:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return (await client.get("/api/v1")).text

    lines = [line.split(maxsplit=2) for line in asyncio.run(get()).splitlines()[2:]]
    assert [(method, path) for method, path, _ in lines] == [(each.method, each.template) for each in ENDPOINTS]
    assert all(text.startswith(each.summary) for (_, _, text), each in zip(lines, ENDPOINTS, strict=True))
