"""What counts as the failure of a tool call: as reported, as data, as text, and of programs that a tool runs."""

from .rules import Failure, FailureRules

__all__ = ["Failure", "FailureRules"]
