"""Agents that search and read: the web, papers, knowledge bases."""

from __future__ import annotations

from ..story import Agent, Story, Tool, answers, asks, call, hosted, tool, user

__all__ = ["STORIES"]

SEARCH = tool("web_search", "Search the web", query="string", max_results="integer?")
FETCH = tool("fetch_page", "Fetch a page as text", url="string")
DOCS = tool("search_docs", "Search the knowledge base", query="string", product="string?")
AGENT = Agent("researcher", (SEARCH, FETCH, DOCS), "You answer with sources.")
WITHOUT_SCHEMA = Agent("librarian", (Tool("lookup", "Look something up", {}), Tool("shelve", "Shelve a book")))
HOSTED = Agent("web_analyst", (FETCH,), "You may use the built-in web search.", model="gpt-4.1")
MCP = Agent("paper_scout", (tool("mcp__arxiv__search_papers", "Search arXiv", query="string"),), "You find papers.")

ABOUT_ERRORS = """# Error handling in distributed systems
Error: a word that hides three things. A fault is the cause, an error the wrong state, a failure what users see.
"HTTP 503 Service Unavailable" means that a retry may help; "HTTP 400 Bad Request" that it will not.
## Exceptions
Traceback (most recent call last): the line that every Python engineer has seen at three in the morning."""

HITS = [
    {
        "title": "Why error budgets work",
        "url": "https://sre.example.org/budgets",
        "snippet": "Error: the budget is spent.",
    },
    {"title": "TimeoutError: what to do", "url": "https://example.com/timeouts", "snippet": "Exceptions are for …"},
]

STORIES = (
    Story(
        "research_pages_about_errors",
        "openinference",
        AGENT,
        (
            user("What is the difference between a fault, an error and a failure?"),
            asks(call("web_search", {"query": "fault error failure difference"}, HITS)),
            asks(call("fetch_page", {"url": "https://sre.example.org/errors"}, ABOUT_ERRORS)),
            answers("A fault is the cause, an error the wrong state, a failure what users notice."),
        ),
        failing=(),
        why="the documents talk of errors; both tools did their work",
    ),
    Story(
        "research_error_code_in_manual",
        "genai_events",
        AGENT,
        (
            user("My washing machine shows E18, what now?"),
            asks(
                call(
                    "search_docs",
                    {"query": "E18", "product": "WM-540"},
                    "Error E18: the drain pump is blocked or the water is low. Clean the pump filter, check the hose.",
                )
            ),
            answers("E18 means that the drain pump is blocked. Clean the pump filter and check the hose."),
        ),
        failing=(),
        why="the manual's entry on an error code is what was searched for",
    ),
    Story(
        "research_page_returns_503",
        "genai",
        AGENT,
        (
            user("Summarise https://journal.example.org/a/771"),
            asks(call("fetch_page", {"url": "https://journal.example.org/a/771"}, "HTTP 503 Service Unavailable")),
            answers("The journal's site is down at the moment, so I couldn't read the article."),
        ),
        failing=("tool_error",),
        why="the fetch failed with HTTP 503 and was not made good",
    ),
    Story(
        "research_page_returns_503_once",
        "genai",
        AGENT,
        (
            user("Summarise https://journal.example.org/a/772"),
            asks(call("fetch_page", {"url": "https://journal.example.org/a/772"}, "HTTP 503 Service Unavailable")),
            asks(call("fetch_page", {"url": "https://journal.example.org/a/772"}, "Tardigrades survive … " * 8)),
            answers("The article shows how tardigrades survive drying out."),
        ),
        failing=(),
        why="the second try of the same fetch succeeded",
    ),
    Story(
        "research_envelope_404",
        "vercel_ai",
        AGENT,
        (
            user("What does the press release say?"),
            asks(
                call(
                    "fetch_page",
                    {"url": "https://press.example.com/2026/q3"},
                    {"statusCode": 404, "headers": {"content-type": "text/html"}, "body": "<h1>Not Found</h1>"},
                )
            ),
            answers("I couldn't find that press release."),
        ),
        failing=("tool_error",),
        why="the envelope of the result has HTTP status 404",
    ),
    Story(
        "research_envelope_200",
        "vercel_ai",
        AGENT,
        (
            user("What does the status page say?"),
            asks(
                call(
                    "fetch_page",
                    {"url": "https://press.example.com/2026/q2"},
                    {"statusCode": 200, "error": "", "body": "Revenue rose by 4 %; error rates fell."},
                )
            ),
            answers("Revenue rose by 4 %."),
        ),
        failing=(),
        why="HTTP status 200 and an empty error",
    ),
    Story(
        "research_hosted_search",
        "genai",
        HOSTED,
        (
            user("What did the ECB decide today?"),
            answers(
                "The ECB left its rates unchanged.",
                hosted=[hosted("web_search", {"query": "ECB decision"}, [{"url": "https://ecb.example.eu/press"}])],
            ),
        ),
        failing=(),
        why="the provider of the model ran its own web search, which nobody has to offer",
    ),
    Story(
        "research_hosted_code_interpreter",
        "openllmetry",
        HOSTED,
        (
            user("What is the median of 3, 9, 1, 7?"),
            answers("5", hosted=[hosted("code_interpreter", {"code": "statistics.median([3,9,1,7])"}, "5.0")]),
        ),
        failing=(),
        why="the provider ran the code; a short answer is an answer",
    ),
    Story(
        "research_mcp_name_without_namespace",
        "openinference",
        MCP,
        (
            user("Newest papers on diffusion transformers?"),
            asks(
                call(
                    "mcp__arxiv__search_papers",
                    {"query": "diffusion transformers"},
                    {"content": [{"type": "text", "text": '[{"id": "2611.00421"}]'}], "isError": False},
                    ran_as="search_papers",
                )
            ),
            answers("arXiv 2611.00421 is the newest one."),
        ),
        failing=(),
        why="the tool was offered with the namespace of its server and ran without; isError is false",
    ),
    Story(
        "research_tools_without_schema",
        "genai",
        WITHOUT_SCHEMA,
        (
            user("Who wrote 'The Left Hand of Darkness'?"),
            asks(
                call("lookup", {"title": "The Left Hand of Darkness"}, {"author": "Ursula K. Le Guin", "errors": None})
            ),
            answers("Ursula K. Le Guin."),
        ),
        failing=(),
        why="an empty schema allows any arguments",
    ),
    Story(
        "research_many_different_searches",
        "openllmetry",
        AGENT,
        (
            user("Compare the five largest ports of Europe."),
            *(
                asks(
                    call(
                        "web_search",
                        {"query": f"{port} container throughput 2025"},
                        [{"title": f"{port}: {size} m TEU"}],
                    )
                )
                for port, size in (
                    ("Rotterdam", 13.8),
                    ("Antwerp-Bruges", 13.5),
                    ("Hamburg", 7.8),
                    ("Valencia", 5.5),
                    ("Piraeus", 4.7),
                )
            ),
            answers("Rotterdam leads with 13.8 m TEU, before Antwerp-Bruges, Hamburg, Valencia and Piraeus."),
        ),
        failing=(),
        why="each search asks something else and finds it",
    ),
    Story(
        "research_empty_answer",
        "openinference",
        AGENT,
        (
            user("List three reviews of the new museum."),
            asks(call("web_search", {"query": "museum reviews", "max_results": 3}, HITS)),
            answers(""),
        ),
        failing=("run_completion",),
        why="the answer is empty",
    ),
)
