"""Compiled rules: which rules match, which rules cover, and copies with one more rule."""

from dataclasses import replace
from random import Random
from statistics import median

import pytest

from assent.engine.base.tool import SHARED_NAME, UNREVIEWED_PAGE, Call, Dialect, Effect, Tool
from assent.engine.decide import decide
from assent.engine.policy.modes import Mode
from assent.engine.policy.rule import RuleList, parse_rule
from assent.engine.policy.rule_set import NO_RULES, RuleSet
from assent.engine.policy.snapshot import Snapshot
from assent.engine.policy.verdict import Stage, Verdict
from tests.engine import given
from tests.engine.random_cases import random_case
from tests.engine.samples import SAMPLES
from tests.engine.timing import measure_seconds

RULES = [
    parse_rule(text)
    for sample in SAMPLES
    for text in (*sample.hits, *sample.strangers, *sample.rules_for_whole_tool)
]


@pytest.mark.proves("R003-20", "R003-21")
def test_deny_beats_ask_and_ask_beats_allow() -> None:
    call, everywhere = given.mail_call(to="ana"), ["mail.*"]

    assert given.decide_call(call, given.make_snapshot(allow=everywhere)).stage is Stage.ALLOW_RULE
    assert (
        given.decide_call(call, given.make_snapshot(allow=everywhere, ask=everywhere)).stage is Stage.ASK_RULE
    )
    assert (
        given.decide_call(call, given.make_snapshot(allow=everywhere, ask=everywhere, deny=everywhere)).stage
        is Stage.DENY_RULE
    )


@pytest.mark.proves("R003-22")
def test_a_more_specific_allow_does_not_beat_a_broad_ask() -> None:
    snapshot = given.make_snapshot(ask=["mail.*"], allow=["mail.send(to=ana)"], mode=Mode.AUTO)

    decision = given.decide_call(given.mail_call(to="ana"), snapshot)

    assert (decision.verdict, decision.rule) == (Verdict.ASK, "mail.*")
    assert not decision.always_offered


@pytest.mark.proves("R003-23")
def test_a_scoped_rule_does_not_match_a_call_that_has_no_such_argument() -> None:
    assert (
        given.decide_call(given.mail_call(), given.make_snapshot(deny=["mail.send(to=ana)"])).verdict
        is Verdict.ASK
    )
    assert (
        given.decide_call(given.mail_call(), given.make_snapshot(deny=["mail.send"])).verdict is Verdict.DENY
    )
    assert (
        given.decide_call(given.mail_call(), given.make_snapshot(allow=["mail.send(to=ana)"])).verdict
        is Verdict.ASK
    )


@pytest.mark.proves("R003-24")
def test_rules_with_stars_and_servers_match_together_with_plain_names() -> None:
    tool = Tool(name="mcp__github__create_issue")
    call = Call(tool=tool.name, args={"repo": "acme/site"})
    for text in ("mcp__github", "mcp__github__*", "mcp__*", "*", tool.name, f"{tool.name}(repo=acme/*)"):
        assert given.decide_call(call, given.make_snapshot(tool, deny=[text])).rule == text
    assert given.decide_call(call, given.make_snapshot(tool, deny=["mcp__gitlab"])).verdict is Verdict.ASK


def test_a_certain_match_is_reported_before_a_possible_match() -> None:
    snapshot = given.make_snapshot(deny=["terminal.exec(a --force)", "terminal.exec(b *)"])

    decision = given.decide_call(given.shell_call("a $X; b 1"), snapshot)

    assert (decision.stage, decision.rule, decision.part) == (Stage.DENY_RULE, "terminal.exec(b *)", "b 1")


def test_a_possible_match_asks_and_gives_the_reason() -> None:
    decision = given.decide_call(
        given.shell_call("a $X"), given.make_snapshot(deny=["terminal.exec(a --force)"], mode=Mode.AUTO)
    )

    assert (decision.verdict, decision.stage) == (Verdict.ASK, Stage.UNRESOLVED)
    assert "may match" in decision.because


