"""Files of eval sets: each case is an item, or an item for each turn of its conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from ...model import JsonObject
from ..imported import Imported, RecordFault, read_each
from ..kind import NO_CLAIM, Claim, Kind
from ..record import Record
from ..spelling import Unreadable, entries, record
from .invocation import Turn, read_invocation, read_query
from .spelling import get
from .writing import write_eval_set

__all__ = ["KIND"]

_LISTS: Final = ("eval_cases", "evalCases")
_BESIDE: Final = ("session_input", "final_session_state", "rubrics")


def claim(record_: Record) -> Claim:
    """Claim cases of eval sets, in the present form and in the two older ones."""
    value = record_.value
    if record_.is_csv or not isinstance(value, dict):
        return NO_CLAIM
    if record_.list_name in _LISTS:
        return Claim(3, "eval_cases")
    if get(value, "conversation_scenario") or _has_contents(get(value, "conversation")):
        return Claim(3, "conversation[].user_content")
    if "query" in value and "expected_tool_use" in value:
        return Claim(3, "query, expected_tool_use")
    data = value.get("data")
    has_queries = isinstance(data, list) and bool(data) and isinstance(data[0], dict) and "query" in data[0]
    return Claim(3, "name, data[].query") if has_queries else NO_CLAIM


def _has_contents(conversation: object) -> bool:
    if not isinstance(conversation, list) or not conversation:
        return False
    return isinstance(conversation[0], dict) and get(conversation[0], "user_content") is not None


def read(records: Iterable[Record]) -> Iterator[Imported | RecordFault]:
    """Read cases as items. The items of one conversation say in their metadata which, and which turn they are."""
    return read_each(records, _read_case)


def _read_case(record_: Record) -> Iterator[Imported]:
    value = record(record_.value, "the case")
    if "query" in value:
        yield from _make_items(record_.place, None, [read_query(value, "the entry")], {})
        return
    if (data := value.get("data")) is not None:
        turns = [read_query(entry, f"data[{index}]") for index, entry in enumerate(entries(data, "data"))]
        session = value.get("initial_session")
        yield from _make_items(record_.place, value.get("name"), turns, _keep(initial_session=session))
        return
    case_id, metadata = get(value, "eval_id", "case_id"), _keep(**{key: get(value, key) for key in _BESIDE})
    if (scenario := get(value, "conversation_scenario")) is not None:
        yield _read_scenario(record_.place, case_id, record(scenario, "conversation_scenario"), metadata)
        return
    conversation = entries(get(value, "conversation"), "conversation")
    turns = [read_invocation(entry, f"conversation[{index}]") for index, entry in enumerate(conversation)]
    yield from _make_items(record_.place, case_id, turns, metadata)


def _make_items(place: str, case_id: object, turns: list[Turn], metadata: JsonObject) -> Iterator[Imported]:
    if not turns:
        raise Unreadable("its conversation is empty")
    name = None if case_id is None else str(case_id)
    for number, turn in enumerate(turns, start=1):
        is_alone = len(turns) == 1
        about = {} if is_alone else {"conversation": name or place, "turn": number}
        yield Imported(
            place,
            id=name if is_alone or name is None else f"{name}-{number}",
            expectation=turn.expectation if turn.expectation.defined else None,
            input=turn.request,
            metadata={**metadata, **about},
        )


def _read_scenario(place: str, case_id: object, scenario: Mapping[str, Any], metadata: JsonObject) -> Imported:
    prompt = get(scenario, "starting_prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        raise Unreadable("conversation_scenario.starting_prompt is missing")
    plan = _keep(conversation_plan=get(scenario, "conversation_plan"), user_persona=get(scenario, "user_persona"))
    return Imported(place, id=None if case_id is None else str(case_id), input=prompt, metadata={**metadata, **plan})


def _keep(**fields: Any) -> JsonObject:
    """Return the fields that are neither null nor empty."""
    return {key: value for key, value in fields.items() if value}


KIND: Final = Kind(
    "adk", "eval sets of Google's ADK, and of agentevals-dev's agentevals", claim, read, write_eval_set, _LISTS
)
