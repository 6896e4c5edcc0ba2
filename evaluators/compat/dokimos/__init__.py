"""Dokimos' agent evaluators (https://github.com/dokimos-dev/dokimos).

Scores, details and refusals are those of its sources, Java's strings included. What it refuses with an exception is
skipped here; what it takes for empty because nobody gave it, a trace may just not have recorded: that is skipped, too.
"""

from . import (
    task_completion,
    tool_argument_hallucination,
    tool_call_validity,
    tool_correctness,
    tool_description_reliability,
    tool_efficiency,
    tool_error,
    tool_name_reliability,
    tool_trajectory,
)

__all__ = [
    "task_completion",
    "tool_argument_hallucination",
    "tool_call_validity",
    "tool_correctness",
    "tool_description_reliability",
    "tool_efficiency",
    "tool_error",
    "tool_name_reliability",
    "tool_trajectory",
]
