"""Suggested rules: the exact call first, and never a rule for programs that run their arguments."""

from dataclasses import replace
from random import Random

import pytest

from assent.engine.base.tool import Call, Dialect, Effect, Tool
from assent.engine.decide import decide
from assent.engine.lines.specifier import quote_words
from assent.engine.policy.modes import Mode
from assent.engine.policy.rule import parse_rule
from assent.engine.policy.snapshot import GrantedRule, Snapshot, Tier, TierSetting
from assent.engine.policy.verdict import Verdict
from assent.engine.programs.catalog import TOPICS, find_program, runs_arguments
from assent.engine.suggestions import RuleWidth, Suggestion, needs_empty_input, suggestions
from tests.conftest import IS_DEEP_RUN
from tests.engine import given
from tests.engine.random_cases import random_case

FETCH = Tool(name="web.fetch", template="{url}")


def offered_rules(call: Call, snapshot: Snapshot | None = None, **world: object) -> dict[str, list[str]]:
    snapshot = snapshot or given.make_snapshot()
    found = suggestions(call, snapshot, given.make_facts(call, snapshot, **world))
    return {suggestion.width.value: [rule.text for rule in suggestion.rules] for suggestion in found}


@pytest.mark.parametrize("line", ["psql < seed.sql && frob a", "frob a; psql < seed.sql"])
def test_no_suggestion_names_an_input_file_that_the_line_may_change(line: str) -> None:
    def suggested_widths(command: str) -> list[RuleWidth]:
        call, snapshot = given.shell_call(command), given.make_snapshot()
        facts = replace(given.make_facts(call, snapshot), contents={"/project/seed.sql": "0" * 64})
        return [one.width for one in suggestions(call, snapshot, facts)]

    assert RuleWidth.EXACT in suggested_widths("psql < seed.sql")
    assert RuleWidth.EXACT not in suggested_widths(line)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (
            "frob build --fast",
            {"exact": ["frob build --fast"], "sub-command": ["frob build *"], "program": ["frob *"]},
        ),
        ("frob --fast", {"exact": ["frob --fast"], "program": ["frob *"]}),
        ("frob", {"exact": ["frob"], "program": ["frob *"]}),
        ("frob 'a b' '*'", {"exact": ["frob 'a b' '*'"], "program": ["frob *"]}),
        ("frob a && grob b; ls", {
            "exact": ["frob a", "grob b"],
            "sub-command": ["frob a *", "grob b *"],
            "program": ["frob *", "grob *"],
        }),
        ("LANG=C frob a", {"exact": ["LANG=C frob a"]}),
        ("timeout 5 frob a", {"exact": ["timeout 5 frob a"]}),
        ("sudo frob a", {"exact": ["sudo frob a"]}),
        ("bash x.sh", {"exact": ["bash x.sh"]}),
        ("python3 x.py", {"exact": ["python3 x.py"]}),
        ("python3.11 x.py", {"exact": ["python3.11 x.py"]}),
        ("/usr/bin/python3 x.py", {"exact": ["/usr/bin/python3 x.py"]}),
        ("npx x", {"exact": ["npx x"]}),
        ("env FOO=1 frob", {"exact": ["env FOO=1 frob"]}),
        ("xargs frob", {}),
        ("frob > out.txt", {}),
        ("frob $X", {}),
        ("$X", {}),
        ("cd /srv && frob", {}),
        ("rm -rf /", {}),
        ("ls", {}),
    ],
)  # fmt: skip
@pytest.mark.proves("T-30", "R003-64")
@pytest.mark.supports("R003-61")
def test_a_command_is_suggested_exactly_and_then_wider(command: str, expected: dict[str, list[str]]) -> None:
    found = offered_rules(given.shell_call(command))

    assert found == {width: [f"terminal.exec({text})" for text in texts] for width, texts in expected.items()}


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (given.mail_call(to="ana"), {"exact": ["mail.send(to=ana)"], "tool": ["mail.send"]}),
        (
            given.mail_call(to="a*", n=3, on=True),
            {"exact": ["mail.send(to=a\\*, n=3, on=true)"], "tool": ["mail.send"]},
        ),
        (given.mail_call(to=["ana"]), {"tool": ["mail.send"]}),
        (given.mail_call(to=""), {"tool": ["mail.send"]}),
        (given.mail_call(to="ana, cc=eve"), {"tool": ["mail.send"]}),
        (given.mail_call(), {"tool": ["mail.send"]}),
        (
            given.file_call(given.SAVE_FILE, "src/a.py"),
            {
                "exact": ["files.save(/src/a.py)"],
                "directory": ["files.save(/src/**)"],
                "tool": ["files.save"],
            },
        ),
        (
            given.file_call(given.SAVE_FILE, "/srv/a.py"),
            {
                "exact": ["files.save(//srv/a.py)"],
                "directory": ["files.save(//srv/**)"],
                "tool": ["files.save"],
            },
        ),
        (
            given.file_call(given.SAVE_FILE, "a"),
            {"exact": ["files.save(/a)"], "directory": ["files.save(/**)"], "tool": ["files.save"]},
        ),
        (given.file_call(given.SAVE_FILE, "a*"), {"tool": ["files.save"]}),
        (given.file_call(given.SAVE_FILE, None), {"tool": ["files.save"]}),
        (given.file_call(given.SAVE_FILE, ".git/x"), {}),
        (
            given.file_call(given.READ_FILE, "/srv/a.py"),
            {"exact": ["files.read(//srv/a.py)"], "directory": ["files.read(//srv/**)"]},
        ),
        (Call(tool="db.drop", args={}), {}),
        (Call(tool="nobody.knows", args={}), {}),
    ],
    ids=str,
)
@pytest.mark.proves("T-30")
@pytest.mark.supports("R003-61")
def test_other_calls_are_suggested_exactly_and_then_wider(call: Call, expected: dict[str, list[str]]) -> None:
    assert offered_rules(call) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a/b?x=*", {"exact": ["web.fetch(https://a/b?x=\\*)"], "tool": ["web.fetch"]}),
        ("two words", {"exact": ["web.fetch(two words)"], "tool": ["web.fetch"]}),
        ("  ", {"tool": ["web.fetch"]}),
        (None, {"tool": ["web.fetch"]}),
    ],
)
def test_a_template_is_suggested_as_rendered(url: str | None, expected: dict[str, list[str]]) -> None:
    assert offered_rules(Call(tool="web.fetch", args={"url": url}), given.make_snapshot(FETCH)) == expected


