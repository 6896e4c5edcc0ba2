"""What nobody should ask of a database: each of these takes all of the memory or all of the time that it gets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

__all__ = ["HOSTILE", "USUAL"]

USUAL: Final = "select evaluator, count(*), avg(value) from latest_scores group by all"
"""What a dashboard asks."""

HOSTILE: Final[Sequence[str]] = (
    # folded while it is planned, where no interrupt reaches
    "select len(range(1000000000))",
    "select repeat('x', 3500000000)",
    "select length(repeat(repeat('x', 1000000), 3000))",
    "select rpad('x', 2000000000, 'y')",
    "select printf('%2000000000d', 1)",
    "select levenshtein(repeat('a', 200000), repeat('b', 200000))",
    "select regexp_matches(repeat('a', 50000000), '(a|aa)+$')",
    "select len(list_reduce([[x] for x in range(40)], lambda a, b: list_concat(a, a)))",
    "select len(flatten([range(200000000), range(200000000)]))",
    # texts that are parsed and planned in their turn
    "select json_serialize_sql('select ' || repeat('1+', 3000000) || '1')",
    "select json_serialize_plan('select ' || repeat('1+', 3000000) || '1')",
    "select json_serialize_sql('select ' || repeat('(', 2000000) || '1')",
    # long before they are planned
    "select count(*) from spans where trace_id in (" + ", ".join(f"'{number}'" for number in range(9_000)) + ")",
    "select " + "(" * 900 + "1" + ")" * 900,
    "select " + ", ".join(f"md5(repeat('x', {number}))" for number in range(1_000_000, 1_002_000)),
    "select " + " + ".join(["(select max(duration_ms) from spans)"] * 400),
    # without end
    "with recursive n as (select 1 as i union all select i + 1 from n) select max(i) from n",
    "with recursive n as (select 'x' as t union all select t || t from n) select max(length(t)) from n",
    "with recursive n as (select 1 as i union all select i + 1 from n, range(1000)) select i from n",
    "select count(*) from range(10000000) as a, range(10000000) as b where hash(a.range) = hash(b.range) + 1",
    "select sum(a.duration_ms) from spans as a, spans as b, spans as c, spans as d, spans as e",
    "explain analyze select count(*) from range(10000000) as a, range(10000000) as b",
    # more than there is memory
    "select list(range) from range(2000000000)",
    "select string_agg(md5(range::varchar), '') from range(300000000)",
    "select count(distinct md5(range::varchar)) from range(500000000)",
    "select * from range(500000000) order by hash(range) desc",
    "select unnest(range(1000000000)), repeat('x', 10000)",
    "select error(repeat('x', 500000000))",
)
