"""Commands in scripts of other languages and in values of variables."""

import pytest

from assent.engine.lines.command import Assignment, Command, NestedCode, Redirect, RedirectAccess
from assent.engine.lines.embedded_commands import (
    MAX_LITERALS,
    add_script_commands,
    add_variable_commands,
    files_written_by_variables,
    find_harmful_assignments,
)
from assent.engine.policy.verdict import Stage, Verdict
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine import given
from tests.engine.bash.shell_words import join_word_texts, to_words


def command_with_input(line: str, text: str) -> Command:
    return Command(
        to_words(line),
        redirects=(Redirect(RedirectAccess.READ, Word("a")), Redirect(RedirectAccess.TEXT, Word(text))),
    )


def script_commands(command: Command) -> list[str]:
    found = add_script_commands(None, command)
    return [] if found is None else [join_word_texts(vector) for vector in found.commands]


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    "line",
    [
        """python3 -c 'import os; os.system("rm x")'""",
        """python3.12 -c "import subprocess as s; s.run(['rm', 'x'])" """,
        """node -e 'require("child_process").execSync(`rm x`)'""",
        """node -e 'spawn("rm", ["x"])'""",
        """perl -e 'system("rm", "x")'""",
        """perl -e 'print `rm x`'""",
        """perl -e 'open(F, "rm x|")'""",
        """perl -e 'open(F, "|rm x")'""",
        """ruby -e '%x(rm x)'""",
        """php -r 'passthru("rm x");'""",
        """osascript -e 'do shell script "rm x"'""",
        """awk 'BEGIN { system("rm x") }'""",
        """awk '{ print | "rm x" }' a""",
        """gawk 'BEGIN { "rm x" | getline }'""",
        """sed '1e rm x' a""",
        """sed 's/a/rm x/e' a""",
        """expect -c 'spawn -noecho rm x'""",
        """make --eval='$(shell rm x)'""",
        """make --eval='A != rm x'""",
        """lftp -e '!rm x'""",
        """fzf --bind 'enter:execute(rm x)'""",
        """rpm --eval '%(rm x)'""",
        """pdflatex '\\immediate\\write18{rm x}'""",
        """emacs --batch --eval '(shell-command "rm x")'""",
        """elixir -e 'System.cmd("rm", ["x"])'""",
    ],
)
def test_a_command_that_a_script_spells_out_is_found(line: str) -> None:
    assert script_commands(Command(to_words(line))) == ["rm x"]


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("python3", "import os\nos.system('rm x')"),
        ("crontab -", "# jobs\n*/5 * * * * rm x"),
        ("crontab", "@daily rm x"),
        ("sqlite3 db", "select 1;\n.shell rm x"),
        ("psql", "\\! rm x"),
        ("ed a", "1\n!rm x"),
        ("mail ana", "hello\n~!rm x"),
        ("make -f -", "all: b\n\t@rm x"),
        ("tclsh", "exec rm x"),
    ],
)
def test_a_command_in_the_input_of_a_client_is_found(line: str, text: str) -> None:
    assert script_commands(command_with_input(line, text)) == ["rm x"]


def test_the_output_of_another_command_is_searched_as_well() -> None:
    assert script_commands(
        Command(to_words("sqlite3 db"), piped=True, input_words=to_words(".shell rm x"))
    ) == ["rm x"]


@pytest.mark.parametrize(
    "line",
    [
        """python3 -c 'print("rm x")'""",
        """python3 -c 'open("rm x").read()'""",
        """python3 -c 'f("a" or "|", "b")'""",
        """awk '{ print "rm x" }' a""",
        """sed 's/e rm x/a/' a""",
        """sqlite3 db 'select 1'""",
        """frob 'system("rm x")'""",
        """echo 'system("rm x")'""",
        """python3 -c 'system("*")'""",
        """python3 -c 'system(" ")'""",
    ],
)
def test_a_text_that_only_mentions_a_command_is_no_command(line: str) -> None:
    assert script_commands(Command(to_words(line))) == []


def test_several_commands_are_several() -> None:
    assert script_commands(Command(to_words("""perl -e 'system("a; rm x && b")'"""))) == ["a", "rm x", "b"]


def test_a_text_with_unclosed_quotes_is_split_at_blanks() -> None:
    found = add_script_commands(None, Command((Word("perl"), Word("-e"), Word('system("rm it\'s")'))))

    assert found == NestedCode(((Word("rm"), Word("it's")),), at=-1)


@pytest.mark.proves("T-25")
@pytest.mark.parametrize(
    ("line", "run"),
    [
        ("""python3 -c 'import shutil; shutil.rmtree("/")'""", "rimraf /"),
        ("""ruby -e 'FileUtils.rm_rf("/")'""", "rimraf /"),
        ("""python3 -c "open('/dev/sda', 'wb')" """, "tee /dev/sda"),
    ],
)
def test_a_script_that_removes_files_counts_as_a_removing_command(line: str, run: str) -> None:
    assert script_commands(Command(to_words(line))) == [run]


