"""Floeval's built-in metrics of agents: three that count tool calls, four that ask a judge."""

from .goal_achievement import GoalAchievement
from .response_coherence import ResponseCoherence
from .task_completion import TaskCompletion
from .tool_argument_correctness import ToolArgumentCorrectness
from .tool_call_success_rate import ToolCallSuccessRate
from .tool_selection_accuracy import ToolSelectionAccuracy
from .trajectory_faithfulness import TrajectoryFaithfulness

__all__ = [
    "GoalAchievement",
    "ResponseCoherence",
    "TaskCompletion",
    "ToolArgumentCorrectness",
    "ToolCallSuccessRate",
    "ToolSelectionAccuracy",
    "TrajectoryFaithfulness",
]
