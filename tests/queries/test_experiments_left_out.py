"""Every SQL file that reads runs, scores or calls of judges says which of experiments it takes, or is listed here."""

from __future__ import annotations

import re
from typing import Final

import pytest

from tracegrade.queries.catalog import objects
from tracegrade.queries.cookbook.library import read_library
from tracegrade.queries.sql_file import Kind, SqlFile

_READS = re.compile(r"\b(?:from|join|update|into) (?:agent_traces|scores|judge_calls)\b")
_COMMENT = re.compile(r"--.*")

WITH_EXPERIMENTS: Final = {
    "runs, scores or calls that the caller names": {
        "attributes_of_runs",
        "claimed_executions",
        "delete_agent_traces",
        "delete_failed_scores",
        "delete_pending_judge_calls",
        "insert_former_starts",
        "insert_judge_calls",
        "insert_vanished_runs",
        "link_agent_traces",
        "linked_agent_traces",
        "next_outbox_events",
        "query_over_runs",
        "query_scores",
        "recorded_agent_traces",
        "runs_in_tree",
        "runs_of_trace",
        "runs_where",
        "runs_with_stored_span",
        "runs_without_content",
        "scored_judge_calls",
        "scores_to_compare",
        "superseded_of",
        "targets_of_traces",
        "traces_with_runs",
        "trees_of_runs",
        "update_failed_calls",
        "update_outcomes",
        "whole_run",
    },
    "feedback of people and other systems, on any run": {
        "annotations_of",
        "insert_scores_of_feedback",
        "move_scores_of_feedback",
        "reattributed_subjects",
        "restore_scores_of_feedback",
        "runs_of_subjects",
        "runs_scored_by_people",
        "sessions_of_subjects",
        "standing_of_feedback",
        "supersede_scores_of_feedback",
        "withdraw_annotation",
        "withdraw_scores_of_feedback",
    },
    "answers of the server's own judges": {"answer_tokens"},
    "the order of assembly, in which all runs have a position": {"enrol_evaluator", "last_assembled_seq"},
    "the files of `tracegrade export`, which have all runs": {
        "exported_agent_traces",
        "exported_days",
        "exported_llm_calls",
        "exported_messages",
        "exported_scores",
        "exported_tool_calls",
    },
    "labels of people, whose views leave experiments out": {"newest_disagreements"},
    "the whole store": {"condition_type", "evaluator_names", "searched_runs", "store_contents", "stored_judge_calls"},
}

KINDS: Final[tuple[Kind, ...]] = ("view", "macro", "statement", "report")

READERS = [
    file
    for file in (
        *(file for kind in KINDS for file in objects(kind)),
        *(report.file for report in read_library().reports.values()),
    )
    if _READS.search(_COMMENT.sub("", file.text))
]


@pytest.mark.parametrize("file", READERS, ids=lambda file: file.name)
def test_reader_says_whether_it_takes_experiments(file: SqlFile) -> None:
    says_so = "experiment" in _COMMENT.sub("", file.text)
    is_listed = any(file.name in names for names in WITH_EXPERIMENTS.values())
    assert says_so != is_listed, f"{file.file}: a condition on experiment_id, or a line in WITH_EXPERIMENTS"
