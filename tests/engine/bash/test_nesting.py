"""A denied command never runs without approval, in any construct and at any depth."""

import shlex

import pytest
from hypothesis import assume, settings
from hypothesis import given as any_of
from hypothesis import strategies as st

from assent.engine.policy.modes import Mode
from assent.engine.policy.verdict import Stage, Verdict
from tests.conftest import IS_DEEP_RUN
from tests.engine import given

# Each contains another line instead of `@`, or in quotes instead of `%`.
TRANSPARENT = {
    "then": "if true; then @; fi",
    "condition": "if @; then ls; fi",
    "else": "if false; then ls; else @; fi",
    "elif": "if false; then ls; elif @; then ls; fi",
    "while": "while @; do ls; done",
    "while body": "while true; do @; done",
    "until": "until false; do @; done",
    "for": "for f in a b; do @; done",
    "counted for": "for ((i=0; i<3; i++)); do @; done",
    "case": "case x in x) @ ;; esac",
    "case of many": "case $1 in a|b) ls ;; *) @ ;; esac",
    "group": "{ @; }",
    "subshell": "(@)",
    "function": "f() { @; }; f",
    "and": "ls && @",
    "or": "ls || @",
    "after": "ls; @",
    "before": "@; ls",
    "next line": "ls\n@",
    "background": "@ & ls",
    "pipe to": "ls | @",
    "pipe from": "@ | cat",
    "negation": "! @",
    "time": "time @",
    "substitution": "echo $(@)",
    "quoted substitution": 'echo "a $(@) b"',
    "in a redirection": "cat < $(@)",
    "in an assignment": "a=$(@)",
    "before a command": "A=$(@) ls",
    "in arithmetic": "echo $(( $(@) + 1 ))",
    "in a test": "[[ -n $(@) ]]",
    "in a loop's list": "for f in $(@); do ls; done",
    "in a case's word": "case $(@) in a) ls ;; esac",
    "process substitution": "cat <(@)",
    "output substitution": "ls > >(@)",
    "here-string": 'cat <<< "$(@)"',
    "default value": "echo ${x:-$(@)}",
    "here-document": "cat <<E\n$(@)\nE",
    "comment before": "# note\n@",
    "comment behind": "@ # note",
    "redirected": "{ @; } > /dev/null 2>&1",
    "array": "a=($(@))",
}
# These run it as the words of a command of its own, or as a text.
WRAPPING = {
    "sh -c": "sh -c %",
    "bash -c": "bash -c %",
    "eval": "eval %",
    "timeout": "timeout 5 @",
    "nice": "nice -n 3 @",
    "nohup": "nohup @",
    "env": "env A=1 @",
    "sudo": "sudo @",
    "sudo as": "sudo -u root @",
    "command": "command @",
    "exec": "exec @",
    "xargs": "echo a | xargs @",
    "find": "find . -exec @ {} +",
    "setsid": "setsid @",
    "stdbuf": "stdbuf -oL @",
    "assignment": "A=1 @",
    "trap": "trap % EXIT",
    "bash here-document": "bash <<'E'\n@\nE",
    "bash here-string": "bash <<< %",
    "watch": "watch %",
}
WRAPPER_WORDS = {name: text.partition("@")[0] for name, text in WRAPPING.items() if " @" in text}
KEYWORDS = ("!", "if", "while", "until", "for", "case", "{")
TAKES_ASSIGNMENTS = ("env", "sudo", "sudo as", "assignment")
DISGUISES = (
    "rm x",
    "/bin/rm x",
    "'rm' x",
    '"rm" x',
    "\\rm x",
    "r''m x",
    "rm  x",
    "rm $X",
    "$'rm' x",
    "rm -- x",
)

DENYING = given.make_snapshot(deny=["terminal.exec(rm *)"], allow=["terminal.exec"], mode=Mode.AUTO)
SIMPLE = st.sampled_from(DISGUISES)
LAYERS = st.lists(st.sampled_from(sorted(TRANSPARENT)), min_size=1, max_size=4)


