"""Files of records for agentevals of LangChain: `outputs` and `reference_outputs`, each a list of messages.

The messages are OpenAI's or LangChain's, in a list, under `messages`, or a single one.
Source: https://github.com/langchain-ai/agentevals
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from ..model import AgentTrace
from .expectation import Expectation
from .imported import Imported, RecordFault, read_each
from .kind import NO_CLAIM, Claim, Kind
from .langchain_file import run_of_langchain
from .langchain_messages import is_message
from .openai_file import read_messages
from .record import Record
from .spelling import Unreadable, text_of
from .trajectory import find_input, run_of_messages
from .trajectory_file import first_message

__all__ = ["KIND"]

_KEYS: Final = ("outputs", "reference_outputs")
_KNOWN: Final = frozenset({*_KEYS, "inputs", "id", "metadata"})


def claim(record: Record) -> Claim:
    """Claim records whose outputs or reference outputs are messages."""
    value = record.value
    if record.is_csv or not isinstance(value, dict):
        return NO_CLAIM
    keys = [key for key in _KEYS if _begins_with_message(value.get(key)) or _is_graph(value.get(key))]
    return Claim(3, ", ".join(keys)) if keys else NO_CLAIM


def _begins_with_message(value: object) -> bool:
    message = first_message(value)
    return message is not None and (isinstance(message.get("role"), str) or is_message(message))


def _is_graph(value: object) -> bool:
    return isinstance(value, dict) and "steps" in value and "results" in value


def read(records: Iterable[Record]) -> Iterator[Imported | RecordFault]:
    """Read records: with outputs as runs, without as items."""
    return read_each(records, _read_record)


def _read_record(record: Record) -> Iterator[Imported]:
    value = record.value
    if not isinstance(value, dict) or not any(key in value for key in _KEYS):
        raise Unreadable("it has neither outputs nor reference_outputs")
    outputs, reference = (_list_messages(value.get(key), key) for key in _KEYS)
    run = None if outputs is None else _read_run(outputs, "outputs")
    expected = None if reference is None else _read_run(reference, "reference_outputs").messages
    request = _read_input(value.get("inputs")) or (run.input if run is not None else find_input(expected or ()))
    metadata = value.get("metadata")
    rest = {key: below for key, below in value.items() if key not in _KNOWN}
    yield Imported(
        record.place,
        id=None if value.get("id") is None else str(value["id"]),
        run=None if run is None else run.model_copy(update={"input": request}),
        expectation=None if expected is None else Expectation(expected_trajectory=expected),
        input=request,
        metadata={**rest, **metadata} if isinstance(metadata, dict) else rest,
    )


def _list_messages(value: object, place: str) -> list[Any] | None:
    if value is None:
        return None
    if _is_graph(value):
        raise Unreadable(f"{place}: a trajectory of graph nodes records no messages, and is not read")
    if isinstance(value, dict):
        return value["messages"] if isinstance(value.get("messages"), list) else [value]
    if not isinstance(value, list):
        raise Unreadable(f"{place}: it is not a list of messages")
    return value


def _read_run(messages: list[Any], place: str) -> AgentTrace:
    if any(isinstance(message, dict) and is_message(message) for message in messages):
        return run_of_langchain(messages, place)
    return run_of_messages(read_messages(messages, place))


def _read_input(value: object) -> str | None:
    """Return the text of the inputs: themselves, of their only key, or of the user's message in them."""
    if isinstance(value, dict) and len(value) == 1 and not isinstance(value.get("messages"), list):
        (value,) = value.values()
    if _begins_with_message(value):
        return find_input(_read_run(_list_messages(value, "inputs") or [], "inputs").messages)
    return None if value is None else text_of(value)


KIND: Final = Kind("agentevals", "records of LangChain's agentevals: outputs and reference_outputs", claim, read)
