"""Which option was meant, for somebody who wrote another one."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from pydantic import BaseModel, ValidationError

from .suggestions import fields_at, hint, nearest
from .validation_errors import faults, steps

__all__ = ["BESIDE_OPTIONS", "option_hint", "other_option"]

Keys: TypeAlias = Sequence[str | int]

BESIDE_OPTIONS: Final = frozenset(
    {
        "name",
        "threshold",
        "when",
        "sample",
        "after",
        "else_sample",
        "schedule",
        "backfill",
        "timeout",
        "judge",
        "usd_per_day",
        "tokens_per_day",
        "scope",
        "include_sub_agents",
        "include_foreign_calls",
    }
)
"""What a configuration says of an evaluator beside its `options`."""


def option_hint(model: type[BaseModel], options: Mapping[str, Any], keys: Keys) -> str:
    """Return what to write instead of the option at `keys` of `options`, which the `model` of the options does not
    know.

    The name that is near and takes what was written; else the option that it is part of, or that takes it; else all.
    """
    word = str(keys[-1])
    if len(keys) > 1:
        near = nearest(word, fields_at(model, keys[:-1]))
        return near or other_option(model, options, keys) or hint(word, fields_at(model, keys[:-1]))
    if word in BESIDE_OPTIONS:
        return f"; `{word}` stands in the entry of the evaluator, beside its options"
    if meant := _likely_option(model, word, options[word]):
        return f" (did you mean {meant!r}?)"
    if holders := [name for name in fields_at(model, ()) if word in _fields_below(model, name)]:
        return f"; write it in `{holders[0]}`, as {{{holders[0]}: {{{word}: …}}}}"
    if beside := difflib.get_close_matches(word, BESIDE_OPTIONS, n=1):
        return f" (did you mean {beside[0]!r}, which stands in the entry of the evaluator, beside its options?)"
    return hint(word, fields_at(model, ()))


def other_option(model: type[BaseModel], options: Mapping[str, Any], keys: Keys) -> str:
    """` (did you mean the option 'x'?)` where another option takes all of what stands under the first of `keys`."""
    written = options.get(str(keys[0]))
    if len(keys) < 2 or not isinstance(written, (dict, list)):
        return ""
    others = [name for name in fields_at(model, ()) if name != keys[0] and _depth(model, name, written) == math.inf]
    return f" (did you mean the option {others[0]!r}?)" if len(others) == 1 else ""


def _likely_option(model: type[BaseModel], word: str, value: Any) -> str | None:
    """Of the options with a name near `word`, and of those that take all of `value`, the one that fits best."""
    names = fields_at(model, ())
    near = difflib.get_close_matches(word, names)
    if not isinstance(value, (dict, list)) or not value:
        return near[0] if near else None
    depths = {name: _depth(model, name, value) for name in names}
    fitting = [name for name in names if name in near or depths[name] == math.inf]
    return max(fitting, key=lambda name: (depths[name], _likeness(word, name)), default=None)


def _depth(model: type[BaseModel], name: str, value: Any) -> float:
    """Return how far below the option `name` its first fault stands when `value` is written there; infinite without
    any."""
    try:
        model(**{name: value})
    except ValidationError as error:
        places = [keys for fault in faults(error) if (keys := steps(fault)) and keys[0] == name]
        return min((len(keys) - 1 for keys in places), default=math.inf)
    return math.inf


def _likeness(word: str, name: str) -> float:
    return difflib.SequenceMatcher(None, word, name).ratio()


def _fields_below(model: type[BaseModel], name: str) -> Sequence[str]:
    """Return the fields of the model that is the value of an option; none where it is of another kind."""
    option = next(field for known, field in model.model_fields.items() if name == (field.alias or known))
    is_model = isinstance(option.annotation, type) and issubclass(option.annotation, BaseModel)
    return fields_at(model, (name,)) if is_model else ()
