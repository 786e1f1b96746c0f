"""Shells, their builtins, and the small programs that replace builtins."""

from assent.engine.programs.program import (
    HELP_FLAGS,
    NONE,
    TEXT,
    Damage,
    PrintedOutput,
    Program,
    Reads,
    SentFiles,
    Writes,
    WriteTarget,
)
from assent.engine.programs.runs import (
    RUNS_AFTER_OPERAND,
    RUNS_COMMAND,
    RUNS_OPTIONS,
    CodeInput,
    InputRule,
    RestOfWords,
    Runs,
    RunsBy,
    Script,
)


def _shell_run_entry(options: str) -> Runs:
    """What a shell with these options runs: a script file, or its input."""
    return Runs(options, rest=RestOfWords.SCRIPT, input=CodeInput.SHELL)


PROGRAMS = (
    Program(
        "echo", reads=Reads(check="text"), takes_data=True, prints=PrintedOutput.WORDS, prints_names=True
    ),
    Program("true false :", reads=Reads(check="text"), takes_data=True, prints=PrintedOutput.NOTHING),
    Program(
        "printf", reads=Reads(check="printf"), takes_data=True, prints=PrintedOutput.FORMAT, prints_names=True
    ),
    Program("test [ [[", reads=Reads(check="condition"), takes_data=True, prints=PrintedOutput.NOTHING),
    # Where a command goes on; a directory is followed by whoever reads the line.
    Program(
        "cd",
        reads=Reads("-L -P -e -@", TEXT, every_flag=True),
        takes_data=True,
        dash_is_data="*",
        prints=PrintedOutput.NOTHING,
    ),
    Program("pwd", reads=Reads("-L -P -W --logical --physical" + HELP_FLAGS, TEXT, every_flag=True)),
    Program(
        "pushd",
        reads=Reads("", TEXT, every_flag=True),
        takes_data=True,
        dash_is_data="*",
        prints=PrintedOutput.NOTHING,
    ),
    # Arithmetic; a word after it stands for a value that would be evaluated.
    Program("popd ((", reads=Reads("", NONE), takes_data=True, prints=PrintedOutput.NOTHING),
    Program("set", reads=Reads(check="set"), takes_data=True, prints=PrintedOutput.NOTHING),
    Program("dirs", reads=Reads("-l -p -v -NUM", TEXT), takes_data=True),
    Program("exit", reads=Reads(check="numbers"), takes_data=True, prints=PrintedOutput.NOTHING),
    Program("return break continue", reads=Reads(check="numbers"), takes_data=True),
    Program(
        "sleep",
        reads=Reads("--help --version", TEXT, every_flag=True),
        takes_data=True,
        prints=PrintedOutput.NOTHING,
    ),
    Program("wait", reads=Reads(check="jobs"), takes_data=True, prints=PrintedOutput.NOTHING),
    Program(
        "jobs",
        reads=Reads("-l -n -p -r -s", TEXT),
        runs=RUNS_OPTIONS._replace(options="-x*"),
        takes_data=True,
    ),
    Program(
        "kill",
        damage=Damage.SIGNALS,
        reads=Reads(check="kill"),
        takes_data=True,
        options={"": "9=9 KILL=9 SIGKILL=9 15=15 TERM=15 SIGTERM=15 s=signal n=signal"},
        does="system",
    ),
    Program("read", reads=Reads(check="read"), takes_data=True, prints=PrintedOutput.NOTHING),
    Program(
        "mapfile readarray",
        reads=Reads(check="mapfile"),
        runs=RUNS_OPTIONS._replace(options="-C=!"),
        takes_data=True,
    ),
    # What is known of the shell
    Program("type", reads=Reads("-a -f -p -P -t -w -S -s -m", TEXT, every_flag=True), takes_data=True),
    Program(
        "command",
        reads=Reads("-p -v -V", TEXT, needs="-v -V"),
        runs=Runs("-p -v; -V;", transparent=True, covers=True),
        takes_data=True,
        is_transparent_prefix=True,
    ),
    Program("which", reads=Reads("-a -s --all" + HELP_FLAGS, TEXT, every_flag=True)),
    Program("whereis", reads=Reads("-a -b -m -q -s -u -l -g -h -V" + HELP_FLAGS, TEXT, every_flag=True)),
    Program("help", reads=Reads("-d -m -s", TEXT)),
    Program(
        "alias",
        reads=Reads("-p", NONE),
        runs=Runs("-p; -g -s", rest=RestOfWords.VALUES),
        takes_data=True,
        prints=PrintedOutput.NOTHING,
    ),
    Program("times", reads=Reads("", NONE), takes_data=True),
    Program("umask", reads=Reads("-S -p", NONE), takes_data=True, prints=PrintedOutput.NOTHING),
    Program(
        "ulimit",
        reads=Reads("-a -H -S -b -c -d -e -f -i -k -l -m -n -p -q -r -R -s -t -T -u -v -x", NONE),
        takes_data=True,
        prints=PrintedOutput.NOTHING,
        does="system",
    ),
    Program(
        "bash sh dash",
        reads=Reads(check="syntax"),
        runs_by=RunsBy.SHELL,
        is_plain_shell=True,
        passes_arguments=True,
    ),
    Program("zsh ksh", reads=Reads(check="syntax"), runs_by=RunsBy.SHELL, passes_arguments=True),
    Program("mksh ash", reads=Reads(check="syntax"), runs_by=RunsBy.SHELL),
    Program(
        "fish",
        reads=Reads(check="syntax"),
        runs=_shell_run_entry(
            "-c=! --command=! -C=! --init-command=! -d= --debug= -o= --debug-output= -D= -f= --features="
            " --profile= --profile-startup= -i --interactive -l --login -n --no-execute -N --no-config -p= -P"
            " --private -v"
        ),
        is_interpreter=True,
    ),
    Program("printenv", reads=Reads(check="printenv")),
    Program("tty", reads=Reads("-s --silent --quiet" + HELP_FLAGS, NONE)),
    Program("builtin", runs=Runs(transparent=True, covers=True), takes_data=True, is_transparent_prefix=True),
    Program("exec", runs=Runs("-c -l -a="), takes_data=True, prints=PrintedOutput.NOTHING),
    Program("coproc and or not begin noglob nocorrect", runs=RUNS_COMMAND, takes_data=True),
    Program("eval", runs=Runs(rest=RestOfWords.TEXT), takes_data=True),
    Program(
        "trap",
        runs=Runs("-l; -p; -P;", rest=RestOfWords.FIRST),
        takes_data=True,
        prints=PrintedOutput.NOTHING,
    ),
    # What they run may write anything, but they do not write the file that they run.
    Program(
        "source .",
        runs=Runs("-p=", rest=RestOfWords.SCRIPT, input=CodeInput.SHELL),
        writes=Writes("-p=", WriteTarget.NONE),
        runs_files=True,
        sends=SentFiles.OPERANDS,
        does="code",
    ),
    Program("bind", runs=RUNS_OPTIONS._replace(options="-x=!"), scripts=(Script.PIECES,)),
    Program("complete compgen", runs=RUNS_OPTIONS._replace(options="-C=! -F=!")),
    Program("enable", runs=RUNS_OPTIONS._replace(options="-f=!")),
    Program("fc", runs=RUNS_OPTIONS._replace(options="-e=!")),
    Program("hash", runs=Runs("-p=! -r -d -l -t", rest=RestOfWords.VALUES), takes_data=True),
    Program("zf_rm", runs=Runs("-* --*", words_before=("rm",))),
    Program("zf_mv", runs=Runs("-* --*", words_before=("mv",))),
    Program("zf_ln", runs=Runs("-* --*", words_before=("ln",))),
    Program("zf_mkdir", runs=Runs("-* --*", words_before=("mkdir",))),
    Program("zf_rmdir", runs=Runs("-* --*", words_before=("rmdir",))),
    Program("zf_chmod", runs=Runs("-* --*", words_before=("chmod",))),
    Program("zf_chown", runs=Runs("-* --*", words_before=("chown",))),
    Program("start", runs=Runs("/b /B /wait /WAIT /min /max")),
    Program("repeat sched", runs=RUNS_AFTER_OPERAND),
    Program(
        "nu",
        runs=_shell_run_entry(
            "-c=! --commands=! -e=! --execute=! -i -l -n --stdin --config= --env-config= --log-level="
        ),
        is_interpreter=True,
    ),
    Program(
        "xonsh",
        runs=_shell_run_entry("-c=! --rc= -D= -i -l --no-rc --login --interactive"),
        is_interpreter=True,
    ),
    Program("csh elvish hush ksh93 oksh osh pdksh posh rksh rzsh tcsh yash", runs_by=RunsBy.SHELL),
    Program("powershell pwsh pwsh-preview", runs_by=RunsBy.POWERSHELL),
    Program("cmd", runs_by=RunsBy.WINDOWS_SHELL, input=(InputRule(options="/c;"),)),
    Program("bg caller disown fg getopts history let logout suspend unalias", takes_data=True),
    Program(
        "declare export local readonly typeset",
        takes_data=True,
        takes_assignments=True,
        prints=PrintedOutput.NOTHING,
    ),
    Program("shift shopt unset", takes_data=True, prints=PrintedOutput.NOTHING),
)
