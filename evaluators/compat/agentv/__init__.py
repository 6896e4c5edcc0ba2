"""AgentV's metric of agents (https://agentv.dev), written in JavaScript, whose comparisons it follows."""

from .tool_trajectory import ToolTrajectory

__all__ = ["ToolTrajectory"]
