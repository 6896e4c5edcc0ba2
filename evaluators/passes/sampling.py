"""Which targets an evaluator selects: the hash of its selection, and whether its sample includes a target."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from ..definition.registry import Configured

__all__ = ["hash_selection", "is_in_else_sample", "is_in_sample", "key_columns"]


def key_columns(evaluator: Configured) -> Mapping[str, Any]:
    """Return the columns that identify an evaluator in its present configuration: the key of its rows in the store."""
    return {
        "evaluator": evaluator.name,
        "evaluator_version": evaluator.version,
        "config_hash": evaluator.config_hash,
    }


def hash_selection(evaluator: Configured) -> str:
    """Return a hash (16 hex digits) of the options by which the evaluator selects targets."""
    options = [evaluator.when, evaluator.sample, evaluator.else_sample, sorted(evaluator.after)]
    return hashlib.sha256(json.dumps(options).encode()).hexdigest()[:16]


def is_in_sample(evaluator: Configured, target_id: str) -> bool:
    """Return whether the `sample` of the evaluator includes this target. The answer is always the same."""
    return evaluator.sample >= 1 or _compute_place(evaluator, target_id) < evaluator.sample


def is_in_else_sample(evaluator: Configured, target_id: str) -> bool:
    """Return whether its `else_sample` includes this target, which its `when` does not select."""
    return _compute_place(evaluator, target_id) < evaluator.else_sample if evaluator.else_sample else False


# queries/macros/sample_place.sql, by which the ledger is audited, must give the same place.
def _compute_place(evaluator: Configured, target_id: str) -> float:
    """Return a number of at least 0 and below 1, evenly distributed over target ids."""
    digest = hashlib.md5(f"{evaluator.name}:{target_id}".encode(), usedforsecurity=False).hexdigest()
    return int(digest[:8], 16) / 2**32
