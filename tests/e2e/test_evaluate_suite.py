"""`tracegrade evaluate` with eval files of AgentV, as its guide to tool trajectories writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import Done, tracegrade

RESEARCH = """
description: Validate research agent tool usage
execution:
  target: codex_agent
evalcases:
  - id: comprehensive-research
    expected_outcome: Agent thoroughly researches the topic
    input_messages:
      - role: user
        content: Research machine learning frameworks
    execution:
      evaluators:
        - name: coverage
          type: tool_trajectory
          mode: any_order
          minimums: {webSearch: 1, documentRead: 2, noteTaking: 1}
        - name: workflow
          type: tool_trajectory
          mode: in_order
          expected:
            - tool: webSearch
            - tool: documentRead
            - tool: summarize
"""
PIPELINE = """
evalcases:
  - id: data-pipeline
    input_messages: [{role: user, content: Run the pipeline}]
    execution:
      evaluators:
        - name: order
          type: tool_trajectory
          mode: MODE
          expected: [{tool: loadData}, {tool: validate}, {tool: transform}, {tool: export}]
"""
PERFORMANCE = """
evalcases:
  - id: data-pipeline-perf
    input_messages: [{role: user, content: Run the pipeline}]
    execution:
      evaluators:
        - name: performance
          type: tool_trajectory
          mode: in_order
          expected:
            - {tool: loadData, max_duration_ms: 1000}
            - tool: validate
            - {tool: transform, max_duration_ms: 500}
            - {tool: export, max_duration_ms: 200}
"""


def record(folder: Path, case: str, *calls: str | dict[str, Any], **fields: Any) -> None:
    """Add a run to the file of runs."""
    tools = [{"tool": call, "input": {}} if isinstance(call, str) else {"input": {}, **call} for call in calls]
    messages = [{"role": "assistant", "tool_calls": tools}, {"role": "assistant", "content": "Done."}]
    row = {"eval_id": case, "output_messages": messages, **fields}
    with (folder / "runs.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def evaluate(folder: Path, suite: str, *arguments: str) -> Done:
    (folder / "suite.yaml").write_text(suite, encoding="utf-8")
    return tracegrade("evaluate", "suite.yaml", "-o", "results.jsonl", *arguments, at=folder)


def read_results(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("calls", "scores", "score"),
    [
        (("webSearch", "documentRead", "documentRead", "noteTaking", "summarize"), [1.0, 1.0], 1.0),
        (("webSearch", "documentRead", "noteTaking", "summarize"), [2 / 3, 1.0], 5 / 6),
    ],
    ids=["thorough", "one document"],
)
def test_two_evaluators_of_a_case_expect_two_sequences(
    tmp_path: Path, calls: tuple[str, ...], scores: list[float], score: float
) -> None:
    record(tmp_path, "comprehensive-research", *calls)
    assert evaluate(tmp_path, RESEARCH, "-d", "runs.jsonl").code == 0
    (row,) = read_results(tmp_path)
    assert [each["score"] for each in row["evaluator_results"]] == pytest.approx(scores)
    assert row["score"] == pytest.approx(score)
    assert (row["eval_id"], row["target"], row["candidate_answer"]) == (
        "comprehensive-research",
        "codex_agent",
        "Done.",
    )
    assert row["trace_summary"]["tool_calls_by_name"]["webSearch"] == 1


@pytest.mark.parametrize(
    ("mode", "calls", "score"),
    [
        ("exact", ["loadData", "validate", "transform", "export"], 1.0),
        ("exact", ["loadData", "transform", "export"], 0.25),
        ("in_order", ["loadData", "log", "validate", "transform", "export"], 1.0),
    ],
    ids=["exact", "a step is missing", "gaps are allowed"],
)
def test_order_of_a_pipeline(tmp_path: Path, mode: str, calls: list[str], score: float) -> None:
    record(tmp_path, "data-pipeline", *calls)
    evaluate(tmp_path, PIPELINE.replace("MODE", mode), "-d", "runs.jsonl")
    assert read_results(tmp_path)[0]["score"] == pytest.approx(score)


def test_further_calls_fail_an_exact_case_unless_it_is_not_strict(tmp_path: Path) -> None:
    record(tmp_path, "data-pipeline", "loadData", "validate", "transform", "export", "sneaky")
    strict = PIPELINE.replace("MODE", "exact")
    for suite, found in ((strict, (0.8, "fail")), (strict + "          strict: false\n", (1.0, "pass"))):
        assert evaluate(tmp_path, suite, "-d", "runs.jsonl").code == 0
        (result,) = read_results(tmp_path)[0]["evaluator_results"]
        assert (result["score"], result["verdict"]) == found
        assert result["misses"] == ["Expected 4 tool calls, got 5"]


def test_assertions_of_version_5_are_evaluated(tmp_path: Path) -> None:
    record(tmp_path, "c", "search", "search", {"tool": "shell", "input": {"cmd": "rm -rf /"}})
    suite = """
