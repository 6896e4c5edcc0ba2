"""Metrics that are called with the fields of a record, as in gllm-evals: `await metric.measure(query=…, …)`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..definition.dialogue import BadAnswer, unusable
from ..definition.evaluator_object import EvaluatorObject
from ..formats.gl import agent_data, refuse_misspelt_fields
from ..judges.backends.in_process import wait_for
from ..model import AgentTrace, JsonObject, Score

__all__ = ["Measurement", "RecordMetric"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """What a metric says of one record. `score` and `success` are None if it cannot be measured; `reason` says why."""

    score: float | None
    success: bool | None
    threshold: float
    reason: str | None = None
    metadata: JsonObject = field(default_factory=dict)


class RecordMetric(EvaluatorObject, ABC):
    """A metric of an agent's work. Its success is a score of at least `threshold`."""

    @property
    def function(self) -> Callable[[AgentTrace], Score]:
        return lambda run: wait_for(self.score(run))

    async def measure(  # noqa: PLR0913 - the fields of a record
        self,
        record: Mapping[str, Any] | None = None,
        /,
        *,
        query: str | None = None,
        generated_response: str | None = None,
        expected_response: str | None = None,
        tools_called: Sequence[Any] | None = None,
        expected_tools: Sequence[Any] | None = None,
        agent_trajectory: Sequence[Any] | None = None,
        expected_agent_trajectory: Sequence[Any] | None = None,
        available_tools: Sequence[Any] | None = None,
    ) -> Measurement:
        """Return the measurement of a record, given as a mapping or by its fields.

        If an answer of the judge cannot be used, it has no score; `metadata` have what was computed without the judge.
        Raises ValueError that names a field that is misspelt or cannot be read, and a Failure if the judge gives no
        answer.
        """
        fields = {
            "query": query,
            "generated_response": generated_response,
            "expected_response": expected_response,
            "tools_called": tools_called,
            "expected_tools": expected_tools,
            "agent_trajectory": agent_trajectory,
            "expected_agent_trajectory": expected_agent_trajectory,
            "available_tools": available_tools,
        }
        given = {name: value for name, value in fields.items() if value is not None}
        refuse_misspelt_fields(record or {})
        return await self.measure_run(agent_data({**(record or {}), **given}))

    async def measure_run(self, run: AgentTrace) -> Measurement:
        """Return the measurement of a run with its reference. Raises a Failure if the judge gives no answer."""
        try:
            return self.measurement(await self.score(run))
        except BadAnswer as bad:
            return self.measurement(unusable(bad))

    @abstractmethod
    async def score(self, run: AgentTrace) -> Score:
        """Return the score of a run with its reference. Raises BadAnswer, and otherwise like `measure`."""

    def measurement(self, score: Score) -> Measurement:
        """Return the score as the measurement of this metric."""
        passed = score.passed if score.value is None or score.passed is not None else score.value >= self.threshold
        return Measurement(
            score=score.value,
            success=passed,
            threshold=self.threshold,
            reason=score.explanation if score.value is not None else score.reason,
            metadata=score.details,
        )
