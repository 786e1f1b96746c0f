"""The shipped kernel: reads the workflows of a workspace, and runs them and single nodes in this process."""

import hashlib
import json
import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib.metadata import entry_points
from typing import NamedTuple, cast

from assent.hosts.chat.kernel.nodes import BUILTIN_NODES, Node, NodeServices
from assent.hosts.chat.tools.kernel_port import (
    FILE_THREADS,
    MISSING,
    AssentError,
    FetchPage,
    Progress,
    Schema,
    ToolError,
    Values,
    as_list,
    as_object,
    find_issues,
    read_text,
    value_at_path,
)

ENTRY_POINT_GROUP = "assent.nodes"
WORKFLOW_DIRECTORY = os.path.join(".assent", "workflows")
"""Directory of workflow files in a workspace; protected, so that a change of a workflow asks a person."""
MAX_STEPS = 200
_WORKFLOW_KEYS = frozenset({"title", "description", "params", "nodes", "outputs"})
_MAX_WORKFLOW_BYTES = 1_000_000
_log = logging.getLogger("assent.chat.kernel")


class WorkflowStep(NamedTuple):
    """One step of a workflow: the type of node to run, and its inputs."""

    id: str
    type: str
    inputs: Mapping[str, object]
    """Values, and references such as `{"from": "step.output"}` and `{"param": "name"}`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    """A workflow; its steps are sorted, so that each step comes after the steps whose outputs it uses."""

    id: str
    title: str
    description: str
    params: Schema
    steps: tuple[WorkflowStep, ...]
    outputs: Mapping[str, object]
    digest: str
    """Hash of the file, so that a caller can require that the workflow is unchanged when it runs."""

    def to_json(self) -> Mapping[str, object]:
        """The description that is shown to the model."""
        return {
            "id": self.id,
            "title": self.title,
            "description": self.description,
            "params": self.params,
            "steps": [{"id": step.id, "type": step.type, "inputs": step.inputs} for step in self.steps],
            "outputs": self.outputs,
            "digest": self.digest,
        }


class LocalKernel:
    """Runs nodes and workflows in this process, one step at a time."""

    def __init__(self, root: str, fetch_page: FetchPage, nodes: Iterable[Node] | None = None) -> None:
        self._directory = os.path.join(root, WORKFLOW_DIRECTORY)
        self._fetch_page = fetch_page
        nodes = _cached_nodes() if nodes is None else nodes
        self._nodes = {node.type: node for node in sorted(nodes, key=lambda one: one.type)}

    async def list_nodes(self) -> Sequence[Node]:
        """All kinds of nodes, sorted by type."""
        return tuple(self._nodes.values())

    async def find_node(self, node_type: str) -> Node:
        """The node of a type; raises `ToolError` if the type is unknown."""
        if node_type not in self._nodes:
            raise ToolError(f"there is no node `{node_type}`; list_nodes shows those there are")
        return self._nodes[node_type]

    async def run_node(self, node_type: str, inputs: Values, progress: Progress) -> Values:
        """Run one node and return its outputs."""
        node = await self.find_node(node_type)
        try:
            return await node.run_node(inputs, NodeServices(self._fetch_page, progress))
        except AssentError:
            raise
        except Exception as error:
            raise ToolError(f"node `{node_type}` crashed: {type(error).__name__}") from error

    async def list_workflows(self) -> Sequence[Workflow]:
        """All readable workflows, sorted by id."""
        found: list[Workflow] = []
        for id in await FILE_THREADS.run_in_thread(self._workflow_ids):
            try:
                found.append(await self.find_workflow(id))
            except ToolError as error:
                _log.warning("a workflow is left out: %s", error)
        return found

    async def find_workflow(self, id: str) -> Workflow:
        """The workflow with an id; raises `ToolError` if there is none or its file is invalid."""
        path = os.path.join(self._directory, f"{id}.json")
        text = (
            None
            if "/" in id or "\0" in id
            else await FILE_THREADS.run_in_thread(read_text, path, id, _MAX_WORKFLOW_BYTES)
        )
        if text is None:
            raise ToolError(f"there is no workflow `{id}`; list_workflows shows those there are")
        return parse_workflow(id, text)

    async def run_workflow(self, id: str, params: Values, progress: Progress, *, digest: str = "") -> Values:
        """Run a workflow and return its outputs; raises `ToolError` if the file does not have this digest."""
        workflow = await self.find_workflow(id)
        if digest and digest != workflow.digest:
            raise ToolError(f"workflow `{id}` is not the one that was looked at: it has changed meanwhile")
        if issues := find_issues(workflow.params, params):
            raise ToolError("; ".join(f"{issue.path} {issue.message}" for issue in issues))
        step_outputs: dict[str, Values] = {}
        for number, step in enumerate(workflow.steps, start=1):
            await progress(f"{number}/{len(workflow.steps)} {step.id} ({step.type})\n")
            inputs = cast("Mapping[str, object]", fill_references(step.inputs, params, step_outputs))
            try:
                step_outputs[step.id] = await self.run_node(step.type, inputs, progress)
            except ToolError as error:
                raise ToolError(f"step `{step.id}` failed: {error}") from None
        outputs = workflow.outputs or {step.id: {"from": step.id} for step in workflow.steps[-1:]}
        return cast("Mapping[str, object]", fill_references(outputs, params, step_outputs))

    def _workflow_ids(self) -> list[str]:
        try:
            names = os.listdir(self._directory)
        except OSError:
            return []
        return sorted(name.removesuffix(".json") for name in names if name.endswith(".json"))


def installed_nodes() -> Iterator[Node]:
    """The built-in nodes and the nodes of installed packages; a package cannot replace a built-in node."""
    seen: set[str] = set()
    for node in (*BUILTIN_NODES, *_package_nodes()):
        if node.type not in seen:
            seen.add(node.type)
            yield node


def parse_workflow(id: str, text: str) -> Workflow:
    """Parse a workflow file; raises `ToolError` for a cycle, an unknown key or an unknown reference."""
    try:
        document = as_object(json.loads(text))
    except (ValueError, RecursionError):
        raise ToolError(f"workflow `{id}` is not JSON") from None
    if document is None or not _WORKFLOW_KEYS.issuperset(document):
        raise ToolError(
            f"workflow `{id}` must be an object of {', '.join(sorted(_WORKFLOW_KEYS))}, and nothing else"
        )
    steps = {step.id: step for step in _parse_steps(id, document)}
    outputs = as_object(document.get("outputs")) or {}
    return Workflow(
        id=id,
        title=str(document.get("title") or id),
        description=str(document.get("description") or ""),
        params=dict(as_object(document.get("params")) or {"type": "object"}),
        steps=_sort_steps(id, steps),
        outputs=_check_outputs(id, outputs, steps),
        digest=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
    )


def fill_references(
    value: object, params: Mapping[str, object], step_outputs: Mapping[str, Mapping[str, object]]
) -> object:
    """Replace each reference in a value with the parameter or step output that it names."""
    members = as_object(value)
    if members is not None and (reference := _parse_reference(members)) is not None:
        kind, name = reference
        if kind == "param":
            return params.get(name)
        step, _, output = name.partition(".")
        found = value_at_path(step_outputs.get(step, {}), output.split(".") if output else [])
        if found is MISSING:
            raise ToolError(f"step `{step}` gave no `{output}`")
        return found
    if members is not None:
        return {name: fill_references(one, params, step_outputs) for name, one in members.items()}
    each = as_list(value)
    return value if each is None else [fill_references(one, params, step_outputs) for one in each]


@cache
def _cached_nodes() -> tuple[Node, ...]:
    """The installed nodes; cached, because every run creates a kernel."""
    return tuple(installed_nodes())


def _package_nodes() -> Iterator[Node]:
    """Nodes of installed packages; a package that cannot be loaded is logged and skipped."""
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        try:
            loaded: object = entry.load()
        except Exception as error:  # noqa: BLE001 - a package that fails adds no nodes
            _log.warning("the nodes of `%s` could not be loaded: %s", entry.name, type(error).__name__)
            continue
        each = cast("Iterable[object]", loaded) if isinstance(loaded, (list, tuple)) else (loaded,)
        yield from (one for one in each if isinstance(one, Node))


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


def _sort_steps(id: str, steps: Mapping[str, WorkflowStep]) -> tuple[WorkflowStep, ...]:
    """Sort the steps by their references; raises `ToolError` for a cycle."""
    needs = {name: set(_source_steps(id, step.inputs, steps)) for name, step in steps.items()}
    try:
        return tuple(steps[name] for name in TopologicalSorter(needs).static_order())
    except CycleError as error:
        raise ToolError(f"workflow `{id}` has a cycle: {' -> '.join(error.args[1])}") from None


def _check_outputs(
    id: str, outputs: Mapping[str, object], steps: Mapping[str, WorkflowStep]
) -> Mapping[str, object]:
    """Return the outputs; raises `ToolError` if one refers to an unknown step."""
    list(_source_steps(id, outputs, steps))
    return outputs


def _source_steps(id: str, value: object, steps: Mapping[str, WorkflowStep]) -> Iterator[str]:
    """Ids of the steps whose outputs a value refers to."""
    members = as_object(value)
    if members is not None and (reference := _parse_reference(members)) is not None:
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


def _parse_reference(members: Mapping[str, object]) -> tuple[str, str] | None:
    """The kind and name of a reference such as `{"from": "step.output"}`; None for other objects."""
    if len(members) == 1:
        ((kind, name),) = members.items()
        if kind in ("from", "param") and isinstance(name, str):
            return kind, name
    return None
