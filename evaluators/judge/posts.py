"""How many requests an answer takes, where the right way to ask has to be found out first."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeAlias

from ..model import JsonObject
from .failure import Failure
from .reply import Reply
from .request import Request

__all__ = ["Post", "counted"]

Post: TypeAlias = Callable[[JsonObject], Awaitable[Reply]]


async def counted(said: Callable[[Request, Post], Awaitable[Reply]], request: Request, post: Post) -> Reply:
    """What `said` gets for `request` by `post`. The reply, or the Failure that is raised, knows how often it posted."""
    posts = 0

    async def posted(body: JsonObject) -> Reply:
        nonlocal posts
        posts += 1
        return await post(body)

    try:
        return replace(await said(request, posted), posts=posts)
    except Failure as failure:
        failure.posts = posts
        raise
