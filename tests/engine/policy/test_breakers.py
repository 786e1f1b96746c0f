"""Breakers ask in every mode, nothing lifts them, and similar harmless commands do not trip them."""

from dataclasses import replace

import pytest

from assent.engine.base.facts import CallDirectories, Facts
from assent.engine.base.tool import Call, Effect, Tool
from assent.engine.bash.language import BASH
from assent.engine.decide import decide
from assent.engine.lines.line import parse_line
from assent.engine.lines.part import Part
from assent.engine.policy.breakers import MAX_VALUES, KnownValues
from assent.engine.policy.modes import Mode
from assent.engine.policy.verdict import Decision, Stage, Verdict
from tests.engine import given

NESTED = CallDirectories(roots=("/work/team/project",), cwd="/work/team/project", home="/home/ana")

CATASTROPHES = """
    rm -rf /
    rm --recursive --force /
    rm -r -f -- /
    rm -rf /*
    rm -rf "/"
    rm -rf /etc
    rm -rf /home/ana
    rm -rf /home/bob
    rm -rf ~
    rm -rf ~/
    rm -rf ~/*
    rm -rf $HOME
    rm -rf "$HOME/"
    rm -rf .
    rm -rf ./*
    rm -rf ..
    rm -rf /project
    rm -rf src/../..
    rm -rf "$UNSET/"
    rm -rf /usr/$UNSET
    rm -rf ${X}/etc
    rm -rf ${X:-~}
    rm -rf /usr/lib
    cd "$X" && rm -rf *
    cd / && rm -rf *
    sudo rm -rf /
    timeout 5 rm -rf /
    env A=1 rm -rf /
    bash -c 'rm -rf /'
    eval 'rm -rf /'
    echo $(rm -rf /)
    if true; then rm -rf /; fi
    find / -delete
    find / -name x -delete
    find . -delete
    find / -exec rm -rf {} +
    echo / | xargs rm -rf
    mkfs.ext4 /dev/sda1
    dd if=/dev/zero of=/dev/sda
    dd if=x of=/dev/nvme0n1
    echo x > /dev/nvme0n1
    cat x | tee /dev/sda
    shred /dev/sda
    wipefs -a /dev/sda
    sh -c 'rm -rf "$1"' _ /
    bash -c 'rm -rf "$@"' _ src /
    f() { rm -rf "$1"; }; f /
    f() { local d=$1; rm -rf "$d"; }; f ~
    set -- /; rm -rf "$1"
    while read d; do rm -rf "$d"; done <<< /
    echo / | while read -r d; do rm -rf "$d"; done
    mapfile -t a <<< /; rm -rf "${a[@]}"
    rm -rf "$(git rev-parse --show-toplevel)"
    sudo rm -rf "$(echo /)"
    d=$(realpath /); rm -rf "$d"
    dd if=x of=$DEV
    sudo dd if=x of="$DISK"
    cat x > /dev/$X
    sponge /dev/sda
    echo x | tee -a /etc/sudoers
    echo x >> /etc/pam.d/login
    tar -xf x -C /
    unzip x.zip -d /etc
    rsync x /etc/passwd
    cp -r x/. /
    find / | xargs chmod 777
    perl -e 'system("rm -rf /")'
    EDITOR='rm -rf /' git commit
    :(){ :|:& };:
    bomb() { bomb | bomb & }; bomb
    chmod -R 777 /
    chown -R ana /etc
    mv / /tmp/x
    mv /project /tmp/x
    fdisk /dev/sda
    lvremove vg/lv
    zpool destroy tank
    echo x > /etc/passwd
    : > /etc/ssh/sshd_config
    truncate -s 0 /boot/vmlinuz
    cp /dev/null /usr/bin/python3
    tee /etc/sudoers.d/me
"""
HARMLESS_COMMANDS = """
    rm -rf build/out
    rm -rf ./build
    rm -rf /project/build
    rm -rf /tmp/*
    rm -rf /var/tmp/x
    rm -f a.txt
    rm -rf "$BUILD_DIR"
    git commit -m 'mkfs docs'
    echo 'rm -rf /'
    echo "dd of=/dev/sda"
    mkfs.ext4 disk.img
    dd if=/dev/sda of=backup.img count=1
    fdisk -l /dev/sda
    chmod -R u+w build
    chmod 777 /etc
    mv a b
    find . -name '*.pyc' -delete
    f() { g | h; }; f
    f() { f; }; f
    git push --force
    shutdown -h now
    echo x >> /etc/motd
    cp x /usr/local/bin/tool
    rm -rf "${X}build"
    sh -c 'rm -rf "$1"' _ build
    f() { rm -rf "$1"; }; f build
    f() { rm -rf "$1"; }; f "$X"
    f() { echo hello; }; f /; rm -rf "$X"
    while read d; do rm -rf "$d"; done <<< build
    while read d; do ls "$d"; done <<< /; rm -rf "$X"
    cat <<< /; rm -rf "$X"
    x=1; rm -rf "$X"
    rm -rf "$(git rev-parse --show-toplevel)/build"
    cd "$(git rev-parse --show-toplevel)" && rm -rf "$TMP"
    dd if=x of=$OUT
    tar -xf x -C /opt/x
    tar -cf x -C / etc
    cp -r x/. build
"""


