"""Builds the reference of a run when it is evaluated, from rules in a file and attributes of the agent.

For each field the first source that defines it counts; among rules that is the first one that matches. An agent sets
attributes `tracegrade.*` of its agent span or resource. If a source does not list expected calls, they are those of the
trajectory that it expects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from tracegrade.evaluators.formats.expectation import FIELDS, Expectation, find_implied_calls
from tracegrade.evaluators.formats.tool_definitions import tool_definitions
from tracegrade.evaluators.model import Reference, ReferenceFault, ToolDefinition

from ..config.configuration_file import BadConfiguration
from ..config.trust import SOURCES, Source
from .attributes import read_expectation

if TYPE_CHECKING:
    from ..config.yaml_file import YamlFile

__all__ = ["References", "Rule"]

_CALLS, _TRAJECTORY = "expected_tool_calls", "expected_trajectory"


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class When(_Section):
    """The runs that a rule applies to: those for which all of these conditions hold."""

    agent: str | None = Field(default=None, description="the agent's name; * stands for any characters")
    service: str | None = Field(default=None, description="service.name; * stands for any characters")
    input: re.Pattern[str] | None = Field(default=None, description="a regular expression found in the run's input")
    attributes: dict[str, Any] = Field(default={}, description="attributes of the agent span or its resource")
    where: str | None = Field(default=None, description="SQL condition over the columns of agent_traces")

    def holds(self, run: Mapping[str, Any], attributes: Mapping[str, Any]) -> bool:
        """Return whether all conditions hold except `where`, which only the store can evaluate."""
        return (
            _is_like(run["agent_name"], self.agent)
            and _is_like(run["service_name"], self.service)
            and (self.input is None or self.input.search(run["input"] or "") is not None)
            and all(attributes.get(name) == value for name, value in self.attributes.items())
        )


def _advise(keys: Sequence[str | int], rule: Any) -> str | None:
    """Suggest the field of a rule for the word `expected` of other systems."""
    match tuple(keys):
        case "rules", int(), "expected" | "expected_tools" | "expected_calls" if isinstance(rule, dict):
            field = "expected_response" if isinstance(rule.get(keys[-1]), str) else _CALLS
            return f"unknown setting (did you mean {field!r}?)"
    return None


class Rule(Expectation):
    """The expectation of the runs that match a rule."""

    name: str = Field(min_length=1)
    when: When = When()

    @model_validator(mode="after")
    def _require_field(self) -> Rule:
        if not self.defined:
            raise ValueError(f"rule {self.name!r} says nothing; write what is expected: {', '.join(FIELDS)}")
        return self


class _File(_Section):
    rules: tuple[Rule, ...] = ()
    tools: dict[str, Any] = Field(default={}, description="tool definitions by agent, or files that hold them")


class References:
    """The rules and tools of one file, empty without a file, and the trusted sources in their order."""

    def __init__(
        self,
        rules: Sequence[Rule] = (),
        tools: Mapping[str, tuple[ToolDefinition, ...]] | None = None,
        *,
        file: YamlFile | None = None,
        sources: Sequence[Source] = SOURCES,
    ) -> None:
        self.rules = tuple(rules)
        self.tools = dict(tools or {})
        self._file = file
        self._sources = tuple(sources)

    @classmethod
    def read(cls, path: Path | None, *, sources: Sequence[Source] = SOURCES) -> References:
        """Read the file; without a file there are no rules. Raises BadConfiguration, with the line."""
        if path is None:
            return cls(sources=sources)
        from ..config.yaml_file import YamlFile, explain  # noqa: PLC0415 - many servers have no such file
        from ..config.yaml_loader import OWN_DEPTH  # noqa: PLC0415 - likewise

        file = YamlFile(path, depth=OWN_DEPTH)
        try:
            content = _File.model_validate(file.value or {})
        except ValidationError as error:
            raise BadConfiguration(explain(error, _File, file, advise=_advise)) from error
        _refuse_repeated(content.rules, file)
        tools = {agent: _read_tools(agent, offered, file) for agent, offered in content.tools.items()}
        return cls(content.rules, tools, file=file, sources=sources)

    @property
    def conditions(self) -> Mapping[str, str]:
        """The SQL conditions by the names of their rules."""
        return {rule.name: rule.when.where for rule in self.rules if rule.when.where is not None}

    def place(self, rule: str) -> str:
        """Return the place of the condition of a rule, such as `references.yaml, line 7`."""
        index = next(index for index, candidate in enumerate(self.rules) if candidate.name == rule)
        return "the rules" if self._file is None else self._file.place(("rules", index, "when", "where"))

    @property
    def asks_for_attributes(self) -> bool:
        """Whether a rule needs attributes that are not ours."""
        return any(rule.when.attributes for rule in self.rules)

    def of(
        self,
        run: Mapping[str, Any],
        attributes: Mapping[str, Any],
        is_met: Callable[[str], bool],
    ) -> Reference | None:
        """Build the reference of a run; None if no source defines a field.

        `run` is its row of `agent_traces`; `is_met` returns whether the condition of a rule holds for it, and raises
        ValueError if the condition fails.
        """
        draft = _Draft()
        for source in self._sources:
            if source == "attributes":
                draft.add("attributes", *read_expectation(attributes))
            elif source == "rule":
                self._add_rules(draft, run, attributes, is_met)
            draft.close_source()
        return draft.reference

    def _add_rules(
        self, draft: _Draft, run: Mapping[str, Any], attributes: Mapping[str, Any], is_met: Callable[[str], bool]
    ) -> None:
        """Add the fields of the rules that apply to the run, then its registered tools."""
        for rule in self.rules:
            if not (fields := draft.select_open(rule.defined)):
                continue
            try:
                applies = self._applies(rule, run, attributes, is_met)
            except ValueError as error:
                draft.close_undefined(_list_decided_fields(fields), str(error))
                continue
            if applies:
                draft.add(f"rule:{rule.name}", fields)
        if (tools := self._find_tools(run["agent_name"])) is not None:
            draft.add("tools", {"tools": tools})

    def _applies(
        self, rule: Rule, run: Mapping[str, Any], attributes: Mapping[str, Any], is_met: Callable[[str], bool]
    ) -> bool:
        return rule.when.holds(run, attributes) and (rule.when.where is None or is_met(rule.name))

    def _find_tools(self, agent: str | None) -> tuple[ToolDefinition, ...] | None:
        return next((tools for name, tools in self.tools.items() if _is_like(agent, name)), None)


@dataclass(slots=True)
class _Draft:
    """The reference so far: each field from the first source that defined it, or that has a fault in it."""

    fields: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    faults: list[ReferenceFault] = field(default_factory=list)
    decided: set[str] = field(default_factory=set)

    def select_open(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields that no source has decided yet."""
        return {name: value for name, value in fields.items() if name not in self.decided}

    def add(self, source: str, fields: Mapping[str, Any], faults: Sequence[ReferenceFault] = ()) -> None:
        """Add the open fields that a source defines, and the faults in them."""
        new, faults = self.select_open(fields), [fault for fault in faults if fault.field not in self.decided]
        self.fields |= new
        self.sources |= dict.fromkeys(new, source)
        self.faults += faults
        self.decided |= new.keys() | {fault.field for fault in faults if fault.field is not None}

    def close_undefined(self, fields: Collection[str], cause: str) -> None:
        """Decide those of these fields that are still open as not defined, with the cause as a fault."""
        self.add("", {}, [ReferenceFault(text=cause, field=name) for name in sorted(fields)])

    def close_source(self) -> None:
        """Complete the fields of a source, since evaluators use expected calls and trajectory for each other.

        A trajectory with calls defines the expected calls, and a source that decides the calls also decides the
        trajectory.
        """
        implied = find_implied_calls(self.fields.get(_TRAJECTORY, ()))  # none if the trajectory consists of texts
        if implied:
            self.add(self.sources[_TRAJECTORY], {_CALLS: implied})
        if _CALLS in self.decided:
            self.decided.add(_TRAJECTORY)

    @property
    def reference(self) -> Reference | None:
        """The reference; None if no source defined a field."""
        if not self.fields and not self.faults:
            return None
        reference = Reference(**self.fields, faults=tuple(self.faults))
        source = "+".join(dict.fromkeys(self.sources.values())) or None
        return reference.hashed().model_copy(update={"source": source, "sources": self.sources})


def _list_decided_fields(fields: Mapping[str, Any]) -> set[str]:
    """Return the names of the fields that a rule with `fields` decides: a trajectory also decides the calls."""
    return {*fields, _CALLS} if _TRAJECTORY in fields else set(fields)


def _is_like(value: str | None, pattern: str | None) -> bool:
    return pattern is None or (value is not None and fnmatchcase(value, pattern))


def _refuse_repeated(rules: Sequence[Rule], file: YamlFile) -> None:
    names: set[str] = set()
    for index, rule in enumerate(rules):
        if rule.name in names:
            raise BadConfiguration(f"{file.place(('rules', index, 'name'))}: two rules are called {rule.name!r}")
        names.add(rule.name)


def _read_tools(agent: str, tools: Any, file: YamlFile) -> tuple[ToolDefinition, ...]:
    """Read the tool definitions of an agent, from this file or from the JSON or YAML file that it names.

    Raises BadConfiguration.
    """
    try:
        if isinstance(tools, str):
            tools = type(file)(file.path.parent / tools).value  # JSON is YAML
        return tool_definitions(tools)
    except (ValueError, BadConfiguration) as error:
        raise BadConfiguration(f"{file.place(('tools', agent))}: tools.{agent}: {error}") from error
