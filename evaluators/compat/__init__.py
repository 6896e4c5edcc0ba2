"""Metrics of other systems, with their names and their numbers, so that histories stay comparable.

An evaluator is called `<system>:<metric>` and has the options of that system. Peculiarities of a system are reproduced
and described in the docstring, where "the peer" is that system. Faults of a system are reproduced only with `compat`.
None of these systems needs to be installed.
"""

from . import adk, agentv, deepeval, dokimos, floeval, gl, langchain, pydantic_evals, ragas

__all__ = [
    "adk",
    "agentv",
    "deepeval",
    "dokimos",
    "floeval",
    "gl",
    "langchain",
    "pydantic_evals",
    "ragas",
]
