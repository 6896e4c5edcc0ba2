"""Hospitals and practices: records, laboratories, interactions of drugs."""

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, crashes, hands_off, model_fails, tool, user

__all__ = ["STORIES"]

RECORD = tool("get_record", "The record of a patient", patient_id="string")
LAB = tool("get_lab_results", "Laboratory results", patient_id="string", panel=["blood", "urine"])
DRUGS = tool("check_interactions", "Interactions of drugs", drugs="string[]")
NOTE = tool("write_note", "Write a note into the record", patient_id="string", text="string")
PLUGIN = tool("calendar-list_shifts", "Shifts of a ward", ward="string")
CLINIC = Agent(
    "clinic_agent",
    (RECORD, LAB, DRUGS, NOTE, PLUGIN),
    "You assist the staff of a hospital. You do not diagnose.",
    model="claude-sonnet-4-5",
    provider="anthropic",
)
WARD = Agent("ward_agent", (RECORD, NOTE), "You write notes for the ward.")

RESULTS = {"patient_id": "P-118", "panel": "blood", "values": {"hb": 13.9, "crp": 2.1}, "errors": []}
INTERRUPT = Fault(
    "langgraph.errors.GraphInterrupt", "(Interrupt(value={'action': 'write_note', 'approve': None}, id='7c1e'),)"
)
PARENT = Fault("langgraph.errors.ParentCommand", "Command(graph='__parent__', goto='ward_agent')")

STORIES = (
    Story(
        "clinic_one_of_three_failed",
        "genai",
        CLINIC,
        (
            user("Summarise P-118: record, blood and urine."),
            asks(
                call("get_record", {"patient_id": "P-118"}, {"name": "K. Lindqvist", "born": 1961}),
                call("get_lab_results", {"patient_id": "P-118", "panel": "blood"}, RESULTS),
                call(
                    "write_note",
                    {"patient_id": "P-118", "text": "Reviewed."},
                    fault=Fault("RecordLocked", "locked by Dr. Amari"),
                ),
            ),
            answers("Hb 13.9, CRP 2.1. The note could not be written, Dr. Amari has the record open."),
        ),
        failing=("tool_error",),
        why="one of three calls raised and was not made good",
    ),
    Story(
        "clinic_one_of_three_recovered",
        "genai",
        CLINIC,
        (
            user("Write 'Reviewed.' into P-119 after reading it."),
            asks(call("get_record", {"patient_id": "P-119"}, {"name": "S. Moreau", "born": 1988})),
            asks(
                call(
                    "write_note",
                    {"patient_id": "P-119", "text": "Reviewed."},
                    fault=Fault("RecordLocked", "locked by Dr. Amari"),
                )
            ),
            asks(call("write_note", {"patient_id": "P-119", "text": "Reviewed."}, {"written": True, "error": None})),
            answers("Done, at the second try."),
        ),
        failing=(),
        why="the note was written on the second try",
    ),
    Story(
        "clinic_status_error",
        "vercel_ai",
        CLINIC,
        (
            user("Do ibuprofen and ramipril go together?"),
            asks(
                call(
                    "check_interactions",
                    {"drugs": ["ibuprofen", "ramipril"]},
                    {"status": "error", "code": "DB_TIMEOUT", "message": "the interaction database did not respond"},
                )
            ),
            answers("I could not check that. Please ask the pharmacy."),
        ),
        failing=("tool_error",),
        why="the status of the result is `error`",
    ),
    Story(
        "clinic_interaction_is_severe",
        "vercel_ai",
        CLINIC,
        (
            user("Do warfarin and aspirin go together?"),
            asks(
                call(
                    "check_interactions",
                    {"drugs": ["warfarin", "aspirin"]},
                    {
                        "status": "ok",
                        "interactions": [{"severity": "severe", "effect": "bleeding; organ failure in rare cases"}],
                    },
                )
            ),
            answers("That combination raises the risk of bleeding severely; please ask the pharmacy."),
        ),
        failing=(),
        why="the check worked, and speaks of a failure of organs",
    ),
    Story(
        "clinic_http_500_envelope",
        "openinference",
        CLINIC,
        (
            user("Blood values of P-120?"),
            asks(
                call(
                    "get_lab_results",
                    {"patient_id": "P-120", "panel": "blood"},
                    {"status": 500, "statusText": "Internal Server Error", "body": ""},
                )
            ),
            answers("The laboratory system has a problem at the moment."),
        ),
        failing=("tool_error",),
        why="the envelope of the result has HTTP status 500",
    ),
    Story(
        "clinic_whitespace_answer",
        "pydantic_ai",
        CLINIC,
        (
            user("Blood values of P-118?"),
            asks(call("get_lab_results", {"patient_id": "P-118", "panel": "blood"}, RESULTS)),
            answers(" \n"),
        ),
        failing=("run_completion",),
        why="an answer of blanks is an empty one",
    ),
    Story(
        "clinic_model_overloaded",
        "openllmetry",
        CLINIC,
        (
            user("Read me the record of P-121."),
            asks(call("get_record", {"patient_id": "P-121"}, {"name": "T. Hansen", "born": 1940})),
            model_fails("anthropic.InternalServerError", "Error code: 529 - overloaded_error"),
            model_fails("anthropic.InternalServerError", "Error code: 529 - overloaded_error"),
            crashes("anthropic.InternalServerError", "Error code: 529 - overloaded_error"),
        ),
        failing=("run_completion",),
        why="the model was overloaded twice, and the run ended in that error",
    ),
    Story(
        "clinic_drugs_as_one_object",
        "openinference",
        CLINIC,
        (
            user("Interactions of metformin?"),
            asks(call("check_interactions", {"drugs": {"name": "metformin"}}, {"interactions": []})),
            answers("None are known."),
        ),
        failing=("tool_call_validity",),
        why="`drugs` has to be a list of texts, and is an object",
    ),
    Story(
        "clinic_panel_not_offered",
        "genai",
        CLINIC,
        (
            user("Genetic panel of P-118?"),
            asks(
                call("get_lab_results", {"patient_id": "P-118", "panel": "genetic"}, "Error: unknown panel 'genetic'")
            ),
            answers("There is no genetic panel for this patient."),
        ),
        failing=("tool_call_validity", "tool_error"),
        why="the panel is none of those that the schema allows, and the call failed for it",
    ),
    Story(
        "clinic_plugin_separator",
        "genai",
        CLINIC,
        (
            user("Who works on ward 3 tonight?"),
            asks(call("calendar-list_shifts", {"ward": "3"}, ["22:00 M. Osei"], ran_as="calendar.list_shifts")),
            answers("M. Osei, from 22:00."),
        ),
        failing=(),
        why="the tool was offered with a dash and ran with a dot between plugin and name",
    ),
    Story(
        "clinic_interrupt_with_error_status",
        "genai",
        CLINIC,
        (
            user("Note 'no allergies' for P-118."),
            asks(
                call("write_note", {"patient_id": "P-118", "text": "No allergies."}, fault=INTERRUPT, is_answered=False)
            ),
        ),
        failing=(),
        why="the graph waits for a person to approve the note; that exception is how it does so",
    ),
    Story(
        "clinic_parent_command_with_error_status",
        "openllmetry",
        CLINIC,
        (
            user("Have the ward note that P-118 may go home."),
            hands_off(WARD, PARENT),
            asks(call("write_note", {"patient_id": "P-118", "text": "May go home."}, {"written": True})),
            answers("The ward has noted it."),
        ),
        failing=(),
        why="ParentCommand is how LangGraph leaves the first agent, whatever status the span was given",
    ),
)
