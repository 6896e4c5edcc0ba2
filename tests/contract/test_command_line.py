"""The command line answers at once: what a command takes is known without what it does, and what it does imports what
that needs. The lists are the measure: they say the same on every machine, which times do not.
"""

from __future__ import annotations

import builtins
import inspect
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest
from tests.support.command import environment
from tests.support.otlp import trace_id
from tests.support.server import Server, running

from tracegrade.collector.cli.commands import COMMANDS, tracegrade
from tracegrade.collector.demo.replay import read_recordings

HEAVY = (
    "asyncio",
    "croniter",
    "duckdb",
    "genai_prices",
    "google.protobuf",
    "grpc",
    "httpx",
    "jsonschema_rs",
    "litellm",
    "mcp",
    "openai",
    "opentelemetry.exporter",
    "opentelemetry.proto",
    "opentelemetry.sdk",
    "prometheus_client",
    "pyarrow",
    "pydantic",
    "pydantic_settings",
    "rich",
    "starlette",
    "structlog",
    "uvicorn",
    "yaml",
    "tracegrade.collector.server.app",
    "tracegrade.collector.dialects",
    "tracegrade.collector.server.pipeline",
    "tracegrade.collector.config.settings",
    "tracegrade.evaluators.llm",
    "tracegrade.evaluators.checks",
    "tracegrade.evaluators.compat",
)
"""What costs 20 ms or 5 MB and more. Another one of that weight belongs here."""

OF_A_SERVER = {"pyarrow", "rich"}
"""What a command needs that shows what a server answers."""

OF_EVALUATORS = {
    "pydantic",
    "pydantic_settings",
    "tracegrade.collector.config.settings",
    "jsonschema_rs",
    "asyncio",
} | {
    "tracegrade.evaluators.checks",
    "tracegrade.evaluators.llm",
}
"""What a command needs that reads the whole configuration: settings, and the default evaluators."""

RUN = """
import sys
from tracegrade.collector.cli import main
heavy, sys.argv = sys.argv[1].split(","), ["tracegrade", *sys.argv[2:]]
try:
    main()
finally:
    sys.stdout.flush()
    print(*[name for name in heavy if name in sys.modules], sep="\\n", file=sys.stderr)
"""


def command(name: str) -> click.Command:
    """What a command takes."""
    found = tracegrade.get_command(click.Context(tracegrade), name)
    assert found is not None
    return found


def commands_with_functions() -> Iterator[tuple[str, click.Command, str]]:
    """Every command, those of groups too, with the name of its function."""
    for name, function in COMMANDS.items():
        declared = command(name)
        if isinstance(declared, click.Group):
            for each, below in declared.commands.items():
                yield name, below, f"{each}_" if hasattr(builtins, each) else each
        else:
            yield name, declared, function


def list_imported(*arguments: str, at: Path) -> set[str]:
    """Which heavy modules a process that runs this command has imported when it ends."""
    words = [sys.executable, "-c", RUN, ",".join(HEAVY), *arguments]
    done = subprocess.run(words, cwd=at, env=environment({}), capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("served") / "s.duckdb") as server:
        yield server


@pytest.fixture(scope="module")
def scored_trace(server: Server) -> str:
    """The id of a trace with scores."""
    return trace_id(server.add_run())


@pytest.mark.parametrize(("name", "declared", "function"), [*commands_with_functions()])
def test_command_takes_what_its_function_asks_for(name: str, declared: click.Command, function: str) -> None:
    path = f"tracegrade.collector.cli.{COMMANDS[name]}"
    module = import_module(path)
    if not hasattr(module, function):
        module = import_module(f"{path}_{function}")
    asked = inspect.signature(getattr(module, function)).parameters
    assert [one.name for one in declared.params] == list(asked)


@pytest.mark.parametrize(("name", "declared", "function"), [*commands_with_functions()])
def test_every_argument_and_option_has_its_help(name: str, declared: click.Command, function: str) -> None:
    assert declared.help
    assert [one.name for one in declared.params if not getattr(one, "help", None)] == []


def test_version_and_the_list_of_commands_import_nothing_heavy(tmp_path: Path) -> None:
    for word in ("--version", "--help"):
        assert list_imported(word, at=tmp_path) == set(), word


def test_help_of_no_command_imports_anything_heavy(tmp_path: Path) -> None:
    """In one process, which imports no less than any of them alone."""
    code = (
        "import sys; from tracegrade.collector.cli.commands import COMMANDS, run\n"
        "assert [name for name in COMMANDS if run([name, '--help'])] == []\n"
        "print(*[name for name in sys.argv[1].split(',') if name in sys.modules], file=sys.stderr)"
    )
    words = [sys.executable, "-c", code, ",".join(HEAVY)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=True)
    assert done.stderr.split() == []


def test_what_a_server_has_rendered_is_passed_on_with_no_heavy_module_but_for_the_console(
    server: Server, tmp_path: Path
) -> None:
    asked = ("sql", "--server", server.web, "--format", "csv", "select 1")
    assert list_imported(*asked, at=tmp_path) <= OF_A_SERVER


@pytest.mark.parametrize("name", ["sql", "show", "tail", "runs"])
def test_command_that_asks_a_server_imports_neither_database_nor_settings(
    server: Server, scored_trace: str, tmp_path: Path, name: str
) -> None:
    words = {"sql": ["select 1"], "tail": ["--no-follow"], "runs": []}.get(name, [scored_trace])
    assert list_imported(name, "--server", server.web, *words, at=tmp_path) == OF_A_SERVER


def test_explanation_by_a_server_is_shown_without_arrow(server: Server, scored_trace: str, tmp_path: Path) -> None:
    assert list_imported("explain", "--server", server.web, scored_trace, at=tmp_path) == OF_A_SERVER - {"pyarrow"}


def test_token_in_a_file_costs_the_reading_of_the_file_alone(server: Server, tmp_path: Path) -> None:
    (tmp_path / "tracegrade.yaml").write_text("token: sesame\n")
    assert list_imported("sql", "--server", server.web, "select 1", at=tmp_path) == {*OF_A_SERVER, "yaml"}


def test_import_of_a_file_imports_no_part_of_the_server(tmp_path: Path) -> None:
    _, file = next(iter(read_recordings()))
    (tmp_path / "spans.pb").write_bytes(file)
    own = {
        "duckdb",
        "google.protobuf",
        "opentelemetry.proto",
        "prometheus_client",
        "tracegrade.collector.dialects",
        "tracegrade.collector.server.pipeline",
    }
    assert list_imported("import", "spans.pb", at=tmp_path) == {"pyarrow", *OF_EVALUATORS, *own}


def test_server_imports_no_part_of_an_extra() -> None:
    code = (
        "import sys, tracegrade.collector.cli.serve, tracegrade.collector.server.app\n"
        "assert not {'litellm', 'mcp', 'duckdb_extension_quack'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], timeout=100, check=True)


def test_query_of_a_store_imports_database_and_settings(server: Server, tmp_path: Path) -> None:
    (tmp_path / "spans.pb").write_bytes(next(iter(read_recordings()))[1])
    list_imported("import", "--no-evaluate", "spans.pb", at=tmp_path)
    assert list_imported("sql", "select 1", at=tmp_path) == {*OF_A_SERVER, *OF_EVALUATORS, "duckdb"}
