"""Recognises tools that come with a model or its API by their calls.

Their definitions have no name or schema of their own (`{"type": "web_search_preview"}`), so most instrumentations do
not record that they were offered. There are two kinds, since it matters who executes a call:

- *provider tools* run on the provider's side: hosted search, code interpreters, image generation, remote MCP servers;
- *provider-defined tools* have a schema that only the provider knows, and are executed on the agent's side:
  Anthropic's bash and text editor, OpenAI's local shell, computer use.

A function of the user may have the same name: look among the offered tools first. Sources: the API references of
OpenAI (Responses), Anthropic (server tools, MCP connector), Gemini, Bedrock (Nova), xAI, Mistral and Groq.
"""

from __future__ import annotations

import re
from typing import Final

from ..model import ToolCall

__all__ = ["has_provider_id", "is_provider_defined", "is_provider_tool"]

_IDS: Final = re.compile(r"(?:srvtoolu|mcptoolu)_\w+|(?:ws|fs|ci|ig|mcp|mcpl|mcpr)_[0-9a-f]{16,}")
"""Ids of calls: Anthropic's server tools and MCP connector, and OpenAI's items of hosted tools (`ws_68…`)."""

_RUN_BY_PROVIDER: Final = frozenset(
    {
        "browser_automation",
        "browser_search",
        "code_execution",
        "code_interpreter",
        "bash_code_execution",
        "text_editor_code_execution",
        "collections_search",
        "document_library",
        "enterprise_web_search",
        "file_search",
        "google_maps",
        "google_search",
        "google_search_retrieval",
        "image_generation",
        "mcp_approval_request",
        "mcp_call",
        "mcp_list_tools",
        "nova_code_interpreter",
        "nova_grounding",
        "tool_search",
        "tool_search_tool_bm25",
        "tool_search_tool_regex",
        "url_context",
        "web_fetch",
        "web_search",
        "web_search_premium",
        "web_search_preview",
        "x_search",
    }
)
_DEFINED_BY_PROVIDER: Final = frozenset(
    {
        "apply_patch",
        "bash",
        "computer",
        "computer_use",
        "computer_use_preview",
        "local_shell",
        "memory",
        "shell",
        "str_replace_based_edit_tool",
        "str_replace_editor",
        "text_editor",
    }
)

_CAPITAL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_VENDOR: Final = re.compile(r"\A(?:openai|anthropic|google|xai|groq|mistral|server|builtin)[.:/]")
_VERSION: Final = re.compile(r"_(?:20\d{6}|20\d\d_\d\d_\d\d)\Z")


def is_provider_tool(call: ToolCall) -> bool:
    """Return whether the model's provider runs the tool of `call`: by the id of the call, else by the name of the tool.

    The name alone does not distinguish a hosted `web_search` from a function of that name that was offered with a
    schema. Only the provider executes such a call, so that a missing result says nothing about the agent.
    """
    return has_provider_id(call) or _plain(call.name) in _RUN_BY_PROVIDER


def is_provider_defined(call: ToolCall) -> bool:
    """Return whether the provider defines the tool of `call` and the agent's side executes it, by the tool's name."""
    return _plain(call.name) in _DEFINED_BY_PROVIDER


def has_provider_id(call: ToolCall) -> bool:
    """Return whether the id of `call` has a form that only providers use, for calls of tools that they run."""
    return call.id is not None and _IDS.fullmatch(call.id) is not None


def _plain(name: str) -> str:
    """Return a normalised name: `web_search` for `web_search_20250305`, `openai.web_search` and `webSearch`."""
    plain = _CAPITAL.sub("_", _VENDOR.sub("", name)).lower().replace("-", "_")
    plain = _VERSION.sub("", plain)
    return plain if plain in _RUN_BY_PROVIDER else plain.removesuffix("_call")
