"""An agent that needs no key: a scripted model, two tools, and spans with the GenAI semantic conventions.

    pip install opentelemetry-sdk opentelemetry-exporter-otlp
    python example_agent.py

It sends to OTEL_EXPORTER_OTLP_ENDPOINT with OTEL_EXPORTER_OTLP_PROTOCOL: grpc (port 4317) or http/protobuf (port 4318).
The default is HTTP to http://localhost:4318.
Source of the names: https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai)
"""

import json
import os

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

if os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL") == "grpc":
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
else:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

TOOLS = {
    "find_orders": lambda customer: [{"order": 7, "customer": customer}],
    "refund": lambda order: f"order {order} is refunded",
}
DEFINITIONS = [
    {"name": name, "parameters": {"type": "object", "properties": {key: {"type": kind}}, "required": [key]}}
    for name, key, kind in (("find_orders", "customer", "string"), ("refund", "order", "integer"))
]
SCRIPT = [  # what the model says, turn by turn
    {"type": "tool_call", "id": "call_1", "name": "find_orders", "arguments": {"customer": "ada"}},
    {"type": "tool_call", "id": "call_2", "name": "refund", "arguments": {"order": 7}},
    {"type": "text", "content": "Order 7 is refunded, Ada."},
]

provider = TracerProvider(resource=Resource.create({"service.name": "helpdesk"}))
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
tracer = provider.get_tracer("example_agent")


def step(operation, name, **attributes):
    """Start a span by the conventions, around a step of the agent. What is not text is recorded as JSON."""
    found = {f"gen_ai.{key.replace('__', '.')}": as_text(value) for key, value in attributes.items()}
    return tracer.start_as_current_span(f"{operation} {name}", attributes={"gen_ai.operation.name": operation, **found})


def as_text(value):
    return value if isinstance(value, str) else json.dumps(value)


def run(question):
    """Asks the model, calls the tool that it wants, tells it the result, until it answers."""
    messages = [{"role": "user", "parts": [{"type": "text", "content": question}]}]
    with step("invoke_agent", "helpdesk", agent__name="helpdesk", tool__definitions=DEFINITIONS):
        for reply in SCRIPT:
            with step("chat", "scripted", request__model="scripted", input__messages=messages) as span:
                messages.append({"role": "assistant", "parts": [reply]})
                span.set_attribute("gen_ai.output.messages", as_text(messages[-1:]))
            if reply["type"] == "text":
                return reply["content"]
            called = {"tool__name": reply["name"], "tool__call__id": reply["id"]}
            with step("execute_tool", reply["name"], tool__call__arguments=reply["arguments"], **called) as span:
                result = as_text(TOOLS[reply["name"]](**reply["arguments"]))
                span.set_attribute("gen_ai.tool.call.result", result)
            messages.append(
                {"role": "tool", "parts": [{"type": "tool_call_response", "id": reply["id"], "response": result}]}
            )
    raise RuntimeError("the script ends without an answer")


if __name__ == "__main__":
    print(run("Please refund my last order. I am Ada."))
    provider.shutdown()
