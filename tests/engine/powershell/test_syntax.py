"""The syntax tree of a text."""

from assent.engine.powershell.statements import StatementParser
from assent.engine.powershell.syntax import (
    CommandNode,
    NamedParameter,
    Pipeline,
    TextConstant,
    ValueNode,
    Variable,
    to_statement,
)


def test_a_command_is_parsed_into_a_tree() -> None:
    assert StatementParser("a -b c").parse_program() == (
        Pipeline(
            (
                CommandNode(
                    program=TextConstant("a"),
                    elements=(NamedParameter("-b"), TextConstant("c")),
                    redirections=(),
                    span=(0, 6),
                ),
            )
        ),
    )


def test_a_node_lists_its_children() -> None:
    assert NamedParameter("-b", TextConstant("c")).children() == ("-b", TextConstant("c"), False)


def test_an_expression_becomes_a_statement() -> None:
    assert to_statement(Variable("x")) == Pipeline((ValueNode(Variable("x"), (), (0, 0)),))
