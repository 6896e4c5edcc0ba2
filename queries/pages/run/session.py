"""The page of a session: where did the conversation turn?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from starlette.responses import Response

from ...answers.run import Run
from ...answers.session import SessionDetail
from ...http.reads import answer_read
from ...read.sessions import UnknownSession, read_session
from ..errors import PageError, as_sentence
from ..page import page
from ..shown import url_time
from ..visit import Visit
from ..whole_number import read_whole_number

__all__ = ["PART", "Turn", "list_turns", "show_session"]

PART: Final = 40
"""The most turns that are on the page at once."""

_FEW: Final = 20
"""Up to so many turns all of them stand open."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn with its number, from 1. `repeats` is the number of the turn in which the user asked the same."""

    number: int
    run: Run
    repeats: int | None
    is_open: bool


@page("GET", "/sessions/{id:path}", parameters=("q", "turn"))
async def show_session(visit: Visit) -> Response:
    """Show the turns of a session, the failing ones open."""
    id_ = visit.path("id")
    try:
        session = await answer_read(visit.site.api, visit.request, lambda sources: read_session(sources.own, id_))
    except UnknownSession as error:
        raise PageError(
            404,
            "There is no such session",
            as_sentence(error),
            link=(visit.links.to("sessions", q=visit.query("q")), "Show the list"),
        ) from error
    wanted = read_whole_number(visit, "turn")
    turns = list_turns(session.runs, wanted)
    first = _find_first(wanted, turns)
    return visit.render(
        "run/session.html",
        session=session,
        turns=turns,
        shown=turns[first : first + PART],
        first=first,
        part=PART,
        failing=next((turn for turn in turns if turn.run.failing), None),
        totals=_sum_up(session),
        link_run=lambda run: visit.links.to(
            "runs", run.agent_trace_id, q=visit.query("q"), at=url_time(run.started_at)
        ),
    )


def list_turns(runs: list[Run], wanted: int | None) -> list[Turn]:
    """Return the turns of a session, which are in order of time; the one that the reader wants stands open."""
    asked: dict[str, int] = {}
    turns: list[Turn] = []
    for number, run in enumerate(runs, 1):
        text = " ".join((run.input or "").lower().split())
        repeats = asked.get(text) if text else None
        asked.setdefault(text, number)
        is_open = bool(run.failing) or repeats is not None or len(runs) <= _FEW or number == wanted
        turns.append(Turn(number, run, repeats, is_open))
    return turns


def _find_first(turn: int | None, turns: list[Turn]) -> int:
    """Return where the part of the page begins that has a turn; without one the first that failed."""
    if turn is not None:
        number = min(max(turn, 1), max(len(turns), 1))
    else:
        number = next((each.number for each in turns if each.run.failing), 1)
    return (number - 1) // PART * PART


def _sum_up(session: SessionDetail) -> dict[str, Any]:
    """Return the tokens and the cost of all turns; None: of none of them is it known."""
    tokens = [each.tokens for each in session.sessions if each.tokens is not None]
    costs = [each.cost_usd for each in session.sessions if each.cost_usd is not None]
    return {"tokens": sum(tokens) if tokens else None, "cost_usd": sum(costs) if costs else None}
