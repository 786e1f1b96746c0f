"""What a decision needs to know of the files that make programs run code."""

import pytest

from assent.engine.base.facts import DirectorySearch, Facts, PathUse, Search
from assent.engine.base.globs import UNKNOWN_MARK
from assent.engine.base.value import replace
from assent.engine.decide import decide, searches_to_make
from assent.engine.lines.part import Part
from assent.engine.lines.part_searches import PartSearches
from assent.engine.parsing import parse_call
from assent.engine.policy.modes import Mode
from assent.engine.policy.verdict import Verdict
from assent.engine.searches import directory_searches, finding, may_change_finding, staged_paths
from tests.engine import given

ROOT = given.DIRECTORIES.roots[0]


def searches(line: str) -> tuple[DirectorySearch, ...]:
    return searches_to_make(given.shell_call(line), given.make_snapshot(), given.DIRECTORIES)


def verdict(line: str, **found: str) -> Verdict:
    """The verdict of a line; every search finds nothing but those given by the name of their program."""
    call, snapshot = given.shell_call(line), given.make_snapshot()
    facts = given.make_facts(call, snapshot, trusted=False)
    findings = {one.key: found.get(one.search.program, "") for one in searches(line)}
    return decide(call, snapshot, replace(facts, findings=findings)).verdict


def test_each_directory_that_a_command_enters_is_searched() -> None:
    found = searches("git -C a status; cd b && git -C c -C d log")

    assert [(one.search.program, one.directory) for one in found] == [
        ("git", ROOT),
        ("git", f"{ROOT}/a"),
        ("git", f"{ROOT}/b"),
        ("git", f"{ROOT}/b/c"),
        ("git", f"{ROOT}/b/d"),
        ("git", f"{ROOT}/b/c/d"),
    ]
    assert searches("ls; rm a") == ()


def test_a_search_that_finds_something_or_was_not_made_asks() -> None:
    assert verdict("git status") is Verdict.RUN
    assert verdict("git status", git="a key") is Verdict.ASK
    call, snapshot = given.shell_call("git status"), given.make_snapshot()
    assert decide(call, snapshot, given.make_facts(call, snapshot, trusted=False)).verdict is Verdict.ASK


def test_the_question_says_what_was_found() -> None:
    call, snapshot = given.shell_call("git status"), given.make_snapshot()
    facts = replace(
        given.make_facts(call, snapshot, trusted=False),
        findings={one.key: "`.git/config` could run code" for one in searches("git status")},
    )

    assert decide(call, snapshot, facts).because.endswith("`.git/config` could run code")


def test_a_command_uses_the_settings_that_its_flags_add_or_turn_off() -> None:
    assert "submodules" in searches("git log --submodule=diff")[0].search.settings.split()
    assert "submodules" not in searches("git log")[0].search.settings.split()
    assert "pager.log" not in searches("git --no-pager log")[0].search.settings.split()


@pytest.mark.proves("T-32")
@pytest.mark.parametrize(
    "line",
    [
        "tar xf a.tar && yarn --version",
        "cp -r evil x && git -C x status",
        "git pull; yarn --version",
        "git checkout evil && cd sub && git status",
        "patch -p1 && cargo --version",
    ],
)
def test_a_line_that_brings_files_voids_what_was_found(line: str) -> None:
    call = given.shell_call(line)
    snapshot = given.make_snapshot(
        allow=[f"terminal.exec({name} *)" for name in ("tar", "cp", "patch", "git pull", "git checkout")]
    )
    facts = given.make_facts(call, snapshot, trusted=False)
    findings = {one.key: "" for one in searches_to_make(call, snapshot, given.DIRECTORIES)}

    assert decide(call, snapshot, replace(facts, findings=findings)).verdict is Verdict.ASK


def test_git_brings_no_settings_into_the_repository_that_it_changes() -> None:
    call = given.shell_call("git checkout main && git status")
    snapshot = given.make_snapshot(allow=["terminal.exec(git checkout *)"])
    findings = {one.key: "" for one in searches_to_make(call, snapshot, given.DIRECTORIES)}
    facts = replace(given.make_facts(call, snapshot, trusted=False), findings=findings)

    assert decide(call, snapshot, facts).verdict is Verdict.RUN


def test_an_unknown_directory_cannot_be_searched() -> None:
    part = Part("x", searches=PartSearches((Search("git", "fsmonitor"),)), directories=("~/x",))
    directories = replace(given.DIRECTORIES, home="")

    assert directory_searches([part], directories) == ()
    assert finding(part, Facts(directories=directories)) is None
    assert not may_change_finding(Part("x"), part)


def test_a_secret_in_the_tree_that_a_command_reads_asks_and_can_be_left_out() -> None:
    call, snapshot = given.shell_call("grep -r a ."), given.make_snapshot()
    facts = given.make_facts(call, snapshot)
    findings = {one.key: f"{ROOT}/.env" for one in searches("grep -r a .")}

    decision = decide(call, snapshot, replace(facts, findings=findings))

    assert (decision.verdict, decision.because.count(".env")) == (Verdict.ASK, 2)
    assert decide(call, snapshot, replace(facts, findings=dict.fromkeys(findings, ""))).verdict is Verdict.RUN
    assert decide(call, snapshot, replace(facts, findings={"another": ""})).verdict is Verdict.ASK
    assert decide(call, snapshot, facts).verdict is Verdict.RUN


