"""AgentV's metrics of agents (https://agentv.dev), written in JavaScript, whose comparisons they follow."""

from .tool_trajectory import ToolTrajectory
from .trajectory import StepCount, ToolArgsMatch, ToolSequence, ToolUsed

__all__ = ["StepCount", "ToolArgsMatch", "ToolSequence", "ToolTrajectory", "ToolUsed"]
