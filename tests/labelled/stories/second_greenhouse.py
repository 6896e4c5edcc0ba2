"""Sensors, dice, keys and sub-agents that are asked the same again."""

from __future__ import annotations

from typing import Any

from ..story import Agent, Call, Step, Story, answers, asks, call, pause, tool, user

BUYER = Agent(
    "buyer",
    (
        tool("search_parts", "Search the catalogue", query="string", limit="integer?"),
        tool("check_stock", "Stock of an article", sku="string"),
        tool("get_quote", "Price of an article", sku="string"),
        tool("get_supplier", "A supplier", id="string"),
        tool("add_to_cart", "Put an article into the cart", sku="string"),
        tool("get_cart", "The cart"),
        tool("list_orders", "A page of orders", cursor="string?"),
        tool("export_status", "State of an export", id="string"),
    ),
    "You buy spare parts.",
)
FARM = Agent(
    "greenhouse",
    (
        tool("read_temperature", "Temperature in °C", room="string"),
        tool("roll_die", "Roll a die", sides="integer"),
        tool("get_time", "The time"),
        tool("press_key", "Press a key", key="string"),
        tool("type_text", "Type a text", text="string"),
        tool("open_valve", "Open a valve", id="string"),
        tool("query_planner", "Ask the planner", question="string"),
    ),
    "You run a greenhouse.",
)


def search(query: str, hits: list[Any], **more: Any) -> Call:
    return call("search_parts", {"query": query}, {"hits": hits, **more})


def times(number: int, *calls: Call) -> tuple[Step, ...]:
    return tuple(asks(each) for _ in range(number) for each in calls)


STORIES = (
    Story(
        "second_sensor_every_minute",
        "vercel_ai",
        FARM,
        (
            user("Measure the orchid room once a minute for five minutes."),
            *(
                step
                for _ in range(5)
                for step in (
                    asks(call("read_temperature", {"room": "orchids"}, {"celsius": 21.5, "error": 0})),
                    pause(60),
                )
            ),
            answers("It was 21.5 °C all the time."),
        ),
        (),
        "a sensor, read on purpose",
    ),
    Story(
        "second_die_thrice_the_same",
        "pydantic_ai",
        FARM,
        (user("Roll three times."), *times(3, call("roll_die", {"sides": 6}, {"value": 4})), answers("4, 4 and 4.")),
        (),
        "a die may show the same number three times",
    ),
    Story(
        "second_tab_to_a_field",
        "openllmetry",
        FARM,
        (
            user("Fill in my name in the fourth field of the form."),
            *times(4, call("press_key", {"key": "Tab"}, "ok")),
            asks(call("type_text", {"text": "Ana Costa"}, "ok")),
            answers("Your name is in the fourth field."),
        ),
        (),
        "each press of the key moves on by a field",
    ),
    Story(
        "second_sub_agent_in_a_loop",
        "genai",
        FARM,
        (
            user("When shall we water?"),
            asks(
                call(
                    "query_planner",
                    {"question": "When to water?"},
                    "At six.",
                    agent=Agent("planner", BUYER.tools),
                    steps=(*times(5, search("watering plan", [])), answers("At six.")),
                )
            ),
            answers("At six."),
        ),
        ("tool_efficiency",),
        "the sub-agent repeats an empty search five times",
    ),
)
