from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.support.polling import until

from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.catalog.specification import WrongSpec
from tracegrade.evaluators.conversation import ConversationTrajectory
from tracegrade.evaluators.definition.function_path import import_function
from tracegrade.evaluators.definition.score_record import ScoreRecord, Target
from tracegrade.evaluators.execution.run import InProcessWorkbench, evaluate
from tracegrade.evaluators.model import AgentTrace, ExpectedCall, Message, Reference, TextPart, ToolCall, ToolDefinition

RUN = AgentTrace(
    agent_trace_id="t-1",
    input="What is 15 + 27?",
    messages=(Message(role="user", parts=(TextPart(content="What is 15 + 27?"),)),),
    final_response='42; it\'s "so" $HOME `id`',
    tool_calls=(ToolCall(name="add", args={"a": 15, "b": 2**70, "c": float("nan")}, result="42", duration_ms=3.5),),
    reference=Reference(
        expected_tool_calls=(ExpectedCall(name="add"),),
        expected_response="42",
        tasks=("add", "answer"),
        source="dataset",
    ),
)


def program(code: str, *arguments: str, **spec: Any) -> Any:
    """An evaluator that is a Python program, which knows `sys` and `json`."""
    command = [sys.executable, "-c", f"import sys, json\n{code}", *arguments]
    return build({"command": command, "name": "program", **spec}, resolve=import_function)


def evaluate_program(code: str, *arguments: str, run: AgentTrace = RUN, **spec: Any) -> ScoreRecord:
    [score] = evaluate(program(code, *arguments, **spec), run)
    return score


def is_over(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def heard(run: AgentTrace = RUN, **spec: Any) -> dict[str, Any]:
    """What a program gets on stdin."""
    score = evaluate_program(
        "print(json.dumps({'value': 1, 'details': {'heard': json.load(sys.stdin)}}))", run=run, **spec
    )
    found: Any = score.details["heard"]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    ("written", "value", "label", "status"),
    [
        pytest.param("0.5", 0.5, None, "scored", id="number"),
        pytest.param("true", 1.0, None, "scored", id="bool"),
        pytest.param('"polite"', None, "polite", "scored", id="label"),
        pytest.param("null", None, None, "skipped", id="null"),
        pytest.param('{"value": 0.25, "label": "poor"}', 0.25, "poor", "scored", id="fields-of-a-score"),
        pytest.param('{"status": "skipped", "reason": "off"}', None, None, "skipped", id="skipped"),
        pytest.param('{"score": 0.75, "hits": [], "misses": []}', 0.75, None, "scored", id="agentv"),
        pytest.param("\n 0.5 \n", 0.5, None, "scored", id="space-around"),
        pytest.param("1.5", None, None, "error", id="beyond-1"),
        pytest.param('{"score": "good"}', None, None, "error", id="no-number"),
        pytest.param('{"vlaue": 1}', None, None, "error", id="no-field"),
        pytest.param("[1]", None, None, "error", id="list"),
        pytest.param("fine", None, None, "error", id="no-json"),
        pytest.param("", None, None, "error", id="nothing"),
    ],
)
def test_what_a_program_writes_becomes_a_score(
    written: str, value: float | None, label: str | None, status: str
) -> None:
    score = evaluate_program("sys.stdout.write(sys.argv[1])", written)
    assert (score.value, score.label, score.status) == (value, label, status)


def test_words_of_agentv_are_kept() -> None:
    answer = {
        "score": 0.5,
        "hits": ["adds"],
        "misses": ["explains"],
        "reasoning": "half of it",
        "details": {"checks": 2},
        "assertions": [{"text": "adds", "passed": True}],
    }
    score = evaluate_program("print(sys.argv[1])", json.dumps(answer))
    assert (score.value, score.explanation) == (0.5, "half of it")
    assert score.details == {
        "hits": ["adds"],
        "misses": ["explains"],
        "checks": 2,
        "assertions": [{"text": "adds", "passed": True}],
    }


def test_program_hears_the_run_and_what_was_expected_of_it() -> None:
    told = heard()
    assert AgentTrace.model_validate({name: told[name] for name in ("agent_trace_id", "input", "final_response")})
    assert told["tool_calls"][0]["args"] == {"a": 15, "b": 2**70, "c": None}
    assert told["reference"]["expected_tool_calls"][0]["name"] == "add"
    assert told["config"] == {}


def test_program_hears_agentvs_words_too() -> None:
    told = heard()
    assert told["question"] == "What is 15 + 27?"
    assert told["answer"] == told["candidate_answer"] == RUN.final_response
    assert told["criteria"] == told["expected_outcome"] == "add\nanswer"
    assert told["reference_answer"] == "42"
    assert told["output_messages"][-1]["tool_calls"][0]["tool"] == "add"


def test_program_hears_of_a_run_that_nobody_expected_anything_of() -> None:
    told = heard(AgentTrace())
    assert (told["reference"], told["criteria"], told["reference_answer"]) == (None, "", None)


def test_options_stand_under_config() -> None:
    assert heard(options={"limit": 3})["config"] == {"limit": 3}


def test_program_hears_of_a_tool() -> None:
    tool = ToolDefinition(name="search", description="Searches.")
    judge = program("print(json.dumps(json.load(sys.stdin)['name']))", scope="tool")
    [score] = InProcessWorkbench().evaluate([tool], [judge])
    assert (score.label, score.target_id) == ("search", f"tool:{tool.hash}")


