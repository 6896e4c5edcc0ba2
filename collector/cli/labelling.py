"""Lists runs that are worth a label by a person, for `tracegrade annotate --queue`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from tracegrade.evaluators.text.times import parse_time
from tracegrade.queries.catalog import report
from tracegrade.queries.foreign_text import one_line

from ..client.query import all_rows
from ..client.source import Source
from ..clock import utc_now
from ..errors import Fault
from .console import console, plain

__all__ = ["show_queue"]


def show_queue(source: Source, *, evaluator: str | None, since: str, limit: int) -> int:
    """Print the queue, best first, with the command that labels a run. Raises Fault if `since` is not a time."""
    try:
        begin = parse_time(since, utc_now())
    except ValueError as error:
        raise Fault(f"--since: {error}") from error
    others = dict.fromkeys(("until", "agent", "version", "environment", "service"))
    asked = {"since": begin.isoformat(), "evaluator": evaluator, "limit": limit, **others}
    rows = all_rows(source.read, report("labelling"), **asked)
    if not rows:
        about = f" of {evaluator}" if evaluator else ""
        console().print(
            plain(f"nothing to label: no score{about} since {begin:%Y-%m-%d %H:%M} UTC is disputed or unsure")
        )
        return 0
    for row in rows:
        console().print(_format(row), soft_wrap=True)
    console().print(plain(f"tracegrade annotate ID --name {rows[0]['evaluator']} --good (or --bad)"), soft_wrap=True)
    return 0


def _format(row: Mapping[str, Any]) -> Text:
    """Format an entry in two lines: when, which agent, the score and the reason; then the id."""
    value = "" if row["value"] is None else f" {row['value']:.2f}"
    result = {True: " good", False: " bad", None: ""}[row["passed"]]
    time = f"{row['started_at']:%m-%d %H:%M}" if row["started_at"] else f"{'':11}"
    return Text.assemble(
        (f"{time} ", "dim"),
        f"{one_line(row['agent_name'] or '?')[:16]:<16} ",
        f"{one_line(row['evaluator'])}{result}{value}: ",
        (one_line(row["reason"]), "italic"),
        (f"\n{'':12}{one_line(row['target_id'])}", "dim"),
    )
