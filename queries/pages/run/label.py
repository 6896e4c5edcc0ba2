"""Labels that a reader gives a run, a call or what an evaluator says, and their removal."""

from __future__ import annotations

from typing import Any, Final

from pydantic import ValidationError
from starlette.responses import Response

from tracegrade.evaluators.text.validation_errors import explain

from ...http.reads import answer_read
from ...ports import Annotation, AnnotationTarget
from ...read.run import read_run
from ...read.run_parts import Part
from ...read.source import Sources
from ..confirmation import DONE, LABEL, write_confirmation
from ..errors import PageError
from ..page import page
from ..visit import Visit
from ..whole_number import as_whole_number
from .reading import find_run_of, read_at

__all__ = ["LIST_PARAMETERS", "label_run"]

LIST_PARAMETERS: Final = ("q", "sort", "cursor")
"""The parameters of the URL by which the page of a run leads back to the part of the list that it was opened from."""

_BAD_REQUEST: Final = 400
_OVERALL: Final = "overall"
_COMMENT: Final = "comment"
_PARTS: Final[tuple[Part, ...]] = ("scores",)
_ENTER: Final = "enter"
"""The button that Enter in a field presses: a comment, or only the name of the reader."""

_VERDICTS: Final = {"good": True, "bad": False}


@page("POST", "/runs/{id}/labels")
async def label_run(visit: Visit) -> Response:
    """Store the label of the pressed button, or remove one, and show the run again."""
    fields = await visit.form()
    api, id_ = visit.site.api, visit.path("id")
    if removed := "".join(fields.get("remove", [])):
        await api.annotations.run(lambda: api.commands.remove_annotation(removed))
        return visit.redirect(_back(visit, write_confirmation("removed"), ""))
    verdict, _, target = "".join(fields.get("label", [])).partition("@")
    comment = "".join(fields.get("comment", [])).strip() or None
    if verdict == _ENTER and comment is None:
        return visit.redirect(_back(visit, None, ""))
    annotation = await _make_annotation(visit, id_, verdict=verdict, target=target, comment=comment)
    (score_id,) = await api.annotations.run(lambda: api.commands.annotate([annotation]))
    done = write_confirmation(LABEL, score_id, id_)
    return visit.redirect(_back(visit, done, f"#{target}" if target.startswith("call-") else ""))


async def _make_annotation(visit: Visit, id_: str, *, verdict: str, target: str, comment: str | None) -> Annotation:
    is_comment = verdict in {_COMMENT, _ENTER}
    if verdict not in _VERDICTS and not is_comment:
        raise _refuse("The form names no label of this version: open the run again.")
    if is_comment and comment is None:
        raise _refuse("Write the comment into its field, then press the button again.")
    kind, _, number = target.partition("-")
    name, place = _OVERALL, AnnotationTarget(agent_trace_id=id_)
    if kind == "call" and (place_in_run := as_whole_number(number)):
        place = AnnotationTarget(agent_trace_id=id_, position=place_in_run - 1)
    elif target:
        name, place = await answer_read(
            visit.site.api, visit.request, lambda sources: _find_score(sources, visit, score_id=target)
        )
    values: dict[str, Any] = {"target": place, "author": visit.author, "explanation": comment}
    values |= {"name": _COMMENT} if is_comment else {"name": name, "passed": _VERDICTS[verdict]}
    try:
        return Annotation.model_validate(values)
    except ValidationError as error:
        raise _refuse(f"{explain(error, Annotation)}.") from error


def _find_score(sources: Sources, visit: Visit, *, score_id: str) -> tuple[str, AnnotationTarget]:
    """Return the name and the target of a score, so that a label of the same name says whether it is right."""
    read = sources.own
    place = find_run_of(read, visit.path("id"), read_at(visit))
    run = read_run(read, place["agent_trace_id"], at=place["started_at"], parts=_PARTS)
    score = next((each for each in run.scores or [] if each.score_id == score_id), None)
    if score is None:
        raise _refuse("The score was replaced since the page was opened: open the run again.")
    run_id = score.agent_trace_id or run.agent_trace_id
    return score.evaluator, AnnotationTarget(agent_trace_id=run_id, position=score.tool_call_position)


def _back(visit: Visit, done: str | None, anchor: str) -> str:
    kept = {name: visit.query(name) for name in (*LIST_PARAMETERS, "at", "step", "text")}
    return visit.links.to("runs", visit.path("id"), **{**kept, DONE: done}) + anchor


def _refuse(advice: str) -> PageError:
    return PageError(_BAD_REQUEST, "Nothing was stored", advice)
