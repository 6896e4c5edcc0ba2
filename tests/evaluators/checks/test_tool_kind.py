"""What kind of work a tool does, by its name and arguments."""

from __future__ import annotations

import pytest

from tracegrade.evaluators.checks.failure.tool_kind import brings_documents, may_write, name_kind, words
from tracegrade.evaluators.model import ToolCall


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("runner", "bash run_tests python_repl code_interpreter execute_bash code_execution pytest"),
        ("checker", "validate_iban run_linter checkSyntax verify_address scan_image"),
        ("probe", "get_order_status check_availability get_job ping_host track_shipment describe_instance"),
        ("reader", "search_docs web_search read_file lookup_user email_search order_lookup execute_sql get_weather"),
        ("writer", "cancel_order book_flight pay issue_refund google_calendar_create_event make_reservation"),
        ("reader", "buscar_vuelos chercher_train wetter_suchen pesquisar_voos übersetzen get_runbook"),
        ("writer", "reservar_hotel annuler_vol flug_buchen cancelar_pedido löschen"),
        ("probe", "bestellung_status estado_pedido prüfen_verfügbarkeit statut_commande"),
        ("checker", "validar_iban vérifier_adresse"),
        ("writer", "transfer_to_human_agents create_job browser_click frobnicate"),
    ],
)
def test_a_name_speaks_of_the_kind_of_work(kind: str, names: str) -> None:
    assert {name: name_kind(name) for name in names.split()} == dict.fromkeys(names.split(), kind)


def test_names_are_read_in_every_spelling() -> None:
    assert words("mcp__github__searchIssues") == ("mcp", "github", "search", "issues")
    assert words("HTTPGet-page.v2") == ("http", "get", "page", "v", "2")
    assert words("prüfeÄnderung_résumé") == ("prüfe", "änderung", "résumé")
    assert words("über") == ("über",)


@pytest.mark.parametrize(
    ("name", "is_document"),
    [
        *[(name, True) for name in ("get_runbook", "get_sentry_event", "leer_manual", "hole_hilfe", "buscar_vuelos")],
        *[(name, False) for name in ("get_weather", "obtener_precio")],
    ],
)
def test_readers_of_documents_are_known_in_the_languages_of_users(name: str, *, is_document: bool) -> None:
    assert brings_documents(name) is is_document


@pytest.mark.parametrize(
    ("command", "writes"),
    [
        ("cat a.py", False),
        ("cd src && grep -rn 'x' . | head -20", False),
        ("git status; git diff", False),
        ("git commit -am x", True),
        ("sed -i s/a/b/ a.py", True),
        ("echo x > a.py", True),
        ("find . -name '*.pyc' -delete", True),
        ("pytest -q", True),
        ("python a.py 2>&1 | tail", True),
    ],
)
def test_a_command_writes_unless_all_of_it_only_reads(command: str, *, writes: bool) -> None:
    assert may_write(ToolCall.of("bash", command=command), "runner") is writes


@pytest.mark.parametrize(
    ("query", "writes"), [("select 1", False), ("delete from orders", True), ("WITH x AS (…)", False)]
)
def test_a_query_writes_when_it_changes_rows(query: str, *, writes: bool) -> None:
    assert may_write(ToolCall.of("execute_sql", query=query), "reader") is writes
