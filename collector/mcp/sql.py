"""The tools that answer SQL, and describe what it can read."""

from __future__ import annotations

import re
from typing import Annotated, Final

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from tracegrade.evaluators.text.suggestions import nearest
from tracegrade.queries.catalog import objects
from tracegrade.queries.result import plain_rows

from .access import Access
from .answers import Relation, Schema, SqlAnswer
from .shown import fit

__all__ = ["SqlTools"]

_FUNCTIONS: Final = (
    "since",
    "arg",
    "attr",
    "resource_attr",
    "wilson",
    "difference_of_shares",
    "difference_of_means",
    "few",
    "error_class",
    "error_pattern",
    "pattern_id",
    "selected_runs",
    "run_scores",
)
_HEAD: Final = re.compile(r"\bmacro \w+\s*(\([^)]*\))", re.IGNORECASE)


class SqlTools:
    """Runs one SELECT, and describes tables and views."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def sql(
        self,
        query: Annotated[
            str, Field(description="a query in the SQL of DuckDB, such as: from failures where time > since('1h')")
        ],
        limit: Annotated[int, Field(ge=1, le=1_000, description="most rows to return")] = 100,
    ) -> SqlAnswer:
        """Run one SELECT over the store, which is read-only. Ask `schema` for tables and columns first."""
        with self._access.reading(max_rows=limit) as source:
            result = source.read(query)
        rows, is_cut = fit(plain_rows(result))
        columns = [column.name for column in result.columns]
        return SqlAnswer(columns=columns, rows=rows, truncated=is_cut or result.truncated)

    def schema(
        self, table: Annotated[str, Field(description="name of a table or view; empty: all, without columns")] = ""
    ) -> Schema:
        """Describe the tables, views and functions for `sql`; with `table` the columns of one."""
        relations = _list_relations()
        if not table:
            return Schema(relations=[*relations.values()], functions=_list_functions())
        if (relation := relations.get(table.lower())) is None:
            raise ToolError(f"there is no table or view {table!r}{nearest(table, relations)}")
        with self._access.reading() as source:
            described = source.read(f"describe {relation.name}").rows
        columns = {row[0]: row[1] for row in described}
        return Schema(relations=[relation.model_copy(update={"columns": columns})], functions={})


def _list_relations() -> dict[str, Relation]:
    """Return the views and tables that users may rely on, by name: the views first."""
    known = [*objects("view"), *(each for each in objects("schema") if "migration" not in each.header)]
    return {
        each.name: Relation(name=each.name, purpose=each.header["purpose"])
        for each in known
        if not each.header["purpose"].startswith("internal")
    }


def _list_functions() -> dict[str, str]:
    """Return the purposes of our functions, by name with parameters."""
    macros = {each.name: each for each in objects("macro")}
    return {
        f"{name}{head[1] if (head := _HEAD.search(macros[name].text)) else '()'}": macros[name].header["purpose"]
        for name in _FUNCTIONS
    }
