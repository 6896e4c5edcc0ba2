"""A story as it went in time: the nodes that become spans, with ids and times that follow from its name alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .story import Agent, Answer, Ask, Call, Crash, Fault, HandOff, ModelFailure, Pause, Step, Story, Tool, User

__all__ = ["Message", "Node", "nodes"]

_START_NS = 1_790_000_000_000_000_000
_MS = 1_000_000
Kind = Literal["workflow", "agent", "model", "tool", "handoff"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the conversation. `call_id` and `name` are those of the call that a tool's message answers."""

    role: Literal["user", "assistant", "tool"]
    text: str | None = None
    calls: tuple[tuple[str, Call], ...] = ()
    call_id: str | None = None
    name: str | None = None
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Node:
    """What becomes a span. `input` and `output` are the messages of a model call, or of a run of an agent."""

    kind: Kind
    story: Story
    agent: Agent
    trace_id: str
    span_id: str
    parent_id: str | None
    start_ns: int
    end_ns: int = 0
    number: int = 0
    session_id: str | None = None
    input: tuple[Message, ...] = ()
    earlier: int = 0
    output: tuple[Message, ...] = ()
    finish: str = "stop"
    fault: Fault | None = None
    call: Call | None = None
    call_id: str | None = None
    target: Agent | None = None
    is_first: bool = False

    @property
    def error(self) -> Fault | None:
        """The fault that stands in the status of the span."""
        return self.fault if self.call is None or self.call.has_failed else None

    @property
    def answer(self) -> str | None:
        """The text that it ends with."""
        return self.output[-1].text if self.output else None

    @property
    def input_tokens(self) -> int:
        """As many as a text of that length has."""
        said = [self.agent.system, *(m.text or "" for m in self.input)]
        return 20 + sum(map(len, said)) // 4 + sum(len(c.args_text) for m in self.input for _, c in m.calls) // 4

    @property
    def output_tokens(self) -> int:
        """Likewise, of what it answered."""
        return 3 + sum(
            len(m.text or "") // 4 + sum(len(c.args_text) // 3 + 12 for _, c in m.calls) for m in self.output
        )


def nodes(story: Story) -> list[Node]:
    """The nodes of all turns, in the order in which they end, as an exporter sends them."""
    stage = _Stage(story)
    history: tuple[Message, ...] = ()
    turns = _turns(story.steps)
    for number, turn in enumerate(turns):
        history = stage.play(number, turn, history, has_session=len(turns) > 1)
    return sorted(stage.nodes, key=lambda node: (node.trace_id != stage.nodes[0].trace_id, node.end_ns))


def _turns(steps: Sequence[Step]) -> list[list[Step]]:
    turns: list[list[Step]] = []
    for step in steps:
        if isinstance(step, User) or not turns:
            turns.append([])
        turns[-1].append(step)
    return turns


