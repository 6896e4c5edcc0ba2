"""Agents of lawyers; labelled from the spans alone."""

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, tool, unanswered, user

__all__ = ["STORIES"]


STORIES = (
    Story(
        "legal_clause_revised",
        "vercel_ai",
        Agent(
            "contract_editor",
            (
                tool("read_clause", "Read a clause.", number="string"),
                tool("write_clause", "Replace the text of a clause.", number="string", text="string"),
            ),
            "You revise contracts.",
        ),
        (
            user("Make clause 7.2 mutual, and shorten it."),
            asks(
                call(
                    "read_clause",
                    {"number": "7.2"},
                    (
                        "The Customer shall indemnify the Supplier against any and all losses whatsoever "
                        "arising from a breach."
                    ),
                )
            ),
            asks(
                call(
                    "write_clause",
                    {
                        "number": "7.2",
                        "text": "Each party shall indemnify the other against all losses arising from its breach.",
                    },
                    {"saved": True, "version": 2},
                )
            ),
            asks(
                call(
                    "read_clause",
                    {"number": "7.2"},
                    "Each party shall indemnify the other against all losses arising from its breach.",
                )
            ),
            asks(
                call(
                    "write_clause",
                    {
                        "number": "7.2",
                        "text": "Each party shall indemnify the other against losses arising from its breach.",
                    },
                    {"saved": True, "version": 3},
                )
            ),
            asks(
                call(
                    "read_clause",
                    {"number": "7.2"},
                    "Each party shall indemnify the other against losses arising from its breach.",
                )
            ),
            answers(
                'Clause 7.2 is mutual now: "Each party shall indemnify the other against losses '
                'arising from its breach."'
            ),
        ),
        failing=(),
        why="The clause is read again after each change: read, write, read.",
    ),
    Story(
        "legal_case_not_found_in_french",
        "pydantic_ai",
        Agent(
            "greffe",
            (tool("get_case", "Get a case from the register.", number="string"),),
            "Vous aidez les avocats à suivre leurs dossiers.",
        ),
        (
            user("Où en est le dossier 24/01877 ?"),
            asks(call("get_case", {"number": "24/01877"}, "Erreur : le dossier 24/01877 est introuvable.")),
            answers("Je ne trouve pas ce dossier dans le registre. Pouvez-vous vérifier le numéro ?"),
        ),
        failing=("tool_error",),
        why="The register answered with an error message in French, and no later call succeeded.",
    ),
    Story(
        "legal_fax_tool_invented",
        "genai_events",
        Agent(
            "contract_editor",
            (tool("file_document", "File a document electronically.", case="string", document="string"),),
            "You file documents with the court.",
        ),
        (
            user("Send the statement of defence in 24/01877 to the court by fax."),
            asks(
                call(
                    "send_fax",
                    {"number": "+49 30 5550", "document": "defence.pdf"},
                    "Unknown tool: send_fax. Available tools: file_document",
                )
            ),
            answers("I cannot send faxes. Shall I file the document electronically instead?"),
        ),
        failing=("tool_call_validity", "tool_error"),
        why="send_fax was never offered; the answer to the call is Unknown tool.",
    ),
    Story(
        "legal_filing_asked_for_and_never_run",
        "genai",
        Agent(
            "contract_editor",
            (tool("file_document", "File a document electronically.", case="string", document="string"),),
            "You file documents with the court.",
        ),
        (
            user("File defence.pdf in 24/01877."),
            asks(unanswered("file_document", {"case": "24/01877", "document": "defence.pdf"})),
        ),
        failing=("run_completion",),
        why="The model asked for file_document, and the run ended without executing it or answering.",
    ),
)
