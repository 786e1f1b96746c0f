"""Programs about the machine: processes, hardware, users, services, disks, and packages of the system."""

from assent.engine.programs.losses import Loss, Losses, LossesBy, LossPattern
from assent.engine.programs.program import (
    FILES,
    HELP_FLAGS,
    NAMES,
    NONE,
    TEXT,
    Damage,
    DiskUse,
    OtherOutput,
    PrintedOutput,
    Program,
    ReadCommands,
    ReadEntry,
    Reads,
    SentFiles,
    Writes,
    WritesBy,
    WriteTarget,
)
from assent.engine.programs.runs import (
    INPUT_PROMPT,
    INPUT_SESSION,
    RUNS_AFTER_DASHES,
    RUNS_AFTER_OPERAND,
    RUNS_OPTIONS,
    CodeInput,
    InputRule,
    InputUse,
    RestOfWords,
    RunCommands,
    Runs,
    Script,
)

_UNITS = (
    "-a -l -q -r -t= -p= -P= -n= -o= --all --full --quiet --recursive --type= --property= --lines= --output= --state="
    " --failed --no-pager --no-legend --legend= --plain --user --system --value --reverse --after --before --show-types"
    " --with-dependencies --timestamp= --no-ask-password"
)
_SYSTEMD_RUN = Runs(
    "-p=@ --property=@ --scope --user --system --no-block -r --remain-after-exit --send-sighup -d --same-dir -t --pty -P"
    " --pipe -q --quiet -G --collect --wait -S --shell --no-ask-password --slice-inherit"
    " --expand-environment= -u= --unit= --description= --slice= --service-type= --uid="
    " --gid= --nice= --working-directory= -E= --setenv= -H= --host= -M= --machine= --on-active= --on-boot="
    " --on-startup= --on-unit-active= --on-unit-inactive= --on-calendar= --path-property= --socket-property="
    " --timer-property= --background= --ignore-failure",
    input=CodeInput.SHELL,
)
_ANSWERS = InputRule(InputUse.ANSWERS)
_DISK = Losses((LossPattern("", Loss.ERASES),), "-n -t -L -U -s -b -z --iterations --size --type --label")
_VOLUME = Losses((LossPattern("", Loss.DELETES, "volume"),))