def split_lines(table: str) -> list[str]:
    return [line.strip() for line in table.strip().splitlines()]


def decide_line(command: str, **more: object) -> Decision:
    return given.decide_call(given.shell_call(command), given.make_snapshot(**more))


@pytest.mark.parametrize("command", split_lines(CATASTROPHES))
@pytest.mark.proves("T-25", "R003-34", "R003-38")
def test_a_catastrophe_asks_in_auto_however_it_is_spelled(command: str) -> None:
    decision = decide_line(command, mode=Mode.AUTO, allow=["terminal.exec"], grants=["terminal.exec"])

    assert (decision.verdict, decision.stage) == (Verdict.ASK, Stage.BREAKER)
    assert not decision.always_offered


@pytest.mark.parametrize("command", split_lines(HARMLESS_COMMANDS))
@pytest.mark.proves("T-25", "R003-38", "D-10")
def test_a_similar_harmless_command_trips_no_breaker(command: str) -> None:
    stages = [step.stage for step in decide_line(command, mode=Mode.AUTO).steps]

    assert Stage.BREAKER not in stages


@pytest.mark.parametrize("mode", [Mode.DEFAULT, Mode.ACCEPT_EDITS, Mode.AUTO, None])
@pytest.mark.proves("R003-34")
def test_a_breaker_asks_in_every_mode_but_plan(mode: Mode | None) -> None:
    assert decide_line("rm -rf /", mode=mode, allow=["*"]).stage is Stage.BREAKER


@pytest.mark.proves("R003-31", "R003-35")
def test_plan_and_a_deny_rule_come_before_a_breaker() -> None:
    assert decide_line("rm -rf /", mode=Mode.PLAN).stage is Stage.PLAN
    assert decide_line("rm -rf /", deny=["terminal.exec(rm *)"]).stage is Stage.DENY_RULE


@pytest.mark.parametrize("path", [".", "/project", "src/..", "/", "/etc", "~", "/home/ana", ".."])
@pytest.mark.proves("R003-36")
def test_a_file_tool_that_changes_a_root_asks(path: str) -> None:
    call = given.file_call(given.DELETE_FILE, path)

    assert given.decide_call(call, given.make_snapshot(mode=Mode.AUTO)).stage is Stage.BREAKER


@pytest.mark.proves("R003-36")
def test_a_link_to_a_root_is_that_root() -> None:
    call = given.file_call(given.DELETE_FILE, "build")

    decision = given.decide_call(
        call, given.make_snapshot(mode=Mode.AUTO), links={"/project/build": "/project"}
    )

    assert decision.stage is Stage.BREAKER


@pytest.mark.parametrize("path", ["a.txt", "src", "/srv/data/x"])
def test_a_file_tool_that_changes_anything_else_does_not(path: str) -> None:
    call = given.file_call(given.DELETE_FILE, path)

    assert given.decide_call(call, given.make_snapshot(mode=Mode.AUTO)).verdict is Verdict.RUN


def test_reading_a_root_is_no_catastrophe() -> None:
    assert (
        given.decide_call(given.file_call(given.READ_FILE, "."), given.make_snapshot()).verdict is Verdict.RUN
    )
    assert decide_line("ls /project").verdict is Verdict.RUN


@pytest.mark.parametrize("command", ["rm -rf /work/team", "rm -rf ../..", "rm -rf /work/team/project"])
def test_a_directory_that_holds_the_workspace_is_a_root(command: str) -> None:
    decision = given.decide_call(
        given.shell_call(command), given.make_snapshot(mode=Mode.AUTO), directories=NESTED
    )

    assert decision.stage is Stage.BREAKER


@pytest.mark.parametrize("command", ["rm -rf ~", "rm -rf ~/"])
def test_an_unknown_home_directory_is_a_root(command: str) -> None:
    homeless = CallDirectories(roots=("/project",), cwd="/project")

    assert (
        given.decide_call(
            given.shell_call(command), given.make_snapshot(mode=Mode.AUTO), directories=homeless
        ).stage
        is Stage.BREAKER
    )


def test_a_failed_change_of_directory_leaves_the_line_in_its_start_directory() -> None:
    call = given.shell_call("cd build; rm -rf *")
    snapshot = given.make_snapshot(mode=Mode.AUTO)
    facts = given.make_facts(call, snapshot)
    nowhere = Facts(
        directories=given.DIRECTORIES,
        real={path: real for path, real in facts.real.items() if "build" not in path},
    )

    assert decide(call, snapshot, nowhere).stage is Stage.BREAKER


def deploy_breaker(part: Part, facts: Facts) -> str | None:
    return "not on a Friday" if "deploy" in part.text else None


