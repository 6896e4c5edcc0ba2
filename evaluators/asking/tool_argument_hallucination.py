"""Did the agent make up the arguments of its tool calls?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from pydantic import Field

from ..checks.phrases import NO_CALLS, counted, listed
from ..dialogue import Dialogue, Question
from ..matching import is_comparable
from ..model import AgentTrace, JsonObject, Score, ToolCall
from ..registry import evaluator
from .evidence import Evidence, evidence
from .judged import NO_INPUT, Judged, asked, has
from .reading import REASON, each_once, form

__all__ = ["ToolArgumentHallucination"]

_PARTS = ("input", "requests", "tool_calls")
_FORM: Final = form(
    calls={
        "type": "array",
        "items": form(
            call={"type": "integer"},
            made_up={"type": "array", "items": {"type": "string"}},
            reason=REASON,
            grounded={"type": "boolean"},
        ),
    }
)


@evaluator(
    "tool_argument_hallucination",
    version=1,
    source="Dokimos ToolArgumentHallucinationEvaluator; each verdict belongs to a call",
    reads=("input", "messages", "tool_calls"),
    skipped_when="no calls; no arguments recorded; the request not recorded",
    threshold=0.8,
)
class ToolArgumentHallucination(Judged):
    """Share of the tool calls whose arguments come from the user's input or from earlier results, as a judge sees it.

    `details.calls` tells it call by call. Calls without arguments have none that could be made up; calls whose
    arguments were not recorded are left out. Many calls are put to the judge in several questions, each with all calls
    that went before.
    """

    prompts: ClassVar[tuple[str, ...]] = ("tool_argument_hallucination",)

    calls_a_question: int = Field(default=20, ge=1, le=100, description="how many calls are judged at once")

    def ask(self, trace: AgentTrace) -> Dialogue:
        if not trace.tool_calls:
            return Score.skip(NO_CALLS)
        if not any(map(is_comparable, trace.tool_calls)):
            return Score.skip("no arguments of tool calls were recorded")
        if not has(trace, "input", "requests"):
            return Score.skip(NO_INPUT)
        doubtful = [number for number, call in enumerate(trace.tool_calls, 1) if call.args or call.args_text]
        chunks = [doubtful[at : at + self.calls_a_question] for at in range(0, len(doubtful), self.calls_a_question)]
        shown = [self._shown(trace, chunk) for chunk in chunks]
        answers = (yield [_question(*pair) for pair in zip(chunks, shown, strict=True)]) if chunks else []
        told = {verdict["call"]: verdict for answer in answers for verdict in answer.value["calls"]}
        return _score(trace, told, shown)

    def _shown(self, trace: AgentTrace, chunk: Sequence[int]) -> Evidence:
        """The calls up to the last of the chunk."""
        before = trace.model_copy(update={"tool_calls": trace.tool_calls[: chunk[-1]]})
        positions = frozenset(number - 1 for number in chunk)
        return evidence(before, _PARTS, max_characters=self.max_evidence_characters, keep={"tool_calls": positions})


def _question(chunk: Sequence[int], shown: Evidence) -> Question:
    once = each_once("call", chunk)

    def check(told: JsonObject) -> str | None:
        return once(told["calls"]) or next(filter(None, map(_contradiction, told["calls"])), None)

    return asked("tool_argument_hallucination", shown, _FORM, check=check, calls=", ".join(map(str, chunk)))


def _contradiction(verdict: JsonObject) -> str | None:
    if verdict["grounded"] == (not verdict["made_up"]):
        return None
    return f"of call {verdict['call']} it says both that its arguments are grounded and that they are not"


def _score(trace: AgentTrace, told: dict[int, JsonObject], shown: Sequence[Evidence]) -> Score:
    calls = [_told(at, call, told.get(at + 1)) for at, call in enumerate(trace.tool_calls)]
    judged = [call for call in calls if call["grounded"] is not None]
    made_up = [f"{call['name']} ({listed(call['made_up'])})" for call in judged if not call["grounded"]]
    said = f"{len(made_up)} of {counted(len(judged), 'call')} with arguments from nowhere: {listed(made_up)}"
    return Score(
        value=(len(judged) - len(made_up)) / len(judged),
        explanation=said if made_up else "every argument comes from the request or an earlier result",
        details=(shown[-1].details if shown else {}) | {"calls": calls, "not_judged": len(calls) - len(judged)},
    )


def _told(position: int, call: ToolCall, verdict: JsonObject | None) -> JsonObject:
    if verdict is None:
        grounded = True if is_comparable(call) else None
        return {"position": position, "name": call.name, "grounded": grounded, "made_up": []}
    names = [name for name in verdict["made_up"] if call.args is None or name.partition(".")[0] in call.args]
    return {
        "position": position,
        "name": call.name,
        "grounded": verdict["grounded"],
        "made_up": names,
        "reason": verdict["reason"],
    }
