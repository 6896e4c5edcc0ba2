"""The plan of an experiment: what it is about to run. An interrupted experiment continues if its plan is the same."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.experiments.dataset import Dataset
from tracegrade.queries.ports import EvaluatorForm, ExperimentStart

__all__ = ["make_start"]


def make_start(  # noqa: PLR0913 - the columns of a row
    name: str,
    dataset: Dataset,
    evaluators: Sequence[Configured],
    *,
    repeats: int,
    task: str,
    author: str,
    metadata: Mapping[str, Any],
    is_new: bool,
) -> ExperimentStart:
    """Make the request that begins an experiment, or continues the one with the same plan."""
    forms = tuple(
        EvaluatorForm(name=evaluator.name, version=evaluator.version, config_hash=evaluator.config_hash)
        for evaluator in evaluators
    )
    return ExperimentStart(
        name=name,
        dataset=dataset.name,
        dataset_version=dataset.version,
        items=len(dataset.items),
        repeats=repeats,
        evaluators=forms,
        task=task,
        metadata=dict(metadata),
        author=author,
        plan_hash=_hash([(item.id, item.hash) for item in dataset], repeats, task, [form.model_dump() for form in forms]),
        is_new=is_new,
    )


def _hash(*parts: Any) -> str:
    return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]
