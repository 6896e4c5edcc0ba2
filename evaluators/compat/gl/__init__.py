"""GDP Labs' gllm-evals: an agent's tools and its answer, each by itself and in one score."""

from .agent import Agent
from .aggregation import Aggregate, MetricResult, aggregate, combined
from .metrics import Completeness, Generation, Groundedness, Redundancy

__all__ = [
    "Agent",
    "Aggregate",
    "Completeness",
    "Generation",
    "Groundedness",
    "MetricResult",
    "Redundancy",
    "aggregate",
    "combined",
]