class _Stage:
    """Plays a story: keeps the clock and the numbers."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.nodes: list[Node] = []
        self.now_ns = _START_NS + int(self._digest("start")[:6], 16) * 1_000 * _MS
        self.trace_id = ""
        self.session_id: str | None = None
        self.count = 0
        self.calls = 0

    def play(
        self, number: int, steps: Sequence[Step], history: tuple[Message, ...], *, has_session: bool
    ) -> tuple[Message, ...]:
        """One turn, as a trace of its own; gives the conversation as it then stands."""
        self.trace_id = self._digest(f"trace {number}")[:32]
        self.session_id = f"conv_{self._digest('session')[:12]}" if has_session else None
        if number:
            self._pass_ms(20_000 + int(self._digest(f"turn {number}")[:4], 16))
        top = None
        if any(isinstance(step, HandOff) for step in steps):
            top = self._open("workflow", self.story.agent, None)
        said = self._agent(self.story.agent, steps, parent=top, history=history, is_first=number == 0)
        if top is not None:
            given = tuple(m for m in said[len(history) :] if m.role == "user")
            self._close(replace(top, input=given, output=said[-1:] if said[-1].role == "assistant" else ()))
        return said

    def _agent(
        self,
        agent: Agent,
        steps: Sequence[Step],
        *,
        parent: Node | None,
        history: tuple[Message, ...] = (),
        is_first: bool = False,
    ) -> tuple[Message, ...]:
        """One run of an agent, and after a hand-off those that follow it; gives the whole conversation."""
        agent = _with_transfer(agent, steps)
        run = replace(self._open("agent", agent, parent), is_first=is_first)
        within = None if self.story.agent_span == "none" else run
        said, answer, ending, fault = history, tuple[Message, ...](), "stop", None
        for at, step in enumerate(steps):
            match step:
                case User(text):
                    said = (*said, Message("user", text))
                case Pause(seconds):
                    self._pass_ms(seconds * 1_000)
                case Ask():
                    said = self._ask(agent, step, said, within)
                case Answer(text, finish, hosted):
                    answer = (Message("assistant", text, tuple((self._call_id(), call) for call in hosted)),)
                    self._model(agent, said, within, output=answer, finish=finish)
                    ending = finish
                    said = (*said, *answer)
                case ModelFailure(raised):
                    self._model(agent, said, within, fault=raised)
                case Crash(raised):
                    fault = raised
                case HandOff(to, left_by):
                    said = self._hand_off(agent, to, said, within)
                    self._close(replace(run, input=said, earlier=len(history), output=(), fault=left_by))
                    return self._agent(to, steps[at + 1 :], parent=parent, history=said)
        self._close(replace(run, input=said, earlier=len(history), output=answer, finish=ending, fault=fault))
        return said

    def _ask(self, agent: Agent, step: Ask, said: tuple[Message, ...], within: Node | None) -> tuple[Message, ...]:
        calls = tuple((self._call_id(), call) for call in step.calls)
        asking = Message("assistant", step.text, calls)
        self._model(agent, said, within, output=(asking,), finish="tool_call")
        began_ns, ended_ns = self.now_ns, self.now_ns
        for call_id, call in calls:
            self.now_ns = began_ns
            self._call(agent, call_id, call, within)
            ended_ns = max(ended_ns, self.now_ns)
        self.now_ns = ended_ns
        return (*said, asking, *_results(calls))

    def _call(self, agent: Agent, call_id: str, call: Call, within: Node | None) -> None:
        if not call.span:
            return
        node = self._open("tool", agent, within)
        if call.agent is not None:
            self._agent(call.agent, (User(call.question), *call.steps), parent=node)
        else:
            self._pass_ms(call.ms if call.ms is not None else 30 + int(self._digest(call_id)[:3], 16) / 4)
        self._close(replace(node, call=call, call_id=call_id, fault=call.fault))

    def _hand_off(self, agent: Agent, to: Agent, said: tuple[Message, ...], within: Node | None) -> tuple[Message, ...]:
        call = Call(f"transfer_to_{to.name}", {}, {"assistant": to.name})
        call_id = self._call_id()
        asking = Message("assistant", None, ((call_id, call),))
        self._model(agent, said, within, output=(asking,), finish="tool_call")
        node = self._open("handoff", agent, within)
        self._pass_ms(2)
        self._close(replace(node, call=call, call_id=call_id, target=to))
        return (*said, asking, *_results(((call_id, call),)))

    def _model(
        self,
        agent: Agent,
        said: tuple[Message, ...],
        within: Node | None,
        *,
        output: tuple[Message, ...] = (),
        finish: str = "stop",
        fault: Fault | None = None,
    ) -> None:
        node = replace(self._open("model", agent, within), input=said, output=output, finish=finish, fault=fault)
        self._pass_ms(280 + int(self._digest(node.span_id)[:3], 16) / 8 + 9 * node.output_tokens)
        self._close(node)

    def _open(self, kind: Kind, agent: Agent, parent: Node | None) -> Node:
        self.count += 1
        self._pass_ms(3 + self.count % 7)
        return Node(
            kind,
            self.story,
            agent,
            trace_id=self.trace_id,
            span_id=self._digest(f"span {self.count}")[:16],
            parent_id=parent.span_id if parent is not None else None,
            start_ns=self.now_ns,
            number=self.count,
            session_id=self.session_id,
        )

    def _close(self, node: Node) -> None:
        self._pass_ms(1)
        self.nodes.append(replace(node, end_ns=self.now_ns))

    def _call_id(self) -> str:
        self.calls += 1
        return f"call_{self._digest(f'call {self.calls}')[:14]}"

    def _pass_ms(self, ms: float) -> None:
        self.now_ns += round(ms * _MS)

    def _digest(self, what: str) -> str:
        return hashlib.sha256(f"{self.story.name}: {what}".encode()).hexdigest()


def _with_transfer(agent: Agent, steps: Sequence[Step]) -> Agent:
    """The agent with the tool by which it hands over, which frameworks offer to the model beside the others."""
    target = next((step.to.name for step in steps if isinstance(step, HandOff)), None)
    if target is None:
        return agent
    schema = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    transfer = Tool(f"transfer_to_{target}", f"Hand the conversation over to {target}", schema)
    return replace(agent, tools=(*agent.tools, transfer))


def _results(calls: Sequence[tuple[str, Call]]) -> Iterator[Message]:
    for call_id, call in calls:
        if call.is_answered and not call.is_hosted:
            yield Message("tool", call.answer, call_id=call_id, name=call.name, is_error=call.fault is not None)
