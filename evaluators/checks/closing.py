"""Recognises tools that end a run, that only note something, and that ask a person."""

from __future__ import annotations

import re
from typing import Final

import orjson

from ..model import AgentTrace, ToolCall
from .failure import FailureRules

__all__ = ["asks_a_person", "ends_the_run", "find_structured_answer", "gives_answer"]

_ENDS: Final = frozenset(
    {
        "attemptcompletion",
        "complete",
        "done",
        "finalanswer",
        "finaloutput",
        "finalresult",
        "finish",
        "jsontoolcall",
        "respond",
        "setmodelresponse",
        "structuredoutput",
        "structuredresponse",
        "submit",
        "taskcomplete",
    }
)
"""Tools that give the answer of the agent, often as structured output."""
_FORMS: Final = ("structuredoutput", "structuredresponse")
"""How the names end of tools that a framework adds for the answer, such as `strands_structured_output`."""
_NOTES: Final = frozenset({"think", "todowrite", "updateplan", "writetodos"})
_QUESTIONS: Final = frozenset(
    {
        "askfollowupquestion",
        "askhuman",
        "askuser",
        "askuserquestion",
        "exitplanmode",
        "humaninput",
        "requestapproval",
        "requestuserinput",
    }
)


_FAILURES: Final = FailureRules()
_TAKEN: Final = re.compile(
    r"\s*(?:returning structured (?:response|output)\b|final (?:result|output|answer|response) (?:was )?processed\b"
    r"|successfully validated \S{1,200} structured output|structured (?:output|response) (?:was |has been )?"
    r"(?:provided|returned|received|accepted|processed|recorded|submitted|validated)\b"
    r"|(?:output|final) tool not used - a final result was already processed)",
    re.IGNORECASE,
)
"""How frameworks answer a call that is the structured output of the run: LangChain, Pydantic AI, Strands, Claude."""


def gives_answer(call: ToolCall, trace: AgentTrace) -> bool:
    """Return whether `call` is the answer of the run as structured output, whatever the name of its form.

    The framework says so, the run's answer equals its arguments, or it is the last call, which never ran and which the
    framework answered nevertheless, and not with a failure.
    """
    if call.result is not None and _TAKEN.match(call.result):
        return True
    if call.args and _is_equal(trace.final_response, call.args):
        return True
    if call.status != "not_executed" or not call.result or not trace.trajectory or trace.final_response:
        return False
    return trace.trajectory[-1] == call and _FAILURES.failure_of(call) is None


def find_structured_answer(trace: AgentTrace) -> str | None:
    """Return the structured output of a run without another answer as JSON: the arguments of its last call."""
    last = trace.trajectory[-1] if trace.trajectory and trace.final_response is None else None
    if last is None or not last.args or last.error is not None or last.child_agent_trace_id is not None:
        return None
    is_form = _plain(last).endswith(_FORMS) or gives_answer(last, trace)
    return orjson.dumps(last.args, option=orjson.OPT_NON_STR_KEYS).decode() if is_form else None


def _is_equal(answer: str | None, args: object) -> bool:
    if not (answer or "").lstrip().startswith("{"):
        return False
    try:
        return bool(orjson.loads(answer or "") == args)
    except ValueError:
        return False


def ends_the_run(call: ToolCall, *, or_notes: bool = False) -> bool:
    """Return whether `call` ends the run or, with `or_notes`, only notes something."""
    if call.result is not None and _TAKEN.match(call.result):
        return True
    name = _plain(call)
    return name in _ENDS or name.endswith(_FORMS) or (or_notes and name in _NOTES)


def asks_a_person(call: ToolCall) -> bool:
    """Return whether `call` asks the user a question, or for an approval."""
    return _plain(call) in _QUESTIONS


def _plain(call: ToolCall) -> str:
    return call.name.casefold().replace("_", "").replace("-", "")
