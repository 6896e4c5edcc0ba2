"""Datasets over HTTP."""

from __future__ import annotations

from typing import Any

from ..ports import DatasetChange
from .api import Api
from .endpoint import Call, endpoint

__all__ = ["change_dataset"]


@endpoint(
    "POST",
    "/api/v1/datasets",
    "add items to a dataset, or remove them",
    example='{"dataset": "refunds", "items": [{"input": "I want my money back", "expected_tool_calls": ["refund"]}]}',
)
async def change_dataset(api: Api, call: Call) -> dict[str, Any]:
    """Take `ports.DatasetChange`, answer with `ports.DatasetVersion`."""
    change = call.read_as(DatasetChange)
    return (await api.admin_commands.run(lambda: api.commands.change_dataset(change))).model_dump()
