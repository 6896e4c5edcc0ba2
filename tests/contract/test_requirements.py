"""The list of what the five source documents ask for names, for each row, the tests that show it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "tests" / "requirements.md"
ROWS = 128

_ROW = re.compile(r"\| (\d+) \| (.+?) \| (.+?) \|")
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def list_rows() -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """The rows of the page: their number, and their tests as path and name."""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if row := _ROW.fullmatch(line):
            yield int(row[1]), _TEST.findall(row[3])


@cache
def list_tests(path: str) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions of a test file."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}


def test_every_requirement_has_one_row() -> None:
    assert [number for number, _ in list_rows()] == list(range(1, ROWS + 1))


@pytest.mark.parametrize(("number", "tests"), [*list_rows()], ids=[f"row {number}" for number, _ in list_rows()])
def test_tests_of_a_requirement_exist_and_run(number: int, tests: list[tuple[str, str]]) -> None:
    assert tests, f"row {number} names no test"
    for path, name in tests:
        found = list_tests(path).get(name)
        assert found is not None, f"{path} has no {name}"
        marks = [ast.unparse(mark) for mark in found.decorator_list]
        assert not [mark for mark in marks if mark.startswith(("pytest.mark.skip", "pytest.mark.xfail"))]
