"""Less common programs that run what they are given: terminals, supervisors, tracers, boxes, clients."""

from assent.engine.shell.knowledge.wrapper import Carrier, Input, Rest, Subcommands, Wrapper

_PLAIN = Wrapper()
_AFTER_DASHES = Wrapper(marker="--")
_FLAGS = Wrapper(rest=Rest.FLAGS)
_OPERAND = Wrapper(operands=1)
_IN_NAMESPACE = Wrapper(operands=1, optional=True)
"""`ip -all netns exec` takes no name, because it goes through all of them."""
_TEXT = Wrapper(rest=Rest.TEXT)
_TEXTS = Wrapper(rest=Rest.TEXTS)

# ---- terminals and desktops ------------------------------------------------------------------------

_TERMINAL = _FLAGS._replace(options="-e*")
_GNOME = Wrapper("-x* --execute* -e=! --command=!", marker="--", rest=Rest.FLAGS)

_TERMINALS: dict[str, Carrier] = {
    **dict.fromkeys(
        """xterm uxterm lxterm rxvt urxvt urxvtc konsole x-terminal-emulator ghostty eterm aterm mlterm qterminal
        cool-retro-term deepin-terminal mintty contour rio roxterm sakura""".split(),
        _TERMINAL,
    ),
    "alacritty": _FLAGS._replace(options="-e* --command*"),
    **dict.fromkeys(
        """gnome-terminal mate-terminal xfce4-terminal terminator tilix kgx ptyxis lxterminal guake terminology
        tilda xdg-terminal-exec io.elementary.terminal""".split(),
        _GNOME,
    ),
    "kitty": Wrapper(
        "-e --hold --detach -1 --single-instance -T= --title= --class= --name= -d= --directory= -o= --override= -c="
        " --config= --session= --start-as= --listen-on= @ launch --type= --cwd="
    ),
    "foot": Wrapper(
        "-e -H --hold -m --maximized -F --fullscreen -L --login-shell -t= --term= -c= --config= -o= --override= -f="
        " --font= -T= --title= -a= --app-id= -w= -W= -D= --working-directory= -l? -d= -s="
    ),
    "footclient": _PLAIN,
    "st": Wrapper("-e -a -i -v -c= -f= -g= -n= -o= -T= -t= -w= -l="),
    "wezterm": Subcommands(
        {
            "start": Wrapper(
                "--cwd= --class= --workspace= --position= --domain= --new-tab --always-new-process -e"
            ),
            "cli": Subcommands(
                dict.fromkeys(
                    ("spawn", "split-pane"),
                    Wrapper(
                        "--cwd= --pane-id= --percent= --cells= --new-window --workspace= --right --left --bottom"
                    ),
                )
            ),
            "ssh": Wrapper(operands=1, rest=Rest.TEXT),
        },
        "-n --skip-config --config-file= --config=",
    ),
    "dvtm": _TEXTS,
    "ttyd": Wrapper(
        "-p= -i= -c= -s= -T= -t= -w= -m= -W -R -o -b= -I= -P= -u= -g= -a -O -S -C= -K= -A= -6 -q -d="
    ),
    "gotty": Wrapper(
        "-p= --port= -a= --address= -w --permit-write -c= --credential= -t -r --once --title-format="
    ),
    "asciinema": Subcommands({"rec": _FLAGS._replace(options="-c=! --command=!")}),
    "ttyrec": _FLAGS._replace(options="-e=!"),
    "winpty": Wrapper("-Xallow-non-tty -Xplain"),
    "cygstart": _PLAIN,
    "i3-msg": Wrapper("-t= -s= -q exec --no-startup-id", rest=Rest.TEXT),
    "swaymsg": Wrapper("-t= -s= -q -r -m exec", rest=Rest.TEXT),
    "hyprctl": Subcommands({"dispatch": Subcommands({"exec": _TEXT})}),
    "xdotool": Subcommands({"exec": Wrapper("--sync --terminator= --args=")}),
    "launchctl": Subcommands(
        {"submit": _AFTER_DASHES, "asuser": _OPERAND, "bsexec": _OPERAND},
    ),
    "taskpolicy": Wrapper("-b -B -c= -d= -g= -t= -l= -a -s -m="),
    "scrot": _FLAGS._replace(options="-e=! --exec=!"),
    "grc": Wrapper("-e -s -c= --config= --colour= --pty"),
    "gum": Subcommands(
        {"spin": Wrapper("-s= --spinner= --title= --show-output --show-error --align= --timeout= -a=")}
    ),
}

# ---- supervisors, queues, watchers -----------------------------------------------------------------

