"""Mutation testing changes code in typical small ways."""

import ast
from pathlib import Path

import pytest

from tools.mutate import make_mutants


@pytest.mark.parametrize(
    ("source", "broken"),
    [
        ("x = a == b", ["x = a != b"]),
        ("x = a and b", ["x = a or b"]),
        ("x = not a", ["x = not not a"]),
        ("x = max(a)", ["x = min(a)"]),
        ("x = Verdict.DENY", ["x = Verdict.ASK"]),
        ("x = [y for y in z if y]", ["x = [y for y in z]"]),
        ("x = a if b else c", ["x = a if False else c", "x = a if True else c"]),
        ("def f():\n    return 1", ["def f():\n    return None", "def f():\n    return 2"]),
        ('"""Words."""', []),
        (
            "@frozen(True)\ndef f(x: int = 0) -> 1:\n    pass",
            ["@frozen(True)\ndef f(x: int=1) -> 1:\n    pass"],
        ),
    ],
)
def test_each_way_to_break_a_line_is_tried_once(source: str, broken: list[str], tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(source, "utf-8")

    assert [ast.unparse(mutant.tree) for mutant in make_mutants(module)] == broken
