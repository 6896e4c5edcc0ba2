"""Did the agent make up the arguments of its tool calls?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from pydantic import Field

from ..dialogue import Dialogue, Question
from ..matching import is_comparable
from ..model import AgentTrace, JsonObject, Score, ToolCall
from ..phrases import NO_CALLS, counted, listed
from ..registry import evaluator
from .evidence import Evidence, Sheet, sections_of
from .judged import NO_INPUT, Judged, asked, has
from .parts import calls_of
from .pen import Section
from .reading import REASON, each_once, form

__all__ = ["ToolArgumentHallucination"]

_REQUEST = ("input", "requests")
_CALLS: Final = "tool_calls"
_MOST_CALLS: Final = 1_000
"""Each question shows all calls that went before: what is shown in all grows with the square of their number."""

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
    skipped_when="no calls, or over 1,000; no arguments recorded; the request not recorded",
    threshold=0.8,
)
class ToolArgumentHallucination(Judged):
    """Share of the tool calls whose arguments come from the user's input or from earlier results, as a judge sees it.

    `details.calls` tells it call by call. Calls without arguments have none that could be made up; calls whose
    arguments were not recorded are left out. Many calls are put to the judge in several questions, one after the other,
    each with all calls that went before; calls that are recorded later change none but the last.
    """

    prompts: ClassVar[tuple[str, ...]] = ("tool_argument_hallucination",)

    calls_a_question: int = Field(default=20, ge=1, le=100, description="how many calls are judged at once")

    def ask(self, trace: AgentTrace) -> Dialogue:
        if not trace.tool_calls:
            return Score.skip(NO_CALLS)
        if not any(map(is_comparable, trace.tool_calls)):
            return Score.skip("no arguments of tool calls were recorded")
        if not has(trace, *_REQUEST):
            return Score.skip(NO_INPUT)
        if len(trace.tool_calls) > _MOST_CALLS:
            calls = f"{len(trace.tool_calls):,} calls"
            return Score.skip(f"{calls} are too many to put to a judge (the limit is {_MOST_CALLS:,})")
        return (yield from self._judged(trace))

    def _judged(self, trace: AgentTrace) -> Dialogue:
        request, calls = sections_of(trace, _REQUEST), calls_of(trace)
        sheet = Sheet([*request, Section(_CALLS, calls)], max_characters=self.max_evidence_characters)
        doubtful = [number for number, call in enumerate(trace.tool_calls, 1) if call.args or call.args_text]
        told: dict[int, JsonObject] = {}
        details: JsonObject = {}
        for at in range(0, len(doubtful), self.calls_a_question):
            chunk = doubtful[at : at + self.calls_a_question]
            before = Section(_CALLS, calls[: chunk[-1]])
            shown = sheet.shown([*request, before], keep={_CALLS: frozenset(number - 1 for number in chunk)})
            [answer] = yield [_question(chunk, shown)]
            told |= {verdict["call"]: verdict for verdict in answer.value["calls"]}
            details = shown.details
        return _score(trace, told, details)


def _question(chunk: Sequence[int], shown: Evidence) -> Question:
    once = each_once("call", chunk)

    def check(told: JsonObject) -> str | None:
        return once(told["calls"]) or next(filter(None, map(_contradiction, told["calls"])), None)

    return asked("tool_argument_hallucination", shown, _FORM, check=check, calls=", ".join(map(str, chunk)))


def _contradiction(verdict: JsonObject) -> str | None:
    if verdict["grounded"] == (not verdict["made_up"]):
        return None
    return f"of call {verdict['call']} it says both that its arguments are grounded and that they are not"


def _score(trace: AgentTrace, told: Mapping[int, JsonObject], shown: JsonObject) -> Score:
    calls = [_told(at, call, told.get(at + 1)) for at, call in enumerate(trace.tool_calls)]
    judged = [call for call in calls if call["grounded"] is not None]
    made_up = [f"{call['name']} ({listed(call['made_up'])})" for call in judged if not call["grounded"]]
    said = f"{len(made_up)} of {counted(len(judged), 'call')} with arguments from nowhere: {listed(made_up)}"
    return Score(
        value=(len(judged) - len(made_up)) / len(judged),
        explanation=said if made_up else "every argument comes from the request or an earlier result",
        details=shown | {"calls": calls, "not_judged": len(calls) - len(judged)},
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
