"""Files of other systems from the command line: their runs into the store, their expectations into datasets."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from tests.support.command import Done, inside
from tests.support.imported_files import EXAMPLES
from tests.support.polling import until
from tests.support.server import Server

FLOEVAL = EXAMPLES["floeval"]
PARTIAL = {"user_input": "And tomorrow?", "reference_outcome": "Rain."}


def write(folder: Path, name: str, *lines: object) -> None:
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    (folder / name).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")


def import_(folder: Path, *arguments: str) -> Done:
    return inside("import", "--store", "store.duckdb", *arguments, at=folder)


def rows(folder: Path, sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(folder / "store.duckdb"), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def test_runs_are_evaluated_against_their_expectations_which_are_kept_as_a_dataset(tmp_path: Path) -> None:
    write(tmp_path, "weather.jsonl", FLOEVAL, PARTIAL)
    done = import_(tmp_path, "weather.jsonl")
    assert (done.code, done.err) == (0, "")
    assert "weather.jsonl: floeval (user_input, trace.messages): 1 run, 2 items" in done.text
    assert "dataset weather: 2 items added or changed in version 1" in done.text
    assert rows(tmp_path, "select input, final_response from agent_traces") == [("Weather in Paris?", "18C.")]
    scores = rows(tmp_path, "select evaluator, value, reference_source from latest_scores where reference_hash <> ''")
    assert ("tool_correctness", 1.0, "attributes") in scores
    stored = rows(
        tmp_path,
        "select i.input, t.input from latest_dataset_items i left join agent_traces t "
        "on i.source_agent_trace_id = t.agent_trace_id order by position",
    )
    assert stored == [("Weather in Paris?", "Weather in Paris?"), ("And tomorrow?", None)]


def test_second_import_of_a_file_stores_nothing_twice(tmp_path: Path) -> None:
    write(tmp_path, "weather.jsonl", FLOEVAL)
    assert import_(tmp_path, "weather.jsonl").code == 0
    again = import_(tmp_path, "weather.jsonl", "--no-evaluate")
    assert again.code == 0
    assert "dataset weather: 0 items added or changed in version 1" in again.text
    assert rows(tmp_path, "select count(*), max(revision) from agent_traces") == [(1, 1)]


def test_good_records_are_kept_bad_ones_named_and_the_exit_code_says_so(tmp_path: Path) -> None:
    write(tmp_path, "mixed.jsonl", FLOEVAL, PARTIAL, json.dumps(FLOEVAL)[:-9], EXAMPLES["openai"], *["17"] * 25)
    done = import_(tmp_path, "mixed.jsonl", "--dataset", "kept")
    assert done.code == 1
    assert "mixed.jsonl: line 3: this is not JSON" in done.err
    assert "mixed.jsonl: line 4: it is of the kind openai (messages[].role), not floeval" in done.err
    assert "mixed.jsonl: 7 further records cannot be read" in done.err
    assert rows(tmp_path, "select dataset, count(*) from latest_dataset_items group by all") == [("kept", 2)]
    assert rows(tmp_path, "select count(*) from agent_traces") == [(1,)]


@pytest.mark.parametrize(
    ("lines", "options", "message"),
    [
        ([FLOEVAL, "{"], ("--strict",), "odd.jsonl: line 2: this is not JSON"),
        ([FLOEVAL, "{"], ("--strict",), "1 record cannot be read, so nothing is stored, as --strict asks for"),
        (["17", "18"], ("--format", "floeval"), "no record of the files can be read"),
        (['{"a": 1}'], (), "As a file of another system: odd.jsonl: its kind is not recognised; name it with --format"),
        ([FLOEVAL], ("--format", "floevl"), "there is no kind of file 'floevl' (did you mean 'floeval'?)"),
        ([FLOEVAL], ("--dataset", "two words"), "dataset: it is 'two words'; write text that fits"),
        ([FLOEVAL], ("--format", "otlp"), "it has none of resourceSpans, resourceLogs and resourceMetrics"),
        ([EXAMPLES["openai"], EXAMPLES["agentevals"]], (), "it may be of the kinds agentevals and openai"),
    ],
    ids=["strict", "strict total", "nothing readable", "unknown", "no kind", "no name", "not OTLP", "two kinds"],
)
def test_file_that_is_refused_stores_nothing(
    tmp_path: Path, lines: list[object], options: tuple[str, ...], message: str
) -> None:
    write(tmp_path, "odd.jsonl", *lines)
    done = import_(tmp_path, "odd.jsonl", *options)
    assert done.code == 2, done
    assert message in done.err
    if (tmp_path / "store.duckdb").exists():
        assert rows(tmp_path, "select (select count(*) from spans), (select count(*) from datasets)") == [(0, 0)]


def test_file_of_items_alone_becomes_a_dataset(tmp_path: Path) -> None:
    write(tmp_path, "set.evalset.json", {"eval_set_id": "s", "eval_cases": [EXAMPLES["adk"]]})
    done = import_(tmp_path, "set.evalset.json")
    assert (done.code, done.err) == (0, "")
    assert "set.evalset.json: adk (eval_cases): 0 runs, 1 item" in done.text
    assert rows(tmp_path, "select dataset, item_id from latest_dataset_items") == [("set", "case_1")]


def test_files_of_other_systems_go_through_the_server_that_holds_the_store(server: Server, tmp_path: Path) -> None:
    question, *others = FLOEVAL["trace"]["messages"]
    messages = [{**question, "content": "Through a server?"}, *others]
    trace = {**FLOEVAL["trace"], "messages": messages}
    write(tmp_path, "through.jsonl", {**FLOEVAL, "user_input": "Through a server?", "trace": trace})
    done = inside("import", "--store", str(server.store), "through.jsonl", at=tmp_path)
    assert (done.code, done.err) == (0, "")
    count = "select count(*) from agent_traces where input = 'Through a server?'"
    until(lambda: server.rows(count), lambda rows: rows == [[1]])
    assert server.rows("select count(*) from latest_dataset_items where dataset = 'through'") == [[1]]


def test_dataset_takes_files_of_every_kind_and_names_what_it_left_out(tmp_path: Path) -> None:
    write(tmp_path, "gl.jsonl", EXAMPLES["gl"], "{", {"query": "And?", "generated_response": "x"})
    done = inside("dataset", "add", "all", "gl.jsonl", at=tmp_path)
    assert done.code == 1
    assert done.text == ("gl.jsonl: gl (generated_response, tools_called, query)\nall: version 1, 2 items (2 added)\n")
    assert done.err.startswith("gl.jsonl: line 2: this is not JSON")
    strict = inside("dataset", "add", "none", "gl.jsonl", "--strict", at=tmp_path)
    assert (strict.code, "1 record cannot be read, so nothing is stored" in strict.err) == (2, True)
    assert "none" not in inside("dataset", "list", at=tmp_path).text
