"""LLM judges: a model behind an API, or a function of a user, for evaluators that cannot decide by rules.

`Judge` is the configuration, `jobs.engine.Engine` asks the questions of evaluators, and `backends.check.check` finds
out what is wrong with a judge.
"""

from .exchange.judge import Judge

__all__ = ["Judge"]
