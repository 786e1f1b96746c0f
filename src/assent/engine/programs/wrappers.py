"""Programs that run a command with other rights, limits, variables or in another root."""

from assent.engine.programs.program import (
    Input,
    Output,
    Program,
    Rest,
    RunCommands,
    Runs,
)
from assent.engine.programs.shared import (
    RUNS_AFTER_DASHES,
    RUNS_COMMAND,
    RUNS_OPTIONS,
)

_SUDO = Runs(
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
_SU = Runs(
    "-c=! --command=! --session-command=! -s=! --shell=! -g= --group= -G= --supp-group= -w="
    " --whitelist-environment= -f --fast -l --login -m -p --preserve-environment -P --pty -T --no-pty -d -",
    operands=1,
    again=True,
    before=("sh",),
    input=Input.SHELL,
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
    input=Input.SHELL,
)
_UNSHARE = Runs(
    "-m? --mount? -u? --uts? -i? --ipc? -n? --net? -p? --pid? -U? --user? -C? --cgroup? -T? --time? -f"
    " --fork -r --map-root-user -c --map-current-user --map-auto --map-user= --map-group= --map-users="
    " --map-groups= --kill-child? --mount-proc? --propagation= --setgroups= -R= --root= -w= --wd= -S="
    " --setuid= -G= --setgid= --monotonic= --boottime= --keep-caps -l= --load-interp=",
    input=Input.SHELL,
)
_NSENTER = Runs(
    "-a --all -t= --target= -m? --mount? -u? --uts? -i? --ipc? -n? --net? -p? --pid? -U? --user? -C?"
    " --cgroup? -T? --time? -S? --setuid? -G? --setgid? -r? --root? -w? --wd? -W= --wdns= -e --env -F"
    " --no-fork -Z --follow-context --preserve-credentials -c --join-cgroup --user-parent -N= --net-socket=",
    input=Input.SHELL,
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
_OPERAND = Runs(operands=1, again=True)

PROGRAMS = (
    Program("sudo", runs=_SUDO, takes_assignments=True, is_transparent_prefix=True),
    Program("sudo-rs dzdo please super", runs=_SUDO),
    Program(
        "doas",
        runs=Runs("-u= -C= -a= -L -n -s", input=Input.SHELL, privilege=True),
        takes_assignments=True,
        is_transparent_prefix=True,
    ),
    Program("su ksu", runs=_SU),
    Program(
        "runuser",
        runs=Runs(
            "-u= --user= -c=! --command=! --session-command=! -s=! --shell=! -g= --group= -G= --supp-group= -w="
            " -f -l --login -m -p --preserve-environment -P --pty -",
            again=True,
            input=Input.SHELL,
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
            input=Input.SHELL,
            privilege=True,
        ),
    ),
    Program(
        "pkexec", runs=Runs("--user= --disable-internal-agent --keep-cwd", input=Input.SHELL, privilege=True)
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
        "sg", runs=Runs("-c=! -", operands=1, again=True, rest=Rest.TEXT, input=Input.SHELL, privilege=True)
    ),
    Program("newgrp", runs=Runs("-", operands=1, rest=Rest.FLAGS, input=Input.SHELL, privilege=True)),
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
    Program("capsh", runs=Runs(marker="--", before=("sh",), privilege=True)),
    Program(
        "machinectl",
        runs=RunCommands(
            {
                "shell": Runs(
                    "-E= --setenv= --uid= -q --quiet",
                    operands=1,
                    again=True,
                    input=Input.SHELL,
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
    Program("setarch", runs=_SETARCH._replace(operands=1, optional=True, again=True)),
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
    Program("setlock", runs=Runs("-n -N -x -X", operands=1), output=Output.FIRST_OPERAND),
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
        runs=Runs("--groups= --userspec= --skip-chdir -u= -g= -G= -n", operands=1, input=Input.SHELL),
    ),
    Program("unshare", runs=_UNSHARE),
    Program("nsenter", runs=_NSENTER),
    Program("bwrap", runs=_BWRAP),
    Program(
        "proot",
        runs=Runs(
            "-r= --rootfs= -b= --bind= -m= -q= --qemu= -w= --pwd= --cwd= -v= --verbose= -k= --kernel-release="
            " -i= --change-id= -R= -S= -0 --root-id --kill-on-exit -l --link2symlink -p",
            input=Input.SHELL,
        ),
    ),
    Program(
        "fakeroot",
        runs=Runs("-l= --lib= --faked= -s= -i= -u --unknown-is-real -b= --fd-base=", input=Input.SHELL),
    ),
    Program(
        "fakechroot",
        runs=Runs(
            "-s --use-system-libs -l= --lib= -d= --elfloader= -c= --config-dir= -e= --environment= -b= --bindir=",
            input=Input.SHELL,
        ),
    ),
    Program("firejail", runs=Runs("-c --*", input=Input.SHELL)),
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
            input=Input.SHELL,
            privilege=True,
        ),
    ),
    Program("arch-chroot", runs=Runs("-N -r -S -u=", operands=1, input=Input.SHELL, privilege=True)),
    Program("jexec", runs=Runs("-d= -l -u= -U= -n", operands=1, input=Input.SHELL)),
    Program("iocage", runs=RunCommands({"exec": _OPERAND})),
    Program("bastille", runs=RunCommands({"cmd": _OPERAND})),
    Program("ezjail-admin", runs=RunCommands({"console": RUNS_OPTIONS._replace(options="-e=!")})),
    Program(
        "zlogin", runs=Runs("-C -E -S -n -Q -d -i -e= -l=", operands=1, rest=Rest.TEXT, input=Input.SHELL)
    ),
    Program("pfexec", runs=Runs("-P=", privilege=True)),
    Program("ppriv", runs=RUNS_OPTIONS._replace(options="-e*")),
    Program("openvt", runs=Runs("-c= -f -e -l -s -u -v -w")),
    Program("gsudo", runs=Runs("-n --new -w --wait -s --system -i= -u= --user= -d", privilege=True)),
    Program("runas", runs=Runs(rest=Rest.TEXTS, privilege=True)),
    Program("psexec", runs=Runs(privilege=True)),
    Program("gksu gksudo kdesu kdesudo lxsu beesu xdg-su", runs=Runs("-u= -c=!", privilege=True)),
    Program("runcon", runs=Runs("-c --compute -t= --type= -u= --user= -r= --role= -l= --range=", operands=1)),
    Program("cgexec", runs=Runs("-g= --sticky")),
    Program("aa-exec", runs=Runs("-p= --profile= -n= --namespace= -i --immediate -v -d")),
    Program("rootlesskit", runs=Runs("--*")),
    Program("genie", runs=RUNS_OPTIONS._replace(options="-c*")),
)
