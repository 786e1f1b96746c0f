"""Trees that the grammar does not make today, to see that what we do not know is refused."""

from typing import NamedTuple

from assent.engine.bash.scope import Scope
from assent.engine.lines.command import Command


class Node(NamedTuple):
    """A node with just what a reader looks at."""

    type: str
    start_byte: int
    end_byte: int
    children: "tuple[Node, ...]" = ()

    @property
    def child_count(self) -> int:
        return len(self.children)


class Reader:
    """A reader that has a text and reads no statements."""

    def __init__(self, text: str) -> None:
        self.source = text.encode()
        self.commands: list[Command] = []
        self.secrets: list[str] = []
        self.scope = Scope(text)

    def statement(self, node: Node, scope: Scope) -> None:
        raise AssertionError(node)

    def emit(self, command: Command) -> None:
        self.commands.append(command)
