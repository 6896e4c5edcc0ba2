"""Will a model know from its description and schema how to call the tool?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from pydantic import Field

from ..model import JsonObject, Score, ToolDefinition
from ..registry import Options, evaluator
from .phrases import counted, listed
from .reliability import Outcome, checked, rated, skipped

__all__ = ["ToolDescriptionReliability"]

_Parameters: TypeAlias = Mapping[str, Any]

_TYPING: Final = ("type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const")
_ELSEWHERE: Final = ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if")


@evaluator(
    "tool_description_reliability",
    version=1,
    source="Dokimos ToolDescriptionReliabilityEvaluator's four rules; blanks fail, unions and enums are types",
    reads=("description", "input_schema"),
    skipped_when="neither description nor parameters recorded",
    threshold=0.8,
    scope="tool",
)
class ToolDescriptionReliability(Options):
    """Share of the checks that the description and the parameters of a tool pass.

    `has_description`: the tool says what it is for. `input_arguments_clarity`: so does every parameter.
    `input_arguments_types`: every parameter says what it takes, by a type, reference, union, enum or constant.
    `max_num_input_arguments`, `max_optional_input_arguments`: there are not too many. Checks of what was not recorded
    are skipped; only parameters at the top of the schema are looked at.
    """

    max_input_args: int = Field(default=5, ge=0, description="the most parameters that a tool should have")
    max_optional_args: int = Field(default=3, ge=0, description="the most of them that may be optional")

    def __call__(self, tool: ToolDefinition) -> Score:
        return rated(tool.name, self.outcomes(tool))

    def outcomes(self, tool: ToolDefinition) -> dict[str, Outcome]:
        """How each check went, by its name."""
        return {"has_description": _description(tool.description)} | self._parameter_checks(tool.input_schema)

    def _parameter_checks(self, schema: JsonObject | None) -> dict[str, Outcome]:
        parameters = None if schema is None else _parameters(schema)
        if schema is None or parameters is None:
            reason = "the schema was not recorded" if schema is None else "the schema lists its parameters elsewhere"
            return dict.fromkeys(_PARAMETER_CHECKS, skipped(reason))
        faults = (
            _clarity_fault(parameters),
            _type_fault(parameters),
            _number_fault(len(parameters), "parameter", most=self.max_input_args),
            _number_fault(_optional(parameters, schema), "optional parameter", most=self.max_optional_args),
        )
        return dict(zip(_PARAMETER_CHECKS, map(checked, faults), strict=True))


_PARAMETER_CHECKS: Final = (
    "input_arguments_clarity",
    "input_arguments_types",
    "max_num_input_arguments",
    "max_optional_input_arguments",
)


def _description(text: str | None) -> Outcome:
    if text is None:
        return skipped("the description was not recorded")
    return checked(None if text.strip() else "it has no description")


def _parameters(schema: JsonObject) -> _Parameters | None:
    """The parameters by name; None when the schema has them, but not at its top."""
    parameters = schema.get("properties")
    if isinstance(parameters, dict):
        return parameters
    return None if any(keyword in schema for keyword in _ELSEWHERE) else {}


def _clarity_fault(parameters: _Parameters) -> str | None:
    return _fault([name for name, rule in parameters.items() if not _is_described(rule)], "no description")


def _type_fault(parameters: _Parameters) -> str | None:
    return _fault([name for name, rule in parameters.items() if not _is_typed(rule)], "no type")


def _fault(names: list[str], lack: str) -> str | None:
    return f"{lack}: {listed(names)}" if names else None


def _is_described(rule: object) -> bool:
    text = rule.get("description") if isinstance(rule, dict) else None
    return isinstance(text, str) and bool(text.strip())


def _is_typed(rule: object) -> bool:
    return isinstance(rule, dict) and any(rule.get(keyword) is not None for keyword in _TYPING)


def _optional(parameters: _Parameters, schema: JsonObject) -> int:
    required = schema.get("required")
    names = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set()
    return len(parameters.keys() - names)


def _number_fault(number: int, noun: str, *, most: int) -> str | None:
    return f"{counted(number, noun)}, at most {most} are easy to fill in" if number > most else None
