"""Public names use the words of the glossary in CONTRIBUTING.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeAlias, get_args

import duckdb
import pytest
from tests.contract.test_docs import settings

from tracegrade.collector.cli.commands import COMMANDS
from tracegrade.collector.metrics.counters import REGISTRY
from tracegrade.collector.reports.audit import FAULTS
from tracegrade.collector.reports.reasons import State
from tracegrade.queries import catalog

ROOT = Path(__file__).parents[2]
GLOSSARY = ROOT / "CONTRIBUTING.md"
PACKAGES = ("collector", "evaluators", "queries")
PORTS = ("evaluators/ports.py", "queries/ports")
WRITTEN_AS_JSON = (
    "collector/cli",
    "collector/preview",
    "collector/reports",
    "collector/web",
    "evaluators/judges/backends/check.py",
    "evaluators/execution/tool_lint.py",
    "queries/http",
)
"""The modules whose values commands print with --json, or the API answers with."""

KEPT = {
    "outcome": "how a run ended, by its errors and its scores; it is not a score",
    "findings": "faults that an audit or a linter found; they are not scores",
    "waiting_runs": "runs wait for a person; evaluators have nothing to do with it",
    "waiting_traces": "traces wait for their parents; they are not deferred targets",
}

Phrase: TypeAlias = tuple[str, ...]


def words(name: str) -> Phrase:
    return tuple(word for word in re.split(r"[^a-z]+", name.lower()) if word)


def tables_of_words() -> Iterator[list[list[str]]]:
    """The tables of the section, each as the cells of its rows, without its head."""
    section = GLOSSARY.read_text(encoding="utf-8").partition("\n## Words\n")[2].partition("\n## ")[0]
    for table in re.findall(r"(?:^\|.*\n)+", section, re.MULTILINE):
        yield [[cell.strip() for cell in line.strip("| \n").split(" | ")] for line in table.splitlines()[2:]]


def list_refused_words() -> set[Phrase]:
    """The entries of the column `not`, each as its words."""
    concepts = next(tables_of_words())
    entries = {words(entry) for row in concepts if len(row) > 2 for entry in row[2].split(",")}
    return entries - {(), ("judge",)}  # a word for the model that is asked


def own_words() -> dict[str, str]:
    """The words that nobody else has, each with its meaning."""
    _, own = tables_of_words()
    return {row[0]: row[1] for row in own}


@cache
def source() -> str:
    """All modules of the packages."""
    modules = [module for package in PACKAGES for module in sorted((ROOT / package).rglob("*.py"))]
    return "\n".join(module.read_text(encoding="utf-8") for module in modules)


def public_names() -> Iterator[str]:
    yield from settings()
    yield from COMMANDS
    yield from get_args(State)
    yield from FAULTS
    yield from (metric.name for metric in REGISTRY.collect())
    connection = duckdb.connect()
    catalog.migrate(connection)
    found = connection.execute("select distinct unnest([table_name, column_name]) from duckdb_columns()").fetchall()
    yield from (name for (name,) in found)
    for path in map(ROOT.joinpath, (*PORTS, *WRITTEN_AS_JSON)):
        for module in [path] if path.is_file() else sorted(path.rglob("*.py")):
            yield from declared_names(ast.parse(module.read_text(encoding="utf-8")))


def declared_names(module: ast.Module) -> Iterator[str]:
    """The fields of its classes, and the keys of its dicts. Of ports, which are all methods, these, too."""
    for node in ast.walk(module):
        if isinstance(node, ast.Dict):
            yield from (key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str))
        elif isinstance(node, ast.ClassDef):
            yield from _members(node)


def _members(node: ast.ClassDef) -> Iterator[str]:
    is_port = any(isinstance(base, ast.Name) and base.id == "Protocol" for base in map(_origin, node.bases))
    for member in node.body:
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
            yield member.target.id
        elif isinstance(member, ast.FunctionDef) and is_port:
            yield member.name


def _origin(base: ast.expr) -> ast.expr:
    """`Protocol` of `Protocol[T]`."""
    return base.value if isinstance(base, ast.Subscript) else base


def uses(name: str, phrase: Phrase) -> bool:
    """Whether the words of `phrase` follow each other in `name`."""
    used = words(name)
    return any(used[at : at + len(phrase)] == phrase for at in range(len(used)))


def test_glossary_lists_words_and_phrases_that_are_not_used() -> None:
    assert {("verdict",), ("intake",), ("hearing",), ("silent",), ("put", "off")} <= list_refused_words()


def test_fields_of_ports_and_keys_of_json_are_public_names() -> None:
    fields, keys, methods = {"is_full", "requested_before"}, {"deferred_until", "score_ids"}, {"last_assembled"}
    assert fields | keys | methods <= set(public_names())


@pytest.mark.parametrize("name", sorted(set(public_names())))
def test_public_name_uses_the_words_of_the_glossary(name: str) -> None:
    assert name in KEPT or {phrase for phrase in list_refused_words() if uses(name, phrase)} == set()


def test_word_is_kept_only_where_a_public_name_has_it() -> None:
    assert KEPT.keys() - set(public_names()) == set()


@pytest.mark.parametrize("word", own_words())
def test_own_word_is_explained_and_used_in_the_code(word: str) -> None:
    assert own_words()[word]
    assert re.search(rf"\b{word}s?\b", source(), re.IGNORECASE)
