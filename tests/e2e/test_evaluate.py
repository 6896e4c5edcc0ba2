"""`tracegrade evaluate` with the files of Floeval's guide."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.command import Done, tracegrade
from tests.support.llm import Asked, llm

SAMPLE = {
    "user_input": "Summarize today's weather for Paris.",
    "reference_outcome": "A short weather summary for Paris.",
    "reference_tool_calls": [{"name": "weather_lookup", "args": {"city": "Paris"}}],
    "trace": {
        "messages": [
            {"role": "human", "content": "Summarize today's weather for Paris."},
            {"role": "ai", "content": "", "tool_calls": [{"name": "weather_lookup", "args": {"city": "Paris"}}]},
            {"role": "tool", "tool_name": "weather_lookup", "content": "Paris: 18C, light rain"},
        ],
        "final_response": "Paris is 18C with light rain today.",
    },
}
CONFIG = """
llm_config:
  base_url: "{url}"
  api_key: "your-api-key"
  chat_model: "gpt-4o-mini"
  chat_endpoint: "chat/completions"
  embedding_model: "text-embedding-3-small"
  embedding_endpoint: "embeddings"
evaluation_config:
  agent_name: "support-agent"
  metrics: ["goal_achievement", "ragas:tool_call_accuracy"]
  metric_params:
    goal_achievement: {{threshold: 0.7}}
"""


def evaluate(folder: Path, *arguments: str) -> Done:
    words = ("evaluate", "-c", "config.yaml", "-d", "agent_dataset.json", "--agent", *arguments)
    return tracegrade(*words, at=folder)


def prepare(folder: Path, *samples: object, config: str = CONFIG, url: str = "http://127.0.0.1:9/v1") -> None:
    (folder / "config.yaml").write_text(config.format(url=url), encoding="utf-8")
    (folder / "agent_dataset.json").write_text(json.dumps({"samples": samples}), encoding="utf-8")


def test_results_are_written_in_floevals_shape(tmp_path: Path) -> None:
    partial = {"user_input": "Say hello.", "reference_tool_calls": []}

    def script(asked: Asked) -> str:
        return "hello" if asked.body["model"] == "support-agent" else json.dumps({"score": 0.9, "reasoning": "fine"})

    with llm(script) as model:
        prepare(tmp_path, SAMPLE, partial, url=model.url)
        done = evaluate(tmp_path, "-o", "agent_results.json")
    assert (done.code, done.err) == (0, "")
    results = json.loads((tmp_path / "agent_results.json").read_text(encoding="utf-8"))
    assert results["summary"]["goal_achievement"] == pytest.approx(0.9)
    first, second = results["sample_results"]
    assert set(first) == {"user_input", "final_response", "reference_outcome", "metrics"}
    assert first["metrics"]["tool_call_accuracy"]["score"] == 1.0
    assert second["final_response"] == "hello"


def test_table_is_printed_without_an_output_file(tmp_path: Path) -> None:
    prepare(tmp_path, SAMPLE, config='evaluation_config:\n  metrics: ["ragas:tool_call_accuracy"]\n')
    done = evaluate(tmp_path)
    assert done.code == 0
    assert done.text.splitlines()[-1] == "tool_call_accuracy 1.000"


def test_nothing_evaluated_is_an_exit_code_of_its_own(tmp_path: Path) -> None:
    sample = {name: value for name, value in SAMPLE.items() if name != "reference_tool_calls"}
    prepare(tmp_path, sample, config='evaluation_config:\n  metrics: ["ragas:tool_call_accuracy"]\n')
    done = evaluate(tmp_path)
    assert done.code == 3
    assert "tool_call_accuracy: not evaluated" in done.text


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("evaluation_config: {metrics: [goal_achievement], agent_nam: x}", "line 1: evaluation_config.agent_nam"),
        ("llm_config: {api_key: k}", "evaluation_config"),
        ("evaluation_config: {metrics: ['ragas:tool_call_f1']}", "add evaluation_config.agent_name"),
        ("evaluation_config: {metrics: [goal_achievment], agent_name: a}", "did you mean 'goal_achievement'"),
    ],
    ids=["misspelt key", "no metrics", "no agent", "misspelt metric"],
)
def test_wrong_configuration_names_the_place(tmp_path: Path, config: str, message: str) -> None:
    prepare(tmp_path, {"user_input": "Say hello."}, config=config.replace("{", "{{").replace("}", "}}"))
    done = tracegrade(
        "evaluate",
        "-c",
        "config.yaml",
        "-d",
        "agent_dataset.json",
        at=tmp_path,
        FLOTORCH_BASE_URL="http://x/",
        FLOTORCH_API_KEY="k",
    )
    assert done.code == 2
    assert message in done.err


def test_wrong_sample_is_named(tmp_path: Path) -> None:
    prepare(tmp_path, SAMPLE, {"trace": {}}, config="evaluation_config: {{metrics: [ragas:tool_call_f1]}}")
    done = evaluate(tmp_path)
    assert done.code == 2
    assert "agent_dataset.json: sample 2: neither user_input nor question is given" in done.err
