"""Homes: land registers, portals, Airtable and Sheets of agents, browsers, valuations."""
# ruff: noqa: E501

from __future__ import annotations

import json

from ..story import Agent, Story, answers, asks, call, pause, repeat_calls, tool, user

__all__ = ["STORIES"]

TITLE = tool("get_title_register", "Official copy of the register", title_number="string")
PRICE_PAID = tool("get_price_paid", "Price paid data", postcode="string", limit="integer?")
CONVEYANCER = Agent("conveyancing_aide", (TITLE, PRICE_PAID), "You read title registers for conveyancers.", "gpt-4.1")

LIST_RECORDS = tool(
    "list_records", "Airtable: records of a table", baseId="string", tableId="string", filterByFormula="string?"
)
CREATE_RECORD = tool("create_record", "Airtable: creates a record", baseId="string", tableId="string", fields="object")
AIRTABLE = Agent(
    "listing_desk", (LIST_RECORDS, CREATE_RECORD), "You keep the listings base.", "claude-sonnet-4-5", "anthropic"
)

ZILLOW = tool("property_zestimate", "Zestimate of an address", address="string")
ESTIMATOR = Agent("home_value_bot", (ZILLOW,), "You tell owners what their home is worth.", "gpt-4o-mini")

LISTINGS = tool(
    "search_listings",
    "Searches listings",
    city="string",
    price_max="number?",
    rooms_min="number?",
    features="string[]?",
    page="integer?",
)
FINDER = Agent("flat_finder", (LISTINGS,), "You find flats.", "gpt-4.1-nano")

GET_SHEET = tool("get_sheet_data", "Google Sheets: values", spreadsheet_id="string", sheet="string", range="string?")
UPDATE_CELLS = tool(
    "update_cells",
    "Google Sheets: writes values",
    spreadsheet_id="string",
    sheet="string",
    range="string",
    data={"type": "array", "items": {"type": "array"}},
)
RENT_ROLL = Agent("rent_roll_agent", (GET_SHEET, UPDATE_CELLS), "You keep the rent roll.", "gpt-4.1")

TICKETS = tool("list_maintenance_tickets", "Open tickets of a building", building="string")
SLACK = tool("slack_post_message", "Posts to Slack", channel_id="string", text="string", thread_ts="string?")
CARETAKER = Agent("caretaker_bot", (TICKETS, SLACK), "You coordinate repairs.", "gpt-4o-mini")

UNIT = tool("get_unit", "Data of a flat", unit_id="string")
EXPOSE = Agent("expose_writer", (UNIT,), "Du schreibst Exposés.", "gpt-4o")

NAVIGATE = tool("browser_navigate", "Opens an address", url="string")
CLICK = tool("browser_click", "Clicks", element="string", ref="string")
SNAPSHOT = tool("browser_snapshot", "Snapshot of the page")
PORTAL = Agent("portal_agent", (NAVIGATE, CLICK, SNAPSHOT), "You operate a portal for tenants.", "gpt-4.1")

ORDER = tool("order_valuation", "Orders a valuation", address="string", purpose=["sale", "mortgage", "insurance"])
ORDER_STATE = tool("get_valuation", "State of a valuation", valuation_id="string")
VALUER = Agent("valuation_agent", (ORDER, ORDER_STATE), "You order valuations.", "gpt-4.1-mini")

