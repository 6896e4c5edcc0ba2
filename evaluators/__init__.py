"""Evaluators of agent runs, and the types and functions to write and run them.

The names listed here are the public interface. Each is imported from its module when it is first used, so that
`import tracegrade.evaluators` takes next to no time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .catalog.build import build
    from .catalog.configure import catalogue, configure
    from .conversation import ConversationTrajectory
    from .custom.per_turn import evaluate_conversation
    from .definition.function_path import import_function
    from .definition.registry import Configured, Options, evaluator
    from .execution.run import evaluate
    from .experiments.assertion import assert_scores
    from .experiments.comparison import compare_experiments
    from .experiments.item import DatasetItem
    from .experiments.trend import measure_trend
    from .model import (
        AgentTrace,
        ExpectedCall,
        LlmCall,
        Message,
        Reference,
        Score,
        TestCase,
        ToolCall,
        ToolDefinition,
    )

__all__ = [
    "AgentTrace",
    "Configured",
    "ConversationTrajectory",
    "DatasetItem",
    "ExpectedCall",
    "LlmCall",
    "Message",
    "Options",
    "Reference",
    "Score",
    "TestCase",
    "ToolCall",
    "ToolDefinition",
    "assert_scores",
    "build",
    "catalogue",
    "compare_experiments",
    "configure",
    "evaluate",
    "evaluate_conversation",
    "evaluator",
    "import_function",
    "measure_trend",
]

_MODULES: Final = {
    "ConversationTrajectory": ".conversation",
    "Configured": ".definition.registry",
    "DatasetItem": ".experiments.item",
    "Options": ".definition.registry",
    "assert_scores": ".experiments.assertion",
    "compare_experiments": ".experiments.comparison",
    "measure_trend": ".experiments.trend",
    "build": ".catalog.build",
    "catalogue": ".catalog.configure",
    "import_function": ".definition.function_path",
    "configure": ".catalog.configure",
    "evaluate": ".execution.run",
    "evaluate_conversation": ".custom.per_turn",
    "evaluator": ".definition.registry",
}
"""The module that defines a name, for names that are not in `model`."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES.get(name, ".model"), __name__), name)


def __dir__() -> list[str]:
    return __all__
