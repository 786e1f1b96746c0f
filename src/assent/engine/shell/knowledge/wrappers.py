"""The programs that run what they are given, and where in their words it stands.

The lists of options need not be complete: at an option that is not listed the reader stops and
takes every word that follows for a possible command.
"""

from assent.engine.shell.knowledge.machines import MACHINES
from assent.engine.shell.knowledge.runners import RUNNER_TEXTS, RUNNERS
from assent.engine.shell.knowledge.wrapper import Carrier, Input, Rest, Subcommands, Wrapper

_PLAIN = Wrapper()
_AFTER_DASHES = Wrapper(marker="--")
_FLAGS = Wrapper(rest=Rest.FLAGS)

# ---- privilege --------------------------------------------------------------------------------

_SUDO = Wrapper(
    "-A -b -B -e -E -H -i -k -K -l -n -N -P -s -S -v -V -u= -g= -p= -C= -D= -R= -r= -t= -T= -U= -a= -c="
    " --askpass --background --bell --preserve-env? --edit --group= --set-home --host= --login"
    " --remove-timestamp --reset-timestamp --no-update --list --non-interactive --preserve-groups --prompt="
    " --chdir= --chroot= --role= --type= --command-timeout= --close-from= --shell --stdin --other-user="
    " --user= --version --validate",
    again=True,
    assignments=True,
    input=Input.SHELL,
    privilege=True,
)
_SU = Wrapper(
    "-c=! --command=! --session-command=! -s=! --shell=! -g= --group= -G= --supp-group= -w="
    " --whitelist-environment= -f --fast -l --login -m -p --preserve-environment -P --pty -T --no-pty -d -",
    operands=1,
    again=True,
    before=("sh",),
    input=Input.SHELL,
    privilege=True,
)
_AS_USER = Wrapper(operands=1, privilege=True)

_PRIVILEGE: dict[str, Carrier] = {
    "sudo": _SUDO,
    "sudo-rs": _SUDO,
    "dzdo": _SUDO,
    "please": _SUDO,
    "super": _SUDO,
    "doas": Wrapper("-u= -C= -a= -L -n -s", input=Input.SHELL, privilege=True),
    "su": _SU,
    "ksu": _SU,
    "runuser": Wrapper(
        "-u= --user= -c=! --command=! --session-command=! -s=! --shell=! -g= --group= -G= --supp-group= -w="
        " -f -l --login -m -p --preserve-environment -P --pty -",
        again=True,
        input=Input.SHELL,
        privilege=True,
    ),
    "run0": Wrapper(
        "-u= --user= -g= --group= --nice= -D= --chdir= --setenv= --unit= --property= --slice= --background="
        " --machine= --pty --pipe --no-ask-password --slice-inherit --via-shell -i",
        input=Input.SHELL,
        privilege=True,
    ),
    "pkexec": Wrapper("--user= --disable-internal-agent --keep-cwd", input=Input.SHELL, privilege=True),
    "gosu": _AS_USER,
    "su-exec": _AS_USER,
    "setuidgid": _AS_USER,
    "s6-setuidgid": _AS_USER,
    "chpst": Wrapper(
        "-u= -U= -e= -b= -/= -n= -l= -L= -m= -d= -o= -p= -f= -c= -r= -t= -v -V -P -0 -1 -2",
        privilege=True,
    ),
    "sg": Wrapper("-c=! -", operands=1, again=True, rest=Rest.TEXT, input=Input.SHELL, privilege=True),
    "newgrp": Wrapper("-", operands=1, rest=Rest.FLAGS, input=Input.SHELL, privilege=True),
    "setpriv": Wrapper(
        "-d --dump --nnp --no-new-privs --clear-groups --keep-groups --init-groups --reset-env --list-caps"
        " --groups= --inh-caps= --ambient-caps= --bounding-set= --ruid= --euid= --reuid= --rgid= --egid="
        " --regid= --securebits= --pdeathsig= --ptracer= --selinux-label= --apparmor-profile="
        " --landlock-access= --landlock-rule= --seccomp-filter=",
        privilege=True,
    ),
    "capsh": Wrapper(marker="--", before=("sh",), privilege=True),
    "machinectl": Subcommands(
        {
            "shell": Wrapper(
                "-E= --setenv= --uid= -q --quiet",
                operands=1,
                again=True,
                input=Input.SHELL,
                privilege=True,
            )
        },
        "-M= --machine= -H= --host= -q --quiet",
    ),
}

# ---- the shell's own --------------------------------------------------------------------------

_BUILTINS: dict[str, Carrier] = {
    "command": Wrapper("-p -v; -V;", transparent=True, covers=True),
    "builtin": Wrapper(transparent=True, covers=True),
    "exec": Wrapper("-c -l -a="),
    "coproc": _PLAIN,
    "eval": Wrapper(rest=Rest.TEXT),
    "trap": Wrapper("-l; -p; -P;", rest=Rest.FIRST),
    "alias": Wrapper("-p; -g -s", rest=Rest.VALUES),
    **dict.fromkeys(("and", "or", "not", "begin"), _PLAIN),
    "noglob": _PLAIN,
    "nocorrect": _PLAIN,
    "source": Wrapper("-p=", rest=Rest.SCRIPT, input=Input.SHELL),
    ".": Wrapper("-p=", rest=Rest.SCRIPT, input=Input.SHELL),
    "bind": _FLAGS._replace(options="-x=!"),
    "complete": _FLAGS._replace(options="-C=! -F=!"),
    "compgen": _FLAGS._replace(options="-C=! -F=!"),
    "mapfile": _FLAGS._replace(options="-C=!"),
    "readarray": _FLAGS._replace(options="-C=!"),
    "enable": _FLAGS._replace(options="-f=!"),
    "fc": _FLAGS._replace(options="-e=!"),
}

# ---- time, limits, environment ----------------------------------------------------------------

_TIMEOUT = Wrapper(
    "-s= --signal= -k= --kill-after= -f --foreground -p --preserve-status -v --verbose",
    operands=1,
    transparent=True,
    covers=True,
)
_TIME = Wrapper(
    "-p --portability -v --verbose -l -h -q --quiet -f= --format= -o=>~ --output=>~ -a~ --append~",
    transparent=True,
    covers=True,
)
_NICE = Wrapper("-n= --adjustment= -NUM", transparent=True, covers=True)
_STDBUF = Wrapper("-i= --input= -o= --output= -e= --error=", transparent=True, covers=True)
_NOHUP = Wrapper(transparent=True, covers=True)
_ENV = Wrapper(
    "-~ -i~ --ignore-environment~ -u=~ --unset=~ -C=~ --chdir=~ -P=~ -S=&~ --split-string=&~ -a=~ --argv0=~"
    " -0 --null -v --debug --block-signal?~ --default-signal?~ --ignore-signal?~ --list-signal-handling",
    assignments=True,
    transparent=True,
    covers=True,
)
_SETARCH = Wrapper(
    "-B --32bit -F --fdpic-funcptrs -I --short-inode -L --addr-compat-layout -R --addr-no-randomize -S"
    " --whole-seconds -T --sticky-timeouts -X --read-implies-exec -Z --mmap-page-zero -3 --3gb --4gb"
    " --uname-2.6 -v --verbose",
    input=Input.SHELL,
)

