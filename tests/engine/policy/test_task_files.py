"""Task files: a pack allows its commands only while a person has approved what defines them."""

from collections.abc import Mapping
from typing import Any

import pytest

from assent.engine.base.facts import DirectorySearch, Search
from assent.engine.base.value import replace
from assent.engine.decide import decide, searches_to_make
from assent.engine.policy.rule import RuleList, parse_rule
from assent.engine.policy.task_files import ASSUMED_PINS, changed_tasks, is_about_tasks
from assent.engine.policy.verdict import Decision, Verdict
from assent.engine.programs.packs import PACKS
from tests.engine.given import DIRECTORIES, SAVE_FILE, decide_call, make_facts, make_snapshot, shell_call

ROOT = DIRECTORIES.roots[0]
MAKE = Search("@make")
IN_ROOT = DirectorySearch(MAKE, ROOT).key


def decision(line: str, findings: Mapping[str, str], *packs: str) -> Decision:
    policy = make_snapshot(allow=[f"terminal.exec(@{name})" for name in packs or ["make"]])
    return decide_call(shell_call(line), policy, findings=findings)


def searched_directories(
    line: str, *, allow: tuple[str, ...] = ("terminal.exec(@make)",), **policy: Any
) -> list[str]:
    snapshot = make_snapshot(allow=allow, **policy)
    found = searches_to_make(shell_call(line), snapshot, DIRECTORIES)
    return [one.directory for one in found if one.search == MAKE]


def test_a_task_runs_only_while_its_files_are_approved() -> None:
    assert decision("make test", {IN_ROOT: ""}).verdict is Verdict.RUN
    assert decision("make test", {IN_ROOT: f"abc {ROOT}/Makefile"}).verdict is Verdict.ASK
    assert decision("make test", {}).verdict is Verdict.ASK


def test_the_question_names_the_changed_files() -> None:
    one = decision("make test", {IN_ROOT: f"abc {ROOT}/Makefile"})
    several = decision("make test", {IN_ROOT: "\n".join(f"abc {ROOT}/{name}.mk" for name in "abcde")})
    unread = decision("make test", {IN_ROOT: f"- {ROOT}/Makefile\nabc {ROOT}/a.mk"})

    assert one.because == (
        "the pack `make` does not allow it yet: no person allowed the present content of `Makefile`"
    )
    assert several.because.endswith("the present content of `a.mk`, `b.mk`, `c.mk`, …")
    assert unread.because.endswith("`Makefile` cannot be read completely and safely")


def test_a_question_that_no_pack_would_spare_names_no_task_file() -> None:
    changed = {IN_ROOT: f"abc {ROOT}/Makefile"}

    assert "pack" not in decision("make -f x test", changed).because
    assert "pack" not in decision("make test", {IN_ROOT: ""}, "git").because


@pytest.mark.parametrize(
    ("line", "directories"),
    [
        ("make test", [ROOT]),
        ("timeout 5 make test", [ROOT]),
        ("cd sub && make test", [f"{ROOT}/sub"]),
        ("ls", []),
        ("cd $x && make test", []),
        ("make a/b", [ROOT, f"{ROOT}/a/b"]),
        ("make $x/b", [ROOT]),
        ("make --x=a/b", [ROOT]),
    ],
)
def test_the_task_files_of_the_directories_that_a_line_names_are_searched(
    line: str, directories: list[str]
) -> None:
    assert searched_directories(line) == directories


def test_task_files_are_searched_only_for_packs_that_are_on() -> None:
    assert searched_directories("make test", allow=()) == []
    assert searched_directories("make test", allow=("terminal.exec(@nosuch)",)) == []
    assert searched_directories("make test", allow=("terminal.exec(@make)", "terminal.exec(@git)")) == [ROOT]
    assert searched_directories("make test", allow=(), grants=["terminal.exec(@make)"]) == [ROOT]


def test_a_rule_that_was_added_later_turns_a_pack_on() -> None:
    snapshot = make_snapshot(allow=["terminal.exec(ls)"])
    more = snapshot.rules
    for text in ("terminal.exec(@make)", "terminal.exec(id)", "other(@go)", "terminal.exec"):
        more = more.with_allow_rule(parse_rule(text))

    assert more.packs(snapshot.tools["terminal.exec"]) == ("make",)
    assert snapshot.rules.packs(snapshot.tools["terminal.exec"]) == ()
    assert len(more.lists[RuleList.ALLOW]) == 5


