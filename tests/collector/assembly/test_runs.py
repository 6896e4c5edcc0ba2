from __future__ import annotations

import pytest
from tests.support import agent_spans
from tests.support.otlp import span_id

from tracegrade.collector import dialects
from tracegrade.collector.assembly.run import Reading, Run
from tracegrade.collector.assembly.runs import find_runs
from tracegrade.collector.assembly.tree import Tree
from tracegrade.collector.spans.span import Span

FOREIGN = 0xF0E


def find_runs_of(*spans: Span) -> list[Run]:
    tree = Tree(spans)
    readings = {
        span.span_id: Reading(span, step[1], step[0]) for span in tree.spans.values() if (step := dialects.read(span))
    }
    return find_runs(tree, readings)


def tops(*spans: Span) -> list[int]:
    return [int(run.top.span_id, 16) for run in find_runs_of(*spans)]


def steps(run: Run) -> list[int]:
    return [int(reading.span.span_id, 16) for reading in run.steps]


def is_waiting(*spans: Span) -> list[bool]:
    return [run.missing_parent for run in find_runs_of(*spans)]


def test_agent_span_is_a_run_with_all_that_is_below_it() -> None:
    [run] = find_runs_of(*agent_spans.trip())
    assert steps(run) == [1, 2, 3, 4]
    assert run.parent is None
    assert not run.missing_parent


def test_two_agents_side_by_side_are_two_runs() -> None:
    first, second = find_runs_of(
        *agent_spans.trip(first=1), *agent_spans.trip(first=11, name="other"), agent_spans.span(99)
    )
    assert (steps(first), steps(second)) == ([1, 2, 3, 4], [11, 12, 13, 14])


def test_sub_agent_under_a_tool_span_is_a_run_of_its_own_and_keeps_its_calls() -> None:
    outer, inner = find_runs_of(
        agent_spans.agent(1),
        agent_spans.tool(2, "ask_clerk", parent=1),
        agent_spans.agent(3, name="travel", parent=2),
        agent_spans.tool(4, parent=3),
        agent_spans.chat(5, parent=3),
    )
    assert (steps(outer), steps(inner)) == ([1, 2], [3, 4, 5])
    assert inner.parent is outer


@pytest.mark.parametrize(
    ("inner", "is_one_run"),
    [
        pytest.param(agent_spans.agent(2, name="travel", parent=1, for_s=1), True, id="same-name"),
        pytest.param(agent_spans.agent(2, name="clerk", parent=1, for_s=10), False, id="another-name"),
        pytest.param(agent_spans.agent(2, name=None, parent=1, for_s=9.5), True, id="no-name-and-as-long"),
        pytest.param(agent_spans.agent(2, name=None, parent=1, for_s=5), False, id="no-name-and-shorter"),
    ],
)
def test_agent_span_below_an_agent_span_is_the_same_run_or_another(inner: Span, is_one_run: bool) -> None:  # noqa: FBT001
    assert tops(agent_spans.agent(1, for_s=10), agent_spans.chat(9, parent=1), inner) == ([1] if is_one_run else [1, 2])


def test_agent_span_without_a_name_that_is_all_the_work_of_another_is_the_same_run() -> None:
    assert tops(
        agent_spans.agent(1, for_s=10),
        agent_spans.agent(2, name=None, parent=1, for_s=1),
        agent_spans.chat(3, parent=2),
    ) == [1]


def test_what_stands_between_two_spans_of_one_agent_does_not_part_them() -> None:
    workflow = agent_spans.span(2, parent=1, attributes={"gen_ai.operation.name": "invoke_workflow"})
    assert tops(agent_spans.agent(1), workflow, agent_spans.span(3, parent=2), agent_spans.agent(4, parent=3)) == [1]


def test_model_call_alone_is_a_run() -> None:
    [run] = find_runs_of(agent_spans.chat(5))
    assert steps(run) == [5]
    assert run.own is None


def test_model_calls_without_an_agent_are_one_run_under_their_common_top() -> None:
    [run] = find_runs_of(
        agent_spans.span(1, for_s=10),
        agent_spans.chat(2, parent=1),
        agent_spans.tool(3, parent=1),
        agent_spans.chat(4, parent=1),
    )
    assert (run.top.span_id, steps(run)) == (span_id(1), [2, 3, 4])


def test_workflow_is_the_run_where_no_agent_is() -> None:
    workflow = agent_spans.span(2, parent=1, for_s=10, attributes={"gen_ai.operation.name": "invoke_workflow"})
    [run] = find_runs_of(agent_spans.span(1, for_s=12), workflow, agent_spans.chat(3, parent=2))
    assert run.top.span_id == span_id(2)
    assert run.own is not None


@pytest.mark.parametrize(
    "spans",
    [[], [agent_spans.span(1), agent_spans.span(2, parent=1)], [agent_spans.tool(1, kind="server")]],
    ids=["nothing", "plain-spans", "the-server-side-of-a-tool-call"],
)
def test_trace_in_which_no_agent_or_model_was_at_work_has_no_run(spans: list[Span]) -> None:
    assert find_runs_of(*spans) == []


def test_tool_calls_without_an_agent_or_a_model_are_one_run_under_their_common_top() -> None:
    [run] = find_runs_of(agent_spans.span(1, for_s=10), agent_spans.tool(2, parent=1), agent_spans.tool(3, parent=1))
    assert (run.top.span_id, run.own, steps(run)) == (span_id(1), None, [2, 3])


def test_create_agent_is_no_run() -> None:
    assert find_runs_of(agent_spans.span(1, attributes={"gen_ai.operation.name": "create_agent"})) == []


