"""The answers that README.md shows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

import pytest
from tests.support.command import inside

ROOT: Final = Path(__file__).parents[2]
ANSWERED: Final = re.compile(r"```sql\n([^`]*)```\n\n((?:\|[^\n]*\n)+)")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recordings of the demo, evaluated."""
    folder = tmp_path_factory.mktemp("readme")
    done = inside("import", "--store", "s.duckdb", *sorted((ROOT / "collector/recordings").glob("*.pb")), at=folder)
    assert done.code == 0, done.err
    return folder / "s.duckdb"


def agrees(shown: str, cell: object) -> bool:
    """Numbers agree however many digits are shown; a text that is shown with an ellipsis, as far as it goes."""
    if isinstance(cell, str):
        return cell.startswith(shown.removesuffix("…")) if shown.endswith("…") else cell == shown
    return cell == float(shown)


@pytest.mark.parametrize(
    ("query", "table"),
    ANSWERED.findall((ROOT / "README.md").read_text(encoding="utf-8")),
    ids=["pass rates", "failures", "tools"],
)
def test_answers_of_the_readme_are_those_of_the_demo(store: Path, query: str, table: str) -> None:
    done = inside("sql", "--store", store, "--format", "json", query, at=store.parent)
    assert done.code == 0, done.err
    shown = [[cell.strip() for cell in row.strip("|").split(" | ")] for row in table.strip().splitlines()[2:]]
    rows = [list(row.values()) for row in json.loads(done.out)]
    assert len(rows) == len(shown)
    for cells, row in zip(shown, rows, strict=True):
        assert len(cells) == len(row)
        assert all(map(agrees, cells, row)), (cells, row)
