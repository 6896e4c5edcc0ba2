"""Did the run come to its end, with an answer?"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from pydantic import Field

from ..definition.recorded import why_open
from ..definition.registry import Options, evaluator
from ..model import AgentTrace, GenericPart, JsonObject, LlmCall, Message, Score, ToolCall
from ..text.foreign_text import quoted
from .closing import asks_a_person, ends_the_run, gives_answer
from .failure.markup import reports_own_failure
from .failure.text import error_name, is_refusal_by_person, read_failure
from .failure.tool_kind import words
from .provider_tools import is_provider_defined, is_provider_tool

__all__ = ["RunCompletion"]

_UNRECORDED: Final = frozenset({"content_not_captured", "content_elsewhere", "unreadable_content", "too_large"})
_CUT_OFF: Final = frozenset(
    {
        "length",
        "maxtokens",
        "maxoutputtokens",
        "tokenlimit",
        "modellength",
        "maxtokensreached",
        "modelcontextwindowexceeded",
    }
)
_FILTERED: Final = frozenset(
    {
        "blocklist",
        "contentfilter",
        "contentfiltered",
        "guardrailintervened",
        "imagesafety",
        "prohibitedcontent",
        "recitation",
        "safety",
        "spii",
    }
)
_STEP_LIMITS: Final = frozenset({"maxturns", "maxsteps", "maxiterations", "steplimit", "errormaxturns"})
_LONGEST_LIMIT: Final = 4_000
_LIMIT: Final = re.compile(
    r"GraphRecursionError|recursion limit of \d+|MaxTurnsExceeded|UsageLimitExceeded|MaxIterations\w*|MaxSteps\w*"
    r"|LlmCallsLimitExceeded|error_max_turns|max(?:imum)? (?:number of )?(?:turns|steps|iterations)\b",
    re.IGNORECASE,
)
"""Errors by which frameworks end a run that used up its steps, requests or tokens."""
_HANDS_OVER: Final = frozenset({"handoff", "handover", "escalate", "escalation", "delegate"})
_MONEY: Final = frozenset(
    {"account", "amount", "balance", "bank", "card", "funds", "iban", "money", "savings", "wallet"}
)
_PEOPLE: Final = frozenset(
    {
        "human",
        "humans",
        "person",
        "people",
        "operator",
        "representative",
        "live",
        "staff",
        "specialist",
        "supervisor",
        "agents",
    }
)
_GAVE_UP: Final = re.compile(
    r"agent stopped due to|agent reached max|sorry, need more steps to process this request"
    r"|(?:the )?(?:agent|run|task|conversation)? ?(?:has |have |i have |i['\u2019]ve )?(?:reached|hit|exceeded|used up)"
    r" (?:the |its |my )?(?:max(?:imum|\.)?|limit) (?:number |amount )?(?:of )?(?:allowed )?"
    r"(?:steps?|iterations?|turns?|rounds?|tool calls?|messages|attempts)"
    r"|max(?:imum|\.)? (?:number of )?(?:steps|iterations|turns|rounds|tool calls) (?:was |were |has been )?"
    r"(?:reached|exceeded|hit)",
    re.IGNORECASE,
)
"""The beginnings of answers that frameworks give for an agent that used up its steps."""


@evaluator(
    "run_completion",
    version=3,
    source="OpenTelemetry span status and gen_ai.response.finish_reasons; the rules are ours",
    reads=("error", "interrupt", "final_response", "messages", "llm_calls", "tool_calls", "completeness", "gaps"),
    skipped_when="the run waits for a person or was handed to one; it is partial, unless the agent's own "
    "span ended in an error; without an agent span a single model "
    "call, or tool calls at the end that nothing answers; no answer recorded",
    threshold=None,
)
class RunCompletion(Options):
    """Whether the run came to its end with an answer: 1 or 0.

    Fails a run that ended in an error, without an answer or with an empty one, that was cut off by a length limit or a
    content filter, or in which a requested tool call was not executed. To decline, to ask back and to answer without
    tools all pass.
    """

    limit: bool = Field(default=True, description="its framework ended it at a limit of steps, requests or tokens")
    error: bool = Field(default=True, description="the run ended in any other error")
    cut_off: bool = Field(default=True, description="its last model call was cut off by a length limit")
    content_filter: bool = Field(default=True, description="its last model call was cut off by a content filter")
    unexecuted_call: bool = Field(default=True, description="a tool call was requested and never executed")
    gave_up: bool = Field(default=True, description="its answer is the framework's: the agent used up its steps")
    error_answer: bool = Field(
        default=True, description="its answer is nothing but an exception, a traceback or an error page"
    )
    empty_answer: bool = Field(default=True, description="its answer is empty")
    no_answer: bool = Field(default=True, description="it ended after a tool call, without an answer")

    def __call__(self, trace: AgentTrace) -> Score:
        if (reason := _why_undecided(trace)) is not None:
            return Score.skip(reason)
        for rule, find in _RULES.items():
            if getattr(self, rule) and (fault := find(trace)) is not None:
                details = _quote(rule, trace)
                return Score(value=0.0, label=rule, passed=False, explanation=f"{fault} ({rule})", details=details)
        if _is_answer_unrecorded(trace):
            return Score.skip("the answer was not recorded")
        return Score(value=1.0, passed=True, explanation="the run ended with an answer")


def _why_undecided(trace: AgentTrace) -> str | None:
    """Return why it cannot be decided, or not yet, whether the run completed; None if it can."""
    if trace.interrupt is not None or _asks_a_person(trace):
        return "the run waits for a person"
    if trace.error is not None and is_refusal_by_person(trace.error):
        return "a person stopped the run"
    if trace.completeness == "partial" and not _has_failed_itself(trace):
        return "the run is partial"
    if _is_part_of_a_loop(trace):
        return "no_agent_span"
    if trace.error is None and _is_handed_to_a_person(trace):
        return "the run was handed to a person"
    return None


def _has_failed_itself(trace: AgentTrace) -> bool:
    """Return whether the agent's own span has ended in an error: what is above it and missing changes nothing."""
    return trace.error is not None and trace.ended_at is not None and "no_agent_span" not in trace.gaps


