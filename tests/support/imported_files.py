"""Examples of the files of other systems, and functions that read them."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

from tracegrade.evaluators.experiments.item_kinds import load_all_kinds
from tracegrade.evaluators.formats.imported import Imported, RecordFault
from tracegrade.evaluators.formats.kinds import DetectedFile, read_file

__all__ = ["EXAMPLES", "detect", "entries", "faults", "read_entries"]

_CALL = {"name": "get_weather", "args": {"city": "Paris"}}
_OPENAI: list[dict[str, Any]] = [
    {"role": "user", "content": "Weather in Paris?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "18C"},
    {"role": "assistant", "content": "18C."},
]

EXAMPLES: Mapping[str, dict[str, Any]] = {
    "floeval": {
        "user_input": "Weather in Paris?",
        "reference_outcome": "A summary.",
        "reference_tool_calls": [_CALL],
        "trace": {
            "messages": [
                {"role": "human", "content": "Weather in Paris?"},
                {"role": "ai", "content": "", "tool_calls": [_CALL]},
                {"role": "tool", "tool_name": "get_weather", "content": "18C"},
                {"role": "ai", "content": "18C."},
            ],
            "final_response": "18C.",
        },
    },
    "openai": {"messages": _OPENAI, "expected_tool_calls": [_CALL]},
    "gl": {
        "query": "Weather in Paris?",
        "generated_response": "18C.",
        "tools_called": [{**_CALL, "output": "18C"}],
        "expected_tools": [_CALL],
    },
    "langchain": {
        "messages": [
            {"type": "human", "data": {"content": "Weather in Paris?", "type": "human"}},
            {
                "type": "ai",
                "data": {"content": "", "tool_calls": [{**_CALL, "id": "c1", "type": "tool_call"}], "type": "ai"},
            },
            {"type": "tool", "data": {"content": "18C", "tool_call_id": "c1", "type": "tool"}},
            {"type": "ai", "data": {"content": "18C.", "type": "ai"}},
        ],
        "expected_tool_calls": [_CALL],
    },
    "agentevals": {"outputs": _OPENAI, "reference_outputs": _OPENAI},
    "adk": {
        "eval_id": "case_1",
        "conversation": [
            {
                "user_content": {"role": "user", "parts": [{"text": "Weather in Paris?"}]},
                "final_response": {"role": "model", "parts": [{"text": "18C."}]},
                "intermediate_data": {"tool_uses": [{"id": None, **_CALL}], "intermediate_responses": []},
            }
        ],
    },
    "dokimos": {
        "examples": [
            {
                "inputs": {"input": "Weather in Paris?"},
                "expectedOutputs": {"output": "18C.", "toolCalls": [{"name": "get_weather", "arguments": {}}]},
            }
        ]
    },
    "items": {"input": "Weather in Paris?", "expected_tool_calls": [_CALL]},
}
"""A record of each kind, which expects a call of get_weather; of the kinds of runs, one that made it."""


def detect(content: object, name: str | None = None, **options: Any) -> DetectedFile:
    """The file with these bytes, this text, or this value as JSON, as a person's command would read it."""
    text = content if isinstance(content, (bytes, str)) else json.dumps(content)
    data = text.encode() if isinstance(text, str) else text
    return read_file(io.BytesIO(data), name, kinds=load_all_kinds(), **options)


def read_entries(content: object, name: str | None = None) -> list[Imported | RecordFault]:
    return list(detect(content, name).entries)


def entries(content: object, name: str | None = None) -> list[Imported]:
    """What is in a file without faults."""
    found = read_entries(content, name)
    assert not [entry for entry in found if isinstance(entry, RecordFault)], found
    return [entry for entry in found if isinstance(entry, Imported)]


def faults(content: object, name: str | None = None) -> list[str]:
    """The faults of a file, each with its place."""
    found = read_entries(content, name)
    return [f"{entry.place}: {entry.reason}" for entry in found if isinstance(entry, RecordFault)]
