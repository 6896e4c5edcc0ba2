"""Annotations over HTTP: one, or a list that is stored as a whole or not at all."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel

from ..ports import Annotation, AnnotationRefused
from .api import Api
from .endpoint import Call, endpoint
from .problem import Details, InputFault
from .refusal import Refusal, refusal_of
from .request_input import point_at

__all__ = ["MAX_ANNOTATIONS", "annotate"]

MAX_ANNOTATIONS: Final = 1_000


class StoredAnnotations(BaseModel):
    """The ids of the scores that were stored, in order."""

    score_ids: list[str]


@endpoint(
    "POST",
    "/api/v1/annotations",
    "keep scores that people give",
    body=Annotation,
    list_limit=MAX_ANNOTATIONS,
    answer=StoredAnnotations,
    example='{"target": {"trace_id": "…"}, "name": "polite", "value": 1, "author": "you"}',
)
async def annotate(api: Api, call: Call) -> StoredAnnotations:
    """Answer with the ids of the scores, in order."""
    annotations = call.bodies(Annotation)
    try:
        score_ids = await api.annotations.run(lambda: api.commands.annotate(annotations))
    except AnnotationRefused as error:
        raise _refuse(error, is_list=call.is_list) from error
    return StoredAnnotations(score_ids=list(score_ids))


def _refuse(error: AnnotationRefused, *, is_list: bool) -> Refusal:
    """Return the refusal with the place of the annotation and its field."""
    refusal = refusal_of(error)
    above, place = ((error.index,), f"annotations[{error.index}].") if is_list else ((), "")
    fault = InputFault(pointer=point_at((*above, *error.field.split("."))), detail=str(error))
    details = Details(errors=(fault,))
    return Refusal(refusal.status, refusal.kind, f"{place}{error.field}: {error}", details=details)