@pytest.mark.proves("R003-37")
def test_a_custom_breaker_is_as_strict_as_a_built_in_one() -> None:
    snapshot = given.make_snapshot(mode=Mode.AUTO, allow=["*"], breakers=(deploy_breaker,))

    tripped = given.decide_call(given.shell_call("make deploy"), snapshot)

    assert (tripped.stage, tripped.because) == (Stage.BREAKER, "circuit breaker: not on a Friday")
    assert given.decide_call(given.shell_call("make build"), snapshot).verdict is Verdict.RUN
    assert given.decide_call(given.shell_call("rm -rf /"), snapshot).stage is Stage.BREAKER


@pytest.mark.proves("R003-37", "T-31")
def test_a_parents_breaker_binds_its_child() -> None:
    parent = given.make_snapshot(mode=Mode.AUTO, breakers=(deploy_breaker,))

    decision = given.decide_call(
        given.shell_call("make deploy"), replace(given.make_snapshot(mode=Mode.AUTO), parent=parent)
    )

    assert decision.stage is Stage.BREAKER


def test_a_custom_breaker_checks_calls_of_every_dialect() -> None:
    tool = Tool(name="ci.deploy", effect=Effect.READ)

    decision = given.decide_call(
        Call(tool=tool.name, args={}), given.make_snapshot(tool, breakers=(deploy_breaker,))
    )

    assert decision.stage is Stage.BREAKER


def known_values_of_command(line: str, program: str = "rm") -> list[str]:
    parts = parse_line(line, BASH).all_parts
    part = next(one for one in parts if one.command is not None and one.command.program == program)
    return KnownValues(parts).values_for_part(part)


@pytest.mark.proves("T-25")
@pytest.mark.parametrize(
    ("line", "values"),
    [
        ('rm "$(echo /a)"', ["/a"]),
        ("rm `printf '/a'`", ["/a"]),
        ('rm "$(readlink -f /a)"', ["/a"]),
        ('rm "$(pwd -P)"', ["."]),
        ('sudo rm "$(echo /a)"', ["/a"]),
        ("rm $DISK", ["/dev/sda"]),
        ("rm /dev/x", []),
        ('x=$(echo /a); rm "$x"', ["/a"]),
        ('x=$(echo /a); rm "$y"', []),
        ('f() { rm "$1"; }; f /a "$X" b', ["/a"]),
        ('f() { rm "$y"; }; f /a', []),
        ('set -- /a; rm "$1"', ["/a"]),
        ('read x <<< "/a b"; rm "$x"', ["/a"]),
        ('read x <<< /a; rm "$y"', []),
        ('echo /a | while read -r x; do rm "$x"; done', ["/a"]),
        ('cat <<< /a; rm "$x"', []),
    ],
)
def test_an_unknown_word_may_be_what_the_line_spells_out(line: str, values: list[str]) -> None:
    assert known_values_of_command(line) == values


def test_a_part_without_a_command_has_no_known_values() -> None:
    part = Part("rm $x")

    assert KnownValues((part,)).values_for_part(part) == []


def test_the_shortest_paths_are_tried_and_not_too_many() -> None:
    values = known_values_of_command(
        'read x <<< "' + " ".join(f"/a/{number}" for number in range(100)) + ' /"; rm "$x"'
    )

    assert (len(values), values[0]) == (MAX_VALUES, "/")


@pytest.mark.proves("T-25")
@pytest.mark.parametrize(
    ("line", "values"),
    [
        ('dd if=a of="$1"', ["/dev/sda"]),
        ("dd if=$FILE of=${X}", ["/dev/sda"]),
        ("dd if=a of=$OUT", []),
        ('dd if=a of="$tmpdir/x"', []),
        ("dd if=$X of=a", []),
    ],
)
def test_an_image_copied_to_an_unknown_target_may_overwrite_a_disk(line: str, values: list[str]) -> None:
    assert known_values_of_command(line, "dd") == values


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("while true; do x & done", "a loop starts processes without end"),
        ("for ((;;)); do x & done", "a loop starts processes without end"),
        ("until false; do sleep 1 & done", "a loop starts processes without end"),
        ("while true; do f() { y & }; (x &); done", "a loop starts processes without end"),
        ("python3 -c 'import os; [os.fork() for _ in iter(int, 1)]'", "starts processes without end"),
    ],
)
def test_a_loop_that_only_starts_processes_trips_a_breaker(line: str, reason: str) -> None:
    decision = given.decide_call(given.shell_call(line), given.make_snapshot(allow=["terminal.exec"]))

    assert decision.stage is Stage.BREAKER
    assert reason in decision.because


@pytest.mark.parametrize(
    "line",
    [
        "for ((;;)); do x & wait; done",
        "for ((i=0;i<3;i++)); do x & done",
        "while true; do f() { x & }; done",
        "while true; do sleep 60 & wait $!; done",
    ],
)
def test_a_loop_that_waits_or_ends_trips_no_breaker(line: str) -> None:
    decision = given.decide_call(given.shell_call(line), given.make_snapshot(allow=["terminal.exec"]))

    assert decision.stage is not Stage.BREAKER