def test_a_tree_is_searched_from_the_directory_in_which_a_glob_begins() -> None:
    assert {one.directory for one in searches("grep -r a src/*/test")} == {f"{ROOT}/src"}
    assert {one.directory for one in searches("grep -r a /*")} == {"/"}


def test_an_unknown_list_of_files_cannot_be_searched_for_links() -> None:
    listed = PathUse(UNKNOWN_MARK, listed=True)
    part = Part("x", searches=PartSearches((Search("", "links"),)), reads=(listed,))

    assert finding(part, Facts(directories=given.DIRECTORIES, findings={"another": ""})) is None


def test_a_tree_in_an_unknown_directory_cannot_be_searched() -> None:
    part = Part("x", searches=PartSearches((Search("", "links"),)), directories=("~/x",))

    assert directory_searches([part], replace(given.DIRECTORIES, home="")) == ()


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("echo a > .yarnrc.yml; yarn --version", Verdict.ASK),
        ("echo a > notes; yarn --version", Verdict.RUN),
        ("echo a > $x; yarn --version", Verdict.ASK),
    ],
)
def test_a_file_that_a_line_writes_voids_what_was_found_by_its_name(line: str, verdict: Verdict) -> None:
    call = given.shell_call(line)
    snapshot = given.make_snapshot(allow=["terminal.exec(echo *)", "files.save(**)"])
    findings = {one.key: "" for one in searches(line)}
    facts = replace(given.make_facts(call, snapshot, trusted=False), findings=findings)

    assert decide(call, snapshot, facts).verdict is verdict


def test_a_secret_among_listed_names_asks() -> None:
    line, snapshot = "ls | xargs cat", given.make_snapshot()
    call, found = given.shell_call(line), {one.key: "" for one in searches(line)}
    facts = given.make_facts(call, snapshot)
    secret = {key: f"{ROOT}/.env" if key.strip().startswith("secrets") else "" for key in found}

    assert decide(call, snapshot, replace(facts, findings=found)).verdict is Verdict.RUN
    assert decide(call, snapshot, replace(facts, findings=secret)).verdict is Verdict.ASK


@pytest.mark.proves("T-20")
@pytest.mark.parametrize(
    ("line", "runs"),
    [
        (f"find {ROOT}/src -type f -exec cat {{}} +", True),
        (f"find {ROOT}/src/ -name '*.py' -exec head -3 {{}} \\;", True),
        (f"find -P {ROOT} -name '*.py' -exec grep -n a {{}} +", True),
        ("find /etc -type f -exec cat {} +", False),
        (f"find {ROOT}/../etc -type f -exec cat {{}} +", False),
        (f"find {ROOT} /etc -type f -exec cat {{}} +", False),
        (f"find -L {ROOT} -type f -exec cat {{}} +", False),
        (f"find {ROOT} -type f -exec cat {{}}/../../etc/passwd \\;", False),
        (f"find {ROOT} -type f -exec cat /etc/{{}} \\;", False),
        (f"find {ROOT} -name .env -exec cat {{}} +", False),
        ("find / -type f -exec cat {} +", False),
        ("xxd -l100 -s16 a", True),
        ("xxd -l100 /etc/passwd", False),
        ("xxd -l100x a", False),
    ],
)
def test_a_search_from_an_absolute_directory_reads_what_is_below_it(line: str, *, runs: bool) -> None:
    assert (verdict(line) is Verdict.RUN) is runs


def test_a_rule_for_the_search_does_not_allow_what_it_finds_outside() -> None:
    call = given.shell_call("find /etc -type f -exec cat {} +")
    rules = given.make_snapshot(allow=["terminal.exec(find *)"])

    assert given.decide_call(call, rules).verdict is Verdict.ASK


@pytest.mark.parametrize(
    ("line", "changes"),
    [
        ("cp a b; git status", False),
        ("mv a b/c; git status", False),
        ("mv a/config config; git status", True),
        ("cp -r a/. b; git status", True),
        ("mv a/* b; git status", True),
        ("mv $x b; git status", True),
        ("tar xf a.tar; git status", True),
        ("mv a b; cd b && git status", True),
        ("mv a b; git add b", False),
    ],
)
def test_a_move_with_plain_names_brings_no_repository(line: str, *, changes: bool) -> None:
    parts = given_parts(line)

    assert may_change_finding(parts[0], parts[-1]) is changes


def test_each_path_that_is_staged_is_searched_for_secrets() -> None:
    policy = given.make_snapshot(mode=Mode.ACCEPT_EDITS)
    found = searches_to_make(given.shell_call("git add a b/c"), policy, given.DIRECTORIES)

    assert [one.directory for one in found if not one.search.program] == [f"{ROOT}/a", f"{ROOT}/b/c"]
    assert staged_paths(Part("x")) == ()


def given_parts(line: str) -> tuple[Part, ...]:
    return parse_call(given.shell_call(line), given.SHELL).parts
