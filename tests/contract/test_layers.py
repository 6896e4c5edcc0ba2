"""What holds the house up and no import rule can say."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import duckdb
import pytest
from tests.support.sql_files import complete

from tracegrade.queries.catalog import SqlFile, objects

ROOT = Path(__file__).parents[2]
PACKAGES = ("collector", "evaluators", "queries")
MODULES = sorted(path.relative_to(ROOT).as_posix() for name in PACKAGES for path in (ROOT / name).rglob("*.py"))
PURE = (
    "evaluators/llm/",
    "evaluators/checks/",
    "evaluators/conversation.py",
    "evaluators/definition/dialogue.py",
    "evaluators/formats/",
    "evaluators/definition/function_path.py",
    "evaluators/definition/module_file.py",
    "evaluators/text/suggestions.py",
    "evaluators/text/json_text.py",
    "evaluators/matching/",
    "evaluators/model/",
    "evaluators/text/option_hints.py",
    "evaluators/compat/",
    "evaluators/pricing/",
    "evaluators/definition/registry.py",
    "queries/filter/",
)

DIALECTS = [
    module
    for module in MODULES
    if module.startswith("collector/dialects/") and module != "collector/dialects/__init__.py"
]

STATEMENTS = objects("statement")
READS = {duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN}
WRITERS = ("collector/store/", "queries/catalog.py")
WRITES_IN_A_TRANSACTION_OF_THE_STORE = {"collector/export/outbox.py": {"delete_sent_events"}}

SQL = re.compile(
    r"\bselect\b.+\bfrom\b|\binsert\s+into\b|\bdelete\s+from\b|\bupdate\s+\w+\s+set\b"
    r"|\b(create|alter|drop)\s+(or\s+replace\s+)?(table|view|macro|index|sequence)\b",
    re.IGNORECASE | re.DOTALL,
)
SHOWS_SQL_TO_PEOPLE = ("collector/cli/",)
HANDLES_SQL = ("queries/catalog.py", "queries/fence/")
PUTS_THE_ENVIRONMENT_BACK = "collector/worker/guard.py"
READS_THE_KEY = "evaluators/judges/exchange/key.py"
READS_THE_TOKEN = "collector/config/api_token.py"
HANDS_THE_ENVIRONMENT_ON = "collector/experiments/command_task.py"
READS_CREDENTIALS_OF_FLOTORCH = "collector/config/flotorch.py"
ENVIRONMENT_READERS = {
    READS_CREDENTIALS_OF_FLOTORCH,
    HANDS_THE_ENVIRONMENT_ON,
    PUTS_THE_ENVIRONMENT_BACK,
    READS_THE_KEY,
    READS_THE_TOKEN,
}

LINES_OF_FILE, LINES_OF_FUNCTION = 350, 50


@cache
def tree(module: str) -> ast.Module:
    return ast.parse((ROOT / module).read_text(encoding="utf-8"))


def texts(module: str) -> Iterator[str]:
    """The string constants of a module, without docstrings."""
    documents = {
        id(node.value) for parent in ast.walk(tree(module)) for node in _body(parent) if isinstance(node, ast.Expr)
    }
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
            yield node.value


def _body(node: ast.AST) -> list[ast.stmt]:
    body = getattr(node, "body", ())
    return body if isinstance(body, list) else []


@cache
def statements_of(module: str) -> set[str]:
    """The names of statements that a module speaks of: whole, or by their beginning in an f-string."""
    names = {each.name for each in STATEMENTS}
    whole = names & set(texts(module))
    beginnings = {
        part.value
        for node in ast.walk(tree(module))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "statement"
        for text in node.args
        if isinstance(text, ast.JoinedStr)
        for part in text.values[:1]
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    }
    return whole | {name for name in names for beginning in beginnings if name.startswith(beginning)}


@cache
def writing() -> set[str]:
    """The names of the statements that write."""
    return {each.name for each in STATEMENTS if types(each) - READS}


@cache
def parser() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


def types(file: SqlFile) -> set[duckdb.StatementType]:
    return {one.type for one in parser().extract_statements(complete(file))}


@pytest.mark.parametrize("module", MODULES)
def test_only_the_store_names_statements_that_write(module: str) -> None:
    allowed = WRITES_IN_A_TRANSACTION_OF_THE_STORE.get(module, set())
    assert module.startswith(WRITERS) or statements_of(module) & writing() <= allowed


@pytest.mark.parametrize("report", [*objects("report"), *objects("condition")], ids=lambda each: each.name)
def test_report_only_reads(report: SqlFile) -> None:
    assert types(report) <= READS


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda each: each.name)
def test_statement_is_used(statement: SqlFile) -> None:
    assert any(statement.name in statements_of(module) for module in MODULES)


@pytest.mark.parametrize("condition", objects("condition"), ids=lambda each: each.name)
def test_condition_is_used(condition: SqlFile) -> None:
    users = ("queries/filter/fields.py", "queries/filter/compile.py", "queries/pages/evaluators/chosen.py")
    assert condition.name in {text for module in users for text in texts(module)}


@pytest.mark.parametrize("module", [each for each in MODULES if not each.startswith(SHOWS_SQL_TO_PEOPLE + HANDLES_SQL)])
def test_sql_stands_in_sql_files(module: str) -> None:
    assert [text for text in texts(module) if SQL.search(text)] == []


@pytest.mark.parametrize("module", [each for each in MODULES if each not in ENVIRONMENT_READERS])
def test_only_the_settings_read_the_environment(module: str) -> None:
    """But for the variables of the OpenTelemetry exporters, which are theirs, and keys, which settings only name."""
    reads = [
        node for node in ast.walk(tree(module)) if isinstance(node, ast.Call) and "environ" in ast.unparse(node.func)
    ]
    others = [ast.unparse(node) for node in reads if not ast.unparse(node.args[0]).startswith("'OTEL_")]
    mentions = sum(isinstance(node, ast.Attribute) and node.attr == "environ" for node in ast.walk(tree(module)))
    assert others == []
    assert mentions == len(reads)
    assert "getenv" not in ast.unparse(tree(module))


READ_WHAT_THEY_SHIP = {"evaluators/llm/prompt.py", "evaluators/checks/failure/shipped.py"}


@pytest.mark.parametrize(
    "module", [each for each in MODULES if each.startswith(PURE) and each not in READ_WHAT_THEY_SHIP]
)
def test_pure_module_asks_no_clock_and_opens_nothing(module: str) -> None:
    called = {ast.unparse(node.func) for node in ast.walk(tree(module)) if isinstance(node, ast.Call)}
    assert {
        name for name in called if re.search(r"(^|\.)(now|utcnow|today|open|print|input|read_text)$", name)
    } == set()


@pytest.mark.parametrize("module", MODULES)
def test_file_and_functions_fit_in_a_head(module: str) -> None:
    functions = [node for node in ast.walk(tree(module)) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    long = [node.name for node in functions if (node.end_lineno or 0) - node.lineno >= LINES_OF_FUNCTION]
    assert long == []
    assert len((ROOT / module).read_text(encoding="utf-8").splitlines()) <= LINES_OF_FILE


@pytest.mark.parametrize("module", DIALECTS)
def test_dialect_imports_no_other_dialect(module: str) -> None:
    """An import rule cannot say this: `shared` stands in the same folder."""
    depth = 2 if "/shared/" in module else 1
    others = {Path(one).stem for one in DIALECTS if "/shared/" not in one}
    imported = {
        (node.module or alias.name).partition(".")[0]
        for node in ast.walk(tree(module))
        if isinstance(node, ast.ImportFrom) and node.level == depth
        for alias in node.names
    }
    assert imported.isdisjoint(others)
