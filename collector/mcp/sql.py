"""The tools that answer SQL, and describe what it can read."""

from __future__ import annotations

from typing import Annotated

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from tracegrade.evaluators.text.suggestions import nearest
from tracegrade.queries.public_objects import list_functions, list_relations
from tracegrade.queries.result import plain_rows

from .access import Access
from .answers import Relation, Schema, SqlAnswer
from .shown import fit

__all__ = ["SqlTools"]


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
        relations = {name: Relation(name=name, purpose=purpose) for name, purpose in list_relations().items()}
        if not table:
            functions = {f"{each.name}({each.parameters})": each.purpose for each in list_functions()}
            return Schema(relations=[*relations.values()], functions=functions)
        if (relation := relations.get(table.lower())) is None:
            raise ToolError(f"there is no table or view {table!r}{nearest(table, relations)}")
        with self._access.reading() as source:
            described = source.read(f"describe {relation.name}").rows
        columns = {row[0]: row[1] for row in described}
        return Schema(relations=[relation.model_copy(update={"columns": columns})], functions={})
