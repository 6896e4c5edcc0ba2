"""What is published: a wheel, a source distribution, and a core that needs no server."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import Distribution, PackageNotFoundError, distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PACKAGES = ("collector", "evaluators", "queries")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PIN = re.compile(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+")
LIGHT = (
    "tracegrade.evaluators.model",
    "tracegrade.evaluators.definition.registry",
    "tracegrade.evaluators.checks",
    "tracegrade.evaluators.execution.run",
    "tracegrade.collector.spans.values",
    "tracegrade.collector.dialects",
    "tracegrade.collector.assembly",
)
FILES_OF_MODULES = """
import sys, {modules}
print(*filter(None, (getattr(module, "__file__", None) for module in list(sys.modules.values()))), sep="\\n")
"""
WITHOUT_SERVER = """
import sys
sys.modules.update(dict.fromkeys(["duckdb", "grpc", "starlette", "uvicorn", "pyarrow", "click", "rich"]))
from tracegrade.collector.cli import main
sys.argv = ["tracegrade", "serve"]
main()
"""


def build(source: Path, target: str, folder: Path) -> Path:
    """What hatchling builds from a source tree."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True, timeout=60)
    (built,) = folder.iterdir()
    return built


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


def contents(wheel: Path) -> set[str]:
    """The files of a wheel, without its metadata."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def requirements() -> list[Requirement]:
    """What the whole development environment asks for by name."""
    project = PROJECT["project"]
    asked = [
        *project["dependencies"],
        *project["optional-dependencies"]["server"],
        *PROJECT["dependency-groups"]["dev"],
    ]
    return [one for one in map(Requirement, asked) if one.name != project["name"]]


def closure(names: list[str]) -> set[str]:
    """These distributions and all that they require, without extras."""
    found: set[str] = set()
    waiting = [str(canonicalize_name(name)) for name in names]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [str(canonicalize_name(one.name)) for one in _required(name)]
    return found


def _required(name: str) -> list[Requirement]:
    try:
        asked = map(Requirement, requires(name) or ())
    except PackageNotFoundError:
        return []
    return [one for one in asked if one.marker is None or one.marker.evaluate({"extra": ""})]


def files_of(distribution: Distribution) -> set[Path]:
    """Where the modules of a distribution lie."""
    files = distribution.files or ()
    return {Path(str(distribution.locate_file(file))).resolve() for file in files if file.suffix in {".py", ".so"}}


def test_wheel_holds_the_three_packages_with_all_their_files(wheel: Path) -> None:
    files = [path for name in PACKAGES for path in (ROOT / name).rglob("*") if path.is_file()]
    kept = [path for path in files if not {"__pycache__", "docs"} & set(path.parts) and path.name != "README.md"]
    assert contents(wheel) == {f"tracegrade/{path.relative_to(ROOT).as_posix()}" for path in kept}


@pytest.mark.parametrize(
    "kind", ["queries/schema/*.sql", "queries/statements/*/*.sql", "collector/demo/recordings/*.pb"]
)
def test_wheel_holds_what_is_no_python(wheel: Path, kind: str) -> None:
    names = {f"tracegrade/{path.relative_to(ROOT).as_posix()}" for path in ROOT.glob(kind)}
    assert names
    assert names <= contents(wheel)


def test_wheel_can_be_built_again_from_the_source_distribution(sdist: Path, wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    again = build(source, "wheel", tmp_path / "again")
    assert contents(again) == contents(wheel)


def test_source_distribution_has_the_licence_and_no_traces_of_a_working_copy(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "README.md", "pyproject.toml"} <= names
    assert [name for name in names if re.search(r"__pycache__|\.venv|uv\.lock|\.duckdb|_cache/", name)] == []


def test_core_imports_only_what_the_core_requires() -> None:
    done = python(FILES_OF_MODULES.format(modules=", ".join(LIGHT)))
    assert done.returncode == 0, done.stderr
    loaded = {Path(line).resolve() for line in done.stdout.splitlines()}
    allowed = closure([Requirement(one).name for one in PROJECT["project"]["dependencies"]])
    others = [one for one in distributions() if canonicalize_name(one.name) not in allowed]
    assert {one.name for one in others if loaded & files_of(one)} - {"tracegrade"} == set()


def test_command_of_the_light_installation_names_the_missing_extra() -> None:
    done = python(WITHOUT_SERVER)
    assert done.returncode == 2
    assert "tracegrade[server]" in done.stderr


def test_constraints_are_pins_and_nothing_else() -> None:
    lines = (ROOT / "deploy/constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not PIN.fullmatch(line)] == []
    assert [line.partition("==")[0].lower() for line in lines] == sorted(
        line.partition("==")[0].lower() for line in lines
    )


@pytest.mark.parametrize("required", requirements(), ids=lambda one: one.name)
def test_constraints_pin_what_the_project_asks_for(required: Requirement) -> None:
    lines = (ROOT / "deploy/constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in lines)}
    assert pins[canonicalize_name(required.name)] in required.specifier
