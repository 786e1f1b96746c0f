"""A workflow: a graph of nodes, read strictly and put in an order that can be run."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from assent.engine.model import as_list, as_object
from assent.hosts.chat.belt.fault import FaultError
from assent.hosts.chat.belt.record import MISSING, value_at
from assent.hosts.chat.belt.schema import Schema

MOST_STEPS = 200
_KEYS = frozenset({"title", "description", "params", "nodes", "outputs"})


class Step(NamedTuple):
    """One node of a workflow, and what goes into it."""

    id: str
    type: str
    inputs: Mapping[str, object]
    """Values; one like `{"from": "other.output"}` or `{"param": "name"}` is taken from there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    """A workflow whose steps stand in an order in which each comes after what it needs."""

    id: str
    title: str
    description: str
    params: Schema
    steps: tuple[Step, ...]
    outputs: Mapping[str, object]
    digest: str
    """What the file hashes to, so that the one that was looked at is the one that runs."""

    @property
    def shown(self) -> Mapping[str, object]:
        """JSON for whoever wants to use it."""
        return {
            "id": self.id,
            "title": self.title,
            "description": self.description,
            "params": self.params,
            "steps": [{"id": step.id, "type": step.type, "inputs": step.inputs} for step in self.steps],
            "outputs": self.outputs,
            "digest": self.digest,
        }


def read_workflow(id: str, text: str) -> Workflow:
    """Read a file; a cycle, an unknown key or a step that takes from nowhere is a fault."""
    try:
        document = as_object(json.loads(text))
    except (ValueError, RecursionError):
        raise FaultError(f"workflow `{id}` is not JSON") from None
    if document is None or not _KEYS.issuperset(document):
        raise FaultError(f"workflow `{id}` must be an object of {', '.join(sorted(_KEYS))}, and nothing else")
    steps = {step.id: step for step in _steps(id, document)}
    outputs = as_object(document.get("outputs")) or {}
    return Workflow(
        id=id,
        title=str(document.get("title") or id),
        description=str(document.get("description") or ""),
        params=dict(as_object(document.get("params")) or {"type": "object"}),
        steps=_ordered(id, steps),
        outputs=_known(id, outputs, steps),
        digest=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
    )


def filled(value: object, params: Mapping[str, object], done: Mapping[str, Mapping[str, object]]) -> object:
    """A value with everything taken in that it takes from elsewhere."""
    members = as_object(value)
    if members is not None and (taken := _reference(members)) is not None:
        kind, name = taken
        if kind == "param":
            return params.get(name)
        step, _, output = name.partition(".")
        found = value_at(done.get(step, {}), output.split(".") if output else [])
        if found is MISSING:
            raise FaultError(f"step `{step}` gave no `{output}`")
        return found
    if members is not None:
        return {name: filled(one, params, done) for name, one in members.items()}
    each = as_list(value)
    return value if each is None else [filled(one, params, done) for one in each]


def _steps(id: str, document: Mapping[str, object]) -> Iterator[Step]:
    nodes = as_object(document.get("nodes"))
    if not nodes or len(nodes) > MOST_STEPS:
        raise FaultError(f"workflow `{id}` must have 1 to {MOST_STEPS} nodes")
    for name, value in nodes.items():
        node = as_object(value) or {}
        inputs = as_object(node.get("inputs", {}))
        if not isinstance(node.get("type"), str) or inputs is None or "." in name:
            raise FaultError(
                f"node `{name}` of workflow `{id}` needs a `type` and `inputs`, and no dot in its name"
            )
        yield Step(name, str(node["type"]), inputs)


def _ordered(id: str, steps: Mapping[str, Step]) -> tuple[Step, ...]:
    needs = {name: set(_sources(id, step.inputs, steps)) for name, step in steps.items()}
    try:
        return tuple(steps[name] for name in TopologicalSorter(needs).static_order())
    except CycleError as error:
        raise FaultError(f"workflow `{id}` goes in a circle: {' -> '.join(error.args[1])}") from None


def _known(id: str, outputs: Mapping[str, object], steps: Mapping[str, Step]) -> Mapping[str, object]:
    list(_sources(id, outputs, steps))
    return outputs


def _sources(id: str, value: object, steps: Mapping[str, Step]) -> Iterator[str]:
    """The steps that a value is taken from."""
    members = as_object(value)
    if members is not None and (taken := _reference(members)) is not None:
        kind, name = taken
        step = name.partition(".")[0]
        if kind == "from" and step not in steps:
            raise FaultError(f"workflow `{id}` takes from `{step}`, which is not one of its nodes")
        if kind == "from":
            yield step
        return
    inner = members.values() if members is not None else as_list(value) or ()
    for one in inner:
        yield from _sources(id, one, steps)


def _reference(members: Mapping[str, object]) -> tuple[str, str] | None:
    if len(members) == 1:
        ((kind, name),) = members.items()
        if kind in ("from", "param") and isinstance(name, str):
            return kind, name
    return None
