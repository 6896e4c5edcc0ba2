"""What users import from `tracegrade.evaluators`: all of it is there, quick to import, and typed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.contract.test_packaging import build

import tracegrade.evaluators

ROOT = Path(__file__).parents[2]
CONSUMER = '''
from tracegrade.evaluators import (
    AgentTrace, Configured, ExpectedCall, Options, Reference, Score, TestCase, ToolCall, build, configure, evaluate,
    evaluator,
)


@evaluator("short_answer", version=1, source="our style guide")
class ShortAnswer(Options):
    """Is the answer short?"""

    words: int = 100

    def __call__(self, trace: AgentTrace) -> Score | None:
        if trace.final_response is None:
            return None
        return Score(value=float(len(trace.final_response.split()) <= self.words))


run = AgentTrace(tool_calls=(ToolCall(name="search"),), final_response="Done.")
case = TestCase(input="Find it", run=run, expected_tool_calls=(ExpectedCall(name="search"),))
reference: Reference | None = case.trace.reference
made: list[Configured] = [configure("tool_error"), build({"use": "run_completion"})]
for each in made:
    for score in evaluate(each, run):
        reveal_type(score.value)
'''
LIGHT = "import sys, tracegrade.evaluators; print(sorted({'pydantic', 'orjson', 'duckdb'} & sys.modules.keys()))"


@pytest.mark.parametrize("name", tracegrade.evaluators.__all__)
def test_name_is_there(name: str) -> None:
    assert getattr(tracegrade.evaluators, name).__name__ == name
    assert name in dir(tracegrade.evaluators)


def test_other_names_are_refused_as_by_any_module() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Evaluator'"):
        _ = tracegrade.evaluators.Evaluator


def test_nothing_is_imported_before_it_is_used() -> None:
    done = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[]\n"


def test_consumer_of_the_installed_wheel_is_checked_strictly(tmp_path: Path) -> None:
    wheel = build(ROOT, "wheel", tmp_path / "wheel")
    python = tmp_path / "venv/bin/python"
    (tmp_path / "consumer.py").write_text(CONSUMER, encoding="utf-8")
    for command in (
        ["uv", "venv", "-q", "--python", sys.executable, str(python.parents[1])],
        ["uv", "pip", "install", "-q", "--python", str(python), str(wheel)],
    ):
        subprocess.run(command, check=True, capture_output=True, timeout=120, cwd=tmp_path)
    mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "--config-file", ""]
    done = subprocess.run(
        [*mypy, "--python-executable", str(python), "consumer.py"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout
    assert 'Revealed type is "float | None"' in done.stdout.replace("Union[float, None]", "float | None").replace(
        "builtins.", ""
    )
