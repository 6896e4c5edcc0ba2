"""Assigns spans and log records to the capture that they belong to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Protocol
from weakref import WeakSet

if TYPE_CHECKING:
    from opentelemetry.sdk._logs import LoggerProvider, ReadableLogRecord
    from opentelemetry.sdk.trace import ReadableSpan, TracerProvider

__all__ = ["ROUTER", "Router", "Sink"]


class Sink(Protocol):
    """Takes what belongs to a capture. Compared by identity."""

    def add_span(self, span: ReadableSpan) -> None:
        """Add a span that has ended."""

    def add_log(self, record: ReadableLogRecord) -> None:
        """Add a log record."""

    def miss_span(self) -> None:
        """Note that a span may belong here, but its thread does not know its context, and other captures are open."""


class _Nobody:
    """Stands for the capture of what belongs to none."""

    def add_span(self, span: ReadableSpan) -> None:
        pass

    def add_log(self, record: ReadableLogRecord) -> None:
        pass

    def miss_span(self) -> None:
        pass


_NOBODY: Final = _Nobody()


class Router:
    """The open captures, and the providers whose telemetry they get. For any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._current: ContextVar[Sink | None] = ContextVar("tracegrade_capture", default=None)
        self._open: list[Sink] = []
        self._by_trace: dict[int, Sink] = {}
        self._by_span: dict[tuple[int, int], Sink] = {}
        self._heard: WeakSet[Any] = WeakSet()

    @contextmanager
    def opened(self, sink: Sink) -> Iterator[None]:
        """Let `sink` have what begins in this context."""
        with self._lock:
            self._open.append(sink)
        token = self._current.set(sink)
        try:
            yield
        finally:
            if self._current.get() is sink:
                self._current.reset(token)
            self._close(sink)

    @contextmanager
    def muted(self) -> Iterator[None]:
        """Let no capture have what begins in this context, but for one that is opened in it."""
        token = self._current.set(_NOBODY)
        try:
            yield
        finally:
            self._current.reset(token)

    def listen(self, tracer_provider: TracerProvider | None, logger_provider: LoggerProvider | None) -> None:
        """Listen to these providers, by default the global ones, which are set if there are none.

        Raises TypeError if one is not of the OpenTelemetry SDK, and ImportError if that is not installed.
        """
        try:
            from . import providers  # noqa: PLC0415 - the SDK is in the extra
        except ImportError as error:
            raise ImportError(f"capturing runs needs `pip install 'tracegrade[pytest]'`: {error}") from error
        spans = providers.tracer_provider(tracer_provider)
        logs = providers.logger_provider(logger_provider)
        with self._lock:
            if spans not in self._heard:
                spans.add_span_processor(providers.SpanListener(self))
            if logs not in self._heard:
                logs.add_log_record_processor(providers.log_listener(self))
            self._heard.update((spans, logs))

    def begin_span(self, trace_id: int, span_id: int, parent_id: int | None) -> None:
        """Assign a span that begins: to the capture of its context, else of its trace, else to the only open one."""
        with self._lock:
            if (sink := self._find(trace_id, parent_id)) is not None:
                self._by_trace.setdefault(trace_id, sink)
                self._by_span[trace_id, span_id] = sink
            elif self._current.get() is None:
                for each in self._open:
                    each.miss_span()

    def end_span(self, span: ReadableSpan) -> None:
        """Add a span that has ended to its capture, as long as this is open."""
        context = span.get_span_context()
        if context is None:
            return
        with self._lock:
            sink = self._by_span.pop((context.trace_id, context.span_id), None)
        if sink is not None:
            sink.add_span(span)

    def add_logs(self, records: Sequence[ReadableLogRecord]) -> None:
        """Add log records to their captures, which are found as those of spans."""
        for record in records:
            with self._lock:
                sink = self._find(record.log_record.trace_id or 0, record.log_record.span_id)
            if sink is not None:
                sink.add_log(record)

    def _find(self, trace_id: int, parent_id: int | None) -> Sink | None:
        """Return the capture of what begins in the present context. None: it belongs to none.

        Work that outlasts its capture belongs to another one only if it is part of an open span of that one.
        """
        current = self._current.get()
        if current is _NOBODY:
            return None
        if current in self._open:
            return current
        if current is not None:
            return self._by_span.get((trace_id, parent_id or 0))
        return self._by_trace.get(trace_id) or (self._open[0] if len(self._open) == 1 else None)

    def _close(self, sink: Sink) -> None:
        with self._lock:
            self._open.remove(sink)
            self._by_trace = {key: other for key, other in self._by_trace.items() if other is not sink}
            self._by_span = {key: other for key, other in self._by_span.items() if other is not sink}


ROUTER: Final = Router()
"""The router of this process."""
