"""Files with one record of an SDK a line, and files of which lines are broken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support import otlp

from tracegrade.collector.conversion.recognition import is_otlp
from tracegrade.collector.errors import Malformed
from tracegrade.collector.otlp.decode import SPAN_COLUMNS, decode_spans
from tracegrade.collector.otlp.file import read

IDS = {"traceId": otlp.trace_id(1), "spanId": otlp.span_id(1)}
ABOUT = {
    "name": "chat",
    "startTime": [1790000000, 5],
    "endTime": [1790000003, 0],
    "attributes": {"gen_ai.operation.name": "chat", "n": 3, "flag": True, "list": ["a"]},
    "status": {"code": 2, "message": "quota"},
}
RESOURCE = {"attributes": {"service.name": "copilot"}}
RAW_RESOURCE = {"_rawAttributes": [["service.name", "copilot"]]}


def rows(path: Path) -> list[dict[str, Any]]:
    found = [row for part in read(path) for row in decode_spans(part.body).rows]
    return [dict(zip(SPAN_COLUMNS, row, strict=True)) for row in found]


@pytest.mark.parametrize(
    "record",
    [
        pytest.param({"type": "span", **IDS, **ABOUT, "resource": RESOURCE}, id="copilot"),
        pytest.param(
            {"_spanContext": IDS, **ABOUT, "resource": {"_rawAttributes": [["service.name", "copilot"]]}}, id="sdk"
        ),
    ],
)
def test_flat_span_is_read(tmp_path: Path, record: dict[str, Any]) -> None:
    path = tmp_path / "otel.jsonl"
    path.write_text(f"{json.dumps(record)}\n{json.dumps({'type': 'metric', 'name': 'm'})}\n")
    assert is_otlp(path)
    [row] = rows(path)
    assert (row["trace_id"], row["span_id"], row["service_name"]) == (*IDS.values(), "copilot")
    assert (row["start_ns"], row["end_ns"]) == (1790000000 * 10**9 + 5, 1790000003 * 10**9)
    assert (row["status_code"], row["status_message"]) == ("error", "quota")
    assert json.loads(row["attributes"]) == ABOUT["attributes"]


@pytest.mark.parametrize("broken_at", [0, 1, 2])
def test_broken_line_is_named_and_others_are_kept(tmp_path: Path, broken_at: int) -> None:
    lines = [json.dumps({"type": "span", **IDS, "spanId": otlp.span_id(number), **ABOUT}) for number in (1, 2)]
    lines.insert(broken_at, '{"type": "span", "traceId": "00')
    path = tmp_path / "otel.jsonl"
    path.write_text("\n".join(lines))
    assert [row["span_id"] for row in rows(path)] == [otlp.span_id(1), otlp.span_id(2)]
    reasons = [reason for part in read(path) for reason in part.reasons]
    assert len(reasons) == 1
    assert reasons[0].startswith(f"line {broken_at + 1}: ")


def test_file_without_any_good_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "otel.jsonl"
    path.write_text('{"type": "span"\n{"type": \n')
    with pytest.raises(Malformed, match="line 1"):
        list(read(path))
