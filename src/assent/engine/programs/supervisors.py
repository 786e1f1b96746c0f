"""Programs that watch, measure, repeat or supervise a command, and terminals."""

from assent.engine.programs.program import (
    NONE,
    Input,
    InputRule,
    InputUse,
    Output,
    Program,
    ReadCommands,
    Reads,
    Rest,
    RunCommands,
    Runs,
    Script,
)
from assent.engine.programs.shared import (
    INPUT_INSTRUCTIONS,
    INPUT_SESSION,
    RUNS_AFTER_DASHES,
    RUNS_AFTER_OPERAND,
    RUNS_COMMAND,
    RUNS_OPTIONS,
    RUNS_TEXT,
    RUNS_TEXTS,
)

_TMUX_WINDOW = Runs(
    "-a -A -b -d -D -E -f -h -k -P -S -v -X -Z -c= -e= -f= -F= -l= -n= -p= -s= -t= -x= -y=", rest=Rest.TEXT
)
_TMUX = RunCommands(
    {
        **dict.fromkeys(
            (
                "new-session",
                "new",
                "new-window",
                "neww",
                "split-window",
                "splitw",
                "respawn-pane",
                "respawnp",
                "respawn-window",
                "respawnw",
            ),
            _TMUX_WINDOW,
        ),
        **dict.fromkeys(("run-shell", "run"), Runs("-b -C -d= -t= -c=", rest=Rest.TEXT)),
        **dict.fromkeys(("if-shell", "if"), Runs("-b -F -t=", rest=Rest.TEXTS)),
        **dict.fromkeys(("pipe-pane", "pipep"), Runs("-I -O -o -t=", rest=Rest.TEXT)),
        **dict.fromkeys(
            ("display-popup", "popup"),
            Runs("-B -C -E -k -N -b= -c= -d= -e= -h= -s= -S= -t= -T= -w= -x= -y=", rest=Rest.TEXT),
        ),
        **dict.fromkeys(("send-keys", "send"), Runs("-F -H -K -l -M -R -X -c= -N= -t=", rest=Rest.TEXT)),
    },
    "-2 -C -D -l -N -u -v -V -q -c=! -f= -L= -S= -T=",
)
_STRACE = Runs(
    "-a= -b= -c -C -d -D -DD -DDD -e= -E= -f -ff -F -h -i -I= -k -n -N -o=> --output=> -O= -p= -P= -q -qq -r -s= -S= -t"
    " -tt -ttt -T -u= -U= -v -V -w -W -x -xx -X= -y -yy -z -Z",
)
PERF = Runs(
    "-e= --event= -p= --pid= -t= --tid= -o=> --output=> -F= --freq= -c= --count= -C= --cpu= -r= --repeat= -I="
    " --interval-print= -m= --mmap-pages= -x= --field-separator= -G= --cgroup= -D= --delay= --filter= -u="
    " --uid=",
)
_QEMU = Runs("-L= -E= -U= -B= -R= -s= -g= -cpu=")
_HYPERFINE = Runs(
    "-w= --warmup= -m= --min-runs= -M= --max-runs= -r= --runs= -s=! --setup=! -p=! --prepare=! -c=!"
    " --cleanup=! -C=! --conclude=! --reference=! -P=== --parameter-scan=== -D= --parameter-step-size= -L=="
    " --parameter-list== -S=! --shell=! -N -i --ignore-failure --style= --sort= -u= --time-unit="
    " --export-asciidoc= --export-csv= --export-json= --export-markdown= --export-orgmode= --output="
    " --input= -n= --command-name= --show-output",
    rest=Rest.TEXTS,
)
_WATCH = Runs(
    "-b --beep -c --color -C --no-color -d? --differences? -e --errexit -g --chgexit -q= --equexit= -n="
    " --interval= -p --precise -r --no-rerun -s= --shotsdir= -t --no-title -w --no-wrap -x --exec",
    rest=Rest.TEXT,
)
_WATCHEXEC = Runs(
    "-w= --watch= -e= --exts= -f= --filter= -i= --ignore= -s= --signal= --stop-signal= -d= --debounce= -o="
    " --on-busy-update= --shell= -E= --env= --workdir= --delay-run= --poll=",
    rest=Rest.TEXT,
)
_TERMINAL = RUNS_OPTIONS._replace(options="-e*")
_GNOME = Runs("-x* --execute* -e=! --command=!", marker="--", rest=Rest.FLAGS)