_SUPERVISORS: dict[str, Carrier] = {
    "hash": Wrapper("-p=! -r -d -l -t", rest=Rest.VALUES),
    **{
        f"zf_{tool}": Wrapper("-* --*", before=(tool,)) for tool in "rm mv ln mkdir rmdir chmod chown".split()
    },
    "jobs": _FLAGS._replace(options="-x*"),
    "just": _FLAGS._replace(options="-c* --command* --shell=! --chooser=!"),
    "start": Wrapper("/b /B /wait /WAIT /min /max"),
    "rush-pnpm": Subcommands({"exec": _PLAIN}),
    "repeat": _OPERAND,
    "sched": _OPERAND,
    "apply": Wrapper("-a= -c= -d -NUM", rest=Rest.FIRST),
    "run-one": _PLAIN,
    "run-this-one": _PLAIN,
    "keep-one-running": _PLAIN,
    **dict.fromkeys(("ts", "tsp"), Wrapper("-n -g -f -m -d -L= -N= -D= -E -B")),
    "cronic": _PLAIN,
    "with-lock-ex": Wrapper("-w -q -f", operands=1),
    "solo": Wrapper("-port= -verbose -silent"),
    "gow": Wrapper("-e= -c -i= -r= -s -v -S="),
    "wgo": Wrapper("-file= -xfile= -dir= -xdir= -cd= -root= -exit -stdin -verbose -debounce="),
    "mprocs": Wrapper("-c= --config= -s= --server= --ctl= --names= --npm", rest=Rest.TEXTS),
    "systemd-socket-activate": Wrapper(
        "-l= --listen= -d --datagram -a --accept -E= --setenv= --fdname= --inetd"
    ),
    "udpsvd": Wrapper("-h -E -v -l= -u=", operands=2),
    "nq": Wrapper("-c -q"),
    "pee": _TEXTS,
    "mispipe": _TEXTS,
    "zrun": _PLAIN,
    "logsave": Wrapper("-a -s -v", operands=1),
    "detach": _PLAIN,
    "fghack": _PLAIN,
    "tcpserver": Wrapper(operands=2),
    "tcpsvd": Wrapper("-h -E -v -p -c= -C= -b= -u= -l= -i= -x= -t=", operands=2),
    "websocketd": Wrapper(
        "--port= --address= --staticdir= --dir= --cgidir= --devconsole --binary? --loglevel="
    ),
    "execlineb": _FLAGS._replace(options="-c=! -P -p -e"),
    "s6-envdir": _OPERAND,
    "s6-softlimit": Wrapper("-a= -c= -d= -f= -l= -m= -o= -p= -r= -s= -t="),
    "s6-setsid": _PLAIN,
    "foreman": Subcommands({"run": Wrapper("-e= --env= -f= --procfile=")}),
    "honcho": Subcommands({"run": _PLAIN}, "-e= -d= -f="),
    "overmind": Subcommands({"run": _PLAIN}),
    "pm2": Subcommands({"start": Wrapper("-n= --name= -i= --watch --cwd=", rest=Rest.TEXTS)}),
    "forever": Subcommands({"start": _FLAGS._replace(options="-c=!")}, "-c=!"),
    "watchmedo": Subcommands(
        {
            "shell-command": _FLAGS._replace(options="-c=! --command=!"),
            "auto-restart": Wrapper("-d= --directory= -p= --patterns= -R --recursive --signal=", marker="--"),
        }
    ),
    "ptw": _FLAGS._replace(options="--runner=! --beforerun=! --afterrun=! --onpass=! --onfail=! --onexit=!"),
    "air": _FLAGS._replace(
        options="--build.cmd=! --build.bin=! --build.full_bin=! -build.cmd=! -build.bin=!"
    ),
    "repo": Subcommands({"forall": _FLAGS._replace(options="-c* --command*")}),
    "mr": Subcommands({"run": _PLAIN}),
    "meta": Subcommands({"exec": _TEXTS}),
    "gita": Subcommands({"shell": _TEXT}),
    "etcdctl": Subcommands({"watch": _AFTER_DASHES, "lock": _OPERAND, "elect": _AFTER_DASHES}),
    "schtasks": _FLAGS._replace(options="/tr=! /TR=!"),
    "forfiles": _FLAGS._replace(options="/c=! /C=!"),
    "gsudo": Wrapper("-n --new -w --wait -s --system -i= -u= --user= -d", privilege=True),
    "runas": Wrapper(rest=Rest.TEXTS, privilege=True),
    "psexec": Wrapper(privilege=True),
    **dict.fromkeys(
        ("gksu", "gksudo", "kdesu", "kdesudo", "lxsu", "beesu", "xdg-su"), Wrapper("-u= -c=!", privilege=True)
    ),
}

