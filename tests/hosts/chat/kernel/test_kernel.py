"""The kernel: nodes that do what they say, and workflows that run in an order that can be."""

import json
from pathlib import Path

import pytest

from assent.hosts.chat.belt import schema
from assent.hosts.chat.belt.addresses import Guard
from assent.hosts.chat.belt.context import unheard
from assent.hosts.chat.belt.fault import FaultError
from assent.hosts.chat.belt.fetch import Fetcher
from assent.hosts.chat.belt.nodes import kernel_tools
from assent.hosts.chat.kernel.graph import read_workflow
from assent.hosts.chat.kernel.local import LocalKernel, installed_nodes
from assent.hosts.chat.kernel.node import Bench, Node, Values
from tests.hosts.chat.belt.scene import a_context, a_kernel, named, told, workspace

GREETING = {
    "title": "Greet",
    "description": "Greets everybody in a table.",
    "params": {"type": "object", "properties": {"table": {"type": "string"}}, "required": ["table"]},
    "nodes": {
        "greet": {
            "type": "text.template",
            "inputs": {"template": "Hello {who}, {count} of you!", "values": {"who": {"from": "first.value"}, "count": {"from": "names.count"}}},
        },
        "first": {"type": "json.query", "inputs": {"value": {"from": "rows.rows"}, "path": "0.name"}},
        "rows": {"type": "csv.read", "inputs": {"text": {"param": "table"}}},
        "names": {"type": "list.filter", "inputs": {"rows": {"from": "rows.rows"}, "path": "here", "equals": "yes"}},
    },
    "outputs": {"greeting": {"from": "greet.text"}, "columns": {"from": "rows.columns"}},
}  # fmt: skip
TABLE = "name,here\nAna,yes\nBo,no\nCy,yes\n"


def save(root: Path, id: str, workflow: object) -> Path:
    path = root / ".assent" / "workflows" / f"{id}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(workflow if isinstance(workflow, str) else json.dumps(workflow), "utf-8")
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return workspace(tmp_path)


async def test_a_node_of_somebody_elses_that_crashes_is_a_fault(root: Path) -> None:
    async def crash(inputs: Values, bench: Bench) -> Values:
        raise ZeroDivisionError("boom")

    broken = Node(type="x.crash", description="", inputs=schema.record({}), outputs={}, work=crash)
    kernel = LocalKernel(str(root), Fetcher(Guard(), most=1), [broken])

    with pytest.raises(FaultError, match=r"node `x\.crash` crashed: ZeroDivisionError"):
        await kernel.run_node("x.crash", {}, unheard)


def test_nodes_come_from_installed_packages_but_take_no_shipped_ones_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "more_nodes.py").write_text(
        "from assent.hosts.chat.kernel.node import Node, pure\n"
        "mine = [Node(type=t, description='mine', inputs={}, outputs={}, work=pure(dict))"
        " for t in ('mine.echo', 'text.split')]\n",
        "utf-8",
    )
    info = tmp_path / "more_nodes-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: more-nodes\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(
        "[assent.nodes]\nmine = more_nodes:mine\nbroken = no_such_module:nodes\n", "utf-8"
    )
    monkeypatch.syspath_prepend(str(tmp_path))

    found = {node.type: node.description for node in installed_nodes()}

    assert found["mine.echo"] == "mine"
    assert found["text.split"] != "mine"


