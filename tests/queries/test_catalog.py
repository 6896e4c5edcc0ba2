"""Finding, ordering and installing the .sql files."""

from __future__ import annotations

import hashlib
from itertools import chain
from pathlib import Path

import duckdb
import pytest

from tracegrade.queries import catalog
from tracegrade.queries.catalog import (
    BadHeader,
    ChangedSchema,
    NewerSchema,
    UnknownSplice,
    UnknownSql,
    migrate,
    objects,
    report,
    statement,
)

STATEMENTS = Path(str(catalog.PACKAGE)) / "statements"

SPANS = "-- table: spans\n-- grain: span\ncreate table spans (trace_id varchar, name varchar);\n"
COSTS = "-- migration: costs\nalter table spans add column cost_usd double;\n"
ROOTS = (
    "-- view: roots\n-- reads: spans, short\ncreate or replace view roots as select short(name) as name from spans;\n"
)
SHORT = "-- macro: short\ncreate or replace macro short(text) as left(text, 3);\n"


def package(folder: Path, **files: str) -> Path:
    """A package's folders; `schema_0001_spans=…` writes schema/0001_spans.sql."""
    for key, text in files.items():
        kind, _, name = key.partition("_")
        path = folder / {"macro": "macros", "view": "views"}.get(kind, kind) / f"{name}.sql"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_header_gives_every_key_with_its_continuation_lines(tmp_path: Path) -> None:
    text = (
        "-- view:    roots\n-- purpose: where a trace begins:\n--          its first span\n-- reads:   spans, short\n"
        "-- A remark of no key ends the header.\n-- note: no part of it\nselect 1;\n"
    )
    (view,) = objects("view", root=package(tmp_path, view_roots=text))
    assert view.header == {
        "view": "roots",
        "purpose": "where a trace begins: its first span",
        "reads": "spans, short",
    }
    assert (view.kind, view.name, view.file, view.reads) == ("view", "roots", "roots.sql", ("spans", "short"))
    assert view.text == text


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        pytest.param({"view_roots": "select 1;"}, "must read `-- view: NAME`", id="no header"),
        pytest.param({"view_roots": "-- purpose: x\n-- view: roots\n"}, "the first line", id="kind not first"),
        pytest.param({"view_roots": "-- macro: roots\n"}, "`-- view: NAME`", id="kind of another folder"),
        pytest.param({"view_roots": "-- view: leaves\n"}, "calls it 'leaves'", id="another name"),
        pytest.param({"schema_spans": SPANS}, "named by number", id="schema file without number"),
        pytest.param({"schema_0001_spans": "-- view: x\n"}, "table or migration", id="view among the schema"),
    ],
)
def test_file_that_does_not_say_what_it_is_is_an_error_that_names_it(
    tmp_path: Path, files: dict[str, str], fault: str
) -> None:
    root = package(tmp_path, **files)
    with pytest.raises(BadHeader, match=fault) as error:
        for kind in ("view", "schema"):
            objects(kind, root=root)
    assert next(iter(files)).partition("_")[2] in str(error.value)


def test_folder_that_is_not_there_holds_no_files(tmp_path: Path) -> None:
    assert objects("report", root=tmp_path) == ()


def test_statement_is_found_by_name_and_a_missing_one_is_named() -> None:
    assert "from schema_history" in statement("schema_history")
    with pytest.raises(UnknownSql, match="no statement 'nonesuch'"):
        statement("nonesuch")
    with pytest.raises(UnknownSql, match="no report 'nonesuch'"):
        catalog.report("nonesuch")


def test_statements_are_in_folders_of_one_level_and_found_by_name() -> None:
    paths = list(STATEMENTS.rglob("*.sql"))
    assert {path.parent.parent for path in paths} == {STATEMENTS}
    assert all(f"-- statement: {path.stem}\n" in path.read_text(encoding="utf-8") for path in paths)


def test_two_statements_of_one_name_in_two_folders_are_an_error_that_names_them(tmp_path: Path) -> None:
    for folder in ("ledger", "scores"):
        path = tmp_path / "statements" / folder / "due.sql"
        path.parent.mkdir(parents=True)
        path.write_text("-- statement: due\nselect 1;\n")
    with pytest.raises(BadHeader, match=r"due\.sql is in two folders of statements"):
        objects("statement", root=tmp_path)


CONDITION = "-- report: runs\n-- splices: condition\nselect 1 where (\n    ${condition}\n);\n"


