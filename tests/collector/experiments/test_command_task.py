"""A command is the agent of an experiment, and its spans are received from its own process."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.support.polling import until

from tracegrade.collector.experiments import Experiment, command_task
from tracegrade.evaluators.experiments.experiment_run import ExperimentRun
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.named import tool_trajectory

AGENT = """
import json, sys
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
tracer = provider.get_tracer("agent")
agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "travel"}
with tracer.start_as_current_span("invoke_agent", attributes=agent):
    with tracer.start_as_current_span("execute_tool book") as tool:
        tool.set_attribute("gen_ai.operation.name", "execute_tool")
        tool.set_attribute("gen_ai.tool.name", "book")
        tool.set_attribute("gen_ai.tool.call.arguments", json.dumps({"city": sys.argv[1]}))
print("booked in", sys.argv[1])
provider.shutdown()
"""
ECHO = "import sys; print(sys.stdin.read().upper())"


def run(command: Sequence[str], given: Any = "Paris", **options: Any) -> ExperimentRun:
    call = {"name": "book", "args": {"city": "Paris"}}
    item = DatasetItem.model_validate({"input": given, "expected_tool_calls": [call]})
    experiment = Experiment("commands", [item], command_task(command), [tool_trajectory(mode="strict")], **options)
    (only,) = experiment.run().runs
    return only


def test_run_is_captured_from_the_spans_of_the_command(tmp_path: Path) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text(AGENT)
    only = run([sys.executable, str(agent), "{input}"])
    assert only.run is not None, only.cause
    assert (only.run.agent_name, only.run.final_response) == ("travel", "booked in Paris")
    assert only.scores[0].passed


def test_several_commands_at_once_get_their_own_runs(tmp_path: Path) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text(AGENT)
    items = [
        DatasetItem.model_validate({"input": city, "expected_tool_calls": [{"name": "book", "args": {"city": city}}]})
        for city in ("Paris", "Rome", "Oslo")
    ]
    task = command_task([sys.executable, str(agent), "{input}"])
    result = Experiment("commands", items, task, [tool_trajectory(mode="strict")], concurrency=3).run()
    assert [run.scores[0].passed for run in result.runs] == [True] * 3


@pytest.mark.parametrize(("given", "answer"), [("Paris", "PARIS"), ({"city": "Paris"}, '{"CITY":"PARIS"}')])
def test_command_without_spans_gets_its_input_and_gives_an_answer(given: Any, answer: str) -> None:
    only = run([sys.executable, "-c", ECHO], given)
    assert only.run is not None, only.cause
    assert only.run.final_response == answer
    assert only.scores[0].status == "skipped"


@pytest.mark.parametrize(
    ("command", "cause"),
    [
        (
            [sys.executable, "-c", "raise SystemExit('no hotel')"],
            "RuntimeError: the command ended with exit code 1: no hotel",
        ),
        (["sh", "-c", "kill -9 $$"], "RuntimeError: the command was ended by signal 9"),
        (["/nowhere/agent"], "FileNotFoundError: "),
    ],
)
def test_command_that_fails_is_an_error_with_its_cause(command: list[str], cause: str) -> None:
    only = run(command)
    assert only.status == "error"
    assert (only.cause or "").startswith(cause)


def test_command_that_takes_too_long_ends_with_all_that_it_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    began = time.monotonic()
    only = run(["sh", "-c", f"sleep 60 & echo $! $$ > {pids}; wait"], timeout_s=1.0)
    assert only.cause == "it took longer than 1 s"
    assert time.monotonic() - began < 30
    for pid in map(int, pids.read_text().split()):
        until(lambda pid=pid: not psutil.pid_exists(pid) or psutil.Process(pid).status() == "zombie")  # type: ignore[misc]


def test_command_that_leaves_a_process_behind_is_not_waited_for() -> None:
    began = time.monotonic()
    only = run(["sh", "-c", "setsid sleep 30 & echo booked"], timeout_s=25.0)
    assert only.run is not None, only.cause
    assert only.run.final_response == "booked"
    assert time.monotonic() - began < 25


def test_words_of_a_command_may_be_paths(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(ECHO)
    only = run([sys.executable, tmp_path / "agent.py"])  # type: ignore[list-item]
    assert only.run is not None, only.cause
    assert only.run.final_response == "PARIS"


@pytest.mark.parametrize(
    ("command", "environment", "message"),
    [
        (["agent", 3], {}, "word 2 of the command is 3; write text"),
        (["agent", b"x"], {}, "word 2 of the command is b'x'; write text"),
        (["agent"], {"PORT": 80}, "the variable PORT is 80; write text"),
    ],
    ids=["number", "bytes", "variable"],
)
def test_words_of_a_command_are_text(command: Any, environment: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        command_task(command, environment=environment)


@pytest.mark.parametrize("command", ["python agent.py", []])
def test_command_is_a_list_of_words(command: Any) -> None:
    with pytest.raises(ValueError, match="write the command as a list of its words"):
        command_task(command)
