"""Maps items of datasets to rows of `dataset_items`, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import orjson

from tracegrade.evaluators.experiments.item import DatasetItem, ItemSource

__all__ = ["item_of", "item_row"]

_JSON: Final = (
    "expected_tool_calls",
    "minimums",
    "expected_trajectory",
    "tasks",
    "constraints",
    "tools",
    "tags",
    "metadata",
)
_TEXT: Final = ("expected_response", "split")


def item_row(item: DatasetItem) -> dict[str, Any]:
    """Return the columns of an item that do not depend on versions."""
    fields = item.model_dump(mode="json")
    is_object = not isinstance(item.input, str)
    return {
        "item_id": item.id,
        "input": orjson.dumps(item.input).decode() if is_object else item.input,
        "input_is_object": is_object,
        **{name: None if fields[name] is None else orjson.dumps(fields[name]).decode() for name in _JSON},
        **{name: fields[name] for name in _TEXT},
        "source_agent_trace_id": item.source.agent_trace_id if item.source else None,
        "source_revision": item.source.revision if item.source else None,
        "content_hash": item.hash,
    }


def item_of(row: Mapping[str, Any]) -> DatasetItem:
    """Build the item of a row."""
    source = row["source_agent_trace_id"]
    return DatasetItem(
        id=row["item_id"],
        input=orjson.loads(row["input"]) if row["input_is_object"] else row["input"],
        **{name: None if row[name] is None else orjson.loads(row[name]) for name in _JSON},
        **{name: row[name] for name in _TEXT},
        source=None if source is None else ItemSource(agent_trace_id=source, revision=row["source_revision"]),
    )