_LIMITS: dict[str, Carrier] = {
    "timeout": _TIMEOUT,
    "gtimeout": _TIMEOUT,
    "time": _TIME,
    "gtime": _TIME,
    "nice": _NICE,
    "gnice": _NICE,
    "nohup": _NOHUP,
    "gnohup": _NOHUP,
    "stdbuf": _STDBUF,
    "gstdbuf": _STDBUF,
    "env": _ENV,
    "genv": _ENV,
    "timelimit": Wrapper("-t= -T= -s= -S= -p -q"),
    "ionice": Wrapper("-c= --class= -n= --classdata= -t --ignore -p= --pid= -P= --pgid= -u= --uid="),
    "chrt": Wrapper(
        "-a --all-tasks -b --batch -d --deadline -e --ext -f --fifo -i --idle -m --max -o --other -r --rr"
        " -R --reset-on-fork -v --verbose -T= --sched-runtime= -P= --sched-period= -D= --sched-deadline= -p"
        " --pid",
        operands=1,
    ),
    "taskset": Wrapper("-a --all-tasks -c --cpu-list -p --pid", operands=1),
    "numactl": Wrapper(
        "-a --all -N= --cpunodebind= -C= --physcpubind= -m= --membind= -i= --interleave= -w="
        " --weighted-interleave= -p= --preferred= -P= --preferred-many= -l --localalloc -b --balancing -s"
        " --show -H --hardware",
    ),
    "cpulimit": Wrapper(
        "-l= --limit= -p= --pid= -e= --exe= -P= --path= -b --background -c= --cpu= -f --foreground"
        " -i --include-children -m --monitor-forks -q --quiet -k --kill -s= --signal= -v --verbose -z --lazy"
    ),
    "prlimit": Wrapper(
        "-p= --pid= --noheadings --raw --verbose -o= --output= -c? --core? -d? --data? -e? --nice? -f?"
        " --fsize? -i? --sigpending? -l? --memlock? -m? --rss? -n? --nofile? -q? --msgqueue? -r? --rtprio?"
        " -s? --stack? -t? --cpu? -u? --nproc? -v? --as? -x? --locks? -y? --rttime?",
    ),
    "choom": Wrapper("-n= --adjust= -p= --pid="),
    "uclampset": Wrapper("-m= -M= -a --all-tasks -p= --pid= -s --system -R --reset-on-fork -v --verbose"),
    "softlimit": Wrapper("-a= -c= -d= -f= -l= -m= -o= -p= -r= -s= -t="),
    "setsid": Wrapper("-c --ctty -f --fork -w --wait"),
    "setarch": _SETARCH._replace(operands=1, optional=True, again=True),
    "linux32": _SETARCH,
    "linux64": _SETARCH,
    "i386": _SETARCH,
    "x86_64": _SETARCH,
    "uname26": _SETARCH,
    "arch": Wrapper("-32 -64 -x86_64 -x86_64h -arm64 -arm64e -i386 -arch= -c -d= -e= -h"),
    "caffeinate": Wrapper("-d -i -m -s -u -t= -w="),
    "eatmydata": _PLAIN,
    "unbuffer": Wrapper("-p"),
    "chronic": Wrapper("-v -e"),
    "ifne": Wrapper("-n"),
    "catchsegv": _PLAIN,
    "annotate-output": Wrapper("+?"),
    "rlwrap": _PLAIN,
    "rlfe": _PLAIN,
    "faketime": Wrapper("-m -f -p=", operands=1),
    "envdir": Wrapper(operands=1),
    "envuidgid": Wrapper(operands=1),
    "setlock": Wrapper("-n -N -x -X", operands=1),
    "pgrphack": _PLAIN,
    "nocache": _PLAIN,
    "trickle": Wrapper("-s -d= -u= -w= -t= -l= -L= -n= -v"),
    "torify": _PLAIN,
    "torsocks": _PLAIN,
    "tsocks": _PLAIN,
    "proxychains": Wrapper("-q -f="),
    "proxychains4": Wrapper("-q -f="),
    "tini": Wrapper("-s -g -v -w -l -p= -e="),
    "dumb-init": Wrapper("-c --single-child -r= --rewrite= -v --verbose"),
    "catatonit": Wrapper("-g -P"),
    "ccache": _PLAIN,
    "sccache": _PLAIN,
    "distcc": _PLAIN,
    "icecc": _PLAIN,
    "with-contenv": _PLAIN,
    "wait-for-it": _AFTER_DASHES,
    "wait-for-it.sh": _AFTER_DASHES,
    "dockerize": Wrapper("-template= -timeout= -wait= -wait-retry-interval= -stdout= -stderr= -env="),
    "wine": _PLAIN,
    "mono": _PLAIN,
    "ld.so": Wrapper(
        "--list --verify --inhibit-cache --library-path= --glibc-hwcaps-prepend= --glibc-hwcaps-mask="
        " --inhibit-rpath= --audit= --preload= --argv0="
    ),
    "xcrun": Wrapper(
        "-v --verbose -l --log -n --no-cache -k --kill-cache -r --run -f --find --sdk= -sdk= --toolchain="
        " -toolchain="
    ),
}

# ---- boxes: other roots, namespaces, sessions ---------------------------------------------------

_UNSHARE = Wrapper(
    "-m? --mount? -u? --uts? -i? --ipc? -n? --net? -p? --pid? -U? --user? -C? --cgroup? -T? --time? -f"
    " --fork -r --map-root-user -c --map-current-user --map-auto --map-user= --map-group= --map-users="
    " --map-groups= --kill-child? --mount-proc? --propagation= --setgroups= -R= --root= -w= --wd= -S="
    " --setuid= -G= --setgid= --monotonic= --boottime= --keep-caps -l= --load-interp=",
    input=Input.SHELL,
)
_NSENTER = Wrapper(
    "-a --all -t= --target= -m? --mount? -u? --uts? -i? --ipc? -n? --net? -p? --pid? -U? --user? -C?"
    " --cgroup? -T? --time? -S? --setuid? -G? --setgid? -r? --root? -w? --wd? -W= --wdns= -e --env -F"
    " --no-fork -Z --follow-context --preserve-credentials -c --join-cgroup --user-parent -N= --net-socket=",
    input=Input.SHELL,
)
_BWRAP = Wrapper(
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
_SYSTEMD_RUN = Wrapper(
    "-p=@ --property=@ --scope --user --system --no-block -r --remain-after-exit --send-sighup -d --same-dir -t --pty -P"
    " --pipe -q --quiet -G --collect --wait -S --shell --no-ask-password --slice-inherit"
    " --expand-environment= -u= --unit= --description= --slice= --service-type= --uid="
    " --gid= --nice= --working-directory= -E= --setenv= -H= --host= -M= --machine= --on-active= --on-boot="
    " --on-startup= --on-unit-active= --on-unit-inactive= --on-calendar= --path-property= --socket-property="
    " --timer-property= --background= --ignore-failure",
    input=Input.SHELL,
)
_TMUX_WINDOW = Wrapper(
    "-a -A -b -d -D -E -f -h -k -P -S -v -X -Z -c= -e= -f= -F= -l= -n= -p= -s= -t= -x= -y=", rest=Rest.TEXT
)
_TMUX = Subcommands(
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
        **dict.fromkeys(("run-shell", "run"), Wrapper("-b -C -d= -t= -c=", rest=Rest.TEXT)),
        **dict.fromkeys(("if-shell", "if"), Wrapper("-b -F -t=", rest=Rest.TEXTS)),
        **dict.fromkeys(("pipe-pane", "pipep"), Wrapper("-I -O -o -t=", rest=Rest.TEXT)),
        **dict.fromkeys(
            ("display-popup", "popup"),
            Wrapper("-B -C -E -k -N -b= -c= -d= -e= -h= -s= -S= -t= -T= -w= -x= -y=", rest=Rest.TEXT),
        ),
        **dict.fromkeys(("send-keys", "send"), Wrapper("-F -H -K -l -M -R -X -c= -N= -t=", rest=Rest.TEXT)),
    },
    "-2 -C -D -l -N -u -v -V -q -c=! -f= -L= -S= -T=",
)

