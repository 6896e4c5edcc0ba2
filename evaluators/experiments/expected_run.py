"""Gives a run the expectations of a test or of an item of a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..formats.expectation import find_implied_calls
from ..model import AgentTrace, Reference

__all__ = ["expect"]


def expect(run: AgentTrace, expected: Mapping[str, Any], source: str) -> AgentTrace:
    """Return the run with a reference that has these fields, from `source`; they replace those of its own reference.

    An expected trajectory implies the expected calls, and expected calls alone leave no trajectory.
    """
    if not expected:
        return run
    fields = dict(expected)
    if (trajectory := fields.get("expected_trajectory")) is not None:
        fields.setdefault("expected_tool_calls", find_implied_calls(trajectory))
    elif "expected_tool_calls" in fields:
        fields["expected_trajectory"] = None
    own = run.reference or Reference()
    sources = {**own.sources, **dict.fromkeys(fields, source)}
    named = "+".join(dict.fromkeys(sources.values()))
    reference = own.model_copy(update={**fields, "source": named, "sources": sources})
    return run.model_copy(update={"reference": reference.hashed()})
