"""A question names the part of the call that it is about, and what about it."""

import pytest

from assent.engine.base.facts import FileState
from assent.engine.base.reason import ReasonCode
from assent.engine.base.sentences import to_sentence
from assent.engine.base.tool import Call, Effect, Tool
from assent.engine.base.value import replace
from assent.engine.decide import decide, searches_to_make
from assent.engine.part_reasons import MAX_SHOWN_LENGTH
from assent.engine.policy.modes import Mode
from assent.engine.policy.verdict import Verdict
from tests.engine import given


def because_of(line: str) -> str:
    return given.decide_call(given.shell_call(line), given.make_snapshot()).because


@pytest.mark.proves("D-8")
@pytest.mark.parametrize(
    ("line", "because"),
    [
        ("npm run build", "`npm run build` runs this project's code"),
        ("ls && npm run build", "`npm run build` runs this project's code"),
        ("timeout 5 npm run build", "`npm run build` runs this project's code"),
        ("./tools/x.sh a", "`./tools/x.sh a` runs this project's code"),
        ("go build ./...", "`go build ./...` builds, checks or formats this project's files"),
        ("staticcheck ./...", "`staticcheck ./...` builds, checks or formats this project's files"),
        ("npm install left-pad", "`npm install left-pad` downloads or installs software"),
        ("npm publish", "`npm publish` sends data to another machine"),
        ("git commit -m x", "`git commit -m x` changes the repository"),
        ("git -C src commit", "`git -C src commit` changes the repository"),
        ("git --frob push", "`git --frob push` sends data to another machine"),
        ("git push", "`git push` sends data to another machine"),
        ("git fetch origin", "`git fetch origin` connects to another machine"),
        ("curl -d x https://a.example", "`curl -d x https://a.example` connects to another machine"),
        ("gh pr create --draft", "`gh pr create --draft` may change data of an online service"),
        ("gh pr create", "`gh pr create` may change data of an online service"),
        ("docker run x", "`docker run x` may start or change containers"),
        ("systemctl stop x", "`systemctl stop x` may change processes or settings of this machine"),
        ("psql -c 'drop table x'", "`psql -c 'drop table x'` may change a database"),
        ("sudo ls", "`sudo ls` runs a command as another user"),
        ("python3 a.py", "`python3 a.py` runs the code in `a.py`"),
        ("python3 -c 'print(open(1))'", "`python3 -c 'print(open(1))'` runs code that is written in the command"),
        ("bash tools/x.sh", "`bash tools/x.sh` runs the code in `tools/x.sh`"),
        ("bash -c 'npm test'", "`npm test` runs this project's code"),
        ("python3", "`python3` runs the code that it gets as its input"),
        ("node scripts/$X.js", "the value of `$X` in `node scripts/$X.js` is unknown"),
        ("perl -e 'system(\"rm x\")'", "`perl -e 'system(\"rm x\")'` runs code that is written in the command"),
        ("sort *.txt", "the value of `*.txt` in `sort *.txt` is unknown"),
        ("sort ${X}", "the value of `${X}` in `sort ${X}` is unknown"),
        ("perl -d", "`perl -d` runs code that is written in the command"),
        ("python3 -m frob", "`python3 -m frob` runs this project's code"),
        ("frob x", "Assent does not know the program `frob`"),
        ("/opt/x/frob x", "Assent does not know the program `/opt/x/frob`"),
        ("rm build/x", "`rm` would delete `build/x`; default mode asks before every change"),
        ("rm /project/x", "`rm` would delete `x`; default mode asks before every change"),
        ("mkdir build", "`mkdir` would create `build`; default mode asks before every change"),
        ("touch a", "`touch` would create or overwrite `a`; default mode asks before every change"),
        ("chmod 600 a", "`chmod` would change `a`; default mode asks before every change"),
        ("echo a > notes.txt", "`>` would create or overwrite `notes.txt`; default mode asks before every change"),
        ("echo a >> notes.txt", "`>>` would add to `notes.txt`; default mode asks before every change"),
        ("> notes.txt", "`>` would create or overwrite `notes.txt`; default mode asks before every change"),
        ("cd src && touch a", "`touch` would create or overwrite `src/a`; default mode asks before every change"),
        ("touch ../a", "`touch` would change `../a`, which is outside the workspace"),
        ("cp a b /srv/", "`cp` would change `/srv/`, which is outside the workspace"),
        ("cp a $TO", "`cp` would change a path that is not known: the value of `$TO` is unknown"),
        ("cp a $(frob)", "Assent does not know the program `frob`"),
        ("sort $FLAGS a", "the value of `$FLAGS` in `sort $FLAGS a` is unknown"),
        ("sort $(cat a) b", "the value of `$(…)` in `sort …` is unknown"),
        ("for f in a b; do (( f + $RANDOM )); done", "`(( …` depends on a value that is unknown"),
        ("git log --frob", "`git log --frob` may do more than read, because of `--frob`"),
        ("git log $X", "the value of `$X` in `git log $X` is unknown"),
        ("sort --frob a", "`sort --frob a` may do more than read, because of `--frob`"),
        ("date -s 1", "`date -s 1` may change processes or settings of this machine"),
        ("find . -frob", "`find . -frob` may do more than read"),
        ("alias a=b", "Assent does not know the program `b`"),
        ("export STAGE=x", "the variable `STAGE` may change what programs do"),
        ("export -p", "`export -p` may do more than read"),
        ("cd /srv && cd a", "`cd a` leads to a directory outside the workspace"),
        ("PATH=x", "the variable `PATH` may change what programs do"),
        ("GIT_DIR=x git log", "the variable `GIT_DIR` may change what programs do"),
        ("export STAGE=x && npm test", "`npm test` runs this project's code"),
        ("touch a && npm test", "`npm test` runs this project's code"),
        ("cd $WHERE && ls", "the directory in which `ls` runs is not known, after `cd $WHERE`"),
        ("cat ../a", "`cat` reads `../a`, which is outside the workspace"),
        ("cat .env", "`cat` reads `.env`, which may hold secrets"),
        ("cat ~/.ssh/id_rsa", "`cat` reads `~/.ssh/id_rsa`, which is outside the workspace and may hold secrets"),
        ("cat $X", "`cat` reads a path that is not known: the value of `$X` is unknown"),
        ("echo $API_TOKEN", "it uses the value of `$API_TOKEN`, which may be a secret"),
        ("cat $(ls -A)", "`cat` reads hidden files, which may hold secrets"),
        ("echo x > .envrc", "`>` would change `.envrc`, which is protected: every change to it needs approval"),
        ("rm .envrc", "`rm .envrc` would change `.envrc`, which is protected: every change to it needs approval"),
        ("frob .envrc", "`frob .envrc` uses `.envrc`, which is protected, and may change it"),
        ("ls; $FROB", "`$FROB` cannot be fully read: it runs a program that is itself computed"),
    ],
)  # fmt: skip
def test_a_question_names_the_part_and_what_about_it(line: str, because: str) -> None:
    assert because_of(line) == because


