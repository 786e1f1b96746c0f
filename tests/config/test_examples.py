"""Rules carry their own tests, and they are run by the very function that decides calls."""

import pytest

from assent.config.examples import applies, check_examples, failures
from assent.config.file import read_policy
from assent.config.source import Source
from assent.config.tools import KNOWN
from assent.engine.policy.rule import Layer, RuleList, parse_rule
from assent.errors import RuleExampleError, RuleSyntaxError

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

    assert applies(parsed, DENY, example, KNOWN) is hits
    assert applies(parsed, ASK, example, KNOWN) is hits
    assert applies(parsed, ALLOW, example, KNOWN) is covers


def read(kind: RuleList, match: str = "[]", never: str = "[]", rule: str = "Bash(npm run *)") -> None:
    text = f"[[{kind}]]\nrule = '{rule}'\nmatch = {match}\nnever = {never}\n"
    check_examples(read_policy(Source("policy.toml", text.encode()), Layer.USER), KNOWN)


@pytest.mark.parametrize("kind", RuleList)
def test_examples_that_hold_are_no_news(kind: RuleList) -> None:
    read(kind, match="['npm run build', 'npm run']", never="['npm runner', 'ls']")


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
def test_an_example_that_fails_stops_the_load(kind: RuleList, match: str, never: str, message: str) -> None:
    with pytest.raises(RuleExampleError) as caught:
        read(kind, match, never)

    assert str(caught.value) == f"rule `Bash(npm run *)` in policy.toml, line 2 {message}"


def test_every_failure_of_a_rule_is_found() -> None:
    rule = parse_rule("Bash(npm run *)", match=("ls x", "npm run", "npm x"), never=("npm run y",))

    assert [failure.example for failure in failures(rule, DENY, KNOWN)] == ["ls x", "npm x", "npm run y"]


def test_an_example_may_be_a_whole_call() -> None:
    assert applies(parse_rule("files.*"), DENY, "files.read(/a)", KNOWN)
    assert applies(parse_rule("Bash"), DENY, "Bash(ls)", KNOWN)
    assert applies(parse_rule("mcp__github"), DENY, "mcp__github__get_issue(id=1)", KNOWN)
    assert not applies(parse_rule("files.*(/src/**)"), DENY, "files.read(/a)", KNOWN)


@pytest.mark.parametrize("rule", ["files.*", "mcp__github"])
def test_an_example_of_a_pattern_must_name_its_tool(rule: str) -> None:
    with pytest.raises(RuleSyntaxError, match="must name the tool"):
        read(DENY, match="['/a']", rule=rule)
