"""Metrics that are called with the fields of a record, as in gllm-evals: `await metric.measure(query=…, …)`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..formats.gl import agent_data
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


class RecordMetric(ABC):
    """A metric of an agent's work. Its success is a score of at least `threshold`."""

    threshold: float

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

        Raises ValueError that names a field that cannot be read, BadAnswer if the answer of the judge cannot be used,
        and a Failure if the judge gives none.
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
        return self.measurement(await self.score(agent_data({**(record or {}), **given})))

    @abstractmethod
    async def score(self, run: AgentTrace) -> Score:
        """Return the score of a run with its reference. Raises like `measure`."""

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
