"""Diagnoses traces: how their spans are read, which content is not recorded, and how to enable it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.pricing.price_table import NO_PRICES
from tracegrade.queries.ports import Remedy

from .. import dialects
from ..assembly import assemble
from ..assembly.contents import with_contents
from ..assembly.tree import Tree
from ..spans.span import Span, build_spans_of_logs

__all__ = ["MEANINGS", "DiagnosedSpan", "Diagnosis", "Lack", "Shortfall", "diagnose", "explain_gaps", "summarize_lacks"]

_CONTENT = "turn on content: "
"""A prefix, followed by the setting of the framework that wrote the span."""

_BY_ITSELF = "this framework records it by itself; look for a filter or a masking setting"
_LIMITS = "raise OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT and OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT where the agent runs"
_REPORT = "please report it, with a trace that shows it"
_LIST_TOOLS = "this package does not record them: list them by agent under `tools` in the file that `references` names"
_CONTENT_GAP = "content_not_captured"

_AROUND = """put a span around the loop, so that all of its model calls are in one trace. Python:
    with tracer.start_as_current_span(
        "invoke_agent my_agent",
        attributes={"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "my_agent"},
    ):
        run_loop()
JavaScript:
    const attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "my_agent"};
    await tracer.startActiveSpan("invoke_agent my_agent", {attributes}, async (span) => {
      try { await runLoop(); } finally { span.end(); }
    });"""

MEANINGS: Mapping[str, tuple[str, str]] = {
    "no_agent_span": (
        "the span of an agent or workflow around the model calls",
        _AROUND,
    ),
    "content_not_captured": ("what was said to and by the model", _CONTENT),
    "tool_arguments_not_captured": ("the arguments of tool calls", _CONTENT),
    "tool_results_not_captured": ("the results of tool calls", _CONTENT),
    "tools_not_captured": ("the tools that were offered, with their schemas", _CONTENT),
    "session_not_captured": (
        "the conversation that a run belongs to",
        "give the agent's span the attribute gen_ai.conversation.id or session.id",
    ),
    "model_calls_not_captured": (
        "the calls of the model: tokens, messages, and which tools it asked for",
        "instrument the client of the model as well, for example openinference-instrumentation-openai or -litellm",
    ),
    "redacted": ("content for which a placeholder stands", _CONTENT),
    "history_not_captured": (
        "the conversation before a model call, which continues that of another trace",
        'record whole inputs: session.start(record={"input_delta": False})',
    ),
    "truncated": ("the end of content that was cut off", _LIMITS),
    "content_elsewhere": (
        "content that was uploaded instead of sent",
        "unset OTEL_INSTRUMENTATION_GENAI_UPLOAD_BASE_PATH where the agent runs",
    ),
    "unplaced_content": (
        "which model call log records with content belong to: they name no span",
        "emit these log records while the span of their model call is the current one",
    ),
    "unreadable_content": ("content in a form that the dialect does not know", _REPORT),
    "unexpected_value": ("an attribute whose value is not of the type that the convention asks for", _REPORT),
    "unreadable_span": ("a span that its dialect fails on", _REPORT),
    "contradictory_kinds": (
        "whether a span is an agent, a model call or a tool call: it says two things",
        "let one instrumentation write the span",
    ),
    "missing_parent": (
        "a span that others name as their parent",
        "wait for it; if it never comes, look for sampling or for an exporter that filters",
    ),
    "conflicting_span": (
        "which of two spans with one id, from different services or scopes, is the right one",
        "give every span an id of its own",
    ),
    "invalid_utf8": ("characters of its texts that are not UTF-8", "cut texts between characters, not between bytes"),
    "experiment_conflict": (
        "whose run it is: its spans name an experiment that was not in progress, or it was evaluated in production",
        "send the spans of an experiment between its begin and its end; else find out who sent the mark",
    ),
    "cyclic_parents": ("which of some spans is above the others", "mend the instrumentation: parents go in a circle"),
    "foreign_calls": (
        "whose some calls are: another service wrote them into the run, and its model did not ask for them",
        "if they are its own, record its tool calls or its messages in its service; else find out who sent them",
    ),
    "tool_name_not_captured": (
        "which tool was called: the name is empty",
        "name the tool in gen_ai.tool.name; the call is kept under the name unknown",
    ),
    "too_large": ("spans beyond the largest trace that is read", "start a trace for every run of the agent"),
    "time_not_recorded": ("when a span began or ended", "mend the clock or the exporter"),
    "duration_not_recorded": (
        "how long a call or the run took, since it was written by somebody who does not know",
        "record the run with OpenTelemetry while it happens",
    ),
    "time_out_of_range": ("a time between 1970 and 2262", "mend the clock or the exporter"),
    "end_before_start": ("how long a span took: it ends before it begins", "mend the clock or the exporter"),
    "invalid_parent_id": ("a parent id of 16 hex digits", "mend the exporter"),
    "too_many_attributes": ("attributes beyond those that are kept of a span", "write fewer attributes into a span"),
    "too_many_events": ("events beyond those that are kept of a span", "write fewer events into a span"),
    "too_many_links": ("links beyond those that are kept of a span", "write fewer links into a span"),
    "dropped_by_exporter": ("attributes or events that the exporter dropped", _LIMITS),
}
"""The missing content of each gap, and the remedy where the agent runs."""


@dataclass(frozen=True, slots=True)
class DiagnosedSpan:
    """A span with its depth in the tree, and how it was read; a span that only gives structure has no dialect.

    `unread` are the attributes whose values could not be read.
    """

    span: Span
    depth: int
    dialect: str | None
    kind: str | None
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lack:
    """Content that is not recorded in `runs` runs, and how to enable it."""

    description: str
    runs: int
    remedy: str


class Shortfall(NamedTuple):
    """A gap, and the dialect and scope of the spans of the run that has it."""

    gap: str
    dialect: str | None
    scope: str | None
    has_content: bool


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The spans and runs of one trace."""

    spans: Sequence[DiagnosedSpan]
    runs: Sequence[AgentTrace]

    def count_shortfalls(self) -> Counter[Shortfall]:
        """Count the runs with each shortfall."""
        scopes = _find_scopes(self.spans)
        with_models = _find_runs_with_model_calls(self.runs)
        return Counter(
            Shortfall(gap, run.dialect, scopes.get(run.dialect), has_content=_CONTENT_GAP not in run.gaps)
            for run in self.runs
            for gap in _list_gaps(run, has_model_calls=run.agent_trace_id in with_models)
        )


