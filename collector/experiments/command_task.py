"""A task that runs a command, for agents in any language."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO, Any, Final

import orjson

from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.text.messages import shortened

from .captured_run import choose_run
from .task_call import Task

__all__ = ["command_task"]

_INPUT: Final = "{input}"
_NO_OPTIONS: Final = "--"
_LONGEST: Final = 200


def command_task(command: Sequence[str | os.PathLike[str]], *, environment: Mapping[str, str] | None = None) -> Task:
    """Return a task that runs a command per item; what it prints is the answer.

    The input stands for `{input}` in an argument; without such an argument it is the standard input. An object is
    written as JSON. An input that begins with `-` would be read as an option: an argument that begins with `{input}`
    follows `--`, or such an item is not run. The command gets the address of a receiver for its spans in
    OTEL_EXPORTER_OTLP_ENDPOINT, by which its run is captured. It is part of the item's error if it ends with an exit
    code other than 0. Each command has its own process group, which ends with it. Raises ValueError for an empty
    command, TypeError for a word that is not text, and ImportError without `tracegrade[server]`.
    """
    if isinstance(command, (str, bytes)) or not command:
        raise ValueError("write the command as a list of its words, such as ['node', 'agent.js', '{input}']")
    words = [_read_word(f"word {number} of the command", word) for number, word in enumerate(command, 1)]
    if _INPUT in words[0]:
        raise ValueError("the input of an item cannot name the program; write the program as the first word")
    given = {
        _read_word("a variable of the environment", name): _read_word(f"the variable {name}", value)
        for name, value in (environment or {}).items()
    }
    try:
        from . import span_receiver  # noqa: F401, PLC0415 - imports the server, which other tasks do not need
    except ImportError as error:
        raise ImportError(f"command_task needs `pip install 'tracegrade[server]'`: {error}") from error

    async def run_command(question: str | None = None, /, **fields: Any) -> AgentTrace | str:
        text = orjson.dumps(fields).decode() if question is None else question
        return await _run(words, text, given)

    return run_command


def _read_word(what: str, word: object) -> str:
    """Return a word or path as text. Raises TypeError."""
    text = os.fspath(word) if isinstance(word, os.PathLike) else word
    if not isinstance(text, str):
        raise TypeError(f"{what} is {word!r}; write text")
    return text


async def _run(command: Sequence[str], text: str, environment: Mapping[str, str]) -> AgentTrace | str:
    """Return the run that the command records, with what it prints as its response; else what it prints."""
    from .span_receiver import receiving  # noqa: PLC0415 - as above

    words = _fill_words(command, text)
    takes_input = words == list(command)
    async with receiving() as receiver:
        exporter = {"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url, "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}
        code, out, err = await _execute(words, text if takes_input else None, {**os.environ, **exporter, **environment})
        if code:
            raise RuntimeError(_explain(code, err))
        answer = out.decode("utf-8", "replace").strip()
        run = choose_run(receiver.runs)
    if run is None:
        return answer
    return run if run.final_response is not None else run.model_copy(update={"final_response": answer})


def _fill_words(command: Sequence[str], text: str) -> list[str]:
    """Return the command with the input. Raises ValueError if that would be an option, by which it could do anything.

    After the word `--` there are no options, by https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/V1_chap12.html.
    """
    for number, word in enumerate(command):
        if word.startswith(_INPUT) and text.startswith("-") and _NO_OPTIONS not in command[:number]:
            raise ValueError(
                f"the input begins with -, which the command would read as an option: write {_NO_OPTIONS!r} before "
                f"{word!r}, or leave the word out, so that the input is the standard input"
            )
    return [word.replace(_INPUT, text) for word in command]


async def _execute(words: Sequence[str], text: str | None, environment: Mapping[str, str]) -> tuple[int, bytes, bytes]:
    """Run a command in a process group of its own; return its exit code and what it has written.

    It writes to files: a pipe would be open as long as any process that the command has started and left behind.
    """
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        if text is not None:
            given.write(text.encode())
            given.seek(0)
        starting = asyncio.ensure_future(
            asyncio.create_subprocess_exec(
                *words,
                env=environment,
                stdin=DEVNULL if text is None else given,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        )
        try:
            process = await asyncio.shield(starting)
            await process.wait()
        except asyncio.CancelledError:
            await _end(await starting)
            raise
        await _end(process)
        return process.returncode or 0, _read(out), _read(err)


def _read(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


async def _end(process: Process) -> None:
    """Kill what is left of the process group of a command."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def _explain(code: int, err: bytes) -> str:
    how = f"the command was ended by signal {-code}" if code < 0 else f"the command ended with exit code {code}"
    lines = err.decode("utf-8", "replace").strip().splitlines()
    return f"{how}: {shortened(lines[-1].strip(), _LONGEST)}" if lines else how