@pytest.mark.parametrize(
    "line",
    [
        "echo 'test:' > Makefile && make test",
        "echo 'test:' >> rules.MK && make test",
        "printf x > .mise/tasks/a && make test",
        "cp x.txt y.txt && make test",
        "curl -O http://a.example/x && make test",
        "git checkout other && make test",
        "echo x > $name && make test",
        "tar xf a.tar && make test",
        "make test && touch *.mk",
        "make test; > Makefile",
    ],
)
def test_a_line_that_may_change_a_task_file_is_not_covered(line: str) -> None:
    allow = [
        f"terminal.exec({one})"
        for one in ("@make", "cp *", "curl *", "git *", "tar *", "echo *", "printf *", "touch *")
    ]
    policy = make_snapshot(allow=[*allow, f"{SAVE_FILE.name}(/**)"], mode="accept_edits")

    assert decide_call(shell_call(line), policy, findings=ASSUMED_PINS).verdict is Verdict.ASK


@pytest.mark.parametrize(
    "line", ["ls && make test", "make a && make b", "echo x > notes.txt && make test", "x=1; make a"]
)
def test_a_line_that_keeps_the_task_files_is_covered(line: str) -> None:
    policy = make_snapshot(
        allow=["terminal.exec(@make)", "terminal.exec(echo *)", f"{SAVE_FILE.name}(/**)"], mode="accept_edits"
    )

    assert decide_call(shell_call(line), policy, findings=ASSUMED_PINS).verdict is Verdict.RUN


GIT_CODE = Search("git", PACKS["git"].git_settings)


@pytest.mark.supports("T-32")
@pytest.mark.parametrize(
    ("line", "directory"),
    [
        ("git commit -m a", ROOT),
        ("cd sub && git commit -m a", f"{ROOT}/sub"),
        ("git -C sub commit -m a", f"{ROOT}/sub"),
    ],
)
def test_the_pack_of_git_needs_a_repository_that_names_no_code(line: str, directory: str) -> None:
    key = DirectorySearch(GIT_CODE, directory).key

    assert decide_untrusted(line, {key: ""}) is Verdict.RUN
    assert decide_untrusted(line, {key: "`.git/config` could run code"}) is Verdict.ASK
    assert decide_untrusted(line, {}) is Verdict.ASK
    assert decision(line, {}, "git").verdict is Verdict.RUN  # a person trusts the repository


@pytest.mark.parametrize(
    "line", ["cd $x && git commit -m a", "git -C $x commit -m a", "git -C ~ commit -m a"]
)
def test_the_pack_of_git_needs_a_known_directory(line: str) -> None:
    policy = make_snapshot(allow=["terminal.exec(@git)"])
    made = searches_to_make(shell_call(line), policy, DIRECTORIES)

    assert decide_untrusted(line, {DirectorySearch(GIT_CODE, ROOT).key: ""}) is Verdict.ASK
    assert [one for one in made if one.search == GIT_CODE] == []


def test_the_pack_of_git_covers_no_repository_that_the_line_may_bring() -> None:
    found = {DirectorySearch(GIT_CODE, f"{ROOT}/sub").key: ""}

    assert (
        decide_untrusted("tar xf a.tar && cd sub && git commit -m a", found, "tar *", "cd *") is Verdict.ASK
    )
    assert decide_untrusted("ls && cd sub && git commit -m a", found, "cd *") is Verdict.RUN
    assert decide_untrusted("foo && cd sub && git commit -m a", found, "foo", "cd *") is Verdict.RUN


def decide_untrusted(line: str, findings: Mapping[str, str], *allow: str) -> Verdict:
    """Decide a line with the pack of Git in a repository that nobody trusts."""
    policy = make_snapshot(allow=[f"terminal.exec({one})" for one in ("@git", *allow)])
    call = shell_call(line)
    facts = replace(make_facts(call, policy, trusted=False), findings=findings)
    return decide(call, policy, facts).verdict


def test_the_names_of_files_are_searched_for_links_that_lead_out() -> None:
    policy = make_snapshot(allow=["terminal.exec(@python)"])
    keys = [one.key for one in searches_to_make(shell_call("pytest a -x b/c"), policy, DIRECTORIES)]

    assert keys == [
        f"@python  in {ROOT}",
        f"@python  in {ROOT}/b/c",
        f"@python inside in {ROOT}/a",
    ]


def test_the_digests_of_changed_files_are_read_from_the_findings() -> None:
    findings = {IN_ROOT: "abc /a/Makefile\n- /a/b.mk", "git fsmonitor in /a": "something", "@go  in /a": ""}

    assert changed_tasks(findings) == {"/a/Makefile": "abc", "/a/b.mk": ""}


def test_only_the_search_of_a_pack_is_about_tasks() -> None:
    assert is_about_tasks(DirectorySearch(MAKE, ROOT))
    assert not is_about_tasks(DirectorySearch(Search("make"), ROOT))
