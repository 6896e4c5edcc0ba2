"""The input of a run, its answer, and the tools that it was offered."""

from __future__ import annotations

from collections.abc import Sequence

from tracegrade.evaluators.model import AgentTrace, Message, ToolCallPart, ToolDefinition

from ..spans.control_flow import is_command
from ..spans.step import Step
from .answers import answered_calls
from .conversation import is_id_of_provider, last_text
from .run import Reading, Run
from .trace_context import TraceContext
from .turns import new_output, split_output

__all__ = ["closing_text", "collect_definitions", "find_final_response", "find_input"]


def find_input(context: TraceContext, run: Run, models: Sequence[Reading]) -> str | None:
    """Return the user's question in this run; `models` are the model calls through which it answers.

    A resumed run has a command as input: its question is the last one of the user.
    """
    own_input = (last_text(run.own.input or (), "user") or run.own.input_text) if run.own else None
    if own_input is not None and not is_command(own_input):
        return own_input
    last_question = last_text(models[0].step.input or (), "user") if models else None
    if last_question is None and run.own is not None:
        last_question = last_text(split_output(run.own)[0], "user")
    return (
        last_question
        or own_input
        or _find_input_within(run)
        or (_find_input_above(context, run) if context.has_one_run else None)
    )


def _find_input_within(run: Run) -> str | None:
    """Return the user's question from a span within the run, if its own and its model calls do not record it."""
    readings = (*run.of("agent"), *run.of("workflow"), *reversed(run.of("message")))
    questions = (last_text(reading.step.input or (), "user") for reading in readings)
    return next((text for text in questions if text is not None), None)


def _find_input_above(context: TraceContext, run: Run) -> str | None:
    """Return the input of a workflow around the run, of which it is the only run."""
    inputs = (last_text(step.input or (), "user") or step.input_text for step in context.above(run.top))
    return next((text for text in inputs if text is not None), None)


def find_final_response(run: Run, models: Sequence[Reading], below: Sequence[AgentTrace]) -> str | None:
    """Return the answer: the output of the run's own span, else the last text of the model that requests no tool.

    A run that handed over without a text of its own answered through the last run below it.
    """
    response = closing_text(run.own) if run.own else None
    if response is None:
        response = next((text for call in reversed(models) if (text := _answer(call.step)) is not None), None)
    if response is None and run.top.status_code != "error":
        answers = [child.final_response for child in below]
        response = next((answer for answer in reversed(answers) if answer is not None), None)
    return response


def closing_text(own: Step) -> str | None:
    """Return the answer on the run's own span: its last message, unless a tool is requested or has answered last."""
    output = new_output(own)
    answers = [message for message in output if message.role == "assistant"]
    if answers and (output[-1].role == "tool" or _requests_tool(answers[-1], own)):
        return own.output_text
    if answers and not answers[-1].text:
        return ""
    return last_text(answers, "assistant") or own.output_text


def _answer(step: Step) -> str | None:
    """Return the text of a model call's message that requests no tool; "" if that message has no text."""
    answers = [message for message in step.output or () if not _requests_tool(message, step)]
    return (answers[-1].text or "") if answers else step.output_text


def _requests_tool(message: Message, step: Step) -> bool:
    """Return whether the message requests a tool that the application has to run.

    Calls that the step answers itself were run by the model's provider. Arguments that are not an object end the
    conversation as well: there is nothing to run.
    """
    calls = [call for call in message.tool_calls if not isinstance(call.arguments, str) and not _is_provided(call)]
    if not calls:
        return False
    answered = {id(call) for call in answered_calls(step.output or ()).values()}
    return any(id(call) not in answered for call in calls)


def _is_provided(call: ToolCallPart) -> bool:
    return call.id is not None and is_id_of_provider(call.id)


def collect_definitions(run: Run, below: Sequence[AgentTrace]) -> tuple[ToolDefinition, ...] | None:
    """Return every tool that was offered, once; of two with one name the one with a schema."""
    offered = [definition for reading in run.steps for definition in reading.step.definitions or ()]
    if run.hands_over:
        offered += [definition for child in below for definition in child.tool_definitions or ()]
    definitions: dict[str, ToolDefinition] = {}
    for definition in offered:
        former = definitions.get(definition.name)
        if former is None or (former.input_schema is None and definition.input_schema is not None):
            definitions[definition.name] = definition
    return tuple(definitions.values()) or None