_BREW_LIST = Reads(
    "--formula --formulae --cask --casks --versions --full-name --pinned --multiple -1 -l -r -t -q --quiet -v --verbose",
    TEXT,
    check="plain names",
)
_BREW_INFO = Reads("--json? --installed --formula --cask -v --verbose --sizes", TEXT, check="plain names")
_BREW: dict[str, ReadEntry] = {
    "list": _BREW_LIST,
    "ls": _BREW_LIST,
    "info": _BREW_INFO,
    "abv": _BREW_INFO,
    "search": Reads("--formula --cask --desc", TEXT, check="plain names"),
    "desc": Reads("-s --search -n --name -d --description --formula --cask", TEXT, check="plain names"),
    "deps": Reads(
        "--tree --installed --include-build --include-optional -n --topological --direct --union --full-name --annotate"
        " --for-each --formula --cask -1",
        TEXT,
        check="plain names",
    ),
    "uses": Reads(
        "--installed --recursive --include-build --include-optional --formula --cask",
        TEXT,
        check="plain names",
    ),
    "cat": Reads("--formula --cask", TEXT, check="plain names", bare=False),
    "outdated": Reads(
        "-q --quiet -v --verbose --json? --formula --cask -g --greedy", TEXT, check="plain names"
    ),
    "leaves": Reads("-r --installed-on-request -p --installed-as-dependency", NONE),
    "missing": Reads("--hide=", TEXT, check="plain names"),
    "tap": Reads("", NONE),
    "tap-info": Reads("--installed --json?", NONE),
    "config": Reads("", NONE),
    "doctor": Reads("-q --quiet -v --verbose", NONE),
    "commands": Reads("", NONE),
    "services": ReadCommands(
        {
            "list": Reads("--json", NONE),
            "info": Reads("--json --all", TEXT, check="plain names"),
        },
        empty=True,
    ),
}
_APT_ANY = "-q -qq --quiet --no-pager"
_APT_RELATIONS = Reads(
    f"--installed --important -i --recurse --no-pre-depends --no-depends --no-recommends --no-suggests --no-conflicts"
    f" --no-breaks --no-replaces --no-enhances --all-versions -a {_APT_ANY}",
    TEXT,
)
_APT_SHOW = Reads(f"-a --all-versions --no-all-versions -f --full {_APT_ANY}", NAMES)
_APT_SEARCH = Reads(f"-n --names-only -f --full {_APT_ANY}", TEXT)
_APT_POLICY = Reads(_APT_ANY, TEXT)
_APT: dict[str, ReadEntry] = {
    "list": Reads(
        f"--installed --upgradable --upgradeable --manual-installed -a --all-versions -v --verbose {_APT_ANY}",
        TEXT,
    ),
    "show": _APT_SHOW,
    "search": _APT_SEARCH,
    "policy": _APT_POLICY,
    "depends": _APT_RELATIONS,
    "rdepends": _APT_RELATIONS,
}
_APT_CACHE: dict[str, ReadEntry] = {
    "show": _APT_SHOW,
    "search": _APT_SEARCH,
    "policy": _APT_POLICY,
    "depends": _APT_RELATIONS,
    "rdepends": _APT_RELATIONS,
    "madison": _APT_POLICY,
    "showpkg": _APT_POLICY,
    "showsrc": _APT_POLICY,
    "pkgnames": _APT_POLICY,
    "stats": _APT_POLICY,
    "unmet": _APT_POLICY,
}
_DPKG_READS = "-l --list -s --status -L --listfiles -S --search -p --print-avail"
_DNF_ANY = "-q --quiet -C --cacheonly -v --verbose"
_DNF_INFO = Reads(
    f"--installed --available --upgrades --updates --obsoletes --recent --extras --all --showduplicates {_DNF_ANY}",
    TEXT,
)
_DNF: dict[str, ReadEntry] = {
    "list": _DNF_INFO,
    "info": _DNF_INFO,
    "search": Reads(f"--all {_DNF_ANY}", TEXT),
    "provides": Reads(_DNF_ANY, TEXT),
    "whatprovides": Reads(_DNF_ANY, TEXT),
    "deplist": Reads(_DNF_ANY, TEXT),
    "repolist": Reads(f"--all --enabled --disabled {_DNF_ANY}", TEXT),
    "repoinfo": Reads(f"--all --enabled --disabled {_DNF_ANY}", TEXT),
    "repoquery": Reads(
        f"--installed --available --requires --provides --whatrequires= --whatprovides= -l --list -i --info --qf="
        f" --queryformat= --latest-limit= --deplist --tree --recursive --location {_DNF_ANY}",
        TEXT,
    ),
    "check-update": Reads(_DNF_ANY, TEXT),
    "history": ReadCommands({"list": Reads(_DNF_ANY, TEXT), "info": Reads(_DNF_ANY, TEXT)}, empty=True),
    "group": ReadCommands({"list": Reads(f"--hidden --ids {_DNF_ANY}", TEXT), "info": Reads(_DNF_ANY, TEXT)}),
    "module": ReadCommands({"list": Reads(_DNF_ANY, TEXT), "info": Reads(_DNF_ANY, TEXT)}),
}
_DNF_LIKE = ReadCommands(_DNF, flags=f"--version {_DNF_ANY}", bare=True)
_ZYPPER_SEARCH = Reads(
    "-s --details -i --installed-only -u --not-installed-only -x --match-exact -d --search-descriptions", TEXT
)
_FLATPAK_ANY = "--user --system -d --show-details --columns="
_NIX_SHELL = RUNS_OPTIONS._replace(options="-c* --command*")
_PACKAGES = InputRule(
    InputUse.ANSWERS,
    options="-y; --yes; --assume-yes; -s; --simulate; --dry-run; --assumeyes; --noconfirm;",
    commands="install remove purge autoremove upgrade dist-upgrade full-upgrade erase reinstall downgrade",
)

