"""The documents say what the code does: every setting, evaluator, table, view, command and error has its row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import duckdb
import grpc
import pytest
from pydantic import BaseModel

from tracegrade.collector import errors
from tracegrade.collector.cli.commands import COMMANDS
from tracegrade.collector.cli.init import render_template
from tracegrade.collector.config.evaluator_config import EvaluatorEntry, JudgeEntry
from tracegrade.collector.config.settings import Settings, evaluators_of, load
from tracegrade.collector.errors import CollectorError
from tracegrade.collector.metrics.counters import REGISTRY
from tracegrade.evaluators.catalog.configure import catalogue
from tracegrade.queries import catalog
from tracegrade.queries.cookbook.report import find_parameters
from tracegrade.queries.filter import FIELDS

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path for path in ROOT.rglob("*.md") if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+\s+(.*)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"`([^`]+)`")
ROW = re.compile(r"^\| `(\w+)` \|", re.MULTILINE)
SAME_COLUMNS = re.compile(
    r"Columns(?: behind these)?: those of `(?P<other>\w+)`(?: without (?P<without>`\w+`(?:(?:, | and )`\w+`)*))?"
)
YAML = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
SQL = re.compile(r"^```sql\n(.*?)^```", re.MULTILINE | re.DOTALL)
IN_TEMPLATE = re.compile(r"#(?P<indent> +)(?P<key>\w+):(?: (?P<value>.*?))?(?:  +# .*)?$")

PATH = re.compile(r"`((?:collector|evaluators|queries|tests)/[\w./]+)`")
NAMES_IN_FILE = re.compile(r"((?:`\w+`(?: and | or | \(and ))*`\w+`)[^`|]{0,30} in `([\w/.]+\.py)`")

CONFIGURATION = "collector/docs/configuration.md"
CONTRIBUTING = "CONTRIBUTING.md"
JUDGES = "collector/docs/judges.md"
FILTERS = "queries/docs/filters.md"
OPERATIONS = "collector/docs/operations.md"
RECEIVING = "collector/docs/receiving.md"
TABLES = "queries/docs/tables.md"
EVALUATORS = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "evaluators/docs").glob("*.md"))

METRIC = re.compile(r"`(tracegrade_\w+)`")
METRICS = [*REGISTRY.collect()]

ERRORS = {
    name: error
    for name in errors.__all__
    if issubclass(error := getattr(errors, name), CollectorError) and not error.__subclasses__()
}


@cache
def rows(*pages: str, below: str = "") -> dict[str, list[str]]:
    """The cells behind the first one, of every table row that begins with a name in backticks, by that name.

    `below` is a heading of the second level; only the rows of its section count.
    """
    text = "\n".join((ROOT / page).read_text(encoding="utf-8") for page in pages)
    if below:
        text = text.partition(f"\n## {below}\n")[2].partition("\n## ")[0]
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
        if line.startswith("|") and (name := NAMED.match(cells[0])):
            found.setdefault(name[1], cells[1:])
    return found


def section(page: str, name: str) -> str:
    """What stands below the heading that names `name` in backticks, up to the next heading."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.search(rf"^#+ `{re.escape(name)}`[^\n]*\n(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def documented_columns(relation: str) -> list[str]:
    """The columns by the rows of a relation's section, then those of the relation whose columns it says it has."""
    text = section(TABLES, relation)
    columns: list[str] = ROW.findall(text)
    if same := SAME_COLUMNS.search(" ".join(text.split())):
        without = NAMED.findall(same["without"] or "")
        columns += [column for column in documented_columns(same["other"]) if column not in without]
    return columns


def settings(model: type[BaseModel] = Settings, prefix: str = "") -> Iterator[str]:
    """Every setting by its path in the file."""
    for name, field in model.model_fields.items():
        path = f"{prefix}{field.alias or name}"
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from settings(field.annotation, f"{path}.")
        else:
            yield path


def defaults() -> dict[str, str]:
    """The default of each setting as `tracegrade init` writes it."""
    found: dict[str, str] = {}
    section = ""
    for line in render_template().splitlines():
        if not (match := IN_TEMPLATE.match(line)):
            continue
        if match["value"] is None:
            section = f"{match['key']}."
        else:
            found[f"{section if len(match['indent']) > 1 else ''}{match['key']}"] = match["value"].strip()
    return found


def store() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    catalog.migrate(connection)
    return connection


def relations() -> list[str]:
    """Every table and view that users may rely on."""
    known = [*catalog.objects("schema"), *catalog.objects("view")]
    tables = [each for each in known if "migration" not in each.header]
    return [each.name for each in tables if not each.header["purpose"].startswith("internal")]


