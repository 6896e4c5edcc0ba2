"""What a run does not tell, or is odd about what it tells."""

from __future__ import annotations

from collections.abc import Sequence

from tracegrade.evaluators.model import Message, MessagePart, ToolCall, ToolCallPart, ToolCallResponsePart

from ..spans.span import Span
from ..spans.values import GAPS, REDACTED, TRUNCATED, UNNAMED, was_cut
from .conversation import is_redacted
from .run import Run
from .trace_context import Whole
from .tree import Tree

__all__ = ["CONFLICT", "gaps"]

_ELSEWHERE = tuple(
    f"gen_ai.{content}_ref"
    for content in ("input.messages", "output.messages", "system_instructions", "tool.definitions")
)
"""Where opentelemetry-util-genai says to which address it uploaded the content."""

_CYCLIC, _FOREIGN = "cyclic_parents", "foreign_calls"

_MOST_SERVICES, _LONGEST_NAME = 10, 100
"""How many services stand in gaps, and how many characters of their names."""

CONFLICT = "tracegrade.conflicting_span"
"""Event name of the log record that stands for a span that came again with other content."""


def gaps(whole: Whole, run: Run, *, calls: Sequence[ToolCall], messages: Sequence[Message]) -> tuple[str, ...]:
    """The gaps of a run by name, each once."""
    found = {*_of_span(whole.tree, run.top)}
    for one in run.steps:
        found.update(one.step.gaps, _of_span(whole.tree, one.span))
    foreign = {_foreign(whole.tree, call) for call in calls if call.is_foreign}
    found.update(sorted(foreign)[:_MOST_SERVICES])
    for call in calls:
        found.update([] if call.is_foreign else _of_call(call))
    if run.missing_parent:
        found.add("missing_parent")
    if run.has_cyclic_parents:
        found.add(_CYCLIC)
    if not whole.is_whole:
        found.add("too_large")
    if not whole.is_readable:
        found.add("unreadable_span")
    if not run.has_agent_span:
        found.add("no_agent_span")
    if run.of("model") and not any(map(_says_anything, messages)):
        found.add("content_not_captured")
    if any(map(is_redacted, messages)):
        found.add(REDACTED)
    return tuple(sorted(found))


def _says_anything(message: Message) -> bool:
    """Whether a message has more than the names of calls, which are recorded without content as well."""
    return not is_redacted(message) and not all(map(_is_bare, message.parts))


def _is_bare(part: MessagePart) -> bool:
    if isinstance(part, ToolCallPart):
        return part.arguments is None
    return isinstance(part, ToolCallResponsePart) and part.response is None


def _of_span(tree: Tree, span: Span) -> list[str]:
    attributes = span.attributes
    found: list[str] = []
    if GAPS in attributes and isinstance(recorded := attributes[GAPS], list):
        found += map(str, recorded)
    if span.span_id in tree.repeated or (span.events and any(span.named(CONFLICT))):
        found.append("conflicting_span")
    if span.span_id in tree.looping:
        found.append(_CYCLIC)
    if not attributes.keys().isdisjoint(_ELSEWHERE):
        found.append("content_elsewhere")
    return found


def _foreign(tree: Tree, call: ToolCall) -> str:
    """The gap of a run into which another service wrote `call`, with the name of that service where it has one."""
    service = tree.spans[call.span_id].service_name if call.span_id is not None else None
    return f"{_FOREIGN}:{service[:_LONGEST_NAME]}" if service else _FOREIGN


def _of_call(call: ToolCall) -> list[str]:
    found: list[str] = []
    if call.name == UNNAMED:
        found.append("tool_name_not_captured")
    if call.args is None and call.args_text is None:
        found.append("tool_arguments_not_captured")
    if call.status == "ok" and call.result is None:
        found.append("tool_results_not_captured")
    if call.source != "message" and (was_cut(call.args_text) or was_cut(call.result)):
        found.append(TRUNCATED)
    return found
