"""Reads the parts of a run: its calls, messages, spans, scores and so on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias, get_args

from ..answers.row import Row
from ..answers.run import LlmCall, Message, Neighbours, SubRun, ToolCall, ToolDefinition
from ..answers.score import Score
from ..answers.span import Span
from ..catalog import report
from ..cookbook.report import find_parameters
from .source import Read, rows_of

__all__ = ["MOST_ROWS", "PARTS", "Part", "RunParts"]

Part: TypeAlias = Literal[
    "tool_calls",
    "llm_calls",
    "messages",
    "tool_definitions",
    "spans",
    "scores",
    "session_scores",
    "sub_runs",
    "neighbours",
]
PARTS: Final[tuple[Part, ...]] = get_args(Part)
MOST_ROWS: Final = 2_000
"""The most rows of a part."""

_LISTS: Final[Mapping[Part, tuple[str, type[Row]]]] = {
    "tool_calls": ("tool_calls_in_run", ToolCall),
    "llm_calls": ("llm_calls_in_run", LlmCall),
    "messages": ("messages_in_run", Message),
    "tool_definitions": ("tool_definitions_in_run", ToolDefinition),
    "spans": ("spans_in_trace", Span),
    "session_scores": ("scores_in_session", Score),
    "sub_runs": ("runs_in_tree", SubRun),
}
"""The parts that are lists: their report, and the model of its rows."""


class RunParts:
    """Reads parts of a run, which is a row of the report `runs_named`, and notes which of them are cut."""

    def __init__(self, read: Read, run: Mapping[str, Any]) -> None:
        self._read = read
        self._values = {**run, "limit": MOST_ROWS + 1}
        self.truncated: list[str] = []

    def read(self, part: Part) -> Mapping[str, Any]:
        """Return the part by its name; with the scores also those that are superseded."""
        match part:
            case "scores":
                scores = [Score.model_validate(row) for row in self._rows(part, "scores_in_run")]
                active = [score for score in scores if score.superseded_at is None]
                return {"scores": active, "superseded": [score for score in scores if score.superseded_at is not None]}
            case "neighbours":
                rows = {row["relation"]: row for row in self._rows(part, "neighbours_of_run")}
                return {"neighbours": Neighbours.model_validate(rows)}
            case _:
                name, model = _LISTS[part]
                return {part: [model.model_validate(row) for row in self._rows(part, name)]}

    def _rows(self, part: Part, name: str) -> list[dict[str, Any]]:
        sql = report(name)
        result = self._read(sql, parameters={name: self._values[name] for name in find_parameters(sql)})
        rows = rows_of(result)
        if result.truncated or len(rows) > MOST_ROWS:
            self.truncated.append(part)
        return rows[:MOST_ROWS]
