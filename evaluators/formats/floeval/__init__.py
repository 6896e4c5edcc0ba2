"""Floeval's agent datasets: `.json` with a list of `samples`, or `.jsonl` with one a line.

A sample is full when it has a `trace`, else partial: then an agent is still to be run. Read is what Floeval 2.0.0 reads
(AgentDatasetLoader), with its two aliases and its defaults, and the roles `user` and `system` besides. What it
refuses or fails at is refused: null where something should stand, OpenAI's form of tool calls, other files.
`agent_traces` of workflows are left out.
"""

from .samples import Sample, dataset, sample

__all__ = ["Sample", "dataset", "sample"]
