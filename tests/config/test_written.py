"""A call can be written the way rules are written, and then it means what is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.config.tools import KNOWN
from assent.config.written import split_call, with_specifier, written_call
from assent.engine.model import Call, Dialect, Tool
from assent.engine.template import render
from assent.errors import InputError


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("Bash(npm run build)", ("Bash", "npm run build")),
        ("Bash(echo $(ls) | cat)", ("Bash", "echo $(ls) | cat")),
        ("Bash(a\nb)", ("Bash", "a\nb")),
        ("Bash", ("Bash", None)),
        ("Bash()", ("Bash", "")),
        ("  mcp__a__b(x=1) ", ("mcp__a__b", "x=1")),
    ],
)
def test_a_call_is_a_tool_and_its_specifier(text: str, call: tuple[str, str | None]) -> None:
    assert split_call(text) == call


@pytest.mark.parametrize(
    "text", ["git status", "", "(x)", "Bash(x", "Bash x)", "Bash(x) y", "a" * 129, "B*(x)"]
)
def test_what_is_no_call_is_an_error(text: str) -> None:
    with pytest.raises(InputError, match=r"expected `Tool` or `Tool\(specifier\)`"):
        split_call(text)


@pytest.mark.parametrize("tool", KNOWN.values(), ids=KNOWN)
@given(specifier=st.text(min_size=1))
def test_the_specifier_of_a_written_call_is_what_was_written(tool: Tool, specifier: str) -> None:
    meant, args = with_specifier(tool, specifier)

    if meant.template is not None or meant.dialect is not Dialect.TEXT:
        assert render(meant, args) == specifier


def test_a_specifier_goes_where_the_tool_looks_for_it() -> None:
    assert with_specifier(KNOWN["Bash"], "ls") == (KNOWN["Bash"], {"command": "ls"})
    assert with_specifier(KNOWN["NotebookEdit"], "a.ipynb")[1] == {"notebook_path": "a.ipynb"}
    assert with_specifier(Tool(name="x", dialect=Dialect.PATH), "a")[1] == {"path": "a"}
    assert with_specifier(KNOWN["Bash"], None) == (KNOWN["Bash"], {})


def test_named_arguments_become_arguments() -> None:
    tool = Tool(name="mcp__github__create_issue")

    assert with_specifier(tool, "repo=acme/x, labels=bug") == (tool, {"repo": "acme/x", "labels": "bug"})


def test_a_template_of_several_arguments_is_taken_as_one() -> None:
    tool = Tool(name="move", template="{source} {target}")

    meant, args = with_specifier(tool, "a b")

    assert render(meant, args) == "a b"


def test_a_written_call_brings_the_tools_under_which_it_is_meant() -> None:
    tools = {"move": Tool(name="move", template="{source} {target}"), "Bash": KNOWN["Bash"]}

    call, meant = written_call("move(a b)", tools)

    assert call == Call(tool="move", args={"specifier": "a b"})
    assert meant["move"].template == "{specifier}"
    assert written_call("Bash(ls)", tools) == (Call(tool="Bash", args={"command": "ls"}), tools)


def test_a_tool_that_nobody_knows_stays_unknown() -> None:
    call, tools = written_call("nothing(x)", {})

    assert (call.tool, tools) == ("nothing", {})
