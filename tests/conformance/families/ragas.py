"""Ragas' cases. Arguments that are null there were sent as an empty object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..ask import answer, ask, run_of
from ..cases import Answer, Case

__all__ = ["FAMILIES"]


def _metric(case: Case, compat: bool) -> Answer:
    use = case["evaluator"].replace(".", ":")
    verdict = ask(use, run_of(_sent(case)), case["options"], compat=compat)
    return answer(verdict, legacy_ragas_metrics_class_score=verdict.value)  # the older classes compute the same


def _sent(case: Case) -> Case:
    lists = ("actual_tool_calls", "expected_tool_calls")
    return {**case, **{key: [{**call, "args": call["args"] or {}} for call in case[key]] for key in lists}}


FAMILIES: Mapping[str, Any] = dict.fromkeys(("ragas.tool_call_accuracy", "ragas.tool_call_f1"), _metric)
