"""Which tool calls count as failed: by status, by data or text of their results, and by programs that they ran."""

from .rules import Failure, FailureRules

__all__ = ["Failure", "FailureRules"]
