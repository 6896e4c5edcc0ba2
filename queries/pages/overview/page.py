"""The page of the overview, which shows how to send something to an empty store."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.responses import Response

from ..live import make_live_link, read_newest
from ..page import page
from ..timeline import KINDS
from ..visit import Visit
from .empty import show_empty
from .evaluators import draw_evaluators
from .facts import Facts, read_facts
from .findings import add_causes, compare, read_first_seen, read_patterns
from .timeline import draw_timeline
from .totals import measure_backlog, sum_bars, sum_judge_cost

__all__ = ["show_overview"]


@page("GET", "/", parameters=())
async def show_overview(visit: Visit) -> Response:
    """Show the overview of the chosen period."""
    newest = await read_newest(visit)
    if newest == 0:
        return show_empty(visit, await visit.site.api.list_unbound_budgets())
    facts = await read_facts(visit)
    comparison = compare(facts.measures, _list_agents(visit, facts))
    patterns = await read_patterns(visit, comparison.findings)
    first_seen = await read_first_seen(visit, [*facts.patterns, *patterns])
    return visit.render(
        "overview.html",
        facts=facts,
        choices=facts.choices,
        comparison=add_causes(comparison, patterns, first_seen, facts.changes),
        first_seen=first_seen,
        totals=sum_bars(facts.bars),
        backlog=measure_backlog(facts.running),
        judge_cost_usd=sum_judge_cost(facts),
        chart=draw_timeline(facts.bars, facts.changes, facts.scale, visit.links),
        kinds=KINDS,
        evaluators=draw_evaluators(facts.evaluators, facts.scale),
        live=make_live_link(visit, newest),
        unbound_budgets=await visit.site.api.list_unbound_budgets(),
    )


def _list_agents(visit: Visit, facts: Facts) -> Sequence[str]:
    """Return the agents that the page is about."""
    return facts.choices.names["agent"] if visit.selection.agent is None else [visit.selection.agent]
