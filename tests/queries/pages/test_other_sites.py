"""Pages of other sites: those of an allowed origin may call the API, all others may not."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from starlette.types import ASGIApp
from tests.support.api import make_api

from tracegrade.queries.http.access import AccessControl
from tracegrade.queries.http.hosts import AllowedHosts
from tracegrade.queries.http.origins import AllowedOrigins, check_origin
from tracegrade.queries.pages.assets import Assets
from tracegrade.queries.pages.other_sites import OtherSites
from tracegrade.queries.pages.rendering import Templates

PAGE = "https://dashboards.example.com"
PATH = "/api/v1/sql"
PREFLIGHT = {"access-control-request-method": "POST", "access-control-request-headers": "authorization,content-type"}


def make_app(origins: AllowedOrigins, *, hosts: AllowedHosts | None = None) -> ASGIApp:
    control = AccessControl("secret", hosts or AllowedHosts())
    return OtherSites(make_api(token="secret"), control, origins, Templates(Assets()))


def send(app: ASGIApp, method: str, *, origin: str | None = PAGE, **headers: str) -> httpx.Response:
    async def sending() -> httpx.Response:
        given = {name.replace("_", "-"): text for name, text in headers.items()}
        given |= {} if origin is None else {"origin": origin}
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            return await client.request(method, PATH, headers=given)

    return asyncio.run(sending())


def cors_headers(answer: httpx.Response) -> set[str]:
    return {name for name in answer.headers if name.startswith("access-control-")}


def test_preflight_of_an_allowed_page_is_answered_without_a_token() -> None:
    answer = send(make_app(AllowedOrigins([PAGE])), "OPTIONS", **PREFLIGHT)
    assert answer.status_code == 204
    assert answer.headers["access-control-allow-origin"] == PAGE
    assert "POST" in answer.headers["access-control-allow-methods"]
    assert "authorization" in answer.headers["access-control-allow-headers"]
    assert "access-control-allow-credentials" not in answer.headers
    assert answer.headers["vary"] == "Origin"


def test_page_reads_answers_and_errors_and_their_headers() -> None:
    answer = send(make_app(AllowedOrigins([PAGE])), "POST")
    assert answer.status_code == 401
    assert answer.headers["access-control-allow-origin"] == PAGE
    assert "x-tracegrade-truncated" in answer.headers["access-control-expose-headers"]


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example.com",
        "http://dashboards.example.com",
        "https://dashboards.example.com:8443",
        "https://dashboards.example.com.evil.com",
        "null",
    ],
)
def test_page_of_another_origin_is_not_allowed(origin: str) -> None:
    app = make_app(AllowedOrigins([PAGE]))
    for answer in (send(app, "OPTIONS", origin=origin, **PREFLIGHT), send(app, "POST", origin=origin)):
        assert cors_headers(answer) == set()
        assert answer.headers["vary"] == "Origin"
    assert send(app, "OPTIONS", origin=origin, **PREFLIGHT).status_code == 403


def test_no_page_is_allowed_by_default() -> None:
    app = make_app(AllowedOrigins())
    assert [send(app, method, **PREFLIGHT).status_code for method in ("OPTIONS", "POST")] == [403, 403]
    assert cors_headers(send(app, "POST")) == set()


def test_page_has_to_call_the_server_by_one_of_its_names() -> None:
    app = make_app(AllowedOrigins([PAGE]), hosts=AllowedHosts())
    assert send(app, "OPTIONS", host="evil.example.com", **PREFLIGHT).status_code == 403
    assert send(app, "POST", host="evil.example.com").status_code == 403


def test_origins_change_while_the_server_runs() -> None:
    origins = AllowedOrigins()
    app = make_app(origins)
    origins.change([PAGE])
    assert send(app, "OPTIONS", **PREFLIGHT).status_code == 204
    origins.change([])
    assert send(app, "OPTIONS", **PREFLIGHT).status_code == 403


@pytest.mark.parametrize(
    ("entry", "origin"),
    [
        ("https://Dashboards.example.com", PAGE),
        ("https://dashboards.example.com:443/", PAGE),
        ("http://localhost:3000", "http://localhost:3000"),
        ("http://[::1]:3000", "http://[::1]:3000"),
    ],
)
def test_origin_is_compared_as_browsers_send_it(entry: str, origin: str) -> None:
    assert check_origin(entry) == origin


@pytest.mark.parametrize(
    "entry",
    [
        "*",
        "null",
        "",
        "dashboards.example.com",
        "https://*.example.com",
        "https://a.example/path",
        "ftp://a.example",
        "https://a.example:port",
        "https://user@a.example",
    ],
)
def test_what_is_no_origin_is_refused_with_how_to_write_one(entry: str) -> None:
    with pytest.raises(ValueError, match=r"https://dashboards\.example\.com"):
        check_origin(entry)
