"""Reads a case of an eval file: the messages that an agent gets, and what is expected of its run."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Final, TypeAlias

from ...model import AgentTrace, GenericPart, JsonObject, Message, MessagePart, TextPart
from ..expectation import Expectation
from ..field_values import object_at, text_at
from ..imported import Imported
from ..spelling import Unreadable, first
from .case_evaluator import CaseEvaluator, read_evaluators
from .run import read_messages

__all__ = ["CASE_INPUTS", "CASE_SIGNS", "Attachments", "EvalCase", "read_case"]

Attachments: TypeAlias = Callable[[str], str]
"""Returns the text of a file that a message names by a path below the folder of the eval file. Raises OSError."""

CASE_INPUTS: Final = ("input_messages", "input")
_OUTCOMES: Final = ("criteria", "expected_outcome", "outcome")
_OUTPUTS: Final = ("expected_output", "expected_messages")
CASE_SIGNS: Final = (*_OUTCOMES, *_OUTPUTS, "assertions", "assert", "evaluators")
_EVALUATORS: Final = ("assertions", "assert", "evaluators")
_READ: Final = frozenset({"id", "conversation_id", "execution", *CASE_INPUTS, *_OUTCOMES, *_OUTPUTS, *_EVALUATORS})


@dataclass(frozen=True, slots=True)
class EvalCase:
    """A case. `place` is where it is in the file. `metadata` is what the case says besides."""

    place: str
    id: str
    input_messages: tuple[Message, ...]
    expected_outcome: str | None = None
    expected_messages: tuple[Message, ...] = ()
    evaluators: tuple[CaseEvaluator, ...] = ()
    target: str | None = None
    conversation_id: str | None = None
    skips_defaults: bool = False
    metadata: JsonObject = field(default_factory=dict)

    @property
    def question(self) -> str:
        """The texts of all messages of the input, as AgentV shows them to judges."""
        texts = (message.text or "" for message in self.input_messages)
        return " ".join(text.strip() for text in texts if text.strip())

    @property
    def input(self) -> str | JsonObject:
        """The text of the only message of the user, else an object with all `messages`."""
        if len(self.input_messages) == 1 and self.input_messages[0].role == "user":
            message = self.input_messages[0]
            if message.text is not None and all(isinstance(part, TextPart) for part in message.parts):
                return message.text
        return {"messages": [_write_message(message) for message in self.input_messages]}

    @property
    def expectation(self) -> Expectation | None:
        """What is expected of a run, as far as the evaluators agree; each has its own `reference` besides."""
        response = self.expected_messages[-1] if self.expected_messages else None
        has_calls = any(message.tool_calls for message in self.expected_messages)
        expectation = Expectation(
            expected_response=None if response is None else _write_answer(response),
            expected_trajectory=self.expected_messages if has_calls else None,
            tasks=(self.expected_outcome,) if self.expected_outcome else None,
            **_agreed(self.evaluators),
        )
        return expectation if expectation.defined else None

    def to_imported(self, place: str) -> Imported:
        """Return the case as a record that was at `place`."""
        beside = {"target": self.target, "conversation_id": self.conversation_id}
        return Imported(
            place,
            id=self.id,
            input=self.input,
            expectation=self.expectation,
            metadata={**{key: value for key, value in beside.items() if value is not None}, **self.metadata},
            evaluators=tuple(evaluator.entry for evaluator in self.evaluators),
        )


def read_case(
    item: JsonObject,
    place: str,
    *,
    defaults: Sequence[CaseEvaluator] = (),
    target: str | None = None,
    read_file: Attachments | None = None,
) -> EvalCase:
    """Return a case; `defaults` are evaluators of its file that follow its own. Raises ValueError that names the key.

    Without `read_file`, a file in a message remains a part with its path.
    """
    case_id = item.get("id")
    if not isinstance(case_id, str) or not case_id.strip():
        raise Unreadable("id is missing; write one, as text")
    execution = object_at(item, "execution") or {}
    given = first(item, CASE_INPUTS)
    if given is None:
        raise Unreadable("input_messages is missing; write the messages that the agent gets")
    outcome, expected = _read_outcome(item), _read_expected(item, read_file)
    own_evaluators = _read_own_evaluators(item, execution)
    skips_defaults = execution.get("skip_defaults") is True
    evaluators = own_evaluators if skips_defaults else (*own_evaluators, *defaults)
    if outcome is None and not expected and not evaluators:
        raise Unreadable("nothing is expected; write expected_outcome, expected_messages or evaluators")
    return EvalCase(
        place,
        case_id,
        _read_input(given, next(key for key in CASE_INPUTS if item.get(key) is not None), read_file),
        expected_outcome=outcome,
        expected_messages=expected,
        evaluators=evaluators,
        target=text_at(execution, "target", "execution") or target,
        conversation_id=text_at(item, "conversation_id"),
        skips_defaults=skips_defaults,
        metadata={key: value for key, value in item.items() if key not in _READ},
    )


def _read_outcome(item: JsonObject) -> str | None:
    key = next((key for key in _OUTCOMES if item.get(key) is not None), None)
    return None if key is None else text_at(item, key)


def _read_own_evaluators(item: JsonObject, execution: JsonObject) -> tuple[CaseEvaluator, ...]:
    for place, value in ((f"execution.{_EVALUATORS[2]}", execution.get(_EVALUATORS[2])), *_at_the_case(item)):
        if value is not None:
            return read_evaluators(value, place)
    return ()


def _at_the_case(item: JsonObject) -> list[tuple[str, Any]]:
    return [(key, item.get(key)) for key in _EVALUATORS]


def _read_input(given: object, key: str, read_file: Attachments | None) -> tuple[Message, ...]:
    if isinstance(given, dict):  # the arguments of an item whose agent takes several
        given = json.dumps(given, ensure_ascii=False)
    messages = [{"role": "user", "content": given}] if isinstance(given, str) else given
    return _insert_files(_read(messages, key), key, read_file)


def _read_expected(item: JsonObject, read_file: Attachments | None) -> tuple[Message, ...]:
    key = next((key for key in _OUTPUTS if item.get(key) is not None), None)
    if key is None:
        return ()
    given = item[key]
    if not isinstance(given, list):  # a text or an object alone is what the last message has to say
        given = [{"role": "assistant", "content": given}]
    return _insert_files(_read(given, key), key, read_file)


def _read(messages: object, key: str) -> tuple[Message, ...]:
    run: AgentTrace = read_messages(messages, key)
    if not run.messages:
        raise Unreadable(f"{key} is empty; write at least one message")
    return run.messages


def _insert_files(messages: Sequence[Message], key: str, read_file: Attachments | None) -> tuple[Message, ...]:
    return tuple(
        message.model_copy(
            update={
                "parts": tuple(
                    _insert_file(part, f"{key}[{at}].content[{index}]", read_file)
                    for index, part in enumerate(message.parts)
                )
            }
        )
        for at, message in enumerate(messages)
    )


def _insert_file(part: MessagePart, place: str, read_file: Attachments | None) -> MessagePart:
    if not isinstance(part, GenericPart) or part.kind != "file":
        return part
    path = part.content.get("value")
    if not isinstance(path, str) or not path:
        raise Unreadable(f"{place}.value is not a path; write that of a file beside the eval file")
    pure = PurePosixPath(path.replace("\\", "/"))
    if pure.is_absolute() or ".." in pure.parts or ":" in pure.parts[0]:
        raise Unreadable(f"{place}.value is {path!r}, which is outside of the folder of the eval file")
    if read_file is None:
        return part
    try:
        return TextPart(content=read_file(str(pure)))
    except (OSError, ValueError) as error:
        raise Unreadable(f"{place}.value: {path} cannot be read: {error}") from error


def _write_answer(message: Message) -> str | None:
    """Return the text of the last expected message; JSON if it is an object, or if it has only tool calls."""
    if message.text is not None:
        return message.text
    values = [part.content.get("value", part.content) for part in message.parts if isinstance(part, GenericPart)]
    if values:
        return json.dumps(values[0] if len(values) == 1 else values, ensure_ascii=False)
    return None


def _write_message(message: Message) -> JsonObject:
    parts = [part.content if isinstance(part, TextPart) else part.model_dump(mode="json") for part in message.parts]
    is_text = len(parts) == 1 and isinstance(parts[0], str)
    return {"role": message.role, "content": parts[0] if is_text else parts}


def _agreed(evaluators: Sequence[CaseEvaluator]) -> JsonObject:
    """Return the expected calls and minimums on which all evaluators agree that expect some."""
    references = [evaluator.reference for evaluator in _flatten(evaluators) if evaluator.reference is not None]
    agreed: JsonObject = {}
    for name in ("expected_tool_calls", "minimums"):
        values = [value for reference in references if (value := getattr(reference, name)) is not None]
        if values and all(value == values[0] for value in values):
            agreed[name] = values[0]
    return agreed


def _flatten(evaluators: Sequence[CaseEvaluator]) -> list[CaseEvaluator]:
    return [inner for each in evaluators for inner in (each, *_flatten(each.members))]
