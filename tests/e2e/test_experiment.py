"""Experiments from the command line: run, kept, interrupted and continued, compared, and checked against a gate."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from contextlib import nullcontext
from pathlib import Path

import pytest
from tests.support.command import PROGRAM, Done, environment, tracegrade
from tests.support.llm import Llm, llm
from tests.support.polling import until
from tests.support.server import running

AGENT = """
import json, os, time
from opentelemetry import trace

tracer = trace.get_tracer("shop")


def answer(question, order=None):
    with open("calls.log", "a") as log:
        log.write(question + "\\n")
    time.sleep(float(os.environ.get("TASK_S", "0")))
    if question == "fail":
        raise LookupError("there is no such order")
    with tracer.start_as_current_span("invoke_agent shop") as agent:
        agent.set_attribute("gen_ai.operation.name", "invoke_agent")
        agent.set_attribute("gen_ai.agent.name", "shop")
        agent.set_attribute("gen_ai.input.messages", as_messages("user", question))
        with tracer.start_as_current_span("execute_tool refund") as tool:
            tool.set_attribute("gen_ai.operation.name", "execute_tool")
            tool.set_attribute("gen_ai.tool.name", "refund")
            tool.set_attribute("gen_ai.tool.call.arguments", json.dumps({"order": order or question}))
            tool.set_attribute("gen_ai.tool.call.result", "done")
        agent.set_attribute("gen_ai.output.messages", as_messages("assistant", "Done."))


def worse(question):
    return answer(question, order="0" if question == "2" else None)


def as_messages(role, text):
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])
"""


def item(order: str) -> str:
    return json.dumps(
        {"id": order, "input": order, "expected_tool_calls": [{"name": "refund", "args": {"order": order}}]}
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an agent and a dataset."""
    (tmp_path / "shop.py").write_text(AGENT, encoding="utf-8")
    (tmp_path / "refunds.jsonl").write_text("\n".join(map(item, "123")), encoding="utf-8")
    return tmp_path


def experiment(folder: Path, *arguments: str, **variables: str) -> Done:
    return tracegrade("experiment", *arguments, at=folder, **variables)


def run(folder: Path, name: str, *arguments: str, task: str = "shop:answer", dataset: str = "refunds.jsonl") -> Done:
    options = ("--dataset", dataset, "--task", task, "--evaluator", "tool_trajectory", "--evaluator", "tool_error")
    return experiment(folder, "run", name, *options, *arguments)


