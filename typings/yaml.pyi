from typing import Any

class Mark:
    line: int

class Node:
    tag: str
    value: Any
    start_mark: Mark

class ScalarNode(Node):
    value: str

class SequenceNode(Node):
    value: list[Node]

class MappingNode(Node):
    value: list[tuple[Node, Node]]

class YAMLError(Exception): ...

class MarkedYAMLError(YAMLError):
    problem: str | None
    problem_mark: Mark | None

class SafeLoader: ...

def compose(stream: str, /, *loaders: type[SafeLoader]) -> Node | None: ...
