"""Agents that use browsers and fetch pages."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, pause, refused, repeat_calls, tool, user

__all__ = ["STORIES"]

PLAYWRIGHT = (
    tool("browser_navigate", "Navigate to a URL", url="string"),
    tool("browser_snapshot", "Accessibility snapshot of the page"),
    tool("browser_click", "Click an element", element="string", ref="string"),
    tool("browser_type", "Type into an element", element="string", ref="string", text="string", submit="boolean?"),
    tool("browser_wait_for", "Wait for a text or a time", text="string?", time="number?"),
)
BROWSER = Agent(
    "browser",
    PLAYWRIGHT,
    "You operate a browser through Playwright MCP.",
    "claude-sonnet-4-20250514",
    "anthropic",
)
BROWSER_USE = Agent(
    "browser_use",
    (
        tool("go_to_url", "Open a URL", url="string", new_tab="boolean?"),
        tool("click_element_by_index", "Click an element", index="integer"),
        tool("input_text", "Type into an element", index="integer", text="string"),
        tool("scroll", "Scroll by pages", down="boolean", num_pages="number"),
        tool("extract_structured_data", "Extract from the page", query="string"),
    ),
    "You are a robot browser automation assistant.",
    "gpt-4o",
)
FETCHER = Agent(
    "fetcher",
    (tool("fetch", "Fetch a URL as markdown", url="string", max_length="integer?", start_index="integer?"),),
    "You answer questions from web pages.",
)
ARABIC = Agent(
    "مساعد_الحجز",
    (
        tool("open_page", "فتح صفحة", url="string"),
        tool("submit_booking", "إرسال الحجز", room="string", date="string", guests="integer"),
    ),
    "أنت مساعد لحجز القاعات. أجب بالعربية.",
)
PRICES = Agent(
    "price_watch",
    (tool("scrape_product", "Price of a product page", url="string", currency="string?"),),
    "You watch prices.",
)


def page(url: str, title: str, snapshot: str) -> str:
    return f"### Page state\n- Page URL: {url}\n- Page Title: {title}\n- Page Snapshot:\n```yaml\n{snapshot}\n```"


UNAVAILABLE = (
    "<!DOCTYPE html>\n<html><head><title>503 Service Temporarily Unavailable</title></head>\n<body>\n"
    "<center><h1>503 Service Temporarily Unavailable</h1></center>\n<hr><center>nginx/1.25.3</center>\n</body></html>"
)

STORIES = (
    Story(
        "fifth_web_moved_page_long",
        "vercel_ai",
        BROWSER,
        (
            user("What are the opening hours of the municipal library in Ostrava on Saturday? Use knihovna.example."),
            asks(
                call(
                    "browser_navigate",
                    {"url": "https://knihovna.example/hours"},
                    page("https://knihovna.example/hours", "404 Not Found", '- heading "404 Not Found" [level=1]'),
                )
            ),
            asks(
                call(
                    "browser_navigate",
                    {"url": "https://knihovna.example/"},
                    page(
                        "https://knihovna.example/",
                        "Knihovna města Ostravy",
                        '- dialog "Cookies":\n  - button "Souhlasím" [ref=e4]\n- link "Pobočky" [ref=e9]',
                    ),
                )
            ),
            asks(
                call(
                    "browser_click",
                    {"element": "Pobočky link", "ref": "e9"},
                    '### Result\nError: locator.click: Timeout 5000ms exceeded.\nCall log:\n  - <div class="cookies"> '
                    "intercepts pointer events",
                )
            ),
            asks(
                call(
                    "browser_click",
                    {"element": "Accept cookies", "ref": "e4"},
                    page("https://knihovna.example/", "Knihovna města Ostravy", '- link "Pobočky" [ref=e9]'),
                )
            ),
            asks(
                call(
                    "browser_click",
                    {"element": "Pobočky link", "ref": "e9"},
                    page(
                        "https://knihovna.example/pobocky",
                        "Pobočky",
                        '- textbox "Hledat" [ref=e21]\n- text: načítání…',
                    ),
                )
            ),
            asks(call("browser_wait_for", {"time": 2}, "### Result\nWaited for 2")),
            asks(
                call(
                    "browser_type",
                    {"element": "Search box", "ref": "e21", "text": "Ostrava centrum", "submit": True},
                    page("https://knihovna.example/pobocky?q=Ostrava", "Pobočky", "- text: načítání…"),
                )
            ),
            asks(call("browser_wait_for", {"text": "Otevírací doba"}, "### Result\nWaited for Otevírací doba")),
            asks(
                call(
                    "browser_snapshot",
                    {},
                    page(
                        "https://knihovna.example/pobocky?q=Ostrava",
                        "Pobočky",
                        '- heading "Otevírací doba"\n- row "Sobota 9:00–13:00"\n- text: Chyba v údajích? Napište nám.',
                    ),
                )
            ),
            answers("On Saturday the library is open from 9:00 to 13:00."),
        ),
        failing=(),
        why="a missing page and a blocked click were worked around",
    ),
    Story(
        "fifth_web_last_click_times_out",
        "openinference",
        BROWSER,
        (
            user("Order two blue mugs at mugs.example to my saved address. Go on until the order is placed."),
            asks(
                call(
                    "browser_navigate",
                    {"url": "https://mugs.example/"},
                    page("https://mugs.example/", "Mugs", '- button "Accept all" [ref=e3]\n- searchbox [ref=e7]'),
                )
            ),
            asks(
                call(
                    "browser_click",
                    {"element": "Accept all", "ref": "e3"},
                    page("https://mugs.example/", "Mugs", "- searchbox [ref=e7]"),
                )
            ),
            asks(
                call(
                    "browser_type",
                    {"element": "Search", "ref": "e7", "text": "blue mug", "submit": True},
                    page("https://mugs.example/?q=blue+mug", "blue mug", '- link "Blue mug" [ref=e22]'),
                )
            ),
            asks(
                call(
                    "browser_click",
                    {"element": "Blue mug", "ref": "e22"},
                    page(
                        "https://mugs.example/blue",
                        "Blue mug",
                        '- spinbutton "Quantity" [ref=e30]\n- button "Add to cart" [ref=e31]',
                    ),
                )
            ),
            asks(
                call(
                    "browser_type",
                    {"element": "Quantity", "ref": "e30", "text": "2"},
                    "### Ran Playwright code\nawait page.getByRole('spinbutton').fill('2');",
                )
            ),
            asks(
                call(
                    "browser_click",
                    {"element": "Add to cart", "ref": "e31"},
                    page("https://mugs.example/blue", "Blue mug", '- status: Added\n- link "Checkout" [ref=e40]'),
                )
            ),
            asks(
                call(
                    "browser_click",
                    {"element": "Checkout", "ref": "e40"},
                    page("https://mugs.example/checkout", "Checkout", '- button "Place order" [ref=e52] [disabled]'),
                )
            ),
            asks(call("browser_wait_for", {"time": 3}, "### Result\nWaited for 3")),
            asks(
                call(
                    "browser_snapshot",
                    {},
                    page("https://mugs.example/checkout", "Checkout", '- button "Place order" [ref=e52] [disabled]'),
                )
            ),
            asks(
                call(
                    "browser_click",
                    {"element": "Place order", "ref": "e52"},
                    "### Result\nTimeoutError: locator.click: Timeout 5000ms exceeded.\nCall log:\n  - waiting for "
                    "element to be visible, enabled and stable\n  - element is not enabled",
                )
            ),
            answers("Two blue mugs are in the cart, but I could not place the order: its button did not react."),
        ),
        failing=("tool_error",),
        why="the last click timed out, and so the order was not placed",
    ),
    Story(
        "fifth_web_html_error_page",
        "openllmetry",
        FETCHER,
        (
            user("Summarise https://status.rail.example/today."),
            asks(call("fetch", {"url": "https://status.rail.example/today"}, UNAVAILABLE)),
            answers("The page did not give any information about today's trains."),
        ),
        failing=("tool_error",),
        why="the fetched result is the error page of the web server, with status 503",
    ),
    Story(
        "fifth_web_login_expired_arabic",
        "genai",
        ARABIC,
        (
            user("احجز قاعة الزيتون يوم 12 مارس لستة أشخاص."),
            asks(
                call(
                    "open_page",
                    {"url": "https://rooms.example/zaytoun"},
                    {"title": "قاعة الزيتون", "available": True, "capacity": 10},
                )
            ),
            asks(
                call(
                    "submit_booking",
                    {"room": "الزيتون", "date": "2026-03-12", "guests": 6},
                    "خطأ: انتهت صلاحية الجلسة، يرجى تسجيل الدخول من جديد.",
                )
            ),
            answers("القاعة متاحة لكن لم أتمكن من إتمام الحجز. هل يمكنك تسجيل الدخول مرة أخرى؟"),
        ),
        failing=("tool_error",),
        why="the booking failed since the session had expired, told in Arabic",
    ),
    Story(
        "fifth_web_captcha_asks_the_user",
        "openllmetry",
        BROWSER_USE,
        (
            user("Download my electricity bill from power.example."),
            asks(
                call("go_to_url", {"url": "https://power.example/login"}, "🔗 Navigated to https://power.example/login")
            ),
            asks(call("input_text", {"index": 3, "text": "h.silva@mail.example"}, "⌨️ Input text into index 3")),
            asks(call("click_element_by_index", {"index": 5}, "🖱️ Clicked button with index 5: Continue")),
            asks(
                call(
                    "extract_structured_data",
                    {"query": "What does the page ask for?"},
                    "📄 Extracted from page\n: The page shows a captcha: 'Confirm that you are not a robot'.",
                )
            ),
            answers(
                "The site wants a captcha to be solved. Could you do that in the browser and tell me when it's done?"
            ),
        ),
        failing=(),
        why="every action worked; the agent asks the person for what it must not do",
    ),
    Story(
        "fifth_web_scrolls_at_the_end",
        "vercel_ai",
        BROWSER_USE,
        (
            user("Find the price of the Alpine 40 backpack on packs.example/all."),
            asks(call("go_to_url", {"url": "https://packs.example/all"}, "🔗 Navigated to https://packs.example/all")),
            *repeat_calls(
                7,
                call(
                    "scroll",
                    {"down": True, "num_pages": 1.0},
                    "🔍 Scrolled down the page by 1.0 pages. 0.0 pages below. Reached the bottom of the page.",
                ),
            ),
            answers("The Alpine 40 is not in the list."),
        ),
        failing=("tool_efficiency",),
        why="it went on scrolling at the bottom of the page, seven times with the same result",
    ),
    Story(
        "fifth_web_waits_for_a_word",
        "pydantic_ai",
        BROWSER,
        (
            user("Compare the S and M tariffs on phone.example."),
            asks(
                call(
                    "browser_navigate",
                    {"url": "https://phone.example/tariffs"},
                    page("https://phone.example/tariffs", "Tariffs", "- text: Loading…"),
                )
            ),
            asks(
                refused(
                    "browser_wait_for",
                    {"time": "until it has loaded"},
                    '1 validation error:\n```json\n[{"type": "float_parsing", "loc": ["time"], "msg": "Input should '
                    'be a valid number, unable to parse string as a number", "input": "until it has loaded"}]\n```\n\n'
                    "Fix the errors and try again.",
                )
            ),
            asks(call("browser_wait_for", {"time": 3}, "### Result\nWaited for 3")),
            asks(
                call(
                    "browser_snapshot",
                    {},
                    page("https://phone.example/tariffs", "Tariffs", '- link "S" [ref=e2]\n- link "M" [ref=e3]'),
                )
            ),
            asks(
                call(
                    "browser_click",
                    {"element": "Tariff S", "ref": "e2"},
                    page(
                        "https://phone.example/tariffs/s", "Tariff S", '- text: 9.99 a month, 5 GB\n- link "M" [ref=e8]'
                    ),
                )
            ),
            asks(
                call(
                    "browser_click",
                    {"element": "Tariff M", "ref": "e8"},
                    page("https://phone.example/tariffs/m", "Tariff M", "- text: 14.99 a month, 20 GB"),
                )
            ),
            answers("S costs 9.99 a month for 5 GB, M costs 14.99 for 20 GB."),
        ),
        failing=("tool_call_validity",),
        why="a sentence was given as the number of seconds; the second call was right",
    ),
    Story(
        "fifth_web_rate_limit_then_ok",
        "genai_events",
        PRICES,
        (
            user("What does the X200 lens cost at the two shops?"),
            asks(
                call(
                    "scrape_product",
                    {"url": "https://foto-a.example/x200"},
                    {"error": {"status": 429, "message": "Too Many Requests", "retry_after": 20}},
                ),
                call("scrape_product", {"url": "https://foto-b.example/x200"}, {"price": 489.0, "currency": "EUR"}),
            ),
            pause(20),
            asks(
                call(
                    "scrape_product",
                    {"url": "https://foto-a.example/x200"},
                    {"error": {"status": 429, "message": "Too Many Requests", "retry_after": 40}},
                )
            ),
            pause(40),
            asks(call("scrape_product", {"url": "https://foto-a.example/x200"}, {"price": 474.5, "currency": "EUR"})),
            answers("Foto A asks 474.50 €, Foto B 489.00 €."),
        ),
        failing=(),
        why="rate limits, waited for and then made good",
    ),
    Story(
        "fifth_web_pages_of_a_document",
        "openinference",
        FETCHER,
        (
            user("Which changes does https://law.example/act-17 make to section 9?"),
            asks(
                call(
                    "fetch",
                    {"url": "https://law.example/act-17", "max_length": 5000},
                    "Contents of https://law.example/act-17:\nAct 17 … §1 …\n\n<error>Content truncated. Call the fetch "
                    "tool with a start_index of 5000 to get more content.</error>",
                )
            ),
            asks(
                call(
                    "fetch",
                    {"url": "https://law.example/act-17", "max_length": 5000, "start_index": 5000},
                    "Contents of https://law.example/act-17:\n… §6 … §7 …\n\n<error>Content truncated. Call the fetch "
                    "tool with a start_index of 10000 to get more content.</error>",
                )
            ),
            asks(
                call(
                    "fetch",
                    {"url": "https://law.example/act-17", "max_length": 5000, "start_index": 10000},
                    'Contents of https://law.example/act-17:\n§9: In paragraph 2 the words "failed or refused" are '
                    'replaced by "refused". §10 Penalties for errors in declarations …',
                )
            ),
            answers('It replaces "failed or refused" with "refused" in paragraph 2.'),
        ),
        failing=(),
        why="three pages of one document; the truncation note asks for the next page",
    ),
    Story(
        "fifth_web_answer_is_error_page",
        "genai",
        PRICES,
        (
            user("Is the kettle at home.example cheaper than 40 €?"),
            asks(call("scrape_product", {"url": "https://home.example/kettle"}, {"price": 36.9, "currency": "EUR"})),
            answers(
                "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1>"
                "</center>\r\n<hr><center>cloudflare</center>\r\n</body>\r\n</html>"
            ),
        ),
        failing=("run_completion",),
        why="what the user got as the answer is the error page of the gateway",
    ),
)
