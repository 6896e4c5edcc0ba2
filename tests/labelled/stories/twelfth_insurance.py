"""Policies, claims, brokers and actuaries."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import (
    Agent,
    Fault,
    Story,
    answers,
    asks,
    call,
    crashes,
    model_fails,
    pause,
    repeat_calls,
    tool,
    user,
)

__all__ = ["STORIES"]

QUOTE = tool(
    "acord_auto_quote",
    "Send a PersAutoPolicyQuoteInqRq",
    carrier="string",
    vin="string",
    driver_dob="string",
    zip="string",
)
BROKER = Agent("auto_broker", (QUOTE,), "You compare quotes for motor insurance.", "gpt-4.1")

VEHICLE = tool(
    "pc_add_business_vehicle", "Add a vehicle to a submission", submission_id="string", vin="string", cost_new="number"
)
REVISE = tool("pc_new_version", "Create a new draft version of a submission", submission_id="string")
UNDERWRITER = Agent("fleet_underwriter", (VEHICLE, REVISE), "You work in PolicyCenter.", "gpt-4o")

LOSS = tool(
    "cc_create_claim",
    "Create a claim in ClaimCenter",
    policy_number="string",
    loss_cause=["fire", "burglary", "waterdamage", "windstorm", "glassbreakage"],
    loss_date="string",
    reported_by={"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
)
CLAIMS = Agent("claims_intake", (LOSS,), "Prijmate hlaseni skod.", "gpt-4.1-mini")

PHOTO = tool("get_claim_photos", "Photos attached to a claim", claim_number="string")
ESTIMATE = tool("estimate_damage", "Estimate damage from photos", photo_ids="string[]")
SURVEYOR = Agent("photo_surveyor", (PHOTO, ESTIMATE), "Du schätzt Schäden anhand von Fotos.", "gpt-4o")

RETRIEVE = tool(
    "search_handbook", "Search the handbook of the business continuity team", query="string", top_k="integer?"
)
CYBER = Agent("cyber_policy_qa", (RETRIEVE,), "You answer from the handbook only.", "gpt-4.1")

VALIDATE = tool("validate_acord_xml", "Validate a message against the ACORD schema", xml="string")
EDI = Agent("edi_assistant", (VALIDATE,), "You prepare ACORD messages.", "gpt-4.1")

RESERVE = tool("reserve_analyst", "Ask the reserve analyst", question="string")
TRIANGLE = tool("load_triangle", "Load a loss triangle", line="string", as_of="string")
ANALYST = Agent("reserve_analyst", (TRIANGLE,), "You compute reserves.", "gpt-4.1")
CFO = Agent("cfo_briefing", (RESERVE,), "You brief the CFO.", "gpt-4.1")

SQL = tool("sqlite_query", "Run a SELECT on the portfolio database", sql="string")
ACTUARY = Agent("actuary", (SQL,), "You answer questions on the portfolio.", "gpt-4.1")

ADJUSTERS = tool(
    "find_adjusters", "Find adjusters near a place", postcode="string", specialty=["hail", "fire", "water"]
)
DISPATCH = Agent("adjuster_dispatch", (ADJUSTERS,), "You find adjusters.", "gpt-4.1-nano")

PAYMENTS = tool("list_payments", "Payments of a claim", claim_number="string")
AUDIT = Agent("payment_auditor", (PAYMENTS,), "Du prüfst Auszahlungen.", "gpt-4.1-mini")

PAID = (
    "payment_id;payee;amount;status;void_reason\n"
    "P-1;Autohaus Kern;1840,00;cleared;\n"
    "P-2;Autohaus Kern;1840,00;voided;duplicate entered in error\n"
    "P-3;Gutachter Thoma;312,50;cleared;\n"
)

STORIES = (
    Story(
        "twelfth_insurance_acord_carrier_times_out",
        "openllmetry",
        BROKER,
        (
            user("Quote my 2022 Civic with Granite Mutual: VIN 2HGFE2F50NH500001, born 1988-05-02, ZIP 05401."),
            asks(
                call(
                    "acord_auto_quote",
                    {
                        "carrier": "granite-mutual",
                        "vin": "2HGFE2F50NH500001",
                        "driver_dob": "1988-05-02",
                        "zip": "05401",
                    },
                    '<?xml version="1.0" encoding="UTF-8"?><ACORD><SignonRs><Status><StatusCd>0</StatusCd><StatusDesc>OK</StatusDesc></Status></SignonRs><InsuranceSvcRs><RqUID>5f1d0c9a</RqUID><PersAutoPolicyQuoteInqRs><MsgStatus><MsgStatusCd>SystemError</MsgStatusCd><MsgStatusDesc>Connection Timed Out.</MsgStatusDesc><ExtendedStatus><ExtendedStatusCd>SystemError</ExtendedStatusCd><ExtendedStatusDesc>Rating engine did not respond within 30000 ms</ExtendedStatusDesc></ExtendedStatus></MsgStatus></PersAutoPolicyQuoteInqRs></InsuranceSvcRs></ACORD>',
                )
            ),
            answers(
                "Granite Mutual's rating system doesn't respond right now, so I have no quote for you yet. Shall I try later?"
            ),
        ),
        failing=("tool_error",),
        why="sign-on was OK, but the quote came back as a SystemError and was not repeated",
    ),
    Story(
        "twelfth_insurance_locked_branch_revised",
        "genai_events",
        UNDERWRITER,
        (
            user("Add the new Sprinter (WDB9066331S000001, 41,900) to submission 0000047112."),
            asks(
                call(
                    "pc_add_business_vehicle",
                    {"submission_id": "0000047112", "vin": "WDB9066331S000001", "cost_new": 41900},
                    {
                        "status": 400,
                        "errorCode": "gw.api.rest.exceptions.BadInputException",
                        "userMessage": "Cannot add new BusinessVehicle to collection business-vehicles",
                        "details": [{"message": "Cannot modify locked branch", "properties": {}}],
                    },
                )
            ),
            asks(
                call(
                    "pc_new_version",
                    {"submission_id": "0000047112"},
                    {"data": {"attributes": {"id": "pc:47112-2", "jobStatus": {"code": "Draft", "name": "Draft"}}}},
                )
            ),
            asks(
                call(
                    "pc_add_business_vehicle",
                    {"submission_id": "0000047112", "vin": "WDB9066331S000001", "cost_new": 41900.0},
                    {
                        "data": {
                            "attributes": {
                                "id": "3",
                                "vin": "WDB9066331S000001",
                                "costNew": {"amount": "41900.00", "currency": "usd"},
                            },
                            "checksum": "0",
                        }
                    },
                )
            ),
            answers("The quoted version was locked, so I opened a new draft and added the Sprinter as vehicle 3."),
        ),
        failing=(),
        why="the locked branch was made good with a new draft, in which the vehicle was added",
    ),
    Story(
        "twelfth_insurance_cause_not_in_enum",
        "pydantic_ai",
        CLAIMS,
        (
            user("Včera v noci nám do sklepa natekla voda, smlouva HH-880213, Jana Novotná."),
            asks(
                call(
                    "cc_create_claim",
                    {
                        "policy_number": "HH-880213",
                        "loss_cause": "flood",
                        "loss_date": "2026-09-13",
                        "reported_by": {"name": "Jana Novotná"},
                    },
                    {
                        "data": {
                            "attributes": {
                                "claimNumber": "000-00-041177",
                                "lossCause": {"code": "other", "name": "Other"},
                                "state": {"code": "open"},
                                "warnings": [],
                            }
                        }
                    },
                )
            ),
            answers("Škodu jsem nahlásila pod číslem 000-00-041177. Ozve se vám likvidátor."),
        ),
        failing=("tool_call_validity",),
        why="'flood' is not a loss cause of the schema; the system took it as 'other'",
    ),
    Story(
        "twelfth_insurance_estimate_still_running",
        "openinference",
        SURVEYOR,
        (
            user("Was kostet die Reparatur zu Schaden 26-3391?"),
            asks(
                call(
                    "get_claim_photos",
                    {"claim_number": "26-3391"},
                    {
                        "claimNumber": "26-3391",
                        "photos": [{"id": "ph-1", "blurred": False}, {"id": "ph-2", "blurred": True}],
                        "uploadErrors": None,
                        "total": 2,
                    },
                )
            ),
            asks(
                call(
                    "estimate_damage",
                    {"photo_ids": ["ph-1", "ph-2"]},
                    {"parts": [{"part": "door_rear_left", "action": "repair", "eur": 640}], "confidence": 0.72},
                )
            ),
        ),
        failing=(),
        why="a partial run: the span of the agent has not ended yet, and what was exported so far worked",
        agent_span="open",
    ),
    Story(
        "twelfth_insurance_outage_clauses_retrieved",
        "openllmetry",
        CYBER,
        (
            user("From when do we count the waiting period if a cloud provider is down?"),
            asks(
                call(
                    "search_handbook",
                    {"query": "waiting period cloud outage contingent business interruption", "top_k": 3},
                    {
                        "content": [
                            {
                                "type": "text",
                                "text": "[1] cyber-bi-2026.pdf p. 14 (0.83)\nThe waiting period of 8 hours begins when the service first returns HTTP 503 Service Unavailable or the provider's status page states 'Major outage'.",
                            },
                            {
                                "type": "text",
                                "text": "[2] postmortem-2025-11-us-east.md (0.79)\n## Impact\nERROR: connection refused on all write paths. 41 % of requests failed. Claims portal: Internal Server Error (500) for 6 h 12 min.",
                            },
                            {
                                "type": "text",
                                "text": '[3] faq.md (0.71)\nQ: Our API returned {"error": "timeout"} for nine hours, are we covered? A: Yes, after the waiting period.',
                            },
                        ],
                        "isError": False,
                    },
                )
            ),
            answers(
                "The eight hours begin when the service first answers 503 or the provider's status page states a major outage (cyber-bi-2026, p. 14)."
            ),
        ),
        failing=(),
        why="the documents are about outages; the search worked",
    ),
    Story(
        "twelfth_insurance_schema_findings",
        "vercel_ai",
        EDI,
        (
            user(
                "Check this for me: <ClaimsSvcRq><RqUID>1</RqUID><ClaimsOccurrence><LossDt>13.09.2026</LossDt></ClaimsOccurrence></ClaimsSvcRq>"
            ),
            asks(
                call(
                    "validate_acord_xml",
                    {
                        "xml": "<ClaimsSvcRq><RqUID>1</RqUID><ClaimsOccurrence><LossDt>13.09.2026</LossDt></ClaimsOccurrence></ClaimsSvcRq>"
                    },
                    {
                        "valid": False,
                        "errorCount": 2,
                        "errors": [
                            {
                                "line": 1,
                                "column": 40,
                                "severity": "error",
                                "message": "cvc-datatype-valid.1.2.1: '13.09.2026' is not a valid value for 'date'.",
                            },
                            {
                                "line": 1,
                                "column": 18,
                                "severity": "error",
                                "message": "cvc-pattern-valid: Value '1' is not facet-valid with respect to pattern '[0-9a-fA-F]{8}-.*' for type 'UUID'.",
                            },
                        ],
                    },
                )
            ),
            answers(
                "Two findings: LossDt must be 2026-09-13, and RqUID has to be a UUID. The structure itself is fine."
            ),
        ),
        failing=(),
        why="the findings of a validator are its result, and the user asked for them",
    ),
    Story(
        "twelfth_insurance_reserve_analyst_dies",
        "genai_events",
        CFO,
        (
            user("What IBNR do we book for liability as of 30 June?"),
            asks(
                call(
                    "reserve_analyst",
                    {"question": "IBNR for general liability as of 2026-06-30"},
                    fault=Fault("UnexpectedModelBehavior", "Exceeded maximum retries (1) for output validation"),
                    agent=ANALYST,
                    steps=(
                        asks(
                            call(
                                "load_triangle",
                                {"line": "general_liability", "as_of": "2026-06-30"},
                                "origin,12,24,36\n2023,4.10,6.02,6.75\n2024,4.44,6.51,\n2025,4.90,,\n",
                            )
                        ),
                        crashes("UnexpectedModelBehavior", "Exceeded maximum retries (1) for output validation"),
                    ),
                )
            ),
            answers(
                "I could not get the figure; the reserve analyst broke down. Last quarter's IBNR is in the Q1 file."
            ),
        ),
        failing=("run_completion", "tool_error"),
        why="the run of the sub-agent ended in an exception, and with it the only call of it",
    ),
    Story(
        "twelfth_insurance_sql_column_corrected",
        "openinference",
        ACTUARY,
        (
            user("Average premium per product, please, active policies only."),
            asks(
                call(
                    "sqlite_query",
                    {"sql": "SELECT product, AVG(premium) FROM policies WHERE status='ACTIVE' GROUP BY product"},
                    "Error: in prepare, no such column: premium (1)",
                )
            ),
            asks(
                call(
                    "sqlite_query",
                    {"sql": "PRAGMA table_info(policies)"},
                    "cid|name|type|notnull|dflt_value|pk\n0|id|INTEGER|1||1\n1|product|TEXT|1||0\n2|gross_premium|REAL|1||0\n3|status|TEXT|1||0\n4|error_flag|INTEGER|0|0|0\n",
                )
            ),
            asks(
                call(
                    "sqlite_query",
                    {
                        "sql": "SELECT product, ROUND(AVG(gross_premium),2) FROM policies WHERE status='ACTIVE' GROUP BY product"
                    },
                    "product|ROUND(AVG(gross_premium),2)\nhome|312.4\nmotor|688.15\npet|201.9\n",
                )
            ),
            model_fails(
                "openai.APITimeoutError",
                "Request timed out.",
            ),
            pause(1.5),
            answers("Home 312.40, motor 688.15, pet 201.90."),
        ),
        failing=(),
        why="the wrong column was looked up and the query then worked; the model timed out once and then answered",
    ),
    Story(
        "twelfth_insurance_adjusters_over_and_over",
        "pydantic_ai",
        DISPATCH,
        (
            user("Who can look at hail damage near 3011 within 20 km?"),
            *repeat_calls(
                4,
                call(
                    "find_adjusters",
                    {"postcode": "3011", "specialty": "hail", "radius_km": 20},
                    [
                        {"name": "Expertises Favre", "postcode": "3012", "next_slot": "2026-09-18"},
                        {"name": "Keller Schaden AG", "postcode": "3098", "next_slot": "2026-09-22"},
                    ],
                ),
            ),
            answers("Expertises Favre (3012) on 18 September, or Keller Schaden AG (3098) on the 22nd."),
        ),
        failing=("tool_call_validity", "tool_efficiency"),
        why="the same search four times in a row with the same result, with a radius that the schema does not have",
    ),
    Story(
        "twelfth_insurance_payments_read_twice",
        "genai",
        AUDIT,
        (
            user("Wurde beim Schaden 26-1180 doppelt gezahlt?"),
            asks(call("list_payments", {"claim_number": "26-1180"}, PAID)),
            asks(call("list_payments", {"claim_number": "26-1180"}, PAID)),
            answers(
                "Nein: Die zweite Zahlung an Autohaus Kern (P-2) war eine Dublette und wurde storniert; ausgezahlt sind 1840,00 und 312,50 Euro."
            ),
        ),
        failing=(),
        why="one needless repeat is no loop; the error is in a column of the list",
    ),
)
