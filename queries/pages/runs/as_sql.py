"""A list of runs as a query for the page of SQL, for readers who want to go on from it."""

from __future__ import annotations

import math
import re
from typing import Final

from ...catalog import report
from ...filter import RunFilter
from ..selection import DEFAULT_SINCE
from ..visit import Visit

__all__ = ["link_to_sql"]

_LONGEST: Final = 3_500
"""The most characters of a link, as on the page of SQL."""

_HEADER: Final = re.compile(r"(?:--.*\n)+")
_PARAMETER: Final = re.compile(r"\$(\w+)")


def link_to_sql(visit: Visit, run_filter: RunFilter) -> str | None:
    """Return a link to the page of SQL with the query of a list; None if it would be too long.

    Texts of the filter become fields of that page, and numbers part of the query.
    """
    texts = {name: value for name, value in run_filter.parameters.items() if isinstance(value, str)}
    numbers = {name: value for name, value in run_filter.parameters.items() if not isinstance(value, str)}
    condition = _PARAMETER.sub(
        lambda match: _write_number(numbers[match[1]]) if match[1] in numbers else match[0], run_filter.condition
    )
    sql = _HEADER.sub("", report("listed_runs", condition=condition.replace("\n", "\n        ")), count=1)
    since = None if visit.selection.is_fixed else visit.selection.since or DEFAULT_SINCE
    names = dict.fromkeys(visit.selection.names)
    link = visit.links.to("sql", **{**names, "since": since, **texts, "sql": sql.strip().rstrip(";")})
    return link if len(link) <= _LONGEST else None


def _write_number(number: float) -> str:
    return f"'{number}'::double" if math.isinf(number) else repr(number)
