"""The names that evaluators have in other systems, so that people who type one are told ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ..text.suggestions import hint

__all__ = ["SOURCE_NAMES", "SourceName", "name_hint", "source_hint"]


class SourceName(NamedTuple):
    """A name in `system`: the evaluator `same` has its figures, `ours` asks the same in our way, if there is one."""

    system: str
    same: str | None
    ours: str | None = None


def source_hint(name: str) -> str | None:
    """Return how the evaluator of that name in another system is called here; None if none is known."""
    source = SOURCE_NAMES.get(name)
    if source is None:
        return None
    names = [f"{source.same} (the same figures)"] if source.same else []
    names += [f"{source.ours} (ours)"] if source.ours else []
    return f"that is a name of {source.system}; here it is {' or '.join(names)}"


def name_hint(name: str, known: Sequence[str]) -> str:
    """Return what is added to the error that no evaluator of that name is `known`: its name here, or the nearest."""
    source = source_hint(name)
    return hint(name, known) if source is None else f": {source}"


def _dokimos() -> dict[str, SourceName]:
    """Return the names of Dokimos: of its classes and, in its Kotlin DSL, of its functions."""
    names: dict[str, SourceName] = {}
    for ours in (
        "task_completion",
        "tool_argument_hallucination",
        "tool_call_validity",
        "tool_correctness",
        "tool_description_reliability",
        "tool_efficiency",
        "tool_error",
        "tool_name_reliability",
        "tool_trajectory",
    ):
        camel = "".join(word.capitalize() for word in ours.split("_"))
        source = SourceName("Dokimos", f"dokimos:{ours}", ours)
        names |= {f"{camel}Evaluator": source, camel[0].lower() + camel[1:]: source}
    return names


def _floeval() -> dict[str, SourceName]:
    """Return the names of Floeval: of its metrics, unless ours have them too, and of their classes."""
    names: dict[str, SourceName] = {}
    for metric, ours in (
        ("goal_achievement", "goal_achievement"),
        ("response_coherence", "response_coherence"),
        ("tool_argument_correctness", "tool_correctness"),
        ("tool_call_success_rate", "tool_error"),
        ("tool_selection_accuracy", "tool_correctness"),
        ("trajectory_faithfulness", "trajectory_faithfulness"),
    ):
        source = SourceName("Floeval", f"floeval:{metric}", ours)
        names["".join(word.capitalize() for word in metric.split("_")) + "Metric"] = source
        if metric != ours:
            names[metric] = source
    return names


_GL: Final = {
    "AgentEvaluator": SourceName("gllm-evals", "gl:agent"),
    "GEvalGenerationEvaluator": SourceName("gllm-evals", "gl:generation"),
    "aggregate_score": SourceName("gllm-evals", "gl:agent"),
    "avg_score": SourceName("gllm-evals", "gl:agent"),
    "completeness": SourceName("gllm-evals", "gl:completeness"),
    "deepeval_tool_correctness": SourceName("gllm-evals", "deepeval:tool_correctness", "tool_correctness"),
    "groundedness": SourceName("gllm-evals", "gl:groundedness"),
    "langchain_agent_trajectory_accuracy": SourceName("gllm-evals", "langchain:trajectory_accuracy"),
    "multiply_score": SourceName("gllm-evals", "gl:agent"),
    "redundancy": SourceName("gllm-evals", "gl:redundancy"),
    "LangChainAgentTrajectoryAccuracyMetric": SourceName("gllm-evals", "langchain:trajectory_accuracy"),
    "DeepEvalToolCorrectnessMetric": SourceName("gllm-evals", "deepeval:tool_correctness", "tool_correctness"),
    "ArgumentCorrectnessMetric": SourceName("DeepEval", "deepeval:argument_correctness", "tool_argument_hallucination"),
    "StepEfficiencyMetric": SourceName("DeepEval", "deepeval:step_efficiency", "tool_efficiency"),
    "PlanAdherenceMetric": SourceName("DeepEval", "deepeval:plan_adherence"),
    "PlanQualityMetric": SourceName("DeepEval", "deepeval:plan_quality"),
    "ToolPermissionMetric": SourceName("DeepEval", "deepeval:tool_permission"),
    "tool_permission": SourceName("DeepEval", "deepeval:tool_permission"),
    "ToolCorrectnessMetric": SourceName("DeepEval", "deepeval:tool_correctness", "tool_correctness"),
    "GEval": SourceName("DeepEval", None, "geval"),
}

_LANGCHAIN: Final = {
    "create_trajectory_match_evaluator": SourceName("agentevals", "langchain:trajectory_match", "tool_trajectory"),
    "create_trajectory_llm_as_judge": SourceName("agentevals", "langchain:trajectory_accuracy"),
    "trajectory_accuracy": SourceName("agentevals", "langchain:trajectory_accuracy"),
    "create_graph_trajectory_llm_as_judge": SourceName("agentevals", None, "langchain:trajectory_accuracy"),
    "graph_trajectory_accuracy": SourceName("agentevals", None, "langchain:trajectory_accuracy"),
    **{
        f"trajectory_{mode}_match": SourceName("agentevals", "langchain:trajectory_match", "tool_trajectory")
        for mode in ("strict", "unordered", "subset", "superset")
    },
}

_OTHERS: Final = {
    "LLMJudgeEvaluator": SourceName("Dokimos", None, "rubric or geval"),
    "llm_judge": SourceName("AgentV", None, "rubric or geval"),
    "tool-trajectory": SourceName("AgentV", "agentv:tool_trajectory", "tool_trajectory"),
    "trajectory:tool-used": SourceName("AgentV", "agentv:tool_used"),
    "trajectory:tool-sequence": SourceName("AgentV", "agentv:tool_sequence", "tool_trajectory"),
    "trajectory:tool-args-match": SourceName("AgentV", "agentv:tool_args_match"),
    "trajectory:step-count": SourceName("AgentV", "agentv:step_count"),
    "trajectory:goal-success": SourceName("AgentV", None, "goal_achievement"),
    "hallucinations_v1": SourceName("ADK", "adk:hallucinations_v1"),
    "HallucinationsV1Evaluator": SourceName("ADK", "adk:hallucinations_v1"),
    "response_match_score": SourceName("ADK", "adk:response_match_score"),
    "RougeEvaluator": SourceName("ADK", "adk:response_match_score"),
    "tool_trajectory_avg_score": SourceName("ADK", "adk:tool_trajectory", "tool_trajectory"),
    "TrajectoryEvaluator": SourceName("ADK", "adk:tool_trajectory", "tool_trajectory"),
    "ToolCallAccuracy": SourceName("Ragas", "ragas:tool_call_accuracy"),
    "ToolCallF1": SourceName("Ragas", "ragas:tool_call_f1"),
    "AgentGoalAccuracyWithReference": SourceName("Ragas", "ragas:agent_goal_accuracy", "goal_achievement"),
    "AgentGoalAccuracyWithoutReference": SourceName("Ragas", "ragas:agent_goal_accuracy", "goal_achievement"),
    "ArgumentCorrectness": SourceName("pydantic_evals", "pydantic_evals:argument_correctness"),
    "MaxToolCalls": SourceName("pydantic_evals", "pydantic_evals:max_tool_calls"),
    "ToolCorrectness": SourceName("pydantic_evals", "pydantic_evals:tool_correctness", "tool_correctness"),
    "TrajectoryMatch": SourceName("pydantic_evals", "pydantic_evals:trajectory_match", "tool_trajectory"),
}


SOURCE_NAMES: Final[Mapping[str, SourceName]] = {**_dokimos(), **_floeval(), **_GL, **_LANGCHAIN, **_OTHERS}
