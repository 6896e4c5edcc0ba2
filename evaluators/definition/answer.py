"""Turns what an evaluator returns or raises into a Score that can be stored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import orjson
from pydantic import ValidationError

from ..model import Score
from ..text.suggestions import hint
from ..text.validation_errors import faults, reason, steps

__all__ = ["WrongAnswer", "as_score", "failure"]

_ADDRESS: Final = re.compile(r" at 0x[0-9a-fA-F]+")
_BITS: Final = 64
_BEYOND: Final = frozenset({"greater_than_equal", "less_than_equal", "finite_number"})
_TEXTS: Final = ("label", "explanation", "reason")


class WrongAnswer(TypeError):
    """An evaluator returned something that is not a score; the message says what is wrong with it."""


def as_score(returned: object) -> Score:
    """Return the Score of what an evaluator returned: bool, number, label, dict of a Score's fields, or None (skipped).

    A Score without value, label and passed becomes a skipped one. Raises WrongAnswer.
    """
    match returned:
        case Score():
            return _storable(returned)
        case None:
            return Score.skip("the evaluator returned nothing")
        case bool():
            return Score(value=float(returned), passed=returned)
        case int() | float():
            return _storable(_score({"value": returned}))
        case str():
            return _storable(_score({"label": returned}))
        case dict():
            return _storable(_score(returned))
    raise WrongAnswer(f"an evaluator returns a Score, bool, number, label, dict or None, not {type(returned).__name__}")


def failure(error: BaseException) -> Score:
    """Return the failed score of an error that an evaluator raised, or of a WrongAnswer. Never raises."""
    return Score.failed(
        str(error) if isinstance(error, WrongAnswer) else f"{type(error).__name__}: {_error_text(error)}"
    )


def _score(fields: Mapping[Any, Any]) -> Score:
    try:
        return Score.model_validate({name: _encodable(value) for name, value in fields.items()})
    except ValidationError as error:
        raise WrongAnswer(_encodable(f"it returned no score: {_faults(error)}")) from error


def _storable(score: Score) -> Score:
    """Return the score as a row can hold it: with details as JSON, and skipped if it has no value, label or passed."""
    if score.value is None and score.passed is None and score.status == "scored" and not (score.label or "").strip():
        nothing = "the evaluator returned neither value, label nor passed"
        score = score.model_copy(update={"status": "skipped", "label": None, "reason": score.reason or nothing})
    try:
        orjson.dumps([score.details, *(getattr(score, name) for name in _TEXTS)], option=orjson.OPT_NON_STR_KEYS)
    except TypeError:
        texts = {name: _encodable(getattr(score, name)) for name in _TEXTS}
        return score.model_copy(update={**texts, "details": _plain(score.details)})
    return score


def _plain(value: object) -> Any:
    """Return `value` in the types of JSON; any other value as its text, without its address in memory."""
    match value:
        case None | bool() | float():
            return value
        case int():
            return value if value.bit_length() < _BITS else str(value)
        case dict():
            return {_encodable(str(key)): _plain(below) for key, below in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_plain(below) for below in value]
    return _ADDRESS.sub("", _encodable(value if isinstance(value, str) else str(value)))


def _encodable(value: Any) -> Any:
    """Return a text with lone surrogates spelt out, so that UTF-8 can encode it; any other value as it is."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def _error_text(error: BaseException) -> str:
    """Return the text of an error, which user code may have defined. Never raises."""
    try:
        return str(_encodable(f"{error.title}: {_faults(error)}" if isinstance(error, ValidationError) else str(error)))
    except Exception:  # noqa: BLE001 - its `__str__` may be user code, too
        return "an error whose text cannot be read"


def _faults(error: ValidationError) -> str:
    return "; ".join(_fault(fault, error.title) for fault in faults(error))


def _fault(fault: Mapping[str, Any], of: str) -> str:
    key = ".".join(map(str, steps(fault)))
    is_of_score = of == Score.__name__
    if is_of_score and key == "value" and fault["type"] in _BEYOND:
        return f"{fault['input']} is not between 0 and 1"
    if is_of_score and fault["type"] == "extra_forbidden":
        return f"a Score has no field {key!r}{hint(key, list(Score.model_fields))}"
    return f"{key}: {reason(fault)}" if key else reason(fault)
