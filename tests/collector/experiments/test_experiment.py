"""An experiment runs an agent on every item of a dataset, and evaluates the runs."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.support.evaluators import make_evaluator
from tests.support.traced_agent import book

from tracegrade.collector.experiments import Experiment
from tracegrade.evaluators.experiments.experiment_run import ExperimentRun
from tracegrade.evaluators.experiments.item import DatasetItem, NotRecorded
from tracegrade.evaluators.experiments.result import ExperimentResult
from tracegrade.evaluators.formats import floeval
from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.named import tool_trajectory


def item(city: str, *, expected: str | None = None, **fields: Any) -> DatasetItem:
    """An item whose expected call books a hotel in this city, or in another."""
    call = {"name": "book", "args": {"city": expected or city}}
    return DatasetItem.model_validate({"id": city, "input": city, "expected_tool_calls": [call], **fields})


def experiment(task: Callable[..., object], *items: DatasetItem, **options: Any) -> Experiment:
    given = {"evaluators": [tool_trajectory(mode="strict")], **options}
    return Experiment("booking", items or [item("Paris")], task, given.pop("evaluators"), **given)


def only(result: ExperimentResult) -> ExperimentRun:
    (run,) = result.runs
    return run


def test_runs_of_the_task_are_captured_and_evaluated_against_their_items() -> None:
    result = experiment(book, item("Paris"), item("Rome", expected="Oslo")).run()
    assert [(run.item.id, run.scores[0].passed) for run in result.runs] == [("Paris", True), ("Rome", False)]
    assert [run.run.agent_name for run in result.runs if run.run] == ["travel", "travel"]
    assert result.runs[0].scores[0].reference_source == "dataset"
    assert result.evaluators[0].pass_rate is not None
    assert result.evaluators[0].pass_rate.value == 0.5


def test_async_task_runs_beside_others_up_to_the_concurrency() -> None:
    running: list[int] = []
    most: list[int] = []

    async def task(city: str) -> None:
        running.append(1)
        most.append(len(running))
        await asyncio.sleep(0.01)
        book(city)
        running.pop()

    cities = [item(str(number)) for number in range(9)]
    result = experiment(task, *cities, concurrency=3).run()
    assert max(most) == 3
    assert [run.scores[0].passed for run in result.runs] == [True] * 9


def test_plain_functions_run_beside_each_other_and_each_gets_its_own_run() -> None:
    together = threading.Barrier(4, timeout=10)

    def task(city: str) -> None:
        together.wait()
        book(city)

    result = experiment(task, *(item(city) for city in "abcd"), concurrency=4).run()
    assert [run.scores[0].passed for run in result.runs] == [True] * 4


def test_repeats_are_counted_and_listed_item_by_item() -> None:
    result = experiment(book, item("Paris"), item("Rome"), repeats=3).run()
    assert [(run.item.id, run.repeat) for run in result.runs] == [
        (city, repeat) for city in ("Paris", "Rome") for repeat in range(3)
    ]
    assert [estimate.value for estimate in result.evaluators[0].pass_hat] == [1.0, 1.0, 1.0]


def test_object_as_input_is_given_by_name() -> None:
    def task(*, start: str, end: str) -> None:
        book(f"{start} to {end}")

    result = experiment(task, item("Oslo to Rome", input={"start": "Oslo", "end": "Rome"})).run()
    assert only(result).scores[0].passed


def test_text_that_the_task_returns_is_the_response_if_the_spans_record_none() -> None:
    def task(city: str) -> str:
        book(city)
        return f"booked in {city}"

    run = only(experiment(task).run()).run
    assert run is not None
    assert (run.input, run.final_response) == ("Book a hotel in Paris", "booked in Paris")


def test_answer_without_spans_is_a_run_whose_calls_are_unknown() -> None:
    result = experiment(lambda city: f"booked in {city}").run()
    run = only(result).run
    assert run is not None
    assert (run.input, run.final_response, len(run.agent_trace_id)) == ("Paris", "booked in Paris", 49)
    assert only(result).scores[0].status == "skipped", "calls that nobody recorded are not missing calls"


def test_run_that_the_task_returns_is_evaluated_with_the_expectations_of_the_item() -> None:
    earlier = experiment(book).run().runs[0].run
    result = experiment(lambda _: earlier, item("Paris", expected="Rome")).run()
    assert earlier is not None
    assert only(result).run is not None
    assert only(result).scores[0].agent_trace_id == earlier.agent_trace_id
    assert only(result).scores[0].passed is False


def test_output_map_that_the_task_returns_is_the_run() -> None:
    def task(city: str) -> dict[str, Any]:
        return {"output": "booked", "toolCalls": [{"name": "book", "args": {"city": city}}]}

    run = only(experiment(task).run())
    assert run.scores[0].passed
    assert run.run is not None
    assert (run.run.input, run.run.final_response) == ("Paris", "booked")


def raise_error(city: str) -> None:
    raise LookupError(f"no hotel in {city}")


def exit_process(_: str) -> None:
    raise SystemExit(3)


def stop_iterating(_: str) -> None:
    raise StopIteration


def book_twice(city: str) -> None:
    book(city)
    book(city, name="second")


@pytest.mark.parametrize(
    ("task", "cause"),
    [
        pytest.param(raise_error, "LookupError: no hotel in Paris", id="raises"),
        pytest.param(exit_process, "SystemExit: 3", id="exits"),
        pytest.param(stop_iterating, "StopIteration", id="stops an iteration"),
        pytest.param(lambda: None, "TypeError: ", id="takes no input"),
        pytest.param(lambda _: 1, "the task returned int; it returns the answer as text", id="nonsense"),
        pytest.param(lambda _: {"answer": 1}, "the task returned an output map that cannot be read: ", id="no output"),
        pytest.param(lambda _: None, "the task returned None, and no run was captured", id="nothing"),
        pytest.param(book_twice, "the task recorded 2 runs, of travel, second: put a span of a workflow", id="two"),
    ],
)
def test_task_that_brings_no_run_is_an_error_with_its_cause(task: Callable[..., object], cause: str) -> None:
    def only_in_paris(city: str) -> object:
        if city == "Paris":
            return task(city)
        book(city)
        return None

    first, second = experiment(only_in_paris, item("Paris"), item("Rome")).run().runs
    assert (first.status, first.run, first.scores) == ("error", None, ())
    assert (first.cause or "").startswith(cause)
    assert second.status == "completed"


def test_async_task_that_fails_or_cancels_itself_is_an_error() -> None:
    async def task(city: str) -> None:
        raise LookupError("no hotel") if city == "Paris" else asyncio.CancelledError

    result = experiment(task, item("Paris"), item("Rome")).run()
    assert [run.cause for run in result.runs] == ["LookupError: no hotel", "CancelledError: it cancelled itself"]


def test_run_that_was_recorded_before_the_task_failed_shows_what_it_did() -> None:
    def task(city: str) -> None:
        book(city)
        raise LookupError("the hotel is full")

    failed = only(experiment(task).run())
    assert (failed.status, failed.cause, failed.scores) == ("error", "LookupError: the hotel is full", ())
    assert failed.run is not None
    assert [call.name for call in failed.run.tool_calls] == ["book"]


def test_task_that_hangs_is_an_error_and_holds_up_nothing() -> None:
    release = threading.Event()

    def task(city: str) -> None:
        if city == "Paris":
            release.wait(60)
        book(city)

    began = time.monotonic()
    result = experiment(task, item("Paris"), item("Rome"), concurrency=1, timeout_s=0.2).run()
    assert time.monotonic() - began < 30
    assert [(run.status, run.cause) for run in result.runs] == [
        ("error", "it took longer than 0.2 s"),
        ("completed", None),
    ]
    release.set()


def test_async_task_that_takes_too_long_is_cancelled() -> None:
    cancelled = threading.Event()

    async def task(_: str) -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    assert only(experiment(task, timeout_s=0.1).run()).cause == "it took longer than 0.1 s"
    assert cancelled.is_set()


def test_async_task_that_blocks_its_loop_is_left_behind_and_the_others_go_on() -> None:
    release = threading.Event()

    async def task(city: str) -> None:
        if city == "Paris":
            release.wait(60)
        book(city)

    began = time.monotonic()
    result = experiment(task, item("Paris"), item("Rome"), concurrency=1, timeout_s=1.0).run()
    assert time.monotonic() - began < 40
    assert [(run.item.id, run.cause) for run in result.runs] == [("Paris", "it took longer than 1 s"), ("Rome", None)]
    release.set()


def test_async_task_that_ignores_its_cancellation_is_left_behind() -> None:
    async def task(city: str) -> None:
        if city == "Paris":
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(60)
            await asyncio.sleep(60)
        book(city)

    began = time.monotonic()
    result = experiment(task, item("Paris"), item("Rome"), timeout_s=1.0).run()
    assert time.monotonic() - began < 40
    assert [run.cause for run in result.runs] == ["it took longer than 1 s", None]


def test_async_task_that_blocks_the_loop_of_its_caller_is_an_error_when_it_ends() -> None:
    async def task(city: str) -> None:
        threading.Event().wait(0.1)
        book(city)

    async def main() -> ExperimentResult:
        return await experiment(task, timeout_s=0.05).arun()

    assert only(asyncio.run(main())).cause == "it took longer than 0.05 s"


def test_async_task_that_cancels_its_own_task_is_an_error_of_its_item_alone() -> None:
    async def task(city: str) -> None:
        if city == "Paris" and (own := asyncio.current_task()):
            own.cancel()
        book(city)

    async def main() -> ExperimentResult:
        return await experiment(task, item("Paris"), item("Rome")).arun()

    for result in (asyncio.run(main()), experiment(task, item("Paris"), item("Rome")).run()):
        assert [run.cause for run in result.runs] == ["CancelledError: it cancelled itself", None]


def test_awaited_experiment_runs_its_task_in_the_loop_of_the_caller() -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    async def task(city: str) -> None:
        loops.append(asyncio.get_running_loop())
        book(city)

    async def main() -> asyncio.AbstractEventLoop:
        await experiment(task).arun()
        return asyncio.get_running_loop()

    assert asyncio.run(main()) in loops


def test_time_limit_of_the_task_itself_is_told_apart_from_ours() -> None:
    def task(_: str) -> None:
        raise TimeoutError("the hotel does not answer")

    assert only(experiment(task).run()).cause == "TimeoutError: the hotel does not answer"


def test_evaluator_that_fails_gives_a_score_of_status_error() -> None:
    def broken(_: AgentTrace) -> float:
        raise RuntimeError("no")

    result = experiment(book, evaluators=[make_evaluator(function=broken), "tool_error"]).run()
    assert [(score.evaluator, score.status) for score in only(result).scores] == [
        ("own", "error"),
        ("tool_error", "skipped"),
    ]


def test_evaluator_of_kind_llm_asks_the_judge() -> None:
    async def judge(_: str) -> str:
        return '{"reasoning": "it did", "score": 1.0}'

    def task(city: str) -> str:
        return f"booked in {city}"

    result = experiment(task, evaluators=["goal_achievement"], judge=judge).run()
    assert (only(result).scores[0].status, only(result).scores[0].value) == ("scored", 1.0)
    with pytest.raises(TypeError, match="goal_achievement asks a judge: give `judge`"):
        experiment(task, evaluators=["goal_achievement"])


def test_item_with_its_metadata_stands_beside_its_run() -> None:
    result = experiment(book, item("Paris", metadata={"ticket": 7}, expected_response="booked")).run()
    assert (only(result).item.metadata, only(result).item.expected_response) == ({"ticket": 7}, "booked")


def test_each_run_is_told_as_soon_as_it_is_evaluated() -> None:
    told: list[str] = []
    experiment(book, item("Paris"), item("Rome"), concurrency=1).run(on_run=lambda run: told.append(run.item.id))
    assert told == ["Paris", "Rome"]


def test_dataset_is_read_from_a_file_and_chosen_by_split_and_tags(tmp_path: Path) -> None:
    file = tmp_path / "items.jsonl"
    rows = [item("Paris", split="test", tags=["eu"]), item("Rome", split="train"), item("Oslo", split="test")]
    file.write_text("\n".join(row.model_dump_json(exclude_none=True) for row in rows))
    chosen = Experiment("x", file, book, ["tool_error"], split="test", tags=["eu"])
    assert [each.id for each in chosen.plan.dataset] == ["Paris"]
    with pytest.raises(ValueError, match="the dataset has no items, or none in this split"):
        Experiment("x", str(file), book, ["tool_error"], split="validation")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"evaluators": []}, "an experiment needs an evaluator", id="no evaluator"),
        pytest.param(
            {"evaluators": ["tool_error", "tool_error"]}, "two evaluators are called 'tool_error'", id="twice"
        ),
        pytest.param({"repeats": 0}, "repeats is 0; it is at least 1", id="no repeat"),
        pytest.param({"concurrency": -1}, "concurrency is -1", id="no concurrency"),
        pytest.param({"timeout_s": 0}, "timeout_s is 0; it is more than 0, or None", id="no time"),
        pytest.param({"timeout_s": float("nan")}, "timeout_s is nan; it is more than 0", id="no number"),
        pytest.param({"timeout_s": float("inf")}, "timeout_s is inf; it is more than 0, or None", id="infinite"),
    ],
)
def test_experiment_that_cannot_run_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        experiment(book, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"judge": "default"}, "`judge` is a function", id="a judge by name"),
        pytest.param(
            {"evaluators": [make_evaluator(scope="session")]}, r"\(scope session\), not an AgentTrace", id="scope"
        ),
        pytest.param({"evaluators": [len]}, "the first argument is an evaluator", id="a function"),
        pytest.param({"evaluators": "tool_error"}, r"`evaluators` is a list, .* not 'tool_error'", id="one name"),
        pytest.param({"evaluators": tool_trajectory()}, "`evaluators` is a list, .* of type Configured", id="one"),
        pytest.param({"repeats": "3"}, "repeats is '3'; it is a whole number", id="repeats as text"),
        pytest.param({"concurrency": 2.0}, r"concurrency is 2.0; it is a whole number", id="concurrency"),
        pytest.param({"repeats": True}, "repeats is True; it is a whole number", id="true"),
        pytest.param({"timeout_s": "60"}, "timeout_s is '60'; it is a number of seconds, or None", id="time as text"),
    ],
)
def test_evaluator_that_cannot_be_applied_is_refused_before_anything_runs(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        experiment(book, **options)


@pytest.mark.parametrize(
    ("dataset", "error", "message"),
    [
        ([3], TypeError, "item 1 is a number; give a DatasetItem, or a mapping"),
        ({"input": "Paris"}, TypeError, "the dataset is a dict; give a list of items, or the path of a file"),
        (None, TypeError, "the dataset is a NoneType"),
        ([{"input": "a"}, {"inptu": "b"}], ValueError, r"item 2: input: it is missing; inptu: there is no such field"),
        ([{"input": "a", "metadata": {"n": 2**64}}], ValueError, r"item 1: metadata.n: it has more than 64 bits"),
    ],
    ids=["number", "mapping", "nothing", "misspelt", "large number"],
)
def test_wrong_dataset_is_refused(dataset: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Experiment("x", dataset, book, ["tool_error"])


def test_items_may_be_mappings_with_the_names_of_a_file() -> None:
    items: list[Any] = [
        {"question": "Paris", "expected_tools": [{"name": "book", "args": {"city": "Paris"}}]},
        item("Rome"),
    ]
    result = Experiment("x", items, book, [tool_trajectory(mode="strict")]).run()
    assert [(run.item.input, run.scores[0].passed) for run in result.runs] == [("Paris", True), ("Rome", True)]


def test_mistake_in_a_file_is_named_with_it(tmp_path: Path) -> None:
    file = tmp_path / "items.jsonl"
    for content, message in (
        (b'{"inptu": "a"}', "line 1: input: it is missing"),
        (b'{"input": "\xff"}', "line 1: byte 0xff"),
    ):
        file.write_bytes(content)
        with pytest.raises(ValueError, match=re.escape(f"{file}: {message}")):
            Experiment("x", file, book, ["tool_error"])


@pytest.mark.parametrize("task", ["my_agent:answer", None, 3], ids=["name", "nothing", "number"])
def test_task_that_is_not_a_function_is_refused(task: Any) -> None:
    with pytest.raises(TypeError, match="`task` is a function that runs your agent on an input, and not of type"):
        Experiment("x", [item("Paris")], task, ["tool_error"])


def test_tags_may_be_one() -> None:
    items = [item("Paris", tags=["eu"]), item("Rome", tags=["e", "u"])]
    assert [each.id for each in experiment(book, *items, tags="eu").plan.dataset] == ["Paris"]


def test_error_of_the_listener_is_a_warning_and_the_experiment_goes_on() -> None:
    def fail(run: ExperimentRun) -> None:
        if run.item.id == "Paris":
            raise LookupError("no disk")

    with pytest.warns(RuntimeWarning, match="on_run raised LookupError on the item 'Paris': no disk"):
        result = experiment(book, item("Paris"), item("Rome")).run(on_run=fail)
    assert [run.status for run in result.runs] == ["completed", "completed"]


def test_listener_that_cannot_be_called_is_refused() -> None:
    async def listen(_: ExperimentRun) -> None:
        pass

    for listener, message in ((3, "`on_run` is a function"), (listen, "`on_run` is async, but nothing awaits it")):
        with pytest.raises(TypeError, match=message):
            experiment(book).run(on_run=listener)  # type: ignore[arg-type]


def test_spans_that_were_left_out_beside_other_captures_are_hinted_at() -> None:
    together = threading.Barrier(2, timeout=10)

    def task(city: str) -> str | None:
        together.wait()
        thread = threading.Thread(target=book, args=(city,))
        thread.start()
        thread.join()
        together.wait()
        return city if city == "Paris" else None

    with pytest.warns(RuntimeWarning, match="no run of the task was recorded; spans of threads without their context"):
        paris, rome = experiment(task, item("Paris"), item("Rome"), concurrency=2).run().runs
    assert paris.scores[0].status == "skipped"
    assert "run one at a time (`concurrency=1`)" in (rome.cause or "")


def test_missing_package_is_named_with_the_extra_that_has_it(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['duckdb', 'starlette', 'openai']))\n"
        "from tracegrade.collector.experiments import Experiment, command_task, model_task\n"
        f"kept = Experiment('x', [{{'input': 'a'}}], print, ['tool_error'], store={str(tmp_path / 'x.duckdb')!r})\n"
        "for call in (kept.run, lambda: command_task(['agent']), lambda: model_task('m')):\n"
        "    try: call()\n"
        "    except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=False)
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == [
        f"{what} needs `pip install 'tracegrade[server]'`" for what in ("a store", "command_task", "model_task")
    ], done.stderr


def test_runs_that_were_recorded_earlier_are_evaluated_with_their_own_references() -> None:
    samples = [
        {
            "user_input": city,
            "reference_tool_calls": [{"name": "book", "args": {"city": "Paris"}}],
            "trace": {"messages": [{"role": "ai", "tool_calls": [{"name": "book", "args": {"city": city}}]}]},
        }
        for city in ("Paris", "Rome")
    ]
    runs = [run for each in samples if (run := floeval.sample(each).trace)]
    result = Experiment.of_runs("recorded", runs, [tool_trajectory(mode="strict")]).run()
    assert [(run.run and run.run.input, run.scores[0].passed) for run in result.runs] == [
        ("Paris", True),
        ("Rome", False),
    ]
    repeated = Experiment.of_runs("recorded", [*runs, *runs[:1]], ["tool_error"]).run()
    assert [(run.item.input, run.repeat) for run in repeated.runs] == [("Paris", 0), ("Paris", 1), ("Rome", 0)]
    with pytest.raises(NotRecorded, match="its input was not recorded"):
        Experiment.of_runs("recorded", [AgentTrace()], ["tool_error"])


def test_items_of_one_id_are_refused() -> None:
    with pytest.raises(ValueError, match="two items have the id 'Paris'"):
        experiment(book, item("Paris"), item("Paris", expected="Rome"))


def test_within_a_running_loop_it_is_awaited() -> None:
    async def main() -> ExperimentResult:
        with pytest.raises(RuntimeError, match=r"use `await experiment.arun\(\)`"):
            experiment(book).run()
        return await experiment(book).arun()

    assert only(asyncio.run(main())).scores[0].passed
