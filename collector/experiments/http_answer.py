"""Reads what an HTTP endpoint answers: a text, a value in JSON, or the run that the answer describes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson
from pydantic import ValidationError

from tracegrade.evaluators.formats.output_map import run_of_output
from tracegrade.evaluators.model import AgentTrace, JsonObject
from tracegrade.evaluators.text.messages import listed
from tracegrade.evaluators.text.validation_errors import explain

from .completion_run import is_completion, run_of_completion

__all__ = ["read_answer"]

_OUTPUT: Final = "output"
_OUTPUT_MAP: Final = (_OUTPUT, "toolCalls", "reasoningSteps")
_NO_JSON: Final = object()


def read_answer(text: str, *, path: str | None, asked: Sequence[JsonObject] = ()) -> AgentTrace | str:
    """Return the answer in the body of a response.

    With a `path` it is the value there, in JSON. Without one it is the run in a chat completion of OpenAI, which
    answers the messages in `asked`, or in an output map of Dokimos; else the value of `output`, else the whole text.
    Raises ValueError if there is no such value, or for a run that cannot be read.
    """
    value = _read_json(text)
    if path is not None:
        return _as_text(_find(value, path))
    if not isinstance(value, dict):
        return value if isinstance(value, str) else text
    try:
        if is_completion(value):
            return run_of_completion(value, asked)
        if isinstance(value.get(_OUTPUT), str):
            return run_of_output({key: value[key] for key in _OUTPUT_MAP if key in value})
    except ValidationError as error:
        raise ValueError(f"the answer cannot be read: {explain(error, AgentTrace)}") from error
    except ValueError as error:
        raise ValueError(f"the answer cannot be read: {error}") from error
    return text if value.get(_OUTPUT) is None else _as_text(value[_OUTPUT])


def _read_json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return _NO_JSON


def _find(value: Any, path: str) -> Any:
    """Return the value under the names and positions of a path such as `choices.0.text`. Raises ValueError."""
    if value is _NO_JSON:
        raise ValueError(f"the answer is not JSON, so there is no {path!r} in it")
    at = value
    for step in path.split("."):
        if isinstance(at, list) and step.isdecimal() and int(step) < len(at):
            at = at[int(step)]
        elif isinstance(at, Mapping) and step in at:
            at = at[step]
        else:
            raise ValueError(f"there is no {path!r} in the answer: {_explain(at, step)}")
    if at is None:
        raise ValueError(f"{path!r} is null in the answer")
    return at


def _explain(at: Any, step: str) -> str:
    if isinstance(at, Mapping):
        return f"no {step!r} beside {listed(list(map(str, at)))}" if at else f"no {step!r} in an empty object"
    return f"no {step!r} in a list of {len(at)}" if isinstance(at, list) else f"no {step!r} in a value"


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()
