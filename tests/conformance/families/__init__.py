"""How each peer's cases are put to us: a module a peer, with `FAMILIES`: {evaluator as the cases call it: how to ask}.

A way to ask is `(case, compat) -> Answer`. With `compat` the peer's known defects are asked for, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from ..cases import Answer, Case
from . import adk, agentv, data_model, deepeval, dokimos, floeval, gl, langchain, pydantic_evals, ragas

__all__ = ["FAMILIES", "NOT_YET", "Way"]

Way: TypeAlias = Callable[[Case, bool], Answer]

FAMILIES: Mapping[str, Way] = {
    name: way
    for peer in (adk, agentv, data_model, deepeval, dokimos, floeval, gl, langchain, pydantic_evals, ragas)
    for name, way in peer.FAMILIES.items()
}

NOT_YET: Mapping[str, str] = {}
"""Cases that are known and not asked yet, and why."""
