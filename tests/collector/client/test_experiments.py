"""An experiment is recorded and read back, in the opened store as through a server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.api import make_api
from tests.support.evaluators import make_evaluator
from tests.support.experiments import make_item, make_recorded_run, make_start
from tests.support.http_servers import serve
from tests.support.store import Store, opened

from tracegrade.collector.client.experiments import (
    find_experiment,
    list_experiments,
    read_experiment,
    recording,
)
from tracegrade.collector.client.source import LocalSource, RemoteSource, Unacceptable
from tracegrade.collector.errors import Fault
from tracegrade.collector.records.row_mapping import read_scores, score_row
from tracegrade.collector.store.engines.readers import InProcess
from tracegrade.collector.store.experiments.experiments import Experiments
from tracegrade.evaluators.definition.score_record import ScoreRecord, score_of_experiment, score_record
from tracegrade.evaluators.experiments.experiment_run import ExperimentRun
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.model import AgentTrace, ExpectedCall, Score
from tracegrade.queries.http.body import MAX_BODY_BYTES
from tracegrade.queries.ports import EvaluatorForm, ExperimentProgress, ExperimentRuns, ExperimentStart, RecordedRun

pytestmark = pytest.mark.exhaustive  # whole experiments on a store

AnySource: TypeAlias = LocalSource | RemoteSource
Place: TypeAlias = Callable[[Store], Any]


class Commands:
    """The commands of a server of this store; `sizes` has the number of runs of each request."""

    def __init__(self, store: Store) -> None:
        self._experiments = Experiments(store.results)
        self.sizes: list[int] = []

    def begin_experiment(self, start: ExperimentStart) -> ExperimentProgress:
        return self._experiments.begin(start)

    def record_experiment_runs(self, runs: ExperimentRuns) -> None:
        self.sizes.append(len(runs.runs))
        self._experiments.record(runs)


@contextmanager
def locally(store: Store) -> Iterator[LocalSource]:
    yield LocalSource(store.database)


@contextmanager
def over_http(store: Store, commands: Commands | None = None) -> Iterator[RemoteSource]:
    api = make_api(reader=InProcess(store.database.connect), commands=commands or Commands(store))
    with serve(api) as url:
        yield RemoteSource(url, max_rows=10_000, timeout_s=30.0, token=None)


PLACES = pytest.mark.parametrize("place", [locally, over_http], ids=["store", "server"])


def record(source: AnySource, *runs: RecordedRun, is_last: bool = False, **fields: Any) -> ExperimentProgress:
    """Begins an experiment, and records these runs."""
    with recording(source) as recorder:
        progress = recorder.begin(make_start(**fields))
        recorder.record(ExperimentRuns(experiment_id=progress.experiment_id, runs=runs, is_last=is_last))
    return progress


@PLACES
def test_recorded_experiment_is_read_back_with_all_it_was(tmp_path: Path, place: Place) -> None:
    with opened(tmp_path) as store, place(store) as source:
        failed = make_recorded_run(1, cause="LookupError: no hotel")
        about = {"dataset": "refunds", "dataset_version": 3}
        begun = record(source, failed, make_recorded_run(0, 1.0, duration_ms=2.5), is_last=True, **about)
        result = read_experiment(source.read, "new prompt")
        assert (result.name, result.experiment_id, result.dataset_label) == (
            "new prompt",
            begun.experiment_id,
            "refunds, version 3",
        )
        assert result.ended_at is not None
        assert result.ended_at >= result.started_at
        first, second = result.runs
        assert (first.item, first.agent_trace_id, first.run, first.duration_ms) == (make_item("0"), "0-0", None, 2.5)
        assert (second.status, second.cause, second.scores) == ("error", "LookupError: no hotel", ())
        assert [(score.value, score.passed, score.experiment_id) for score in first.scores] == [
            (1.0, True, begun.experiment_id)
        ]
        assert str(result).splitlines()[0] == "new prompt: 2 items, 2 runs, 1 error"


@PLACES
def test_interrupted_experiment_says_that_it_has_not_ended(tmp_path: Path, place: Place) -> None:
    with opened(tmp_path) as store, place(store) as source:
        record(source, make_recorded_run(0, 1.0))
        result = read_experiment(source.read, "new prompt")
        assert result.ended_at is None
        assert "it has not ended: it is in progress, or was interrupted" in str(result)


@PLACES
def test_experiments_are_listed_with_what_is_recorded(tmp_path: Path, place: Place) -> None:
    with opened(tmp_path) as store, place(store) as source:
        assert list_experiments(source.read) == []
        record(source, make_recorded_run(0, 1.0), make_recorded_run(1, cause="KeyError"), metadata={"model": "small"})
        about = {"dataset": "refunds", "dataset_version": 1}
        record(source, name="other", is_last=True, **about)
        other, first = list_experiments(source.read)
        assert (first.name, first.runs, first.errors, first.ended_at) == ("new prompt", 2, 1, None)
        assert (first.evaluators, first.metadata) == (
            (EvaluatorForm(name="own", version=1, config_hash="own"),),
            {"model": "small"},
        )
        assert (other.name, other.runs, other.items, other.repeats, other.ended_at is None) == ("other", 0, 3, 2, False)
        assert list_experiments(source.read, name="new prompt") == [first]
        assert list_experiments(source.read, dataset="refunds") == [other]
        assert list_experiments(source.read, limit=1) == [other]


def test_name_means_its_newest_experiment_and_an_id_the_one_with_it(tmp_path: Path) -> None:
    with opened(tmp_path) as store, locally(store) as source:
        first = record(source, make_recorded_run(0, 0.0)).experiment_id
        second = record(source, make_recorded_run(0, 1.0), is_new=True).experiment_id
        named = {word: find_experiment(source.read, word).experiment_id for word in ("new prompt", first, first[:8])}
        assert named == {"new prompt": second, first: first, first[:8]: first}
        assert find_experiment(source.read, first[:8].upper()).experiment_id == first
        before, after = (read_experiment(source.read, word) for word in (first, "new prompt"))
        assert [run.scores[0].value for run in (*before.runs, *after.runs)] == [0.0, 1.0]


def test_name_that_looks_like_an_id_precedes_the_beginning_of_an_id(tmp_path: Path) -> None:
    with opened(tmp_path) as store, locally(store) as source:
        first = record(source).experiment_id
        second = record(source, name=first[:8]).experiment_id
        third = record(source, name=first).experiment_id
        assert find_experiment(source.read, first[:8]).experiment_id == second
        assert find_experiment(source.read, first).experiment_id == first
        assert find_experiment(source.read, third).experiment_id == third


def test_beginning_of_several_ids_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path) as store, locally(store) as source:
        record(source), record(source, name="other")
        with store.results.transaction() as connection:
            connection.execute("update experiments set experiment_id = 'deadbeef0' || name")
        with pytest.raises(Fault, match="several experiments have an id that begins with 'deadbeef': write more of it"):
            find_experiment(source.read, "deadbeef")


@PLACES
def test_unknown_experiment_is_named_with_the_nearest_one(tmp_path: Path, place: Place) -> None:
    with opened(tmp_path) as store, place(store) as source:
        record(source)
        with pytest.raises(Fault, match=r"there is no experiment 'new promt' \(did you mean 'new prompt'\?\)"):
            read_experiment(source.read, "new promt")
        with pytest.raises(Fault, match=r"there is no experiment 'deadbeef'$"):
            read_experiment(source.read, "deadbeef")


@PLACES
def test_refused_runs_are_the_fault_of_their_author(tmp_path: Path, place: Place) -> None:
    with opened(tmp_path) as store, place(store) as source, pytest.raises(Unacceptable, match="has 3 items"):
        record(source, make_recorded_run(3, 1.0))


@PLACES
def test_experiment_continues_with_what_is_done(tmp_path: Path, place: Place) -> None:
    with opened(tmp_path) as store, place(store) as source:
        record(source, make_recorded_run(0, 1.0))
        again = record(source, make_recorded_run(0, 1.0), make_recorded_run(1, 1.0))
        assert [(key.item_id, key.repeat) for key in again.done] == [("0", 0)]
        assert [run.item.id for run in read_experiment(source.read, "new prompt").runs] == ["0", "1"]


def large_run(position: int, characters: int) -> RecordedRun:
    return make_recorded_run(position, item=DatasetItem(id=str(position), input="é" * (characters // 2)), scores=())


def test_server_gets_runs_in_portions_that_it_accepts(tmp_path: Path) -> None:
    with opened(tmp_path) as store, over_http(store, commands := Commands(store)) as source:
        runs = [large_run(position, 300_000) for position in range(8)]
        record(source, *runs, is_last=True, items=8)
        assert commands.sizes == [3, 3, 2]
        assert list_experiments(source.read)[0].ended_at is not None
        assert len(read_experiment(source.read, "new prompt").runs) == 8


def test_run_that_no_request_can_hold_is_named_after_the_others_are_stored(tmp_path: Path) -> None:
    message = r"the run of the item '1' \(repeat 0\) has 1,0\d\d,\d+ bytes with its scores, more than the 1,048,576"
    with opened(tmp_path) as store, over_http(store) as source:
        runs = [make_recorded_run(0, 1.0), large_run(1, MAX_BODY_BYTES), make_recorded_run(2, 1.0)]
        with pytest.raises(Fault, match=message):
            record(source, *runs, is_last=True)
        assert [run.item.id for run in read_experiment(source.read, "new prompt").runs] == ["0", "2"]
        assert list_experiments(source.read)[0].ended_at is None


def test_opened_store_takes_a_run_of_any_size(tmp_path: Path) -> None:
    with opened(tmp_path) as store, locally(store) as source:
        record(source, large_run(0, 2 * MAX_BODY_BYTES), is_last=True)
        assert len(read_experiment(source.read, "new prompt").runs) == 1


def test_experiment_is_read_page_by_page(tmp_path: Path) -> None:
    with opened(tmp_path) as store, locally(store) as source:
        runs = [make_recorded_run(position, 1.0, repeat=repeat) for position in range(600) for repeat in range(2)]
        record(source, *runs[::-1], items=600)
        few_rows = LocalSource(store.database, max_rows=7)
        for reading in (source.read, few_rows.read):
            result = read_experiment(reading, "new prompt")
            assert [(run.item.id, run.repeat, len(run.scores)) for run in result.runs] == [
                (run.item.id, run.repeat, 1) for run in runs
            ]


texts = st.text(st.characters(codec="utf-8"), max_size=8)
words = st.from_regex(r"[A-Za-z0-9é](.{0,6}[A-Za-z0-9])?", fullmatch=True).filter(str.isprintable)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
json_objects = st.dictionaries(texts, json_values, max_size=3)
times = st.datetimes(datetime(1970, 1, 1), datetime(2262, 1, 1))  # noqa: DTZ001 - as evaluators give them
scores = st.one_of(
    st.builds(
        Score,
        value=st.floats(0, 1),
        label=st.none() | texts,
        passed=st.none() | st.booleans(),
        explanation=st.none() | texts,
        details=json_objects,
    ),
    st.builds(Score.skip, texts),
    st.builds(Score.failed, texts),
)


@st.composite
def items(draw: st.DrawFn) -> DatasetItem:
    return DatasetItem(
        id=draw(words),
        input=draw(st.text(min_size=1, max_size=5).filter(str.strip).filter(_is_encodable) | json_objects.filter(bool)),
        expected_tool_calls=draw(st.none() | st.just((ExpectedCall(name="search", args={"to": None}),))),
        split=draw(st.none() | st.just("test")),
        tags=draw(st.sampled_from([(), ("a", "b")])),
        metadata=draw(json_objects),
    )


def _is_encodable(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


@st.composite
def recorded_scores(draw: st.DrawFn, run: AgentTrace) -> tuple[ScoreRecord, ...]:
    """The scores of three evaluators, in their order: `b` and `a` on the run, `calls` on each of its calls."""
    of_run = [
        score_record(make_evaluator(name), run, draw(scores), scored_at=draw(times))
        for name in draw(st.sampled_from([("b", "a"), ("b",), ("a",)]))
    ]
    calls = make_evaluator("calls", scope="tool_call")
    of_calls = [
        replace(
            score_record(calls, run, draw(scores), scored_at=draw(times)),
            score_id=f"{position}",
            tool_call_position=position,
        )
        for position in range(draw(st.integers(0, 2)))
    ]
    return (*of_run, *of_calls)


@st.composite
def experiments(draw: st.DrawFn) -> list[list[ExperimentRun]]:
    """The repeats of some items, in order; one that was interrupted lacks some."""
    chosen = draw(st.lists(items(), min_size=1, max_size=3, unique_by=lambda item: item.id))
    repeats = draw(st.integers(1, 3))
    by_item: list[list[ExperimentRun]] = []
    for position, item in enumerate(chosen):
        runs = []
        for repeat in range(repeats):
            run = AgentTrace(agent_trace_id=f"{position}-{repeat}", started_at=draw(st.none() | times))
            of_item = ExperimentRun(item=item, repeat=repeat, duration_ms=draw(st.none() | st.floats(0, 1e9)))
            kind = draw(st.sampled_from(["completed", "failed", "failed after its run", "missing"]))
            if kind == "completed":
                runs.append(replace(of_item, run=run, scores=draw(recorded_scores(run))))
            elif kind != "missing":
                known = run if kind == "failed after its run" else None
                runs.append(replace(of_item, status="error", cause=draw(texts), run=known))
        by_item.append(runs)
    return by_item


def as_stored(run: ExperimentRun, experiment_id: str) -> ExperimentRun:
    """The run as a store gives it back: its scores marked, times in UTC, and without the AgentTrace."""
    marked = [score_of_experiment(score, experiment_id) for score in run.scores]
    return replace(run, run=None, scores=tuple(read_scores({"scores": map(score_row, marked)})))


def test_result_that_is_read_equals_the_one_in_memory(tmp_path: Path) -> None:
    forms = tuple(EvaluatorForm(name=name, version=1, config_hash=name) for name in ("b", "a", "calls"))

    with opened(tmp_path) as store, locally(store) as source:

        @settings(deadline=None)  # a store is written
        @given(by_item=experiments())
        def check(by_item: Sequence[Sequence[ExperimentRun]]) -> None:
            runs = [run for repeats in by_item for run in repeats]
            recorded = [RecordedRun.of(run, position) for position, repeats in enumerate(by_item) for run in repeats]
            about: dict[str, Any] = {"items": len(by_item), "repeats": 3, "evaluators": forms}
            experiment_id = record(source, *recorded[::2], is_new=True, **about).experiment_id
            record(source, *recorded, is_last=True, **about)
            result = read_experiment(source.read, experiment_id)
            assert list(result.runs) == [as_stored(run, experiment_id) for run in runs]
            in_memory = replace(result, runs=tuple(runs))
            assert result.evaluators == in_memory.evaluators
            assert str(result) == str(in_memory)

        check()
