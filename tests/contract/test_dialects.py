"""Adding a dialect takes one module, its recording and its test; the table in the documents follows from these."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from tests.contract.dialect_table import PAGE, render_table, table_in
from tests.support.recordings import RECORDINGS

from tracegrade.collector import dialects
from tracegrade.collector.dialects import DIALECTS
from tracegrade.collector.dialects.shared.dialect import Dialect
from tracegrade.collector.spans.span import join_logs

FOLDER = Path(dialects.__file__).parent
TESTS = Path(__file__).parents[1] / "collector/dialects"
BUILT_BY_HAND = frozenset({"from_documentation"})


def name_of(dialect: Dialect) -> str:
    return dialect.name


@cache
def recorded_dialects() -> frozenset[str]:
    """The dialects in which real exporters wrote at least one span of the recordings."""
    spans = (
        span
        for recording in RECORDINGS
        if recording.framework not in BUILT_BY_HAND
        for trace_id, spans in recording.spans.items()
        for span in join_logs(spans, recording.logs_of(trace_id))
    )
    return frozenset(step[0] for span in spans if (step := dialects.read(span)) is not None)


def test_every_module_of_the_folder_is_a_dialect_of_its_name() -> None:
    modules = {path.stem for path in FOLDER.glob("*.py")} - {"__init__"}
    assert [dialect.name for dialect in DIALECTS] == sorted(modules)


@pytest.mark.parametrize("dialect", DIALECTS, ids=name_of)
def test_evidence_names_a_recording_exactly_where_there_is_one(dialect: Dialect) -> None:
    is_recorded = any(evidence.kind == "recording" for evidence in dialect.evidence)
    assert dialect.evidence
    assert is_recorded == (dialect.name in recorded_dialects())


@pytest.mark.parametrize("dialect", DIALECTS, ids=name_of)
def test_dialect_without_a_recording_has_a_test_of_its_own(dialect: Dialect) -> None:
    assert dialect.name in recorded_dialects() or (TESTS / f"test_{dialect.name}.py").exists()


def test_table_of_dialects_is_made_from_the_modules() -> None:
    assert table_in(PAGE.read_text(encoding="utf-8")) == render_table()
