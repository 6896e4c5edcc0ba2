"""The pages, in the order of the menu; the last one answers for all other paths."""

from __future__ import annotations

from typing import Final

from .access.login import log_in, log_out, show_login
from .overview import show_overview
from .page import Page
from .runs.listing import show_runs
from .runs.selected import change_selected
from .runs.sessions import show_sessions
from .sql.page import ask_sql, download_answer, download_long_answer, show_sql
from .tools.listing import show_tools
from .tools.tool import show_tool
from .unknown import show_unknown

__all__ = ["PAGES"]

PAGES: Final[tuple[Page, ...]] = (
    show_overview,
    show_runs,
    change_selected,
    show_sessions,
    show_tools,
    show_tool,
    show_sql,
    ask_sql,
    download_answer,
    download_long_answer,
    show_login,
    log_in,
    log_out,
    show_unknown,
)
