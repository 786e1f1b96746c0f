"""Programs that tell about the machine: processes, network, services, hardware, users, time."""

from assent.engine.shell.knowledge.entry import Commands, Entry, Operands, Reads

FILES, SINGLE, TEXT, NONE = Operands.FILES, Operands.SINGLE, Operands.TEXT, Operands.NONE

_HELP = " --help --version"

_PROCESSES: dict[str, Entry] = {
    "ps": Reads(check="ps"),
    "pgrep": Reads(
        "-a -A -c -d= -f -F=< -g= -G= -i -I -j= -l -L -n -o -O= -P= -q -r= -s= -S -t= -u= -U= -v -w -x -h -V"
        " --count --delimiter= --full --pgroup= --group= --ignore-case --list-name --list-full --newest --oldest --older="
        " --parent= --session= --terminal= --euid= --uid= --inverse --lightweight --exact --pidfile=< --logpidfile"
        " --runstates= --ignore-ancestors --cgroup= --ns= --nslist= --quick" + _HELP,
        TEXT,
        every_flag=True,
    ),
    "pidof": Reads("-c -d= -n -o= -q -s -S= -w -x -z --single-shot --check-root --omit-pid= --separator=" + _HELP, TEXT, every_flag=True),
    "pstree": Reads(
        "-a -A -c -C= -g -G -h -H= -l -n -N= -p -s -S -t -T -u -U -V -Z --arguments --ascii --compact-not --color="
        " --show-pgids --vt100 --highlight-all --highlight-pid= --long --numeric-sort --ns-sort= --show-pids"
        " --show-parents --ns-changes --thread-names --hide-threads --uid-changes --unicode --version",
        TEXT,
    ),
    "pmap": Reads("-x -d -q -A= -X -p -h -V --extended --device --quiet --range= --show-path" + _HELP, TEXT),
    "pwdx": Reads("-h -V" + _HELP, TEXT),
    "top": Reads(
        "-b -c -d= -e= -E= -h -H -i -l= -n= -o= -O -p= -S -u= -U= -V -w? -1 --batch --cmdline-toggle --delay= --iterations="
        " --threads-show --sort-override= --pid= --filter-only-euser= --filter-any-user= --width? --list-fields" + _HELP,
        NONE,
        needs="-b --batch -l -h --help -V --version",
    ),
    "uptime": Reads("-p -s -h -V --pretty --since" + _HELP, NONE),
    "free": Reads(
        "-b -k -m -g -h -w -c= -l -s= -t -v -V --bytes --kibi --mebi --gibi --tebi --pebi --kilo --mega --giga --tera"
        " --peta --human --wide --count= --lohi --seconds= --si --total --committed" + _HELP,
        NONE,
    ),
    "vmstat": Reads(
        "-a -f -m -n -s -d -D -p= -S= -t -w -y -V -h --active --forks --slabs --one-header --stats --disk --disk-sum"
        " --partition= --unit= --timestamp --wide --no-first" + _HELP,
        TEXT,
    ),
    "vm_stat": Reads("", TEXT),
    "iostat": Reads("-c -d -h -H -k -m -N -p? -s -t -V -x -y -z -w= -n= -C -K --compact --dec= --human --pretty", TEXT),
    "mpstat": Reads("-A -I= -N= -n -P= -T -u -V --dec=", TEXT),
    "sar": Reads("-A -b -B -d -F -h -H -I= -m= -n= -p -P= -q -r -R -S -t -u -v -V -w -W -y -z -f=< -s? -e? --dec= --human --pretty", TEXT),
    "nvidia-smi": Reads(
        "-L -B -q -x -i= -d= -l= -lms= -h --list-gpus --query --id= --display= --xml-format --loop= --loop-ms= --query-gpu="
        " --query-compute-apps= --query-accounted-apps= --format= --help --help-query-gpu --version",
        NONE,
    ),
}

