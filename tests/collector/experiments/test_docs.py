"""The examples of the page on experiments work as they stand."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.support.llm import llm
from tests.support.traced_agent import book

from tracegrade.evaluators.experiments.item import DatasetItem

PAGE = Path(__file__).parents[3] / "collector/docs/experiments.md"
BLOCKS = re.findall(r"^```py\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_examples_of_the_page_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    call = {"name": "book", "args": {"city": "Rome"}}
    items = [DatasetItem.model_validate({"input": city, "expected_tool_calls": [call]}) for city in ("Paris", "Rome")]
    (tmp_path / "refunds.jsonl").write_text("\n".join(each.model_dump_json(exclude_none=True) for each in items))
    calls = [{"name": "book", "args": {}}]
    sample = {"user_input": "x", "reference_tool_calls": calls, "trace": {"messages": [{"role": "ai"}]}}
    (tmp_path / "samples.json").write_text(json.dumps({"samples": [sample]}))
    agent = ModuleType("my_agent")
    agent.answer = book  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "my_agent", agent)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.chdir(tmp_path)
    run, commands, endpoints, models, recorded, judged, compare, trend = BLOCKS
    names: dict[str, object] = {}
    judged_names: dict[str, Any] = {}
    exec(run, names)
    exec(commands, {})
    exec(endpoints, {})
    exec(models, {})
    exec(recorded, {})
    with llm(lambda _: '{"reasoning": "it did", "score": 1}') as server:
        exec(judged.replace("http://127.0.0.1:11434/v1", server.url), judged_names)
    exec(compare, both := {"before": names["result"], "after": names["result"]})
    exec(trend, both)
    assert [score.value for each in judged_names["result"].runs for score in each.scores] == [1.0, 1.0]
    printed = capsys.readouterr().out
    assert "new prompt: 2 items, 6 runs, 0 errors" in printed
    assert "new prompt → new prompt: 2 items in both" in printed
    assert "2 experiments: 2 items in all of them" in printed
