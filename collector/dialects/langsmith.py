"""LangSmith's SDK, when it sends its runs over OpenTelemetry: a run's inputs and outputs, whole, under two keys.

They hold what the run was of: a function's arguments and what it returned (under `output` where that is no object),
a request to OpenAI and its answer, or LangChain's messages. The name of the operation is not to be trusted (a
retriever has that of embeddings), the kind of the run is. `langsmith.trace.session_name` is a project.

Source: langsmith 0.15.0 (langsmith/_internal/otel/_otel_exporter.py, langsmith/run_helpers.py,
langsmith/wrappers/_openai.py), langchain-core 1.7 (langchain_core/tracers)
"""

from __future__ import annotations

from typing import Any

from ..spans.envelopes import call_arguments, tool_message
from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, StepKind
from ..spans.values import as_object, decode_text
from .shared import langchain, semconv
from .shared.content import read_turns
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.parts import read_arguments
from .shared.second_convention import with_genai
from .shared.tool_definitions import read_definitions

__all__ = ["DIALECT"]

KIND, INPUTS, OUTPUTS = "langsmith.span.kind", "gen_ai.prompt", "gen_ai.completion"
_METADATA = "langsmith.metadata."
_AGENT = f"{_METADATA}lc_agent_name"
_HIDDEN = "{}"
_KINDS: dict[str, StepKind] = {"chain": "workflow", "llm": "model", "retriever": "retrieval", "tool": "tool"}
_KEYS = Keys(
    agent_name=(_AGENT,),
    session_id=tuple(_METADATA + key for key in ("session_id", "thread_id", "conversation_id")),
    user_id=tuple(_METADATA + key for key in ("user_id", "ls_user_id")),
    provider_name=(f"{_METADATA}ls_provider",),
    usage=(f"{_METADATA}usage_metadata",),
    input_value=(INPUTS,),
    output_value=(OUTPUTS,),
).before(semconv.KEYS)


def read(span: Span) -> Step | None:
    kind = _kind(span)
    if kind is None:
        return None
    attributes = {
        key: value for key, value in span.attributes.items() if key not in {INPUTS, OUTPUTS} or value != _HIDDEN
    }
    step = read_step(replace(span, attributes=attributes), kind, _KEYS)
    if kind == "tool":
        return _tool(span, step)
    return with_genai(span, _model(span, step)) if kind == "model" else _with_agent_name(span, step)


def _kind(span: Span) -> StepKind | None:
    """Return the kind of the run; a chain that LangChain runs under an agent's name is that agent."""
    kind = _KINDS.get(span.text(KIND) or "")
    return "agent" if kind == "workflow" and span.text(_AGENT) == span.name else kind


def _tool(span: Span, step: Step) -> Step:
    """Return a call; if input and output are empty, they were hidden. One that raised has no result."""
    inputs, outputs = span.first(INPUTS), span.first(OUTPUTS)
    is_hidden = inputs == outputs == _HIDDEN
    is_empty = is_hidden or (outputs == _HIDDEN and span.status_code == "error")
    result = tool_message(_unwrap_output(None if is_empty else outputs))
    return replace(
        step,
        tool_name=step.tool_name or span.name,
        call_id=step.call_id or result.call_id,
        args=None if is_hidden else read_arguments(_arguments(inputs)),
        result=result.text,
        error=step.error or result.error,
    )


def _arguments(value: Any) -> Any:
    """Return a function's arguments; a tool of LangChain with a single text has it, or a repr, as `input`."""
    arguments = call_arguments(value)
    if isinstance(arguments, dict):
        return arguments
    inputs = as_object(arguments)
    only = as_object(inputs["input"]) if inputs is not None and inputs.keys() == {"input"} else None
    return only if only is not None else value


def _unwrap_output(value: Any) -> Any:
    """Return a function's result; one that is not an object is under `output`."""
    fields = as_object(value)
    is_wrapped = fields is not None and fields.keys() == {"output"}
    return fields["output"] if fields is not None and is_wrapped else value


def _with_agent_name(span: Span, step: Step) -> Step:
    """Name a run after its outermost chain, unless that is an agent with a name."""
    is_top = step.kind == "agent" or span.parent_span_id is None
    return step if step.agent_name is not None or not is_top else replace(step, agent_name=span.name)


def _model(span: Span, step: Step) -> Step:
    """Return a model call: request and answer in the provider's format, or LangChain's messages."""
    request, response = as_object(span.first(INPUTS)) or {}, decode_text(span.first(OUTPUTS))
    return replace(
        step,
        input=read_turns(step.input_text, "user") if step.input_text is not None else step.input,
        output=langchain.read_generations(response) or read_turns(_unwrap_output(response), "assistant"),
        input_text=None,
        output_text=None,
        definitions=step.definitions or read_definitions(request.get("tools")),
    )


DIALECT = Dialect(
    "langsmith",
    read,
    level="convention",
    scopes=("langsmith",),
    keys=(KIND,),
    content="LANGSMITH_HIDE_INPUTS=false LANGSMITH_HIDE_OUTPUTS=false",
    evidence=(Evidence("langsmith", "0.15", "recording"),),
)
