"""Files that a line writes and then runs."""

import pytest

from assent.engine.shell.command import HOLE
from assent.engine.shell.drafts import LONGEST_DRAFT, drafted
from assent.engine.verdict import Verdict
from tests.engine.given import decided, policy, run
from tests.engine.shell.reading import read


def drafts(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for command in read(text).commands:
        drafted(command, found)
    return found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("echo rm x > s", {"s": "rm x\n"}),
        ("echo -n ls > ./s", {"s": "ls\n"}),
        ("echo ls > s; echo rm x >> s", {"s": "ls\nrm x\n"}),
        ("echo ls > s; false && echo rm x > s", {"s": "ls\nrm x\n"}),
        ("printf 'rm %s\\n' x > s", {"s": "rm x\n\n"}),
        ("printf '%s' > s", {"s": f"{HOLE}\n"}),
        ("cat > s <<'E'\nrm x\nE", {"s": "rm x\n\n"}),
        ("tee -a s t <<< ls", {"s": "ls\n", "t": "ls\n"}),
        ("echo rm x | tee s", {"s": "rm x\n"}),
        ("curl -s host > s", {}),
        ("cat a > s", {}),
        ('echo ls > "$X"', {}),
    ],
)
def test_what_a_line_writes_is_known_as_far_as_it_says_so(text: str, said: dict[str, str]) -> None:
    assert drafts(text) == said


@pytest.mark.proves("T-24")
def test_what_prints_nothing_keeps_no_deny_rule_from_the_rest_of_a_line() -> None:
    snapshot = policy(allow=["terminal.exec"], deny=["terminal.exec(rm *)"])

    assert decided(run("printf -- > s; rm x"), snapshot).verdict is Verdict.DENY


def test_what_grows_too_long_is_not_known() -> None:
    assert drafts(f"echo {'x' * LONGEST_DRAFT} > s") == {"s": HOLE}


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    "line",
    [
        "echo 'rm x' > s; sh s",
        "echo 'rm x' > s.sh && chmod +x s.sh && ./s.sh",
        "cat > s.sh <<'E'\n#!/bin/sh\nrm x\nE\nbash ./s.sh a",
        "printf 'rm x' > s; . ./s",
        "echo 'rm x' > s; sh < s",
        "echo 'rm x' > s; echo ls > t; bash --rcfile t s",
        "echo 'rm x' > s; sudo sh s",
        "echo 'import os; os.system(\"rm x\")' > a.py; python3 a.py",
    ],
)
def test_a_deny_rule_sees_what_a_file_of_the_line_would_run(line: str) -> None:
    snapshot = policy(allow=["terminal.exec"], deny=["terminal.exec(rm *)"])

    assert decided(run(line), snapshot).verdict is Verdict.DENY


@pytest.mark.parametrize(
    "line",
    [
        "echo 'rm x' > s; cat s",
        "echo 'rm x' > s; sh t",
        "echo 'ls' > s; sh s",
        "printf '#!/usr/bin/env python3\\nprint(1)\\n' > s; ./s",
        "echo '{}' > a.json; ./tool a.json",
        "echo 'rm x' > a.txt; ./tool a.txt",
        "cat > s <<E\necho $HOME\nE\nsh s",
    ],
)
def test_a_file_that_is_not_run_or_says_something_else_is_let_be(line: str) -> None:
    snapshot = policy(allow=["terminal.exec"], deny=["terminal.exec(rm *)"])

    assert decided(run(line), snapshot).verdict is Verdict.RUN
