"""What a trace tells of an agent, what it does not, and who can change that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tracegrade.evaluators.model import AgentTrace

from .. import dialects
from ..assembly import assemble
from ..assembly.contents import with_contents
from ..assembly.tree import Tree
from ..span import Span

__all__ = ["MEANINGS", "Diagnosis", "Lack", "Seen", "diagnose", "lacks"]

_CONTENT = "turn on content: "
"""Before the setting of the framework that wrote the span."""

_BY_ITSELF = "this framework records it by itself; look for a filter or a masking setting"
_LIMITS = "raise OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT and OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT where the agent runs"
_REPORT = "please report it, with a trace that shows it"

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
    "unreadable_content": ("content in a form that the dialect does not know", _REPORT),
    "unreadable_span": ("a span that its dialect fails on", _REPORT),
    "contradictory_kinds": (
        "whether a span is an agent, a model call or a tool call: it says two things",
        "let one instrumentation write the span",
    ),
    "missing_parent": (
        "a span that others name as their parent",
        "wait for it; if it never comes, look for sampling or for an exporter that filters",
    ),
    "conflicting_span": ("which of two spans with one id is the right one", "send every span once, when it has ended"),
    "looping_parents": ("which of some spans is above the others", "mend the instrumentation: parents go in a circle"),
    "too_large": ("spans beyond the largest trace that is read", "start a trace for every run of the agent"),
    "time_not_recorded": ("when a span began or ended", "mend the clock or the exporter"),
    "time_out_of_range": ("a time between 1970 and 2262", "mend the clock or the exporter"),
    "end_before_start": ("how long a span took: it ends before it begins", "mend the clock or the exporter"),
    "invalid_parent_id": ("a parent id of 16 hex digits", "mend the exporter"),
    "too_many_attributes": ("attributes beyond those that are kept of a span", "write fewer attributes into a span"),
    "dropped_by_exporter": ("attributes or events that the exporter dropped", _LIMITS),
}
"""For each gap what is missing, and what whoever runs the agent can do."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A span, how deep it stands, and what it was taken for; a span that only gives structure has no dialect."""

    span: Span
    depth: int
    dialect: str | None
    kind: str | None


@dataclass(frozen=True, slots=True)
class Lack:
    """Something that `runs` runs do not tell, and what to do about it."""

    what: str
    runs: int
    remedy: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What there is of one trace."""

    spans: Sequence[Seen]
    runs: Sequence[AgentTrace]

    def lacks(self) -> Counter[tuple[str, str | None]]:
        """(gap, dialect) and how many runs have it."""
        return Counter((gap, run.dialect) for run in self.runs for gap in _gaps(run))


def diagnose(spans: Iterable[Span], logs: Iterable[Mapping[str, Any]] = ()) -> Diagnosis:
    """What the spans and log records of one trace tell."""
    spans, logs = list(spans), list(logs)
    tree = Tree(with_contents(spans, logs))
    return Diagnosis(spans=tuple(_seen(tree)), runs=tuple(assemble(spans, logs)))


def lacks(diagnoses: Iterable[Diagnosis]) -> list[Lack]:
    """What the runs of several traces do not tell, the most frequent first."""
    counted: Counter[tuple[str, str | None]] = Counter()
    for one in diagnoses:
        counted.update(one.lacks())
    return [_lack(gap, dialect, runs) for (gap, dialect), runs in counted.most_common()]


def _gaps(run: AgentTrace) -> Iterator[str]:
    yield from run.gaps
    if run.llm_calls and not run.tool_definitions:
        yield "tools_not_captured"
    if run.session_id is None:
        yield "session_not_captured"


def _lack(gap: str, dialect: str | None, runs: int) -> Lack:
    what, remedy = MEANINGS.get(gap, (gap, _REPORT))
    if remedy is _CONTENT:
        setting = next((one.content for one in dialects.DIALECTS if one.name == dialect), None)
        remedy = _CONTENT + setting if setting else _BY_ITSELF
    return Lack(what, runs, remedy)


def _seen(tree: Tree) -> Iterator[Seen]:
    """The spans, each below its parent, in order of time."""
    below = tree.below()
    waiting = [(span, 0) for span in reversed(tree.spans.values()) if tree.parent(span) is None]
    while waiting:
        span, depth = waiting.pop()
        yield _taken(span, depth)
        waiting += [(child, depth + 1) for child in reversed(below.get(span.span_id, ()))]


def _taken(span: Span, depth: int) -> Seen:
    try:
        found = dialects.read(span)
    except Exception:  # noqa: BLE001 - the assembly names it as a gap
        found = None
    return Seen(span, depth, found[0] if found else None, found[1].kind if found else None)
