"""Lines that once ran without approval, in one table per class of attack."""

import pytest

from assent.engine.base.facts import Facts
from assent.engine.decide import decide
from assent.engine.policy.modes import Mode
from assent.engine.policy.path_rules import PathRules
from assent.engine.policy.verdict import Stage, Verdict
from tests.engine import given


def decide_line(line: str, mode: Mode = Mode.DEFAULT, **rules: list[str]) -> tuple[Verdict, Stage]:
    decision = given.decide_call(given.shell_call(line), given.make_snapshot(mode=mode, **rules))
    return decision.verdict, decision.stage


@pytest.mark.proves("T-20")
@pytest.mark.parametrize(
    "line",
    [
        "[ a > b ]",
        "[[ $(cat f) -eq 1 ]]",
        "for PATH in ./x; do ls; done",
        "((PATH=1)); ls",
        ": ${PATH:=x}",
        "echo ${!x}",
        "x=$(cat f); echo ${a[x]}",
        "x=$(cat f); echo ${s:x}",
        "echo $(( $(cat f) ))",
        "find . | grep -o /etc/passwd | xargs cat",
        "ls | rev | xargs cat",
        "find . -name .env | xargs cat",
        "ls -a | grep env | xargs cat",
        "find . | while read -r -d x f; do cat $f; done",
        "unzip evil.zip -l x",
        "tar tff a b",
        "read http_proxy <<< x",
        "git() { id; }; git status",
        "{ls;}",
        "ls ;;",
        "[x]",
        "echo $GITHUB_TOKEN",
        "echo ${x:-$GITHUB_TOKEN}",
        "cat /dev/fd/../../etc/passwd",
        "cd nowhere/.. && cd / && ls",
        "time cd /etc && cat passwd",
        "command -p cd /etc; cat passwd",
        "{ cd ..; } >/dev/null; cat etc/passwd",
        "x=a; { x=/etc/passwd; } 2>/dev/null; cat $x",
        "while :; do cat etc/passwd; cd ..; done",
        "for ((i=0;i<2;i++)); do cd ..; done; cat etc/passwd",
        "cat <<E && cd ..\nx\nE\ncat etc/passwd",
        "cd ..<<<x && cat etc/passwd",
        "x=src; declare x=/etc; cat $x/passwd",
        "x=; : ${x:=/etc/passwd}; cat $x",
        "x=$PWD; cd a/b; cat $x/../../etc/passwd",
        'x=a; c""d ..; cat etc/passwd',
        "[[ $(cat list; true | wc -l) -eq 1 ]]",
        "if a; then x=0' --output=x'; fi; git log $x",
        "read q < f; : ${i[0]:=$q}; [[ $i -eq 1 ]]; i=0",
        "x=; : ${x[0]:=/etc/passwd}; cat $x",
        "echo $STRIPE_SECRET_KEY; STRIPE_SECRET_KEY=0",
        "if true; then wc() { cat list; }; fi; [[ $(ls | wc -l) -eq 1 ]]",
        "ls() { cat list; }; f() { ls | xargs cat; }; f",
        "git diff --no-index $(git rev-parse .env) x",
        "ls | xargs cat < list",
        "bash -c 'echo $(($1))' _ 'a[$(id)]'",
        ": 'a[$(id)]'; echo $((_))",
        "read -r < f; echo $((REPLY))",
        "REPLY=a; read -r < f; cat $REPLY",
        "ls | xargs cat <&3",
        "ls | sort < list | xargs cat",
        'ls | while read -r f; do cat "$f"; done < list',
        'ls | while read -r f <<< /etc/passwd; do cat "$f"; done',
        'ls | { f() { read -r x; cat "$x"; }; f < list; }',
        "ls | sh -c 'f() { xargs cat; }; f < list'",
        "ls | sh -c 'xargs cat < list'",
        "cp .env x",
        "npm run build < ~/.ssh/id_rsa",
    ],
)
def test_an_attack_never_runs_without_asking(line: str) -> None:
    assert decide_line(line)[0] is Verdict.ASK