def test_only_uncovered_parts_are_suggested() -> None:
    snapshot = given.make_snapshot(allow=["terminal.exec(frob *)"])

    assert offered_rules(given.shell_call("frob a; grob b"), snapshot)["exact"] == ["terminal.exec(grob b)"]


@pytest.mark.proves("R004-10")
def test_if_only_a_grant_helps_a_grant_is_suggested() -> None:
    snapshot = given.make_snapshot(
        tiers={("", "mail.send"): TierSetting(Tier.NEEDS_APPROVAL)}, mode=Mode.AUTO
    )
    call = given.mail_call(to="ana")

    found = suggestions(call, snapshot, given.make_facts(call, snapshot))

    assert [(one.width, one.as_grant) for one in found] == [(RuleWidth.EXACT, True), (RuleWidth.TOOL, True)]


@pytest.mark.parametrize(
    "more",
    [
        {"deny": ["mail.*"]},
        {"ask": ["mail.*"]},
        {"allow": ["mail.*"]},
        {"mode": Mode.AUTO},
        {"mode": Mode.PLAN},
        {"attended": False},
    ],
    ids=str,
)
@pytest.mark.proves("R003-22", "T-30")
def test_nothing_is_suggested_for_a_call_that_runs_is_denied_or_is_locked(more: dict[str, object]) -> None:
    assert offered_rules(given.mail_call(to="ana"), given.make_snapshot(**more)) == {}


@pytest.mark.parametrize("program", sorted(program for program in TOPICS if runs_arguments(program)))
@pytest.mark.proves("T-30")
def test_no_wider_rule_is_suggested_for_a_program_that_runs_its_arguments(program: str) -> None:
    versions = (f"{program}3", f"{program}3.11") if program[-1:].isalpha() and program.islower() else ()
    for spelling in (program, f"/usr/bin/{program}", program.upper(), *versions):
        widths = set(offered_rules(given.shell_call(f"{quote_words((spelling,))} build --now")))

        assert widths <= (
            {"exact", "sub-command"} if find_program(spelling).can_suggest_commands else {"exact"}
        ), spelling


@pytest.mark.proves("T-30")
@pytest.mark.parametrize(
    ("line", "widths"),
    [
        ("npm run build", {"exact", "sub-command"}),
        ("git push origin main", {"exact", "sub-command"}),
        ("npm exec x", {"exact"}),
        ("npm install x", {"exact"}),
        ("go run ./x", {"exact"}),
        ("docker run x", {"exact"}),
        ("kubectl exec p -- x", {"exact"}),
        ("git bisect run x", {"exact"}),
        ("pytest -q", {"exact", "program"}),
    ],
)
def test_a_sub_command_is_suggested_unless_it_runs_its_arguments(line: str, widths: set[str]) -> None:
    assert set(offered_rules(given.shell_call(line))) == widths


