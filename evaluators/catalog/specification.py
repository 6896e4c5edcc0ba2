"""The specification of an evaluator in a configuration: its keys and the types of their values."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict, StrictBool, StrictStr, ValidationError

from ..custom import user_code
from ..definition.function_path import Resolve
from ..definition.registry import Definition, Scope, UnknownEvaluator
from ..text.suggestions import fields_at, hint, nearest
from ..text.validation_errors import faults, reason, steps
from .configure import built_in_definition, definition_of

__all__ = ["Share", "Spec", "WrongSpec", "checked_spec", "misplaced_option"]

Spec: TypeAlias = Mapping[str, Any]
"""The keys of an entry in the configuration, with times in seconds (`timeout_s`, `backfill_s`).

`combine` also holds the specs of its `members`. `judged_by` identifies the judge: scores change with it. A spec is
plain data, from which another process builds the same evaluator.
"""


class WrongSpec(ValueError):
    """The specification is wrong. `faults` are pairs: the keys that lead to the fault in the spec, and a text."""

    def __init__(self, *faults: tuple[tuple[str | int, ...], str]) -> None:
        super().__init__("; ".join(text for _, text in faults))
        self.faults = faults


def _share(value: object) -> object:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and not 0 <= value <= 1:  # type: ignore[operator]
        raise ValueError(f"it is {value}; write a number from 0 to 1")
    return value


Share: TypeAlias = Annotated[float, Strict(), Field(ge=0, le=1), BeforeValidator(_share)]
"""A number in [0, 1]; `true` is refused rather than read as 1."""


def _no_text(value: object) -> object:
    if isinstance(value, str):
        raise ValueError(f"it is text; write a list: [{value!r}]")  # noqa: TRY004 - pydantic reads ValueError
    return value


_Number: TypeAlias = Annotated[float, Strict(), Field(ge=0, allow_inf_nan=False)]
_Texts: TypeAlias = Annotated[Sequence[StrictStr], BeforeValidator(_no_text)]


class _Combined(BaseModel):
    """The value of `combine`; `build` checks how, weights and members."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    how: str = "mean"
    of: Mapping[StrictStr, Annotated[float, Strict()]] | _Texts
    members: Mapping[StrictStr, Any] = {}


class _Keys(BaseModel):
    """The keys of a spec; `build` checks the value of `threshold`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    use: StrictStr | None = None
    python: StrictStr | None = None
    sql: StrictStr | None = None
    command: _Texts | None = None
    combine: _Combined | None = None
    name: StrictStr | None = None
    options: Mapping[StrictStr, Any] | None = None
    threshold: Any = None
    only_with_reference: StrictBool | None = None
    when: StrictStr | None = None
    sample: Share | None = None
    after: _Texts | None = None
    else_sample: Share | None = None
    schedule: StrictStr | None = None
    backfill_s: _Number | None = None
    timeout_s: Annotated[_Number, Field(gt=0)] | None = None
    judge: StrictStr | None = None
    usd_per_day: _Number | None = None
    tokens_per_day: Annotated[int, Strict(), Field(ge=0)] | None = None
    scope: Scope | None = None
    include_sub_agents: StrictBool | None = None
    include_foreign_calls: StrictBool | None = None
    judged_by: StrictStr | None = None


def checked_spec(spec: Spec, resolve: Resolve | None) -> Spec:
    """Return `spec` without keys that are None. Raises WrongSpec for unknown keys and for values of the wrong type.

    A hint may name the options of the function that `python` names, if `resolve` finds it.
    """
    if not isinstance(spec, Mapping):
        given = f"{{'use': {spec!r}}}" if isinstance(spec, str) else "{'use': 'tool_error'}"
        raise WrongSpec(((), f"an evaluator is specified by a mapping, not a {type(spec).__name__}: write {given}"))
    try:
        _Keys.model_validate(spec)
    except ValidationError as error:
        raise WrongSpec(*_faults(spec, error, resolve)) from error
    return {key: value for key, value in spec.items() if value is not None}


def misplaced_option(spec: Spec, word: str, keys: Collection[str], *, resolve: Resolve | None) -> str | None:
    """Return where to write `word` if it is an option of the evaluator that `spec` names and not one of `keys`.

    None if the evaluator has no such option, or if `word` is nearer to one of the keys.
    """
    definition = _definition(spec, resolve)
    if definition is None:
        return None
    options = fields_at(definition.factory, ())
    where = "the file of the rubric" if "rubric" in spec else "`options`"
    if word in options:
        return f"it is an option of {definition.name}; write it in {where}, as {{{word}: …}}"
    near = "" if nearest(word, keys) else nearest(word, options)
    return f"{definition.name} has an option of nearly that name{near}; write it in {where}" if near else None


def _faults(spec: Spec, error: ValidationError, resolve: Resolve | None) -> Iterator[tuple[tuple[str | int, ...], str]]:
    for fault in faults(error):
        keys = steps(fault)
        key = ".".join(map(str, keys))
        if fault["type"] != "extra_forbidden":
            yield keys, f"`{key}`: {_reason(keys, fault)}"
        elif len(keys) > 1:
            yield keys, f"there is no key {key!r}{hint(str(keys[-1]), fields_at(_Keys, keys[:-1]))}"
        else:
            misplaced = misplaced_option(spec, key, _Keys.model_fields, resolve=resolve)
            yield keys, f"there is no key {key!r}{f': {misplaced}' if misplaced else hint(key, [*_Keys.model_fields])}"


def _reason(keys: Sequence[str | int], fault: Mapping[str, Any]) -> str:
    if callable(fault["input"]) and keys[0] in {"use", "python"}:
        return "it is a function; name it as text, {'python': 'module:function'}"
    return reason(fault)


def _definition(spec: Spec, resolve: Resolve | None) -> Definition | None:
    """Return the definition that `spec` names; None if it names none, or an unknown one."""
    use, path = ("rubric" if "rubric" in spec else spec.get("use")), spec.get("python")
    try:
        if isinstance(use, str):
            return built_in_definition(use) if resolve is None else definition_of(use)
        return user_code.at(path, resolve) if isinstance(path, str) and resolve is not None else None
    except UnknownEvaluator:
        return None
