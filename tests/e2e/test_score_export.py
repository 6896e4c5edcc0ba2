"""Scores go on to `export.endpoint`: as log events, or as spans where no logs are taken; never lost, in order."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.support import agent_spans
from tests.support.backend import Backend, grpc_backend, http_backend, plain
from tests.support.otlp import span_id, trace_id
from tests.support.polling import until
from tests.support.server import HURRIED, Server, new_trace, running

EVENT = "gen_ai.evaluation.result"
ID = "tracegrade.evaluation.id"


def sending_to(url: str, *, protocol: str = "http/protobuf") -> dict[str, str]:
    """The settings of a server that sends its scores on, and soon gives up an attempt."""
    exporter = {"OTEL_EXPORTER_OTLP_PROTOCOL": protocol, "OTEL_EXPORTER_OTLP_TIMEOUT": "2"}
    return {**HURRIED, **exporter, "TRACEGRADE_EXPORT__ENDPOINT": url}


def test_backend_gets_one_log_event_a_score_under_the_judged_span(server: Server, tmp_path: Path) -> None:
    traces = [new_trace(), new_trace()]
    settings = sending_to(f"http://{server.grpc}", protocol="grpc")
    with running(tmp_path / "store.duckdb", variables=settings) as judge:
        for trace in traces:
            judge.export(agent_spans.trip(trace))
        for trace in traces:
            judge.scores(trace_id(trace))
        scores = judge.rows("select trace_id, span_id, score_id, evaluator, value from scores order by all")
        until(lambda: judge.one("select count(*) from outbox"), lambda waiting: waiting == 0)
    received = server.rows(f"""
        select trace_id, span_id, attributes ->> '$."{ID}"' as id, attributes ->> '$."gen_ai.evaluation.name"',
            (attributes ->> '$."gen_ai.evaluation.score.value"')::double
        from logs where event_name = '{EVENT}' and trace_id in {tuple(map(trace_id, traces))} order by all""")
    assert received == scores
    assert {tuple(row[:2]) for row in received} == {(trace_id(trace), span_id(1)) for trace in traces}


@pytest.mark.parametrize("protocol", ["http/protobuf", "grpc"])
@pytest.mark.nightly
def test_backend_without_logs_gets_spans_that_link_to_the_judged_ones(tmp_path: Path, protocol: str) -> None:
    backends = {"http/protobuf": http_backend, "grpc": grpc_backend}
    with (
        backends[protocol](knows=["traces"]) as backend,
        running(tmp_path / "store.duckdb", variables=sending_to(backend.url, protocol=protocol)) as judge,
    ):
        judge.export(agent_spans.trip(1))
        judge.scores(trace_id(1))
        judge.export(agent_spans.trip(2))
        judge.scores(trace_id(2))
        ids = {score for (score,) in judge.rows("select score_id from scores")}
        until(lambda: judge.one("select count(*) from outbox"), lambda waiting: waiting == 0)
    assert len(backend.refused) <= 1, "asked again for what it does not know"
    assert Counter(_id_of_event(span) for span in backend.spans) == Counter(ids)
    links = {(link.trace_id.hex(), link.span_id.hex()) for span in backend.spans for link in span.links}
    assert links == {(trace_id(1), span_id(1)), (trace_id(2), span_id(1))}
    assert not any(span.parent_span_id for span in backend.spans)
    assert not {span.trace_id.hex() for span in backend.spans} & {trace_id(1), trace_id(2)}


@pytest.mark.nightly
def test_backend_that_was_down_gets_everything_in_order_and_nobody_waited_for_it(tmp_path: Path) -> None:
    store = tmp_path / "store.duckdb"
    with http_backend(opened=False) as backend, running(store, variables=sending_to(backend.url)) as judge:
        for trace in (1, 2, 3):
            judge.export(agent_spans.trip(trace))
            judge.scores(trace_id(trace))
        ids = [score for (score,) in judge.rows("select score_id from scores")]
        assert judge.one("select count(*) from outbox") == len(ids)
        backend.open()
        until(lambda: judge.one("select count(*) from outbox"), lambda waiting: waiting == 0)
    assert Counter(plain(record.attributes)[ID] for record in backend.logs) == Counter(ids)
    assert {record.event_name for record in backend.logs} == {EVENT}
    assert {record.span_id.hex() for record in backend.logs} == {span_id(1)}
    assert _traces_in_order(backend) == [trace_id(1), trace_id(2), trace_id(3)]


def _id_of_event(span: Span) -> str:
    (event,) = span.events
    assert event.name == EVENT
    return str(plain(event.attributes)[ID])


def _traces_in_order(backend: Backend) -> list[str]:
    return list(dict.fromkeys(record.trace_id.hex() for record in backend.logs))
