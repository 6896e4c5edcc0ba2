"""Insurance, banks and energy suppliers."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, pause, repeat_calls, tool, unanswered, user

__all__ = ["STORIES"]

POLICY = tool("get_policy", "Look up a policy", policy_number="string")
CLAIM = tool(
    "create_claim",
    "Open a first notice of loss",
    policy_number="string",
    loss_date={"type": "string", "format": "date"},
    loss_type=["collision", "hail", "theft", "glass"],
    description="string",
    injuries="boolean?",
)
APPRAISER = tool("assign_appraiser", "Assign an appraiser to a claim", claim_id="string", zip="string")
FNOL = Agent("fnol_intake", (POLICY, CLAIM, APPRAISER), "You take first notices of loss for a motor insurer.", "gpt-4o")

WORDING = tool("get_policy_document", "The wording of a policy, by section", policy_number="string", section="string")
LETTER = Agent("claims_letter_writer", (POLICY, WORDING), "You draft letters to policy holders.", "gpt-4o-mini")

BALANCE = tool("accounts_balance_get", "Balances of an item", access_token="string")
ITEMS = tool("list_linked_items", "Linked bank connections of a customer", customer_id="string")
PLAID = Agent(
    "cashflow_assistant", (ITEMS, BALANCE), "You answer questions on linked accounts.", "claude-sonnet-4-5", "anthropic"
)

SCREEN = tool(
    "screen_party", "Screen a party against sanction lists", name="string", country="string", birth_year="integer?"
)
KYC = Agent("kyc_screening", (SCREEN,), "You screen new customers.", "gpt-4.1")

REPORT = tool("start_consumption_report", "Start a report", meter_id="string", month="string")
STATUS = tool("get_report_status", "Status of a report job", job_id="string")
METER = Agent("meter_data_agent", (REPORT, STATUS), "You answer questions on meter data.", "gpt-4.1-mini")

IBAN = tool("validate_iban", "Prüft eine IBAN", iban="string")
MANDATE = tool("create_sepa_mandate", "Legt ein SEPA-Mandat an", iban="string", holder="string")
SEPA = Agent(
    "sepa_assistent",
    (IBAN, MANDATE),
    "Du hilfst Kunden der Stadtwerke beim SEPA-Mandat.",
    "mistral-large-latest",
    "mistral_ai",
)

INTENTS = tool("list_payment_intents", "List payment intents", customer="string", limit="integer?")
REFUND = tool("create_refund", "Refund a payment intent", payment_intent="string", amount="integer?")
STRIPE = Agent(
    "billing_support", (INTENTS, REFUND), "You support customers with billing.", "claude-sonnet-4-5", "anthropic"
)

LIMIT = tool(
    "request_limit_increase", "Ask for a higher card limit", card_id="string", new_limit="number", reason="string"
)
CARD = tool("get_card", "A card", card_id="string")
CARDS = Agent(
    "card_services", (CARD, LIMIT), "You serve holders of credit cards. Increases above 5,000 need a person.", "gpt-4.1"
)

TARIFF = tool(
    "comparar_tarifas",
    "Compara tarifas de luz",
    codigo_postal="string",
    potencia_kw="number",
    consumo_anual_kwh="integer",
)
LUZ = Agent("asesor_luz", (TARIFF,), "Asesoras a hogares sobre tarifas eléctricas.", "gpt-4o-mini")

OUTAGE = tool("get_outages", "Known outages of a postcode", postcode="string")
GRID = Agent("outage_line", (OUTAGE,), "You tell customers about power outages.", "gpt-4.1-nano")

STORIES = (
    Story(
        "eighth_money_fnol_hail",
        "openinference",
        FNOL,
        (
            user("Hail wrecked my Golf last night, policy KF-2291-0047. Nobody hurt. I live in 80331."),
            asks(
                call(
                    "get_policy",
                    {"policy_number": "KF-2291-0047"},
                    {
                        "policyNumber": "KF-2291-0047",
                        "status": "IN_FORCE",
                        "product": "Casco Plus",
                        "deductible": {"partial": 150, "full": 300},
                        "lapseReason": None,
                        "openItems": [],
                        "errors": [],
                        "lastPaymentFailed": False,
                    },
                )
            ),
            asks(
                call(
                    "create_claim",
                    {
                        "policy_number": "KF-2291-0047",
                        "loss_date": "2025-06-03",
                        "loss_type": "hail",
                        "description": "Hail damage to bonnet, roof and rear window",
                        "injuries": False,
                    },
                    {
                        "claimId": "SCH-88120934",
                        "state": "OPENED",
                        "validationErrors": [],
                        "fraudScore": {"value": 0.04, "error": None},
                        "_links": {"self": {"href": "/claims/SCH-88120934"}},
                    },
                )
            ),
            asks(
                call(
                    "assign_appraiser",
                    {"claim_id": "SCH-88120934", "zip": "80331"},
                    {"appraiser": "Gutachterbüro Lindner", "slot": "2025-06-06T09:30:00+02:00", "failedAttempts": 0},
                )
            ),
            answers(
                "Your claim SCH-88120934 is open. Gutachterbüro Lindner looks at the car on Friday, June 6, at 9:30. Your deductible is 150 euros."
            ),
        ),
        failing=(),
        why="every call worked; its error fields are null, empty, false or 0",
    ),
    Story(
        "eighth_money_plaid_login_required",
        "genai",
        PLAID,
        (
            user("How much is in my Platypus checking account right now?"),
            asks(
                call(
                    "list_linked_items",
                    {"customer_id": "cus_7710"},
                    [
                        {
                            "item_id": "Ed6bjNrDLJfGvZWwnkQlfxwoNz54B5C97ejBr",
                            "institution": "First Platypus Bank",
                            "access_token": "access-production-4f3c",
                        }
                    ],
                )
            ),
            asks(
                call(
                    "accounts_balance_get",
                    {"access_token": "access-production-4f3c"},
                    {
                        "display_message": None,
                        "documentation_url": "https://plaid.com/docs/?ref=error#item-errors",
                        "error_code": "ITEM_LOGIN_REQUIRED",
                        "error_message": "the login details of this item have changed (credentials, MFA, or required user action) and a user login is required to update this information. use Link's update mode to restore the item to a good state",
                        "error_type": "ITEM_ERROR",
                        "request_id": "m8MDnv9okwxFNBV",
                        "suggested_action": None,
                    },
                )
            ),
            answers(
                "I can't read the balance because your bank wants you to log in again. Please reconnect First Platypus Bank under Settings > Linked accounts."
            ),
        ),
        failing=("tool_error",),
        why="the balance was refused with ITEM_LOGIN_REQUIRED and never read",
    ),
    Story(
        "eighth_money_sanctions_clear",
        "genai_events",
        KYC,
        (
            user("Screen Ingrid Fehlmann (CH, 1961) and her company Fehlmann Error Analytics GmbH (DE)."),
            asks(
                call(
                    "screen_party",
                    {"name": "Ingrid Fehlmann", "country": "CH", "birth_year": 1961},
                    {
                        "query": {"name": "Ingrid Fehlmann"},
                        "total": {"value": 0, "relation": "eq"},
                        "results": [],
                        "status": 200,
                    },
                ),
                call(
                    "screen_party",
                    {"name": "Fehlmann Error Analytics GmbH", "country": "DE"},
                    {
                        "query": {"name": "Fehlmann Error Analytics GmbH"},
                        "total": {"value": 0, "relation": "eq"},
                        "results": [],
                        "status": 200,
                    },
                ),
            ),
            answers("Neither party matches a sanction list. You can go on with onboarding."),
        ),
        failing=(),
        why="no match is the result; the status is 200 and the name only sounds like an error",
    ),
    Story(
        "eighth_money_wording_read_again_and_again",
        "vercel_ai",
        LETTER,
        (
            user("Is water damage by a burst aquarium covered by HH-55310? Quote the clause."),
            asks(
                call(
                    "get_policy",
                    {"policy_number": "HH-55310"},
                    {"policyNumber": "HH-55310", "product": "Home Comfort", "status": "IN_FORCE"},
                )
            ),
            *repeat_calls(
                5,
                call(
                    "get_policy_document",
                    {"policy_number": "HH-55310", "section": "water"},
                    "4. Water. We pay for damage by water that escapes from pipes, heating and appliances that are connected to them. See section 9 for exclusions.",
                ),
            ),
            answers(
                "Section 4 covers pipes, heating and connected appliances. An aquarium is not one of these, so it depends on the exclusions in section 9."
            ),
        ),
        failing=("tool_efficiency",),
        why="the same section was read five times in a row with the same text",
    ),
    Story(
        "eighth_money_meter_report_polled",
        "pydantic_ai",
        METER,
        (
            user("What did meter 1EMH0011223344 use in October?"),
            asks(
                call(
                    "start_consumption_report",
                    {"meter_id": "1EMH0011223344", "month": "2025-10"},
                    {"job_id": "rpt-6641", "state": "QUEUED"},
                )
            ),
            asks(call("get_report_status", {"job_id": "rpt-6641"}, {"job_id": "rpt-6641", "state": "RUNNING"})),
            pause(10),
            asks(call("get_report_status", {"job_id": "rpt-6641"}, {"job_id": "rpt-6641", "state": "RUNNING"})),
            pause(10),
            asks(call("get_report_status", {"job_id": "rpt-6641"}, {"job_id": "rpt-6641", "state": "RUNNING"})),
            pause(10),
            asks(
                call(
                    "get_report_status",
                    {"job_id": "rpt-6641"},
                    {"job_id": "rpt-6641", "state": "SUCCEEDED", "kwh": 287.4, "substitute_values": 3},
                )
            ),
            answers("Your meter counted 287.4 kWh in October; three quarter hours were estimated."),
        ),
        failing=(),
        why="polling of a report that came to an end",
    ),
    Story(
        "eighth_money_iban_ungueltig",
        "openllmetry",
        SEPA,
        (
            user("Bitte bucht ab jetzt ab: DE89 3704 0044 0532 0130 01, Karin Wolf."),
            asks(
                call(
                    "validate_iban",
                    {"iban": "DE89370400440532013001"},
                    {
                        "valid": False,
                        "checks": {"length": "ok", "structure": "ok", "checksum": "failed"},
                        "errors": ["Prüfziffer stimmt nicht (modulo 97)"],
                    },
                )
            ),
            answers(
                "Diese IBAN hat eine falsche Prüfziffer, vermutlich ein Tippfehler am Ende. Können Sie sie noch einmal abschreiben?"
            ),
        ),
        failing=(),
        why="the validator did its work and found a wrong check digit; the agent asked back",
    ),
    Story(
        "eighth_money_refund_already_refunded",
        "genai",
        STRIPE,
        (
            user("cus_QnW31 was charged twice for October, please refund the second one"),
            asks(
                call(
                    "list_payment_intents",
                    {"customer": "cus_QnW31", "limit": 5},
                    [
                        {
                            "id": "pi_3PqA1",
                            "amount": 2900,
                            "currency": "eur",
                            "status": "succeeded",
                            "last_payment_error": None,
                        },
                        {
                            "id": "pi_3PqB7",
                            "amount": 2900,
                            "currency": "eur",
                            "status": "succeeded",
                            "last_payment_error": None,
                        },
                    ],
                )
            ),
            asks(
                call(
                    "create_refund",
                    {"payment_intent": "pi_3PqB7"},
                    {
                        "content": [
                            {
                                "type": "text",
                                "text": "Failed to create refund: Charge ch_3PqB7vK has already been refunded.",
                            }
                        ],
                        "isError": True,
                    },
                )
            ),
            answers(
                "The second charge had already been refunded, so I couldn't refund it again. It can take five to ten days to show on the statement."
            ),
        ),
        failing=("tool_error",),
        why="the refund came back with isError, and no other refund worked",
    ),
    Story(
        "eighth_money_letter_filtered",
        "vercel_ai",
        LETTER,
        (
            user("Draft the letter that explains to Mr. Oduya why the injury claim under KF-7710 is limited."),
            asks(
                call(
                    "get_policy",
                    {"policy_number": "KF-7710"},
                    {"policyNumber": "KF-7710", "product": "Personal Accident", "limits": {"dismemberment": 40000}},
                )
            ),
            answers("Dear Mr. Oduya,\n\nwe are very sorry for", "content_filter"),
        ),
        failing=("run_completion",),
        why="the letter was cut off by the content filter after its first line",
    ),
    Story(
        "eighth_money_limit_waits_for_person",
        "pydantic_ai",
        CARDS,
        (
            user("Raise the limit of card_551 to 8,000, I'm furnishing a flat."),
            asks(
                call(
                    "get_card",
                    {"card_id": "card_551"},
                    {"id": "card_551", "limit": 3000.0, "blocked": False, "declined_last_30d": 2},
                )
            ),
            asks(
                call(
                    "request_limit_increase",
                    {"card_id": "card_551", "new_limit": 8000, "reason": "furnishing a flat"},
                    {
                        "request_id": "LIM-20931",
                        "state": "PENDING_APPROVAL",
                        "approver": "credit-desk",
                        "decision": None,
                    },
                )
            ),
            answers(
                "I've sent request LIM-20931 to our credit desk. A colleague decides by tomorrow evening and you get a message."
            ),
        ),
        failing=(),
        why="the request was filed and waits for a person, as the rules of the bank ask",
    ),
    Story(
        "eighth_money_tarifa_numero_como_texto",
        "openinference",
        LUZ,
        (
            user("Vivo en el 46021, tengo 3,45 kW contratados y gasto unos 2400 kWh al año. ¿Qué tarifa me conviene?"),
            asks(
                call(
                    "comparar_tarifas",
                    {"codigo_postal": "46021", "potencia_kw": "3.45", "consumo_anual_kwh": 2400},
                    {
                        "ofertas": [
                            {"comercializadora": "Luz Clara", "tarifa": "Fija 24h", "coste_anual": 512.3},
                            {"comercializadora": "Valencia Energía", "tarifa": "2.0TD", "coste_anual": 498.77},
                        ],
                        "errores": [],
                    },
                )
            ),
            answers(
                "La 2.0TD de Valencia Energía le saldría por unos 498,77 € al año, 13,53 € menos que la fija de Luz Clara."
            ),
        ),
        failing=(),
        why='"3.45" converts to the number without loss, and the comparison worked',
    ),
    Story(
        "eighth_money_outage_model_call_only",
        "openinference",
        GRID,
        (
            user("Power's out at EH6 7AB, do you know why?"),
            asks(unanswered("get_outages", {"postcode": "EH6 7AB"})),
        ),
        failing=(),
        why="a single model call without an agent around it: whoever made it runs the tool elsewhere",
        agent_span="none",
    ),
)