_HARDWARE: dict[str, Entry] = {
    "nproc": Reads("--all --ignore=" + _HELP, NONE),
    "lscpu": Reads(
        "-a -B -b -C? -c -e? -J -p? -x -y -h -V --all --bytes --online --caches? --offline --extended? --json --parse?"
        " --hex --physical --output-all" + _HELP,
        NONE,
    ),
    "lsmem": Reads("-a -b -J -n -o= -P -r -S= -h -V --all --bytes --json --noheadings --output= --output-all --pairs --raw --split= --summary?" + _HELP, NONE),
    "lsusb": Reads("-v -t -s= -d= -V --verbose --tree --version --help -h", NONE),
    "lspci": Reads("-v -n -k -t -m -b -D -P -s= -d= --version --help", NONE),
    "lsmod": Reads("-s -v --syslog --verbose --version --help -V -h", NONE),
    "lshw": Reads("-short -businfo -class= -C= -c= -json -html -xml -sanitize -quiet -numeric -version", NONE),
    "sensors": Reads("-A -f -j -u -v -h --no-adapter --fahrenheit --version --help", TEXT),
    "swapon": Reads("-s --show? --summary --noheadings --raw --bytes", NONE, needs="-s --show --summary"),
    "mount": Reads("-l -v", NONE),
    "diskutil": Commands({"list": Reads("-plist", TEXT), "info": Reads("-plist -all", TEXT)}),
    "ldconfig": Reads("-p --print-cache -V --version", only=True),
    "getconf": Reads("-a -v=", TEXT),
    "uname": Reads(
        "-a -s -n -r -v -m -p -i -o --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor"
        " --hardware-platform --operating-system" + _HELP,
        NONE,
    ),
    "arch": Reads("--help --version", NONE),
    "sw_vers": Reads("-productName -productVersion -buildVersion --productName --productVersion --productVersionExtra --buildVersion", NONE),
    "lsb_release": Reads("-h -v -i -d -r -c -a -s --help --version --id --description --release --codename --all --short", NONE),
    "stty": Commands(
        {"size": Reads("", NONE), "speed": Reads("", NONE)}, flags="-a -g --all --save" + _HELP, bare=True, empty=True
    ),
    "tput": Commands(
        {name: Reads("", TEXT) for name in
         "cols lines colors bold dim smul rmul rev smso rmso sgr0 op setaf setab el ed civis cnorm longname".split()},
        flags="-T=",
    ),
}

_USERS: dict[str, Entry] = {
    "whoami": Reads("--help --version", NONE),
    "logname": Reads("--help --version", NONE),
    "id": Reads("-a -A -F -G -M -P -Z -g -n -p -r -u -z --context --group --groups --name --real --user --zero" + _HELP, TEXT, every_flag=True),
    "groups": Reads("--help --version", TEXT),
    "users": Reads("--help --version", NONE),
    "who": Reads(
        "-a -b -d -H -l -m -p -q -r -s -t -T -w -u --all --boot --dead --heading --ips --login --lookup --process --count"
        " --runlevel --short --time --mesg --users --message --writable" + _HELP,
    ),
    "w": Reads("-h -u -s -f -i -o -p -V --no-header --no-current --short --from --ip-addr --old-style --pids" + _HELP, TEXT),
    "last": Reads(
        "-a -d -f=< -F -i -n= -p= -R -s= -t= -w -x -h -V -NUM --hostlast --dns --file=< --fulltimes --ip --limit= --present="
        " --nohostname --since= --until= --time-format= --fullnames --system" + _HELP,
        TEXT,
    ),
    # Host names are looked up on the network, so these databases only.
    "getent": Commands({name: Reads("", TEXT) for name in "passwd group services protocols rpc".split()}),
    "locale": Reads("-a -m -c -k -v -V --all-locales --charmaps --category-name --keyword-name --verbose --usage" + _HELP, TEXT),
}

_TIME: dict[str, Entry] = {
    "date": Reads(check="date"),
    "gdate": Reads(check="date"),
    "cal": Reads("-1 -3 -s -m -j -y -Y -w -h -V -n= -A= -B= --one --three --sunday --monday --julian --year --week --months=" + _HELP, TEXT),
    "ncal": Reads("-1 -3 -b -M -j -y -w -h -A= -B=", TEXT),
    "timedatectl": Commands(
        {name: Reads("-a -p= --all --property= --value --no-pager", TEXT)
         for name in "status show list-timezones timesync-status show-timesync".split()},
        flags="--no-pager" + _HELP, bare=True, empty=True,
    ),
}

