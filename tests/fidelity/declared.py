"""What the wire makes impossible, and why. A rule never knows a framework or scenario: only what is not there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .carried import Carried
from .compare import Item

__all__ = ["RULES", "Rule", "excuse"]


@dataclass(frozen=True, slots=True)
class Rule:
    reason: str
    columns: frozenset[str]
    holds: Callable[[Item, Carried], bool]


RULES = (
    Rule(
        "the value stands nowhere in the spans and log records",
        frozenset(
            {
                "executed_result",
                "definitions",
                "user_input",
                "final_response",
                "session_id",
                "agent_names",
                "model",
            }
        ),
        lambda item, wire: not wire.has(item.value),
    ),
    Rule(
        "the arguments of the call stand nowhere as one value",
        frozenset({"executed_args", "asked", "asked_args"}),
        lambda item, wire: not any(map(wire.has_value, item.value if isinstance(item.value, tuple) else [item.value])),
    ),
    Rule(
        "the result is empty, and the wire leaves out what is empty",
        frozenset({"executed_result"}),
        lambda item, wire: item.value == "" and not wire.has_value(""),
    ),
    Rule(
        "the tool's schema stands nowhere as it was offered",
        frozenset({"definitions"}),
        lambda item, wire: not wire.has_object(item.value["parameters"]),
    ),
    Rule(
        "no span is a run of that agent",
        frozenset({"agent_names"}),
        lambda item, wire: not wire.names_agent(item.value),
    ),
    Rule(
        "no span or log record is a call of a model",
        frozenset({"model"}),
        lambda _, wire: not wire.has_key("model"),
    ),
    Rule(
        "a call without a span was answered like any other; nothing tells that the function never ran",
        frozenset({"no_call_too_many"}),
        lambda item, wire: bool(item.value) and not any(wire.spans_of(name) for name in item.value),
    ),
    Rule(
        "a span of the call says it took that long; the tool's own clock disagrees",
        frozenset({"executed_duration"}),
        lambda item, wire: item.told is not None and wire.lasted(item.span_id, item.told),
    ),
    Rule(
        "the span of the call has an error status, though the tool returned",
        frozenset({"executed_error"}),
        lambda item, wire: item.value is None and wire.has_failed(item.span_id),
    ),
    Rule(
        "no span is named after the tool, so nothing has the call's duration",
        frozenset({"executed_duration"}),
        lambda item, wire: not wire.spans_of(item.tool or ""),
    ),
    Rule(
        "the failure stands nowhere: no span of the tool has an error status, and its text is not there",
        frozenset({"executed_error"}),
        lambda item, wire: (
            item.value is not None
            and not any(row["status_code"] == "error" for row in wire.spans_of(item.tool or ""))
            and not wire.has(str(item.value).partition(":")[2].strip() or str(item.value))
        ),
    ),
    Rule(
        "the failure stands only in the words of an answer: no span of the tool and no answer is marked as an error",
        frozenset({"executed_error"}),
        lambda item, wire: (
            item.value is not None
            and not any(row["status_code"] == "error" for row in wire.spans_of(item.tool or ""))
            and not wire.marks_an_error
        ),
    ),
    Rule(
        "no span is named after the tool, and no later message of its trace has the result",
        frozenset({"executed"}),
        lambda item, wire: not wire.spans_of(item.tool or "") and not wire.answers(item.tool or "", item.value),
    ),
    Rule(
        "no span or log record counts tokens",
        frozenset({"tokens"}),
        lambda _, wire: not wire.has_key("token"),
    ),
)


def excuse(item: Item, wire: Carried) -> str | None:
    """Why the item could not come out; None when it could."""
    return next((rule.reason for rule in RULES if item.column in rule.columns and rule.holds(item, wire)), None)
