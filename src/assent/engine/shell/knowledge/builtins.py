"""Words of the shell itself, and the small programs that stand in for them."""

from assent.engine.shell.knowledge.entry import Entry, Operands, Reads

TEXT, NONE = Operands.TEXT, Operands.NONE

_HELP = " --help --version"

PROGRAMS: dict[str, Entry] = {
    # What to print, and to say yes or no
    **{name: Reads(check="text") for name in ("echo", "true", "false", ":")},
    "printf": Reads(check="printf"),
    **{name: Reads(check="condition") for name in ("test", "[", "[[")},
    # Where a command goes on; a directory is followed by whoever reads the line.
    "cd": Reads("-L -P -e -@", TEXT, every_flag=True),
    "pwd": Reads("-L -P -W --logical --physical" + _HELP, TEXT, every_flag=True),
    "pushd": Reads("", TEXT, every_flag=True),
    "popd": Reads("", NONE),
    "set": Reads(check="set"),
    "dirs": Reads("-l -p -v -NUM", TEXT),
    **{name: Reads(check="numbers") for name in "exit return break continue".split()},
    "sleep": Reads("--help --version", TEXT, every_flag=True),
    "wait": Reads(check="jobs"),
    "jobs": Reads("-l -n -p -r -s", TEXT),
    "kill": Reads(check="kill"),
    "read": Reads(check="read"),
    "mapfile": Reads(check="mapfile"),
    "readarray": Reads(check="mapfile"),
    # Arithmetic; a word after it stands for a value that would be evaluated.
    "((": Reads("", NONE),
    # What is known of the shell
    "type": Reads("-a -f -p -P -t -w -S -s -m", TEXT, every_flag=True),
    "command": Reads("-p -v -V", TEXT, needs="-v -V"),
    "which": Reads("-a -s --all" + _HELP, TEXT, every_flag=True),
    "whereis": Reads("-a -b -m -q -s -u -l -g -h -V" + _HELP, TEXT, every_flag=True),
    "help": Reads("-d -m -s", TEXT),
    "alias": Reads("-p", NONE),
    "times": Reads("", NONE),
    "umask": Reads("-S -p", NONE),
    "ulimit": Reads("-a -H -S -b -c -d -e -f -i -k -l -m -n -p -q -r -R -s -t -T -u -v -x", NONE),
    **{
        name: Reads(check="syntax")
        for name in "bash sh zsh dash ksh mksh ash fish".split()
    },
    "printenv": Reads(check="printenv"),
    "tty": Reads("-s --silent --quiet" + _HELP, NONE),
}