_BOXES: dict[str, Carrier] = {
    "chroot": Wrapper("--groups= --userspec= --skip-chdir -u= -g= -G= -n", operands=1, input=Input.SHELL),
    "unshare": _UNSHARE,
    "nsenter": _NSENTER,
    "bwrap": _BWRAP,
    "proot": Wrapper(
        "-r= --rootfs= -b= --bind= -m= -q= --qemu= -w= --pwd= --cwd= -v= --verbose= -k= --kernel-release="
        " -i= --change-id= -R= -S= -0 --root-id --kill-on-exit -l --link2symlink -p",
        input=Input.SHELL,
    ),
    "fakeroot": Wrapper("-l= --lib= --faked= -s= -i= -u --unknown-is-real -b= --fd-base=", input=Input.SHELL),
    "fakechroot": Wrapper(
        "-s --use-system-libs -l= --lib= -d= --elfloader= -c= --config-dir= -e= --environment= -b= --bindir=",
        input=Input.SHELL,
    ),
    "firejail": Wrapper("-c --*", input=Input.SHELL),
    "sandbox-exec": Wrapper("-f= -n= -p= -D="),
    "systemd-run": _SYSTEMD_RUN,
    "systemd-inhibit": Wrapper(
        "--what= --who= --why= --mode= --list --no-pager --no-legend --no-ask-password"
    ),
    "systemd-nspawn": Wrapper(
        "-D= --directory= -i= --image= -M= --machine= -u= --user= --bind= --bind-ro=", input=Input.SHELL
    ),
    "systemd-cat": Wrapper(
        "-t= --identifier= -p= --priority= --stderr-priority= --level-prefix= --namespace="
    ),
    "dbus-run-session": Wrapper("--config-file= --dbus-daemon="),
    "dbus-launch": _PLAIN,
    "xvfb-run": Wrapper(
        "-a --auto-servernum -l --listen-tcp -n= --server-num= -s= --server-args= -e= --error-file= -f="
        " --auth-file= -p= --xauth-protocol= -w= --wait="
    ),
    "xinit": _PLAIN,
    "startx": _PLAIN,
    "flock": Wrapper(
        "-s --shared -x -e --exclusive -u --unlock -n --nb --nonblock -o --close -F --no-fork -w= --wait="
        " --timeout= -E= --conflict-exit-code= -c=! --command=! --verbose --fcntl",
        operands=1,
        again=True,
    ),
    "lockf": Wrapper("-k -n -p -s -w -t=", operands=1),
    "lckdo": Wrapper("-w -W= -e -E= -s -q", operands=1),
    "script": Wrapper(
        "-a --append -e --return -f --flush -q --quiet -k -p -r -d -F --force -c=! --command=! -I="
        " --log-in= -O= --log-out= -B= --log-io= -m= --logging-format= -o= --output-limit= -E= --echo= -T="
        " --log-timing= -t?",
        operands=1,
        again=True,
        input=Input.SHELL,
    ),
    "screen": Wrapper(
        "-a -A -d -D -f -i -l -L -m -O -q -Q -r -R -U -v -wipe -x -X -dm -dmS= -c= -e= -h= -p= -s=! -S= -t="
        " -T= -Logfile=>"
    ),
    "tmux": _TMUX,
    "byobu": _TMUX,
    "dtach": Wrapper("-a= -A= -c= -n= -N= -p= -e= -E -r= -R= -z"),
    "abduco": Wrapper("-a= -A= -c= -n= -e= -f -l -r -v"),
    "zellij": Subcommands({"run": Wrapper("-d= --direction= -n= --name= --cwd="), "r": _PLAIN}),
    "start-stop-daemon": Wrapper(
        "-S --start -K --stop -T --status -b --background -m --make-pidfile -q --quiet -v --verbose -o"
        " --oknodo -C --no-close -N= --nicelevel= -P= --procsched= -I= --iosched= -p= --pidfile= -n= --name="
        " -u= --user= -c= --chuid= -g= --group= -d= --chdir= -r= --chroot= -R= --retry= -s= --signal= -k="
        " --umask= -O= --output= -x=^ --exec=^ -a=^ --startas=^"
    ),
    "daemonize": Wrapper("-a -v -c= -e= -o= -p= -l= -u= -E="),
    "daemon": _PLAIN,
    "at": Wrapper("-q= -f=< -t=", rest=Rest.FLAGS, input=Input.SHELL),
    "batch": Wrapper("-q= -f=<", rest=Rest.FLAGS, input=Input.SHELL),
    "crontab": Wrapper("-u= -l; -e; -r; -i -T=", rest=Rest.SCRIPT, input=Input.CODE),
}

# ---- watchers, tracers, benchmarks --------------------------------------------------------------

_STRACE = Wrapper(
    "-a= -b= -c -C -d -D -DD -DDD -e= -E= -f -ff -F -h -i -I= -k -n -N -o=> --output=> -O= -p= -P= -q -qq -r -s= -S= -t"
    " -tt -ttt -T -u= -U= -v -V -w -W -x -xx -X= -y -yy -z -Z",
)
PERF = Wrapper(
    "-e= --event= -p= --pid= -t= --tid= -o=> --output=> -F= --freq= -c= --count= -C= --cpu= -r= --repeat= -I="
    " --interval-print= -m= --mmap-pages= -x= --field-separator= -G= --cgroup= -D= --delay= --filter= -u="
    " --uid=",
)
_QEMU = Wrapper("-L= -E= -U= -B= -R= -s= -g= -cpu=")
_HYPERFINE = Wrapper(
    "-w= --warmup= -m= --min-runs= -M= --max-runs= -r= --runs= -s=! --setup=! -p=! --prepare=! -c=!"
    " --cleanup=! -C=! --conclude=! --reference=! -P=== --parameter-scan=== -D= --parameter-step-size= -L=="
    " --parameter-list== -S=! --shell=! -N -i --ignore-failure --style= --sort= -u= --time-unit="
    " --export-asciidoc= --export-csv= --export-json= --export-markdown= --export-orgmode= --output="
    " --input= -n= --command-name= --show-output",
    rest=Rest.TEXTS,
)
_WATCH = Wrapper(
    "-b --beep -c --color -C --no-color -d? --differences? -e --errexit -g --chgexit -q= --equexit= -n="
    " --interval= -p --precise -r --no-rerun -s= --shotsdir= -t --no-title -w --no-wrap -x --exec",
    rest=Rest.TEXT,
)
_WATCHEXEC = Wrapper(
    "-w= --watch= -e= --exts= -f= --filter= -i= --ignore= -s= --signal= --stop-signal= -d= --debounce= -o="
    " --on-busy-update= --shell= -E= --env= --workdir= --delay-run= --poll=",
    rest=Rest.TEXT,
)

