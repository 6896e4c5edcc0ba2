"""The telephone of a bicycle workshop."""

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, pause, tool, user

__all__ = ["STORIES"]

HUMAN = tool("transfer_to_human", "Hand the conversation to a person", summary="string")
SLOTS = tool("list_slots", "Free appointments", day="string")
RESERVE = tool("reserve_slot", "Reserve an appointment", day="string", time="string", phone="string")
VOICE = Agent("phone_line", (SLOTS, RESERVE, HUMAN), "You answer the telephone of a bicycle workshop.")

STORIES = [
    Story(
        "third_phone_reservation",
        "genai",
        VOICE,
        (
            user("Hi, I'd like to bring in my bike on, um, Tuesday."),
            asks(call("list_slots", {"day": "2025-03-18"}, {"slots": ["09:00", "15:30"]})),
            answers("Tuesday at nine or at half past three?"),
            user("Nine. My number is 0 7 9, 5 5 5, 0 1 0 1."),
            asks(call("reserve_slot", {"day": "2025-03-18", "time": "09:00", "phone": "0795550101"}, {"id": "r-61"})),
            answers("See you on Tuesday at nine."),
        ),
        (),
        "two turns of an ordinary call",
    ),
    Story(
        "third_phone_caller_hung_up_text",
        "openinference",
        VOICE,
        (
            user("Can I speak to Marco?"),
            asks(
                call("transfer_to_human", {"summary": "asks for Marco"}, "Transfer failed: no agent answered the call")
            ),
            answers("Nobody can take the call right now. Shall Marco call you back?"),
        ),
        ("tool_error",),
        "the transfer failed and was not made good",
    ),
    Story(
        "third_phone_cut_off",
        "pydantic_ai",
        VOICE,
        (
            user("What do you check in a full service?"),
            answers("In a full service we check the brakes, the gears, the chain, the", "length"),
        ),
        ("run_completion",),
        "the answer is cut off by length",
    ),
    Story(
        "third_phone_day_polled",
        "genai",
        VOICE,
        (
            user("Call me when a slot frees up today. I'll hold."),
            asks(call("list_slots", {"day": "2025-03-17"}, {"slots": []})),
            pause(20),
            asks(call("list_slots", {"day": "2025-03-17"}, {"slots": []})),
            pause(20),
            asks(call("list_slots", {"day": "2025-03-17"}, {"slots": ["16:00"]})),
            answers("Four o'clock just became free."),
        ),
        (),
        "polling that ends with a slot",
    ),
]