def test_script_commands_are_added_to_those_in_the_words() -> None:
    found = add_script_commands(
        NestedCode((to_words("ls"),), at=2), Command(to_words("""awk 'BEGIN { system("rm x") }'"""))
    )

    assert found is not None
    assert ([join_word_texts(vector) for vector in found.commands], found.at) == (["ls", "rm x"], 2)


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    "line",
    [
        "fzf --bind 'start:become:rm x'",
        "fzf --bind 'a:execute[rm x]'",
        "tmux set-hook -g a 'run \"rm x\"'",
        "tmux display '#(rm x)'",
        "tmux send-keys r m Space x Enter",
        "screen -X stuff 'rm x'",
        "vim -c 'exe \"!rm x\"'",
        "vim -c 'call system(\"rm x\")'",
        "nvim -c 'w !rm x'",
        "gdb -ex 'python os.system(\"rm x\")'",
        "psql -c \"copy a to program 'rm x'\"",
        "m4 'syscmd(rm x)'",
        "gs -sOutputFile=%pipe%'rm x'",
        "pdflatex '\\\\input|\"rm x\"'",
        "zx -e 'await $`rm x`'",
        "bun -e 'Bun.$`rm x`'",
        'deno eval \'Deno.run({cmd: ["rm", "x"]})\'',
        "bun run rm x",
        "make --eval 'a:; rm x'",
        "rake -e 'sh \"rm x\"'",
        "awk 'BEGIN{c=\"rm x\"; system(c)}'",
        "awk -v c='rm x' 'BEGIN{system(c)}'",
    ],
)
def test_a_command_is_found_in_each_kind_of_script(line: str) -> None:
    assert "rm x" in script_commands(Command(to_words(line)))


@pytest.mark.parametrize(
    "line",
    ["vim -c 'set number' a", "vim -c 'w! x'", "tmux new -d -s a", "screen -ls", "bun run", "fzf --multi"],
)
def test_other_texts_contain_no_command(line: str) -> None:
    assert script_commands(Command(to_words(line))) == []


def test_the_number_of_texts_taken_as_commands_is_limited() -> None:
    script = "; ".join(f'a="cmd{number} x"' for number in range(100)) + "; system(a)"

    assert len(script_commands(Command((Word("awk"), Word(script))))) == MAX_LITERALS


DENIES_RM = {"allow": ["terminal.exec"], "deny": ["terminal.exec(rm *)"]}


def command_with_variable(name: str, value: str, line: str = "p") -> Command:
    return Command(to_words(line), (Assignment(name, Word(value)),))


@pytest.mark.proves("T-20", "T-24")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PAGER", "rm x"),
        ("GIT_EDITOR", "rm x"),
        ("GIT_SSH_COMMAND", "rm x"),
        ("SSH_ASKPASS", "rm x"),
        ("npm_config_script_shell", "rm x"),
        ("RUSTC_WRAPPER", "rm x"),
        ("CC", "rm x"),
        ("LESSOPEN", "|rm x"),
        ("LESSOPEN", "||-rm x"),
        ("EXINIT", ":!rm x"),
        ("LESS", "+!rm x"),
        ("GOFLAGS", "-v -toolexec='rm x'"),
        ("RUSTFLAGS", "-C linker='rm x'"),
        ("GIT_CONFIG_PARAMETERS", "'core.pager=rm x' 'user.name=a'"),
    ],
)
def test_a_command_in_a_variable_is_found(name: str, value: str) -> None:
    found = add_variable_commands(None, command_with_variable(name, value))

    assert found is not None
    assert [join_word_texts(vector) for vector in found.commands] == ["rm x"]
    assert (found.at, found.transparent, found.covers) == (-1, False, False)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PAGER", "cat"),
        ("PAGER", ""),
        ("FOO", "rm x"),
        ("SHELL", "/bin/bash"),
        ("CC", UNKNOWN_MARK),
        ("EXINIT", "set number"),
        ("PS1", "a"),
        ("GOFLAGS", "-mod=mod"),
        ("GOFLAGS", "-toolexec='a"),
        ("GIT_CONFIG_VALUE_0", "rm x"),
        ("LANG", "C"),
    ],
)
def test_a_value_that_no_program_runs_is_no_command(name: str, value: str) -> None:
    assert add_variable_commands(None, command_with_variable(name, value)) is None


@pytest.mark.proves("T-24")
def test_a_value_with_operators_is_shell_text() -> None:
    given = {"PROMPT_COMMAND": "a; rm x", "PS4": "$(rm x)", "EDITOR": "rm 'x"}
    found = [add_variable_commands(None, command_with_variable(name, value)) for name, value in given.items()]

    assert [text.text for one in found if one is not None for text in one.texts] == [
        "a; rm x",
        ": $(rm x)",
        "rm 'x",
    ]