def diagnose(spans: Iterable[Span], logs: Iterable[Mapping[str, Any]] = ()) -> Diagnosis:
    """Diagnose one trace from its spans and log records."""
    spans, logs = list(spans), list(logs)
    tree = Tree(with_contents(spans, logs) or build_spans_of_logs(logs))
    return Diagnosis(spans=tuple(_list_spans(tree)), runs=tuple(assemble(spans, logs, prices=NO_PRICES)))


def summarize_lacks(diagnoses: Iterable[Diagnosis]) -> list[Lack]:
    """Return the content that is not recorded in the runs of several traces, the most frequent first."""
    counts: Counter[Shortfall] = Counter()
    for diagnosis in diagnoses:
        counts.update(diagnosis.count_shortfalls())
    runs: Counter[tuple[str, str]] = Counter()
    for shortfall, count in counts.items():
        runs[_explain_gap(shortfall.gap)[0], _find_remedy(shortfall)] += count
    return [Lack(description, count, remedy) for (description, remedy), count in runs.most_common()]


def explain_gaps(gaps: Sequence[str], *, dialect: str | None, scope: str | None) -> list[Remedy]:
    """Return what is missing for each gap of a run, and how to enable it."""
    has_content = _CONTENT_GAP not in gaps
    return [
        Remedy(gap=gap, missing=_explain_gap(gap)[0], remedy=_find_remedy(Shortfall(gap, dialect, scope, has_content)))
        for gap in gaps
    ]


def _find_scopes(spans: Iterable[DiagnosedSpan]) -> dict[str | None, str | None]:
    """Return for each dialect the instrumentation scope of most of its spans."""
    counts = Counter((span.dialect, span.span.scope_name) for span in spans if span.dialect is not None)
    return {dialect: scope for (dialect, scope), _ in reversed(counts.most_common())}


def _find_runs_with_model_calls(runs: Iterable[AgentTrace]) -> set[str]:
    """Return the ids of the runs that called a model themselves or through a sub-agent."""
    callers: set[str] = set()
    parents = {run.agent_trace_id: run.parent_agent_trace_id for run in runs}
    for run in runs:
        at: str | None = run.agent_trace_id if run.llm_calls else None
        while at is not None and at not in callers:
            callers.add(at)
            at = parents.get(at)
    return callers


def _list_gaps(run: AgentTrace, *, has_model_calls: bool) -> Iterator[str]:
    yield from run.gaps
    if run.llm_calls and not run.tool_definitions:
        yield "tools_not_captured"
    if not has_model_calls:
        yield "model_calls_not_captured"
    if run.session_id is None:
        yield "session_not_captured"


def _explain_gap(gap: str) -> tuple[str, str]:
    """Return the missing content and the remedy. The part of a gap after a colon is a detail."""
    return MEANINGS.get(gap.partition(":")[0], (gap, _REPORT))


def _find_remedy(shortfall: Shortfall) -> str:
    dialect = next((dialect for dialect in dialects.DIALECTS if dialect.name == shortfall.dialect), None)
    own_remedy = dialect.remedy(shortfall.gap, shortfall.scope) if dialect is not None else None
    remedy = _explain_gap(shortfall.gap)[1]
    if own_remedy is not None or remedy is not _CONTENT:
        return own_remedy or remedy
    if shortfall.gap == "tools_not_captured" and shortfall.has_content:
        return _LIST_TOOLS
    return _CONTENT + dialect.content if dialect is not None and dialect.content else _BY_ITSELF


def _list_spans(tree: Tree) -> Iterator[DiagnosedSpan]:
    """Yield the spans, each below its parent, in order of time."""
    below = tree.group_children()
    waiting = [(span, 0) for span in reversed(tree.spans.values()) if tree.parent(span) is None]
    while waiting:
        span, depth = waiting.pop()
        yield _diagnose_span(span, depth)
        waiting += [(child, depth + 1) for child in reversed(below.get(span.span_id, ()))]


def _diagnose_span(span: Span, depth: int) -> DiagnosedSpan:
    try:
        reading = dialects.read(span)
    except Exception:  # noqa: BLE001 - the assembly reports it as a gap
        reading = None
    if reading is None:
        return DiagnosedSpan(span, depth, None, None)
    dialect, step = reading
    return DiagnosedSpan(span, depth, dialect, step.kind, step.unread)
