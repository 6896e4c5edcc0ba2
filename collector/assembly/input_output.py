"""What a run was asked, what it answered, and the tools it was offered."""

from __future__ import annotations

from collections.abc import Sequence

from tracegrade.evaluators.model import AgentTrace, Message, ToolCallPart, ToolDefinition

from ..spans.control_flow import is_command
from ..spans.step import Step
from .answers import answered_calls
from .conversation import is_id_of_provider, last_text
from .run import Read, Run
from .trace_context import Whole
from .turns import new_output, split_output

__all__ = ["closing", "definitions_of", "final_response", "input_of"]


def input_of(whole: Whole, run: Run, models: Sequence[Read]) -> str | None:
    """What the user asked in this run, of which `models` are the calls through which it speaks.

    A run that is resumed was given a command instead: there it is what the user asked last.
    """
    given = (last_text(run.own.input or (), "user") or run.own.input_text) if run.own else None
    if given is not None and not is_command(given):
        return given
    asked = last_text(models[0].step.input or (), "user") if models else None
    if asked is None and run.own is not None:
        asked = last_text(split_output(run.own)[0], "user")
    return asked or given or _given_within(run) or (_given_above(whole, run) if whole.has_one_run else None)


def _given_within(run: Run) -> str | None:
    """What a span within the run says the user asked, where the run's own and its model calls do not say."""
    spoken = (*run.of("agent"), *run.of("workflow"), *reversed(run.of("message")))
    given = (last_text(within.step.input or (), "user") for within in spoken)
    return next((text for text in given if text is not None), None)


def _given_above(whole: Whole, run: Run) -> str | None:
    """What a workflow was asked of which this run is all."""
    given = (last_text(step.input or (), "user") or step.input_text for step in whole.above(run.top))
    return next((text for text in given if text is not None), None)


def final_response(run: Run, models: Sequence[Read], below: Sequence[AgentTrace]) -> str | None:
    """The answer: what the run says it gave back, else the last text of the model that asks for no tool.

    A run that handed over and said no more answered through the last run below it.
    """
    said = closing(run.own) if run.own else None
    if said is None:
        said = next((text for one in reversed(models) if (text := _answer(one.step)) is not None), None)
    if said is None and run.top.status_code != "error":
        answers = [child.final_response for child in below]
        said = next((answer for answer in reversed(answers) if answer is not None), None)
    return said


def closing(own: Step) -> str | None:
    """What the run's own span says it answered: its last message, unless that asks for a tool."""
    answers = [message for message in new_output(own) if message.role == "assistant"]
    if answers and not answers[-1].text and not _asks(answers[-1], own):
        return ""
    return last_text(answers, "assistant") or own.output_text


def _answer(step: Step) -> str | None:
    """The text in which a model call asks for nothing more; "" where it was recorded and has none."""
    closing = [message for message in step.output or () if not _asks(message, step)]
    return (closing[-1].text or "") if closing else step.output_text


def _asks(message: Message, step: Step) -> bool:
    """Whether the message asks for a tool that somebody else has to run.

    The model's provider ran what the step answers itself. Arguments that are no object end the conversation as well:
    there is nothing to run.
    """
    calls = [call for call in message.tool_calls if not isinstance(call.arguments, str) and not _is_provided(call)]
    if not calls:
        return False
    answered = {id(call) for call in answered_calls(step.output or ()).values()}
    return any(id(call) not in answered for call in calls)


def _is_provided(call: ToolCallPart) -> bool:
    return call.id is not None and is_id_of_provider(call.id)


def definitions_of(run: Run, below: Sequence[AgentTrace]) -> tuple[ToolDefinition, ...] | None:
    """Every tool that was offered, once; of two of one name the one with a schema."""
    offered = [definition for one in run.steps for definition in one.step.definitions or ()]
    if run.hands_over:
        offered += [definition for child in below for definition in child.tool_definitions or ()]
    found: dict[str, ToolDefinition] = {}
    for definition in offered:
        known = found.get(definition.name)
        if known is None or (known.input_schema is None and definition.input_schema is not None):
            found[definition.name] = definition
    return tuple(found.values()) or None
