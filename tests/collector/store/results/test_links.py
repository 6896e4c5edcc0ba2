from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, timedelta
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from tests.support.store import Clock, Store, opened
from tests.support.stored_experiments import insert_experiment

from tracegrade.collector.records.fingerprint import fingerprint
from tracegrade.collector.records.links import is_unique, link_keys
from tracegrade.collector.store.results import stored_runs
from tracegrade.evaluators.model import (
    AgentTrace,
    LlmCall,
    Message,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
)

EPOCH = Clock().now.replace(tzinfo=UTC)
SEARCH = "call_Ab3dEf6hIj9lMn2pQr5tUv8x"
BOOK = "call_9zY8xW7vU6tS5rQ4pO3nM2lK"
FIRST, SECOND, THIRD = "resp_0a1b2c3d4e5f6a7b", "resp_1b2c3d4e5f6a7b8c", "resp_2c3d4e5f6a7b8c9d"

ASKED = Message(role="user", parts=(TextPart(content="Find a flight to Paris"),))
ANSWER = Message(role="assistant", parts=(TextPart(content="AF007"),))

Row = tuple[Any, ...]


def make_call_message(call_id: str | None = SEARCH, name: str = "search", **args: Any) -> Message:
    arguments = args or {"to": "Paris"}
    return Message(role="assistant", parts=(ToolCallPart(id=call_id, name=name, arguments=arguments),))


def make_result_message(call_id: str = SEARCH, response: str | None = "AF007", *, is_error: bool = False) -> Message:
    return Message(role="tool", parts=(ToolCallResponsePart(id=call_id, response=response, is_error=is_error),))


@dataclass(frozen=True, kw_only=True)
class Request:
    """A model call in a trace of its own, the `number`th second."""

    number: int
    history: Sequence[Message] = (ASKED,)
    output: Message = ANSWER
    session: str | None = None
    service: str = "tests"
    response_id: str | None = None
    previous_response_id: str | None = None
    gaps: tuple[str, ...] = ("no_agent_span",)
    days: float = 0
    experiment: str | None = None
    trace: int = field(default=0)

    @property
    def run(self) -> AgentTrace:
        trace_id = f"{self.trace or self.number:032x}"
        began = EPOCH + timedelta(seconds=self.number, days=self.days)
        calls = [
            ToolCall(id=part.id, name=part.name, args=dict(part.arguments), status=None, source="message")
            for part in self.output.tool_calls
            if isinstance(part.arguments, dict)
        ]
        model = LlmCall(response_id=self.response_id, previous_response_id=self.previous_response_id)
        messages = [message.model_copy(update={"time": began}) for message in (*self.history, self.output)]
        run = AgentTrace(
            agent_trace_id=f"{trace_id}-{self.number:016x}",
            trace_id=trace_id,
            agent_span_id=f"{self.number:016x}",
            service_name=self.service,
            session_id=self.session,
            experiment_id=self.experiment,
            started_at=began,
            messages=tuple(messages),
            tool_calls=tuple(calls),
            llm_calls=(model,),
            gaps=self.gaps,
        )
        return run.model_copy(update={"fingerprint": fingerprint(run)})

    @property
    def id(self) -> str:
        return self.run.agent_trace_id


FIRST_REQUEST = Request(number=1, output=make_call_message())
LAST_REQUEST = Request(number=2, history=[ASKED, make_call_message(), make_result_message()])


def keep(store: Store, *requests: Request) -> int:
    """Stores these runs as one assembly gave them; how many revisions that wrote."""
    runs = [request.run for request in requests]
    trace_ids = [run.trace_id for run in runs]
    return store.results.revise(store.tables(runs), trace_ids, final=trace_ids).written


def sessions(store: Store) -> list[str | None]:
    return [session for (session,) in store.rows("select session_id from agent_traces order by started_at")]


def calls(store: Store) -> list[Row]:
    return store.rows(
        "select calls.name, calls.status, calls.result, calls.error from tool_calls as calls "
        "join agent_traces using (agent_trace_id) order by agent_traces.started_at, calls.position"
    )


def everything(store: Store) -> list[list[Row]]:
    columns = "agent_trace_id, session_id, error_count, revision, fingerprint"
    return [
        store.rows(f"select {columns} from agent_traces order by 1"),
        calls(store),
        store.rows("select agent_trace_id, group_id, session_id from linked_runs order by 1"),
        store.rows("select * from linked_calls order by 1, 2"),
    ]


