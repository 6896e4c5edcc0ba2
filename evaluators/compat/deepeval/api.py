"""DeepEval's tool correctness as gllm-evals offers it: `await DeepEvalToolCorrectnessMetric().measure(query=…, …)`.

Constructors and calls are those of its documentation. A part of a call that is not given is not compared, and random
endings are cut from the names of tools.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import partial
from typing import Any

from ...definition.evaluator_object import make_options
from ...judges.backends.asker import asker_of
from ...model import AgentTrace, Score
from ..record_metric import Measurement, RecordMetric
from .parsers import ToolCall, ToolCallParser, TrajectoryParser
from .tool_correctness import ToolCorrectness

__all__ = [
    "DeepEvalToolCorrectnessMetric",
    "Measurement",
    "ToolCall",
    "ToolCallParams",
    "ToolCallParser",
    "TrajectoryParser",
]


class ToolCallParams(Enum):
    """The parts of a call that can count besides the name of its tool."""

    INPUT_PARAMETERS = "input_parameters"
    OUTPUT = "output"


class DeepEvalToolCorrectnessMetric(RecordMetric):
    """How far the expected tools were called: `deepeval:tool_correctness`.

    `model` is the name of a model, a function from text to text, or an object with `invoke`. It is only asked about
    `available_tools`, given here or in a record. A name needs `model_credentials`, unless OPENAI_API_KEY is set;
    `model_config` has further settings, such as `base_url` and `temperature`. Records are measured at once, not in
    batches, so the two settings of batches change nothing. `tool_names` says which random endings of names are cut, as
    in the entry of a configuration; None: none.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - the parameters of the document
        self,
        threshold: float = 0.5,
        model: object = "openai/gpt-4.1",
        model_credentials: str | None = None,
        model_config: Mapping[str, Any] | None = None,
        include_reason: bool = True,  # noqa: FBT001, FBT002
        strict_mode: bool = False,  # noqa: FBT001, FBT002
        should_exact_match: bool = False,  # noqa: FBT001, FBT002
        should_consider_ordering: bool = False,  # noqa: FBT001, FBT002
        available_tools: Sequence[Any] | None = None,
        evaluation_params: Sequence[ToolCallParams | str] | None = None,
        batch_status_check_interval: float = 30.0,
        batch_max_iterations: int = 120,
        *,
        tool_names: str | None = "random4",
    ) -> None:
        """Raise ValueError if an argument has a wrong value, or if the model cannot be asked for want of a key."""
        self.batch_status_check_interval = batch_status_check_interval
        self.batch_max_iterations = batch_max_iterations
        given: dict[str, Any] = {
            "include_reason": include_reason,
            "strict_mode": strict_mode,
            "should_exact_match": should_exact_match,
            "should_consider_ordering": should_consider_ordering,
            "available_tools": available_tools,
            "evaluation_params": evaluation_params,
            "unrecorded": "leave_out",
            "tool_names": tool_names or {},
        }
        self.options: ToolCorrectness = make_options(ToolCorrectness, given)
        super().__init__("deepeval_tool_correctness", self.options, threshold=self.options.own_threshold or threshold)
        self._open = partial(asker_of, model, key=model_credentials, settings=model_config)
        if self.options.must_ask:
            self._open()

    async def score(self, run: AgentTrace) -> Score:
        options = self.options
        if options.available_tools is None and run.tool_definitions is not None:
            options = options.model_copy(update={"available_tools": "recorded"})
        return await self._open().conclude(options.ask(run)) if options.must_ask else options(run)
