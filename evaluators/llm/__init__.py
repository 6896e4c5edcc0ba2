"""The evaluators that ask a judge, and what they share: prompts, evidence, and strict reading of answers.

They are as pure as the others: they yield questions and are sent answers. Who asks the model is not their business.
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