async def test_a_workflow_runs_each_step_after_what_it_needs_and_says_how_far_it_is(root: Path) -> None:
    save(root, "greet", GREETING)
    heard: list[str] = []

    async def progress(text: str) -> None:
        heard.append(text)

    given = await a_kernel(root).run_workflow("greet", {"table": TABLE}, progress)

    assert given == {"greeting": "Hello Ana, 2 of you!", "columns": ["name", "here"]}
    assert heard[0] == "1/4 rows (csv.read)\n"
    assert heard[-1] == "4/4 greet (text.template)\n"


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ({"a": {"type": "x", "inputs": {"v": {"from": "b.v"}}}, "b": {"type": "x", "inputs": {"v": {"from": "a.v"}}}}, "goes in a circle"),
        ({"a": {"type": "x", "inputs": {"v": [{"from": "a.v"}]}}}, "goes in a circle"),
        ({"a": {"type": "x", "inputs": {"v": {"w": {"from": "nobody.v"}}}}}, "which is not one of its nodes"),
        ({"a": {"inputs": {}}}, "needs a `type`"),
        ({"a.b": {"type": "x"}}, "no dot in its name"),
        ({}, "must have 1 to 200 nodes"),
    ],
)  # fmt: skip
def test_a_graph_that_cannot_run_is_refused_before_anything_does(nodes: object, said: str) -> None:
    with pytest.raises(FaultError, match=said):
        read_workflow("w", json.dumps({"nodes": nodes}))


@pytest.mark.parametrize("text", ["{", "[]", '{"nodes": {"a": {"type": "x"}}, "shell": "rm"}', "[" * 100_000])
def test_a_file_that_is_no_workflow_is_refused(text: str) -> None:
    with pytest.raises(FaultError, match="workflow `w`"):
        read_workflow("w", text)


async def test_a_step_that_fails_ends_the_workflow_and_is_named(root: Path) -> None:
    save(root, "w", {"nodes": {"bad": {"type": "json.parse", "inputs": {"text": "{"}}}})

    with pytest.raises(FaultError, match="step `bad` failed: "):
        await a_kernel(root).run_workflow("w", {}, unheard)


async def test_a_workflow_that_changed_since_it_was_looked_at_does_not_run(root: Path) -> None:
    save(root, "greet", GREETING)
    kernel = a_kernel(root)
    seen = await kernel.workflow("greet")
    save(root, "greet", {**GREETING, "title": "Other"})

    with pytest.raises(FaultError, match="it has changed meanwhile"):
        await kernel.run_workflow("greet", {"table": TABLE}, unheard, digest=seen.digest)


@pytest.mark.parametrize("id", ["../../outside", "no", "a/b", "\0", "link"])
async def test_an_id_leads_to_no_other_place(root: Path, id: str) -> None:
    save(root, "greet", GREETING)
    (root.parent / "secret.json").write_text(json.dumps(GREETING), "utf-8")
    (root / ".assent" / "workflows" / "link.json").symlink_to(root.parent / "secret.json")

    with pytest.raises(FaultError):
        await a_kernel(root).workflow(id)


@pytest.mark.proves("R000-8", "R000-13")
async def test_the_six_tools_list_show_and_run(root: Path) -> None:
    save(root, "greet", GREETING)
    save(root, "broken", "{")
    tools = kernel_tools(a_kernel(root))
    context = a_context(root)

    nodes = await named(tools, "list_nodes").run({}, context)
    node = await named(tools, "get_node").run({"node_type": "text.split"}, context)
    ran = await named(tools, "run_node").run(
        {"node_type": "hash.digest", "inputs": {"text": "abc", "algorithm": "sha1"}}, context
    )
    workflows = await named(tools, "list_workflows").run({}, context)
    workflow = await named(tools, "get_workflow").run({"workflow_id": "greet"}, context)
    outputs = await named(tools, "run_workflow").run(
        {"workflow_id": "greet", "params": {"table": TABLE}, "digest": workflow.data["digest"]}, context
    )
    wrong = await named(tools, "run_workflow").run({"workflow_id": "greet", "params": {}}, context)

    assert "text.template: Fill values into a template" in nodes.text
    assert node.data["outputs"] == {"parts": "the pieces", "count": "how many"}
    assert ran.data == {"digest": "a9993e364706816aba3e25717850c26c9cd0d89d"}
    assert told(workflows) == (True, "greet: Greet - Greets everybody in a table.")
    assert workflow.data["steps"][0]["id"] == "rows"  # type: ignore[index]
    assert outputs.data["greeting"] == "Hello Ana, 2 of you!"
    assert told(wrong) == (False, "table is missing")