PROGRAMS = (
    Program(
        "gdb",
        reads=Reads("--version", only=True),
        runs=Runs(
            "-ex=% --ex=% -iex=% --iex=% -eval-command=% --eval-command=% -x= --command= -p= --pid= -c="
            " --core= -s= -d= -cd= -b= -l= --args -args"
        ),
        input=(INPUT_SESSION,),
        scripts=(
            Script.CALLS,
            Script.CLIENT,
        ),
    ),
    Program(
        "lldb",
        reads=Reads("--version", only=True),
        runs=Runs(
            "-o=% --one-line=% -O=% --one-line-before-file=% -k=% -s= --source= -p= --attach-pid= -n="
            " --attach-name= -a= --arch= -f="
        ),
        input=(INPUT_SESSION,),
        scripts=(
            Script.CALLS,
            Script.CLIENT,
        ),
    ),
    Program("strace", reads=Reads("--version", only=True), runs=_STRACE, text_options="-o=%"),
    Program(
        "valgrind", reads=Reads("--version", only=True), runs=Runs("-q -v -d --log-file=> --xml-file=> --*")
    ),
    Program("watchexec", reads=Reads("--version", only=True), runs=_WATCHEXEC),
    Program("hyperfine", reads=Reads("--version", only=True), runs=_HYPERFINE),
    # A format could run programs, so no format.
    Program(
        "tmux",
        reads=ReadCommands(
            {
                **{name: Reads("", NONE) for name in ("ls", "list-sessions")},
                **{
                    name: Reads("-a -s -t=", NONE, check="no formats")
                    for name in ("lsw", "list-windows", "lsp", "list-panes")
                },
                **{
                    name: Reads("-a -e -J -N -p -q -t= -S= -E=", NONE, needs="-p", check="no formats")
                    for name in ("capture-pane", "capturep")
                },
            },
            flags="-L= -V",
            bare=True,
        ),
        runs=_TMUX,
        input=(InputRule(only="-C -CC source-file load-buffer"), InputRule(operands=1)),
        scripts=(Script.PIECES,),
    ),
    Program(
        "screen",
        reads=Reads("-ls -list", NONE, needs="-ls -list"),
        runs=Runs(
            "-a -A -d -D -f -i -l -L -m -O -q -Q -r -R -U -v -wipe -x -X -dm -dmS= -c= -e= -h= -p= -s=! -S= -t="
            " -T= -Logfile=>"
        ),
        input=(INPUT_INSTRUCTIONS,),
        scripts=(Script.PIECES,),
    ),
    Program(
        "flock",
        runs=Runs(
            "-s --shared -x -e --exclusive -u --unlock -n --nb --nonblock -o --close -F --no-fork -w= --wait="
            " --timeout= -E= --conflict-exit-code= -c=! --command=! --verbose --fcntl",
            operands=1,
            again=True,
        ),
        output=Output.FIRST_OPERAND,
    ),
    Program("lockf", runs=Runs("-k -n -p -s -w -t=", operands=1), output=Output.FIRST_OPERAND),
    Program("lckdo", runs=Runs("-w -W= -e -E= -s -q", operands=1), output=Output.FIRST_OPERAND),
    Program(
        "script",
        runs=Runs(
            "-a --append -e --return -f --flush -q --quiet -k -p -r -d -F --force -c=! --command=! -I="
            " --log-in= -O= --log-out= -B= --log-io= -m= --logging-format= -o= --output-limit= -E= --echo= -T="
            " --log-timing= -t?",
            operands=1,
            again=True,
            input=Input.SHELL,
        ),
        output=Output.FIRST_OPERAND,
    ),
    Program("byobu", runs=_TMUX, scripts=(Script.PIECES,)),
    Program("dtach", runs=Runs("-a= -A= -c= -n= -N= -p= -e= -E -r= -R= -z")),
    Program("abduco", runs=Runs("-a= -A= -c= -n= -e= -f -l -r -v")),
    Program(
        "zellij",
        runs=RunCommands({"run": Runs("-d= --direction= -n= --name= --cwd="), "r": RUNS_COMMAND}),
        input=(INPUT_INSTRUCTIONS,),
        scripts=(Script.PIECES,),
    ),
    Program("daemonize", runs=Runs("-a -v -c= -e= -o= -p= -l= -u= -E=")),
    Program(
        "daemon box64 box86 footclient cygstart cronic zrun detach fghack s6-setsid aoss", runs=RUNS_COMMAND
    ),
    Program("watch", runs=_WATCH),
    Program(
        "entr",
        runs=Runs("-a -c -d -n -p -r -s$ -x -z"),
        input=(InputRule(InputUse.OPERANDS, options="-a=; --arg-file=; --version; --help;"),),
    ),
    Program(
        "reflex",
        runs=Runs("-r= --regex= -R= --inverse-regex= -g= --glob= -G= --inverse-glob= -d= --decoration= -c="),
    ),
    Program("watchman-make", runs=RUNS_OPTIONS._replace(options="--run=! --make=!")),
    Program("when-changed", runs=RUNS_COMMAND._replace(operands=1)),
    Program("ltrace", runs=Runs("-a= -A= -e= -f -F= -l= -n= -o=> --output=> -p= -s= -u= -x= -X= -w= -D=")),
    Program("dtruss", runs=Runs("-p= -n= -t= -b=")),
    Program("truss", runs=Runs("-o=> -p= -s= -f")),
    Program("ktrace", runs=Runs("-f=> -g= -p= -t=")),
    Program("dtrace bpftrace", runs=RUNS_OPTIONS._replace(options="-c=!"), scripts=(Script.CALLS,)),
    Program(
        "perf",
        runs=RunCommands(
            dict.fromkeys(
                ("stat", "record", "trace", "mem", "c2c", "kmem", "lock", "sched", "ftrace", "kvm", "top"),
                PERF,
            )
        ),
        output=Output.SUBCOMMAND,
    ),
    Program("heaptrack", runs=Runs("-o=> --output=> -p= --pid=")),
    Program("rr", runs=RunCommands({"record": RUNS_COMMAND}), input=(INPUT_SESSION,)),
    Program(
        "uftrace",
        runs=RunCommands(
            dict.fromkeys(("live", "record"), Runs("-* --* -d= -F= -N= -D= -P= -A= -R= -T=")),
            default=Runs("-* --* -d= -F= -N= -D= -P= -A= -R= -T="),
        ),
    ),
    Program("qemu-x86_64 qemu-aarch64 qemu-arm qemu-i386 qemu-riscv64", runs=_QEMU),
    Program("multitime", runs=Runs("-n= -s= -i=! -r=! -o=! -b=")),
    Program("busybox", runs=Runs("--list --list-full --help"), is_transparent_prefix=True),
    Program("toybox", runs=Runs("--long --help --version")),
    Program(
        "foreman",
        runs=RunCommands({"run": Runs("-e= --env= -f= --procfile=")}),
        project_files=(
            "Procfile",
            "Procfile.dev",
        ),
        scripts=(Script.TASKS,),
    ),
    Program(
        "honcho",
        runs=RunCommands({"run": RUNS_COMMAND}, "-e= -d= -f="),
        project_files=(
            "Procfile",
            "Procfile.dev",
        ),
        scripts=(Script.TASKS,),
    ),
    Program(
        """xterm uxterm lxterm rxvt urxvt urxvtc konsole x-terminal-emulator ghostty eterm aterm mlterm qterminal cool-retro-term deepin-terminal mintty contour rio roxterm sakura""",
        runs=_TERMINAL,
    ),
    Program("alacritty", runs=RUNS_OPTIONS._replace(options="-e* --command*")),
    Program(
        """gnome-terminal mate-terminal xfce4-terminal terminator tilix kgx ptyxis lxterminal guake terminology tilda xdg-terminal-exec io.elementary.terminal""",
        runs=_GNOME,
    ),
    Program(
        "kitty",
        runs=Runs(
            "-e --hold --detach -1 --single-instance -T= --title= --class= --name= -d= --directory= -o= --override= -c="
            " --config= --session= --start-as= --listen-on= @ launch --type= --cwd="
        ),
        scripts=(Script.PIECES,),
    ),
    Program(
        "foot",
        runs=Runs(
            "-e -H --hold -m --maximized -F --fullscreen -L --login-shell -t= --term= -c= --config= -o= --override= -f="
            " --font= -T= --title= -a= --app-id= -w= -W= -D= --working-directory= -l? -d= -s="
        ),
    ),
    Program("st", runs=Runs("-e -a -i -v -c= -f= -g= -n= -o= -T= -t= -w= -l=")),
    Program(
        "wezterm",
        runs=RunCommands(
            {
                "start": Runs(
                    "--cwd= --class= --workspace= --position= --domain= --new-tab --always-new-process -e"
                ),
                "cli": RunCommands(
                    dict.fromkeys(
                        ("spawn", "split-pane"),
                        Runs(
                            "--cwd= --pane-id= --percent= --cells= --new-window --workspace= --right --left --bottom"
                        ),
                    )
                ),
                "ssh": Runs(operands=1, rest=Rest.TEXT),
            },
            "-n --skip-config --config-file= --config=",
        ),
    ),
    Program("dvtm pee mispipe bench", runs=RUNS_TEXTS),
    Program(
        "ttyd",
        runs=Runs(
            "-p= -i= -c= -s= -T= -t= -w= -m= -W -R -o -b= -I= -P= -u= -g= -a -O -S -C= -K= -A= -6 -q -d="
        ),
    ),
    Program(
        "gotty",
        runs=Runs(
            "-p= --port= -a= --address= -w --permit-write -c= --credential= -t -r --once --title-format="
        ),
    ),
    Program("asciinema", runs=RunCommands({"rec": RUNS_OPTIONS._replace(options="-c=! --command=!")})),
    Program("ttyrec", runs=RUNS_OPTIONS._replace(options="-e=!")),
    Program("winpty", runs=Runs("-Xallow-non-tty -Xplain")),
    Program("i3-msg", runs=Runs("-t= -s= -q exec --no-startup-id", rest=Rest.TEXT)),
    Program("swaymsg", runs=Runs("-t= -s= -q -r -m exec", rest=Rest.TEXT)),
    Program("hyprctl", runs=RunCommands({"dispatch": RunCommands({"exec": RUNS_TEXT})})),
    Program("xdotool", runs=RunCommands({"exec": Runs("--sync --terminator= --args=")})),
    Program("taskpolicy", runs=Runs("-b -B -c= -d= -g= -t= -l= -a -s -m=")),
    Program("scrot", runs=RUNS_OPTIONS._replace(options="-e=! --exec=!")),
    Program("grc", runs=Runs("-e -s -c= --config= --colour= --pty")),
    Program(
        "gum",
        runs=RunCommands(
            {"spin": Runs("-s= --spinner= --title= --show-output --show-error --align= --timeout= -a=")}
        ),
    ),
    Program("apply", runs=Runs("-a= -c= -d -NUM", rest=Rest.FIRST)),
    Program("ts tsp", runs=Runs("-n -g -f -m -d -L= -N= -D= -E -B")),
    Program("with-lock-ex", runs=Runs("-w -q -f", operands=1)),
    Program("solo", runs=Runs("-port= -verbose -silent")),
    Program("gow", runs=Runs("-e= -c -i= -r= -s -v -S=")),
    Program("wgo", runs=Runs("-file= -xfile= -dir= -xdir= -cd= -root= -exit -stdin -verbose -debounce=")),
    Program(
        "mprocs",
        runs=Runs("-c= --config= -s= --server= --ctl= --names= --npm", rest=Rest.TEXTS),
        project_files=("mprocs.yaml",),
        scripts=(Script.TASKS,),
    ),
    Program(
        "systemd-socket-activate",
        runs=Runs("-l= --listen= -d --datagram -a --accept -E= --setenv= --fdname= --inetd"),
    ),
    Program("udpsvd", runs=Runs("-h -E -v -l= -u=", operands=2)),
    Program("nq", runs=Runs("-c -q")),
    Program("logsave", runs=Runs("-a -s -v", operands=1), output=Output.FIRST_OPERAND),
    Program("tcpserver", runs=Runs(operands=2)),
    Program("tcpsvd", runs=Runs("-h -E -v -p -c= -C= -b= -u= -l= -i= -x= -t=", operands=2)),
    Program(
        "websocketd",
        runs=Runs("--port= --address= --staticdir= --dir= --cgidir= --devconsole --binary? --loglevel="),
    ),
    Program("execlineb", runs=RUNS_OPTIONS._replace(options="-c=! -P -p -e")),
    Program("s6-envdir", runs=RUNS_AFTER_OPERAND),
    Program("s6-softlimit", runs=Runs("-a= -c= -d= -f= -l= -m= -o= -p= -r= -s= -t=")),
    Program(
        "overmind",
        runs=RunCommands({"run": RUNS_COMMAND}),
        project_files=(
            "Procfile",
            "Procfile.dev",
        ),
        scripts=(Script.TASKS,),
    ),
    Program(
        "air",
        runs=RUNS_OPTIONS._replace(
            options="--build.cmd=! --build.bin=! --build.full_bin=! -build.cmd=! -build.bin=!"
        ),
    ),
    Program("schtasks", runs=RUNS_OPTIONS._replace(options="/tr=! /TR=!")),
    Program("forfiles", runs=RUNS_OPTIONS._replace(options="/c=! /C=!")),
    Program(
        """austin operf nsys ncu rocprof cuda-memcheck compute-sanitizer likwid-perfctr vtune kcov pseudo fakeroot-ng bashcov""",
        runs=Runs("--*"),
    ),
    Program("flamegraph", runs=RUNS_AFTER_DASHES),
    Program(
        "samply",
        runs=RunCommands(
            {"record": Runs("-o= --output= -r= --rate= -d= --duration= -n --no-open -s --save-only")}
        ),
    ),
    Program(
        "trace-cmd",
        runs=RunCommands({"record": Runs("-p= -e= -o= -O= -l= -f= -b= -c -F"), "profile": RUNS_COMMAND}),
    ),
    Program("gdbserver", runs=Runs("--once --multi --wrapper= --debug", operands=1)),
    Program(
        "dlv",
        runs=RunCommands(
            {"exec": Runs("--headless --listen= --api-version= --accept-multiclient --log --wd=")}
        ),
        input=(INPUT_SESSION,),
    ),
    Program("leaks", runs=Runs("--atExit -atExit -q", marker="--")),
    Program("pidstat schedtool", runs=RUNS_OPTIONS._replace(options="-e*")),
    Program("poop", runs=Runs("-d= --duration= --color= -f --allow-failures", rest=Rest.TEXTS)),
    Program("coresched", runs=RunCommands(dict.fromkeys(("new", "copy", "exec"), RUNS_AFTER_DASHES))),
    Program("stap", never_suggest=True),
    Program(
        "hivemind",
        project_files=(
            "Procfile",
            "Procfile.dev",
        ),
        scripts=(Script.TASKS,),
    ),
    Program("run-parts", runs_files=True),
)
