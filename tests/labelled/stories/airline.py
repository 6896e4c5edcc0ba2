"""Reservations, changes and refunds of an airline."""

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, refused, tool, unanswered, user

__all__ = ["STORIES"]

FLIGHTS = tool("search_direct_flight", "Direct flights of a day", origin="string", destination="string", date="string")
RESERVATION = tool("get_reservation_details", "A reservation by its id", reservation_id="string")
USER = tool("get_user_details", "A customer by id", user_id="string")
BOOK = tool(
    "book_reservation",
    "Book a flight",
    user_id="string",
    flight="string",
    date="string",
    passengers="integer",
    cabin=["basic_economy", "economy", "business"],
    insurance="boolean?",
)
UPDATE = tool("update_reservation_baggages", "Change baggage", reservation_id="string", total="integer", paid="integer")
CERTIFICATE = tool("send_certificate", "Send a travel certificate", user_id="string", amount="number")
AGENT = Agent(
    "airline_agent",
    (FLIGHTS, RESERVATION, USER, BOOK, UPDATE, CERTIFICATE),
    "You are a customer service agent of an airline. The current time is 2024-05-15 15:00:00 EST. Follow the policy.",
)

MIA = {
    "user_id": "mia_li_3668",
    "name": {"first_name": "Mia", "last_name": "Li"},
    "membership": "gold",
    "payment_methods": {"credit_card_4421486": {"brand": "visa"}, "certificate_4856383": {"amount": 100}},
    "reservations": ["NO6JO3", "AIXC49"],
}
FOUND = [
    {
        "flight_number": "HAT136",
        "origin": "JFK",
        "destination": "SEA",
        "status": "available",
        "prices": {"economy": 152},
    },
    {
        "flight_number": "HAT039",
        "origin": "JFK",
        "destination": "SEA",
        "status": "available",
        "prices": {"economy": 169},
    },
]
SEAT = {"user_id": "mia_li_3668", "flight": "HAT136", "date": "2024-05-20", "passengers": 1, "cabin": "economy"}
BOOKED = {"reservation_id": "HATHAT", "user_id": "mia_li_3668", "cabin": "economy", "total": 152}

