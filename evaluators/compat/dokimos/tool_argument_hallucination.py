"""How many calls have grounded arguments, by Dokimos' count?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from pydantic import Field

from ...definition.dialogue import Dialogue, Question
from ...definition.registry import evaluator
from ...llm.answer_parsing import REASON, form
from ...llm.base import Judged, has, turns
from ...llm.evidence import Evidence, Given
from ...llm.prompt import instructions
from ...matching import unrecorded_arguments
from ...model import JsonObject, Score
from .refusal import nameless
from .reply import fields_of, objects, reader

__all__ = ["ToolArgumentHallucination"]

_FORM: Final = form(
    verdicts={"type": "array", "items": form(toolName=REASON, grounded={"type": "boolean"}, reason=REASON)},
)


@evaluator(
    "dokimos:tool_argument_hallucination",
    version=2,
    source="Dokimos ToolArgumentHallucinationEvaluator (commit 0b6a1d3)",
    reads=("input", "tool_calls"),
    skipped_when="the input, or the arguments of a call, were not recorded",
    threshold=0.8,
)
class ToolArgumentHallucination(Judged):
    """How many entries of the judge's reply say `grounded: true`, over the number of calls; 1 without calls.

    Verdicts are counted, not matched with calls: one too many raises the score, up to 1; one too few lowers it.
    Arguments may come from the input or from results of earlier calls. In a conversation the calls of all turns count.
    """

    prompts: ClassVar[tuple[str, ...]] = ("dokimos_tool_argument_hallucination",)
    sees_sessions: ClassVar[bool] = True

    compat: bool = Field(default=False, description="like Dokimos: 0 for a reply of the judge that cannot be read")

    def ask(self, given: Given) -> Dialogue:
        calls = [call for run in turns(given) for call in run.tool_calls]
        if refusal := nameless(calls):
            return Score.skip(refusal)
        if not has(given, "input"):
            return Score.skip("the input was not recorded")
        if not calls:
            return Score(value=1.0, explanation="there were no tool calls", details={"verdicts": []})
        if unrecorded := unrecorded_arguments(calls, {call.name for call in calls}):
            return Score.skip(unrecorded)
        shown = self.shown(given, ("input", "tool_calls"))
        prompt, read = instructions("dokimos_tool_argument_hallucination"), reader(_verdicts, compat=self.compat)
        [answer] = yield [Question(instructions=prompt, evidence=shown.text, form=_FORM, read=read)]
        return _score(answer.value, len(calls), shown)


def _verdicts(answer: object) -> list[JsonObject]:
    """Return the verdicts, which Dokimos asks for as a list; servers with structured output answer with an object."""
    return objects(answer["verdicts"] if isinstance(answer, dict) and "verdicts" in answer else answer)


def _score(verdicts: Sequence[JsonObject] | None, total: int, shown: Evidence) -> Score:
    if verdicts is None:
        return Score(value=0.0, explanation="the judge's reply could not be read", details=shown.details)
    grounded = sum(verdict.get("grounded") is True for verdict in verdicts)
    return Score(
        value=min(1.0, grounded / total),
        explanation=f"{grounded}/{total} tool calls have grounded arguments",
        details=shown.details | {"verdicts": fields_of(verdicts, "toolName", "grounded", "reason")},
    )
