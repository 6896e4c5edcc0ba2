"""The gaps of a run: content that is not recorded, or recorded inconsistently."""

from __future__ import annotations

from collections.abc import Sequence

from tracegrade.evaluators.model import Message, MessagePart, ToolCall, ToolCallPart, ToolCallResponsePart

from ..spans.span import Span
from ..spans.values import GAPS, NO_AGENT_SPAN, REDACTED, TRUNCATED, UNNAMED, was_cut
from .conversation import is_redacted
from .run import Run
from .trace_context import TraceContext
from .tree import Tree

__all__ = ["find_gaps"]

_ELSEWHERE = tuple(
    f"gen_ai.{content}_ref"
    for content in ("input.messages", "output.messages", "system_instructions", "tool.definitions")
)
"""Where opentelemetry-util-genai records the address to which it uploaded the content."""

_CYCLIC, _FOREIGN = "cyclic_parents", "foreign_calls"

_MOST_SERVICES, _LONGEST_NAME = 10, 100
"""How many services are named in gaps, and with how many characters at most."""

_CONFLICT = "tracegrade.conflicting_span"
"""Event name of the log record that stands for a span that arrived again with other content."""


def find_gaps(
    context: TraceContext, run: Run, *, calls: Sequence[ToolCall], messages: Sequence[Message]
) -> tuple[str, ...]:
    """Return the gaps of a run by name, each once."""
    names = {*_gaps_of_span(context.tree, run.top)}
    for reading in run.steps:
        names.update(reading.step.gaps, _gaps_of_span(context.tree, reading.span))
    foreign = {_gap_of_foreign_call(context.tree, call) for call in calls if call.is_foreign}
    names.update(sorted(foreign)[:_MOST_SERVICES])
    for call in calls:
        names.update([] if call.is_foreign else _gaps_of_call(call))
    if run.missing_parent:
        names.add("missing_parent")
    if run.has_cyclic_parents:
        names.add(_CYCLIC)
    if not context.is_whole:
        names.add("too_large")
    if not context.is_readable:
        names.add("unreadable_span")
    if not run.has_agent_span:
        names.add(NO_AGENT_SPAN)
    if run.of("model") and not any(map(_has_content, messages)):
        names.add("content_not_captured")
    if any(map(is_redacted, messages)):
        names.add(REDACTED)
    return tuple(sorted(names))


def _has_content(message: Message) -> bool:
    """Return whether a message has more than the names of calls, which are recorded without content as well."""
    return not is_redacted(message) and not all(map(_is_bare, message.parts))


def _is_bare(part: MessagePart) -> bool:
    if isinstance(part, ToolCallPart):
        return part.arguments is None
    return isinstance(part, ToolCallResponsePart) and part.response is None


def _gaps_of_span(tree: Tree, span: Span) -> list[str]:
    attributes = span.attributes
    names: list[str] = []
    if GAPS in attributes and isinstance(recorded := attributes[GAPS], list):
        names += map(str, recorded)
    if span.span_id in tree.repeated or (span.events and any(span.events_named(_CONFLICT))):
        names.append("conflicting_span")
    if span.span_id in tree.looping:
        names.append(_CYCLIC)
    if not attributes.keys().isdisjoint(_ELSEWHERE):
        names.append("content_elsewhere")
    return names


def _gap_of_foreign_call(tree: Tree, call: ToolCall) -> str:
    """Return the gap of a run into which another service wrote `call`, with the name of that service if it has one."""
    service = tree.spans[call.span_id].service_name if call.span_id is not None else None
    return f"{_FOREIGN}:{service[:_LONGEST_NAME]}" if service else _FOREIGN


def _gaps_of_call(call: ToolCall) -> list[str]:
    names: list[str] = []
    if call.name == UNNAMED:
        names.append("tool_name_not_captured")
    if call.args is None and call.args_text is None:
        names.append("tool_arguments_not_captured")
    if call.status == "ok" and call.result is None:
        names.append("tool_results_not_captured")
    if call.source != "message" and (was_cut(call.args_text) or was_cut(call.result)):
        names.append(TRUNCATED)
    return names
