"""`tracegrade lint-tools`: whether tools are defined so that a model can use them, in files or as they were offered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import orjson
import typer
from rich.markup import escape
from rich.table import Column, Table

from tracegrade.evaluators.formats.tool_definitions import tool_definitions
from tracegrade.evaluators.lint import Finding, lint
from tracegrade.evaluators.model import ToolDefinition
from tracegrade.evaluators.registry import Configured, configure
from tracegrade.queries.catalog import report

from ..errors import Fault
from ..settings import Settings, configured, load
from ..yaml_file import YamlFile
from .console import Config, Server, Store, console, given
from .source import opened

__all__ = ["lint_tools"]

_FOUND, _NOTHING = 1, 3
_USUAL = ("tool_name_reliability", "tool_description_reliability")


def lint_tools(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="JSON or YAML files of tool definitions; none: the tools in the store.", show_default=False
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    store: Store = None,
    config: Config = None,
    server: Server = None,
) -> int:
    """Check tool definitions: names, descriptions, schemas. Exit code 1 when there is a finding."""
    settings = load(config, **given(store=store))
    tools = _in_files(files) if files else _in_store(settings, server)
    if not tools:
        raise Fault("there are no tool definitions to check", exit_code=_NOTHING)
    findings = lint(tools, _evaluators(settings))
    _print(findings, tools, as_json=as_json)
    return _FOUND if findings else 0


def _in_files(files: Sequence[Path]) -> list[ToolDefinition]:
    found: list[ToolDefinition] = []
    for path in files:
        try:
            found += tool_definitions(YamlFile(path).value, place="tools")  # JSON is YAML
        except ValueError as error:
            raise Fault(f"{path}: {error}") from error
    return [tool.model_copy(update={"description": tool.description or ""}) for tool in found]  # a file leaves out none


def _in_store(settings: Settings, server: str | None) -> list[ToolDefinition]:
    with opened(settings, server) as source:
        rows = source.read(report("offered_tools")).table.to_pylist()
    return [
        ToolDefinition(
            name=row["name"],
            description=row["description"],
            input_schema=None if row["input_schema"] is None else orjson.loads(row["input_schema"]),
        )
        for row in rows
    ]


def _evaluators(settings: Settings) -> list[Configured]:
    """Those of tools that the configuration asks for; where it asks for none, the usual ones."""
    asked = [one for one in configured(settings.evaluators) if one.scope == "tool"]
    return asked or [configure(name) for name in _USUAL]


def _print(findings: Sequence[Finding], tools: Sequence[ToolDefinition], *, as_json: bool) -> None:
    if as_json:
        console.print_json(data={"tools": len(tools), "findings": [asdict(finding) for finding in findings]})
        return
    if findings:
        table = Table(Column("tool", overflow="fold"), Column("check", no_wrap=True), "what is wrong")
        for finding in findings:
            table.add_row(escape(finding.tool), finding.check, escape(finding.fault))
        console.print(table)
    faulty = len({finding.tool for finding in findings})
    console.print(f"{len(tools)} tool definitions, {len(findings)} findings in {faulty} of the tools")
