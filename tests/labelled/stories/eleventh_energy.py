"""Power: ENTSO-E, meters, Home Assistant, evcc, Kraken, grid calculations."""
# ruff: noqa: E501

from __future__ import annotations

import json

from ..story import Agent, Call, Story, answers, asks, call, pause, repeat_calls, tool, user

__all__ = ["STORIES"]

ENTSOE = tool(
    "entsoe_query",
    "Queries the ENTSO-E transparency platform; returns its XML",
    document_type="string",
    in_domain="string",
    out_domain="string?",
    period_start="string",
    period_end="string",
)
PRICES = Agent("day_ahead_agent", (ENTSOE,), "You answer questions on day-ahead prices.", "gpt-4.1-mini")

ENTITY = tool("get_entity", "State of an entity", entity_id="string", detailed="boolean?")
ACTION = tool(
    "entity_action", "Acts on an entity", entity_id="string", action=["on", "off", "toggle"], params="object?"
)
HOME = Agent("home_agent", (ENTITY, ACTION), "You run the house with Home Assistant.", "gpt-4o-mini")

KRAKEN = tool("kraken_graphql", "Runs a GraphQL query against the Kraken API", query="string", variables="object?")
KRAKEN_AGENT = Agent("saving_sessions", (KRAKEN,), "You answer questions on the customer's energy account.", "gpt-4o")

TELEGRAM = tool("read_p1_telegram", "Latest telegram of the smart meter's P1 port", host="string")
P1 = Agent("slimme_meter", (TELEGRAM,), "Je beantwoordt vragen over de slimme meter.", "gpt-4.1-mini")

TURN_OFF = tool("HassTurnOff", "Turns off devices", name="string?", area="string?", domain="string[]?")
LIVE = tool("GetLiveContext", "Real-time information on devices")
ASSIST = Agent("assist", (TURN_OFF, LIVE), "You are a voice assistant for Home Assistant.", "gpt-4o-mini")

EVCC_STATE = tool("evcc_get_state", "State of the charger")
EVCC_MODE = tool("evcc_set_mode", "Sets the charge mode", loadpoint="integer", mode=["off", "now", "minpv", "pv"])
EVCC = Agent("wallbox_helfer", (EVCC_STATE, EVCC_MODE), "Du steuerst die Wallbox über evcc.", "gpt-4.1-nano")

CONTRACT = tool("get_contract", "A supply contract", contract_id="string")
SHEET = tool("get_tariff_sheet", "A tariff sheet", tariff_code="string")
TARIFFS = Agent("tariff_explainer", (CONTRACT, SHEET), "You explain bills.", "gpt-4o-mini")

SQL = tool("query", "Run a read-only SQL query", sql="string")
TIMESCALE = Agent("load_analyst", (SQL,), "You analyse load profiles in TimescaleDB.", "claude-sonnet-4-5", "anthropic")

BASH = tool("Bash", "Runs a command", command="string", description="string?", timeout="number?")
READ = tool("Read", "Reads a file", file_path="string", offset="integer?", limit="integer?")
GRID = Agent("grid_coder", (READ, BASH), "You run grid studies with pandapower.", "claude-sonnet-4-5", "anthropic")

FORECAST = tool("get_pv_forecast", "PV forecast of a plant", plant_id="string", date="string")
PLANTS = Agent("pv_dispatch", (FORECAST,), "You prepare the dispatch of PV plants.", "gpt-4o")


def boiler(state: str, at: str) -> Call:
    return call(
        "get_entity",
        {"entity_id": "sensor.boiler_temperature"},
        {"entity_id": "sensor.boiler_temperature", "state": state, "unit": "°C", "last_updated": at},
    )


