"""The runs of work in this process are captured from its spans, each by the capture in which it began."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from opentelemetry import _logs as logs_api
from opentelemetry import trace as trace_api
from opentelemetry.context import Context, get_current
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.support import agent_spans
from tests.support.traced_agent import book

from tracegrade.collector.capture import NoSingleRun, capture, uncaptured
from tracegrade.collector.capture.assembly import assemble_exported_runs
from tracegrade.collector.otlp.experiment_mark import EXPERIMENT_ID
from tracegrade.collector.otlp.signal import Signal


def test_run_is_that_of_the_work_within() -> None:
    book("Rome")
    with capture() as captured:
        book("Paris")
    book("Oslo")
    run = captured.run
    assert (run.agent_name, run.input) == ("travel", "Book a hotel in Paris")
    assert [(call.name, call.args) for call in run.tool_calls] == [("book", {"city": "Paris"})]
    assert run.completeness == "complete"


def test_several_runs_are_told_apart_in_order_of_time() -> None:
    with capture() as captured:
        book("Paris")
        book("Rome", name="other")
    assert [run.agent_name for run in captured.runs] == ["travel", "other"]
    with pytest.raises(NoSingleRun, match="2 runs were captured, of travel, other: use `runs`"):
        _ = captured.run


def test_absence_of_a_run_is_explained() -> None:
    with capture() as captured:
        pass
    with pytest.raises(NoSingleRun, match="no span was recorded: instrument the agent"):
        _ = captured.run
    with capture() as captured, trace_api.get_tracer("web").start_as_current_span("GET /"):
        pass
    with pytest.raises(NoSingleRun, match=r"none of 1 span \(GET /\) is of an agent"):
        _ = captured.run


def test_captures_side_by_side_get_their_own_runs() -> None:
    async def captured_input(city: str) -> str | None:
        with capture() as captured:
            await asyncio.sleep(0)
            book(city)
            await asyncio.sleep(0)
        return captured.run.input

    async def both() -> list[str | None]:
        return list(await asyncio.gather(captured_input("Paris"), captured_input("Rome")))

    assert asyncio.run(both()) == ["Book a hotel in Paris", "Book a hotel in Rome"]


def test_work_that_is_left_out_is_that_of_no_capture_but_one_of_its_own() -> None:
    with capture() as captured:
        book("Paris")
        with uncaptured():
            book("Rome")
            with capture() as inner:
                book("Oslo")
            book("Bern")
        book("Lyon")
    cities = [[call.args for run in each.runs for call in run.tool_calls] for each in (captured, inner)]
    assert cities == [[{"city": "Paris"}, {"city": "Lyon"}], [{"city": "Oslo"}]]


def test_spans_of_some_traces_are_exported_with_attributes_of_their_resource() -> None:
    with capture() as captured:
        book("Paris")
        book("Rome")
    paris, rome = captured.runs
    assert paris.trace_id is not None
    (signal, body), *others = captured.export_requests({EXPERIMENT_ID: "x"}, trace_ids=[paris.trace_id])
    assert (signal, others) == (Signal.TRACES, [])
    (exported,) = assemble_exported_runs([body], [])
    assert (exported.agent_trace_id, exported.experiment_id) == (paris.agent_trace_id, "x")
    every = assemble_exported_runs([body for _, body in captured.export_requests()], [])
    assert [run.agent_trace_id for run in every] == [paris.agent_trace_id, rome.agent_trace_id]


def test_captures_in_threads_get_their_own_runs() -> None:
    def captured_inputs(city: str) -> list[str | None]:
        with capture() as captured:
            for _ in range(20):
                book(city)
        return [run.input for run in captured.runs]

    with ThreadPoolExecutor() as pool:
        found = list(pool.map(captured_inputs, ["Paris", "Rome"]))
    assert found == [["Book a hotel in Paris"] * 20, ["Book a hotel in Rome"] * 20]


def test_work_in_a_thread_without_its_context_belongs_to_the_only_capture() -> None:
    with capture() as captured, ThreadPoolExecutor() as pool:
        pool.submit(book, "Paris").result()
    assert captured.run.input == "Book a hotel in Paris"


def test_spans_of_threads_without_their_context_are_hinted_at_while_several_captures_are_open() -> None:
    with capture() as first, capture() as second, ThreadPoolExecutor() as pool:
        pool.submit(book, "Paris").result()
    for captured in (first, second):
        with pytest.raises(NoSingleRun, match=r"spans of threads without their context were left out.*concurrency=1"):
            _ = captured.run


def test_inner_capture_has_its_own_and_the_outer_goes_on() -> None:
    with capture() as outer:
        book("Rome")
        with capture() as inner:
            book("Paris")
        book("Oslo")
    assert [run.input for run in inner.runs] == ["Book a hotel in Paris"]
    assert [run.input for run in outer.runs] == ["Book a hotel in Rome", "Book a hotel in Oslo"]


def test_spans_still_go_wherever_else_they_are_sent() -> None:
    memory = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(memory))
    for city in ("Paris", "Rome"):
        with capture(tracer_provider=provider) as captured:
            book(city, tracer=provider.get_tracer("own"))
        assert captured.run.input == f"Book a hotel in {city}"
    assert len(memory.get_finished_spans()) == 6


def test_content_in_log_records_is_captured() -> None:
    logger_tracer = trace_api.get_tracer("agent")
    with capture() as captured, logger_tracer.start_as_current_span("chat m") as span:
        span.set_attribute("gen_ai.operation.name", "chat")
        logs_api.get_logger("agent").emit(
            event_name="gen_ai.client.inference.operation.details",
            attributes={"gen_ai.input.messages": json.dumps([agent_spans.text_message("user", "Where?")])},
        )
    assert captured.run.input == "Where?"


def test_span_that_ends_after_its_capture_is_left_out() -> None:
    started, may_end = Event(), Event()

    def work() -> None:
        with trace_api.get_tracer("agent").start_as_current_span("late"):
            started.set()
            may_end.wait(10)

    with ThreadPoolExecutor() as pool:
        with capture() as captured:
            book("Paris")
            late = pool.submit(work)
            assert started.wait(10)
        may_end.set()
        late.result()
    assert captured.run.input == "Book a hotel in Paris"
    assert len(captured.runs) == 1


def test_work_that_outlasts_its_capture_leaks_into_no_other() -> None:
    async def main() -> list[str | None]:
        may_go_on = asyncio.Event()

        async def work() -> None:
            await may_go_on.wait()
            book("Paris")
            logs_api.get_logger("agent").emit(event_name="late")

        with capture():
            late = asyncio.create_task(work())
        with trace_api.get_tracer("web").start_as_current_span("GET /"), capture() as captured:
            may_go_on.set()
            await late
            book("Rome")
        return [run.input for run in captured.runs]

    assert asyncio.run(main()) == ["Book a hotel in Rome"]


def test_worker_of_an_earlier_capture_works_for_the_open_span_of_a_later_one() -> None:
    tracer = trace_api.get_tracer("agent")

    async def main() -> list[str]:
        jobs: asyncio.Queue[Context] = asyncio.Queue()

        async def work() -> None:
            with tracer.start_as_current_span("execute_tool book", await jobs.get()) as span:
                span.set_attributes({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "book"})

        with capture():
            worker = asyncio.create_task(work())
            await asyncio.sleep(0)
        agent = {"gen_ai.operation.name": "invoke_agent"}
        with capture() as captured, tracer.start_as_current_span("invoke_agent", attributes=agent):
            jobs.put_nowait(get_current())
            await worker
        return [call.name for call in captured.run.tool_calls]

    assert asyncio.run(main()) == ["book"]


def test_provider_that_cannot_be_listened_to_is_refused() -> None:
    other: Any = object()
    with pytest.raises(TypeError, match="is not a provider of the OpenTelemetry SDK"), capture(tracer_provider=other):
        pass


def test_missing_sdk_is_named_with_the_extra_that_has_it() -> None:
    code = (
        "import sys; sys.modules['opentelemetry.sdk'] = None\n"
        "from tracegrade.collector.capture import capture\n"
        "with capture(): pass"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert "ImportError: capturing runs needs `pip install 'tracegrade[pytest]'`" in done.stderr
