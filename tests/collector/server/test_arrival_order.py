"""Whatever way the exports take, what is known and judged in the end is what one clean export would have given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from tests.support import agent_spans, otlp
from tests.support.evaluators import make_evaluator
from tests.support.feedback import SENDER, make_record
from tests.support.hours import count_again, find_wrong_hours
from tests.support.outcomes import find_outdated_outcomes
from tests.support.recordings import Recording
from tests.support.simulation import Moment, Simulation

from tracegrade.collector.config.evaluator_set import build_evaluators
from tracegrade.collector.otlp.decode import Row, decode_logs, decode_spans
from tracegrade.collector.records.row_mapping import DERIVED
from tracegrade.collector.spans.span import Span
from tracegrade.evaluators.model import AgentTrace, Score

LONG_S = 600
"""Longer than anything is waited for."""


@dataclass(frozen=True, eq=False, repr=False)
class Story:
    """All that exporters have to send of some traces."""

    name: str
    spans: Sequence[Row]
    logs: Sequence[Row] = ()

    def __repr__(self) -> str:
        return f"<{self.name}>"

    @classmethod
    def told(cls, name: str, *spans: Span) -> Story:
        return cls(name, decode_spans(agent_spans.export_request(spans)).rows)

    @classmethod
    def recorded(cls, framework: str, scenario: str) -> Story:
        recording = Recording(framework, scenario)
        spans, logs = decode_spans(recording.traces_body), decode_logs(recording.logs_body)
        return cls(str(recording), spans.rows, logs.rows)


def conversation() -> Story:
    """Two turns, and what a grader says of them and of the whole, some of it twice."""
    annotation = {"name": "coherent", "label": "yes"}
    said = {f"session.annotations.0.annotation.{key}": value for key, value in annotation.items()}
    spans = [
        *of_trace(
            7, *agent_spans.trip(), agent_spans.span(50, parent=1, at_s=20, attributes={"session.id": "talk", **said})
        ),
        *(replace(span, start_ns=span.start_ns + 60_000_000_000) for span in of_trace(8, *agent_spans.trip())),
    ]
    heard = [
        make_record(1, trace=7, name="polite", value=0.25, at_s=20),
        make_record(1, trace=7, name="polite", value=0.75, at_s=30),
        make_record(2, trace=7, name="brief", value=0.5),
        make_record(3, trace=8, name="useful", value=1.0),
        make_record(None, trace=8, name="polite", value=1.0),
    ]
    in_session = [replace(one, attributes={"gen_ai.conversation.id": "talk", **one.attributes}) for one in spans]
    return Story(
        "a conversation and what others say of it",
        decode_spans(agent_spans.export_request(in_session)).rows,
        decode_logs(otlp.logs_request(heard, resource=SENDER)).rows,
    )


def loop() -> Story:
    """A loop of model calls, each in a trace of its own, that the ids of its tool calls and responses link."""
    question = agent_spans.text_message("user", "Find a flight to Paris, and a room")
    search = agent_spans.tool_call_message(("call_Ab3dEf6hIj9lMn2pQr5tUv8x", "search", {"to": "Paris"}))
    book = agent_spans.tool_call_message(("call_9zY8xW7vU6tS5rQ4pO3nM2lK", "book", {"city": "Paris"}))
    found = agent_spans.tool_response_message("call_Ab3dEf6hIj9lMn2pQr5tUv8x", "AF007")
    booked = agent_spans.tool_response_message("call_9zY8xW7vU6tS5rQ4pO3nM2lK", "HTL-1")
    spans = [
        *of_trace(11, agent_spans.chat(1, hears=[question], says=[search])),
        *of_trace(12, agent_spans.chat(1, at_s=5, hears=[question, search, found], says=[book])),
        *of_trace(13, agent_spans.chat(1, at_s=9, hears=[question, search, found, book, booked], says=[])),
        *of_trace(14, agent_spans.chat(1, at_s=20, hears=[agent_spans.text_message("user", "Thank you")], says=[])),
    ]
    ids = [{"gen_ai.response.id": "resp_0a1b2c3d4e5f"}, {"gen_ai.request.previous_response.id": "resp_0a1b2c3d4e5f"}]
    named = [{}, {}, *ids]
    return Story.told(
        "a loop in traces of their own",
        *(replace(span, attributes={**span.attributes, **more}) for span, more in zip(spans, named, strict=True)),
    )


def of_trace(trace: int, *spans: Span) -> list[Span]:
    """These spans in a trace of that number, so that stories can be told side by side."""
    return [replace(span, trace_id=f"{trace:032x}") for span in spans]


STORIES = (
    Story.told("two agents in one trace", *of_trace(1, *agent_spans.trip(), *agent_spans.trip(first=11, name="clerk"))),
    Story.told(
        "an agent below the tool of another",
        *of_trace(
            2,
            agent_spans.agent(1),
            agent_spans.chat(2, parent=1, at_s=1, says=[agent_spans.tool_call_message(("call_1", "ask_clerk", {}))]),
            agent_spans.tool(3, "ask_clerk", parent=1, at_s=2, for_s=6, call_id="call_1", result="done"),
            *agent_spans.trip(first=11, name="clerk", parent=3),
        ),
    ),
    Story.told("an agent below a gateway", *of_trace(3, *agent_spans.trip(parent=0xF0E))),
    Story.told(
        "a parent that never comes", *of_trace(4, *agent_spans.trip(), agent_spans.tool(9, "book", parent=8, at_s=7))
    ),
    Story.told(
        "an agent that never ends",
        *of_trace(5, replace(agent_spans.agent(1), end_ns=0, duration_ms=None), *agent_spans.trip()[1:]),
    ),
    Story.told("model calls whose agent never comes", *of_trace(6, *agent_spans.trip()[1:])),
    conversation(),
    loop(),
    Story.recorded("autogen_events", "s2_tool_error"),
    Story.recorded("claude-code", "s4_parallel"),
    Story.recorded("crewai", "s2_tool_error"),
    Story.recorded("google-adk-events", "s8_handoff"),
    Story.recorded("haystack", "s8_handoff"),
    Story.recorded("maf", "s4_parallel"),
    Story.recorded("openai-agents-openinference-chat", "s8_handoff"),
    Story.recorded("openinference-openai", "s1_happy"),
    Story.recorded("pipecat", "s5_conversation"),
    Story.recorded("pydantic-ai-1x-v1-logs", "s8b_agent_as_tool"),
    Story.recorded("strands-graph", "s8_handoff"),
)


def each_call(trace: AgentTrace) -> list[Score]:
    return [Score(value=1.0, explanation=call.name) for call in trace.tool_calls]


def each_turn(turns: tuple[AgentTrace, ...]) -> Score:
    return Score(value=1.0, explanation=" ".join(turn.agent_trace_id for turn in turns))


EVALUATORS = (
    *build_evaluators(None),
    make_evaluator("each_call", each_call, scope="tool_call"),
    make_evaluator("each_turn", each_turn, scope="session"),
)


@dataclass(frozen=True)
class Outcome:
    """What the store says in the end, whenever it came to it: rows of the derived tables, and active scores."""

    rows: frozenset[tuple[str, tuple[Any, ...]]]
    scores: frozenset[tuple[Any, ...]]

    def __or__(self, other: Outcome) -> Outcome:
        return Outcome(self.rows | other.rows, self.scores | other.scores)


def outcome(simulation: Simulation) -> Outcome:
    found: list[tuple[str, tuple[Any, ...]]] = []
    for table in DERIVED:
        columns = "*"
        if table == "agent_traces":
            columns = "* exclude (revision, assembled_at, assembled_seq) replace (tools::varchar as tools)"
        found += [(table, row) for row in simulation.store.rows(f"select {columns} from {table}")]
    scores = simulation.active(
        "evaluator, target_id, value, status, label, passed, reason, explanation, session_id, span_id, target_time"
    )
    assert len(found) == len(set(found))
    assert len(scores) == len({score[:2] for score in scores})
    return Outcome(frozenset(found), frozenset(scores))


def end(simulation: Simulation, *, after_s: float = 0) -> None:
    """All is assembled, and no session goes on. `after_s`: by so much the clock was set back."""
    simulation.wait(LONG_S)
    simulation.clock.pass_by(seconds=LONG_S + after_s)
    simulation.judge()


@cache
def clean(story: Story) -> Outcome:
    """The outcome of one export of everything."""
    with TemporaryDirectory() as folder:
        simulation = Simulation(Path(folder), *EVALUATORS)
        simulation.arrive(story.spans, story.logs)
        end(simulation)
        found = outcome(simulation)
        simulation.close()
    judges = [one.name for one in EVALUATORS if one.scope == "trace" and not one.only_with_reference]
    runs = [row[0] for table, row in found.rows if table == "agent_traces"]
    assert {score[:2] for score in found.scores} >= {(judge, run) for judge in judges for run in runs}
    return found


def are_apart(stories: Sequence[Story]) -> bool:
    """Whether no two of them tell of one session, of which each alone would give another score than both."""
    sessions = [score[1] for story in stories for score in clean(story).scores if score[0] == each_turn.__name__]
    return len(sessions) == len(set(sessions))


class AnyArrival(RuleBasedStateMachine):
    """Exports are shuffled, delayed, repeated and split; the program works, pauses and dies as it likes."""

    @initialize(stories=st.lists(st.sampled_from(STORIES), min_size=1, max_size=4, unique=True).filter(are_apart))
    def begin(self, stories: list[Story]) -> None:
        self.folder = TemporaryDirectory()
        self.simulation = Simulation(Path(self.folder.name), *EVALUATORS)
        self.stories = stories
        self.unsent = [(True, row) for story in stories for row in story.spans]
        self.unsent += [(False, row) for story in stories for row in story.logs]
        self.sent: list[tuple[bool, Row]] = []
        self.set_back_s = 0

    @precondition(lambda self: self.unsent)
    @rule(data=st.data())
    def export(self, data: st.DataObject) -> None:
        self._send(self._take_some(data))

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def export_again(self, data: st.DataObject) -> None:
        self._send(data.draw(st.lists(st.sampled_from(self.sent), min_size=1, max_size=5)))

    @rule(seconds=st.sampled_from([1, 2, 5, 61, 3600]))
    def time_passes(self, seconds: float) -> None:
        self.simulation.wait(seconds)

    @rule(seconds=st.sampled_from([3, 70]))
    def time_passes_while_the_server_is_busy(self, seconds: float) -> None:
        self.simulation.clock.pass_by(seconds=seconds)

    @rule(seconds=st.sampled_from([1, 20, 3600]))
    def clock_is_set_back(self, seconds: int) -> None:
        self.simulation.set_clock_back(seconds)
        self.set_back_s += seconds

    @rule()
    def assemble(self) -> None:
        self.simulation.assemble()

    @rule()
    def judge(self) -> None:
        self.simulation.judge()

    @precondition(lambda self: self.unsent)
    @rule(data=st.data())
    def more_arrives_while_runs_are_judged(self, data: st.DataObject) -> None:
        portions: list[list[tuple[bool, Row]]] = []  # drawn here: passes run in a thread, where Hypothesis cannot draw
        while self.unsent and len(portions) < 3:
            portions.append(self._take_some(data))

        def meanwhile() -> None:
            if portions:
                self._send(portions.pop())
            self.simulation.clock.pass_by(seconds=3)
            self.simulation.assemble()

        self.simulation.judge(meanwhile)
        self.unsent += chain.from_iterable(portions)

    @rule()
    def restart(self) -> None:
        self.simulation.restart()

    @rule(moment=st.sampled_from(Moment))
    def die(self, moment: Moment) -> None:
        with self.simulation.dying(moment):
            self.simulation.wait(3)

    @rule()
    def store_hours(self) -> None:
        count_again(self.simulation.store)

    def teardown(self) -> None:
        if not hasattr(self, "simulation"):
            return
        self._send(self.unsent)
        end(self.simulation, after_s=self.set_back_s)
        found = outcome(self.simulation)
        outdated = find_outdated_outcomes(self.simulation.store)
        wrong_hours = find_wrong_hours(self.simulation.store)
        twice = "select score_id from scores group by score_id having count(*) > 1"
        repeated = self.simulation.store.rows(twice)
        self.simulation.close()
        self.folder.cleanup()
        expected = clean(self.stories[0])
        for story in self.stories[1:]:
            expected |= clean(story)
        assert found.rows == expected.rows
        assert found.scores == expected.scores
        assert repeated == []
        assert outdated == []
        assert wrong_hours == []

    def _take_some(self, data: st.DataObject) -> list[tuple[bool, Row]]:
        chosen = data.draw(st.lists(st.integers(0, len(self.unsent) - 1), min_size=1, max_size=12, unique=True))
        taken = [self.unsent[at] for at in chosen]
        self.unsent = [record for at, record in enumerate(self.unsent) if at not in chosen]
        return taken

    def _send(self, records: Sequence[tuple[bool, Row]]) -> None:
        spans, logs = [row for is_span, row in records if is_span], [row for is_span, row in records if not is_span]
        if records:
            self.simulation.arrive(spans, logs)
        self.sent += records


AnyArrival.TestCase.settings = settings(
    max_examples=10, stateful_step_count=14, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
test_any_arrival = pytest.mark.exhaustive(AnyArrival.TestCase)
