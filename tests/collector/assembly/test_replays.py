"""Work that was exported twice, and steps below another agent than their own."""

from __future__ import annotations

from itertools import permutations

import pytest
from tests.support import agent_spans

from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.span import Span
from tracegrade.evaluators.model import AgentTrace

ASK = agent_spans.text_message("user", "What is the capital?")
CALL = agent_spans.tool_call_message(("call_9", "lookup", {"q": "capital"}))
RESULT = agent_spans.tool_response_message("call_9", "Paris")
ANSWER = agent_spans.text_message("assistant", "Paris")


def run(
    first: int, *, at_s: float, name: str = "geo", steps: int = 3, responses: tuple[str, str] = ("r1", "r2")
) -> list[Span]:
    """A run of an agent: it asks its model, looks up, and asks again; only the first `steps` of these."""
    of_run = {"gen_ai.agent.call.id": "run-7"}
    work = [
        agent_spans.chat(
            first + 1,
            parent=first,
            at_s=at_s,
            hears=[ASK],
            says=[CALL],
            attributes={"gen_ai.response.id": responses[0]},
        ),
        agent_spans.tool(
            first + 2, "lookup", parent=first, at_s=at_s + 1, args={"q": "capital"}, result="Paris", call_id="call_9"
        ),
        agent_spans.chat(
            first + 3,
            parent=first,
            at_s=at_s + 2,
            hears=[ASK, CALL, RESULT],
            says=[ANSWER],
            attributes={"gen_ai.response.id": responses[1]},
        ),
    ]
    return [agent_spans.agent(first, name=name, at_s=at_s, for_s=5, parent=99, attributes=of_run), *work[:steps]]


def counts(*spans: Span) -> tuple[int, int | None, int]:
    """The runs, their tokens and their calls."""
    runs = assemble([agent_spans.span(99, for_s=60), *spans])
    return len(runs), sum(one.input_tokens or 0 for one in runs), sum(len(one.tool_calls) for one in runs)


def test_run_that_was_exported_again_counts_once() -> None:
    assert counts(*run(1, at_s=0), *run(11, at_s=10), *run(21, at_s=20)) == (1, 200, 1)


def test_replay_that_goes_on_further_is_the_run() -> None:
    assert counts(*run(1, at_s=0, steps=2), *run(11, at_s=10)) == (1, 200, 1)


@pytest.mark.parametrize("order", list(permutations(range(2))))
def test_order_of_replayed_spans_changes_nothing(order: tuple[int, ...]) -> None:
    both = [run(1, at_s=0), run(11, at_s=10)]
    assert counts(*both[order[0]], *both[order[1]]) == (1, 200, 1)


def test_retry_with_another_response_counts_again() -> None:
    assert counts(*run(1, at_s=0), *run(11, at_s=10, responses=("r3", "r4"))) == (2, 400, 2)


def test_same_response_of_another_agent_counts_again() -> None:
    assert counts(*run(1, at_s=0), *run(11, at_s=10, name="other"))[0] == 2


def test_repeated_response_without_agents_counts_once() -> None:
    calls = [
        agent_spans.chat(
            number, parent=1, at_s=number, hears=[ASK], says=[ANSWER], attributes={"gen_ai.response.id": "r"}
        )
        for number in (2, 4, 6)
    ]
    assert counts(agent_spans.agent(1, parent=99, for_s=30), *calls) == (1, 100, 0)


def test_counted_call_ids_of_two_requests_stay_two_calls() -> None:
    spans = [
        agent_spans.agent(1, parent=99, for_s=30),
        agent_spans.chat(2, parent=1, at_s=0, hears=[ASK], says=[CALL]),
        agent_spans.tool(3, "lookup", parent=1, at_s=1.5, args={"q": "capital"}, result="Paris", call_id="call_9"),
        agent_spans.chat(4, parent=1, at_s=3, hears=[ASK, CALL, RESULT], says=[CALL]),
        agent_spans.tool(5, "lookup", parent=1, at_s=5, args={"q": "capital"}, result="Paris", call_id="call_9"),
    ]
    assert counts(*spans)[2] == 2


def delegated(*, later_parent: int, session: str | None = None) -> list[AgentTrace]:
    """The runs of an agent and the sub-agent that it called, whose later model call names `later_parent`."""
    bash = agent_spans.tool_call_message(("b1", "bash", {"command": "ls"}))
    task = agent_spans.tool_call_message(("t1", "task", {"prompt": "list"}))
    told = agent_spans.text_message("user", "list")
    history = [told, bash, agent_spans.tool_response_message("b1", "a.py")] if session is None else [told]
    of_sub_agent = {} if session is None else {"gen_ai.conversation.id": session}
    return assemble(
        [
            agent_spans.agent(
                1, name="main", for_s=20, attributes={"gen_ai.conversation.id": "c-main"} if session else {}
            ),
            agent_spans.chat(2, parent=1, hears=[ASK], says=[task]),
            agent_spans.tool(
                3, "task", parent=1, at_s=2, for_s=8, args={"prompt": "list"}, result="a.py", call_id="t1"
            ),
            agent_spans.agent(4, name="explore", parent=3, at_s=2, for_s=8, attributes=of_sub_agent),
            agent_spans.chat(5, parent=4, at_s=3, hears=[told], says=[bash]),
            agent_spans.tool(6, "bash", parent=4, at_s=4.5, args={"command": "ls"}, result="a.py", call_id="b1"),
            agent_spans.chat(7, parent=later_parent, at_s=6, hears=history, says=[ANSWER], attributes=of_sub_agent),
            agent_spans.chat(8, parent=1, at_s=12, hears=[ASK, task], says=[ANSWER]),
        ]
    )


@pytest.mark.parametrize("session", [None, "c-sub"], ids=["by-call-ids", "by-conversation"])
@pytest.mark.parametrize("later_parent", [1, 4], ids=["misplaced", "in-place"])
def test_model_call_of_sub_agent_is_counted_there(later_parent: int, session: str | None) -> None:
    main, sub_agent = delegated(later_parent=later_parent, session=session)
    assert (len(main.llm_calls), len(sub_agent.llm_calls)) == (2, 2)
    assert sub_agent.input_tokens == 200


def test_tool_below_its_executor_is_a_call_of_the_asker() -> None:
    asker, executor = assemble(
        [
            agent_spans.span(9, for_s=20),
            agent_spans.agent(1, name="assistant", parent=9, for_s=3),
            agent_spans.chat(2, parent=1, hears=[ASK], says=[CALL]),
            agent_spans.agent(3, name="executor", parent=9, at_s=4, for_s=3),
            agent_spans.tool(
                4,
                "lookup",
                parent=3,
                at_s=5,
                args={"name": "lookup", "arguments": '{"q": "capital"}'},
                result="Paris",
                call_id="call_9",
            ),
        ]
    )
    assert [(call.name, call.args, call.result) for call in asker.tool_calls] == [("lookup", {"q": "capital"}, "Paris")]
    assert executor.tool_calls == ()
