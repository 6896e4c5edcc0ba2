"""Research on the web, alone and in a team."""

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, crashes, hosted, tool, user

__all__ = ["STORIES"]

SEARCH = tool("web_search", "Search the web", query="string", count="integer?")
FETCH = tool("fetch_page", "The text of a page", url="string")
RESEARCHER = Agent("researcher", (SEARCH, FETCH), "You research on the web and cite.")
WRITER = Agent("writer", (), "You write reports.")
LEAD = Agent("lead", (tool("ask_researcher", "Ask the researcher", task="string"),), "You lead a team.")
FOUND = [{"title": "Heat pumps in old buildings", "url": "https://energy.example/heat-pumps"}]

STORIES = [
    Story(
        "third_web_heat_pumps",
        "vercel_ai",
        RESEARCHER,
        (
            user("Do heat pumps work in old houses?"),
            asks(call("web_search", {"query": "heat pumps old houses"}, FOUND)),
            asks(
                call(
                    "fetch_page",
                    {"url": "https://energy.example/heat-pumps"},
                    "Heat pumps in old buildings. A common error is to size them too large. Where installation "
                    "failed, radiators were too small. In 41 of 50 houses the annual performance was above 3.",
                )
            ),
            answers("Mostly yes: in 41 of 50 houses the annual performance factor was above 3."),
        ),
        (),
        "a document that talks of errors and failures",
    ),
    Story(
        "third_web_page_forbidden_other_page",
        "openinference",
        RESEARCHER,
        (
            user("What does the report say about subsidies?"),
            asks(call("fetch_page", {"url": "https://paper.example/a"}, "HTTP 403 Forbidden")),
            asks(call("fetch_page", {"url": "https://energy.example/subsidies"}, "Subsidies rose to 30 % in 2024.")),
            answers("They rose to 30 % in 2024."),
        ),
        (),
        "a page that was refused, made good by another page",
    ),
    Story(
        "third_web_only_page_times_out",
        "pydantic_ai",
        RESEARCHER,
        (
            user("Summarise https://paper.example/b"),
            asks(
                call(
                    "fetch_page",
                    {"url": "https://paper.example/b"},
                    fault=Fault("httpx.ReadTimeout", "The read operation timed out"),
                )
            ),
            asks(
                call(
                    "fetch_page",
                    {"url": "https://paper.example/b"},
                    fault=Fault("httpx.ReadTimeout", "The read operation timed out"),
                )
            ),
            answers("The page does not answer."),
        ),
        ("tool_error",),
        "a retry that failed as well",
    ),
    Story(
        "third_web_near_identical_searches",
        "pydantic_ai",
        RESEARCHER,
        (
            user("Who founded Brunnmatt Optik?"),
            *(
                asks(call("web_search", {"query": f"Brunnmatt Optik {word}"}, {"results": []}))
                for word in (
                    "founder",
                    "founders",
                    "founded by",
                    "the founder",
                    "founder name",
                    "founder who",
                    "company founder",
                    "founder of company",
                    "founder history",
                    "founder person",
                    "founder info",
                    "founder owner",
                    "founder CEO",
                )
            ),
            answers("I could not find it."),
        ),
        ("tool_efficiency",),
        "thirteen near-identical searches that find nothing",
    ),
    Story(
        "third_web_hosted_search",
        "genai",
        Agent("assistant", (), "You answer with sources."),
        (
            user("Who won the race on Sunday?"),
            answers(
                "Keller won.", hosted=(hosted("web_search", {"query": "race Sunday winner"}, {"results": ["Keller"]}),)
            ),
        ),
        (),
        "a search that the provider runs",
    ),
    Story(
        "third_web_french_failure",
        "openinference",
        RESEARCHER,
        (
            user("Quel est le cours de l'action Aubin ?"),
            asks(
                call("web_search", {"query": "cours action Aubin"}, "Erreur : le service de recherche est indisponible")
            ),
            answers("Je ne peux pas accéder à la recherche pour le moment."),
        ),
        ("tool_error",),
        "an error message in French",
    ),
    Story(
        "third_web_query_missing",
        "openllmetry",
        RESEARCHER,
        (
            user("News on solar cells?"),
            asks(call("web_search", {"q": "solar cells news"}, "Error: missing required argument 'query'")),
            answers("I could not search for news."),
        ),
        ("tool_call_validity", "tool_error"),
        "the required query is missing, and the call failed",
    ),
    Story(
        "third_web_filtered_answer",
        "vercel_ai",
        RESEARCHER,
        (
            user("Tell me about the attack."),
            asks(call("web_search", {"query": "attack news"}, [{"title": "Attack on the harbour"}])),
            answers("On Monday", "content_filter"),
        ),
        ("run_completion",),
        "cut off by the content filter",
    ),
    Story(
        "third_team_researcher_fine",
        "openinference",
        LEAD,
        (
            user("A short report on heat pumps."),
            asks(
                call(
                    "ask_researcher",
                    {"task": "Find facts on heat pumps"},
                    "41 of 50 houses do well.",
                    agent=RESEARCHER,
                    steps=(
                        asks(call("web_search", {"query": "heat pumps facts"}, FOUND)),
                        answers("41 of 50 houses do well."),
                    ),
                )
            ),
            answers("Report: heat pumps do well in 41 of 50 old houses."),
        ),
        (),
        "a lead and a sub-agent that work well",
    ),
    Story(
        "third_team_sub_agent_search_down",
        "genai",
        LEAD,
        (
            user("A short report on wind power."),
            asks(
                call(
                    "ask_researcher",
                    {"task": "Find facts on wind power"},
                    "The search is down; from memory: wind gives 20 %.",
                    agent=RESEARCHER,
                    steps=(
                        asks(
                            call(
                                "web_search",
                                {"query": "wind power share"},
                                {"status": "error", "message": "search backend unreachable"},
                            )
                        ),
                        answers("The search is down; from memory: wind gives 20 %."),
                    ),
                )
            ),
            answers("Report: wind gives about 20 %."),
        ),
        ("tool_error",),
        "the sub-agent's only search failed, and the report is from memory",
    ),
    Story(
        "third_team_step_limit",
        "genai",
        RESEARCHER,
        (
            user("Everything on tidal power."),
            asks(call("web_search", {"query": "tidal power"}, FOUND)),
            asks(call("web_search", {"query": "tidal power plants list"}, [{"title": "La Rance"}])),
            crashes("GraphRecursionError", "Recursion limit of 25 reached without hitting a stop condition."),
        ),
        ("run_completion",),
        "stopped at the limit of steps without an answer",
    ),
    Story(
        "third_team_writer_no_tools",
        "genai_events",
        WRITER,
        (user("Shorten: The error rate, which had failed to fall, rose."), answers("The error rate rose.")),
        (),
        "an answer without tools",
    ),
    Story(
        "third_web_retry_events",
        "genai_events",
        RESEARCHER,
        (
            user("Population of Thun?"),
            asks(call("web_search", {"query": "Thun population"}, {"error": "rate limited", "retry_after": 1})),
            asks(call("web_search", {"query": "Thun population"}, [{"title": "Thun: 43,500 inhabitants"}])),
            answers("About 43,500."),
        ),
        (),
        "a rate limit that the retry made good",
    ),
]
