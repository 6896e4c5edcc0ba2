"""Recognises tools that a framework adds to those of the user: hand-offs to other agents, forms of a final answer.

Most instrumentations do not record them as offered. Sources: openai-agents (`transfer_to_<agent>`), LangGraph's swarm
and supervisor (`transfer_to_`, `transfer_back_to_`, `forward_message`), Agent Framework (`handoff_to_`), Semantic
Kernel (`Handoff-transfer_to_`, `Handoff-complete_task`), Google ADK (`transfer_to_agent`, `set_model_response`,
`adk_request_*`), LlamaIndex (`handoff`), Pydantic AI (`final_result`, `final_result_<type>`), smolagents
(`final_answer`, `python_interpreter`, and managed agents, which are called like tools), Claude Agent SDK
(`StructuredOutput`), LiteLLM (`json_tool_call`), Strands (`strands_structured_output`), deepagents (`write_todos`,
`task`, tools of files).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ...model import AgentTrace, ToolCall, ToolDefinition
from ..closing import gives_answer
from .offered import same_name

__all__ = ["framework_role", "has_ordinary_tools", "is_hand_off"]

_HAND_OFF: Final = re.compile(
    r"(?:handoff[-_.])?(?:transfer(?:_back)?|hand_?off)_to_\w+|hand_?off|handoff[-_.]\w+|forward_message", re.IGNORECASE
)
_OUTPUT: Final = re.compile(
    r"final_(?:answer|result|output)(?:_\w+)?|(?:\w+_)?structured_?output|set_model_response|json_tool_call",
    re.IGNORECASE,
)
_REQUEST: Final = re.compile(r"adk_request_\w+")
_OF_DEEP_AGENTS: Final = frozenset(
    {"edit_file", "execute", "glob", "grep", "ls", "read_file", "task", "write_file", "write_todos"}
)
"""What the middleware of deepagents 0.7 offers beside the tools of the user."""
_CODE: Final = "python_interpreter"
_TASK: Final = frozenset({"task", "additional_args"})


def has_ordinary_tools(tools: Iterable[ToolDefinition]) -> bool:
    """Return False if only hand-offs were recorded as offered, as by AutoGen: its functions may be missing."""
    names = [tool.name for tool in tools]
    return not names or not all(map(is_hand_off, names))


def is_hand_off(name: str) -> bool:
    """Return whether a tool of this name hands the work over to another agent."""
    return _HAND_OFF.fullmatch(name) is not None


def framework_role(call: ToolCall, trace: AgentTrace) -> str | None:
    """Return the role of `call` in the framework that ran `trace`; None if it is a call of an ordinary tool."""
    if is_hand_off(call.name):
        return "a hand-off, which the framework offers"
    if _OUTPUT.fullmatch(call.name) or gives_answer(call, trace):
        return "the final answer, whose form the framework offers"
    if _REQUEST.fullmatch(call.name):
        return "a request of the framework to its user"
    if call.name in _OF_DEEP_AGENTS and any(map(_is_of_deep_agents, trace.tool_calls)):
        return "a tool that deepagents adds"
    if call.name == _CODE:
        return "code, which the framework runs"
    return "an agent, which was offered as such" if _is_agent(call, trace) else None


def _is_of_deep_agents(call: ToolCall) -> bool:
    """Return whether the call is one that only the agents of deepagents make: of their list of tasks, or sub-agents."""
    return call.name == "write_todos" or (call.name == "task" and "subagent_type" in (call.args or {}))


def _is_agent(call: ToolCall, trace: AgentTrace) -> bool:
    """Return whether the tool is an agent: there is a run of it below this one, or it gets a task as in smolagents."""
    runs_below = (other.agent_name for other in trace.tool_calls if other.child_agent_trace_id is not None)
    if any(name is not None and same_name(call.name, name) for name in runs_below):
        return True
    has_task = call.args is not None and "task" in call.args and call.args.keys() <= _TASK
    return has_task and call.status == "ok"
