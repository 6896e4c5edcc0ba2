"""Smart homes, music, kitchens and appliances."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, pause, tool, unanswered, user

__all__ = ["STORIES"]

HASS = Agent(
    "house",
    (
        tool("HassTurnOn", "Turns on a device", name="string?", area="string?", domain="string[]?"),
        tool("HassTurnOff", "Turns off a device", name="string?", area="string?", domain="string[]?"),
        tool("GetLiveContext", "State of the devices"),
    ),
    "You are a voice assistant for Home Assistant.",
    "gpt-4o-mini",
)

MANUALS = Agent(
    "appliance_helper",
    (tool("search_manuals", "Search manuals of appliances", query="string", top_k="integer?"),),
    "Du hilfst bei Haushaltsgeräten.",
    "gpt-4o",
)

OVEN = Agent(
    "kitchen_helper",
    (
        tool("read_thermometer", "Temperature of the probe", probe="integer"),
        tool("notify", "A message to the phone", text="string"),
    ),
    "You watch the kitchen.",
    "gpt-4.1-mini",
)

HUE = Agent(
    "light_agent",
    (
        tool("get_light", "A light of the Hue bridge", light_id="string"),
        tool("put_light_state", "Set the state of a light", light_id="string", state={"type": "object"}),
    ),
    "You control the lights.",
    "gpt-4o-mini",
)

MUSIC = Agent(
    "music_agent",
    (
        tool("start_playback", "Start playback on Spotify", context_uri="string", device_id="string?"),
        tool("get_devices", "Devices of the account"),
    ),
    "You play music.",
    "gpt-4o",
)

ENERGY = Agent(
    "energy_expert",
    (
        tool("read_meter", "Consumption of a day", day="string"),
        tool("get_tariff", "Prices of the day from Tibber", day="string"),
    ),
    "You know the energy of the house.",
    "gpt-4.1-mini",
)
BUTLER = Agent(
    "butler",
    (tool("ask_energy_expert", "Ask the expert on energy", question="string"),),
    "You run the house.",
    "gpt-4.1",
)

CLIMATE = Agent(
    "climate_agent",
    (
        tool(
            "set_temperature",
            "Set the target of a thermostat",
            entity_id="string",
            temperature={"type": "number", "minimum": 5, "maximum": 30},
            hvac_mode={"type": "string", "enum": ["heat", "cool", "off"]},
        ),
        tool("get_state", "State of an entity", entity_id="string"),
    ),
    "You control the climate.",
    "gpt-4o-mini",
)

GARDEN = Agent(
    "garden_agent",
    (
        tool("get_forecast", "Rain of the next hours", hours="integer"),
        tool("set_valve", "Open or close a valve", valve="string", position=["open", "closed"]),
    ),
    "You water the garden.",
    "gpt-4o",
)

RECIPES = Agent(
    "cook",
    (
        tool("get_recipe", "A recipe of the collection", recipe_id="integer"),
        tool("add_to_shopping_list", "Add to the list", items="string[]"),
    ),
    "Tu aides en cuisine.",
    "gpt-4o-mini",
)

STORIES = (
    Story(
        "thirteenth_home_lamp_by_another_name",
        "genai",
        HASS,
        (
            user("打开客厅的落地灯。"),
            asks(
                call(
                    "HassTurnOn",
                    {"name": "落地灯", "area": "客厅"},
                    {
                        "content": [
                            {
                                "type": "text",
                                "text": "Error calling tool: <MatchFailedError result=MatchTargetsResult(is_match=False, "
                                "no_match_reason=<MatchFailedReason.NAME: 1>, states=[], no_match_name=None, areas=[], floors=[]), "
                                "constraints=MatchTargetsConstraints(name='落地灯', area_name='客厅', floor_name=None, domains=None, "
                                "device_classes=None, features=None, states=None, assistant='conversation', "
                                "allow_duplicate_names=False, single_target=False), preferences=MatchTargetsPreferences(area_id=None, floor_id=None)>",
                            }
                        ],
                        "isError": True,
                    },
                )
            ),
            asks(
                call(
                    "GetLiveContext",
                    {},
                    "Live Context: An overview of the areas and the devices in this smart home:\n- names: 左边落地灯\n  domain: light\n"
                    "  state: 'off'\n  areas: 客厅\n- names: 空调\n  domain: climate\n  state: unavailable\n  areas: 客厅\n",
                )
            ),
            asks(
                call(
                    "HassTurnOn",
                    {"name": "左边落地灯", "area": "客厅"},
                    {
                        "content": [
                            {
                                "type": "text",
                                "text": '{"speech": {}, "response_type": "action_done", "data": {"success": [{"name": "左边落地灯", '
                                '"type": "entity", "id": "light.left_floor_lamp"}], "failed": []}}',
                            }
                        ],
                        "isError": False,
                    },
                )
            ),
            answers("客厅左边的落地灯已经打开了。"),
        ),
        failing=(),
        why="the name did not match, was looked up, and the lamp was turned on",
    ),
    Story(
        "thirteenth_home_lights_out_downstairs",
        "genai_events",
        HASS,
        (
            user("Turn everything off downstairs, we're leaving."),
            asks(
                call(
                    "HassTurnOff",
                    {"area": "Downstairs", "domain": ["light", "switch"]},
                    {
                        "speech": {},
                        "response_type": "action_done",
                        "data": {
                            "success": [
                                {"name": "Downstairs", "type": "area", "id": "downstairs"},
                                {"name": "Hall lamp", "type": "entity", "id": "light.hall"},
                                {"name": "Coffee machine", "type": "entity", "id": "switch.coffee"},
                            ],
                            "failed": [],
                        },
                    },
                )
            ),
            answers("Hall lamp and coffee machine are off. Have a good day!"),
        ),
        failing=(),
        why="all targets succeeded and the list of failed ones is empty",
    ),
    Story(
        "thirteenth_home_error_code_of_the_washer",
        "vercel_ai",
        MANUALS,
        (
            user("Meine Waschmaschine zeigt E18 und pumpt nicht ab. Was tun?"),
            asks(
                call(
                    "search_manuals",
                    {"query": "Fehler E18 Waschmaschine pumpt nicht ab", "top_k": 2},
                    {
                        "matches": [
                            {
                                "id": "bosch-wau28-p41",
                                "score": 0.8812,
                                "metadata": {
                                    "page": 41,
                                    "text": "Fehler E18: Abpumpen fehlgeschlagen. Laugenpumpe verstopft oder Ablaufschlauch geknickt. Pumpe reinigen, Gerät aus- und einschalten.",
                                },
                            },
                            {
                                "id": "bosch-wau28-p40",
                                "score": 0.7904,
                                "metadata": {
                                    "page": 40,
                                    "text": "Fehler E17: Zulauf fehlgeschlagen. Fatal error E67: Kundendienst rufen.",
                                },
                            },
                        ],
                        "namespace": "manuals",
                        "usage": {"readUnits": 6},
                    },
                )
            ),
            answers(
                "E18 heißt: Das Abpumpen schlug fehl. Reinigen Sie die Laugenpumpe, prüfen Sie den Schlauch und schalten Sie das Gerät aus und ein (Seite 41)."
            ),
        ),
        failing=(),
        why="the errors are those of the washing machine, in the manual",
    ),
    Story(
        "thirteenth_home_roast_watched",
        "openinference",
        OVEN,
        (
            user("Message me when the roast reaches 58 degrees (probe 1)."),
            asks(call("read_thermometer", {"probe": 1}, {"probe": 1, "celsius": 55, "status": "ok"})),
            pause(120),
            asks(call("read_thermometer", {"probe": 1}, {"probe": 1, "celsius": 56, "status": "ok"})),
            pause(120),
            asks(call("read_thermometer", {"probe": 1}, {"probe": 1, "celsius": 56, "status": "ok"})),
            pause(120),
            asks(call("read_thermometer", {"probe": 1}, {"probe": 1, "celsius": 56, "status": "ok"})),
            pause(120),
            asks(call("read_thermometer", {"probe": 1}, {"probe": 1, "celsius": 58, "status": "ok"})),
            asks(call("notify", {"text": "The roast has 58 °C."}, "sent")),
            answers("The roast has reached 58 °C, I sent you a message."),
        ),
        failing=(),
        why="a sensor that was read every two minutes until it reached the target",
    ),
    Story(
        "thirteenth_home_dimming_a_lamp_that_is_off",
        "openinference",
        HUE,
        (
            user("Dim the bedside lamp to a third."),
            asks(
                call(
                    "get_light",
                    {"light_id": "3"},
                    {
                        "state": {"on": False, "bri": 254, "alert": "none", "reachable": True},
                        "type": "Dimmable light",
                        "name": "Bedside",
                    },
                )
            ),
            asks(
                call(
                    "put_light_state",
                    {"light_id": "3", "state": {"bri": 85}},
                    [
                        {
                            "error": {
                                "type": 201,
                                "address": "/lights/3/state/bri",
                                "description": "parameter, bri, is not modifiable. Device is set to off.",
                            }
                        }
                    ],
                )
            ),
            answers("The bedside lamp is now at about 33 %."),
        ),
        failing=("tool_error",),
        why="the bridge refused the brightness because the lamp is off, and nothing was tried after that",
    ),
    Story(
        "thirteenth_home_music_on_the_kitchen_speaker",
        "vercel_ai",
        MUSIC,
        (
            user("Spiel meine Jazz-Playlist in der Küche."),
            asks(
                call(
                    "start_playback",
                    {"context_uri": "spotify:playlist:37i9dQZF1DXbITWG1ZJKYt"},
                    fault=Fault(
                        "SpotifyException",
                        "http status: 404, code: -1 - https://api.spotify.com/v1/me/player/play: Player command failed: No active "
                        "device found, reason: NO_ACTIVE_DEVICE",
                    ),
                )
            ),
            asks(
                call(
                    "get_devices",
                    {},
                    {
                        "devices": [
                            {
                                "id": "5fbb3ba6aa454b5534c4ba43a8c7e8e45a63ad0e",
                                "is_active": False,
                                "name": "Küche",
                                "type": "Speaker",
                                "volume_percent": 30,
                            }
                        ]
                    },
                )
            ),
            asks(
                call(
                    "start_playback",
                    {
                        "context_uri": "spotify:playlist:37i9dQZF1DXbITWG1ZJKYt",
                        "device_id": "5fbb3ba6aa454b5534c4ba43a8c7e8e45a63ad0e",
                    },
                    "Playback started.",
                )
            ),
            answers("Deine Jazz-Playlist läuft jetzt in der Küche."),
        ),
        failing=(),
        why="no device was active, then the speaker was found and the playback started",
    ),
    Story(
        "thirteenth_home_expert_without_prices",
        "openllmetry",
        BUTLER,
        (
            user("Hva kostet strømmen oss i går?"),
            asks(
                call(
                    "ask_energy_expert",
                    {"question": "Cost of electricity on 2026-05-03?"},
                    "The house used 18.4 kWh on 3 May, at the usual price that is about 29 kroner.",
                    agent=ENERGY,
                    steps=(
                        asks(
                            call("read_meter", {"day": "2026-05-03"}, "day,kWh\n2026-05-03,18.4\n"),
                            call(
                                "get_tariff",
                                {"day": "2026-05-03"},
                                {
                                    "errors": [
                                        {
                                            "message": "invalid token",
                                            "locations": [{"line": 1, "column": 3}],
                                            "path": ["viewer"],
                                            "extensions": {"code": "UNAUTHENTICATED"},
                                        }
                                    ],
                                    "data": None,
                                },
                            ),
                        ),
                        answers("The house used 18.4 kWh on 3 May, at the usual price that is about 29 kroner."),
                    ),
                )
            ),
            answers("Strømmen kostet rundt 29 kroner i går (18,4 kWh)."),
        ),
        failing=("tool_error",),
        why="the prices could not be read in the sub-agent, its token is invalid, and the cost is a guess",
    ),
    Story(
        "thirteenth_home_cosy_is_no_temperature",
        "pydantic_ai",
        CLIMATE,
        (
            user("Make the study cosy."),
            asks(
                call(
                    "get_state",
                    {"entity_id": "climate.study"},
                    {
                        "entity_id": "climate.study",
                        "state": "heat",
                        "attributes": {"current_temperature": 18.5, "temperature": 18, "hvac_modes": ["off", "heat"]},
                    },
                )
            ),
            asks(
                call(
                    "set_temperature",
                    {"entity_id": "climate.study", "temperature": {"target": "cosy"}, "hvac_mode": "heat"},
                    "Called climate.set_temperature on climate.study.",
                )
            ),
            answers("The study is being heated to a cosy temperature."),
        ),
        failing=("tool_call_validity",),
        why="the temperature was given as an object with a word where the schema asks for a number",
    ),
    Story(
        "thirteenth_home_second_valve_lost",
        "genai",
        GARDEN,
        (
            user("Water the beds and the lawn for a while, unless it rains."),
            asks(call("get_forecast", {"hours": 12}, "hour;mm\n08;0.0\n12;0.0\n16;0.1\n20;0.0\n")),
            asks(
                call("set_valve", {"valve": "beds", "position": "open"}, {"valve": "beds", "position": "open"}),
                unanswered("set_valve", {"valve": "lawn", "position": "open"}),
                text="No rain in sight, I'm opening both valves.",
            ),
        ),
        failing=("run_completion",),
        why="the valve of the lawn was asked for and never set, and the run ends there without an answer",
    ),
    Story(
        "thirteenth_home_recipe_read_again_and_again",
        "genai_events",
        RECIPES,
        (
            user("Que dois-je acheter pour la tarte aux poireaux (recette 118) ?"),
            *(
                asks(
                    call(
                        "get_recipe",
                        {"recipe_id": 118},
                        {
                            "id": 118,
                            "title": "Tarte aux poireaux",
                            "ingredients": ["4 poireaux", "3 œufs", "20 cl de crème", "1 pâte brisée"],
                        },
                    )
                )
                for _ in range(5)
            ),
            answers("Il vous faut quatre poireaux, trois œufs, 20 cl de crème et une pâte brisée."),
        ),
        failing=("tool_efficiency",),
        why="the same recipe was read five times in a row and never changed",
    ),
)
