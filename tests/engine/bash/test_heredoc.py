"""Here-documents: where they begin and end, and how the shell expands them."""

import pytest

from assent.engine.bash.redirects import ends_word, heredoc_problem
from tests.engine.bash.forged_nodes import ForgedNode
from tests.engine.bash.line_texts import describe_commands, unreadable_reason


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("cat <<E\na\nb\nE", ["cat <<a\\nb\\n"]),
        ("cat <<E\nE", ["cat <<''"]),
        ("cat <<'E'\n$x\nE", ["cat <<$x\\n"]),
        ('cat <<"E"\n$(rm y)\nE', ["cat <<'$(rm y)\\n'"]),
        ("cat <<\\E\n`rm y`\nE", ["cat <<'`rm y`\\n'"]),
        ("cat <<E\n$x\nE", ["cat <<?"]),
        ("cat <<E\n$(rm y)\nE", ["rm y", "cat <<?"]),
        ("cat <<E\n`rm y`\nE", ["rm y", "cat <<?"]),
        ("cat <<E\nit's\nE\nrm y", ["cat <<it's\\n", "rm y"]),
        ("cat <<E; \n", None),
        ("cat <<E > x\na\nE", ["cat <<a\\n >x"]),
        ("cat <<E x y\na\nE", ["cat x y <<a\\n"]),
        ("cat <<E | rm y\na\nE", ["cat <<a\\n", "rm y"]),
        ("cat <<E && rm y\na\nE", ["cat <<a\\n", "rm y"]),
        ("cat 3<<E\na\nE", ["cat <<a\\n"]),
        ("cat -5<<E\na\nE", ["cat -5 <<a\\n"]),
        ("{ cat <<E; }\na\nE", None),
    ],
)
@pytest.mark.proves("T-20", "T-22")
def test_a_here_document_is_text_unless_the_shell_expands_it(text: str, commands: list[str] | None) -> None:
    if commands is None:
        assert unreadable_reason(text)
    else:
        assert describe_commands(text) == commands


@pytest.mark.parametrize(
    "text",
    [
        "cat <<E\na",
        "cat <<'E'x\na\nEx\nrm y\nE",
        "cat <<E'x'\na\nEx\nrm y\nE",
        "cat <<$x\na\n$x",
        "cat <<E\n E\nrm y\nE x",
        "cat <<E &&\na\nE\nrm y",
        "cat <<E |\na\nE\nrm y",
        "cat <<A <<B\na\nA\nb\nB\nrm y",
        "cat <<'A\nB'\nx\nA\nB",
    ],
)
@pytest.mark.proves("T-22")
def test_a_here_document_that_the_shell_might_end_elsewhere_is_refused(text: str) -> None:
    assert unreadable_reason(text)


@pytest.mark.proves("T-22")
def test_tabs_before_the_delimiter_are_removed_only_after_a_dash() -> None:
    assert describe_commands("cat <<-E\n\ta\n\tE\nrm y")[-1] == "rm y"
    assert unreadable_reason("cat <<E\n\ta\n\tE\nrm y")


def test_a_here_document_without_an_end_is_refused() -> None:
    assert (
        heredoc_problem(b"<<E", ForgedNode("heredoc_redirect", 0, 3, (ForgedNode("heredoc_start", 2, 3),)))
        is not None
    )


def test_a_word_ends_at_blanks_and_operators() -> None:
    assert all(map(ends_word, (b"", b" ", b"\n", b";", b"&", b"|", b"<", b">", b"(", b")")))
    assert not any(map(ends_word, (b"a", b"'", b'"', b"\\", b"$", b"#")))
