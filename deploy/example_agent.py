"""An agent that needs no key: a scripted model, two tools, and spans by the GenAI semantic conventions.

    pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http
    python example_agent.py

It sends to OTEL_EXPORTER_OTLP_ENDPOINT, or to http://localhost:4318 where that is not set.
Source of the names: https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai)
"""

import json
import uuid

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

ORDERS = {"ada": [{"order": 7, "state": "delivered"}]}
TOOLS = {"find_orders": lambda customer: ORDERS[customer], "refund": lambda order: f"order {order} is refunded"}
PARAMETERS = {"find_orders": {"customer": {"type": "string"}}, "refund": {"order": {"type": "integer"}}}
SCRIPT = [("find_orders", {"customer": "ada"}), ("refund", {"order": 7}), "Order 7 is refunded, Ada."]

provider = TracerProvider(resource=Resource.create({"service.name": "helpdesk"}))
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
tracer = provider.get_tracer("example_agent")


def run(question: str) -> str:
    """One run: asks the model, calls the tool that it asks for, tells it the result, until it answers."""
    messages = [{"role": "user", "parts": [{"type": "text", "content": question}]}]
    with step("invoke_agent", "helpdesk", agent__name="helpdesk", conversation__id=uuid.uuid4().hex) as agent:
        agent.set_attribute("gen_ai.tool.definitions", json.dumps([definition(name) for name in TOOLS]))
        for at, reply in enumerate(SCRIPT):
            messages.append(chat(messages, reply, call_id=f"call_{at}"))
            if isinstance(reply, str):
                return reply
            messages.append(call_tool(*reply, call_id=f"call_{at}"))
    raise AssertionError("the script ends with an answer")


def chat(messages, reply, *, call_id):
    """What the scripted model says next: text, or the call of a tool."""
    said = {"type": "text", "content": reply}
    if not isinstance(reply, str):
        said = {"type": "tool_call", "id": call_id, "name": reply[0], "arguments": reply[1]}
    answer = {"role": "assistant", "parts": [said]}
    with step("chat", "scripted", provider__name="example", request__model="scripted") as span:
        span.set_attribute("gen_ai.input.messages", json.dumps(messages))
        span.set_attribute("gen_ai.output.messages", json.dumps([answer]))
    return answer


def call_tool(name, arguments, *, call_id):
    """Calls one of TOOLS; the message that tells the model what came back."""
    with step("execute_tool", name, tool__name=name, tool__call__id=call_id) as span:
        span.set_attribute("gen_ai.tool.call.arguments", json.dumps(arguments))
        result = json.dumps(TOOLS[name](**arguments))
        span.set_attribute("gen_ai.tool.call.result", result)
    return {"role": "tool", "parts": [{"type": "tool_call_response", "id": call_id, "response": result}]}


def definition(name):
    """A tool as the model is told of it."""
    schema = {"type": "object", "properties": PARAMETERS[name], "required": [*PARAMETERS[name]]}
    return {"type": "function", "name": name, "parameters": schema}


def step(operation, name, **attributes):
    """A span named and attributed as the conventions want it."""
    found = {f"gen_ai.{key.replace('__', '.')}": value for key, value in attributes.items()}
    return tracer.start_as_current_span(f"{operation} {name}", attributes={"gen_ai.operation.name": operation, **found})


if __name__ == "__main__":
    print(run("Please refund my last order. I am Ada."))
    provider.shutdown()
