"""The settings that the page of an empty store shows are those of the documents."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tracegrade.queries.pages.overview.frameworks import FRAMEWORKS, Framework

DIALECTS = Path(__file__).parents[2] / "collector/docs/dialects.md"


@pytest.mark.parametrize("framework", FRAMEWORKS, ids=lambda framework: framework.name)
def test_setting_of_a_framework_records_content_as_its_dialect_needs(framework: Framework) -> None:
    rows = [line.split(" | ") for line in DIALECTS.read_text().splitlines() if line.startswith("| `")]
    (setting,) = (cells[2] for cells in rows if cells[0] == f"| `{framework.dialect}`")
    shown = " ".join([*framework.environment, framework.code or ""])
    for needed in re.findall(r"`([^`]+)`", setting):
        assert needed in shown
