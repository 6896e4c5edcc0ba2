"""Makes the request that begins an experiment in a store, or continues the one with the same plan."""

from __future__ import annotations

import hashlib
from typing import Any

import orjson

from tracegrade.queries.ports import EvaluatorForm, ExperimentStart

from .plan import Plan
from .task_call import Task

__all__ = ["make_start"]


def make_start(plan: Plan) -> ExperimentStart:
    """Make the request for a plan. Plans with the same items, repeats, task and evaluators have the same hash."""
    forms = tuple(
        EvaluatorForm(name=evaluator.name, version=evaluator.version, config_hash=evaluator.config_hash)
        for evaluator in plan.evaluators
    )
    task = "recorded runs" if plan.task is None else _describe_task(plan.task)
    pairs = [(pair.item.id, pair.item.hash, pair.repeat) for pair in plan.pairs]
    recorded = sorted((*key, run.agent_trace_id) for key, run in plan.recorded.items())
    return ExperimentStart(
        name=plan.name,
        dataset=plan.dataset.name,
        dataset_version=plan.dataset.version,
        items=len(plan.dataset.items),
        repeats=plan.repeats,
        evaluators=forms,
        task=task,
        metadata=plan.metadata,
        author=plan.author,
        plan_hash=_hash(pairs, recorded, task, [form.model_dump() for form in forms]),
        is_new=plan.is_new,
    )


def _describe_task(task: Task) -> str:
    """Return what a task is called: the `description` that it has, else the name of the function."""
    described = getattr(task, "description", None)
    if isinstance(described, str):
        return described
    module, name = getattr(task, "__module__", None), getattr(task, "__qualname__", None)
    return f"{module}:{name}" if module and name else type(task).__qualname__


def _hash(*parts: Any) -> str:
    return hashlib.sha256(orjson.dumps(parts)).hexdigest()[:16]
