"""Repeats by agents of other trades: searches, reads and commands over and over, and those with reason."""

from __future__ import annotations

from ..story import Fault, Story, answers, asks, call, crashes, user
from .airline import AGENT as AIRLINE
from .airline import MIA
from .coding import AGENT as CODER
from .coding import SOURCE
from .devops import AGENT as SRE
from .research import AGENT as RESEARCHER
from .retail import SUPPORT

__all__ = ["STORIES"]

STORIES = (
    Story(
        "retail_search_until_nothing_left",
        "vercel_ai",
        SUPPORT,
        (
            user("Do you have the Halvorsen armchair in teal?"),
            *(
                asks(call("search_products", {"query": query}, {"results": [], "total": 0}, ms=90))
                for query in (
                    "Halvorsen armchair teal",
                    "halvorsen armchair teal",
                    "Halvorsen arm chair teal",
                    "Halvorsen armchair in teal",
                    "armchair Halvorsen teal",
                    "teal Halvorsen armchair",
                    "Halvorsen armchair, teal",
                    "Halvorsen armchairs teal",
                    "Halvorsen armchair teal color",
                    "Halvorsen armchair colour teal",
                    "the Halvorsen armchair teal",
                    "Halvorsen armchair (teal)",
                    "Halvorsen armchair - teal",
                )
            ),
            answers("I'm afraid we don't carry it in teal."),
        ),
        failing=("tool_efficiency",),
        why="thirteen searches that differ in a word at most, and none finds anything",
    ),
    Story(
        "coding_same_file_over_and_over",
        "openinference",
        CODER,
        (
            user("Refactor the parser to use a regular expression."),
            *(
                asks(call("read_file", {"path": "src/dates/parser.py"}, SOURCE), text="Let me look at the file.")
                for _ in range(6)
            ),
            crashes("MaxTurnsExceeded", "Max turns (6) exceeded"),
        ),
        failing=("run_completion", "tool_efficiency"),
        why="read the same file six times without a change, until the limit of turns ended the run",
    ),
    Story(
        "coding_git_status_between_commits",
        "genai_events",
        CODER,
        (
            user("Commit the parser and the docs separately."),
            asks(call("bash", {"command": "git status --short"}, " M docs/index.md\n M src/dates/parser.py\n")),
            asks(call("bash", {"command": "git commit -qm 'Fix leap days' src/dates/parser.py"}, "")),
            asks(call("bash", {"command": "git status --short"}, " M docs/index.md\n")),
            asks(call("bash", {"command": "git commit -qm 'Document leap days' docs/index.md"}, "")),
            asks(call("bash", {"command": "git status --short"}, "")),
            answers("Two commits, and the tree is clean."),
        ),
        failing=(),
        why="the same command after a command that writes shows something new each time",
    ),
    Story(
        "research_search_cycle",
        "pydantic_ai",
        RESEARCHER,
        (
            user("Find the 2019 annual report of Tessel AG."),
            *(
                ask
                for _ in range(4)
                for ask in (
                    asks(call("web_search", {"query": "Tessel AG annual report 2019"}, [])),
                    asks(call("fetch_page", {"url": "https://tessel.example.ch/reports"}, "Reports: 2021, 2022, 2023")),
                )
            ),
            answers("I could not find the report of 2019; the company only lists 2021 to 2023."),
        ),
        failing=("tool_efficiency",),
        why="the same search and the same page four times in turn, with nothing new",
    ),
    Story(
        "research_same_failure_seven_times",
        "genai",
        RESEARCHER,
        (
            user("Read https://archive.example.net/x"),
            *(
                asks(
                    call(
                        "fetch_page",
                        {"url": "https://archive.example.net/x"},
                        fault=Fault("ConnectTimeout", "timed out after 30 s"),
                        ms=30_000,
                    )
                )
                for _ in range(7)
            ),
            answers("The archive does not respond."),
        ),
        failing=("tool_efficiency", "tool_error"),
        why="the fetch never succeeded, and it was tried seven times in a row with the same failure",
    ),
    Story(
        "devops_kubectl_forbidden_loop",
        "vercel_ai",
        SRE,
        (
            user("Restart the payment pods."),
            *(
                asks(
                    call(
                        "kubectl",
                        {"args": "-n payments delete pod -l app=payments"},
                        'Error from server (Forbidden): pods is forbidden: User "sre-agent" cannot delete resource',
                    )
                )
                for _ in range(5)
            ),
            answers("I lack the permission to delete pods in payments."),
        ),
        failing=("tool_efficiency", "tool_error"),
        why="forbidden five times in a row for the same command, and never made good",
    ),
    Story(
        "airline_user_lookup_loop",
        "genai",
        AIRLINE,
        (
            user("What's on my account? I'm mia_li_3668"),
            *(asks(call("get_user_details", {"user_id": "mia_li_3668"}, MIA)) for _ in range(4)),
            answers("You are a gold member with two reservations: NO6JO3 and AIXC49."),
        ),
        failing=("tool_efficiency",),
        why="the same lookup four times in a row with the same result",
    ),
)
