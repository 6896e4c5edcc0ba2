"""Personnel, schools, practices and offices of law."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, crashes, model_fails, refused, repeat_calls, tool, user

__all__ = ["STORIES"]

HRIS = Agent(
    "hris_agent",
    (tool("list_employees", "Employees, by page", limit="integer?", offset="integer?", department="string?"),),
    "You answer questions on staff.",
    "gpt-4o-mini",
)
PRACTICE = Agent(
    "practice_desk",
    (
        tool("list_slots", "Free slots of a doctor", doctor="string", date="string"),
        tool("book_appointment", "Books a slot", doctor="string", start="string", patient="string"),
    ),
    "You book appointments for a medical practice.",
    "gpt-4.1",
)
LEARNING = Agent(
    "learning_admin",
    (
        tool("find_course", "Finds courses", text="string"),
        tool("enroll", "Enrolls a person in a course", course_id="string", email="string"),
    ),
    "You manage trainings.",
    "gpt-4.1-mini",
)
PAYROLL = Agent(
    "paie_assistant",
    (tool("controler_dsn", "Contrôle une DSN avant dépôt", fichier="string", mois="string"),),
    "Vous aidez le service paie.",
    "mistral-large-latest",
    "mistral_ai",
)
LEAVE = Agent(
    "leave_bot",
    (
        tool("get_balance", "Days of leave that are left", employee_id="string", year="integer"),
        tool(
            "request_leave",
            "Files a request for leave",
            employee_id="string",
            start_date="string",
            end_date="string",
            comment="string?",
        ),
    ),
    "You handle requests for leave.",
    "gpt-4o",
)
LEGAL = Agent(
    "case_summarizer",
    (tool("get_document", "A document of a case", document_id="string"),),
    "You summarise case files.",
    "gpt-4o",
)
SCREENING = Agent(
    "cv_screener",
    (
        tool("list_applications", "Applications to a job", job_id="integer", status="string?"),
        tool("get_resume_text", "Text of a CV", application_id="integer"),
    ),
    "You pre-sort applications.",
    "gpt-4.1",
)
POLICY = Agent(
    "policy_rag",
    (tool("search_policies", "Passages of the policies by meaning", query="string", top_k="integer?"),),
    "You answer from the policies of the company and cite them.",
    "gpt-4o-mini",
)
SOURCING = Agent(
    "talent_sourcing",
    (
        tool("search_people", "Searches profiles", title="string", location="string", page="integer?"),
        tool("save_to_list", "Saves profiles to a list", list_name="string", ids="string[]"),
    ),
    "You look for candidates.",
    "gpt-4.1",
)

STORIES = (
    Story(
        "sixteenth_people_staff_of_support_counted",
        "openllmetry",
        HRIS,
        (
            user("How many people work in Support?"),
            *(
                asks(
                    call(
                        "list_employees",
                        {"limit": 2, "offset": offset, "department": "Support"},
                        {
                            "success": True,
                            "metadata": {"total_elements": 5, "current_page": offset // 2, "total_pages": 3},
                            "data": [
                                {
                                    "type": "Employee",
                                    "attributes": {
                                        "id": {"value": 1001 + at},
                                        "last_name": {"value": name},
                                        "termination_reason": {"value": None},
                                    },
                                }
                                for at, name in names
                            ],
                        },
                    )
                )
                for offset, names in (
                    (0, ((0, "Abel"), (1, "Brandt"))),
                    (2, ((2, "Costa"), (3, "Dahl"))),
                    (4, ((4, "Eriksen"),)),
                )
            ),
            answers("Five: Abel, Brandt, Costa, Dahl and Eriksen."),
        ),
        failing=(),
        why="three pages of a list, each read once",
    ),
    Story(
        "sixteenth_people_slot_was_taken",
        "genai",
        PRACTICE,
        (
            user("An appointment with Dr Okafor on 3 March for Lena Vogt, any time in the morning."),
            asks(
                call(
                    "list_slots",
                    {"doctor": "okafor", "date": "2026-03-03"},
                    {"slots": ["2026-03-03T09:20", "2026-03-03T10:40"], "reason": None},
                )
            ),
            asks(
                call(
                    "book_appointment",
                    {"doctor": "okafor", "start": "2026-03-03T09:20", "patient": "Lena Vogt"},
                    {
                        "resourceType": "OperationOutcome",
                        "issue": [
                            {
                                "severity": "error",
                                "code": "conflict",
                                "diagnostics": "HTTP 409: slot 2026-03-03T09:20 is no longer free",
                            }
                        ],
                    },
                )
            ),
            asks(
                call(
                    "book_appointment",
                    {"doctor": "okafor", "start": "2026-03-03T10:40", "patient": "Lena Vogt"},
                    {
                        "resourceType": "Appointment",
                        "id": "apt-33910",
                        "status": "booked",
                        "start": "2026-03-03T10:40:00+01:00",
                        "cancelationReason": None,
                    },
                )
            ),
            answers("Lena Vogt has an appointment with Dr Okafor on 3 March at 10:40."),
        ),
        failing=(),
        why="the first slot was gone, the second was booked",
    ),
    Story(
        "sixteenth_people_enrolment_server_error",
        "pydantic_ai",
        LEARNING,
        (
            user("Meld Joost (joost@havenwerk.example) aan voor de BHV-training."),
            asks(
                call(
                    "find_course",
                    {"text": "BHV"},
                    {"courses": [{"id": "crs-318", "title": "BHV basis", "seats_left": 6}]},
                )
            ),
            asks(
                call(
                    "enroll",
                    {"course_id": "crs-318", "email": "joost@havenwerk.example"},
                    {
                        "timestamp": "2026-01-20T09:31:44.120+00:00",
                        "status": 500,
                        "error": "Internal Server Error",
                        "path": "/api/v2/enrolments",
                    },
                )
            ),
            answers(
                "De aanmelding is niet gelukt: het leersysteem gaf een interne fout. Probeer het later nog eens, er zijn nog zes plaatsen."
            ),
        ),
        failing=("tool_error",),
        why="the enrolment ended with HTTP 500 and was not tried again",
    ),
    Story(
        "sixteenth_people_dsn_controlee",
        "genai_events",
        PAYROLL,
        (
            user("Contrôle la DSN d'avril avant qu'on la dépose, fichier dsn_2026_04.edi."),
            asks(
                call(
                    "controler_dsn",
                    {"fichier": "dsn_2026_04.edi", "mois": "2026-04"},
                    {
                        "valide": False,
                        "outil": "DSN-Val 2026.1",
                        "erreurs": [
                            {"rubrique": "S21.G00.30.001", "message": "CSL 11 : le NIR est incorrect", "ligne": 2210},
                            {
                                "rubrique": "S21.G00.51.013",
                                "message": "CCH-12 : montant négatif non autorisé",
                                "ligne": 2484,
                            },
                        ],
                        "avertissements": [],
                    },
                )
            ),
            answers(
                "Deux anomalies bloquantes : un NIR incorrect (ligne 2210) et un montant négatif (ligne 2484). Il faut les corriger avant le dépôt."
            ),
        ),
        failing=(),
        why="the validator did its work; its findings are what was asked for",
    ),
    Story(
        "sixteenth_people_leave_waits_for_manager",
        "vercel_ai",
        LEAVE,
        (
            user("I'd like to take 13 to 17 July off. I'm E-2291."),
            asks(
                call(
                    "get_balance",
                    {"employee_id": "E-2291", "year": 2026},
                    {"employeeId": "E-2291", "entitled": 30, "taken": 11, "rejectedRequests": 1, "remaining": 19},
                )
            ),
            asks(
                call(
                    "request_leave",
                    {"employee_id": "E-2291", "start_date": "2026-07-13", "end_date": "2026-07-17"},
                    {
                        "id": "LR-7719",
                        "status": {"status": "requested", "lastChanged": "2026-05-11"},
                        "approver": "m.lindqvist",
                        "amount": {"unit": "days", "amount": "5"},
                    },
                )
            ),
            answers("I filed LR-7719 for five days. It now waits for Mia Lindqvist to approve it."),
        ),
        failing=(),
        why="the request was filed and waits for the manager",
    ),
    Story(
        "sixteenth_people_case_file_withheld",
        "openinference",
        LEGAL,
        (
            user("Summarise the statement of the victim, document D-14."),
            asks(
                call(
                    "get_document",
                    {"document_id": "D-14"},
                    {
                        "id": "D-14",
                        "title": "Statement of 4 March",
                        "pages": 6,
                        "text": "On the evening of 2 March I was on my way home when ...",
                    },
                )
            ),
            answers("", "content_filter"),
        ),
        failing=("run_completion",),
        why="the content filter left nothing of the summary",
    ),
    Story(
        "sixteenth_people_screening_model_never_came_back",
        "genai",
        SCREENING,
        (
            user("Pre-sort the new applications to job 5512."),
            asks(
                call(
                    "list_applications",
                    {"job_id": 5512, "status": "active"},
                    [
                        {
                            "id": 88011,
                            "candidate_id": 70112,
                            "status": "active",
                            "rejected_at": None,
                            "rejection_reason": None,
                        },
                        {
                            "id": 88015,
                            "candidate_id": 70139,
                            "status": "active",
                            "rejected_at": None,
                            "rejection_reason": None,
                        },
                    ],
                )
            ),
            asks(
                call(
                    "get_resume_text",
                    {"application_id": 88011},
                    "Tomás Rey\nSite reliability engineer\n2019- Lumen: reduced failed deployments from 9 % to 1 %",
                ),
                call(
                    "get_resume_text",
                    {"application_id": 88015},
                    "Wiebke Otten\nSystems administrator\n2021- Stadt Emden: Linux, Ansible",
                ),
            ),
            model_fails("openai.APITimeoutError", "Request timed out."),
            model_fails("openai.APITimeoutError", "Request timed out."),
            crashes("openai.APITimeoutError", "Request timed out."),
        ),
        failing=("run_completion",),
        why="the model timed out twice and the run ended with that error",
    ),
    Story(
        "sixteenth_people_end_of_leave_forgotten",
        "vercel_ai",
        LEAVE,
        (
            user("Friday 5 June off please, E-1140."),
            asks(
                refused(
                    "request_leave",
                    {"employee_id": "E-1140", "start_date": "2026-06-05"},
                    'Invalid input for tool request_leave: Type validation failed: Value: {"employee_id":"E-1140","start_date":"2026-06-05"}.\nError message: [{"expected":"string","code":"invalid_type","path":["end_date"],"message":"Invalid input: expected string, received undefined"}]',
                )
            ),
            asks(
                call(
                    "request_leave",
                    {"employee_id": "E-1140", "start_date": "2026-06-05", "end_date": "2026-06-05", "comment": None},
                    {
                        "id": "LR-7802",
                        "status": {"status": "approved", "lastChanged": "2026-05-28"},
                        "amount": {"unit": "days", "amount": "1"},
                    },
                )
            ),
            answers("Done, Friday 5 June is approved (LR-7802)."),
        ),
        failing=("tool_call_validity",),
        why="end_date is required and was left out of the first call; the second was complete and worked",
    ),
    Story(
        "sixteenth_people_policy_on_dogs",
        "openinference",
        POLICY,
        (
            user("May I bring my dog to the office in Ghent?"),
            asks(
                call(
                    "search_policies",
                    {"query": "dogs in the office Ghent", "top_k": 4},
                    {"matches": [], "namespace": "policies-be", "usage": {"read_units": 6}},
                )
            ),
            asks(
                call(
                    "search_policies",
                    {"query": "pets at work", "top_k": 4},
                    {
                        "matches": [
                            {
                                "id": "hb-2025#7.4",
                                "score": 0.83,
                                "metadata": {
                                    "text": "7.4 Animals. Dogs are welcome where the site manager agrees. Failure to keep a dog on the lead ends the permission.",
                                    "source": "handbook-2025.pdf",
                                },
                            },
                            {
                                "id": "it-12#3",
                                "score": 0.41,
                                "metadata": {
                                    "text": "Errors of the badge reader are reported to IT.",
                                    "source": "it-rules.pdf",
                                },
                            },
                        ],
                        "namespace": "policies-be",
                        "usage": {"read_units": 6},
                    },
                )
            ),
            answers("Yes, if the site manager of Ghent agrees, and on the lead (handbook 2025, 7.4)."),
        ),
        failing=(),
        why="the first search found nothing, the second found the passage",
    ),
    Story(
        "sixteenth_people_same_profiles_again",
        "genai_events",
        SOURCING,
        (
            user("Find me mould makers around Lüdenscheid and save them to the list Moulds."),
            *repeat_calls(
                6,
                call(
                    "search_people",
                    {"title": "Werkzeugmacher", "location": "Lüdenscheid", "page": 1},
                    {
                        "pagination": {"page": 1, "per_page": 25, "total_entries": 2, "total_pages": 1},
                        "people": [{"id": "64a1f0", "name": "Ralf Hoppe"}, {"id": "64a20b", "name": "Sevim Aydın"}],
                    },
                ),
            ),
            asks(
                call(
                    "save_to_list",
                    {"list_name": "Moulds", "ids": ["64a1f0", "64a20b"]},
                    {"label": {"name": "Moulds", "cached_count": 2}, "errors": []},
                )
            ),
            answers("I saved Ralf Hoppe and Sevim Aydın to Moulds."),
        ),
        failing=("tool_efficiency",),
        why="the very same page was asked for six times in a row and was the same each time",
    ),
)
