"""Records what tests do with their agents, in the process in which they run."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest

from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.experiments.assertion import observing_assertions
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.text.messages import shortened

from .observed_test import ObservedRun, ObservedTest

if TYPE_CHECKING:
    from ..capture import Capture

__all__ = ["FAULT", "OBSERVED", "Recorder"]

OBSERVED: Final = "tracegrade_test"
"""The attribute of a report with the ObservedTest, as JSON. With the report it comes from a process of pytest-xdist."""

FAULT: Final = "tracegrade_fault"
"""The attribute of a report that says why there is none."""

_LONGEST: Final = 2_000
_CAPTURE: Final = "agent_capture"
_ITEM: Final = "item"
_ID_OF_SPANS: Final = re.compile("[0-9a-f]{32}-[0-9a-f]{16}")


class Recorder:
    """A plugin that adds to the report of each test what its agent did, and the scores that it asserted."""

    def __init__(self) -> None:
        self._positions: dict[str, int] = {}
        self._assertions = _Assertions()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note the order of the tests, which is the same in all processes."""
        self._positions = {item.nodeid: position for position, item in enumerate(session.items)}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Generator[None, object, object]:
        """Observe the assertions of a test."""
        with observing_assertions(self._assertions.add):
            return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        """Forget the assertions of the last test, or of the last attempt at this one."""
        self._assertions.clear()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add the observed test to the report of its call, or of the set-up that failed."""
        report = yield
        try:
            if (observed := self._observe(item, call)) is not None:
                setattr(report, OBSERVED, observed.model_dump_json())
        except ValueError as error:
            setattr(report, FAULT, f"{item.nodeid}: {error}")
        return report

    def _observe(self, item: pytest.Item, call: pytest.CallInfo[None]) -> ObservedTest | None:
        """Return the test; None if it has not ended, was skipped, or ran no agent."""
        is_over = call.when == "call" or (call.when == "setup" and call.excinfo is not None)
        asserted = self._assertions.runs
        if not is_over or _is_skipped(call) or not (asserted or _CAPTURE in getattr(item, "fixturenames", ())):
            return None
        capture: Capture | None = getattr(item, "funcargs", {}).get(_CAPTURE)
        captured = () if capture is None else capture.runs
        runs = _choose_runs(asserted, captured)
        cause = _find_cause(call, has_run=bool(runs))
        if not runs and cause is None:
            return None
        traces = {observed.run.trace_id for observed in runs if observed.is_captured}
        return ObservedTest(
            node_id=item.nodeid,
            position=self._positions.get(item.nodeid, len(self._positions)),
            item=_find_dataset_item(item),
            status="completed" if cause is None else "error",
            cause=cause,
            duration_ms=call.duration * 1000,
            runs=tuple(runs),
            requests=() if capture is None or not traces else tuple(capture.export_requests(trace_ids=traces)),
        )


class _Assertions:
    """The runs that a test has asserted, with their scores. A run may be asserted several times."""

    def __init__(self) -> None:
        self._runs: dict[str, AgentTrace] = {}
        self._scores: dict[str, dict[str, ScoreRecord]] = {}
        self._made_ids: dict[str, tuple[str, str]] = {}

    def clear(self) -> None:
        self._runs.clear()
        self._scores.clear()

    def add(self, run: AgentTrace, scores: Sequence[ScoreRecord]) -> None:
        """Add the scores of one assertion; a later one of the same evaluator replaces an earlier one."""
        identified = self._identify(run)
        if identified is not run:
            scores = [_move(score, identified) for score in scores]
        self._runs[identified.agent_trace_id] = identified
        self._scores.setdefault(identified.agent_trace_id, {}).update({score.score_id: score for score in scores})

    @property
    def runs(self) -> list[ObservedRun]:
        """The runs in the order in which they were first asserted."""
        return [
            ObservedRun(run=run, scores=tuple(self._scores[run_id].values()), is_captured=False)
            for run_id, run in self._runs.items()
        ]

    def _identify(self, run: AgentTrace) -> AgentTrace:
        """Return the run with ids that spans can have; one that was written by hand gets some, always the same."""
        if _ID_OF_SPANS.fullmatch(run.agent_trace_id):
            return run
        content = run.model_copy(update={"reference": None}).model_dump_json()
        key = hashlib.sha256(content.encode()).hexdigest()
        trace_id, span_id = self._made_ids.setdefault(key, (secrets.token_hex(16), secrets.token_hex(8)))
        ids = {"agent_trace_id": f"{trace_id}-{span_id}", "trace_id": trace_id, "agent_span_id": span_id}
        return run.model_copy(update=ids)


def _move(score: ScoreRecord, run: AgentTrace) -> ScoreRecord:
    """Return a score of a run under the ids of `run`."""
    if score.scope == "tool":
        return score
    position = "" if score.tool_call_position is None else f"#{score.tool_call_position}"
    identity = f"{score.score_id} {run.agent_trace_id}"
    return replace(
        score,
        score_id=hashlib.sha256(identity.encode()).hexdigest()[:32],
        target_id=f"{run.agent_trace_id}{position}",
        agent_trace_id=run.agent_trace_id,
        trace_id=run.trace_id,
        span_id=run.agent_span_id,
    )


def _choose_runs(asserted: Sequence[ObservedRun], captured: Sequence[AgentTrace]) -> list[ObservedRun]:
    """Return the runs that were asserted; without any, those that were captured and that no other run called."""
    ids = {run.agent_trace_id for run in captured}
    if asserted:
        return [run.model_copy(update={"is_captured": run.run.agent_trace_id in ids}) for run in asserted]
    return [ObservedRun(run=run, is_captured=True) for run in captured if run.parent_agent_trace_id is None]


def _is_skipped(call: pytest.CallInfo[None]) -> bool:
    return call.excinfo is not None and call.excinfo.errisinstance(pytest.skip.Exception)


def _find_cause(call: pytest.CallInfo[None], *, has_run: bool) -> str | None:
    """Return why a test is an error; None if it passed, or failed by an assertion about its run."""
    if call.excinfo is None:
        return None
    if has_run and call.excinfo.errisinstance((AssertionError, pytest.fail.Exception)):
        return None
    error = call.excinfo.value
    return shortened(f"{type(error).__name__}: {error}", _LONGEST)


def _find_dataset_item(item: pytest.Item) -> DatasetItem | None:
    """Return the item of a dataset that a test is parametrized with; None without one."""
    parameters: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
    given = parameters.get(_ITEM)
    return given if isinstance(given, DatasetItem) and item.get_closest_marker("tracegrade_dataset") else None
