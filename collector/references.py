"""What runs were expected to do, as the agents themselves or rules in a file say; attached when they are judged.

Of what both say the agent's word counts: attributes `tracegrade.*` of its agent span or resource. Of the rules the
first that matches speaks.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Final

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from tracegrade.evaluators.formats.openai import messages
from tracegrade.evaluators.formats.tool_calls import expected_calls
from tracegrade.evaluators.formats.tool_definitions import tool_definitions
from tracegrade.evaluators.model import ExpectedCall, Message, Reference, ToolDefinition

from .values import decode_text
from .yaml_file import BadConfiguration, YamlFile, explain

__all__ = ["PREFIX", "References", "Rule"]

PREFIX: Final = "tracegrade."
"""What the names of the attributes begin with that an agent may set; behind it stand the fields of a reference."""


def _several(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _calls(value: Any) -> Any:
    """Expected calls; a name alone stands for a call with any arguments."""
    named = [{"name": each} if isinstance(each, str) else each for each in value] if isinstance(value, list) else value
    return expected_calls(named, place="expected_tool_calls")


Texts = Annotated[tuple[str, ...], BeforeValidator(_several)]


class _Written(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Expectation(_Written):
    """What a rule or an agent may say; each field in any of its usual spellings. None = not said."""

    expected_tool_calls: Annotated[tuple[ExpectedCall, ...], BeforeValidator(_calls)] | None = None
    minimums: dict[str, int] | None = None
    expected_response: str | None = None
    expected_trajectory: Annotated[tuple[Message, ...], BeforeValidator(messages)] | None = None
    tasks: Texts | None = None
    constraints: Texts | None = None
    tools: Annotated[tuple[ToolDefinition, ...], BeforeValidator(tool_definitions)] | None = None

    @property
    def said(self) -> dict[str, Any]:
        """The fields that are not None."""
        return {name: value for name in Expectation.model_fields if (value := getattr(self, name)) is not None}


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


class _File(_Written):
    rules: tuple[Rule, ...] = ()
    tools: dict[str, Any] = Field(default={}, description="tool definitions by agent, or files that hold them")


class References:
    """The rules and the registry of tools of one file; empty without one. What agents say counts in any case."""

    def __init__(
        self, rules: Sequence[Rule] = (), tools: Mapping[str, tuple[ToolDefinition, ...]] | None = None
    ) -> None:
        self.rules = tuple(rules)
        self._tools = dict(tools or {})

    @classmethod
    def read(cls, path: Path) -> References:
        """Raises BadConfiguration, with the line."""
        file = YamlFile(path)
        try:
            written = _File.model_validate(file.value or {})
        except ValidationError as error:
            raise BadConfiguration(explain(error, _File, file)) from error
        _refuse_repeated(written.rules, file)
        return cls(written.rules, {agent: _registered(agent, tools, file) for agent, tools in written.tools.items()})

    @property
    def conditions(self) -> Mapping[str, str]:
        """The SQL conditions by the names of their rules."""
        return {rule.name: rule.when.where for rule in self.rules if rule.when.where is not None}

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
        said, faults = _by_agent(attributes)
        sources = ["attributes"] if said else []
        try:
            rule = next((one for one in self.rules if self._is_about(one, run, attributes, is_met)), None)
        except ValueError as error:
            rule, faults = None, [*faults, str(error)]
        if rule is not None:
            said = {**rule.said, **said}
            sources.append(f"rule:{rule.name}")
        if "tools" not in said and (tools := self._registered(run["agent_name"])) is not None:
            said["tools"] = tools
            sources.append("tools")
        if not said and not faults:
            return None
        reference = Reference(**said, faults=tuple(faults))
        return reference.model_copy(update={"source": "+".join(sources) or None, "hash": _hash(reference)})

    def _is_about(
        self, rule: Rule, run: Mapping[str, Any], attributes: Mapping[str, Any], is_met: Callable[[str], bool]
    ) -> bool:
        return rule.when.holds(run, attributes) and (rule.when.where is None or is_met(rule.name))

    def _registered(self, agent: str | None) -> tuple[ToolDefinition, ...] | None:
        return next((tools for name, tools in self._tools.items() if _is_like(agent, name)), None)


def _by_agent(attributes: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """What the agent says under our attributes, and what of it cannot be read: its sender has to mend that."""
    said: dict[str, Any] = {}
    faults: list[str] = []
    for name in Expectation.model_fields:
        if (value := attributes.get(PREFIX + name)) is None:
            continue
        try:
            said |= Expectation(**{name: decode_text(value)}).said
        except ValidationError as error:
            faults.append(f"the attribute {PREFIX}{name} cannot be read: {error.errors()[0]['msg']}")
    return said, faults


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
            written = YamlFile(file.path.parent / written).value  # JSON is YAML
        return tool_definitions(written)
    except (ValueError, BadConfiguration) as error:
        raise BadConfiguration(f"{file.place(('tools', agent))}: tools.{agent}: {error}") from error


def _hash(reference: Reference) -> str:
    """The same for the same expectation, whoever holds it."""
    content = reference.model_dump(mode="json", exclude={"source", "hash"})
    return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]
