"""Runs that repeat themselves: some are stuck, most have a reason."""

from __future__ import annotations

from ..buyer import BUYER, search
from ..story import Call, Fault, Story, answers, asks, call, pause, repeat_calls, user


def stock(sku: str) -> Call:
    return call("check_stock", {"sku": sku}, {"sku": sku, "stock": 0})


def quote(sku: str) -> Call:
    return call("get_quote", {"sku": sku}, {"sku": sku, "price": 12.5})


SUPPLIER = call("get_supplier", {"id": "s1"}, {"id": "s1", "name": "Brandt"})
WORDINGS = (
    "m8 hex bolt titanium",
    "hex bolt m8 titanium",
    "titanium m8 hex bolt",
    "titanium hex bolt m8",
    "m8 titanium hex bolt",
    "m8 titanium hex bolts",
    "titanium m8 hex bolts",
    "hex bolts m8 titanium",
    "hex bolts titanium m8",
    "m8 hex bolts titanium",
    "titanium hex bolts m8",
    "bolt hex m8 titanium",
    "bolts hex m8 titanium",
)


STORIES = (
    Story(
        "second_empty_search_four_times",
        "openinference",
        BUYER,
        (user("Find a titanium M8 bolt."), *repeat_calls(4, search("titanium m8", [])), answers("There is none.")),
        ("tool_efficiency",),
        "the same search four times in a row, nothing found each time",
    ),
    Story(
        "second_same_search_other_key_order",
        "genai",
        BUYER,
        (
            user("Find a titanium M8 bolt."),
            asks(call("search_parts", {"query": "m8", "limit": 5}, {"hits": []})),
            asks(call("search_parts", {"limit": 5, "query": "m8"}, {"hits": []})),
            asks(call("search_parts", {"query": "m8", "limit": 5}, {"hits": []})),
            asks(call("search_parts", {"limit": 5, "query": "m8"}, {"hits": []})),
            answers("There is none."),
        ),
        ("tool_efficiency",),
        "the same search four times; only the order of its arguments differs",
    ),
    Story(
        "second_same_search_other_timing",
        "vercel_ai",
        BUYER,
        (
            user("Find a titanium M8 bolt."),
            *(asks(search("titanium m8", [], took_ms=ms)) for ms in (3, 5, 4, 7, 3, 6)),
            answers("There is none."),
        ),
        ("tool_efficiency",),
        "the same search six times; only the time that it took differs",
    ),
    Story(
        "second_one_needless_repeat",
        "pydantic_ai",
        BUYER,
        (user("Price of K2?"), *repeat_calls(2, quote("K2")), answers("12.50 €.")),
        (),
        "one needless repeat",
    ),
    Story(
        "second_cycle_of_two",
        "openllmetry",
        BUYER,
        (
            user("Which is better, A1 or B1?"),
            *repeat_calls(5, quote("A1"), quote("B1")),
            answers("They cost the same."),
        ),
        ("tool_efficiency",),
        "two prices asked in turn, five times each, with nothing new",
    ),
    Story(
        "second_cycle_of_three",
        "genai_events",
        BUYER,
        (user("Can Brandt deliver A1?"), *repeat_calls(4, quote("A1"), stock("A1"), SUPPLIER), answers("Not now.")),
        ("tool_efficiency",),
        "a cycle of three calls, four times, with nothing new",
    ),
    Story(
        "second_thirteen_wordings_found_nothing",
        "pydantic_ai",
        BUYER,
        (
            user("Find a titanium M8 bolt."),
            *(asks(search(wording, [])) for wording in WORDINGS),
            answers("I found none."),
        ),
        ("tool_efficiency",),
        "thirteen near-identical searches that found nothing",
    ),
    Story(
        "second_twelve_articles_out_of_stock",
        "openinference",
        BUYER,
        (
            user("Which of these are in stock: K1 to K12?"),
            *(asks(stock(f"K{number}")) for number in range(1, 13)),
            answers("None of the twelve."),
        ),
        (),
        "twelve articles were asked for, and each was looked up once",
    ),
    Story(
        "second_many_items_same_answer",
        "genai",
        BUYER,
        (
            user("Put A1 to A8 into the cart."),
            *(asks(call("add_to_cart", {"sku": f"A{number}"}, "ok")) for number in range(1, 9)),
            answers("All eight are in the cart."),
        ),
        (),
        "the same answer to eight different calls",
    ),
    Story(
        "second_cart_between_additions",
        "vercel_ai",
        BUYER,
        (
            user("Add A1, A2 and A3, and check the cart each time."),
            *(
                step
                for number in (1, 2, 3)
                for step in (
                    asks(call("add_to_cart", {"sku": f"A{number}"}, "ok")),
                    asks(call("get_cart", {}, {"items": number})),
                )
            ),
            answers("Three articles are in the cart."),
        ),
        (),
        "the cart is read after each addition",
    ),
    Story(
        "second_pages_by_cursor",
        "openllmetry",
        BUYER,
        (
            user("How many orders are there?"),
            asks(call("list_orders", {}, {"orders": [1, 2], "next": "c1"})),
            *(
                asks(call("list_orders", {"cursor": f"c{at}"}, {"orders": [at], "next": f"c{at + 1}"}))
                for at in range(1, 6)
            ),
            asks(call("list_orders", {"cursor": "c6"}, {"orders": [], "next": None})),
            answers("Seven."),
        ),
        (),
        "another page each time",
    ),
    Story(
        "second_export_polled_until_ready",
        "genai_events",
        BUYER,
        (
            user("Tell me when the export is ready."),
            *(
                step
                for _ in range(6)
                for step in (
                    asks(call("export_status", {"id": "x1"}, {"id": "x1", "state": "running", "error": None})),
                    pause(10),
                )
            ),
            asks(call("export_status", {"id": "x1"}, {"id": "x1", "state": "done", "error": None})),
            answers("It is ready."),
        ),
        (),
        "polling that ends",
    ),
    Story(
        "second_backing_off_until_it_works",
        "openinference",
        BUYER,
        (
            user("Price of K2?"),
            *(
                step
                for seconds in (1, 2, 4)
                for step in (
                    asks(call("get_quote", {"sku": "K2"}, fault=Fault("HTTPStatusError", "503 Service Unavailable"))),
                    pause(seconds),
                )
            ),
            asks(quote("K2")),
            answers("12.50 €."),
        ),
        (),
        "tried again after growing pauses, until it worked",
    ),
    Story(
        "second_permission_denied_six_times",
        "genai",
        BUYER,
        (
            user("Who is supplier s9?"),
            *repeat_calls(
                6, call("get_supplier", {"id": "s9"}, fault=Fault("PermissionError", "you may not read suppliers"))
            ),
            answers("I may not read suppliers."),
        ),
        ("tool_error", "tool_efficiency"),
        "the same refusal six times in a row, never made good",
    ),
)
