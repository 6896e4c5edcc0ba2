"""Clinics: FHIR servers, laboratories, reminders, appointments, letters."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, hands_off, hosted, pause, tool, user

__all__ = ["STORIES"]

FHIR_SEARCH = tool(
    "fhir_search",
    "Searches a FHIR server",
    resourceType="string",
    params={"type": "object", "additionalProperties": {"type": "string"}},
)
CHART = Agent("chart_reader", (FHIR_SEARCH,), "You answer clinicians' questions from the record.", "gpt-4.1")

FHIR_SLOTS = tool("find_slots", "Free slots of a schedule", schedule="string", date="string")
FHIR_CREATE = tool(
    "create_appointment",
    "Creates an Appointment",
    slot="string",
    patient="string",
    reason="string",
    duration_min="integer?",
)
RECEPTION = Agent(
    "accueil_cabinet", (FHIR_SLOTS, FHIR_CREATE), "Vous prenez les rendez-vous d'un cabinet médical.", "gpt-4o"
)

ALLERGIES = Agent("allergy_check", (FHIR_SEARCH,), "You check allergies before a prescription.", "gpt-4o-mini")

LAB = tool("get_lab_report", "A report of the laboratory", order_no="string")
LABORATORY = Agent("labor_assistent", (LAB,), "Du fasst Laborbefunde für Ärztinnen zusammen.", "gpt-4.1-mini")

OXIMETER = tool("read_oximeter", "Reads the oximeter of a patient", device_id="string")
HOME = Agent("home_monitor", (OXIMETER,), "You look after patients at home.", "claude-haiku-4-5", "anthropic")

PATIENT = tool("get_patient_contact", "Contact of a patient", patient_id="integer")
SMS = tool("send_sms", "Sends a text message (Twilio)", to="string", body="string")
REMINDER = Agent("reminder_bot", (PATIENT, SMS), "You remind patients of their appointments.", "gpt-4.1-nano")

SLOTS = tool("list_open_slots", "Free slots", clinic="string", specialty="string", week="string")
BOOK = tool("book_slot", "Books a slot for a patient", slot_id="string", patient_id="string", reason="string")
BOOKING = Agent("booking_agent", (SLOTS, BOOK), "You book appointments.", "claude-sonnet-4-5", "anthropic")

SYMPTOMS = tool("record_symptoms", "Records symptoms", patient_id="string", symptoms="string[]", since_days="integer?")
INTAKE = Agent("intake", (SYMPTOMS,), "You take in patients and hand over to the nurse.", "gpt-4o")
CALLBACK = tool(
    "schedule_callback", "A nurse calls the patient", patient_id="string", within_minutes="integer", note="string"
)
NURSE = Agent("nurse_line", (CALLBACK,), "You decide how urgent it is and arrange a call by a nurse.", "gpt-4o")

STAY = tool("get_stay", "An inpatient stay", case_no="string")
LETTER = Agent("brief_assistent", (STAY,), "Du schreibst Entlassbriefe.", "gpt-4o")

DOSES = tool("get_formulary_entry", "Entry of the hospital's formulary", drug="string")
GUIDE = Agent("guideline_search", (DOSES,), "You answer with current guidelines.", "gpt-4.1")

STORIES = (
    Story(
        "ninth_clinic_search_parameter_corrected",
        "genai",
        CHART,
        (
            user("When was the last HbA1c of patient 48213 and how high was it?"),
            asks(
                call(
                    "fhir_search",
                    {
                        "resourceType": "Observation",
                        "params": {"patient": "48213", "loinc": "4548-4", "_sort": "-date"},
                    },
                    {
                        "resourceType": "OperationOutcome",
                        "issue": [
                            {
                                "severity": "error",
                                "code": "processing",
                                "diagnostics": 'HAPI-0524: Unknown search parameter "loinc" for resource type "Observation". Valid search parameters for this search are: [_id, category, code, date, patient, status, subject]',
                            }
                        ],
                    },
                )
            ),
            asks(
                call(
                    "fhir_search",
                    {
                        "resourceType": "Observation",
                        "params": {
                            "patient": "48213",
                            "code": "http://loinc.org|4548-4",
                            "_sort": "-date",
                            "_count": "1",
                        },
                    },
                    {
                        "resourceType": "Bundle",
                        "type": "searchset",
                        "total": 7,
                        "entry": [
                            {
                                "resource": {
                                    "resourceType": "Observation",
                                    "id": "obs-99182",
                                    "status": "final",
                                    "effectiveDateTime": "2026-06-02",
                                    "valueQuantity": {"value": 7.4, "unit": "%"},
                                },
                                "search": {"mode": "match"},
                            }
                        ],
                    },
                )
            ),
            answers("The last one is of 2 June 2026: 7.4 %."),
        ),
        failing=(),
        why="the search with an unknown parameter was corrected and found the value",
    ),
    Story(
        "ninth_clinic_appointment_refused_in_xml",
        "genai_events",
        RECEPTION,
        (
            user(
                "Je voudrais un rendez-vous avec le Dr Morel mardi 15 septembre au matin. Patient 7719, renouvellement d'ordonnance."
            ),
            asks(
                call(
                    "find_slots",
                    {"schedule": "Schedule/morel", "date": "2026-09-15"},
                    '<Bundle xmlns="http://hl7.org/fhir"><type value="searchset"/><total value="1"/><entry><resource><Slot><id value="s-0915-0940"/><status value="free"/><start value="2026-09-15T09:40:00+02:00"/></Slot></resource></entry></Bundle>',
                )
            ),
            asks(
                call(
                    "create_appointment",
                    {
                        "slot": "Slot/s-0915-0940",
                        "patient": "Patient/7719",
                        "reason": "Renouvellement d'ordonnance",
                        "duration_min": 20,
                    },
                    '<OperationOutcome xmlns="http://hl7.org/fhir"><issue><severity value="error"/><code value="conflict"/><details><text value="Le créneau s-0915-0940 a déjà été réservé."/></details></issue></OperationOutcome>',
                )
            ),
            answers("C'est noté : mardi 15 septembre à 9 h 40 avec le Dr Morel. N'oubliez pas votre carte Vitale."),
        ),
        failing=("tool_error",),
        why="the appointment was refused with an OperationOutcome of severity error; the answer claims that it is booked",
    ),
    Story(
        "ninth_clinic_no_allergy_with_warning",
        "vercel_ai",
        ALLERGIES,
        (
            user("Any known allergy of Patient/5531 before I give amoxicillin?"),
            asks(
                call(
                    "fhir_search",
                    {"resourceType": "AllergyIntolerance", "params": {"patient": "5531", "clinical-status": "active"}},
                    {
                        "resourceType": "Bundle",
                        "type": "searchset",
                        "total": 0,
                        "link": [
                            {
                                "relation": "self",
                                "url": "https://fhir.klinik-west.example/AllergyIntolerance?patient=5531&clinical-status=active",
                            }
                        ],
                        "entry": [
                            {
                                "resource": {
                                    "resourceType": "OperationOutcome",
                                    "issue": [
                                        {
                                            "severity": "information",
                                            "code": "informational",
                                            "details": {
                                                "text": "No matching records; the record was last reviewed on 2026-08-30."
                                            },
                                        }
                                    ],
                                },
                                "search": {"mode": "outcome"},
                            }
                        ],
                    },
                )
            ),
            answers(
                "No active allergy is on record (reviewed on 30 August 2026). Please ask the patient again before giving it."
            ),
        ),
        failing=(),
        why="nothing found; the outcome in the bundle is only an information",
    ),
    Story(
        "ninth_clinic_lab_report_of_failure",
        "genai_events",
        LABORATORY,
        (
            user("Was steht im Befund 26-118842?"),
            asks(
                call(
                    "get_lab_report",
                    {"order_no": "26-118842"},
                    "MSH|^~\\&|LAB|KLINIK|KIS|KLINIK|20260911081500||ORU^R01|88421|P|2.5\r"
                    "OBR|1|26-118842||NT-PROBNP^NT-proBNP\r"
                    "OBX|1|NM|33762-6^NT-proBNP||4210|pg/mL|<125|HH|||F\r"
                    "OBX|2|ST|2823-3^Kalium||Fehler: Probe hämolytisch, nicht verwertbar|||||||X\r"
                    "NTE|1||Verdacht auf akutes Herzversagen (acute heart failure). KRITISCHER WERT, telefonisch durchgegeben 08:12.",
                )
            ),
            answers(
                "NT-proBNP 4210 pg/ml (Norm unter 125), kritisch, vereinbar mit akuter Herzinsuffizienz. Kalium war nicht verwertbar (Hämolyse), bitte neu abnehmen."
            ),
        ),
        failing=(),
        why="the report was read; failure and error are findings in it",
    ),
    Story(
        "ninth_clinic_oximeter_read_three_times",
        "pydantic_ai",
        HOME,
        (
            user("Measure my oxygen three times, a minute apart (device OX-4471), and tell me the mean."),
            asks(call("read_oximeter", {"device_id": "OX-4471"}, {"spo2": 97, "pulse": 68, "quality": "good"})),
            pause(60),
            asks(call("read_oximeter", {"device_id": "OX-4471"}, {"spo2": 97, "pulse": 68, "quality": "good"})),
            pause(60),
            asks(call("read_oximeter", {"device_id": "OX-4471"}, {"spo2": 97, "pulse": 68, "quality": "good"})),
            answers("97 % each time, so the mean is 97 %, with a pulse of 68. That's a good value."),
        ),
        failing=(),
        why="a sensor, read three times a minute apart because the user asked for it",
    ),
    Story(
        "ninth_clinic_reminder_number_corrected",
        "openllmetry",
        REMINDER,
        (
            user("Przypomnij pacjentowi 3312 o wizycie 14 września o 8:30."),
            asks(
                call(
                    "get_patient_contact",
                    {"patient_id": 3312},
                    {
                        "patient_id": 3312,
                        "name": "T. Wrona",
                        "mobile": "0601 222 333",
                        "country": "PL",
                        "sms_opt_out": False,
                    },
                )
            ),
            asks(
                call(
                    "send_sms",
                    {"to": "0601222333", "body": "Przypominamy o wizycie 14.09. o 8:30."},
                    {
                        "code": 21211,
                        "message": "Invalid 'To' Phone Number: 060122XXXX",
                        "more_info": "https://www.twilio.com/docs/errors/21211",
                        "status": 400,
                    },
                )
            ),
            asks(
                call(
                    "send_sms",
                    {"to": "+48601222333", "body": "Przypominamy o wizycie 14.09. o 8:30."},
                    {
                        "sid": "SM6c1f0b7aa2",
                        "status": "queued",
                        "to": "+48601222333",
                        "num_segments": "1",
                        "price": None,
                        "error_code": None,
                        "error_message": None,
                    },
                )
            ),
            answers("Wysłałem przypomnienie na numer +48 601 222 333."),
        ),
        failing=(),
        why="the number without a country code was refused and corrected; the second message is queued without an error",
    ),
    Story(
        "ninth_clinic_booking_without_patient",
        "genai",
        BOOKING,
        (
            user("Agende una cita de dermatología para la semana 38 en el centro Norte, por un lunar que ha cambiado."),
            asks(
                call(
                    "list_open_slots",
                    {"clinic": "norte", "specialty": "dermatology", "week": "2026-W38"},
                    [{"slot_id": "DN-38-02", "start": "2026-09-16T10:20:00+02:00", "doctor": "Dra. Ferrer"}],
                )
            ),
            asks(
                call(
                    "book_slot",
                    {"slot_id": "DN-38-02", "reason": "Lunar que ha cambiado"},
                    {
                        "content": [
                            {
                                "type": "text",
                                "text": "1 validation error for call[book_slot]\npatient_id\n  Missing required argument [type=missing_argument, input_value={'slot_id': 'DN-38-02', 'r...Lunar que ha cambiado'}, input_type=dict]\n    For further information visit https://errors.pydantic.dev/2.12/v/missing_argument",
                            }
                        ],
                        "isError": True,
                    },
                )
            ),
            answers(
                "He visto un hueco con la Dra. Ferrer el 16 de septiembre a las 10:20, pero no he podido reservarlo. Llame por favor al centro."
            ),
        ),
        failing=("tool_error", "tool_call_validity"),
        why="the booking lacked the required patient_id, failed for it and was not tried again",
    ),
    Story(
        "ninth_clinic_handed_to_nurse_line",
        "openllmetry",
        INTAKE,
        (
            user("Mein Sohn (P-2201) hat seit zwei Tagen 39,5 Fieber und trinkt wenig."),
            asks(
                call(
                    "record_symptoms",
                    {"patient_id": "P-2201", "symptoms": ["Fieber 39,5", "trinkt wenig"], "since_days": 2},
                    {"ok": True, "id": 4410, "red_flags": [], "warning": None},
                )
            ),
            hands_off(NURSE),
            asks(
                call(
                    "schedule_callback",
                    {
                        "patient_id": "P-2201",
                        "within_minutes": 15,
                        "note": "Kind, 2 Tage Fieber 39,5, trinkt wenig. Gefahr der Dehydration.",
                    },
                    {"callback_id": "CB-771", "state": "WAITING_FOR_AGENT", "position": 2, "failed_attempts": 0},
                )
            ),
            answers(
                "Eine Pflegefachfrau ruft Sie in den nächsten 15 Minuten an. Wenn er nicht mehr ansprechbar ist, rufen Sie sofort die 144."
            ),
        ),
        failing=(),
        why="handed to another agent and then to a person, who calls",
    ),
    Story(
        "ninth_clinic_discharge_letter_breaks_off",
        "genai_events",
        LETTER,
        (
            user("Entlassbrief für Fall 26-4471 bitte."),
            asks(
                call(
                    "get_stay",
                    {"case_no": "26-4471"},
                    {
                        "case_no": "26-4471",
                        "admitted": "2026-09-01",
                        "discharged": "2026-09-09",
                        "diagnoses": [{"icd": "J18.1", "text": "Lobärpneumonie"}],
                        "medication_at_discharge": [
                            "Amoxicillin/Clavulansäure 875/125 1-0-1 bis 12.09.",
                            "Pantoprazol 40 1-0-0",
                        ],
                        "complications": None,
                    },
                )
            ),
            answers(
                "Sehr geehrte Frau Kollegin, sehr geehrter Herr Kollege,\n\nwir berichten über unsere gemeinsame Patientin, die vom 01.09.2026 bis 09.09.2026 wegen einer "
                "Lobärpneumonie (J18.1) in unserer stationären Behandlung war.\n\nVerlauf: Unter intravenöser Antibiotikatherapie kam es zu einer raschen Besserung.\n\n"
                "Medikation bei Entlassung:\n- Amoxicillin/Clavulansäure 875/125 mg 1-0-",
                "length",
            ),
        ),
        failing=("run_completion",),
        why="the letter breaks off within the medication, at the limit of tokens",
    ),
    Story(
        "ninth_clinic_guideline_hosted_search",
        "genai",
        GUIDE,
        (
            user("What is first line for uncomplicated cystitis, and do we stock it?"),
            asks(
                call(
                    "get_formulary_entry",
                    {"drug": "fosfomycin"},
                    {
                        "drug": "fosfomycin trometamol",
                        "form": "sachet 3 g",
                        "stock": 140,
                        "restrictions": [],
                        "recall": None,
                    },
                )
            ),
            answers(
                "First line is fosfomycin 3 g once, or nitrofurantoin for five days (guideline on urinary tract infections). We have 140 sachets of fosfomycin.",
                hosted=[
                    hosted(
                        "web_search",
                        {"query": "guideline uncomplicated cystitis first line 2026 treatment failure resistance"},
                        [
                            {
                                "title": "Guideline: uncomplicated UTI",
                                "url": "https://guidelines.example/uti",
                                "snippet": "Treatment failure and resistance errors in the choice of antibiotics ...",
                            }
                        ],
                    )
                ],
            ),
        ),
        failing=(),
        why="the provider ran the search, which needs no definition; it and the formulary gave results",
    ),
)
