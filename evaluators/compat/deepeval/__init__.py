"""DeepEval: were the expected tools called, with the expected input and output?"""

from .tool_correctness import ToolCorrectness, with_tool_selection

__all__ = ["ToolCorrectness", "with_tool_selection"]
