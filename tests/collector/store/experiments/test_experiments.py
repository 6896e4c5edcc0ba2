"""An experiment is kept with its runs and scores, each once, and an interrupted one continues."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.evaluators import make_evaluator
from tests.support.experiments import make_item, make_recorded_run, make_start
from tests.support.otlp import run_id
from tests.support.store import Clock, Store, opened

from tracegrade.collector.store.experiments.experiments import Experiments
from tracegrade.evaluators.definition.score_record import score_of_experiment
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.model import AgentTrace, Score, ToolDefinition
from tracegrade.queries.ports import (
    CommandRefused,
    ExperimentEnded,
    ExperimentProgress,
    ExperimentRuns,
    NoSuchExperiment,
    RecordedRun,
    WrongRun,
)

ROOT = Path(__file__).parents[4]


def begin(store: Store, name: str = "new prompt", **fields: Any) -> ExperimentProgress:
    return Experiments(store.results, now=store.now).begin(make_start(name, **fields))


def record(store: Store, experiment_id: str, *runs: RecordedRun, is_last: bool = False) -> None:
    Experiments(store.results, now=store.now).record(
        ExperimentRuns(experiment_id=experiment_id, runs=runs, is_last=is_last)
    )


def done(progress: ExperimentProgress) -> list[tuple[str, int]]:
    return [(key.item_id, key.repeat) for key in progress.done]


def test_experiment_is_stored_with_what_it_is_about_to_run(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        about: dict[str, Any] = {
            "dataset": "refunds",
            "dataset_version": 3,
            "metadata": {"model": "small"},
            "author": "ada",
        }
        experiment_id = begin(store, **about).experiment_id
        assert store.rows("from experiments") == [
            (
                experiment_id,
                "new prompt",
                "refunds",
                3,
                3,
                2,
                '[{"name":"own","version":1,"config_hash":"own"}]',
                "my_agent:answer",
                '{"model":"small"}',
                "ada",
                "plan",
                store.now(),
                None,
            )
        ]


def test_runs_are_stored_with_item_and_scores_before_they_are_assembled(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        experiment_id = begin(store).experiment_id
        failed = make_recorded_run(1, cause="LookupError: no hotel", duration_ms=7.5)
        record(store, experiment_id, make_recorded_run(0, 1.0), failed)
        assert store.rows(
            "select item_id, repeat, position, item ->> 'input', status, cause, agent_trace_id, duration_ms, ended_at "
            "from experiment_runs order by position"
        ) == [
            ("0", 0, 0, "0", "completed", None, "0-0", None, store.now()),
            ("1", 0, 1, "1", "error", "LookupError: no hotel", None, 7.5, store.now()),
        ]
        scores = store.rows("select agent_trace_id, value, status, experiment_id, superseded_at from scores")
        assert scores == [("0-0", 1.0, "scored", experiment_id, None)]


def test_run_that_is_recorded_twice_is_stored_once(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        experiment_id = begin(store).experiment_id
        record(store, experiment_id, make_recorded_run(0, 1.0))
        record(store, experiment_id, make_recorded_run(0, 1.0), make_recorded_run(0, 0.5, repeat=1))
        record(store, experiment_id, make_recorded_run(0, agent_trace_id="another", scores=()))
        rows = store.rows("select item_id, repeat, value from experiment_scores order by all")
        assert rows == [("0", 0, 1.0), ("0", 1, 0.5)]
        assert store.one("select count(*) from experiment_runs") == 2


def test_scores_of_an_experiment_stand_beside_those_of_production(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([own := make_evaluator()])
        store.add_runs(1)
        store.evaluate(own)
        run = AgentTrace(agent_trace_id=run_id(1), trace_id=f"{1:032x}", input="?")
        experiment_id = begin(store).experiment_id
        scores = tuple(evaluate(own, run))
        record(store, experiment_id, make_recorded_run(0, agent_trace_id=run_id(1), scores=scores))
        rows = store.rows(
            "select experiment_id, superseded_at from scores where evaluator = 'own' order by experiment_id nulls first"
        )
        assert rows == [(None, None), (experiment_id, None)]
        assert store.one("select count(distinct score_id) from scores") == 2


def test_each_run_has_its_own_scores_on_the_tools_that_it_offers(tmp_path: Path) -> None:
    tools = (ToolDefinition(name="search"),)
    evaluator = make_evaluator(scope="tool")
    runs = [AgentTrace(agent_trace_id=f"run-{number}", tool_definitions=tools) for number in range(2)]
    with opened(tmp_path) as store:
        experiment_id = begin(store).experiment_id
        recorded = [
            make_recorded_run(number, agent_trace_id=run.agent_trace_id, scores=tuple(evaluate(evaluator, run)))
            for number, run in enumerate(runs)
        ]
        record(store, experiment_id, *recorded)
        rows = store.rows("select item_id, scope, agent_trace_id from experiment_scores order by all")
        assert rows == [("0", "tool", "run-0"), ("1", "tool", "run-1")]
        assert store.one("select count(distinct score_id) from scores") == 2


def test_interrupted_experiment_continues_with_what_is_missing(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        first = begin(store)
        record(store, first.experiment_id, make_recorded_run(2, 1.0), make_recorded_run(0, 1.0, repeat=1))
        again = begin(store, author="bo")
        assert (again.experiment_id, again.is_continued) == (first.experiment_id, True)
        assert (done(first), done(again)) == ([], [("0", 1), ("2", 0)])
        assert store.one("select count(*) from experiments") == 1


def test_experiment_of_a_killed_process_continues_with_what_is_missing(tmp_path: Path) -> None:
    with opened(tmp_path):
        pass
    program = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from tests.collector.store.experiments import test_experiments as own\n"
        "with own.opened(Path(sys.argv[1])) as store:\n"
        "    experiment_id = own.begin(store).experiment_id\n"
        "    own.record(store, experiment_id, own.make_recorded_run(1, 1.0))\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, check=False)
    assert killed.returncode == -signal.SIGKILL
    with opened(tmp_path) as store:
        progress = begin(store)
        assert (progress.is_continued, done(progress)) == (True, [("1", 0)])
        assert store.rows("select item_id, value from experiment_scores") == [("1", 1.0)]


@pytest.mark.parametrize(
    "fields",
    [{"plan_hash": "another"}, {"is_new": True}, {"name": "other prompt"}],
    ids=["another plan", "wanted anew", "another name"],
)
def test_experiment_is_new(tmp_path: Path, fields: dict[str, Any]) -> None:
    with opened(tmp_path) as store:
        first = begin(store)
        record(store, first.experiment_id, make_recorded_run(0, 1.0))
        second = begin(store, **fields)
        assert (second.is_continued, done(second)) == (False, [])
        assert second.experiment_id != first.experiment_id


def test_experiment_that_has_ended_is_not_continued(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        first = begin(store)
        record(store, first.experiment_id, is_last=True)
        assert not begin(store).is_continued


def test_only_the_newest_experiment_of_a_name_is_continued(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        begin(store)
        second = begin(store, plan_hash="another")
        record(store, second.experiment_id, is_last=True)
        assert not begin(store).is_continued


def test_newest_experiment_is_the_one_that_began_last_though_the_clock_was_set_back(tmp_path: Path) -> None:
    with opened(tmp_path, now=(clock := Clock())) as store:
        begin(store)
        clock.pass_by(days=-1)
        second = begin(store, is_new=True)
        assert begin(store).experiment_id == second.experiment_id


def test_last_runs_end_an_experiment_once(tmp_path: Path) -> None:
    with opened(tmp_path, now=(clock := Clock())) as store:
        experiment_id = begin(store).experiment_id
        clock.pass_by(minutes=1)
        record(store, experiment_id, last := make_recorded_run(0, 1.0), is_last=True)
        ended_at = clock.now
        clock.pass_by(minutes=1)
        record(store, experiment_id, last, is_last=True)
        assert store.rows("select ended_at from experiments") == [(ended_at,)]
        with pytest.raises(ExperimentEnded, match="the experiment 'new prompt' has ended and takes no 1 further run"):
            record(store, experiment_id, last, make_recorded_run(1, 1.0))


def test_runs_of_an_unknown_experiment_are_refused(tmp_path: Path) -> None:
    with opened(tmp_path) as store, pytest.raises(NoSuchExperiment, match="no experiment with the id 'lost'"):
        record(store, "lost", make_recorded_run(0, 1.0))


WRONG = {
    "repeat beyond the plan": ([make_recorded_run(0, 1.0, repeat=2)], "the repeat 2, but the experiment has 2 repeats"),
    "position beyond the plan": ([make_recorded_run(3, 1.0)], "the position 3, but the experiment has 3 items"),
    "item elsewhere": (
        [make_recorded_run(1, 1.0, repeat=1, item=make_item("0", "0"))],
        "the item '0' has the position 1, but in another repeat 0",
    ),
    "other content": (
        [make_recorded_run(0, 1.0, repeat=1, item=make_item("0", "other"))],
        "the item '0' has another content than in another repeat",
    ),
    "position of another item": (
        [make_recorded_run(0, 1.0, item=make_item("other"))],
        "the items '0' and 'other' have the same position 0",
    ),
    "position of another item in one request": (
        [make_recorded_run(1, 1.0), make_recorded_run(1, 1.0, repeat=1, item=make_item("other"))],
        "the items '1' and 'other' have the same position 1",
    ),
    "run of another item": (
        [make_recorded_run(1, scores=(), agent_trace_id="0-0")],
        "the run 0-0 of the item '1' is that of repeat 0 of the item '0' already",
    ),
}


@pytest.mark.parametrize(("runs", "message"), WRONG.values(), ids=WRONG)
def test_run_that_contradicts_the_experiment_is_refused_with_all_others(
    tmp_path: Path, runs: list[RecordedRun], message: str
) -> None:
    with opened(tmp_path) as store:
        experiment_id = begin(store).experiment_id
        record(store, experiment_id, make_recorded_run(0, 1.0))
        with pytest.raises(WrongRun, match=message):
            record(store, experiment_id, make_recorded_run(2, 1.0), *runs)
        assert store.rows("select item_id from experiment_runs") == [("0",)]
        assert store.one("select count(*) from scores") == 1


def test_refusal_leaves_the_connection_usable(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        experiment_id = begin(store).experiment_id
        with pytest.raises(CommandRefused):
            record(store, experiment_id, make_recorded_run(9, 1.0))
        record(store, experiment_id, make_recorded_run(0, 1.0))
        assert store.one("select count(*) from experiment_runs") == 1


def test_assembled_run_leaves_its_scores_as_they_are(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        experiment_id = begin(store).experiment_id
        run = AgentTrace(agent_trace_id=run_id(1), trace_id=f"{1:032x}")
        scores = tuple(evaluate(make_evaluator(), run))
        record(store, experiment_id, make_recorded_run(0, agent_trace_id=run_id(1), scores=scores))
        store.arrive(agent_spans.trip(1))
        store.revise(1)
        assert store.rows("select value, superseded_at from scores") == [(1.0, None)]
        assert store.one("select score_id from scores") == score_of_experiment(scores[0], experiment_id).score_id


def test_run_of_a_failed_task_keeps_the_agent_run(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        experiment_id = begin(store).experiment_id
        record(store, experiment_id, make_recorded_run(0, cause="TimeoutError", agent_trace_id="run"))
        assert store.rows("select status, agent_trace_id from experiment_runs") == [("error", "run")]


def test_status_and_reason_of_scores_are_kept(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        experiment_id = begin(store).experiment_id
        skipped, failed = Score.skip("no calls", calls=0), Score.failed("KeyError: 'x'")
        record(store, experiment_id, make_recorded_run(0, skipped), make_recorded_run(1, failed))
        assert store.rows("select item_id, status, reason, details::varchar from experiment_scores order by 1") == [
            ("0", "skipped", "no calls", '{"calls":0}'),
            ("1", "error", "KeyError: 'x'", "{}"),
        ]
