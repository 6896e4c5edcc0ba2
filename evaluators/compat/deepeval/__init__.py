"""DeepEval: tools, their arguments and permissions, needless steps and plans."""

from .argument_correctness import ArgumentCorrectness
from .steps_and_plans import PlanAdherence, PlanQuality, StepEfficiency
from .tool_correctness import ToolCorrectness, with_tool_selection
from .tool_permission import ToolPermission

__all__ = [
    "ArgumentCorrectness",
    "PlanAdherence",
    "PlanQuality",
    "StepEfficiency",
    "ToolCorrectness",
    "ToolPermission",
    "with_tool_selection",
]
