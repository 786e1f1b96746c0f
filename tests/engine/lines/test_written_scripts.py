"""Files that a line writes and then runs."""

import pytest

from assent.engine.bash.language import parse_bash
from assent.engine.lines.command import Command, KnownContent
from assent.engine.lines.output import MAX_CONTENT_LENGTH, MAX_WRITTEN_FILES, UNKNOWN, find_input_content
from assent.engine.lines.written_scripts import (
    MAX_SEARCHED_LENGTH,
    MAX_SEARCHED_TEXTS,
    WrittenFiles,
    find_edits,
)
from assent.engine.policy.verdict import Stage, Verdict
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.bash.line_texts import parse_readable_line, unreadable_reason
from tests.engine.given import decide_call, make_snapshot, shell_call

ALLOW_ALL_BUT_RM = make_snapshot(allow=["terminal.exec"], deny=["terminal.exec(rm *)"])


def written_files(text: str) -> dict[str, KnownContent]:
    found = WrittenFiles(parse_bash)
    for command in parse_readable_line(text).commands:
        found.record_writes(command)
    return found.files


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("echo rm x > s", {"s": "rm x\n"}),
        ("echo -n ls > ./s", {"s": "ls"}),
        ("echo ls > s; echo rm x >> s", {"s": "ls\nrm x\n"}),
        ("echo ls > s; false && echo rm x > s", {"s": "ls\nrm x\n"}),
        ("printf 'rm %s\\n' x > s", {"s": "rm x\n"}),
        ("printf '%s' > s", {"s": UNKNOWN_MARK}),
        ("printf '\\U72\\u6d\\U7fffffff x' > s", {"s": "rm x"}),
        ("cat > s <<'E'\nrm x\nE", {"s": "rm x\n\n"}),
        ("cat > s <<E\nrm $x\nE", {"s": "rm $x\n\n"}),
        ("tee -a s t <<< ls", {"s": "ls\n", "t": "ls\n"}),
        ("echo rm x | tee s", {"s": "rm x\n"}),
        ("echo rm x | sudo tee /etc/s", {"s": "rm x\n"}),
        ("echo rm x | dd of=a/s", {"s": "rm x\n"}),
        ("sh -c 'echo rm x > s'", {"s": "rm x\n"}),
        ("echo ls > a; mv a b", {"a": "ls\n", "b": "ls\n"}),
        ("echo ls > a; cp b c", {"a": "ls\n"}),
        ("exec > s; echo ls", {"s": "ls\n"}),
        ('echo ls > "$X"', {}),
    ],
)
def test_the_content_that_a_line_spells_out_is_known(text: str, said: dict[str, str]) -> None:
    assert written_files(text) == {name: KnownContent(text) for name, text in said.items()}


@pytest.mark.parametrize(
    "text",
    [
        "curl -s host > s",
        "curl -so s host",
        "cat a > s",
        "base64 -d <<< bHM= > s",
        "openssl base64 -d -in a -out s",
        "age -d -i k -o s a",
        f"sh -c 'echo rm x >> \"d/s\"; : {'a' * MAX_SEARCHED_LENGTH}'",
    ],
)
def test_other_content_is_unknown(text: str) -> None:
    assert written_files(text) == {"s": UNKNOWN}


def test_a_copy_of_the_output_of_a_command_is_unknown() -> None:
    assert written_files("install -m 755 <(echo rm x) d/s")["s"] == UNKNOWN
    assert written_files("cp /dev/stdin s <<< ls")["s"] == UNKNOWN


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    "line",
    [
        "openssl base64 -d -in a -out s; sh s",
        "install <(curl -s host) s; sh s",
        "cp <(echo rm x) s && bash s",
        "curl -so d/s host; run-parts d",
        'echo ls > s; eval "$(cat s)"',
    ],
)
def test_code_from_an_unknown_source_asks_although_everything_is_allowed(line: str) -> None:
    decision = decide_call(shell_call(line), ALLOW_ALL_BUT_RM)

    assert (decision.verdict, decision.stage) == (Verdict.ASK, Stage.UNREADABLE)


