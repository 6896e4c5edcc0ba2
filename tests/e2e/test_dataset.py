"""Datasets from the command line: from runs, queries and files, in a store and through the server that holds it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.command import Done, inside, tracegrade
from tests.support.otlp import run_id, trace_id
from tests.support.server import Server, new_trace
from tests.support.store import store_with_runs

QUESTION = "Find a flight to Paris"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a store that has a run."""
    store_with_runs(tmp_path / "tracegrade.duckdb", 1)
    return tmp_path


def dataset(folder: Path, *arguments: str) -> Done:
    return inside("dataset", *arguments, at=folder)


def test_run_becomes_an_item_that_expects_what_it_did(folder: Path) -> None:
    added = dataset(
        folder, "add", "trips", "--run", trace_id(1)[:40], "--expect", "calls", "--tag", "prod", "--author", "ada"
    )
    assert (added.code, added.text, added.err) == (0, "trips: version 1, 1 item (1 added)\n", "")
    (item,) = json.loads(dataset(folder, "show", "trips", "--json").text)
    assert (item["input"], item["tags"]) == (QUESTION, ["prod"])
    assert item["expected_tool_calls"] == [{"name": "search", "args": {"to": "Paris"}}]
    assert item["source"] == {"agent_trace_id": run_id(1), "revision": 1}
    shown = dataset(folder, "show", "trips")
    assert "trips: version 1 (the newest), 1 item" in shown.text
    assert "by ada" in shown.text
    assert QUESTION in shown.text


def test_export_is_read_back_as_the_same_items(folder: Path) -> None:
    (folder / "more.csv").write_text("question,answer,split\nWhere to?,Paris,test\nHow?,By plane,\n", encoding="utf-8")
    added = dataset(folder, "add", "trips", "more.csv", "--run", run_id(1), "--expect", "response", "--split", "train")
    assert added.text == "trips: version 1, 3 items (3 added)\n"
    assert dataset(folder, "export", "trips", "trips.jsonl").text == "trips.jsonl: 3 items of version 1\n"
    again = dataset(folder, "add", "trips", "trips.jsonl")
    assert again.text == "trips: version 1, 3 items (3 unchanged)\n"
    only_test = dataset(folder, "export", "trips", "--split", "test").text
    assert [json.loads(line)["input"] for line in only_test.splitlines()] == ["Where to?"]
    refused = dataset(folder, "export", "trips", "trips.jsonl")
    assert (refused.code, "--replace" in refused.err) == (2, True)
    assert dataset(folder, "export", "trips", "trips.jsonl", "--replace").code == 0


@pytest.mark.parametrize("kind", ["floeval", "gl", "openai", "adk", "dokimos"])
def test_export_for_another_system_is_read_back(folder: Path, kind: str) -> None:
    (folder / "items.jsonl").write_text(
        '{"input": "1", "expected_tool_calls": [{"name": "a", "args": {"x": 1}}], "expected_response": "r"}\n',
        encoding="utf-8",
    )
    dataset(folder, "add", "mine", "items.jsonl")
    assert dataset(folder, "export", "mine", "theirs.json", "--format", kind).code == 0
    assert dataset(folder, "add", "theirs", "theirs.json", "--format", kind).code == 0
    mine, theirs = (json.loads(dataset(folder, "show", name, "--json").text)[0] for name in ("mine", "theirs"))
    fields = ("input", "expected_tool_calls", "expected_response")
    assert [mine[field] for field in fields] == [theirs[field] for field in fields]
    refused = dataset(folder, "export", "mine", "--format", "langchain")
    assert (refused.code, "datasets cannot be written as 'langchain'" in refused.err) == (2, True)


