"""`poe fidelity [FOLDER]`: imports recordings and prints how much of the truth comes out of the public tables.

FOLDER is laid out as tests/recorded: <framework>/<scenario>.{traces.pb,logs.pb,truth.json}, or is the folder of one
framework. With `--json` the last line is one JSON object. Exit code 1 when something that the wire carries did not come
out.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tracegrade.collector.config.settings import load
from tracegrade.collector.otlp import file as otlp_file
from tracegrade.collector.otlp.decode import LOG_COLUMNS, SPAN_COLUMNS, decode_logs, decode_spans
from tracegrade.collector.otlp.signal import Signal
from tracegrade.collector.server.pipeline import Pipeline

from .carried import Carried
from .compare import COLUMNS, Item, Told, compare
from .declared import excuse
from .truth import read

TABLES = {
    "runs": "agent_traces",
    "models": "llm_calls",
    "calls": "tool_calls",
    "messages": "messages",
    "definitions": "tool_definitions",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """An item, and why it could not come out when it did not."""

    framework: str
    scenario: str
    item: Item
    excuse: str | None

    @property
    def is_failure(self) -> bool:
        return not self.item.came_out and self.excuse is None


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="poe fidelity", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parent.parent / "recorded")
    parser.add_argument("--json", action="store_true", help="print a JSON object as the last line")
    options = parser.parse_args(arguments)
    scenarios = sorted(options.folder.glob("*/*.truth.json")) or sorted(options.folder.glob("*.truth.json"))
    if not scenarios:
        sys.stderr.write(f"{options.folder}: no <framework>/<scenario>.truth.json in it\n")
        return 2
    findings = list(asyncio.run(_examined(scenarios)))
    _print(findings)
    if options.json:
        print(json.dumps(_summary(findings)))
    return int(any(finding.is_failure for finding in findings))


async def _examined(scenarios: Sequence[Path]) -> list[Finding]:
    with tempfile.TemporaryDirectory() as folder:
        pipeline = Pipeline(load(store=f"{folder}/fidelity.duckdb", evaluators=[]))
        pipeline.start()
        try:
            for truth in scenarios:
                for file in _recordings(truth):
                    for part in otlp_file.read(file):
                        await pipeline.queue.accept(part.signal, part.body)
            await pipeline.finish(evaluate=False)
            return [finding for truth in scenarios for finding in _findings(pipeline, truth)]
        finally:
            await pipeline.close()


def _recordings(truth: Path) -> list[Path]:
    stem = truth.name.removesuffix(".truth.json")
    return [file for file in sorted(truth.parent.glob(f"{stem}.*")) if file != truth]


def _findings(pipeline: Pipeline, truth: Path) -> Iterator[Finding]:
    wire = _carried(truth)
    trace_ids = sorted({row["trace_id"] for row in wire.spans})
    with pipeline.database.cursor() as connection:
        told = Told(
            **{
                field: connection.table(table).filter(f"trace_id in {_listed(trace_ids)}").to_arrow_table().to_pylist()
                for field, table in TABLES.items()
            }
        )
    own = [call for call in told.calls if call["child_agent_trace_id"] is None]
    for item in compare(read(truth), replace(told, calls=own)):
        reason = None if item.came_out else excuse(item, wire)
        yield Finding(truth.parent.name, truth.name.removesuffix(".truth.json"), item, reason)


def _carried(truth: Path) -> Carried:
    spans: list[Mapping[str, Any]] = []
    logs: list[Mapping[str, Any]] = []
    for file in _recordings(truth):
        for part in otlp_file.read(file):
            if part.signal is Signal.TRACES:
                spans += [dict(zip(SPAN_COLUMNS, row, strict=True)) for row in decode_spans(part.body).rows]
            else:
                logs += [dict(zip(LOG_COLUMNS, row, strict=True)) for row in decode_logs(part.body).rows]
    return Carried(tuple(spans), tuple(logs))


def _listed(trace_ids: Sequence[str]) -> str:
    return "(" + ", ".join(f"'{trace_id}'" for trace_id in [*trace_ids, ""]) + ")"


def _print(findings: Sequence[Finding]) -> None:
    for finding in findings:
        if finding.is_failure:
            print(f"{finding.framework}/{finding.scenario}: {finding.item.column}: {str(finding.item.value)[:160]!r}")
    print("\n" + "framework".ljust(30) + "".join(column[-9:].rjust(10) for column in COLUMNS))
    for framework in [*dict.fromkeys(finding.framework for finding in findings), "total"]:
        chosen = [finding for finding in findings if framework in {finding.framework, "total"}]
        print(framework.ljust(30) + "".join(_share(chosen, column).rjust(10) for column in COLUMNS))
    reasons = Counter(finding.excuse for finding in findings if finding.excuse)
    for reason, count in reasons.most_common():
        print(f"{count:>5} could not come out: {reason}")
    failures = sum(finding.is_failure for finding in findings)
    print(f"{failures:>5} that the wire carries did not come out")


def _share(findings: Sequence[Finding], column: str) -> str:
    possible = [f for f in findings if f.item.column == column and f.excuse is None]
    if not possible:
        return "-"
    return f"{sum(f.item.came_out for f in possible)}/{len(possible)}"


def _summary(findings: Sequence[Finding]) -> dict[str, Any]:
    frameworks = dict.fromkeys(finding.framework for finding in findings)
    return {
        "failures": sum(finding.is_failure for finding in findings),
        "total": _counts(findings),
        "frameworks": {name: _counts([f for f in findings if f.framework == name]) for name in frameworks},
    }


def _counts(findings: Sequence[Finding]) -> dict[str, dict[str, int]]:
    return {
        column: {
            "came_out": sum(f.item.came_out for f in findings if f.item.column == column),
            "possible": sum(f.item.column == column and f.excuse is None for f in findings),
            "declared": sum(f.item.column == column and f.excuse is not None for f in findings),
        }
        for column in COLUMNS
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
