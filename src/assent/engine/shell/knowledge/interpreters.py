"""The programs that run code: shells, interpreters, and all others for which a rule is never suggested."""

from assent.engine.shell.knowledge.wrapper import Carrier, Input, Rest, Subcommands, Wrapper
from assent.engine.shell.knowledge.wrappers import FLAG_TEXTS, WRAPPERS

SHELLS = frozenset(
    "sh bash dash ash zsh ksh ksh93 mksh oksh pdksh posh yash csh tcsh rbash rksh rzsh hush elvish osh".split()
)
"""Shells that take `-c` as `sh` does: a switch, after which the first operand is shell text."""

PLAIN_SHELLS = frozenset({"sh", "bash", "dash"})
"""Shells that read their text as we do."""

LONG_SHELL_OPTIONS = frozenset(
    """--login --norc --noprofile --posix --restricted --verbose --noediting --no-rcs --no-globalrcs --debugger
    --debug --dump-strings --dump-po-strings --protected --wordexp""".split()
)

POWERSHELLS = frozenset({"pwsh", "powershell", "pwsh-preview"})

_PYTHON = (
    "-b -bb -B -d -E -h; -i -I -O -OO -P -q -s -S -u -v -x -V; -VV; --version; --help; -c=; -m=; -W= -X="
    " --check-hash-based-pycs="
)
_NODE = (
    "-e=; --eval=; -p=; --print=; -pe=; -c -i -v; --version; -h; --help; -r= --require= --import= --loader="
    " --experimental-loader= -C= --conditions= --env-file= --env-file-if-exists= --inspect? --inspect-brk?"
    " --input-type= --run=; --title= --test; --trace-warnings --no-warnings --enable-source-maps"
    " --experimental-strip-types --watch"
)
_PERL = "-a -c -d? -D? -f -F? -h; -i? -l? -0? -n -p -s -S -t -T -u -U -v; -V?; -w -W -X -x? -C? -I= -m= -M= -e=; -E=;"
_RUBY = (
    "-a -c -d -h; -l -n -p -s -S -v -w -W? -y -i? -0? -F? -T? -x? -K? -C= -E= -I= -r= -e=; --version;"
    " --help; --disable= --enable= --encoding= --external-encoding= --internal-encoding= --jit --yjit"
    " --verbose --debug"
)
_PHP = (
    "-a -C -e -h; -H -i; -l -m; -n -q -s -v; -w -c= -d= -f=; -r=; -B=; -R=; -F=; -E=; -S=; -t= -z= --ini?"
    " --version; --help; --run=;"
)
_LUA = "-e=; -l= -i -v; -E -W -b= -j= -O?"
_R = (
    "-e=; -g= -f=; --file=; --args --vanilla --slave --no-save --no-restore -s -q --quiet --silent --version;"
    " --help;"
)
_JVM = "-e=; -cp= -classpath= --classpath= --class-path="
_DENO = (
    "-c= --config= --import-map= -L= --log-level= --cert= --location= -r? --reload? --allow-read?"
    " --allow-write? --allow-net? --allow-env? --allow-run? --allow-ffi? --allow-sys? -A --allow-all -q"
    " --quiet --seed= --lock? --env? --env-file? --watch? --check? --inspect? --version; --help;"
)
_BUN = "--cwd= --config= -c= -r= --preload= --filter= --bun -b --silent --hot --watch"


def _code(options: str) -> Wrapper:
    # An option that is not listed may take the next word, which then is no script: see `Options.assumed`.
    return Wrapper("-* --* " + options, rest=Rest.SCRIPT, input=Input.CODE)


def _shell(options: str) -> Wrapper:
    return Wrapper(options, rest=Rest.SCRIPT, input=Input.SHELL)


