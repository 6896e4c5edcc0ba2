"""The parsers of gllm-evals' DeepEval metrics: from trajectories and lists of tools to the calls that are compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ...formats.gl import Step, steps, tool_calls
from ...formats.spelling import entries, record
from ...formats.tool_names import normalize_tool_name
from ...model import JsonObject

__all__ = ["ToolCall", "ToolCallParser", "TrajectoryParser"]

_SUFFIX: Final = "random4"
_KIND: Final = "tool"


class ToolCall(NamedTuple):
    """A call as DeepEval compares it."""

    name: str
    input_parameters: JsonObject | None = None
    output: str | None = None


class ToolCallParser:
    """Reads lists of tools: `{name, args, output}`."""

    def create_tool_call_object(
        self,
        steps: Sequence[Mapping[str, Any]],
        normalize_names: bool = True,  # noqa: FBT001, FBT002 - as in the document
        include_output: bool = True,  # noqa: FBT001, FBT002
    ) -> list[ToolCall]:
        """Return the calls of steps. Raises ValueError that names a step that cannot be read."""
        read = [
            Step(step.get("name"), step.get("args"), step.get("output"), position)
            for position, step in enumerate(steps)
        ]
        suffix = _SUFFIX if normalize_names else None
        return [
            ToolCall(call.name, call.args, call.result)
            for call in tool_calls(read, suffix, include_output=include_output)
        ]

    def normalize_tool_name(self, tool_name: str) -> str:
        """Return the name without a random ending, such as `_xg7c`, `_zor2` or `_nxle`; `_data` and `_name` stay."""
        return normalize_tool_name(tool_name, _SUFFIX) or tool_name

    def parse(self, tool_calls: object) -> list[JsonObject]:
        """Return the steps in a list of tools. Raises ValueError that names an item that cannot be read."""
        items = entries(tool_calls, "tool_calls")
        return list(_steps(record(item, f"tool_calls[{index}]") for index, item in enumerate(items)))


class TrajectoryParser:
    """Reads trajectories in OpenAI's format."""

    def convert_trajectory_to_steps(self, trajectory: Sequence[Mapping[str, Any]]) -> list[JsonObject]:
        """Return the calls in a trajectory as `{tool_call_id, kind, name, args}`, with `output` where there is one.

        The id is that of the trajectory. A call that is made again after it had no result is two steps of one
        `tool_call_id`, without and with one. Raises ValueError that names the message that cannot be read.
        """
        read = steps(trajectory)
        ids: dict[int, Any] = {}
        for step in read:
            ids.setdefault(step.group, f"call_{step.group}" if step.call_id is None else step.call_id)
        return [
            {
                "tool_call_id": ids[step.group],
                "kind": _KIND,
                "name": step.name,
                "args": step.args,
                **({} if step.output is None else {"output": step.output}),
            }
            for step in read
        ]

    def parse(self, trajectory: Sequence[Mapping[str, Any]]) -> list[JsonObject]:
        """Return the steps of a trajectory, like `convert_trajectory_to_steps`."""
        return self.convert_trajectory_to_steps(trajectory)


def _steps(items: Iterable[JsonObject]) -> Iterable[JsonObject]:
    for item in items:
        output = {} if item.get("output") is None else {"output": item["output"]}
        yield {"kind": _KIND, "name": item.get("name"), "args": item.get("args"), **output}
