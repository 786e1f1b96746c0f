"""Commands that only edit files: what counts as an edit, and in which modes and states of files."""

import pytest

from assent.engine.base.facts import CallDirectories, EditablePath, FileState
from assent.engine.base.tool import Effect
from assent.engine.base.value import replace
from assent.engine.case import Case
from assent.engine.decide import decide, paths_to_resolve, searches_to_make
from assent.engine.edits import find_edits, paths_to_make
from assent.engine.lines.command import Command
from assent.engine.lines.part import Part
from assent.engine.policy.modes import Mode
from assent.engine.policy.snapshot import PolicyOptions, Snapshot
from assent.engine.policy.verdict import Verdict
from assent.engine.programs.word import Word
from tests.engine import given


def decide_with_states(line: str, policy: Snapshot, state: FileState | None) -> Verdict:
    """Decide a line in a workspace in which every file that it edits has this state."""
    call = given.shell_call(line)
    facts = given.make_facts(call, policy, trusted=True)
    wanted = paths_to_resolve(call, policy, facts.directories)
    files = {str(path): state for path in wanted if isinstance(path, EditablePath) and state is not None}
    findings = {search.key: "" for search in searches_to_make(call, policy, facts.directories)}
    return decide(call, policy, replace(facts, files=files, findings=findings)).verdict


ACCEPT_EDITS = given.make_snapshot(mode=Mode.ACCEPT_EDITS)


@pytest.mark.parametrize(
    ("line", "states"),
    [
        ("echo a > f", {FileState.NEW, FileState.CLEAN}),
        ("sed -i s/a/b/ f", {FileState.NEW, FileState.CLEAN, FileState.FILE}),
        ("echo a >> id_rsa", set()),
        ("echo a >> f", {FileState.NEW, FileState.CLEAN, FileState.FILE}),
        ("echo a >> f > f", {FileState.NEW, FileState.CLEAN}),
        ("echo a | tee -a f", {FileState.NEW, FileState.CLEAN, FileState.FILE}),
        ("echo a | tee f", {FileState.NEW, FileState.CLEAN}),
        ("touch -a f", {FileState.NEW, FileState.CLEAN}),
        ("touch f", {FileState.NEW, FileState.CLEAN}),
        ("mkdir -p d", {FileState.NEW, FileState.CLEAN, FileState.DIRECTORY}),
        ("git add f", {FileState.NEW, FileState.CLEAN, FileState.FILE, FileState.DIRECTORY}),
        ("cp a f", {FileState.NEW, FileState.CLEAN}),
        ("rm f", set()),
        ("yes > f", set()),
        ("cat /dev/zero > f", set()),
        ("cp /dev/urandom f", set()),
        ("head -c 9 /dev/urandom > f", {FileState.NEW, FileState.CLEAN}),
        ("git add d/e", {FileState.NEW, FileState.CLEAN, FileState.FILE, FileState.DIRECTORY}),
        ("chmod +x f", set()),
        ("touch -r a f", set()),
        ("sed -i 's/a/b/e' f", set()),
        ("sed s/a/b/ f | sh", set()),
    ],
)
def test_an_edit_runs_only_in_harmless_states(line: str, states: set[FileState]) -> None:
    ran = {state for state in FileState if decide_with_states(line, ACCEPT_EDITS, state) is Verdict.RUN}

    assert ran == states
    assert decide_with_states(line, ACCEPT_EDITS, None) is Verdict.ASK


@pytest.mark.parametrize("mode", [Mode.DEFAULT, Mode.PLAN])
def test_other_modes_do_not_ask_for_the_states_of_files(mode: Mode) -> None:
    call = given.shell_call("echo a > f")
    directories = CallDirectories(roots=("/w",), cwd="/w")

    wanted = paths_to_resolve(call, given.make_snapshot(mode=mode), directories)

    assert not any(isinstance(path, EditablePath) for path in wanted)


def test_the_option_turns_it_off() -> None:
    policy = replace(ACCEPT_EDITS, options=PolicyOptions(shell_edits=False))

    assert decide_with_states("touch f", policy, FileState.CLEAN) is Verdict.ASK


def test_a_line_that_edits_and_does_more_is_an_execution() -> None:
    call = given.shell_call("touch f; frobnicate")
    facts = given.make_facts(call, ACCEPT_EDITS, trusted=True)
    states = dict.fromkeys(facts.real, FileState.CLEAN)
    case = Case(call, ACCEPT_EDITS.tools[call.tool], ACCEPT_EDITS, replace(facts, files=states))

    assert case.effect is Effect.EXECUTE


def test_an_edit_that_makes_a_repository_does_not_run_with_git_in_one_line() -> None:
    assert decide_with_states("touch HEAD; git status", ACCEPT_EDITS, FileState.NEW) is Verdict.ASK
    assert decide_with_states("touch notes; git status", ACCEPT_EDITS, FileState.NEW) is Verdict.RUN


