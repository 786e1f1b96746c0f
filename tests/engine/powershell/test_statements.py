"""Statements begin and end as in PowerShell."""

import pytest

from tests.engine.powershell.line_decisions import command_texts


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("if (1) { a } b", ["a", "b"]),
        ("if (1) { a }\n\nelse { b }", ["a", "b"]),
        ("if-this a", ["if-this a"]),
        ("for.exe a", ["for.exe a"]),
        ("echo if", ["echo if"]),
        ("a | foreach { b }", ["a", "foreach { b }", "b"]),
        ("a\n\n  ; ; b", ["a", "b"]),
        ("try { a }\ncatch { b }", ["a", "b"]),
        ("break", [""]),
        ("continue $x", [""]),
        ("trap { a }", ["a"]),
        ("dynamicparam { a } end { b }", ["a", "b"]),
    ],
)
def test_a_text_is_parsed_into_statements(line: str, found: list[str]) -> None:
    assert command_texts(line) == found
