"""Do the names of the tools pass Dokimos' checks?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar, Final

from pydantic import Field

from ...definition.dialogue import Asking, Dialogue
from ...definition.registry import evaluator
from ...model import AgentTrace, Score, ToolDefinition
from .reliability import Answers, Checks, ask_about_tools, scored, verdicts

__all__ = ["JUDGED", "ToolNameReliability"]

_MAX_SEGMENTS: Final = 7
JUDGED: Final = ("intent_over_implementation", "clarity", "name_order")

_SNAKE_CASE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_HOW = ("_with_llm", "_via_api", "_from_s3", "_using_bq", "_using_sdk", "_with_gpt4")


@evaluator(
    "dokimos:tool_name_reliability",
    version=2,
    source="Dokimos ToolNameReliabilityEvaluator (commit 6fa1f8d)",
    reads=("tool_definitions", "reference.tools"),
    skipped_when="no tool definitions recorded",
    threshold=0.8,
)
class ToolNameReliability(Asking):
    """Average over the offered tools of the share of checks that their names pass; 1 without tools.

    Only underscores separate segments, and underscores at the end do not count. The words that say how are searched
    literally and anywhere in the lower-case name: `load_from_s3_bucket` fails, but `write_with_gpt5` passes. `clarity`
    and `name_order` need a judge, and `intent_over_implementation` then has to pass with the judge, too.
    """

    prompts: ClassVar[tuple[str, ...]] = ("dokimos_tool_name",)

    compat: bool = Field(
        default=False, description="like Dokimos: a judge's answer that mentions none of the checks fails them all"
    )

    def __call__(self, trace: AgentTrace) -> Score:
        return self.score(trace.tools_offered)

    def ask(self, trace: AgentTrace) -> Dialogue:
        tools = trace.tools_offered
        answers, seen = yield from ask_about_tools("dokimos_tool_name", tools, JUDGED, compat=self.compat)
        score = self.score(tools, answers or None)
        return score.model_copy(update={"details": score.details | seen})

    def score(self, tools: Sequence[ToolDefinition] | None, answers: Answers | None = None) -> Score:
        """Return the score of `tools` by the rules and, if a judge was asked, its answers, one for each tool."""
        return scored(tools, answers, _checks)


def _checks(tool: ToolDefinition, answer: str | None) -> Checks:
    name = tool.name
    judge_checks: Checks = dict.fromkeys(JUDGED) if answer is None else verdicts(answer, JUDGED)
    segments = name.rstrip("_").split("_")
    tells_how = any(how in name.lower() for how in _HOW)
    return {
        "snakecase_format": _SNAKE_CASE.fullmatch(name) is not None,
        "conciseness": len(segments) <= _MAX_SEGMENTS,
        **judge_checks,
        "intent_over_implementation": not tells_how and judge_checks["intent_over_implementation"] is not False,
    }