TOOL = ToolDefinition(name="search", description="Searches.")
SEARCHED = RUN.model_copy(update={"tool_calls": (ToolCall.of("search"), ToolCall.of("book"))})


@pytest.mark.parametrize(
    ("scope", "target", "answers"),
    [
        pytest.param("tool_call", SEARCHED, 2, id="calls"),
        pytest.param("tool", TOOL, None, id="tool"),
        pytest.param("session", ConversationTrajectory.of([RUN]), None, id="session"),
    ],
)
def test_options_stand_under_config_whatever_is_judged(scope: str, target: Target, answers: int | None) -> None:
    code = "answer = {'value': 1, 'details': json.load(sys.stdin)['config']}"
    written = f"[answer] * {answers}" if answers else "answer"
    judge = program(f"{code}\nprint(json.dumps({written}))", scope=scope, options={"level": 3})
    assert [one.details for one in evaluate(judge, target)] == [{"level": 3}] * (answers or 1)


def test_program_hears_the_turns_of_a_session() -> None:
    judge = program("print(json.dumps(json.load(sys.stdin)['turns'][1]['input']))", scope="session")
    again = RUN.model_copy(update={"input": "And 1 more?"})
    [score] = evaluate(judge, ConversationTrajectory((RUN, again)))
    assert score.label == "And 1 more?"


@pytest.mark.parametrize(
    ("written", "told"),
    [
        pytest.param("[true, 0.25]", [("t-1#0", 1.0, "scored"), ("t-1#1", 0.25, "scored")], id="one-a-call"),
        pytest.param(
            '[{"score": 0, "misses": ["x"]}, null]',
            [("t-1#0", 0.0, "scored"), ("t-1#1", None, "skipped")],
            id="in-words-of-agentv",
        ),
        pytest.param("[true]", [("t-1", None, "error")], id="too-few"),
        pytest.param("true", [("t-1", None, "error")], id="one-for-all"),
    ],
)
def test_program_that_judges_calls_writes_a_list(written: str, told: list[Any]) -> None:
    judge = program("sys.stdout.write(sys.argv[1])", written, scope="tool_call")
    assert [(one.target_id, one.value, one.status) for one in evaluate(judge, SEARCHED)] == told


def test_no_shell_reads_the_arguments() -> None:
    words = ["$HOME", "; exit 1", "`id`", "a b", "*"]
    assert evaluate_program("print(json.dumps(' '.join(sys.argv[1:])))", *words).label == " ".join(words)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        pytest.param("sys.exit('no licence')", f"NoAnswer: {sys.executable} ended with code 1: no licence", id="code"),
        pytest.param("print(1); sys.exit(3)", "ended with code 3: it wrote nothing to stderr", id="answer-and-code"),
        pytest.param("import os, signal; os.kill(os.getpid(), 9)", "ended with code -9", id="killed"),
        pytest.param("print('fine')", "wrote 'fine', which is not JSON", id="no-json"),
        pytest.param("pass", "wrote nothing; write JSON to stdout", id="nothing"),
        pytest.param("sys.stderr.write('x' * 9999 + 'the end'); sys.exit(1)", "xthe end", id="end-of-a-long-complaint"),
        pytest.param("sys.stdout.buffer.write(b'\\xff')", "which is not JSON", id="no-text"),
    ],
)
def test_program_that_fails_is_an_error_that_says_why(code: str, reason: str) -> None:
    score = evaluate_program(code)
    assert (score.status, score.value) == ("error", None)
    assert reason in (score.reason or "")
    assert len(score.reason or "") < 700


def test_program_need_not_listen() -> None:
    long = RUN.model_copy(update={"final_response": "x" * 2**20})
    assert evaluate_program("print(1)", run=long).value == 1.0


def test_program_may_say_much_before_it_hears_anything() -> None:
    score = evaluate_program("print(json.dumps('x' * 2**20)); sys.stderr.write('y' * 2**20); sys.stdin.read()")
    assert len(score.label or "") == 2**20


def test_program_that_takes_too_long_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    note = tmp_path / "child"
    code = f"""
import subprocess
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open({str(note)!r}, "w").write(str(child.pid))
child.wait()
"""
    score = evaluate_program(code, timeout_s=1.0)
    assert (score.status, score.reason) == ("error", "TimeoutError: took longer than 1 s")
    until(lambda: is_over(int(note.read_text())))


def test_answer_counts_though_the_program_left_something_behind_which_is_ended(tmp_path: Path) -> None:
    note = tmp_path / "child"
    code = f"""
import subprocess
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open({str(note)!r}, "w").write(str(child.pid))
print(0.5)
"""
    assert evaluate_program(code).value == 0.5
    until(lambda: is_over(int(note.read_text())))


def test_file_that_cannot_be_executed_is_refused_with_what_to_do(tmp_path: Path) -> None:
    script = tmp_path / "judge.py"
    script.write_text("print(1)")
    with pytest.raises(WrongSpec, match=r"judge\.py cannot be executed; chmod \+x it, or name its interpreter"):
        build({"command": [str(script)], "name": "legacy"}, resolve=import_function)
