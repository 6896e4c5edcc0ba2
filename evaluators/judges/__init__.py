"""LLM judges: a model behind an API, or a function of the user's, for evaluators that cannot decide by rules.

`judge.Judge` is the configuration, `engine.Engine` asks the questions of evaluators, and `check.check` finds out what
is wrong with a judge.
"""
