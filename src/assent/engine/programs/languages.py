"""Interpreters of other languages."""

from assent.engine.programs.code_files import VERSION_FILES
from assent.engine.programs.losses import Loss, Losses, LossPattern
from assent.engine.programs.program import FileEdits, OtherOutput, Program, Reads, Writes, WriteTarget
from assent.engine.programs.runs import InputRule, RunCommands, RunsBy, Script, interpreter_run_entry

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

PROGRAMS = (
    Program(
        "ruby",
        reads=Reads("--version -v", only=True),
        runs=interpreter_run_entry(_RUBY),
        is_interpreter=True,
        writes=Writes(
            "-a -c -i? -l -0? -n -p -s -w -F? -I= -r= -e=", WriteTarget.AFTER_FIRST, only="-i", given="-e"
        ),
        scripts=(
            Script.CALLS,
            Script.BACKTICKS,
        ),
        output=OtherOutput.CODE,
        edits=FileEdits.IN_PLACE,
        runs_named_script=True,
    ),
    Program(
        "perl",
        reads=Reads("--version -v", only=True),
        runs=interpreter_run_entry(_PERL),
        is_interpreter=True,
        writes=Writes(
            "-a -c -i? -l? -0? -n -p -s -w -W -F? -I= -m? -M? -C? -e= -E=",
            WriteTarget.AFTER_FIRST,
            only="-i",
            given="-e -E",
        ),
        input=(InputRule(only="-d -de0 -de1"),),
        scripts=(
            Script.CALLS,
            Script.BACKTICKS,
            Script.PERL_QUOTES,
        ),
        output=OtherOutput.CODE,
        edits=FileEdits.IN_PLACE,
        runs_named_script=True,
    ),
    Program(
        "artisan",
        losses=Losses(
            (LossPattern("migrate:fresh|migrate:refresh|migrate:reset|db:wipe", Loss.DELETES_ALL, "tables"),),
            "--database --path",
        ),
    ),
    Program(
        "php",
        reads=Reads("--version -v", only=True),
        runs=interpreter_run_entry(_PHP),
        is_interpreter=True,
        input=(InputRule(only="-a --interactive -R -F"),),
        scripts=(
            Script.CALLS,
            Script.BACKTICKS,
        ),
        output=OtherOutput.CODE,
        runs_named_script=True,
    ),
    Program(
        "lua",
        reads=Reads("--version -v", only=True),
        runs=interpreter_run_entry(_LUA),
        is_interpreter=True,
        input=(InputRule(only="-i --interactive inspect --inspect-brk"),),
        scripts=(Script.CALLS,),
        output=OtherOutput.CODE,
        runs_named_script=True,
    ),
    Program(
        "luajit",
        reads=Reads("--version -v", only=True),
        runs=interpreter_run_entry(_LUA),
        is_interpreter=True,
        input=(InputRule(only="-i --interactive inspect --inspect-brk"),),
        scripts=(Script.CALLS,),
        output=OtherOutput.CODE,
    ),
    Program(
        "crystal",
        input=(InputRule(commands="eval i interactive play"),),
        reads=Reads("--version -v", only=True),
        runs=RunCommands({"run": interpreter_run_entry("")}),
        is_interpreter=True,
        scripts=(Script.COMPILED,),
    ),
    Program(
        "julia",
        reads=Reads("--version -v", only=True),
        runs=interpreter_run_entry("-e=; --eval=; -E=; --print=; -L= -J= -p= -t= --project? -O? -v; -h;"),
        is_interpreter=True,
        input=(InputRule(only="-i --interactive inspect --inspect-brk"),),
        scripts=(Script.CALLS,),
    ),
    Program(
        "groovy",
        reads=Reads("--version -v", only=True),
        runs=interpreter_run_entry(_JVM),
        is_interpreter=True,
        scripts=(Script.CALLS,),
    ),
    Program(
        "R",
        reads=Reads("--version", only=True),
        runs=interpreter_run_entry(_R),
        is_interpreter=True,
        scripts=(Script.CALLS,),
    ),
    Program(
        "Rscript",
        reads=Reads("--version", only=True),
        runs=interpreter_run_entry(_R),
        is_interpreter=True,
        scripts=(Script.CALLS,),
        runs_named_script=True,
    ),
    Program(
        "octave",
        reads=Reads("--version", only=True),
        runs=interpreter_run_entry("--eval=; -p= -q"),
        is_interpreter=True,
        scripts=(Script.CALLS,),
    ),
    Program(
        "java",
        reads=Reads("-version --version", only=True),
        runs=interpreter_run_entry(
            "-cp= -classpath= --class-path= -p= --module-path= --add-modules= --source= -jar=; -m=; --module=;"
            " -version; --version;"
        ),
        is_interpreter=True,
        scripts=(Script.COMPILED,),
    ),
    Program(
        "scala kotlin",
        reads=Reads("-version --version", only=True),
        runs=interpreter_run_entry(_JVM),
        is_interpreter=True,
        scripts=(Script.CALLS,),
    ),
    Program(
        "ocaml",
        reads=Reads("-version --version", only=True),
        runs=interpreter_run_entry("-e=; -I= -init="),
        is_interpreter=True,
        scripts=(Script.CALLS,),
    ),
    Program(
        "swift",
        reads=Reads("-version --version", only=True),
        runs=interpreter_run_entry("-e=; -I= -L="),
        is_interpreter=True,
        scripts=(Script.CALLS,),
    ),
    Program(
        "elixir",
        reads=Reads("--version -v", only=True, trust=True),
        runs=interpreter_run_entry("-e=; --eval=; -r= -S= -pa="),
        is_interpreter=True,
        scripts=(Script.CALLS,),
        code_files=VERSION_FILES,
    ),
    Program(
        "raku", runs=interpreter_run_entry("-e=; -n -p -I= -M="), is_interpreter=True, scripts=(Script.CALLS,)
    ),
    Program(
        "jruby",
        runs=interpreter_run_entry(_RUBY),
        is_interpreter=True,
        scripts=(
            Script.CALLS,
            Script.BACKTICKS,
        ),
    ),
    Program(
        "irb",
        runs=interpreter_run_entry("-r= -I= -f -v;"),
        is_interpreter=True,
        scripts=(
            Script.CALLS,
            Script.BACKTICKS,
        ),
    ),
    Program("pry", runs=interpreter_run_entry("-e=; -r="), is_interpreter=True, scripts=(Script.CALLS,)),
    Program("hhvm", runs=interpreter_run_entry("-d= -c= -f=;"), is_interpreter=True),
    Program("psysh", runs=interpreter_run_entry("-c="), is_interpreter=True),
    Program("texlua", runs=interpreter_run_entry(_LUA), is_interpreter=True, scripts=(Script.CALLS,)),
    Program("moon", runs=interpreter_run_entry("-v;"), is_interpreter=True),
    Program("tclsh", runs=interpreter_run_entry("-encoding="), is_interpreter=True, scripts=(Script.TCL,)),
    Program(
        "wish",
        runs=interpreter_run_entry("-encoding= -display= -geometry= -name="),
        is_interpreter=True,
        scripts=(Script.TCL,),
    ),
    Program("littler", runs=interpreter_run_entry(_R), is_interpreter=True, scripts=(Script.CALLS,)),
    Program(
        "osascript",
        runs=interpreter_run_entry("-e=; -l= -s= -i"),
        is_interpreter=True,
        takes_data=True,
        scripts=(Script.CALLS,),
    ),
    Program(
        "jshell",
        runs=interpreter_run_entry("-R= -C= --class-path= --startup= -v -s -q"),
        is_interpreter=True,
        scripts=(Script.CALLS,),
    ),
    Program(
        "clojure", runs=interpreter_run_entry("-e=; -M? -X?"), is_interpreter=True, scripts=(Script.CALLS,)
    ),
    Program("clj", runs=interpreter_run_entry("-e=; -M? -X?"), is_interpreter=True),
    Program("bb", runs=interpreter_run_entry("-e=; -f=; -cp="), is_interpreter=True, scripts=(Script.CALLS,)),
    Program(
        "erl",
        runs=interpreter_run_entry("-eval=; -s=; -run=; -pa= -noshell -noinput"),
        is_interpreter=True,
        scripts=(Script.CALLS,),
    ),
    Program("escript", runs=interpreter_run_entry(""), is_interpreter=True),
    Program("iex", runs=interpreter_run_entry("-e=; -S= -r="), is_interpreter=True, scripts=(Script.CALLS,)),
    Program(
        "ghci",
        runs=interpreter_run_entry("-e=%;"),
        is_interpreter=True,
        input=(InputRule(only="-i --interactive inspect --inspect-brk"),),
        scripts=(
            Script.CALLS,
            Script.CLIENT,
        ),
    ),
    Program("runghc", runs=interpreter_run_entry("-f= -e=;"), is_interpreter=True, scripts=(Script.CALLS,)),
    Program("runhaskell", runs=interpreter_run_entry("-f="), is_interpreter=True, scripts=(Script.CALLS,)),
    Program(
        "guile",
        runs=interpreter_run_entry("-c=; -e= -l= -s=; -L= -C= -x="),
        is_interpreter=True,
        scripts=(Script.CALLS,),
    ),
    Program(
        "racket",
        runs=interpreter_run_entry("-e=; -f=; -t= -l= -p= -r= -u="),
        is_interpreter=True,
        input=(InputRule(only="-i --interactive inspect --inspect-brk"),),
        scripts=(Script.CALLS,),
    ),
    Program(
        "sbcl",
        runs=interpreter_run_entry("--script? --eval=; --load= --noinform --non-interactive"),
        is_interpreter=True,
        scripts=(Script.CALLS,),
    ),
    Program("clisp", runs=interpreter_run_entry("-x=; -i="), is_interpreter=True, scripts=(Script.CALLS,)),
    Program("scheme", runs=interpreter_run_entry("--script=;"), is_interpreter=True),
    Program("csi", runs=interpreter_run_entry("-e=; -s=;"), is_interpreter=True),
    Program("rbash", runs_by=RunsBy.SHELL),
    Program("drush jrunscript mlr slsh wp", scripts=(Script.CALLS,)),
)
