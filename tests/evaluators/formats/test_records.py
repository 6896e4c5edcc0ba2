"""Records of a file that people write are read with their places, whatever the format."""

from __future__ import annotations

import gzip
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracegrade.evaluators.formats.records import Record, read_records, read_stream

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
        ('{"input": 1}\n{"input"}', "this is not JSON: Expecting ':' delimiter at column 9"),
        ("input\na,b", "it has 2 cells and the header 1; put quotes around what holds a delimiter"),
        ('input\n"a', "this is not CSV: unexpected end of data"),
        ("[{},\n{]", "this is not JSON: Expecting property name enclosed in double quotes at column 2"),
        ("[{},", "the list does not end; is the file whole?"),
        ('{"samples": [{}', "the list does not end; is the file whole?"),
        ('{"a": {"b": 1}', "this is not JSON: Expecting ',' delimiter at column 15; nothing after it is read, is the"),
        ('[{"a": "x\n"}]', "this is not JSON: Invalid control character at line 1, column 9; nothing after"),
        ('["\\ud83d"]', "a text in it has half a character, such as \\ud83d alone; write it whole"),
        ("[" + "9" * 5000 + "]", "this has a number with too many digits"),
        ("[" * 10**5 + "]" * 10**5, "this is nested too deeply"),
        ('{"a": [}]', "this is not JSON: Expecting value at column 8"),
    ],
    ids=[
        "line",
        "too many cells",
        "open quote",
        "wrong bracket",
        "list cut off",
        "list of an object cut off",
        "object cut off",
        "text over two lines",
        "half a character",
        "long number",
        "too deep",
        "brackets crossed",
    ],
)
def test_record_that_cannot_be_read_has_a_fault(text: str, fault: str) -> None:
    faults = [record.fault or "" for record in read_records(text, lists=["samples"]) if record.fault]
    assert any(fault in found for found in faults), faults


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('{"a": 1}\n{"a": \n{"a": 3}\n', [1, None, 3]),
        ('{"a": "x\n{"a": 2}\n{"a": 3}', [None, 2, 3]),
        ('{"a": [1,\n{"a": 2}\n{"a": 3}', [None, 2, 3]),
        ('[\n  {"a": 1},\n  {"a": 2,\n  {"a": 3}\n]', [1, None, 3]),
        ('[\n  {\n    "a": 1\n  },\n  {\n    "a": "x\n  },\n  {\n    "a": 3\n  }\n]', [1, None, 3]),
        ('{"samples": [\n{"a": 1},\n{"a": x},\n{"a": 3}\n], "n": 2}', [1, None, 3]),
        ('{\n"a": 1\n}\n{\n"a": x\n}\n{\n"a": 3\n}', [1, None, 3]),
        ('a,b\n1,2\n1,"x"y\n3,4', ["1", None, "3"]),
        ('a,b\n1,2\n"x,3\n3,4', ["1", None, "3"]),
    ],
    ids=[
        "cut line",
        "cut first line, within a text",
        "cut first line, within a list",
        "entry without its end",
        "text without its end",
        "entry of a list in an object",
        "objects of several lines",
        "quote within a cell",
        "open quote",
    ],
)
def test_records_after_a_bad_one_are_read(text: str, read: list[object]) -> None:
    values_or_faults = [
        record.value["a"] if record.fault is None else None for record in read_records(text, lists=["samples"])
    ]
    assert values_or_faults == read


def test_lines_may_be_lists() -> None:
    assert values('[{"role": "user"}]\n[{"role": "user"}, 2]\n') == [[{"role": "user"}], [{"role": "user"}, 2]]
    assert values("[[1], [2]]") == [[1], [2]]


def test_lines_may_be_objects_with_a_list() -> None:
    text = '{"samples": [1, 2]}\n{"samples": [3]}\n{"a": 4}'
    assert values(text, lists=["samples"]) == [1, 2, 3, {"a": 4}]
    assert [record.place for record in read_records(text, lists=["samples"])][1] == "line 1, entry 2"


def read_bytes(content: bytes, **options: Any) -> list[Record]:
    return list(read_stream(io.BytesIO(content), **options))


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ('{"a": 1}\n'.encode("utf-16"), "the file is UTF-16 or UTF-32; save it as UTF-8"),
        ('{"a": 1}\n'.encode("utf-32"), "the file is UTF-16 or UTF-32; save it as UTF-8"),
        ('{"a": 1}\n'.encode("utf-16-le"), "the file is not text in UTF-8: it begins with NUL bytes"),
        (gzip.compress(b'{"a": 1}\n' * 100_000)[:-30], "the compressed data cannot be read from here on"),
    ],
    ids=["UTF-16", "UTF-32", "UTF-16 without a mark", "half of a compressed file"],
)
def test_file_that_is_not_utf_8_or_not_whole_says_so(content: bytes, fault: str) -> None:
    assert fault in (read_bytes(content)[-1].fault or "")