def test_one_set_of_rules_serves_a_tool_in_every_dialect_it_is_declared_in() -> None:
    snapshot = given.make_snapshot(deny=["t(a=b)"], allow=["t(x)"], mode=Mode.AUTO)
    named = Tool(name="t")
    templated = Tool(name="t", template="{text}")
    line = Tool(name="t", dialect=Dialect.SHELL)
    verdicts = [
        given.decide_call(Call(tool="t", args=args), replace(snapshot, tools={"t": tool})).verdict
        for tool, args in (
            (templated, {"text": "zz"}),
            (named, {"a": "b"}),
            (line, {"command": "a=b"}),
            (named, {}),
        )
    ]

    assert verdicts == [Verdict.RUN, Verdict.DENY, Verdict.DENY, Verdict.RUN]


def test_file_rules_apply_to_files_that_a_command_reads_and_writes() -> None:
    reads, writes = given.shell_call("cat secrets/key"), given.shell_call("echo x > secrets/key")

    assert (
        given.decide_call(reads, given.make_snapshot(deny=["files.read(/secrets/**)"])).verdict
        is Verdict.DENY
    )
    assert (
        given.decide_call(reads, given.make_snapshot(deny=["files.save(/secrets/**)"])).verdict is Verdict.RUN
    )
    assert (
        given.decide_call(writes, given.make_snapshot(deny=["files.save(/secrets/**)"])).verdict
        is Verdict.DENY
    )
    assert (
        given.decide_call(writes, given.make_snapshot(deny=["files.*(/secrets/**)"])).verdict is Verdict.DENY
    )
    assert (
        given.decide_call(writes, given.make_snapshot(deny=["files.read(/secrets/**)"])).verdict
        is Verdict.ASK
    )


@pytest.mark.proves("D-5")
def test_file_rules_are_compiled_again_for_other_tools() -> None:
    call, snapshot = (
        given.shell_call("cat secrets/key"),
        given.make_snapshot(deny=["files.read(/secrets/**)"]),
    )
    renamed = replace(snapshot, tools={"terminal.exec": given.SHELL})

    assert given.decide_call(call, snapshot).verdict is Verdict.DENY
    assert given.decide_call(call, renamed).verdict is Verdict.RUN
    assert given.decide_call(call, snapshot).verdict is Verdict.DENY


def test_an_added_allow_rule_applies_and_leaves_the_old_set_unchanged() -> None:
    rules = given.parse_rule_set(allow=("terminal.exec(a)",))
    more = rules.with_allow_rule(parse_rule("terminal.exec(b *)")).with_allow_rule(parse_rule("mail.send"))
    snapshot = replace(given.make_snapshot(), rules=more)

    assert given.decide_call(given.shell_call("a && b 1"), snapshot).verdict is Verdict.RUN
    assert given.decide_call(given.mail_call(), snapshot).verdict is Verdict.RUN
    assert given.decide_call(given.file_call(given.SAVE_FILE, "a"), snapshot).verdict is Verdict.ASK
    assert rules.lists[RuleList.ALLOW] == (parse_rule("terminal.exec(a)"),)
    assert not NO_RULES.has_allow_rules
    assert NO_RULES.with_allow_rule(parse_rule("a")).has_allow_rules


FOOLING_NAMES = ("files.list_and_delete_all", "list_files", "mail.search", "get_x.drop")
PATTERNS = ("*", "files.*", "*list*", "mail.*", "list_*", "get_*", "*.search(*)", "files.*(*)")


