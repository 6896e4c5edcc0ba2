"""Floeval's names of metrics, and the evaluators that they mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tracegrade.evaluators.catalog.configure import catalogue, configure
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.text.suggestions import nearest

__all__ = ["Metric", "make_metrics"]

_BUILTIN: Final = "builtin"


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric: the `key` of its results, and its evaluator."""

    key: str
    evaluator: Configured


def make_metrics(
    metrics: Sequence[str | Mapping[str, Any]],
    params: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    default_provider: str = _BUILTIN,
) -> list[Metric]:
    """Make the metrics: names (`goal_achievement`, `ragas:tool_call_accuracy`), or mappings with `id`, `provider` and
    `params`.

    Parameters of a mapping precede those of `params` under `provider:metric`, and these those under `metric`. The key
    of results is the name without provider, unless two metrics would share it. Raises ValueError.
    """
    if not metrics:
        raise ValueError("there are no metrics; name some, such as goal_achievement or ragas:tool_call_accuracy")
    made: dict[str, Metric] = {}
    for spec in metrics:
        provider, name, own = _read_spec(spec, default_provider)
        shared = (params or {}).get(name, {})
        qualified = (params or {}).get(f"{provider}:{name}", {})
        evaluator = _configure(provider, name, {**shared, **qualified, **own})
        if any(metric.evaluator.type == evaluator.type for metric in made.values()):
            raise ValueError(f"the metric {name} of {provider} is named twice")
        key = name if name not in made else evaluator.type
        made[key] = Metric(key, evaluator)
    _refuse_unused(params or {}, made.values())
    return list(made.values())


def _read_spec(spec: str | Mapping[str, Any], default_provider: str) -> tuple[str, str, Mapping[str, Any]]:
    """Return provider, name and parameters of a metric."""
    if isinstance(spec, str):
        provider, separator, name = spec.rpartition(":")
        return (provider if separator else default_provider), name, {}
    if unknown := spec.keys() - {"id", "provider", "params"}:
        raise ValueError(f"a metric has no key {min(unknown)!r}; it has id, provider and params")
    if "id" not in spec:
        raise ValueError("a metric that is a mapping needs its name as `id`")
    provider, _, name = str(spec["id"]).rpartition(":")
    return spec.get("provider") or provider or default_provider, name, spec.get("params") or {}


def _configure(provider: str, name: str, params: Mapping[str, Any]) -> Configured:
    use = f"{'floeval' if provider == _BUILTIN else provider}:{name}"
    known = catalogue()
    if use not in known:
        offered = [_describe(each) for each in known if each.startswith(("floeval:", "ragas:"))]
        raise ValueError(f"there is no metric {name!r} of {provider}{nearest(_describe(use), offered)}")
    options = {key: value for key, value in params.items() if key != "threshold"}
    return configure(use, options=options, threshold=params.get("threshold"))


def _describe(use: str) -> str:
    """Return Floeval's name of an evaluator."""
    return use.removeprefix("floeval:")


def _refuse_unused(params: Mapping[str, Any], metrics: Any) -> None:
    """Raise ValueError for parameters of a metric that is not evaluated."""
    names = {name for metric in metrics for name in _list_names(metric.evaluator.type)}
    for key in params:
        if key not in names:
            hint = nearest(key, sorted(names))
            raise ValueError(f"metric_params names {key!r}, which is not among the metrics{hint}")


def _list_names(use: str) -> list[str]:
    provider, _, name = use.partition(":")
    return [name, use, *([f"{_BUILTIN}:{name}"] if provider == "floeval" else [])]
