"""What this server has received, from its metrics, for the page of an empty store."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import Counter, Gauge
from prometheus_client.samples import Sample

from tracegrade.queries.pages.receiving import Receiving

from ..metrics import counters
from ..receiver.grpc_at_http import Endpoints

__all__ = ["read_receiving"]


def read_receiving(endpoints: Endpoints) -> Receiving:
    """Return the counts since the start of this server, and the addresses of its receivers."""
    refused = {sample.labels["reason"]: int(sample.value) for sample in _read_samples(counters.refused_requests)}
    return Receiving(
        grpc=endpoints.grpc,
        http=endpoints.http,
        spans=_sum(counters.accepted_records, signal="traces"),
        logs=_sum(counters.accepted_records, signal="logs"),
        rejected=_sum(counters.rejected_records),
        refused={reason: count for reason, count in refused.items() if count},
        open_traces=_sum(counters.open_traces),
        assembled=_sum(counters.assembled_runs),
    )


def _sum(metric: Counter | Gauge, **labels: str) -> int:
    return int(sum(sample.value for sample in _read_samples(metric) if labels.items() <= sample.labels.items()))


def _read_samples(metric: Counter | Gauge) -> Iterator[Sample]:
    """Yield the values of a metric by their labels, without when they began."""
    for family in metric.collect():
        yield from (sample for sample in family.samples if not sample.name.endswith("_created"))
