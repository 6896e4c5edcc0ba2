"""An evaluator that asks a judge, and its target."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ...definition.registry import Configured
from ...definition.score_record import Effort
from ...ports import JudgeCall

__all__ = ["Evaluation"]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An evaluator, the target that it evaluates, and the calls that were made for it."""

    evaluator: Configured
    target_id: str
    calls: list[JudgeCall] = field(default_factory=list)

    @property
    def provenance(self) -> dict[str, object]:
        """What the details of the score say if it rests on an answer that a client has recorded; else nothing."""
        return {"answers_recorded_by": "client"} if any(call.recorded_by == "client" for call in self.calls) else {}

    @property
    def effort(self) -> Effort:
        """The effort of all calls. Tokens and cost are None if a call has none, or only an estimate."""
        counted_calls = [_without_estimate(call) for call in self.calls]
        return Effort(
            duration_ms=sum(call.duration_ms or 0.0 for call in self.calls),
            judge_model=self.calls[-1].model if self.calls else None,
            input_tokens=_sum([call.input_tokens for call in counted_calls]),
            output_tokens=_sum([call.output_tokens for call in counted_calls]),
            cost_usd=_sum([call.cost_usd for call in counted_calls]),
        )


def _without_estimate(call: JudgeCall) -> JudgeCall:
    if not (call.response or {}).get("estimated"):
        return call
    return replace(call, input_tokens=None, output_tokens=None, cost_usd=None)


def _sum(amounts: list[Any]) -> Any:
    return None if not amounts or None in amounts else sum(amounts)