def test_mark_of_utf_8_is_skipped_and_compressed_files_are_read() -> None:
    for content in (b"\xef\xbb\xbf[1]", gzip.compress(b"\xef\xbb\xbf[1]"), b"\xef\xbb\xbfa,b\n1,2"):
        assert read_bytes(content)[0].fault is None


def test_line_in_another_encoding_is_a_fault_and_the_others_are_read() -> None:
    lines = ['{"a": "caf\xe9"}'.encode(encoding) for encoding in ("utf-8", "latin-1", "utf-8")]
    for content in (b"\n".join(lines), b"[" + b",\n".join(lines) + b"]"):
        first, second, third = read_bytes(content)
        assert (first.value, third.value) == ({"a": "caf\xe9"}, {"a": "caf\xe9"})
        assert second.fault == "byte 0xe9 at column 11 is not UTF-8; save the file as UTF-8"
    rows = read_bytes("a,b\ncaf\xe9,1\n".encode("latin-1") + "caf\xe9,2\n".encode())
    assert [row.fault for row in rows] == ["a: byte 0xe9 is not UTF-8; save the file as UTF-8", None]


@pytest.mark.parametrize("form", ["{}\n{}\n{}", "[\n{},\n{},\n{}\n]", "[{}, {}, {}]", "{}{}{}"])
def test_record_that_is_too_long_is_a_fault_and_the_others_are_read(form: str) -> None:
    large = json.dumps({"a": ["x" * 1000, "\\"] * 20_000})
    content = form.replace("{}", "%s") % ('{"a": 1}', large, '{"a": 3}')
    first, second, third = read_bytes(content.encode(), most_bytes=2**20)
    assert (first.value, third.value) == ({"a": 1}, {"a": 3})
    assert second.fault == "it is longer than 1 MiB, and is not read"


def test_record_that_is_nested_too_deeply_is_a_fault_and_the_others_are_read() -> None:
    deep = b"[" * 10**5 + b"]" * 10**5
    first, second, third = read_bytes(b'[{"a": 1}, ' + deep + b', {"a": 3}]')
    assert (first.value, second.fault, third.value) == ({"a": 1}, "this is nested too deeply", {"a": 3})


def test_endless_nesting_and_endless_blanks_are_given_up() -> None:
    for content in (b"[" * 3 * 2**20, b'{"a":' * 2**20, b"{" + b"\n" * 3 * 2**20):
        records = read_bytes(content, most_bytes=2**20)
        assert len(records) < 3
        assert all(record.fault for record in records)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(), below, max_size=4),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(), JSON, max_size=4)


@given(objects=st.lists(OBJECTS, min_size=2), indent=st.sampled_from([None, 0, 2]), is_ascii=st.booleans())
def test_records_are_read_as_they_were_written(objects: list[Any], indent: int | None, *, is_ascii: bool) -> None:
    for content in (
        json.dumps(objects, indent=indent, ensure_ascii=is_ascii),
        "\n".join(json.dumps(each, ensure_ascii=is_ascii) for each in objects),
        json.dumps({"n": objects, "samples": objects}, indent=indent, ensure_ascii=is_ascii),
    ):
        records = list(read_records(content, lists=["samples"]))
        assert [record.value for record in records if record.fault is None] == objects, content


@given(st.binary(max_size=300) | st.text(alphabet='{}[]",:\\ \n1a', max_size=60).map(str.encode))
def test_anything_is_read_to_its_end(content: bytes) -> None:
    for record in read_bytes(content, lists=["a"]):
        assert record.place.startswith("line ")
        assert (record.fault is None) or (record.value is None)


class Trickle(io.RawIOBase):
    """A file that gives few bytes at a time."""

    def __init__(self, content: bytes) -> None:
        self._content = io.BytesIO(content)

    def read(self, size: int = -1) -> bytes:
        return self._content.read(min(size, 7))

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._content.seek(offset, whence)


@given(st.lists(OBJECTS, min_size=1), st.sampled_from([None, 1]))
def test_size_of_the_pieces_does_not_matter(objects: list[Any], indent: int | None) -> None:
    content = json.dumps({"samples": objects}, indent=indent).encode()
    whole = read_bytes(content, lists=["samples"])
    assert list(read_stream(Trickle(content), lists=["samples"])) == whole  # type: ignore[arg-type]  # all that is used
    assert [record.value for record in whole] == json.loads(json.dumps(objects))
