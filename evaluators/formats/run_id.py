"""Ids of runs that are made of what identifies them in a file: the same run has the same id in any file."""

from __future__ import annotations

import hashlib
from typing import Final

__all__ = ["ids_of_run", "make_run_id"]

_TRACE_ID: Final = slice(0, 32)
_SPAN_ID: Final = slice(32, 48)


def make_run_id(*identity: str, above: str | None = None) -> str:
    """Return `<trace_id>-<span_id>`, made of texts that no other run has together.

    With the id of the run `above`, which started this one, it is of the same trace.
    """
    digest = hashlib.sha256("\0".join(identity).encode(errors="replace")).hexdigest()
    trace_id = digest[_TRACE_ID] if above is None else above.partition("-")[0]
    return f"{trace_id}-{digest[_SPAN_ID]}"


def ids_of_run(run_id: str) -> dict[str, str]:
    """Return the fields of a run with this id."""
    trace_id, _, span_id = run_id.partition("-")
    return {"agent_trace_id": run_id, "trace_id": trace_id, "agent_span_id": span_id}
