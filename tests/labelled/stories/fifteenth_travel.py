"""Flights, hotels, trains."""

from __future__ import annotations

from ..story import (
    Agent,
    Fault,
    Story,
    answers,
    asks,
    call,
    crashes,
    hands_off,
    hosted,
    pause,
    repeat_calls,
    tool,
    user,
)

__all__ = ["STORIES"]

OFFERS = tool(
    "flight_offers_search", "Searches flights", origin="string", destination="string", date="string", adults="integer"
)
BOOK = tool("flight_order_create", "Books an offer", offer_id="string", traveler="string")
FLIGHTS = Agent("flight_agent", (OFFERS, BOOK), "You find and book flights.", "gpt-4o")

HOTELS = tool("search_hotels", "Searches hotels", city="string", check_in="string", nights="integer")
HOTEL = Agent("hotel_agent", (HOTELS,), "You find hotels.", "gpt-4o-mini")

APPROVE = tool("request_approval", "Asks the manager", summary="string")
CORPORATE = Agent("corporate_travel", (OFFERS, APPROVE), "You plan business trips.", "gpt-4.1")

SLOT = tool("get_waitlist", "State of a place on the waiting list", ticket="string")
WAIT = Agent("waitlist_watch", (SLOT,), "You watch waiting lists.", "gpt-4.1-mini")

TRAINS = tool("search_trains", "Trains", origin="string", destination="string", departure="string")
RAIL = Agent("asistente_tren", (TRAINS,), "Ayudas a viajar en tren.", "gpt-4.1-mini")
TRIP = Agent("trip_guide", (), "You answer questions on travel.", "gpt-4.1")