@pytest.mark.parametrize(
    ("line", "because"),
    [
        ("Remove-Item a.txt", "`Remove-Item` would change `a.txt`; default mode asks before every change"),
        (
            "Invoke-WebRequest https://a.example",
            "`Invoke-WebRequest https://a.example` may do more than read",
        ),
        ("Frob-Item a", "Assent does not know the program `Frob-Item`"),
    ],
)
def test_a_question_about_a_cmdlet_names_what_it_does(line: str, because: str) -> None:
    call = Call(tool=given.POWERSHELL.name, args={"command": line})

    assert given.decide_call(call, given.make_snapshot()).because == because


def test_a_long_command_is_shortened() -> None:
    line = "git commit -m \"$(cat <<'EOF'\nhi\nEOF\n)\""
    assert because_of(line) == "`git commit -m …` changes the repository"
    assert because_of("npm test " + "word " * 40).startswith("`npm test word word")
    assert len(because_of("npm test " + "word " * 40)) < MAX_SHOWN_LENGTH + 40
    assert because_of("npm " + "w" * 99) == f"`npm {'w' * (MAX_SHOWN_LENGTH - 4)}…` runs this project's code"


@pytest.mark.parametrize(
    ("state", "because"),
    [
        (FileState.NEW, "`>` would create `a`; default mode asks before every change"),
        (FileState.CLEAN, "`>` would overwrite `a`; default mode asks before every change"),
        (FileState.FILE, "`>` would change `a`, which has content that Git has not recorded"),
    ],
)
def test_a_change_is_named_by_what_is_at_the_path(state: FileState, because: str) -> None:
    call, snapshot = given.shell_call("echo x > a"), given.make_snapshot()
    facts = given.make_facts(call, snapshot)
    decision = decide(call, snapshot, replace(facts, files={f"{facts.directories.cwd}/a": state}))

    assert decision.because == because


