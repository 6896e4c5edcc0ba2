"""What runs were expected to do, as rules in a file or the agents themselves say; attached when they are judged.

Field by field the first source counts that says something of it. Among rules that is the first one that matches; an
agent speaks by attributes `tracegrade.*` of its agent span or resource. Where a source does not list the calls that it
expects, they are those of the trajectory that it expects.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from tracegrade.evaluators.formats.tool_definitions import tool_definitions
from tracegrade.evaluators.model import Reference, ReferenceFault, ToolDefinition

from ..config.location import BadConfiguration
from ..config.trust import SOURCES, Source
from .expectation import FIELDS, Expectation, calls_implied, said_by

if TYPE_CHECKING:
    from ..config.yaml_file import YamlFile

__all__ = ["References", "Rule"]

_CALLS, _TRAJECTORY = "expected_tool_calls", "expected_trajectory"


class _Written(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class When(_Written):
    """The runs that a rule is about: those for which everything holds that is said here."""

    agent: str | None = Field(default=None, description="the agent's name; * stands for any characters")
    service: str | None = Field(default=None, description="service.name; * stands for any characters")
    input: re.Pattern[str] | None = Field(default=None, description="a regular expression found in the run's input")
    attributes: dict[str, Any] = Field(default={}, description="attributes of the agent span or its resource")
    where: str | None = Field(default=None, description="SQL condition over the columns of agent_traces")

    def holds(self, run: Mapping[str, Any], attributes: Mapping[str, Any]) -> bool:
        """Whether everything holds but `where`, which only the store can tell."""
        return (
            _is_like(run["agent_name"], self.agent)
            and _is_like(run["service_name"], self.service)
            and (self.input is None or self.input.search(run["input"] or "") is not None)
            and all(attributes.get(name) == value for name, value in self.attributes.items())
        )


class Rule(Expectation):
    """What runs of a kind are expected to do."""

    name: str = Field(min_length=1)
    when: When = When()

    @model_validator(mode="after")
    def _says_something(self) -> Rule:
        if not self.said:
            raise ValueError(f"rule {self.name!r} says nothing; write what is expected: {', '.join(FIELDS)}")
        return self


class _File(_Written):
    rules: tuple[Rule, ...] = ()
    tools: dict[str, Any] = Field(default={}, description="tool definitions by agent, or files that hold them")


class References:
    """The rules and the registry of tools of one file, empty without one, and which sources count, in which order."""

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
        """What the file says; without one, no rules. Raises BadConfiguration, with the line."""
        if path is None:
            return cls(sources=sources)
        from ..config.yaml_file import YamlFile, explain  # noqa: PLC0415 - many servers have no such file

        file = YamlFile(path)
        try:
            written = _File.model_validate(file.value or {})
        except ValidationError as error:
            raise BadConfiguration(explain(error, _File, file)) from error
        _refuse_repeated(written.rules, file)
        tools = {agent: _registered(agent, offered, file) for agent, offered in written.tools.items()}
        return cls(written.rules, tools, file=file, sources=sources)

    @property
    def conditions(self) -> Mapping[str, str]:
        """The SQL conditions by the names of their rules."""
        return {rule.name: rule.when.where for rule in self.rules if rule.when.where is not None}

    def place(self, rule: str) -> str:
        """Where the condition of a rule stands: `references.yaml, line 7`."""
        index = next(at for at, one in enumerate(self.rules) if one.name == rule)
        return "the rules" if self._file is None else self._file.place(("rules", index, "when", "where"))

    @property
    def asks_for_attributes(self) -> bool:
        """Whether a rule asks for attributes that are not ours."""
        return any(rule.when.attributes for rule in self.rules)

    def of(
        self,
        run: Mapping[str, Any],
        attributes: Mapping[str, Any],
        is_met: Callable[[str], bool],
    ) -> Reference | None:
        """What is expected of a run; None when nobody says anything.

        `run` is its row of `agent_traces`; `is_met` tells whether the condition of a rule holds for it, and raises
        ValueError when that cannot be told.
        """
        heard = _Heard()
        for source in self._sources:
            if source == "attributes":
                heard.take("attributes", *said_by(attributes))
            elif source == "rule":
                self._hear_rules(heard, run, attributes, is_met)
            heard.close()
        return heard.reference

    def _hear_rules(
        self, heard: _Heard, run: Mapping[str, Any], attributes: Mapping[str, Any], is_met: Callable[[str], bool]
    ) -> None:
        """What the rules that are about the run say, then the registry of tools."""
        for rule in self.rules:
            if not (fields := heard.open(rule.said)):
                continue
            try:
                is_about = self._is_about(rule, run, attributes, is_met)
            except ValueError as error:
                heard.leave_open(_fields_decided_by(fields), str(error))
                continue
            if is_about:
                heard.take(f"rule:{rule.name}", fields)
        if (tools := self._registered(run["agent_name"])) is not None:
            heard.take("tools", {"tools": tools})

    def _is_about(
        self, rule: Rule, run: Mapping[str, Any], attributes: Mapping[str, Any], is_met: Callable[[str], bool]
    ) -> bool:
        return rule.when.holds(run, attributes) and (rule.when.where is None or is_met(rule.name))

    def _registered(self, agent: str | None) -> tuple[ToolDefinition, ...] | None:
        return next((tools for name, tools in self.tools.items() if _is_like(agent, name)), None)


@dataclass(slots=True)
class _Heard:
    """What was said of a run so far: each field by the first who said, or meant to say, something of it."""

    said: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    faults: list[ReferenceFault] = field(default_factory=list)
    decided: set[str] = field(default_factory=set)

    def open(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """What of this nobody has decided before."""
        return {name: value for name, value in said.items() if name not in self.decided}

    def take(self, source: str, said: Mapping[str, Any], faults: Sequence[ReferenceFault] = ()) -> None:
        """What a source says of the fields that are open, and what of it cannot be read."""
        fields, faults = self.open(said), [fault for fault in faults if fault.field not in self.decided]
        self.said |= fields
        self.sources |= dict.fromkeys(fields, source)
        self.faults += faults
        self.decided |= fields.keys() | {fault.field for fault in faults if fault.field is not None}

    def leave_open(self, fields: Collection[str], why: str) -> None:
        """Nobody says what is expected of these fields, as far as nobody did before."""
        self.take("", {}, [ReferenceFault(text=why, field=name) for name in sorted(fields)])

    def close(self) -> None:
        """A source has said all that it says. A trajectory tells the calls, if it has any, and who decides the calls
        has decided the trajectory: evaluators take either for the other."""
        implied = calls_implied(self.said.get(_TRAJECTORY, ()))  # without calls it may tell the texts alone
        if implied:
            self.take(self.sources[_TRAJECTORY], {_CALLS: implied})
        if _CALLS in self.decided:
            self.decided.add(_TRAJECTORY)

    @property
    def reference(self) -> Reference | None:
        """All of it; None where nobody said anything."""
        if not self.said and not self.faults:
            return None
        reference = Reference(**self.said, faults=tuple(self.faults))
        source = "+".join(dict.fromkeys(self.sources.values())) or None
        return reference.model_copy(update={"source": source, "sources": self.sources, "hash": _hash(reference)})


def _fields_decided_by(fields: Mapping[str, Any]) -> set[str]:
    """The fields of a reference that a rule which says `fields` decides: a trajectory tells the calls, too."""
    return {*fields, _CALLS} if _TRAJECTORY in fields else set(fields)


def _is_like(value: str | None, pattern: str | None) -> bool:
    return pattern is None or (value is not None and fnmatchcase(value, pattern))


def _refuse_repeated(rules: Sequence[Rule], file: YamlFile) -> None:
    known: set[str] = set()
    for index, rule in enumerate(rules):
        if rule.name in known:
            raise BadConfiguration(f"{file.place(('rules', index, 'name'))}: two rules are called {rule.name!r}")
        known.add(rule.name)


def _registered(agent: str, written: Any, file: YamlFile) -> tuple[ToolDefinition, ...]:
    """Definitions as they stand in the file, or in the JSON or YAML file that is named there."""
    try:
        if isinstance(written, str):
            written = type(file)(file.path.parent / written).value  # JSON is YAML
        return tool_definitions(written)
    except (ValueError, BadConfiguration) as error:
        raise BadConfiguration(f"{file.place(('tools', agent))}: tools.{agent}: {error}") from error


def _hash(reference: Reference) -> str:
    """The same for the same expectation, whoever holds it."""
    content = reference.model_dump(mode="json", exclude={"source", "sources", "hash"})
    return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]
