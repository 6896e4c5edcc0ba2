"""Maps, trains, town halls, libraries and open data."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, crashes, hosted, model_fails, tool, user

__all__ = ["STORIES"]

OSM = Agent(
    "map_guide",
    (
        tool("overpass_query", "Run a query of Overpass", query="string"),
        tool("nominatim_search", "Search a place", q="string", limit="integer?"),
    ),
    "You answer questions on places with OpenStreetMap.",
    "gpt-4.1",
)

NEWSROOM = Agent(
    "city_desk",
    (tool("save_note", "Save a note", title="string", text="string"),),
    "You inform citizens on closures and outages.",
    "gpt-4.1",
)

WFS = Agent(
    "geodata_agent",
    (
        tool("wfs_get_capabilities", "Layers of a WFS", url="string"),
        tool(
            "wfs_get_feature",
            "Features of a layer",
            url="string",
            type_name="string",
            count="integer?",
            cql_filter="string?",
        ),
    ),
    "You answer questions with geodata of the county.",
    "gpt-4.1",
)

GOV_PL = Agent(
    "asystent_urzedu",
    (
        tool("sprawdz_wniosek", "Sprawdza kompletność wniosku", formularz="string", dane={"type": "object"}),
        tool("wyslij_wniosek", "Wysyła wniosek", formularz="string", dane={"type": "object"}),
    ),
    "Pomagasz mieszkańcom składać wnioski.",
    "gpt-4o",
)

TRAINS = Agent(
    "reiseauskunft",
    (
        tool("departures", "Abfahrten einer Station", station="string", duration="integer?"),
        tool("journeys", "Verbindungen", origin="string", destination="string", departure="string?"),
    ),
    "Du gibst Auskunft zu Zügen.",
    "gpt-4o",
)

COUNCIL = Agent(
    "council_archive",
    (tool("search_minutes", "Search the minutes of the council", query="string", year="integer?"),),
    "You search the minutes of the council.",
    "claude-sonnet-4-5",
    "anthropic",
)

CKAN = Agent(
    "open_data_agent",
    (
        tool("datastore_search_sql", "SQL on a CKAN datastore", sql="string"),
        tool("package_search", "Search data sets", q="string", rows="integer?"),
    ),
    "Du beantwortest Fragen mit offenen Daten der Stadt.",
    "gpt-4.1",
)

GEOCODER = Agent(
    "address_cleaner",
    (tool("geocode", "Geocode an address with Google", address="string", region="string?"),),
    "You find coordinates for addresses.",
    "gpt-4o-mini",
)

CITIZENS = Agent(
    "buergerservice",
    (
        tool(
            "create_case",
            "Legt einen Vorgang an",
            subject="string",
            description="string",
            category=["parking", "waste", "noise"],
        ),
        tool("get_case", "Ein Vorgang", case_id="string"),
    ),
    "Du nimmst Anliegen auf. Über Anträge entscheidet ein Mensch.",
    "gpt-4.1",
)

LIBRARY = Agent(
    "library_desk",
    (
        tool("list_loans", "Loans of a card", card_no="string"),
        tool("renew_loan", "Renew a loan", item_id="string"),
    ),
    "You serve readers of a public library.",
    "gpt-4o-mini",
)

ADDRESSES = (
    "Ul. Lipowa 14b, Zarzecze Dolne",
    "Lipowa 14b, Zarzecze Dolne",
    "Lipowa 14B, Zarzecze Dolne",
    "Lipowa 14 b, Zarzecze Dolne",
    "ul Lipowa 14b, Zarzecze Dolne",
    "ulica Lipowa 14b, Zarzecze Dolne",
    "Lipowa Street 14b, Zarzecze Dolne",
    "Lipowa 14b, Zarzecze Dolne, Poland",
    "Lipowa 14b, Zarzecze Dolne, Polska",
    "Lipowa 14b Zarzecze Dolne",
    "14b Lipowa, Zarzecze Dolne",
    "Lipowa 14/b, Zarzecze Dolne",
    "Lipowa 14b, Zarzecze-Dolne",
    "Lipowa 14b, Zarzecze Dln.",
)

STORIES = (
    Story(
        "thirteenth_public_no_fountain_for_lack_of_time",
        "genai",
        OSM,
        (
            user("How many drinking fountains are there in Andalusia?"),
            asks(
                call(
                    "overpass_query",
                    {
                        "query": '[out:json][timeout:25];area["name"="Andalucía"]->.a;node["amenity"="drinking_water"](area.a);out count;'
                    },
                    {
                        "version": 0.6,
                        "generator": "Overpass API 0.7.62.5 1bd436f1",
                        "osm3s": {
                            "timestamp_osm_base": "2026-05-02T09:14:02Z",
                            "copyright": "The data included in this document is from www.openstreetmap.org. The data is made available under ODbL.",
                        },
                        "elements": [],
                        "remark": 'runtime error: Query timed out in "query" at line 1 after 26 seconds.',
                    },
                )
            ),
            answers("OpenStreetMap knows no drinking fountain in Andalusia."),
        ),
        failing=("tool_error",),
        why="the query timed out, which only the remark tells, and the agent takes it for nothing found",
    ),
    Story(
        "thirteenth_public_outage_searched_by_the_provider",
        "openllmetry",
        NEWSROOM,
        (
            user("¿Sigue cortado el metro de la línea 6?"),
            answers(
                "Sí. Según el consorcio, la línea 6 sigue cortada entre Laguna y Legazpi por un fallo de señalización; hay "
                "autobuses gratuitos hasta el domingo.",
                hosted=[
                    hosted(
                        "web_search",
                        {"query": "línea 6 metro cortada hoy"},
                        [
                            {
                                "title": "La línea 6 sigue cerrada por un fallo de señalización",
                                "url": "https://metro.example/avisos/l6",
                                "snippet": "Error en el sistema de señalización. Servicio interrumpido hasta el domingo.",
                            }
                        ],
                    )
                ],
            ),
        ),
        failing=(),
        why="the provider ran the search itself, and the failure is that of the signals",
    ),
    Story(
        "thirteenth_public_layer_under_its_full_name",
        "pydantic_ai",
        WFS,
        (
            user("How many protected trees are there in Ostfeld?"),
            asks(
                call(
                    "wfs_get_feature",
                    {"url": "https://geo.county.example/wfs", "type_name": "trees", "cql_filter": "town='Ostfeld'"},
                    '<?xml version="1.0" encoding="UTF-8"?><ows:ExceptionReport xmlns:ows="http://www.opengis.net/ows/1.1" version="2.0.0">\n'
                    '  <ows:Exception exceptionCode="InvalidParameterValue" locator="typeName">\n'
                    "    <ows:ExceptionText>Feature type trees unknown</ows:ExceptionText>\n  </ows:Exception>\n</ows:ExceptionReport>",
                )
            ),
            asks(
                call(
                    "wfs_get_capabilities",
                    {"url": "https://geo.county.example/wfs"},
                    "<FeatureTypeList><FeatureType><Name>nature:protected_trees</Name></FeatureType><FeatureType>"
                    "<Name>nature:biotopes</Name></FeatureType></FeatureTypeList>",
                )
            ),
            asks(
                call(
                    "wfs_get_feature",
                    {
                        "url": "https://geo.county.example/wfs",
                        "type_name": "nature:protected_trees",
                        "cql_filter": "town='Ostfeld'",
                    },
                    {
                        "type": "FeatureCollection",
                        "features": [
                            {"type": "Feature", "id": "protected_trees.17", "properties": {"species": "Tilia cordata"}}
                        ],
                        "numberMatched": 31,
                        "numberReturned": 1,
                    },
                )
            ),
            answers("31 protected trees are registered in Ostfeld."),
        ),
        failing=(),
        why="the unknown layer was looked up and read under its full name",
    ),
    Story(
        "thirteenth_public_application_never_sent",
        "vercel_ai",
        GOV_PL,
        (
            user("Proszę wysłać wniosek o kartę parkingową na nazwisko Zofia Madej, ul. Cicha 3."),
            asks(
                call(
                    "sprawdz_wniosek",
                    {"formularz": "KP-2", "dane": {"nazwisko": "Madej", "imie": "Zofia", "adres": "ul. Cicha 3"}},
                    {"kompletny": True, "bledy": []},
                )
            ),
            asks(
                call(
                    "wyslij_wniosek",
                    {"formularz": "KP-2", "dane": {"nazwisko": "Madej", "imie": "Zofia", "adres": "ul. Cicha 3"}},
                    "Wystąpił błąd podczas wysyłania wniosku. Usługa jest chwilowo niedostępna, spróbuj ponownie później.",
                )
            ),
            answers("Wniosek o kartę parkingową został wysłany. Decyzja przyjdzie pocztą w ciągu 30 dni."),
        ),
        failing=("tool_error",),
        why="the office answered, in Polish, that an error occurred while sending; the user is told that it was sent",
    ),
    Story(
        "thirteenth_public_trains_cancelled",
        "genai_events",
        TRAINS,
        (
            user("Fährt der RE 7 um 8:14 ab Porta heute?"),
            asks(
                call(
                    "departures",
                    {"station": "8004816", "duration": 30},
                    {
                        "departures": [
                            {
                                "tripId": "1|222381|0|80|4052026",
                                "line": {"name": "RE 7", "mode": "train"},
                                "plannedWhen": "2026-05-04T08:14:00+02:00",
                                "when": None,
                                "delay": None,
                                "cancelled": True,
                                "remarks": [
                                    {"type": "status", "code": "cancelled", "text": "Fahrt fällt aus"},
                                    {
                                        "type": "warning",
                                        "code": "80",
                                        "text": "Technische Störung am Zug, Reparatur nicht möglich",
                                    },
                                ],
                            }
                        ],
                        "realtimeDataUpdatedAt": 1777874411,
                    },
                )
            ),
            asks(
                call(
                    "journeys",
                    {"origin": "8004816", "destination": "8000152", "departure": "2026-05-04T08:14:00+02:00"},
                    {
                        "journeys": [
                            {
                                "legs": [
                                    {
                                        "line": {"name": "S 1"},
                                        "departure": "2026-05-04T08:31:00+02:00",
                                        "arrival": "2026-05-04T09:12:00+02:00",
                                    }
                                ]
                            }
                        ]
                    },
                )
            ),
            answers(
                "Nein, der RE 7 um 8:14 Uhr fällt wegen einer Störung am Zug aus. Die S 1 um 8:31 Uhr bringt Sie bis 9:12 Uhr nach Hannover."
            ),
        ),
        failing=(),
        why="the train is cancelled, the lookups worked",
    ),
    Story(
        "thirteenth_public_archive_breaks_off",
        "pydantic_ai",
        COUNCIL,
        (
            user("Summarise what the council said on the swimming pool since 2019."),
            asks(
                call(
                    "search_minutes",
                    {"query": "swimming pool", "year": 2019},
                    "1. 2019-03-12, item 7: Swimming pool – report on the leak. 2. 2019-11-05, item 4: costs of the repair.",
                )
            ),
            asks(
                call(
                    "search_minutes",
                    {"query": "swimming pool", "year": 2020},
                    "1. 2020-02-18, item 9: The pool stays closed for lack of money.",
                )
            ),
            model_fails(
                "anthropic.InternalServerError",
                "Error code: 529 - {'type': 'error', 'error': {'type': 'overloaded_error', 'message': 'Overloaded'}}",
            ),
            crashes(
                "pydantic_ai.exceptions.ModelHTTPError",
                "status_code: 529, model_name: claude-sonnet-4-5, body: {'type': 'error', 'error': {'type': 'overloaded_error', 'message': 'Overloaded'}}",
            ),
        ),
        failing=("run_completion",),
        why="the model was overloaded and the run ended with the exception",
    ),
    Story(
        "thirteenth_public_defects_of_the_streets",
        "genai",
        CKAN,
        (
            user("Welche Ampelstörungen wurden am 3. Mai gemeldet?"),
            asks(
                call(
                    "package_search",
                    {"q": "Mängelmelder", "rows": 1},
                    {
                        "help": "https://daten.stadt.example/api/3/action/help_show?name=package_search",
                        "success": True,
                        "result": {
                            "count": 1,
                            "results": [
                                {"name": "maengelmelder", "resources": [{"id": "5d0c7e31-aaaa-4c7e-9a10-08f1c5c6e9b1"}]}
                            ],
                        },
                    },
                )
            ),
            asks(
                call(
                    "datastore_search_sql",
                    {
                        "sql": "SELECT ort, meldung, status FROM \"5d0c7e31-aaaa-4c7e-9a10-08f1c5c6e9b1\" WHERE art='Ampel' AND datum='2026-05-03'"
                    },
                    {
                        "help": "https://daten.stadt.example/api/3/action/help_show?name=datastore_search_sql",
                        "success": True,
                        "result": {
                            "records": [
                                {
                                    "ort": "Ringstr./Nordallee",
                                    "meldung": "Ampel komplett ausgefallen",
                                    "status": "Fehler bestätigt",
                                },
                                {"ort": "Markt 2", "meldung": "Fehler: Dauerrot für Fußgänger", "status": "abgelehnt"},
                            ],
                            "fields": [
                                {"id": "ort", "type": "text"},
                                {"id": "meldung", "type": "text"},
                                {"id": "status", "type": "text"},
                            ],
                        },
                    },
                )
            ),
            answers(
                "Zwei: Ringstraße/Nordallee (komplett ausgefallen, bestätigt) und Markt 2 (Dauerrot für Fußgänger, Meldung abgelehnt)."
            ),
        ),
        failing=(),
        why="the queries worked; the defects are their rows",
    ),
    Story(
        "thirteenth_public_address_in_fourteen_spellings",
        "openllmetry",
        GEOCODER,
        (
            user("Coordinates of Ul. Lipowa 14b, Zarzecze Dolne?"),
            *(
                asks(call("geocode", {"address": address, "region": "pl"}, {"results": [], "status": "ZERO_RESULTS"}))
                for address in ADDRESSES
            ),
            answers("Google does not know this address. Could you check the name of the place?"),
        ),
        failing=("tool_efficiency",),
        why="fourteen spellings of one address, all without a result",
    ),
    Story(
        "thirteenth_public_permit_with_a_clerk",
        "vercel_ai",
        CITIZENS,
        (
            user("Ich brauche einen Bewohnerparkausweis für die Zone 4, Kennzeichen KS-TR 881."),
            asks(
                call(
                    "create_case",
                    {
                        "subject": "Bewohnerparkausweis Zone 4",
                        "description": "Kennzeichen KS-TR 881",
                        "category": "parking",
                    },
                    {
                        "content": [
                            {
                                "type": "text",
                                "text": '{"case_id":"V-2026-4410","status":"pending_review","assignee":null,"error":null}',
                            }
                        ]
                    },
                )
            ),
            answers("Ihr Antrag V-2026-4410 ist angelegt. Eine Mitarbeiterin prüft ihn."),
            user("Gibt es schon etwas Neues?"),
            asks(
                call(
                    "get_case",
                    {"case_id": "V-2026-4410"},
                    {
                        "content": [
                            {
                                "type": "text",
                                "text": '{"case_id":"V-2026-4410","status":"pending_review","assignee":"M. Thiel","error":null}',
                            }
                        ]
                    },
                )
            ),
            answers("Noch nicht entschieden: Der Antrag liegt jetzt bei M. Thiel zur Prüfung."),
        ),
        failing=(),
        why="the application waits for a clerk, and the user is told so",
    ),
    Story(
        "thirteenth_public_renewal_by_barcode",
        "openinference",
        LIBRARY,
        (
            user("Renew the atlas on card 20411 please."),
            asks(
                call(
                    "list_loans",
                    {"card_no": "20411"},
                    "item_id    barcode         title                     due\n"
                    "i-77120    31000004455121  Atlas of Remote Islands   2026-05-09\n"
                    "i-77311    31000004460018  The Stone Diaries         2026-05-21\n",
                )
            ),
            asks(
                call(
                    "renew_loan",
                    {"barcode": "31000004455121"},
                    "Error executing tool renew_loan: 2 validation errors for call[renew_loan]\nitem_id\n  Missing required argument "
                    "[type=missing_argument, input_value={'barcode': '31000004455121'}, input_type=dict]\n    For further information "
                    "visit https://errors.pydantic.dev/2.12/v/missing_argument\nbarcode\n  Unexpected keyword argument "
                    "[type=unexpected_keyword_argument, input_value='31000004455121', input_type=str]\n    For further information "
                    "visit https://errors.pydantic.dev/2.12/v/unexpected_keyword_argument",
                )
            ),
            answers("I couldn't renew the Atlas of Remote Islands. Please ask at the desk before 9 May."),
        ),
        failing=("tool_call_validity", "tool_error"),
        why="renew_loan needs item_id and got a barcode; it failed and was not tried again",
    ),
)
