"""Tests that recognise file edits by their arguments and compute the new text."""

import json
from collections.abc import Mapping

import pytest

from assent.config.tools import KNOWN_TOOLS
from assent.engine.base.tool import Call, Dialect, Effect, Tool
from assent.errors import AssentError
from assent.gate.file_preview import TextChange, file_edit

TEXT = "one\ntwo\ntwo\nthree\n"
NOTEBOOK = json.dumps(
    {"cells": [{"id": "a", "source": ["x = 1\n", "x"]}, {"id": "b", "source": "y = 2"}, {"source": None}]}
)


def make_edit(tool: str, args: Mapping[str, object], text: str | None = TEXT) -> TextChange:
    edit = file_edit(Call(tool=tool, args=args), KNOWN_TOOLS[tool], {})
    assert edit is not None
    return edit.compute_change(text)


def replace_args(old: str, new: str, **more: object) -> dict[str, object]:
    return {"file_path": "a.txt", "old_string": old, "new_string": new, **more}


@pytest.mark.parametrize(
    ("tool", "args", "after"),
    [
        ("Write", {"file_path": "a.txt", "content": "new\n"}, "new\n"),
        ("write_file", {"path": "a.txt", "content": "new\n"}, "new\n"),
        ("files.write", {"path": "a.txt", "content": "new\n"}, "new\n"),
        ("Edit", replace_args("three", "3"), "one\ntwo\ntwo\n3\n"),
        ("Edit", replace_args("two", "2", replace_all=True), "one\n2\n2\nthree\n"),
        (
            "MultiEdit",
            {"file_path": "a.txt", "edits": [replace_args("one", "1"), replace_args("1\ntwo", "0")]},
            "0\ntwo\nthree\n",
        ),
    ],
)
@pytest.mark.proves("T-49")
def test_the_computed_text_equals_the_result_of_the_tool(
    tool: str, args: Mapping[str, object], after: str
) -> None:
    assert make_edit(tool, args) == TextChange(TEXT, after)


@pytest.mark.parametrize(
    ("args", "text", "why"),
    [
        (replace_args("four", "4"), TEXT, "the text to replace is not in the file"),
        (replace_args("two", "2"), TEXT, "the text to replace is in the file 2 times"),
        (replace_args("one", "1"), None, "the text to replace is not in the file"),
        (replace_args("", "new"), TEXT, "the text to replace is empty, but the file is not"),
    ],
)
@pytest.mark.proves("T-49")
def test_an_edit_that_cannot_be_applied_raises_an_error_with_the_reason(
    args: Mapping[str, object], text: str | None, why: str
) -> None:
    with pytest.raises(AssentError) as error:
        make_edit("Edit", args, text)
    assert str(error.value) == why


def test_an_edit_with_an_empty_old_text_creates_a_file() -> None:
    assert make_edit("Edit", replace_args("", "new\n"), None) == TextChange("", "new\n")


@pytest.mark.parametrize(
    ("args", "found"),
    [
        ({"cell_id": "a", "new_source": "z"}, TextChange("x = 1\nx", "z", "cell 1")),
        ({"cell_number": 1, "new_source": "z"}, TextChange("y = 2", "z", "cell 2")),
        ({"cell_number": 2, "new_source": "z"}, TextChange("", "z", "cell 3")),
        ({"cell_id": "b", "new_source": "", "edit_mode": "delete"}, TextChange("y = 2", "", "cell 2")),
        ({"cell_id": "a", "new_source": "z", "edit_mode": "insert"}, TextChange("", "z", "new cell 2")),
        ({"new_source": "z", "edit_mode": "insert"}, TextChange("", "z", "new cell 1")),
    ],
)
def test_a_notebook_edit_compares_only_its_cell(args: Mapping[str, object], found: TextChange) -> None:
    assert make_edit("NotebookEdit", {"notebook_path": "n.ipynb", **args}, NOTEBOOK) == found


@pytest.mark.parametrize(
    ("args", "text", "why"),
    [
        ({"cell_id": "c"}, NOTEBOOK, "the cell is not in the notebook"),
        ({"cell_number": 9}, NOTEBOOK, "the cell is not in the notebook"),
        ({"cell_id": "a"}, "{", "the file is not a notebook"),
        ({"cell_id": "a"}, "[]", "the file is not a notebook"),
        ({"cell_id": "a"}, None, "the file is not a notebook"),
    ],
)
def test_an_unknown_notebook_cell_is_an_error(args: Mapping[str, object], text: str | None, why: str) -> None:
    with pytest.raises(AssentError, match=why):
        make_edit("NotebookEdit", {"notebook_path": "n.ipynb", "new_source": "z", **args}, text)


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        (KNOWN_TOOLS["Bash"], {"command": "echo > a.txt", "content": "x"}),
        (KNOWN_TOOLS["Read"], {"file_path": "a.txt", "content": "x"}),
        (KNOWN_TOOLS["Write"], {"content": "x"}),
        (KNOWN_TOOLS["Write"], {"file_path": "a.txt"}),
        (KNOWN_TOOLS["Write"], {"file_path": ["a.txt"], "content": "x"}),
        (KNOWN_TOOLS["MultiEdit"], {"file_path": "a.txt", "edits": []}),
        (
            KNOWN_TOOLS["MultiEdit"],
            {"file_path": "a.txt", "edits": [replace_args("a", "b"), {"old_string": "x"}]},
        ),
        (KNOWN_TOOLS["files.delete"], {"path": "a.txt"}),
        (
            Tool(name="t", effect=Effect.WRITE, dialect=Dialect.PATH, reads=True),
            {"path": "a", "content": "x"},
        ),
        (
            Tool(name="t", effect=Effect.WRITE, dialect=Dialect.PATH, template="{a}{b}"),
            {"a": "a", "b": "b", "content": "x"},
        ),
    ],
)
def test_a_call_that_edits_no_single_file_has_no_preview(tool: Tool, args: Mapping[str, object]) -> None:
    assert file_edit(Call(tool=tool.name, args=args), tool, {}) is None


def test_a_host_can_define_the_edit_of_its_own_tool() -> None:
    tool = KNOWN_TOOLS["apply_change"]
    call = Call(tool=tool.name, args={"path": "a.txt", "loud": True})

    edit = file_edit(
        call, tool, {"apply_change": lambda args, name, text: f"{name} {len(args)} {text.upper()}"}
    )

    assert edit is not None
    assert edit.compute_change("b") == TextChange("b", "a.txt 2 B")
    with pytest.raises(AssentError, match="there is no such file"):
        edit.compute_change(None)
