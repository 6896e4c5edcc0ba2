"""A file of another system becomes export requests and items, whatever is wrong with some of its records."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.support import agent_spans
from tests.support.imported_files import EXAMPLES

from tracegrade.collector.conversion.import_file import ImportFile, recognise
from tracegrade.collector.errors import Fault
from tracegrade.collector.otlp.limits import RequestLimits
from tracegrade.evaluators.formats.imported import RecordFault
from tracegrade.evaluators.formats.kinds import UnknownKind

LIMITS = RequestLimits()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.jsonl"


def spans_of(file: ImportFile, faults: list[RecordFault] | None = None) -> Iterator[tuple[Mapping[str, str], bytes]]:
    """The attributes of the resource and the trace id of each agent span that a file becomes."""
    noted = [] if faults is None else faults
    for part in file.parts(LIMITS, noted.append):
        for group in ExportTraceServiceRequest.FromString(part.body).resource_spans:
            about = {each.key: each.value.string_value for each in group.resource.attributes}
            yield about, group.scope_spans[0].spans[0].trace_id


def write_lines(path: Path, *records: object) -> None:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")


def test_file_of_otlp_is_told_from_other_files(path: Path) -> None:
    for content in (
        agent_spans.export_request(agent_spans.trip()),
        b'{"resourceSpans": []}',
        b' [{ "resource_logs": []}]',
        gzip.compress(b'{"resourceSpans": []}'),
        gzip.compress(b'{"resourceSpans": []}')[:-9],
        b"",
    ):
        path.write_bytes(content)
        assert recognise(path).kind is None
    for name, record in EXAMPLES.items():
        write_lines(path, record)
        kind = recognise(path).kind
        assert kind is not None
        assert kind.name == name


def test_file_of_no_kind_is_left_to_the_reader_of_otlp_which_says_more(path: Path) -> None:
    for content in ("garbage, garbage", '{"hello": 1}'):
        path.write_text(content, encoding="utf-8")
        file = recognise(path)
        assert (file.kind, bool(file.unknown)) == (None, True)
    with pytest.raises(UnknownKind, match="no kind of file 'floevl'"):
        recognise(path, "floevl")
    with pytest.raises(Fault, match="cannot be read: it is not a regular file"):
        recognise(path.parent)


def test_run_has_its_expectation_and_its_place_on_its_resource(path: Path) -> None:
    write_lines(path, EXAMPLES["floeval"], {**EXAMPLES["floeval"], "metadata": {"lang": "en"}})
    (first, _), (second, _) = spans_of(recognise(path))
    assert json.loads(first["tracegrade.expected_tool_calls"]) == [{"name": "get_weather", "args": {"city": "Paris"}}]
    assert first["tracegrade.expected_response"] == "A summary."
    assert [first[f"tracegrade.import.{name}"] for name in ("format", "file", "place")] == [
        "floeval",
        "runs.jsonl",
        "line 1",
    ]
    assert json.loads(second["tracegrade.import.metadata"]) == {"lang": "en"}


def test_same_record_has_the_same_ids_in_any_file_and_another_one_others(path: Path) -> None:
    record = EXAMPLES["openai"]
    write_lines(path, record, {**record, "tasks": ["a"]})
    first, second = (trace_id for _, trace_id in spans_of(recognise(path)))
    other = path.with_name("other.json")
    write_lines(other, record)
    assert [trace_id for _, trace_id in spans_of(recognise(other))] == [first]
    assert first != second


def test_items_are_the_expectations_and_name_their_runs(path: Path) -> None:
    partial = {"user_input": "And tomorrow?", "reference_outcome": "Rain."}
    write_lines(path, EXAMPLES["floeval"], partial)
    file = recognise(path)
    ((_, trace_id),) = spans_of(file)
    assert (file.runs, file.items) == (1, 2)
    of_run, item = file.expectations()
    assert of_run.source is not None
    assert of_run.source.agent_trace_id.startswith(f"{trace_id.hex()}-")
    assert (item.input, item.expected_response, item.source) == ("And tomorrow?", "Rain.", None)


def test_run_without_input_or_expectation_is_no_item(path: Path) -> None:
    write_lines(
        path,
        {"generated_response": "x", "tools_called": [], "expected_tools": []},
        {"query": "q", "generated_response": "x", "tools_called": []},
    )
    file = recognise(path)
    assert len(list(spans_of(file))) == 2
    assert (file.runs, file.items, file.faults) == (2, 0, 0)


def test_check_notes_what_reading_would(path: Path) -> None:
    path.write_text(f"{json.dumps(EXAMPLES['gl'])}\n{{bad\n[1]\n", encoding="utf-8")
    checked: list[RecordFault] = []
    read: list[RecordFault] = []
    file = recognise(path)
    file.check(checked.append)
    assert (file.runs, file.items, file.faults) == (1, 1, 2)
    assert len(list(spans_of(file, read))) == 1
    assert [fault.place for fault in checked] == [fault.place for fault in read] == ["line 2", "line 3"]


GIGABYTE = 10**9
MEMORY_BYTES = 300 * 2**20
READ = """
import sys
from pathlib import Path
from tracegrade.collector.conversion.import_file import recognise
from tracegrade.collector.otlp.limits import RequestLimits

file = recognise(Path(sys.argv[1]))
faults = 0
def note(_):
    global faults
    faults += 1
for _ in file.parts(RequestLimits(), note):
    pass
status = Path("/proc/self/status").read_text()
print(file.runs, file.items, faults, status.partition("VmHWM:")[2].split()[0])
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize("form", ["lines", "list"])
def test_memory_does_not_grow_with_the_file(path: Path, form: str) -> None:
    record = {
        **EXAMPLES["floeval"],
        "trace": {
            "messages": [
                *EXAMPLES["floeval"]["trace"]["messages"],
                {"role": "tool", "tool_name": "read", "content": 'a long result, "quoted" \\ and so on ' * 2500},
            ]
        },
    }
    good, bad = json.dumps(record), json.dumps(record)[:-100]
    begin, between, end = ("", "\n", "\n") if form == "lines" else ('{"samples": [\n', ",\n", "\n]}")
    block = between.join([bad] + [good] * 99)
    blocks = GIGABYTE // len(block)
    with path.open("w", encoding="utf-8") as file:
        file.write(begin)
        for number in range(blocks):
            file.write(f"{between if number else ''}{block}")
        file.write(end)
    done = subprocess.run([sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    runs, items, faults, memory_kib = map(int, done.stdout.split())
    assert (runs, items, faults) == (99 * blocks, 99 * blocks, blocks)
    assert memory_kib * 1024 < MEMORY_BYTES