def test_a_command_outside_names_its_directory_and_what_led_there() -> None:
    decision = given.decide_call(given.shell_call("cd /tmp/x && git status"), given.make_snapshot())
    mode = next(step for step in decision.steps if step.reason.code is ReasonCode.RUNS_OUTSIDE)

    assert to_sentence(mode.reason) == (
        "`git status` runs in `/tmp/x`, which is outside the workspace, after `cd /tmp/x`"
    )


@pytest.mark.parametrize(
    ("found", "because"),
    [
        (
            "`.git/config` could run code: it sets `core.fsmonitor`, which this command uses",
            "`git status` only reads, but runs what `core.fsmonitor` in `.git/config` names",
        ),
        ("`a` cannot be searched", "`git status` only reads, but `a` cannot be searched"),
    ],
)
def test_what_a_repository_makes_a_command_run_is_named(found: str, because: str) -> None:
    call, snapshot = given.shell_call("git status"), given.make_snapshot()
    facts = given.make_facts(call, snapshot, trusted=False)
    searches = searches_to_make(call, snapshot, facts.directories)
    decision = decide(call, snapshot, replace(facts, findings={one.key: found for one in searches}))

    assert (decision.verdict, decision.because) == (Verdict.ASK, because)


@pytest.mark.parametrize(
    ("effect", "because"),
    [
        (Effect.EXECUTE, "`x.act` may run code: `a b` (Acts on a)"),
        (Effect.EXTERNAL, "`x.act` may send or change data outside this machine: `a b` (Acts on a)"),
        (Effect.WRITE, "`x.act` may change data: `a b` (Acts on a)"),
        (Effect.DESTRUCTIVE, "`x.act` is declared destructive"),
    ],
)
def test_a_tool_names_what_it_would_do_and_its_subject(effect: Effect, because: str) -> None:
    tool = Tool(name="x.act", effect=effect, template="{what}", description="Acts on a.")
    call = Call(tool="x.act", args={"what": "a b"})

    assert given.decide_call(call, given.make_snapshot(tool)).because == because


def test_the_description_of_another_origin_is_not_shown() -> None:
    tool = Tool(name="x.act", effect=Effect.EXECUTE, description="Harmless.", origin="client x")

    assert given.decide_call(Call(tool="x.act", args={}), given.make_snapshot(tool)).because == (
        "`x.act` may run code"
    )


def test_a_file_tool_names_the_path() -> None:
    inside = given.file_call(given.SAVE_FILE, "/project/src/a.py")
    outside = given.file_call(given.SAVE_FILE, "/srv/a.py")

    assert (
        given.decide_call(inside, given.make_snapshot()).because
        == "`files.save` would change `src/a.py`; default mode asks before every change"
    )
    assert given.decide_call(outside, given.make_snapshot(mode=Mode.ACCEPT_EDITS)).because == (
        "`files.save` would change `/srv/a.py`, which is outside the workspace"
    )
