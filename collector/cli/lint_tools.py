"""`tracegrade lint-tools`: checks tool definitions, in files or as offered by agents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import orjson
from rich.table import Column, Table

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.formats.tool_definitions import tool_definitions
from tracegrade.evaluators.model import ToolDefinition
from tracegrade.evaluators.passes.lint import Finding, find_contradictions, lint_definitions
from tracegrade.evaluators.text.messages import counted
from tracegrade.queries.catalog import report

from ..client.query import all_rows
from ..client.settings import load_settings
from ..client.source import open_source
from ..config.settings import Settings, evaluators_of
from ..config.yaml_file import BadConfiguration, YamlFile
from ..errors import Fault
from .console import console, plain, print_json

__all__ = ["lint_tools"]

_FOUND, _USAGE, _NOTHING = 1, 2, 3
_USUAL = ("tool_name_reliability", "tool_description_reliability")


def lint_tools(
    *, files: Sequence[Path], as_json: bool, store: str | None, config: Path | None, server: str | None
) -> int:
    settings = load_settings(config, store=store)
    tools, broken = _in_files(files) if files else ({"": _in_store(settings, server)}, [])
    if not any(tools.values()) and not broken:
        raise Fault("no tool definitions to check", exit_code=_NOTHING)
    evaluators = _evaluators(settings)
    findings = list(_findings(tools, evaluators))
    if any(tools.values()):
        _print(findings, sum(map(len, tools.values())), as_json=as_json)
        if asking := [one.name for one in evaluators if one.kind == "llm" and not as_json]:
            console().print(f"no judge was asked: {', '.join(asking)} check more once an agent offers these tools")
    if broken:
        raise Fault("\n".join(broken), exit_code=_USAGE)
    return _FOUND if findings else 0


class _Found(NamedTuple):
    """A finding with the file or files of its tool; empty for tools in the store."""

    file: str
    finding: Finding


def _findings(tools: Mapping[str, Sequence[ToolDefinition]], evaluators: Sequence[Configured]) -> Iterator[_Found]:
    """Finds mistakes within each file, and contradictions between files."""
    within = [
        _Found(file, finding) for file, defined in tools.items() for finding in lint_definitions(defined, evaluators)
    ]
    told = {(one.finding.tool, one.finding.check) for one in within}
    for finding in find_contradictions(chain.from_iterable(tools.values())):
        if (finding.tool, finding.check) not in told:
            where = (file for file, defined in tools.items() if any(tool.name == finding.tool for tool in defined))
            yield _Found(", ".join(where), finding)
    yield from within


def _in_files(files: Sequence[Path]) -> tuple[dict[str, list[ToolDefinition]], list[str]]:
    """Read the tools of each file, and collect the errors of unreadable files."""
    found: dict[str, list[ToolDefinition]] = {}
    broken: list[str] = []
    for path in files:
        try:
            defined = tool_definitions(YamlFile(path).value, place="tools")  # JSON is YAML
        except BadConfiguration as fault:
            broken.append(str(fault))
        except ValueError as error:
            broken.append(f"{path}: {error}")
        else:  # a file leaves no description out that there is
            found[str(path)] = [tool.model_copy(update={"description": tool.description or ""}) for tool in defined]
    return found, broken


def _in_store(settings: Settings, server: str | None) -> list[ToolDefinition]:
    with open_source(settings, server, max_rows=100_000) as source:
        rows = all_rows(source.read, report("offered_tools"))
    return [
        ToolDefinition(
            name=row["name"],
            description=row["description"],
            input_schema=None if row["input_schema"] is None else orjson.loads(row["input_schema"]),
        )
        for row in rows
    ]


def _evaluators(settings: Settings) -> list[Configured]:
    """Give the configured evaluators of tools, without those in user code; if there are none, the default ones."""
    asked = [one for one in evaluators_of(settings) if one.scope == "tool" and one.is_imported]
    return asked or [configure(name) for name in _USUAL]


def _print(findings: Sequence[_Found], tools: int, *, as_json: bool) -> None:
    if as_json:
        told = [{"file": one.file or None, **asdict(one.finding)} for one in findings]
        print_json({"tools": tools, "findings": told})
        return
    for file in dict.fromkeys(one.file for one in findings):
        console().print(_table(file, [one.finding for one in findings if one.file == file]))
    faulty = len({(one.file, one.finding.tool) for one in findings})
    console().print(
        f"{counted(tools, 'tool definition')}, {counted(len(findings), 'finding')} in {counted(faulty, 'tool')}"
    )


def _table(file: str, findings: Sequence[Finding]) -> Table:
    columns = Column("tool", overflow="fold"), Column("check", no_wrap=True), "problem"
    table = Table(*columns, title=plain(file) or None, title_justify="left")
    for finding in findings:
        table.add_row(plain(finding.tool), finding.check, plain(finding.fault))
    return table
