"""A CSV that costs more to read than its size suggests is refused after a bounded amount of work."""

from __future__ import annotations

import io
import tracemalloc
from collections.abc import Iterator

import pytest

from tracegrade.evaluators.formats import csv_stream
from tracegrade.evaluators.formats.records import read_records, read_stream

LARGEST_BYTES = 10_000
OPENS_AGAIN = 'a","\n'
"""Opens a quote at the beginning of a row, and also behind another line of this kind."""


class CountingLines(csv_stream._Lines):
    """Counts the lines that the reader of CSV was given."""

    count = 0

    def __next__(self) -> str:
        type(self).count += 1
        return super().__next__()


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[CountingLines]]:
    monkeypatch.setattr(csv_stream, "_Lines", CountingLines)
    CountingLines.count = 0
    yield CountingLines


def test_lines_behind_open_quotes_are_rarely_read_again(lines: type[CountingLines]) -> None:
    content = ("input,tags\n" + OPENS_AGAIN * 2_000).encode()
    faults = [record.fault for record in read_stream(io.BytesIO(content), most_bytes=LARGEST_BYTES) if record.fault]
    assert faults[-1] == "too many quotes are not closed, so the rest is not read; close them"
    assert lines.count < 10_000


def test_rows_behind_one_open_quote_are_read() -> None:
    rows = [record.value for record in read_records('input\n"open\nb\nc\n')]
    assert rows == [None, {"input": "b"}, {"input": "c"}]


def test_header_of_ten_thousand_columns_is_refused() -> None:
    header = ",".join(f"column{number}" for number in range(10_000))
    (record,) = read_records(f"{header}\n1,2\n")
    assert record.fault == "it has more than 1,000 columns, so no row is read; remove some"


def test_row_of_millions_of_cells_takes_little_memory() -> None:
    content = io.BytesIO(b"input,tags\n" + b"ab," * 1_500_000 + b"\ngood,x\n")
    tracemalloc.start()
    try:
        refused, good = read_stream(content)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert refused.fault == "this is not CSV: a row has more than 1,000,000 delimiters"
    assert good.value == {"input": "good", "tags": "x"}
    assert peak < 6 * len(content.getvalue())
