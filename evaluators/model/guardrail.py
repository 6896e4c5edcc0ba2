"""What a guardrail decided in a run."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from .value import Value

__all__ = ["Guardrail"]


class Guardrail(Value):
    """One decision of a guardrail: a check of content or of an action, before, during or after an operation."""

    name: str
    decision: str | None = Field(
        default=None,
        description="allow, deny, modify, warn, audit, or what else the guardrail calls it: what the caller enforced, "
        "else the verdict",
    )
    reason: str | None = None
    target: str | None = Field(default=None, description="what was checked, such as llm_input or tool_call")
    span_id: str | None = None
    time: datetime | None = None
