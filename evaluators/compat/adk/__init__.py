"""The metrics of Google's Agent Development Kit (https://google.github.io/adk-docs/evaluate/)."""

from .hallucinations import Hallucinations
from .response_match import ResponseMatch
from .tool_trajectory import MatchType, ToolTrajectory, average

__all__ = ["Hallucinations", "MatchType", "ResponseMatch", "ToolTrajectory", "average"]
