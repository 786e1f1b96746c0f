"""A command only reads if its flags are listed and its operands are of a known kind."""

import pytest

from assent.engine.policy.modes import Mode
from assent.engine.policy.verdict import Verdict
from tests.engine import given

READS = """
    ls -la src
    cat a b
    head -5 a
    head -n 5 a
    tail -n +3 a
    grep -rn x src
    grep -e x -f patterns src
    wc -l < a
    sort -u a
    git status
    git -C src log --oneline
    git diff HEAD~1 -- src/a
    git --version
    git -c color.ui=never log
    git --help
    git diff --no-index a b
    git diff $(git merge-base main HEAD)..HEAD
    git show $(git rev-parse HEAD):src/a
    pushd src && ls && popd
    set -euo pipefail; ls
    F=a; cat $F
    while IFS= read -r l; do echo "$l"; done < a
    i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done
    head a -n 3
    time (ls | wc -l)
    less a
    ls | tee /dev/null | wc -l
    date +%Y
    node --version
    tar -tf a.tar
    uniq a
    echo $X
    ls *
    wc *
    cat -- -a
    printf '%s\\n' x
    pwd
    true
"""
OUTSIDE = """
    head a -n /etc/passwd
    stat a -f /etc/passwd
    git diff --no-index a /etc/passwd
    git diff $(git rev-parse HEAD)/../../etc/passwd
    git show $(git rev-parse HEAD):.env
    git show "v$X:.env"
    find -L . | xargs cat
    find . -name .env -exec cat {} +
    cat $'\\x{2f}etc/passwd'
"""
ASKS = """
    ls $(rm x)
    sort -o a b
    sort --output=a b
    sort --outp=a b
    find . -delete
    find . -exec rm {} +
    date -s now
    hostname evil
    rg --pre ./x.sh foo
    ./ls
    sudo cat a
    uniq a b
    uniq a -c
    git --help log
    git -c core.pager=./x log
    x=$(cat f); [ $x ]
    x=$(cat f); test $x = y
    pushd a; pushd b; popd; popd; cat ../x
    pushd +1; cat x
    pushd ..; popd; cat ../x
    PATH=.; ls
    LD_PRELOAD=./x; ls
    F=a; export F; ls
    set -a; F=a; ls
    tar -xf a.tar
    git push
    git -c core.pager=x log
    git log --output=x
    git log --outp=x
    git
    sort *
    find $X
    git log $X
    cat --unknown a
    node
    node x.js
    sed -i s/a/b/ a
    cat > a
    echo x > a
    readelf @list
    curl http://x
    strings http://x
"""


def split_lines(table: str) -> list[str]:
    return [line.strip() for line in table.strip().splitlines()]


@pytest.mark.parametrize("command", split_lines(READS))
@pytest.mark.parametrize("mode", [Mode.DEFAULT, Mode.PLAN])
@pytest.mark.proves("R003-44", "T-21", "D-9")
def test_a_reader_runs_in_every_mode(command: str, mode: Mode) -> None:
    decision = given.decide_call(given.shell_call(command), given.make_snapshot(mode=mode))

    assert decision.verdict is Verdict.RUN, decision.because


@pytest.mark.parametrize("command", split_lines(ASKS))
@pytest.mark.proves("R003-44", "R003-45", "R003-46", "T-21", "D-9")
def test_a_command_that_may_do_more_than_read_asks_and_is_refused_in_plan(command: str) -> None:
    assert given.decide_call(given.shell_call(command), given.make_snapshot()).verdict is Verdict.ASK
    assert (
        given.decide_call(given.shell_call(command), given.make_snapshot(mode=Mode.PLAN)).verdict
        is Verdict.DENY
    )


@pytest.mark.parametrize("command", split_lines(OUTSIDE))
@pytest.mark.proves("T-21", "T-22", "T-27")
def test_a_reader_that_may_leave_the_workspace_asks(command: str) -> None:
    assert given.decide_call(given.shell_call(command), given.make_snapshot()).verdict is Verdict.ASK
