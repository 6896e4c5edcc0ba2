"""How many spans a second are committed and acknowledged, and how far assembly is behind when the last one is."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from functools import partial

from .client import go, ready
from .figures import Benchmark, Metric, Options
from .model import answering, settings_of
from .server import Server, running
from .traffic import SPANS_OF_RUN, Traffic

__all__ = ["JUDGED", "LARGE", "SMALL"]

_IN_FLIGHT = 8
_OPEN_QUESTIONS = 64
_SMALL_BYTES = 600
_LAG_LIMIT_S = 300.0
_LOOK_EVERY_S = 0.5
_LARGE_SHARE = 3  # a third of the spans weighs as much


def _run(options: Options, *, span_bytes: int, share: int) -> Mapping[str, float]:
    with running() as server:
        return _ingested(server, options, span_bytes=span_bytes, share=share)


def _run_judged(options: Options) -> Mapping[str, float]:
    with answering(delay_s=1.0) as url:
        variables = {
            "TRACEGRADE_ASSEMBLY__JUDGE_SETTLE": "0s",
            "TRACEGRADE_JUDGES": json.dumps({"default": settings_of(url, concurrency=_OPEN_QUESTIONS)}),
            "TRACEGRADE_EVALUATORS": json.dumps([{"use": "defaults"}, {"use": "goal_achievement"}]),
        }
        with running(variables) as server:
            return _ingested(server, options, span_bytes=_SMALL_BYTES, share=1)


def _ingested(server: Server, options: Options, *, span_bytes: int, share: int) -> Mapping[str, float]:
    spans = options.spans // share // SPANS_OF_RUN * SPANS_OF_RUN
    traffic = Traffic(spans=spans, span_bytes=span_bytes)
    with ready(server.grpc, traffic, in_flight=_IN_FLIGHT) as client:
        sent = go(client)
        runs = spans // SPANS_OF_RUN
        behind = runs - server.count("agent_traces")
        peak_mb = server.rss_mb
        assembled_after_s, judged_after_s = _caught_up(server, runs)
    return {
        "acknowledged": sent.spans / sent.elapsed_s,
        "throughput": sent.sent_bytes / sent.elapsed_s / 1e6,
        "bytes a span": sent.sent_bytes / sent.spans,
        "retried": sent.retried,
        "runs not assembled at the last ack": behind,
        "of all runs": behind / runs * 100,
        "last run assembled after the last ack": assembled_after_s,
        "last run judged after the last ack": judged_after_s,
        "server memory at the last ack": peak_mb,
    }


def _caught_up(server: Server, runs: int) -> tuple[float, float]:
    """Seconds until every run is assembled, and until every run is judged."""
    began = time.perf_counter()
    assembled_after_s = judged_after_s = float("inf")
    judged = "(select distinct agent_trace_id from latest_scores)"
    while (waited_s := time.perf_counter() - began) < _LAG_LIMIT_S:
        if assembled_after_s > waited_s and server.count("agent_traces") >= runs:
            assembled_after_s = waited_s
        if assembled_after_s <= waited_s and server.count(judged) >= runs:
            judged_after_s = waited_s
            break
        time.sleep(_LOOK_EVERY_S)
    return assembled_after_s, judged_after_s


def _metrics(target: float) -> tuple[Metric, ...]:
    return (
        Metric(name="acknowledged", unit="spans/s", target=target),
        Metric(name="throughput", unit="MB/s"),
        Metric(name="bytes a span", unit="B"),
        Metric(name="retried", unit="requests"),
        Metric(name="runs not assembled at the last ack", unit="runs"),
        Metric(name="of all runs", unit="%"),
        Metric(name="last run assembled after the last ack", unit="s"),
        Metric(name="last run judged after the last ack", unit="s"),
        Metric(name="server memory at the last ack", unit="MB"),
    )


SMALL = Benchmark("Ingestion, 600 B a span", _metrics(25_000), partial(_run, span_bytes=_SMALL_BYTES, share=1))
JUDGED = Benchmark(
    f"Ingestion, 600 B a span, while a judge is asked {_OPEN_QUESTIONS} questions at once",
    _metrics(25_000),
    _run_judged,
)
LARGE = Benchmark("Ingestion, 1.8 KB a span", _metrics(10_000), partial(_run, span_bytes=1800, share=_LARGE_SHARE))