def _is_part_of_a_loop(trace: AgentTrace) -> bool:
    """Return whether the run is only one model call, or only part, of a loop that has no agent span."""
    if trace.error is None and why_open(trace) is not None:
        return True
    is_single = len(trace.llm_calls) <= 1 and not any(map(_was_executed, trace.tool_calls))
    return is_single and "no_agent_span" in trace.gaps


def _asks_a_person(trace: AgentTrace) -> bool:
    """Return whether its last call asks a person, and no answer is recorded."""
    if not trace.trajectory or trace.final_response:
        return False
    return asks_a_person(trace.trajectory[-1]) and not trace.trajectory[-1].result


def _is_handed_to_a_person(trace: AgentTrace) -> bool:
    calls = [call for call in trace.trajectory if call.status != "error" and not call.error]
    return bool(calls) and _hands_over(calls[-1]) and not _PEOPLE.isdisjoint(words(calls[-1].name))


def _hands_over(call: ToolCall) -> bool:
    parts = words(call.name)
    if not _HANDS_OVER.isdisjoint(parts) or parts[:2] in {("hand", "off"), ("hand", "over")}:
        return True
    return "transfer" in parts and (not _PEOPLE.isdisjoint(parts) or _is_transfer_to_agent(parts))


def _is_transfer_to_agent(parts: tuple[str, ...]) -> bool:
    """Return whether the name is one like `transfer_to_billing`, not like `transfer_to_savings`."""
    return parts[:2] == ("transfer", "to") and len(parts) > len(("transfer", "to")) and _MONEY.isdisjoint(parts)


def _error(trace: AgentTrace) -> str | None:
    error = _last_error(trace)
    return None if error is None else f"the run ended in an error: {quoted(error)}"


def _cut_off(trace: AgentTrace) -> str | None:
    reason = _last_reason(trace.llm_calls, _CUT_OFF)
    return None if reason is None else f"the last model call was cut off: {reason}"


def _content_filter(trace: AgentTrace) -> str | None:
    reason = _last_reason(trace.llm_calls, _FILTERED)
    return None if reason is None else f"the last model call was stopped by a content filter: {reason}"


def _last_reason(calls: tuple[LlmCall, ...], among: frozenset[str]) -> str | None:
    reasons = calls[-1].finish_reasons or () if calls else ()
    return next((reason for reason in reasons if _plain(reason) in among), None)


def _unexecuted_call(trace: AgentTrace) -> str | None:
    own = [call for call in trace.tool_calls if call.child_agent_trace_id is None]
    left = [call for call in own if call.status == "not_executed" and call.result is None and _should_be_executed(call)]
    left = [call for call in left if not gives_answer(call, trace)]
    if not left or (trace.final_response and not any(map(_was_executed, own))):
        return None  # if no call has a result or a span, the trace does not record whether any was executed
    names = ", ".join(dict.fromkeys(call.name for call in left))
    return f"asked for and never executed: {names}"


def _should_be_executed(call: ToolCall) -> bool:
    if is_provider_tool(call) or is_provider_defined(call):
        return False
    return not ends_the_run(call) and not _hands_over(call)


def _was_executed(call: ToolCall) -> bool:
    return call.status in {"ok", "error"}


def _gave_up(trace: AgentTrace) -> str | None:
    answer = (trace.final_response or "").strip()
    return f"the agent used up its steps: {quoted(answer)}" if _GAVE_UP.match(answer) else None