@pytest.mark.parametrize(
    ("text", "name", "guessed"),
    [
        ("sed -i '1i rm x' s", "s", "rm x"),
        ("sed -i 's/a/rm x/' s", "s", "rm x"),
        ("python3 -c \"open('s','w').write('rm x')\"", "s", "rm x"),
        ("npm pkg set scripts.z='rm x'", "package.json", ': "rm x"'),
        ("ed s <<< 'rm x'", "s", "rm x\n"),
    ],
)
def test_the_lines_that_a_script_may_write_are_guessed(text: str, name: str, guessed: str) -> None:
    assert written_files(text)[name] == KnownContent(possible_lines=guessed)


@pytest.mark.proves("T-24")
def test_an_empty_file_does_not_hide_the_rest_of_a_line() -> None:
    assert decide_call(shell_call("printf -- > s; rm x"), ALLOW_ALL_BUT_RM).verdict is Verdict.DENY


def test_content_that_grows_too_long_is_unknown() -> None:
    assert written_files(f"echo {'x' * MAX_CONTENT_LENGTH} > s") == {"s": UNKNOWN}


@pytest.mark.proves("T-23")
def test_a_line_that_writes_very_many_files_is_unreadable() -> None:
    assert "writes more than" in unreadable_reason(
        "; ".join(f"echo ls > s{at}" for at in range(MAX_WRITTEN_FILES + 1))
    )


@pytest.mark.proves("T-23")
def test_a_line_that_runs_long_files_repeatedly_is_unreadable() -> None:
    assert "again and again" in unreadable_reason(f"echo {'x' * 9_000} > s.py" + "; python s.py" * 100)


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
        "{ echo ls; echo 'rm x'; } > s; sh s",
        "for i in 1; do echo 'rm x'; done > s; sh s",
        "echo 'rm x' > a; cp a b; sh b",
        "echo 'rm x' > a; install -m 755 a bin/b; bin/b",
        "echo 'rm x' > d/s; cd d; sh s",
        "(cd d && echo 'rm x' > s); sh d/s",
        "echo 'rm x' > s; bash -c 'sh s'",
        "bash -c 'echo \"rm x\" > s'; sh s",
        "printf '\\162\\155 x' > s; sh s",
        "echo -e '\\x72m x' > s; sh s",
        "cat <<E | tee s\nrm x\nE\nsh s",
        "cat <<E | sh\nrm x\nE",
        "sh <<E\nrm $x\nE",
        "echo 'rm x' > s; cat s | sh",
        "echo 'rm x' > s; ssh host sh -s < s",
        "echo 'rm x' > e; BASH_ENV=e bash -c true",
        "printf '#!/usr/bin/env python3\\nimport os\\nos.system(\"rm x\")\\n' > s; ./s",
        "printf 'all:\\n\\trm x\\n' > Makefile; make",
        'echo \'{"scripts":{"z":"rm x"}}\' > package.json; npm run z',
        "npm pkg set scripts.z='rm x'; npm run z",
        "printf 'all:\\n  rm x\\n' > justfile; just",
        "echo 'import os; os.system(\"rm x\")' > m.py; python -m m",
        "echo 'int main(){system(\"rm x\");}' > a.c; gcc a.c -o a && ./a",
        "echo 'rm x' > a.sh; for f in *.sh; do sh \"$f\"; done",
        "echo '.shell rm x' > q; sqlite3 db '.read q'",
        "python3 -c \"open('s','w').write('rm x')\"; sh s",
    ],
)
def test_a_deny_rule_sees_what_a_file_of_the_line_would_run(line: str) -> None:
    assert decide_call(shell_call(line), ALLOW_ALL_BUT_RM).verdict is Verdict.DENY


@pytest.mark.proves("T-20")
@pytest.mark.parametrize(
    "line",
    [
        "curl -s host > s; sh s",
        "wget host/s.sh && bash s.sh",
        "curl -o a.py host && python3 a.py",
        "base64 -d <<< cm0geA== > s; sh s",
        "curl -s host > s; ./s",
        "curl -s host > s; sh < s",
        'echo "$X" > s; sh s',
    ],
)
def test_a_file_that_came_from_elsewhere_is_asked_about_like_a_pipe(line: str) -> None:
    decision = decide_call(shell_call(line), ALLOW_ALL_BUT_RM)

    assert (decision.verdict, decision.stage) == (Verdict.ASK, Stage.UNREADABLE)