@pytest.mark.parametrize(
    "line",
    [
        "for f in a.txt b.txt; do wc -l $f; done",
        "for ((i=0; i<3; i++)); do echo $i; done",
        "git ls-files | while read -r f; do wc -l $f; done",
        "cd src; ls; cd ..; ls",
        "echo ${a[0]} ${a[@]} ${s:0:5} ${#x}",
        "f() { ls; }; f",
        "cat $(git ls-files | head -3)",
        "ls $(pwd)",
        "select f in a; do ls; done",
        "case $x in a|b) ls;; *) pwd;; esac",
        "cat <<< `date`",
        "time { ls; }",
    ],
)
def test_a_similar_harmless_line_only_reads(line: str) -> None:
    assert decide_line(line) == (Verdict.RUN, Stage.READ)


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    "line",
    [
        "[[ 'a[$(rm x)]' -eq 1 ]]",
        "test -v 'a[$(rm x)]'",
        "printf -v 'a[$(rm x)]' y",
        "x='a[$(rm x)]'; echo $((x))",
        "source <(echo rm x)",
        "bash <(echo rm x)",
        "f() { ls; }; xargs -I% bash -c 'rm %'",
    ],
)
def test_a_denied_command_in_a_text_that_is_evaluated_is_at_least_asked_about(line: str) -> None:
    assert decide_line(line, deny=["terminal.exec(rm *)"], allow=["terminal.exec"])[0] is not Verdict.RUN


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    "line",
    [
        "r\\\nm x",
        "{rm,x}",
        "coproc C { rm x; }",
        "X=ls; X=rm; $X y",
        "cat <<E\n`rm x`\nE",
        'echo "${Q:-`rm x`}"',
    ],
)
def test_a_denied_command_is_seen_however_it_is_spelled(line: str) -> None:
    assert decide_line(line, deny=["terminal.exec(rm *)"], allow=["terminal.exec"])[0] is Verdict.DENY


@pytest.mark.proves("T-30")
@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("cat src/*", "cat src/../../etc/passwd"),
        ("rm build/*", "rm build/.."),
        ("rm *.pyc", "rm -rf.pyc"),
        ("rm *.pyc", "rm /etc/a.pyc"),
        ("npm run *", "npm run build < /etc/passwd"),
        ("npm run *", "cd / && npm run build"),
        ("npm run *", "npm run build > out"),
        ("xargs *", "xargs rm"),
    ],
)
def test_an_allow_rule_does_not_cover_an_attack(rule: str, line: str) -> None:
    assert decide_line(line, allow=[f"terminal.exec({rule})"])[0] is Verdict.ASK


@pytest.mark.proves("T-25")
@pytest.mark.parametrize(
    "line",
    [
        'cd "$X" && rm -rf *',
        "rm -rf ${X:-~}",
        "rm -rf ${HOME:?}",
        "rm -rf /usr/lib",
        "rm -rf /proc/self/root",
        "mkfs.ext4 $DEV",
        "dd of=/dev/../dev/sda",
        "echo / | xargs rm -rf",
        "xargs rm -rf <<< /",
        "find / | xargs rm -rf",
        "mv /etc/passwd /tmp",
        "sed -i d /etc/passwd",
        "pushd /; rm -rf *",
    ],
)
def test_a_catastrophe_trips_a_breaker(line: str) -> None:
    assert decide_line(line, Mode.AUTO) == (Verdict.ASK, Stage.BREAKER)


@pytest.mark.proves("T-25")
def test_a_missing_directory_leaves_the_line_in_its_start_directory() -> None:
    call, policy = given.shell_call("cd gone; rm -rf *"), given.make_snapshot(mode=Mode.AUTO)
    nothing_known = Facts(directories=given.DIRECTORIES)

    assert decide(call, policy, nothing_known).stage is Stage.BREAKER
    assert given.decide_call(call, policy).stage is Stage.MODE


@pytest.mark.proves("T-25")
@pytest.mark.parametrize(
    "line",
    [
        "chmod -R 755 .",
        "mv ./* build/",
        "rm -rf ../sibling",
        "rm -rf '*'",
        'rm -rf "${DIR:?}"/*',
        "echo x >> /etc/hosts",
        "echo x | tee -a /etc/hosts",
        "rm -rf /tmp/*",
        "diskutil apfs list",
        "parted -l /dev/sda",
        "rm -rf /usr/share/app/tmp",
    ],
)
def test_an_ordinary_line_trips_no_breaker(line: str) -> None:
    assert decide_line(line, Mode.AUTO)[1] is not Stage.BREAKER


@pytest.mark.proves("T-29")
@pytest.mark.parametrize(
    "line",
    [
        "cd .git && echo x > config",
        "rm -rf .g*",
        "find . -name .git -exec rm -rf {} +",
        "git config core.hooksPath x",
        "git checkout -- .claude/settings.json",
        "node x.js --out=.git/config",
        "touch team.code-workspace",
        "rm $(find .git)",
        "for f in $(find .git -type f); do rm $f; done",
        "while read f; do rm $f; done < <(find .git)",
        "mapfile -t a < <(find .git); rm ${a[@]}",
        "x=$(find .git -name config); echo y > $x",
        "cp x $(find .git -name hooks)/pre-commit",
        "find . -name .git | xargs rm -rf",
        "find . -mindepth 1 ! -name .git -prune -o -exec rm -rf {} +",
        "a=(.git/config); rm ${a[@]}",
        "read f <<< .git/config; rm $f",
        "cd $(git rev-parse --git-dir) && rm config",
        "flock .git/hooks/pre-commit true",
        "socat -u STDIN CREATE:.git/hooks/pre-commit",
        "find src | cpio -pd .git/hooks",
        "GIT_TRACE=$PWD/.git/hooks/x git status",
        "export GIT_TRACE2_EVENT=/project/.claude/x; git status",
        "vim -es -c 'w! .git/config' a",
        "sqlite3 a.db '.once .git/config' 'select 1'",
        "echo 3.11 > .python-version",
        "pyenv local 3.11",
        "git apply --directory=.claude p",
    ],
)
def test_a_protected_path_asks(line: str) -> None:
    assert decide_line(line, Mode.AUTO) == (Verdict.ASK, Stage.PROTECTED_PATH)


