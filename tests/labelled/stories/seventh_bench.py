"""Worlds of benchmarks: tau2, BFCL, AppWorld, WebArena, ToolBench, GAIA."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, hosted, repeat_calls, tool, user

__all__ = ["STORIES"]

TELECOM = Agent(
    "telecom_agent",
    (
        tool("get_customer_by_phone", "Finds a customer by phone number", phone_number="string"),
        tool("get_details_by_id", "Details of a customer, line, device, bill or plan", id="string"),
        tool("get_data_usage", "Data usage of the billing cycle", customer_id="string", line_id="string"),
        tool("enable_roaming", "Enables international roaming", customer_id="string", line_id="string"),
        tool("refuel_data", "Adds data", customer_id="string", line_id="string", gb_amount="number"),
        tool("check_network_status", "Connection of the phone"),
        tool("set_network_mode_preference", "Sets the network mode", mode="string"),
        tool("toggle_data", "Switches mobile data"),
        tool("toggle_data_saver_mode", "Switches data saver"),
        tool("toggle_roaming", "Switches data roaming"),
        tool("check_apn_settings", "Shows the APN"),
        tool("reset_apn_settings", "Resets the APN"),
        tool("reboot_device", "Restarts the phone"),
        tool("run_speed_test", "Measures the connection"),
        tool("transfer_to_human_agents", "Hands the case to a person", summary="string"),
    ),
    "You are a customer service agent of a telecom company. The current time is 2025-02-25 12:08:00 EST.",
)
SMITH = {
    "customer_id": "C1001",
    "full_name": "John Smith",
    "phone_number": "555-123-2002",
    "line_ids": ["L1001", "L1002", "L1003"],
    "account_status": "Active",
}
L1001 = {
    "line_id": "L1001",
    "phone_number": "555-123-2001",
    "status": "Active",
    "plan_id": "P1001",
    "data_used_gb": 3.2,
    "data_refueling_gb": 0.0,
    "roaming_enabled": False,
    "suspension_start_date": None,
}
L1002 = {
    "line_id": "L1002",
    "phone_number": "555-123-2002",
    "status": "Active",
    "plan_id": "P1002",
    "data_used_gb": 15.1,
    "data_refueling_gb": 0.0,
    "roaming_enabled": False,
    "suspension_start_date": None,
}
OWNER = {"customer_id": "C1001", "line_id": "L1002"}

TRADING = (
    tool("get_symbol_by_name", "Symbol of a company", name="string"),
    tool("get_stock_info", "Price and averages of a stock", symbol="string"),
    tool(
        "place_order", "Places an order", order_type=["Buy", "Sell"], symbol="string", price="number", amount="integer"
    ),
    tool("cancel_order", "Cancels an order", order_id="integer"),
    tool("get_order_details", "An order by its id", order_id="integer"),
    tool("trading_login", "Logs in", username="string", password="string"),
    tool("add_to_watchlist", "Watches a stock", stock="string"),
)
TRADER = Agent("trading_bot", TRADING, "You trade for the user with the functions that you have.", "gpt-4o", "openai")

WORLD = Agent(
    "appworld_agent",
    (tool("run_python", "Runs Python in a session with the apis object", code="string"),),
    "You solve day-to-day tasks for your supervisor by writing Python against apis.<app>.<api>().",
    "gpt-4o-2024-05-13",
)
LOGIN = {"access_token": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJzaW1wbGVfbm90ZSJ9", "token_type": "Bearer"}
NOTES = [
    {"note_id": 1066, "title": "Habit Tracking Log for 2023-05-17", "tags": ["habit-tracker"], "pinned": True},
    {"note_id": 1067, "title": "Habit Tracking Log for 2023-05-16", "tags": ["habit-tracker"], "pinned": True},
    {"note_id": 1056, "title": "Book Reading Lists", "tags": ["leisure", "list"], "pinned": False},
]
NOT_AUTHORIZED = (
    "Execution failed. Traceback:\n"
    '  File "<python-input>", line 5, in <module>\n'
    "    print(apis.simple_note.search_notes())\n"
    "          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
    "Exception: Response status code is 401:\n"
    '{"message":"You are either not authorized to access this simple_note API endpoint or your access token is '
    'missing, invalid or expired."}'
)
NO_USERNAME = (
    "Execution failed. Traceback:\n"
    '  File "<python-input>", line 6, in <module>\n'
    "    print(apis.simple_note.login(email=simple_note_email, password=simple_note_password))\n"
    "Exception: Response status code is 422:\n"
    '{"message":"Validation error. Reason: \\nusername: field required"}'
)

SHOP = Agent(
    "webarena_agent",
    (
        tool("goto", "Opens an address", url="string"),
        tool("click", "Clicks an element", element_id="integer"),
        tool("type", "Types into an element", element_id="integer", text="string", press_enter_after="boolean?"),
        tool("scroll", "Scrolls the page", direction=["up", "down"]),
        tool("go_back", "Goes back"),
    ),
    "You operate a browser. Observations are accessibility trees.",
    "gpt-4o",
)

STORIES = (
    Story(
        "seventh_bench_telecom_data_fixed",
        "openinference",
        TELECOM,
        (
            user("My mobile data isn't working here in France. My number is 555-123-2002."),
            asks(call("get_customer_by_phone", {"phone_number": "555-123-2002"}, SMITH)),
            asks(call("get_details_by_id", {"id": "L1001"}, L1001)),
            asks(call("get_details_by_id", {"id": "L1002"}, L1002)),
            asks(call("enable_roaming", OWNER, "Roaming enabled successfully")),
            asks(
                call(
                    "check_network_status",
                    {},
                    "Airplane Mode: OFF\nSIM Card Status: active\nCellular Connection: connected\nCellular Signal: poor"
                    "\nCellular Network Type: 2G\nMobile Data Enabled: No\nData Roaming Enabled: No\nWi-Fi Radio: OFF",
                )
            ),
            asks(
                call(
                    "set_network_mode_preference",
                    {"mode": "4g_5g_preferred"},
                    "Preferred Network Mode set to: 4g_5g_preferred\n"
                    "Status Bar: 📶⁴ Excellent | 5G | 📵 Data Disabled | 🔋 80%",
                )
            ),
            asks(
                call(
                    "toggle_data",
                    {},
                    "Mobile Data is now ON.\nStatus Bar: 📶⁴ Excellent | 5G | 📱 Data Enabled | 🔽 Data Saver | 🔋 80%",
                )
            ),
            asks(call("run_speed_test", {}, "Speed test failed: No Connection.")),
            asks(
                call(
                    "toggle_data_saver_mode",
                    {},
                    "Data Saver Mode is now OFF.\nStatus Bar: 📶⁴ Excellent | 5G | 📱 Data Enabled | 🔋 80%",
                )
            ),
            asks(
                call(
                    "toggle_roaming",
                    {},
                    "Data Roaming is now ON.\nStatus Bar: 📶⁴ Excellent | 5G | 📱 Data Enabled | 🔋 80%",
                )
            ),
            asks(call("run_speed_test", {}, "Speed test failed: No Connection.")),
            asks(
                call(
                    "get_data_usage",
                    OWNER,
                    {
                        "line_id": "L1002",
                        "data_used_gb": 15.1,
                        "data_limit_gb": 15.0,
                        "data_refueling_gb": 0.0,
                        "cycle_end_date": "2025-02-28",
                    },
                )
            ),
            answers("You have used 15.1 GB of 15 GB. I can add 2 GB for $4.00. Shall I?"),
            user("Yes, please, 2 GB."),
            asks(
                call(
                    "refuel_data",
                    {**OWNER, "gb_amount": 2.0},
                    {
                        "message": "Successfully added 2.0 GB of data for line L1002 for $4.00",
                        "new_data_refueling_gb": 2.0,
                        "charge": 4.0,
                    },
                )
            ),
            asks(
                call("run_speed_test", {}, "Speed Test Result: 275.00 Mbps (Excellent). Connection is very fast."),
            ),
            answers("Your data works again: 275 Mbps. The 2 GB cost $4.00 and show on your next bill."),
        ),
        failing=(),
        why="the speed test is a probe, repeated after each change, and its last reading is good",
    ),
    Story(
        "seventh_bench_telecom_two_lines_cycle",
        "genai",
        TELECOM,
        (
            user("No data abroad. I'm John Smith, 555-123-2002."),
            asks(call("get_customer_by_phone", {"phone_number": "555-123-2002"}, SMITH)),
            *repeat_calls(
                7,
                call("get_details_by_id", {"id": "L1001"}, L1001),
                call("get_details_by_id", {"id": "L1002"}, L1002),
            ),
            asks(
                call(
                    "transfer_to_human_agents",
                    {"summary": "John Smith (555-123-2002) has no data abroad; line could not be determined."},
                    "Transfer successful",
                )
            ),
            answers("YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."),
        ),
        failing=("tool_efficiency",),
        why="the same two lines are looked up seven times in turn, and each lookup shows what the last one showed",
    ),
    Story(
        "seventh_bench_toolbench_lyrics_filtered",
        "pydantic_ai",
        Agent(
            "toolbench_agent",
            (
                tool("search_for_genius_song_lyrics", "Searches songs", q="string", per_page="integer?"),
                tool("song_lyrics_for_genius_song_lyrics", "Lyrics of a song", id="integer"),
            ),
            "Use the functions to answer the query.",
        ),
        (
            user("Find the song 'Paper Lanterns' and give me the whole lyrics, word for word."),
            asks(
                call(
                    "search_for_genius_song_lyrics",
                    {"q": "Paper Lanterns", "per_page": 5},
                    {
                        "error": "",
                        "response": {"hits": [{"id": 2942, "title": "Paper Lanterns", "artist": "Low Tide"}]},
                    },
                )
            ),
            asks(
                call(
                    "song_lyrics_for_genius_song_lyrics",
                    {"id": 2942},
                    {"error": "", "response": {"lyrics": {"id": 2942, "html": "<p>[Verse 1] ...</p>"}}},
                )
            ),
            answers("Here are the lyrics of Paper Lanterns:\n\n[Verse 1]\n", "content_filter"),
        ),
        failing=("run_completion",),
        why="the answer was stopped by the content filter after its first line",
    ),
    Story(
        "seventh_bench_trading_login_then_order",
        "vercel_ai",
        TRADER,
        (
            user("Buy 100 shares of Tesla at the current price. My login is trader_joe / hunter-77."),
            asks(call("get_symbol_by_name", {"name": "Tesla"}, {"symbol": "TSLA"})),
            asks(
                call(
                    "get_stock_info",
                    {"symbol": "TSLA"},
                    {"price": 667.92, "percent_change": -0.12, "volume": 1.654, "MA(5)": 671.15, "MA(20)": 668.2},
                )
            ),
            asks(
                call(
                    "place_order",
                    {"order_type": "Buy", "symbol": "TSLA", "price": 667.92, "amount": 100},
                    {"error": "User not authenticated. Please log in to place an order."},
                )
            ),
            asks(
                call(
                    "trading_login",
                    {"username": "trader_joe", "password": "hunter-77"},
                    {"status": "Logged in successfully"},
                )
            ),
            asks(
                call(
                    "place_order",
                    {"order_type": "Buy", "symbol": "TSLA", "price": 667.92, "amount": 100},
                    {"order_id": 12446, "order_type": "Buy", "status": "Pending", "price": 667.92, "amount": 100},
                )
            ),
            answers("Order 12446 is placed: 100 TSLA at 667.92. It is pending."),
        ),
        failing=(),
        why="the order was refused before the login and accepted after it; pending is no failure",
    ),
    Story(
        "seventh_bench_trading_unknown_company",
        "openllmetry",
        TRADER,
        (
            user("What's the symbol of Meridian Foods?"),
            asks(call("get_symbol_by_name", {"name": "Meridian Foods"}, {"symbol": "Stock not found"})),
            answers("I can't find a symbol for Meridian Foods. Is it listed under another name?"),
            user("Then put Zeta Corp on my watchlist."),
            asks(call("get_symbol_by_name", {"name": "Zeta Corp"}, {"symbol": "ZETA"})),
            asks(call("add_to_watchlist", {"stock": "ZETA"}, {"symbol": ["NVDA", "ZETA"]})),
            answers("ZETA is on your watchlist, next to NVDA."),
        ),
        failing=(),
        why="no symbol was found for one company, which the lookup said; the rest worked",
    ),
    Story(
        "seventh_bench_trading_order_completed",
        "genai_events",
        TRADER,
        (
            user("Cancel my Apple order, 12345."),
            asks(
                call(
                    "cancel_order",
                    {"order_id": 12345},
                    {"error": "Can't cancel order 12345. Order is already completed."},
                )
            ),
            asks(
                call(
                    "get_order_details",
                    {"order_id": 12345},
                    {
                        "id": 12345,
                        "order_type": "Buy",
                        "symbol": "AAPL",
                        "price": 210.65,
                        "amount": 10,
                        "status": "Completed",
                    },
                )
            ),
            answers("Order 12345 was already completed, so it could not be cancelled."),
        ),
        failing=("tool_error",),
        why="the cancellation failed, as the error in its result says, and no later one worked",
    ),
    Story(
        "seventh_bench_appworld_habit_note",
        "genai",
        WORLD,
        (
            user("Log today's habits in Simple Note: as yesterday, but with good posture. I'm anita.burch@gmail.com."),
            asks(
                call(
                    "run_python",
                    {"code": "print(apis.api_docs.show_api_descriptions(app_name='simple_note'))"},
                    '[\n {\n  "name": "login",\n  "description": "Login to your account."\n },\n {\n  "name": '
                    '"search_notes",\n  "description": "Search your notes."\n },\n {\n  "name": "create_note"\n }\n]',
                )
            ),
            asks(call("run_python", {"code": "print(apis.simple_note.search_notes())"}, NOT_AUTHORIZED)),
            asks(
                call(
                    "run_python",
                    {"code": "print(apis.supervisor.show_account_passwords())"},
                    '[\n {\n  "account_name": "gmail",\n  "password": "69#=*3m"\n },\n {\n  "account_name": '
                    '"simple_note",\n  "password": "]ic5XP5"\n }\n]',
                )
            ),
            asks(
                call(
                    "run_python",
                    {"code": "print(apis.simple_note.login(email=simple_note_email, password=simple_note_password))"},
                    NO_USERNAME,
                )
            ),
            asks(
                call(
                    "run_python",
                    {"code": "print(apis.api_docs.show_api_doc(app_name='simple_note', api_name='login'))"},
                    '{\n "app_name": "simple_note",\n "api_name": "login",\n "path": "/auth/token",\n "method": '
                    '"POST",\n "parameters": [\n  {\n   "name": "username",\n   "required": true\n  }\n ],\n '
                    '"response_schemas": {\n  "failure": {\n   "message": "string"\n  }\n }\n}',
                )
            ),
            asks(
                call(
                    "run_python",
                    {"code": "print(apis.simple_note.login(username=simple_note_email, password=pw))"},
                    LOGIN,
                )
            ),
            asks(call("run_python", {"code": "notes = apis.simple_note.search_notes()\nprint(notes)"}, NOT_AUTHORIZED)),
            asks(
                call(
                    "run_python",
                    {"code": "print(apis.simple_note.search_notes(access_token=access_token, page_limit=10))"},
                    NOTES,
                )
            ),
            asks(
                call(
                    "run_python",
                    {"code": "print(apis.simple_note.show_note(access_token=access_token, note_id=1066))"},
                    {"note_id": 1066, "content": "# Daily Habit Tracker\n\npracticed_good_posture: no"},
                )
            ),
            asks(
                call(
                    "run_python",
                    {"code": "print(apis.simple_note.create_note(access_token=access_token, title=t, content=c))"},
                    {"message": "Note created.", "note_id": 4012},
                )
            ),
            answers("Done: 'Habit Tracking Log for 2023-05-18' is in Simple Note, with good posture set to yes."),
        ),
        failing=(),
        why="the failing programs on the way were put right, and the last one created the note",
    ),
    Story(
        "seventh_bench_appworld_venmo_last_fails",
        "openinference",
        WORLD,
        (
            user("Pay Marcus the $48 I owe him on Venmo, with a note 'For dinner'."),
            asks(
                call(
                    "run_python",
                    {"code": "tok = apis.venmo.login(username=me['email'], password=pw['venmo'])['access_token']"},
                    "Execution successful.",
                )
            ),
            asks(
                call(
                    "run_python",
                    {"code": "print(apis.venmo.search_users(access_token=tok, query='Marcus'))"},
                    [{"first_name": "Marcus", "last_name": "Burch", "email": "marcus.burch@gmail.com"}],
                )
            ),
            asks(
                call(
                    "run_python",
                    {
                        "code": "print(apis.venmo.create_transaction(access_token=tok, "
                        "receiver_email='marcus.burch@gmail.com', amount=48, description='For dinner'))"
                    },
                    "Execution failed. Traceback:\n"
                    '  File "<python-input>", line 1, in <module>\n'
                    "    print(apis.venmo.create_transaction(access_token=tok, receiver_email='marcus.burch@gmail.com', "
                    "amount=48, description='For dinner'))\n"
                    "Exception: Response status code is 422:\n"
                    '{"message":"You do not have a sufficient balance to make this transaction. Your balance is $12.50'
                    '."}',
                )
            ),
            answers("The payment of $48 to Marcus did not go through: your Venmo balance is only $12.50."),
        ),
        failing=("tool_error",),
        why="the last program, which should pay, ended with a traceback and a 422, and nothing was paid",
    ),
    Story(
        "seventh_bench_webarena_no_answer",
        "vercel_ai",
        SHOP,
        (
            user("What is the total cost of my latest cancelled order?"),
            asks(
                call(
                    "goto",
                    {"url": "http://shop.example/customer/account/"},
                    "[1] RootWebArea 'My Account'\n\t[1312] link 'My Orders'\n\t[1318] link 'Address Book'",
                )
            ),
            asks(
                call(
                    "click",
                    {"element_id": 1312},
                    "[1] RootWebArea 'My Orders'\n\t[1530] row '000000170 5/17/23 $365.42 Canceled View Order'\n"
                    "\t[1544] row '000000189 5/2/23 $754.99 Pending View Order'\n\t[1601] link 'Page Next'",
                )
            ),
            asks(
                call(
                    "scroll",
                    {"direction": "down"},
                    "[1] RootWebArea 'My Orders'\n\t[1580] row '000000180 3/11/23 $65.32 Complete View Order'\n"
                    "\t[1601] link 'Page Next'",
                )
            ),
            asks(
                call(
                    "click",
                    {"element_id": 1601},
                    "[1] RootWebArea 'My Orders'\n\t[1702] row '000000166 3/10/23 $17.99 Complete View Order'\n"
                    "\t[1710] row '000000161 2/27/23 $762.18 Complete View Order'",
                )
            ),
            asks(
                call(
                    "go_back",
                    {},
                    "[1] RootWebArea 'My Orders'\n\t[1811] row '000000170 5/17/23 $365.42 Canceled View Order'",
                )
            ),
            asks(
                call(
                    "click",
                    {"element_id": 1811},
                    "[1] RootWebArea 'Order # 000000170'\n\t[1902] StaticText 'CANCELED'\n"
                    "\t[1931] gridcell 'Grand Total'\n\t[1932] gridcell '$365.42'",
                )
            ),
            asks(
                call(
                    "scroll",
                    {"direction": "down"},
                    "[1] RootWebArea 'Order # 000000170'\n\t[1960] heading 'Order Information'",
                )
            ),
        ),
        failing=("run_completion",),
        why="the run stops after a call, at its limit of steps, and never answers the question",
    ),
    Story(
        "seventh_bench_gaia_hosted_search",
        "pydantic_ai",
        Agent("gaia_agent", (), "Answer with as few words as possible.", "gpt-4.1"),
        (
            user("How many studio albums did Mercedes Sosa publish between 2000 and 2009, both included?"),
            answers(
                "3",
                hosted=(
                    hosted(
                        "web_search",
                        {"query": "Mercedes Sosa studio albums 2000-2009 discography"},
                        {"status": "completed", "sources": [{"url": "https://en.wikipedia.org/wiki/Mercedes_Sosa"}]},
                    ),
                ),
            ),
        ),
        failing=(),
        why="the search ran at the provider and the short answer is complete",
    ),
)
