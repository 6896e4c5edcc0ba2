"""Test cases and results as Dokimos has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ...formats import CALLS_NOT_RECORDED
from ...formats.spelling import Unreadable, entries
from ...formats.tool_calls import expected_calls, tool_calls
from ...formats.tool_definitions import tool_definitions
from ...model import AgentTrace, ExpectedCall, JsonObject, TestCase, ToolDefinition
from ...text.json_kind import json_kind
from ...text.suggestions import hint

__all__ = ["EvalResult", "EvalTestCase"]

_CALLS, _OUTPUT, _STEPS = "toolCalls", "output", "reasoningSteps"
_ACTUAL: Final = (_CALLS, _OUTPUT, _STEPS)
_EXPECTED: Final = (_CALLS, _OUTPUT)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalResult:
    """The result of an evaluator. `score` and `success` are None if the case cannot be evaluated; `reason` says why."""

    name: str
    score: float | None
    threshold: float
    success: bool | None
    reason: str | None = None
    metadata: JsonObject = field(default_factory=dict)


def EvalTestCase(  # noqa: N802 - the name in Dokimos
    *,
    input: str = "",  # noqa: A002 - as above
    actual_outputs: Mapping[str, Any] | None = None,
    expected_outputs: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> TestCase:
    """Return the test case with these outputs and metadata, by Dokimos' keys.

    Outputs have `toolCalls`, `output` and `reasoningSteps`; calls are ToolCalls or mappings. Metadata have `tools`,
    `tasks` and `constraints`; other keys are ignored. Raises ValueError that names the key that is unknown or cannot be
    read.
    """
    actual, expected, about = dict(actual_outputs or {}), dict(expected_outputs or {}), dict(metadata or {})
    _refuse_unknown(actual, "actual_outputs", _ACTUAL)
    _refuse_unknown(expected, "expected_outputs", _EXPECTED)
    return TestCase(
        input=input,
        run=_run(actual),
        tools=_tools(about.get("tools")),
        tasks=_texts(about.get("tasks"), "metadata.tasks"),
        constraints=_texts(about.get("constraints"), "metadata.constraints"),
        expected_tool_calls=_expected_calls(expected.get(_CALLS)),
        expected_response=_text(expected.get(_OUTPUT), f"expected_outputs.{_OUTPUT}"),
    )


def _refuse_unknown(outputs: Mapping[str, Any], place: str, known: Sequence[str]) -> None:
    for key in outputs:
        if key not in known:
            raise Unreadable(f"{place} has an unknown key {key!r}{hint(str(key), known)}")


def _run(outputs: Mapping[str, Any]) -> AgentTrace:
    calls = outputs.get(_CALLS)
    return AgentTrace(
        tool_calls=() if calls is None else tool_calls(calls, place=f"actual_outputs.{_CALLS}"),
        final_response=_text(outputs.get(_OUTPUT), f"actual_outputs.{_OUTPUT}"),
        reasoning_steps=_texts(outputs.get(_STEPS), f"actual_outputs.{_STEPS}") or (),
        gaps=(CALLS_NOT_RECORDED,) if calls is None else (),
    )


def _expected_calls(value: object) -> tuple[ExpectedCall, ...] | None:
    return None if value is None else expected_calls(value, place=f"expected_outputs.{_CALLS}")


def _tools(value: object) -> tuple[ToolDefinition, ...] | None:
    return None if value is None else tool_definitions(value, place="metadata.tools")


def _text(value: object, place: str) -> str | None:
    if value is not None and not isinstance(value, str):
        raise Unreadable(f"{place} is {json_kind(value)}; write text")
    return value


def _texts(value: object, place: str) -> tuple[str, ...] | None:
    """Return a list of texts, or one text as a list."""
    if value is None:
        return None
    items = [value] if isinstance(value, str) else entries(value, place)
    texts = [_text(item, f"{place}[{index}]") for index, item in enumerate(items)]
    return tuple(text for text in texts if text is not None)
