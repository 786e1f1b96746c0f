"""The kernel: nodes of packages, and workflows that run in the right order."""

import json
from pathlib import Path

import pytest

from assent.hosts.chat.kernel.kernel import LocalKernel, installed_nodes
from assent.hosts.chat.kernel.node import Node, NodeServices
from assent.hosts.chat.kernel.workflow import read_workflow
from assent.hosts.chat.tools import schema
from assent.hosts.chat.tools.context import ToolError, ignore_progress
from assent.hosts.chat.tools.kernel_port import FetchedPage, Values, kernel_tools
from tests.hosts.chat.tools.support import a_context, a_kernel, named, told, workspace

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


async def no_web(url: str) -> FetchedPage:
    raise AssertionError(url)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return workspace(tmp_path)


async def test_a_package_node_that_crashes_is_an_error(root: Path) -> None:
    async def crash(inputs: Values, services: NodeServices) -> Values:
        raise ZeroDivisionError("boom")

    broken = Node(type="x.crash", description="", inputs=schema.object_of({}), outputs={}, work=crash)
    kernel = LocalKernel(str(root), no_web, [broken])

    with pytest.raises(ToolError, match=r"node `x\.crash` crashed: ZeroDivisionError"):
        await kernel.run_node("x.crash", {}, ignore_progress)


def test_nodes_come_from_installed_packages_but_take_no_shipped_ones_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "more_nodes.py").write_text(
        "from assent.hosts.chat.kernel.node import Node, pure_work\n"
        "mine = [Node(type=t, description='mine', inputs={}, outputs={}, work=pure_work(dict))"
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


async def test_a_workflow_runs_each_step_after_what_it_needs_and_reports_progress(root: Path) -> None:
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
        ({"a": {"type": "x", "inputs": {"v": {"from": "b.v"}}}, "b": {"type": "x", "inputs": {"v": {"from": "a.v"}}}}, "has a cycle"),
        ({"a": {"type": "x", "inputs": {"v": [{"from": "a.v"}]}}}, "has a cycle"),
        ({"a": {"type": "x", "inputs": {"v": {"w": {"from": "nobody.v"}}}}}, "which is not one of its nodes"),
        ({"a": {"inputs": {}}}, "needs a `type`"),
        ({"a.b": {"type": "x"}}, "no dot in its name"),
        ({}, "must have 1 to 200 nodes"),
    ],
)  # fmt: skip
def test_a_graph_that_cannot_run_is_refused_before_anything_does(nodes: object, said: str) -> None:
    with pytest.raises(ToolError, match=said):
        read_workflow("w", json.dumps({"nodes": nodes}))


@pytest.mark.parametrize("text", ["{", "[]", '{"nodes": {"a": {"type": "x"}}, "shell": "rm"}', "[" * 100_000])
def test_a_file_that_is_no_workflow_is_refused(text: str) -> None:
    with pytest.raises(ToolError, match="workflow `w`"):
        read_workflow("w", text)


async def test_a_step_that_fails_ends_the_workflow_and_is_named(root: Path) -> None:
    save(root, "w", {"nodes": {"bad": {"type": "json.parse", "inputs": {"text": "{"}}}})

    with pytest.raises(ToolError, match="step `bad` failed: "):
        await a_kernel(root).run_workflow("w", {}, ignore_progress)


async def test_a_workflow_that_changed_since_it_was_looked_at_does_not_run(root: Path) -> None:
    save(root, "greet", GREETING)
    kernel = a_kernel(root)
    seen = await kernel.workflow("greet")
    save(root, "greet", {**GREETING, "title": "Other"})

    with pytest.raises(ToolError, match="it has changed meanwhile"):
        await kernel.run_workflow("greet", {"table": TABLE}, ignore_progress, digest=seen.digest)


@pytest.mark.parametrize("id", ["../../outside", "no", "a/b", "\0", "link"])
async def test_an_id_leads_to_no_other_place(root: Path, id: str) -> None:
    save(root, "greet", GREETING)
    (root.parent / "secret.json").write_text(json.dumps(GREETING), "utf-8")
    (root / ".assent" / "workflows" / "link.json").symlink_to(root.parent / "secret.json")

    with pytest.raises(ToolError):
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
