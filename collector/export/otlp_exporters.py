"""The OpenTelemetry exporters. Headers, TLS and protocol are theirs: the OTEL_EXPORTER_OTLP_* variables."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import requests
    from opentelemetry.sdk._logs.export import LogRecordExporter
    from opentelemetry.sdk.trace.export import SpanExporter

__all__ = ["log_exporter", "span_exporter"]

# They cost half a second to import, and most installations send nothing on.


def log_exporter(endpoint: str, session: requests.Session | None = None) -> LogRecordExporter:
    """Over HTTP/protobuf by `session`, unless the variables say grpc."""
    if _speaks_grpc():
        from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as GrpcLogs  # noqa: PLC0415

        return GrpcLogs(endpoint=endpoint, insecure=_insecure(endpoint))
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter as HttpLogs  # noqa: PLC0415

    return HttpLogs(endpoint=f"{endpoint.rstrip('/')}/v1/logs", session=session)


def span_exporter(endpoint: str, session: requests.Session | None = None) -> SpanExporter:
    """Over HTTP/protobuf by `session`, unless the variables say grpc."""
    if _speaks_grpc():
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcSpans  # noqa: PLC0415

        return GrpcSpans(endpoint=endpoint, insecure=_insecure(endpoint))
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpSpans  # noqa: PLC0415

    return HttpSpans(endpoint=f"{endpoint.rstrip('/')}/v1/traces", session=session)


def _speaks_grpc() -> bool:
    return os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf") == "grpc"


def _insecure(endpoint: str) -> bool | None:
    return endpoint.startswith("http://") or None
