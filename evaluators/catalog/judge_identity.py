"""Includes the judge in the identity of an evaluator that asks it."""

from __future__ import annotations

from dataclasses import replace

from ..definition.registry import Configured, content_hash
from ..judges.exchange.judge import Judge
from .build import build

__all__ = ["identify_with_judge"]


def identify_with_judge(evaluator: Configured, judge: Judge) -> Configured:
    """Return the evaluator with a `config_hash` that changes with the judge, since another model gives other scores.

    One that was made without a specification is returned as it is.
    """
    if not evaluator.spec:
        return evaluator
    identified = build({**evaluator.spec, "judged_by": content_hash(judge.identity)}, resolve=evaluator.resolve)
    return replace(evaluator, config_hash=identified.config_hash, spec=identified.spec)