STORIES = (
    Story(
        "eleventh_property_title_with_restriction",
        "openinference",
        CONVEYANCER,
        (
            user("Anything in title TGL48120 that stops the sale? And what did neighbours sell for at SE15 4QN?"),
            asks(
                call(
                    "get_title_register",
                    {"title_number": "TGL48120"},
                    "A: Property Register\n1 (14.03.1998) The Freehold land shown edged with red on the plan: 14 Hollydene Road, London (SE15 4QN).\n"
                    "B: Proprietorship Register – Title absolute\n1 (02.09.2011) PROPRIETOR: AMARA OSEI\n2 (02.09.2011) RESTRICTION: No disposition of the registered "
                    "estate by the proprietor is to be registered without a written consent signed by the proprietor for the time being of the Charge dated 19 August 2011; "
                    "failing this the application is to be rejected.\nC: Charges Register\n1 (02.09.2011) REGISTERED CHARGE dated 19 August 2011.\n"
                    "NOTE: An error in the plan of 1998 was corrected on 3 May 2004.\nEnd of register",
                ),
                call(
                    "get_price_paid",
                    {"postcode": "SE15 4QN", "limit": 2},
                    "transaction_id,price,date,paon,street\n{8F1B2200-11A9},742500,2025-02-28,12,HOLLYDENE ROAD\n{91AC7781-42D0},689000,2024-07-11,19,HOLLYDENE ROAD\n",
                ),
            ),
            answers(
                "One thing: the restriction of 2011, you need the lender's consent or the charge must be paid off. Neighbours sold for 742,500 (2025) and 689,000 pounds (2024)."
            ),
        ),
        failing=(),
        why="register and prices were read; rejection and error stand in the text of the register",
    ),
    Story(
        "eleventh_property_airtable_price_as_text",
        "openllmetry",
        AIRTABLE,
        (
            user("Add Rua da Rosa 57 to the listings, 385 thousand euros, two bedrooms."),
            asks(
                call(
                    "create_record",
                    {
                        "baseId": "appQ3xLm81kZtW0Ae",
                        "tableId": "tblListings001abc",
                        "fields": {"Address": "Rua da Rosa 57", "Price": "385k EUR", "Bedrooms": 2},
                    },
                    {
                        "content": [
                            {
                                "type": "text",
                                "text": 'Airtable API Error: Unprocessable Entity. Response: {"error":{"type":"INVALID_VALUE_FOR_COLUMN","message":"Field \\"Price\\" cannot accept the provided value"}}',
                            }
                        ],
                        "isError": True,
                    },
                )
            ),
            asks(
                call(
                    "create_record",
                    {
                        "baseId": "appQ3xLm81kZtW0Ae",
                        "tableId": "tblListings001abc",
                        "fields": {"Address": "Rua da Rosa 57", "Price": 385000, "Bedrooms": 2},
                    },
                    {
                        "content": [
                            {
                                "type": "text",
                                "text": '{"id":"recV7a0PqT1yBn2cD","createdTime":"2026-05-19T11:20:03.000Z","fields":{"Address":"Rua da Rosa 57","Price":385000,"Bedrooms":2}}',
                            }
                        ],
                        "isError": False,
                    },
                )
            ),
            answers("Rua da Rosa 57 is in the listings: 385,000 euros, two bedrooms."),
        ),
        failing=(),
        why="the price was refused as a text and accepted as a number; the record was created",
    ),
    Story(
        "eleventh_property_zestimate_quota",
        "vercel_ai",
        ESTIMATOR,
        (
            user("What's my home at 1208 Juniper Ln, Boise worth?"),
            asks(
                call(
                    "property_zestimate",
                    {"address": "1208 Juniper Ln, Boise, ID 83702"},
                    {
                        "message": "You have exceeded the MONTHLY quota for Requests on your current plan, BASIC. Upgrade your plan at https://rapidapi.com/apimaker/api/zillow-com1"
                    },
                )
            ),
            answers("Homes like yours in the North End of Boise usually sell for 650,000 to 720,000 dollars."),
        ),
        failing=("tool_error",),
        why="the estimate was refused for the used-up quota, which stands only in the message; the answer is a guess",
    ),
    Story(
        "eleventh_property_price_not_a_number",
        "pydantic_ai",
        FINDER,
        (
            user("Find me a flat in Leipzig up to 400k with at least 3 rooms and a balcony."),
            asks(
                call(
                    "search_listings",
                    {"city": "Leipzig", "price_max": "400k", "rooms_min": 3, "features": ["balcony"]},
                    {
                        "total": 2,
                        "page": 1,
                        "listings": [
                            {"id": "L-1188", "title": "3-Zi. Südvorstadt", "price": 389000, "rooms": 3},
                            {"id": "L-2041", "title": "4-Zi. Plagwitz", "price": 515000, "rooms": 4},
                        ],
                    },
                )
            ),
            answers(
                "Two flats match: three rooms in Südvorstadt for 389,000 euros, and four rooms in Plagwitz for 515,000."
            ),
        ),
        failing=("tool_call_validity",),
        why='"400k" is no number, so the search went on without the limit and gave a flat that is too dear',
    ),
    Story(
        "eleventh_property_rent_roll_with_errors_in_cells",
        "genai",
        RENT_ROLL,
        (
            user("Bitte trag in der Mietliste die fehlerhaften Summen neu ein (Spalte D)."),
            asks(
                call(
                    "get_sheet_data",
                    {"spreadsheet_id": "1aBcQ9-rentroll", "sheet": "Mai", "range": "A1:D4"},
                    {
                        "spreadsheetId": "1aBcQ9-rentroll",
                        "valueRanges": [
                            {
                                "range": "Mai!A1:D4",
                                "majorDimension": "ROWS",
                                "values": [
                                    ["Einheit", "Kaltmiete", "Nebenkosten", "Summe"],
                                    ["WE 01", "820", "190", "#REF!"],
                                    ["WE 02", "745", "175", "920"],
                                    ["WE 03", "990", "#N/A", "#ERROR!"],
                                ],
                            }
                        ],
                    },
                )
            ),
            asks(
                call(
                    "update_cells",
                    {"spreadsheet_id": "1aBcQ9-rentroll", "sheet": "Mai", "range": "D2:D2", "data": [[1010]]},
                    {
                        "spreadsheetId": "1aBcQ9-rentroll",
                        "updatedRange": "Mai!D2",
                        "updatedRows": 1,
                        "updatedColumns": 1,
                        "updatedCells": 1,
                    },
                )
            ),
            answers("WE 01 steht jetzt mit 1010 €. Bei WE 03 fehlen die Nebenkosten (#N/A). Wie hoch sind sie?"),
        ),
        failing=(),
        why="the errors stand in the cells of the sheet, which was read and written; the agent asks for what is missing",
    ),
    Story(
        "eleventh_property_heating_error_posted",
        "genai_events",
        CARETAKER,
        (
            user("Post today's open tickets of Lindenhof 4 to the caretakers."),
            asks(
                call(
                    "list_maintenance_tickets",
                    {"building": "Lindenhof 4"},
                    [
                        {"id": 771, "status": "open", "text": "Heating shows error E7, ignition failed twice"},
                        {"id": 774, "status": "failed_visit", "text": "Plumber could not get in, door code invalid"},
                    ],
                )
            ),
            asks(
                call(
                    "slack_post_message",
                    {
                        "channel_id": "C07CARE",
                        "text": "Lindenhof 4: #771 heating error E7; #774 plumber could not get in, needs a new door code.",
                    },
                    {
                        "ok": True,
                        "channel": "C07CARE",
                        "ts": "1779190011.554119",
                        "warning": "missing_charset",
                        "response_metadata": {"warnings": ["missing_charset"]},
                    },
                )
            ),
            answers("Posted both tickets (#771 and #774) to the caretakers."),
        ),
        failing=(),
        why="the failures are those of the building; the message was posted, with a harmless warning",
    ),
    Story(
        "eleventh_property_expose_cut_off",
        "openinference",
        EXPOSE,
        (
            user("Schreib das Exposé für WE-2207, mit Lage, Ausstattung und Kosten."),
            asks(
                call(
                    "get_unit",
                    {"unit_id": "WE-2207"},
                    {
                        "unit_id": "WE-2207",
                        "address": "Parkstraße 8, Erfurt",
                        "area_m2": 84.5,
                        "rooms": 3,
                        "balcony": True,
                        "rent_cold": 890,
                        "service_charge": 210,
                    },
                )
            ),
            answers(
                "**Wohnen am Stadtpark**\n\nDiese helle Dreizimmerwohnung liegt ruhig und doch zentral in Erfurt.\n\n**Lage**\nDer Stadtpark beginnt vor der Haustür, die Altstadt erreichen Sie in acht Minuten.\n\n**Ausstattung**\nAuf 84,5 m² erwarten Sie ein",
                "length",
            ),
        ),
        failing=("run_completion",),
        why="the text was cut off by the limit of tokens, before the costs",
    ),
    Story(
        "eleventh_property_first_page_again",
        "openllmetry",
        FINDER,
        (
            user("고양시에서 방 두 개짜리 집을 전부 찾아 줘."),
            *repeat_calls(
                5,
                call(
                    "search_listings",
                    {"city": "고양시", "rooms_min": 2, "page": 1},
                    json.dumps(
                        {
                            "total": 41,
                            "page": 1,
                            "pages": 5,
                            "listings": [
                                {"id": "KR-501", "title": "일산 오피스텔", "price": 320000000},
                                {"id": "KR-502", "title": "덕양 아파트", "price": 410000000},
                            ],
                        },
                        ensure_ascii=False,
                    ),
                ),
            ),
            answers("고양시에서 조건에 맞는 집은 일산 오피스텔과 덕양 아파트 두 곳입니다."),
        ),
        failing=("tool_efficiency",),
        why="the first of five pages was asked for five times, with the same result each time",
    ),
    Story(
        "eleventh_property_click_timed_out_once",
        "vercel_ai",
        PORTAL,
        (
            user("Download the service charge statement 2025 from my tenant portal."),
            asks(
                call(
                    "browser_navigate",
                    {"url": "https://mieter.example/dokumente"},
                    "### Ran Playwright code\n```js\nawait page.goto('https://mieter.example/dokumente');\n```\n### Page state\n- Page URL: https://mieter.example/dokumente\n"
                    '- Page Title: Dokumente\n- Page Snapshot:\n```yaml\n- dialog "Cookies" [ref=e4]:\n  - button "Ablehnen" [ref=e6]\n- link "Nebenkosten 2025 (PDF)" [ref=e40]\n```',
                )
            ),
            asks(
                call(
                    "browser_click",
                    {"element": "Nebenkosten 2025 (PDF)", "ref": "e40"},
                    "### Error\nTimeoutError: locator.click: Timeout 5000ms exceeded.\nCall log:\n  - waiting for locator('aria-ref=e40')\n    - attempting click action\n"
                    '    - <div class="cookie-overlay"></div> intercepts pointer events',
                )
            ),
            asks(
                call(
                    "browser_click",
                    {"element": "Ablehnen", "ref": "e6"},
                    "### Ran Playwright code\n```js\nawait page.getByRole('button', { name: 'Ablehnen' }).click();\n```",
                )
            ),
            asks(
                call(
                    "browser_click",
                    {"element": "Nebenkosten 2025 (PDF)", "ref": "e40"},
                    "### Ran Playwright code\n```js\nawait page.getByRole('link', { name: 'Nebenkosten 2025 (PDF)' }).click();\n```\n### Downloads\n"
                    "- Downloaded file nebenkosten-2025.pdf to /tmp/playwright-output/nebenkosten-2025.pdf",
                )
            ),
            answers("The statement is downloaded as nebenkosten-2025.pdf. A cookie banner was in the way at first."),
        ),
        failing=(),
        why="a banner caught the first click; after it was closed, the same click worked",
    ),
    Story(
        "eleventh_property_valuation_under_way",
        "pydantic_ai",
        VALUER,
        (
            user("Order a mortgage valuation for Kongens gate 11, Trondheim and tell me the value."),
            asks(
                call(
                    "order_valuation",
                    {"address": "Kongens gate 11, Trondheim", "purpose": "mortgage"},
                    {"valuation_id": "VAL-3307", "state": "ORDERED", "error": None, "failedChecks": 0},
                )
            ),
            asks(
                call(
                    "get_valuation",
                    {"valuation_id": "VAL-3307"},
                    {"valuation_id": "VAL-3307", "state": "IN_PROGRESS", "value": None},
                )
            ),
            pause(60),
            asks(
                call(
                    "get_valuation",
                    {"valuation_id": "VAL-3307"},
                    {"valuation_id": "VAL-3307", "state": "IN_PROGRESS", "value": None},
                )
            ),
        ),
        failing=(),
        why="a run whose span has not ended yet; it waits for a valuation",
        agent_span="open",
    ),
)
