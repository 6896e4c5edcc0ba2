"""Stores labels, and removes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic import ValidationError
from starlette.responses import Response

from tracegrade.evaluators.text.validation_errors import explain

from ...ports import Annotation, AnnotationRefused
from ..confirmation import DONE, LABEL, write_confirmation
from ..errors import PageError, as_sentence
from ..page import page
from ..visit import Visit
from .subject import make_target

__all__ = ["give_label", "take_back"]

_BAD_REQUEST: Final = 400
_ANSWERS: Final[Mapping[str, bool]] = {"good": True, "bad": False}


@page("POST", "/labelling", parameters=("evaluator", "place"))
async def give_label(visit: Visit) -> Response:
    """Store a label, and go on with the next run."""
    fields = {name: "".join(values).strip() for name, values in (await visit.form()).items()}
    passed = _ANSWERS.get(fields.get("answer", ""))
    if passed is None:
        raise PageError(
            _BAD_REQUEST, "This label is neither good nor bad", "Nothing was stored. Press “Good” or “Bad”."
        )
    target_id = fields.get("target", "")
    try:
        annotation = Annotation(
            target=make_target(target_id),
            name=fields.get("name", ""),
            passed=passed,
            explanation=fields.get("comment") or None,
            author=visit.author,
        )
    except ValidationError as error:
        advice = f"{explain(error, Annotation)}. Nothing was stored."
        raise PageError(_BAD_REQUEST, "This label was not accepted", advice) from error
    api = visit.site.api
    try:
        (score_id,) = await api.annotations.run(lambda: api.commands.annotate([annotation]))
    except AnnotationRefused as error:
        raise PageError(_BAD_REQUEST, "This label was not stored", as_sentence(error)) from error
    return visit.redirect(_go_on(visit, write_confirmation(LABEL, score_id, target_id)))


@page("POST", "/labelling/undo", parameters=("evaluator", "place"))
async def take_back(visit: Visit) -> Response:
    """Remove a label, and show the queue, in which its run is again."""
    fields = await visit.form()
    score_id = "".join(fields.get("label", []))
    api = visit.site.api
    await api.annotations.run(lambda: api.commands.remove_annotation(score_id))
    return visit.redirect(_go_on(visit, write_confirmation("removed")))


def _go_on(visit: Visit, done: str) -> str:
    kept = {name: visit.query(name) for name in ("evaluator", "place")}
    return visit.links.to("labelling", **{**kept, DONE: done})
