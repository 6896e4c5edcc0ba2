"""Carriers and network operations."""
# ruff: noqa: E501

from __future__ import annotations

import json

from ..story import Agent, Fault, Story, answers, asks, call, crashes, model_fails, pause, tool, user

__all__ = ["STORIES"]

SHOW = tool("run_show_command", "Run a show command on a device", device="string", command="string")
NOC = Agent("noc_copilot", (SHOW,), "You help the NOC with Cisco devices. Read only.", "gpt-4.1")

PROM = tool("prometheus_query", "Instant query", query="string", time="string?")
CAPACITY = Agent("capacity_analyst", (PROM,), "You answer questions on capacity.", "gpt-4o")

NETBOX = tool("netbox_get_objects", "Get objects of NetBox", object_type="string", filters={"type": "object"})
IPAM = Agent("ipam_agent", (NETBOX,), "Je beantwoordt vragen over IP-adressen.", "gpt-4.1-mini")

MESSAGES = tool("twilio_list_messages", "Messages sent to a number", to="string", page_size="integer?")
SMS = Agent("sms_support", (MESSAGES,), "You explain the delivery of messages.", "gpt-4o-mini")

SOAP = tool(
    "servicenow_soap_insert",
    "Insert an incident by SOAP",
    short_description="string",
    caller_id="string",
    category="string?",
)
TICKETS = Agent("ticket_clerk", (SOAP,), "Você abre chamados.", "gpt-4.1-mini")

ORDER_NEW = tool(
    "tmf641_create_service_order",
    "Create a service order",
    service_spec="string",
    place="string",
    action=["add", "modify", "delete"],
)
ORDER_GET = tool("tmf641_get_service_order", "Get a service order", id="string")
FULFIL = Agent("fulfilment_agent", (ORDER_NEW, ORDER_GET), "You order fibre lines.", "gpt-4.1")

DISTURBANCE = tool("line_test", "Test a subscriber line", line_id="string")
TRANSFER = tool(
    "transfer_call", "Transfer the call to a person", queue=["technik", "vertrag", "kuendigung"], summary="string"
)
VOICE = Agent("hotline_voicebot", (DISTURBANCE, TRANSFER), "Du bist die Stimme der Hotline.", "gpt-4o-realtime-preview")

PING = tool("ping_probe", "Ping from a probe", probe="string", target="string", count="integer?")
TRACE = tool("traceroute_probe", "Trace the route from a probe", probe="string", target="string")
REACH = Agent("reachability_agent", (PING, TRACE), "You find out where the path is broken.", "gpt-4.1")

DASHBOARD = tool("grafana_search_dashboards", "Search dashboards", query="string")
PANEL = tool("grafana_query_panel", "Data of a panel", dashboard_uid="string", panel_id="integer")
GRAFANA = Agent("grafana_reader", (DASHBOARD, PANEL), "You read dashboards.", "gpt-4.1")

READ = tool("read_file", "Read a file", path="string")
EDIT = tool("edit_file", "Replace a text in a file", path="string", old_string="string", new_string="string")
CODER = Agent(
    "config_coder", (READ, EDIT), "You edit Jinja templates of router configs.", "claude-sonnet-4-5", "anthropic"
)

SITES = ("ams1", "ams2", "rtm1", "utr1", "ein1", "grq1", "mst1", "zwo1", "brd1", "lwr1", "ens1", "nij1", "dhg1")

ACTIVE = {"value": "active", "label": "Active"}
DEPRECATED = {"value": "deprecated", "label": "Deprecated"}

