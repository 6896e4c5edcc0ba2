"""Datasets over HTTP."""

from __future__ import annotations

from ..ports import DatasetChange, DatasetVersion
from .api import Api
from .endpoint import Call, endpoint

__all__ = ["change_dataset"]


@endpoint(
    "POST",
    "/api/v1/datasets",
    "add items to a dataset, or remove them",
    body=DatasetChange,
    answer=DatasetVersion,
    example='{"dataset": "refunds", "items": [{"input": "I want my money back", "expected_tool_calls": ["refund"]}]}',
)
async def change_dataset(api: Api, call: Call) -> DatasetVersion:
    """Answer with the version that the change has made."""
    change = call.body(DatasetChange)
    return await api.admin_commands.run(lambda: api.commands.change_dataset(change))
