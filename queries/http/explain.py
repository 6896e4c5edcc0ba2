"""Explanations over HTTP: why a run has its scores, or has none."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from .api import Api
from .endpoint import Call, endpoint

__all__ = ["explain"]


class Subject(BaseModel):
    """The body of a request to explain: the beginning of a trace id or agent_trace_id."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    id: str = Field(min_length=1, max_length=100)


@endpoint("POST", "/api/v1/explain", "explain why a run has its scores, or has none", example='{"id": "5f0c"}')
async def explain(api: Api, call: Call) -> Mapping[str, Any]:
    """Answer with explanations of the runs whose id has this prefix."""
    subject = call.read_as(Subject)
    return await asyncio.get_running_loop().run_in_executor(api.queries, api.explain, subject.id.lower())
