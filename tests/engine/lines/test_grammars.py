"""A grammar is loaded once, from the compiled part of a package alone; a parser belongs to one reader."""

import subprocess
import sys

import pytest

from assent.engine.lines.grammars import parser


@pytest.mark.parametrize("package", ["tree_sitter_bash", "tree_sitter_powershell"])
def test_a_package_has_one_grammar_and_everybody_a_parser_of_their_own(package: str) -> None:
    assert parser(package) is not parser(package)
    assert parser(package).language is parser(package).language
    assert parser(package).parse(b"ls").root_node.child_count == 1


def test_a_package_without_a_grammar_is_an_error_that_names_it() -> None:
    with pytest.raises(ModuleNotFoundError, match="no module named no_such_grammar"):
        parser("no_such_grammar")
    with pytest.raises(ModuleNotFoundError, match=r"no module named assent\._binding"):
        parser("assent")


def test_the_package_itself_is_not_imported() -> None:
    program = (
        "import sys; from assent.engine.lines.grammars import parser; parser('tree_sitter_bash');"
        "sys.exit('tree_sitter_bash' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
