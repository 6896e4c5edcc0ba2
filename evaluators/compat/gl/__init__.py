"""GDP Labs' gllm-evals: an agent's tools and its answer in one score."""

from .agent import Agent, Aggregate, MetricResult, aggregate, combined

__all__ = ["Agent", "Aggregate", "MetricResult", "aggregate", "combined"]
