"""Sessions are imported with the files of their sub-agents, and no file outside of the session is opened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tracegrade.collector.conversion.recognition import open_file
from tracegrade.collector.conversion.sub_agent_files import open_sub_agent
from tracegrade.evaluators.formats.imported import Imported

TASK = {"type": "tool_use", "id": "c1", "name": "Task", "input": {"prompt": "Find it", "subagent_type": "explorer"}}


def make_line(sort: str, uuid: str, content: Any, **fields: Any) -> dict[str, Any]:
    message = {"id": f"m-{uuid}", "role": sort, "content": content}
    return {"sessionId": "s1", "type": sort, "uuid": uuid, "isSidechain": False, "message": message, **fields}


def write_lines(path: Path, *lines: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


def read_agents(path: Path) -> list[tuple[str | None, str | None]]:
    with open_file(path) as file:
        runs = [entry.run for entry in file.entries if isinstance(entry, Imported)]
    return [(run.agent_name, run.final_response) for run in runs if run is not None]


def test_a_session_of_claude_code_is_read_with_the_files_of_its_sub_agents(tmp_path: Path) -> None:
    result = [{"type": "tool_result", "tool_use_id": "c1", "content": "In a.py"}]
    session = write_lines(
        tmp_path / "s1.jsonl",
        make_line("user", "u", "Where?"),
        make_line("assistant", "a", [TASK]),
        make_line("user", "r", result, toolUseResult={"agentId": "e1"}),
        make_line("assistant", "b", "There."),
    )
    write_lines(
        tmp_path / "s1" / "subagents" / "agent-e1.jsonl",
        make_line("user", "x", "Find it", isSidechain=True, agentId="e1"),
        make_line("assistant", "y", "In a.py", isSidechain=True, agentId="e1"),
    )
    assert read_agents(session) == [("claude-code", "There."), ("explorer", "In a.py")]


def test_a_session_of_codex_is_read_with_the_rollouts_of_its_sub_agents(tmp_path: Path) -> None:
    def make_item(**payload: Any) -> dict[str, Any]:
        return {"timestamp": "2025-10-01T10:00:00Z", "type": "response_item", "payload": payload}

    def say(role: str, text: str) -> dict[str, Any]:
        return make_item(type="message", role=role, content=[{"type": "text", "text": text}])

    session = write_lines(
        tmp_path / "rollout-2025-10-01T10-00-00-0199.jsonl",
        {"type": "session_meta", "payload": {"id": "0199"}},
        say("user", "Where?"),
        make_item(type="function_call", name="spawn_agent", arguments="{}", call_id="c1"),
        make_item(type="function_call_output", call_id="c1", output='{"agent_id": "01bb"}'),
        say("assistant", "There."),
    )
    write_lines(
        tmp_path / "rollout-2025-10-01T10-00-05-01bb.jsonl",
        {"type": "session_meta", "payload": {"id": "01bb", "source": {"subagent": "explorer"}}},
        say("user", "Find it"),
        say("assistant", "In a.py"),
    )
    assert read_agents(session) == [("codex", "There."), ("explorer", "In a.py")]


@pytest.mark.parametrize("name", ["../other", "a/b", "*", "", "x" * 300, "missing"])
@pytest.mark.parametrize("kind", ["claude-code", "codex", "floeval"])
def test_a_name_that_is_no_plain_word_or_has_no_file_opens_nothing(tmp_path: Path, kind: str, name: str) -> None:
    write_lines(tmp_path / "other.jsonl")
    write_lines(tmp_path / "s1" / "other.jsonl")
    write_lines(tmp_path / "rollout-1-0199.jsonl")
    assert open_sub_agent(write_lines(tmp_path / "s1.jsonl"), kind, name) is None


def test_a_link_to_another_file_is_not_followed(tmp_path: Path) -> None:
    secret = write_lines(tmp_path / "secret.jsonl", make_line("user", "x", "secret"))
    link = tmp_path / "s1" / "subagents" / "agent-e1.jsonl"
    link.parent.mkdir(parents=True)
    link.symlink_to(secret)
    assert open_sub_agent(write_lines(tmp_path / "s1.jsonl"), "claude-code", "e1") is None
