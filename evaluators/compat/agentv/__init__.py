"""AgentV's metric of agents (https://agentv.dev), written in JavaScript, whose comparisons it follows."""

from .tool_trajectory import ArgsMatch, ArgsMatchMode, Era, Mode, ToolTrajectory

__all__ = ["ArgsMatch", "ArgsMatchMode", "Era", "Mode", "ToolTrajectory"]
