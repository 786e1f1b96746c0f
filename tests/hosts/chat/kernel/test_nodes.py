"""The shipped nodes: their outputs, and their errors for bad inputs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from assent.hosts.chat.kernel.nodes import Values
from assent.hosts.chat.tools.tool import ToolError, ignore_progress
from tests.hosts.chat.tools.support import Site, make_kernel, run_site


@pytest.fixture
def site() -> Iterator[Site]:
    with run_site() as running:
        yield running


@pytest.mark.parametrize(
    ("node", "inputs", "outputs"),
    [
        ("text.template", {"template": "{a} {b} {a.__class__}", "values": {"a": 1}}, {"text": "1 {b} {a.__class__}"}),
        ("text.split", {"text": "a,b", "separator": ","}, {"parts": ["a", "b"], "count": 2}),
        ("text.join", {"parts": ["a", 1], "separator": "-"}, {"text": "a-1"}),
        ("text.replace", {"text": "aba", "old": "a", "new": "c"}, {"text": "cbc", "count": 2}),
        ("text.count", {"text": "a b\nc"}, {"characters": 5, "words": 3, "lines": 2}),
        ("json.parse", {"text": '{"a": [1]}'}, {"value": {"a": [1]}}),
        ("json.query", {"value": {"a": [{"b": 2}]}, "path": "a.0.b"}, {"value": 2, "found": True}),
        ("json.query", {"value": {}, "path": "a"}, {"value": None, "found": False}),
        ("json.set", {"record": {"a": 1}, "path": "b.c", "value": 2}, {"record": {"a": 1, "b": {"c": 2}}}),
        ("csv.read", {"text": "a;b\n1;2\n", "separator": ";"}, {"rows": [{"a": "1", "b": "2"}], "columns": ["a", "b"]}),
        ("csv.write", {"rows": [{"a": 1}, {"b": "x,y"}]}, {"text": 'a,b\n1,\n,"x,y"\n'}),
        ("list.sort", {"rows": [{"n": 2}, {"n": 1}, {}], "path": "n"}, {"rows": [{"n": 1}, {"n": 2}, {}]}),
        ("list.sort", {"rows": [1, 3, 2], "descending": True}, {"rows": [3, 2, 1]}),
        ("list.filter", {"rows": [{"a": 1}, {"a": 2}], "path": "a", "equals": 2}, {"rows": [{"a": 2}], "count": 1}),
        ("date.shift", {"date": "2028-02-28", "days": 1}, {"date": "2028-02-29", "weekday": "Tuesday"}),
        ("date.shift", {"date": "2026-01-01T00:30", "hours": -1}, {"date": "2025-12-31T23:30:00", "weekday": "Wednesday"}),
        ("date.between", {"first": "2026-01-01", "last": "2025-12-25"}, {"days": -7}),
        ("hash.digest", {"text": "abc", "algorithm": "md5"}, {"digest": "900150983cd24fb0d6963f7d28e17f72"}),
        (
            "math.stats",
            {"numbers": [1, 2, 3, 6]},
            {"count": 4, "sum": 12, "mean": 3.0, "median": 2.5, "least": 1, "most": 6, "deviation": pytest.approx(1.8708286)},
        ),
    ],
)  # fmt: skip
async def test_each_builtin_node_computes_its_outputs(
    tmp_path: Path, node: str, inputs: Values, outputs: Values
) -> None:
    assert await make_kernel(tmp_path).run_node(node, inputs, ignore_progress) == outputs


async def test_the_web_node_uses_the_same_address_guard(tmp_path: Path, site: Site) -> None:
    site.page("/", "<p>hello</p>")

    got = await make_kernel(tmp_path, site.endpoint).run_node(
        "http.get", {"url": site.url()}, ignore_progress
    )

    assert (got["status"], got["text"]) == (200, "hello")
    with pytest.raises(ToolError, match="private address"):
        await make_kernel(tmp_path).run_node("http.get", {"url": site.url()}, ignore_progress)


@pytest.mark.parametrize(
    ("node", "inputs"),
    [
        ("json.parse", {"text": "{"}),
        ("math.stats", {"numbers": []}),
        ("math.stats", {"numbers": ["x"]}),
        ("date.shift", {"date": "yesterday"}),
        ("date.shift", {"date": "9999-12-31", "days": 1}),
        ("text.split", {"text": "a", "separator": ""}),
        ("no.such", {}),
    ],
)
async def test_invalid_inputs_of_a_node_are_an_error(tmp_path: Path, node: str, inputs: Values) -> None:
    with pytest.raises(ToolError):
        await make_kernel(tmp_path).run_node(node, inputs, ignore_progress)
