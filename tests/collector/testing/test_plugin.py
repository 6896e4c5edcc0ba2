"""The pytest plugin, in a pytest of its own as users run it. These tests need the extra `pytest`, and no server."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.pytest_session import run_pytest

pytestmark = pytest.mark.exhaustive  # each test runs pytest in a process of its own


def test_test_gets_the_run_of_its_agent(tmp_path: Path) -> None:
    ended = run_pytest(
        tmp_path,
        """
from tracegrade.evaluators import assert_scores
from tracegrade.evaluators.named import tool_trajectory

def test_it_searches(agent_capture):
    run_agent("Fly to Paris")
    assert agent_capture.run.input == "Fly to Paris"
    assert_scores(agent_capture.run, tool_trajectory(), expected_tool_calls=["search"])

def test_it_asks_nothing_of_others(agent_capture):
    assert agent_capture.runs == ()
""",
    )
    assert (ended.code, ended.summary) == (0, "2 passed"), ended.text


def test_failure_shows_the_calls_and_nothing_of_ours(tmp_path: Path) -> None:
    ended = run_pytest(
        tmp_path,
        """
from tracegrade.evaluators import assert_scores

def test_it_books(agent_capture):
    run_agent("Fly to Paris")
    assert_scores(agent_capture.run, "tool_trajectory", expected_tool_calls=["search", "book"])
""",
    )
    assert (ended.code, ended.summary) == (1, "1 failed"), ended.text
    assert "1 score of 1 evaluator did not pass on travel: Fly to Paris" in ended.text
    assert "= search()  search(…)" in ended.text
    assert "-           book(…)" in ended.text
    assert "assertion.py" not in ended.text


DATASET = """
import pytest
from tracegrade.evaluators import assert_scores

@pytest.mark.tracegrade_dataset("trips.jsonl", split="test")
def test_item(agent_capture, item):
    run_agent(item.input)
    assert_scores(agent_capture.run, "tool_trajectory", **item.defined)
