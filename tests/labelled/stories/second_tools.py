"""Tools that were not offered, have another spelling, or are run by somebody else."""

from __future__ import annotations

from ..story import Agent, Call, Story, Tool, answers, asks, call, hosted, refused, tool, user


def offered(
    name: str, convention: str, tools: tuple[Tool, ...], made: Call, failing: tuple[str, ...], why: str
) -> Story:
    """One call, by an agent that is offered these tools."""
    steps = (user("Find me the open tickets about billing."), asks(made), answers("There are two."))
    return Story(name, convention, Agent("tickets", tools), steps, failing, why)


QUERY = {"query": "billing"}
TICKETS = {"tickets": [4, 9]}


STORIES = (
    offered(
        "second_tool_hallucinated",
        "vercel_ai",
        (tool("search_tickets", query="string"),),
        refused("lookup_invoices", QUERY, "Model tried to call unavailable tool 'lookup_invoices'."),
        ("tool_call_validity", "tool_error"),
        "the tool was never offered, and the framework says so",
    ),
    offered(
        "second_tool_not_offered_but_ran",
        "openinference",
        (tool("search_tickets", query="string"),),
        call("delete_tickets", QUERY, {"deleted": 2}),
        ("tool_call_validity",),
        "the tool that ran was not offered",
    ),
    offered(
        "second_tool_dashes",
        "genai",
        (tool("search-tickets", query="string"),),
        call("search_tickets", QUERY, TICKETS),
        (),
        "the same tool with another dash",
    ),
    offered(
        "second_tool_mcp_prefix",
        "pydantic_ai",
        (tool("mcp__helpdesk__search_tickets", query="string"),),
        call("mcp__helpdesk__search_tickets", QUERY, TICKETS, ran_as="search_tickets"),
        (),
        "the server knows the tool under its short name",
    ),
    offered(
        "second_tool_camel_case",
        "openllmetry",
        (tool("searchTickets", query="string"),),
        call("search_tickets", QUERY, TICKETS),
        (),
        "the same tool in another spelling",
    ),
    offered(
        "second_tool_without_schema",
        "genai_events",
        (Tool("search_tickets", "Search tickets"),),
        call("search_tickets", {"anything": [1, {"x": None}]}, TICKETS),
        (),
        "a tool without a schema takes everything",
    ),
    offered(
        "second_tool_managed_agent",
        "openinference",
        (tool("final_answer", answer="string"),),
        call(
            "ticket_searcher",
            {"task": "Find open tickets about billing"},
            "4 and 9",
            agent=Agent("ticket_searcher", (tool("search_tickets", query="string"),)),
            steps=(asks(call("search_tickets", QUERY, TICKETS)), answers("4 and 9")),
        ),
        (),
        "a managed agent is called like a tool",
    ),
    Story(
        "second_tool_hosted_search",
        "genai",
        Agent("news", (tool("save_note", text="string"),)),
        (
            user("What happened in Lisbon today? Note it."),
            answers(
                "The tram line 28 reopened.",
                hosted=(hosted("web_search", {"query": "Lisbon today"}, [{"title": "Tram 28 is back"}]),),
            ),
        ),
        (),
        "the provider runs the search; it needs no definition",
    ),
)
