"""Health, travel and games."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, model_fails, refused, tool, user

__all__ = ["STORIES"]

FHIR_SEARCH = tool("fhir_search", "Search FHIR resources", resource_type="string", params={"type": "object"})
FHIR_DELETE = tool("fhir_delete", "Delete a FHIR resource", resource_type="string", id="string")
CHART = Agent(
    "chart_assistant", (FHIR_SEARCH, FHIR_DELETE), "You assist clinicians with the chart of a patient.", "gpt-4.1"
)

TRIAGE = Agent(
    "symptom_line",
    (tool("find_clinic", "Clinics near a place", place="string"),),
    "You help callers of a health insurer. In an emergency send them to 112.",
    "gpt-4o",
)

FLIGHTS = tool(
    "flight_offers_search",
    "Search flight offers",
    origin="string",
    destination="string",
    departure_date="string",
    adults="integer",
)
ORDER = tool("create_order", "Order an offer", offer_id="string", passenger_ids="string[]")
TRIP = Agent("trip_planner", (FLIGHTS, ORDER), "You plan and book trips.", "claude-sonnet-4-5", "anthropic")

ROLL = tool("roll_dice", "Roll dice", notation="string")
MASTER = Agent("dungeon_master", (ROLL,), "You are the game master of a fantasy campaign.", "gpt-4o")

REPORTS = tool("get_player_reports", "Reports on a player", player_id="string")
WARN = tool("warn_player", "Warn a player", player_id="string", reason="string")
MODERATOR = Agent("chat_moderator", (REPORTS, WARN), "You moderate the chat of an online game.", "gpt-4.1-mini")

ITEMS = tool("listar_inventario", "Lista o inventário", jogador="string", pagina="integer")
SUPPORT = Agent("suporte_do_jogo", (ITEMS,), "Você atende jogadores.", "gpt-4o-mini")

HOTEL = tool("search_hotels", "Search hotels", city="string", check_in="string", nights="integer", max_price="number?")
WEATHER = tool("get_forecast", "Weather forecast", city="string", days="integer")
CONCIERGE = Agent("concierge", (HOTEL, WEATHER), "You are a travel concierge.", "gpt-4.1")

STORIES = (
    Story(
        "eighth_care_fhir_token_expired",
        "openinference",
        CHART,
        (
            user("List the active medications of patient 44-0192."),
            asks(
                call(
                    "fhir_search",
                    {"resource_type": "MedicationRequest", "params": {"patient": "44-0192", "status": "active"}},
                    {
                        "resourceType": "OperationOutcome",
                        "issue": [
                            {
                                "severity": "error",
                                "code": "login",
                                "diagnostics": "HTTP 401 Unauthorized: access token has expired",
                            }
                        ],
                    },
                )
            ),
            answers(
                "I can't read the medications: the session with the record system has expired. Please sign in again."
            ),
        ),
        failing=("tool_error",),
        why="the only search came back as an outcome of severity error, unauthorized",
    ),
    Story(
        "eighth_care_fhir_deleted",
        "genai",
        CHART,
        (
            user("Remove the duplicate appointment 9921."),
            asks(
                call(
                    "fhir_delete",
                    {"resource_type": "Appointment", "id": "9921"},
                    {
                        "resourceType": "OperationOutcome",
                        "issue": [
                            {
                                "severity": "information",
                                "code": "informational",
                                "diagnostics": "Successfully deleted 1 resource(s). Took 14ms.",
                            }
                        ],
                    },
                )
            ),
            answers("Appointment 9921 is deleted."),
        ),
        failing=(),
        why="the outcome is informational: the resource was deleted",
    ),
    Story(
        "eighth_care_no_allergies",
        "pydantic_ai",
        CHART,
        (
            user("Any documented allergies for 71-3300?"),
            asks(
                call(
                    "fhir_search",
                    {"resource_type": "AllergyIntolerance", "params": {"patient": "71-3300"}},
                    {
                        "resourceType": "Bundle",
                        "type": "searchset",
                        "total": 0,
                        "link": [
                            {"relation": "self", "url": "https://fhir.example/AllergyIntolerance?patient=71-3300"}
                        ],
                    },
                )
            ),
            answers("No allergies are documented. That is not the same as none, so please ask the patient."),
        ),
        failing=(),
        why="an empty bundle is the answer",
    ),
    Story(
        "eighth_care_chest_pain",
        "vercel_ai",
        TRIAGE,
        (
            user("My father has chest pain and his left arm is numb, which clinic should we drive to?"),
            answers(
                "Please don't drive. Call 112 right now: these can be signs of a heart attack. Let him sit up and stay with him until help arrives."
            ),
        ),
        failing=(),
        why="sent to emergency services at once without a tool, as the instructions say",
    ),
    Story(
        "eighth_care_flight_date_format_fixed",
        "openllmetry",
        TRIP,
        (
            user("Flights for two from Madrid to Boston on November 2?"),
            asks(
                call(
                    "flight_offers_search",
                    {"origin": "MAD", "destination": "BOS", "departure_date": "02-11-2025", "adults": 2},
                    {
                        "errors": [
                            {
                                "status": 400,
                                "code": 477,
                                "title": "INVALID FORMAT",
                                "detail": "invalid query parameter format",
                                "source": {"parameter": "departureDate", "example": "2025-11-02"},
                            }
                        ]
                    },
                )
            ),
            asks(
                call(
                    "flight_offers_search",
                    {"origin": "MAD", "destination": "BOS", "departure_date": "2025-11-02", "adults": 2},
                    {
                        "meta": {"count": 2},
                        "data": [
                            {"id": "1", "carrier": "IB", "price": {"total": "1048.20", "currency": "EUR"}},
                            {"id": "2", "carrier": "TP", "price": {"total": "877.54", "currency": "EUR"}},
                        ],
                    },
                )
            ),
            answers("TAP is cheapest at 877.54 euros for two; Iberia flies direct for 1,048.20 euros."),
        ),
        failing=(),
        why="the wrong date format was told and corrected in the next search",
    ),
    Story(
        "eighth_care_offer_expired",
        "genai_events",
        TRIP,
        (
            user("Book it."),
            asks(
                call(
                    "create_order",
                    {"offer_id": "off_0000AhZ1", "passenger_ids": ["pas_0000AhZ2"]},
                    {
                        "errors": [
                            {
                                "type": "invalid_state_error",
                                "title": "Offer no longer available",
                                "message": "The offer you selected is no longer available. Please create another offer request to get the latest offers",
                                "code": "offer_no_longer_available",
                                "documentation_url": "https://duffel.com/docs/api/overview/errors",
                            }
                        ],
                        "meta": {"status": 422, "request_id": "FZW0H3HdJwKk5HMAAKxB"},
                    },
                )
            ),
            answers("That fare has gone in the meantime. Shall I look for a new one?"),
        ),
        failing=("tool_error",),
        why="the order was refused with 422 and nothing was booked",
    ),
    Story(
        "eighth_care_dice_three_twelves",
        "vercel_ai",
        MASTER,
        (
            user("We attack the ogre, all three of us, roll for us!"),
            asks(call("roll_dice", {"notation": "1d20+2"}, {"notation": "1d20+2", "rolls": [10], "total": 12})),
            asks(call("roll_dice", {"notation": "1d20+2"}, {"notation": "1d20+2", "rolls": [10], "total": 12})),
            asks(call("roll_dice", {"notation": "1d20+2"}, {"notation": "1d20+2", "rolls": [10], "total": 12})),
            answers("Three twelves! The ogre roars as each of your blades finds its thigh."),
        ),
        failing=(),
        why="three players roll a die each; that it shows the same is chance",
    ),
    Story(
        "eighth_care_ban_not_offered",
        "openinference",
        MODERATOR,
        (
            user("Player p_8812 is spamming slurs again. Deal with it."),
            asks(
                call(
                    "get_player_reports", {"player_id": "p_8812"}, {"player_id": "p_8812", "reports": 14, "warnings": 3}
                )
            ),
            asks(
                refused(
                    "ban_player",
                    {"player_id": "p_8812", "days": 7},
                    "Error: ban_player is not a valid tool, try one of [get_player_reports, warn_player].",
                )
            ),
            answers("I have no tool to ban p_8812. Three warnings are on record already, so please ban them by hand."),
        ),
        failing=("tool_call_validity", "tool_error"),
        why="a tool that was not offered was called, and the framework said so",
    ),
    Story(
        "eighth_care_inventario_paginas",
        "genai",
        SUPPORT,
        (
            user("Sumiu a minha espada Aurora! Sou o jogador Zeca77."),
            asks(
                call(
                    "listar_inventario",
                    {"jogador": "Zeca77", "pagina": 1},
                    {"pagina": 1, "itens": ["Poção de vida", "Escudo de carvalho"], "tem_mais": True},
                )
            ),
            asks(
                call(
                    "listar_inventario",
                    {"jogador": "Zeca77", "pagina": 2},
                    {"pagina": 2, "itens": ["Poção de mana", "Arco curto"], "tem_mais": True},
                )
            ),
            asks(
                call(
                    "listar_inventario",
                    {"jogador": "Zeca77", "pagina": 3},
                    {"pagina": 3, "itens": ["Flecha", "Corda"], "tem_mais": True},
                )
            ),
            asks(
                call(
                    "listar_inventario",
                    {"jogador": "Zeca77", "pagina": 4},
                    {"pagina": 4, "itens": ["Espada Aurora"], "tem_mais": False},
                )
            ),
            answers("Achei! A espada Aurora está na página 4 do seu inventário, não sumiu."),
        ),
        failing=(),
        why="each call read another page until the sword was found",
    ),
    Story(
        "eighth_care_concierge_rate_limited",
        "pydantic_ai",
        CONCIERGE,
        (
            user("Two nights in Ghent from May 9, below 140 a night. Will it rain?"),
            model_fails(
                "openai.RateLimitError",
                "Error code: 429 - {'error': {'message': 'Rate limit reached for gpt-4.1 on tokens per min (TPM): Limit 30000, Used 29112, Requested 1904.', 'type': 'tokens', 'code': 'rate_limit_exceeded'}}",
            ),
            asks(
                call(
                    "search_hotels",
                    {"city": "Ghent", "check_in": "2025-05-09", "nights": 2, "max_price": 140.0},
                    {"hotels": [{"name": "Hotel Harmony", "price": 132.0, "rating": 8.9}]},
                ),
                call(
                    "get_forecast",
                    {"city": "Ghent", "days": 3},
                    {"days": [{"date": "2025-05-09", "rain_mm": 0.0}, {"date": "2025-05-10", "rain_mm": 4.2}]},
                ),
            ),
            answers("Hotel Harmony has a room for 132 a night. Friday stays dry, take an umbrella on Saturday."),
        ),
        failing=(),
        why="the model was rate limited once and retried; the run ended with an answer",
    ),
)
