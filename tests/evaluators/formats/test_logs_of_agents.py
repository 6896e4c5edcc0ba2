"""Files of AgentV, ATIF, Claude Code and Codex are recognised among all others, also where they are damaged."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from tests.support.imported_files import EXAMPLES, detect, entries, read_entries

from tracegrade.evaluators.formats.imported import Imported, RecordFault
from tracegrade.evaluators.formats.kinds import UnknownKind

_CLAUDE = {"sessionId": "s", "isSidechain": False, "version": "2.0.1", "timestamp": "2025-10-01T10:00:00.000Z"}
_USAGE = {"input_tokens": 4, "output_tokens": 2}


def _claude(sort: str, uuid: str, **message: Any) -> dict[str, Any]:
    return {**_CLAUDE, "type": sort, "uuid": uuid, "message": message}


def _codex(**payload: Any) -> dict[str, Any]:
    return {"timestamp": "2025-10-01T10:00:00.000Z", "type": "response_item", "payload": payload}


LOGS: dict[str, list[dict[str, Any]]] = {
    "agentv": [
        {
            "id": "eval-001",
            "input": "Weather in Paris?",
            "output_messages": [
                {
                    "role": "assistant",
                    "content": "18C.",
                    "tool_calls": [{"tool": "get_weather", "input": {"city": "Paris"}, "output": "18C"}],
                }
            ],
        }
    ],
    "atif": [
        {
            "schema_version": "ATIF-v1.8",
            "agent": {"name": "a", "version": "1"},
            "steps": [
                {"step_id": 1, "source": "user", "message": "Weather in Paris?"},
                {
                    "step_id": 2,
                    "source": "agent",
                    "message": "",
                    "tool_calls": [
                        {"tool_call_id": "c1", "function_name": "get_weather", "arguments": {"city": "Paris"}}
                    ],
                    "observation": {"results": [{"source_call_id": "c1", "content": "18C"}]},
                },
                {"step_id": 3, "source": "agent", "message": "18C."},
            ],
        }
    ],
    "claude-code": [
        _claude("user", "u", role="user", content="Weather in Paris?"),
        _claude(
            "assistant",
            "a1",
            id="m1",
            role="assistant",
            model="claude-sonnet-4-5",
            usage=_USAGE,
            content=[{"type": "tool_use", "id": "c1", "name": "get_weather", "input": {"city": "Paris"}}],
        ),
        _claude("user", "r", role="user", content=[{"type": "tool_result", "tool_use_id": "c1", "content": "18C"}]),
        _claude("assistant", "a2", id="m2", role="assistant", content=[{"type": "text", "text": "18C."}]),
    ],
    "codex": [
        {"timestamp": "2025-10-01T10:00:00.000Z", "type": "session_meta", "payload": {"id": "0199"}},
        _codex(type="message", role="user", content=[{"type": "input_text", "text": "Weather in Paris?"}]),
        _codex(type="function_call", name="get_weather", arguments='{"city": "Paris"}', call_id="c1"),
        _codex(type="function_call_output", call_id="c1", output="18C"),
        _codex(type="message", role="assistant", content=[{"type": "output_text", "text": "18C."}]),
    ],
}
SESSIONS = ["claude-code", "codex"]


def lines(*records: object) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


@pytest.mark.parametrize("name", LOGS)
def test_a_log_is_recognised_as_lines_as_a_list_and_gzipped(name: str) -> None:
    text = lines(*LOGS[name])
    for content in (text, gzip.compress(text.encode()), b"\xef\xbb\xbf" + text.encode(), json.dumps(LOGS[name])):
        file = detect(content)
        assert (file.kind.name, bool(file.reason)) == (name, True)
        (entry,) = file.entries
        assert isinstance(entry, Imported)
        assert entry.run is not None
        assert (entry.run.input, entry.run.final_response) == ("Weather in Paris?", "18C.")
        (call,) = entry.run.tool_calls
        assert (call.name, call.args, call.result) == ("get_weather", {"city": "Paris"}, "18C")


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        pytest.param(b'{"type": "user", "message": ', "this is not JSON", id="cut off"),
        pytest.param(b'{"text": "caf\xe9"}', "byte 0xe9", id="Latin-1"),
        pytest.param(b'{"a": "\\ud83d"}', "half a character", id="half a character"),
        pytest.param(b"[" * 100_000, "", id="nested deeply"),
        pytest.param(b"7", "", id="a number"),
        pytest.param(b"[1, 2]", "", id="a list of numbers"),
        pytest.param(b"\x00\x00", "this is not JSON", id="NUL bytes"),
    ],
)
def test_a_damaged_line_at_the_end_is_named_and_the_run_is_kept(name: str, damage: bytes, fault: str) -> None:
    found = read_entries(lines(*LOGS[name]).encode() + damage)
    runs = [entry.run for entry in found if isinstance(entry, Imported)]
    faults = [entry for entry in found if isinstance(entry, RecordFault)]
    assert len(runs) == 1
    assert faults
    assert faults[0].place.startswith(f"line {len(LOGS[name]) + 1}")
    assert fault in faults[0].reason


@pytest.mark.parametrize("name", LOGS)
def test_a_record_of_another_kind_is_named_with_its_kind(name: str) -> None:
    found = read_entries(lines(*LOGS[name], *LOGS[name], EXAMPLES["floeval"]))
    (fault,) = [entry for entry in found if isinstance(entry, RecordFault)]
    assert "it is of the kind floeval" in fault.reason


@pytest.mark.parametrize("name", LOGS)
def test_keys_that_are_there_twice_and_numbers_of_any_size_are_read(name: str) -> None:
    first = json.dumps(LOGS[name][0]).replace(
        "{", '{"huge": 123456789012345678901234567890, "twice": 1, "twice": NaN, ', 1
    )
    found = read_entries(first + "\n" + lines(*LOGS[name][1:]))
    assert [isinstance(entry, Imported) for entry in found] == [True]


@pytest.mark.parametrize("name", SESSIONS)
def test_lines_in_any_order_are_kept(name: str) -> None:
    first, *rest = LOGS[name]
    found = read_entries(lines(first, *reversed(rest)))
    calls = [call.name for entry in found if isinstance(entry, Imported) and entry.run for call in entry.run.tool_calls]
    assert calls == ["get_weather"]


def test_a_session_without_runs_has_none() -> None:
    assert entries(lines({"type": "summary", "summary": "Files", "leafUuid": "u"})) == []


def test_a_file_of_steps_alone_is_of_no_kind() -> None:
    with pytest.raises(UnknownKind):
        detect({"steps": LOGS["atif"][0]["steps"]})
