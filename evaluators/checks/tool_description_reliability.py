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
from .reliability import CheckResult, checked, form_of, rated, read_answers, skipped
from .validity.subschema import says_nothing

__all__ = ["ToolDescriptionReliability"]

_Parameters: TypeAlias = Mapping[str, Any]

_TYPING: Final = ("type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const")
_NOT_RECORDED: Final = "the schema was not recorded"
_SILENT: Final = "the schema says nothing of its parameters"
_ELSEWHERE: Final = ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if")


@evaluator(
    "tool_description_reliability",
    version=2,
    source="Dokimos ToolDescriptionReliabilityEvaluator; blanks fail, unions and enums are types",
    reads=("name", "description", "input_schema"),
    skipped_when="neither description nor parameters recorded",
    threshold=0.8,
    scope="tool",
)
class ToolDescriptionReliability(Asking):
    """Share of the checks that the description and the parameters of a tool pass.

    `has_description`: the tool has a description. `input_arguments_clarity`: so has every parameter.
    `input_arguments_types`: every parameter has a type, reference, union, enum or constant.
    `max_num_input_arguments`, `max_optional_input_arguments`: there are not too many. Checks of what was not recorded
    are skipped, and so are those of parameters if the schema says nothing (`{}`, or that it is an object); then
    `details` have `partial: true`. Only parameters at the top of the schema are checked.

    A judge adds nine checks: `general_structure`, `has_examples`, `has_usage_notes`, `intent_over_implementation`,
    `clarity`, `redundancy` and `return_statement_quality` of the description, `input_arguments_enum` and
    `input_arguments_format` of the parameters.
    """

    prompts: ClassVar[tuple[str, ...]] = ("tool_description",)

    max_input_args: int = Field(default=5, ge=0, description="the most parameters that a tool should have")
    max_optional_args: int = Field(default=3, ge=0, description="the most of them that may be optional")

    def __call__(self, tool: ToolDefinition) -> Score:
        return _rated(tool, self.outcomes(tool))

    def ask(self, tool: ToolDefinition) -> Dialogue:
        rules = self.outcomes(tool)
        ran, unasked = _split_checks(tool)
        if not ran:
            return _rated(tool, rules | unasked)
        evidence = evidence_of([("tool", [offer(tool)])])
        [answer] = yield [make_question("tool_description", evidence, form_of(ran), checks=", ".join(ran))]
        score = _rated(tool, rules | read_answers(answer.value) | unasked)
        return score.model_copy(update={"details": score.details | evidence.details})

    def outcomes(self, tool: ToolDefinition) -> dict[str, CheckResult]:
        """Return the outcome of each rule, by its name."""
        return {"has_description": _description(tool.description)} | self._parameter_checks(tool.input_schema)

    def _parameter_checks(self, schema: JsonObject | None) -> dict[str, CheckResult]:
        if schema is None:
            return dict.fromkeys(_PARAMETER_CHECKS, skipped(_NOT_RECORDED))
        if reason := _unknown(schema):
            return dict.fromkeys(_PARAMETER_CHECKS, skipped(reason))
        parameters = _parameters(schema)
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
    """Return the checks to ask a judge about, and the outcomes of the others, skipped with their reasons."""
    schema = tool.input_schema
    silent = _SILENT if schema is not None and says_nothing(schema, strict=True) else None
    checks = (
        (_OF_THE_DESCRIPTION, "the description was not recorded" if tool.description is None else None),
        (_OF_THE_PARAMETERS, _NOT_RECORDED if schema is None else silent),
    )
    ran = [name for names, why in checks if why is None for name in names]
    return ran, {name: skipped(why) for names, why in checks if why is not None for name in names}


def _rated(tool: ToolDefinition, outcomes: Mapping[str, CheckResult]) -> Score:
    """Return the score, marked as partial if its schema says nothing of the parameters."""
    score = rated(tool.name, outcomes)
    if score.value is None or tool.input_schema is None or not says_nothing(tool.input_schema, strict=True):
        return score
    return score.model_copy(
        update={
            "explanation": f"{score.explanation}; its parameters are not rated: {_SILENT}",
            "details": {**score.details, "partial": True},
        }
    )


def _description(text: str | None) -> CheckResult:
    if text is None:
        return skipped("the description was not recorded")
    return checked(None if text.strip() else "it has no description")


def _unknown(schema: JsonObject) -> str | None:
    """Return why the parameters are not known from the top of the schema; None if they are."""
    if says_nothing(schema, strict=True):
        return _SILENT
    is_elsewhere = not isinstance(schema.get("properties"), dict) and any(keyword in schema for keyword in _ELSEWHERE)
    return "the schema lists its parameters elsewhere" if is_elsewhere else None


def _parameters(schema: JsonObject) -> _Parameters:
    parameters = schema.get("properties")
    return parameters if isinstance(parameters, dict) else {}


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
