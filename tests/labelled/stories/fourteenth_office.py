"""Mail, calendars, rooms, printers, spreadsheets, telephony."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, model_fails, pause, repeat_calls, tool, user

__all__ = ["STORIES"]

TIMES = tool(
    "find_meeting_times",
    "Suggests times for a meeting",
    attendees="string[]",
    start="string",
    end="string",
    duration="string",
)
SCHEDULER = Agent("scheduler", (TIMES,), "You find times for meetings.", "gpt-4.1")

PRINTER = tool("get_printer_attributes", "Attributes of a printer", uri="string")
TICKET = tool("create_ticket", "Creates a ticket for the facility team", title="string", place="string")
PRINTERS = Agent("printer_help", (PRINTER, TICKET), "Du hilfst bei Druckern.", "gpt-4.1-mini")

MOVE = tool("move_mail", "Moves a mail into a folder", item_id="string", folder="string")
FIND_MAIL = tool("find_mail", "Finds mails", query="string")
EXCHANGE = Agent("mail_sorter", (FIND_MAIL, MOVE), "You sort mail.", "gpt-4.1")

APPEND = tool("append_values", "Appends rows to a sheet", spreadsheet_id="string", range="string", values="string[]")
SHEETS = Agent("spese_agente", (APPEND,), "Tieni la lista delle spese.", "gpt-4o-mini")

HANDBOOK = tool("search_handbook", "Searches the handbook of the copier", query="string", top_k="integer?")
COPIER = Agent("copier_guide", (HANDBOOK,), "Du erklärst das Kopiergerät.", "gpt-4.1-nano")

ROOMS = tool("book_room", "Books a room", room="string", start="string", end="string", equipment="string[]")
ROOM = Agent("room_booker", (ROOMS,), "You book meeting rooms.", "gpt-4.1-mini")

EVENTS = tool("list_events", "Events of a day", calendar_id="string", day="string")
EVENT = tool("get_event", "An event", calendar_id="string", event_id="string")
SECRETARY = Agent("secretary", (EVENTS, EVENT), "あなたは秘書です。", "gpt-4o")

OPEN = tool("read_workbook", "Reads a range of a workbook", path="string", sheet="string", range="string")
SAVE = tool(
    "write_workbook", "Writes a cell of a workbook", path="string", sheet="string", cell="string", value="number"
)
EXCEL = Agent("excel_agent", (OPEN, SAVE), "You work on workbooks.", "gpt-4.1")

DIAL = tool("make_call", "Calls a number and reads a text aloud", to="string", say="string")
STATUS = tool("fetch_call", "The state of a call", sid="string")
PHONE = Agent("reminder_calls", (DIAL, STATUS), "You remind people by phone.", "gpt-4.1-mini")

DOCUMENT = tool("get_document", "Text of a document", document_id="string")
MINUTES = Agent("minutes_writer", (DOCUMENT,), "You write minutes.", "claude-sonnet-4-5", "anthropic")

SOAP = (
    '<?xml version="1.0" encoding="utf-8"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>'
    '<m:MoveItemResponse xmlns:m="http://schemas.microsoft.com/exchange/services/2006/messages"><m:ResponseMessages>'
    '<m:MoveItemResponseMessage ResponseClass="Error"><m:MessageText>Id is malformed.</m:MessageText>'
    "<m:ResponseCode>ErrorInvalidIdMalformed</m:ResponseCode><m:DescriptiveLinkKey>0</m:DescriptiveLinkKey><m:Items/>"
    "</m:MoveItemResponseMessage></m:ResponseMessages></m:MoveItemResponse></s:Body></s:Envelope>"
)
SID = "CA5ef1c20b91"


def phone_call(status: str, duration: str | None = None) -> dict[str, object]:
    return {
        "sid": SID,
        "to": "+436605550177",
        "status": status,
        "duration": duration,
        "answered_by": None,
        "error_code": None,
        "error_message": None,
    }


STORIES = (
    Story(
        "fourteenth_office_no_time_this_week",
        "vercel_ai",
        SCHEDULER,
        (
            user("Find an hour with Priya and Tomas this week; next week is fine too."),
            asks(
                call(
                    "find_meeting_times",
                    {
                        "attendees": ["priya@halden.example", "tomas@halden.example"],
                        "start": "2026-10-08T08:00:00",
                        "end": "2026-10-09T18:00:00",
                        "duration": "PT1H",
                    },
                    {
                        "@odata.context": "https://graph.microsoft.com/v1.0/$metadata#microsoft.graph.meetingTimeSuggestionsResult",
                        "emptySuggestionsReason": "AttendeesUnavailable",
                        "meetingTimeSuggestions": [],
                    },
                )
            ),
            asks(
                call(
                    "find_meeting_times",
                    {
                        "attendees": ["priya@halden.example", "tomas@halden.example"],
                        "start": "2026-10-12T08:00:00",
                        "end": "2026-10-16T18:00:00",
                        "duration": "PT1H",
                    },
                    {
                        "@odata.context": "https://graph.microsoft.com/v1.0/$metadata#microsoft.graph.meetingTimeSuggestionsResult",
                        "emptySuggestionsReason": "",
                        "meetingTimeSuggestions": [
                            {
                                "confidence": 100.0,
                                "organizerAvailability": "free",
                                "meetingTimeSlot": {
                                    "start": {"dateTime": "2026-10-13T10:00:00.0000000", "timeZone": "Europe/Oslo"},
                                    "end": {"dateTime": "2026-10-13T11:00:00.0000000", "timeZone": "Europe/Oslo"},
                                },
                            }
                        ],
                    },
                )
            ),
            answers(
                "Nothing fits this week. Next week all of you are free on Tuesday, 13 October, from 10 to 11. Shall I book it?"
            ),
        ),
        failing=(),
        why="nobody was free this week, and a time was found in the next one",
    ),
    Story(
        "fourteenth_office_printer_is_jammed",
        "openllmetry",
        PRINTERS,
        (
            user("Der Drucker im 3. Stock druckt nicht. Was hat er?"),
            asks(
                call(
                    "get_printer_attributes",
                    {"uri": "ipp://drucker-3og.intern/ipp/print"},
                    "ipp://drucker-3og.intern/ipp/print:\n    Get-Printer-Attributes:\n        status-code = successful-ok (successful-ok)\n"
                    "        printer-name (nameWithoutLanguage) = drucker-3og\n        printer-state (enum) = stopped\n"
                    "        printer-state-reasons (1setOf keyword) = media-jam-error,toner-low-warning\n"
                    "        printer-state-message (textWithoutLanguage) = Papierstau in Fach 2\n"
                    "        printer-is-accepting-jobs (boolean) = true\n        queued-job-count (integer) = 7\n",
                )
            ),
            asks(
                call(
                    "create_ticket",
                    {"title": "Papierstau in Fach 2, Toner geht zur Neige", "place": "3. OG"},
                    {"id": "FM-3310", "state": "new", "error": None},
                )
            ),
            answers(
                "Papierstau in Fach 2, und der Toner geht zur Neige. Ich habe die Haustechnik verständigt (FM-3310)."
            ),
        ),
        failing=(),
        why="the state of the printer is what was asked for, and the ticket was created",
    ),
    Story(
        "fourteenth_office_mail_stays_where_it_was",
        "pydantic_ai",
        EXCHANGE,
        (
            user("Move the invoice from Brandt & Co to the folder 2026/Paid."),
            asks(
                call(
                    "find_mail",
                    {"query": "from:brandt invoice"},
                    '<Items><Message><ItemId Id="AAMkAGVm...bW4A" ChangeKey="CQAAABY"/><Subject>Invoice 20614</Subject></Message></Items>',
                )
            ),
            asks(call("move_mail", {"item_id": "AAMkAGVm...bW4A", "folder": "2026/Paid"}, SOAP)),
            answers("I've moved invoice 20614 of Brandt & Co to 2026/Paid."),
        ),
        failing=("tool_error",),
        why="the server answered the move with ResponseClass Error, so the mail was not moved",
    ),
    Story(
        "fourteenth_office_expenses_appended",
        "genai_events",
        SHEETS,
        (
            user("Aggiungi taxi 18,50 e parcheggio 4 euro alle spese di ottobre."),
            asks(
                call(
                    "append_values",
                    {"spreadsheet_id": "1AbC_oct", "range": "Ottobre!A:B", "values": ["Taxi", "18,50"]},
                    {
                        "content": [{"type": "text", "text": "Appended 1 row to Ottobre!A12:B12"}],
                        "structuredContent": {
                            "spreadsheetId": "1AbC_oct",
                            "tableRange": "Ottobre!A1:B11",
                            "updates": {"updatedRange": "Ottobre!A12:B12", "updatedRows": 1, "updatedCells": 2},
                            "errors": [],
                        },
                        "isError": False,
                    },
                ),
                call(
                    "append_values",
                    {"spreadsheet_id": "1AbC_oct", "range": "Ottobre!A:B", "values": ["Parcheggio", "4,00"]},
                    {
                        "content": [{"type": "text", "text": "Appended 1 row to Ottobre!A13:B13"}],
                        "structuredContent": {
                            "spreadsheetId": "1AbC_oct",
                            "tableRange": "Ottobre!A1:B12",
                            "updates": {"updatedRange": "Ottobre!A13:B13", "updatedRows": 1, "updatedCells": 2},
                            "errors": [],
                        },
                        "isError": False,
                    },
                ),
            ),
            answers("Fatto: taxi 18,50 € e parcheggio 4,00 € sono nelle righe 12 e 13."),
        ),
        failing=(),
        why="two rows were appended",
    ),
    Story(
        "fourteenth_office_copier_codes",
        "openinference",
        COPIER,
        (
            user("Das Kopiergerät zeigt SC-542. Was soll ich tun?"),
            asks(
                call(
                    "search_handbook",
                    {"query": "SC-542", "top_k": 3},
                    "| Code | Meldung | Maßnahme |\n|---|---|---|\n| SC-541 | Error: fusing thermistor open | Service rufen |\n"
                    "| SC-542 | Error: fusing temperature not reached (warm-up failed) | Gerät 10 s ausschalten; tritt der Fehler erneut auf, Service rufen |\n"
                    "| SC-555 | FATAL ERROR, heater timeout | Netzstecker ziehen |\n",
                )
            ),
            answers(
                "SC-542: Die Fixiereinheit wird nicht warm. Schalten Sie das Gerät zehn Sekunden aus. Kommt der Fehler wieder, rufen Sie den Service."
            ),
        ),
        failing=(),
        why="the table of error codes is the handbook that was searched",
    ),
    Story(
        "fourteenth_office_equipment_not_a_list",
        "pydantic_ai",
        ROOM,
        (
            user("Book Fjord tomorrow 9 to 10, with a projector."),
            asks(
                call(
                    "book_room",
                    {"room": "Fjord", "start": "2026-10-09T09:00", "end": "2026-10-09T10:00", "equipment": "projector"},
                    '{"booking":"RB-4410","room":"Fjord","status":"confirmed","equipment":["projector"],"conflicts":[],"error":null}',
                )
            ),
            answers("Fjord is booked for tomorrow from 9 to 10, with a projector (RB-4410)."),
        ),
        failing=("tool_call_validity",),
        why="the equipment is a text where the schema asks for a list, although the room was booked",
    ),
    Story(
        "fourteenth_office_calendar_round_and_round",
        "openllmetry",
        SECRETARY,
        (
            user("明日の会議の議題を教えてください。"),
            *repeat_calls(
                5,
                call(
                    "list_events",
                    {"calendar_id": "primary", "day": "2026-10-09"},
                    {"items": [{"id": "ev_71", "summary": "四半期レビュー", "start": "2026-10-09T10:00:00+09:00"}]},
                ),
                call(
                    "get_event",
                    {"calendar_id": "primary", "event_id": "ev_71"},
                    {"id": "ev_71", "summary": "四半期レビュー", "status": "confirmed", "location": "第2会議室"},
                ),
            ),
            answers("明日10時から第2会議室で「四半期レビュー」があります。議題は登録されていません。"),
        ),
        failing=("tool_efficiency",),
        why="the same two calls went round five times without anything new",
    ),
    Story(
        "fourteenth_office_workbook_is_locked",
        "genai_events",
        EXCEL,
        (
            user("Put 41,200 into B7 of the sheet Q3 in budget.xlsx."),
            asks(call("read_workbook", {"path": "budget.xlsx", "sheet": "Q3", "range": "A7:B7"}, '[["Travel", null]]')),
            asks(
                call(
                    "write_workbook",
                    {"path": "budget.xlsx", "sheet": "Q3", "cell": "B7", "value": 41200},
                    fault=Fault("PermissionError", "[Errno 13] Permission denied: 'budget.xlsx'"),
                )
            ),
            pause(5),
            asks(
                call(
                    "write_workbook",
                    {"path": "budget.xlsx", "sheet": "Q3", "cell": "B7", "value": 41200},
                    fault=Fault("PermissionError", "[Errno 13] Permission denied: 'budget.xlsx'"),
                )
            ),
            answers("budget.xlsx can't be written, probably somebody has it open. B7 is still empty."),
        ),
        failing=("tool_error",),
        why="both attempts to write the workbook raised, and the cell stays empty",
    ),
    Story(
        "fourteenth_office_reminder_by_phone",
        "vercel_ai",
        PHONE,
        (
            user("Ruf +43 660 5550177 an und erinnere Herrn Kogler an den Termin um 15 Uhr."),
            asks(
                call(
                    "make_call",
                    {"to": "+436605550177", "say": "Guten Tag Herr Kogler, Ihr Termin ist heute um 15 Uhr."},
                    phone_call("queued"),
                )
            ),
            pause(4),
            asks(call("fetch_call", {"sid": SID}, phone_call("ringing"))),
            pause(4),
            asks(call("fetch_call", {"sid": SID}, phone_call("ringing"))),
            pause(4),
            asks(call("fetch_call", {"sid": SID}, phone_call("ringing"))),
            pause(4),
            asks(call("fetch_call", {"sid": SID}, phone_call("in-progress"))),
            pause(10),
            asks(call("fetch_call", {"sid": SID}, phone_call("completed", "14"))),
            answers("Der Anruf ist erledigt, er dauerte 14 Sekunden."),
        ),
        failing=(),
        why="the call was followed until it was completed; its error fields are null",
    ),
    Story(
        "fourteenth_office_model_overloaded_once",
        "pydantic_ai",
        MINUTES,
        (
            user("Turn the transcript D-77 into minutes."),
            asks(
                call(
                    "get_document",
                    {"document_id": "D-77"},
                    "Ana: the import failed twice last night.\nBoris: fixed, it was a wrong password.\nAna: then we go live on Monday.",
                )
            ),
            model_fails(
                "pydantic_ai.exceptions.ModelHTTPError",
                "status_code: 529, model_name: claude-sonnet-4-5, body: {'type': 'error', 'error': {'type': 'overloaded_error', 'message': 'Overloaded'}}",
            ),
            pause(3),
            answers(
                "Minutes: (1) The import failed twice because of a wrong password; Boris fixed it. (2) Go-live is on Monday."
            ),
        ),
        failing=(),
        why="the model was overloaded once and answered at the retry",
    ),
)
