"""The evaluators that put questions to a judge, and what they put them with: prompts, evidence, strict reading.

They are as pure as the others: they yield questions and are sent answers, whoever brings these.
"""

from . import (
    geval,
    goal_achievement,
    response_coherence,
    rubric,
    task_completion,
    tool_argument_hallucination,
    trajectory_faithfulness,
)

__all__ = [
    "geval",
    "goal_achievement",
    "response_coherence",
    "rubric",
    "task_completion",
    "tool_argument_hallucination",
    "trajectory_faithfulness",
]