_MEASURES: dict[str, Carrier] = {
    "watch": _WATCH,
    "watchexec": _WATCHEXEC,
    "entr": Wrapper("-a -c -d -n -p -r -s$ -x -z"),
    "reflex": Wrapper(
        "-r= --regex= -R= --inverse-regex= -g= --glob= -G= --inverse-glob= -d= --decoration= -c="
    ),
    "nodemon": _FLAGS._replace(options="-x=! --exec=!"),
    "onchange": _AFTER_DASHES,
    "chokidar": _FLAGS._replace(options="-c=! --command=!"),
    "watchman-make": _FLAGS._replace(options="--run=! --make=!"),
    "when-changed": _PLAIN._replace(operands=1),
    "concurrently": Wrapper(
        "-n= --names= -c= --prefix-colors= -p= --prefix= -m= --max-processes= -s= --success=", rest=Rest.TEXTS
    ),
    "start-server-and-test": Wrapper(rest=Rest.TEXTS),
    "strace": _STRACE,
    "ltrace": Wrapper("-a= -A= -e= -f -F= -l= -n= -o=> --output=> -p= -s= -u= -x= -X= -w= -D="),
    "dtruss": Wrapper("-p= -n= -t= -b="),
    "truss": Wrapper("-o=> -p= -s= -f"),
    "ktrace": Wrapper("-f=> -g= -p= -t="),
    "dtrace": _FLAGS._replace(options="-c=!"),
    "bpftrace": _FLAGS._replace(options="-c=!"),
    "gdb": Wrapper(
        "-ex=% --ex=% -iex=% --iex=% -eval-command=% --eval-command=% -x= --command= -p= --pid= -c="
        " --core= -s= -d= -cd= -b= -l= --args -args"
    ),
    "lldb": Wrapper(
        "-o=% --one-line=% -O=% --one-line-before-file=% -k=% -s= --source= -p= --attach-pid= -n="
        " --attach-name= -a= --arch= -f="
    ),
    "perf": Subcommands(
        dict.fromkeys(
            ("stat", "record", "trace", "mem", "c2c", "kmem", "lock", "sched", "ftrace", "kvm", "top"), PERF
        )
    ),
    "valgrind": Wrapper("-q -v -d --log-file=> --xml-file=> --*"),
    "heaptrack": Wrapper("-o=> --output=> -p= --pid="),
    "rr": Subcommands({"record": _PLAIN}),
    "uftrace": Subcommands({"record": _PLAIN, "live": _PLAIN}),
    "scan-build": Wrapper("-o="),
    "bear": _AFTER_DASHES,
    "intercept-build": _PLAIN,
    "qemu-x86_64": _QEMU,
    "qemu-aarch64": _QEMU,
    "qemu-arm": _QEMU,
    "qemu-i386": _QEMU,
    "qemu-riscv64": _QEMU,
    "box64": _PLAIN,
    "box86": _PLAIN,
    "hyperfine": _HYPERFINE,
    "multitime": Wrapper("-n= -s= -i=! -r=! -o=! -b="),
    "retry": Wrapper("-t= --tries= -d= --delay= -m= --max= -s= -u= -f=!"),
    "rush": Wrapper(
        "-j= --jobs= -n= --nrecords= -d= --record-delimiter= -D= --field-delimiter= -i= --infile= -I= -r="
        " --retries= -t= --timeout= -v= --assign= -T= --trim= -C= --succ-cmd-file= -k --keep-order -q -e",
        rest=Rest.TEXTS,
    ),
    "busybox": Wrapper("--list --list-full --help"),
    "toybox": Wrapper("--long --help --version"),
}

# ---- other machines and containers --------------------------------------------------------------

