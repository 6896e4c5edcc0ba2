from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .__main__ import main
from .conventions.catalog import CONVENTIONS
from .export import export
from .story import Agent, Fault, Story, answers, asks, call, tool, user
from .write import contents, plain, stories

pytestmark = pytest.mark.exhaustive  # each test runs the whole command

AGENT = Agent("support", (tool("get_order", "Look up an order", order_id="string"),))
FINE = asks(call("get_order", {"order_id": "W1"}, {"status": "shipped"}))
FAILED = asks(call("get_order", {"order_id": "W1"}, fault=Fault("TimeoutError", "orders-api timed out")))
STORIES = [(trade, story) for trade, told in stories().items() for story in told]


def put(folder: Path, name: str, step: Any, failing: list[str], *, told_as: str | None = None) -> None:
    """A run in the folder, with its label; the name that its ids follow from is `told_as`."""
    steps = (user("Where is my order?"), step, answers("It will arrive on Friday."))
    story = Story(told_as or name, "genai", AGENT, steps, tuple(failing), "for this test")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.traces.pb").write_bytes(export(story, CONVENTIONS["genai"]).traces)
    (folder / f"{name}.label.json").write_text(json.dumps({"failing": failing, "why": story.why}), encoding="utf-8")


def figures(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_right_files_end_with_0_wherever_they_are_below_the_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path / "a", "fine", FINE, [])
    put(tmp_path / "b" / "c", "bad", FAILED, ["tool_error"])

    assert main([str(tmp_path), "--json"]) == 0
    printed = figures(capsys)
    assert (printed["files"], printed["right"], printed["share"], printed["fine"], printed["bad"]) == (2, 2, 1.0, 1, 1)
    assert printed["evaluators"]["tool_error"] == {"right": 2, "false_alarms": 0, "misses": 0}
    assert printed["wrong"] == []


def test_false_alarm_and_miss_end_with_1_and_name_label_and_explanation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path, "alarm", FAILED, [])
    put(tmp_path, "silent", FINE, ["tool_error"])

    assert main([str(tmp_path)]) == 1
    printed = capsys.readouterr().out
    assert "alarm: expected none, got tool_error\n    label: for this test\n    false alarm, tool_error: " in printed
    assert "silent: expected tool_error, got none\n    label: for this test\n    miss, tool_error: " in printed
    assert "1 of 1 fine runs got a failing score\n1 of 1 bad runs got none\n" in printed


def test_wrong_files_are_counted_by_evaluator(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path, "alarm", FAILED, [])
    put(tmp_path, "silent", FINE, ["tool_error"])
    put(tmp_path, "right", FAILED, ["tool_error"])

    main([str(tmp_path), "--json"])

    printed = figures(capsys)
    assert printed["evaluators"]["tool_error"] == {"right": 1, "false_alarms": 1, "misses": 1}
    assert printed["evaluators"]["tool_efficiency"] == {"right": 3, "false_alarms": 0, "misses": 0}
    assert printed["wrong"] == [
        {"name": "alarm", "expected": [], "actual": ["tool_error"]},
        {"name": "silent", "expected": ["tool_error"], "actual": []},
    ]


def test_one_false_alarm_in_many_files_is_too_many_above_three_percent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path, "alarm", FAILED, [])
    for number in range(22):
        put(tmp_path, f"fine {number}", FINE, [])

    assert main([str(tmp_path), "--json"]) == 1
    assert figures(capsys)["share"] > 0.95


def test_files_with_the_same_trace_are_told_apart(tmp_path: Path) -> None:
    put(tmp_path, "first", FINE, [], told_as="the same")
    put(tmp_path, "second", FAILED, ["tool_error"], told_as="the same")

    assert main([str(tmp_path)]) == 0


def test_label_may_name_an_evaluator_that_is_not_a_default(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path, "bad", FINE, ["dokimos:tool_error"])

    assert main([str(tmp_path), "--json"]) == 1
    assert figures(capsys)["evaluators"]["dokimos:tool_error"]["misses"] == 1


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ('{"failing": ["tool_eror"], "why": ""}', "no evaluator is named 'tool_eror'"),
        ('{"failing": "tool_error", "why": ""}', "`failing` is not a list"),
        ('{"failing": []}', "`why` is not a text"),
        ("{failing", "not valid JSON"),
    ],
    ids=["unknown evaluator", "no list", "no reason", "no JSON"],
)
def test_label_that_cannot_be_read_ends_with_2_and_names_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], label: str, expected: str
) -> None:
    put(tmp_path, "bad", FAILED, [])
    (tmp_path / "bad.label.json").write_text(label, encoding="utf-8")

    assert main([str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert "bad.label.json" in error
    assert expected in error


def test_label_without_a_run_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path, "bad", FAILED, [])
    (tmp_path / "bad.traces.pb").unlink()

    assert main([str(tmp_path)]) == 2
    assert "there is no bad.traces.pb beside it" in capsys.readouterr().err


def test_folder_without_labels_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err


def test_file_that_is_not_otlp_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path, "bad", FAILED, [])
    (tmp_path / "bad.traces.pb").write_bytes(b"\xff\xff\xff\xff\xff")

    assert main([str(tmp_path)]) == 2
    assert "bad.traces.pb" in capsys.readouterr().err


@pytest.mark.parametrize(("trade", "story"), STORIES, ids=lambda value: value if isinstance(value, str) else value.name)
def test_files_hold_what_their_story_tells(trade: str, story: Story) -> None:
    for file, content in contents(trade, story).items():
        assert file.exists(), "run `python -m tests.labelled.write`"
        assert plain(file) == content, "run `python -m tests.labelled.write`"


def test_names_are_unique() -> None:
    names = [story.name for _, story in STORIES]

    assert len(names) == len(set(names))
