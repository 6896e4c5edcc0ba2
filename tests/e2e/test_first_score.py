"""What the first page of the README promises: point an exporter at it, and ask for scores ten seconds later."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import grpc
import pytest
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.sdk.trace.export import SpanExporter
from tests.support import agent_spans, sdk
from tests.support.otlp import trace_id
from tests.support.polling import until
from tests.support.raw_json import as_json
from tests.support.server import JUDGES, Server, new_trace, running

EXPORTERS: Mapping[str, Callable[[Server], SpanExporter]] = {
    "grpc": lambda server: GrpcExporter(f"http://{server.grpc}", insecure=True),
    "grpc gzip": lambda server: GrpcExporter(f"http://{server.grpc}", insecure=True, compression=grpc.Compression.Gzip),
    "http": lambda server: HttpExporter(f"{server.otlp}/v1/traces"),
    "http gzip": lambda server: HttpExporter(f"{server.otlp}/v1/traces", compression=Compression.Gzip),
}
PARENTS: Mapping[str, Callable[[int], Context | None]] = {
    "no parent": lambda _: None,
    "a remote parent": sdk.remote_parent,
    "a foreign parent": sdk.foreign_parent,
}
BY_HAND = "json by hand"


@dataclass(frozen=True)
class Sent:
    """A run that was exported, and the wall clock then."""

    trace_id: str
    at: float


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with the settings that everybody starts with."""
    with running(tmp_path_factory.mktemp("usual") / "store.duckdb", variables={}) as server:
        yield server


@pytest.fixture(scope="module")
def sent_runs(usual: Server) -> Mapping[tuple[str, str], Sent]:
    """Runs by every exporter and below every parent, sent one after the other."""
    runs = {
        (road, parent): Sent(sdk.run_agent(exporter(usual), above=above(new_trace())), time.time())
        for road, exporter in EXPORTERS.items()
        for parent, above in PARENTS.items()
    }
    return {**runs, (BY_HAND, "no parent"): _by_hand(usual)}


@pytest.mark.parametrize("parent", PARENTS)
@pytest.mark.parametrize("road", EXPORTERS)
def test_run_is_judged_within_ten_seconds_with_default_settings(
    usual: Server, sent_runs: Mapping[tuple[str, str], Sent], road: str, parent: str
) -> None:
    _expect_scores(usual, sent_runs[road, parent])


def test_json_by_hand_is_judged_within_ten_seconds_with_default_settings(
    usual: Server, sent_runs: Mapping[tuple[str, str], Sent]
) -> None:
    _expect_scores(usual, sent_runs[BY_HAND, "no parent"])


@pytest.mark.parametrize("parent", PARENTS)
def test_flags_say_whether_the_parent_is_remote(
    usual: Server, sent_runs: Mapping[tuple[str, str], Sent], parent: str
) -> None:
    of_trace = f"from spans where trace_id = '{sent_runs['grpc', parent].trace_id}'"
    found = usual.rows(f"select parent_is_remote {of_trace} and operation_name = 'invoke_agent'")
    assert found == [[parent == "a remote parent"]]
    orphans = f"parent_span_id not in (select span_id {of_trace})"
    assert usual.one(f"select count(*) {of_trace} and {orphans}") == (0 if parent == "no parent" else 1)


def test_run_is_rebuilt_from_its_spans(usual: Server, sent_runs: Mapping[tuple[str, str], Sent]) -> None:
    run = sent_runs["grpc", "a remote parent"]
    _expect_scores(usual, run)
    facts = "agent_name, service_name, input, final_response, tool_call_count, llm_call_count, completeness"
    found = usual.rows(f"select {facts} from agent_traces where trace_id = '{run.trace_id}'")
    assert found == [["travel", "agents", sdk.QUESTION, sdk.ANSWER, 1, 2, "complete"]]
    calls = usual.rows(f"select tool_call_id, name, args, result from tool_calls where trace_id = '{run.trace_id}'")
    assert calls == [["call_1", "search", '{"to":"Paris"}', "AF007"]]


def _expect_scores(server: Server, run: Sent) -> None:
    sql = f"select evaluator, value, passed from latest_scores where trace_id = '{run.trace_id}'"
    rows = until(lambda: server.rows(sql), within_s=max(0, run.at + 10 - time.time()))
    scores = {evaluator: (value, passed) for evaluator, value, passed in rows}
    assert scores.keys() >= JUDGES
    assert scores["tool_error"] == (1, True)
    written = server.one(f"select epoch(max(scored_at)) from scores where trace_id = '{run.trace_id}'")
    assert written - run.at < 10


def _by_hand(server: Server) -> Sent:
    trace = new_trace()
    answer = server.post(as_json(agent_spans.trip(trace)), content_type="application/json")
    assert (answer.status_code, answer.json()) == (200, {})
    return Sent(trace_id(trace), time.time())
