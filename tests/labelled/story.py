"""The vocabulary of the hand-made runs: what happened, in neutral terms. A convention writes it down as spans."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

__all__ = [
    "Agent",
    "Answer",
    "Ask",
    "Call",
    "Crash",
    "Fault",
    "HandOff",
    "ModelFailure",
    "Pause",
    "Step",
    "Story",
    "Tool",
    "User",
    "answers",
    "asks",
    "call",
    "crashes",
    "hands_off",
    "hosted",
    "model_fails",
    "pause",
    "refused",
    "repeat_calls",
    "tool",
    "unanswered",
    "user",
]

Finish = Literal["stop", "length", "content_filter", "tool_call"]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that is offered to the model. `parameters` is its JSON Schema; None offers it without one."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent: its name, what it is told to be, and the tools that it is offered."""

    name: str
    tools: tuple[Tool, ...] = ()
    system: str = "You are a helpful assistant."
    model: str = "gpt-4.1-mini"
    provider: str = "openai"


@dataclass(frozen=True, slots=True)
class Fault:
    """An exception. `told` is what the model is told of it; without, a text made of type and message."""

    type: str
    message: str
    told: str | None = None

    @property
    def is_control_flow(self) -> bool:
        """Whether a framework raises it to interrupt a run or to leave a graph, and nothing went wrong."""
        return self.type.startswith("langgraph.errors.")

    @property
    def answer(self) -> str:
        """What stands in the conversation instead of a result."""
        return self.told if self.told is not None else f"Error: {self.message}"


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that the model asked for, and what became of it.

    `args` is a text where the model did not write an object. `span` is False where no tool ran, `is_answered` where the
    model never saw an answer. `ran_as` is the name in the tool's span where that differs. `is_hosted`: the provider of
    the model ran it. `agent` is a sub-agent that took `steps` to answer. `deferral` names what the call waits for.
    """

    name: str
    args: Mapping[str, Any] | str = field(default_factory=dict)
    result: Any = None
    fault: Fault | None = None
    ms: float | None = None
    span: bool = True
    is_answered: bool = True
    ran_as: str | None = None
    is_hosted: bool = False
    agent: Agent | None = None
    steps: tuple[Step, ...] = ()
    deferral: str | None = None
    span_args: Mapping[str, Any] | str | None = None
    is_marked_ok: bool = False

    @property
    def has_failed(self) -> bool:
        """Whether its span has an error status."""
        return self.fault is not None and not self.is_marked_ok

    @property
    def question(self) -> str:
        """What a sub-agent that answers it is asked: the first of its arguments."""
        return self.args if isinstance(self.args, str) else str(next(iter(self.args.values()), ""))

    @property
    def args_text(self) -> str:
        """The arguments as the model wrote them."""
        return self.args if isinstance(self.args, str) else json.dumps(self.args, ensure_ascii=False)

    @property
    def output(self) -> Any:
        """The result in the tool's span: what the tool gave, or what is told of its fault; None without an answer."""
        if not self.is_answered:
            return None
        return self.result if self.fault is None else self.answer

    @property
    def answer(self) -> str:
        """The text that the model gets as the result."""
        if self.fault is not None:
            return self.fault.answer
        return self.result if isinstance(self.result, str) else json.dumps(self.result, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class User:
    """The user says something. A second time, this begins the next turn: a trace of its own in the same session."""

    text: str


@dataclass(frozen=True, slots=True)
class Ask:
    """The model asks for calls, which run side by side."""

    calls: tuple[Call, ...]
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The model answers. Without a text it gave none. The provider ran `hosted` calls within the same model call."""

    text: str | None
    finish: Finish = "stop"
    hosted: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelFailure:
    """The call of the model raises; what catches it, goes on."""

    fault: Fault


@dataclass(frozen=True, slots=True)
class Crash:
    """The run of the agent ends with an exception."""

    fault: Fault


@dataclass(frozen=True, slots=True)
class HandOff:
    """The model hands the conversation to another agent, which takes the steps that follow.

    `fault` is the exception by which a framework leaves the first agent, such as LangGraph's ParentCommand.
    """

    to: Agent
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    """Time passes between two steps."""

    seconds: float


Step = User | Ask | Answer | ModelFailure | Crash | HandOff | Pause


@dataclass(frozen=True, slots=True)
class Story:
    """A run and its label: `failing` names the evaluators that must fail it, `why` says it in one line.

    `convention` is the way its spans are written. `has_content` is False where the exporter records no content.
    `agent_span` is `none` where nothing writes a span around the model calls, `open` where it has not ended yet.
    `attributes` are put on the span of the first agent.
    """

    name: str
    convention: str
    agent: Agent
    steps: tuple[Step, ...]
    failing: tuple[str, ...]
    why: str
    has_content: bool = True
    agent_span: Literal["ended", "none", "open"] = "ended"
    attributes: Mapping[str, Any] = field(default_factory=dict)


def tool(tool_name: str, description: str = "", /, **properties: str | Sequence[str] | Mapping[str, Any]) -> Tool:
    """A tool. A property is a JSON type (`"string"`, optional as `"string?"`), a list of values, or a schema."""
    required = [name for name, kind in properties.items() if not (isinstance(kind, str) and kind.endswith("?"))]
    schema = {
        "type": "object",
        "properties": {name: _property(kind) for name, kind in properties.items()},
        "required": required,
        "additionalProperties": False,
    }
    return Tool(tool_name, description or tool_name.replace("_", " ").capitalize(), schema)


def _property(kind: str | Sequence[str] | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(kind, str):
        name = kind.removesuffix("?")
        return {"type": "array", "items": {"type": name[:-2]}} if name.endswith("[]") else {"type": name}
    return kind if isinstance(kind, Mapping) else {"type": "string", "enum": list(kind)}


def user(text: str) -> User:
    return User(text)


def asks(*calls: Call, text: str | None = None) -> Ask:
    return Ask(calls, text)


def answers(text: str | None, finish: Finish = "stop", *, hosted: Sequence[Call] = ()) -> Answer:
    return Answer(text, finish, tuple(hosted))


def call(name: str, args: Mapping[str, Any] | str | None = None, result: Any = None, **more: Any) -> Call:
    """A call that ran; `more` are fields of Call, among them `fault`."""
    return Call(name, args if args is not None else {}, result, **more)


def repeat_calls(number: int, *calls: Call) -> tuple[Step, ...]:
    """Asks for these calls, one after the other, so many times."""
    return tuple(asks(each) for _ in range(number) for each in calls)


def hosted(name: str, args: Mapping[str, Any], result: Any) -> Call:
    """A call that the provider of the model ran. Only genai, openllmetry and pydantic_ai have a way to write it."""
    return Call(name, args, result, span=False, is_hosted=True)


def refused(name: str, args: Mapping[str, Any] | str, told: str) -> Call:
    """A call that the framework did not run, and told the model so."""
    return Call(name, args, told, span=False)


def unanswered(name: str, args: Mapping[str, Any] | str) -> Call:
    """A call that was asked for, and that nothing ever ran or answered."""
    return replace(Call(name, args), span=False, is_answered=False)


def model_fails(type_: str, message: str) -> ModelFailure:
    return ModelFailure(Fault(type_, message))


def crashes(type_: str, message: str) -> Crash:
    return Crash(Fault(type_, message))


def hands_off(to: Agent, fault: Fault | None = None) -> HandOff:
    return HandOff(to, fault)


def pause(seconds: float) -> Pause:
    return Pause(seconds)