def query(folder: Path, sql: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads(tracegrade("sql", sql, "--format", "json", at=folder).text)
    return rows


def list_calls(folder: Path) -> list[str]:
    return (folder / "calls.log").read_text(encoding="utf-8").split()


def test_experiment_is_run_and_kept_beside_production(folder: Path) -> None:
    done = run(folder, "1.0", "--repeats", "2", "--author", "ada")
    assert (done.code, done.err) == (0, "")
    assert "1.0: 3 items, 6 runs, 0 errors" in done.text
    kept = query(folder, "select name, items, repeats, author, ended_at is not null as ended from experiments")
    assert kept == [{"name": "1.0", "items": 3, "repeats": 2, "author": "ada", "ended": True}]
    marked = "select count(*) as n, count(experiment_id) as marked, sum(tool_call_count) as calls from agent_traces"
    assert query(folder, marked) == [{"n": 6, "marked": 6, "calls": 6}]
    scores = "select evaluator, count(*) as n, avg(value) as mean from experiment_scores group by all order by all"
    assert query(folder, scores) == [
        {"evaluator": "tool_error", "n": 6, "mean": 1.0},
        {"evaluator": "tool_trajectory", "n": 6, "mean": 1.0},
    ]
    assert query(folder, "select count(*) as n from latest_scores") == [{"n": 0}]
    shown = json.loads(experiment(folder, "show", "1.0", "--json").text)
    assert [(each["item_id"], each["repeat"], each["status"]) for each in shown["runs"]] == [
        (order, repeat, "completed") for order in "123" for repeat in (0, 1)
    ]


@pytest.mark.nightly
def test_failures_of_the_task_are_errors_with_their_cause(folder: Path) -> None:
    (folder / "refunds.jsonl").write_text("\n".join(map(item, ["1", "fail"])), encoding="utf-8")
    done = run(folder, "1.0")
    assert "2 items, 2 runs, 1 error" in done.text
    shown = experiment(folder, "show", "1.0")
    assert "✗ fail (repeat 1): LookupError: there is no such order" in shown.text


@pytest.mark.nightly
def test_two_experiments_are_compared_and_their_trend_is_shown(folder: Path) -> None:
    tracegrade("dataset", "add", "refunds", "refunds.jsonl", at=folder)
    run(folder, "old", dataset="refunds")
    (folder / "more.jsonl").write_text(item("4"), encoding="utf-8")
    tracegrade("dataset", "add", "refunds", "more.jsonl", at=folder)
    assert run(folder, "new", task="shop:worse", dataset="refunds").code == 0
    compared = experiment(folder, "compare", "old", "new").text
    assert "3 items in both" in compared
    assert "not compared: 1 only after" in compared
    assert "version 1" in compared and "version 2" in compared
    assert "worse by tool_trajectory: 2 (1/1 → 0/1)" in compared
    trend = experiment(folder, "trend", "--dataset", "refunds").text
    assert "old" in trend and "new" in trend
    listed = experiment(folder, "list").text
    assert listed.index("new") < listed.index("old")
    unknown = experiment(folder, "compare", "old", "nwe")
    assert (unknown.code, "did you mean 'new'" in unknown.err) == (1, True)


@pytest.mark.nightly
def test_killed_experiment_continues_with_what_is_missing(folder: Path) -> None:
    (folder / "refunds.jsonl").write_text("\n".join(item(str(order)) for order in range(40)), encoding="utf-8")
    words = ("experiment", "run", "1.0", "--dataset", "refunds.jsonl", "--task", "shop:answer", "--concurrency", "2")
    command = [PROGRAM, *words, "--evaluator", "tool_trajectory"]
    process = subprocess.Popen(command, cwd=folder, env=environment({"TASK_S": "0.1"}), start_new_session=True)
    until(lambda: (folder / "calls.log").exists() and len(list_calls(folder)) >= 10, within_s=60)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    before = len(list_calls(folder))
    done = tracegrade(*words, "--evaluator", "tool_trajectory", at=folder)
    assert "40 items, 40 runs, 0 errors" in done.text
    again = list_calls(folder)[before:]
    kept = 40 - len(again)
    assert 0 < kept <= before
    assert len(again) == len(set(again))
    rows = query(folder, "select count(*) as n, count(distinct item_id) as items from experiment_runs")
    assert rows == [{"n": 40, "items": 40}]
    anew = tracegrade(*words, "--evaluator", "tool_trajectory", "--new", at=folder)
    assert "40 runs" in anew.text
    assert len(list_calls(folder)) == before + len(again) + 40


@pytest.mark.nightly
def test_experiment_is_kept_through_the_server_that_holds_the_store(folder: Path) -> None:
    with running(folder / "tracegrade.duckdb") as server:
        done = run(folder, "1.0")
        assert "3 items, 3 runs, 0 errors" in done.text
        until(lambda: server.one("select count(experiment_id) from agent_traces") == 3, within_s=30)
        assert server.one("select count(*) from experiment_scores") == 6
        assert server.one("select count(*) from latest_scores") == 0
    assert "1.0" in experiment(folder, "list").text


@pytest.mark.nightly
def test_gate_checks_an_experiment_against_the_one_before(folder: Path) -> None:
    run(folder, "nightly")
    (folder / "gate.yaml").write_text(
        "evaluators:\n  tool_trajectory: {min_mean: 0.9, max_mean_drop: 0.1}\nbaseline: {experiment: nightly}\n",
        encoding="utf-8",
    )
    worse = run(folder, "nightly", "--gate", "gate.yaml", "--junit", "gate.xml", task="shop:worse")
    assert worse.code == 1
    assert "✗ tool_trajectory" in worse.text
    assert (folder / "gate.xml").exists()
    assert tracegrade("gate", "--experiment", "nightly", "--min", "tool_error=1", at=folder).code == 0
    assert tracegrade("gate", "--min", "tool_error=1", at=folder).code == 3


def judge_of(server: Llm, **limits: int) -> dict[str, str]:
    """The variables of a configuration with a judge that is asked for the goal of runs."""
    judge = {"base_url": server.url, "model": "judge-1", "api_key_env": "A_KEY", "concurrency": 1, **limits}
    evaluators = [{"use": "goal_achievement"}]
    return {
        "A_KEY": "open sesame",
        "TRACEGRADE_JUDGES": json.dumps({"default": judge}),
        "TRACEGRADE_EVALUATORS": json.dumps(evaluators),
    }


def run_judged(folder: Path, server: Llm, **limits: int) -> Done:
    words = ("run", "judged", "--dataset", "refunds.jsonl", "--task", "shop:answer")
    return experiment(folder, *words, **judge_of(server, **limits))


@pytest.mark.parametrize("through_server", [False, True], ids=["file", "server"])
@pytest.mark.nightly
def test_evaluations_that_the_budget_deferred_are_made_up_for_without_the_agent(
    folder: Path, *, through_server: bool
) -> None:
    with llm(lambda _: '{"reasoning": "it did", "score": 1.0}') as server:  # 110 tokens
        holding = running(folder / "tracegrade.duckdb") if through_server else nullcontext()
        with holding:
            first = run_judged(folder, server, tokens_per_day=165)
            assert "deferred: judge 'default' has spent its 165 tokens of today" in first.text, first
            assert "it has not ended: run it again later for what was deferred" in first.text
            asked = len(server.asked)
            assert 0 < asked < 3
            second = run_judged(folder, server)
            assert "deferred" not in second.text, second
            assert len(server.asked) == 3
        assert len(list_calls(folder)) == 3
    scores = "select count(*) as n, avg(value) as mean from experiment_scores where evaluator = 'goal_achievement'"
    assert query(folder, scores) == [{"n": 3, "mean": 1.0}]
    calls = "select count(*) as n, count(experiment_id) as marked from judge_calls"
    assert query(folder, calls) == [{"n": 3, "marked": 3}]


@pytest.mark.nightly
def test_stored_runs_are_evaluated_again(folder: Path) -> None:
    run(folder, "1.0", "--repeats", "2")
    done = experiment(
        folder, "run", "again", "--runs", "select agent_trace_id from agent_traces", "--evaluator", "tool_error"
    )
    assert "again: 3 items, 6 runs, 0 errors" in done.text
    assert query(folder, "select count(*) as n from agent_traces") == [{"n": 6}]


@pytest.mark.nightly
def test_command_is_the_agent(folder: Path) -> None:
    done = experiment(
        folder,
        "run",
        "echo",
        "--dataset",
        "refunds.jsonl",
        "--command",
        "echo {input}",
        "--evaluator",
        "run_completion",
    )
    assert "3 items, 3 runs, 0 errors" in done.text
    assert query(folder, "select final_response from agent_traces order by all") == [
        {"final_response": order} for order in "123"
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--dataset", "refunds.jsonl"], 2, "name what runs the agent: --task, --command, --url, --model"),
        (["--task", "shop:answer"], 2, "--dataset names the inputs of the agent"),
        (["--task", "shop:answr", "--dataset", "refunds.jsonl"], 2, "did you mean 'answer'"),
        (["--task", "shop", "--dataset", "refunds.jsonl"], 2, "write module:function"),
        (["--task", "shop:answer", "--dataset", "refunds"], 4, "there is no such store"),
        (["--task", "shop:answer", "--model", "m", "--dataset", "refunds.jsonl"], 2, "--task and --model exclude"),
        (["--task", "shop:answer", "--dataset", "refunds.jsonl", "--evaluator", "tool_eror"], 2, "'tool_error'"),
        (["--task", "shop:answer", "--dataset", "refunds.jsonl", "--github"], 2, "name its FILE with --gate"),
    ],
    ids=["no agent", "no dataset", "function", "no function", "no store", "two agents", "evaluator", "no gate"],
)
def test_wrong_request_names_what_to_write(folder: Path, arguments: list[str], code: int, message: str) -> None:
    done = experiment(folder, "run", "x", *arguments)
    assert (done.code, message in done.err) == (code, True), done.err
    assert "Traceback" not in done.err


@pytest.mark.nightly
def test_query_that_names_no_runs_is_refused(folder: Path) -> None:
    run(folder, "1.0")
    done = experiment(folder, "run", "x", "--runs", "select 1 as x")
    assert (done.code, "select agent_trace_id" in done.err) == (2, True)