STORIES = (
    Story(
        "fifteenth_travel_no_direct_flight",
        "genai_events",
        FLIGHTS,
        (
            user("Nonstop Graz to Cork on May 3, one person?"),
            asks(
                call(
                    "flight_offers_search",
                    {"origin": "GRZ", "destination": "ORK", "date": "2026-05-03", "adults": 1},
                    {"meta": {"count": 0}, "data": [], "dictionaries": {}},
                )
            ),
            answers("There is none on May 3. Shall I look for flights with one stop?"),
        ),
        failing=(),
        why="nothing found, and it asks back",
    ),
    Story(
        "fifteenth_travel_segment_not_sold",
        "genai_events",
        FLIGHTS,
        (
            user("Book the cheapest Vienna to Oslo on May 9 for Ada Berg."),
            asks(
                call(
                    "flight_offers_search",
                    {"origin": "VIE", "destination": "OSL", "date": "2026-05-09", "adults": 1},
                    {"meta": {"count": 1}, "data": [{"id": "1", "price": {"total": "118.20"}}]},
                )
            ),
            asks(
                call(
                    "flight_order_create",
                    {"offer_id": "1", "traveler": "Ada Berg"},
                    {
                        "errors": [
                            {
                                "status": 400,
                                "code": 34651,
                                "title": "SEGMENT SELL FAILURE",
                                "detail": "Could not sell segment 1",
                            }
                        ]
                    },
                )
            ),
            answers("The airline did not sell the seat, so nothing is booked. Shall I try another day?"),
        ),
        failing=("tool_error",),
        why="the only booking came back with an error of status 400",
    ),
    Story(
        "fifteenth_travel_manager_is_asked",
        "openinference",
        CORPORATE,
        (
            user("I need to be in Lyon on June 2, from Berlin."),
            asks(
                call(
                    "flight_offers_search",
                    {"origin": "BER", "destination": "LYS", "date": "2026-06-02", "adults": 1},
                    {"meta": {"count": 1}, "data": [{"id": "4", "price": {"total": "412.00"}}]},
                )
            ),
            asks(
                call(
                    "request_approval",
                    {"summary": "BER-LYS June 2, 412.00 EUR"},
                    fault=Fault(
                        "langgraph.errors.GraphInterrupt",
                        "(Interrupt(value='Approve BER-LYS June 2, 412.00 EUR?', id='5e1c'),)",
                    ),
                    is_answered=False,
                )
            ),
            crashes(
                "langgraph.errors.GraphInterrupt",
                "(Interrupt(value='Approve BER-LYS June 2, 412.00 EUR?', id='5e1c'),)",
            ),
        ),
        failing=(),
        why="the graph was interrupted to wait for the manager",
    ),
    Story(
        "fifteenth_travel_over_to_hotels",
        "openllmetry",
        FLIGHTS,
        (
            user("And a hotel in Oslo, May 9, two nights."),
            hands_off(HOTEL),
            asks(
                call(
                    "search_hotels",
                    {"city": "Oslo", "check_in": "2026-05-09", "nights": 2.0},
                    {
                        "hotels": [{"name": "Fjordgata Hotell", "price": 2180, "currency": "NOK", "warnings": []}],
                        "error": None,
                    },
                )
            ),
            answers("Fjordgata Hotell has a room for 2,180 NOK."),
        ),
        failing=(),
        why="handed over to another agent, which answered; 2.0 is an integer",
    ),
    Story(
        "fifteenth_travel_waitlist_clears",
        "vercel_ai",
        WAIT,
        (
            user("Tell me when W-31 gets its seat."),
            *(
                step
                for _ in range(5)
                for step in (
                    asks(
                        call("get_waitlist", {"ticket": "W-31"}, {"ticket": "W-31", "state": "WAITING", "position": 1})
                    ),
                    pause(60),
                )
            ),
            asks(call("get_waitlist", {"ticket": "W-31"}, {"ticket": "W-31", "state": "CONFIRMED", "seat": "14C"})),
            answers("W-31 is confirmed, seat 14C."),
        ),
        failing=(),
        why="polling that ended with the seat",
    ),
    Story(
        "fifteenth_travel_hotel_timeout_repeated",
        "pydantic_ai",
        HOTEL,
        (
            user("Hotel in Porto, June 1, 3 nights"),
            asks(
                call(
                    "search_hotels",
                    {"city": "Porto", "check_in": "2026-06-01", "nights": 3},
                    fault=Fault("httpx.ReadTimeout", "The read operation timed out"),
                    ms=10000,
                )
            ),
            asks(
                call(
                    "search_hotels",
                    {"city": "Porto", "check_in": "2026-06-01", "nights": 3},
                    {"hotels": [{"name": "Casa da Ribeira", "price": 288.0}]},
                )
            ),
            answers("Casa da Ribeira, 288 euros for three nights."),
        ),
        failing=(),
        why="the search timed out once and worked when repeated",
    ),
    Story(
        "fifteenth_travel_visa_rules_searched",
        "genai",
        TRIP,
        (
            user("Does a Swiss citizen need a visa for Georgia?"),
            answers(
                "No, not for stays of up to a year.",
                hosted=(
                    hosted(
                        "web_search",
                        {"query": "Georgia visa Swiss citizens"},
                        [
                            {
                                "title": "Entry to Georgia",
                                "url": "https://mfa.example/visa",
                                "text": "Citizens of Switzerland may stay for one year without a visa.",
                            }
                        ],
                    ),
                ),
            ),
        ),
        failing=(),
        why="the provider ran the search",
    ),
    Story(
        "fifteenth_travel_nights_left_out",
        "openinference",
        HOTEL,
        (
            user("Hotel in Gent, July 4 to 6"),
            asks(
                call(
                    "search_hotels",
                    {"city": "Gent", "check_in": "2026-07-04"},
                    {"hotels": [{"name": "Graslei Inn", "price": 130.0, "nights": 1}]},
                )
            ),
            answers("Graslei Inn, 130 euros."),
        ),
        failing=("tool_call_validity",),
        why="nights is required and was left out, and the search took one night for it",
    ),
    Story(
        "fifteenth_travel_same_trains_five_times",
        "vercel_ai",
        RAIL,
        (
            user("¿Qué trenes hay de Madrid a Vigo el 3 de mayo por la mañana?"),
            *repeat_calls(
                5,
                call(
                    "search_trains",
                    {"origin": "Madrid", "destination": "Vigo", "departure": "2026-05-03T06:00"},
                    {"trains": [{"train": "AVE 04065", "departs": "08:05", "arrives": "12:14"}]},
                ),
            ),
            answers("El AVE 04065, de 08:05 a 12:14."),
        ),
        failing=("tool_efficiency",),
        why="the same search five times in a row with the same train",
    ),
    Story(
        "fifteenth_travel_answer_is_empty",
        "openllmetry",
        RAIL,
        (
            user("¿Y de Vigo a Madrid el día 5?"),
            asks(
                call(
                    "search_trains",
                    {"origin": "Vigo", "destination": "Madrid", "departure": "2026-05-05T00:00"},
                    {"trains": [{"train": "AVE 04154", "departs": "15:40", "arrives": "19:52"}]},
                )
            ),
            answers(""),
        ),
        failing=("run_completion",),
        why="the run ended with an empty answer",
    ),
)
