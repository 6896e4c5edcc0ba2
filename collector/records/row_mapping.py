"""Maps AgentTraces and scores to rows of their tables, and back."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

import orjson

from tracegrade.evaluators.conversation import ConversationTrajectory
from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.model import AgentTrace, Guardrail, LlmCall, Message, Reference, ToolCall, ToolDefinition

from .run_trees import RunTree, find_trees
from .table_mapping import TABLES, Row

__all__ = [
    "DERIVED",
    "MEMBERS",
    "REFERENCES",
    "SESSIONS",
    "TOOLS",
    "conversations_of",
    "read_scores",
    "reference_row",
    "rows_of",
    "score_row",
    "tools_of",
    "traces_of",
]

T = TypeVar("T")

DERIVED = ("agent_traces", "tool_calls", "messages", "llm_calls", "tool_definitions")
"""The tables that are rebuilt from spans, the parent first."""

TOOLS = "offered_tools"
"""The table of distinct tool definitions."""

REFERENCES = "references"
"""The references of runs, sent along with the rows of the runs; not a table of the store."""

SESSIONS, MEMBERS = "sessions", "members"
"""Sessions as targets, by target_id, and the runs that are their turns; not tables of the store."""

_SCORE_FIELDS = tuple(TABLES["scores"].fields.values())
_RUN_FIELDS = tuple(TABLES["agent_traces"].fields.values())

_MOST_OF_ERROR: Final = 500
"""The number of characters of an error that are kept in `failed_calls`."""


def rows_of(trace: AgentTrace, tree: RunTree | None = None) -> dict[str, list[Row]]:
    """Return the rows of one AgentTrace by table; revision, assembled_at and assembled_seq are added by the store.

    `tree` is that of the run; None: the run is the only one of its trace. The outcome of a run, which depends on its
    scores, is added by the store, too. `rows_hash` is the same for the same rows, so that stored rows can be compared
    without reading them.
    """
    ids = {"agent_trace_id": trace.agent_trace_id, "trace_id": trace.trace_id}
    rows = {
        "agent_traces": [_trace_row(trace, tree or find_trees([trace])[trace.agent_trace_id])],
        "tool_calls": _children(ids, trace.tool_calls, _tool_call),
        "messages": _children(ids, trace.messages, _message),
        "llm_calls": _children(ids, trace.llm_calls, _llm_call),
        "tool_definitions": _children(ids, trace.tool_definitions or (), _definition),
    }
    rows["agent_traces"][0]["rows_hash"] = _hash(rows)
    return rows


def reference_row(agent_trace_id: str, reference: Reference) -> Row:
    """Return a row of REFERENCES."""
    return {"agent_trace_id": agent_trace_id, "reference": reference.model_dump_json()}


def traces_of(tables: Mapping[str, Iterable[Row]]) -> list[AgentTrace]:
    """Build the AgentTraces from rows of the derived tables, in the order of `agent_traces`.

    `tables` may also hold rows of REFERENCES.
    """
    references = {
        row["agent_trace_id"]: Reference.model_validate_json(row["reference"]) for row in tables.get(REFERENCES, ())
    }
    children: dict[str, dict[str, list[Row]]] = {}
    for table in DERIVED[1:]:
        for row in sorted(tables[table], key=lambda row: int(row["position"])):
            children.setdefault(row["agent_trace_id"], {}).setdefault(table, []).append(row)
    return [
        _trace(row, children.get(row["agent_trace_id"], {}), references.get(row["agent_trace_id"]))
        for row in tables["agent_traces"]
    ]


def conversations_of(tables: Mapping[str, Iterable[Row]]) -> list[ConversationTrajectory]:
    """Build the conversations of SESSIONS, each from the runs that MEMBERS lists as its turns."""
    runs = {run.agent_trace_id: run for run in traces_of(tables)}
    turns: dict[str, list[AgentTrace]] = {}
    for row in tables[MEMBERS]:
        turns.setdefault(row["target_id"], []).append(runs[row["agent_trace_id"]])
    return [ConversationTrajectory.of(turns.get(row["target_id"], ())) for row in tables[SESSIONS]]


def tools_of(tables: Mapping[str, Iterable[Row]]) -> list[ToolDefinition]:
    """Build the tool definitions from rows of `offered_tools`."""
    return [ToolDefinition(**TABLES[TOOLS].read(row)) for row in tables[TOOLS]]


def score_row(score: ScoreRecord) -> Row:
    """Return a row of `scores`."""
    return TABLES["scores"].write({name: getattr(score, name) for name in _SCORE_FIELDS})


def read_scores(tables: Mapping[str, Iterable[Row]]) -> list[ScoreRecord]:
    """Build the scores from rows of `scores`."""
    return [ScoreRecord(**TABLES["scores"].read(row)) for row in tables["scores"]]


def _trace_row(trace: AgentTrace, tree: RunTree) -> Row:
    row = TABLES["agent_traces"].write({name: getattr(trace, name) for name in _RUN_FIELDS})
    errors = [*(call.error for call in trace.trajectory), *(call.error for call in trace.llm_calls)]
    row["tool_call_count"] = len(trace.trajectory)
    row["llm_call_count"] = len(trace.llm_calls)
    row["error_count"] = sum(error is not None for error in errors)
    row["tools"] = list(dict.fromkeys(call.name for call in trace.tool_calls if not call.is_foreign))
    row["failed_calls"] = _list_failed_calls(trace.tool_calls)
    row["time_to_first_token_ms"] = next(
        (call.time_to_first_token_ms for call in trace.llm_calls if call.time_to_first_token_ms is not None), None
    )
    row["root_agent_trace_id"] = tree.root_agent_trace_id
    row["earliest_at"], row["latest_at"] = tree.earliest_at, tree.latest_at
    return row


def _list_failed_calls(calls: Sequence[ToolCall]) -> str | None:
    """Return the failed calls that the run made itself as JSON; the statement `update_failed_calls` does the same."""
    failed = [
        {"position": position, "name": call.name, "error": call.error and call.error[:_MOST_OF_ERROR]}
        for position, call in enumerate(calls)
        if call.status == "error" and not call.is_foreign and call.child_agent_trace_id is None
    ]
    return orjson.dumps(failed).decode() if failed else None


def _hash(rows: Mapping[str, Sequence[Row]]) -> str:
    return hashlib.sha256(orjson.dumps(rows)).hexdigest()[:32]


def _children(ids: Row, values: Iterable[T], row_of: Callable[[T, Row], Row]) -> list[Row]:
    return [row_of(value, {**ids, "position": position}) for position, value in enumerate(values)]


def _tool_call(call: ToolCall, place: Row) -> Row:
    row = TABLES["tool_calls"].write({**place, **vars(call)})
    if call.span_id is None:
        row["metadata"] = None
    return row


def _message(message: Message, place: Row) -> Row:
    row = TABLES["messages"].write({**place, **vars(message)})
    row["content"] = message.text
    return row


def _llm_call(call: LlmCall, place: Row) -> Row:
    return TABLES["llm_calls"].write({**place, **vars(call)})


def _definition(definition: ToolDefinition, place: Row) -> Row:
    row = TABLES["tool_definitions"].write({**place, **vars(definition)})
    row["definition_hash"] = definition.hash
    return row


def _trace(row: Row, children: Mapping[str, Sequence[Row]], reference: Reference | None) -> AgentTrace:
    fields = TABLES["agent_traces"].read(row)
    for name in ("gaps", "reasoning_steps"):
        fields[name] = tuple(fields.get(name) or ())
    if guardrails := fields.get("guardrails"):
        fields["guardrails"] = tuple(Guardrail(**values) for values in guardrails)
    has_definitions = "tool_definitions" in children
    return AgentTrace(
        **fields,
        tool_calls=tuple(map(_call, children.get("tool_calls", ()))),
        messages=tuple(Message(**values) for values in _read("messages", children)),
        llm_calls=tuple(LlmCall(**values) for values in _read("llm_calls", children)),
        tool_definitions=(
            tuple(ToolDefinition(**values) for values in _read("tool_definitions", children))
            if has_definitions
            else None
        ),
        reference=reference,
    )


def _call(row: Row) -> ToolCall:
    fields = TABLES["tool_calls"].read(row)
    return ToolCall(**{**fields, "metadata": fields.get("metadata") or {}})


def _read(table: str, children: Mapping[str, Sequence[Row]]) -> Iterator[Row]:
    return map(TABLES[table].read, children.get(table, ()))
