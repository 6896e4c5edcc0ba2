"""The page of the reports, with their answers on the history of the demo; run this module to write it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap
from typing import Final

from tests.support.history import make_history_store

from tracegrade.collector.client.source import LocalSource
from tracegrade.collector.demo.history import History
from tracegrade.collector.reports.cookbook import Answered, answer, ask
from tracegrade.collector.store.engines.selection import locate
from tracegrade.queries.cookbook.library import Library, read_library
from tracegrade.queries.cookbook.report import COMMON, Report
from tracegrade.queries.markdown import markdown_table
from tracegrade.queries.number_text import format_rows
from tracegrade.queries.result import plain_rows

__all__ = [
    "END",
    "HISTORY",
    "PAGE",
    "QUESTIONS",
    "RUN",
    "render_answers",
    "render_parameters",
    "render_questions",
    "section_of",
]

PAGE: Final = Path(__file__).parents[2] / "queries/docs/cookbook.md"
END: Final = datetime(2026, 1, 30, 12)  # noqa: DTZ001 - as the store keeps it
"""When the history ends, and the reports of the page are asked."""

HISTORY: Final = History(days=28, seed=1, end=END)

RUN: Final = "RUN"
"""Stands in a command for the id of a run."""

QUESTIONS: Final[Sequence[tuple[str, str, str]]] = [
    (
        "What failed in the last hour, and why?",
        "tracegrade report failed --since 1h",
        "from failures where time > since('1h')",
    ),
    (
        "Since when does this tool fail?",
        "tracegrade report tools_by_hour --tool get_weather",
        "select day, errors, calls from tools where tool = 'get_weather' order by day",
    ),
    (
        "Which version made it worse?",
        "tracegrade report version_difference",
        "select agent_name, agent_version, avg(failing::int) from runs group by all",
    ),
    ("What did this run do?", f"tracegrade show {RUN}", "from tool_calls where agent_trace_id = '…'"),
    (
        "What did each agent cost yesterday, and its failing runs?",
        "tracegrade report agent_costs --since yesterday --until today",
        "select agent_name, failing, sum(cost_usd) from runs group by all",
    ),
    (
        "Which tools are the slowest (p95)?",
        "tracegrade report slowest_tools",
        "select tool, max(p95_ms) from tools group by tool order by 2 desc",
    ),
    (
        "What was not scored, and why?",
        "tracegrade report coverage",
        "select reason, count(*) from latest_scores where value is null group by 1",
    ),
    (
        "In which conversations does the user repeat?",
        "tracegrade report repeats",
        "select session_id, input, count(*) from runs group by all having count(*) > 1",
    ),
    (
        "Where do judge and people disagree?",
        "tracegrade report agreement",
        "from calibration_pairs where judge_passed <> human_passed",
    ),
    (
        "Which runs called this tool with this argument?",
        "tracegrade report calls_with --tool get_weather --argument city --value Oslo",
        "from tool_calls where name = 'get_weather' and arg(args, 'city') = 'Oslo'",
    ),
]
"""What somebody on call asks, the command that answers it, and a line of SQL that does."""

_GIVEN: Final[Mapping[str, Mapping[str, str]]] = {
    "calls_with": {"tool": "get_weather", "argument": "city", "value": "Oslo"},
    "changed": {"since": "14d"},
    "drift": {"agent": "travel_agent", "evaluator": "tool_error"},
    "latency": {"agent": "travel_agent"},
    "scores_by_day": {"agent": "travel_agent", "evaluator": "tool_error"},
    "scores_by_version": {"since": "28d", "agent": "travel_agent"},
    "tools_by_hour": {"tool": "get_weather"},
    "versions": {"since": "28d"},
}
"""The parameters with which a report is asked on the page."""

_INTRODUCTION: Final = (
    "The answers are those of `tracegrade demo --history 28d` on a Friday at noon: nine days before, an agent got a\n"
    "new version, one of whose tools fails since five days. Long texts and ids are cut; `…` alone stands for a number\n"
    "that varies."
)
_VARYING: Final[Mapping[str, frozenset[str]]] = {
    "agent_costs": frozenset({"judge_usd"}),
    "judge_costs": frozenset({"n", "cached", "cost_usd", "input_tokens", "output_tokens"}),
}
"""Columns that are left out: a question that several runs share is asked for one of them, and it varies for which."""

_MOST_ROWS: Final = 8
_MOST_CHARACTERS: Final = 60
_ID: Final = re.compile(r"[0-9a-f]{32}-[0-9a-f]{16}")


def section_of(page: str, heading: str) -> str:
    """What stands below a heading of the page, up to the next one of its level or the end."""
    return page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0].strip()


def _replace_section(page: str, heading: str, text: str) -> str:
    before, title, rest = page.partition(f"\n## {heading}\n")
    _, following, after = rest.partition("\n## ")
    return f"{before}{title}\n{text}\n{following}{after}"


def render_questions() -> str:
    """The table of questions, each with its command and its line of SQL."""
    rows = [f"| {question} | `{command.replace(RUN, 'ID')}` | `{sql}` |" for question, command, sql in QUESTIONS]
    return "\n".join(["| question | command | SQL |", "| --- | --- | --- |", *rows])


def render_answers(store: Path) -> str:
    """All reports with their answers on this store."""
    database = locate(str(store)).open(memory_limit=None, read_only=True)
    try:
        source, library = LocalSource(database), read_library()
        reports = [_render_report(source, library, report) for report in library.reports.values()]
        return "\n\n".join([_INTRODUCTION, *reports])
    finally:
        database.close()


def _render_report(source: LocalSource, library: Library, report: Report) -> str:
    given = _GIVEN.get(report.name, {})
    answered = answer(source.read, ask(library, report.name, given, now=END))
    options = "".join(f" --{name} {value}" for name, value in given.items())
    return "\n".join(
        [
            f"### `{report.name}`",
            "",
            report.question,
            *_list_notes(report),
            *_list_own_parameters(report),
            "",
            "```sh",
            f"tracegrade report {report.name}{options}",
            "```",
            "",
            *_render_table(answered),
        ]
    )


def _list_notes(report: Report) -> Iterator[str]:
    if report.note:
        yield ""
        yield from wrap(report.note[:1].upper() + report.note[1:], 120, break_long_words=False, break_on_hyphens=False)


def _list_own_parameters(report: Report) -> Iterator[str]:
    own = [f"`--{name}`: {report.meaning(name)}" for name in report.parameters if name in report.file.header]
    if own:
        yield ""
        yield from wrap(f"Its own parameters: {'; '.join(own)}.", 120, break_long_words=False, break_on_hyphens=False)


def _render_table(answered: Answered) -> Iterator[str]:
    names = [column.name for column in answered.result.columns]
    rows = list(plain_rows(answered.result))
    varying = [name in _VARYING.get(answered.report.name, ()) for name in names]
    shown = [
        ["…" if varies else _shorten(value) for varies, value in zip(varying, row, strict=True)]
        for row in format_rows(names, rows[:_MOST_ROWS])
    ]
    yield markdown_table(answered.result.columns, shown).rstrip() if rows else "No rows."
    if len(rows) > _MOST_ROWS:
        yield ""
        yield f"… and {len(rows) - _MOST_ROWS} more rows."


def _shorten(value: object) -> object:
    """Cut a long text, and an id to its first digits, by which commands find it, too."""
    if not isinstance(value, str):
        return value
    text = _ID.sub(lambda match: f"{match[0][:8]}…", value)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"


def render_parameters() -> str:
    """The parameters that most reports have."""
    return "\n".join(
        ["| option | selects |", "| --- | --- |", *(f"| `--{key}` | {text} |" for key, text in COMMON.items())]
    )


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        store = Path(sys.argv[1]) if len(sys.argv) > 1 else make_history_store(HISTORY, Path(folder) / "history")
        page = PAGE.read_text(encoding="utf-8")
        for heading, text in (
            ("Ten questions", render_questions()),
            ("Parameters", render_parameters()),
            ("All reports", render_answers(store)),
        ):
            page = _replace_section(page, heading, text)
        PAGE.write_text(page, encoding="utf-8")
