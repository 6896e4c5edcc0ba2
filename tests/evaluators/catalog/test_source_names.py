"""Names of other systems' evaluators: whoever types one is told ours."""

from __future__ import annotations

import pytest

from tracegrade.evaluators import named
from tracegrade.evaluators.catalog.configure import catalogue, configure
from tracegrade.evaluators.catalog.source_names import SOURCE_NAMES, name_hint
from tracegrade.evaluators.compat.deepeval import api as deepeval_api
from tracegrade.evaluators.compat.dokimos import api as dokimos_api
from tracegrade.evaluators.compat.gl import api as gl_api
from tracegrade.evaluators.compat.langchain import api as langchain_api
from tracegrade.evaluators.definition.registry import UnknownEvaluator

CLASSES = [
    name
    for api in (deepeval_api, dokimos_api, gl_api, langchain_api)
    for name in api.__all__
    if name.endswith(("Evaluator", "Metric", "_evaluator", "_as_judge"))
    and name != "DokimosEvaluator"
    and "async" not in name
]


@pytest.mark.parametrize("name", SOURCE_NAMES)
def test_name_leads_to_evaluators_that_exist_and_is_not_one_of_ours(name: str) -> None:
    source = SOURCE_NAMES[name]
    assert name not in catalogue()
    assert source.same or source.ours
    assert {source.same, *(source.ours or "").split(" or ")} - {None, ""} <= catalogue().keys()


@pytest.mark.parametrize("name", CLASSES)
def test_class_of_another_system_is_told_its_evaluator(name: str) -> None:
    assert name in SOURCE_NAMES


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "ToolErrorEvaluator",
            "that is a name of Dokimos; here it is dokimos:tool_error (the same figures) or tool_error (ours)",
        ),
        ("toolCallValidity", "dokimos:tool_call_validity (the same figures) or tool_call_validity (ours)"),
        ("AgentEvaluator", "that is a name of gllm-evals; here it is gl:agent (the same figures)"),
        ("tool_trajectory_avg_score", "that is a name of ADK; here it is adk:tool_trajectory"),
        ("LLMJudgeEvaluator", "here it is rubric or geval (ours)"),
    ],
)
def test_name_of_another_system_is_told_ours(name: str, told: str) -> None:
    with pytest.raises(UnknownEvaluator) as error:
        configure(name)
    assert told in str(error.value)
    with pytest.raises(AttributeError) as missing:
        getattr(named, name)
    assert told in str(missing.value)


def test_any_other_name_gets_the_nearest_one() -> None:
    assert name_hint("tool_eror", ["tool_error"]) == " (did you mean 'tool_error'?)"
    assert "dokimos:tool_error" in name_hint("ToolErrorEvaluator", ["tool_error"])
