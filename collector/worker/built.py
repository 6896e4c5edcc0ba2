"""What the job `build` answers: an evaluator without its function, or the mistakes in its specification."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

import orjson
import pyarrow as pa

from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.catalog.specification import Spec, WrongSpec
from tracegrade.evaluators.definition.registry import Budget, Configured

__all__ = ["describe_evaluator", "read_evaluator"]

_NOT_SENT: Final = {"function", "options", "resolve", "spec"}


def describe_evaluator(spec: Spec) -> pa.Table:
    """Build the evaluator of a specification that may come from anyone, and return a row that describes it."""
    try:
        evaluator = build(spec)
    except WrongSpec as error:
        return pa.table({"faults": [orjson.dumps(error.faults)]})
    sent = {field.name: getattr(evaluator, field.name) for field in fields(evaluator) if field.name not in _NOT_SENT}
    return pa.table({"evaluator": [orjson.dumps(sent)]})


def read_evaluator(answer: pa.Table, spec: Spec) -> Configured:
    """Return the evaluator of `describe_evaluator`, which only a worker can run. Raises WrongSpec."""
    (row,) = answer.to_pylist()
    if "faults" in row:
        raise WrongSpec(*((tuple(keys), text) for keys, text in orjson.loads(row["faults"])))
    sent: dict[str, Any] = orjson.loads(row["evaluator"])
    lists = {name: tuple(sent[name]) for name in ("after", "reads")}
    budget = Budget(**sent["budget"])
    options = spec.get("options", {})
    return Configured(**{**sent, **lists, "budget": budget}, function=_elsewhere, options=options, spec=spec)


def _elsewhere(_: object) -> object:
    raise TypeError("its function is built in workers only: this process does not evaluate")
