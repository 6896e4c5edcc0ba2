"""Research on the web; labelled from the spans alone."""

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, hosted, tool, user

__all__ = ["STORIES"]

RESEARCH = "You are a research assistant. Search the web, read the pages, cite your sources."
SEARCH = tool("web_search", "Search the web.", query="string", max_results="integer?")
FETCH = tool("fetch_page", "Get the text of a page.", url="string")

STORIES = (
    Story(
        "research_heat_pumps",
        "genai_events",
        Agent("researcher", (SEARCH, FETCH), RESEARCH),
        (
            user("How many heat pumps were sold in Poland in 2023, compared with 2022?"),
            asks(
                call(
                    "web_search",
                    {"query": "heat pump sales Poland 2023 units", "max_results": 5},
                    [
                        {"title": "Polish heat pump market 2023", "url": "https://portpc.example/report-2023"},
                        {"title": "EHPA market data", "url": "https://ehpa.example/data"},
                    ],
                )
            ),
            asks(
                call(
                    "fetch_page",
                    {"url": "https://portpc.example/report-2023"},
                    (
                        "In 2023 about 120 thousand heat pumps of all kinds were sold in Poland, a fall of "
                        "39 % against 2022. The error of the estimate is 3 %."
                    ),
                )
            ),
            asks(call("web_search", {"query": "Polska pompy ciepła sprzedaż 2022 GUS", "max_results": 5}, [])),
            asks(
                call(
                    "fetch_page",
                    {"url": "https://ehpa.example/data"},
                    "Poland: 2021 92,900; 2022 203,300; 2023 120,000",
                )
            ),
            answers(
                "About 120,000 in 2023 after 203,300 in 2022, that is 41 % fewer by EHPA's numbers "
                "(PORT PC says 39 %). Sources: portpc.example/report-2023, ehpa.example/data."
            ),
        ),
        failing=(),
        why="Different searches and pages, one of them empty, and an answer with sources.",
    ),
    Story(
        "research_page_about_errors",
        "genai",
        Agent("researcher", (SEARCH, FETCH), RESEARCH),
        (
            user("What does 'Error: EACCES: permission denied' mean in npm?"),
            asks(
                call(
                    "web_search",
                    {"query": "npm EACCES permission denied"},
                    [
                        {
                            "title": "Resolving EACCES permissions errors",
                            "url": "https://docs.npm.example/eacces",
                            "snippet": "Error: EACCES: permission denied, access '/usr/local/lib/node_modules'",
                        }
                    ],
                )
            ),
            asks(
                call(
                    "fetch_page",
                    {"url": "https://docs.npm.example/eacces"},
                    (
                        "Resolving EACCES permissions errors when installing packages globally. If you see "
                        "an EACCES error when you try to install a package globally, you can either "
                        "reinstall npm with a version manager, or change npm's default directory."
                    ),
                )
            ),
            answers(
                "npm may not write to its global folder. Install Node with a version manager, or "
                "give npm a prefix of your own (docs.npm.example/eacces)."
            ),
        ),
        failing=(),
        why="The page explains error messages; fetching it succeeded.",
    ),
    Story(
        "research_dozen_empty_searches",
        "genai",
        Agent("researcher", (SEARCH, FETCH), RESEARCH),
        (
            user("Find the 1987 workshop paper by Lindqvist on tile caches."),
            *(
                asks(call("web_search", {"query": query}, []))
                for query in (
                    "Lindqvist 1987 tile caches workshop paper",
                    "Lindqvist 1987 tile caches paper",
                    "Lindqvist tile caches 1987 workshop",
                    "Lindqvist tile cache 1987 workshop paper",
                    'Lindqvist "tile caches" 1987',
                    'Lindqvist "tile caches" workshop 1987',
                    'Lindqvist 1987 "tile caches" workshop paper',
                    "tile caches Lindqvist 1987 workshop paper pdf",
                    "Lindqvist 1987 tile caches workshop paper pdf",
                    "Lindqvist 1987 tile caches workshop pdf",
                    "Lindqvist 1987 tile cache workshop pdf",
                    "Lindqvist 1987 tile cache paper pdf",
                    "Lindqvist 1987 tile cache workshop paper pdf",
                    "Lindqvist 1987 tile caches workshop paper download",
                )
            ),
            answers("I found no trace of that paper."),
        ),
        failing=("tool_efficiency",),
        why=("Fourteen searches with hardly different words, all of them empty, and no other way tried."),
    ),
    Story(
        "research_answer_cut_off",
        "openinference",
        Agent("researcher", (SEARCH,), RESEARCH),
        (
            user("Write a report on the history of the metric system, ten pages."),
            asks(
                call(
                    "web_search",
                    {"query": "history of the metric system"},
                    [{"title": "Metrication", "url": "https://history.example/metric"}],
                )
            ),
            answers(
                (
                    "# The history of the metric system\n\n"
                    "In 1790 the National Assembly of France asked the Academy of Sciences for a "
                    "system that would be the same for all people and for all time. The commission "
                    "around Borda, Lagrange and"
                ),
                "length",
            ),
        ),
        failing=("run_completion",),
        why="The answer stops in the middle of a sentence because of the length limit.",
    ),
    Story(
        "research_with_hosted_search",
        "genai",
        Agent("answer_engine", (), "Answer with what the web says."),
        (
            user("When does the museum of natural history open on Sundays?"),
            answers(
                "It opens at 10:00 on Sundays, says naturkunde.example.",
                hosted=[
                    hosted(
                        "web_search",
                        {"query": "museum of natural history opening hours Sunday"},
                        [{"url": "https://naturkunde.example/visit", "text": "Sunday 10:00 to 18:00"}],
                    )
                ],
            ),
        ),
        failing=(),
        why=("The provider of the model ran the web search itself; no tool had to be offered or executed."),
    ),
    Story(
        "translation_by_single_call",
        "openinference",
        Agent("translate", (), "Translate into Finnish."),
        (
            user("Good morning, everybody!"),
            answers("Hyvää huomenta kaikille!"),
        ),
        failing=(),
        why="A single call of a model without an agent around it; it ended with a translation.",
        agent_span="none",
    ),
)