def slug(heading: str) -> str:
    """The anchor that a heading gets on code hosting sites."""
    return re.sub(r"[^\w\- ]", "", heading.replace("`", "").strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("setting", [*settings()])
def test_setting_has_a_row_with_its_default(setting: str) -> None:
    shown = rows(CONFIGURATION, below="Settings")[setting][0].strip("`")
    assert shown == (defaults().get(setting) or "null")


def test_no_setting_is_documented_that_does_not_exist() -> None:
    documented = {name for name in rows(CONFIGURATION, below="Settings") if re.fullmatch(r"[a-z_]+(\.[a-z_]+)?", name)}
    assert documented - set(settings()) == set()


@pytest.mark.parametrize("key", EvaluatorEntry.model_fields)
def test_key_of_an_evaluator_entry_has_a_row(key: str) -> None:
    assert key in rows(CONFIGURATION, below="Evaluators")


def test_settings_of_a_judge_have_exactly_one_row_each() -> None:
    keys = [field.alias or name for name, field in JudgeEntry.model_fields.items()]
    assert list(rows(JUDGES, below="Settings of a judge")) == keys


@pytest.mark.parametrize("name", [*catalogue()])
def test_evaluator_has_a_row_that_says_when_it_is_skipped(name: str) -> None:
    assert rows(*EVALUATORS)[name][1] == catalogue()[name].skipped_when


@pytest.mark.parametrize("name", [*catalogue()])
def test_evaluator_tells_what_it_says_reads_takes_and_where_it_comes_from(name: str) -> None:
    definition = catalogue()[name]
    assert definition.summary
    assert definition.source
    assert definition.reads
    assert [option for option, field in definition.factory.model_fields.items() if not field.description] == []


@pytest.mark.parametrize("relation", relations())
def test_relation_is_documented_with_exactly_its_columns(relation: str) -> None:
    assert documented_columns(relation) == store().table(relation).columns


def test_table_of_filters_has_each_field_as_it_is_written_and_what_it_selects() -> None:
    documented = [line for line in (ROOT / FILTERS).read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    fields = [(", ".join(f"`{form}`" for form in field.form.split(", ")), field.meaning) for field in FIELDS.values()]
    assert documented == [f"| {form} | {meaning} |" for form, meaning in fields]


@pytest.mark.parametrize("command", COMMANDS)
def test_command_has_a_row(command: str) -> None:
    assert command in rows("README.md")


def test_no_command_is_documented_that_does_not_exist() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    spoken_of = set(re.findall(r"(?:`|^|run )tracegrade ([a-z][a-z-]*)", text, re.MULTILINE))
    assert spoken_of - COMMANDS.keys() == set()


@pytest.mark.parametrize("sql", [sql for page in PAGES for sql in SQL.findall(page.read_text(encoding="utf-8"))])
def test_sql_of_the_documents_runs(sql: str) -> None:
    store().execute(sql, dict.fromkeys(find_parameters(sql)) or None)


@pytest.mark.parametrize("configuration", YAML.findall((ROOT / "README.md").read_text(encoding="utf-8")))
def test_configuration_of_the_readme_can_be_used(tmp_path: Path, configuration: str) -> None:
    (tmp_path / "tracegrade.yaml").write_text(configuration, encoding="utf-8")
    assert {one.kind for one in evaluators_of(load(tmp_path / "tracegrade.yaml"))} == {"code", "llm"}


@pytest.mark.parametrize(
    "example", [text for page in PAGES for text in PYTHON.findall(page.read_text(encoding="utf-8")) if "assert" in text]
)
def test_example_in_python_holds(example: str) -> None:
    exec(example, {})


@pytest.mark.parametrize("name", ERRORS)
def test_error_has_a_row_with_its_statuses(name: str) -> None:
    text = " ".join(rows(RECEIVING, below="Errors")[name])
    code = next(code for code in grpc.StatusCode if code.value[0] == ERRORS[name].grpc_code)
    assert re.search(rf"\b{ERRORS[name].http_status}\b", text)
    assert re.search(rf"\b{code.name}\b", text)


def test_metrics_have_a_row_each_and_no_other() -> None:
    page = (ROOT / OPERATIONS).read_text(encoding="utf-8").partition("\n## Metrics\n")[2].partition("\n## ")[0]
    documented = {name for row in page.splitlines() if row.startswith("| `") for name in METRIC.findall(row)}
    assert documented == {f"{metric.name}_total" if metric.type == "counter" else metric.name for metric in METRICS}


def recipes() -> str:
    """The page for contributors, a paragraph to a line."""
    return " ".join((ROOT / CONTRIBUTING).read_text(encoding="utf-8").split())


@pytest.mark.parametrize("path", sorted(set(PATH.findall(recipes()))))
def test_path_in_a_recipe_exists(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize(("names", "path"), sorted(set(NAMES_IN_FILE.findall(recipes()))))
def test_name_in_a_recipe_is_in_its_file(names: str, path: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    assert [name for name in NAMED.findall(names) if not re.search(rf"\b{name}\b", text)] == []


@pytest.mark.parametrize("page", [path for path in PAGES if path.parent.name == "docs"], ids=lambda page: page.name)
def test_page_of_the_manual_is_linked_from_both_readmes(page: Path) -> None:
    package = page.parents[1] / "README.md"
    assert f"({page.relative_to(ROOT).as_posix()})" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"(docs/{page.name})" in package.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    assert [link for link in LINK.findall(text) if not _leads_somewhere(page, link)] == []


def _leads_somewhere(page: Path, link: str) -> bool:
    if re.match(r"[a-z]+:", link):
        return True
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    if not anchor or target.suffix != ".md":
        return target.exists()
    return target.exists() and anchor in map(slug, HEADING.findall(FENCED.sub("", target.read_text(encoding="utf-8"))))
