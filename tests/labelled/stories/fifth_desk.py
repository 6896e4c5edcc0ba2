"""Customer support, mail, calendars, chat, voice and files on a desk."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, refused, tool, user

__all__ = ["STORIES"]

RETAIL = Agent(
    "retail_agent",
    (
        tool("find_user_id_by_email", "User id of an email", email="string"),
        tool("find_user_id_by_name_zip", "User id of a name", first_name="string", last_name="string", zip="string"),
        tool("get_order_details", "An order", order_id="string"),
        tool("get_product_details", "Variants of a product", product_id="string"),
        tool("calculate", "Calculate", expression="string"),
        tool(
            "exchange_delivered_order_items",
            "Exchange items of a delivered order",
            order_id="string",
            item_ids="string[]",
            new_item_ids="string[]",
            payment_method_id="string",
        ),
        tool("transfer_to_human_agents", "Transfer to a human", summary="string"),
    ),
    "You are a customer service agent of an online shop. Authenticate first. Ask for a confirmation before you change "
    "an order.",
    "gpt-4.1",
)
SLACK = Agent(
    "slack_helper",
    (
        tool("slack_list_channels", "List channels", limit="integer?", cursor="string?"),
        tool("slack_post_message", "Post a message", channel_id="string", text="string"),
        tool("slack_add_reaction", "Add a reaction", channel_id="string", timestamp="string", reaction="string"),
    ),
    "You work in the Slack of a company.",
)
GITHUB = Agent(
    "github_triage",
    (
        tool("search_issues", "Search issues", q="string", per_page="integer?"),
        tool("create_issue", "Create an issue", owner="string", repo="string", title="string", body="string?"),
    ),
    "You triage bug reports.",
    "claude-3-7-sonnet-latest",
    "anthropic",
)
CALENDAR_JA = Agent(
    "予定アシスタント",
    (
        tool("list_events", "予定の一覧", date="string"),
        tool("create_event", "予定を作成", title="string", start="string", end="string", attendees="string[]?"),
    ),
    "あなたは秘書です。日本語で答えてください。",
)
CLINIC_PT = Agent(
    "agenda_clinica",
    (
        tool("buscar_horarios", "Horários livres de um médico", medico="string", data="string"),
        tool("marcar_consulta", "Marca uma consulta", paciente="string", medico="string", horario="string"),
    ),
    "Você marca consultas de uma clínica. Responda em português.",
)
VOICE = Agent(
    "phone_receptionist",
    (
        tool("get_current_time", "The current time"),
        tool("lookup_reservation", "A reservation by phone number", phone="string"),
        tool("update_reservation", "Change a reservation", reservation_id="string", party_size="integer"),
    ),
    "You answer the phone of a restaurant. Speak in short sentences.",
    "gpt-4o-mini-realtime-preview",
)
MAIL = Agent(
    "mail_assistant",
    (
        tool("search_mail", "Search the mailbox", query="string", max_results="integer?"),
        tool("read_mail", "Read a message", id="string"),
        tool("send_mail", "Send a message", to="string[]", subject="string", body="string", cc="string[]?"),
    ),
    "You manage the mailbox of Joana Prado.",
)
FILES = Agent(
    "filesystem_assistant",
    (
        tool("list_allowed_directories", "Directories that may be accessed"),
        tool("list_directory", "List a directory", path="string"),
        tool("read_text_file", "Read a file", path="string", head="integer?", tail="integer?"),
    ),
    "You help with files through the filesystem MCP server.",
)
DINGTALK = Agent(
    "考勤助手",
    (
        tool("query_attendance", "查询考勤", user_id="string", date="string"),
        tool("send_notice", "发送工作通知", user_ids="string[]", content="string"),
    ),
    "你是公司的考勤助手。",
    "qwen-max",
    "alibaba",
)


def mcp(text: str, *, is_error: bool = False) -> dict[str, object]:
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


ORDER = {
    "order_id": "#W5918442",
    "user_id": "noah_brown_6181",
    "status": "delivered",
    "items": [
        {"name": "Desk Lamp", "product_id": "6817146515", "item_id": "9083642334", "price": 153.23},
        {"name": "Water Bottle", "product_id": "8310926033", "item_id": "2366567022", "price": 54.04},
    ],
    "payment_history": [{"transaction_type": "payment", "amount": 207.27, "payment_method_id": "paypal_5727330"}],
    "cancel_reason": None,
}

STORIES = (
    Story(
        "fifth_desk_retail_exchange_turns",
        "openllmetry",
        RETAIL,
        (
            user("Hi, the lamp I got is too bright."),
            answers("I can help with that. Which mail address, or which name and zip code, is the order under?"),
            user("noah.brown7922@example.con, sorry, .com. Order W5918442, I'd like the dimmable one."),
            asks(call("find_user_id_by_email", {"email": "noah.brown7922@example.con"}, "Error: user not found")),
            asks(call("find_user_id_by_email", {"email": "noah.brown7922@example.com"}, "noah_brown_6181")),
            asks(call("get_order_details", {"order_id": "#W5918442"}, ORDER)),
            asks(
                call(
                    "get_product_details",
                    {"product_id": "6817146515"},
                    {
                        "name": "Desk Lamp",
                        "variants": {
                            "7453605304": {"options": {"brightness": "low"}, "available": True, "price": 150.01},
                            "4447749792": {"options": {"brightness": "dimmable"}, "available": True, "price": 139.8},
                        },
                    },
                ),
                call("calculate", {"expression": "153.23 - 139.80"}, "13.43"),
            ),
            answers(
                "The dimmable lamp costs $13.43 less, which goes back to your PayPal. Shall I exchange it? (yes/no)"
            ),
            user("yes"),
            asks(
                call(
                    "exchange_delivered_order_items",
                    {
                        "order_id": "#W5918442",
                        "item_ids": ["9083642334"],
                        "new_item_ids": ["4447749792"],
                        "payment_method_id": "paypal_5727330",
                    },
                    {**ORDER, "status": "exchange requested", "exchange_price_difference": -13.43},
                )
            ),
            answers("Done. You'll get an email about how to return the old lamp."),
        ),
        failing=(),
        why="asked back who the customer is and for the confirmation; the mistyped address was made good",
    ),
    Story(
        "fifth_desk_slack_not_in_channel",
        "vercel_ai",
        SLACK,
        (
            user("Post in #launch that we go live at 15:00."),
            asks(
                call(
                    "slack_list_channels",
                    {"limit": 200},
                    {
                        "ok": True,
                        "channels": [{"id": "C07LAUNCH1", "name": "launch", "is_archived": False}],
                        "error": None,
                        "response_metadata": {"next_cursor": ""},
                    },
                )
            ),
            asks(
                call(
                    "slack_post_message",
                    {"channel_id": "C07LAUNCH1", "text": "We go live at 15:00."},
                    {"ok": False, "error": "not_in_channel"},
                )
            ),
            answers("I've let everyone in #launch know."),
        ),
        failing=("tool_error",),
        why="the message was not posted: ok is false, and the agent claims the opposite",
    ),
    Story(
        "fifth_desk_slack_posted",
        "genai",
        SLACK,
        (
            user("Tell C02OPS that the failed nightly backup has been repeated without errors, and tick it."),
            asks(
                call(
                    "slack_post_message",
                    {"channel_id": "C02OPS", "text": "The failed nightly backup was repeated without errors."},
                    {
                        "ok": True,
                        "channel": "C02OPS",
                        "ts": "1770034112.002300",
                        "message": {"text": "The failed nightly backup was repeated without errors.", "bot_id": "B01"},
                        "error": None,
                        "warning": "missing_charset",
                    },
                )
            ),
            asks(
                call(
                    "slack_add_reaction",
                    {"channel_id": "C02OPS", "timestamp": "1770034112.002300", "reaction": "white_check_mark"},
                    {"ok": True},
                )
            ),
            answers("Posted and ticked."),
        ),
        failing=(),
        why="ok is true, the error is null; a warning and a text about a failure",
    ),
    Story(
        "fifth_desk_issue_not_accessible",
        "genai_events",
        GITHUB,
        (
            user("Users report that exports of more than 10k rows hang. File it in acme/exporter if it's new."),
            asks(
                call(
                    "search_issues",
                    {"q": "repo:acme/exporter export hangs rows", "per_page": 10},
                    {"total_count": 0, "incomplete_results": False, "items": []},
                )
            ),
            asks(
                call(
                    "create_issue",
                    {"owner": "acme", "repo": "exporter", "title": "Export hangs above 10k rows"},
                    "failed to create issue: POST https://api.github.com/repos/acme/exporter/issues: 403 Resource not "
                    "accessible by personal access token []",
                )
            ),
            answers("It is new, but my token may not create issues in acme/exporter."),
        ),
        failing=("tool_error",),
        why="the issue could not be created for lack of permission",
    ),
    Story(
        "fifth_desk_meeting_moved_japanese",
        "pydantic_ai",
        CALENDAR_JA,
        (
            user("明日の午後に田中さんと30分の打ち合わせを入れてください。"),
            asks(
                call(
                    "list_events",
                    {"date": "2026-02-04"},
                    [{"title": "障害報告会", "start": "13:00", "end": "14:00"}],
                )
            ),
            asks(
                call(
                    "create_event",
                    {
                        "title": "田中さん",
                        "start": "2026-02-04T14:00",
                        "end": "2026-02-04T14:30",
                        "attendees": ["tanaka"],
                    },
                    "エラー：出席者「tanaka」のメールアドレスが正しくありません。",
                )
            ),
            asks(
                call(
                    "create_event",
                    {
                        "title": "田中さん",
                        "start": "2026-02-04T14:00",
                        "end": "2026-02-04T14:30",
                        "attendees": ["tanaka@kaisha.example"],
                    },
                    {"id": "ev_5520", "status": "confirmed"},
                )
            ),
            answers("明日14時から14時30分まで、田中さんとの打ち合わせを登録しました。"),
        ),
        failing=(),
        why="the refused event was corrected and created; the report about an outage is a title in the calendar",
    ),
    Story(
        "fifth_desk_appointment_failed_portuguese",
        "openinference",
        CLINIC_PT,
        (
            user("Quero marcar com a Dra. Lúcia na sexta de manhã. Sou o Paulo Reis."),
            asks(
                call(
                    "buscar_horarios",
                    {"medico": "Dra. Lúcia", "data": "2026-02-06"},
                    {"horarios": ["08:30", "10:00"], "erro": None},
                )
            ),
            asks(
                call(
                    "marcar_consulta",
                    {"paciente": "Paulo Reis", "medico": "Dra. Lúcia", "horario": "2026-02-06T08:30"},
                    "Não foi possível marcar a consulta: falha na comunicação com o servidor da agenda.",
                )
            ),
            answers("Há horário às 08:30, mas o sistema não me deixou confirmar. Pode ligar para a recepção?"),
        ),
        failing=("tool_error",),
        why="the appointment was not made, told in Portuguese, and not tried again",
    ),
    Story(
        "fifth_desk_voice_silent",
        "openllmetry",
        VOICE,
        (
            user("hi yeah it's about our table tonight can you make it six instead of four"),
            asks(
                call(
                    "lookup_reservation",
                    {"phone": "+4915550102"},
                    {"reservation_id": "R-771", "party_size": 4, "time": "19:30"},
                ),
                call("get_current_time", {}, "2026-02-03T17:02:11+01:00"),
            ),
            asks(
                call(
                    "update_reservation",
                    {"reservation_id": "R-771", "party_size": 6},
                    {"reservation_id": "R-771", "party_size": 6, "table": 12},
                )
            ),
            answers(""),
        ),
        failing=("run_completion",),
        why="the table was changed but the caller heard nothing: the last answer is empty",
    ),
    Story(
        "fifth_desk_bounced_mails",
        "vercel_ai",
        MAIL,
        (
            user("Did my offer reach Mr. Okafor?"),
            asks(
                call(
                    "search_mail",
                    {"query": "okafor offer", "max_results": 5},
                    [
                        {
                            "id": "m-19",
                            "from": "mailer-daemon@mx.example",
                            "subject": "Delivery Status Notification (Failure)",
                        }
                    ],
                )
            ),
            asks(
                call(
                    "read_mail",
                    {"id": "m-19"},
                    "Error: message could not be delivered\n\nYour message to okafor@builders.example couldn't be "
                    "delivered.\nThe response was: 550 5.1.1 The email account that you tried to reach does not exist.\n\n"
                    "----- Original message -----\nSubject: Offer 2026-14",
                )
            ),
            answers("No, it bounced: the address okafor@builders.example does not exist. Do you have another one?"),
        ),
        failing=(),
        why="the message that was read is a notice about a failed delivery; reading it worked",
    ),
    Story(
        "fifth_desk_outside_allowed_folders",
        "openinference",
        FILES,
        (
            user("What's in my notes about the heating?"),
            asks(
                call(
                    "list_directory",
                    {"path": "/home/me/notes"},
                    mcp(
                        "Access denied - path outside allowed directories: /home/me/notes not in /data/me",
                        is_error=True,
                    ),
                )
            ),
            asks(call("list_allowed_directories", {}, mcp("Allowed directories:\n/data/me"))),
            asks(
                call(
                    "list_directory",
                    {"path": "/data/me/notes"},
                    mcp("[FILE] heating.md\n[FILE] error-codes.md\n[DIR] old"),
                )
            ),
            asks(
                call(
                    "read_text_file",
                    {"path": "/data/me/notes/heating.md"},
                    mcp("# Heating\nF28 = ignition failed, bleed gas, then reset.\nTechnician: 030 555 0199"),
                )
            ),
            answers(
                "F28 means that the ignition failed; you noted to reset it, and the technician's number 030 555 0199."
            ),
        ),
        failing=(),
        why="the denied folder was made good by listing the allowed one",
    ),
    Story(
        "fifth_desk_notice_without_recipients",
        "pydantic_ai",
        DINGTALK,
        (
            user("提醒王芳明天补打卡。"),
            asks(
                call(
                    "query_attendance",
                    {"user_id": "wangfang", "date": "2026-02-03"},
                    {"errcode": 0, "errmsg": "ok", "records": [{"type": "上班", "result": "缺卡"}]},
                )
            ),
            asks(
                refused(
                    "send_notice",
                    {"content": "请明天补打卡。"},
                    '1 validation error:\n```json\n[{"type": "missing", "loc": ["user_ids"], "msg": "Field '
                    'required"}]\n```\n\nFix the errors and try again.',
                )
            ),
            answers("抱歉，通知没有发送成功。"),
        ),
        failing=("tool_call_validity", "tool_error"),
        why="the recipients are missing, the call was refused and not repeated",
    ),
)
