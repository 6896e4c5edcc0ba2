# What .ci/run and .ci/nightly share; both source it. It makes a scratch folder, $scratch, that is removed at the end.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

unset VIRTUAL_ENV PYTHONPATH PYTHONDONTWRITEBYTECODE # of whoever calls: what is tested is this checkout as it is used

_took=()
_part=
_began=0

step() {
  _end_part
  _part=$1 _began=$SECONDS
  printf '\n=== %s\n' "$_part"
}

_end_part() {
  [ -z "$_part" ] || _took+=("$(printf '%5d s  %s' "$((SECONDS - _began))" "$_part")")
  _part=
}

_finish() {
  _end_part
  printf '\n=== what each part took\n'
  printf '%s\n' "${_took[@]}" "$(printf '%5d s  altogether' "$SECONDS")"
  rm -rf "$scratch"
}

scratch=$(mktemp -d)
trap _finish EXIT

install_everything() {
  step 'system packages: a browser and a database server'
  _install_system_packages
  step 'environment with the pinned versions'
  command -v uv >/dev/null || python3 -m pip install --quiet uv
  uv venv --quiet --clear
  uv pip install --quiet -c deploy/constraints.txt -e '.[server]' --group dev
  # Tests that need a browser or a database server fail without it; elsewhere they are skipped.
  export UV_NO_SYNC=1 TRACEGRADE_REQUIRE=chromium,postgresql
}

_install_system_packages() {
  if command -v chromium >/dev/null && command -v chromedriver >/dev/null && compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null; then
    echo 'present'
    return
  fi
  local as_root=(env)
  [ "$(id -u)" -eq 0 ] || as_root=(sudo --non-interactive)
  if "${as_root[@]}" true 2>/dev/null; then
    "${as_root[@]}" apt-get -qq update
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install \
      chromium chromium-driver postgresql >"$scratch/apt.log" 2>&1 || { tail -n 40 "$scratch/apt.log"; exit 1; }
  else
    echo 'not root and no sudo: install chromium, chromium-driver and postgresql yourself; tests that need them will fail'
  fi
}

# Makes a separate environment with the pinned versions: make_environment FOLDER PACKAGE…
make_environment() {
  uv venv --quiet "$1"
  uv pip install --quiet --python "$1" -c deploy/constraints.txt "${@:2}"
}

# Imports modules where nothing of a server is installed: import_without_server FOLDER MODULE…
import_without_server() {
  "$1/bin/python" -c '
import importlib.util, sys
for module in sys.argv[1:]:
    importlib.import_module(module)
assert not [name for name in ("duckdb", "grpc", "starlette", "pyarrow") if importlib.util.find_spec(name)]' "${@:2}"
}

# Runs a command as on a new machine: in_empty_clone COMMAND… Nothing is installed, and no versions are pinned.
in_empty_clone() (
  [ -d "$scratch/clone" ] || git clone --quiet . "$scratch/clone"
  mkdir -p "$scratch/home"
  cd "$scratch/clone"
  unset UV_NO_SYNC TRACEGRADE_REQUIRE
  export HOME="$scratch/home"
  "$@"
)
