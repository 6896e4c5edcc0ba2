"""What the page of an empty store says has arrived."""

from __future__ import annotations

from tracegrade.collector.metrics import counters
from tracegrade.collector.receiver.grpc_at_http import Endpoints
from tracegrade.collector.web.received import read_receiving


def test_counts_are_those_of_the_metrics_by_signal_and_reason() -> None:
    endpoints = Endpoints("127.0.0.1:4317", "127.0.0.1:4318")
    before = read_receiving(endpoints)
    counters.accepted_records.labels(signal="traces").inc(3)
    counters.accepted_records.labels(signal="logs").inc(2)
    counters.refused_requests.labels(reason="toolarge").inc()
    after = read_receiving(endpoints)
    assert (after.spans - before.spans, after.logs - before.logs) == (3, 2)
    assert after.refused["toolarge"] - before.refused.get("toolarge", 0) == 1
    assert (after.grpc, after.http) == ("127.0.0.1:4317", "127.0.0.1:4318")
