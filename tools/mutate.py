"""Mutation testing: change the deciding code in small ways, and count the changes that a test detects."""

import argparse
import ast
import copy
import importlib.abc
import importlib.machinery
import importlib.util
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hypothesis  # noqa: F401 - imported before forking, so that no child pays for it
import pytest

ROOT = Path(__file__).resolve().parent.parent
DEFAULT_MODULES = [f"src/assent/engine/{noun}.py" for noun in ("decide", "stages", "policy/rule_set")]
# The tests that detect most mutants run first; a mutant survives if all tests pass.
TEST_PATHS = [
    *(f"tests/engine/test_{noun}.py" for noun in ("decide", "parsing", "stages", "model", "laws")),
    "tests/engine/policy/test_rule_set.py",
    "tests/golden",
]
TIME_FACTOR = 5
"""Time limit of a mutant, as a multiple of the time of the original code; a timeout counts as detected."""
PARALLEL_JOBS = min(os.cpu_count() or 1, 4)

_REPLACED_OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.BitOr: ast.BitAnd,
}  # fmt: skip
_REPLACED_NAMES = {"max": "min", "min": "max", "any": "all", "all": "any"}
_REPLACED_VERDICTS = {"RUN": "ASK", "ASK": "RUN", "DENY": "ASK", "ABSENT": "DENY"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module with one small change, and a description of the change."""

    path: Path
    line: int
    change: str
    tree: ast.Module


def make_mutants(path: Path) -> Iterator[Mutant]:
    """Make all mutants of a module; annotations and decorators are not changed."""
    original = ast.parse(path.read_text("utf-8"))
    for position, candidate in enumerate(_mutable_nodes(original)):
        for choice in range(2):
            if not _mutate_node(
                copy.deepcopy(candidate), choice
            ):  # Copy the module only if a mutation exists.
                break
            tree = copy.deepcopy(original)
            node = list(_mutable_nodes(tree))[position]
            line = getattr(node, "lineno", 0)
            before = ast.unparse(node)
            _mutate_node(node, choice)
            if (after := ast.unparse(node)) == before:
                break
            yield Mutant(path, line, f"`{_short_text(before)}` became `{_short_text(after)}`", tree)


def start_tests(mutant: Mutant | None, judges: Sequence[str], *, seconds: int) -> int:
    """Fork a process that runs the tests with the mutant; it exits with 0 if all tests pass.

    Returns the id of the process.
    """
    child = os.fork()
    if child:
        return child
    signal.alarm(seconds)
    if mutant:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        sys.meta_path.insert(0, _MutantFinder(mutant))
    early = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # Hypothesis was imported before pytest.
    quick = ["-x", "-q", "-o", "cache_dir=.cache/mutate", "-p", "no:xdist", *early]
    os._exit(1 if pytest.main([*quick, *judges]) else 0)


def main(arguments: Sequence[str]) -> int:
    """Test every mutant of the given modules; print the survivors and the score."""
    parser = argparse.ArgumentParser(prog="./dev mutate", description=__doc__)
    parser.add_argument("modules", nargs="*", default=DEFAULT_MODULES, help="modules to break")
    parser.add_argument("--tests", nargs="+", default=TEST_PATHS, help="tests that should notice")
    options = parser.parse_args(arguments)
    os.chdir(ROOT)
    judges = [test for test in options.tests if Path(test.partition("::")[0]).exists()]
    began = time.monotonic()
    if os.waitpid(start_tests(None, judges, seconds=3600), 0)[1]:
        print("mutate: the tests fail before anything was broken")
        return 1
    seconds = 10 + round(TIME_FACTOR * (time.monotonic() - began))
    found = [mutant for module in options.modules for mutant in make_mutants(ROOT / module)]
    noticed = len(found) - _count_survivors(found, judges, seconds)
    print(f"mutation score: {100 * noticed / max(len(found), 1):.1f} % ({noticed} of {len(found)} noticed)")
    return 0


class _MutantFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """An import finder that loads the mutant instead of the original module."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant
        self.name = ".".join(mutant.path.relative_to(ROOT / "src").with_suffix("").parts)

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        del path, target
        return importlib.util.spec_from_loader(fullname, self) if fullname == self.name else None

    def exec_module(self, module: object) -> None:
        exec(compile(self.mutant.tree, str(self.mutant.path), "exec"), vars(module))


def _count_survivors(found: list[Mutant], judges: Sequence[str], seconds: int) -> int:
    """Test each mutant, print the survivors, and return their number."""
    running: dict[int, Mutant] = {}
    survivors = 0
    waiting = list(reversed(found))
    began = time.monotonic()
    while waiting or running:
        while waiting and len(running) < PARALLEL_JOBS:
            mutant = waiting.pop()
            running[start_tests(mutant, judges, seconds=seconds)] = mutant
        child, status = os.wait()
        mutant = running.pop(child)
        if status == 0:
            survivors += 1
            print(f"survived: {mutant.path.relative_to(ROOT)}:{mutant.line}: {mutant.change}", flush=True)
        _show_progress(len(found) - len(waiting) - len(running), len(found), time.monotonic() - began)
    return survivors


def _show_progress(done: int, total: int, seconds: float) -> None:
    if sys.stderr.isatty():
        print(
            f"\r{done} of {total}, {seconds:.0f} s",
            end="" if done < total else "\n",
            file=sys.stderr,
            flush=True,
        )
    elif done % 25 == 0:
        print(f"{done} of {total}, {seconds:.0f} s", file=sys.stderr, flush=True)


def _mutable_nodes(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    skipped = {"annotation", "returns", "decorator_list"}
    for name, value in ast.iter_fields(node):
        if name in skipped:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _mutable_nodes(child)


def _mutate_node(node: ast.AST, choice: int) -> bool:
    """Apply the n-th mutation to a node in place; returns False if there is none."""
    match node:
        case ast.Compare(ops=[operator, *_]) if choice == 0:
            node.ops[0] = _replaced_operator(operator)
        case ast.BoolOp() if choice == 0:
            node.op = _replaced_operator(node.op)
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.BitOr()) if choice == 0:
            node.op = _replaced_operator(node.op)
        case ast.UnaryOp(op=ast.Not()) if choice == 0:
            node.operand = ast.UnaryOp(ast.Not(), node.operand)
        case ast.Constant(value=bool(value)) if choice == 0:
            node.value = not value
        case ast.Constant(value=int(value)) if choice == 0:
            node.value = value + 1
        case ast.Name(id=name) if choice == 0 and name in _REPLACED_NAMES:
            node.id = _REPLACED_NAMES[name]
        case ast.Attribute(value=ast.Name(id="Verdict"), attr=name) if (
            choice == 0 and name in _REPLACED_VERDICTS
        ):
            node.attr = _REPLACED_VERDICTS[name]
        case ast.If() | ast.IfExp() if choice < 2:
            node.test = ast.Constant(bool(choice))
        case ast.comprehension(ifs=[_, *_]) if choice == 0:
            node.ifs.pop()
        case ast.Return(value=ast.expr()) if choice == 0:
            node.value = ast.Constant(None)
        case _:
            return False
    ast.fix_missing_locations(node)
    return True


def _replaced_operator(operator: ast.AST) -> Any:
    return _REPLACED_OPERATORS[type(operator)]()


def _short_text(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:57] + "..."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
