"""Books, payments, markets and statements."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, model_fails, repeat_calls, tool, user

__all__ = ["STORIES"]

BOOKS = Agent(
    "bookkeeper",
    (
        tool("qbo_find_customer", "Find a customer in QuickBooks Online", display_name="string"),
        tool(
            "qbo_create_invoice",
            "Create an invoice in QuickBooks Online",
            customer_id="string",
            doc_number="string",
            amount="number",
            description="string?",
        ),
    ),
    "You keep the books of a small studio.",
    "gpt-4.1",
)

STOCKS = Agent(
    "market_brief",
    (
        tool("TIME_SERIES_DAILY", "Daily prices of a share", symbol="string", outputsize="string?"),
        tool("GLOBAL_QUOTE", "Latest price of a share", symbol="string"),
    ),
    "You write short briefs on shares. You give no advice.",
    "gpt-4o",
)

WECHAT = Agent(
    "退款助手",
    (
        tool("query_order", "查询微信支付订单", out_trade_no="string"),
        tool(
            "refund",
            "申请微信支付退款",
            out_trade_no="string",
            out_refund_no="string",
            refund_fee="integer",
            total_fee="integer",
        ),
    ),
    "你负责处理商城的退款。",
    "qwen-plus",
    "alibaba",
)

SEPA = Agent(
    "receivables_agent",
    (
        tool("list_returned_debits", "Returned direct debits as CSV", from_date="string", to_date="string"),
        tool("get_mandate", "A mandate", mandate_id="string"),
    ),
    "You look after receivables.",
    "gpt-4.1-mini",
)

TREASURY = Agent(
    "treasury_agent",
    (
        tool("get_balance", "Balance of an account", account="string"),
        tool("get_fx_rate", "Reference rate of the ECB for a day", base="string", quote="string", date="string"),
        tool(
            "propose_swap", "Propose a swap of currencies", from_account="string", to_account="string", amount="number"
        ),
    ),
    "You prepare decisions of the treasury.",
    "gpt-4.1",
)

WISE = Agent(
    "payouts_agent",
    (
        tool("create_quote", "A quote of Wise", source="string", target="string", amount="number"),
        tool("fund_transfer", "Pay a transfer; a person has to approve", transfer_id="integer", quote_id="string"),
        tool("create_transfer", "Create a transfer", quote_id="string", recipient_id="integer", reference="string"),
    ),
    "You prepare payouts to freelancers.",
    "gpt-4.1",
)

STATEMENTS = Agent(
    "statement_reader",
    (tool("download_statement", "A statement as text", account_id="string", month="string"),),
    "You answer questions on statements of accounts.",
    "gpt-4o-mini",
)

SCANS = Agent(
    "invoice_reader",
    (
        tool("ocr_page", "Text of a page of a document", document_id="string", page="integer"),
        tool(
            "book_invoice",
            "Book an incoming invoice",
            supplier="string",
            number="string",
            gross="number",
            currency=["EUR", "CHF", "USD"],
        ),
    ),
    "You book incoming invoices.",
    "gpt-4o",
)

PORTFOLIO = Agent(
    "portfolio_chat",
    (
        tool("get_positions", "Positions of a depot", depot="string"),
        tool("get_orders", "Orders of a depot", depot="string"),
    ),
    "You answer questions on a depot.",
    "gpt-4o",
)

STORIES = (
    Story(
        "thirteenth_finance_invoice_number_taken",
        "openinference",
        BOOKS,
        (
            user("Invoice Bramble & Fox for the March retainer, 1,800, number 1041 or the next free one."),
            asks(
                call(
                    "qbo_find_customer",
                    {"display_name": "Bramble & Fox"},
                    {
                        "QueryResponse": {
                            "Customer": [{"Id": "58", "DisplayName": "Bramble & Fox", "Active": True}],
                            "maxResults": 1,
                        }
                    },
                )
            ),
            asks(
                call(
                    "qbo_create_invoice",
                    {"customer_id": "58", "doc_number": "1041", "amount": 1800, "description": "Retainer March"},
                    {
                        "Fault": {
                            "Error": [
                                {
                                    "Message": "Duplicate Document Number Error",
                                    "Detail": "Duplicate Document Number Error : You must specify a different number. This number has already been used. DocNumber=1041 is assigned to TxnType=Invoice with TxnId=211",
                                    "code": "6140",
                                    "element": "",
                                }
                            ],
                            "type": "ValidationFault",
                        },
                        "time": "2026-04-01T01:22:08.117-07:00",
                    },
                )
            ),
            asks(
                call(
                    "qbo_create_invoice",
                    {"customer_id": "58", "doc_number": "1042", "amount": 1800, "description": "Retainer March"},
                    {
                        "Invoice": {
                            "Id": "219",
                            "DocNumber": "1042",
                            "TotalAmt": 1800.0,
                            "Balance": 1800.0,
                            "SyncToken": "0",
                        },
                        "time": "2026-04-01T01:22:12.902-07:00",
                    },
                )
            ),
            answers("Number 1041 was taken, so the retainer is invoice 1042 over 1,800.00."),
        ),
        failing=(),
        why="the number was taken, and the next one was used with success, as the user wanted",
    ),
    Story(
        "thirteenth_finance_market_data_limit",
        "genai",
        STOCKS,
        (
            user("How did Siemens close this week?"),
            asks(
                call(
                    "TIME_SERIES_DAILY",
                    {"symbol": "SIE.DEX", "outputsize": "compact"},
                    {
                        "Information": "We have detected your API key as 7QX4XXXXXXXXPLM2 and our standard API rate limit is 25 "
                        "requests per day. Please subscribe to any of the premium plans at https://www.alphavantage.co/premium/ "
                        "to instantly remove all daily rate limits."
                    },
                )
            ),
            answers("Siemens closed the week slightly higher, in line with the wider market."),
        ),
        failing=("tool_error",),
        why="instead of prices there was only the notice that the daily limit is used up, and the answer is invented",
    ),
    Story(
        "thirteenth_finance_refund_refused_in_one_field",
        "genai_events",
        WECHAT,
        (
            user("请给订单 SH20260318007 全额退款。"),
            asks(
                call(
                    "query_order",
                    {"out_trade_no": "SH20260318007"},
                    "<xml><return_code><![CDATA[SUCCESS]]></return_code><return_msg><![CDATA[OK]]></return_msg><result_code>"
                    "<![CDATA[SUCCESS]]></result_code><trade_state><![CDATA[SUCCESS]]></trade_state><total_fee>12900</total_fee></xml>",
                )
            ),
            asks(
                call(
                    "refund",
                    {
                        "out_trade_no": "SH20260318007",
                        "out_refund_no": "RF20260318007",
                        "refund_fee": 12900,
                        "total_fee": 12900,
                    },
                    "<xml><return_code><![CDATA[SUCCESS]]></return_code>\n<return_msg><![CDATA[OK]]></return_msg>\n<mch_id>"
                    "<![CDATA[1500012345]]></mch_id>\n<nonce_str><![CDATA[dJFagwhW072NsSPg]]></nonce_str>\n<result_code>"
                    "<![CDATA[FAIL]]></result_code>\n<err_code><![CDATA[NOTENOUGH]]></err_code>\n<err_code_des>"
                    "<![CDATA[基本账户余额不足，请充值后重新发起]]></err_code_des>\n</xml>",
                )
            ),
            answers("订单 SH20260318007 的 129.00 元已全额退款，请留意到账通知。"),
        ),
        failing=("tool_error",),
        why="the refund was refused, result_code FAIL because of the balance, and the user is told that it was paid",
    ),
    Story(
        "thirteenth_finance_returned_debits_listed",
        "openllmetry",
        SEPA,
        (
            user("Which direct debits came back last week, and why?"),
            asks(
                call(
                    "list_returned_debits",
                    {"from_date": "2026-04-06", "to_date": "2026-04-12"},
                    "end_to_end_id;debtor;amount;currency;status;reason_code;reason\n"
                    "RE-5501;Petra Molnar;49.90;EUR;RJCT;AM04;InsufficientFunds\n"
                    "RE-5523;Kolibri GmbH;1190.00;EUR;RJCT;AC04;ClosedAccountNumber\n"
                    "RE-5530;Ivo Stanic;49.90;EUR;RJCT;MD06;RefundRequestByEndCustomer\n",
                )
            ),
            answers(
                "Three: Petra Molnar (49.90, not enough funds), Kolibri GmbH (1,190.00, account closed) and Ivo Stanic (49.90, "
                "asked his bank for the money back)."
            ),
        ),
        failing=(),
        why="the rejected debits are the content of the list that was asked for",
    ),
    Story(
        "thirteenth_finance_round_and_round",
        "vercel_ai",
        TREASURY,
        (
            user("Should we swap 200,000 USD into EUR today?"),
            *repeat_calls(
                4,
                call(
                    "get_balance",
                    {"account": "USD-01"},
                    {"account": "USD-01", "booked": 812440.17, "currency": "USD", "as_of": "2026-05-11"},
                ),
                call(
                    "get_fx_rate",
                    {"base": "EUR", "quote": "USD", "date": "2026-05-11"},
                    {"amount": 1.0, "base": "EUR", "date": "2026-05-11", "rates": {"USD": 1.1274}},
                ),
            ),
            answers(
                "The balance is 812,440.17 USD and the reference rate 1.1274. A swap would give about 177,400 EUR; the decision is yours."
            ),
        ),
        failing=("tool_efficiency",),
        why="balance and reference rate of the day were read four times in turn, with the same two results each time",
    ),
    Story(
        "thirteenth_finance_payout_waits_for_approval",
        "pydantic_ai",
        WISE,
        (
            user("Pay Aino Rantala 2,400 euro for invoice 118."),
            asks(
                call(
                    "create_quote",
                    {"source": "EUR", "target": "EUR", "amount": 2400},
                    {
                        "id": "11144c35-9fe8-4c32-b7fd-d05c2a7734bf",
                        "sourceCurrency": "EUR",
                        "status": "PENDING",
                        "notices": [],
                    },
                )
            ),
            asks(
                call(
                    "create_transfer",
                    {
                        "quote_id": "11144c35-9fe8-4c32-b7fd-d05c2a7734bf",
                        "recipient_id": 40000000,
                        "reference": "Invoice 118",
                    },
                    {
                        "id": 16521632,
                        "status": "incoming_payment_waiting",
                        "hasActiveIssues": False,
                        "targetValue": 2400.0,
                    },
                )
            ),
            asks(
                call(
                    "fund_transfer",
                    {"transfer_id": 16521632, "quote_id": "11144c35-9fe8-4c32-b7fd-d05c2a7734bf"},
                    deferral="ApprovalRequired",
                    is_answered=False,
                )
            ),
        ),
        failing=(),
        why="the payment waits for the approval of a person, as it should",
    ),
    Story(
        "thirteenth_finance_statement_after_bad_gateway",
        "vercel_ai",
        STATEMENTS,
        (
            user("What did we pay to Hetzner in February?"),
            asks(
                call(
                    "download_statement",
                    {"account_id": "acc_7731", "month": "2026-02"},
                    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n"
                    "<hr><center>nginx/1.24.0</center>\r\n</body>\r\n</html>\r\n",
                )
            ),
            asks(
                call(
                    "download_statement",
                    {"account_id": "acc_7731", "month": "2026-02"},
                    ":20:STARTUMSE\n:25:10010010/0987654321\n:28C:00002/001\n:60F:C260131EUR18422,10\n:61:2602040204DR61,87N005NONREF\n"
                    ":86:105?00FOLGELASTSCHRIFT?20Hetzner Online GmbH?21R0023311984\n:62F:C260228EUR18360,23\n-",
                )
            ),
            answers("61.87 euro, debited on 4 February (R0023311984)."),
        ),
        failing=(),
        why="the bad gateway was gone at the second try",
    ),
    Story(
        "thirteenth_finance_model_overloaded_once",
        "genai",
        STOCKS,
        (
            user("Latest price of ASML in Amsterdam?"),
            model_fails(
                "openai.RateLimitError",
                "Error code: 429 - {'error': {'message': 'Rate limit reached for gpt-4o in organization org-x on tokens per min "
                "(TPM): Limit 30000, Used 29411, Requested 1204. Please try again in 1.23s.', 'type': 'tokens', 'code': 'rate_limit_exceeded'}}",
            ),
            asks(
                call(
                    "GLOBAL_QUOTE",
                    {"symbol": "ASML.AMS"},
                    {
                        "Global Quote": {
                            "01. symbol": "ASML.AMS",
                            "05. price": "702.4000",
                            "07. latest trading day": "2026-05-08",
                            "10. change percent": "-1.2234%",
                        }
                    },
                )
            ),
            answers("ASML closed at 702.40 euro on 8 May, 1.22 percent lower."),
        ),
        failing=(),
        why="the call of the model was limited once and retried",
    ),
    Story(
        "thirteenth_finance_page_as_text",
        "openinference",
        SCANS,
        (
            user("Book the invoice on page 2 of scan d-5510."),
            asks(
                call(
                    "ocr_page",
                    {"document_id": "d-5510", "page": "2"},
                    "RECHNUNG Nr. 2026-0771\nMalerbetrieb Suter AG, Winterthur\nFehlerhafte Position 3 storniert\nTotal inkl. MWST "
                    "CHF 1'284.50\nzahlbar innert 30 Tagen",
                )
            ),
            asks(
                call(
                    "book_invoice",
                    {"supplier": "Malerbetrieb Suter AG", "number": "2026-0771", "gross": 1284.5, "currency": "CHF"},
                    "booked: voucher 88121",
                )
            ),
            answers("Booked: Malerbetrieb Suter AG, invoice 2026-0771, CHF 1,284.50 (voucher 88121)."),
        ),
        failing=(),
        why="the page was given as the text 2, which converts without loss, and the page was read",
    ),
    Story(
        "thirteenth_finance_nothing_said",
        "genai_events",
        PORTFOLIO,
        (
            user("¿Cuánto he perdido con mis acciones de Grifols este año?"),
            asks(
                call(
                    "get_positions",
                    {"depot": "ES-30118"},
                    {
                        "positions": [
                            {
                                "isin": "ES0171996087",
                                "name": "Grifols A",
                                "qty": 120,
                                "avgPrice": 10.42,
                                "last": 9.87,
                                "unrealised": -66.0,
                            }
                        ]
                    },
                )
            ),
            asks(call("get_orders", {"depot": "ES-30118"}, {"orders": [], "errors": []})),
            answers(""),
        ),
        failing=("run_completion",),
        why="positions and orders were read and then the answer was empty",
    ),
)
