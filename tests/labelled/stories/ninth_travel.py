"""Travel: Amadeus, trains, hotels, calendars, visas, web pages."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, crashes, repeat_calls, tool, user

__all__ = ["STORIES"]

OFFERS = tool(
    "amadeus_flight_offers",
    "Flight offers",
    originLocationCode="string",
    destinationLocationCode="string",
    departureDate="string",
    returnDate="string?",
    adults="integer",
    nonStop="boolean?",
    max="integer?",
)
CHECKIN = tool("amadeus_checkin_links", "Links for check-in", airlineCode="string")
FLIGHTS = Agent("buscador_vuelos", (OFFERS, CHECKIN), "Buscas vuelos para los clientes.", "gpt-4o")
PLANNER = Agent("trip_planner", (OFFERS,), "You plan trips. Today is 2026-09-11.", "gpt-4.1")

PAGE = tool("read_webpage", "Text of a web page", url="string")
SCOUT = Agent("hotel_scout", (PAGE,), "You answer questions on hotels from their own pages.", "gpt-4.1-mini")

EVENTS = tool("list_events", "Events of a calendar", calendarId="string", timeMin="string", timeMax="string")
INSERT = tool("create_event", "Creates an event", calendarId="string", summary="string", start="string", end="string")
DELETE = tool("delete_event", "Deletes an event", calendarId="string", eventId="string")
CALENDAR = Agent(
    "travel_calendar", (EVENTS, INSERT, DELETE), "You keep the travel calendar.", "gemini-2.5-pro", "gcp.gemini"
)

PERSON = {
    "type": "object",
    "properties": {
        "given_name": {"type": "string"},
        "family_name": {"type": "string"},
        "born_on": {"type": "string", "format": "date"},
    },
    "required": ["given_name", "family_name", "born_on"],
}
HOLD = tool(
    "hold_order", "Holds an offer for some passengers", offer_id="string", passengers={"type": "array", "items": PERSON}
)
DUFFEL = Agent("booking_desk", (HOLD,), "You hold flights for groups.", "gpt-4o-mini")

ROOM = tool(
    "check_availability",
    "Free rooms of a hotel",
    hotel_id="string",
    check_in="string",
    nights="integer",
    room_type="string?",
)
HOTEL = Agent("hotel_concierge", (ROOM,), "You answer questions on the rooms of our hotels.", "gpt-4o-mini")

BOARD = tool("station_changes", "Changes at a station (DB Timetables, fchg)", eva_no="string")
TRAINS = Agent("bahn_auskunft", (BOARD,), "Du gibst Auskunft über Züge.", "gpt-4.1-nano")

QUOTE = tool("get_hotel_quote", "Price of a stay", hotel="string", check_in="string", nights="integer")
RESERVE = tool(
    "book_hotel",
    "Books a stay; above 1,000 euros someone has to approve",
    hotel="string",
    check_in="string",
    nights="integer",
    guest="string",
)
CORPORATE = Agent("corporate_travel", (QUOTE, RESERVE), "You book business trips.", "claude-sonnet-4-5", "anthropic")

TABLE = tool(
    "find_table",
    "Free tables",
    restaurant_id="string",
    date="string",
    guests="integer",
    area=["terrace", "indoor"],
    after="string?",
)
DINNER = Agent("dinner_agent", (TABLE,), "You find tables.", "gpt-4.1-mini")

VISA = tool("visa_requirements", "Visa rules", nationality="string", destination="string", days="integer")
VISAS = Agent("visa_advisor", (VISA,), "You tell travellers which visa they need.", "gpt-4o")


def full(hotel: str) -> dict[str, object]:
    return {
        "hotel_id": hotel,
        "check_in": "2026-10-03",
        "nights": 2,
        "available": [],
        "sold_out": True,
        "waitlist": False,
    }


STORIES = (
    Story(
        "ninth_travel_amadeus_system_error",
        "openinference",
        FLIGHTS,
        (
            user(
                "¿Hay vuelos directos de Bilbao a Palermo el 2 de octubre para dos? Y el enlace de facturación de Volotea."
            ),
            asks(
                call(
                    "amadeus_flight_offers",
                    {
                        "originLocationCode": "BIO",
                        "destinationLocationCode": "PMO",
                        "departureDate": "2026-10-02",
                        "adults": 2,
                        "nonStop": True,
                    },
                    {
                        "errors": [
                            {
                                "status": 500,
                                "code": 141,
                                "title": "SYSTEM ERROR HAS OCCURRED",
                                "detail": "An system error occurred while trying to retrieve the details",
                            }
                        ]
                    },
                ),
                call(
                    "amadeus_checkin_links",
                    {"airlineCode": "V7"},
                    {
                        "meta": {"count": 1},
                        "data": [
                            {
                                "type": "checkin-link",
                                "id": "V7EN-GBWeb",
                                "href": "https://www.volotea.com/en/check-in/",
                                "channel": "Web",
                            }
                        ],
                    },
                ),
            ),
            answers(
                "No hay vuelos directos ese día. La facturación de Volotea está en https://www.volotea.com/en/check-in/."
            ),
        ),
        failing=("tool_error",),
        why="the search for flights gave an error 500 and was not repeated; the answer takes it for no flights",
    ),
    Story(
        "ninth_travel_year_corrected",
        "openinference",
        PLANNER,
        (
            user("Cheapest flight VIE to OPO on 20 January, one adult?"),
            asks(
                call(
                    "amadeus_flight_offers",
                    {
                        "originLocationCode": "VIE",
                        "destinationLocationCode": "OPO",
                        "departureDate": "2026-01-20",
                        "adults": 1,
                        "max": 1,
                    },
                    {
                        "errors": [
                            {
                                "status": 400,
                                "code": 425,
                                "title": "INVALID DATE",
                                "detail": "Date/Time is in the past",
                                "source": {"parameter": "departureDate"},
                            }
                        ]
                    },
                )
            ),
            asks(
                call(
                    "amadeus_flight_offers",
                    {
                        "originLocationCode": "VIE",
                        "destinationLocationCode": "OPO",
                        "departureDate": "2027-01-20",
                        "adults": 1,
                        "max": 1,
                    },
                    {
                        "meta": {"count": 1},
                        "data": [
                            {
                                "type": "flight-offer",
                                "id": "1",
                                "numberOfBookableSeats": 7,
                                "itineraries": [
                                    {
                                        "duration": "PT5H55M",
                                        "segments": [
                                            {"carrierCode": "LH", "number": "1235"},
                                            {"carrierCode": "LH", "number": "1180"},
                                        ],
                                    }
                                ],
                                "price": {"currency": "EUR", "grandTotal": "148.31"},
                            }
                        ],
                        "dictionaries": {"carriers": {"LH": "LUFTHANSA"}},
                    },
                )
            ),
            answers("€148.31 with Lufthansa via Frankfurt (5 h 55 min) on 20 January 2027."),
        ),
        failing=(),
        why="a date in the past was corrected, and the second search worked",
    ),
    Story(
        "ninth_travel_hotel_page_is_bad_gateway",
        "pydantic_ai",
        SCOUT,
        (
            user("Nimmt das Hotel Krone in Bregenz Hunde? Die Seite ist https://krone-bregenz.example/hausregeln"),
            asks(
                call(
                    "read_webpage",
                    {"url": "https://krone-bregenz.example/hausregeln"},
                    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx/1.24.0 (Ubuntu)</center>\r\n</body>\r\n</html>\r\n",
                )
            ),
            answers("Auf der Seite mit den Hausregeln steht nichts von Hunden, also sind sie wohl erlaubt."),
        ),
        failing=("tool_error",),
        why="instead of the page came the 502 of a proxy, and the page was never read",
    ),
    Story(
        "ninth_travel_calendar_between_changes",
        "openllmetry",
        CALENDAR,
        (
            user("Move my Lisbon flight block on 5 October to the afternoon and check that nothing collides."),
            asks(
                call(
                    "list_events",
                    {"calendarId": "primary", "timeMin": "2026-10-05T00:00:00Z", "timeMax": "2026-10-06T00:00:00Z"},
                    {
                        "kind": "calendar#events",
                        "items": [
                            {
                                "id": "ev1",
                                "status": "confirmed",
                                "summary": "Flight LIS",
                                "start": {"dateTime": "2026-10-05T08:00:00Z"},
                            }
                        ],
                    },
                )
            ),
            asks(
                call(
                    "create_event",
                    {
                        "calendarId": "primary",
                        "summary": "Flight LIS",
                        "start": "2026-10-05T14:00:00Z",
                        "end": "2026-10-05T17:00:00Z",
                    },
                    {"kind": "calendar#event", "id": "ev2", "status": "confirmed"},
                )
            ),
            asks(
                call(
                    "list_events",
                    {"calendarId": "primary", "timeMin": "2026-10-05T00:00:00Z", "timeMax": "2026-10-06T00:00:00Z"},
                    {
                        "kind": "calendar#events",
                        "items": [
                            {
                                "id": "ev1",
                                "status": "confirmed",
                                "summary": "Flight LIS",
                                "start": {"dateTime": "2026-10-05T08:00:00Z"},
                            },
                            {
                                "id": "ev2",
                                "status": "confirmed",
                                "summary": "Flight LIS",
                                "start": {"dateTime": "2026-10-05T14:00:00Z"},
                            },
                        ],
                    },
                )
            ),
            asks(call("delete_event", {"calendarId": "primary", "eventId": "ev1"}, "")),
            asks(
                call(
                    "list_events",
                    {"calendarId": "primary", "timeMin": "2026-10-05T00:00:00Z", "timeMax": "2026-10-06T00:00:00Z"},
                    {
                        "kind": "calendar#events",
                        "items": [
                            {
                                "id": "ev2",
                                "status": "confirmed",
                                "summary": "Flight LIS",
                                "start": {"dateTime": "2026-10-05T14:00:00Z"},
                            }
                        ],
                    },
                )
            ),
            answers("Done: Flight LIS is on 5 October from 14:00 to 17:00 UTC, and nothing else is on that day."),
        ),
        failing=(),
        why="the calendar was read again after each change, and deleting answers with an empty body",
    ),
    Story(
        "ninth_travel_passengers_as_texts",
        "openllmetry",
        DUFFEL,
        (
            user("Hold off_0000A3vB for Sofia Lindqvist (2 April 1988) and Per Lindqvist (9 May 1986)."),
            asks(
                call(
                    "hold_order",
                    {
                        "offer_id": "off_0000A3vB",
                        "passengers": ["Sofia Lindqvist, 1988-04-02", "Per Lindqvist, 1986-05-09"],
                    },
                    {
                        "data": {
                            "id": "ord_0000A3vC",
                            "type": "hold",
                            "booking_reference": "RZPNX8",
                            "payment_status": {"awaiting_payment": True, "payment_required_by": "2026-09-13T10:00:00Z"},
                        }
                    },
                )
            ),
            answers("The flight is held for Sofia and Per, reference RZPNX8. Please pay by 13 September, 10:00 UTC."),
        ),
        failing=("tool_call_validity",),
        why="each passenger is a text where the schema asks for an object with names and a date of birth",
    ),
    Story(
        "ninth_travel_sold_out_asked_five_times",
        "vercel_ai",
        HOTEL,
        (
            user("Is there a double room in H-212 for two nights from 3 October?"),
            *repeat_calls(
                5,
                call(
                    "check_availability",
                    {"hotel_id": "H-212", "check_in": "2026-10-03", "nights": 2, "room_type": "double"},
                    full("H-212"),
                ),
            ),
            answers("Unfortunately H-212 is sold out on those nights."),
        ),
        failing=("tool_efficiency",),
        why="the same question was asked five times in a row, and each time the hotel was sold out",
    ),
    Story(
        "ninth_travel_train_cancelled",
        "genai_events",
        TRAINS,
        (
            user("Fährt der ICE 597 heute ab Mannheim?"),
            asks(
                call(
                    "station_changes",
                    {"eva_no": "8000244"},
                    '<timetable station="Mannheim Hbf" eva="8000244"><s id="-7751230911-2609111005-6" eva="8000244"><m id="r2134" t="h" from="2609110930" to="2609112359" c="36" cat="Störung" pr="1"/>'
                    '<tl f="F" t="p" o="80" c="ICE" n="597"/><dp pt="2609111431" cs="c" clt="2609111012" ppth="Stuttgart Hbf|Ulm Hbf|München Hbf"><m id="r2135" t="f" c="80" ts="2609111012"/></dp></s></timetable>',
                )
            ),
            answers("Nein, der ICE 597 um 14:31 Uhr fällt ab Mannheim aus. Grund ist eine Störung."),
        ),
        failing=(),
        why="the timetable was read; that a train is cancelled is what it tells",
    ),
    Story(
        "ninth_travel_booking_waits_for_approval",
        "pydantic_ai",
        CORPORATE,
        (
            user("Book the Hotel Atlântico in Porto from 12 October, six nights, for Ines Pichler."),
            asks(
                call(
                    "get_hotel_quote",
                    {"hotel": "Hotel Atlântico", "check_in": "2026-10-12", "nights": 6},
                    {
                        "hotel": "Hotel Atlântico",
                        "total": {"amount": 1284.0, "currency": "EUR"},
                        "refundable": False,
                        "policy": "exceeds_limit",
                    },
                )
            ),
            asks(
                call(
                    "book_hotel",
                    {"hotel": "Hotel Atlântico", "check_in": "2026-10-12", "nights": 6, "guest": "Ines Pichler"},
                    deferral="ApprovalRequired",
                    is_answered=False,
                )
            ),
        ),
        failing=(),
        why="the booking is deferred until a person approves it",
    ),
    Story(
        "ninth_travel_table_for_two_point_zero",
        "openinference",
        DINNER,
        (
            user("Trova un tavolo per due all'aperto da Trattoria Sandri (rest_88) il 12 settembre."),
            asks(
                call(
                    "find_table",
                    {"restaurant_id": "rest_88", "date": "2026-09-12", "guests": 2.0, "area": "terrace", "after": None},
                    {"tables": [], "total": 0, "message": "Nessun tavolo disponibile"},
                )
            ),
            asks(
                call(
                    "find_table",
                    {"restaurant_id": "rest_88", "date": "2026-09-12", "guests": 2.0, "area": "indoor", "after": None},
                    {
                        "tables": [{"id": "T4", "time": "19:30"}, {"id": "T9", "time": "21:00"}],
                        "total": 2,
                        "message": None,
                    },
                )
            ),
            answers(
                "All'aperto non c'è più posto. Dentro ci sono due tavoli: alle 19:30 o alle 21:00. Quale preferisce?"
            ),
        ),
        failing=(),
        why="2.0 stands for an integer and null for an optional property; no table outside is nothing found",
    ),
    Story(
        "ninth_travel_visa_service_down_and_crash",
        "genai",
        VISAS,
        (
            user("أريد السفر من الأردن إلى اليابان لمدة عشرة أيام، هل أحتاج تأشيرة؟"),
            asks(
                call(
                    "visa_requirements",
                    {"nationality": "JO", "destination": "JP", "days": 10},
                    fault=Fault(
                        "httpx.ConnectTimeout",
                        "timed out while connecting to https://visa-rules.internal/v2/requirements",
                    ),
                )
            ),
            crashes(
                "httpx.ConnectTimeout", "timed out while connecting to https://visa-rules.internal/v2/requirements"
            ),
        ),
        failing=("run_completion", "tool_error"),
        why="the only lookup timed out and took the run down with it: no answer",
    ),
)
