"""Records of a file that people write are read with their places, whatever the format."""

from __future__ import annotations

import json

import pytest

from tracegrade.evaluators.formats.records import Record, read_records

ENTRY = {"input": "hello, you", "tags": None}


def values(text: str, **options: list[str]) -> list[object]:
    return [record.value for record in read_records(text, **options)]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([ENTRY, ENTRY]),
        json.dumps([ENTRY, ENTRY], indent=2),
        f"{json.dumps(ENTRY)}\n\n{json.dumps(ENTRY)}",
        json.dumps({"name": {"items": []}, "items": [ENTRY, ENTRY]}, indent=2),
    ],
    ids=["list", "indented list", "lines", "list under a key"],
)
def test_records_are_the_same_in_every_form_of_json(text: str) -> None:
    assert values(text, lists=["items"]) == [ENTRY, ENTRY]


def test_object_without_a_known_list_is_one_record() -> None:
    assert values(json.dumps({"items": [1]}, indent=2)) == [{"items": [1]}]


def test_place_is_the_line_in_which_a_record_begins() -> None:
    indented = json.dumps({"items": [ENTRY, ENTRY]}, indent=2)
    places = {text: [record.place for record in read_records(text, lists=["items"])] for text in (indented, "{}\n{}")}
    assert places == {indented: ["line 3, entry 1", "line 7, entry 2"], "{}\n{}": ["line 1", "line 2"]}


def test_list_tells_under_which_key_it_was() -> None:
    assert [record.list_name for record in read_records('{"samples": [{}]}', lists=["items", "samples"])] == ["samples"]


def test_row_of_csv_has_the_text_of_its_filled_cells() -> None:
    text = 'input;tags\n"a; b";\n\nc;d\n'
    assert list(read_records(text)) == [
        Record("line 2", {"input": "a; b"}, is_csv=True),
        Record("line 4", {"input": "c", "tags": "d"}, is_csv=True),
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"input": 1}\n{"input"}', "this is not JSON: Expecting ':' delimiter: line 1 column 9 (char 8)"),
        ("input\na,b", "it has 2 cells and the header 1; put quotes around what holds a delimiter"),
        ('input\n"a', "this is not CSV, and nothing after it is read: unexpected end of data"),
    ],
    ids=["line", "too many cells", "open quote"],
)
def test_record_that_cannot_be_read_has_a_fault(text: str, fault: str) -> None:
    assert [record.fault for record in read_records(text)][-1] == fault


@pytest.mark.parametrize(
    ("text", "fault"),
    [("[{},\n{]", "line 2: this is not JSON"), ("[{},", "line 1: the list does not end")],
    ids=["broken entry", "cut off"],
)
def test_list_whose_entries_cannot_be_told_apart_is_refused(text: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        list(read_records(text))
