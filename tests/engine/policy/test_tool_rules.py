"""The rules of one tool, with and without a named input."""

import pytest

from assent.engine.base.tool import Tool
from assent.engine.lines.part import Part
from assent.engine.lines.specifier import StandardInput
from assent.engine.policy.rule import RuleList, parse_rule
from assent.engine.policy.tool_rules import AllowQuery, ToolRules
from assent.engine.policy.verdict import Verdict
from tests.engine import given
from tests.engine.given import decide_call, make_snapshot, shell_call

ONE = "1" * 64
FACTS = given.Facts(directories=given.DIRECTORIES)
PLAIN, NAMING, OPEN = "sh(psql shop)", f"sh(psql shop << sha256:{ONE})", "sh(psql *)"


def find_covering_rule(
    rule: str, fed: StandardInput | None, *names: str, tool: Tool = given.SHELL
) -> str | None:
    rules = ToolRules([parse_rule(rule)], tool, RuleList.ALLOW)
    part = Part("psql shop", written_forms=(("psql", "shop"),), input=fed)
    found = rules.covering_rule(AllowQuery(part, FACTS, 0, names))
    return None if found is None else found.text


@pytest.mark.proves("T-44")
@pytest.mark.parametrize("tool", [given.SHELL, given.POWERSHELL], ids=["bash", "powershell"])
def test_a_rule_covers_a_command_with_input_only_if_it_names_the_input(tool: Tool) -> None:
    named, must, may = (
        f"text sha256:{ONE}",
        StandardInput(text="a"),
        StandardInput(text="a", must_be_named=False),
    )

    assert find_covering_rule(PLAIN, None, tool=tool) == PLAIN
    assert find_covering_rule(PLAIN, must, named, tool=tool) is None
    assert find_covering_rule(OPEN, must, named, tool=tool) is None
    assert find_covering_rule(PLAIN, may, named, tool=tool) is None
    assert find_covering_rule(OPEN, may, named, tool=tool) == OPEN
    assert find_covering_rule(NAMING, must, named, tool=tool) == NAMING
    assert find_covering_rule(NAMING, may, named, tool=tool) == NAMING
    assert find_covering_rule(NAMING, must, "text sha256:2", tool=tool) is None
    assert find_covering_rule(NAMING, None, tool=tool) is None


def test_for_a_tool_without_command_lines_the_input_mark_is_text() -> None:
    tool = Tool(name="t", template="{a}")
    rules = ToolRules([parse_rule(f"t(a << sha256:{ONE})")], tool, RuleList.ALLOW)
    part = Part("", written_forms=(("a", "<<", f"sha256:{ONE}"),))

    assert rules.covering_rule(AllowQuery(part, FACTS, 0, ())) is not None


def verdict_with_deny_rule(rule: str, line: str) -> Verdict:
    return decide_call(
        shell_call(line), make_snapshot(allow=["terminal.exec"], deny=[f"terminal.exec({rule})"])
    ).verdict


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("rm -rf *", "rm -fr x"),
        ("rm -rf *", "rm -r -f x"),
        ("rm -rf *", "rm x -vRf"),
        ("rm -rf *", "rm --recursive --force x"),
        ("git push --force *", "git push -fu origin main"),
        ("git push --force *", "git push origin main --force"),
        ("git push --force *", "git push origin +main"),
        ("git push --force*", "git push origin --force-with-lease"),
        ("git push * --force*", "git push -f"),
        ("git branch -D *", "git branch --delete --force x"),
        ("git clean -f*", "git -C d clean -xdf"),
        ("git reset --hard*", "git reset HEAD~1 --hard"),
        ("gh api -X DELETE *", "gh api repos/a/b --method=DELETE"),
        ("gh api -X DELETE *", "gh api -XDELETE repos/a/b"),
        ("curl -X POST *", "curl -s --request POST host"),
        ("sed -i *", "sed -n -i.bak s/a/b/ x"),
        ("tar -xf *", "tar xvf a.tar"),
        ("tar -xf *", "tar --extract --file a.tar"),
        ("kill -9 *", "kill -s KILL 1"),
        ("terraform apply -auto-approve *", "terraform apply plan -auto-approve"),
        ("rm -rf build", "rm -r -f build"),
        ("rm -rf *", "rm --rec --fo x"),
        ("git reset --hard*", "git reset --har"),
        ("git commit --no-verify *", "git commit --no-v -m x"),
        ("docker rm -f *", "docker container rm --force x"),
        ("apt install -y *", "apt-get install --yes x"),
        ("rm -rf build", "rm -fr build"),
        ("git commit -n *", "git commit -anm fix"),
        ("curl -o *", "curl -X=POST -sofile host"),
        ("rm -r *", "rm -rW x"),
    ],
)
def test_a_rule_with_options_matches_them_in_any_order_and_spelling(rule: str, line: str) -> None:
    assert verdict_with_deny_rule(rule, line) is Verdict.DENY


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("rm -rf *", "rm -f x"),
        ("git commit -n *", "git commit -amnothing"),
        ("git checkout -f *", "git checkout -bfeature"),
        ("kubectl delete -f *", "kubectl delete -nfirst pod x"),
        ("rm -rf *", "rm -r x"),
        ("rm -rf build", "rm -rf dist"),
        ("rm -rf build", "rm -rf build dist"),
        ("git push --force *", "git push origin main"),
        ("git push --force *", "git stash push --force"),
        ("git branch -D *", "git branch -d x"),
        ("gh api -X DELETE *", "gh api -X POST repos/a/b"),
        ("find * -delete", "find . -depth -ls"),
        ("npm install --save-dev *", "npm install --save x"),
        ("git push --force-with-lease *", "git push --force x"),
        ("git push --force *", "git push --force-with-lease x"),
        ("rsync --delete-after *", "rsync --delete a b"),
        ("chmod -R *", "chmod --reference=a b"),
        ("docker rm -f *", "docker container rm x"),
        ("kill -9 *", "kill -15 9"),
    ],
)
def test_a_rule_with_options_does_not_match_if_one_is_missing(rule: str, line: str) -> None:
    assert verdict_with_deny_rule(rule, line) is Verdict.RUN


@pytest.mark.parametrize(
    ("rule", "line"), [("git push --mir*", "git push --tags origin"), ("rm -r *x", "rm -r build")]
)
def test_a_pattern_of_abbreviated_options_or_words_does_not_match_other_words(rule: str, line: str) -> None:
    assert verdict_with_deny_rule(rule, line) is Verdict.RUN


def test_rules_with_and_without_options_apply_together() -> None:
    rules = make_snapshot(
        allow=["terminal.exec"], deny=["terminal.exec(git push)", "terminal.exec(git push -f *)"]
    )

    assert decide_call(shell_call("git push origin --force"), rules).verdict is Verdict.DENY
    assert decide_call(shell_call("git push origin"), rules).verdict is Verdict.RUN


@pytest.mark.parametrize("line", ["git push origin --force-with-lease --tags", "git push --tags o --force"])
def test_a_denied_option_with_a_star_matches_in_any_order(line: str) -> None:
    snapshot = make_snapshot(allow=["terminal.exec"], deny=["terminal.exec(git push --force* --tag*)"])

    assert decide_call(shell_call(line), snapshot).verdict is Verdict.DENY
