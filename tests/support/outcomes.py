"""The outcomes of runs that a store keeps, and what they have to be."""

from __future__ import annotations

from typing import Any

from .store import Store

__all__ = ["find_outdated_outcomes"]

_COLUMNS = """
agent_trace_id, outcome, failing, score_count, failing_score_count, worst_evaluator, worst_value, worst_explanation,
fault, fault_tool, fault_agent_trace_id, fault_position, fault_evaluator, first_fault, fault_class, fault_pattern,
pattern_id, failed_tools::varchar, invalid_tools::varchar
"""

_STORED = f"select {_COLUMNS} from agent_traces where root_agent_trace_id = agent_trace_id and experiment_id is null"

_COMPUTED = f"""
select {_COLUMNS}
from run_outcomes_of(
    (select list(agent_trace_id) from agent_traces), timestamp '0001-01-01', timestamp '9999-12-31'
)
"""


def find_outdated_outcomes(store: Store) -> list[tuple[Any, ...]]:
    """Lists the rows that only one of the two has: what is stored, and what the macro computes without limits."""
    missing = f"(({_COMPUTED}) except ({_STORED}))"
    surplus = f"(({_STORED}) except ({_COMPUTED}))"
    of_sub_agents = "select agent_trace_id from agent_traces where root_agent_trace_id <> agent_trace_id"
    assert store.rows(f"{of_sub_agents} and outcome is not null") == []
    return [("missing", *row) for row in store.rows(missing)] + [("surplus", *row) for row in store.rows(surplus)]
