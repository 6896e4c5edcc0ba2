"""Dokimos' agent evaluators (https://github.com/dokimos-dev/dokimos).

Scores, details and rejected inputs are those of its sources, including the behaviour of Java's strings. A run for which
Dokimos throws an exception is skipped, and so is one without a value that Dokimos takes for empty if it is not given,
since a trace may just not have recorded it.
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
