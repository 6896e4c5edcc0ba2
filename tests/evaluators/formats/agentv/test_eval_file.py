"""AgentV's eval files are read in each version, and score runs as its guide on tool trajectory evaluators says."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import yaml

from tracegrade.collector.config.yaml_file import YamlFile
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.formats.agentv.case_evaluator import CaseEvaluator
from tracegrade.evaluators.formats.agentv.eval_case import EvalCase
from tracegrade.evaluators.formats.agentv.eval_file import EvalFile, read_eval_file
from tracegrade.evaluators.formats.agentv.kind import KIND
from tracegrade.evaluators.formats.expectation import Expectation
from tracegrade.evaluators.formats.imported import Imported
from tracegrade.evaluators.formats.record import Record
from tracegrade.evaluators.model import AgentTrace, ExpectedCall, ToolCall

RESEARCH_AGENT = """
    description: Validate research agent tool usage
    execution:
      target: codex_agent  # Provider that returns traces

    evalcases:
      - id: comprehensive-research
        expected_outcome: Agent thoroughly researches the topic

        input_messages:
          - role: user
            content: Research machine learning frameworks

        execution:
          evaluators:
            # Check minimum tool usage
            - name: coverage
              type: tool_trajectory
              mode: any_order
              minimums:
                webSearch: 1
                documentRead: 2
                noteTaking: 1

            # Check workflow order
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
        expected_outcome: Process data through complete pipeline
        input_messages:
          - role: user
            content: Process the customer dataset
        execution:
          evaluators:
            - name: pipeline-check
              type: tool_trajectory
              mode: exact
              expected:
                - tool: loadData
                - tool: validate
                - tool: transform
                - tool: export
"""
TIMED_PIPELINE = """
    evalcases:
      - id: data-pipeline-perf
        expected_outcome: Process data within time limits
        input_messages:
          - role: user
            content: Process the customer dataset quickly
        execution:
          evaluators:
            - name: pipeline-perf
              type: tool_trajectory
              mode: in_order
              expected:
                - tool: loadData
                  max_duration_ms: 1000
                - tool: validate
                - tool: transform
                  max_duration_ms: 500
                - tool: export
                  max_duration_ms: 200