WORDS = ("build", "test", "-v", "--force", "a b", "*", "main", "src/a.py", "it's", "$HOME", "")


def random_call(random: Random) -> Call:
    """A random call of a typical history."""
    match random.randrange(4):
        case 0:
            program = random.choice(("frob", "grob", "./frob", "python3"))
            words = (program, *random.choices(WORDS, k=random.randrange(4)))
            return given.shell_call(" ".join("'" + word.replace("'", "'\\''") + "'" for word in words))
        case 1:
            return given.mail_call(
                to=random.choice(("ana", "bob", "a*", "ana b", "ana\nbob")), n=random.choice((1, 2, 12))
            )
        case 2:
            return given.file_call(
                given.SAVE_FILE, random.choice(("src/a.py", "src/b.py", "a.py", "/srv/a.py", "a [1].py"))
            )
        case _:
            return Call(
                tool="web.fetch", args={"url": random.choice(("https://a/b", "https://a/b c", "https://a/*"))}
            )


@pytest.mark.proves("T-30")
def test_the_exact_rules_cover_this_call_and_no_other_of_a_history() -> None:
    random = Random(0)
    snapshot = given.make_snapshot(*given.TOOLS, FETCH)
    helped = 0
    for _ in range(2_000 if IS_DEEP_RUN else 120):
        call = random_call(random)
        exact = [
            one
            for one in suggestions(call, snapshot, given.make_facts(call, snapshot))
            if one.width is RuleWidth.EXACT
        ]
        for suggestion in exact:
            helped += 1
            allowed = accept_suggestion(snapshot, suggestion)

            assert given.decide_call(call, allowed).verdict is Verdict.RUN
            for other in (random_call(random) for _ in range(30)):
                if other != call:
                    assert given.decide_call(other, allowed) == given.decide_call(other, snapshot), (
                        call,
                        other,
                    )

    assert helped > 60


@pytest.mark.proves("T-30")
def test_every_suggestion_would_have_avoided_the_question() -> None:
    random = Random(1)
    for _ in range(20_000 if IS_DEEP_RUN else 1_000):
        one = random_case(random)
        for suggestion in suggestions(one.sample.call, one.snapshot, one.facts):
            decision = decide(one.sample.call, accept_suggestion(one.snapshot, suggestion), one.facts)

            assert decision.verdict is Verdict.RUN, (one.sample.name, suggestion)


@pytest.mark.proves("T-45")
def test_a_wider_suggestion_lists_irreversible_commands_that_it_covers() -> None:
    call, snapshot = given.shell_call("git push origin main"), given.make_snapshot()
    exact, wider = suggestions(call, snapshot, given.make_facts(call, snapshot))

    assert exact.irreversible == ()
    assert wider.rules[0].text == "terminal.exec(git push *)"
    assert "git push --force" in wider.irreversible


def test_a_rule_for_a_whole_shell_is_never_suggested() -> None:
    shell = Tool(name="t", effect=Effect.EXECUTE, dialect=Dialect.SHELL)

    assert "tool" not in offered_rules(Call(tool="t", args={"command": "frob"}), given.make_snapshot(shell))


def accept_suggestion(snapshot: Snapshot, suggestion: Suggestion) -> Snapshot:
    for rule in suggestion.rules:
        if suggestion.as_grant:
            snapshot = replace(snapshot, grants=snapshot.grants.with_grant(GrantedRule(rule=rule)))
        else:
            snapshot = replace(snapshot, rules=snapshot.rules.with_allow_rule(rule))
    return snapshot


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("Bash(python3 -)", True),
        ("Bash(psql *)", True),
        ("Bash(xargs rm *)", True),
        ("Bash(timeout 5 bash)", True),
        ("Bash(terraform apply)", True),
        ("Bash(npm test)", False),
        ("Bash(python3 tool.py *)", False),
        ("Bash(frobnicate *)", False),
        ("Bash(*)", False),
        ("Bash", False),
        (f"Bash(python3 - << sha256:{'0' * 64})", False),
    ],
)
def test_some_rules_cover_their_program_only_without_input(rule: str, expected: bool) -> None:
    assert needs_empty_input(parse_rule(rule), Dialect.SHELL) is expected


def test_rules_for_other_tools_have_no_input() -> None:
    assert not needs_empty_input(parse_rule("mail.send(psql)"), Dialect.TEXT)
    assert needs_empty_input(parse_rule("pwsh(python -)"), Dialect.POWERSHELL)
