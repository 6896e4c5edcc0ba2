"""What a sender names is found among the runs of a trace, however the trace is made."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Any

import pytest

from tracegrade.collector.feedback.model import Subject
from tracegrade.collector.feedback.resolve import SubjectResolver

NOON = datetime(2026, 1, 1, 12)  # noqa: DTZ001 - as the store has it


def run(span: str, *, parent: str | None = None, at_s: float = 0.0) -> dict[str, Any]:
    return {
        "agent_trace_id": f"t-{span}",
        "agent_span_id": span,
        "parent_agent_trace_id": parent and f"t-{parent}",
        "started_at": NOON + timedelta(seconds=at_s),
    }


def call(position: int, span: str | None, *, of: str = "a", call_id: str | None = None) -> dict[str, Any]:
    return {"agent_trace_id": f"t-{of}", "position": position, "span_id": span, "tool_call_id": call_id}


def span(name: str, parent: str | None = None, *, tool: str | None = None) -> dict[str, Any]:
    return {"span_id": name, "parent_span_id": parent, "tool_name": tool}


def find_target(places: SubjectResolver, **subject: Any) -> str | None:
    place = places.find(Subject(trace_id="t", **subject))
    return None if place is None else place.target_id


def test_trace_without_runs_has_no_place() -> None:
    places = SubjectResolver([], [], [], [span("a")])
    assert find_target(places) is None
    assert find_target(places, span_id="a") is None


def test_trace_with_several_outermost_runs_means_the_first() -> None:
    places = SubjectResolver([run("b", at_s=5), run("a"), run("c", parent="a")], [], [], [])
    assert find_target(places) == "t-a"


def test_span_around_some_runs_means_the_first_below_it() -> None:
    spans = [span("root"), span("left", "root"), span("right", "root"), span("a", "left"), span("b", "right")]
    places = SubjectResolver([run("a"), run("b", at_s=5)], [], [], spans)
    assert [find_target(places, span_id=one) for one in ("root", "left", "right")] == ["t-a", "t-a", "t-b"]


def test_span_beside_the_runs_means_the_outermost_one() -> None:
    places = SubjectResolver([run("a")], [], [], [span("root"), span("a", "root"), span("beside", "root")])
    assert find_target(places, span_id="beside") == "t-a"


def test_span_of_a_run_means_the_run_though_it_is_a_call_of_another() -> None:
    places = SubjectResolver([run("a"), run("b", parent="a", at_s=1)], [call(0, "b")], [], [])
    assert find_target(places, span_id="b") == "t-b"


@pytest.mark.parametrize(
    ("subject", "target"),
    [
        ({"tool_call_position": 1}, "t-a#1"),
        ({"tool_call_position": 1, "span_id": "b"}, None),
        ({"tool_call_position": 0, "span_id": "b"}, "t-b#0"),
        ({"tool_call_id": "z"}, "t-b#0"),
        ({"tool_call_id": "z", "span_id": "a"}, None),
        ({"tool_call_id": "x"}, "t-a#0"),
    ],
    ids=["of the outermost run", "that is not there", "of a run", "id in any run", "id in another run", "id"],
)
def test_call_is_found_by_position_or_id(subject: dict[str, Any], target: str | None) -> None:
    calls = [call(0, "x1", call_id="x"), call(1, None, call_id="y"), call(0, None, of="b", call_id="z")]
    assert find_target(SubjectResolver([run("a"), run("b", parent="a", at_s=1)], calls, [], []), **subject) == target


def test_parents_in_a_circle_end_the_search() -> None:
    circle = [span("x", "y"), span("y", "z"), span("z", "x")]
    places = SubjectResolver([run("a")], [], [], [span("a"), *circle])
    assert [find_target(places, span_id=one["span_id"]) for one in circle] == ["t-a"] * 3


def test_long_line_of_spans_is_followed_once() -> None:
    spans = [span("0"), *(span(str(number), str(number - 1)) for number in range(1, 25_000))]
    places = SubjectResolver([run("0")], [call(0, "1", of="0")], [], spans)
    began = time.process_time()
    assert {find_target(places, span_id=one["span_id"]) for one in reversed(spans)} == {"t-0", "t-0#0"}
    assert time.process_time() - began < 5, "each link is followed once, not once a span"