tests:
  - id: c
    criteria: It searches
    input: Search
    assert:
      - {name: few, type: "trajectory:tool-used", value: {name: "se*", max: 2}}
      - {name: safe, type: "not-trajectory:tool-used", value: ["rm *"]}
      - {name: order, type: "trajectory:tool-sequence", value: [search, shell]}
      - {name: wrong, type: "trajectory:step-count", value: {}}
"""
    assert evaluate(tmp_path, suite, "-d", "runs.jsonl").code == 0
    results = read_results(tmp_path)[0]["evaluator_results"]
    assert [result["score"] for result in results] == [1.0, 0.0, 1.0, None]
    assert "write `min` or `max`" in results[3]["reasoning"]


def test_missing_duration_is_warned_of_in_table_and_results(tmp_path: Path) -> None:
    record(tmp_path, "data-pipeline-perf", "loadData", "validate", "transform", "export")
    printed = " ".join(evaluate(tmp_path, PERFORMANCE, "-d", "runs.jsonl").text.split())
    assert printed.count("No duration data for") == 3
    (result,) = read_results(tmp_path)[0]["evaluator_results"]
    assert result["warnings"][0] == "No duration data for loadData; latency assertion skipped"


@pytest.mark.parametrize(("export_ms", "score"), [(200, 1.0), (201, 6 / 7)], ids=["in time", "late"])
def test_limits_of_time_are_aspects_of_the_score(tmp_path: Path, export_ms: int, score: float) -> None:
    durations = {"loadData": 900, "validate": 5, "transform": 500, "export": export_ms}
    record(tmp_path, "data-pipeline-perf", *({"tool": tool, "duration_ms": ms} for tool, ms in durations.items()))
    evaluate(tmp_path, PERFORMANCE, "-d", "runs.jsonl")
    assert read_results(tmp_path)[0]["score"] == pytest.approx(score)


def test_runs_are_dumped_and_included_where_asked_for(tmp_path: Path) -> None:
    record(tmp_path, "data-pipeline", "loadData")
    done = evaluate(tmp_path, PIPELINE.replace("MODE", "exact"), "-d", "runs.jsonl", "--dump-traces", "--include-trace")
    assert ".agentv/traces: 1 run" in done.text
    (file,) = (tmp_path / ".agentv/traces").glob("*_data-pipeline.json")
    dumped = json.loads(file.read_text(encoding="utf-8"))
    assert dumped["output_messages"] == read_results(tmp_path)[0]["output_messages"]
    assert dumped["output_messages"][0]["tool_calls"] == [{"tool": "loadData", "input": {}}]
    assert "output_messages" not in _without_trace(tmp_path)


def _without_trace(folder: Path) -> dict[str, Any]:
    evaluate(folder, PIPELINE.replace("MODE", "exact"), "-d", "runs.jsonl")
    return read_results(folder)[0]


def test_command_runs_what_is_not_recorded(tmp_path: Path) -> None:
    suite = """
tests:
  - id: says-hello
    criteria: It says hello
    input: Say hello
    assertions:
      - {name: short, type: code_judge, script: [./judge.sh]}
      - {name: fast, type: latency, threshold: 60000}
