"""Syntax trees that the grammar does not produce today, to test that unknown nodes are refused."""

from typing import NamedTuple

from assent.engine.bash.scope import Scope
from assent.engine.lines.command import Command


class ForgedNode(NamedTuple):
    """A node with only the attributes that a reader uses."""

    type: str
    start_byte: int
    end_byte: int
    children: "tuple[ForgedNode, ...]" = ()

    @property
    def child_count(self) -> int:
        return len(self.children)


class EmptyReader:
    """A statement reader with a source text that ignores all statements."""

    def __init__(self, text: str) -> None:
        self.source = text.encode()
        self.commands: list[Command] = []
        self.secret_variables: list[str] = []
        self.scope = Scope(text)

    def read_statement(self, node: ForgedNode, scope: Scope) -> None:
        raise AssertionError(node)

    def emit(self, command: Command) -> None:
        self.commands.append(command)
