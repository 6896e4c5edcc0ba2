"""A capture: the runs of the work that is done within it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Final

from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.text.messages import counted

from ..otlp.resource_attribute import with_resource_attributes
from ..otlp.signal import Signal
from .assembly import assemble_runs, encode
from .routing import ROUTER

if TYPE_CHECKING:
    from opentelemetry.sdk._logs import LoggerProvider, ReadableLogRecord
    from opentelemetry.sdk.trace import ReadableSpan, TracerProvider

__all__ = ["Capture", "NoSingleRun", "capture", "uncaptured"]

_NAMED: Final = 5
_OF_THREADS: Final = (
    "; spans of threads without their context were left out, since several captures were open: run one at a time "
    "(`concurrency=1`), or start the threads with contextvars.copy_context().run"
)


class NoSingleRun(LookupError):
    """What was captured is not exactly one run; the message says what it is instead."""


class Capture:
    """The spans and log records of the work within a capture, and the runs that they record. For any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._spans: list[ReadableSpan] = []
        self._logs: list[ReadableLogRecord] = []
        self._assembled: tuple[tuple[int, int], tuple[AgentTrace, ...]] | None = None
        self._misses_spans = False

    def add_span(self, span: ReadableSpan) -> None:
        """Add a span that has ended."""
        with self._lock:
            self._spans.append(span)

    def add_log(self, record: ReadableLogRecord) -> None:
        """Add a log record."""
        with self._lock:
            self._logs.append(record)

    def miss_span(self) -> None:
        """Note that a span may belong here that was left out, since several captures were open."""
        self._misses_spans = True

    @property
    def hint(self) -> str:
        """What to do about spans that may belong here and were left out; empty if there are none."""
        return _OF_THREADS if self._misses_spans else ""

    @property
    def runs(self) -> tuple[AgentTrace, ...]:
        """The runs so far, in order of time; those of sub-agents name their parent."""
        with self._lock:
            spans, logs, assembled = list(self._spans), list(self._logs), self._assembled
        size = len(spans), len(logs)
        if assembled is None or assembled[0] != size:
            assembled = self._assembled = size, tuple(assemble_runs(spans, logs))
        return assembled[1]

    @property
    def run(self) -> AgentTrace:
        """The only run that no other run called. Raises NoSingleRun."""
        runs = [run for run in self.runs if run.parent_agent_trace_id is None]
        if len(runs) == 1:
            return runs[0]
        if runs:
            names = ", ".join(run.agent_name or "an agent without a name" for run in runs[:_NAMED])
            raise NoSingleRun(f"{counted(len(runs), 'run')} were captured, of {names}: use `runs`")
        raise NoSingleRun(self._explain_absence())

    def export_requests(
        self, resource: Mapping[str, str] | None = None, *, trace_ids: Collection[str] | None = None
    ) -> list[tuple[Signal, bytes]]:
        """Return the export requests with the spans and log records so far: all, or those of these traces.

        The attributes of `resource` are added to those of their resources.
        """
        with self._lock:
            spans, logs = list(self._spans), list(self._logs)
        if trace_ids is not None:
            numbers = {int(trace_id, 16) for trace_id in trace_ids}
            spans = [span for span in spans if span.context is not None and span.context.trace_id in numbers]
            logs = [record for record in logs if record.log_record.trace_id in numbers]
        requests = encode(spans, logs)
        return [(signal, with_resource_attributes(body, resource or {})) for signal, body in requests if body]

    def _explain_absence(self) -> str:
        if not self._spans:
            return (
                "no run was captured, for no span was recorded: instrument the agent for OpenTelemetry, "
                f"and let it use the global tracer provider, or pass its own to `capture`{self.hint}"
            )
        names = dict.fromkeys(span.name for span in self._spans)
        shown = ", ".join(list(names)[:_NAMED])
        return (
            f"no run was captured: none of {counted(len(self._spans), 'span')} ({shown}) is of an agent, a model or a "
            f"tool; instrument these, for example with the instrumentation of your framework{self.hint}"
        )


@contextmanager
def capture(
    *, tracer_provider: TracerProvider | None = None, logger_provider: LoggerProvider | None = None
) -> Iterator[Capture]:
    """Capture the runs of the work within the context: in the same thread or task, or begun from there.

    Spans of `tracer_provider`, by default the global one, are captured beside wherever else they are sent; without a
    global provider one is set that sends them nowhere. Work in a thread that does not know its context belongs to the
    only capture that is open; if several are open, it belongs to that of its trace. What outlasts its capture belongs
    to none. Needs `tracegrade[pytest]`. Raises TypeError if the provider is not one of the OpenTelemetry SDK.
    """
    ROUTER.listen(tracer_provider, logger_provider)
    captured = Capture()
    with ROUTER.opened(captured):
        yield captured


@contextmanager
def uncaptured() -> Iterator[None]:
    """Leave the work within the context out of all captures: the calls of a judge are not those of an agent."""
    with ROUTER.muted():
        yield