def _limit(trace: AgentTrace) -> str | None:
    reason = _last_reason(trace.llm_calls, _STEP_LIMITS)
    if trace.error is not None and _LIMIT.search(trace.error[:_LONGEST_LIMIT]):
        return f"the run reached a limit of steps or usage: {quoted(trace.error)}"
    return None if reason is None else f"the run reached a limit of steps or usage: {reason}"


_MOST_WORDS_OF_STATUS: Final = 8


def _error_answer(trace: AgentTrace) -> str | None:
    answer = (trace.final_response or "").strip()
    if reports_own_failure(answer):
        return f"the answer is an error page: {quoted(answer)}"
    failure = read_failure(answer, is_of_reader=False)
    if failure is None or failure.rule not in {"exception_text", "grpc_status", "http_text"}:
        return None
    if failure.rule == "http_text" and not answer.startswith("<") and len(answer.split()) > _MOST_WORDS_OF_STATUS:
        return None  # an answer in words that begins with a status, such as what a page returned
    return f"the answer is an error: {failure.name or error_name(answer) or 'traceback'}: {quoted(answer)}"


def _empty_answer(trace: AgentTrace) -> str | None:
    if trace.final_response is None or trace.final_response.strip() or _answers_otherwise(trace):
        return None
    if _is_answer_unrecorded(trace):
        return None
    return "the answer is empty"


def _no_answer(trace: AgentTrace) -> str | None:
    if trace.final_response is not None or _is_answer_unrecorded(trace) or _answers_otherwise(trace):
        return None
    return "the run ended without an answer"


def _is_answer_unrecorded(trace: AgentTrace) -> bool:
    """Return whether the output of the last model call was not recorded, so that there may have been an answer."""
    if trace.final_response or _answers_otherwise(trace):
        return False
    if trace.final_response is not None:  # empty, as everything is if contents are not captured
        return not trace.input and not any(message.text for message in trace.messages)
    if not _UNRECORDED.isdisjoint(trace.gaps) or not trace.messages:
        return True
    if not trace.llm_calls:
        return False
    last = trace.llm_calls[-1].span_id
    if any(message.role == "assistant" and message.span_id == last for message in trace.messages) or _records_outputs(
        trace
    ):
        return False
    return trace.llm_calls[-1].output_tokens != 0  # with 0 tokens there was no output to record


def _records_outputs(trace: AgentTrace) -> bool:
    """Return whether a model call before the last one recorded its output itself, not only the next one's history."""
    pairs = zip(trace.messages, trace.messages[1:], strict=False)
    return any(
        said.role == "assistant"
        and then.role == "tool"
        and None not in (said.span_id, then.span_id)
        and said.span_id != then.span_id
        for said, then in pairs
    )


def _answers_otherwise(trace: AgentTrace) -> bool:
    """Return whether the answer is not text: an image, audio, structured output through a tool, a hand-over."""
    last = trace.trajectory[-1] if trace.trajectory else None
    if last is not None and (ends_the_run(last) or _hands_over(last) or gives_answer(last, trace)):
        return True
    return bool(trace.messages) and _is_answer(trace.messages[-1])


def _is_answer(message: Message) -> bool:
    if message.role != "assistant" or message.tool_calls:
        return False
    return bool((message.text or "").strip()) or any(isinstance(part, GenericPart) for part in message.parts)


def _plain(word: str) -> str:
    """Return a normalised finish reason: `maxtokens` for MAX_TOKENS, max-tokens and FinishReason.MAX_TOKENS."""
    return word.rpartition(".")[2].casefold().replace("_", "").replace("-", "").replace(" ", "")


def _quote(rule: str, trace: AgentTrace) -> JsonObject:
    """Return the words that an explanation quotes, as details apart from all else, since they are content."""
    words = {"limit": _last_error, "error": _last_error, "gave_up": _answer_of, "error_answer": _answer_of}
    text = words[rule](trace) if rule in words else None
    return {"quotes": [{"position": None, "text": quoted(text)}]} if text else {}


def _last_error(trace: AgentTrace) -> str | None:
    if trace.error is None and trace.llm_calls and not trace.final_response:
        return trace.llm_calls[-1].error
    return trace.error


def _answer_of(trace: AgentTrace) -> str | None:
    return (trace.final_response or "").strip()


_RULES: Final[Mapping[str, Callable[[AgentTrace], str | None]]] = {
    "limit": _limit,
    "error": _error,
    "cut_off": _cut_off,
    "content_filter": _content_filter,
    "unexecuted_call": _unexecuted_call,
    "gave_up": _gave_up,
    "error_answer": _error_answer,
    "empty_answer": _empty_answer,
    "no_answer": _no_answer,
}
