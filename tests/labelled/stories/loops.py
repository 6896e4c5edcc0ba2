"""Loops of agents, and look-alikes in which each call brings something new."""

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, crashes, pause, tool, user

__all__ = ["STORIES"]

CRM = Agent(
    "crm_agent",
    (
        tool("get_contact", "A contact", email="string"),
        tool("list_deals", "Deals of a contact", contact_id="string", page="integer?"),
        tool("search_contacts", "Search contacts", query="string"),
        tool("roll_dice", "Roll a die", sides="integer"),
        tool("wait", "Wait", seconds="number"),
        tool("get_payment", "The state of a payment", payment_id="string"),
    ),
    "You keep a customer database in order.",
)
BROWSER = Agent(
    "browser_agent",
    (tool("click", "Click an element", selector="string"), tool("screenshot", "Describe what is on the screen")),
    "You operate a browser.",
)
ANA = {"id": "c-19", "name": "Ana Duarte", "email": "ana@example.com"}

STORIES = (
    Story(
        "crm_contact_and_deals_in_a_circle",
        "openllmetry",
        CRM,
        (
            user("Is Ana Duarte's deal closed?"),
            *(
                step
                for _ in range(4)
                for step in (
                    asks(call("get_contact", {"email": "ana@example.com"}, ANA)),
                    asks(call("list_deals", {"contact_id": "c-19"}, {"deals": [{"id": "d-4", "stage": "proposal"}]})),
                )
            ),
            answers("No, it is in the proposal stage."),
        ),
        failing=("tool_efficiency",),
        why="two look-ups four times in turn with the same results; the first round had the answer",
    ),
    Story(
        "crm_same_empty_page_five_times",
        "genai",
        CRM,
        (
            user("List all deals of c-77."),
            *(
                asks(call("list_deals", {"contact_id": "c-77", "page": 1}, {"deals": [], "next_page": None}))
                for _ in range(5)
            ),
            answers("There are none."),
        ),
        failing=("tool_efficiency",),
        why="the same empty page five times in a row",
    ),
    Story(
        "crm_pages_of_deals",
        "genai",
        CRM,
        (
            user("How many deals has c-78?"),
            *(
                asks(
                    call(
                        "list_deals",
                        {"contact_id": "c-78", "page": page},
                        {
                            "deals": [{"id": f"d-{page}{at}"} for at in range(5)],
                            "next_page": page + 1 if page < 6 else None,
                        },
                    )
                )
                for page in range(1, 7)
            ),
            answers("30 deals."),
        ),
        failing=(),
        why="six pages, each with other deals",
    ),
    Story(
        "crm_dice",
        "pydantic_ai",
        CRM,
        (
            user("Roll a six-sided die three times to pick the winner."),
            asks(call("roll_dice", {"sides": 6}, "4")),
            asks(call("roll_dice", {"sides": 6}, "1")),
            asks(call("roll_dice", {"sides": 6}, "6")),
            answers("4, 1 and 6: the sixth contact wins."),
        ),
        failing=(),
        why="the same call gives something new each time, which is what a die is for",
    ),
    Story(
        "crm_payment_polled",
        "openinference",
        CRM,
        (
            user("Tell me when pay_1 has arrived."),
            *(
                step
                for _ in range(5)
                for step in (
                    asks(call("get_payment", {"payment_id": "pay_1"}, {"state": "pending"})),
                    asks(call("wait", {"seconds": 20}, "waited 20 s", ms=20_000)),
                )
            ),
            asks(call("get_payment", {"payment_id": "pay_1"}, {"state": "settled"})),
            answers("It has arrived."),
        ),
        failing=(),
        why="polling with waits between, which ends when the payment has settled",
    ),
    Story(
        "crm_near_identical_searches",
        "openinference",
        CRM,
        (
            user("Find the contact of the Brandt bakery."),
            *(
                asks(call("search_contacts", {"query": query}, "No contacts found."))
                for query in (
                    "Brandt bakery",
                    "brandt bakery",
                    "Brandt Bakery",
                    "bakery Brandt",
                    "Brandt's bakery",
                    "Brandts bakery",
                    "the Brandt bakery",
                    "Brandt bakery contact",
                    "Brandt bakery contacts",
                    "contact Brandt bakery",
                    "Brandt bakery email",
                    "Brandt bakery e-mail",
                    "Brandt bakery mail",
                    "Brandt bakeries",
                )
            ),
            answers("There is no such contact."),
        ),
        failing=("tool_efficiency",),
        why="fourteen near-identical searches, none of which found anything",
    ),
    Story(
        "browser_clicks_a_dead_button",
        "vercel_ai",
        BROWSER,
        (
            user("Accept the cookies and open the prices."),
            *(
                step
                for _ in range(5)
                for step in (
                    asks(call("click", {"selector": "#accept"}, "clicked")),
                    asks(call("screenshot", {}, "A cookie banner covers the page. Button: Accept.")),
                )
            ),
            answers("The cookie banner does not go away, so I can't open the prices."),
        ),
        failing=("tool_efficiency",),
        why="the same click and the same screen five times in turn",
    ),
    Story(
        "browser_click_and_look",
        "vercel_ai",
        BROWSER,
        (
            user("Click through the three slides."),
            asks(call("screenshot", {}, "Slide 1 of 3: Welcome")),
            asks(call("click", {"selector": ".next"}, "clicked")),
            asks(call("screenshot", {}, "Slide 2 of 3: Prices")),
            asks(call("click", {"selector": ".next"}, "clicked")),
            asks(call("screenshot", {}, "Slide 3 of 3: Contact")),
            answers("I saw all three slides."),
        ),
        failing=(),
        why="each click changed what the next screenshot shows",
    ),
    Story(
        "crm_two_calls_repeated_once",
        "genai_events",
        CRM,
        (
            user("Ana's mail and deals?"),
            asks(
                call("get_contact", {"email": "ana@example.com"}, ANA), call("list_deals", {"contact_id": "c-19"}, [])
            ),
            pause(2),
            asks(call("get_contact", {"email": "ana@example.com"}, ANA)),
            answers("ana@example.com; she has no deals."),
        ),
        failing=(),
        why="one look-up was made twice, which is not optimal and no loop",
    ),
    Story(
        "crm_turn_limit_after_circle",
        "pydantic_ai",
        CRM,
        (
            user("Merge the two contacts of Ana."),
            *(
                asks(call("search_contacts", {"query": "Ana"}, [ANA]), text="Let me search for Ana first.")
                for _ in range(8)
            ),
            crashes("UsageLimitExceeded", "The next request would exceed the request_limit of 8"),
        ),
        failing=("run_completion", "tool_efficiency"),
        why="the same search eight times in a row, until the limit of requests ended the run",
    ),
)