INTERPRETERS: dict[str, Carrier] = {
    **dict.fromkeys(
        ("python", "pypy", "ipython", "pythonw", "jython", "micropython", "bpython", "ptpython"),
        _code(_PYTHON),
    ),
    "py": _code(_PYTHON + " -NUM"),
    **dict.fromkeys(("node", "nodejs", "tsx", "babel-node", "esno"), _code(_NODE)),
    "ts-node": _code(_NODE + " -T -P= --project= -O="),
    "deno": Subcommands(
        {
            "run": _code(_DENO),
            "serve": _code(_DENO),
            "task": Wrapper("--eval=!", rest=Rest.FLAGS),
            "x": Wrapper(_DENO),
        },
        _DENO,
        default=_code(_DENO),
    ),
    "bun": Subcommands(
        {
            "run": _code(_BUN),
            "x": Wrapper("--bun --no-install -p= --package="),
            "exec": Wrapper(rest=Rest.TEXT),
        },
        _BUN,
        default=_code(_BUN + " -e=; --eval=; -p=; --print=; --version; --help;"),
    ),
    "zx": _code("-e=; --eval=; --cwd= --shell= --prefix= --postfix="),
    "qjs": _code("-e=; --eval=; -m -i -I="),
    "d8": _code("-e=;"),
    "coffee": _code("-e=; -c"),
    "gjs": _code("-c=; -I="),
    "perl": _code(_PERL),
    "raku": _code("-e=; -n -p -I= -M="),
    "ruby": _code(_RUBY),
    "jruby": _code(_RUBY),
    "irb": _code("-r= -I= -f -v;"),
    "pry": _code("-e=; -r="),
    "php": _code(_PHP),
    "hhvm": _code("-d= -c= -f=;"),
    "psysh": _code("-c="),
    "lua": _code(_LUA),
    "luajit": _code(_LUA),
    "texlua": _code(_LUA),
    "moon": _code("-v;"),
    "tclsh": _code("-encoding="),
    "wish": _code("-encoding= -display= -geometry= -name="),
    "expect": _code("-c=%; -d -D= -f=; -b -i -n -N -v;"),
    "Rscript": _code(_R),
    "R": _code(_R),
    "littler": _code(_R),
    "octave": _code("--eval=; -p= -q"),
    "julia": _code("-e=; --eval=; -E=; --print=; -L= -J= -p= -t= --project? -O? -v; -h;"),
    "gnuplot": _code("-e=; -p -d -c=;"),
    "osascript": _code("-e=; -l= -s= -i"),
    "java": _code(
        "-cp= -classpath= --class-path= -p= --module-path= --add-modules= --source= -jar=; -m=; --module=;"
        " -version; --version;"
    ),
    "jshell": _code("-R= -C= --class-path= --startup= -v -s -q"),
    "groovy": _code(_JVM),
    "scala": _code(_JVM),
    "kotlin": _code(_JVM),
    "clojure": _code("-e=; -M? -X?"),
    "clj": _code("-e=; -M? -X?"),
    "bb": _code("-e=; -f=; -cp="),
    "erl": _code("-eval=; -s=; -run=; -pa= -noshell -noinput"),
    "escript": _code(""),
    "elixir": _code("-e=; --eval=; -r= -S= -pa="),
    "iex": _code("-e=; -S= -r="),
    "ghci": _code("-e=%;"),
    "runghc": _code("-f= -e=;"),
    "runhaskell": _code("-f="),
    "stack": Subcommands({"exec": Wrapper(), "runghc": _code("")}),
    "guile": _code("-c=; -e= -l= -s=; -L= -C= -x="),
    "racket": _code("-e=; -f=; -t= -l= -p= -r= -u="),
    "sbcl": _code("--script? --eval=; --load= --noinform --non-interactive"),
    "clisp": _code("-x=; -i="),
    "scheme": _code("--script=;"),
    "csi": _code("-e=; -s=;"),
    "ocaml": _code("-e=; -I= -init="),
    "swift": _code("-e=; -I= -L="),
    "crystal": Subcommands({"run": _code("")}),
    "m4": _code("-D= -I= -U="),
    "dc": _code("-e=%; --expression=%; -f=;"),
    "ed": _code("-s -p="),
    "ex": _code("-c=% --cmd=% +?% -s -u= -S=;"),
    "fish": _shell(
        "-c=! --command=! -C=! --init-command=! -d= --debug= -o= --debug-output= -D= -f= --features="
        " --profile= --profile-startup= -i --interactive -l --login -n --no-execute -N --no-config -p= -P"
        " --private -v"
    ),
    "nu": _shell("-c=! --commands=! -e=! --execute=! -i -l -n --stdin --config= --env-config= --log-level="),
    "xonsh": _shell("-c=! --rc= -D= -i -l --no-rc --login --interactive"),
}
"""Programs that run a file, or else take their input for code, with the options that take a value."""

_EDITORS = (
    "vi vim nvim view ex ed red emacs emacsclient nano pico joe jed micro helix hx kak code subl mate gedit"
    " kate vimdiff"
).split()
_DEBUGGERS = (
    "gdb lldb dlv pdb ipdb jdb cgdb rr radare2 r2 perf valgrind strace ltrace bpftrace dtrace stap".split()
)
_BUILDERS = (
    "make gmake bmake cmake ninja meson just task rake ant mvn gradle gradlew bazel bazelisk buck buck2"
    " pants scons invoke fab nox tox npm pnpm yarn bun deno cargo go dotnet msbuild xcodebuild swift sbt"
    " lein mix rebar3 composer pip pip3 pipx uv poetry gem bundle cpan cpanm conda mamba nix docker podman"
    " kubectl ansible-playbook"
).split()
_RUNNERS = "find gfind fd fdfind xargs gxargs parallel sem crontab telnet nc ncat netcat socat".split()
_SCRIPTED = (
    "awk gawk mawk nawk goawk sed gsed git tar gtar rsync scp man less more most mysql psql sqlite3 mongo"
    " mongosh redis-cli"
).split()
_WORDS = "trap alias cmd start open xdg-open wscript cscript rundll32 mshta".split()


CARRIERS: frozenset[str] = frozenset((*SHELLS, *POWERSHELLS, *WRAPPERS, *INTERPRETERS, *_RUNNERS, "cmd"))
"""Programs whose words, or input, are or hold the name of a program."""


def _running(name: str, carrier: Carrier) -> list[str]:
    """A program and each of its sub-commands that runs what it is given."""
    if isinstance(carrier, Wrapper):
        return [] if carrier.rest in (Rest.FLAGS, Rest.SETTING) and " " in name else [name]
    return [
        name,
        *(found for sub, inner in carrier.commands.items() for found in _running(f"{name} {sub}", inner)),
    ]


RUNS_ARGUMENTS: frozenset[str] = frozenset(
    (
        *SHELLS,
        *POWERSHELLS,
        *FLAG_TEXTS,
        *_EDITORS,
        *_DEBUGGERS,
        *_BUILDERS,
        *_RUNNERS,
        *_SCRIPTED,
        *_WORDS,
        *(
            found
            for name, carrier in {**WRAPPERS, **INTERPRETERS}.items()
            for found in _running(name, carrier)
        ),
    )
)
"""Programs, and sub-commands such as `npm exec`, for which a rule `X *` must never be suggested."""
