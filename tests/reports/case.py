"""Cases rebuilt from public bug reports: what was sent, and what the public tables must hold afterwards.

A case is a JSON object: `imports` is a list of groups, each of them file names with their contents and one call of
`tracegrade import`; `config` is a configuration in which `JUDGE` stands for the address of a model that gives
`judge_answers` in turn; `expected` has the right values, see README.md.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import duckdb
from tests.support.command import inside
from tests.support.llm import llm

__all__ = ["find_differences"]

_OUTERMOST: Final = "t.parent_agent_trace_id is null"
_SUMS: Final = {
    "in_tok": "select sum(total_input_tokens) from agent_traces where parent_agent_trace_id is null",
    "out_tok": "select sum(total_output_tokens) from agent_traces where parent_agent_trace_id is null",
    "cost": "select sum(total_cost_usd) from agent_traces where parent_agent_trace_id is null",
    "cached": "select sum(cached_input_tokens) from agent_traces",
    "written": "select sum(cache_write_input_tokens) from llm_calls",
    "reasoning": "select sum(reasoning_tokens) from llm_calls",
    "runs": "select count(*) from agent_traces where parent_agent_trace_id is null",
    "all_runs": "select count(*) from agent_traces",
    "final": "select final_response from agent_traces where parent_agent_trace_id is null",
    "input": "select input from agent_traces where parent_agent_trace_id is null",
    "error": "select error from agent_traces where parent_agent_trace_id is null",
    "session": "select min(session_id) from agent_traces having count(distinct session_id) = 1",
    "one_session": "select count(distinct session_id) = 1 and count(session_id) = count(*) from agent_traces",
}
_LISTS: Final = {
    "agents": "select agent_name from agent_traces where parent_agent_trace_id is null order by all",
    "finals": "select final_response from agent_traces where parent_agent_trace_id is null order by all",
    "messages": "select role, content from messages order by agent_trace_id, position",
}


def find_differences(case: Mapping[str, Any], folder: Path) -> list[str]:
    """Import the case into a store of its own, in `folder`; return how the tables differ from what is expected."""
    with ExitStack() as stack:
        if "config" in case:
            config = case["config"]
            if "judge_answers" in case:
                answers = iter(case["judge_answers"])
                judge = stack.enter_context(llm(lambda _: next(answers), models=("judge-model",)))
                config = config.replace("JUDGE", judge.url)
            (folder / "tracegrade.yaml").write_text(config)
        for number, group in enumerate(case["imports"]):
            files = [_write(folder / f"{number}-{name}", content) for name, content in group.items()]
            inside("import", "--store", "store.duckdb", *files, at=folder)
    if not (folder / "store.duckdb").exists():
        return ["nothing was imported"]
    with duckdb.connect(str(folder / "store.duckdb"), read_only=True) as connection:
        return list(_compare(case["expected"], lambda sql: connection.execute(sql).fetchall()))


def _write(path: Path, content: object) -> Path:
    match content:
        case {"base64": str(text)}:
            path.write_bytes(base64.b64decode(text))
        case str():
            path.write_text(content, encoding="utf-8", errors="surrogatepass")
        case _:
            path.write_text(json.dumps(content))
    return path


def _compare(expected: Mapping[str, Any], read: Callable[[str], list[Any]]) -> Iterator[str]:
    for key, value in expected.items():
        if key in _SUMS:
            yield from _compare_sum(key, value, read)
        elif key in _LISTS:
            yield from _compare_lists(key, value, read)
        elif key in _OTHERS:
            yield from _OTHERS[key](value, read)
        else:
            yield f"nothing is compared with {key!r}"


def _compare_sum(key: str, value: object, read: Callable[[str], list[Any]]) -> Iterator[str]:
    rows = read(_SUMS[key])
    found = rows[0][0] if rows else None
    if not _is_same(found, value):
        yield f"{key} is {found!r}, not {value!r}"


def _compare_lists(key: str, value: list[Any], read: Callable[[str], list[Any]]) -> Iterator[str]:
    rows = [list(row) if len(row) > 1 else row[0] for row in read(_LISTS[key])]
    wanted = value if key == "messages" else [sorted(value)]
    missing = [each for each in wanted if (each not in rows if key == "messages" else each != rows)]
    if missing:
        yield f"{key} are {rows!r}, without {missing!r}"


def _compare_outermost(value: Any, read: Callable[[str], list[Any]]) -> Iterator[str]:
    yield from _compare_calls(value, _read_calls(read, _OUTERMOST), "calls")


def _compare_agents(value: Mapping[str, Any], read: Callable[[str], list[Any]]) -> Iterator[str]:
    for agent, calls in value.items():
        made = f"t.agent_name = '{agent}' and c.child_agent_trace_id is null"
        yield from _compare_calls(calls, _read_calls(read, made), f"calls of {agent}")


def _compare_gaps(value: str, read: Callable[[str], list[Any]]) -> Iterator[str]:
    gaps = [row[0] for row in read("select gaps from agent_traces")]
    if not any(value in (text or "") for text in gaps):
        yield f"gaps are {gaps}, without {value!r}"


def _compare_sql(value: list[Any], read: Callable[[str], list[Any]]) -> Iterator[str]:
    for title, sql, rows in value:
        found = [list(row) for row in read(sql)]
        if found != rows:
            yield f"{title}: {found!r}, not {rows!r}"


def _read_calls(read: Callable[[str], list[Any]], condition: str) -> list[dict[str, Any]]:
    rows = read(
        f"""select c.name, c.args, c.result, c.status, c.error, c.position from tool_calls c
            join agent_traces t using (agent_trace_id) where {condition} order by t.started_at, c.position"""
    )
    names = ("name", "args", "result", "status", "error", "position")
    calls = [dict(zip(names, row, strict=True)) for row in rows]
    return [{**call, "args": None if call["args"] is None else json.loads(call["args"])} for call in calls]


def _compare_calls(
    expected: Sequence[Mapping[str, Any]], found: Sequence[Mapping[str, Any]], what: str
) -> Iterator[str]:
    if len(expected) != len(found):
        yield f"{what}: {len(found)}, not {len(expected)}: {found}"
        return
    for wanted, call in zip(expected, found, strict=True):
        for key, value in wanted.items():
            field, contains, _ = key.partition("_contains")
            if value not in (call[field] or "") if contains else call[field] != value:
                yield f"{what}: {key} is {call[field]!r}, not {value!r}"


def _compare_scores(expected: Mapping[str, Any], read: Callable[[str], list[Any]]) -> Iterator[str]:
    for evaluator, wanted in expected.items():
        columns = ", ".join(wanted)
        rows = read(f"select {columns} from latest_scores where evaluator = '{evaluator}'")
        if not rows or any(not _is_same(f, w) for row in rows for f, w in zip(row, wanted.values(), strict=True)):
            why = read(f"select explanation from latest_scores where evaluator = '{evaluator}'")
            yield f"{evaluator} is {rows!r}, not {dict(wanted)!r}: {why}"


def _is_same(found: object, wanted: object) -> bool:
    if isinstance(wanted, float) and isinstance(found, (int, float)):
        return abs(found - wanted) <= 1e-9 + 1e-6 * abs(wanted)
    return found == wanted


_OTHERS: Final[Mapping[str, Callable[[Any, Callable[[str], list[Any]]], Iterator[str]]]] = {
    "calls": _compare_outermost,
    "calls_of": _compare_agents,
    "gaps_contain": _compare_gaps,
    "scores": _compare_scores,
    "sql": _compare_sql,
}
