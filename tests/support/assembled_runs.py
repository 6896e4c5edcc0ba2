"""Runs assembled in the test, without a store."""

from __future__ import annotations

from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.span import Span
from tracegrade.evaluators.model import AgentTrace

__all__ = ["assemble_outermost"]


def assemble_outermost(*spans: Span) -> AgentTrace:
    """The outermost run of a trace of these spans."""
    return assemble(spans)[0]
