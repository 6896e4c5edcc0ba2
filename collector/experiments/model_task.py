"""A task that asks a model with an OpenAI-compatible API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from tracegrade.evaluators.formats.tool_definitions import tool_definitions
from tracegrade.evaluators.model import AgentTrace, JsonObject

from ..clock import utc_now
from .completion_run import run_of_completion
from .task_call import Task

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types.chat import ChatCompletion

__all__ = ["model_task"]


def model_task(
    model: str,
    *,
    client: OpenAI | None = None,
    system: str | None = None,
    tools: Sequence[JsonObject] = (),
    **options: Any,
) -> Task:
    """Return a task that asks `model` once per item, and brings the answer and the tool calls that it asks for.

    The calls are not made, so they have no results. The input of an item is the question, or an object with the
    `messages` of a conversation. `tools` are in OpenAI's format; `options` are further arguments of the request, such
    as `temperature`. `client` is an `openai.OpenAI`; by default one that the environment configures (OPENAI_API_KEY,
    OPENAI_BASE_URL). Needs `tracegrade[server]`.
    """
    if client is None:
        try:
            from openai import OpenAI  # noqa: PLC0415 - of the extra, and slow to import
        except ImportError as error:
            raise ImportError(f"model_task needs `pip install 'tracegrade[server]'`: {error}") from error

        client = OpenAI()
    request = {"model": model, **({"tools": list(tools)} if tools else {}), **options}
    first = [{"role": "system", "content": system}] if system else []
    return partial(_ask, client, request, first)


def _ask(
    client: OpenAI,
    request: Mapping[str, Any],
    first: Sequence[JsonObject],
    question: str | None = None,
    /,
    **given: Any,
) -> AgentTrace:
    """Ask the question, or continue the `messages` in `given`. Raises TypeError for other inputs."""
    if question is None and given.keys() != {"messages"}:
        raise TypeError(f"the input is a question, or an object with `messages` alone, not {', '.join(given)}")
    asked = [*first, *(given["messages"] if question is None else [{"role": "user", "content": question}])]
    started_at = utc_now()
    completion: ChatCompletion = client.chat.completions.create(messages=asked, **request)
    ended_at = utc_now()
    run = run_of_completion(completion.model_dump(exclude_none=True), asked)
    return run.model_copy(
        update={
            "agent_name": request["model"],
            "tool_definitions": tool_definitions(request["tools"]) if "tools" in request else (),
            "started_at": started_at,
            "ended_at": ended_at,
            "duration_ms": (ended_at - started_at).total_seconds() * 1000,
        }
    )
