"""The kernel: nodes of packages, and workflows that run in the right order."""

import json
from pathlib import Path

import pytest

from assent.hosts.chat.kernel.kernel import LocalKernel, installed_nodes, parse_workflow
from assent.hosts.chat.kernel.nodes import Node, NodeServices
from assent.hosts.chat.tools import schema
from assent.hosts.chat.tools.kernel_port import FetchedPage, Values, kernel_tools
from assent.hosts.chat.tools.tool import ToolError, ignore_progress
from tests.hosts.chat.tools.support import find_tool, make_context, make_kernel, succeeded_and_text, workspace

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


def save_workflow(root: Path, id: str, workflow: object) -> Path:
    path = root / ".assent" / "workflows" / f"{id}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(workflow if isinstance(workflow, str) else json.dumps(workflow), "utf-8")
    return path


async def refuse_fetch(url: str) -> FetchedPage:
    raise AssertionError(url)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return workspace(tmp_path)


async def test_a_package_node_that_crashes_is_an_error(root: Path) -> None:
    async def raise_error(inputs: Values, services: NodeServices) -> Values:
        raise ZeroDivisionError("boom")

    broken = Node(
        type="x.crash", description="", inputs=schema.object_schema({}), outputs={}, work=raise_error
    )
    kernel = LocalKernel(str(root), refuse_fetch, [broken])

    with pytest.raises(ToolError, match=r"node `x\.crash` crashed: ZeroDivisionError"):
        await kernel.run_node("x.crash", {}, ignore_progress)


def test_packages_add_nodes_but_cannot_replace_builtin_nodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "more_nodes.py").write_text(
        "from assent.hosts.chat.kernel.nodes import Node, ignore_services\n"
        "mine = [Node(type=t, description='mine', inputs={}, outputs={}, work=ignore_services(dict))"
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


async def test_a_workflow_runs_steps_in_order_of_their_inputs_and_reports_progress(root: Path) -> None:
    save_workflow(root, "greet", GREETING)
    heard: list[str] = []

    async def record_progress(text: str) -> None:
        heard.append(text)

    given = await make_kernel(root).run_workflow("greet", {"table": TABLE}, record_progress)

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
def test_an_invalid_workflow_graph_is_refused_before_any_step_runs(nodes: object, said: str) -> None:
    with pytest.raises(ToolError, match=said):
        parse_workflow("w", json.dumps({"nodes": nodes}))


@pytest.mark.parametrize("text", ["{", "[]", '{"nodes": {"a": {"type": "x"}}, "shell": "rm"}', "[" * 100_000])
def test_a_file_that_is_not_a_workflow_is_refused(text: str) -> None:
    with pytest.raises(ToolError, match="workflow `w`"):
        parse_workflow("w", text)


async def test_a_step_that_fails_ends_the_workflow_and_is_named(root: Path) -> None:
    save_workflow(root, "w", {"nodes": {"bad": {"type": "json.parse", "inputs": {"text": "{"}}}})

    with pytest.raises(ToolError, match="step `bad` failed: "):
        await make_kernel(root).run_workflow("w", {}, ignore_progress)


async def test_a_workflow_that_changed_since_it_was_read_does_not_run(root: Path) -> None:
    save_workflow(root, "greet", GREETING)
    kernel = make_kernel(root)
    seen = await kernel.find_workflow("greet")
    save_workflow(root, "greet", {**GREETING, "title": "Other"})

    with pytest.raises(ToolError, match="it has changed meanwhile"):
        await kernel.run_workflow("greet", {"table": TABLE}, ignore_progress, digest=seen.digest)


@pytest.mark.parametrize("id", ["../../outside", "no", "a/b", "\0", "link"])
async def test_a_workflow_id_cannot_be_a_path(root: Path, id: str) -> None:
    save_workflow(root, "greet", GREETING)
    (root.parent / "secret.json").write_text(json.dumps(GREETING), "utf-8")
    (root / ".assent" / "workflows" / "link.json").symlink_to(root.parent / "secret.json")

    with pytest.raises(ToolError):
        await make_kernel(root).find_workflow(id)


@pytest.mark.supports("R000-8", "R000-13")
async def test_the_kernel_tools_list_show_and_run_nodes_and_workflows(root: Path) -> None:
    save_workflow(root, "greet", GREETING)
    save_workflow(root, "broken", "{")
    tools = kernel_tools(make_kernel(root))
    context = make_context(root)

    nodes = await find_tool(tools, "list_nodes").run_call({}, context)
    node = await find_tool(tools, "get_node").run_call({"node_type": "text.split"}, context)
    ran = await find_tool(tools, "run_node").run_call(
        {"node_type": "hash.digest", "inputs": {"text": "abc", "algorithm": "sha1"}}, context
    )
    workflows = await find_tool(tools, "list_workflows").run_call({}, context)
    workflow = await find_tool(tools, "get_workflow").run_call({"workflow_id": "greet"}, context)
    outputs = await find_tool(tools, "run_workflow").run_call(
        {"workflow_id": "greet", "params": {"table": TABLE}, "digest": workflow.data["digest"]}, context
    )
    wrong = await find_tool(tools, "run_workflow").run_call({"workflow_id": "greet", "params": {}}, context)

    assert "text.template: Fill values into a template" in nodes.text
    assert node.data["outputs"] == {"parts": "the pieces", "count": "the number of pieces"}
    assert ran.data == {"digest": "a9993e364706816aba3e25717850c26c9cd0d89d"}
    assert succeeded_and_text(workflows) == (True, "greet: Greet - Greets everybody in a table.")
    assert workflow.data["steps"][0]["id"] == "rows"  # type: ignore[index]
    assert outputs.data["greeting"] == "Hello Ana, 2 of you!"
    assert succeeded_and_text(wrong) == (False, "table is missing")
