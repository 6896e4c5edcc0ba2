"""Suggests the option that was meant, for an unknown one."""

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
"""The fields of an evaluator's entry in the configuration besides `options`."""


_OF_MODELS: Final = frozenset(
    {"model", "model_name", "model_credentials", "model_config", "llm", "api_key", "base_url"}
)


def option_hint(model: type[BaseModel], options: Mapping[str, Any], keys: Keys) -> str:
    """Return a hint what to write instead of the unknown key at `keys` of `options`; `model` is that of the options.

    The hint names a similar option that accepts the value; else the option that contains the key or accepts the value;
    else all options.
    """
    word = str(keys[-1])
    if len(keys) > 1:
        near = nearest(word, fields_at(model, keys[:-1]))
        return near or other_option(model, options, keys) or hint(word, fields_at(model, keys[:-1]))
    if place := _other_place(model, word):
        return place
    if meant := _likely_option(model, word, options[word]):
        return f" (did you mean {meant!r}?)"
    if holders := [name for name in fields_at(model, ()) if word in _fields_below(model, name)]:
        return f"; write it in `{holders[0]}`, as {{{holders[0]}: {{{word}: …}}}}"
    if beside := difflib.get_close_matches(word, BESIDE_OPTIONS, n=1):
        return f" (did you mean {beside[0]!r}, which belongs to the entry of the evaluator, beside its options?)"
    return hint(word, fields_at(model, ()))


def _other_place(model: type[BaseModel], word: str) -> str:
    """Return where a word that is no option belongs; empty if that is not known."""
    if word in _OF_MODELS and getattr(model, "can_ask", False):
        return "; the model that is asked is a judge: describe it under `judges`, and name it as `judge` of the entry"
    return f"; `{word}` belongs to the entry of the evaluator, beside its options" if word in BESIDE_OPTIONS else ""


def other_option(model: type[BaseModel], options: Mapping[str, Any], keys: Keys) -> str:
    """Return ` (did you mean the option 'x'?)` if exactly one other option accepts the value under the first of `keys`,
    else an empty text."""
    written = options.get(str(keys[0]))
    if len(keys) < 2 or not isinstance(written, (dict, list)):
        return ""
    others = [name for name in fields_at(model, ()) if name != keys[0] and _depth(model, name, written) == math.inf]
    return f" (did you mean the option {others[0]!r}?)" if len(others) == 1 else ""


def _likely_option(model: type[BaseModel], word: str, value: Any) -> str | None:
    """Return the best of the options that are named similarly to `word` or accept `value`; None without any."""
    names = fields_at(model, ())
    near = difflib.get_close_matches(word, names)
    if not isinstance(value, (dict, list)) or not value:
        return near[0] if near else None
    depths = {name: _depth(model, name, value) for name in names}
    fitting = [name for name in names if name in near or depths[name] == math.inf]
    return max(fitting, key=lambda name: (depths[name], _likeness(word, name)), default=None)


def _depth(model: type[BaseModel], name: str, value: Any) -> float:
    """Return how many levels below the option `name` the first fault is if `value` is written there; infinite without
    faults."""
    try:
        model(**{name: value})
    except ValidationError as error:
        places = [keys for fault in faults(error) if (keys := steps(fault)) and keys[0] == name]
        return min((len(keys) - 1 for keys in places), default=math.inf)
    return math.inf


def _likeness(word: str, name: str) -> float:
    return difflib.SequenceMatcher(None, word, name).ratio()


def _fields_below(model: type[BaseModel], name: str) -> Sequence[str]:
    """Return the fields of an option whose value is a model; empty for an option of another type."""
    option = next(field for known, field in model.model_fields.items() if name == (field.alias or known))
    is_model = isinstance(option.annotation, type) and issubclass(option.annotation, BaseModel)
    return fields_at(model, (name,)) if is_model else ()
