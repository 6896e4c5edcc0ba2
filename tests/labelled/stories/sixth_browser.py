"""Agents that drive a browser or read the web."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Fault, Story, Tool, answers, asks, call, crashes, tool, user

__all__ = ["STORIES"]

NAVIGATE = tool("browser_navigate", "Navigate to a URL", url="string")
SNAPSHOT = tool("browser_snapshot", "Capture accessibility snapshot of the current page")
CLICK = tool("browser_click", "Perform click on a web page", element="string", ref="string")
TYPE = tool("browser_type", "Type text into editable element", element="string", ref="string", text="string")
KEY = tool("browser_press_key", "Press a key on the keyboard", key="string")
WAIT = tool("browser_wait_for", "Wait for text or a time", time="number?", text="string?")
PLAYWRIGHT = Agent(
    "playwright_agent", (NAVIGATE, SNAPSHOT, CLICK, TYPE, KEY, WAIT), "You use the browser to answer.", "gpt-4.1"
)


def page(url: str, title: str, tree: str) -> str:
    return f"### Page state\n- Page URL: {url}\n- Page Title: {title}\n- Page Snapshot:\n```yaml\n{tree}\n```"


GOTO = tool("go_to_url", "Navigate to URL in the current tab", url="string")
INDEX = tool("click_element", "Click element", index="integer")
INPUT = tool("input_text", "Input text into an input element", index="integer", text="string")
SCROLL = tool("scroll_down", "Scroll down the page by pixel amount", amount="integer?")
EXTRACT = tool("extract_content", "Extract page content", goal="string")
SCROLL_TO = tool("scroll_to_text", "Scroll to a text", text="string")
OPTIONS = tool("get_dropdown_options", "Get all options from a native dropdown", index="integer")
SELECT = tool("select_dropdown_option", "Select dropdown option by its text", index="integer", text="string")
BROWSER_USE = Agent(
    "browser_use",
    (GOTO, INDEX, INPUT, SCROLL, EXTRACT, SCROLL_TO, OPTIONS, SELECT),
    "You are an AI agent designed to automate browser tasks.",
    "gpt-4o",
)

SCRAPE = tool("firecrawl_scrape", "Scrape content from a single URL", url="string", formats="string[]")
FIRE_SEARCH = tool("firecrawl_search", "Search the web", query="string", limit="integer?")
SHOPPER = Agent("price_scout", (SCRAPE, FIRE_SEARCH), "You compare prices.")

WEB = tool("web_search", "Search the web", query="string")
RESEARCH = Agent("patent_scout", (WEB,), "You find primary sources.", "deepseek-chat", "deepseek")

CRAWL = tool("crawl_links", "Follow the links of a page and report their HTTP status", url="string", depth="integer?")
LINKS = Agent("link_checker", (CRAWL,), "You look after a documentation site.")

DT_NEW = tool("new_page", "Creates a new page", url="string")
DT_SNAP = tool("take_snapshot", "Take a text snapshot of the page")
DT_CLICK = tool("click", "Clicks on the provided element", uid="string")
DT_NET = Tool(
    "list_network_requests", "List all requests since the last navigation", {"type": "object", "properties": {}}
)
DEVTOOLS = Agent("devtools", (DT_NEW, DT_SNAP, DT_CLICK, DT_NET), "你是一个前端调试助手。", "qwen-max", "alibaba")

STORIES = (
    Story(
        "sixth_web_stale_ref_then_snapshot",
        "genai",
        PLAYWRIGHT,
        (
            user("Відкрий itc.ua і скажи, хто входить до команди редакції."),
            asks(
                call(
                    "browser_navigate",
                    {"url": "https://itc.ua/ua/"},
                    page(
                        "https://itc.ua/ua/", "ITC.ua", '- link "Про проєкт" [ref=e457]\n- link "Команда ITC" [ref=e13]'
                    ),
                )
            ),
            asks(
                call(
                    "browser_click",
                    {"element": "Команда ITC", "ref": "e13"},
                    "Error: Ref e13 not found in the current page snapshot. Try capturing new snapshot.",
                )
            ),
            asks(
                call(
                    "browser_snapshot",
                    {},
                    page(
                        "https://itc.ua/ua/",
                        "ITC.ua",
                        '- link "Про проєкт" [ref=s2e457]\n- link "Команда ITC" [ref=s2e459]',
                    ),
                )
            ),
            asks(
                call(
                    "browser_click",
                    {"element": "Команда ITC", "ref": "s2e459"},
                    "### Ran Playwright code\n```js\nawait page.getByRole('link', { name: 'Команда ITC' }).click();\n```\n\n"
                    + page(
                        "https://itc.ua/ua/komanda-itc-2/",
                        "Команда ITC",
                        '- heading "Команда"\n- text: Головний редактор — В. Швед',
                    ),
                )
            ),
            answers("Головний редактор ITC.ua — В. Швед; повний список є на сторінці «Команда ITC»."),
        ),
        failing=(),
        why="the stale reference was refreshed and the same click worked",
    ),
    Story(
        "sixth_web_reservation_click_intercepted",
        "openllmetry",
        PLAYWRIGHT,
        (
            user("Reserva mesa para dos en Goiko el viernes a las nueve."),
            asks(
                call(
                    "browser_navigate",
                    {"url": "https://www.goiko.com/es/"},
                    page("https://www.goiko.com/es/", "Goiko", '- link "Carta" [ref=e57]\n- link "Reservar" [ref=e58]'),
                )
            ),
            asks(
                call(
                    "browser_click",
                    {"element": "Reservar", "ref": "e58"},
                    "### Result\nError: TimeoutError: locator.click: Timeout 5000ms exceeded.\nCall log:\n  - waiting for "
                    "locator('aria-ref=e58')\n    - locator resolved to <a href=\"/reservar\">Reservar</a>\n  - attempting "
                    'click action\n    - <div class="cookie-overlay">…</div> intercepts pointer events\n',
                )
            ),
            asks(
                call(
                    "browser_press_key",
                    {"key": "Escape"},
                    "### Ran Playwright code\n```js\nawait page.keyboard.press('Escape');\n```",
                )
            ),
            asks(
                call(
                    "browser_snapshot",
                    {},
                    page(
                        "https://www.goiko.com/es/",
                        "Goiko",
                        '- dialog "Cookies":\n  - button "Aceptar todas" [ref=e91]\n- link "Reservar" [ref=e58]',
                    ),
                )
            ),
            asks(
                call(
                    "browser_click",
                    {"element": "Aceptar todas", "ref": "e91"},
                    "### Result\nError: TimeoutError: locator.click: Timeout 5000ms exceeded.\nCall log:\n  - waiting for "
                    "locator('aria-ref=e91')\n  - element is outside of the viewport\n",
                )
            ),
            asks(call("browser_wait_for", {"time": 3}, "### Result\nWaited for 3")),
            asks(
                call(
                    "browser_navigate",
                    {"url": "https://www.goiko.com/es/reservar"},
                    page(
                        "https://www.goiko.com/es/reservar",
                        "Reservar",
                        '- dialog "Cookies":\n  - button "Rechazar" '
                        '[ref=e12]\n- button "2 personas" [ref=e20]\n- button "21:00" [ref=e27]',
                    ),
                )
            ),
            asks(
                call(
                    "browser_click",
                    {"element": "Rechazar", "ref": "e12"},
                    "### Result\nError: TimeoutError: locator.click: Timeout 5000ms exceeded.\nCall log:\n  - waiting for "
                    "locator('aria-ref=e12')\n  - element is not stable\n",
                )
            ),
            asks(
                call(
                    "browser_press_key",
                    {"key": "Tab"},
                    "### Ran Playwright code\n```js\nawait page.keyboard.press('Tab');\n```",
                )
            ),
            asks(
                call(
                    "browser_press_key",
                    {"key": "Enter"},
                    "### Ran Playwright code\n```js\nawait page.keyboard.press('Enter');\n```",
                )
            ),
            asks(
                call(
                    "browser_snapshot",
                    {},
                    page(
                        "https://www.goiko.com/es/reservar",
                        "Reservar",
                        '- dialog "Cookies":\n  - heading '
                        '"Preferencias"\n  - button "Guardar" [ref=e33]\n- button "2 personas" [ref=e20]',
                    ),
                )
            ),
            asks(
                call(
                    "browser_click",
                    {"element": "Guardar", "ref": "e33"},
                    "### Result\nError: TimeoutError: locator.click: Timeout 5000ms exceeded.\nCall log:\n  - waiting for "
                    "locator('aria-ref=e33')\n    - <div class=\"spinner\"></div> intercepts pointer events\n",
                )
            ),
            asks(call("browser_wait_for", {"time": 10}, "### Result\nWaited for 10")),
            asks(
                call(
                    "browser_navigate",
                    {"url": "https://www.goiko.com/es/"},
                    page("https://www.goiko.com/es/", "Goiko", '- dialog "Cookies"\n- link "Reservar" [ref=e58]'),
                )
            ),
            asks(
                call(
                    "browser_click",
                    {"element": "Reservar", "ref": "e58"},
                    "### Result\nError: TimeoutError: locator.click: Timeout 5000ms exceeded.\nCall log:\n  - waiting for "
                    "locator('aria-ref=e58')\n    - <div class=\"cookie-overlay\">…</div> intercepts pointer events\n",
                )
            ),
            answers(
                "No he podido hacer la reserva: el aviso de cookies tapa la página y no responde. ¿Quieres que te dé "
                "el teléfono del restaurante?"
            ),
        ),
        failing=("tool_error",),
        why="every click timed out, the last one included, and nothing was reserved",
    ),
    Story(
        "sixth_web_long_article_by_scrolling",
        "vercel_ai",
        BROWSER_USE,
        (
            user("Collect all company names in the 2025 supplier report on example-press.com."),
            asks(
                call(
                    "go_to_url",
                    {"url": "https://example-press.com/reports/suppliers-2025"},
                    "🔗  Navigated to https://example-press.com/reports/suppliers-2025",
                )
            ),
            *(
                step
                for names in (
                    '["Aalto Metals", "Brenner AG"]',
                    '["Cobalt Ridge", "Dorn & Sohn"]',
                    '["Ekström", "Fujikawa Seiki"]',
                    '["Gao Precision", "Halden Fjord"]',
                    '["Iberforja", "Jura Microtech"]',
                    '["Kestrel Alloys"]',
                    '["Lindqvist Rör", "Mora Tools"]',
                )
                for step in (
                    asks(
                        call(
                            "extract_content",
                            {"goal": "all company names"},
                            f'📄  Extracted from page\n: ```json\n{{"companies": {names}}}\n```\n',
                        )
                    ),
                    asks(call("scroll_down", {"amount": 900}, "🔍  Scrolled down the page by 900 pixels")),
                )
            ),
            asks(
                call(
                    "extract_content",
                    {"goal": "all company names"},
                    '📄  Extracted from page\n: ```json\n{"companies": [], "note": "end of page"}\n```\n',
                )
            ),
            answers(
                "13 companies: Aalto Metals, Brenner AG, Cobalt Ridge, Dorn & Sohn, Ekström, Fujikawa Seiki, Gao "
                "Precision, Halden Fjord, Iberforja, Jura Microtech, Kestrel Alloys, Lindqvist Rör and Mora Tools."
            ),
        ),
        failing=(),
        why="scrolling and reading in turns, each time with new names, until the end of the page",
    ),
    Story(
        "sixth_web_scrape_all_engines_failed",
        "pydantic_ai",
        SHOPPER,
        (
            user("What does the Blossom Multicolor doormat cost at ruggable.com right now?"),
            asks(
                call(
                    "firecrawl_search",
                    {"query": "ruggable blossom multicolor estate doormat", "limit": 3},
                    {
                        "success": True,
                        "data": {
                            "web": [
                                {
                                    "url": "https://ruggable.com/products/blossom-multicolor-estate-doormat",
                                    "title": "Blossom Multicolor Estate Doormat",
                                }
                            ]
                        },
                    },
                )
            ),
            asks(
                call(
                    "firecrawl_scrape",
                    {"url": "https://ruggable.com/products/blossom-multicolor-estate-doormat", "formats": ["markdown"]},
                    {
                        "success": False,
                        "code": "SCRAPE_ALL_ENGINES_FAILED",
                        "error": "All scraping engines failed! -- Double check the URL to make sure it's not broken. If "
                        "the issue persists, contact us at help@firecrawl.com.",
                    },
                )
            ),
            answers("I found the product page but could not read its price. Please open it directly."),
        ),
        failing=("tool_error",),
        why="the only scrape failed, as its data says, and the price was not found",
    ),
    Story(
        "sixth_web_thirteen_searches_for_nothing",
        "openinference",
        RESEARCH,
        (
            user("Find the patent number of the 1998 “Tidewheel” pump by Harmsen."),
            *(
                asks(call("web_search", {"query": query}, {"organic": [], "searchInformation": {"totalResults": "0"}}))
                for query in (
                    "Tidewheel pump patent Harmsen 1998",
                    "Harmsen Tidewheel pump patent 1998",
                    "Tidewheel pump Harmsen patent number",
                    '"Tidewheel" pump patent Harmsen',
                    'Harmsen "Tidewheel" patent number 1998',
                    "patent number Tidewheel pump 1998",
                    "Tidewheel pump 1998 patent",
                    "1998 Tidewheel pump Harmsen",
                    "Harmsen pump Tidewheel patent",
                    "Tidewheel Harmsen patent no.",
                    "patent Tidewheel pump Harmsen 1998 number",
                    "Harmsen 1998 patent Tidewheel pump",
                    "Tidewheel patent Harmsen pump number 1998",
                    "pump patent 1998 Tidewheel Harmsen",
                )
            ),
            answers("I could not find any trace of that patent."),
        ),
        failing=("tool_efficiency",),
        why="fourteen searches with the same words in another order, all without a result",
    ),
    Story(
        "sixth_web_broken_links_report",
        "genai_events",
        LINKS,
        (
            user("Vérifie les liens de docs.exemple.fr et dis-moi lesquels sont cassés."),
            asks(
                call(
                    "crawl_links",
                    {"url": "https://docs.exemple.fr", "depth": 2},
                    {
                        "checked": 214,
                        "duration_ms": 18230,
                        "broken": [
                            {"page": "/guide/install", "link": "https://exemple.fr/telecharger", "status": 404},
                            {"page": "/api/auth", "link": "https://api.exemple.fr/v1/ping", "status": 503},
                        ],
                    },
                )
            ),
            answers(
                "Sur 214 liens, deux sont cassés : /guide/install renvoie vers une page disparue (404) et /api/auth "
                "vers un service indisponible (503)."
            ),
        ),
        failing=(),
        why="the statuses are the findings of the checker, which itself worked",
    ),
    Story(
        "sixth_web_text_not_on_page",
        "openllmetry",
        BROWSER_USE,
        (
            user("Wer ist laut Impressum der Geschäftsführer von muster-optik.de?"),
            asks(call("go_to_url", {"url": "https://muster-optik.de"}, "🔗  Navigated to https://muster-optik.de")),
            asks(call("scroll_to_text", {"text": "Impressum"}, "Text 'Impressum' not found or not visible on page")),
            asks(
                call(
                    "go_to_url",
                    {"url": "https://muster-optik.de/impressum"},
                    "🔗  Navigated to https://muster-optik.de/impressum",
                )
            ),
            asks(
                call(
                    "extract_content",
                    {"goal": "Geschäftsführer"},
                    '📄  Extracted from page\n: ```json\n{"geschaeftsfuehrer": "Jana Rehm"}\n```\n',
                )
            ),
            answers("Laut Impressum ist Jana Rehm die Geschäftsführerin."),
        ),
        failing=(),
        why="a text that is not on the page is nothing found; the page was reached another way",
    ),
    Story(
        "sixth_web_dropdown_second_index",
        "genai_events",
        BROWSER_USE,
        (
            user("Set the destination to Jakarta on the hotel form and tell me the cheapest room."),
            asks(call("go_to_url", {"url": "https://stay.example.id"}, "🔗  Navigated to https://stay.example.id")),
            asks(
                call(
                    "select_dropdown_option",
                    {"index": 12, "text": "Jakarta"},
                    "Cannot select option: Element with index 12 is a div, not a select",
                )
            ),
            asks(
                call(
                    "get_dropdown_options",
                    {"index": 14},
                    '0: text="Bali"\n1: text="Jakarta"\n2: text="Surabaya"\nUse the exact text string in '
                    "select_dropdown_option",
                )
            ),
            asks(
                call(
                    "select_dropdown_option",
                    {"index": 14, "text": "Jakarta"},
                    "selected option Jakarta with value ['JKT']",
                )
            ),
            asks(call("click_element", {"index": 15}, "🖱️  Clicked button with index 15: Search")),
            asks(
                call(
                    "extract_content",
                    {"goal": "cheapest room"},
                    '📄  Extracted from page\n: ```json\n{"hotel": "Kota Inn", "price": "Rp 412.000"}\n```\n',
                )
            ),
            answers("The cheapest room in Jakarta is at Kota Inn for Rp 412.000."),
        ),
        failing=(),
        why="the wrong element was made good by selecting at the right index",
    ),
    Story(
        "sixth_web_connection_closed",
        "vercel_ai",
        PLAYWRIGHT,
        (
            user("Log in to the staging shop and check that the cart opens."),
            asks(
                call(
                    "browser_navigate",
                    {"url": "https://staging.shop.example/login"},
                    page("https://staging.shop.example/login", "Login", '- textbox "Email" [ref=e4]'),
                )
            ),
            asks(
                call(
                    "browser_type",
                    {"element": "Email", "ref": "e4", "text": "qa@shop.example"},
                    fault=Fault("McpError", "MCP error -32000: Connection closed"),
                )
            ),
            crashes("McpError", "MCP error -32000: Connection closed"),
        ),
        failing=("run_completion", "tool_error"),
        why="the connection to the browser broke in a call, and the run ended with that error",
    ),
    Story(
        "sixth_web_devtools_snapshot_first",
        "openinference",
        DEVTOOLS,
        (
            user("打开 https://shop.example.cn，点“加入购物车”，看看接口有没有问题。"),
            asks(
                call(
                    "new_page",
                    {"url": "https://shop.example.cn"},
                    "# new_page response\n## Pages\n0: https://shop.example.cn [selected]",
                )
            ),
            asks(
                call(
                    "click",
                    {"uid": "1_4"},
                    fault=Fault(
                        "langchain_core.tools.base.ToolException",
                        "No snapshot found. Use browser_snapshot to capture one",
                    ),
                )
            ),
            asks(
                call(
                    "take_snapshot",
                    {},
                    '# take_snapshot response\n## Page content\nuid=1_0 RootWebArea\n  uid=1_7 button "加入购物车"',
                )
            ),
            asks(call("click", {"uid": "1_7"}, "# click response\nSuccessfully clicked on the element")),
            asks(
                call(
                    "list_network_requests",
                    {},
                    "# list_network_requests response\n## Network requests\nShowing 1-3 of 3 (Page 1 of 1).\n"
                    "https://shop.example.cn/ GET [success - 200]\nhttps://shop.example.cn/api/cart POST [failed - 500]\n"
                    "https://shop.example.cn/favicon.ico GET [failed - 404]",
                )
            ),
            answers("“加入购物车”的接口 POST /api/cart 返回 500，这是问题所在；favicon 的 404 可以忽略。"),
        ),
        failing=(),
        why="the click worked after a snapshot; the failed requests are what was looked for",
    ),
)
