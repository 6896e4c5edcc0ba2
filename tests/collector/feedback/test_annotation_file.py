"""Files of annotations: what is read, by line, and what one refused entry does to the others."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracegrade.collector.client.source import Unacceptable
from tracegrade.collector.client.submit import keep_all
from tracegrade.collector.errors import Fault
from tracegrade.collector.feedback import annotation_file
from tracegrade.collector.feedback.annotation_file import Entry

TRACE = "0" * 31 + "1"
RUN = f"{TRACE}-{'0' * 15}1"
ENTRY = {"trace_id": TRACE, "name": "polite", "passed": True}


def complete_id(word: str) -> str:
    """The ids of a store in which there is one run."""
    for known in (TRACE, RUN):
        if known.startswith(word):
            return known
    raise ValueError(f"trace: nothing begins with {word!r}")


def read(folder: Path, text: str, **usual: str) -> annotation_file.AnnotationFile:
    path = folder / "labels"
    path.write_bytes(text.encode())
    return annotation_file.read(path, complete_id, **usual)


def read_annotations(folder: Path, text: str, **usual: str) -> list[dict[str, Any]]:
    """The annotations without their ids."""
    entries = read(folder, text, **usual).entries
    assert [entry.fault for entry in entries] == [None] * len(entries)
    return [{name: value for name, value in (entry.annotation or {}).items() if name != "id"} for entry in entries]


def list_faults(entries: Sequence[Entry]) -> list[tuple[str, str | None]]:
    return [(entry.place, entry.fault) for entry in entries]


@pytest.mark.parametrize(
    "text",
    [
        f"trace_id,name,passed\n{TRACE},polite,true\n",
        f"\ufefftarget.trace_id;name;passed\r\n{TRACE};polite;yes\r\n",
        f"trace\tevaluator\tpassed\n{TRACE}\tpolite\tPASS",
        json.dumps([ENTRY], indent=2),
        json.dumps(ENTRY) + "\n",
        json.dumps({"target": {"trace_id": TRACE}, "name": "polite", "passed": True}, indent=2),
    ],
    ids=["csv", "csv of a spreadsheet", "tabs", "json", "json lines", "one object"],
)
def test_score_is_the_same_in_every_form(tmp_path: Path, text: str) -> None:
    assert read_annotations(tmp_path, text) == [{"target": {"trace_id": TRACE}, "name": "polite", "passed": True}]


@pytest.mark.parametrize(
    ("words", "target"),
    [
        ({"trace": RUN}, {"agent_trace_id": RUN}),
        ({"trace": TRACE, "span": "0" * 15 + "2"}, {"trace_id": TRACE, "span_id": "0" * 15 + "2"}),
        ({"trace": TRACE, "call": "2"}, {"trace_id": TRACE, "position": 2}),
        ({"trace": RUN, "call": "call_1"}, {"agent_trace_id": RUN, "tool_call_id": "call_1"}),
        ({"session": "s:1"}, {"session_id": "s:1"}),
        ({"target_id": RUN, "trace_id": TRACE, "session_id": "s"}, {"agent_trace_id": RUN}),
        ({"target_id": f"{RUN}#3"}, {"agent_trace_id": RUN, "position": 3}),
        ({"target_id": "session:s:1"}, {"session_id": "s:1"}),
    ],
    ids=["run", "span", "position", "call id", "session", "row of scores", "call of scores", "session of scores"],
)
def test_target_may_be_named_as_on_the_command_line_or_as_in_scores(
    tmp_path: Path, words: dict[str, str], target: dict[str, Any]
) -> None:
    (found,) = read_annotations(tmp_path, json.dumps({**words, "name": "polite", "value": 1}))
    assert found["target"] == target


def test_what_an_entry_does_not_say_is_what_usually_holds(tmp_path: Path) -> None:
    text = f"trace,value,author,name\n{TRACE},0.5,,\n{TRACE},1,bob,kind\n"
    first, second = read_annotations(tmp_path, text, name="polite", author="ada")
    assert (first["name"], first["author"], first["value"]) == ("polite", "ada", 0.5)
    assert (second["name"], second["author"], second["value"]) == ("kind", "bob", 1.0)


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (f"{TRACE},polite,3,", "value: it is 3.0; write 1 or less"),
        (f"{TRACE},polite,nan,", "value: it is 'nan'; write a number"),
        (f"{TRACE},polite,,perhaps", "passed: it is 'perhaps'; write true or false"),
        (f"{TRACE},polite,,", "give at least one of value, label"),
        (f"{TRACE},,1,", "name: it is missing"),
        (",polite,1,", "target: name one thing"),
        ("12,polite,1,", "target.trace_id: it is '12'; write text that fits ^[0-9a-fA-F]{32}$"),
        (f"{TRACE},polite,1,,too,many", "it has 6 cells and the header 4"),
    ],
    ids=["scale", "no number", "no boolean", "silent", "no name", "no target", "no id", "too many cells"],
)
def test_row_that_cannot_be_used_is_named_by_its_line(tmp_path: Path, row: str, fault: str) -> None:
    text = f'trace_id,name,value,passed\n{TRACE},polite,"\n1",\n\n{row}\n{TRACE},polite,1,\n'
    (first, one), (line, why), (last, other) = list_faults(read(tmp_path, text).entries)
    assert (first, one, line, last, other) == ("line 2", None, "line 5", "line 6", None)
    assert why is not None
    assert fault in why


def test_entry_of_a_json_file_that_cannot_be_used_is_named_by_its_line(tmp_path: Path) -> None:
    lines = "\n".join([json.dumps(ENTRY), "", '{"trace": ', "7", json.dumps(ENTRY)])
    assert [line for line, fault in list_faults(read(tmp_path, lines).entries) if fault] == ["line 3", "line 4"]
    listed = f'[\n  {json.dumps(ENTRY)},\n  {{"name":\n "x"}},\n  1, {json.dumps({**ENTRY, "value": 10**40})}\n]'
    assert [line for line, fault in list_faults(read(tmp_path, listed).entries) if fault] == [
        f"line {line}, entry {number}" for line, number in ((3, 2), (5, 3), (5, 4))
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "there is nothing in it"),
        ("trace,name\n", "there is nothing in it"),
        ("a,b\n1,2\n", "none of its columns is known; they are called trace_id, "),
    ],
    ids=["empty", "header alone", "other columns"],
)
def test_file_that_holds_no_annotations_is_refused_as_a_whole(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(Fault, match=fault):
        read(tmp_path, text)


@pytest.mark.parametrize("content", [b"\xff\xfe", None], ids=["not UTF-8", "not there"])
def test_file_that_cannot_be_read_says_so(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "labels"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(Fault, match=r"UTF-8|No such file"):
        annotation_file.read(path, complete_id)


def test_text_in_a_list_is_no_annotation(tmp_path: Path) -> None:
    why = "this is not an object of names and values"
    assert list_faults(read(tmp_path, '["polite"]').entries) == [("line 1, entry 1", why)]


def test_columns_that_say_nothing_to_us_are_told(tmp_path: Path) -> None:
    found = read(tmp_path, f"trace,input,pased,name,value\n{TRACE},hello,yes,polite,1\n")
    assert found.unread == ["input", "pased (did you mean 'passed'?)"]


def test_csv_that_breaks_off_in_a_cell_keeps_what_came_before(tmp_path: Path) -> None:
    found = list_faults(
        read(tmp_path, f'trace,name,value\n{TRACE},polite,1\n{TRACE},"polite,1\n{TRACE},polite,1\n').entries
    )
    assert found[0] == ("line 2", None)
    assert found[1][0] == "line 3"
    assert "this is not CSV: unexpected end of data" in str(found[1][1])
    assert found[2] == ("line 4", None)


def test_list_that_breaks_off_keeps_what_came_before(tmp_path: Path) -> None:
    entries = list_faults(read(tmp_path, f'[{json.dumps(ENTRY)}, {{"a": }}, {json.dumps(ENTRY)}').entries)
    assert [fault is None for _, fault in entries] == [True, False, True, False]
    assert "the list does not end" in str(entries[-1][1])


def test_same_entry_has_the_same_id_and_another_another(tmp_path: Path) -> None:
    told = (ENTRY, ENTRY, {**ENTRY, "passed": False}, {**ENTRY, "id": "mine"})
    ids = [(read(tmp_path, json.dumps(one)).entries[0].annotation or {})["id"] for one in told]
    assert ids[0] == ids[1] != ids[2]
    assert ids[3] == "mine"


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_read_or_refused_with_a_reason(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    try:
        found = read(tmp_path_factory.getbasetemp(), text)
    except Fault:
        return
    assert all((entry.annotation is None) != (entry.fault is None) for entry in found.entries)


class Desk:
    """Keeps all or none, as the API does; refuses what is named `bad`."""

    def __init__(self, fault: type[Fault] = Unacceptable) -> None:
        self.kept: list[str] = []
        self.requests = 0
        self._fault = fault

    def __call__(self, wanted: Sequence[Mapping[str, Any]]) -> list[str]:
        self.requests += 1
        if any(one["name"] == "bad" for one in wanted):
            raise self._fault("there is no such run")
        names = [str(one["name"]) for one in wanted]
        self.kept += names
        return names


def entries(*names: str) -> list[Entry]:
    return [Entry(f"line {line}", {"name": name}) for line, name in enumerate(names, start=2)]


@given(st.lists(st.sampled_from(["good", "bad"]), max_size=50))
def test_refused_entry_takes_no_other_with_it(names: list[str]) -> None:
    told = [f"{number}" if name == "good" else name for number, name in enumerate(names)]
    desk = Desk()
    outcome = keep_all(entries(*told), desk)
    assert outcome.score_ids == desk.kept == [name for name in told if name != "bad"]
    assert [entry.place for entry in outcome.refused] == [
        f"line {line}" for line, name in enumerate(told, start=2) if name == "bad"
    ]


def test_thousands_are_kept_in_a_few_requests() -> None:
    desk = Desk()
    keep_all(entries(*map(str, range(2_500))), desk)
    assert (len(desk.kept), desk.requests) == (2_500, 3)


def test_server_that_does_not_answer_ends_it_at_once() -> None:
    desk = Desk(Fault)
    with pytest.raises(Fault):
        keep_all(entries("bad", "good"), desk)
    assert desk.requests == 1
