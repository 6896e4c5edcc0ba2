"""Modules of a folder are imported because they are there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tracegrade.evaluators.definition.listing import import_modules


def test_modules_of_the_folder_are_imported_but_not_its_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "listed_checks"
    (folder / "shared").mkdir(parents=True)
    for name in ("__init__", "latency", "length", "shared/__init__"):
        (folder / f"{name}.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    import_modules("listed_checks", [str(folder)])
    assert {name for name in sys.modules if name.startswith("listed_checks")} == {
        "listed_checks",
        "listed_checks.latency",
        "listed_checks.length",
    }