def test_earlier_versions_can_be_shown_after_a_removal(folder: Path) -> None:
    (folder / "items.jsonl").write_text('{"id": "a", "input": "1"}\n{"id": "b", "input": "2"}\n', encoding="utf-8")
    dataset(folder, "add", "sums", "items.jsonl")
    assert dataset(folder, "remove", "sums", "a").text == "sums: version 2, 1 item (1 removed)\n"
    assert [item["id"] for item in json.loads(dataset(folder, "show", "sums", "--json").text)] == ["b"]
    first = dataset(folder, "show", "sums", "--version", "1")
    assert "version 1 (the newest is 2), 2 items" in first.text
    assert dataset(folder, "remove", "sums", "--all").text == "sums: version 3, 0 items (1 removed)\n"
    (listed,) = json.loads(dataset(folder, "list", "--json").text)
    assert (listed["dataset"], listed["version"], listed["items"]) == ("sums", 3, 0)
    assert "sums" in dataset(folder, "list").text


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("add", "trips"), 2, "name files, --from a query or a --run to add"),
        (
            ("add", "trips", "bad.jsonl", "--strict"),
            2,
            "bad.jsonl: line 2: inptu: there is no such field (did you mean 'input'?)",
        ),
        (
            ("add", "trips", "worse.jsonl"),
            2,
            "worse.jsonl: line 1: input: it is missing; inptu: there is no such field",
        ),
        (("add", "trips", "bad.jsonl", "--format", "floevl"), 2, "no kind of file 'floevl' (did you mean 'floeval'?)"),
        (("add", "trips", "--run", "00", "--format", "gl"), 2, "--format is about files: name one"),
        (("add", "trips", "absent.jsonl"), 2, "absent.jsonl cannot be read: No such file or directory"),
        (("add", "two words", "--run", "00"), 2, "dataset: it is 'two words'; write text that fits"),
        (("add", "trips", "--run", "ff"), 1, "no run has an id that begins with 'ff'"),
        (
            ("add", "trips", "--from", "select agent_trace_id from agent_traces where false"),
            3,
            "there is nothing to add",
        ),
        (("add", "trips", "--from", "select 1 as x"), 2, "no item has a field 'x'"),
        (("add", "trips", "--from", "drop table spans"), 2, "DROP is refused. Allowed is one SELECT"),
        (("add", "trips", "bad.jsonl", "--expect", "calls"), 2, "--expect is about runs"),
        (("show", "trips"), 1, "there is no dataset 'trips'"),
        (("remove", "trips", "1"), 1, "there is no dataset 'trips'"),
        (("remove", "trips"), 2, "name the items to remove, or use --all"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_mistake_says_who_must_act_and_changes_nothing(
    folder: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    (folder / "bad.jsonl").write_text('{"input": "1"}\n{"input": "2", "inptu": "3"}\n', encoding="utf-8")
    (folder / "worse.jsonl").write_text('{"inptu": "3"}\n', encoding="utf-8")
    done = dataset(folder, *arguments)
    assert done.code == code, done
    assert message in done.err
    assert dataset(folder, "list").text == "there are no datasets; `tracegrade dataset add` makes one\n"


def test_dataset_of_files_needs_no_store_before(tmp_path: Path) -> None:
    (tmp_path / "items.json").write_text('{"items": [{"input": "1"}]}', encoding="utf-8")
    assert dataset(tmp_path, "add", "sums", "items.json").text == "sums: version 1, 1 item (1 added)\n"


def test_server_that_holds_the_store_is_asked(server: Server) -> None:
    first, second = server.add_run(), server.add_run(session=str(new_trace()))
    at, name = server.store.parent, f"trips-{first}"
    options = ("--store", str(server.store), "--author", "ada")
    sql = f"select agent_trace_id from agent_traces where trace_id in ('{trace_id(first)}', '{trace_id(second)}')"
    done = tracegrade("dataset", "add", name, "--from", sql, *options, at=at)
    assert (done.code, done.text) == (0, f"{name}: version 1, 1 item (1 added)\n")
    assert f"left out: {run_id(second)}: it has the input or the id of {run_id(first)}, which is kept" in done.err
    (item,) = server.rows(
        f"select item_id, input, source_agent_trace_id from latest_dataset_items where dataset = '{name}'"
    )
    assert item[1:] == [QUESTION, run_id(first)]
    removed = inside("dataset", "remove", name, item[0], "--server", server.web, at=at)
    assert removed.text == f"{name}: version 2, 0 items (1 removed)\n"
    refused = inside("dataset", "remove", name, item[0], "--server", server.web, at=at)
    assert (refused.code, f"{name} has no item '{item[0]}'" in refused.err) == (2, True)


def test_export_says_that_there_is_nothing_to_write(folder: Path) -> None:
    lines = '{"input": {"from": "Oslo"}, "split": "test"}\n{"input": "b"}\n'
    (folder / "items.jsonl").write_text(lines, encoding="utf-8")
    dataset(folder, "add", "trips", "items.jsonl")
    written = dataset(folder, "export", "trips", "-", "--split", "test")
    assert json.loads(written.text)["input"] == {"from": "Oslo"}
    assert not (folder / "-").exists()
    empty = dataset(folder, "export", "trips", "none.jsonl", "--split", "train")
    assert (empty.code, (folder / "none.jsonl").exists()) == (3, False)
    assert "2 items, 0 of them in this selection" in empty.err
    assert "there is nothing to write" in empty.err
    shown = dataset(folder, "show", "trips", "--split", "test")
    assert "2 items, 1 of them in this selection" in shown.text
    assert '{"from":"Oslo"}' in shown.text
