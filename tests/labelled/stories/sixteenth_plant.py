"""Machines, buildings and their upkeep."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import (
    Agent,
    Ask,
    Fault,
    Story,
    answers,
    asks,
    call,
    model_fails,
    pause,
    refused,
    repeat_calls,
    tool,
    unanswered,
    user,
)

__all__ = ["STORIES"]

GREENHOUSE = Agent(
    "greenhouse_watch",
    (
        tool("read_sensor", "Current value of a sensor", sensor_id="string"),
        tool("set_vent", "Opens or closes a vent", vent_id="string", percent="integer"),
    ),
    "You keep the climate of a greenhouse.",
    "gpt-4.1-nano",
)
OPCUA = Agent(
    "linienassistent",
    (
        tool("read_opcua_node", "Liest einen Knoten", node_id="string"),
        tool("browse_opcua_children", "Kinder eines Knotens", node_id="string"),
    ),
    "Du gibst Auskunft über die Linien im Werk.",
    "gpt-4.1",
)
MES = Agent(
    "mes_agent",
    (
        tool("GetWorkOrder", "A work order", order_no="string"),
        tool("ReportScrap", "Reports scrap on an order", order_no="string", pieces="integer", reason_code="string"),
    ),
    "You report production to the MES.",
    "gpt-4o",
)
ALARMS = Agent(
    "alarm_analyst",
    (
        tool("query_loki", "Queries logs", query="string", start="string?", end="string?", limit="integer?"),
        tool("get_machine", "Master data of a machine", machine="string"),
    ),
    "You find the causes of standstills.",
    "claude-sonnet-4-5",
    "anthropic",
)
BOILER = Agent(
    "boiler_operator",
    (
        tool("read_setpoint", "A setpoint", tag="string"),
        tool("write_setpoint", "Changes a setpoint", tag="string", value="number"),
    ),
    "You operate boilers. Every change of a setpoint is approved by the shift leader.",
    "gpt-4.1",
)
WAREHOUSE = Agent(
    "lager_agent",
    (
        tool("get_stock", "Bestand eines Artikels", article="string"),
        tool(
            "create_transfer",
            "Legt einen Transportauftrag an",
            article="string",
            quantity="integer",
            source_bin="string",
            target_bin="string",
        ),
    ),
    "Du bewegst Ware im Hochregallager.",
    "mistral-large-latest",
    "mistral_ai",
)
ELEVATOR = Agent(
    "lift_service",
    (
        tool("get_unit", "A lift", unit_id="string"),
        tool("list_faults", "Fault memory of a lift", unit_id="string", limit="integer?"),
    ),
    "You support technicians who service lifts.",
    "gpt-4o-mini",
)
CMMS = Agent(
    "wartung_bot",
    (
        tool("asset_suchen", "Sucht Anlagen", text="string"),
        tool(
            "auftrag_anlegen",
            "Legt einen Wartungsauftrag an",
            asset_id="string",
            titel="string",
            prioritaet=["niedrig", "mittel", "hoch"],
        ),
    ),
    "Du legst Wartungsaufträge an.",
    "gpt-4.1-mini",
)
RECIPES = Agent(
    "batch_planner",
    (
        tool("get_recipe", "A recipe", recipe="string"),
        tool("get_tank", "A tank", tank="string"),
        tool("plan_batch", "Plans a batch", recipe="string", tank="string", start="string"),
    ),
    "You plan batches in a dairy.",
    "gpt-4o",
)
QUALITY = Agent(
    "quality_specialist",
    (tool("get_spc", "Statistics of a characteristic", line="string", characteristic="string", shift="string"),),
    "You judge quality data.",
    "gpt-4.1-mini",
)
SHIFT = Agent(
    "shift_reporter",
    (
        tool("get_output", "Output of a line in a shift", line="string", shift="string"),
        tool("ask_quality_specialist", "Asks the specialist on quality", question="string"),
    ),
    "You write shift reports.",
    "gpt-4.1",
)


def temperature(at: str) -> Ask:
    return asks(
        call(
            "read_sensor",
            {"sensor_id": "t-north"},
            {
                "entity_id": "sensor.t_north",
                "state": "24.1",
                "attributes": {"unit_of_measurement": "°C", "device_class": "temperature"},
                "last_reported": at,
            },
        )
    )


STORIES = (
    Story(
        "sixteenth_plant_temperature_stays",
        "genai_events",
        GREENHOUSE,
        (
            user("Open vent 2 by 30 % and watch the north side for four minutes. Close it if it drops below 22."),
            asks(
                call(
                    "set_vent",
                    {"vent_id": "v2", "percent": 30},
                    {"success": True, "vent_id": "v2", "percent": 30, "error": None},
                )
            ),
            temperature("2026-05-19T12:00:04+00:00"),
            pause(60),
            temperature("2026-05-19T12:01:06+00:00"),
            pause(60),
            temperature("2026-05-19T12:02:08+00:00"),
            pause(60),
            temperature("2026-05-19T12:03:10+00:00"),
            pause(60),
            temperature("2026-05-19T12:04:12+00:00"),
            answers("Vent 2 is open by 30 %. The north side stayed at 24.1 °C for four minutes, so I left it open."),
        ),
        failing=(),
        why="a sensor was watched, as asked; that the temperature stays is its value",
    ),
    Story(
        "sixteenth_plant_knoten_unlesbar",
        "openllmetry",
        OPCUA,
        (
            user("Wie heiß ist die Presse an Linie 3?"),
            asks(
                call(
                    "browse_opcua_children",
                    {"node_id": "ns=2;s=Line3.Press"},
                    [
                        {"node_id": "ns=2;s=Line3.Press.Temp", "browse_name": "2:Temp"},
                        {"node_id": "ns=2;s=Line3.Press.Force", "browse_name": "2:Force"},
                    ],
                )
            ),
            asks(
                call(
                    "read_opcua_node",
                    {"node_id": "ns=2;s=Line3.Press.Temp"},
                    'Error reading node ns=2;s=Line3.Press.Temp: "The operation could not be completed because the server is not connected to the device." (BadNotConnected, 0x808A0000)',
                )
            ),
            answers(
                "Die Temperatur lässt sich gerade nicht lesen: Der OPC-UA-Server hat keine Verbindung zur Presse (BadNotConnected)."
            ),
        ),
        failing=("tool_error",),
        why="the only read of the value came back as an error message",
    ),
    Story(
        "sixteenth_plant_mes_unavailable_once",
        "genai",
        MES,
        (
            user("Report 14 pieces scrap on WO-88120, reason S07."),
            asks(
                call(
                    "GetWorkOrder",
                    {"order_no": "WO-88120"},
                    {"orderNo": "WO-88120", "state": "IN_PROGRESS", "good": 1186, "scrap": 9, "errorCode": 0},
                )
            ),
            asks(
                call(
                    "ReportScrap",
                    {"order_no": "WO-88120", "pieces": 14, "reason_code": "S07"},
                    fault=Fault(
                        "grpc.aio._call.AioRpcError",
                        '<AioRpcError of RPC that terminated with:\n\tstatus = StatusCode.UNAVAILABLE\n\tdetails = "failed to connect to all addresses; last error: UNKNOWN: ipv4:10.20.4.7:50051: Connection refused"\n>',
                    ),
                )
            ),
            pause(15),
            asks(
                call(
                    "ReportScrap",
                    {"order_no": "WO-88120", "pieces": 14, "reason_code": "S07"},
                    {"orderNo": "WO-88120", "scrap": 23, "bookingId": "B-550012"},
                )
            ),
            answers("Reported: 14 pieces with reason S07. WO-88120 now has 23 pieces scrap (booking B-550012)."),
        ),
        failing=(),
        why="the MES was unavailable once and took the report at the second try",
    ),
    Story(
        "sixteenth_plant_standstill_in_the_logs",
        "vercel_ai",
        ALARMS,
        (
            user("Why did robot R14 stop at 3 a.m.?"),
            asks(
                call(
                    "get_machine",
                    {"machine": "R14"},
                    {"machine": "R14", "type": "KR 210", "cell": "W2", "decommissionedAt": None},
                )
            ),
            asks(
                call(
                    "query_loki",
                    {
                        "query": '{machine="R14"} |= "ERROR"',
                        "start": "2026-02-10T02:50:00Z",
                        "end": "2026-02-10T03:10:00Z",
                        "limit": 50,
                    },
                    {
                        "status": "success",
                        "data": {
                            "resultType": "streams",
                            "result": [
                                {
                                    "stream": {"machine": "R14", "level": "error"},
                                    "values": [
                                        [
                                            "1770692384000000000",
                                            "ERROR KSS15068 Safety: gate W2-G1 opened, operation failed",
                                        ],
                                        [
                                            "1770692384120000000",
                                            "ERROR KSS00404 Stop due to field bus error: request failed with status 500",
                                        ],
                                    ],
                                }
                            ],
                        },
                    },
                )
            ),
            answers(
                "At 02:59:44 UTC the gate W2-G1 was opened; the safety controller stopped R14, and the field bus error follows from that."
            ),
        ),
        failing=(),
        why="the errors are the log lines that were asked for; both calls worked",
    ),
    Story(
        "sixteenth_plant_setpoint_awaits_shift_leader",
        "pydantic_ai",
        BOILER,
        (
            user("Lower the feed temperature of boiler 2 to 72 degrees."),
            asks(
                call(
                    "read_setpoint",
                    {"tag": "K2.TFEED.SP"},
                    {"tag": "K2.TFEED.SP", "value": 78.0, "unit": "°C", "quality": "Good"},
                )
            ),
            asks(
                call(
                    "write_setpoint",
                    {"tag": "K2.TFEED.SP", "value": 72},
                    is_answered=False,
                    deferral="ApprovalRequired",
                )
            ),
        ),
        failing=(),
        why="the change waits for the approval of the shift leader",
    ),
    Story(
        "sixteenth_plant_transport_nie_angelegt",
        "openinference",
        WAREHOUSE,
        (
            user("Bring bitte 12 Stück 4711-B von 03-17-2 nach Packplatz P4."),
            asks(
                call(
                    "get_stock",
                    {"article": "4711-B"},
                    {
                        "article": "4711-B",
                        "bins": [{"bin": "03-17-2", "quantity": 40, "blocked": False}],
                        "message": "",
                    },
                )
            ),
            asks(
                unanswered(
                    "create_transfer",
                    {"article": "4711-B", "quantity": 12, "source_bin": "03-17-2", "target_bin": "P4"},
                )
            ),
        ),
        failing=("run_completion",),
        why="the run ended with the transfer requested and never executed, and without an answer",
    ),
    Story(
        "sixteenth_plant_reset_that_is_not_offered",
        "vercel_ai",
        ELEVATOR,
        (
            user("Lift 70-113 shows E41. Can you reset it?"),
            asks(
                call(
                    "list_faults",
                    {"unit_id": "70-113", "limit": 3},
                    {
                        "unitId": "70-113",
                        "faults": [
                            {
                                "code": "E41",
                                "text": "Door operator blocked",
                                "at": "2026-04-02T06:12:55Z",
                                "cleared": False,
                            }
                        ],
                    },
                )
            ),
            asks(
                refused(
                    "reset_unit",
                    {"unit_id": "70-113", "code": "E41"},
                    "Model tried to call unavailable tool 'reset_unit'. Available tools: get_unit, list_faults.",
                )
            ),
            answers(
                "I can't reset lifts from here. E41 is a blocked door operator: clear the sill of car and landing, then reset it at the controller (menu 3.2)."
            ),
        ),
        failing=("tool_call_validity", "tool_error"),
        why="the model called a tool that it was not offered and that does not exist",
    ),
    Story(
        "sixteenth_plant_wartungsauftrag",
        "openllmetry",
        CMMS,
        (
            user("Kompressor Halle B verliert Öl, bitte dringend jemand schicken."),
            asks(
                call(
                    "asset_suchen",
                    {"text": "Kompressor Halle B"},
                    {
                        "treffer": 1,
                        "anlagen": [
                            {
                                "id": "A-2207",
                                "bezeichnung": "Schraubenkompressor Halle B",
                                "status": "STÖRUNG",
                                "letzter_fehler": "Öldruck niedrig",
                            }
                        ],
                    },
                )
            ),
            asks(
                call(
                    "auftrag_anlegen",
                    {"asset_id": "A-2207", "titel": "Kompressor verliert Öl", "prioritaet": "hoch"},
                    {
                        "auftrag": "WA-90013",
                        "status": "angelegt",
                        "fehler": [],
                        "warnung": None,
                        "termin": "2026-06-01T10:00",
                    },
                )
            ),
            answers("Auftrag WA-90013 ist angelegt, Priorität hoch. Die Instandhaltung kommt um 10 Uhr."),
        ),
        failing=(),
        why="the machine has a fault, the calls have none",
    ),
    Story(
        "sixteenth_plant_batch_planner_goes_round",
        "genai",
        RECIPES,
        (
            user("Plan a batch of skyr for tomorrow morning."),
            *repeat_calls(
                6,
                call(
                    "get_recipe",
                    {"recipe": "skyr"},
                    {
                        "recipe": "skyr",
                        "volume_l": 4000,
                        "steps": ["pasteurise", "cool", "inoculate", "ferment 6 h"],
                        "tank_class": "F",
                    },
                ),
                call(
                    "get_tank",
                    {"tank": "F2"},
                    {"tank": "F2", "class": "F", "capacity_l": 5000, "state": "CLEAN", "reserved": []},
                ),
            ),
            answers("Tank F2 is clean and big enough for skyr. At what time should the batch start?"),
        ),
        failing=("tool_efficiency",),
        why="recipe and tank were read six times in turn and never changed",
    ),
    Story(
        "sixteenth_plant_shift_report_with_specialist",
        "pydantic_ai",
        SHIFT,
        (
            user("Report on the late shift at line 5, with a word on fill weight."),
            model_fails(
                "ModelHTTPError",
                "status_code: 529, model_name: gpt-4.1, body: {'type': 'error', 'error': {'type': 'overloaded_error', 'message': 'Overloaded'}}",
            ),
            asks(
                call(
                    "get_output",
                    {"line": "L5", "shift": "late"},
                    {"line": "L5", "good": 20811, "rejects": 112, "failures": 0, "stops_min": 17},
                )
            ),
            asks(
                call(
                    "ask_quality_specialist",
                    {"question": "Was the fill weight at line 5 in control during the late shift?"},
                    "Yes: Cpk 1.41, two points outside the warning limits, none outside the control limits.",
                    agent=QUALITY,
                    steps=(
                        asks(
                            call(
                                "get_spc",
                                {"line": "L5", "characteristic": "fill_weight", "shift": "late"},
                                {
                                    "n": 96,
                                    "mean": 250.8,
                                    "cpk": 1.41,
                                    "violations": {"warning": 2, "control": 0},
                                    "error": "",
                                },
                            )
                        ),
                        answers(
                            "Yes: Cpk 1.41, two points outside the warning limits, none outside the control limits."
                        ),
                    ),
                )
            ),
            answers(
                "Late shift, line 5: 20,811 good, 112 rejects, 17 minutes of stops. Fill weight was in control (Cpk 1.41)."
            ),
        ),
        failing=(),
        why="the overloaded model was tried again; output and quality were read and reported",
    ),
)