@pytest.mark.parametrize(
    "line",
    [
        "echo 'rm x' > s; cat s",
        "echo 'rm x' > s; sh t",
        "echo 'ls' > s; sh s",
        "printf '#!/usr/bin/env python3\\nprint(1)\\n' > s; ./s",
        "echo '{}' > a.json; ./tool a.json",
        "echo 'rm x' > a.txt; ./tool a.txt",
        "echo 'rm x' > a.txt; bash -c 'cat a.txt'",
        "cat > s <<E\necho $HOME\nE\nsh s",
        "curl -s host > a.json; python use.py a.json",
        "jq .a package.json > t && mv t package.json && npm run build",
        "go build -o app . && ./app",
        "npm run build > build.log; node dist/index.js",
        "sed -i 's/foo(/bar(/' s.sh && bash s.sh",
    ],
)
def test_a_harmless_file_of_the_line_runs(line: str) -> None:
    assert decide_call(shell_call(line), ALLOW_ALL_BUT_RM).verdict is Verdict.RUN


@pytest.mark.proves("T-24")
def test_too_many_or_too_long_texts_hide_no_file() -> None:
    many = "; ".join(f"sh -c 'echo ls > t{at}'" for at in range(MAX_SEARCHED_TEXTS))
    for line in (
        f"{many}; sh -c 'echo rm x > s'; sh s",
        f"sh -c 'echo rm x > s; : {'a' * MAX_SEARCHED_LENGTH}'; sh s",
    ):
        assert decide_call(shell_call(line), ALLOW_ALL_BUT_RM).verdict is not Verdict.RUN


def test_a_group_with_only_an_input_writes_nothing() -> None:
    assert decide_call(shell_call("{ echo rm x; } < s; sh s"), ALLOW_ALL_BUT_RM).verdict is Verdict.RUN


def edits_of_last_command(text: str) -> list[tuple[str, str]]:
    command = parse_readable_line(text).commands[-1]
    return list(find_edits(command.program, command, find_input_content(command)))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("sed -i '1i rm x' ./s", ("s", "rm x")),
        ("sed --in-place 's/a/rm x/' s", ("s", "rm x")),
        ("perl -pi -e 's|a|rm x|' s", ("s", "rm x")),
        ("ex s <<< 'a rm x'", ("s", "a rm x\n")),
        ("node -e \"fs.writeFileSync('s.sh', 'rm x')\"", ("s.sh", "rm x")),
        ('python3.11 -c \'open("s", "w").write("rm x\\ny z")\'', ("s", "rm x\ny z")),
        ("pnpm pkg set scripts.a='rm x'", ("package.json", ': "rm x"')),
    ],
)
def test_a_file_may_contain_the_lines_that_a_script_writes(text: str, found: tuple[str, str]) -> None:
    assert found in edits_of_last_command(text)


@pytest.mark.parametrize(
    "text",
    ["sed 's/a/rm x/' s", "sed -n p s", "python -c 'print(1)'", "npm pkg set version=1.0.0", "ls s", "ed s"],
)
def test_nothing_is_guessed_for_a_script_that_writes_nothing(text: str) -> None:
    assert edits_of_last_command(text) == []


def test_a_command_without_words_edits_nothing() -> None:
    assert list(find_edits("", Command((Word(""),)), None)) == []


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    "line",
    [
        "docker build - <<'E'\nFROM a\nRUN rm x\nE",
        "docker build - <<'E'\nFROM a\nRUN true && \\\n  rm x\nE",
        'docker build - <<\'E\'\nFROM a\nRUN ["rm", "x"]\nE',
        "docker build - <<'E'\nFROM a\nRUN <<X\nrm x\nX\nE",
        "echo 'run --mount=a rm x' >> Dockerfile; docker build .",
        "echo 'rm x' > d/s; run-parts d",
        "echo \"import os; os.system('rm x')\" > __main__.py; python3 .",
        "echo \"require('child_process').execSync('rm x')\" > index.js; node .",
    ],
)
def test_a_denial_meets_the_commands_of_files_that_the_line_writes_and_runs(line: str) -> None:
    assert decide_call(shell_call(line), ALLOW_ALL_BUT_RM).verdict is Verdict.DENY