@pytest.mark.parametrize(
    "line",
    [
        "PATH=. touch f",
        "touch $x",
        "cp f",
        "git add",
        "git -C d add .",
        "git add -A f -f",
        "git add '*.py'",
        "git add .env",
        "git commit f",
        "sed s/a/b/ f > g; sed --in-place=bak s/a/b/ f",
        "sed -n -i 'w g' f",
        "sed -i s/a/b/",
        "sed s/a/b/w f",
    ],
)
def test_a_command_that_may_do_more_than_edit_asks(line: str) -> None:
    assert decide_with_states(line, ACCEPT_EDITS, FileState.CLEAN) is Verdict.ASK


@pytest.mark.parametrize(
    ("line", "verdict"),
    [("git add f", Verdict.RUN), ("git -C sub add f", Verdict.ASK)],
)
def test_git_stages_in_the_untrusted_repository_that_was_searched(line: str, verdict: Verdict) -> None:
    call = given.shell_call(line)
    facts = given.make_facts(call, ACCEPT_EDITS, trusted=False)
    found = {one.key: "" for one in searches_to_make(call, ACCEPT_EDITS, facts.directories)}
    states = dict.fromkeys(facts.real, FileState.CLEAN)

    assert decide(call, ACCEPT_EDITS, replace(facts, files=states, findings=found)).verdict is verdict


def decide_staging(line: str, found: str, *, trusted: bool = False) -> Verdict:
    """The verdict of a line, if the searches for secrets find this text and the others find nothing."""
    call = given.shell_call(line)
    facts = given.make_facts(call, ACCEPT_EDITS, trusted=trusted)
    searches = searches_to_make(call, ACCEPT_EDITS, facts.directories)
    findings = {one.key: "" if one.search.program else found for one in searches}
    states = dict.fromkeys(facts.real, FileState.DIRECTORY)
    return decide(call, ACCEPT_EDITS, replace(facts, files=states, findings=findings)).verdict


@pytest.mark.parametrize("line", ["git add .", "git add -A", "git add --all", "git add -A ."])
@pytest.mark.parametrize("trusted", [False, True])
def test_git_stages_a_whole_directory_only_without_a_secret_in_it(line: str, *, trusted: bool) -> None:
    assert decide_staging(line, "", trusted=trusted) is Verdict.RUN
    assert decide_staging(line, ".env", trusted=trusted) is Verdict.ASK


def test_git_stages_changes_of_recorded_files_without_a_search_for_secrets() -> None:
    assert decide_staging("git add -u", ".env") is Verdict.RUN


@pytest.mark.parametrize("line", ["touch .git/info/exclude; git add .", "cp -t . ../x; git add ."])
def test_git_stages_no_directory_that_the_line_fills(line: str) -> None:
    assert decide_staging(line, "") is not Verdict.RUN


def test_all_files_of_a_subdirectory_are_searched_for_the_whole_work_tree() -> None:
    call = given.shell_call("git add -A")
    found = searches_to_make(call, ACCEPT_EDITS, given.make_facts(call, ACCEPT_EDITS).directories)

    assert any("toplevel" in one.search.settings for one in found)


def test_a_call_of_a_function_edits_nothing_by_its_name() -> None:
    command = Command((Word("touch"), Word("f")), is_function_call=True)

    assert find_edits(Part("touch f", command=command)) is None


@pytest.mark.parametrize(
    ("line", "made"),
    [
        ("echo a > /tmp/a", ["/tmp/a"]),
        ("go test ./... 2>&1 | tee /tmp/a.log | tail", ["/tmp/a.log"]),
        ("cd /tmp && rm -rf x && mkdir -p x/y && cd x && touch z", ["/tmp/x/y", "/tmp/x/z"]),
        ("cp a /srv/b", ["/srv/b", "/srv/b/a"]),
        ("rm -rf /tmp/gone", []),
        ("./tool /tmp/operand", []),
        ("./tool /tmp/operand > /tmp/out", ["/tmp/out"]),
        ("> /tmp/empty", ["/tmp/empty"]),
        ("cat /tmp/a", []),
        ("echo a > b", []),
        ("echo a > ~/.ssh/new", []),
        ("echo a > /tmp/.env", []),
        ("echo a > /tmp/.git/config", []),
        ("echo a > /tmp/*", []),
        ('echo a > "$x"', []),
        ("ls | xargs touch", []),
    ],
)
def test_what_a_line_states_that_it_writes_outside(line: str, made: list[str]) -> None:
    call = given.shell_call(line)
    facts = given.make_facts(call, ACCEPT_EDITS)

    assert [path for path in paths_to_make(given.SHELL, call, facts) if path not in ("/tmp", "/srv")] == made


def test_a_tool_that_reads_makes_nothing_and_one_that_edits_does() -> None:
    calls = [given.file_call(tool, "/tmp/a") for tool in (given.READ_FILE, given.SAVE_FILE)]
    found = [
        paths_to_make(tool, call, given.make_facts(call, ACCEPT_EDITS))
        for tool, call in zip((given.READ_FILE, given.SAVE_FILE), calls, strict=True)
    ]

    assert found == [(), ("/tmp/a",)]


def test_a_link_into_the_workspace_or_to_a_protected_path_is_not_made() -> None:
    call = given.shell_call("echo a > /tmp/a")
    facts = [
        given.make_facts(call, ACCEPT_EDITS, links={"/tmp/a": to}) for to in ("/project/b", "/srv/.bashrc")
    ]

    assert [paths_to_make(given.SHELL, call, one) for one in facts] == [(), ()]
