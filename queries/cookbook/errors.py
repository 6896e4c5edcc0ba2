"""The errors of reports; their author or the one who asks has to act."""

from __future__ import annotations

__all__ = ["BadParameter", "BadReport", "ReportError", "UnknownReport"]


class ReportError(Exception):
    """Base class of what this package raises; the message says what to change."""


class UnknownReport(ReportError, LookupError):
    """There is no report of this name; the message names the nearest."""


class BadReport(ReportError):
    """The file of a report cannot be used; the message names it and what is wrong."""


class BadParameter(ReportError):
    """A report has no such parameter, or its value cannot be read; the message names the right ones."""
