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


def test_only_the_store_names_statements_that_write() -> None:
    others = [module for module in MODULES if not module.startswith(WRITERS)]
    named = {
        module: statements_of(module) & writing() - WRITES_IN_A_TRANSACTION_OF_THE_STORE.get(module, set())
        for module in others
    }
    assert {module: names for module, names in named.items() if names} == {}


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


def test_sql_stands_in_sql_files() -> None:
    others = [module for module in MODULES if not module.startswith(SHOWS_SQL_TO_PEOPLE + HANDLES_SQL)]
    assert [(module, text) for module in others for text in texts(module) if SQL.search(text)] == []


def reads_of_the_environment(module: str) -> list[str]:
    """The places in a module that read another variable than those of the OpenTelemetry exporters."""
    nodes = list(ast.walk(tree(module)))
    of_exporters = {
        id(part)
        for node in nodes
        if isinstance(node, ast.Call) and node.args and ast.unparse(node.args[0]).startswith("'OTEL_")
        for part in ast.walk(node.func)
    }
    return [
        f"{module}:{node.lineno}"
        for node in nodes
        if isinstance(node, (ast.Attribute, ast.Name))
        and (node.attr if isinstance(node, ast.Attribute) else node.id) in {"environ", "getenv"}
        and id(node) not in of_exporters
    ]


def test_only_the_settings_read_the_environment() -> None:
    """But for the variables of the OpenTelemetry exporters, which are theirs, and keys, which settings only name."""
    others = [module for module in MODULES if module not in ENVIRONMENT_READERS]
    assert [place for module in others for place in reads_of_the_environment(module)] == []


READ_WHAT_THEY_SHIP = {"evaluators/llm/prompt.py", "evaluators/checks/failure/shipped.py"}


def test_pure_module_asks_no_clock_and_opens_nothing() -> None:
    pure = [module for module in MODULES if module.startswith(PURE) and module not in READ_WHAT_THEY_SHIP]
    called = [
        (module, ast.unparse(node.func))
        for module in pure
        for node in ast.walk(tree(module))
        if isinstance(node, ast.Call)
    ]
    forbidden = re.compile(r"(^|\.)(now|utcnow|today|open|print|input|read_text)$")
    assert [(module, name) for module, name in called if forbidden.search(name)] == []


def test_files_and_functions_fit_in_a_head() -> None:
    functions = [
        (module, node)
        for module in MODULES
        for node in ast.walk(tree(module))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    long = [
        (module, each.name) for module, each in functions if (each.end_lineno or 0) - each.lineno >= LINES_OF_FUNCTION
    ]
    assert long == []
    lines = {module: len((ROOT / module).read_text(encoding="utf-8").splitlines()) for module in MODULES}
    assert {module: count for module, count in lines.items() if count > LINES_OF_FILE} == {}


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