STORIES = (
    Story(
        "airline_booking_after_full_flight",
        "openinference",
        AGENT,
        (
            user("I'm mia_li_3668. Book me the cheapest direct economy seat JFK to SEA on May 20."),
            asks(call("get_user_details", {"user_id": "mia_li_3668"}, MIA)),
            asks(call("search_direct_flight", {"origin": "JFK", "destination": "SEA", "date": "2024-05-20"}, FOUND)),
            asks(
                call(
                    "book_reservation",
                    {**SEAT, "flight": "HAT039"},
                    "Error: not enough seats on flight HAT039",
                )
            ),
            asks(
                call(
                    "book_reservation",
                    {**SEAT, "passengers": 1.0, "insurance": None},
                    BOOKED,
                )
            ),
            answers("You're booked on HAT136 on May 20: reservation HATHAT, $152 on your Visa."),
        ),
        failing=(),
        why="the full flight was made good by booking another; 1.0 is an integer and a null insurance is left out",
    ),
    Story(
        "airline_flight_not_available",
        "genai_events",
        AGENT,
        (
            user("Please put me on HAT221 on May 18, business."),
            asks(
                call(
                    "book_reservation",
                    {
                        "user_id": "omar_davis_3817",
                        "flight": "HAT221",
                        "date": "2024-05-18",
                        "passengers": 1,
                        "cabin": "business",
                    },
                    "Error: flight HAT221 not available on date 2024-05-18",
                )
            ),
            answers("I'm sorry, HAT221 isn't available that day. Would another day work?"),
        ),
        failing=("tool_error",),
        why="the booking failed, told as text, and nothing made it good",
    ),
    Story(
        "airline_no_direct_flight",
        "genai_events",
        AGENT,
        (
            user("Is there a direct flight from ORD to DEN on May 21?"),
            asks(call("search_direct_flight", {"origin": "ORD", "destination": "DEN", "date": "2024-05-21"}, [])),
            answers("There is no direct flight that day, I'm afraid. Shall I look for one with a stop?"),
        ),
        failing=(),
        why="a search that finds nothing has worked",
    ),
    Story(
        "airline_refund_policy_refusal",
        "genai",
        AGENT,
        (
            user("Cancel AIXC49 and refund me, I changed my mind."),
            asks(
                call(
                    "get_reservation_details",
                    {"reservation_id": "AIXC49"},
                    {"reservation_id": "AIXC49", "cabin": "basic_economy", "insurance": "no", "status": None},
                )
            ),
            answers(
                "Basic economy without insurance can't be cancelled for a change of plans, so I can't refund this one."
            ),
        ),
        failing=(),
        why="declined by policy after looking it up; nothing failed",
    ),
    Story(
        "airline_unknown_tool",
        "pydantic_ai",
        AGENT,
        (
            user("Cancel my reservation NO6JO3, my flight was cancelled by you."),
            asks(
                refused(
                    "cancel_reservation",
                    {"reservation_id": "NO6JO3"},
                    "Unknown tool name: 'cancel_reservation'. Available tools: 'search_direct_flight', "
                    "'get_reservation_details', 'get_user_details', 'book_reservation'",
                )
            ),
            answers("I'm unable to cancel reservations here. Please call us at 1-800-555-0142."),
        ),
        failing=("tool_call_validity", "tool_error"),
        why="the model called a tool that was not offered, and was told so; nothing was cancelled",
    ),
    Story(
        "airline_baggage_missing_argument",
        "vercel_ai",
        AGENT,
        (
            user("Add a bag to NO6JO3"),
            asks(
                call(
                    "update_reservation_baggages",
                    {"reservation_id": "NO6JO3", "total": 2},
                    fault=Fault(
                        "AI_InvalidToolInputError", "Invalid input for tool update_reservation_baggages: paid: Required"
                    ),
                )
            ),
            answers("I wasn't able to add the bag. Please try again later."),
        ),
        failing=("tool_call_validity", "tool_error"),
        why="a required argument is missing, and the call failed for it without another try",
    ),
    Story(
        "airline_passengers_as_word",
        "openllmetry",
        AGENT,
        (
            user("Book HAT136 for the two of us, May 20, economy. I'm mia_li_3668."),
            asks(
                call(
                    "book_reservation",
                    {**SEAT, "passengers": "two adults"},
                    {"reservation_id": "4WQ150", "user_id": "mia_li_3668", "total": 304},
                )
            ),
            answers("Both of you are booked: reservation 4WQ150, $304."),
        ),
        failing=("tool_call_validity",),
        why='"two adults" is not an integer and does not convert to one',
    ),
    Story(
        "airline_lookup_again_after_booking",
        "genai",
        AGENT,
        (
            user("Book HAT136 on May 20 for mia_li_3668 in economy, and tell me all my reservations."),
            asks(call("get_user_details", {"user_id": "mia_li_3668"}, MIA)),
            asks(
                call(
                    "book_reservation",
                    SEAT,
                    BOOKED,
                )
            ),
            asks(
                call(
                    "get_user_details",
                    {"user_id": "mia_li_3668"},
                    {**MIA, "reservations": ["NO6JO3", "AIXC49", "HATHAT"]},
                )
            ),
            answers("Booked. You now hold NO6JO3, AIXC49 and HATHAT."),
        ),
        failing=(),
        why="the second lookup comes after a booking and shows it",
    ),
    Story(
        "airline_two_turns_second_cut",
        "openinference",
        AGENT,
        (
            user("How many bags may a gold member take in economy?"),
            answers("Three free checked bags for each passenger."),
            user("And write me the full baggage policy, every cabin and membership."),
            answers(
                "Regular members: basic economy 0 bags, economy 1 bag, business 2 bags. Silver members: basic eco",
                "length",
            ),
        ),
        failing=("run_completion",),
        why="the answer of the second turn is cut off by length",
    ),
    Story(
        "airline_certificate_not_executed",
        "openllmetry",
        AGENT,
        (
            user("My flight was delayed by 9 hours, I want compensation. I'm omar_davis_3817."),
            asks(call("get_user_details", {"user_id": "omar_davis_3817"}, {**MIA, "user_id": "omar_davis_3817"})),
            asks(unanswered("send_certificate", {"user_id": "omar_davis_3817", "amount": 50.0})),
        ),
        failing=("run_completion",),
        why="the certificate was asked for and never sent, and the run has no answer",
    ),
)
