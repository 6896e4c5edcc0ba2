"""Floeval's interface for agents: datasets, `AgentEvaluation`, traces that a function records, and runners.

Source: Floeval's guide "Agent Evaluation", and floeval 2.0.0 (floeval/api/agent_evaluation.py).
"""

from .dataset import AgentDataset, AgentSample, PartialAgentSample
from .evaluation import AgentEvaluation
from .provider import OpenAIProviderConfig
from .results import AgentEvaluationResult
from .runner import create_flotorch_runner
from .trace import capture_trace, log_tool_result, log_turn

__all__ = [
    "AgentDataset",
    "AgentEvaluation",
    "AgentEvaluationResult",
    "AgentSample",
    "OpenAIProviderConfig",
    "PartialAgentSample",
    "capture_trace",
    "create_flotorch_runner",
    "log_tool_result",
    "log_turn",
]