def test_spliced_text_takes_the_line_of_its_placeholder_whatever_is_in_it(tmp_path: Path) -> None:
    (file,) = objects("report", root=package(tmp_path, reports_runs=CONDITION))
    condition = r"name = '${condition} \1' -- remark"
    assert file.splice({"condition": condition}).endswith(f"select 1 where (\n    {condition}\n);\n")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(CONDITION.replace("${condition}", "true"), id="missing"),
        pytest.param(CONDITION.replace("-- splices: condition\n", ""), id="not declared"),
        pytest.param(CONDITION.replace("    ${condition}", "    ${condition}\n    ${condition}"), id="twice"),
        pytest.param(CONDITION.replace("(\n    ${condition}\n)", "(${condition})"), id="within a line"),
        pytest.param(CONDITION.replace("${condition}", "${other}"), id="of another name"),
    ],
)
def test_file_whose_placeholders_are_not_those_it_splices_fails_when_it_is_loaded(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadHeader, match=r"runs\.sql: its header splices"):
        objects("report", root=package(tmp_path, reports_runs=text))


def test_text_that_is_missing_or_has_no_placeholder_is_refused() -> None:
    with pytest.raises(UnknownSplice, match="'runs_where' splices condition, and was given nothing"):
        statement("runs_where")
    with pytest.raises(UnknownSplice, match="'newest_run' splices nothing, and was given condition"):
        report("newest_run", condition="true")


def test_every_file_that_splices_does_not_run_without_its_text() -> None:
    spliced = [each for each in chain(objects("statement"), objects("report")) if each.splices]
    assert {each.name for each in spliced} >= {"all_runs_where", "query_over_runs", "ledger_of_runs"}
    connection = duckdb.connect()
    migrate(connection)
    for each in spliced:
        with pytest.raises(duckdb.ParserException):
            connection.execute(each.text)


def test_every_file_of_the_package_has_a_header_with_a_purpose() -> None:
    files = [each for kind in catalog._FOLDERS for each in objects(kind)]
    assert files
    assert [each.file for each in files if "purpose" not in each.header] == []


def test_new_database_gets_schema_then_macros_then_views(tmp_path: Path) -> None:
    root = package(tmp_path, schema_0001_spans=SPANS, schema_0002_costs=COSTS, view_roots=ROOTS, macro_short=SHORT)
    connection = duckdb.connect()
    assert migrate(connection, root=root) == ["0001_spans.sql", "0002_costs.sql"]
    connection.execute("insert into spans values ('1', 'helpdesk', 0.5)")
    assert connection.execute("select name from roots").fetchall() == [("hel",)]


def test_history_says_what_was_applied_when_and_by_which_version(tmp_path: Path) -> None:
    connection = duckdb.connect()
    migrate(connection, root=package(tmp_path, schema_0001_spans=SPANS))
    ((file, sha256, applied_at, version),) = connection.execute("from schema_history").fetchall()
    assert (file, sha256) == ("0001_spans.sql", hashlib.sha256(SPANS.encode()).hexdigest())
    assert applied_at is not None
    assert version


def test_database_that_is_current_is_opened_without_a_write(tmp_path: Path) -> None:
    root = package(tmp_path / "package", schema_0001_spans=SPANS, view_roots=ROOTS, macro_short=SHORT)
    path = str(tmp_path / "store.duckdb")
    with duckdb.connect(path) as connection:
        migrate(connection, root=root)
    with duckdb.connect(path, read_only=True) as connection:
        assert migrate(connection, root=root) == []


def test_views_are_installed_after_those_they_read_whatever_their_names(tmp_path: Path) -> None:
    root = package(
        tmp_path,
        view_a="-- view: a\n-- reads: m\ncreate or replace view a as select * from m;\n",
        view_m="-- view: m\n-- reads: z\ncreate or replace view m as select * from z;\n",
        view_z="-- view: z\ncreate or replace view z as select 1 as one;\n",
    )
    connection = duckdb.connect()
    migrate(connection, root=root)
    assert connection.execute("select * from a").fetchall() == [(1,)]


def test_views_that_read_each_other_are_an_error_that_names_them(tmp_path: Path) -> None:
    root = package(
        tmp_path,
        view_chicken="-- view: chicken\n-- reads: egg\nselect 1;\n",
        view_egg="-- view: egg\n-- reads: chicken\nselect 1;\n",
    )
    with pytest.raises(BadHeader, match=r"circle.*chicken"):
        migrate(duckdb.connect(), root=root)


def test_changed_view_is_installed_again_and_a_removed_one_dropped(tmp_path: Path) -> None:
    root = package(tmp_path, schema_0001_spans=SPANS, view_roots=ROOTS, macro_short=SHORT)
    connection = duckdb.connect()
    migrate(connection, root=root)
    (root / "views" / "roots.sql").unlink()
    package(root, macro_short=SHORT.replace("3", "1"))
    assert migrate(connection, root=root) == []
    assert connection.execute("select short('helpdesk')").fetchall() == [("h",)]
    with pytest.raises(duckdb.CatalogException):
        connection.execute("select * from roots")


