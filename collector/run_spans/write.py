"""Writes runs as an export request of OTLP.

A run is the span of an agent with those of its model calls and tool calls below it, in the names of the GenAI semantic
conventions: the dialect of these reads them, and assembly makes the same run of them. Not carried are what others
attach to a run (reference, revision, fingerprint), the provider of a run without model calls, and metadata of a tool
call under names that another dialect claims. A run without messages gets those that its input and its response are.

Source: https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import cache
from typing import Final

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

from tracegrade.evaluators.model import AgentTrace

from ..otlp.attribute_values import encode_attributes
from ..otlp.experiment_mark import EXPERIMENT_ID
from ..version import version
from .family import find_family
from .run_ids import identify_runs
from .sub_agents import Places
from .times import to_ns
from .written_run import WrittenRun, write_run

__all__ = ["write_runs"]

_SCOPE: Final = "tracegrade.run_spans"
_SERVICE: Final = "service.name"
_FOREIGN: Final = "foreign_calls:"


def write_runs(
    runs: Iterable[AgentTrace], *, at: datetime, seed: str = "", resource: Mapping[str, str] | None = None
) -> bytes:
    """Return an ExportTraceServiceRequest with the spans of runs, in protobuf.

    An `agent_trace_id` of the form `<trace_id>-<span_id>` is kept. Any other one, with `seed`, becomes an id of this
    form, and so does the content of a run without one: the same runs, `at` and `seed` give the same spans. `at` is the
    time of a run of which none is known. A sub-agent is written into the trace of its parent, if that is among the
    runs. `resource` has attributes for all resources; what a run says of its own service counts before them. Raises
    ValueError for two runs with one id.
    """
    family = find_family(list(runs))
    ids = identify_runs(family, seed)
    places = Places.of(family, ids, at_ns=to_ns(at) or 1)
    began = {run.agent_trace_id: run.started_at for run in family.runs}
    written: dict[int, WrittenRun] = {}
    spans: dict[tuple[tuple[str, str], ...], list[Span]] = {}
    for position in family.parents_first:
        run = family.runs[position]
        place, handoff = places.find(position, written)
        written[position] = write_run(run, ids[position], place=place, span_ids=places.span_ids, began=began)
        for service, span in _list_spans(run, written[position], handoff):
            origin = _describe_origin(run) if service is None else {_SERVICE: service}
            spans.setdefault(tuple({**_experiment(run), **(resource or {}), **origin}.items()), []).append(span)
    return ExportTraceServiceRequest(
        resource_spans=[
            ResourceSpans(
                resource=Resource(attributes=encode_attributes(dict(attributes))),
                scope_spans=[ScopeSpans(scope=_scope(), spans=of_origin)],
            )
            for attributes, of_origin in spans.items()
        ]
    ).SerializeToString()


@cache
def _scope() -> InstrumentationScope:
    return InstrumentationScope(name=_SCOPE, version=version())


def _describe_origin(run: AgentTrace) -> Mapping[str, str]:
    origin = {
        _SERVICE: run.service_name,
        "service.version": run.service_version,
        "deployment.environment.name": run.environment,
    }
    return {key: value for key, value in origin.items() if value is not None}


def _experiment(run: AgentTrace) -> Mapping[str, str]:
    return {} if run.experiment_id is None else {EXPERIMENT_ID: run.experiment_id}


def _list_spans(run: AgentTrace, written: WrittenRun, handoff: Span | None) -> Iterator[tuple[str | None, Span]]:
    """Yield the spans of a run, each with the service that wrote it if it is not that of the run."""
    own = (handoff, written.agent, *written.models, *written.guardrails)
    yield from ((None, span) for span in own if span is not None)
    for position, span in written.tools.items():
        yield _name_foreign(run) if run.tool_calls[position].is_foreign else None, span


def _name_foreign(run: AgentTrace) -> str:
    """Return the service that wrote calls into the run, as its gaps name it."""
    return next((gap.removeprefix(_FOREIGN) for gap in run.gaps if gap.startswith(_FOREIGN)), "unknown")
