"""An agent behind an HTTP endpoint is that of an experiment, and its spans are received from its own exporter."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from tests.support.http_servers import serve

from tracegrade.collector.experiments import Experiment, http_task
from tracegrade.evaluators.experiments.experiment_run import ExperimentRun
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.named import tool_trajectory

Answer = Callable[[Request, Any], Response]


@contextmanager
def endpoint(answer: Answer) -> Iterator[str]:
    """An endpoint that answers the JSON or the text that it gets."""

    async def handle(request: Request) -> Response:
        raw = await request.body()
        is_json = request.headers.get("content-type") == "application/json"
        return await run_in_threadpool(answer, request, json.loads(raw) if is_json else raw.decode())

    with serve(Starlette(routes=[Route("/{path:path}", handle, methods=["GET", "POST"])])) as url:
        yield url


def free_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as bound:
        return f"127.0.0.1:{bound.getsockname()[1]}"


def book(address: str, city: str, headers: Mapping[str, str]) -> None:
    """An agent that is instrumented with OpenTelemetry, and takes its trace from the request."""
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(f"http://{address}/v1/traces")))
    above = TraceContextTextMapPropagator().extract(headers)
    tracer = provider.get_tracer("agent")
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "travel"}
    called = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "book",
        "gen_ai.tool.call.arguments": json.dumps({"city": city}),
    }
    with (
        tracer.start_as_current_span("invoke_agent", above, attributes=agent),
        tracer.start_as_current_span("execute_tool book", attributes=called),
    ):
        pass
    provider.shutdown()


def item(given: Any, city: str = "Paris") -> DatasetItem:
    return DatasetItem.model_validate(
        {"input": given, "expected_tool_calls": [{"name": "book", "args": {"city": city}}]}
    )


def run(url: str, given: Any = "Paris", *, task: Mapping[str, Any] | None = None, **options: Any) -> ExperimentRun:
    evaluators = [tool_trajectory(mode="strict")]
    (only,) = Experiment("http", [item(given)], http_task(url, **(task or {})), evaluators, **options).run().runs
    return only


def response_of(only: ExperimentRun) -> str | None:
    assert only.run is not None, only.cause
    return only.run.final_response


@pytest.mark.parametrize(
    ("given", "task", "expected"),
    [
        pytest.param("Paris", {}, {"input": "Paris"}, id="text"),
        pytest.param({"city": "Paris"}, {}, {"city": "Paris"}, id="object"),
        pytest.param(
            "Paris", {"body": {"q": "{input}", "n": [1, None]}}, {"q": "Paris", "n": [1, None]}, id="template"
        ),
        pytest.param({"a": 1}, {"body": {"q": "{input}"}}, {"q": {"a": 1}}, id="object in a template"),
        pytest.param({"a": 1}, {"body": {"q": "Do {input}!"}}, {"q": 'Do {"a":1}!'}, id="object in a text"),
        pytest.param("Paris", {"body": "Book {input}"}, "Book Paris", id="text as it is"),
        pytest.param("a/b?", {"method": "GET"}, "", id="GET"),
    ],
)
def test_input_is_sent_as_json_or_as_the_template_says(given: Any, task: dict[str, Any], expected: Any) -> None:
    got: list[Any] = []

    def answer(request: Request, content: Any) -> Response:
        got.append((request.method, request.query_params["q"], request.headers["x-key"], content))
        return PlainTextResponse("done")

    with endpoint(answer) as url:
        only = run(f"{url}/ask?q={{input}}", given, task={"headers": {"x-key": "k"}, **task})
    assert response_of(only) == "done"
    text = given if isinstance(given, str) else json.dumps(given, separators=(",", ":"))
    assert got == [(task.get("method", "POST"), text, "k", expected)]


@pytest.mark.parametrize(
    ("content", "path", "expected"),
    [
        pytest.param({"output": "booked"}, None, "booked", id="output"),
        pytest.param({"output": "booked", "cost": 1}, None, "booked", id="output beside others"),
        pytest.param({"output": {"id": 1}}, None, '{"id":1}', id="output that is no text"),
        pytest.param({"reply": "booked"}, None, '{"reply":"booked"}', id="other JSON"),
        pytest.param("booked", None, "booked", id="text in JSON"),
        pytest.param({"data": [{"text": "booked"}]}, "data.0.text", "booked", id="path"),
        pytest.param({"data": [1, 2]}, "data", "[1,2]", id="path to a list"),
    ],
)
def test_answer_is_read_from_the_response(content: Any, path: str | None, expected: str) -> None:
    with endpoint(lambda *_: JSONResponse(content)) as url:
        only = run(url, task={"answer": path})
    assert response_of(only) == expected
    assert only.run is not None
    assert only.run.gaps == ("content_not_captured", "model_calls_not_captured")
    assert only.scores[0].status == "skipped"


def test_output_map_has_the_calls_of_the_agent() -> None:
    answer = {"output": "booked", "toolCalls": [{"name": "book", "args": {"city": "Paris"}}], "took_ms": 7}
    with endpoint(lambda *_: JSONResponse(answer)) as url:
        only = run(url)
    assert response_of(only) == "booked"
    assert only.scores[0].passed


def test_chat_completion_has_the_calls_that_the_model_asks_for() -> None:
    function = {"name": "book", "arguments": '{"city": "Paris"}'}
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": function}],
    }
    completion = {
        "model": "m-1",
        "choices": [{"message": message}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
    }
    body = {"model": "m", "messages": [{"role": "user", "content": "Book {input}"}]}
    with endpoint(lambda *_: JSONResponse(completion)) as url:
        only = run(url, task={"body": body})
    assert only.run is not None
    assert (only.run.input, only.run.model, only.run.input_tokens) == ("Book Paris", "m-1", 7)
    assert only.scores[0].passed


@pytest.mark.parametrize(
    ("answer", "task", "cause"),
    [
        (
            PlainTextResponse("no\nhotel", 503),
            {},
            "RuntimeError: the endpoint answered 503 Service Unavailable: no hotel",
        ),
        (PlainTextResponse("", 404), {}, "RuntimeError: the endpoint answered 404 Not Found"),
        (
            PlainTextResponse("booked"),
            {"answer": "a.b"},
            "ValueError: the answer is not JSON, so there is no 'a.b' in it",
        ),
        (
            JSONResponse({"a": {"c": 1, "d": 2}}),
            {"answer": "a.b"},
            "ValueError: there is no 'a.b' in the answer: no 'b' beside c, d",
        ),
        (
            JSONResponse({"a": [1]}),
            {"answer": "a.1"},
            "ValueError: there is no 'a.1' in the answer: no '1' in a list of 1",
        ),
        (JSONResponse({"a": None}), {"answer": "a"}, "ValueError: 'a' is null in the answer"),
        (
            JSONResponse({"output": "x", "toolCalls": [{"args": {}}]}),
            {},
            (
                "ValueError: the answer cannot be read: toolCalls[0] has no name; "
                "write the tool's under name, tool or tool_name"
            ),
        ),
        (
            JSONResponse({"choices": [{"message": {"content": 7}}]}),
            {},
            "ValueError: the answer cannot be read: trajectory[0].content is a number; write text or a list of parts",
        ),
    ],
)
def test_failure_of_the_endpoint_is_the_cause_in_one_line(answer: Response, task: dict[str, Any], cause: str) -> None:
    with endpoint(lambda *_: answer) as url:
        only = run(url, task=task)
    assert (only.status, only.cause) == ("error", cause)


def test_endpoint_that_is_not_there_is_the_cause_without_the_secrets_in_its_url() -> None:
    address = free_address()
    only = run(f"http://user:secret@{address}/ask?key=secret")
    assert only.cause is not None
    assert only.cause.startswith(f"RuntimeError: no connection to {address}: ")
    assert "secret" not in only.cause


def test_endpoint_that_takes_too_long_is_the_cause() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        only = run(f"http://127.0.0.1:{port}", task={"timeout_s": 0.2})
        late = run(f"http://127.0.0.1:{port}", timeout_s=0.2)
    assert only.cause == f"RuntimeError: 127.0.0.1:{port} did not answer in time (ReadTimeout)"
    assert late.cause == "it took longer than 0.2 s"


def test_url_without_a_scheme_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'127\.0\.0\.1:8000' is not the URL of an endpoint; write it with http://"):
        http_task("127.0.0.1:8000")


def test_run_is_in_the_spans_that_the_agent_sends() -> None:
    address = free_address()

    def answer(request: Request, content: Any) -> Response:
        book(address, content["input"], request.headers)
        return JSONResponse({"output": "booked"})

    with endpoint(answer) as url:
        only = run(url, task={"receives_at": address, "quiet_s": 0.2})
    assert only.run is not None, only.cause
    assert (only.run.agent_name, only.run.final_response, only.run.input) == ("travel", "booked", "Paris")
    assert only.scores[0].passed


def test_calls_at_once_get_the_spans_of_their_own_traces() -> None:
    address = free_address()
    cities = [f"city {number}" for number in range(12)]

    def answer(request: Request, content: Any) -> Response:
        book(address, content["input"], request.headers)
        return PlainTextResponse("booked")

    with endpoint(answer) as url:
        task = http_task(url, receives_at=address, quiet_s=0.2)
        items = [item(city, city) for city in cities]
        result = Experiment("http", items, task, [tool_trajectory(mode="strict")], concurrency=6).run()
        again = Experiment("http", items[:1], task, [tool_trajectory(mode="strict")]).run()
    assert [run.scores[0].passed for run in (*result.runs, *again.runs)] == [True] * 13


def test_spans_that_come_after_the_answer_are_awaited_until_none_is_missing() -> None:
    address = free_address()
    pending: list[asyncio.Future[None]] = []

    async def handle(request: Request) -> Response:
        headers, content = dict(request.headers), await request.json()
        loop = asyncio.get_running_loop()
        pending.append(loop.run_in_executor(None, book, address, content["input"], headers))
        return PlainTextResponse("booked")

    with serve(Starlette(routes=[Route("/", handle, methods=["POST"])])) as url:
        only = run(url, task={"receives_at": address, "quiet_s": 0.2, "spans_within_s": 20})
    assert only.run is not None, only.cause
    assert (only.run.agent_name, only.run.completeness) == ("travel", "complete")
    assert [call.args for call in only.run.tool_calls] == [{"city": "Paris"}]


def test_agent_that_sends_no_spans_has_a_run_of_which_only_input_and_answer_are_known() -> None:
    with endpoint(lambda *_: PlainTextResponse("booked")) as url:
        only = run(url, task={"receives_at": free_address(), "spans_within_s": 0.2})
    assert only.run is not None, only.cause
    assert (only.run.input, only.run.final_response) == ("Paris", "booked")
    assert only.run.gaps == ("content_not_captured", "model_calls_not_captured")


def test_calls_outside_of_an_experiment_return_their_runs_and_share_the_receiver() -> None:
    address = free_address()

    def answer(request: Request, content: Any) -> Response:
        book(address, content["input"], request.headers)
        return PlainTextResponse("booked")

    async def ask(url: str) -> list[Any]:
        task: Any = http_task(url, receives_at=address, quiet_s=0.2)
        return [*await asyncio.gather(task("Paris"), task("Rome")), await task("Oslo")]

    with endpoint(answer) as url:
        runs: list[AgentTrace] = asyncio.run(ask(url))
    assert [run.tool_calls[0].args for run in runs] == [{"city": city} for city in ("Paris", "Rome", "Oslo")]
    assert {run.final_response for run in runs} == {"booked"}


def test_address_in_use_is_the_cause() -> None:
    with socket.create_server(("127.0.0.1", 0)) as bound:
        address = f"127.0.0.1:{bound.getsockname()[1]}"
        only = run("http://127.0.0.1:1", task={"receives_at": address})
    assert only.cause is not None
    assert f"cannot listen on {address}" in only.cause
    assert "receives_at" in only.cause