_SSH = Wrapper(
    "-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y -B= -b= -c= -D= -E= -e= -F= -I="
    " -i= -J= -L= -l= -m= -O= -o=@ -P= -p= -Q= -R= -S= -W= -w=",
    operands=1,
    again=True,
    rest=Rest.TEXT,
    input=Input.SHELL,
)
_MOSH = Wrapper(
    "-4 -6 -a -n --client=! --server=! --predict= --family= -p= --port= --bind-server= --ssh=! --ssh-pty"
    " --no-ssh-pty --init --no-init --local --experimental-remote-ip=",
    operands=1,
    again=True,
)
_DOCKER_RUN = Wrapper(
    "-d --detach -i --interactive -t --tty -P --publish-all -q --quiet --rm --init --privileged --read-only"
    " --no-healthcheck --oom-kill-disable --sig-proxy? --disable-content-trust? --use-api-socket --replace"
    " --no-hosts -a= --attach= -c= --cpu-shares= -e= --env= -h= --hostname= -l= --label= -m= --memory= -p="
    " --publish= -u= --user= -v= --volume= -w= --workdir= --add-host= --annotation= --blkio-weight="
    " --cap-add= --cap-drop= --cgroup-parent= --cgroupns= --cidfile= --cpu-period= --cpu-quota= --cpus="
    " --cpuset-cpus= --cpuset-mems= --detach-keys= --device= --device-cgroup-rule= --dns= --dns-option="
    " --dns-search= --domainname= --entrypoint=^ --env-file= --expose= --gpus= --group-add= --health-cmd=!"
    " --health-interval= --health-retries= --health-start-period= --health-timeout= --ip= --ip6= --ipc="
    " --isolation= --kernel-memory= --label-file= --link= --log-driver= --log-opt= --mac-address="
    " --memory-reservation= --memory-swap= --mount= --name= --net= --network= --network-alias="
    " --oom-score-adj= --pid= --pids-limit= --platform= --pull= --restart= --runtime= --security-opt="
    " --shm-size= --stop-signal= --stop-timeout= --storage-opt= --sysctl= --tmpfs= --ulimit= --userns="
    " --uts= --volume-driver= --volumes-from= --arch= --authfile= --pod= --secret=",
    operands=1,
    input=Input.SHELL,
)
_DOCKER_EXEC = Wrapper(
    "-d --detach -i --interactive -t --tty --privileged -l --latest -e= --env= --env-file= -u= --user= -w="
    " --workdir= --detach-keys=",
    operands=1,
    input=Input.SHELL,
)
_COMPOSE_EXEC = Wrapper(
    "-d --detach -T --no-tty --no-TTY --privileged -i -t --index= -e= --env= -u= --user= -w= --workdir=",
    operands=1,
    input=Input.SHELL,
)
_COMPOSE_RUN = Wrapper(
    "-d --detach -T --no-tty --no-TTY -i --interactive -t --tty -P --service-ports --rm --no-deps"
    " --use-aliases --build --quiet-pull -q --quiet --remove-orphans -e= --env= --env-from-file= -l="
    " --label= --name= -p= --publish= -u= --user= -v= --volume= -w= --workdir= --cap-add= --cap-drop="
    " --pull= --entrypoint=^",
    operands=1,
    input=Input.SHELL,
)
_COMPOSE = Subcommands(
    {"exec": _COMPOSE_EXEC, "run": _COMPOSE_RUN},
    "-f= --file= -p= --project-name= --profile= --env-file= --project-directory= --ansi= --progress="
    " --parallel= --compatibility --dry-run --all-resources --verbose",
)
_CONTAINER: dict[str, Carrier] = {"run": _DOCKER_RUN, "exec": _DOCKER_EXEC, "create": _DOCKER_RUN}
_MACHINE_SSH = Wrapper("--username=", operands=1, optional=True, rest=Rest.TEXT, input=Input.SHELL)
_DOCKER = Subcommands(
    {
        **_CONTAINER,
        "compose": _COMPOSE,
        "container": Subcommands(_CONTAINER),
        "service": Subcommands({"create": _DOCKER_RUN}),
        "machine": Subcommands({"ssh": _MACHINE_SSH}),
        "unshare": _PLAIN,
    },
    "-c= --context= -D --debug -H= --host= --config= -l= --log-level= --tls --tlscacert= --tlscert="
    " --tlskey= --tlsverify -n= --namespace= -a= --address= --root= --runroot= --url= --connection= -r"
    " --remote --log-opt= --storage-driver= --cgroup-manager=",
)
_KUBECTL_GLOBAL = (
    "-n= --namespace= --context= --cluster= --kubeconfig= --user= -s= --server= --token= --as= --as-group="
    " --as-uid= --request-timeout= --cache-dir= --certificate-authority= --client-certificate= --client-key="
    " --tls-server-name= --insecure-skip-tls-verify -v= --v= --warnings-as-errors"
)
_KUBECTL_EXEC = Wrapper(
    _KUBECTL_GLOBAL
    + " -c= --container= -i --stdin -t --tty -q --quiet -f= --filename= --pod-running-timeout= --shell="
    " -T --no-tty --timeout=",
    operands=1,
    again=True,
    input=Input.SHELL,
)
_KUBECTL = Subcommands(
    {
        "exec": _KUBECTL_EXEC,
        "rsh": _KUBECTL_EXEC,
        **dict.fromkeys(("run", "debug", "alpha", "node-shell"), _AFTER_DASHES),
    },
    _KUBECTL_GLOBAL,
)
_LXC = Subcommands(
    {
        "exec": Wrapper(
            "-t -T --force-interactive --force-noninteractive --disable-stdin -n --mode= --env= --cwd="
            " --user= --group= --project=",
            operands=1,
            again=True,
        )
    },
    "--project= --debug -v --verbose --force-local -q --quiet",
)
_MACHINE_SHELL = Wrapper("-p= --profile= -n= --node=", rest=Rest.TEXT, input=Input.SHELL)
_IMAGE = Subcommands(
    dict.fromkeys(
        ("exec", "run"), Wrapper("-B= --bind= -H= --home= -W= --workdir= --env= --pwd=", operands=1)
    )
)

_REMOTE: dict[str, Carrier] = {
    "ssh": _SSH,
    "slogin": _SSH,
    "rsh": _SSH,
    "remsh": _SSH,
    "dbclient": _SSH,
    "autossh": _SSH._replace(options=_SSH.options + " -M="),
    "tsh": Subcommands({"ssh": _SSH}),
    "mosh": _MOSH,
    "sshpass": Wrapper("-p= -f= -d= -P= -e -v"),
    "clush": Wrapper("-w= -g= -x= -X= -l= -t= -u= -f= -o=", rest=Rest.TEXT),
    "pdsh": Wrapper("-w= -x= -R= -t= -u= -l= -f=", rest=Rest.TEXT),
    "pssh": Wrapper(
        "-h= --hosts= -H= --host= -l= --user= -p= --par= -o= --outdir= -e= --errdir= -t= --timeout= -O= -x=",
        rest=Rest.TEXT,
    ),
    "docker": _DOCKER,
    "podman": _DOCKER,
    "nerdctl": _DOCKER,
    "finch": _DOCKER,
    "docker-compose": _COMPOSE,
    "podman-compose": _COMPOSE,
    "kubectl": _KUBECTL,
    "oc": _KUBECTL,
    "k3s": Subcommands({"kubectl": _KUBECTL}),
    "microk8s": Subcommands({"kubectl": _KUBECTL}),
    "minikube": Subcommands(
        {"ssh": _MACHINE_SHELL, "kubectl": _AFTER_DASHES._replace(before=("kubectl",))}, "-p= --profile="
    ),
    "lxc": _LXC,
    "incus": _LXC,
    "lxc-attach": _AFTER_DASHES,
    "multipass": Subcommands(
        {"exec": Wrapper("-n --no-map-working-directory -d= --working-directory= -v", operands=1, again=True)}
    ),
    "limactl": Subcommands(
        {
            "shell": Wrapper(
                "--workdir= --shell= --preserve-env --reconnect --tty?",
                operands=1,
                again=True,
                input=Input.SHELL,
            )
        }
    ),
    "lima": Wrapper(input=Input.SHELL),
    "colima": Subcommands({"ssh": _MACHINE_SHELL}, "-p= --profile= -v --verbose"),
    "vagrant": Subcommands(
        {
            "ssh": Wrapper(
                "-c=! --command=! -p --plain -t --tty --no-tty",
                operands=1,
                again=True,
                rest=Rest.TEXT,
                input=Input.SHELL,
            )
        }
    ),
    "wsl": Wrapper(
        "-d= --distribution= -u= --user= --cd= -e --exec --shell-type= --system", input=Input.SHELL
    ),
    "toolbox": Subcommands(
        {"run": Wrapper("-c= --container= -d= --distro= -r= --release=")}, "-y --assumeyes -v"
    ),
    "distrobox": Subcommands({"enter": _AFTER_DASHES}),
    "distrobox-enter": _AFTER_DASHES,
    "flatpak": Subcommands({"run": Wrapper("--command=^ --branch= --arch=", operands=1)}),
    "flatpak-spawn": Wrapper("-v --host --clear-env --watch-bus --sandbox --no-network"),
    "apptainer": _IMAGE,
    "singularity": _IMAGE,
    "kamal": Subcommands(
        {
            place: Subcommands({"exec": Wrapper("-r= -h= -d= -c=", rest=Rest.TEXT)})
            for place in ("app", "server", "accessory")
        }
    ),
    "ansible": _FLAGS._replace(options="-a=! --args=!"),
    "salt": Wrapper(operands=2, rest=Rest.TEXT),
    "adb": Subcommands(
        {
            "shell": Wrapper("-e= -n -T -t -tt -x", rest=Rest.TEXT, input=Input.SHELL),
            "exec-out": Wrapper(rest=Rest.TEXT),
        },
        "-a -d -e -s= -t= -H= -P= -L=",
    ),
}

# ---- package runners ------------------------------------------------------------------------------

