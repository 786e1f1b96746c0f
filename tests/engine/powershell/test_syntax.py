"""The syntax tree of a text."""

from assent.engine.powershell.statements import StatementParser
from assent.engine.powershell.syntax import Call, Parameter, Pipeline, Text, Value, Variable, as_statement


def test_a_command_is_parsed_into_a_tree() -> None:
    assert StatementParser("a -b c").parse_program() == (
        Pipeline(
            (Call(program=Text("a"), elements=(Parameter("-b"), Text("c")), redirections=(), span=(0, 6)),)
        ),
    )


def test_a_node_lists_its_children() -> None:
    assert Parameter("-b", Text("c")).children() == ("-b", Text("c"), False)


def test_an_expression_becomes_a_statement() -> None:
    assert as_statement(Variable("x")) == Pipeline((Value(Variable("x"), (), (0, 0)),))
