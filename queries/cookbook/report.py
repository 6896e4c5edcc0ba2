"""A report: a question with the SELECT that answers it.

It is a file like those of `queries/reports`, whose header also has the lines of its own parameters. The parameters of
the SELECT are those of the report; they are not listed anywhere else.

    -- report:  calls_of
    -- purpose: How often was a tool called?
    -- period:  24h
    -- tool:    the name of the tool
    select count(*) as n
    from tool_calls
    where name = $tool and started_at >= $since::timestamp
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ..sql_file import SqlFile

__all__ = ["COMMON", "DEFAULT_PERIOD", "Report", "find_parameters"]

DEFAULT_PERIOD: Final = "7d"

COMMON: Final = {
    "since": "runs that began at this time or later",
    "until": "runs that began before this time; default: now",
    "agent": "only this agent",
    "version": "only this version of the agent",
    "environment": "only this environment",
}
"""The parameters that most reports have, with their meaning."""

_TOKEN: Final = re.compile(
    r"--[^\n]*|/\*.*?\*/"  # comments
    r"|[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\""  # texts and quoted names
    r"|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$"  # dollar-quoted texts
    r"|\$(?P<name>[A-Za-z_]\w*)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Report:
    """A report. `is_own`: it is from the folder of the user."""

    file: SqlFile
    is_own: bool = False

    @property
    def name(self) -> str:
        return self.file.name

    @property
    def question(self) -> str:
        """What it answers, in one line."""
        return self.file.header.get("purpose", "")

    @property
    def grain(self) -> str:
        """The columns that identify a row."""
        return self.file.header.get("grain", "")

    @property
    def note(self) -> str:
        """How the answer is to be read."""
        return self.file.header.get("note", "")

    @property
    def period(self) -> str | None:
        """How long before its end the period begins if `since` is not given; None: it has no such parameter."""
        return self.file.header.get("period", DEFAULT_PERIOD) if "since" in self.parameters else None

    @property
    def sql(self) -> str:
        return self.file.text

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters: the common ones first, then its own in the order of the header."""
        named = find_parameters(self.sql)
        order = [*COMMON, *self.file.header]
        return tuple(sorted(named, key=lambda name: (order.index(name) if name in order else len(order), name)))

    def meaning(self, parameter: str) -> str:
        """Return what a parameter selects; empty if the header of the file does not say it."""
        return self.file.header.get(parameter) or COMMON.get(parameter, "")


def find_parameters(sql: str) -> frozenset[str]:
    """Return the names of the parameters (`$name`) in a SELECT, without those in comments and texts."""
    return frozenset(match["name"] for match in _TOKEN.finditer(sql) if match["name"])
