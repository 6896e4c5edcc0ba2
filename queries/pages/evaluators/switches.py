"""Pauses and resumes evaluators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from starlette.responses import Response

from ..confirmation import DONE, write_confirmation
from ..page import page
from ..visit import Visit

__all__ = ["FORMS", "begin_pause", "end_pause"]

FORMS: Final = ("/pause", "/resume")
"""The ends of addresses that only take forms. Opened, they look like names of evaluators."""


@page("POST", "/evaluators/{name:path}/pause", parameters=())
async def begin_pause(visit: Visit) -> Response:
    """Let what arrives wait until the evaluator is resumed."""
    return await _switch(visit, visit.site.api.commands.pause, "paused")


@page("POST", "/evaluators/{name:path}/resume", parameters=())
async def end_pause(visit: Visit) -> Response:
    """Let the evaluator continue."""
    return await _switch(visit, visit.site.api.commands.resume, "resumed")


async def _switch(visit: Visit, switch: Callable[[str], None], action: str) -> Response:
    await visit.form()
    name = visit.path("name")
    await visit.site.api.admin_commands.run(lambda: switch(name))
    return visit.redirect(visit.links.to("evaluators", name, **{DONE: write_confirmation(action)}))
