"""Explanations by a server: why a run has its scores or none, for the evaluators that the server runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from tracegrade.queries import fence
from tracegrade.queries.http.readers import Reader
from tracegrade.queries.ports import Unavailable

from ..errors import Fault
from ..evaluation.lanes import Lanes
from ..reports.account import build_account
from .bound_reader import bind

__all__ = ["Explainer"]

_QUERY_S: Final = 30.0


class Explainer:
    """Explains scores with the rows from `reader`, for the evaluators and settings that `lanes` has at the time."""

    def __init__(self, reader: Reader, lanes: Callable[[], Lanes]) -> None:
        self._read = bind(reader, timeout_s=_QUERY_S)
        self._lanes = lanes

    def explain(self, begins: str) -> Mapping[str, Any]:
        """Explain the runs whose id begins with `begins`, as `reports.account` does.

        Raises fence.SqlError or Unavailable.
        """
        lanes = self._lanes()
        try:
            return build_account(self._read, lanes.settings, lanes.evaluators, begins)
        except Unavailable:
            raise
        except Fault as fault:
            raise fence.SqlFailed(str(fault)) from fault
