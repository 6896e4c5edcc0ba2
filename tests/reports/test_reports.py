from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from tests.reports.case import find_differences

CASES = sorted((Path(__file__).parent / "cases").glob("*.json.gz"))


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.name.removesuffix(".json.gz"))
def test_report_comes_out_right(file: Path, tmp_path: Path) -> None:
    case = json.loads(gzip.decompress(file.read_bytes()))
    assert find_differences(case, tmp_path) == []
