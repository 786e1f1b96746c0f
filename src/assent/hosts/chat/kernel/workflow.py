"""A workflow: a graph of nodes, parsed strictly and sorted so that it can run."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from assent.hosts.chat.tools.kernel_port import MISSING, Schema, ToolError, as_list, as_object, value_at

MAX_STEPS = 200
_KEYS = frozenset({"title", "description", "params", "nodes", "outputs"})


class WorkflowStep(NamedTuple):
    """One node of a workflow and its inputs."""

    id: str
    type: str
    inputs: Mapping[str, object]
    """Values, and references such as `{"from": "step.output"}` and `{"param": "name"}`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    """A workflow; each step comes after the steps that it needs."""

    id: str
    title: str
    description: str
    params: Schema
    steps: tuple[WorkflowStep, ...]
    outputs: Mapping[str, object]
    digest: str
    """The hash of the file: a caller can require that the workflow it read is the one that runs."""

    def to_json(self) -> Mapping[str, object]:
        """The description that the model gets."""
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
    """Parse a file; raises `ToolError` for a cycle, an unknown key or an unknown reference."""
    try:
        document = as_object(json.loads(text))
    except (ValueError, RecursionError):
        raise ToolError(f"workflow `{id}` is not JSON") from None
    if document is None or not _KEYS.issuperset(document):
        raise ToolError(f"workflow `{id}` must be an object of {', '.join(sorted(_KEYS))}, and nothing else")
    steps = {step.id: step for step in _parse_steps(id, document)}
    outputs = as_object(document.get("outputs")) or {}
    return Workflow(
        id=id,
        title=str(document.get("title") or id),
        description=str(document.get("description") or ""),
        params=dict(as_object(document.get("params")) or {"type": "object"}),
        steps=_in_order(id, steps),
        outputs=_check_outputs(id, outputs, steps),
        digest=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
    )


def fill_references(
    value: object, params: Mapping[str, object], done: Mapping[str, Mapping[str, object]]
) -> object:
    """A value with its references replaced by the values they name."""
    members = as_object(value)
    if members is not None and (reference := _reference(members)) is not None:
        kind, name = reference
        if kind == "param":
            return params.get(name)
        step, _, output = name.partition(".")
        found = value_at(done.get(step, {}), output.split(".") if output else [])
        if found is MISSING:
            raise ToolError(f"step `{step}` gave no `{output}`")
        return found
    if members is not None:
        return {name: fill_references(one, params, done) for name, one in members.items()}
    each = as_list(value)
    return value if each is None else [fill_references(one, params, done) for one in each]


def _parse_steps(id: str, document: Mapping[str, object]) -> Iterator[WorkflowStep]:
    nodes = as_object(document.get("nodes"))
    if not nodes or len(nodes) > MAX_STEPS:
        raise ToolError(f"workflow `{id}` must have 1 to {MAX_STEPS} nodes")
    for name, value in nodes.items():
        node = as_object(value) or {}
        inputs = as_object(node.get("inputs", {}))
        if not isinstance(node.get("type"), str) or inputs is None or "." in name:
            raise ToolError(
                f"node `{name}` of workflow `{id}` needs a `type` and `inputs`, and no dot in its name"
            )
        yield WorkflowStep(name, str(node["type"]), inputs)


def _in_order(id: str, steps: Mapping[str, WorkflowStep]) -> tuple[WorkflowStep, ...]:
    needs = {name: set(_source_steps(id, step.inputs, steps)) for name, step in steps.items()}
    try:
        return tuple(steps[name] for name in TopologicalSorter(needs).static_order())
    except CycleError as error:
        raise ToolError(f"workflow `{id}` has a cycle: {' -> '.join(error.args[1])}") from None


def _check_outputs(
    id: str, outputs: Mapping[str, object], steps: Mapping[str, WorkflowStep]
) -> Mapping[str, object]:
    list(_source_steps(id, outputs, steps))
    return outputs


def _source_steps(id: str, value: object, steps: Mapping[str, WorkflowStep]) -> Iterator[str]:
    """The steps that a value refers to."""
    members = as_object(value)
    if members is not None and (reference := _reference(members)) is not None:
        kind, name = reference
        step = name.partition(".")[0]
        if kind == "from" and step not in steps:
            raise ToolError(f"workflow `{id}` takes from `{step}`, which is not one of its nodes")
        if kind == "from":
            yield step
        return
    inner = members.values() if members is not None else as_list(value) or ()
    for one in inner:
        yield from _source_steps(id, one, steps)


def _reference(members: Mapping[str, object]) -> tuple[str, str] | None:
    if len(members) == 1:
        ((kind, name),) = members.items()
        if kind in ("from", "param") and isinstance(name, str):
            return kind, name
    return None
