"""The kind of a file is recognised by its records; what cannot be read is named, and what can is kept."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.imported_files import EXAMPLES, detect, entries, faults, read_entries

from tracegrade.evaluators.experiments.item_kinds import load_all_kinds
from tracegrade.evaluators.formats.imported import Imported, RecordFault
from tracegrade.evaluators.formats.kinds import MODULES, UnknownKind

RUNS = [name for name in EXAMPLES if name not in {"adk", "dokimos", "items"}]


def lines(*records: object) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


def test_there_is_an_example_of_every_kind() -> None:
    assert {"adk", "dokimos", "items", *RUNS} <= set(load_all_kinds())
    assert set(MODULES) <= set(load_all_kinds())


@pytest.mark.parametrize("name", EXAMPLES)
def test_kind_is_recognised_in_each_form(name: str) -> None:
    record = EXAMPLES[name]
    several = lines(record, {**record, "id": "2"} if name == "items" else record)
    for content in (record, several, gzip.compress(several.encode())):
        file = detect(content)
        assert (file.kind.name, bool(file.reason)) == (name, True)
        assert not [entry for entry in file.entries if isinstance(entry, RecordFault)]


@pytest.mark.parametrize("name", RUNS)
def test_run_has_its_calls_results_and_expectation(name: str) -> None:
    (entry,) = entries(EXAMPLES[name])
    assert entry.run is not None
    assert (entry.input, entry.run.input, entry.run.final_response) == (
        "Weather in Paris?",
        "Weather in Paris?",
        "18C.",
    )
    (call,) = entry.run.tool_calls
    assert (call.name, call.args, call.result) == ("get_weather", {"city": "Paris"}, "18C")
    assert entry.expected_run is not None
    assert entry.expected_run.reference is not None
    expected = entry.expected_run.reference
    assert expected.expected_tool_calls or expected.expected_trajectory


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "there is nothing in it"),
        ("[]", "there is nothing in it"),
        ('{"a": 1}', "its kind is not recognised; name it with --format: adk"),
        ("[1, 2, 3]", "its kind is not recognised"),
        ("a,b\n1,2\n", "its kind is not recognised"),
        ('{"a": ', "line 1: this is not JSON"),
        ('{"samples": 1}', "its kind is not recognised"),
        (lines(EXAMPLES["openai"], EXAMPLES["agentevals"]), "it may be of the kinds agentevals and openai; name one"),
        ("h\u00e9,b\n".encode("utf-16"), "line 1: the file is UTF-16 or UTF-32; save it as UTF-8"),
    ],
    ids=["empty", "no entries", "unknown", "numbers", "table", "cut off", "no list", "half and half", "UTF-16"],
)
def test_file_of_no_certain_kind_is_refused_with_the_remedy(content: object, reason: str) -> None:
    with pytest.raises(UnknownKind) as caught:
        detect(content)
    assert reason in str(caught.value)


def test_given_kind_decides_and_is_known() -> None:
    assert detect(EXAMPLES["gl"], "gl").kind.name == "gl"
    with pytest.raises(UnknownKind, match=r"there is no kind of file 'floevl' \(did you mean 'floeval'\?\)"):
        detect("", "floevl")
    assert detect('{"a": 1}', default="items").kind.name == "items"


def test_record_of_another_kind_is_named_and_the_others_are_kept() -> None:
    content = lines(EXAMPLES["floeval"], EXAMPLES["floeval"], EXAMPLES["openai"], EXAMPLES["floeval"])
    assert faults(content) == [
        "line 3: it is of the kind openai (messages[].role), not floeval; give it a file of its own"
    ]
    assert sum(isinstance(entry, Imported) for entry in read_entries(content)) == 3


@pytest.mark.parametrize("name", RUNS)
def test_bad_records_are_named_with_their_line_and_the_others_are_kept(name: str) -> None:
    good = json.dumps(EXAMPLES[name])
    latin = json.dumps(EXAMPLES[name], ensure_ascii=False).replace("Paris", "Par\xeds").encode("latin-1")
    content = b"\xef\xbb\xbf" + b"\n".join(
        [good.encode(), good[:-5].encode(), latin, b"\x00\x01", b"17", good.encode()]
    )
    found = read_entries(content + b"\n" + good[:40].encode())
    assert [entry.place for entry in found if isinstance(entry, Imported)] == ["line 1", "line 6"]
    bad = {entry.place: entry.reason for entry in found if isinstance(entry, RecordFault)}
    assert bad.keys() == {"line 2", "line 3", "line 4", "line 5", "line 7"}
    assert "byte 0xed" in bad["line 3"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=5), below, max_size=3),
    max_leaves=5,
)


def list_paths(value: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, each in below for found in list_paths(each, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], by: object) -> Any:
    """The value with another one at a path."""
    if not path:
        return by
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(copy[path[0]], path[1:], by)
    return copy


@pytest.mark.parametrize("name", EXAMPLES)
@given(data=st.data())
def test_damaged_record_is_read_or_named_and_never_an_error(name: str, data: st.DataObject) -> None:
    record = EXAMPLES[name]
    damaged = replaced(record, data.draw(st.sampled_from(list_paths(record))), data.draw(JSON))
    for entry in read_entries(damaged, name):
        assert isinstance(entry, (Imported, RecordFault))
        assert not isinstance(entry, RecordFault) or entry.reason


@pytest.mark.parametrize("name", [name for name in EXAMPLES if load_all_kinds()[name].write is not None])
def test_what_is_written_is_read_as_the_same(name: str) -> None:
    kind = load_all_kinds()[name]
    assert kind.write is not None
    before = entries(EXAMPLES[name])
    after = entries("".join(kind.write(before)), name)
    assert [replace_ids(entry) for entry in after] == [replace_ids(entry) for entry in before]


def replace_ids(entry: Imported) -> object:
    """The entry without its place and id, which the writer may give."""
    return entry.run, entry.expectation, entry.input, entry.split, entry.tags