# ---- boxes, other machines, environments -----------------------------------------------------------

_IN_CONTAINER = Wrapper("-d --detach -i --interactive -t --tty -e= --env= -u= --user= --cwd= -w= --workdir= -s --sync"
                        " --timeout= --pid-file= --process=", operands=1, again=True, input=Input.SHELL)  # fmt: skip
_SHELL_DASHES = Wrapper("-c=! --command=!", marker="--", rest=Rest.FLAGS)

_CMAKE_TOOLS = {
    "rm": "rm -r",
    "remove": "rm",
    "remove_directory": "rm -r",
    "copy": "cp",
    "copy_if_different": "cp",
    "copy_directory": "cp -r",
    "rename": "mv",
    "touch": "touch",
    "create_symlink": "ln -s",
    "create_hardlink": "ln",
    "tar": "tar",
}
"""Tools that `cmake -E` brings along, and which programs they are like."""

_BOXES: dict[str, Carrier] = {
    "ip": Subcommands(
        {
            **dict.fromkeys(
                ("netns", "netn"), Subcommands(dict.fromkeys(("exec", "e", "ex", "exe"), _IN_NAMESPACE))
            ),
            "vrf": Subcommands({"exec": _OPERAND}),
        },
        "-n= -netns= -4 -6 -0 -a -all -s -d -j -p -br -brief -c -color -o -oneline",
    ),
    "cmake": Subcommands(
        {
            "env": Wrapper("--unset= --modify=", assignments=True, again=True),
            "time": _PLAIN,
            "chdir": _OPERAND,
            **{name: Wrapper("-* --*", before=tuple(same.split())) for name, same in _CMAKE_TOOLS.items()},
        }
    ),
    "snap": Subcommands(
        {"run": Wrapper("--shell --strace? --gdb --gdbserver? --trace-exec", operands=1, before=("sh",))}
    ),
    "runcon": Wrapper("-c --compute -t= --type= -u= --user= -r= --role= -l= --range=", operands=1),
    "cgexec": Wrapper("-g= --sticky"),
    "aa-exec": Wrapper("-p= --profile= -n= --namespace= -i --immediate -v -d"),
    "nsjail": _AFTER_DASHES,
    "minijail0": _PLAIN,
    "rootlesskit": Wrapper("--*"),
    "buildah": Subcommands({"run": _IN_CONTAINER, "unshare": _PLAIN}),
    "runc": Subcommands({"exec": _IN_CONTAINER}),
    "crun": Subcommands({"exec": _IN_CONTAINER}),
    "crictl": Subcommands({"exec": _IN_CONTAINER}),
    "ctr": Subcommands(
        dict.fromkeys(
            ("task", "tasks", "t"), Subcommands({"exec": Wrapper("--exec-id= -t --cwd=", operands=1)})
        )
    ),
    "docker-machine": Subcommands({"ssh": Wrapper(operands=1, rest=Rest.TEXT)}),
    "nomad": Subcommands(
        {
            "exec": Wrapper("-job -i? -t? -e= -task=", operands=1),
            "alloc": Subcommands({"exec": Wrapper("-job -i? -t? -e= -task=", operands=1)}),
        }
    ),
    "eb": Subcommands({"ssh": _FLAGS._replace(options="-c=! --command=!")}),
    "et": _FLAGS._replace(options="-c=! --command=!"),
    "sshuttle": _FLAGS._replace(options="-e=! --ssh-cmd=!"),
    "salt-call": Wrapper(operands=1, rest=Rest.TEXT),
    "salt-ssh": Wrapper(operands=2, rest=Rest.TEXT),
    "knife": Subcommands({"ssh": Wrapper(operands=1, rest=Rest.TEXT)}),
    "bolt": Subcommands({"command": Subcommands({"run": _TEXTS})}),
    "fab": _AFTER_DASHES,
    "check_by_ssh": _FLAGS._replace(options="-C=! --command=!"),
    "guix": Subcommands(dict.fromkeys(("shell", "environment"), Wrapper("--*", marker="--"))),
    "devbox": Subcommands({"run": Wrapper("-c= --config= -e= --env= --pure")}),
    "devenv": Subcommands({"shell": _PLAIN}),
    "flox": Subcommands({"activate": _SHELL_DASHES}),
    "spack": Subcommands({"build-env": _OPERAND}),
    "pkgx": Wrapper("-q -v +?"),
    "meson": Subcommands({"devenv": Wrapper("-C= -w= --workdir=")}),
    "cabal": Subcommands(dict.fromkeys(("exec", "v2-exec", "new-exec"), Wrapper("-v? --project-file="))),
    "composer": Subcommands({"exec": Wrapper("-l -q -n -v")}),
    "genie": _FLAGS._replace(options="-c*"),
    "opam": Subcommands({"exec": Wrapper("--switch= --root=")}),
    "esy": _PLAIN,
}

