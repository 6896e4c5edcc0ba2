"""Does the context support what the agent answered, sentence by sentence?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import mean
from typing import ClassVar, Final, NamedTuple

from pydantic import Field

from ...checks.closing import gives_answer
from ...checks.validity.framework_tools import is_hand_off
from ...definition.dialogue import Answer, BadAnswer, Dialogue, Question
from ...definition.registry import evaluator
from ...llm.answer_parsing import REASON, form, reader
from ...llm.base import NO_INPUT, Judged
from ...llm.evidence import Evidence
from ...llm.evidence_parts import PARTS, REQUESTING, Entry, calls_of, numbered, spoken
from ...llm.history import messages_of_turn
from ...llm.prompt import instructions
from ...model import (
    AgentTrace,
    JsonObject,
    Message,
    ReasoningPart,
    Score,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
)
from ...text.messages import counted, listed

__all__ = ["Hallucinations"]

_GOOD: Final = frozenset({"supported", "not_applicable"})
_BAD: Final = ("unsupported", "contradictory", "disputed")
_TEXTS: Final = ("rationale", "supporting_excerpt", "contradicting_excerpt")
_INSTRUCTING: Final = REQUESTING - {"user"}

_SEGMENTS: Final = form(sentences={"type": "array", "items": REASON})
_LABELS: Final = form(
    labels={
        "type": "array",
        "items": form(
            sentence={"type": "integer"},
            rationale=REASON,
            label={"type": "string", "enum": [*sorted(_GOOD), *_BAD]},
            supporting_excerpt=REASON,
            contradicting_excerpt=REASON,
        ),
    }
)
_LABELS_READ: Final = form(labels={"type": "array"})
"""What is read of `_LABELS`: an entry that is not as asked for is left out, and spoils no other."""

_MOST_RESPONSES: Final = 200


class _Response(NamedTuple):
    """A text that the agent answered with, and what it had done and learned before."""

    text: str
    steps: Sequence[Entry]


class _Labelled(NamedTuple):
    """The sentences of a response, each with its label, None if the judge gave none of the five."""

    labels: Sequence[str]
    sentences: Sequence[JsonObject]

    @property
    def value(self) -> float | None:
        return mean(float(label in _GOOD) for label in self.labels) if self.labels else None


@evaluator(
    "adk:hallucinations_v1",
    version=1,
    source="google-adk 2.13.0 HallucinationsV1Evaluator (hallucinations_v1); the prompts are ours, the threshold is "
    "that of its documentation (https://google.github.io/adk-docs/evaluate/criteria)",
    reads=("input", "messages", "tool_calls", "tool_definitions", "final_response"),
    skipped_when="the request, the final response, calls or their results were not recorded; calls that no message "
    "shows, where responses before the final one are evaluated; no text in the response; over 200 responses",
    threshold=0.8,
)
class Hallucinations(Judged):
    """Share of the sentences of the final response that the context supports, or that need no support.

    The judge is asked twice: for the sentences, and for a label of each, by instructions, request, tools and the steps
    before. `supported` and `not_applicable` count 1; `unsupported`, `contradictory` and `disputed` count 0. A sentence
    without one of these labels is left out, as in the peer. The context has no earlier turns of a conversation, as in
    the peer, and neither reasoning, nor calls that give the response itself, nor grounding metadata, which the peer
    shows. Several responses are worth the mean of their values; one whose sentences or labels cannot be read is left
    out unless it is the only one.
    """

    prompts: ClassVar[tuple[str, ...]] = ("adk_sentences", "adk_sentence_labels")
    must_be_recorded: ClassVar[tuple[str, ...] | None] = ("tool_calls",)

    evaluate_intermediate_nl_responses: bool = Field(
        default=False, description="also evaluate what the agent said between its tool calls"
    )

    def ask(self, trace: AgentTrace) -> Dialogue:
        if (missing := _find_missing(trace)) is not None:
            return Score.skip(missing)
        turn = _Turn(trace)
        if self.evaluate_intermediate_nl_responses and not turn.shows_calls:
            return Score.skip("the messages do not show every tool call, so what preceded a response is not known")
        responses = turn.find_responses(is_intermediate_evaluated=self.evaluate_intermediate_nl_responses)
        if not responses:
            return Score.skip("there is no text in the response")
        if len(responses) > _MOST_RESPONSES:
            return Score.skip(f"it has {len(responses):,} responses; at most {_MOST_RESPONSES} are evaluated")
        segmented = yield [self._ask_for_sentences(trace, response) for response in responses]
        split = [(response, _sentences(answer)) for response, answer in zip(responses, segmented, strict=True)]
        split = [(response, sentences) for response, sentences in split if sentences]
        if not split:
            raise _fault(segmented, "there are no sentences in it")
        shown = [self._show_context(trace, *each) for each in split]
        labelling = yield [_question("adk_sentence_labels", each, _LABELS, _LABELS_READ) for each in shown]
        labelled = [_labelled(sentences, answer) for (_, sentences), answer in zip(split, labelling, strict=True)]
        if all(each.value is None for each in labelled):
            raise _fault(labelling, "there is no label in it")
        return _score(labelled, shown[-1])

    def _ask_for_sentences(self, trace: AgentTrace, response: _Response) -> Question:
        shown = self.shown(trace, (), {"response": response.text}, text_characters=self.max_evidence_characters)
        return _question("adk_sentences", shown, _SEGMENTS, _SEGMENTS)

    def _show_context(self, trace: AgentTrace, response: _Response, sentences: Sequence[str]) -> Evidence:
        instructing = [message for message in trace.messages if message.role in _INSTRUCTING]
        context = {
            "developer instructions": spoken(instructing) or None,
            "input": trace.input,
            "tool_definitions": PARTS["tool_definitions"](trace),
            "steps": response.steps,
            "sentences": numbered("sentence", sentences),
        }
        return self.shown(trace, (), context)


class _Turn:
    """What the agent did for the request of a run before its final response, and what it learned."""

    def __init__(self, trace: AgentTrace) -> None:
        self._response = trace.final_response or ""
        shown = [message for message in messages_of_turn(trace) if not _is_shown_apart(message, trace)]
        self._messages = _without_response(shown, trace)
        self._spoken = spoken(self._messages)
        calls = zip(trace.tool_calls, calls_of(trace), strict=True)
        self._calls = [(call, entry) for call, entry in calls if not _is_response(call.args, trace)]
        own = [call for call, _ in self._calls if call.child_agent_trace_id is None]
        parts = [part for message in self._messages for part in message.parts]
        results = [part for part in parts if isinstance(part, ToolCallResponsePart) and part.response is not None]
        requested = sum(len(message.tool_calls) for message in self._messages)
        self.shows_calls = requested >= len(own) and len(results) >= sum(call.result is not None for call in own)
        """Whether the messages have each call of the agent itself, with its result."""

    @property
    def steps(self) -> list[Entry]:
        """The messages, and the calls that are not in them."""
        return [
            *self._spoken,
            *(entry for call, entry in self._calls if call.child_agent_trace_id is not None or not self.shows_calls),
        ]

    def find_responses(self, *, is_intermediate_evaluated: bool) -> list[_Response]:
        """Return the final response, unless it is blank, after those before it if they are evaluated, too."""
        texts = [
            _Response(part.content, self._spoken[:at])
            for at, message in enumerate(self._messages)
            for part in message.parts
            if message.role == "assistant" and isinstance(part, TextPart)
        ]
        texts = [*(texts if is_intermediate_evaluated else ()), _Response(self._response, self.steps)]
        return [response for response in texts if response.text.strip()]


def _find_missing(trace: AgentTrace) -> str | None:
    if trace.input is None:
        return NO_INPUT
    if trace.final_response is None:
        return "the final response was not recorded"
    unknown = dict.fromkeys(call.name for call in trace.tool_calls if _lacks_result(call, trace))
    return f"results of tool calls were not recorded: {listed([*unknown])}" if unknown else None


def _lacks_result(call: ToolCall, trace: AgentTrace) -> bool:
    """Return whether what a call brought to light is not known. Hand-offs and responses bring nothing to light."""
    is_known = call.result is not None or call.error is not None or call.status == "not_executed"
    return not is_known and not is_hand_off(call.name) and not _is_response(call.args, trace)


def _is_shown_apart(message: Message, trace: AgentTrace) -> bool:
    """Return whether a message is in another section of the context: the instructions, and the request."""
    return message.role in _INSTRUCTING or (message.role == "user" and message.text == trace.input)


def _without_response(messages: Sequence[Message], trace: AgentTrace) -> list[Message]:
    """Return the messages without reasoning and without the final response, which must not support itself.

    It is what the agent said at the end, in whatever pieces; what it said before its last calls, if that is the same
    text; or a call that has it as an argument.
    """
    end = max((at for at, message in enumerate(messages, 1) if message.role != "assistant"), default=0)
    bare = [
        _keep(message, has_texts=at < end and not _is_same(message.text, trace.final_response), trace=trace)
        for at, message in enumerate(messages)
    ]
    return [message for message in bare if message.parts]


def _keep(message: Message, *, has_texts: bool, trace: AgentTrace) -> Message:
    parts = [part for part in message.parts if not isinstance(part, ReasoningPart)]
    if message.role == "assistant":
        parts = [part for part in parts if has_texts or not isinstance(part, TextPart)]
        parts = [part for part in parts if not (isinstance(part, ToolCallPart) and _is_response(part.arguments, trace))]
    return message.model_copy(update={"parts": tuple(parts)})


def _is_response(arguments: JsonObject | str | None, trace: AgentTrace) -> bool:
    """Return whether a call with these arguments is the final response, in a form that the framework offers."""
    if not isinstance(arguments, dict) or not (trace.final_response or "").strip():
        return False
    if any(isinstance(value, str) and _is_same(value, trace.final_response) for value in arguments.values()):
        return True
    return gives_answer(ToolCall(name="response", args=arguments), trace)


def _is_same(text: str | None, other: str | None) -> bool:
    return (text or "").strip() == (other or "").strip()


def _question(prompt: str, shown: Evidence, asked: JsonObject, read: JsonObject) -> Question:
    return Question(instructions=instructions(prompt), evidence=shown.text, form=asked, read=_with_faults(reader(read)))


def _with_faults(read: Callable[[str], JsonObject]) -> Callable[[str], JsonObject | BadAnswer]:
    """Return a function that returns the BadAnswer which `read` raises: other responses can still be evaluated."""

    def read_or_fault(text: str) -> JsonObject | BadAnswer:
        try:
            return read(text)
        except BadAnswer as bad:
            return bad

    return read_or_fault


def _fault(answers: Sequence[Answer], otherwise: str) -> BadAnswer:
    faults = (answer.value for answer in answers if isinstance(answer.value, BadAnswer))
    return next(faults, BadAnswer(otherwise, answers[-1].text))


def _sentences(answer: Answer) -> list[str]:
    if isinstance(answer.value, BadAnswer):
        return []
    return [sentence for sentence in answer.value["sentences"] if sentence.strip()]


def _labelled(sentences: Sequence[str], answer: Answer) -> _Labelled:
    """Return the labels that the judge gave, and what it said of each sentence."""
    listed_labels = [] if isinstance(answer.value, BadAnswer) else answer.value["labels"]
    entries = [entry for entry in listed_labels if isinstance(entry, dict)]
    labels = [label for entry in entries if (label := _label(entry)) is not None]
    by_number = {str(entry.get("sentence")): entry for entry in entries}
    told = [_told(sentence, by_number.get(str(number), {})) for number, sentence in enumerate(sentences, 1)]
    return _Labelled(labels, told)


def _label(entry: JsonObject) -> str | None:
    label = str(entry.get("label")).strip().lower()
    return label if label in _GOOD or label in _BAD else None


def _told(sentence: str, entry: JsonObject) -> JsonObject:
    texts = {name: text for name in _TEXTS if isinstance(text := entry.get(name), str) and text.strip()}
    return {"sentence": sentence, "label": _label(entry), **texts}


def _score(labelled: Sequence[_Labelled], shown: Evidence) -> Score:
    counts = Counter(label for each in labelled for label in each.labels)
    total = counts.total()
    faults = [f"{counts[label]} {label}" for label in _BAD if counts[label]]
    left_out = sum(len(each.sentences) for each in labelled) - total
    faults += [f"{left_out} without a label"] if left_out > 0 else []
    good = sum(counts[label] for label in _GOOD)
    responses = [{"value": each.value, "sentences": list(each.sentences)} for each in labelled]
    return Score(
        value=mean(each.value for each in labelled if each.value is not None),
        explanation="; ".join((f"{good} of {counted(total, 'sentence')} supported or in no need of it", *faults)),
        details=shown.details | {"responses": responses},
    )