def test_a_setting_of_git_is_known_by_its_key() -> None:
    key, value = (
        Assignment("GIT_CONFIG_KEY_1", Word("core.pager")),
        Assignment("GIT_CONFIG_VALUE_1", Word("rm x")),
    )

    found = add_variable_commands(None, Command(to_words("git log"), (key, value)))

    assert found is not None
    assert [join_word_texts(vector) for vector in found.commands] == ["rm x"]


def test_nested_commands_in_the_words_are_kept() -> None:
    found = add_variable_commands(
        NestedCode((to_words("ls"),), at=1, transparent=True), command_with_variable("PAGER", "rm x")
    )

    assert found is not None
    assert ([join_word_texts(vector) for vector in found.commands], found.at, found.transparent) == (
        ["ls", "rm x"],
        1,
        False,
    )


def test_assignments_among_the_words_count_if_the_program_takes_them() -> None:
    assert find_harmful_assignments(Command(to_words("make -j2 CC=a all"))) == (Assignment("CC", Word("a")),)
    assert find_harmful_assignments(Command(to_words("cmake -DCMAKE_C_COMPILER:PATH=a ."))) == (
        Assignment("CMAKE_C_COMPILER", Word("a")),
    )
    assert find_harmful_assignments(Command(to_words("frob CC=a"))) == ()


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    "command",
    [
        "PAGER='rm x' man ls",
        "PAGER='rm x'; man ls",
        "export EDITOR='rm x'",
        "env GIT_PAGER='rm x' git log",
        "CC='rm x' make",
        "make CC='rm x'",
    ],
)
def test_a_deny_rule_applies_to_a_program_in_a_variable(command: str) -> None:
    decision = given.decide_call(given.shell_call(command), given.make_snapshot(**DENIES_RM))

    assert (decision.verdict, decision.stage) == (Verdict.DENY, Stage.DENY_RULE)


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ("terminal.exec(CC=clang make *)", Verdict.RUN),
        ("terminal.exec(CC=* make *)", Verdict.ASK),
        ("terminal.exec(make *)", Verdict.ASK),
    ],
)
def test_an_allow_rule_covers_a_variable_only_if_it_spells_it_out(rule: str, verdict: Verdict) -> None:
    assert (
        given.decide_call(given.shell_call("CC=clang make all"), given.make_snapshot(allow=[rule])).verdict
        is verdict
    )


@pytest.mark.proves("T-20")
@pytest.mark.parametrize("command", ['EDITOR="$X" git commit', "BASH_CMDS[a]=/bin/rm; a x"])
def test_a_program_that_is_computed_cannot_be_read(command: str) -> None:
    assert given.decide_call(given.shell_call(command), given.make_snapshot()).stage is Stage.UNREADABLE


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PERL5DB", "BEGIN{system('rm x')}"),
        ("NODE_OPTIONS", "--import data:text/javascript,execSync('rm x')"),
        ("FZF_DEFAULT_OPTS", "--bind start:execute(rm x)"),
    ],
)
def test_code_in_a_variable_is_searched(name: str, value: str) -> None:
    found = add_variable_commands(None, command_with_variable(name, value))

    assert found is not None
    assert "rm x" in [join_word_texts(vector) for vector in found.commands]


@pytest.mark.proves("T-24")
def test_a_function_of_another_shell_is_shell_text() -> None:
    found = add_variable_commands(
        None, Command((Word("env"), Word("BASH_FUNC_ls%%=() { rm x; }"), Word("bash")))
    )

    assert found is not None
    assert [word.text for word in found.texts] == [" { rm x; }"]


@pytest.mark.proves("T-20")
@pytest.mark.parametrize(
    ("name", "value", "computed"),
    [
        ("BASH_ENV", "/dev/fd/63", True),
        ("ENV", "/dev/stdin", True),
        ("BASH_ENV", "./env", False),
        ("OUT", "/dev/stdin", False),
    ],
)
def test_a_start_file_of_a_shell_may_be_unknown_code(name: str, value: str, computed: bool) -> None:
    found = add_variable_commands(None, command_with_variable(name, value, "bash -c ls"))

    assert (found is not None and found.computed) is computed


@pytest.mark.proves("T-29")
@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("GIT_TRACE", ["x"]),
        ("GIT_TRACE2_PERF", ["x"]),
        ("sslkeylogfile", ["x"]),
        ("HISTFILE", ["x"]),
        ("A", []),
    ],
)
def test_a_variable_may_name_a_file_to_write(name: str, files: list[str]) -> None:
    assert [word.text for word in files_written_by_variables(command_with_variable(name, "x"))] == files


def test_a_command_without_assignments_writes_no_files_by_variables() -> None:
    assert files_written_by_variables(Command(to_words("ls GIT_TRACE=x"))) == ()
