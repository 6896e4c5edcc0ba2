"""SQL over HTTP: who may ask, what is understood, what comes back."""

from __future__ import annotations

import asyncio
import io
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import httpx
import orjson
import pyarrow as pa
import pyarrow.parquet
import pytest
from tests.support.api import make_api, read_error

from tracegrade.queries import fence
from tracegrade.queries.fence import Parameters, SqlFailed, SqlTimedOut
from tracegrade.queries.formats import FORMATS
from tracegrade.queries.http.api import MAX_TAKEN_UP
from tracegrade.queries.http.body import MAX_BODY_BYTES
from tracegrade.queries.http.export import MAX_CONCURRENT_EXPORTS
from tracegrade.queries.http.hosts import AllowedHosts
from tracegrade.queries.http.readers import AnyReader
from tracegrade.queries.ports import Unavailable
from tracegrade.queries.result import Result, Stream

TOKEN = "a-token-of-the-tests"
PATH = "/api/v1/sql"
SCOPE = {
    "type": "http",
    "method": "POST",
    "path": PATH,
    "query_string": b"",
    "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
}


class Store:
    """A reader on a real database."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection

    def read(self, sql: str, **options: Any) -> Result:
        return fence.read(self.connection.cursor, sql, **options)

    def stream(self, sql: str, **options: Any) -> AbstractContextManager[Stream]:
        return fence.stream(self.connection.cursor, sql, **options)


class Slow:
    """A reader whose queries end when they are told to; counts how many run at once."""

    def __init__(self) -> None:
        self.running = self.most = self.stopped = 0
        self.lock = threading.Lock()
        self.full = threading.Event()

    def read(
        self, sql: str, *, parameters: Parameters | None, timeout_s: float, max_rows: int, cancelled: threading.Event
    ) -> Result:
        with self.lock:
            self.running += 1
            self.most = max(self.most, self.running)
            if self.running == MAX_TAKEN_UP:
                self.full.set()
        ended = cancelled.wait(10) if sql == "until cancelled" else self.full.wait(10)
        with self.lock:
            self.running -= 1
            self.stopped += sql == "until cancelled" and ended
        if sql == "until cancelled":
            raise SqlTimedOut("nobody waits")
        return Result(columns=(), table=pa.table({}), truncated=False, elapsed_ms=1.0)

    def stream(self, sql: str, **options: Any) -> AbstractContextManager[Stream]:
        raise AssertionError(sql)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with duckdb.connect(str(tmp_path / "store.duckdb")) as connection:
        connection.execute("create table spans as select 'search' as tool_name, 42 as calls")
        fence.harden(connection)
        yield Store(connection)


def ask(
    reader: AnyReader,
    body: object,
    *,
    headers: dict[str, str] | None = None,
    token: str | None = None,
    host: str = "localhost:8400",
    allowed: AllowedHosts | None = None,
) -> httpx.Response:
    """One request; a body that is no bytes is sent as JSON."""

    async def send() -> httpx.Response:
        async with client(reader, token=token, host=host, allowed=allowed) as http:
            content = body if isinstance(body, bytes) else orjson.dumps(body)
            return await http.post(
                PATH, content=content, headers={"content-type": "application/json"} | (headers or {})
            )

    return asyncio.run(send())


def client(
    reader: AnyReader,
    *,
    token: str | None = None,
    host: str = "localhost",
    allowed: AllowedHosts | None = None,
) -> httpx.AsyncClient:
    app = make_api(reader=reader, token=token, allowed_hosts=allowed)
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=f"http://{host}")


def test_query_is_answered_in_json(store: Store) -> None:
    response = ask(store, {"sql": "select tool_name, calls from spans"})
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    body = response.json()
    assert body.pop("elapsed_ms") > 0
    assert body == {
        "columns": [{"name": "tool_name", "type": "VARCHAR"}, {"name": "calls", "type": "INTEGER"}],
        "rows": [["search", 42]],
        "truncated": False,
    }


@pytest.mark.parametrize("parameters", [[40], {"more": 40}], ids=["by position", "by name"])
def test_parameters_are_passed_on(store: Store, parameters: object) -> None:
    placeholder = "$1" if isinstance(parameters, list) else "$more"
    response = ask(store, {"sql": f"select calls + {placeholder}::int from spans", "parameters": parameters})
    assert response.json()["rows"] == [[82]]


@pytest.mark.parametrize(
    ("asked", "accept", "media_type"),
    [
        ("csv", None, "text/csv; charset=utf-8"),
        ("arrow", None, "application/vnd.apache.arrow.stream"),
        ("parquet", "text/csv", "application/vnd.apache.parquet"),
        (None, "text/csv", "text/csv; charset=utf-8"),
        (None, "text/html, application/vnd.apache.arrow.stream;q=0.9", "application/vnd.apache.arrow.stream"),
        ("jsonl", None, "application/jsonl"),
        ("json", None, "application/json"),
        (None, "*/*", "application/json"),
        (None, "text/html", "application/json"),
    ],
)
def test_form_is_what_the_body_says_else_what_the_accept_header_says(
    store: Store, asked: str | None, accept: str | None, media_type: str
) -> None:
    response = ask(
        store,
        {"sql": "from spans"} | ({"format": asked} if asked else {}),
        headers={"accept": accept} if accept else {},
    )
    assert (response.status_code, response.headers["content-type"]) == (200, media_type)


def test_forms_hold_the_rows(store: Store) -> None:
    answers = {name: ask(store, {"sql": "from spans", "format": name}).content for name in ("csv", "arrow", "parquet")}
    assert answers["csv"] == b"tool_name,calls\nsearch,42\n"
    assert pa.ipc.open_stream(answers["arrow"]).read_all().to_pylist() == [{"tool_name": "search", "calls": 42}]
    assert pyarrow.parquet.read_table(io.BytesIO(answers["parquet"])).num_rows == 1


def test_cut_answer_says_so_in_every_form(store: Store) -> None:
    response = ask(store, {"sql": "from range(10)", "max_rows": 3, "format": "csv"})
    assert response.headers["x-tracegrade-truncated"] == "true"
    assert response.text == "range\n0\n1\n2\n"


@pytest.mark.parametrize(
    ("body", "status", "kind", "message"),
    [
        pytest.param({"sql": "delete from spans"}, 400, "refused", "DELETE is refused", id="refused"),
        pytest.param({"sql": "from read_text('/etc/passwd')"}, 400, "refused", "disabled by configuration", id="file"),
        pytest.param({"sql": "select tool from spans"}, 400, "failed", "tool_name", id="failed"),
        pytest.param(
            {"sql": "select count(*) from range(1000000000000)", "timeout_s": 0.1}, 408, "timed_out", "0.1 s", id="late"
        ),
        pytest.param(b"{", 400, "malformed", "not JSON", id="not json"),
        pytest.param([], 400, "malformed", "body: ", id="list"),
        pytest.param({}, 400, "malformed", "sql: it is missing", id="no sql"),
        pytest.param({"sql": 1}, 400, "malformed", "sql: ", id="sql is a number"),
        pytest.param({"sql": "select 1", "limit": 5}, 400, "malformed", "limit: ", id="unknown key"),
        pytest.param({"sql": "select 1", "max_rows": 0}, 400, "malformed", "max_rows: ", id="no rows"),
        pytest.param({"sql": "select 1", "timeout_s": 1e9}, 400, "malformed", "timeout_s: ", id="endless"),
        pytest.param({"sql": "select 1", "format": "xlsx"}, 400, "malformed", "format: ", id="form"),
        pytest.param(b'"' + b"x" * MAX_BODY_BYTES, 413, "malformed", "over 1048576 bytes", id="too large"),
    ],
)
def test_what_went_wrong_is_said_in_json(store: Store, body: object, status: int, kind: str, message: str) -> None:
    found = read_error(ask(store, body))
    assert found[:2] == (status, kind)
    assert message in found[2]


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
)
def test_browser_form_cannot_ask(store: Store, content_type: str) -> None:
    response = ask(store, {"sql": "select 1"}, headers={"content-type": content_type})
    assert read_error(response)[:2] == (415, "malformed")


def test_content_type_may_name_its_charset(store: Store) -> None:
    headers = {"content-type": "Application/JSON; charset=utf-8"}
    assert ask(store, {"sql": "select 1"}, headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8400", 200),
        ("LOCALHOST", 200),
        ("127.0.0.1:8400", 200),
        ("[::1]:8400", 200),
        ("grade.example.com:443", 200),
        ("192.0.2.7:8400", 200),
        ("[2001:db8::7]:8400", 200),
        ("evil.example.com", 403),
        ("localhost.evil.example.com", 403),
        ("evil.example.com:localhost", 403),
        ("", 403),
    ],
)
def test_only_a_name_of_this_server_is_answered(store: Store, host: str, status: int) -> None:
    allowed = AllowedHosts("192.0.2.7:8400", ["grade.example.com", "2001:db8::7"])
    response = ask(store, {"sql": "select 1"}, headers={"host": host}, allowed=allowed)
    assert response.status_code == status
    if status == 403:
        assert read_error(response)[1] == "forbidden"


@pytest.mark.parametrize(
    ("authorization", "status"),
    [
        (f"Bearer {TOKEN}", 200),
        (f"bearer {TOKEN}", 200),
        (f"Bearer {TOKEN}x", 401),
        ("Bearer", 401),
        (f"Basic {TOKEN}", 401),
        (TOKEN, 401),
        ("", 401),
    ],
)
def test_token_is_asked_for_where_one_is_set(store: Store, authorization: str, status: int) -> None:
    response = ask(store, {"sql": "select 1"}, headers={"authorization": authorization}, token=TOKEN)
    assert response.status_code == status
    if status == 401:
        assert "TRACEGRADE_TOKEN" in read_error(response)[2]
        assert response.headers["www-authenticate"] == "Bearer"
        assert TOKEN not in response.text


def test_nothing_but_post_is_served(store: Store) -> None:
    async def send() -> int:
        async with client(store) as http:
            return (await http.get(PATH, params={"sql": "select 1"})).status_code

    assert asyncio.run(send()) == 405


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (Unavailable("it is closed"), (503, "unavailable", "it is closed")),
        (SqlTimedOut("it took long"), (408, "timed_out", "it took long")),
        (SqlFailed("it is wrong"), (400, "failed", "it is wrong")),
    ],
)
@pytest.mark.parametrize("path", [PATH, "/api/v1/explain"])
def test_who_must_act_is_told_alike_by_every_route(
    raised: Exception, expected: tuple[int, str, str], path: str
) -> None:
    def fail(*_: object, **__: object) -> Any:
        raise raised

    reader = Slow()
    reader.read = fail  # type: ignore[method-assign]

    async def send() -> httpx.Response:
        app = make_api(reader=reader, explain=fail)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as http:
            return await http.post(path, json={"sql": "select 1"} if path == PATH else {"id": "ab"})

    assert read_error(asyncio.run(send())) == expected


def test_no_more_than_sixteen_queries_are_taken_up_at_once_and_the_others_wait() -> None:
    reader = Slow()

    async def send() -> list[httpx.Response]:
        async with client(reader) as http:
            return await asyncio.gather(*(http.post(PATH, json={"sql": "wait"}) for _ in range(40)))

    assert [response.status_code for response in asyncio.run(send())] == [200] * 40
    assert reader.most == MAX_TAKEN_UP


def test_query_is_stopped_when_its_client_hangs_up() -> None:
    reader = Slow()
    messages: list[dict[str, Any]] = [
        {"type": "http.request", "body": orjson.dumps({"sql": "until cancelled"}), "more_body": False},
        {"type": "http.disconnect"},
    ]

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    async def send(message: Any) -> None:
        assert message["type"].startswith("http.response")

    asyncio.run(make_api(reader=reader)(SCOPE, receive, send))
    assert (reader.stopped, reader.running) == (1, 0)


def test_json_is_a_list_of_objects_where_it_is_asked_for(store: Store) -> None:
    assert ask(store, {"sql": "from spans", "format": "json"}).json() == [{"tool_name": "search", "calls": 42}]


def test_cut_answer_is_truncated_in_the_default_form_too(store: Store) -> None:
    response = ask(store, {"sql": "from range(10)", "max_rows": 3})
    assert response.json()["truncated"] is True
    assert response.headers["x-tracegrade-rows"] == "3"


@pytest.mark.parametrize("name", FORMATS)
def test_answer_without_a_limit_has_every_row_in_every_form(store: Store, name: str) -> None:
    rows = 30_000
    response = ask(store, {"sql": f"select range as n from range({rows})", "format": name, "max_rows": None})
    assert response.status_code == 200
    assert response.headers["x-tracegrade-truncated"] == "false"
    assert count_of(name, response.content) == rows


def count_of(name: str, body: bytes) -> int:
    """The rows of an answer in one of the forms."""
    match name:
        case "json-table":
            return len(orjson.loads(body)["rows"])
        case "json":
            return len(orjson.loads(body))
        case "jsonl":
            return len(body.splitlines())
        case "csv" | "csv-without-formulas":
            return len(body.splitlines()) - 1
        case "arrow":
            return int(pa.ipc.open_stream(body).read_all().num_rows)
        case _:
            return int(pyarrow.parquet.read_table(io.BytesIO(body)).num_rows)


@pytest.mark.parametrize(
    ("sql", "status", "kind"),
    [
        pytest.param("delete from spans", 400, "refused", id="refused"),
        pytest.param("select tool from spans", 400, "failed", id="failed"),
        pytest.param("select error('x') from range(10)", 400, "failed", id="failed in the first rows"),
        pytest.param("select count(*) from range(1000000000000)", 408, "timed_out", id="late"),
    ],
)
def test_export_that_fails_before_its_first_row_says_so(store: Store, sql: str, status: int, kind: str) -> None:
    for _ in range(MAX_CONCURRENT_EXPORTS + 1):  # and gives its turn back
        response = ask(store, {"sql": sql, "max_rows": None, "timeout_s": 0.3})
        assert read_error(response)[:2] == (status, kind)


def test_export_that_nobody_reads_any_more_lets_go_of_the_store(store: Store) -> None:
    ended = threading.Event()

    class Watched(Store):
        @contextmanager
        def stream(self, sql: str, **options: Any) -> Iterator[Stream]:
            try:
                with super().stream(sql, **options) as answer:
                    yield answer
            finally:
                ended.set()

    body = orjson.dumps({"sql": "select range as n from range(1000000000)", "max_rows": None, "format": "csv"})
    sent: list[dict[str, Any]] = []
    begun = asyncio.Event()
    receive = hanging_up(body, after=begun)

    async def send(message: Any) -> None:
        sent.append(message)
        begun.set()

    asyncio.run(make_api(reader=Watched(store.connection))(SCOPE, receive, send))
    assert ended.wait(10)
    assert next(message["type"] for message in sent) == "http.response.start"
    assert all(message.get("more_body", True) for message in sent), "a part was given out for the whole"


def hanging_up(body: bytes, *, after: asyncio.Event) -> Callable[[], Awaitable[dict[str, Any]]]:
    """The receiving side of a client that sends `body`, and hangs up `after` that."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if messages:
            return messages.pop()
        await after.wait()
        return {"type": "http.disconnect"}

    return receive


