"""Annotations over HTTP: one, or a list that is stored as a whole or not at all."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field, TypeAdapter, ValidationError

from tracegrade.evaluators.text.validation_errors import explain

from ..ports import Annotation, AnnotationRefused
from .api import Api
from .endpoint import Call, endpoint
from .refusal import Refusal, refusal_of

__all__ = ["MAX_ANNOTATIONS", "annotate"]

MAX_ANNOTATIONS: Final = 1_000

_LIST: Final = TypeAdapter(Annotated[list[Annotation], Field(min_length=1, max_length=MAX_ANNOTATIONS)])


@endpoint(
    "POST",
    "/api/v1/annotations",
    "keep scores that people give",
    example='{"target": {"trace_id": "…"}, "name": "polite", "value": 1, "author": "you"}',
)
async def annotate(api: Api, call: Call) -> dict[str, Any]:
    """Answer with the ids of the scores, in order."""
    is_list = call.body.lstrip().startswith(b"[")
    annotations = _read_list(call) if is_list else [call.read_as(Annotation)]
    try:
        score_ids = await api.annotations.run(lambda: api.commands.annotate(annotations))
    except AnnotationRefused as error:
        place = f"annotations[{error.index}].{error.field}" if is_list else error.field
        refusal = refusal_of(error)
        raise Refusal(refusal.status, refusal.kind, f"{place}: {refusal}") from error
    return {"score_ids": list(score_ids)}


def _read_list(call: Call) -> list[Annotation]:
    call.check_json()
    try:
        return _LIST.validate_json(call.body)
    except ValidationError as error:
        raise Refusal(400, "malformed", explain(error, Annotation, within="annotations")) from error
