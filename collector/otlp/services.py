"""The three export services of OTLP: their names, requests and responses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from google.protobuf.message import Message
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2 as logs
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2 as metrics
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as traces

from .signal import Signal

__all__ = ["SERVICES", "Service"]


@dataclass(frozen=True, slots=True)
class Service:
    name: str
    request: type[Message]
    response: type[Message]
    rejected_field: str
    """The field of the response's `partial_success` that counts rejected records."""


SERVICES: Final = {
    Signal.TRACES: Service(
        "opentelemetry.proto.collector.trace.v1.TraceService",
        traces.ExportTraceServiceRequest,
        traces.ExportTraceServiceResponse,
        "rejected_spans",
    ),
    Signal.LOGS: Service(
        "opentelemetry.proto.collector.logs.v1.LogsService",
        logs.ExportLogsServiceRequest,
        logs.ExportLogsServiceResponse,
        "rejected_log_records",
    ),
    Signal.METRICS: Service(
        "opentelemetry.proto.collector.metrics.v1.MetricsService",
        metrics.ExportMetricsServiceRequest,
        metrics.ExportMetricsServiceResponse,
        "rejected_data_points",
    ),
}
