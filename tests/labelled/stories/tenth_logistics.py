"""Parcels, carriers, warehouses and cold chains."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, pause, repeat_calls, tool, unanswered, user

__all__ = ["STORIES"]

ADDRESS = {
    "type": "object",
    "properties": {
        "street": {"type": "string"},
        "city": {"type": "string"},
        "zip": {"type": "string"},
        "country": {"type": "string", "minLength": 2, "maxLength": 2},
    },
    "required": ["street", "city", "zip", "country"],
}

FEDEX = Agent(
    "parcel_assistant",
    (tool("track_fedex", "Track a FedEx shipment", tracking_number="string", include_detailed_scans="boolean?"),),
    "You tell customers where their parcels are.",
    "gpt-4.1-mini",
)
UPS = Agent(
    "rate_quoter",
    (
        tool(
            "ups_shop_rates",
            "Shop rates of UPS (XML)",
            ship_from_zip="string",
            ship_to_zip="string",
            country="string",
            weight_lbs="number",
        ),
    ),
    "You quote shipping.",
    "gpt-4o-mini",
)
SHIPPO = Agent(
    "label_printer",
    (
        tool("get_rates", "Rates of a shipment", shipment_id="string"),
        tool("create_transaction", "Buy a label", rate="string", label_file_type=["PDF_4x6", "ZPLII", "PNG"]),
    ),
    "You buy the cheapest label that arrives in time.",
    "gpt-4.1-mini",
)
EASYPOST = Agent(
    "address_checker",
    (
        tool(
            "verify_address",
            "Verify an address for delivery",
            street1="string",
            street2="string?",
            city="string",
            state="string",
            zip="string",
        ),
    ),
    "You check addresses before orders are packed.",
    "gpt-4.1-mini",
)
DHL = Agent(
    "sendungsauskunft",
    (tool("track_dhl", "Sendungsverfolgung", trackingNumber="string", language="string?"),),
    "Du gibst Auskunft über Sendungen.",
    "gpt-4o-mini",
)
COLD = Agent(
    "cold_chain_guard",
    (tool("read_temperature", "Current reading of a probe", sensor_id="string"),),
    "Je bewaakt de koelcellen.",
    "gpt-4.1-nano",
)
PICKUP_POINTS = Agent(
    "delivery_options",
    (
        tool("list_rates", "Rates to a postcode", from_zip="string", to_zip="string", weight_g="integer"),
        tool(
            "list_service_points", "Service points near a postcode", zip="string", carrier="string", radius_m="integer"
        ),
    ),
    "You find the cheapest delivery to a service point.",
    "gpt-4o-mini",
)
PICKUP = Agent(
    "pickup_planner",
    (
        tool(
            "schedule_pickup",
            "Schedule a pickup",
            address=ADDRESS,
            date="string",
            window=["08-12", "12-16", "16-20"],
            parcels={"type": "integer", "minimum": 1},
        ),
    ),
    "You schedule pickups.",
    "gpt-4.1-mini",
)
COURIER = Agent(
    "courier_desk",
    (
        tool("quote_courier", "Quote a courier", pickup="string", dropoff="string", vehicle=["bike", "van"]),
        tool("book_courier", "Book a quote", quote_id="string"),
    ),
    "You book couriers.",
    "gpt-4.1",
)
FLEET = Agent(
    "container_tracker",
    (tool("track_container", "Position and events of a container", container="string"),),
    "You track sea containers.",
    "gpt-4.1-mini",
)

ON_WATER = {"status": "IN_TRANSIT", "delay_days": 0, "exceptions": []}
IN_CUSTOMS = {
    "url": "/shipments?trackingNumber=JD014600011122233344&offset=0&limit=5",
    "shipments": [
        {
            "id": "JD014600011122233344",
            "service": "express",
            "origin": {"address": {"countryCode": "CN"}},
            "destination": {"address": {"countryCode": "DE"}},
            "status": {
                "timestamp": "2026-06-11T04:12:00",
                "statusCode": "transit",
                "status": "CUSTOMS",
                "description": "Verzollung nicht abgeschlossen: Fehler in der Handelsrechnung",
            },
        }
    ],
}

STORIES = (
    Story(
        "tenth_logistics_delivery_exception",
        "genai",
        FEDEX,
        (
            user("Where's 794612345678? It was due yesterday."),
            asks(
                call(
                    "track_fedex",
                    {"tracking_number": "794612345678", "include_detailed_scans": True},
                    {
                        "transactionId": "624deea6-b709-470c-8c39-4b5511281492",
                        "output": {
                            "completeTrackResults": [
                                {
                                    "trackingNumber": "794612345678",
                                    "trackResults": [
                                        {
                                            "latestStatusDetail": {
                                                "code": "DE",
                                                "derivedCode": "DE",
                                                "statusByLocale": "Delivery exception",
                                                "description": "Delivery exception",
                                                "ancillaryDetails": [
                                                    {
                                                        "reason": "08",
                                                        "reasonDescription": "Customer not available or business closed",
                                                        "action": "We'll try again the next business day",
                                                    }
                                                ],
                                            },
                                            "scanEvents": [
                                                {
                                                    "date": "2026-06-10T15:02:00-05:00",
                                                    "eventType": "DE",
                                                    "eventDescription": "Delivery exception",
                                                    "exceptionCode": "08",
                                                    "exceptionDescription": "Customer not available or business closed",
                                                    "derivedStatusCode": "DE",
                                                }
                                            ],
                                            "deliveryDetails": {"deliveryAttempts": "1"},
                                        }
                                    ],
                                }
                            ]
                        },
                    },
                )
            ),
            answers("FedEx tried yesterday at 3:02 pm and found no one; they come again on the next business day."),
        ),
        failing=(),
        why="the exception is the state of the parcel that was asked for",
    ),
    Story(
        "tenth_logistics_ups_licence_refused",
        "openinference",
        UPS,
        (
            user("What does UPS take for 12 lbs from 30301 to 98101?"),
            asks(
                call(
                    "ups_shop_rates",
                    {"ship_from_zip": "30301", "ship_to_zip": "98101", "country": "US", "weight_lbs": 12},
                    '<?xml version="1.0"?><RatingServiceSelectionResponse><Response><TransactionReference><CustomerContext>Rating</CustomerContext><XpciVersion>1.0</XpciVersion></TransactionReference><ResponseStatusCode>0</ResponseStatusCode><ResponseStatusDescription>Failure</ResponseStatusDescription><Error><ErrorSeverity>Hard</ErrorSeverity><ErrorCode>250003</ErrorCode><ErrorDescription>Invalid Access License number</ErrorDescription></Error></Response></RatingServiceSelectionResponse>',
                )
            ),
            answers(
                "UPS doesn't give me a rate right now. As a guide, 12 lbs coast to coast is usually 20 to 35 dollars by ground."
            ),
        ),
        failing=("tool_error",),
        why="UPS answered with a hard error, and no rate was ever read",
    ),
    Story(
        "tenth_logistics_label_that_was_not_bought",
        "vercel_ai",
        SHIPPO,
        (
            user("Buy the cheapest label for shipment shp_77."),
            asks(
                call(
                    "get_rates",
                    {"shipment_id": "shp_77"},
                    {
                        "results": [
                            {
                                "object_id": "rate_a1",
                                "amount": "7.41",
                                "currency": "USD",
                                "provider": "USPS",
                                "estimated_days": 2,
                                "messages": [],
                            },
                            {
                                "object_id": "rate_b2",
                                "amount": "11.05",
                                "currency": "USD",
                                "provider": "UPS",
                                "estimated_days": 2,
                                "messages": [],
                            },
                        ]
                    },
                )
            ),
            asks(
                call(
                    "create_transaction",
                    {"rate": "rate_a1", "label_file_type": "PDF_4x6"},
                    {
                        "object_state": "VALID",
                        "status": "ERROR",
                        "object_id": "915d94940ea54c3a80cbfa328722f5a1",
                        "rate": "rate_a1",
                        "tracking_number": "",
                        "tracking_status": "UNKNOWN",
                        "tracking_url_provider": "",
                        "label_url": "",
                        "messages": [
                            {
                                "source": "USPS",
                                "code": "",
                                "text": "Recipient address line 1 is too long. Maximum is 50 characters.",
                            }
                        ],
                        "test": False,
                    },
                )
            ),
            answers("Done! The USPS label for shp_77 costs $7.41 and arrives in two days."),
        ),
        failing=("tool_error",),
        why="the transaction has the status ERROR and no label, the answer says that it was bought",
    ),
    Story(
        "tenth_logistics_address_not_deliverable",
        "pydantic_ai",
        EASYPOST,
        (
            user("Check 417 Montgomry St 5th Floor, San Francisco CA 94014"),
            asks(
                call(
                    "verify_address",
                    {
                        "street1": "417 Montgomry St",
                        "street2": "5th Floor",
                        "city": "San Francisco",
                        "state": "CA",
                        "zip": "94014",
                    },
                    {
                        "id": "adr_22ea3ce8f1",
                        "object": "Address",
                        "street1": "417 MONTGOMRY ST",
                        "zip": "94014",
                        "verifications": {
                            "delivery": {
                                "success": False,
                                "errors": [
                                    {
                                        "code": "E.ADDRESS.NOT_FOUND",
                                        "field": "address",
                                        "message": "Address not found",
                                        "suggestion": None,
                                    }
                                ],
                                "details": {},
                            }
                        },
                    },
                )
            ),
            answers(
                "This address can't be delivered to: it doesn't exist as written. Is it Montgomery Street, with ZIP 94104?"
            ),
        ),
        failing=(),
        why="the verification did its work: not deliverable is its finding",
    ),
    Story(
        "tenth_logistics_asked_three_times_in_customs",
        "openllmetry",
        DHL,
        (
            user("Wo ist JD014600011122233344?"),
            asks(call("track_dhl", {"trackingNumber": "JD014600011122233344", "language": "de"}, IN_CUSTOMS)),
            answers(
                "Beim Zoll: In der Handelsrechnung ist ein Fehler, deshalb ist die Verzollung nicht abgeschlossen."
            ),
            user("Und jetzt?"),
            asks(call("track_dhl", {"trackingNumber": "JD014600011122233344", "language": "de"}, IN_CUSTOMS)),
            answers("Unverändert beim Zoll."),
            user("Immer noch?? Schau bitte nochmal."),
            asks(call("track_dhl", {"trackingNumber": "JD014600011122233344", "language": "de"}, IN_CUSTOMS)),
            answers("Ja, leider. Am schnellsten hilft es, wenn der Absender DHL eine berichtigte Rechnung schickt."),
        ),
        failing=(),
        why="one look-up a turn, each because the customer asked again; the mistake is in the invoice",
    ),
    Story(
        "tenth_logistics_freezer_read_three_times",
        "genai_events",
        COLD,
        (
            user("Meet cel 4 drie keer met een paar minuten ertussen en zeg of hij stabiel is."),
            asks(
                call("read_temperature", {"sensor_id": "cel-4"}, {"sensor": "cel-4", "celsius": -18.4, "fault": False})
            ),
            pause(120),
            asks(
                call("read_temperature", {"sensor_id": "cel-4"}, {"sensor": "cel-4", "celsius": -18.4, "fault": False})
            ),
            pause(120),
            asks(
                call("read_temperature", {"sensor_id": "cel-4"}, {"sensor": "cel-4", "celsius": -18.4, "fault": False})
            ),
            answers("Cel 4 is stabiel: drie keer −18,4 °C."),
        ),
        failing=(),
        why="a sensor, read three times because the user asked for it",
    ),
    Story(
        "tenth_logistics_rates_and_points_in_circles",
        "vercel_ai",
        PICKUP_POINTS,
        (
            user("Najtańsza przesyłka do punktu przy 00-950, 800 g, z 30-001."),
            *repeat_calls(
                5,
                call(
                    "list_rates",
                    {"from_zip": "30-001", "to_zip": "00-950", "weight_g": 800},
                    [
                        {"carrier": "inpost", "service": "paczkomat_a", "price": 13.99, "currency": "PLN"},
                        {"carrier": "dpd", "service": "pickup", "price": 12.49, "currency": "PLN"},
                    ],
                ),
                call(
                    "list_service_points",
                    {"zip": "00-950", "carrier": "dpd", "radius_m": 1000},
                    [{"id": "PL11208", "name": "Żabka Nowogrodzka", "distance_m": 310, "open_now": True}],
                ),
            ),
            answers("Najtaniej DPD Pickup za 12,49 zł, punkt Żabka Nowogrodzka, 310 m od 00-950."),
        ),
        failing=("tool_efficiency",),
        why="rates and points were fetched five times in turn, always with the same results",
    ),
    Story(
        "tenth_logistics_pickup_with_gate_code",
        "openllmetry",
        PICKUP,
        (
            user("Pick up 3 parcels tomorrow morning (June 13) at 12 Quay Rd, Bristol BS1 4RW, gate code 4471#."),
            asks(
                call(
                    "schedule_pickup",
                    {
                        "address": {"street": "12 Quay Rd", "city": "Bristol", "zip": "BS1 4RW", "country": "GB"},
                        "date": "2026-06-13",
                        "window": "08-12",
                        "parcels": 3,
                        "gate_code": "4471#",
                    },
                    {"confirmation": "PRG260613009951", "status": "scheduled", "errors": []},
                )
            ),
            answers(
                "The pickup is scheduled for June 13 between 8 and 12 (PRG260613009951), and the driver has the gate code."
            ),
        ),
        failing=("tool_call_validity",),
        why="gate_code is no property of the tool, which allows no others; the driver never gets it",
    ),
    Story(
        "tenth_logistics_courier_never_booked",
        "genai",
        COURIER,
        (
            user("Book a bike from Rua Augusta 10 to Praça do Comércio 1, right away."),
            asks(
                call(
                    "quote_courier",
                    {"pickup": "Rua Augusta 10", "dropoff": "Praça do Comércio 1", "vehicle": "bike"},
                    {
                        "quote_id": "q_9917",
                        "price": {"amount": 6.9, "currency": "EUR"},
                        "eta_minutes": 18,
                        "expires_in": 300,
                    },
                )
            ),
            asks(unanswered("book_courier", {"quote_id": "q_9917"})),
        ),
        failing=("run_completion",),
        why="the booking was requested and never executed, and the user got no answer",
    ),
    Story(
        "tenth_logistics_one_container_timed_out",
        "openinference",
        FLEET,
        (
            user("Status of MSKU1234565, TGHU7654321, CMAU0001112 and HLXU4455667?"),
            asks(
                call(
                    "track_container",
                    {"container": "MSKU1234565"},
                    {"container": "MSKU1234565", **ON_WATER, "eta": "2026-06-19"},
                ),
                call(
                    "track_container",
                    {"container": "TGHU7654321"},
                    fault=Fault(
                        "httpx.ReadTimeout",
                        "The read operation timed out",
                        "An error occurred while running the tool. Please try again. Error: The read operation timed out",
                    ),
                    ms=30000,
                ),
                call(
                    "track_container",
                    {"container": "CMAU0001112"},
                    {"container": "CMAU0001112", **ON_WATER, "eta": "2026-06-22"},
                ),
                call(
                    "track_container",
                    {"container": "HLXU4455667"},
                    {"container": "HLXU4455667", **ON_WATER, "eta": "2026-07-01"},
                ),
            ),
            asks(
                call(
                    "track_container",
                    {"container": "TGHU7654321"},
                    {
                        "container": "TGHU7654321",
                        "status": "DISCHARGED",
                        "delay_days": 2,
                        "exceptions": [],
                        "eta": None,
                    },
                )
            ),
            answers("Three are on the water (June 19, June 22, July 1). TGHU7654321 was discharged two days late."),
        ),
        failing=(),
        why="one of four look-ups timed out and was repeated with success",
    ),
)
