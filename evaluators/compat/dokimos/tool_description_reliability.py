"""Do the descriptions of the tools' parameters pass Dokimos' checks?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from pydantic import Field

from ...definition.dialogue import Asking, Dialogue
from ...definition.registry import evaluator
from ...model import AgentTrace, JsonObject, Score, ToolDefinition
from .reliability import Answers, Checks, ask_about_tools, scored, verdicts

__all__ = ["JUDGED", "ToolDescriptionReliability"]

_RULES: Final = (
    "input_arguments_clarity",
    "input_arguments_types",
    "max_num_input_arguments",
    "max_optional_input_arguments",
)
JUDGED: Final = (
    "general_structure",
    "has_examples",
    "has_usage_notes",
    "intent_over_implementation",
    "clarity",
    "redundancy",
    "input_arguments_enum",
    "input_arguments_format",
    "return_statement_quality",
)


@evaluator(
    "dokimos:tool_description_reliability",
    version=2,
    source="Dokimos ToolDescriptionReliabilityEvaluator (commit 283a4bd)",
    reads=("tool_definitions", "reference.tools"),
    skipped_when="no tool definitions recorded, or none with a schema",
    threshold=0.8,
)
class ToolDescriptionReliability(Asking):
    """Average over the offered tools of the share of checks that their parameters pass; 1 without tools.

    The rules check only parameters: a tool without a description passes, and so does one without parameters. An empty
    description of a parameter counts, a union, reference or enum without `type` is not a type, and a parameter that is
    required twice reduces the number of optional ones by two. The other nine checks need a judge.
    """

    prompts: ClassVar[tuple[str, ...]] = ("dokimos_tool_description",)

    max_input_args: int = Field(default=5, description="the most parameters that a tool may have")
    max_optional_args: int = Field(default=3, description="the most of them that may be optional")
    compat: bool = Field(
        default=False, description="like Dokimos: a judge's answer that mentions none of the checks fails them all"
    )

    def __call__(self, trace: AgentTrace) -> Score:
        return self.score(trace.tools_offered)

    def ask(self, trace: AgentTrace) -> Dialogue:
        tools = trace.tools_offered
        answers, seen = yield from ask_about_tools("dokimos_tool_description", tools, JUDGED, compat=self.compat)
        score = self.score(tools, answers or None)
        return score.model_copy(update={"details": score.details | seen})

    def score(self, tools: Sequence[ToolDefinition] | None, answers: Answers | None = None) -> Score:
        """Return the score of `tools` by the rules and, if a judge was asked, its answers, one for each tool."""
        return scored(tools, answers, self._checks)

    def _checks(self, tool: ToolDefinition, answer: str | None) -> Checks:
        judge_checks: Checks = dict.fromkeys(JUDGED) if answer is None else verdicts(answer, JUDGED)
        return {**self._rules(tool.input_schema), **judge_checks}

    def _rules(self, schema: JsonObject | None) -> Checks:
        if schema is None:
            return dict.fromkeys(_RULES)
        declared = schema.get("properties")
        parameters: JsonObject = declared if isinstance(declared, dict) else {}
        passed = (
            _all_have("description", parameters),
            _all_have("type", parameters),
            len(parameters) <= self.max_input_args,
            _optional(parameters, schema.get("required")) <= self.max_optional_args,
        )
        return dict(zip(_RULES, passed, strict=True))


def _all_have(key: str, parameters: JsonObject) -> bool:
    return all(isinstance(rule, dict) and key in rule for rule in parameters.values())


def _optional(parameters: JsonObject, required: object) -> int:
    names = required if isinstance(required, list) else []
    return max(0, len(parameters) - sum(isinstance(name, str) and name in parameters for name in names))
