"""What holds for every recording, whatever it tells; `poe fidelity` compares each with its truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

import pytest
from tests.support.recordings import RECORDINGS, Recording

from tracegrade.collector.assembly import assemble
from tracegrade.evaluators.model import AgentTrace


@cache
def runs(recording: Recording) -> Sequence[AgentTrace]:
    return [run for trace_id, spans in recording.spans.items() for run in assemble(spans, recording.logs_of(trace_id))]


@pytest.mark.parametrize("recording", RECORDINGS, ids=str)
def test_every_recording_holds_a_run(recording: Recording) -> None:
    assert runs(recording)


@pytest.mark.parametrize("recording", RECORDINGS, ids=str)
def test_no_call_is_told_twice(recording: Recording) -> None:
    by_id = Counter(
        (run.agent_trace_id, call.id, call.name) for run in runs(recording) for call in run.tool_calls if call.id
    )
    own = [call for run in runs(recording) for call in run.tool_calls if call.child_agent_trace_id is None]
    by_span = Counter(call.span_id for call in own if call.span_id)
    assert {*by_id.values(), *by_span.values()} <= {1}


@pytest.mark.parametrize("recording", RECORDINGS, ids=str)
def test_run_of_a_whole_recording_is_complete(recording: Recording) -> None:
    assert {run.completeness for run in runs(recording)} == {"complete"}