def stored_in_turn(*requests: Request) -> list[list[Row]]:
    with TemporaryDirectory() as folder, opened(Path(folder)) as store:
        for request in requests:
            keep(store, request)
        return everything(store)


def test_later_request_brings_the_result_of_an_earlier_call_and_both_get_one_session(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        keep(store, FIRST_REQUEST)
        assert calls(store) == [("search", None, None, None)]
        assert sessions(store) == [None]
        keep(store, LAST_REQUEST)
        assert calls(store) == [("search", "ok", "AF007", None)]
        assert sessions(store) == [f"linked:{FIRST_REQUEST.id}"] * 2


def test_link_writes_no_revision(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        keep(store, FIRST_REQUEST)
        before = store.rows("select agent_trace_id, revision, fingerprint, assembled_seq from agent_traces")
        keep(store, LAST_REQUEST)
        assert set(before) < set(
            store.rows("select agent_trace_id, revision, fingerprint, assembled_seq from agent_traces")
        )
        assert keep(store, FIRST_REQUEST, LAST_REQUEST) == 0
        assert calls(store) == [("search", "ok", "AF007", None)]


def test_run_is_evaluated_as_its_own_trace_recorded_it(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        keep(store, FIRST_REQUEST, LAST_REQUEST)
        with store.database.cursor() as connection:
            tables = stored_runs.tables(connection, [FIRST_REQUEST.id])
            linked = stored_runs.tables(connection, [FIRST_REQUEST.id], are_linked=True)
            assert stored_runs.fingerprints(connection, [FIRST_REQUEST.id]) == {
                FIRST_REQUEST.id: FIRST_REQUEST.run.fingerprint
            }
        assert [(call["status"], call["result"]) for call in tables["tool_calls"].to_pylist()] == [(None, None)]
        assert [(call["status"], call["result"]) for call in linked["tool_calls"].to_pylist()] == [("ok", "AF007")]


def test_answer_that_says_that_the_tool_failed_is_an_error(tmp_path: Path) -> None:
    failed = Request(
        number=2, history=[ASKED, make_call_message(), make_result_message(response="no such city", is_error=True)]
    )
    with opened(tmp_path) as store:
        keep(store, FIRST_REQUEST, failed)
        assert calls(store) == [("search", "error", "no such city", "no such city")]
        assert store.rows("select error_count from agent_traces order by started_at") == [(1,), (0,)]
        keep(store, failed)
        keep(store, LAST_REQUEST)
        assert calls(store) == [("search", "ok", "AF007", None)]
        assert store.rows("select error_count from agent_traces order by started_at") == [(0,), (0,)]


LOOP = (
    FIRST_REQUEST,
    Request(
        number=2,
        history=[ASKED, make_call_message(), make_result_message()],
        output=make_call_message(BOOK, "book", flight="AF007"),
    ),
    Request(
        number=3,
        history=[
            ASKED,
            make_call_message(),
            make_result_message(),
            make_call_message(BOOK, "book", flight="AF007"),
            make_result_message(BOOK, "booked"),
        ],
        session="talk",
    ),
)
RESPONSES = (
    Request(number=1, output=make_call_message(), response_id=FIRST),
    Request(number=2, history=[make_result_message()], response_id=SECOND, previous_response_id=FIRST),
    Request(number=3, response_id=THIRD, previous_response_id=SECOND),
)
COUNTED = (
    Request(number=1, output=make_call_message("call_1")),
    Request(number=2, history=[ASKED, make_call_message("call_1"), make_result_message("call_1")]),
    Request(number=3, history=[ASKED, make_call_message("call_1"), make_result_message("call_1", "AF008")]),
    Request(number=4, output=make_call_message("call_1")),
    Request(number=5, history=[ASKED, make_call_message("call_1"), make_result_message("call_1", "LH1")]),
)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "requests",
    [
        pytest.param(LOOP, id="tool-calls"),
        pytest.param(RESPONSES, id="previous-responses"),
        pytest.param(COUNTED[:4], id="ids-that-come-again"),
        pytest.param(COUNTED[1:], id="ambiguous-ids"),
    ],
)
def test_order_of_arrival_does_not_matter(requests: Sequence[Request]) -> None:
    expected = stored_in_turn(*requests)
    assert all(stored_in_turn(*order) == expected for order in permutations(requests))


def test_session_that_any_run_recorded_is_the_session_of_all(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        keep(store, *LOOP)
        assert sessions(store) == ["talk"] * 3
        assert calls(store) == [("search", "ok", "AF007", None), ("book", "ok", "booked", None)]


def test_responses_that_continue_each_other_are_one_session(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        keep(store, *RESPONSES)
        assert sessions(store) == [f"linked:{RESPONSES[0].id}"] * 3
        assert calls(store) == [("search", "ok", "AF007", None)]


def test_run_of_a_recorded_session_never_changes_to_another(tmp_path: Path) -> None:
    first = Request(number=1, output=make_call_message(), session="one")
    last = Request(number=2, history=[ASKED, make_call_message(), make_result_message()], session="another")
    with opened(tmp_path) as store:
        keep(store, first, last)
        assert sessions(store) == ["one", "another"]
        assert calls(store) == [("search", "ok", "AF007", None)]


def test_id_that_comes_again_links_only_what_follows_the_same_conversation(tmp_path: Path) -> None:
    other = Message(role="user", parts=(TextPart(content="And to Rome?"),))
    requests = [
        Request(number=1, output=make_call_message("call_1")),
        Request(number=2, history=[other], output=make_call_message("call_1")),
        Request(number=3, history=[ASKED, make_call_message("call_1"), make_result_message("call_1", "AF007")]),
        Request(number=4, history=[other, make_call_message("call_1"), make_result_message("call_1", "AZ1")]),
    ]
    with opened(tmp_path) as store:
        keep(store, *requests)
        assert calls(store) == [("search", "ok", "AF007", None), ("search", "ok", "AZ1", None)]
        assert sessions(store) == [f"linked:{requests[at].id}" for at in (0, 1, 0, 1)]


def test_answer_that_fits_two_runs_links_neither(tmp_path: Path) -> None:
    again = Request(number=2, output=make_call_message("call_1"))
    last = Request(number=3, history=[ASKED, make_call_message("call_1"), make_result_message("call_1")])
    with opened(tmp_path) as store:
        keep(store, COUNTED[0], last)
        assert calls(store) == [("search", "ok", "AF007", None)]
        keep(store, again)
        assert calls(store) == [("search", None, None, None)] * 2
        assert sessions(store) == [None] * 3


@pytest.mark.parametrize(
    "last",
    [
        pytest.param(
            Request(number=2, history=[ASKED, make_call_message(to="Rome"), make_result_message()]),
            id="other-arguments",
        ),
        pytest.param(
            Request(number=2, history=[ASKED, make_call_message(name="book"), make_result_message()]), id="other-tool"
        ),
        pytest.param(
            Request(number=2, history=[ASKED, make_call_message(), make_result_message()], service="shop"),
            id="other-service",
        ),
        pytest.param(Request(number=0, history=[ASKED, make_call_message(), make_result_message()]), id="earlier"),
        pytest.param(
            Request(number=2, history=[ASKED, make_call_message(), make_result_message()], days=8), id="a-week-later"
        ),
        pytest.param(
            Request(number=2, history=[ASKED, make_call_message(), make_result_message()], gaps=()),
            id="run-of-an-agent",
        ),
        pytest.param(
            Request(number=2, history=[ASKED, make_call_message("x"), make_result_message("x")]), id="other-call"
        ),
    ],
)
def test_what_is_not_surely_the_same_loop_is_not_linked(tmp_path: Path, last: Request) -> None:
    with opened(tmp_path) as store:
        keep(store, FIRST_REQUEST, last)
        assert sessions(store) == [None, None]
        assert calls(store) == [("search", None, None, None)]


def test_arguments_that_one_side_did_not_record_do_not_contradict(tmp_path: Path) -> None:
    history = [ASKED, Message(role="assistant", parts=(ToolCallPart(id=SEARCH, name="search"),)), make_result_message()]
    with opened(tmp_path) as store:
        keep(store, FIRST_REQUEST, Request(number=2, history=history))
        assert calls(store) == [("search", "ok", "AF007", None)]


def test_answer_without_its_content_links_and_says_nothing_of_the_call(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        keep(
            store,
            FIRST_REQUEST,
            Request(number=2, history=[ASKED, make_call_message(), make_result_message(response=None)]),
        )
        assert sessions(store) == [f"linked:{FIRST_REQUEST.id}"] * 2
        assert calls(store) == [("search", None, None, None)]


@pytest.mark.parametrize("number", [1, 2], ids=["earlier", "later"])
def test_link_outlives_a_late_revision(tmp_path: Path, number: int) -> None:
    late = {
        1: Request(number=1, history=[ASKED, ASKED], output=make_call_message()),
        2: Request(number=2, history=[ASKED, make_call_message(), make_result_message(response="AF008")]),
    }
    with opened(tmp_path) as store:
        keep(store, FIRST_REQUEST, LAST_REQUEST)
        assert keep(store, late[number]) == 1
        assert sessions(store) == [f"linked:{FIRST_REQUEST.id}"] * 2
        assert calls(store) == [("search", "ok", "AF007" if number == 1 else "AF008", None)]


def test_link_ends_with_the_run_that_made_it(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        keep(store, FIRST_REQUEST, LAST_REQUEST)
        assert keep(store, Request(number=2)) == 1
        assert sessions(store) == [None, None]
        assert calls(store) == [("search", None, None, None)]
        assert everything(store)[2:] == [[], []]


def test_earlier_run_that_comes_late_gives_the_session_its_name(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        keep(store, *RESPONSES[1:])
        assert sessions(store) == [f"linked:{RESPONSES[1].id}"] * 2
        keep(store, RESPONSES[0])
        assert sessions(store) == [f"linked:{RESPONSES[0].id}"] * 3


def test_id_that_every_request_uses_links_nothing(tmp_path: Path) -> None:
    requests = [
        Request(
            number=at,
            output=make_call_message(),
            history=[ASKED, make_call_message(), make_result_message()],
            response_id=FIRST,
        )
        for at in range(1, 40)
    ]
    with opened(tmp_path) as store:
        for request in requests:
            keep(store, request)
        assert set(sessions(store)[2:]) == {None}


@pytest.mark.parametrize("requests", [(FIRST_REQUEST, LAST_REQUEST), RESPONSES], ids=["calls", "responses"])
def test_recorded_answers_link_no_run_of_an_experiment_to_production(
    tmp_path: Path, requests: Sequence[Request]
) -> None:
    again = [replace(request, number=request.number + 20, experiment="5f0c") for request in requests]
    with opened(tmp_path) as store:
        insert_experiment(store, "5f0c")
        keep(store, *requests, *again)
        assert sessions(store) == [
            *[f"linked:{requests[0].id}"] * len(requests),
            *[f"linked:{again[0].id}"] * len(again),
        ]


def test_run_with_an_agent_span_asks_with_its_response_alone() -> None:
    keys = link_keys(Request(number=1, output=make_call_message(), response_id=FIRST, gaps=()).run)
    assert [(key["side"], key.get("tool_name")) for key in keys] == [("ask", None)]


@pytest.mark.parametrize("response_id", ["gen-1", None])
def test_run_with_an_agent_span_has_no_other_keys(response_id: str | None) -> None:
    assert link_keys(Request(number=1, output=make_call_message(), response_id=response_id, gaps=()).run) == []


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_conversations_named_after_responses_are_one_session(tmp_path: Path, order: tuple[int, ...]) -> None:
    turns = [
        Request(number=1, response_id="resp_a", gaps=()),
        Request(number=2, response_id="resp_b", session="resp_a", gaps=()),
        Request(number=3, response_id="resp_c", session="resp_b", gaps=()),
    ]
    with opened(tmp_path) as store:
        for at in order:
            keep(store, turns[at])
        assert set(sessions(store)) == {f"linked:{turns[0].id}"}


def test_session_that_names_an_unknown_response_stays(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        keep(store, Request(number=2, response_id="resp_b", session="resp_a", gaps=()))
        assert sessions(store) == ["resp_a"]


@pytest.mark.parametrize(
    ("id_", "name"),
    [
        (SEARCH, "search"),
        ("toolu_01A09q90qw90lq917835lq9", "search"),
        ("tooluse_kZJMlvQmRJ6eAyJE5GIl7Q", "search"),
        ("search_3f1c2a7e-93b1-4b8e-9d0c-6a52be1c7d90", "search"),
        ("chatcmpl-tool-b2c4d6e8f0a1b3c5d7e9f1a3b5c7d9e1", "search"),
        ("function-call-11785430193458034951", "search"),
    ],
)
def test_ids_of_providers_are_unique(id_: str, name: str) -> None:
    assert is_unique(id_, name=name)


@pytest.mark.parametrize(
    "id_",
    [
        "call_1",
        "call_00000001",
        "toolcall1",
        "functions.search_flights:0",
        "search_flights_0",
        "call-1-search-2",
        "1",
        "",
    ],
)
def test_ids_that_are_counted_are_not_unique(id_: str) -> None:
    assert not is_unique(id_, name="search_flights")