def test_export_whose_client_hangs_up_before_the_first_row_gives_its_turn_back() -> None:
    """A query that sorts a large table gives nothing for long."""

    class Sorting(Slow):
        begun, ended = threading.Semaphore(0), threading.Semaphore(0)

        @contextmanager
        def stream(self, sql: str, **options: Any) -> Iterator[Stream]:
            self.begun.release()
            if options["cancelled"].wait(10):
                self.ended.release()
            raise SqlTimedOut("nobody waits")
            yield

    reader = Sorting()
    body = orjson.dumps({"sql": "sorted", "max_rows": None})

    async def send(message: Any) -> None:
        assert message["type"].startswith("http.response")

    async def run() -> None:
        app = make_api(reader=reader)
        leaving, waiting = asyncio.Event(), asyncio.Event()
        exports = [app(SCOPE, hanging_up(body, after=leaving), send) for _ in range(MAX_CONCURRENT_EXPORTS)]
        begun = [asyncio.ensure_future(export) for export in exports]
        for _ in begun:
            assert await asyncio.to_thread(reader.begun.acquire, timeout=10)
        third = asyncio.ensure_future(app(SCOPE, hanging_up(body, after=waiting), send))
        waiting.set()
        await asyncio.wait_for(third, 5)
        assert not any(each.done() for each in begun)
        leaving.set()
        await asyncio.wait_for(asyncio.gather(*begun), 5)

    asyncio.run(run())
    assert all(reader.ended.acquire(timeout=10) for _ in range(MAX_CONCURRENT_EXPORTS))


def test_export_that_fails_in_the_middle_is_never_ended_as_if_it_were_whole(store: Store) -> None:
    content = "case when range = 50000 then error('failed at ' || range) else repeat('x', 100) end"
    sql = f"select {content} as content from range(60000)"
    with pytest.raises(fence.SqlFailed, match=r"failed at 50000|failed in the middle"):
        ask(store, {"sql": sql, "max_rows": None, "format": "csv"})