@pytest.mark.parametrize("is_remote", [True, False, None], ids=["remote", "not-remote", "not-said"])
def test_foreign_parent_of_an_agent_span_is_not_waited_for(is_remote: bool | None) -> None:  # noqa: FBT001
    assert is_waiting(*agent_spans.trip()[1:], agent_spans.agent(1, parent=FOREIGN, parent_is_remote=is_remote)) == [
        False
    ]


def test_foreign_parent_further_above_is_not_waited_for() -> None:
    assert is_waiting(agent_spans.span(8, parent=FOREIGN, for_s=20), *agent_spans.trip(parent=8)) == [False]


def test_span_beside_the_agent_span_under_the_same_foreign_parent_is_not_waited_for() -> None:
    assert is_waiting(*agent_spans.trip(parent=FOREIGN), agent_spans.span(9, parent=FOREIGN, at_s=2)) == [False]


def test_span_below_the_agent_span_is_waited_for_when_its_parent_is_missing() -> None:
    assert is_waiting(*agent_spans.trip(), agent_spans.tool(9, parent=8, at_s=2)) == [True]


def test_span_whose_missing_parent_is_remote_is_not_waited_for() -> None:
    assert is_waiting(*agent_spans.trip(), agent_spans.tool(9, parent=8, at_s=2, parent_is_remote=True)) == [False]


def test_span_without_its_parent_outside_the_time_of_a_run_is_none_of_its_business() -> None:
    assert is_waiting(*agent_spans.trip(), agent_spans.span(9, parent=8, at_s=50)) == [False]


def test_only_the_run_that_lost_something_waits() -> None:
    first, second = (
        agent_spans.trip(first=1),
        [agent_spans.agent(11, name="other", at_s=20), agent_spans.tool(12, parent=11, at_s=21)],
    )
    assert is_waiting(*first, *second, agent_spans.span(99, parent=98, at_s=22, for_s=0.1)) == [False, True]


def test_model_call_without_its_parent_waits_for_the_agent_that_may_still_come() -> None:
    assert is_waiting(agent_spans.chat(2, parent=1)) == [True]
    assert is_waiting(agent_spans.chat(2, parent=1, parent_is_remote=True)) == [False]


def test_step_that_lost_its_parent_belongs_to_the_innermost_run_around_its_time() -> None:
    outer, inner = find_runs_of(
        agent_spans.agent(1, for_s=10),
        agent_spans.tool(2, parent=1, at_s=2, for_s=5),
        agent_spans.agent(3, name="clerk", parent=2, at_s=3, for_s=3),
        agent_spans.tool(4, parent=99, at_s=4, for_s=1),
    )
    assert (steps(outer), steps(inner)) == ([1, 2], [3, 4])


def test_step_of_nobody_belongs_to_no_run() -> None:
    [run] = find_runs_of(agent_spans.agent(1), agent_spans.tool(2, at_s=2))
    assert steps(run) == [1]


@pytest.mark.parametrize("start", [1, 2, 3], ids="loop met at span {}".format)
def test_spans_that_are_their_own_ancestors_are_read_once_and_the_loop_is_cut(start: int) -> None:
    loop = [
        agent_spans.agent(1, parent=3),
        agent_spans.tool(2, parent=1, at_s=1),
        agent_spans.chat(3, parent=2, at_s=2),
    ]
    [run] = find_runs_of(*loop[start - 1 :], *loop[: start - 1])
    assert steps(run) == [1, 2, 3]
    assert not run.missing_parent


def test_span_that_is_its_own_parent_is_a_top() -> None:
    [run] = find_runs_of(agent_spans.agent(1, parent=1), agent_spans.tool(2, parent=1))
    assert steps(run) == [1, 2]


def test_tool_calls_whose_parents_are_each_other_belong_to_the_run_around_their_time() -> None:
    [run] = find_runs_of(
        agent_spans.agent(1), agent_spans.tool(2, parent=3, at_s=1), agent_spans.tool(3, parent=2, at_s=2)
    )
    assert steps(run) == [1, 2, 3]
    assert run.has_cyclic_parents


def test_very_deep_trace_is_walked() -> None:
    chain = [agent_spans.span(number, parent=number - 1) for number in range(2, 5_000)]
    [run] = find_runs_of(agent_spans.agent(1), *chain, agent_spans.tool(5_000, parent=4_999))
    assert steps(run) == [1, 5_000]


def test_second_span_with_the_same_id_is_left_out_and_noted_unless_it_is_the_same() -> None:
    span, other = agent_spans.tool(3), agent_spans.tool(3, result="other", at_s=1)
    assert Tree([span, other]).repeated == {span.span_id}
    assert Tree([other, span]).spans[span.span_id] == span
    assert Tree([span, agent_spans.tool(3)]).repeated == set()


def test_step_that_lost_its_parent_belongs_to_the_run_of_the_same_invocation() -> None:
    same = {"gen_ai.agent.call.id": "run-2"}
    spans = [
        agent_spans.agent(1, for_s=5),
        agent_spans.agent(2, name="clerk", at_s=20, for_s=5, attributes=same),
        agent_spans.tool(3, parent=FOREIGN, at_s=1, attributes=same),
    ]
    first, second = find_runs_of(*spans)
    assert (steps(first), sorted(steps(second))) == ([1], [2, 3])


def test_step_that_lost_its_parent_belongs_to_the_run_of_its_agent_before_one_that_began_later() -> None:
    spans = [
        agent_spans.agent(1, name="travel", for_s=20),
        agent_spans.agent(2, name="clerk", at_s=1, for_s=18),
        agent_spans.tool(3, parent=FOREIGN, at_s=5, attributes={"gen_ai.agent.name": "travel"}),
    ]
    travel, clerk = find_runs_of(*spans)
    assert (steps(travel), steps(clerk)) == ([1, 3], [2])
