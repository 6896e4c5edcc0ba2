"""Who is asked when an evaluator cannot decide by rules: a model behind an API, or a function of the user's.

`Judge` says whom, and within which limits; `Engine` carries the questions of evaluators to it; `check` finds out what
is wrong with it.
"""

from __future__ import annotations

from .check import check
from .engine import Engine
from .judge import Judge, Prices

__all__ = ["Engine", "Judge", "Prices", "check"]