# ---- tracers and measurers -------------------------------------------------------------------------

_TRACERS: dict[str, Carrier] = {
    **dict.fromkeys(
        """austin operf nsys ncu rocprof cuda-memcheck compute-sanitizer likwid-perfctr vtune kcov checkinstall
        pseudo fakeroot-ng bashcov""".split(),
        Wrapper("--*"),
    ),
    "flamegraph": _AFTER_DASHES,
    "samply": Subcommands(
        {"record": Wrapper("-o= --output= -r= --rate= -d= --duration= -n --no-open -s --save-only")}
    ),
    "py-spy": Subcommands({"record": _AFTER_DASHES, "top": _AFTER_DASHES}),
    "trace-cmd": Subcommands({"record": Wrapper("-p= -e= -o= -O= -l= -f= -b= -c -F"), "profile": _PLAIN}),
    "gdbserver": Wrapper("--once --multi --wrapper= --debug", operands=1),
    "dlv": Subcommands(
        {"exec": Wrapper("--headless --listen= --api-version= --accept-multiclient --log --wd=")}
    ),
    "leaks": Wrapper("--atExit -atExit -q", marker="--"),
    "pidstat": _FLAGS._replace(options="-e*"),
    "poop": Wrapper("-d= --duration= --color= -f --allow-failures", rest=Rest.TEXTS),
    "bench": _TEXTS,
    "pexec": _PLAIN,
    "uftrace": Subcommands(
        dict.fromkeys(("live", "record"), Wrapper("-* --* -d= -F= -N= -D= -P= -A= -R= -T=")),
        default=Wrapper("-* --* -d= -F= -N= -D= -P= -A= -R= -T="),
    ),
    "schedtool": _FLAGS._replace(options="-e*"),
    "coresched": Subcommands(dict.fromkeys(("new", "copy", "exec"), _AFTER_DASHES)),
    "aoss": _PLAIN,
}

RUNNERS: dict[str, Carrier] = {**_TERMINALS, **_SUPERVISORS, **_BOXES, **_TRACERS}
"""All of them, by name."""

RUNNER_TEXTS: dict[str, str] = {
    **dict.fromkeys(
        ("yt-dlp", "youtube-dl"), "--exec=! --exec-before-download=! --downloader=! --netrc-cmd=!"
    ),
    "aria2c": "--on-download-complete=! --on-download-start=! --on-download-error=! --on-bt-download-complete=!",
    "restic": "--password-command=! -o=@ --option=@",
    "borg": "--rsh=!",
    "fetchmail": "-m=! --mda=! --preconnect=! --postconnect=! --plugin=! --plugout=!",
    "msmtp": "--passwordeval=!",
    "helm": "--post-renderer=!",
    "ag": "--pager=!",
    "ack": "--pager=!",
    "peco": "--exec=!",
    "nano": "-s=! --speller=!",
    "pico": "-s=!",
    "neomutt": "-e=%",
    "rpm": "--pipe=!",
    "pppd": "connect=! disconnect=! init=! pty=!",
    "iptables": "--modprobe=!",
    "ip6tables": "--modprobe=!",
    "dhclient": "-sf=!",
    "pandoc": "-F=! --filter=! --pdf-engine=!",
    "latexmk": "-pdflatex=! -latex=! -xelatex=! -lualatex=!",
    "duckdb": "-c=% -cmd=% -s=%",
    "usql": "-c=% --command=%",
    "lf": "-command=%",
    "vifm": "-c=% +?%",
    "ranger": "--cmd=%",
    "radare2": "-c=% -qc=%",
    "r2": "-c=% -qc=%",
    "rizin": "-c=% -qc=%",
    "weechat": "-r=%",
    "rustc": "-C=@ --codegen=@",
    "agetty": "-l=! --login-program=!",
    "certbot": "--pre-hook=! --post-hook=! --deploy-hook=! --renew-hook=! --manual-auth-hook=! --manual-cleanup-hook=!",
    "dnsmasq": "--conf-script=! --dhcp-script=!",
    "enscript": "-I=! --filter=!",
    "gem": "-e=! --editor=!",
    "plymouth": "--command=!",
    "mvn": "-Dexec.executable=!",
}
"""Options of other programs whose value is shell text, a program, or a command of their own."""
