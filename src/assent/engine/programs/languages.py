"""Interpreters of other languages."""

from assent.engine.programs.program import Edits, Output, Program, Reads, Target, Writes
from assent.engine.programs.runs import InputRule, RunCommands, RunsBy, Script, interpreter

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
        runs=interpreter(_RUBY),
        is_interpreter=True,
        writes=Writes(
            "-a -c -i? -l -0? -n -p -s -w -F? -I= -r= -e=", Target.AFTER_FIRST, only="-i", given="-e"
        ),
        scripts=(
            Script.CALLS,
            Script.BACKTICKS,
        ),
        output=Output.CODE,
        edits=Edits.IN_PLACE,
        runs_named_script=True,
    ),
    Program(
        "perl",
        reads=Reads("--version -v", only=True),
        runs=interpreter(_PERL),
        is_interpreter=True,
        writes=Writes(
            "-a -c -i? -l? -0? -n -p -s -w -W -F? -I= -m? -M? -C? -e= -E=",
            Target.AFTER_FIRST,
            only="-i",
            given="-e -E",
        ),
        input=(InputRule(only="-d -de0 -de1"),),
        scripts=(
            Script.CALLS,
            Script.BACKTICKS,
            Script.PERL_QUOTES,
        ),
        output=Output.CODE,
        edits=Edits.IN_PLACE,
        runs_named_script=True,
    ),
    Program(
        "php",
        reads=Reads("--version -v", only=True),
        runs=interpreter(_PHP),
        is_interpreter=True,
        input=(InputRule(only="-a --interactive -R -F"),),
        scripts=(
            Script.CALLS,
            Script.BACKTICKS,
        ),
        output=Output.CODE,
        runs_named_script=True,
    ),
    Program(
        "lua",
        reads=Reads("--version -v", only=True),
        runs=interpreter(_LUA),
        is_interpreter=True,
        input=(InputRule(only="-i --interactive inspect --inspect-brk"),),
        scripts=(Script.CALLS,),
        output=Output.CODE,
        runs_named_script=True,
    ),
    Program(
        "luajit",
        reads=Reads("--version -v", only=True),
        runs=interpreter(_LUA),
        is_interpreter=True,
        input=(InputRule(only="-i --interactive inspect --inspect-brk"),),
        scripts=(Script.CALLS,),
        output=Output.CODE,
    ),
    Program(
        "crystal",
        reads=Reads("--version -v", only=True),
        runs=RunCommands({"run": interpreter("")}),
        is_interpreter=True,
        scripts=(Script.COMPILED,),
    ),
    Program(
        "julia",
        reads=Reads("--version -v", only=True),
        runs=interpreter("-e=; --eval=; -E=; --print=; -L= -J= -p= -t= --project? -O? -v; -h;"),
        is_interpreter=True,
        input=(InputRule(only="-i --interactive inspect --inspect-brk"),),
        scripts=(Script.CALLS,),
    ),
    Program(
        "groovy",
        reads=Reads("--version -v", only=True),
        runs=interpreter(_JVM),
        is_interpreter=True,
        scripts=(Script.CALLS,),
    ),
    Program(
        "R",
        reads=Reads("--version", only=True),
        runs=interpreter(_R),
        is_interpreter=True,
        scripts=(Script.CALLS,),
    ),
    Program(
        "Rscript",
        reads=Reads("--version", only=True),
        runs=interpreter(_R),
        is_interpreter=True,
        scripts=(Script.CALLS,),
        runs_named_script=True,
    ),
    Program(
        "octave",
        reads=Reads("--version", only=True),
        runs=interpreter("--eval=; -p= -q"),
        is_interpreter=True,
        scripts=(Script.CALLS,),
    ),
    Program(
        "java",
        reads=Reads("-version --version", only=True),
        runs=interpreter(
            "-cp= -classpath= --class-path= -p= --module-path= --add-modules= --source= -jar=; -m=; --module=;"
            " -version; --version;"
        ),
        is_interpreter=True,
        scripts=(Script.COMPILED,),
    ),
    Program(
        "scala kotlin",
        reads=Reads("-version --version", only=True),
        runs=interpreter(_JVM),
        is_interpreter=True,
        scripts=(Script.CALLS,),
    ),
    Program(
        "ocaml",
        reads=Reads("-version --version", only=True),
        runs=interpreter("-e=; -I= -init="),
        is_interpreter=True,
        scripts=(Script.CALLS,),
    ),
    Program(
        "swift",
        reads=Reads("-version --version", only=True),
        runs=interpreter("-e=; -I= -L="),
        is_interpreter=True,
        scripts=(Script.CALLS,),
    ),
    Program(
        "elixir",
        reads=Reads("--version -v", only=True, trust=True),
        runs=interpreter("-e=; --eval=; -r= -S= -pa="),
        is_interpreter=True,
        scripts=(Script.CALLS,),
    ),
    Program("raku", runs=interpreter("-e=; -n -p -I= -M="), is_interpreter=True, scripts=(Script.CALLS,)),
    Program(
        "jruby",
        runs=interpreter(_RUBY),
        is_interpreter=True,
        scripts=(
            Script.CALLS,
            Script.BACKTICKS,
        ),
    ),
    Program(
        "irb",
        runs=interpreter("-r= -I= -f -v;"),
        is_interpreter=True,
        scripts=(
            Script.CALLS,
            Script.BACKTICKS,
        ),
    ),
    Program("pry", runs=interpreter("-e=; -r="), is_interpreter=True, scripts=(Script.CALLS,)),
    Program("hhvm", runs=interpreter("-d= -c= -f=;"), is_interpreter=True),
    Program("psysh", runs=interpreter("-c="), is_interpreter=True),
    Program("texlua", runs=interpreter(_LUA), is_interpreter=True, scripts=(Script.CALLS,)),
    Program("moon", runs=interpreter("-v;"), is_interpreter=True),
    Program("tclsh", runs=interpreter("-encoding="), is_interpreter=True, scripts=(Script.TCL,)),
    Program(
        "wish",
        runs=interpreter("-encoding= -display= -geometry= -name="),
        is_interpreter=True,
        scripts=(Script.TCL,),
    ),
    Program("littler", runs=interpreter(_R), is_interpreter=True, scripts=(Script.CALLS,)),
    Program(
        "osascript",
        runs=interpreter("-e=; -l= -s= -i"),
        is_interpreter=True,
        takes_data=True,
        scripts=(Script.CALLS,),
    ),
    Program(
        "jshell",
        runs=interpreter("-R= -C= --class-path= --startup= -v -s -q"),
        is_interpreter=True,
        scripts=(Script.CALLS,),
    ),
    Program("clojure", runs=interpreter("-e=; -M? -X?"), is_interpreter=True, scripts=(Script.CALLS,)),
    Program("clj", runs=interpreter("-e=; -M? -X?"), is_interpreter=True),
    Program("bb", runs=interpreter("-e=; -f=; -cp="), is_interpreter=True, scripts=(Script.CALLS,)),
    Program(
        "erl",
        runs=interpreter("-eval=; -s=; -run=; -pa= -noshell -noinput"),
        is_interpreter=True,
        scripts=(Script.CALLS,),
    ),
    Program("escript", runs=interpreter(""), is_interpreter=True),
    Program("iex", runs=interpreter("-e=; -S= -r="), is_interpreter=True, scripts=(Script.CALLS,)),
    Program(
        "ghci",
        runs=interpreter("-e=%;"),
        is_interpreter=True,
        input=(InputRule(only="-i --interactive inspect --inspect-brk"),),
        scripts=(
            Script.CALLS,
            Script.CLIENT,
        ),
    ),
    Program("runghc", runs=interpreter("-f= -e=;"), is_interpreter=True, scripts=(Script.CALLS,)),
    Program("runhaskell", runs=interpreter("-f="), is_interpreter=True, scripts=(Script.CALLS,)),
    Program(
        "guile",
        runs=interpreter("-c=; -e= -l= -s=; -L= -C= -x="),
        is_interpreter=True,
        scripts=(Script.CALLS,),
    ),
    Program(
        "racket",
        runs=interpreter("-e=; -f=; -t= -l= -p= -r= -u="),
        is_interpreter=True,
        input=(InputRule(only="-i --interactive inspect --inspect-brk"),),
        scripts=(Script.CALLS,),
    ),
    Program(
        "sbcl",
        runs=interpreter("--script? --eval=; --load= --noinform --non-interactive"),
        is_interpreter=True,
        scripts=(Script.CALLS,),
    ),
    Program("clisp", runs=interpreter("-x=; -i="), is_interpreter=True, scripts=(Script.CALLS,)),
    Program("scheme", runs=interpreter("--script=;"), is_interpreter=True),
    Program("csi", runs=interpreter("-e=; -s=;"), is_interpreter=True),
    Program("rbash", runs_by=RunsBy.SHELL),
    Program("drush jrunscript mlr slsh wp", scripts=(Script.CALLS,)),
)
