"""Finds the run of an item in what its task returned and in what was captured meanwhile."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Iterable, Mapping
from typing import Final

from tracegrade.evaluators.experiments.expected_run import expect
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.formats.output_map import run_of_output
from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.text.messages import counted, listed

from ..capture import Capture, NoSingleRun

__all__ = ["NoRun", "choose_run", "find_recorded", "find_run"]

_SOURCE: Final = "dataset"
_UNRECORDED: Final = ("content_not_captured", "model_calls_not_captured")
"""The gaps of a run of which only the answer is known: it may have called tools."""


class NoRun(ValueError):
    """There is no run to evaluate, or more than one; the message says why."""


def find_run(item: DatasetItem, returned: object, captured: Capture) -> AgentTrace:
    """Return the run that the task returned or recorded, with the expectations of the item. Raises NoRun.

    The item's input, and a text that the task returned, stand for those that the spans do not record.
    """
    if isinstance(returned, Mapping):
        returned = _read_output(returned)
    if isinstance(returned, AgentTrace):
        run = returned
    elif returned is None or isinstance(returned, str):
        run = _require_recorded(returned, captured)
    else:
        raise NoRun(
            f"the task returned {type(returned).__name__}; it returns the answer as text, an AgentTrace, the output "
            "map of one, or None if its spans record the run"
        )
    return expect(_complete(run, item, returned), item.defined, _SOURCE)


def _read_output(returned: Mapping[str, object]) -> AgentTrace | str:
    try:
        return run_of_output(returned)
    except ValueError as error:
        raise NoRun(f"the task returned an output map that cannot be read: {error}") from error


def find_recorded(item: DatasetItem, captured: Capture) -> AgentTrace | None:
    """Return the run that a task recorded before it failed, if it is exactly one."""
    try:
        run = choose_run(captured.runs)
    except NoRun:
        return None
    return None if run is None else expect(_complete(run, item, None), item.defined, _SOURCE)


def choose_run(recorded: Iterable[AgentTrace]) -> AgentTrace | None:
    """Return the run that no other one called; None if there is none. Raises NoRun if there are several."""
    runs = [run for run in recorded if run.parent_agent_trace_id is None]
    if len(runs) > 1:
        names = listed([run.agent_name or "an agent without a name" for run in runs])
        raise NoRun(
            f"the task recorded {counted(len(runs), 'run')}, of {names}: put a span of a workflow around them "
            "(gen_ai.operation.name = invoke_workflow), or return the AgentTrace that counts"
        )
    return runs[0] if runs else None


def _require_recorded(returned: str | None, captured: Capture) -> AgentTrace:
    if (run := choose_run(captured.runs)) is not None:
        return run
    if returned is not None:
        if captured.hint:
            warnings.warn(f"no run of the task was recorded{captured.hint}", RuntimeWarning, stacklevel=2)
        return AgentTrace(gaps=_UNRECORDED)
    try:
        return captured.run
    except NoSingleRun as error:
        raise NoRun(f"the task returned None, and {error}") from error


def _complete(run: AgentTrace, item: DatasetItem, returned: object) -> AgentTrace:
    """Return the run with ids, and with its input and answer if these are known only here."""
    update: dict[str, object] = {}
    if not run.agent_trace_id:
        trace_id, span_id = secrets.token_hex(16), secrets.token_hex(8)
        update |= {"agent_trace_id": f"{trace_id}-{span_id}", "trace_id": trace_id, "agent_span_id": span_id}
    if run.input is None and isinstance(item.input, str):
        update["input"] = item.input
    if run.final_response is None and isinstance(returned, str):
        update["final_response"] = returned
    return run.model_copy(update=update) if update else run
