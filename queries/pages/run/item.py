"""A run as an item of a dataset."""

from __future__ import annotations

from tracegrade.evaluators.experiments.item import DatasetItem, ItemSource

from ...answers.run import RunDetail

__all__ = ["make_item"]


def make_item(run: RunDetail) -> DatasetItem:
    """Return a run that has an input as an item, whose expectations are to be written by people; with the tools that it
    was offered, if they were read."""
    definitions = [
        each.model_dump(include={"name", "description", "input_schema"}) for each in run.tool_definitions or []
    ]
    source = ItemSource(agent_trace_id=run.agent_trace_id, revision=run.revision)
    return DatasetItem.model_validate({"input": run.input, "source": source, "tools": definitions or None})
