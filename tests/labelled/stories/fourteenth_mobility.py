"""Trains, charging, parking, maps, flights, bikes, taxis."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, pause, repeat_calls, tool, unanswered, user

__all__ = ["STORIES"]

STATIONS = tool("find_chargers", "Chargers near a place", place="string", connector=["CCS", "CHADEMO", "TYPE2"])
START = tool(
    "start_session", "Starts a charging session", location_id="string", evse_uid="string", connector_id="string?"
)
CHARGING = Agent("charging_companion", (STATIONS, START), "You help drivers of electric cars.", "gpt-4.1")

DEPARTURES = tool("get_departures", "Departures of a station", station="string", duration_min="integer?")
TRAINS = Agent("zugauskunft", (DEPARTURES,), "Du gibst Auskunft über Züge.", "gpt-4.1-mini")

DIRECTIONS = tool(
    "maps_directions",
    "Directions between two places",
    origin="string",
    destination="string",
    mode=["driving", "walking", "bicycling", "transit"],
)
MAPS = Agent("przewodnik", (DIRECTIONS,), "Pomagasz w podróży.", "gpt-4o-mini")

PARKED = tool("get_parking_session", "The running parking session of a plate", plate="string")
EXTEND = tool("extend_parking", "Extends a parking session, costs money", session_id="string", minutes="integer")
PARKING = Agent(
    "parking_agent",
    (PARKED, EXTEND),
    "You look after parking sessions. Payments need the driver's approval.",
    "gpt-4.1",
)

GEOCODE = tool("nominatim_search", "Finds a place", q="string", countrycodes="string?", limit="integer?")
GEO = Agent("place_finder", (GEOCODE,), "You find places.", "gpt-4.1-nano")

SEAT = tool("reserve_seat", "Reserves a seat", train="string", date="string", coach="integer", seat="integer")
SEATS = Agent("seat_agent", (SEAT,), "Prenoti posti sui treni.", "gpt-4.1")

BIKES = tool("nearby_bikes", "Bikes near a point", lat="number", lon="number", radius_m="integer?")
UNLOCK = tool("unlock_bike", "Unlocks a bike", bike_id="string")
BIKE = Agent("bike_share", (BIKES, UNLOCK), "You rent out bikes.", "gpt-4o-mini")

FLIGHTS = tool(
    "search_flights",
    "Searches flights",
    origin="string",
    destination="string",
    departure_date="string",
    adults="integer",
)
FLYER = Agent("flight_search", (FLIGHTS,), "You search flights.", "gpt-4.1-mini")

STATE = tool("get_vehicle_state", "State of charge of the car", vin="string")
PRECONDITION = tool("start_climate", "Starts heating or cooling", vin="string", temp_c="number")
CAR = Agent("car_companion", (STATE, PRECONDITION), "You control the user's car.", "gpt-4.1-mini")

TAXI = tool("order_taxi", "Orders a taxi", pickup="string", passengers="integer")
DISPATCH = Agent("taxi_voice", (TAXI,), "Vous prenez des commandes de taxi au téléphone.", "gpt-4o")

ROUTE = {
    "geocoded_waypoints": [{"geocoder_status": "OK"}, {"geocoder_status": "OK"}],
    "routes": [
        {
            "summary": "A4",
            "distance": {"text": "296 km", "value": 296014},
            "duration": {"text": "2 godz. 51 min", "value": 10260},
            "warnings": [],
        }
    ],
    "status": "OK",
}
CHARGE = {
    "response": {"battery_level": 78, "charging_state": "Charging", "charge_limit_soc": 80, "charger_fault": None}
}

STORIES = (
    Story(
        "fourteenth_mobility_charging_did_not_start",
        "openinference",
        CHARGING,
        (
            user("I'm at the Brenner services, start charging on CCS please."),
            asks(
                call(
                    "find_chargers",
                    {"place": "Brenner services", "connector": "CCS"},
                    {
                        "data": [
                            {
                                "id": "LOC-4471",
                                "name": "Brenner Nord",
                                "evses": [
                                    {
                                        "uid": "3256",
                                        "status": "AVAILABLE",
                                        "connectors": [{"id": "1", "standard": "IEC_62196_T2_COMBO"}],
                                    }
                                ],
                            }
                        ],
                        "status_code": 1000,
                        "status_message": "Success",
                        "timestamp": "2026-10-08T09:01:12Z",
                    },
                )
            ),
            asks(
                call(
                    "start_session",
                    {"location_id": "LOC-4471", "evse_uid": "3256", "connector_id": "1"},
                    {"status_code": 2003, "status_message": "Unknown Location", "timestamp": "2026-10-08T09:01:20Z"},
                )
            ),
            answers("Your session at Brenner Nord is starting. Please plug in the cable."),
        ),
        failing=("tool_error",),
        why="the operator refused the start with 2003 Unknown Location, and nothing starts",
    ),
    Story(
        "fourteenth_mobility_trains_are_cancelled",
        "genai_events",
        TRAINS,
        (
            user("Was fährt in der nächsten halben Stunde ab Uelzen, und was fällt aus?"),
            asks(
                call(
                    "get_departures",
                    {"station": "Uelzen", "duration_min": 30},
                    {
                        "departures": [
                            {
                                "tripId": "1|220417|0|80|8102026",
                                "line": {"name": "ME RE3"},
                                "direction": "Hannover Hbf",
                                "when": None,
                                "plannedWhen": "2026-10-08T08:12:00+02:00",
                                "cancelled": True,
                                "remarks": [{"type": "warning", "text": "Technische Störung am Zug"}],
                            },
                            {
                                "tripId": "1|220980|0|80|8102026",
                                "line": {"name": "ICE 73"},
                                "direction": "Zürich HB",
                                "when": "2026-10-08T08:31:00+02:00",
                                "delay": 660,
                                "remarks": [{"type": "status", "text": "Fehler an der Signaltechnik"}],
                            },
                        ],
                        "realtimeDataUpdatedAt": 1791439804,
                    },
                )
            ),
            answers(
                "Der RE3 um 8:12 nach Hannover fällt aus (Störung am Zug). Der ICE 73 nach Zürich fährt 11 Minuten später, um 8:31."
            ),
        ),
        failing=(),
        why="faults and cancellations are what the user asked about",
    ),
    Story(
        "fourteenth_mobility_same_route_asked_again",
        "vercel_ai",
        MAPS,
        (
            user("Ile jedzie się samochodem z Krakowa do Wrocławia?"),
            *repeat_calls(
                5,
                call("maps_directions", {"origin": "Kraków", "destination": "Wrocław", "mode": "driving"}, ROUTE),
            ),
            answers("Z Krakowa do Wrocławia jest 296 km autostradą A4, czyli około 2 godziny i 51 minut."),
        ),
        failing=("tool_efficiency",),
        why="the same route was asked for five times in a row, with the same result",
    ),
    Story(
        "fourteenth_mobility_driver_must_approve",
        "pydantic_ai",
        PARKING,
        (
            user("Extend my parking by an hour, plate VD 204117."),
            asks(
                call(
                    "get_parking_session",
                    {"plate": "VD 204117"},
                    {"session_id": "ps_88f1", "zone": "1003-B", "ends_at": "2026-10-08T11:30:00+02:00", "fine": None},
                )
            ),
            asks(
                call(
                    "extend_parking",
                    {"session_id": "ps_88f1", "minutes": 60},
                    is_answered=False,
                    deferral="ApprovalRequired",
                )
            ),
        ),
        failing=(),
        why="the extension costs money and waits for the driver's approval",
    ),
    Story(
        "fourteenth_mobility_lane_found_at_third_try",
        "genai",
        GEO,
        (
            user("Coordinates of 'Brig o' Turk old post office', please."),
            asks(call("nominatim_search", {"q": "Brig o' Turk old post office", "countrycodes": "gb"}, "[]")),
            asks(call("nominatim_search", {"q": "Old Post Office, Brig o'Turk, Stirling", "countrycodes": "gb"}, "[]")),
            asks(
                call(
                    "nominatim_search",
                    {"q": "Brig o'Turk", "countrycodes": "gb", "limit": 1},
                    '[{"place_id": 260117, "osm_type": "node", "lat": "56.2291", "lon": "-4.3662", "category": "place", "type": "village", '
                    '"display_name": "Brig o\' Turk, Stirling, Alba / Scotland, United Kingdom"}]',
                )
            ),
            answers("I only find the village itself: 56.2291, -4.3662. The old post office is not on the map."),
        ),
        failing=(),
        why="two searches found nothing, and the third one found the village",
    ),
    Story(
        "fourteenth_mobility_seat_after_unavailable",
        "openinference",
        SEATS,
        (
            user("Prenotami il posto 41 nella carrozza 6 del FR 9614 di domani."),
            asks(
                call(
                    "reserve_seat",
                    {"train": "FR 9614", "date": "2026-10-09", "coach": 6, "seat": 41},
                    fault=Fault(
                        "grpc.aio.AioRpcError",
                        '<AioRpcError of RPC that terminated with:\n\tstatus = StatusCode.UNAVAILABLE\n\tdetails = "upstream connect error or '
                        'disconnect/reset before headers. reset reason: connection timeout"\n>',
                    ),
                )
            ),
            pause(2),
            asks(
                call(
                    "reserve_seat",
                    {"train": "FR 9614", "date": "2026-10-09", "coach": 6, "seat": 41},
                    {"pnr": "XK4T9Q", "coach": 6, "seat": 41, "status": "HELD", "error": ""},
                )
            ),
            answers("Fatto: carrozza 6, posto 41 sul FR 9614 di domani (PNR XK4T9Q)."),
        ),
        failing=(),
        why="the service was unavailable once and the seat was reserved at the retry",
    ),
    Story(
        "fourteenth_mobility_bike_never_unlocked",
        "openllmetry",
        BIKE,
        (
            user("I'm at 52.3702, 4.8952. Unlock the nearest bike for me."),
            asks(
                call(
                    "nearby_bikes",
                    {"lat": 52.3702, "lon": 4.8952, "radius_m": 200},
                    '{"last_updated":1791440120,"ttl":60,"version":"2.3","data":{"bikes":[{"bike_id":"b-5521","lat":52.3704,"lon":4.8949,"is_reserved":false,"is_disabled":false}]}}',
                )
            ),
            asks(unanswered("unlock_bike", {"bike_id": "b-5521"})),
        ),
        failing=("run_completion",),
        why="unlocking was asked for and never executed, and the user got no answer",
    ),
    Story(
        "fourteenth_mobility_two_in_words",
        "genai",
        FLYER,
        (
            user("Flights for two from Bergen to Porto on 3 November?"),
            asks(
                call(
                    "search_flights",
                    {"origin": "BGO", "destination": "OPO", "departure_date": "2026-11-03", "adults": "two"},
                    {
                        "content": [
                            {
                                "type": "text",
                                "text": 'MCP error -32602: Input validation error: Invalid arguments for tool search_flights: [\n  {\n    "code": '
                                '"invalid_type",\n    "expected": "number",\n    "received": "string",\n    "path": [\n      "adults"\n    ],\n    '
                                '"message": "Expected number, received string"\n  }\n]',
                            }
                        ],
                        "isError": True,
                    },
                )
            ),
            answers("I'm sorry, the flight search does not work at the moment."),
        ),
        failing=("tool_call_validity", "tool_error"),
        why='"two" is no integer, the search refused it and was not repeated',
    ),
    Story(
        "fourteenth_mobility_battery_watched",
        "vercel_ai",
        CAR,
        (
            user("Warm up the car to 21 degrees as soon as it reaches 80 %."),
            asks(call("get_vehicle_state", {"vin": "5YJ3E7EB2KF"}, CHARGE)),
            pause(120),
            asks(call("get_vehicle_state", {"vin": "5YJ3E7EB2KF"}, CHARGE)),
            pause(120),
            asks(call("get_vehicle_state", {"vin": "5YJ3E7EB2KF"}, CHARGE)),
            pause(120),
            asks(
                call(
                    "get_vehicle_state",
                    {"vin": "5YJ3E7EB2KF"},
                    {
                        "response": {
                            "battery_level": 80,
                            "charging_state": "Complete",
                            "charge_limit_soc": 80,
                            "charger_fault": None,
                        }
                    },
                )
            ),
            asks(
                call(
                    "start_climate", {"vin": "5YJ3E7EB2KF", "temp_c": 21}, {"response": {"result": True, "reason": ""}}
                )
            ),
            answers("The battery is at 80 % and the car is warming up to 21 degrees."),
        ),
        failing=(),
        why="the state of the battery was polled until it was charged",
    ),
    Story(
        "fourteenth_mobility_taxi_ordered_in_silence",
        "pydantic_ai",
        DISPATCH,
        (
            user("Un taxi pour quatre personnes au 8 rue Vauban, tout de suite."),
            asks(
                call(
                    "order_taxi",
                    {"pickup": "8 rue Vauban", "passengers": 4},
                    {"order": "TX-20931", "eta_min": 7, "vehicle": "Van 12", "error": None},
                )
            ),
            answers(""),
        ),
        failing=("run_completion",),
        why="the taxi is ordered, but the answer to the caller is empty",
    ),
)
