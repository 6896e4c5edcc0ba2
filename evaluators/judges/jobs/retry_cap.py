"""How often a question is asked that never gets an answer."""

from __future__ import annotations

from typing import Final

from ..batch.batch_lines import Unanswered
from ..exchange.failure import Endless, Strange, Unended, Waits
from ..limits.bounded_dict import BoundedDict

__all__ = ["refuse_unended"]

_MOST_UNENDED: Final = 3
"""So often a question may be paid for, or sent in a batch, without an answer that ends and can be read; then that is an
error."""


def refuse_unended(unended: BoundedDict[int], request_hash: str, waits: Waits) -> None:
    """Counts in `unended` that a question got no answer. Raises Endless where waiting was tried often enough."""
    tried = waits.tried
    is_paid = isinstance(tried, Strange) and tried.took is not None
    if not is_paid and not isinstance(tried, (Unended, Unanswered)):
        return
    times = unended.pop(request_hash, 0) + 1
    if times >= _MOST_UNENDED:
        raise Endless(f"{tried}, {times} times") from waits
    unended[request_hash] = times
