"""Banks and payments: open banking, SOAP, disputes, statements, cards, fraud."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, pause, repeat_calls, tool, user

__all__ = ["STORIES"]

ACCOUNTS = tool("xs2a_accounts", "Accounts of a consent", consent_id="string", with_balance="boolean?")
TX = tool(
    "xs2a_transactions", "Transactions of an account", consent_id="string", account_id="string", date_from="string"
)
PFM = Agent("haushaltsbuch", (ACCOUNTS, TX), "Du hilfst beim Haushaltsbuch.", "mistral-large-latest", "mistral_ai")

HAVALE = tool("havale_sorgula", "Havale durumunu sorgular", referans_no="string")
SUBE = Agent("dijital_sube", (HAVALE,), "Bir bankanın dijital şube asistanısın.", "gpt-4o")

DISPUTES = tool("list_disputes", "List disputes", limit="integer?", charge="string?")
CHARGE = tool("retrieve_charge", "Retrieve a charge", charge="string")
DISPUTE = Agent(
    "dispute_analyst", (DISPUTES, CHARGE), "You analyse disputes of a merchant.", "claude-sonnet-4-5", "anthropic"
)

PAY = tool(
    "initiate_sepa_payment",
    "Initiates a SEPA credit transfer; the customer approves it in the app",
    debtor_iban="string",
    creditor_iban="string",
    creditor_name="string",
    amount="number",
    currency="string",
    purpose="string?",
)
PAYMENTS = Agent(
    "payment_assistant", (PAY,), "You prepare transfers; the customer approves each in the app.", "gpt-4.1"
)

STATEMENT = tool("export_statement", "Statement as CSV", account="string", month="string")
BOOKS = Agent("bookkeeper", (STATEMENT,), "You answer questions on statements.", "gpt-4.1-mini")

LOAN = tool("calculate_loan", "Rate of a loan", amount="number", months="integer", annual_rate="number?")
LOANS = Agent("asesor_prestamos", (LOAN,), "Calculas préstamos para clientes.", "gpt-4o-mini")

CASE = tool("get_fraud_case", "A case of the fraud desk", case_id="string")
FRAUD = Agent("fraud_desk", (CASE,), "You sum up fraud cases for the analysts.", "gpt-4o")

LIMITS = tool("get_card_limits", "Limits of a card", card_id="string")
CARDS = Agent("card_helper", (LIMITS,), "You answer questions of card holders.", "gpt-4.1-nano")

RATE = tool("fx_quote", "Quote from the treasury (gRPC)", sell="string", buy="string", amount="number")
FX = Agent("fx_desk", (RATE,), "You quote exchange rates.", "gpt-4.1-mini")

VERIFY = tool("verify_iban_owner", "التحقق من صاحب الحساب", iban="string", name="string")
BENEFICIARY = tool("get_beneficiary", "مستفيد محفوظ", beneficiary_id="string")
ARABIC = Agent("مساعد_التحويل", (VERIFY, BENEFICIARY), "أنت مساعد لعملاء البنك.", "gpt-4.1")

STORIES = (
    Story(
        "ninth_bank_consent_expired",
        "pydantic_ai",
        PFM,
        (
            user("Wofür habe ich im August am meisten ausgegeben? Einwilligung cns-8841."),
            asks(
                call(
                    "xs2a_accounts",
                    {"consent_id": "cns-8841", "with_balance": False},
                    {
                        "accounts": [
                            {
                                "resourceId": "3dc3d5b3-7023",
                                "iban": "AT611904300234573201",
                                "currency": "EUR",
                                "cashAccountType": "CACC",
                                "status": "enabled",
                            }
                        ]
                    },
                )
            ),
            asks(
                call(
                    "xs2a_transactions",
                    {"consent_id": "cns-8841", "account_id": "3dc3d5b3-7023", "date_from": "2026-08-01"},
                    {
                        "tppMessages": [
                            {
                                "category": "ERROR",
                                "code": "CONSENT_EXPIRED",
                                "text": "The consent was created by this TPP but has expired and needs to be renewed.",
                            }
                        ]
                    },
                )
            ),
            answers("Ich finde im August keine Umsätze auf diesem Konto."),
        ),
        failing=("tool_error",),
        why="the transactions were refused with CONSENT_EXPIRED; the answer takes it for no transactions",
    ),
    Story(
        "ninth_bank_soap_with_error_code_zero",
        "genai",
        SUBE,
        (
            user("HV-2026-77120 numaralı havalem ulaştı mı?"),
            asks(
                call(
                    "havale_sorgula",
                    {"referans_no": "HV-2026-77120"},
                    '<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>'
                    '<HavaleSorgulaResponse xmlns="http://tempuri.org/"><HavaleSorgulaResult><HataKodu>0</HataKodu><HataMesaji />'
                    '<Durum>TAMAMLANDI</Durum><Tutar>12500.00</Tutar><Doviz>TRY</Doviz><IadeNedeni xsi:nil="true" '
                    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" /></HavaleSorgulaResult></HavaleSorgulaResponse></soap:Body></soap:Envelope>',
                )
            ),
            answers("Evet, 12.500,00 TL tutarındaki havaleniz tamamlandı."),
        ),
        failing=(),
        why="the code of the error is 0 and its text is empty",
    ),
    Story(
        "ninth_bank_disputes_of_failed_charges",
        "vercel_ai",
        DISPUTE,
        (
            user("Why did we lose dp_1Q8kZ? Look at the charge as well."),
            asks(
                call(
                    "list_disputes",
                    {"limit": 3},
                    {
                        "object": "list",
                        "data": [
                            {
                                "id": "dp_1Q8kZ",
                                "object": "dispute",
                                "amount": 18900,
                                "currency": "usd",
                                "charge": "ch_3Q7aLm",
                                "reason": "fraudulent",
                                "status": "lost",
                                "evidence_details": {"has_evidence": False, "past_due": True, "submission_count": 0},
                            },
                            {
                                "id": "dp_1Q2bT",
                                "object": "dispute",
                                "amount": 4500,
                                "currency": "usd",
                                "charge": "ch_3Q1xYe",
                                "reason": "product_not_received",
                                "status": "under_review",
                            },
                        ],
                        "has_more": False,
                        "url": "/v1/disputes",
                    },
                )
            ),
            asks(
                call(
                    "retrieve_charge",
                    {"charge": "ch_3Q7aLm"},
                    {
                        "id": "ch_3Q7aLm",
                        "object": "charge",
                        "amount": 18900,
                        "disputed": True,
                        "failure_code": None,
                        "failure_message": None,
                        "outcome": {
                            "network_status": "approved_by_network",
                            "reason": "elevated_risk_level",
                            "risk_level": "elevated",
                            "risk_score": 71,
                            "seller_message": "Payment complete.",
                        },
                        "payment_method_details": {
                            "card": {
                                "checks": {"cvc_check": "fail", "address_postal_code_check": "fail"},
                                "three_d_secure": None,
                            }
                        },
                        "status": "succeeded",
                    },
                )
            ),
            answers(
                "You lost it because no evidence was submitted before the deadline. The charge was risky as well: score 71, CVC and postcode did not match, no 3-D Secure."
            ),
        ),
        failing=(),
        why="both reads worked; failed checks of the card and a lost dispute are what they tell",
    ),
    Story(
        "ninth_bank_transfer_waits_for_app",
        "openinference",
        PAYMENTS,
        (
            user(
                "Überweise 480 Euro Miete an Hausverwaltung Brandl, DE75512108001245126199, von meinem Konto DE02120300000000202051."
            ),
            asks(
                call(
                    "initiate_sepa_payment",
                    {
                        "debtor_iban": "DE02120300000000202051",
                        "creditor_iban": "DE75512108001245126199",
                        "creditor_name": "Hausverwaltung Brandl",
                        "amount": 480,
                        "currency": "EUR",
                        "purpose": "Miete",
                    },
                    {
                        "transactionStatus": "PDNG",
                        "paymentId": "1234-wertiq-983",
                        "scaStatus": "scaMethodSelected",
                        "psuMessage": "Bitte geben Sie die Zahlung in der App frei.",
                        "tppMessages": [],
                        "_links": {"scaStatus": {"href": "/v1/payments/1234-wertiq-983/authorisations/123auth"}},
                    },
                )
            ),
            answers(
                "Die Überweisung ist vorbereitet. Bitte geben Sie sie in Ihrer App frei, danach geht sie noch heute raus."
            ),
        ),
        failing=(),
        why="the payment is pending until the customer approves it in the app",
    ),
    Story(
        "ninth_bank_statement_with_returns",
        "openllmetry",
        BOOKS,
        (
            user("How many direct debits were returned in August and what did it cost us?"),
            asks(
                call(
                    "export_statement",
                    {"account": "GB29NWBK60161331926819", "month": "2026-08"},
                    "Date,Type,Description,Amount,Balance\n"
                    "03/08/2026,DD,UTILITY CO,-212.40,1980.11\n"
                    "05/08/2026,DD RETURN,PAYMENT FAILED - REFER TO PAYER,212.40,2192.51\n"
                    "05/08/2026,FEE,UNPAID ITEM FEE,-15.00,2177.51\n"
                    "19/08/2026,DD RETURN,ERROR IN MANDATE - NO INSTRUCTION,88.00,2265.51\n"
                    "19/08/2026,FEE,UNPAID ITEM FEE,-15.00,2250.51\n",
                )
            ),
            answers("Two direct debits were returned (£212.40 and £88.00); the fees came to £30.00."),
        ),
        failing=(),
        why="failed payments are lines of the statement that was read",
    ),
    Story(
        "ninth_bank_loan_with_number_as_text",
        "openinference",
        LOANS,
        (
            user("¿Cuánto pagaría al mes por 12500,50 € a 48 meses?"),
            asks(
                call(
                    "calculate_loan",
                    {"amount": "12500.50", "months": 48, "annual_rate": None},
                    {"monthly_payment": 292.61, "apr": 5.95, "total": 14045.28, "warnings": [], "error": None},
                )
            ),
            answers("Pagaría 292,61 € al mes (TAE 5,95 %), en total 14.045,28 €."),
        ),
        failing=(),
        why='"12500.50" converts to the number without loss and the call worked; null stands for an optional property',
    ),
    Story(
        "ninth_bank_fraud_summary_empty",
        "genai_events",
        FRAUD,
        (
            user("Sum up case FR-90112 for the 9 o'clock round."),
            asks(
                call(
                    "get_fraud_case",
                    {"case_id": "FR-90112"},
                    {
                        "case_id": "FR-90112",
                        "state": "OPEN",
                        "alerts": [{"rule": "VELOCITY_3DS", "hits": 14}, {"rule": "NEW_DEVICE", "hits": 2}],
                        "loss_eur": 0,
                        "customer_contacted": True,
                    },
                )
            ),
            answers(""),
        ),
        failing=("run_completion",),
        why="the model ended with an empty text: there is no summary",
    ),
    Story(
        "ninth_bank_limits_again_and_again",
        "vercel_ai",
        CARDS,
        (
            user("Can I take out 600 euros today with card_7Hq2?"),
            *repeat_calls(
                4,
                call(
                    "get_card_limits",
                    {"card_id": "card_7Hq2"},
                    {
                        "card_id": "card_7Hq2",
                        "atm_daily_limit": {"amount": 500, "currency": "EUR"},
                        "pos_daily_limit": {"amount": 2000, "currency": "EUR"},
                    },
                ),
            ),
            answers("No, your limit at cash machines is 500 euros a day. You can raise it in the app."),
        ),
        failing=("tool_efficiency",),
        why="the same limits were read four times in a row with the same result",
    ),
    Story(
        "ninth_bank_quote_after_unavailable",
        "pydantic_ai",
        FX,
        (
            user("What do I get for 20,000 SEK in CZK?"),
            asks(
                call(
                    "fx_quote",
                    {"sell": "SEK", "buy": "CZK", "amount": 20000},
                    fault=Fault(
                        "grpc._channel._InactiveRpcError",
                        '<_InactiveRpcError of RPC that terminated with:\n\tstatus = StatusCode.UNAVAILABLE\n\tdetails = "upstream connect error or disconnect/reset before headers. reset reason: connection timeout"\n>',
                    ),
                )
            ),
            pause(1),
            asks(
                call(
                    "fx_quote",
                    {"sell": "SEK", "buy": "CZK", "amount": 20000.0},
                    {"pair": "SEKCZK", "rate": 2.2114, "buy_amount": 44228.0, "valid_seconds": 30, "reject_reason": ""},
                )
            ),
            answers("44,228 CZK at a rate of 2.2114. The quote is good for 30 seconds."),
        ),
        failing=(),
        why="the service was unavailable once and gave the quote at the second call",
    ),
    Story(
        "ninth_bank_owner_check_broken_arabic",
        "genai_events",
        ARABIC,
        (
            user("أريد تحويل مبلغ إلى المستفيد رقم 17. هل الاسم مطابق لصاحب الحساب؟"),
            asks(
                call(
                    "get_beneficiary",
                    {"beneficiary_id": "17"},
                    {"id": "17", "name": "سامر الحداد", "iban": "AE070331234567890123456", "blocked": False},
                )
            ),
            asks(
                call(
                    "verify_iban_owner",
                    {"iban": "AE070331234567890123456", "name": "سامر الحداد"},
                    "خطأ في الخادم: تعذر الاتصال بخدمة التحقق، انتهت مهلة الطلب. يرجى المحاولة لاحقًا.",
                )
            ),
            answers("نعم، المستفيد سامر الحداد محفوظ لديك ويمكنك التحويل إليه."),
        ),
        failing=("tool_error",),
        why="the check of the owner ended in an error of the server (in Arabic) and was not repeated; the answer hides it",
    ),
)