@pytest.mark.parametrize("body", ["text", "table select text as text"], ids=["scalar macro", "table macro"])
def test_removed_macro_is_dropped(tmp_path: Path, body: str) -> None:
    root = package(tmp_path, macro_same=f"-- macro: same\ncreate or replace macro same(text) as {body};\n")
    connection = duckdb.connect()
    migrate(connection, root=root)
    (root / "macros" / "same.sql").unlink()
    migrate(connection, root=root)
    assert connection.execute("select * from duckdb_functions() where function_name = 'same'").fetchall() == []


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(
            {"schema_0002_costs": "-- migration: costs\nalter table nonesuch add column x int;\n"}, id="schema"
        ),
        pytest.param({"view_roots": "-- view: roots\ncreate view roots as select * from nonesuch;\n"}, id="view"),
    ],
)
def test_failure_leaves_the_database_as_it_was(tmp_path: Path, fault: dict[str, str]) -> None:
    connection = duckdb.connect()
    with pytest.raises(duckdb.CatalogException):
        migrate(connection, root=package(tmp_path, schema_0001_spans=SPANS, **fault))
    assert connection.execute("select table_name from duckdb_tables()").fetchall() == []


def test_database_of_a_newer_version_is_refused_with_the_remedy(tmp_path: Path) -> None:
    root = package(tmp_path, schema_0001_spans=SPANS, schema_0002_costs=COSTS)
    connection = duckdb.connect()
    migrate(connection, root=root)
    connection.execute("update schema_history set tracegrade_version = '9.1.0' where file = '0002_costs.sql'")
    (root / "schema" / "0002_costs.sql").unlink()
    with pytest.raises(NewerSchema) as error:
        migrate(connection, root=root)
    for word in ("9.1.0", "0002_costs.sql", "pip install -U tracegrade", "--store"):
        assert word in str(error.value)


def test_schema_file_that_was_edited_after_it_was_applied_is_refused(tmp_path: Path) -> None:
    root = package(tmp_path, schema_0001_spans=SPANS)
    connection = duckdb.connect()
    migrate(connection, root=root)
    package(root, schema_0001_spans=SPANS.replace("name varchar", "name varchar not null"))
    with pytest.raises(ChangedSchema, match=r"schema/0001_spans\.sql is not what tracegrade .* applied"):
        migrate(connection, root=root)


def test_store_from_before_rows_hash_keeps_its_runs(tmp_path: Path) -> None:
    for each in objects("schema"):
        if each.name != "rows_hash":
            package(tmp_path, **{f"schema_{each.file.removesuffix('.sql')}": each.text})
    connection = duckdb.connect()
    migrate(connection, root=tmp_path)
    connection.execute(
        """insert into agent_traces by name
        select 'run' as agent_trace_id, 'trace' as trace_id, 'span' as agent_span_id,
        now()::timestamp as started_at, 0 as tool_call_count, 0 as llm_call_count, 0 as error_count,
        'complete' as completeness, '[]' as gaps, 3 as revision, '5f0c' as fingerprint,
        now()::timestamp as assembled_at, 7 as assembled_seq"""
    )
    assert migrate(connection) == ["0021_rows_hash.sql"]
    found = connection.execute("select agent_trace_id, revision, fingerprint, rows_hash from agent_traces").fetchall()
    assert found == [("run", 3, "5f0c", None)]


def test_store_from_before_interrupts_keeps_its_runs_and_says_nothing_of_what_they_wait_for(tmp_path: Path) -> None:
    before = [each for each in objects("schema") if each.file < "0020"]
    old = package(tmp_path, **{f"schema_{each.file.removesuffix('.sql')}": each.text for each in before})
    connection = duckdb.connect()
    migrate(connection, root=old)
    connection.execute(
        "insert into agent_traces by name select 't-s' as agent_trace_id, 't' as trace_id, 's' as agent_span_id, "
        "now()::timestamp as started_at, 0 as tool_call_count, 0 as llm_call_count, 0 as error_count, "
        "'complete' as completeness, '[]' as gaps, 1 as revision, 'f' as fingerprint, "
        "now()::timestamp as assembled_at, 1 as assembled_seq"
    )
    assert "0020_run_interrupts.sql" in migrate(connection)
    assert connection.execute("select agent_trace_id, interrupt from agent_traces").fetchall() == [("t-s", None)]


