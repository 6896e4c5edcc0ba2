"""The web, machines and memories: browsers, search, Desktop Commander, Letta, several agents."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import (
    Agent,
    Call,
    Fault,
    Story,
    answers,
    asks,
    call,
    hands_off,
    model_fails,
    pause,
    repeat_calls,
    tool,
    user,
)

__all__ = ["STORIES"]

COMMANDER = Agent(
    "desktop_commander",
    (
        tool("start_process", "Starts a process", command="string", timeout_ms="number", shell="string?"),
        tool("read_process_output", "New output of a process", pid="number", timeout_ms="number?"),
        tool("list_directory", "Lists a directory", path="string", depth="number?"),
    ),
    "You run commands on the user's machine.",
    "claude-sonnet-4-20250514",
    "anthropic",
)
BROWSER = Agent(
    "browser_agent",
    (
        tool("browser_navigate", "Opens an address", url="string"),
        tool("browser_snapshot", "Accessibility snapshot of the page"),
        tool("browser_click", "Clicks an element", element="string", ref="string"),
        tool("browser_type", "Types text", element="string", ref="string", text="string", submit="boolean?"),
    ),
    "You operate a browser through Playwright.",
)
RESEARCHER = Agent(
    "research_agent",
    (
        tool("web_search", "Searches the web", query="string", top_k="integer?"),
        tool("fetch_page", "Fetches a page", url="string"),
    ),
    "You find information on the web.",
    "gpt-4o-mini",
)
WRITER = Agent(
    "main_agent",
    (
        tool("research_tool", "Finds information on the web", messages="string"),
        tool("writer_tool", "Writes text into the store", title="string", content="string"),
    ),
    "You delegate research and writing to your tools.",
    "gpt-4o-mini",
)
AIDER = Agent("aider", (), "Act as an expert software developer. Reply with whole files.", "gpt-4o-mini")
BRAVE = Agent(
    "local_guide",
    (
        tool("brave_web_search", "Web search", query="string", count="number?", offset="number?"),
        tool("brave_local_search", "Local businesses", query="string", count="number?"),
    ),
    "You help people in their town.",
)
TAVILY = Agent(
    "deep_research",
    (
        tool("tavily-search", "Searches the web", query="string", max_results="integer?", topic="string?"),
        tool("tavily-extract", "Text of pages", urls="string[]"),
        tool("write_note", "Keeps a note", text="string"),
    ),
    "You research a question thoroughly and cite your sources.",
    "gpt-4.1",
)
LETTA = Agent(
    "letta_companion",
    (
        tool(
            "core_memory_replace",
            "Replaces text in a block",
            label="string",
            old_content="string",
            new_content="string",
        ),
        tool("archival_memory_insert", "Stores a memory", content="string", tags="string[]?"),
        tool("archival_memory_search", "Searches memories", query="string", page="integer?"),
        tool("conversation_search", "Searches the conversation", query="string", page="integer?"),
    ),
    "You are a companion with a memory of your own.",
)
SUMMARIZER = Agent(
    "thread_summarizer",
    (tool("get_thread", "Messages of a thread", thread_id="string"),),
    "You summarize threads.",
    "gpt-4.1-mini",
)
TRIAGE = Agent(
    "triage_agent",
    (tool("lookup_order", "An order", order_id="string"),),
    "You find out what the customer needs and hand over to the right agent.",
)
REFUNDS = Agent(
    "refund_agent",
    (
        tool("lookup_order", "An order", order_id="string"),
        tool("refund", "Refunds", order_id="string", amount="number"),
    ),
    "You refund orders.",
)
PAIR = Agent(
    "agno_analyst",
    (
        tool("get_current_stock_price", "Price of a stock", symbol="string"),
        tool("get_company_news", "News of a company", symbol="string", num_stories="integer?"),
    ),
    "You answer questions on stocks. Ask if a name is ambiguous.",
)

PAGE = (
    "### Page state\n- Page URL: https://visa.example/apply?step=2\n- Page Title: 비자 신청\n- Page Snapshot:\n```yaml\n"
    '- heading "2단계: 여권 정보" [level=1] [ref=e12]\n- textbox "여권 번호" [ref=e20]: M1234\n'
    '- button "다음" [ref=e31]\n```'
)


def found(query: str, *titles: str) -> Call:
    return call(
        "tavily-search",
        {"query": query, "max_results": 3},
        "Detailed Results:\n\n"
        + "\n\n".join(f"Title: {each}\nURL: https://{i}.example/{len(each)}" for i, each in enumerate(titles, 1)),
    )


STORIES = (
    Story(
        "seventh_web_commander_build_watched",
        "genai",
        COMMANDER,
        (
            user("Build the validator and tell me when it's done."),
            asks(
                call(
                    "start_process",
                    {"command": "cmake --build build -j2", "timeout_ms": 5000},
                    "Process started with PID 48211 (shell: /bin/zsh)\nInitial output:\n[  2%] Building CXX object "
                    "CMakeFiles/validator.dir/graph.cpp.o\n⏳ Process is running. Use read_process_output to get more "
                    "output.",
                )
            ),
            pause(30.0),
            asks(
                call(
                    "read_process_output",
                    {"pid": 48211, "timeout_ms": 30000},
                    "[Reading 0 new lines (total: 1 lines)]\n\n(No output in requested range)",
                )
            ),
            pause(30.0),
            asks(
                call(
                    "read_process_output",
                    {"pid": 48211, "timeout_ms": 30000},
                    "[Reading 0 new lines (total: 1 lines)]\n\n(No output in requested range)",
                )
            ),
            pause(30.0),
            asks(
                call(
                    "read_process_output",
                    {"pid": 48211, "timeout_ms": 30000},
                    "[Reading 1 new lines (total: 2 lines)]\n\n[ 71%] Building CXX object CMakeFiles/validator.dir/"
                    "dijkstra.cpp.o",
                )
            ),
            pause(30.0),
            asks(
                call(
                    "read_process_output",
                    {"pid": 48211, "timeout_ms": 30000},
                    "[Reading 2 new lines (total: 4 lines)]\n\n[100%] Linking CXX executable validator\n[100%] Built "
                    "target validator\n✅ Process completed with exit code 0 (runtime: 121.44s)",
                )
            ),
            answers("The validator is built; it took two minutes."),
        ),
        failing=(),
        why="the output of the build was polled until it completed",
    ),
    Story(
        "seventh_web_form_does_not_move",
        "vercel_ai",
        BROWSER,
        (
            user("비자 신청서를 계속 작성해 주세요. 여권 번호는 M1234 입니다."),
            asks(
                call(
                    "browser_navigate",
                    {"url": "https://visa.example/apply?step=2"},
                    "### Ran Playwright code\n```js\nawait page.goto('https://visa.example/apply?step=2');\n```",
                )
            ),
            asks(
                call(
                    "browser_type",
                    {"element": "여권 번호", "ref": "e20", "text": "M1234"},
                    "### Ran Playwright code\n```js\nawait page.getByRole('textbox').fill('M1234');\n```",
                )
            ),
            *repeat_calls(
                6,
                call(
                    "browser_click",
                    {"element": "다음", "ref": "e31"},
                    "### Ran Playwright code\n```js\nawait page.getByRole('button', { name: '다음' }).click();\n```",
                ),
                call("browser_snapshot", {}, PAGE),
            ),
            answers("'다음' 버튼을 여러 번 눌렀지만 2단계에서 넘어가지 않습니다. 여권 번호 형식을 확인해 주세요."),
        ),
        failing=("tool_efficiency",),
        why="six times the same button and the same page after it",
    ),
    Story(
        "seventh_web_research_agent_without_search",
        "genai",
        WRITER,
        (
            user("Write a short text on the history of the Silk Road and store it."),
            asks(
                call(
                    "research_tool",
                    {"messages": "Key dates of the Silk Road"},
                    "I could not search the web, so this is from memory: it began around 130 BCE and ended in 1453.",
                    agent=RESEARCHER,
                    steps=(
                        asks(
                            call(
                                "web_search",
                                {"query": "Silk Road key dates", "top_k": 5},
                                fault=Fault(
                                    "haystack.tools.errors.ToolInvocationError",
                                    "Failed to invoke Tool `web_search` with parameters {'query': 'Silk Road key dates',"
                                    " 'top_k': 5}. Error: 403 Client Error: Forbidden for url: https://google.serper."
                                    "dev/search",
                                ),
                            )
                        ),
                        answers(
                            "I could not search the web, so this is from memory: it began around 130 BCE and ended in "
                            "1453."
                        ),
                    ),
                )
            ),
            asks(
                call(
                    "writer_tool",
                    {"title": "The Silk Road", "content": "The Silk Road linked China and the Mediterranean ..."},
                    "Document written to the store.",
                )
            ),
            answers("The text on the Silk Road is stored."),
        ),
        failing=("tool_error",),
        why="the only search of the research agent failed and was not repeated",
    ),
    Story(
        "seventh_web_aider_file_cut_off",
        "openllmetry",
        AIDER,
        (
            user("Zamień parser.py na wersję z argparse i pokaż cały plik."),
            answers(
                "parser.py\n```python\nimport argparse\nimport sys\n\n\ndef build_parser() -> argparse.ArgumentParser:\n"
                '    parser = argparse.ArgumentParser(description="Konwersja plików")\n    parser.add_argument("--in',
                "length",
            ),
        ),
        failing=("run_completion",),
        why="the file is cut off by the limit of tokens",
    ),
    Story(
        "seventh_web_brave_rate_limited_once",
        "genai_events",
        BRAVE,
        (
            user("Où acheter du pain sans gluten près de la gare de Nantes ?"),
            asks(
                call(
                    "brave_local_search",
                    {"query": "boulangerie sans gluten gare de Nantes", "count": 5},
                    {"content": [{"type": "text", "text": "Error: Rate limit exceeded"}], "isError": True},
                )
            ),
            pause(1.5),
            asks(
                call(
                    "brave_local_search",
                    {"query": "boulangerie sans gluten gare de Nantes", "count": 5},
                    "Name: La Mie Libre\nAddress: 12 rue de Richebourg, Nantes\nPhone: N/A\nRating: 4.7 (211 reviews)\n"
                    "Price Range: N/A\nHours: N/A\nDescription: No description available",
                )
            ),
            answers("La Mie Libre, 12 rue de Richebourg, à cinq minutes de la gare (4,7 sur 211 avis)."),
        ),
        failing=(),
        why="the search was over the rate once and worked when it was repeated",
    ),
    Story(
        "seventh_web_tavily_long_research",
        "openinference",
        TAVILY,
        (
            user("How do heat pumps fare in old buildings in Germany? I need sources."),
            asks(found("heat pump old building Germany field test", "Fraunhofer ISE: WPsmart im Bestand", "co2online")),
            asks(
                call(
                    "tavily-extract",
                    {"urls": ["https://1.example/34"]},
                    {
                        "results": [
                            {
                                "url": "https://1.example/34",
                                "raw_content": "Air source heat pumps reached an SPF of 3.1.",
                            }
                        ],
                        "failed_results": [],
                    },
                )
            ),
            asks(call("write_note", {"text": "SPF 3.1 for air source, 4.1 for ground source (Fraunhofer)."}, "saved")),
            asks(found("seasonal performance factor ground source heat pump existing building", "BWP Feldtest")),
            asks(found("Wärmepumpe Altbau Vorlauftemperatur 55 Grad Studie", "dena", "ifeu: Heizen mit 55 Grad")),
            asks(
                call(
                    "tavily-extract",
                    {"urls": ["https://2.example/24"]},
                    {
                        "results": [
                            {"url": "https://2.example/24", "raw_content": "Half of the houses need no change."}
                        ],
                        "failed_results": [],
                    },
                )
            ),
            asks(call("write_note", {"text": "Half of the houses can be heated with 55 degrees (ifeu)."}, "saved")),
            asks(found("heat pump noise complaints Germany neighbours", "UBA: Lärm", "LAI Leitfaden")),
            asks(found("Stromkosten Wärmepumpe Altbau 2025", "Verbraucherzentrale", "Finanztip")),
            asks(
                call(
                    "tavily-extract",
                    {"urls": ["https://1.example/19", "https://2.example/8"]},
                    {
                        "results": [{"url": "https://1.example/19", "raw_content": "About 1,400 euros a year."}],
                        "failed_results": [{"url": "https://2.example/8", "error": "Failed to fetch url"}],
                    },
                )
            ),
            asks(call("write_note", {"text": "About 1,400 euros a year (Verbraucherzentrale)."}, "saved")),
            asks(found("heat pump radiators old house replace how many", "Fraunhofer ISE: FAQ", "BWP: Heizkörper")),
            asks(
                call(
                    "tavily-extract",
                    {"urls": ["https://1.example/19#radiators"]},
                    {
                        "results": [
                            {"url": "https://1.example/19", "raw_content": "One to three radiators on average."}
                        ],
                        "failed_results": [],
                    },
                )
            ),
            asks(call("write_note", {"text": "One to three radiators are replaced on average (Fraunhofer)."}, "saved")),
            asks(found("heat pump old building failure rate errors installation", "test.de: Fehler bei der Planung")),
            asks(found("Denkmalschutz Wärmepumpe Außeneinheit Genehmigung", "Deutsches Nationalkomitee")),
            asks(found("BEG Förderung Wärmepumpe 2026", "KfW 458", "BAFA")),
            asks(
                call(
                    "tavily-extract",
                    {"urls": ["https://1.example/7"]},
                    {
                        "results": [{"url": "https://1.example/7", "raw_content": "Up to 70 percent of the cost."}],
                        "failed_results": [],
                    },
                )
            ),
            asks(call("write_note", {"text": "Grants of up to 70 percent (KfW 458)."}, "saved")),
            answers(
                "They do well: an SPF of 3.1 to 4.1 (Fraunhofer), half of the houses need no change (ifeu), about 1,400 "
                "euros a year (Verbraucherzentrale), and grants of up to 70 percent (KfW 458)."
            ),
        ),
        failing=(),
        why="each search and page brought something new; one of two pages of a batch could not be fetched, a later one could",
    ),
    Story(
        "seventh_web_letta_remembers",
        "pydantic_ai",
        LETTA,
        (
            user("We moved: I live in Porto now, not in Lisbon. And do you still know my sister's birthday?"),
            asks(
                call(
                    "core_memory_replace",
                    {"label": "human", "old_content": "Lives in Lisbon.", "new_content": "Lives in Porto."},
                    {"status": "OK", "message": "None", "time": "2026-03-02 02:31:28 PM UTC+0000"},
                ),
                call(
                    "archival_memory_search",
                    {"query": "sister birthday", "page": 0},
                    {"status": "OK", "message": "([], 0)", "time": "2026-03-02 02:31:29 PM UTC+0000"},
                ),
            ),
            asks(
                call(
                    "conversation_search",
                    {"query": "sister"},
                    {"status": "OK", "message": "No results found.", "time": "2026-03-02 02:31:33 PM UTC+0000"},
                )
            ),
            answers("Porto it is, I've noted that. I don't know your sister's birthday. When is it?"),
            user("May 4."),
            asks(
                call(
                    "archival_memory_insert",
                    {"content": "The user's sister has her birthday on May 4.", "tags": ["family"]},
                    {"status": "OK", "message": "None", "time": "2026-03-02 02:32:10 PM UTC+0000"},
                )
            ),
            answers("I'll remember May 4."),
        ),
        failing=(),
        why="memories that are not there are no errors, and both were written",
    ),
    Story(
        "seventh_web_model_rate_limited_once",
        "openllmetry",
        SUMMARIZER,
        (
            user("Summarize thread T-88."),
            asks(
                call(
                    "get_thread",
                    {"thread_id": "T-88"},
                    [
                        {"from": "lea", "text": "deploy failed again, exit code 1"},
                        {"from": "tom", "text": "error: image not found. Pushed it, retrying"},
                        {"from": "lea", "text": "green now"},
                    ],
                )
            ),
            model_fails(
                "openai.RateLimitError",
                "Error code: 429 - {'error': {'message': 'Rate limit reached for gpt-4.1-mini on tokens per min (TPM). "
                "Please try again in 1.2s.', 'type': 'tokens', 'code': 'rate_limit_exceeded'}}",
            ),
            pause(2.0),
            answers("Lea's deploy failed for a missing image; Tom pushed it and the next deploy was green."),
        ),
        failing=(),
        why="the model was over its rate once and answered afterwards; the failures are in the thread",
    ),
    Story(
        "seventh_web_triage_hands_over",
        "genai_events",
        TRIAGE,
        (
            user("订单 A-5521 收到的杯子碎了，我要退款。"),
            asks(
                call(
                    "lookup_order",
                    {"order_id": "A-5521"},
                    {"order_id": "A-5521", "status": "delivered", "total": 88.0, "issue": None},
                )
            ),
            hands_off(REFUNDS),
            asks(
                call("refund", {"order_id": "A-5521", "amount": 88.0}, {"ok": True, "refund_id": "R-301", "error": ""})
            ),
            answers("已为订单 A-5521 退款 88 元，退款编号 R-301，三个工作日内到账。"),
        ),
        failing=(),
        why="the conversation was handed to another agent, which refunded and answered",
    ),
    Story(
        "seventh_web_agno_asks_which_company",
        "pydantic_ai",
        PAIR,
        (
            user("Wie steht die Aktie von Linde, und gibt es schlechte Nachrichten?"),
            asks(
                call("get_current_stock_price", {"symbol": "LIN"}, "468.2100"),
                call(
                    "get_company_news",
                    {"symbol": "LIN", "num_stories": 2},
                    [
                        {"title": "Linde plant outage: error in control system halts production", "date": "2026-02-27"},
                        {"title": "Analyst cuts target, cites failed tender", "date": "2026-02-26"},
                    ],
                ),
            ),
            answers(
                "Linde plc (LIN) steht bei 468,21 $. Zwei schlechte Meldungen: ein Anlagenausfall und eine verlorene "
                "Ausschreibung. Meintest du diese Linde?"
            ),
        ),
        failing=(),
        why="both calls worked, the bad news are news, and it asks back",
    ),
)
