"""The deterministic evaluators. The same trace always gets the same score, and nothing leaves the process; but those of
tools' definitions check more where a judge is named.
"""

from . import (
    run_completion,
    tool_call_validity,
    tool_correctness,
    tool_description_reliability,
    tool_efficiency,
    tool_error,
    tool_name_reliability,
    tool_trajectory,
)

__all__ = [
    "run_completion",
    "tool_call_validity",
    "tool_correctness",
    "tool_description_reliability",
    "tool_efficiency",
    "tool_error",
    "tool_name_reliability",
    "tool_trajectory",
]
