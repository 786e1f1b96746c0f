"""Programs that run a command: with other rights or limits, watched, repeated, or in a terminal."""

from assent.engine.programs.program import NONE, OtherOutput, Program, ReadCommands, Reads
from assent.engine.programs.runs import (
    INPUT_INSTRUCTIONS,
    INPUT_SESSION,
    RUNS_AFTER_DASHES,
    RUNS_AFTER_OPERAND,
    RUNS_COMMAND,
    RUNS_OPTIONS,
    RUNS_TEXT,
    RUNS_TEXTS,
    CodeInput,
    InputRule,
    InputUse,
    RestOfWords,
    RunCommands,
    Runs,
    Script,
)

_SUDO = Runs(
    "-A -b -B -e -E -H -i -k -K -l -n -N -P -s -S -v -V -u= -g= -p= -C= -D= -R= -r= -t= -T= -U= -a= -c="
    " --askpass --background --bell --preserve-env? --edit --group= --set-home --host= --login"
    " --remove-timestamp --reset-timestamp --no-update --list --non-interactive --preserve-groups --prompt="
    " --chdir= --chroot= --role= --type= --command-timeout= --close-from= --shell --stdin --other-user="
    " --user= --version --validate",
    options_after_operands=True,
    assignments=True,
    input=CodeInput.SHELL,
    privilege=True,
)
_SU = Runs(
    "-c=! --command=! --session-command=! -s=! --shell=! -g= --group= -G= --supp-group= -w="
    " --whitelist-environment= -f --fast -l --login -m -p --preserve-environment -P --pty -T --no-pty -d -",
    operands=1,
    options_after_operands=True,
    words_before=("sh",),
    input=CodeInput.SHELL,
    privilege=True,
)
_AS_USER = Runs(operands=1, privilege=True)
_TIMEOUT = Runs(
    "-s= --signal= -k= --kill-after= -f --foreground -p --preserve-status -v --verbose",
    operands=1,
    transparent=True,
    covers=True,
)
_TIME = Runs(
    "-p --portability -v --verbose -l -h -q --quiet -f= --format= -o=>~ --output=>~ -a~ --append~",
    transparent=True,
    covers=True,
)
_NICE = Runs("-n= --adjustment= -NUM", transparent=True, covers=True)
_STDBUF = Runs("-i= --input= -o= --output= -e= --error=", transparent=True, covers=True)
_NOHUP = Runs(transparent=True, covers=True)
_ENV = Runs(
    "-~ -i~ --ignore-environment~ -u=~ --unset=~ -C=~ --chdir=~ -P=~ -S=&~ --split-string=&~ -a=~ --argv0=~"
    " -0 --null -v --debug --block-signal?~ --default-signal?~ --ignore-signal?~ --list-signal-handling",
    assignments=True,
    transparent=True,
    covers=True,
)
_SETARCH = Runs(
    "-B --32bit -F --fdpic-funcptrs -I --short-inode -L --addr-compat-layout -R --addr-no-randomize -S"
    " --whole-seconds -T --sticky-timeouts -X --read-implies-exec -Z --mmap-page-zero -3 --3gb --4gb"
    " --uname-2.6 -v --verbose",
    input=CodeInput.SHELL,
)
_UNSHARE = Runs(
    "-m? --mount? -u? --uts? -i? --ipc? -n? --net? -p? --pid? -U? --user? -C? --cgroup? -T? --time? -f"
    " --fork -r --map-root-user -c --map-current-user --map-auto --map-user= --map-group= --map-users="
    " --map-groups= --kill-child? --mount-proc? --propagation= --setgroups= -R= --root= -w= --wd= -S="
    " --setuid= -G= --setgid= --monotonic= --boottime= --keep-caps -l= --load-interp=",
    input=CodeInput.SHELL,
)
_NSENTER = Runs(
    "-a --all -t= --target= -m? --mount? -u? --uts? -i? --ipc? -n? --net? -p? --pid? -U? --user? -C?"
    " --cgroup? -T? --time? -S? --setuid? -G? --setgid? -r? --root? -w? --wd? -W= --wdns= -e --env -F"
    " --no-fork -Z --follow-context --preserve-credentials -c --join-cgroup --user-parent -N= --net-socket=",
    input=CodeInput.SHELL,
)
_BWRAP = Runs(
    "--unshare-all --unshare-user --unshare-user-try --unshare-ipc --unshare-pid --unshare-net"
    " --unshare-uts --unshare-cgroup --unshare-cgroup-try --share-net --clearenv --die-with-parent"
    " --as-pid-1 --new-session --disable-userns --assert-userns-disabled --help --version --bind=="
    " --bind-try== --dev-bind== --dev-bind-try== --ro-bind== --ro-bind-try== --bind-fd== --ro-bind-fd=="
    " --setenv== --unsetenv= --symlink== --proc= --dev= --tmpfs= --mqueue= --dir= --file== --bind-data=="
    " --ro-bind-data== --remount-ro= --overlay-src= --overlay=== --tmp-overlay= --ro-overlay= --chdir="
    " --lock-file= --sync-fd= --hostname= --uid= --gid= --userns= --userns2= --pidns= --argv0= --args="
    " --exec-label= --file-label= --seccomp= --add-seccomp-fd= --block-fd= --userns-block-fd= --info-fd="
    " --json-status-fd= --cap-add= --cap-drop= --perms= --size= --chmod== --level-prefix",
)
_OPERAND = Runs(operands=1, options_after_operands=True)
_TMUX_WINDOW = Runs(
    "-a -A -b -d -D -E -f -h -k -P -S -v -X -Z -c= -e= -f= -F= -l= -n= -p= -s= -t= -x= -y=",
    rest=RestOfWords.TEXT,
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
        **dict.fromkeys(("run-shell", "run"), Runs("-b -C -d= -t= -c=", rest=RestOfWords.TEXT)),
        **dict.fromkeys(("if-shell", "if"), Runs("-b -F -t=", rest=RestOfWords.TEXTS)),
        **dict.fromkeys(("pipe-pane", "pipep"), Runs("-I -O -o -t=", rest=RestOfWords.TEXT)),
        **dict.fromkeys(
            ("display-popup", "popup"),
            Runs("-B -C -E -k -N -b= -c= -d= -e= -h= -s= -S= -t= -T= -w= -x= -y=", rest=RestOfWords.TEXT),
        ),
        **dict.fromkeys(
            ("send-keys", "send"), Runs("-F -H -K -l -M -R -X -c= -N= -t=", rest=RestOfWords.TEXT)
        ),
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
    rest=RestOfWords.TEXTS,
)
_WATCH = Runs(
    "-b --beep -c --color -C --no-color -d? --differences? -e --errexit -g --chgexit -q= --equexit= -n="
    " --interval= -p --precise -r --no-rerun -s= --shotsdir= -t --no-title -w --no-wrap -x --exec",
    rest=RestOfWords.TEXT,
)
_WATCHEXEC = Runs(
    "-w= --watch= -e= --exts= -f= --filter= -i= --ignore= -s= --signal= --stop-signal= -d= --debounce= -o="
    " --on-busy-update= --shell= -E= --env= --workdir= --delay-run= --poll=",
    rest=RestOfWords.TEXT,
)
_TERMINAL = RUNS_OPTIONS._replace(options="-e*")
_GNOME = Runs("-x* --execute* -e=! --command=!", marker="--", rest=RestOfWords.FLAGS)