_NPM_GLOBAL = (
    "--prefix= -C= -w= --workspace= -ws --workspaces --include-workspace-root --registry= --userconfig="
    " --globalconfig= --cache= --loglevel= -s --silent -q --quiet -d -dd -ddd --verbose -g --global"
    " --offline --prefer-offline --prefer-online --no-color --color? --script-shell=!"
)
_NPX = Wrapper(
    _NPM_GLOBAL + " -y --yes -n --no --no-install --ignore-existing -p= --package= -c=! --call=! --shell=!",
)
_PNPM_GLOBAL = (
    "-C= --dir= -F= --filter= --filter-prod= -r --recursive -w --workspace-root --parallel --stream"
    " --silent -s --reporter= --loglevel= --workspace-concurrency= --no-color --color --aggregate-output"
    " --no-bail --use-stderr --if-present"
)
_YARN = Subcommands(
    {
        "dlx": Wrapper("-p= --package= -q --quiet"),
        "exec": Wrapper("-s --silent"),
        "workspace": Wrapper(operands=1, before=("yarn",)),
        "workspaces": Subcommands(
            {"foreach": Wrapper("--from= --include= --exclude= -j= --jobs= --since=", before=("yarn",))}
        ),
    },
    "--cwd= -s --silent --offline --non-interactive",
)
_UV_GLOBAL = (
    "-q --quiet -v --verbose --no-progress --offline --no-config --no-cache -n --native-tls"
    " --allow-insecure-host= --config-file= --cache-dir= --project= --directory= --color="
    " --python-preference= --managed-python --no-managed-python --no-python-downloads"
)
_UV_RUN = Wrapper(
    _UV_GLOBAL
    + " --all-extras --no-dev --dev --only-dev --all-groups --no-default-groups --no-editable --exact"
    " --isolated --active --no-sync --locked --frozen --no-project --all-packages -s --script --gui-script"
    " --refresh --reinstall -U --upgrade --no-index --no-build --no-binary --compile-bytecode --no-sources"
    " --no-env-file --extra= --no-extra= --group= --no-group= --only-group= --env-file= --with= -w="
    " --with-editable= --with-requirements= --package= -p= --python= --index= --default-index= -i="
    " --index-url= --extra-index-url= -f= --find-links= --index-strategy= --keyring-provider= -P="
    " --upgrade-package= --reinstall-package= --refresh-package= --link-mode= --resolution= --prerelease="
    " --exclude-newer= -C= --config-setting= --from= -m; --module;",
)
_CONDA = Subcommands(
    {
        "run": Wrapper(
            "-n= --name= -p= --prefix= --cwd= -v --verbose --dev --debug-wrapper-scripts"
            " --no-capture-output --live-stream -a= --attach= -r= --root-prefix= -e= --env= --clean-env -d"
            " --detach",
        )
    }
)
_PYTHON = Wrapper(before=("python",))

_PACKAGES: dict[str, Carrier] = {
    "npx": _NPX,
    "pnpx": _NPX,
    "npm": Subcommands(
        {"exec": _NPX, "x": _NPX, "explore": Wrapper(operands=1, again=True, input=Input.SHELL)}, _NPM_GLOBAL
    ),
    "bunx": Wrapper("--bun --no-install --verbose --silent -p= --package="),
    "pnpm": Subcommands(
        {
            "dlx": Wrapper("--package= -c --shell-mode --allow-build= -s --silent"),
            "exec": Wrapper(_PNPM_GLOBAL + " -c --shell-mode --resume-from= --report-summary"),
        },
        _PNPM_GLOBAL,
    ),
    "yarn": _YARN,
    "yarnpkg": _YARN,
    "corepack": _PLAIN,
    "lerna": Subcommands(
        {"exec": Wrapper("--scope= --ignore= --concurrency= --since? --no-bail --parallel --stream")}
    ),
    "nx": Subcommands({"exec": _AFTER_DASHES}),
    "volta": Subcommands(
        {"run": Wrapper("--node= --npm= --pnpm= --yarn= --bundled-npm --no-pnpm --no-yarn --env=")}
    ),
    "nvm": Subcommands(
        {
            "exec": Wrapper("--silent", operands=1, optional=True),
            "run": Wrapper("--silent", operands=1, before=("node",)),
        }
    ),
    "fnm": Subcommands({"exec": Wrapper("--using= --log-level= --fnm-dir=")}),
    "n": Subcommands({"exec": Wrapper(operands=1), "run": Wrapper(operands=1, before=("node",))}),
    "uv": Subcommands({"run": _UV_RUN, "x": _UV_RUN, "tool": Subcommands({"run": _UV_RUN})}, _UV_GLOBAL),
    "uvx": _UV_RUN,
    "poetry": Subcommands({"run": _PLAIN}, "-C= --directory= -P= --project="),
    "pipenv": Subcommands({"run": _PLAIN, "shell": Wrapper(input=Input.SHELL)}),
    "pipx": Subcommands(
        {
            "run": Wrapper(
                "--no-cache --path --pypackages --verbose --spec= --python= --index-url= -i="
                " --pip-args= --system-site-packages --with="
            )
        },
        "-q -v",
    ),
    "pdm": Subcommands({"run": Wrapper("-p= --project=")}),
    "rye": Subcommands({"run": _PLAIN}),
    "pixi": Subcommands(
        {
            **dict.fromkeys(("run", "r"), Wrapper("-e= --environment= --manifest-path=")),
            **dict.fromkeys(("exec", "x"), Wrapper("-s= --spec= -c= --channel=")),
        }
    ),
    "hatch": Subcommands({"run": _PLAIN}, "-e= --env= -p= --project="),
    "tox": Subcommands({"exec": _AFTER_DASHES, "e": _AFTER_DASHES}),
    "conda": _CONDA,
    "mamba": _CONDA,
    "micromamba": _CONDA,
    "coverage": Subcommands({"run": _PYTHON}),
    "accelerate": Subcommands({"launch": _PYTHON}),
    "torchrun": _PYTHON,
    "mpirun": Wrapper("-n= -np= -c= -H= --host= --hostfile= -x= -bind-to= -map-by="),
    "mpiexec": Wrapper("-n= -np= -H= -hosts= -f="),
    "srun": Wrapper(
        "-n= --ntasks= -N= --nodes= -p= --partition= -t= --time= -c= --cpus-per-task= -A= -J= -w= -o= -e="
    ),
    "bundle": Subcommands({"exec": Wrapper("--keep-file-descriptors --gemfile="), "e": _PLAIN}),
    "gem": Subcommands({"exec": Wrapper("-v= --version= -g= --gem= --prerelease --conservative")}),
    "proto": Subcommands({"run": _AFTER_DASHES}),
    "spring": _PLAIN,
    "chruby-exec": _AFTER_DASHES,
    "rails": Subcommands(
        dict.fromkeys(("runner", "r"), Wrapper("-e= --environment=", rest=Rest.SCRIPT, input=Input.CODE))
    ),
    "rustup": Subcommands({"run": Wrapper("--install", operands=1)}),
    "cargo": Subcommands(
        {"watch": Wrapper("-s=! --shell=!", marker="--", rest=Rest.FLAGS)},
        "-q -v --offline --locked --frozen --color= --config=@ -Z= -C= +?",
    ),
}

# ---- environments and secrets ---------------------------------------------------------------------

