"""The providers of the OpenTelemetry SDK, and what listens to them. Needs the extra `pytest`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from opentelemetry import _logs as logs_api
from opentelemetry import trace as trace_api
from opentelemetry.sdk._logs import LoggerProvider, ReadableLogRecord
from opentelemetry.sdk._logs.export import LogRecordExporter, LogRecordExportResult, SimpleLogRecordProcessor
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider

if TYPE_CHECKING:
    from opentelemetry.context import Context

    from .routing import Router

__all__ = ["SpanListener", "log_listener", "logger_provider", "tracer_provider"]


def tracer_provider(given: TracerProvider | None) -> TracerProvider:
    """Return the provider, by default the global one; set one if there is none. Raises TypeError."""
    if given is None and isinstance(trace_api.get_tracer_provider(), trace_api.ProxyTracerProvider):
        trace_api.set_tracer_provider(TracerProvider())
    provider: Any = trace_api.get_tracer_provider() if given is None else given
    if not hasattr(provider, "add_span_processor"):
        raise TypeError(_explain(provider, "tracer_provider"))
    return provider  # type: ignore[no-any-return]  # of the SDK, or one that wraps it


def logger_provider(given: LoggerProvider | None) -> LoggerProvider:
    """Return the provider of loggers in the same way."""
    if given is None and not hasattr(logs_api.get_logger_provider(), "add_log_record_processor"):
        logs_api.set_logger_provider(LoggerProvider())
    provider: Any = logs_api.get_logger_provider() if given is None else given
    if not hasattr(provider, "add_log_record_processor"):
        raise TypeError(_explain(provider, "logger_provider"))
    return provider  # type: ignore[no-any-return]  # likewise


class SpanListener(SpanProcessor):
    """Tells a router which spans begin and end."""

    def __init__(self, router: Router) -> None:
        self._router = router

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:  # noqa: ARG002 - as the SDK has it
        context = span.get_span_context()
        if context is not None:
            parent_id = None if span.parent is None else span.parent.span_id
            self._router.begin_span(context.trace_id, context.span_id, parent_id)

    def on_end(self, span: ReadableSpan) -> None:
        self._router.end_span(span)


def log_listener(router: Router) -> SimpleLogRecordProcessor:
    """Return a processor that gives every log record to a router."""
    return SimpleLogRecordProcessor(_LogExporter(router))


class _LogExporter(LogRecordExporter):
    def __init__(self, router: Router) -> None:
        self._router = router

    def export(self, batch: Sequence[ReadableLogRecord]) -> LogRecordExportResult:
        self._router.add_logs(batch)
        return LogRecordExportResult.SUCCESS

    def shutdown(self) -> None:
        pass

    def force_flush(self, timeout_millis: int = 30_000) -> bool:  # noqa: ARG002 - as the SDK has it
        return True


def _explain(provider: object, argument: str) -> str:
    kind = f"{type(provider).__module__}.{type(provider).__qualname__}"
    return f"{kind} is not a provider of the OpenTelemetry SDK: pass the agent's own as `{argument}`"
