"""The judges of a configuration, asked about the runs of an experiment."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from tests.support.judge_jobs import Clock, Memory, ask_once, make_judge, make_llm_evaluator, make_run
from tests.support.llm import Asked, Llm, Reply, llm
from tests.support.polling import until
from tests.support.traced_agent import book

from tracegrade.collector.capture import capture
from tracegrade.collector.config.settings import evaluators_of, judges_of, load
from tracegrade.collector.experiments import Experiment
from tracegrade.collector.experiments.judges import ExperimentJudges
from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.dialogue import Dialogue
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.experiments.result import ExperimentResult
from tracegrade.evaluators.judges import Judge
from tracegrade.evaluators.model import AgentTrace, ToolDefinition
from tracegrade.evaluators.ports import Evaluated, Spent

WELL = '{"reasoning": "it did", "score": 1.0}'  # 110 tokens
GOAL = configure("goal_achievement")
POLITE = make_llm_evaluator()
PRICES = {"input_usd_per_million": 1_000, "output_usd_per_million": 1_000}
"""An answer costs 0.11 USD."""


class Calls(Memory):
    """The calls of judges, in memory, with their cost for each judge."""

    def spent(self, judge: str, since: datetime) -> Any:  # type: ignore[override]  # in place of the property
        costs = [call for call in self.paid if call.judge == judge and call.started_at >= since]
        tokens = sum((call.input_tokens or 0) + (call.output_tokens or 0) for call in costs)
        return {"": Spent(input_tokens=tokens, cost_usd=sum(call.cost_usd or 0.0 for call in costs))}


def evaluate(
    runs: Sequence[AgentTrace],
    judges: dict[str, Judge],
    *evaluators: Configured,
    calls: Any = None,
) -> list[Evaluated]:
    """Evaluates the runs, all at once."""

    async def main() -> list[Evaluated]:
        asked = ExperimentJudges(judges, Calls() if calls is None else calls)
        try:
            return await asyncio.gather(*(asked.evaluate(run, evaluators) for run in runs))
        finally:
            await asked.close()

    return asyncio.run(main())


def run_experiment(
    task: Callable[..., object], judges: dict[str, Judge], *evaluators: Configured | str, items: int = 1, **options: Any
) -> ExperimentResult:
    given = [DatasetItem(input=f"question {number}") for number in range(items)]
    return Experiment("judged", given, task, evaluators or [GOAL], judges=judges, **options).run()


def count(evaluated: Sequence[Evaluated]) -> tuple[int, int]:
    """The scores, and what is deferred."""
    return sum(len(each.scores) for each in evaluated), sum(len(each.deferred) for each in evaluated)


def test_runs_of_an_experiment_are_evaluated_by_the_judges_that_evaluators_name() -> None:
    with llm(lambda _: WELL) as server:
        judges = {"default": make_judge(server), "second": make_judge(server, model="judge-2")}
        other = build({"use": "goal_achievement", "judge": "second", "name": "other"})
        result = run_experiment(
            lambda question: f"answer to {question}", judges, other, "run_completion", GOAL, items=5
        )
        models = sorted(asked.body["model"] for asked in server.asked)
    assert models == ["judge-1"] * 5 + ["judge-2"] * 5
    first = result.runs[0]
    assert [score.evaluator for score in first.scores] == ["other", "run_completion", "goal_achievement"]
    assert [score.value for score in first.scores if score.evaluator_kind == "llm"] == [1.0, 1.0]
    assert first.scores[0].judge_model == "judge-2"
    assert result.deferred == ()


def test_evaluators_of_a_configuration_ask_its_judges(tmp_path: Path) -> None:
    file = tmp_path / "tracegrade.yaml"
    with llm(lambda _: WELL) as server:
        file.write_text(
            f"judges:\n  default: {{base_url: '{server.url}', model: judge-1, api_key_env: null}}\n"
            "evaluators:\n  - {use: goal_achievement, sample: 0.0, schedule: '0 3 * * *'}\n"
        )
        settings = load(file)
        (evaluator,) = evaluators_of(settings)
        result = run_experiment(lambda _: "done", judges_of(settings), evaluator)
    (score,) = result.runs[0].scores
    assert (score.value, score.config_hash) == (1.0, evaluator.config_hash)


def test_another_model_makes_another_form_of_the_evaluator() -> None:
    with llm(lambda _: WELL) as server:
        hashes = {
            run_experiment(lambda _: "done", {"default": make_judge(server, model=model)}).runs[0].scores[0].config_hash
            for model in ("judge-1", "judge-2")
        }
    assert len(hashes) == 2


@pytest.mark.parametrize("concurrency", [1, 16], ids=["one after the other", "at once"])
@pytest.mark.parametrize(
    "limit", [{"usd_per_day": 1, "prices": PRICES}, {"tokens_per_day": 1_100}], ids=["USD", "tokens"]
)
def test_budget_of_a_day_holds_over_all_runs_and_the_rest_is_deferred(limit: dict[str, Any], concurrency: int) -> None:
    with llm(lambda _: WELL) as server:
        judges = {"default": make_judge(server, **limit)}
        answer = "answer to {}".format
        result = run_experiment(answer, judges, GOAL, "run_completion", items=40, concurrency=concurrency)
        assert len(server.asked) == 10
    assert sum(len(run.scores) == 2 for run in result.runs) == 10
    assert len(result.deferred) == 30
    assert {run.status for run in result.runs} == {"completed"}
    assert {deferred.kind for deferred in result.deferred} == {"budget"}
    assert "30 evaluations deferred: judge 'default' has spent its" in str(result)


def test_spending_of_another_experiment_on_the_same_store_is_counted() -> None:
    calls, other = Calls(), Calls()

    async def main(judge: Judge) -> list[Evaluated]:
        asked = ExperimentJudges({"default": judge}, calls)
        evaluated = [await asked.evaluate(make_run(100), [POLITE])]
        calls.record(other.calls)
        evaluated += [await asked.evaluate(make_run(number), [POLITE]) for number in range(101, 110)]
        await asked.close()
        return evaluated

    with llm(lambda _: WELL) as server:
        judge = make_judge(server, tokens_per_day=1_100)
        evaluate([make_run(number) for number in range(8)], {"default": judge}, POLITE, calls=other)
        assert count(asyncio.run(main(judge))) == (2, 8)


def test_breaker_that_is_open_defers_and_costs_no_further_call() -> None:
    with llm(lambda _: Reply(status=401, text="no")) as server:
        judges = {"default": make_judge(server)}
        evaluated = evaluate([make_run(number) for number in range(50)], judges, POLITE)
        assert len(server.asked) == 1
    assert count(evaluated) == (0, 50)
    assert {deferred.kind for each in evaluated for deferred in each.deferred} == {"judge_misconfigured"}


def test_deferred_evaluations_are_made_up_for_with_the_stored_runs() -> None:
    calls = Calls()
    runs = [make_run(number) for number in range(10)]
    with llm(lambda _: WELL) as server:
        first = evaluate(runs, {"default": make_judge(server, tokens_per_day=330)}, POLITE, calls=calls)
        missing = [run for run, evaluated in zip(runs, first, strict=True) if evaluated.deferred]
        second = evaluate(missing, {"default": make_judge(server)}, POLITE, calls=calls)
        assert len(server.asked) == 10
    assert count(first) == (3, 7)
    assert count(second) == (7, 0)


def test_question_that_the_calls_can_answer_is_not_asked() -> None:
    calls = Calls()
    with llm(lambda _: WELL) as server:
        for _ in range(2):
            evaluated = evaluate([make_run(1)], {"default": make_judge(server)}, POLITE, calls=calls)
        assert len(server.asked) == 1
    assert count(evaluated) == (1, 0)
    assert [call.pass_id for call in calls.calls] == [None, None]


def test_repeats_with_the_same_content_cost_one_call() -> None:
    with llm(lambda _: Reply(text=WELL, delay_s=0.05)) as server:
        result = run_experiment(lambda _: "done", {"default": make_judge(server)}, repeats=8)
        assert len(server.asked) == 1
    assert [len(run.scores) for run in result.runs] == [1] * 8


def test_judges_of_batches_are_asked_live_and_what_production_waits_for_is_asked() -> None:
    calls = Calls()
    with llm(lambda _: WELL) as server:
        judge = make_judge(server, mode="batch")
        evaluate([make_run(1)], {"default": judge}, POLITE, calls=calls)
        (answered,) = calls.calls
        calls.calls = [replace(answered, status="pending", batch_id="batch", response=None)]
        evaluated = evaluate([make_run(1)], {"default": judge}, POLITE, calls=calls)
        assert (len(server.asked), server.batches) == (2, [])
    assert count(evaluated) == (1, 0)
    assert calls.statuses == ["pending", "ok"]


def test_limits_of_the_judge_hold_over_all_runs() -> None:
    with llm(lambda _: Reply(text=WELL, delay_s=0.02)) as server:
        judges = {"default": make_judge(server, concurrency=3)}
        run_experiment("answer to {}".format, judges, items=20, concurrency=20)
        assert server.most_at_once == 3


def test_budget_begins_anew_at_midnight() -> None:
    calls, clock = Calls(), Clock()

    async def main(server: Llm) -> list[Evaluated]:
        asked = ExperimentJudges({"default": make_judge(server, tokens_per_day=100)}, calls, now=clock.now)
        evaluated = [await asked.evaluate(make_run(number), [POLITE]) for number in range(2)]
        clock.passed_s += 12 * 60 * 60
        evaluated += [await asked.evaluate(make_run(number), [POLITE]) for number in range(2, 4)]
        await asked.close()
        return evaluated

    with llm(lambda _: WELL) as server:
        evaluated = asyncio.run(main(server))
    assert [len(each.scores) for each in evaluated] == [1, 0, 1, 0]


def test_evaluator_that_defers_one_of_several_targets_gives_no_score_yet() -> None:
    def ask_about_tool(tool: ToolDefinition) -> Dialogue:
        return ask_once(AgentTrace(final_response=tool.name))

    tools = tuple(ToolDefinition(name=name, description=name) for name in ("first", "second"))
    run = make_run(1).model_copy(update={"tool_definitions": tools})
    of_tools = replace(make_llm_evaluator(ask_about_tool), scope="tool")
    calls = Calls()
    with llm(lambda _: WELL) as server:
        judges = {"default": make_judge(server, tokens_per_day=100, concurrency=1)}
        (poor,) = evaluate([run], judges, of_tools, calls=calls)
        (rich,) = evaluate([run], {"default": make_judge(server)}, of_tools, calls=calls)
        assert len(server.asked) == 2
    assert (len(poor.scores), [each.target_id for each in poor.deferred]) == (0, [run.agent_trace_id])
    assert (len(rich.scores), len(rich.deferred)) == (2, 0)


def test_error_of_the_calls_ends_the_experiment_as_it_is() -> None:
    class Gone(Calls):
        def record(self, calls: Any) -> None:
            raise OSError("the store is gone")

    with llm(lambda _: WELL) as server, pytest.raises(OSError, match="the store is gone"):
        evaluate([make_run(1)], {"default": make_judge(server)}, POLITE, calls=Gone())


def test_answers_that_are_paid_for_are_kept_although_the_experiment_is_cancelled() -> None:
    calls = Calls()

    async def main(server: Llm) -> None:
        asked = ExperimentJudges({"default": make_judge(server)}, calls)
        evaluation = asyncio.create_task(asked.evaluate(make_run(1), [POLITE]))
        await asyncio.to_thread(until, lambda: server.asked)
        evaluation.cancel()
        await asyncio.wait({evaluation})
        await asked.close()

    with llm(lambda _: Reply(text=WELL, delay_s=0.2)) as server:
        asyncio.run(main(server))
    assert calls.statuses == ["ok"]


def test_judge_answers_while_an_agent_blocks_its_event_loop() -> None:
    calls, is_blocked = Calls(), Event()

    def answer(_: Asked) -> str:
        is_blocked.wait(20)
        return WELL

    async def main(server: Llm) -> Evaluated:
        asked = ExperimentJudges({"default": make_judge(server)}, calls)
        evaluation = asyncio.create_task(asked.evaluate(make_run(1), [POLITE]))
        await asyncio.to_thread(until, lambda: server.asked)
        is_blocked.set()
        until(lambda: calls.calls)
        evaluated = await evaluation
        await asked.close()
        return evaluated

    with llm(answer) as server:
        assert len(asyncio.run(main(server)).scores) == 1


def answer_with_a_span(_: str) -> str:
    """A judge whose client is instrumented."""
    book("in the judge", name="judge")
    return WELL


@pytest.mark.parametrize(
    "options",
    [{"judge": answer_with_a_span}, {"judges": {"default": Judge(python="judging:answer_with_a_span")}}],
    ids=["function", "function of the configuration"],
)
def test_spans_of_a_judge_are_those_of_no_agent(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "judging", sys.modules[__name__])
    with capture() as captured:  # the only one that is open once the last agent has ended
        items = [DatasetItem(input=f"question {number}") for number in range(3)]
        result = Experiment("spans", items, book, ["goal_achievement"], concurrency=1, **options).run()
    assert [run.status for run in result.runs] == ["completed"] * 3
    assert [score.status for run in result.runs for score in run.scores] == ["scored"] * 3
    assert captured.runs == ()


def test_evaluator_without_its_judge_is_refused() -> None:
    with pytest.raises(TypeError, match=r"asks the judge 'default', which is not in `judges` \(did you mean 'defualt'"):
        run_experiment(lambda _: "done", {"defualt": Judge()})
    with pytest.raises(TypeError, match="give `judge`, a function that takes a text and returns one, or `judges`"):
        run_experiment(lambda _: "done", {})
    with pytest.raises(TypeError, match="give either `judge`"):
        run_experiment(lambda _: "done", {"default": Judge()}, judge=lambda _: WELL)


def test_recorded_runs_are_evaluated_by_judges_too() -> None:
    with llm(lambda _: WELL) as server:
        run = AgentTrace(agent_trace_id="run", input="question", final_response="answer")
        result = Experiment.of_runs("recorded", [run], [GOAL], judges={"default": make_judge(server)}).run()
    assert [score.value for score in result.runs[0].scores] == [1.0]


def test_dialogue_that_fails_is_an_error_and_no_deferral() -> None:
    def fail(_: Any) -> Dialogue:
        raise LookupError("no")
        yield []

    with llm(lambda _: WELL) as server:
        (evaluated,) = evaluate([make_run(1)], {"default": make_judge(server)}, make_llm_evaluator(fail))
    assert [score.status for score in evaluated.scores] == ["error"]
    assert evaluated.deferred == []