_EXEC = Subcommands({"exec": _PLAIN})
_EXEC_DASHES = Subcommands({"exec": _AFTER_DASHES})
_EXEC_PROFILE = Subcommands({"exec": Wrapper(operands=1, again=True)})
_RUN_DASHES = Subcommands({"run": Wrapper("--command=!", marker="--")})
_MISE = Subcommands(
    dict.fromkeys(("exec", "x"), Wrapper("-c=! --command=!", marker="--")),
    "-C= --cd= -E= --env=",
)
_NIX_SHELL = _FLAGS._replace(options="-c* --command*")
_SOPS = Wrapper(operands=1, rest=Rest.TEXTS)

_ENVIRONMENTS: dict[str, Carrier] = {
    "cross-env": Wrapper(assignments=True),
    "cross-env-shell": Wrapper(assignments=True, rest=Rest.TEXT),
    "env-cmd": Wrapper(
        "-f= --file= -r= --rc-file= -e= --environments= --no-override --fallback --silent --use-shell -x"
        " --expand-envs --verbose"
    ),
    "dotenv": Wrapper(
        "-f= --file= -e= -c= -v= -p= -o --override --no-override -i= -q= --quote= --no-expand run"
    ),
    "dotenv-cli": Wrapper("-e= -c= -v= -p= -o"),
    "dotenvx": _RUN_DASHES,
    "op": _RUN_DASHES,
    "doppler": _RUN_DASHES,
    "infisical": _RUN_DASHES,
    "teller": _RUN_DASHES,
    "phase": _RUN_DASHES,
    "varlock": _RUN_DASHES,
    "secretspec": _RUN_DASHES,
    "aws-vault": _EXEC_PROFILE,
    "aws-okta": _EXEC_PROFILE,
    "chamber": _EXEC_DASHES,
    "saml2aws": _EXEC_DASHES,
    "berglas": _EXEC_DASHES,
    "assume": _AFTER_DASHES,
    "summon": Wrapper("-f= -p= -D= -e="),
    "envchain": Wrapper("--noecho", operands=1),
    "envconsul": _PLAIN,
    "gpg-agent": Wrapper("--daemon*", rest=Rest.FLAGS),
    "ssh-agent": Wrapper("-a= -E= -O= -P= -t= -c -D -d -k -s"),
    "sops": Subcommands({"exec-env": _SOPS, "exec-file": _SOPS}),
    "consul": Subcommands({"lock": Wrapper(operands=1), "watch": Wrapper("-type= -key= -prefix= -service=")}),
    "mise": _MISE,
    "rtx": _MISE,
    "asdf": _EXEC,
    "rbenv": _EXEC,
    "pyenv": _EXEC,
    "nodenv": _EXEC,
    "jenv": _EXEC,
    "goenv": _EXEC,
    "plenv": _EXEC,
    "phpenv": _EXEC,
    "luaenv": _EXEC,
    "rvm": Wrapper(marker="do"),
    "direnv": Subcommands({"exec": Wrapper(operands=1)}),
    "nix": Subcommands(
        {
            "shell": _NIX_SHELL,
            "develop": _NIX_SHELL,
            "run": Wrapper(operands=1, optional=True, again=True),
            "env": Subcommands({"shell": _NIX_SHELL}),
        },
        "--option== --extra-experimental-features= --experimental-features=",
    ),
    "nix-shell": _FLAGS._replace(options="--run=! --command=!"),
    "guix": Subcommands(dict.fromkeys(("shell", "environment", "time-machine"), _AFTER_DASHES)),
    "devbox": Subcommands({"run": Wrapper("-c= --config= -e= --env=", rest=Rest.TEXT)}),
    "devcontainer": Subcommands({"exec": Wrapper("--workspace-folder= --container-id= --config=")}),
    "flox": Subcommands({"activate": _AFTER_DASHES}),
    "foreman": Subcommands({"run": Wrapper("-e= --env= -f= -d=")}),
    "honcho": Subcommands({"run": Wrapper("-e= --env=")}),
}

# ---- git ------------------------------------------------------------------------------------------

_FETCHES = _FLAGS._replace(options="-u=! --upload-pack=! --exec=! -c=@ --config=@")
_PUSHES = _FLAGS._replace(options="--receive-pack=! --exec=!")

GIT_OPTIONS = (
    "-C= -c=@ --config-env=@ --git-dir= --work-tree= --namespace= --super-prefix= --attr-source="
    " --exec-path? --list-cmds= -p --paginate -P --no-pager --bare --no-replace-objects --literal-pathspecs"
    " --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks --no-lazy-fetch --no-advice"
)
"""What may stand before a sub-command of git."""

_GIT = Subcommands(
    {
        "bisect": Subcommands({"run": _PLAIN}),
        "submodule": Subcommands(
            {"foreach": Wrapper("--recursive -q --quiet", rest=Rest.TEXT)}, "-q --quiet --cached"
        ),
        "rebase": _FLAGS._replace(options="-x=! --exec=!"),
        "difftool": _FLAGS._replace(options="-x=! --extcmd=!"),
        "filter-branch": _FLAGS._replace(
            options="--setup=! --env-filter=! --tree-filter=! --index-filter=! --parent-filter=!"
            " --msg-filter=! --commit-filter=! --tag-name-filter=!"
        ),
        "grep": _FLAGS._replace(options="-O?! --open-files-in-pager?!"),
        "clone": _FETCHES,
        "fetch": _FLAGS._replace(options="--upload-pack=!"),
        "fetch-pack": _FETCHES,
        "ls-remote": _FETCHES,
        "pull": _FLAGS._replace(options="--upload-pack=!"),
        "push": _PUSHES,
        "send-pack": _PUSHES,
        "archive": _FLAGS._replace(options="--exec=!"),
        "for-each-repo": Wrapper("--config= --keep-going", before=("git",)),
        "shell": _FLAGS._replace(options="-c=!"),
        "instaweb": _FLAGS._replace(options="--httpd=! --browser=! -d=! -b=!"),
        "send-email": _FLAGS._replace(
            options="--sendmail-cmd=! --to-cmd=! --cc-cmd=! --header-cmd=! --smtp-server=!"
        ),
        "config": Wrapper(
            "-* --* -f= --file= --blob= -t= --type= --default= --comment= --value= set add", rest=Rest.SETTING
        ),
    },
    GIT_OPTIONS,
)

WRAPPERS: dict[str, Carrier] = {
    **_PRIVILEGE,
    **_BUILTINS,
    **_LIMITS,
    **_BOXES,
    **_MEASURES,
    **_REMOTE,
    **_PACKAGES,
    **_ENVIRONMENTS,
    **MACHINES,
    **RUNNERS,
    "git": _GIT,
}
"""Every program that runs what its words say, by name."""

LOADERS = ("ld-linux", "ld-musl", "ld64.so", "ld.so", "ld-2.")
"""How the names of dynamic loaders begin: they run the program that they are given."""

# ---- what repeats a command for each name -----------------------------------------------------------

