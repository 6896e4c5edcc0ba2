"""Things at home, in the field and on the shop floor."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import (
    Agent,
    Fault,
    Story,
    answers,
    asks,
    call,
    pause,
    repeat_calls,
    tool,
    user,
)

__all__ = ["STORIES"]

Z2M_SET = tool("zigbee_set", "Publish to zigbee2mqtt/NAME/set", friendly_name="string", payload={"type": "object"})
Z2M = Agent("zigbee_hausassistent", (Z2M_SET,), "Du steuerst Zigbee-Geräte über MQTT.", "gpt-4.1-mini")

SHADOW_GET = tool("get_thing_shadow", "Read a device shadow", thing_name="string", shadow_name="string?")
SHADOW_SET = tool(
    "update_thing_shadow",
    "Update a device shadow",
    thing_name="string",
    payload={"type": "object"},
    shadow_name="string?",
)
JOB_NEW = tool("create_job", "Create an IoT job", job_id="string", targets="string[]", document_source="string")
JOB_GET = tool("describe_job_execution", "State of a job on a thing", job_id="string", thing_name="string")
IOT = Agent(
    "fleet_operator",
    (SHADOW_GET, SHADOW_SET),
    "You operate a fleet of AWS IoT things.",
    "claude-sonnet-4-5",
    "anthropic",
)
OTA = Agent("ota_operator", (JOB_NEW, JOB_GET), "You roll out firmware.", "gpt-4.1")

MOISTURE = tool("read_soil_moisture", "Read a soil moisture sensor", sensor_id="string")
VALVE = tool("set_valve", "Open or close an irrigation valve", valve_id="string", state=["open", "closed"])
FARM = Agent("irrigation_agent", (MOISTURE, VALVE), "Je beheert de irrigatie van een kas.", "gpt-4o-mini")
DEVICES = tool("list_devices", "All devices of the greenhouse, as configured")
GREENHOUSE = Agent("greenhouse_planner", (DEVICES, VALVE), "You plan watering.", "gpt-4.1-mini")

CLIMATE = tool(
    "climate_set_hvac_mode",
    "Set the mode of a thermostat",
    entity_id="string",
    hvac_mode=["off", "heat", "cool", "heat_cool", "auto", "dry", "fan_only"],
)
TEMPERATURE = tool("climate_set_temperature", "Set the target temperature", entity_id="string", temperature="number")
THERMOSTAT = Agent("thermostat_agent", (CLIMATE, TEMPERATURE), "You control the heating.", "gpt-4.1-nano")

HA_CALL = tool(
    "ha_call_service",
    "Call a Home Assistant service",
    domain="string",
    service="string",
    service_data={"type": "object"},
)
HA = Agent("casa_domotica", (HA_CALL,), "Controlas la casa con Home Assistant.", "gpt-4o")

GARAGE_GET = tool("garage_status", "State of the garage door")
GARAGE_SET = tool("garage_command", "Move the garage door", command=["open", "close", "stop"])
GARAGE = Agent("garage_bot", (GARAGE_GET, GARAGE_SET), "You control a garage door.", "gpt-4o-mini")

SNMP = tool("snmp_walk", "Walk a subtree of a device", host="string", oid="string", community="string?")
PRINTERS = Agent("printer_monitor", (SNMP,), "You watch printers.", "gpt-4.1-mini")

MEDIA = tool("media_play", "Play music in a room", room="string", query="string")
VOICE = Agent(
    "kitchen_speaker",
    (MEDIA,),
    "You are the voice of a kitchen speaker. Answer in one sentence.",
    "gpt-4o-realtime-preview",
)

DRY = {"sensor_id": "kas2-bed4", "vwc_percent": 18.2, "battery_mv": 2980, "err": 0}
PLAN = [
    {"id": "v1", "type": "valve", "zone": "tomatoes", "flow_lpm": 12},
    {"id": "v2", "type": "valve", "zone": "cucumbers", "flow_lpm": 9},
    {"id": "m1", "type": "moisture", "zone": "tomatoes"},
]

STORIES = (
    Story(
        "twelfth_devices_bulb_without_ack",
        "genai_events",
        Z2M,
        (
            user("Mach die Stehlampe im Flur auf 40 Prozent."),
            asks(
                call(
                    "zigbee_set",
                    {"friendly_name": "stehlampe_flur", "payload": {"state": "ON", "brightness": 102}},
                    'zigbee2mqtt/bridge/logging {"level":"error","message":"z2m: Publish \'set\' \'state\' to \'stehlampe_flur\' failed: \'Error: ZCL command 0x7cb03eaa0a06e35a/3 genLevelCtrl.moveToLevelWithOnOff({\\"level\\":102,\\"transtime\\":0}, {\\"timeout\\":10000,\\"disableResponse\\":false}) failed (Data request failed with error: \'MAC no ack\' (233))\'"}',
                )
            ),
            pause(4),
            asks(
                call(
                    "zigbee_set",
                    {"friendly_name": "stehlampe_flur", "payload": {"state": "ON", "brightness": 102}},
                    'zigbee2mqtt/stehlampe_flur {"state":"ON","brightness":102,"color_mode":"color_temp","linkquality":48,"update":{"state":"idle"}}',
                )
            ),
            answers("Die Stehlampe im Flur leuchtet jetzt mit 40 Prozent."),
        ),
        failing=(),
        why="the lamp did not acknowledge the first command and took the second",
    ),
    Story(
        "twelfth_devices_shadow_version_conflict",
        "genai",
        IOT,
        (
            user("Set the reporting interval of pump-0381 to 300 seconds."),
            asks(
                call(
                    "update_thing_shadow",
                    {"thing_name": "pump-0381", "payload": {"state": {"desired": {"interval_s": 300}}, "version": 41}},
                    fault=Fault(
                        "botocore.errorfactory.ConflictException",
                        "An error occurred (ConflictException) when calling the UpdateThingShadow operation: Version conflict",
                    ),
                )
            ),
            asks(
                call(
                    "get_thing_shadow",
                    {"thing_name": "pump-0381"},
                    {
                        "state": {
                            "desired": {"interval_s": 60},
                            "reported": {"interval_s": 60, "last_error": "E07 dry run", "errors_total": 3},
                        },
                        "metadata": {},
                        "version": 44,
                        "timestamp": 1789402211,
                    },
                )
            ),
            asks(
                call(
                    "update_thing_shadow",
                    {
                        "thing_name": "pump-0381",
                        "payload": {"state": {"desired": {"interval_s": 300}}, "version": 44},
                        "shadow_name": None,
                    },
                    {
                        "state": {"desired": {"interval_s": 300}},
                        "metadata": {"desired": {"interval_s": {"timestamp": 1789402213}}},
                        "version": 45,
                        "timestamp": 1789402213,
                    },
                )
            ),
            answers(
                "Done: pump-0381 is to report every 300 seconds (shadow version 45). By the way, it last reported E07, dry run."
            ),
        ),
        failing=(),
        why="the conflict was resolved with the current version; the pump's last error is what it reports of itself",
    ),
    Story(
        "twelfth_devices_soil_stays_dry",
        "openllmetry",
        FARM,
        (
            user("Geef bed 4 in kas 2 water tot de vochtigheid stijgt, maar sluit na twintig minuten in elk geval."),
            asks(
                call(
                    "set_valve",
                    {"valve_id": "kas2-bed4", "state": "open"},
                    {"valve_id": "kas2-bed4", "state": "open", "ack": True},
                )
            ),
            asks(call("read_soil_moisture", {"sensor_id": "kas2-bed4"}, DRY)),
            pause(300),
            asks(call("read_soil_moisture", {"sensor_id": "kas2-bed4"}, DRY)),
            pause(300),
            asks(call("read_soil_moisture", {"sensor_id": "kas2-bed4"}, DRY)),
            pause(300),
            asks(call("read_soil_moisture", {"sensor_id": "kas2-bed4"}, DRY)),
            pause(300),
            asks(
                call(
                    "set_valve",
                    {"valve_id": "kas2-bed4", "state": "closed"},
                    {"valve_id": "kas2-bed4", "state": "closed", "ack": True},
                )
            ),
            answers(
                "De klep stond twintig minuten open, maar de sensor bleef op 18,2 %. Hij is weer dicht; controleer de slang of de sensor."
            ),
        ),
        failing=(),
        why="a sensor that is read every five minutes and stays the same is no loop",
    ),
    Story(
        "twelfth_devices_mode_outside_enum",
        "pydantic_ai",
        THERMOSTAT,
        (
            user("Put the living room on heating and 21.5 degrees."),
            asks(
                call(
                    "climate_set_hvac_mode",
                    {"entity_id": "climate.living_room", "hvac_mode": "heating"},
                    "expected HVACMode or one of 'off', 'heat', 'cool', 'heat_cool', 'auto', 'dry', 'fan_only' for dictionary value @ data['hvac_mode']\n\nFix the errors and try again.",
                )
            ),
            asks(
                call(
                    "climate_set_hvac_mode",
                    {"entity_id": "climate.living_room", "hvac_mode": "heat"},
                    [
                        {
                            "entity_id": "climate.living_room",
                            "state": "heat",
                            "attributes": {"hvac_action": "idle", "current_temperature": 19.4},
                        }
                    ],
                )
            ),
            asks(
                call(
                    "climate_set_temperature",
                    {"entity_id": "climate.living_room", "temperature": 21.5},
                    [
                        {
                            "entity_id": "climate.living_room",
                            "state": "heat",
                            "attributes": {"temperature": 21.5, "hvac_action": "heating"},
                        }
                    ],
                )
            ),
            answers("The living room heats to 21.5 degrees."),
        ),
        failing=("tool_call_validity",),
        why="the mode was first 'heating', which the enum does not have; the second call was right",
    ),
    Story(
        "twelfth_devices_service_unknown",
        "openinference",
        HA,
        (
            user("Baja las persianas del salón al 30 %."),
            asks(
                call(
                    "ha_call_service",
                    {
                        "domain": "cover",
                        "service": "set_position",
                        "service_data": {"entity_id": "cover.salon", "position": 30},
                    },
                    {
                        "id": 24,
                        "type": "result",
                        "success": False,
                        "error": {"code": "not_found", "message": "Service cover.set_position not found."},
                    },
                )
            ),
            answers("Listo, las persianas del salón bajan al 30 %."),
        ),
        failing=("tool_error",),
        why="the service does not exist and no other call followed; the answer only says that it worked",
    ),
    Story(
        "twelfth_devices_firmware_rollout_polled",
        "vercel_ai",
        OTA,
        (
            user("gw-117 にファームウェア 2.8.1 を配信して、終わったら教えてください。"),
            asks(
                call(
                    "create_job",
                    {
                        "job_id": "fw281-gw117",
                        "targets": ["arn:aws:iot:eu-west-1:123456789012:thing/gw-117"],
                        "document_source": "s3://fw-bucket/2.8.1/job.json",
                    },
                    {"jobArn": "arn:aws:iot:eu-west-1:123456789012:job/fw281-gw117", "jobId": "fw281-gw117"},
                )
            ),
            *(
                step
                for _ in range(5)
                for step in (
                    asks(
                        call(
                            "describe_job_execution",
                            {"job_id": "fw281-gw117", "thing_name": "gw-117"},
                            {
                                "execution": {
                                    "jobId": "fw281-gw117",
                                    "status": "IN_PROGRESS",
                                    "forceCanceled": False,
                                    "statusDetails": {"detailsMap": {"step": "download"}},
                                    "versionNumber": 2,
                                }
                            },
                        )
                    ),
                    pause(60),
                )
            ),
            asks(
                call(
                    "describe_job_execution",
                    {"job_id": "fw281-gw117", "thing_name": "gw-117"},
                    {
                        "execution": {
                            "jobId": "fw281-gw117",
                            "status": "SUCCEEDED",
                            "forceCanceled": False,
                            "statusDetails": {"detailsMap": {"step": "booted", "failed_boots": "0"}},
                            "versionNumber": 5,
                        }
                    },
                )
            ),
            answers("完了しました。gw-117 は 2.8.1 で起動しています（起動失敗 0 回）。"),
        ),
        failing=(),
        why="a job was polled five times without news and then succeeded",
    ),
    Story(
        "twelfth_devices_printer_states",
        "openinference",
        PRINTERS,
        (
            user("Why does the printer on floor 3 blink?"),
            asks(
                call(
                    "snmp_walk",
                    {"host": "10.3.0.21", "oid": "1.3.6.1.2.1.25.3", "community": None},
                    "HOST-RESOURCES-MIB::hrDeviceDescr.1 = STRING: Toshiba e-STUDIO2555C\nHOST-RESOURCES-MIB::hrDeviceStatus.1 = INTEGER: warning(3)\nHOST-RESOURCES-MIB::hrDeviceErrors.1 = Counter32: 17\nHOST-RESOURCES-MIB::hrPrinterStatus.1 = INTEGER: other(1)\nHOST-RESOURCES-MIB::hrPrinterDetectedErrorState.1 = Hex-STRING: 20 10\n",
                ),
                call(
                    "snmp_walk",
                    {"host": "10.3.0.21", "oid": "1.3.6.1.2.1.43.18.1.1.8"},
                    'Printer-MIB::prtAlertDescription.1.4 = STRING: "Toner low: cyan"\nPrinter-MIB::prtAlertDescription.1.9 = STRING: "ERROR: service call C9-70, fuser"\n',
                ),
            ),
            answers(
                "It reports low cyan toner and service code C9-70 (fuser). The toner you can change, for the fuser call the vendor."
            ),
        ),
        failing=(),
        why="the device was asked for its errors and told them",
    ),
    Story(
        "twelfth_devices_planner_lists_again",
        "genai",
        GREENHOUSE,
        (
            user("番茄那一区是哪个阀门？流量多少？"),
            *repeat_calls(3, call("list_devices", {}, PLAN)),
            answers("番茄区是 v1 阀门，每分钟 12 升。"),
        ),
        failing=("tool_efficiency",),
        why="the configured devices were listed three times in a row with the same result",
    ),
    Story(
        "twelfth_devices_speaker_says_nothing",
        "genai_events",
        VOICE,
        (
            user("Speel iets rustigs in de keuken, en zeg me welk nummer het is."),
            asks(
                call(
                    "media_play",
                    {"room": "keuken", "query": "rustige piano"},
                    {"status": "playing", "title": "Gymnopédie No. 1", "artist": "Erik Satie", "error": None},
                )
            ),
            answers(""),
        ),
        failing=("run_completion",),
        why="the music plays, but the answer is empty",
    ),
)