# Not `s`, which for a link means to set.
_SHOWS = ("show", "list", "ls", "lst", "sh")
_IP = "-4 -6 -0 -s -stats -statistics -d -details -o -oneline -br -brief -j -json -p -pretty -c? -color? -h -human -iec -r -N -V"


def _shown(*more: str) -> Commands:
    """What `ip` only shows of an object; every other verb changes it."""
    return Commands({name: Reads("", TEXT) for name in (*_SHOWS, *more)}, empty=True)


_NETWORK: dict[str, Entry] = {
    "hostname": Reads("-a -A -d -f -i -I -s -V -h --alias --all-fqdns --domain --fqdn --long --ip-address --all-ip-addresses --short" + _HELP, NONE),
    "hostnamectl": Commands({"status": Reads("--json= --no-pager", NONE)}, flags="--static --transient --pretty --json= --no-pager" + _HELP, bare=True, empty=True),
    "ip": Commands(
        {
            **{name: _shown() for name in "a addr address l link n neigh neighbour neighbor ru rule maddr maddress".split()},
            **{name: _shown("get") for name in "r ro route".split()},
            "netns": Commands({"list": Reads("", NONE), "ls": Reads("", NONE)}, empty=True),
        },
        flags=_IP,
        bare=True,
    ),
    "ifconfig": Reads("-a -s -v -l -m -L", SINGLE),
    "ss": Reads(
        "-h -V -H -O -n -r -a -l -o -e -m -p -T -i -s -Z -z -b -4 -6 -0 -t -u -d -w -x -S -M -f= -A= -Q --help --version"
        " --no-header --oneline --numeric --resolve --all --listening --options --extended --memory --processes --threads"
        " --info --tos --cgroup --summary --context --contexts --bpf --ipv4 --ipv6 --packet --tcp --udp --dccp --raw --unix"
        " --sctp --tipc --vsock --xdp --mptcp --family= --query= --socket= --no-queues",
        TEXT,
        check="no host names",
    ),
    "netstat": Reads(
        "-r -g -i -M -s -v -W -n -e -o -p -l -a -t -u -U -w -x -4 -6 -b -L -m -N -A? -f= -I= --route --groups --interfaces"
        " --masquerade --statistics --verbose --wide --numeric --numeric-hosts --numeric-ports --numeric-users --protocol="
        " --extend --timers --program --programs --listening --all --tcp --udp --unix --raw --inet --inet6" + _HELP,
        TEXT,
    ),
    "arp": Reads("-a -e -n -v -l -x -i= -V -h --verbose --numeric --device=" + _HELP, NONE),
    "route": Reads("-n -e -v -V -h -4 -6 --numeric --extend --verbose" + _HELP, NONE),
}

_UNITS = (
    "-a -l -q -r -t= -p= -P= -n= -o= --all --full --quiet --recursive --type= --property= --lines= --output= --state="
    " --failed --no-pager --no-legend --legend= --plain --user --system --value --reverse --after --before --show-types"
    " --with-dependencies --timestamp= --no-ask-password"
)

