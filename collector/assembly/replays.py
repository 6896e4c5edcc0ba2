"""Work that was exported twice under different span ids: it counts once.

A durable workflow (Temporal, DBOS, Mastra) that is replayed exports the spans of its earlier steps again, with the
results that it had stored. What repeats has the id of the same response, or of the same tool call, with the same
content; a retry has another response.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from ..spans.values import canonical
from .run import Reading, overlap
from .tree import Tree

__all__ = ["drop_replays"]

_LEADS: Final = frozenset({"agent", "workflow"})

Key: TypeAlias = tuple[Hashable, ...]


def drop_replays(tree: Tree, readings: dict[str, Reading]) -> None:
    """Remove from `readings`, which are in order of time, what repeats others of them."""
    ids = {span_id: key for span_id, reading in readings.items() if (key := _id_key(reading)) is not None}
    if len({*ids.values()}) == len(ids):
        return  # as in nearly all traces, of which no content is compared then
    counts = Counter(ids.values())
    keys = {
        span_id: key if counts[key] == 1 else (*key, *_content_of(readings[span_id])) for span_id, key in ids.items()
    }
    if len({*keys.values()}) == len(keys):
        return
    dropped = _find_repeated_agents(tree, readings, keys)
    within = tree.nearest(dropped)
    for span_id in [one for one in readings if one in dropped or within[one] is not None]:
        del readings[span_id]
    _drop_repeated_steps(readings, keys)


def _id_key(reading: Reading) -> Key | None:
    """Return what repeated records of one response, or of one tool call, have in common; None without a content."""
    step, service = reading.step, reading.span.service_name
    if step.kind == "model" and step.response_id is not None and step.output and step.error is None:
        return service, "model", step.response_id
    if step.kind == "tool" and step.call_id is not None and step.result is not None and step.error is None:
        return service, "tool", step.tool_name, step.call_id
    return None


def _content_of(reading: Reading) -> Key:
    """Return what such records have in common besides their id."""
    step = reading.step
    if step.kind == "tool":
        return canonical(step.args), step.result
    return _messages_key(step.input), _messages_key(step.output), step.usage[:2]


def _messages_key(messages: Iterable[object] | None) -> int:
    return hash(repr(messages)) if messages else 0


def _find_repeated_agents(tree: Tree, readings: Mapping[str, Reading], keys: Mapping[str, Key]) -> set[str]:
    """Return the spans of agents whose steps all repeat those of another one, which may have more."""
    leading = {span_id for span_id, reading in readings.items() if reading.step.kind in _LEADS}
    above = tree.nearest(leading)
    steps: dict[str, set[Key]] = {}
    has_others: set[str] = set()
    for span_id, reading in readings.items():
        leader = above[span_id]
        if leader is None or reading.step.kind not in {"model", "tool"}:
            continue
        if span_id in keys:
            steps.setdefault(leader.span_id, set()).add(keys[span_id])
        else:
            has_others.add(leader.span_id)
    owners: dict[Key, list[str]] = {}
    for span_id, step_keys in steps.items():
        for key in step_keys:
            owners.setdefault((readings[span_id].step.agent_name, key), []).append(span_id)
    dropped: set[str] = set()
    for span_id, own in steps.items():
        if span_id in has_others:
            continue
        name = readings[span_id].step.agent_name
        others = min((owners[name, key] for key in own), key=len)  # who did all of this did the rarest of it
        if any(
            other != span_id
            and other not in dropped
            and _repeats(tree, readings, (span_id, own), (other, steps[other]))
            for other in others
        ):
            dropped.add(span_id)
    return dropped


def _repeats(
    tree: Tree, readings: Mapping[str, Reading], agent: tuple[str, set[Key]], other: tuple[str, set[Key]]
) -> bool:
    """Return whether all that `agent` did was also done by `other`, of its name: more, or the same and earlier."""
    (span_id, own), (other_id, theirs) = agent, other
    span, other_span = readings[span_id].span, readings[other_id].span
    is_nested = any(above.span_id == other_id for above in tree.ancestors(span)) or any(
        above.span_id == span_id for above in tree.ancestors(other_span)
    )
    is_first = (span.start_ns, span_id) < (other_span.start_ns, other_id)
    return not is_nested and own <= theirs and (own != theirs or not is_first)


def _drop_repeated_steps(readings: dict[str, Reading], keys: Mapping[str, Key]) -> None:
    """Remove later records of steps; those at the same time are merged where the calls are counted."""
    requests = Counter(_requested_ids(readings.values()))
    first: dict[Key, Reading] = {}
    for span_id, reading in [*readings.items()]:
        key = keys.get(span_id)
        if key is None:
            continue
        earlier = first.setdefault(key, reading)
        if earlier is reading or overlap(earlier.span, reading.span):
            continue
        if reading.step.kind == "model":
            requests.subtract(_requested_ids([reading]))
        elif requests[reading.step.call_id] != 1:  # an id such as `call_1` may be given repeatedly
            continue
        del readings[span_id]


def _requested_ids(readings: Iterable[Reading]) -> Iterator[str | None]:
    """Yield the ids of the tool calls that models requested."""
    outputs = (reading.step.output or () for reading in readings if reading.step.kind == "model")
    return (call.id for output in outputs for message in output for call in message.tool_calls)
