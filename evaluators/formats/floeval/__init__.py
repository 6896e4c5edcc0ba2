"""Floeval's agent datasets: `.json` with a list of `samples`, or `.jsonl` with one per line.

A sample with a `trace` is full; without, it is partial: the agent has not been run yet. Accepts what Floeval 2.0.0
reads (AgentDatasetLoader), with its two aliases and its defaults, and in addition the roles `user` and `system`. What
Floeval rejects or fails at raises ValueError: null for a value, OpenAI's form of tool calls, other files.
`agent_traces` of workflows are ignored.
"""

from .samples import Sample, dataset, sample

__all__ = ["Sample", "dataset", "sample"]
