"""AgentV's metric of agents (https://agentv.dev). It is written in JavaScript, and compares as JavaScript does."""

from .tool_trajectory import ToolTrajectory

__all__ = ["ToolTrajectory"]
