"""What an evaluator wants of all that comes: the hash of its selection, and whether its sample takes a target in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from ..definition.registry import Configured

__all__ = ["identity", "is_in_else_sample", "is_in_sample", "selection"]


def identity(evaluator: Configured) -> Mapping[str, Any]:
    """What tells an evaluator, as it is configured, from every other: the key of its rows in the store."""
    return {
        "evaluator": evaluator.name,
        "evaluator_version": evaluator.version,
        "config_hash": evaluator.config_hash,
    }


def selection(evaluator: Configured) -> str:
    """A hash, 16 hex digits: the same as long as the evaluator wants the same of all that comes."""
    said = [evaluator.when, evaluator.sample, evaluator.else_sample, sorted(evaluator.after)]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]


def is_in_sample(evaluator: Configured, target_id: str) -> bool:
    """Whether the evaluator's `sample` takes this target in: the same answer whenever it is asked."""
    return evaluator.sample >= 1 or _place(evaluator, target_id) < evaluator.sample


def is_in_else_sample(evaluator: Configured, target_id: str) -> bool:
    """Whether its `else_sample` takes in this target, which its `when` does not select."""
    return _place(evaluator, target_id) < evaluator.else_sample if evaluator.else_sample else False


# Its twin is queries/macros/sample_place.sql, by which the ledger is audited: both have to give the same place.
def _place(evaluator: Configured, target_id: str) -> float:
    """At least 0 and below 1, as if drawn by lot."""
    digest = hashlib.md5(f"{evaluator.name}:{target_id}".encode(), usedforsecurity=False).hexdigest()
    return int(digest[:8], 16) / 2**32
