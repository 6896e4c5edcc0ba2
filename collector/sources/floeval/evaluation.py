"""Floeval's `AgentEvaluation`: evaluates recorded traces, and runs an agent for the samples without one."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from tracegrade.evaluators.experiments.dataset import Dataset
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.formats import floeval
from tracegrade.evaluators.formats.floeval import Sample
from tracegrade.evaluators.model import AgentTrace, Reference

from ...experiments.experiment import Experiment
from ...experiments.plan import Plan
from .dataset import AgentDataset
from .metrics import make_metrics
from .provider import OpenAIProviderConfig, make_judge
from .results import AgentEvaluationResult, make_result

__all__ = ["AgentEvaluation"]


class AgentEvaluation:
    """Evaluates the samples of `dataset` with `metrics`, which ask the model of `llm_config`, or `judge`, a function
    from a prompt to an answer.

    Samples with a trace are evaluated as they are (mode 1). For the others an agent is run: `agent`, a function from
    the question to the answer (mode 2), or `agent_runner`, an object with `arun(text)` or `run(text)` (mode 4). A file
    with both kinds keeps both. Raises ValueError or TypeError for what cannot be evaluated.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - Floeval's arguments
        self,
        dataset: AgentDataset,
        metrics: Sequence[str | Mapping[str, Any]],
        llm_config: OpenAIProviderConfig | None = None,
        agent: Callable[..., Any] | None = None,
        agent_runner: Any = None,
        default_provider: str = "builtin",
        metric_params: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        judge: Callable[[str], str | Awaitable[str]] | None = None,
        concurrency: int = 8,
    ) -> None:
        if not dataset.samples:
            raise ValueError("the dataset has no samples")
        if dataset.is_partial and agent is None and agent_runner is None:
            raise ValueError(
                "the dataset has samples without a trace, and no agent to run: give `agent`, a function (mode 2), or "
                "`agent_runner` (mode 4)"
            )
        self.dataset = dataset
        self.metrics = make_metrics(metrics, metric_params, default_provider=default_provider)
        asking = [metric.key for metric in self.metrics if metric.evaluator.kind == "llm"]
        if asking and judge is None and llm_config is None:
            raise ValueError(f"{', '.join(asking)} asks a model: give `llm_config`")
        self._task = _make_task(agent_runner) if agent_runner is not None else _take_object(agent)
        self._judge = judge or (make_judge(llm_config) if llm_config is not None else None)
        self._concurrency = concurrency

    def run(self) -> AgentEvaluationResult:
        """Evaluate, as `arun` does. Raises RuntimeError within a running event loop."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self.arun())
        raise RuntimeError("an event loop is running in this thread: use `await evaluation.arun()`")

    async def arun(self) -> AgentEvaluationResult:
        """Run the agent where a trace is missing, evaluate all samples, and return the results in their order."""
        samples = self.dataset.samples
        items = tuple(_make_item(sample, str(number)) for number, sample in enumerate(samples))
        plan = Plan(
            name="Floeval",
            dataset=Dataset(items),
            task=self._task,
            evaluators=[metric.evaluator for metric in self.metrics],
            concurrency=self._concurrency,
            judge=self._judge,
            recorded={(str(number), 0): sample.trace for number, sample in enumerate(samples) if sample.trace},
        )
        result = await Experiment.of_plan(plan).arun(progress=False)
        return make_result(samples, result.runs, self.metrics)


def _make_item(sample: Sample, item_id: str) -> DatasetItem:
    reference = sample.reference or Reference()
    expected = {"expected_tool_calls": reference.expected_tool_calls, "expected_response": reference.expected_response}
    return DatasetItem(id=item_id, input=sample.user_input, metadata=sample.metadata, **expected)


def _take_object(agent: Callable[..., Any] | None) -> Callable[..., Any] | None:
    """Return the agent as a task that is given an input that is an object as one argument, as in Floeval, unless its
    parameters are more than one."""
    if agent is None or not callable(agent) or not _takes_one(agent):
        return agent
    return partial(_call_async, agent) if inspect.iscoroutinefunction(agent) else partial(_call, agent)


def _takes_one(agent: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(agent).parameters.values()
    except (TypeError, ValueError):
        return False
    return len(parameters) == 1 and all(each.kind is not each.VAR_KEYWORD for each in parameters)


def _call(agent: Callable[[Any], Any], question: Any = None, /, **fields: Any) -> Any:
    return agent(fields or question)


async def _call_async(agent: Callable[[Any], Awaitable[Any]], question: Any = None, /, **fields: Any) -> Any:
    return await agent(fields or question)


def _make_task(runner: Any) -> Callable[..., Any]:
    """Return the task that runs a runner. Raises TypeError if it has neither `arun` nor `run`."""
    run = getattr(runner, "arun", None) or getattr(runner, "run", None)
    if not callable(run):
        raise TypeError(f"the runner {type(runner).__name__} has neither `arun(text)` nor `run(text)`")
    return partial(_run, run) if inspect.iscoroutinefunction(run) else partial(_run_blocking, run)


async def _run(run: Callable[[Any], Awaitable[Any]], question: Any = None, /, **fields: Any) -> AgentTrace | str | None:
    return _read_trace(fields or question, await run(fields or question))


def _run_blocking(run: Callable[[Any], Any], question: Any = None, /, **fields: Any) -> AgentTrace | str | None:
    return _read_trace(fields or question, run(fields or question))


def _read_trace(question: Any, returned: Any) -> AgentTrace | str | None:
    """Return the run that a runner returned, which may also be a trace in Floeval's form. Raises ValueError."""
    if not isinstance(returned, Mapping):
        return returned  # type: ignore[no-any-return]  # the experiment checks it
    return floeval.sample({"user_input": question, "trace": dict(returned)}).trace
