"""Errors of the API port: each is a problem document that says what is wrong, where, and what raises a limit."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import BaseModel, ConfigDict, Field
from starlette.applications import Starlette
from tests.support.api import make_api, read_error
from tests.support.store import Store, opened

from tracegrade.collector.store.engines.readers import InProcess
from tracegrade.queries.fence import timed_out
from tracegrade.queries.http.access import AccessControl
from tracegrade.queries.http.application import make_app
from tracegrade.queries.http.body import MAX_BODY_BYTES
from tracegrade.queries.http.endpoint import Call, endpoint
from tracegrade.queries.http.refusal import refusal_of
from tracegrade.queries.ports import Unavailable

SQL = "/api/v1/sql"


class Window(BaseModel):
    model_config = ConfigDict(extra="forbid")

    limit: int = Field(default=10, ge=1, le=100)
    agent: str | None = None


@endpoint("GET", "/api/v1/things", "list things", query=Window, answer=Window)
async def things(_: None, call: Call) -> Window:
    return call.query(Window)


@endpoint("DELETE", "/api/v1/things", "remove things", media_types=())
async def remove(_: None, call: Call) -> None:
    return None


@endpoint("GET", "/api/v1/broken", "fail")
async def broken(_: None, call: Call) -> None:
    raise ZeroDivisionError("a secret")


def make_things() -> Starlette:
    return make_app([each.make_route(None, AccessControl(None)) for each in (things, remove, broken)])


def send(app: Starlette, method: str, path: str, **request: Any) -> httpx.Response:
    async def sending() -> httpx.Response:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.request(method, path, **request)

    return asyncio.run(sending())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with opened(tmp_path) as store:
        yield store


def ask(store: Store, body: object) -> httpx.Response:
    return send(make_api(reader=InProcess(store.database.connect)), "POST", SQL, json=body)


@pytest.mark.parametrize(
    ("sql", "line", "found"),
    [
        pytest.param("select tool from spans", 1, "tool from", id="unknown column"),
        pytest.param("select\n  name\nfrom spams", 3, "spams", id="unknown table on the third line"),
        pytest.param("select '日本語', tool from spans", 1, "tool from", id="after wide characters"),
        pytest.param(f"select {', '.join(['name'] * 200)}, tool from spans", 1, "tool from", id="in a long line"),
    ],
)
def test_wrong_sql_says_where_it_is_wrong(store: Store, sql: str, line: int, found: str) -> None:
    problem = ask(store, {"sql": sql}).json()
    assert (problem["kind"], problem["line"]) == ("failed", line)
    assert sql[problem["position"] :].startswith(found)


def test_error_in_data_points_at_no_place(store: Store) -> None:
    problem = ask(store, {"sql": "select error('LINE 1: x')"}).json()
    assert "position" not in problem
    assert "line" not in problem


def test_query_over_its_time_says_the_limit_and_what_raises_it(store: Store) -> None:
    problem = ask(store, {"sql": "select count(*) from range(1000000000000)", "timeout_s": 0.1}).json()
    assert (problem["status"], problem["limit"], problem["setting"]) == (408, 0.1, "timeout_s")


def test_list_over_its_time_says_what_to_narrow_since_no_field_raises_the_limit() -> None:
    problem = json.loads(bytes(refusal_of(timed_out(30)).response().body))
    assert (problem["status"], problem["limit"], problem.get("setting")) == (408, 30, None)
    assert problem["detail"] == "stopped: the limit is 30 s. Narrow the period or the filter."


def test_body_over_the_limit_says_the_limit(store: Store) -> None:
    problem = ask(store, {"sql": "x" * MAX_BODY_BYTES}).json()
    assert (problem["status"], problem["limit"]) == (413, MAX_BODY_BYTES)


def test_each_wrong_field_is_named_by_its_pointer(store: Store) -> None:
    answer = ask(store, {"sql": "select 1", "max_rows": 0, "formt": "csv"})
    assert {fault["pointer"] for fault in answer.json()["errors"]} == {"#/max_rows", "#/formt"}
    assert "did you mean 'format'?" in read_error(answer)[2]


@pytest.mark.parametrize(
    "body", [b'{"sql": "select 1", "timeout_s": NaN}', b'{"sql": "select 1", "parameters": [Infinity]}']
)
def test_numbers_that_json_does_not_have_are_refused(store: Store, body: bytes) -> None:
    app = make_api(reader=InProcess(store.database.connect))
    answer = send(app, "POST", SQL, content=body, headers={"content-type": "application/json"})
    assert read_error(answer)[:2] == (400, "malformed")
    assert "not JSON" in read_error(answer)[2]


def test_word_that_looks_like_no_number_may_be_in_a_text(store: Store) -> None:
    assert ask(store, {"sql": "select 'NaN'"}).json()["rows"] == [["NaN"]]


def test_query_parameters_are_read_as_their_types() -> None:
    assert send(make_things(), "GET", "/api/v1/things?limit=5&agent=a").json() == {"limit": 5, "agent": "a"}


@pytest.mark.parametrize(
    ("query", "parameter", "text"),
    [
        pytest.param("limti=5", "limti", "did you mean 'limit'?", id="misspelt"),
        pytest.param("colour=red", "colour", "known here: limit, agent", id="unknown"),
        pytest.param("limit=many", "limit", "write a whole number", id="no number"),
        pytest.param("limit=0", "limit", "write 1 or more", id="too small"),
        pytest.param("limit=1&limit=2", "limit", "more than once", id="repeated"),
    ],
)
def test_wrong_query_parameter_is_refused_with_the_right_names(query: str, parameter: str, text: str) -> None:
    answer = send(make_things(), "GET", f"/api/v1/things?{query}")
    assert read_error(answer)[:2] == (400, "malformed")
    assert [fault["parameter"] for fault in answer.json()["errors"]] == [parameter]
    assert text in read_error(answer)[2]


def test_nearest_parameter_is_named_for_programs() -> None:
    assert send(make_things(), "GET", "/api/v1/things?limti=5").json()["near"] == "limit"


def test_endpoint_without_query_parameters_takes_none() -> None:
    assert read_error(send(make_things(), "DELETE", "/api/v1/things?all=true"))[:2] == (400, "malformed")


def test_endpoint_without_an_answer_answers_204() -> None:
    answer = send(make_things(), "DELETE", "/api/v1/things")
    assert (answer.status_code, answer.content) == (204, b"")


def test_unknown_path_names_the_nearest_one() -> None:
    answer = send(make_things(), "GET", "/api/v1/thing")
    assert read_error(answer)[:2] == (404, "not_found")
    assert answer.json()["near"] == "/api/v1/things"
    assert answer.headers["cache-control"] == "no-store"


def test_unknown_method_lists_those_of_every_endpoint_of_the_path() -> None:
    answer = send(make_things(), "PUT", "/api/v1/things")
    assert read_error(answer)[:2] == (405, "not_allowed")
    assert answer.headers["allow"] == "DELETE, GET, HEAD"


def test_error_of_the_program_does_not_show_its_text() -> None:
    answer = send(make_things(), "GET", "/api/v1/broken")
    assert read_error(answer)[:2] == (500, "internal")
    assert "secret" not in answer.text


def test_busy_store_says_that_a_later_request_may_succeed() -> None:
    class Busy:
        def read(self, *_: object, **__: object) -> None:
            raise Unavailable("it is closed")

    answer = send(make_api(reader=Busy()), "POST", SQL, json={"sql": "select 1"})
    assert read_error(answer) == (503, "unavailable", "it is closed")