@pytest.mark.proves("T-23", "T-28", "R-21")
@pytest.mark.parametrize(
    "line",
    [
        "; ".join(["a0=aaaaaaaa", *(f"a{i}=$a{i - 1}$a{i - 1}" for i in range(1, 40)), "$a39"]),
        "ls|" * 5_000,
        "${" * 5_000,
        ") ls " * 1_000,
        "a=(" * 2_000,
        "bash <<< " * 40 + "ls",
        "find . " + "-exec x \\; " * 30,
        "echo " + "a " * 9_000,
        "sudo " * 30 + "ls",
    ],
    ids=["doubling", "pipes", "braces", "closing", "arrays", "here", "actions", "words", "wrapped"],
)
def test_a_line_that_takes_too_much_work_asks(line: str) -> None:
    assert decide_line(line, Mode.AUTO) == (Verdict.ASK, Stage.UNREADABLE)


@pytest.mark.proves("R-18")
def test_too_long_or_too_many_paths_are_unknown() -> None:
    long, many = "a/" * 5_000, ["a"] * 300
    policy = given.make_snapshot(mode=Mode.AUTO)

    assert given.decide_call(given.file_call(given.SAVE_FILE, long), policy).verdict is Verdict.RUN
    assert (
        given.decide_call(given.file_call(given.SAVE_FILE, long), given.make_snapshot()).stage is Stage.MODE
    )
    assert given.decide_call(given.file_call(given.SAVE_FILE, many), policy).stage is Stage.UNREADABLE


def test_without_path_rules_none_is_reported() -> None:
    with pytest.raises(LookupError):
        PathRules(()).first_rule()


@pytest.mark.parametrize(
    "line",
    [
        "find . -not -path './.git/*' -name '*.py' | xargs sed -i s/a/b/",
        "find . -path ./.git -prune -o -name '*.pyc' -exec rm {} +",
        "find . '(' -name .git -o -name dist ')' -prune -o -name '*.ts' -exec sed -i s/a/b/ {} +",
        "grep -rl a --exclude-dir=.git . | xargs sed -i s/a/b/",
        "sed -i s/a/b/ $(grep -rl a src)",
        "rm -rf $(find . -name __pycache__)",
        "ls .git; rm -rf $TMP",
        "cat .git/HEAD; echo x > $OUT",
        "GIT_TRACE=1 git fetch",
        "LOG_FILE=out.log npm test",
        "flock /tmp/x.lock make",
        "make -f build.mk all",
        "tmux send-keys -t dev 'npm test' Enter",
        "cmake -E make_directory build",
        "mvn -Dtest=A test",
        "while read -r a; do echo $((a)); done < numbers > out",
        "x=(a b); touch ${x[@]}",
        "awk -f prog.awk data > out",
    ],
)
def test_an_ordinary_change_runs_in_auto(line: str) -> None:
    assert decide_line(line, Mode.AUTO, deny=["terminal.exec(shutdown *)"]) == (Verdict.RUN, Stage.MODE)


@pytest.mark.proves("T-32")
@pytest.mark.parametrize(
    "line",
    [
        "ls | xargs cat",
        "find . -name '*.py' | xargs wc -l",
        "for f in $(git ls-files); do cat $f; done",
        "find . -name '*.py' -exec cat {} +",
        "find . -type f -name '*.py' | xargs cat",
        "find . -type f -name '*.py' -o -name x -exec cat {} +",
        "find . ! -type f -exec wc -l {} +",
        "find . -type f | head -3 | xargs -0 wc -l",
        "ls | xargs -0 cat",
        "git ls-files -z | xargs -0 cat",
        "diff -r a b",
    ],
)
def test_names_and_links_of_a_repository_are_followed_only_where_it_is_trusted(line: str) -> None:
    call, policy = given.shell_call(line), given.make_snapshot()

    assert given.decide_call(call, policy, trusted=True).stage is Stage.READ
    assert given.decide_call(call, policy, trusted=False).verdict is Verdict.ASK


@pytest.mark.parametrize(
    "line",
    [
        "diff -r --no-dereference a b",
        "diff a b",
        "find . -name '*.py' | wc -l",
        "ls | xargs echo",
        "find . -type f -name '*.py' -exec cat {} +",
        "find . -type f -print0 | xargs -0 wc -l",
    ],
)
def test_a_command_that_follows_no_link_needs_no_trust(line: str) -> None:
    assert given.decide_call(given.shell_call(line), given.make_snapshot(), trusted=False).stage is Stage.READ
