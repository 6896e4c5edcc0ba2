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
from tracegrade.evaluators.execution.tool_lint import Finding, find_contradictions, lint_definitions
from tracegrade.evaluators.formats.tool_definitions import tool_definitions
from tracegrade.evaluators.model import ToolDefinition
from tracegrade.evaluators.text.messages import counted
from tracegrade.queries.catalog import report

from ..client.query import all_rows
from ..client.settings import load_settings
from ..client.source import open_source
from ..config.configuration_file import BadConfiguration
from ..config.settings import Settings, evaluators_of
from ..config.yaml_file import YamlFile
from ..config.yaml_loader import OWN_DEPTH
from ..errors import Fault
from .console import console, plain, print_json

__all__ = ["lint_tools"]

_FOUND, _USAGE, _NOTHING = 1, 2, 3
_DEFAULTS = ("tool_name_reliability", "tool_description_reliability")


def lint_tools(
    *, files: Sequence[Path], as_json: bool, store: str | None, config: Path | None, server: str | None
) -> int:
    settings = load_settings(config, store=store)
    tools, broken = _read_files(files) if files else ({"": _read_store(settings, server)}, [])
    if not any(tools.values()) and not broken:
        raise Fault("no tool definitions to check", exit_code=_NOTHING)
    evaluators = _choose_evaluators(settings)
    findings = list(_find_mistakes(tools, evaluators))
    if any(tools.values()):
        _print_findings(findings, sum(map(len, tools.values())), as_json=as_json)
        if asking := [evaluator.name for evaluator in evaluators if evaluator.kind == "llm" and not as_json]:
            console().print(f"no judge was asked: {', '.join(asking)} check more once an agent offers these tools")
    if broken:
        raise Fault("\n".join(broken), exit_code=_USAGE)
    return _FOUND if findings else 0


class _FileFinding(NamedTuple):
    """A finding with the file or files of its tool; empty for tools in the store."""

    file: str
    finding: Finding


def _find_mistakes(
    tools: Mapping[str, Sequence[ToolDefinition]], evaluators: Sequence[Configured]
) -> Iterator[_FileFinding]:
    """Yield contradictions between files, and mistakes within each file."""
    within = [
        _FileFinding(file, finding)
        for file, defined in tools.items()
        for finding in lint_definitions(defined, evaluators)
    ]
    reported = {(finding.tool, finding.check) for _, finding in within}
    for finding in find_contradictions(chain.from_iterable(tools.values())):
        if (finding.tool, finding.check) not in reported:
            names = (file for file, defined in tools.items() if any(tool.name == finding.tool for tool in defined))
            yield _FileFinding(", ".join(names), finding)
    yield from within


def _read_files(files: Sequence[Path]) -> tuple[dict[str, list[ToolDefinition]], list[str]]:
    """Return the tools of each file, and the errors of unreadable files."""
    tools: dict[str, list[ToolDefinition]] = {}
    broken: list[str] = []
    for path in files:
        try:
            defined = tool_definitions(YamlFile(path, depth=OWN_DEPTH).value, place="tools")  # JSON is YAML
        except BadConfiguration as fault:
            broken.append(str(fault))
        except ValueError as error:
            broken.append(f"{path}: {error}")
        else:  # unlike a span, a file always contains the descriptions that exist
            tools[str(path)] = [tool.model_copy(update={"description": tool.description or ""}) for tool in defined]
    return tools, broken


def _read_store(settings: Settings, server: str | None) -> list[ToolDefinition]:
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


def _choose_evaluators(settings: Settings) -> list[Configured]:
    """Return the configured evaluators of tools, without those in user code; if there are none, the default ones."""
    chosen = [evaluator for evaluator in evaluators_of(settings) if evaluator.scope == "tool" and evaluator.is_imported]
    return chosen or [configure(name) for name in _DEFAULTS]


def _print_findings(findings: Sequence[_FileFinding], tools: int, *, as_json: bool) -> None:
    if as_json:
        objects = [{"file": file or None, **asdict(finding)} for file, finding in findings]
        print_json({"tools": tools, "findings": objects})
        return
    for file in dict.fromkeys(file for file, _ in findings):
        console().print(_build_table(file, [finding for place, finding in findings if place == file]))
    faulty = len({(file, finding.tool) for file, finding in findings})
    console().print(
        f"{counted(tools, 'tool definition')}, {counted(len(findings), 'finding')} in {counted(faulty, 'tool')}"
    )


def _build_table(file: str, findings: Sequence[Finding]) -> Table:
    columns = Column("tool", overflow="fold"), Column("check", no_wrap=True), "problem"
    table = Table(*columns, title=plain(file) or None, title_justify="left")
    for finding in findings:
        table.add_row(plain(finding.tool), finding.check, plain(finding.fault))
    return table
