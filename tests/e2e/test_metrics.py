"""What the server tells of itself: health, readiness, figures; and metrics that it is sent."""

from __future__ import annotations

import logging
import re
import time
from pathlib import Path

import grpc
import httpx
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter as HttpExporter
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from tests.support import agent_spans
from tests.support.otlp import from_plain, trace_id, traces_request
from tests.support.polling import until
from tests.support.server import HURRIED, Server, new_trace, running


@pytest.mark.parametrize(("path", "answer"), [("/healthz", {"status": "ok"}), ("/readyz", {"status": "ready"})])
def test_health_stands_on_both_http_ports(server: Server, path: str, answer: dict[str, str]) -> None:
    for url in (server.web, server.otlp):
        assert httpx.get(url + path, trust_env=False).json() == answer


def test_grpc_health_is_serving(server: Server) -> None:
    with grpc.insecure_channel(server.grpc) as channel:
        stub = health_pb2_grpc.HealthStub(channel)  # type: ignore[no-untyped-call]  # generated
        answer = stub.Check(health_pb2.HealthCheckRequest(), timeout=5)
    assert answer.status == health_pb2.HealthCheckResponse.SERVING


def test_grpc_reflection_names_the_services(server: Server) -> None:
    question = reflection_pb2.ServerReflectionRequest(list_services="")
    with grpc.insecure_channel(server.grpc) as channel:
        stub = reflection_pb2_grpc.ServerReflectionStub(channel)  # type: ignore[no-untyped-call]  # generated
        (answer,) = stub.ServerReflectionInfo(iter([question]), timeout=5)
    names = {service.name for service in answer.list_services_response.service}
    of_otlp = {f"opentelemetry.proto.collector.{signal}" for signal in ("trace.v1.TraceService", "logs.v1.LogsService")}
    assert names >= {*of_otlp, "grpc.health.v1.Health"}


def test_figures_count_what_was_accepted_repeated_and_rejected(server: Server) -> None:
    names = [f'tracegrade_{what}_records_total{{signal="traces"}}' for what in ("accepted", "repeated", "rejected")]
    before = [server.figure(name) for name in names]
    trip = list(map(from_plain, agent_spans.trip(new_trace())))
    server.post(traces_request(trip))
    server.post(traces_request([*trip, Span(name="without ids")]))
    assert [server.figure(name) - was for name, was in zip(names, before, strict=True)] == [4, 4, 1]
    assert server.figure("tracegrade_queue_bytes") == 0


def test_figures_count_scores(server: Server) -> None:
    before = server.figure('tracegrade_evaluations_total{status="scored"}')
    server.add_run()
    assert server.figure('tracegrade_evaluations_total{status="scored"}') >= before + 2


@pytest.mark.parametrize("road", ["grpc", "http"])
def test_metrics_of_an_agent_are_taken_without_complaint(
    server: Server, caplog: pytest.LogCaptureFixture, road: str
) -> None:
    before = server.figure("tracegrade_metric_requests_total")
    grpc_exporter = GrpcExporter(f"http://{server.grpc}", insecure=True)
    exporter = grpc_exporter if road == "grpc" else HttpExporter(f"{server.otlp}/v1/metrics")
    provider = MeterProvider([PeriodicExportingMetricReader(exporter)], shutdown_on_exit=False)
    with caplog.at_level(logging.WARNING):
        provider.get_meter("tests").create_counter("calls").add(1)
        assert provider.force_flush()
        provider.shutdown()
    assert caplog.records == []
    assert server.figure("tracegrade_metric_requests_total") > before


WATCHED = {
    **HURRIED,
    "TRACEGRADE_ASSEMBLY__JUDGE_SETTLE": "0s",
    "TRACEGRADE_JUDGES": '{"default": {"base_url": "http://127.0.0.1:9/v1", "model": "small", "api_key_env": "A_KEY"}}',
    "A_KEY": "x",
    "TRACEGRADE_EVALUATORS": '[{"use": "tool_error"}, {"use": "goal_achievement"}]',
}


def test_metrics_tell_scores_by_service_and_agent_and_what_is_deferred_and_how_far_all_is_behind(
    tmp_path: Path,
) -> None:
    scored = 'tracegrade_scores_total{agent="travel",evaluator="tool_error",passed="true",service="tests"}'
    deferred = 'tracegrade_deferred{evaluator="goal_achievement",reason="judge_unreachable"}'
    lag = 'tracegrade_evaluator_lag_seconds{evaluator="%s"}'
    with running(tmp_path / "s.duckdb", variables=WATCHED) as server:
        began = time.time()
        server.export(agent_spans.trip(1))
        server.export(agent_spans.trip(2))
        until(lambda: server.figure(scored), lambda count: count == 2)
        until(lambda: server.figure(deferred), lambda count: count == 2)
        ended = server.one("select min(epoch(ended_at)) from agent_traces")
        until(lambda: server.figure(lag % "goal_achievement"), lambda seconds: seconds >= began - ended)
        assert server.figure(lag % "goal_achievement") <= time.time() - ended
        assert server.figure(lag % "tool_error") == 0.0
        until(lambda: server.figure("tracegrade_assembly_lag_seconds"), lambda seconds: seconds == 0.0)
        assert server.figure('tracegrade_backlog{evaluator="goal_achievement"}') == 0.0


def test_lag_of_assembly_begins_at_the_end_of_the_span_that_waits(tmp_path: Path) -> None:
    with running(tmp_path / "s.duckdb", variables={"TRACEGRADE_ASSEMBLY__GRACE": "30s"}) as server:
        server.export(agent_spans.trip(1))
        ended = server.one("select min(epoch(end_time)) from spans")
        found = server.figure("tracegrade_assembly_lag_seconds")
        assert 0 < found <= time.time() - ended
        assert found >= time.time() - ended - 60


def test_every_metric_is_documented(server: Server) -> None:
    server.scores(_brought(server))
    text = httpx.get(f"{server.web}/metrics", trust_env=False).text
    shown = set(re.findall(r"^(tracegrade_\w+?)(?:_created)?(?:\{| )", text, re.MULTILINE))
    page = (Path(__file__).parents[2] / "collector/docs/operations.md").read_text(encoding="utf-8")
    assert "tracegrade_scores_total" in shown
    assert [name for name in sorted(shown) if f"`{name}`" not in page and f"`{name}_total`" not in page] == []


def _brought(server: Server) -> str:
    trace = new_trace()
    server.export(agent_spans.trip(trace))
    return trace_id(trace)
