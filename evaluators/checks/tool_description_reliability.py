"""Will a model know from its description and schema how to call the tool?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final, TypeAlias

from pydantic import Field

from ..definition.dialogue import Asking, Dialogue
from ..definition.registry import evaluator
from ..llm.base import make_question
from ..llm.evidence import evidence_of
from ..llm.evidence_parts import offer
from ..model import JsonObject, Score, ToolDefinition
from ..text.messages import counted, listed
from .reliability import CheckResult, checked, form_of, rated, read_judged, skipped

__all__ = ["ToolDescriptionReliability"]

_Parameters: TypeAlias = Mapping[str, Any]

_TYPING: Final = ("type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const")
_ELSEWHERE: Final = ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if")


@evaluator(
    "tool_description_reliability",
    version=1,
    source="Dokimos ToolDescriptionReliabilityEvaluator; blanks fail, unions and enums are types",
    reads=("name", "description", "input_schema"),
    skipped_when="neither description nor parameters recorded",
    threshold=0.8,
    scope="tool",
)
class ToolDescriptionReliability(Asking):
    """Share of the checks that the description and the parameters of a tool pass.

    `has_description`: the tool says what it is for. `input_arguments_clarity`: so does every parameter.
    `input_arguments_types`: every parameter says what it takes, by a type, reference, union, enum or constant.
    `max_num_input_arguments`, `max_optional_input_arguments`: there are not too many. Checks of what was not recorded
    are skipped; only parameters at the top of the schema are looked at.

    A judge adds nine checks: `general_structure`, `has_examples`, `has_usage_notes`, `intent_over_implementation`,
    `clarity`, `redundancy` and `return_statement_quality` of the description, `input_arguments_enum` and
    `input_arguments_format` of the parameters.
    """

    prompts: ClassVar[tuple[str, ...]] = ("tool_description",)

    max_input_args: int = Field(default=5, ge=0, description="the most parameters that a tool should have")
    max_optional_args: int = Field(default=3, ge=0, description="the most of them that may be optional")

    def __call__(self, tool: ToolDefinition) -> Score:
        return rated(tool.name, self.outcomes(tool))

    def ask(self, tool: ToolDefinition) -> Dialogue:
        rules = self.outcomes(tool)
        ran, unasked = _split_checks(tool)
        if not ran:
            return rated(tool.name, rules | unasked)
        evidence = evidence_of([("tool", [offer(tool)])])
        [answer] = yield [make_question("tool_description", evidence, form_of(ran), checks=", ".join(ran))]
        score = rated(tool.name, rules | read_judged(answer.value) | unasked)
        return score.model_copy(update={"details": score.details | evidence.details})

    def outcomes(self, tool: ToolDefinition) -> dict[str, CheckResult]:
        """Return how each rule went, by its name."""
        return {"has_description": _description(tool.description)} | self._parameter_checks(tool.input_schema)

    def _parameter_checks(self, schema: JsonObject | None) -> dict[str, CheckResult]:
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


_OF_THE_DESCRIPTION: Final = (
    "general_structure",
    "has_examples",
    "has_usage_notes",
    "intent_over_implementation",
    "clarity",
    "redundancy",
    "return_statement_quality",
)
_OF_THE_PARAMETERS: Final = ("input_arguments_enum", "input_arguments_format")

_PARAMETER_CHECKS: Final = (
    "input_arguments_clarity",
    "input_arguments_types",
    "max_num_input_arguments",
    "max_optional_input_arguments",
)


def _split_checks(tool: ToolDefinition) -> tuple[list[str], dict[str, CheckResult]]:
    """Return the checks that a judge can be asked about, and the others with their reasons."""
    checks = (
        (_OF_THE_DESCRIPTION, tool.description, "the description was not recorded"),
        (_OF_THE_PARAMETERS, tool.input_schema, "the schema was not recorded"),
    )
    ran = [name for names, content, _ in checks if content is not None for name in names]
    unasked = {name: skipped(why) for names, content, why in checks if content is None for name in names}
    return ran, unasked


def _description(text: str | None) -> CheckResult:
    if text is None:
        return skipped("the description was not recorded")
    return checked(None if text.strip() else "it has no description")


def _parameters(schema: JsonObject) -> _Parameters | None:
    """Return the parameters by name; None when the schema has them, but not at its top."""
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