XARGS = (
    "-0 --null -a=< --arg-file=< -d= --delimiter= -E= -e? --eof? -I= -i? --replace? -L= -l? --max-lines?"
    " -n= --max-args= -P= --max-procs= -p~ --interactive~ --process-slot-var=~ -r --no-run-if-empty -R= -s="
    " --max-chars= -S= -t --verbose -x --exit -o~ --open-tty~ --show-limits -J="
)
PARALLEL = (
    "-j= --jobs= -P= --max-procs= -k --keep-order -u --ungroup --group -n= --max-args= -N="
    " --max-replace-args= -L= -l? -m -X --xargs -q --quote -0 --null -a=< --arg-file=< -d= --delimiter= -C="
    " --colsep= -I= --replace? -i? -r --no-run-if-empty -t --verbose -v --dry-run --bar --progress --eta"
    " --line-buffer --linebuffer --lb --tag --tagstring= --halt= --joblog= --results= --res= --resume"
    " --resume-failed --retries= --timeout= --delay= --load= --memfree= --nice= --shuf --env= -S="
    " --sshlogin= --slf= --sshloginfile= --transfer --trim= --tmpdir= --tempdir= --wd= --workdir= --pipe"
    " --pipepart --block= --block-size= --recstart= --recend= --cat --fifo --round-robin --ctrlc --no-notice"
    " --will-cite --bg --fg --semaphore --id= --wait -s= --max-chars= -x --exit --header= --basenamereplace="
    " --bnr= --plus --rpl= --link --xapply --shellquote --silent --compress --files --gnu"
)
PLACES = ("{}", "{.}", "{/}", "{//}", "{/.}")
"""What `fd` and `parallel` replace by a name, or by a part of one."""
FD_SWITCHES = "HIusigFlLpaq01"
"""The short options of `fd` without a value, after which `x` in the same word still means `-x`."""

# ---- flags and words of other programs that name a program --------------------------------------------

_COPY = "-S=! -o=@ -F=#"
_EDITOR = "-c=% --cmd=% +?% -S=# -l=#"
_PAGED = "-P=! --pager=! -H?! --html?!"
_PIPE = "-e=! --exec=! -c=! --sh-exec=!"
_RIPGREP = "--pre=! --hostname-bin=!"
_TAR = (
    "--to-command=! --use-compress-program=! -I=! --rsh-command=! --rmt-command=! -F=! --info-script=!"
    " --new-volume-script=!"
)

FLAG_TEXTS: dict[str, str] = {
    **RUNNER_TEXTS,
    "cargo": "--config=@",
    "rg": _RIPGREP,
    "rga": _RIPGREP,
    "sort": "--compress-program=!",
    "gsort": "--compress-program=!",
    "split": "--filter=!",
    "gsplit": "--filter=!",
    "tar": _TAR,
    "gtar": _TAR,
    "bsdtar": "--use-compress-program=!",
    "cpio": "--rsh-command=!",
    "zip": "-TT=! --unzip-command=!",
    "rsync": "-e=! --rsh=! --rsync-path=!",
    "scp": _COPY,
    "sftp": _COPY,
    "sshfs": "-o=@",
    "ssh-copy-id": "-o=@",
    "ssh-keygen": "-D=!",
    "ssh": "-F=#",
    "strace": "-o=%",
    "cmake": "-P=#",
    "gradle": "-I=# --init-script=# -b=#",
    "ninja": "-f=#",
    "ctags": "--options=# --sort-cmd=!",
    "dmsetup": "--exec=!",
    "vault": "-exec=!",
    "nx": "--command=!",
    "rclone": "--sftp-ssh=! --password-command=!",
    "man": _PAGED,
    "apropos": _PAGED,
    "bat": "--pager=!",
    "batcat": "--pager=!",
    "delta": "--pager=!",
    "less": "+?%",
    "more": "+?% -p=%",
    "most": "+?%",
    "vim": _EDITOR,
    "vi": _EDITOR,
    "nvim": _EDITOR,
    "view": _EDITOR,
    "vimdiff": _EDITOR,
    "gvim": _EDITOR,
    "kak": "-e=% -E=%",
    "psql": "-c=% --command=%",
    "mysql": "-e=% --execute=% --pager=!",
    "mariadb": "-e=% --execute=% --pager=!",
    "sqlite3": "-cmd=%",
    "mutt": "-e=%",
    "tcpdump": "-z=!",
    "apt": "-o=@",
    "apt-get": "-o=@",
    "aptitude": "-o=@",
    "dpkg": "--pre-invoke=! --post-invoke=!",
    "nc": _PIPE,
    "ncat": _PIPE,
    "netcat": _PIPE,
    "openvpn": "--up=! --down=! --route-up=!",
    "bazel": "--run_under=! --workspace_status_command=!",
    "bazelisk": "--run_under=! --workspace_status_command=!",
    "go": "-exec=! -toolexec=! --exec=! --toolexec=!",
    "gpg": "--photo-viewer=! --agent-program=!",
    "fzf": "--preview=! --with-shell=!",
    "just": "-f=# --justfile=#",
    "task": "-t=# --taskfile=#",
    "go-task": "-t=# --taskfile=#",
    "at": "-f=#",
    "batch": "-f=#",
    "sk": "--preview=! -c=! --cmd=!",
    "lynx": "-editor=!",
    "w3m": "-o=@",
    "hg": "--config=@ -e=! --ssh=!",
    "svn": "--diff-cmd=! --diff3-cmd=! --editor-cmd=! --config-option=@",
    "wget": "--use-askpass=!",
    **dict.fromkeys("gcc g++ cc c++ cpp gfortran gnat gdc gccgo".split(), "-wrapper=,"),
    **dict.fromkeys("awk gawk mawk nawk".split(), "-f=# --file=# -E=# --exec=# -i=# --include=#"),
    **dict.fromkeys("sed gsed ssed".split(), "-f=# --file=#"),
    "runuser": "-c=! --command=! --session-command=!",
    "socat": "",
    **dict.fromkeys("make gmake bmake remake".split(), "-f=# --file=# --makefile=#"),
}
"""Options of programs that otherwise do something else, whose value is shell text or a program."""

WORD_TEXTS: dict[str, tuple[str, ...]] = {
    "git": ("ext::",),
    "socat": ("EXEC:", "SYSTEM:", "exec:", "system:"),
    "sqlite3": (".shell ", ".system ", ".once |", ".output |"),
    "make": ("SHELL=",),
    "gmake": ("SHELL=",),
    "tar": ("exec=",),
    "gtar": ("exec=",),
}
"""How words of such programs begin whose remainder is shell text."""

SETTINGS = (
    "command",
    "commands",
    "cmd",
    "pager",
    "editor",
    "helper",
    "textconv",
    "program",
    "askpass",
    "fsmonitor",
    "external",
    "clean",
    "smudge",
    "process",
    "driver",
    "invoke",
    "hook",
    "filter",
    "uploadpack",
    "receivepack",
    "gitproxy",
    "browser",
    "runner",
    "tunnel",
    "smtpserver",
    "rustc",
    "linker",
    "wrapper",
    "ssh",
    *(f"exec{step}" for step in "start startpre startpost stop stoppost reload condition".split()),
)
"""How the names of settings end that hold a program, in git, ssh, apt and others."""

HARMLESS_SETTINGS = frozenset({"", "cat", "true", "false", "none", "yes", "no", "0", "1"})
"""Values of such settings that run nothing, or nothing but `cat`."""
