"""Items of datasets."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias

import orjson
from pydantic import Field, StringConstraints, field_validator, model_validator

from ..definition.recorded import unrecorded_calls
from ..formats.expectation import FIELDS, Expectation
from ..model import AgentTrace, ExpectedCall, JsonObject
from ..model.value import Value
from ..text.unstorable import find_unstorable
from ..text.validation_errors import at

__all__ = ["CONTENT_FIELDS", "DatasetItem", "Expect", "ItemSource", "NotRecorded"]

Expect: TypeAlias = Literal["calls", "response"]
"""The part of a run that becomes the expectation of its item: its tool calls, or its final response."""

_Word = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class NotRecorded(ValueError):
    """A run cannot become the item that is asked for, since a part of it was not recorded."""


class ItemSource(Value):
    """The run that an item was made of."""

    agent_trace_id: str
    revision: int


class DatasetItem(Expectation):
    """An input of an agent, and what is expected of its run on it.

    Without an `id`, which may be a number, it has one that is made of its input, so that the same input is one item.
    `input` is a text, or an object for a task that takes several arguments.
    """

    id: _Word = ""
    input: str | JsonObject
    split: _Word | None = Field(default=None, description="such as train or test")
    tags: tuple[_Word, ...] = ()
    metadata: JsonObject = Field(default={}, description="for users; nothing reads it but their own code")
    source: ItemSource | None = Field(default=None, description="the run that it was made of")

    @field_validator("input")
    @classmethod
    def _refuse_empty(cls, value: str | JsonObject) -> str | JsonObject:
        if not value or (isinstance(value, str) and not value.strip()):
            raise ValueError("it is empty; an agent needs something to answer")
        return value

    @field_validator("tags")
    @classmethod
    def _sort_tags(cls, tags: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(sorted(set(tags)))

    @model_validator(mode="before")
    @classmethod
    def _give_id(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        if (unstorable := find_unstorable(values)) is not None:
            keys, reason = unstorable
            raise at(*keys, fault=reason)
        given = values.get("id")
        if isinstance(given, int) and not isinstance(given, bool):
            return {**values, "id": str(given)}
        return {**values, "id": _compute_id(values["input"])} if given is None and "input" in values else values

    def is_in(self, split: str | None, tags: Collection[str] | str = ()) -> bool:
        """Return whether the item is in the split (None: any) and has all of these tags, or this one."""
        wanted = {tags} if isinstance(tags, str) else set(tags)
        return split in {None, self.split} and wanted <= set(self.tags)

    @property
    def hash(self) -> str:
        """A hash that is the same for two items with the same content, whatever run they were made of."""
        return self._compute_hash(CONTENT_FIELDS)

    @property
    def comparison_hash(self) -> str:
        """A hash that is the same for two items with the same input and expectations: scores on them can be compared,
        however the items are sorted and described."""
        return self._compute_hash(("input", *FIELDS))

    def _compute_hash(self, fields: Iterable[str]) -> str:
        content = self.model_dump(mode="json", include={*fields})
        return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]

    @classmethod
    def of_run(
        cls, run: AgentTrace, *, expect: Collection[Expect] = (), fields: Mapping[str, Any] | None = None
    ) -> DatasetItem:
        """Return an item with the input of a run, the tools that it was offered, and the expectations of its reference.

        `expect` names what the run itself did that is expected from now on; it replaces what the reference says of it.
        `fields` replace any other. Raises NotRecorded if its input, or what is to be expected, was not recorded, and
        ValueError if one of the `fields` is wrong.
        """
        expected = {} if run.reference is None else {name: getattr(run.reference, name) for name in FIELDS}
        if "calls" in expect:
            _require_calls(run)
            calls = tuple(ExpectedCall(name=call.name, args=call.args) for call in run.trajectory)
            expected |= {"expected_tool_calls": calls, "expected_trajectory": None}
        if "response" in expect:
            if run.final_response is None:
                raise NotRecorded("its final response was not recorded, so it cannot be expected")
            expected["expected_response"] = run.final_response
        source = ItemSource(agent_trace_id=run.agent_trace_id, revision=run.revision)
        values = {**expected, "input": run.input, "tools": run.tools_offered, "source": source, **(fields or {})}
        if values["input"] is None:
            raise NotRecorded("its input was not recorded")
        return cls.model_validate(values)


CONTENT_FIELDS: Final = tuple(name for name in DatasetItem.model_fields if name not in {"id", "source"})
"""The fields that make two versions of an item different."""


def _require_calls(run: AgentTrace) -> None:
    """Raise NotRecorded if the run may have made calls that are not recorded: they are not "no calls"."""
    if (why := unrecorded_calls(run)) is not None:
        raise NotRecorded(f"its {why}, so they cannot be expected")


def _compute_id(value: object) -> str:
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS, default=str)).hexdigest()[:12]
