"""Hospitals, practices, laboratories and the literature."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, hands_off, pause, tool, user

__all__ = ["STORIES"]

FHIR = Agent(
    "fhir_agent",
    (
        tool("fhir_search", "Search resources of a FHIR server", resource_type="string", params={"type": "object"}),
        tool("fhir_create", "Create a resource on a FHIR server", resource_type="string", resource={"type": "object"}),
    ),
    "You work with the records of a hospital.",
    "gpt-4.1",
)

HL7 = Agent(
    "interface_agent",
    (
        tool(
            "build_oru", "Build an ORU^R01 message", patient_id="string", code="string", value="number", unit="string"
        ),
        tool("send_mllp", "Send a message and return the acknowledgement", message="string", target="string"),
    ),
    "You deliver results to the hospital information system.",
    "gpt-4o",
)

LAB = Agent(
    "labor_assistent",
    (tool("get_lab_report", "Laborbefund", order_id="string"),),
    "Du erklärst Ärztinnen Laborbefunde.",
    "gpt-4.1",
)

RX = Agent(
    "rezept_pruefung",
    (
        tool(
            "validate_prescription",
            "Check a prescription for formal and clinical findings",
            prescription={"type": "object"},
        ),
        tool("get_medication_plan", "Plan of a patient", patient_id="string"),
    ),
    "You check prescriptions before they are signed.",
    "gpt-4.1",
)

LEAFLET = Agent(
    "leaflet_chat",
    (tool("search_leaflets", "Search patient leaflets", query="string"),),
    "You explain leaflets of medicines.",
    "gpt-4o",
)

WAITING = Agent(
    "imaging_exports",
    (
        tool("start_export", "Export a study from the archive", study_uid="string"),
        tool("get_job", "State of a job of the archive", job_id="string"),
    ),
    "You export studies from Orthanc.",
    "gpt-4o",
)

PUBMED = Agent(
    "literature_agent",
    (
        tool("esearch", "Search PubMed", term="string", retmax="integer?"),
        tool("esummary", "Summaries of articles", ids="string[]"),
    ),
    "You search the literature.",
    "claude-sonnet-4-5",
    "anthropic",
)

TRIAGE = Agent(
    "triage", (tool("get_vitals", "Vitals sent by the watch", patient_id="string"),), "You sort inquiries.", "gpt-4.1"
)
NURSE = Agent(
    "nurse_line",
    (tool("page_on_call", "Page the nurse on call", reason="string"),),
    "You are the nurse line.",
    "gpt-4.1",
)

BOOKING = Agent(
    "appointment_desk",
    (
        tool("find_slots", "Free slots", doctor="string", week="string"),
        tool(
            "book_appointment",
            "Book an appointment",
            slot_id="string",
            patient_id="string",
            visit_type=["in_person", "video", "phone"],
        ),
    ),
    "You book appointments of a practice.",
    "gpt-4o-mini",
)


def _job(state: str, progress: int) -> dict[str, object]:
    return {
        "ID": "7b1d7a4f-3f0b-4c0e-9e1b-11c77a2d0e55",
        "Type": "Archive",
        "State": state,
        "Progress": progress,
        "ErrorCode": 0,
        "ErrorDescription": "Success",
        "ErrorDetails": "",
    }


STORIES = (
    Story(
        "thirteenth_health_server_throttled_once",
        "openllmetry",
        FHIR,
        (
            user("Which appointments does patient 48211 have in June?"),
            asks(
                call(
                    "fhir_search",
                    {
                        "resource_type": "Appointment",
                        "params": {"patient": "48211", "date": ["ge2026-06-01", "le2026-06-30"]},
                    },
                    '{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"throttled","diagnostics":"Too many '
                    'requests — please slow down and retry after the indicated delay."}]}',
                )
            ),
            pause(5),
            asks(
                call(
                    "fhir_search",
                    {
                        "resource_type": "Appointment",
                        "params": {"patient": "48211", "date": ["ge2026-06-01", "le2026-06-30"]},
                    },
                    {
                        "resourceType": "Bundle",
                        "type": "searchset",
                        "total": 1,
                        "entry": [
                            {
                                "resource": {
                                    "resourceType": "Appointment",
                                    "id": "90017",
                                    "status": "booked",
                                    "start": "2026-06-18T08:20:00+02:00",
                                    "description": "Cardiology follow-up after heart failure",
                                }
                            }
                        ],
                    },
                )
            ),
            answers("One: cardiology follow-up on 18 June at 8:20."),
        ),
        failing=(),
        why="the server throttled the first request and answered the second",
    ),
    Story(
        "thirteenth_health_outcome_that_is_a_success",
        "pydantic_ai",
        FHIR,
        (
            user("Record a body weight of 71.4 kg for patient 48211, measured today."),
            asks(
                call(
                    "fhir_create",
                    {
                        "resource_type": "Observation",
                        "resource": {
                            "resourceType": "Observation",
                            "status": "final",
                            "code": {"coding": [{"system": "http://loinc.org", "code": "29463-7"}]},
                            "subject": {"reference": "Patient/48211"},
                            "valueQuantity": {"value": 71.4, "unit": "kg"},
                        },
                    },
                    {
                        "resourceType": "OperationOutcome",
                        "issue": [
                            {
                                "severity": "information",
                                "code": "informational",
                                "details": {
                                    "coding": [
                                        {
                                            "system": "https://hapifhir.io/fhir/CodeSystem/hapi-fhir-storage-response-code",
                                            "code": "SUCCESSFUL_CREATE",
                                            "display": "Create succeeded.",
                                        }
                                    ]
                                },
                                "diagnostics": 'Successfully created resource "Observation/1099820/_history/1". Took 29ms.',
                            }
                        ],
                    },
                )
            ),
            answers("The weight of 71.4 kg is recorded (Observation 1099820)."),
        ),
        failing=(),
        why="the only issue of the outcome is the information that the resource was created",
    ),
    Story(
        "thirteenth_health_result_not_acknowledged",
        "genai_events",
        HL7,
        (
            user("Deliver the potassium of patient 7000412, 4.1 mmol/l, to the HIS."),
            asks(
                call(
                    "build_oru",
                    {"patient_id": "7000412", "code": "2823-3", "value": 4.1, "unit": "mmol/L"},
                    "MSH|^~\\&|LABOR|STADT|HIS|STADT|20260504101122||ORU^R01|LAB20260504101122|P|2.5\rPID|||7000412\rOBX|1|NM|2823-3^Potassium^LN||4.1|mmol/L|3.5-5.1||||F",
                )
            ),
            asks(
                call(
                    "send_mllp",
                    {
                        "message": "MSH|^~\\&|LABOR|STADT|HIS|STADT|20260504101122||ORU^R01|LAB20260504101122|P|2.5\rPID|||7000412\rOBX|1|NM|2823-3^Potassium^LN||4.1|mmol/L|3.5-5.1||||F",
                        "target": "his-prod:2575",
                    },
                    "MSH|^~\\&|HIS|STADT|LABOR|STADT|20260504101123||ACK^R01^ACK|HIS88120|P|2.5\rMSA|AE|LAB20260504101122|Incorrect "
                    "Patient ID\rERR||PID^1^3|204^Unknown key identifier^HL70357|E",
                )
            ),
            answers("The potassium of 4.1 mmol/l was delivered to the HIS."),
        ),
        failing=("tool_error",),
        why="the acknowledgement is AE, the HIS did not take the message because of the patient id",
    ),
    Story(
        "thirteenth_health_sample_haemolysed",
        "openinference",
        LAB,
        (
            user("Warum fehlt das Kalium im Befund A-20911?"),
            asks(
                call(
                    "get_lab_report",
                    {"order_id": "A-20911"},
                    {
                        "order": "A-20911",
                        "status": "final",
                        "results": [
                            {"test": "Natrium", "value": "139", "unit": "mmol/l", "flag": ""},
                            {
                                "test": "Kalium",
                                "value": None,
                                "flag": "FAILED",
                                "comment": "Probe stark hämolytisch, Messung nicht möglich. Bitte neu einsenden.",
                            },
                            {"test": "Troponin T", "value": "61", "unit": "ng/l", "flag": "CRITICAL HIGH"},
                        ],
                    },
                )
            ),
            answers(
                "Die Probe war stark hämolytisch, deshalb konnte Kalium nicht gemessen werden; das Labor bittet um eine neue. "
                "Beachten Sie auch das kritisch erhöhte Troponin T (61 ng/l)."
            ),
        ),
        failing=(),
        why="the report was read; that a measurement failed is what it says",
    ),
    Story(
        "thirteenth_health_prescription_with_findings",
        "genai",
        RX,
        (
            user("Please check this before I sign: clarithromycin 500 mg twice a day for patient 3307."),
            asks(
                call(
                    "get_medication_plan",
                    {"patient_id": "3307"},
                    "PZN;drug;dose\n03041347;Simvastatin 40 mg;0-0-1\n01970581;Ramipril 5 mg;1-0-0\n",
                )
            ),
            asks(
                call(
                    "validate_prescription",
                    {
                        "prescription": {
                            "drug": "Clarithromycin 500 mg",
                            "dose": "1-0-1",
                            "days": 7,
                            "plan": ["Simvastatin 40 mg", "Ramipril 5 mg"],
                        }
                    },
                    {
                        "valid": False,
                        "errors": [
                            {
                                "code": "INT-CONTRA",
                                "severity": "error",
                                "message": "Simvastatin + clarithromycin: contraindicated, risk of rhabdomyolysis.",
                            }
                        ],
                        "warnings": [{"code": "QT", "message": "May prolong the QT interval."}],
                    },
                )
            ),
            answers(
                "Please don't sign it as it is: clarithromycin is contraindicated with the simvastatin of the patient "
                "(rhabdomyolysis). Pause simvastatin for the course or choose another antibiotic."
            ),
        ),
        failing=(),
        why="the findings of the check are its result, and the doctor gets them",
    ),
    Story(
        "thirteenth_health_explanation_filtered",
        "vercel_ai",
        LEAFLET,
        (
            user("How many tablets of paracetamol may my mother take a day at most? She weighs 48 kilos."),
            asks(
                call(
                    "search_leaflets",
                    {"query": "paracetamol maximum daily dose adults body weight"},
                    [
                        {
                            "title": "Paracetamol 500 mg tablets",
                            "section": "3. How to take",
                            "text": "Body weight 43 to 65 kg: 1 tablet per dose, at most 4 tablets (2,000 mg) in 24 hours. An overdose can damage the liver fatally.",
                        }
                    ],
                )
            ),
            answers("According to the leaflet, with a body weight of 43 to 65 kilos", "content_filter"),
        ),
        failing=("run_completion",),
        why="the content filter cut the answer off before the dose",
    ),
    Story(
        "thirteenth_health_export_polled",
        "genai_events",
        WAITING,
        (
            user("Export study 1.2.840.113619.2.55.3.604688 please."),
            asks(
                call(
                    "start_export",
                    {"study_uid": "1.2.840.113619.2.55.3.604688"},
                    {
                        "ID": "7b1d7a4f-3f0b-4c0e-9e1b-11c77a2d0e55",
                        "Path": "/jobs/7b1d7a4f-3f0b-4c0e-9e1b-11c77a2d0e55",
                    },
                )
            ),
            asks(call("get_job", {"job_id": "7b1d7a4f-3f0b-4c0e-9e1b-11c77a2d0e55"}, _job("Pending", 0))),
            pause(10),
            asks(call("get_job", {"job_id": "7b1d7a4f-3f0b-4c0e-9e1b-11c77a2d0e55"}, _job("Pending", 0))),
            pause(10),
            asks(call("get_job", {"job_id": "7b1d7a4f-3f0b-4c0e-9e1b-11c77a2d0e55"}, _job("Pending", 0))),
            pause(20),
            asks(call("get_job", {"job_id": "7b1d7a4f-3f0b-4c0e-9e1b-11c77a2d0e55"}, _job("Running", 60))),
            pause(20),
            asks(call("get_job", {"job_id": "7b1d7a4f-3f0b-4c0e-9e1b-11c77a2d0e55"}, _job("Success", 100))),
            answers("The study is exported: /jobs/7b1d7a4f-3f0b-4c0e-9e1b-11c77a2d0e55/archive"),
        ),
        failing=(),
        why="polling that ended with success; the error fields say 0 and Success",
    ),
    Story(
        "thirteenth_health_phrase_not_in_pubmed",
        "pydantic_ai",
        PUBMED,
        (
            user("Gibt es Studien zu Tirzepatid bei Schlafapnoe?"),
            asks(
                call(
                    "esearch",
                    {"term": "Tirzepatid[Title] AND Schlafapnoe[Title]", "retmax": 5},
                    {
                        "header": {"type": "esearch", "version": "0.3"},
                        "esearchresult": {
                            "count": "0",
                            "retmax": "0",
                            "retstart": "0",
                            "idlist": [],
                            "querytranslation": "(Tirzepatid[Title]) AND (Schlafapnoe[Title])",
                            "errorlist": {"phrasesnotfound": ["Schlafapnoe[Title]"], "fieldsnotfound": []},
                            "warninglist": {
                                "phrasesignored": [],
                                "quotedphrasesnotfound": [],
                                "outputmessages": ["No items found."],
                            },
                        },
                    },
                )
            ),
            asks(
                call(
                    "esearch",
                    {"term": "tirzepatide[Title] AND sleep apnea[Title]", "retmax": 5},
                    {
                        "header": {"type": "esearch", "version": "0.3"},
                        "esearchresult": {
                            "count": "2",
                            "retmax": "2",
                            "retstart": "0",
                            "idlist": ["39912041", "39800127"],
                        },
                    },
                )
            ),
            asks(
                call(
                    "esummary",
                    {"ids": ["39912041", "39800127"]},
                    "39912041. Tirzepatide for obstructive sleep apnea and obesity. N Engl J Med. 2024\n"
                    "39800127. Treatment failure and dropouts in sleep apnea trials of tirzepatide. Sleep Med. 2025\n",
                )
            ),
            answers(
                "Ja, zwei: eine Studie im N Engl J Med (2024) und eine Auswertung der Abbrüche in Sleep Med (2025)."
            ),
        ),
        failing=(),
        why="the German words found nothing, the English ones did; the list of errors only names the phrase",
    ),
    Story(
        "thirteenth_health_handed_to_the_nurse",
        "openinference",
        TRIAGE,
        (
            user("My husband (patient 5120) feels dizzy and his watch keeps alarming."),
            asks(
                call(
                    "get_vitals",
                    {"patient_id": "5120"},
                    {
                        "pulse": 134,
                        "rhythm": "irregular",
                        "alarm": True,
                        "messages": ["ALERT: possible atrial fibrillation"],
                        "signalError": None,
                    },
                )
            ),
            hands_off(NURSE),
            asks(
                call(
                    "page_on_call",
                    {"reason": "Patient 5120: dizzy, pulse 134, irregular"},
                    "Paged nurse K. Adeyemi at 22:41, acknowledged.",
                )
            ),
            answers(
                "The nurse on call has been paged and calls you within minutes. If he faints or has chest pain, dial 112 at once."
            ),
        ),
        failing=(),
        why="triage handed over to the nurse line, which paged the nurse",
    ),
    Story(
        "thirteenth_health_visit_type_made_up",
        "openllmetry",
        BOOKING,
        (
            user("Book me with Dr. Osei next week by video, I'm patient 81."),
            asks(
                call(
                    "find_slots",
                    {"doctor": "Osei", "week": "2026-W21"},
                    [
                        {"slot_id": "s-4410", "start": "2026-05-19T10:40"},
                        {"slot_id": "s-4417", "start": "2026-05-21T15:00"},
                    ],
                )
            ),
            asks(
                call(
                    "book_appointment",
                    {"slot_id": "s-4410", "patient_id": "81", "visit_type": "telehealth"},
                    {
                        "isError": True,
                        "content": [
                            {
                                "type": "text",
                                "text": "Input validation error: 'telehealth' is not one of ['in_person', 'video', 'phone']",
                            }
                        ],
                    },
                )
            ),
            asks(
                call(
                    "book_appointment",
                    {"slot_id": "s-4410", "patient_id": "81", "visit_type": "video"},
                    {
                        "content": [
                            {"type": "text", "text": "Booked s-4410 (video) for patient 81, confirmation KX-2201."}
                        ],
                        "isError": False,
                    },
                )
            ),
            answers("Booked by video with Dr. Osei on Tuesday, 19 May, 10:40 (KX-2201)."),
        ),
        failing=("tool_call_validity",),
        why="the type of the first booking was none of the allowed ones; the second booking made the failure good",
    ),
)
