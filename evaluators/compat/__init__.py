"""Other systems' metrics, under their own names and with their own numbers, so that histories stay comparable.

An evaluator is called `<system>:<metric>` and takes the options that the system has. What a system does oddly is done
here, too, and said in the docstring, where "the peer" is that system. What it does wrongly is not, unless `compat`
asks for it. None of these systems is installed for that.
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
