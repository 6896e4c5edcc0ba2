"""What a module offers is what it says it offers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("collector", "evaluators", "queries")
FILES = [path for name in PACKAGES for path in sorted((ROOT / name).rglob("*.py")) if path.name != "__main__.py"]

FOR_USERS = {
    "tracegrade.evaluators": {
        "AgentTrace",
        "ExpectedCall",
        "LlmCall",
        "Message",
        "Options",
        "Reference",
        "Score",
        "ToolCall",
        "ToolDefinition",
        "catalogue",
        "configure",
        "evaluate",
        "evaluate_conversation",
        "evaluator",
    },
    "tracegrade.collector.assembly": {"assemble"},
    "tracegrade.queries": {"Connection", "QueryAnswer", "SqlError", "Unavailable", "connect"},
}
"""What people import who write evaluators, test agents, read recordings or query the store. A name only leaves with a
major version."""


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(("tracegrade", *(parts[:-1] if parts[-1] == "__init__" else parts)))


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """(module, name) of everything that a file takes from a module of ours."""
    package = name_of(path) if path.name == "__init__.py" else name_of(path).rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom):
            continue
        above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
        module = ".".join([*above, *([node.module] if node.module else [])])
        if module.startswith("tracegrade"):
            yield from ((module, alias.name) for alias in node.names)


def offers(module: ModuleType, name: str) -> bool:
    """Named in `__all__`, or a module of the package."""
    if name in getattr(module, "__all__", ()):
        return True
    return hasattr(module, "__path__") and find_spec(f"{module.__name__}.{name}") is not None


def test_every_name_that_is_offered_exists_and_is_offered_once() -> None:
    offered = [
        (module, name) for module in map(import_module, map(name_of, FILES)) for name in getattr(module, "__all__", [])
    ]
    assert [(module.__name__, name) for module, name in offered if not hasattr(module, name)] == []
    assert len(offered) == len(set(offered))


def test_only_what_is_offered_is_imported() -> None:
    taken = {found for path in FILES for found in imports(path) if not found[0].endswith("tracegrade")}
    assert {f"{module}.{name}" for module, name in taken if not offers(import_module(module), name)} == set()


@pytest.mark.parametrize(("module", "names"), FOR_USERS.items(), ids=FOR_USERS)
def test_names_that_users_import_are_offered(module: str, names: set[str]) -> None:
    assert names <= set(import_module(module).__all__)
