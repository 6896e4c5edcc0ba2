"""A task that runs a command, for agents in any language."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import orjson

from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.text.messages import shortened

from .captured_run import choose_run
from .task_call import Task

__all__ = ["command_task"]

_INPUT: Final = "{input}"
_LONGEST: Final = 200


def command_task(command: Sequence[str], *, environment: Mapping[str, str] | None = None) -> Task:
    """Return a task that runs a command per item; what it prints is the answer.

    The input stands for `{input}` in an argument; without such an argument it is the standard input. An object is
    written as JSON. The command gets the address of a receiver for its spans in OTEL_EXPORTER_OTLP_ENDPOINT, by which
    its run is captured. It is part of the item's error if it ends with an exit code other than 0. Each command has its
    own process group, which ends with it. Needs `tracegrade[server]`. Raises ValueError for an empty command.
    """
    if isinstance(command, str) or not command:
        raise ValueError("write the command as a list of its words, such as ['node', 'agent.js', '{input}']")
    given = dict(environment or {})

    async def run_command(question: str | None = None, /, **fields: Any) -> AgentTrace | str:
        text = orjson.dumps(fields).decode() if question is None else question
        return await _run(list(command), text, given)

    return run_command


async def _run(command: Sequence[str], text: str, environment: Mapping[str, str]) -> AgentTrace | str:
    """Return the run that the command records, with what it prints as its response; else what it prints."""
    from .span_receiver import receiving  # noqa: PLC0415 - imports the server, which other tasks do not need

    words = [word.replace(_INPUT, text) for word in command]
    takes_input = words == list(command)
    async with receiving() as receiver:
        exporter = {"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url, "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}
        process = await asyncio.create_subprocess_exec(
            *words,
            env={**os.environ, **exporter, **environment},
            stdin=asyncio.subprocess.PIPE if takes_input else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        try:
            out, err = await process.communicate(text.encode() if takes_input else None)
        finally:
            _end(process.pid)
            await process.wait()
        if process.returncode:
            raise RuntimeError(_explain(process.returncode, err))
        answer = out.decode("utf-8", "replace").strip()
        run = choose_run(receiver.runs)
    if run is None:
        return answer
    return run if run.final_response is not None else run.model_copy(update={"final_response": answer})


def _end(pid: int) -> None:
    """Kill what is left of the process group of a command."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _explain(code: int, err: bytes) -> str:
    how = f"the command was ended by signal {-code}" if code < 0 else f"the command ended with exit code {code}"
    lines = err.decode("utf-8", "replace").strip().splitlines()
    return f"{how}: {shortened(lines[-1].strip(), _LONGEST)}" if lines else how