PROGRAMS = (
    Program("sudo", runs=_SUDO, takes_assignments=True, is_transparent_prefix=True),
    Program("sudo-rs dzdo please super", runs=_SUDO),
    Program(
        "doas",
        runs=Runs("-u= -C= -a= -L -n -s", input=CodeInput.SHELL, privilege=True),
        takes_assignments=True,
        is_transparent_prefix=True,
    ),
    Program("su ksu", runs=_SU),
    Program(
        "runuser",
        runs=Runs(
            "-u= --user= -c=! --command=! --session-command=! -s=! --shell=! -g= --group= -G= --supp-group= -w="
            " -f -l --login -m -p --preserve-environment -P --pty -",
            options_after_operands=True,
            input=CodeInput.SHELL,
            privilege=True,
        ),
        text_options="-c=! --command=! --session-command=!",
        takes_assignments=True,
    ),
    Program(
        "run0",
        runs=Runs(
            "-u= --user= -g= --group= --nice= -D= --chdir= --setenv= --unit= --property= --slice= --background="
            " --machine= --pty --pipe --no-ask-password --slice-inherit --via-shell -i",
            input=CodeInput.SHELL,
            privilege=True,
        ),
    ),
    Program(
        "pkexec",
        runs=Runs("--user= --disable-internal-agent --keep-cwd", input=CodeInput.SHELL, privilege=True),
    ),
    Program("gosu su-exec setuidgid s6-setuidgid", runs=_AS_USER),
    Program(
        "chpst",
        runs=Runs(
            "-u= -U= -e= -b= -/= -n= -l= -L= -m= -d= -o= -p= -f= -c= -r= -t= -v -V -P -0 -1 -2",
            privilege=True,
        ),
    ),
    Program(
        "sg",
        runs=Runs(
            "-c=! -",
            operands=1,
            options_after_operands=True,
            rest=RestOfWords.TEXT,
            input=CodeInput.SHELL,
            privilege=True,
        ),
    ),
    Program(
        "newgrp",
        text_options="-c=!",
        runs=Runs("-", operands=1, rest=RestOfWords.FLAGS, input=CodeInput.SHELL, privilege=True),
    ),
    Program(
        "setpriv",
        runs=Runs(
            "-d --dump --nnp --no-new-privs --clear-groups --keep-groups --init-groups --reset-env --list-caps"
            " --groups= --inh-caps= --ambient-caps= --bounding-set= --ruid= --euid= --reuid= --rgid= --egid="
            " --regid= --securebits= --pdeathsig= --ptracer= --selinux-label= --apparmor-profile="
            " --landlock-access= --landlock-rule= --seccomp-filter=",
            privilege=True,
        ),
    ),
    Program("capsh", runs=Runs(marker="--", words_before=("sh",), privilege=True)),
    Program(
        "machinectl",
        runs=RunCommands(
            {
                "shell": Runs(
                    "-E= --setenv= --uid= -q --quiet",
                    operands=1,
                    options_after_operands=True,
                    input=CodeInput.SHELL,
                    privilege=True,
                )
            },
            "-M= --machine= -H= --host= -q --quiet",
        ),
    ),
    Program("timeout gtimeout", runs=_TIMEOUT),
    Program("time", runs=_TIME, takes_data=True, is_transparent_prefix=True),
    Program("gtime", runs=_TIME),
    Program("nice gnice", runs=_NICE),
    Program("nohup", runs=_NOHUP, is_transparent_prefix=True),
    Program("gnohup", runs=_NOHUP),
    Program("stdbuf gstdbuf", runs=_STDBUF),
    Program("env", runs=_ENV, takes_assignments=True, is_transparent_prefix=True),
    Program("genv", runs=_ENV, takes_assignments=True),
    Program("timelimit", runs=Runs("-t= -T= -s= -S= -p -q")),
    Program(
        "ionice", runs=Runs("-c= --class= -n= --classdata= -t --ignore -p= --pid= -P= --pgid= -u= --uid=")
    ),
    Program(
        "chrt",
        runs=Runs(
            "-a --all-tasks -b --batch -d --deadline -e --ext -f --fifo -i --idle -m --max -o --other -r --rr"
            " -R --reset-on-fork -v --verbose -T= --sched-runtime= -P= --sched-period= -D= --sched-deadline= -p"
            " --pid",
            operands=1,
        ),
    ),
    Program("taskset", runs=Runs("-a --all-tasks -c --cpu-list -p --pid", operands=1)),
    Program(
        "numactl",
        runs=Runs(
            "-a --all -N= --cpunodebind= -C= --physcpubind= -m= --membind= -i= --interleave= -w="
            " --weighted-interleave= -p= --preferred= -P= --preferred-many= -l --localalloc -b --balancing -s"
            " --show -H --hardware",
        ),
    ),
    Program(
        "cpulimit",
        runs=Runs(
            "-l= --limit= -p= --pid= -e= --exe= -P= --path= -b --background -c= --cpu= -f --foreground"
            " -i --include-children -m --monitor-forks -q --quiet -k --kill -s= --signal= -v --verbose -z --lazy"
        ),
    ),
    Program(
        "prlimit",
        runs=Runs(
            "-p= --pid= --noheadings --raw --verbose -o= --output= -c? --core? -d? --data? -e? --nice? -f?"
            " --fsize? -i? --sigpending? -l? --memlock? -m? --rss? -n? --nofile? -q? --msgqueue? -r? --rtprio?"
            " -s? --stack? -t? --cpu? -u? --nproc? -v? --as? -x? --locks? -y? --rttime?",
        ),
    ),
    Program("choom", runs=Runs("-n= --adjust= -p= --pid=")),
    Program(
        "uclampset",
        runs=Runs("-m= -M= -a --all-tasks -p= --pid= -s --system -R --reset-on-fork -v --verbose"),
    ),
    Program("softlimit", runs=Runs("-a= -c= -d= -f= -l= -m= -o= -p= -r= -s= -t=")),
    Program("setsid", runs=Runs("-c --ctty -f --fork -w --wait")),
    Program("setarch", runs=_SETARCH._replace(operands=1, optional=True, options_after_operands=True)),
    Program("linux32 linux64 i386 x86_64 uname26", runs=_SETARCH),
    Program("caffeinate", runs=Runs("-d -i -m -s -u -t= -w=")),
    Program(
        """eatmydata catchsegv rlwrap rlfe pgrphack nocache torify torsocks tsocks with-contenv wine mono dbus-launch xinit startx run-one run-this-one keep-one-running minijail0""",
        runs=RUNS_COMMAND,
    ),
    Program("unbuffer", runs=Runs("-p")),
    Program("chronic", runs=Runs("-v -e")),
    Program("ifne", runs=Runs("-n")),
    Program("annotate-output", runs=Runs("+?")),
    Program("faketime", runs=Runs("-m -f -p=", operands=1)),
    Program("envdir envuidgid", runs=Runs(operands=1)),
    Program("setlock", runs=Runs("-n -N -x -X", operands=1), output=OtherOutput.FIRST_OPERAND),
    Program("trickle", runs=Runs("-s -d= -u= -w= -t= -l= -L= -n= -v")),
    Program("proxychains proxychains4", runs=Runs("-q -f=")),
    Program("tini", runs=Runs("-s -g -v -w -l -p= -e=")),
    Program("dumb-init", runs=Runs("-c --single-child -r= --rewrite= -v --verbose")),
    Program("catatonit", runs=Runs("-g -P")),
    Program("wait-for-it wait-for-it.sh nsjail", runs=RUNS_AFTER_DASHES),
    Program(
        "dockerize", runs=Runs("-template= -timeout= -wait= -wait-retry-interval= -stdout= -stderr= -env=")
    ),
    Program(
        "ld.so",
        runs=Runs(
            "--list --verify --inhibit-cache --library-path= --glibc-hwcaps-prepend= --glibc-hwcaps-mask="
            " --inhibit-rpath= --audit= --preload= --argv0="
        ),
    ),
    Program(
        "chroot",
        runs=Runs("--groups= --userspec= --skip-chdir -u= -g= -G= -n", operands=1, input=CodeInput.SHELL),
    ),
    Program("unshare", runs=_UNSHARE),
    Program("nsenter", runs=_NSENTER),
    Program("bwrap", runs=_BWRAP),
    Program(
        "proot",
        runs=Runs(
            "-r= --rootfs= -b= --bind= -m= -q= --qemu= -w= --pwd= --cwd= -v= --verbose= -k= --kernel-release="
            " -i= --change-id= -R= -S= -0 --root-id --kill-on-exit -l --link2symlink -p",
            input=CodeInput.SHELL,
        ),
    ),
    Program(
        "fakeroot",
        runs=Runs("-l= --lib= --faked= -s= -i= -u --unknown-is-real -b= --fd-base=", input=CodeInput.SHELL),
    ),
    Program(
        "fakechroot",
        runs=Runs(
            "-s --use-system-libs -l= --lib= -d= --elfloader= -c= --config-dir= -e= --environment= -b= --bindir=",
            input=CodeInput.SHELL,
        ),
    ),
    Program("firejail", runs=Runs("-c --*", input=CodeInput.SHELL)),
    Program("sandbox-exec", runs=Runs("-f= -n= -p= -D=")),
    Program("dbus-run-session", runs=Runs("--config-file= --dbus-daemon=")),
    Program(
        "xvfb-run",
        runs=Runs(
            "-a --auto-servernum -l --listen-tcp -n= --server-num= -s= --server-args= -e= --error-file= -f="
            " --auth-file= -p= --xauth-protocol= -w= --wait="
        ),
    ),
    Program("retry", runs=Runs("-t= --tries= -d= --delay= -m= --max= -s= -u= -f=!")),
    Program(
        "schroot dchroot",
        runs=Runs(
            "-c= --chroot= -u= --user= -d= --directory= -s= --shell= -n= --session-name= -o= -p"
            " --preserve-environment -r --run-session -q --quiet -v --verbose",
            input=CodeInput.SHELL,
            privilege=True,
        ),
    ),
    Program("arch-chroot", runs=Runs("-N -r -S -u=", operands=1, input=CodeInput.SHELL, privilege=True)),
    Program("jexec", runs=Runs("-d= -l -u= -U= -n", operands=1, input=CodeInput.SHELL)),
    Program("iocage", runs=RunCommands({"exec": _OPERAND})),
    Program("bastille", runs=RunCommands({"cmd": _OPERAND})),
    Program("ezjail-admin", runs=RunCommands({"console": RUNS_OPTIONS._replace(options="-e=!")})),
    Program(
        "zlogin",
        runs=Runs("-C -E -S -n -Q -d -i -e= -l=", operands=1, rest=RestOfWords.TEXT, input=CodeInput.SHELL),
    ),
    Program("pfexec", runs=Runs("-P=", privilege=True)),
    Program("ppriv", runs=RUNS_OPTIONS._replace(options="-e*")),
    Program("openvt", runs=Runs("-c= -f -e -l -s -u -v -w")),
    Program("gsudo", runs=Runs("-n --new -w --wait -s --system -i= -u= --user= -d", privilege=True)),
    Program("runas", runs=Runs(rest=RestOfWords.TEXTS, privilege=True)),
    Program("psexec", runs=Runs(privilege=True)),
    Program("gksu gksudo kdesu kdesudo lxsu beesu xdg-su", runs=Runs("-u= -c=!", privilege=True)),
    Program("runcon", runs=Runs("-c --compute -t= --type= -u= --user= -r= --role= -l= --range=", operands=1)),
    Program("cgexec", runs=Runs("-g= --sticky")),
    Program("aa-exec", runs=Runs("-p= --profile= -n= --namespace= -i --immediate -v -d")),
    Program("rootlesskit", runs=Runs("--*")),
    Program("genie", runs=RUNS_OPTIONS._replace(options="-c*")),
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
            options_after_operands=True,
        ),
        output=OtherOutput.FIRST_OPERAND,
    ),
    Program("lockf", runs=Runs("-k -n -p -s -w -t=", operands=1), output=OtherOutput.FIRST_OPERAND),
    Program("lckdo", runs=Runs("-w -W= -e -E= -s -q", operands=1), output=OtherOutput.FIRST_OPERAND),
    Program(
        "script",
        runs=Runs(
            "-a --append -e --return -f --flush -q --quiet -k -p -r -d -F --force -c=! --command=! -I="
            " --log-in= -O= --log-out= -B= --log-io= -m= --logging-format= -o= --output-limit= -E= --echo= -T="
            " --log-timing= -t?",
            operands=1,
            options_after_operands=True,
            input=CodeInput.SHELL,
        ),
        output=OtherOutput.FIRST_OPERAND,
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
        output=OtherOutput.SUBCOMMAND,
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
                "ssh": Runs(operands=1, rest=RestOfWords.TEXT),
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
    Program("i3-msg", runs=Runs("-t= -s= -q exec --no-startup-id", rest=RestOfWords.TEXT)),
    Program("swaymsg", runs=Runs("-t= -s= -q -r -m exec", rest=RestOfWords.TEXT)),
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
    Program("apply", runs=Runs("-a= -c= -d -NUM", rest=RestOfWords.FIRST)),
    Program("ts tsp", runs=Runs("-n -g -f -m -d -L= -N= -D= -E -B")),
    Program("with-lock-ex", runs=Runs("-w -q -f", operands=1)),
    Program("solo", runs=Runs("-port= -verbose -silent")),
    Program("gow", runs=Runs("-e= -c -i= -r= -s -v -S=")),
    Program("wgo", runs=Runs("-file= -xfile= -dir= -xdir= -cd= -root= -exit -stdin -verbose -debounce=")),
    Program(
        "mprocs",
        runs=Runs("-c= --config= -s= --server= --ctl= --names= --npm", rest=RestOfWords.TEXTS),
        project_files=("mprocs.yaml",),
        scripts=(Script.TASKS,),
    ),
    Program(
        "systemd-socket-activate",
        runs=Runs("-l= --listen= -d --datagram -a --accept -E= --setenv= --fdname= --inetd"),
    ),
    Program("udpsvd", runs=Runs("-h -E -v -l= -u=", operands=2)),
    Program("nq", runs=Runs("-c -q")),
    Program("logsave", runs=Runs("-a -s -v", operands=1), output=OtherOutput.FIRST_OPERAND),
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
        does="project",
    ),
    Program("leaks", runs=Runs("--atExit -atExit -q", marker="--")),
    Program("pidstat schedtool", runs=RUNS_OPTIONS._replace(options="-e*")),
    Program("poop", runs=Runs("-d= --duration= --color= -f --allow-failures", rest=RestOfWords.TEXTS)),
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
    Program("run-parts", runs_files=True, project_files=("*",)),
)
