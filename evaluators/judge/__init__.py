"""Who is asked when an evaluator cannot decide by rules: a model behind an API, or a function of the user's.

`judge.Judge` says whom, and within which limits; `engine.Engine` carries the questions of evaluators to it;
`check.check` finds out what is wrong with it.
"""
