"""Which calls are of tools that come with a model or its API?"""

from __future__ import annotations

import pytest

from tracegrade.evaluators.checks.provider_tools import is_provider_defined, is_provider_tool
from tracegrade.evaluators.model import ToolCall


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(ToolCall(name="web_search"), id="hosted search"),
        pytest.param(ToolCall(name="web_search_preview_2025_03_11"), id="a dated version of OpenAI's"),
        pytest.param(ToolCall(name="web_search_20250305"), id="a dated version of Anthropic's"),
        pytest.param(ToolCall(name="code_interpreter_call"), id="named by the type of its item"),
        pytest.param(ToolCall(name="openai.webSearch"), id="with its vendor and in camel case"),
        pytest.param(ToolCall(name="mcp_call"), id="a call of a remote MCP server"),
        pytest.param(ToolCall(name="googleSearch"), id="Gemini's search"),
        pytest.param(ToolCall(name="research", id="srvtoolu_01A09q90qw90lq917835lq9"), id="Anthropic's id"),
        pytest.param(ToolCall(name="read_wiki", id="mcp_682d379537a8819185ee2f3f0b84a0f1"), id="OpenAI's id"),
    ],
)
def test_a_tool_that_the_provider_runs_is_known_by_the_name_or_by_the_id_of_its_call(call: ToolCall) -> None:
    assert is_provider_tool(call)


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(ToolCall(name="search", id="call_12345"), id="a function"),
        pytest.param(ToolCall(name="mcp__github__search", id="toolu_01A"), id="a tool of a local MCP server"),
        pytest.param(ToolCall(name="search_20250305"), id="a name with a date"),
        pytest.param(ToolCall(name="phone_call"), id="a name that ends like an item"),
        pytest.param(ToolCall(name="pay", id="ws_12"), id="an id that merely begins alike"),
        pytest.param(ToolCall(name="bash"), id="a tool that the agent's side executes"),
    ],
)
def test_other_tools_are_not_taken_for_the_providers(call: ToolCall) -> None:
    assert not is_provider_tool(call)


def test_a_tool_that_the_provider_defines_and_the_agent_executes_is_a_kind_of_its_own() -> None:
    assert is_provider_defined(ToolCall(name="bash_20250124"))
    assert is_provider_defined(ToolCall(name="local_shell_call"))
    assert not is_provider_defined(ToolCall(name="web_search"))
