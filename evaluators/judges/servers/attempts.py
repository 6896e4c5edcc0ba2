"""Counts the requests behind an answer: finding the format that a server accepts may take several."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeAlias

from ...model import JsonObject
from ..exchange.failure import Failure
from ..exchange.reply import Reply
from ..exchange.request import Request

__all__ = ["Post", "counted"]

Post: TypeAlias = Callable[[JsonObject], Awaitable[Reply]]


async def counted(converse: Callable[[Request, Post], Awaitable[Reply]], request: Request, post: Post) -> Reply:
    """Return the reply that `converse` gets through `post`, with the number of requests in `posts`.

    The same is true of a Failure that it raises.
    """
    posts = 0

    async def posted(body: JsonObject) -> Reply:
        nonlocal posts
        posts += 1
        return await post(body)

    try:
        return replace(await converse(request, posted), posts=posts)
    except Failure as failure:
        failure.posts = posts
        raise