_SERVICES: dict[str, Entry] = {
    "systemctl": Commands(
        {name: Reads(_UNITS, TEXT) for name in
         "status show cat is-active is-enabled is-failed is-system-running list-units list-unit-files list-timers"
         " list-sockets list-jobs list-dependencies list-paths list-automounts get-default".split()},
        flags=_UNITS + _HELP, bare=True, empty=True,
    ),
    "journalctl": Reads(
        "-a -b? -c= -D=< -e -f -F= -g= -k -l -m -n= -N -o= -p= -q -r -S= -t= -T= -u= -U= -x -NUM -h --system --user --merge"
        " --directory=< --file=< --since= --until= --cursor= --after-cursor= --boot? --unit= --user-unit= --identifier="
        " --exclude-identifier= --priority= --facility= --grep= --case-sensitive? --dmesg --output= --output-fields= --lines?"
        " --reverse --show-cursor --utc --catalog --no-hostname --no-full --full --all --follow --no-tail --quiet --no-pager"
        " --pager-end --fields --field= --list-boots --disk-usage --header --truncate-newline" + _HELP,
        TEXT,
    ),
    "dmesg": Reads(
        "-d -e -F=< -f= -J -k -L? -l= -P -p -r -S -s= -T -t -u -w -W -x -h -V --show-delta --reltime --file=< --facility="
        " --json --kernel --color? --level= --noescape --nopager --force-prefix --raw --syslog --buffer-size= --ctime --since="
        " --until= --notime --time-format= --userspace --follow --follow-new --decode" + _HELP,
        NONE,
    ),
    "service": Reads(check="service"),
    "launchctl": Commands({"list": Reads("", TEXT), "print": Reads("", TEXT), "print-disabled": Reads("", TEXT), "blame": Reads("", TEXT)}),
    "loginctl": Commands(
        {name: Reads("-p= -a -l -n= -o= --property= --value --all --full --lines= --output= --no-pager --no-legend", TEXT)
         for name in "list-sessions session-status show-session list-users user-status show-user list-seats seat-status show-seat".split()},
        flags="--no-pager --no-legend" + _HELP, bare=True, empty=True,
    ),
    "sysctl": Reads(check="sysctl"),
    "crontab": Reads("-l", NONE, needs="-l"),
    # A format could run programs, so no format.
    "tmux": Commands(
        {
            **{name: Reads("", NONE) for name in ("ls", "list-sessions")},
            **{name: Reads("-a -s -t=", NONE, check="no formats") for name in ("lsw", "list-windows", "lsp", "list-panes")},
            **{name: Reads("-a -e -J -N -p -q -t= -S= -E=", NONE, needs="-p", check="no formats") for name in ("capture-pane", "capturep")},
        },
        flags="-L= -V",
        bare=True,
    ),
    "screen": Reads("-ls -list", NONE, needs="-ls -list"),
}

_X509 = (
    "-in=< -noout -text -subject -issuer -dates -startdate -enddate -fingerprint -sha1 -sha256 -serial -pubkey -ext="
    " -nameopt= -certopt= -inform= -purpose -checkend= -hash -email -ocsp_uri -modulus"
)

_CHECKING: dict[str, Entry] = {
    "shellcheck": Reads(
        "-C? -i= -e= -f= -o= -s= -S= -V -W= --color? --include= --exclude= --format= --list-optional --norc --enable= --shell="
        " --severity= --wiki-link-count=" + _HELP
    ),
    "hadolint": Reads(
        "-c=< -f= -t= -h -v -V --config=< --format= --error= --warning= --info= --style= --ignore= --failure-threshold="
        " --no-fail --no-color --trusted-registry= --require-label= --strict-labels" + _HELP
    ),
    "actionlint": Reads("-color -no-color -oneline -verbose -version -ignore= -format= -help"),
    "yamllint": Reads("-c=< -d= -f= -s -h -v --config-file=< --config-data= --format= --strict --no-warnings --list-files" + _HELP),
    "shfmt": Reads("-d -l -s -i= -ln= -p -bn -ci -sr -kp -fn -f -version"),
    "openssl": Commands(
        {
            "version": Reads("-a -b -d -e -f -o -p -r -v", NONE),
            "x509": Reads(_X509, NONE),
            "req": Reads("-in=< -noout -text -subject -pubkey -verify -inform= -nameopt=", NONE, needs="-noout"),
            "dgst": Reads("-md5 -sha1 -sha224 -sha256 -sha384 -sha512 -hex -binary -r"),
            "rand": Reads("-hex -base64", TEXT),
            **{name: Reads("-hex -binary -r") for name in "md5 sha1 sha224 sha256 sha384 sha512".split()},
        }
    ),
    "uuidgen": Reads("-r -t -h -V --random --time" + _HELP, NONE),
}

PROGRAMS: dict[str, Entry] = {
    **_PROCESSES,
    **_HARDWARE,
    **_USERS,
    **_TIME,
    **_NETWORK,
    **_SERVICES,
    **_CHECKING,
}
