"""Builds the OpenTelemetry exporters, which read headers, TLS and protocol from the OTEL_EXPORTER_OTLP_* variables."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import requests
    from opentelemetry.sdk._logs.export import LogRecordExporter
    from opentelemetry.sdk.trace.export import SpanExporter

__all__ = ["build_log_exporter", "build_span_exporter"]

# Importing them takes half a second, and most installations export nothing.


def build_log_exporter(endpoint: str, session: requests.Session | None = None) -> LogRecordExporter:
    """Build an exporter over HTTP/protobuf with `session`, or over gRPC if the variables say so."""
    if _uses_grpc():
        from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as GrpcLogs  # noqa: PLC0415

        return GrpcLogs(endpoint=endpoint, insecure=_is_insecure(endpoint))
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter as HttpLogs  # noqa: PLC0415

    return HttpLogs(endpoint=f"{endpoint.rstrip('/')}/v1/logs", session=session)


def build_span_exporter(endpoint: str, session: requests.Session | None = None) -> SpanExporter:
    """Build an exporter over HTTP/protobuf with `session`, or over gRPC if the variables say so."""
    if _uses_grpc():
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcSpans  # noqa: PLC0415

        return GrpcSpans(endpoint=endpoint, insecure=_is_insecure(endpoint))
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpSpans  # noqa: PLC0415

    return HttpSpans(endpoint=f"{endpoint.rstrip('/')}/v1/traces", session=session)


def _uses_grpc() -> bool:
    return os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf") == "grpc"


def _is_insecure(endpoint: str) -> bool | None:
    return endpoint.startswith("http://") or None
