"""An item of a dataset that is made of a run."""

from __future__ import annotations

from typing import Final

from tracegrade.evaluators.experiments.item import DatasetItem, ItemSource

from ...answers.run import RunDetail
from ...read.run_parts import Part

__all__ = ["PARTS_OF_ITEM", "make_item"]

PARTS_OF_ITEM: Final[tuple[Part, ...]] = ("tool_definitions",)
"""The parts of a run that become part of its item."""


def make_item(run: RunDetail) -> DatasetItem | None:
    """Return an item with the input of a run and the tools that it was offered; None if the input was not recorded.

    Its expectations are to be written by people.
    """
    if not run.input:
        return None
    definitions = [
        each.model_dump(include={"name", "description", "input_schema"}) for each in run.tool_definitions or []
    ]
    source = ItemSource(agent_trace_id=run.agent_trace_id, revision=run.revision)
    return DatasetItem.model_validate({"input": run.input, "source": source, "tools": definitions or None})
