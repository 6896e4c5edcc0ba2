"""`tracegrade doctor`: shows how traces are read, and which content is not recorded, with the setting that enables it.

It also audits scores, tests judges, and shows the addresses of the receivers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from textwrap import shorten
from typing import Any

from rich.table import Column, Table
from rich.text import Text

from tracegrade.evaluators.text.messages import counted
from tracegrade.queries.catalog import report, statement
from tracegrade.queries.foreign_text import one_line

from ..client.query import all_rows
from ..client.settings import load_settings
from ..client.source import Source, find_server_url, open_source
from ..config.settings import Settings, evaluators_of, judges_of
from ..errors import Fault, Rejected
from ..otlp import file as otlp_file
from ..otlp.decode import LOG_COLUMNS, SPAN_COLUMNS, decode_logs, decode_spans
from ..otlp.own_mark import OWN_SCOPE
from ..otlp.signal import Signal
from ..reports.audit import FAULTS, Audit, audit
from ..reports.diagnosis import DiagnosedSpan, Diagnosis, diagnose, summarize_lacks
from ..reports.evaluations import count_unusable_evaluations
from ..reports.reasons import describe_assembly_failure
from ..spans.span import Span
from ..spans.values import as_text
from ..store.arrivals.assembly_source import LARGEST_TRACE
from .console import console, plain, print_json
from .endpoints import show_endpoints
from .judge_probe import check_judges

__all__ = ["doctor"]

Rows = list[dict[str, Any]]

_NOTHING, _FOUND, _USAGE = 1, 1, 2
_TRACES, _SPANS = 5, 60
"""The number of traces, and of spans of each, that are shown one by one."""

_NAMES = 5
"""The number of names of events without a trace that are shown."""

_EVALUATION = "gen_ai.evaluation."

_EXAMPLE = 80
"""The number of characters of an unreadable value that are shown."""

_AUDIT_S = 300.0
"""The time limit of a query of the audit."""

_SUBJECTS: Mapping[str, str] = {"wrong_hours": "hours"}
"""What a finding of no single evaluator is about, other than runs."""


def doctor(
    *,
    subjects: Sequence[str],
    ledger: bool,
    judges: bool,
    as_json: bool,
    store: str | None,
    config: Path | None,
    server: str | None,
) -> int:
    if subjects and not (ledger or judges or as_json):
        return _diagnose(subjects, config, store, server)
    if not (subjects or ledger or judges or as_json or server):
        return show_endpoints(load_settings(config, store=store))
    if subjects or ledger == judges:
        raise Fault("name files or traces, or use either --ledger or --judges", exit_code=_USAGE)
    settings = load_settings(config, store=store)
    if not judges:
        return _audit(settings, server, as_json=as_json)
    return check_judges(judges_of(settings), server=find_server_url(settings, server), as_json=as_json)


def _diagnose(subjects: Sequence[str], config: Path | None, store: str | None, server: str | None) -> int:
    are_files = [Path(subject).is_file() for subject in subjects]
    if all(are_files):
        try:
            traces = _read_files([Path(subject) for subject in subjects])
        except Rejected as error:
            raise Fault(str(error), exit_code=_USAGE) from error
    elif any(are_files):
        raise Fault("name files or traces, not both", exit_code=_USAGE)
    else:
        traces = _read_store(subjects, load_settings(config, store=store), server)
    nameless = traces.pop(None, ([], []))[1]
    read = {trace_id: (spans, diagnose(map(Span.from_row, spans), logs)) for trace_id, (spans, logs) in traces.items()}
    diagnoses = {trace_id: diagnosis for trace_id, (spans, diagnosis) in read.items() if spans or diagnosis.runs}
    for trace_id, diagnosis in [*diagnoses.items()][:_TRACES]:
        _show_trace(trace_id, diagnosis)
    if len(diagnoses) > _TRACES:
        console().print(f"… and {len(diagnoses) - _TRACES} more traces, included in the summary\n")
    _show_unusable([*traces.values(), ([], nameless)])
    _show_own_scope([*traces.values(), ([], nameless)])
    _show_nameless(nameless)
    return _conclude(list(diagnoses.values()))


def _read_files(files: Sequence[Path]) -> dict[str | None, tuple[Rows, Rows]]:
    """Return the rows of spans and log records by trace id; log records without a trace under None."""
    traces: dict[str | None, tuple[Rows, Rows]] = {}
    for part in (part for file in files for part in otlp_file.read(file)):
        if part.signal is Signal.TRACES:
            for row in decode_spans(part.body).rows:
                span = dict(zip(SPAN_COLUMNS, row, strict=True))
                traces.setdefault(span["trace_id"], ([], []))[0].append(span)
        elif part.signal is Signal.LOGS:
            for row in decode_logs(part.body).rows:
                log = dict(zip(LOG_COLUMNS, row, strict=True))
                traces.setdefault(log["trace_id"], ([], []))[1].append(log)
    return traces


def _read_store(subjects: Sequence[str], settings: Settings, server: str | None) -> dict[str | None, tuple[Rows, Rows]]:
    with open_source(settings, server, max_rows=100_000) as source:
        trace_ids = [trace_id for subject in subjects for trace_id in _find_trace_ids(source, subject)]
        return {
            trace_id: (
                all_rows(source.read, statement("spans_of_traces"), trace_ids=trace_id, **LARGEST_TRACE),
                all_rows(source.read, statement("logs_of_traces"), trace_ids=trace_id),
            )
            for trace_id in dict.fromkeys(trace_ids)
        }


def _find_trace_ids(source: Source, subject: str) -> list[str]:
    trace_id = subject.lower().partition("-")[0]
    arrivals = all_rows(source.read, report("arrivals_of_id"), id=trace_id)
    if not arrivals:
        raise Fault(
            f"{subject!r} is neither a file nor the beginning of a trace id; `tracegrade tail` shows ids, and "
            "`tracegrade doctor` without arguments shows where spans are received",
            exit_code=_NOTHING,
        )
    for row in arrivals:
        if failure := describe_assembly_failure(row):
            console().print(f"trace {row['trace_id']}: {plain(failure)}", soft_wrap=True)
    return [row["trace_id"] for row in arrivals]


def _show_unusable(traces: Sequence[tuple[Rows, Rows]]) -> None:
    """Print the evaluations that cannot become scores, or have no value."""
    spans, logs = [row for spans, _ in traces for row in spans], [row for _, logs in traces for row in logs]
    for fault, count in count_unusable_evaluations(spans, logs).most_common():
        console().print(f"{count} unusable evaluation{'s' * (count > 1)}: {plain(fault)}", soft_wrap=True)


def _show_own_scope(traces: Sequence[tuple[Rows, Rows]]) -> None:
    """Print the number of records with our scope, which are not left out: any sender can use it."""
    count = sum(row["scope_name"] == OWN_SCOPE for spans, logs in traces for row in (*spans, *logs))
    if count:
        records = f"{counted(count, 'record')} with the scope {OWN_SCOPE}, read like all others"
        console().print(f"{records}: a server recognises its own records by a mark, not by the scope", soft_wrap=True)


def _show_nameless(logs: Rows) -> None:
    """Print the names of events without a trace, which belong to no run."""
    names = Counter(name for row in logs if (name := row["event_name"]) and not name.startswith(_EVALUATION))
    if not names:
        return
    examples = ", ".join(name for name, _ in names.most_common(_NAMES))
    count = f"{names.total()} log record{'s' * (names.total() > 1)} without a trace id"
    console().print(f"{count}, not part of any run: {plain(examples)}", soft_wrap=True)
    console().print("    also export the traces of this program, and emit its log records within their spans\n")


def _show_trace(trace_id: str | None, diagnosis: Diagnosis) -> None:
    console().rule(f"trace {trace_id}", align="left")
    table = Table(Column("span", no_wrap=True), "dialect", "read as", box=None, pad_edge=False)
    for span in diagnosis.spans[:_SPANS]:
        table.add_row(*_format_span(span))
    console().print(table)
    if len(diagnosis.spans) > _SPANS:
        console().print(f"… and {len(diagnosis.spans) - _SPANS} more spans")
    for run in diagnosis.runs:
        contents = f"{len(run.trajectory)} tool calls, {len(run.llm_calls)} model calls, {run.completeness}"
        waiting = f", waits for {run.interrupt}" if run.interrupt is not None else ""
        console().print(f"run {plain(run.agent_name or 'without a name')}: {contents}{plain(waiting)}")
    console().print()


def _format_span(span: DiagnosedSpan) -> tuple[Text, str, str]:
    name = Text("  " * span.depth + one_line(span.span.name))
    if span.dialect is None:
        return name, "-", plain(f"structure ({span.span.scope_name or 'no scope'})")
    return name, span.dialect, str(span.kind)


def _show_unread(diagnoses: Sequence[Diagnosis]) -> None:
    """Print the attributes that could not be read, each with its first value."""
    counts: Counter[str] = Counter()
    examples: dict[str, Any] = {}
    for span in (span for diagnosis in diagnoses for span in diagnosis.spans):
        for name in span.unread:
            counts[name] += 1
            examples.setdefault(name, span.span.attributes.get(name))
    for name, count in counts.most_common():
        example = shorten(one_line(as_text(examples[name]) or ""), _EXAMPLE, placeholder=" …")
        console().print(f"attribute {plain(name)} cannot be read in {count} span(s), for example {plain(example)}")


def _conclude(diagnoses: Sequence[Diagnosis]) -> int:
    runs = sum(len(diagnosis.runs) for diagnosis in diagnoses)
    if not runs:
        scopes = sorted({span.span.scope_name or "no scope" for diagnosis in diagnoses for span in diagnosis.spans})
        console().print(f"No agent run was found. The spans come from: {plain(', '.join(scopes))}")
        return _NOTHING
    _show_unread(diagnoses)
    missing = summarize_lacks(diagnoses)
    if not missing:
        console().print("Nothing is missing: everything that evaluators read is recorded.")
        return 0
    for remedy in dict.fromkeys(lack.remedy for lack in missing):
        for lack in missing:
            if lack.remedy == remedy:
                console().print(f"not recorded in {lack.runs} of {runs} runs: {plain(lack.description)}")
        for line in remedy.splitlines():
            console().print(f"    {plain(line)}", soft_wrap=True)
    return 0


def _audit(settings: Settings, server: str | None, *, as_json: bool) -> int:
    """Audit the scores; return 1 if there are findings, else 0."""
    with open_source(settings, server, timeout_s=_AUDIT_S) as source:
        result = audit(source.read, evaluators_of(settings))
    if as_json:
        print_json(asdict(result))
    else:
        _show_audit(result)
    return _FOUND if result.findings else 0


def _show_audit(result: Audit) -> None:
    for finding in result.findings:
        count = "" if finding.targets is None else f" ({finding.targets:,})"
        subject = plain(finding.evaluator or _SUBJECTS.get(finding.fault, "runs"))
        console().print(f"[red]{finding.fault}[/red]  {subject}: {FAULTS[finding.fault]}{count}")
        for detail in (*finding.target_ids, *([finding.cause] if finding.cause else [])):
            console().print(f"    {plain(detail)}", soft_wrap=True)
    if result.only_with_reference:
        console().print(f"no fault: {', '.join(result.only_with_reference)} may leave out runs without a reference")
    if result.absent:
        console().print(f"nothing to audit: {', '.join(result.absent)}, which have not run with this configuration")
    if result.unassembled.traces:
        first = ", ".join(result.unassembled.trace_ids)
        failures = f"{result.unassembled.traces:,} traces cannot be assembled and are tried again: {first}"
        console().print(f"{failures}; `tracegrade explain` shows why", soft_wrap=True)
    console().print(f"{len(result.audited)} evaluators audited, {len(result.findings)} findings")
