"""LangChain's agentevals: `create_trajectory_match_evaluator(…)(outputs=…, reference_outputs=…)`.

The functions, their arguments and their results are those of its documentation. Each trajectory is a list of messages
(OpenAI's dictionaries or LangChain's objects), one message, or a mapping with `messages`.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypedDict

from ...definition.evaluator_object import make_options
from ...judges.backends.asker import Asker, asker_of
from ...judges.backends.in_process import wait_for
from ...model import AgentTrace, Score
from ...text.json_text import json_text
from .trajectory import nodes_of, run_of, run_of_graph
from .trajectory_accuracy import TrajectoryAccuracy
from .trajectory_match import ArgsMatchMode, TrajectoryMatch, TrajectoryMatchMode

__all__ = [
    "TOOL_SELECTION_PROMPT",
    "TRAJECTORY_ACCURACY_PROMPT",
    "TRAJECTORY_ACCURACY_PROMPT_WITH_REFERENCE",
    "EvaluatorResult",
    "create_async_graph_trajectory_llm_as_judge",
    "create_async_trajectory_llm_as_judge",
    "create_async_trajectory_match_evaluator",
    "create_graph_trajectory_llm_as_judge",
    "create_trajectory_llm_as_judge",
    "create_trajectory_match_evaluator",
    "graph_trajectory_strict_match",
    "graph_trajectory_strict_match_async",
]

TRAJECTORY_ACCURACY_PROMPT: Final = "trajectory_accuracy"
"""Stands for the question about a trajectory alone."""

TRAJECTORY_ACCURACY_PROMPT_WITH_REFERENCE: Final = "trajectory_accuracy_with_reference"
"""Stands for the question whether a trajectory means the same as the expected one."""

TOOL_SELECTION_PROMPT: Final = "tool_selection"
"""Stands for the question of openevals about the choice of tools, which compares with nothing."""

_PROMPTS: Final[Mapping[str, Mapping[str, Any]]] = {
    TRAJECTORY_ACCURACY_PROMPT: {"use_reference": False},
    TRAJECTORY_ACCURACY_PROMPT_WITH_REFERENCE: {},
    TOOL_SELECTION_PROMPT: {"prompt": "tool_selection", "use_reference": False},
}
"""The options of each question."""

_KEY: Final = "trajectory_accuracy"
_GRAPH_KEY: Final = "graph_trajectory_accuracy"
_STRICT_KEY: Final = "graph_trajectory_strict_match"
_IO: Final = ("inputs", "outputs")

Overrides: TypeAlias = Mapping[str, str | Sequence[str] | Callable[[Any, Any], bool]]


class EvaluatorResult(TypedDict):
    """What an evaluator returns. `score` is None if the trajectories cannot be compared; `comment` says why."""

    key: str
    score: bool | float | None
    comment: str | None


Evaluator: TypeAlias = Callable[..., EvaluatorResult]
AsyncEvaluator: TypeAlias = Callable[..., Coroutine[Any, Any, EvaluatorResult]]


def create_trajectory_match_evaluator(
    *,
    trajectory_match_mode: TrajectoryMatchMode = "strict",
    tool_args_match_mode: ArgsMatchMode = "exact",
    tool_args_match_overrides: Overrides | None = None,
) -> Evaluator:
    """Return a function that compares `outputs` with `reference_outputs`: `langchain:trajectory_match`.

    Raises ValueError for an unknown mode.
    """
    options = make_options(
        TrajectoryMatch,
        {
            "trajectory_match_mode": trajectory_match_mode,
            "tool_args_match_mode": tool_args_match_mode,
            "tool_args_match_overrides": tool_args_match_overrides,
        },
    )

    def evaluate(*, outputs: object, reference_outputs: object, **_: object) -> EvaluatorResult:
        score = options(run_of(outputs, reference_outputs))
        matches = None if score.value is None else score.value == 1
        return {"key": f"trajectory_{trajectory_match_mode}_match", "score": matches, "comment": score.reason}

    return evaluate


def create_async_trajectory_match_evaluator(
    *,
    trajectory_match_mode: TrajectoryMatchMode = "strict",
    tool_args_match_mode: ArgsMatchMode = "exact",
    tool_args_match_overrides: Overrides | None = None,
) -> AsyncEvaluator:
    """Return the function of `create_trajectory_match_evaluator` as a coroutine function."""
    evaluate = create_trajectory_match_evaluator(
        trajectory_match_mode=trajectory_match_mode,
        tool_args_match_mode=tool_args_match_mode,
        tool_args_match_overrides=tool_args_match_overrides,
    )

    async def evaluate_async(*, outputs: object, reference_outputs: object, **_: object) -> EvaluatorResult:
        return evaluate(outputs=outputs, reference_outputs=reference_outputs)

    return evaluate_async


def create_trajectory_llm_as_judge(**arguments: Any) -> Evaluator:
    """Return a function that asks a judge about `outputs`: `langchain:trajectory_accuracy`.

    The arguments are those of `create_async_trajectory_llm_as_judge`, and so are the errors.
    """
    return _blocking(_asking(**arguments))


def create_async_trajectory_llm_as_judge(**arguments: Any) -> AsyncEvaluator:
    """Return a coroutine function that asks a judge about `outputs`: `langchain:trajectory_accuracy`.

    `judge` is a function from text to text or an object with `invoke`, such as a chat model of LangChain; without it
    `model` is asked, by its name. `prompt` is one of the three constants here: for a question of your own, use the
    evaluator `geval`. Without `reference_outputs` nothing is compared. The other arguments are `feedback_key`,
    `continuous`, `choices`, `use_reasoning`, `use_reference` and `few_shot_examples`. Raises ValueError for a wrong
    value, TypeError for an unknown argument.
    """
    return _asking(**arguments)


def create_graph_trajectory_llm_as_judge(**arguments: Any) -> Evaluator:
    """Return a function that asks a judge about the turns of a graph, as `create_trajectory_llm_as_judge` otherwise.

    `outputs` and `reference_outputs` are trajectories of nodes, and `inputs` are those of the turns, as agentevals
    extracts them from a thread of LangGraph. A run does not have the nodes, so there is no evaluator of this name.
    """
    return _blocking(create_async_graph_trajectory_llm_as_judge(**arguments))


def create_async_graph_trajectory_llm_as_judge(**arguments: Any) -> AsyncEvaluator:
    """Return the function of `create_graph_trajectory_llm_as_judge` as a coroutine function."""
    return _asking(**{"feedback_key": _GRAPH_KEY, **arguments}, read=run_of_graph)


def graph_trajectory_strict_match(*, outputs: object, reference_outputs: object, **_: object) -> EvaluatorResult:
    """Return whether the same nodes ran in each turn, in the same order. Raises ValueError if there are no `steps`."""
    matches = nodes_of(outputs, "outputs") == nodes_of(reference_outputs, "reference_outputs")
    return {"key": _STRICT_KEY, "score": matches, "comment": None}


async def graph_trajectory_strict_match_async(
    *, outputs: object, reference_outputs: object, **_: object
) -> EvaluatorResult:
    """Return what `graph_trajectory_strict_match` returns."""
    return graph_trajectory_strict_match(outputs=outputs, reference_outputs=reference_outputs)


def _blocking(evaluate_async: AsyncEvaluator) -> Evaluator:
    def evaluate(*, outputs: object, reference_outputs: object | None = None, **more: object) -> EvaluatorResult:
        return wait_for(evaluate_async(outputs=outputs, reference_outputs=reference_outputs, **more))

    return evaluate


def _asking(  # noqa: PLR0913 - the arguments of the document
    *,
    read: Callable[..., AgentTrace] = run_of,
    prompt: str = TRAJECTORY_ACCURACY_PROMPT_WITH_REFERENCE,
    model: str | None = None,
    judge: object | None = None,
    feedback_key: str = _KEY,
    continuous: bool = False,
    choices: Sequence[float] | None = None,
    use_reasoning: bool = True,
    use_reference: bool = True,
    few_shot_examples: Sequence[Mapping[str, Any]] | None = None,
) -> AsyncEvaluator:
    if prompt not in _PROMPTS:
        raise ValueError("a prompt of your own is not asked here; use the evaluator geval with your criteria")
    options = make_options(
        TrajectoryAccuracy,
        {
            "use_reference": use_reference,
            "continuous": continuous,
            "choices": tuple(choices or ()),
            "use_reasoning": use_reasoning,
            "few_shot_examples": tuple(map(_example, few_shot_examples or ())),
            **_PROMPTS[prompt],
        },
    )
    asker = _asker(judge, model)

    async def evaluate(
        *, outputs: object, reference_outputs: object | None = None, inputs: object | None = None, **_: object
    ) -> EvaluatorResult:
        run = read(outputs, reference_outputs, inputs=inputs)
        asked = options if reference_outputs is not None else options.model_copy(update={"use_reference": False})
        return _result(feedback_key, await asker.conclude(asked.ask(run)), asked)

    return evaluate


def _asker(judge: object | None, model: str | None) -> Asker:
    if judge is None and model is None:
        raise ValueError("name a `model`, or give a `judge`")
    return asker_of(model if judge is None else judge)


def _example(example: Mapping[str, Any]) -> dict[str, Any]:
    texts = {key: value if isinstance(value, str) else json_text(value) for key, value in example.items() if key in _IO}
    return {**example, **texts}


def _result(key: str, score: Score, options: TrajectoryAccuracy) -> EvaluatorResult:
    if score.value is None:
        return {"key": key, "score": None, "comment": score.reason}
    is_boolean = not options.continuous and not options.choices
    return {"key": key, "score": score.value == 1 if is_boolean else score.value, "comment": score.explanation}
