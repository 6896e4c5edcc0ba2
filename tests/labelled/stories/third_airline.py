"""Passengers who change their bookings."""

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, crashes, model_fails, tool, user

__all__ = ["STORIES"]

FLIGHTS = tool("search_flights", "Flights of a day", origin="string", destination="string", date="string")
CHANGE = tool("change_booking", "Change a booking", locator="string", flight="string", bags="integer?")
BOOKING = tool("get_booking", "A booking by its locator", locator="string")
AIR = Agent("rebooking_agent", (FLIGHTS, CHANGE, BOOKING), "You rebook passengers. Be brief.")
BOOKED = {"locator": "QX7T2P", "flight": "LX1612", "date": "2025-04-02", "bags": 1, "errors": []}
LATE = {"flight": "LX1614", "departs": "17:25", "seats": 4}

STORIES = [
    Story(
        "third_rebook_later_flight",
        "openinference",
        AIR,
        (
            user("I miss my connection, QX7T2P. Anything later today?"),
            asks(
                call("get_booking", {"locator": "QX7T2P"}, BOOKED),
                call("search_flights", {"origin": "ZRH", "destination": "FLR", "date": "2025-04-02"}, [LATE]),
            ),
            asks(
                call("change_booking", {"locator": "QX7T2P", "flight": "LX1614", "bags": 1.0}, {"status": "confirmed"})
            ),
            answers("You are on LX1614 at 17:25."),
        ),
        (),
        "a rebooking; 1.0 is an integer, errors is empty",
    ),
    Story(
        "third_rebook_wrong_argument",
        "genai",
        AIR,
        (
            user("Put me on LX1614, QX7T2P."),
            asks(
                call(
                    "change_booking",
                    {"booking_reference": "QX7T2P", "flight_number": "LX1614"},
                    fault=Fault("TypeError", "change_booking() got an unexpected keyword argument 'booking_reference'"),
                )
            ),
            asks(call("change_booking", {"locator": "QX7T2P", "flight": "LX1614"}, {"status": "confirmed"})),
            answers("You are on LX1614."),
        ),
        ("tool_call_validity",),
        "the first call lacks the required arguments and has two unknown; a second made the failure good",
    ),
    Story(
        "third_rebook_grpc_unavailable",
        "genai",
        AIR,
        (
            user("Any flight from GVA to LIS tomorrow?"),
            asks(
                call(
                    "search_flights",
                    {"origin": "GVA", "destination": "LIS", "date": "2025-04-03"},
                    {"code": 14, "message": "UNAVAILABLE: upstream connect error", "details": []},
                )
            ),
            answers("I cannot reach the flight system at the moment, please try again later."),
        ),
        ("tool_error",),
        "a gRPC status 14 as the result",
    ),
    Story(
        "third_rebook_spanish_no_seat",
        "genai_events",
        AIR,
        (
            user("Cámbieme al vuelo IB3402, localizador M2K9PL."),
            asks(
                call(
                    "change_booking",
                    {"locator": "M2K9PL", "flight": "IB3402"},
                    "Error: no se pudo cambiar la reserva, el vuelo no está disponible",
                )
            ),
            answers("Lo siento, no he podido cambiar la reserva."),
        ),
        ("tool_error",),
        "the change failed, told in Spanish",
    ),
    Story(
        "third_rebook_model_overloaded",
        "vercel_ai",
        AIR,
        (
            user("Show my booking M2K9PL."),
            model_fails("APIStatusError", "529 overloaded"),
            asks(call("get_booking", {"locator": "M2K9PL"}, BOOKED | {"locator": "M2K9PL"})),
            answers("You fly LX1612 on 2 April with one bag."),
        ),
        (),
        "a model error that was tried again",
    ),
    Story(
        "third_rebook_crash",
        "openllmetry",
        AIR,
        (
            user("Show my booking M2K9PL."),
            asks(call("get_booking", {"locator": "M2K9PL"}, BOOKED | {"locator": "M2K9PL"})),
            crashes("openai.RateLimitError", "Error code: 429 - You exceeded your current quota"),
        ),
        ("run_completion",),
        "the run crashed on a quota",
    ),
]