STORIES = (
    Story(
        "eleventh_energy_entsoe_not_yet_published",
        "genai",
        PRICES,
        (
            user("What will power cost in the Netherlands tomorrow, and what does it cost today on average?"),
            asks(
                call(
                    "entsoe_query",
                    {
                        "document_type": "A44",
                        "in_domain": "10YNL----------L",
                        "out_domain": "10YNL----------L",
                        "period_start": "202605182200",
                        "period_end": "202605192200",
                    },
                    '<?xml version="1.0" encoding="UTF-8"?>\n<Publication_MarketDocument xmlns="urn:iec62325.351:tc57wg16:451-3:publicationdocument:7:3">\n  <mRID>c4d0e6'
                    "f1a2</mRID>\n  <type>A44</type>\n  <TimeSeries>\n    <currency_Unit.name>EUR</currency_Unit.name>\n    <Period>\n      <resolution>PT6H</resolution>\n"
                    "      <Point><position>1</position><price.amount>71.20</price.amount></Point>\n      <Point><position>2</position><price.amount>64.80</price.amount></Point>\n"
                    "      <Point><position>3</position><price.amount>-3.10</price.amount></Point>\n      <Point><position>4</position><price.amount>98.70</price.amount></Point>\n"
                    "    </Period>\n  </TimeSeries>\n</Publication_MarketDocument>",
                ),
                call(
                    "entsoe_query",
                    {
                        "document_type": "A44",
                        "in_domain": "10YNL----------L",
                        "out_domain": "10YNL----------L",
                        "period_start": "202605192200",
                        "period_end": "202605202200",
                    },
                    '<?xml version="1.0" encoding="UTF-8"?>\n<Acknowledgement_MarketDocument xmlns="urn:iec62325.351:tc57wg16:451-1:acknowledgementdocument:7:0">\n'
                    "  <mRID>2b71c0aa-51d3-4</mRID>\n  <createdDateTime>2026-05-19T08:02:11Z</createdDateTime>\n"
                    '  <sender_MarketParticipant.mRID codingScheme="A01">10X1001A1001A450</sender_MarketParticipant.mRID>\n  <Reason>\n    <code>999</code>\n'
                    "    <text>No matching data found for Data item ENERGY_PRICES and interval 2026-05-19T22:00:00.000Z/2026-05-20T22:00:00.000Z.</text>\n"
                    "  </Reason>\n</Acknowledgement_MarketDocument>",
                ),
            ),
            answers(
                "Today's average is 57.90 EUR/MWh. Tomorrow's prices are not published yet; they come around 12:45."
            ),
        ),
        failing=(),
        why="today's prices came; that there are none for tomorrow yet is nothing found",
    ),
    Story(
        "eleventh_energy_boiler_watched",
        "genai_events",
        HOME,
        (
            user("Heat the boiler to 55 degrees and switch it off again then."),
            asks(
                call(
                    "entity_action",
                    {"entity_id": "switch.boiler", "action": "on"},
                    [
                        {
                            "entity_id": "switch.boiler",
                            "state": "on",
                            "attributes": {"friendly_name": "Boiler", "restored": False},
                        }
                    ],
                )
            ),
            asks(boiler("41.5", "2026-05-19T05:10:00+00:00")),
            pause(300),
            asks(boiler("48.0", "2026-05-19T05:15:00+00:00")),
            pause(300),
            asks(boiler("48.0", "2026-05-19T05:15:00+00:00")),
            pause(300),
            asks(boiler("48.0", "2026-05-19T05:15:00+00:00")),
            pause(300),
            asks(boiler("55.5", "2026-05-19T05:29:00+00:00")),
            asks(
                call(
                    "entity_action",
                    {"entity_id": "switch.boiler", "action": "off"},
                    [
                        {
                            "entity_id": "switch.boiler",
                            "state": "off",
                            "attributes": {"friendly_name": "Boiler", "restored": False},
                        }
                    ],
                )
            ),
            answers("The boiler has 55.5 °C and is off again."),
        ),
        failing=(),
        why="a sensor that was read until it had the temperature; for a while it gave the same value",
    ),
    Story(
        "eleventh_energy_kraken_credential",
        "openinference",
        KRAKEN_AGENT,
        (
            user("Is there a saving session this week?"),
            asks(
                call(
                    "kraken_graphql",
                    {
                        "query": "query s($a: String!) { savingSessions { account(accountNumber: $a) { hasJoinedCampaign joinedEvents { eventId startAt } } } }",
                        "variables": {"a": "A-4F71B2C9"},
                    },
                    {
                        "data": {"savingSessions": None},
                        "errors": [
                            {
                                "message": "Value of 'Authorization' header is not a valid credential.",
                                "locations": [{"line": 1, "column": 25}],
                                "path": ["savingSessions"],
                                "extensions": {
                                    "errorType": "AUTHORIZATION",
                                    "errorCode": "KT-CT-1143",
                                    "errorClass": "AUTHORIZATION",
                                    "errorDescription": "The value of the HTTP Authorization header is not recognized as a valid access credential for this API.",
                                },
                            }
                        ],
                    },
                )
            ),
            answers("There is no saving session planned for you this week."),
        ),
        failing=("tool_error",),
        why="GraphQL refused the query in its errors, so the answer that there is no session is unfounded",
    ),
    Story(
        "eleventh_energy_p1_telegram",
        "openllmetry",
        P1,
        (
            user("Hoeveel stroom heb ik in totaal verbruikt en zijn er storingen geweest?"),
            asks(
                call(
                    "read_p1_telegram",
                    {"host": "192.168.1.40"},
                    "/ISK5\\2M550T-1012\r\n\r\n1-3:0.2.8(50)\r\n0-0:1.0.0(260519101512S)\r\n1-0:1.8.1(004213.771*kWh)\r\n1-0:1.8.2(003879.402*kWh)\r\n1-0:2.8.1(000000.000*kWh)\r\n"
                    "0-0:96.14.0(0002)\r\n1-0:1.7.0(00.412*kW)\r\n0-0:96.7.21(00011)\r\n0-0:96.7.9(00003)\r\n1-0:99.97.0(3)(0-0:96.7.19)(250212041015W)(0000000642*s)(251103183001W)"
                    "(0000007211*s)(260101000512W)(0000000187*s)\r\n1-0:32.32.0(00002)\r\n0-0:96.13.0()\r\n!E47C\r\n",
                )
            ),
            answers(
                "U hebt in totaal 8093,173 kWh verbruikt. Er waren 11 korte en 3 lange onderbrekingen; de langste duurde ongeveer twee uur, op 3 november 2025."
            ),
        ),
        failing=(),
        why="the telegram was read; the failures in it are counters of the meter",
    ),
    Story(
        "eleventh_energy_everything_off",
        "vercel_ai",
        ASSIST,
        (
            user("Gute Nacht, mach im Wohnzimmer alles aus."),
            asks(
                call(
                    "HassTurnOff",
                    {"area": "Wohnzimmer", "domain": ["light", "media_player"]},
                    json.dumps(
                        {
                            "speech": {},
                            "response_type": "action_done",
                            "data": {
                                "targets": [],
                                "success": [
                                    {"name": "Wohnzimmer", "type": "area", "id": "wohnzimmer"},
                                    {"name": "Stehlampe", "type": "entity", "id": "light.stehlampe"},
                                    {"name": "Error-Kunst (LED-Schild)", "type": "entity", "id": "light.error_kunst"},
                                ],
                                "failed": [],
                            },
                        },
                        ensure_ascii=False,
                    ),
                )
            ),
            asks(
                call(
                    "GetLiveContext",
                    {},
                    {
                        "success": True,
                        "result": "Live Context: An overview of the areas and the devices in this smart home:\n- names: Stehlampe\n  domain: light\n  state: 'off'\n"
                        "- names: Fernseher\n  domain: media_player\n  state: 'unavailable'\n",
                    },
                )
            ),
            answers("Alles aus. Gute Nacht!"),
        ),
        failing=(),
        why="the list of failures is empty and the state confirms it; a TV without power is unavailable",
    ),
    Story(
        "eleventh_energy_evcc_mode_unknown",
        "pydantic_ai",
        EVCC,
        (
            user("Lade das Auto bitte nur noch mit Sonne."),
            asks(
                call(
                    "evcc_get_state",
                    {},
                    {
                        "loadpoints": [
                            {"title": "Garage", "mode": "now", "charging": True, "chargePower": 11040, "vehicleSoc": 46}
                        ],
                        "pvPower": 5210,
                    },
                )
            ),
            asks(
                call(
                    "evcc_set_mode",
                    {"loadpoint": 1, "mode": "solar"},
                    {"error": "invalid charge mode: solar", "status": 400},
                )
            ),
            answers("Erledigt, das Auto lädt ab jetzt nur noch mit Sonnenstrom."),
        ),
        failing=("tool_error", "tool_call_validity"),
        why='"solar" is none of the modes, evcc refused it, and the mode was never set',
    ),
    Story(
        "eleventh_energy_contract_and_sheet_in_circles",
        "vercel_ai",
        TARIFFS,
        (
            user("Why is my standing charge 14.20 a month? Contract SV-88123."),
            *repeat_calls(
                5,
                call(
                    "get_contract",
                    {"contract_id": "SV-88123"},
                    {
                        "contract_id": "SV-88123",
                        "tariff_code": "FIX24-B",
                        "start": "2025-10-01",
                        "standing_charge": None,
                        "remark": "see tariff sheet",
                    },
                ),
                call(
                    "get_tariff_sheet",
                    {"tariff_code": "FIX24-B"},
                    "Tariff sheet FIX24-B (valid from 2025-09-01)\nUnit rate 28.9 ct/kWh\nStanding charge: as agreed in the contract\n",
                ),
            ),
            answers(
                "The contract refers to the tariff sheet and the sheet to the contract, so I can't tell. Please ask our service."
            ),
        ),
        failing=("tool_efficiency",),
        why="contract and sheet were read five times in turn, each time with the same text",
    ),
    Story(
        "eleventh_energy_sql_column_corrected",
        "pydantic_ai",
        TIMESCALE,
        (
            user("Peak load of substation UW-Nord in the last 7 days?"),
            asks(
                call(
                    "query",
                    {
                        "sql": "SELECT max(p_kw) FROM load_15min WHERE substation = 'UW-Nord' AND ts > now() - interval '7 days'"
                    },
                    "ERROR:  column \"ts\" does not exist\nLINE 1: ...(p_kw) FROM load_15min WHERE substation = 'UW-Nord' AND ts > now...\n"
                    "                                                             ^\n",
                )
            ),
            asks(
                call(
                    "query",
                    {
                        "sql": "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'load_15min'"
                    },
                    json.dumps(
                        [
                            {"column_name": "time", "data_type": "timestamp with time zone"},
                            {"column_name": "substation", "data_type": "text"},
                            {"column_name": "p_kw", "data_type": "double precision"},
                            {"column_name": "error_flag", "data_type": "boolean"},
                        ]
                    ),
                )
            ),
            asks(
                call(
                    "query",
                    {
                        "sql": "SELECT time, p_kw, error_flag FROM load_15min WHERE substation = 'UW-Nord' AND time > now() - interval '7 days' ORDER BY p_kw DESC LIMIT 2"
                    },
                    json.dumps(
                        [
                            {"time": "2026-05-14T10:45:00Z", "p_kw": 99999.0, "error_flag": True},
                            {"time": "2026-05-15T16:30:00Z", "p_kw": 18412.5, "error_flag": False},
                        ]
                    ),
                )
            ),
            answers(
                "18.4 MW, on 15 May at 16:30 UTC. One higher value is flagged as a measuring error, so I left it out."
            ),
        ),
        failing=(),
        why="the wrong column was corrected and the query worked; the error flag is data of the meter",
    ),
    Story(
        "eleventh_energy_loadflow_diverged",
        "genai",
        GRID,
        (
            user("Run the load flow for winter peak and give me the loading of line 14."),
            asks(
                call(
                    "Read",
                    {"file_path": "/srv/study/run_winter.py"},
                    '     1\timport pandapower as pp\n     2\tfrom net import build\n     3\t\n     4\tnet = build("winter_peak")\n     5\tpp.runpp(net, max_iteration=10)\n'
                    '     6\tnet.res_line.to_csv("out/winter_lines.csv")\n',
                )
            ),
            asks(
                call(
                    "Bash",
                    {"command": "cd /srv/study && python run_winter.py", "description": "Run winter peak load flow"},
                    'Exit code 1\nTraceback (most recent call last):\n  File "/srv/study/run_winter.py", line 5, in <module>\n    pp.runpp(net, max_iteration=10)\n'
                    '  File "/usr/lib/python3/dist-packages/pandapower/run.py", line 252, in runpp\n    _powerflow(net, **kwargs)\n'
                    "pandapower.powerflow.LoadflowNotConverged: Power Flow nr did not converge after 10 iterations!",
                )
            ),
            answers("The load flow for winter peak has run; the results are in out/winter_lines.csv."),
        ),
        failing=("tool_error",),
        why="the calculation, the last thing the run did, broke off with an exception, and nothing was written",
    ),
    Story(
        "eleventh_energy_pv_empty_answer",
        "genai_events",
        PLANTS,
        (
            user("Przygotuj prognozę na jutro dla elektrowni PV-Lublin-3 do przekazania operatorowi."),
            asks(
                call(
                    "get_pv_forecast",
                    {"plant_id": "PV-Lublin-3", "date": "2026-05-20"},
                    {
                        "plant_id": "PV-Lublin-3",
                        "date": "2026-05-20",
                        "resolution": "PT3H",
                        "mw": [0.0, 0.1, 2.4, 6.8, 7.1, 3.9, 0.6, 0.0],
                        "quality": "ok",
                    },
                )
            ),
            answers(""),
        ),
        failing=("run_completion",),
        why="the forecast came and the answer is empty",
    ),
)