def test_store_from_before_totals_keeps_its_runs_and_their_model_calls(tmp_path: Path) -> None:
    before = [each for each in objects("schema") if each.file < "0024"]
    old = package(tmp_path, **{f"schema_{each.file.removesuffix('.sql')}": each.text for each in before})
    connection = duckdb.connect()
    migrate(connection, root=old)
    connection.execute(
        "insert into agent_traces by name select 't-s' as agent_trace_id, 't' as trace_id, 's' as agent_span_id, "
        "'s1' as session_id, now()::timestamp as started_at, 2 as tool_call_count, 1 as llm_call_count, "
        "0 as error_count, 7 as input_tokens, 'complete' as completeness, '[]' as gaps, 1 as revision, "
        "'f' as fingerprint, now()::timestamp as assembled_at, 1 as assembled_seq"
    )
    connection.execute(
        "insert into llm_calls by name "
        "select 't-s' as agent_trace_id, 't' as trace_id, 0 as position, false as is_retry, 'm' as request_model"
    )
    migrate(connection)
    totals = connection.execute("select input_tokens, total_input_tokens from agent_traces").fetchall()
    calls = connection.execute("select request_model, model from llm_calls").fetchall()
    session = connection.execute("select tool_call_count, tokens, cost_usd from sessions").fetchall()
    assert (totals, calls, session) == ([(7, None)], [("m", None)], [(2, 7, None)])


def test_calls_of_a_store_from_before_foreign_ones_were_told_apart_are_the_agents(tmp_path: Path) -> None:
    before = [each for each in objects("schema") if each.file < "0033"]
    old = package(tmp_path, **{f"schema_{each.file.removesuffix('.sql')}": each.text for each in before})
    connection = duckdb.connect()
    migrate(connection, root=old)
    connection.execute(
        "insert into tool_calls by name select 't-s' as agent_trace_id, 't' as trace_id, 0 as position, "
        "'search' as name, 'ok' as status, 'span' as source"
    )
    assert "0033_foreign_calls.sql" in migrate(connection)
    assert connection.execute("select name from tool_calls where not is_foreign").fetchall() == [("search",)]


def test_store_from_before_metadata_keeps_its_tool_calls(tmp_path: Path) -> None:
    before = [each for each in objects("schema") if each.file < "0026"]
    old = package(tmp_path, **{f"schema_{each.file.removesuffix('.sql')}": each.text for each in before})
    connection = duckdb.connect()
    migrate(connection, root=old)
    connection.execute(
        "insert into tool_calls by name select 't-s' as agent_trace_id, 't' as trace_id, 0 as position, "
        "'search' as name, 'ok' as status, 'span' as source"
    )
    assert "0029_call_records.sql" in migrate(connection)
    assert connection.execute("select name, status, metadata from tool_calls").fetchall() == [("search", "ok", None)]
    connection.execute("update tool_calls set status = null")


REASONS = {
    "backfill": "backfill",
    "the session is not idle": "session_active",
    "a run left the session": "session_changed",
    "the session changed while it was evaluated": "session_changed",
    "its runs were linked": "session_changed",
    "runs of other services come first": "service_turn",
    "waits for tool_error, judge 'x' is busy: no": "earlier_evaluator",
    "its `when` cannot be decided: it took too long": "condition_failed",
    "its judge has seen 2 late revisions of it today; resumes at 00:00 UTC": "revision_limit",
    "evaluator 'polite' has spent its 1 USD of today; resumes at 00:00 UTC": "budget",
    "calls in flight will use up the budget": "budget",
    "sent in a batch; checked every 60 s": "batch",
    "batch b_1 is not done; checked every 60 s": "batch",
    "the batch could not be sent: judge 'a' is busy: no": "judge_unreachable",
    "judge 'default' cannot be asked: set A_KEY": "judge_misconfigured",
    "judge 'default' is busy: 429": "judge_busy",
    "judge 'default' returns unexpected responses: HTML": "judge_unexpected",
    "judge 'it''s' cannot be reached: connection refused\nsecond line": "judge_unreachable",
    "judge 'default' is asked again after a reload or a restart": "restart",
    "5 minutes": "other",
}


def test_kind_of_what_an_older_store_deferred_is_taken_from_its_reason(tmp_path: Path) -> None:
    before = [each for each in objects("schema") if each.file < "0035"]
    old = package(tmp_path, **{f"schema_{each.file.removesuffix('.sql')}": each.text for each in before})
    connection = duckdb.connect()
    migrate(connection, root=old)
    for reason in REASONS:
        connection.execute("insert into deferrals values ('run', 'trace', 'polite', now()::timestamp, 1, $1)", [reason])
    migrate(connection)
    assert dict(connection.execute("select reason, kind from deferrals").fetchall()) == REASONS
