"""Calls can be written like rules, and the examples of rules are checked by deciding them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.config.files import Source
from assent.config.policy_file import read_policy_file
from assent.config.tools import KNOWN_TOOLS
from assent.config.written_calls import (
    check_examples,
    does_rule_match,
    failed_examples,
    fit_specifier_to_tool,
    parse_call,
    split_call,
)
from assent.engine.base.tool import Call, Dialect, Tool, render_specifier
from assent.engine.policy.rule import Layer, RuleList, parse_rule
from assent.errors import InputError, RuleExampleError, RuleSyntaxError


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("Bash(npm run build)", ("Bash", "npm run build")),
        ("Bash(echo $(ls) | cat)", ("Bash", "echo $(ls) | cat")),
        ("Bash(a\nb)", ("Bash", "a\nb")),
        ("Bash", ("Bash", None)),
        ("Bash()", ("Bash", "")),
        ("  mcp__a__b(x=1) ", ("mcp__a__b", "x=1")),
    ],
)
def test_a_written_call_is_split_into_tool_and_specifier(text: str, call: tuple[str, str | None]) -> None:
    assert split_call(text) == call


@pytest.mark.parametrize(
    "text", ["git status", "", "(x)", "Bash(x", "Bash x)", "Bash(x) y", "a" * 129, "B*(x)"]
)
def test_an_invalid_call_is_an_error(text: str) -> None:
    with pytest.raises(InputError, match=r"expected `Tool` or `Tool\(specifier\)`"):
        split_call(text)


@pytest.mark.parametrize("tool", KNOWN_TOOLS.values(), ids=KNOWN_TOOLS)
@given(specifier=st.text(min_size=1))
def test_the_specifier_of_a_written_call_is_kept(tool: Tool, specifier: str) -> None:
    meant, args = fit_specifier_to_tool(tool, specifier)

    if meant.template is not None or meant.dialect is not Dialect.TEXT:
        assert render_specifier(meant, args) == specifier


def test_a_specifier_becomes_the_argument_of_the_tool() -> None:
    assert fit_specifier_to_tool(KNOWN_TOOLS["Bash"], "ls") == (KNOWN_TOOLS["Bash"], {"command": "ls"})
    assert fit_specifier_to_tool(KNOWN_TOOLS["NotebookEdit"], "a.ipynb")[1] == {"notebook_path": "a.ipynb"}
    assert fit_specifier_to_tool(Tool(name="x", dialect=Dialect.PATH), "a")[1] == {"path": "a"}
    assert fit_specifier_to_tool(KNOWN_TOOLS["Bash"], None) == (KNOWN_TOOLS["Bash"], {})


def test_named_arguments_become_arguments() -> None:
    tool = Tool(name="mcp__github__create_issue")

    assert fit_specifier_to_tool(tool, "repo=acme/x, labels=bug") == (
        tool,
        {"repo": "acme/x", "labels": "bug"},
    )


def test_a_template_of_several_arguments_gets_one_artificial_argument() -> None:
    tool = Tool(name="move", template="{source} {target}")

    meant, args = fit_specifier_to_tool(tool, "a b")

    assert render_specifier(meant, args) == "a b"


def test_a_parsed_call_is_returned_with_its_tools() -> None:
    tools = {"move": Tool(name="move", template="{source} {target}"), "Bash": KNOWN_TOOLS["Bash"]}

    call, meant = parse_call("move(a b)", tools)

    assert call == Call(tool="move", args={"specifier": "a b"})
    assert meant["move"].template == "{specifier}"
    assert parse_call("Bash(ls)", tools) == (Call(tool="Bash", args={"command": "ls"}), tools)


def test_an_unknown_tool_stays_unknown() -> None:
    call, tools = parse_call("nothing(x)", {})

    assert (call.tool, tools) == ("nothing", {})


DENY, ASK, ALLOW = RuleList.DENY, RuleList.ASK, RuleList.ALLOW


@pytest.mark.proves("R003-40", "R003-41", "R003-42", "R002-9")
@pytest.mark.parametrize(
    ("rule", "example", "hits", "covers"),
    [
        ("Bash(npm run *)", "npm run build", True, True),
        ("Bash(npm run *)", "npm run", True, True),
        ("Bash(npm run *)", "npm runner", False, False),
        ("Bash(npm run *)", "npm run build && curl evil", True, False),
        ("Bash(npm run *)", "npm run build && ls", True, True),
        ("Bash(npm run *)", "npm run build > out.txt", True, False),
        ("Bash(git status)", "git status", True, True),
        ("Bash(git status)", "git status src", False, False),
        ("Bash", "curl evil", True, True),
        ("Bash(rm *)", "echo 'rm x'", False, False),
        ("Bash(rm *)", "bash -c 'rm x'", True, False),
        ("Bash(npm run test:*)", "npm run test --watch", True, True),
        ("files.write(/src/**)", "/src/a.ts", True, True),
        ("files.write(/src/**)", "/src/../etc/passwd", False, False),
        ("Read(//etc/**)", "/etc/passwd", True, True),
        ("Edit(src/**)", "src/a.ts", True, True),
        ("Edit(src/**)", "lib/a.ts", False, False),
        ("WebFetch(domain:example.com)", "domain:example.com", True, True),
        ("WebFetch(domain:*.example.com)", "domain:a.b.example.com", True, True),
        ("WebFetch(domain:*.example.com)", "domain:example.com", False, False),
        ("Agent(Explore)", "Explore", True, True),
        ("mcp__github__create_issue(repo=acme/*)", "repo=acme/x, title=hello", True, True),
        ("mcp__github__create_issue(repo=acme/*)", "title=hello", False, False),
    ],
)  # fmt: skip
def test_a_deny_rule_hits_and_an_allow_rule_covers(rule: str, example: str, hits: bool, covers: bool) -> None:
    parsed = parse_rule(rule)

    assert does_rule_match(parsed, DENY, example, KNOWN_TOOLS) is hits
    assert does_rule_match(parsed, ASK, example, KNOWN_TOOLS) is hits
    assert does_rule_match(parsed, ALLOW, example, KNOWN_TOOLS) is covers


def check_rule_with_examples(
    kind: RuleList, match: str = "[]", never: str = "[]", rule: str = "Bash(npm run *)"
) -> None:
    text = f"[[{kind}]]\nrule = '{rule}'\nmatch = {match}\nnever = {never}\n"
    file = read_policy_file(Source("policy.toml", text.encode()), Layer.USER)
    check_examples(file.rules, KNOWN_TOOLS)


@pytest.mark.parametrize("kind", RuleList)
def test_correct_examples_raise_no_error(kind: RuleList) -> None:
    check_rule_with_examples(kind, match="['npm run build', 'npm run']", never="['npm runner', 'ls']")


@pytest.mark.parametrize(
    ("kind", "match", "never", "message"),
    [
        (DENY, "['npm runner']", "[]", "should hit `npm runner`, but does not"),
        (ASK, "['npm runner']", "[]", "should hit `npm runner`, but does not"),
        (ALLOW, "['npm run x; curl y']", "[]", "should cover `npm run x; curl y`, but does not"),
        (DENY, "[]", "['curl x; npm run y']", "should never hit `curl x; npm run y`, but does"),
        (ALLOW, "[]", "['npm run y']", "should never cover `npm run y`, but does"),
    ],
)
def test_a_failing_example_is_an_error(kind: RuleList, match: str, never: str, message: str) -> None:
    with pytest.raises(RuleExampleError) as caught:
        check_rule_with_examples(kind, match, never)

    assert str(caught.value) == f"rule `Bash(npm run *)` in policy.toml, line 2 {message}"


def test_every_failing_example_is_found() -> None:
    rule = parse_rule("Bash(npm run *)", match=("ls x", "npm run", "npm x"), never=("npm run y",))

    assert [failure.example for failure in failed_examples(rule, DENY, KNOWN_TOOLS)] == [
        "ls x",
        "npm x",
        "npm run y",
    ]


def test_an_example_may_be_a_whole_call() -> None:
    assert does_rule_match(parse_rule("files.*"), DENY, "files.read(/a)", KNOWN_TOOLS)
    assert does_rule_match(parse_rule("Bash"), DENY, "Bash(ls)", KNOWN_TOOLS)
    assert does_rule_match(parse_rule("mcp__github"), DENY, "mcp__github__get_issue(id=1)", KNOWN_TOOLS)
    assert not does_rule_match(parse_rule("files.*(/src/**)"), DENY, "files.read(/a)", KNOWN_TOOLS)


@pytest.mark.parametrize("rule", ["files.*", "mcp__github"])
def test_an_example_of_a_pattern_must_name_its_tool(rule: str) -> None:
    with pytest.raises(RuleSyntaxError, match="must name the tool"):
        check_rule_with_examples(DENY, match="['/a']", rule=rule)