PROGRAMS = (
    Program("btop htop ncdu", reads=Reads("--version", only=True)),
    Program("ps", reads=Reads(check="ps")),
    Program(
        "pgrep",
        reads=Reads(
            "-a -A -c -d= -f -F=< -g= -G= -i -I -j= -l -L -n -o -O= -P= -q -r= -s= -S -t= -u= -U= -v -w -x -h -V"
            " --count --delimiter= --full --pgroup= --group= --ignore-case --list-name --list-full --newest --oldest --older="
            " --parent= --session= --terminal= --euid= --uid= --inverse --lightweight --exact --pidfile=< --logpidfile"
            " --runstates= --ignore-ancestors --cgroup= --ns= --nslist= --quick" + HELP_FLAGS,
            TEXT,
            every_flag=True,
        ),
    ),
    Program(
        "pidof",
        reads=Reads(
            "-c -d= -n -o= -q -s -S= -w -x -z --single-shot --check-root --omit-pid= --separator="
            + HELP_FLAGS,
            TEXT,
            every_flag=True,
        ),
    ),
    Program(
        "pstree",
        reads=Reads(
            "-a -A -c -C= -g -G -h -H= -l -n -N= -p -s -S -t -T -u -U -V -Z --arguments --ascii --compact-not --color="
            " --show-pgids --vt100 --highlight-all --highlight-pid= --long --numeric-sort --ns-sort= --show-pids"
            " --show-parents --ns-changes --thread-names --hide-threads --uid-changes --unicode --version",
            TEXT,
        ),
    ),
    Program(
        "pmap",
        reads=Reads(
            "-x -d -q -A= -X -p -h -V --extended --device --quiet --range= --show-path" + HELP_FLAGS, TEXT
        ),
    ),
    Program("pwdx", reads=Reads("-h -V" + HELP_FLAGS, TEXT)),
    Program(
        "top",
        reads=Reads(
            "-b -c -d= -e= -E= -h -H -i -l= -n= -o= -O -p= -S -u= -U= -V -w? -1 --batch --cmdline-toggle --delay= --iterations="
            " --threads-show --sort-override= --pid= --filter-only-euser= --filter-any-user= --width? --list-fields"
            + HELP_FLAGS,
            NONE,
            needs="-b --batch -l -h --help -V --version",
        ),
    ),
    Program("uptime", reads=Reads("-p -s -h -V --pretty --since" + HELP_FLAGS, NONE)),
    Program(
        "free",
        reads=Reads(
            "-b -k -m -g -h -w -c= -l -s= -t -v -V --bytes --kibi --mebi --gibi --tebi --pebi --kilo --mega --giga --tera"
            " --peta --human --wide --count= --lohi --seconds= --si --total --committed" + HELP_FLAGS,
            NONE,
        ),
    ),
    Program(
        "vmstat",
        reads=Reads(
            "-a -f -m -n -s -d -D -p= -S= -t -w -y -V -h --active --forks --slabs --one-header --stats --disk --disk-sum"
            " --partition= --unit= --timestamp --wide --no-first" + HELP_FLAGS,
            TEXT,
        ),
    ),
    Program("vm_stat", reads=Reads("", TEXT)),
    Program(
        "iostat",
        reads=Reads(
            "-c -d -h -H -k -m -N -p? -s -t -V -x -y -z -w= -n= -C -K --compact --dec= --human --pretty", TEXT
        ),
    ),
    Program("mpstat", reads=Reads("-A -I= -N= -n -P= -T -u -V --dec=", TEXT)),
    Program(
        "sar",
        reads=Reads(
            "-A -b -B -d -F -h -H -I= -m= -n= -p -P= -q -r -R -S -t -u -v -V -w -W -y -z -f=< -s? -e? --dec= --human --pretty",
            TEXT,
        ),
    ),
    Program(
        "nvidia-smi",
        reads=Reads(
            "-L -B -q -x -i= -d= -l= -lms= -h --list-gpus --query --id= --display= --xml-format --loop= --loop-ms= --query-gpu="
            " --query-compute-apps= --query-accounted-apps= --format= --help --help-query-gpu --version",
            NONE,
        ),
    ),
    Program("nproc", reads=Reads("--all --ignore=" + HELP_FLAGS, NONE)),
    Program(
        "lscpu",
        reads=Reads(
            "-a -B -b -C? -c -e? -J -p? -x -y -h -V --all --bytes --online --caches? --offline --extended? --json --parse?"
            " --hex --physical --output-all" + HELP_FLAGS,
            NONE,
        ),
    ),
    Program(
        "lsmem",
        reads=Reads(
            "-a -b -J -n -o= -P -r -S= -h -V --all --bytes --json --noheadings --output= --output-all --pairs --raw --split= --summary?"
            + HELP_FLAGS,
            NONE,
        ),
    ),
    Program("lsusb", reads=Reads("-v -t -s= -d= -V --verbose --tree --version --help -h", NONE)),
    Program("lspci", reads=Reads("-v -n -k -t -m -b -D -P -s= -d= --version --help", NONE)),
    Program("lsmod", reads=Reads("-s -v --syslog --verbose --version --help -V -h", NONE)),
    Program(
        "lshw",
        reads=Reads(
            "-short -businfo -class= -C= -c= -json -html -xml -sanitize -quiet -numeric -version", NONE
        ),
    ),
    Program("sensors", reads=Reads("-A -f -j -u -v -h --no-adapter --fahrenheit --version --help", TEXT)),
    Program(
        "swapon",
        reads=Reads("-s --show? --summary --noheadings --raw --bytes", NONE, needs="-s --show --summary"),
    ),
    Program("mount", reads=Reads("-l -v", NONE)),
    Program(
        "diskutil",
        reads=ReadCommands({"list": Reads("-plist", TEXT), "info": Reads("-plist -all", TEXT)}),
        disk=DiskUse(
            destroys="erasedisk erasevolume partitiondisk reformat zerodisk randomdisk secureerase deletecontainer deletevolume"
        ),
    ),
    Program("ldconfig", reads=Reads("-p --print-cache -V --version", only=True)),
    Program("getconf", reads=Reads("-a -v=", TEXT)),
    Program(
        "uname",
        reads=Reads(
            "-a -s -n -r -v -m -p -i -o --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor"
            " --hardware-platform --operating-system" + HELP_FLAGS,
            NONE,
        ),
    ),
    Program(
        "arch",
        reads=Reads("--help --version", NONE),
        runs=Runs("-32 -64 -x86_64 -x86_64h -arm64 -arm64e -i386 -arch= -c -d= -e= -h"),
    ),
    Program(
        "sw_vers",
        reads=Reads(
            "-productName -productVersion -buildVersion --productName --productVersion --productVersionExtra --buildVersion",
            NONE,
        ),
    ),
    Program(
        "lsb_release",
        reads=Reads(
            "-h -v -i -d -r -c -a -s --help --version --id --description --release --codename --all --short",
            NONE,
        ),
    ),
    Program(
        "stty",
        reads=ReadCommands(
            {"size": Reads("", NONE), "speed": Reads("", NONE)},
            flags="-a -g --all --save" + HELP_FLAGS,
            bare=True,
            empty=True,
        ),
    ),
    Program(
        "tput",
        reads=ReadCommands(
            {
                name: Reads("", TEXT)
                for name in "cols lines colors bold dim smul rmul rev smso rmso sgr0 op setaf setab el ed civis cnorm longname".split()
            },
            flags="-T=",
        ),
    ),
    Program("whoami logname users", reads=Reads("--help --version", NONE)),
    Program(
        "id",
        reads=Reads(
            "-a -A -F -G -M -P -Z -g -n -p -r -u -z --context --group --groups --name --real --user --zero"
            + HELP_FLAGS,
            TEXT,
            every_flag=True,
        ),
    ),
    Program("groups", reads=Reads("--help --version", TEXT)),
    Program(
        "who",
        reads=Reads(
            "-a -b -d -H -l -m -p -q -r -s -t -T -w -u --all --boot --dead --heading --ips --login --lookup --process --count"
            " --runlevel --short --time --mesg --users --message --writable" + HELP_FLAGS,
        ),
    ),
    Program(
        "w",
        reads=Reads(
            "-h -u -s -f -i -o -p -V --no-header --no-current --short --from --ip-addr --old-style --pids"
            + HELP_FLAGS,
            TEXT,
        ),
    ),
    Program(
        "last",
        reads=Reads(
            "-a -d -f=< -F -i -n= -p= -R -s= -t= -w -x -h -V -NUM --hostlast --dns --file=< --fulltimes --ip --limit= --present="
            " --nohostname --since= --until= --time-format= --fullnames --system" + HELP_FLAGS,
            TEXT,
        ),
    ),
    # Host names are looked up on the network, so these databases only.
    Program(
        "getent",
        reads=ReadCommands({name: Reads("", TEXT) for name in "passwd group services protocols rpc".split()}),
    ),
    Program(
        "locale",
        reads=Reads(
            "-a -m -c -k -v -V --all-locales --charmaps --category-name --keyword-name --verbose --usage"
            + HELP_FLAGS,
            TEXT,
        ),
    ),
    Program("date gdate", reads=Reads(check="date")),
    Program(
        "cal",
        reads=Reads(
            "-1 -3 -s -m -j -y -Y -w -h -V -n= -A= -B= --one --three --sunday --monday --julian --year --week --months="
            + HELP_FLAGS,
            TEXT,
        ),
    ),
    Program("ncal", reads=Reads("-1 -3 -b -M -j -y -w -h -A= -B=", TEXT)),
    Program(
        "timedatectl",
        reads=ReadCommands(
            {
                name: Reads("-a -p= --all --property= --value --no-pager", TEXT)
                for name in "status show list-timezones timesync-status show-timesync".split()
            },
            flags="--no-pager" + HELP_FLAGS,
            bare=True,
            empty=True,
        ),
    ),
    Program(
        "systemctl",
        reads=ReadCommands(
            {
                name: Reads(_UNITS, TEXT)
                for name in "status show cat is-active is-enabled is-failed is-system-running list-units list-unit-files list-timers"
                " list-sockets list-jobs list-dependencies list-paths list-automounts get-default".split()
            },
            flags=_UNITS + HELP_FLAGS,
            bare=True,
            empty=True,
        ),
        takes_data=True,
        options={"": "f=force q=quiet"},
    ),
    Program(
        "journalctl",
        reads=Reads(
            "-a -b? -c= -D=< -e -f -F= -g= -k -l -m -n= -N -o= -p= -q -r -S= -t= -T= -u= -U= -x -NUM -h --system --user --merge"
            " --directory=< --file=< --since= --until= --cursor= --after-cursor= --boot? --unit= --user-unit= --identifier="
            " --exclude-identifier= --priority= --facility= --grep= --case-sensitive? --dmesg --output= --output-fields= --lines?"
            " --reverse --show-cursor --utc --catalog --no-hostname --no-full --full --all --follow --no-tail --quiet --no-pager"
            " --pager-end --fields --field= --list-boots --disk-usage --header --truncate-newline"
            + HELP_FLAGS,
            TEXT,
        ),
        takes_data=True,
    ),
    Program(
        "dmesg",
        reads=Reads(
            "-d -e -F=< -f= -J -k -L? -l= -P -p -r -S -s= -T -t -u -w -W -x -h -V --show-delta --reltime --file=< --facility="
            " --json --kernel --color? --level= --noescape --nopager --force-prefix --raw --syslog --buffer-size= --ctime --since="
            " --until= --notime --time-format= --userspace --follow --follow-new --decode" + HELP_FLAGS,
            NONE,
        ),
    ),
    Program("service", reads=Reads(check="service"), takes_data=True),
    Program(
        "launchctl",
        reads=ReadCommands(
            {
                "list": Reads("", TEXT),
                "print": Reads("", TEXT),
                "print-disabled": Reads("", TEXT),
                "blame": Reads("", TEXT),
            }
        ),
        runs=RunCommands(
            {"submit": RUNS_AFTER_DASHES, "asuser": RUNS_AFTER_OPERAND, "bsexec": RUNS_AFTER_OPERAND},
        ),
        takes_data=True,
    ),
    Program(
        "loginctl",
        reads=ReadCommands(
            {
                name: Reads(
                    "-p= -a -l -n= -o= --property= --value --all --full --lines= --output= --no-pager --no-legend",
                    TEXT,
                )
                for name in "list-sessions session-status show-session list-users user-status show-user list-seats seat-status show-seat".split()
            },
            flags="--no-pager --no-legend" + HELP_FLAGS,
            bare=True,
            empty=True,
        ),
    ),
    Program("sysctl", reads=Reads(check="sysctl")),
    Program(
        "crontab",
        reads=Reads("-l", NONE, needs="-l"),
        runs=Runs("-u= -l; -e; -r; -i -T=", rest=RestOfWords.SCRIPT, input=CodeInput.CODE),
        writes=Writes("-u= -l -e -r -i", WriteTarget.NONE),
        losses=Losses((LossPattern("", Loss.DELETES, "crontab", flags="-r"),), "-u"),
        options={"": "r=r e=e l=l u=u"},
        scripts=(Script.CRON,),
        output=OtherOutput.CRONTAB,
    ),
    Program("uuidgen", reads=Reads("-r -t -h -V --random --time" + HELP_FLAGS, NONE)),
    Program("systemd-run", runs=_SYSTEMD_RUN, takes_assignments=True),
    Program(
        "systemd-inhibit",
        runs=Runs("--what= --who= --why= --mode= --list --no-pager --no-legend --no-ask-password"),
    ),
    Program(
        "systemd-nspawn",
        runs=Runs(
            "-D= --directory= -i= --image= -M= --machine= -u= --user= --bind= --bind-ro=",
            input=CodeInput.SHELL,
        ),
    ),
    Program(
        "systemd-cat",
        runs=Runs("-t= --identifier= -p= --priority= --stderr-priority= --level-prefix= --namespace="),
    ),
    Program(
        "start-stop-daemon",
        runs=Runs(
            "-S --start -K --stop -T --status -b --background -m --make-pidfile -q --quiet -v --verbose -o"
            " --oknodo -C --no-close -N= --nicelevel= -P= --procsched= -I= --iosched= -p= --pidfile= -n= --name="
            " -u= --user= -c= --chuid= -g= --group= -d= --chdir= -r= --chroot= -R= --retry= -s= --signal= -k="
            " --umask= -O= --output= -x=^ --exec=^ -a=^ --startas=^"
        ),
    ),
    Program(
        "at",
        runs=Runs("-q= -f=< -t=", rest=RestOfWords.FLAGS, input=CodeInput.SHELL),
        text_options="-f=#",
        runs_files=True,
    ),
    Program(
        "batch",
        runs=Runs("-q= -f=<", rest=RestOfWords.FLAGS, input=CodeInput.SHELL),
        text_options="-f=#",
        runs_files=True,
    ),
    Program("agetty", text_options="-l=! --login-program=!"),
    Program("plymouth", text_options="--command=!"),
    Program(
        "dmsetup",
        text_options="--exec=!",
        input=(InputRule(commands="create load reload", options="--table=; --notable;"),),
        disk=DiskUse(destroys="remove remove_all wipe_table clear"),
    ),
    Program(
        "shred",
        writes=Writes(
            "-f --force -n= --iterations= --random-source= -s= --size= -u --remove? -v --verbose -x --exact -z"
            " --zero",
            removing="-u --remove",
        ),
        takes_data=True,
        losses=_DISK,
        damage=Damage.REMOVES,
        does="files",
    ),
    Program(
        "dd",
        writes=Writes(by=WritesBy.IMAGE),
        takes_data=True,
        dash_is_data="*",
        prints=PrintedOutput.PASSES,
        image="",
        losses_by=LossesBy.IMAGE,
        sends=SentFiles.OPERANDS,
        does="files",
    ),
    Program("chpasswd chgpasswd newusers kadmin kadmin.local debugfs xfs_db", input=(INPUT_SESSION,)),
    Program(
        "fdisk", input=(INPUT_SESSION,), disk=DiskUse(shows="-l --list -s --getsz -V --version -h --help")
    ),
    Program(
        "sfdisk",
        input=(INPUT_SESSION,),
        disk=DiskUse(
            shows="-l --list -d --dump -J --json -s --show-size -F --list-free -V --version -h --help",
            beside="-o --output -q --quiet -u --bytes --color",
        ),
    ),
    Program("cfdisk", input=(INPUT_SESSION,), disk=DiskUse(shows="-V --version -h --help")),
    Program("gdisk", input=(INPUT_SESSION,), disk=DiskUse(shows="-l")),
    Program(
        "sgdisk",
        input=(INPUT_SESSION,),
        disk=DiskUse(
            shows="-p --print -i --info -v --verify -V --version",
            beside="-L --list-types -D --display-alignment -F -f -E",
        ),
    ),
    Program(
        "parted",
        input=(INPUT_SESSION,),
        disk=DiskUse(
            shows="print -l --list -v --version -h --help",
            beside="-s --script -m --machine -a unit free all devices list s B kB MB GB TB KiB MiB GiB TiB %",
        ),
    ),
    Program("lvm ipmitool", input=(INPUT_PROMPT,)),
    Program("passwd smbpasswd htpasswd kinit", input=(_ANSWERS,)),
    Program(
        "cryptsetup",
        input=(_ANSWERS,),
        losses=Losses((LossPattern("erase|luksErase|luksFormat", Loss.ERASES),)),
        disk=DiskUse(destroys="luksformat erase lukserase reencrypt"),
    ),
    Program(
        "mdadm",
        input=(_ANSWERS,),
        disk=DiskUse(destroys="--zero-superblock --stop --remove --create --build -C -B -S"),
    ),
    Program("logger lp lpr shutdown wall write", takes_data=True),
    Program("reboot", takes_data=True, same_as=("reboot = systemctl reboot",)),
    Program("wipe", losses=_DISK, damage=Damage.REMOVES),
    Program("scrub nwipe", losses=_DISK, image="#*"),
    Program("mkfs newfs mke2fs mkswap mkntfs mkdosfs blkdiscard", losses=_DISK),
    Program(
        "wipefs",
        losses=Losses((LossPattern("", Loss.ERASES, flags="-a --all -o --offset"),), "-o --offset -t"),
        disk=DiskUse(wipes="a o --all --offset"),
    ),
    Program("lvremove vgremove pvremove", losses=_VOLUME, disk=DiskUse(destroys="")),
    Program(
        "zfs",
        losses=Losses(
            (LossPattern("destroy", Loss.DELETES, "volume"), LossPattern("rollback", Loss.DISCARDS_CHANGES))
        ),
        disk=DiskUse(destroys="destroy"),
    ),
    Program(
        "zpool",
        losses=Losses(
            (LossPattern("destroy", Loss.DELETES, "volume"), LossPattern("rollback", Loss.DISCARDS_CHANGES))
        ),
        disk=DiskUse(destroys="destroy labelclear"),
    ),
    Program(
        "btrfs",
        losses=Losses((LossPattern("subvolume delete", Loss.DELETES, "volume"),)),
        damage=Damage.SUBVOLUMES,
    ),
    Program("userdel deluser", losses=Losses((LossPattern("", Loss.DELETES, "user"),))),
    Program("pkill", options={"": "9=9 KILL=9 SIGKILL=9 f=full"}),
    Program("killall", options={"": "9=9 KILL=9 SIGKILL=9"}),
    Program("useradd", options={"": "m=create-home"}),
    Program("chcon restorecon", damage=Damage.RIGHTS),
    Program("deltree erase", damage=Damage.REMOVES_DRIVES),
    Program("gio", damage=Damage.TRASH),
    Program("format", damage=Damage.FORMATS),
    Program("gdd dcfldd dc3dd fsarchiver", image=""),
    Program("ddrescue dd_rescue sg_dd", image="#2"),
    Program("bmaptool etcher rpi-imager partimage sg_write_buffer", image="#last"),
    Program("qemu-img", image="#command"),
    Program("ntfsclone", image="-O --overwrite"),
    Program("balena", image="--drive"),
    Program(
        """partclone.restore partclone.dd partclone.ext2 partclone.ext3 partclone.ext4 partclone.extfs partclone.ntfs partclone.fat partclone.vfat partclone.exfat partclone.xfs partclone.btrfs partclone.hfsp partclone.hfsplus partclone.apfs partclone.f2fs""",
        image="-o -O --output --overwrite",
    ),
    Program("sg_format sg_sanitize", image="#*"),
    Program(
        "partx",
        disk=DiskUse(
            shows="-s --show -l --list",
            beside="-g --noheadings -o --output -r --raw -P --pairs -b --bytes -n --nr -t --type -v --verbose",
        ),
    ),
    Program("growpart", disk=DiskUse(shows="--dry-run -N")),
    Program("pvcreate lvreduce", disk=DiskUse(destroys="")),
    Program("nvme", disk=DiskUse(destroys="format sanitize")),
    Program(
        "hdparm", disk=DiskUse(destroys="--security-erase --security-erase-enhanced --trim-sector-ranges")
    ),
    Program("gpart", disk=DiskUse(destroys="destroy delete")),
    Program("camcontrol", disk=DiskUse(destroys="format sanitize security")),
    Program("badblocks", disk=DiskUse(wipes="w n")),
    Program("poweroff", same_as=("poweroff = systemctl poweroff",)),
    Program("halt", same_as=("halt = systemctl halt",)),
    # ---- package managers of operating systems ----
    Program(
        "brew",
        reads=ReadCommands(
            _BREW,
            flags="-v --version --prefix --cellar --caskroom --cache --repository --repo",
            bare=True,
        ),
        same_as=(
            "brew uninstall = brew remove = brew rm",
            "brew list = brew ls",
            "brew install = brew cask install",
        ),
        does="installs",
    ),
    Program(
        "apt",
        reads=ReadCommands(_APT, flags="-v --version", bare=True),
        text_options="-o=@",
        input=(_PACKAGES,),
        options={"": "y=yes"},
        same_as=(
            "apt install = apt-get install = aptitude install",
            "apt remove = apt-get remove = aptitude remove",
            "apt purge = apt-get purge = aptitude purge",
            "apt update = apt-get update = aptitude update",
            "apt upgrade = apt-get upgrade = aptitude safe-upgrade",
            "apt full-upgrade = apt-get dist-upgrade = aptitude full-upgrade",
            "apt autoremove = apt-get autoremove",
            "apt reinstall = apt-get reinstall",
        ),
        does="installs",
    ),
    Program(
        "apt-get",
        reads=Reads("--version", only=True),
        text_options="-o=@",
        input=(_PACKAGES,),
        options={"": "y=yes"},
        does="installs",
    ),
    Program(
        "dpkg",
        reads=Reads(
            f"{_DPKG_READS} --get-selections --print-architecture --print-foreign-architectures -C --audit -V --verify"
            " --compare-versions --version --no-pager",
            TEXT,
            needs=f"{_DPKG_READS} --get-selections --print-architecture --print-foreign-architectures -C --audit -V --verify"
            " --compare-versions --version",
        ),
        text_options="--pre-invoke=! --post-invoke=!",
        input=(InputRule(only="--set-selections --update-avail --merge-avail"),),
        does="installs",
    ),
    Program("yum", reads=_DNF_LIKE, input=(_PACKAGES,), options={"": "y=assumeyes"}, does="installs"),
    Program(
        "dnf",
        reads=_DNF_LIKE,
        input=(_PACKAGES,),
        options={"": "y=assumeyes"},
        same_as=(
            "dnf install = yum install = dnf5 install = microdnf install",
            "dnf remove = yum remove = dnf erase = yum erase = dnf5 remove = microdnf remove",
            "dnf update = yum update = dnf upgrade = yum upgrade",
        ),
        does="installs",
    ),
    Program("xcodebuild", reads=Reads("-version -showsdks", NONE, only=True), never_suggest=True),
    Program("apt-cache", reads=ReadCommands(_APT_CACHE, flags="-v --version", bare=True)),
    Program(
        "apt-mark",
        reads=ReadCommands(
            {
                "showauto": Reads("", TEXT),
                "showmanual": Reads("", TEXT),
                "showhold": Reads("", TEXT),
                "showinstall": Reads("", TEXT),
            }
        ),
    ),
    Program("apt-config", reads=ReadCommands({"dump": Reads("", TEXT)})),
    Program(
        "apt-file",
        reads=ReadCommands(
            {
                "search": Reads("-l --package-only -x --regexp -F --fixed-string -i --ignore-case", TEXT),
                "list": Reads("-l --package-only -x --regexp -F --fixed-string", TEXT),
            }
        ),
    ),
    Program(
        "aptitude",
        reads=ReadCommands(
            {"search": Reads("", TEXT), "show": Reads("", TEXT), "why": Reads("", TEXT)},
            flags="--version",
            bare=True,
        ),
        text_options="-o=@",
        input=(_PACKAGES,),
    ),
    Program(
        "dpkg-query",
        reads=Reads(
            f"{_DPKG_READS} -W --show -f= --showformat= --control-list --control-show --version --no-pager",
            TEXT,
            needs=f"{_DPKG_READS} -W --show --control-list --control-show --version",
        ),
    ),
    Program(
        "dpkg-deb",
        reads=Reads(
            "-c --contents -I --info -f --field -W --show --showformat=",
            FILES,
            needs="-c --contents -I --info -f --field -W --show",
        ),
    ),
    Program(
        "update-alternatives",
        reads=Reads(
            "--list --display --query --get-selections",
            TEXT,
            needs="--list --display --query --get-selections",
        ),
    ),
    Program(
        "rpm",
        reads=Reads(
            "-q --query -a --all -i --info -l --list -f --file -c --configfiles -d --docfiles -R --requires --provides"
            " --conflicts --obsoletes --recommends --suggests --changelog --changes --scripts --triggers --last -s --state"
            " --whatprovides --whatrequires --whatrecommends --qf= --queryformat= -g --group -V --verify --filesbypkg",
            TEXT,
            check="rpm",
            bare=True,
        ),
        text_options="--pipe=!",
        scripts=(
            Script.CALLS,
            Script.MACROS,
        ),
        does="installs",
    ),
    Program("microdnf", reads=_DNF_LIKE, input=(_PACKAGES,)),
    Program("tdnf", reads=_DNF_LIKE),
    Program("pacman", reads=Reads(check="pacman"), input=(_PACKAGES,), does="installs"),
    Program(
        "zypper",
        reads=ReadCommands(
            {
                "search": _ZYPPER_SEARCH,
                "se": _ZYPPER_SEARCH,
                "info": Reads("", TEXT),
                "if": Reads("", TEXT),
                "repos": Reads("-u --uri -d --details", TEXT),
                "lr": Reads("-u --uri -d --details", TEXT),
                "list-updates": Reads("", NONE),
                "lu": Reads("", NONE),
                "packages": Reads("-i --installed-only", TEXT),
            },
            flags="-V --version -q --quiet",
            bare=True,
        ),
        input=(_PACKAGES,),
        does="installs",
    ),
    Program(
        "apk",
        reads=ReadCommands(
            {
                "info": Reads(
                    "-a --all -d --description -w --webpage -L --contents -R --depends -P --provides -r --rdepends"
                    " -t --triggers -s --size -e --installed -W --who-owns -v --verbose -q --quiet",
                    TEXT,
                ),
                "list": Reads(
                    "-I --installed -u --upgradable -a --available -o --orphaned -d --depends -v --verbose -q --quiet",
                    TEXT,
                ),
                "search": Reads(
                    "-a --all -d --description -x --exact -e -o --origin -r --rdepends -v --verbose -q --quiet",
                    TEXT,
                ),
                "policy": Reads("", TEXT),
                "stats": Reads("", NONE),
                "version": Reads("-v --verbose", NONE),
            },
            flags="-V --version",
            bare=True,
        ),
        input=(_PACKAGES,),
        does="installs",
    ),
    Program(
        "snap",
        reads=ReadCommands(
            {
                "list": Reads("--all", TEXT),
                "info": Reads("--verbose --unicode= --color=", NAMES),
                "find": Reads("--private", TEXT),
                "version": Reads("", NONE),
                "changes": Reads("--abs-time", TEXT),
                "services": Reads("-g --global", TEXT),
                "connections": Reads("--all", TEXT),
                "refresh": Reads("--list --time", NONE, needs="--list --time"),
            },
            flags="--version",
            bare=True,
        ),
        runs=RunCommands(
            {
                "run": Runs(
                    "--shell --strace? --gdb --gdbserver? --trace-exec", operands=1, words_before=("sh",)
                )
            }
        ),
        same_as=("snap remove = snap uninstall",),
        does="installs",
    ),
    Program(
        "flatpak",
        reads=ReadCommands(
            {
                "list": Reads(f"{_FLATPAK_ANY} --app --runtime -a --all --arch=", TEXT),
                "info": Reads(
                    "--user --system -r --show-ref -o --show-origin -c --show-commit -s --show-size -m --show-metadata"
                    " -M --show-permissions -l --show-location",
                    TEXT,
                ),
                "search": Reads("--columns=", TEXT),
                "remotes": Reads(_FLATPAK_ANY, NONE),
                "ps": Reads("--columns=", NONE),
                "history": Reads("--since= --until= --columns= --reverse", NONE),
            },
            flags="--version",
            bare=True,
        ),
        runs=RunCommands({"run": Runs("--command=^ --branch= --arch=", operands=1)}),
        does="installs",
    ),
    Program(
        "nix",
        reads=ReadCommands(
            {"profile": ReadCommands({"list": Reads("--json", NONE)})}, flags="--version", bare=True
        ),
        runs=RunCommands(
            {
                "shell": _NIX_SHELL,
                "develop": _NIX_SHELL,
                "run": Runs(operands=1, optional=True, options_after_operands=True),
                "env": RunCommands({"shell": _NIX_SHELL}),
            },
            "--option== --extra-experimental-features= --experimental-features=",
        ),
        does="installs",
        input=(
            InputRule(
                commands="develop shell", options="-c=; --command=; --option== --extra-experimental-features="
            ),
        ),
    ),
    Program("nix-channel", reads=Reads("--list", NONE, needs="--list")),
    Program(
        "nix-env",
        reads=Reads("-q --query --installed --out-path --json", TEXT, needs="-q --query"),
        does="installs",
    ),
    Program("xcode-select", reads=Reads("-p --print-path -v --version", NONE, only=True)),
    Program(
        "nix-shell",
        runs=RUNS_OPTIONS._replace(options="--run=! --command=!"),
        input=(InputRule(options="--run=; --command=;"),),
    ),
    Program(
        "guix",
        runs=RunCommands(dict.fromkeys(("shell", "environment"), Runs("--*", marker="--"))),
        input=(InputRule(commands="repl"),),
    ),
    Program(
        "mock",
        runs=Runs(
            "--chroot=! --shell=! -r= --root= --enablerepo= --no-clean -q -v shell", rest=RestOfWords.TEXTS
        ),
    ),
    Program("spack", runs=RunCommands({"build-env": RUNS_AFTER_OPERAND})),
    Program("pkgx", runs=Runs("-q -v +?")),
    Program("checkinstall", runs=Runs("--*")),
    Program("dpkg-reconfigure debconf-set-selections debconf-communicate", input=(INPUT_SESSION,)),
    Program("pkg", input=(_PACKAGES,), does="installs"),
    Program(
        "rpmbuild rpmspec",
        scripts=(
            Script.CALLS,
            Script.MACROS,
        ),
    ),
    Program("rpmdb rpmquery rpmverify", scripts=(Script.MACROS,)),
)