def wrap_command(command: str, layers: list[str]) -> str:
    for layer in layers:
        command = {**TRANSPARENT, **WRAPPING}[layer].replace("@", command).replace("%", shlex.quote(command))
    return command


def runs_other_program(text: str) -> bool:
    """Whether a wrapper runs another program than `rm`.

    Its name is a keyword or an assignment, or `find` passes the found files to `bash`.
    """
    return "find . -exec bash <<<" in text or any(
        f"{words}{first} " in text
        for name, words in WRAPPER_WORDS.items()
        for first in (*KEYWORDS, *(() if name in TAKES_ASSIGNMENTS else ("A=1",)))
    )


def verdict_of_line(text: str, **more: object) -> Verdict:
    return given.decide_call(given.shell_call(text), given.make_snapshot(**more)).verdict


def test_there_are_more_than_thirty_constructs() -> None:
    assert len(TRANSPARENT) + len(WRAPPING) > 50


@pytest.mark.parametrize("name", [*TRANSPARENT, *WRAPPING])
@pytest.mark.parametrize("command", DISGUISES)
@pytest.mark.proves("T-20", "T-24", "R003-42", "R003-45", "R003-47")
def test_a_denied_command_is_denied_in_every_construct(name: str, command: str) -> None:
    text = wrap_command(command, [name])

    decision = given.decide_call(given.shell_call(text), DENYING)

    # Quotes in arithmetic and a backslash that begins a line are refused as a whole.
    refused = name in ("in arithmetic", "next line", "bash here-document", "comment before")
    assert decision.verdict is Verdict.DENY or (refused and decision.stage is Stage.UNREADABLE), text


@pytest.mark.parametrize("name", [*TRANSPARENT, *WRAPPING])
@pytest.mark.proves("T-20", "R003-41", "R003-44")
def test_a_changing_command_does_not_only_read_in_any_construct(name: str) -> None:
    text = wrap_command("rm x", [name])

    assert verdict_of_line(text) is Verdict.ASK, text
    assert verdict_of_line(text, mode=Mode.PLAN) is Verdict.DENY, text


@pytest.mark.parametrize("name", [*TRANSPARENT, *WRAPPING])
@pytest.mark.proves("T-20", "R003-41", "R003-45")
def test_an_allow_rule_for_the_outer_command_does_not_cover_the_inner_one(name: str) -> None:
    outer = [
        "echo *",
        "cat *",
        "ls *",
        "f",
        "a=*",
        "A=* ls",
        "sh *",
        "bash *",
        "eval *",
        "env *",
        "sudo *",
        "xargs *",
    ]
    outer += [
        "find *",
        "timeout *",
        "nice *",
        "nohup *",
        "command *",
        "exec *",
        "trap *",
        "watch *",
        "setsid *",
        "[[ *",
    ]
    text = wrap_command("rm x", [name])

    assert verdict_of_line(text, allow=[f"terminal.exec({one})" for one in outer]) is Verdict.ASK, text


@settings(max_examples=2_000 if IS_DEEP_RUN else 300)
@any_of(SIMPLE, LAYERS)
@pytest.mark.proves("T-20", "T-24")
def test_a_denied_command_is_denied_in_any_readable_nesting(command: str, layers: list[str]) -> None:
    text = wrap_command(command, layers)

    decision = given.decide_call(given.shell_call(text), DENYING)

    # What cannot be read as a whole at least asks; all the rest must be denied.
    assert decision.verdict is Verdict.DENY or decision.stage is Stage.UNREADABLE, text


@settings(max_examples=2_000 if IS_DEEP_RUN else 300)
@any_of(st.lists(st.sampled_from(sorted({**TRANSPARENT, **WRAPPING})), min_size=1, max_size=5))
@pytest.mark.proves("T-20", "T-24")
def test_a_denied_command_never_runs_in_any_nesting(layers: list[str]) -> None:
    text = wrap_command("rm x", layers)
    assume(not runs_other_program(text))

    assert given.decide_call(given.shell_call(text), DENYING).verdict in (Verdict.DENY, Verdict.ASK), text
