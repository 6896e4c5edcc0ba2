"""Loops of a bare SDK over a real server: each model call is a trace of its own, and no span is above any of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import pytest
from tests.support import agent_spans
from tests.support.nightly import rest_at_night
from tests.support.otlp import trace_id
from tests.support.polling import until
from tests.support.server import Server, new_trace, running

from tracegrade.collector.spans.span import Span


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("loops") / "s.duckdb") as server:
        yield server


@dataclass(frozen=True)
class Loop:
    """A search and a booking for one city, with the ids that every conversation has."""

    city: str
    traces: tuple[int, int, int]

    @property
    def requests(self) -> list[Span]:
        question = agent_spans.text_message("user", f"Fly me to {self.city}")
        search, flight = (
            agent_spans.tool_call_message(("call_1", "search", {"to": self.city})),
            agent_spans.tool_response_message("call_1", f"{self.city} 1"),
        )
        book, ticket = (
            agent_spans.tool_call_message(("call_2", "book", {"flight": 1})),
            agent_spans.tool_response_message("call_2", f"to {self.city}"),
        )
        first, second, third = self.traces
        return [
            agent_spans.chat(1, trace=first, at_s=0, hears=[question], says=[search]),
            agent_spans.chat(2, trace=second, at_s=2, hears=[question, search, flight], says=[book]),
            agent_spans.chat(
                3,
                trace=third,
                at_s=4,
                hears=[question, search, flight, book, ticket],
                says=[agent_spans.text_message("assistant", "Booked.")],
            ),
        ]

    def trace_ids(self, count: int = 3) -> str:
        """The traces of the first `count` requests, as SQL lists them."""
        return ", ".join(f"'{trace_id(trace)}'" for trace in self.traces[:count])


def loop_to(city: str) -> Loop:
    return Loop(f"{city} {new_trace()}", (new_trace(), new_trace(), new_trace()))


def assembled(server: Server, loop: Loop) -> None:
    """Waits until all of the runs are evaluated."""
    scored = (
        f"select count(*) from latest_scores where evaluator = 'tool_efficiency' and trace_id in ({loop.trace_ids()})"
    )
    until(lambda: server.one(scored), lambda count: count == 3)


def calls(server: Server, loop: Loop) -> list[tuple[str, str | None, str | None]]:
    sql = f"select name, status, result from tool_calls where trace_id in ({loop.trace_ids()}) order by tool_call_id"
    return [(name, status, result) for name, status, result in server.rows(sql)]


def sessions(server: Server, loop: Loop) -> set[str]:
    rows = server.rows(f"select distinct session_id from agent_traces where trace_id in ({loop.trace_ids()})")
    return {session_id for (session_id,) in rows}


@pytest.mark.parametrize(
    "order",
    rest_at_night(
        1,
        [
            pytest.param((2, 1, 0), id="backwards"),
            pytest.param((0, 1, 2), id="in order"),
            pytest.param((0, 2, 1), id="the middle one last"),
            pytest.param((1, 2, 0), id="the first one last"),
        ],
    ),
)
def test_loop_over_three_traces_is_linked_whichever_comes_first(server: Server, order: tuple[int, ...]) -> None:
    loop = loop_to("Oslo")
    for at in order:
        server.export([loop.requests[at]])
        written = f"select count(*) from agent_traces where trace_id = '{trace_id(loop.traces[at])}'"
        until(partial(server.one, written), lambda count: count == 1)
    assembled(server, loop)
    first = f"linked:{trace_id(loop.traces[0])}-{1:016x}"
    assert sessions(server, loop) == {first}
    assert calls(server, loop) == [("search", "ok", f"{loop.city} 1"), ("book", "ok", f"to {loop.city}")]
    turns = f"select tool_call_count, tokens, round(cost_usd, 6) from sessions where session_id = '{first}'"
    assert server.rows(turns) == [[2, 330, 0.000168]]
    reasons = f"""select distinct evaluator, status, reason from latest_scores
                  where trace_id in ({loop.trace_ids(2)}) and evaluator in ('run_completion', 'tool_efficiency')
                  order by 1"""
    assert server.rows(reasons) == [
        ["run_completion", "skipped", "no_agent_span"],
        ["tool_efficiency", "skipped", "no_agent_span"],
    ]


def test_loops_at_the_same_time_with_the_same_call_ids_stay_apart(server: Server) -> None:
    paris, rome = loop_to("Paris"), loop_to("Rome")
    for request_to_paris, request_to_rome in zip(paris.requests, rome.requests, strict=True):
        server.export([request_to_rome])
        server.export([request_to_paris])
    for loop in (paris, rome):
        assembled(server, loop)
        assert calls(server, loop) == [("search", "ok", f"{loop.city} 1"), ("book", "ok", f"to {loop.city}")]
        assert len(sessions(server, loop)) == 1
    assert sessions(server, paris).isdisjoint(sessions(server, rome))
