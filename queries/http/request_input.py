"""Reads the query parameters and the body of a request as the models that its endpoint declares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, TypeVar

import pydantic_core
from pydantic import BaseModel, ConfigDict, FailFast, Field, TypeAdapter, ValidationError
from starlette.datastructures import QueryParams

from tracegrade.evaluators.text.suggestions import hint, most_similar
from tracegrade.evaluators.text.validation_errors import explain, explain_each

from .problem import Details, InputFault
from .refusal import Refusal

__all__ = ["NoFields", "parse_body", "parse_list", "parse_query", "point_at"]

M = TypeVar("M", bound=BaseModel)

_MOST_PARAMETERS: Final = 100
_MOST_FAULTS: Final = 20
"""A small body may have very many faults, and explaining one takes a moment."""

_TOO_MANY_FAULTS: Final = 1_000
"""More are not even listed: pydantic lists all of them, or none."""

_FORMS: Final = "/api/v1/openapi.json"

_NOT_JSON: Final = (b"NaN", b"Infinity")
"""Numbers that pydantic reads, but that JSON does not have."""


class NoFields(BaseModel):
    """A body or query without fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def parse_query(parameters: QueryParams, model: type[M]) -> M:
    """Return the query parameters as `model`. Raises Refusal, which names the wrong ones and those that exist."""
    if len(parameters.multi_items()) > _MOST_PARAMETERS:
        raise Refusal(400, "malformed", f"there are more than {_MOST_PARAMETERS} query parameters")
    known = [field.alias or name for name, field in model.model_fields.items()]
    takes_others = model.model_config.get("extra") == "allow"
    unknown = [] if takes_others else [name for name in parameters if name not in known]
    faults = [
        *(_parameter_fault(name, f"there is no such query parameter{hint(name, known)}") for name in unknown),
        *(_parameter_fault(name, "it is there more than once") for name in _find_repeated(parameters)),
    ]
    try:
        if not faults:
            return model.model_validate_strings(dict(parameters))
    except ValidationError as error:
        faults = [_parameter_fault(str(next(iter(keys), "")), text) for keys, text in explain_each(error, model)]
    near = most_similar(unknown[0], known) if unknown else None
    text = "; ".join(f"{fault.parameter or 'query'}: {fault.detail}" for fault in faults)
    raise Refusal(400, "malformed", text, details=Details(errors=tuple(faults), near=near))


def parse_body(content: bytes, model: type[M]) -> M:
    """Return the body as `model`. Raises Refusal, which names the wrong fields and those that exist."""
    try:
        _refuse_numbers_outside_json(content)
        return model.model_validate_json(content)
    except ValidationError as error:
        raise _refusal_of_body(error, model, within="") from error


def parse_list(content: bytes, model: type[M], *, limit: int, within: str) -> list[M]:
    """Return the body as a list of 1 to `limit` values. Raises Refusal, which calls the list `within`."""
    try:
        _refuse_numbers_outside_json(content)
        form: TypeAdapter[list[M]] = TypeAdapter(
            Annotated[list[model], Field(min_length=1, max_length=limit), FailFast()]  # type: ignore[valid-type, arg-type]
        )
        return form.validate_json(content)
    except ValidationError as error:
        raise _refusal_of_body(error, model, within=within) from error


def point_at(keys: Sequence[str | int]) -> str:
    """Return the JSON pointer to a value, as a fragment. Source: https://www.rfc-editor.org/rfc/rfc6901.html"""
    return "#" + "".join(f"/{str(key).replace('~', '~0').replace('/', '~1')}" for key in keys)


def _refuse_numbers_outside_json(content: bytes) -> None:
    if not any(word in content for word in _NOT_JSON):
        return
    try:
        pydantic_core.from_json(content, allow_inf_nan=False)
    except ValueError as error:
        raise _not_json(str(error)) from error


def _refusal_of_body(error: ValidationError, model: type[BaseModel], *, within: str) -> Refusal:
    if (count := error.error_count()) > _TOO_MANY_FAULTS:
        return Refusal(400, "malformed", f"the body has {count:,} faults, too many to explain; see {_FORMS}")
    first: Any = error.errors(include_url=False)[0]
    if first["type"] == "json_invalid":
        return _not_json(first["ctx"]["error"])
    faults = tuple(
        InputFault(pointer=point_at(keys), detail=text) for keys, text in explain_each(error, model, most=_MOST_FAULTS)
    )
    text = explain(error, model, within=within, most=_MOST_FAULTS)
    return Refusal(400, "malformed", text, details=Details(errors=faults))


def _not_json(cause: str) -> Refusal:
    return Refusal(400, "malformed", f"the body is not JSON: {cause}")


def _parameter_fault(name: str, detail: str) -> InputFault:
    return InputFault(parameter=name or None, detail=detail)


def _find_repeated(parameters: QueryParams) -> list[str]:
    return [name for name in parameters if len(parameters.getlist(name)) > 1]
