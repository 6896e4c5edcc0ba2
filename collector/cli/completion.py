"""`tracegrade completion`: a script by which a shell completes commands, options and their values.

The script contains all of them, so that completion starts no program and takes no time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import click

from ..errors import Fault

__all__ = ["Completions", "collect_completions", "completion", "write_script"]

_USAGE = 2


@dataclass(frozen=True)
class Completions:
    """The completions of a command: its options with their help, and the values of choices.

    Those of a group are its commands, and the options of all of them.
    """

    help: str
    options: Mapping[str, str]
    values: Mapping[str, Sequence[str]]


def completion(*, shell: str) -> int:
    from .commands import tracegrade  # noqa: PLC0415 - it imports this module

    context = click.Context(tracegrade)
    names = tracegrade.list_commands(context)
    commands = {name: command for name in names if (command := tracegrade.get_command(context, name)) is not None}
    click.echo(write_script(shell, collect_completions(commands)), nl=False)
    return 0


def collect_completions(commands: Mapping[str, click.Command]) -> dict[str, Completions]:
    """Return the completions of each command."""
    return {name: _read_completions(command) for name, command in commands.items()}


def write_script(shell: str, commands: Mapping[str, Completions]) -> str:
    """Return the script for bash, zsh or fish. Raises Fault for another shell."""
    write = _SCRIPTS.get(shell)
    if write is None:
        raise Fault(f"no completion for {shell}; there is one for {', '.join(_SCRIPTS)}", exit_code=_USAGE)
    return "\n".join(write(commands)) + "\n"


def _read_completions(command: click.Command) -> Completions:
    if isinstance(command, click.Group):
        below = [_read_completions(each) for each in command.commands.values()]
        return Completions(
            _shorten_help(command.help),
            {flag: text for each in below for flag, text in each.options.items()},
            {flag: words for each in below for flag, words in each.values.items()} | {"": list(command.commands)},
        )
    options: dict[str, str] = {"--help": "Show this message and exit."}
    values: dict[str, Sequence[str]] = {}
    for parameter in command.params:
        words = _list_choices(parameter)
        if not isinstance(parameter, click.Option):
            if words:
                values[""] = words
            continue
        for flag in (*parameter.opts, *parameter.secondary_opts):
            options.setdefault(flag, _shorten_help(parameter.help))
            if words:
                values[flag] = words
    return Completions(_shorten_help(command.help), options, values)


def _list_choices(parameter: click.Parameter) -> list[str]:
    """Return the values of a parameter that is a choice; [] for any other."""
    return [str(word) for word in parameter.type.choices] if isinstance(parameter.type, click.Choice) else []


def _shorten_help(text: str | None) -> str:
    return " ".join((text or "").partition("\n\n")[0].split())


def _write_bash(commands: Mapping[str, Completions]) -> Iterator[str]:
    yield "# Completions of tracegrade for bash: source <(tracegrade completion bash)"
    yield "_tracegrade() {"
    yield '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" words='
    yield '  case "$COMP_CWORD:${COMP_WORDS[1]}:$before" in'
    yield f"    1:*) words='{' '.join((*commands, '--help', '--version'))}' ;;"
    for name, command in commands.items():
        for flag, values in command.values.items():
            yield f"    *:{name}:{flag or name}) words='{' '.join(values)}' ;;"
        yield f"    *:{name}:*) [[ $word == -* ]] && words='{' '.join(command.options)}' ;;"
    yield "  esac"
    yield '  [[ -n $words ]] && COMPREPLY=($(compgen -W "$words" -- "$word"))'
    yield "}"
    yield "complete -o default -F _tracegrade tracegrade"


def _write_zsh(commands: Mapping[str, Completions]) -> Iterator[str]:
    yield "#compdef tracegrade"
    yield "# Completions of tracegrade for zsh: source <(tracegrade completion zsh), after compinit"
    yield "_tracegrade() {"
    yield "  if (( CURRENT == 2 )); then"
    yield "    local -a commands=("
    yield from (f"      {_quote(f'{name}:{command.help}')}" for name, command in commands.items())
    yield "    )"
    yield "    _describe command commands"
    yield "    return"
    yield "  fi"
    yield '  case "$words[2]:$words[CURRENT-1]" in'
    for name, command in commands.items():
        for flag, values in command.values.items():
            yield f"    {name}:{flag or name}) compadd -- {' '.join(values)}; return ;;"
    yield "  esac"
    yield '  if [[ "$words[CURRENT]" == -* ]]; then'
    yield '    case "$words[2]" in'
    yield from (f"      {name}) compadd -- {' '.join(command.options)} ;;" for name, command in commands.items())
    yield "    esac"
    yield "  else"
    yield "    _files"
    yield "  fi"
    yield "}"
    yield "compdef _tracegrade tracegrade"


def _write_fish(commands: Mapping[str, Completions]) -> Iterator[str]:
    yield "# Completions of tracegrade for fish: tracegrade completion fish | source"
    for name, command in commands.items():
        yield f"complete -c tracegrade -f -n __fish_use_subcommand -a {name} -d {_quote(command.help)}"
    for name, command in commands.items():
        within = f"complete -c tracegrade -n '__fish_seen_subcommand_from {name}'"
        if values := command.values.get(""):
            yield f"{within} -f -a {_quote(' '.join(values))}"
        for flag, text in command.options.items():
            long = f"-l {flag.removeprefix('--')}" if flag.startswith("--") else f"-s {flag.removeprefix('-')}"
            argument = f" -x -a {_quote(' '.join(command.values[flag]))}" if flag in command.values else ""
            yield f"{within} {long}{argument} -d {_quote(text)}"


def _quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "`") + "'"


_SCRIPTS: Mapping[str, Callable[[Mapping[str, Completions]], Iterator[str]]] = {
    "bash": _write_bash,
    "zsh": _write_zsh,
    "fish": _write_fish,
}
