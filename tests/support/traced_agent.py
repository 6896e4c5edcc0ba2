"""An agent that its instrumentation records in spans of the GenAI conventions, in this process."""

from __future__ import annotations

import json
from typing import Any

from opentelemetry import trace as trace_api

from . import agent_spans

__all__ = ["book"]


def book(city: str, *, tracer: Any = None, name: str = "travel") -> None:
    """An agent that calls one tool."""
    tracer = tracer or trace_api.get_tracer("agent")
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}
    question = [agent_spans.text_message("user", f"Book a hotel in {city}")]
    with tracer.start_as_current_span("invoke_agent", attributes=agent):
        with tracer.start_as_current_span("chat m") as chat:
            chat.set_attribute("gen_ai.operation.name", "chat")
            chat.set_attribute("gen_ai.input.messages", json.dumps(question))
        with tracer.start_as_current_span("execute_tool book") as tool:
            tool.set_attribute("gen_ai.operation.name", "execute_tool")
            tool.set_attribute("gen_ai.tool.name", "book")
            tool.set_attribute("gen_ai.tool.call.arguments", json.dumps({"city": city}))