@pytest.mark.proves("T-36")
@pytest.mark.parametrize("name", FOOLING_NAMES)
def test_no_pattern_of_names_covers_a_tool_of_a_page_that_nobody_reviewed(name: str) -> None:
    tool = Tool(name=name, origin=f"{UNREVIEWED_PAGE}https://a.example p1", template="{a}")
    call = Call(tool=name, args={"a": "1"})
    patterns = given.make_snapshot(tool, allow=PATTERNS)
    added = replace(patterns, rules=NO_RULES)
    for text in PATTERNS:
        added = replace(added, rules=added.rules.with_allow_rule(parse_rule(text)))
    reviewed = replace(patterns, tools={name: replace(tool, origin="page https://a.example p1")})

    assert given.decide_call(call, patterns).verdict is Verdict.ASK
    assert given.decide_call(call, added).verdict is Verdict.ASK
    assert given.decide_call(call, reviewed).verdict is Verdict.RUN
    # A rule with the whole name is about this tool, and a stricter pattern is about every tool.
    assert given.decide_call(call, given.make_snapshot(tool, allow=[name])).verdict is Verdict.RUN
    assert given.decide_call(call, given.make_snapshot(tool, deny=["*"])).verdict is Verdict.DENY


@pytest.mark.proves("T-7")
def test_no_rule_or_grant_covers_an_unreviewed_tool_whose_name_several_origins_use() -> None:
    tool = Tool(name="demo.set", origin=f"{UNREVIEWED_PAGE}https://a.example p1{SHARED_NAME}", template="{a}")
    call, rules = Call(tool=tool.name, args={"a": "1"}), ("demo.set", "demo.set(*)", "demo.set(1)", "*")
    added = given.make_snapshot(tool)
    for text in rules:
        added = replace(added, rules=added.rules.with_allow_rule(parse_rule(text)))
    granted = given.make_snapshot(tool, grants=rules)
    alone = replace(added, tools={tool.name: replace(tool, origin=f"{UNREVIEWED_PAGE}https://a.example p1")})

    for snapshot in (given.make_snapshot(tool, allow=rules), added, granted):
        decision = given.decide_call(call, snapshot)
        assert (decision.verdict, decision.always_offered) == (Verdict.ASK, False)
    assert given.decide_call(call, alone).verdict is Verdict.RUN
    # Stricter rules and the mode hold for it as for every tool.
    assert given.decide_call(call, given.make_snapshot(tool, deny=["demo.set"])).verdict is Verdict.DENY
    assert given.decide_call(call, given.make_snapshot(tool, mode=Mode.AUTO)).verdict is Verdict.RUN


@pytest.mark.proves("T-6")
def test_a_command_of_an_unreviewed_page_does_not_count_as_a_read() -> None:
    tool = Tool(
        name="box.run",
        effect=Effect.EXTERNAL,
        dialect=Dialect.SHELL,
        template="{command}",
        origin=f"{UNREVIEWED_PAGE}https://a.example p1",
    )
    call = Call(tool=tool.name, args={"command": "ls"})
    reviewed = replace(tool, origin="page https://a.example p1")

    assert given.decide_call(call, given.make_snapshot(tool)).verdict is Verdict.ASK
    assert given.decide_call(call, given.make_snapshot(reviewed)).verdict is Verdict.RUN
    assert given.decide_call(call, given.make_snapshot(tool, deny=["box.run(ls *)"])).verdict is Verdict.DENY


def test_an_added_allow_rule_can_name_an_input() -> None:
    call, snapshot = given.shell_call("wc -l < /data/a"), given.make_snapshot(allow=["terminal.exec(wc *)"])
    before = given.decide_call(call, snapshot)
    more = replace(snapshot, rules=snapshot.rules.with_allow_rule(parse_rule("files.read(//data/**)")))

    assert (before.verdict, before.stage) == (Verdict.ASK, Stage.OUTSIDE)
    assert given.decide_call(call, more).verdict is Verdict.RUN
    assert given.decide_call(call, snapshot).verdict is Verdict.ASK


def test_an_added_allow_rule_has_the_same_effect_as_compiling_again() -> None:
    random = Random(0)
    for _ in range(1_000):
        one = random_case(random)
        rule = random.choice(RULES)
        lists = one.snapshot.rules.lists
        compiled = RuleSet(lists[RuleList.DENY], lists[RuleList.ASK], (*lists[RuleList.ALLOW], rule))
        sooner = decide(
            one.sample.call, replace(one.snapshot, rules=one.snapshot.rules.with_allow_rule(rule)), one.facts
        )
        later = decide(one.sample.call, replace(one.snapshot, rules=compiled), one.facts)

        # A link needs a rule for each of its ends; two that come one after the other count from the next compile.
        assert sooner.verdict == later.verdict or (one.sample.links and sooner.verdict > later.verdict)


