"""Programs as evaluators: JSON on stdin, JSON on stdout, run without a shell.

The contract is that of AgentV's code judges (https://agentv.dev); an answer may use their keys or ours.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import orjson
from pydantic_core import to_json, to_jsonable_python

from ..definition.answer import as_score
from ..model import AgentTrace, JsonObject, Score, ToolDefinition

__all__ = ["Command", "NoAnswer", "NoProgram"]

_TAIL_CHARACTERS: Final = 500
_LOOK_S: Final = 0.1
_OF_AGENTV: Final = frozenset({"score", "reasoning", "details"})


class NoProgram(ValueError):
    """The program cannot be run; the message says what to do."""


class NoAnswer(Exception):
    """The program failed, took too long, or wrote no JSON."""


@dataclass(frozen=True, slots=True)
class Command:
    """Evaluates a target by running the program `argv`, whose input has the `options` under `config`.

    Returns a Score or, if the program writes a list, a list of Scores: one per tool call.
    """

    argv: tuple[str, ...]
    timeout_s: float
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, argv: tuple[str, ...], *, timeout_s: float, options: Mapping[str, Any]) -> Command:
        """Return the evaluator that runs `argv`. Raises NoProgram."""
        if not argv or not all(isinstance(word, str) for word in argv):
            raise NoProgram("a command is a list of words: [./judge.sh, argument]")
        if shutil.which(argv[0]) is None:
            raise NoProgram(_missing(argv[0]))
        return cls(argv, timeout_s, options)

    def __call__(self, target: Any) -> Score | list[Score]:
        """Return what the program answers. Raises NoAnswer, TimeoutError, or WrongAnswer if that is not a score."""
        output = self._answer(to_json(_target_fields(target, self.options), inf_nan_mode="null", fallback=str))
        try:
            answer = orjson.loads(output)
        except orjson.JSONDecodeError as error:
            description = f"{_end(output)!r}, which is not JSON" if output.strip() else "nothing; write JSON to stdout"
            raise NoAnswer(f"{self.argv[0]} wrote {description}") from error
        return [_score(entry) for entry in answer] if isinstance(answer, list) else _score(answer)

    def _answer(self, target: bytes) -> bytes:
        with _running(self.argv) as process:
            output, complaints = _communicate(process, target, self.timeout_s)
        if process.returncode != 0:
            reason = _end(complaints) or "it wrote nothing to stderr"
            raise NoAnswer(f"{self.argv[0]} ended with code {process.returncode}: {reason}")
        return output


@contextlib.contextmanager
def _running(argv: tuple[str, ...]) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process, and kill it with all that it started when the context ends."""
    process = subprocess.Popen(  # noqa: S603 - the configuration says what to run
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        process.wait()


def _communicate(process: subprocess.Popen[bytes], target: bytes, timeout_s: float) -> tuple[bytes, bytes]:
    """Return what the process wrote to stdout and stderr until it ended. Raises TimeoutError.

    Processes that it started may keep both open for longer; they are not waited for.
    """
    ends_at_s = time.monotonic() + timeout_s
    unsent: bytes | None = target
    is_over = False
    while True:
        left_s = ends_at_s - time.monotonic()
        try:
            return process.communicate(unsent, timeout=max(0.0, min(_LOOK_S, left_s)))
        except subprocess.TimeoutExpired as late:
            if is_over:
                return late.output or b"", late.stderr or b""
            if left_s <= 0:
                raise TimeoutError(f"took longer than {timeout_s:g} s") from None
        unsent = None  # Popen keeps the rest of the input
        is_over = process.poll() is not None


def _target_fields(target: Any, options: Mapping[str, Any]) -> JsonObject:
    fields = to_jsonable_python(target)
    if isinstance(target, AgentTrace):
        fields |= _in_words_of_agentv(target)
    elif not isinstance(target, ToolDefinition):
        fields = {"turns": fields}
    return {**fields, "config": options}


def _in_words_of_agentv(trace: AgentTrace) -> JsonObject:
    """Return the fields that AgentV's code judges read, under the names of all its versions."""
    from ..formats.agentv import write_run  # noqa: PLC0415 - few programs need the formats of other systems

    reference = trace.reference
    criteria = "\n".join((reference and reference.tasks) or ())
    return {
        "question": trace.input,
        "criteria": criteria,
        "expected_outcome": criteria,
        "answer": trace.final_response,
        "candidate_answer": trace.final_response,
        "reference_answer": reference and reference.expected_response,
        "output_messages": write_run(trace)["output_messages"],
    }


def _score(answer: object) -> Score:
    """Return the Score of an answer in our form (fields of a Score, number, bool or label) or in that of AgentV.

    Fields of AgentV that a Score does not have are kept in its details.
    """
    if not isinstance(answer, dict) or "score" not in answer:
        return as_score(answer)
    beside = {name: value for name, value in answer.items() if name not in _OF_AGENTV}
    details = answer.get("details")
    known = details if isinstance(details, dict) else {}
    fields = {"value": answer["score"], "explanation": answer.get("reasoning"), "details": {**beside, **known}}
    return as_score(fields)


def _missing(program: str) -> str:
    if os.path.isfile(program):  # noqa: PTH113 - the path as the system resolves it
        return f"{program} cannot be executed; chmod +x it, or name its interpreter: [python3, {program}]"
    return f"there is no program {program!r}, neither in the working directory nor on PATH"


def _end(written: bytes) -> str:
    """Return the end of the output of a program."""
    return written.decode(errors="replace").strip()[-_TAIL_CHARACTERS:]
