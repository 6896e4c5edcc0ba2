"""Did the agent make up the arguments of its tool calls?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, NamedTuple

from pydantic import Field

from ..definition.dialogue import Dialogue, Question
from ..definition.registry import evaluator
from ..matching import is_comparable
from ..model import AgentTrace, JsonObject, Score, ToolCall
from ..text.messages import NO_CALLS, counted, listed
from .answer_parsing import REASON, each_once, form
from .base import NO_INPUT, Judged, has, make_question, turns
from .evidence import Evidence, EvidenceLayout, Given, sections_of
from .evidence_parts import Entry, calls_of
from .history import earlier_messages, left_behind
from .rendering import Section

__all__ = ["ToolArgumentHallucination"]

_REQUEST = ("input", "requests")
_CALLS: Final = "tool_calls"
_EARLIER_MESSAGES: Final = "earlier messages"
_EARLIER_TURNS: Final = "earlier turns"
_MOST_CALLS: Final = 1_000
"""Each question shows all earlier calls, so the characters of all questions grow with the square of this number."""

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
    reads=("input", "messages", "tool_calls", "final_response"),
    skipped_when="no calls, or over 1,000; no arguments recorded; the request not recorded",
    threshold=0.8,
)
class ToolArgumentHallucination(Judged):
    """Share of the tool calls whose arguments come from the user's input or from earlier results, as a judge sees it.

    Texts of the agent and results of tools from earlier in the conversation count as well, if the messages contain
    them; in a session, those of the earlier turns.

    `details.calls` has the result for each call. Calls without arguments count as grounded; calls whose arguments were
    not recorded are left out. Many calls are divided into several questions, asked one after the other, each with all
    calls before; calls that are recorded later change only the last question.
    """

    prompts: ClassVar[tuple[str, ...]] = ("tool_argument_hallucination",)
    sees_sessions: ClassVar[bool] = True
    must_be_recorded: ClassVar[tuple[str, ...] | None] = ("tool_calls",)

    calls_a_question: int = Field(default=20, ge=1, le=100, description="how many calls one question is about")

    def ask(self, given: Given) -> Dialogue:
        calls = [call for run in turns(given) for call in run.tool_calls]
        if not calls:
            return Score.skip(NO_CALLS)
        if not any(map(is_comparable, calls)):
            return Score.skip("no arguments of tool calls were recorded")
        if not has(given, *_REQUEST):
            return Score.skip(NO_INPUT)
        if len(calls) > _MOST_CALLS:
            return Score.skip(f"{len(calls):,} calls are too many to put to a judge (the limit is {_MOST_CALLS:,})")
        return (yield from self._judge_calls(calls, _turns(turns(given))))

    def _judge_calls(self, calls: Sequence[ToolCall], conversation: Sequence[_Turn]) -> Dialogue:
        layout = EvidenceLayout(_everything(conversation), max_characters=self.max_evidence_characters)
        verdicts: dict[int, JsonObject] = {}
        details: JsonObject = {}
        for turn in conversation:
            for chunk in turn.chunks(self.calls_a_question):
                keep = {_CALLS: frozenset(number - 1 for number in chunk)}
                shown = layout.render([*turn.ground, turn.calls_up_to(chunk[-1])], keep=keep)
                [answer] = yield [_question(turn.trace, chunk, shown)]
                verdicts |= {turn.first + verdict["call"] - 1: verdict for verdict in answer.value["calls"]}
                details = shown.details
        return _score(calls, verdicts, details)


class _Turn(NamedTuple):
    """A run, and `ground`: the sources of arguments besides the results of its own calls.

    `first` is the position of its first call among those of all turns; calls are numbered from 1 in each turn.
    """

    trace: AgentTrace
    first: int
    ground: Sequence[Section]
    calls: Sequence[Entry]

    def calls_up_to(self, number: int) -> Section:
        """Return the calls of the turn up to that number as a section."""
        return Section(_CALLS, self.calls[:number])

    def chunks(self, size: int) -> list[list[int]]:
        """Return the numbers of the calls that have arguments, in chunks of `size`, one for each question."""
        doubtful = [number for number, call in enumerate(self.trace.tool_calls, 1) if call.args or call.args_text]
        return [doubtful[at : at + size] for at in range(0, len(doubtful), size)]


def _turns(runs: Sequence[AgentTrace]) -> list[_Turn]:
    turns: list[_Turn] = []
    known: list[Entry] = []
    first = 0
    for number, run in enumerate(runs, 1):
        before = {_EARLIER_TURNS: tuple(known), _EARLIER_MESSAGES: earlier_messages(run)}
        ground = [*(Section(name, entries) for name, entries in before.items() if entries), *sections_of(run, _REQUEST)]
        turns.append(_Turn(run, first, ground, calls_of(run)))
        known += left_behind(number, run)
        first += len(run.tool_calls)
    return turns


def _everything(conversation: Sequence[_Turn]) -> list[Section]:
    """Return all sections that any question shows. Earlier turns are there once: the last turn has all of them."""
    last = [section for turn in conversation[-1:] for section in turn.ground if section.part == _EARLIER_TURNS]
    others = [section for turn in conversation for section in turn.ground if section.part != _EARLIER_TURNS]
    return [*last, *others, *(Section(_CALLS, turn.calls) for turn in conversation)]


def _question(trace: AgentTrace, chunk: Sequence[int], shown: Evidence) -> Question:
    once = each_once("call", chunk)

    def check(fields: JsonObject) -> str | None:
        faults = (_fault(trace, verdict) for verdict in fields["calls"])
        return once(fields["calls"]) or next(filter(None, faults), None)

    return make_question("tool_argument_hallucination", shown, _FORM, check=check, calls=", ".join(map(str, chunk)))


def _fault(trace: AgentTrace, verdict: JsonObject) -> str | None:
    """Return the fault of the verdict on a call, or None."""
    call = trace.tool_calls[verdict["call"] - 1]
    unknown = next((name for name in verdict["made_up"] if not _is_argument(name, call)), None)
    if unknown is None:
        return _contradiction(verdict)
    known = f"; its arguments are {listed([*call.args])}" if call.args else ""
    return f"of call {verdict['call']} it names {unknown!r}, which is not an argument of it{known}"


def _is_argument(name: str, call: ToolCall) -> bool:
    """Return whether `name` may be an argument of the call, or a part of one, such as `guests[0].name`."""
    if not name.strip() or call.args is None:
        return bool(name.strip())
    return any(name == known or name.startswith((f"{known}.", f"{known}[")) for known in call.args)


def _contradiction(verdict: JsonObject) -> str | None:
    if verdict["grounded"] == (not verdict["made_up"]):
        return None
    return f"of call {verdict['call']} it says both that its arguments are grounded and that they are not"


def _score(made: Sequence[ToolCall], verdicts: Mapping[int, JsonObject], evidence: JsonObject) -> Score:
    """Return the score; `verdicts` are by position of the call."""
    calls = [_result(position, call, verdicts.get(position)) for position, call in enumerate(made)]
    judged = [call for call in calls if call["grounded"] is not None]
    made_up = [f"{call['name']} ({listed(call['made_up'])})" for call in judged if not call["grounded"]]
    ungrounded = f"{len(made_up)} of {counted(len(judged), 'call')} with ungrounded arguments: {listed(made_up)}"
    return Score(
        value=(len(judged) - len(made_up)) / len(judged),
        explanation=ungrounded if made_up else "every argument comes from the request or an earlier result",
        details=evidence | {"calls": calls, "not_judged": len(calls) - len(judged)},
    )


def _result(position: int, call: ToolCall, verdict: JsonObject | None) -> JsonObject:
    if verdict is None:
        grounded = True if is_comparable(call) else None
        return {"position": position, "name": call.name, "grounded": grounded, "made_up": []}
    return {
        "position": position,
        "name": call.name,
        "grounded": verdict["grounded"],
        "made_up": verdict["made_up"],
        "reason": verdict["reason"],
    }
