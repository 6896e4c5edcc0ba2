"""Agents in wards; labelled from the spans alone."""

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, tool, user

__all__ = ["STORIES"]


STORIES = (
    Story(
        "health_results_read",
        "openllmetry",
        Agent(
            "ward_assistant",
            (
                tool(
                    "get_lab_results",
                    "Get the latest laboratory results.",
                    patient_id="string",
                    panel=("blood_count", "electrolytes", "liver"),
                ),
            ),
            "You help nurses to read laboratory results. You do not diagnose.",
        ),
        (
            user("Electrolytes and liver of P-3301, please."),
            asks(
                call(
                    "get_lab_results",
                    {"patient_id": "P-3301", "panel": "electrolytes"},
                    {
                        "status": "final",
                        "values": {"Na": 129, "K": 5.8},
                        "flags": ["critical_low", "critical_high"],
                        "errors": [],
                    },
                ),
                call(
                    "get_lab_results",
                    {"patient_id": "P-3301", "panel": "liver"},
                    {"status": "final", "values": {"ALT": 31}, "flags": [], "errors": []},
                ),
            ),
            answers(
                "Sodium 129 (critically low), potassium 5.8 (critically high), ALT 31 (normal). "
                "Please call the physician on duty."
            ),
        ),
        failing=(),
        why="Findings that are abnormal and an empty list of errors are no failure of the tool.",
    ),
    Story(
        "health_content_filter",
        "genai",
        Agent(
            "health_coach",
            (tool("drug_facts", "Get facts on a drug.", name="string"),),
            "You answer questions on medication for patients.",
        ),
        (
            user("How much paracetamol is too much?"),
            asks(call("drug_facts", {"name": "paracetamol"}, {"max_daily_dose_g": 4, "overdose": "liver damage"})),
            answers("More than four grams", "content_filter"),
        ),
        failing=("run_completion",),
        why="The provider's content filter cut the answer off.",
    ),
    Story(
        "health_dose_as_list",
        "vercel_ai",
        Agent(
            "ward_assistant",
            (tool("record_medication", "Record a given dose.", patient_id="string", drug="string", dose_mg="number"),),
            "You help nurses with documentation.",
        ),
        (
            user("P-3301 got 500 mg paracetamol."),
            asks(
                call(
                    "record_medication",
                    {"patient_id": "P-3301", "drug": "paracetamol", "dose_mg": [500]},
                    fault=Fault("ValidationError", "dose_mg: Input should be a valid number, got list"),
                )
            ),
            answers("I could not record the dose. Please enter it by hand."),
        ),
        failing=("tool_call_validity", "tool_error"),
        why="dose_mg is a list where a number belongs; the tool refused it and was not called again.",
    ),
)
