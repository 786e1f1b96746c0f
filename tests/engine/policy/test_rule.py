"""Rules as text: valid rules, invalid rules, and rules that are printed and parsed again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.engine.policy.rule import MAX_RULE_LENGTH, MAX_STARS, Layer, Rule, covers_tool, parse_rule
from assent.errors import RuleSyntaxError

names = st.text(alphabet="abzABZ019_.:*-", min_size=1, max_size=20)
specifiers = st.none() | st.text(alphabet="ab *()=,/~.'\"\\{}[]!é", min_size=1, max_size=20).filter(
    lambda text: text.strip() and not text.startswith("!")
)


@given(names, specifiers)
@pytest.mark.proves("R003-20")
def test_a_rule_is_read_back_as_it_was_printed(tool: str, specifier: str | None) -> None:
    rule = Rule(tool=tool, specifier=specifier)

    assert parse_rule(rule.text) == rule
    assert parse_rule(f"  {rule.text}\n") == rule


@pytest.mark.parametrize(
    ("text", "tool", "specifier"),
    [
        ("Bash", "Bash", None),
        ("Bash(git:*)", "Bash", "git:*"),
        ("Read(//etc/**)", "Read", "//etc/**"),
        ("mcp__github__*", "mcp__github__*", None),
        ("terminal.exec(echo (x))", "terminal.exec", "echo (x)"),
        ("t(a)b)", "t", "a)b"),
        ("create_issue(repo=acme/*, labels=bug)", "create_issue", "repo=acme/*, labels=bug"),
        ("WebFetch(domain:example.org)", "WebFetch", "domain:example.org"),
    ],
)
@pytest.mark.proves("R003-20", "R003-24")
def test_a_rule_is_a_tool_and_perhaps_a_specifier(text: str, tool: str, specifier: str | None) -> None:
    rule = parse_rule(text)

    assert (rule.tool, rule.specifier, rule.text) == (tool, specifier, text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "expected `Tool` or `Tool(specifier)`"),
        ("terminal.exec(rm", "expected `Tool` or `Tool(specifier)`"),
        ("terminal.exec rm", "expected `Tool` or `Tool(specifier)`"),
        ("(rm)", "expected `Tool` or `Tool(specifier)`"),
        ("tool(x) y", "expected `Tool` or `Tool(specifier)`"),
        ("tøøl", "expected `Tool` or `Tool(specifier)`"),
        ("a" * 129, "expected `Tool` or `Tool(specifier)`"),
        ("tool()", "nothing between the parentheses"),
        ("tool(  )", "nothing between the parentheses"),
        ("tool(!x)", "negation is not part of the language"),
        ("tool(a\u200bb)", "invisible or control character (U+200B"),
        ("tool(a\0b)", "invisible or control character (U+0000"),
        ("tool(" + "*" * (MAX_STARS + 1) + ")", f"more than {MAX_STARS} stars"),
        ("tool(" + "a" * MAX_RULE_LENGTH + ")", f"longer than {MAX_RULE_LENGTH} characters"),
    ],
)
@pytest.mark.proves("R003-66", "T-36", "T-28")
def test_an_invalid_rule_is_an_error_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(RuleSyntaxError) as raised:
        parse_rule(text, source="assent.toml, line 12")

    assert reason in str(raised.value)
    assert f"`{text}` in assent.toml, line 12" in str(raised.value)
    assert (raised.value.text, raised.value.source) == (text, "assent.toml, line 12")


def test_a_rule_keeps_its_origin_reason_and_examples() -> None:
    rule = parse_rule("a(b)", layer=Layer.PROJECT, source="f", why="w", match=("b",), never=("c",))

    assert rule == Rule(
        tool="a", specifier="b", layer=Layer.PROJECT, source="f", why="w", match=("b",), never=("c",)
    )


@pytest.mark.parametrize(
    ("pattern", "covered", "others"),
    [
        ("files.read", ["files.read"], ["files.reader", "files", "Files.read"]),
        ("files.*", ["files.read", "files.", "files.a.b"], ["file.read", "files"]),
        ("*", ["anything", ""], []),
        ("*.read", ["files.read", ".read"], ["files.reader"]),
        ("a*b*c", ["abc", "axbxc", "abbc"], ["ab", "acb", "abcd"]),
        ("a*b*c*d", ["abcd", "axbxcxd"], ["acbd", "abd"]),
        ("a*a", ["aa", "aba"], ["a"]),
        ("mcp__github", ["mcp__github", "mcp__github__list"], ["mcp__github2__list", "mcp__git"]),
        ("mcp__github__list", ["mcp__github__list"], ["mcp__github__list__more"]),
        ("mcp__github__*", ["mcp__github__list"], ["mcp__gitlab__list"]),
        ("files", ["files"], ["files__read"]),
    ],
)
@pytest.mark.proves("R003-24")
def test_the_tool_name_of_a_rule_matches_these_tools(
    pattern: str, covered: list[str], others: list[str]
) -> None:
    assert [tool for tool in covered if not covers_tool(pattern, tool)] == []
    assert [tool for tool in others if covers_tool(pattern, tool)] == []
