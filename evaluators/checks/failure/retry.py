"""Whether a later call of the same tool makes up for a call that failed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from ...model import ToolCall
from .text import is_about_the_tool
from .tool_kind import ToolKind, words, works_on_page

__all__ = ["found_it_there", "makes_good"]

_THERE: Final = re.compile(
    r"(?:file|directory|folder|path)\b[^\n]{0,200}\balready exists|\bfile exists\b"
    r"|already exists[^\n]{0,40}\b(?:file|directory|folder|path)|/\S{1,200} already exists",
    re.IGNORECASE,
)
_LONGEST: Final = 600

_IDENTITIES: Final = frozenset(
    {
        "account",
        "booking",
        "code",
        "customer",
        "email",
        "file",
        "filename",
        "iban",
        "id",
        "ids",
        "invoice",
        "key",
        "number",
        "order",
        "path",
        "recipient",
        "ref",
        "reference",
        "reservation",
        "sku",
        "slug",
        "ticket",
        "title",
        "to",
        "url",
        "user",
        "uuid",
    }
)
"""Words in the names of arguments that identify the subject of a call."""
_ELEMENTS: Final = frozenset({"element", "handle", "index", "node", "ref", "selector", "uid"})
"""Words in the names of arguments that identify an element of a page: it changes with the page."""
_OVERLAP: Final = 0.5
"""Clocks of spans are coarse: a call that begins in the second half of another one counts as later."""
_MOST_IDENTITIES: Final = 50


def makes_good(later: ToolCall, call: ToolCall, *, kind: ToolKind) -> bool:
    """Return whether `later`, which succeeded, makes up for `call` of the same tool, which failed before it.

    Any later call makes up for a rejected request. If a tool that changes something was out of order, only a call about
    the same subject does: the payment of another invoice does not pay this one. The elements of a page are no subjects.
    """
    if not _is_after(later, call):
        return False
    if kind != "writer" or not is_about_the_tool(call.error or call.result or ""):
        return True
    before, after = dict(_identities(call)), dict(_identities(later))
    common = before.keys() & after.keys()
    return not common or any(before[key] == after[key] for key in common)


def found_it_there(call: ToolCall) -> bool:
    """Return whether a file or folder was not created because it exists, so that other work on it can go on."""
    return _THERE.search((call.error or call.result or "")[:_LONGEST]) is not None


def _is_after(later: ToolCall, call: ToolCall) -> bool:
    """Return whether `later` began after `call` had ended: concurrent calls do not make up for each other."""
    if later.started_at is None or call.started_at is None or call.duration_ms is None:
        return True
    return (later.started_at - call.started_at).total_seconds() * 1000 >= call.duration_ms * _OVERLAP


def _identities(call: ToolCall) -> Iterator[tuple[str, Any]]:
    excluded = _ELEMENTS if works_on_page(call.name) else frozenset[str]()
    identities = (
        (name, value)
        for name, value in (call.args or {}).items()
        if not _IDENTITIES.isdisjoint(words(name)) and excluded.isdisjoint(words(name))
    )
    return islice(identities, _MOST_IDENTITIES)