STORIES = (
    Story(
        "twelfth_telecom_show_command_corrected",
        "genai",
        NOC,
        (
            user("Why is Gi1/0/14 on acc-sw-07 down?"),
            asks(
                call(
                    "run_show_command",
                    {"device": "acc-sw-07", "command": "show interface Gi1/0/14 state"},
                    "show interface Gi1/0/14 state\n                                ^\n% Invalid input detected at '^' marker.\n\nacc-sw-07#",
                )
            ),
            asks(
                call(
                    "run_show_command",
                    {"device": "acc-sw-07", "command": "show interfaces status err-disabled"},
                    "Port         Name               Status       Reason               Err-disabled Vlans\nGi1/0/14     desk 4.112         err-disabled psecure-violation\n",
                )
            ),
            asks(
                call(
                    "run_show_command",
                    {"device": "acc-sw-07", "command": "show interfaces Gi1/0/14 | include errors|rate"},
                    "  5 minute input rate 0 bits/sec, 0 packets/sec\n     112 input errors, 112 CRC, 0 frame, 0 overrun, 0 ignored\n     0 output errors, 0 collisions, 1 interface resets\n",
                )
            ),
            answers(
                "Port security disabled it: more than one MAC address was seen at desk 4.112. It also counts 112 CRC errors, so check the cable."
            ),
            user("Which MAC was it?"),
            asks(
                call(
                    "run_show_command",
                    {"device": "acc-sw-07", "command": "show port-security interface Gi1/0/14"},
                    "Port Security              : Enabled\nPort Status                : Secure-shutdown\nViolation Mode             : Shutdown\nMaximum MAC Addresses      : 1\nLast Source Address:Vlan   : 3c52.82aa.1f07:112\nSecurity Violation Count   : 1\n",
                )
            ),
            answers("3c52.82aa.1f07 in VLAN 112."),
        ),
        failing=(),
        why="the wrong command was corrected; the disabled port and its CRC errors are what was asked about",
    ),
    Story(
        "twelfth_telecom_promql_many_to_many",
        "openinference",
        CAPACITY,
        (
            user("What's the utilisation of the uplinks in Leeds in percent?"),
            asks(
                call(
                    "prometheus_query",
                    {
                        "query": 'rate(ifHCInOctets{site="leeds"}[5m]) * 8 / on(instance) (ifHighSpeed{site="leeds"} * 1e6) * 100'
                    },
                    {
                        "status": "error",
                        "errorType": "execution",
                        "error": 'found duplicate series for the match group {instance="lds-pe1"} on the right hand-side of the operation: [{ifName="et-0/0/1", instance="lds-pe1"}, {ifName="et-0/0/0", instance="lds-pe1"}];many-to-many matching not allowed: matching labels must be unique on one side',
                    },
                )
            ),
            answers(
                "The uplinks in Leeds are at around 60 to 70 percent in the busy hour, which is within the usual range."
            ),
        ),
        failing=("tool_error",),
        why="the only query failed in execution and was not corrected; the percentages are invented",
    ),
    Story(
        "twelfth_telecom_netbox_site_by_site",
        "vercel_ai",
        IPAM,
        (
            user("Geef per PoP het managementprefix. Alle dertien."),
            *(
                asks(
                    call(
                        "netbox_get_objects",
                        {"object_type": "ipam.prefix", "filters": {"site": site, "role": "management"}},
                        json.dumps(
                            {
                                "count": 1,
                                "next": None,
                                "previous": None,
                                "results": [
                                    {
                                        "id": 400 + number,
                                        "prefix": f"10.{60 + number}.0.0/24",
                                        "status": DEPRECATED if site == "zwo1" else ACTIVE,
                                        "scope": {"slug": site},
                                    }
                                ],
                            }
                        ),
                        ran_as="netbox.netbox_get_objects",
                    )
                )
                for number, site in enumerate(SITES)
            ),
            answers(
                "10.60.0.0/24 (ams1) tot en met 10.72.0.0/24 (dhg1), oplopend in uw volgorde; die van zwo1 is als 'deprecated' gemarkeerd."
            ),
        ),
        failing=(),
        why="thirteen sites, each with a prefix of its own; the name in the spans only has a namespace",
    ),
    Story(
        "twelfth_telecom_sms_history",
        "pydantic_ai",
        SMS,
        (
            user("My customer +447700900123 says she got only one of our three texts today. True?"),
            asks(
                call(
                    "twilio_list_messages",
                    {"to": "+447700900123", "page_size": 3},
                    {
                        "page": 0,
                        "page_size": 3,
                        "next_page_uri": None,
                        "messages": [
                            {
                                "sid": "SM9a1",
                                "date_sent": "Mon, 14 Sep 2026 12:40:11 +0000",
                                "status": "delivered",
                                "error_code": None,
                                "error_message": None,
                            },
                            {
                                "sid": "SM77c",
                                "date_sent": "Mon, 14 Sep 2026 09:02:48 +0000",
                                "status": "undelivered",
                                "error_code": 30003,
                                "error_message": "Unreachable destination handset",
                            },
                            {
                                "sid": "SM41f",
                                "date_sent": "Mon, 14 Sep 2026 08:15:03 +0000",
                                "status": "undelivered",
                                "error_code": 30003,
                                "error_message": "Unreachable destination handset",
                            },
                        ],
                    },
                )
            ),
            answers(
                "Yes. The texts of 08:15 and 09:02 weren't delivered because her phone was unreachable (30003); the one of 12:40 was."
            ),
        ),
        failing=(),
        why="the history was read; that two of its messages were not delivered is what was asked",
    ),
    Story(
        "twelfth_telecom_soap_insert_aborted",
        "genai_events",
        TICKETS,
        (
            user("Abra um chamado: a antena CPS-041 perdeu energia, solicitante rui.alves."),
            asks(
                call(
                    "servicenow_soap_insert",
                    {
                        "short_description": "Antena CPS-041 sem energia",
                        "caller_id": "rui.alves",
                        "category": "network",
                    },
                    '<SOAP-ENV:Envelope xmlns:SOAP-ENV="http://schemas.xmlsoap.org/soap/envelope/"><SOAP-ENV:Header/><SOAP-ENV:Body><SOAP-ENV:Fault><faultcode>SOAP-ENV:Server</faultcode><faultstring>Insert Aborted : Error during insert of incident (INC0093312)</faultstring><detail>com.glide.processors.soap.SOAPProcessingException: Insert Aborted : Error during insert of incident (INC0093312)</detail></SOAP-ENV:Fault></SOAP-ENV:Body></SOAP-ENV:Envelope>',
                )
            ),
            answers("O chamado INC0093312 foi aberto e a equipe de energia já foi avisada."),
        ),
        failing=("tool_error",),
        why="the insert was aborted with a SOAP fault and never repeated, though the answer names a number",
    ),
    Story(
        "twelfth_telecom_fibre_order_followed",
        "openllmetry",
        FULFIL,
        (
            user("Order 1G fibre for 12 Quay Road and wait until it's provisioned."),
            asks(
                call(
                    "tmf641_create_service_order",
                    {"service_spec": "FTTH-1G", "place": "12 Quay Road", "action": "add"},
                    {
                        "id": "so-90117",
                        "href": "/tmf-api/serviceOrdering/v4/serviceOrder/so-90117",
                        "state": "acknowledged",
                        "errorMessage": [],
                        "@type": "ServiceOrder",
                    },
                )
            ),
            *(
                step
                for state in ("acknowledged", "inProgress", "inProgress", "inProgress", "inProgress")
                for step in (
                    asks(
                        call(
                            "tmf641_get_service_order",
                            {"id": "so-90117"},
                            {"id": "so-90117", "state": state, "errorMessage": [], "jeopardyAlert": []},
                        )
                    ),
                    pause(120),
                )
            ),
            asks(
                call(
                    "tmf641_get_service_order",
                    {"id": "so-90117"},
                    {
                        "id": "so-90117",
                        "state": "completed",
                        "completionDate": "2026-09-14T15:41:07Z",
                        "errorMessage": [],
                        "milestone": [{"name": "ONT provisioned", "status": "completed"}],
                        "serviceOrderItem": [{"id": "1", "action": "add", "state": "completed"}],
                    },
                )
            ),
            answers("The line at 12 Quay Road is provisioned (order so-90117)."),
        ),
        failing=(),
        why="an order was followed until it was completed",
    ),
    Story(
        "twelfth_telecom_voicebot_hands_to_person",
        "genai",
        VOICE,
        (
            user(
                "[Transkript, Konfidenz 0.41] ja äh … internet geht nicht schon seit gestern, leitung siebzehn null vier"
            ),
            asks(
                call(
                    "line_test",
                    {"line_id": "1704"},
                    {
                        "lineId": "1704",
                        "syncState": "NO_SYNC",
                        "lastSync": "2026-09-13T20:11:52+02:00",
                        "faults": ["DSL_NO_SYNC"],
                        "port": "defekt",
                        "testResult": "COMPLETED",
                    },
                )
            ),
            asks(
                call(
                    "transfer_call",
                    {
                        "queue": "technik",
                        "summary": "Leitung 1704 seit 13.09., 20:11 ohne Synchronisation, Port defekt.",
                    },
                    {
                        "call_sid": "CA51d0",
                        "status": "in-progress",
                        "queue": "technik",
                        "position": 2,
                        "estimated_wait_s": 90,
                    },
                )
            ),
            answers(
                "Ihre Leitung ist seit gestern Abend ohne Signal, der Anschluss in der Vermittlung ist defekt. Ich verbinde Sie mit der Technik, es dauert etwa neunzig Sekunden."
            ),
        ),
        failing=(),
        why="the line test found the fault and the caller was handed to a person",
    ),
    Story(
        "twelfth_telecom_probes_find_the_gap",
        "vercel_ai",
        REACH,
        (
            user("Customers in Gdańsk can't reach 198.51.100.44. Where does it break?"),
            asks(
                call(
                    "ping_probe",
                    {"probe": "gdn-1", "target": "198.51.100.44", "count": 4},
                    "PING 198.51.100.44 (198.51.100.44) 56(84) bytes of data.\nFrom 10.255.3.1 icmp_seq=1 Destination Host Unreachable\nFrom 10.255.3.1 icmp_seq=2 Destination Host Unreachable\n\n--- 198.51.100.44 ping statistics ---\n4 packets transmitted, 0 received, +2 errors, 100% packet loss, time 3061ms\n",
                ),
                call(
                    "traceroute_probe",
                    {"probe": "gdn-1", "target": "198.51.100.44"},
                    "traceroute to 198.51.100.44 (198.51.100.44), 30 hops max, 60 byte packets\n 1  gdn-agg1 (10.20.0.1)  0.611 ms  0.598 ms  0.590 ms\n 2  waw-core2 (10.255.3.1)  5.902 ms !H  5.884 ms !H *\n",
                ),
            ),
            answers(
                "At waw-core2: it has no route to 198.51.100.44 and answers 'host unreachable'. Gdańsk itself is fine."
            ),
        ),
        failing=(),
        why="both probes did their work; that the target is unreachable is the finding",
    ),
    Story(
        "twelfth_telecom_quota_ends_the_run",
        "pydantic_ai",
        GRAFANA,
        (
            user("How busy was the IMS core last night according to Grafana?"),
            asks(
                call(
                    "grafana_search_dashboards",
                    {"query": "IMS core"},
                    [{"uid": "ims-01", "title": "IMS core / errors and load", "type": "dash-db", "isDeleted": False}],
                )
            ),
            asks(
                call(
                    "grafana_query_panel",
                    {"dashboard_uid": "ims-01", "panel_id": 4},
                    {
                        "results": {
                            "A": {
                                "status": 200,
                                "frames": [
                                    {
                                        "schema": {"name": "cscf_load"},
                                        "data": {"values": [[1789340400000, 1789344000000], [0.44, 0.61]]},
                                    }
                                ],
                            }
                        }
                    },
                )
            ),
            model_fails(
                "ModelHTTPError",
                "status_code: 429, model_name: gpt-4.1, body: {'message': 'You exceeded your current quota, please check your plan and billing details.', 'type': 'insufficient_quota', 'param': None, 'code': 'insufficient_quota'}",
            ),
            crashes(
                "ModelHTTPError",
                "status_code: 429, model_name: gpt-4.1, body: {'message': 'You exceeded your current quota, please check your plan and billing details.', 'type': 'insufficient_quota', 'param': None, 'code': 'insufficient_quota'}",
            ),
        ),
        failing=("run_completion",),
        why="the quota of the model was used up and the run ended with the exception; both tools had worked",
    ),
    Story(
        "twelfth_telecom_template_edit_fails_silently",
        "genai_events",
        CODER,
        (
            user("Change the NTP server in templates/pe.j2 to 10.0.0.123."),
            asks(call("read_file", {"path": "templates/pe.j2"}, "ntp server 10.0.0.7\nntp server 10.0.0.8\n")),
            asks(
                call(
                    "edit_file",
                    {
                        "path": "templates/pe.j2",
                        "old_string": "ntp server 10.0.0.70",
                        "new_string": "ntp server 10.0.0.123",
                    },
                    fault=Fault("ToolError", "String to replace not found in file."),
                )
            ),
            answers("templates/pe.j2 uses 10.0.0.123 now."),
        ),
        failing=("tool_error",),
        why="no content is recorded, but the span of the only edit has an error and no edit followed",
        has_content=False,
    ),
)
