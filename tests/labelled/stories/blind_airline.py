"""Customer service of an airline; labelled from the spans alone."""

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, tool, user

__all__ = ["STORIES"]

AIRLINE_SYSTEM = (
    "You are a customer service agent of an airline. Follow the policy: confirm every "
    "change with the customer, one tool call at a time, and transfer to a human agent "
    "only what the policy does not cover."
)
GET_USER = tool("get_user_details", "Get the profile of a customer, including reservations.", user_id="string")
GET_RESERVATION = tool("get_reservation_details", "Get a reservation.", reservation_id="string")
SEARCH_DIRECT = tool(
    "search_direct_flight",
    "Search direct flights between two cities on a date.",
    origin="string",
    destination="string",
    date="string",
)
CALCULATE = tool("calculate", "Calculate the result of an arithmetic expression.", expression="string")
UPDATE_FLIGHTS = tool(
    "update_reservation_flights",
    "Change the flights of a reservation.",
    reservation_id="string",
    cabin=("basic_economy", "economy", "business"),
    flights={
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"flight_number": {"type": "string"}, "date": {"type": "string"}},
            "required": ["flight_number", "date"],
        },
    },
    payment_id="string",
)
TRANSFER = tool(
    "transfer_to_human_agents",
    "Transfer the customer to a human agent, with a summary of the problem.",
    summary="string",
)
CANCEL = tool("cancel_reservation", "Cancel a whole reservation.", reservation_id="string")

STORIES = (
    Story(
        "airline_flight_change",
        "genai",
        Agent(
            "airline_agent",
            (GET_USER, GET_RESERVATION, SEARCH_DIRECT, CALCULATE, UPDATE_FLIGHTS, TRANSFER),
            AIRLINE_SYSTEM,
        ),
        (
            user(
                "Hi, I am mia_li_3668. I need to move my flight in reservation NM1VX1 from May 20 "
                "to May 22, a direct one please."
            ),
            asks(
                call(
                    "get_reservation_details",
                    {"reservation_id": "NM1VX1"},
                    {
                        "reservation_id": "NM1VX1",
                        "user_id": "mia_li_3668",
                        "cabin": "economy",
                        "flights": [
                            {
                                "flight_number": "HAT083",
                                "origin": "JFK",
                                "destination": "SEA",
                                "date": "2024-05-20",
                                "price": 148,
                            }
                        ],
                        "passengers": [{"first_name": "Mia", "last_name": "Li"}],
                        "insurance": "no",
                        "status": "booked",
                    },
                )
            ),
            asks(
                call(
                    "search_direct_flight",
                    {"origin": "JFK", "destination": "SEA", "date": "2024-05-22"},
                    [
                        {
                            "flight_number": "HAT083",
                            "status": "available",
                            "scheduled_departure_time_est": "01:00:00",
                            "available_seats": {"economy": 7},
                            "prices": {"economy": 172},
                        },
                        {
                            "flight_number": "HAT069",
                            "status": "available",
                            "scheduled_departure_time_est": "06:00:00",
                            "available_seats": {"economy": 0},
                            "prices": {"economy": 131},
                        },
                    ],
                )
            ),
            asks(call("calculate", {"expression": "172 - 148"}, "24.00")),
            asks(
                call(
                    "update_reservation_flights",
                    {
                        "reservation_id": "NM1VX1",
                        "cabin": "economy",
                        "flights": [{"flight_number": "HAT083", "date": "2024-05-22"}],
                        "payment_id": "credit_card_4938634",
                    },
                    {
                        "reservation_id": "NM1VX1",
                        "status": "booked",
                        "flights": [{"flight_number": "HAT083", "date": "2024-05-22", "price": 172}],
                        "payment_history": [{"payment_id": "credit_card_4938634", "amount": 24}],
                    },
                )
            ),
            answers(
                "Your flight is now HAT083 on May 22 at 01:00. The difference of $24 was charged "
                "to your card ending in 8634."
            ),
        ),
        failing=(),
        why="Looked up, searched, calculated, changed the flights, and confirmed.",
    ),
    Story(
        "airline_refund_declined",
        "openinference",
        Agent("airline_agent", (GET_USER, GET_RESERVATION, CANCEL, TRANSFER), AIRLINE_SYSTEM),
        (
            user("Cancel reservation EHGLP3 and give me my money back. I just do not feel like travelling."),
            asks(
                call(
                    "get_reservation_details",
                    {"reservation_id": "EHGLP3"},
                    {
                        "reservation_id": "EHGLP3",
                        "user_id": "emma_kim_9957",
                        "cabin": "basic_economy",
                        "created_at": "2024-05-04T23:12:06",
                        "insurance": "no",
                        "flights": [{"flight_number": "HAT156", "date": "2024-05-17"}],
                        "status": "booked",
                    },
                )
            ),
            answers(
                "I am sorry, Emma. Reservation EHGLP3 is basic economy, was booked more than 24 "
                "hours ago and has no travel insurance, so our policy does not allow me to cancel "
                "it with a refund. Is there anything else that I can help you with?"
            ),
        ),
        failing=(),
        why="The refund is declined politely and with the policy's reason; that is an answer.",
    ),
    Story(
        "airline_handed_to_person",
        "openllmetry",
        Agent("airline_agent", (GET_USER, GET_RESERVATION, TRANSFER), AIRLINE_SYSTEM),
        (
            user(
                "My name on ticket K67C4W is spelled wrong, and the passport says something else "
                "again. My lawyer wants that fixed today."
            ),
            asks(
                call(
                    "get_reservation_details",
                    {"reservation_id": "K67C4W"},
                    {
                        "reservation_id": "K67C4W",
                        "user_id": "raj_sanchez_7340",
                        "cabin": "business",
                        "passengers": [{"first_name": "Raj", "last_name": "Sanches"}],
                        "status": "booked",
                    },
                )
            ),
            asks(
                call(
                    "transfer_to_human_agents",
                    {
                        "summary": (
                            "Customer raj_sanchez_7340 wants a legal name correction on K67C4W; identity "
                            "documents differ."
                        )
                    },
                    "Transfer successful",
                )
            ),
            answers("YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."),
        ),
        failing=(),
        why="The case was transferred to a human agent as the policy asks, and the run ends there.",
    ),
    Story(
        "airline_payment_method_missing",
        "vercel_ai",
        Agent("airline_agent", (GET_USER, GET_RESERVATION, SEARCH_DIRECT, UPDATE_FLIGHTS), AIRLINE_SYSTEM),
        (
            user("Please move reservation 4OG6T3 to the morning flight on May 24, pay with my gift card."),
            asks(
                call(
                    "get_reservation_details",
                    {"reservation_id": "4OG6T3"},
                    {
                        "reservation_id": "4OG6T3",
                        "user_id": "olivia_gonzalez_2305",
                        "cabin": "economy",
                        "flights": [{"flight_number": "HAT271", "date": "2024-05-23"}],
                        "status": "booked",
                    },
                )
            ),
            asks(
                call(
                    "update_reservation_flights",
                    {
                        "reservation_id": "4OG6T3",
                        "cabin": "economy",
                        "flights": [{"flight_number": "HAT012", "date": "2024-05-24"}],
                        "payment_id": "gift_card_8877145",
                    },
                    "Error: payment method not found",
                )
            ),
            answers(
                "I could not move your reservation to HAT012. Please tell me whether you have another payment method."
            ),
        ),
        failing=("tool_error",),
        why="The change failed with an error as text, and no later change succeeded.",
    ),
)
