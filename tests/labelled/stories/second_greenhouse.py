"""Sensors, dice, keys and sub-agents that are asked the same again."""

from __future__ import annotations

from ..buyer import BUYER, search
from ..story import Agent, Story, answers, asks, call, pause, repeat_calls, tool, user

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
        (
            user("Roll three times."),
            *repeat_calls(3, call("roll_die", {"sides": 6}, {"value": 4})),
            answers("4, 4 and 4."),
        ),
        (),
        "a die may show the same number three times",
    ),
    Story(
        "second_tab_to_a_field",
        "openllmetry",
        FARM,
        (
            user("Fill in my name in the fourth field of the form."),
            *repeat_calls(4, call("press_key", {"key": "Tab"}, "ok")),
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
                    steps=(*repeat_calls(5, search("watering plan", [])), answers("At six.")),
                )
            ),
            answers("At six."),
        ),
        ("tool_efficiency",),
        "the sub-agent repeats an empty search five times",
    ),
)
