"""Scores over HTTP: `POST /api/v1/annotations` with one annotation or a list; the answer is `{"score_ids": […]}`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import orjson
from pydantic import Field, TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..ports import Annotation, AnnotationRefused, Commands
from ..validation import faults
from .access import HEADERS, Door, Refusal, refusing
from .bounded_pool import BoundedPool

__all__ = ["MAX_ANNOTATIONS", "routes"]

MAX_ANNOTATIONS = 1_000

_ONE = TypeAdapter(Annotation)
_LIST = TypeAdapter(Annotated[list[Annotation], Field(min_length=1, max_length=MAX_ANNOTATIONS)])
_STATUSES: Mapping[str, int] = {"not_found": 404, "conflict": 409}


def routes(commands: Commands, door: Door) -> list[Route]:
    """The route; all of a request's annotations are kept, or none."""
    pool = BoundedPool("annotations", at_once=2, limit=100)

    @refusing
    async def annotate(request: Request) -> Response:
        given, is_list = _annotations(await door.body(request))
        score_ids = await _annotated(commands, given, pool, is_list=is_list)
        return Response(orjson.dumps({"score_ids": score_ids}), headers=HEADERS, media_type="application/json")

    return [Route("/api/v1/annotations", annotate, methods=["POST"], name="annotations")]


def _annotations(body: bytes) -> tuple[list[Annotation], bool]:
    is_list = body.lstrip().startswith(b"[")
    try:
        return (_LIST.validate_json(body), True) if is_list else ([_ONE.validate_json(body)], False)
    except ValidationError as error:
        raise Refusal(400, "malformed", faults(error, Annotation, within="annotations" if is_list else "")) from error


async def _annotated(commands: Commands, given: list[Annotation], pool: BoundedPool, *, is_list: bool) -> list[str]:
    try:
        return list(await pool.run(lambda: commands.annotate(given)))
    except AnnotationRefused as error:
        where = f"annotations[{error.index}].{error.field}" if is_list else error.field
        raise Refusal(_STATUSES.get(error.kind, 400), error.kind, f"{where}: {error}") from error
