"""DeepEval: were the tools called with the right arguments, as a judge sees it?"""

from __future__ import annotations

from typing import ClassVar, Final

from ...definition.dialogue import Dialogue
from ...definition.registry import evaluator
from ...llm.answer_parsing import REASON, each_once, form
from ...llm.base import NO_INPUT, make_question
from ...matching import unrecorded_arguments
from ...model import AgentTrace, Score
from ...text.messages import counted, listed
from .strict import StrictlyJudged

__all__ = ["ArgumentCorrectness"]

_FORM: Final = form(
    verdicts={
        "type": "array",
        "items": form(call={"type": "integer"}, reason=REASON, correct={"type": "boolean"}),
    }
)


@evaluator(
    "deepeval:argument_correctness",
    version=1,
    source="deepeval 4.3.1 ArgumentCorrectnessMetric; the prompt is ours",
    reads=("input", "tool_calls", "gaps"),
    skipped_when="the request, calls or their arguments were not recorded",
    threshold=0.5,
)
class ArgumentCorrectness(StrictlyJudged):
    """Share of the calls whose arguments a judge finds right for the request; 1 without calls. It needs no reference.

    The judge sees the request and the calls without their results, and has to judge each call once; the peer divides by
    the number of verdicts, whatever they are about.
    """

    prompts: ClassVar[tuple[str, ...]] = ("deepeval_argument_correctness",)

    def ask(self, trace: AgentTrace) -> Dialogue:
        calls = trace.tool_calls
        if not calls:
            return self.make_score(1.0, "no tool was called", {})
        if unrecorded := unrecorded_arguments(calls, {call.name for call in calls}):
            return Score.skip(unrecorded)
        if trace.input is None:
            return Score.skip(NO_INPUT)
        shown = self.shown(trace, ("input", "tool_calls_without_results"))
        belongs = each_once("call", range(1, len(calls) + 1))
        question = make_question(
            "deepeval_argument_correctness", shown, _FORM, check=lambda fields: belongs(fields["verdicts"])
        )
        [answer] = yield [question]
        verdicts = sorted(answer.value["verdicts"], key=lambda verdict: verdict["call"])
        wrong = [calls[verdict["call"] - 1].name for verdict in verdicts if not verdict["correct"]]
        explanation = f"{len(wrong)} of {counted(len(calls), 'call')} with wrong arguments: {listed(wrong)}"
        return self.make_score(
            (len(calls) - len(wrong)) / len(calls),
            explanation if wrong else "the arguments of every call are right",
            shown.details | {"verdicts": verdicts},
        )
