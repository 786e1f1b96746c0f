"""The commands that scripts of other languages would start."""

import pytest

from assent.engine.lines.command import Access, Command, Redirect
from assent.engine.lines.nested import Carried
from assent.engine.lines.scripts import MOST_LITERALS, with_started
from assent.engine.programs.word import Word
from tests.engine.bash.spelled import texts, words


def fed(line: str, text: str) -> Command:
    return Command(
        words(line), redirects=(Redirect(Access.READ, Word("a")), Redirect(Access.TEXT, Word(text)))
    )


def starts(command: Command) -> list[str]:
    found = with_started(None, command)
    return [] if found is None else [texts(vector) for vector in found.commands]


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
def test_a_command_that_a_script_spells_out_is_carried(line: str) -> None:
    assert starts(Command(words(line))) == ["rm x"]


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
def test_so_is_one_in_what_a_client_reads(line: str, text: str) -> None:
    assert starts(fed(line, text)) == ["rm x"]


def test_what_another_command_prints_is_read_too() -> None:
    assert starts(Command(words("sqlite3 db"), piped=True, given=words(".shell rm x"))) == ["rm x"]


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
def test_what_only_speaks_of_a_command_is_not(line: str) -> None:
    assert starts(Command(words(line))) == []


def test_several_commands_are_several() -> None:
    assert starts(Command(words("""perl -e 'system("a; rm x && b")'"""))) == ["a", "rm x", "b"]


def test_what_cannot_be_told_apart_is_divided_by_blanks() -> None:
    found = with_started(None, Command((Word("perl"), Word("-e"), Word('system("rm it\'s")'))))

    assert found == Carried(((Word("rm"), Word("it's")),), at=-1)


@pytest.mark.proves("T-25")
@pytest.mark.parametrize(
    ("line", "run"),
    [
        ("""python3 -c 'import shutil; shutil.rmtree("/")'""", "rimraf /"),
        ("""ruby -e 'FileUtils.rm_rf("/")'""", "rimraf /"),
        ("""python3 -c "open('/dev/sda', 'wb')" """, "tee /dev/sda"),
    ],
)
def test_what_a_script_destroys_itself_is_seen_as_a_command_that_does(line: str, run: str) -> None:
    assert starts(Command(words(line))) == [run]


def test_it_stands_beside_what_the_words_carry() -> None:
    found = with_started(Carried((words("ls"),), at=2), Command(words("""awk 'BEGIN { system("rm x") }'""")))

    assert found is not None
    assert ([texts(vector) for vector in found.commands], found.at) == (["ls", "rm x"], 2)


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
def test_a_command_is_found_wherever_such_a_text_holds_it(line: str) -> None:
    assert "rm x" in starts(Command(words(line)))


@pytest.mark.parametrize(
    "line",
    ["vim -c 'set number' a", "vim -c 'w! x'", "tmux new -d -s a", "screen -ls", "bun run", "fzf --multi"],
)
def test_what_is_no_command_is_none(line: str) -> None:
    assert starts(Command(words(line))) == []


def test_no_more_than_a_few_texts_are_taken_for_commands() -> None:
    script = "; ".join(f'a="cmd{number} x"' for number in range(100)) + "; system(a)"

    assert len(starts(Command((Word("awk"), Word(script))))) == MOST_LITERALS
