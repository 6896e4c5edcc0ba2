"""What the wire carries of a scenario, whoever reads it: every text and number in its spans and log records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson

from tracegrade.collector.spans.values import decode_text

__all__ = ["Carried"]


@dataclass(frozen=True)
class Carried:
    """The rows of a scenario in `spans` and `logs`, as they were received."""

    spans: tuple[Mapping[str, Any], ...]
    logs: tuple[Mapping[str, Any], ...]

    @cached_property
    def texts(self) -> str:
        """Every text, with JSON and reprs inside it opened, one a line."""
        return "\n".join(leaf for leaf in self._leaves if isinstance(leaf, str))

    @cached_property
    def numbers(self) -> frozenset[float]:
        return frozenset(leaf for leaf in self._leaves if isinstance(leaf, (int, float)))

    def has(self, value: Any) -> bool:
        """Whether every text, number and flag in `value` is there."""
        if isinstance(value, Mapping):
            return all(key in self.texts and self.has(item) for key, item in value.items())
        if isinstance(value, (list, tuple)):
            return all(self.has(item) for item in value)
        if value is None or isinstance(value, bool) or value == "":
            return True
        if isinstance(value, (int, float)):
            return value in self.numbers or str(value) in self.texts
        return str(value).strip() in self.texts

    def has_key(self, part: str) -> bool:
        """Whether any attribute's key contains `part`."""
        return any(part in key for row in (*self.spans, *self.logs) for key in orjson.loads(row["attributes"]))

    def has_object(self, value: Mapping[str, Any]) -> bool:
        """Whether this very object stands somewhere."""
        return json.dumps(value, sort_keys=True) in self._objects

    def names_agent(self, name: str) -> bool:
        """Whether a span is the agent's: by its name, or by an attribute for names."""
        keys = ("agent.name", "agent_name", "entity.name", "node.id", "metadata", "functionId")
        return any(
            name in row["name"]
            or any(key.endswith(keys) and name in str(value) for key, value in orjson.loads(row["attributes"]).items())
            for row in self.spans
        )

    def has_value(self, value: Any) -> bool:
        """Whether this very object, or this very text, is a value of its own somewhere."""
        return self.has_object(value) if isinstance(value, Mapping) else value in self._leaves

    def spans_of(self, tool: str) -> list[Mapping[str, Any]]:
        """The spans that are named after a tool, or say that they are its execution."""
        rows = (row for row in self.spans if not _is_of_model(row["attributes"]))
        return [row for row in rows if tool in row["name"] or tool in _tools(row["attributes"])]

    def lasted(self, span_id: str | None, duration_ms: float) -> bool:
        """Whether that span, or one directly below it, took that long."""
        own = (row for row in self.spans if span_id in {row["span_id"], row["parent_span_id"]})
        return any(row["duration_ms"] == duration_ms for row in own)

    @cached_property
    def marks_an_error(self) -> bool:
        """Whether any value says of itself that it is an error."""
        marks = ('"is_error": true', '"isError": true', '"status": "error"')
        return any(mark in found for found in self._objects for mark in marks)

    def has_failed(self, span_id: str | None) -> bool:
        return any(row["status_code"] == "error" for row in self.spans if row["span_id"] == span_id)

    def answers(self, tool: str, result: Any) -> bool:
        """Whether some trace has both an output that asks for a tool and what the tool returned."""
        for trace_id in {row["trace_id"] for row in self.spans}:
            trace = Carried(
                tuple(row for row in self.spans if row["trace_id"] == trace_id),
                tuple(row for row in self.logs if row["trace_id"] == trace_id),
            )
            if trace.asks_for(tool) and trace.has(result):
                return True
        return False

    def asks_for(self, tool: str) -> bool:
        """Whether an output names a tool."""
        outputs = (
            str(value)
            for row in (*self.spans, *self.logs)
            for key, value in orjson.loads(row["attributes"]).items()
            if "output" in key
        )
        return any(tool in output for output in outputs)

    @cached_property
    def _objects(self) -> frozenset[str]:
        return frozenset(found for value in self._contents() for found in _objects(value))

    @cached_property
    def _leaves(self) -> tuple[Any, ...]:
        return tuple(leaf for value in self._contents() for leaf in _leaves(value))

    def _contents(self) -> Iterator[Any]:
        for row in self.spans:
            yield row["name"]
            yield row["status_message"]
            yield from (orjson.loads(row[column]) for column in ("attributes", "events", "resource"))
        for row in self.logs:
            yield from (orjson.loads(row[column]) for column in ("attributes", "body") if row[column])


def _is_of_model(attributes: str) -> bool:
    """Whether a span is a call of a model, whatever tools it names."""
    return orjson.loads(attributes).get("gen_ai.operation.name") in {"chat", "generate_content", "text_completion"}


def _tools(attributes: str) -> Iterable[Any]:
    named = (".tool.name", "tool.name", "entity.name", "toolCall.name", "tool_name", "function_tool.name")
    return [
        value for key, value in orjson.loads(attributes).items() if key.endswith(named) and not key.startswith("llm.")
    ]


def _objects(value: Any) -> Iterator[str]:
    opened = decode_text(value)
    if isinstance(opened, Mapping):
        yield json.dumps(opened, sort_keys=True)
        for item in opened.values():
            yield from _objects(item)
    elif isinstance(opened, list):
        for item in opened:
            yield from _objects(item)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, str):
        yield value
        opened = decode_text(value)
        if not isinstance(opened, str):
            yield from _leaves(opened)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield key
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif value is not None:
        yield value