"""
ITEMS = """
{"id": "fly", "input": "Fly to Paris", "expected_tool_calls": ["search"], "split": "test"}
{"id": "talk", "input": "Hello", "expected_tool_calls": [], "split": "test"}
{"id": "other", "input": "Bye", "expected_tool_calls": [], "split": "train"}
"""


def test_test_runs_for_each_item_of_a_dataset(tmp_path: Path) -> None:
    (tmp_path / "trips.jsonl").write_text(ITEMS, encoding="utf-8")
    ended = run_pytest(tmp_path, DATASET, "-v")
    assert (ended.code, ended.summary) == (1, "1 failed, 1 passed"), ended.text
    assert "test_item[fly] PASSED" in ended.text
    assert "test_item[talk] FAILED" in ended.text


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (None, "trips.jsonl cannot be read: No such file or directory"),
        (
            '{"input": "a"}\n{"inptu": "b"}',
            "trips.jsonl: line 2: input: it is missing; inptu: there is no such field",
        ),
        ('{"input": "a"}', "trips.jsonl: no item is in the split 'test'"),
        ('{"input": "\xe4"}', "trips.jsonl: line 1: byte 0xe4 at column 12 is not UTF-8; save the file as UTF-8"),
    ],
    ids=["absent", "misspelt", "no item", "latin 1"],
)
def test_dataset_that_gives_no_items_is_an_error(tmp_path: Path, items: str | None, message: str) -> None:
    if items is not None:
        (tmp_path / "trips.jsonl").write_text(items, encoding="latin-1")
    ended = run_pytest(tmp_path, DATASET)
    assert ended.code == 2
    assert message in ended.text
    assert "plugin.py" not in ended.text
    assert "Traceback" not in ended.text


@pytest.mark.parametrize(
    ("arguments", "summary"),
    [
        ('"trips.jsonl", "test"', "2 passed"),
        ('"trips.jsonl", "test", ["slow"]', "1 passed"),
        ('"trips.jsonl", tags="slow"', "1 passed"),
        ('file="trips.jsonl"', "3 passed"),
    ],
    ids=["split", "split and tags", "one tag", "all"],
)
def test_marker_takes_its_arguments_by_place_and_by_name(tmp_path: Path, arguments: str, summary: str) -> None:
    (tmp_path / "trips.jsonl").write_text(ITEMS.replace('"id": "fly"', '"id": "fly", "tags": ["slow"]'))
    test = f"import pytest\n@pytest.mark.tracegrade_dataset({arguments})\ndef test_item(item): pass\n"
    ended = run_pytest(tmp_path, test)
    assert (ended.code, ended.summary) == (0, summary), ended.text


@pytest.mark.parametrize(
    ("test", "message"),
    [
        ("@mark('trips.jsonl', splt='test')\ndef test_item(item): pass", "no argument 'splt' (did you mean 'split'?)"),
        ("@mark()\ndef test_item(item): pass", "tracegrade_dataset needs the path of a dataset"),
        ("@mark('trips.jsonl', 'test', split='test')\ndef test_item(item): pass", "got split twice"),
        ("@mark('trips.jsonl', tags=7)\ndef test_item(item): pass", "tags is 7; it is a tag, or a list of them"),
        (
            "@mark('trips.jsonl')\n@mark('trips.jsonl')\ndef test_item(item): pass",
            "marked with tracegrade_dataset twice",
        ),
        (
            "@mark('trips.jsonl')\ndef test_item(): pass",
            "test_item is marked with tracegrade_dataset, but has no argument",
        ),
    ],
    ids=["misspelt", "no file", "twice", "no tags", "stacked", "no item"],
)
def test_marker_that_is_wrong_is_an_error_without_code_of_ours(tmp_path: Path, test: str, message: str) -> None:
    (tmp_path / "trips.jsonl").write_text(ITEMS, encoding="utf-8")
    ended = run_pytest(tmp_path, f"import pytest\nmark = pytest.mark.tracegrade_dataset\n{test}\n")
    assert ended.code == 2, ended.text
    assert message in ended.text
    assert "plugin.py" not in ended.text


def test_marker_of_a_class_applies_to_its_tests_with_an_item(tmp_path: Path) -> None:
    (tmp_path / "trips.jsonl").write_text(ITEMS, encoding="utf-8")
    ended = run_pytest(
        tmp_path,
        """
import pytest

@pytest.mark.tracegrade_dataset("trips.jsonl")
class TestTrips:
    def test_item(self, item): pass
    def test_other(self): pass
    @pytest.mark.tracegrade_dataset("trips.jsonl", "train")
    def test_own(self, item): pass
""",
    )
    assert (ended.code, ended.summary) == (0, "5 passed"), ended.text


def test_tests_in_several_processes_and_async_tests_get_their_own_runs(tmp_path: Path) -> None:
    pytest.importorskip("xdist")
    pytest.importorskip("anyio")
    ended = run_pytest(
        tmp_path,
        """
import anyio, pytest

@pytest.fixture
def anyio_backend():
    return "asyncio"

@pytest.mark.anyio
@pytest.mark.parametrize("city", ["Paris", "Rome", "Oslo"])
async def test_async(agent_capture, city):
    await anyio.sleep(0)
    run_agent(city)
    await anyio.to_thread.run_sync(run_agent, f"{city} in a thread")
    assert [run.input for run in agent_capture.runs] == [city, f"{city} in a thread"]
""",
        "-n",
        "2",
    )
    assert (ended.code, ended.summary) == (0, "3 passed"), ended.text


def test_plugin_imports_nothing_of_ours_before_a_test_needs_it(tmp_path: Path) -> None:
    ended = run_pytest(
        tmp_path,
        """
import sys

def test_nothing():
    ours = sorted(name for name in sys.modules if name.startswith("tracegrade."))
    assert ours == ["tracegrade.collector", "tracegrade.collector.testing", "tracegrade.collector.testing.plugin"]
    assert "pydantic" not in sys.modules
""",
    )
    assert (ended.code, ended.summary) == (0, "1 passed"), ended.text
