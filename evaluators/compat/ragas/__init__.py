"""Ragas' metrics of agents: were the reference's tool calls made, and was the goal reached?"""

from .agent_goal_accuracy import AgentGoalAccuracy
from .tool_call_accuracy import ToolCallAccuracy
from .tool_call_f1 import ToolCallF1

__all__ = ["AgentGoalAccuracy", "ToolCallAccuracy", "ToolCallF1"]
