"""The syntax tree holds what a text says, and nothing else."""

from assent.engine.powershell.statements import StatementParser
from assent.engine.powershell.syntax import Call, Parameter, Pipeline, Text, Value, Variable, as_statement


def test_a_command_as_a_tree() -> None:
    assert StatementParser("a -b c").program() == (
        Pipeline(
            (Call(program=Text("a"), elements=(Parameter("-b"), Text("c")), redirections=(), span=(0, 6)),)
        ),
    )


def test_a_node_knows_what_stands_below_it() -> None:
    assert Parameter("-b", Text("c")).below() == ("-b", Text("c"), False)


def test_an_expression_as_a_statement() -> None:
    assert as_statement(Variable("x")) == Pipeline((Value(Variable("x"), (), (0, 0)),))