@pytest.mark.proves("R-20")
def test_each_of_a_hundred_thousand_rules_matches_quickly() -> None:
    many = tuple(f"terminal.exec(tool{number} --flag{number} *)" for number in range(50_000))
    snapshot = replace(
        given.make_snapshot(),
        rules=given.parse_rule_set(many, (), tuple(text.replace("tool", "safe") for text in many)),
    )

    assert (
        given.decide_call(given.shell_call("tool77 --flag77 x"), snapshot).rule
        == "terminal.exec(tool77 --flag77 *)"
    )
    assert (
        given.decide_call(given.shell_call("safe9 --flag9 x"), snapshot).rule
        == "terminal.exec(safe9 --flag9 *)"
    )
    assert given.decide_call(given.shell_call("tool77 --flag78 x"), snapshot).verdict is Verdict.ASK
    # Looking at each rule in turn would take twenty times as long; the exact figure is the bench's.
    assert median(_decision_seconds(f"tool{number} --flag78 x", snapshot) for number in range(101)) < 0.01


def _decision_seconds(line: str, snapshot: Snapshot) -> float:
    """The processor time of one decision, in seconds."""
    call = given.shell_call(line)
    facts = given.make_facts(call, snapshot)
    return measure_seconds(lambda: decide(call, snapshot, facts))[1]


@pytest.mark.parametrize(
    ("tool", "args", "specifier"),
    [
        (Tool(name="t", effect=Effect.WRITE, dialect=Dialect.PATH), {"path": "a b"}, "/a b"),
        (Tool(name="t", effect=Effect.WRITE, dialect=Dialect.SHELL), {"command": "a 'b c'"}, "a 'b c'"),
        (Tool(name="t", effect=Effect.WRITE, template="{x}:{y}"), {"x": "a", "y": 1}, "a:1"),
        (Tool(name="t", effect=Effect.WRITE), {"x": "a b"}, "x=a b"),
    ],
    ids=["path", "shell", "template", "named"],
)
def test_each_dialect_reads_its_own_specifiers(tool: Tool, args: dict[str, object], specifier: str) -> None:
    call = Call(tool="t", args=args)

    assert (
        given.decide_call(call, given.make_snapshot(tool, allow=[f"t({specifier})"])).verdict is Verdict.RUN
    )
    assert (
        given.decide_call(call, given.make_snapshot(tool, deny=[f"t({specifier})"])).verdict is Verdict.DENY
    )
    assert (
        given.decide_call(call, given.make_snapshot(tool, deny=["t(other)"], allow=["t(other)"])).verdict
        is Verdict.ASK
    )


def test_quotes_in_a_rule_about_a_text_are_characters_like_any_other() -> None:
    tool = Tool(name="t", template="{text}")
    quoted, bare = Call(tool="t", args={"text": "say 'hi'"}), Call(tool="t", args={"text": "say hi"})
    snapshot = given.make_snapshot(tool, deny=["t(say 'hi')"], allow=["t(say hi)"])

    assert given.decide_call(quoted, snapshot).verdict is Verdict.DENY
    assert given.decide_call(bare, snapshot).verdict is Verdict.RUN


def test_a_certain_file_match_is_reported_before_a_possible_one() -> None:
    snapshot = given.make_snapshot(deny=["files.save(/secrets/**)"], mode=Mode.AUTO)
    possible, both = (
        given.file_call(given.SAVE_FILE, paths) for paths in (["C:/a"], ["C:/a", "secrets/key"])
    )

    assert given.decide_call(possible, snapshot).stage is Stage.UNRESOLVED
    assert given.decide_call(both, snapshot).stage is Stage.DENY_RULE