"""


def read_yaml(text: str) -> EvalFile:
    return read_eval_file(yaml.safe_load(dedent(text)))


def make_case(**fields: Any) -> dict[str, Any]:
    return {"id": "c", "expected_outcome": "done", "input_messages": [{"role": "user", "content": "go"}], **fields}


def make_evaluator(name: str = "check", **fields: Any) -> dict[str, Any]:
    return {"name": name, "type": "tool_trajectory", "mode": "exact", "expected": [{"tool": "a"}], **fields}


def call_tools(*calls: str | tuple[str, float | None]) -> AgentTrace:
    """A run that called these tools, some with how long they took."""
    pairs = [(call, None) if isinstance(call, str) else call for call in calls]
    return AgentTrace(tool_calls=tuple(ToolCall(name=name, args={}, duration_ms=time) for name, time in pairs))


def score_case(case: EvalCase, run: AgentTrace) -> dict[str, float | None]:
    return {evaluator.name: _score(evaluator, run) for evaluator in case.evaluators}


def _score(evaluator: CaseEvaluator, run: AgentTrace) -> float | None:
    configured = configure("agentv:tool_trajectory", options=evaluator.options or {})
    (score,) = evaluate(configured, run.model_copy(update={"reference": evaluator.reference}))
    return score.value


def read_records(*values: Any) -> list[Any]:
    return list(KIND.read(Record(f"line {line}", value) for line, value in enumerate(values, 1)))


def test_the_research_agent_of_the_guide_has_two_evaluators_with_expectations_of_their_own() -> None:
    eval_file = read_yaml(RESEARCH_AGENT)
    (case,) = eval_file.cases
    assert (eval_file.description, eval_file.target) == ("Validate research agent tool usage", "codex_agent")
    assert (case.id, case.target, case.input) == (
        "comprehensive-research",
        "codex_agent",
        "Research machine learning frameworks",
    )
    assert score_case(case, call_tools("webSearch", "documentRead", "documentRead", "noteTaking", "summarize")) == {
        "coverage": 1.0,
        "workflow": 1.0,
    }
    assert score_case(case, call_tools("webSearch", "documentRead", "noteTaking", "summarize")) == {
        "coverage": pytest.approx(2 / 3),
        "workflow": 1.0,
    }


@pytest.mark.parametrize(
    ("calls", "value"),
    [
        pytest.param(("loadData", "validate", "transform", "export"), 1.0, id="as expected"),
        pytest.param(("loadData", "transform", "export"), 1 / 4, id="without validation, all later ones are misplaced"),
    ],
)
def test_the_pipeline_of_the_guide_is_compared_position_by_position(calls: tuple[str, ...], value: float) -> None:
    (case,) = read_yaml(PIPELINE).cases
    assert score_case(case, call_tools(*calls)) == {"pipeline-check": value}


@pytest.mark.parametrize(
    ("calls", "value"),
    [
        pytest.param([("loadData", 900), "validate", ("transform", 500), ("export", 200)], 1.0, id="in time"),
        pytest.param([("loadData", 900), "validate", ("transform", 500), ("export", 201)], 6 / 7, id="export too slow"),
        pytest.param(
            [("loadData", 900), "validate", ("export", 200)], 3 / 7, id="no transform: its limit is missed too"
        ),
    ],
)
def test_each_limit_of_the_timed_pipeline_is_an_aspect_of_its_own(calls: list[Any], value: float) -> None:
    (case,) = read_yaml(TIMED_PIPELINE).cases
    assert score_case(case, call_tools(*calls))["pipeline-perf"] == pytest.approx(value)


@pytest.mark.parametrize(
    ("block", "runs"),
    [
        pytest.param(
            {"mode": "any_order", "minimums": {"knowledgeSearch": 2, "documentRetrieve": 1}},
            {
                ("knowledgeSearch", "knowledgeSearch", "documentRetrieve"): 1.0,
                ("knowledgeSearch", "documentRetrieve"): 0.5,
                ("other",): 0.0,
            },
            id="minimums",
        ),
        pytest.param(
            {"mode": "in_order", "expected": ["fetchData", "validateSchema", "transformData", "saveResults"]},
            {
                ("fetchData", "log", "validateSchema", "transformData", "log", "saveResults"): 1.0,
                ("fetchData", "validateSchema", "transformData"): 3 / 4,
                ("fetchData", "transformData", "saveResults"): 1 / 4,
            },
            id="in order",
        ),
        pytest.param(
            {"mode": "exact", "expected": ["checkCredentials", "generateToken", "auditLog"]},
            {
                ("checkCredentials", "generateToken", "auditLog"): 1.0,
                ("checkCredentials", "auditLog", "generateToken"): 1 / 3,
                ("log", "checkCredentials", "generateToken", "auditLog"): 0.0,
                ("checkCredentials", "generateToken", "auditLog", "log"): 3 / 4,
            },
            id="exact",
        ),
        pytest.param(
            {"mode": "exact", "expected": ["checkCredentials"], "strict": False},
            {("checkCredentials", "log"): 1.0, ("log", "checkCredentials"): 0.0},
            id="exact that is not strict",
        ),
    ],
)
def test_the_modes_of_the_guide_score_as_it_says(block: dict[str, Any], runs: dict[tuple[str, ...], float]) -> None:
    if "expected" in block:
        block = {**block, "expected": [{"tool": name} for name in block["expected"]]}
    evaluator = {"name": "check", "type": "tool_trajectory", **block}
    (case,) = read_eval_file({"evalcases": [make_case(execution={"evaluators": [evaluator]})]}).cases
    for calls, value in runs.items():
        assert score_case(case, call_tools(*calls))["check"] == pytest.approx(value), calls


def test_evaluators_that_agree_become_the_expectation_of_an_item_and_each_keeps_its_own() -> None:
    (entry,) = KIND.read([Record("line 1", yaml.safe_load(dedent(RESEARCH_AGENT)))])
    assert isinstance(entry, Imported)
    assert (entry.place, entry.id, entry.input) == (
        "line 1, evalcases[0]",
        "comprehensive-research",
        "Research machine learning frameworks",
    )
    assert entry.expectation is not None
    assert entry.expectation.minimums == {"webSearch": 1, "documentRead": 2, "noteTaking": 1}
    assert [call.name for call in entry.expectation.expected_tool_calls or ()] == [
        "webSearch",
        "documentRead",
        "summarize",
    ]
    assert entry.expectation.tasks == ("Agent thoroughly researches the topic",)
    assert [(one["use"], one["name"], one["options"]["mode"], list(one["expected"])) for one in entry.evaluators] == [
        ("agentv:tool_trajectory", "coverage", "any_order", ["minimums"]),
        ("agentv:tool_trajectory", "workflow", "in_order", ["expected_tool_calls"]),
    ]


def test_what_two_evaluators_expect_differently_is_left_to_each_of_them() -> None:
    blocks = [make_evaluator("first"), make_evaluator("second", expected=[{"tool": "b"}])]
    (case,) = read_eval_file({"evalcases": [make_case(execution={"evaluators": blocks})]}).cases
    assert case.expectation is not None
    assert case.expectation.expected_tool_calls is None
    assert score_case(case, call_tools("b")) == {"first": 0.0, "second": 1.0}


@pytest.mark.parametrize(
    ("fields", "expected_names"),
    [
        pytest.param({"evalcases": [make_case()]}, ["of the file"], id="version 2, none of its own"),
        pytest.param(
            {"evalcases": [make_case(execution={"evaluators": [make_evaluator("own")]})]}, ["own"], id="version 2, own"
        ),
        pytest.param(
            {"tests": [make_case(assertions=[make_evaluator("own")])]}, ["own", "of the file"], id="later, both"
        ),
        pytest.param(
            {"tests": [make_case(assertions=[make_evaluator("own")], execution={"skip_defaults": True})]},
            ["own"],
            id="later, without the defaults",
        ),
    ],
)
def test_evaluators_of_the_file_count_as_in_its_version(fields: dict[str, Any], expected_names: list[str]) -> None:
    (case,) = read_eval_file({**fields, "execution": {"evaluators": [make_evaluator("of the file")]}}).cases
    assert [evaluator.name for evaluator in case.evaluators] == expected_names


def test_a_case_of_version_4_has_criteria_input_and_expected_output() -> None:
    (case,) = read_yaml("""
        name: suite
        tests:
          - id: t1
            criteria: It answers
            input: What is 2+2?
            expected_output: "4"
            assertions:
              - type: tool-trajectory
                mode: exact
                args_match: subset
                expected: [{tool: add, args: {a: 2}}]
              - type: contains
                value: "4"
              - It is polite
    """).cases
    assert (case.input, case.expected_outcome) == ("What is 2+2?", "It answers")
    assert case.expectation is not None
    assert case.expectation.expected_response == "4"
    trajectory, contains, criterion = case.evaluators
    assert trajectory.options == {"era": "v4", "mode": "exact", "args_match": "subset"}
    assert (contains.options, contains.block["value"]) == (None, "4")
    assert criterion.block["prompt"] == "It is polite"


def test_members_of_a_composite_evaluator_are_read() -> None:
    composite = {"name": "both", "type": "composite", "evaluators": [make_evaluator()], "aggregator": {"type": "max"}}
    (case,) = read_eval_file({"evalcases": [make_case(execution={"evaluators": [composite]})]}).cases
    (evaluator,) = case.evaluators
    assert [member.options for member in evaluator.members] == [{"era": "v2", "mode": "exact"}]
    assert case.expectation is not None
    assert [call.name for call in case.expectation.expected_tool_calls or ()] == ["a"]


def test_messages_with_roles_and_files_stay_whole() -> None:
    content = [{"type": "text", "value": "Review"}, {"type": "file", "value": "notes/a.md"}]
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": content}]
    data = {"evalcases": [make_case(input_messages=messages)]}
    (case,) = read_eval_file(data).cases
    assert case.question == "Be brief. Review"
    assert isinstance(case.input, dict)
    assert case.input["messages"][0] == {"role": "system", "content": "Be brief."}
    assert case.input["messages"][1]["content"][1]["content"] == {"type": "file", "value": "notes/a.md"}
    (whole,) = read_eval_file(data, read_file={"notes/a.md": "text of a"}.__getitem__).cases
    assert whole.question == "Be brief. Review\ntext of a"


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "a/../../b", "C:\\secret", "..\\secret"])
def test_a_file_outside_of_the_folder_is_refused_before_it_is_opened(path: str) -> None:
    content = [{"type": "file", "value": path}]
    data = {"evalcases": [make_case(input_messages=[{"role": "user", "content": content}])]}
    eval_file = read_eval_file(data, read_file=lambda _: pytest.fail("it was opened"))
    (fault,) = eval_file.faults
    assert "input_messages[0].content[0].value" in fault.reason
    assert "outside of the folder" in fault.reason


def test_expected_messages_with_calls_are_an_expected_trajectory() -> None:
    messages = [
        {"role": "assistant", "tool_calls": [{"tool": "search", "input": {"q": "x"}}]},
        {"role": "assistant", "content": "found"},
    ]
    (case,) = read_eval_file({"evalcases": [make_case(expected_messages=messages)]}).cases
    assert case.expectation is not None
    assert case.expectation.expected_response == "found"
    assert [call.name for message in case.expectation.expected_trajectory or () for call in message.tool_calls] == [
        "search"
    ]


def test_faults_name_the_line_of_their_evaluator_and_the_others_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "cases.yaml"
    path.write_text(
        dedent("""
            evalcases:
              - id: good
                expected_outcome: done
                input_messages: [{role: user, content: go}]
              - id: bad
                expected_outcome: done
                input_messages: [{role: user, content: go}]
                execution:
                  evaluators: [{name: x, type: tool_trajectory, mode: banana}]
        """)
    )
    source = YamlFile(path)
    eval_file = read_eval_file(source.value, source.place)
    assert [case.id for case in eval_file.cases] == ["good"]
    (fault,) = eval_file.faults
    assert fault.place == f"{path}, line 10"
    assert fault.reason.startswith("execution.evaluators[0]: mode: 'banana' is not one of any_order")


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        pytest.param([], "the case is a list", id="no object"),
        pytest.param(make_case(id=None), "id is missing", id="no id"),
        pytest.param(make_case(input_messages=None), "input_messages is missing", id="no input"),
        pytest.param(make_case(input_messages=[]), "input_messages is empty", id="empty input"),
        pytest.param(make_case(input_messages=[{"content": "x"}]), "input_messages[0].role is null", id="no role"),
        pytest.param(make_case(expected_outcome=7), "expected_outcome is a number", id="outcome is no text"),
        pytest.param(make_case(expected_outcome=None), "nothing is expected", id="nothing expected"),
        pytest.param(
            make_case(execution={"evaluators": {}}), "execution.evaluators is an object", id="evaluators are no list"
        ),
        pytest.param(
            make_case(execution={"evaluators": [{"name": "x"}]}), "execution.evaluators[0] has no type", id="no type"
        ),
        pytest.param(
            make_case(evaluators=[make_evaluator(type="tool_trajectry")]),
            "evaluators[0].type: there is no type 'tool_trajectry' (did you mean 'tool_trajectory'?)",
            id="misspelt type",
        ),
        pytest.param(
            make_case(evaluators=[make_evaluator(weight="2")]), "evaluators[0].weight is not a number", id="weight"
        ),
    ],
)
def test_a_fault_in_a_case_names_the_field(case: Any, reason: str) -> None:
    (fault,) = read_eval_file({"evalcases": [case]}).faults
    assert fault.place == "evalcases[0]"
    assert fault.reason.startswith(reason)


def test_the_second_of_two_cases_with_one_id_is_a_fault() -> None:
    eval_file = read_eval_file({"evalcases": [make_case(), make_case()]})
    assert len(eval_file.cases) == 1
    assert [(fault.place, fault.reason) for fault in eval_file.faults] == [
        ("evalcases[1]", "id: 'c' is also that of evalcases[0]")
    ]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param([], "the file is a list", id="no object"),
        pytest.param({}, "neither tests nor evalcases", id="no cases"),
        pytest.param({"tests": "cases.jsonl"}, "tests is not a list", id="cases elsewhere"),
        pytest.param({"tests": [], "prompts": ["{{ input }}"]}, "an eval file of AgentV 5", id="version 5"),
        pytest.param({"tests": [], "assert": {}}, "assert is an object", id="assertions are no list"),
    ],
)
def test_a_file_that_is_none_is_refused(data: Any, reason: str) -> None:
    with pytest.raises(ValueError) as refusal:
        read_eval_file(data)
    assert reason in str(refusal.value)


def test_items_are_written_as_cases_that_read_the_same() -> None:
    expectation = Expectation(
        expected_tool_calls=(
            ExpectedCall(name="search", args={"q": "x"}, max_duration_ms=5),
            ExpectedCall(name="save"),
        ),
        minimums={"search": 1},
        expected_response="done",
        tasks=("It searches",),
    )
    item = Imported("line 1", id="c", input="go", expectation=expectation, metadata={"team": "a"})
    assert KIND.write is not None
    (line,) = KIND.write([item])
    (entry,) = read_records(json.loads(line))
    assert (entry.id, entry.input, entry.expectation) == ("c", "go", expectation)
    assert entry.metadata == {"metadata": {"team": "a"}}
    assert [evaluator["options"]["mode"] for evaluator in entry.evaluators] == ["in_order", "any_order"]


def test_cases_may_be_lines_of_their_own() -> None:
    entries = read_records(make_case(), {"id": "later", "criteria": "done", "input": "go"}, {"id": "x"})
    assert [entry.id for entry in entries[:2]] == ["c", "later"]
    assert (entries[2].place, entries[2].reason) == (
        "line 3",
        "input_messages is missing; write the messages that the agent gets",
    )
