"""DeepEval: were the expected tools called, with the expected input and output, and only tools that are allowed?"""

from .tool_correctness import ToolCorrectness, with_tool_selection
from .tool_permission import ToolPermission

__all__ = ["ToolCorrectness", "ToolPermission", "with_tool_selection"]