"""
    (tmp_path / "judge.sh").write_text('#!/bin/sh\ncat >/dev/null\necho \'{"score": 0.5, "reasoning": "so so"}\'\n')
    (tmp_path / "judge.sh").chmod(0o755)
    done = evaluate(tmp_path, suite, "--command", "echo hello {input}")
    (row,) = read_results(tmp_path)
    assert (done.code, row["candidate_answer"]) == (0, "hello Say hello")
    assert [(each["name"], each["score"]) for each in row["evaluator_results"]] == [("short", 0.5), ("fast", 1.0)]


@pytest.mark.parametrize(
    ("suite", "arguments", "code", "message"),
    [
        (RESEARCH, (), 2, "name what the cases are evaluated on"),
        ("evalcases: 5", ("-d", "runs.jsonl"), 2, "evalcases is not a list"),
        (RESEARCH.replace("any_order", "any_ordr"), ("-d", "runs.jsonl"), 2, "any_ordr"),
        ("a: b", ("-d", "runs.jsonl"), 2, "neither tests nor evalcases"),
        (RESEARCH, ("-d", "runs.jsonl"), 3, "no recorded run has its id or"),
    ],
    ids=["no runs", "no list", "misspelt mode", "another file", "no run of the case"],
)
def test_what_cannot_be_evaluated_is_explained(
    tmp_path: Path, suite: str, arguments: tuple[str, ...], code: int, message: str
) -> None:
    record(tmp_path, "another", "x")
    done = evaluate(tmp_path, suite, *arguments)
    assert (done.code, message in done.err + done.text.replace("\n", " ")) == (code, True), done.err + done.text
    assert "Traceback" not in done.err


def test_records_of_gllm_evals_are_evaluated_by_name(tmp_path: Path) -> None:
    call = {"name": "calculator", "args": {"a": 1}, "output": "2"}
    rows = [
        {"query": "1 + 1?", "generated_response": "2", "tools_called": [call], "expected_tools": [call]},
        {"query": "2 + 2?", "generated_response": "4", "tools_called": [], "expected_tools": [call]},
    ]
    (tmp_path / "records.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = tracegrade(
        "evaluate", "-d", "records.jsonl", "--evaluator", "deepeval:tool_correctness", "-o", "out.json", at=tmp_path
    )
    assert (done.code, done.err) == (0, "")
    out = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    scores = [row["metrics"]["deepeval:tool_correctness"]["score"] for row in out["sample_results"]]
    assert scores == [1.0, 0.0]
    assert out["summary"] == {"deepeval:tool_correctness": 0.5}


def test_records_are_evaluated_by_entries_with_options(tmp_path: Path) -> None:
    call, other = ({"name": "calculator", "args": {"a": number}} for number in (1, 2))
    row = {"query": "1 + 1?", "generated_response": "2", "tools_called": [call], "expected_tools": [other]}
    (tmp_path / "records.jsonl").write_text(json.dumps(row), encoding="utf-8")
    (tmp_path / "names.yaml").write_text(
        "{name: names, use: 'deepeval:tool_correctness', options: {evaluation_params: none}}", encoding="utf-8"
    )
    (tmp_path / "tracegrade.yaml").write_text(
        "evaluators: [{name: mine, use: 'deepeval:tool_correctness', options: {should_exact_match: true}}]",
        encoding="utf-8",
    )
    words = ("evaluate", "-d", "records.jsonl", "--evaluator", "names.yaml", "--evaluator", "mine", "-o", "out.json")
    done = tracegrade(*words, at=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["summary"] == {"names": 1.0, "mine": 0.0}


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("min", "no evaluator is named 'min'"),
        ("sessions.yaml", "evaluates the scope session"),
        ("query.sql", "is a query over stored runs"),
    ],
    ids=["unknown", "of sessions", "a query"],
)
def test_evaluators_that_records_cannot_have_are_refused(tmp_path: Path, word: str, message: str) -> None:
    (tmp_path / "records.jsonl").write_text('{"query": "q", "generated_response": "a"}', encoding="utf-8")
    (tmp_path / "sessions.yaml").write_text("{use: tool_error, scope: session}", encoding="utf-8")
    (tmp_path / "query.sql").write_text("select agent_trace_id, 1.0 as value from agent_traces", encoding="utf-8")
    done = tracegrade("evaluate", "-d", "records.jsonl", "--evaluator", word, at=tmp_path)
    assert (done.code, message in " ".join(done.err.split())) == (2, True), done.err
