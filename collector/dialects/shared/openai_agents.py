"""Behaviour of OpenAI's Agents SDK that it does not record, with any instrumentation.

It closes the span of a call that waits for approval without error and result, and ends the run without asking the model
again. The agent that takes over need not hear the answer to the call that handed over to it.

Source: openai-agents 0.24 (agents/run_internal/tool_execution.py)
"""

from __future__ import annotations

from .dialect import Unrecorded

__all__ = ["UNRECORDED"]

_SCOPES = "*openai_agents*"
"""The scopes of all instrumentations of the SDK."""

UNRECORDED = (Unrecorded("pauses", _SCOPES), Unrecorded("hands_over", _SCOPES))
